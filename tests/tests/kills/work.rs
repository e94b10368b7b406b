//! What clients do, and what the answers must be.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use fastrand::Rng;
use parking_lot::Mutex;
use weir_tests::{Account, Client, Failure, Reply, execute};
use wire::command::{code, put_long_data, put_text};
use wire::value::Value;

/// Rows of `fixed`, with `v = 7 * id`.
pub(crate) const FIXED: i64 = 200;

/// Errors that servers and proxies that go may lead to: no server, no connection to spare, a shutdown, an end.
pub(crate) fn is_expected(code: u16) -> bool {
    [1040, 1053, 1077, 1094, 1205, 1213, 1317, 1927, 2003, 2006, 2013, 3169].contains(&code)
}

/// Makes the tables.
pub(crate) fn create(client: &mut Client) {
    client.run("CREATE TABLE fixed (id INT NOT NULL PRIMARY KEY, v INT NOT NULL)");
    client.run("CREATE TABLE written (id INT NOT NULL PRIMARY KEY, v INT NOT NULL)");
    let rows: Vec<_> = (0..FIXED).map(|id| format!("({id}, {})", id * 7)).collect();
    client.run(format!("INSERT INTO fixed VALUES {}", rows.join(", ")));
}

/// `COUNT(*), SUM(v)` of `fixed`.
pub(crate) fn sums() -> Vec<String> {
    vec![FIXED.to_string(), (7 * FIXED * (FIXED - 1) / 2).to_string()]
}

/// One thing that a client does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Deed {
    /// A read of one row.
    Point,
    /// A read over both units whose rows are counted.
    Total,
    /// A merge in order.
    Sorted,
    /// What one server works out of all rows.
    Finished,
    /// A result that is larger than all buffers.
    Large,
    /// A prepared read.
    Prepared,
    /// One statement that writes to both units.
    Write,
    /// A transaction over both units.
    Transaction,
    /// A prepared write, its value sent in pieces.
    LongData,
    /// A user lock.
    Lock,
}

impl Deed {
    pub(crate) const ALL: [Self; 10] = [
        Self::Point,
        Self::Total,
        Self::Sorted,
        Self::Finished,
        Self::Large,
        Self::Prepared,
        Self::Write,
        Self::Transaction,
        Self::LongData,
        Self::Lock,
    ];

    /// The query that it is, for those that are one.
    const fn query(self) -> Option<&'static str> {
        Some(match self {
            Self::Total => "SELECT COUNT(*), SUM(v) FROM fixed",
            Self::Sorted => "SELECT id, v FROM fixed ORDER BY id",
            Self::Finished => {
                "SELECT id % 5 AS g, SUM(v) + COUNT(*) AS s FROM fixed GROUP BY id % 5 HAVING SUM(v) > 1 ORDER BY g"
            }
            Self::Large => "SELECT id, REPEAT('x', 50000) AS x FROM fixed ORDER BY id",
            _ => return None,
        })
    }
}

/// What was done, and what is known of what was written.
#[derive(Default)]
pub(crate) struct Ledger {
    done: AtomicU64,
    counts: Mutex<BTreeMap<(Deed, &'static str), u64>>,
    /// First ids of pairs of rows that were acknowledged, and of those that were rolled back or never committed.
    acknowledged: Mutex<Vec<i64>>,
    given_up: Mutex<Vec<i64>>,
}

impl Ledger {
    fn count(&self, deed: Deed, what: &'static str) {
        *self.counts.lock().entry((deed, what)).or_default() += 1;
        self.done.fetch_add(1, Ordering::Relaxed);
    }

