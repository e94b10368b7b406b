//! Generated keys (`algorithms.md` §2): an `INSERT` that does not name the column gets it, and a value for each row.

use sql::{Body, InsertSource, Place, Span};

use crate::error::{Error, Refused};
use crate::route::Route;
use crate::scope::{Home, Scope};
use crate::text::{Edits, Op, put_name};

/// Adds the column and its values at the end of the list, of each row, or of `SET`.
pub(crate) fn edit(scope: &Scope<'_>, route: &Route, edits: &mut Edits) -> Result<(), Error> {
    let (Route::Rows(rows), Body::Insert(insert)) = (route, &scope.statement.body) else { return Ok(()) };
    let Some(Home::Sharded(rule)) = scope.homes.get(usize::from(insert.table)) else { return Ok(()) };
    let key = scope.rule(*rule).and_then(|table| table.key.as_ref()).filter(|_| rows.generated.is_some());
    let Some(key) = key else { return Ok(()) };
    let mut name = Vec::new();
    put_name(&key.column, true, &mut name);
    let name = String::from_utf8_lossy(&name);
    let literal = |text: String| Op::Literal(text.into());
    match (&insert.source, insert.columns_span, insert.set_end) {
        (InsertSource::Rows(all), Some(list), _) => {
            edits.insert(inside(list), vec![literal(format!(", {name}"))]);
            for (number, row) in (0..).zip(all) {
                edits.insert(inside(row.span), vec![literal(", ".to_owned()), Op::Key(number)]);
            }
            Ok(())
        }
        (InsertSource::Set(_), _, Some(end)) => {
            edits.insert(end, vec![literal(format!(", {name} = ")), Op::Key(0)]);
            Ok(())
        }
        _ => Err(scope.many(*rule, Refused::InsertSelect)),
    }
}

/// Before the parenthesis that ends it.
fn inside(span: Span) -> Place {
    Place { offset: span.end.offset.saturating_sub(1), ..span.end }
}
