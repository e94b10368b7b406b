//! Sessions as others see them: the process list, `KILL`, and what time ends.
#![expect(clippy::unwrap_used, reason = "helpers of tests fail like tests")]

use std::sync::LazyLock;
use std::time::{Duration, Instant};

use weir_tests::{Bed, Client, Failure, Logical, MODERN, Prepared, Reply};

/// A hang becomes a failure after this long.
const PATIENCE: Duration = Duration::from_secs(60);

/// A table `t (id, v)` with `v = id`, split by `id` over all units, two rows on each node: where it is the last row that
/// waits in `SLEEP`, MySQL ends no more than that.
fn shop<'a>(bed: &'a Bed, name: &str) -> Logical<'a> {
    let shop = bed.logical(name);
    shop.shard("t", "id");
    let text = [
        "CREATE TABLE t (id INT PRIMARY KEY, v INT)",
        "INSERT INTO t VALUES (1,1),(2,2),(3,3),(4,4),(11,11),(12,12),(13,13),(14,14)",
    ];
    for client in [&mut shop.client(), &mut shop.plain()] {
        text.iter().for_each(|text| drop(client.run(text)));
    }
    shop
}

/// The line of a session in the process list, once it is as wanted.
#[track_caller]
fn await_process(admin: &mut Client, id: u32, wanted: impl Fn(&[String]) -> bool) -> Vec<String> {
    let until = Instant::now() + PATIENCE;
    loop {
        let list = admin.rows("SHOW FULL PROCESSLIST");
        let found = list.into_iter().find(|row| row[0] == id.to_string()).unwrap_or_default();
        if !found.is_empty() && wanted(&found) {
            return found;
        }
        assert!(Instant::now() < until, "{found:?}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Once a statement with this text runs.
#[track_caller]
fn await_running(admin: &mut Client, id: u32, text: &str) {
    await_process(admin, id, |row| row[6] == "executing" && row[7].contains(text));
}

#[track_caller]
fn query(client: &mut Client, text: &str) {
    client.command(&[b"\x03", text.as_bytes()].concat()).unwrap();
}

/// The number, SQLSTATE and text of an error.
#[track_caller]
fn error(reply: Reply) -> (u16, String, String) {
    match reply {
        Reply::Error(fault) => (fault.code, fault.state, fault.text),
        other => panic!("{other:?}"),
    }
}

/// What MySQL says.
fn interrupted() -> (u16, String, String) {
    (1317, "70100".to_owned(), "Query execution was interrupted".to_owned())
}

#[test]
fn kill_query_ends_a_statement_and_nothing_else() {
    let shop = shop(Bed::shared(), "interrupts");
    let statements = [
        "SELECT v + SLEEP(60) FROM t WHERE id IN (1, 11)",
        "SELECT v + SLEEP(60) FROM t ORDER BY v",
        "UPDATE t SET v = v + SLEEP(60) WHERE id IN (3, 13)",
        "UPDATE t SET v = v + SLEEP(60)",
        "SELECT v, COUNT(*) + SLEEP(60) FROM t GROUP BY v HAVING COUNT(*) > 0",
    ];
    for (proxy, mut victim, mut admin) in
        [(false, shop.plain(), shop.plain()), (true, shop.client(), shop.client())]
    {
        let id = victim.greeting.thread;
        victim.run("SET @mine = 7");
        victim.run("BEGIN");
        victim.run("UPDATE t SET v = 20 WHERE id = 2");
        for text in statements {
            query(&mut victim, text);
            await_process(&mut admin, id, |row| row[7].contains(text) && row[6] != "statistics");
            admin.run(format!("KILL QUERY {id}"));
            assert_eq!(error(victim.reply().unwrap()), interrupted(), "{text} (proxy: {proxy})");
            let warnings = victim.rows("SHOW WARNINGS");
            assert_eq!(warnings, [["Error", "1317", "Query execution was interrupted"]], "{text}");
        }
        // The transaction goes on, and holds what it did.
        assert_eq!(victim.value("SELECT SUM(v) FROM t"), "78");
        assert_eq!(admin.value("SELECT SUM(v) FROM t"), "60");
        assert_eq!(victim.value("SELECT @mine"), "7");
        victim.run("COMMIT");
        assert_eq!(admin.value("SELECT v FROM t WHERE id = 2"), "20");
    }
}

#[test]
fn kill_query_ends_an_execution() {
    let shop = shop(Bed::shared(), "executions");
    let (mut victim, mut admin) = (shop.client(), shop.client());
    let id = victim.greeting.thread;
    for text in ["SELECT v + SLEEP(60) FROM t WHERE id IN (1, 11)", "SELECT v + SLEEP(60) FROM t"] {
        let Prepared { id: statement, .. } = victim.prepare(text).unwrap();
        victim.command(&weir_tests::execute(statement, &[], true).unwrap()).unwrap();
        let row = await_process(&mut admin, id, |row| row[4] == "Execute" && row[6] == "executing");
        assert_eq!((row[6].as_str(), row[7].as_str()), ("executing", text));
        // COM_PROCESS_KILL ends sessions; this is the statement's end alone.
        admin.run(format!("KILL QUERY {id}"));
        assert_eq!(error(victim.binary_reply().unwrap()), interrupted(), "{text}");
        assert!(matches!(victim.binary("SELECT v FROM t WHERE id = 1", &[]).unwrap(), Reply::Rows(_)));
    }
}

#[test]
fn kill_query_that_comes_between_statements_ends_none() {
    let shop = shop(Bed::shared(), "betweens");
    let (mut victim, mut admin) = (shop.client(), shop.client());
    let id = victim.greeting.thread;
    for _ in 0..50 {
        admin.run(format!("KILL QUERY {id}"));
        assert_eq!(victim.value("SELECT SUM(v) FROM t"), "60");
    }
    // While statements come and go, each is answered or interrupted, and the next is not hit.
    let stop = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !stop.load(std::sync::atomic::Ordering::Relaxed) {
                admin.run(format!("KILL QUERY {id}"));
            }
        });
        for turn in 0..300 {
            let text = if turn % 2 == 0 { "SELECT v FROM t WHERE id = 1" } else { "SELECT SUM(v) FROM t" };
            match victim.query(text) {
                Reply::Rows(table) => assert_eq!(table.text(), [[if turn % 2 == 0 { "1" } else { "60" }]]),
                other => assert_eq!(error(other), interrupted()),
            }
        }
        stop.store(true, std::sync::atomic::Ordering::Relaxed);
    });
    // Nobody else was hit: the connections that ran them are fit for others.
    let mut other = shop.client();
    for _ in 0..50 {
        assert_eq!(other.value("SELECT SUM(v) FROM t"), "60");
    }
}

