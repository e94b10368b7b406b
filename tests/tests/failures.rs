//! Servers that die, pools that are full, clients that go, and the end of the proxy itself.
#![expect(clippy::unwrap_used, reason = "helpers of tests fail like tests")]

use std::time::{Duration, Instant};

use weir_harness::WeirProcess;
use weir_tests::{Account, Bed, Client, Failure, Logical, Reply, Setup};

/// A bed of its own with a sharded table of some rows: `id` lies on unit `id % 10 % 2`.
struct Broken {
    bed: Bed,
}

impl Broken {
    fn new() -> Self {
        let bed = Bed::new(2);
        let broken = Self { bed };
        let logical = broken.bed.logical("broken");
        logical.shard("t", "id");
        let mut client = logical.client();
        client.run("CREATE TABLE t (id INT NOT NULL PRIMARY KEY, v INT)");
        client.run("INSERT INTO t VALUES (0, 0), (1, 1), (2, 2), (3, 3), (10, 10), (11, 11)");
        broken
    }

    fn client(&self) -> Client {
        self.bed.proxy().database("broken").client()
    }
}

/// Asks a server itself until a statement of this text runs there, or none does any more.
fn await_running(server: &mut Client, beginning: &str, wanted: bool) {
    let ask = format!(
        "SELECT COUNT(*) FROM information_schema.processlist WHERE info LIKE '{beginning}%' AND id <> CONNECTION_ID()"
    );
    let deadline = Instant::now() + Duration::from_secs(30);
    while (server.value(&ask) == "0") == wanted {
        assert!(Instant::now() < deadline, "{beginning}: running is not {wanted}");
    }
}

#[test]
fn a_server_that_dies_amid_a_query_costs_that_query_only() {
    let broken = Broken::new();
    let (mut victim, mut witness, mut inside) = (broken.client(), broken.client(), broken.client());
    inside.run("BEGIN");
    inside.run("UPDATE t SET v = v + 1 WHERE id IN (0, 1)");
    witness.run("SELECT * FROM t WHERE id = 1");
    let mut reader = broken.client();
    victim.command(b"\x03UPDATE t SET v = SLEEP(60) WHERE id = 11").unwrap();
    reader.command(b"\x03SELECT SLEEP(60) FROM t WHERE id = 1").unwrap();
    let mut server = broken.bed.unit(1).client();
    await_running(&mut server, "UPDATE t_1 SET v = SLEEP", true);
    await_running(&mut server, "SELECT SLEEP", true);
    broken.bed.server(1).kill().unwrap();

    let fault = victim.reply().unwrap().fault();
    assert_eq!((fault.code, fault.state.as_str()), (2013, "HY000"), "{fault}");
    // A read may have been tried again, on a connection that could not be had.
    let fault = reader.reply().unwrap().fault();
    assert!([2003, 2013].contains(&fault.code), "{fault}");
    // The other unit serves on, in this very session too, or the session has ended.
    assert_eq!(witness.value("SELECT v FROM t WHERE id = 2"), "2");
    // Its own unit is named while it is away.
    let fault = witness.fault("SELECT v FROM t WHERE id = 1");
    let address = broken.bed.server(1).address().to_string();
    assert!(fault.text.contains(&address), "{fault} names no {address}");
    let fault = witness.fault("SELECT COUNT(*) FROM t");
    assert!(fault.text.contains(&address), "{fault} names no {address}");
    // A transaction that had been there is lost as a whole.
    let lost = inside.try_query("UPDATE t SET v = 5 WHERE id = 1");
    assert!(matches!(lost, Ok(Reply::Error(_)) | Err(Failure::Closed(_))), "{lost:?}");
    drop(inside);

    broken.bed.server(1).restart().unwrap();
    // At once and everywhere.
    assert_eq!(witness.value("SELECT v FROM t WHERE id = 1"), "1");
    assert_eq!(witness.value("SELECT COUNT(*) FROM t"), "6");
    for _ in 0..20 {
        assert_eq!(broken.client().value("SELECT v FROM t WHERE id = 1"), "1");
    }
    // The lock of the lost transaction on the other unit is free, its change gone.
    assert_eq!(witness.run("UPDATE t SET v = v + 10 WHERE id = 0").done().affected, 1);
    assert_eq!(witness.value("SELECT v FROM t WHERE id = 0"), "10");
}

