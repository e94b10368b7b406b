//! Queries of one block: rows in order, each row once, parts of rows put together.

use weir_tests::Argument;

use super::chance::Chance;
use super::draft::Draft;
use super::schema::Kind;
use super::scope::{Scope, is_plain, item, number, sort_key};
use super::source::{filtered, from};

/// ` LIMIT …`, now and then; only for rows whose order is decided by all of their key.
pub(super) fn limit(draft: &mut Draft, chance: &mut Chance) {
    if chance.one_in(2) {
        return;
    }
    draft.say(" LIMIT ");
    let count = match chance.below(24) {
        0 => Argument::UInt(u64::MAX),
        1 => Argument::Int(0),
        _ => Argument::Int(chance.within(1, 25)),
    };
    let offset =
        Argument::Int(if chance.one_in(12) { chance.within(60, 4000) } else { chance.within(0, 12) });
    match chance.below(3) {
        0 => draft.value(chance, count),
        1 => {
            draft.value(chance, offset);
            draft.say(", ");
            draft.value(chance, count);
        }
        _ => {
            draft.value(chance, count);
            draft.say(" OFFSET ");
            draft.value(chance, offset);
        }
    }
}

/// `SELECT` of rows sorted by what does not tell them all apart.
fn ties(draft: &mut Draft, chance: &mut Chance) {
    let mut tail = Draft::default();
    let source = from(&mut tail, chance);
    filtered(&mut tail, chance, &source);
    let keys: Vec<String> = (0..=chance.below(2))
        .map(|_| {
            let mut key = Draft { literal: true, ..Draft::default() };
            sort_key(&mut key, chance, &source.scope);
            key.text
        })
        .collect();
    draft.rules.planned = true;
    draft.rules.spelled = true;
    draft.rules.sorted_by = keys.len();
    draft.say(&format!("SELECT {}, {}", keys.join(", "), source.scope.key.join(", ")));
    draft.say(&tail.text);
    draft.arguments.append(&mut tail.arguments);
    draft.joins = tail.joins;
    let by_number = chance.one_in(3);
    draft.say(" ORDER BY ");
    for (at, key) in keys.iter().enumerate() {
        draft.comma(at);
        draft.say(&if by_number || key.starts_with(|letter: char| letter.is_ascii_digit()) {
            (at + 1).to_string()
        } else {
            key.clone()
        });
        draft.say(chance.word(&["", "", " DESC"]));
    }
}

/// `SELECT` of rows.
pub(super) fn select(draft: &mut Draft, chance: &mut Chance) {
    if chance.one_in(6) {
        return ties(draft, chance);
    }
    draft.say("SELECT ");
    // The items need the tables, which come after them.
    let mut tail = Draft::default();
    let source = from(&mut tail, chance);
    filtered(&mut tail, chance, &source);
    let scope = &source.scope;
    let aliases = selected(draft, chance, scope);
    draft.rules.planned = scope.aliases.len() > 1;
    draft.say(&tail.text);
    draft.arguments.append(&mut tail.arguments);
    draft.joins = tail.joins;
    if chance.one_in(3) {
        return;
    }
    let locked = |chance: &mut Chance| {
        if chance.one_in(25) { chance.word(&[" FOR UPDATE", " FOR SHARE"]) } else { "" }
    };
    draft.say(" ORDER BY ");
    let mut parts = 0;
    for _ in 0..chance.below(3) {
        draft.comma(parts);
        parts += 1;
        match chance.below(8) {
            0 if !aliases.is_empty() => draft.say(&chance.of_these(&aliases).clone()),
            1 => draft.say(&chance.word(&["(1)", "NULL", "'x'"]).replace("(1)", "'y'")),
            _ => sort_key(draft, chance, scope),
        }
        draft.say(chance.word(&["", "", " ASC", " DESC"]));
    }
    for key in &scope.key {
        draft.comma(parts);
        parts += 1;
        draft.say(key);
        draft.say(chance.word(&["", " DESC"]));
    }
    draft.rules.ordered = true;
    limit(draft, chance);
    let lock = locked(chance);
    draft.say(lock);
}

/// A select list; returns the aliases in it.
fn selected(draft: &mut Draft, chance: &mut Chance, scope: &Scope) -> Vec<String> {
    let mut aliases = Vec::new();
    match chance.below(10) {
        0 | 1 => draft.say("*"),
        2 => draft.say(&format!("{}.*", chance.of_these(&scope.aliases))),
        3 => draft.say(&format!("{}.*, {}", scope.aliases[0], scope.key[0])),
        _ => {
            for at in 0..=chance.below(5) as usize {
                draft.comma(at);
                item(draft, chance, scope);
                if chance.one_in(3) {
                    // Not the name of a column, which would change what ORDER BY means in a way of its own.
                    let alias = format!("n{at}");
                    draft.say(&format!("{}{alias}", chance.word(&[" AS ", " "])));
                    aliases.push(alias);
                }
            }
        }
    }
    aliases
}

/// `SELECT DISTINCT`.
pub(super) fn distinct(draft: &mut Draft, chance: &mut Chance) {
    draft.say("SELECT DISTINCT ");
    let mut tail = Draft::default();
    let source = from(&mut tail, chance);
    filtered(&mut tail, chance, &source);
    let count = 1 + chance.below(3) as usize;
    for at in 0..count {
        draft.comma(at);
        sort_key(draft, chance, &source.scope);
    }
    draft.rules.spelled = true;
    draft.rules.planned = true;
    draft.say(&tail.text);
    draft.arguments.append(&mut tail.arguments);
    draft.joins = tail.joins;
    if chance.one_in(2) {
        by_ordinals(draft, chance, count);
        limit(draft, chance);
    }
}

/// ` ORDER BY` all `count` items.
pub(super) fn by_ordinals(draft: &mut Draft, chance: &mut Chance, count: usize) {
    draft.say(" ORDER BY ");
    for at in 0..count {
        draft.comma(at);
        draft.say(&format!("{}{}", at + 1, chance.word(&["", "", " DESC"])));
    }
    draft.rules.ordered = true;
}

/// An aggregate function whose value is decided; tells whether groups can be sorted by it.
fn aggregate(draft: &mut Draft, chance: &mut Chance, scope: &Scope) -> bool {
    let kind = chance.below(22);
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
    draft.say(&tail.text);
    draft.arguments.append(&mut tail.arguments);
    draft.joins = tail.joins;
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
    draft.say("SELECT ");
    let shown = !chance.one_in(5);
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
    draft.say(&tail.text);
    draft.arguments.append(&mut tail.arguments);
    draft.joins = tail.joins;
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
    match chance.below(4) {
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
        let mut part = Draft { literal: true, ..Draft::default() };
        if chance.one_in(2) {
            part.say("PARTITION BY ");
            sort_key(&mut part, chance, scope);
            part.say(" ");
        }
        part.say("ORDER BY ");
        if chance.one_in(2) {
            number(&mut part, chance, scope, 0);
            part.say(", ");
        }
        draft.say(&format!(", {function} OVER ({}{key})", part.text));
    }
    draft.say(&tail.text);
    draft.arguments.append(&mut tail.arguments);
    draft.joins = tail.joins;
    if chance.one_in(2) {
        draft.say(&format!(" ORDER BY {key}"));
        draft.rules.ordered = true;
        limit(draft, chance);
    }
}
