//! What a record says, whatever its form: the fields of Percona Server's audit log under its names, then Weir's own.

use std::time::{SystemTime, UNIX_EPOCH};

use observe::{Event, Head, Session, Statement};

use super::class::{Classes, command_class};
use super::escape;
use super::filter::host;
use crate::stamp::Stamps;
use crate::text;

/// A field: its name in JSON and CSV, and the one in XML.
#[derive(Clone, Copy, Debug)]
pub(super) struct Field {
    pub(super) name: &'static str,
    pub(super) upper: &'static str,
    /// What stands before its value in JSON, a comma in front.
    pub(super) key: &'static str,
}

macro_rules! field {
    ($name:ident, $lower:literal) => {
        Field { name: $lower, upper: stringify!($name), key: concat!(",\"", $lower, "\":") }
    };
}

macro_rules! fields {
    ($first:ident, $lower_first:literal; $($name:ident, $lower:literal;)*) => {
        /// The fields, in their order.
        pub(super) mod field {
            use super::Field;

            pub(in super::super) const $first: Field = field!($first, $lower_first);
            $(pub(in super::super) const $name: Field = field!($name, $lower);)*

            /// All of them: the columns of CSV.
            pub(in super::super) const ALL: &[Field] = &[$first, $($name),*];

            /// Their names in the first line of a file.
            pub(in super::super) const HEADER: &str = concat!($lower_first $(, ",", $lower)*, "\n");
        }
    };
}

fields! {
    NAME, "name";
    RECORD, "record";
    TIMESTAMP, "timestamp";
    COMMAND_CLASS, "command_class";
    CONNECTION_ID, "connection_id";
    STATUS, "status";
    SQLTEXT, "sqltext";
    USER, "user";
    HOST, "host";
    OS_USER, "os_user";
    IP, "ip";
    DB, "db";
    PRIV_USER, "priv_user";
    OS_LOGIN, "os_login";
    PROXY_USER, "proxy_user";
    CLASS, "class";
    PORT, "port";
    TIME_US, "time_us";
    DURATION_US, "duration_us";
    SQLSTATE, "sqlstate";
    ERROR, "error";
    ERROR_PARTY, "error_party";
    TLS, "tls";
    STATEMENTS, "statements";
    TARGET_DB, "target_db";
    STATEMENT_ID, "statement_id";
    PARAMETERS, "parameters";
    ROWS_SENT, "rows_sent";
    ROWS_AFFECTED, "rows_affected";
    INSERT_ID, "insert_id";
    WARNINGS, "warnings";
    BYTES_RECEIVED, "bytes_received";
    BYTES_SENT, "bytes_sent";
    DIGEST, "digest";
    TRANSACTION, "transaction";
    SHARDS, "shards";
    UNITS, "units";
    PHYSICAL_SQL, "physical_sql";
    TRACE_ID, "trace_id";
    TEXT_BYTES, "text_bytes";
    TRUNCATED, "truncated";
    MASKED, "masked";
}

/// Takes the fields of one record, in the order of [`field::ALL`].
pub(super) trait Form {
    /// Any bytes.
    fn text(&mut self, field: Field, bytes: &[u8]);

    /// Printable ASCII in which nothing is to be escaped.
    fn plain(&mut self, field: Field, text: &str);

    /// A number, or `true` or `false`.
    fn bare(&mut self, field: Field, text: &str);

    /// It has no such field.
    fn absent(&mut self, field: Field);
}

/// What a writer of records keeps between two.
#[derive(Debug)]
pub(super) struct Writing {
    /// `_2026-12-01T02:03:22.123456Z`: what tells records of one process from those of another.
    epoch: String,
    stamps: Stamps,
    max_text: usize,
    physical: bool,
    scratch: Vec<u8>,
}

impl Writing {
    pub(super) fn new(epoch: SystemTime, max_text: usize, physical: bool) -> Self {
        let mut stamps = Stamps::default();
        let mut text = vec![b'_'];
        stamps.put(&mut text, epoch);
        let epoch = String::from_utf8_lossy(&text).into_owned();
        Self { epoch, stamps, max_text, physical, scratch: Vec::new() }
    }

    /// Writes one event.
    pub(super) fn write(&mut self, form: &mut impl Form, event: &Event<'_>, classes: Classes) {
        match event {
            Event::Connect(session) => self.session(form, "Connect", session, classes),
            Event::ChangeUser(session) => self.session(form, "Change user", session, classes),
            Event::Quit(session) => self.session(form, "Quit", session, classes),
            Event::Statement(statement) => self.statement(form, statement, classes),
        }
    }

    /// The number of a record, for none but this: `3.1742_2026-12-01T02:03:22.123456Z`.
    pub(super) fn record(&mut self, head: &Head<'_>) -> &str {
        let (worker, number) = head.record;
        self.scratch.clear();
        let mut digits = itoa::Buffer::new();
        self.scratch.extend_from_slice(digits.format(worker).as_bytes());
        self.scratch.push(b'.');
        self.scratch.extend_from_slice(digits.format(number).as_bytes());
        self.scratch.extend_from_slice(self.epoch.as_bytes());
        std::str::from_utf8(&self.scratch).unwrap_or_default()
    }

