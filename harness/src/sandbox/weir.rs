//! The proxy itself as a process of the sandbox.

use std::fs::{self, File};
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use anyhow::{Context as _, Result, bail, ensure};
use parking_lot::Mutex;

use super::Sandbox;
use super::port::Port;
use super::slice::Slice;
use super::template::tail;
use super::watcher::{Watched, Watcher};
use crate::provision::place;

/// How to start a proxy.
#[derive(Debug)]
pub struct WeirBuilder<'a> {
    sandbox: &'a Sandbox,
    binary: Option<PathBuf>,
    conf: PathBuf,
    data: Option<PathBuf>,
    certificate: Option<PathBuf>,
    arguments: Vec<String>,
    share: Option<f64>,
}

impl WeirBuilder<'_> {
    /// The program to run; by default this build's own, see [`binary`].
    #[must_use]
    pub fn binary(mut self, file: impl Into<PathBuf>) -> Self {
        self.binary = Some(file.into());
        self
    }

    /// The folder of its configuration; by default the workspace's `conf`.
    #[must_use]
    pub fn conf(mut self, folder: impl Into<PathBuf>) -> Self {
        self.conf = folder.into();
        self
    }

    /// The folder of its metadata; by default one of its own in the sandbox.
    #[must_use]
    pub fn data(mut self, folder: impl Into<PathBuf>) -> Self {
        self.data = Some(folder.into());
        self
    }

    /// The folder of the certificate and key it shows (`server-cert.pem`, `server-key.pem`); by default it makes its own.
    #[must_use]
    pub fn certificate(mut self, folder: impl Into<PathBuf>) -> Self {
        self.certificate = Some(folder.into());
        self
    }

    /// One more argument on its command line.
    #[must_use]
    pub fn argument(mut self, argument: impl Into<String>) -> Self {
        self.arguments.push(argument.into());
        self
    }

    /// A share of the processors, where control groups can be made.
    #[must_use]
    pub fn cpu_share(mut self, share: f64) -> Self {
        self.share = Some(share);
        self
    }

    /// Builds the binary if its sources are newer, starts it on a free port and waits until it says it is ready.
    pub fn start(self) -> Result<WeirProcess> {
        let folder = self.sandbox.subfolder("weir")?;
        let data = self.data.unwrap_or_else(|| folder.join("data"));
        fs::create_dir_all(&data).context("cannot create the proxy's data folder")?;
        for name in ["server-cert.pem", "server-key.pem"] {
            // The proxy takes what lies in its data folder for its own.
            if let Some(folder) = &self.certificate {
                fs::copy(folder.join(name), data.join(name))
                    .with_context(|| format!("cannot copy {name}"))?;
            }
        }
        let slice = self.share.and_then(|share| self.sandbox.slice(share));
        let mut weir = WeirProcess {
            binary: self.binary.map_or_else(binary, Ok)?,
            conf: self.conf,
            data,
            folder,
            arguments: self.arguments,
            port: Port::take(&self.sandbox.ports())?,
            slice,
            watcher: Arc::clone(self.sandbox.watcher()),
            running: Mutex::new(None),
        };
        for _ in 0..5 {
            match weir.launch() {
                Err(_) if tail(&weir.log()).contains("ddress already in use") => {
                    weir.port = Port::take(&self.sandbox.ports())?;
                }
                outcome => return outcome.map(|()| weir),
            }
        }
        bail!("the proxy found no port that stayed free long enough to be bound")
    }
}

/// A running proxy. Killed when dropped.
#[derive(Debug)]
pub struct WeirProcess {
    /// First, so that it is dropped before its slice and its port.
    running: Mutex<Option<Watched>>,
    binary: PathBuf,
    conf: PathBuf,
    data: PathBuf,
    folder: PathBuf,
    arguments: Vec<String>,
    port: Port,
    slice: Option<Slice>,
    watcher: Arc<Watcher>,
}

