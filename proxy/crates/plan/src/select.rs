//! Pass *edit* for `SELECT`: keep the names of columns; over several nodes, add what merging needs.
//!
//! Whatever cannot be put together exactly as one server would have answered is refused by name.

mod keys;

use sql::{Aggregate, Function, Item, ItemKind, Select, SlotKind, Sort, SortBy};

use crate::error::{Error, Refused};
use crate::plan::{Combine, Group, Merged, Position, Rows, SortKey, Weight};
use crate::scope::Scope;
use crate::template::{Limit, Many};
use crate::text::{Edits, Op};

/// An expression without alias is named by its text, in which physical names must not show.
pub(crate) fn keep_names(select: &Select, edits: &mut Edits) {
    for item in &select.items {
        let named = matches!(item.kind, ItemKind::Column(_) | ItemKind::Wildcard) || item.alias.is_some();
        if !named && edits.touches(item.span) {
            edits.insert(item.span.end, vec![Op::Alias(item.span)]);
        }
    }
}

/// How rows from several nodes become one result.
pub(crate) fn many(scope: &Scope<'_>, rule: u16, select: &Select, edits: &Edits) -> Result<Many, Error> {
    let mut builder = Builder { scope, rule, select, edits, derived: Vec::new(), keys: Vec::new() };
    builder.refuse_clauses()?;
    let shape = builder.shape()?;
    let mut edits = edits.clone();
    let limit = builder.limit(&mut edits, shape.rows.resort.is_empty());
    if !shape.order.is_empty() {
        edits.insert(shape.order_place.unwrap_or(select.order_place), shape.order);
    }
    let mut rows = shape.rows;
    rows.derived = u16::try_from(builder.derived.len()).map_err(|_| scope.many(rule, Refused::Columns))?;
    let derived = builder.derived.into_iter().enumerate().flat_map(|(number, derived)| {
        let mut ops = vec![Op::Literal(", ".into())];
        ops.extend(derived.expression);
        ops.push(Op::Literal(format!(" AS {}_DERIVED_{number}", derived.purpose).into()));
        ops
    });
    let derived: Vec<_> = derived.collect();
    if !derived.is_empty() {
        edits.insert(select.items_end, derived);
    }
    Ok(Many { text: edits.text(scope.statement.end), rows, limit })
}

/// What is found out about a `SELECT` step by step.
struct Builder<'a> {
    scope: &'a Scope<'a>,
    rule: u16,
    select: &'a Select,
    edits: &'a Edits,
    derived: Vec<Derived>,
    /// Keys of what is not selected: columns by name in lower case, expressions by their text.
    keys: Vec<(String, SortKey)>,
}

/// A column that only merging sees.
#[derive(PartialEq)]
struct Derived {
    purpose: &'static str,
    expression: Vec<Op>,
}

/// The merge, and what is added to the nodes' `ORDER BY`.
#[derive(Default)]
struct Shape {
    rows: Rows,
    order: Vec<Op>,
    order_place: Option<sql::Place>,
}

