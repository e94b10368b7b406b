//! Servers and a proxy for one test program, and databases in them that tests do not share.

use std::sync::LazyLock;

use weir_harness::sandbox::{Builder, WeirBuilder};
use weir_harness::{Sandbox, Server, WeirProcess};

use crate::client::{Account, Client};

/// How many storage units a sharded table lies on.
pub const UNITS: usize = 4;

/// The account of the proxy, as in `conf/server.yaml`.
const USER: &str = "root";

/// One plain MySQL for reference, some more as storage units, and a proxy in front of those.
///
/// Fields are dropped in this order: the proxy first.
#[derive(Debug)]
pub struct Bed {
    /// The proxy.
    pub weir: WeirProcess,
    /// The servers: the reference is the first, then the units.
    pub sandbox: Sandbox,
}

impl Bed {
    /// The bed that all tests of this program share. It ends with the program.
    #[must_use]
    pub fn shared() -> &'static Self {
        static SHARED: LazyLock<Bed> = LazyLock::new(|| Bed::new(UNITS));
        &SHARED
    }

    /// A bed of its own, for tests that break servers.
    #[must_use]
    pub fn new(units: usize) -> Self {
        Self::with(units, |builder| builder)
    }

    /// A bed of its own whose servers have further options.
    #[must_use]
    pub fn with<'a>(units: usize, adjust: impl FnOnce(Builder<'a>) -> Builder<'a>) -> Self {
        Self::adjusted(units, adjust, |weir| weir)
    }

    /// A bed of its own whose servers and proxy have further options.
    ///
    /// # Panics
    /// When something does not start: no test can go on then.
    #[must_use]
    pub fn adjusted<'a>(
        units: usize,
        adjust: impl FnOnce(Builder<'a>) -> Builder<'a>,
        proxy: impl FnOnce(WeirBuilder<'_>) -> WeirBuilder<'_>,
    ) -> Self {
        // The kernel's asynchronous requests are few, and tests run many servers side by side.
        let builder = Sandbox::builder()
            .mysql(units + 1)
            .option("--loose-innodb-use-native-aio=OFF")
            .option("--innodb-lock-wait-timeout=20")
            .option("--innodb-redo-log-capacity=32M");
        let sandbox = adjust(builder).start().unwrap_or_else(|error| panic!("no servers: {error:#}"));
        let weir = proxy(WeirProcess::builder(&sandbox)).start();
        let weir = weir.unwrap_or_else(|error| panic!("no proxy: {error:#}"));
        Self { weir, sandbox }
    }

    /// The proxy's account.
    #[must_use]
    pub fn proxy(&self) -> Account {
        Account::new(self.weir.address(), USER, USER)
    }

    /// The server that the proxy does not know of.
    #[must_use]
    pub fn plain(&self) -> Account {
        account(self.sandbox.server(0))
    }

    /// The server behind storage unit `ds_<number>`.
    #[must_use]
    pub fn server(&self, number: usize) -> &Server {
        self.sandbox.server(number + 1)
    }

    /// An account on that server.
    #[must_use]
    pub fn unit(&self, number: usize) -> Account {
        account(self.server(number))
    }

    /// A database on that server as a storage unit in DistSQL: `ds_<number> (…)`.
    #[must_use]
    pub fn definition(&self, number: usize, database: &str) -> String {
        let server = self.server(number);
        format!(
            "ds_{number} (HOST=\"127.0.0.1\", PORT={}, DB=\"{database}\", USER=\"{}\", PASSWORD=\"{}\")",
            server.port(),
            server.user(),
            server.password()
        )
    }

    /// How many servers there are behind the proxy.
    #[must_use]
    pub fn units(&self) -> usize {
        self.sandbox.servers().len() - 1
    }

    /// Creates a database of this name on the plain server, one for it on each unit, and the logical one that unites
    /// them as `ds_0`, `ds_1` …
    #[must_use]
    pub fn logical(&self, name: &str) -> Logical<'_> {
        self.logical_on(name, Setup::Units)
    }

    /// The same with rules in front of the units.
    #[must_use]
    pub fn logical_on(&self, name: &str, setup: Setup) -> Logical<'_> {
        let mut logical = self.bare(name);
        logical.setup = setup;
        let units: Vec<_> = (0..self.units()).map(|unit| logical.definition(unit)).collect();
        let client = &mut logical.client();
        client.run(format!("REGISTER STORAGE UNIT {}", units.join(", ")));
        if matches!(setup, Setup::Nested | Setup::Readwrite) {
            // The replica is the same database once more, so that it lags by nothing.
            let again: Vec<_> = units.iter().map(|unit| unit.replacen(" (", "_again (", 1)).collect();
            client.run(format!("REGISTER STORAGE UNIT {}", again.join(", ")));
            let rules = (0..self.units()).map(|unit| {
                format!(
                    "rw_{unit} (WRITE_STORAGE_UNIT=ds_{unit}, READ_STORAGE_UNITS(ds_{unit}_again), \
                     TYPE(NAME=\"RANDOM\"))"
                )
            });
            let rules: Vec<_> = rules.collect();
            client.run(format!("CREATE READWRITE_SPLITTING RULE {}", rules.join(", ")));
        }
        if matches!(setup, Setup::Nested | Setup::Shadow) {
            for number in 0..self.units() {
                self.unit(number).client().run(format!("CREATE DATABASE {}_shadow", logical.physical()));
            }
            let physical = format!("DB=\"{}", logical.physical());
            let shadows: Vec<_> = units
                .iter()
                .map(|unit| {
                    unit.replacen(" (", "_shadow (", 1).replace(&physical, &format!("{physical}_shadow"))
                })
                .collect();
            client.run(format!("REGISTER STORAGE UNIT {}", shadows.join(", ")));
            let source = if setup == Setup::Nested { "rw" } else { "ds" };
            let rules = (0..self.units()).map(|unit| {
                format!(
                    "sh_{unit} (SOURCE={source}_{unit}, SHADOW=ds_{unit}_shadow, \
                     t(TYPE(NAME=\"SIMPLE_HINT\", PROPERTIES(\"shadow\"=true))))"
                )
            });
            let rules: Vec<_> = rules.collect();
            client.run(format!("CREATE SHADOW RULE {}", rules.join(", ")));
        }
        logical
    }

    /// The same without registering the units.
    #[must_use]
    pub fn bare(&self, name: &str) -> Logical<'_> {
        let logical = Logical { bed: self, name: name.to_owned(), setup: Setup::Units };
        for number in 0..self.units() {
            self.unit(number).client().run(format!("CREATE DATABASE {}", logical.physical()));
        }
        self.plain().client().run(format!("CREATE DATABASE {name}"));
        self.proxy().client().run(format!("CREATE DATABASE {name}"));
        logical
    }
}

