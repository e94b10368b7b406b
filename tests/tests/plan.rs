//! Golden plans: each statement of `tests/plan/*.sql` with its plan, the text for each node, or its refusal.
//!
//! The databases they are planned against are those of `fixture`. Accept a change with `cargo insta review`, line by
//! line.

#![expect(clippy::unwrap_used, reason = "a test fails where it happens")]

#[path = "plan/fixture.rs"]
mod fixture;

use std::fmt::Write;
use std::path::Path;

use meta::{KeyGenerator, StorageUnit};
use plan::{
    Action, Arguments, Call, Chosen, Error, Generated, Merge, Placement, Plan, Template, Value, Variant,
};
use serde::Serialize;
use sql::{Fingerprinter, Mode};
use wire::value::{Date, DateTime};

/// One statement and what becomes of it.
#[derive(Serialize)]
struct Case {
    sql: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    args: Option<String>,
    /// What the session and the servers say.
    #[serde(skip_serializing_if = "Option::is_none")]
    given: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    refused: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    session: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    merge: Option<Merge>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    units: Vec<String>,
    /// What one server works the answer out with.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    finish: Vec<String>,
    /// What becomes of columns of the result.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    decorated: Vec<String>,
}

/// Parameters of a golden statement.
struct Values(Vec<Owned>);

enum Owned {
    Double(f64),
    Int(i64),
    Moment(DateTime),
    Null,
    Text(String),
    UInt(u64),
}

impl Arguments for Values {
    fn value(&self, index: usize) -> Value<'_> {
        match self.0.get(index) {
            Some(Owned::Double(value)) => Value::Double(*value),
            Some(Owned::Int(value)) => Value::Int(*value),
            Some(Owned::Moment(value)) => Value::Moment(wire::value::Value::DateTime(*value)),
            Some(Owned::Null) => Value::Null,
            Some(Owned::Text(text)) => Value::Bytes(text.as_bytes()),
            Some(Owned::UInt(value)) => Value::UInt(*value),
            None => Value::Other,
        }
    }
}

impl Values {
    /// `1, 'x', 1.5, NULL, @2024-01-02 12:00:00` (a `DATETIME`).
    fn read(text: &str) -> Self {
        let value = |text: &str| match text.trim() {
            "NULL" => Owned::Null,
            text if text.starts_with('@') => Owned::Moment(moment(&text[1..])),
            text if text.starts_with('\'') => Owned::Text(text.trim_matches('\'').to_owned()),
            text => text
                .parse()
                .map(Owned::Int)
                .or_else(|_| text.parse().map(Owned::UInt))
                .unwrap_or_else(|_| Owned::Double(text.parse().unwrap())),
        };
        Self(text.split(',').map(value).collect())
    }
}

/// `2024-01-02 12:00:00[.25]`.
fn moment(text: &str) -> DateTime {
    fn number<T: std::str::FromStr<Err: std::fmt::Debug>>(text: &str) -> T {
        text.parse().unwrap()
    }
    let date = Date { year: number(&text[..4]), month: number(&text[5..7]), day: number(&text[8..10]) };
    DateTime {
        date,
        hour: number(&text[11..13]),
        minute: number(&text[14..16]),
        second: number(&text[17..19]),
        micros: text.get(20..).map_or(0, |fraction| number(&format!("{fraction:0<6}"))),
    }
}

impl Case {
    fn new(line: &str, schema: Option<&str>, given: Option<&str>) -> Self {
        let (sql, args) = match line.split_once(" -- args: ") {
            Some((sql, args)) => (sql.trim(), Some(args.trim())),
            None => (line.trim(), None),
        };
        let mut case = Self {
            sql: sql.to_owned(),
            args: args.map(str::to_owned),
            given: given.map(str::to_owned),
            refused: None,
            session: None,
            merge: None,
            units: Vec::new(),
            finish: Vec::new(),
            decorated: Vec::new(),
        };
        if let Err(error) = case.plan(schema) {
            case.refused = Some(format!("{} {} {error}", error.code(), error.state()));
        }
        case
    }

