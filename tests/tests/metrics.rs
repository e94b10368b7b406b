//! Metrics: what a scraper reads of a real proxy, held against what was sent.
#![expect(clippy::unwrap_used, reason = "helpers of tests fail like tests")]

use std::fs;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::time::{Duration, Instant};

use weir_tests::exposition::{Exposition, get};
use weir_tests::{Bed, Client, MODERN, Own, Prepared};
use wire::caps::Capabilities;
use wire::value::Value;

/// A proxy with metrics.
struct Scraped {
    own: Own,
    address: SocketAddr,
}

/// A port that is free now.
fn free_port() -> u16 {
    let socket = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    socket.local_addr().unwrap().port()
}

fn agent(port: u16) -> String {
    format!("plugins:\n  metrics:\n    Prometheus: {{host: 127.0.0.1, port: {port}}}\n")
}

/// Tries again until something is so; long enough for the slowest machine.
fn until<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let began = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(began.elapsed() < Duration::from_secs(60), "{what}: never");
        std::thread::sleep(Duration::from_millis(20));
    }
}

impl Scraped {
    fn new(name: &'static str) -> Self {
        let port = free_port();
        let own = Own::observed(Bed::shared(), name, &["proxy-frontend-executor-size: 2"], &agent(port));
        let scraped = Self { own, address: SocketAddr::from((Ipv4Addr::LOCALHOST, port)) };
        until("an endpoint", || get(scraped.address, "/healthz"));
        scraped
    }

    /// Figures once all commands that have come are over, whose answers clients have a moment before they are counted.
    fn scrape(&self) -> Exposition {
        until("the end of all commands", || {
            let read = self.read();
            (read.sum("weir_commands_total", &[]) >= read.sum("proxy_requests_total", &[])).then_some(read)
        })
    }

    fn read(&self) -> Exposition {
        let (status, head, body) = get(self.address, "/metrics").expect("an endpoint");
        assert_eq!(status, 200);
        assert!(head.contains("content-type: text/plain; version=0.0.4; charset=utf-8"), "{head}");
        Exposition::parse(&body).unwrap_or_else(|wrong| panic!("{wrong}\n{body}"))
    }
}

/// How much more there is of a sample.
fn more(before: &Exposition, after: &Exposition) -> impl Fn(&str, &[(&str, &str)]) -> f64 {
    move |name, labels| after.sum(name, labels) - before.sum(name, labels)
}

/// Statements of each class, some that fail, and a prepared one with two executions, which it gives; a ping at the end.
fn send_some_of_each(client: &mut Client) -> Prepared {
    for id in 0..8 {
        client.run(format!("INSERT INTO s VALUES ({id}, {id})"));
    }
    for id in 0..10 {
        client.rows(format!("SELECT v FROM s WHERE id = {}", 4 * id));
    }
    client.rows("SELECT COUNT(*) FROM s");
    client.run("UPDATE s SET v = 7 WHERE id = 1");
    client.run("DELETE FROM s WHERE id IN (2, 3)");
    client.run("BEGIN");
    client.run("UPDATE s SET v = 8 WHERE id = 1");
    client.run("COMMIT");
    client.run("BEGIN");
    client.run("ROLLBACK");
    client.run("SET @a = 1");
    client.rows("SHOW SHARDING TABLE RULES");
    assert_eq!(client.fault("SELECT nosuch FROM s WHERE id = 1").code, 1054);
    assert_eq!(client.fault("SELECT 'open FROM s").code, 1064);
    let prepared = client.prepare("SELECT v FROM s WHERE id = ?").unwrap();
    for id in [4, 8] {
        client.execute(prepared.id, &[Value::Int(id)]).unwrap();
    }
    client.simple(&[0x0e]).unwrap();
    prepared
}