impl Builder<'_> {
    fn refuse<T>(&self, what: Refused) -> Result<T, Error> {
        Err(self.scope.many(self.rule, what))
    }

    fn refuse_clauses(&self) -> Result<(), Error> {
        let select = self.select;
        for (found, what) in [
            (select.traits.window, Refused::Window),
            (select.traits.into, Refused::Into),
            (select.traits.found_rows, Refused::FoundRows),
            (select.having, Refused::Having),
            (select.rollup, Refused::Rollup),
        ] {
            if found {
                return self.refuse(what);
            }
        }
        for item in &select.items {
            match &item.kind {
                ItemKind::OverAggregate => return self.refuse(Refused::ExpressionOverAggregate),
                ItemKind::Aggregate(aggregate) => match aggregate.function {
                    Function::Other => return self.refuse(Refused::Aggregate),
                    Function::Avg | Function::Count | Function::Sum if aggregate.distinct => {
                        return self.refuse(Refused::AggregateDistinct);
                    }
                    _ => {}
                },
                ItemKind::Column(_) | ItemKind::Expression | ItemKind::Wildcard => {}
            }
        }
        Ok(())
    }

    fn shape(&mut self) -> Result<Shape, Error> {
        let aggregated = self.select.items.iter().any(|item| matches!(item.kind, ItemKind::Aggregate(_)));
        if !self.select.group_by.is_empty() {
            return self.grouped();
        }
        if aggregated || self.select.order_by.iter().any(|sort| sort.by == SortBy::OverAggregate) {
            return self.totalled();
        }
        if self.select.distinct {
            return self.distinct();
        }
        let order = self.order()?;
        Ok(Shape { rows: Rows { order, ..Rows::default() }, ..Shape::default() })
    }

    /// Aggregates without `GROUP BY`: one row, whose order means nothing.
    fn totalled(&mut self) -> Result<Shape, Error> {
        let bare = |item: &Item| match &item.kind {
            ItemKind::Aggregate(_) => false,
            ItemKind::Expression => !item.constant,
            ItemKind::Column(_) | ItemKind::OverAggregate | ItemKind::Wildcard => true,
        };
        if self.select.items.iter().any(bare) {
            return self.refuse(Refused::MixedAggregate);
        }
        let group = Some(Group { keys: Vec::new(), aggregates: self.aggregates()? });
        Ok(Shape { rows: Rows { group, ..Rows::default() }, ..Shape::default() })
    }

    fn grouped(&mut self) -> Result<Shape, Error> {
        if self.select.distinct {
            return self.refuse(Refused::Distinct("DISTINCT with GROUP BY"));
        }
        let keys =
            self.select.group_by.iter().map(|sort| self.group_key(sort)).collect::<Result<Vec<_>, _>>()?;
        let aggregates = self.aggregates()?;
        let order = self.order()?;
        let leading = order.get(..keys.len()).unwrap_or_default();
        let covers = !order.is_empty()
            && keys.iter().all(|key| leading.iter().any(|sorted| sorted.value == key.value));
        let mut shape = Shape::default();
        if covers {
            // No two groups agree in all of these: what the client sorts by further decides nothing.
            shape.rows.order = leading.to_vec();
        } else {
            shape.rows.order.clone_from(&keys);
            shape.rows.resort = order;
            let mut ops = Vec::new();
            for sort in &self.select.group_by {
                if !ops.is_empty() {
                    ops.push(Op::Literal(", ".into()));
                }
                ops.extend(self.edits.copy(sort.span));
                if sort.descending {
                    ops.push(Op::Literal(" DESC".into()));
                }
            }
            match self.select.order_by.first() {
                // Sorted by the groups first, so that they come together; the client's order is made afterwards.
                Some(first) => {
                    ops.push(Op::Literal(", ".into()));
                    shape.order_place = Some(first.span.start);
                }
                None => ops.insert(0, Op::Literal(" ORDER BY ".into())),
            }
            shape.order = ops;
        }
        shape.rows.group = Some(Group { keys, aggregates });
        Ok(shape)
    }

    fn distinct(&mut self) -> Result<Shape, Error> {
        if self.select.items.iter().any(|item| item.kind == ItemKind::Wildcard) {
            return self.refuse(Refused::Distinct("SELECT DISTINCT *"));
        }
        let keys =
            (0..self.select.items.len()).map(|item| self.item_key(item)).collect::<Result<Vec<_>, _>>()?;
        let mut order = self.order()?;
        if order.iter().any(|sorted| keys.iter().all(|key| key.value != sorted.value)) {
            return self.refuse(Refused::Distinct("DISTINCT ordered by what is not selected"));
        }
        let mut ops = Vec::new();
        for (number, key) in keys.iter().enumerate() {
            if order.iter().any(|sorted| sorted.value == key.value) {
                continue;
            }
            let lead = if order.is_empty() { " ORDER BY " } else { ", " };
            ops.push(Op::Literal(format!("{lead}{}", number + 1).into()));
            order.push(*key);
        }
        let group = Some(Group { keys, aggregates: Vec::new() });
        Ok(Shape { rows: Rows { order, group, ..Rows::default() }, order: ops, order_place: None })
    }

    fn order(&mut self) -> Result<Vec<SortKey>, Error> {
        let mut order: Vec<SortKey> = Vec::with_capacity(self.select.order_by.len());
        for sort in &self.select.order_by {
            let key = SortKey { descending: sort.descending, ..self.order_key(sort)? };
            if order.iter().all(|known| known.value != key.value) {
                order.push(key);
            }
        }
        Ok(order)
    }

    /// How each aggregate is put together.
    fn aggregates(&mut self) -> Result<Vec<Merged>, Error> {
        let mut merged = Vec::new();
        for (number, item) in self.select.items.iter().enumerate() {
            let ItemKind::Aggregate(aggregate) = &item.kind else { continue };
            let column = self.visible(number)?;
            let how = match aggregate.function {
                Function::Count => Combine::Count,
                Function::Sum => Combine::Sum,
                Function::Max => Combine::Max { weight: self.extreme_weight(item, aggregate)? },
                Function::Min => Combine::Min { weight: self.extreme_weight(item, aggregate)? },
                Function::Avg => {
                    let mut part = |function: &str| {
                        let mut ops = vec![Op::Literal(format!("{function}(").into())];
                        ops.extend(aggregate.argument.map(|span| self.edits.copy(span)).unwrap_or_default());
                        ops.push(Op::Literal(")".into()));
                        self.derive("AVG", ops)
                    };
                    Combine::Average { sum: part("SUM")?, count: part("COUNT")? }
                }
                Function::Other => return self.refuse(Refused::Aggregate),
            };
            merged.push(Merged { column, how });
        }
        Ok(merged)
    }

    /// The position of a select item; nothing is known of those behind a `*`.
    fn visible(&self, number: usize) -> Result<Position, Error> {
        let behind = self.select.items.iter().take(number).any(|item| item.kind == ItemKind::Wildcard);
        match u16::try_from(number) {
            Ok(number) if !behind => Ok(Position::Visible(number)),
            _ => self.refuse(Refused::Wildcard),
        }
    }

    fn derive(&mut self, purpose: &'static str, expression: Vec<Op>) -> Result<Position, Error> {
        let derived = Derived { purpose, expression };
        let known = self.derived.iter().position(|known| known.expression == derived.expression);
        let number = known.unwrap_or_else(|| {
            self.derived.push(derived);
            self.derived.len() - 1
        });
        u16::try_from(number).map(Position::Derived).or_else(|_| self.refuse(Refused::Columns))
    }

    /// `LIMIT` for each node: the rows skipped, too; none where groups are put in order afterwards.
    fn limit(&self, edits: &mut Edits, pushed: bool) -> Option<Limit> {
        let limit = self.select.limit.as_ref()?;
        if !pushed {
            edits.replace(limit.span, Vec::new());
        } else if limit.offset.is_some() {
            edits.replace(limit.span, vec![Op::Literal("LIMIT ".into()), Op::Limit]);
        }
        let is_param =
            |slot: u32| self.scope.slots.get(slot as usize).is_some_and(|slot| slot.kind == SlotKind::Param);
        let param = is_param(limit.count) || limit.offset.is_some_and(is_param);
        Some(Limit { offset: limit.offset, count: limit.count, param })
    }

    fn text(&self, sort: &Sort) -> &str {
        sort.span.text(self.scope.text, self.scope.slots)
    }

    fn extreme_weight(&mut self, item: &Item, aggregate: &Aggregate) -> Result<Option<Weight>, Error> {
        keys::extreme_weight(self, item, aggregate)
    }

    fn item_key(&mut self, number: usize) -> Result<SortKey, Error> {
        keys::item(self, number, keys::Clause::Order)
    }

    fn order_key(&mut self, sort: &Sort) -> Result<SortKey, Error> {
        keys::order(self, sort)
    }

    fn group_key(&mut self, sort: &Sort) -> Result<SortKey, Error> {
        keys::group(self, sort).map(|key| SortKey { descending: sort.descending, ..key })
    }
}
