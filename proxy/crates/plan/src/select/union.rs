//! Set operations: each node makes its own, and what is ordered, or equal on several nodes, is put together.
//!
//! Where rows are compared, the nodes' own text becomes a derived table: only outside of it the result's columns have the
//! types and collations that all parts together give them.

use sql::{BlockKind, OutputKind, Scalar, Select, SlotKind, SortBy, unquote};

use super::keys::{Class, class};
use crate::distribute::{self, Part};
use crate::error::{Error, Refused};
use crate::plan::{Collation, Group, Position, Rows, SortKey, Weight};
use crate::route::WhereRoute;
use crate::scope::Scope;
use crate::template::{Limit, Many, Share};
use crate::text::{Edits, Op, put_name};

/// What the nodes' derived table is called; clients see no name there.
pub(crate) const TABLE: &str = "UNION_DERIVED";

/// A column of the result.
struct Column {
    /// Its name in the derived table.
    name: String,
    /// What follows its name in the outer select list, so that the client sees its own.
    shown: Vec<Op>,
    class: Option<Class>,
}

struct Builder<'a> {
    scope: &'a Scope<'a>,
    rule: u16,
    select: &'a Select,
    edits: Edits,
    fixed: Vec<u32>,
    /// Expressions of columns that only merging sees.
    derived: Vec<String>,
}

/// How the rows of set operations become one result.
pub(crate) fn many(
    scope: &Scope<'_>,
    route: &WhereRoute,
    select: &Select,
    edits: &Edits,
) -> Result<Many, Error> {
    let rule = route.layout.rule;
    let mut builder =
        Builder { scope, rule, select, edits: edits.clone(), fixed: Vec::new(), derived: Vec::new() };
    if select.traits.found_rows || select.traits.into {
        return builder.refuse(Refused::SetOperation);
    }
    let limit = builder.limit();
    if !route.united && select.order_by.is_empty() {
        if let Some(limit) = select.limit.as_ref().filter(|limit| limit.offset.is_some()) {
            builder.edits.replace(limit.span, vec![Op::Literal("LIMIT ".into()), Op::Limit]);
        }
        let text = builder.edits.text(scope.statement.end);
        return Ok(Many { text, rows: Rows::default(), limit, fixed: Vec::new(), finish: None });
    }
    builder.compared(route.united, limit)
}

