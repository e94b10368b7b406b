//! What comments of a statement say to the proxy.
//!
//! Read are plain comments `/* … */`, wherever they stand; not `-- …`, `# …`, nor `/*! … */` and `/*+ … */`, which
//! speak to the server. Two forms count: `/* SHARDINGSPHERE_HINT: KEY=value, t.KEY=value */`, and pairs
//! `/* key:value, key:value */` that rules may ask for by [`Hints::matches_all`].

use crate::lexer::Token;
use serde::Serialize;
use std::borrow::Cow;

/// Words that introduce pairs of `key=value`, in any letter case.
const INTRODUCERS: [&str; 2] = ["SHARDINGSPHERE_HINT:", "SHARDINGSPHERE HINT:"];

/// Stands around what tracing tools put into a comment.
const TRACE: &str = "@TRACE_CONTEXT@";

/// Other spellings of keys.
const ALIASES: [(&str, &str); 6] = [
    ("DATASOURCENAME", "DATA_SOURCE_NAME"),
    ("DISABLEAUDITNAMES", "DISABLE_AUDIT_NAMES"),
    ("SHARDINGDATABASEVALUE", "SHARDING_DATABASE_VALUE"),
    ("SHARDINGTABLEVALUE", "SHARDING_TABLE_VALUE"),
    ("SKIPSQLREWRITE", "SKIP_SQL_REWRITE"),
    ("WRITEROUTEONLY", "WRITE_ROUTE_ONLY"),
];

/// The hints of one statement.
#[derive(Clone, Debug, Default, Eq, PartialEq, Serialize)]
pub struct Hints {
    /// Pairs of `key=value`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pairs: Vec<Pair>,
    /// For each other comment that holds some, its pairs of `key:value`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    comments: Vec<Vec<(String, String)>>,
}

#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
struct Pair {
    /// `t_order` of `t_order.SHARDING_TABLE_VALUE`.
    #[serde(skip_serializing_if = "Option::is_none")]
    table: Option<String>,
    /// In upper case and without alias.
    key: String,
    value: String,
}

impl Hints {
    /// The hints in comments of `text`.
    pub(crate) fn of(text: &str, comments: &[Token]) -> Self {
        let mut hints = Self::default();
        for comment in comments {
            if let Some(content) = content(comment.text(text)) {
                hints.read(&content);
            }
        }
        hints
    }

    fn read(&mut self, content: &str) {
        let upper = content.to_ascii_uppercase();
        let introduced = INTRODUCERS.iter().filter_map(|word| Some(upper.find(word)? + word.len())).min();
        match introduced.and_then(|start| content.get(start..)) {
            Some(pairs) => self.pairs.extend(pairs.split(',').filter_map(Pair::read)),
            None => {
                let pairs: Vec<_> = content.split(',').filter_map(pair).collect();
                if !pairs.is_empty() {
                    self.comments.push(pairs);
                }
            }
        }
    }

    /// Whether no comment says anything.
    pub fn is_empty(&self) -> bool {
        self.pairs.is_empty() && self.comments.is_empty()
    }

    /// `WRITE_ROUTE_ONLY=true`: to the primary.
    pub fn write_route_only(&self) -> bool {
        self.truth("WRITE_ROUTE_ONLY")
    }

    /// `DATA_SOURCE_NAME=x`: the storage unit or group that the statement goes to.
    pub fn data_source_name(&self) -> Option<&str> {
        self.value("DATA_SOURCE_NAME")
    }

    /// `SKIP_SQL_REWRITE=true`: the text is sent as it is.
    pub fn skip_rewrite(&self) -> bool {
        self.truth("SKIP_SQL_REWRITE")
    }

    /// `SKIP_ENCRYPT_REWRITE=true`, or the text is sent as it is anyway.
    pub fn skip_encrypt(&self) -> bool {
        self.truth("SKIP_ENCRYPT_REWRITE") || self.skip_rewrite()
    }

    /// `SHADOW=true`.
    pub fn shadow(&self) -> bool {
        self.truth("SHADOW")
    }

