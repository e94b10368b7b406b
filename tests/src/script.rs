//! Files of statements for both sides.
//!
//! `{db}` stands for the database. A statement ends with a line that ends in `;`. Comment lines right before it say how it is to be taken:
//!
//! | directive | meaning |
//! |---|---|
//! | `-- proxy`, `-- plain` | only for one side |
//! | `-- refused 1235 words` | the proxy answers with this error whose text holds these words; the plain server is not asked |
//! | `-- or refused` | the proxy may also refuse by name, and then the plain server is not asked; `-- or refused from here` holds for all that follow |
//! | `-- unordered` | the order of the rows does not count although there is an `ORDER BY` |
//! | `-- approximate` | floating-point numbers may differ in their last digits |
//! | `-- repeated` | the proxy may have each warning once for every node |
//! | `-- worded` | the text of an error may differ, its number and SQLSTATE not |
//! | `-- unwarned` | the number of warnings does not count |
//! | `-- planned` | what a server's way of carrying out the statement decides about columns may differ; `-- planned from here`: of all that follow |
//! | `-- spelled` | of texts that are equal under their collation any may come |
//! | `-- shuffled` | the elements of JSON arrays may come in any order |
//! | `-- gathered` | `SHOW WARNINGS` may show the warnings in another order |
//! | `-- text` | always as text, never prepared |
//! | `-- args 1, 'x', NULL, 2.5e0` | values for its `?`: parameters when prepared, else put into the text |
//! | `-- sharded t` | from here on `t` has actual tables `t_0`, `t_1` … (the rule is created by the runner) |
//! | `-- sharded t by c` | likewise, by column `c` instead of `id` |

/// Who gets a statement.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Side {
    /// Both, and the answers are compared.
    #[default]
    Both,
    /// Both, unless the proxy refuses by name.
    Either,
    /// Only the plain server; it must succeed.
    Plain,
    /// Only the proxy; it must succeed.
    Proxy,
    /// Only the proxy, which must refuse with this number and a text that holds these words.
    Refused(u16, String),
}

/// A value for a parameter.
#[derive(Debug, Clone, PartialEq)]
pub enum Argument {
    /// NULL.
    Null,
    /// An integer.
    Int(i64),
    /// An integer beyond the signed ones.
    UInt(u64),
    /// A floating-point number, written with an exponent.
    Double(f64),
    /// A string in quotes, or a decimal number, which travels as text.
    Text(String),
}

impl Argument {
    /// The value as a literal.
    #[must_use]
    pub fn literal(&self) -> String {
        match self {
            Self::Null => "NULL".into(),
            Self::Int(number) => number.to_string(),
            Self::UInt(number) => number.to_string(),
            Self::Double(number) => format!("{number:e}"),
            Self::Text(text) => format!("'{}'", text.replace('\\', "\\\\").replace('\'', "''")),
        }
    }

    /// The value as a parameter.
    #[must_use]
    pub fn value(&self) -> wire::value::Value<'_> {
        use wire::value::Value;
        match self {
            Self::Null => Value::Null,
            Self::Int(number) => Value::Int(*number),
            Self::UInt(number) => Value::UInt(*number),
            Self::Double(number) => Value::Double(*number),
            Self::Text(text) => Value::Bytes(text.as_bytes()),
        }
    }

    fn read(text: &str) -> Self {
        let text = text.trim();
        if text.eq_ignore_ascii_case("null") {
            return Self::Null;
        }
        if let Some(inner) = text.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\'')) {
            return Self::Text(inner.replace("''", "'"));
        }
        if let Ok(number) = text.parse() {
            return Self::Int(number);
        }
        if let Ok(number) = text.parse() {
            return Self::UInt(number);
        }
        Self::Double(text.parse().unwrap_or_else(|_| panic!("{text} is no value")))
    }
}

/// Puts values in the place of the `?` of a statement.
#[must_use]
pub fn inline(text: &str, arguments: &[Argument]) -> String {
    if arguments.is_empty() {
        return text.to_owned();
    }
    let mut parts = text.split('?');
    let mut out = parts.next().unwrap_or_default().to_owned();
    for (argument, part) in arguments.iter().zip(parts) {
        out.push_str(&argument.literal());
        out.push_str(part);
    }
    out
}

