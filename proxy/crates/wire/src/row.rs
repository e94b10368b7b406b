//! Rows of text and binary result sets: cells read where they lie, rows written cell by cell.

use bytes::{BufMut, BytesMut};
use smallvec::SmallVec;

use crate::{
    Error,
    column::Column,
    cursor::{Cursor, NULL, put_string},
    value::{Kind, Value},
};

/// The cells of a text row, front to back; `None` is NULL.
pub const fn text(payload: &[u8]) -> Text<'_> {
    Text { cursor: Cursor::new(payload) }
}

/// See [`text`].
#[derive(Debug, Clone)]
pub struct Text<'a> {
    cursor: Cursor<'a>,
}

impl<'a> Iterator for Text<'a> {
    type Item = Result<Option<&'a [u8]>, Error>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if self.cursor.is_empty() {
            return None;
        }
        let cell = self.cursor.nullable("cell of a text row");
        if cell.is_err() {
            self.cursor.take_rest();
        }
        Some(cell)
    }
}

/// The values of a binary row, front to back.
pub fn binary<'a>(
    payload: &'a [u8],
    columns: &'a [Column],
) -> Result<impl Iterator<Item = Result<Value<'a>, Error>>, Error> {
    let (nulls, mut cursor) = bitmap(payload, columns.len())?;
    Ok(columns.iter().enumerate().map(move |(at, column)| {
        if is_null(nulls, at) { Ok(Value::Null) } else { column.value_kind().read(&mut cursor) }
    }))
}

/// Where the cells of one row lie; kept and used again for the next.
#[derive(Debug, Default, Clone)]
struct Spans(SmallVec<[(u32, u32); 16]>);

/// The span of NULL; a cell never begins that far.
const NULL_SPAN: (u32, u32) = (u32::MAX, u32::MAX);

impl Spans {
    fn push(&mut self, payload: &[u8], cell: Option<&[u8]>) -> Result<(), Error> {
        let Some(cell) = cell else {
            self.0.push(NULL_SPAN);
            return Ok(());
        };
        let start = cell.as_ptr().addr() - payload.as_ptr().addr();
        let narrow = |at: usize| u32::try_from(at).map_err(|_| Error::TooLarge { limit: u32::MAX as usize });
        self.0.push((narrow(start)?, narrow(start + cell.len())?));
        Ok(())
    }

    #[inline]
    fn get<'a>(&self, payload: &'a [u8], column: usize) -> Option<&'a [u8]> {
        let (start, end) = *self.0.get(column)?;
        payload.get(start as usize..end as usize)
    }
}

/// Random access to the cells of a text row.
#[derive(Debug, Default, Clone)]
pub struct TextRow {
    spans: Spans,
}

impl TextRow {
    /// Finds the cells of `payload`, which must hold exactly `columns` of them.
    pub fn read(&mut self, payload: &[u8], columns: usize) -> Result<(), Error> {
        self.spans.0.clear();
        let mut cursor = Cursor::new(payload);
        for _ in 0..columns {
            let cell = cursor.nullable("cell of a text row")?;
            self.spans.push(payload, cell)?;
        }
        if cursor.is_empty() {
            Ok(())
        } else {
            Err(Error::Malformed { what: "text row with too many cells" })
        }
    }

    /// The text of one cell of the payload last read; `None` is NULL or a column that is not there.
    #[inline]
    pub fn cell<'a>(&self, payload: &'a [u8], column: usize) -> Option<&'a [u8]> {
        self.spans.get(payload, column)
    }

    /// How many cells the row has.
    pub fn len(&self) -> usize {
        self.spans.0.len()
    }

    /// Whether no row was read, or one without cells.
    pub fn is_empty(&self) -> bool {
        self.spans.0.is_empty()
    }
}

/// Random access to the values of a binary row.
#[derive(Debug, Default, Clone)]
pub struct BinaryRow {
    spans: Spans,
}

