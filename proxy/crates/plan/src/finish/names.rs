//! Which column a name means, where a name behind `WHERE` may also be that of a select item.

use sql::{
    Block, BlockIndex, Clause, ColumnUse, Function, Item, ItemKind, OutputKind, Role, Select, SortBy, Source,
    SourceKind, Use,
};

use super::holds;
use crate::scope::{Home, Scope, columns};
use crate::text::{Op, put_name};

/// A column of the statement's own `FROM`.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct Column {
    /// The number of what it comes from; nothing for a name that several have (`USING`).
    source: Option<usize>,
    /// In lower case.
    name: String,
}

impl Column {
    /// In lower case.
    pub(super) fn name(&self) -> &str {
        &self.name
    }
}

/// Looks up names in the statement's own block.
pub(super) struct Names<'a> {
    scope: &'a Scope<'a>,
    select: &'a Select,
    own: BlockIndex,
    block: &'a Block,
    sources: Vec<Known>,
}

/// What is known of something in `FROM`.
struct Known {
    /// Names and types of its columns; a type is empty where it is not known.
    columns: Vec<(String, String)>,
    /// All are known.
    complete: bool,
}

impl<'a> Names<'a> {
    /// Nothing where the statement is more than one block that asks no subquery behind `WHERE`.
    pub(super) fn new(scope: &'a Scope<'a>, select: &'a Select) -> Option<Self> {
        let blocks = &scope.statement.blocks;
        let own = blocks.iter().position(|block| block.role == Role::Statement)?;
        let block = blocks.get(own)?;
        if block.asks_late || !block.branches.is_empty() || block.outputs.len() != select.items.len() {
            return None;
        }
        let own = BlockIndex::try_from(own).ok()?;
        let sources = block.from.iter().map(|source| known(scope, source)).collect();
        Some(Self { scope, select, own, block, sources })
    }

    /// Tables whose columns are still to be asked for.
    pub(super) fn unknown(&self) -> Vec<String> {
        let mut tables: Vec<String> = Vec::new();
        for source in &self.block.from {
            let SourceKind::Table(index) = source.kind else { continue };
            let number = usize::from(index);
            let foreign = self.scope.homes.get(number) == Some(&Home::Foreign);
            if let Some(table) = self.scope.statement.tables.get(number).filter(|_| !foreign)
                && columns(self.scope.database, &table.name).is_empty()
                && !tables.contains(&table.name)
            {
                tables.push(table.name.clone());
            }
        }
        tables
    }

    /// Whether it is a mention that is evaluated over gathered rows.
    pub(super) fn is_late(&self, mention: &ColumnUse) -> bool {
        let clause = !matches!(mention.clause, Clause::From | Clause::Where);
        mention.block == self.own && clause
    }

    /// The column that a mention means; nothing where it is the alias of a select item.
    pub(super) fn column(&self, mention: &ColumnUse) -> Option<Column> {
        let name = mention.name.to_ascii_lowercase();
        if let Some(owner) = &mention.owner {
            let named = |source: &&Source| source.name == *owner;
            let alike = |source: &&Source| source.name.eq_ignore_ascii_case(owner);
            let sources = || self.block.from.iter();
            let source = sources().position(|it| named(&it)).or_else(|| sources().position(|it| alike(&it)));
            return Some(Column { source, name });
        }
        let from = self.from(&name);
        if self.is_alias(mention, from.is_some()) {
            return None;
        }
        // What nothing has the server knows, or says that it does not.
        Some(from.unwrap_or(Column { source: None, name }))
    }

    /// The column of a bare name.
    fn from(&self, name: &str) -> Option<Column> {
        let has = |known: &Known| known.columns.iter().any(|(column, _)| column.eq_ignore_ascii_case(name));
        let mut found = self.sources.iter().enumerate().filter(|(_, known)| has(known));
        let column = |source| Some(Column { source, name: name.to_owned() });
        match (found.next(), found.next()) {
            (Some((source, _)), None) => column(Some(source)),
            (Some(_), Some(_)) => column(None),
            (None, _) if self.sources.iter().any(|known| !known.complete) => column(None),
            (None, _) => None,
        }
    }

    /// Whether a bare name is that of a select item before it is that of a column.
    fn is_alias(&self, mention: &ColumnUse, from: bool) -> bool {
        let named =
            |item: &&Item| item.alias.as_ref().is_some_and(|alias| alias.eq_ignore_ascii_case(&mention.name));
        if !self.select.items.iter().any(|item| named(&item)) {
            return false;
        }
        let calls = self.scope.statement.aggregates.iter();
        let mut around = calls.filter(|call| call.block == self.own && holds(call.span, mention.span));
        match mention.clause {
            Clause::Group => !from,
            Clause::Order => mention.place == Use::Order || !from,
            // A column grouped by stands before an alias.
            Clause::Having if around.next().is_none() => !self.groups_by(&mention.name) || !from,
            Clause::Having => !from,
            _ => false,
        }
    }

