//! The sandbox starts real servers and leaves nothing behind, however it ends.
#![expect(clippy::unwrap_used, reason = "helpers of tests fail like tests")]

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use mysql_async::prelude::Queryable as _;
use weir_harness::{Flavour, Sandbox, Server};

fn alive(pid: u32) -> bool {
    std::fs::read_to_string(format!("/proc/{pid}/stat"))
        .is_ok_and(|stat| stat.rsplit_once(')').is_some_and(|(_, rest)| !rest.trim_start().starts_with('Z')))
}

fn await_gone(pids: &[u32], folder: &Path) {
    let deadline = Instant::now() + Duration::from_secs(20);
    while pids.iter().any(|pid| alive(*pid)) || folder.exists() {
        assert!(Instant::now() < deadline, "still there: {pids:?} or {}", folder.display());
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn scalar(server: &Server, statement: &str) -> Result<Option<String>, mysql_async::Error> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let mut connection = mysql_async::Conn::from_url(server.url()).await?;
        let value = connection.query_first(statement).await;
        connection.disconnect().await?;
        value
    })
}

#[test]
fn servers_stand_apart_and_survive_kill_and_restart() {
    let sandbox = Sandbox::builder().mysql(2).start().unwrap();
    let [first, second] = sandbox.servers() else { panic!("two servers") };
    assert_ne!(first.port(), second.port());
    scalar(first, "CREATE TABLE t (id INT PRIMARY KEY)").unwrap();
    scalar(first, "INSERT INTO t VALUES (42)").unwrap();
    scalar(second, "SELECT id FROM t").unwrap_err();

    let before = first.pid().unwrap();
    first.kill().unwrap();
    assert_eq!(first.pid(), None);
    assert!(!alive(before));
    scalar(first, "SELECT 1").unwrap_err();
    assert_eq!(scalar(second, "SELECT 1").unwrap().as_deref(), Some("1"));

    first.restart().unwrap();
    assert_eq!(scalar(first, "SELECT id FROM t").unwrap().as_deref(), Some("42"));

    let pids: Vec<_> = sandbox.servers().iter().filter_map(Server::pid).collect();
    let folder = sandbox.folder().to_path_buf();
    assert_eq!(pids.len(), 2);
    drop(sandbox);
    assert!(pids.iter().all(|pid| !alive(*pid)));
    assert!(!folder.exists());
}

#[test]
fn options_reach_the_server_they_are_meant_for() {
    let sandbox = Sandbox::builder().mysql(2).option_for(1, "--sql-mode=ANSI_QUOTES").start().unwrap();
    let modes = sandbox.servers().iter().map(|server| scalar(server, "SELECT @@sql_mode").unwrap().unwrap());
    let quotes: Vec<_> = modes.map(|mode| mode.contains("ANSI_QUOTES")).collect();
    assert_eq!(quotes, [false, true]);
}

#[test]
fn mariadb_runs_the_same_way() {
    let sandbox = Sandbox::builder().mysql(1).flavour(Flavour::MariaDb).start().unwrap();
    let version = scalar(sandbox.server(0), "SELECT VERSION()").unwrap().unwrap();
    assert!(version.contains("MariaDB"), "{version}");
}

