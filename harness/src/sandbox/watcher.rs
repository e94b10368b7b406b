//! Ends every program of a sandbox, and removes its folders, however the parent ends.
//!
//! A small shell in its own process group reads what the parent starts from a pipe. When the pipe closes before the
//! parent said that all is done (an exit, a signal, even `kill -9`), it kills what is left and removes the folders.
//! Programs run in process groups of their own, so Ctrl-C in a terminal reaches the parent only.

use std::hash::{BuildHasher as _, RandomState};
use std::io::Write as _;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use parking_lot::Mutex;
use rustix::process::{Pid, Signal};

/// The variable by which a child of a watcher is known.
const MARK: &str = "WEIR_WATCHED_BY";

/// Kills by process group, then whatever else carries the mark in its environment: a program may have been started in
/// the instant before the parent could tell of it.
const SCRIPT: &str = r#"
groups= folders= slices= clean=
while IFS=' ' read -r word rest; do
    case $word in
        start) groups="$groups $rest" ;;
        end) kept=; for g in $groups; do [ "$g" = "$rest" ] || kept="$kept $g"; done; groups=$kept ;;
        folder) folders="$folders
$rest" ;;
        slice) slices="$slices
$rest" ;;
        done) clean=1; break ;;
    esac
done
[ -z "$clean" ] || exit 0
for g in $groups; do kill -9 "-$g" 2>/dev/null; done
IFS='
'
for p in /proc/[0-9]*; do
    grep -qsF -- "$1" "$p/environ" && kill -9 "${p#/proc/}" 2>/dev/null
done
for f in $folders; do
    for try in 1 2 3 4 5; do rm -rf -- "$f" 2>/dev/null && break; sleep 0.1; done
done
for s in $slices; do for try in 1 2 3 4 5; do rmdir -- "$s" 2>/dev/null && break; sleep 0.1; done; done
"#;

/// The parent's end of the pipe to the shell that cleans up.
#[derive(Debug)]
pub struct Watcher {
    shell: Mutex<(Child, ChildStdin)>,
    mark: String,
}

impl Watcher {
    /// Starts the shell.
    pub fn start() -> Result<Arc<Self>> {
        let mark = format!("{}-{:016x}", std::process::id(), RandomState::new().hash_one(SCRIPT));
        let mut shell = Command::new("/bin/sh")
            .args(["-c", SCRIPT, "weir-sandbox-watcher", &format!("{MARK}={mark}")])
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn()
            .context("cannot start the watching shell")?;
        let pipe = shell.stdin.take().context("the watching shell has no input")?;
        Ok(Arc::new(Self { shell: Mutex::new((shell, pipe)), mark }))
    }

    /// Starts a program that ends with this process, whatever happens. It runs in a process group of its own.
    pub fn spawn(self: &Arc<Self>, command: &mut Command) -> Result<Watched> {
        let name = command.get_program().to_string_lossy().into_owned();
        command.env(MARK, &self.mark).process_group(0);
        let child = command.spawn().with_context(|| format!("cannot start {name}"))?;
        self.tell(&format!("start {}", child.id()));
        Ok(Watched { child, ended: None, watcher: Arc::clone(self) })
    }

    /// Removes the folder when the parent ends without having done so.
    pub(super) fn folder(&self, folder: &Path) {
        self.tell(&format!("folder {}", folder.display()));
    }

    /// Removes the control group likewise.
    pub(super) fn slice(&self, folder: &Path) {
        self.tell(&format!("slice {}", folder.display()));
    }

    /// A shell that is gone cannot be helped; the parent's own cleaning still happens.
    fn tell(&self, line: &str) {
        drop(self.shell.lock().1.write_all(format!("{line}\n").as_bytes()));
    }
}

impl Drop for Watcher {
    /// Every program holds its watcher, so all have ended by now.
    fn drop(&mut self) {
        self.tell("done");
        drop(self.shell.get_mut().0.wait());
    }
}

/// A program that ends with its parent.
#[derive(Debug)]
pub struct Watched {
    child: Child,
    ended: Option<ExitStatus>,
    watcher: Arc<Watcher>,
}

