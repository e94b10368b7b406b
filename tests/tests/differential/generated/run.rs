//! Runs statements on both sides, compares all that the answers tell, and counts what is refused.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use weir_tests::{
    Argument, Client, Failure, Fault, Logical, Prepared, Reply, Rules, Setup, differ, differ_prepared, inline,
};

use super::chance::Chance;
use super::draft::Draft;
use super::known::is_known;
use super::schema::{KEYS, Lay, SEALED, TABLES, Table};
use super::{statement, write};
use crate::{Form, refusal};

/// Rows of each table to begin with.
const ROWS: i64 = KEYS - 10;

/// Statements after which the tables are compared as a whole.
const ROUND: u64 = 40;

/// What came of a run.
#[derive(Debug, Default)]
pub(super) struct Outcome {
    /// Answers that were compared.
    pub(super) answers: u64,
    /// What was refused: how often, and the shortest such statement.
    pub(super) refused: BTreeMap<String, (u64, String)>,
    /// Differences that are known.
    pub(super) known: u64,
    pub(super) differences: Vec<String>,
}

/// One plain server and the proxy, with the same rows.
pub(super) struct Pair<'a> {
    logical: &'a Logical<'a>,
    seed: u64,
    plain: Client,
    proxied: Client,
    pub(super) outcome: Outcome,
}

impl<'a> Pair<'a> {
    /// Makes the tables.
    pub(super) fn new(logical: &'a Logical<'a>, seed: u64) -> Self {
        let (mut plain, mut proxied) = (logical.plain(), logical.client());
        logical.shard("a", "id");
        logical.shard("b", "a_id");
        proxied.run("CREATE SHARDING TABLE REFERENCE RULE ab (a, b)");
        let other = |table: &str, column: &str, algorithm: &str| {
            let rule = logical.rule(table, column);
            let (head, _) = rule.split_once("TYPE(").unwrap_or((&rule, ""));
            format!("{head}TYPE({algorithm}))")
        };
        proxied.run(other("w", "code", "NAME=\"HASH_MOD\", PROPERTIES(\"sharding-count\"=7)"));
        proxied.run(other(
            "h",
            "hid",
            "NAME=\"BOUNDARY_RANGE\", PROPERTIES(\"sharding-ranges\"=\"0,10,25,60,1000000\")",
        ));
        logical.shard("p", "pid");
        proxied.run("CREATE BROADCAST TABLE RULE c");
        if logical.setup != Setup::Units {
            proxied.run(SEALED);
        }
        for table in TABLES {
            plain.run(table.ddl);
            proxied.run(table.ddl);
        }
        let mut pair = Self { logical, seed, plain, proxied, outcome: Outcome::default() };
        pair.fill();
        pair
    }

    /// Puts the first rows into the tables, instead of what is there.
    fn fill(&mut self) {
        for table in TABLES {
            for client in [&mut self.plain, &mut self.proxied] {
                client.run(format!("DELETE FROM {}", table.name));
            }
            let rows = if table.lay == Lay::Sharded { ROWS } else { 20 };
            for from in (0..rows).step_by(20) {
                let mut draft = Draft::default();
                write::fill(&mut draft, &mut Chance::of(self.seed, from as u64), table, from, 20);
                self.plain.run(&draft.text);
                self.proxied.run(&draft.text);
            }
        }
    }

    /// Runs `count` statements.
    pub(super) fn run(&mut self, count: u64, patience: usize) {
        for number in 0..count {
            let draft = statement(self.seed, number);
            let forms: &[Form] = match (draft.reads(), number % 2) {
                (true, _) => &[Form::Text, Form::Binary],
                (false, 0) => &[Form::Text],
                (false, _) => &[Form::Binary],
            };
            for form in forms {
                self.step(number, *form, &draft);
            }
            if number % ROUND == ROUND - 1 {
                self.check(number);
            }
            if self.outcome.differences.len() >= patience {
                return;
            }
        }
    }

    fn step(&mut self, number: u64, form: Form, draft: &Draft) {
        self.outcome.answers += 1;
        let told = match self.ask(number, form, draft) {
            Ok(Asked::Refused(fault)) => return self.refused(&fault, &draft.text),
            Ok(Asked::Both(plain, proxied)) => {
                let difference = differ(&plain, &proxied, &draft.rules);
                difference
                    .or_else(|| self.warnings(&plain, &draft.rules))
                    .or_else(|| self.left_behind(number, &plain, draft))
            }
            Err(failure) => {
                self.plain = self.logical.plain();
                self.proxied = self.logical.client();
                Some(failure.to_string())
            }
        };
        let Some(told) = told else { return };
        if is_known(draft, &told) {
            self.outcome.known += 1;
            return;
        }
        self.report(
            number,
            &format!("{form:?}: {}", inline(&draft.text, &draft.arguments)),
            &told,
            &draft.arguments,
        );
        if !draft.reads() {
            self.plain.run("ROLLBACK");
            self.proxied.run("ROLLBACK");
            self.check(number);
        }
    }

    fn report(&mut self, number: u64, text: &str, told: &str, arguments: &[Argument]) {
        let mut report = format!("seed {}, statement {number}, {text}", self.seed);
        if !arguments.is_empty() {
            let _ = write!(report, "\n  parameters {arguments:?}");
        }
        let _ = write!(report, "\n  {told}");
        self.outcome.differences.push(report);
    }

