//! Queries: `SELECT`, `WITH`, set operations, and their clauses.

use super::cursor::{Facts, Parser};
use super::expr::Expr;
use super::predicate;
use crate::lexer::TokenKind;
use crate::{
    BlockIndex, BlockKind, Clause, Column, Error, Item, ItemKind, Joined, Limit, Output, OutputKind, Place,
    Predicate, Role, Scalar, Select, SetOperation, SetOperator, SlotKind, Sort, SortBy, Span, Traits, Use,
};

impl Parser<'_> {
    /// Whether a query comes next (without parentheses around it).
    pub(super) fn is_query(&self) -> bool {
        self.is("SELECT") || self.is("WITH") || self.is("TABLE") || self.are(&["VALUES", "ROW"])
    }

    /// Whether something comes next that can only follow a query in parentheses.
    pub(super) fn is_query_tail(&self) -> bool {
        self.is_any(&["UNION", "EXCEPT", "INTERSECT", "ORDER", "LIMIT", "FOR", "LOCK", "INTO"])
    }

    /// A subquery outside `FROM` up to and with its `)`; its `(` is taken.
    pub(super) fn subquery(&mut self) -> Result<BlockIndex, Error> {
        let late = !matches!(self.clause, Clause::From | Clause::Where);
        if let Some(block) = self.scope.present_mut() {
            block.asks_late |= late;
        }
        let block = self.inner_query(Role::Value)?;
        self.facts.subqueries += 1;
        Ok(block)
    }

    /// A query inside parentheses, and the `)`.
    pub(super) fn inner_query(&mut self, role: Role) -> Result<BlockIndex, Error> {
        let before = self.facts;
        self.scope.nesting += 1;
        self.nested(|parser| parser.query(role))?;
        let block = self.scope.closed();
        self.expect_kind(TokenKind::RightParen, ")")?;
        self.scope.nesting -= 1;
        let Facts { session, pin, primary, .. } = self.facts;
        self.facts = Facts { session, pin, primary, ..before };
        Ok(block)
    }

    /// Set operations, `ORDER BY` and the like behind a query in parentheses that was read.
    pub(super) fn query_tail(&mut self, first: BlockIndex, role: Role) -> Result<BlockIndex, Error> {
        self.scope.nesting += 1;
        let place = self.last_end();
        let mut select = blank(place);
        let outer = self.scope.open(role, BlockKind::Wrapped);
        let clause = self.clause;
        self.scope.wrap(first);
        self.set_operations(&mut select)?;
        self.query_end(&mut select)?;
        self.clause = clause;
        self.scope.close(outer);
        self.scope.nesting -= 1;
        Ok(self.scope.closed())
    }

    /// A whole query, `WITH` included.
    pub(super) fn query(&mut self, role: Role) -> Result<Select, Error> {
        let visible = self.scope.commons.len();
        let cte = self.take("WITH");
        if cte {
            self.common_tables()?;
        }
        let mut select = self.query_body(role)?;
        select.traits.cte |= cte;
        self.scope.commons.truncate(visible);
        Ok(select)
    }

    /// A query without its `WITH`.
    pub(super) fn query_body(&mut self, role: Role) -> Result<Select, Error> {
        let first_table = self.scope.tables.len();
        let facts = self.facts;
        let clause = self.clause;
        let outer = self.scope.open(role, BlockKind::Select);
        let mut select = self.query_primary()?;
        self.set_operations(&mut select)?;
        if select.traits.set_operation {
            // Those of the first part, which stands in parentheses.
            select.order_by = Vec::new();
            select.limit = None;
            select.locking = false;
        }
        select.tail = self.last_end();
        self.query_end(&mut select)?;
        select.filter = self.scope.own(select.filter);
        self.scope.close(outer);
        self.clause = clause;
        if select.traits.set_operation {
            for table in self.scope.tables.iter_mut().skip(first_table) {
                table.nested = true;
            }
            select.filter = Predicate::Opaque;
        }
        select.traits.subquery = self.facts.subqueries > facts.subqueries;
        select.traits.window = self.facts.windows > facts.windows;
        select.traits.session = self.facts.session;
        Ok(select)
    }

    /// One `SELECT`, `TABLE t`, `VALUES ROW(…)`, or a query in parentheses.
    fn query_primary(&mut self) -> Result<Select, Error> {
        if self.take("SELECT") {
            return self.select();
        }
        if self.take_kind(TokenKind::LeftParen) {
            let mut select = self.nested(|parser| parser.query(Role::Value))?;
            let branch = self.scope.closed();
            self.scope.wrap(branch);
            self.expect_kind(TokenKind::RightParen, ")")?;
            // What stands behind the parenthesis speaks about its result: it cannot be taken apart, and what is sorted
            // and limited inside is so before.
            if self.is_query_tail() {
                select.traits.set_operation = true;
                select.order_by.clear();
                select.limit = None;
            }
            return Ok(select);
        }
        if self.take("TABLE") {
            self.block_kind(BlockKind::Table);
            let name = self.table_name()?;
            match self.scope.common(&name.name).filter(|_| name.schema.is_none()) {
                Some(common) => self.scope.derived(Some(name.name), common)?,
                None => {
                    self.scope.table(name, None)?;
                }
            }
            if let Some(block) = self.scope.present_mut() {
                block.joined = Some(Joined::Source(0));
            }
        } else if self.take("VALUES") {
            self.block_kind(BlockKind::Values);
            self.clause = Clause::Values;
            loop {
                self.expect("ROW")?;
                self.expect_kind(TokenKind::LeftParen, "(")?;
                self.arguments("")?;
                if !self.take_kind(TokenKind::Comma) {
                    break;
                }
            }
        } else {
            return Err(self.expected("SELECT"));
        }
        let mut select = blank(self.last_end());
        select.traits.set_operation = true;
        Ok(select)
    }

    fn set_operations(&mut self, select: &mut Select) -> Result<(), Error> {
        while let Some(operator) = self.set_operator() {
            select.traits.set_operation = true;
            let all = self.take("ALL");
            let _ = !all && self.take("DISTINCT");
            if let Some(block) = self.scope.present_mut() {
                block.operations.push(SetOperation { operator, all });
            }
            let outer = self.scope.open_branch();
            self.nested(Self::query_primary)?;
            self.scope.close(outer);
        }
        Ok(())
    }

    fn set_operator(&mut self) -> Option<SetOperator> {
        const WORDS: [(&str, SetOperator); 3] = [
            ("UNION", SetOperator::Union),
            ("EXCEPT", SetOperator::Except),
            ("INTERSECT", SetOperator::Intersect),
        ];
        WORDS.iter().find(|(word, _)| self.take(word)).map(|(_, operator)| *operator)
    }

    fn block_kind(&mut self, kind: BlockKind) {
        if let Some(block) = self.scope.present_mut() {
            block.kind = kind;
        }
    }

    /// What follows `SELECT`, up to `WINDOW`.
    fn select(&mut self) -> Result<Select, Error> {
        let mut select = blank(self.last_end());
        self.modifiers(&mut select);
        self.clause = Clause::Items;
        loop {
            select.items.push(self.item()?);
            if !self.take_kind(TokenKind::Comma) {
                break;
            }
        }
        select.items_end = self.last_end();
        self.destination(&mut select)?;
        let from = self.at;
        if self.take("FROM") {
            self.clause = Clause::From;
            let references = self.references()?;
            select.traits.derived = references.derived;
            select.filter = references.filter;
            if let Some(block) = self.scope.present_mut() {
                block.joined = references.joined;
            }
            select.from_span = Some(self.span_from(from));
        }
        let filter = self.at;
        if self.take("WHERE") {
            self.clause = Clause::Where;
            let condition = self.condition()?;
            if let Some(block) = self.scope.present_mut() {
                block.filter = condition.clone();
            }
            select.where_span = Some(self.span_from(filter));
            let joined = std::mem::replace(&mut select.filter, Predicate::True);
            select.filter = predicate::all(vec![condition, joined]);
        }
        if self.take_all(&["GROUP", "BY"]) {
            select.rollup = self.is("ROLLUP") || self.is("CUBE");
            self.clause = Clause::Group;
            select.group_by = self.sorts()?;
            select.rollup |= self.take_all(&["WITH", "ROLLUP"]);
            if let Some(block) = self.scope.present_mut() {
                block.group_ordinals = ordinals(&select.group_by);
                block.shape.group_by = select.group_by.iter().map(grouped).collect();
                block.shape.rollup = select.rollup;
            }
        }
        if self.take("HAVING") {
            select.having = true;
            if let Some(shape) = self.scope.shape() {
                shape.having = true;
            }
            self.clause = Clause::Having;
            self.apart(Self::condition)?;
        }
        if self.take("WINDOW") {
            self.clause = Clause::Window;
            loop {
                self.name("a window")?;
                self.expect("AS")?;
                self.expect_kind(TokenKind::LeftParen, "(")?;
                self.window()?;
                if !self.take_kind(TokenKind::Comma) {
                    break;
                }
            }
        }
        select.order_place = self.last_end();
        Ok(select)
    }

    /// Runs `read` and says how many aggregates it met, without counting them further.
    fn apart<T>(&mut self, read: impl FnOnce(&mut Self) -> Result<T, Error>) -> Result<(T, u32), Error> {
        let before = self.facts.aggregates;
        let value = read(self)?;
        let met = self.facts.aggregates - before;
        self.facts.aggregates = before;
        Ok((value, met))
    }

    fn modifiers(&mut self, select: &mut Select) {
        loop {
            if self.take("DISTINCT") || self.take("DISTINCTROW") {
                select.distinct = true;
                if let Some(block) = self.scope.present_mut() {
                    block.distinct = true;
                }
            } else if self.take("SQL_CALC_FOUND_ROWS") {
                select.traits.found_rows = true;
                self.facts.primary = true;
            } else if !self.take_any(&[
                "ALL",
                "HIGH_PRIORITY",
                "STRAIGHT_JOIN",
                "SQL_SMALL_RESULT",
                "SQL_BIG_RESULT",
                "SQL_BUFFER_RESULT",
                "SQL_NO_CACHE",
                "SQL_CACHE",
            ]) {
                return;
            }
        }
    }

    fn item(&mut self) -> Result<Item, Error> {
        let first = self.at;
        if self.take_kind(TokenKind::Star) {
            return Ok(self.wildcard_item(first, OutputKind::All));
        }
        if self.is_wildcard() {
            let (schema, owner) = self.wildcard()?;
            return Ok(self.wildcard_item(first, OutputKind::AllOf { schema, owner }));
        }
        let (columns, subqueries) = (self.facts.columns, self.facts.subqueries);
        let (expr, aggregates) = self.apart(Self::expr)?;
        let constant = aggregates == 0
            && (columns, subqueries) == (self.facts.columns, self.facts.subqueries)
            && !matches!(expr, Expr::Query(_));
        let span = self.span_from(first);
        let number = self.scope.present_mut().map_or(0, |block| block.outputs.len()) as u32;
        let output = match &expr {
            Expr::Column(column) => {
                self.claim(column.index, Use::Item(number));
                OutputKind::Column(column.index)
            }
            Expr::Query(block) => {
                self.scope.role(*block, Role::Item(number));
                OutputKind::Query(*block)
            }
            Expr::Scalar(value, _) => OutputKind::Value(value.clone()),
            _ => OutputKind::Other,
        };
        let kind = match expr {
            Expr::Aggregate(aggregate) => ItemKind::Aggregate(*aggregate),
            Expr::Column(column) => ItemKind::Column(column.column),
            _ if aggregates > 0 => ItemKind::OverAggregate,
            _ => ItemKind::Expression,
        };
        let alias = self.item_alias()?;
        self.output(Output { kind: output, alias: alias.clone(), span });
        Ok(Item { kind, alias, span, constant })
    }

    fn wildcard_item(&mut self, first: usize, kind: OutputKind) -> Item {
        let span = self.span_from(first);
        self.output(Output { kind, alias: None, span });
        Item { kind: ItemKind::Wildcard, alias: None, span, constant: false }
    }

    fn output(&mut self, output: Output) {
        if let Some(block) = self.scope.present_mut() {
            block.outputs.push(output);
        }
    }

    /// Takes `[AS] alias`, where the alias may be a string.
    fn item_alias(&mut self) -> Result<Option<String>, Error> {
        let named = self.take("AS");
        if let Some(value) = self.peek().and_then(|token| token.string(self.text, self.mode)) {
            self.fixed.push(self.slot(self.at));
            self.at += 1;
            return Ok(Some(value.into_owned()));
        }
        if named || self.is_name(0) {
            return Ok(Some(self.name("an alias")?.into_owned()));
        }
        Ok(None)
    }

    /// Whether `t.*` or `db.t.*` comes next.
    pub(super) fn is_wildcard(&self) -> bool {
        let name = |ahead| matches!(self.kind_ahead(ahead), Some(TokenKind::Word | TokenKind::Quoted));
        let dot = |ahead| self.kind_ahead(ahead) == Some(TokenKind::Dot);
        let star = |ahead| self.kind_ahead(ahead) == Some(TokenKind::Star);
        name(0) && dot(1) && (star(2) || (name(2) && dot(3) && star(4)))
    }

    /// Takes `t.*` or `db.t.*`, says of which table.
    pub(super) fn wildcard(&mut self) -> Result<(Option<String>, String), Error> {
        let name = self.table_name()?;
        self.at += 2;
        let named = (name.schema.as_deref().map(str::to_owned), name.name.clone().into_owned());
        self.scope.mention(name.schema, name.name, name.span);
        Ok(named)
    }

    /// `ORDER BY`, `LIMIT`, locks and `INTO` behind a query.
    pub(super) fn query_end(&mut self, select: &mut Select) -> Result<(), Error> {
        if self.take_all(&["ORDER", "BY"]) {
            self.clause = Clause::Order;
            select.order_by = self.sorts()?;
            if let Some(block) = self.scope.present_mut() {
                block.order_ordinals = ordinals(&select.order_by);
                block.shape.ordered = true;
            }
            select.order_place = self.last_end();
        }
        if let Some(limit) = self.limit()? {
            select.limit = Some(limit);
            if let Some(shape) = self.scope.shape() {
                shape.limited = true;
            }
        }
        loop {
            let first = self.at;
            if self.is("FOR") && (self.is_ahead(1, "UPDATE") || self.is_ahead(1, "SHARE")) {
                self.at += 2;
                select.locking = true;
                self.facts.primary = true;
                self.lock_options()?;
                self.locked(select, first);
            } else if self.take_all(&["LOCK", "IN", "SHARE", "MODE"]) {
                select.locking = true;
                self.facts.primary = true;
                self.locked(select, first);
            } else if !self.destination(select)? {
                return Ok(());
            }
        }
    }

    fn locked(&self, select: &mut Select, first: usize) {
        let Span { start, end } = self.span_from(first);
        select.lock_span = Some(Span { start: select.lock_span.map_or(start, |known| known.start), end });
    }

    fn lock_options(&mut self) -> Result<(), Error> {
        if self.take("OF") {
            loop {
                let name = self.table_name()?;
                self.scope.mention(name.schema, name.name, name.span);
                if !self.take_kind(TokenKind::Comma) {
                    break;
                }
            }
        }
        let _ = self.take("NOWAIT") || self.take_all(&["SKIP", "LOCKED"]);
        Ok(())
    }

    /// Takes `LIMIT` if it comes next.
    pub(super) fn limit(&mut self) -> Result<Option<Limit>, Error> {
        let first = self.at;
        if !self.take("LIMIT") {
            return Ok(None);
        }
        let one = self.limit_value()?;
        let (offset, count) = if self.take_kind(TokenKind::Comma) {
            (Some(one), self.limit_value()?)
        } else if self.take("OFFSET") {
            (Some(self.limit_value()?), one)
        } else {
            (None, one)
        };
        Ok(Some(Limit { span: self.span_from(first), offset, count }))
    }

    fn limit_value(&mut self) -> Result<u32, Error> {
        if !matches!(self.kind(), Some(TokenKind::Integer | TokenKind::Param)) {
            return Err(self.expected("a number"));
        }
        self.at += 1;
        Ok(self.slot(self.at - 1))
    }

    /// Items of `ORDER BY` or `GROUP BY`.
    pub(super) fn sorts(&mut self) -> Result<Vec<Sort>, Error> {
        let mut sorts = Vec::new();
        loop {
            let first = self.at;
            let (expr, aggregates) = self.apart(Self::expr)?;
            let span = self.span_from(first);
            let by = match expr {
                Expr::Column(column) => {
                    let group = self.clause == Clause::Group;
                    self.claim(column.index, if group { Use::Group } else { Use::Order });
                    SortBy::Column(column.column)
                }
                Expr::Scalar(Scalar::Slot(slot), _) => self.ordinal(slot),
                _ if aggregates > 0 => SortBy::OverAggregate,
                _ => SortBy::Expression,
            };
            let descending = self.take("DESC");
            if !descending {
                self.take("ASC");
            }
            sorts.push(Sort { by, descending, span });
            if !self.take_kind(TokenKind::Comma) {
                return Ok(sorts);
            }
        }
    }

    /// An integer counts select items, any other literal is a constant.
    fn ordinal(&mut self, slot: u32) -> SortBy {
        self.fixed.push(slot);
        self.slots
            .get(slot as usize)
            .filter(|slot| slot.kind == SlotKind::Integer)
            .and_then(|slot| slot.text(self.text).parse().ok())
            .map_or(SortBy::Expression, SortBy::Ordinal)
    }
}

/// The column that is grouped by.
fn grouped(sort: &Sort) -> Option<Column> {
    match &sort.by {
        SortBy::Column(column) => Some(column.clone()),
        _ => None,
    }
}

/// Select items named by their number.
fn ordinals(sorts: &[Sort]) -> Vec<u32> {
    let ordinal = |sort: &Sort| match sort.by {
        SortBy::Ordinal(ordinal) => Some(ordinal),
        _ => None,
    };
    sorts.iter().filter_map(ordinal).collect()
}

/// A query of which nothing is known, all of its places at `place`.
pub(super) fn blank(place: Place) -> Select {
    Select {
        distinct: false,
        items: Vec::new(),
        verb_end: place,
        items_end: place,
        filter: Predicate::True,
        from_span: None,
        where_span: None,
        group_by: Vec::new(),
        rollup: false,
        having: false,
        order_by: Vec::new(),
        order_place: place,
        tail: place,
        limit: None,
        locking: false,
        lock_span: None,
        traits: Traits::default(),
    }
}