    /// When it began, to the second.
    pub(super) fn second(&mut self, head: &Head<'_>) -> &str {
        self.scratch.clear();
        self.stamps.put_second(&mut self.scratch, head.at);
        self.scratch.extend_from_slice(b" UTC");
        std::str::from_utf8(&self.scratch).unwrap_or_default()
    }

    /// As much of a text as is shown, and whether that is less than all of it.
    pub(super) fn cut<'t>(&self, statement: &Statement<'t>) -> (&'t [u8], bool) {
        let text = statement.text;
        let shown = &text[..text.len().min(self.max_text)];
        let whole = shown.len() == text.len() && text.len() as u64 >= statement.text_length;
        if whole { (shown, false) } else { (without_half_character(shown), true) }
    }

    fn statement(&mut self, form: &mut impl Form, statement: &Statement<'_>, classes: Classes) {
        let head = &statement.head;
        let (text, mut truncated) = self.cut(statement);
        form.plain(field::NAME, statement.command.name());
        self.numbers(form, head);
        form.plain(field::COMMAND_CLASS, command_class(statement));
        connection(form, head);
        form.text(field::SQLTEXT, text);
        self.user(form, head);
        absent(form, &[field::PRIV_USER, field::OS_LOGIN, field::PROXY_USER]);
        details(form, head, classes);
        absent(form, &[field::TLS, field::STATEMENTS]);
        some_text(form, field::TARGET_DB, statement.target);
        some_number(form, field::STATEMENT_ID, statement.prepared.map(u64::from));
        truncated |= self.parameters(form, statement);
        number(form, field::ROWS_SENT, statement.rows_sent);
        number(form, field::ROWS_AFFECTED, statement.rows_affected);
        some_number(form, field::INSERT_ID, Some(statement.insert_id).filter(|id| *id != 0));
        number(form, field::WARNINGS, u64::from(statement.warnings));
        number(form, field::BYTES_RECEIVED, statement.bytes_received);
        number(form, field::BYTES_SENT, statement.bytes_sent);
        self.some_hex(form, field::DIGEST, &statement.digest.to_be_bytes());
        form.bare(field::TRANSACTION, truth(statement.in_transaction));
        number(form, field::SHARDS, u64::from(statement.route_units));
        self.units(form, statement);
        let trace = statement.trace.map_or(0, |trace| trace.id);
        self.some_hex(form, field::TRACE_ID, &trace.to_be_bytes());
        some_number(form, field::TEXT_BYTES, Some(statement.text_length).filter(|_| truncated));
        form.bare(field::TRUNCATED, truth(truncated));
        form.bare(field::MASKED, truth(statement.masked));
    }

    fn session(&mut self, form: &mut impl Form, name: &str, session: &Session<'_>, classes: Classes) {
        let head = &session.head;
        form.plain(field::NAME, name);
        self.numbers(form, head);
        form.absent(field::COMMAND_CLASS);
        connection(form, head);
        form.absent(field::SQLTEXT);
        form.text(field::USER, head.user.as_bytes());
        origin(form, head);
        form.text(field::PRIV_USER, head.user.as_bytes());
        form.plain(field::OS_LOGIN, "");
        form.plain(field::PROXY_USER, "");
        details(form, head, classes);
        form.bare(field::TLS, truth(session.encrypted));
        number(form, field::STATEMENTS, session.statements);
        let rest = field::ALL.iter().skip_while(|field| field.name != field::TARGET_DB.name);
        rest.for_each(|field| form.absent(*field));
    }

    fn numbers(&mut self, form: &mut impl Form, head: &Head<'_>) {
        form.plain(field::RECORD, self.record(head));
        form.plain(field::TIMESTAMP, self.second(head));
    }

    /// Who sent a statement, as MySQL's logs tell it: `app[app] @  [10.0.0.1]`.
    fn user(&mut self, form: &mut impl Form, head: &Head<'_>) {
        self.scratch.clear();
        put_user(&mut self.scratch, head);
        form.text(field::USER, &self.scratch);
        origin(form, head);
    }

    /// Parameters as a list; whether it is cut.
    fn parameters(&mut self, form: &mut impl Form, statement: &Statement<'_>) -> bool {
        if statement.parameters.is_empty() {
            form.absent(field::PARAMETERS);
            return false;
        }
        self.scratch.clear();
        self.scratch.push(b'[');
        for (number, value) in statement.parameters.enumerate() {
            if number > 0 {
                self.scratch.extend_from_slice(b", ");
            }
            text::put_value(&mut self.scratch, value);
        }
        self.scratch.push(b']');
        let cut = self.scratch.len() > self.max_text;
        let shown = if cut { without_half_character(&self.scratch[..self.max_text]) } else { &self.scratch };
        form.text(field::PARAMETERS, shown);
        cut
    }

    /// The storage units, and what each was sent.
    fn units(&mut self, form: &mut impl Form, statement: &Statement<'_>) {
        if statement.runs.is_empty() {
            absent(form, &[field::UNITS, field::PHYSICAL_SQL]);
            return;
        }
        self.scratch.clear();
        for run in statement.runs {
            if !self.scratch.is_empty() {
                self.scratch.push(b',');
            }
            self.scratch.extend_from_slice(run.unit.as_bytes());
        }
        form.text(field::UNITS, &self.scratch);
        if !self.physical {
            form.absent(field::PHYSICAL_SQL);
            return;
        }
        self.scratch.clear();
        for run in statement.runs {
            if !self.scratch.is_empty() {
                self.scratch.push(b'\n');
            }
            self.scratch.extend_from_slice(run.unit.as_bytes());
            self.scratch.extend_from_slice(b" ::: ");
            self.scratch.extend_from_slice(&run.text[..run.text.len().min(self.max_text)]);
        }
        form.text(field::PHYSICAL_SQL, &self.scratch);
    }

    fn some_hex(&mut self, form: &mut impl Form, field: Field, bytes: &[u8]) {
        if bytes.iter().all(|byte| *byte == 0) {
            form.absent(field);
            return;
        }
        self.scratch.clear();
        escape::hex(&mut self.scratch, bytes);
        form.plain(field, std::str::from_utf8(&self.scratch).unwrap_or_default());
    }
}

