//! Traces as a collector gets them of a real proxy, in Zipkin's form: every statement once, with all it did.
#![expect(clippy::unwrap_used, reason = "helpers of tests fail like tests")]

use std::collections::{BTreeMap, BTreeSet};
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};

use bytes::{BufMut as _, BytesMut};
use parking_lot::Mutex;
use serde_json::Value as Json;
use weir_tests::{Bed, Own};
use wire::attributes::{Attribute, Attributes, put_query};
use wire::caps::Capabilities;
use wire::command::code;
use wire::value::Value;

const ROOT: &str = "/ShardingSphere/rootInvoke/";
const PARSE: &str = "/ShardingSphere/parseSQL/";
const EXECUTE: &str = "/ShardingSphere/executeSQL/";
const CONTEXT: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

fn bed() -> &'static Bed {
    static BED: LazyLock<Bed> = LazyLock::new(|| Bed::new(2));
    &BED
}

/// Takes spans over HTTP.
struct Zipkin {
    port: u16,
    spans: Arc<Mutex<Vec<Json>>>,
}

impl Zipkin {
    fn start() -> Self {
        Self::on(0)
    }

    fn on(port: u16) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", port)).unwrap();
        let (port, spans) = (listener.local_addr().unwrap().port(), Arc::new(Mutex::new(Vec::new())));
        let kept = Arc::clone(&spans);
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                while let Some(body) = body(&mut stream) {
                    let all: Vec<Json> = serde_json::from_slice(&body).expect("an array of spans");
                    kept.lock().extend(all);
                    if stream.write_all(b"HTTP/1.1 202 Accepted\r\ncontent-length: 0\r\n\r\n").is_err() {
                        break;
                    }
                }
            }
        });
        Self { port, spans }
    }

    fn agent(&self, props: &str) -> String {
        let port = self.port;
        format!("plugins:\n  tracing:\n    Zipkin: {{host: 127.0.0.1, port: {port}, props: {{{props}}}}}\n")
    }

    /// The traces by their ids, once as many spans have come of what was asked.
    fn traces(&self, wanted: impl Fn(&Traces) -> bool) -> Traces {
        let deadline = Instant::now() + Duration::from_secs(60);
        loop {
            let traces = Traces::of(&self.spans.lock());
            if wanted(&traces) {
                return traces;
            }
            assert!(Instant::now() < deadline, "not told: {:#?}", traces.0.values());
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

fn body(stream: &mut TcpStream) -> Option<Vec<u8>> {
    let (mut input, mut piece) = (Vec::new(), [0; 65_536]);
    loop {
        if let Some(end) = input.windows(4).position(|window| window == b"\r\n\r\n") {
            let head = String::from_utf8_lossy(&input[..end]).to_ascii_lowercase();
            assert!(head.starts_with("post /api/v2/spans http/1.1\r\n"), "{head}");
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")).unwrap();
            let length: usize = length.parse().unwrap();
            if input.len() >= end + 4 + length {
                return Some(input[end + 4..end + 4 + length].to_vec());
            }
        }
        match stream.read(&mut piece) {
            Ok(0) | Err(_) => return None,
            Ok(read) => input.extend_from_slice(&piece[..read]),
        }
    }
}

/// A span.
#[derive(Clone, Debug)]
struct Span {
    trace: String,
    id: String,
    parent: Option<String>,
    name: String,
    began: u64,
    ended: u64,
    tags: BTreeMap<String, String>,
}

impl Span {
    fn of(json: &Json) -> Self {
        let text = |name: &str| json[name].as_str().map(str::to_owned);
        let hex = |text: &str, digits| {
            text.len() == digits
                && text.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
        };
        let span = Self {
            trace: text("traceId").unwrap(),
            id: text("id").unwrap(),
            parent: text("parentId"),
            name: text("name").unwrap(),
            began: json["timestamp"].as_u64().unwrap(),
            ended: json["timestamp"].as_u64().unwrap() + json["duration"].as_u64().unwrap(),
            tags: serde_json::from_value(json["tags"].clone()).unwrap(),
        };
        assert!(hex(&span.trace, 32) && hex(&span.id, 16), "{span:?}");
        assert_eq!(
            (&json["kind"], json["localEndpoint"]["serviceName"].is_string()),
            (&"CLIENT".into(), true)
        );
        assert_eq!(span.tags["component"], "shardingsphere");
        span
    }

    fn tag(&self, name: &str) -> &str {
        self.tags.get(name).map_or("", String::as_str)
    }
}

/// Roots by their ids, with their children.
struct Traces(BTreeMap<String, (Span, Vec<Span>)>);

impl Traces {
    fn of(all: &[Json]) -> Self {
        let spans: Vec<Span> = all.iter().map(Span::of).collect();
        let ids: BTreeSet<_> = spans.iter().map(|span| span.id.clone()).collect();
        assert_eq!(ids.len(), spans.len(), "each span once");
        let mut traces = BTreeMap::new();
        for root in spans.iter().filter(|span| span.name == ROOT) {
            traces.insert(root.id.clone(), (root.clone(), Vec::new()));
        }
        for child in spans.into_iter().filter(|span| span.name != ROOT) {
            assert!([PARSE, EXECUTE].contains(&child.name.as_str()), "{child:?}");
            let parent = child.parent.clone().expect("a parent");
            let (root, children) = traces.get_mut(&parent).expect("the parent was sent, too");
            assert_eq!(root.trace, child.trace);
            assert!(child.began >= root.began && child.ended <= root.ended + 1, "{root:?} {child:?}");
            children.push(child);
        }
        Self(traces)
    }

    /// Those of a statement that was sent as text, by how it begins.
    fn parsed(&self, text: &str) -> Vec<(&Span, Vec<&Span>)> {
        let says = |span: &Span| span.name == PARSE && span.tag("db.statement").starts_with(text);
        let found = self.0.values().filter(|(_, children)| children.iter().any(says));
        let executed = |children: &'_ [Span]| -> Vec<usize> {
            (0..children.len()).filter(|at| children[*at].name == EXECUTE).collect()
        };
        found
            .map(|(root, children)| (root, executed(children).into_iter().map(|at| &children[at]).collect()))
            .collect()
    }

    /// Those of prepared statements, by what servers were sent.
    fn executed(&self, text: &str) -> Vec<&Span> {
        let all = self.0.values().flat_map(|(_, children)| children);
        all.filter(|span| span.name == EXECUTE && span.tag("db.statement").contains(text)).collect()
    }
}

#[test]
fn every_statement_is_one_trace_with_a_span_for_each_unit() {
    let zipkin = Zipkin::start();
    let own = Own::observed(bed(), "tracing_all", &[], &zipkin.agent("service-name: shop"));
    let mut client = own.sharded("tracing_shards", "t", "v VARCHAR(20)");
    client.run("INSERT INTO t VALUES (1, 'a'), (2, 'b'), (3, 'c'), (4, 'd')");
    for id in 1..=4 {
        client.rows(format!("SELECT v FROM t WHERE id = {id} /* one */"));
    }
    client.rows("SELECT id FROM t ORDER BY id");
    assert_eq!(client.fault("INSERT INTO t VALUES (5, 'e'), (3, 'again')").code, 1062);
    assert_eq!(client.fault("SELECT FROM WHERE").code, 1064);
    assert_eq!(client.fault("SELECT id FROM t /* open").code, 1064);
    client.binary("SELECT v FROM t WHERE id = ?", &[Value::Int(3)]).unwrap();
    client.run("SHOW STORAGE UNITS");
    client.run("SELECT 'the last'");
    let traces = zipkin.traces(|traces| !traces.parsed("SELECT 'the last'").is_empty());
    // One for each node.
    for (text, nodes, connections) in [
        ("INSERT INTO t VALUES (1, 'a')", 4, "2"),
        ("SELECT id FROM t ORDER BY id", 4, "2"),
        ("CREATE TABLE t (id INT NOT NULL PRIMARY KEY, v VARCHAR", 4, "2"),
        ("SHOW STORAGE UNITS", 0, "0"),
    ] {
        let found = traces.parsed(text);
        let [(root, executed)] = &found[..] else { panic!("{text}: {found:?}") };
        assert_eq!((executed.len(), root.tag("connection.count")), (nodes, connections), "{text}");
        let instances: BTreeSet<_> = executed.iter().map(|span| span.tag("db.instance")).collect();
        assert_eq!(instances.len(), if nodes == 0 { 0 } else { 2 }, "{text}");
        assert!(!root.tags.contains_key("error"), "{text}");
    }
    let ones = traces.parsed("SELECT v FROM t WHERE id = ");
    let by_id: BTreeSet<_> = ones
        .iter()
        .map(|(root, executed)| {
            assert_eq!((executed.len(), root.tag("connection.count")), (1, "1"));
            let span = executed[0];
            let unit: u16 = span.tag("db.instance").trim_start_matches("ds_").parse().unwrap();
            let server = bed().server(unit.into());
            assert_eq!(span.tag("peer.port"), server.port().to_string());
            assert_eq!((span.tag("peer.hostname"), span.tag("db.bind_vars")), ("127.0.0.1", "[]"));
            assert_eq!(span.tag("db.type"), "shardingsphere-proxy");
            span.tag("db.statement").to_owned()
        })
        .collect();
    // What was prepared, too.
    let tables = ["4", "1", "2", "3", "?"].map(|id| {
        let table = id.parse::<u32>().unwrap_or(0) % 4;
        format!("SELECT v FROM t_{table} WHERE id = {id}")
    });
    assert_eq!(by_id, BTreeSet::from(tables));
    // The error is that of the node that failed: shard 3 has the row.
    let found = traces.parsed("INSERT INTO t VALUES (5, 'e')");
    let [(root, executed)] = &found[..] else { panic!("{found:?}") };
    let error = "Duplicate entry '3' for key 't.PRIMARY'";
    assert_eq!(root.tag("error"), error);
    let failed: Vec<_> = executed.iter().filter(|span| span.tags.contains_key("error")).collect();
    let [failed] = failed[..] else { panic!("{executed:?}") };
    assert!(failed.tag("db.statement").contains("t_3") && executed.len() == 2, "{executed:?}");
    let found = traces.parsed("SELECT FROM WHERE");
    let [(root, executed)] = &found[..] else { panic!("{found:?}") };
    // A server said so.
    assert!(executed.len() == 1 && executed[0].tag("error").contains("syntax"), "{executed:?}");
    assert_eq!(root.tag("error"), executed[0].tag("error"));
    // This the proxy did.
    let refused = |(_, children): &&(Span, Vec<Span>)| matches!(&children[..], [parse] if parse.name == PARSE && parse.tags.contains_key("error"));
    assert_eq!(traces.0.values().filter(refused).count(), 1);
    let prepared: Vec<_> =
        traces.executed("id = ?").into_iter().filter(|span| span.tag("db.bind_vars") == "[3]").collect();
    assert_eq!(prepared.len(), 1);
}

#[test]
fn a_share_is_sampled_and_clients_that_name_a_trace_decide() {
    let zipkin = Zipkin::start();
    let agent = zipkin.agent("sampler-type: counting, sampler-param: 0.1");
    let own = Own::observed(bed(), "tracing_share", &["proxy-frontend-executor-size: 1"], &agent);
    let account = own.account().database("tracing_share");
    let mut client = account.client();
    // The first hundred began with the statements that set up the database.
    for number in 0..1000 {
        client.rows(format!("SELECT v FROM t WHERE id = 1 AND {number} >= 0"));
    }
    let comment = |flag: &str| CONTEXT.replace("-01", flag);
    client.rows(format!("SELECT 'named' /*traceparent='{}'*/", comment("-01")));
    client.rows(format!("SELECT 'hushed' /*traceparent='{}'*/", comment("-00")));
    let capabilities = account.capabilities | Capabilities::QUERY_ATTRIBUTES;
    let mut attributed = account.capabilities(capabilities).client();
    let context = Attribute::text("traceparent", CONTEXT);
    let attributes: Attributes = [context].into_iter().collect();
    let mut payload = BytesMut::new();
    put_query(&mut payload, true, Some(&attributes));
    payload.put_slice(b"SELECT 'attributed'");
    assert_eq!(payload[0], code::QUERY);
    attributed.simple(&payload).unwrap();
    let named = |traces: &Traces, text: &str| {
        let found = traces.parsed(&format!("SELECT '{text}'"));
        found.iter().filter(|(root, _)| root.parent.as_deref() == Some("00f067aa0ba902b7")).count()
    };
    let traces = zipkin.traces(|traces| named(traces, "named") == 1 && named(traces, "attributed") == 1);
    assert_eq!(named(&traces, "hushed"), 0);
    let counted = traces.parsed("SELECT v FROM t WHERE id = 1 AND").len();
    // Ten of each hundred, of which the first and the last have others among them.
    assert!((90..=110).contains(&counted), "{counted}");
    for (root, executed) in traces.parsed("SELECT 'named'") {
        assert_eq!(root.trace, "4bf92f3577b34da6a3ce929d0e0e4736");
        assert!(executed.iter().all(|span| span.trace == root.trace));
    }
}

#[test]
fn a_collector_that_is_down_stops_nobody_and_gets_what_came_meanwhile() {
    let reserved = TcpListener::bind("127.0.0.1:0").unwrap();
    let down = Zipkin { port: reserved.local_addr().unwrap().port(), spans: Arc::default() };
    drop(reserved);
    let own = Own::observed(bed(), "tracing_down", &[], &down.agent(""));
    let mut client = own.client();
    for _ in 0..200 {
        assert_eq!(client.value("SELECT v FROM t WHERE id = 1"), "1");
    }
    let up = Zipkin::on(down.port);
    let traces = up.traces(|traces| traces.parsed("SELECT v FROM t").len() == 200);
    assert!(traces.parsed("SELECT v FROM t").iter().all(|(_, executed)| executed.len() == 1));
    // Nor does it keep the proxy from ending.
    drop(client);
    assert!(own.weir.stop().unwrap().success());
}
