//! Builds the one process from its parts, reads its configuration anew, and starts the process that takes its place.

use std::io::Write as _;
use std::net::SocketAddr;
use std::os::fd::AsFd as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use anyhow::{Context as _, Result};
use meta::{Config, Properties, Property};
use session::{Accounts, Limits, Listener, Registry, Shared, Workers};
use tokio_util::sync::CancellationToken;

use crate::admin::Admin;
use crate::cli::Serve;
use crate::life::{self, Signals};
use crate::notify::Manager;
use crate::plugins::Plugins;
use crate::upgrade::{self, Predecessor, Start};
use crate::{certificate, limits};

/// Connection ids that the process before this one may give out while this one starts.
const LEAP: u32 = 1 << 16;

/// The parts that live as long as the process.
pub(crate) struct Process {
    conf: PathBuf,
    data: PathBuf,
    /// How it was started.
    start: Start,
    pub(crate) shared: Arc<Shared>,
    admin: Arc<Admin<Arc<backend::Hub>>>,
    plugins: Arc<Plugins>,
    pub(crate) manager: Manager,
}

/// Reads the configuration and says so when nothing is wrong with it.
pub(crate) fn check(conf: &Path) -> Result<()> {
    let config = Config::load(conf)?;
    agent::Config::load(conf)?;
    let (accounts, databases) = (config.users.iter().count(), config.databases.len());
    writeln!(std::io::stdout(), "{} is fine: {accounts} accounts, {databases} databases", conf.display())?;
    Ok(())
}

/// Reads a line from the standard input, where no history keeps it, and writes the hash of the password that it is.
pub(crate) fn password() -> Result<()> {
    let mut line = String::new();
    std::io::stdin().read_line(&mut line).context("cannot read a password from the standard input")?;
    let password = line.trim_end_matches(['\n', '\r']);
    writeln!(std::io::stdout(), "{}", wire::auth::Verifier::from_password(password).hash())?;
    Ok(())
}

/// Serves until it is told to end, or another process has taken its place, and all sessions have ended.
pub(crate) fn serve(serve: &Serve) -> Result<()> {
    let start = Start::of_this_process()?;
    let met = if serve.take_over { Some(Predecessor::meet()?) } else { None };
    let (predecessor, inherited) = met.unzip();
    let last_id = inherited.as_ref().map_or(0, |it| it.last_id.wrapping_add(LEAP));
    let socket = match inherited {
        Some(inherited) => Some(inherited.socket),
        None => upgrade::given_socket()?,
    };
    let process = Process::build(serve, start, last_id)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let ended = runtime.block_on(process.run(serve, socket, predecessor));
    // Workers that did not end in time are not waited for.
    runtime.shutdown_background();
    process.plugins.stop();
    ended
}

impl Process {
    fn build(serve: &Serve, start: Start, last_id: u32) -> Result<Self> {
        let config = Config::load(&serve.conf)?;
        let plugins = agent::Config::load(&serve.conf)?;
        let beside = |folder: &Option<PathBuf>, name| folder.clone().unwrap_or_else(|| serve.conf.join(name));
        let (data, logs) = (beside(&serve.data, "../data"), beside(&serve.logs, "../logs"));
        let hub = backend::Hub::new();
        let admin = Arc::new(Admin::open(&data, &config, Arc::clone(&hub))?);
        // What DistSQL has set before stands above the file.
        let properties = admin.published().load().properties.clone();
        limits::open_files(&properties);
        let shared = Arc::new(Shared {
            events: observe::Hub::new(observe::Capacity::default()),
            accounts: Accounts::new(&config.users),
            tls: certificate::server(&properties, &data)?.into(),
            rsa: certificate::rsa(&data)?,
            limits: Limits {
                statement: exec::Limits { folder: data.as_path().into(), ..exec::Limits::default() },
            },
            drain: CancellationToken::new(),
            registry: Registry::default(),
            last_id: AtomicU32::new(last_id),
            keys: session::Keys::default(),
            numbers: Arc::default(),
            published: admin.published().clone(),
            admin: Arc::clone(&admin) as Arc<dyn session::Admin>,
            hub,
        });
        let plugins = Plugins::start(&shared.events, logs, plugins, &properties)?;
        admin.is_observed_by(&plugins);
        let manager = Manager::of_environment();
        Ok(Self { conf: serve.conf.clone(), data, start, shared, admin, plugins, manager })
    }

