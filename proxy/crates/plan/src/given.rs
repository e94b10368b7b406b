//! Whether an `INSERT` gives the `AUTO_INCREMENT` column its value itself.
//!
//! The answer carries an id either way, but only a generated one is `LAST_INSERT_ID()`.

use meta::Database;
use sql::{Body, Insert, InsertSource, Scalar, Statement};

use crate::call::{Bound, Call, Constant};
use crate::template::Template;

/// Where the id of an `INSERT` comes from.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Given {
    /// The server generated it.
    No,
    /// Only the server can tell; or the structure of the table would.
    Unknown,
    /// From the statement.
    Yes,
}

/// What is known of it before values are.
#[derive(Clone, Debug)]
pub(crate) enum Key {
    /// Any of the values of the last row: nobody knows which column is the one.
    Any(Box<[Scalar]>),
    /// It is not among the columns, or this is no `INSERT`.
    Generated,
    /// This value of the last row.
    One(Scalar),
    /// From a query.
    Query,
}

impl Key {
    pub(crate) fn of(statement: &Statement, database: Option<&Database>) -> Self {
        let Body::Insert(insert) = &statement.body else { return Self::Generated };
        let known = statement
            .tables
            .get(usize::from(insert.table))
            .and_then(|table| Some(crate::scope::columns(database?, &table.name)))
            .filter(|known| !known.is_empty());
        let Some(known) = known else {
            return last(insert).map_or(Self::Query, |row| Self::Any(row.into()));
        };
        let mut columns = known.iter();
        let Some(at) = columns.position(|column| column.auto_increment) else { return Self::Generated };
        let at = if insert.columns.is_empty() && insert.columns_span.is_none() {
            at
        } else {
            let name = &known[at].name;
            match insert.columns.iter().position(|column| column.eq_ignore_ascii_case(name)) {
                Some(at) => at,
                None => return Self::Generated,
            }
        };
        match last(insert) {
            Some(row) => row.get(at).map_or(Self::Generated, |value| Self::One(value.clone())),
            None => Self::Query,
        }
    }
}

/// The values of the last row; nothing when they come from a query.
fn last(insert: &Insert) -> Option<&[Scalar]> {
    match &insert.source {
        InsertSource::Query(_) => None,
        InsertSource::Rows(rows) => Some(rows.last().map_or(&[], |row| &row.values)),
        InsertSource::Set(values) => Some(values),
    }
}

impl Template {
    /// Where the id that an answer tells comes from.
    pub fn given(&self, call: &Call<'_>, id: u64) -> Given {
        let bound = self.bound(call);
        match &self.key {
            Key::Generated => Given::No,
            Key::Query => Given::Unknown,
            Key::One(value) => compare(value, bound, id),
            Key::Any(values) => {
                let some = values.iter().any(|value| compare(value, bound, id) != Given::No);
                if some { Given::Unknown } else { Given::No }
            }
        }
    }
}

fn compare(value: &Scalar, bound: Bound<'_>, id: u64) -> Given {
    let same = |equal: bool| if equal { Given::Yes } else { Given::No };
    match bound.constant(value) {
        Constant::Int(value) => same(value == i128::from(id)),
        Constant::Text(text) => match text.trim().parse::<u64>() {
            Ok(value) => same(value == id),
            // A text of any other column; of a number only the server knows the value.
            Err(_) if text.starts_with(|first: char| first.is_ascii_digit()) => Given::Unknown,
            Err(_) => Given::No,
        },
        Constant::Null => Given::No,
        Constant::Unknown if matches!(value, Scalar::Default) => Given::No,
        Constant::Decimal(..) | Constant::Float(_) | Constant::Moment(_) | Constant::Unknown => {
            Given::Unknown
        }
    }
}
