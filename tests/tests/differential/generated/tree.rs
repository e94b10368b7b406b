//! Joins of tables and derived tables in trees, and conditions with subqueries.

use super::chance::Chance;
use super::condition::{condition, filter};
use super::draft::Draft;
use super::schema::{A, B, C, Column, H, Kind, O, Table, W};
use super::scope::{Name, Scope};
use super::source::keyed;

/// A tree of joins. All names are qualified.
pub(super) fn tree(draft: &mut Draft, chance: &mut Chance) -> Scope {
    draft.joins = true;
    let mut count = 0;
    let mut scope = factor(draft, chance, &mut count);
    for _ in 0..=chance.below(2) {
        let word =
            chance.word(&[" JOIN ", " JOIN ", " INNER JOIN ", " LEFT JOIN ", " LEFT JOIN ", " RIGHT JOIN "]);
        draft.say(word);
        let right = if chance.one_in(5) {
            draft.say("(");
            let inner = factor(draft, chance, &mut count);
            draft.say(chance.word(&[" JOIN ", " LEFT JOIN "]));
            let other = factor(draft, chance, &mut count);
            on(draft, chance, &inner, &other);
            draft.say(")");
            inner.and(other)
        } else {
            factor(draft, chance, &mut count)
        };
        on(draft, chance, &scope, &right);
        scope = scope.and(right);
    }
    scope
}

/// A table or a derived table, named `f1`, `f2` …
fn factor(draft: &mut Draft, chance: &mut Chance, count: &mut usize) -> Scope {
    *count += 1;
    let alias = format!("f{count}");
    let column = |name, kind| Column { name, kind };
    if !chance.one_in(3) {
        let table = chance.one_of(&[&A, &A, &B, &B, &C, &H, &O, &W]);
        draft.say(&format!("{} {alias}", table.name));
        return Scope::table(table, Some(&alias), true);
    }
    draft.rules.derived = true;
    draft.say("(");
    let columns = match chance.below(6) {
        0 => {
            draft.say("SELECT a_id, COUNT(*) AS m, MAX(k) AS k FROM b");
            filter(draft, chance, &Scope::table(&B, None, false));
            draft.say(" GROUP BY a_id");
            vec![column("a_id", Kind::Key), column("m", Kind::Int), column("k", Kind::Int)]
        }
        1 => {
            draft.say("SELECT DISTINCT id, k FROM a");
            filter(draft, chance, &Scope::table(&A, None, false));
            vec![column("id", Kind::Key), column("k", Kind::Int)]
        }
        2 => {
            draft.say("SELECT id, k FROM a WHERE id < 40 UNION ALL SELECT id, k FROM a WHERE id >= 40");
            vec![column("id", Kind::Key), column("k", Kind::Int)]
        }
        3 => {
            draft.say("SELECT a.id, b.n, b.k FROM a JOIN b ON a.id = b.a_id WHERE b.n = (SELECT MAX(m.n) FROM b m WHERE m.a_id = b.a_id)");
            vec![column("id", Kind::Key), column("n", Kind::Part), column("k", Kind::Int)]
        }
        _ => keyed(draft, chance),
    };
    draft.say(&format!(") {alias}"));
    Scope::columns(&alias, &columns, &[columns[0].name], true)
}

fn on(draft: &mut Draft, chance: &mut Chance, left: &Scope, right: &Scope) {
    let is_key = |kind| kind == Kind::Key;
    let (one, other) = match (left.some(chance, is_key), right.some(chance, is_key)) {
        (Some(one), Some(other)) if !chance.one_in(5) => (one, other),
        _ => (number(chance, left), number(chance, right)),
    };
    if chance.one_in(3) {
        draft.say(&format!(" ON {} = {}", other.text, one.text));
    } else {
        draft.say(&format!(" ON {} = {}", one.text, other.text));
    }
    if chance.one_in(4) {
        draft.say(" AND ");
        let side = if chance.one_in(2) { left } else { right };
        condition(draft, chance, side, 0);
    }
}

fn number(chance: &mut Chance, scope: &Scope) -> Name {
    scope.some(chance, |kind| matches!(kind, Kind::Int | Kind::Part)).unwrap_or_else(|| scope.any(chance))
}

/// A condition with a subquery.
pub(super) fn subquery(draft: &mut Draft, chance: &mut Chance, scope: &Scope) {
    let flat = std::mem::replace(&mut draft.flat, true);
    draft.rules.planned = true;
    let inners: [(&Table, &str); 7] =
        [(&A, "id"), (&B, "a_id"), (&B, "a_id"), (&C, "cid"), (&H, "hid"), (&O, "oid"), (&W, "k")];
    let (table, key) = *chance.of_these(&inners);
    let inner = Scope::table(table, Some("q"), true);
    // Names of the outer block must not be taken for those of the inner one.
    let owned = |name: Name| {
        if name.text.contains('.') { name.text } else { format!("{}.{}", scope.aliases[0], name.text) }
    };
    let outer = match scope.some(chance, |kind| kind == Kind::Key) {
        Some(name) if !chance.one_in(4) => owned(name),
        _ => owned(number(chance, scope)),
    };
    let second = owned(number(chance, scope));
    let not = chance.word(&["", "", "NOT "]);
    let more = |draft: &mut Draft, chance: &mut Chance, word: &str| {
        if chance.one_in(2) {
            draft.say(word);
            condition(draft, chance, &inner, 0);
        }
    };
    match chance.below(7) {
        0 | 1 => {
            let column = chance.word(&[key, key, "k"]);
            draft.say(&format!("{outer} {not}IN (SELECT q.{column} FROM {} q", table.name));
            more(draft, chance, " WHERE ");
        }
        2 | 3 => {
            let item = chance.word(&["1", "*", "q.k"]);
            let column = chance.word(&[key, key, key, "k"]);
            draft
                .say(&format!("{not}EXISTS (SELECT {item} FROM {} q WHERE q.{column} = {outer}", table.name));
            more(draft, chance, " AND ");
        }
        4 => {
            let sign = chance.word(&["=", "<", ">=", "<>", "<=>"]);
            let function = chance.word(&["MAX(q.k)", "COUNT(*)", "MIN(q.k)", "SUM(q.k)"]);
            draft.say(&format!("{second} {sign} (SELECT {function} FROM {} q", table.name));
            if chance.one_in(2) {
                draft.say(&format!(" WHERE q.{key} = {outer}"));
            } else {
                more(draft, chance, " WHERE ");
            }
        }
        5 => {
            draft.say(&format!("({outer}, {second}) {not}IN (SELECT q.{key}, q.k FROM {} q", table.name));
            more(draft, chance, " WHERE ");
        }
        _ => {
            let sign = chance.word(&["> ALL", "= ANY", "< SOME", "<> ALL", ">= ANY"]);
            draft.say(&format!("{second} {sign} (SELECT q.k FROM {} q", table.name));
            if chance.one_in(2) {
                draft.say(&format!(" WHERE q.{key} = {outer}"));
            } else {
                more(draft, chance, " WHERE ");
            }
        }
    }
    draft.say(")");
    draft.flat = flat;
}
