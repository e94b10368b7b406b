//! Says in what two answers differ: the one of a plain server and the one of the proxy.

use wire::caps::Status;
use wire::column::{Column, ColumnFlags, ColumnType};

use crate::client::Prepared;
use crate::reply::{Done, Reply, Table};

/// What may differ.
#[derive(Debug, Clone, Default)]
pub struct Rules {
    /// The rows must come in the same order.
    pub ordered: bool,
    /// `SHOW WARNINGS` may show the warnings of each node together.
    pub gathered: bool,
    /// The rows come in the order of this many columns at their beginning; that of rows equal in them is not decided.
    pub sorted_by: usize,
    /// Floating-point numbers may differ in their last digits, as sums taken in another order do.
    pub approximate: bool,
    /// How a server goes about the statement shows in what it tells of columns: whether a temporary table has given an
    /// expression an original name, other flags and a type of fewer bytes, and whether a column still is part of a key.
    pub planned: bool,
    /// Only the names of columns count: those of `information_schema` are told in many ways, as the server goes about it.
    pub named: bool,
    /// Whether a derived table is merged into its query shows in the tables that its columns are said to be of.
    pub derived: bool,
    /// Which of several texts or zeros comes that are equal is not decided: small letters stand for all of them.
    pub spelled: bool,
    /// The order of the elements of a JSON array is not decided.
    pub shuffled: bool,
    /// The text of an error may differ: the unit that raises it sees the statement rewritten.
    pub worded: bool,
    /// The number of warnings does not count: it depends on how a server goes about the statement.
    pub unwarned: bool,
    /// Warnings may come once for each node.
    pub repeated: bool,
}

/// What is not the same about two statements that were prepared.
#[must_use]
pub fn differ_prepared(plain: &Prepared, proxied: &Prepared, rules: &Rules) -> Option<String> {
    if (plain.parameters, plain.warnings) != (proxied.parameters, proxied.warnings) {
        return Some(format!("prepared\n  plain {plain:?}\n  proxy {proxied:?}"));
    }
    columns(&plain.columns, &proxied.columns, rules).map(|told| format!("prepared {told}"))
}

/// What is not the same, if anything.
#[must_use]
pub fn differ(plain: &Reply, proxied: &Reply, rules: &Rules) -> Option<String> {
    match (plain, proxied) {
        (Reply::Error(plain), Reply::Error(proxied)) => {
            let same = plain.code == proxied.code
                && plain.state == proxied.state
                && (rules.worded || plain.text == proxied.text);
            (!same).then(|| format!("error\n  plain {plain}\n  proxy {proxied}"))
        }
        (Reply::Done(plain), Reply::Done(proxied)) => done(plain, &rules.once(plain, proxied)),
        (Reply::Rows(plain), Reply::Rows(proxied)) => columns(&plain.columns, &proxied.columns, rules)
            .or_else(|| rows(plain, proxied, rules))
            .or_else(|| {
                let (plain, proxied) = (&plain.end, rules.once(&plain.end, &proxied.end));
                (plain.warnings != proxied.warnings && !rules.unwarned)
                    .then(|| format!("warnings\n  plain {}\n  proxy {}", plain.warnings, proxied.warnings))
                    .or_else(|| status(plain, &proxied))
            }),
        (plain, proxied) => Some(format!("answer\n  plain {}\n  proxy {}", brief(plain), brief(proxied))),
    }
}

impl Rules {
    /// The proxy's answer, with warnings that came once for each node counted once.
    fn once(&self, plain: &Done, proxied: &Done) -> Done {
        let mut proxied = proxied.clone();
        let repeated = self.repeated && plain.warnings > 0 && proxied.warnings.is_multiple_of(plain.warnings);
        if repeated || self.unwarned {
            proxied.warnings = plain.warnings;
            let head = |info: &str| info.split("Warnings:").next().unwrap_or_default().to_owned();
            if head(&plain.info) == head(&proxied.info) {
                proxied.info.clone_from(&plain.info);
            }
        }
        proxied
    }

