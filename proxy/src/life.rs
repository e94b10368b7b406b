//! What the process is told by signals, and how it ends.
//!
//! SIGTERM and SIGINT drain: nobody is let in, idle sessions are told 1053 at once, statements and transactions may
//! finish for a time, what runs then is ended on its servers, rolled back, and told 1053, too. A second one makes that
//! time end now.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use meta::Property;
use session::{Shared, Workers};
use tokio::signal::unix::{Signal, SignalKind, signal};

/// What ended sessions may take to end their statements on the servers, and to tell their clients.
const LAST_WORDS: Duration = Duration::from_secs(5);

/// The signals that this process acts on.
#[derive(Debug)]
pub(crate) struct Signals {
    terminate: Signal,
    interrupt: Signal,
}

impl Signals {
    /// From here on they do not end the process by themselves.
    pub(crate) fn catch() -> std::io::Result<Self> {
        Ok(Self { terminate: signal(SignalKind::terminate())?, interrupt: signal(SignalKind::interrupt())? })
    }

    /// SIGTERM or SIGINT.
    pub(crate) async fn end(&mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
        }
    }
}

/// Ends all sessions in order; returns when they have ended, or after a time that is bounded.
pub(crate) async fn drain(shared: &Arc<Shared>, workers: Workers, signals: &mut Signals) -> Result<()> {
    let seconds = shared.published.load().properties.integer(Property::FrontendDrainTimeout);
    let patience = Duration::from_secs(u64::try_from(seconds).unwrap_or(0));
    tracing::info!(sessions = shared.registry.len(), ?patience, "draining");
    shared.drain.cancel();
    let mut done = tokio::task::spawn_blocking(move || workers.join());
    tokio::select! {
        done = &mut done => return done.context("the workers did not end"),
        () = tokio::time::sleep(patience) => {}
        () = signals.end() => {}
    }
    tracing::warn!(sessions = shared.registry.len(), "ending what still runs");
    shared.registry.end_all();
    tokio::select! {
        done = &mut done => return done.context("the workers did not end"),
        () = tokio::time::sleep(LAST_WORDS) => {}
        () = signals.end() => bail!("told to end at once: {} sessions were cut off", shared.registry.len()),
    }
    tracing::warn!(sessions = shared.registry.len(), "sessions were cut off");
    Ok(())
}
