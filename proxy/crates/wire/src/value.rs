//! Values as they travel in binary rows and as parameters, and their text.

use bytes::{BufMut, BytesMut};

use crate::{
    Error,
    column::ColumnType,
    cursor::{Cursor, NULL, put_string},
};

mod text;

/// How a value travels in the binary protocol: its type, and whether a number is unsigned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Kind {
    /// The type.
    pub column: ColumnType,
    /// Whether a number is unsigned.
    pub unsigned: bool,
}

/// The form of a type in the binary protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Nothing,
    Int1,
    Int2,
    Int4,
    Int8,
    Float,
    Double,
    Date,
    DateTime,
    Time,
    String,
}

impl Kind {
    /// A kind of values that have a sign or need none.
    pub const fn new(column: ColumnType) -> Self {
        Self { column, unsigned: false }
    }

    /// Reads the two bytes that announce a parameter's type.
    #[inline]
    pub const fn from_bytes([column, flags]: [u8; 2]) -> Self {
        Self { column: ColumnType(column), unsigned: flags & 0x80 != 0 }
    }

    /// The two bytes that announce a parameter's type.
    #[inline]
    pub const fn to_bytes(self) -> [u8; 2] {
        [self.column.0, if self.unsigned { 0x80 } else { 0 }]
    }

    #[inline]
    const fn form(self) -> Option<Form> {
        Some(match self.column {
            ColumnType::NULL => Form::Nothing,
            ColumnType::TINY | ColumnType::BOOL => Form::Int1,
            ColumnType::SHORT | ColumnType::YEAR => Form::Int2,
            ColumnType::LONG | ColumnType::INT24 => Form::Int4,
            ColumnType::LONGLONG => Form::Int8,
            ColumnType::FLOAT => Form::Float,
            ColumnType::DOUBLE => Form::Double,
            ColumnType::DATE | ColumnType::NEWDATE => Form::Date,
            ColumnType::DATETIME | ColumnType::TIMESTAMP | ColumnType::DATETIME2 | ColumnType::TIMESTAMP2 => {
                Form::DateTime
            }
            ColumnType::TIME | ColumnType::TIME2 => Form::Time,
            ColumnType(0 | 15 | 16 | 242 | 245..=255) => Form::String,
            _ => return None,
        })
    }

    /// Whether values of this type are strings of bytes, so that they may come as long data.
    pub const fn is_string(self) -> bool {
        matches!(self.form(), Some(Form::String))
    }

    /// Takes the encoded bytes of one value that is not NULL.
    #[inline]
    pub fn raw<'a>(self, cursor: &mut Cursor<'a>) -> Result<&'a [u8], Error> {
        let what = "a binary value";
        let len = match self.form().ok_or(Error::Malformed { what: "type of a value" })? {
            Form::Nothing => 0,
            Form::Int1 => 1,
            Form::Int2 => 2,
            Form::Int4 | Form::Float => 4,
            Form::Int8 | Form::Double => 8,
            Form::Date | Form::DateTime | Form::Time => {
                1 + usize::from(*cursor.rest().first().ok_or(Error::Truncated { what })?)
            }
            Form::String => {
                let mut ahead = *cursor;
                ahead.string(what)?;
                cursor.rest().len() - ahead.rest().len()
            }
        };
        cursor.bytes(len, what)
    }

    /// Takes one value that is not NULL.
    pub fn read<'a>(self, cursor: &mut Cursor<'a>) -> Result<Value<'a>, Error> {
        let what = "a binary value";
        Ok(match self.form().ok_or(Error::Malformed { what: "type of a value" })? {
            Form::Nothing => Value::Null,
            Form::Int1 => {
                let byte = cursor.u8(what)?;
                self.integer(i64::from(byte.cast_signed()), u64::from(byte))
            }
            Form::Int2 => {
                let word = cursor.u16(what)?;
                if self.column == ColumnType::YEAR {
                    return Ok(Value::UInt(u64::from(word)));
                }
                self.integer(i64::from(word.cast_signed()), u64::from(word))
            }
            Form::Int4 => {
                let long = cursor.u32(what)?;
                self.integer(i64::from(long.cast_signed()), u64::from(long))
            }
            Form::Int8 => {
                let long = cursor.u64(what)?;
                self.integer(long.cast_signed(), long)
            }
            Form::Float => Value::Float(f32::from_le_bytes(cursor.array(what)?)),
            Form::Double => Value::Double(f64::from_le_bytes(cursor.array(what)?)),
            Form::Date => Value::Date(DateTime::read(cursor)?.date),
            Form::DateTime => Value::DateTime(DateTime::read(cursor)?),
            Form::Time => Value::Time(Time::read(cursor)?),
            Form::String => Value::Bytes(cursor.string(what)?),
        })
    }

    /// Reads the encoded bytes of one value, as [`raw`](Self::raw) gives them.
    pub fn decode(self, raw: &[u8]) -> Result<Value<'_>, Error> {
        self.read(&mut Cursor::new(raw))
    }

    #[inline]
    const fn integer<'a>(self, signed: i64, unsigned: u64) -> Value<'a> {
        if self.unsigned { Value::UInt(unsigned) } else { Value::Int(signed) }
    }
}

