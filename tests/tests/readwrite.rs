//! Readwrite splitting over servers that do not replicate: each has a row that names it, so that where a read went can be
//! seen.

use std::collections::BTreeSet;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use weir_tests::{Bed, Client, Failure, Logical, Reply};
use wire::value::Value;

/// Two pairs of servers: `ds_0` with `ds_1` and `ds_2` with `ds_3`, or one with three replicas.
fn bed() -> &'static Bed {
    static BED: LazyLock<Bed> = LazyLock::new(|| Bed::new(4));
    &BED
}

/// Asks where it was read.
const HERE: &str = "SELECT here FROM place";

/// A database whose group `rw` writes to `ds_0` (the row there says `w`) and reads from others (`r1`, `r2` …).
fn group<'a>(bed: &'a Bed, name: &str, replicas: usize, more: &str) -> Logical<'a> {
    let logical = bed.logical(name);
    for unit in 0..=replicas {
        let here = if unit == 0 { "w".to_owned() } else { format!("r{unit}") };
        let mut server = logical.unit(unit);
        server.run("CREATE TABLE place (id INT NOT NULL AUTO_INCREMENT PRIMARY KEY, here VARCHAR(4), n INT)");
        server.run(format!("INSERT INTO place (here, n) VALUES ('{here}', 1)"));
    }
    let reads: Vec<_> = (1..=replicas).map(|unit| format!("ds_{unit}")).collect();
    logical.client().run(format!(
        "CREATE READWRITE_SPLITTING RULE rw (WRITE_STORAGE_UNIT=ds_0, READ_STORAGE_UNITS({}){more})",
        reads.join(",")
    ));
    logical
}

fn places(client: &mut Client, times: usize) -> Vec<String> {
    (0..times).map(|_| client.value(HERE)).collect()
}

#[test]
fn reads_go_round_the_replicas_and_all_else_to_the_primary() {
    let logical = group(bed(), "round", 2, "");
    let mut client = logical.client();
    assert_eq!(places(&mut client, 4), ["r1", "r2", "r1", "r2"]);
    // The turn is the group's, not the session's.
    assert_eq!(logical.client().value(HERE), "r1");
    assert_eq!(client.value(HERE), "r2");
    for query in [
        "SELECT here FROM place FOR UPDATE",
        "SELECT here FROM place LOCK IN SHARE MODE",
        "SELECT here FROM (SELECT here FROM place FOR SHARE) x",
        "/* SHARDINGSPHERE_HINT: WRITE_ROUTE_ONLY=true */ SELECT here FROM place",
        "SELECT here FROM place /* SHARDINGSPHERE_HINT: writeRouteOnly=true */",
        "SELECT here FROM place WHERE LAST_INSERT_ID() = 0",
        "SELECT CONCAT(here, COALESCE(@nothing, '')) FROM place",
    ] {
        assert_eq!(client.value(query), "w", "{query}");
    }
    assert_eq!(client.run("UPDATE place SET n = n + 1").done().affected, 1);
    client.run("INSERT INTO place (here, n) VALUES ('new', 7)");
    assert_eq!(client.value("SELECT LAST_INSERT_ID()"), "2");
    assert_eq!(client.value("SELECT COUNT(*) FROM place"), "1");
    assert_eq!(logical.unit(0).value("SELECT SUM(n) FROM place"), "9");
    assert_eq!(logical.unit(1).value("SELECT SUM(n) FROM place"), "1");
    // The count went to r1.
    assert_eq!(client.value("SELECT MIN(here) FROM place UNION SELECT 'x' LIMIT 1"), "r2");
}

#[test]
fn prepared_reads_are_placed_with_each_execution() {
    let logical = group(bed(), "prepared", 2, "");
    let mut client = logical.client();
    let read = client.prepare("SELECT here FROM place WHERE n = ?").unwrap().id;
    let write = client.prepare("UPDATE place SET n = ? WHERE n = ?").unwrap().id;
    let at = |client: &mut Client| {
        let rows = client.execute(read, &[Value::Int(1)]).unwrap().table().text();
        rows.concat().concat()
    };
    let all: Vec<_> = (0..4).map(|_| at(&mut client)).collect();
    assert_eq!(all, ["r1", "r2", "r1", "r2"]);
    assert_eq!(client.execute(write, &[Value::Int(5), Value::Int(1)]).unwrap().done().affected, 1);
    assert_eq!(logical.unit(0).value("SELECT n FROM place"), "5");
    assert_eq!(at(&mut client), "r1");
    client.run("BEGIN");
    assert_eq!(at(&mut client), "");
    client.run("COMMIT");
    assert_eq!(at(&mut client), "r2");
}