    fn plan(&mut self, schema: Option<&str>) -> Result<(), Error> {
        let snapshot = fixture::snapshot();
        let sql = self.sql.clone();
        let mode = Mode::default();
        let fingerprint = Fingerprinter::fixed().fingerprint(&sql, mode)?;
        let template = Template::draft(&sql, &fingerprint, mode, snapshot, schema)?;
        if template.action() == Action::Session {
            self.session = Some(true);
            return Ok(());
        }
        let values = self.args.as_deref().map(Values::read);
        let params = values.as_ref().map(|values| values as &dyn Arguments);
        // Keys from 1001 on, or texts of one letter.
        let generated: Vec<_> = match template.generates() {
            Some((KeyGenerator::Snowflake(_), count)) => {
                (1..=i64::from(count)).map(|row| Generated::Number(1000 + row)).collect()
            }
            Some((KeyGenerator::Uuid, count)) => (0..count).map(|_| Generated::Text([b'a'; 32])).collect(),
            None => Vec::new(),
        };
        let call = Call {
            text: &sql,
            raw: sql.as_bytes(),
            slots: &fingerprint.slots,
            params,
            generated: &generated,
            own_zone: self.given.as_deref() == Some("own zone"),
            ..Call::default()
        };
        let mut plan = template.bind(&call)?;
        self.place(&template, &mut plan, &call)?;
        self.show(&plan, &template, &call);
        Ok(())
    }

    /// Chooses the units of sources that have several: `in transaction`, `read only`, `write only`, `down u`.
    fn place(&self, template: &Template, plan: &mut Plan, call: &Call<'_>) -> Result<(), Error> {
        let given: Vec<_> = self.given.iter().flat_map(|given| given.split(", ")).collect();
        let is_up = |unit: &StorageUnit| !given.contains(&format!("down {}", unit.name).as_str());
        let mut placement = Placement {
            in_transaction: given.contains(&"in transaction"),
            read_only: given.contains(&"read only"),
            write_only: given.contains(&"write only"),
            // Always the first turn.
            preview: true,
            chosen: &mut Chosen::default(),
            is_up: &is_up,
            random: 1,
            bereft: None,
        };
        template.place(plan, call, &mut placement)
    }

    /// Nodes whose text and arguments differ in nothing but the table's number share a line.
    fn show(&mut self, plan: &Plan, template: &Template, call: &Call<'_>) {
        let mut lines: Vec<(Vec<String>, String)> = Vec::new();
        for (unit, (name, text)) in plan.units.iter().zip(plan::explain(plan, template, call)) {
            let mut line = if template.verbatim(unit) { "verbatim".to_owned() } else { text };
            if let Some(args) = template.args(call, unit) {
                let args: Vec<_> = args.iter().map(argument).collect();
                write!(line, " -- [{}]", args.join(", ")).unwrap();
            }
            let place = unit.node.map_or_else(|| name.clone(), |node| format!("{name}.{node}"));
            if let Some(node) = unit.node.filter(|_| plan.units.len() > 1) {
                for (name, table) in &template.database().unwrap().sharding.tables {
                    let physical = format!("{name}_{node}");
                    if table.nodes.get(node as usize).is_some_and(|node| node.table == physical) {
                        line = line.replace(&physical, &format!("{name}_*"));
                    }
                }
            }
            match lines.iter_mut().find(|(_, known)| *known == line) {
                Some((places, _)) => places.push(place),
                None => lines.push((vec![place], line)),
            }
        }
        let all = (0..10).map(|node| format!("ds_{}.{node}", node % 4)).collect::<Vec<_>>().join(" ");
        let places = |places: Vec<String>| places.join(" ").replace(&all, "all 10");
        self.units = lines.into_iter().map(|(at, line)| format!("{}: {line}", places(at))).collect();
        let decorated = template.decorations().iter().map(|it| {
            let decrypt = it.decrypt.as_ref().map_or(String::new(), |how| format!(" decrypt {}", how.name()));
            let mask = if it.mask.is_some() { " mask" } else { "" };
            format!("{} {}.{}{decrypt}{mask}", it.column, it.table, it.name)
        });
        self.decorated = decorated.collect();
        if plan.merge == Merge::Finish {
            let first = &plan.units[0];
            let written = |variant| {
                let unit = plan::RouteUnit { variant, ..first.clone() };
                let mut text = Vec::new();
                template.render(call, &unit, &mut text);
                let mut text = String::from_utf8(text).unwrap();
                if let Some(args) = template.args(call, &unit).filter(|args| args.iter().next().is_some()) {
                    let args: Vec<_> = args.iter().map(argument).collect();
                    write!(text, " -- [{}]", args.join(", ")).unwrap();
                }
                text
            };
            let finish = [written(Variant::Head), "...".to_owned(), written(Variant::Tail)].join(" ");
            self.finish = vec![written(Variant::Define), finish];
            if template.begins() {
                self.finish.push(written(Variant::Begin));
            }
        }
        if plan.merge != Merge::Relay {
            self.merge = Some(plan.merge.clone());
        }
    }
}

