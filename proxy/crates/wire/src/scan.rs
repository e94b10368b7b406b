//! Follows one answer of a server through the bytes as they arrive, to relay them without taking them apart.
//!
//! Everything but rows is reported frame by frame; rows are reported as stretches of bytes, as many rows as have
//! arrived, the last of them perhaps in part, so that a row of any size passes in constant memory. Nothing is
//! copied and nothing allocated.

use crate::{
    Error,
    caps::Status,
    cursor::Cursor,
    frame::{HEADER, MAX_PAYLOAD, header},
    reply,
};

/// To which command the answer belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expect {
    /// A field list: columns without a count, then an end.
    FieldList,
    /// A prepare.
    Prepare,
    /// A query, an execute, or any command answered by OK or ERR.
    Results,
    /// A fetch from a cursor: rows, then an end.
    Rows,
}

/// What lies at the front of the input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// The answer is over; what follows belongs to another.
    Done,
    /// One whole frame.
    Frame {
        /// Its length with the header; the payload is `input[4..len]`.
        len: usize,
        /// What it is.
        part: Part,
    },
    /// Too few bytes to say; come again with more behind these.
    More,
    /// Rows, to be relayed as they are: whole frames and, at both ends, parts of frames.
    Rows {
        /// How many bytes.
        len: usize,
        /// How many rows began in them.
        rows: u64,
    },
}

/// One frame of an answer that is not a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// A column definition.
    Column,
    /// The EOF behind the columns.
    ColumnsEof,
    /// How many columns follow.
    Count(u64),
    /// The end of rows: EOF, or OK with header 0xFE.
    End(Status),
    /// ERR, wherever it came.
    Err,
    /// A request for a local file.
    LocalInfile,
    /// OK.
    Ok(Status),
    /// The definition of a parameter.
    Param,
    /// The EOF behind the parameters.
    ParamsEof,
    /// The first frame of the answer to a prepare.
    Prepared(Prepared),
}

/// A prepared statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Prepared {
    /// Its number on this connection.
    pub statement: u32,
    /// How many columns its rows have.
    pub columns: u16,
    /// How many parameters it has.
    pub params: u16,
    /// How many warnings wait.
    pub warnings: u16,
}

impl Prepared {
    /// Reads the first frame of the answer to a prepare.
    pub fn decode(payload: &[u8]) -> Result<Self, Error> {
        let what = "answer to a prepare";
        let mut cursor = Cursor::new(payload);
        if cursor.u8(what)? != reply::OK {
            return Err(Error::Malformed { what });
        }
        let statement = cursor.u32(what)?;
        let (columns, params) = (cursor.u16(what)?, cursor.u16(what)?);
        cursor.u8(what)?;
        let warnings = if cursor.is_empty() { 0 } else { cursor.u16(what)? };
        Ok(Self { statement, columns, params, warnings })
    }

    /// Writes the first frame of the answer to a prepare.
    pub fn encode(&self, out: &mut bytes::BytesMut) {
        use bytes::BufMut as _;
        out.put_u8(reply::OK);
        out.put_u32_le(self.statement);
        out.put_u16_le(self.columns);
        out.put_u16_le(self.params);
        out.put_u8(0);
        out.put_u16_le(self.warnings);
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    Columns { left: u64 },
    ColumnsEof,
    Done,
    Fields,
    First,
    Params { left: u16, columns: u16 },
    ParamsEof { columns: u16 },
    PreparedColumns { left: u16 },
    Rows,
}

/// The place reached in one answer.
#[derive(Debug, Clone)]
pub struct ResponseScan {
    expect: Expect,
    deprecate_eof: bool,
    phase: Phase,
    /// Bytes of a row's frame that were not reported yet.
    pending: usize,
    /// Whether the frame reported last was full, so that the next continues its row.
    continued: bool,
}

impl ResponseScan {
    /// At the beginning of an answer of a server with or without EOF packets.
    pub const fn new(expect: Expect, deprecate_eof: bool) -> Self {
        let phase = match expect {
            Expect::FieldList => Phase::Fields,
            Expect::Prepare | Expect::Results => Phase::First,
            Expect::Rows => Phase::Rows,
        };
        Self { expect, deprecate_eof, phase, pending: 0, continued: false }
    }

