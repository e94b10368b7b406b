//! Figures as the families of samples that Prometheus reads.

use std::collections::{BTreeMap, HashMap};
use std::marker::PhantomData;
use std::sync::Arc;

use observe::{Class, Counts, Named, Times};
use prometheus::Registry;
use prometheus::core::{Collector, Desc};
use prometheus::proto::{self, MetricFamily, MetricType};

use super::figures::{Figures, Source, Unit};
use super::names::{self, METRICS, Metric, Type};
use super::process::Process;
use crate::counters::SinkCounters;

/// All figures of a source in the text format 0.0.4, whenever they are asked for.
pub struct Exposition<S> {
    registry: Registry,
    source: PhantomData<Arc<S>>,
}

impl<S: Source> Exposition<S> {
    /// Of a source; with figures of the process, too, or without.
    ///
    /// # Panics
    /// When a metric is called as none may be, which tests would have told.
    pub fn new(source: &Arc<S>, process: bool) -> Self {
        let registry = Registry::new();
        let describe = |metric: &Metric| {
            let labels = metric.labels.iter().map(|label| (*label).to_owned()).collect();
            Desc::new(metric.name.to_owned(), metric.help.to_owned(), labels, HashMap::default())
        };
        let descriptions = METRICS.iter().map(describe).collect::<prometheus::Result<_>>();
        let figured =
            descriptions.map(|descriptions| Figured { source: Arc::clone(source), process, descriptions });
        figured
            .and_then(|figured| registry.register(Box::new(figured)))
            .expect("names and labels of metrics are in order");
        Self { registry, source: PhantomData }
    }

    /// Of this moment.
    ///
    /// # Errors
    /// None that is known.
    pub fn text(&self) -> Result<String, String> {
        let families = self.registry.gather();
        prometheus::TextEncoder::new().encode_to_string(&families).map_err(|error| error.to_string())
    }
}

/// Gives all figures of a source when it is asked.
struct Figured<S> {
    source: Arc<S>,
    process: bool,
    descriptions: Vec<Desc>,
}

impl<S: Source> Collector for Figured<S> {
    fn desc(&self) -> Vec<&Desc> {
        self.descriptions.iter().collect()
    }

    fn collect(&self) -> Vec<MetricFamily> {
        let mut samples = Samples::default();
        let figures = self.source.figures();
        samples.put_upstream(&figures);
        samples.put_workers(&figures);
        samples.put_units(&figures);
        samples.put_logs(&figures);
        if self.process {
            samples.put_process(&Process::now());
        }
        samples.into_families()
    }
}