#[test]
fn a_transaction_stays_with_the_primary_unless_it_cannot_write() {
    let logical = group(bed(), "writer", 2, "");
    let mut client = logical.client();
    client.run("BEGIN");
    assert_eq!(places(&mut client, 2), ["w", "w"]);
    client.run("COMMIT");
    client.run("SET autocommit = 0");
    assert_eq!(places(&mut client, 2), ["w", "w"]);
    client.run("SET autocommit = 1");
    assert_eq!(places(&mut client, 2), ["r1", "r2"]);
    for begin in ["START TRANSACTION READ ONLY", "START TRANSACTION READ ONLY"] {
        client.run(begin);
        let all: BTreeSet<_> = places(&mut client, 4).into_iter().collect();
        assert!(
            all == BTreeSet::from(["r1".to_owned()]) || all == BTreeSet::from(["r2".to_owned()]),
            "{all:?}"
        );
        // The transaction sees one state, whatever happens on the server meanwhile.
        let replica = if all.contains("r1") { 1 } else { 2 };
        logical.unit(replica).run("UPDATE place SET n = n + 1");
        assert_eq!(client.value("SELECT COUNT(*) FROM place WHERE n > 1"), "0");
        assert_eq!(client.fault("UPDATE place SET n = 0").code, 1792);
        client.run("COMMIT");
        logical.unit(replica).run("UPDATE place SET n = 1");
    }
    // What was begun on the primary is read there to the end.
    client.run("START TRANSACTION READ ONLY");
    assert_eq!(client.value("SELECT here FROM place FOR SHARE"), "w");
    assert_eq!(places(&mut client, 2), ["w", "w"]);
    client.run("COMMIT");
}

#[test]
fn a_transaction_with_a_fixed_replica_keeps_it_to_its_end() {
    let logical = group(bed(), "fixed", 2, ", TYPE(NAME=\"FIXED_REPLICA_ROUND_ROBIN\")");
    let mut client = logical.client();
    let mut seen = BTreeSet::new();
    for end in ["COMMIT", "ROLLBACK", "COMMIT", "ROLLBACK"] {
        client.run("BEGIN");
        let first = client.value(HERE);
        assert_ne!(first, "w");
        assert_eq!(client.run("UPDATE place SET n = n + 1").done().affected, 1);
        assert_eq!(places(&mut client, 3), [first.as_str(), &first, &first]);
        assert_eq!(client.value("SELECT here FROM place FOR UPDATE"), "w");
        client.run(end);
        seen.insert(first);
    }
    assert_eq!(seen.len(), 2);
    // Two of the four were committed.
    assert_eq!(logical.unit(0).value("SELECT n FROM place"), "3");
    // A transaction ended by its successor is another one.
    client.run("BEGIN");
    let first = client.value(HERE);
    client.run("BEGIN");
    assert_ne!(client.value(HERE), first);
    client.run("COMMIT AND CHAIN");
    assert_eq!(client.value(HERE), first);
    client.run("COMMIT");
}

#[test]
fn a_dynamic_transaction_balances_every_read() {
    let logical =
        group(bed(), "dynamic", 2, ", TRANSACTIONAL_READ_QUERY_STRATEGY='DYNAMIC', TYPE(NAME=ROUND_ROBIN)");
    let mut client = logical.client();
    client.run("BEGIN");
    assert_eq!(places(&mut client, 3), ["r1", "r2", "r1"]);
    client.run("UPDATE place SET n = 9");
    assert_eq!(places(&mut client, 2), ["r2", "r1"]);
    client.run("ROLLBACK");
    assert_eq!(logical.unit(0).value("SELECT n FROM place"), "1");
}