#[test]
fn figures_are_what_was_sent() {
    let scraped = Scraped::new("metrics_sent");
    let mut client = scraped.own.sharded("metrics_sharded", "s", "v INT");
    let before = scraped.scrape();
    let prepared = send_some_of_each(&mut client);
    let after = scraped.scrape();
    let more = more(&before, &after);
    // Each but EXECUTE and what is not counted as a statement comes as one packet.
    let texts = 8.0 + 10.0 + 1.0 + 1.0 + 1.0 + 3.0 + 2.0 + 1.0 + 1.0 + 2.0;
    let commands = texts + 1.0 + 2.0 + 1.0;
    for name in ["proxy_request_total", "proxy_requests_total", "weir_commands_total"] {
        assert_eq!(more(name, &[]), commands, "{name}");
    }
    for name in ["proxy_execute_latency_millis_count", "weir_statement_duration_seconds_count"] {
        assert_eq!(more(name, &[]), commands, "{name}");
    }
    assert_eq!(more("weir_commands_total", &[("command", "Query")]), texts);
    assert_eq!(more("weir_commands_total", &[("command", "Execute")]), 2.0);
    assert_eq!(more("weir_commands_total", &[("command", "Ping")]), 1.0);
    for (class, executed, parsed, routed) in [
        ("SELECT", 14.0, 13.0, 14.0),
        ("INSERT", 8.0, 8.0, 8.0),
        ("UPDATE", 2.0, 2.0, 2.0),
        ("DELETE", 1.0, 1.0, 1.0),
        ("TCL", 4.0, 4.0, 0.0),
        ("DAL", 1.0, 1.0, 0.0),
        ("RQL", 1.0, 1.0, 0.0),
        ("UNKNOWN", 1.0, 0.0, 0.0),
    ] {
        assert_eq!(more("weir_statements_total", &[("class", class)]), executed, "{class}");
        assert_eq!(more("parsed_sql_total", &[("type", class)]), parsed, "{class}");
        assert_eq!(more("routed_sql_total", &[("type", class)]), routed, "{class}");
        let lower = class.to_ascii_lowercase();
        if ["SELECT", "INSERT", "UPDATE", "DELETE"].contains(&class) {
            assert_eq!(more(&format!("parse_sql_dml_{lower}_total"), &[]), parsed, "{class}");
            assert_eq!(more(&format!("route_sql_{lower}_total"), &[]), routed, "{class}");
        }
    }
    for (name, value) in [
        ("parse_sql_tcl_total", 4.0),
        ("parse_sql_dal_total", 1.0),
        ("parse_dist_sql_rql_total", 1.0),
        ("proxy_transaction_commit_total", 1.0),
        ("proxy_transaction_rollback_total", 1.0),
        ("proxy_execute_error_total", 2.0),
        ("proxy_execute_errors_total", 2.0),
        ("weir_errors_total", 2.0),
    ] {
        assert_eq!(more(name, &[]), value, "{name}");
    }
    assert_eq!(more("proxy_transactions_total", &[("type", "commit")]), 1.0);
    assert_eq!(more("weir_errors_total", &[("party", "server"), ("code", "1054")]), 1.0);
    assert_eq!(more("weir_errors_total", &[("party", "client"), ("code", "1064")]), 1.0);
    // Shards 0 and 2 are on one unit, 1 and 3 on the other. 10 selects go to ids that 4 divides, and so do two executes.
    let node = |table: &str| more("route_table_total", &[("name", table)]);
    let nodes = [2.0 + 10.0 + 1.0 + 2.0, 2.0 + 1.0 + 1.0 + 1.0 + 1.0, 2.0 + 1.0 + 1.0, 2.0 + 1.0 + 1.0];
    for (shard, wanted) in nodes.iter().enumerate() {
        let table = format!("s_{shard}");
        assert_eq!(node(&table), *wanted, "{table}");
        assert_eq!(more("routed_result_total", &[("object", "table"), ("name", &table)]), *wanted, "{table}");
    }
    for (unit, wanted) in [("ds_0", nodes[0] + nodes[2]), ("ds_1", nodes[1] + nodes[3])] {
        assert_eq!(more("route_datasource_total", &[("name", unit)]), wanted, "{unit}");
        assert_eq!(
            more("routed_result_total", &[("object", "data_source"), ("name", unit)]),
            wanted,
            "{unit}"
        );
        let labels = [("database", "metrics_sharded"), ("unit", unit)];
        assert_eq!(more("weir_route_units_total", &labels), wanted, "{unit}");
        for name in ["weir_unit_received_bytes_total", "weir_unit_sent_bytes_total"] {
            assert!(more(name, &labels) > 0.0, "{name} {unit}");
        }
    }
    assert_eq!(more("weir_rows_affected_total", &[]), 8.0 + 1.0 + 2.0 + 1.0);
    // Rows of ids 0 and 4, the count, those of RQL and of the two executes (id 4 only).
    assert_eq!(more("weir_rows_sent_total", &[]), 2.0 + 1.0 + 1.0 + 1.0);
    // Selects of one form: the first is planned, the others are found. Neither DistSQL nor what cannot be read is looked up.
    assert_eq!(
        more("weir_plan_cache_hits_total", &[]) + more("weir_plan_cache_misses_total", &[]),
        texts - 2.0 + 1.0
    );
    assert_eq!(after.sum("weir_prepared_statements", &[]), 1.0);
    assert_eq!(after.gone_back(&before), Vec::<String>::new());
    client.close(prepared.id).unwrap();
    client.simple(&[0x0e]).unwrap();
    assert_eq!(scraped.scrape().sum("weir_prepared_statements", &[]), 0.0);
}

