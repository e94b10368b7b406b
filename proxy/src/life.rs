//! What the process is told by signals, and what comes of it.
//!
//! SIGTERM and SIGINT drain: nobody is let in, idle sessions are told 1053 at once, statements and transactions may
//! finish for a time, what runs then is ended on its servers, rolled back, and told 1053, too. A second one makes that
//! time end now. SIGHUP reads the configuration anew. SIGUSR2 lets a new process take this one's place; sessions that
//! are there go on for a time before they are drained.

use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use meta::Property;
use session::{Listener, Shared, Workers};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::task::JoinHandle;

use crate::app::Process;

/// What ended sessions may take to end their statements on the servers, and to tell their clients: more than a session
/// waits for a server that does not answer.
const LAST_WORDS: Duration = Duration::from_secs(8);

/// The signals that this process acts on.
#[derive(Debug)]
pub(crate) struct Signals {
    terminate: Signal,
    interrupt: Signal,
    hangup: Signal,
    upgrade: Signal,
    /// Caught so that a file which may not grow any more is an error of who writes to it and not the end of the process.
    _file_size: Signal,
}

/// Why a process stops taking clients.
enum End {
    /// It was told to end.
    Told,
    /// Another one takes them.
    Replaced,
}

impl Signals {
    /// From here on they do not end the process by themselves.
    pub(crate) fn catch() -> std::io::Result<Self> {
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
            hangup: signal(SignalKind::hangup())?,
            upgrade: signal(SignalKind::user_defined2())?,
            _file_size: signal(SignalKind::from_raw(rustix::process::Signal::XFSZ.as_raw()))?,
        })
    }
}

/// SIGTERM or SIGINT.
async fn told_to_end(terminate: &mut Signal, interrupt: &mut Signal) {
    tokio::select! {
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
    }
}

/// Lives by signals until all sessions have ended. Clients are accepted by a task that `stop` ends, and which drops the
/// listener then.
pub(crate) async fn live(
    process: &Process,
    mut signals: Signals,
    listener: Listener,
    workers: Workers,
) -> Result<()> {
    let listener = std::sync::Arc::new(listener);
    let workers = std::sync::Arc::new(workers);
    let stop = tokio_util::sync::CancellationToken::new();
    #[expect(clippy::disallowed_methods, reason = "clients are let in while a new process comes to be")]
    let accepting = tokio::spawn({
        let (listener, workers) = (std::sync::Arc::clone(&listener), std::sync::Arc::clone(&workers));
        let stop = stop.clone();
        async move { listener.run(&workers, stop).await }
    });
    let end = serve(process, &mut signals, &listener).await;
    stop.cancel();
    accepting.await.context("the listener has failed")?;
    // Closed before anyone is told to go.
    drop(listener);
    let workers = std::sync::Arc::into_inner(workers).context("somebody still lets clients in")?;
    let mut done = tokio::task::spawn_blocking(move || workers.join());
    if matches!(end, End::Replaced) {
        let patience = seconds(&process.shared, Property::FrontendUpgradeTimeout);
        tokio::select! {
            done = &mut done => return done.context("the workers did not end"),
            () = tokio::time::sleep(patience) => {}
            () = told_to_end(&mut signals.terminate, &mut signals.interrupt) => {}
        }
    } else {
        process.manager.stopping("draining");
    }
    drain(&process.shared, done, &mut signals).await
}

/// Serves until it is not to any more.
async fn serve(process: &Process, signals: &mut Signals, listener: &Listener) -> End {
    loop {
        tokio::select! {
            () = told_to_end(&mut signals.terminate, &mut signals.interrupt) => return End::Told,
            _ = signals.hangup.recv() => process.reload().await,
            _ = signals.upgrade.recv() => {
                tracing::info!("starting the process that is to take this one's place");
                let replaced = tokio::select! {
                    replaced = process.upgrade(listener) => replaced,
                    () = told_to_end(&mut signals.terminate, &mut signals.interrupt) => return End::Told,
                };
                match replaced {
                    Ok(by) => {
                        tracing::info!(by, sessions = process.shared.registry.len(), "replaced");
                        return End::Replaced;
                    }
                    Err(error) => tracing::error!("not replaced, this process goes on: {error:#}"),
                }
            }
        }
    }
}

/// Ends all sessions in order; returns when they have ended, or after a time that is bounded.
async fn drain(shared: &Shared, mut done: JoinHandle<()>, signals: &mut Signals) -> Result<()> {
    let patience = seconds(shared, Property::FrontendDrainTimeout);
    tracing::info!(sessions = shared.registry.len(), ?patience, "draining");
    shared.drain.cancel();
    tokio::select! {
        done = &mut done => return done.context("the workers did not end"),
        () = tokio::time::sleep(patience) => {}
        () = told_to_end(&mut signals.terminate, &mut signals.interrupt) => {}
    }
    tracing::warn!(sessions = shared.registry.len(), "ending what still runs");
    shared.registry.end_all();
    tokio::select! {
        done = &mut done => return done.context("the workers did not end"),
        () = tokio::time::sleep(LAST_WORDS) => {}
        () = told_to_end(&mut signals.terminate, &mut signals.interrupt) => {
            bail!("told to end at once: {} sessions were cut off", shared.registry.len())
        }
    }
    tracing::warn!(sessions = shared.registry.len(), "sessions were cut off");
    Ok(())
}

fn seconds(shared: &Shared, property: Property) -> Duration {
    let seconds = shared.published.load().properties.integer(property);
    Duration::from_secs(u64::try_from(seconds).unwrap_or(0))
}
