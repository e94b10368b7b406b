//! A client's socket, shared between the session that reads and writes and what watches that the client is still there.

use std::io;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, ready};

use bytes::BytesMut;
use exec::{Absence, Watch};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

use crate::registry::{Entry, Told};

/// A socket that several may hold.
#[derive(Clone, Debug)]
pub(crate) struct Line(Rc<TcpStream>);

/// Watches a client while a statement of it runs.
pub(crate) struct Sentry {
    /// None when it has sent something ahead: then the end of the stream can't be seen.
    line: Option<Line>,
    entry: Option<Rc<Entry>>,
}

impl Line {
    pub(crate) fn new(socket: TcpStream) -> Self {
        Self(Rc::new(socket))
    }

    /// Appends what arrives.
    ///
    /// While nobody watches, by `poll_read`: it knows that a half-filled buffer means an empty socket, which saves the
    /// read that says so.
    #[inline]
    pub(crate) async fn read(&mut self, into: &mut BytesMut) -> io::Result<usize> {
        match Rc::get_mut(&mut self.0) {
            Some(socket) => socket.read_buf(into).await,
            None => self.read_buf(into).await,
        }
    }

    /// Sends some of `from`.
    #[inline]
    pub(crate) async fn send(&self, from: &[u8]) -> io::Result<usize> {
        loop {
            match self.0.try_write(from) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => self.0.writable().await?,
                done => return done,
            }
        }
    }

    /// Nothing more will be sent.
    pub(crate) fn end(&self) -> io::Result<()> {
        socket2::SockRef::from(&*self.0).shutdown(std::net::Shutdown::Write)
    }
}

impl Sentry {
    /// `entry`: what the session is told; nobody's before the login.
    pub(crate) fn new(line: Line, entry: Option<&Rc<Entry>>) -> Self {
        Self { line: Some(line), entry: entry.map(Rc::clone) }
    }
}

impl Watch for Sentry {
    #[inline]
    fn poll_absence(&mut self, cx: &mut Context<'_>) -> Option<Absence> {
        // The session's task is woken wherever it waits.
        match self.entry.as_ref().map_or(Told::Nothing, |entry| entry.hear()) {
            // What is said to a session that waits for a command.
            Told::Nothing | Told::Idle | Told::Expire => {}
            Told::Interrupt => return Some(Absence::Interrupted),
            Told::Kill => return Some(Absence::Killed),
        }
        let mut byte = [0; 1];
        match self.line.as_ref()?.0.poll_peek(cx, &mut ReadBuf::new(&mut byte)) {
            Poll::Pending => None,
            Poll::Ready(Ok(0) | Err(_)) => Some(Absence::Left),
            Poll::Ready(Ok(_)) => {
                self.line = None;
                None
            }
        }
    }
}

impl AsyncRead for Line {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        loop {
            ready!(self.0.poll_read_ready(cx))?;
            match self.0.try_read(buffer.initialize_unfilled()) {
                Ok(read) => {
                    buffer.advance(read);
                    return Poll::Ready(Ok(()));
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) => return Poll::Ready(Err(error)),
            }
        }
    }
}

impl AsyncWrite for Line {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, from: &[u8]) -> Poll<io::Result<usize>> {
        loop {
            ready!(self.0.poll_write_ready(cx))?;
            match self.0.try_write(from) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                done => return Poll::Ready(done),
            }
        }
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(self.end())
    }
}
