//! Rows of which some columns are decrypted or masked on the way to the client, and the definitions of these columns.
//!
//! A row is rewritten as a whole, between its decorated values byte for byte as it came. What is masked is text, so
//! that a column of numbers or dates becomes one of text; a decrypted column keeps the type of what is stored.

use bytes::{BufMut, BytesMut};
use plan::{Decoration, Renames, Undecryptable};
use wire::column::{Column, ColumnFlags, ColumnType};
use wire::cursor::{Cursor, lenenc_size, put_lenenc};
use wire::frame;
use wire::value::Kind;

use crate::Error;
use crate::relay::rename_column;

/// The collation of text that was none: `utf8mb4_0900_ai_ci`.
const TEXT: u16 = 255;
/// The longest mask of a short value: a digest in hexadecimal digits.
const DIGEST: u32 = 32;

/// Decorates one result.
#[derive(Debug)]
pub(crate) struct Decorator<'a> {
    decorations: &'a [Decoration],
    binary: bool,
    /// Of the columns so far, as the server sends them.
    columns: Vec<Sent>,
}

/// How a server sends the values of a column.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sent {
    kind: Kind,
    decimals: u8,
}

impl<'a> Decorator<'a> {
    /// For rows of text or in the binary form.
    pub(crate) const fn new(decorations: &'a [Decoration], binary: bool) -> Self {
        Self { decorations, binary, columns: Vec::new() }
    }

    /// The same among the rows of a result whose columns came before.
    pub(crate) const fn among_rows(decorations: &'a [Decoration], binary: bool, columns: Vec<Sent>) -> Self {
        Self { decorations, binary, columns }
    }

    /// The columns that came.
    pub(crate) fn into_columns(self) -> Vec<Sent> {
        self.columns
    }

    /// Another result begins.
    pub(crate) fn begin(&mut self) {
        self.columns.clear();
    }

    /// Writes the definition of the next column.
    pub(crate) fn column(
        &mut self,
        payload: &[u8],
        renames: &Renames<'_>,
        out: &mut BytesMut,
        sequence: &mut u8,
    ) -> Result<(), wire::Error> {
        let mut column = Column::decode(payload)?;
        let number = self.columns.len();
        self.columns.push(Sent { kind: column.value_kind(), decimals: column.decimals });
        let decoration = self.decorations.iter().find(|decoration| usize::from(decoration.column) == number);
        let Some(decoration) = decoration else {
            return rename_column(payload, renames, out, sequence);
        };
        define(&mut column, decoration);
        let mut decorated = BytesMut::new();
        column.encode(&mut decorated);
        rename_column(&decorated, renames, out, sequence)
    }

    /// Writes a row. On an error nothing is written.
    pub(crate) fn row(&self, payload: &[u8], out: &mut BytesMut, sequence: &mut u8) -> Result<(), Error> {
        frame::try_put_with(out, sequence, |out| {
            out.reserve(payload.len());
            if self.binary { self.binary(payload, out) } else { self.text(payload, out) }
        })
    }

    fn text(&self, payload: &[u8], out: &mut BytesMut) -> Result<(), Error> {
        let what = "value of a row";
        let mut cursor = Cursor::new(payload);
        let (mut number, mut written) = (0, 0);
        for decoration in self.decorations {
            while number < decoration.column {
                cursor.nullable(what).map_err(Error::Malformed)?;
                number += 1;
            }
            let start = payload.len() - cursor.rest().len();
            number += 1;
            if let Some(cell) = cursor.nullable(what).map_err(Error::Malformed)? {
                out.extend_from_slice(&payload[written..start]);
                put(decoration, cell, out)?;
                written = payload.len() - cursor.rest().len();
            }
        }
        out.extend_from_slice(&payload[written..]);
        Ok(())
    }

    fn binary(&self, payload: &[u8], out: &mut BytesMut) -> Result<(), Error> {
        let what = "value of a row";
        let mut cursor = Cursor::new(payload);
        cursor.u8(what).map_err(Error::Malformed)?;
        let nulls = cursor.bytes((self.columns.len() + 9) / 8, what).map_err(Error::Malformed)?;
        let mut written = 0;
        let mut decorations = self.decorations.iter().peekable();
        for (number, sent) in self.columns.iter().enumerate() {
            if decorations.peek().is_none() {
                break;
            }
            let decoration = decorations.next_if(|next| usize::from(next.column) == number);
            let bit = number + 2;
            if nulls[bit / 8] & (1 << (bit % 8)) != 0 {
                continue;
            }
            let start = payload.len() - cursor.rest().len();
            let raw = sent.kind.raw(&mut cursor).map_err(Error::Malformed)?;
            let Some(decoration) = decoration else { continue };
            out.extend_from_slice(&payload[written..start]);
            if sent.kind.is_string() {
                put(decoration, Cursor::new(raw).string(what).map_err(Error::Malformed)?, out)?;
            } else {
                let mut text = BytesMut::new();
                sent.kind.decode(raw).map_err(Error::Malformed)?.write_text(&mut text, sent.decimals);
                put(decoration, &text, out)?;
            }
            written = payload.len() - cursor.rest().len();
        }
        out.extend_from_slice(&payload[written..]);
        Ok(())
    }
}

/// What the client is told of a decorated column.
fn define(column: &mut Column, decoration: &Decoration) {
    if decoration.decrypt.is_some() {
        column.org_name = decoration.name.as_bytes().to_vec().into();
    }
    if decoration.mask.is_some() {
        column.length = column.length.max(DIGEST * 4);
    }
    let text = matches!(column.kind.0, 15 | 249..=254);
    let listed = ColumnFlags::ENUM | ColumnFlags::SET;
    if text && !column.flags.intersects(listed) {
        if decoration.decrypt.is_some() && !is_utf8_or_bytes(column.charset) {
            // What was stored is ASCII in the character set of the column or client, what it hides is UTF-8.
            column.charset = TEXT;
            column.length = column.length.saturating_mul(4);
        }
        return;
    }
    column.kind = ColumnType::VAR_STRING;
    column.charset = TEXT;
    column.length = column.length.saturating_mul(4);
    column.decimals = 0;
    column.flags &= ColumnFlags::NOT_NULL
        | ColumnFlags::PRIMARY_KEY
        | ColumnFlags::UNIQUE_KEY
        | ColumnFlags::MULTIPLE_KEY
        | ColumnFlags::NO_DEFAULT_VALUE;
}

/// Whether a collation is of `utf8mb3`, `utf8mb4` or `binary`. MariaDB's own have high numbers, most of them of UTF-8.
const fn is_utf8_or_bytes(collation: u16) -> bool {
    matches!(collation, 33 | 45 | 46 | 63 | 76 | 83 | 192..=215 | 223..=248 | 255..=323 | 576.. )
}

/// Appends a decorated value behind its length.
fn put(decoration: &Decoration, cell: &[u8], out: &mut BytesMut) -> Result<(), Undecryptable> {
    let prefix = out.len();
    out.put_u8(0);
    let start = out.len();
    decoration.apply(cell, out)?;
    let len = out.len() - start;
    match lenenc_size(len as u64) - 1 {
        // The byte was written above.
        0 => out[prefix] = len as u8,
        more => {
            out.put_bytes(0, more);
            out.copy_within(start..start + len, start + more);
            let mut head = BytesMut::new();
            put_lenenc(&mut head, len as u64);
            out[prefix..=prefix + more].copy_from_slice(&head);
        }
    }
    Ok(())
}

#[cfg(test)]
mod statements;
#[cfg(test)]
pub(crate) mod tests;