    /// Names in `DISABLE_AUDIT_NAMES=a b`.
    pub fn disabled_audits(&self) -> impl Iterator<Item = &str> {
        self.value("DISABLE_AUDIT_NAMES").unwrap_or_default().split_whitespace()
    }

    /// Values of `t.SHARDING_DATABASE_VALUE`; of `SHARDING_DATABASE_VALUE` when there is none for the table.
    pub fn sharding_database_values(&self, table: &str) -> Vec<&str> {
        self.values(table, "SHARDING_DATABASE_VALUE")
    }

    /// Values of `t.SHARDING_TABLE_VALUE`; of `SHARDING_TABLE_VALUE` when there is none for the table.
    pub fn sharding_table_values(&self, table: &str) -> Vec<&str> {
        self.values(table, "SHARDING_TABLE_VALUE")
    }

    /// Whether one comment of the form `/* key:value, … */` holds all of these pairs, letter for letter; never when
    /// there are none to hold.
    pub fn matches_all<K: AsRef<str>, V: AsRef<str>>(&self, wanted: &[(K, V)]) -> bool {
        let holds = |pairs: &[(String, String)], (key, value): &(K, V)| {
            pairs.iter().any(|(have, is)| have == key.as_ref() && is == value.as_ref())
        };
        !wanted.is_empty() && self.comments.iter().any(|pairs| wanted.iter().all(|pair| holds(pairs, pair)))
    }

    /// The value of a key without a table; the last one counts.
    fn value(&self, key: &str) -> Option<&str> {
        let of_all = |pair: &&Pair| pair.table.is_none() && pair.key == key;
        self.pairs.iter().rev().find(of_all).map(|pair| pair.value.as_str())
    }

    fn truth(&self, key: &str) -> bool {
        self.value(key).is_some_and(|value| value.eq_ignore_ascii_case("true"))
    }

    fn values(&self, table: &str, key: &str) -> Vec<&str> {
        let of = |wanted: Option<&str>| -> Vec<&str> {
            let fits = |pair: &&Pair| {
                pair.key == key
                    && match (&pair.table, wanted) {
                        (Some(table), Some(wanted)) => table.eq_ignore_ascii_case(wanted),
                        (None, None) => true,
                        _ => false,
                    }
            };
            self.pairs.iter().filter(fits).map(|pair| pair.value.as_str()).collect()
        };
        let own = of(Some(table));
        if own.is_empty() { of(None) } else { own }
    }
}

impl Pair {
    /// `key=value` or `t.key=value`, with exactly one `=`.
    fn read(text: &str) -> Option<Self> {
        let (key, value) = text.split_once('=').filter(|(_, value)| !value.contains('='))?;
        let (table, key) = match key.trim().rsplit_once('.') {
            Some((table, key)) => (Some(table.trim().to_owned()), key.trim()),
            None => (None, key.trim()),
        };
        let key = key.to_ascii_uppercase();
        let known = ALIASES.iter().find(|(alias, _)| *alias == key);
        let key = known.map_or(key, |(_, known)| (*known).to_owned());
        Some(Self { table, key, value: value.trim().to_owned() })
    }
}

/// `key:value`, with exactly one `:`.
fn pair(text: &str) -> Option<(String, String)> {
    let (key, value) = text.split_once(':').filter(|(_, value)| !value.contains(':'))?;
    Some((key.trim().to_owned(), value.trim().to_owned()))
}

