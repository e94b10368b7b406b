//! Running prepared statements: the parameters a client sends, and the same ones sent on to a server.
//!
//! A value is never decoded unless someone asks for it; what goes to the server is the client's own bytes.

use bytes::{BufMut, BytesMut};
use smallvec::SmallVec;

use crate::{
    Error,
    attributes::Attributes,
    caps::Capabilities,
    column::ColumnType,
    command::code,
    cursor::{Cursor, put_lenenc, put_string},
    frame,
    value::{Kind, Value},
};

/// The type of a parameter.
pub type ParamType = Kind;

/// Where the statement id stands in the payload of an execute.
const STATEMENT: std::ops::Range<usize> = 1..5;

/// The flag that says the packet counts its parameters itself, attributes included.
const PARAMETER_COUNT_AVAILABLE: u8 = 0x08;

/// The flag that asks for a cursor.
const CURSOR_READ_ONLY: u8 = 0x01;

/// The header of an execute; its parameters are read once their number is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Execute<'a> {
    /// The statement.
    pub statement: u32,
    /// Which cursor to open (0: none), and whether parameters are counted.
    pub flags: u8,
    /// Always 1.
    pub iterations: u32,
    /// The parameters.
    pub rest: &'a [u8],
    /// Whether attributes may stand among the parameters (`CLIENT_QUERY_ATTRIBUTES`).
    pub attributes: bool,
}

impl<'a> Execute<'a> {
    #[inline]
    pub(crate) fn read(mut cursor: Cursor<'a>, capabilities: Capabilities) -> Result<Self, Error> {
        let what = "header of an execute";
        Ok(Self {
            statement: cursor.u32(what)?,
            flags: cursor.u8(what)?,
            iterations: cursor.u32(what)?,
            rest: cursor.take_rest(),
            attributes: capabilities.contains(Capabilities::QUERY_ATTRIBUTES),
        })
    }

    /// Whether a cursor is asked for: servers open those that only read, and no others.
    #[inline]
    pub const fn wants_cursor(&self) -> bool {
        self.flags & CURSOR_READ_ONLY != 0
    }

    /// Whether the packet of a statement with `count` parameters carries their types, so that any server can read it.
    #[inline]
    pub fn carries_types(&self, count: usize) -> bool {
        count == 0 || (!self.counts(count) && self.rest.get(count.div_ceil(8)) == Some(&1))
    }

    /// Whether a count stands before the parameters and names behind their types: where attributes may, always before
    /// parameters (some clients do not set the flag then), before attributes alone if the flag says so.
    #[inline]
    const fn counts(&self, count: usize) -> bool {
        self.attributes && (count > 0 || self.flags & PARAMETER_COUNT_AVAILABLE != 0)
    }

    /// The attributes that stand behind the parameters of a statement with `count` of them.
    #[inline]
    pub fn attributes(&self, count: usize) -> Result<Option<Attributes>, Error> {
        if !self.counts(count) || self.rest.first().is_some_and(|sent| usize::from(*sent) == count) {
            return Ok(None);
        }
        self.read_attributes(count)
    }

    #[cold]
    fn read_attributes(&self, count: usize) -> Result<Option<Attributes>, Error> {
        let mut cursor = Cursor::new(self.rest);
        let what = "parameters of an execute";
        let sent = usize::try_from(cursor.lenenc(what)?).map_err(|_| Error::Truncated { what })?;
        // Without types nobody can tell where one ends.
        let typed = cursor.rest().get(sent.div_ceil(8)) == Some(&1);
        if sent <= count || !typed {
            return Ok(None);
        }
        Attributes::read(&mut cursor, sent, count).map(Some)
    }

    /// Finds the parameters of a statement that has `count` of them, none sent as long data.
    ///
    /// `known` are the types of the last execute, used when this one does not repeat them.
    #[inline]
    pub fn params(&self, count: usize, known: Option<&'a [ParamType]>) -> Result<Params<'a>, Error> {
        self.params_with(count, known, |_| None)
    }

    /// Like [`params`](Self::params), with what was sent ahead as long data for some of them.
    pub fn params_with(
        &self,
        count: usize,
        known: Option<&'a [ParamType]>,
        long: impl Fn(usize) -> Option<&'a [u8]>,
    ) -> Result<Params<'a>, Error> {
        let mut cursor = Cursor::new(self.rest);
        let what = "parameters of an execute";
        let counted = self.counts(count);
        let sent = if counted { usize::try_from(cursor.lenenc(what)?).unwrap_or(usize::MAX) } else { count };
        if sent < count {
            return Err(Error::Truncated { what });
        }
        let mut params = Params { types: Types::Known(&[]), pieces: SmallVec::new(), rebound: false };
        if sent == 0 {
            return Ok(params);
        }
        let nulls = cursor.bytes(sent.div_ceil(8), what)?;
        params.rebound = cursor.u8(what)? == 1;
        params.types = if params.rebound {
            Types::Sent(read_types(&mut cursor, sent, counted)?)
        } else {
            Types::Known(
                known
                    .filter(|known| known.len() >= count)
                    .ok_or(Error::Truncated { what: "types of parameters" })?,
            )
        };
        // Bitmap and types were checked to cover `sent`, and that is at least `count`.
        for at in 0..count {
            params.pieces.push(if let Some(long) = long(at) {
                Piece::Long(long)
            } else if nulls[at / 8] & (1 << (at % 8)) != 0 {
                Piece::Null
            } else {
                Piece::Encoded(params.types()[at].raw(&mut cursor)?)
            });
        }
        if let Types::Sent(types) = &mut params.types {
            types.truncate(count);
        }
        Ok(params)
    }
}

