//! Payloads around and beyond sixteen megabytes, and results that no memory should have to hold.

use std::fs;

use weir_harness::WeirProcess;
use weir_tests::{Account, Client, Fault, Logical};
use wire::value::Value;

use crate::{bed, database};

const FRAME: usize = 0xFF_FF_FF;

/// The sizes that matter: one less than a whole frame, a whole frame, one more, and many frames.
const SIZES: [usize; 4] = [FRAME - 1, FRAME, FRAME + 1, 40 << 20];

/// How long the prefix of a string is in a row.
fn prefix(length: usize) -> usize {
    if length < 1 << 24 { 4 } else { 9 }
}

#[test]
fn queries_of_every_size_arrive() {
    let logical = database("sizes_query");
    let mut client = logical.client();
    for size in SIZES {
        let (head, tail) = ("SELECT LENGTH('", "')");
        let length = size - 1 - head.len() - tail.len();
        let text = format!("{head}{}{tail}", "x".repeat(length));
        assert_eq!(text.len() + 1, size);
        assert_eq!(client.value(text), length.to_string(), "a payload of {size} bytes");
    }
}

#[test]
fn rows_of_every_size_come_back() {
    let logical = database("sizes_row");
    let mut client = logical.client();
    client.run("INSERT INTO t VALUES (1, NULL)");
    for size in SIZES {
        for from in ["", " FROM t WHERE id = 1", " FROM t"] {
            let length = (size - 9..size).find(|length| length + prefix(*length) == size);
            let length = length.unwrap_or(size - 9);
            let table = client.query(format!("SELECT REPEAT('x', {length}){from}")).table();
            assert_eq!(table.rows.len(), 1);
            assert_eq!(table.rows[0].len(), length + prefix(length), "{size}{from}");
            assert!(table.rows[0][prefix(length)..].iter().all(|byte| *byte == b'x'), "{size}{from}");
            let binary = length - 2;
            let reply = client.binary(format!("SELECT REPEAT('y', {binary}){from}"), &[]).unwrap();
            let row = &reply.table().rows[0];
            assert_eq!(row.len(), 2 + prefix(binary) + binary, "{size}{from} in binary");
            assert!(row[2 + prefix(binary)..].iter().all(|byte| *byte == b'y'), "{size}{from} in binary");
        }
    }
}

#[test]
fn values_of_every_size_are_stored_on_their_node() {
    let logical = database("sizes_value");
    let mut client = logical.client();
    let insert = client.prepare("INSERT INTO t VALUES (?, ?)").unwrap();
    // The packet: 10 bytes, the null bits, 1, two types, an integer of 8 bytes, the string with its prefix.
    let around = 10 + 1 + 1 + 4 + 8;
    for (number, size) in SIZES.into_iter().enumerate() {
        let length = size - around - prefix(size);
        let value = vec![b'a' + number as u8; length];
        let reply = client.execute(insert.id, &[Value::Int(number as i64), Value::Bytes(&value)]).unwrap();
        assert_eq!(reply.done().affected, 1);
        let stored = client.rows(format!("SELECT LENGTH(v), LEFT(v, 1) FROM t WHERE id = {number}"));
        assert_eq!(stored, [[length.to_string(), char::from(value[0]).to_string()]]);
        let back = client.query(format!("SELECT v FROM t WHERE id = {number}")).table();
        assert!(back.rows[0][prefix(length)..] == value[..], "{size}");
    }
    // And from all nodes at once.
    let all = client.query("SELECT v FROM t").table();
    let mut lengths: Vec<_> = all.rows.iter().map(|row| row.len() - prefix(row.len())).collect();
    lengths.sort_unstable();
    let mut expected = SIZES.map(|size| size - around - prefix(size));
    expected.sort_unstable();
    assert_eq!(lengths, expected);
}

/// The most memory a process ever had, in bytes.
fn peak(weir: &WeirProcess) -> u64 {
    let status = fs::read_to_string(format!("/proc/{}/status", weir.pid().unwrap())).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").trim().parse::<u64>().unwrap() * 1024
}

/// A proxy of its own, so that no other test adds to its memory, with tables of many rows behind it.
fn alone(name: &str) -> (WeirProcess, Logical<'static>, Client) {
    let logical = database(name);
    for number in 0..bed().units() {
        let mut unit = logical.unit(number);
        unit.run("CREATE TABLE digits (d INT)");
        unit.run("INSERT INTO digits VALUES (0),(1),(2),(3),(4),(5),(6),(7),(8),(9)");
    }
    let weir = WeirProcess::builder(&bed().sandbox).start().unwrap();
    let account = Account { address: weir.address(), ..logical.account() };
    let mut client = Account { database: None, ..account }.client();
    client.run(format!("CREATE DATABASE {name}"));
    client.run(format!("USE {name}"));
    client.run(format!("REGISTER STORAGE UNIT {}, {}", logical.definition(0), logical.definition(1)));
    client.run(logical.rule("t", "id"));
    (weir, logical, client)
}

