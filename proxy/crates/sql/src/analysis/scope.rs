//! Which tables are mentioned where, and whom a qualified name means.

use super::cursor::Parser;
use crate::lexer::TokenKind;
use crate::{Column, Error, Owner, Place, Predicate, Span, TableIndex, TableRef};
use std::borrow::Cow;

/// Tables that may stand side by side: MySQL joins 61. Names are looked up one by one.
const SOURCES: usize = 64;

/// Common table expressions that may be visible at once.
const CTES: usize = 256;

/// Tables, queries and names met so far.
#[derive(Debug, Default)]
pub(super) struct Scope<'a> {
    pub(super) tables: Vec<TableRef>,
    /// How many subqueries, derived tables and CTE bodies are open.
    pub(super) nesting: u32,
    /// Names of the common table expressions that can be seen.
    pub(super) ctes: Vec<Cow<'a, str>>,
    blocks: Vec<Block<'a>>,
    /// The block that is being read.
    current: Option<usize>,
    /// The block that was closed last.
    closed: Option<usize>,
    mentions: Vec<Mention<'a>>,
}

/// One query block.
#[derive(Debug)]
struct Block<'a> {
    parent: Option<usize>,
    sources: Vec<Source<'a>>,
}

/// Something in `FROM` that has a name.
#[derive(Debug)]
struct Source<'a> {
    /// Alias, or the table's own name.
    name: Cow<'a, str>,
    schema: Option<Cow<'a, str>>,
    /// Nothing for derived tables and the like.
    table: Option<TableIndex>,
    aliased: bool,
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
    pub(super) fn open(&mut self) -> Option<usize> {
        let outer = self.current;
        self.current = Some(self.blocks.len());
        self.blocks.push(Block { parent: outer, sources: Vec::new() });
        outer
    }

    pub(super) fn close(&mut self, outer: Option<usize>) {
        self.closed = std::mem::replace(&mut self.current, outer);
    }

    fn present(&self) -> Option<&Block<'a>> {
        self.current.and_then(|block| self.blocks.get(block))
    }

    /// Makes the sources of the query that was just closed visible in the present block: `ON DUPLICATE KEY UPDATE`
    /// behind `INSERT … SELECT` speaks about both.
    pub(super) fn see_closed(&mut self) {
        let (Some(current), Some(closed)) = (self.current, self.closed) else { return };
        if let Some(query) = self.blocks.get_mut(closed) {
            query.parent = None;
        }
        if let Some(block) = self.blocks.get_mut(current) {
            block.parent = Some(closed);
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
        self.present().map_or(0, |block| block.sources.len())
    }

    /// Adds a derived table, common table expression or the like to the present block.
    pub(super) fn derived(&mut self, name: Option<Cow<'a, str>>) -> Result<(), Error> {
        let name = name.unwrap_or_default();
        self.source(Source { name, schema: None, table: None, aliased: true })
    }

    fn source(&mut self, source: Source<'a>) -> Result<(), Error> {
        if let Some(block) = self.current.and_then(|block| self.blocks.get_mut(block)) {
            if block.sources.len() >= SOURCES {
                return Err(Error::TooManyTables);
            }
            block.sources.push(source);
        }
        Ok(())
    }

    /// Makes a common table expression visible.
    pub(super) fn common_table(&mut self, name: Cow<'a, str>) -> Result<(), Error> {
        if self.ctes.len() >= CTES {
            return Err(Error::TooManyTables);
        }
        self.ctes.push(name);
        Ok(())
    }

    /// Adds a table to the present block and the statement.
    pub(super) fn table(
        &mut self,
        name: TableName<'a>,
        alias: Option<Cow<'a, str>>,
    ) -> Result<TableIndex, Error> {
        let index = self.push(&name, alias.as_deref(), self.nesting > 0)?;
        let aliased = alias.is_some();
        let exposed = alias.unwrap_or(name.name);
        self.source(Source { name: exposed, schema: name.schema, table: Some(index), aliased })?;
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
                let table = source.table.filter(|_| !source.aliased)?;
                Some(Owner { table, span: mention.span })
            })
            .collect();
        owners.sort_by_key(|owner| owner.span.start);
        owners
    }

    /// Adds a mention in an optimizer hint, which speaks about tables of any block.
    pub(super) fn hint(&mut self, name: &str, span: Span) {
        let named = |source: &&Source<'_>| !source.aliased && source.name.eq_ignore_ascii_case(name);
        let Some(block) =
            self.blocks.iter().position(|block| block.sources.iter().any(|source| named(&source)))
        else {
            return;
        };
        let name = Cow::Owned(name.to_owned());
        self.mentions.push(Mention { block: Some(block), schema: None, name, span });
    }

    /// The source a name means, looked for from the inside out, letter case only where it decides.
    fn resolve(&self, block: Option<usize>, schema: Option<&str>, name: &str) -> Option<&Source<'a>> {
        let mut next = block;
        while let Some(block) = next.and_then(|block| self.blocks.get(block)) {
            let fits = |source: &&Source<'_>| {
                source.name.eq_ignore_ascii_case(name)
                    && match (schema, source.schema.as_deref()) {
                        (Some(wanted), Some(schema)) => wanted.eq_ignore_ascii_case(schema),
                        (Some(_), None) => !source.aliased,
                        (None, _) => true,
                    }
            };
            let exact = block.sources.iter().filter(fits).find(|source| source.name == name);
            if let Some(source) = exact.or_else(|| block.sources.iter().find(fits)) {
                return Some(source);
            }
            next = block.parent;
        }
        None
    }

    /// Makes every condition opaque that does not, or may not, speak about a table of the present block itself.
    pub(super) fn own(&self, predicate: Predicate) -> Predicate {
        let Some(block) = self.present() else { return predicate };
        let plain = block.sources.iter().all(|source| source.table.is_some());
        let own = |column: &Column| match &column.owner {
            Some(owner) => block
                .sources
                .iter()
                .find(|source| source.name.eq_ignore_ascii_case(owner))
                .is_none_or(|source| source.table.is_some()),
            None => plain,
        };
        restrict(predicate, &own)
    }
}

fn restrict(predicate: Predicate, own: &impl Fn(&Column) -> bool) -> Predicate {
    let kept = match &predicate {
        Predicate::Between { column, .. }
        | Predicate::Compare { column, .. }
        | Predicate::In { column, .. } => own(column),
        Predicate::Equal(left, right) => own(left) && own(right),
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
    pub(super) fn column(&mut self) -> Result<Column, Error> {
        let first = self.at;
        let name = self.name("a column")?;
        self.column_from(first, name)
    }

    /// The same after its first name, which is token `first`.
    pub(super) fn column_from(&mut self, first: usize, mut name: Cow<'a, str>) -> Result<Column, Error> {
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
        if let (Some(owner), Some(end)) = (owner, end) {
            self.mention_at(first, end, schema, owner);
        }
        Ok(Column { owner: owned, name: name.into_owned() })
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