#[test]
fn kill_query_ends_waiting_for_a_connection() {
    let bed = Bed::shared();
    let narrow = bed.bare("narrow");
    for unit in 0..2 {
        narrow.unit(unit).run("CREATE TABLE s (id INT)");
        narrow.unit(unit).run("INSERT INTO s VALUES (1)");
        let narrowed = narrow
            .definition(unit)
            .replace("PASSWORD=\"test\"", "PASSWORD=\"test\", PROPERTIES(\"maximumPoolSize\"=1)");
        narrow.client().run(format!("REGISTER STORAGE UNIT {narrowed}"));
    }
    narrow.client().run("LOAD SINGLE TABLE ds_0.s");
    let (mut holder, mut victim, mut admin) = (narrow.client(), narrow.client(), narrow.client());
    holder.run("BEGIN");
    holder.run("UPDATE s SET id = 2");
    let id = victim.greeting.thread;
    for text in ["SELECT id FROM s", "UPDATE s SET id = 3"] {
        query(&mut victim, text);
        let row = await_process(&mut admin, id, |row| row[6].starts_with("waiting"));
        assert_eq!((row[6].as_str(), row[7].as_str()), ("waiting for a connection of ds_0", text));
        admin.run(format!("KILL QUERY {id}"));
        assert_eq!(error(victim.reply().unwrap()), interrupted());
    }
    // So for a transaction that waits for its turn among those that may go over several units.
    victim.run("BEGIN");
    query(&mut victim, "SELECT id FROM s");
    await_process(&mut admin, id, |row| row[6].starts_with("waiting"));
    admin.run(format!("KILL QUERY {id}"));
    assert_eq!(error(victim.reply().unwrap()), interrupted());
    holder.run("COMMIT");
    assert_eq!(victim.value("SELECT id FROM s"), "2");
    victim.run("COMMIT");
}

