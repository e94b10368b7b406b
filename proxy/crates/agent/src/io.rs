//! The one thread on which the agent talks to others over the network: a small runtime of its own, so that neither
//! workers nor the observer's thread wait for a scraper or a collector.

use std::io;
use std::thread::JoinHandle;

use tokio::runtime::{Builder, Handle};
use tokio::sync::oneshot;
use tokio::task::AbortHandle;

/// The thread, from outside. Dropped, it breaks off what it does and ends.
#[derive(Debug)]
pub struct Io {
    handle: Handle,
    end: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

/// A task on the thread; broken off when dropped.
#[derive(Debug)]
pub struct Task(AbortHandle);

impl Io {
    /// Starts the thread.
    ///
    /// # Errors
    /// When the thread or its runtime cannot be made.
    pub fn start() -> io::Result<Self> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let handle = runtime.handle().clone();
        let (end, ended) = oneshot::channel::<()>();
        let thread = std::thread::Builder::new().name("agent-io".to_owned()).spawn(move || {
            // The end is told by dropping the sender, too.
            let _ = runtime.block_on(ended);
            // Looking up a name may take its time; it is not waited for.
            runtime.shutdown_background();
        })?;
        Ok(Self { handle, end: Some(end), thread: Some(thread) })
    }

    /// Runs a task there.
    pub fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) -> Task {
        Task(self.handle.spawn(task).abort_handle())
    }

    /// The runtime, for whoever waits on another thread for what is done there ([`Handle::block_on`]).
    pub const fn handle(&self) -> &Handle {
        &self.handle
    }
}

impl Drop for Io {
    fn drop(&mut self) {
        drop(self.end.take());
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            tracing::error!("the agent's thread ended by a panic");
        }
    }
}

impl Drop for Task {
    fn drop(&mut self) {
        self.0.abort();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::*;

    #[test]
    fn tasks_end_with_what_holds_them() {
        struct Last(std::sync::mpsc::Sender<&'static str>);
        impl Drop for Last {
            fn drop(&mut self) {
                let _ = self.0.send("dropped");
            }
        }
        let io = Io::start().unwrap();
        let (told, heard) = channel();
        let task = |told: &std::sync::mpsc::Sender<&'static str>| {
            let last = Last(told.clone());
            io.spawn(async move {
                last.0.send("began").unwrap();
                std::future::pending::<()>().await;
                drop(last);
            })
        };
        let held = task(&told);
        assert_eq!(heard.recv(), Ok("began"));
        drop(held);
        assert_eq!(heard.recv(), Ok("dropped"));
        let held = task(&told);
        assert_eq!(heard.recv(), Ok("began"));
        drop(io);
        assert_eq!(heard.recv(), Ok("dropped"));
        drop(held);
    }

    #[test]
    fn another_thread_may_wait_for_what_is_done_there() {
        let io = Io::start().unwrap();
        let slept = io.handle().block_on(async {
            tokio::time::sleep(std::time::Duration::from_millis(1)).await;
            7
        });
        assert_eq!(slept, 7);
    }
}