impl Watched {
    /// The process id, which is also its group's.
    #[must_use]
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// The child itself, to take its pipes.
    pub fn child(&mut self) -> &mut Child {
        &mut self.child
    }

    /// Whether and how it has ended.
    pub fn try_wait(&mut self) -> Result<Option<ExitStatus>> {
        if self.ended.is_none() {
            self.ended = self.child.try_wait()?;
            if self.ended.is_some() {
                self.watcher.tell(&format!("end {}", self.child.id()));
            }
        }
        Ok(self.ended)
    }

    /// Waits for its end.
    pub fn wait(&mut self) -> Result<ExitStatus> {
        match self.ended {
            Some(status) => Ok(status),
            None => {
                let status = self.child.wait()?;
                self.ended = Some(status);
                self.watcher.tell(&format!("end {}", self.child.id()));
                Ok(status)
            }
        }
    }

    /// Waits for its end, at most `limit`.
    pub fn wait_for(&mut self, limit: Duration) -> Result<Option<ExitStatus>> {
        let deadline = Instant::now() + limit;
        loop {
            match self.try_wait()? {
                None if Instant::now() < deadline => std::thread::sleep(Duration::from_millis(5)),
                status => return Ok(status),
            }
        }
    }

    /// Ends it at once, as `kill -9` does, with all it started.
    pub fn kill(&mut self) -> Result<()> {
        if self.try_wait()?.is_none() {
            self.signal(Signal::KILL, true)?;
            self.wait()?;
        }
        Ok(())
    }

    /// Asks it to end and does not wait.
    pub fn terminate(&self) -> Result<()> {
        if self.ended.is_none() { self.signal(Signal::TERM, false) } else { Ok(()) }
    }

    /// Stops it where it is, as a process that hangs; its sockets stay open.
    pub fn pause(&self) -> Result<()> {
        self.signal(Signal::STOP, true)
    }

    /// Lets it go on after [`pause`](Self::pause).
    pub fn resume(&self) -> Result<()> {
        self.signal(Signal::CONT, true)
    }

    /// Asks it to end; after `patience` it is killed. Returns how it ended.
    pub fn stop(&mut self, patience: Duration) -> Result<ExitStatus> {
        if let Some(status) = self.try_wait()? {
            return Ok(status);
        }
        self.terminate()?;
        if let Some(status) = self.wait_for(patience)? {
            return Ok(status);
        }
        self.kill()?;
        self.wait()
    }

    /// Sends a signal to the program alone, or to all of its group.
    fn signal(&self, signal: Signal, group: bool) -> Result<()> {
        let pid = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw).context("no process id")?;
        let sent = if group {
            rustix::process::kill_process_group(pid, signal)
        } else {
            rustix::process::kill_process(pid, signal)
        };
        match sent {
            Err(rustix::io::Errno::SRCH) => Ok(()),
            sent => Ok(sent?),
        }
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        drop(self.kill());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ends the parent's end of the pipe as its death would, with a child it never told of.
    #[test]
    fn ends_told_and_untold_children_when_the_pipe_closes() {
        let folder = tempfile::tempdir().unwrap().keep();
        let watcher = Watcher::start().unwrap();
        watcher.folder(&folder);
        let mut told = watcher.spawn(Command::new("/bin/sleep").arg("60")).unwrap();
        let mut untold = Command::new("/bin/sleep").arg("60").env(MARK, &watcher.mark).spawn().unwrap();
        let mut stranger = Command::new("/bin/sleep").arg("60").env(MARK, "another").spawn().unwrap();
        let mut elsewhere =
            Command::new("/bin/cat").stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
        let pipe = elsewhere.stdin.take().unwrap();
        let mut shell = watcher.shell.lock();
        drop(std::mem::replace(&mut shell.1, pipe));
        shell.0.wait().unwrap();
        drop(shell);
        assert!(!told.wait().unwrap().success());
        assert!(!untold.wait().unwrap().success());
        assert!(stranger.try_wait().unwrap().is_none());
        assert!(!folder.exists());
        for mut child in [stranger, elsewhere] {
            child.kill().unwrap();
            child.wait().unwrap();
        }
    }
}
