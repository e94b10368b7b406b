//! Accounts: how they log in, what they may do, and what nobody may read of them.
#![expect(clippy::unwrap_used, reason = "helpers of tests fail like tests")]

use std::io::Write as _;
use std::net::TcpListener;
use std::process::{Command, Stdio};
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use weir_harness::{Sandbox, WeirProcess};
use weir_tests::{Account, Client, Failure, Reply};
use wire::command::code;

/// The digests of `ann`, as MySQL has them: `SHA1(UNHEX(SHA1('ann')))` and `SHA2(UNHEX(SHA2('ann', 256)), 256)`.
const NATIVE: &str = "*3FE845A8344363E8A8CC8CFD6540655DA275024A";
const CACHING: &str = "*4794AFF0E935DA7A90CC5DD003809555E51F420E9564E947F6A22BA3EB31CA21";

/// A proxy with accounts of its own before one server: `boss` may do all, the others use `shop` only.
struct House {
    weir: WeirProcess,
    sandbox: Sandbox,
    _conf: tempfile::TempDir,
}

static HOUSE: LazyLock<House> = LazyLock::new(House::new);

impl House {
    fn new() -> Self {
        let conf = tempfile::tempdir().unwrap();
        let config = format!(
            "authority:\n  users:\n    - user: boss@%\n      password: boss\n    - user: ann@%\n      password: '{NATIVE}{CACHING}'\n    \
             - user: old@%\n      password: '{NATIVE}'\n    - user: new@%\n      password: '{CACHING}'\n    \
             - user: eve@%\n      password: eve\n    - user: far@10.9.9.9\n      password: far\n    \
             - user: chief@%\n      password: chief\n      admin: true\n  privilege:\n    type: DATABASE_PERMITTED\n    props:\n      \
             user-database-mappings: boss@%=*, ann@%=shop, old@%=shop, new@%=shop, eve@%=shop\n\
             props:\n  proxy-frontend-max-failed-logins: 3\n"
        );
        std::fs::write(conf.path().join("server.yaml"), config).unwrap();
        let sandbox =
            Sandbox::builder().mysql(1).option("--loose-innodb-use-native-aio=OFF").start().unwrap();
        let weir = WeirProcess::builder(&sandbox).conf(conf.path()).start().unwrap();
        let house = Self { weir, sandbox, _conf: conf };
        let server = house.sandbox.server(0);
        let mut direct = Account::new(server.address(), server.user(), server.password()).client();
        let mut boss = house.account("boss").client();
        for name in ["shop", "plant"] {
            direct.run(format!("CREATE DATABASE {name}_unit"));
            direct.run(format!("CREATE TABLE {name}_unit.t (id INT PRIMARY KEY, v INT)"));
            direct.run(format!("INSERT INTO {name}_unit.t VALUES (1, 10), (2, 20)"));
            boss.run(format!("CREATE DATABASE {name}"));
            boss.run(format!("USE {name}"));
            boss.run(format!(
                "REGISTER STORAGE UNIT ds_0 (HOST=\"127.0.0.1\", PORT={}, DB=\"{name}_unit\", USER=\"{}\", PASSWORD=\"{}\")",
                server.port(),
                server.user(),
                server.password()
            ));
            boss.run("LOAD SINGLE TABLE *.*");
        }
        house
    }

    /// Whose password is the user's name.
    fn account(&self, user: &str) -> Account {
        Account::new(self.weir.address(), user, user)
    }
}

fn failure(connected: Result<Client, Failure>) -> (u16, String) {
    match connected {
        Err(Failure::Server(fault)) => (fault.code, fault.text),
        other => panic!("{other:?}"),
    }
}

#[test]
fn passwords_may_stand_hashed_in_the_file() {
    for user in ["ann", "old", "new"] {
        for plugin in [Some("caching_sha2_password"), Some("mysql_native_password"), None] {
            let account = Account { plugin, ..HOUSE.account(user).password("ann").database("shop") };
            assert_eq!(account.client().value("SELECT v FROM t WHERE id = 1"), "10", "{user} {plugin:?}");
            let (code, text) = failure(account.clone().password("Ann").connect());
            assert_eq!(code, 1045, "{text}");
            // A digest is no password.
            assert_eq!(failure(account.clone().password(NATIVE).connect()).0, 1045);
            drop(account.client());
        }
    }
    let mut hash = Command::new(weir_harness::sandbox::binary().unwrap())
        .arg("password")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    hash.stdin.take().unwrap().write_all(b"ann\n").unwrap();
    let said = hash.wait_with_output().unwrap();
    assert_eq!(String::from_utf8(said.stdout).unwrap(), format!("{NATIVE}{CACHING}\n"));
}

