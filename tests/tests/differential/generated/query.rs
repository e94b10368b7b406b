//! Queries of one block: rows in order, each row once, parts of rows put together.

use weir_tests::Argument;

use super::chance::Chance;
use super::draft::Draft;
use super::scope::{Scope, item, sort_key};
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
            draft.rules.unwarned |= key.rules.unwarned;
            key.text
        })
        .collect();
    draft.rules.planned = true;
    draft.rules.spelled = true;
    // The order of JSON values that are no scalars is not decided.
    draft.rules.sorted_by = if draft.rules.unwarned { 0 } else { keys.len() };
    draft.say(&format!("SELECT {}, {}", keys.join(", "), source.scope.key.join(", ")));
    draft.append(tail);
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
    let modifiers = [
        "",
        "",
        "",
        "",
        "",
        "ALL ",
        "SQL_SMALL_RESULT ",
        "SQL_BIG_RESULT ",
        "HIGH_PRIORITY ",
        "STRAIGHT_JOIN ",
        "/*+ MAX_EXECUTION_TIME(60000) */ ",
    ];
    draft.say(&format!("SELECT {}", chance.word(&modifiers)));
    // The items need the tables, which come after them.
    let mut tail = Draft::default();
    let source = from(&mut tail, chance);
    filtered(&mut tail, chance, &source);
    let scope = &source.scope;
    let aliases = selected(draft, chance, scope);
    draft.rules.planned = scope.aliases.len() > 1;
    draft.append(tail);
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
    draft.say(chance.word(&["SELECT DISTINCT ", "SELECT DISTINCT ", "SELECT DISTINCTROW "]));
    let mut tail = Draft::default();
    let source = from(&mut tail, chance);
    filtered(&mut tail, chance, &source);
    let all = chance.one_in(12);
    let count = if all { source.scope.columns.len() } else { 1 + chance.below(3) as usize };
    for at in 0..count {
        if all {
            draft.say(if at == 0 { "*" } else { "" });
            continue;
        }
        draft.comma(at);
        sort_key(draft, chance, &source.scope);
    }
    draft.rules.spelled = true;
    draft.rules.planned = true;
    draft.append(tail);
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
