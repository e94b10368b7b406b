//! Which tables are mentioned where, and whom a qualified name means.

use super::cursor::Parser;
use crate::lexer::TokenKind;
use crate::{
    Block, BlockIndex, BlockKind, Column, ColumnUse, Error, Owner, Place, Predicate, Role, Shape, Source,
    SourceKind, Span, TableIndex, TableRef, Use, UseIndex,
};
use std::borrow::Cow;

/// Tables that may stand side by side: MySQL joins 61. Names are looked up one by one.
const SOURCES: usize = 64;

/// Common table expressions that may be visible at once.
const COMMONS: usize = 256;

/// Tables, queries and names met so far.
#[derive(Debug, Default)]
pub(super) struct Scope<'a> {
    pub(super) tables: Vec<TableRef>,
    /// How many subqueries, derived tables and CTE bodies are open.
    pub(super) nesting: u32,
    /// The common table expressions that can be seen.
    pub(super) commons: Vec<Common<'a>>,
    pub(super) blocks: Vec<Block>,
    /// The block that is being read.
    current: Option<usize>,
    /// The block that was closed last.
    closed: Option<usize>,
    mentions: Vec<Mention<'a>>,
}

/// A common table expression.
#[derive(Debug)]
pub(super) struct Common<'a> {
    pub(super) name: Cow<'a, str>,
    /// Nothing inside its own body.
    pub(super) block: Option<BlockIndex>,
    pub(super) columns: Vec<String>,
}

/// A name that qualifies another.
#[derive(Debug)]
struct Mention<'a> {
    block: Option<usize>,
    schema: Option<Cow<'a, str>>,
    name: Cow<'a, str>,
    span: Span,
}

impl<'a> Scope<'a> {
    /// Opens a query block inside the present one; the result goes to [`Self::close`].
    pub(super) fn open(&mut self, role: Role, kind: BlockKind) -> Option<usize> {
        let outer = self.current;
        self.open_in(outer, role, kind);
        outer
    }

    /// Opens another part of the set operation that the present block begins: it sees nothing of that block.
    pub(super) fn open_branch(&mut self) -> Option<usize> {
        let outer = self.current;
        let parent = self.present().and_then(|block| block.parent).map(|parent| parent as usize);
        let whole = outer.unwrap_or_default() as BlockIndex;
        self.open_in(parent, Role::Branch(whole), BlockKind::Select);
        self.branch(whole, self.blocks.len() - 1);
        outer
    }

    fn open_in(&mut self, parent: Option<usize>, role: Role, kind: BlockKind) {
        self.current = Some(self.blocks.len());
        self.blocks.push(Block {
            parent: parent.map(|parent| parent as BlockIndex),
            role,
            kind,
            distinct: false,
            from: Vec::new(),
            joined: None,
            filter: Predicate::True,
            shape: Shape::default(),
            natural: false,
            outputs: Vec::new(),
            order_ordinals: Vec::new(),
            group_ordinals: Vec::new(),
            branches: Vec::new(),
            operations: Vec::new(),
            asks_late: false,
        });
    }

    /// Makes a block part of the set operation `whole`.
    fn branch(&mut self, whole: BlockIndex, branch: usize) {
        if let Some(block) = self.blocks.get_mut(branch) {
            block.role = Role::Branch(whole);
        }
        if let Some(block) = self.blocks.get_mut(whole as usize) {
            block.branches.push(branch as BlockIndex);
        }
    }

    /// What is known of what the present block does with its rows.
    pub(super) fn shape(&mut self) -> Option<&mut Shape> {
        self.present_mut().map(|block| &mut block.shape)
    }

    /// Makes a derived table one that sees what stands before it.
    pub(super) fn lateral(&mut self, block: BlockIndex) {
        if let Some(block) = self.blocks.get_mut(block as usize) {
            block.shape.lateral = true;
        }
    }

    /// The present block goes on as the one in whose parentheses the block closed last stands.
    pub(super) fn wrap(&mut self, branch: BlockIndex) {
        if let Some(block) = self.present_mut() {
            block.kind = BlockKind::Wrapped;
        }
        let whole = self.current.unwrap_or_default() as BlockIndex;
        self.branch(whole, branch as usize);
    }

