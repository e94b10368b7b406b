//! The servers, the proxy and the databases that all clients share.
//!
//! `leak` and `leak_b` are each one database of one server handed through, `leak_s` is sharded over two servers. Each has
//! pools of four connections.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use weir_harness::WeirProcess;
use weir_tests::{Account, Bed, Client, Reply};

use crate::tally::Tally;
use crate::twin::Twin;

/// Connections to each storage unit, as the issue says.
const POOL: u32 = 4;

/// User locks that all clients want.
pub(crate) const CONTESTED: usize = 4;

/// Rows that a client has of `shared` and `wide`, counted from its first one.
pub(crate) const ROWS: u32 = 100;

/// The databases, and the units behind them.
const DATABASES: [(&str, &[usize]); 3] = [("leak", &[0]), ("leak_b", &[0]), ("leak_s", &[0, 1])];

/// Dropped in this order.
pub(crate) struct Ground {
    pub(crate) weir: WeirProcess,
    bed: Bed,
    /// The client, by its number and 1, that holds each contested lock.
    pub(crate) holders: [AtomicU32; CONTESTED],
}

impl Ground {
    pub(crate) fn new(clients: u32) -> Self {
        // Nobody looks at the disks, and 64 clients would wait for them most of the time.
        let bed = Bed::with(2, |builder| builder.option("--innodb-flush-method=nosync"));
        let weir = WeirProcess::builder(&bed.sandbox)
            .argument("--workers=2")
            .start()
            .unwrap_or_else(|error| panic!("no proxy: {error:#}"));
        let ground = Self { weir, bed, holders: Default::default() };
        for (name, units) in DATABASES {
            ground.database(name, units);
        }
        for side in [ground.plain("leak"), ground.proxied("leak")] {
            std::thread::scope(|scope| {
                for part in 0..4 {
                    let side = &side;
                    scope.spawn(move || {
                        for client in (part..clients).step_by(4) {
                            let home = home(client);
                            own(&mut side.clone().database(home).client(), client);
                        }
                    });
                }
            });
        }
        ground
    }

    /// Creates a database and what is in it for everybody.
    fn database(&self, name: &str, units: &[usize]) {
        self.bed.plain().client().run(format!("CREATE DATABASE {name}"));
        let mut proxied = Account { database: None, ..self.proxied(name) }.client();
        proxied.run(format!("CREATE DATABASE {name}"));
        proxied.run(format!("USE {name}"));
        for &unit in units {
            self.bed.unit(unit).client().run(format!("CREATE DATABASE {name}_unit"));
            let server = self.bed.server(unit);
            proxied.run(format!(
                "REGISTER STORAGE UNIT ds_{unit} (HOST=\"127.0.0.1\", PORT={}, DB=\"{name}_unit\", USER=\"{}\", \
                 PASSWORD=\"{}\", PROPERTIES(\"maximumPoolSize\"={POOL}, \"minimumIdle\"=0, \
                 \"connectionTimeout\"=4000))",
                server.port(),
                server.user(),
                server.password()
            ));
        }
        if units.len() > 1 {
            for table in ["shared", "wide"] {
                proxied.run(format!(
                    "CREATE SHARDING TABLE RULE {table} (STORAGE_UNITS(ds_0, ds_1), SHARDING_COLUMN=id, \
                     TYPE(NAME=\"MOD\", PROPERTIES(\"sharding-count\"=4)))"
                ));
            }
        }
        for mut side in [self.plain(name).client(), proxied] {
            side.run("CREATE TABLE whoami (name VARCHAR(20))");
            side.run(format!("INSERT INTO whoami VALUES ('{name}')"));
            side.run("CREATE TABLE letters (l VARCHAR(10) NOT NULL PRIMARY KEY)");
            side.run(
                "INSERT INTO letters VALUES ('alpha'), ('beta'), ('gamma'), ('delta'), ('epsilon'), ('zeta')",
            );
            side.run("CREATE TABLE shared (id INT NOT NULL PRIMARY KEY, v INT NOT NULL)");
            side.run("CREATE TABLE wide (id INT NOT NULL PRIMARY KEY, v INT, s VARCHAR(20))");
        }
    }

    /// The plain server.
    pub(crate) fn plain(&self, database: &str) -> Account {
        self.bed.plain().database(database).capabilities(Twin::ABILITIES)
    }

    /// The proxy.
    pub(crate) fn proxied(&self, database: &str) -> Account {
        let account = Account { address: self.weir.address(), ..self.bed.proxy() };
        account.database(database).capabilities(Twin::ABILITIES)
    }

