//! What is counted: each case does the same thing over and over.

use std::future::Future;
use std::hint::black_box;
use std::io;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use anyhow::{Context as _, Result, bail};
use bytes::{BufMut, BytesMut};
use exec::merge::{Field, Format, Merging, Row, Shape};
use exec::relay::{Upstream, View, relay};
use exec::{Dialect, Downstream, Watch};
use meta::{AlgorithmSpec, Otherwise, ShardingTableSpec, Snapshot, Table, TableColumn, UnitSpec};
use plan::{Cache, Call, Kept, Position, Renames, Rows, SortKey, Template};
use sql::{Fingerprint, Fingerprinter, Mode};
use wire::caps::{Capabilities, Status};
use wire::column::{Column, ColumnType};
use wire::frame::put_with;
use wire::reply;
use wire::reply::put_end;
use wire::scan::Expect;

/// All cases.
pub(crate) const NAMES: [&str; 10] = [
    "audit_record",
    "audit_told",
    "bind",
    "cache_hit",
    "fingerprint",
    "row_merge",
    "row_relay",
    "trace_left",
    "trace_otlp",
    "trace_zipkin",
];

/// A statement as applications send it.
const TEXT: &str = "SELECT c FROM sbtest1 WHERE id = 5024";

/// Rows of one answer; the counts of the row cases are for all of them together.
const ANSWER: usize = 100;

/// Nodes whose rows are merged.
const STREAMS: usize = 4;

/// Does one case so many times.
pub(crate) fn run(case: &str, rounds: u64) -> Result<()> {
    match case {
        "audit_record" => audit_record(rounds),
        "audit_told" => audit_told(rounds),
        "bind" => bind(rounds),
        "cache_hit" => cache_hit(rounds),
        "fingerprint" => fingerprint(rounds),
        "row_merge" => row_merge(rounds),
        "row_relay" => row_relay(rounds),
        "trace_left" => trace_left(rounds),
        "trace_otlp" => traced(
            "OpenTelemetry: { props: { otel-exporter-otlp-endpoint: \"http://127.0.0.1:1\" } }",
            rounds,
        ),
        "trace_zipkin" => traced("Zipkin: { host: 127.0.0.1, port: 1 }", rounds),
        _ => bail!("no case is called {case}"),
    }
}

/// An event as a worker writes it down.
fn audit_told(rounds: u64) -> Result<()> {
    let mut out = Vec::new();
    for _ in 0..rounds {
        out.clear();
        observe::record::write(black_box(&executed(&[], &[])), &mut out);
        black_box(&out);
    }
    Ok(())
}

/// The record that the audit log makes of an event, read and written.
fn audit_record(rounds: u64) -> Result<()> {
    let (mut parameters, mut runs, mut told) = (Vec::new(), Vec::new(), Vec::new());
    observe::record::put_value(&mut parameters, observe::Value::Signed(5024));
    let (started, ended) = (Duration::ZERO, Duration::from_micros(90));
    let run =
        observe::Run { unit: "ds_0", host: "127.0.0.1", port: 3306, started, ended, text: b"", error: 0 };
    observe::record::put_run(&mut runs, &run);
    observe::record::write(&executed(&parameters, &runs), &mut told);
    let config = agent::AuditConfig::default().with([("enabled", "true"), ("file", "/dev/null")])?;
    let counters = agent::Counters::default();
    let mut log = agent::AuditLog::new(&config, "/".as_ref(), SystemTime::UNIX_EPOCH, &counters);
    for _ in 0..rounds {
        if let Some(event) = observe::record::read(&mut black_box(told.as_slice())) {
            agent::Sink::take(&mut log, &event);
        }
    }
    agent::Sink::flush(&mut log);
    Ok(())
}

