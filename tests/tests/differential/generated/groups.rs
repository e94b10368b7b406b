//! Queries that put rows together: aggregates, groups, windows.

use weir_tests::Argument;

use super::chance::Chance;
use super::draft::Draft;
use super::query::limit;
use super::schema::Kind;
use super::scope::{Scope, is_plain, number, sort_key};
use super::source::{filtered, from};

/// An aggregate function whose value is decided; tells whether groups can be sorted by it.
fn aggregate(draft: &mut Draft, chance: &mut Chance, scope: &Scope) -> bool {
    let kind = chance.below(26);
    aggregate_of(kind, draft, chance, scope);
    // The last digits of a deviation and the order in an array are not decided.
    !matches!(kind, 15 | 16)
}

fn aggregate_of(kind: u64, draft: &mut Draft, chance: &mut Chance, scope: &Scope) {
    let column = |chance: &mut Chance, fits: fn(Kind) -> bool| {
        scope.some(chance, fits).map_or_else(|| "1".into(), |name| name.text)
    };
    match kind {
        0..=2 => draft.say("COUNT(*)"),
        3 => draft.say(&format!("COUNT({})", scope.any(chance).text)),
        4..=6 => {
            draft.say(chance.word(&["SUM(", "SUM(", "AVG("]));
            draft.say(&column(chance, Kind::is_number));
            draft.say(")");
            draft.rules.approximate = true;
        }
        7 => draft.say(&format!(
            "SUM({})",
            column(chance, |kind| matches!(kind, Kind::Wide | Kind::Big | Kind::UnsignedBig))
        )),
        8 | 9 => {
            draft.say(chance.word(&["MIN(", "MAX("]));
            draft.say(&column(chance, is_plain));
            draft.say(")");
            draft.rules.spelled = true;
        }
        10 => {
            draft.say(chance.word(&["SUM(", "MIN(", "MAX(", "AVG("]));
            draft.say(&format!("{} + {})", column(chance, Kind::is_number), chance.below(4)));
            draft.rules.approximate = true;
        }
        11 => draft.say(&format!("COUNT(DISTINCT {})", column(chance, is_plain))),
        12 => draft.say(&format!(
            "{}(DISTINCT {})",
            chance.word(&["SUM", "AVG"]),
            column(chance, Kind::is_integer)
        )),
        13 => draft.say(&format!(
            "{}({})",
            chance.word(&["BIT_AND", "BIT_OR", "BIT_XOR"]),
            column(chance, Kind::is_integer)
        )),
        14 => {
            let text = column(chance, |kind| kind.is_text() || kind.is_integer());
            let separator = chance.word(&["", " SEPARATOR '|'"]);
            draft.say(&format!("GROUP_CONCAT({text} ORDER BY {}{separator})", scope.key.join(", ")));
        }
        15 => {
            let function = chance.word(&["STDDEV", "STD", "STDDEV_SAMP", "VAR_POP", "VARIANCE", "VAR_SAMP"]);
            draft.say(&format!("{function}({})", column(chance, Kind::is_integer)));
            draft.rules.approximate = true;
        }
        16 => {
            draft.say(&format!("JSON_ARRAYAGG({})", column(chance, Kind::is_integer)));
            draft.rules.shuffled = true;
        }
        17 => draft.say(&format!(
            "COUNT(DISTINCT {}, {})",
            column(chance, is_plain),
            column(chance, Kind::is_integer)
        )),
        18 => {
            draft.say(&format!("COALESCE(SUM({}), 0)", column(chance, Kind::is_number)));
            draft.rules.approximate = true;
        }
        19 => draft.say(&format!("MAX({0}) - MIN({0})", column(chance, Kind::is_number))),
        21 => {
            draft.say(&format!("ROUND(AVG({}), 2) + COUNT(*)", column(chance, Kind::is_integer)));
        }
        // Of rows with the same key the last one counts, whichever that is.
        22 if scope.key.len() == 1 => {
            draft.say(&format!("JSON_OBJECTAGG({}, {})", scope.key[0], column(chance, Kind::is_integer)))
        }
        23 => draft.say(&format!("IF(COUNT(*) > 2, MAX({}), 'few')", column(chance, Kind::is_integer))),
        24 => draft
            .say(&format!("GROUP_CONCAT(DISTINCT {0} ORDER BY {0} DESC)", column(chance, Kind::is_integer))),
        20 => {
            draft.say(&format!("SUM({}) / COUNT(*)", column(chance, Kind::is_number)));
            draft.rules.approximate = true;
        }
        _ => draft.say(&format!("SUM({} IS NULL)", scope.any(chance).text)),
    }
}

