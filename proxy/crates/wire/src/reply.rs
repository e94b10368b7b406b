//! The three short answers: OK, ERR and EOF.
//!
//! All are read and written as the peer's capabilities ask. Reading allocates nothing; texts and session
//! changes are slices of the payload.

use std::borrow::Cow;

use bytes::{BufMut, BytesMut};

use crate::{
    Error,
    caps::{Capabilities, Status},
    cursor::{Cursor, lenenc_size, put_lenenc, put_string},
    errno::ErrorCode,
    frame,
};

/// First byte of an OK packet.
pub const OK: u8 = 0x00;
/// First byte of an EOF packet, and of the OK packet that ends rows.
pub const EOF: u8 = 0xFE;
/// First byte of an ERR packet.
pub const ERR: u8 = 0xFF;
/// First byte of a request for a local file.
pub const LOCAL_INFILE: u8 = 0xFB;

/// Success.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Ok<'a> {
    /// Rows changed.
    pub affected: u64,
    /// The first generated key.
    pub insert_id: u64,
    /// The state of the session.
    pub status: Status,
    /// How many warnings wait.
    pub warnings: u16,
    /// A text for people.
    pub info: &'a [u8],
    /// What changed in the session, still encoded; see [`Ok::changes`].
    pub raw_changes: Option<&'a [u8]>,
}

impl<'a> Ok<'a> {
    /// Reads an OK packet with header 0x00 or 0xFE.
    pub fn decode(payload: &'a [u8], capabilities: Capabilities) -> Result<Self, Error> {
        let mut cursor = Cursor::new(payload);
        if !matches!(cursor.u8("header of OK")?, OK | EOF) {
            return Err(Error::Malformed { what: "header of OK" });
        }
        let affected = cursor.lenenc("affected rows of OK")?;
        let insert_id = cursor.lenenc("insert id of OK")?;
        let status = Status::from_bits_retain(cursor.u16("status of OK")?);
        let warnings = cursor.u16("warnings of OK")?;
        let mut ok = Self { affected, insert_id, status, warnings, info: &[], raw_changes: None };
        if !capabilities.contains(Capabilities::SESSION_TRACK) {
            // Servers write the length here too, whatever the manual says.
            let rest = cursor.rest();
            ok.info = cursor.string("info of OK").ok().filter(|_| cursor.is_empty()).unwrap_or(rest);
            return Ok(ok);
        }
        if !cursor.is_empty() {
            ok.info = cursor.string("info of OK")?;
        }
        if status.contains(Status::SESSION_STATE_CHANGED) && !cursor.is_empty() {
            ok.raw_changes = Some(cursor.string("session changes of OK")?);
        }
        Ok(ok)
    }

    /// Writes it as an answer of its own.
    #[inline]
    pub fn encode(&self, out: &mut BytesMut, capabilities: Capabilities) {
        self.write(OK, out, capabilities);
    }

    /// Writes it as the end of rows for a peer without EOF packets; see [`put_end`] for either.
    #[inline]
    pub fn encode_end(&self, out: &mut BytesMut, capabilities: Capabilities) {
        self.write(EOF, out, capabilities);
    }

    fn write(&self, header: u8, out: &mut BytesMut, capabilities: Capabilities) {
        let changes = self.raw_changes.filter(|_| capabilities.contains(Capabilities::SESSION_TRACK));
        let mut status = self.status;
        status.set(Status::SESSION_STATE_CHANGED, changes.is_some());
        out.put_u8(header);
        put_lenenc(out, self.affected);
        put_lenenc(out, self.insert_id);
        out.put_u16_le(status.bits());
        out.put_u16_le(self.warnings);
        if changes.is_some() || !self.info.is_empty() {
            put_string(out, self.info);
        }
        if let Some(changes) = changes {
            put_string(out, changes);
        }
    }

    /// What changed in the session.
    pub fn changes(&self) -> Changes<'a> {
        Changes { cursor: Cursor::new(self.raw_changes.unwrap_or_default()), variables: Cursor::new(&[]) }
    }
}