/// The decision about a statement that is not sampled.
fn trace_left(rounds: u64) -> Result<()> {
    let hub = observe::Hub::new(observe::Capacity::default());
    hub.sample(observe::Sampler { rule: observe::Rule::Counted(1), parental: true });
    let outlet = hub.outlet();
    for _ in 0..rounds {
        let parent = observe::Trace::of_comment(black_box(TEXT.as_bytes()));
        black_box(outlet.trace(parent));
    }
    Ok(())
}

/// The spans of a statement on one unit, made of its record and written for a collector that is down.
fn traced(plugin: &str, rounds: u64) -> Result<()> {
    let (mut parameters, mut runs, mut told) = (Vec::new(), Vec::new(), Vec::new());
    observe::record::put_value(&mut parameters, observe::Value::Signed(5024));
    let (started, ended) = (Duration::from_micros(10), Duration::from_micros(90));
    let text = b"SELECT c FROM sbtest1_3 WHERE id=?";
    let run = observe::Run { unit: "ds_0", host: "127.0.0.1", port: 3306, started, ended, text, error: 0 };
    observe::record::put_run(&mut runs, &run);
    let trace = Some(observe::Trace { id: 77, parent: 0, sampled: true });
    if let observe::Event::Statement(statement) = executed(&parameters, &runs) {
        observe::record::write(
            &observe::Event::Statement(observe::Statement { trace, ..statement }),
            &mut told,
        );
    }
    let text = format!("plugins:\n  tracing:\n    {plugin}\n");
    let config = agent::Config::parse(&text, "agent.yaml".as_ref())?;
    let io = agent::io::Io::start()?;
    let counters = Arc::new(agent::SinkCounters::new("trace"));
    let mut tracer = agent::trace::Tracer::start(&config.tracing[0], &io, counters);
    for _ in 0..rounds {
        if let Some(event) = observe::record::read(&mut black_box(told.as_slice())) {
            agent::Sink::take(&mut tracer, &event);
        }
    }
    Ok(())
}

/// A point select by a prepared statement.
fn executed<'a>(parameters: &'a [u8], runs: &'a [u8]) -> observe::Event<'a> {
    observe::Event::Statement(observe::Statement {
        head: observe::Head {
            record: (1, 77),
            session: 42,
            user: "test",
            client: "127.0.0.1:40112",
            database: "audit_db",
            at: SystemTime::UNIX_EPOCH + Duration::from_secs(1_764_554_602),
            elapsed: Duration::from_micros(140),
            error: None,
        },
        command: observe::Command::Execute,
        class: observe::Class::Select,
        target: "",
        verb: "select",
        text: b"SELECT c FROM sbtest1 WHERE id=?",
        text_length: 32,
        masked: false,
        prepared: Some(3),
        parameters: observe::record::Values::new(parameters),
        digest: 0x1234_5678_9abc_def0,
        rows_sent: 1,
        rows_affected: 0,
        insert_id: 0,
        warnings: 0,
        bytes_received: 20,
        bytes_sent: 250,
        route_units: 1,
        in_transaction: false,
        connections: 1,
        phases: observe::Phases::default(),
        runs: observe::record::Runs::new(runs),
        trace: None,
    })
}

fn fingerprint(rounds: u64) -> Result<()> {
    let reader = Fingerprinter::fixed();
    for _ in 0..rounds {
        black_box(reader.fingerprint(black_box(TEXT), Mode::default())?);
    }
    Ok(())
}

fn cache_hit(rounds: u64) -> Result<()> {
    let snapshot = snapshot()?;
    let mut cache = Cache::new(1 << 20, Arc::default());
    let read = read(TEXT)?;
    for _ in 0..rounds {
        let found =
            cache.template(black_box(TEXT), &read, Mode::default(), &snapshot, Some("db"), Kept::Alike)?;
        black_box(found);
    }
    Ok(())
}

