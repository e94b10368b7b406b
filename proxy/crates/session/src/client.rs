//! The client's side of a session: its socket, what came in and was not yet read, what waits to go out.

use std::cell::RefCell;
use std::future::poll_fn;
use std::io;
use std::pin::{Pin, pin};
use std::rc::Rc;
use std::task::Poll;

use bytes::{Buf as _, BytesMut};
use exec::{Dialect, Downstream, Watch};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use wire::caps::Capabilities;
use wire::compress::{Codec, Method};
use wire::frame::{Assembler, Message};
use wire::proxy_protocol::{self, Header};

use crate::carrier::{Carrier, Compressed};
use crate::error::Problem;
use crate::line::{Line, Sentry};
use crate::pacing::Pacing;
use crate::recode::Recoder;
use crate::registry::Entry;

/// Ordinary commands fit; larger ones make the buffer grow to their size.
const INPUT: usize = 4 * 1024;
/// Room for pieces of a file that a server has asked for.
const FILE: usize = 32 * 1024;
/// Buffers that grew beyond this are given back by a client that is idle.
const SMALL: usize = 8 * 1024;
/// Buffers that grew beyond this are given back at once.
const KEEP: usize = 64 * 1024;

/// No login is longer, with all attributes that clients send.
const LOGIN_MAX: usize = 128 * 1024;

/// The connection to a client.
pub(crate) struct Client {
    stream: Stream,
    input: BytesMut,
    output: BytesMut,
    assembler: Assembler,
    /// What both sides agreed on at login.
    pub(crate) capabilities: Capabilities,
    /// Number of the next frame sent in answer to the current command.
    pub(crate) sequence: u8,
    /// Bytes sent so far.
    sent: u64,
    /// What the session is told meanwhile; nobody's before the login.
    pub(crate) entry: Option<Rc<Entry>>,
    /// Where in `output` the answer to the current statement begins, and the number of its first frame, unless some of
    /// it has been sent.
    mark: Option<(usize, u8)>,
    /// Further statements of the same text follow.
    pub(crate) more: bool,
    /// The answer that is being written comes with rows in the binary form and is to have text.
    recoder: Option<Box<Recoder>>,
}

#[derive(Debug)]
enum Stream {
    Bare(Carrier),
    Compressed(Box<Compressed>),
}

impl Client {
    /// A connection over which somebody may log in.
    pub(crate) fn new(socket: TcpStream) -> Self {
        Self {
            stream: Stream::Bare(Carrier::Plain(Line::new(socket))),
            input: BytesMut::new(),
            output: BytesMut::new(),
            assembler: Assembler::new(LOGIN_MAX),
            capabilities: Capabilities::empty(),
            sequence: 0,
            sent: 0,
            entry: None,
            mark: None,
            more: false,
            recoder: None,
        }
    }

    /// Somebody has logged in: `entry` is told what happens here, and commands may be this long.
    pub(crate) fn admit(&mut self, entry: &Rc<Entry>, max_packet: usize) {
        self.entry = Some(Rc::clone(entry));
        self.assembler.set_limit(max_packet);
    }

    /// Whether the connection is encrypted.
    pub(crate) fn secure(&self) -> bool {
        matches!(self.carrier(), Carrier::Tls(_))
    }

    /// Begins TLS on a plain connection; bytes that came in with the request already belong to it.
    pub(crate) async fn secure_with(
        self,
        acceptor: &tokio_rustls::TlsAcceptor,
        pacing: &Pacing,
    ) -> io::Result<Self> {
        let Stream::Bare(Carrier::Plain(socket)) = self.stream else {
            return Err(io::Error::other("TLS was asked for twice"));
        };
        if !self.input.is_empty() {
            // `first` took the request alone: this can't be the client's hello.
            return Err(io::Error::other("data in the clear after the TLS request"));
        }
        let stream = pacing.pace(acceptor.accept(socket)).await?;
        Ok(Self { stream: Stream::Bare(Carrier::Tls(Box::new(stream))), ..self })
    }

