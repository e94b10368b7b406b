//! Query attributes, as servers with the component `query_attributes` tell them.

use bytes::{BufMut as _, BytesMut};
use weir_tests::{Account, Client, Reply};
use wire::caps::Capabilities;
use wire::column::ColumnType;
use wire::command::code;
use wire::cursor::{put_lenenc, put_string};

use crate::{bed, passed_to};

/// A name and a value; nothing is NULL.
type Attribute = (&'static str, Option<&'static str>);

const SOME: [Attribute; 3] = [("one", Some("1st")), ("none", None), ("two", Some("2nd"))];
const TOLD: &str = "SELECT mysql_query_attribute_string('one'), mysql_query_attribute_string('none'), \
                    mysql_query_attribute_string('two'), mysql_query_attribute_string('three')";

fn willing(account: Account) -> Client {
    let capabilities = account.capabilities | Capabilities::QUERY_ATTRIBUTES;
    account.capabilities(capabilities).client()
}

/// Bitmap, types with names, and values of parameters that are all texts.
fn put_all(out: &mut BytesMut, all: &[Attribute]) {
    let mut nulls = vec![0; all.len().div_ceil(8)];
    for (at, _) in all.iter().enumerate().filter(|(_, (_, value))| value.is_none()) {
        nulls[at / 8] |= 1 << (at % 8);
    }
    out.put_slice(&nulls);
    out.put_u8(1);
    for (name, _) in all {
        out.put_slice(&[ColumnType::VAR_STRING.0, 0]);
        put_string(out, name.as_bytes());
    }
    for value in all.iter().filter_map(|(_, value)| *value) {
        put_string(out, value.as_bytes());
    }
}

fn query(client: &mut Client, text: &str, attributes: &[Attribute]) -> Reply {
    let mut out = BytesMut::new();
    out.put_u8(code::QUERY);
    put_lenenc(&mut out, attributes.len() as u64);
    out.put_u8(1);
    if !attributes.is_empty() {
        put_all(&mut out, attributes);
    }
    out.put_slice(text.as_bytes());
    client.command(&out).unwrap();
    client.reply().unwrap()
}

/// Runs what has no rows.
fn run(client: &mut Client, text: &str, attributes: &[Attribute]) -> u64 {
    query(client, text, attributes).done().affected
}

