//! What a session has set for itself, apart from the connections that serve it.

use std::rc::Rc;

use backend::{Charset, Settings};
use plan::HintValue;
use sql::{Assignment, Mode, SetTarget, SetValue};

use crate::text::Encoding;

/// The state of a session that `COM_RESET_CONNECTION` takes back.
#[derive(Clone, Debug)]
pub(crate) struct State {
    /// Whether statements outside a transaction commit by themselves.
    pub(crate) autocommit: bool,
    /// How texts are read, as `sql_mode` has it.
    pub(crate) mode: Mode,
    /// Where the client's characters end.
    pub(crate) encoding: Encoding,
    /// Variables and character set, brought to each server connection that serves the session.
    pub(crate) settings: Settings,
    /// `SET READWRITE_SPLITTING HINT SOURCE = write`: reads go where is written.
    pub(crate) write_only: bool,
    /// How long the client may say nothing.
    pub(crate) timeouts: Timeouts,
    /// `ADD SHARDING HINT`, `SET SHARDING HINT`: where rows are, for strategies that look at nothing else.
    pub(crate) hints: Rc<Vec<HintValue>>,
}

impl Default for State {
    fn default() -> Self {
        Self {
            autocommit: true,
            mode: Mode::default(),
            encoding: Encoding::Plain,
            settings: Settings::default(),
            write_only: false,
            timeouts: Timeouts::default(),
            hints: Rc::default(),
        }
    }
}

/// `wait_timeout` and `interactive_timeout`, in seconds. They are the session's own: no server hears of them, whose
/// connections are others' by then.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Timeouts {
    /// What holds for the session.
    pub(crate) wait: u32,
    /// Told, and of no further meaning.
    pub(crate) interactive: u32,
    /// What both are by default.
    pub(crate) global: (u32, u32),
}

impl Default for Timeouts {
    fn default() -> Self {
        Self { wait: 28_800, interactive: 28_800, global: (28_800, 28_800) }
    }
}

impl Timeouts {
    /// The longest.
    const MOST: i64 = 31_536_000;

    /// After a login, with the defaults of non-interactive and interactive clients.
    pub(crate) fn new(global: (u32, u32), interactive: bool) -> Self {
        Self { wait: if interactive { global.1 } else { global.0 }, interactive: global.1, global }
    }

    /// Whether a variable is one of them.
    pub(crate) fn holds(name: &str) -> bool {
        matches!(name, "wait_timeout" | "interactive_timeout")
    }

    /// A value as servers take it: at least a second, at most a year; nothing when it is no integer.
    fn fit(text: &str) -> Option<u32> {
        let seconds = text.trim().parse::<i64>().ok()?.clamp(1, Self::MOST);
        u32::try_from(seconds).ok()
    }
}

/// What one assignment of `SET` means for the session.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Change {
    /// Autocommit on or off.
    Autocommit(bool),
    /// Back to what connections are opened with.
    DefaultNames,
    /// `SET TRANSACTION …` for the next transaction only, in its own words.
    NextTransaction(String),
    /// Another character set.
    Names(Charset),
    /// What `LAST_INSERT_ID()` answers.
    InsertId(u64),
    /// `wait_timeout` or `interactive_timeout`, back to its default when nothing is given.
    Timeout(String, Option<u32>),
    /// A variable to a piece of SQL that means the same on every connection.
    Variable(String, String),
}

/// Why an assignment can't be taken.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) enum Unfit {
    /// The server must compute it or do it: the statement goes to one.
    Elsewhere,
    /// The value is not one the variable can have.
    Value { variable: String, value: String },
    /// The value is of a type that the variable cannot have.
    Type { variable: String },
    /// It would have to be one server connection's, and the session has none of its own.
    OneConnection { variable: String },
}

/// Variables that no session may set, since they would change what the proxy relies on in every connection.
const OURS: [&str; 2] = ["session_track_state_change", "session_track_schema"];

