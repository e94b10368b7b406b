//! A world for tests: scripted servers on loopback, a database sharded over them, and a client that keeps its answers.

mod peer;

use std::cell::Cell;
use std::io;
use std::rc::Rc;
use std::sync::Arc;
use std::task::Context;

use backend::{Hub, Pools};
use bytes::BytesMut;
use meta::{
    AlgorithmSpec, Cipher, Database, DatabaseSpec, EncryptColumn, EncryptTable, EncryptTableSpec, PoolSpec,
    ShardingTableSpec, Snapshot, StorageUnit, Table, TableColumn, TlsMode, UnitSpec,
};
use plan::{Call, Template};
use sql::{Fingerprinter, Mode};
use wire::execute::Params;
use wire::frame::{self, HEADER};
use wire::reply;

pub(crate) use peer::{Answer, Peer};

use crate::{Absence, Command, Dialect, Downstream, Error, Executor, Job, Limits, Outcome, Watch};

/// Servers `ds_0` and `ds_1` with the databases `shop_0` and `shop_1`; `t` sharded by `id % 4`, shard *i* on server *i % 2*.
pub(crate) struct World {
    pub(crate) peers: Vec<Peer>,
    pub(crate) executor: Executor,
    pub(crate) client: Client,
    pub(crate) database: Arc<Database>,
    snapshot: Snapshot,
}

impl World {
    pub(crate) fn new(answer: impl Fn(&str) -> Answer + Send + Sync + 'static) -> Self {
        Self::limited(answer, Limits::default())
    }

    pub(crate) fn limited(answer: impl Fn(&str) -> Answer + Send + Sync + 'static, limits: Limits) -> Self {
        let answer: peer::Answers = Arc::new(answer);
        let peers: Vec<Peer> = (0..2).map(|_| Peer::start(Arc::clone(&answer))).collect();
        let snapshot = snapshot(&peers);
        let database = Arc::clone(snapshot.database("shop").unwrap());
        let executor = Executor::new(Pools::new(Hub::new()), false, limits);
        Self { peers, executor, client: Client::default(), database, snapshot }
    }

    /// Gives every unit no more than `max` connections.
    pub(crate) fn narrow(&mut self, max: u32) {
        let mut database = Database::clone(&self.database);
        for unit in database.units.values_mut() {
            let mut narrow = StorageUnit::clone(unit);
            narrow.spec.pool.max = max;
            *unit = Arc::new(narrow);
        }
        self.database = Arc::new(database);
        self.snapshot.databases.insert("shop".to_owned(), Arc::clone(&self.database));
    }

    /// Encrypts the column `name` of `t` with AES, under the key of the specification's vectors.
    pub(crate) fn encrypt(&mut self) {
        let properties = [("aes-key-value".to_owned(), "123456abc".to_owned())].into_iter().collect();
        let spec = AlgorithmSpec { kind: "AES".to_owned(), properties };
        let column = EncryptColumn {
            name: "name".to_owned(),
            cipher: "name_cipher".to_owned(),
            assisted: None,
            like: None,
            plain: None,
            encryptor: Arc::new(Cipher::parse(&spec).unwrap()),
            assisted_algorithm: None,
            like_algorithm: None,
        };
        let spec = EncryptTableSpec { name: "t".to_owned(), ..EncryptTableSpec::default() };
        let table = EncryptTable { spec, columns: vec![column], query_with_cipher: true };
        let mut database = Database::clone(&self.database);
        database.encrypt.tables.insert("t".to_owned(), table);
        self.database = Arc::new(database);
        self.snapshot.databases.insert("shop".to_owned(), Arc::clone(&self.database));
    }

    /// Runs a statement as text.
    pub(crate) async fn query(&mut self, text: &str) -> Result<Outcome, Error> {
        self.run(text, Command::Query).await
    }

    /// Runs a statement without parameters as a prepared one.
    pub(crate) async fn execute(&mut self, text: &str) -> Result<Outcome, Error> {
        self.run(text, Command::Execute { params: &Params::none(), cursor: None }).await
    }

    pub(crate) async fn run(&mut self, text: &str, command: Command<'_, '_>) -> Result<Outcome, Error> {
        let fingerprint = Fingerprinter::fixed().fingerprint(text, Mode::default()).unwrap();
        let template =
            Template::draft(text, &fingerprint, Mode::default(), &self.snapshot, Some("shop")).unwrap();
        let call =
            Call { text, raw: text.as_bytes(), slots: &fingerprint.slots, params: None, ..Call::default() };
        let plan = template.bind(&call).unwrap();
        (self.client.sequence, self.client.output, self.client.sent) = (1, BytesMut::new(), BytesMut::new());
        let (database, template, plan, call) = (&self.database, &template, &plan, &call);
        let job = Job { database, template, plan, call, command, attributes: None };
        self.executor.run(job, &mut self.client).await
    }

