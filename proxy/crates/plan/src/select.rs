//! Pass *edit* for `SELECT`: keep the names of columns; over several nodes, add what merging needs.
//!
//! Whatever cannot be put together exactly as one server would have answered is refused by name.

mod keys;
mod names;
mod told;
pub(crate) mod union;

use names::Shown;
use sql::{
    Aggregate, Block, BlockIndex, BlockKind, Function, Item, ItemKind, OutputKind, Role, Select, SlotKind,
    Sort, SortBy,
};

use crate::error::{Error, Refused};
use crate::plan::{Collation, Combine, Group, Merged, Position, Rows, SortKey, Weight};
use crate::route::WhereRoute;
use crate::scope::Scope;
use crate::template::{Limit, Many, Share};
use crate::text::{Edits, Op};

/// An expression without alias is named by its text, in which physical names must not show: in the result, and in that
/// of a derived table, whose columns are called by it.
pub(crate) fn keep_names(blocks: &[Block], edits: &mut Edits) {
    let shows = |block: &&Block| {
        let of_whole =
            |whole: BlockIndex| blocks.get(whole as usize).is_some_and(|it| it.kind == BlockKind::Wrapped);
        match block.role {
            Role::Branch(whole) => of_whole(whole),
            role => matches!(role, Role::Common | Role::Derived | Role::Statement),
        }
    };
    for output in blocks.iter().filter(shows).flat_map(|block| &block.outputs) {
        let named = matches!(output.kind, OutputKind::All | OutputKind::AllOf { .. } | OutputKind::Column(_))
            || output.alias.is_some();
        if !named && edits.touches(output.span) && !edits.names(output.span.end) {
            edits.insert(output.span.end, vec![Op::Alias(output.span)]);
        }
    }
}

/// How rows from several nodes become one result: merged here, or worked out by one server.
pub(crate) fn many(
    scope: &Scope<'_>,
    route: &WhereRoute,
    select: &Select,
    edits: &Edits,
) -> Result<Many, Error> {
    let rule = route.layout.rule;
    let sorts = || select.group_by.iter().chain(&select.order_by);
    if select.items.len() > MOST || sorts().count() > MOST || scope.statement.uses.len() > 4 * MOST {
        return Err(scope.many(rule, Refused::Columns));
    }
    if sorts().any(|sort| is_blotted(sort.span.text(scope.text, scope.slots))) {
        return Err(scope.many(rule, Refused::Inner("characters that are no UTF-8 in ORDER BY or GROUP BY")));
    }
    merged(scope, route, select, edits).or_else(|refused| {
        let filter = select.where_span.map_or("", |span| span.text(scope.text, scope.slots));
        let blots = |text: &str| text.matches(BLOT).count();
        // Parts are known by their texts.
        if blots(scope.text) > blots(filter) {
            return Err(refused);
        }
        crate::finish::many(scope, rule, select, edits, refused)
    })
}

/// How many items, and sort keys, are looked at: each is compared with each.
const MOST: usize = 4096;

/// What stands in a text for each byte that is no UTF-8.
const BLOT: char = '\u{1a}';

/// Whether different texts may look like this one.
fn is_blotted(text: &str) -> bool {
    text.contains(BLOT)
}

fn merged(scope: &Scope<'_>, route: &WhereRoute, select: &Select, edits: &Edits) -> Result<Many, Error> {
    let rule = route.layout.rule;
    let mut builder = Builder {
        scope,
        rule,
        select,
        edits,
        apart: route.grouped,
        derived: Vec::new(),
        keys: Vec::new(),
        counted: false,
        parts: Vec::new(),
        fixed: Vec::new(),
    };
    builder.refuse_clauses()?;
    let shape = builder.shape()?;
    let mut edits = edits.clone();
    let share = match (select.traits.found_rows, shape.rows.resort.is_empty()) {
        (true, _) => Share::Counted,
        (false, false) => Share::All,
        (false, true) => Share::Window,
    };
    let limit = builder.limit(&mut edits, share);
    if !shape.order.is_empty() {
        edits.insert(shape.order_place.unwrap_or(select.order_place), shape.order);
    }
    let mut rows = shape.rows;
    rows.counted = select.traits.found_rows;
    rows.derived = u16::try_from(builder.derived.len()).map_err(|_| scope.many(rule, Refused::Columns))?;
    rows.visible = builder.counted.then(|| builder.width()).flatten();
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
    Ok(Many { text: edits.text(scope.statement.end), rows, limit, fixed: builder.fixed, finish: None })
}

