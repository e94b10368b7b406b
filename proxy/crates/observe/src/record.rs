//! The compact form in which an event waits to be read: its numbers, then its texts, each behind its length.
//!
//! It never leaves the process, so that it needs no version; yet nothing is taken for granted when it is read.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::event::{
    Class, Command, Error, Event, Head, Party, Phases, Run, Session, Statement, Trace, Value,
};

/// The bytes of an event's length, in front of it.
const LENGTH: usize = 4;

const STATEMENT: u8 = 0;
const CONNECT: u8 = 1;
const CHANGE_USER: u8 = 2;
const QUIT: u8 = 3;

/// Appends an event.
pub fn write(event: &Event<'_>, out: &mut Vec<u8>) {
    let start = out.len();
    out.extend_from_slice(&[0; LENGTH]);
    match event {
        Event::Statement(statement) => put_statement(out, statement),
        Event::Connect(session) => put_session(out, CONNECT, session),
        Event::ChangeUser(session) => put_session(out, CHANGE_USER, session),
        Event::Quit(session) => put_session(out, QUIT, session),
    }
    // No record is as long as 4 GB: texts are cut long before.
    let length = u32::try_from(out.len() - start - LENGTH).unwrap_or(u32::MAX);
    out[start..start + LENGTH].copy_from_slice(&length.to_le_bytes());
}

/// Reads the first event of `bytes` and takes it off; nothing at the end, or where there is no whole event.
pub fn read<'a>(bytes: &mut &'a [u8]) -> Option<Event<'a>> {
    let (length, rest) = bytes.split_first_chunk::<LENGTH>()?;
    let length = usize::try_from(u32::from_le_bytes(*length)).ok()?;
    let (record, rest) = rest.split_at_checked(length)?;
    *bytes = rest;
    let mut from = Take(record);
    Some(match from.byte()? {
        STATEMENT => Event::Statement(from.statement()?),
        CONNECT => Event::Connect(from.session()?),
        CHANGE_USER => Event::ChangeUser(from.session()?),
        QUIT => Event::Quit(from.session()?),
        _ => return None,
    })
}

/// Parameters of a statement, one after the other.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Values<'a>(&'a [u8]);

impl<'a> Values<'a> {
    /// Those that [`put_value`] has written.
    pub const fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    /// Whether there are none.
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<'a> Iterator for Values<'a> {
    type Item = Value<'a>;

    fn next(&mut self) -> Option<Value<'a>> {
        let mut from = Take(self.0);
        let value = match from.byte()? {
            0 => Value::Null,
            1 => Value::Signed(from.number()?.cast_signed()),
            2 => Value::Unsigned(from.number()?),
            3 => Value::Float(f64::from_bits(from.number()?)),
            4 => Value::Number(from.bytes()?),
            5 => Value::Text(from.bytes()?),
            6 => Value::Bytes(from.bytes()?),
            8 => Value::Cut { length: from.number()?, start: from.bytes()? },
            _ => Value::Hidden,
        };
        self.0 = from.0;
        Some(value)
    }
}

/// Appends a parameter.
pub fn put_value(out: &mut Vec<u8>, value: Value<'_>) {
    match value {
        Value::Null => out.push(0),
        Value::Signed(number) => put_numbers(out, 1, &[number.cast_unsigned()]),
        Value::Unsigned(number) => put_numbers(out, 2, &[number]),
        Value::Float(number) => put_numbers(out, 3, &[number.to_bits()]),
        Value::Number(bytes) => put_tagged(out, 4, bytes),
        Value::Text(bytes) => put_tagged(out, 5, bytes),
        Value::Bytes(bytes) => put_tagged(out, 6, bytes),
        Value::Hidden => out.push(7),
        Value::Cut { start, length } => {
            put_numbers(out, 8, &[length]);
            put_bytes(out, start);
        }
    }
}

/// What ran on each unit, one after the other.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Runs<'a>(&'a [u8]);