    pub(super) fn close(&mut self, outer: Option<usize>) {
        self.closed = std::mem::replace(&mut self.current, outer);
    }

    /// The block that was closed last.
    pub(super) fn closed(&self) -> BlockIndex {
        self.closed.unwrap_or_default() as BlockIndex
    }

    fn present(&self) -> Option<&Block> {
        self.current.and_then(|block| self.blocks.get(block))
    }

    pub(super) fn present_mut(&mut self) -> Option<&mut Block> {
        self.current.and_then(|block| self.blocks.get_mut(block))
    }

    /// The present block; one is opened for a name outside of any.
    pub(super) fn present_index(&mut self) -> BlockIndex {
        if self.current.is_none() {
            self.open_in(None, Role::Statement, BlockKind::Other);
        }
        self.current.unwrap_or_default() as BlockIndex
    }

    /// Says what becomes of a block's rows.
    pub(super) fn role(&mut self, block: BlockIndex, role: Role) {
        if let Some(block) = self.blocks.get_mut(block as usize) {
            block.role = role;
        }
    }

    /// Makes the sources of the query that was just closed visible in the present block: `ON DUPLICATE KEY UPDATE`
    /// behind `INSERT … SELECT` speaks about both.
    pub(super) fn see_closed(&mut self) {
        let (Some(current), Some(closed)) = (self.current, self.closed) else { return };
        if let Some(query) = self.blocks.get_mut(closed) {
            query.parent = None;
        }
        if let Some(block) = self.blocks.get_mut(current) {
            block.parent = Some(closed as BlockIndex);
        }
    }

    /// How many mentions there are, for [`Self::forget_mentions`].
    pub(super) fn mentions(&self) -> usize {
        self.mentions.len()
    }

    /// Forgets all mentions but the first.
    pub(super) fn forget_mentions(&mut self, kept: usize) {
        self.mentions.truncate(kept);
    }

    /// How many sources the present block has.
    pub(super) fn sources(&self) -> usize {
        self.present().map_or(0, |block| block.from.len())
    }

    /// Adds a derived table, common table expression or the like to the present block.
    pub(super) fn derived(&mut self, name: Option<Cow<'a, str>>, kind: SourceKind) -> Result<(), Error> {
        let name = name.unwrap_or_default().into_owned();
        self.source(Source { name, schema: None, aliased: true, kind })
    }

    fn source(&mut self, source: Source) -> Result<(), Error> {
        if let Some(block) = self.present_mut() {
            if block.from.len() >= SOURCES {
                return Err(Error::TooManyTables);
            }
            block.from.push(source);
        }
        Ok(())
    }

    /// Makes a common table expression visible.
    pub(super) fn common_table(&mut self, common: Common<'a>) -> Result<(), Error> {
        if self.commons.len() >= COMMONS {
            return Err(Error::TooManyTables);
        }
        self.commons.push(common);
        Ok(())
    }

    /// The common table expression of that name, the innermost.
    pub(super) fn common(&self, name: &str) -> Option<SourceKind> {
        let common = self.commons.iter().rev().find(|common| common.name.eq_ignore_ascii_case(name))?;
        Some(match common.block {
            Some(block) => SourceKind::Query { block, columns: common.columns.clone() },
            None => SourceKind::Recursion,
        })
    }

    /// Adds a table to the present block and the statement.
    pub(super) fn table(
        &mut self,
        name: TableName<'a>,
        alias: Option<Cow<'a, str>>,
    ) -> Result<TableIndex, Error> {
        let index = self.push(&name, alias.as_deref(), self.nesting > 0)?;
        let aliased = alias.is_some();
        let exposed = alias.unwrap_or(name.name).into_owned();
        let schema = name.schema.filter(|_| !aliased).map(Cow::into_owned);
        self.source(Source { name: exposed, schema, aliased, kind: SourceKind::Table(index) })?;
        Ok(index)
    }