/// Samples by their metrics.
#[derive(Default)]
struct Samples(BTreeMap<&'static str, (Metric, Vec<proto::Metric>)>);

/// Classes of statements, and what upstream calls their counts.
const PARSED: [(Class, Metric); 11] = [
    (Class::Select, names::PARSE_SELECT),
    (Class::Insert, names::PARSE_INSERT),
    (Class::Update, names::PARSE_UPDATE),
    (Class::Delete, names::PARSE_DELETE),
    (Class::Ddl, names::PARSE_DDL),
    (Class::Dcl, names::PARSE_DCL),
    (Class::Dal, names::PARSE_DAL),
    (Class::Tcl, names::PARSE_TCL),
    (Class::Rql, names::PARSE_RQL),
    (Class::Rdl, names::PARSE_RDL),
    (Class::Ral, names::PARSE_RAL),
];

const ROUTED: [(Class, Metric); 4] = [
    (Class::Select, names::ROUTE_SELECT),
    (Class::Insert, names::ROUTE_INSERT),
    (Class::Update, names::ROUTE_UPDATE),
    (Class::Delete, names::ROUTE_DELETE),
];

/// Buckets of [`Times`] at which the upstream histogram begins and ends: 1 ms and 4096 ms.
const MILLIS: std::ops::RangeInclusive<usize> = 4..=16;

impl Samples {
    fn put(&mut self, metric: Metric, labels: &[&str], set: impl FnOnce(&mut proto::Metric)) {
        let pairs = metric.labels.iter().zip(labels).map(|(name, value)| {
            let mut pair = proto::LabelPair::default();
            pair.set_name((*name).to_owned());
            pair.set_value((*value).to_owned());
            pair
        });
        let mut sample = proto::Metric::from_label(pairs.collect());
        set(&mut sample);
        self.0.entry(metric.name).or_insert_with(|| (metric, Vec::new())).1.push(sample);
    }

    /// A number with the values of the metric's labels.
    #[expect(clippy::cast_precision_loss, reason = "exact up to 2^53, as Prometheus keeps numbers")]
    fn number(&mut self, metric: Metric, labels: &[&str], value: u64) {
        self.float(metric, labels, value as f64);
    }

    fn float(&mut self, metric: Metric, labels: &[&str], value: f64) {
        self.put(metric, labels, |sample| match metric.kind {
            Type::Counter => {
                let mut counter = proto::Counter::default();
                counter.set_value(value);
                sample.set_counter(counter);
            }
            Type::Gauge | Type::Histogram => {
                let mut gauge = proto::Gauge::default();
                gauge.set_value(value);
                sample.set_gauge(gauge);
            }
        });
    }

    /// Counts by size: each bucket's bound with how many were in it alone, and how many were beyond all.
    fn histogram(
        &mut self,
        metric: Metric,
        labels: &[&str],
        buckets: impl Iterator<Item = (f64, u64)>,
        beyond: u64,
        sum: f64,
    ) {
        let mut count = 0;
        let buckets = buckets.map(|(bound, more)| {
            count += more;
            let mut bucket = proto::Bucket::default();
            bucket.set_upper_bound(bound);
            bucket.set_cumulative_count(count);
            bucket
        });
        let mut histogram = proto::Histogram::default();
        histogram.set_bucket(buckets.collect());
        histogram.set_sample_count(count + beyond);
        histogram.set_sample_sum(sum);
        self.put(metric, labels, |sample| sample.set_histogram(histogram));
    }

    fn into_families(self) -> Vec<MetricFamily> {
        let family = |(metric, samples): (Metric, Vec<proto::Metric>)| {
            let mut family = MetricFamily::default();
            family.set_name(metric.name.to_owned());
            family.set_help(metric.help.to_owned());
            family.set_field_type(match metric.kind {
                Type::Counter => MetricType::COUNTER,
                Type::Gauge => MetricType::GAUGE,
                Type::Histogram => MetricType::HISTOGRAM,
            });
            family.set_metric(samples);
            family
        };
        self.0.into_values().map(family).collect()
    }

    fn put_upstream(&mut self, figures: &Figures) {
        let all = |of: fn(&Counts) -> u64| figures.workers.iter().map(|counts| of(counts)).sum::<u64>();
        let requests = all(|counts| counts.requests.get());
        self.number(names::PROXY_REQUEST, &[], requests);
        self.number(names::PROXY_REQUESTS, &[], requests);
        let sessions = all(|counts| counts.sessions.get());
        self.number(names::PROXY_CONNECTION, &[], sessions);
        self.number(names::CURRENT_CONNECTIONS, &[], sessions);
        let errors = summed(figures, |counts| counts.errors.all()).into_values().sum();
        self.number(names::EXECUTE_ERROR, &[], errors);
        self.number(names::EXECUTE_ERRORS, &[], errors);
        let (commits, rollbacks) = (all(|counts| counts.commits.get()), all(|counts| counts.rollbacks.get()));
        self.number(names::TRANSACTION_COMMIT, &[], commits);
        self.number(names::TRANSACTION_ROLLBACK, &[], rollbacks);
        self.number(names::PROXY_TRANSACTIONS, &["commit"], commits);
        self.number(names::PROXY_TRANSACTIONS, &["rollback"], rollbacks);
        self.put_durations(figures);
        let of = |class: Class, of: fn(&Counts) -> &observe::ByClass| {
            figures.workers.iter().map(|counts| of(counts).of(class).get()).sum()
        };
        for (class, metric) in PARSED {
            let parsed = of(class, |counts| &counts.parsed);
            self.number(metric, &[], parsed);
            self.number(names::PARSED_SQL, &[class.name()], parsed);
        }
        self.number(names::PARSED_SQL, &[Class::Rul.name()], of(Class::Rul, |counts| &counts.parsed));
        for (class, metric) in ROUTED {
            let routed = of(class, |counts| &counts.routed);
            self.number(metric, &[], routed);
            self.number(names::ROUTED_SQL, &[class.name()], routed);
        }
        let mut units = BTreeMap::<_, u64>::new();
        for (name, count) in summed(figures, |counts| counts.units.all()) {
            self.number(names::ROUTE_UNITS, &[&name.database, &name.unit], count);
            *units.entry(name.unit).or_default() += count;
        }
        for (name, count) in units {
            self.number(names::ROUTE_DATASOURCE, &[&name], count);
            self.number(names::ROUTED_RESULT, &["data_source", &name], count);
        }
        for (name, count) in summed(figures, |counts| counts.tables.all()) {
            self.number(names::ROUTE_TABLE, &[&name], count);
            self.number(names::ROUTED_RESULT, &["table", &name], count);
        }
        self.number(names::PROXY_INFO, &["state"], 0);
        self.number(names::PROXY_STATE, &[], 0);
        self.number(names::BUILD_INFO, &["Weir", figures.version], 1);
        self.number(names::META_DATA_INFO, &["schema_count"], figures.databases);
        self.number(names::META_DATA_INFO, &["database_count"], figures.physical_databases);
        self.number(names::PROXY_META_DATA, &["database_count"], figures.databases);
        self.number(names::PROXY_META_DATA, &["storage_unit_count"], figures.units.len() as u64);
    }

    fn put_durations(&mut self, figures: &Figures) {
        let (mut buckets, mut sum) = (<[u64; 20]>::default(), 0.0);
        for counts in &figures.workers {
            let (more, took) = counts.times.get();
            buckets.iter_mut().zip(more).for_each(|(bucket, more)| *bucket += more);
            sum += took.as_secs_f64();
        }
        let bounds: Vec<_> = Times::bounds().map(|bound| bound.as_secs_f64()).collect();
        let beyond = buckets.last().copied().unwrap_or(0);
        let seconds = bounds.iter().copied().zip(buckets);
        self.histogram(names::DURATION, &[], seconds, beyond, sum);
        let below: u64 = buckets.iter().take(*MILLIS.start()).sum();
        let beyond = buckets.iter().skip(MILLIS.end() + 1).sum();
        let millis = MILLIS.map(|at| {
            let first = if at == *MILLIS.start() { below } else { 0 };
            (bounds[at] * 1000.0, buckets[at] + first)
        });
        self.histogram(names::EXECUTE_LATENCY, &[], millis, beyond, sum * 1000.0);
    }

    fn put_workers(&mut self, figures: &Figures) {
        for (number, counts) in figures.workers.iter().enumerate() {
            let worker = number.to_string();
            let each = [
                (names::SESSIONS, &counts.sessions),
                (names::CLIENT_RECEIVED, &counts.received),
                (names::CLIENT_SENT, &counts.sent),
                (names::ROWS_SENT, &counts.rows_sent),
                (names::ROWS_AFFECTED, &counts.rows_affected),
                (names::CACHE_HITS, &counts.cache_hits),
                (names::CACHE_MISSES, &counts.cache_misses),
                (names::PREPARED, &counts.prepared),
            ];
            for (metric, count) in each {
                self.number(metric, &[&worker], count.get());
            }
            for (command, count) in counts.commands.all() {
                self.number(names::COMMANDS, &[&worker, command.name()], count);
            }
            for (class, count) in counts.statements.all() {
                self.number(names::STATEMENTS, &[&worker, class.name()], count);
            }
        }
        let all = |of: fn(&Counts) -> u64| figures.workers.iter().map(|counts| of(counts)).sum::<u64>();
        self.number(names::LOGINS, &["ok"], all(|counts| counts.logins.get()));
        self.number(names::LOGINS, &["refused"], all(|counts| counts.refused.get()));
        for ((party, code), count) in summed(figures, |counts| counts.errors.all()) {
            self.number(names::ERRORS, &[party.name(), &code.to_string()], count);
        }
        self.number(names::DRAINING, &[], figures.draining.into());
    }

    fn put_units(&mut self, figures: &Figures) {
        for unit in &figures.units {
            let labels = [unit.database.as_str(), unit.name.as_str()];
            let each = [
                (names::UNIT_UP, unit.up.into()),
                (names::WAITING, unit.waiting),
                (names::ACTIVE_LIMIT, unit.active_limit),
                (names::LIMIT, unit.limit),
                (names::TIMEOUTS, unit.given_up),
                (names::OPENED, unit.opened),
                (names::CLOSED, unit.closed),
                (names::FAILED, unit.failed),
                (names::UNIT_RECEIVED, unit.received),
                (names::UNIT_SENT, unit.sent),
            ];
            for (metric, value) in each {
                self.number(metric, &labels, value);
            }
            for (state, count) in [("active", unit.active), ("idle", unit.idle)] {
                self.number(names::CONNECTIONS, &[labels[0], labels[1], state], count);
            }
            self.put_waits(unit, &labels);
        }
    }

    fn put_waits(&mut self, unit: &Unit, labels: &[&str]) {
        let (beyond, bounded) = unit.waits.split_last().map_or((0, &[][..]), |(last, rest)| (*last, rest));
        let bounds = std::iter::successors(Some(1e-6), |bound| Some(bound * 2.0));
        let buckets = bounds.zip(bounded.iter().copied());
        self.histogram(names::WAIT, labels, buckets, beyond, unit.waited.as_secs_f64());
    }

    fn put_logs(&mut self, figures: &Figures) {
        self.number(names::LOG_RECORDS, &[], figures.flow.records);
        self.number(names::LOG_BYTES, &[], figures.flow.bytes);
        self.number(names::LOG_DROPPED, &[], figures.flow.dropped);
        self.number(names::LOG_WAITS, &[], figures.flow.waits);
        for sink in &figures.sinks {
            let sink: &SinkCounters = sink;
            let each = [
                (names::SINK_RECORDS, &sink.records),
                (names::SINK_BYTES, &sink.bytes),
                (names::SINK_LOST, &sink.lost),
                (names::SINK_ERRORS, &sink.errors),
                (names::SINK_ROTATIONS, &sink.rotations),
                (names::SINK_EXPORTS, &sink.exports),
            ];
            for (metric, count) in each {
                self.number(metric, &[sink.name()], count.get());
            }
        }
    }

    fn put_process(&mut self, process: &Process) {
        self.float(names::PROCESS_CPU, &[], process.cpu_seconds);
        let memory = process.memory;
        let each = [
            (names::PROCESS_OPEN_FDS, process.open_fds),
            (names::PROCESS_MAX_FDS, process.max_fds),
            (names::PROCESS_VIRTUAL, memory.map(|(of_virtual, ..)| of_virtual)),
            (names::PROCESS_RESIDENT, memory.map(|(_, resident, _)| resident)),
            (names::PROCESS_THREADS, memory.map(|(.., threads)| threads)),
        ];
        for (metric, value) in each {
            if let Some(value) = value {
                self.number(metric, &[], value);
            }
        }
        if let Some(started) = process.started {
            self.float(names::PROCESS_START, &[], started);
        }
    }
}

/// Counts by name over all workers, in the order of the names.
fn summed<K: Named + Ord>(figures: &Figures, all: fn(&Counts) -> Vec<(K, u64)>) -> BTreeMap<K, u64> {
    let mut sums = BTreeMap::new();
    for (name, count) in figures.workers.iter().flat_map(|counts| all(counts)) {
        *sums.entry(name).or_default() += count;
    }
    sums
}
