//! Zipkin's JSON, version 2.

use std::fmt::Write as _;
use std::time::{SystemTime, UNIX_EPOCH};

use opentelemetry::Value;
use opentelemetry::trace::{SpanId, Status};
use opentelemetry_sdk::error::OTelSdkResult;
use opentelemetry_sdk::trace::{SpanData, SpanExporter};

use super::post::Post;

/// Sends arrays of spans.
#[derive(Debug)]
pub(super) struct Exporter {
    post: Post,
    /// `"localEndpoint":{"serviceName":"…"}`.
    endpoint: String,
}

impl Exporter {
    pub(super) fn new(post: Post, service: &str) -> Self {
        let mut endpoint = String::from("\"localEndpoint\":{\"serviceName\":");
        put_text(&mut endpoint, service);
        endpoint.push('}');
        Self { post, endpoint }
    }
}

impl SpanExporter for Exporter {
    async fn export(&self, batch: Vec<SpanData>) -> OTelSdkResult {
        let mut out = String::with_capacity(batch.len() * 512);
        out.push('[');
        for span in &batch {
            put_span(&mut out, span, &self.endpoint);
            out.push(',');
        }
        out.pop();
        out.push(']');
        self.post.send(out).await
    }
}

fn put_span(out: &mut String, span: &SpanData, endpoint: &str) {
    let context = &span.span_context;
    // Writing into a text does not fail.
    let _ = write!(out, "{{\"traceId\":\"{}\",\"id\":\"{}\",", context.trace_id(), context.span_id());
    if span.parent_span_id != SpanId::INVALID {
        let _ = write!(out, "\"parentId\":\"{}\",", span.parent_span_id);
    }
    let start = micros(span.start_time);
    // A span of no length at all would have none.
    let duration = micros(span.end_time).saturating_sub(start).max(1);
    let name = &span.name;
    let _ = write!(
        out,
        "\"kind\":\"CLIENT\",\"name\":\"{name}\",\"timestamp\":{start},\"duration\":{duration},{endpoint},\"tags\":{{"
    );
    for tag in &span.attributes {
        put_text(out, tag.key.as_str());
        out.push(':');
        put_value(out, &tag.value);
        out.push(',');
    }
    if let Status::Error { description } = &span.status {
        out.push_str("\"error\":");
        put_text(out, description);
        out.push(',');
    }
    if out.ends_with(',') {
        out.pop();
    }
    out.push_str("}}");
}

/// Tags are texts.
pub(super) fn put_value(out: &mut String, value: &Value) {
    match value {
        Value::String(text) => put_text(out, text.as_str()),
        other => put_text(out, &other.as_str()),
    }
}

pub(super) fn put_text(out: &mut String, text: &str) {
    out.push('"');
    let mut rest = text;
    while let Some(at) = rest.find(|c: char| matches!(c, '"' | '\\') || c < ' ') {
        out.push_str(&rest[..at]);
        let special = rest.as_bytes()[at];
        match special {
            b'"' => out.push_str("\\\""),
            b'\\' => out.push_str("\\\\"),
            b'\n' => out.push_str("\\n"),
            b'\t' => out.push_str("\\t"),
            other => {
                let _ = write!(out, "\\u{other:04x}");
            }
        }
        rest = &rest[at + 1..];
    }
    out.push_str(rest);
    out.push('"');
}

pub(super) fn micros(time: SystemTime) -> u64 {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_micros()).unwrap_or(u64::MAX)
}
