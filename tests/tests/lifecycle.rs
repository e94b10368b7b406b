//! The life of the process: how it ends and what that leaves of sessions and statements.
#![expect(clippy::unwrap_used, reason = "helpers of tests fail like tests")]

use std::sync::LazyLock;
use std::time::{Duration, Instant};

use tempfile::TempDir;
use weir_harness::WeirProcess;
use weir_tests::{Account, Bed, Client};

fn bed() -> &'static Bed {
    static BED: LazyLock<Bed> = LazyLock::new(|| Bed::new(1));
    &BED
}

/// A proxy of its own, with a configuration of its own, in front of one database with a table `t (id, v)`.
struct Own {
    weir: WeirProcess,
    _conf: TempDir,
    name: &'static str,
}

impl Own {
    /// `props` are lines of `server.yaml`.
    fn new(name: &'static str, props: &[&str]) -> Self {
        let conf = tempfile::tempdir().unwrap();
        write_conf(conf.path(), &[("root", "root")], props);
        let weir = WeirProcess::builder(&bed().sandbox).conf(conf.path()).start().unwrap();
        let own = Self { weir, _conf: conf, name };
        let unit = bed().server(0);
        bed().unit(0).client().run(format!("CREATE DATABASE {name}"));
        let mut client = own.account().client();
        client.run(format!("CREATE DATABASE {name}"));
        client.run(format!("USE {name}"));
        client.run(format!(
            "REGISTER STORAGE UNIT ds_0 (HOST=\"127.0.0.1\", PORT={}, DB=\"{name}\", USER=\"{}\", PASSWORD=\"{}\")",
            unit.port(),
            unit.user(),
            unit.password()
        ));
        client.run("CREATE TABLE t (id INT NOT NULL PRIMARY KEY, v INT)");
        client.run("INSERT INTO t VALUES (1, 1), (2, 2)");
        own
    }

    fn account(&self) -> Account {
        Account::new(self.weir.address(), "root", "root")
    }

    fn client(&self) -> Client {
        self.account().database(self.name).client()
    }

    /// The server behind it.
    fn server(&self) -> Client {
        bed().unit(0).database(self.name).client()
    }

    /// Waits for what its log says.
    fn await_log(&self, words: &str) -> String {
        let mut log = String::new();
        eventually(words, || {
            log = std::fs::read_to_string(self.weir.log()).unwrap();
            log.contains(words)
        });
        log
    }
}

fn write_conf(folder: &std::path::Path, users: &[(&str, &str)], props: &[&str]) {
    let users: String = users
        .iter()
        .map(|(user, password)| format!("    - user: {user}@%\n      password: {password}\n"))
        .collect();
    let props: String = props.iter().map(|line| format!("  {line}\n")).collect();
    let props = if props.is_empty() { String::new() } else { format!("props:\n{props}") };
    std::fs::write(folder.join("server.yaml"), format!("authority:\n  users:\n{users}{props}")).unwrap();
}

#[track_caller]
fn eventually(what: &str, mut happened: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(30);
    while !happened() {
        assert!(Instant::now() < deadline, "{what}: has not come");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Until a statement of this text runs on the server, or none does any more.
#[track_caller]
fn await_running(server: &mut Client, beginning: &str, wanted: bool) {
    let ask = format!(
        "SELECT COUNT(*) FROM information_schema.processlist WHERE info LIKE '{beginning}%' AND id <> CONNECTION_ID()"
    );
    eventually(beginning, || (server.value(&ask) != "0") == wanted);
}

/// What a client is told without having asked.
#[track_caller]
fn unasked(client: &mut Client) -> (u16, String) {
    client.expect_unasked();
    let fault = weir_tests::Fault::read(&client.receive().unwrap()).unwrap();
    assert!(client.is_closed());
    (fault.code, fault.text)
}

fn shutdown() -> (u16, String) {
    (1053, "Server shutdown in progress".to_owned())
}

#[test]
fn sigterm_tells_the_idle_to_go_and_lets_transactions_end() {
    let own = Own::new("drains", &[]);
    let (mut idle, mut inside) = (own.client(), own.client());
    idle.run("SELECT 1");
    inside.run("BEGIN");
    inside.run("UPDATE t SET v = 10 WHERE id = 1");
    own.weir.terminate().unwrap();
    assert_eq!(unasked(&mut idle), shutdown());
    // Nobody new is let in while the rest goes on.
    assert!(own.account().connect().is_err());
    inside.run("UPDATE t SET v = 20 WHERE id = 2");
    inside.run("COMMIT");
    assert_eq!(unasked(&mut inside), shutdown());
    let status = own.weir.stop().unwrap();
    assert_eq!(status.code(), Some(0));
    assert_eq!(own.server().rows("SELECT v FROM t ORDER BY id"), [["10"], ["20"]]);
}

#[test]
fn what_does_not_end_in_time_is_ended_on_its_server() {
    let own = Own::new("impatient", &["proxy-frontend-drain-timeout-seconds: 1"]);
    let (mut running, mut inside, mut slow) = (own.client(), own.client(), own.client());
    inside.run("BEGIN");
    inside.run("UPDATE t SET v = 10 WHERE id = 1");
    running.command(b"\x03SELECT SLEEP(600) FROM t WHERE id = 2").unwrap();
    // More than sockets hold, and never read.
    slow.command(b"\x03SELECT REPEAT('x', 1048576) FROM t a, t b, t c, t d, t e, t f").unwrap();
    let mut server = own.server();
    await_running(&mut server, "SELECT SLEEP", true);
    let status = own.weir.stop().unwrap();
    assert_eq!(status.code(), Some(0));
    let fault = running.reply().unwrap().fault();
    assert_eq!((fault.code, fault.text), shutdown());
    assert_eq!(unasked(&mut inside), shutdown());
    await_running(&mut server, "SELECT SLEEP", false);
    await_running(&mut server, "SELECT REPEAT", false);
    // Rolled back, with no lock left.
    server.run("SET innodb_lock_wait_timeout = 5");
    assert_eq!(server.run("UPDATE t SET v = v + 1 WHERE id = 1").done().affected, 1);
    assert_eq!(server.value("SELECT v FROM t WHERE id = 1"), "2");
}

#[test]
fn a_second_sigterm_ends_everything_now() {
    let own = Own::new("hasty", &["proxy-frontend-drain-timeout-seconds: 86400"]);
    let mut running = own.client();
    running.command(b"\x03SELECT SLEEP(600) FROM t WHERE id = 2").unwrap();
    await_running(&mut own.server(), "SELECT SLEEP", true);
    own.weir.terminate().unwrap();
    own.await_log("draining");
    own.weir.terminate().unwrap();
    let fault = running.reply().unwrap().fault();
    assert_eq!((fault.code, fault.text), shutdown());
    await_running(&mut own.server(), "SELECT SLEEP", false);
    assert_eq!(own.weir.stop().unwrap().code(), Some(0));
}
