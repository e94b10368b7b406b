//! One server program with the folders it needs, and how its kind is prepared and run.

use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, ensure};

use super::Program;
use super::archive::{Archive, Suite, Unpacked};
use super::program::Loader;
use crate::progress::Progress;

/// The two kinds of server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Flavour {
    /// MariaDB.
    MariaDb,
    /// MySQL.
    MySql,
}

impl fmt::Display for Flavour {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::MariaDb => "mariadb",
            Self::MySql => "mysql",
        })
    }
}

/// A server program of one version.
#[derive(Debug, Clone)]
pub struct Distribution {
    program: Program,
    flavour: Flavour,
    version: String,
    /// Options that say where an unpacked server's own files are; none for the system's.
    paths: Vec<String>,
    /// The folder of the SQL files that make MariaDB's system tables.
    share: PathBuf,
}

impl Distribution {
    /// A server installed on this system.
    pub(super) fn system(file: PathBuf) -> Result<Self> {
        let share = file.parent().and_then(Path::parent).map(|prefix| prefix.join("share/mysql"));
        let share = share.unwrap_or_else(|| PathBuf::from("/usr/share/mysql"));
        let confined =
            Path::new("/etc/apparmor.d/usr.sbin.mysqld").is_file() && file == Path::new("/usr/sbin/mysqld");
        let loader = ["/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1"].map(PathBuf::from);
        let program = match loader.into_iter().find(|loader| confined && loader.is_file()) {
            // AppArmor's profile of the packaged service forbids data folders elsewhere; it goes by the program's path.
            Some(loader) => Program::through(file, Loader { file: loader, libraries: "".into() }),
            None => Program::system(file),
        };
        Self::examine(program, Vec::new(), share)
    }

    /// A server from unpacked packages.
    pub(super) fn unpacked(unpacked: &Unpacked, name: &str) -> Result<Self> {
        let share = unpacked.path("usr/share/mysql");
        let plugins = [unpacked.path("usr/lib/mysql/plugin"), unpacked.library("mariadb19/plugin")];
        let plugins = plugins.into_iter().find(|folder| folder.is_dir());
        let mut paths = vec![
            format!("--lc-messages-dir={}", share.display()),
            format!("--character-sets-dir={}/charsets", share.display()),
        ];
        paths.extend(plugins.map(|folder| format!("--plugin-dir={}", folder.display())));
        Self::examine(unpacked.program(name)?, paths, share)
    }

    /// The system's MariaDB, else the one of the system's own suite, unpacked with `packages`.
    pub(super) fn mariadb(packages: &[&str], progress: &dyn Progress) -> Result<Self> {
        for name in ["mariadbd", "mysqld"] {
            let server = Program::find(name).and_then(|file| Self::system(file).ok());
            if let Some(server) = server.filter(|server| server.flavour == Flavour::MariaDb) {
                return Ok(server);
            }
        }
        let unpacked = Archive::of_this_machine()?.unpack(Suite::Own, packages, progress)?;
        Self::unpacked(&unpacked, "mariadbd")
    }

    fn examine(program: Program, paths: Vec<String>, share: PathBuf) -> Result<Self> {
        let version = program.version("--version")?;
        let version = version.split_once("Ver ").map_or(version.as_str(), |(_, rest)| rest.trim()).to_owned();
        let flavour = if version.contains("MariaDB") { Flavour::MariaDb } else { Flavour::MySql };
        let major = version.split('.').next().and_then(|major| major.trim().parse::<u32>().ok());
        let major = major.with_context(|| format!("{program} names no version: {version}"))?;
        ensure!(major >= 8, "{program} is too old ({version}); 8.0 or later is needed");
        Ok(Self { program, flavour, version, paths, share })
    }

    /// MySQL or MariaDB.
    #[must_use]
    pub fn flavour(&self) -> Flavour {
        self.flavour
    }

    /// The version as the server prints it.
    #[must_use]
    pub fn version(&self) -> &str {
        &self.version
    }

    /// The server's own file.
    #[must_use]
    pub fn file(&self) -> &Path {
        self.program.file()
    }

    /// A command of the server without any configuration of the system; options may follow.
    #[must_use]
    pub fn command(&self) -> Command {
        let mut command = self.program.command();
        command.arg("--no-defaults").args(&self.paths);
        if rustix::process::geteuid().is_root() {
            command.arg("--user=root");
        }
        command
    }

    /// The folder of SQL files and error messages.
    pub(crate) fn share(&self) -> &Path {
        &self.share
    }
}

impl fmt::Display for Distribution {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.flavour, self.version)
    }
}
