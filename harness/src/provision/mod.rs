//! Finds or fetches what the harness runs: MySQL, MariaDB, sysbench, HAProxy and the `mysql` command line.
//!
//! What the system has is used as it is. What it lacks is unpacked below cargo's target folder, once, from the
//! archive its own apt trusts; nothing of the system changes. A second run needs no network.

mod archive;
mod distribution;
pub mod place;
mod program;

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, anyhow};

use self::archive::{Archive, Family, Suite};
pub use self::distribution::{Distribution, Flavour};
pub use self::program::Program;
use crate::progress::Progress;

/// The programs of this machine, found or unpacked.
#[derive(Debug, Clone)]
pub struct Tools {
    mysql: Distribution,
    client: Program,
    sysbench: Program,
    scripts: PathBuf,
    haproxy: Program,
    notices: Vec<String>,
}

impl Tools {
    /// Finds everything, fetches what is missing. Several processes may call this at once.
    pub fn provide(progress: &dyn Progress) -> Result<Self> {
        let mut notices = Vec::new();
        let mysql = match mysql(progress, &mut notices) {
            Ok(mysql) => mysql,
            Err(lacking) => {
                let mariadb = Distribution::mariadb(progress).map_err(|error| {
                    anyhow!(
                        "no MySQL server: {lacking:#}\nno MariaDB server instead: {error:#}\n\
                         install one by hand (apt-get install mysql-server-core-8.0 or mariadb-server-core), \
                         or name a mysqld in $WEIR_MYSQLD"
                    )
                })?;
                notices.push(format!(
                    "running {mariadb} in place of MySQL, which is not to be had: {lacking:#}"
                ));
                mariadb
            }
        };
        let suite = fetching_suite(&mysql);
        let client = tool(&["mysql", "mariadb"], client_package(&mysql)?, suite, progress)?;
        let (sysbench, scripts) = sysbench(suite, progress)?;
        let haproxy = tool(&["haproxy"], "haproxy", suite, progress)?;
        for notice in &notices {
            progress.notice(notice);
        }
        Ok(Self { mysql, client, sysbench, scripts, haproxy, notices })
    }

    /// The server to run for `flavour`; MariaDB is found or fetched when first asked for.
    pub fn server(&self, flavour: Flavour, progress: &dyn Progress) -> Result<Distribution> {
        match flavour {
            Flavour::MySql => Ok(self.mysql.clone()),
            Flavour::MariaDb if self.mysql.flavour() == Flavour::MariaDb => Ok(self.mysql.clone()),
            Flavour::MariaDb => Distribution::mariadb(progress).context(
                "no MariaDB server; install one by hand (apt-get install mariadb-server-core) and try again",
            ),
        }
    }

    /// The MySQL server, or what stands in for it.
    #[must_use]
    pub fn mysql(&self) -> &Distribution {
        &self.mysql
    }

    /// The `mysql` command line.
    #[must_use]
    pub fn client(&self) -> &Program {
        &self.client
    }

    /// sysbench, ready to find its own Lua modules.
    #[must_use]
    pub fn sysbench(&self) -> &Program {
        &self.sysbench
    }

    /// The folder of sysbench's stock scripts (`oltp_*.lua`).
    #[must_use]
    pub fn scripts(&self) -> &Path {
        &self.scripts
    }

    /// HAProxy.
    #[must_use]
    pub fn haproxy(&self) -> &Program {
        &self.haproxy
    }

    /// What is not as it should be, in words for a report.
    #[must_use]
    pub fn notices(&self) -> &[String] {
        &self.notices
    }

    /// Every program with its version, for reports.
    pub fn versions(&self) -> Result<Vec<(&'static str, String)>> {
        Ok(vec![
            ("server", self.mysql.version().to_owned()),
            ("sysbench", self.sysbench.version("--version")?),
            ("haproxy", self.haproxy.version("-v")?),
        ])
    }
}

