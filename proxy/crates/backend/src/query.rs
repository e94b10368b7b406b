//! The proxy's own small questions to a server: introspection, settings, pings. Results are held in memory.

use std::sync::Arc;

use bytes::Bytes;
use wire::attributes::put_query;
use wire::caps::{Capabilities, Status};
use wire::column::Column;
use wire::command::code;
use wire::frame::{Message, put_with};
use wire::{reply, scan};

use crate::connection::{Connection, Link};
use crate::error::{Error, Refusal};
use crate::settings::Settings;
use crate::tracking::Tracked;

/// A result set in memory; without columns for statements that have none.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct TextResult {
    /// Column definitions.
    pub columns: Vec<Column>,
    /// Cells by row; `None` is NULL.
    pub rows: Vec<Vec<Option<Bytes>>>,
    /// Rows changed.
    pub affected: u64,
}

impl TextResult {
    /// A cell as text, NULL and what is not there as the empty string.
    pub fn text(&self, row: usize, column: usize) -> std::borrow::Cow<'_, str> {
        let cell = self.rows.get(row).and_then(|row| row.get(column)).and_then(Option::as_deref);
        String::from_utf8_lossy(cell.unwrap_or_default())
    }
}

impl Connection {
    /// Runs a statement and keeps the whole result; of several results the first that has rows, else the last.
    ///
    /// An error packet of the server is [`Error::Refused`] and leaves the connection usable.
    pub async fn query(&mut self, sql: impl AsRef<[u8]>) -> Result<TextResult, Error> {
        self.ask(code::QUERY, sql.as_ref()).await?;
        let mut kept = TextResult::default();
        loop {
            let result = self.result().await?;
            if kept.columns.is_empty() {
                kept = result;
            }
            if !self.status().contains(Status::MORE_RESULTS_EXIST) {
                break;
            }
        }
        self.settle();
        Ok(kept)
    }

    /// The answer to a statement that has been sent among others: one result in the text form.
    pub async fn answer(&mut self) -> Result<TextResult, Error> {
        self.expect(1);
        self.result().await
    }

    /// Makes the connection as it was when it was opened, if a `SET` alone can't bring it to `wanted`
    /// (`COM_RESET_CONNECTION`; prepared statements go, too).
    ///
    /// `exact`: user variables may be read, so that those that the session has not set must not have types of others.
    pub async fn rewind(&mut self, wanted: &Settings, exact: bool) -> Result<(), Error> {
        let typed = exact && (self.is_stained() || self.settings().leaves_types(wanted));
        let enough = !typed && self.settings().retractable(wanted);
        // A reset would roll back, and end what the connection is kept for.
        if enough || self.link() == Link::InTransaction || self.is_tied() {
            return Ok(());
        }
        // Boxed, as all that is rare.
        Box::pin(self.cleanse()).await
    }

    /// Makes the connection as it was when it was opened, in one round trip (`COM_RESET_CONNECTION`): a transaction is
    /// rolled back, locks, temporary tables, variables and prepared statements are gone.
    pub async fn cleanse(&mut self) -> Result<(), Error> {
        // Statements to be closed are closed by it.
        self.forget_state();
        let (opening, some) = (self.opening(true), self.takes_attributes());
        put_with(self.output(), &mut 0, |out| out.extend_from_slice(&[code::RESET_CONNECTION]));
        for text in &opening {
            put_with(self.output(), &mut 0, |out| {
                put_query(out, some, None);
                out.extend_from_slice(text.as_bytes());
            });
        }
        self.flush().await?;
        for _ in 0..=opening.len() {
            self.expect(1);
            if let Err(error) = self.result().await {
                // Nobody knows what it has kept.
                self.poison();
                return Err(error);
            }
        }
        self.settle();
        self.take_tracked();
        Ok(())
    }

    /// Runs the `SET` that brings the connection to `wanted`, if one is needed.
    pub async fn apply(&mut self, wanted: &Settings) -> Result<(), Error> {
        self.rewind(wanted, false).await?;
        let before = self.settings().clone();
        if let Some(text) = self.sync(wanted) {
            let set = self.query(&text).await;
            if set.is_err() {
                // A SET is taken as a whole or not at all.
                self.restore(before);
            }
            // What was asked for is no news.
            self.take_tracked();
            set?;
        }
        Ok(())
    }

    /// Asks the server whether it is there.
    pub async fn ping(&mut self) -> Result<(), Error> {
        put_with(self.output(), &mut 0, |out| out.extend_from_slice(&[code::PING]));
        self.flush().await?;
        self.expect(1);
        self.result().await?;
        self.settle();
        Ok(())
    }

