//! Statements and what is read out of them, in a short notation: `#2` is slot 2, `⟦…⟧` the text of a span.

mod any;
mod dml;
mod plain;
mod reads;
mod selects;
mod uses;

use super::*;
use crate::{
    Aggregate, Arithmetic, Column, Comparison, Fingerprinter, InsertSource, ItemKind, Modify, Predicate,
    Scalar, Select, SetColumn, Slot, Sort, SortBy, Span,
};

/// A text and all that is known of it.
struct Read {
    text: String,
    slots: Vec<Slot>,
    statement: Statement,
}

fn try_read(text: &str, mode: Mode) -> Result<Read, Error> {
    let fingerprint = Fingerprinter::fixed().fingerprint(text, mode)?;
    let statement = analyse(text, &fingerprint, mode)?;
    Ok(Read { text: text.to_owned(), slots: fingerprint.slots.to_vec(), statement })
}

/// Reads a text that must be understood to its end.
fn read(text: &str) -> Read {
    let read = try_read(text, Mode::default()).unwrap();
    assert_eq!(read.statement.unparsed, None, "{text}");
    read
}

impl Read {
    fn span(&self, span: Span) -> &str {
        span.text(&self.text, &self.slots)
    }

    fn select(&self) -> &Select {
        match &self.statement.body {
            Body::Select(select) => select,
            body => panic!("{}: {body:?}", self.text),
        }
    }

    fn modify(&self) -> &Modify {
        match &self.statement.body {
            Body::Update(modify) | Body::Delete(modify) => modify,
            body => panic!("{}: {body:?}", self.text),
        }
    }

    /// `db.t alias`, in parentheses when nested; the span must be what is named.
    fn tables(&self) -> String {
        let tables = self.statement.tables.iter().map(|table| {
            let schema = table.schema.as_ref().map_or(String::new(), |schema| format!("{schema}."));
            let alias = table.alias.as_ref().map_or(String::new(), |alias| format!(" {alias}"));
            let span = self.span(table.span).replace(['`', ' '], "");
            assert_eq!(span, format!("{schema}{}", table.name), "{}", self.text);
            let name = format!("{schema}{}{alias}", table.name);
            if table.nested { format!("({name})") } else { name }
        });
        tables.collect::<Vec<_>>().join(", ")
    }

    /// Each mention as `table number:⟦text⟧`.
    fn owners(&self) -> String {
        let owners =
            self.statement.owners.iter().map(|owner| format!("{}:{}", owner.table, self.span(owner.span)));
        owners.collect::<Vec<_>>().join(", ")
    }

    fn items(&self) -> String {
        let items = self.select().items.iter().map(|item| {
            let kind = match &item.kind {
                ItemKind::Aggregate(aggregate) => self.aggregate(aggregate),
                ItemKind::Column(found) => column(found),
                ItemKind::Expression => "expression".to_owned(),
                ItemKind::OverAggregate => "over".to_owned(),
                ItemKind::Wildcard => "*".to_owned(),
            };
            let alias = item.alias.as_ref().map_or(String::new(), |alias| format!(" as {alias}"));
            format!("{kind}{alias} ⟦{}⟧", self.span(item.span))
        });
        items.collect::<Vec<_>>().join(", ")
    }

    fn aggregate(&self, aggregate: &Aggregate) -> String {
        let distinct = if aggregate.distinct { "distinct " } else { "" };
        let argument = aggregate.argument.map_or("", |argument| self.span(argument));
        let column = aggregate.column.as_ref().map_or(String::new(), |found| format!(" = {}", column(found)));
        format!("{:?}({distinct}{argument}{column})", aggregate.function)
    }

    fn sorts(&self, sorts: &[Sort]) -> String {
        let sorts = sorts.iter().map(|sort| {
            let by = match &sort.by {
                SortBy::Column(found) => column(found),
                SortBy::Expression => "expression".to_owned(),
                SortBy::OverAggregate => "over".to_owned(),
                SortBy::Ordinal(number) => format!("ordinal {number}"),
            };
            format!("{by}{} ⟦{}⟧", if sort.descending { " desc" } else { "" }, self.span(sort.span))
        });
        sorts.collect::<Vec<_>>().join(", ")
    }

    fn rows(&self) -> Vec<String> {
        let Body::Insert(insert) = &self.statement.body else { panic!("{}", self.text) };
        match &insert.source {
            InsertSource::Rows(rows) => {
                rows.iter().map(|row| format!("{} ⟦{}⟧", scalars(&row.values), self.span(row.span))).collect()
            }
            InsertSource::Query(_) => vec!["query".to_owned()],
            InsertSource::Set(values) => vec![scalars(values)],
        }
    }
}

fn column(column: &Column) -> String {
    match &column.owner {
        Some(owner) => format!("{owner}.{}", column.name),
        None => column.name.clone(),
    }
}

fn scalar(value: &Scalar) -> String {
    match value {
        Scalar::Arithmetic(op, left, right) => {
            let sign = match op {
                Arithmetic::Add => '+',
                Arithmetic::Divide => '/',
                Arithmetic::Multiply => '*',
                Arithmetic::Remainder => '%',
                Arithmetic::Subtract => '-',
            };
            format!("({}{sign}{})", scalar(left), scalar(right))
        }
        Scalar::Cast { unsigned, inner } => format!("{}{}", if *unsigned { "u" } else { "i" }, scalar(inner)),
        Scalar::Default => "default".to_owned(),
        Scalar::Negative(inner) => format!("-{}", scalar(inner)),
        Scalar::Null => "null".to_owned(),
        Scalar::Opaque => "?".to_owned(),
        Scalar::Slot(slot) => format!("#{slot}"),
        Scalar::Truth(truth) => truth.to_string(),
        Scalar::Values(column) => format!("values({column})"),
    }
}

fn scalars(values: &[Scalar]) -> String {
    values.iter().map(scalar).collect::<Vec<_>>().join(" ")
}

fn filter(predicate: &Predicate) -> String {
    let list = |terms: &[Predicate]| terms.iter().map(filter).collect::<Vec<_>>().join(", ");
    match predicate {
        Predicate::And(terms) => format!("and({})", list(terms)),
        Predicate::Between { column: found, low, high } => {
            format!("{} in {}..{}", column(found), scalar(low), scalar(high))
        }
        Predicate::Compare { column: found, op, value } => {
            let sign = match op {
                Comparison::Equal => "=",
                Comparison::Greater => ">",
                Comparison::GreaterOrEqual => ">=",
                Comparison::Less => "<",
                Comparison::LessOrEqual => "<=",
                Comparison::NotEqual => "<>",
            };
            format!("{} {sign} {}", column(found), scalar(value))
        }
        Predicate::In { column: found, values } => format!("{} in [{}]", column(found), scalars(values)),
        Predicate::Equal(left, right) => format!("{} == {}", column(left), column(right)),
        Predicate::Opaque => "?".to_owned(),
        Predicate::Or(terms) => format!("or({})", list(terms)),
        Predicate::True => "true".to_owned(),
        Predicate::Within { columns, block, negated } => {
            let not = if *negated { "not " } else { "" };
            format!("{} {not}within {block}", columns.iter().map(column).collect::<Vec<_>>().join(" "))
        }
    }
}

fn set(set: &[SetColumn]) -> String {
    let set = set.iter().map(|set| {
        let owner = set.owner.as_ref().map_or(String::new(), |owner| format!("{owner}."));
        format!("{owner}{} = {}", set.column, scalar(&set.value))
    });
    set.collect::<Vec<_>>().join(", ")
}
