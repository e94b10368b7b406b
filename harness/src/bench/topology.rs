//! What the arms run against: one server, HAProxy and Weir before it.

use anyhow::{Result, bail};

use super::rules::{RULE_ARMS, Rule, rule};
use super::{Arm, Options, Part};
use crate::load::{Load, Session, Target};
use crate::measure::Watch;
use crate::report::Live;
use crate::sandbox::{HaProxy, WeirProcess};
use crate::scenario::folder;
use crate::stage::{Stage, say, through};

/// The arms that go through Weir whether or not a rule is asked for.
pub(super) const WEIR_ARMS: [&str; 2] = ["pass", "sharded"];

/// Databases the sharded table is spread over.
pub(super) const SHARDS: usize = 4;

/// One server with what stands before it.
pub(super) struct Topology {
    server: Target,
    pid: u32,
    haproxy: Option<HaProxy>,
    weir: Option<WeirProcess>,
}

impl Topology {
    /// Starts what the wanted arms need.
    pub(super) fn build(stage: &Stage, options: &Options, live: &Live) -> Result<Self> {
        let server = stage.sandbox.server(0);
        let Some(pid) = server.pid() else { bail!("the server has ended") };
        let haproxy = if options.wants(Part::Arm("haproxy")) {
            live.step("starting haproxy");
            Some(stage.sandbox.haproxy()?)
        } else {
            None
        };
        let weir = WEIR_ARMS.into_iter().chain(RULE_ARMS).any(|name| options.wants(Part::Arm(name)));
        Ok(Self {
            server: Stage::direct(server, server.database()),
            pid,
            haproxy,
            weir: if weir { Some(stage.weir(live)?) } else { None },
        })
    }

    /// Fills the tables, and tells the proxy of them.
    pub(super) async fn prepare(&self, stage: &Stage, options: &Options, live: &Live) -> Result<()> {
        let load = Load { rows: options.rows, ..Load::new("oltp_read_write") };
        live.step(&format!("filling {} rows", load.rows));
        stage.sysbench.prepare(&self.server, &load).await?;
        let Some(weir) = &self.weir else { return Ok(()) };
        let target = through(weir, "");
        live.step("telling the proxy of one unit without a rule");
        say("", &target, &pass(&self.server), live).await?;
        if options.wants(Part::Arm("sharded")) {
            self.prepare_sharded(stage, weir, &load, live).await?;
        }
        for name in RULE_ARMS.into_iter().filter(|name| options.wants(Part::Arm(name))) {
            if let Some(rule) = rule(name, &self.server) {
                self.prepare_rule(name, rule, stage, weir, &load, live).await?;
            }
        }
        Ok(())
    }

    async fn prepare_sharded(
        &self,
        stage: &Stage,
        weir: &WeirProcess,
        load: &Load,
        live: &Live,
    ) -> Result<()> {
        for shard in 0..SHARDS {
            self.make(&format!("shard_{shard}")).await?;
        }
        live.step("telling the proxy of four units with a rule");
        let units: Vec<Target> = (0..SHARDS)
            .map(|shard| Target { database: format!("shard_{shard}"), ..self.server.clone() })
            .collect();
        say("", &through(weir, ""), &sharded("bench_sharded", &units), live).await?;
        live.step(&format!("filling {} rows through the proxy", load.rows));
        stage.sysbench.prepare(&through(weir, "bench_sharded"), load).await?;
        Ok(())
    }

    async fn prepare_rule(
        &self,
        name: &str,
        rule: Rule,
        stage: &Stage,
        weir: &WeirProcess,
        load: &Load,
        live: &Live,
    ) -> Result<()> {
        if let Some(database) = &rule.beside {
            self.make(database).await?;
        }
        live.step(&format!("telling the proxy of the rule of {name}"));
        say("", &through(weir, ""), &rule.statements, live).await?;
        if rule.filled {
            live.step(&format!("filling {} rows through the proxy", load.rows));
            let script = folder().join("oltp_wide.lua").to_string_lossy().into_owned();
            let wide = Load { script, ..load.clone() };
            stage.sysbench.prepare(&through(weir, &rule.database), &wide).await?;
        }
        Ok(())
    }

    /// A database on the server.
    async fn make(&self, database: &str) -> Result<()> {
        let mut session = Session::open(&self.server).await?;
        session.say(&format!("CREATE DATABASE {database}")).await?;
        session.close().await;
        Ok(())
    }

    /// The arm of this name under a load, if what it needs was started.
    pub(super) fn arm(&self, name: &'static str, load: &Load) -> Option<Arm> {
        let weir = |database: &str| {
            let weir = self.weir.as_ref()?;
            Some((through(weir, database), weir.pid()))
        };
        let (about, (target, proxy)) = match name {
            "haproxy" => {
                let haproxy = self.haproxy.as_ref()?;
                let target = Target { port: haproxy.address().port(), ..self.server.clone() };
                ("HAProxy in TCP mode", (target, Some(haproxy.pid())))
            }
            "pass" => ("Weir, one storage unit, no rule", weir("bench_pass")?),
            "sharded" => ("Weir, table sharded over 4 databases of the same server", weir("bench_sharded")?),
            "direct" => ("one MySQL, direct", (self.server.clone(), None)),
            _ => {
                let rule = rule(name, &self.server)?;
                (rule.about, weir(&rule.database)?)
            }
        };
        Some(Arm {
            name: name.to_owned(),
            about: about.to_owned(),
            target,
            watch: Watch { proxy: proxy.into_iter().collect(), servers: vec![self.pid] },
            load: load.clone(),
            meters: Vec::new(),
            documented: None,
        })
    }

    /// An error when something died on the way.
    pub(super) fn alive(&self) -> Result<()> {
        match &self.weir {
            Some(weir) if weir.pid().is_none() => {
                bail!("the proxy has ended; its log: {}", weir.log().display())
            }
            _ => Ok(()),
        }
    }
}

/// A database with one unit and no rule.
fn pass(unit: &Target) -> Vec<String> {
    vec![
        "CREATE DATABASE bench_pass".to_owned(),
        "USE bench_pass".to_owned(),
        format!("REGISTER STORAGE UNIT {}", definition("one", unit)),
    ]
}

/// A database in which `sbtest1` is sharded over `units`.
pub(super) fn sharded(database: &str, units: &[Target]) -> Vec<String> {
    let names: Vec<String> = (0..units.len()).map(|number| format!("ds_{number}")).collect();
    let definitions: Vec<String> =
        names.iter().zip(units).map(|(name, unit)| definition(name, unit)).collect();
    vec![
        format!("CREATE DATABASE {database}"),
        format!("USE {database}"),
        format!("REGISTER STORAGE UNIT {}", definitions.join(", ")),
        format!(
            "CREATE SHARDING TABLE RULE sbtest1 (STORAGE_UNITS({}), SHARDING_COLUMN=id, \
             TYPE(NAME=\"MOD\", PROPERTIES(\"sharding-count\"={})))",
            names.join(", "),
            units.len()
        ),
    ]
}

pub(super) fn definition(name: &str, unit: &Target) -> String {
    let Target { host, port, user, password, database } = unit;
    format!(
        "{name} (HOST=\"{host}\", PORT={port}, DB=\"{database}\", USER=\"{user}\", PASSWORD=\"{password}\")"
    )
}