    async fn ask(&mut self, command: u8, sql: &[u8]) -> Result<(), Error> {
        let mut sequence = 0;
        let some = self.takes_attributes();
        put_with(self.output(), &mut sequence, |out| {
            if command == code::QUERY {
                put_query(out, some, None);
            } else {
                out.extend_from_slice(&[command]);
            }
            out.extend_from_slice(sql);
        });
        self.flush().await?;
        self.expect(sequence);
        Ok(())
    }

    /// The columns that a statement's rows would have, without running it; it may have parameters.
    pub async fn definitions(&mut self, sql: impl AsRef<[u8]>) -> Result<Vec<Column>, Error> {
        self.ask(code::STMT_PREPARE, sql.as_ref()).await?;
        let first = self.message().await?;
        if first.payload.first() == Some(&reply::ERR) {
            let refusal = self.refusal(&first)?;
            self.settle();
            return Err(Error::Refused { origin: Arc::clone(&self.origin), refusal });
        }
        let prepared = scan::Prepared::decode(&first.payload).map_err(|source| self.broken(source))?;
        let deprecate_eof = self.capabilities().contains(Capabilities::DEPRECATE_EOF);
        for _ in 0..prepared.params {
            self.message().await?;
        }
        if prepared.params > 0 && !deprecate_eof {
            self.message().await?;
        }
        let mut columns = Vec::with_capacity(usize::from(prepared.columns));
        for _ in 0..prepared.columns {
            let message = self.message().await?;
            columns.push(Column::decode(&message.payload).map_err(|source| self.broken(source))?);
        }
        if prepared.columns > 0 && !deprecate_eof {
            self.message().await?;
        }
        self.settle();
        // It has no answer, and goes with the next write.
        put_with(self.output(), &mut 0, |out| {
            out.extend_from_slice(&[code::STMT_CLOSE]);
            out.extend_from_slice(&prepared.statement.to_le_bytes());
        });
        self.flush().await?;
        self.settle();
        Ok(columns)
    }

    async fn result(&mut self) -> Result<TextResult, Error> {
        let first = self.message().await?;
        match first.payload.first() {
            Some(&reply::OK) => {
                let affected = self.done(&first)?;
                Ok(TextResult { affected, ..TextResult::default() })
            }
            Some(&reply::ERR) => {
                let refusal = self.refusal(&first)?;
                self.settle();
                Err(Error::Refused { origin: Arc::clone(&self.origin), refusal })
            }
            Some(&reply::LOCAL_INFILE) => {
                self.poison();
                Err(Error::Unexpected { origin: Arc::clone(&self.origin), what: "it asks for a local file" })
            }
            _ => self.rows(&first).await,
        }
    }

    async fn rows(&mut self, count: &Message) -> Result<TextResult, Error> {
        let count = wire::cursor::Cursor::new(&count.payload).lenenc("number of columns");
        let count = count.map_err(|source| self.broken(source))?;
        let mut result = TextResult::default();
        for _ in 0..count {
            let message = self.message().await?;
            let column = Column::decode(&message.payload).map_err(|source| self.broken(source))?;
            result.columns.push(column);
        }
        if !self.capabilities().contains(Capabilities::DEPRECATE_EOF) {
            self.message().await?;
        }
        loop {
            let message = self.message().await?;
            if message.payload.first() == Some(&reply::ERR) {
                let refusal = self.refusal(&message)?;
                self.settle();
                return Err(Error::Refused { origin: Arc::clone(&self.origin), refusal });
            }
            if reply::ends_rows(&message.payload, self.capabilities()) {
                self.done(&message)?;
                return Ok(result);
            }
            let payload = message.payload.freeze();
            let row: Result<_, _> =
                wire::row::text(&payload).map(|cell| Ok(cell?.map(|cell| payload.slice_ref(cell)))).collect();
            result.rows.push(row.map_err(|source| self.broken(source))?);
        }
    }

    /// Notes the status of an OK or of the end of rows.
    fn done(&mut self, message: &Message) -> Result<u64, Error> {
        let capabilities = self.capabilities();
        let ok = match message.payload.first() {
            Some(&reply::OK) => reply::Ok::decode(&message.payload, capabilities),
            _ => reply::decode_end(&message.payload, capabilities),
        };
        match ok {
            Ok(ok) => {
                self.note(ok.status);
                if ok.raw_changes.is_some() {
                    let mut tracked = Tracked::default();
                    tracked.add(&ok);
                    self.track(Box::new(tracked));
                }
                Ok(ok.affected)
            }
            Err(source) => Err(self.broken(source)),
        }
    }

    pub(crate) fn refusal(&mut self, message: &Message) -> Result<Refusal, Error> {
        match reply::Err::decode(&message.payload) {
            Ok(error) => Ok(Refusal {
                code: error.code,
                state: error.state_text().into_owned(),
                message: error.text().into_owned(),
            }),
            Err(source) => Err(self.broken(source)),
        }
    }
}
