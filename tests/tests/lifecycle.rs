//! The life of the process: how it ends and what that leaves of sessions and statements, how it reads its configuration
//! anew, and how another process takes its place.
#![expect(clippy::unwrap_used, reason = "helpers of tests fail like tests")]

use std::os::unix::net::UnixDatagram;
use std::process::{Command, Stdio};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::{Duration, Instant};

use tempfile::TempDir;
use weir_harness::WeirProcess;
use weir_harness::sandbox::WeirBuilder;
use weir_tests::{Account, Bed, Client, Own, configure};

fn bed() -> &'static Bed {
    static BED: LazyLock<Bed> = LazyLock::new(|| Bed::new(1));
    &BED
}

fn own(name: &'static str, props: &[&str]) -> Own {
    Own::new(bed(), name, props)
}

/// Waits for what its log says.
#[track_caller]
fn await_log(own: &Own, words: &str) -> String {
    let mut log = String::new();
    eventually(words, || {
        log = std::fs::read_to_string(own.weir.log()).unwrap();
        log.contains(words)
    });
    log
}

fn builder(conf: &TempDir) -> WeirBuilder<'static> {
    WeirProcess::builder(&bed().sandbox).conf(conf.path())
}

fn signal(pid: u32, name: &str) {
    assert!(Command::new("kill").args([&format!("-{name}"), &pid.to_string()]).status().unwrap().success());
}

/// The process that has the data folder; ended when dropped.
struct Successor(u32);

impl Successor {
    fn of(weir: &WeirProcess) -> Self {
        let owner = std::fs::read_to_string(weir.data().join("lock")).unwrap();
        Self(owner.trim().parse().unwrap())
    }

    fn runs(&self) -> bool {
        std::path::Path::new(&format!("/proc/{}", self.0)).exists()
    }
}

impl Drop for Successor {
    fn drop(&mut self) {
        signal(self.0, "KILL");
    }
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
    let own = own("drains", &[]);
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
    let own = own("impatient", &["proxy-frontend-drain-timeout-seconds: 1"]);
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
    let own = own("hasty", &["proxy-frontend-drain-timeout-seconds: 86400"]);
    let mut running = own.client();
    running.command(b"\x03SELECT SLEEP(600) FROM t WHERE id = 2").unwrap();
    await_running(&mut own.server(), "SELECT SLEEP", true);
    own.weir.terminate().unwrap();
    await_log(&own, "draining");
    own.weir.terminate().unwrap();
    let fault = running.reply().unwrap().fault();
    assert_eq!((fault.code, fault.text), shutdown());
    await_running(&mut own.server(), "SELECT SLEEP", false);
    // Not told a third time, which would cut off.
    eventually("the end of the process", || own.weir.pid().is_none());
    assert_eq!(own.weir.stop().unwrap().code(), Some(0));
}

#[test]
fn sighup_takes_accounts_and_variables_and_keeps_sessions() {
    let own = own("reloads", &[]);
    let mut inside = own.client();
    inside.run("BEGIN");
    inside.run("UPDATE t SET v = 10 WHERE id = 1");
    let ann = Account::new(own.weir.address(), "ann", "secret");
    assert_eq!(ann.connect().unwrap_err().fault().code, 1045);
    let props = ["proxy-mysql-default-version: 9.8.7", "proxy-default-port: 4000"];
    configure(own.conf.path(), &[("root", "changed"), ("ann", "secret")], &props);
    signal(own.weir.pid().unwrap(), "HUP");
    let log = await_log(&own, "anew");
    assert!(log.contains("proxy-default-port has changed: in force at the next start"), "{log}");
    assert!(ann.client().greeting.version.starts_with("9.8.7"));
    assert_eq!(own.account().connect().unwrap_err().fault().code, 1045);
    assert_eq!(own.account().password("changed").client().rows("SHOW AUTHORITY RULE")[0][0], "root@%; ann@%");
    // Whoever was there is there.
    inside.run("COMMIT");
    assert_eq!(inside.value("SELECT v FROM t WHERE id = 1"), "10");
}

