//! Many clients: what an idle one takes, what a slow or a greedy one cannot take, and what comes when a thousand come
//! at once.
//!
//! Scales are small enough for every run; `cargo test --release --test load -- --ignored` has the full ones.
#![expect(clippy::unwrap_used, reason = "helpers of tests fail like tests")]

use std::fs;
use std::net::TcpStream;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use mysql_async::prelude::Queryable as _;
use weir_tests::{Bed, Client, Own};

fn bed() -> &'static Bed {
    static BED: LazyLock<Bed> = LazyLock::new(|| Bed::new(1));
    &BED
}

/// A proxy of its own, so that no other test adds to its memory, with eight rows.
fn own(name: &'static str, props: &[&str]) -> Own {
    let own = Own::new(bed(), name, props);
    own.client().run("INSERT INTO t VALUES (3, 3), (4, 4), (5, 5), (6, 6), (7, 7), (8, 8)");
    own
}

/// Memory that its process has in use, in bytes.
fn memory(own: &Own) -> usize {
    let status = fs::read_to_string(format!("/proc/{}/status", own.weir.pid().unwrap())).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim().trim_end_matches(" kB").trim().parse::<usize>().unwrap() * 1024
}

#[track_caller]
fn eventually(what: &str, mut happened: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(60);
    while !happened() {
        assert!(Instant::now() < deadline, "{what}: has not come");
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// A client that has asked something and prepared something.
fn settled(own: &Own) -> Client {
    let mut client = own.client();
    assert_eq!(client.value("SELECT v FROM t WHERE id = 1"), "1");
    client.prepare("SELECT v FROM t WHERE id = ?").unwrap();
    client
}

fn idle(own: &Own, clients: usize) -> Vec<Client> {
    let warm: Vec<_> = (0..100).map(|_| settled(own)).collect();
    let before = memory(own);
    let mut all: Vec<_> = (0..clients).map(|_| settled(own)).collect();
    let each = memory(own).saturating_sub(before) / clients;
    assert!(each <= 20 * 1024, "{each} bytes for each client");
    all.extend(warm);
    all
}

#[test]
fn an_idle_client_takes_twenty_kilobytes_at_most() {
    let own = own("idle", &[]);
    let mut clients = idle(&own, 1_000);
    // All are still there.
    for client in clients.iter_mut().step_by(97) {
        assert_eq!(client.value("SELECT v FROM t WHERE id = 2"), "2");
    }
}

#[test]
#[ignore = "takes 10,000 sockets and a minute"]
fn ten_thousand_idle_clients_take_twenty_kilobytes_each() {
    let own = own("idle_full", &[]);
    drop(idle(&own, 10_000));
}

fn idle_with_tls(own: &Own, clients: usize) {
    let options = mysql_async::OptsBuilder::default()
        .ip_or_hostname("127.0.0.1")
        .tcp_port(own.weir.port())
        .user(Some("root"))
        .pass(Some("root"))
        .db_name(Some(own.name))
        .ssl_opts(mysql_async::SslOpts::default().with_danger_accept_invalid_certs(true));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let mut all = Vec::new();
        let mut before = 0;
        for number in 0..clients + 100 {
            if number == 100 {
                before = memory(own);
            }
            let mut client = mysql_async::Conn::new(options.clone()).await.unwrap();
            let found: Option<i32> = client.exec_first("SELECT v FROM t WHERE id = ?", (1,)).await.unwrap();
            assert_eq!(found, Some(1));
            all.push(client);
        }
        let each = memory(own).saturating_sub(before) / clients;
        assert!(each <= 60 * 1024, "{each} bytes for each client");
    });
}

#[test]
fn an_idle_client_with_tls_takes_sixty_kilobytes_at_most() {
    idle_with_tls(&own("idle_tls", &[]), 200);
}

#[test]
#[ignore = "takes thousands of sockets and a minute"]
fn three_thousand_idle_clients_with_tls_take_sixty_kilobytes_each() {
    idle_with_tls(&own("idle_tls_full", &[]), 3_000);
}

#[test]
fn buffers_of_who_is_idle_are_given_back() {
    const CLIENTS: usize = 200;
    const SIZE: usize = 60_000;
    const WAVES: usize = 3;
    let own = own("buffers", &[]);
    let bulky = |own: &Own| {
        let mut client = own.client();
        let text = format!("SELECT '{}'", "x".repeat(SIZE));
        assert_eq!(client.value(text).len(), SIZE);
        client
    };
    let mut all: Vec<_> = (0..CLIENTS).map(|_| bulky(&own)).collect();
    let before = memory(&own);
    for _ in 0..WAVES {
        // Those who were first are idle long enough after the first of these, so that all these share what they have left.
        all.push(bulky(&own));
        std::thread::sleep(Duration::from_secs(4));
        all.extend((1..CLIENTS).map(|_| bulky(&own)));
    }
    let each = memory(&own).saturating_sub(before) / (all.len() - CLIENTS);
    // What an allocator loses between buffers is lost once, with the first wave.
    assert!(each <= 40 * 1024, "{each} bytes for each of {} clients more", all.len() - CLIENTS);
}