#[test]
fn an_account_is_kept_from_other_databases_on_every_way() {
    let mut ann = HOUSE.account("ann").database("shop").client();
    let mut wrong = Vec::new();
    for (text, code) in [
        ("SELECT * FROM plant.t", 1044),
        ("SELECT * FROM t JOIN plant.t p", 30001),
        ("SELECT * FROM t WHERE id IN (SELECT id FROM plant.t)", 30001),
        ("WITH c AS (SELECT * FROM plant.t) SELECT * FROM c", 1044),
        ("TABLE plant.t", 1044),
        ("INSERT INTO plant.t VALUES (3, 3)", 1044),
        ("INSERT INTO t SELECT id + 10, v FROM plant.t", 30001),
        ("UPDATE plant.t SET v = 0", 1044),
        ("DELETE FROM plant.t", 1044),
        ("CREATE TABLE plant.u (id INT)", 1044),
        ("DROP TABLE plant.t", 1044),
        ("TRUNCATE TABLE plant.t", 1044),
        ("ALTER TABLE plant.t ADD COLUMN w INT", 1044),
        ("USE plant", 1044),
        ("SHOW TABLES FROM plant", 1044),
        ("SHOW COLUMNS FROM plant.t", 1044),
        ("SHOW CREATE TABLE plant.t", 1044),
        ("SHOW CREATE DATABASE plant", 1044),
        ("SHOW TABLE STATUS FROM plant", 1044),
        ("SHOW INDEX FROM plant.t", 1044),
        ("DESCRIBE plant.t", 1044),
        ("EXPLAIN SELECT * FROM plant.t", 1044),
        ("CHECKSUM TABLE plant.t", 1044),
        ("ANALYZE TABLE plant.t", 1044),
        ("LOCK TABLES plant.t READ", 30001),
        ("HANDLER plant.t OPEN", 30001),
        ("CALL plant.p()", 1227),
        ("PREVIEW SELECT * FROM plant.t", 1044),
        ("DROP DATABASE plant", 1044),
        ("CREATE DATABASE other", 1044),
        ("SHOW STORAGE UNITS FROM plant", 1044),
        ("SHOW SHARDING TABLE RULES FROM plant", 1044),
        ("EXPORT DATABASE CONFIGURATION FROM plant", 1044),
        ("EXPORT DATABASE CONFIGURATION FROM shop", 1227),
        ("SET DIST VARIABLE sql_show = true", 1227),
        ("SHOW AUTHORITY RULE", 1227),
        ("SELECT * FROM mysql.user", 1227),
        ("SELECT * FROM performance_schema.threads", 1227),
        ("SELECT * FROM sys.version", 1227),
        ("USE mysql", 1044),
        ("CREATE USER x IDENTIFIED BY 'x'", 1227),
        ("GRANT ALL ON *.* TO x", 1227),
        ("SET GLOBAL max_connections = 1", 1227),
        ("SHUTDOWN", 1227),
    ] {
        match ann.query(text) {
            Reply::Error(fault) if fault.code == code => {}
            other => wrong.push(format!("{text}: {other:?}")),
        }
        if !text.contains("STORAGE") && !text.starts_with("LOCK") {
            match ann.binary(text, &[]).unwrap() {
                Reply::Error(fault) if fault.code == code || fault.code == 1295 => {}
                other => wrong.push(format!("prepared {text}: {other:?}")),
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    let init = [&[code::INIT_DB][..], b"plant"].concat();
    assert!(matches!(ann.simple(&init).unwrap(), Reply::Error(fault) if fault.code == 1044));
    assert_eq!(ann.rows("SHOW DATABASES"), [["information_schema"], ["shop"]]);
    assert_eq!(
        ann.rows("SELECT DISTINCT TABLE_SCHEMA FROM information_schema.TABLES WHERE TABLE_SCHEMA IN ('shop', 'plant')"),
        [["shop"]]
    );
    assert_eq!(
        ann.value("SELECT COUNT(*) FROM information_schema.SCHEMATA WHERE SCHEMA_NAME = 'plant'"),
        "0"
    );
    // What is its own it may use and change.
    assert_eq!(ann.value("SELECT COUNT(*) FROM shop.t"), "2");
    assert!(matches!(ann.query("SHOW STORAGE UNITS"), Reply::Rows(_)));
    for name in ["plant", "mysql"] {
        let (code, text) = failure(HOUSE.account("ann").password("ann").database(name).connect());
        assert_eq!(code, 1044, "{text}");
    }
    let refused = ann.change_user(&HOUSE.account("ann").database("plant"));
    assert!(matches!(&refused, Err(Failure::Server(fault)) if fault.code == 1044), "{refused:?}");
    // All of it is there for who may.
    for user in ["boss", "chief"] {
        let mut all = HOUSE.account(user).database("plant").client();
        assert_eq!(all.value("SELECT COUNT(*) FROM t"), "2");
        assert!(matches!(all.query("SHOW AUTHORITY RULE"), Reply::Rows(_)));
        assert!(matches!(all.query("SELECT COUNT(*) FROM mysql.user"), Reply::Rows(_)));
    }
}

#[test]
fn sessions_of_others_are_neither_seen_nor_ended() {
    let mut eve = HOUSE.account("eve").client();
    let mut boss = HOUSE.account("boss").client();
    let id = boss.greeting.thread;
    let seen = eve.rows("SHOW PROCESSLIST");
    assert!(seen.iter().all(|row| row[1] == "eve"), "{seen:?}");
    for text in [format!("KILL {id}"), format!("KILL QUERY {id}")] {
        let fault = eve.fault(&text);
        assert_eq!((fault.code, fault.text), (1095, format!("You are not owner of thread {id}")));
    }
    let seen = boss.rows("SHOW PROCESSLIST");
    let own = eve.greeting.thread.to_string();
    assert!(seen.iter().any(|row| row[0] == own && row[1] == "eve"), "{seen:?}");
    boss.run(format!("KILL {own}"));
    assert!(eve.is_closed());
}

#[test]
fn too_many_failed_logins_are_refused_for_a_while() {
    for user in ["new", "nobody"] {
        let right = HOUSE.account(user).password("ann");
        let wrong = HOUSE.account(user).password("wrong");
        for _ in 0..3 {
            assert_eq!(failure(wrong.connect()).0, 1045, "{user}");
        }
        // Even the right password is not tried, and nobody learns who there is.
        for account in [&wrong, &right] {
            let (code, text) = failure(account.connect());
            assert_eq!(code, 3955, "{text}");
            assert!(
                text.starts_with(&format!("Access denied for user '{user}'@'127.0.0.1'. Account is blocked")),
                "{text}"
            );
        }
    }
    // Others are none the worse, also after a failure or two.
    let eve = HOUSE.account("eve");
    for _ in 0..3 {
        for _ in 0..2 {
            assert_eq!(failure(eve.clone().password("wrong").connect()).0, 1045);
        }
        drop(eve.client());
    }
}

#[test]
fn what_is_secret_is_neither_listed_nor_logged() {
    let mut boss = HOUSE.account("boss").database("plant").client();
    let mut admin = HOUSE.account("boss").client();
    // A server that says nothing: registering it takes as long as it is waited for.
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = silent.local_addr().unwrap().port();
    let text = format!(
        "REGISTER STORAGE UNIT ds_9 (HOST=\"127.0.0.1\", PORT={port}, DB=\"x\", USER=\"x\", PASSWORD=\"hush-hush\", \
         PROPERTIES(\"connectionTimeoutMilliseconds\"=5000))"
    );
    boss.command(&[b"\x03", text.as_bytes()].concat()).unwrap();
    let id = boss.greeting.thread.to_string();
    let until = Instant::now() + Duration::from_secs(60);
    let info = loop {
        let list = admin.rows("SHOW FULL PROCESSLIST");
        let row = list.into_iter().find(|row| row[0] == id).unwrap();
        if row[7].contains("ds_9") {
            break row[7].clone();
        }
        assert!(Instant::now() < until, "{row:?}");
    };
    assert!(info.contains("PASSWORD=<secret>") && !info.contains("hush"), "{info}");
    let fault = boss.reply().unwrap().fault();
    assert!(!fault.text.contains("hush"), "{fault}");
    assert!(!std::fs::read_to_string(HOUSE.weir.log()).unwrap().contains("hush"));
}