impl BinaryRow {
    /// Finds the values of `payload`, whose columns have these kinds.
    pub fn read(&mut self, payload: &[u8], kinds: &[Kind]) -> Result<(), Error> {
        self.spans.0.clear();
        let (nulls, mut cursor) = bitmap(payload, kinds.len())?;
        for (at, kind) in kinds.iter().enumerate() {
            let cell = if is_null(nulls, at) { None } else { Some(kind.raw(&mut cursor)?) };
            self.spans.push(payload, cell)?;
        }
        if cursor.is_empty() {
            Ok(())
        } else {
            Err(Error::Malformed { what: "binary row with too many values" })
        }
    }

    /// The encoded bytes of one value of the payload last read; `None` is NULL or a column that is not there.
    #[inline]
    pub fn cell<'a>(&self, payload: &'a [u8], column: usize) -> Option<&'a [u8]> {
        self.spans.get(payload, column)
    }

    /// One value of the payload last read.
    pub fn value<'a>(&self, payload: &'a [u8], column: usize, kind: Kind) -> Result<Value<'a>, Error> {
        self.cell(payload, column).map_or(Ok(Value::Null), |raw| kind.decode(raw))
    }

    /// How many values the row has.
    pub fn len(&self) -> usize {
        self.spans.0.len()
    }

    /// Whether no row was read, or one without values.
    pub fn is_empty(&self) -> bool {
        self.spans.0.is_empty()
    }
}

/// Writes the payload of a text row.
pub fn put_text<'a>(out: &mut BytesMut, cells: impl IntoIterator<Item = Option<&'a [u8]>>) {
    for cell in cells {
        match cell {
            Some(cell) => put_string(out, cell),
            None => out.put_u8(NULL),
        }
    }
}

/// Writes the payload of a binary row from values.
pub fn put_binary<'a>(
    out: &mut BytesMut,
    columns: usize,
    values: impl IntoIterator<Item = (Value<'a>, Kind)>,
) -> Result<(), Error> {
    let nulls = open_binary(out, columns);
    for (at, (value, kind)) in values.into_iter().take(columns).enumerate() {
        if value.is_null() {
            set_null(out, nulls, at);
        } else {
            value.put_binary(out, kind)?;
        }
    }
    Ok(())
}

/// Writes the payload of a binary row from encoded values, as [`BinaryRow::cell`] gives them.
pub fn put_binary_cells<'a>(
    out: &mut BytesMut,
    columns: usize,
    cells: impl IntoIterator<Item = Option<&'a [u8]>>,
) {
    let nulls = open_binary(out, columns);
    for (at, cell) in cells.into_iter().take(columns).enumerate() {
        match cell {
            Some(cell) => out.extend_from_slice(cell),
            None => set_null(out, nulls, at),
        }
    }
}

/// Begins a binary row: its header and an empty bitmap, whose place is returned.
fn open_binary(out: &mut BytesMut, columns: usize) -> usize {
    out.put_u8(0);
    let nulls = out.len();
    out.put_bytes(0, bitmap_len(columns));
    nulls
}

/// Marks column `at` as NULL in the bitmap at `nulls`.
fn set_null(out: &mut BytesMut, nulls: usize, at: usize) {
    if let Some(byte) = out.get_mut(nulls + (at + 2) / 8) {
        *byte |= 1 << ((at + 2) % 8);
    }
}

/// The bitmap of a binary row begins with two bits that mean nothing.
const fn bitmap_len(columns: usize) -> usize {
    (columns + 9) / 8
}

/// Takes the header and the bitmap off a binary row.
fn bitmap(payload: &[u8], columns: usize) -> Result<(&[u8], Cursor<'_>), Error> {
    let mut cursor = Cursor::new(payload);
    if cursor.u8("header of a binary row")? != 0 {
        return Err(Error::Malformed { what: "header of a binary row" });
    }
    Ok((cursor.bytes(bitmap_len(columns), "bitmap of a binary row")?, cursor))
}

#[inline]
fn is_null(nulls: &[u8], at: usize) -> bool {
    nulls.get((at + 2) / 8).is_some_and(|byte| byte & (1 << ((at + 2) % 8)) != 0)
}

#[cfg(test)]
mod tests;