/// Variables that are used up or changed by the next statement on the same connection, or make transactions end as only
/// that connection knows.
const ONCE: [&str; 5] = ["completion_type", "gtid_next", "insert_id", "rand_seed1", "rand_seed2"];

/// Reads one assignment of the statement `text`.
pub(crate) fn change(assignment: &Assignment, value: &str, mode: Mode) -> Result<Vec<Change>, Unfit> {
    Ok(match &assignment.target {
        SetTarget::Names { collation } => match &assignment.value {
            SetValue::Default => vec![Change::DefaultNames],
            SetValue::Text(name) => {
                vec![Change::Names(Charset {
                    name: word(name)?,
                    collation: collation.as_deref().map(word).transpose()?,
                })]
            }
            SetValue::Expression => return Err(Unfit::Elsewhere),
        },
        SetTarget::CharacterSet => match &assignment.value {
            SetValue::Default => vec![Change::DefaultNames],
            // The connection's collation would be the database's; close enough to the client's own set.
            SetValue::Text(name) => vec![Change::Names(Charset { name: word(name)?, collation: None })],
            SetValue::Expression => return Err(Unfit::Elsewhere),
        },
        SetTarget::Session(name) if name == "autocommit" => {
            vec![Change::Autocommit(truth(name, &assignment.value)?)]
        }
        SetTarget::Session(name) if Timeouts::holds(name) => vec![match &assignment.value {
            SetValue::Default => Change::Timeout(name.clone(), None),
            SetValue::Text(text) => timeout(name, text)?,
            SetValue::Expression => return Err(Unfit::Elsewhere),
        }],
        SetTarget::Session(name) if OURS.contains(&name.as_str()) => Vec::new(),
        SetTarget::Session(name) if ONCE.contains(&name.as_str()) => {
            return Err(Unfit::OneConnection { variable: name.clone() });
        }
        SetTarget::Session(name) if ["identity", "last_insert_id"].contains(&name.as_str()) => {
            let SetValue::Text(text) = &assignment.value else { return Err(Unfit::Elsewhere) };
            let id = text.parse();
            vec![Change::InsertId(
                id.map_err(|_| Unfit::Value { variable: name.clone(), value: text.clone() })?,
            )]
        }
        SetTarget::Session(name) => match &assignment.value {
            // Said in these words, since for some variables the default is not what the session began with.
            SetValue::Default => vec![Change::Variable(name.clone(), "DEFAULT".to_owned())],
            SetValue::Text(text) => vec![Change::Variable(name.clone(), literal(value, text, mode))],
            SetValue::Expression => return Err(Unfit::Elsewhere),
        },
        SetTarget::Transaction { session } => {
            let SetValue::Text(words) = &assignment.value else { return Err(Unfit::Elsewhere) };
            let changes = transaction(words)?;
            if *session { changes } else { vec![Change::NextTransaction(words.clone())] }
        }
        SetTarget::User(name) => match &assignment.value {
            SetValue::Text(text) => vec![Change::Variable(user_variable(name), literal(value, text, mode))],
            SetValue::Default | SetValue::Expression => return Err(Unfit::Elsewhere),
        },
        SetTarget::Global(_) | SetTarget::Other(_) => return Err(Unfit::Elsewhere),
    })
}

/// A time limit as given.
pub(crate) fn timeout(name: &str, text: &str) -> Result<Change, Unfit> {
    match Timeouts::fit(text) {
        Some(seconds) => Ok(Change::Timeout(name.to_owned(), Some(seconds))),
        None => Err(Unfit::Type { variable: name.to_owned() }),
    }
}

/// A user variable as settings name it.
pub(crate) fn user_variable(name: &str) -> String {
    format!("@`{}`", name.replace('`', "``"))
}