fn execute(client: &mut Client, statement: u32, parameters: &[&'static str], all: &[Attribute]) -> Reply {
    let mut out = BytesMut::new();
    out.put_u8(code::STMT_EXECUTE);
    out.put_u32_le(statement);
    // Parameters are counted.
    out.put_u8(8);
    out.put_u32_le(1);
    let together: Vec<_> =
        parameters.iter().map(|value| ("", Some(*value))).chain(all.iter().copied()).collect();
    put_lenenc(&mut out, together.len() as u64);
    if !together.is_empty() {
        put_all(&mut out, &together);
    }
    client.command(&out).unwrap();
    client.binary_reply().unwrap()
}

fn rows(reply: Reply) -> Vec<Vec<String>> {
    reply.table().text()
}

#[test]
fn attributes_reach_the_server_with_their_statement_alone() {
    let logical = passed_to(0, "attributes_passed");
    let mut clients = [willing(logical.account()), willing(bed().plain().database("attributes_passed"))];
    let all = clients.each_mut().map(|client| {
        let mut told = vec![
            rows(query(client, TOLD, &SOME)),
            rows(query(client, TOLD, &[])),
            rows(query(client, &format!("{TOLD} FROM t"), &SOME)),
        ];
        run(client, "INSERT INTO t VALUES (1, mysql_query_attribute_string('two'))", &SOME);
        run(client, "BEGIN", &SOME);
        told.push(rows(query(client, "SELECT v FROM t WHERE id = 1", &SOME)));
        told.push(rows(query(client, &format!("{TOLD} FROM t"), &SOME[2..])));
        run(client, "COMMIT", &SOME);
        told.push(rows(query(client, TOLD, &[("one", Some("once")), ("one", Some("twice"))])));
        told
    });
    assert_eq!(all[0], all[1]);
    assert_eq!(all[0][0], [["1st", "NULL", "2nd", "NULL"]]);
    assert_eq!(all[0][1], [["NULL"; 4]]);
}

#[test]
fn attributes_reach_the_server_with_prepared_statements() {
    let logical = passed_to(0, "attributes_prepared");
    let mut clients = [willing(logical.account()), willing(bed().plain().database("attributes_prepared"))];
    let all = clients.each_mut().map(|client| {
        let mut told = Vec::new();
        run(client, "INSERT INTO t VALUES (1, 'x')", &[]);
        for (text, parameters) in [
            (format!("{TOLD} FROM t"), &[][..]),
            (format!("{TOLD}, ?, ? FROM t WHERE id = ?"), &["a", "b", "1"]),
        ] {
            let prepared = client.prepare(&text).unwrap();
            for attributes in [&SOME[..], &[], &SOME[2..]] {
                told.push(rows(execute(client, prepared.id, parameters, attributes)));
            }
        }
        told
    });
    assert_eq!(all[0], all[1]);
    assert_eq!(all[0][0], [["1st", "NULL", "2nd", "NULL"]]);
    assert_eq!(all[0][3], [["1st", "NULL", "2nd", "NULL", "a", "b"]]);
    assert_eq!(all[0][4], [["NULL", "NULL", "NULL", "NULL", "a", "b"]]);
}

#[test]
fn attributes_reach_every_node_of_a_statement() {
    let logical = bed().logical("attributes_sharded");
    logical.shard("t", "id");
    let mut client = willing(logical.account());
    run(&mut client, "CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20))", &SOME);
    let insert = "INSERT INTO t VALUES (1, mysql_query_attribute_string('one')), \
                  (2, mysql_query_attribute_string('two')), (13, 'x')";
    assert_eq!(query(&mut client, insert, &SOME).done().affected, 3);
    let all = "SELECT id, v FROM t ORDER BY id";
    assert_eq!(rows(query(&mut client, all, &SOME)), [["1", "1st"], ["2", "2nd"], ["13", "x"]]);
    let told = "SELECT id, mysql_query_attribute_string('two') FROM t ORDER BY id";
    assert_eq!(rows(query(&mut client, told, &SOME)), [["1", "2nd"], ["2", "2nd"], ["13", "2nd"]]);
    let prepared = client.prepare(told).unwrap();
    let reply = execute(&mut client, prepared.id, &[], &SOME);
    assert_eq!(rows(reply), [["1", "2nd"], ["2", "2nd"], ["13", "2nd"]]);
    // The key decides where it goes, whatever comes with it.
    let update = client.prepare("UPDATE t SET v = ? WHERE id = ?").unwrap();
    let trace = ("traceparent", Some("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"));
    assert_eq!(execute(&mut client, update.id, &["new", "13"], &[trace]).done().affected, 1);
    assert_eq!(rows(query(&mut client, "SELECT v FROM t WHERE id = 13", &[trace])), [["new"]]);
    // Groups that one server works out get theirs, too.
    let worked = "SELECT COUNT(*) + 1, MAX(v) FROM t HAVING COUNT(*) > 1";
    assert_eq!(rows(query(&mut client, worked, &SOME)), [["4", "new"]]);
}

#[test]
fn broken_attributes_are_refused() {
    let logical = passed_to(0, "attributes_broken");
    for broken in [
        &b"\x03\x01\x01"[..],
        b"\x03\x01\x01\0\0\xfe\0\x01a\x01b",
        b"\x03\xff\x01",
        b"\x03\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01",
    ] {
        let mut client = willing(logical.account());
        client.command(broken).unwrap();
        assert!(client.is_closed());
    }
    assert_eq!(rows(query(&mut willing(logical.account()), "SELECT 1", &[])), [["1"]]);
}
