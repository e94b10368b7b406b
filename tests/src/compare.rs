//! Says in what two answers differ: the one of a plain server and the one of the proxy.

use wire::caps::Status;
use wire::column::{Column, ColumnType};

use crate::reply::{Done, Reply, Table};

/// What may differ, and what the proxy's names stand for.
#[derive(Debug, Clone, Default)]
pub struct Rules {
    /// The rows must come in the same order.
    pub ordered: bool,
    /// Floating-point numbers may differ in their last digits, as sums taken in another order do.
    pub approximate: bool,
    /// The text of an error may differ: the unit that raises it sees the statement rewritten.
    pub worded: bool,
    /// The number of warnings of rows does not count: it depends on how a server goes about the statement.
    pub unwarned: bool,
    /// Warnings may come once for each node.
    pub repeated: bool,
    /// The name of the database on the units, which the logical one stands for.
    pub physical: String,
    /// The logical name.
    pub logical: String,
    /// Tables whose actual names end in a number.
    pub sharded: Vec<String>,
}

/// What is not the same, if anything.
#[must_use]
pub fn differ(plain: &Reply, proxied: &Reply, rules: &Rules) -> Option<String> {
    match (plain, proxied) {
        (Reply::Error(plain), Reply::Error(proxied)) => {
            let text = rules.logical_names(&proxied.text);
            let same = plain.code == proxied.code
                && plain.state == proxied.state
                && (rules.worded || plain.text == text);
            (!same).then(|| format!("error\n  plain {plain}\n  proxy {proxied}"))
        }
        (Reply::Done(plain), Reply::Done(proxied)) => done(plain, &rules.once(plain, proxied)),
        (Reply::Rows(plain), Reply::Rows(proxied)) => {
            columns(plain, proxied).or_else(|| rows(plain, proxied, rules)).or_else(|| {
                let (plain, proxied) = (&plain.end, rules.once(&plain.end, &proxied.end));
                (plain.warnings != proxied.warnings && !rules.unwarned)
                    .then(|| format!("warnings\n  plain {}\n  proxy {}", plain.warnings, proxied.warnings))
                    .or_else(|| status(plain, &proxied))
            })
        }
        (plain, proxied) => Some(format!("answer\n  plain {}\n  proxy {}", brief(plain), brief(proxied))),
    }
}

impl Rules {
    /// The proxy's answer, with warnings that came once for each node counted once.
    fn once(&self, plain: &Done, proxied: &Done) -> Done {
        let mut proxied = proxied.clone();
        if self.repeated && plain.warnings > 0 && proxied.warnings.is_multiple_of(plain.warnings) {
            proxied.warnings = plain.warnings.min(proxied.warnings);
        }
        proxied
    }

    /// A text of a unit in the client's terms.
    fn logical_names(&self, text: &str) -> String {
        let mut text = text.to_owned();
        if !self.physical.is_empty() {
            text = text.replace(&self.physical, &self.logical);
        }
        for table in &self.sharded {
            let mut out = String::with_capacity(text.len());
            let prefix = format!("{table}_");
            let mut rest = text.as_str();
            while let Some(at) = rest.find(&prefix) {
                let after = &rest[at + prefix.len()..];
                let digits = after.bytes().take_while(u8::is_ascii_digit).count();
                out.push_str(&rest[..at]);
                out.push_str(if digits > 0 { table } else { &prefix });
                rest = &after[digits..];
            }
            out.push_str(rest);
            text = out;
        }
        text
    }
}

fn brief(reply: &Reply) -> String {
    match reply {
        Reply::Done(done) => format!("OK, {} rows affected", done.affected),
        Reply::Error(fault) => format!("error {fault}"),
        Reply::Rows(table) => format!("{} rows of {:?}", table.rows.len(), table.names()),
    }
}

fn done(plain: &Done, proxied: &Done) -> Option<String> {
    let shown = |done: &Done| {
        format!(
            "{} affected, insert id {}, {} warnings, info {:?}",
            done.affected, done.insert_id, done.warnings, done.info
        )
    };
    let (one, other) = (shown(plain), shown(proxied));
    (one != other).then(|| format!("OK\n  plain {one}\n  proxy {other}")).or_else(|| status(plain, proxied))
}

