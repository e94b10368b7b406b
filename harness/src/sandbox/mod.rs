//! Real servers and the proxy, side by side on loopback ports, gone without a trace when dropped.
//!
//! A sandbox is a folder below cargo's target folder. Everything it starts ends with it: on drop, on a panic, on a
//! signal and even when this process is killed (see [`Watcher`]).

mod haproxy;
mod port;
mod replication;
mod server;
mod slice;
mod template;
mod watcher;
mod weir;

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use parking_lot::Mutex;

pub use self::haproxy::HaProxy;
pub use self::replication::{Replica, replication};
pub use self::server::{Server, settings};
pub use self::slice::Slice;
pub use self::watcher::{Watched, Watcher};
pub use self::weir::{WeirBuilder, WeirProcess, binary};
use crate::progress::{Progress, Silent};
use crate::provision::{Distribution, Flavour, Tools, place};

/// The longest path that fits a socket's address, less the name of the socket itself.
const SOCKET_FOLDER: usize = 85;

/// What a sandbox is to hold.
pub struct Builder<'a> {
    mysql: usize,
    flavour: Flavour,
    tools: Option<Tools>,
    progress: &'a dyn Progress,
    options: Vec<(Option<usize>, String)>,
    replicas: Vec<(usize, usize)>,
    share: Option<f64>,
    keep: bool,
}

impl<'a> Builder<'a> {
    /// How many servers; none unless said.
    #[must_use]
    pub fn mysql(mut self, servers: usize) -> Self {
        self.mysql = servers;
        self
    }

    /// MySQL (the default) or MariaDB.
    #[must_use]
    pub fn flavour(mut self, flavour: Flavour) -> Self {
        self.flavour = flavour;
        self
    }

    /// Programs that were provided before; otherwise the sandbox provides them when it first needs them.
    #[must_use]
    pub fn tools(mut self, tools: &Tools) -> Self {
        self.tools = Some(tools.clone());
        self
    }

    /// Who hears what is going on; nobody unless said.
    #[must_use]
    pub fn progress(mut self, progress: &'a dyn Progress) -> Self {
        self.progress = progress;
        self
    }

    /// One more option for every server, for example `--tls-version=` for a server without TLS.
    #[must_use]
    pub fn option(mut self, option: impl Into<String>) -> Self {
        self.options.push((None, option.into()));
        self
    }

    /// One more option for the server of this number (from 0).
    #[must_use]
    pub fn option_for(mut self, server: usize, option: impl Into<String>) -> Self {
        self.options.push((Some(server), option.into()));
        self
    }

    /// The server `replica` follows `source` (numbers from 0) and takes no writes but its source's.
    #[must_use]
    pub fn replica(mut self, replica: usize, source: usize) -> Self {
        self.replicas.push((replica, source));
        self
    }

    /// The share of the processors each server may use (0.5 is half of one), where control groups can be made.
    #[must_use]
    pub fn cpu_share(mut self, share: Option<f64>) -> Self {
        self.share = share;
        self
    }

    /// Leaves the folder when the sandbox ends.
    #[must_use]
    pub fn keep(mut self, keep: bool) -> Self {
        self.keep = keep;
        self
    }

    /// Starts the servers side by side and returns when all are ready and every replica follows.
    pub fn start(self) -> Result<Sandbox> {
        let mut sandbox = Sandbox::open(self.keep)?;
        let Some(wanted) = (self.mysql > 0).then_some(self.mysql) else {
            sandbox.tools = Mutex::new(self.tools);
            return Ok(sandbox);
        };
        let tools = self.tools.map_or_else(|| Tools::provide(self.progress), Ok)?;
        let distribution = tools.server(self.flavour, self.progress)?;
        let template = template::provide(&distribution, self.progress)?;
        self.progress.step(&format!("starting {wanted} × {distribution}"));
        sandbox.tools = Mutex::new(Some(tools));
        let ports = sandbox.ports();
        let plans = (0..wanted).map(|number| server::Plan {
            number,
            distribution: &distribution,
            template: &template,
            folder: sandbox.folder.join(format!("server-{number}")),
            sockets: &sandbox.sockets,
            ports: &ports,
            options: options(&self.options, &self.replicas, number, &distribution),
            slice: self.share.and_then(|share| sandbox.slice(share)),
        });
        let plans: Vec<_> = plans.collect();
        let started: Vec<Result<Server>> = std::thread::scope(|scope| {
            let starts: Vec<_> =
                plans.into_iter().map(|plan| scope.spawn(|| Server::start(plan, &sandbox.watcher))).collect();
            starts
                .into_iter()
                .map(|start| start.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
                .collect()
        });
        sandbox.servers = started.into_iter().collect::<Result<_>>()?;
        for (replica, source) in &self.replicas {
            self.progress.step(&format!("server {replica} follows server {source}"));
            let link = Replica::link(sandbox.server(*replica), sandbox.server(*source));
            sandbox.replicas.push(link?);
        }
        for notice in sandbox.notices() {
            self.progress.notice(&notice);
        }
        Ok(sandbox)
    }
}

/// What the server of this number is started with besides the settings of all.
fn options(
    own: &[(Option<usize>, String)],
    replicas: &[(usize, usize)],
    number: usize,
    distribution: &Distribution,
) -> Vec<String> {
    let replica = replicas.iter().any(|(replica, _)| *replica == number);
    let source = replicas.iter().any(|(_, source)| *source == number);
    let mut options = Vec::new();
    if replica || source {
        options.extend(replication::options(number, replica, distribution.flavour()));
    }
    let own = own.iter().filter(|(of, _)| of.is_none_or(|of| of == number));
    options.extend(own.map(|(_, option)| option.clone()));
    options
}

/// Servers that run, and the folder they run in.
#[derive(Debug)]
pub struct Sandbox {
    servers: Vec<Server>,
    replicas: Vec<Replica>,
    tools: Mutex<Option<Tools>>,
    folder: PathBuf,
    sockets: PathBuf,
    watcher: Arc<Watcher>,
    count: AtomicUsize,
    notices: Mutex<Vec<String>>,
    keep: bool,
    _alive: File,
}

impl Sandbox {
    /// Begins with no server at all.
    #[must_use]
    pub fn builder<'a>() -> Builder<'a> {
        Builder {
            mysql: 0,
            flavour: Flavour::MySql,
            tools: None,
            progress: &Silent,
            options: Vec::new(),
            replicas: Vec::new(),
            share: None,
            keep: false,
        }
    }