    /// Adds a table to the statement only.
    pub(super) fn push(
        &mut self,
        name: &TableName<'a>,
        alias: Option<&str>,
        nested: bool,
    ) -> Result<TableIndex, Error> {
        let index = TableIndex::try_from(self.tables.len()).map_err(|_| Error::TooLong)?;
        self.tables.push(TableRef {
            schema: name.schema.as_deref().map(str::to_owned),
            name: name.name.clone().into_owned(),
            alias: alias.map(str::to_owned),
            span: name.span,
            nested,
        });
        Ok(index)
    }

    /// Notes that `name` qualifies something in the present block.
    pub(super) fn mention(&mut self, schema: Option<Cow<'a, str>>, name: Cow<'a, str>, span: Span) {
        self.mentions.push(Mention { block: self.current, schema, name, span });
    }

    /// The mentions that name a table by its own name, in the order of the text.
    pub(super) fn owners(&self) -> Vec<Owner> {
        let mut owners: Vec<Owner> = self
            .mentions
            .iter()
            .filter_map(|mention| {
                let source = self.resolve(mention.block, mention.schema.as_deref(), &mention.name)?;
                match source.kind {
                    SourceKind::Table(table) if !source.aliased => Some(Owner { table, span: mention.span }),
                    _ => None,
                }
            })
            .collect();
        owners.sort_by_key(|owner| owner.span.start);
        owners
    }

    /// Adds a mention in an optimizer hint, which speaks about tables of any block.
    pub(super) fn hint(&mut self, name: &str, span: Span) {
        let named = |source: &&Source| !source.aliased && source.name.eq_ignore_ascii_case(name);
        let Some(block) = self.blocks.iter().position(|block| block.from.iter().any(|source| named(&source)))
        else {
            return;
        };
        let name = Cow::Owned(name.to_owned());
        self.mentions.push(Mention { block: Some(block), schema: None, name, span });
    }

    /// The source a name means, looked for from the inside out, letter case only where it decides.
    fn resolve(&self, block: Option<usize>, schema: Option<&str>, name: &str) -> Option<&Source> {
        let mut next = block;
        while let Some(block) = next.and_then(|block| self.blocks.get(block)) {
            let fits = |source: &&Source| {
                source.name.eq_ignore_ascii_case(name)
                    && match (schema, source.schema.as_deref()) {
                        (Some(wanted), Some(schema)) => wanted.eq_ignore_ascii_case(schema),
                        (Some(_), None) => !source.aliased,
                        (None, _) => true,
                    }
            };
            let exact = block.from.iter().filter(fits).find(|source| source.name == name);
            if let Some(source) = exact.or_else(|| block.from.iter().find(fits)) {
                return Some(source);
            }
            next = block.parent.map(|parent| parent as usize);
        }
        None
    }

    /// Makes every condition opaque that does not, or may not, speak about a table of the present block itself.
    pub(super) fn own(&self, predicate: Predicate) -> Predicate {
        let Some(block) = self.present() else { return predicate };
        let plain = block.from.iter().all(is_table);
        let own = |column: &Column| match &column.owner {
            Some(owner) => {
                block.from.iter().find(|source| source.name.eq_ignore_ascii_case(owner)).is_none_or(is_table)
            }
            None => plain,
        };
        restrict(predicate, &own)
    }
}

fn is_table(source: &Source) -> bool {
    matches!(source.kind, SourceKind::Table(_))
}

fn restrict(predicate: Predicate, own: &impl Fn(&Column) -> bool) -> Predicate {
    let kept = match &predicate {
        Predicate::Between { column, .. }
        | Predicate::Compare { column, .. }
        | Predicate::In { column, .. } => own(column),
        Predicate::Equal(left, right) => own(left) && own(right),
        Predicate::Within { columns, .. } => columns.iter().all(own),
        Predicate::And(_) | Predicate::Opaque | Predicate::Or(_) | Predicate::True => true,
    };
    match predicate {
        Predicate::And(terms) => Predicate::And(terms.into_iter().map(|term| restrict(term, own)).collect()),
        Predicate::Or(terms) => Predicate::Or(terms.into_iter().map(|term| restrict(term, own)).collect()),
        _ if !kept => Predicate::Opaque,
        predicate => predicate,
    }
}

