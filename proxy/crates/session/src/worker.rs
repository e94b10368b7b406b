//! Workers: one thread each, with a runtime, sessions, pools and a plan cache of its own.

use std::io;
use std::net::SocketAddr;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::JoinHandle;

use tokio::net::TcpStream;
use tokio::runtime::{Builder, LocalOptions};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::local::Local;
use crate::registry;
use crate::session;
use crate::shared::Shared;

/// All workers of a process.
#[derive(Debug)]
pub struct Workers {
    workers: Vec<Worker>,
}

#[derive(Debug)]
struct Worker {
    fresh: mpsc::UnboundedSender<Fresh>,
    sessions: Arc<AtomicUsize>,
    thread: JoinHandle<()>,
}

/// A socket on its way to its worker.
type Fresh = (std::net::TcpStream, SocketAddr, Load);

/// Counts a session of a worker for as long as it lives.
struct Load(Arc<AtomicUsize>);

impl Drop for Load {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Workers {
    /// Starts `count` workers.
    ///
    /// # Errors
    /// When a thread or its runtime can't be made.
    pub fn start(count: usize, shared: &Arc<Shared>) -> io::Result<Self> {
        let workers =
            (0..count).map(|number| Worker::start(number, Arc::clone(shared))).collect::<Result<_, _>>()?;
        Ok(Self { workers })
    }

    /// Gives a fresh connection to the worker with the fewest sessions.
    pub(crate) fn adopt(&self, socket: TcpStream, peer: SocketAddr) -> io::Result<()> {
        let socket = socket.into_std()?;
        let Some(worker) = self.workers.iter().min_by_key(|worker| worker.sessions.load(Ordering::Relaxed))
        else {
            return Ok(());
        };
        worker.sessions.fetch_add(1, Ordering::Relaxed);
        let load = Load(Arc::clone(&worker.sessions));
        worker.fresh.send((socket, peer, load)).map_err(|_| io::Error::other("the worker has ended"))
    }

    /// Sessions of all workers.
    #[must_use]
    pub fn sessions(&self) -> usize {
        self.workers.iter().map(|worker| worker.sessions.load(Ordering::Relaxed)).sum()
    }

    /// Waits until every worker has ended; they do when `Shared::drain` is cancelled and their sessions are done.
    pub fn join(self) {
        for worker in self.workers {
            drop(worker.fresh);
            if worker.thread.join().is_err() {
                tracing::error!("a worker ended by a panic");
            }
        }
    }
}

impl Worker {
    fn start(number: usize, shared: Arc<Shared>) -> io::Result<Self> {
        let (fresh, inbox) = mpsc::unbounded_channel();
        let name = format!("worker-{number}");
        // The runtime is made in its thread: a local runtime may not move.
        let (made, ready) = std::sync::mpsc::sync_channel(1);
        let thread =
            std::thread::Builder::new().name(name).spawn(move || {
                match Builder::new_current_thread().enable_all().build_local(LocalOptions::default()) {
                    Ok(runtime) => {
                        let _ = made.send(Ok(()));
                        runtime.block_on(serve(shared, inbox));
                    }
                    Err(error) => {
                        let _ = made.send(Err(error));
                    }
                }
            })?;
        ready.recv().map_err(|_| io::Error::other("the worker did not start"))??;
        Ok(Self { fresh, sessions: Arc::new(AtomicUsize::new(0)), thread })
    }
}

/// The life of one worker: takes sockets until told to drain, then waits for its sessions to end.
async fn serve(shared: Arc<Shared>, mut inbox: mpsc::UnboundedReceiver<Fresh>) {
    let drain: CancellationToken = shared.drain.clone();
    let local = Rc::new(Local::new(&shared));
    let sessions = TaskTracker::new();
    #[expect(clippy::disallowed_methods, reason = "the upkeep of idle connections belongs to no session")]
    let upkeep = tokio::task::spawn_local(Rc::clone(&local.pools).monitor());
    #[expect(clippy::disallowed_methods, reason = "who lists and ends sessions comes from any of them")]
    let attendant = tokio::task::spawn_local({
        let (shared, local) = (Arc::clone(&shared), Rc::clone(&local));
        async move { registry::attend(&shared.registry, local).await }
    });
    #[expect(clippy::disallowed_methods, reason = "what sessions tell is handed over beside them")]
    let teller = tokio::task::spawn_local(crate::notes::hand_over(Rc::clone(&local)));
    loop {
        let fresh = tokio::select! {
            fresh = inbox.recv() => fresh,
            () = drain.cancelled() => None,
        };
        let Some((socket, peer, load)) = fresh else { break };
        let (shared, local) = (Arc::clone(&shared), Rc::clone(&local));
        #[expect(
            clippy::disallowed_methods,
            reason = "the one place where a session's task begins; a panic ends it alone"
        )]
        tokio::task::spawn_local(sessions.track_future(async move {
            let _load = load;
            match TcpStream::from_std(socket) {
                Ok(socket) => session::run(shared, local, socket, peer).await,
                Err(error) => tracing::warn!(%peer, %error, "cannot register a client's socket"),
            }
        }));
    }
    sessions.close();
    sessions.wait().await;
    teller.abort();
    attendant.abort();
    upkeep.abort();
}
