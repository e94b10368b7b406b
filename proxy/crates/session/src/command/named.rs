//! `PREPARE`, `EXECUTE` and `DEALLOCATE PREPARE` of SQL: the session keeps the statements, so that their texts are
//! looked at like any other. They run as those of the binary protocol, with the values of user variables.

use backend::TextResult;
use bytes::{BufMut, BytesMut};
use sql::lexer::{Token, TokenKind, tokens};
use sql::{Body, Mode, Pin, SlotKind, unquote};
use wire::column::{Column, ColumnFlags, ColumnType};
use wire::cursor::put_string;
use wire::errno;
use wire::execute::Execute;
use wire::hex::hex;
use wire::value::{Kind, Value};

use crate::client::Failure;
use crate::command::query::Done;
use crate::error::Problem;
use crate::prepared::Prepared;
use crate::reply::done;
use crate::session::Session;
use crate::state::user_variable;

/// The first words of these statements.
pub(crate) fn concerns(words: &str) -> bool {
    matches!(words, "DEALLOCATE" | "DROP PREPARE" | "EXECUTE" | "PREPARE")
}

/// One of them.
#[derive(Debug, PartialEq)]
enum Named {
    Prepare { name: String, source: Source },
    Execute { name: String, using: Vec<String> },
    Drop { name: String },
}

/// Where the text of a statement is.
#[derive(Debug, PartialEq)]
enum Source {
    Text(Vec<u8>),
    Variable(String),
}

/// The value of a user variable.
#[derive(Clone, Debug, PartialEq)]
enum Given {
    Null,
    Number(i64),
    Natural(u64),
    /// In digits.
    Decimal(String),
    Double(f64),
    Text(Vec<u8>),
    /// Bytes that are no text.
    Binary(Vec<u8>),
}

impl Session {
    pub(crate) async fn named(&mut self, text: &str, raw: &[u8]) -> Done {
        match read(text, raw, self.state.mode) {
            Ok(Named::Prepare { name, source }) => self.prepare_named(name, source).await,
            Ok(Named::Execute { name, using }) => self.execute_named(&name, &using).await,
            Ok(Named::Drop { name }) => Ok(match self.statements.unname(&name) {
                Some(id) => {
                    self.close_statement(id);
                    self.ok()
                }
                None => Err(unknown(&name, "DEALLOCATE PREPARE")),
            }),
            Err(problem) => Ok(Err(problem)),
        }
    }

    async fn prepare_named(&mut self, name: String, source: Source) -> Done {
        // The one that was called so is gone, whatever comes of this one.
        if let Some(id) = self.statements.unname(&name) {
            self.close_statement(id);
        }
        let text = match source {
            Source::Text(text) => text,
            Source::Variable(variable) => {
                let values = match self.given(&[variable]).await? {
                    Ok(values) => values,
                    Err(problem) => return Ok(Err(problem)),
                };
                values.first().map(Given::to_text).unwrap_or_default()
            }
        };
        let before = self.client.place();
        match Box::pin(self.prepare_as(&text)).await? {
            Ok(Some((id, warnings))) => {
                // That it was prepared is told otherwise.
                self.client.rewind(before);
                self.statements.name(name, id);
                let ok = wire::reply::Ok { info: b"Statement prepared", warnings, ..done(self.status()) };
                self.client.put_done(&ok);
                self.executor.did();
                Ok(Ok(()))
            }
            Ok(None) => {
                self.failed = true;
                Ok(Ok(()))
            }
            Err(problem) => Ok(Err(problem)),
        }
    }

    async fn execute_named(&mut self, name: &str, using: &[String]) -> Done {
        let Some(id) = self.statements.named(name) else { return Ok(Err(unknown(name, "EXECUTE"))) };
        let Some(prepared) = self.statements.get_mut(id) else { return Ok(Err(unknown(name, "EXECUTE"))) };
        if prepared.params != using.len() {
            return Ok(Err(Problem::new(errno::WRONG_ARGUMENTS, "Incorrect arguments to EXECUTE")));
        }
        if matches!(prepared.template.statement().body, Body::Call) {
            // What a procedure gives goes to the variables.
            let variables = using.iter().map(|name| user_variable(name).into_bytes());
            let text = spliced(prepared, variables);
            return Box::pin(self.query(&text)).await;
        }
        let values = match self.given(using).await? {
            Ok(values) => values,
            Err(problem) => return Ok(Err(problem)),
        };
        let rest = encoded(&values);
        self.client.recode_rows();
        let execute = Execute { statement: id, flags: 0, iterations: 1, rest: &rest, attributes: false };
        let done = Box::pin(self.execute(execute)).await?;
        self.client.end_recoding()?;
        Ok(done)
    }

