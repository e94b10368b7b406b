//! Session variables and character set: what a session wants, what a connection has, and the `SET` between the two.

use std::fmt::Write as _;
use std::hash::BuildHasher;
use std::sync::Arc;

/// What `SET NAMES` sets together, sorted.
const CHARSET_VARIABLES: [&str; 4] =
    ["character_set_client", "character_set_connection", "character_set_results", "collation_connection"];

/// Variables that sessions often set and that have a global value in every MySQL and MariaDB, sorted.
const GLOBAL: [&str; 22] = [
    "autocommit",
    "collation_database",
    "default_storage_engine",
    "foreign_key_checks",
    "group_concat_max_len",
    "innodb_lock_wait_timeout",
    "interactive_timeout",
    "lock_wait_timeout",
    "max_allowed_packet",
    "net_read_timeout",
    "net_write_timeout",
    "sql_auto_is_null",
    "sql_mode",
    "sql_notes",
    "sql_quote_show_create",
    "sql_safe_updates",
    "sql_select_limit",
    "time_zone",
    "transaction_isolation",
    "transaction_read_only",
    "unique_checks",
    "wait_timeout",
];

/// Session variables and character set, cheap to copy and to compare.
///
/// The values are SQL text that means the same whatever the state of the connection it is sent to: the session
/// computes expressions and writes strings in single quotes.
#[derive(Clone, Debug, Default)]
pub struct Settings(Arc<Inner>);

#[derive(Clone, Debug, Default)]
struct Inner {
    charset: Option<Charset>,
    /// Sorted by name; lower case.
    variables: Vec<(String, String)>,
    /// Of the two above; unequal means different, equal is followed by a real comparison.
    hash: u64,
}

/// `SET NAMES name COLLATE collation`.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
pub struct Charset {
    /// Character set.
    pub name: String,
    /// Collation; the character set's default one when absent.
    pub collation: Option<String>,
}

impl Settings {
    /// The text a variable is set to.
    pub fn variable(&self, name: &str) -> Option<&str> {
        let at = self.find(name).ok()?;
        Some(&self.0.variables.get(at)?.1)
    }

