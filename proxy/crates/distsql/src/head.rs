//! The first words of a statement: whether it is DistSQL, and which.

use sql::Mode;
use sql::lexer::{Lexer, Token, TokenKind};

use crate::ast::Statement;
use crate::cursor::{Cursor, significant};
use crate::error::{Error, Found, Place};
use crate::grammar;

/// Longest row of words below.
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

const fn read(words: &'static [&'static str], sure: usize, read: Read) -> Row {
    Row { words, sure, then: Then::Parse(read) }
}

const fn later(words: &'static [&'static str], sure: usize) -> Row {
    Row { words, sure, then: Then::NotYet }
}

/// All statements of the language. Where one row begins another, the longer comes first.
const ROWS: &[Row] = &[
    read(&["REGISTER", "STORAGE", "UNIT"], 1, grammar::unit::register),
    read(&["ADD", "RESOURCE"], 1, grammar::unit::register),
    read(&["ALTER", "STORAGE", "UNIT"], 2, grammar::unit::alter),
    read(&["ALTER", "RESOURCE"], 2, grammar::unit::alter),
    read(&["UNREGISTER", "STORAGE", "UNIT"], 1, grammar::unit::unregister),
    read(&["DROP", "RESOURCE"], 2, grammar::unit::unregister),
    read(&["SHOW", "STORAGE", "UNITS"], 2, grammar::unit::show),
    read(&["SHOW", "DATABASE", "RESOURCES"], 3, grammar::unit::show),
    read(&["SHOW", "UNUSED", "RESOURCES"], 3, grammar::unit::show_unused),
    read(&["SHOW", "UNUSED", "STORAGE", "UNITS"], 3, grammar::unit::show_unused),
    read(&["SHOW", "RULES", "USED", "STORAGE", "UNIT"], 2, grammar::unit::show_rules),
    read(&["SHOW", "RULES", "USED", "RESOURCE"], 2, grammar::unit::show_rules),
    later(&["CREATE", "SHARDING", "TABLE", "REFERENCE", "RULE"], 2),
    later(&["ALTER", "SHARDING", "TABLE", "REFERENCE", "RULE"], 2),
    later(&["DROP", "SHARDING", "TABLE", "REFERENCE", "RULE"], 2),
    later(&["SHOW", "SHARDING", "TABLE", "REFERENCE"], 2),
    later(&["SHOW", "SHARDING", "TABLE", "RULES", "USED"], 2),
    read(&["CREATE", "SHARDING", "TABLE", "RULE"], 2, grammar::sharding::create_tables),
    read(&["ALTER", "SHARDING", "TABLE", "RULE"], 2, grammar::sharding::alter_tables),
    read(&["DROP", "SHARDING", "TABLE", "RULE"], 2, grammar::sharding::drop_tables),
    read(&["SHOW", "SHARDING", "TABLE", "RULES"], 2, grammar::sharding::show_tables),
    read(&["SHOW", "SHARDING", "TABLE", "RULE"], 2, grammar::sharding::show_table),
    read(&["SHOW", "SHARDING", "TABLE", "NODES"], 2, grammar::sharding::show_nodes),
    read(&["SHOW", "SHARDING", "ALGORITHMS"], 2, grammar::sharding::show_algorithms),
    read(&["COUNT", "SHARDING", "RULE"], 1, grammar::sharding::count),
    read(&["SHOW", "DIST", "VARIABLES"], 2, grammar::variable::show),
    read(&["SHOW", "DIST", "VARIABLE"], 2, grammar::variable::show_one),
    read(&["SHOW", "ALL", "VARIABLES"], 3, grammar::variable::show),
    read(&["SHOW", "VARIABLE"], 2, grammar::variable::show_one),
    read(&["SET", "DIST", "VARIABLE"], 3, grammar::variable::set),
    read(&["SET", "VARIABLE"], 2, grammar::variable::set),
    Row { words: &["PREVIEW"], sure: 1, then: Then::Preview },
    later(&["CREATE", "SHARDING", "BINDING", "TABLE", "RULES"], 3),
    later(&["CREATE", "SHARDING", "BROADCAST", "TABLE", "RULES"], 3),
    later(&["CREATE", "SHARDING", "ALGORITHM"], 3),
    later(&["CREATE", "SHARDING", "KEY", "GENERATOR"], 3),
    later(&["CREATE", "SHARDING", "AUDITOR"], 3),
    later(&["ALTER", "SHARDING", "ALGORITHM"], 3),
    later(&["ALTER", "SHARDING", "KEY", "GENERATOR"], 3),
    later(&["ALTER", "SHARDING", "AUDITOR"], 3),
    later(&["DROP", "SHARDING", "ALGORITHM"], 3),
    later(&["DROP", "SHARDING", "KEY", "GENERATOR"], 3),
    later(&["DROP", "SHARDING", "AUDITOR"], 3),
    later(&["SHOW", "SHARDING", "KEY", "GENERATORS"], 3),
    later(&["SHOW", "SHARDING", "AUDITORS"], 3),
    later(&["SHOW", "SHARDING", "BINDING", "TABLE", "RULES"], 3),
    later(&["SHOW", "SHARDING", "BROADCAST", "TABLE", "RULES"], 3),
    later(&["SHOW", "SHARDING", "HINT", "STATUS"], 3),
    later(&["SHOW", "UNUSED", "SHARDING"], 3),
    later(&["SET", "SHARDING", "HINT"], 3),
    later(&["ADD", "SHARDING", "HINT"], 2),
    later(&["CLEAR", "SHARDING", "HINT"], 2),
    later(&["CLEAR", "READWRITE_SPLITTING", "HINT"], 2),
    later(&["CLEAR", "HINT"], 2),
    later(&["CREATE", "BROADCAST", "TABLE", "RULE"], 2),
    later(&["DROP", "BROADCAST", "TABLE", "RULE"], 2),
    later(&["SHOW", "BROADCAST", "TABLE", "RULES"], 2),
    later(&["COUNT", "BROADCAST", "RULE"], 2),
    later(&["CREATE", "DEFAULT", "SHARDING"], 3),
    later(&["ALTER", "DEFAULT", "SHARDING"], 3),
    later(&["DROP", "DEFAULT", "SHARDING"], 3),
    later(&["SHOW", "DEFAULT", "SHARDING", "STRATEGY"], 3),
    later(&["CREATE", "READWRITE_SPLITTING", "RULE"], 2),
    later(&["ALTER", "READWRITE_SPLITTING", "RULE"], 2),
    later(&["DROP", "READWRITE_SPLITTING", "RULE"], 2),
    later(&["SHOW", "READWRITE_SPLITTING", "RULES"], 2),
    later(&["SHOW", "READWRITE_SPLITTING", "RULE"], 2),
    later(&["SHOW", "READWRITE_SPLITTING", "HINT"], 2),
    later(&["SHOW", "STATUS", "FROM", "READWRITE_SPLITTING"], 4),
    later(&["SET", "READWRITE_SPLITTING", "HINT"], 3),
    later(&["COUNT", "READWRITE_SPLITTING", "RULE"], 2),
    later(&["CREATE", "ENCRYPT", "RULE"], 2),
    later(&["ALTER", "ENCRYPT", "RULE"], 2),
    later(&["DROP", "ENCRYPT", "RULE"], 2),
    later(&["SHOW", "ENCRYPT", "TABLE", "RULE"], 2),
    later(&["SHOW", "ENCRYPT", "RULES"], 2),
    later(&["SHOW", "ENCRYPT", "RULE"], 2),
    later(&["COUNT", "ENCRYPT", "RULE"], 2),
    later(&["CREATE", "DEFAULT", "SHADOW", "ALGORITHM"], 3),
    later(&["ALTER", "DEFAULT", "SHADOW", "ALGORITHM"], 3),
    later(&["DROP", "DEFAULT", "SHADOW", "ALGORITHM"], 3),
    later(&["SHOW", "DEFAULT", "SHADOW", "ALGORITHM"], 3),
    later(&["CREATE", "SHADOW", "RULE"], 2),
    later(&["ALTER", "SHADOW", "RULE"], 2),
    later(&["DROP", "SHADOW", "RULE"], 2),
    later(&["DROP", "SHADOW", "ALGORITHM"], 2),
    later(&["SHOW", "SHADOW", "TABLE"], 2),
    later(&["SHOW", "SHADOW", "ALGORITHMS"], 2),
    later(&["SHOW", "SHADOW", "RULES"], 2),
    later(&["SHOW", "SHADOW", "RULE"], 2),
    later(&["COUNT", "SHADOW", "RULE"], 2),
    later(&["CREATE", "MASK", "RULE"], 2),
    later(&["ALTER", "MASK", "RULE"], 2),
    later(&["DROP", "MASK", "RULE"], 2),
    later(&["SHOW", "MASK", "RULES"], 2),
    later(&["SHOW", "MASK", "RULE"], 2),
    later(&["COUNT", "MASK", "RULE"], 2),
    later(&["SET", "DEFAULT", "SINGLE", "TABLE", "STORAGE", "UNIT"], 3),
    later(&["SHOW", "DEFAULT", "SINGLE", "TABLE", "STORAGE", "UNIT"], 3),
    later(&["CREATE", "DEFAULT", "SINGLE", "TABLE", "RULE"], 3),
    later(&["ALTER", "DEFAULT", "SINGLE", "TABLE", "RULE"], 3),
    later(&["DROP", "DEFAULT", "SINGLE", "TABLE", "RULE"], 3),
    later(&["LOAD", "SINGLE", "TABLE"], 2),
    later(&["UNLOAD", "ALL", "SINGLE", "TABLES"], 1),
    later(&["UNLOAD", "SINGLE", "TABLE"], 1),
    later(&["SHOW", "SINGLE", "TABLES"], 2),
    later(&["SHOW", "SINGLE", "TABLE"], 2),
    later(&["SHOW", "UNLOADED", "SINGLE", "TABLES"], 2),
    later(&["COUNT", "SINGLE", "TABLE"], 2),
    later(&["COUNT", "SINGLE_TABLE", "RULE"], 2),
    later(&["SHOW", "COMPUTE", "NODES"], 2),
    later(&["SHOW", "COMPUTE", "NODE", "INFO"], 2),
    later(&["SHOW", "COMPUTE", "NODE", "MODE"], 2),
    later(&["ENABLE", "COMPUTE", "NODE"], 1),
    later(&["DISABLE", "COMPUTE", "NODE"], 1),
    later(&["LABEL", "COMPUTE", "NODE"], 1),
    later(&["RELABEL", "COMPUTE", "NODE"], 1),
    later(&["UNLABEL", "COMPUTE", "NODE"], 1),
    later(&["ALTER", "COMPUTE", "NODE"], 2),
    later(&["PARSE"], 1),
    later(&["FORMAT"], 1),
    later(&["EXPORT", "DATABASE", "CONFIGURATION"], 1),
    later(&["EXPORT", "DATABASE", "CONFIG"], 1),
    later(&["EXPORT", "METADATA"], 1),
    later(&["EXPORT", "STORAGE", "NODES"], 1),
    later(&["IMPORT", "DATABASE", "CONFIGURATION"], 2),
    later(&["IMPORT", "DATABASE", "CONFIG"], 2),
    later(&["IMPORT", "METADATA"], 2),
    later(&["REFRESH", "TABLE", "METADATA"], 1),
    later(&["REFRESH", "DATABASE", "METADATA"], 1),
    later(&["FORCE", "REFRESH", "DATABASE", "METADATA"], 1),
    later(&["SHOW", "TABLE", "METADATA"], 3),
    later(&["CONVERT", "YAML", "CONFIGURATION"], 1),
    later(&["LOCK", "CLUSTER"], 2),
    later(&["UNLOCK", "CLUSTER"], 2),
    later(&["SHOW", "TRANSACTION", "RULE"], 2),
    later(&["ALTER", "TRANSACTION", "RULE"], 2),
    later(&["SHOW", "SQL_PARSER", "RULE"], 2),
    later(&["ALTER", "SQL_PARSER", "RULE"], 2),
    later(&["SHOW", "AUTHORITY", "RULE"], 2),
    later(&["SHOW", "TRAFFIC", "RULES"], 2),
    later(&["SHOW", "SQL_TRANSLATOR", "RULE"], 2),
    later(&["SHOW", "SQL_FEDERATION", "RULE"], 2),
    later(&["SHOW", "GLOBAL", "CLOCK", "RULE"], 3),
    later(&["SHOW", "FULL", "LOGICAL", "TABLES"], 3),
    later(&["SHOW", "LOGICAL", "TABLES"], 2),
    later(&["SHOW", "PLUGINS", "OF"], 3),
];

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
    if first.kind != TokenKind::Word || !begins(first.text(text)) {
        return None;
    }
    let mut words = vec![first];
    words.extend(lexer.take(LONGEST).map_while(Result::ok));
    Some(words)
}

