//! Compression towards clients, by other programs' clients: the server's own one and a driver.

use std::fmt::Write as _;
use std::process::Stdio;

use mysql_async::prelude::Queryable as _;
use mysql_async::{Compression, Conn, OptsBuilder, Value};
use weir_harness::WeirProcess;
use weir_tests::{Account, Fault, Logical, MODERN};
use wire::caps::Capabilities;

use crate::{bed, passed_to};

/// Runs a script in the server's own client and gives what it prints.
fn mysql(logical: &Logical<'_>, options: &[&str], script: &str) -> String {
    let tools = bed().sandbox.tools().unwrap();
    let mut command = tools.client().command();
    command
        .args(["--host=127.0.0.1", "--user=root", "--password=root", "--batch", "--skip-column-names"])
        .args(["--max-allowed-packet=1G", "--local-infile=1"])
        .arg(format!("--port={}", bed().weir.port()))
        .args(options)
        .arg(&logical.name)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let script = script.to_owned();
    let writer = std::thread::spawn(move || std::io::Write::write_all(&mut stdin, script.as_bytes()));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap().unwrap();
    assert!(output.status.success(), "{options:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn the_servers_own_client_is_answered_by_either_algorithm() {
    let logical = passed_to(0, "compress_client");
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("rows.csv");
    let mut rows = String::new();
    for id in 1000..6000 {
        writeln!(rows, "{id},{}", "value ".repeat(id % 50)).unwrap();
    }
    // A packet that is more than sixteen megabytes, and hardly smaller when compressed.
    writeln!(rows, "7000,{}", noise(18 << 20)).unwrap();
    std::fs::write(&file, rows).unwrap();
    for (number, options) in [
        &["--compression-algorithms=uncompressed"][..],
        &["--compression-algorithms=zlib"],
        &["--compression-algorithms=zstd"],
        &["--compression-algorithms=zstd", "--zstd-compression-level=22"],
        &["--compression-algorithms=zlib", "--ssl-mode=DISABLED", "--get-server-public-key"],
        &["--compression-algorithms=zstd", "--ssl-mode=DISABLED", "--get-server-public-key"],
    ]
    .into_iter()
    .enumerate()
    {
        let mut script = String::new();
        writeln!(script, "DELETE FROM t;").unwrap();
        writeln!(script, "INSERT INTO t VALUES (1, '{}');", "long ".repeat(500_000)).unwrap();
        writeln!(script, "INSERT INTO t VALUES (2, '{}');", noise(17 << 20)).unwrap();
        writeln!(
            script,
            "LOAD DATA LOCAL INFILE '{}' INTO TABLE t FIELDS TERMINATED BY ',';",
            file.display()
        )
        .unwrap();
        writeln!(script, "SELECT COUNT(*), SUM(LENGTH(v)), SUM(CRC32(v)) FROM t;").unwrap();
        writeln!(script, "SELECT nothing FROM t;").unwrap();
        writeln!(script, "SELECT id, v FROM t ORDER BY id;").unwrap();
        let printed = mysql(&logical, &[options, &["--force"]].concat(), &script);
        let (first, rest) = printed.split_once('\n').unwrap();
        let sums = "SELECT CONCAT_WS('\t', COUNT(*), SUM(LENGTH(v)), SUM(CRC32(v))) FROM t";
        assert_eq!(first, logical.unit(0).value(sums), "{number}");
        // 5003 rows and what they hold.
        assert_eq!(rest.lines().count(), 5003, "{number}");
        let long = rest.lines().find(|line| line.starts_with("1\t")).unwrap();
        assert!(long[2..] == "long ".repeat(500_000), "{number}");
        for (id, megabytes) in [(2, 17), (7000, 18)] {
            let line = rest.lines().find(|line| line.starts_with(&format!("{id}\t"))).unwrap();
            let value = line.split_once('\t').unwrap().1;
            assert!(value == noise(megabytes << 20), "{number}: {id}");
        }
    }
}

/// Text that no compression makes much shorter.
fn noise(len: usize) -> String {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let letters = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let letter = |_| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        char::from(letters[(state >> 58) as usize])
    };
    (0..len).map(letter).collect()
}