/// From values to the node and the text for it.
fn bind(rounds: u64) -> Result<()> {
    let snapshot = snapshot()?;
    let read = read(TEXT)?;
    let template = Template::draft(TEXT, &read, Mode::default(), &snapshot, Some("db"))?;
    let mut out = BytesMut::with_capacity(1024);
    for _ in 0..rounds {
        let call = Call {
            text: black_box(TEXT),
            raw: TEXT.as_bytes(),
            slots: &read.slots,
            params: None,
            ..Call::default()
        };
        let plan = template.bind(&call)?;
        out.clear();
        template.render(&call, plan.units.first().context("no unit")?, &mut out);
        black_box(&out);
    }
    Ok(())
}

/// An answer of [`ANSWER`] rows handed to the client.
fn row_relay(rounds: u64) -> Result<()> {
    let answer = answer();
    let renames = Renames::default();
    let view = View::of(Expect::Results, &renames);
    let mut server = Server { bytes: answer, input: BytesMut::new(), status: Status::AUTOCOMMIT };
    let mut client = Client { output: BytesMut::with_capacity(1 << 16), sequence: 1 };
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    runtime.block_on(async {
        for _ in 0..rounds {
            client.output.clear();
            client.sequence = 1;
            let ending = relay(&mut server, &mut client, &view).await?;
            black_box(ending);
        }
        anyhow::Ok(())
    })
}

/// [`STREAMS`] sorted streams of together [`ANSWER`] rows made one.
fn row_merge(rounds: u64) -> Result<()> {
    let column = |name: &'static str, kind| Field::of(&Column::new(name, kind), Format::Text);
    let fields = vec![column("id", ColumnType::LONG), column("c", ColumnType::VAR_STRING)];
    let shape = Shape { format: Format::Text, fields, derived: 0 };
    let order = vec![SortKey { value: Position::Visible(0), weight: None, descending: false }];
    let rows = Rows { order, ..Rows::default() };
    let payloads: Vec<BytesMut> = (0..ANSWER).map(payload).collect();
    let mut out = BytesMut::with_capacity(1 << 16);
    for _ in 0..rounds {
        let mut merging = Merging::new(&rows, shape.clone(), STREAMS, 1 << 20)?;
        let mut sequence = 0;
        out.clear();
        let mut next = [0, 1, 2, 3];
        let mut read = |stream: usize, merging: &mut Merging| -> Result<()> {
            if let Some(payload) = payloads.get(next[stream]) {
                next[stream] += STREAMS;
                merging.push(stream, Row::read(payload.clone(), &shape)?);
            }
            Ok(())
        };
        for stream in 0..STREAMS {
            read(stream, &mut merging)?;
        }
        while let Some((stream, row)) = merging.pop() {
            if let Some(row) = merging.feed(row)? {
                merging.put(&row, &mut out, &mut sequence);
            }
            read(stream, &mut merging)?;
        }
        black_box(&out);
    }
    Ok(())
}

fn read(text: &str) -> Result<Fingerprint> {
    Ok(Fingerprinter::fixed().fingerprint(text, Mode::default())?)
}

/// `sbtest1`, sharded by `id` over two units.
fn snapshot() -> Result<Snapshot> {
    let unit = |port| UnitSpec {
        host: "127.0.0.1".to_owned(),
        port,
        database: "db".to_owned(),
        user: "test".to_owned(),
        password: String::new(),
        tls: Default::default(),
        pool: Default::default(),
        other: Default::default(),
    };
    let rule = ShardingTableSpec::auto(
        "sbtest1".to_owned(),
        vec!["ds_0".to_owned(), "ds_1".to_owned()],
        "id".to_owned(),
        AlgorithmSpec {
            kind: "MOD".to_owned(),
            properties: [("sharding-count".to_owned(), "10".to_owned())].into_iter().collect(),
        },
    );
    let column = |name: &str, data_type: &str| TableColumn {
        name: name.to_owned(),
        data_type: data_type.to_owned(),
        collation: None,
        auto_increment: false,
        unsigned: false,
        limit: None,
    };
    let columns = vec![column("id", "int"), column("k", "int"), column("c", "char"), column("pad", "char")];
    let table = Table { name: "sbtest1".to_owned(), source: None, columns };
    let units = vec![("ds_0".to_owned(), unit(3306)), ("ds_1".to_owned(), unit(3307))];
    let snapshot = Snapshot::default().create_database("db", Otherwise::Fail)?;
    let snapshot = snapshot.register_units("db", units, Otherwise::Fail)?;
    let snapshot = snapshot.create_sharding("db", vec![rule], Otherwise::Fail)?;
    Ok(snapshot.learn_tables("db", vec![table])?)
}

