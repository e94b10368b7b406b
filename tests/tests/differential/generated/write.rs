//! Statements that change rows.
//!
//! Ordinary keys may be there already. Where more than one row of a statement could fail, which of them is told first
//! is not what one server would tell, so that all rows but one have keys of their own.

use super::chance::Chance;
use super::condition::condition;
use super::draft::Draft;
use super::schema::{A, B, C, Column, H, Kind, Lay, O, P, Table, W};
use super::scope::Scope;

/// Keys from here on belong to one statement each.
const FRESH: i64 = 1_000_000;

/// What a row's key may be.
struct Keys {
    number: u64,
    used: i64,
    /// Whether this statement still may use a key that could be there.
    common: bool,
}

impl Keys {
    fn of(number: u64) -> Self {
        Self { number, used: 0, common: true }
    }

    fn fresh(&mut self) -> i64 {
        self.used += 1;
        FRESH + self.number as i64 * 64 + self.used
    }
}

/// Any change.
pub(super) fn write(draft: &mut Draft, chance: &mut Chance, number: u64) {
    // MySQL changes no table that a subquery reads; forms of their own have what it does.
    draft.flat = true;
    match chance.below(20) {
        0..=7 => insert(draft, chance, number),
        8 => insert_select(draft, chance, number),
        9..=13 => update(draft, chance),
        14..=16 => delete(draft, chance),
        17 => draft.say(chance.word(&[
            "DELETE FROM a WHERE id >= 1000000",
            "DELETE FROM b WHERE a_id >= 1000000 OR n > 1000",
            "DELETE FROM w WHERE code LIKE 'f%'",
            "DELETE FROM h WHERE hid > 999999",
            "DELETE FROM c WHERE cid > 999999",
            "DELETE FROM o WHERE oid > 999999",
        ])),
        _ => joined(draft, chance),
    }
}

fn table(chance: &mut Chance) -> &'static Table {
    chance.one_of(&[&A, &A, &A, &B, &B, &W, &H, &C, &O, &P])
}

/// Rows to begin with.
pub(super) fn fill(draft: &mut Draft, chance: &mut Chance, table: &Table, from: i64, rows: i64) {
    draft.say(&format!("INSERT INTO {} VALUES ", table.name));
    for at in 0..rows {
        draft.comma(at as usize);
        draft.say("(");
        for (place, column) in table.columns.iter().enumerate() {
            draft.comma(place);
            let number = from + at;
            draft.say(&match column.kind {
                Kind::Key if table.key.len() > 1 => (number / 2).to_string(),
                Kind::Key if number % 11 == 10 => (-number).to_string(),
                Kind::Key if number % 17 == 16 => (4_000_000_000 + number % 30).to_string(),
                Kind::Key => number.to_string(),
                Kind::Part if table.key.contains(&column.name) => number.to_string(),
                Kind::TextKey => format!("'{}{number}'", chance.word(&["k", "K", "x", "key-"])),
                kind => kind.value(chance).literal(),
            });
        }
        draft.say(")");
    }
}

fn key_value(draft: &mut Draft, chance: &mut Chance, column: &Column, keys: &mut Keys) {
    let value = if keys.common {
        column.kind.given(chance)
    } else {
        match column.kind {
            Kind::TextKey => weir_tests::Argument::Text(format!("f{}", keys.fresh())),
            _ => weir_tests::Argument::Int(keys.fresh()),
        }
    };
    draft.value(chance, value);
}

fn row(draft: &mut Draft, chance: &mut Chance, table: &Table, columns: &[Column], keys: &mut Keys) {
    draft.say("(");
    for (at, column) in columns.iter().enumerate() {
        draft.comma(at);
        if table.key.contains(&column.name) {
            key_value(draft, chance, column, keys);
        } else if chance.one_in(12) {
            draft.say(chance.word(&["DEFAULT", "NULL"]));
        } else {
            let value = column.kind.value(chance);
            draft.value(chance, value);
        }
    }
    keys.common = false;
    draft.say(")");
}

/// The key and some other columns, in some order.
fn columns(chance: &mut Chance, table: &Table) -> Vec<Column> {
    let mut columns: Vec<Column> = table
        .columns
        .iter()
        .filter(|column| table.key.contains(&column.name) || chance.one_in(3))
        .copied()
        .collect();
    let turn = chance.below(columns.len() as u64) as usize;
    columns.rotate_left(turn);
    columns
}

