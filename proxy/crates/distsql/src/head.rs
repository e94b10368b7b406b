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

/// What MySQL understands although it begins like a row above.
const FOREIGN: &[&[&str]] =
    &[&["ALTER", "RESOURCE", "GROUP"], &["DROP", "RESOURCE", "GROUP"], &["SHOW", "STORAGE", "ENGINES"]];

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
    let common =
        |words: &[&str]| words.iter().zip(tokens).take_while(|(word, token)| token.is(text, word)).count();
    // A resource may be called `group`: what follows tells.
    let foreign = |words: &&[&str]| {
        common(words) == words.len()
            && tokens.get(words.len()).is_none_or(|next| {
                words.contains(&"ENGINES") || matches!(next.kind, TokenKind::Word | TokenKind::Quoted)
            })
    };
    if FOREIGN.iter().any(foreign) {
        return Ok(Head::Foreign);
    }
    let rows = tokens.first().map_or(&[][..], |first| rows::beginning(first.text(text)));
    if let Some(row) = rows.iter().find(|row| common(row.words) == row.words.len()) {
        // `SET variable = 1` sets a variable of that name.
        let last = tokens[row.words.len() - 1];
        let assigned = tokens.get(row.words.len()).is_some_and(|token| token.kind == TokenKind::Equal);
        if assigned && row.words == ["SET", "VARIABLE"] {
            return Ok(Head::Foreign);
        }
        return Ok(Head::Known { words: row.words, then: row.then, end: last.end as usize });
    }
    let longest = rows.iter().filter(|row| common(row.words) >= row.sure).map(|row| common(row.words)).max();
    let Some(longest) = longest else { return Ok(Head::Foreign) };
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