/// An argument in short, texts as such.
fn argument(arg: wire::execute::Arg<'_>) -> String {
    match arg {
        wire::execute::Arg::Value(wire::value::Value::Bytes(text)) => {
            format!("'{}'", String::from_utf8_lossy(text))
        }
        arg => format!("{arg:?}"),
    }
}

/// Plans every statement of one file, in the database that its first line names.
fn golden(name: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("plan").join(format!("{name}.sql"));
    let text = std::fs::read_to_string(&path).unwrap();
    let (mut schema, mut given) = (None, None);
    let mut cases = Vec::new();
    for line in text.lines() {
        if let Some(database) = line.strip_prefix("-- database: ") {
            schema = Some(database.trim()).filter(|database| !database.is_empty() && *database != "none");
        } else if let Some(words) = line.strip_prefix("-- session: ") {
            given = Some(words.trim());
        } else if !line.trim().is_empty() && !line.starts_with("--") {
            cases.push(Case::new(line, schema, given));
        }
    }
    assert!(!cases.is_empty(), "{} holds no statement", path.display());
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../plan");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_yaml_snapshot!(name, cases));
}

macro_rules! goldens {
    ($($name:ident)*) => {
        $(#[test]
        fn $name() {
            golden(stringify!($name));
        })*
    };
}

goldens! {
    aggregates algorithms audit binding blocks broadcast catalog compose conditions ddl define encrypt_define encrypt_read encrypt_sharded encrypt_write explain filter
    finish generated insert joins keys mask modify nodes order pass_through readwrite select shadow shadow_compose show singles
    sorting writes
}

#[test]
fn column_definitions_show_logical_names() {
    let snapshot = fixture::snapshot();
    let names = |sql: &str, schema: &str| {
        let fingerprint = Fingerprinter::fixed().fingerprint(sql, Mode::default()).unwrap();
        let template = Template::draft(sql, &fingerprint, Mode::default(), snapshot, Some(schema)).unwrap();
        let plan = template
            .bind(&Call {
                text: sql,
                raw: sql.as_bytes(),
                slots: &fingerprint.slots,
                params: None,
                ..Call::default()
            })
            .unwrap();
        let renames = template.renames(&plan.units[0]);
        let name = |name: Option<&str>| name.map(str::to_owned);
        (
            name(renames.schema(b"sbtest")),
            name(renames.table(b"t_user_7")),
            name(renames.table(b"t_order_7")),
            renames.is_empty(),
        )
    };
    let some = |name: &str| Some(name.to_owned());
    let point = names("SELECT * FROM T_user WHERE id = 7", "sharding_db");
    assert_eq!(point, (some("sharding_db"), some("T_user"), None, false));
    let join =
        names("SELECT * FROM t_user u JOIN t_order o ON u.id = o.user_id WHERE u.id = 7", "sharding_db");
    assert_eq!(join, (some("sharding_db"), some("t_user"), some("t_order"), false));
    assert_eq!(names("SELECT * FROM t_single", "sharding_db"), (some("sharding_db"), None, None, false));
    assert_eq!(names("SELECT * FROM t", "same"), (None, None, None, true));
}

/// What a text that is small, but would be great when read carelessly, comes to.
fn planned(sql: &str) -> Result<Plan, Error> {
    let mode = Mode::default();
    let fingerprint = Fingerprinter::fixed().fingerprint(sql, mode).unwrap();
    let schema = if sql.contains("t_user") { "encrypted" } else { "nodes" };
    let template = Template::draft(sql, &fingerprint, mode, fixture::snapshot(), Some(schema))?;
    let (raw, slots) = (sql.as_bytes(), &*fingerprint.slots);
    template.bind(&Call { text: sql, raw, slots, params: None, ..Call::default() })
}

