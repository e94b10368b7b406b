//! Answers that the session writes itself: OK, errors and small result sets.

use bytes::BytesMut;
use wire::caps::{Capabilities, Status};
use wire::column::{Column, ColumnType};
use wire::value::{Date, DateTime, Time};
use wire::{reply, row};

use crate::client::Client;
use crate::error::Problem;

/// How a result set's rows are written.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Format {
    Binary,
    Text,
}

impl Client {
    /// Done; nothing to show.
    pub(crate) fn put_ok(&mut self, status: Status) {
        self.put_done(&done(status));
    }

    /// Done, with figures.
    pub(crate) fn put_done(&mut self, ok: &reply::Ok<'_>) {
        let capabilities = self.capabilities;
        self.put(|out| ok.encode(out, capabilities));
    }

    /// It failed.
    pub(crate) fn put_problem(&mut self, problem: &Problem) {
        let mut state = *b"HY000";
        for (to, from) in state.iter_mut().zip(problem.state.bytes()) {
            *to = from;
        }
        let error = reply::Err { code: problem.code, state, message: problem.message.as_bytes() };
        self.put(|out| error.encode(out));
    }

    /// An error that answers no command, as MySQL sends it before it hangs up: its packet is the first of an exchange.
    pub(crate) fn put_unasked(&mut self, problem: &Problem) {
        self.sequence = 0;
        self.put_problem(problem);
    }

    /// A result set; every value is given by its text.
    pub(crate) fn put_rows<T: AsRef<[u8]>>(
        &mut self,
        columns: &[Column],
        rows: &[Vec<Option<T>>],
        format: Format,
        status: Status,
    ) {
        self.put_warned_rows(columns, rows, format, &done(status));
    }

    /// The same with what is told at its end.
    pub(crate) fn put_warned_rows<T: AsRef<[u8]>>(
        &mut self,
        columns: &[Column],
        rows: &[Vec<Option<T>>],
        format: Format,
        end: &reply::Ok<'_>,
    ) {
        let status = end.status;
        self.put(|out| wire::cursor::put_lenenc(out, columns.len() as u64));
        self.put_columns(columns, status);
        for cells in rows {
            let cells = cells.iter().map(|cell| cell.as_ref().map(AsRef::as_ref));
            self.put(|out| match format {
                Format::Text => row::put_text(out, cells),
                Format::Binary => put_binary(out, columns, cells),
            });
        }
        let capabilities = self.capabilities;
        self.put(|out| reply::put_end(out, end, capabilities));
    }

    /// Column definitions, and the EOF behind them for clients that know it.
    pub(crate) fn put_columns(&mut self, columns: &[Column], status: Status) {
        for column in columns {
            self.put(|out| column.encode(out));
        }
        if !columns.is_empty() {
            self.put_columns_end(status);
        }
    }

    /// The EOF behind column definitions, for clients that know it.
    pub(crate) fn put_columns_end(&mut self, status: Status) {
        if !self.capabilities.contains(Capabilities::DEPRECATE_EOF) {
            self.put(|out| reply::Eof { warnings: 0, status }.encode(out));
        }
    }
}

/// An OK without figures.
pub(crate) const fn done(status: Status) -> reply::Ok<'static> {
    reply::Ok { affected: 0, insert_id: 0, status, warnings: 0, info: b"", raw_changes: None }
}

/// A binary row of values that are given by their texts, as their columns have it.
fn put_binary<'a>(out: &mut BytesMut, columns: &[Column], cells: impl Iterator<Item = Option<&'a [u8]>>) {
    use wire::value::Value;
    let values: Vec<Value<'a>> = cells
        .zip(columns)
        .map(|(cell, column)| match cell {
            None => Value::Null,
            Some(text) if column.value_kind().is_string() => Value::Bytes(text),
            Some(text) => {
                std::str::from_utf8(text).ok().and_then(|text| value(text, column)).unwrap_or(Value::Null)
            }
        })
        .collect();
    let kinds: Vec<_> = columns.iter().map(Column::value_kind).collect();
    // A server's texts and our own always fit the kinds their own columns were made with.
    let written =
        row::put_binary(out, columns.len(), values.iter().zip(kinds).map(|(value, kind)| (*value, kind)));
    debug_assert!(written.is_ok(), "a value does not fit its own column");
}

/// A value of a column that is no string, from its text.
fn value(text: &str, column: &Column) -> Option<wire::value::Value<'static>> {
    use wire::value::Value;
    Some(match column.kind {
        ColumnType::DOUBLE | ColumnType::FLOAT => Value::Double(text.parse().ok()?),
        ColumnType::DATE => Value::Date(moment(text)?.date),
        ColumnType::DATETIME | ColumnType::TIMESTAMP => Value::DateTime(moment(text)?),
        ColumnType::TIME => Value::Time(span(text)?),
        _ => match text.parse() {
            Ok(value) => Value::Int(value),
            Err(_) => Value::UInt(text.parse().ok()?),
        },
    })
}

/// `2024-02-29`, `2024-02-29 23:59:59.5`
fn moment(text: &str) -> Option<DateTime> {
    let (date, time) = text.split_once(' ').unwrap_or((text, "00:00:00"));
    let mut parts = date.split('-');
    let date = Date {
        year: parts.next()?.parse().ok()?,
        month: parts.next()?.parse().ok()?,
        day: parts.next()?.parse().ok()?,
    };
    let Time { hours: hour, minutes: minute, seconds: second, micros, .. } = span(time)?;
    Some(DateTime { date, hour, minute, second, micros })
}

/// `-838:59:59.000000`
fn span(text: &str) -> Option<Time> {
    let (negative, text) = text.strip_prefix('-').map_or((false, text), |text| (true, text));
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let mut parts = whole.split(':');
    let hours: u32 = parts.next()?.parse().ok()?;
    let (minutes, seconds) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
    let micros = format!("{fraction:0<6}").get(..6)?.parse().ok()?;
    Some(Time { negative, days: hours / 24, hours: (hours % 24) as u8, minutes, seconds, micros })
}