impl WeirProcess {
    /// Begins with the defaults.
    #[must_use]
    pub fn builder(sandbox: &Sandbox) -> WeirBuilder<'_> {
        let conf = place::workspace().join("conf");
        WeirBuilder {
            sandbox,
            binary: None,
            conf,
            data: None,
            certificate: None,
            arguments: Vec::new(),
            share: None,
        }
    }

    fn launch(&self) -> Result<()> {
        let mut running = self.running.lock();
        ensure!(
            running.as_mut().is_none_or(|weir| !matches!(weir.try_wait(), Ok(None))),
            "the proxy runs already"
        );
        let words = self.folder.join("stdout.log");
        let mut command = Command::new(&self.binary);
        command
            .arg("serve")
            .arg("--conf")
            .arg(&self.conf)
            .arg("--data")
            .arg(&self.data)
            .arg("--logs")
            .arg(self.logs())
            .args(["--port", &self.port.number().to_string()])
            .args(&self.arguments)
            .current_dir(&self.folder)
            .stdin(Stdio::null())
            .stdout(File::create(&words)?)
            .stderr(File::create(self.log())?);
        let mut weir = self.watcher.spawn(&mut command)?;
        if let Some(slice) = &self.slice {
            slice.take(weir.pid())?;
        }
        let deadline = Instant::now() + Duration::from_secs(60);
        while !fs::read(&words).is_ok_and(|said| said.contains(&b'\n')) {
            if let Some(status) = weir.try_wait()? {
                bail!("the proxy ended with {status}; it said:\n{}{}", tail(&words), tail(&self.log()));
            }
            if Instant::now() > deadline {
                bail!(
                    "the proxy was not ready within a minute; it said:\n{}{}",
                    tail(&words),
                    tail(&self.log())
                );
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        *running = Some(weir);
        Ok(())
    }

    /// Asks it to drain and end (SIGTERM), waits for it and tells how it ended.
    pub fn stop(&self) -> Result<ExitStatus> {
        let mut running = self.running.lock();
        let weir = running.as_mut().context("the proxy does not run")?;
        let status = weir.stop(Duration::from_secs(60))?;
        *running = None;
        Ok(status)
    }

    /// Sends SIGTERM and does not wait.
    pub fn terminate(&self) -> Result<()> {
        self.running.lock().as_ref().context("the proxy does not run")?.terminate()
    }

    /// Ends it at once (`kill -9`).
    pub fn kill(&self) -> Result<()> {
        self.running.lock().take().map_or(Ok(()), |mut weir| weir.kill())
    }

    /// Starts it again on the same port and data, having stopped it if it runs. Returns when it is ready.
    pub fn restart(&self) -> Result<()> {
        if self.pid().is_some() {
            self.stop()?;
        }
        self.launch()
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

    /// The process id while it runs.
    #[must_use]
    pub fn pid(&self) -> Option<u32> {
        let mut running = self.running.lock();
        let weir = running.as_mut()?;
        matches!(weir.try_wait(), Ok(None)).then(|| weir.pid())
    }

    /// The folder of its metadata.
    #[must_use]
    pub fn data(&self) -> &Path {
        &self.data
    }

    /// The folder of its log files.
    #[must_use]
    pub fn logs(&self) -> PathBuf {
        self.folder.join("logs")
    }

    /// The file of what it writes to standard error.
    #[must_use]
    pub fn log(&self) -> PathBuf {
        self.folder.join("stderr.log")
    }
}

/// The proxy's binary of the same build profile as this program: built now if a source is newer than it.
pub fn binary() -> Result<PathBuf> {
    if let Some(file) = std::env::var_os("WEIR_BINARY") {
        return Ok(file.into());
    }
    let profile = if cfg!(debug_assertions) { "debug" } else { "release" };
    let binary = place::target().join(profile).join("weir");
    let workspace = place::workspace();
    let built = fs::metadata(&binary).and_then(|file| file.modified()).ok();
    let newest = newest(&workspace.join("proxy")).max(newest(&workspace.join("Cargo.lock")));
    if built.is_some_and(|built| newest.is_some_and(|newest| newest < built)) {
        return Ok(binary);
    }
    let mut build = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    build.args(["build", "--quiet", "--package", "weir", "--target-dir"]).arg(place::target());
    if profile == "release" {
        build.arg("--release");
    }
    let output = build.current_dir(&workspace).stdin(Stdio::null()).output();
    let output = output.context("cannot run cargo to build the proxy")?;
    let complaint = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "the proxy does not build:\n{}", complaint.trim());
    Ok(binary)
}

/// When the newest file in a folder was changed.
fn newest(path: &Path) -> Option<SystemTime> {
    let metadata = fs::metadata(path).ok()?;
    if metadata.is_dir() {
        fs::read_dir(path).ok()?.filter_map(|entry| newest(&entry.ok()?.path())).max()
    } else {
        metadata.modified().ok()
    }
}