#[test]
fn a_server_that_restarts_while_nobody_asks_is_not_noticed() {
    let broken = Broken::new();
    let mut client = broken.client();
    let prepared = client.prepare("SELECT v FROM t WHERE id = ?").unwrap();
    let ask = |client: &mut Client, id: i64| {
        client.execute(prepared.id, &[wire::value::Value::Int(id)]).unwrap().table().text()
    };
    assert_eq!(ask(&mut client, 1), [["1"]]);
    assert_eq!(client.value("SELECT COUNT(*) FROM t"), "6");
    for _ in 0..2 {
        broken.bed.server(1).restart().unwrap();
        assert_eq!(ask(&mut client, 1), [["1"]]);
        assert_eq!(client.value("SELECT v FROM t WHERE id = 11"), "11");
        assert_eq!(client.value("SELECT COUNT(*) FROM t"), "6");
    }
}

#[test]
fn a_server_that_dies_amid_a_result_does_not_end_it_as_if_whole() {
    let broken = Broken::new();
    let (mut victim, mut witness) = (broken.client(), broken.client());
    let many: Vec<_> = (0..2000).map(|n| format!("({})", 101 + n * 10)).collect();
    witness.run(format!("INSERT INTO t (id) VALUES {}", many.join(",")));
    // Far more than sockets and buffers hold.
    victim.command(b"\x03SELECT REPEAT('x', 100000) FROM t WHERE id % 10 = 1").unwrap();
    for _ in 0..10 {
        victim.receive().unwrap();
    }
    broken.bed.server(1).kill().unwrap();
    let mut end = None;
    while end.is_none() {
        match victim.receive() {
            Ok(row) if row.first() == Some(&0xFF) => end = Some("an error"),
            Ok(row) => assert!(row.first() != Some(&0xFE) || row.len() > 100, "the result ended as if whole"),
            Err(Failure::Closed(_)) => end = Some("the connection"),
            Err(failure) => panic!("{failure}"),
        }
    }
    assert_eq!(witness.value("SELECT v FROM t WHERE id = 2"), "2");
    broken.bed.server(1).restart().unwrap();
    assert_eq!(witness.value("SELECT COUNT(*) FROM t"), "2006");
}

/// A database of one unit with so few connections, behind a proxy with one worker.
fn narrow(bed: &Bed, connections: u32, patience: u32) -> (WeirProcess, Account) {
    let weir = WeirProcess::builder(&bed.sandbox).argument("--workers=1").start().unwrap();
    let account = Account { address: weir.address(), ..bed.proxy() };
    let logical = Logical { bed, name: "narrow".into(), setup: Setup::Units };
    bed.unit(0).client().run("CREATE DATABASE narrow_unit");
    let unit = logical.definition(0).replace(
        "PASSWORD=\"test\"",
        &format!(
            "PASSWORD=\"test\", PROPERTIES(\"maximumPoolSize\"={connections}, \"connectionTimeout\"={patience})"
        ),
    );
    let mut client = account.client();
    client.run("CREATE DATABASE narrow");
    client.run("USE narrow");
    client.run(format!("REGISTER STORAGE UNIT {unit}"));
    client.run("CREATE TABLE q (place INT PRIMARY KEY AUTO_INCREMENT, who INT)");
    (weir, account.database("narrow"))
}

#[test]
fn a_full_pool_is_told_within_the_timeout() {
    let bed = Bed::new(1);
    let (_weir, account) = narrow(&bed, 2, 1500);
    let mut holders = [account.client(), account.client()];
    for holder in &mut holders {
        holder.run("BEGIN");
        holder.run("SELECT COUNT(*) FROM q");
    }
    let mut late = account.client();
    let start = Instant::now();
    let fault = late.fault("SELECT COUNT(*) FROM q");
    let waited = start.elapsed();
    assert!(waited >= Duration::from_millis(1400) && waited < Duration::from_secs(10), "{waited:?}");
    assert!(fault.text.contains("ds_0"), "{fault}");
    assert_eq!(fault.code, 1040, "{fault}");
    // Nothing of the session is lost, and a free connection serves it.
    holders[0].run("COMMIT");
    assert_eq!(late.value("SELECT COUNT(*) FROM q"), "0");
}