/// One change of a session's state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change<'a> {
    /// Transactions seen, by their ids.
    Gtids(&'a [u8]),
    /// Another default database.
    Schema(&'a [u8]),
    /// Whether anything changed that another connection would lack.
    State(bool),
    /// The statements that would begin the current transaction again.
    TransactionCharacteristics(&'a [u8]),
    /// Eight letters that tell what the transaction did so far.
    TransactionState(&'a [u8]),
    /// A kind of change this crate does not know.
    Unknown {
        /// Its number.
        kind: u8,
        /// What it says.
        data: &'a [u8],
    },
    /// A system variable has a new value.
    Variable {
        /// Its name.
        name: &'a [u8],
        /// Its value as text.
        value: &'a [u8],
    },
}

/// See [`Ok::changes`].
#[derive(Debug, Clone)]
pub struct Changes<'a> {
    cursor: Cursor<'a>,
    /// What is left of an entry that may hold several variables.
    variables: Cursor<'a>,
}

impl<'a> Changes<'a> {
    fn read(&mut self) -> Result<Change<'a>, Error> {
        let what = "a session change";
        if !self.variables.is_empty() {
            return Ok(Change::Variable {
                name: self.variables.string(what)?,
                value: self.variables.string(what)?,
            });
        }
        let kind = self.cursor.u8(what)?;
        let data = self.cursor.string(what)?;
        let mut inner = Cursor::new(data);
        Ok(match kind {
            0 => {
                self.variables = inner;
                Change::Variable { name: self.variables.string(what)?, value: self.variables.string(what)? }
            }
            1 => Change::Schema(inner.string(what)?),
            2 => Change::State(inner.string(what)? == b"1"),
            3 => {
                inner.u8(what)?; // how the ids are spelled; there is one way
                Change::Gtids(inner.string(what)?)
            }
            4 => Change::TransactionCharacteristics(inner.string(what)?),
            5 => Change::TransactionState(inner.string(what)?),
            kind => Change::Unknown { kind, data },
        })
    }
}

impl<'a> Iterator for Changes<'a> {
    type Item = Result<Change<'a>, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.cursor.is_empty() && self.variables.is_empty() {
            return None;
        }
        let change = self.read();
        if change.is_err() {
            *self = Self { cursor: Cursor::new(&[]), variables: Cursor::new(&[]) };
        }
        Some(change)
    }
}

impl Change<'_> {
    /// Appends it to the session changes of an OK packet.
    pub fn encode(&self, out: &mut BytesMut) {
        let mut one = |kind: u8, before: &[u8], value: &[u8]| {
            out.put_u8(kind);
            put_lenenc(out, (before.len() + lenenc_size(value.len() as u64) + value.len()) as u64);
            out.extend_from_slice(before);
            put_string(out, value);
        };
        match *self {
            Self::Schema(name) => one(1, &[], name),
            Self::State(changed) => one(2, &[], if changed { b"1" } else { b"0" }),
            Self::Gtids(ids) => one(3, &[0], ids),
            Self::TransactionCharacteristics(text) => one(4, &[], text),
            Self::TransactionState(text) => one(5, &[], text),
            Self::Unknown { kind, data } => {
                out.put_u8(kind);
                put_string(out, data);
            }
            Self::Variable { name, value } => {
                let len = |text: &[u8]| lenenc_size(text.len() as u64) + text.len();
                out.put_u8(0);
                put_lenenc(out, (len(name) + len(value)) as u64);
                put_string(out, name);
                put_string(out, value);
            }
        }
    }
}

/// Failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Err<'a> {
    /// The number.
    pub code: u16,
    /// The SQLSTATE.
    pub state: [u8; 5],
    /// The text.
    pub message: &'a [u8],
}

impl<'a> Err<'a> {
    /// An error of the proxy's own.
    pub fn new(code: ErrorCode, message: &'a str) -> Self {
        let state = code.state.as_bytes().first_chunk().copied().unwrap_or(*b"HY000");
        Self { code: code.code, state, message: message.as_bytes() }
    }