#[test]
fn columns_that_double_at_each_level_are_given_up() {
    let mut sql = "SELECT * FROM t_order".to_owned();
    for _ in 0..9 {
        sql = format!("SELECT {} FROM ({sql}) d", ["d.*"; 10].join(", "));
    }
    assert!(planned(&format!("SELECT d.order_id FROM ({sql}) d WHERE d.order_id = 1")).is_ok());
    let mut sql = "WITH c0 AS (SELECT * FROM t_order)".to_owned();
    for level in 1..=40 {
        write!(sql, ", c{level} AS (SELECT c{0}.*, c{0}.* FROM c{0})", level - 1).unwrap();
    }
    let ciphered = format!("{} SELECT 1 FROM c40", sql.replace("t_order", "t_user"));
    sql.push_str(" SELECT 1 FROM c40 JOIN t_item i USING (order_id, user_id)");
    assert!(planned(&sql).is_err());
    assert!(matches!(planned(&ciphered), Err(Error::Encrypted { .. })), "{:?}", planned(&ciphered).err());
}

#[test]
fn deep_joins_of_derived_tables_are_refused() {
    let joins: String = (0..61).map(|number| format!(" JOIN t_config a{number}")).collect();
    let mut sql = format!("WITH c0 AS (SELECT o.order_id FROM t_order o{joins})");
    for level in 1..250 {
        write!(sql, ", c{level} AS (SELECT c{0}.order_id FROM c{0}{joins})", level - 1).unwrap();
    }
    sql.push_str(" SELECT order_id FROM c249");
    assert!(planned(&sql).is_err());
    assert!(planned(&sql.replace("t_order", "t_user")).is_err());
    let mut sql = "WITH c0 AS (SELECT order_id FROM t_order)".to_owned();
    for level in 1..250 {
        write!(sql, ", c{level} AS (SELECT order_id FROM c{} UNION ALL SELECT 1)", level - 1).unwrap();
    }
    sql.push_str(" SELECT order_id FROM c249 GROUP BY order_id");
    assert!(planned(&sql).is_err());
}

#[test]
fn great_lists_are_refused_over_many_nodes() {
    let sums = |count| format!("SELECT SUM(a){} FROM t_order", ", SUM(a)".repeat(count));
    assert!(planned(&sums(10)).is_ok());
    assert!(planned(&sums(100_000)).is_err());
    let same = "o.order_id = i.order_id AND o.user_id = i.user_id AND ".repeat(20_000);
    let joined = "SELECT 1 FROM t_order o JOIN t_item i ON";
    assert!(planned(&format!("{joined} {same} 1 = 1")).is_err());
}

#[test]
fn what_is_no_utf_8_is_compared_with_nothing() {
    assert!(planned("SELECT INSTR(note, 'e') FROM t_order ORDER BY INSTR(note, 'e')").is_ok());
    for order in ["INSTR(note, '\u{1a}')", "`\u{1a}`"] {
        assert!(planned(&format!("SELECT {order} FROM t_order ORDER BY {order}")).is_err(), "{order}");
        assert!(planned(&format!("SELECT {order} FROM t_order GROUP BY {order}")).is_err(), "{order}");
    }
}

#[test]
fn names_of_columns_keep_their_bytes() {
    let raw = b"SELECT CONCAT(t_order.note, '\xe9`\xa8\x60') FROM t_order WHERE user_id = 1 AND order_id = 2";
    let text =
        "SELECT CONCAT(t_order.note, '\u{1a}`\u{1a}\u{1a}') FROM t_order WHERE user_id = 1 AND order_id = 2";
    let mode = Mode::default();
    let fingerprint = Fingerprinter::fixed().fingerprint(text, mode).unwrap();
    let template = Template::draft(text, &fingerprint, mode, fixture::snapshot(), Some("nodes")).unwrap();
    let call = Call { text, raw, slots: &fingerprint.slots, params: None, ..Call::default() };
    let mut out = Vec::new();
    template.render(&call, &template.bind(&call).unwrap().units[0], &mut out);
    let name = b" AS `CONCAT(t_order.note, '\xe9``\xa8\x60')` FROM ";
    assert!(out.windows(name.len()).any(|found| found == name), "{}", out.escape_ascii());
}