    /// Looks whether no pool has more connections than it may.
    pub(crate) fn watch(&self, tally: &Tally) {
        for (name, units) in DATABASES {
            for &unit in units {
                let ask =
                    format!("SELECT COUNT(*) FROM information_schema.processlist WHERE db = '{name}_unit'");
                let mut server = self.bed.unit(unit).client();
                // A server's thread may outlive its connection by a moment.
                let mut open = u32::MAX;
                for _ in 0..100 {
                    open = server.value(&ask).parse().unwrap_or(u32::MAX);
                    if open <= POOL {
                        break;
                    }
                    std::thread::sleep(Duration::from_millis(20));
                }
                if open > POOL {
                    tally.found(format!("{open} connections of {name} to unit {unit} where {POOL} may be"));
                }
            }
        }
    }

    /// Looks whether everything is gone that the clients had, and the proxy has not panicked.
    pub(crate) fn expect_nothing_left(&self, tally: &Tally) {
        const HELD: [&str; 3] = [
            "SELECT COUNT(*) FROM information_schema.innodb_trx",
            "SELECT COUNT(*) FROM information_schema.innodb_temp_table_info WHERE name NOT LIKE '#sql%ibd'",
            "SELECT COUNT(*) FROM information_schema.processlist WHERE command = 'Query' AND id <> CONNECTION_ID()",
        ];
        let deadline = Instant::now() + Duration::from_secs(20);
        for unit in 0..2 {
            let mut server = self.bed.unit(unit).client();
            for ask in HELD {
                while server.value(ask) != "0" {
                    if Instant::now() > deadline {
                        let shown = server.rows("SHOW FULL PROCESSLIST");
                        tally.found(format!(
                            "unit {unit} still answers {} to {ask}: {shown:?}",
                            server.value(ask)
                        ));
                        break;
                    }
                    // InnoDB gathers its transactions anew only when nobody has asked for a tenth of a second.
                    std::thread::sleep(Duration::from_millis(150));
                }
            }
            for name in (0..CONTESTED).map(|number| format!("contested{number}")) {
                if server.value(format!("SELECT IS_FREE_LOCK('{name}')")) != "1" {
                    tally.found(format!("unit {unit}: {name} is not free though every client is gone"));
                }
            }
        }
        let log = std::fs::read_to_string(self.weir.log()).unwrap_or_default();
        if let Some(panic) = log.lines().find(|line| line.contains("panicked")) {
            tally.found(format!("the proxy panicked: {panic}"));
        }
        if self.weir.pid().is_none() {
            tally.found("the proxy has ended".to_owned());
        }
        for holder in &self.holders {
            holder.store(0, Ordering::SeqCst);
        }
    }
}

/// Where a client has its own tables.
pub(crate) fn home(client: u32) -> &'static str {
    if client % 3 == 2 { "leak_s" } else { "leak" }
}

/// A client's own tables.
fn own(side: &mut Client, client: u32) {
    side.run(format!("CREATE TABLE own_{client} (id INT NOT NULL PRIMARY KEY, v INT, s VARCHAR(5))"));
    side.run(format!("CREATE TABLE auto_{client} (id INT NOT NULL AUTO_INCREMENT PRIMARY KEY, v INT)"));
    fill(side, client).unwrap_or_else(|fault| panic!("{fault}"));
}

/// Puts a client's rows as they were at the beginning.
pub(crate) fn fill(side: &mut Client, client: u32) -> Result<(), String> {
    let first = client * ROWS;
    let last = first + ROWS - 1;
    // The first and the last rows are never touched: locks of gaps do not reach the neighbours.
    let ids = || (0..20).chain(ROWS - 8..ROWS).map(|row| first + row);
    let shared: Vec<_> = ids().map(|id| format!("({id}, {id})")).collect();
    let wide: Vec<_> = ids().map(|id| format!("({id}, {id}, 'x')")).collect();
    for text in [
        format!("DELETE FROM own_{client}"),
        format!("INSERT INTO own_{client} VALUES (1, 10, 'a'), (2, 20, 'b'), (3, 30, NULL), (4, 40, 'd')"),
        format!("DELETE FROM auto_{client}"),
        format!("ALTER TABLE auto_{client} AUTO_INCREMENT = 1"),
        format!("DELETE FROM shared WHERE id BETWEEN {first} AND {last}"),
        format!("DELETE FROM wide WHERE id BETWEEN {first} AND {last}"),
        format!("INSERT INTO shared VALUES {}", shared.join(", ")),
        format!("INSERT INTO wide VALUES {}", wide.join(", ")),
    ] {
        match side.try_query(&text) {
            Ok(Reply::Error(fault)) => return Err(format!("{text}: {fault}")),
            Ok(_) => {}
            Err(failure) => return Err(format!("{text}: {failure}")),
        }
    }
    Ok(())
}
