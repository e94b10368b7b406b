//! Rows in the binary form shown as text: what `EXECUTE` of SQL runs as a prepared statement, its client reads as a query.

use bytes::BytesMut;
use wire::caps::Capabilities;
use wire::column::{Column, ColumnFlags};
use wire::cursor::{Cursor, put_lenenc};
use wire::value::Value;
use wire::{Error, frame, reply, row};

/// Where an answer is that passes.
#[derive(Debug)]
enum Phase {
    /// Before a result.
    First,
    /// So many definitions are to come.
    Columns(u64),
    /// The EOF behind them.
    ColumnsEnd,
    Rows,
}

/// Writes the answers anew that stand in a buffer from some place on.
#[derive(Debug)]
pub(crate) struct Recoder {
    capabilities: Capabilities,
    /// Where in the buffer begins what has not been written anew.
    from: usize,
    /// The number of the next frame.
    sequence: u8,
    phase: Phase,
    columns: Vec<Column>,
}

impl Recoder {
    /// For what will stand from byte `from` on.
    pub(crate) const fn new(capabilities: Capabilities, from: usize, sequence: u8) -> Self {
        Self { capabilities, from, sequence, phase: Phase::First, columns: Vec::new() }
    }

    /// Writes all whole messages anew; gives what there is of the next one, which the buffer must begin with the next
    /// time.
    pub(crate) fn recode(&mut self, output: &mut BytesMut) -> Result<BytesMut, Error> {
        let mut rest = output.split_off(self.from);
        self.from = 0;
        while let Some(len) = whole(&rest) {
            let message = rest.split_to(len);
            if len <= frame::HEADER + frame::MAX_PAYLOAD {
                self.message(&message[frame::HEADER..], output)?;
                continue;
            }
            let mut joined = BytesMut::with_capacity(len);
            for part in message.chunks(frame::HEADER + frame::MAX_PAYLOAD) {
                joined.extend_from_slice(&part[frame::HEADER..]);
            }
            self.message(&joined, output)?;
        }
        Ok(rest)
    }

    /// The number of the frame behind all.
    pub(crate) const fn sequence(&self) -> u8 {
        self.sequence
    }

    fn message(&mut self, payload: &[u8], output: &mut BytesMut) -> Result<(), Error> {
        let first = payload.first().copied().unwrap_or_default();
        let deprecate_eof = self.capabilities.contains(Capabilities::DEPRECATE_EOF);
        let after = if deprecate_eof { Phase::Rows } else { Phase::ColumnsEnd };
        match self.phase {
            Phase::First if !matches!(first, reply::OK | reply::ERR | reply::EOF) => {
                self.columns.clear();
                self.phase = Phase::Columns(Cursor::new(payload).lenenc("number of columns")?);
            }
            Phase::First => {}
            _ if first == reply::ERR && !matches!(self.phase, Phase::Rows) => self.phase = Phase::First,
            Phase::Columns(left) => {
                self.columns.push(Column::decode(payload)?);
                self.phase = if left > 1 { Phase::Columns(left - 1) } else { after };
            }
            Phase::ColumnsEnd => self.phase = Phase::Rows,
            Phase::Rows if first == reply::ERR || reply::ends_rows(payload, self.capabilities) => {
                self.phase = Phase::First;
            }
            Phase::Rows => {
                let columns = &self.columns;
                return frame::try_put_with(output, &mut self.sequence, |out| text(payload, columns, out));
            }
        }
        frame::put_with(output, &mut self.sequence, |out| out.extend_from_slice(payload));
        Ok(())
    }
}

/// Writes a row as text.
fn text(payload: &[u8], columns: &[Column], out: &mut BytesMut) -> Result<(), Error> {
    for (value, column) in row::binary(payload, columns)?.zip(columns) {
        let value = value?;
        let padded = column.flags.contains(ColumnFlags::ZEROFILL) && !value.is_null();
        if !padded || matches!(value, Value::Bytes(_)) {
            value.put_text(out, column.decimals);
            continue;
        }
        let mut cell = BytesMut::new();
        value.write_text(&mut cell, column.decimals);
        let width = usize::try_from(column.length).unwrap_or_default().min(255);
        let zeros = width.saturating_sub(cell.len());
        put_lenenc(out, (zeros + cell.len()) as u64);
        out.extend(std::iter::repeat_n(b'0', zeros));
        out.extend_from_slice(&cell);
    }
    Ok(())
}

/// How many bytes the first message of a buffer has with its headers, if all of it is there.
fn whole(bytes: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        let header = frame::header(bytes.get(at..)?)?;
        at += frame::HEADER + header.len;
        if at > bytes.len() {
            return None;
        }
        if header.len < frame::MAX_PAYLOAD {
            return Some(at);
        }
    }
}

#[cfg(test)]
mod tests {
    use wire::caps::Status;
    use wire::column::ColumnType;
    use wire::value::Kind;

    use super::*;

    #[test]
    fn rows_become_text_wherever_the_buffer_is_cut() {
        let capabilities = Capabilities::PROTOCOL_41 | Capabilities::DEPRECATE_EOF;
        let mut padded = Column::new("n", ColumnType::LONG);
        (padded.flags, padded.length) = (ColumnFlags::ZEROFILL | ColumnFlags::UNSIGNED, 5);
        let columns = [padded, Column::new("c", ColumnType::VAR_STRING)];
        let mut sent = BytesMut::new();
        let mut sequence = 1;
        let mut put =
            |write: &dyn Fn(&mut BytesMut)| frame::put_with(&mut sent, &mut sequence, |out| write(out));
        put(&|out| put_lenenc(out, 2));
        for column in &columns {
            put(&|out| column.encode(out));
        }
        let rows = [(Value::UInt(42), Value::Bytes(b"x")), (Value::Null, Value::Null)];
        for (number, string) in rows {
            put(&|out| {
                let kinds =
                    [Kind { column: ColumnType::LONG, unsigned: true }, Kind::new(ColumnType::VAR_STRING)];
                row::put_binary(out, 2, [(number, kinds[0]), (string, kinds[1])]).unwrap();
            });
        }
        let end = reply::Ok { status: Status::AUTOCOMMIT, ..reply::Ok::default() };
        put(&|out| reply::put_end(out, &end, capabilities));
        for cut in 0..sent.len() {
            let mut recoder = Recoder::new(capabilities, 3, 1);
            let mut told = BytesMut::new();
            let mut output = BytesMut::from(&b"abc"[..]);
            output.extend_from_slice(&sent[..cut]);
            let rest = recoder.recode(&mut output).unwrap();
            told.extend_from_slice(&output);
            output = rest;
            output.extend_from_slice(&sent[cut..]);
            assert!(recoder.recode(&mut output).unwrap().is_empty());
            told.extend_from_slice(&output);
            let (head, mut told) = told.split_at(3);
            assert_eq!(head, b"abc");
            let mut payloads = Vec::new();
            while let Some(len) = whole(told) {
                assert_eq!(usize::from(told[3]), payloads.len() + 1);
                payloads.push(told[4..len].to_vec());
                told = &told[len..];
            }
            assert_eq!(payloads[3..5], [b"\x0500042\x01x".to_vec(), b"\xfb\xfb".to_vec()]);
            assert_eq!((payloads.len(), recoder.sequence()), (6, 7));
        }
    }
}