    /// Whether a column of that name is grouped by.
    fn groups_by(&self, name: &str) -> bool {
        self.select
            .group_by
            .iter()
            .any(|sort| matches!(&sort.by, SortBy::Column(column) if column.name.eq_ignore_ascii_case(name)))
    }

    fn data_type(&self, column: &Column) -> Option<&str> {
        let known = self.sources.get(column.source?)?;
        let mut columns = known.columns.iter();
        let (_, data_type) = columns.find(|(name, _)| name.eq_ignore_ascii_case(&column.name))?;
        (!data_type.is_empty()).then_some(data_type.as_str())
    }

    /// Whether values that compare equal may differ, or nobody knows.
    pub(super) fn is_text(&self, column: &Column) -> bool {
        !self.data_type(column).is_some_and(|data_type| {
            is_integer(data_type)
                || matches!(data_type, "decimal" | "numeric" | "double" | "real" | "date" | "datetime")
                || matches!(data_type, "timestamp" | "time" | "enum" | "set" | "binary" | "varbinary")
        })
    }

    /// Whether it is an integer.
    pub(super) fn is_whole(&self, column: &Column) -> bool {
        self.data_type(column).is_some_and(is_integer)
    }

    /// Whether it is a binary floating-point number.
    pub(super) fn is_float(&self, column: &Column) -> bool {
        matches!(self.data_type(column), Some("double" | "real" | "float"))
    }

    /// Whether its values are names of numbers: `ENUM`, `SET`.
    pub(super) fn is_list(&self, column: &Column) -> bool {
        matches!(self.data_type(column), Some("enum" | "set"))
    }

    /// Whether its values hold types that their text does not tell: `JSON`.
    pub(super) fn is_document(&self, column: &Column) -> bool {
        self.data_type(column) == Some("json")
    }

    /// Whether a mention of an `ENUM`, `SET` or `JSON` asks for nothing but its text.
    pub(super) fn only_shows(&self, mention: &ColumnUse, document: bool) -> bool {
        let shown = |item: &Item| holds(item.span, mention.span);
        match &mention.place {
            Use::IsNull | Use::Aggregate { function: Function::Count, distinct: false } => true,
            Use::Group | Use::Aggregate { function: Function::Count, .. } => !document,
            // Compared as texts, and sorted as numbers.
            Use::Aggregate { function: Function::Max | Function::Min, .. } if !document => {
                let item = self.select.items.iter().position(shown);
                item.is_some_and(|item| {
                    matches!(self.select.items[item].kind, ItemKind::Aggregate(_)) && !self.reads_again(item)
                })
            }
            Use::Item(number) => {
                let compared = document && self.select.distinct;
                !(compared || self.reads_again(*number as usize))
            }
            _ => document && self.is_written(mention),
        }
    }

    /// Whether a mention is written into a text of all rows.
    fn is_written(&self, mention: &ColumnUse) -> bool {
        self.scope.statement.aggregates.iter().any(|call| {
            call.block == self.own
                && call.name == "GROUP_CONCAT"
                && !call.aggregate.distinct
                && call.aggregate.argument.is_some_and(|argument| argument.start == mention.span.start)
                && match &mention.place {
                    Use::Aggregate { .. } => true,
                    Use::Other(what) => what == "function GROUP_CONCAT",
                    _ => false,
                }
        })
    }

    /// Whether groups with `ROLLUP` have a key that names no column.
    pub(super) fn rolls_constant(&self) -> bool {
        let uses = &self.scope.statement.uses;
        self.select.rollup
            && self.select.group_by.iter().any(|sort| match sort.by {
                SortBy::Ordinal(position) => {
                    let number = position.checked_sub(1).and_then(|number| usize::try_from(number).ok());
                    number.and_then(|number| self.select.items.get(number)).is_some_and(|item| item.constant)
                }
                _ => !uses.iter().any(|mention| holds(sort.span, mention.span)),
            })
    }

    /// Whether `ORDER BY` or `HAVING` speaks about a select item.
    fn reads_again(&self, number: usize) -> bool {
        let ordinal = u32::try_from(number + 1).ok();
        let wildcard =
            self.block.outputs.iter().any(|it| matches!(it.kind, OutputKind::All | OutputKind::AllOf { .. }));
        let ordered = self.select.order_by.iter().any(|sort| match sort.by {
            SortBy::Ordinal(position) => wildcard || Some(position) == ordinal,
            _ => false,
        });
        let alias = self.select.items.get(number).and_then(|item| item.alias.as_ref());
        let named = |mention: &ColumnUse| {
            alias.is_some_and(|alias| alias.eq_ignore_ascii_case(&mention.name))
                && matches!(mention.clause, Clause::Having | Clause::Order)
                && self.is_late(mention)
                && self.column(mention).is_none()
        };
        ordered || self.scope.statement.uses.iter().any(named)
    }

