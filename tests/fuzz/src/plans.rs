//! From a statement to its plan: over the databases of the golden plans, with whatever statement.

use std::sync::Arc;

use meta::{KeyGenerator, StorageUnit};
use plan::{
    Action, Arguments, Cache, Call, Chosen, Generated, Kept, Merge, Placement, Plan, RouteUnit, Template,
    Value, Variant,
};
use sql::lexer::tokens;
use sql::{Fingerprint, Fingerprinter, Mode, SlotKind};

use crate::{Choices, seen};

#[path = "../../tests/plan/fixture.rs"]
#[expect(clippy::unwrap_used, reason = "made for tests, which fail where it happens")]
mod fixture;

/// Databases of the fixture.
const SCHEMAS: [&str; 10] = [
    "sharding_db",
    "nodes",
    "encrypted",
    "shadow_db",
    "composed",
    "groups_db",
    "both",
    "plain",
    "same",
    "empty",
];

/// Words that mean something to a plan.
pub(crate) const WORDS: &[&str] = &[
    "SELECT",
    "*",
    "COUNT(*)",
    "SUM(age)",
    "FROM",
    "t_user",
    "t_order",
    "t_single",
    "JOIN",
    "ON",
    "WHERE",
    "id = 7",
    "id = ?",
    "id IN (1, ?, 3)",
    "id BETWEEN 3 AND 5",
    "user_id = id",
    "mobile = '13800001111'",
    "AND",
    "OR",
    "NOT",
    "GROUP BY",
    "ORDER BY",
    "name",
    "LIMIT 3",
    "LIMIT ?, 2",
    "HAVING",
    "UNION ALL",
    "(",
    ")",
    ",",
    "AS a",
    "DISTINCT",
    "INSERT INTO",
    "VALUES (1, 2)",
    "(?, 'x')",
    "ON DUPLICATE KEY UPDATE n = 1",
    "UPDATE",
    "SET",
    "n = n + 1",
    "DELETE",
    "REPLACE",
    "CREATE TABLE",
    "ALTER TABLE",
    "DROP TABLE",
    "TRUNCATE",
    "INDEX",
    "EXPLAIN",
    "SHOW",
    "WITH c AS (SELECT 1)",
    "NULL",
    "1.5",
    "-1",
    "18446744073709551615",
    "'9'",
    "x'37'",
    "@a",
    "/* SHARDINGSPHERE_HINT: WRITE_ROUTE_ONLY=true */",
    "/* SHARDINGSPHERE_HINT: SHADOW=true */",
    "sharding_db.",
    "`t_user`",
    "ROLLUP",
    "OVER ()",
    "EXISTS",
    "NOW()",
    "id",
    "FOR UPDATE",
    "LOAD DATA",
];

/// Parameters of an execute.
struct Given<'a>(&'a [u8]);

impl Arguments for Given<'_> {
    fn value(&self, index: usize) -> Value<'_> {
        let byte = self.0.get(index % self.0.len().max(1)).copied().unwrap_or_default();
        match byte % 7 {
            0 => Value::Null,
            1 => Value::Bytes(self.0),
            2 => Value::Bytes(b"7"),
            3 => Value::Double(f64::from(byte) / 4.0),
            4 => Value::UInt(u64::MAX - u64::from(byte)),
            5 => Value::Other,
            _ => Value::Int(i64::from(byte) - 100),
        }
    }

    fn is_decimal(&self, index: usize) -> bool {
        index % 5 == 2
    }
}

fn call<'a>(
    text: &'a str,
    print: &'a Fingerprint,
    params: Option<&'a dyn Arguments>,
    generated: &'a [Generated],
) -> Call<'a> {
    Call { text, raw: text.as_bytes(), slots: &print.slots, params, generated, ..Call::default() }
}

/// As many keys as a template asks for.
fn generated(template: &Template) -> Vec<Generated> {
    match template.generates() {
        Some((KeyGenerator::Snowflake(_), count)) => {
            (1..=i64::from(count)).map(|row| Generated::Number(1000 + row)).collect()
        }
        Some((KeyGenerator::Uuid, count)) => (0..count).map(|_| Generated::Text([b'a'; 32])).collect(),
        None => Vec::new(),
    }
}

/// A plan and what each node gets, or why there is none.
fn told(
    template: &Template,
    text: &str,
    print: &Fingerprint,
    params: &Given<'_>,
) -> Result<Vec<String>, String> {
    let generated = generated(template);
    let params: Option<&dyn Arguments> = (template.params() > 0).then_some(params);
    let call = call(text, print, params, &generated);
    let mut plan = template.bind(&call).map_err(|error| error.to_string())?;
    let mut told = vec![format!("{:?} {}", plan.merge, plan.units.len())];
    for unit in &plan.units {
        told.push(format!("{:?} {:?} {}", unit.unit, unit.node, rendered(template, &call, unit)));
        template.renames(unit);
    }
    if plan.merge == Merge::Finish {
        for variant in [Variant::Head, Variant::Tail, Variant::Define] {
            let unit = RouteUnit { variant, ..plan.units[0].clone() };
            told.push(rendered(template, &call, &unit));
        }
    }
    place(template, &mut plan, &call);
    Ok(told)
}

