//! What a client asks for.
//!
//! Texts stay bytes of the payload: which character set they are in is known to the session alone.

use bytes::{BufMut, BytesMut};

use crate::{
    Error,
    caps::Capabilities,
    cursor::Cursor,
    execute::{Execute, skip_parameters},
    handshake::ChangeUser,
};

/// The number of each command.
pub mod code {
    #![expect(missing_docs, reason = "the names are the protocol's own")]
    pub const QUIT: u8 = 0x01;
    pub const INIT_DB: u8 = 0x02;
    pub const QUERY: u8 = 0x03;
    pub const FIELD_LIST: u8 = 0x04;
    pub const STATISTICS: u8 = 0x09;
    pub const PROCESS_INFO: u8 = 0x0A;
    pub const PROCESS_KILL: u8 = 0x0C;
    pub const DEBUG: u8 = 0x0D;
    pub const PING: u8 = 0x0E;
    pub const CHANGE_USER: u8 = 0x11;
    pub const STMT_PREPARE: u8 = 0x16;
    pub const STMT_EXECUTE: u8 = 0x17;
    pub const STMT_SEND_LONG_DATA: u8 = 0x18;
    pub const STMT_CLOSE: u8 = 0x19;
    pub const STMT_RESET: u8 = 0x1A;
    pub const SET_OPTION: u8 = 0x1B;
    pub const STMT_FETCH: u8 = 0x1C;
    pub const RESET_CONNECTION: u8 = 0x1F;
}

/// One command of a client.
#[derive(Debug, Clone, PartialEq)]
pub enum Command<'a> {
    /// Another user on the same connection.
    ChangeUser(ChangeUser<'a>),
    /// Write debug information to the server's log.
    Debug,
    /// Run a prepared statement.
    Execute(Execute<'a>),
    /// The columns of a table.
    FieldList {
        /// The table.
        table: &'a [u8],
        /// A pattern the columns must match.
        wildcard: &'a [u8],
    },
    /// Another default database.
    InitDb(&'a [u8]),
    /// Are you there?
    Ping,
    /// Prepare a statement.
    Prepare(&'a [u8]),
    /// Which sessions are there?
    ProcessInfo,
    /// End a session.
    ProcessKill(u32),
    /// Run a statement.
    Query(&'a [u8]),
    /// Goodbye.
    Quit,
    /// A session as after login.
    ResetConnection,
    /// Switch several statements per query on (0) or off (1).
    SetOption(u16),
    /// A line of figures.
    Statistics,
    /// Forget a prepared statement; not answered.
    StmtClose(u32),
    /// The next rows of a cursor.
    StmtFetch {
        /// The statement.
        statement: u32,
        /// How many rows.
        rows: u32,
    },
    /// Drop long data and close the cursor.
    StmtReset(u32),
    /// A piece of one parameter; not answered.
    StmtSendLongData {
        /// The statement.
        statement: u32,
        /// Which parameter, from 0.
        parameter: u16,
        /// The piece.
        data: &'a [u8],
    },
    /// Any other number.
    Unknown(u8),
}

impl<'a> Command<'a> {
    /// Reads a command from a client with these capabilities (those both sides agreed on).
    #[inline]
    pub fn decode(payload: &'a [u8], capabilities: Capabilities) -> Result<Self, Error> {
        let mut cursor = Cursor::new(payload);
        Ok(match cursor.u8("a command")? {
            code::QUERY => {
                if capabilities.contains(Capabilities::QUERY_ATTRIBUTES) {
                    skip_attributes(&mut cursor)?;
                }
                Self::Query(cursor.take_rest())
            }
            code::STMT_EXECUTE => Self::Execute(Execute::read(cursor, capabilities)?),
            other => Self::rare(other, cursor, capabilities)?,
        })
    }

    fn rare(code: u8, mut cursor: Cursor<'a>, capabilities: Capabilities) -> Result<Self, Error> {
        let what = "argument of a command";
        Ok(match code {
            code::QUIT => Self::Quit,
            code::INIT_DB => Self::InitDb(cursor.take_rest()),
            code::FIELD_LIST => {
                Self::FieldList { table: cursor.zero_terminated(what)?, wildcard: cursor.take_rest() }
            }
            code::STATISTICS => Self::Statistics,
            code::PROCESS_INFO => Self::ProcessInfo,
            code::PROCESS_KILL => Self::ProcessKill(cursor.u32(what)?),
            code::DEBUG => Self::Debug,
            code::PING => Self::Ping,
            code::CHANGE_USER => Self::ChangeUser(ChangeUser::read(cursor, capabilities)?),
            code::STMT_PREPARE => Self::Prepare(cursor.take_rest()),
            code::STMT_SEND_LONG_DATA => Self::StmtSendLongData {
                statement: cursor.u32(what)?,
                parameter: cursor.u16(what)?,
                data: cursor.take_rest(),
            },
            code::STMT_CLOSE => Self::StmtClose(cursor.u32(what)?),
            code::STMT_RESET => Self::StmtReset(cursor.u32(what)?),
            code::SET_OPTION => Self::SetOption(cursor.u16(what)?),
            code::STMT_FETCH => Self::StmtFetch { statement: cursor.u32(what)?, rows: cursor.u32(what)? },
            code::RESET_CONNECTION => Self::ResetConnection,
            unknown => Self::Unknown(unknown),
        })
    }

    /// The name MySQL's process list and logs give the command.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::ChangeUser(_) => "Change user",
            Self::Debug => "Debug",
            Self::Execute(_) => "Execute",
            Self::FieldList { .. } => "Field List",
            Self::InitDb(_) => "Init DB",
            Self::Ping => "Ping",
            Self::Prepare(_) => "Prepare",
            Self::ProcessInfo => "Processlist",
            Self::ProcessKill(_) => "Kill",
            Self::Query(_) => "Query",
            Self::Quit => "Quit",
            Self::ResetConnection => "Reset Connection",
            Self::SetOption(_) => "Set option",
            Self::Statistics => "Statistics",
            Self::StmtClose(_) => "Close stmt",
            Self::StmtFetch { .. } => "Fetch",
            Self::StmtReset(_) => "Reset stmt",
            Self::StmtSendLongData { .. } => "Long Data",
            Self::Unknown(_) => "Error",
        }
    }
}

/// Writes the payload of a command that is a number and a text: query, prepare, init db.
#[inline]
pub fn put_text(out: &mut BytesMut, code: u8, text: &[u8]) {
    out.reserve(1 + text.len());
    out.put_u8(code);
    out.extend_from_slice(text);
}

/// Writes the payload of a command that is a number and a statement: close, reset.
#[inline]
pub fn put_statement(out: &mut BytesMut, code: u8, statement: u32) {
    out.put_u8(code);
    out.put_u32_le(statement);
}

/// Writes the payload of a piece of long data.
pub fn put_long_data(out: &mut BytesMut, statement: u32, parameter: u16, data: &[u8]) {
    put_statement(out, code::STMT_SEND_LONG_DATA, statement);
    out.put_u16_le(parameter);
    out.extend_from_slice(data);
}

/// Passes over the attributes that stand before the text of a query.
fn skip_attributes(cursor: &mut Cursor<'_>) -> Result<(), Error> {
    let what = "attributes of a query";
    let count = cursor.lenenc(what)?;
    if cursor.lenenc(what)? != 1 {
        return Err(Error::Malformed { what });
    }
    skip_parameters(cursor, count)
}

#[cfg(test)]
mod tests;