/// Whether a word begins some row. Asked of every statement a client sends: by length first, since no word that is
/// frequent in MySQL then needs more than a few comparisons.
fn begins(word: &str) -> bool {
    let candidates: &[&str] = match word.len() {
        3 => &["ADD", "SET"],
        4 => &["DROP", "LOAD", "LOCK", "SHOW"],
        5 => &["ALTER", "CLEAR", "COUNT", "FORCE", "LABEL", "PARSE"],
        6 => &["CREATE", "ENABLE", "EXPORT", "FORMAT", "IMPORT", "UNLOAD", "UNLOCK"],
        7 => &["CONVERT", "DISABLE", "PREVIEW", "REFRESH", "RELABEL", "UNLABEL"],
        8 => &["REGISTER"],
        10 => &["UNREGISTER"],
        _ => &[],
    };
    candidates.iter().any(|candidate| candidate.eq_ignore_ascii_case(word))
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
    if let Some(row) = ROWS.iter().find(|row| common(row.words) == row.words.len()) {
        // `SET variable = 1` sets a variable of that name.
        let last = tokens[row.words.len() - 1];
        let assigned = tokens.get(row.words.len()).is_some_and(|token| token.kind == TokenKind::Equal);
        if assigned && row.words == ["SET", "VARIABLE"] {
            return Ok(Head::Foreign);
        }
        return Ok(Head::Known { words: row.words, then: row.then, end: last.end as usize });
    }
    let longest = ROWS.iter().filter(|row| common(row.words) >= row.sure).map(|row| common(row.words)).max();
    let Some(longest) = longest else { return Ok(Head::Foreign) };
    let mut expected: Vec<&str> = Vec::new();
    for row in ROWS.iter().filter(|row| common(row.words) == longest) {
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

/// `A, B or C`.
fn alternatives(words: &[&str]) -> String {
    match words {
        [rest @ .., last] if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
        _ => words.concat(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_comes_before_the_one_it_begins_with_and_fits_the_lookahead() {
        for (at, row) in ROWS.iter().enumerate() {
            assert!(begins(row.words[0]), "{:?}", row.words);
            assert!(row.words.len() <= LONGEST && row.sure <= row.words.len(), "{:?}", row.words);
            for later in &ROWS[at + 1..] {
                assert!(!later.words.starts_with(row.words), "{:?} hides {:?}", row.words, later.words);
            }
        }
    }
}
