//! LOAD DATA LOCAL INFILE, beside a server without a proxy.

use std::fs;
use weir_tests::{Account, Client, Failure, MODERN, OLD, Reply};

use weir_harness::WeirProcess;
use wire::caps::{Capabilities, Status};
use wire::frame::MAX_PAYLOAD;

use crate::{bed, passed_to};

const LOAD: &str = "LOAD DATA LOCAL INFILE 'rows.csv' INTO TABLE t FIELDS TERMINATED BY ','";

fn willing(account: Account) -> Client {
    let capabilities = account.capabilities | Capabilities::LOCAL_FILES;
    account.capabilities(capabilities).client()
}

/// Asks for a load and expects to be asked for the file of that name.
fn begin(client: &mut Client, text: &str, name: &str) {
    client.command(format!("\x03{text}").as_bytes()).unwrap();
    let request = client.receive().unwrap();
    assert_eq!(String::from_utf8_lossy(&request), format!("\u{fb}{name}").replace('\u{fb}', "\u{fffd}"));
    assert_eq!(request[0], wire::reply::LOCAL_INFILE);
}

/// Loads a file that comes in these packets.
fn load(client: &mut Client, text: &str, packets: &[&[u8]]) -> Reply {
    begin(client, text, "rows.csv");
    for packet in packets {
        client.send(packet).unwrap();
    }
    client.send(&[]).unwrap();
    client.reply().unwrap()
}

/// A session on either side of one database, with a table in it.
fn both(name: &str) -> [Client; 2] {
    let logical = passed_to(0, name);
    [willing(logical.account()), willing(bed().plain().database(name))]
}

/// Whether both answer alike; gives the answer. How fast a server was, and what it tells of a transaction's course to
/// those who track it, does not count.
fn alike(clients: &mut [Client; 2], what: impl Fn(&mut Client) -> Reply) -> Reply {
    let [through, direct] = clients.each_mut().map(|client| {
        let mut reply = what(client);
        if let Reply::Done(done) = &mut reply {
            done.status -= Status::QUERY_WAS_SLOW | Status::SESSION_STATE_CHANGED;
            done.changes = None;
        }
        reply
    });
    assert_eq!(through, direct);
    through
}

#[test]
fn rows_of_a_file_are_loaded_and_told_as_by_one_server() {
    let mut clients = both("infile_rows");
    let done = alike(&mut clients, |client| load(client, LOAD, &[b"1,one\n2,t", b"wo\n3,three\n"])).done();
    assert_eq!((done.affected, done.warnings), (3, 0));
    assert_eq!(done.info, "Records: 3  Deleted: 0  Skipped: 0  Warnings: 0");
    // Warnings, duplicates and what is cut.
    let done = alike(&mut clients, |client| load(client, LOAD, &[b"3,again\nx,bad\n7\n8,a,b\n"])).done();
    assert!(done.warnings > 0, "{done:?}");
    let table = |client: &mut Client| client.query("SHOW WARNINGS");
    assert!(!alike(&mut clients, table).table().rows.is_empty());
    alike(&mut clients, |client| load(client, &LOAD.replace("INTO", "REPLACE INTO"), &[b"1,uno\n"]));
    // Nothing, an abort of the client's, is nothing loaded.
    assert_eq!(alike(&mut clients, |client| load(client, LOAD, &[])).done().affected, 0);
    alike(&mut clients, |client| client.query("SELECT * FROM t ORDER BY id"));
    alike(&mut clients, |client| {
        load(client, "LOAD XML LOW_PRIORITY LOCAL INFILE 'rows.csv' INTO TABLE t", &[b"<row id='20' v='x'/>"])
    });
    alike(&mut clients, |client| client.query("SELECT COUNT(*) FROM t"));
    // In other words, and with names that say the database.
    let text =
        "load data /* x */ local infile 'rows.csv' ignore into table infile_rows.t (id, @v) set v = @v";
    alike(&mut clients, |client| load(client, text, &[b"30\tc\n"]));
    alike(&mut clients, |client| client.query("SELECT id, v FROM t WHERE id = 30"));
}

