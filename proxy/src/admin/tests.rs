//! DistSQL from its text to the answer, over servers that are a book of answers.

mod audit;
mod changes;
mod columns;
mod configuration;
mod house;
mod queries;
mod readwrite;
mod shadow;
mod sharding;
mod single;

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, HashSet};
use std::path::Path;

use meta::{StorageUnit, Table, TableColumn, UnitId};

use super::servers::Failure;
use super::*;

/// Port on which nobody listens.
const CLOSED: u16 = 1;

/// Servers by port, each with its tables.
#[derive(Debug, Default)]
struct Book {
    tables: RefCell<BTreeMap<u16, Vec<&'static str>>>,
    asked: Cell<usize>,
    /// Units that were live when pools were last let go of.
    live: RefCell<HashSet<u32>>,
    /// Replicas that are watched.
    watched: RefCell<Vec<String>>,
}

impl Servers for Book {
    async fn tables(&self, unit: &StorageUnit) -> Result<Vec<String>, Failure> {
        self.asked.set(self.asked.get() + 1);
        if unit.spec.port == CLOSED || unit.spec.password == "wrong" {
            return Err(format!("storage unit '{}' ({}) cannot be reached", unit.name, unit.spec.address()));
        }
        let tables = self.tables.borrow();
        let names = tables.get(&unit.spec.port).map(Vec::as_slice).unwrap_or_default();
        Ok(names.iter().map(|name| (*name).to_owned()).collect())
    }

    async fn table(&self, unit: &StorageUnit, name: &str) -> Result<Option<Table>, Failure> {
        // As a server on Linux: letter case tells tables apart.
        let found = self.tables(unit).await?.into_iter().find(|it| it == name);
        let column = TableColumn {
            name: "id".into(),
            data_type: "bigint".into(),
            collation: None,
            auto_increment: false,
            unsigned: false,
            limit: None,
        };
        Ok(found.map(|name| Table { name, source: Some(unit.name.clone()), columns: vec![column] }))
    }

    fn watch(&self, units: Vec<Arc<StorageUnit>>) {
        *self.watched.borrow_mut() = units.iter().map(|unit| unit.name.clone()).collect();
    }

    /// Of the first unit alone: the others were not used.
    fn pools(&self) -> Vec<backend::PoolStats> {
        vec![backend::PoolStats {
            unit: "ds_0".into(),
            id: UnitId(0),
            active: 4,
            idle: 2,
            waiting: 250,
            active_limit: 5,
            limit: 50,
            opened: 9,
            closed: 3,
            failed: 1,
            given_up: 7,
            waits: backend::Waits::default(),
            received: 0,
            sent: 0,
        }]
    }

    fn retain(&self, live: &dyn Fn(UnitId) -> bool) {
        *self.live.borrow_mut() = (0..100).filter(|id| live(UnitId(*id))).collect();
    }
}

/// The proxy without sessions, over a data folder.
struct Bench {
    admin: Admin<Book>,
    folder: tempfile::TempDir,
}

impl Bench {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        Self { admin: open(folder.path(), Book::default()), folder }
    }

    /// With database `db` and four units over servers with these tables.
    fn guide(tables: &[(u16, &[&'static str])]) -> Self {
        let bench = Self::new();
        for (port, names) in tables {
            bench.admin.servers.tables.borrow_mut().insert(*port, names.to_vec());
        }
        block(bench.admin.create_database("db", Otherwise::Fail)).unwrap();
        bench.ok(
            "REGISTER STORAGE UNIT ds_0 (HOST=\"127.0.0.1\", PORT=13306, DB=\"sbtest\", USER=\"test\", \
             PASSWORD=\"test\"), ds_1 (HOST=\"127.0.0.1\", PORT=13307, DB=\"sbtest\", USER=\"test\", \
             PASSWORD=\"test\"), ds_2 (URL=\"jdbc:mysql://127.0.0.1:13308/sbtest\", USER=\"test\", \
             PASSWORD=\"test\"), ds_3 (HOST=\"127.0.0.1\", PORT=13309, DB=\"sbtest\", USER=\"test\", \
             PASSWORD=\"test\", PROPERTIES(\"maximumPoolSize\"=10, \"x\"=\"y\"));",
        );
        bench
    }

    /// Stops and starts again over the same folder.
    fn restart(self) -> Self {
        let Self { admin, folder } = self;
        let servers = admin.servers;
        drop(admin.store);
        Self { admin: open(folder.path(), servers), folder }
    }

    fn run(&self, database: Option<&str>, text: &str) -> Result<Answer, Error> {
        let statement = distsql::parse(text).unwrap().unwrap();
        block(self.admin.execute(database, &statement))
    }

    fn ok(&self, text: &str) {
        assert_eq!(self.run(Some("db"), text), Ok(Answer::Ok), "{text}");
    }

    /// Number, SQLSTATE and text of a refusal; nothing may have changed.
    fn refusal(&self, text: &str) -> String {
        let before = self.admin.published.load();
        let error = self.run(Some("db"), text).unwrap_err();
        assert_eq!(self.admin.published.load().epoch, before.epoch, "{text}");
        format!("{} ({}): {}", error.code, error.state, error.message)
    }

    /// Columns and rows, one line each, cells between bars.
    fn rows(&self, text: &str) -> Vec<String> {
        let (columns, rows) = match self.run(Some("db"), text).unwrap() {
            Answer::Named { columns, rows } => (columns, rows),
            Answer::Ok => panic!("{text} has no rows"),
            Answer::Rows { columns, rows } => (columns.into_iter().map(str::to_owned).collect(), rows),
        };
        assert!(rows.iter().all(|row| row.len() == columns.len()), "{text}");
        let lines = rows.into_iter().map(|row| {
            let cells: Vec<_> = row.into_iter().map(|cell| cell.unwrap_or_else(|| "NULL".into())).collect();
            cells.join("|")
        });
        std::iter::once(columns.join("|")).chain(lines).collect()
    }

    fn database(&self) -> Arc<Database> {
        Arc::clone(self.admin.published.load().database("db").unwrap())
    }

    /// Single tables as `unit.table`.
    fn singles(&self) -> Vec<String> {
        let database = self.database();
        let singles =
            database.tables.values().filter_map(|it| Some(format!("{}.{}", it.source.as_ref()?, it.name)));
        let mut singles: Vec<_> = singles.collect();
        singles.sort();
        singles
    }
}

fn open(folder: &Path, servers: Book) -> Admin<Book> {
    Admin::open(folder, &Config::default(), servers).unwrap()
}

fn block<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(future)
}
