//! Jaeger's agent: batches of spans in Thrift's compact protocol, one in each datagram.

use std::sync::Arc;

use opentelemetry::Value;
use opentelemetry::trace::{SpanId, Status};
use opentelemetry_sdk::error::{OTelSdkError, OTelSdkResult};
use opentelemetry_sdk::trace::{SpanData, SpanExporter};
use tokio::net::UdpSocket;

use super::thrift::{Compact, STRUCT, TRUE};
use super::zipkin::micros;
use crate::counters::SinkCounters;

/// A datagram has no more bytes.
const DATAGRAM: usize = 65_000;
/// What stands before and behind the spans of a datagram, without the name of the service.
const FRAME: usize = 64;

/// Sends datagrams.
#[derive(Debug)]
pub(super) struct Exporter {
    place: (String, u16),
    service: String,
    counters: Arc<SinkCounters>,
}

impl Exporter {
    pub(super) fn new(place: (String, u16), service: &str, counters: Arc<SinkCounters>) -> Self {
        Self { place, service: service.to_owned(), counters }
    }

    /// `emitBatch` with these spans.
    fn datagram(&self, spans: &[Vec<u8>]) -> Vec<u8> {
        let mut to = Compact::default();
        to.call("emitBatch");
        to.fields(|to| {
            to.field(1, STRUCT);
            to.fields(|to| {
                to.field(1, STRUCT);
                to.fields(|to| to.text(1, &self.service));
                to.list(2, STRUCT, spans.len());
                spans.iter().for_each(|span| to.out.extend_from_slice(span));
            });
        });
        to.out
    }

    async fn send(&self, batch: Vec<SpanData>) -> std::io::Result<()> {
        // Looked up for each batch, since the agent may have moved.
        let place = tokio::net::lookup_host((self.place.0.as_str(), self.place.1)).await?.next();
        let Some(place) = place else { return Err(std::io::ErrorKind::NotFound.into()) };
        let socket = UdpSocket::bind(if place.is_ipv4() { "0.0.0.0:0" } else { "[::]:0" }).await?;
        socket.connect(place).await?;
        let (mut spans, mut size) = (Vec::new(), 0);
        let room = DATAGRAM - FRAME - self.service.len().min(DATAGRAM / 2);
        for span in batch {
            let span = encoded(&span);
            if size + span.len() > room && !spans.is_empty() {
                self.emit(&socket, &spans).await?;
                spans.clear();
                size = 0;
            }
            size += span.len();
            spans.push(span);
        }
        self.emit(&socket, &spans).await
    }

    async fn emit(&self, socket: &UdpSocket, spans: &[Vec<u8>]) -> std::io::Result<()> {
        let datagram = self.datagram(spans);
        socket.send(&datagram).await?;
        self.counters.bytes.add(datagram.len() as u64);
        Ok(())
    }
}

impl SpanExporter for Exporter {
    async fn export(&self, batch: Vec<SpanData>) -> OTelSdkResult {
        self.send(batch).await.map_err(|error| {
            let (host, port) = &self.place;
            OTelSdkError::InternalFailure(format!("{host}:{port}: {error}"))
        })
    }
}

fn encoded(span: &SpanData) -> Vec<u8> {
    let mut to = Compact::default();
    let trace = u128::from_be_bytes(span.span_context.trace_id().to_bytes());
    let number = |id: SpanId| i64::from_be_bytes(id.to_bytes());
    let (start, end) = (micros(span.start_time), micros(span.end_time));
    let failed = matches!(span.status, Status::Error { .. });
    #[expect(clippy::cast_possible_truncation, reason = "the halves of it are meant")]
    let (low, high) = ((trace as u64).cast_signed(), ((trace >> 64) as u64).cast_signed());
    to.fields(|to| {
        to.long(1, low);
        to.long(2, high);
        to.long(3, number(span.span_context.span_id()));
        to.long(4, number(span.parent_span_id));
        to.text(5, &span.name);
        // It is sampled.
        to.int(7, 1);
        to.long(8, start.cast_signed());
        to.long(9, end.saturating_sub(start).cast_signed());
        to.list(10, STRUCT, span.attributes.len() + usize::from(failed));
        for tag in &span.attributes {
            put_tag(to, tag.key.as_str(), &tag.value);
        }
        if failed {
            put_tag(to, "error", &Value::Bool(true));
        }
        if !span.events.is_empty() {
            to.list(11, STRUCT, span.events.len());
            for event in span.events.iter() {
                to.fields(|to| {
                    to.long(1, micros(event.timestamp).cast_signed());
                    to.list(2, STRUCT, event.attributes.len() + 1);
                    put_tag(to, "event", &Value::String(event.name.clone().into()));
                    for tag in &event.attributes {
                        put_tag(to, tag.key.as_str(), &tag.value);
                    }
                });
            }
        }
    });
    to.out
}

/// Kinds of tags.
const STRING: i32 = 0;
const BOOL: i32 = 2;
const LONG: i32 = 3;

fn put_tag(to: &mut Compact, key: &str, value: &Value) {
    to.fields(|to| {
        to.text(1, key);
        match value {
            Value::Bool(value) => {
                to.int(2, BOOL);
                // Its value is in the head of the field: 2 is false.
                to.field(5, if *value { TRUE } else { TRUE + 1 });
            }
            Value::I64(value) => {
                to.int(2, LONG);
                to.long(6, *value);
            }
            Value::String(text) => {
                to.int(2, STRING);
                to.text(3, text.as_str());
            }
            other => {
                to.int(2, STRING);
                to.text(3, &other.as_str());
            }
        }
    });
}