/// Aggregates without groups.
pub(super) fn total(draft: &mut Draft, chance: &mut Chance) {
    let mut tail = Draft::default();
    let source = from(&mut tail, chance);
    filtered(&mut tail, chance, &source);
    draft.say("SELECT ");
    for at in 0..=chance.below(4) as usize {
        draft.comma(at);
        aggregate(draft, chance, &source.scope);
    }
    draft.append(tail);
    if chance.one_in(12) {
        draft.say(chance.word(&[
            " LIMIT 1",
            " ORDER BY 1",
            " HAVING COUNT(*) > 3",
            " LIMIT 0",
            " HAVING COUNT(*) = 0",
        ]));
    }
}

/// Aggregates of groups.
pub(super) fn grouped(draft: &mut Draft, chance: &mut Chance) {
    let mut tail = Draft::default();
    let source = from(&mut tail, chance);
    filtered(&mut tail, chance, &source);
    let scope = &source.scope;
    let keys: Vec<String> = (0..=chance.below(2))
        .map(|_| {
            let mut key = Draft { literal: true, ..Draft::default() };
            sort_key(&mut key, chance, scope);
            key.text
        })
        .filter(|key| key.contains(|letter: char| letter.is_ascii_lowercase()))
        .collect();
    let keys = if keys.is_empty() { vec![scope.key[0].clone()] } else { keys };
    draft.rules.spelled = true;
    // MySQL warns of its own zero dates when the least date of a group is sought in a temporary table.
    draft.rules.unwarned = true;
    draft.rules.planned = true;
    // Each group is one row already, unless its key is not shown.
    draft.say(chance.word(&[
        "SELECT ",
        "SELECT ",
        "SELECT ",
        "SELECT ",
        "SELECT SQL_SMALL_RESULT ",
        "SELECT DISTINCT ",
    ]));
    let shown = !chance.one_in(5) || draft.text.contains("DISTINCT");
    for (at, key) in keys.iter().enumerate().filter(|_| shown) {
        draft.comma(at);
        draft.say(&format!("{key} AS g{at}"));
    }
    let first = if shown { keys.len() } else { 0 };
    let count = first + chance.below(4) as usize + usize::from(first == 0);
    let mut sortable = Vec::new();
    for at in first..count {
        draft.comma(at);
        if aggregate(draft, chance, scope) {
            sortable.push(format!("v{at}"));
        }
        draft.say(&format!(" AS v{at}"));
    }
    draft.append(tail);
    draft.say(" GROUP BY ");
    let named = shown && chance.one_in(4);
    for (at, key) in keys.iter().enumerate() {
        draft.comma(at);
        if named {
            draft.say(&if chance.one_in(2) { format!("g{at}") } else { (at + 1).to_string() });
        } else {
            draft.say(key);
        }
    }
    let rollup = chance.one_in(10);
    draft.say(if rollup { " WITH ROLLUP" } else { "" });
    having(draft, chance, scope, &keys);
    if rollup && !named && chance.one_in(2) {
        let order: Vec<_> = keys.iter().map(|key| format!("GROUPING({key}), {key}")).collect();
        draft.say(&format!(" ORDER BY {}", order.join(", ")));
        draft.rules.ordered = true;
        return limit(draft, chance);
    }
    if rollup || chance.one_in(3) {
        return;
    }
    ordered_groups(draft, chance, scope, &keys, &sortable);
}

fn having(draft: &mut Draft, chance: &mut Chance, scope: &Scope, keys: &[String]) {
    if !chance.one_in(4) {
        return;
    }
    draft.say(" HAVING ");
    match chance.below(6) {
        4 if draft.text.contains(" AS v") => {
            let at = draft.text.find(" AS v").unwrap_or_default();
            let alias = draft.text[at + 4..].split([',', ' ']).next().unwrap_or_default().to_owned();
            draft.say(&format!("{alias} IS NOT NULL AND {alias} <> 3"));
        }
        5 => {
            let column = scope.some(chance, Kind::is_integer).map_or_else(|| "1".into(), |name| name.text);
            draft.say(&format!("COUNT(DISTINCT {column}) >= 2 XOR SUM({column}) / COUNT(*) > 8"));
        }
        0 => draft.say(&format!("COUNT(*) > {}", chance.below(5))),
        1 => draft.say(&format!("{} IS NOT NULL", keys[0])),
        2 => {
            let column = scope.some(chance, Kind::is_integer).map_or_else(|| "1".into(), |name| name.text);
            draft.say(&format!("SUM({column}) > "));
            let value = Argument::Int(chance.within(0, 60));
            draft.value(chance, value);
            draft.say(&format!(" OR MAX({column}) < 9"));
        }
        _ => {
            draft.say(&format!("COUNT(*) BETWEEN {} AND 7 AND MIN({}) IS NOT NULL", chance.below(3), keys[0]))
        }
    }
}

