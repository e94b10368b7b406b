//! What names a statement can use, and expressions over them.

use super::chance::Chance;
use super::draft::Draft;
use super::schema::{Column, Kind, Table};

/// A column as a statement names it.
#[derive(Debug, Clone)]
pub(super) struct Name {
    pub(super) text: String,
    pub(super) kind: Kind,
}

/// The tables of one `FROM`.
#[derive(Debug, Clone, Default)]
pub(super) struct Scope {
    /// Everything that can be named.
    pub(super) columns: Vec<Name>,
    /// What tells any two rows apart, named.
    pub(super) key: Vec<String>,
    /// What `*` can be prefixed with.
    pub(super) aliases: Vec<String>,
}

impl Scope {
    /// One table, under its own name or another.
    pub(super) fn table(table: &Table, alias: Option<&str>, qualified: bool) -> Self {
        let owner = alias.unwrap_or(table.name);
        Self::columns(owner, table.columns, table.key, qualified)
    }

    /// The columns of anything that is called `owner`.
    pub(super) fn columns(owner: &str, columns: &[Column], key: &[&str], qualified: bool) -> Self {
        let name = |column: &str| if qualified { format!("{owner}.{column}") } else { column.to_owned() };
        Self {
            columns: columns
                .iter()
                .map(|column| Name { text: name(column.name), kind: column.kind })
                .collect(),
            key: key.iter().map(|column| name(column)).collect(),
            aliases: vec![owner.to_owned()],
        }
    }

    /// With the columns of another table beside.
    pub(super) fn and(mut self, other: Self) -> Self {
        self.columns.extend(other.columns);
        self.key.extend(other.key);
        self.aliases.extend(other.aliases);
        self
    }

    /// Some column that will do.
    pub(super) fn some(&self, chance: &mut Chance, fits: impl Fn(Kind) -> bool) -> Option<Name> {
        let fitting: Vec<_> = self.columns.iter().filter(|name| fits(name.kind)).collect();
        (!fitting.is_empty()).then(|| (*chance.of_these(&fitting)).clone())
    }

    /// Any column.
    pub(super) fn any(&self, chance: &mut Chance) -> Name {
        chance.of_these(&self.columns).clone()
    }
}

/// A value of a kind that two statements sort, group and compare alike.
pub(super) const fn is_plain(kind: Kind) -> bool {
    !matches!(kind, Kind::Bit | Kind::Float | Kind::Json | Kind::Sealed)
}

/// A small exact number.
pub(super) fn number(draft: &mut Draft, chance: &mut Chance, scope: &Scope, depth: u32) {
    let Some(column) = scope.some(chance, Kind::is_number) else { return draft.say("1") };
    if depth == 0 {
        return draft.say(&column.text);
    }
    let name = column.text.clone();
    match chance.below(20) {
        0..=4 => draft.say(&name),
        5 => draft.say(&format!("{name} + {}", chance.below(9))),
        6 => draft.say(&format!("{name} * {}", chance.below(4))),
        7 => draft.say(&format!("-{name}")),
        8 => draft.say(&format!("ABS({name})")),
        9 => draft.say(&format!("{name} % {}", 2 + chance.below(5))),
        10 => draft.say(&format!("{name} {} {}", chance.word(&["/", "DIV", "/"]), 1 + chance.below(4))),
        11 => draft.say(&format!("{}({name})", chance.word(&["ROUND", "FLOOR", "CEILING", "SIGN"]))),
        12 => draft.say(&format!("IFNULL({name}, {})", chance.below(5))),
        13 => {
            draft.say(&format!("IF({name} > "));
            draft.given(chance, column.kind);
            draft.say(", 1, 0)");
        }
        14 => {
            draft.say(&format!("CASE WHEN {name} < 5 THEN 'low' WHEN {name} < 15 THEN 'mid' ELSE 'high' END"))
        }
        15 => {
            let text = scope.some(chance, Kind::is_text).map_or(name, |text| text.text);
            draft.say(&format!("{}({text})", chance.word(&["LENGTH", "CHAR_LENGTH", "ASCII"])));
        }
        16 => {
            let moment =
                scope.some(chance, Kind::is_moment).map_or_else(|| "'2024-05-06'".into(), |name| name.text);
            draft.say(&format!("{}({moment})", chance.word(&["YEAR", "MONTH", "DAYOFWEEK", "QUARTER"])));
        }
        17 => draft.say(&format!("CAST({name} AS {})", chance.word(&["SIGNED", "DECIMAL(20,4)", "CHAR"]))),
        18 => {
            let other = scope.some(chance, Kind::is_integer).map_or_else(|| "2".into(), |name| name.text);
            draft.say(&format!(
                "{}({name}, {other})",
                chance.word(&["GREATEST", "LEAST", "COALESCE", "NULLIF"])
            ));
        }
        _ => {
            // An unsigned number beside a negative one can leave the range, in rows that one server need not look at.
            let signed = |kind: Kind| kind.is_number() && kind != Kind::Unsigned;
            let other = scope.some(chance, signed).map_or_else(|| "2".into(), |name| name.text);
            let one = scope.some(chance, signed).map_or_else(|| "3".into(), |name| name.text);
            draft.say(&format!("{one}{}{other}", chance.word(&[" + ", " * "])));
        }
    }
}

