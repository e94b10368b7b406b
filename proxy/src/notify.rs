//! Tells the service manager how the process is: datagrams to the socket `$NOTIFY_SOCKET` (sd_notify(3)).
//!
//! Nobody listens there unless the process runs as a unit with `Type=notify`; then nothing is sent. What cannot be sent
//! is logged and does no harm.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::net::{SocketAddr, UnixDatagram};

/// The way to the service manager, if there is one.
#[derive(Debug, Default)]
pub(crate) struct Manager {
    address: Option<OsString>,
}

impl Manager {
    /// The one that has started this process.
    pub(crate) fn of_environment() -> Self {
        Self { address: std::env::var_os("NOTIFY_SOCKET") }
    }

    /// It serves; `status` is a line for people.
    pub(crate) fn ready(&self, status: &str) {
        self.tell(&format!("READY=1\nMAINPID={}\nSTATUS={status}", std::process::id()));
    }

    /// It reads its configuration anew, until [`ready`](Self::ready).
    pub(crate) fn reloading(&self) {
        let now = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
        let microseconds = now.tv_sec * 1_000_000 + now.tv_nsec / 1000;
        self.tell(&format!(
            "RELOADING=1\nMONOTONIC_USEC={microseconds}\nSTATUS=reading the configuration anew"
        ));
    }

    /// It ends.
    pub(crate) fn stopping(&self, status: &str) {
        self.tell(&format!("STOPPING=1\nSTATUS={status}"));
    }

    /// Another process goes on in its place.
    pub(crate) fn replaced(&self, by: u32) {
        self.tell(&format!("MAINPID={by}"));
    }

    fn tell(&self, words: &str) {
        let Some(address) = &self.address else { return };
        if let Err(error) = send(address, words.as_bytes()) {
            tracing::warn!(%error, address = %address.display(), "the service manager cannot be told");
        }
    }
}

/// Names that begin with `@` are of the abstract kind.
fn send(address: &OsStr, words: &[u8]) -> io::Result<()> {
    let address = match address.as_bytes() {
        [b'@', name @ ..] => SocketAddr::from_abstract_name(name)?,
        _ => SocketAddr::from_pathname(address)?,
    };
    UnixDatagram::unbound()?.send_to_addr(words, &address).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn received(socket: &UnixDatagram) -> String {
        let mut buffer = [0; 512];
        let read = socket.recv(&mut buffer).unwrap();
        String::from_utf8_lossy(&buffer[..read]).into_owned()
    }

    #[test]
    fn tells_a_socket_of_either_kind() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("notify");
        let name = format!("weir-notify-{}", std::process::id());
        let sockets = [
            (path.clone().into_os_string(), UnixDatagram::bind(&path).unwrap()),
            (
                format!("@{name}").into(),
                UnixDatagram::bind_addr(&SocketAddr::from_abstract_name(name).unwrap()).unwrap(),
            ),
        ];
        for (address, socket) in sockets {
            let manager = Manager { address: Some(address) };
            manager.ready("serving");
            assert_eq!(received(&socket), format!("READY=1\nMAINPID={}\nSTATUS=serving", std::process::id()));
            manager.stopping("draining");
            assert_eq!(received(&socket), "STOPPING=1\nSTATUS=draining");
        }
    }

    #[test]
    fn says_nothing_where_nobody_listens() {
        Manager::default().ready("serving");
        Manager { address: Some("/nowhere/at/all".into()) }.ready("serving");
    }
}
