//! Rows as the server sent them, with the places of their values.

use std::borrow::Cow;

use bytes::{BufMut, BytesMut};
use smallvec::SmallVec;
use wire::cursor::{Cursor, NULL, put_string};
use wire::frame;

use super::shape::{Shape, Width};
use super::value::Format;
use crate::Error;

/// How many bytes a held row costs besides its payload.
const OVERHEAD: usize = 96;

/// The length that stands for `NULL`.
const ABSENT: u32 = u32::MAX;

/// One row: its payload and where each value is.
#[derive(Clone, Debug)]
pub struct Row {
    payload: BytesMut,
    cells: SmallVec<[Cell; 6]>,
}

/// A value without its length prefix; of a `NULL`, the byte after it.
#[derive(Clone, Copy, Debug)]
struct Cell {
    start: u32,
    length: u32,
}

impl Cell {
    fn end(self) -> usize {
        self.start as usize + if self.length == ABSENT { 0 } else { self.length as usize }
    }
}

impl Row {
    /// Finds the values in a row's payload.
    pub fn read(payload: BytesMut, shape: &Shape) -> Result<Self, Error> {
        let mut cells = SmallVec::with_capacity(shape.fields.len());
        let total = payload.len();
        if u32::try_from(total).is_err() {
            return Err(Error::Malformed(wire::Error::TooLarge { limit: ABSENT as usize }));
        }
        let mut cursor = Cursor::new(&payload);
        let place = |cursor: &Cursor<'_>, length: u32| {
            let end = total - cursor.rest().len();
            let start = end - if length == ABSENT { 0 } else { length as usize };
            Cell { start: u32::try_from(start).unwrap_or(ABSENT), length }
        };
        match shape.format {
            Format::Text => {
                for _ in &shape.fields {
                    let value = cursor.nullable("value of a row").map_err(Error::Malformed)?;
                    cells.push(place(&cursor, value.map_or(ABSENT, length)));
                }
            }
            Format::Binary => {
                cursor.u8("header of a row").map_err(Error::Malformed)?;
                let nulls = cursor
                    .bytes(bitmap(shape.fields.len()), "NULL bitmap of a row")
                    .map_err(Error::Malformed)?;
                for (index, field) in shape.fields.iter().enumerate() {
                    let bit = index + 2;
                    if nulls[bit / 8] >> (bit % 8) & 1 == 1 {
                        cells.push(place(&cursor, ABSENT));
                        continue;
                    }
                    let value = match field.width {
                        Width::Fixed(bytes) => cursor.bytes(usize::from(bytes), "value of a row"),
                        Width::Sized => cursor.string("value of a row"),
                    };
                    cells.push(place(&cursor, length(value.map_err(Error::Malformed)?)));
                }
            }
        }
        Ok(Self { payload, cells })
    }

    /// Encodes a row of these values.
    pub fn of<'a>(shape: &Shape, values: impl IntoIterator<Item = Option<&'a [u8]>>) -> Result<Self, Error> {
        let mut payload = BytesMut::new();
        match shape.format {
            Format::Text => {
                for value in values {
                    match value {
                        Some(value) => put_string(&mut payload, value),
                        None => payload.put_u8(NULL),
                    }
                }
            }
            Format::Binary => {
                payload.put_bytes(0, 1 + bitmap(shape.fields.len()));
                for (index, (value, field)) in values.into_iter().zip(&shape.fields).enumerate() {
                    match (value, field.width) {
                        (Some(value), Width::Fixed(_)) => payload.extend_from_slice(value),
                        (Some(value), Width::Sized) => put_string(&mut payload, value),
                        (None, _) => payload[1 + (index + 2) / 8] |= 1 << ((index + 2) % 8),
                    }
                }
            }
        }
        Self::read(payload, shape)
    }

    /// The row of a node that tells its columns in types of its own, as if it told them in those of `to`.
    pub(crate) fn recoded(&self, own: &Shape, to: &Shape) -> Result<Self, Error> {
        let fields = own.fields.iter().zip(&to.fields).enumerate();
        let values = fields.map(|(column, (own, to))| match self.value(column) {
            Some(value) if own.width != to.width => own.convert(value, to).map(|value| Some(value.into())),
            value => Ok(value.map(Cow::Borrowed)),
        });
        let values: Vec<Option<Cow<'_, [u8]>>> = values.collect::<Result<_, _>>()?;
        Self::of(to, values.iter().map(Option::as_deref))
    }

    /// The value of a column without its length prefix; nothing for `NULL`.
    pub fn value(&self, column: usize) -> Option<&[u8]> {
        let cell = self.cells.get(column)?;
        (cell.length != ABSENT).then(|| &self.payload[cell.start as usize..cell.end()])
    }

    /// Writes the row as one message, without the derived columns.
    pub fn put(&self, shape: &Shape, out: &mut BytesMut, sequence: &mut u8) {
        if shape.derived == 0 {
            return frame::put(out, sequence, &self.payload);
        }
        frame::put_with(out, sequence, |out| self.write(shape, out));
    }

    /// Appends its payload without the derived columns.
    pub(crate) fn write(&self, shape: &Shape, out: &mut BytesMut) {
        if shape.derived == 0 {
            return out.extend_from_slice(&self.payload);
        }
        let visible = shape.visible();
        let first = if shape.format == Format::Binary { 1 + bitmap(self.cells.len()) } else { 0 };
        let end = visible.checked_sub(1).map_or(first, |last| self.cells[last].end());
        if shape.format == Format::Binary {
            let start = out.len();
            let bytes = bitmap(visible);
            out.extend_from_slice(&self.payload[..1 + bytes]);
            let used = (visible + 2) % 8;
            if used != 0 {
                out[start + bytes] &= (1 << used) - 1;
            }
        }
        out.extend_from_slice(&self.payload[first..end]);
    }

    /// A copy that does not keep the buffer alive from which the row was cut.
    pub(crate) fn detached(&self) -> Self {
        Self { payload: BytesMut::from(&self.payload[..]), cells: self.cells.clone() }
    }

    /// What the row costs while it is held.
    pub(crate) fn size(&self) -> usize {
        self.payload.len() + self.cells.len() * size_of::<Cell>() + OVERHEAD
    }
}

