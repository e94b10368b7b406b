//! Choosing a database, and what clients ask about one table.

use std::rc::Rc;
use std::sync::Arc;

use backend::Settings;
use bytes::BytesMut;
use meta::{Database, EncryptPart, Snapshot, StorageUnit, like};
use wire::errno;
use wire::reply::Change;

use crate::error::Problem;
use crate::session::Session;
use crate::text;

impl Session {
    pub(crate) async fn init_db(&mut self, name: &[u8]) -> Result<(), Problem> {
        let name = text::name(name, self.state.encoding).into_owned();
        self.use_database(&name).await
    }

    /// Makes a database the current one, and tells so a client that follows the state of its session.
    pub(crate) async fn use_database(&mut self, name: &str) -> Result<(), Problem> {
        self.check_database(name)?;
        let name = plan::system_schema(name).unwrap_or(name);
        self.set_schema(Some(Rc::from(name)));
        let mut changes = BytesMut::new();
        Change::Schema(name.as_bytes()).encode(&mut changes);
        let ok = wire::reply::Ok { raw_changes: Some(&changes), ..crate::reply::done(self.status()) };
        self.client.put_done(&ok);
        Ok(())
    }

    /// Whether a database is there and the account may use it.
    pub(crate) fn check_database(&self, name: &str) -> Result<(), Problem> {
        if self.local.snapshot().database(name).is_none() {
            // What every server has, any of them can tell.
            return match plan::system_schema(name) {
                Some(plan::INFORMATION_SCHEMA) => Ok(()),
                // They tell of everybody.
                Some(_) if self.is_administrator() => Ok(()),
                Some(_) => Err(self.denied(name)),
                None => Err(Problem::unknown_database(name)),
            };
        }
        if self.may_use(name) {
            return Ok(());
        }
        Err(self.denied(name))
    }

    /// The account may not use a database.
    pub(crate) fn denied(&self, name: &str) -> Problem {
        let message =
            format!("Access denied for user '{}' to database '{name}'", self.who.account.replace('@', "'@'"));
        Problem::new(errno::DATABASE_ACCESS_DENIED, message)
    }

    /// Some unit that can be asked what any of them would answer alike: of the current database, or without one of any
    /// that the account may use.
    pub(crate) fn any_unit(&self) -> Option<Arc<StorageUnit>> {
        self.alike_units().into_iter().next()
    }

    /// All units that can be asked so, those that are written to first.
    pub(crate) fn alike_units(&self) -> Vec<Arc<StorageUnit>> {
        let snapshot = self.local.snapshot();
        let database = match self.schema.as_deref() {
            Some(name) if plan::system_schema(name).is_none() => snapshot.database(name),
            _ => self.any_database(&snapshot),
        };
        let Some(database) = database else { return Vec::new() };
        let primaries: Vec<_> =
            database.sources.visible().map(|source| database.sources.primary(source)).collect();
        let (mut first, others): (Vec<_>, Vec<_>) =
            (0..).zip(database.units.values()).partition(|(at, _)| primaries.contains(at));
        first.extend(others);
        first.into_iter().map(|(_, unit)| Arc::clone(unit)).collect()
    }

    /// Some database with a unit that the account may use.
    pub(crate) fn any_database<'a>(&self, snapshot: &'a Snapshot) -> Option<&'a Arc<Database>> {
        let mut databases = snapshot.databases.values();
        databases.find(|database| !database.units.is_empty() && self.may_use(&database.name))
    }

    /// `COM_FIELD_LIST`: the columns of a table as bare definitions, each with an empty default.
    pub(crate) async fn field_list(&mut self, table: &[u8], wildcard: &[u8]) -> Result<(), Problem> {
        let wildcard = text::name(wildcard, self.state.encoding).into_owned();
        let name = text::name(table, self.state.encoding).into_owned();
        if let Some(system) = self.schema.as_deref().and_then(plan::system_schema) {
            return self.field_list_of(system, &name, &wildcard).await;
        }
        let database = self.database().ok_or_else(Problem::no_database)?;
        if database.is_unloaded(&name) {
            let message = format!("Table '{}.{name}' doesn't exist", database.name);
            return Err(Problem::new(errno::NO_SUCH_TABLE, message));
        }
        let quoted = name.replace('`', "``");
        let (unit, actual) = match database.sharding.table(&name) {
            Some(rule) => match rule.nodes.first() {
                Some(node) => (database.primary_unit(&node.unit), node.table.clone()),
                None => (None, name.clone()),
            },
            None => {
                let single = database.table(&name).and_then(|table| table.source.as_deref());
                let any =
                    || database.sources.visible().next().and_then(|source| database.sources.name(source));
                (single.or_else(any).and_then(|source| database.primary_unit(source)), quoted)
            }
        };
        let unit = unit.ok_or_else(|| Problem::unsupported("COM_FIELD_LIST without a storage unit"))?;
        let encrypt = database.encrypt.table(&name);
        let mut connection = self.lend(unit).await?;
        connection.apply(&Settings::default()).await.map_err(|error| Problem::backend(&error))?;
        let result = connection.query(&format!("SELECT * FROM `{actual}` LIMIT 0")).await;
        for mut column in result.map_err(|error| Problem::backend(&error))?.columns {
            match encrypt.and_then(|table| table.physical(&String::from_utf8_lossy(&column.name))) {
                Some((logical, EncryptPart::Cipher)) => {
                    column.name = logical.name.clone().into();
                    column.org_name = column.name.clone();
                }
                Some(_) => continue,
                None => {}
            }
            if !wildcard.is_empty() && !like(&wildcard, &String::from_utf8_lossy(&column.name)) {
                continue;
            }
            column.schema = database.name.clone().into();
            column.table = name.clone().into();
            column.org_table = name.clone().into();
            self.client.put(|out| column.encode_listed(out));
        }
        self.end_fields();
        Ok(())
    }

    /// The same of a table that every server has.
    async fn field_list_of(&mut self, system: &str, table: &str, wildcard: &str) -> Result<(), Problem> {
        let unit = self.server().ok_or_else(Problem::no_database)?;
        let mut connection = self.lend(&unit).await?;
        connection.apply(&Settings::default()).await.map_err(|error| Problem::backend(&error))?;
        let text = format!("SELECT * FROM `{system}`.`{}` LIMIT 0", table.replace('`', "``"));
        let columns = connection.query(&text).await.map_err(|error| Problem::backend(&error))?.columns;
        for column in columns {
            if wildcard.is_empty() || like(wildcard, &String::from_utf8_lossy(&column.name)) {
                self.client.put(|out| column.encode_listed(out));
            }
        }
        self.end_fields();
        Ok(())
    }

    fn end_fields(&mut self) {
        let capabilities = self.client.capabilities;
        let status = self.status();
        self.client.put(|out| wire::reply::put_end(out, &crate::reply::done(status), capabilities));
    }
}
