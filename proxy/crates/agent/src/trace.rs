//! Traces: what was sampled becomes spans when it is over, which go to a collector in batches.
//!
//! Spans are built on the observer's thread from the record of a statement; what a collector understands is made of them
//! and sent on the agent's own thread. As much may wait as [`WAITING`] says; what comes then is dropped and counted.

mod config;
mod jaeger;
mod otlp;
mod post;
mod skywalking;
mod spans;
mod thrift;
mod zipkin;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use observe::{Event, Sampler, Wants};
use opentelemetry_sdk::trace::{SpanData, SpanExporter as _};
use tokio::sync::mpsc::{Receiver, Sender, channel};

use crate::counters::SinkCounters;
use crate::io::Io;
use crate::sink::Sink;
use crate::warn::Warner;

pub use config::{Config, Target};
use spans::Spans;

/// Spans that are sent together; a batch may have a few more, since those of one statement stay together.
const BATCH: usize = 512;
/// Batches that wait for the collector.
const WAITING: usize = 32;
/// Bytes of a statement's text in a span.
const TEXT: usize = 8 * 1024;
/// How long the end waits for the collector to take what is left.
const FAREWELL: Duration = Duration::from_secs(1);

/// Exports what is sampled.
pub struct Tracer {
    name: &'static str,
    sampler: Sampler,
    spans: Spans,
    batch: Vec<SpanData>,
    /// When the first of the batch came.
    since: Option<Instant>,
    delay: Duration,
    line: Option<Sender<Vec<SpanData>>>,
    counters: Arc<SinkCounters>,
    warner: Arc<Warner>,
    closing: Arc<AtomicBool>,
    done: mpsc::Receiver<()>,
}

impl Tracer {
    /// Exports as a configuration says, on a thread for that.
    pub fn start(config: &Config, io: &Io, counters: Arc<SinkCounters>) -> Self {
        let (line, waiting) = channel(WAITING);
        let (ended, done) = mpsc::channel();
        let warner = Arc::new(Warner::new(config.name()));
        let closing = Arc::new(AtomicBool::new(false));
        let exporter = Exporter::new(config, &counters, &warner, &closing);
        let task = export(waiting, exporter, Arc::clone(&counters), Arc::clone(&warner));
        // It ends by itself, when it has sent what is left.
        io.handle().spawn(async move {
            task.await;
            drop(ended);
        });
        Self {
            name: config.name(),
            sampler: config.sampler,
            spans: Spans::new(config.manner()),
            batch: Vec::new(),
            since: None,
            delay: config.delay,
            line: Some(line),
            counters,
            warner,
            closing,
            done,
        }
    }

    fn send(&mut self) {
        self.since = None;
        if self.batch.is_empty() {
            return;
        }
        let batch = std::mem::replace(&mut self.batch, Vec::with_capacity(BATCH + 16));
        let count = batch.len();
        if let Some(line) = &self.line
            && line.try_send(batch).is_err()
        {
            self.counters.lost.add(count as u64);
            self.warner.warn(format_args!("{count} spans dropped: the collector does not keep up"));
        }
    }
}

impl Sink for Tracer {
    fn name(&self) -> &'static str {
        self.name
    }

    fn wants(&self) -> Wants {
        Wants::TRACES
    }

    fn sampler(&self) -> Option<Sampler> {
        Some(self.sampler)
    }

    fn text_limit(&self) -> usize {
        TEXT
    }

    fn take(&mut self, event: &Event<'_>) {
        if let Event::Statement(statement) = event
            && let Some(trace) = statement.trace.filter(|trace| trace.sampled)
        {
            self.spans.add(statement, trace, &mut self.batch);
            if self.batch.len() >= BATCH {
                self.send();
            }
        }
    }

    fn flush(&mut self) {
        if !self.batch.is_empty() && self.since.get_or_insert_with(Instant::now).elapsed() >= self.delay {
            self.send();
        }
    }

    fn tick(&mut self) {
        self.flush();
    }
}

impl Drop for Tracer {
    fn drop(&mut self) {
        self.send();
        self.closing.store(true, Ordering::Relaxed);
        drop(self.line.take());
        // When the collector is slow the rest is sent behind this, or lost with the process.
        let _ = self.done.recv_timeout(FAREWELL);
    }
}

/// Sends batches, one after the other.
async fn export(
    mut waiting: Receiver<Vec<SpanData>>,
    exporter: Exporter,
    counters: Arc<SinkCounters>,
    warner: Arc<Warner>,
) {
    while let Some(batch) = waiting.recv().await {
        let count = batch.len() as u64;
        match exporter.export(batch).await {
            Ok(()) => {
                counters.records.add(count);
                counters.exports.add(1);
            }
            Err(error) => {
                counters.lost.add(count);
                counters.errors.add(1);
                warner.warn(format_args!("{count} spans lost: {error}"));
            }
        }
    }
}

/// How batches are sent.
#[derive(Debug)]
enum Exporter {
    Jaeger(jaeger::Exporter),
    Otlp(otlp::Exporter),
    SkyWalking(skywalking::Exporter),
    Zipkin(zipkin::Exporter),
}

impl Exporter {
    fn new(
        config: &Config,
        counters: &Arc<SinkCounters>,
        warner: &Arc<Warner>,
        closing: &Arc<AtomicBool>,
    ) -> Self {
        let post = |uri: &http::Uri, kind| {
            let told = (Arc::clone(counters), Arc::clone(warner));
            post::Post::new(
                uri.clone(),
                kind,
                config.headers.clone(),
                config.timeout,
                told,
                Arc::clone(closing),
            )
        };
        match &config.target {
            Target::Jaeger { host, port } => {
                let place = (host.clone(), *port);
                Self::Jaeger(jaeger::Exporter::new(place, &config.service, Arc::clone(counters)))
            }
            Target::Otlp(uri) => Self::Otlp(otlp::Exporter::new(
                post(uri, "application/x-protobuf"),
                &config.service,
                &config.attributes,
            )),
            Target::SkyWalking(uri) => {
                Self::SkyWalking(skywalking::Exporter::new(post(uri, "application/json"), &config.service))
            }
            Target::Zipkin(uri) => {
                Self::Zipkin(zipkin::Exporter::new(post(uri, "application/json"), &config.service))
            }
        }
    }

    async fn export(&self, batch: Vec<SpanData>) -> opentelemetry_sdk::error::OTelSdkResult {
        match self {
            Self::Jaeger(exporter) => exporter.export(batch).await,
            Self::Otlp(exporter) => exporter.export(batch).await,
            Self::SkyWalking(exporter) => exporter.export(batch).await,
            Self::Zipkin(exporter) => exporter.export(batch).await,
        }
    }
}

#[cfg(test)]
mod tests;