#[test]
fn what_ties_a_session_to_a_connection_keeps_it_with_the_primary() {
    let logical = group(bed(), "tied", 2, "");
    let mut client = logical.client();
    client.run("CREATE TEMPORARY TABLE mine (x INT)");
    client.run("INSERT INTO mine VALUES (1)");
    assert_eq!(client.value("SELECT x FROM mine"), "1");
    assert_eq!(client.value(HERE), "w");
    let mut client = logical.client();
    assert_eq!(client.value("SELECT GET_LOCK('tied', 0)"), "1");
    assert_eq!(client.value(HERE), "w");
    assert_eq!(client.value("SELECT RELEASE_LOCK('tied')"), "1");
    // A variable that a session sets travels with it.
    let mut client = logical.client();
    client.run("SET @x = 4, sql_mode = 'ANSI_QUOTES'");
    assert_eq!(client.value("SELECT @x"), "4");
    assert_ne!(client.value("SELECT \"here\" FROM place"), "w");
}

#[test]
fn weights_and_fixed_primary_are_kept_to() {
    let logical = group(bed(), "weights", 2, ", TYPE(NAME=\"WEIGHT\", PROPERTIES(\"ds_1\"=0, \"ds_2\"=1))");
    let mut client = logical.client();
    assert_eq!(places(&mut client, 5), ["r2"; 5]);
    let alter = |balancer: &str| {
        format!(
            "ALTER READWRITE_SPLITTING RULE rw (WRITE_STORAGE_UNIT=ds_0, READ_STORAGE_UNITS(ds_1, ds_2), \
             TYPE(NAME=\"{balancer}\"))"
        )
    };
    client.run(alter("FIXED_PRIMARY"));
    assert_eq!(places(&mut client, 3), ["w"; 3]);
    client.run(alter("RANDOM"));
    let seen: BTreeSet<_> = places(&mut client, 40).into_iter().collect();
    assert_eq!(seen, BTreeSet::from(["r1".to_owned(), "r2".to_owned()]));
}

#[test]
fn replicas_are_switched_off_and_on_for_running_sessions() {
    let logical = group(bed(), "switch", 3, "");
    let (mut client, mut admin) = (logical.client(), logical.client());
    let seen = |client: &mut Client| places(client, 6).into_iter().collect::<BTreeSet<_>>();
    let set = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<BTreeSet<_>>();
    assert_eq!(seen(&mut client), set(&["r1", "r2", "r3"]));
    admin.run("ALTER READWRITE_SPLITTING RULE rw DISABLE ds_2");
    assert_eq!(seen(&mut client), set(&["r1", "r3"]));
    admin.run("ALTER READWRITE_SPLITTING RULE DISABLE ds_1");
    assert_eq!(seen(&mut client), set(&["r3"]));
    let fault = admin.fault("ALTER READWRITE_SPLITTING RULE rw DISABLE ds_3");
    assert_eq!((fault.code, fault.state.as_str()), (30001, "0A000"), "{fault}");
    let status = admin.rows("SHOW STATUS FROM READWRITE_SPLITTING RULES");
    let status: Vec<_> = status.iter().map(|row| format!("{} {}", row[0], row[1])).collect();
    assert_eq!(status, ["ds_1 disabled", "ds_2 disabled", "ds_3 enabled"]);
    admin.run("ALTER READWRITE_SPLITTING RULE rw ENABLE ds_2");
    assert_eq!(seen(&mut client), set(&["r2", "r3"]));
    // Without the rule the tables are where they were.
    admin.run("DROP READWRITE_SPLITTING RULE rw");
    assert_eq!(places(&mut client, 3), ["w"; 3]);
}

#[test]
fn a_session_can_be_told_to_read_where_is_written() {
    let logical = group(bed(), "hints", 1, "");
    let mut client = logical.client();
    let refused = client.fault("SET READWRITE_SPLITTING HINT SOURCE = write");
    assert_eq!(refused.code, 30001);
    assert!(refused.text.contains("proxy-hint-enabled should be true"), "{refused}");
    client.run("SET DIST VARIABLE proxy_hint_enabled = true");
    assert_eq!(client.value("SHOW READWRITE_SPLITTING HINT STATUS"), "auto");
    client.run("SET READWRITE_SPLITTING HINT SOURCE = write");
    assert_eq!(client.value("SHOW READWRITE_SPLITTING HINT STATUS"), "write");
    assert_eq!(client.value(HERE), "w");
    assert_eq!(logical.client().value(HERE), "r1");
    client.run("CLEAR READWRITE_SPLITTING HINT");
    assert_eq!(client.value(HERE), "r1");
    client.run("SET READWRITE_SPLITTING HINT SOURCE = write");
    client.run("CLEAR HINT");
    assert_eq!(client.value(HERE), "r1");
    assert_eq!(client.fault("SET READWRITE_SPLITTING HINT SOURCE = read").code, 30001);
}