fn insert(draft: &mut Draft, chance: &mut Chance, number: u64) {
    let table = table(chance);
    let mut keys = Keys::of(number);
    keys.common = chance.one_in(2);
    let verb = chance.word(&[
        "INSERT INTO",
        "INSERT INTO",
        "INSERT IGNORE INTO",
        "REPLACE INTO",
        "INSERT",
        "REPLACE",
    ]);
    draft.say(&format!("{verb} {}", table.name));
    // Duplicates are no errors here.
    let lenient = verb.contains("IGNORE") || verb.contains("REPLACE");
    let all = chance.one_in(3);
    let columns = if all { table.columns.to_vec() } else { columns(chance, table) };
    if chance.one_in(8) {
        draft.say(" SET ");
        for (at, column) in columns.iter().enumerate() {
            draft.comma(at);
            draft.say(&format!("{} = ", column.name));
            if table.key.contains(&column.name) {
                key_value(draft, chance, column, &mut keys);
            } else {
                let value = column.kind.value(chance);
                draft.value(chance, value);
            }
        }
        return;
    }
    if !(all && chance.one_in(2)) {
        let names: Vec<_> = columns.iter().map(|column| column.name).collect();
        draft.say(&format!(" ({})", names.join(", ")));
    }
    draft.say(chance.word(&[" VALUES ", " VALUES ", " VALUE "]));
    let rows = if chance.one_in(2) { 1 } else { 1 + chance.below(12) as usize };
    for at in 0..rows {
        draft.comma(at);
        row(draft, chance, table, &columns, &mut keys);
        keys.common = lenient && chance.one_in(2);
    }
    if !lenient && chance.one_in(4) {
        let column = table
            .columns
            .iter()
            .find(|column| column.kind == Kind::Int)
            .map_or(table.key[0], |column| column.name);
        draft.say(" ON DUPLICATE KEY UPDATE ");
        draft.say(&match chance.below(4) {
            0 => format!("{column} = VALUES({column})"),
            1 => format!("{column} = {column} + 1"),
            2 => format!("{column} = {column}"),
            _ => format!("{column} = 7"),
        });
        // VALUES() is deprecated, which is told once for each node.
        draft.rules.repeated = true;
    }
}

fn insert_select(draft: &mut Draft, chance: &mut Chance, number: u64) {
    let from = FRESH + number as i64 * 64;
    draft.say(&match chance.below(10) {
        0 => format!("INSERT INTO b (a_id, n, k, ai) SELECT id, {from}, k, ai FROM a"),
        1 => format!("INSERT INTO b (a_id, n, k) SELECT a_id, n + {from}, k FROM b"),
        2 => "INSERT IGNORE INTO a (id, k) SELECT a_id, k FROM b".to_owned(),
        3 => format!("INSERT INTO a (id, k) SELECT cid + {from}, k FROM c"),
        4 => format!("INSERT INTO h (hid, k) SELECT oid + {from}, k FROM o"),
        5 => "REPLACE INTO a (id, k, ai) SELECT a_id, MAX(k), 'new' FROM b".to_owned(),
        6 => format!("INSERT INTO o (oid, k, gen) SELECT cid + {from}, k, ai FROM c"),
        7 => format!("INSERT INTO c (cid, k) SELECT oid + {from}, k FROM o"),
        8 => "INSERT INTO h (hid, k) SELECT id, k FROM a".to_owned(),
        _ => format!("INSERT INTO o (oid, k) SELECT oid + {from}, k FROM o"),
    });
    if draft.text.contains("FROM a") || draft.text.contains("FROM b") {
        let (name, table) = if draft.text.contains("FROM a") { ("id", &A) } else { ("a_id", &B) };
        draft.say(&format!(" WHERE {name} BETWEEN 3 AND {} AND ", chance.within(3, 20)));
        condition(draft, chance, &Scope::table(table, None, false), 1);
    }
    if draft.text.contains("MAX(") {
        draft.say(" GROUP BY a_id");
    }
    draft.say(if draft.text.starts_with("INSERT INTO h (hid, k) SELECT id") {
        " ON DUPLICATE KEY UPDATE k = 1"
    } else {
        ""
    });
    draft.rules.worded = true;
}