/// What is found out about a `SELECT` step by step.
struct Builder<'a> {
    scope: &'a Scope<'a>,
    rule: u16,
    select: &'a Select,
    edits: &'a Edits,
    /// Each group is on one node, which has worked it out already: groups are rows like others.
    apart: bool,
    derived: Vec<Derived>,
    /// Keys of what is not selected: columns by name in lower case, expressions by their text.
    keys: Vec<(String, SortKey)>,
    /// Positions hang on how many columns a `*` stands for.
    counted: bool,
    /// Derived columns that are put together like aggregates.
    parts: Vec<Merged>,
    /// Slots whose values are the same in two places.
    fixed: Vec<sql::SlotIndex>,
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

impl Shape {
    /// Sorts by these before all that the client sorts by, so that equal rows come together.
    fn sort(&mut self, by: Vec<(Vec<Op>, bool)>, select: &Select) {
        let mut ops = Vec::new();
        for (name, descending) in by {
            if !ops.is_empty() {
                ops.push(Op::Literal(", ".into()));
            }
            ops.extend(name);
            if descending {
                ops.push(Op::Literal(" DESC".into()));
            }
        }
        match select.order_by.first() {
            Some(first) => {
                ops.push(Op::Literal(", ".into()));
                self.order_place = Some(first.span.start);
            }
            None => ops.insert(0, Op::Literal(" ORDER BY ".into())),
        }
        self.order = ops;
    }
}

impl<'a> Builder<'a> {
    fn refuse<T>(&self, what: Refused) -> Result<T, Error> {
        Err(self.scope.many(self.rule, what))
    }