    /// What is decided about a cell.
    fn decided(&self, cell: String) -> String {
        let mut cell = cell;
        if self.spelled {
            let small = cell.trim_end_matches(' ').to_lowercase();
            cell = small.chars().map(plain_letter).collect::<String>().replace("ss", "s");
            if cell == "-0" {
                cell.remove(0);
            }
        }
        if let (true, Some(inner)) =
            (self.shuffled, cell.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')))
        {
            let mut elements: Vec<_> = inner.split(", ").collect();
            elements.sort_unstable();
            cell = format!("[{}]", elements.join(", "));
        }
        cell
    }
}

/// One letter for all that some collation holds equal, as far as tests use them.
const fn plain_letter(letter: char) -> char {
    match letter {
        'é' => 'e',
        'ä' => 'a',
        'ß' => 's',
        '😁' => '😀',
        other => other,
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
        | Status::CURSOR_EXISTS
        | Status::LAST_ROW_SENT
        | Status::PS_OUT_PARAMS
        | Status::NO_BACKSLASH_ESCAPES
        | Status::IN_TRANSACTION_READONLY;
    let (plain, proxied) = (plain.status & told, proxied.status & told);
    (plain != proxied).then(|| format!("status\n  plain {plain:?}\n  proxy {proxied:?}"))
}

fn columns(plain: &[Column], proxied: &[Column], rules: &Rules) -> Option<String> {
    if plain.len() != proxied.len() {
        let all = |columns: &[Column]| columns.iter().map(column).collect::<Vec<_>>().join(", ");
        return Some(format!("columns\n  plain {}\n  proxy {}", all(plain), all(proxied)));
    }
    plain
        .iter()
        .zip(proxied)
        .find(|(plain, proxied)| {
            plain != proxied
                && !(rules.named && plain.name == proxied.name)
                && !(rules.planned && told_by_any_plan(plain, rules) == told_by_any_plan(proxied, rules))
        })
        .map(|(plain, proxied)| format!("column\n  plain {}\n  proxy {}", column(plain), column(proxied)))
}

/// A flag that servers do not document for clients.
const PART_OF_KEY: ColumnFlags = ColumnFlags::from_bits_retain(1 << 14);

/// What does not depend on how a server goes about a statement.
fn told_by_any_plan(column: &Column, rules: &Rules) -> Column {
    let mut told = column.clone();
    if rules.derived {
        told.schema.clear();
        told.table.clear();
        told.org_name.clear();
    }
    let planned = ColumnFlags::PRIMARY_KEY
        | ColumnFlags::UNIQUE_KEY
        | ColumnFlags::MULTIPLE_KEY
        | PART_OF_KEY
        | ColumnFlags::BINARY
        | ColumnFlags::NO_DEFAULT_VALUE;
    told.flags = told.flags.difference(planned);
    if told.org_table.is_empty() {
        told.org_name.clear();
        // 31 stands for "not said".
        told.decimals %= 31;
        told.flags = told
            .flags
            .difference(ColumnFlags::BLOB | ColumnFlags::SET | ColumnFlags::ENUM | ColumnFlags::ZEROFILL);
        told.kind = match told.kind {
            ColumnType::TINY | ColumnType::SHORT | ColumnType::INT24 | ColumnType::LONG => {
                ColumnType::LONGLONG
            }
            ColumnType::TINY_BLOB | ColumnType::MEDIUM_BLOB | ColumnType::LONG_BLOB => ColumnType::BLOB,
            ColumnType::STRING => ColumnType::VAR_STRING,
            kind => kind,
        };
        // Temporary tables count the bytes of numbers and long texts in ways of their own.
        if matches!(told.kind, ColumnType::LONGLONG | ColumnType::BLOB | ColumnType::JSON) {
            told.length = 0;
        }
        if told.kind == ColumnType::JSON {
            told.charset = 0;
        }
    }
    told
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
    if rules.sorted_by > 0 {
        let keys = |table: &Table| -> Vec<Vec<String>> {
            let cut =
                |row: Vec<String>| row.into_iter().take(rules.sorted_by).map(|cell| rules.decided(cell));
            table.text().into_iter().map(|row| cut(row).collect()).collect()
        };
        let (ours, theirs) = (keys(plain), keys(proxied));
        if let Some(at) = ours.iter().zip(&theirs).position(|(one, other)| one != other) {
            return Some(told(at, &ours[at], &theirs[at], (plain, proxied)));
        }
    }
    if rules.approximate || rules.spelled || rules.shuffled || rules.planned || rules.named {
        return loosely(plain, proxied, rules);
    }
    let sorted = |table: &Table| {
        let mut rows: Vec<&[u8]> = table.rows.iter().map(Vec::as_slice).collect();
        if !rules.ordered {
            rows.sort_unstable();
        }
        rows.into_iter().map(<[u8]>::to_vec).collect::<Vec<_>>()
    };
    let (ours, theirs) = (sorted(plain), sorted(proxied));
    let at = ours.iter().zip(&theirs).position(|(one, other)| one != other)?;
    Some(told(at, &plain.row_text(&ours[at]), &plain.row_text(&theirs[at]), (plain, proxied)))
}

/// Compares what is decided in cells that are not decided to the last byte.
fn loosely(plain: &Table, proxied: &Table, rules: &Rules) -> Option<String> {
    let sorted = |table: &Table| {
        let mut rows: Vec<Vec<String>> = table
            .text()
            .into_iter()
            .map(|row| row.into_iter().map(|cell| rules.decided(cell)).collect())
            .collect();
        if !rules.ordered {
            // A floating-point number is near its other in another row, too, when both are rounded first.
            rows.sort_by_cached_key(|row| {
                (row.iter().map(|cell| rounded(cell)).collect::<Vec<_>>(), row.clone())
            });
        }
        rows
    };
    let (ours, theirs) = (sorted(plain), sorted(proxied));
    let at = ours
        .iter()
        .zip(&theirs)
        .position(|(one, other)| one != other && !(rules.approximate && near(plain, one, other)))?;
    Some(told(at, &ours[at], &theirs[at], (plain, proxied)))
}

fn told(at: usize, ours: &[String], theirs: &[String], (plain, proxied): (&Table, &Table)) -> String {
    format!(
        "row {at}\n  plain {ours:?}\n  proxy {theirs:?}\n  plain all {}\n  proxy all {}",
        shown(plain),
        shown(proxied)
    )
}

fn rounded(cell: &str) -> String {
    match cell.parse::<f64>() {
        Ok(number) if cell.contains(['.', 'e']) => format!("{number:.5e}"),
        _ => cell.to_owned(),
    }
}

/// What `SHOW WARNINGS` shows.
fn messages(plain: &Table, proxied: &Table, rules: &Rules) -> Option<String> {
    let (mut expected, mut told) = (plain.text(), proxied.text());
    if rules.gathered {
        told.sort_unstable();
        expected.sort_unstable();
    }
    (expected != told).then(|| format!("messages\n  plain {}\n  proxy {}", shown(plain), shown(proxied)))
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
            (Ok(one), Ok(other)) => (one - other).abs() <= (1e-9 * one.abs().max(other.abs())).max(1e-12),
            _ => one == other,
        }
    })
}
