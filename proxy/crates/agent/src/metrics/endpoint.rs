//! The plugin `Prometheus`: where scrapers ask.

use std::fmt;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::{TcpListener, lookup_host};
use tokio::time::sleep;

use super::families::Exposition;
use super::figures::Source;
use crate::config::Plugin;
use crate::http::{self, Answer, Handler};
use crate::io::{Io, Task};
use crate::props::Fault;
use crate::warn::Warner;

/// Where to listen, and what is told.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Prometheus {
    /// Address or name.
    pub host: String,
    /// TCP port.
    pub port: u16,
    /// Figures of the process are told, too.
    pub process: bool,
}

/// The endpoint while it is on. Dropped, it is closed.
#[derive(Debug)]
pub struct Endpoint {
    _task: Task,
}

/// How long a port may be taken without a word: by the endpoint that was there before, most likely.
const QUIET_TRIES: u32 = 10;
const QUIET: Duration = Duration::from_millis(100);
/// Distance of further tries.
const PATIENCE: Duration = Duration::from_secs(2);

impl Prometheus {
    /// Reads the plugin's properties.
    ///
    /// # Errors
    /// A missing address, unknown properties, and values that cannot be.
    pub fn read(plugin: &Plugin) -> Result<Self, Fault> {
        let (host, port) = plugin.address()?;
        // There is no JVM here; what its collectors also told is figures of the process.
        let process = plugin.props.flag("jvm-information-collector-enabled", true)?;
        plugin.props.end()?;
        Ok(Self { host: host.to_owned(), port, process })
    }

    async fn listen(&self) -> io::Result<TcpListener> {
        let bare = self.host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(&self.host);
        let mut failure = io::Error::new(io::ErrorKind::NotFound, "the host name has no address");
        for address in lookup_host((bare, self.port)).await? {
            match http::listen(address) {
                Ok(listener) => return Ok(listener),
                Err(error) => failure = error,
            }
        }
        Err(failure)
    }
}

impl fmt::Display for Prometheus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.host, self.port)
    }
}

impl Endpoint {
    /// Listens as soon as that can be, and says so in the log while it cannot.
    pub fn start(io: &Io, config: Prometheus, source: Arc<impl Source>) -> Self {
        let task = async move {
            let pages = Arc::new(Pages { exposition: Exposition::new(&source, config.process), source });
            let warner = Warner::new("Prometheus");
            let mut tries = 0;
            let listener = loop {
                match config.listen().await {
                    Ok(listener) => break listener,
                    Err(_) if tries < QUIET_TRIES => sleep(QUIET).await,
                    Err(error) => {
                        warner.warn(format_args!("cannot listen on {config}, trying again: {error}"));
                        sleep(PATIENCE).await;
                    }
                }
                tries += 1;
            };
            tracing::info!("metrics on http://{config}/metrics");
            http::serve(listener, pages).await;
        };
        Self { _task: io.spawn(task) }
    }
}

struct Pages<S> {
    exposition: Exposition<S>,
    source: Arc<S>,
}

/// The text format that Prometheus reads.
const EXPOSITION: &str = "text/plain; version=0.0.4; charset=utf-8";

impl<S: Source> Handler for Pages<S> {
    async fn answer(&self, path: &str) -> Option<Answer> {
        Some(match path {
            "/metrics" => match self.exposition.text() {
                Ok(body) => Answer { status: 200, content_type: EXPOSITION, body },
                Err(error) => Answer::text(500, format!("{error}\n")),
            },
            "/healthz" => Answer::text(200, "ok\n"),
            "/readyz" => {
                let troubles = self.source.troubles().await;
                if troubles.is_empty() {
                    Answer::text(200, "ready\n")
                } else {
                    Answer::text(503, troubles.join("\n") + "\n")
                }
            }
            "/" => Answer::text(200, "/metrics\n/healthz\n/readyz\n"),
            _ => return None,
        })
    }
}