#[test]
fn bytes_and_sessions_are_those_of_clients() {
    let scraped = Scraped::new("metrics_bytes");
    let mut client = scraped.own.client();
    let before = scraped.scrape();
    let text = format!("SELECT '{}' FROM t WHERE id = 1", "x".repeat(1000));
    assert_eq!(client.value(&text).len(), 1000);
    let after = scraped.scrape();
    let more = more(&before, &after);
    // A header of four bytes and the number of the command.
    assert_eq!(more("weir_client_received_bytes_total", &[]), text.len() as f64 + 5.0);
    let sent = more("weir_client_sent_bytes_total", &[]);
    assert!(sent > 1000.0 && sent < 1400.0, "{sent}");
    let sessions = after.sum("weir_sessions", &[]);
    assert_eq!(
        (sessions, after.sum("proxy_current_connections", &[]), after.sum("proxy_connection_total", &[])),
        (1.0, 1.0, 1.0)
    );
    let others: Vec<_> = (0..5).map(|_| scraped.own.client()).collect();
    let crowd = scraped.scrape();
    assert_eq!((crowd.sum("weir_sessions", &[]), crowd.sum("weir_sessions", &[("worker", "0")])), (6.0, 3.0));
    assert_eq!(
        crowd.sum("weir_logins_total", &[("result", "ok")])
            - after.sum("weir_logins_total", &[("result", "ok")]),
        5.0
    );
    assert!(scraped.own.account().password("wrong").connect().is_err());
    drop(others);
    let left = until("sessions that end", || {
        Some(scraped.scrape()).filter(|it| it.sum("weir_sessions", &[]) == 1.0)
    });
    assert_eq!(left.sum("weir_logins_total", &[("result", "refused")]), 1.0);
    assert_eq!(left.gone_back(&crowd), Vec::<String>::new());
}

#[test]
fn several_statements_of_a_text_are_one_request() {
    let scraped = Scraped::new("metrics_several");
    let account = scraped.own.account().database("metrics_several");
    let mut client = account.capabilities(MODERN | Capabilities::MULTI_STATEMENTS).client();
    let before = scraped.scrape();
    assert_eq!(
        client
            .replies("SELECT v FROM t WHERE id = 1; SELECT v FROM t WHERE id = 2; UPDATE t SET v = 3")
            .len(),
        3
    );
    // So that what came before is counted.
    client.simple(&[0x0e]).unwrap();
    let after = scraped.scrape();
    let more = more(&before, &after);
    assert_eq!(more("proxy_requests_total", &[]), 2.0);
    let texts = [("command", "Query")];
    assert_eq!(more("weir_commands_total", &texts), 3.0);
    assert_eq!(more("weir_statements_total", &[("class", "SELECT")]), 2.0);
    assert_eq!(more("weir_statements_total", &[("class", "UPDATE")]), 1.0);
}