    fn refuse_clauses(&self) -> Result<(), Error> {
        let select = self.select;
        for (found, what) in [
            (select.traits.set_operation, Refused::SetOperation),
            (select.traits.window, Refused::Window),
            (select.traits.into, Refused::Into),
            (select.having && !self.apart, Refused::Having),
            (select.rollup, Refused::Rollup),
        ] {
            if found {
                return self.refuse(what);
            }
        }
        for item in select.items.iter().filter(|_| !self.apart) {
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
        if self.apart && !self.select.distinct {
            let order = self.order()?;
            return Ok(Shape { rows: Rows { order, ..Rows::default() }, ..Shape::default() });
        }
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
        let aggregated = |item: &Item| matches!(item.kind, ItemKind::Aggregate(_));
        let aggregates = self.aggregates()?;
        let witness = match self.select.items.iter().any(bare) {
            true if self.select.items.iter().any(aggregated) => {
                Some(self.derive("COUNT", vec![Op::Literal("COUNT(*)".into())])?)
            }
            true => return self.refuse(Refused::MixedAggregate),
            false => None,
        };
        let group = Some(Group { keys: Vec::new(), aggregates, witness });
        Ok(Shape { rows: Rows { group, ..Rows::default() }, ..Shape::default() })
    }

    fn grouped(&mut self) -> Result<Shape, Error> {
        if self.select.distinct {
            return self.refuse(Refused::Distinct("DISTINCT with GROUP BY"));
        }
        // Each once: the order of rows is compared with that of the keys by its length.
        let mut keys: Vec<SortKey> = Vec::with_capacity(self.select.group_by.len());
        let mut by = Vec::with_capacity(self.select.group_by.len());
        for sort in &self.select.group_by {
            let key = self.group_key(sort)?;
            if keys.iter().all(|known| known.value != key.value) {
                keys.push(key);
                by.push(sort);
            }
        }
        let mut aggregates = self.aggregates()?;
        let order = self.order()?;
        aggregates.append(&mut self.parts);
        let leading = order.get(..keys.len()).unwrap_or_default();
        let covers = !order.is_empty()
            && keys.iter().all(|key| leading.iter().any(|sorted| sorted.value == key.value));
        let mut shape = Shape::default();
        if covers {
            // No two groups agree in all of these: what the client sorts by further decides nothing.
            shape.rows.order = leading.to_vec();
        } else {
            let names = by.into_iter().zip(&keys);
            let names = names.map(|(sort, key)| (keys::grouped_by(self, sort, *key), sort.descending));
            shape.sort(names.collect(), self.select);
            shape.rows.order.clone_from(&keys);
            shape.rows.resort = order;
        }
        shape.rows.group = Some(Group { keys, aggregates, witness: None });
        Ok(shape)
    }

    /// Each row once: groups of rows that agree in all columns.
    fn distinct(&mut self) -> Result<Shape, Error> {
        let mut keys = Vec::new();
        for number in 0..self.select.items.len() {
            if self.select.items[number].kind != ItemKind::Wildcard {
                keys.push(self.item_key(number)?);
                continue;
            }
            let (Ok(Position::Visible(first)), Some(fields)) =
                (self.visible(number), names::behind(self, number))
            else {
                return self.refuse(Refused::Distinct("SELECT DISTINCT * of these tables"));
            };
            self.counted = true;
            for (place, field) in (first..).zip(fields) {
                let key = keys::field(self, field, Position::Visible(place))?;
                keys.push(self.told_apart(key, &field.column.name)?);
            }
        }
        let mut numbered: Vec<(usize, SortKey)> = Vec::with_capacity(keys.len());
        for (number, key) in (1..).zip(keys) {
            if numbered.iter().all(|(_, known)| known.value != key.value) {
                numbered.push((number, key));
            }
        }
        let keys: Vec<SortKey> = numbered.iter().map(|(_, key)| *key).collect();
        let mut order = self.order()?;
        let mut shape = Shape::default();
        if order.iter().all(|sorted| keys.iter().any(|key| key.value == sorted.value)) {
            let mut ops = Vec::new();
            for (number, key) in numbered {
                if order.iter().any(|sorted| sorted.value == key.value) {
                    continue;
                }
                let first = self.select.order_by.is_empty() && ops.is_empty();
                let lead = if first { " ORDER BY " } else { ", " };
                ops.push(Op::Literal(format!("{lead}{number}").into()));
                order.push(key);
            }
            shape.order = ops;
            shape.rows.order = order;
        } else {
            // What the client sorts by is worked out of the selected columns: two rows of a node may have agreed in
            // these but for the spelling. They come together first, and are put in order afterwards.
            self.sorts_by_selected()?;
            let ordinal =
                |(number, _): (usize, SortKey)| (vec![Op::Literal(number.to_string().into())], false);
            shape.sort(numbered.into_iter().map(ordinal).collect(), self.select);
            shape.rows.order.clone_from(&keys);
            shape.rows.resort = order;
        }
        shape.rows.group = Some(Group { keys, aggregates: Vec::new(), witness: None });
        Ok(shape)
    }

    /// Refuses to sort distinct rows by what is not among them, as the server does under `ONLY_FULL_GROUP_BY`.
    fn sorts_by_selected(&self) -> Result<(), Error> {
        for sort in &self.select.order_by {
            if names::mentions(self, sort.span).any(|mention| !names::is_selected(self, mention)) {
                return self.refuse(Refused::Distinct("DISTINCT ordered by what is not selected"));
            }
        }
        Ok(())
    }

    fn order(&mut self) -> Result<Vec<SortKey>, Error> {
        let mut order: Vec<SortKey> = Vec::with_capacity(self.select.order_by.len());
        for sort in &self.select.order_by {
            if self.is_constant(sort) {
                continue;
            }
            let key = SortKey { descending: sort.descending, ..self.order_key(sort)? };
            if order.iter().all(|known| known.value != key.value) {
                order.push(key);
                order.extend(keys::finer(self, sort)?);
            }
        }
        Ok(order)
    }

    /// Whether a sort says nothing. A function may be `RAND()`, by which no node's rows must always come first.
    fn is_constant(&self, sort: &Sort) -> bool {
        sort.by == SortBy::Expression
            && names::mentions(self, sort.span).next().is_none()
            && !self.text(sort).contains(['(', '@'])
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

    /// The position of a select item.
    fn visible(&mut self, number: usize) -> Result<Position, Error> {
        let Some(position) = self.width_of(number).and_then(|width| u16::try_from(width).ok()) else {
            return self.refuse(Refused::Wildcard);
        };
        self.counted |= usize::from(position) != number;
        Ok(Position::Visible(position))
    }

    /// The same where it is certain, so that a table may get columns without its structure being read again.
    fn place(&mut self, number: usize) -> Option<Position> {
        let behind = self.select.items.iter().take(number).any(|item| item.kind == ItemKind::Wildcard);
        if behind && !self.select.distinct { None } else { self.visible(number).ok() }
    }

    /// How many columns the first so many select items are; nothing when a `*` among them is not known.
    fn width_of(&self, items: usize) -> Option<usize> {
        let mut width = 0;
        for (number, item) in self.select.items.iter().enumerate().take(items) {
            width += match item.kind {
                ItemKind::Wildcard => names::behind(self, number)?.len(),
                _ => 1,
            };
        }
        Some(width)
    }

    /// How many columns the client sees, as far as that is known.
    fn width(&self) -> Option<u16> {
        self.width_of(self.select.items.len()).and_then(|width| u16::try_from(width).ok())
    }

    /// The column at a position, `Some(None)` when there are not so many; nothing when a `*` before it is not known.
    fn shown(&self, position: u16) -> Option<Option<Shown<'a>>> {
        let mut left = usize::from(position);
        for (number, item) in self.select.items.iter().enumerate() {
            if item.kind == ItemKind::Wildcard {
                let fields = names::behind(self, number)?;
                match fields.get(left) {
                    Some(field) => return Some(Some(Shown::Field(*field))),
                    None => left -= fields.len(),
                }
            } else if left == 0 {
                return Some(Some(Shown::Item(number)));
            } else {
                left -= 1;
            }
        }
        Some(None)
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

    /// The name of a derived column on the nodes.
    fn derived_name(&self, number: u16) -> Op {
        let purpose = self.derived.get(usize::from(number)).map_or("", |derived| derived.purpose);
        Op::Literal(format!("{purpose}_DERIVED_{number}").into())
    }

    /// `LIMIT` for each node.
    fn limit(&self, edits: &mut Edits, share: Share) -> Option<Limit> {
        let limit = self.select.limit.as_ref()?;
        if share != Share::Window || limit.offset.is_some() {
            edits.replace(limit.span, vec![Op::Literal("LIMIT ".into()), Op::Limit]);
        }
        let is_param =
            |slot: u32| self.scope.slots.get(slot as usize).is_some_and(|slot| slot.kind == SlotKind::Param);
        let param = is_param(limit.count) || limit.offset.is_some_and(is_param);
        Some(Limit { offset: limit.offset, count: limit.count, param, share })
    }

    fn text(&self, sort: &Sort) -> &str {
        sort.span.text(self.scope.text, self.scope.slots)
    }

    fn extreme_weight(&mut self, item: &Item, aggregate: &Aggregate) -> Result<Option<Weight>, Error> {
        keys::extreme_weight(self, item, aggregate)
    }

    fn item_key(&mut self, number: usize) -> Result<SortKey, Error> {
        let key = keys::item(self, number, keys::Clause::Order)?;
        let span = self.select.items.get(number).map(|item| item.span);
        self.told_apart(key, span.map_or("", |span| span.text(self.scope.text, self.scope.slots)))
    }

    fn order_key(&mut self, sort: &Sort) -> Result<SortKey, Error> {
        keys::order(self, sort)
    }

    fn group_key(&mut self, sort: &Sort) -> Result<SortKey, Error> {
        let key = keys::group(self, sort)?;
        self.told_apart(SortKey { descending: sort.descending, ..key }, self.text(sort))
    }

    /// Refuses keys that can be sorted by only: arrays and objects come in no order among those of one length.
    fn told_apart(&self, key: SortKey, name: &str) -> Result<SortKey, Error> {
        match key.weight {
            Some(weight) if weight.collation == Collation::Json => {
                self.refuse(Refused::Unordered(name.trim_matches('`').to_owned()))
            }
            _ => Ok(key),
        }
    }
}