#[test]
fn a_load_takes_part_in_a_transaction() {
    for capabilities in [MODERN, OLD] {
        let name = if capabilities == MODERN { "infile_begin" } else { "infile_begin_old" };
        let logical = passed_to(0, name);
        let through = logical.account().capabilities(capabilities);
        let direct = bed().plain().database(name).capabilities(capabilities);
        let mut clients = [willing(through), willing(direct)];
        for end in ["ROLLBACK", "COMMIT"] {
            alike(&mut clients, |client| client.query("BEGIN"));
            alike(&mut clients, |client| client.query("INSERT INTO t VALUES (9, 'nine')"));
            let done = alike(&mut clients, |client| load(client, LOAD, &[b"1,a\n", b"2,b\n"])).done();
            assert!(done.status.contains(Status::IN_TRANSACTION));
            alike(&mut clients, |client| client.query(end));
            alike(&mut clients, |client| client.query("SELECT * FROM t ORDER BY id"));
        }
        // The first statement of a transaction, and one in autocommit again.
        alike(&mut clients, |client| client.query("START TRANSACTION"));
        alike(&mut clients, |client| load(client, LOAD, &[b"3,c\n"]));
        alike(&mut clients, |client| client.query("COMMIT"));
        alike(&mut clients, |client| load(client, LOAD, &[b"4,d\n"]));
        assert_eq!(alike(&mut clients, |client| client.query("SELECT id FROM t")).table().rows.len(), 5);
    }
}

#[test]
fn a_server_that_fails_in_the_file_is_told_behind_it_and_the_session_goes_on() {
    let mut clients = both("infile_fails");
    for client in &mut clients {
        client.run("CREATE TABLE strict (id INT NOT NULL PRIMARY KEY, n INT)");
        client.run(
            "CREATE TRIGGER few BEFORE INSERT ON strict FOR EACH ROW \
             IF NEW.n > 9 THEN SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'too many'; END IF",
        );
        client.run("INSERT INTO strict VALUES (1, 1)");
    }
    let text = LOAD.replace("TABLE t", "TABLE strict");
    let mut bad: Vec<Vec<u8>> = vec![b"2,1\n3,99\n".to_vec()];
    // Far more than any buffer on the way.
    bad.extend((0..64).map(|number| format!("{},2\n", 100 + number).repeat(20_000).into_bytes()));
    let bad: Vec<_> = bad.iter().map(Vec::as_slice).collect();
    let fault = alike(&mut clients, |client| load(client, &text, &bad)).fault();
    assert_eq!(fault.code, 1644, "{fault}");
    alike(&mut clients, |client| client.query("SHOW WARNINGS"));
    alike(&mut clients, |client| client.query("SELECT * FROM strict"));
    // A table that is not there, before any file is asked for.
    let faults = clients.each_mut().map(|client| client.fault(LOAD.replace("TABLE t", "TABLE nowhere")));
    assert_eq!((faults[0].code, faults[1].code), (1146, 1146));
    alike(&mut clients, |client| load(client, LOAD, &[b"5,x\n"]));
}

#[test]
fn packets_of_sixteen_megabytes_and_more_are_one_file() {
    let mut clients = both("infile_sizes");
    for client in &mut clients {
        client.run("SET SESSION sql_mode = ''");
    }
    for (id, size) in [MAX_PAYLOAD - 1, MAX_PAYLOAD, MAX_PAYLOAD + 1, (40 << 20) + 3].into_iter().enumerate()
    {
        let mut packet = format!("{id},").into_bytes();
        packet.resize(size - 1, b'a' + id as u8);
        packet.push(b'\n');
        let rest = format!("{},b\n", 10 + id).into_bytes();
        let done = alike(&mut clients, |client| load(client, LOAD, &[&packet, &rest])).done();
        assert_eq!(done.affected, 2, "{size}");
    }
    let sizes = "SELECT id, LENGTH(v), SHA2(v, 256) FROM t ORDER BY id";
    assert_eq!(alike(&mut clients, |client| client.query(sizes)).table().rows.len(), 8);
}

/// The most memory a process ever had, in bytes.
fn peak(weir: &WeirProcess) -> u64 {
    let status = fs::read_to_string(format!("/proc/{}/status", weir.pid().unwrap())).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").trim().parse::<u64>().unwrap() * 1024
}

#[test]
fn a_file_of_any_size_passes_in_constant_memory() {
    let logical = passed_to(0, "infile_large");
    let weir = WeirProcess::builder(&bed().sandbox).start().unwrap();
    let account = Account { address: weir.address(), ..bed().proxy() };
    account.client().run("CREATE DATABASE infile_large");
    let account = account.database("infile_large");
    account.client().run(format!("REGISTER STORAGE UNIT {}", logical.definition(0)));
    let mut client = willing(account);
    let (packet, huge) = (vec![b'\n'; 1 << 20], vec![b'\n'; 20 << 20]);
    load(&mut client, LOAD, &[b"1,a\n"]);
    let before = peak(&weir);
    // The server reads all lines and keeps none.
    let mut packets = vec![&*packet; 400];
    packets.extend([&*huge; 8]);
    let done = load(&mut client, &format!("{LOAD} IGNORE 2000000000 LINES"), &packets).done();
    assert_eq!(done.affected, 0);
    let grown = peak(&weir) - before;
    assert!(grown < 8 << 20, "the proxy grew by {grown} bytes");
}