/// What a proxy may need beyond what it needs idle, whatever the size of the result.
const ALLOWED: u64 = 48 << 20;

/// Reads a result of text rows and only counts; or the error in place of it or amid its rows.
fn drain(client: &mut Client) -> Result<(u64, u64), Fault> {
    let columns = client.receive().unwrap();
    assert!(columns.len() == 1 && columns[0] < 0xFB, "{columns:?}");
    for _ in 0..columns[0] {
        client.receive().unwrap();
    }
    let (mut rows, mut bytes) = (0, 0);
    loop {
        let row = client.receive().unwrap();
        match row[0] {
            0xFE if row.len() < 100 => return Ok((rows, bytes)),
            0xFF => return Err(Fault::read(&row).unwrap()),
            _ => {}
        }
        rows += 1;
        bytes += row.len() as u64;
    }
}

#[test]
fn a_gigabyte_passes_in_constant_memory() {
    let (weir, _logical, mut client) = alone("sizes_gigabyte");
    assert_eq!(client.value("SELECT COUNT(*) FROM digits"), "10");
    let before = peak(&weir);
    let query = "\x03SELECT REPEAT('x', 1048576) FROM digits a, digits b, digits c LIMIT 1024";
    client.command(query.replace("c LIMIT", "c, digits e LIMIT").as_bytes()).unwrap();
    let (rows, bytes) = drain(&mut client).unwrap();
    assert_eq!(rows, 1024);
    assert!(bytes > 1 << 30);
    let grown = peak(&weir) - before;
    assert!(grown < ALLOWED, "the proxy grew by {grown} bytes");
}

#[test]
fn a_client_that_does_not_read_stops_the_servers_not_the_proxy() {
    let (weir, _logical, mut client) = alone("sizes_stalled");
    let (before, text) = (peak(&weir), "\x03SELECT REPEAT('x', 100000) FROM digits a, digits b, digits c");
    let mut other = Account { address: weir.address(), ..bed().proxy() }.client();
    client.command(text.as_bytes()).unwrap();
    for number in 0..500 {
        assert_eq!(other.value(format!("SELECT {number}")), number.to_string());
    }
    let grown = peak(&weir) - before;
    assert!(grown < ALLOWED, "the proxy grew by {grown} bytes for a client that does not read");
    assert_eq!(drain(&mut client).unwrap().0, 1000);
}

#[test]
fn a_scattered_result_is_merged_in_constant_memory() {
    let (weir, logical, mut client) = alone("sizes_scattered");
    let rows: Vec<_> = (0..12_000).map(|id| format!("({id}, REPEAT('r', 7000))")).collect();
    for part in rows.chunks(2_000) {
        logical.client().run(format!("INSERT INTO t VALUES {}", part.join(",")));
    }
    assert_eq!(client.value("SELECT COUNT(*) FROM t"), "12000");
    let before = peak(&weir);
    client.command(b"\x03SELECT * FROM t").unwrap();
    assert_eq!(drain(&mut client).unwrap().0, 12_000);
    let grown = peak(&weir) - before;
    assert!(grown < ALLOWED, "the proxy grew by {grown} bytes");
    // Of several tables on one connection all but the last wait in a file.
    for text in ["SELECT id, v FROM t ORDER BY id", "SELECT v, v w, id FROM t ORDER BY id DESC"] {
        client.command(format!("\x03{text}").as_bytes()).unwrap();
        assert_eq!(drain(&mut client).unwrap().0, 12_000, "{text}");
    }
    let grown = peak(&weir) - before;
    assert!(grown < ALLOWED, "the proxy grew by {grown} bytes");
    // What must be held as a whole has a limit, and the client is told.
    client.command(b"\x03SELECT id DIV 1 d, v, COUNT(*) c FROM t GROUP BY d, v ORDER BY c").unwrap();
    let fault = drain(&mut client).unwrap_err();
    assert_eq!(fault.code, 1041, "{fault}");
    assert!(fault.text.contains("ORDER BY") && fault.text.contains("bytes of memory"), "{fault}");
    let grown = peak(&weir) - before;
    assert!(grown < 3 * ALLOWED, "the proxy grew by {grown} bytes");
    client.command(b"\x03SELECT id, v FROM t WHERE id < 2000 ORDER BY id").unwrap();
    assert_eq!(drain(&mut client).unwrap().0, 2_000);
}