fn rendered(template: &Template, call: &Call<'_>, unit: &RouteUnit) -> String {
    let mut out = Vec::new();
    template.render(call, unit, &mut out);
    let text = String::from_utf8(out).expect("a text cut within a character");
    let args = template.args(call, unit).map(|args| args.iter().count());
    format!("{text} {args:?}")
}

/// Units are found for each source, or it is refused.
fn place(template: &Template, plan: &mut Plan, call: &Call<'_>) {
    let is_up = |_: &StorageUnit| true;
    let mut placement = Placement {
        in_transaction: false,
        read_only: false,
        write_only: false,
        preview: true,
        chosen: &mut Chosen::default(),
        is_up: &is_up,
        random: 1,
        bereft: None,
    };
    let placed = template.place(plan, call, &mut placement);
    assert!(placed.is_err() || !plan.units.is_empty() || call.text.is_empty() || plan.merge != Merge::Relay);
}

/// The same text with other numbers where its values are.
fn otherwise(text: &str, print: &Fingerprint, number: u8) -> String {
    let (mut other, mut end) = (String::new(), 0);
    for (at, slot) in print.slots.iter().enumerate() {
        other.push_str(&text[end..slot.start as usize]);
        match slot.kind {
            SlotKind::Integer if at % 2 == 0 => other.push_str(&u32::from(number).to_string()),
            _ => other.push_str(slot.text(text)),
        }
        end = slot.end as usize;
    }
    other.push_str(&text[end..]);
    other
}

/// One statement in one database: planned or refused, and alike from the cache.
pub(crate) fn plans(input: &[u8]) -> u64 {
    let (mut choices, input) = Choices::split(input, 8);
    let schema = SCHEMAS[usize::from(choices.next()) % SCHEMAS.len()];
    let number = choices.next();
    let params = Given(choices.0);
    let text = String::from_utf8_lossy(input);
    let text = text.as_ref();
    let (mode, snapshot) = (Mode::default(), fixture::snapshot());
    let Ok(print) = Fingerprinter::fixed().fingerprint(text, mode) else { return 0 };
    let drafted = Template::draft(text, &print, mode, snapshot, Some(schema));
    let template = match drafted {
        Ok(template) => template,
        Err(error) => {
            assert!(error.code() > 0 && error.state().len() == 5);
            return seen((schema, error.code(), error.to_string().len()));
        }
    };
    if template.action() == Action::Session {
        return seen((schema, "session"));
    }
    let first = told(&template, text, &print, &params);
    drop(template.sample());
    // A text with other values finds the first one's template and must be planned as if it had come alone.
    let other = otherwise(text, &print, number);
    let Ok(again) = Fingerprinter::fixed().fingerprint(&other, mode) else { return 1 };
    let mut cache = Cache::new(1 << 20, Arc::default());
    let mut cached = |text: &str, print: &Fingerprint| {
        cache.template(text, print, mode, snapshot, Some(schema), Kept::Alike)
    };
    assert!(cached(text, &print).is_ok(), "drafted, but not for the cache");
    let alone = Template::draft(&other, &again, mode, snapshot, Some(schema))
        .map_err(|error| error.to_string())
        .and_then(|template| told(&template, &other, &again, &params));
    let shared = cached(&other, &again)
        .map_err(|error| error.to_string())
        .and_then(|template| told(&template, &other, &again, &params));
    assert_eq!(alone, shared, "{other:?} in {schema} after {text:?}");
    let shape = first
        .as_ref()
        .map(|told| (told[0].clone(), told.get(1).map(|line| tokens(line, mode).map_or(0, |all| all.len()))));
    seen((schema, shape.map_err(String::len)))
}

/// The statements of the golden plans.
pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let files = [
        include_str!("../../plan/select.sql"),
        include_str!("../../plan/aggregates.sql"),
        include_str!("../../plan/blocks.sql"),
        include_str!("../../plan/conditions.sql"),
        include_str!("../../plan/ddl.sql"),
        include_str!("../../plan/encrypt_read.sql"),
        include_str!("../../plan/encrypt_write.sql"),
        include_str!("../../plan/finish.sql"),
        include_str!("../../plan/insert.sql"),
        include_str!("../../plan/joins.sql"),
        include_str!("../../plan/keys.sql"),
        include_str!("../../plan/mask.sql"),
        include_str!("../../plan/modify.sql"),
        include_str!("../../plan/nodes.sql"),
        include_str!("../../plan/order.sql"),
        include_str!("../../plan/readwrite.sql"),
        include_str!("../../plan/shadow.sql"),
        include_str!("../../plan/writes.sql"),
    ];
    let mut seeds = Vec::new();
    for file in files {
        let mut schema = 0;
        for line in file.lines() {
            if let Some(name) = line.strip_prefix("-- database: ") {
                schema = SCHEMAS.iter().position(|known| *known == name.trim()).unwrap_or(0);
            } else if !line.trim().is_empty() && !line.starts_with("--") {
                let statement = line.split(" -- args:").next().unwrap_or(line);
                let front = [schema as u8, 9, 6, 13, 2, 1, 20, 107];
                seeds.push([&front[..], statement.as_bytes()].concat());
            }
        }
    }
    seeds
}
