//! One server connection in use by a session: what is written to it and which short answers come before the one that counts.

use backend::{Connection, Lease, Link, Refusal, Statement};
use bytes::{Buf, BufMut};
use meta::UnitId;
use plan::RouteUnit;
use sql::Pin;
use wire::attributes::put_query;
use wire::caps::{Capabilities, Status};
use wire::column::ColumnType;
use wire::command::code;
use wire::execute::{Arg, Params, Run};
use wire::scan::{Expect, Part, Prepared, ResponseScan, Step};
use wire::value::Kind;
use wire::{frame, reply};

use crate::Error;
use crate::cursor::Cursor;
use crate::job::{Command, Job};

/// From this number on a connection keeps statements that nobody will ask for again; those of the cache are far below.
pub(crate) const PASSING: u64 = u64::MAX - (1 << 16);

/// The rest of an answer that nobody wants any more is read up to this size.
const DRAIN: usize = 256 * 1024;

/// The id of a statement as a connection prepared it. A server reads literals by the settings of that moment, and keeps
/// the types of the first execution: a text for what was a number then becomes a number. Shared more widely, one client
/// would change another's values.
#[derive(Clone, Copy)]
struct PreparedId(u64);

impl PreparedId {
    const fn new(text: u64, of_connection: u64) -> Self {
        // Spread first: ids of texts differ in their lowest bits, as classes do.
        Self(spread(spread(text) ^ of_connection))
    }

    fn with(self, types: &[Kind]) -> Self {
        Self(types.iter().fold(self.0, |key, kind| spread(key ^ class(*kind))))
    }

    /// Apart from those of statements that pass.
    const fn number(self) -> u64 {
        self.0 >> 1
    }
}

/// Stands behind the types of an execution that opens a cursor.
const CURSOR: Kind = Kind::new(ColumnType::GEOMETRY);

const fn spread(key: u64) -> u64 {
    key.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23)
}

fn class(kind: Kind) -> u64 {
    match kind.column {
        ColumnType::TINY
        | ColumnType::SHORT
        | ColumnType::INT24
        | ColumnType::LONG
        | ColumnType::LONGLONG
        | ColumnType::YEAR => 1 + u64::from(kind.unsigned),
        ColumnType::FLOAT | ColumnType::DOUBLE => 3,
        ColumnType::DECIMAL | ColumnType::NEWDECIMAL => 4,
        ColumnType::DATE => 5,
        ColumnType::DATETIME | ColumnType::TIMESTAMP => 6,
        ColumnType::TIME => 7,
        // No parameter is of this type.
        ColumnType::GEOMETRY => 8,
        // A text, and what NULL is sent as.
        _ => 0,
    }
}

/// A connection, with what the session has done on it.
#[derive(Debug)]
pub(crate) struct Lane {
    pub(crate) unit: UnitId,
    pub(crate) lease: Lease,
    /// Taken from the pool for this statement.
    pub(crate) fresh: bool,
    /// The session's transaction has been begun here, its savepoints included.
    pub(crate) begun: bool,
    /// More than reads was sent to the server in the session's transaction.
    pub(crate) wrote: bool,
    /// Why it is kept for the session whatever happens: it holds state that cannot be taken elsewhere.
    pub(crate) pinned: Pin,
    /// It knows the conditions of the session's last statement.
    pub(crate) witness: bool,
    /// Kept for that alone.
    pub(crate) lingers: bool,
    /// What `LAST_INSERT_ID()` is here, as far as that is known.
    pub(crate) last_id: Option<u64>,
    /// A transaction was open here before the statement.
    pub(crate) active: bool,
    /// Everything written has been sent.
    pub(crate) sent: bool,
    /// Statements to be sent with the next.
    pub(crate) pending: Vec<String>,
    /// Short answers that come before that of the statement.
    owed: usize,
    /// Statements prepared for one execution.
    passing: u16,
    /// Open ones.
    pub(crate) cursors: Vec<Cursor>,
}

/// A short answer.
#[derive(Debug)]
pub(crate) enum Short {
    Err(Refusal),
    Ok(Done),
}

/// What an OK packet says.
#[derive(Clone, Debug, Default)]
pub(crate) struct Done {
    pub(crate) affected: u64,
    pub(crate) insert_id: u64,
    pub(crate) warnings: u16,
    pub(crate) info: Vec<u8>,
}