#[test]
fn clients_that_do_not_read_take_what_a_buffer_holds() {
    let own = own("slow", &[]);
    let mut witness = settled(&own);
    let before = memory(&own);
    // 256 MB each, in rows of 32 MB.
    let slow: Vec<_> = (0..20)
        .map(|_| {
            let mut client = own.client();
            client.command(b"\x03SELECT REPEAT('x', 33554432) FROM t").unwrap();
            client
        })
        .collect();
    let mut server = bed().unit(0).client();
    // As many as there are connections to the server; the others wait for one.
    eventually("servers that wait", || {
        let ask = "SELECT COUNT(*) FROM information_schema.processlist WHERE info LIKE 'SELECT REPEAT%'";
        server.value(ask) != "0"
    });
    for _ in 0..20 {
        std::thread::sleep(Duration::from_millis(100));
        let grown = memory(&own).saturating_sub(before);
        assert!(grown < 32 << 20, "{grown} bytes more");
    }
    drop(slow);
    assert_eq!(witness.value("SELECT v FROM t WHERE id = 1"), "1");
}

#[test]
fn a_row_of_a_hundred_megabytes_passes_in_constant_memory() {
    let own = own("wide", &[]);
    bed().unit(0).client().run("SET GLOBAL max_allowed_packet = 1073741824");
    let mut client = settled(&own);
    let before = memory(&own);
    client.command(b"\x03SELECT REPEAT('x', 104857600)").unwrap();
    let (mut read, mut most) = (0, 0);
    while read < 100 << 20 {
        read += client.skip(1 << 20).unwrap();
        most = most.max(memory(&own).saturating_sub(before));
    }
    assert!(most < 24 << 20, "{most} bytes more");
}

#[test]
fn a_large_packet_takes_memory_only_as_it_comes() {
    let own = own("creeping", &["proxy-frontend-max-packet-bytes: 104857600"]);
    let before = memory(&own);
    let mut clients: Vec<_> = (0..50).map(|_| own.client()).collect();
    for client in &mut clients {
        // A frame of 16 MB is promised, of which 100 KB come.
        client.send_raw(&[0xFF, 0xFF, 0xFF, 0]).unwrap();
        client.send_raw(&[3; 100_000]).unwrap();
    }
    let mut witness = own.client();
    assert_eq!(witness.value("SELECT v FROM t WHERE id = 1"), "1");
    let grown = memory(&own).saturating_sub(before);
    assert!(grown < 50 * 400_000, "{grown} bytes more");
}

#[test]
fn a_packet_beyond_the_limit_is_refused() {
    let own = own("limited", &["proxy-frontend-max-packet-bytes: 1048576"]);
    let mut client = own.client();
    assert_eq!(client.value(format!("SELECT LENGTH('{}')", "x".repeat(1_000_000))), "1000000");
    // Only the header comes, so that the answer is not lost with what was not read.
    client.send_raw(&[0x00, 0x00, 0x11, 0]).unwrap();
    client.expect_answer();
    assert_eq!(client.reply().unwrap().fault().code, 1153);
    assert!(client.is_closed());
    // Before the login nobody needs that much.
    let mut stranger = Client::open(own.weir.address()).unwrap();
    stranger.send_raw(&[0x00, 0x00, 0x0F, 1]).unwrap();
    assert!(stranger.is_closed());
}

/// How many of so many clients, in so many threads, were served.
fn storm(own: &Own, threads: usize, each: usize) -> usize {
    let served = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                // All knock before the first is asked in.
                let knocked: Vec<_> = (0..each).map(|_| Client::open(own.weir.address()).unwrap()).collect();
                for mut client in knocked {
                    client.login(&own.account().database(own.name)).unwrap();
                    assert_eq!(client.value("SELECT v FROM t WHERE id = 3"), "3");
                    served.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
    });
    served.into_inner()
}

#[test]
fn a_thousand_who_come_at_once_are_served_and_queries_go_on() {
    let own = own("storm", &[]);
    let over = AtomicBool::new(false);
    let asked = std::thread::scope(|scope| {
        let busy = scope.spawn(|| {
            let (mut client, mut asked) = (own.client(), 0);
            while !over.load(Ordering::Relaxed) {
                assert_eq!(client.value("SELECT v FROM t WHERE id = 4"), "4");
                asked += 1;
            }
            asked
        });
        let served = storm(&own, 8, 125);
        over.store(true, Ordering::Relaxed);
        assert_eq!(served, 1_000);
        busy.join().unwrap()
    });
    assert!(asked > 0);
}

#[test]
fn who_knocks_and_says_nothing_is_shown_the_door() {
    let own = own("silent", &[]);
    let mut silent: Vec<_> = (0..300).map(|_| TcpStream::connect(own.weir.address()).unwrap()).collect();
    // Others are served meanwhile.
    assert_eq!(own.client().value("SELECT v FROM t WHERE id = 5"), "5");
    for stream in &mut silent {
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        std::io::copy(stream, &mut std::io::sink()).unwrap();
    }
    assert_eq!(own.client().value("SELECT v FROM t WHERE id = 6"), "6");
}
