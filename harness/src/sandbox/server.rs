//! One MySQL or MariaDB server with its own data folder, socket and port.

use std::fs::{self, File};
use std::io::Read as _;
use std::net::{Ipv4Addr, SocketAddr};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail, ensure};
use parking_lot::Mutex;

use super::port::Port;
use super::slice::Slice;
use super::template::{self, flag, tail};
use super::watcher::{Watched, Watcher};
use crate::provision::{Distribution, Flavour};

/// The longest a server may take to be ready on a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// The options that every server of a sandbox runs with, the same for every arm of a comparison; for reports.
#[must_use]
pub fn settings(flavour: Flavour) -> Vec<&'static str> {
    let mut settings = vec![
        "--bind-address=127.0.0.1",
        "--skip-name-resolve",
        "--skip-log-bin",
        "--performance-schema=OFF",
        "--innodb-buffer-pool-size=128M",
        "--innodb-flush-log-at-trx-commit=2",
        "--max-connections=2000",
        "--max-prepared-stmt-count=1000000",
        "--max-allowed-packet=1G",
        "--secure-file-priv=NULL",
    ];
    match flavour {
        Flavour::MySql => settings.push("--mysqlx=OFF"),
        // MariaDB takes NULL for the name of a folder.
        Flavour::MariaDb => settings.retain(|setting| !setting.starts_with("--secure-file-priv")),
    }
    settings
}

/// What a server is started with.
#[derive(Debug)]
pub(super) struct Plan<'a> {
    pub(super) number: usize,
    pub(super) distribution: &'a Distribution,
    pub(super) template: &'a Path,
    pub(super) folder: PathBuf,
    pub(super) sockets: &'a Path,
    pub(super) ports: &'a Path,
    pub(super) options: Vec<String>,
    pub(super) slice: Option<Slice>,
}

/// A server of the sandbox. Killed when dropped.
#[derive(Debug)]
pub struct Server {
    /// First, so that it is dropped before its slice and its port.
    running: Mutex<Option<Watched>>,
    number: usize,
    distribution: Distribution,
    folder: PathBuf,
    socket: PathBuf,
    port: Port,
    options: Vec<String>,
    slice: Option<Slice>,
    watcher: Arc<Watcher>,
}

impl Server {
    /// Copies the template and starts on a free port; a port that was taken in the meantime is changed for another.
    pub(super) fn start(plan: Plan<'_>, watcher: &Arc<Watcher>) -> Result<Self> {
        fs::create_dir_all(plan.folder.join("tmp")).context("cannot create the server's folder")?;
        template::copy(plan.template, &plan.folder.join("data"))?;
        let mut server = Self {
            number: plan.number,
            distribution: plan.distribution.clone(),
            socket: plan.sockets.join(format!("mysql-{}.sock", plan.number)),
            folder: plan.folder,
            port: Port::take(plan.ports)?,
            options: plan.options,
            slice: plan.slice,
            watcher: Arc::clone(watcher),
            running: Mutex::new(None),
        };
        for _ in 0..5 {
            match server.launch() {
                Err(_) if server.log_says("Address already in use") => server.port = Port::take(plan.ports)?,
                outcome => return outcome.map(|()| server),
            }
        }
        bail!("server {}: no port stayed free long enough to be bound", server.number)
    }

    fn launch(&self) -> Result<()> {
        let mut running = self.running.lock();
        ensure!(
            running.as_mut().is_none_or(|server| !matches!(server.try_wait(), Ok(None))),
            "{self:?} runs already"
        );
        let log = self.log();
        let mut command = self.distribution.command();
        command
            .arg(flag("--datadir=", &self.folder.join("data")))
            .arg(flag("--tmpdir=", &self.folder.join("tmp")))
            .arg(flag("--pid-file=", &self.folder.join("mysqld.pid")))
            .arg(flag("--socket=", &self.socket))
            .arg(format!("--port={}", self.port.number()))
            .args(settings(self.distribution.flavour()))
            .args(&self.options)
            .current_dir(&self.folder)
            .stdin(Stdio::null())
            .stdout(File::create(self.folder.join("stdout.log"))?)
            .stderr(File::create(&log)?);
        let mut server = self.watcher.spawn(&mut command)?;
        if let Some(slice) = &self.slice {
            slice.take(server.pid())?;
        }
        await_greeting(&mut server, &self.socket, &log, PATIENCE)
            .with_context(|| format!("server {} ({}) did not start", self.number, self.distribution))?;
        *running = Some(server);
        Ok(())
    }

