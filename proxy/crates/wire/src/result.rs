//! Result sets of the proxy's own: columns, rows, end, as the client's capabilities ask.

use bytes::BytesMut;

use crate::{
    Error,
    caps::{Capabilities, Status},
    column::Column,
    cursor::put_lenenc,
    frame, reply, row,
    value::Value,
};

/// Writes a result set into a buffer, message by message.
#[derive(Debug)]
pub struct Writer<'o> {
    out: &'o mut BytesMut,
    sequence: &'o mut u8,
    capabilities: Capabilities,
}

impl<'o> Writer<'o> {
    /// Begins with the number of columns and their definitions.
    pub fn new(
        out: &'o mut BytesMut,
        sequence: &'o mut u8,
        capabilities: Capabilities,
        columns: &[Column],
        status: Status,
    ) -> Self {
        frame::put_with(out, sequence, |out| put_lenenc(out, columns.len() as u64));
        for column in columns {
            frame::put_with(out, sequence, |out| column.encode(out));
        }
        if !capabilities.contains(Capabilities::DEPRECATE_EOF) {
            let eof = reply::Eof { warnings: 0, status };
            frame::put_with(out, sequence, |out| eof.encode(out));
        }
        Self { out, sequence, capabilities }
    }

    /// Adds a row of text; `None` is NULL.
    pub fn text<'a>(&mut self, cells: impl IntoIterator<Item = Option<&'a [u8]>>) {
        frame::put_with(self.out, self.sequence, |out| row::put_text(out, cells));
    }

    /// Adds a row of values in the binary form, for the answer to an execute.
    pub fn binary<'a>(
        &mut self,
        columns: &[Column],
        values: impl IntoIterator<Item = Value<'a>>,
    ) -> Result<(), Error> {
        let kinds = columns.iter().map(Column::value_kind);
        frame::try_put_with(self.out, self.sequence, |out| {
            row::put_binary(out, columns.len(), values.into_iter().zip(kinds))
        })
    }

    /// Ends the rows.
    pub fn end(self, end: &reply::Ok<'_>) {
        frame::put_with(self.out, self.sequence, |out| reply::put_end(out, end, self.capabilities));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        column::ColumnType,
        scan::{Expect, Part, ResponseScan, Step},
    };

    #[test]
    fn writes_what_a_scan_can_follow() {
        let columns = [Column::text("name", 10), Column::new("number", ColumnType::LONG)];
        for (capabilities, frames) in [(Capabilities::empty(), 7), (Capabilities::DEPRECATE_EOF, 6)] {
            let (mut out, mut sequence) = (BytesMut::new(), 1);
            let mut result = Writer::new(&mut out, &mut sequence, capabilities, &columns, Status::AUTOCOMMIT);
            result.text([Some(&b"a"[..]), None]);
            result.binary(&columns, [Value::Bytes(b"b"), Value::Int(-1)]).unwrap();
            assert!(result.binary(&columns, [Value::Null, Value::Int(1 << 40)]).is_err());
            result.end(&reply::Ok { status: Status::AUTOCOMMIT, ..reply::Ok::default() });
            assert_eq!(sequence, 1 + frames);

            let mut scan = ResponseScan::new(Expect::Results, capabilities == Capabilities::DEPRECATE_EOF);
            let (mut at, mut seen, mut all) = (0, vec![], 0);
            while !scan.is_done() {
                match scan.step(&out[at..]).unwrap() {
                    Step::Frame { len, part } => {
                        at += len;
                        seen.push(part);
                    }
                    Step::Rows { len, rows } => {
                        at += len;
                        all += rows;
                    }
                    other => panic!("{other:?}"),
                }
            }
            assert_eq!((at, all, seen[0]), (out.len(), 2, Part::Count(2)));
            assert_eq!(seen.last(), Some(&Part::End(Status::AUTOCOMMIT)));
        }
    }
}
