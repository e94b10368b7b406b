//! Column definitions: their types, flags and names, read, written, and renamed in passing.

use bitflags::bitflags;
use bytes::{BufMut, Bytes, BytesMut};

use crate::{
    Error,
    cursor::{Cursor, NULL, put_string},
    frame,
    value::Kind,
};

/// The type of a column or parameter, as the protocol numbers it; unknown numbers are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ColumnType(pub u8);

macro_rules! types {
    ($($(#[$doc:meta])* $name:ident = $code:literal $text:literal;)*) => {
        impl ColumnType {
            $($(#[$doc])* pub const $name: Self = Self($code);)*

            /// The name in lower case, `unknown` for a number without one.
            pub const fn name(self) -> &'static str {
                match self.0 {
                    $($code => $text,)*
                    _ => "unknown",
                }
            }
        }
    };
}

types! {
    /// `DECIMAL` of before 5.0.
    DECIMAL = 0 "decimal";
    /// `TINYINT`.
    TINY = 1 "tiny";
    /// `SMALLINT`.
    SHORT = 2 "short";
    /// `INT`.
    LONG = 3 "long";
    /// `FLOAT`.
    FLOAT = 4 "float";
    /// `DOUBLE`.
    DOUBLE = 5 "double";
    /// Always NULL.
    NULL = 6 "null";
    /// `TIMESTAMP`.
    TIMESTAMP = 7 "timestamp";
    /// `BIGINT`.
    LONGLONG = 8 "longlong";
    /// `MEDIUMINT`.
    INT24 = 9 "int24";
    /// `DATE`.
    DATE = 10 "date";
    /// `TIME`.
    TIME = 11 "time";
    /// `DATETIME`.
    DATETIME = 12 "datetime";
    /// `YEAR`.
    YEAR = 13 "year";
    /// `DATE` as stored.
    NEWDATE = 14 "newdate";
    /// `VARCHAR` as declared.
    VARCHAR = 15 "varchar";
    /// `BIT`.
    BIT = 16 "bit";
    /// `TIMESTAMP` as stored.
    TIMESTAMP2 = 17 "timestamp2";
    /// `DATETIME` as stored.
    DATETIME2 = 18 "datetime2";
    /// `TIME` as stored.
    TIME2 = 19 "time2";
    /// `VECTOR`.
    VECTOR = 242 "vector";
    /// A boolean; servers send `TINY`.
    BOOL = 244 "bool";
    /// `JSON`.
    JSON = 245 "json";
    /// `DECIMAL`.
    NEWDECIMAL = 246 "newdecimal";
    /// `ENUM`; servers send `STRING` with a flag.
    ENUM = 247 "enum";
    /// `SET`; servers send `STRING` with a flag.
    SET = 248 "set";
    /// `TINYBLOB`, `TINYTEXT`.
    TINY_BLOB = 249 "tiny_blob";
    /// `MEDIUMBLOB`, `MEDIUMTEXT`.
    MEDIUM_BLOB = 250 "medium_blob";
    /// `LONGBLOB`, `LONGTEXT`.
    LONG_BLOB = 251 "long_blob";
    /// `BLOB`, `TEXT`.
    BLOB = 252 "blob";
    /// `VARCHAR`, `VARBINARY`.
    VAR_STRING = 253 "var_string";
    /// `CHAR`, `BINARY`, `ENUM`, `SET`.
    STRING = 254 "string";
    /// `GEOMETRY`.
    GEOMETRY = 255 "geometry";
}

bitflags! {
    /// The flags of a column definition.
    #[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Hash)]
    pub struct ColumnFlags: u16 {
        /// Never NULL.
        const NOT_NULL = 1;
        /// Part of the primary key.
        const PRIMARY_KEY = 1 << 1;
        /// Part of a unique key.
        const UNIQUE_KEY = 1 << 2;
        /// Part of a key that is not unique.
        const MULTIPLE_KEY = 1 << 3;
        /// A BLOB or TEXT.
        const BLOB = 1 << 4;
        /// An unsigned number.
        const UNSIGNED = 1 << 5;
        /// A number shown with leading zeros.
        const ZEROFILL = 1 << 6;
        /// Bytes, or text under a `_bin` collation.
        const BINARY = 1 << 7;
        /// An ENUM.
        const ENUM = 1 << 8;
        /// `AUTO_INCREMENT`.
        const AUTO_INCREMENT = 1 << 9;
        /// A `TIMESTAMP`.
        const TIMESTAMP = 1 << 10;
        /// A SET.
        const SET = 1 << 11;
        /// No default.
        const NO_DEFAULT_VALUE = 1 << 12;
        /// Set on each update.
        const ON_UPDATE_NOW = 1 << 13;
        /// A number (`PART_KEY` inside the server).
        const NUMBER = 1 << 15;
        const _ = !0;
    }
}

/// The character set number of bytes without one.
pub const BINARY_CHARSET: u16 = 63;

/// What a server says of one column of a result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// The database.
    pub schema: Bytes,
    /// The table as the statement calls it.
    pub table: Bytes,
    /// The table as the database calls it.
    pub org_table: Bytes,
    /// The column as the statement calls it.
    pub name: Bytes,
    /// The column as the table calls it.
    pub org_name: Bytes,
    /// The collation id.
    pub charset: u16,
    /// The longest value, in bytes.
    pub length: u32,
    /// The type.
    pub kind: ColumnType,
    /// The flags.
    pub flags: ColumnFlags,
    /// Digits behind the point; 31 when they vary, 0 for integers and strings.
    pub decimals: u8,
}

impl Column {
    /// A column that no table has.
    pub fn new(name: impl Into<Bytes>, kind: ColumnType) -> Self {
        Self {
            schema: Bytes::new(),
            table: Bytes::new(),
            org_table: Bytes::new(),
            name: name.into(),
            org_name: Bytes::new(),
            charset: BINARY_CHARSET,
            length: 0,
            kind,
            flags: ColumnFlags::empty(),
            decimals: 0,
        }
    }

    /// A column of text in utf8mb4 that holds up to `chars` characters.
    pub fn text(name: impl Into<Bytes>, chars: u32) -> Self {
        Self {
            charset: 255,
            length: chars.saturating_mul(4),
            decimals: 31,
            ..Self::new(name, ColumnType::VAR_STRING)
        }
    }

    /// A column of `BIGINT`.
    pub fn integer(name: impl Into<Bytes>) -> Self {
        Self { length: 20, flags: ColumnFlags::BINARY, ..Self::new(name, ColumnType::LONGLONG) }
    }

    /// Reads a definition; its names share one copy of the payload.
    pub fn decode(payload: &[u8]) -> Result<Self, Error> {
        let (names, mut cursor) = Names::read(payload)?;
        let fixed = Fixed::read(&mut cursor)?;
        let owner = Bytes::copy_from_slice(payload);
        let own = |part: &[u8]| owner.slice_ref(subslice(&owner, payload, part));
        Ok(Self {
            schema: own(names.schema),
            table: own(names.table),
            org_table: own(names.org_table),
            name: own(names.name),
            org_name: own(names.org_name),
            charset: fixed.charset,
            length: fixed.length,
            kind: fixed.kind,
            flags: fixed.flags,
            decimals: fixed.decimals,
        })
    }

    /// Writes the payload of the definition.
    pub fn encode(&self, out: &mut BytesMut) {
        self.names().write(out);
        out.put_u8(0x0C);
        out.put_u16_le(self.charset);
        out.put_u32_le(self.length);
        out.put_u8(self.kind.0);
        out.put_u16_le(self.flags.bits());
        out.put_u8(self.decimals);
        out.put_u16_le(0);
    }

    /// Writes the payload of the definition as the answer to a field list has it: a default follows, here none.
    pub fn encode_listed(&self, out: &mut BytesMut) {
        self.encode(out);
        out.put_u8(NULL);
    }

    /// The five names.
    pub fn names(&self) -> Names<'_> {
        Names {
            schema: &self.schema,
            table: &self.table,
            org_table: &self.org_table,
            name: &self.name,
            org_name: &self.org_name,
        }
    }

    /// How its values travel in binary rows.
    #[inline]
    pub const fn value_kind(&self) -> Kind {
        Kind { column: self.kind, unsigned: self.flags.contains(ColumnFlags::UNSIGNED) }
    }

    /// Whether its values are bytes without a character set.
    pub const fn is_binary(&self) -> bool {
        self.charset == BINARY_CHARSET
    }
}

/// The names within a column definition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Names<'a> {
    /// The database.
    pub schema: &'a [u8],
    /// The table as the statement calls it.
    pub table: &'a [u8],
    /// The table as the database calls it.
    pub org_table: &'a [u8],
    /// The column as the statement calls it.
    pub name: &'a [u8],
    /// The column as the table calls it.
    pub org_name: &'a [u8],
}

