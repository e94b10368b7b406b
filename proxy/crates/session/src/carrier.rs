//! What carries a client's bytes: its socket, or TLS over it, with or without compression.

use std::cell::RefCell;
use std::io;
use std::rc::Rc;

use bytes::{Buf as _, BytesMut};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio_rustls::server::TlsStream;
use wire::compress::{Codec, Method, Packets};

use crate::line::Line;

/// Room for a read of compressed packets.
const READ: usize = 4 * 1024;
/// Where packets are larger, as much room is made as they have taken so far, up to this.
const READ_MAX: usize = 64 * 1024;

/// In the clear or encrypted.
#[derive(Debug)]
pub(crate) enum Carrier {
    Plain(Line),
    Tls(Box<TlsStream<Line>>),
}

impl Carrier {
    /// Appends what arrives; 0 at the end. May be dropped and called again.
    #[inline]
    pub(crate) async fn read(&mut self, into: &mut BytesMut) -> io::Result<usize> {
        match self {
            Self::Plain(line) => line.read(into).await,
            Self::Tls(stream) => stream.read_buf(into).await,
        }
    }

    /// Sends some of `from`.
    #[inline]
    pub(crate) async fn send(&mut self, from: &[u8]) -> io::Result<usize> {
        match self {
            Self::Plain(line) => line.send(from).await,
            Self::Tls(stream) => stream.write(from).await,
        }
    }

    /// The socket.
    #[inline]
    pub(crate) fn line(&self) -> &Line {
        match self {
            Self::Plain(line) => line,
            Self::Tls(stream) => stream.get_ref().0,
        }
    }

    /// Nothing more will be sent.
    pub(crate) async fn end(&mut self) -> io::Result<()> {
        match self {
            Self::Plain(line) => line.end(),
            Self::Tls(stream) => stream.shutdown().await,
        }
    }
}

/// A carrier of compressed packets.
#[derive(Debug)]
pub(crate) struct Compressed {
    pub(crate) carrier: Carrier,
    packets: Packets,
    /// Shared with all sessions of the worker.
    codec: Rc<RefCell<Codec>>,
    /// Received, not yet decompressed.
    input: BytesMut,
    /// Not yet compressed.
    held: BytesMut,
    /// Compressed, not yet sent.
    output: BytesMut,
}

impl Compressed {
    pub(crate) fn new(carrier: Carrier, method: Method, codec: Rc<RefCell<Codec>>) -> Self {
        let packets = Packets::new(method);
        let (input, held, output) = (BytesMut::new(), BytesMut::new(), BytesMut::new());
        Self { carrier, packets, codec, input, held, output }
    }

    /// The number of the packet that comes or goes next.
    pub(crate) const fn next(&self) -> u8 {
        self.packets.next()
    }

    /// Whether something has come that has not been given out.
    pub(crate) fn has_input(&self) -> bool {
        !self.input.is_empty()
    }

    /// Appends what is in the packets that arrive, one packet at a time; 0 at the end. May be dropped and called again.
    pub(crate) async fn read(&mut self, into: &mut BytesMut) -> io::Result<usize> {
        let before = into.len();
        loop {
            let unpacked = self.packets.unpack(&mut self.codec.borrow_mut(), &mut self.input, into);
            match unpacked.map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))? {
                true if into.len() > before => return Ok(into.len() - before),
                // A packet with nothing in it.
                true => continue,
                false => {}
            }
            self.input.reserve(self.input.len().clamp(READ, READ_MAX));
            if self.carrier.read(&mut self.input).await? == 0 {
                return if self.input.is_empty() { Ok(0) } else { Err(io::ErrorKind::UnexpectedEof.into()) };
            }
        }
    }

    /// Sends `from`, all but a frame at its end whose rest is still to come; gives its length.
    pub(crate) async fn send(&mut self, from: &[u8]) -> io::Result<usize> {
        self.held.extend_from_slice(from);
        loop {
            while !self.output.is_empty() {
                match self.carrier.send(&self.output).await? {
                    0 => return Err(io::ErrorKind::WriteZero.into()),
                    sent => self.output.advance(sent),
                }
            }
            match self.packets.pack(&mut self.codec.borrow_mut(), &self.held, &mut self.output) {
                0 => break,
                packed => self.held.advance(packed),
            }
        }
        // An idle session needs none.
        self.output = BytesMut::new();
        if self.held.is_empty() {
            self.held = BytesMut::new();
        }
        if let Carrier::Tls(stream) = &mut self.carrier {
            stream.flush().await?;
        }
        Ok(from.len())
    }
}
