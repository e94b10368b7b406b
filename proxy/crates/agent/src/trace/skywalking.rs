//! SkyWalking's segments, as JSON over HTTP (`/v3/segments`): each statement is one.

use std::fmt::Write as _;

use opentelemetry::trace::Status;
use opentelemetry_sdk::error::OTelSdkResult;
use opentelemetry_sdk::trace::{SpanData, SpanExporter};

use super::post::Post;
use super::zipkin::{micros, put_text, put_value};

/// ShardingSphere's number in SkyWalking's list of components.
const COMPONENT: u32 = 60;

/// Sends arrays of segments.
#[derive(Debug)]
pub(super) struct Exporter {
    post: Post,
    /// `"service":"…","serviceInstance":"…"`.
    service: String,
}

impl Exporter {
    pub(super) fn new(post: Post, service: &str) -> Self {
        let mut text = String::from("\"service\":");
        put_text(&mut text, service);
        text.push_str(",\"serviceInstance\":");
        put_text(&mut text, &format!("{service}@{}", std::process::id()));
        Self { post, service: text }
    }
}

impl SpanExporter for Exporter {
    async fn export(&self, batch: Vec<SpanData>) -> OTelSdkResult {
        let mut out = String::with_capacity(batch.len() * 512);
        out.push('[');
        // A root, and its children behind it.
        let is_child = |root: &SpanData, span: &SpanData| span.parent_span_id == root.span_context.span_id();
        let mut rest = batch.as_slice();
        while let Some(root) = rest.first() {
            let count = 1 + rest[1..].iter().take_while(|span| is_child(root, span)).count();
            let (segment, others) = rest.split_at(count);
            put_segment(&mut out, segment, &self.service);
            out.push(',');
            rest = others;
        }
        out.pop();
        out.push(']');
        self.post.send(out).await
    }
}

fn put_segment(out: &mut String, spans: &[SpanData], service: &str) {
    let Some(root) = spans.first() else { return };
    let (trace, id) = (root.span_context.trace_id(), root.span_context.span_id());
    // Writing into a text does not fail.
    let _ =
        write!(out, "{{\"traceId\":\"{trace}\",\"traceSegmentId\":\"{trace}.{id}\",{service},\"spans\":[");
    for (number, span) in spans.iter().enumerate() {
        let parent = if number == 0 { -1 } else { 0 };
        let kind = match number {
            0 => "Entry",
            _ if span.name.contains("executeSQL") => "Exit",
            _ => "Local",
        };
        let (start, end) = (micros(span.start_time) / 1000, micros(span.end_time) / 1000);
        let failed = matches!(span.status, Status::Error { .. });
        let _ = write!(
            out,
            "{{\"operationName\":\"{}\",\"startTime\":{start},\"endTime\":{end},\"spanType\":\"{kind}\",\
             \"spanId\":{number},\"parentSpanId\":{parent},\"isError\":{failed},\"componentId\":{COMPONENT},\
             \"spanLayer\":\"Database\",\"peer\":",
            span.name
        );
        put_peer(out, span);
        out.push_str(",\"tags\":");
        put_pairs(out, span.attributes.iter().map(|tag| (tag.key.as_str(), &tag.value)));
        out.push_str(",\"logs\":[");
        for event in span.events.iter() {
            let _ = write!(out, "{{\"time\":{},\"data\":", micros(event.timestamp) / 1000);
            put_pairs(out, event.attributes.iter().map(|tag| (tag.key.as_str(), &tag.value)));
            out.push_str("},");
        }
        close(out, "]},");
    }
    close(out, "]}");
}

/// `host:port` of a physical statement.
fn put_peer(out: &mut String, span: &SpanData) {
    let tag = |name: &str| {
        let found = span.attributes.iter().find(|tag| tag.key.as_str() == name);
        found.map(|tag| tag.value.as_str())
    };
    match (tag("peer.hostname"), tag("peer.port")) {
        (Some(host), Some(port)) => put_text(out, &format!("{host}:{port}")),
        _ => put_text(out, ""),
    }
}

fn put_pairs<'a>(out: &mut String, pairs: impl Iterator<Item = (&'a str, &'a opentelemetry::Value)>) {
    out.push('[');
    for (key, value) in pairs {
        out.push_str("{\"key\":");
        put_text(out, key);
        out.push_str(",\"value\":");
        put_value(out, value);
        out.push_str("},");
    }
    close(out, "]");
}

/// Ends a list, without the comma behind its last element.
fn close(out: &mut String, end: &str) {
    if out.ends_with(',') {
        out.pop();
    }
    out.push_str(end);
}