    /// An empty sandbox in a fresh folder. Folders whose owner and watcher both were killed are removed on the way.
    fn open(keep: bool) -> Result<Self> {
        let parent = place::target().join("weir-sandbox");
        let lock = place::lock(&parent, "folders")?;
        sweep(&parent);
        let folder = tempfile::Builder::new().prefix("run-").tempdir_in(&parent)?.keep();
        let alive = File::create(folder.join("alive"))?;
        alive.lock()?;
        drop(lock);
        let watcher = Watcher::start()?;
        let sockets = if folder.as_os_str().len() <= SOCKET_FOLDER {
            folder.clone()
        } else {
            let short = tempfile::Builder::new().prefix("weir-").tempdir()?.keep();
            watcher.folder(&short);
            short
        };
        if keep {
            fs::write(folder.join("kept"), "")?;
        } else {
            watcher.folder(&folder);
        }
        Ok(Self {
            servers: Vec::new(),
            replicas: Vec::new(),
            tools: Mutex::new(None),
            folder,
            sockets,
            watcher,
            count: AtomicUsize::new(0),
            notices: Mutex::new(Vec::new()),
            keep,
            _alive: alive,
        })
    }

    /// The servers, in the order of their numbers.
    #[must_use]
    pub fn servers(&self) -> &[Server] {
        &self.servers
    }

    /// The server of this number.
    ///
    /// # Panics
    /// When there is none: the caller said itself how many there are.
    #[must_use]
    pub fn server(&self, number: usize) -> &Server {
        &self.servers[number]
    }

    /// The servers that follow others, in the order they were asked for.
    #[must_use]
    pub fn replicas(&self) -> &[Replica] {
        &self.replicas
    }

    /// The programs in use; provided now if no server needed them yet.
    pub fn tools(&self) -> Result<Tools> {
        let mut tools = self.tools.lock();
        match &*tools {
            Some(tools) => Ok(tools.clone()),
            None => Ok(tools.insert(Tools::provide(&Silent)?).clone()),
        }
    }

    /// Starts the proxy with the defaults; see [`WeirProcess::builder`] for more.
    pub fn weir(&self, conf: &Path) -> Result<WeirProcess> {
        WeirProcess::builder(self).conf(conf).start()
    }

    /// Starts HAProxy in front of the first server.
    pub fn haproxy(&self) -> Result<HaProxy> {
        ensure!(!self.servers.is_empty(), "HAProxy needs a server");
        HaProxy::start(self, &[self.server(0).address()])
    }

    /// A fresh folder in the sandbox, removed with it.
    pub fn subfolder(&self, name: &str) -> Result<PathBuf> {
        let number = self.count.fetch_add(1, Ordering::Relaxed);
        let folder = self.folder.join(format!("{name}-{number}"));
        fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
        Ok(folder)
    }

    /// The folder of the sandbox.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Starts programs that end with the sandbox, whatever happens to this process.
    #[must_use]
    pub fn watcher(&self) -> &Arc<Watcher> {
        &self.watcher
    }

    /// A share of the processors, or nothing and a notice where control groups cannot be made.
    pub fn slice(&self, share: f64) -> Option<Slice> {
        let number = self.count.fetch_add(1, Ordering::Relaxed);
        let run = self.folder.file_name().unwrap_or_default().to_string_lossy();
        match Slice::new(&format!("weir-{run}-{number}"), share, &self.watcher) {
            Ok(slice) => Some(slice),
            Err(error) => {
                let notice = format!("running without limits of processor time: {error:#}");
                let mut notices = self.notices.lock();
                if !notices.contains(&notice) {
                    notices.push(notice);
                }
                None
            }
        }
    }

    /// What is not as asked, in words for a report.
    #[must_use]
    pub fn notices(&self) -> Vec<String> {
        self.notices.lock().clone()
    }

    /// Where ports are held.
    fn ports(&self) -> PathBuf {
        place::target().join("weir-sandbox/ports")
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        if self.keep {
            // A kept data folder should be clean enough to be looked at.
            std::thread::scope(|scope| {
                for server in &self.servers {
                    scope.spawn(|| drop(server.stop()));
                }
            });
        }
        self.servers.clear();
        if self.sockets != self.folder {
            drop(fs::remove_dir_all(&self.sockets));
        }
        if !self.keep {
            // A proxy that outlives the sandbox by a moment may write once more.
            for _ in 0..20 {
                if fs::remove_dir_all(&self.folder).is_ok() || !self.folder.exists() {
                    break;
                }
                std::thread::sleep(Duration::from_millis(50));
            }
        }
    }
}

/// Removes what sandboxes left whose process and watcher were both killed.
fn sweep(parent: &Path) {
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        let folder = entry.path();
        let dead = !folder.join("kept").exists()
            && File::open(folder.join("alive")).is_ok_and(|alive| alive.try_lock().is_ok());
        if dead {
            drop(fs::remove_dir_all(&folder));
        }
    }
}