/// A real MySQL: the one named, the system's, or one unpacked.
fn mysql(progress: &dyn Progress, notices: &mut Vec<String>) -> Result<Distribution> {
    if let Some(file) = std::env::var_os("WEIR_MYSQLD") {
        return Distribution::system(PathBuf::from(file)).context("$WEIR_MYSQLD is no server that runs");
    }
    if let Some(file) = Program::find("mysqld") {
        match Distribution::system(file.clone()) {
            Ok(server) if server.flavour() == Flavour::MySql => return Ok(server),
            Ok(_) => {}
            Err(error) => notices.push(format!("{} is not used: {error:#}", file.display())),
        }
    }
    let archive = Archive::of_this_machine()?;
    let (suite, packages): (_, &[&str]) = match archive.family {
        Family::Debian => {
            (Suite::Unstable, &["mysql-server-core", "mysql-client-core", "sysbench", "haproxy"])
        }
        Family::Ubuntu => {
            (Suite::Own, &["mysql-server-core-8.0", "mysql-client-core-8.0", "sysbench", "haproxy"])
        }
    };
    let newer = ["mysql-server-core-8.4", "mysql-client-core-8.4", "sysbench", "haproxy"];
    let unpacked = archive.unpack(suite, packages, progress).or_else(|error| match archive.family {
        Family::Debian => Err(error),
        Family::Ubuntu => archive.unpack(suite, &newer, progress).map_err(|_| error),
    })?;
    Distribution::unpacked(&unpacked, "mysqld")
}

/// Where the other programs come from when the system lacks them: the folder the server came from, if it did.
fn fetching_suite(mysql: &Distribution) -> Suite {
    let unstable = mysql.file().starts_with(place::tools().join("sid-amd64"))
        || mysql.file().starts_with(place::tools().join("sid-arm64"));
    if unstable { Suite::Unstable } else { Suite::Own }
}

fn client_package(mysql: &Distribution) -> Result<&'static str> {
    Ok(match (mysql.flavour(), Archive::of_this_machine()?.family) {
        (Flavour::MariaDb, _) => "mariadb-client-core",
        (Flavour::MySql, Family::Debian) => "mysql-client-core",
        (Flavour::MySql, Family::Ubuntu) if mysql.version().contains(" 8.0") => "mysql-client-core-8.0",
        (Flavour::MySql, Family::Ubuntu) => "mysql-client-core-8.4",
    })
}

/// The system's program of one of these names, else the same from a package.
fn tool(names: &[&str], package: &str, suite: Suite, progress: &dyn Progress) -> Result<Program> {
    if let Some(file) = names.iter().find_map(|name| Program::find(name)) {
        return Ok(Program::system(file));
    }
    let unpacked = Archive::of_this_machine()?.unpack(suite, &[package], progress).with_context(|| {
        format!(
            "no {} on this machine; install it by hand (apt-get install {package}) and try again",
            names[0]
        )
    })?;
    names
        .iter()
        .find_map(|name| unpacked.program(name).ok())
        .with_context(|| format!("{package} has no {}", names[0]))
}

/// sysbench and the folder of its scripts.
fn sysbench(suite: Suite, progress: &dyn Progress) -> Result<(Program, PathBuf)> {
    if let Some(file) = Program::find("sysbench") {
        let beside = file.parent().and_then(Path::parent).map(|prefix| prefix.join("share/sysbench"));
        if let Some(scripts) = beside.filter(|folder| folder.join("oltp_common.lua").is_file()) {
            return Ok((Program::system(file), scripts));
        }
    }
    let unpacked = Archive::of_this_machine()?.unpack(suite, &["sysbench"], progress).context(
        "no sysbench on this machine; install it by hand (apt-get install sysbench) and try again",
    )?;
    let scripts = unpacked.path("usr/share/sysbench");
    let program = unpacked
        .program("sysbench")?
        .with_env("LUA_PATH", format!("{}/?.lua;;", scripts.display()))
        .with_env("MARIADB_PLUGIN_DIR", unpacked.library("libmariadb3/plugin"));
    Ok((program, scripts))
}