impl<'a> Runs<'a> {
    /// Those that [`put_run`] has written.
    pub const fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    /// Whether there are none.
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<'a> Iterator for Runs<'a> {
    type Item = Run<'a>;

    fn next(&mut self) -> Option<Run<'a>> {
        let mut from = Take(self.0);
        let run = from.run()?;
        self.0 = from.0;
        Some(run)
    }
}

/// Appends what ran on one unit.
pub fn put_run(out: &mut Vec<u8>, run: &Run<'_>) {
    put(out, &run.started.as_nanos_u64().to_le_bytes());
    put(out, &run.ended.as_nanos_u64().to_le_bytes());
    put(out, &run.port.to_le_bytes());
    put(out, &run.error.to_le_bytes());
    put_bytes(out, run.unit.as_bytes());
    put_bytes(out, run.host.as_bytes());
    put_bytes(out, run.text);
}

fn put(out: &mut Vec<u8>, bytes: &[u8]) {
    out.extend_from_slice(bytes);
}

fn put_numbers(out: &mut Vec<u8>, tag: u8, numbers: &[u64]) {
    out.push(tag);
    numbers.iter().for_each(|number| put(out, &number.to_le_bytes()));
}

fn put_tagged(out: &mut Vec<u8>, tag: u8, bytes: &[u8]) {
    out.push(tag);
    put_bytes(out, bytes);
}

fn put_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    let length = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
    put(out, &length.to_le_bytes());
    put(out, &bytes[..length as usize]);
}

/// Durations of up to 584 years.
trait Nanos {
    fn as_nanos_u64(&self) -> u64;
}

impl Nanos for Duration {
    fn as_nanos_u64(&self) -> u64 {
        self.as_secs().saturating_mul(1_000_000_000).saturating_add(u64::from(self.subsec_nanos()))
    }
}

fn put_head(out: &mut Vec<u8>, head: &Head<'_>) {
    let (worker, number) = head.record;
    let at = head.at.duration_since(UNIX_EPOCH).unwrap_or_default();
    put(out, &worker.to_le_bytes());
    put(out, &head.session.to_le_bytes());
    for number in [number, at.as_nanos_u64(), head.elapsed.as_nanos_u64()] {
        put(out, &number.to_le_bytes());
    }
    for text in [head.user, head.client, head.database] {
        put_bytes(out, text.as_bytes());
    }
    match &head.error {
        None => out.push(0),
        Some(error) => {
            out.push(1 + error.party as u8);
            put(out, &error.code.to_le_bytes());
            put(out, &error.state);
            put_bytes(out, error.message);
        }
    }
}

fn put_session(out: &mut Vec<u8>, tag: u8, session: &Session<'_>) {
    out.push(tag);
    put_head(out, &session.head);
    out.push(u8::from(session.encrypted));
    put(out, &session.statements.to_le_bytes());
}

fn put_statement(out: &mut Vec<u8>, statement: &Statement<'_>) {
    out.push(STATEMENT);
    put_head(out, &statement.head);
    let Phases { parsed, planned, leased, answered } = statement.phases;
    put(out, &[statement.command as u8, statement.class as u8]);
    put(out, &[u8::from(statement.masked), u8::from(statement.in_transaction)]);
    put(out, &[u8::from(statement.prepared.is_some())]);
    put(out, &statement.prepared.unwrap_or_default().to_le_bytes());
    put(out, &statement.warnings.to_le_bytes());
    put(out, &statement.connections.to_le_bytes());
    put(out, &statement.route_units.to_le_bytes());
    for number in [
        statement.text_length,
        statement.digest,
        statement.rows_sent,
        statement.rows_affected,
        statement.insert_id,
        statement.bytes_received,
        statement.bytes_sent,
        parsed.as_nanos_u64(),
        planned.as_nanos_u64(),
        leased.as_nanos_u64(),
        answered.as_nanos_u64(),
    ] {
        put(out, &number.to_le_bytes());
    }
    put_bytes(out, statement.target.as_bytes());
    for bytes in [statement.verb.as_bytes(), statement.text, statement.parameters.0, statement.runs.0] {
        put_bytes(out, bytes);
    }
    match statement.trace {
        None => out.push(0),
        Some(trace) => {
            out.push(1 + u8::from(trace.sampled));
            put(out, &trace.id.to_le_bytes());
            put(out, &trace.parent.to_le_bytes());
        }
    }
}

