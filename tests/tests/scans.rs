//! Results of many rows over many nodes: in order and complete, in constant memory, and ended when nobody wants the rest.
#![expect(clippy::unwrap_used, reason = "helpers of tests fail like tests")]

use std::fs;
use std::time::{Duration, Instant};

use weir_harness::WeirProcess;
use weir_tests::{Account, Bed, Client, Fault, Logical, UNITS};

/// Shard *i* is `t_i` on unit *i* mod 4, so that two units have three tables.
const SHARDS: usize = 10;

/// What a proxy may need beyond what it needs idle, whatever the size of the result.
const ALLOWED: u64 = 32 << 20;

/// Rows of one shard that are filled in at a time.
const PART: usize = 50_000;

/// A proxy of its own, so that no other test adds to its memory, before tables that were filled behind its back.
struct Hall {
    weir: WeirProcess,
    account: Account,
    logical: Logical<'static>,
    rows: usize,
}

impl Hall {
    /// `t (id, k, pad)` with so many rows in each shard, their `k` mixed up and each used about twice.
    fn new(name: &str, each: usize, pad: usize) -> Self {
        let bed = Bed::shared();
        let logical = bed.bare(name);
        let weir = WeirProcess::builder(&bed.sandbox).start().unwrap();
        let account = Account { address: weir.address(), ..logical.account() };
        let mut client = Account { database: None, ..account.clone() }.client();
        client.run(format!("CREATE DATABASE {name}"));
        client.run(format!("USE {name}"));
        let units: Vec<_> = (0..UNITS).map(|unit| logical.definition(unit)).collect();
        client.run(format!("REGISTER STORAGE UNIT {}", units.join(", ")));
        client.run(logical.rule("t", "id"));
        client.run(
            "CREATE TABLE t (id INT NOT NULL PRIMARY KEY, k INT NOT NULL, pad VARCHAR(2000) NOT NULL, KEY (k))",
        );
        let rows = each * SHARDS;
        std::thread::scope(|scope| {
            for unit in 0..UNITS {
                let logical = &logical;
                scope.spawn(move || {
                    let mut server = logical.unit(unit);
                    server.run(format!("SET cte_max_recursion_depth = {each}"));
                    for shard in (unit..SHARDS).step_by(UNITS) {
                        for from in (0..each).step_by(PART) {
                            let to = each.min(from + PART);
                            server.run(format!(
                                "INSERT INTO t_{shard} WITH RECURSIVE n (n) AS (SELECT {from} UNION ALL SELECT n + 1 \
                                 FROM n WHERE n + 1 < {to}) SELECT n * {SHARDS} + {shard}, \
                                 (n * {SHARDS} + {shard}) * 7919 % {rows} DIV 2, REPEAT('p', {pad}) FROM n"
                            ));
                        }
                    }
                });
            }
        });
        Self { weir, account, logical, rows }
    }

    /// The most memory the proxy ever had, in bytes.
    fn peak(&self) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.weir.pid().unwrap())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
        line.trim().trim_end_matches(" kB").trim().parse::<u64>().unwrap() * 1024
    }

    /// A session on the server behind a unit, in the unit's database, to watch it.
    fn server(&self, unit: usize) -> Client {
        self.logical.unit(unit)
    }
}

impl Drop for Hall {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("the proxy's log:\n{}", fs::read_to_string(self.weir.log()).unwrap_or_default());
        }
    }
}

/// Reads the answer to `SELECT id, k, …`, in the binary form if it is one, and gives `k` and `id` row by row.
fn read(client: &mut Client, binary: bool, mut each: impl FnMut(i64, i64)) -> Result<(), Fault> {
    let first = client.receive().unwrap();
    if first[0] == 0xFF {
        return Err(Fault::read(&first).unwrap());
    }
    for _ in 0..first[0] {
        client.receive().unwrap();
    }
    let integer = |bytes: &[u8]| i64::from(i32::from_le_bytes(*bytes.first_chunk().unwrap()));
    loop {
        let row = client.receive().unwrap();
        match row[0] {
            0xFE if row.len() < 100 => return Ok(()),
            0xFF => return Err(Fault::read(&row).unwrap()),
            // A byte and the bitmap of three columns come before the values.
            _ if binary => each(integer(&row[6..]), integer(&row[2..])),
            _ => {
                let mut cells = wire::row::text(&row).map(|cell| {
                    let cell = cell.unwrap().unwrap();
                    std::str::from_utf8(cell).unwrap_or_default().parse().unwrap_or_default()
                });
                let id = cells.next().unwrap();
                each(cells.next().unwrap(), id);
            }
        }
    }
}

