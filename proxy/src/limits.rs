//! How many files the process may have open: each client is one, each server connection another.

use meta::{Properties, Property};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// What the process needs beside its clients: connections to servers, the log, files that are read.
const OTHERS: u64 = 256;

/// Takes as many as the system allows this process, and says so when that is not enough for all clients.
pub(crate) fn open_files(properties: &Properties) {
    let limit = getrlimit(Resource::Nofile);
    if limit.current != limit.maximum
        && let Err(error) = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit })
    {
        tracing::warn!(%error, "cannot raise the limit of open files");
    }
    // None: any number.
    let Some(allowed) = getrlimit(Resource::Nofile).current else { return };
    let clients = u64::try_from(properties.integer(Property::FrontendMaxConnections)).unwrap_or(0);
    if allowed < clients + OTHERS {
        tracing::warn!(
            "{allowed} files may be open, too few for {} = {clients} beside connections to servers: raise LimitNOFILE \
             of the unit or `ulimit -n`",
            Property::FrontendMaxConnections.name()
        );
    } else if clients == 0 {
        tracing::info!("{allowed} files may be open: that many clients and connections to servers together");
    }
}