fn update(draft: &mut Draft, chance: &mut Chance) {
    let table = table(chance);
    let scope = Scope::table(table, None, false);
    draft.say(&format!("UPDATE {}{} SET ", chance.word(&["", "", "", "", "IGNORE "]), table.name));
    let settable: Vec<_> = table.columns.iter().filter(|column| !table.key.contains(&column.name)).collect();
    for at in 0..=chance.below(3) as usize {
        draft.comma(at);
        let column = **chance.of_these(&settable);
        draft.say(&format!("{} = ", column.name));
        match column.kind {
            Kind::Int if chance.one_in(2) => draft.say(&format!("{} + 1", column.name)),
            Kind::Decimal | Kind::Double if chance.one_in(3) => draft.say(&format!("{0} + {0}", column.name)),
            kind if kind.is_text() && chance.one_in(4) => {
                draft.say(&format!("LEFT(CONCAT({}, 'b'), 4)", column.name))
            }
            _ if chance.one_in(10) => draft.say("DEFAULT"),
            kind => {
                let value = kind.value(chance);
                draft.value(chance, value);
            }
        }
    }
    if chance.one_in(12) {
        let name = table.key[0];
        let kind =
            scope.columns.iter().find(|column| column.text == name).map_or(Kind::Key, |column| column.kind);
        let value = kind.given(chance).literal();
        // The key stays what it is.
        return draft.say(&format!(", {name} = {value} WHERE {name} = {value}"));
    }
    if !chance.one_in(8) {
        draft.say(" WHERE ");
        condition(draft, chance, &scope, 2);
    }
    // Decimals grow out of their columns after many changes; which row is told first is a server's own choice.
    draft.rules.worded = true;
    cut(draft, chance, table);
}

/// ` ORDER BY … LIMIT …`, now and then.
fn cut(draft: &mut Draft, chance: &mut Chance, table: &Table) {
    if chance.one_in(8) {
        draft.say(&format!(" ORDER BY {}", table.key.join(", ")));
        draft.say(chance.word(&[" LIMIT 2", " LIMIT 1", ""]));
    }
}

fn delete(draft: &mut Draft, chance: &mut Chance) {
    let table = table(chance);
    let scope = Scope::table(table, None, false);
    draft.say(&format!("DELETE FROM {} WHERE ", table.name));
    condition(draft, chance, &scope, 1);
    let key = table.key[0];
    if table.lay == Lay::Sharded && key != "code" {
        // Some rows stay.
        draft.say(&format!(" AND {key} > "));
        let value = weir_tests::Argument::Int(chance.within(60, 120));
        draft.value(chance, value);
    } else {
        draft.say(&format!(" AND {key} IN ("));
        for at in 0..3 {
            draft.comma(at);
            let kind = if key == "code" { Kind::TextKey } else { Kind::Int };
            draft.given(chance, kind);
        }
        draft.say(")");
    }
    cut(draft, chance, table);
}

/// Several tables in one change.
fn joined(draft: &mut Draft, chance: &mut Chance) {
    let texts = [
        "UPDATE a JOIN b ON a.id = b.a_id SET a.k = 5, b.k = 6 WHERE ",
        "UPDATE a, b SET b.k = a.k WHERE a.id = b.a_id AND ",
        "UPDATE a LEFT JOIN b ON a.id = b.a_id SET a.k = 9 WHERE b.n IS NULL AND ",
        "UPDATE a JOIN c ON a.k = c.cid SET a.u = 3 WHERE ",
        "DELETE b FROM a JOIN b ON a.id = b.a_id WHERE a.id > 70 AND ",
        "DELETE FROM a, b USING a JOIN b ON a.id = b.a_id WHERE a.id > 80 AND ",
        "DELETE a FROM a LEFT JOIN b ON a.id = b.a_id WHERE b.a_id IS NULL AND a.id > 75 AND ",
        "UPDATE a SET k = (SELECT MAX(c.k) FROM c) WHERE ",
        "UPDATE b SET k = 1 WHERE a_id IN (SELECT a_id FROM (SELECT 5 AS a_id) five) AND ",
        "DELETE FROM a WHERE id IN (SELECT a_id FROM b WHERE k > 20) AND a.id > 60 AND ",
        "UPDATE o JOIN c ON o.k = c.cid SET o.k = o.k + 1 WHERE o.oid > 3 AND ",
    ];
    let text = chance.word(&texts);
    draft.say(text);
    let table = if text.starts_with("UPDATE b") {
        &B
    } else if text.starts_with("UPDATE o") {
        &O
    } else {
        &A
    };
    let scope = Scope::table(table, None, true);
    if chance.one_in(2) {
        draft.say(&format!("{}.{} = ", table.name, table.key[0]));
        let kind = if table.name == "o" { Kind::Part } else { Kind::Key };
        draft.given(chance, kind);
    } else {
        condition(draft, chance, &scope, 1);
    }
}
