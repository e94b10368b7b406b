//! Statements made by chance from the forms that the proxy supports, told apart by a seed.
//!
//! A failure names the seed and the statement; put the seed into [`SEEDS`] to run it again.

use weir_tests::{Argument, Bed, Client, Logical, Rules, differ};

use crate::{Form, ask_both};

/// Each gives one run of [`STATEMENTS`] statements on tables of its own.
const SEEDS: [u64; 3] = [1, 20_240_131, 0x5EED];

const STATEMENTS: usize = 600;

/// Numbers by chance: xorshift64*.
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    fn below(&mut self, limit: u64) -> u64 {
        (self.next() >> 16) % limit
    }

    fn of<'a>(&mut self, choices: &[&'a str]) -> &'a str {
        choices[self.below(choices.len() as u64) as usize]
    }

    fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }
}

/// A statement under construction: every value goes through [`Draft::value`].
#[derive(Default)]
struct Draft {
    text: String,
    arguments: Vec<Argument>,
    ordered: bool,
    approximate: bool,
}

impl Draft {
    fn say(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// A value: sometimes a parameter, sometimes a literal.
    fn value(&mut self, chance: &mut Chance, make: impl FnOnce(&mut Chance) -> Argument) {
        let value = make(chance);
        if chance.one_in(2) {
            self.text.push('?');
            self.arguments.push(value);
        } else {
            self.text.push_str(&value.literal());
        }
    }
}

fn key(chance: &mut Chance) -> i64 {
    match chance.below(12) {
        0 => -(chance.below(60) as i64),
        1 => 4_000_000_000 + chance.below(40) as i64,
        _ => chance.below(120) as i64,
    }
}

fn number(chance: &mut Chance) -> Argument {
    match chance.below(12) {
        0 => Argument::Null,
        1 => Argument::Int(-(chance.below(30) as i64)),
        _ => Argument::Int(chance.below(30) as i64),
    }
}

fn word(chance: &mut Chance) -> Argument {
    if chance.one_in(10) {
        return Argument::Null;
    }
    let words = ["", "a", "A", "b", "ab", "abc", "é", "É", "zoo", "a ", "中", "it's", "\\", "x%", "Ab"];
    Argument::Text(chance.of(&words).to_owned())
}

fn decimal(chance: &mut Chance) -> Argument {
    if chance.one_in(10) {
        return Argument::Null;
    }
    let sign = if chance.one_in(4) { "-" } else { "" };
    Argument::Text(format!("{sign}{}.{:02}", chance.below(1000), chance.below(100)))
}

fn double(chance: &mut Chance) -> Argument {
    if chance.one_in(10) {
        return Argument::Null;
    }
    // Quarters add up exactly in any order.
    Argument::Double((chance.below(4000) as f64 - 2000.0) / 4.0)
}

fn day(chance: &mut Chance) -> Argument {
    if chance.one_in(10) {
        return Argument::Null;
    }
    Argument::Text(format!(
        "20{:02}-{:02}-{:02}",
        chance.below(30),
        1 + chance.below(12),
        1 + chance.below(28)
    ))
}

fn comparison(draft: &mut Draft, chance: &mut Chance) {
    let sign = chance.of(&["=", "=", "=", "<", ">", "<=", ">=", "<>", "<=>"]);
    let reversed = chance.one_in(4);
    let (column, value) = match chance.below(10) {
        0 => ("n", number(chance)),
        1 => ("s", word(chance)),
        2 => ("x", decimal(chance)),
        3 => ("d", day(chance)),
        _ => ("id", Argument::Int(key(chance))),
    };
    if reversed {
        draft.value(chance, |_| value);
        draft.say(&format!(" {sign} {column}"));
    } else {
        draft.say(&format!("{column} {sign} "));
        draft.value(chance, |_| value);
    }
}

fn condition(draft: &mut Draft, chance: &mut Chance, depth: u32) {
    if depth > 0 && chance.one_in(2) {
        draft.say(if chance.one_in(8) { "NOT (" } else { "(" });
        condition(draft, chance, depth - 1);
        draft.say(chance.of(&[" AND ", " AND ", " OR "]));
        condition(draft, chance, depth - 1);
        return draft.say(")");
    }
    let not = if chance.one_in(6) { "NOT " } else { "" };
    match chance.below(8) {
        0 | 1 => {
            draft.say(&format!("id {not}IN ("));
            for at in 0..=chance.below(5) {
                draft.say(if at == 0 { "" } else { ", " });
                draft.value(chance, |chance| Argument::Int(key(chance)));
            }
            draft.say(")");
        }
        2 => {
            let low = key(chance);
            draft.say(&format!("id {not}BETWEEN "));
            draft.value(chance, |_| Argument::Int(low));
            draft.say(" AND ");
            draft.value(chance, |chance| Argument::Int(low + chance.below(14) as i64 - 1));
        }
        3 => draft.say(&format!("{} IS {not}NULL", chance.of(&["n", "s", "x", "f", "d"]))),
        4 => {
            draft.say("id = ");
            draft.value(chance, |chance| Argument::Int(key(chance)));
            draft.say(" + ");
            draft.value(chance, |chance| Argument::Int(chance.below(5) as i64));
        }
        5 if not.is_empty() => draft.say(&format!("id % {} = 1", 2 + chance.below(6))),
        _ => comparison(draft, chance),
    }
}

fn filter(draft: &mut Draft, chance: &mut Chance) {
    if !chance.one_in(6) {
        draft.say(" WHERE ");
        condition(draft, chance, 2);
    }
}

fn window(draft: &mut Draft, chance: &mut Chance, least: u64) {
    if chance.one_in(2) {
        return;
    }
    draft.say(" LIMIT ");
    draft.value(chance, |chance| Argument::Int((least + chance.below(20)) as i64));
    if chance.one_in(2) {
        draft.say(" OFFSET ");
        draft.value(chance, |chance| Argument::Int(chance.below(12) as i64));
    }
}

fn select(draft: &mut Draft, chance: &mut Chance) {
    let items =
        ["*", "id", "id, s, n", "s, x, id", "g.*", "id AS k, n + 1 AS m", "f, d, g.id", "CONCAT(s, '!'), id"];
    draft.say(&format!("SELECT {} FROM g", chance.of(&items)));
    filter(draft, chance);
    if chance.one_in(3) {
        return;
    }
    draft.ordered = true;
    let keys = [
        "n",
        "n DESC",
        "s",
        "s DESC",
        "x",
        "x DESC",
        "f DESC",
        "d",
        "d DESC",
        "n, s DESC",
        "ABS(n)",
        "n IS NULL, n",
    ];
    let last = chance.of(&["g.id", "g.id DESC"]);
    match chance.below(3) {
        0 => draft.say(&format!(" ORDER BY {last}")),
        _ => draft.say(&format!(" ORDER BY {}, {last}", chance.of(&keys))),
    }
    window(draft, chance, 0);
}

fn distinct(draft: &mut Draft, chance: &mut Chance) {
    let items = chance.of(&["n", "x", "d", "n, d", "f", "n > 5", "YEAR(d)"]);
    draft.say(&format!("SELECT DISTINCT {items} FROM g"));
    filter(draft, chance);
    if chance.one_in(2) {
        draft.ordered = true;
        let all: Vec<_> = (1..=items.split(',').count()).map(|at| at.to_string()).collect();
        draft.say(&format!(" ORDER BY {}", all.join(", ")));
        window(draft, chance, 0);
    }
}

fn aggregate(draft: &mut Draft, chance: &mut Chance) {
    let functions = [
        "COUNT(*)",
        "COUNT(n)",
        "COUNT(s)",
        "SUM(n)",
        "SUM(x)",
        "SUM(f)",
        "AVG(n)",
        "AVG(x)",
        "AVG(f)",
        "MIN(id)",
        "MAX(id)",
        "MIN(n)",
        "MAX(x)",
        "MIN(d)",
        "MAX(d)",
        "MIN(f)",
        "SUM(n + 1)",
        "AVG(id)",
        "MAX(DISTINCT n)",
    ];
    let picked: Vec<_> = (0..=chance.below(4)).map(|_| chance.of(&functions)).collect();
    // Quotients of exact sums, still taken in another order.
    draft.approximate = picked.contains(&"AVG(f)");
    if chance.one_in(2) {
        draft.say(&format!("SELECT {} FROM g", picked.join(", ")));
        return filter(draft, chance);
    }
    let group = chance.of(&["n", "x", "d", "YEAR(d)", "n, d", "id % 3", "n > 4"]);
    draft.say(&format!("SELECT {group}, {} FROM g", picked.join(", ")));
    filter(draft, chance);
    draft.say(&format!(" GROUP BY {group}"));
    if chance.one_in(2) {
        draft.ordered = true;
        let keys: Vec<_> = group.split(", ").collect();
        let direction = chance.of(&["", " DESC"]);
        draft.say(&format!(" ORDER BY {}{direction}", keys.join(&format!("{direction}, "))));
        // Of no groups at all a server tells the columns in another way.
        window(draft, chance, 1);
    }
}

fn row(draft: &mut Draft, chance: &mut Chance, columns: &[&str]) {
    draft.say("(");
    for (at, column) in columns.iter().enumerate() {
        draft.say(if at == 0 { "" } else { ", " });
        let value = match *column {
            "id" => Argument::Int(key(chance)),
            "n" => number(chance),
            "s" => word(chance),
            "x" => decimal(chance),
            "f" => double(chance),
            _ => day(chance),
        };
        draft.value(chance, |_| value);
    }
    draft.say(")");
}

fn insert(draft: &mut Draft, chance: &mut Chance) {
    draft.say(chance.of(&[
        "INSERT INTO g",
        "INSERT INTO g",
        "INSERT IGNORE INTO g",
        "REPLACE INTO g",
        "INSERT g",
    ]));
    let lists: [&[&str]; 4] =
        [&["id", "n", "s", "x", "f", "d"], &["id", "s"], &["d", "id", "n"], &["x", "f", "s", "id"]];
    let columns = if chance.one_in(3) { lists[0] } else { lists[chance.below(4) as usize] };
    if !(columns.len() == 6 && chance.one_in(2)) {
        draft.say(&format!(" ({})", columns.join(", ")));
    }
    draft.say(" VALUES ");
    let rows = if chance.one_in(2) { 1 } else { 1 + chance.below(12) };
    for at in 0..rows {
        draft.say(if at == 0 { "" } else { ", " });
        row(draft, chance, columns);
    }
}

fn update(draft: &mut Draft, chance: &mut Chance) {
    draft.say("UPDATE g SET ");
    match chance.below(4) {
        0 => draft.say("n = n + 1"),
        1 => {
            draft.say("s = ");
            draft.value(chance, word);
        }
        2 => {
            draft.say("x = ");
            draft.value(chance, decimal);
            draft.say(", d = ");
            draft.value(chance, day);
        }
        _ => {
            draft.say("n = ");
            draft.value(chance, number);
        }
    }
    filter(draft, chance);
}

fn draft(chance: &mut Chance) -> Draft {
    let mut draft = Draft::default();
    match chance.below(20) {
        0..=2 => insert(&mut draft, chance),
        3 => update(&mut draft, chance),
        4 => {
            draft.say("DELETE FROM g WHERE ");
            condition(&mut draft, chance, 1);
            draft.say(" AND id > ");
            draft.value(chance, |_| Argument::Int(90));
        }
        5..=8 => aggregate(&mut draft, chance),
        9 | 10 => distinct(&mut draft, chance),
        _ => select(&mut draft, chance),
    }
    draft
}

const CREATE: &str = "CREATE TABLE g (id BIGINT NOT NULL PRIMARY KEY, n INT, s VARCHAR(20), x DECIMAL(12,2), f DOUBLE, d DATE)";

fn generate(logical: &Logical<'_>, seed: u64) {
    let mut chance = Chance(seed);
    let (mut plain, mut proxied): (Client, Client) = (logical.plain(), logical.client());
    logical.shard("g", "id");
    plain.run(CREATE);
    proxied.run(CREATE);
    let mut rules = Rules {
        physical: logical.physical(),
        logical: logical.name.clone(),
        sharded: vec!["g".into()],
        ..Rules::default()
    };
    let mut seen = 0;
    for number in 0..STATEMENTS {
        let mut draft = if number < 40 { Draft::default() } else { draft(&mut chance) };
        if number < 40 {
            insert(&mut draft, &mut chance);
        }
        rules.ordered = draft.ordered;
        rules.approximate = draft.approximate;
        // Of several rows that are there already, each server names its first.
        // MySQL warns of its own zero dates when the least date of a group is sought in a temporary table.
        rules.unwarned = draft.text.contains("GROUP BY") && draft.text.contains("(d)");
        rules.worded = !draft.text.starts_with("SELECT");
        let reads = draft.text.starts_with("SELECT");
        // Reads go both ways, changes one.
        let forms: &[Form] = match (reads, chance.one_in(2)) {
            (true, _) => &[Form::Text, Form::Binary],
            (false, true) => &[Form::Text],
            (false, false) => &[Form::Binary],
        };
        for form in forms {
            let (expected, answer) = ask_both(&mut plain, &mut proxied, *form, &draft.text, &draft.arguments);
            seen += 1;
            if let Some(difference) = differ(&expected, &answer, &rules) {
                panic!(
                    "seed {seed}, statement {number}, {form:?}: {}\n  with {:?}\n  {difference}",
                    draft.text, draft.arguments
                );
            }
        }
    }
    assert!(seen >= STATEMENTS);
}

#[test]
fn statements_by_chance_are_answered_alike() {
    std::thread::scope(|scope| {
        for seed in SEEDS {
            scope.spawn(move || generate(&Bed::shared().logical(&format!("generated_{seed}")), seed));
        }
    });
}