#[test]
fn replicas_follow_their_source_and_take_no_writes_of_others() {
    let sandbox = Sandbox::builder().mysql(3).replica(1, 0).replica(2, 0).start().unwrap();
    let [source, replicas @ ..] = sandbox.servers() else { panic!("three servers") };
    scalar(source, "CREATE TABLE t (id INT PRIMARY KEY)").unwrap();
    for id in [7, 42] {
        scalar(source, &format!("INSERT INTO t VALUES ({id})")).unwrap();
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    for replica in sandbox.replicas() {
        runtime.block_on(replica.caught_up()).unwrap();
    }
    for replica in replicas {
        assert_eq!(scalar(replica, "SELECT SUM(id) FROM t").unwrap().as_deref(), Some("49"));
        let refused = scalar(replica, "INSERT INTO t VALUES (1)").unwrap_err().to_string();
        assert!(refused.contains("read-only"), "{refused}");
    }
}

#[test]
fn mariadb_replicates_the_same_way() {
    let sandbox = Sandbox::builder().mysql(2).flavour(Flavour::MariaDb).replica(1, 0).start().unwrap();
    scalar(sandbox.server(0), "CREATE TABLE t (id INT PRIMARY KEY)").unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(sandbox.replicas()[0].caught_up()).unwrap();
    assert_eq!(scalar(sandbox.server(1), "SELECT COUNT(*) FROM t").unwrap().as_deref(), Some("0"));
}

#[test]
fn a_panic_leaves_nothing() {
    let (told, tell) = std::sync::mpsc::channel();
    let panicked = std::thread::spawn(move || {
        let sandbox = Sandbox::builder().mysql(1).start().unwrap();
        told.send((sandbox.server(0).pid().unwrap(), sandbox.folder().to_path_buf())).unwrap();
        panic!("as a failed assertion would");
    });
    let (pid, folder) = tell.recv().unwrap();
    panicked.join().unwrap_err();
    await_gone(&[pid], &folder);
}

/// Runs the command line until it says it is ready, ends it with a signal and tells what it had started.
fn ended_by(signal: &str) -> (Vec<u32>, PathBuf) {
    let mut harness = Command::new(env!("CARGO_BIN_EXE_weir-harness"))
        .args(["sandbox", "--mysql", "2"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(harness.stdout.take().unwrap()).lines().map_while(Result::ok);
    let lines: Vec<_> = lines.take_while(|line| !line.starts_with("Ctrl-C")).collect();
    let after = |line: &String, word: &str| line.split_once(word).map(|(_, rest)| rest.trim().to_owned());
    let pids: Vec<u32> =
        lines.iter().filter_map(|line| after(line, " pid ")?.split(' ').next()?.parse().ok()).collect();
    let folder =
        lines.iter().find_map(|line| line.strip_prefix("folder").map(|rest| PathBuf::from(rest.trim())));
    let folder = folder.unwrap_or_else(|| panic!("no folder in {lines:?}"));
    assert_eq!(pids.len(), 2, "{lines:?}");
    assert!(folder.is_dir() && pids.iter().all(|pid| alive(*pid)), "{lines:?}");
    assert!(Command::new("kill").args([signal, &harness.id().to_string()]).status().unwrap().success());
    harness.wait().unwrap();
    (pids, folder)
}

#[test]
fn interrupt_and_even_kill_of_the_parent_leave_nothing() {
    for signal in ["-INT", "-TERM", "-KILL"] {
        let (pids, folder) = ended_by(signal);
        await_gone(&pids, &folder);
    }
}

#[test]
fn tools_reach_a_server_directly_and_through_haproxy() {
    let sandbox = Sandbox::builder().mysql(1).start().unwrap();
    let haproxy = sandbox.haproxy().unwrap();
    let tools = sandbox.tools().unwrap();
    for port in [sandbox.server(0).port(), haproxy.address().port()] {
        let said = tools
            .client()
            .command()
            .args([
                "--no-defaults",
                "--host=127.0.0.1",
                "--user=test",
                "--password=test",
                "--skip-column-names",
            ])
            .args([&format!("--port={port}"), "--execute=SELECT 40 + 2", "sbtest"])
            .output()
            .unwrap();
        assert_eq!(String::from_utf8_lossy(&said.stdout).trim(), "42", "{said:?}");
        let script = tools.scripts().join("oltp_point_select.lua");
        let sysbench = |step: &str| {
            let mut command = tools.sysbench().command();
            command.arg(&script).args(["--db-driver=mysql", "--mysql-host=127.0.0.1", "--mysql-user=test"]);
            command.args(["--mysql-password=test", "--mysql-db=sbtest", "--tables=1", "--table-size=10"]);
            command.args([&format!("--mysql-port={port}"), "--events=20", step]);
            let output = command.output().unwrap();
            assert!(output.status.success(), "{step}: {output:?}");
            String::from_utf8_lossy(&output.stdout).into_owned()
        };
        sysbench("prepare");
        let ran = sysbench("run");
        assert!(ran.contains("total number of events:              20"), "{ran}");
        sysbench("cleanup");
    }
}

#[test]
fn shares_of_the_processors_are_kept_or_owned_up_to() {
    let sandbox = Sandbox::builder().mysql(1).cpu_share(Some(0.25)).start().unwrap();
    if !sandbox.notices().is_empty() {
        assert!(sandbox.notices()[0].contains("processor time"), "{:?}", sandbox.notices());
        return;
    }
    let pid = sandbox.server(0).pid().unwrap();
    let used = || {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
        let fields = stat.rsplit_once(')').unwrap().1.split_whitespace().skip(11).take(2);
        fields.map(|ticks| ticks.parse::<f64>().unwrap()).sum::<f64>() / 100.0
    };
    let (began, before) = (Instant::now(), used());
    scalar(sandbox.server(0), "SELECT BENCHMARK(800000, SHA2('share', 256))").unwrap();
    let (took, spent) = (began.elapsed().as_secs_f64(), used() - before);
    assert!(spent < took * 0.35, "used {spent:.2} s of processor time in {took:.2} s");
}

#[test]
fn a_server_named_on_purpose_is_used_or_refused() {
    let output = Command::new(env!("CARGO_BIN_EXE_weir-harness"))
        .args(["sandbox", "--mysql", "1"])
        .env("WEIR_MYSQLD", "/nowhere/mysqld")
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(
        !output.status.success() && said.contains("$WEIR_MYSQLD") && said.contains("/nowhere/mysqld"),
        "{said}"
    );
}

#[test]
fn a_server_that_does_not_start_says_why() {
    let error = Sandbox::builder().mysql(1).option("--no-such-option").start().unwrap_err();
    assert!(format!("{error:#}").contains("no-such-option"), "{error:#}");
}