/// What a comment says, if it may be a hint: what stands between `/*` and `*/` without the part for tracing tools, if
/// there is a `:` in it. Every other comment may differ between texts that share an analysis.
pub(crate) fn content(comment: &str) -> Option<Cow<'_, str>> {
    let inner = comment.strip_prefix("/*").filter(|inner| !inner.starts_with('!'))?;
    let inner = inner.strip_suffix("*/")?;
    memchr::memchr(b':', inner.as_bytes())?;
    let traced = inner.split_once(TRACE).and_then(|(before, rest)| Some((before, rest.split_once(TRACE)?.1)));
    let kept = match traced {
        Some((before, after)) => Cow::Owned([before, after].concat().trim().to_owned()),
        None => Cow::Borrowed(inner.trim()),
    };
    kept.contains(':').then_some(kept)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Fingerprinter, Mode};

    fn hints(text: &str) -> Hints {
        let fingerprint = Fingerprinter::fixed().fingerprint(text, Mode::default()).unwrap();
        crate::analyse(text, &fingerprint, Mode::default()).unwrap().hints
    }

    #[test]
    fn keys_of_hint_comments_are_read_in_any_letter_case_and_spelling() {
        for text in [
            "/* SHARDINGSPHERE_HINT: WRITE_ROUTE_ONLY=true, DATA_SOURCE_NAME=ds_0, SHADOW=TRUE */ SELECT 1",
            "SELECT /*shardingsphere_hint:write_route_only = True,dataSourceName=ds_0,shadow=true*/ 1",
            "SELECT 1 /* ShardingSphere hint: writeRouteOnly=true */ /* ShardingSphere hint: shadow=true, \
             dataSourceName=ds_0 */",
            "SELECT 1/* by x; SHARDINGSPHERE_HINT:WRITE_ROUTE_ONLY=true,DATA_SOURCE_NAME=ds_0,SHADOW=true*/;",
        ] {
            let hints = hints(text);
            assert!(hints.write_route_only() && hints.shadow(), "{text}");
            assert_eq!(hints.data_source_name(), Some("ds_0"), "{text}");
            assert!(!hints.skip_rewrite() && !hints.skip_encrypt(), "{text}");
        }
        assert!(hints("/* SHARDINGSPHERE_HINT: skipSQLRewrite=true */ DO 1").skip_encrypt());
        assert!(hints("/* SHARDINGSPHERE_HINT: SKIP_ENCRYPT_REWRITE=true */ DO 1").skip_encrypt());
        assert!(!hints("/* SHARDINGSPHERE_HINT: SKIP_ENCRYPT_REWRITE=true */ DO 1").skip_rewrite());
    }

    #[test]
    fn values_for_a_table_go_before_values_for_all() {
        let hints = hints(
            "/* SHARDINGSPHERE_HINT: t_order.SHARDING_DATABASE_VALUE=1, SHARDING_TABLE_VALUE=2, \
             T_ORDER.sharding_table_value=3, t_order.SHARDING_TABLE_VALUE=4, DISABLE_AUDIT_NAMES=a  b */ SELECT 1",
        );
        assert_eq!(hints.sharding_database_values("T_order"), ["1"]);
        assert!(hints.sharding_database_values("t_user").is_empty());
        assert_eq!(hints.sharding_table_values("t_order"), ["3", "4"]);
        assert_eq!(hints.sharding_table_values("t_user"), ["2"]);
        assert_eq!(hints.disabled_audits().collect::<Vec<_>>(), ["a", "b"]);
    }

    #[test]
    fn one_comment_must_hold_all_pairs_letter_for_letter() {
        let shadow = [("shadow", "true")];
        let both = [("shadow", "true"), ("foo", "bar")];
        for (text, one, all) in [
            ("/*shadow:true*/ SELECT 1", true, false),
            ("SELECT 1 /* shadow:true, foo:bar */", true, true),
            ("SELECT 1/* foo : bar ,shadow: true*/ FROM t", true, true),
            ("SELECT 1 /*shadow:true*/ /*foo:bar*/", true, false),
            ("/* @TRACE_CONTEXT@a:b,c@TRACE_CONTEXT@ shadow:true */ SELECT 1", true, false),
            ("/*shadow:true:x*/ SELECT 1", false, false),
            ("/*Shadow:true*/ SELECT 1", false, false),
            ("SELECT '/*shadow:true*/'", false, false),
            ("-- shadow:true\nSELECT 1", false, false),
            ("# shadow:true\nSELECT 1", false, false),
            ("SELECT /*+ shadow:true */ 1", false, false),
            ("SELECT 1 /*!99999 shadow:true */", false, false),
            ("/* SHARDINGSPHERE_HINT: shadow:true */ SELECT 1", false, false),
        ] {
            let hints = hints(text);
            assert_eq!((hints.matches_all(&shadow), hints.matches_all(&both)), (one, all), "{text}");
            assert!(!hints.matches_all::<&str, &str>(&[]), "{text}");
        }
    }
}