/// Reads the whole table in the order of `k`, and checks that every row comes once, in its place.
fn scan(client: &mut Client, rows: usize, text: &str, binary: bool) {
    if binary {
        let prepared = client.prepare(text).unwrap();
        client.command(&weir_tests::execute(prepared.id, &[], true).unwrap()).unwrap();
    } else {
        client.command(format!("\x03{text}").as_bytes()).unwrap();
    }
    let mut seen = vec![false; rows];
    let (mut last, mut disorder) = (i64::MIN, 0);
    let falls = text.contains("DESC");
    let done = read(client, binary, |k, id| {
        assert!(!std::mem::replace(&mut seen[id as usize], true), "row {id} came twice");
        assert_eq!(k, id * 7919 % rows as i64 / 2, "row {id}");
        let key = if falls { -k } else { k };
        disorder += usize::from(key < last);
        last = key;
    });
    done.unwrap_or_else(|fault| panic!("{text}: {fault}"));
    assert_eq!(disorder, 0, "{text}");
    assert!(seen.iter().all(|seen| *seen), "{text} left rows out");
}

#[test]
fn an_ordered_scan_takes_constant_memory() {
    let hall = Hall::new("scans_ordered", 6_000, 1500);
    let mut client = hall.account.client();
    assert_eq!(client.value("SELECT COUNT(*) FROM t"), hall.rows.to_string());
    let before = hall.peak();
    // 90 MB, of which about 50 are read before their turn.
    scan(&mut client, hall.rows, "SELECT id, k, pad FROM t ORDER BY k", false);
    scan(&mut client, hall.rows, "SELECT id, k, pad FROM t ORDER BY k DESC, id", true);
    client.run("BEGIN");
    client.run("UPDATE t SET pad = 'changed' WHERE id IN (1, 2, 3, 4)");
    scan(&mut client, hall.rows, "SELECT id, k, pad FROM t ORDER BY k, id", true);
    scan(&mut client, hall.rows, "SELECT id, k, pad FROM t ORDER BY k", false);
    assert_eq!(client.value("SELECT COUNT(*) FROM t WHERE pad = 'changed'"), "4");
    client.run("ROLLBACK");
    // Each on a connection of its own: nothing waits but one row of each.
    client.run("SET DIST VARIABLE max_connections_size_per_query = 3");
    scan(&mut client, hall.rows, "SELECT id, k, pad FROM t ORDER BY k", false);
    let grown = hall.peak() - before;
    assert!(grown < ALLOWED, "the proxy grew by {grown} bytes");
}

/// The scan of ten million rows: `cargo test -p weir-tests --test scans -- --ignored --nocapture`. Takes minutes and
/// about 3 GB of disk.
#[test]
#[ignore = "takes minutes"]
fn ten_million_rows_in_order_take_constant_memory() {
    let start = Instant::now();
    let hall = Hall::new("scans_great", 1_000_000, 60);
    println!("filled after {:?}", start.elapsed());
    let mut client = hall.account.client();
    assert_eq!(client.value("SELECT COUNT(*) FROM t"), "10000000");
    let before = hall.peak();
    for (about, text, binary) in [
        ("text", "SELECT id, k, pad FROM t ORDER BY k", false),
        ("prepared", "SELECT id, k, pad FROM t ORDER BY k, id", true),
    ] {
        let start = Instant::now();
        scan(&mut client, hall.rows, text, binary);
        let grown = hall.peak() - before;
        println!("{about}: {:?}, {before} bytes before, {grown} more at most", start.elapsed());
        assert!(grown < ALLOWED, "the proxy grew by {grown} bytes");
    }
}

/// So many statements of that beginning run in a database of a server.
fn running(server: &mut Client, beginning: &str) -> usize {
    let ask = format!(
        "SELECT COUNT(*) FROM information_schema.processlist WHERE info LIKE '{beginning}%' \
         AND db = DATABASE() AND id <> CONNECTION_ID()"
    );
    server.value(ask).parse().unwrap()
}