    /// The statements that a server has seen since the last call.
    pub(crate) fn seen(&self, peer: usize) -> Vec<String> {
        self.peers[peer].take()
    }
}

fn snapshot(peers: &[Peer]) -> Snapshot {
    let units = peers.iter().enumerate().map(|(index, peer)| {
        let spec = UnitSpec {
            host: "127.0.0.1".to_owned(),
            port: peer.port,
            database: format!("shop_{index}"),
            user: "app".to_owned(),
            password: String::new(),
            tls: TlsMode::Disabled,
            pool: PoolSpec::default(),
            other: Default::default(),
        };
        (format!("ds_{index}"), spec)
    });
    let rule = ShardingTableSpec::auto(
        "t".to_owned(),
        vec!["ds_0".to_owned(), "ds_1".to_owned()],
        "id".to_owned(),
        AlgorithmSpec {
            kind: "MOD".to_owned(),
            properties: [("sharding-count".to_owned(), "4".to_owned())].into_iter().collect(),
        },
    );
    let spec = DatabaseSpec {
        name: "shop".to_owned(),
        units: units.collect(),
        sharding: vec![rule],
        ..DatabaseSpec::default()
    };
    let column = |name: &str, data_type: &str, collation: Option<&str>| TableColumn {
        name: name.to_owned(),
        data_type: data_type.to_owned(),
        collation: collation.map(str::to_owned),
        auto_increment: false,
        unsigned: false,
        limit: None,
    };
    let columns = vec![column("id", "int", None), column("name", "varchar", Some("utf8mb4_general_ci"))];
    let table = Table { name: "t".to_owned(), source: None, columns };
    Snapshot::load(vec![spec]).unwrap().learn_tables("shop", vec![table]).unwrap()
}

/// A client that keeps what it was sent.
#[derive(Default)]
pub(crate) struct Client {
    input: BytesMut,
    output: BytesMut,
    sent: BytesMut,
    sequence: u8,
    pub(crate) dialect: Dialect,
    /// It does not take any more.
    pub(crate) gone: bool,
    /// It is not there any more, from the next time a statement waits.
    pub(crate) absence: Rc<Cell<Option<Absence>>>,
}

impl Client {
    /// The payloads of the last answer, whose frames must be numbered without a gap.
    pub(crate) fn frames(&mut self) -> Vec<Vec<u8>> {
        let mut all = self.sent.split();
        all.extend_from_slice(&self.output.split());
        let mut frames = Vec::new();
        while let Some(header) = frame::header(&all) {
            let frame = all.split_to(HEADER + header.len);
            frames.push(frame[HEADER..].to_vec());
            assert_eq!(usize::from(header.sequence), frames.len() % 256);
        }
        frames
    }

    /// The rows of the last answer, text, of one column each.
    pub(crate) fn rows(&mut self) -> Vec<String> {
        let frames = self.frames();
        let columns = usize::from(frames[0][0]);
        let rows = &frames[columns + 2..frames.len() - 1];
        let text = |row: &Vec<u8>| {
            let cell = |cell: Result<Option<&[u8]>, wire::Error>| {
                cell.unwrap()
                    .map_or_else(|| "NULL".to_owned(), |cell| String::from_utf8_lossy(cell).into_owned())
            };
            wire::row::text(row).map(cell).collect::<Vec<_>>().join(",")
        };
        rows.iter().map(text).collect()
    }

    /// The OK packet that was the last answer.
    pub(crate) fn ok(&mut self) -> (u64, wire::caps::Status) {
        let frames = self.frames();
        let ok = reply::Ok::decode(&frames[0], self.dialect.capabilities()).unwrap();
        (ok.affected, ok.status)
    }

    /// The number of the error that ended the last answer.
    pub(crate) fn error(&mut self) -> u16 {
        reply::Err::decode(self.frames().last().unwrap()).unwrap().code
    }
}

impl Downstream for Client {
    fn output(&mut self) -> (&mut BytesMut, &mut u8) {
        (&mut self.output, &mut self.sequence)
    }

    async fn flush(&mut self) -> io::Result<()> {
        if self.gone {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        self.sent.extend_from_slice(&self.output.split());
        Ok(())
    }

    fn sends_files(&self) -> bool {
        false
    }

    fn input(&mut self) -> &mut BytesMut {
        &mut self.input
    }

    async fn fill(&mut self) -> io::Result<usize> {
        Ok(0)
    }

    fn dialect(&self) -> Dialect {
        self.dialect
    }

    fn watch(&self) -> impl Watch + use<> {
        Rc::clone(&self.absence)
    }
}

impl Watch for Rc<Cell<Option<Absence>>> {
    fn poll_absence(&mut self, _: &mut Context<'_>) -> Option<Absence> {
        self.get()
    }
}

/// Runs a test on a worker's runtime.
pub(crate) fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
}