/// A text.
pub(super) fn text(draft: &mut Draft, chance: &mut Chance, scope: &Scope) {
    let Some(Name { text, .. }) = scope.some(chance, Kind::is_text) else { return draft.say("'t'") };
    match chance.below(14) {
        0..=4 => draft.say(&text),
        5 => draft.say(&format!("{}({text})", chance.word(&["UPPER", "LOWER", "REVERSE", "TRIM", "HEX"]))),
        6 => draft.say(&format!("CONCAT({text}, '!')")),
        7 => draft.say(&format!("LEFT({text}, {})", 1 + chance.below(2))),
        8 => draft.say(&format!("COALESCE({text}, 'none')")),
        9 => draft.say(&format!("IFNULL({text}, '')")),
        10 => draft.say(&format!("REPLACE({text}, 'a', 'o')")),
        11 => draft.say(&format!("CONCAT_WS('-', {text}, 'x')")),
        12 => draft.say(&format!("IF({text} = 'a', 'yes', {text})")),
        _ => draft.say(&format!("SUBSTRING({text}, 2)")),
    }
}

/// A date or a time.
pub(super) fn moment(draft: &mut Draft, chance: &mut Chance, scope: &Scope) {
    let Some(Name { text, .. }) = scope.some(chance, Kind::is_moment) else {
        return draft.say("DATE '2024-02-29'");
    };
    match chance.below(6) {
        0 | 1 => draft.say(&text),
        2 => draft.say(&format!("DATE({text})")),
        3 => draft.say(&format!("LAST_DAY({text})")),
        4 => draft.say(&format!("DATE_FORMAT({text}, '%Y-%m')")),
        _ => draft.say(&format!("DATEDIFF({text}, '2021-01-01')")),
    }
}

/// Anything that can be selected.
pub(super) fn item(draft: &mut Draft, chance: &mut Chance, scope: &Scope) {
    match chance.below(12) {
        0..=4 => {
            let column = scope.any(chance);
            draft.say(&column.text);
        }
        5 | 6 => number(draft, chance, scope, 1),
        7 | 8 => text(draft, chance, scope),
        9 => moment(draft, chance, scope),
        10 => draft.say(chance.word(&[
            "1",
            "'lit'",
            "NULL",
            "2.50",
            "1e0",
            "X'41'",
            "DATE '2024-01-01'",
            "TRUE",
        ])),
        _ => {
            let column = scope.any(chance);
            draft.say(&format!("{} IS NULL", column.text));
        }
    }
}

/// Something to sort, group or tell rows apart by, whose equal values are one value.
pub(super) fn sort_key(draft: &mut Draft, chance: &mut Chance, scope: &Scope) {
    match chance.below(8) {
        0..=4 => {
            let column = scope.some(chance, is_plain);
            draft.say(&column.map_or_else(|| "1".into(), |name| name.text));
        }
        5 => number(draft, chance, scope, 1),
        6 if chance.one_in(6) => {
            let column = scope.some(chance, |kind| matches!(kind, Kind::Bit | Kind::Float | Kind::Json));
            draft.say(&column.map_or_else(|| "1".into(), |name| name.text));
            // JSON values that are no scalars are sorted with a warning, if there are several of them at all.
            draft.rules.unwarned = true;
        }
        6 => text(draft, chance, scope),
        _ => moment(draft, chance, scope),
    }
}
