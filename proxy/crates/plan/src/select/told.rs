//! What an expression's text tells of its values: numbers and times are compared by themselves and JSON by its kind, so
//! that no weight is asked for. In doubt it tells nothing, which costs two columns more.

use sql::Mode;
use sql::lexer::{Token, TokenKind, tokens};

/// Functions of MySQL that give a number or a time, whatever they are given.
const FUNCTIONS: [&str; 63] = [
    "ABS",
    "ASCII",
    "BIT_COUNT",
    "BIT_LENGTH",
    "CEIL",
    "CEILING",
    "CHARACTER_LENGTH",
    "CHAR_LENGTH",
    "CRC32",
    "DATE",
    "DATEDIFF",
    "DAY",
    "DAYOFMONTH",
    "DAYOFWEEK",
    "DAYOFYEAR",
    "EXP",
    "EXTRACT",
    "FIELD",
    "FIND_IN_SET",
    "FLOOR",
    "FROM_DAYS",
    "HOUR",
    "INET_ATON",
    "INSTR",
    "INTERVAL",
    "ISNULL",
    "LAST_DAY",
    "LENGTH",
    "LN",
    "LOCATE",
    "LOG",
    "LOG10",
    "LOG2",
    "MICROSECOND",
    "MINUTE",
    "MOD",
    "MONTH",
    "OCTET_LENGTH",
    "ORD",
    "PERIOD_ADD",
    "PERIOD_DIFF",
    "POSITION",
    "POW",
    "POWER",
    "QUARTER",
    "RAND",
    "ROUND",
    "SECOND",
    "SIGN",
    "SQRT",
    "STRCMP",
    "TIMESTAMPDIFF",
    "TIME_TO_SEC",
    "TO_DAYS",
    "TO_SECONDS",
    "TRUNCATE",
    "UNIX_TIMESTAMP",
    "WEEK",
    "WEEKDAY",
    "WEEKOFYEAR",
    "YEAR",
    "YEARWEEK",
    "JSON_LENGTH",
];

/// Types of `CAST` that are compared by their values.
const TYPES: [&str; 9] =
    ["DATE", "DATETIME", "DECIMAL", "DOUBLE", "REAL", "SIGNED", "TIME", "UNSIGNED", "YEAR"];

/// Words that make a number of what stands beside them.
const OPERATORS: [&str; 14] = [
    "AND", "BETWEEN", "DIV", "IN", "IS", "LIKE", "MOD", "NOT", "OR", "REGEXP", "RLIKE", "SOUNDS", "XOR",
    "MEMBER",
];

/// Words whose result may be anything.
const OTHERS: [&str; 4] = ["BINARY", "COLLATE", "INTERVAL", "OVER"];

/// What is known of the values of an expression.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Told {
    /// They are JSON.
    Json,
    /// Nothing.
    Nothing,
    /// A comparison of the values themselves is the server's.
    Number,
}

/// Reads an expression.
pub(super) fn told(text: &str, mode: Mode) -> Told {
    let Ok(tokens) = tokens(text, mode) else { return Told::Nothing };
    let mut tokens: &[Token] = &tokens;
    while let [first, inner @ .., last] = tokens
        && first.kind == TokenKind::LeftParen
        && last.kind == TokenKind::RightParen
        && closing(tokens) == Some(tokens.len() - 1)
    {
        tokens = inner;
    }
    // What is calculated inside a query says nothing of its result.
    if tokens.iter().any(|token| token.is_any(text, &["SELECT", "TABLE", "VALUES"])) {
        return Told::Nothing;
    }
    if operated(tokens, text) { Told::Number } else { called(tokens, text) }
}