impl Lane {
    pub(crate) fn new(unit: UnitId, lease: Lease) -> Self {
        Self {
            unit,
            lease,
            fresh: true,
            begun: false,
            wrote: false,
            pinned: Pin::empty(),
            witness: false,
            lingers: false,
            last_id: None,
            active: false,
            sent: false,
            pending: Vec::new(),
            owed: 0,
            passing: 0,
            cursors: Vec::new(),
        }
    }

    /// Whether the server says that a transaction is open.
    pub(crate) fn in_transaction(&self) -> bool {
        self.lease.link() == Link::InTransaction
    }

    /// Whether it is kept for the session whatever happens.
    #[inline]
    pub(crate) const fn is_pinned(&self) -> bool {
        !self.pinned.is_empty()
    }

    /// Whether the session would miss it.
    pub(crate) fn is_bound(&self) -> bool {
        self.active || self.is_pinned()
    }

    /// Writes a statement of the proxy's own, whose answer is awaited by [`Self::answers`].
    pub(crate) fn command(&mut self, text: &str) {
        let some = self.lease.takes_attributes();
        frame::put_with(self.lease.output(), &mut 0, |out| {
            put_query(out, some, None);
            out.put_slice(text.as_bytes());
        });
        self.owed += 1;
    }

    /// Writes the statement as text.
    pub(crate) fn query(&mut self, job: &Job<'_, '_>, route: &RouteUnit) {
        let some = self.lease.takes_attributes();
        frame::put_with(self.lease.output(), &mut 0, |out| {
            put_query(out, some, job.attributes);
            job.template.render(job.call, route, out);
        });
    }

    /// Writes the statement to be prepared.
    pub(crate) fn prepare(&mut self, job: &Job<'_, '_>, route: &RouteUnit) {
        frame::put_with(self.lease.output(), &mut 0, |out| {
            out.put_u8(code::STMT_PREPARE);
            job.template.render(job.call, route, out);
        });
    }

    /// The server's number of the statement, if it has been prepared here.
    pub(crate) fn known(&mut self, job: &Job<'_, '_>, route: &RouteUnit) -> Option<u32> {
        let text = job.template.text_id(route)?;
        let (untyped, typed) = self.prepared_ids(text, job);
        let mut known = self.lease.prepared.get(typed);
        if known.is_none() && typed != untyped {
            // Prepared, but never executed.
            known = self.lease.prepared.rename(untyped, typed);
        }
        known.map(|statement| statement.id)
    }

    /// The id of a statement before its first execution, and with the parameters of this one.
    fn prepared_ids(&self, text: u64, job: &Job<'_, '_>) -> (u64, u64) {
        let untyped = PreparedId::new(text, self.lease.prepared.seed() ^ self.lease.settings().hash());
        let typed = match job.command {
            Command::Execute { params, cursor: None } => untyped.with(params.types()),
            // MySQL answers a statement wrongly that had a cursor and then is run without.
            Command::Execute { params, cursor: Some(_) } => untyped.with(params.types()).with(&[CURSOR]),
            Command::Prepare { .. } | Command::Query => untyped,
        };
        (untyped.number(), typed.number())
    }

    /// The id of the statement that has just been executed.
    pub(crate) fn key(&self, job: &Job<'_, '_>, route: &RouteUnit) -> u64 {
        let passing = PASSING + u64::from(self.passing);
        job.template.text_id(route).map_or(passing, |text| self.prepared_ids(text, job).1)
    }

    /// Keeps a prepared statement for the next time, if its text can come again.
    pub(crate) fn remember(&mut self, job: &Job<'_, '_>, route: &RouteUnit, prepared: Prepared) {
        let Prepared { statement: id, params, columns, .. } = prepared;
        let text =
            job.template.text_id(route).map(|text| self.prepared_ids(text, job).1).unwrap_or_else(|| {
                self.passing += 1;
                PASSING + u64::from(self.passing)
            });
        self.lease.prepared.insert(text, Statement { id, params, columns });
    }

    /// Closes the statements that were prepared for one execution, with the next write.
    pub(crate) fn forget_passing(&mut self) {
        for number in 1..=std::mem::take(&mut self.passing) {
            self.lease.prepared.remove(PASSING + u64::from(number));
        }
    }