/// One value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Value<'a> {
    /// NULL.
    Null,
    /// An integer with sign.
    Int(i64),
    /// An integer without sign.
    UInt(u64),
    /// A `FLOAT`.
    Float(f32),
    /// A `DOUBLE`.
    Double(f64),
    /// Text, a decimal number, JSON, bits: whatever is a string to the protocol.
    Bytes(&'a [u8]),
    /// A `DATE`.
    Date(Date),
    /// A `DATETIME` or `TIMESTAMP`.
    DateTime(DateTime),
    /// A `TIME`.
    Time(Time),
}

impl Value<'_> {
    /// The kind that carries it without loss.
    pub const fn kind(&self) -> Kind {
        let (column, unsigned) = match self {
            Self::Null => (ColumnType::NULL, false),
            Self::Int(_) => (ColumnType::LONGLONG, false),
            Self::UInt(_) => (ColumnType::LONGLONG, true),
            Self::Float(_) => (ColumnType::FLOAT, false),
            Self::Double(_) => (ColumnType::DOUBLE, false),
            Self::Bytes(_) => (ColumnType::VAR_STRING, false),
            Self::Date(_) => (ColumnType::DATE, false),
            Self::DateTime(_) => (ColumnType::DATETIME, false),
            Self::Time(_) => (ColumnType::TIME, false),
        };
        Kind { column, unsigned }
    }

    /// Whether it is NULL.
    #[inline]
    pub const fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// Writes it as a cell of a text row; `decimals` are those of the column (31: as many as it has).
    pub fn put_text(&self, out: &mut BytesMut, decimals: u8) {
        match self {
            Self::Null => out.put_u8(NULL),
            Self::Bytes(bytes) => put_string(out, bytes),
            other => {
                let at = out.len();
                out.put_u8(0);
                other.write_text(out, decimals);
                let len = out.len() - at - 1;
                if len <= 0xFA {
                    // The byte was written above.
                    out[at] = len as u8;
                } else {
                    let text = out.split_off(at + 1); // a DOUBLE of 300 digits, if its column has decimals
                    out.truncate(at);
                    put_string(out, &text);
                }
            }
        }
    }

    /// Writes its text alone; NULL has none, and a string is its own.
    pub fn write_text(&self, out: &mut BytesMut, decimals: u8) {
        match self {
            Self::Null => {}
            Self::Bytes(bytes) => out.extend_from_slice(bytes),
            Self::Int(int) => out.extend_from_slice(itoa::Buffer::new().format(*int).as_bytes()),
            Self::UInt(int) => out.extend_from_slice(itoa::Buffer::new().format(*int).as_bytes()),
            Self::Float(float) => text::put_float(out, *float, decimals),
            Self::Double(double) => text::put_double(out, *double, decimals),
            Self::Date(date) => date.write(out),
            Self::DateTime(at) => at.write(out, decimals),
            Self::Time(time) => time.write(out, decimals),
        }
    }

    /// Writes it as a value of `kind` in a binary row or as a parameter; NULL writes nothing, it is in the bitmap.
    pub fn put_binary(&self, out: &mut BytesMut, kind: Kind) -> Result<(), Error> {
        let unfit = Error::Unfit { kind: kind.column.0 };
        match (kind.form(), self) {
            (_, Self::Null) => {}
            (Some(Form::Int1 | Form::Int2 | Form::Int4 | Form::Int8), Self::Int(_) | Self::UInt(_)) => {
                self.put_integer(out, kind)?;
            }
            (Some(Form::Float), Self::Float(float)) => out.put_f32_le(*float),
            (Some(Form::Double), Self::Float(float)) => out.put_f64_le(f64::from(*float)),
            (Some(Form::Float), Self::Double(double)) => out.put_f32_le(*double as f32),
            (Some(Form::Double), Self::Double(double)) => out.put_f64_le(*double),
            (Some(Form::Double), Self::Int(int)) => out.put_f64_le(*int as f64),
            (Some(Form::Double), Self::UInt(int)) => out.put_f64_le(*int as f64),
            (Some(Form::Date | Form::DateTime), Self::Date(date)) => {
                DateTime { date: *date, ..DateTime::default() }.put(out);
            }
            (Some(Form::DateTime), Self::DateTime(at)) => at.put(out),
            (Some(Form::Time), Self::Time(time)) => time.put(out),
            (Some(Form::String), Self::Bytes(bytes)) => put_string(out, bytes),
            (Some(Form::String), _) => self.put_text(out, 31),
            _ => return Err(unfit),
        }
        Ok(())
    }

    fn put_integer(&self, out: &mut BytesMut, kind: Kind) -> Result<(), Error> {
        let wide = match self {
            Self::Int(int) => i128::from(*int),
            Self::UInt(int) => i128::from(*int),
            _ => return Err(Error::Unfit { kind: kind.column.0 }),
        };
        let bits: u32 = match kind.form() {
            Some(Form::Int1) => 8,
            Some(Form::Int2) => 16,
            Some(Form::Int4) => 32,
            _ => 64,
        };
        let (least, most) = if kind.unsigned || kind.column == ColumnType::YEAR {
            (0, (1_i128 << bits) - 1)
        } else {
            (-(1_i128 << (bits - 1)), (1_i128 << (bits - 1)) - 1)
        };
        if wide < least || wide > most {
            return Err(Error::Unfit { kind: kind.column.0 });
        }
        out.extend_from_slice(&wide.to_le_bytes()[..bits as usize / 8]);
        Ok(())
    }
}