#[test]
fn those_who_wait_are_served_in_their_order() {
    let bed = Bed::new(1);
    let (_weir, account) = narrow(&bed, 1, 60_000);
    let mut holder = account.client();
    holder.run("BEGIN");
    holder.run("SELECT COUNT(*) FROM q");
    let mut bystander = Account { database: None, ..account.clone() }.client();
    let mut waiters: Vec<_> = (0..12).map(|_| account.client()).collect();
    for (number, waiter) in waiters.iter_mut().enumerate() {
        waiter.command(format!("\x03INSERT INTO q (who) VALUES ({number})").as_bytes()).unwrap();
        // The one worker has seen that command once it has answered two later ones.
        for _ in 0..2 {
            let _ = bystander.simple(&[wire::command::code::PING]).unwrap().done();
        }
    }
    holder.run("COMMIT");
    for waiter in &mut waiters {
        assert_eq!(waiter.reply().unwrap().done().affected, 1);
    }
    let order: Vec<_> = holder.rows("SELECT who FROM q ORDER BY place").into_iter().flatten().collect();
    let expected: Vec<_> = (0..12).map(|number| number.to_string()).collect();
    assert_eq!(order, expected);
}

#[test]
fn a_client_killed_amid_its_result_frees_the_server() {
    let broken = Broken::new();
    let logical = Logical { bed: &broken.bed, name: "broken".into(), setup: Setup::Units };
    let mut server = broken.bed.unit(0).client();
    logical.unit(0).run("CREATE TABLE digits (d INT)");
    logical.unit(0).run("INSERT INTO digits VALUES (0),(1),(2),(3),(4),(5),(6),(7),(8),(9)");
    let alone = broken.bed.bare("alone");
    let unit = alone
        .definition(0)
        .replace("alone_unit", "broken_unit")
        .replace("PASSWORD=\"test\"", "PASSWORD=\"test\", PROPERTIES(\"maximumPoolSize\"=2)");
    alone.client().run(format!("REGISTER STORAGE UNIT {unit}"));
    for _ in 0..5 {
        let mut client = alone.client();
        client
            .command(b"\x03SELECT REPEAT('y', 100000) FROM digits a, digits b, digits c, digits d")
            .unwrap();
        for _ in 0..5 {
            client.receive().unwrap();
        }
        client.vanish();
    }
    // The servers' side has ended too, and both connections can be had again.
    await_running(&mut server, "SELECT REPEAT(''y''", false);
    let (mut one, mut other) = (alone.client(), alone.client());
    for client in [&mut one, &mut other] {
        client.run("BEGIN");
        assert_eq!(client.value("SELECT COUNT(*) FROM digits"), "10");
    }
}

#[test]
fn kill_ends_another_session() {
    let broken = Broken::new();
    let (mut victim, mut killer) = (broken.client(), broken.client());
    let id = victim.value("SELECT CONNECTION_ID()");
    victim.run("BEGIN");
    victim.run("UPDATE t SET v = 100 WHERE id IN (1, 2)");
    killer.run(format!("KILL {id}"));
    assert!(victim.is_closed());
    assert_eq!(killer.run("UPDATE t SET v = v + 1 WHERE id IN (1, 2)").done().affected, 2);
    assert_eq!(killer.value("SELECT v FROM t WHERE id = 1"), "2");
    assert_eq!(killer.fault(format!("KILL {id}")).code, 1094);
    assert_eq!(killer.fault(format!("KILL QUERY {id}")).code, 1094);
}

#[test]
fn sigterm_lets_statements_and_transactions_end() {
    let broken = Broken::new();
    let (mut busy, mut idle) = (broken.client(), broken.client());
    idle.run("SELECT 1");
    busy.command(b"\x03SELECT v + SLEEP(2) FROM t WHERE id = 1").unwrap();
    await_running(&mut broken.bed.unit(1).client(), "SELECT v + SLEEP", true);
    broken.bed.weir.terminate().unwrap();
    // Whoever is idle is let go, nobody new comes in, and what runs is answered.
    assert!(idle.is_closed());
    assert_eq!(busy.reply().unwrap().table().text(), [["1"]]);
    let status = broken.bed.weir.stop().unwrap();
    assert!(status.success(), "{status}");
    assert!(broken.bed.proxy().connect().is_err());
    broken.bed.weir.restart().unwrap();
    assert_eq!(broken.client().value("SELECT COUNT(*) FROM t"), "6");
}
