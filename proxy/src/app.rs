//! Builds the one process from its parts, serves, and takes it down in order.

use std::io::Write as _;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicU32;

use anyhow::{Context as _, Result};
use meta::{Config, Properties, Property};
use session::{Accounts, Limits, Listener, Registry, Shared, Workers};
use tokio_util::sync::CancellationToken;

use crate::admin::Admin;
use crate::certificate;
use crate::cli::Serve;
use crate::life::{self, Signals};

/// Reads the configuration and says so when nothing is wrong with it.
pub(crate) fn check(conf: &Path) -> Result<()> {
    let config = Config::load(conf)?;
    let (accounts, databases) = (config.users.iter().count(), config.databases.len());
    writeln!(std::io::stdout(), "{} is fine: {accounts} accounts, {databases} databases", conf.display())?;
    Ok(())
}

/// Serves until SIGTERM or SIGINT.
pub(crate) fn serve(serve: &Serve) -> Result<()> {
    let config = Config::load(&serve.conf)?;
    let data = match &serve.data {
        Some(data) => data.clone(),
        None => serve.conf.join("../data"),
    };
    let hub = backend::Hub::new();
    let admin = Arc::new(Admin::open(&data, &config, Arc::clone(&hub))?);
    // What DistSQL has set before stands above the file.
    let properties = admin.published().load().properties.clone();
    let shared = Arc::new(Shared {
        accounts: Accounts::new(&config.users),
        tls: certificate::server(&properties, &data)?,
        rsa: certificate::rsa(&data)?,
        limits: Limits {
            statement: exec::Limits { folder: data.as_path().into(), ..exec::Limits::default() },
            ..Limits::default()
        },
        drain: CancellationToken::new(),
        registry: Registry::default(),
        last_id: AtomicU32::new(0),
        keys: session::Keys::default(),
        numbers: Arc::default(),
        published: admin.published().clone(),
        admin: Arc::clone(&admin) as Arc<dyn session::Admin>,
        hub,
    });
    let port =
        serve.port.or_else(|| u16::try_from(properties.integer(Property::DefaultPort)).ok()).unwrap_or(3307);
    let workers = serve.workers.unwrap_or_else(|| workers(&properties));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let ended = runtime.block_on(run(&shared, &admin, SocketAddr::new(serve.address, port), workers.max(1)));
    // Workers that did not end in time are not waited for.
    runtime.shutdown_background();
    ended
}

/// The main thread: accepts, and waits for signals.
async fn run(
    shared: &Arc<Shared>,
    admin: &Admin<Arc<backend::Hub>>,
    address: SocketAddr,
    workers: usize,
) -> Result<()> {
    let mut signals = Signals::catch()?;
    let listener = Listener::bind(address).with_context(|| format!("cannot listen on {address}"))?;
    let address = listener.address()?;
    admin.listens(address);
    admin.refresh_all().await;
    let workers = Workers::start(workers, shared)?;
    let mut stdout = std::io::stdout();
    writeln!(stdout, "weir {} ready on {address}", env!("CARGO_PKG_VERSION"))?;
    stdout.flush()?;
    // Dropped with the listener in it, whose socket is closed before anyone is told to go.
    tokio::select! {
        () = listener.run(&workers, shared.drain.clone()) => {}
        () = signals.end() => {}
    }
    life::drain(shared, workers, &mut signals).await
}

/// As many as configured, else one for each core.
fn workers(properties: &Properties) -> usize {
    match usize::try_from(properties.integer(Property::FrontendExecutorSize)) {
        Ok(0) | Err(_) => std::thread::available_parallelism().map_or(1, usize::from),
        Ok(count) => count,
    }
}