    /// In the middle of a result whose columns have been read otherwise: rows come next.
    pub const fn among_rows(deprecate_eof: bool) -> Self {
        Self { phase: Phase::Rows, ..Self::new(Expect::Results, deprecate_eof) }
    }

    /// Whether the answer is over.
    pub const fn is_done(&self) -> bool {
        matches!(self.phase, Phase::Done)
    }

    /// Whether the place reached is among rows, where an error may still come.
    pub const fn is_in_rows(&self) -> bool {
        matches!(self.phase, Phase::Rows)
    }

    /// Whether a row has begun whose end has not been reported.
    pub const fn is_in_row(&self) -> bool {
        self.pending > 0 || self.continued
    }

    /// Says what lies at the front of `input`; the caller takes exactly that off before the next step.
    ///
    /// After an error the place is lost, and the connection with it.
    #[inline]
    pub fn step(&mut self, input: &[u8]) -> Result<Step, Error> {
        match self.phase {
            Phase::Rows => self.rows(input),
            Phase::Done => Ok(Step::Done),
            _ => self.other(input),
        }
    }

    /// Passes over as many rows as there are.
    #[inline]
    fn rows(&mut self, input: &[u8]) -> Result<Step, Error> {
        let mut at = self.pending.min(input.len());
        self.pending -= at;
        let mut rows = 0;
        while self.pending == 0 {
            // Five bytes hold the header and what tells a row from an end. Only the empty frame behind a full one has no fifth.
            let (len, first) = match input.get(at..).unwrap_or_default() {
                [a, b, c, _, first, ..] => (u32::from_le_bytes([*a, *b, *c, 0]) as usize, *first),
                [0, 0, 0, _] if self.continued => (0, 0),
                _ => break,
            };
            if self.continued {
                self.continued = len == MAX_PAYLOAD;
            } else if first < reply::EOF && len > 0 {
                rows += 1;
                self.continued = len == MAX_PAYLOAD;
            } else if first == reply::EOF && len == MAX_PAYLOAD {
                rows += 1;
                self.continued = true;
            } else if at == 0 {
                return self.other(input);
            } else {
                break;
            }
            let end = at + HEADER + len;
            at = end.min(input.len());
            self.pending = end - at;
        }
        Ok(if at == 0 { Step::More } else { Step::Rows { len: at, rows } })
    }

    /// Reports one frame that is not a row.
    fn other(&mut self, input: &[u8]) -> Result<Step, Error> {
        let Some(header) = header(input) else { return Ok(Step::More) };
        if header.len == MAX_PAYLOAD {
            return Err(Error::Malformed { what: "frame of 16 MB that is no row" });
        }
        let len = HEADER + header.len;
        let Some(payload) = input.get(HEADER..len) else { return Ok(Step::More) };
        let part = self.part(payload)?;
        Ok(Step::Frame { len, part })
    }

    fn part(&mut self, payload: &[u8]) -> Result<Part, Error> {
        let Some(first) = payload.first().copied() else {
            return Err(Error::Malformed { what: "empty frame in an answer" });
        };
        if first == reply::ERR {
            self.phase = Phase::Done;
            return Ok(Part::Err);
        }
        Ok(match self.phase {
            Phase::First => return self.first(first, payload),
            Phase::Fields => {
                if first != reply::EOF {
                    return Ok(Part::Column);
                }
                self.phase = Phase::Done;
                Part::End(self.end_status(payload)?)
            }
            Phase::Columns { left } => {
                self.phase = match left {
                    2.. => Phase::Columns { left: left - 1 },
                    _ if self.deprecate_eof => Phase::Rows,
                    _ => Phase::ColumnsEof,
                };
                Part::Column
            }
            Phase::ColumnsEof => {
                let cursor = reply::Eof::decode(payload)?.status.contains(Status::CURSOR_EXISTS);
                let prepared = self.expect == Expect::Prepare;
                self.phase = if cursor || prepared { Phase::Done } else { Phase::Rows };
                Part::ColumnsEof
            }
            Phase::Params { left, columns } => {
                self.phase = match left {
                    2.. => Phase::Params { left: left - 1, columns },
                    _ if self.deprecate_eof => Phase::prepared_columns(columns),
                    _ => Phase::ParamsEof { columns },
                };
                Part::Param
            }
            Phase::ParamsEof { columns } => {
                reply::Eof::decode(payload)?;
                self.phase = Phase::prepared_columns(columns);
                Part::ParamsEof
            }
            Phase::PreparedColumns { left } => {
                self.phase = match left {
                    2.. => Phase::PreparedColumns { left: left - 1 },
                    _ if self.deprecate_eof => Phase::Done,
                    _ => Phase::ColumnsEof,
                };
                Part::Column
            }
            Phase::Rows => {
                let status = self.end_status(payload)?;
                self.finish(status);
                Part::End(status)
            }
            Phase::Done => return Err(Error::Malformed { what: "frame behind the end of an answer" }),
        })
    }

