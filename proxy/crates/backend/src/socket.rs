//! The stream to a server: plain TCP, or TLS over it.

use std::io;
use std::mem::MaybeUninit;
use std::time::Duration;

use bytes::{Buf as _, BytesMut};
use socket2::{SockRef, TcpKeepalive};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, Interest};
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

    /// Sends all of `from`; false when something arrived before that, and was appended to `into`.
    ///
    /// A peer that has an error to tell may not read any more: who only writes then would wait for ever.
    pub(crate) async fn write_unless_read(&mut self, from: &[u8], into: &mut BytesMut) -> io::Result<bool> {
        match self {
            Self::Plain(tcp) => write_unless_read(tcp, from, into).await,
            Self::Tls(tls) => tls.write_unless_read(from, into).await,
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

async fn write_unless_read(tcp: &TcpStream, mut from: &[u8], into: &mut BytesMut) -> io::Result<bool> {
    loop {
        match tcp.try_read_buf(into) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(_) => return Ok(false),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Err(error) => return Err(error),
        }
        match tcp.try_write(from) {
            Ok(written) => from.advance(written),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                tcp.ready(Interest::READABLE | Interest::WRITABLE).await?;
            }
            Err(error) => return Err(error),
        }
        if from.is_empty() {
            return Ok(true);
        }
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