    /// From here on both sides send compressed packets.
    pub(crate) fn compressed(mut self, method: Method, codec: Rc<RefCell<Codec>>) -> io::Result<Self> {
        let Stream::Bare(carrier) = self.stream else {
            return Err(io::Error::other("compression was asked for twice"));
        };
        if !self.input.is_empty() {
            return Err(io::Error::other("a command before the login was over"));
        }
        self.assembler.relax();
        let stream = Stream::Compressed(Box::new(Compressed::new(carrier, method, codec)));
        Ok(Self { stream, ..self })
    }

    #[inline]
    fn carrier(&self) -> &Carrier {
        match &self.stream {
            Stream::Bare(carrier) => carrier,
            Stream::Compressed(compressed) => &compressed.carrier,
        }
    }

    /// The next command: its sequence starts at 0.
    ///
    /// May be dropped and called again: what has come stays.
    pub(crate) async fn command(&mut self) -> Result<Option<Message>, Failure> {
        if !self.assembler.is_midway() {
            self.assembler.reset();
        }
        self.next().await
    }

    /// The client's next message of an exchange; nothing when it has hung up instead.
    pub(crate) async fn message(&mut self) -> Result<Option<Message>, Failure> {
        self.assembler.expect(self.sequence);
        self.next().await
    }

    async fn next(&mut self) -> Result<Option<Message>, Failure> {
        loop {
            if let Some(message) = self.assembler.next(&mut self.input)? {
                self.sequence = match &self.stream {
                    Stream::Bare(_) => message.sequence.wrapping_add(1),
                    // As servers do it, which number frames within packets on from those packets.
                    Stream::Compressed(compressed) => compressed.next(),
                };
                self.mark = Some((self.output.len(), self.sequence));
                if message.payload.len() > SMALL {
                    self.grew();
                }
                return Ok(Some(message));
            }
            if self.fill().await? == 0 {
                return if self.input.is_empty() && !self.assembler.is_midway() {
                    Ok(None)
                } else {
                    Err(Failure::Truncated)
                };
            }
        }
    }

    /// Takes the header of the PROXY protocol that a proxy in front sends before anything else; nothing when it has hung
    /// up instead.
    pub(crate) async fn proxy_header(&mut self) -> Result<Option<Header>, Failure> {
        loop {
            if let Some(header) = proxy_protocol::read(&self.input)? {
                self.input.advance(header.len);
                return Ok(Some(header));
            }
            if self.fill().await? == 0 {
                return if self.input.is_empty() { Ok(None) } else { Err(Failure::Truncated) };
            }
        }
    }

    /// The first message, and not a byte more: what follows a request for TLS belongs to TLS.
    pub(crate) async fn first(&mut self) -> Result<Option<Message>, Failure> {
        let Stream::Bare(Carrier::Plain(stream)) = &mut self.stream else { return self.message().await };
        while let Some(missing) =
            self.assembler.wants(&self.input).checked_sub(self.input.len()).filter(|n| *n > 0)
        {
            if let Some(header) = wire::frame::header(&self.input)
                && header.len > LOGIN_MAX
            {
                return Err(Failure::Wire(wire::Error::TooLarge { limit: LOGIN_MAX }));
            }
            if (&mut *stream).take(missing as u64).read_buf(&mut self.input).await? == 0 {
                return if self.input.is_empty() { Ok(None) } else { Err(Failure::Truncated) };
            }
        }
        self.message().await
    }

    /// True when a whole or partial command is waiting already.
    pub(crate) fn has_input(&self) -> bool {
        !self.input.is_empty()
            || matches!(&self.stream, Stream::Compressed(compressed) if compressed.has_input())
    }

    async fn fill(&mut self) -> io::Result<usize> {
        if self.input.capacity() - self.input.len() < 512 {
            let want = INPUT.max(self.input.len().min(KEEP));
            self.input.reserve(want);
        }
        match &mut self.stream {
            // Told apart here, and not in a future of their own, which would take room in every session.
            Stream::Bare(Carrier::Plain(line)) => line.read(&mut self.input).await,
            Stream::Bare(Carrier::Tls(stream)) => stream.read_buf(&mut self.input).await,
            Stream::Compressed(compressed) => Box::pin(compressed.read(&mut self.input)).await,
        }
    }

    /// Appends one message, numbered on from the last one.
    pub(crate) fn put(&mut self, write: impl FnOnce(&mut BytesMut)) {
        wire::frame::put_with(&mut self.output, &mut self.sequence, write);
    }

