//! Finds or fetches what the harness runs: MySQL, MariaDB, sysbench, HAProxy and the `mysql` command line.
//!
//! What the system has is used as it is. What it lacks is unpacked below cargo's target folder, once, from the
//! archive its own apt trusts; nothing of the system changes. A second run needs no network.

mod archive;
mod distribution;
pub mod place;
mod program;

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, anyhow, ensure};

use self::archive::{Archive, Family, Suite, Unpacked};
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
        let mysql = match std::env::var_os("WEIR_MYSQLD") {
            // A server named on purpose is used or the reason said; another in its place would mislead.
            Some(file) => Distribution::system(file.into()).context("$WEIR_MYSQLD is no server that runs")?,
            None => mysql(progress, &mut notices)
                .or_else(|lacking| in_place_of_mysql(lacking, progress, &mut notices))?,
        };
        let others = Others::provide(&mysql, progress)?;
        let client = others.program(&CLIENT)?;
        let (sysbench, scripts) = others.sysbench()?;
        let haproxy = others.program(&HAPROXY)?;
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
            Flavour::MariaDb => Distribution::mariadb(&["mariadb-server-core"], progress).context(
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

/// valgrind: the system's, or one unpacked.
pub fn valgrind(progress: &dyn Progress) -> Result<Program> {
    if let Some(file) = Program::find("valgrind") {
        return Ok(Program::system(file));
    }
    let unpacked = Archive::of_this_machine()
        .and_then(|archive| archive.unpack(Suite::Own, &["valgrind"], progress))
        .context(
            "this machine lacks valgrind; install it by hand (apt-get install valgrind) and try again",
        )?;
    // Its launcher was built for this very system; it looks for its tools where the package would have put them.
    let (launcher, tools) = (unpacked.path("usr/bin/valgrind.bin"), unpacked.path("usr/libexec/valgrind"));
    ensure!(launcher.is_file(), "the package valgrind has no {}", launcher.display());
    Ok(Program::system(launcher).with_env("VALGRIND_LIB", tools))
}

/// MariaDB's command line: the system's, or one unpacked.
pub fn mariadb_client(progress: &dyn Progress) -> Result<Program> {
    if let Some(file) = Program::find("mariadb") {
        return Ok(Program::system(file));
    }
    let unpacked = Archive::of_this_machine()
        .and_then(|archive| archive.unpack(Suite::Own, &["mariadb-client-core", "libmariadb3"], progress))
        .context("no mariadb client; install one by hand (apt-get install mariadb-client) and try again")?;
    let plugins = unpacked.library("libmariadb3/plugin");
    Ok(unpacked.program("mariadb")?.with_env("MARIADB_PLUGIN_DIR", plugins))
}

/// A real MySQL: the system's, or one unpacked.
fn mysql(progress: &dyn Progress, notices: &mut Vec<String>) -> Result<Distribution> {
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

/// MariaDB, with words about why.
fn in_place_of_mysql(
    lacking: anyhow::Error,
    progress: &dyn Progress,
    notices: &mut Vec<String>,
) -> Result<Distribution> {
    let all = ["mariadb-server-core", "mariadb-client-core", "sysbench", "haproxy"];
    let mariadb = Distribution::mariadb(&all, progress).map_err(|error| {
        anyhow!(
            "no server to run, neither MySQL ({lacking:#}) nor MariaDB ({error:#}); check the network and try again, \
             or install one by hand (apt-get install mysql-server-core-8.0 on Ubuntu, mariadb-server-core on Debian), \
             or name a mysqld in $WEIR_MYSQLD"
        )
    })?;
    notices.push(format!("running {mariadb} in place of MySQL, which is not to be had: {lacking:#}"));
    Ok(mariadb)
}

/// A program by its names and the package it comes in.
struct Wanted {
    names: &'static [&'static str],
    package: fn(&Distribution) -> &'static str,
}

const CLIENT: Wanted = Wanted {
    names: &["mysql", "mariadb"],
    package: |server| match server.flavour() {
        Flavour::MariaDb => "mariadb-client-core",
        Flavour::MySql if server.version().starts_with("8.0") => "mysql-client-core-8.0",
        Flavour::MySql if server.version().starts_with("8.4") => "mysql-client-core-8.4",
        Flavour::MySql => "mysql-client-core",
    },
};
const HAPROXY: Wanted = Wanted { names: &["haproxy"], package: |_| "haproxy" };
const SYSBENCH: Wanted = Wanted { names: &["sysbench"], package: |_| "sysbench" };

impl Wanted {
    fn on_the_system(&self) -> Option<PathBuf> {
        self.names.iter().find_map(|name| Program::find(name))
    }
}

/// The programs beside the server: the system's, and for those it lacks one folder of unpacked packages.
struct Others {
    unpacked: Option<Unpacked>,
}

impl Others {
    fn provide(server: &Distribution, progress: &dyn Progress) -> Result<Self> {
        let lacking =
            [CLIENT, HAPROXY, SYSBENCH].into_iter().filter(|wanted| wanted.on_the_system().is_none());
        let lacking: Vec<_> = lacking.map(|wanted| (wanted.package)(server)).collect();
        if lacking.is_empty() {
            return Ok(Self { unpacked: None });
        }
        // From where the server came from, if it was unpacked: then they are there already.
        let unstable = server
            .file()
            .strip_prefix(place::tools())
            .is_ok_and(|below| below.to_string_lossy().starts_with("sid-"));
        let suite = if unstable { Suite::Unstable } else { Suite::Own };
        let unpacked =
            Archive::of_this_machine().and_then(|archive| archive.unpack(suite, &lacking, progress));
        let unpacked = unpacked.with_context(|| {
            let packages = lacking.join(" ");
            format!("this machine lacks {packages}; install them by hand (apt-get install {packages}) and try again")
        })?;
        Ok(Self { unpacked: Some(unpacked) })
    }

    fn program(&self, wanted: &Wanted) -> Result<Program> {
        if let Some(file) = wanted.on_the_system() {
            return Ok(Program::system(file));
        }
        let unpacked = self.unpacked.as_ref().into_iter();
        let mut found =
            unpacked.flat_map(|folder| wanted.names.iter().filter_map(|name| folder.program(name).ok()));
        found.next().with_context(|| format!("no {} in the unpacked packages", wanted.names.join(" or ")))
    }

    /// sysbench and the folder of its scripts.
    fn sysbench(&self) -> Result<(Program, PathBuf)> {
        let program = self.program(&SYSBENCH)?;
        let prefix = program.file().ancestors().nth(2).unwrap_or_else(|| Path::new("/usr"));
        let scripts = prefix.join("share/sysbench");
        ensure!(
            scripts.join("oltp_common.lua").is_file(),
            "{program} has no scripts in {}",
            scripts.display()
        );
        let Some(unpacked) = &self.unpacked else { return Ok((program, scripts)) };
        let modules = format!("{}/?.lua;;", scripts.display());
        let plugins = unpacked.library("libmariadb3/plugin");
        Ok((program.with_env("LUA_PATH", modules).with_env("MARIADB_PLUGIN_DIR", plugins), scripts))
    }
}
