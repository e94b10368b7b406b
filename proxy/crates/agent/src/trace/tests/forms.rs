//! What each collector reads.

use std::collections::BTreeMap;
use std::net::UdpSocket;

use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::any_value::Value as Any;
use opentelemetry_proto::tonic::common::v1::{AnyValue, KeyValue};
use prost::Message as _;
use serde_json::Value as Json;

use super::*;

const VALUES: &str = "[42, a \"b\"\n, null]";

/// Whether a text is of so many hexadecimal digits that are not all 0.
fn is_id(value: &Json, digits: usize) -> bool {
    let text = value.as_str().unwrap_or_default();
    let hex = |c: char| c.is_ascii_digit() || ('a'..='f').contains(&c);
    text.len() == digits && text.chars().all(hex) && text.chars().any(|c| c != '0')
}

fn tags(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
    pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

#[test]
fn zipkin_reads_its_own_json() {
    let collector = Collector::start(vec![Answer::Status(202)]);
    let mut bench = Bench::new(ZIPKIN, collector.port);
    bench.send();
    bench.wait(|counters| counters.records.get() == 6);
    let head = &collector.heads()[0];
    assert!(head.starts_with("post /api/v2/spans http/1.1\r\n"), "{head}");
    assert!(head.contains("content-type: application/json"), "{head}");
    let spans: Vec<Json> = serde_json::from_slice(&collector.bodies()[0]).expect("JSON");
    for span in &spans {
        assert!(is_id(&span["traceId"], 32) && is_id(&span["id"], 16), "{span}");
        assert_eq!(
            (&span["kind"], &span["localEndpoint"]["serviceName"]),
            (&"CLIENT".into(), &"my shop".into())
        );
        let (start, length) =
            (span["timestamp"].as_u64().expect("µs"), span["duration"].as_u64().expect("µs"));
        assert!(start >= BEGAN && length > 0 && start + length <= BEGAN + 1000, "{span}");
        let known =
            ["traceId", "id", "parentId", "kind", "name", "timestamp", "duration", "localEndpoint", "tags"];
        assert!(span.as_object().expect("an object").keys().all(|key| known.contains(&key.as_str())));
        assert!(span["tags"].as_object().expect("tags").values().all(Json::is_string), "{span}");
    }
    let of = |span: &Json| -> BTreeMap<String, String> {
        serde_json::from_value(span["tags"].clone()).expect("texts")
    };
    let (root, children) = (&spans[0], &spans[1..4]);
    assert_eq!(root["traceId"], "4bf92f3577b34da6a3ce929d0e0e4736");
    assert_eq!((&root["parentId"], &root["name"]), (&"00f067aa0ba902b7".into(), &ROOT.into()));
    let error = ("error", "Duplicate entry '1'");
    let (component, kind) = (("component", "shardingsphere"), ("db.type", "shardingsphere-proxy"));
    assert_eq!(of(root), tags(&[component, kind, ("connection.count", "2"), error]));
    assert!(children.iter().all(|span| span["parentId"] == root["id"] && span["traceId"] == root["traceId"]));
    assert_eq!((&children[0]["name"], &children[0]["duration"]), (&PARSE.into(), &100.into()));
    assert_eq!(of(&children[0]), tags(&[component, kind, ("db.statement", "UPDATE t SET c = 'Grüße'")]));
    let executed = [
        component,
        kind,
        ("db.instance", "ds_1"),
        ("peer.hostname", "db.example"),
        ("peer.port", "3307"),
        ("db.statement", "UPDATE t_0 SET c = ?"),
        ("db.bind_vars", VALUES),
        error,
    ];
    assert_eq!((of(&children[2]), &children[2]["name"]), (tags(&executed), &EXECUTE.into()));
    assert_eq!((&children[1]["timestamp"], &children[1]["duration"]), (&(BEGAN + 300).into(), &400.into()));
    assert!(!of(&children[1]).contains_key("error"));
    // The other statement has no parent and was not parsed.
    assert!(spans[4].get("parentId").is_none() && spans[5]["parentId"] == spans[4]["id"]);
    assert_eq!((spans.len(), &spans[5]["name"]), (6, &EXECUTE.into()));
    let ids: std::collections::BTreeSet<_> = spans.iter().map(|span| span["id"].as_str()).collect();
    assert_eq!(ids.len(), 6);
}

fn texts(attributes: &[KeyValue]) -> BTreeMap<String, String> {
    let text = |value: &Option<AnyValue>| match value.as_ref().and_then(|value| value.value.as_ref()) {
        Some(Any::StringValue(text)) => text.clone(),
        Some(Any::IntValue(number)) => number.to_string(),
        other => panic!("{other:?}"),
    };
    attributes.iter().map(|tag| (tag.key.clone(), text(&tag.value))).collect()
}

#[test]
fn otlp_is_read_by_its_own_messages() {
    let collector = Collector::start(vec![Answer::Status(200)]);
    let endpoint = "otel-exporter-otlp-endpoint: \"http://127.0.0.1:PORT\"";
    let text = format!(
        "OpenTelemetry: {{ props: {{ {endpoint}, otel-exporter-otlp-headers: \"x-key=k\", \
         otel-resource-attributes: \"service.name=shop,env=test\" }} }}"
    );
    let mut bench = Bench::new(&text, collector.port);
    bench.send();
    bench.wait(|counters| counters.records.get() == 6);
    let head = &collector.heads()[0];
    assert!(head.starts_with("post /v1/traces http/1.1\r\n"), "{head}");
    assert!(head.contains("content-type: application/x-protobuf") && head.contains("x-key: k"), "{head}");
    let request = ExportTraceServiceRequest::decode(&collector.bodies()[0][..]).expect("protobuf");
    let [of] = &request.resource_spans[..] else { panic!("{request:?}") };
    let resource = texts(&of.resource.as_ref().expect("a resource").attributes);
    assert_eq!((resource["service.name"].as_str(), resource["env"].as_str()), ("shop", "test"));
    let [scope] = &of.scope_spans[..] else { panic!("{of:?}") };
    assert_eq!(scope.scope.as_ref().expect("a scope").name, "weir");
    let spans = &scope.spans;
    assert_eq!(spans.len(), 6);
    let root = &spans[0];
    assert_eq!(
        (&root.trace_id[..], &root.parent_span_id[..]),
        (&PARENT.id.to_be_bytes()[..], &PARENT.parent.to_be_bytes()[..])
    );
    // Of a client elsewhere, as it is known to be, and sampled.
    assert_eq!(root.flags, 0x301);
    assert_eq!((root.name.as_str(), root.kind), (ROOT, 3));
    assert_eq!(root.start_time_unix_nano, BEGAN * 1000);
    assert_eq!(root.end_time_unix_nano, (BEGAN + 1000) * 1000);
    let component = ("component", "ShardingSphere");
    assert_eq!(texts(&root.attributes), tags(&[component, ("connection.count", "2")]));
    let status = root.status.as_ref().expect("a status");
    assert_eq!((status.code, status.message.as_str()), (2, "Duplicate entry '1'"));
    assert_eq!(root.events[0].name, "exception");
    let exception =
        [("exception.type", "MySQL error 1062 (23000)"), ("exception.message", "Duplicate entry '1'")];
    assert_eq!(texts(&root.events[0].attributes), tags(&exception));
    for span in &spans[1..4] {
        assert_eq!((&span.parent_span_id, &span.trace_id), (&root.span_id, &root.trace_id));
        assert!(span.start_time_unix_nano >= root.start_time_unix_nano);
        assert!(span.end_time_unix_nano <= root.end_time_unix_nano);
    }
    let executed = texts(&spans[2].attributes);
    assert_eq!((executed["db.instance"].as_str(), executed["db.bind_vars"].as_str()), ("ds_0", VALUES));
    assert_eq!(spans[2].status.as_ref().map_or(0, |status| status.code), 0);
    assert_eq!(spans[3].status.as_ref().map_or(0, |status| status.code), 2);
    assert!(spans[4].parent_span_id.is_empty());
}

#[test]
fn sky_walking_reads_segments() {
    let collector = Collector::start(vec![Answer::Status(200)]);
    let text = "SkyWalking: { host: 127.0.0.1, port: PORT, props: { service-name: shop } }";
    let mut bench = Bench::new(text, collector.port);
    bench.send();
    bench.wait(|counters| counters.records.get() == 6);
    assert!(collector.heads()[0].starts_with("post /v3/segments http/1.1\r\n"));
    let segments: Vec<Json> = serde_json::from_slice(&collector.bodies()[0]).expect("JSON");
    assert_eq!(
        segments.iter().map(|it| it["spans"].as_array().map_or(0, Vec::len)).collect::<Vec<_>>(),
        [4, 2]
    );
    let segment = &segments[0];
    assert_eq!(
        (&segment["service"], &segment["traceId"]),
        (&"shop".into(), &"4bf92f3577b34da6a3ce929d0e0e4736".into())
    );
    assert_ne!(segment["traceSegmentId"], segments[1]["traceSegmentId"]);
    let spans = segment["spans"].as_array().expect("spans");
    let kinds: Vec<_> = spans.iter().map(|span| span["spanType"].as_str().unwrap_or_default()).collect();
    assert_eq!(kinds, ["Entry", "Local", "Exit", "Exit"]);
    for (number, span) in spans.iter().enumerate() {
        assert_eq!(
            (&span["spanId"], span["parentSpanId"].as_i64()),
            (&number.into(), Some(if number == 0 { -1 } else { 0 }))
        );
        assert_eq!(span["startTime"].as_u64(), Some(BEGAN / 1000));
    }
    let tags = spans[2]["tags"].as_array().expect("tags");
    assert!(tags.contains(&serde_json::json!({ "key": "db.type", "value": "sql" })), "{tags:?}");
    assert_eq!((&spans[3]["isError"], &spans[3]["peer"]), (&true.into(), &"db.example:3307".into()));
    assert_eq!(spans[3]["logs"][0]["data"][1]["value"], "Duplicate entry '1'");
}

/// A value of Thrift's compact protocol.
#[derive(Clone, Debug, PartialEq)]
enum Thrift {
    Bool(bool),
    Number(i64),
    Text(String),
    List(Vec<Self>),
    Struct(BTreeMap<u8, Self>),
}

impl Thrift {
    fn at(&self, field: u8) -> &Self {
        let Self::Struct(fields) = self else { panic!("{self:?}") };
        fields.get(&field).unwrap_or_else(|| panic!("no field {field} in {fields:?}"))
    }

    fn text(&self) -> &str {
        let Self::Text(text) = self else { panic!("{self:?}") };
        text
    }

    fn number(&self) -> i64 {
        let Self::Number(number) = self else { panic!("{self:?}") };
        *number
    }

    fn list(&self) -> &[Self] {
        let Self::List(list) = self else { panic!("{self:?}") };
        list
    }

    /// Of a span or a log: strings, numbers and booleans by their kinds.
    fn tags(&self) -> BTreeMap<String, String> {
        let tag = |tag: &Self| {
            let value = match tag.at(2).number() {
                0 => tag.at(3).text().to_owned(),
                2 => format!("{:?}", tag.at(5)),
                3 => tag.at(6).number().to_string(),
                other => panic!("{other}"),
            };
            (tag.at(1).text().to_owned(), value)
        };
        self.list().iter().map(tag).collect()
    }
}

/// Reads Thrift's compact protocol.
struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn byte(&mut self) -> u8 {
        let (first, rest) = self.0.split_first().expect("a byte");
        self.0 = rest;
        *first
    }

    fn varint(&mut self) -> u64 {
        let (mut value, mut shift) = (0, 0);
        loop {
            let byte = self.byte();
            value |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return value;
            }
            shift += 7;
        }
    }

    fn text(&mut self) -> String {
        let length = usize::try_from(self.varint()).expect("a length");
        let (text, rest) = self.0.split_at(length);
        self.0 = rest;
        String::from_utf8(text.to_vec()).expect("UTF-8")
    }

    fn value(&mut self, kind: u8) -> Thrift {
        match kind {
            1 | 2 => Thrift::Bool(kind == 1),
            5 | 6 => {
                let value = self.varint();
                Thrift::Number((value >> 1).cast_signed() ^ -(value & 1).cast_signed())
            }
            8 => Thrift::Text(self.text()),
            9 => {
                let head = self.byte();
                let count = if head >> 4 == 15 { self.varint() } else { u64::from(head >> 4) };
                Thrift::List((0..count).map(|_| self.value(head & 15)).collect())
            }
            12 => {
                let (mut fields, mut last) = (BTreeMap::new(), 0);
                loop {
                    let head = self.byte();
                    if head == 0 {
                        return Thrift::Struct(fields);
                    }
                    assert!(head >> 4 > 0, "fields are less than 16 apart");
                    last += head >> 4;
                    let value = self.value(head & 15);
                    assert!(fields.insert(last, value).is_none());
                }
            }
            other => panic!("{other}"),
        }
    }
}

