//! Shadow algorithms: what tells test traffic, read and checked (`algorithms.md` §4.3, §4.4). Which values and comments a
//! statement has is `plan::place`'s.

use regex::{Regex, RegexBuilder};

use super::Properties;
use crate::error::{AlgorithmKind, Error, Names};
use crate::rule::AlgorithmSpec;

/// The most that a regular expression may take when it is compiled.
const REGEX_BYTES: usize = 1 << 20;

/// A shadow algorithm with its properties.
#[derive(Clone, Debug)]
pub enum ShadowAlgorithm {
    /// `VALUE_MATCH`, `REGEX_MATCH`.
    Column(ShadowColumn),
    /// `SIMPLE_HINT`, `SQL_HINT`.
    Hint(ShadowHint),
}

/// A column whose value tells test traffic.
#[derive(Clone, Debug)]
pub struct ShadowColumn {
    /// `operation`: the statements that it is looked for in.
    pub operation: ShadowOperation,
    /// `column`: its name.
    pub column: String,
    /// `value` or `regex`: what its value must be.
    pub wanted: ShadowValue,
}

/// What the text of a value must be.
#[derive(Clone, Debug)]
pub enum ShadowValue {
    /// All of it matches.
    Regex(Regex),
    /// The same.
    Text(String),
}

/// A comment that tells test traffic: one that says `SHADOW=true`, or one that holds all these pairs.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ShadowHint {
    /// All properties, names and values as they are written.
    pub pairs: Vec<(String, String)>,
}

/// Statements that columns are looked for in.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum ShadowOperation {
    /// `DELETE`.
    Delete,
    /// `INSERT`, `REPLACE`.
    Insert,
    /// `SELECT`.
    Select,
    /// `UPDATE`.
    Update,
}

/// Types of shadow algorithms.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Type {
    RegexMatch,
    SimpleHint,
    SqlHint,
    ValueMatch,
}

impl ShadowAlgorithm {
    /// Refuses algorithms that lack their properties, then types that there are not.
    pub(crate) fn check<'a>(specs: impl Iterator<Item = &'a AlgorithmSpec> + Clone) -> Result<(), Error> {
        let incomplete =
            |spec: &AlgorithmSpec| spec.properties.is_empty() && Type::of(spec) != Some(Type::SqlHint);
        let known = specs.clone().filter(|spec| Type::of(spec).is_some());
        if known.into_iter().any(incomplete) {
            return Err(Error::IncompleteAlgorithm(AlgorithmKind::Shadow));
        }
        let mut unknown: Vec<String> = Vec::new();
        for spec in specs.filter(|spec| Type::of(spec).is_none()) {
            if !unknown.contains(&spec.kind) {
                unknown.push(spec.kind.clone());
            }
        }
        if unknown.is_empty() {
            return Ok(());
        }
        Err(Error::InvalidAlgorithms { kind: AlgorithmKind::Shadow, names: Names(unknown) })
    }

    /// Reads an algorithm's type (letter case ignored) and its properties.
    pub fn parse(spec: &AlgorithmSpec) -> Result<Self, Error> {
        Self::check(std::iter::once(spec))?;
        Ok(match Type::of(spec) {
            Some(Type::RegexMatch) => Self::Column(ShadowColumn::parse(spec, "regex")?),
            Some(Type::ValueMatch) => Self::Column(ShadowColumn::parse(spec, "value")?),
            _ => {
                let pairs = spec.properties.iter().map(|(name, value)| (name.clone(), value.clone()));
                Self::Hint(ShadowHint { pairs: pairs.collect() })
            }
        })
    }

    /// The hint, if it is one.
    pub fn hint(&self) -> Option<&ShadowHint> {
        match self {
            Self::Column(_) => None,
            Self::Hint(hint) => Some(hint),
        }
    }
}

impl Type {
    fn of(spec: &AlgorithmSpec) -> Option<Self> {
        let all = [
            ("REGEX_MATCH", Self::RegexMatch),
            ("SIMPLE_HINT", Self::SimpleHint),
            ("SQL_HINT", Self::SqlHint),
            ("VALUE_MATCH", Self::ValueMatch),
        ];
        all.into_iter().find(|(name, _)| spec.kind.eq_ignore_ascii_case(name)).map(|(_, kind)| kind)
    }
}