    /// The first frame of an answer, or of the next of several results.
    fn first(&mut self, first: u8, payload: &[u8]) -> Result<Part, Error> {
        Ok(match (first, self.expect) {
            (reply::OK, Expect::Prepare) => {
                let prepared = Prepared::decode(payload)?;
                let Prepared { params, columns, .. } = prepared;
                self.phase = match params {
                    0 => Phase::prepared_columns(columns),
                    left => Phase::Params { left, columns },
                };
                Part::Prepared(prepared)
            }
            (_, Expect::Prepare) => return Err(Error::Malformed { what: "answer to a prepare" }),
            (reply::OK, _) => {
                let status = ok_status(payload)?;
                self.finish(status);
                Part::Ok(status)
            }
            (reply::EOF, _) => {
                let status = self.end_status(payload)?;
                self.finish(status);
                Part::End(status)
            }
            (reply::LOCAL_INFILE, _) => Part::LocalInfile, // OK or ERR follows once the client sent its file
            _ => {
                let left = Cursor::new(payload).lenenc("number of columns")?;
                if !(1..=u64::from(u16::MAX)).contains(&left) {
                    return Err(Error::Malformed { what: "number of columns" });
                }
                self.phase = Phase::Columns { left };
                Part::Count(left)
            }
        })
    }

    const fn finish(&mut self, status: Status) {
        let more = status.contains(Status::MORE_RESULTS_EXIST);
        self.phase = if more { Phase::First } else { Phase::Done };
    }

    /// The status in what ends rows; an EOF packet is short, whatever was agreed.
    fn end_status(&self, payload: &[u8]) -> Result<Status, Error> {
        if self.deprecate_eof && payload.len() > 5 {
            return ok_status(payload);
        }
        Ok(reply::Eof::decode(payload)?.status)
    }
}

impl Phase {
    const fn prepared_columns(columns: u16) -> Self {
        match columns {
            0 => Self::Done,
            left => Self::PreparedColumns { left },
        }
    }
}

/// The status of an OK packet, without reading the rest.
fn ok_status(payload: &[u8]) -> Result<Status, Error> {
    let what = "status of OK";
    let mut cursor = Cursor::new(payload);
    cursor.u8(what)?;
    cursor.lenenc(what)?;
    cursor.lenenc(what)?;
    Ok(Status::from_bits_retain(cursor.u16(what)?))
}

/// Shifts the sequence numbers of frames that pass by, for a client that got more or fewer frames than the server sent.
///
/// It is fed with the stretches that [`ResponseScan::step`] reports, which never cut a header.
#[derive(Debug, Default, Clone)]
pub struct Renumber {
    /// Bytes of the current frame still to come.
    pending: usize,
}

impl Renumber {
    /// Adds `shift` to the number of each frame that begins in `bytes`.
    pub fn shift(&mut self, bytes: &mut [u8], shift: u8) {
        let mut at = self.pending;
        while let Some([a, b, c, sequence]) =
            bytes.get_mut(at..).and_then(|rest| rest.first_chunk_mut::<HEADER>())
        {
            at += HEADER + u32::from_le_bytes([*a, *b, *c, 0]) as usize;
            *sequence = sequence.wrapping_add(shift);
        }
        self.pending = at.saturating_sub(bytes.len());
    }
}

#[cfg(test)]
mod tests;
