//! A proxy that one test has for itself.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use tempfile::TempDir;
use weir_harness::WeirProcess;

use crate::bed::Bed;
use crate::client::{Account, Client};

/// A proxy with a configuration of its own, in front of one database with a table `t (id, v)` on the first unit of a bed.
///
/// For tests that end a proxy, change its configuration or measure what it takes.
#[derive(Debug)]
pub struct Own {
    /// The proxy.
    pub weir: WeirProcess,
    /// The folder of its configuration.
    pub conf: TempDir,
    /// The database, on the server too.
    pub name: &'static str,
    bed: &'static Bed,
}

impl Own {
    /// Starts one. `props` are lines of `server.yaml`; who may log in is `root` with the password `root`.
    ///
    /// # Panics
    /// When it does not start: no test can go on then.
    #[must_use]
    pub fn new(bed: &'static Bed, name: &'static str, props: &[&str]) -> Self {
        Self::observed(bed, name, props, "")
    }

    /// The same with a text of `agent.yaml`.
    ///
    /// # Panics
    /// When it does not start: no test can go on then.
    #[must_use]
    pub fn observed(bed: &'static Bed, name: &'static str, props: &[&str], agent: &str) -> Self {
        let conf = tempfile::tempdir().unwrap_or_else(|error| panic!("no folder: {error}"));
        configure(conf.path(), &[("root", "root")], props);
        fs::write(conf.path().join("agent.yaml"), agent)
            .unwrap_or_else(|error| panic!("no agent.yaml: {error}"));
        let weir = WeirProcess::builder(&bed.sandbox).conf(conf.path()).start();
        let weir = weir.unwrap_or_else(|error| panic!("no proxy: {error:#}"));
        let own = Self { weir, conf, name, bed };
        let mut client = own.database(name, 1);
        client.run("CREATE TABLE t (id INT NOT NULL PRIMARY KEY, v INT)");
        client.run("INSERT INTO t VALUES (1, 1), (2, 2)");
        own
    }

    /// Makes a database of this name over so many units of the bed, and one on each of them.
    #[track_caller]
    fn database(&self, name: &str, units: usize) -> Client {
        let mut client = self.account().client();
        client.run(format!("CREATE DATABASE {name}"));
        client.run(format!("USE {name}"));
        for unit in 0..units {
            self.bed.unit(unit).client().run(format!("CREATE DATABASE {name}"));
            client.run(format!("REGISTER STORAGE UNIT {}", self.bed.definition(unit, name)));
        }
        client
    }

    /// Makes a further database of this name with a table over two units: by `id`, its four nodes in turn. `columns` are the
    /// others than that.
    #[must_use]
    #[track_caller]
    pub fn sharded(&self, name: &str, table: &str, columns: &str) -> Client {
        let mut client = self.database(name, 2);
        client.run(format!(
            "CREATE SHARDING TABLE RULE {table} (STORAGE_UNITS(ds_0, ds_1), SHARDING_COLUMN=id, \
             TYPE(NAME=\"MOD\", PROPERTIES(\"sharding-count\"=4)))"
        ));
        client.run(format!("CREATE TABLE {table} (id INT NOT NULL PRIMARY KEY, {columns})"));
        client
    }

    /// Its account.
    #[must_use]
    pub fn account(&self) -> Account {
        Account::new(self.weir.address(), "root", "root")
    }

    /// A session with it.
    #[must_use]
    #[track_caller]
    pub fn client(&self) -> Client {
        self.account().database(self.name).client()
    }

    /// A session with the server behind it.
    #[must_use]
    #[track_caller]
    pub fn server(&self) -> Client {
        self.bed.unit(0).database(self.name).client()
    }
}

/// Writes `server.yaml`: users with their passwords, and lines of `props`.
///
/// # Panics
/// When the file cannot be written.
pub fn configure(folder: &Path, users: &[(&str, &str)], props: &[&str]) {
    let mut text = "authority:\n  users:\n".to_owned();
    for (user, password) in users {
        let _ = write!(text, "    - user: {user}@%\n      password: {password}\n");
    }
    if !props.is_empty() {
        text.push_str("props:\n");
    }
    for line in props {
        let _ = writeln!(text, "  {line}");
    }
    fs::write(folder.join("server.yaml"), text)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
}