    /// Sends all that waits; a client that does not take it is waited for as long as its session may live.
    pub(crate) async fn flush(&mut self) -> io::Result<()> {
        if let Some(recoder) = self.recoder.take() {
            return Box::pin(self.flush_recoded(recoder)).await;
        }
        let mut sent = 0;
        self.mark = self.mark.filter(|_| self.output.is_empty());
        while let Some(rest) = self.output.get(sent..).filter(|rest| !rest.is_empty()) {
            let written = match &mut self.stream {
                Stream::Bare(Carrier::Plain(line)) => {
                    unless_killed(self.entry.as_deref(), pin!(line.send(rest))).await?
                }
                Stream::Bare(Carrier::Tls(stream)) => {
                    unless_killed(self.entry.as_deref(), pin!(stream.write(rest))).await?
                }
                Stream::Compressed(compressed) => {
                    unless_killed(self.entry.as_deref(), Box::pin(compressed.send(rest)).as_mut()).await?
                }
            };
            if written == 0 {
                return Err(io::ErrorKind::WriteZero.into());
            }
            sent += written;
        }
        self.sent += sent as u64;
        if let Stream::Bare(Carrier::Tls(stream)) = &mut self.stream {
            unless_killed(self.entry.as_deref(), pin!(stream.flush())).await?;
        }
        if self.output.capacity() > KEEP {
            self.output = BytesMut::new();
        } else {
            self.output.clear();
            if self.output.capacity() > SMALL {
                self.grew();
            }
        }
        Ok(())
    }

    /// Buffers are larger than an idle client's should be.
    #[cold]
    fn grew(&self) {
        if let Some(entry) = &self.entry {
            entry.holds_much();
        }
    }

    /// Gives back what buffers hold room for; nothing is being read or written.
    pub(crate) fn rest(&mut self) {
        self.input = BytesMut::from(&*self.input);
        self.output = BytesMut::from(&*self.output);
    }

    async fn flush_recoded(&mut self, mut recoder: Box<Recoder>) -> io::Result<()> {
        let rest = recoder.recode(&mut self.output).map_err(io::Error::other)?;
        self.flush().await?;
        self.output = rest;
        self.recoder = Some(recoder);
        Ok(())
    }

    /// From here on rows are written in the binary form, and shown as text.
    pub(crate) fn recode_rows(&mut self) {
        self.recoder = Some(Box::new(Recoder::new(self.capabilities, self.output.len(), self.sequence)));
    }

    /// The answer for which [`Self::recode_rows`] was called is over.
    pub(crate) fn end_recoding(&mut self) -> io::Result<()> {
        let Some(mut recoder) = self.recoder.take() else { return Ok(()) };
        recoder.recode(&mut self.output).map_err(io::Error::other)?;
        self.sequence = recoder.sequence();
        Ok(())
    }

    /// Bytes sent to the client so far, before compression; what waits to be sent counts.
    pub(crate) fn sent(&self) -> u64 {
        self.sent + self.output.len() as u64
    }

    /// The error that the answer ends with which waits to be sent, as it was told.
    #[cold]
    pub(crate) fn last_error(&self) -> Option<Problem> {
        let mut rest = self.output.get(self.mark.map_or(0, |(mark, _)| mark)..)?;
        let mut last = None;
        while let Some(header) = wire::frame::header(rest) {
            let (frame, behind) = rest.split_at_checked(wire::frame::HEADER + header.len)?;
            (last, rest) = (frame.get(wire::frame::HEADER..), behind);
        }
        let error = wire::reply::Err::decode(last?).ok()?;
        Some(Problem {
            code: error.code,
            state: String::from_utf8_lossy(&error.state).into_owned().into(),
            message: String::from_utf8_lossy(error.message).into_owned(),
        })
    }

    /// Where the next frame will stand, and its number.
    pub(crate) fn place(&self) -> (usize, u8) {
        (self.output.len(), self.sequence)
    }

    /// Takes back what was written since a place, which must not have been sent.
    pub(crate) fn rewind(&mut self, (place, sequence): (usize, u8)) {
        self.output.truncate(place);
        self.sequence = sequence;
    }