/// `SESSION TRANSACTION ISOLATION LEVEL x, READ ONLY` as the variables it stands for.
fn transaction(words: &str) -> Result<Vec<Change>, Unfit> {
    words
        .split(',')
        .map(|part| {
            let part = part.trim().to_ascii_uppercase();
            let level = part.strip_prefix("ISOLATION LEVEL ").map(str::trim);
            Ok(match (level, part.as_str()) {
                (Some("READ COMMITTED" | "READ UNCOMMITTED" | "REPEATABLE READ" | "SERIALIZABLE"), _) => {
                    let level = level.unwrap_or_default().replace(' ', "-");
                    Change::Variable("transaction_isolation".to_owned(), format!("'{level}'"))
                }
                (None, "READ ONLY") => Change::Variable("transaction_read_only".to_owned(), "1".to_owned()),
                (None, "READ WRITE") => Change::Variable("transaction_read_only".to_owned(), "0".to_owned()),
                _ => return Err(Unfit::Elsewhere),
            })
        })
        .collect()
}

/// A character set's or collation's name: it goes into a statement without quotes.
fn word(name: &str) -> Result<String, Unfit> {
    let fine = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    if fine {
        Ok(name.to_owned())
    } else {
        Err(Unfit::Value { variable: "names".to_owned(), value: name.to_owned() })
    }
}

/// The value as it is written, unless it is a string: those are written anew, whatever quotes the mode allows.
fn literal(written: &str, text: &str, mode: Mode) -> String {
    let written = written.trim();
    if !written.starts_with(['\'', '"']) {
        return written.to_owned();
    }
    quoted(text, mode)
}

/// A string literal.
pub(crate) fn quoted(text: &str, mode: Mode) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('\'');
    for character in text.chars() {
        match character {
            '\'' => quoted.push_str("''"),
            '\\' if !mode.no_backslash_escapes => quoted.push_str("\\\\"),
            other => quoted.push(other),
        }
    }
    quoted.push('\'');
    quoted
}

fn truth(variable: &str, value: &SetValue) -> Result<bool, Unfit> {
    match value {
        SetValue::Default => Ok(true),
        SetValue::Expression => Err(Unfit::Elsewhere),
        SetValue::Text(text) => match text.to_ascii_uppercase().as_str() {
            "1" | "ON" | "TRUE" => Ok(true),
            "0" | "OFF" | "FALSE" => Ok(false),
            _ => Err(Unfit::Value { variable: variable.to_owned(), value: text.clone() }),
        },
    }
}

impl State {
    /// Takes the character set of a login over.
    pub(crate) fn names(&mut self, charset: Option<Charset>) {
        self.settings.names(charset);
        self.encode();
    }

    /// The client's character set may have changed.
    fn encode(&mut self) {
        let client = self.settings.variable("character_set_client").map(|name| name.trim_matches('\''));
        let client = client.or_else(|| self.settings.charset().map(|charset| charset.name.as_str()));
        self.encoding = client.map_or(Encoding::Plain, Encoding::of);
    }

    /// Takes over what a server has told of the session's settings.
    pub(crate) fn follow(&mut self, settings: &Settings, autocommit: bool) {
        self.settings.clone_from(settings);
        // It goes another way.
        self.settings.unset("autocommit");
        self.autocommit = autocommit;
        let mode = self.settings.variable("sql_mode").unwrap_or_default();
        self.mode = Mode::of(mode.trim_matches('\''));
        self.encode();
    }

    /// Takes a change over.
    pub(crate) fn apply(&mut self, change: Change) {
        match change {
            Change::Autocommit(on) => self.autocommit = on,
            Change::DefaultNames => self.settings.names(None),
            Change::Names(charset) => self.settings.names(Some(charset)),
            Change::InsertId(_) | Change::NextTransaction(_) => {}
            Change::Timeout(name, seconds) => {
                let Timeouts { wait, interactive, global } = &mut self.timeouts;
                let (limit, default) =
                    if name == "wait_timeout" { (wait, global.0) } else { (interactive, global.1) };
                *limit = seconds.unwrap_or(default);
            }
            Change::Variable(name, value) => {
                if name == "sql_mode" {
                    self.mode = Mode::of(value.trim_matches('\''));
                }
                if name.starts_with('@') && value.eq_ignore_ascii_case("NULL") {
                    // NULL keeps the type of the value before; that of one never set is a binary text.
                    let before = self.settings.variable(&name).unwrap_or("X''");
                    let null = format!(",{name}=NULL");
                    let value = format!("{}{null}", before.strip_suffix(&null).unwrap_or(before));
                    self.settings.set(&name, &value);
                } else {
                    self.settings.set(&name, &value);
                }
            }
        }
        self.encode();
    }
}