    /// Ends the server at once, as a crash would (`kill -9`); its data folder stays for [`Server::restart`].
    pub fn kill(&self) -> Result<()> {
        self.running.lock().take().map_or(Ok(()), |mut server| server.kill())
    }

    /// Stops the server where it is: it is there, takes connections and answers nothing.
    pub fn pause(&self) -> Result<()> {
        self.running.lock().as_ref().context("the server does not run")?.pause()
    }

    /// Lets the server go on after [`pause`](Self::pause).
    pub fn resume(&self) -> Result<()> {
        self.running.lock().as_ref().context("the server does not run")?.resume()
    }

    /// Asks the server to shut down and waits for it.
    pub fn stop(&self) -> Result<()> {
        let Some(mut server) = self.running.lock().take() else { return Ok(()) };
        server.stop(Duration::from_secs(60))?;
        Ok(())
    }

    /// Starts the server again on the same port and data, having stopped it if it runs. Returns when it is ready.
    pub fn restart(&self) -> Result<()> {
        self.stop()?;
        self.launch()
    }

    /// Which server of the sandbox this is, from 0.
    #[must_use]
    pub fn number(&self) -> usize {
        self.number
    }

    /// The port on 127.0.0.1.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port.number()
    }

    /// Host and port.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        (Ipv4Addr::LOCALHOST, self.port()).into()
    }

    /// The local socket, where `root` needs no password.
    #[must_use]
    pub fn socket(&self) -> &Path {
        &self.socket
    }

    /// The account that may do everything, over the network too.
    #[must_use]
    pub fn user(&self) -> &'static str {
        template::USER
    }

    /// Its password.
    #[must_use]
    pub fn password(&self) -> &'static str {
        template::PASSWORD
    }

    /// An empty database.
    #[must_use]
    pub fn database(&self) -> &'static str {
        template::DATABASE
    }

    /// Account, address and database in one, as the client library takes it.
    #[must_use]
    pub fn url(&self) -> String {
        format!("mysql://{}:{}@{}/{}", self.user(), self.password(), self.address(), self.database())
    }

    /// Kind and version.
    #[must_use]
    pub fn distribution(&self) -> &Distribution {
        &self.distribution
    }

    /// The process id while it runs.
    #[must_use]
    pub fn pid(&self) -> Option<u32> {
        let mut running = self.running.lock();
        let server = running.as_mut()?;
        matches!(server.try_wait(), Ok(None)).then(|| server.pid())
    }

    /// The server's folder: data, temporary files, logs.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The file of the server's own messages.
    #[must_use]
    pub fn log(&self) -> PathBuf {
        self.folder.join("error.log")
    }

    fn log_says(&self, words: &str) -> bool {
        fs::read(self.log()).is_ok_and(|log| String::from_utf8_lossy(&log).contains(words))
    }
}

/// Waits until the server greets on its socket. The socket's file is ours alone, so no other server can answer.
pub(super) fn await_greeting(
    server: &mut Watched,
    socket: &Path,
    log: &Path,
    patience: Duration,
) -> Result<()> {
    let deadline = Instant::now() + patience;
    loop {
        if let Some(status) = server.try_wait()? {
            bail!("it ended with {status}; its log closes with:\n{}", tail(log));
        }
        if greets(socket) {
            return Ok(());
        }
        if Instant::now() > deadline {
            bail!("it was not ready within {patience:?}; its log closes with:\n{}", tail(log));
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Whether a server of protocol version 10 answers.
fn greets(socket: &Path) -> bool {
    let Ok(mut stream) = UnixStream::connect(socket) else { return false };
    let mut head = [0; 5];
    let read =
        stream.set_read_timeout(Some(Duration::from_secs(2))).and_then(|()| stream.read_exact(&mut head));
    read.is_ok() && head[4] == 10
}