    /// Writes an execution of a prepared statement.
    pub(crate) fn execute(
        &mut self,
        statement: u32,
        params: &Params<'_>,
        job: &Job<'_, '_>,
        route: &RouteUnit,
    ) -> Result<(), Error> {
        let flags = u8::from(matches!(job.command, Command::Execute { cursor: Some(_), .. }));
        let run = Run { flags, ..self.execution(statement, job) };
        let out = self.lease.output();
        match job.template.args(job.call, route) {
            None => run.put(out, &mut 0, params, (0..params.len()).map(Arg::Client)),
            Some(args) => run.put(out, &mut 0, params, args.iter()),
        }
        .map_err(Error::Malformed)
    }

    /// How the server is to run the job's statement once it is prepared.
    #[inline]
    pub(crate) fn execution<'a>(&self, statement: u32, job: &Job<'a, '_>) -> Run<'a> {
        Run { statement, flags: 0, named: self.lease.takes_attributes(), attributes: job.attributes }
    }

    /// Sends what has been written.
    pub(crate) async fn flush(&mut self) -> Result<(), Error> {
        self.lease.flush().await?;
        self.sent = true;
        Ok(())
    }

    /// Awaits the answers to the proxy's own statements.
    pub(crate) async fn answers(&mut self) -> Result<(), Error> {
        while self.owed > 0 {
            let answer = short(&mut self.lease).await?;
            self.owed -= 1;
            if let Short::Err(refusal) = answer {
                // The statement behind it is being run in a state that nobody wanted.
                self.lease.poison();
                self.lease.forget_taken();
                return Err(Error::Introduction(Box::new(self.refused(refusal))));
            }
        }
        Ok(())
    }

    /// Awaits them all, whatever they say; gives the first refusal.
    pub(crate) async fn all_answers(&mut self) -> Result<(), Error> {
        let mut first = Ok(());
        while self.owed > 0 {
            self.owed -= 1;
            if let Short::Err(refusal) = short(&mut self.lease).await?
                && first.is_ok()
            {
                first = Err(self.refused(refusal));
            }
        }
        self.lease.settle();
        first
    }

    pub(crate) fn refused(&self, refusal: Refusal) -> Error {
        Error::Backend(backend::Error::Refused { origin: self.lease.origin().clone(), refusal })
    }

    /// Nobody wants the rest of the rows: reads them while they are few, and all where a transaction hangs on it; else the
    /// connection will be closed.
    pub(crate) async fn pass_over(&mut self) -> Result<(), Error> {
        let mut left = if self.stays() { usize::MAX } else { DRAIN };
        let deprecate_eof = self.lease.capabilities().contains(Capabilities::DEPRECATE_EOF);
        if !self.skip(&mut ResponseScan::among_rows(deprecate_eof), &mut left).await? {
            self.lease.poison();
        }
        Ok(())
    }

    /// Whether the session goes on with the connection after a statement that failed.
    pub(crate) const fn stays(&self) -> bool {
        self.active || self.is_pinned() || self.begun
    }

    /// Reads an answer nobody wants from where it is, if it has no more than so many bytes. May be dropped and called
    /// again.
    pub(crate) async fn skip(&mut self, scan: &mut ResponseScan, left: &mut usize) -> Result<bool, Error> {
        let connection: &mut Connection = &mut self.lease;
        loop {
            let len = match scan.step(connection.input()) {
                Ok(Step::Done) => return Ok(true),
                Ok(Step::Frame { len, part }) => {
                    if let Part::Ok(status) | Part::End(status) = part {
                        connection.note(status);
                    }
                    len
                }
                Ok(Step::Rows { len, .. }) => len,
                Ok(Step::More) => {
                    connection.fill().await?;
                    continue;
                }
                Err(source) => return Err(connection.broken(source).into()),
            };
            connection.input().advance(len);
            let Some(rest) = left.checked_sub(len) else { return Ok(false) };
            *left = rest;
        }
    }

