//! Another process takes this one's place, with the same listening socket, so that no client is refused.
//!
//! The old process starts its program anew, as it was started itself and with `--take-over`, and gives it the socket
//! over a pair of Unix sockets, one of which is the new one's standard input. Both accept from the moment the new one
//! says that it is ready until the old one, told so, stops. What waits in the socket's queue belongs to both, so
//! that nothing is lost.

use std::ffi::OsString;
use std::io::{IoSlice, IoSliceMut, Read as _, Write as _};
use std::mem::MaybeUninit;
use std::net::TcpListener;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::{Child, Command};
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage,
    SendFlags, recvmsg, sendmsg,
};
use tokio::io::AsyncReadExt as _;

/// The option that makes a process take over from the one that started it.
pub(crate) const TAKE_OVER: &str = "--take-over";

/// A new process that is not ready by then is given up.
const PATIENCE: Duration = Duration::from_secs(60);

/// What the new process says when it serves.
const READY: [u8; 1] = *b"r";

/// How the process was started: to be read before the program's file is replaced.
#[derive(Debug)]
pub(crate) struct Start {
    program: PathBuf,
    arguments: Vec<OsString>,
}

/// A new process on its way. Ended when dropped, unless it is ready.
#[derive(Debug)]
pub(crate) struct Successor {
    child: Child,
    control: tokio::net::UnixStream,
    ready: bool,
}

/// The process whose place this one takes.
#[derive(Debug)]
pub(crate) struct Predecessor {
    control: UnixStream,
}

/// What is handed over.
#[derive(Debug)]
pub(crate) struct Inheritance {
    /// The listening socket.
    pub(crate) socket: TcpListener,
    /// The last connection id that the other process has given.
    pub(crate) last_id: u32,
}

impl Start {
    /// Of this process.
    pub(crate) fn of_this_process() -> Result<Self> {
        let mut words = std::env::args_os();
        let name = PathBuf::from(words.next().unwrap_or_default());
        // A path stays as it is given: what it leads to may be another file by then.
        let program = if name.components().count() > 1 {
            name
        } else {
            std::env::current_exe().context("who am I?")?
        };
        Ok(Self { program, arguments: words.filter(|word| word != TAKE_OVER).collect() })
    }

    /// Starts the program again.
    pub(crate) fn again(&self, listener: BorrowedFd<'_>, last_id: u32) -> Result<Successor> {
        let (ours, theirs) = UnixStream::pair()?;
        let child = Command::new(&self.program)
            .args(&self.arguments)
            .arg(TAKE_OVER)
            .stdin(OwnedFd::from(theirs))
            .spawn()
            .with_context(|| format!("cannot start {}", self.program.display()))?;
        hand_over(&ours, listener, last_id)?;
        ours.set_nonblocking(true)?;
        let control = tokio::net::UnixStream::from_std(ours)?;
        Ok(Successor { child, control, ready: false })
    }
}

impl Successor {
    /// Waits until it serves.
    pub(crate) async fn ready(&mut self) -> Result<()> {
        let mut word = READY;
        match tokio::time::timeout(PATIENCE, self.control.read_exact(&mut word)).await {
            Ok(Ok(_)) => self.ready = true,
            Ok(Err(_)) => bail!("it ended before it was ready: {}", self.child.wait()?),
            Err(_) => bail!("it was not ready within {PATIENCE:?}"),
        }
        Ok(())
    }

    /// Its process id.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for Successor {
    fn drop(&mut self) {
        if !self.ready {
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}

impl Predecessor {
    /// Receives from the process that has started this one.
    pub(crate) fn meet() -> Result<(Self, Inheritance)> {
        let control = UnixStream::from(std::io::stdin().as_fd().try_clone_to_owned()?);
        let inheritance = take_over(&control)
            .with_context(|| format!("{TAKE_OVER} is for a process that weir itself starts (SIGUSR2)"))?;
        Ok((Self { control }, inheritance))
    }

    /// This process serves from now on.
    pub(crate) fn relieve(&mut self) -> Result<()> {
        self.control.write_all(&READY).context("the process before this one has gone")
    }
}

/// The socket that a service manager listens on for us, given as standard input.
pub(crate) fn given_socket() -> Result<Option<TcpListener>> {
    let stdin = std::io::stdin();
    if !socket2::SockRef::from(&stdin).is_listener().unwrap_or(false) {
        return Ok(None);
    }
    Ok(Some(stdin.as_fd().try_clone_to_owned()?.into()))
}

fn hand_over(control: &UnixStream, listener: BorrowedFd<'_>, last_id: u32) -> Result<()> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut rights = SendAncillaryBuffer::new(&mut space);
    let listeners = [listener];
    rights.push(SendAncillaryMessage::ScmRights(&listeners));
    sendmsg(control, &[IoSlice::new(&last_id.to_le_bytes())], &mut rights, SendFlags::NOSIGNAL)
        .context("cannot hand over the socket")?;
    Ok(())
}

fn take_over(mut control: &UnixStream) -> Result<Inheritance> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut rights = RecvAncillaryBuffer::new(&mut space);
    let mut last_id = [0; 4];
    let read =
        recvmsg(control, &mut [IoSliceMut::new(&mut last_id)], &mut rights, RecvFlags::CMSG_CLOEXEC)?.bytes;
    // The rights come with the first byte.
    control.read_exact(&mut last_id[read..])?;
    let sockets = rights.drain().filter_map(|message| match message {
        RecvAncillaryMessage::ScmRights(sockets) => Some(sockets),
        _ => None,
    });
    let socket = sockets.flatten().next().context("no socket came")?;
    Ok(Inheritance { socket: socket.into(), last_id: u32::from_le_bytes(last_id) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_listening_socket_goes_from_one_end_to_the_other() {
        let (ours, theirs) = UnixStream::pair().unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        hand_over(&ours, listener.as_fd(), 4711).unwrap();
        let Inheritance { socket, last_id } = take_over(&theirs).unwrap();
        assert_eq!(last_id, 4711);
        let address = listener.local_addr().unwrap();
        assert_eq!(socket.local_addr().unwrap(), address);
        drop(listener);
        // Nobody is refused: the socket listens as long as one end is open.
        let client = std::net::TcpStream::connect(address).unwrap();
        assert_eq!(socket.accept().unwrap().1, client.local_addr().unwrap());
    }

    #[test]
    fn nothing_is_taken_from_who_hands_over_nothing() {
        let (mut ours, theirs) = UnixStream::pair().unwrap();
        ours.write_all(&[0; 4]).unwrap();
        assert!(take_over(&theirs).is_err());
        let (ours, theirs) = UnixStream::pair().unwrap();
        drop(ours);
        assert!(take_over(&theirs).is_err());
    }
}
