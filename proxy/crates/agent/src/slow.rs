//! The slow log, in the form of MySQL's own, so that its tools read it (`mysqldumpslow`, `pt-query-digest`).
//!
//! ```text
//! # Time: 2026-12-01T02:13:47.623456Z
//! # User@Host: app[app] @ 10.0.0.7 [10.0.0.7]  Id:    12
//! # Query_time: 5.500000  Lock_time: 0.000000 Rows_sent: 1  Rows_examined: 0 Rows_affected: 0 …
//! use shop;
//! SET timestamp=1796091222;
//! SELECT SLEEP(5.5);
//! ```
//!
//! `Time` is when it ended, `timestamp` when it began. What a proxy cannot know is 0 (`Lock_time`, `Rows_examined`). What
//! only a proxy knows stands behind that in the same line, as MySQL's `log_slow_extra` has more there, too: `Errno`,
//! `Bytes_received`, `Bytes_sent`, `Route_units`, and where the time went (`Parse_time`, `Plan_time`, `Lease_time`: waiting for
//! a connection, `Answer_time`: until a server had begun to answer, `Relay_time`: until the answer had been sent). A phase
//! that was not reached is missing.
//!
//! Texts are written as they are, with the parameters of prepared statements in the place of their `?`. Where a line of
//! one begins with `#` behind a `;`, a space is put before it: those two are what parts records.

use std::time::Duration;

use observe::{Command, Event, Phases, Statement, Value, Wants};
use sql::Mode;
use sql::lexer::{Lexer, TokenKind};

use crate::file::LogFile;
use crate::logging::Log;
use crate::sink::Sink;
use crate::stamp::{Stamps, put_padded};
use crate::text;

/// Writes slow statements down.
#[derive(Debug)]
pub struct SlowLog {
    file: LogFile,
    stamps: Stamps,
    limit: usize,
    parameters: bool,
    threshold: Duration,
    /// The text of the current statement.
    statement: Vec<u8>,
}

impl SlowLog {
    /// Its name in messages and counters.
    pub const NAME: &str = "slow-log";

    /// Writes statements that take as long as this, or longer.
    pub fn new(file: LogFile, config: &Log, threshold: Duration) -> Self {
        let Log { limit, parameters, .. } = *config;
        Self { file, stamps: Stamps::default(), limit, parameters, threshold, statement: Vec::new() }
    }
}

impl Sink for SlowLog {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn wants(&self) -> Wants {
        let parameters = if self.parameters { Wants::PARAMETERS } else { Wants::empty() };
        Wants::SLOW | Wants::PHASES | Wants::WAIT | parameters
    }

    fn slow(&self) -> Option<Duration> {
        Some(self.threshold)
    }

    fn text_limit(&self) -> usize {
        self.limit
    }

    fn take(&mut self, event: &Event<'_>) {
        let Event::Statement(statement) = event else { return };
        if statement.head.elapsed < self.threshold {
            return;
        }
        self.statement.clear();
        put_text(&mut self.statement, statement, self.limit);
        let Self { file, stamps, statement: text, .. } = self;
        file.record(|out| {
            put_head(out, stamps, statement);
            put_guarded(out, text);
            out.extend_from_slice(b";\n");
        });
    }

    fn file(&mut self) -> Option<&mut LogFile> {
        Some(&mut self.file)
    }
}

/// All lines before the text.
fn put_head(out: &mut Vec<u8>, stamps: &mut Stamps, statement: &Statement<'_>) {
    let head = &statement.head;
    let put = |out: &mut Vec<u8>, text: &str| out.extend_from_slice(text.as_bytes());
    put(out, "# Time: ");
    stamps.put(out, head.at + head.elapsed);
    put(out, "\n# User@Host: ");
    text::put_line(out, head.user.as_bytes());
    put(out, "[");
    text::put_line(out, head.user.as_bytes());
    put(out, "] @ ");
    let host = head.client.rsplit_once(':').map_or(head.client, |(host, _)| host);
    let host = host.trim_start_matches('[').trim_end_matches(']');
    put(out, host);
    put(out, " [");
    put(out, host);
    // As wide as MySQL makes it.
    put(out, &format!("]  Id: {:>5}\n# Query_time: ", head.session));
    put_seconds(out, head.elapsed);
    put(out, "  Lock_time: 0.000000");
    for (before, name, number) in [
        (" ", "Rows_sent", statement.rows_sent),
        ("  ", "Rows_examined", 0),
        (" ", "Rows_affected", statement.rows_affected),
        (" ", "Errno", head.error.map_or(0, |error| error.code.into())),
        (" ", "Bytes_received", statement.bytes_received),
        (" ", "Bytes_sent", statement.bytes_sent),
        (" ", "Route_units", statement.route_units.into()),
    ] {
        put(out, before);
        put(out, name);
        put(out, ": ");
        text::put_number(out, number);
    }
    for (name, took) in phases(&statement.phases, head.elapsed) {
        put(out, " ");
        put(out, name);
        put(out, ": ");
        put_seconds(out, took);
    }
    out.push(b'\n');
    if !head.database.is_empty() {
        put(out, "use ");
        text::put_line(out, head.database.as_bytes());
        put(out, ";\n");
    }
    put(out, "SET timestamp=");
    let began = head.at.duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    text::put_number(out, began.as_secs());
    put(out, ";\n");
}