    /// Awaits the answer to a prepare.
    pub(crate) async fn prepared(&mut self) -> Result<Result<Prepared, Refusal>, Error> {
        let connection: &mut Connection = &mut self.lease;
        let deprecate_eof = connection.capabilities().contains(Capabilities::DEPRECATE_EOF);
        let mut scan = ResponseScan::new(Expect::Prepare, deprecate_eof);
        let mut found = None;
        loop {
            match scan.step(connection.input()) {
                Ok(Step::Done) => break,
                Ok(Step::Frame { len, part }) => {
                    match part {
                        Part::Err => {
                            let refusal = refusal(&connection.input()[frame::HEADER..len]);
                            connection.input().advance(len);
                            return refusal.map(Err).map_err(|source| connection.broken(source).into());
                        }
                        Part::Prepared(prepared) => found = Some(prepared),
                        _ => {}
                    }
                    connection.input().advance(len);
                }
                Ok(Step::Rows { len, .. }) => connection.input().advance(len),
                Ok(Step::More) => {
                    connection.fill().await?;
                }
                Err(source) => return Err(connection.broken(source).into()),
            }
        }
        found
            .map(Ok)
            .ok_or_else(|| connection.broken(wire::Error::Malformed { what: "answer to a prepare" }).into())
    }
}

/// Awaits an OK or ERR packet, without taking memory for it.
pub(crate) async fn short(connection: &mut Connection) -> Result<Short, Error> {
    let capabilities = connection.capabilities();
    loop {
        if let Some(header) = frame::header(connection.input()) {
            let len = frame::HEADER + header.len;
            if let Some(payload) = connection.input().get(frame::HEADER..len) {
                let answer = read_short(payload, capabilities);
                connection.input().advance(len);
                return match answer {
                    Ok((answer, status)) => {
                        if let Some(status) = status {
                            connection.note(status);
                        }
                        Ok(answer)
                    }
                    Err(source) => Err(connection.broken(source).into()),
                };
            }
        }
        connection.fill().await?;
    }
}

fn read_short(payload: &[u8], capabilities: Capabilities) -> Result<(Short, Option<Status>), wire::Error> {
    if payload.first() == Some(&reply::ERR) {
        return Ok((Short::Err(refusal(payload)?), None));
    }
    if payload.first() != Some(&reply::OK) {
        return Err(wire::Error::Malformed { what: "rows where none were asked for" });
    }
    let ok = reply::Ok::decode(payload, capabilities)?;
    let done = Done {
        affected: ok.affected,
        insert_id: ok.insert_id,
        warnings: ok.warnings,
        info: ok.info.to_vec(),
    };
    Ok((Short::Ok(done), Some(ok.status)))
}

/// Reads an ERR packet.
pub(crate) fn refusal(payload: &[u8]) -> Result<Refusal, wire::Error> {
    let error = reply::Err::decode(payload)?;
    Ok(Refusal {
        code: error.code,
        state: error.state_text().into_owned(),
        message: error.text().into_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statement_is_shared_for_parameters_of_one_class_and_one_connection_as_it_is_set() {
        let id = |text: u64, of_connection: u64, types: &[ColumnType]| {
            let types: Vec<_> = types.iter().map(|column| Kind::new(*column)).collect();
            PreparedId::new(text, of_connection).with(&types).number()
        };
        let key = |types: &[ColumnType]| id(7, 5, types);
        let numbers = key(&[ColumnType::LONG, ColumnType::LONGLONG]);
        assert_eq!(numbers, key(&[ColumnType::TINY, ColumnType::LONG]));
        let texts = key(&[ColumnType::VARCHAR, ColumnType::NULL]);
        assert_eq!(texts, key(&[ColumnType::NULL, ColumnType::LONG_BLOB]));
        let mixed = key(&[ColumnType::LONG, ColumnType::VARCHAR]);
        let swapped = key(&[ColumnType::VARCHAR, ColumnType::LONG]);
        // Neighbours of a text are its other nodes.
        for text in 0..4096 {
            let other = id(text, 5, &[ColumnType::LONG, ColumnType::LONGLONG]);
            assert!(text == 7 || ![numbers, texts, mixed, swapped].contains(&other), "{text}");
        }
        let elsewhere = id(7, 6, &[ColumnType::LONG, ColumnType::LONGLONG]);
        let all = [numbers, texts, mixed, swapped, key(&[]), elsewhere];
        for (at, one) in all.iter().enumerate() {
            assert!(!all[..at].contains(one) && *one < PASSING, "{at}");
        }
    }
}