#[test]
fn kill_query_ends_waiting_for_a_lock_and_big_results() {
    let shop = shop(Bed::shared(), "waits");
    let (mut holder, mut victim, mut admin) = (shop.client(), shop.client(), shop.client());
    let id = victim.greeting.thread;
    holder.run("BEGIN");
    holder.run("UPDATE t SET v = 10 WHERE id = 1");
    query(&mut victim, "UPDATE t SET v = v + 1");
    await_running(&mut admin, id, "UPDATE t");
    admin.run(format!("KILL QUERY {id}"));
    assert_eq!(error(victim.reply().unwrap()), interrupted());
    holder.run("COMMIT");
    // What other nodes had done is taken back.
    assert_eq!(admin.value("SELECT SUM(v) FROM t"), "69");
    // A result of which the client has read a part.
    let mut digits = shop.unit(0);
    digits.run("CREATE TABLE digits (d INT)");
    digits.run("INSERT INTO digits VALUES (0),(1),(2),(3),(4),(5),(6),(7),(8),(9)");
    admin.run("LOAD SINGLE TABLE ds_0.digits");
    query(&mut victim, "SELECT REPEAT('y', 100000) FROM digits a, digits b, digits c, digits d");
    for _ in 0..5 {
        victim.receive().unwrap();
    }
    admin.run(format!("KILL QUERY {id}"));
    let last = loop {
        let packet = victim.receive().unwrap();
        if packet.len() < 1000 {
            break packet;
        }
    };
    assert_eq!((last[0], u16::from_le_bytes([last[1], last[2]])), (0xFF, 1317));
    assert_eq!(victim.value("SELECT COUNT(*) FROM digits"), "10");
}

#[test]
fn kill_takes_any_number() {
    let shop = shop(Bed::shared(), "numbers");
    let (mut plain, mut client) = (shop.plain(), shop.client());
    for text in [
        "KILL 999999999",
        "KILL QUERY 999999999",
        "KILL CONNECTION 999999999",
        "KILL -1",
        "KILL NULL",
        "KILL 'abc'",
        "KILL 4294967296",
        "KILL 1 + 999999990",
        "KILL DATABASE()",
        "KILL QUERY CONNECTION_ID()",
        "KILL nosuch",
        "KILL 1, 2",
    ] {
        let (expected, found) = (error(plain.query(text)), error(client.query(text)));
        assert_eq!((found.0, &found.1), (expected.0, &expected.1), "{text}");
        assert!(found.0 == 1064 || found.2 == expected.2, "{text}: {} / {}", found.2, expected.2);
    }
    client.run("SET @x = 999999998");
    assert_eq!(client.fault("KILL @x").text, "Unknown thread id: 999999998");
    let Prepared { id, .. } = client.prepare("KILL ?").unwrap();
    let reply = client.execute(id, &[wire::value::Value::Int(999_999_997)]).unwrap();
    assert_eq!(error(reply).2, "Unknown thread id: 999999997");
    // The session's own end, and that of others.
    let mut other = shop.client();
    let thread = other.greeting.thread;
    assert!(matches!(
        client.simple(&[&b"\x0C"[..], &thread.to_le_bytes()].concat()).unwrap(),
        Reply::Done(_)
    ));
    assert!(other.is_closed());
    assert_eq!(error(client.query("KILL CONNECTION_ID()")), interrupted());
    assert!(client.is_closed());
}