impl Builder<'_> {
    fn refuse<T>(&self, what: Refused) -> Result<T, Error> {
        Err(self.scope.many(self.rule, what))
    }

    fn limit(&self) -> Option<Limit> {
        let limit = self.select.limit.as_ref()?;
        let is_param =
            |slot: u32| self.scope.slots.get(slot as usize).is_some_and(|slot| slot.kind == SlotKind::Param);
        let param = is_param(limit.count) || limit.offset.is_some_and(is_param);
        Some(Limit { offset: limit.offset, count: limit.count, param, share: Share::Window })
    }

    /// Rows that are compared: sorted, or made one where they are equal.
    fn compared(mut self, united: bool, limit: Option<Limit>) -> Result<Many, Error> {
        if self.select.locking {
            return self.refuse(Refused::Inner("a locking UNION that is sorted"));
        }
        let parts = distribute::parts(self.scope);
        let columns = self.columns(&parts)?;
        let mut order: Vec<SortKey> = Vec::new();
        let mut sorted = String::new();
        let mut sort = |column: &Column, descending: bool| {
            sorted.push_str(if sorted.is_empty() { " ORDER BY " } else { ", " });
            sorted.push_str(&named(&column.name));
            sorted.push_str(if descending { " DESC" } else { "" });
        };
        let keys: Vec<Option<SortKey>> = if united {
            (0..columns.len()).map(|number| self.key(&columns, number).map(Some)).collect::<Result<_, _>>()?
        } else {
            vec![None; columns.len()]
        };
        for by in &self.select.order_by {
            let number = self.sorted_by(&columns, &by.by)?;
            let key = match keys[number] {
                Some(key) => key,
                None => self.key(&columns, number)?,
            };
            if order.iter().all(|known| known.value != key.value) {
                order.push(SortKey { descending: by.descending, ..key });
                sort(&columns[number], by.descending);
            }
        }
        // Equal rows must come together.
        for (column, key) in columns.iter().zip(keys.iter().flatten()) {
            if order.iter().all(|known| known.value != key.value) {
                order.push(*key);
                sort(column, false);
            }
        }
        let group = united.then(|| Group {
            keys: keys.into_iter().flatten().collect(),
            aggregates: Vec::new(),
            witness: None,
        });
        let derived = u16::try_from(self.derived.len()).or_else(|_| self.refuse(Refused::Columns))?;
        self.wrap(&columns, &sorted);
        Ok(Many {
            text: self.edits.text(self.scope.statement.end),
            rows: Rows { order, group, derived, ..Rows::default() },
            limit,
            fixed: self.fixed,
            finish: None,
        })
    }

    /// Makes the statement a derived table, and sorts outside of it.
    fn wrap(&mut self, columns: &[Column], sorted: &str) {
        let mut head = vec![Op::Literal("SELECT ".into())];
        for (number, column) in columns.iter().enumerate() {
            let comma = if number == 0 { "" } else { ", " };
            head.push(Op::Literal(format!("{comma}{}", named(&column.name)).into()));
            head.extend(column.shown.iter().cloned());
        }
        for (number, derived) in self.derived.iter().enumerate() {
            head.push(Op::Literal(format!(", {derived} AS KEY_DERIVED_{number}").into()));
        }
        head.push(Op::Literal(" FROM (".into()));
        let start = sql::Place { after: 0, offset: 0 };
        self.edits.insert(start, head);
        let mut tail = vec![Op::Literal(format!(") AS {TABLE}{sorted}").into())];
        if self.select.limit.is_some() {
            tail.extend([Op::Literal(" LIMIT ".into()), Op::Limit]);
        }
        let end = self.scope.statement.end;
        self.edits.replace(sql::Span { start: self.select.tail, end }, tail);
    }

    /// The columns of the result, each with a name of its own in the derived table.
    fn columns(&mut self, parts: &[Part]) -> Result<Vec<Column>, Error> {
        let Some((first, others)) = parts.split_first() else { return self.refuse(Refused::SetOperation) };
        if others.is_empty() || first.columns.is_none() {
            return self.refuse(Refused::SetOperation);
        }
        let block = self.scope.statement.blocks.get(first.block as usize);
        let outputs = block.filter(|block| block.kind == BlockKind::Select).map(|block| &*block.outputs);
        let mut columns: Vec<Column> = Vec::new();
        for (number, shown) in first.columns.iter().flatten().enumerate() {
            let mut same =
                first.columns.iter().flatten().filter(|it| it.name.eq_ignore_ascii_case(&shown.name));
            let alone = !shown.name.is_empty() && same.nth(1).is_none();
            let class = self.class(parts, number)?;
            if alone {
                columns.push(Column { name: shown.name.clone(), shown: Vec::new(), class });
                continue;
            }
            // Behind a `*` outputs are not counted by it.
            let plain = outputs.filter(|outputs| {
                !outputs.iter().any(|it| matches!(it.kind, OutputKind::All | OutputKind::AllOf { .. }))
            });
            let Some(output) = plain.and_then(|outputs| outputs.get(number)).filter(|it| it.alias.is_none())
            else {
                return self.refuse(Refused::Inner("several columns of one name in a UNION that is sorted"));
            };
            let name = format!("{TABLE}_{number}");
            let shown = match &output.kind {
                OutputKind::Value(Scalar::Slot(slot)) if self.is_text(*slot) => {
                    self.fixed.push(*slot);
                    let text = output.span.text(self.scope.text, self.scope.slots);
                    vec![alias(&unquote::string(text, self.scope.mode))]
                }
                OutputKind::Value(Scalar::Opaque) => {
                    return self.refuse(Refused::Inner("a text without alias in a UNION that is sorted"));
                }
                OutputKind::Column(_) => vec![alias(&shown.name)],
                _ => vec![Op::Alias(output.span)],
            };
            self.edits.rename(output.span.end, vec![Op::Literal(format!(" AS {name}").into())]);
            columns.push(Column { name, shown, class });
        }
        Ok(columns)
    }

    fn is_text(&self, slot: u32) -> bool {
        self.scope.slots.get(slot as usize).is_some_and(|slot| slot.kind == SlotKind::String)
    }

    /// How the values of a column compare, where all parts say the same.
    fn class(&self, parts: &[Part], number: usize) -> Result<Option<Class>, Error> {
        let mut kinds = Vec::new();
        let mut all = true;
        for part in parts {
            let shown = part.columns.as_ref().and_then(|columns| columns.get(number));
            match shown.and_then(|shown| shown.definition.as_ref()) {
                Some(column) if matches!(class(column), Class::Json | Class::Unordered) => {
                    return self.refuse(Refused::Unordered(column.name.clone()));
                }
                Some(column) => kinds.push((class(column), column.data_type.as_str())),
                None => all = false,
            }
        }
        if kinds.iter().any(|(_, kind)| *kind == "float") {
            return Ok(Some(Class::Number));
        }
        let first = kinds.first().copied();
        let alike = all && kinds.iter().all(|kind| Some(*kind) == first);
        let first = first.filter(|(class, _)| alike && matches!(class, Class::Moment | Class::Value));
        Ok(first.map(|(class, _)| class))
    }

    /// What a column is compared by.
    fn key(&mut self, columns: &[Column], number: usize) -> Result<SortKey, Error> {
        let Some(column) = columns.get(number) else { return self.refuse(Refused::Columns) };
        let visible = u16::try_from(number).or_else(|_| self.refuse(Refused::Columns))?;
        let name = named(&column.name);
        let key = |value, weight| SortKey { value, weight, descending: false };
        Ok(match column.class {
            Some(Class::Moment) => key(self.derive(format!("UNIX_TIMESTAMP({name})"))?, None),
            Some(Class::Number) => key(self.derive(format!("{name}+0"))?, None),
            Some(_) => key(Position::Visible(visible), None),
            None => {
                let value = self.derive(format!("WEIGHT_STRING({name})"))?;
                let collation = Collation::Told(self.derive(format!("COLLATION({name})"))?);
                key(Position::Visible(visible), Some(Weight { value, collation }))
            }
        })
    }

    fn derive(&mut self, expression: String) -> Result<Position, Error> {
        let known = self.derived.iter().position(|known| *known == expression);
        let number = known.unwrap_or_else(|| {
            self.derived.push(expression);
            self.derived.len() - 1
        });
        u16::try_from(number).map(Position::Derived).or_else(|_| self.refuse(Refused::Columns))
    }

    /// The column that an item of `ORDER BY` means.
    fn sorted_by(&self, columns: &[Column], by: &SortBy) -> Result<usize, Error> {
        let found = match by {
            SortBy::Ordinal(position) => {
                let number = position.checked_sub(1).and_then(|number| usize::try_from(number).ok());
                return match number.filter(|number| *number < columns.len()) {
                    Some(number) => Ok(number),
                    None => self.refuse(Refused::Ordinal(*position)),
                };
            }
            SortBy::Column(column) if column.owner.is_none() => {
                columns.iter().position(|it| it.name.eq_ignore_ascii_case(&column.name))
            }
            SortBy::Column(_) | SortBy::Expression | SortBy::OverAggregate => None,
        };
        found.map_or_else(|| self.refuse(Refused::Inner("ORDER BY an expression behind a UNION")), Ok)
    }
}

/// A column of the derived table.
fn named(column: &str) -> String {
    let mut name = format!("{TABLE}.").into_bytes();
    put_name(column, true, &mut name);
    String::from_utf8_lossy(&name).into_owned()
}

fn alias(name: &str) -> Op {
    let mut text = b" AS ".to_vec();
    put_name(name, true, &mut text);
    Op::Literal(String::from_utf8_lossy(&text).into())
}
