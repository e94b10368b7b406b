//! Statements as others may read them: without passwords and keys.

use std::borrow::Cow;

use sql::Mode;
use sql::lexer::{Token, TokenKind, tokens};

/// What stands in the place of a secret; MySQL writes the same into its logs.
const SECRET: &str = "<secret>";

/// What a text must hold somewhere to be looked at closely.
const SIGNS: [&str; 6] = ["identified", "key", "passw", "pwd", "salt", "secret"];

/// The statements that hold passwords: of accounts, servers and storage units, and of rules with keys.
const FIRST: [&str; 11] = [
    "ALTER", "CHANGE", "CREATE", "GRANT", "IMPORT", "PREPARE", "PREVIEW", "REGISTER", "SET", "START", "CLONE",
];

/// The text with each secret in it replaced. A text that cannot be read and may hold one is cut.
pub(crate) fn redacted(text: &str, mode: Mode) -> Cow<'_, str> {
    if !SIGNS.iter().any(|sign| holds(text, sign)) {
        return Cow::Borrowed(text);
    }
    let Ok(tokens) = tokens(text, mode) else {
        let end = text.find(char::is_whitespace).unwrap_or_else(|| text.len().min(16));
        return Cow::Owned(format!("{} …", text.get(..end).unwrap_or_default()));
    };
    let mut kept = String::new();
    let mut copied = 0;
    for statement in tokens.split(|token| token.kind == TokenKind::Semicolon) {
        for secret in secrets(statement, text, mode) {
            kept.push_str(&text[copied..secret.start as usize]);
            kept.push_str(SECRET);
            copied = secret.end as usize;
        }
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    kept.push_str(&text[copied..]);
    Cow::Owned(kept)
}

/// The literals of one statement that are secrets.
fn secrets<'a>(statement: &'a [Token], text: &str, mode: Mode) -> Vec<&'a Token> {
    let mut rest = statement.iter().filter(|token| token.kind != TokenKind::Comment);
    let Some(first) = rest.next().filter(|token| token.is_any(text, &FIRST)) else { return Vec::new() };
    // The text of another statement: nobody looks into it.
    let whole = first.is_any(text, &["PREPARE", "PREVIEW", "IMPORT"]);
    let (mut found, mut next, mut named) = (Vec::new(), false, false);
    for token in rest {
        match token.kind {
            TokenKind::String if whole || next => {
                found.push(token);
                next = false;
            }
            TokenKind::String if named => {}
            TokenKind::String => next = is_secret(&token.string(text, mode).unwrap_or_default()),
            TokenKind::Quoted => next = token.name(text).is_some_and(|name| is_secret(&name)),
            TokenKind::Word if token.is_any(text, &["BY", "AS", "REPLACE"]) => next = true,
            TokenKind::Word if is_secret(token.text(text)) => next = true,
            // `SET PASSWORD FOR 'user'@'host' =`.
            TokenKind::Word if next && token.is(text, "FOR") => (next, named) = (false, true),
            TokenKind::Equal if named => (next, named) = (true, false),
            TokenKind::Comma => next = false,
            _ => {}
        }
    }
    found
}

/// Whether the value behind this word is not for others.
fn is_secret(word: &str) -> bool {
    let word = word.to_ascii_lowercase();
    ["password", "passwd", "pwd", "secret", "salt", "key-value", "-key"]
        .iter()
        .any(|part| word.contains(part))
}

/// Whether a text holds another, whatever the letter case.
fn holds(text: &str, part: &str) -> bool {
    text.as_bytes().windows(part.len()).any(|window| window.eq_ignore_ascii_case(part.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_and_keys_are_not_shown() {
        for (text, shown) in [
            ("SELECT password FROM t WHERE password = 'x'", None),
            ("SET @a = 'x'", None),
            ("CREATE TABLE t (a INT KEY DEFAULT 'x')", None),
            ("SET PASSWORD = 'x'", Some("SET PASSWORD = <secret>")),
            (
                "SET PASSWORD FOR 'a'@'%' = 'x' REPLACE 'y'",
                Some("SET PASSWORD FOR 'a'@'%' = <secret> REPLACE <secret>"),
            ),
            ("create user a identified by 'x'", Some("create user a identified by <secret>")),
            (
                "CREATE USER a@h IDENTIFIED WITH caching_sha2_password BY \"x\", b IDENTIFIED BY 'y'",
                Some(
                    "CREATE USER a@h IDENTIFIED WITH caching_sha2_password BY <secret>, b IDENTIFIED BY <secret>",
                ),
            ),
            (
                "REGISTER STORAGE UNIT a (URL=\"u\", USER=\"r\", PASSWORD=\"x;\", PROPERTIES(\"a\"=\"b\"))",
                Some(
                    "REGISTER STORAGE UNIT a (URL=\"u\", USER=\"r\", PASSWORD=<secret>, PROPERTIES(\"a\"=\"b\"))",
                ),
            ),
            (
                "CREATE ENCRYPT RULE t (TYPE(NAME='AES', PROPERTIES('aes-key-value'='x')))",
                Some("CREATE ENCRYPT RULE t (TYPE(NAME='AES', PROPERTIES('aes-key-value'=<secret>)))"),
            ),
            (
                "CHANGE REPLICATION SOURCE TO SOURCE_HOST='h', SOURCE_PASSWORD='x'",
                Some("CHANGE REPLICATION SOURCE TO SOURCE_HOST='h', SOURCE_PASSWORD=<secret>"),
            ),
            ("PREPARE s FROM 'SET PASSWORD = \"x\"'", Some("PREPARE s FROM <secret>")),
            ("DO 1; ALTER USER a IDENTIFIED BY 'x'", Some("DO 1; ALTER USER a IDENTIFIED BY <secret>")),
            ("ALTER USER a IDENTIFIED BY 'x", Some("ALTER …")),
        ] {
            assert_eq!(redacted(text, Mode::default()), shown.unwrap_or(text), "{text}");
        }
    }
}
