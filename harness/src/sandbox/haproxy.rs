//! HAProxy in TCP mode: what a proxy costs that does not look at what it carries.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};

use super::Sandbox;
use super::port::Port;
use super::template::tail;
use super::watcher::Watched;

/// A running HAProxy. Killed when dropped.
#[derive(Debug)]
pub struct HaProxy {
    port: Port,
    running: Watched,
}

impl HaProxy {
    /// Starts one that spreads connections over `servers`.
    pub fn start(sandbox: &Sandbox, servers: &[SocketAddr]) -> Result<Self> {
        Self::start_with(sandbox, servers, "")
    }

    /// The same with options for each server, as `send-proxy`.
    pub fn start_with(sandbox: &Sandbox, servers: &[SocketAddr], options: &str) -> Result<Self> {
        let folder = sandbox.subfolder("haproxy")?;
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let tools = sandbox.tools()?;
        for _ in 0..5 {
            let port = Port::take(&sandbox.ports())?;
            let file = folder.join("haproxy.cfg");
            fs::write(&file, config(port.number(), cores, servers, options))
                .context("cannot write HAProxy's configuration")?;
            let log = folder.join("haproxy.log");
            let mut command = tools.haproxy().command();
            command.arg("-db").arg("-f").arg(&file).stdin(Stdio::null());
            command.stdout(File::create(&log)?).stderr(File::options().append(true).open(&log)?);
            let running = sandbox.watcher().spawn(&mut command)?;
            if let Some(haproxy) = Self::await_listening(port, running, &log)? {
                return Ok(haproxy);
            }
        }
        bail!("HAProxy found no port that stayed free long enough to be bound")
    }

    /// `None` when the port was taken by someone else meanwhile.
    fn await_listening(port: Port, mut running: Watched, log: &Path) -> Result<Option<Self>> {
        let deadline = Instant::now() + Duration::from_secs(30);
        loop {
            if let Some(status) = running.try_wait()? {
                let words = tail(log);
                if words.contains("Address already in use") {
                    return Ok(None);
                }
                bail!("HAProxy ended with {status}: {words}");
            }
            if TcpStream::connect((Ipv4Addr::LOCALHOST, port.number())).is_ok() {
                return Ok(Some(Self { port, running }));
            }
            if Instant::now() > deadline {
                bail!("HAProxy does not listen: {}", tail(log));
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Host and port.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        (Ipv4Addr::LOCALHOST, self.port.number()).into()
    }

    /// The process id.
    #[must_use]
    pub fn pid(&self) -> u32 {
        self.running.pid()
    }
}

fn config(port: u16, cores: usize, servers: &[SocketAddr], options: &str) -> String {
    let mut config = format!(
        "global\n    nbthread {cores}\n    maxconn 8192\n\
         defaults\n    mode tcp\n    timeout connect 10s\n    timeout client 1h\n    timeout server 1h\n\
         listen mysql\n    bind 127.0.0.1:{port}\n    balance leastconn\n"
    );
    for (number, server) in servers.iter().enumerate() {
        // Writing to a string cannot fail.
        let _ = writeln!(config, "    server s{number} {server} {options}");
    }
    config
}