    /// Waits until so many more things were done, or came to nothing.
    pub(crate) fn await_more(&self, count: u64) {
        let until = self.done.load(Ordering::Relaxed) + count;
        let deadline = Instant::now() + Duration::from_secs(120);
        while self.done.load(Ordering::Relaxed) < until {
            assert!(Instant::now() < deadline, "nothing is done any more\n{self}");
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    /// Holds the rows of `written` against what the clients were told.
    pub(crate) fn check(&self, rows: &[Vec<String>]) {
        let ids: BTreeMap<i64, &str> =
            rows.iter().map(|row| (row[0].parse().expect("a number"), row[1].as_str())).collect();
        for first in self.acknowledged.lock().iter() {
            for id in [*first, *first + 1] {
                assert!(ids.contains_key(&id), "row {id} was acknowledged and is gone");
            }
        }
        for first in self.given_up.lock().iter() {
            for id in [*first, *first + 1] {
                assert!(!ids.contains_key(&id), "row {id} was never committed and is there");
            }
        }
        assert!(ids.values().all(|v| *v != "-1"), "a row that no transaction commits");
    }
}

impl fmt::Display for Ledger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for ((deed, what), count) in self.counts.lock().iter() {
            writeln!(f, "{count:6} {deed:?} {what}")?;
        }
        write!(f, "{} pairs written for sure", self.acknowledged.lock().len())
    }
}

/// A client.
pub(crate) struct Worker {
    account: Account,
    client: Option<Client>,
    rng: Rng,
    /// The next pair of rows that nobody else writes: an even number and the one after it lie on both units.
    next: i64,
}

/// How a deed ended, other than well.
enum End {
    Closed,
    Fault,
}

impl From<std::io::Error> for End {
    fn from(_: std::io::Error) -> Self {
        Self::Closed
    }
}

/// An answer that is one, or how it is not.
fn whole(answer: Result<Reply, Failure>) -> Result<Reply, End> {
    match answer {
        Ok(Reply::Error(fault)) if is_expected(fault.code) => Err(End::Fault),
        Ok(Reply::Error(fault)) => panic!("an error that nothing explains: {fault}"),
        Ok(reply) => Ok(reply),
        Err(Failure::Closed(error)) => {
            let slow = [std::io::ErrorKind::WouldBlock, std::io::ErrorKind::TimedOut];
            assert!(!slow.contains(&error.kind()), "no answer within the client's patience");
            Err(End::Closed)
        }
        Err(failure) => panic!("half an answer: {failure}"),
    }
}

impl Worker {
    pub(crate) fn new(account: Account, number: u32, seed: u64) -> Self {
        let rng = Rng::with_seed(seed * 10_000 + u64::from(number));
        Self { account, client: None, rng, next: i64::from(number) * 100_000 }
    }

    /// Does one thing and counts how it ended.
    pub(crate) fn deed(&mut self, ledger: &Ledger) {
        let deed = Deed::ALL[self.rng.usize(..Deed::ALL.len())];
        let Some(mut client) = self.client.take().or_else(|| self.account.connect().ok()) else {
            ledger.count(deed, "without a connection");
            std::thread::sleep(Duration::from_millis(10));
            return;
        };
        match self.run(&mut client, deed, ledger) {
            Ok(()) => {
                ledger.count(deed, "done");
                self.client = Some(client);
            }
            Err(End::Closed) => ledger.count(deed, "closed"),
            Err(End::Fault) => {
                ledger.count(deed, "answered by an error");
                // The session goes on, without anything open.
                if whole(client.try_query("ROLLBACK")).is_ok() {
                    self.client = Some(client);
                }
            }
        }
    }

    fn pair(&mut self) -> i64 {
        self.next += 2;
        self.next
    }

    fn run(&mut self, client: &mut Client, deed: Deed, ledger: &Ledger) -> Result<(), End> {
        if let Some(query) = deed.query() {
            let Reply::Rows(table) = whole(client.try_query(query))? else { panic!("{query} has no rows") };
            assert_eq!(table.text(), expected(deed), "{query}");
            return Ok(());
        }
        match deed {
            Deed::Point => {
                let id = self.rng.i64(0..FIXED);
                let query = format!("SELECT v FROM fixed WHERE id = {id}");
                let Reply::Rows(table) = whole(client.try_query(&query))? else { panic!("{query}") };
                assert_eq!(table.text(), [[(id * 7).to_string()]], "{query}");
            }
            Deed::Prepared => {
                let id = self.rng.i64(0..FIXED);
                let answer = client.binary("SELECT id, v FROM fixed WHERE id = ?", &[Value::Int(id)]);
                let Reply::Rows(table) = whole(answer)? else { panic!("a prepared read without rows") };
                assert_eq!(table.text(), [[id.to_string(), (id * 7).to_string()]]);
            }
            Deed::Write => {
                let id = self.pair();
                let text = format!("INSERT INTO written VALUES ({id}, 1), ({}, 1)", id + 1);
                let Reply::Done(done) = whole(client.try_query(&text))? else { panic!("{text}") };
                assert_eq!(done.affected, 2, "{text}");
                ledger.acknowledged.lock().push(id);
            }
            Deed::Transaction => self.transaction(client, ledger)?,
            Deed::LongData => {
                let id = self.pair();
                let prepared = match client.prepare("INSERT INTO written VALUES (?, 2), (?, LENGTH(?))") {
                    Ok(prepared) => prepared,
                    Err(Failure::Server(fault)) => return whole(Ok(Reply::Error(fault))).map(drop),
                    Err(failure) => return whole(Err(failure)).map(drop),
                };
                long_data(client, prepared.id)?;
                let values = [Value::Int(id), Value::Int(id + 1), Value::Bytes(b"")];
                let payload = execute(prepared.id, &values, true).expect("values of a kind");
                // The piece stands for the third value, which is not in the packet.
                client.command(&payload[..payload.len() - 1])?;
                let Reply::Done(done) = whole(client.binary_reply())? else { panic!("a prepared write") };
                assert_eq!(done.affected, 2);
                ledger.acknowledged.lock().push(id);
                client.close(prepared.id)?;
            }
            Deed::Lock => {
                let Reply::Rows(_) = whole(client.try_query("SELECT GET_LOCK('kills', 1)"))? else {
                    panic!("GET_LOCK without a row")
                };
                whole(client.try_query("SELECT RELEASE_ALL_LOCKS()"))?;
            }
            Deed::Total | Deed::Sorted | Deed::Finished | Deed::Large => {}
        }
        Ok(())
    }