#[test]
fn a_configuration_with_an_error_changes_nothing() {
    let own = own("mistaken", &[]);
    let mut before = own.client();
    configure(own.conf.path(), &[("ann", "secret")], &["proxy-hint-enabled: maybe"]);
    signal(own.weir.pid().unwrap(), "HUP");
    let log = await_log(&own, "the configuration stays as it is");
    assert!(log.contains("server.yaml:6:23: `proxy-hint-enabled` must be true or false"), "{log}");
    assert_eq!(before.value("SELECT v FROM t WHERE id = 1"), "1");
    assert_eq!(own.client().value("SELECT v FROM t WHERE id = 1"), "1");
    assert!(Account::new(own.weir.address(), "ann", "secret").connect().is_err());
}

#[test]
fn sighup_takes_another_certificate_for_those_who_come() {
    let own = own("certified", &[]);
    let keys = bed().server(0).folder().join("data");
    let tools = bed().sandbox.tools().unwrap();
    let trusts = || {
        let mut client = tools.client().command();
        client.arg("--no-defaults").args([
            "--protocol=TCP",
            "--host=127.0.0.1",
            "--user=root",
            "--password=root",
        ]);
        client.arg(format!("--port={}", own.weir.port()));
        client.arg("--ssl-mode=VERIFY_CA").arg(format!("--ssl-ca={}", keys.join("ca.pem").display()));
        client.args(["--execute", "DO 1"]).stdin(Stdio::null()).output().unwrap()
    };
    assert!(!trusts().status.success());
    let path = |file| keys.join(file).display().to_string();
    let props = [
        format!("proxy-frontend-ssl-certificate: {}", path("server-cert.pem")),
        format!("proxy-frontend-ssl-key: {}", path("server-key.pem")),
    ];
    configure(own.conf.path(), &[("root", "root")], &props.each_ref().map(String::as_str));
    signal(own.weir.pid().unwrap(), "HUP");
    await_log(&own, "anew");
    let told = trusts();
    assert!(told.status.success(), "{}", String::from_utf8_lossy(&told.stderr));
}

#[test]
fn sigusr2_lets_a_new_process_go_on_without_refusing_anyone() {
    let own = own("upgrades", &[]);
    let (mut inside, mut idle) = (own.client(), own.client());
    inside.run("BEGIN");
    inside.run("UPDATE t SET v = 10 WHERE id = 1");
    let last = inside.greeting.thread.max(idle.greeting.thread);
    let done = AtomicBool::new(false);
    let (old, new) = (AtomicU32::new(0), AtomicU32::new(0));
    let successor = std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    let mut client = own.client();
                    assert_eq!(client.value("SELECT v FROM t WHERE id = 2"), "2");
                    let process = if client.greeting.thread > last + 60_000 { &new } else { &old };
                    process.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        // Whatever fails here ends the storm.
        let _ended = Ended(&done);
        eventually("clients", || old.load(Ordering::Relaxed) > 20);
        signal(own.weir.pid().unwrap(), "USR2");
        await_log(&own, "replaced");
        let successor = Successor::of(&own.weir);
        eventually("clients of the new process", || new.load(Ordering::Relaxed) > 50);
        successor
    });
    assert_ne!(successor.0, own.weir.pid().unwrap());
    // Sessions go on where they are, but the configuration is the new process's.
    assert_eq!(idle.value("SELECT v FROM t WHERE id = 1"), "1");
    let fault = idle.fault("SET DIST VARIABLE sql_simple = true");
    assert!(fault.text.contains("a new process has taken this one's place"), "{fault}");
    own.client().run("SET DIST VARIABLE sql_simple = true");
    inside.run("COMMIT");
    assert_eq!(own.client().value("SELECT v FROM t WHERE id = 1"), "10");
    // And the old one ends with the last of them.
    drop((inside, idle));
    eventually("the end of the old process", || own.weir.pid().is_none());
    assert!(successor.runs());
    assert_eq!(own.client().value("SELECT v FROM t WHERE id = 1"), "10");
}

struct Ended<'a>(&'a AtomicBool);

