//! What a server answered, taken apart without losing anything that two answers could differ in.

use std::fmt;
use std::io;

use bytes::BytesMut;
use wire::caps::{Capabilities, Status};
use wire::column::Column;
use wire::reply;
use wire::row;

/// An ERR packet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The number.
    pub code: u16,
    /// The SQLSTATE.
    pub state: String,
    /// The text.
    pub text: String,
}

impl Fault {
    /// Reads an ERR packet.
    pub fn read(payload: &[u8]) -> Result<Self, wire::Error> {
        let error = reply::Err::decode(payload)?;
        Ok(Self { code: error.code, state: error.state_text().into_owned(), text: error.text().into_owned() })
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({}): {}", self.code, self.state, self.text)
    }
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The connection broke.
    #[error("the connection broke: {0}")]
    Closed(#[from] io::Error),
    /// The server does not speak the protocol.
    #[error("{0}")]
    Protocol(String),
    /// The server refused.
    #[error("{0}")]
    Server(Fault),
}

impl From<wire::Error> for Failure {
    fn from(error: wire::Error) -> Self {
        Self::Protocol(error.to_string())
    }
}

impl Failure {
    /// The server's error.
    ///
    /// # Panics
    /// When it was something else.
    #[must_use]
    #[track_caller]
    pub fn fault(self) -> Fault {
        match self {
            Self::Server(fault) => fault,
            other => panic!("an error of the server was expected: {other}"),
        }
    }
}

/// An OK packet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Done {
    /// Rows changed.
    pub affected: u64,
    /// The first generated key.
    pub insert_id: u64,
    /// Warnings waiting.
    pub warnings: u16,
    /// The state of the session.
    pub status: Status,
    /// A text for people.
    pub info: String,
    /// The changes of the session's state, encoded.
    pub changes: Option<Vec<u8>>,
}

impl Done {
    fn new(ok: &reply::Ok<'_>) -> Self {
        Self {
            affected: ok.affected,
            insert_id: ok.insert_id,
            warnings: ok.warnings,
            status: ok.status,
            info: String::from_utf8_lossy(ok.info).into_owned(),
            changes: ok.raw_changes.map(<[u8]>::to_vec),
        }
    }
}

/// A result set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table {
    /// The columns.
    pub columns: Vec<Column>,
    /// The payload of each row.
    pub rows: Vec<Vec<u8>>,
    /// Whether the rows are in the binary form.
    pub binary: bool,
    /// What the end of the rows said.
    pub end: Done,
}

impl Table {
    /// Every cell as text, NULL as `NULL`; bytes that are no UTF-8 are replaced.
    #[must_use]
    pub fn text(&self) -> Vec<Vec<String>> {
        self.rows.iter().map(|row| self.row_text(row)).collect()
    }

    /// One row as text.
    ///
    /// # Panics
    /// When the row cannot be read.
    #[must_use]
    pub fn row_text(&self, row: &[u8]) -> Vec<String> {
        let shown = |bytes: Option<&[u8]>| {
            bytes.map_or_else(|| "NULL".into(), |b| String::from_utf8_lossy(b).into_owned())
        };
        if !self.binary {
            let cells: Result<Vec<_>, _> = row::text(row).collect();
            let cells = cells.unwrap_or_else(|error| panic!("a text row: {error}: {row:?}"));
            assert_eq!(cells.len(), self.columns.len(), "cells of a row {row:?}");
            return cells.into_iter().map(shown).collect();
        }
        let cells = row::binary(row, &self.columns).and_then(Iterator::collect::<Result<Vec<_>, _>>);
        let cells = cells.unwrap_or_else(|error| panic!("a binary row: {error}: {row:?}"));
        cells
            .iter()
            .zip(&self.columns)
            .map(|(cell, column)| {
                if cell.is_null() {
                    return shown(None);
                }
                let mut text = BytesMut::new();
                cell.write_text(&mut text, column.decimals);
                shown(Some(&text))
            })
            .collect()
    }

    /// The names of the columns.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        self.columns.iter().map(|column| String::from_utf8_lossy(&column.name).into_owned()).collect()
    }
}

/// An answer to a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reply {
    /// OK.
    Done(Done),
    /// ERR.
    Error(Fault),
    /// Rows.
    Rows(Table),
}

impl Reply {
    /// The rows.
    ///
    /// # Panics
    /// When it is none.
    #[must_use]
    #[track_caller]
    pub fn table(self) -> Table {
        match self {
            Self::Rows(table) => table,
            other => panic!("rows were expected: {other:?}"),
        }
    }

    /// The OK.
    ///
    /// # Panics
    /// When it is none.
    #[must_use]
    #[track_caller]
    pub fn done(self) -> Done {
        match self {
            Self::Done(done) => done,
            other => panic!("OK was expected: {other:?}"),
        }
    }

    /// The error.
    ///
    /// # Panics
    /// When it is none.
    #[must_use]
    #[track_caller]
    pub fn fault(self) -> Fault {
        match self {
            Self::Error(fault) => fault,
            other => panic!("an error was expected: {other:?}"),
        }
    }

    /// Whether another result follows.
    #[must_use]
    pub fn more(&self) -> bool {
        let status = match self {
            Self::Done(done) => done.status,
            Self::Rows(table) => table.end.status,
            Self::Error(_) => return false,
        };
        status.contains(Status::MORE_RESULTS_EXIST)
    }
}

/// Reads one answer from messages.
pub(crate) fn read_reply(
    capabilities: Capabilities,
    binary: bool,
    mut receive: impl FnMut() -> Result<Vec<u8>, Failure>,
) -> Result<Reply, Failure> {
    let first = receive()?;
    match first.first() {
        Some(&reply::OK) => {
            return Ok(Reply::Done(Done::new(&reply::Ok::decode(&first, capabilities)?)));
        }
        Some(&reply::ERR) => return Ok(Reply::Error(Fault::read(&first)?)),
        Some(&reply::LOCAL_INFILE) | None => {
            return Err(Failure::Protocol(format!("an answer that begins with {:?}", first.first())));
        }
        Some(_) => {}
    }
    let count = wire::cursor::Cursor::new(&first).lenenc("number of columns")?;
    let columns: Result<Vec<_>, Failure> = (0..count).map(|_| Ok(Column::decode(&receive()?)?)).collect();
    let columns = columns?;
    if !capabilities.contains(Capabilities::DEPRECATE_EOF) {
        let message = receive()?;
        if reply::Eof::decode(&message)?.status.contains(Status::CURSOR_EXISTS) {
            // Rows are to be fetched.
            let end = Done::new(&reply::decode_end(&message, capabilities)?);
            return Ok(Reply::Rows(Table { columns, rows: Vec::new(), binary, end }));
        }
    }
    read_rows(capabilities, binary, columns, receive)
}

/// Reads rows and what ends them.
pub(crate) fn read_rows(
    capabilities: Capabilities,
    binary: bool,
    columns: Vec<Column>,
    mut receive: impl FnMut() -> Result<Vec<u8>, Failure>,
) -> Result<Reply, Failure> {
    let mut rows = Vec::new();
    loop {
        let message = receive()?;
        if message.first() == Some(&reply::ERR) {
            return Ok(Reply::Error(Fault::read(&message)?));
        }
        if reply::ends_rows(&message, capabilities) {
            let end = Done::new(&reply::decode_end(&message, capabilities)?);
            return Ok(Reply::Rows(Table { columns, rows, binary, end }));
        }
        rows.push(message);
    }
}