#[test]
fn the_process_list_tells_what_sessions_do() {
    let shop = shop(Bed::shared(), "listed");
    let (mut sleeper, mut busy, mut admin) = (shop.client(), shop.client(), shop.client());
    // Columns are those of MySQL.
    for text in ["SHOW PROCESSLIST", "SHOW FULL PROCESSLIST"] {
        let columns = |client: &mut Client| match client.query(text) {
            Reply::Rows(table) => table.columns,
            other => panic!("{other:?}"),
        };
        assert_eq!(columns(&mut admin), columns(&mut shop.plain()), "{text}");
        assert!(matches!(admin.binary(text, &[]).unwrap(), Reply::Rows(_)));
    }
    sleeper.run("USE mysql");
    let row = await_process(&mut admin, sleeper.greeting.thread, |row| row[4] == "Sleep");
    assert_eq!([&row[1], &row[3], &row[6], &row[7]], ["root", "mysql", "", "NULL"]);
    assert!(row[2].starts_with("127.0.0.1:"), "{row:?}");
    let long = format!("SELECT '{}', v + SLEEP(60) FROM t", "é".repeat(150));
    query(&mut busy, &long);
    await_running(&mut admin, busy.greeting.thread, &long);
    let id = busy.greeting.thread;
    let rows = admin.rows("SHOW PROCESSLIST");
    let row = rows.into_iter().find(|row| row[0] == id.to_string()).unwrap();
    assert_eq!([&row[3], &row[4]], ["listed", "Query"]);
    assert_eq!(row[7], long.chars().take(100).collect::<String>());
    let own = admin.rows("SHOW PROCESSLIST").into_iter().find(|row| row[7] == "SHOW PROCESSLIST").unwrap();
    assert_eq!(own[0], admin.greeting.thread.to_string());
    // What a client sends with its statement is no part of it.
    let attributes = MODERN | wire::caps::Capabilities::QUERY_ATTRIBUTES;
    let mut tagged = shop.account().capabilities(attributes).client();
    tagged.command(b"\x03\x00\x01SHOW FULL PROCESSLIST").unwrap();
    let rows = tagged.reply().unwrap().table().text();
    let own = rows.into_iter().find(|row| row[0] == tagged.greeting.thread.to_string()).unwrap();
    assert_eq!(own[7], "SHOW FULL PROCESSLIST");
    // COM_PROCESS_INFO.
    let Reply::Rows(table) = admin.simple(b"\x0A").unwrap() else { panic!() };
    let own = table.text().into_iter().find(|row| row[0] == admin.greeting.thread.to_string()).unwrap();
    assert_eq!([&own[4], &own[7]], ["Processlist", "NULL"]);
    admin.run(format!("KILL QUERY {id}"));
    assert_eq!(error(busy.reply().unwrap()), interrupted());
}

#[test]
fn information_schema_lists_the_sessions_of_the_proxy() {
    let shop = shop(Bed::shared(), "lists");
    let mut client = shop.client();
    let id = client.greeting.thread;
    for text in [
        "SELECT ID, USER, DB, COMMAND, INFO FROM information_schema.PROCESSLIST WHERE ID = CONNECTION_ID()"
            .to_owned(),
        format!("SELECT p.* FROM information_schema.processlist AS p WHERE p.id = {id}"),
    ] {
        let columns = |client: &mut Client| match client.query(&text) {
            Reply::Rows(table) => {
                table.columns.into_iter().map(|it| (it.name, it.kind, it.flags)).collect::<Vec<_>>()
            }
            other => panic!("{other:?}"),
        };
        assert_eq!(columns(&mut client), columns(&mut shop.plain()), "{text}");
        let rows = client.rows(&text);
        assert_eq!(rows.len(), 1, "{text}");
        assert_eq!((rows[0][0].as_str(), rows[0][1].as_str()), (id.to_string().as_str(), "root"));
        assert_eq!(rows[0].last(), Some(&text));
    }
    assert_eq!(client.value("SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE DB = 'nosuch'"), "0");
}

/// A proxy before one server, whose limits tests may change.
fn limits() -> &'static Bed {
    static LIMITS: LazyLock<Bed> = LazyLock::new(|| Bed::new(1));
    &LIMITS
}

#[test]
fn a_client_that_says_nothing_is_let_go() {
    let shop = limits().logical("quiet");
    let (mut plain, mut client, mut other) = (shop.plain(), shop.client(), shop.client());
    for text in [
        "SELECT @@wait_timeout",
        "SELECT @@interactive_timeout, @@session.wait_timeout",
        "SET wait_timeout = 0",
        "SELECT @@wait_timeout",
        "SET wait_timeout = 99999999999",
        "SELECT @@wait_timeout",
        "SET SESSION wait_timeout = 2 * 30, interactive_timeout = 7",
        "SELECT @@wait_timeout, @@interactive_timeout",
        "SET wait_timeout = DEFAULT",
        "SELECT @@wait_timeout",
        "SET wait_timeout = 'x'",
        "SET wait_timeout = 1.5",
        "SET wait_timeout = NULL",
    ] {
        let (expected, found) = (plain.query(text), client.query(text));
        match (expected, found) {
            (Reply::Rows(expected), Reply::Rows(found)) => {
                assert_eq!(found.text(), expected.text(), "{text}")
            }
            (Reply::Done(_), Reply::Done(_)) => {}
            (expected, found) => assert_eq!(error(found), error(expected), "{text}"),
        }
    }
    for client in [&mut plain, &mut client] {
        client.run("SET wait_timeout = 1");
        client.expect_unasked();
        let said = client.receive().unwrap();
        let text = "The client was disconnected by the server because of inactivity. See wait_timeout and interactive_timeout for configuring this behavior.";
        assert_eq!((said[0], u16::from_le_bytes([said[1], said[2]])), (0xFF, 4031));
        assert_eq!(String::from_utf8_lossy(&said[9..]), text);
        assert!(client.is_closed());
    }
    // Nobody else's limit is another now, nor that of a connection to a server.
    assert_eq!(other.value("SELECT @@wait_timeout"), "28800");
    other.run("BEGIN");
    other.run("CREATE TABLE q (id INT)");
}