    /// Whether `HAVING` calls a select item by its alias.
    pub(super) fn having_names(&self, item: &Item) -> bool {
        item.alias.as_ref().is_some_and(|alias| {
            self.scope.statement.uses.iter().any(|mention| {
                mention.clause == Clause::Having
                    && mention.block == self.own
                    && mention.name.eq_ignore_ascii_case(alias)
            })
        })
    }

    /// The block that is planned.
    pub(super) const fn own(&self) -> BlockIndex {
        self.own
    }

    /// The columns that a `*` stands for, each as nodes are asked for it; nothing where that is not known.
    pub(super) fn expand(&self, item: &Item) -> Option<Vec<(Column, Vec<Op>)>> {
        let number = self.select.items.iter().position(|it| it.span == item.span)?;
        let output = self.block.outputs.get(number)?;
        let using = |mention: &ColumnUse| mention.block == self.own && mention.place == Use::Using;
        let all = match &output.kind {
            OutputKind::All => None,
            OutputKind::AllOf { owner, .. } => Some(owner),
            _ => return None,
        };
        if all.is_none() && (self.block.natural || self.scope.statement.uses.iter().any(using)) {
            return None;
        }
        let mut found = Vec::new();
        for (number, (source, known)) in self.block.from.iter().zip(&self.sources).enumerate() {
            if all.is_some_and(|owner| !source.name.eq_ignore_ascii_case(owner)) {
                continue;
            }
            if !known.complete {
                return None;
            }
            for (name, _) in &known.columns {
                let mut quoted = Vec::new();
                put_name(name, true, &mut quoted);
                let quoted = String::from_utf8(quoted).ok()?;
                let mut ops = self.owner(source)?;
                ops.push(Op::Literal(format!(".{quoted}").into()));
                found.push((Column { source: Some(number), name: name.to_ascii_lowercase() }, ops));
            }
        }
        (!found.is_empty()).then_some(found)
    }

    /// What qualifies columns of a source on the nodes.
    fn owner(&self, source: &Source) -> Option<Vec<Op>> {
        if let (SourceKind::Table(index), false) = (&source.kind, source.aliased)
            && let Some(Home::Sharded(rule)) = self.scope.homes.get(usize::from(*index))
        {
            return Some(vec![Op::Table { rule: *rule, quoted: true }]);
        }
        let mut quoted = Vec::new();
        put_name(&source.name, true, &mut quoted);
        Some(vec![Op::Literal(String::from_utf8(quoted).ok()?.into())])
    }
}

fn is_integer(data_type: &str) -> bool {
    matches!(data_type, "tinyint" | "smallint" | "mediumint" | "int" | "integer" | "bigint" | "year")
}

fn known(scope: &Scope<'_>, source: &Source) -> Known {
    match &source.kind {
        SourceKind::Table(index) => {
            let number = usize::from(*index);
            let foreign = scope.homes.get(number) == Some(&Home::Foreign);
            let table = scope.statement.tables.get(number).filter(|_| !foreign);
            let of = table.map(|table| columns(scope.database, &table.name)).unwrap_or_default();
            let columns: Vec<_> =
                of.iter().map(|column| (column.name.clone(), column.data_type.clone())).collect();
            Known { complete: !columns.is_empty(), columns }
        }
        SourceKind::Query { columns, .. } if !columns.is_empty() => {
            let columns = columns.iter().map(|name| (name.clone(), String::new())).collect();
            Known { columns, complete: true }
        }
        SourceKind::Query { block, .. } => {
            let outputs = scope.statement.blocks.get(*block as usize).map(|block| block.outputs.as_slice());
            let name = |output: &sql::Output| match (&output.alias, &output.kind) {
                (Some(alias), _) => Some(alias.clone()),
                (None, OutputKind::Column(index)) => {
                    scope.statement.uses.get(*index as usize).map(|mention| mention.name.clone())
                }
                _ => None,
            };
            let columns: Option<Vec<_>> =
                outputs.unwrap_or_default().iter().map(|it| Some((name(it)?, String::new()))).collect();
            let complete = columns.as_ref().is_some_and(|columns| !columns.is_empty());
            Known { columns: columns.unwrap_or_default(), complete }
        }
        SourceKind::Inserted(_) | SourceKind::Json | SourceKind::Recursion => {
            Known { columns: Vec::new(), complete: false }
        }
    }
}