#[test]
fn a_driver_is_answered_in_both_protocols() {
    let logical = passed_to(0, "compress_driver");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let options = OptsBuilder::default()
            .ip_or_hostname("127.0.0.1")
            .tcp_port(bed().weir.port())
            .user(Some("root"))
            .pass(Some("root"))
            .db_name(Some(logical.name.clone()))
            .compression(Compression::default());
        let mut driver = Conn::new(options).await.unwrap();
        let value = noise(300_000);
        for id in 0..40_i64 {
            let len = 1 << (id / 3);
            driver.exec_drop("INSERT INTO t VALUES (?, ?)", (id, &value[..len])).await.unwrap();
        }
        driver.query_drop("BEGIN").await.unwrap();
        assert!(driver.query_drop("SELECT nothing").await.is_err());
        let rows: Vec<(i64, Vec<u8>)> = driver.exec("SELECT id, v FROM t ORDER BY id", ()).await.unwrap();
        assert_eq!(rows.len(), 40);
        for (id, row) in rows {
            assert!(row == value.as_bytes()[..1 << (id / 3)], "{id}");
        }
        let rows: Vec<Vec<Value>> =
            driver.query_map("SELECT v, 1 FROM t", |row: mysql_async::Row| row.unwrap()).await.unwrap();
        assert_eq!(rows.len(), 40);
        driver.query_drop("COMMIT").await.unwrap();
        driver.reset().await.unwrap();
        driver.ping().await.unwrap();
        driver.disconnect().await.unwrap();
    });
}

fn zstd(account: Account, level: u8) -> Account {
    let capabilities = MODERN | Capabilities::ZSTD_COMPRESSION;
    Account { zstd_level: Some(level), ..account.capabilities(capabilities) }
}

#[test]
fn a_level_that_does_not_exist_is_refused_as_by_one_server() {
    for level in [0, 23, 255] {
        let direct = zstd(bed().plain(), level).connect().unwrap_err().fault();
        let through = zstd(bed().proxy(), level).connect().unwrap_err().fault();
        assert_eq!(through, direct, "{level}");
    }
}

#[test]
fn what_is_offered_is_what_is_configured() {
    let weir = WeirProcess::builder(&bed().sandbox).start().unwrap();
    let account = Account { address: weir.address(), ..bed().proxy() };
    let offered = |account: &Account| {
        let greeting = weir_tests::Client::open(account.address).unwrap().greeting;
        greeting.capabilities & (Capabilities::COMPRESS | Capabilities::ZSTD_COMPRESSION)
    };
    let mut admin = account.client();
    assert_eq!(offered(&account), Capabilities::COMPRESS | Capabilities::ZSTD_COMPRESSION);
    admin.run("SET DIST VARIABLE proxy_frontend_compression = 'ZSTD, uncompressed'");
    assert_eq!(offered(&account), Capabilities::ZSTD_COMPRESSION);
    admin.run("SET DIST VARIABLE proxy_frontend_compression = 'uncompressed'");
    assert_eq!(offered(&account), Capabilities::empty());
    assert_eq!(account.client().value("SELECT 1"), "1");
    admin.run("SET DIST VARIABLE proxy_frontend_compression = 'zlib'");
    // As MySQL 9.7 says with protocol_compression_algorithms = 'zlib'.
    let fault = Fault {
        code: 3922,
        state: "HY000".into(),
        text: "Invalid compression algorithm 'uncompressed'.".into(),
    };
    assert_eq!(account.connect().unwrap_err().fault(), fault);
    assert!(
        admin.query("SET DIST VARIABLE proxy_frontend_compression = 'gzip'").fault().text.contains("gzip")
    );
}

/// A server numbers the frames of an answer on from the packets that the command took, not from its frames.
#[test]
fn frames_of_an_answer_are_numbered_on_from_packets() {
    let logical = bed().logical("numbered");
    for account in [logical.account(), bed().unit(0)] {
        let mut client = account.capabilities(MODERN | Capabilities::COMPRESS).client();
        for packets in [1_usize, 3, 4] {
            let frame = b"\x05\0\0\0\x03DO 1";
            let piece = frame.len().div_ceil(packets);
            for (number, part) in frame.chunks(piece).enumerate() {
                let header = [part.len() as u8, 0, 0, number as u8, 0, 0, 0];
                client.send_raw(&[&header[..], part].concat()).unwrap();
            }
            let count = frame.chunks(piece).count() as u8;
            let header = client.receive_raw(7).unwrap();
            assert_eq!((header[3], &header[4..]), (count, &[0, 0, 0][..]));
            let answer = client.receive_raw(usize::from(header[0])).unwrap();
            assert_eq!((answer[3], answer[4]), (count, 0), "an OK behind {count} packets");
        }
    }
}

#[test]
fn what_is_no_packet_ends_its_own_session_only() {
    let account = bed().proxy().capabilities(MODERN | Capabilities::COMPRESS);
    // A packet that was not asked for, one that says it is 16 MB and is not, one that is no stream.
    for broken in [
        &b"\x01\0\0\x05\0\0\0\x0e"[..],
        b"\x0e\0\0\0\xff\xff\xff\x78\x9c\x03\0\0\0\0\x01\0\0\0\0\0\0",
        b"\x05\0\0\0\x50\0\0\0hello",
    ] {
        let mut client = account.client();
        client.send_raw(broken).unwrap();
        client.finish().unwrap();
        assert!(client.is_closed());
    }
    assert_eq!(bed().proxy().client().value("SELECT 1"), "1");
}
