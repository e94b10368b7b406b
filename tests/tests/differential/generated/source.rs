//! What statements select from: tables, joins, derived tables.

use super::chance::Chance;
use super::condition::condition;
use super::draft::Draft;
use super::schema::{A, B, C, Column, H, Kind, O, P, Table, W};
use super::scope::Scope;
use super::tree::tree;

/// What a `FROM` made of a statement.
pub(super) struct From {
    pub(super) scope: Scope,
    /// A condition that the rest of the statement must hold, as of a join with commas.
    pub(super) must: Option<String>,
}

impl From {
    fn plain(scope: Scope) -> Self {
        Self { scope, must: None }
    }
}

/// ` FROM …` without `WHERE`.
pub(super) fn from(draft: &mut Draft, chance: &mut Chance) -> From {
    draft.say(" FROM ");
    match chance.below(20) {
        0..=11 => From::plain(one(draft, chance)),
        12 | 13 => From::plain(tree(draft, chance)),
        _ => join(draft, chance),
    }
}

/// One table, mostly the one with all the types.
pub(super) fn one(draft: &mut Draft, chance: &mut Chance) -> Scope {
    let table = chance.one_of(&[&A, &A, &A, &A, &A, &A, &B, &B, &W, &H, &C, &O, &P]);
    one_of(draft, chance, table)
}

fn one_of(draft: &mut Draft, chance: &mut Chance, table: &Table) -> Scope {
    match chance.below(4) {
        0 => {
            draft.say(&format!("{} {}t1", table.name, chance.word(&["", "AS "])));
            let qualified = chance.one_in(2);
            Scope::table(table, Some("t1"), qualified)
        }
        1 => {
            draft.say(table.name);
            Scope::table(table, None, true)
        }
        _ => {
            draft.say(table.name);
            Scope::table(table, None, false)
        }
    }
}

fn pair(one: &Table, other: &Table) -> Scope {
    let (first, second) = names(one, other);
    Scope::table(one, Some(first), true).and(Scope::table(other, Some(second), true))
}

/// Names for two tables in one `FROM`, which can be the same one.
fn names<'a>(one: &'a Table, other: &'a Table) -> (&'a str, &'a str) {
    if one.name == other.name { ("t1", "t2") } else { (one.name, other.name) }
}

fn spoken(table: &Table, alias: &str) -> String {
    if table.name == alias { alias.to_owned() } else { format!("{} {alias}", table.name) }
}

fn join(draft: &mut Draft, chance: &mut Chance) -> From {
    draft.joins = true;
    let joins: [(&Table, &Table, &str); 12] = [
        (&A, &B, "a.id = b.a_id"),
        (&A, &B, "b.a_id = a.id"),
        (&B, &A, "a.id = b.a_id"),
        (&A, &A, "t1.id = t2.id"),
        (&B, &B, "t1.a_id = t2.a_id AND t1.n < t2.n"),
        (&A, &C, "a.k = c.cid"),
        (&B, &C, "b.k = c.k"),
        (&W, &C, "w.k = c.cid"),
        (&O, &O, "t1.k = t2.oid"),
        (&O, &C, "o.k = c.cid"),
        (&A, &H, "a.id = h.hid"),
        (&A, &O, "a.k = o.oid"),
    ];
    let (one, other, on) = *chance.of_these(&joins);
    let (first, second) = names(one, other);
    let (left, right) = (spoken(one, first), spoken(other, second));
    match chance.below(12) {
        0..=5 => {
            let word = chance.word(&["JOIN", "INNER JOIN", "JOIN", "STRAIGHT_JOIN"]);
            draft.say(&format!("{left} {word} {right} ON {on}"));
        }
        6..=8 => draft.say(&format!("{left} LEFT {}JOIN {right} ON {on}", chance.word(&["", "OUTER "]))),
        9 => draft.say(&format!("{left} RIGHT JOIN {right} ON {on}")),
        10 if one.name == "a" && other.name == "b" => {
            draft.say(&format!("a JOIN b ON {on} LEFT JOIN c ON b.k = c.cid"));
            return From::plain(pair(one, other).and(Scope::table(&C, None, true)));
        }
        10 if one.name == "a" && other.name == "a" => {
            draft.say("a t1 JOIN a t2 USING (id)");
            return From::plain(pair(one, other));
        }
        _ => {
            draft.say(&format!("{left}, {right}"));
            return From { scope: pair(one, other), must: Some(on.to_owned()) };
        }
    }
    From::plain(pair(one, other))
}

/// ` WHERE …` with what the join needs.
pub(super) fn filtered(draft: &mut Draft, chance: &mut Chance, from: &From) {
    match &from.must {
        Some(must) => {
            draft.say(&format!(" WHERE {must}"));
            if chance.one_in(2) {
                draft.say(" AND ");
                condition(draft, chance, &from.scope, 1);
            }
        }
        None => super::condition::filter(draft, chance, &from.scope),
    }
}

const fn column(name: &'static str, kind: Kind) -> Column {
    Column { name, kind }
}

/// A query whose rows are told apart by their first column, and what its columns are.
pub(super) fn keyed(draft: &mut Draft, chance: &mut Chance) -> Vec<Column> {
    let choices: [(&str, &[Column], &Table); 5] = [
        (
            "SELECT id, k, ai, x FROM a",
            &[
                column("id", Kind::Key),
                column("k", Kind::Int),
                column("ai", Kind::Spelled),
                column("x", Kind::Decimal),
            ],
            &A,
        ),
        (
            "SELECT id, k + 1 AS more, UPPER(bn) AS up FROM a",
            &[column("id", Kind::Key), column("more", Kind::Int), column("up", Kind::Text)],
            &A,
        ),
        (
            "SELECT hid, k, f FROM h",
            &[column("hid", Kind::Key), column("k", Kind::Int), column("f", Kind::Double)],
            &H,
        ),
        ("SELECT code, k FROM w", &[column("code", Kind::TextKey), column("k", Kind::Int)], &W),
        (
            "SELECT cid, ai, k FROM c",
            &[column("cid", Kind::Part), column("ai", Kind::Spelled), column("k", Kind::Int)],
            &C,
        ),
    ];
    let (text, columns, table) = *chance.of_these(&choices);
    draft.say(text);
    super::condition::filter(draft, chance, &Scope::table(table, None, false));
    columns.to_vec()
}
