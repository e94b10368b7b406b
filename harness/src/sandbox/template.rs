//! A data folder that is prepared once per server version and then copied for each server.
//!
//! Accounts: `root` without a password on the local socket only; `test` with password `test` and all privileges from
//! everywhere. One empty database, `sbtest`.

use std::fs::{self, File};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context as _, Result, bail, ensure};

use super::server::await_greeting;
use super::watcher::Watcher;
use crate::progress::Progress;
use crate::provision::{Distribution, Flavour, place};

/// The account and database of every server.
pub(super) const USER: &str = "test";
pub(super) const PASSWORD: &str = "test";
pub(super) const DATABASE: &str = "sbtest";

const ACCOUNTS: &str = "CREATE USER 'test'@'%' IDENTIFIED BY 'test';\n\
    GRANT ALL ON *.* TO 'test'@'%' WITH GRANT OPTION;\n\
    CREATE DATABASE sbtest;\n";
/// MariaDB's system tables, in the order its own installer loads them.
const SYSTEM_TABLES: [&str; 5] = [
    "mysql_system_tables.sql",
    "mysql_performance_tables.sql",
    "mysql_system_tables_data.sql",
    "fill_help_tables.sql",
    "maria_add_gis_sp_bootstrap.sql",
];

/// The prepared data folder of this version, made now if it is not there yet.
pub(super) fn provide(distribution: &Distribution, progress: &dyn Progress) -> Result<PathBuf> {
    let mut hasher = DefaultHasher::new();
    (distribution.version(), distribution.file(), ACCOUNTS).hash(&mut hasher);
    let label = format!("data-{}-{:016x}", distribution.flavour(), hasher.finish());
    let tools = place::tools();
    let place = tools.join(&label);
    let _alone = place::lock(&tools, &label)?;
    if !place.is_dir() {
        progress.step(&format!("preparing a data folder for {distribution}"));
        let draft = place::draft(&tools, &label)?;
        prepare(distribution, &draft)
            .with_context(|| format!("cannot prepare a data folder for {distribution}"))?;
        place::publish(&draft, &place)?;
    }
    Ok(place)
}

/// Copies the template; where the file system can, without copying the blocks.
pub(super) fn copy(template: &Path, data: &Path) -> Result<()> {
    let mut copy = Command::new("cp");
    copy.args(["-a", "--reflink=auto", "--sparse=auto"]).arg(template).arg(data).stdin(Stdio::null());
    let output = copy.output().context("cannot run cp")?;
    let complaint = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "cannot copy the data folder: {}", complaint.trim());
    Ok(())
}

fn prepare(distribution: &Distribution, draft: &Path) -> Result<()> {
    let data = draft.join("new");
    let log = draft.join("new.log");
    match distribution.flavour() {
        Flavour::MySql => {
            let mut command = distribution.command();
            command.arg("--initialize-insecure").arg(flag("--datadir=", &data)).stdin(Stdio::null());
            finish(command.stderr(File::create(&log)?).stdout(Stdio::null()), None, &log)?;
        }
        Flavour::MariaDb => {
            fs::create_dir_all(data.join("mysql"))?;
            let mut script = "USE mysql;\n".to_owned();
            for name in SYSTEM_TABLES {
                script += &fs::read_to_string(distribution.share().join(name)).unwrap_or_default();
                script.push('\n');
            }
            let mut command = distribution.command();
            command
                .arg("--bootstrap")
                .arg(flag("--datadir=", &data))
                .args(["--skip-log-bin", "--loose-skip-ssl"]);
            finish(command.stderr(File::create(&log)?).stdout(Stdio::null()), Some(&script), &log)?;
        }
    }
    add_accounts(distribution, &data, &log)?;
    // Each server makes its own identity.
    drop(fs::remove_file(data.join("auto.cnf")));
    drop(fs::remove_file(&log));
    for entry in fs::read_dir(&data)? {
        let entry = entry?;
        fs::rename(entry.path(), draft.join(entry.file_name()))?;
    }
    fs::remove_dir(&data).context("cannot remove the emptied folder")
}

/// One ordinary start and stop: runs the accounts' statements, makes the keys for TLS, leaves clean logs.
fn add_accounts(distribution: &Distribution, data: &Path, log: &Path) -> Result<()> {
    let run = tempfile::Builder::new().prefix("weir-").tempdir()?;
    let (accounts, socket) = (run.path().join("accounts.sql"), run.path().join("mysql.sock"));
    fs::write(&accounts, ACCOUNTS)?;
    let watcher = Watcher::start()?;
    watcher.folder(run.path());
    let mut command = distribution.command();
    command
        .arg(flag("--datadir=", data))
        .arg(flag("--init-file=", &accounts))
        .arg(flag("--socket=", &socket));
    command
        .arg(flag("--pid-file=", &run.path().join("mysqld.pid")))
        .args(["--skip-networking", "--skip-log-bin"]);
    if distribution.flavour() == Flavour::MySql {
        command.args(["--mysqlx=OFF", "--secure-file-priv=NULL"]);
    }
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(File::create(log)?);
    let mut server = watcher.spawn(&mut command)?;
    await_greeting(&mut server, &socket, log, Duration::from_secs(120))?;
    let status = server.stop(Duration::from_secs(60))?;
    ensure!(status.success(), "the server ended with {status}: {}", tail(log));
    Ok(())
}

/// Runs a command with `input` to its end.
fn finish(command: &mut Command, input: Option<&str>, log: &Path) -> Result<()> {
    let watcher = Watcher::start()?;
    command.stdin(if input.is_some() { Stdio::piped() } else { Stdio::null() });
    let mut child = watcher.spawn(command)?;
    if let (Some(input), Some(mut pipe)) = (input, child.child().stdin.take()) {
        // A server that closes early says why in its log.
        drop(pipe.write_all(input.as_bytes()));
    }
    let status = child.wait()?;
    if !status.success() {
        bail!("the server ended with {status}: {}", tail(log));
    }
    Ok(())
}

pub(super) fn flag(name: &str, path: &Path) -> std::ffi::OsString {
    let mut flag = std::ffi::OsString::from(name);
    flag.push(path);
    flag
}

/// The end of a log, for an error message.
pub(super) fn tail(log: &Path) -> String {
    let text = fs::read(log).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let lines: Vec<_> = text.lines().rev().take(12).collect();
    lines.into_iter().rev().collect::<Vec<_>>().join("\n")
}