    /// What user variables are.
    async fn given(&mut self, names: &[String]) -> Result<Result<Vec<Given>, Problem>, Failure> {
        let names: Vec<_> = names.iter().map(|name| user_variable(name)).collect();
        if names.is_empty() {
            return Ok(Ok(Vec::new()));
        }
        // What a statement has assigned, one connection knows.
        let question = format!("SELECT {}", names.join(", "));
        Ok(match self.executor.ask_pinned(Pin::VARIABLE | Pin::UNKNOWN, &question).await {
            Some(Ok(told)) => Ok(of_row(&told)),
            Some(Err(error)) => Err(Problem::backend(&error)),
            None => {
                let value = |name: &String| match self.state.settings.variable(name) {
                    Some(literal) => Given::of(literal, self.state.mode),
                    None => Given::Null,
                };
                Ok(names.iter().map(value).collect())
            }
        })
    }

    /// The text of a prepared statement with its parameters written in it.
    pub(crate) fn written(&self, prepared: &Prepared, params: &wire::execute::Params<'_>) -> Vec<u8> {
        let literals = (0..params.len()).map(|at| {
            let kind = params.types().get(at).copied();
            literal(params.get(at), kind, self.state.mode)
        });
        spliced(prepared, literals)
    }
}

/// The text of a prepared statement with something else in the places of its parameters.
fn spliced(prepared: &Prepared, mut parts: impl Iterator<Item = Vec<u8>>) -> Vec<u8> {
    let (mut text, mut from) = (Vec::with_capacity(prepared.raw.len()), 0);
    for slot in prepared.fingerprint.slots.iter().filter(|slot| slot.kind == SlotKind::Param) {
        text.extend_from_slice(&prepared.raw[from..slot.start as usize]);
        text.extend(parts.next().unwrap_or_default());
        from = slot.end as usize;
    }
    text.extend_from_slice(&prepared.raw[from..]);
    text
}

/// A value as a literal.
fn literal(value: Value<'_>, kind: Option<Kind>, mode: Mode) -> Vec<u8> {
    let kind = kind.map(|kind| kind.column);
    let mut text = BytesMut::new();
    value.write_text(&mut text, 31);
    let plain = std::str::from_utf8(&text);
    match (value, plain) {
        (Value::Null, _) => b"NULL".to_vec(),
        (Value::Float(_) | Value::Double(_), Ok(digits)) if !digits.contains('e') => {
            // Else it would be a DECIMAL.
            format!("{digits}e0").into_bytes()
        }
        (Value::Int(_) | Value::UInt(_) | Value::Float(_) | Value::Double(_), _) => text.to_vec(),
        (Value::Bytes(bytes), Ok(digits))
            if kind == Some(ColumnType::NEWDECIMAL) && digits.parse::<f64>().is_ok() =>
        {
            bytes.to_vec()
        }
        (Value::Bytes(bytes), plain) if plain.is_err() || kind == Some(ColumnType::BLOB) => {
            format!("X'{}'", hex(bytes)).into_bytes()
        }
        (_, plain) => crate::state::quoted(plain.unwrap_or_default(), mode).into_bytes(),
    }
}