/// Whether an operator that gives numbers stands outside of all parentheses.
fn operated(tokens: &[Token], text: &str) -> bool {
    let mut depth = 0_u32;
    let mut found = false;
    for token in tokens {
        match token.kind {
            TokenKind::LeftParen => depth += 1,
            TokenKind::RightParen => depth = depth.saturating_sub(1),
            TokenKind::Word if token.is_any(text, &["CASE"]) => depth += 1,
            TokenKind::Word if token.is_any(text, &["END"]) => depth = depth.saturating_sub(1),
            _ if depth > 0 => {}
            TokenKind::Arrow | TokenKind::Assign | TokenKind::DoubleArrow | TokenKind::DoublePipe => {
                return false;
            }
            TokenKind::Word if token.is_any(text, &OTHERS) => return false,
            TokenKind::Word => found |= token.is_any(text, &OPERATORS),
            // Of binary strings the first four make one, which is compared by itself, too.
            TokenKind::Ampersand
            | TokenKind::Caret
            | TokenKind::Pipe
            | TokenKind::Tilde
            | TokenKind::DoubleAmpersand
            | TokenKind::Equal
            | TokenKind::Exclamation
            | TokenKind::Greater
            | TokenKind::GreaterOrEqual
            | TokenKind::Less
            | TokenKind::LessOrEqual
            | TokenKind::Minus
            | TokenKind::NotEqual
            | TokenKind::NullSafeEqual
            | TokenKind::Percent
            | TokenKind::Plus
            | TokenKind::Slash
            | TokenKind::Star => found = true,
            _ => {}
        }
    }
    found
}

/// What all of it gives when it is one call, or one path into a column.
fn called(tokens: &[Token], text: &str) -> Told {
    if let [column @ .., arrow, path] = tokens
        && arrow.kind == TokenKind::Arrow
        && path.kind == TokenKind::String
        && column
            .iter()
            .all(|token| matches!(token.kind, TokenKind::Dot | TokenKind::Quoted | TokenKind::Word))
    {
        return Told::Json;
    }
    let [name, arguments @ ..] = tokens else { return Told::Nothing };
    let whole = arguments.first().is_some_and(|first| first.kind == TokenKind::LeftParen)
        && closing(arguments) == Some(arguments.len() - 1);
    if name.kind != TokenKind::Word || !whole {
        return Told::Nothing;
    }
    if name.is_any(text, &["JSON_EXTRACT"]) {
        return Told::Json;
    }
    if !name.is_any(text, &["CAST"]) {
        return if name.is_any(text, &FUNCTIONS) { Told::Number } else { Told::Nothing };
    }
    let word = |token: &Token| token.is_any(text, &["AS"]);
    match arguments.iter().rposition(word).and_then(|place| arguments.get(place + 1)) {
        Some(kind) if kind.is_any(text, &["JSON"]) => Told::Json,
        Some(kind) if kind.is_any(text, &TYPES) => Told::Number,
        _ => Told::Nothing,
    }
}

/// Where the parenthesis that the tokens begin with is closed.
fn closing(tokens: &[Token]) -> Option<usize> {
    let mut depth = 0_u32;
    for (place, token) in tokens.iter().enumerate() {
        match token.kind {
            TokenKind::LeftParen => depth += 1,
            TokenKind::RightParen if depth == 1 => return Some(place),
            TokenKind::RightParen => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_numbers_from_what_may_be_text() {
        for text in [
            "a + 1",
            "-a",
            "(a * b)",
            "a IS NULL",
            "NOT a",
            "s = 'x'",
            "LENGTH(s)",
            "((ABS(a)))",
            "FIELD(id, 3, 1)",
            "CAST(s AS SIGNED)",
            "CAST(s AS DECIMAL(10, 2))",
            "CASE a WHEN 1 THEN 'x' END = 'x'",
            "DATE(dt)",
            "IFNULL(s, 'x') LIKE 'a%'",
            "COUNT(*) / 2",
            "LENGTH(s) % 3",
            "a & 3",
            "~a",
        ] {
            assert_eq!(told(text, Mode::default()), Told::Number, "{text}");
        }
        for text in [
            "s",
            "(s)",
            "UPPER(s)",
            "CONCAT(a + 1)",
            "IF(a > 1, 'x', 'y')",
            "s COLLATE utf8mb4_bin",
            "BINARY s",
            "d + INTERVAL 1 DAY",
            "j->>'$.a'",
            "j->'$.a' COLLATE x",
            "JSON_EXTRACT(j, '$.a')->'$.b'",
            "a || b",
            "CASE WHEN a > 1 THEN 'x' END",
            "CAST(a AS CHAR)",
            "CAST(a AS FLOAT)",
            "ABS(a) COLLATE x",
            "'x'",
            "?",
            "(SELECT 1)",
            "IFNULL(f, 0)",
        ] {
            assert_eq!(told(text, Mode::default()), Told::Nothing, "{text}");
        }
        for text in ["j->'$.a'", "(`t`.j -> '$.a')", "json_extract(j, '$.a')", "CAST(a AS JSON)"] {
            assert_eq!(told(text, Mode::default()), Told::Json, "{text}");
        }
    }
}
