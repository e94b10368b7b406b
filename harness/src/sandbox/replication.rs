//! Real replication between servers of a sandbox: binary log, GTIDs, a replica that takes no writes but its source's.
//!
//! A replica follows by position-free GTIDs, so that its place can be waited for exactly: [`Replica::caught_up`] takes
//! what the source has written so far and waits until the replica has applied that.

use std::time::Duration;

use anyhow::{Context as _, Result, bail};

use super::server::Server;
use crate::load::{Session, Target};
use crate::provision::Flavour;

/// The longest a replica may be behind what was written before it was asked for.
const PATIENCE: Duration = Duration::from_secs(100);

/// One server that follows another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replica {
    source: Target,
    server: Target,
    flavour: Flavour,
}

/// What a server that takes part in replication is started with besides, for reports too.
#[must_use]
pub fn replication(flavour: Flavour) -> Vec<&'static str> {
    let mut options = vec!["--log-bin=binlog", "--binlog-format=ROW", "--sync-binlog=0", "--relay-log=relay"];
    match flavour {
        Flavour::MySql => options.extend(["--gtid-mode=ON", "--enforce-gtid-consistency=ON"]),
        Flavour::MariaDb => options.push("--gtid-strict-mode=ON"),
    }
    options
}

/// The options of the server of this number.
pub(super) fn options(number: usize, replica: bool, flavour: Flavour) -> Vec<String> {
    let mut options: Vec<String> = replication(flavour).into_iter().map(str::to_owned).collect();
    options.push(format!("--server-id={}", number + 1));
    if replica {
        // The account of the sandbox may do everything: MySQL's stronger form holds for it as well.
        options.push(match flavour {
            Flavour::MySql => "--super-read-only=ON".to_owned(),
            Flavour::MariaDb => "--read-only=ON".to_owned(),
        });
    }
    options
}

impl Replica {
    /// Makes `server` follow `source` and waits until it does.
    pub(super) fn link(server: &Server, source: &Server) -> Result<Self> {
        let target = |server: &Server| Target {
            host: server.address().ip().to_string(),
            port: server.port(),
            user: server.user().to_owned(),
            password: server.password().to_owned(),
            database: String::new(),
        };
        let flavour = server.distribution().flavour();
        let replica = Self { source: target(source), server: target(server), flavour };
        // The caller may stand in a runtime of its own, in which no other may be started.
        let linked = std::thread::scope(|scope| {
            let link = scope.spawn(|| {
                let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
                runtime.block_on(replica.follow())
            });
            link.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        });
        linked.with_context(|| format!("server {} does not follow {}", server.number(), source.number()))?;
        Ok(replica)
    }

    async fn follow(&self) -> Result<()> {
        let Target { host, port, user, password, .. } = &self.source;
        let statements = match self.flavour {
            Flavour::MySql => [
                format!(
                    "CHANGE REPLICATION SOURCE TO SOURCE_HOST='{host}', SOURCE_PORT={port}, SOURCE_USER='{user}', \
                     SOURCE_PASSWORD='{password}', SOURCE_AUTO_POSITION=1, GET_SOURCE_PUBLIC_KEY=1, \
                     SOURCE_CONNECT_RETRY=1"
                ),
                "START REPLICA".to_owned(),
            ],
            Flavour::MariaDb => [
                format!(
                    "CHANGE MASTER TO MASTER_HOST='{host}', MASTER_PORT={port}, MASTER_USER='{user}', \
                     MASTER_PASSWORD='{password}', MASTER_USE_GTID=slave_pos, MASTER_SSL=0, MASTER_CONNECT_RETRY=1"
                ),
                "START SLAVE".to_owned(),
            ],
        };
        let mut session = Session::open(&self.server).await?;
        for statement in statements {
            session.say(&statement).await?;
        }
        session.close().await;
        self.caught_up().await
    }

    /// Waits until the replica has applied all that its source had written when this was called.
    pub async fn caught_up(&self) -> Result<()> {
        let (written, waits) = match self.flavour {
            Flavour::MySql => ("SELECT @@GLOBAL.gtid_executed", "WAIT_FOR_EXECUTED_GTID_SET"),
            Flavour::MariaDb => ("SELECT @@GLOBAL.gtid_current_pos", "MASTER_GTID_WAIT"),
        };
        let written = value(&self.source, written).await?.replace('\n', "");
        let wait = format!("SELECT {waits}('{written}', {})", PATIENCE.as_secs());
        match value(&self.server, &wait).await?.as_str() {
            "0" => Ok(()),
            _ => bail!(
                "the replica on port {} did not apply {written} within {} s{}",
                self.server.port,
                PATIENCE.as_secs(),
                self.complaint().await.unwrap_or_default()
            ),
        }
    }

    /// The errors that the replica itself tells of.
    async fn complaint(&self) -> Result<String> {
        let status = match self.flavour {
            Flavour::MySql => "SHOW REPLICA STATUS",
            Flavour::MariaDb => "SHOW SLAVE STATUS",
        };
        let mut session = Session::open(&self.server).await?;
        let answer = session.say(status).await?;
        session.close().await;
        let row = answer.rows.first().map(Vec::as_slice).unwrap_or_default();
        let errors = answer.columns.iter().zip(row).filter(|(column, text)| {
            column.starts_with("Last_") && column.ends_with("_Error") && !text.is_empty()
        });
        Ok(errors.map(|(_, text)| format!("; it says: {text}")).collect())
    }
}

/// The only value of the only row.
async fn value(target: &Target, statement: &str) -> Result<String> {
    let mut session = Session::open(target).await?;
    let answer = session.say(statement).await?;
    session.close().await;
    let row = answer.rows.into_iter().next();
    row.and_then(|row| row.into_iter().next()).with_context(|| format!("{statement} gives no row"))
}
