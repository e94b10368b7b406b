//! The general log: every command of every session, one line each, in columns parted by tabs.
//!
//! | column | |
//! |---|---|
//! | time | when the command came, UTC: `2026-12-01T02:13:42.123456Z` |
//! | session | connection id |
//! | command | as MySQL's general log calls it: `Query`, `Execute`, `Connect` … |
//! | user | as logged in |
//! | client | `address:port` |
//! | database | current one |
//! | elapsed | seconds until its last answer had been sent: `0.000512`; of `Quit`, how long the session lasted |
//! | units | route units; 0 where the proxy answered itself |
//! | rows | rows sent |
//! | affected | rows changed |
//! | error | `1146 42S02 Table 'db.t' doesn't exist` |
//! | sql | the text, passwords left out |
//! | parameters | of an executed statement: `[1, 'abc', NULL]` |
//!
//! What is empty is `-`. Texts are written as [`text::put_line`] does, so that a line holds one record and every byte can
//! be told. Of a text that was cut the end says how many bytes are missing: `\+123`.

use observe::{Event, Head, Session, Statement, Wants};

use crate::file::LogFile;
use crate::logging::Log;
use crate::sink::Sink;
use crate::stamp::{Stamps, put_padded};
use crate::text;

/// Writes every command down.
#[derive(Debug)]
pub struct GeneralLog {
    file: LogFile,
    stamps: Stamps,
    limit: usize,
    parameters: bool,
}

impl GeneralLog {
    /// Its name in messages and counters.
    pub const NAME: &str = "general-log";

    /// Writes into this file.
    pub fn new(file: LogFile, config: &Log) -> Self {
        Self { file, stamps: Stamps::default(), limit: config.limit, parameters: config.parameters }
    }
}

impl Sink for GeneralLog {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn wants(&self) -> Wants {
        let parameters = if self.parameters { Wants::PARAMETERS } else { Wants::empty() };
        // Who cannot wait would not be in the log.
        Wants::STATEMENTS | Wants::SESSIONS | Wants::WAIT | parameters
    }

    fn text_limit(&self) -> usize {
        self.limit
    }

    fn take(&mut self, event: &Event<'_>) {
        let Self { file, stamps, limit, parameters } = self;
        file.record(|out| match event {
            Event::Statement(statement) => put_statement(out, stamps, statement, *limit, *parameters),
            Event::Connect(session) => put_session(out, stamps, "Connect", session),
            Event::ChangeUser(session) => put_session(out, stamps, "Change user", session),
            Event::Quit(session) => put_session(out, stamps, "Quit", session),
        });
    }

    fn file(&mut self) -> Option<&mut LogFile> {
        Some(&mut self.file)
    }
}

fn put_statement(
    out: &mut Vec<u8>,
    stamps: &mut Stamps,
    statement: &Statement<'_>,
    limit: usize,
    parameters: bool,
) {
    let Statement { head, route_units, rows_sent, rows_affected, .. } = statement;
    let numbers = [u64::from(*route_units), *rows_sent, *rows_affected];
    put_head(out, stamps, statement.command.name(), head, numbers);
    let told = &statement.text[..statement.text.len().min(limit)];
    put_text(out, told);
    let missing = statement.text_length.saturating_sub(told.len() as u64);
    if missing > 0 {
        text::put_cut(out, missing);
    }
    out.push(b'\t');
    if parameters && !statement.parameters.is_empty() {
        let mut before = b'[';
        for value in statement.parameters {
            out.push(before);
            if before != b'[' {
                out.push(b' ');
            }
            before = b',';
            text::put_value(out, value);
        }
        out.push(b']');
    } else {
        out.push(b'-');
    }
    out.push(b'\n');
}

fn put_session(out: &mut Vec<u8>, stamps: &mut Stamps, command: &str, session: &Session<'_>) {
    put_head(out, stamps, command, &session.head, [0; 3]);
    out.extend_from_slice(b"-\t-\n");
}

/// The columns up to the error, each with a tab behind it.
fn put_head(out: &mut Vec<u8>, stamps: &mut Stamps, command: &str, head: &Head<'_>, numbers: [u64; 3]) {
    stamps.put(out, head.at);
    out.push(b'\t');
    text::put_number(out, head.session.into());
    out.push(b'\t');
    out.extend_from_slice(command.as_bytes());
    for name in [head.user, head.client, head.database] {
        out.push(b'\t');
        put_text(out, name.as_bytes());
    }
    out.push(b'\t');
    text::put_number(out, head.elapsed.as_secs());
    out.push(b'.');
    put_padded::<6>(out, head.elapsed.subsec_micros());
    for number in numbers {
        out.push(b'\t');
        text::put_number(out, number);
    }
    out.push(b'\t');
    match head.error {
        None => out.push(b'-'),
        Some(error) => {
            text::put_number(out, error.code.into());
            out.push(b' ');
            text::put_line(out, &error.state);
            if !error.message.is_empty() {
                out.push(b' ');
                text::put_line(out, error.message);
            }
        }
    }
    out.push(b'\t');
}

/// A text that may be empty.
fn put_text(out: &mut Vec<u8>, text: &[u8]) {
    if text.is_empty() {
        out.push(b'-');
    } else {
        text::put_line(out, text);
    }
}

#[cfg(test)]
pub(crate) mod tests;
