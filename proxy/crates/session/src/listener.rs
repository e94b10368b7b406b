//! Accepts connections and hands each to the worker with the fewest sessions.

use std::io;
use std::net::SocketAddr;
use std::os::fd::{AsFd, BorrowedFd};
use std::time::Duration;

use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::worker::Workers;

/// A bound, listening socket.
#[derive(Debug)]
pub struct Listener {
    socket: TcpListener,
}

impl AsFd for Listener {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

impl Listener {
    /// Binds `address` and listens on it.
    ///
    /// # Errors
    /// When the address is taken or not ours.
    pub fn bind(address: SocketAddr) -> io::Result<Self> {
        use socket2::{Domain, Protocol, Socket, Type};
        let socket = Socket::new(Domain::for_address(address), Type::STREAM, Some(Protocol::TCP))?;
        socket.set_reuse_address(true)?;
        socket.set_nonblocking(true)?;
        socket.bind(&address.into())?;
        // A storm of clients waits in the kernel rather than being refused.
        socket.listen(4096)?;
        Ok(Self { socket: TcpListener::from_std(socket.into())? })
    }

    /// Goes on with a socket that listens already.
    ///
    /// # Errors
    /// When the runtime does not take it.
    pub fn adopt(socket: std::net::TcpListener) -> io::Result<Self> {
        socket.set_nonblocking(true)?;
        Ok(Self { socket: TcpListener::from_std(socket)? })
    }

    /// The address it listens on.
    ///
    /// # Errors
    /// When the kernel does not say.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.socket.local_addr()
    }

    /// Accepts until `stop` is cancelled.
    pub async fn run(&self, workers: &Workers, stop: CancellationToken) {
        loop {
            let accepted = tokio::select! {
                accepted = self.socket.accept() => accepted,
                () = stop.cancelled() => return,
            };
            match accepted {
                Ok((socket, peer)) => {
                    if let Err(error) = socket.set_nodelay(true).and_then(|()| workers.adopt(socket, peer)) {
                        tracing::debug!(%peer, %error, "client gone before it was served");
                    }
                }
                Err(error) => {
                    // Out of descriptors, most likely: sessions that end give some back.
                    tracing::warn!(%error, "cannot accept a connection");
                    tokio::time::sleep(Duration::from_millis(50)).await;
                }
            }
        }
    }
}