/// Reads the announced types; with attributes each is followed by a name.
fn read_types(
    cursor: &mut Cursor<'_>,
    count: usize,
    named: bool,
) -> Result<SmallVec<[ParamType; 16]>, Error> {
    let what = "types of parameters";
    if !named {
        let bytes = cursor.bytes(count.saturating_mul(2), what)?;
        return Ok(bytes.as_chunks::<2>().0.iter().map(|pair| Kind::from_bytes(*pair)).collect());
    }
    let mut types = SmallVec::new();
    for _ in 0..count {
        types.push(Kind::from_bytes(cursor.array(what)?));
        cursor.string("name of a parameter")?;
    }
    Ok(types)
}

/// Passes over a bitmap, named types and values, as they stand before the text of a query.
pub(crate) fn skip_parameters(cursor: &mut Cursor<'_>, count: u64) -> Result<(), Error> {
    let what = "attributes of a query";
    if count == 0 {
        return Ok(());
    }
    let count = usize::try_from(count).map_err(|_| Error::Truncated { what })?;
    let nulls = cursor.bytes(count.div_ceil(8), what)?;
    if cursor.u8(what)? != 1 {
        return Err(Error::Malformed { what });
    }
    let types = read_types(cursor, count, true)?;
    for (at, kind) in types.iter().enumerate() {
        // There are as many types as the bitmap has bits, or more bits.
        if nulls[at / 8] & (1 << (at % 8)) == 0 {
            kind.raw(cursor)?;
        }
    }
    Ok(())
}

#[derive(Debug, Clone)]
enum Types<'a> {
    Known(&'a [ParamType]),
    Sent(SmallVec<[ParamType; 16]>),
}

#[derive(Debug, Clone, Copy)]
enum Piece<'a> {
    Encoded(&'a [u8]),
    Long(&'a [u8]),
    Null,
}

/// The parameters of one execute.
#[derive(Debug, Clone)]
pub struct Params<'a> {
    types: Types<'a>,
    pieces: SmallVec<[Piece<'a>; 16]>,
    /// Whether the packet itself carried the types.
    pub rebound: bool,
}

impl<'a> Params<'a> {
    /// Parameters that no packet carried.
    pub fn none() -> Params<'static> {
        Params { types: Types::Known(&[]), pieces: SmallVec::new(), rebound: false }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.pieces.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    /// Their types, to be known at the next execute.
    pub fn types(&self) -> &[ParamType] {
        match &self.types {
            Types::Known(types) => types,
            Types::Sent(types) => types,
        }
    }

    /// Parameter `at`; NULL when there is none. [`params`](Execute::params) checked lengths but not dates, hence the error.
    pub fn value(&self, at: usize) -> Result<Value<'a>, Error> {
        match (self.pieces.get(at), self.types().get(at)) {
            (Some(Piece::Encoded(raw)), Some(kind)) => kind.decode(raw),
            (Some(Piece::Long(long)), _) => Ok(Value::Bytes(long)),
            _ => Ok(Value::Null),
        }
    }

    /// Parameter `at`; NULL when there is none or when it is a date of a broken length.
    pub fn get(&self, at: usize) -> Value<'a> {
        self.value(at).unwrap_or(Value::Null)
    }

    /// The bytes of parameter `at` as they were sent: encoded, or bare for long data; empty for NULL.
    pub fn raw(&self, at: usize) -> &'a [u8] {
        match self.pieces.get(at) {
            Some(Piece::Encoded(raw) | Piece::Long(raw)) => raw,
            _ => &[],
        }
    }

    /// Whether parameter `at` is NULL.
    pub fn null(&self, at: usize) -> bool {
        match self.pieces.get(at) {
            Some(Piece::Null) | None => true,
            Some(Piece::Encoded(_)) => {
                self.types().get(at).is_none_or(|kind| kind.column == ColumnType::NULL)
            }
            Some(Piece::Long(_)) => false,
        }
    }

    /// Whether parameter `at` was sent as long data.
    pub fn long(&self, at: usize) -> bool {
        matches!(self.pieces.get(at), Some(Piece::Long(_)))
    }

    /// Whether any parameter was sent as long data; then the client's packet alone does not hold them all.
    pub fn any_long(&self) -> bool {
        self.pieces.iter().any(|piece| matches!(piece, Piece::Long(_)))
    }
}