fn ordered_groups(
    draft: &mut Draft,
    chance: &mut Chance,
    scope: &Scope,
    keys: &[String],
    sortable: &[String],
) {
    draft.say(" ORDER BY ");
    let mut parts = 0;
    match chance.below(4) {
        0 if !sortable.is_empty() => {
            draft.say(&format!("{}{}", chance.of_these(sortable), chance.word(&["", " DESC"])));
            parts = 1;
        }
        1 => {
            draft.say(chance.word(&["COUNT(*)", "COUNT(*) DESC"]));
            parts = 1;
        }
        2 => {
            let column = scope.some(chance, Kind::is_integer).map_or_else(|| "1".into(), |name| name.text);
            draft.say(&format!("MAX({column}){}", chance.word(&["", " DESC"])));
            parts = 1;
        }
        _ => {}
    }
    for key in keys {
        draft.comma(parts);
        parts += 1;
        draft.say(&format!("{key}{}", chance.word(&["", "", " DESC"])));
    }
    draft.rules.ordered = true;
    limit(draft, chance);
}

/// Functions over windows whose rows are in a decided order.
pub(super) fn window(draft: &mut Draft, chance: &mut Chance) {
    let mut tail = Draft::default();
    let source = from(&mut tail, chance);
    filtered(&mut tail, chance, &source);
    let scope = &source.scope;
    let key = scope.key.join(", ");
    draft.say(&format!("SELECT {key}"));
    draft.rules.planned = true;
    for _ in 0..=chance.below(2) {
        let column = scope.some(chance, Kind::is_integer).map_or_else(|| "1".into(), |name| name.text);
        let function = match chance.below(9) {
            0 => "ROW_NUMBER()".to_owned(),
            1 => format!("LAG({column})"),
            2 => format!("LEAD({column}, 2, -1)"),
            3 => format!("SUM({column})"),
            4 => format!("FIRST_VALUE({column})"),
            5 => "NTILE(4)".to_owned(),
            6 => "COUNT(*)".to_owned(),
            7 => format!("MAX({column})"),
            _ => chance.word(&["RANK()", "DENSE_RANK()", "PERCENT_RANK()", "CUME_DIST()"]).to_owned(),
        };
        draft.rules.unwarned = true;
        let over = over(chance, scope, &key);
        draft.say(&format!(", {function} OVER {over}"));
    }
    draft.append(tail);
    if chance.one_in(2) {
        draft.say(&format!(" ORDER BY {key}"));
        draft.rules.ordered = true;
        limit(draft, chance);
    }
}

/// A window whose rows are in a decided order.
fn over(chance: &mut Chance, scope: &Scope, key: &str) -> String {
    let mut part = Draft { literal: true, ..Draft::default() };
    part.say("(");
    if chance.one_in(2) {
        part.say("PARTITION BY ");
        sort_key(&mut part, chance, scope);
        part.say(" ");
    }
    part.say("ORDER BY ");
    if chance.one_in(2) {
        number(&mut part, chance, scope, 0);
        part.say(chance.word(&[", ", " DESC, "]));
    }
    part.say(key);
    part.say(chance.word(&[
        "",
        "",
        "",
        " ROWS BETWEEN 2 PRECEDING AND CURRENT ROW",
        " ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING",
        " ROWS 3 PRECEDING",
    ]));
    part.say(")");
    part.text
}

/// Windows over groups.
pub(super) fn window_of_groups(draft: &mut Draft, chance: &mut Chance) {
    let mut tail = Draft::default();
    let source = from(&mut tail, chance);
    filtered(&mut tail, chance, &source);
    let scope = &source.scope;
    let name = |chance: &mut Chance| {
        scope.some(chance, Kind::is_integer).map_or_else(|| "1".into(), |name| name.text)
    };
    let (key, column) = (name(chance), name(chance));
    draft.rules.planned = true;
    let function = match chance.below(4) {
        0 => "SUM(COUNT(*)) OVER ()".to_owned(),
        1 => format!("RANK() OVER (ORDER BY SUM({column}) DESC)"),
        2 => format!("COUNT(*) - LAG(COUNT(*)) OVER (ORDER BY {key})"),
        _ => format!("MAX(MAX({column})) OVER (ORDER BY {key})"),
    };
    draft.say(&format!("SELECT {key}, COUNT(*), {function} AS w{} GROUP BY {key}", tail.text));
    draft.take(tail);
    if chance.one_in(2) {
        draft.say(&format!(" ORDER BY {}{key}", chance.word(&["", "w, ", "w DESC, "])));
        draft.rules.ordered = true;
        limit(draft, chance);
    }
}
