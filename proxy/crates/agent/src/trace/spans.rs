//! The spans of a statement, by the names and tags that the documentation gives: one for the command, one for parsing
//! it, one for each physical statement.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::sync::Arc;
use std::time::SystemTime;

use observe::record::Values;
use observe::{Command, Run, Statement, Trace, Value};
use opentelemetry::trace::{Event, SpanContext, SpanId, SpanKind, Status, TraceFlags, TraceId, TraceState};
use opentelemetry::{InstrumentationScope, Key, KeyValue};
use opentelemetry_sdk::trace::{SpanData, SpanEvents, SpanLinks};

pub(super) const ROOT: &str = "/ShardingSphere/rootInvoke/";
pub(super) const PARSE: &str = "/ShardingSphere/parseSQL/";
pub(super) const EXECUTE: &str = "/ShardingSphere/executeSQL/";

const BIND_VARS: Key = Key::from_static_str("db.bind_vars");
const COMPONENT: Key = Key::from_static_str("component");
const CONNECTIONS: Key = Key::from_static_str("connection.count");
const DB_TYPE: Key = Key::from_static_str("db.type");
const HOST: Key = Key::from_static_str("peer.hostname");
const INSTANCE: Key = Key::from_static_str("db.instance");
const KIND: Key = Key::from_static_str("span.kind");
const PORT: Key = Key::from_static_str("peer.port");
const STATEMENT: Key = Key::from_static_str("db.statement");

/// Of a syntax error.
const PARSE_ERROR: u16 = 1064;
/// So many units' names are kept.
const UNITS: usize = 1024;

/// Whose tags are used.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Manner {
    OpenTelemetry,
    OpenTracing,
    Zipkin,
}

/// Builds spans.
pub(super) struct Spans {
    manner: Manner,
    scope: InstrumentationScope,
    /// Those there were, so that spans share their names.
    units: Vec<Unit>,
}

#[derive(Clone)]
struct Unit {
    name: Arc<str>,
    host: Arc<str>,
    number: u16,
    port: Arc<str>,
}

impl Spans {
    pub(super) fn new(manner: Manner) -> Self {
        let scope = InstrumentationScope::builder("weir").with_version(env!("CARGO_PKG_VERSION")).build();
        Self { manner, scope, units: Vec::new() }
    }

    /// Appends the spans of a statement that is over; the root first.
    pub(super) fn add(&mut self, statement: &Statement<'_>, trace: Trace, out: &mut Vec<SpanData>) {
        let head = &statement.head;
        let (began, ended) = (head.at, head.at + head.elapsed);
        let failure = head.error.as_ref().map(|error| {
            let state = String::from_utf8_lossy(&error.state).into_owned();
            (error.code, state, String::from_utf8_lossy(error.message).into_owned())
        });
        let root = SpanId::from(trace.parent);
        let mut span = self.span(trace, root, ROOT, began, ended, self.root_tags(statement));
        span.parent_span_is_remote = trace.parent != 0;
        let id = span.span_context.span_id();
        if let Some((code, state, message)) = &failure {
            self.fail(&mut span, *code, state, message);
        }
        out.push(span);
        let text = String::from_utf8_lossy(statement.text);
        let parses = matches!(statement.command, Command::Query | Command::Prepare);
        let parsed = statement.phases.parsed;
        let refused = failure.as_ref().filter(|(code, ..)| *code == PARSE_ERROR && statement.runs.is_empty());
        if parses && (!parsed.is_zero() || refused.is_some()) {
            let end = if parsed.is_zero() { ended } else { began + parsed.min(head.elapsed) };
            let tags = self.parse_tags(text.into_owned());
            let mut span = self.span(trace, id, PARSE, began, end, tags);
            if let Some((code, state, message)) = refused {
                self.fail(&mut span, *code, state, message);
            }
            out.push(span);
        }
        let mut values: Option<Arc<str>> = None;
        for run in statement.runs {
            let values = values.get_or_insert_with(|| listed(statement.parameters));
            let started = run.started.min(head.elapsed);
            let end = began + run.ended.clamp(started, head.elapsed);
            let tags = self.execute_tags(&run, values);
            let mut span = self.span(trace, id, EXECUTE, began + started, end, tags);
            if run.error != 0 {
                match &failure {
                    Some((code, state, message)) if *code == run.error => {
                        self.fail(&mut span, *code, state, message);
                    }
                    _ => self.fail(&mut span, run.error, "HY000", &format!("server error {}", run.error)),
                }
            }
            out.push(span);
        }
    }

