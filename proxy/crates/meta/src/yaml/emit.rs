//! Writes YAML as ShardingSphere does: two blanks for each level, items of a list not indented, short scalars plain.

use std::fmt;

/// A piece of YAML.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Node {
    /// Items in order.
    List(Vec<Self>),
    /// Keys with their values, in order.
    Map(Vec<(String, Self)>),
    /// A list item under a tag.
    Tagged(&'static str, Box<Self>),
    /// A text.
    Text(String),
    /// What is no text: a number, `true`, `false`.
    Word(String),
}

impl Node {
    /// A map of what is there.
    pub(super) fn map<const N: usize>(pairs: [(&str, Option<Self>); N]) -> Self {
        let pairs = pairs.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?)));
        Self::Map(pairs.collect())
    }

    /// A text.
    pub(super) fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    /// A number or a truth value.
    pub(super) fn word(word: impl ToString) -> Self {
        Self::Word(word.to_string())
    }

    /// A list of texts.
    pub(super) fn texts<'a>(texts: impl IntoIterator<Item = &'a String>) -> Self {
        Self::List(texts.into_iter().map(Self::text).collect())
    }

    fn write(&self, f: &mut fmt::Formatter<'_>, depth: usize) -> fmt::Result {
        let indent = "  ".repeat(depth);
        match self {
            Self::List(items) => {
                for item in items {
                    write!(f, "{indent}-")?;
                    item.write_value(f, depth)?;
                }
                Ok(())
            }
            Self::Map(pairs) => {
                for (key, value) in pairs {
                    write!(f, "{indent}{}:", Scalar(key))?;
                    value.write_value(f, depth)?;
                }
                Ok(())
            }
            Self::Tagged(..) | Self::Text(_) | Self::Word(_) => self.write_value(f, depth),
        }
    }

    /// What stands behind `-` or a colon.
    fn write_value(&self, f: &mut fmt::Formatter<'_>, depth: usize) -> fmt::Result {
        match self {
            Self::List(items) if items.is_empty() => f.write_str(" []\n"),
            Self::Map(pairs) if pairs.is_empty() => f.write_str(" {}\n"),
            // Items stand below their key.
            Self::List(_) => {
                f.write_str("\n")?;
                self.write(f, depth)
            }
            Self::Map(_) => {
                f.write_str("\n")?;
                self.write(f, depth + 1)
            }
            Self::Tagged(tag, value) => {
                write!(f, " !{tag}")?;
                value.write_value(f, depth)
            }
            Self::Text(text) => writeln!(f, " {}", Scalar(text)),
            Self::Word(word) => writeln!(f, " {word}"),
        }
    }
}

impl fmt::Display for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f, 0)
    }
}

/// A text, in quotes unless it is sure to be read as one without.
struct Scalar<'a>(&'a str);

impl fmt::Display for Scalar<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if is_plain(self.0) {
            return f.write_str(self.0);
        }
        f.write_str("\"")?;
        for character in self.0.chars() {
            match character {
                '"' | '\\' => write!(f, "\\{character}")?,
                '\n' => f.write_str("\\n")?,
                '\r' => f.write_str("\\r")?,
                '\t' => f.write_str("\\t")?,
                // Also what YAML takes for the end of a line.
                c if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}') => {
                    write!(f, "\\u{:04X}", u32::from(c))?;
                }
                c => write!(f, "{c}")?,
            }
        }
        f.write_str("\"")
    }
}

/// Letters and signs that mean nothing to YAML, beginning with a letter, and none of its words.
fn is_plain(text: &str) -> bool {
    const WORDS: [&str; 10] = ["true", "false", "yes", "no", "on", "off", "null", "y", "n", "nan"];
    let sign = |c: char| matches!(c, '_' | '-' | '.' | '$' | '/' | '=' | '?' | '&' | '+' | '%' | '@' | ';');
    let mut characters = text.chars().peekable();
    if !characters.peek().is_some_and(char::is_ascii_alphabetic)
        || WORDS.iter().any(|word| word.eq_ignore_ascii_case(text))
    {
        return false;
    }
    while let Some(character) = characters.next() {
        let next = characters.peek();
        let fits = match character {
            // A blank that another sign follows, a colon that no blank follows.
            ' ' => next.is_some_and(char::is_ascii_alphanumeric),
            ':' => next.is_some_and(|next| *next != ' '),
            '{' | '}' | '(' | ')' | '[' | ']' | ',' => true,
            c => c.is_ascii_alphanumeric() || sign(c),
        };
        if !fits {
            return false;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn prints_maps_lists_and_tags_one_below_the_other() {
        let rule = Node::map([
            ("tables", Some(Node::map([("t", Some(Node::Map(vec![])))]))),
            ("names", Some(Node::List(vec![Node::text("a"), Node::text("*.*")]))),
            ("absent", None),
            ("none", Some(Node::List(vec![]))),
            ("count", Some(Node::word(7))),
        ]);
        let node = Node::map([("rules", Some(Node::List(vec![Node::Tagged("SHARDING", Box::new(rule))])))]);
        assert_eq!(
            node.to_string(),
            "rules:\n- !SHARDING\n  tables:\n    t: {}\n  names:\n  - a\n  - \"*.*\"\n  none: []\n  count: 7\n"
        );
    }

    #[test]
    fn whatever_a_text_holds_is_read_back() {
        for text in [
            "plain",
            "jdbc:mysql://127.0.0.1:3306/db?a=b&c=d",
            "ds_${0..1}.t_${['a', 'b']}",
            "t_order_$->{order_id % 4}",
            "",
            " ",
            "a ",
            "a: b",
            "a:",
            "a #b",
            "#a",
            "- a",
            "true",
            "Null",
            "~",
            "007",
            "1e5",
            "0x1F",
            "-",
            "'",
            "\"\\",
            "a\nb\r\t\u{7}\u{85}\u{2028}\u{feff}",
            "*a",
            "&a",
            "!a",
            "%a",
            "@a",
            "`a`",
            "測試 😀",
            "{a}",
            "a, b",
            "a{b, c}",
            "---",
            "a?",
            "a = b",
            "<<",
        ] {
            let node = Node::Map(vec![(text.to_owned(), Node::List(vec![Node::text(text)]))]);
            let read: BTreeMap<String, Vec<String>> =
                serde_saphyr::from_str(&node.to_string()).unwrap_or_else(|error| panic!("{node}{error}"));
            assert_eq!(read, BTreeMap::from([(text.to_owned(), vec![text.to_owned()])]), "{node}");
        }
    }
}
