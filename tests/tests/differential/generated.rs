//! Statements made by chance from the forms that the proxy supports, told apart by a seed and a number.
//!
//! A difference names both. To run a seed again, or more of them than usual:
//!
//! ```text
//! WEIR_DIFFERENTIAL_SEED=7 WEIR_DIFFERENTIAL_STATEMENTS=20000 cargo test -p weir-tests --test differential by_chance
//! ```
//!
//! What one MySQL leaves undecided is not asked for, or compared by what is decided: rows without a total order as
//! sets, texts that a collation holds equal in small letters, floating-point numbers of another order of sums nearly,
//! arrays of JSON_ARRAYAGG as sets. What the proxy refuses is counted by kind.

mod blocks;
mod chance;
mod condition;
mod draft;
mod groups;
mod known;
mod query;
mod run;
mod schema;
mod scope;
mod source;
mod tree;
mod write;

use std::collections::BTreeMap;
use std::fmt::Write as _;

use weir_tests::{Bed, Setup};

use crate::refusal;

use chance::Chance;
use draft::Draft;
use run::Pair;

/// Each gives one run on tables of its own, behind other rules.
const SEEDS: [(u64, Setup); 3] = [(1, Setup::Units), (20_240_131, Setup::Units), (0x5EED, Setup::Nested)];

/// Of each seed.
const STATEMENTS: u64 = 800;

/// Differences that are told before a run gives up.
const PATIENCE: usize = 60;

/// Statements `TRANSACTION.0 ..= TRANSACTION.1` of every 40 are one transaction.
const TRANSACTION: (u64, u64) = (30, 39);

/// The statement of this number.
fn statement(seed: u64, number: u64) -> Draft {
    let chance = &mut Chance::of(seed, number);
    let mut draft = Draft::default();
    let place = number % 40;
    if place == TRANSACTION.0 {
        draft.say(chance.word(&["BEGIN", "START TRANSACTION", "START TRANSACTION WITH CONSISTENT SNAPSHOT"]));
    } else if place == TRANSACTION.1 {
        draft.say(chance.word(&["COMMIT", "ROLLBACK", "ROLLBACK"]));
    } else if let Some(setting) = setting(seed, number, place) {
        draft.say(setting);
    } else if place > TRANSACTION.0 && chance.one_in(4) {
        draft.say(chance.word(&[
            "SAVEPOINT s1",
            "SAVEPOINT s2",
            "ROLLBACK TO s1",
            "ROLLBACK TO SAVEPOINT s2",
            "RELEASE SAVEPOINT s1",
        ]));
    } else {
        let changes = if place > TRANSACTION.0 { 8 } else { 4 };
        match chance.below(20) {
            kind if kind < changes => write::write(&mut draft, chance, number),
            8 if chance.one_in(3) => groups::window_of_groups(&mut draft, chance),
            8 => groups::window(&mut draft, chance),
            9 => blocks::set(&mut draft, chance),
            10 => blocks::derived(&mut draft, chance),
            11 => blocks::nested(&mut draft, chance),
            12 => groups::total(&mut draft, chance),
            13 | 14 => groups::grouped(&mut draft, chance),
            15 => query::distinct(&mut draft, chance),
            16 => blocks::rare(&mut draft, chance),
            _ => query::select(&mut draft, chance),
        }
    }
    // `(NOT code) = 'k7'` warns of the text once for each row, and of the literal once for each node.
    draft.rules.unwarned |=
        place > 14 && place < 28 && setting(seed, number, 14).is_some_and(|set| set.contains("HIGH_NOT"));
    draft
}

/// Settings of the session that change what statements mean, and what takes them back.
const SETTINGS: [(&str, &str); 8] = [
    ("SET NAMES utf8mb4 COLLATE utf8mb4_bin", "SET NAMES utf8mb4"),
    ("SET NAMES utf8mb4 COLLATE utf8mb4_general_ci", "SET NAMES utf8mb4 COLLATE utf8mb4_0900_ai_ci"),
    ("SET SESSION sql_mode = 'PIPES_AS_CONCAT,ONLY_FULL_GROUP_BY'", "SET SESSION sql_mode = DEFAULT"),
    ("SET SESSION sql_mode = 'HIGH_NOT_PRECEDENCE,ONLY_FULL_GROUP_BY'", "SET SESSION sql_mode = DEFAULT"),
    ("SET SESSION sql_select_limit = 3000", "SET SESSION sql_select_limit = DEFAULT"),
    ("SET SESSION div_precision_increment = 7", "SET SESSION div_precision_increment = 4"),
    ("SET SESSION time_zone = '+05:30'", "SET SESSION time_zone = DEFAULT"),
    ("SET SESSION group_concat_max_len = 2000", "SET SESSION group_concat_max_len = DEFAULT"),
];

/// Every third transaction comes after some statements under another setting.
fn setting(seed: u64, number: u64, place: u64) -> Option<&'static str> {
    let round = number / 40;
    let (set, back) = *Chance::of(seed, round).of_these(&SETTINGS);
    match place {
        14 if round % 3 == 1 => Some(set),
        28 if round % 3 == 1 => Some(back),
        _ => None,
    }
}

/// A number that the caller gave by an environment variable.
fn given(name: &str) -> Option<u64> {
    std::env::var_os(name)
        .map(|text| text.to_string_lossy().parse().unwrap_or_else(|_| panic!("{name} is no number")))
}

#[test]
fn statements_by_chance_are_answered_alike() {
    let count = given("WEIR_DIFFERENTIAL_STATEMENTS").unwrap_or(STATEMENTS);
    let seeds = match given("WEIR_DIFFERENTIAL_SEED") {
        Some(seed) => vec![(seed, Setup::Units), (seed, Setup::Nested)],
        None => SEEDS.to_vec(),
    };
    let outcomes: Vec<_> = std::thread::scope(|scope| {
        let runs: Vec<_> = seeds
            .iter()
            .map(|&(seed, setup)| {
                scope.spawn(move || {
                    let name = format!("generated_{}_{seed}", setup.prefix());
                    let logical = Bed::shared().logical_on(&name, setup);
                    let mut pair = Pair::new(&logical, seed);
                    pair.run(count, PATIENCE);
                    pair.outcome
                })
            })
            .collect();
        runs.into_iter().map(|run| run.join().expect("a run ends")).collect()
    });
    let mut refused: BTreeMap<String, (u64, String)> = BTreeMap::new();
    let mut differences = Vec::new();
    let (mut answers, mut known) = (0, 0);
    for outcome in outcomes {
        answers += outcome.answers;
        known += outcome.known;
        differences.extend(outcome.differences);
        for (kind, (count, text)) in outcome.refused {
            refused.entry(kind).or_insert((0, text)).0 += count;
        }
    }
    let mut table = format!("{answers} answers compared, {known} known differences; refused:\n");
    for (kind, (count, text)) in &refused {
        let _ =
            writeln!(table, "{count:6}  {kind}\n          {}", text.chars().take(160).collect::<String>());
    }
    println!("{table}");
    let expected = |kind: &str| refusal::EXPECTED.iter().any(|words| kind.starts_with(words));
    let unexpected: Vec<_> = refused.keys().filter(|kind| !expected(kind)).collect();
    assert!(differences.is_empty(), "{} differences\n{}", differences.len(), differences.join("\n\n"));
    assert!(unexpected.is_empty(), "refused although it is said to be supported: {unexpected:#?}");
}