impl Given {
    /// Reads a literal as the session keeps it: as the client wrote it, or as [`exec`] reads variables back.
    fn of(literal: &str, mode: Mode) -> Self {
        let literal = literal.trim();
        let natural = literal.strip_prefix("CAST(").and_then(|rest| rest.strip_suffix(" AS UNSIGNED)"));
        if let Some(Ok(number)) = natural.map(str::parse) {
            return Self::Natural(number);
        }
        let text = literal.strip_prefix('_').and_then(|rest| rest.split_once(" X'"));
        if let Some((digits, _)) = text.and_then(|(_, rest)| rest.split_once('\'')) {
            return Self::Text(from_hex(digits));
        }
        let hex = |digits: &str| Self::Binary(from_hex(digits));
        let (head, digits) = literal.split_at_checked(2).unwrap_or((literal, ""));
        match head {
            "X'" | "x'" => return hex(digits.trim_end_matches('\'')),
            "0x" => return hex(digits),
            _ => {}
        }
        if literal.starts_with('\'') {
            return Self::Text(unquote::string(literal, mode).into_owned().into_bytes());
        }
        match literal.to_ascii_uppercase().as_str() {
            "NULL" | "DEFAULT" => return Self::Null,
            "TRUE" => return Self::Number(1),
            "FALSE" => return Self::Number(0),
            _ => {}
        }
        if let Ok(number) = literal.parse() {
            return Self::Number(number);
        }
        if let Ok(number) = literal.parse() {
            return Self::Natural(number);
        }
        match literal.parse() {
            Ok(number) if literal.contains(['e', 'E']) => Self::Double(number),
            Ok(_) => Self::Decimal(literal.to_owned()),
            Err(_) => Self::Text(literal.to_owned().into_bytes()),
        }
    }

    /// A cell of a server's answer.
    fn told(cell: Option<&[u8]>, column: &Column) -> Self {
        let Some(cell) = cell else { return Self::Null };
        let text = String::from_utf8_lossy(cell);
        let number = match column.kind {
            ColumnType::TINY
            | ColumnType::SHORT
            | ColumnType::INT24
            | ColumnType::LONG
            | ColumnType::LONGLONG => {
                if column.flags.contains(ColumnFlags::UNSIGNED) {
                    text.parse().map(Self::Natural).ok()
                } else {
                    text.parse().map(Self::Number).ok()
                }
            }
            ColumnType::FLOAT | ColumnType::DOUBLE => text.parse().map(Self::Double).ok(),
            ColumnType::NEWDECIMAL => Some(Self::Decimal(text.into_owned())),
            _ => None,
        };
        /// The collation of bytes that are no text.
        const BINARY: u16 = 63;
        let string = || match column.charset {
            BINARY => Self::Binary(cell.to_vec()),
            _ => Self::Text(cell.to_vec()),
        };
        number.unwrap_or_else(string)
    }

    fn to_text(&self) -> Vec<u8> {
        match self {
            Self::Null => b"NULL".to_vec(),
            Self::Decimal(text) => text.clone().into_bytes(),
            Self::Binary(bytes) | Self::Text(bytes) => bytes.clone(),
            Self::Number(_) | Self::Natural(_) | Self::Double(_) => {
                let mut text = BytesMut::new();
                self.value().1.write_text(&mut text, 31);
                text.to_vec()
            }
        }
    }

    /// As a parameter.
    fn value(&self) -> (Kind, Value<'_>) {
        let value = match self {
            Self::Null => Value::Null,
            Self::Number(number) => Value::Int(*number),
            Self::Natural(number) => Value::UInt(*number),
            Self::Double(number) => Value::Double(*number),
            Self::Decimal(text) => return (Kind::new(ColumnType::NEWDECIMAL), Value::Bytes(text.as_bytes())),
            Self::Text(bytes) => Value::Bytes(bytes),
            Self::Binary(bytes) => return (Kind::new(ColumnType::BLOB), Value::Bytes(bytes)),
        };
        (value.kind(), value)
    }
}

fn from_hex(digits: &str) -> Vec<u8> {
    let digits: Vec<u8> =
        digits.chars().filter_map(|digit| digit.to_digit(16)).map(|digit| digit as u8).collect();
    let (odd, pairs) = digits.split_at(digits.len() % 2);
    odd.iter().copied().chain(pairs.chunks(2).map(|pair| pair[0] * 16 + pair[1])).collect()
}

/// The cells of the only row.
fn of_row(told: &TextResult) -> Vec<Given> {
    let Some(row) = told.rows.first() else { return Vec::new() };
    row.iter().zip(&told.columns).map(|(cell, column)| Given::told(cell.as_deref(), column)).collect()
}

