//! Who gets a connection while others sit on theirs, and servers that are slow or may not be written to beside others that
//! work.

use std::process::Command;
use std::time::{Duration, Instant};

use weir_tests::{Bed, Client, Logical};

/// A database with a sharded table of two rows on two units: `id` lies on unit `id % 2`.
fn table<'a>(bed: &'a Bed, name: &str) -> Logical<'a> {
    let logical = bed.logical(name);
    logical.shard("t", "id");
    let mut client = logical.client();
    client.run("CREATE TABLE t (id INT NOT NULL PRIMARY KEY, v INT)");
    client.run("INSERT INTO t VALUES (0, 0), (1, 1), (2, 2), (3, 3)");
    logical
}

/// Sets a property of both units.
fn alter(logical: &Logical<'_>, property: &str) {
    let unit = |number: usize| {
        let definition = logical.definition(number);
        format!("{}, PROPERTIES({property}))", definition.trim_end_matches(')'))
    };
    logical.client().run(format!("ALTER STORAGE UNIT {}, {}", unit(0), unit(1)));
}

/// One figure of a unit's pool.
fn figure(client: &mut Client, unit: &str, column: usize) -> String {
    let rows = client.rows(format!("SHOW STORAGE UNIT POOLS LIKE '{unit}'"));
    rows[0][column].clone()
}

const WAITING: usize = 3;
const ACTIVE_LIMIT: usize = 4;

/// Waits for a count on a server, with a generous deadline.
fn await_count(server: &mut Client, query: &str, wanted: &str) {
    let deadline = Instant::now() + Duration::from_secs(60);
    while server.value(query) != wanted {
        assert!(Instant::now() < deadline, "{query} is not {wanted}");
    }
}

#[test]
fn who_waits_for_a_lock_or_thinks_in_a_transaction_keeps_out_nobody() {
    let bed = Bed::new(2);
    let logical = table(&bed, "locks");
    alter(&logical, "\"maximumActive\"=1, \"maximumPoolSize\"=12");
    let mut holder = logical.client();
    holder.run("BEGIN");
    holder.run("UPDATE t SET v = v + 10 WHERE id = 1");
    let mut blocked: Vec<_> = (0..8).map(|_| logical.client()).collect();
    for client in &mut blocked {
        client.command(b"\x03UPDATE t SET v = v + 1 WHERE id = 1").unwrap();
    }
    // The only one that may be at work is the holder, and then one after the other of those.
    let running = "SELECT COUNT(*) FROM information_schema.processlist WHERE info LIKE 'UPDATE t%'";
    await_count(&mut bed.unit(1).client(), running, "8");
    let mut other = logical.client();
    assert_eq!(figure(&mut other, "ds_1", ACTIVE_LIMIT), "1");
    for _ in 0..50 {
        assert_eq!(other.value("SELECT v FROM t WHERE id = 3"), "3");
    }
    holder.run("COMMIT");
    for client in &mut blocked {
        assert_eq!(client.reply().unwrap().done().affected, 1);
    }
    assert_eq!(other.value("SELECT v FROM t WHERE id = 1"), "19");
    assert_eq!(figure(&mut other, "ds_1", WAITING), "0");
}

#[test]
fn servers_that_hang_or_may_not_be_written_to_stop_no_other_unit() {
    let bed = Bed::new(2);
    let logical = table(&bed, "slow");
    let (mut client, mut server) = (logical.client(), bed.unit(1).client());
    server.run("SET GLOBAL super_read_only = ON");
    let fault = client.fault("UPDATE t SET v = 4 WHERE id = 1");
    assert_eq!(fault.code, 1290, "{fault}");
    assert_eq!(client.run("UPDATE t SET v = 4 WHERE id = 0").done().affected, 1);
    assert_eq!(client.value("SELECT v FROM t WHERE id = 1"), "1");
    server.run("SET GLOBAL super_read_only = OFF");
    server.run("SET GLOBAL read_only = OFF");
    assert_eq!(client.run("UPDATE t SET v = 4 WHERE id = 1").done().affected, 1);

    let pid = bed.server(1).pid().unwrap().to_string();
    let signal = |name: &str| assert!(Command::new("kill").args([name, &pid]).status().unwrap().success());
    signal("-STOP");
    let mut stuck: Vec<_> = (0..60).map(|_| logical.client()).collect();
    for client in &mut stuck {
        client.command(b"\x03SELECT v FROM t WHERE id = 1").unwrap();
    }
    for _ in 0..50 {
        assert_eq!(client.value("SELECT v FROM t WHERE id = 0"), "4");
    }
    signal("-CONT");
    for client in &mut stuck {
        assert_eq!(client.reply().unwrap().table().text(), [["4"]]);
    }
}

#[test]
fn pools_are_shown_and_a_fixed_limit_stays() {
    let bed = Bed::new(2);
    let logical = table(&bed, "shown");
    let mut client = logical.client();
    alter(&logical, "\"maximumActive\"=3, \"maximumPoolSize\"=7");
    assert!(client.rows("SHOW STORAGE UNIT POOLS").is_empty(), "not used since");
    client.run("SELECT * FROM t");
    let rows = client.rows("SHOW STORAGE UNIT POOLS FROM shown LIKE 'ds_0'");
    // name, active, idle, waiting, active_limit, max_pool_size, opened, closed, failed, waits, waits_in_vain, waits' times
    let wanted = ["ds_0", "0", "1", "0", "3", "7", "1", "0", "0", "0", "0", "0.000", "0.000", "0.000"];
    assert_eq!(rows, [wanted]);
    bed.weir.restart().unwrap();
    let mut client = logical.client();
    assert_eq!(client.value("SELECT v FROM t WHERE id = 2"), "2");
    assert_eq!(figure(&mut client, "ds_0", ACTIVE_LIMIT), "3");
    let units = client.rows("SHOW STORAGE UNITS LIKE 'ds_0'");
    assert!(units[0].last().unwrap().contains("\"maximumActive\":\"3\""), "{units:?}");
}