impl<'a> Names<'a> {
    /// Reads the names alone.
    pub fn decode(payload: &'a [u8]) -> Result<Self, Error> {
        Ok(Self::read(payload)?.0)
    }

    fn read(payload: &'a [u8]) -> Result<(Self, Cursor<'a>), Error> {
        let mut cursor = Cursor::new(payload);
        cursor.string("catalog of a column")?;
        let names = Self {
            schema: cursor.string("schema of a column")?,
            table: cursor.string("table of a column")?,
            org_table: cursor.string("original table of a column")?,
            name: cursor.string("name of a column")?,
            org_name: cursor.string("original name of a column")?,
        };
        Ok((names, cursor))
    }

    fn write(&self, out: &mut BytesMut) {
        out.extend_from_slice(b"\x03def");
        for name in [self.schema, self.table, self.org_table, self.name, self.org_name] {
            put_string(out, name);
        }
    }
}

/// Copies a column definition into `out` as one message, with the names as `edit` leaves them.
pub fn rename<'a>(
    payload: &'a [u8],
    out: &mut BytesMut,
    sequence: &mut u8,
    edit: impl FnOnce(&mut Names<'a>),
) -> Result<(), Error> {
    let (mut names, cursor) = Names::read(payload)?;
    edit(&mut names);
    frame::put_with(out, sequence, |out| {
        names.write(out);
        out.extend_from_slice(cursor.rest());
    });
    Ok(())
}

/// The part of a definition behind the names.
struct Fixed {
    charset: u16,
    length: u32,
    kind: ColumnType,
    flags: ColumnFlags,
    decimals: u8,
}

impl Fixed {
    fn read(cursor: &mut Cursor<'_>) -> Result<Self, Error> {
        let mut fixed = Cursor::new(cursor.string("fixed part of a column")?);
        let what = "fixed part of a column";
        Ok(Self {
            charset: fixed.u16(what)?,
            length: fixed.u32(what)?,
            kind: ColumnType(fixed.u8(what)?),
            flags: ColumnFlags::from_bits_retain(fixed.u16(what)?),
            decimals: fixed.u8(what)?,
        })
    }
}

/// The same range of `copy` that `part` is of `original`.
fn subslice<'a>(copy: &'a Bytes, original: &[u8], part: &[u8]) -> &'a [u8] {
    // `part` is a slice of `original`, so that neither the difference nor the range can be out of bounds.
    let start = part.as_ptr().addr() - original.as_ptr().addr();
    &copy[start..start + part.len()]
}

#[cfg(test)]
mod tests;