#[test]
fn a_transaction_in_which_nothing_is_said_is_given_up() {
    let shop = limits().logical("idle");
    let (mut holder, mut other, mut admin) = (shop.client(), shop.client(), shop.client());
    admin.run("CREATE TABLE t (id INT PRIMARY KEY, v INT)");
    admin.run("INSERT INTO t VALUES (1, 1)");
    holder.run("SET @mine = 5");
    holder.run("BEGIN");
    holder.run("UPDATE t SET v = 2");
    admin.run("SET DIST VARIABLE proxy_frontend_max_idle_in_transaction = 1");
    // Waits for the lock that the holder has.
    assert_eq!(other.run("UPDATE t SET v = v + 10").done().affected, 1);
    let fault = holder.fault("UPDATE t SET v = 3");
    assert_eq!((fault.code, fault.state.as_str()), (3101, "40000"), "{fault}");
    assert!(fault.text.contains("max-idle-in-transaction"), "{fault}");
    // Said once; the session goes on.
    assert_eq!(holder.value("SELECT v FROM t"), "11");
    assert_eq!(holder.value("SELECT @mine"), "5");
    admin.run("SET DIST VARIABLE proxy_frontend_max_idle_in_transaction = 0");
}

#[test]
fn a_server_that_ends_a_transaction_for_its_silence_is_told_of() {
    let bed = Bed::with(1, |builder| builder.option("--wait-timeout=2"));
    let shop = bed.logical("silent");
    let (mut client, mut admin) = (shop.client(), shop.client());
    admin.run("CREATE TABLE t (id INT PRIMARY KEY, v INT)");
    admin.run("INSERT INTO t VALUES (1, 1)");
    client.run("BEGIN");
    client.run("UPDATE t SET v = 2");
    // The lock is free once the server has let go.
    assert_eq!(admin.run("UPDATE t SET v = v + 10").done().affected, 1);
    let fault = client.fault("UPDATE t SET v = 3");
    assert_eq!(fault.code, 2013, "{fault}");
    assert!(fault.text.contains("transaction"), "{fault}");
    assert!(client.is_closed());
    assert_eq!(admin.value("SELECT v FROM t"), "11");
}

#[test]
fn max_execution_time_goes_along() {
    let shop = shop(Bed::shared(), "times");
    let (mut plain, mut client) = (shop.plain(), shop.client());
    let slow = "SELECT COUNT(*) FROM t WHERE v + SLEEP(1) > 0 AND id IN (1, 11)";
    let all = "SELECT SUM(v + SLEEP(1)) FROM t GROUP BY v ORDER BY 1";
    for text in [slow, all] {
        let hinted = text.replacen("SELECT", "SELECT /*+ MAX_EXECUTION_TIME(100) */", 1);
        assert_eq!(error(client.query(&hinted)), error(plain.query(&hinted)), "{hinted}");
    }
    for client in [&mut plain, &mut client] {
        client.run("SET max_execution_time = 100");
        for text in [slow, all] {
            assert_eq!(error(client.query(text)).0, 3024, "{text}");
        }
    }
    // Other sessions on the same connections have none.
    assert!(matches!(shop.client().query(slow), Reply::Rows(_)));
}

#[test]
fn no_more_clients_come_than_may() {
    let bed = Bed::new(0);
    let mut admin = bed.proxy().client();
    admin.run("SET DIST VARIABLE proxy_frontend_max_connections = 1");
    // An administrator finds one place more.
    let second = bed.proxy().client();
    match Client::open(bed.proxy().address).map(drop) {
        Err(Failure::Server(fault)) => {
            assert_eq!((fault.code, fault.text.as_str()), (1040, "Too many connections"));
        }
        other => panic!("{other:?}"),
    }
    drop(second);
    admin.run("SET DIST VARIABLE proxy_frontend_max_connections = 0");
    drop(bed.proxy().client());
}