#[test]
fn preview_shows_where_a_statement_would_go_and_takes_nobodys_turn() {
    let logical = group(bed(), "preview", 2, "");
    let mut client = logical.client();
    let preview = |client: &mut Client, sql: &str| client.rows(format!("PREVIEW {sql}"))[0][0].clone();
    for _ in 0..3 {
        assert_eq!(preview(&mut client, HERE), "ds_1");
    }
    assert_eq!(client.value(HERE), "r1");
    assert_eq!(preview(&mut client, HERE), "ds_2");
    assert_eq!(preview(&mut client, "UPDATE place SET n = 1"), "ds_0");
    client.run("BEGIN");
    assert_eq!(preview(&mut client, HERE), "ds_0");
}

#[test]
fn shards_may_be_groups() {
    let logical = bed().logical("shards");
    let mut client = logical.client();
    client.run(
        "CREATE READWRITE_SPLITTING RULE g0 (WRITE_STORAGE_UNIT=ds_0, READ_STORAGE_UNITS(ds_1)), \
         g1 (WRITE_STORAGE_UNIT=ds_2, READ_STORAGE_UNITS(ds_3))",
    );
    client.run(
        "CREATE SHARDING TABLE RULE t (STORAGE_UNITS(g0, g1), SHARDING_COLUMN=id, \
         TYPE(NAME=\"MOD\", PROPERTIES(\"sharding-count\"=4)))",
    );
    client.run("CREATE TABLE t (id INT PRIMARY KEY, here VARCHAR(4))");
    for (unit, shards) in [(1, [0, 2]), (3, [1, 3])] {
        for shard in shards {
            let mut replica = logical.unit(unit);
            replica.run(format!("CREATE TABLE t_{shard} (id INT PRIMARY KEY, here VARCHAR(4))"));
            replica.run(format!("INSERT INTO t_{shard} VALUES ({shard}, 'r{unit}')"));
        }
    }
    client.run("INSERT INTO t VALUES (0, 'w0'), (1, 'w2'), (2, 'w0'), (3, 'w2'), (4, 'w0')");
    for (id, read, written) in [(0, "r1", "w0"), (1, "r3", "w2"), (2, "r1", "w0"), (3, "r3", "w2")] {
        let query = format!("SELECT here FROM t WHERE id = {id}");
        assert_eq!(client.value(&query), read);
        assert_eq!(client.value(format!("{query} FOR UPDATE")), written);
    }
    assert_eq!(client.value("SELECT COUNT(*) FROM t"), "4");
    assert_eq!(client.rows("SELECT here FROM t ORDER BY id").concat(), ["r1", "r3", "r1", "r3"]);
    client.run("BEGIN");
    assert_eq!(client.value("SELECT COUNT(*) FROM t"), "5");
    assert_eq!(client.run("DELETE FROM t WHERE id < 3").done().affected, 3);
    client.run("ROLLBACK");
    assert_eq!(logical.unit(0).value("SELECT COUNT(*) FROM t_0"), "2");
}

