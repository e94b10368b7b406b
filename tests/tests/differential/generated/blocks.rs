//! Queries of several blocks.

use super::chance::Chance;
use super::condition::{condition, filter};
use super::draft::Draft;
use super::query::{by_ordinals, limit};
use super::schema::{A, B, C, H, Kind, O, Table, W};
use super::scope::Scope;
use super::source::keyed;

/// `UNION`, `INTERSECT`, `EXCEPT`.
pub(super) fn set(draft: &mut Draft, chance: &mut Chance) {
    let blocks = [
        ("SELECT id, k FROM a", &A),
        ("SELECT a_id, k FROM b", &B),
        ("SELECT hid, k FROM h", &H),
        ("SELECT cid, k FROM c", &C),
        ("SELECT oid, k FROM o", &O),
        ("SELECT k, u FROM a", &A),
        ("SELECT a_id, n FROM b", &B),
    ];
    draft.rules.planned = true;
    let enclosed = chance.one_in(4);
    let same = chance.one_in(2);
    let first = *chance.of_these(&blocks);
    let parts = 2 + usize::from(chance.one_in(4));
    for at in 0..parts {
        let (text, table) = if same || at == 0 { first } else { *chance.of_these(&blocks) };
        if at > 0 {
            let words =
                [" UNION ", " UNION ALL ", " UNION ALL ", " UNION DISTINCT ", " EXCEPT ", " INTERSECT "];
            draft.say(chance.word(&words));
        }
        draft.say(if enclosed { "(" } else { "" });
        draft.say(text);
        filter(draft, chance, &Scope::table(table, None, false));
        draft.say(if enclosed { ")" } else { "" });
    }
    if chance.one_in(2) {
        by_ordinals(draft, chance, 2);
        limit(draft, chance);
    }
}

/// A derived table or a common table expression.
pub(super) fn derived(draft: &mut Draft, chance: &mut Chance) {
    draft.rules.planned = true;
    let mut inner = Draft::default();
    let grouped = chance.one_in(5);
    let columns = if grouped {
        inner.say("SELECT k AS id, COUNT(*) AS k FROM a");
        filter(&mut inner, chance, &Scope::table(&A, None, false));
        inner.say(" GROUP BY k");
        let column = |name, kind| super::schema::Column { name, kind };
        vec![column("id", Kind::Int), column("k", Kind::Int)]
    } else {
        keyed(&mut inner, chance)
    };
    if chance.one_in(6) && !grouped {
        inner.say(&format!(" ORDER BY {} LIMIT 20", columns[0].name));
    }
    let with = chance.one_in(2);
    let scope = Scope::columns("dt", &columns, &[columns[0].name], true);
    if with {
        draft.say(&format!("WITH dt AS ({}) SELECT ", inner.text));
        draft.arguments.append(&mut inner.arguments);
    } else {
        draft.say("SELECT ");
    }
    let shape = chance.below(3);
    draft.say(match shape {
        0 => "*",
        1 => "COUNT(*)",
        _ => "dt.*, 1 AS one",
    });
    if with {
        draft.say(" FROM dt");
    } else {
        draft.say(&format!(" FROM ({}) {}dt", inner.text, chance.word(&["", "AS "])));
        draft.arguments.append(&mut inner.arguments);
    }
    if chance.one_in(2) {
        draft.say(" WHERE ");
        condition(draft, chance, &scope, 1);
    }
    if shape != 1 && chance.one_in(2) {
        draft.say(&format!(" ORDER BY {}{}", scope.key[0], chance.word(&["", " DESC"])));
        draft.rules.ordered = true;
        limit(draft, chance);
    }
}

/// `IN`, `EXISTS` and scalar subqueries.
pub(super) fn nested(draft: &mut Draft, chance: &mut Chance) {
    draft.rules.planned = true;
    let outers: [&Table; 6] = [&A, &A, &B, &H, &C, &O];
    let outer = *chance.of_these(&outers);
    let number =
        outer.columns.iter().find(|column| column.kind == Kind::Int).map_or("1", |column| column.name);
    let key = outer.key[0];
    let all: Vec<_> = outer.key.iter().map(|key| format!("{}.{key}", outer.name)).collect();
    let inners: [(&str, &Table); 8] = [
        ("SELECT a_id FROM b", &B),
        ("SELECT id FROM a", &A),
        ("SELECT cid FROM c", &C),
        ("SELECT oid FROM o", &O),
        ("SELECT hid FROM h", &H),
        ("SELECT k FROM w", &W),
        ("SELECT k FROM b", &B),
        ("SELECT k FROM c", &C),
    ];
    let (inner, table) = *chance.of_these(&inners);
    let column = inner.split(' ').nth(1).unwrap_or_default();
    draft.say(&format!("SELECT {}, {}.{number}", all.join(", "), outer.name));
    let scalar = chance.one_in(4);
    let mut sub = Draft::default();
    if scalar {
        let function = chance.word(&["MAX", "COUNT", "MIN", "SUM"]);
        sub.say(&format!(", (SELECT {function}({column}) FROM {} q", table.name));
        if chance.one_in(2) {
            sub.say(&format!(" WHERE q.{column} = {}.{key}", outer.name));
        }
        sub.say(")");
    }
    draft.say(&format!("{} FROM {}", sub.text, outer.name));
    if !scalar || chance.one_in(3) {
        let not = chance.word(&["", "", "NOT "]);
        match chance.below(4) {
            0 | 1 => {
                let named = chance.word(&[key, key, number]);
                draft.say(&format!(" WHERE {}.{named} {not}IN ({inner}", outer.name));
                filter(draft, chance, &Scope::table(table, None, false));
                draft.say(")");
            }
            2 => {
                draft.say(&format!(
                    " WHERE {not}EXISTS (SELECT 1 FROM {} q WHERE q.{column} = {}.{key}",
                    table.name, outer.name
                ));
                draft.say(")");
            }
            _ => {
                let sign = chance.word(&["> ALL", "= ANY", "< ANY", "<> ALL"]);
                draft.say(&format!(" WHERE {}.{number} {sign} ({inner}", outer.name));
                filter(draft, chance, &Scope::table(table, None, false));
                draft.say(")");
            }
        }
        if chance.one_in(2) {
            draft.say(" AND ");
            condition(draft, chance, &Scope::table(outer, None, true), 1);
        }
    }
    if chance.one_in(2) {
        draft.say(&format!(" ORDER BY {}", all.join(", ")));
        draft.rules.ordered = true;
        limit(draft, chance);
    }
}
