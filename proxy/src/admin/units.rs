//! `REGISTER`, `ALTER`, `UNREGISTER` and `SHOW STORAGE UNITS` (`distsql.md` §2, §9), and what their pools do.

use std::sync::Arc;
use std::time::Duration;

use backend::PoolStats;
use distsql::unit::{self, Ignored, Statement};
use futures_util::future::join_all;
use meta::{Database, Otherwise, RuleKind, SingleTables, Snapshot, StorageUnit, TlsMode, UnitSpec, like};

use super::error::invalid_unit;
use super::{Admin, Answer, Error, Servers, cell, otherwise, tables};

/// Units of a statement, read.
type Definitions = Vec<(String, UnitSpec)>;

impl<S: Servers> Admin<S> {
    pub(super) async fn units(&self, current: Option<&str>, statement: &Statement) -> Result<Answer, Error> {
        match statement {
            Statement::Show { database, usage, like } => {
                return Ok(show(&*self.named(database, current)?, *usage, like.as_deref()));
            }
            Statement::ShowPools { database, like } => {
                return Ok(pools(&*self.named(database, current)?, like.as_deref(), self.servers.pools()));
            }
            Statement::ShowRules { unit, database } => return rules(&*self.named(database, current)?, unit),
            Statement::Alter { .. } | Statement::Register { .. } | Statement::Unregister { .. } => {}
        }
        let _turn = self.turn.lock().await;
        let snapshot = self.published.load();
        let database = self.current(current)?;
        let name = database.name.as_str();
        match statement {
            Statement::Alter { units } => self.alter(&snapshot, name, units).await?,
            Statement::Register { if_not_exists, units } => {
                self.register(&snapshot, name, units, otherwise(*if_not_exists)).await?;
            }
            Statement::Unregister { if_exists, names, ignored } => {
                self.unregister(name, names, otherwise(*if_exists), *ignored)?;
            }
            Statement::Show { .. } | Statement::ShowPools { .. } | Statement::ShowRules { .. } => {}
        }
        Ok(Answer::Ok)
    }

    /// All units or none: every new one has to let us in first.
    async fn register(
        &self,
        snapshot: &Snapshot,
        database: &str,
        units: &[unit::Unit],
        otherwise: Otherwise,
    ) -> Result<(), Error> {
        let definitions = read(units)?;
        let next = snapshot.register_units(database, definitions.clone(), otherwise)?;
        let found = self.survey(&units_behind(snapshot, &next, database)).await?;
        self.commit(|snapshot| {
            let next = snapshot.register_units(database, definitions, otherwise)?;
            tables::place(&next, database, found)
        })?;
        Ok(())
    }

    async fn alter(&self, snapshot: &Snapshot, database: &str, units: &[unit::Unit]) -> Result<(), Error> {
        let definitions = read(units)?;
        let next = snapshot.alter_units(database, definitions.clone())?;
        let found = self.survey(&units_behind(snapshot, &next, database)).await?;
        self.commit(|snapshot| {
            let next = snapshot.alter_units(database, definitions)?;
            tables::place(&next, database, found)
        })?;
        self.retain();
        Ok(())
    }

    fn unregister(
        &self,
        database: &str,
        names: &[String],
        otherwise: Otherwise,
        ignored: Ignored,
    ) -> Result<(), Error> {
        let singles = if ignored.single { SingleTables::Ignore } else { SingleTables::Count };
        self.commit(|snapshot| snapshot.unregister_units(database, names, otherwise, singles))?;
        self.retain();
        Ok(())
    }

    /// The tables of units, all asked at the same time; every unit that fails is named.
    pub(super) async fn survey(
        &self,
        units: &[Arc<StorageUnit>],
    ) -> Result<Vec<(String, Vec<String>)>, Error> {
        let answers = join_all(units.iter().map(|unit| self.servers.tables(unit))).await;
        let (mut found, mut failures) = (Vec::new(), Vec::new());
        for (unit, answer) in units.iter().zip(answers) {
            match answer {
                Ok(tables) => found.push((unit.name.clone(), tables)),
                Err(reason) => failures.push(invalid_unit(&unit.name, &reason)),
            }
        }
        if failures.is_empty() { Ok(found) } else { Err(Error::invalid_units(failures)) }
    }
}

/// Reads definitions; the first wrong one is the error.
fn read(units: &[unit::Unit]) -> Result<Definitions, Error> {
    units
        .iter()
        .map(|unit| {
            let address = match &unit.address {
                unit::Address::Host { host, port, database } => {
                    meta::Address::Host { host: host.clone(), port: *port, database: database.clone() }
                }
                unit::Address::Url(url) => meta::Address::Url(url.clone()),
            };
            UnitSpec::parse(&address, &unit.user, &unit.password, &unit.properties)
                .map(|spec| (unit.name.clone(), spec))
                .map_err(|error| Error::definition(&unit.name, &error))
        })
        .collect()
}