fn status(plain: &Done, proxied: &Done) -> Option<String> {
    let told = Status::IN_TRANSACTION
        | Status::AUTOCOMMIT
        | Status::MORE_RESULTS_EXIST
        | Status::NO_BACKSLASH_ESCAPES
        | Status::IN_TRANSACTION_READONLY;
    let (plain, proxied) = (plain.status & told, proxied.status & told);
    (plain != proxied).then(|| format!("status\n  plain {plain:?}\n  proxy {proxied:?}"))
}

fn columns(plain: &Table, proxied: &Table) -> Option<String> {
    if plain.columns.len() != proxied.columns.len() {
        return Some(format!("columns\n  plain {:?}\n  proxy {:?}", plain.names(), proxied.names()));
    }
    plain
        .columns
        .iter()
        .zip(&proxied.columns)
        .find(|(plain, proxied)| plain != proxied)
        .map(|(plain, proxied)| format!("column\n  plain {}\n  proxy {}", column(plain), column(proxied)))
}

fn column(column: &Column) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    format!(
        "{}.{}({}).{}({}) {} charset {} length {} decimals {} {:?}",
        text(&column.schema),
        text(&column.table),
        text(&column.org_table),
        text(&column.name),
        text(&column.org_name),
        column.kind.name(),
        column.charset,
        column.length,
        column.decimals,
        column.flags
    )
}

fn rows(plain: &Table, proxied: &Table, rules: &Rules) -> Option<String> {
    if plain.rows.len() != proxied.rows.len() {
        return Some(format!(
            "number of rows\n  plain {}: {}\n  proxy {}: {}",
            plain.rows.len(),
            shown(plain),
            proxied.rows.len(),
            shown(proxied)
        ));
    }
    if plain.names() == ["Level", "Code", "Message"] {
        return messages(plain, proxied, rules);
    }
    let sorted = |table: &Table| {
        let mut rows: Vec<&[u8]> = table.rows.iter().map(Vec::as_slice).collect();
        if !rules.ordered {
            rows.sort_unstable();
        }
        rows.into_iter().map(<[u8]>::to_vec).collect::<Vec<_>>()
    };
    let (ours, theirs) = (sorted(plain), sorted(proxied));
    let at = ours.iter().zip(&theirs).position(|(one, other)| {
        one != other && !(rules.approximate && near(plain, &plain.row_text(one), &plain.row_text(other)))
    })?;
    Some(format!(
        "row {at}\n  plain {:?}\n  proxy {:?}\n  plain all {}\n  proxy all {}",
        plain.row_text(&ours[at]),
        plain.row_text(&theirs[at]),
        shown(plain),
        shown(proxied)
    ))
}

/// What `SHOW WARNINGS` shows, in the client's terms.
fn messages(plain: &Table, proxied: &Table, rules: &Rules) -> Option<String> {
    let told: Vec<Vec<String>> = proxied
        .text()
        .into_iter()
        .map(|row| row.iter().map(|cell| rules.logical_names(cell)).collect())
        .collect();
    (plain.text() != told).then(|| format!("messages\n  plain {}\n  proxy {}", shown(plain), shown(proxied)))
}

fn shown(table: &Table) -> String {
    let rows: Vec<_> = table.text().into_iter().take(24).map(|row| row.join("|")).collect();
    let text = rows.join(" / ");
    text.chars().take(1200).collect()
}

/// Whether two rows are the same but for the last digits of floating-point numbers.
fn near(table: &Table, one: &[String], other: &[String]) -> bool {
    table.columns.iter().zip(one.iter().zip(other)).all(|(column, (one, other))| {
        if !matches!(column.kind, ColumnType::DOUBLE | ColumnType::FLOAT) {
            return one == other;
        }
        match (one.parse::<f64>(), other.parse::<f64>()) {
            (Ok(one), Ok(other)) => (one - other).abs() <= 1e-9 * one.abs().max(other.abs()).max(1e-300),
            _ => one == other,
        }
    })
}