impl ShadowColumn {
    fn parse(spec: &AlgorithmSpec, wanted: &str) -> Result<Self, Error> {
        let properties = Properties::of(AlgorithmKind::Shadow, spec, &["operation", "column", wanted])?;
        let missing = |reason: &str| properties.error(reason.to_owned());
        let column = properties.text("column").filter(|column| !column.is_empty());
        let column = column.ok_or_else(|| missing("Column shadow algorithm column cannot be null"))?;
        let operation = match properties.text("operation") {
            None => return Err(missing("Column shadow algorithm operation cannot be null")),
            Some(text) => ShadowOperation::find(text).ok_or_else(|| {
                missing("Column shadow algorithm operation must be one of [select, insert, update, delete]")
            })?,
        };
        // Blanks at its ends may be meant.
        let text = spec.properties.get(wanted);
        let wanted = match (wanted, text) {
            ("regex", Some(text)) => {
                ShadowValue::Regex(regex(text).map_err(|reason| properties.bad("regex", text, &reason))?)
            }
            ("regex", None) => {
                return Err(missing("Column regex match shadow algorithm regex cannot be null"));
            }
            (_, Some(text)) => ShadowValue::Text(text.clone()),
            (_, None) => return Err(missing("Column value match shadow algorithm value cannot be null")),
        };
        Ok(Self { operation, column: column.to_owned(), wanted })
    }
}

impl ShadowOperation {
    fn find(text: &str) -> Option<Self> {
        let all = [
            ("delete", Self::Delete),
            ("insert", Self::Insert),
            ("select", Self::Select),
            ("update", Self::Update),
        ];
        all.into_iter().find(|(name, _)| text.eq_ignore_ascii_case(name)).map(|(_, operation)| operation)
    }
}

impl ShadowValue {
    /// Whether a value of this text is one of test traffic.
    pub fn accepts(&self, text: &str) -> bool {
        match self {
            Self::Regex(regex) => regex.is_match(text),
            Self::Text(wanted) => wanted == text,
        }
    }
}

/// A regular expression that all of a text must match; the error is what it should have been.
///
/// Users write Java's. What that has and this engine, which takes linear time, has not is refused: look-around, back
/// references, possessive quantifiers, atomic groups. `\d`, `\w`, `\s` mean ASCII as in Java. Left as they are: `.` is
/// anything but a line feed (Java: any line end), `\p{…}` classes and `(?i)` know all of Unicode.
fn regex(pattern: &str) -> Result<Regex, String> {
    let translated = translated(pattern)?;
    RegexBuilder::new(&format!(r"\A(?:{translated})\z")).size_limit(REGEX_BYTES).build().map_err(|error| {
        let reason = match error {
            regex::Error::CompiledTooBig(_) => "it is too big when it is compiled".to_owned(),
            // The parser draws the place over several lines; the last says what is wrong.
            error => {
                error.to_string().lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned()
            }
        };
        format!("a regular expression ({reason})")
    })
}

/// Java's pattern with its classes spelled out.
fn translated(pattern: &str) -> Result<String, String> {
    let mut out = String::with_capacity(pattern.len());
    let mut chars = pattern.chars().peekable();
    let (mut classes, mut quantified) = (0_usize, false);
    while let Some(char) = chars.next() {
        let was_quantified = std::mem::take(&mut quantified);
        match char {
            '\\' => match chars.next() {
                Some('d') => out.push_str("[0-9]"),
                Some('D') => out.push_str("[^0-9]"),
                Some('w') => out.push_str("[0-9A-Za-z_]"),
                Some('W') => out.push_str("[^0-9A-Za-z_]"),
                Some('s') => out.push_str(r"[ \t\n\x0B\f\r]"),
                Some('S') => out.push_str(r"[^ \t\n\x0B\f\r]"),
                Some('Q') => quoted(&mut chars, &mut out),
                Some(other) => out.extend(['\\', other]),
                None => out.push('\\'),
            },
            '[' => {
                classes += 1;
                out.push(char);
                // Right after the bracket a `]` is not the end.
                out.extend(chars.next_if_eq(&'^'));
                out.push_str(chars.next_if_eq(&']').map(|_| r"\]").unwrap_or_default());
            }
            ']' => {
                classes = classes.saturating_sub(1);
                out.push(char);
            }
            '+' if classes == 0 && was_quantified => {
                return Err("a regular expression without possessive quantifiers".to_owned());
            }
            '*' | '+' | '?' | '}' if classes == 0 => {
                quantified = !was_quantified;
                out.push(char);
            }
            other => out.push(other),
        }
    }
    Ok(out)
}