impl Drop for Ended<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[test]
fn a_process_that_cannot_be_replaced_goes_on() {
    let own = own("stays", &[]);
    let mut before = own.client();
    std::fs::write(own.conf.path().join("server.yaml"), "nonsense: 1\n").unwrap();
    signal(own.weir.pid().unwrap(), "USR2");
    let log = await_log(&own, "not replaced, this process goes on");
    assert!(log.contains("server.yaml:1:1"), "{log}");
    assert_eq!(before.value("SELECT v FROM t WHERE id = 1"), "1");
    // The data folder is its own again.
    own.client().run("SET DIST VARIABLE sql_simple = true");
    let meta = std::fs::read_to_string(own.weir.data().join("meta.json")).unwrap();
    assert!(meta.contains("sql-simple"), "{meta}");
}

#[test]
fn the_service_manager_is_told() {
    let folder = tempfile::tempdir().unwrap();
    configure(folder.path(), &[("root", "root")], &[]);
    let manager = UnixDatagram::bind(folder.path().join("notify")).unwrap();
    manager.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    let hear = || {
        let mut buffer = [0; 1024];
        let read = manager.recv(&mut buffer).unwrap();
        String::from_utf8_lossy(&buffer[..read]).into_owned()
    };
    let script = folder.path().join("weir");
    let binary = weir_harness::sandbox::binary().unwrap();
    let text = format!(
        "#!/bin/sh\nNOTIFY_SOCKET={}/notify exec {} \"$@\"\n",
        folder.path().display(),
        binary.display()
    );
    std::fs::write(&script, text).unwrap();
    assert!(Command::new("chmod").arg("+x").arg(&script).status().unwrap().success());
    let weir = builder(&folder).binary(&script).start().unwrap();
    let ready = |pid: u32| format!("READY=1\nMAINPID={pid}\nSTATUS=serving on 0.0.0.0:{}", weir.port());
    let pid = weir.pid().unwrap();
    assert_eq!(hear(), ready(pid));
    signal(pid, "HUP");
    assert!(hear().starts_with("RELOADING=1\nMONOTONIC_USEC="));
    assert_eq!(hear(), format!("READY=1\nMAINPID={pid}\nSTATUS=serving"));
    signal(pid, "USR2");
    // From the old process and the new one.
    let mut told = [hear(), hear()];
    let successor = Successor::of(&weir);
    told.sort_unstable();
    assert_eq!(told, [format!("MAINPID={}", successor.0), ready(successor.0)]);
    eventually("the end of the old process", || weir.pid().is_none());
    signal(successor.0, "TERM");
    assert_eq!(hear(), "STOPPING=1\nSTATUS=draining");
}

#[test]
fn a_socket_given_as_standard_input_is_served() {
    let folder = tempfile::tempdir().unwrap();
    configure(folder.path(), &[("root", "root")], &[]);
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    // Waits in the socket's queue until someone serves it.
    let waiting =
        std::thread::spawn(move || Account::new(address, "root", "root").client().value("SELECT 1"));
    let mut weir = Command::new(weir_harness::sandbox::binary().unwrap());
    weir.args(["serve", "--conf"]).arg(folder.path()).arg("--data").arg(folder.path().join("data"));
    weir.stdin(Stdio::from(std::os::fd::OwnedFd::from(listener))).stdout(Stdio::null()).stderr(Stdio::null());
    let mut weir = weir.spawn().unwrap();
    assert_eq!(waiting.join().unwrap(), "1");
    signal(weir.id(), "TERM");
    assert!(weir.wait().unwrap().success());
}

#[test]
fn the_unit_file_is_one() {
    let Ok(version) = Command::new("systemd-analyze").arg("--version").output() else {
        return eprintln!("skipped: no systemd-analyze here");
    };
    assert!(version.status.success());
    let folder = tempfile::tempdir().unwrap();
    let conf = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../conf/weir.service");
    let text = std::fs::read_to_string(conf).unwrap();
    let file = folder.path().join("weir.service");
    std::fs::write(&file, text.replace("/usr/local/bin/weir", "/bin/true")).unwrap();
    let told = Command::new("systemd-analyze").arg("verify").arg(&file).output().unwrap();
    let words = String::from_utf8_lossy(&told.stderr);
    assert!(told.status.success() && !words.contains("weir.service"), "{words}");
}