    fn refused(&mut self, fault: &Fault, text: &str) {
        let kind = refusal::kind(fault).unwrap_or_default();
        let entry = self.outcome.refused.entry(kind).or_insert_with(|| (0, text.to_owned()));
        entry.0 += 1;
        if text.len() < entry.1.len() {
            text.clone_into(&mut entry.1);
        }
    }

    /// What the statement before left to be shown.
    fn warnings(&mut self, plain: &Reply, rules: &Rules) -> Option<String> {
        let count = match plain {
            Reply::Done(done) => done.warnings,
            Reply::Error(_) => 1,
            Reply::Rows(table) => table.end.warnings,
        };
        if count == 0 || rules.unwarned || rules.repeated || rules.worded {
            return None;
        }
        let rules = Rules { gathered: true, ..Rules::default() };
        let (plain, proxied) = (self.plain.query("SHOW WARNINGS"), self.proxied.query("SHOW WARNINGS"));
        match &proxied {
            Reply::Error(fault) if refusal::kind(fault).is_some() => {
                self.refused(fault, "SHOW WARNINGS");
                None
            }
            _ => differ(&plain, &proxied, &rules).map(|told| format!("SHOW WARNINGS: {told}")),
        }
    }

    /// What functions tell about the statement before, now and then.
    fn left_behind(&mut self, number: u64, plain: &Reply, draft: &Draft) -> Option<String> {
        let quiet = match plain {
            Reply::Done(done) => done.warnings == 0,
            Reply::Error(_) => false,
            Reply::Rows(table) => table.end.warnings == 0,
        };
        if !quiet {
            return None;
        }
        // After a LIMIT, a server counts what it skipped as far as it went, and groups without their HAVING.
        if !number.is_multiple_of(4)
            || draft.rules.worded
            || draft.text.contains("LIMIT")
            || draft.text.contains("HAVING")
        {
            return None;
        }
        let text = match (draft.reads(), number % 8) {
            (true, _) => "SELECT FOUND_ROWS()",
            (false, 0) => "SELECT ROW_COUNT()",
            (false, _) => "SELECT LAST_INSERT_ID()",
        };
        // FOUND_ROWS() is deprecated, of which the proxy does not warn.
        let rules = Rules { unwarned: true, ..Rules::default() };
        differ(&self.plain.query(text), &self.proxied.query(text), &rules)
            .map(|told| format!("{text}: {told}"))
    }

    /// Asks the proxy first: what it refuses, the plain server is not asked.
    fn ask(&mut self, number: u64, form: Form, draft: &Draft) -> Result<Asked, Failure> {
        let query = inline(&draft.text, &draft.arguments);
        if form == Form::Text {
            return match self.proxied.try_query(&query)? {
                Reply::Error(fault) if refusal::kind(&fault).is_some() => Ok(Asked::Refused(fault)),
                proxied => Ok(Asked::Both(self.plain.try_query(&query)?, proxied)),
            };
        }
        let prepared = match self.proxied.prepare(&draft.text) {
            Err(Failure::Server(fault)) if refusal::kind(&fault).is_some() => {
                return Ok(Asked::Refused(fault));
            }
            Err(Failure::Server(fault)) => Err(fault),
            prepared => Ok(prepared?),
        };
        let expected = match self.plain.prepare(&draft.text) {
            Err(Failure::Server(fault)) => Err(fault),
            prepared => Ok(prepared?),
        };
        let (expected, prepared) = match (expected, prepared) {
            (Ok(expected), Ok(prepared)) => (expected, prepared),
            (expected, prepared) => {
                let told = |result: Result<Prepared, Fault>| match result {
                    Err(fault) => Reply::Error(fault),
                    Ok(_) => {
                        Reply::Error(Fault { code: 0, state: String::new(), text: "prepared".to_owned() })
                    }
                };
                return Ok(Asked::Both(told(expected), told(prepared)));
            }
        };
        let told = differ_prepared(&expected, &prepared, &draft.rules);
        if let Some(told) = told.filter(|told| !is_known(draft, told)) {
            self.report(number, &format!("{form:?}: {}", draft.text), &told, &draft.arguments);
        }
        let values: Vec<_> = draft.arguments.iter().map(Argument::value).collect();
        let asked = match self.proxied.execute(prepared.id, &values)? {
            Reply::Error(fault) if refusal::kind(&fault).is_some() => Asked::Refused(fault),
            proxied => Asked::Both(self.plain.execute(expected.id, &values)?, proxied),
        };
        self.proxied.close(prepared.id)?;
        self.plain.close(expected.id)?;
        Ok(asked)
    }

    /// Compares all rows; when they differ, begins anew.
    fn check(&mut self, number: u64) {
        let mut differs = false;
        for table in TABLES {
            let text = format!("SELECT * FROM {} ORDER BY {}", table.name, key(table));
            let (plain, proxied) = (self.plain.query(&text), self.proxied.query(&text));
            let rules = Rules { ordered: true, ..Rules::default() };
            self.outcome.answers += 1;
            if let Some(told) = differ(&plain, &proxied, &rules) {
                let told: String = told.chars().take(1500).collect();
                self.report(number, &format!("the rows afterwards: {text}"), &told, &[]);
                differs = true;
            }
        }
        if differs {
            self.fill();
        }
    }
}

fn key(table: &Table) -> String {
    table.key.join(", ")
}

enum Asked {
    Both(Reply, Reply),
    Refused(Fault),
}