/// Values as an execute carries them.
fn encoded(values: &[Given]) -> BytesMut {
    let mut out = BytesMut::new();
    if values.is_empty() {
        return out;
    }
    let mut nulls = vec![0; values.len().div_ceil(8)];
    for (at, _) in values.iter().enumerate().filter(|(_, value)| **value == Given::Null) {
        nulls[at / 8] |= 1 << (at % 8);
    }
    out.extend_from_slice(&nulls);
    out.put_u8(1);
    for value in values {
        out.extend_from_slice(&value.value().0.to_bytes());
    }
    for value in values {
        let (kind, value) = value.value();
        match value {
            Value::Bytes(bytes) => put_string(&mut out, bytes),
            value => {
                // Numbers fit the kinds that they were given.
                let written = value.put_binary(&mut out, kind);
                debug_assert!(written.is_ok(), "a number does not fit its own kind");
            }
        }
    }
    out
}

fn unknown(name: &str, command: &str) -> Problem {
    Problem::new(
        errno::UNKNOWN_STATEMENT,
        format!("Unknown prepared statement handler ({name}) given to {command}"),
    )
}

/// Reads one token after the other.
struct Reader<'a> {
    text: &'a str,
    raw: &'a [u8],
    mode: Mode,
    tokens: std::iter::Peekable<std::vec::IntoIter<Token>>,
}

fn read(text: &str, raw: &[u8], mode: Mode) -> Result<Named, Problem> {
    let all = tokens(text, mode).map_err(|error| Problem::syntax(&error, text))?;
    let passed = [TokenKind::Comment, TokenKind::Hint, TokenKind::VersionOpen, TokenKind::VersionClose];
    let all: Vec<_> = all.into_iter().filter(|token| !passed.contains(&token.kind)).collect();
    let mut reader = Reader { text, raw, mode, tokens: all.into_iter().peekable() };
    let named = reader.named()?;
    reader.tokens.next_if(|token| token.kind == TokenKind::Semicolon);
    match reader.tokens.peek() {
        Some(_) => Err(reader.wrong()),
        None => Ok(named),
    }
}

impl Reader<'_> {
    fn named(&mut self) -> Result<Named, Problem> {
        if self.take("PREPARE") {
            let name = self.name()?;
            if !self.take("FROM") {
                return Err(self.wrong());
            }
            return Ok(Named::Prepare { name, source: self.source()? });
        }
        if self.take("EXECUTE") {
            let (name, mut using) = (self.name()?, Vec::new());
            if self.take("USING") {
                using.push(self.variable()?);
                while self.tokens.next_if(|token| token.kind == TokenKind::Comma).is_some() {
                    using.push(self.variable()?);
                }
            }
            return Ok(Named::Execute { name, using });
        }
        if (self.take("DEALLOCATE") || self.take("DROP")) && self.take("PREPARE") {
            return Ok(Named::Drop { name: self.name()? });
        }
        Err(self.wrong())
    }

    fn take(&mut self, word: &str) -> bool {
        let text = self.text;
        self.tokens.next_if(|token| token.is(text, word)).is_some()
    }

    fn name(&mut self) -> Result<String, Problem> {
        let name = self.tokens.peek().and_then(|token| token.name(self.text)).map(|name| name.into_owned());
        // The only reserved word that could stand here.
        let Some(name) = name.filter(|name| !name.eq_ignore_ascii_case("FROM")) else {
            return Err(self.wrong());
        };
        self.tokens.next();
        Ok(name)
    }

    fn variable(&mut self) -> Result<String, Problem> {
        let Some(token) = self.tokens.next_if(|token| token.kind == TokenKind::UserVariable) else {
            return Err(self.wrong());
        };
        let name = token.text(self.text).trim_start_matches('@');
        Ok(match name.as_bytes().first() {
            Some(b'\'' | b'"') => unquote::string(name, self.mode).into_owned(),
            _ => unquote::name(name).into_owned(),
        })
    }

    fn source(&mut self) -> Result<Source, Problem> {
        let Some(token) = self.tokens.next_if(|token| token.kind == TokenKind::String) else {
            return self.variable().map(Source::Variable);
        };
        let range = token.start as usize..token.end as usize;
        let raw = self.raw.get(range).unwrap_or_default();
        Ok(Source::Text(unquoted(token.text(self.text).as_bytes(), raw, self.mode)))
    }

    /// What servers say of the next token.
    fn wrong(&mut self) -> Problem {
        let at = self.tokens.peek().map_or(self.text.len(), |token| token.start as usize);
        Problem::near(self.text, at)
    }
}