/// A day; zero parts are allowed, as in MySQL.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Date {
    /// 0 to 9999.
    pub year: u16,
    /// 0 to 12.
    pub month: u8,
    /// 0 to 31.
    pub day: u8,
}

impl Date {
    fn write(self, out: &mut BytesMut) {
        text::put_format(out, format_args!("{:04}-{:02}-{:02}", self.year, self.month, self.day));
    }
}

/// A moment.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DateTime {
    /// The day.
    pub date: Date,
    /// 0 to 23.
    pub hour: u8,
    /// 0 to 59.
    pub minute: u8,
    /// 0 to 59.
    pub second: u8,
    /// 0 to 999,999.
    pub micros: u32,
}

impl DateTime {
    fn read(cursor: &mut Cursor<'_>) -> Result<Self, Error> {
        let what = "a date";
        let len = cursor.u8(what)?;
        let mut at = Self::default();
        if !matches!(len, 0 | 4 | 7 | 11) {
            return Err(Error::Malformed { what });
        }
        if len >= 4 {
            at.date = Date { year: cursor.u16(what)?, month: cursor.u8(what)?, day: cursor.u8(what)? };
        }
        if len >= 7 {
            [at.hour, at.minute, at.second] = cursor.array(what)?;
        }
        if len == 11 {
            at.micros = cursor.u32(what)?;
        }
        Ok(at)
    }

    fn put(&self, out: &mut BytesMut) {
        let len = match self {
            Self { micros: 1.., .. } => 11,
            Self { hour: 0, minute: 0, second: 0, date, .. } => {
                if *date == Date::default() {
                    0
                } else {
                    4
                }
            }
            _ => 7,
        };
        out.put_u8(len);
        if len >= 4 {
            out.put_u16_le(self.date.year);
            out.extend_from_slice(&[self.date.month, self.date.day]);
        }
        if len >= 7 {
            out.extend_from_slice(&[self.hour, self.minute, self.second]);
        }
        if len == 11 {
            out.put_u32_le(self.micros);
        }
    }

    fn write(&self, out: &mut BytesMut, decimals: u8) {
        self.date.write(out);
        text::put_format(out, format_args!(" {:02}:{:02}:{:02}", self.hour, self.minute, self.second));
        text::put_fraction(out, self.micros, decimals);
    }
}

/// A span of time.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Time {
    /// Whether it runs backwards.
    pub negative: bool,
    /// Days.
    pub days: u32,
    /// 0 to 23.
    pub hours: u8,
    /// 0 to 59.
    pub minutes: u8,
    /// 0 to 59.
    pub seconds: u8,
    /// 0 to 999,999.
    pub micros: u32,
}

impl Time {
    fn read(cursor: &mut Cursor<'_>) -> Result<Self, Error> {
        let what = "a time";
        let len = cursor.u8(what)?;
        let mut time = Self::default();
        if !matches!(len, 0 | 8 | 12) {
            return Err(Error::Malformed { what });
        }
        if len >= 8 {
            time.negative = cursor.u8(what)? != 0;
            time.days = cursor.u32(what)?;
            [time.hours, time.minutes, time.seconds] = cursor.array(what)?;
        }
        if len == 12 {
            time.micros = cursor.u32(what)?;
        }
        Ok(time)
    }

    fn put(&self, out: &mut BytesMut) {
        let len = match self {
            Self { micros: 1.., .. } => 12,
            Self { days: 0, hours: 0, minutes: 0, seconds: 0, .. } => 0,
            _ => 8,
        };
        out.put_u8(len);
        if len >= 8 {
            out.put_u8(u8::from(self.negative));
            out.put_u32_le(self.days);
            out.extend_from_slice(&[self.hours, self.minutes, self.seconds]);
        }
        if len == 12 {
            out.put_u32_le(self.micros);
        }
    }

    fn write(&self, out: &mut BytesMut, decimals: u8) {
        let sign = if self.negative { "-" } else { "" };
        let hours = u64::from(self.days) * 24 + u64::from(self.hours);
        text::put_format(out, format_args!("{sign}{hours:02}:{:02}:{:02}", self.minutes, self.seconds));
        text::put_fraction(out, self.micros, decimals);
    }

    /// The span in microseconds, to compare by.
    pub fn as_micros(&self) -> i128 {
        let hours = i128::from(self.days) * 24 + i128::from(self.hours);
        let seconds = (hours * 60 + i128::from(self.minutes)) * 60 + i128::from(self.seconds);
        let micros = seconds * 1_000_000 + i128::from(self.micros);
        if self.negative { -micros } else { micros }
    }
}

#[cfg(test)]
pub(crate) mod tests;
