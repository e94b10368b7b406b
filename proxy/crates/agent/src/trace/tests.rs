//! Spans as collectors get them: stand-ins take what is sent over sockets and read it by the collectors' own forms.

mod collector;
mod forms;

use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use observe::record::{Runs, Values, put_run, put_value};
use observe::{Class, Command, Error, Event, Head, Party, Phases, Run, Statement, Trace, Value};

use super::spans::{EXECUTE, PARSE, ROOT};
use super::*;
use crate::counters::SinkCounters;
use collector::{Answer, Collector};

const PARENT: Trace =
    Trace { id: 0x4bf9_2f35_77b3_4da6_a3ce_929d_0e0e_4736, parent: 0x00f0_67aa_0ba9_02b7, sampled: true };
/// In microseconds.
const BEGAN: u64 = 1_700_000_000_000_000;

fn micros(micros: u64) -> Duration {
    Duration::from_micros(micros)
}

/// A statement of two units, `?` bound to 42 and a text, the second refused.
fn told(act: impl FnOnce(&Statement<'_>)) {
    let (mut parameters, mut runs) = (Vec::new(), Vec::new());
    put_value(&mut parameters, Value::Signed(42));
    put_value(&mut parameters, Value::Text("a \"b\"\n".as_bytes()));
    put_value(&mut parameters, Value::Null);
    let run = |unit, port, started, ended, error| Run {
        unit,
        host: "db.example",
        port,
        started: micros(started),
        ended: micros(ended),
        text: b"UPDATE t_0 SET c = ?",
        error,
    };
    put_run(&mut runs, &run("ds_0", 3306, 300, 700, 0));
    put_run(&mut runs, &run("ds_1", 3307, 300, 900, 1062));
    let error = Error { code: 1062, state: *b"23000", party: Party::Server, message: b"Duplicate entry '1'" };
    let head = Head {
        record: (0, 1),
        session: 7,
        user: "root",
        client: "127.0.0.1:5000",
        database: "shop",
        at: UNIX_EPOCH + micros(BEGAN),
        elapsed: micros(1000),
        error: Some(error),
    };
    act(&Statement {
        head,
        command: Command::Query,
        class: Class::Update,
        target: "",
        verb: "update",
        text: "UPDATE t SET c = 'Grüße'".as_bytes(),
        text_length: 25,
        masked: false,
        prepared: None,
        parameters: Values::new(&parameters),
        digest: 0,
        rows_sent: 0,
        rows_affected: 0,
        insert_id: 0,
        warnings: 0,
        bytes_received: 0,
        bytes_sent: 0,
        connections: 2,
        route_units: 2,
        in_transaction: false,
        phases: Phases { parsed: micros(100), ..Phases::default() },
        runs: Runs::new(&runs),
        trace: Some(PARENT),
    });
}

/// The same without an error, of a prepared statement that has no parent.
fn executed(id: u128, act: impl FnOnce(&Statement<'_>)) {
    told(|statement| {
        let mut runs = Vec::new();
        let run = statement.runs.into_iter().next().expect("a run");
        put_run(&mut runs, &run);
        act(&Statement {
            head: Head { error: None, ..statement.head },
            command: Command::Execute,
            runs: Runs::new(&runs),
            trace: Some(Trace { id, parent: 0, sampled: true }),
            ..*statement
        });
    });
}

fn config(text: &str, port: u16) -> Config {
    let text = text.replace("PORT", &port.to_string());
    let text = format!("plugins:\n  tracing:\n    {text}\n");
    let mut read = crate::Config::parse(&text, Path::new("agent.yaml")).expect("a configuration").tracing;
    read.remove(0)
}

struct Bench {
    // Dropped first, so that it sends what is left.
    tracer: Tracer,
    counters: Arc<SinkCounters>,
    io: Io,
}

impl Bench {
    fn new(text: &str, port: u16) -> Self {
        let counters = Arc::new(SinkCounters::new("trace"));
        let io = Io::start().expect("a thread");
        let tracer = Tracer::start(&config(text, port), &io, Arc::clone(&counters));
        Self { tracer, counters, io }
    }

    /// Two statements, sent at once.
    fn send(&mut self) {
        told(|statement| self.tracer.take(&Event::Statement(*statement)));
        executed(9, |statement| self.tracer.take(&Event::Statement(*statement)));
        self.tracer.send();
    }

    /// Waits until as many records have been taken.
    fn wait(&self, what: impl Fn(&SinkCounters) -> bool) {
        let deadline = Instant::now() + Duration::from_secs(60);
        while !what(&self.counters) {
            assert!(Instant::now() < deadline, "{:?}", self.counters);
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

const ZIPKIN: &str = "Zipkin: { host: 127.0.0.1, port: PORT, props: { service-name: \"my shop\" } }";

#[test]
fn a_collector_that_is_down_gets_everything_once_it_is_up() {
    let (port, reserved) = collector::reserved();
    let mut bench = Bench::new(ZIPKIN, port);
    bench.send();
    bench.wait(|counters| counters.errors.get() >= 2);
    assert_eq!(bench.counters.lost.get(), 0);
    let collector = Collector::on(reserved, vec![Answer::Status(202)]);
    bench.wait(|counters| counters.records.get() == 6);
    assert_eq!(collector.bodies().len(), 1);
}

#[test]
fn what_is_refused_for_now_is_sent_again_and_what_is_refused_is_lost() {
    let collector = Collector::start(vec![
        Answer::Status(503),
        Answer::Garbage,
        Answer::Close,
        Answer::Status(200),
        Answer::Status(400),
        Answer::Status(202),
    ]);
    let mut bench = Bench::new(ZIPKIN, collector.port);
    bench.send();
    bench.wait(|counters| counters.records.get() == 6);
    assert_eq!((bench.counters.errors.get(), bench.counters.exports.get()), (3, 1));
    bench.send();
    bench.wait(|counters| counters.lost.get() == 6);
    bench.send();
    bench.wait(|counters| counters.records.get() == 12);
    let bodies = collector.bodies();
    assert_eq!(bodies.len(), 6);
    assert!(bodies[..4].iter().all(|body| *body == bodies[0]), "the same again");
}

#[test]
fn more_than_may_wait_for_a_slow_collector_is_dropped_and_counted() {
    let collector = Collector::start(vec![Answer::Never]);
    let mut bench = Bench::new(ZIPKIN, collector.port);
    let statements = (WAITING + 10) * BATCH / 2;
    for id in 1..=statements as u128 {
        executed(id, |statement| bench.tracer.take(&Event::Statement(*statement)));
    }
    bench.tracer.send();
    let lost = bench.counters.lost.get();
    // One batch is under way, and the rest waits.
    assert!(lost >= 9 * BATCH as u64 && lost <= 10 * BATCH as u64, "{lost}");
    assert_eq!(bench.counters.records.get(), 0);
}

#[test]
fn what_waits_is_sent_at_the_end() {
    let collector = Collector::start(vec![Answer::Status(202)]);
    let mut bench = Bench::new(ZIPKIN, collector.port);
    executed(5, |statement| bench.tracer.take(&Event::Statement(*statement)));
    bench.tracer.flush();
    let Bench { tracer, counters, io } = bench;
    drop(tracer);
    assert_eq!(counters.records.get(), 2);
    drop(io);
    assert_eq!(collector.bodies().len(), 1);
}

#[test]
fn what_is_not_sampled_is_left_alone() {
    let (port, _reserved) = collector::reserved();
    let mut bench = Bench::new(ZIPKIN, port);
    told(|statement| {
        for trace in [None, Some(Trace { sampled: false, ..PARENT })] {
            bench.tracer.take(&Event::Statement(Statement { trace, ..*statement }));
        }
    });
    assert!(bench.tracer.batch.is_empty());
    assert_eq!((bench.tracer.wants(), bench.tracer.name()), (Wants::TRACES, "zipkin"));
    let began: SystemTime = UNIX_EPOCH + micros(BEGAN);
    told(|statement| assert_eq!(statement.head.at, began));
}