/// The value of a string, byte for byte: `text` says what are quotes and backslashes, `raw` has the bytes.
fn unquoted(text: &[u8], raw: &[u8], mode: Mode) -> Vec<u8> {
    let Some((quote, inner)) = text.split_first() else { return Vec::new() };
    let (mut value, mut at) = (Vec::with_capacity(raw.len()), 1);
    while at < inner.len() {
        let next = || raw.get(at + 1).copied().unwrap_or_default();
        match text[at] {
            b'\\' if !mode.no_backslash_escapes => {
                match next() {
                    b'0' => value.push(0),
                    b'b' => value.push(8),
                    b'n' => value.push(b'\n'),
                    b'r' => value.push(b'\r'),
                    b't' => value.push(b'\t'),
                    b'Z' => value.push(26),
                    wild @ (b'%' | b'_') => value.extend([b'\\', wild]),
                    other => value.push(other),
                }
                at += 2;
            }
            byte if byte == *quote => {
                value.push(byte);
                at += 2;
            }
            _ => {
                value.push(raw[at]);
                at += 1;
            }
        }
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(text: &str) -> Result<Named, Problem> {
        read(text, text.as_bytes(), Mode::default())
    }

    #[test]
    fn reads_the_three_statements() {
        let prepare = |name: &str, source| Ok(Named::Prepare { name: name.to_owned(), source });
        let text = |text: &str| Source::Text(text.as_bytes().to_vec());
        assert_eq!(
            named("PREPARE s FROM 'SELECT ''a'', \\'b\\'\\n';"),
            prepare("s", text("SELECT 'a', 'b'\n"))
        );
        assert_eq!(named("prepare `a``b` from \"x\"\"\" /* c */"), prepare("a`b", text("x\"")));
        assert_eq!(named("PREPARE s FROM @`q`"), prepare("s", Source::Variable("q".to_owned())));
        let execute = |using: &[&str]| {
            Ok(Named::Execute {
                name: "s".to_owned(),
                using: using.iter().map(|&name| name.to_owned()).collect(),
            })
        };
        assert_eq!(named("EXECUTE s"), execute(&[]));
        assert_eq!(named("/* c */ EXECUTE s USING @a, @'b c',@`d`"), execute(&["a", "b c", "d"]));
        for drop in ["DEALLOCATE PREPARE s", "DROP PREPARE s"] {
            assert_eq!(named(drop), Ok(Named::Drop { name: "s".to_owned() }));
        }
        for (wrong, near) in [
            ("PREPARE FROM 'x'", "near 'FROM 'x'' at line 1"),
            ("PREPARE s\nFROM CONCAT('a')", "near 'CONCAT('a')' at line 2"),
            ("EXECUTE s USING 1", "near '1' at line 1"),
            ("EXECUTE s USING @a @b", "near '@b' at line 1"),
            ("DEALLOCATE s", "near 's' at line 1"),
        ] {
            let problem = named(wrong).unwrap_err();
            assert_eq!(problem.code, 1064);
            assert!(problem.message.ends_with(near), "{}", problem.message);
        }
    }

    #[test]
    fn literals_have_the_types_that_variables_get() {
        let given = |text: &str| Given::of(text, Mode::default());
        assert_eq!(given("-5"), Given::Number(-5));
        assert_eq!(given("18446744073709551615"), Given::Natural(u64::MAX));
        assert_eq!(given("1.50"), Given::Decimal("1.50".to_owned()));
        assert_eq!(given("1e3"), Given::Double(1000.0));
        assert_eq!(given("NULL"), Given::Null);
        assert_eq!(given("'a''b\\\\'"), Given::Text(b"a'b\\".to_vec()));
        for binary in ["X'4142'", "0x4142", "x'4142'"] {
            assert_eq!(given(binary), Given::Binary(b"AB".to_vec()));
        }
        assert_eq!(given("0x141"), Given::Binary(vec![1, 0x41]));
        // As variables are read back.
        assert_eq!(given("CAST(7 AS UNSIGNED)"), Given::Natural(7));
        assert_eq!(given("5."), Given::Decimal("5.".to_owned()));
        assert_eq!(given("_utf8mb4 X'6127' COLLATE utf8mb4_bin"), Given::Text(b"a'".to_vec()));
    }
}