#[cfg(test)]
mod tests {
    use sql::{Place, Span};

    use super::*;

    fn assignment(target: SetTarget, value: SetValue) -> Assignment {
        let place = Place { after: 0, offset: 0 };
        Assignment { target, value, span: Span { start: place, end: place } }
    }

    fn session(name: &str, text: &str, written: &str) -> Result<Vec<Change>, Unfit> {
        let assignment = assignment(SetTarget::Session(name.to_owned()), SetValue::Text(text.to_owned()));
        change(&assignment, written, Mode::default())
    }

    #[test]
    fn writes_strings_anew_and_leaves_the_rest_as_it_is() {
        let set = |name: &str, value: &str| Ok(vec![Change::Variable(name.to_owned(), value.to_owned())]);
        assert_eq!(session("sql_mode", "a'b\\", "\"a'b\\\\\""), set("sql_mode", r"'a''b\\'"));
        assert_eq!(session("lock_wait_timeout", "5", " 5 "), set("lock_wait_timeout", "5"));
        assert_eq!(session("foreign_key_checks", "OFF", "OFF"), set("foreign_key_checks", "OFF"));
    }

    #[test]
    fn reads_autocommit_in_every_form() {
        for (text, on) in [("1", true), ("ON", true), ("true", true), ("0", false), ("off", false)] {
            assert_eq!(session("autocommit", text, text), Ok(vec![Change::Autocommit(on)]));
        }
        let wrong = Unfit::Value { variable: "autocommit".to_owned(), value: "7".to_owned() };
        assert_eq!(session("autocommit", "7", "7"), Err(wrong));
    }

    #[test]
    fn turns_session_characteristics_into_variables() {
        let words = SetValue::Text("ISOLATION LEVEL READ COMMITTED, READ ONLY".to_owned());
        let all =
            change(&assignment(SetTarget::Transaction { session: true }, words.clone()), "", Mode::default());
        assert_eq!(
            all,
            Ok(vec![
                Change::Variable("transaction_isolation".to_owned(), "'READ-COMMITTED'".to_owned()),
                Change::Variable("transaction_read_only".to_owned(), "1".to_owned()),
            ])
        );
        let next = change(&assignment(SetTarget::Transaction { session: false }, words), "", Mode::default());
        assert!(matches!(next.as_deref(), Ok([Change::NextTransaction(_)])));
    }

    #[test]
    fn user_variables_are_settings_like_others() {
        let target = SetTarget::User("a`b".to_owned());
        let set = change(&assignment(target, SetValue::Text("x".to_owned())), "'x'", Mode::default());
        assert_eq!(set, Ok(vec![Change::Variable("@`a``b`".to_owned(), "'x'".to_owned())]));
    }

    #[test]
    fn refuses_names_that_would_need_quotes() {
        let target = SetTarget::Names { collation: None };
        let bad = change(&assignment(target, SetValue::Text("utf8' x".to_owned())), "", Mode::default());
        assert!(matches!(bad, Err(Unfit::Value { .. })));
    }

    #[test]
    fn the_mode_follows_sql_mode() {
        let mut state = State::default();
        state.apply(Change::Variable("sql_mode".to_owned(), "'ANSI_QUOTES'".to_owned()));
        assert!(state.mode.ansi_quotes);
        state.apply(Change::Variable("sql_mode".to_owned(), "DEFAULT".to_owned()));
        assert!(!state.mode.ansi_quotes);
    }
}