/// `app[app] @  [10.0.0.1]`.
pub(super) fn put_user(out: &mut Vec<u8>, head: &Head<'_>) {
    out.extend_from_slice(head.user.as_bytes());
    out.push(b'[');
    out.extend_from_slice(head.user.as_bytes());
    out.extend_from_slice(b"] @  [");
    out.extend_from_slice(host(head.client).as_bytes());
    out.push(b']');
}

fn connection(form: &mut impl Form, head: &Head<'_>) {
    form.plain(field::CONNECTION_ID, itoa::Buffer::new().format(head.session));
    number(form, field::STATUS, status(head));
}

/// The number of the error, 0 for none.
pub(super) fn status(head: &Head<'_>) -> u64 {
    head.error.map_or(0, |error| u64::from(error.code))
}

/// Where somebody is. Names of hosts are not asked for, nor do clients tell who they are to their system.
fn origin(form: &mut impl Form, head: &Head<'_>) {
    let host = host(head.client);
    form.text(field::HOST, host.as_bytes());
    form.plain(field::OS_USER, "");
    form.text(field::IP, host.as_bytes());
    form.text(field::DB, head.database.as_bytes());
}

fn details(form: &mut impl Form, head: &Head<'_>, classes: Classes) {
    form.plain(field::CLASS, classes.name());
    let port = head.client.rsplit_once(':').and_then(|(_, port)| port.parse().ok());
    some_number(form, field::PORT, port);
    let at = head.at.duration_since(UNIX_EPOCH).unwrap_or_default();
    number(form, field::TIME_US, u64::try_from(at.as_micros()).unwrap_or(u64::MAX));
    number(form, field::DURATION_US, u64::try_from(head.elapsed.as_micros()).unwrap_or(u64::MAX));
    match &head.error {
        Some(error) => {
            form.text(field::SQLSTATE, &error.state);
            form.text(field::ERROR, error.message);
            form.plain(field::ERROR_PARTY, error.party.name());
        }
        None => {
            absent(form, &[field::SQLSTATE, field::ERROR, field::ERROR_PARTY]);
        }
    }
}

fn number(form: &mut impl Form, field: Field, number: u64) {
    form.bare(field, itoa::Buffer::new().format(number));
}

fn some_number(form: &mut impl Form, field: Field, some: Option<u64>) {
    match some {
        Some(it) => number(form, field, it),
        None => form.absent(field),
    }
}

fn some_text(form: &mut impl Form, field: Field, text: &str) {
    if text.is_empty() { form.absent(field) } else { form.text(field, text.as_bytes()) }
}

fn absent(form: &mut impl Form, fields: &[Field]) {
    fields.iter().for_each(|field| form.absent(*field));
}

const fn truth(flag: bool) -> &'static str {
    if flag { "true" } else { "false" }
}

/// Without the first bytes of a character at the end that was cut through.
fn without_half_character(bytes: &[u8]) -> &[u8] {
    let from = bytes.len().saturating_sub(3);
    let lead = bytes[from..].iter().rposition(|byte| *byte >= 0xc0);
    let Some(start) = lead.map(|at| from + at) else { return bytes };
    let half = std::str::from_utf8(&bytes[start..]).is_err_and(|error| error.error_len().is_none());
    if half { &bytes[..start] } else { bytes }
}