    /// The main thread: lets clients in, and lives by signals.
    async fn run(
        &self,
        serve: &Serve,
        socket: Option<std::net::TcpListener>,
        predecessor: Option<Predecessor>,
    ) -> Result<()> {
        let signals = Signals::catch()?;
        let properties = self.shared.published.load().properties.clone();
        let listener = match socket {
            Some(socket) => Listener::adopt(socket).context("cannot go on with the socket")?,
            None => {
                let port = u16::try_from(properties.integer(Property::DefaultPort)).unwrap_or(3307);
                let address = SocketAddr::new(serve.address, serve.port.unwrap_or(port));
                Listener::bind(address).with_context(|| format!("cannot listen on {address}"))?
            }
        };
        let address = listener.address()?;
        self.admin.listens(address);
        self.admin.refresh_all().await;
        let workers = serve.workers.unwrap_or_else(|| workers(&properties));
        let workers = Workers::start(workers.max(1), &self.shared)?;
        self.plugins.tell_of(&self.shared);
        let mut stdout = std::io::stdout();
        writeln!(stdout, "weir {} ready on {address}", env!("CARGO_PKG_VERSION"))?;
        stdout.flush()?;
        if let Some(mut predecessor) = predecessor {
            predecessor.relieve()?;
        }
        self.manager.ready(&format!("serving on {address}"));
        life::live(self, signals, listener, workers).await
    }

    /// Reads the configuration anew. With an error in it, everything stays as it is.
    pub(crate) async fn reload(&self) {
        self.manager.reloading();
        // They may have been moved, whatever else has changed.
        self.plugins.reopen();
        let status = match self.take_configuration().await {
            Ok(waiting) => {
                for property in waiting {
                    tracing::warn!("{} has changed: in force at the next start", property.name());
                }
                tracing::info!("read {} anew", self.conf.display());
                "serving".to_owned()
            }
            Err(error) => {
                tracing::error!("the configuration stays as it is: {error:#}");
                format!("serving; the configuration was not read: {error:#}").replace('\n', " ")
            }
        };
        self.manager.ready(&status);
    }

    /// Accounts, variables, certificates, and databases that are not there yet; what waits for a restart.
    async fn take_configuration(&self) -> Result<Vec<Property>> {
        let config = Config::load(&self.conf)?;
        let plugins = agent::Config::load(&self.conf)?;
        let properties = self.admin.properties(&config)?;
        let before = self.shared.published.load().properties.clone();
        let tls = certificate::server(&properties, &self.data)?;
        self.admin.reload(&config).await?;
        self.shared.accounts.replace(&config.users);
        self.shared.tls.store(tls);
        self.plugins.configure(plugins);
        self.plugins.follow(&properties);
        Ok(properties.awaiting_start(&before))
    }

    /// Starts the program anew, as it is on disk now, and lets it go on with the listener and the data folder; its
    /// process id once it serves. On an error everything is as before.
    pub(crate) async fn upgrade(&self, listener: &Listener) -> Result<u32> {
        let released = self.admin.release().await;
        let successor = async {
            let last_id = self.shared.last_id.load(Ordering::Relaxed);
            let mut successor = self.start.again(listener.as_fd(), last_id)?;
            successor.ready().await?;
            anyhow::Ok(successor.id())
        };
        match successor.await {
            Ok(by) => {
                self.manager.replaced(by);
                self.plugins.make_way();
                Ok(by)
            }
            Err(error) => {
                released.take_back().context("the data folder is lost")?;
                Err(error)
            }
        }
    }
}

/// As many as configured, else one for each core.
fn workers(properties: &Properties) -> usize {
    match usize::try_from(properties.integer(Property::FrontendExecutorSize)) {
        Ok(0) | Err(_) => std::thread::available_parallelism().map_or(1, usize::from),
        Ok(count) => count,
    }
}