/// Units that are in the second snapshot only.
fn units_behind(before: &Snapshot, after: &Snapshot, database: &str) -> Vec<Arc<StorageUnit>> {
    let units = |snapshot: &Snapshot| -> Vec<Arc<StorageUnit>> {
        snapshot.database(database).map(|it| it.units.values().cloned().collect()).unwrap_or_default()
    };
    let old: Vec<_> = units(before).iter().map(|unit| unit.id).collect();
    units(after).into_iter().filter(|unit| !old.contains(&unit.id)).collect()
}

/// `SHOW STORAGE UNITS`.
fn show(database: &Database, usage: Option<u64>, pattern: Option<&str>) -> Answer {
    let shown = database
        .units
        .values()
        .filter(|unit| usage.is_none_or(|count| database.users_of(&unit.name).len() as u64 == count))
        .filter(|unit| pattern.is_none_or(|pattern| like(pattern, &unit.name)));
    Answer::Rows {
        columns: vec![
            "name",
            "type",
            "host",
            "port",
            "db",
            "connection_timeout_milliseconds",
            "idle_timeout_milliseconds",
            "max_lifetime_milliseconds",
            "max_pool_size",
            "min_pool_size",
            "read_only",
            "other_attributes",
        ],
        rows: shown.map(|unit| row(unit)).collect(),
    }
}

fn row(unit: &StorageUnit) -> Vec<Option<String>> {
    let spec = &unit.spec;
    let pool = &spec.pool;
    vec![
        cell(&unit.name),
        cell("MySQL"),
        cell(&spec.host),
        cell(spec.port.to_string()),
        cell(&spec.database),
        cell(pool.connection_timeout.as_millis().to_string()),
        cell(pool.idle_timeout.as_millis().to_string()),
        cell(pool.max_lifetime.as_millis().to_string()),
        cell(pool.max.to_string()),
        cell(pool.min.to_string()),
        cell(pool.read_only.to_string()),
        cell(other_attributes(spec)),
    ]
}

/// `SHOW STORAGE UNIT POOLS`: the connections of every unit, and the sessions that wait for one. A unit that was not used yet
/// has none.
fn pools(database: &Database, pattern: Option<&str>, stats: Vec<PoolStats>) -> Answer {
    let shown =
        database.units.values().filter(|unit| pattern.is_none_or(|pattern| like(pattern, &unit.name)));
    let millis = |time: Duration| format!("{:.3}", time.as_secs_f64() * 1000.0);
    let row = |unit: &Arc<StorageUnit>| {
        let pool = stats.iter().find(|pool| pool.id == unit.id)?;
        let counts =
            [pool.active, pool.idle, pool.waiting, pool.active_limit, pool.limit].map(|count| count as u64);
        let events = [pool.opened, pool.closed, pool.failed, pool.waits.count(), pool.given_up];
        let waits = [pool.waits.mean(), pool.waits.quantile(0.5), pool.waits.quantile(0.99)];
        let numbers = counts.into_iter().chain(events).map(|number| cell(number.to_string()));
        Some(
            [cell(&unit.name)]
                .into_iter()
                .chain(numbers)
                .chain(waits.map(|wait| cell(millis(wait))))
                .collect(),
        )
    };
    Answer::Rows {
        columns: vec![
            "name",
            "active",
            "idle",
            "waiting",
            "active_limit",
            "max_pool_size",
            "opened",
            "closed",
            "failed",
            "waits",
            "waits_in_vain",
            "wait_mean_milliseconds",
            "wait_p50_milliseconds",
            "wait_p99_milliseconds",
        ],
        rows: shown.filter_map(row).collect(),
    }
}

/// What has no column of its own, as JSON; empty when there is nothing.
fn other_attributes(spec: &UnitSpec) -> String {
    let mut all = serde_json::Map::new();
    if !spec.pool.keepalive.is_zero() {
        all.insert("keepaliveTime".to_owned(), spec.pool.keepalive.as_millis().to_string().into());
    }
    if let Some(active) = spec.pool.active {
        all.insert("maximumActive".to_owned(), active.to_string().into());
    }
    if spec.tls == TlsMode::Required {
        all.insert("sslMode".to_owned(), "REQUIRED".into());
    }
    for (name, value) in &spec.other {
        all.insert(name.clone(), value.clone().into());
    }
    if all.is_empty() { String::new() } else { serde_json::Value::Object(all).to_string() }
}

/// `SHOW RULES USED STORAGE UNIT`.
fn rules(database: &Database, unit: &str) -> Result<Answer, Error> {
    database.require_sources([&unit.to_owned()])?;
    let tables = database.sharding.tables.values();
    let sharded = tables
        .filter(|table| table.units().iter().any(|it| it == unit))
        .map(|table| vec![cell("sharding"), cell(&table.spec.name)]);
    let choosing = database.sources.users(unit).map(|(kind, name)| {
        let kind = if kind == RuleKind::Readwrite { "readwrite_splitting" } else { "shadow" };
        vec![cell(kind), cell(name)]
    });
    let rows = sharded.chain(choosing).collect();
    Ok(Answer::Rows { columns: vec!["type", "name"], rows })
}