/// One parameter of an execute for a server.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Arg<'a> {
    /// The client's parameter with this number, unchanged.
    Client(usize),
    /// A number of the proxy's own, as for LIMIT.
    Unsigned(u64),
    /// A value of the proxy's own.
    Value(Value<'a>),
}

impl Arg<'_> {
    fn kind(&self, params: &Params<'_>) -> Kind {
        match self {
            Self::Client(at) => match params.types().get(*at) {
                Some(kind) if !params.long(*at) || kind.is_string() => *kind,
                Some(_) => Kind::new(ColumnType::LONG_BLOB),
                None => Kind::new(ColumnType::NULL),
            },
            Self::Unsigned(_) => Kind { column: ColumnType::LONGLONG, unsigned: true },
            Self::Value(value) => value.kind(),
        }
    }

    fn is_null(&self, params: &Params<'_>) -> bool {
        match self {
            Self::Client(at) => params.null(*at),
            Self::Unsigned(_) => false,
            Self::Value(value) => value.is_null(),
        }
    }

    fn write(&self, params: &Params<'_>, out: &mut BytesMut) -> Result<(), Error> {
        match self {
            Self::Client(at) if params.long(*at) => put_string(out, params.raw(*at)),
            Self::Client(at) => out.extend_from_slice(params.raw(*at)),
            Self::Unsigned(number) => out.put_u64_le(*number),
            Self::Value(value) => value.put_binary(out, value.kind())?,
        }
        Ok(())
    }
}

/// Writes an execute of `statement` as one message, types always included, for a server without attributes.
#[inline]
pub fn put_execute<'v>(
    out: &mut BytesMut,
    sequence: &mut u8,
    statement: u32,
    flags: u8,
    params: &Params<'_>,
    which: impl Iterator<Item = Arg<'v>> + Clone,
) -> Result<(), Error> {
    Run { statement, flags, named: false, attributes: None }.put(out, sequence, params, which)
}

/// How a server is to run a prepared statement.
#[derive(Debug, Clone, Copy)]
pub struct Run<'a> {
    /// The statement.
    pub statement: u32,
    /// Which cursor to open (0: none).
    pub flags: u8,
    /// The server takes attributes (`CLIENT_QUERY_ATTRIBUTES`), and so a count of parameters and their names.
    pub named: bool,
    /// Those there are; not sent to a server that takes none.
    pub attributes: Option<&'a Attributes>,
}

impl Run<'_> {
    /// Writes it as one message, types always included.
    pub fn put<'v>(
        self,
        out: &mut BytesMut,
        sequence: &mut u8,
        params: &Params<'_>,
        which: impl Iterator<Item = Arg<'v>> + Clone,
    ) -> Result<(), Error> {
        let Self { statement, flags, named, attributes } = self;
        let attributes = attributes.filter(|_| named);
        frame::try_put_with(out, sequence, |out| {
            out.put_u8(code::STMT_EXECUTE);
            out.put_u32_le(statement);
            let at_flags = out.len();
            out.put_u8(flags & !PARAMETER_COUNT_AVAILABLE);
            out.put_u32_le(1);
            let mut count = 0;
            if named {
                count = which.clone().count();
                let all = count + attributes.map_or(0, Attributes::len);
                if all > 0 {
                    out[at_flags] |= PARAMETER_COUNT_AVAILABLE;
                    put_lenenc(out, all as u64);
                }
            }
            let nulls = out.len();
            for (at, arg) in which.clone().enumerate() {
                if at % 8 == 0 {
                    out.put_u8(0);
                }
                if arg.is_null(params) {
                    // The byte was written above, with the first of its eight bits.
                    out[nulls + at / 8] |= 1 << (at % 8);
                }
            }
            if let Some(attributes) = attributes {
                out.put_bytes(0, (count + attributes.len()).div_ceil(8) - count.div_ceil(8));
                attributes.write_nulls(out, nulls, count);
            }
            if out.len() == nulls {
                return Ok(());
            }
            out.put_u8(1);
            for arg in which.clone() {
                out.extend_from_slice(&arg.kind(params).to_bytes());
                if named {
                    // No name.
                    out.put_u8(0);
                }
            }
            if let Some(attributes) = attributes {
                attributes.write_types(out);
            }
            for arg in which {
                if !arg.is_null(params) {
                    arg.write(params, out)?;
                }
            }
            if let Some(attributes) = attributes {
                attributes.write_values(out);
            }
            Ok(())
        })
    }
}

/// Puts another statement id into the payload of an execute, close, reset or long data; says whether it has one.
#[inline]
pub fn patch_statement_id(payload: &mut [u8], statement: u32) -> bool {
    let Some(id) = payload.get_mut(STATEMENT) else { return false };
    id.copy_from_slice(&statement.to_le_bytes());
    true
}

/// Takes the wish for a cursor out of the payload of an execute: its rows then come at once, which clients must bear.
#[inline]
pub fn clear_flags(payload: &mut [u8]) {
    if let Some(flags) = payload.get_mut(STATEMENT.end) {
        *flags = 0;
    }
}

#[cfg(test)]
mod tests;