/// How long each phase took that was reached.
fn phases(phases: &Phases, elapsed: Duration) -> impl Iterator<Item = (&'static str, Duration)> {
    let ends = [
        ("Parse_time", phases.parsed),
        ("Plan_time", phases.planned),
        ("Lease_time", phases.leased),
        ("Answer_time", phases.answered),
    ];
    let answered = !phases.answered.is_zero();
    let ends = ends.into_iter().filter(|(_, end)| !end.is_zero());
    let relayed = answered.then_some(("Relay_time", elapsed));
    let mut before = Duration::ZERO;
    ends.chain(relayed)
        .map(move |(name, end)| (name, end.saturating_sub(std::mem::replace(&mut before, end))))
}

/// The text, or what MySQL writes in the place of one.
fn put_text(out: &mut Vec<u8>, statement: &Statement<'_>, limit: usize) {
    if statement.text.is_empty() && statement.command != Command::Query {
        out.extend_from_slice(b"# administrator command: ");
        out.extend_from_slice(statement.command.name().as_bytes());
        return;
    }
    let told = &statement.text[..statement.text.len().min(limit)];
    let is_executed = statement.command == Command::Execute;
    if !(is_executed && put_filled(out, told, statement)) {
        out.extend_from_slice(told.trim_ascii_end().strip_suffix(b";").unwrap_or(told));
    }
    let missing = statement.text_length.saturating_sub(told.len() as u64);
    if missing > 0 {
        out.extend_from_slice(format!(" /* {missing} bytes more */").as_bytes());
    }
}

/// Appends the text with parameters in the place of each `?`; nothing is appended where there are not as many.
fn put_filled(out: &mut Vec<u8>, told: &[u8], statement: &Statement<'_>) -> bool {
    let mut values = statement.parameters;
    if values.is_empty() {
        return false;
    }
    // Of the same length and with the same tokens, in whatever character set it is.
    let ascii: String =
        told.iter().map(|byte| if byte.is_ascii() { char::from(*byte) } else { 'x' }).collect();
    let mut lexer = Lexer::new(&ascii, Mode::default());
    let (start, mut from) = (out.len(), 0);
    // A text that was cut may end in the midst of a token.
    while let Ok(Some(token)) = lexer.token() {
        if token.kind == TokenKind::Param {
            let Some(value) = values.next() else {
                out.truncate(start);
                return false;
            };
            let at = token.start as usize;
            out.extend_from_slice(&told[from..at]);
            put_literal(out, value);
            from = at + 1;
        }
    }
    if !values.is_empty() && statement.text_length == told.len() as u64 {
        out.truncate(start);
        return false;
    }
    out.extend_from_slice(&told[from..]);
    true
}

/// A value as SQL has it.
fn put_literal(out: &mut Vec<u8>, value: Value<'_>) {
    let (bytes, missing) = match value {
        Value::Text(bytes) => (bytes, 0),
        Value::Cut { start, length } => (start, length.saturating_sub(start.len() as u64)),
        value => return text::put_value(out, value),
    };
    out.push(b'\'');
    for &byte in bytes {
        match byte {
            0 => out.extend_from_slice(b"\\0"),
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\r' => out.extend_from_slice(b"\\r"),
            b'\x1a' => out.extend_from_slice(b"\\Z"),
            b'\\' | b'\'' | b'"' => out.extend_from_slice(&[b'\\', byte]),
            _ => out.push(byte),
        }
    }
    out.push(b'\'');
    if missing > 0 {
        out.extend_from_slice(format!(" /* {missing} bytes more */").as_bytes());
    }
}

/// Appends a text in which nothing looks like the end of a record.
fn put_guarded(out: &mut Vec<u8>, text: &[u8]) {
    let mut rest = text;
    while let Some(at) = rest.windows(3).position(|window| window == b";\n#") {
        out.extend_from_slice(&rest[..at + 2]);
        out.push(b' ');
        rest = &rest[at + 2..];
    }
    out.extend_from_slice(rest);
}

fn put_seconds(out: &mut Vec<u8>, time: Duration) {
    text::put_number(out, time.as_secs());
    out.push(b'.');
    put_padded::<6>(out, time.subsec_micros());
}

#[cfg(test)]
mod tests;
