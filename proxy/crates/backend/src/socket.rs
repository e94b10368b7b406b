//! The stream to a server: plain TCP, or TLS over it.

use std::io;
use std::mem::MaybeUninit;
use std::time::Duration;

use bytes::BytesMut;
use socket2::{SockRef, TcpKeepalive};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpStream, lookup_host};

use crate::tls::Tls;

/// The kernel asks a silent peer whether it is still there after a minute, then every ten seconds.
const KEEPALIVE: TcpKeepalive =
    TcpKeepalive::new().with_time(Duration::from_secs(60)).with_interval(Duration::from_secs(10));

/// A stream to a server.
#[derive(Debug)]
pub(crate) enum Socket {
    /// In the clear.
    Plain(TcpStream),
    /// Encrypted; boxed, since its state is twenty times the size.
    Tls(Box<Tls>),
}

impl Socket {
    /// Appends what arrives to `into`, at least a byte; 0 at the end of the stream. May be dropped and called again.
    #[inline]
    pub(crate) async fn read(&mut self, into: &mut BytesMut) -> io::Result<usize> {
        match self {
            // Not `try_read`: only `poll_read` knows that a half-filled buffer means an empty socket, which saves the
            // read that says so and lets `is_quiet` answer from memory.
            Self::Plain(tcp) => tcp.read_buf(into).await,
            Self::Tls(tls) => tls.read(into).await,
        }
    }

    /// Sends all of `from`.
    #[inline]
    pub(crate) async fn write(&mut self, from: &[u8]) -> io::Result<()> {
        match self {
            Self::Plain(tcp) => tcp.write_all(from).await,
            Self::Tls(tls) => tls.write(from).await,
        }
    }

    /// Sends what can be sent without waiting; the last words on this stream.
    pub(crate) fn farewell(&mut self, words: &[u8]) {
        // Nobody is left to tell of a failure.
        let _ = match self {
            Self::Plain(tcp) => tcp.try_write(words).map(drop),
            Self::Tls(tls) => tls.try_write(words),
        };
    }

    /// Whether the peer has neither closed nor said anything.
    ///
    /// Costs no system call as long as the runtime saw no event on the stream since it was last read empty.
    #[inline]
    pub(crate) fn is_quiet(&mut self) -> bool {
        match self {
            Self::Plain(tcp) => {
                matches!(tcp.try_read(&mut [0; 1]), Err(error) if error.kind() == io::ErrorKind::WouldBlock)
            }
            Self::Tls(tls) => tls.is_quiet(),
        }
    }

    /// Asks the kernel whether the peer has closed; `is_quiet` only tells what the runtime has heard so far.
    pub(crate) fn is_open(&self) -> bool {
        let tcp = match self {
            Self::Plain(tcp) => tcp,
            Self::Tls(tls) => &tls.tcp,
        };
        match SockRef::from(tcp).peek(&mut [MaybeUninit::uninit()]) {
            Ok(read) => read > 0,
            Err(error) => error.kind() == io::ErrorKind::WouldBlock,
        }
    }

    /// Registers the stream with the runtime of the caller, another worker than the one that opened it.
    pub(crate) fn rehome(self) -> io::Result<Self> {
        Ok(match self {
            Self::Plain(tcp) => Self::Plain(TcpStream::from_std(tcp.into_std()?)?),
            Self::Tls(tls) => Self::Tls(Box::new(tls.rehome()?)),
        })
    }
}

/// Connects to the first address of the host that answers.
pub(crate) async fn connect(host: &str, port: u16) -> io::Result<TcpStream> {
    let bare = host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(host);
    let mut failure = io::Error::new(io::ErrorKind::NotFound, "the host name has no address");
    for address in lookup_host((bare, port)).await? {
        match TcpStream::connect(address).await {
            Ok(tcp) => {
                tcp.set_nodelay(true)?;
                SockRef::from(&tcp).set_tcp_keepalive(&KEEPALIVE)?;
                return Ok(tcp);
            }
            Err(error) => failure = error,
        }
    }
    Err(failure)
}