/// Asks until an answer is there; sessions must not see an error meanwhile.
fn until(what: &str, mut is_there: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(60);
    while !is_there() {
        assert!(Instant::now() < deadline, "{what}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn a_replica_that_dies_leaves_the_rotation_and_comes_back() {
    let bed = Bed::new(3);
    let logical = group(&bed, "dying", 2, "");
    let (mut old, mut idle) = (logical.client(), logical.client());
    let mut inside = logical.client();
    inside.run("START TRANSACTION READ ONLY");
    assert_eq!(inside.value(HERE), "r1");
    let prepared = old.prepare(HERE).unwrap().id;
    assert_eq!(places(&mut old, 2), ["r2", "r1"]);
    assert_eq!(places(&mut idle, 2), ["r2", "r1"]);
    assert_eq!(old.execute(prepared, &[]).unwrap().table().text(), [["r2"]]);

    bed.server(1).kill().unwrap();
    // No session that only reads hears of it, neither on old connections nor on new ones.
    for _ in 0..5 {
        assert_eq!(old.value(HERE), "r2");
        assert_eq!(old.execute(prepared, &[]).unwrap().table().text(), [["r2"]]);
        assert_eq!(idle.value(HERE), "r2");
        assert_eq!(logical.client().value(HERE), "r2");
    }
    // A transaction that was there is lost.
    let lost = inside.try_query(HERE);
    assert!(matches!(lost, Ok(Reply::Error(_)) | Err(Failure::Closed(_))), "{lost:?}");
    let log = || std::fs::read_to_string(bed.weir.log()).unwrap();
    until("it is said that the replica is out", || log().contains("out of the rotation"));

    bed.server(1).restart().unwrap();
    until("the replica is read from again", || old.value(HERE) == "r1");
    let log = log();
    let said = |words: &str| log.lines().filter(|line| line.contains(words) && line.contains("ds_1")).count();
    assert_eq!((said("out of the rotation"), said("back in the rotation")), (1, 1), "{log}");

    // Without any replica the primary is read from.
    bed.server(1).kill().unwrap();
    bed.server(2).kill().unwrap();
    for _ in 0..10 {
        assert_eq!(old.value(HERE), "w");
        assert_eq!(idle.value(HERE), "w");
    }
    old.run("START TRANSACTION READ ONLY");
    assert_eq!(places(&mut old, 2), ["w", "w"]);
    old.run("COMMIT");
    let log = std::fs::read_to_string(bed.weir.log()).unwrap();
    assert_eq!(log.matches("no replica is left").count(), 1, "{log}");
    bed.server(2).restart().unwrap();
    until("the replica is read from again", || old.value(HERE) == "r2");
}

#[test]
fn a_transaction_begins_on_another_replica_when_one_is_dead() {
    let bed = Bed::new(3);
    let logical = group(&bed, "begins", 2, ", TYPE(NAME=\"FIXED_REPLICA_ROUND_ROBIN\")");
    let mut client = logical.client();
    assert_eq!(places(&mut client, 2), ["r1", "r2"]);
    bed.server(1).kill().unwrap();
    for _ in 0..4 {
        client.run("BEGIN");
        assert_eq!(places(&mut client, 2), ["r2", "r2"]);
        assert_eq!(client.run("UPDATE place SET n = n + 1").done().affected, 1);
        client.run("COMMIT");
    }
    assert_eq!(logical.unit(0).value("SELECT n FROM place"), "5");
    // A replica that dies after it was read from takes nothing with it that was written.
    client.run("BEGIN");
    assert_eq!(client.value(HERE), "r2");
    client.run("UPDATE place SET n = 0");
    bed.server(2).kill().unwrap();
    client.run("COMMIT");
    assert_eq!(client.value(HERE), "w");
    assert_eq!(client.value("SELECT n FROM place"), "0");
}

/// A statement that a server dies of must not kill them all.
#[test]
fn a_read_that_was_running_on_a_dead_replica_runs_once_more_at_most() {
    let bed = Bed::new(4);
    let logical = group(&bed, "deadly", 3, "");
    let mut victim = logical.client();
    victim.command(b"\x03SELECT here, SLEEP(60) FROM place").unwrap();
    let runs = |unit: usize| {
        let ask = "SELECT COUNT(*) FROM information_schema.processlist WHERE info LIKE 'SELECT here, SLEEP%'";
        bed.unit(unit).client().value(ask) != "0"
    };
    let mut left = vec![1, 2, 3];
    for _ in 0..2 {
        let mut at = None;
        until("it runs", || {
            at = left.iter().position(|unit| runs(*unit));
            at.is_some()
        });
        bed.server(left.remove(at.unwrap())).kill().unwrap();
    }
    assert_eq!(victim.reply().unwrap().fault().code, 2013);
    assert!(!runs(0) && !runs(left[0]));
    assert_eq!(victim.value(HERE), format!("r{}", left[0]));
}