/// What stands between the tables of a logical database and its storage units. No answer may tell.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Setup {
    /// `sh_<n>`, whose production is a readwrite-splitting group.
    Nested,
    /// `rw_<n>`, whose replica is the written database itself.
    Readwrite,
    /// `sh_<n>`, whose production is a unit.
    Shadow,
    /// Nothing.
    #[default]
    Units,
}

impl Setup {
    /// How the names of the sources begin that tables are on.
    #[must_use]
    pub const fn prefix(self) -> &'static str {
        match self {
            Self::Nested | Self::Shadow => "sh",
            Self::Readwrite => "rw",
            Self::Units => "ds",
        }
    }
}

fn account(server: &Server) -> Account {
    Account::new(server.address(), server.user(), server.password())
}

/// A logical database and what it stands on.
#[derive(Debug)]
pub struct Logical<'a> {
    /// Where it is.
    pub bed: &'a Bed,
    /// Its name, on the plain server too.
    pub name: String,
    /// What its tables are on.
    pub setup: Setup,
}

impl Logical<'_> {
    /// The database's name on the units; another name, so that a mix-up shows.
    #[must_use]
    pub fn physical(&self) -> String {
        format!("{}_unit", self.name)
    }

    /// The storage unit of a server as DistSQL has it.
    #[must_use]
    pub fn definition(&self, unit: usize) -> String {
        self.bed.definition(unit, &self.physical())
    }

    /// Registers one storage unit with properties: `"maximumPoolSize"=1`.
    pub fn register(&self, unit: usize, properties: &str) {
        let unit = self.definition(unit);
        let unit = unit.trim_end_matches(')');
        self.client().run(format!("REGISTER STORAGE UNIT {unit}, PROPERTIES({properties}))"));
    }

    /// A rule as the guide has it: MOD 10 over all units.
    #[must_use]
    pub fn rule(&self, table: &str, column: &str) -> String {
        let prefix = self.setup.prefix();
        let units: Vec<_> = (0..self.bed.units()).map(|unit| format!("{prefix}_{unit}")).collect();
        format!(
            "CREATE SHARDING TABLE RULE {table} (STORAGE_UNITS({}), SHARDING_COLUMN={column}, \
             TYPE(NAME=\"MOD\", PROPERTIES(\"sharding-count\"=10)))",
            units.join(", ")
        )
    }

    /// Creates that rule.
    pub fn shard(&self, table: &str, column: &str) {
        self.client().run(self.rule(table, column));
    }

    /// The proxy's account in this database.
    #[must_use]
    pub fn account(&self) -> Account {
        self.bed.proxy().database(&self.name)
    }

    /// A session with the proxy.
    #[must_use]
    #[track_caller]
    pub fn client(&self) -> Client {
        self.account().client()
    }

    /// A session with the plain server.
    #[must_use]
    #[track_caller]
    pub fn plain(&self) -> Client {
        self.bed.plain().database(&self.name).client()
    }

    /// A session with the server behind a unit, in the unit's own database.
    #[must_use]
    #[track_caller]
    pub fn unit(&self, number: usize) -> Client {
        self.bed.unit(number).database(&self.physical()).client()
    }
}