    /// Some are committed, some are not.
    fn transaction(&mut self, client: &mut Client, ledger: &Ledger) -> Result<(), End> {
        let id = self.pair();
        let commit = self.rng.u32(..4) > 0;
        let v = if commit { 3 } else { -1 };
        if !commit {
            ledger.given_up.lock().push(id);
        }
        whole(client.try_query("BEGIN"))?;
        for id in [id, id + 1] {
            let written = client.try_query(format!("INSERT INTO written VALUES ({id}, {v})"));
            if let Err(end) = whole(written) {
                if commit {
                    ledger.given_up.lock().push(id & !1);
                }
                return Err(end);
            }
        }
        whole(client.try_query(if commit { "COMMIT" } else { "ROLLBACK" }))?;
        if commit {
            ledger.acknowledged.lock().push(id);
        }
        Ok(())
    }

    /// Begins one thing in a session of its own, reads so many packets of its answer and is gone.
    pub(crate) fn vanish_amid(&mut self, deed: Deed, packets: usize) {
        let mut client = self.account.client();
        let begins = self.rng.bool();
        if begins {
            client.run("BEGIN");
            let id = self.pair();
            client.run(format!("INSERT INTO written VALUES ({id}, -1), ({}, -1)", id + 1));
        }
        match deed {
            Deed::Lock => drop(client.try_query("SELECT GET_LOCK('kills', 0)")),
            Deed::LongData => {
                let prepared =
                    client.prepare("INSERT INTO written VALUES (?, 2)").expect("it can be prepared");
                long_data(&mut client, prepared.id).ok().expect("a session that goes on");
            }
            Deed::Prepared => {
                let prepared = client.prepare("SELECT SLEEP(20), v FROM fixed WHERE id = ?");
                let payload = execute(prepared.expect("a read").id, &[Value::Int(5)], true);
                drop(client.command(&payload.expect("a value of a kind")));
            }
            Deed::Point | Deed::Write => {
                let mut payload = bytes::BytesMut::new();
                put_text(&mut payload, code::QUERY, b"UPDATE fixed SET v = v + SLEEP(20) WHERE id IN (6, 7)");
                drop(client.command(&payload));
            }
            Deed::Transaction => {
                // Another BEGIN would commit.
                if !begins {
                    client.run("BEGIN");
                }
                client.run("UPDATE fixed SET v = -1 WHERE id IN (8, 9)");
            }
            query => {
                let mut payload = bytes::BytesMut::new();
                put_text(&mut payload, code::QUERY, query.query().unwrap_or_default().as_bytes());
                drop(client.command(&payload));
                for _ in 0..packets {
                    drop(client.receive());
                }
            }
        }
        // As when a process is killed: what has come and was not read resets the connection.
        drop(client);
    }
}

/// A value in two pieces.
fn long_data(client: &mut Client, statement: u32) -> Result<(), End> {
    for _ in 0..2 {
        let mut payload = bytes::BytesMut::new();
        put_long_data(&mut payload, statement, 2, b"piece");
        client.command(&payload)?;
    }
    Ok(())
}

/// The rows of what is asked.
fn expected(deed: Deed) -> Vec<Vec<String>> {
    match deed {
        Deed::Total => vec![sums()],
        Deed::Sorted => (0..FIXED).map(|id| vec![id.to_string(), (id * 7).to_string()]).collect(),
        Deed::Finished => (0..5)
            .map(|group| {
                let of_group = (0..FIXED).filter(|id| id % 5 == group);
                vec![group.to_string(), of_group.map(|id| id * 7 + 1).sum::<i64>().to_string()]
            })
            .collect(),
        Deed::Large => (0..FIXED).map(|id| vec![id.to_string(), "x".repeat(50_000)]).collect(),
        _ => Vec::new(),
    }
}