/// `t` or `db.t` where a table is meant.
#[derive(Clone, Debug)]
pub(super) struct TableName<'a> {
    pub(super) schema: Option<Cow<'a, str>>,
    pub(super) name: Cow<'a, str>,
    pub(super) span: Span,
}

/// A column, and its number among all mentions.
#[derive(Debug)]
pub(super) struct Named {
    pub(super) column: Column,
    pub(super) index: UseIndex,
}

/// What is done with a column before somebody says so.
const UNCLAIMED: &str = "expression";

impl<'a> Parser<'a> {
    /// Takes `t` or `db.t`.
    pub(super) fn table_name(&mut self) -> Result<TableName<'a>, Error> {
        let first = self.at;
        let mut name = self.name("a table name")?;
        let mut schema = None;
        if self.kind() == Some(TokenKind::Dot) && self.kind_ahead(1) != Some(TokenKind::Star) {
            self.at += 1;
            schema = Some(std::mem::replace(&mut name, self.any_name("a table name")?));
        }
        Ok(TableName { schema, name, span: self.span_from(first) })
    }

    /// Takes `[a.[b.]]c`, notes whom it mentions.
    pub(super) fn column(&mut self) -> Result<Named, Error> {
        let first = self.at;
        let name = self.name("a column")?;
        self.column_from(first, name)
    }

    /// The same after its first name, which is token `first`.
    pub(super) fn column_from(&mut self, first: usize, mut name: Cow<'a, str>) -> Result<Named, Error> {
        self.facts.columns += 1;
        let (mut schema, mut owner) = (None, None);
        let mut end = None;
        while self.kind() == Some(TokenKind::Dot)
            && schema.is_none()
            && self.kind_ahead(1) != Some(TokenKind::Star)
        {
            end = Some(self.last_end());
            self.at += 1;
            schema = owner.take();
            owner = Some(std::mem::replace(&mut name, self.any_name("a column")?));
        }
        let owned = owner.as_deref().map(str::to_owned);
        let index =
            self.note(first, schema.as_deref().map(str::to_owned), owned.clone(), name.clone().into_owned());
        if let (Some(owner), Some(end)) = (owner, end) {
            self.mention_at(first, end, schema, owner);
        }
        Ok(Named { column: Column { owner: owned, name: name.into_owned() }, index })
    }

    /// Notes a mention of a column from token `first` to the last one taken, which is its name.
    fn note(
        &mut self,
        first: usize,
        schema: Option<String>,
        owner: Option<String>,
        name: String,
    ) -> UseIndex {
        let block = self.scope.present_index();
        let (span, name_span) = (self.span_from(first), self.span_from(self.at.saturating_sub(1)));
        let place = Use::Other(Cow::Borrowed(UNCLAIMED));
        let clause = self.clause;
        self.uses.push(ColumnUse { block, clause, schema, owner, name, span, name_span, place });
        (self.uses.len() - 1) as UseIndex
    }

    /// Takes a name without an owner as a column that is used so.
    pub(super) fn lone_column(&mut self, place: Use) -> Result<UseIndex, Error> {
        let first = self.at;
        let name = self.name("a column")?.into_owned();
        let index = self.note(first, None, None, name);
        self.claim(index, place);
        Ok(index)
    }

    /// Says what is done with a column.
    pub(super) fn claim(&mut self, column: UseIndex, place: Use) {
        if let Some(column) = self.uses.get_mut(column as usize) {
            column.place = place;
        }
    }

    /// Says what is done with every column from `first` on of which nobody else has said it.
    pub(super) fn claim_rest(&mut self, first: usize, what: impl Fn() -> Cow<'static, str>) {
        for column in self.uses.iter_mut().skip(first) {
            if column.place == Use::Other(Cow::Borrowed(UNCLAIMED)) {
                column.place = Use::Other(what());
            }
        }
    }

    pub(super) fn mention_at(
        &mut self,
        first: usize,
        end: Place,
        schema: Option<Cow<'a, str>>,
        name: Cow<'a, str>,
    ) {
        let span = Span { start: self.start(first), end };
        self.scope.mention(schema, name, span);
    }
}