fn bitmap(columns: usize) -> usize {
    (columns + 2).div_ceil(8)
}

fn length(value: &[u8]) -> u32 {
    u32::try_from(value.len()).unwrap_or(ABSENT)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::merge::shape::Field;
    use crate::merge::value::Kind;

    fn shape(format: Format, columns: usize, derived: usize) -> Shape {
        let mut fields = vec![Field::plain(Kind::Signed, Width::Fixed(4)); columns];
        fields[1] = Field::plain(Kind::Binary, Width::Sized);
        if format == Format::Text {
            fields.iter_mut().for_each(|field| field.width = Width::Sized);
        }
        Shape { format, fields, derived }
    }

    #[test]
    fn reads_back_what_it_encodes() {
        for format in [Format::Text, Format::Binary] {
            let shape = shape(format, 3, 0);
            let values = [Some(&b"1234"[..]), None, Some(&b"5678"[..])];
            let row = Row::of(&shape, values).unwrap();
            assert_eq!([row.value(0), row.value(1), row.value(2)], values);
        }
    }

    #[test]
    fn leaves_derived_columns_out_and_shrinks_the_bitmap() {
        for format in [Format::Text, Format::Binary] {
            // 7 columns need two bytes of bitmap, 6 need one; the dropped one's bit must not linger.
            for (columns, derived) in [(7, 1), (7, 5), (3, 1), (16, 3), (2, 1)] {
                let wide = shape(format, columns, derived);
                let narrow = shape(format, columns.max(2), 0);
                let narrow = Shape { fields: narrow.fields[..columns - derived].to_vec(), ..narrow };
                let values: Vec<Option<&[u8]>> =
                    (0..columns).map(|index| (index % 3 != 0).then_some(&b"abcd"[..])).collect();
                let (mut whole, mut expected) = (BytesMut::new(), BytesMut::new());
                let (mut one, mut two) = (7, 7);
                Row::of(&wide, values.iter().copied()).unwrap().put(&wide, &mut whole, &mut one);
                let short = Row::of(&narrow, values[..columns - derived].iter().copied()).unwrap();
                short.put(&narrow, &mut expected, &mut two);
                assert_eq!((whole, one), (expected, two), "{format:?}, {columns} columns, {derived} derived");
            }
        }
    }

    #[test]
    fn recodes_a_row_of_other_types() {
        let fields = |fields: &[(Kind, Width)]| Shape {
            format: Format::Binary,
            fields: fields.iter().map(|(kind, width)| Field::plain(*kind, *width)).collect(),
            derived: 0,
        };
        let (signed, unsigned) = (Kind::Signed, Kind::Unsigned);
        let (four, eight, sized) = (Width::Fixed(4), Width::Fixed(8), Width::Sized);
        let told = fields(&[(signed, four), (signed, eight), (Kind::Double, eight), (Kind::Binary, sized)]);
        let own = fields(&[(signed, eight), (signed, four), (Kind::Float, four), (Kind::Binary, sized)]);
        let (wide, narrow, float) = ((-7_i64).to_le_bytes(), (-8_i32).to_le_bytes(), 1.5_f32.to_le_bytes());
        let row = Row::of(&own, [Some(&wide[..]), Some(&narrow), Some(&float), None]).unwrap();
        let row = row.recoded(&own, &told).unwrap();
        let expected = [(-7_i32).to_le_bytes().to_vec(), (-8_i64).to_le_bytes().to_vec()];
        assert_eq!([row.value(0), row.value(1)], [Some(&expected[0][..]), Some(&expected[1])]);
        assert_eq!((row.value(2), row.value(3)), (Some(&1.5_f64.to_le_bytes()[..]), None));
        // What would be another value there is refused.
        for (kind, value) in [(signed, i64::from(i32::MAX) + 1), (unsigned, 1 << 33), (signed, i64::MIN)] {
            let own = fields(&[(kind, eight)]);
            let row = Row::of(&own, [Some(&value.to_le_bytes()[..])]).unwrap();
            let error = row.recoded(&own, &fields(&[(signed, four)])).unwrap_err();
            assert!(matches!(error, Error::Types { .. }), "{value}");
        }
    }

    #[test]
    fn refuses_a_row_that_ends_early() {
        let shape = shape(Format::Text, 3, 0);
        assert!(Row::read(BytesMut::from(&b"\x01a\x05bc"[..]), &shape).is_err());
    }
}