/// Takes values off the front.
struct Take<'a>(&'a [u8]);

impl<'a> Take<'a> {
    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (front, rest) = self.0.split_first_chunk::<N>()?;
        self.0 = rest;
        Some(*front)
    }

    fn byte(&mut self) -> Option<u8> {
        self.array::<1>().map(|[byte]| byte)
    }

    fn flag(&mut self) -> Option<bool> {
        self.byte().map(|byte| byte != 0)
    }

    fn short(&mut self) -> Option<u16> {
        self.array().map(u16::from_le_bytes)
    }

    fn word(&mut self) -> Option<u32> {
        self.array().map(u32::from_le_bytes)
    }

    fn number(&mut self) -> Option<u64> {
        self.array().map(u64::from_le_bytes)
    }

    fn duration(&mut self) -> Option<Duration> {
        self.number().map(Duration::from_nanos)
    }

    fn bytes(&mut self) -> Option<&'a [u8]> {
        let length = usize::try_from(self.word()?).ok()?;
        let (bytes, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(bytes)
    }

    fn text(&mut self) -> Option<&'a str> {
        std::str::from_utf8(self.bytes()?).ok()
    }

    fn head(&mut self) -> Option<Head<'a>> {
        let worker = self.short()?;
        let session = self.word()?;
        let record = (worker, self.number()?);
        let at: SystemTime = UNIX_EPOCH.checked_add(self.duration()?)?;
        let elapsed = self.duration()?;
        let (user, client, database) = (self.text()?, self.text()?, self.text()?);
        let error = match self.byte()? {
            0 => None,
            party => Some(Error {
                party: *Party::ALL.get(usize::from(party - 1))?,
                code: self.short()?,
                state: self.array()?,
                message: self.bytes()?,
            }),
        };
        Some(Head { record, session, user, client, database, at, elapsed, error })
    }

    fn session(&mut self) -> Option<Session<'a>> {
        Some(Session { head: self.head()?, encrypted: self.flag()?, statements: self.number()? })
    }

    fn statement(&mut self) -> Option<Statement<'a>> {
        let head = self.head()?;
        let (command, class) = (Command::from_number(self.byte()?)?, Class::from_number(self.byte()?)?);
        let (masked, in_transaction) = (self.flag()?, self.flag()?);
        let is_prepared = self.flag()?;
        let number = self.word()?;
        Some(Statement {
            head,
            command,
            class,
            masked,
            in_transaction,
            prepared: is_prepared.then_some(number),
            warnings: self.short()?,
            connections: self.short()?,
            route_units: self.short()?,
            text_length: self.number()?,
            digest: self.number()?,
            rows_sent: self.number()?,
            rows_affected: self.number()?,
            insert_id: self.number()?,
            bytes_received: self.number()?,
            bytes_sent: self.number()?,
            phases: Phases {
                parsed: self.duration()?,
                planned: self.duration()?,
                leased: self.duration()?,
                answered: self.duration()?,
            },
            target: self.text()?,
            verb: self.text()?,
            text: self.bytes()?,
            parameters: Values(self.bytes()?),
            runs: Runs(self.bytes()?),
            trace: self.trace()?,
        })
    }

    #[expect(clippy::option_option, reason = "a record may end too early, and a statement have no trace")]
    fn trace(&mut self) -> Option<Option<Trace>> {
        let sampled = match self.byte()? {
            0 => return Some(None),
            flag => flag > 1,
        };
        let id = u128::from_le_bytes(self.array()?);
        Some(Some(Trace { id, parent: self.number()?, sampled }))
    }

    fn run(&mut self) -> Option<Run<'a>> {
        Some(Run {
            started: self.duration()?,
            ended: self.duration()?,
            port: self.short()?,
            error: self.short()?,
            unit: self.text()?,
            host: self.text()?,
            text: self.bytes()?,
        })
    }
}

#[cfg(test)]
mod tests;