/// The batch in a datagram.
fn batch(datagram: &[u8]) -> Thrift {
    // Compact protocol, version 1, a call without an answer, number 0.
    assert_eq!(datagram[..3], [0x82, 0x81, 0]);
    let mut reader = Reader(&datagram[3..]);
    assert_eq!(reader.text(), "emitBatch");
    let call = reader.value(12);
    assert!(reader.0.is_empty());
    call.at(1).clone()
}

#[test]
fn jaegers_agent_reads_compact_thrift() {
    let socket = UdpSocket::bind("127.0.0.1:0").expect("a port");
    socket.set_read_timeout(Some(Duration::from_secs(30))).expect("a limit");
    let port = socket.local_addr().expect("an address").port();
    let mut bench =
        Bench::new("Jaeger: { host: 127.0.0.1, port: PORT, props: { service-name: shop } }", port);
    bench.send();
    let mut input = vec![0; 70_000];
    let read = socket.recv(&mut input).expect("a datagram");
    let batch = batch(&input[..read]);
    assert_eq!(batch.at(1).at(1).text(), "shop");
    let spans = batch.at(2).list();
    assert_eq!(spans.len(), 6);
    let root = &spans[0];
    let ids = (root.at(2).number(), root.at(1).number(), root.at(4).number());
    let half = |half: u64| half.cast_signed();
    assert_eq!(ids, (half(0x4bf9_2f35_77b3_4da6), half(0xa3ce_929d_0e0e_4736), half(PARENT.parent)));
    let times = (root.at(8).number(), root.at(9).number());
    assert_eq!((root.at(5).text(), root.at(7).number(), times), (ROOT, 1, (half(BEGAN), 1000)));
    let (component, failed) = (("component", "ShardingSphere"), ("error", "Bool(true)"));
    assert_eq!(root.at(10).tags(), tags(&[component, ("connection.count", "2"), failed]));
    let log = &root.at(11).list()[0];
    assert_eq!(log.at(1).number(), half(BEGAN + 1000));
    let kind = ("error.kind", "MySQL error 1062 (23000)");
    assert_eq!(log.at(2).tags(), tags(&[("event", "error"), kind, ("message", "Duplicate entry '1'")]));
    assert!(spans[1..4].iter().all(|span| span.at(4) == root.at(3) && span.at(1) == root.at(1)));
    let executed = [
        component,
        ("db.type", "sql"),
        ("span.kind", "client"),
        ("db.instance", "ds_0"),
        ("peer.hostname", "db.example"),
        ("peer.port", "3306"),
        ("db.statement", "UPDATE t_0 SET c = ?"),
        ("db.bind_vars", VALUES),
    ];
    assert_eq!((spans[2].at(5).text(), spans[2].at(10).tags()), (EXECUTE, tags(&executed)));
    assert_eq!(spans[4].at(4).number(), 0);
}

#[test]
fn jaegers_agent_gets_no_more_than_fits_into_a_datagram() {
    let socket = UdpSocket::bind("127.0.0.1:0").expect("a port");
    socket.set_read_timeout(Some(Duration::from_secs(30))).expect("a limit");
    let port = socket.local_addr().expect("an address").port();
    let mut bench = Bench::new("Jaeger: { host: 127.0.0.1, port: PORT }", port);
    let long = "x".repeat(2000);
    for id in 1..=60 {
        executed(id, |statement| {
            let statement = Statement { command: Command::Query, text: long.as_bytes(), ..*statement };
            bench.tracer.take(&Event::Statement(statement));
        });
    }
    bench.tracer.send();
    let (mut spans, mut datagrams) = (0, 0);
    let mut input = vec![0; 70_000];
    while spans < 180 {
        let read = socket.recv(&mut input).expect("a datagram");
        assert!(read <= 65_000, "{read}");
        spans += batch(&input[..read]).at(2).list().len();
        datagrams += 1;
    }
    assert_eq!((spans, datagrams), (180, 3));
}
