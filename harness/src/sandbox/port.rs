//! Loopback ports that stay ours while a server is down.
//!
//! Ports come from below the kernel's range for outgoing connections, so that no client takes the port of a server
//! between its death and its restart. A locked file per port keeps other sandboxes of this build away; a probe keeps
//! foreign programs' ports out. What slips through is a failed bind, and the caller tries the next.

use std::fs::{self, File};
use std::hash::{BuildHasher as _, RandomState};
use std::net::{Ipv4Addr, TcpListener};
use std::path::Path;

use anyhow::{Context as _, Result, bail};

const FIRST: u16 = 11_000;

/// A port that is held until dropped.
#[derive(Debug)]
pub(super) struct Port {
    number: u16,
    _held: File,
}

impl Port {
    /// Takes a free port; `folder` holds the locks.
    pub(super) fn take(folder: &Path) -> Result<Self> {
        fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
        let room = ephemeral().saturating_sub(FIRST).max(1000);
        for attempt in 0..500_u32 {
            let offset = RandomState::new().hash_one(attempt) % u64::from(room);
            let number = FIRST + u16::try_from(offset).unwrap_or_default();
            let lock = File::options().create(true).append(true).open(folder.join(number.to_string()))?;
            if lock.try_lock().is_ok() && TcpListener::bind((Ipv4Addr::LOCALHOST, number)).is_ok() {
                return Ok(Self { number, _held: lock });
            }
        }
        bail!("no free port on the loopback address from {FIRST} on")
    }

    /// The number.
    #[must_use]
    pub(super) fn number(&self) -> u16 {
        self.number
    }
}

/// The first port that the kernel gives to outgoing connections.
fn ephemeral() -> u16 {
    let range = fs::read_to_string("/proc/sys/net/ipv4/ip_local_port_range").unwrap_or_default();
    range.split_whitespace().next().and_then(|first| first.parse().ok()).unwrap_or(32_768)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_takers_never_get_the_same_port() {
        let folder = tempfile::tempdir().unwrap();
        let mut ports: Vec<_> = (0..50).map(|_| Port::take(folder.path()).unwrap()).collect();
        ports.sort_by_key(Port::number);
        ports.dedup_by_key(|port| port.number());
        assert_eq!(ports.len(), 50);
    }
}