#[test]
fn a_client_that_does_not_let_files_be_read_is_told_so() {
    let logical = passed_to(0, "infile_closed");
    let direct = bed().plain().database("infile_closed").client().fault(LOAD);
    let mut client = logical.client();
    assert_eq!(client.fault(LOAD), direct);
    assert_eq!(direct.code, 3948);
    assert_eq!(client.value("SELECT COUNT(*) FROM t"), "0");
}

#[test]
fn a_server_that_loads_no_files_says_so() {
    let logical = passed_to(1, "infile_off");
    let direct = willing(bed().unit(1).database("infile_off_unit")).fault(LOAD);
    let mut client = willing(logical.account());
    assert_eq!(client.fault(LOAD), direct);
    assert_eq!(direct.code, 3948);
    assert_eq!(client.value("SELECT COUNT(*) FROM t"), "0");
}

#[test]
fn what_lies_on_several_nodes_is_refused_before_any_file_is_asked_for() {
    let logical = bed().logical("infile_sharded");
    logical.shard("t", "id");
    let mut client = willing(logical.account());
    client.run("CREATE BROADCAST TABLE RULE b");
    client.run("CREATE ENCRYPT RULE e (COLUMNS((NAME=v, CIPHER=v_cipher, ENCRYPT_ALGORITHM(TYPE(NAME='AES', PROPERTIES('aes-key-value'='k'))))))");
    client.run("CREATE TABLE t (id INT PRIMARY KEY, v INT)");
    client.run("CREATE TABLE b (id INT PRIMARY KEY, v INT)");
    for table in ["t", "b", "e"] {
        let fault = client.fault(LOAD.replace("TABLE t", &format!("TABLE {table}")));
        assert!(fault.text.contains("LOAD DATA LOCAL") && fault.text.contains(table), "{fault}");
    }
    // A single table beside them is loaded where it lies.
    client.run("CREATE TABLE alone (id INT PRIMARY KEY, v INT)");
    let done = load(&mut client, &LOAD.replace("TABLE t", "TABLE alone"), &[b"1,2\n3,4\n"]).done();
    assert_eq!(done.affected, 2);
    assert_eq!(client.rows("SELECT * FROM alone ORDER BY id"), [["1", "2"], ["3", "4"]]);
}

#[test]
fn a_client_that_vanishes_leaves_nothing() {
    let logical = passed_to(0, "infile_vanished");
    for number in 0..4 {
        let mut client = willing(logical.account());
        if number % 2 == 1 {
            client.run("BEGIN");
            client.run("INSERT INTO t VALUES (100, 'open')");
        }
        begin(&mut client, LOAD, "rows.csv");
        client.send(format!("{number},half\n").repeat(1 + 50_000 * (number / 2)).as_bytes()).unwrap();
        client.vanish();
    }
    let mut client = willing(logical.account());
    // Waits for locks, if servers still hold any.
    let done = load(&mut client, LOAD, &[b"0,a\n1,a\n2,a\n3,a\n100,a\n"]).done();
    assert_eq!(done.affected, 5);
    assert_eq!(client.rows("SELECT id, v FROM t ORDER BY id").len(), 5);
}

#[test]
fn a_file_whose_packets_are_out_of_order_ends_the_session() {
    let logical = passed_to(0, "infile_order");
    let mut client = willing(logical.account());
    begin(&mut client, LOAD, "rows.csv");
    client.send_raw(b"\x04\0\0\x07\x31,a\n").unwrap();
    assert!(client.is_closed());
    assert_eq!(logical.client().value("SELECT COUNT(*) FROM t"), "0");
}

#[test]
fn a_killed_session_loads_nothing() {
    let logical = passed_to(0, "infile_killed");
    let mut client = willing(logical.account());
    let id = client.value("SELECT CONNECTION_ID()");
    begin(&mut client, LOAD, "rows.csv");
    client.send(b"1,a\n").unwrap();
    logical.client().run(format!("KILL {id}"));
    assert!(client.is_closed());
    assert_eq!(logical.client().value("SELECT COUNT(*) FROM t"), "0");
}

#[test]
fn a_prepared_load_is_refused_as_by_one_server() {
    let mut clients = both("infile_prepared");
    let [through, direct] = clients.each_mut().map(|client| match client.prepare(LOAD) {
        Err(Failure::Server(fault)) => fault,
        other => panic!("{other:?}"),
    });
    assert_eq!(through, direct);
}