/// Waits until so many do.
fn await_running(server: &mut Client, beginning: &str, wanted: usize) {
    let deadline = Instant::now() + Duration::from_secs(30);
    while running(server, beginning) != wanted {
        assert!(Instant::now() < deadline, "{beginning}: not {wanted} running");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Keeps a server busy for minutes, and sends nothing meanwhile.
const BUSY: &str = "BENCHMARK(1000000000, SHA2('busy', 512))";

#[test]
fn an_error_ends_the_statement_on_every_server() {
    let hall = Hall::new("scans_error", 10, 10);
    hall.logical.unit(3).run("DROP TABLE t_3");
    let mut client = hall.account.client();
    for inside in [false, true] {
        if inside {
            client.run("BEGIN");
            client.run("UPDATE t SET k = 77 WHERE id = 2");
        }
        let start = Instant::now();
        // One shard refuses at once, the others are at work.
        let fault = client.fault(format!("SELECT id + {BUSY} FROM t ORDER BY id"));
        assert_eq!(fault.code, 1146, "{fault}");
        assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
        for unit in 0..UNITS {
            await_running(&mut hall.server(unit), "SELECT id + BENCHMARK", 0);
        }
    }
    // The transaction and its connections are what they were.
    assert_eq!(client.value("SELECT k FROM t WHERE id = 2"), "77");
    client.run("COMMIT");
    assert_eq!(client.value("SELECT k FROM t WHERE id = 2"), "77");
}

#[test]
fn a_filled_limit_ends_the_statement_on_every_server() {
    let hall = Hall::new("scans_limit", 200, 1500);
    let mut client = hall.account.client();
    let start = Instant::now();
    // The first shard has enough rows; each other one begins to answer and is then at work.
    let busy = format!("SELECT id, pad FROM t WHERE id % 10 = 0 OR id < 1000 OR id + {BUSY} < 0 LIMIT 150");
    assert_eq!(client.rows(busy).len(), 150);
    assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
    for unit in 0..UNITS {
        await_running(&mut hall.server(unit), "SELECT id, pad", 0);
    }
    assert_eq!(client.value("SELECT COUNT(*) FROM t"), "2000");
}

#[test]
fn a_client_that_does_not_read_stops_every_server() {
    let hall = Hall::new("scans_stalled", 6_000, 1500);
    for text in ["SELECT id, k, pad FROM t ORDER BY k", "SELECT id, k, pad FROM t"] {
        let mut client = hall.account.client();
        let mut other = hall.account.client();
        other.value("SELECT COUNT(*) FROM t");
        let before = hall.peak();
        client.command(format!("\x03{text}").as_bytes()).unwrap();
        let mut watch = hall.server(1);
        await_running(&mut watch, "SELECT id, k", 1);
        // Others are served meanwhile, and the servers wait with what is left.
        for number in 0..300 {
            assert_eq!(other.value(format!("SELECT {number} FROM t WHERE id = 5")), number.to_string());
        }
        assert_eq!(running(&mut watch, "SELECT id, k"), 1);
        let grown = hall.peak() - before;
        assert!(grown < ALLOWED, "the proxy grew by {grown} bytes for a client that does not read");
        let mut rows = 0;
        read(&mut client, false, |_, _| rows += 1).unwrap();
        assert_eq!(rows, hall.rows);
        // One that is gone frees the servers.
        client.command(format!("\x03{text}").as_bytes()).unwrap();
        client.receive().unwrap();
        client.vanish();
        for unit in 0..UNITS {
            await_running(&mut hall.server(unit), "SELECT id, k", 0);
        }
    }
}

#[test]
fn a_statement_takes_as_many_connections_of_a_unit_as_it_may() {
    let hall = Hall::new("scans_connections", 10, 10);
    let mut client = hall.account.client();
    let mut server = hall.server(1);
    let text = "SELECT id, SLEEP(0.1) FROM t ORDER BY id";
    // Unit 1 has three of the ten tables, unit 3 two. Ten rows each: every table takes a second.
    for (most, expected, inside) in [(1, 1, false), (2, 2, false), (3, 3, false), (9, 3, false), (9, 1, true)]
    {
        client.run(format!("SET DIST VARIABLE max_connections_size_per_query = {most}"));
        client.run(if inside { "BEGIN" } else { "COMMIT" });
        let start = Instant::now();
        client.command(format!("\x03{text}").as_bytes()).unwrap();
        await_running(&mut server, "SELECT id, SLEEP", expected);
        let mut last = -1;
        let ordered = |_, id| {
            assert_eq!(id, last + 1);
            last = id;
        };
        read(&mut client, false, ordered).unwrap();
        let rounds = 3_usize.div_ceil(expected);
        assert!(start.elapsed() >= Duration::from_millis(rounds as u64 * 1000));
        client.run("COMMIT");
    }
}

/// Servers may tell one expression in different types, as MySQL does by whether it needed a temporary table.
#[test]
fn nodes_that_tell_other_types_are_read_by_their_own() {
    let hall = Hall::new("scans_types", 20, 10);
    hall.logical.unit(3).run("ALTER TABLE t_3 MODIFY k BIGINT NOT NULL");
    hall.logical.unit(1).run("ALTER TABLE t_5 MODIFY k SMALLINT NOT NULL");
    let mut client = hall.account.client();
    let mut both = |text: &str| {
        let text_rows = client.rows(text);
        assert_eq!(client.binary(text, &[]).unwrap().table().text(), text_rows, "{text}");
        text_rows
    };
    let expected = |id: usize| vec![(id * 7919 % 200 / 2).to_string(), id.to_string()];
    assert_eq!(both("SELECT k, id FROM t ORDER BY id"), (0..200).map(expected).collect::<Vec<_>>());
    let mut plain = both("SELECT k, id FROM t");
    plain.sort_by_key(|row| row[1].parse::<usize>().unwrap());
    assert_eq!(plain, (0..200).map(expected).collect::<Vec<_>>());
    assert_eq!(both("SELECT k, COUNT(*) FROM t GROUP BY k ORDER BY k").len(), 100);
    assert_eq!(both("SELECT MAX(k), MIN(k) FROM t"), [["99", "0"]]);
    // A value that the column as told has no room for.
    hall.logical.unit(3).run("UPDATE t_3 SET k = 5000000000 WHERE id = 13");
    let fault = match client.binary("SELECT k, id FROM t ORDER BY id", &[]).unwrap() {
        weir_tests::Reply::Error(fault) => fault,
        other => panic!("{other:?}"),
    };
    assert!(fault.text.contains("'k'"), "{fault}");
}

/// A server waits so many seconds for its rows to be taken, then it closes the connection (`net_write_timeout`).
const SERVERS_PATIENCE: u64 = 8;

#[test]
fn a_slow_client_costs_no_server_its_patience() {
    let bed = Bed::shared();
    let patience = |seconds| {
        for unit in 0..UNITS {
            bed.unit(unit).client().run(format!("SET GLOBAL net_write_timeout = {seconds}"));
        }
    };
    patience(SERVERS_PATIENCE);
    let hall = Hall::new("scans_slow", 600, 1500);
    patience(60);
    let mut clients = Vec::new();
    // All rows of one shard come before the first of another: far more than sockets hold wait on each server.
    for text in
        ["SELECT id, k, REPEAT(pad, 20) FROM t ORDER BY id % 10, id", "SELECT id, k, REPEAT(pad, 20) FROM t"]
    {
        let mut client = hall.account.client();
        client.command(format!("\x03{text}").as_bytes()).unwrap();
        clients.push(client);
    }
    std::thread::scope(|scope| {
        for mut client in clients {
            scope.spawn(move || {
                let mut rows = 0;
                let mut seen = vec![false; 6_000];
                let pause = Duration::from_secs(SERVERS_PATIENCE) / 400;
                let done = read(&mut client, false, |_, id| {
                    rows += 1;
                    assert!(!std::mem::replace(&mut seen[id as usize], true));
                    if rows < 600 {
                        std::thread::sleep(pause);
                    }
                });
                done.unwrap_or_else(|fault| panic!("after {rows} rows: {fault}"));
                assert_eq!(rows, 6_000);
            });
        }
    });
}