    /// The variables in order of their names, which are in lower case.
    pub fn variables(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.variables.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// The character set, when it is not the one connections are opened with.
    pub fn charset(&self) -> Option<&Charset> {
        self.0.charset.as_ref()
    }

    /// Nothing is set.
    pub fn is_empty(&self) -> bool {
        self.0.charset.is_none() && self.0.variables.is_empty()
    }

    /// Sets a variable to a piece of SQL; user variables are named with their `@`, quoted where their name needs it.
    pub fn set(&mut self, name: &str, value: &str) {
        match self.find(name) {
            Ok(at) if self.0.variables[at].1 == value => return,
            Ok(at) => value.clone_into(&mut Arc::make_mut(&mut self.0).variables[at].1),
            Err(at) => {
                let entry = (name.to_ascii_lowercase(), value.to_owned());
                Arc::make_mut(&mut self.0).variables.insert(at, entry);
            }
        }
        self.rehash();
    }

    /// Gives a variable back its default.
    pub fn unset(&mut self, name: &str) {
        if let Ok(at) = self.find(name) {
            Arc::make_mut(&mut self.0).variables.remove(at);
            self.rehash();
        }
    }

    /// `SET NAMES`; the single character-set variables follow it.
    pub fn names(&mut self, charset: Option<Charset>) {
        let inner = Arc::make_mut(&mut self.0);
        inner.charset = charset;
        inner.variables.retain(|(name, _)| !is_charset_variable(name));
        self.rehash();
    }

    /// A number that is the same for the same settings.
    #[inline]
    pub fn hash(&self) -> u64 {
        self.0.hash
    }

    /// Whether the two are one value in memory: the answer for almost every statement, at the cost of one comparison.
    #[inline]
    pub(crate) fn same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// Whether a `SET` alone brings a connection with these settings to the `wanted` ones. Variables that may have no
    /// global value to go back to need `COM_RESET_CONNECTION` first.
    pub(crate) fn retractable(&self, wanted: &Self) -> bool {
        self.same(wanted)
            || self.variables().all(|(name, _)| {
                wanted.variable(name).is_some()
                    || is_user_variable(name)
                    || is_charset_variable(name)
                    || GLOBAL.contains(&name)
            })
    }

    /// Whether a user variable of these settings is none of the `wanted` ones: a server then keeps its type, though no value.
    pub(crate) fn leaves_types(&self, wanted: &Self) -> bool {
        self.variables().any(|(name, _)| is_user_variable(name) && wanted.variable(name).is_none())
    }

    /// The statement that makes a connection with these settings one with the `wanted` ones, if they differ.
    ///
    /// `initial` is the character set the connection was opened with.
    pub(crate) fn difference(&self, wanted: &Self, initial: &Charset) -> Option<String> {
        if self == wanted {
            return None;
        }
        let mut out = String::from("SET ");
        // Taking one character-set variable back would mean its *global* value; NAMES is what the connection began with.
        let names = self.0.charset != wanted.0.charset
            || self.variables().any(|(name, _)| is_charset_variable(name) && wanted.variable(name).is_none());
        if names {
            let charset = wanted.charset().unwrap_or(initial);
            out.push_str("NAMES ");
            out.push_str(&charset.name);
            if let Some(collation) = &charset.collation {
                out.push_str(" COLLATE ");
                out.push_str(collation);
            }
            out.push(',');
        }
        for (name, value) in wanted.variables() {
            if self.variable(name) != Some(value) || (names && is_charset_variable(name)) {
                let scope = if is_user_variable(name) { "" } else { "@@SESSION." };
                let _ = write!(out, "{scope}{name}={value},");
            }
        }
        for (name, _) in self.variables() {
            if wanted.variable(name).is_none() && !is_charset_variable(name) {
                let _ = match is_user_variable(name) {
                    // NULL leaves the type of the value before; one that was never set is a binary text.
                    true => write!(out, "{name}=X'',{name}=NULL,"),
                    // Not `DEFAULT`, which for foreign_key_checks and unique_checks means off.
                    false => write!(out, "@@SESSION.{name}=@@GLOBAL.{name},"),
                };
            }
        }
        out.pop();
        Some(out)
    }

    /// The statement that sets the character set anew, with the single variables that differ from it.
    pub(crate) fn charset_text(&self, initial: &Charset) -> String {
        let Charset { name, collation } = self.charset().unwrap_or(initial);
        let mut out = format!("SET NAMES {name}");
        if let Some(collation) = collation {
            let _ = write!(out, " COLLATE {collation}");
        }
        for (name, value) in self.variables().filter(|(name, _)| is_charset_variable(name)) {
            let _ = write!(out, ",@@SESSION.{name}={value}");
        }
        out
    }

    fn find(&self, name: &str) -> Result<usize, usize> {
        let order = |have: &str| have.bytes().cmp(name.bytes().map(|byte| byte.to_ascii_lowercase()));
        self.0.variables.binary_search_by(|(have, _)| order(have))
    }

    fn rehash(&mut self) {
        let inner = Arc::make_mut(&mut self.0);
        // 0 is that of the default value, which nobody computed.
        let empty = inner.charset.is_none() && inner.variables.is_empty();
        let hash = || foldhash::quality::FixedState::default().hash_one((&inner.charset, &inner.variables));
        inner.hash = if empty { 0 } else { hash() };
    }
}

impl PartialEq for Settings {
    fn eq(&self, other: &Self) -> bool {
        let (a, b) = (&self.0, &other.0);
        Arc::ptr_eq(a, b) || (a.hash == b.hash && a.charset == b.charset && a.variables == b.variables)
    }
}

impl Eq for Settings {}

/// `` @`x` ``: set by its name alone, and NULL unless set.
fn is_user_variable(name: &str) -> bool {
    name.starts_with('@')
}

fn is_charset_variable(name: &str) -> bool {
    CHARSET_VARIABLES.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(charset: Option<&str>, variables: &[(&str, &str)]) -> Settings {
        let mut settings = Settings::default();
        settings.names(charset.map(|name| Charset { name: name.into(), collation: None }));
        for (name, value) in variables {
            settings.set(name, value);
        }
        settings
    }

    #[test]
    fn difference_is_one_set_statement() {
        let initial = Charset { name: "utf8mb4".into(), collation: Some("utf8mb4_bin".into()) };
        type Side<'a> = (Option<&'a str>, &'a [(&'a str, &'a str)]);
        let cases: &[(Side<'_>, Side<'_>, Option<&str>)] = &[
            ((None, &[]), (None, &[]), None),
            ((None, &[("A", "1")]), (None, &[("a", "1")]), None),
            (
                (None, &[]),
                (None, &[("sql_mode", "''"), ("autocommit", "0")]),
                Some("SET @@SESSION.autocommit=0,@@SESSION.sql_mode=''"),
            ),
            (
                (None, &[("a", "1"), ("b", "2")]),
                (None, &[("b", "3")]),
                Some("SET @@SESSION.b=3,@@SESSION.a=@@GLOBAL.a"),
            ),
            (
                (None, &[("@`a`", "1"), ("@`b`", "2")]),
                (None, &[("@`b`", "3"), ("sql_mode", "''")]),
                Some("SET @`b`=3,@@SESSION.sql_mode='',@`a`=X'',@`a`=NULL"),
            ),
            ((None, &[]), (Some("latin1"), &[]), Some("SET NAMES latin1")),
            ((Some("latin1"), &[]), (None, &[]), Some("SET NAMES utf8mb4 COLLATE utf8mb4_bin")),
            (
                (Some("gbk"), &[("character_set_results", "NULL"), ("a", "1")]),
                (Some("gbk"), &[("a", "1")]),
                Some("SET NAMES gbk"),
            ),
            (
                (None, &[("character_set_client", "gbk"), ("character_set_results", "NULL")]),
                (None, &[("character_set_results", "NULL")]),
                Some("SET NAMES utf8mb4 COLLATE utf8mb4_bin,@@SESSION.character_set_results=NULL"),
            ),
        ];
        for ((has_charset, has), (wants_charset, wants), expected) in cases {
            let has = settings(*has_charset, has);
            let wants = settings(*wants_charset, wants);
            assert_eq!(has.difference(&wants, &initial).as_deref(), *expected);
        }
    }

    #[test]
    fn only_what_has_a_global_value_is_taken_back_by_set() {
        let wanted = settings(Some("latin1"), &[("sql_log_bin", "0")]);
        let has = |variables: &[(&str, &str)]| settings(None, variables).retractable(&wanted);
        assert!(has(&[
            ("sql_log_bin", "1"),
            ("sql_mode", "''"),
            ("@`x`", "1"),
            ("character_set_results", "NULL")
        ]));
        assert!(!has(&[("pseudo_thread_id", "7")]));
    }

    #[test]
    fn a_user_variable_that_is_taken_back_leaves_its_type() {
        let has = settings(None, &[("@`a`", "1"), ("sql_mode", "''")]);
        assert!(has.leaves_types(&Settings::default()));
        assert!(has.leaves_types(&settings(None, &[("@`b`", "1")])));
        assert!(!has.leaves_types(&settings(None, &[("@`a`", "'x'"), ("@`b`", "1")])));
        assert!(!settings(None, &[("sql_mode", "''")]).leaves_types(&Settings::default()));
    }

    #[test]
    fn names_forgets_single_character_set_variables() {
        let mut settings = settings(None, &[("character_set_results", "NULL"), ("sql_mode", "''")]);
        settings.names(Some(Charset { name: "latin1".into(), collation: None }));
        assert_eq!(settings.variables().collect::<Vec<_>>(), [("sql_mode", "''")]);
    }

    #[test]
    fn a_copy_does_not_change_with_its_origin() {
        let mut one = settings(None, &[("a", "1")]);
        let two = one.clone();
        one.set("a", "2");
        assert_eq!(two.variable("A"), Some("1"));
        one.unset("a");
        assert!(one.is_empty() && one == Settings::default());
        assert_ne!(one, two);
    }
}