/// One statement.
#[derive(Debug, Clone, Default)]
pub struct Step {
    /// Its first line in the file.
    pub line: usize,
    /// Without the closing `;`.
    pub text: String,
    /// Who gets it.
    pub side: Side,
    /// Whether the order of the rows counts.
    pub ordered: bool,
    /// Whether floating-point numbers may differ slightly.
    pub approximate: bool,
    /// Whether warnings may come once for each node.
    pub repeated: bool,
    /// Whether the text of an error may differ.
    pub worded: bool,
    /// Whether the number of warnings does not count.
    pub unwarned: bool,
    /// What is decided by how a server goes about it may differ in columns.
    pub planned: bool,
    /// Any of equal texts may come.
    pub spelled: bool,
    /// JSON arrays may come in any order.
    pub shuffled: bool,
    /// Warnings may come in any order.
    pub gathered: bool,
    /// Never prepared.
    pub textual: bool,
    /// Values for its `?`.
    pub arguments: Vec<Argument>,
    /// Tables that are sharded from here on, and by which column.
    pub sharded: Vec<(String, String)>,
}

/// A file.
#[derive(Debug)]
pub struct Script {
    /// Its statements in order.
    pub steps: Vec<Step>,
}

impl Script {
    /// Reads the statements of a file's text.
    ///
    /// # Panics
    /// At a directive that has no meaning.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let mut steps = Vec::new();
        let mut step = Step::default();
        let mut unordered = false;
        let (mut either, mut planned) = (false, false);
        for (number, line) in text.lines().enumerate() {
            if let (true, Some(directive)) = (step.text.is_empty(), line.strip_prefix("-- ")) {
                let (word, rest) = directive.split_once(' ').unwrap_or((directive, ""));
                match word {
                    "proxy" => step.side = Side::Proxy,
                    "plain" => step.side = Side::Plain,
                    "refused" => {
                        let (code, words) = rest.split_once(' ').unwrap_or((rest, ""));
                        let code = code.parse().unwrap_or_else(|_| panic!("line {}: {line}", number + 1));
                        step.side = Side::Refused(code, words.to_owned());
                    }
                    "or" if rest == "refused" => step.side = Side::Either,
                    "or" if rest == "refused from here" => either = true,
                    "unordered" => unordered = true,
                    "approximate" => step.approximate = true,
                    "repeated" => step.repeated = true,
                    "worded" => step.worded = true,
                    "unwarned" => step.unwarned = true,
                    "planned" if rest == "from here" => planned = true,
                    "planned" => step.planned = true,
                    "spelled" => step.spelled = true,
                    "shuffled" => step.shuffled = true,
                    "gathered" => step.gathered = true,
                    "text" => step.textual = true,
                    "args" => step.arguments = arguments(rest),
                    "sharded" => {
                        let (table, column) = rest.split_once(" by ").unwrap_or((rest, "id"));
                        step.sharded.push((table.trim().to_owned(), column.trim().to_owned()));
                    }
                    _ => {}
                }
                continue;
            }
            if step.text.is_empty() && line.trim().is_empty() {
                continue;
            }
            if step.text.is_empty() {
                step.line = number + 1;
            } else {
                step.text.push('\n');
            }
            match line.trim_end().strip_suffix(';') {
                Some(last) => {
                    step.text.push_str(last);
                    step.ordered = !unordered && step.text.to_ascii_uppercase().contains("ORDER BY");
                    unordered = false;
                    step.planned |= planned;
                    if either && step.side == Side::Both {
                        step.side = Side::Either;
                    }
                    steps.push(std::mem::take(&mut step));
                }
                None => step.text.push_str(line.trim_end()),
            }
        }
        assert!(step.text.is_empty(), "the last statement has no end: {}", step.text);
        Self { steps }
    }
}

/// Values between commas; a comma in quotes is part of the value.
fn arguments(text: &str) -> Vec<Argument> {
    let mut parts = vec![String::new()];
    let mut quoted = false;
    for letter in text.chars() {
        quoted ^= letter == '\'';
        match (letter, quoted) {
            (',', false) => parts.push(String::new()),
            _ => parts.last_mut().into_iter().for_each(|part| part.push(letter)),
        }
    }
    parts.iter().map(|part| Argument::read(part)).collect()
}