#[test]
fn pools_are_told_of_by_unit() {
    let scraped = Scraped::new("metrics_pools");
    let mut client = scraped.own.client();
    client.run("BEGIN");
    client.run("UPDATE t SET v = 1 WHERE id = 1");
    let labels = [("database", "metrics_pools"), ("unit", "ds_0")];
    let with = |state| [labels[0], labels[1], ("state", state)];
    let during = scraped.scrape();
    assert_eq!(during.sum("weir_pool_connections", &with("active")), 1.0);
    client.run("ROLLBACK");
    // A name that must be escaped.
    client.run("CREATE TABLE `q\"uo\\te` (id INT)");
    let after = scraped.scrape();
    assert_eq!(after.sum("route_table_total", &[("name", "q\"uo\\te")]), 1.0);
    assert_eq!(after.sum("weir_pool_connections", &with("active")), 0.0);
    assert!(after.sum("weir_pool_connections", &with("idle")) >= 1.0);
    assert!(after.sum("weir_pool_connections_opened_total", &labels) >= 1.0);
    assert_eq!(after.sum("weir_pool_limit", &labels), 50.0);
    assert_eq!(after.sum("weir_unit_up", &labels), 1.0);
    assert_eq!(after.types["weir_pool_wait_seconds"], "histogram");
    assert_eq!(after.sum("proxy_meta_data_info", &[("name", "storage_unit_count")]), 1.0);
    assert_eq!(after.sum("meta_data_info", &[("name", "schema_count")]), 1.0);
    assert_eq!(after.sum("build_info", &[("name", "Weir")]), 1.0);
    assert!(after.sum("process_resident_memory_bytes", &[]) > 1e6);
    assert!(after.sum("process_open_fds", &[]) > 5.0);
}

#[test]
fn switched_off_nothing_is_counted_and_nobody_answers() {
    let scraped = Scraped::new("metrics_off");
    let mut client = scraped.own.client();
    client.run("SELECT v FROM t WHERE id = 1");
    let before = scraped.scrape();
    client.run("SET DIST VARIABLE agent_plugins_enabled = false");
    until("a closed port", || get(scraped.address, "/healthz").is_none().then_some(()));
    for _ in 0..10 {
        client.run("SELECT v FROM t WHERE id = 1");
    }
    client.run("SET DIST VARIABLE agent_plugins_enabled = true");
    until("an endpoint", || get(scraped.address, "/healthz"));
    client.run("SELECT v FROM t WHERE id = 1");
    let after = scraped.scrape();
    assert_eq!(more(&before, &after)("weir_statements_total", &[("class", "SELECT")]), 1.0);
    assert_eq!(after.gone_back(&before), Vec::<String>::new());
}

#[test]
fn another_port_is_taken_without_a_restart_as_soon_as_it_is_free() {
    let scraped = Scraped::new("metrics_ports");
    let mut client = scraped.own.client();
    let taken = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let other = taken.local_addr().unwrap();
    fs::write(scraped.own.conf.path().join("agent.yaml"), agent(other.port())).unwrap();
    hang_up(&scraped.own);
    until("a closed port", || get(scraped.address, "/healthz").is_none().then_some(()));
    until("a warning", || {
        fs::read_to_string(scraped.own.weir.log()).ok().filter(|log| log.contains("cannot listen on"))
    });
    // Nobody is hindered.
    client.run("SELECT v FROM t WHERE id = 1");
    drop(taken);
    let (status, ..) = until("an endpoint", || get(other, "/healthz"));
    assert_eq!(status, 200);
}

fn hang_up(own: &Own) {
    let pid = own.weir.pid().expect("a process").to_string();
    assert!(std::process::Command::new("kill").args(["-HUP", &pid]).status().unwrap().success());
}

#[test]
fn who_may_get_clients_is_ready() {
    let bed = Box::leak(Box::new(Bed::new(1)));
    let port = free_port();
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    let own =
        Own::observed(bed, "metrics_ready", &["proxy-frontend-drain-timeout-seconds: 60"], &agent(port));
    until("an endpoint", || get(address, "/healthz"));
    let ready = || get(address, "/readyz").map(|(status, _, body)| (status, body));
    assert_eq!(ready(), Some((200, "ready\n".to_owned())));
    let server = bed.server(0);
    server.kill().unwrap();
    let gone = (503, "no storage unit of database metrics_ready can be reached\n".to_owned());
    until("a server that is gone", || ready().filter(|answer| *answer == gone));
    assert_eq!(get(address, "/healthz").map(|(status, ..)| status), Some(200));
    server.restart().unwrap();
    until("a server that is back", || ready().filter(|(status, _)| *status == 200));
    let mut client = own.client();
    client.run("BEGIN");
    client.run("UPDATE t SET v = 9 WHERE id = 1");
    own.weir.terminate().unwrap();
    until("draining", || ready().filter(|answer| *answer == (503, "draining\n".to_owned())));
    assert_eq!(get(address, "/healthz").map(|(status, ..)| status), Some(200));
    client.run("COMMIT");
}