    fn span(
        &self,
        trace: Trace,
        parent: SpanId,
        name: &'static str,
        start_time: SystemTime,
        end_time: SystemTime,
        attributes: Vec<KeyValue>,
    ) -> SpanData {
        let id = SpanId::from(fastrand::u64(1..));
        let flags = TraceFlags::SAMPLED;
        SpanData {
            span_context: SpanContext::new(TraceId::from(trace.id), id, flags, false, TraceState::NONE),
            parent_span_id: parent,
            parent_span_is_remote: false,
            span_kind: SpanKind::Client,
            name: Cow::Borrowed(name),
            start_time,
            end_time,
            attributes,
            dropped_attributes_count: 0,
            events: SpanEvents::default(),
            links: SpanLinks::default(),
            status: Status::Unset,
            instrumentation_scope: self.scope.clone(),
        }
    }

    fn fail(&self, span: &mut SpanData, code: u16, state: &str, message: &str) {
        span.status = Status::error(message.to_owned());
        let kind = format!("MySQL error {code} ({state})");
        let (event, kind_key, message_key) = match self.manner {
            // Its error is a tag.
            Manner::Zipkin => return,
            Manner::OpenTelemetry => ("exception", "exception.type", "exception.message"),
            Manner::OpenTracing => ("error", "error.kind", "message"),
        };
        let fields = vec![KeyValue::new(kind_key, kind), KeyValue::new(message_key, message.to_owned())];
        let event = Event::new(event, span.end_time, fields, 0);
        span.events.events.push(event);
    }

    const fn component(&self) -> &'static str {
        match self.manner {
            Manner::Zipkin => "shardingsphere",
            Manner::OpenTelemetry | Manner::OpenTracing => "ShardingSphere",
        }
    }

    fn root_tags(&self, statement: &Statement<'_>) -> Vec<KeyValue> {
        let mut tags = Vec::with_capacity(3);
        tags.push(KeyValue::new(COMPONENT, self.component()));
        if self.manner == Manner::Zipkin {
            tags.push(KeyValue::new(DB_TYPE, "shardingsphere-proxy"));
        }
        tags.push(KeyValue::new(CONNECTIONS, i64::from(statement.connections)));
        tags
    }

    fn parse_tags(&self, text: String) -> Vec<KeyValue> {
        let manner = match self.manner {
            Manner::OpenTracing => KeyValue::new(KIND, "client"),
            Manner::OpenTelemetry | Manner::Zipkin => KeyValue::new(DB_TYPE, "shardingsphere-proxy"),
        };
        vec![KeyValue::new(COMPONENT, self.component()), manner, KeyValue::new(STATEMENT, text)]
    }

    fn execute_tags(&mut self, run: &Run<'_>, values: &Arc<str>) -> Vec<KeyValue> {
        let mut tags = Vec::with_capacity(8);
        tags.push(KeyValue::new(COMPONENT, self.component()));
        if self.manner == Manner::OpenTracing {
            tags.push(KeyValue::new(DB_TYPE, "sql"));
            tags.push(KeyValue::new(KIND, "client"));
        } else {
            tags.push(KeyValue::new(DB_TYPE, "shardingsphere-proxy"));
        }
        let unit = self.unit(run);
        tags.push(KeyValue::new(INSTANCE, unit.name));
        tags.push(KeyValue::new(HOST, unit.host));
        tags.push(KeyValue::new(PORT, unit.port));
        tags.push(KeyValue::new(STATEMENT, String::from_utf8_lossy(run.text).into_owned()));
        tags.push(KeyValue::new(BIND_VARS, Arc::clone(values)));
        tags
    }

    fn unit(&mut self, run: &Run<'_>) -> Unit {
        let same =
            |unit: &&Unit| unit.number == run.port && &*unit.name == run.unit && &*unit.host == run.host;
        if let Some(found) = self.units.iter().find(same) {
            return found.clone();
        }
        let port = Arc::from(run.port.to_string());
        let unit = Unit { name: run.unit.into(), host: run.host.into(), number: run.port, port };
        if self.units.len() >= UNITS {
            self.units.clear();
        }
        self.units.push(unit.clone());
        unit
    }
}

/// Parameters as Java writes a list: `[1, abc, null]`.
fn listed(values: Values<'_>) -> Arc<str> {
    if values.is_empty() {
        return Arc::from("[]");
    }
    let mut text = String::from("[");
    for (at, value) in values.enumerate() {
        if at > 0 {
            text.push_str(", ");
        }
        // Writing into a text does not fail.
        let _ = match value {
            Value::Null => text.write_str("null"),
            Value::Signed(number) => write!(text, "{number}"),
            Value::Unsigned(number) => write!(text, "{number}"),
            Value::Float(number) => write!(text, "{number}"),
            Value::Number(bytes) | Value::Text(bytes) => text.write_str(&String::from_utf8_lossy(bytes)),
            Value::Bytes(bytes) => bytes.iter().try_for_each(|byte| write!(text, "{byte:02x}")),
            Value::Cut { start, length } => {
                write!(text, "{}… ({length} bytes)", String::from_utf8_lossy(start))
            }
            Value::Hidden => text.write_str("***"),
        };
    }
    text.push(']');
    text.into()
}