/// What stands between `\Q` and `\E`, letter for letter.
fn quoted(chars: &mut std::iter::Peekable<std::str::Chars<'_>>, out: &mut String) {
    let mut literal = String::new();
    while let Some(char) = chars.next() {
        if char == '\\' && chars.next_if_eq(&'E').is_some() {
            break;
        }
        literal.push(char);
    }
    out.push_str(&regex::escape(&literal));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec(kind: &str, properties: &[(&str, &str)]) -> AlgorithmSpec {
        AlgorithmSpec {
            kind: kind.to_owned(),
            properties: properties.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect(),
        }
    }

    fn refusal(kind: &str, properties: &[(&str, &str)]) -> String {
        ShadowAlgorithm::parse(&spec(kind, properties)).unwrap_err().to_string()
    }

    fn column(kind: &str, properties: &[(&str, &str)]) -> ShadowColumn {
        match ShadowAlgorithm::parse(&spec(kind, properties)).unwrap() {
            ShadowAlgorithm::Column(column) => column,
            ShadowAlgorithm::Hint(_) => panic!("a hint"),
        }
    }

    #[test]
    fn reads_columns_whatever_the_letter_case_of_type_and_operation() {
        for (kind, operation) in [("VALUE_MATCH", "insert"), ("value_match", "INSERT")] {
            let it = column(kind, &[("operation", operation), ("column", "status"), ("value", "1")]);
            assert_eq!((it.operation, it.column.as_str()), (ShadowOperation::Insert, "status"));
            assert!(it.wanted.accepts("1"));
            assert!(["1.0", "true", "01", " 1", "11", ""].iter().all(|text| !it.wanted.accepts(text)));
        }
    }

    #[test]
    fn a_regular_expression_must_match_all_of_the_text() {
        let accepts = |regex: &str, text: &str| {
            column("REGEX_MATCH", &[("operation", "select"), ("column", "c"), ("regex", regex)])
                .wanted
                .accepts(text)
        };
        for (regex, text, accepted) in [
            ("[1]", "1", true),
            ("[1]", "11", false),
            ("a|b", "ab", false),
            ("a|bc", "bc", true),
            ("test.*", "test", true),
            ("test.*", "a test", false),
            ("^test$", "test", true),
            (r"\d+", "123", true),
            (r"\d+", "١٢٣", false),
            (r"[\w-]+", "a-b_1", true),
            (r"[^\d]", "x", true),
            (r"[^\d]", "7", false),
            (r"\Q1.5\E\d?", "1.57", true),
            (r"\Q1.5\E", "1x5", false),
            (r"[]a]+", "]a", true),
            (r"[+*]+", "+*", true),
            ("a+?b", "aab", true),
            ("(?i)test", "TEST", true),
            (r"\s", "\t", true),
        ] {
            assert_eq!(accepts(regex, text), accepted, "{regex} {text}");
        }
    }

    #[test]
    fn refuses_regular_expressions_that_cannot_be_had() {
        let start =
            "Shadow algorithm `REGEX_MATCH` initialization failed, reason is: property 'regex' must be ";
        for (regex, reason) in [
            ("(a", "a regular expression (unclosed group), not '(a'."),
            ("a*+", "a regular expression without possessive quantifiers, not 'a*+'."),
            (
                "(?=a)",
                "a regular expression (look-around, including look-ahead and look-behind, is not supported), not \
                 '(?=a)'.",
            ),
            (r"(a)\1", r"a regular expression (backreferences are not supported), not '(a)\1'."),
            (
                r"(\p{L}{100}){100}",
                r"a regular expression (it is too big when it is compiled), not '(\p{L}{100}){100}'.",
            ),
        ] {
            let properties = [("operation", "select"), ("column", "c"), ("regex", regex)];
            assert_eq!(refusal("REGEX_MATCH", &properties), format!("{start}{reason}"));
        }
    }

    #[test]
    fn reads_hints_with_all_their_pairs() {
        let hint = |kind: &str, properties: &[(&str, &str)]| {
            ShadowAlgorithm::parse(&spec(kind, properties)).unwrap().hint().cloned().unwrap()
        };
        let pairs = vec![("shadow".to_owned(), "true".to_owned()), ("foo".to_owned(), "bar".to_owned())];
        assert_eq!(hint("SIMPLE_HINT", &[("shadow", "true"), ("foo", "bar")]).pairs, pairs);
        assert!(hint("sql_hint", &[]).pairs.is_empty());
    }

    #[test]
    fn refuses_what_is_missing_wrong_or_unknown() {
        assert_eq!(refusal("VALUE", &[("a", "b")]), "Invalid shadow algorithms `[VALUE]`.");
        for kind in ["VALUE_MATCH", "REGEX_MATCH", "SIMPLE_HINT"] {
            assert_eq!(refusal(kind, &[]), "Invalid shadow algorithm.");
        }
        let start = "Shadow algorithm `VALUE_MATCH` initialization failed, reason is: ";
        for (properties, reason) in [
            (&[("operation", "insert")][..], "Column shadow algorithm column cannot be null."),
            (&[("column", "c")], "Column shadow algorithm operation cannot be null."),
            (
                &[("column", "c"), ("operation", "merge")],
                "Column shadow algorithm operation must be one of [select, insert, update, delete].",
            ),
            (
                &[("column", "c"), ("operation", "insert")],
                "Column value match shadow algorithm value cannot be null.",
            ),
            (
                &[("column", "c"), ("operation", "insert"), ("regex", "1")],
                "unknown property 'regex'; there are 'operation', 'column', 'value'.",
            ),
        ] {
            assert_eq!(refusal("VALUE_MATCH", properties), format!("{start}{reason}"));
        }
    }
}