/// A row of sysbench's shape: a number and 120 letters.
fn payload(number: usize) -> BytesMut {
    let mut row = BytesMut::new();
    let id = number.to_string();
    for value in [id.as_bytes(), &[b'x'; 120]] {
        row.put_u8(u8::try_from(value.len()).unwrap_or(u8::MAX));
        row.extend_from_slice(value);
    }
    row
}

/// The bytes of an answer with [`ANSWER`] rows.
fn answer() -> BytesMut {
    let (mut out, mut sequence) = (BytesMut::new(), 1);
    put_with(&mut out, &mut sequence, |out| out.put_u8(2));
    put_with(&mut out, &mut sequence, |out| Column::new("id", ColumnType::LONG).encode(out));
    put_with(&mut out, &mut sequence, |out| Column::new("c", ColumnType::VAR_STRING).encode(out));
    for number in 0..ANSWER {
        wire::frame::put(&mut out, &mut sequence, &payload(number));
    }
    let end = reply::Ok { status: Status::AUTOCOMMIT, ..reply::Ok::default() };
    put_with(&mut out, &mut sequence, |out| put_end(out, &end, Capabilities::DEPRECATE_EOF));
    out
}

/// A server that gives the same answer again and again.
struct Server {
    bytes: BytesMut,
    input: BytesMut,
    status: Status,
}

impl Upstream for Server {
    fn input(&mut self) -> &mut BytesMut {
        &mut self.input
    }

    fn fill(&mut self) -> impl Future<Output = Result<usize, backend::Error>> {
        self.input.extend_from_slice(&self.bytes);
        std::future::ready(Ok(self.bytes.len()))
    }

    fn broken(&mut self, source: wire::Error) -> backend::Error {
        let origin = backend::Origin { unit: "ds_0".to_owned(), address: "127.0.0.1:3306".to_owned() };
        backend::Error::Protocol { origin: origin.into(), source }
    }

    async fn send(&mut self, _: &[u8]) -> Result<bool, backend::Error> {
        Ok(true)
    }

    fn refused(&mut self, refusal: backend::Refusal) -> backend::Error {
        let origin = backend::Origin { unit: "ds_0".to_owned(), address: "127.0.0.1:3306".to_owned() };
        backend::Error::Refused { origin: origin.into(), refusal }
    }

    fn poison(&mut self) {}

    fn track(&mut self, _: Box<backend::Tracked>) {}

    fn note(&mut self, status: Status) {
        self.status = status;
    }

    fn status(&self) -> Status {
        self.status
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities::PROTOCOL_41 | Capabilities::DEPRECATE_EOF
    }
}

/// A client that takes everything at once.
struct Client {
    output: BytesMut,
    sequence: u8,
}

impl Downstream for Client {
    fn output(&mut self) -> (&mut BytesMut, &mut u8) {
        (&mut self.output, &mut self.sequence)
    }

    async fn flush(&mut self) -> io::Result<()> {
        self.output.clear();
        Ok(())
    }

    fn sends_files(&self) -> bool {
        false
    }

    fn input(&mut self) -> &mut BytesMut {
        &mut self.output
    }

    async fn fill(&mut self) -> io::Result<usize> {
        Ok(0)
    }

    fn dialect(&self) -> Dialect {
        Dialect { deprecate_eof: true, session_track: false, more: false }
    }

    fn watch(&self) -> impl Watch + use<> {}
}