    /// The answer to another statement of the same command follows. Those before are sent once they are so large.
    pub(crate) async fn next_answer(&mut self, full: usize) -> io::Result<()> {
        if self.output.len() >= full {
            self.flush().await?;
        }
        self.mark = Some((self.output.len(), self.sequence));
        Ok(())
    }

    /// Whether nothing of the answer to the current statement has been written yet.
    pub(crate) fn is_unanswered(&self) -> bool {
        self.mark.is_some_and(|(mark, _)| mark == self.output.len())
    }

    /// Ends the answer that is being written with an error instead, unless the client has a part of it already.
    pub(crate) fn cut(&mut self, problem: &Problem) {
        if self.retract() {
            self.put_problem(problem);
        }
    }

    /// Takes the answer back that is being written; false when the client has a part of it already. It gets no more of it
    /// then.
    pub(crate) fn retract(&mut self) -> bool {
        self.recoder = None;
        let Some(mark) = self.mark else {
            self.output.clear();
            return false;
        };
        self.rewind(mark);
        true
    }

    /// What came is not the protocol. The answer is numbered as MySQL does it.
    pub(crate) fn put_broken(&mut self, error: &wire::Error) {
        match error {
            // The header that says so was read.
            wire::Error::TooLarge { .. } => self.sequence = self.assembler.expected().wrapping_add(1),
            wire::Error::OutOfOrder { expected, .. } => self.sequence = *expected,
            _ => {}
        }
        self.put_problem(&Problem::packet(error));
    }

    /// Sends what waits and ends the connection in order.
    pub(crate) async fn close(mut self) {
        let _ = self.flush().await;
        let _ = match &mut self.stream {
            Stream::Bare(carrier) => carrier.end().await,
            Stream::Compressed(compressed) => compressed.carrier.end().await,
        };
    }
}

impl Downstream for Client {
    fn output(&mut self) -> (&mut BytesMut, &mut u8) {
        (&mut self.output, &mut self.sequence)
    }

    async fn flush(&mut self) -> io::Result<()> {
        Self::flush(self).await
    }

    #[inline]
    fn watch(&self) -> impl Watch + use<> {
        Sentry::new(self.carrier().line().clone(), self.entry.as_ref())
    }

    fn sends_files(&self) -> bool {
        self.capabilities.contains(Capabilities::LOCAL_FILES)
    }

    fn numbers_frames(&self) -> bool {
        matches!(self.stream, Stream::Bare(_))
    }

    fn input(&mut self) -> &mut BytesMut {
        &mut self.input
    }

    async fn fill(&mut self) -> io::Result<usize> {
        // A file is read in larger pieces than commands are.
        self.input.reserve(FILE);
        Self::fill(self).await
    }

    fn dialect(&self) -> Dialect {
        Dialect {
            deprecate_eof: self.capabilities.contains(Capabilities::DEPRECATE_EOF),
            session_track: self.capabilities.contains(Capabilities::SESSION_TRACK),
            more: self.more,
        }
    }
}

/// Does what may wait for the client, which a session that was killed does no longer.
#[inline]
fn unless_killed<T>(
    entry: Option<&Entry>,
    mut work: Pin<&mut impl Future<Output = io::Result<T>>>,
) -> impl Future<Output = io::Result<T>> {
    // The session's task is woken wherever it waits.
    poll_fn(move |cx| match work.as_mut().poll(cx) {
        Poll::Pending if entry.is_some_and(Entry::is_killed) => {
            Poll::Ready(Err(io::ErrorKind::ConnectionAborted.into()))
        }
        polled => polled,
    })
}

/// Why nothing more can be read from a client.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// It was told to end.
    #[error("the session was killed")]
    Killed,
    /// The socket failed.
    #[error("the client's connection failed")]
    Io(#[from] io::Error),
    /// A server was lost within a row of which the client has a part: no packet could follow it.
    #[error("the answer broke off within a row")]
    Torn(#[source] backend::Error),
    /// It hung up in the middle of a message.
    #[error("the client hung up in the middle of a message")]
    Truncated,
    /// What it sent is not the protocol.
    #[error(transparent)]
    Wire(#[from] wire::Error),
}
