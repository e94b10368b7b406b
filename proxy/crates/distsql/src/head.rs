//! The first words of a statement: whether it is DistSQL, and which.

mod rows;

use sql::Mode;
use sql::lexer::{Lexer, Token, TokenKind};

use crate::ast::Statement;
use crate::cursor::{Cursor, alternatives, significant};
use crate::error::{Error, Found, Place};

/// Longest row of words.
const LONGEST: usize = 6;

/// Reads what follows the first words.
pub(crate) type Read = fn(&mut Cursor<'_>) -> Result<Statement, Error>;

/// What is done with a statement that begins like this.
#[derive(Clone, Copy)]
pub(crate) enum Then {
    /// Known, but not carried out.
    NotYet,
    /// Read on.
    Parse(Read),
    /// The rest is another statement.
    Preview,
}

/// What the first words say.
pub(crate) enum Head {
    /// Not DistSQL.
    Foreign,
    /// DistSQL.
    Known {
        /// Its first words.
        words: &'static [&'static str],
        /// What to do.
        then: Then,
        /// One past the last byte of those words.
        end: usize,
    },
}

/// First words of a statement; as soon as the first `sure` of them are read, it cannot be MySQL's.
struct Row {
    words: &'static [&'static str],
    sure: usize,
    then: Then,
}

/// The first tokens of a text, if the first of them is a word that begins some row; comments are skipped.
pub(crate) fn words(text: &str) -> Option<Vec<Token>> {
    let mut lexer = Lexer::new(text, Mode::default()).filter_map(|token| match token {
        Ok(token) if !significant(&token) => None,
        other => Some(other),
    });
    let first = lexer.next()?.ok()?;
    if first.kind != TokenKind::Word || rows::beginning(first.text(text)).is_empty() {
        return None;
    }
    let mut words = vec![first];
    words.extend(lexer.take(LONGEST).map_while(Result::ok));
    Some(words)
}

/// Finds the statement that begins with these tokens, or says which word is wrong.
pub(crate) fn find(text: &str, tokens: &[Token]) -> Result<Head, Error> {
    let Some(first) = tokens.first() else { return Ok(Head::Foreign) };
    let common = |words: &[&str]| {
        let more = words.iter().zip(tokens).skip(1);
        1 + more.take_while(|(word, token)| token.is(text, word)).count()
    };
    let rows = rows::beginning(first.text(text));
    let mut longest = 0;
    for row in rows {
        let count = common(row.words);
        if count == row.words.len() {
            return Ok(known(text, tokens, row));
        }
        if count >= row.sure {
            longest = longest.max(count);
        }
    }
    // `SHOW STORAGE ENGINES` is MySQL's.
    let foreign = ["SHOW", "STORAGE", "ENGINES"];
    if longest == 0 || foreign.iter().zip(tokens).filter(|(word, token)| token.is(text, word)).count() == 3 {
        return Ok(Head::Foreign);
    }
    let mut expected: Vec<&str> = Vec::new();
    for row in rows.iter().filter(|row| common(row.words) == longest) {
        if let Some(word) = row.words.get(longest).filter(|word| !expected.contains(word)) {
            expected.push(word);
        }
    }
    let (found, offset) = match tokens.get(longest) {
        Some(token) => (Found::Token(token.text(text).to_owned()), token.start as usize),
        None => (Found::End, text.len()),
    };
    Err(Error::Syntax { expected: alternatives(&expected), found, place: Place::at(text, offset) })
}

/// What is done with a text that begins with all words of a row.
fn known(text: &str, tokens: &[Token], row: &Row) -> Head {
    let next = tokens.get(row.words.len());
    // A resource may be called `group`: what follows tells.
    let group = |token: &Token| {
        let named = tokens.get(row.words.len() + 1);
        token.is(text, "GROUP")
            && named.is_none_or(|token| matches!(token.kind, TokenKind::Word | TokenKind::Quoted))
    };
    let foreign = match row.words {
        ["ALTER" | "DROP", "RESOURCE"] => next.is_some_and(group),
        // `SET variable = 1` sets a variable of that name.
        ["SET", "VARIABLE"] => next.is_some_and(|token| token.kind == TokenKind::Equal),
        _ => false,
    };
    let Some(last) = tokens.get(row.words.len() - 1).filter(|_| !foreign) else { return Head::Foreign };
    Head::Known { words: row.words, then: row.then, end: last.end as usize }
}