    /// Reads an ERR packet; without a SQLSTATE (before the login) it is `HY000`.
    pub fn decode(payload: &'a [u8]) -> Result<Self, Error> {
        let mut cursor = Cursor::new(payload);
        if cursor.u8("header of ERR")? != ERR {
            return Err(Error::Malformed { what: "header of ERR" });
        }
        let code = cursor.u16("number of ERR")?;
        let mut state = *b"HY000";
        if let [b'#', rest @ ..] = cursor.rest()
            && let Some((told, message)) = rest.split_first_chunk()
        {
            state = *told;
            cursor = Cursor::new(message);
        }
        Ok(Self { code, state, message: cursor.take_rest() })
    }

    /// Writes an ERR packet for a client of 4.1 or later, which all are.
    pub fn encode(&self, out: &mut BytesMut) {
        out.put_u8(ERR);
        out.put_u16_le(self.code);
        out.put_u8(b'#');
        out.extend_from_slice(&self.state);
        out.extend_from_slice(self.message);
    }

    /// The text, whatever bytes it was.
    pub fn text(&self) -> Cow<'a, str> {
        String::from_utf8_lossy(self.message)
    }

    /// The SQLSTATE as text.
    pub fn state_text(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.state)
    }
}

/// The end of columns or rows for a peer that knows EOF packets.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Eof {
    /// How many warnings wait.
    pub warnings: u16,
    /// The state of the session.
    pub status: Status,
}

impl Eof {
    /// Reads an EOF packet.
    pub fn decode(payload: &[u8]) -> Result<Self, Error> {
        let mut cursor = Cursor::new(payload);
        if cursor.u8("header of EOF")? != EOF || payload.len() > 5 {
            return Err(Error::Malformed { what: "header of EOF" });
        }
        let warnings = cursor.u16("warnings of EOF")?;
        Ok(Self { warnings, status: Status::from_bits_retain(cursor.u16("status of EOF")?) })
    }

    /// Writes an EOF packet.
    pub fn encode(&self, out: &mut BytesMut) {
        out.put_u8(EOF);
        out.put_u16_le(self.warnings);
        out.put_u16_le(self.status.bits());
    }
}

/// Whether a message among rows is what ends them, and not a row whose first cell has a length of eight bytes.
#[inline]
pub fn ends_rows(payload: &[u8], capabilities: Capabilities) -> bool {
    let longest = if capabilities.contains(Capabilities::DEPRECATE_EOF) { frame::MAX_PAYLOAD - 1 } else { 8 };
    payload.first() == Some(&EOF) && payload.len() <= longest
}

/// Reads what ends rows: an EOF packet or an OK packet, as the capabilities have it.
pub fn decode_end(payload: &[u8], capabilities: Capabilities) -> Result<Ok<'_>, Error> {
    if capabilities.contains(Capabilities::DEPRECATE_EOF) {
        return Ok::decode(payload, capabilities);
    }
    let Eof { warnings, status } = Eof::decode(payload)?;
    Ok(Ok { warnings, status, ..Ok::default() })
}

/// Writes the payload of what ends rows: an EOF packet or an OK packet, as the capabilities have it.
#[inline]
pub fn put_end(out: &mut BytesMut, end: &Ok<'_>, capabilities: Capabilities) {
    if capabilities.contains(Capabilities::DEPRECATE_EOF) {
        return end.encode_end(out, capabilities);
    }
    let status = end.status.difference(Status::SESSION_STATE_CHANGED);
    Eof { warnings: end.warnings, status }.encode(out);
}

/// Writes success as one message.
#[inline]
pub fn put_ok(out: &mut BytesMut, sequence: &mut u8, ok: &Ok<'_>, capabilities: Capabilities) {
    frame::put_with(out, sequence, |out| ok.encode(out, capabilities));
}

/// Writes an error as one message.
pub fn put_error(out: &mut BytesMut, sequence: &mut u8, code: ErrorCode, message: &str) {
    frame::put_with(out, sequence, |out| Err::new(code, message).encode(out));
}

#[cfg(test)]
mod tests;
