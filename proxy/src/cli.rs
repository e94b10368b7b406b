//! The command line: `weir serve`, `weir check`, `weir password`.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use tracing_subscriber::EnvFilter;

use crate::app;

/// A MySQL-protocol proxy: sharding and more, configured live with DistSQL.
#[derive(Debug, Parser)]
#[command(name = "weir", version)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Reads the configuration and says what is wrong with it, without serving.
    Check {
        /// Folder with `server.yaml`, and files of databases.
        #[arg(long, value_name = "DIR")]
        conf: PathBuf,
    },
    /// Reads a password from the standard input and writes its hash, which may stand in `server.yaml` instead of it.
    Password,
    /// Serves clients. SIGTERM ends, SIGHUP reads the configuration anew, SIGUSR2 upgrades.
    Serve(Serve),
}

/// `weir serve`.
#[derive(Debug, clap::Args)]
pub(crate) struct Serve {
    /// Folder with `server.yaml`, and files of databases.
    #[arg(long, value_name = "DIR")]
    pub(crate) conf: PathBuf,
    /// Address to listen on.
    #[arg(long, value_name = "ADDRESS", default_value = "0.0.0.0")]
    pub(crate) address: std::net::IpAddr,
    /// TCP port to listen on; `proxy-default-port` of `server.yaml`, else 3307. 0 takes a free one.
    #[arg(long, value_name = "N")]
    pub(crate) port: Option<u16>,
    /// Folder where DistSQL's changes are kept; `data` beside the configuration folder when not given.
    #[arg(long, value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,
    /// Folder of log files; `logs` beside the configuration folder when not given.
    #[arg(long, value_name = "DIR")]
    pub(crate) logs: Option<PathBuf>,
    /// Threads that serve; one per core when not given.
    #[arg(long, value_name = "N")]
    pub(crate) workers: Option<usize>,
    /// Take the place of the process that has started this one: SIGUSR2 makes it do so.
    #[arg(long, hide = true)]
    pub(crate) take_over: bool,
}

/// Reads the command line and does what it says.
pub(crate) fn run() -> ExitCode {
    let arguments = Arguments::parse();
    tracing_subscriber::fmt()
        .with_env_filter(EnvFilter::try_from_env("WEIR_LOG").unwrap_or_else(|_| EnvFilter::new("info")))
        .with_writer(std::io::stderr)
        .init();
    let done = match arguments.command {
        Command::Check { conf } => app::check(&conf),
        Command::Password => app::password(),
        Command::Serve(serve) => app::serve(&serve),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            tracing::error!("{error:#}");
            ExitCode::FAILURE
        }
    }
}
