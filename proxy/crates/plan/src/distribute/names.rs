//! Which column a name means: looked up in the block that it stands in, then further out. In doubt it means none.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use meta::TableColumn;
use sql::{
    Block, BlockIndex, BlockKind, Column, Common, JoinKind, Joined, OutputKind, Role, Source, SourceKind,
};

use super::{Part, PartColumn, compare};
use crate::key::Domain;
use crate::scope::{Home, Scope, columns};

/// A column of something in the `FROM` of a block.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct Named {
    pub(super) block: BlockIndex,
    /// Number in [`Block::from`].
    pub(super) source: u16,
    /// In lower case.
    pub(super) name: Box<str>,
}

/// One column of a query's result.
#[derive(Clone, Debug)]
pub(super) struct Shown {
    /// In lower case; empty for an expression without alias.
    pub(super) name: Box<str>,
    /// The same as it is written.
    pub(super) written: String,
    /// The column that it is and nothing else.
    pub(super) column: Option<Named>,
}

/// Whether something has a column of a name.
#[derive(Clone, Copy, Eq, PartialEq)]
enum Has {
    No,
    Unknown,
    Yes,
}

/// How many columns a result may have: servers refuse more.
const COLUMNS: usize = 4096;

/// How many columns of all results together may be listed, so that small texts do not become great lists.
const LISTED: usize = 1 << 16;

/// How many columns may be compared with a name that is looked for, before nothing more is known.
const COMPARED: usize = 1 << 24;

/// How deep blocks that show each other's columns may be looked into.
const DEPTH: usize = 64;

/// The columns of a result; nothing when they are not all known.
type Shows = Option<Rc<[Shown]>>;

/// What a name means in one block.
enum Meaning {
    /// It may mean something, nobody knows what.
    Doubtful,
    Nothing,
    This(Named),
}

/// Looks up names in one statement.
pub(super) struct Names<'a> {
    scope: &'a Scope<'a>,
    /// Results of blocks that have been looked for: `None` inside while that goes on, or where they are not known.
    shown: RefCell<Vec<Option<Shows>>>,
    /// How many more columns may be listed, and compared with names.
    listed: Cell<usize>,
    compared: Cell<usize>,
    /// How many blocks are being listed.
    depth: Cell<usize>,
    /// How many more columns may be looked for through set operations.
    left: Cell<u32>,
}

impl<'a> Names<'a> {
    pub(super) fn new(scope: &'a Scope<'a>) -> Self {
        Self {
            scope,
            shown: RefCell::new(vec![None; scope.statement.blocks.len()]),
            listed: Cell::new(LISTED),
            compared: Cell::new(COMPARED),
            depth: Cell::new(0),
            left: Cell::new(4096),
        }
    }

    pub(super) fn block(&self, block: BlockIndex) -> Option<&'a Block> {
        self.scope.statement.blocks.get(block as usize)
    }

    /// Whether that many names may still be compared.
    pub(super) fn compares(&self, names: usize) -> bool {
        take(&self.compared, names)
    }

    /// The statement's own block, or that of the query whose rows it stores.
    pub(super) fn top(&self) -> BlockIndex {
        let of = |role| self.scope.statement.blocks.iter().position(|block| block.role == role);
        let top = of(Role::Stored).or_else(|| of(Role::Statement));
        self.unwrapped(top.and_then(|block| BlockIndex::try_from(block).ok()).unwrap_or_default())
    }

    /// The block that a query in parentheses with nothing behind them comes down to.
    pub(super) fn unwrapped(&self, mut index: BlockIndex) -> BlockIndex {
        while let Some(block) = self.block(index)
            && block.kind == BlockKind::Wrapped
            && block.operations.is_empty()
            && !block.shape.ordered
            && !block.shape.limited
            && let Some(inner) = block.branches.first()
        {
            index = *inner;
        }
        index
    }

    /// The parts of a set operation.
    pub(super) fn parts(&self, index: BlockIndex) -> Vec<Part> {
        let mut leaves = Vec::new();
        self.leaves(index, &mut leaves);
        let column = |shown: &Shown| PartColumn {
            name: shown.written.clone(),
            definition: shown.column.as_ref().and_then(|column| self.table_column(column)),
        };
        let part = |block: BlockIndex| {
            let columns = self.shown(block).map(|shown| shown.iter().map(column).collect());
            Part { block, columns }
        };
        leaves.into_iter().map(part).collect()
    }

    /// The blocks of a set operation that are none.
    fn leaves(&self, index: BlockIndex, found: &mut Vec<BlockIndex>) {
        let index = self.unwrapped(index);
        let Some(block) = self.block(index) else { return };
        if block.kind != BlockKind::Wrapped {
            found.push(index);
        }
        for branch in &block.branches {
            self.leaves(*branch, found);
        }
    }

    /// The column that a name in a block means.
    pub(super) fn meant(&self, block: BlockIndex, column: &Column) -> Option<Named> {
        let mut next = Some(block);
        while let Some(index) = next {
            let block = self.block(index)?;
            match self.in_block(index, block, column) {
                Meaning::This(named) => return Some(named),
                Meaning::Doubtful => return None,
                Meaning::Nothing => {}
            }
            // A derived table sees nothing of the block around it, and seldom what is further out.
            next = block.parent.filter(|_| !self.is_closed(block));
        }
        None
    }

    fn is_closed(&self, block: &Block) -> bool {
        match block.role {
            Role::Common => true,
            Role::Derived => !block.shape.lateral,
            Role::Branch(whole) => self.block(whole).is_none_or(|whole| self.is_closed(whole)),
            _ => false,
        }
    }

    fn in_block(&self, index: BlockIndex, block: &'a Block, column: &Column) -> Meaning {
        let this = |source: usize| match u16::try_from(source) {
            Ok(source) => Meaning::This(Named { block: index, source, name: lower(&column.name) }),
            Err(_) => Meaning::Doubtful,
        };
        if !column.name.is_ascii() {
            return Meaning::Doubtful;
        }
        let sources = || block.from.iter().enumerate();
        if let Some(owner) = &column.owner {
            let exact = sources().find(|(_, source)| source.name == *owner);
            let found =
                exact.or_else(|| sources().find(|(_, source)| source.name.eq_ignore_ascii_case(owner)));
            return match found {
                Some((number, source)) if self.has(source, &column.name) == Has::Yes => this(number),
                Some(_) => Meaning::Doubtful,
                None => Meaning::Nothing,
            };
        }
        let mut found = None;
        for (number, source) in sources() {
            match self.has(source, &column.name) {
                Has::Unknown => return Meaning::Doubtful,
                Has::Yes if found.is_none() => found = Some(number),
                // The common column of a join by name is that of the left side.
                Has::Yes if !block.joined.as_ref().is_some_and(joins_left) => return Meaning::Doubtful,
                Has::Yes | Has::No => {}
            }
        }
        found.map_or(Meaning::Nothing, this)
    }

    fn has(&self, source: &Source, name: &str) -> Has {
        let is = |found: bool| if found { Has::Yes } else { Has::No };
        match &source.kind {
            SourceKind::Table(table) => {
                let known = self.table(*table);
                if known.is_empty() {
                    return Has::Unknown;
                }
                if !take(&self.compared, known.len()) {
                    return Has::Unknown;
                }
                is(known.iter().any(|column| column.name.eq_ignore_ascii_case(name)))
            }
            SourceKind::Query { block, columns } => match self.shown(*block) {
                Some(known) if take(&self.compared, known.len()) => {
                    is(place(&known, columns, name).is_some())
                }
                _ => Has::Unknown,
            },
            SourceKind::Inserted(_) | SourceKind::Json | SourceKind::Recursion => Has::Unknown,
        }
    }

    fn table(&self, table: u16) -> std::borrow::Cow<'a, [TableColumn]> {
        match (self.scope.homes.get(usize::from(table)), self.scope.statement.tables.get(usize::from(table)))
        {
            (Some(Home::Foreign), _) | (_, None) => std::borrow::Cow::Borrowed(&[]),
            (_, Some(table)) => columns(self.scope.database, &table.name),
        }
    }

    /// The names of a source's columns, in lower case; nothing when they are not all known.
    pub(super) fn columns_of(&self, source: &Source) -> Option<Vec<Box<str>>> {
        match &source.kind {
            SourceKind::Table(table) => {
                let known = self.table(*table);
                (!known.is_empty()).then(|| known.iter().map(|column| lower(&column.name)).collect())
            }
            SourceKind::Query { block, columns } => {
                let mut names: Vec<_> = self.shown(*block)?.iter().map(|shown| shown.name.clone()).collect();
                for (name, given) in names.iter_mut().zip(columns) {
                    *name = lower(given);
                }
                Some(names)
            }
            SourceKind::Inserted(_) | SourceKind::Json | SourceKind::Recursion => None,
        }
    }

    /// The columns of the result of a block (of its first part); nothing when they are not all known.
    pub(super) fn shown(&self, block: BlockIndex) -> Shows {
        if let Some(known) = self.shown.borrow().get(block as usize)? {
            return known.clone();
        }
        // A name within the block may lead back to it.
        *self.shown.borrow_mut().get_mut(block as usize)? = Some(None);
        self.depth.set(self.depth.get() + 1);
        let shown = if self.depth.get() <= DEPTH { self.listed(block) } else { None };
        self.depth.set(self.depth.get() - 1);
        *self.shown.borrow_mut().get_mut(block as usize)? = Some(shown.clone());
        shown
    }

    fn listed(&self, index: BlockIndex) -> Shows {
        let block = self.block(index)?;
        match block.kind {
            BlockKind::Wrapped => return self.shown(*block.branches.first()?),
            BlockKind::Table => return self.all_of(index, block, 0).map(Rc::from),
            BlockKind::Select => {}
            BlockKind::Other | BlockKind::Values => return None,
        }
        let mut list = Vec::new();
        for output in &block.outputs {
            if list.len() > COLUMNS {
                return None;
            }
            match &output.kind {
                // Columns in common come first, each once.
                OutputKind::All if block.joined.as_ref().is_some_and(joins_by_name) => return None,
                OutputKind::All => {
                    for source in 0..block.from.len() {
                        list.extend(self.all_of(index, block, source)?);
                    }
                }
                OutputKind::AllOf { owner, .. } => {
                    let mut sources = block.from.iter();
                    let exact = sources.position(|source| source.name == *owner);
                    let alike = || block.from.iter().position(|it| it.name.eq_ignore_ascii_case(owner));
                    list.extend(self.all_of(index, block, exact.or_else(alike)?)?);
                }
                OutputKind::Column(number) => {
                    let used = self.scope.statement.uses.get(*number as usize)?;
                    let column = Column { owner: used.owner.clone(), name: used.name.clone() };
                    let written = output.alias.clone().unwrap_or_else(|| used.name.clone());
                    let column = self.meant(index, &column);
                    let shown = Shown { name: lower(&written), written, column };
                    list.push(take(&self.listed, 1).then_some(shown)?);
                }
                OutputKind::Other | OutputKind::Query(_) | OutputKind::Value(_) => {
                    let written = output.alias.clone().unwrap_or_default();
                    let shown = Shown { name: lower(&written), written, column: None };
                    list.push(take(&self.listed, 1).then_some(shown)?);
                }
            }
        }
        (list.len() <= COLUMNS).then(|| list.into())
    }

    fn all_of(&self, index: BlockIndex, block: &Block, source: usize) -> Option<Vec<Shown>> {
        let number = u16::try_from(source).ok()?;
        let of = block.from.get(source)?;
        let names = self.columns_of(of)?;
        if !take(&self.listed, names.len()) {
            return None;
        }
        let written = match &of.kind {
            SourceKind::Table(table) => self.table(*table).iter().map(|it| it.name.clone()).collect(),
            SourceKind::Query { block, columns } => {
                let mut written: Vec<_> = self.shown(*block)?.iter().map(|it| it.written.clone()).collect();
                written.iter_mut().zip(columns).for_each(|(name, given)| name.clone_from(given));
                written
            }
            _ => Vec::new(),
        };
        let shown = names.into_iter().zip(written).map(|(name, written)| Shown {
            column: Some(Named { block: index, source: number, name: name.clone() }),
            name,
            written,
        });
        Some(shown.collect())
    }

    /// Whether it is a column of a derived table.
    pub(super) fn is_derived(&self, named: &Named) -> bool {
        let source = self.block(named.block).and_then(|block| block.from.get(usize::from(named.source)));
        source.is_some_and(|source| matches!(source.kind, SourceKind::Query { .. }))
    }

    /// The table's column that a column is, through any number of derived tables (by their first parts).
    pub(super) fn table_column(&self, named: &Named) -> Option<TableColumn> {
        let mut named = named.clone();
        for _ in 0..64 {
            let source = self.block(named.block)?.from.get(usize::from(named.source))?;
            match &source.kind {
                SourceKind::Table(table) => {
                    let columns = self.table(*table);
                    return columns.iter().find(|it| it.name.eq_ignore_ascii_case(&named.name)).cloned();
                }
                SourceKind::Query { block, columns } => {
                    // A set operation makes a type of its own.
                    let whole = self.block(*block)?;
                    if !whole.operations.is_empty() {
                        return None;
                    }
                    let known = self.shown(*block).filter(|known| take(&self.compared, known.len()))?;
                    named = known.get(place(&known, columns, &named.name)?)?.column.clone()?;
                }
                SourceKind::Inserted(_) | SourceKind::Json | SourceKind::Recursion => return None,
            }
        }
        None
    }

    /// What kind of values a column holds, if it is known: behind a set operation what all parts have in common.
    pub(super) fn domain(&self, named: &Named) -> Option<Domain> {
        self.left.set(self.left.get().checked_sub(1)?);
        if let Some(column) = self.table_column(named) {
            return Some(Domain::of(Some(&column)));
        }
        let source = self.block(named.block)?.from.get(usize::from(named.source))?;
        let SourceKind::Query { block, columns } = &source.kind else { return None };
        let known = self.shown(*block).filter(|known| take(&self.compared, known.len()))?;
        let place = place(&known, columns, &named.name)?;
        let mut parts = Vec::new();
        self.leaves(*block, &mut parts);
        let domain = |part: &BlockIndex| self.domain(self.shown(*part)?.get(place)?.column.as_ref()?);
        let domains: Vec<Domain> = parts.iter().map(domain).collect::<Option<_>>()?;
        let first = *domains.first()?;
        domains.iter().all(|other| compare(first, *other)).then_some(first)
    }
}

/// Takes some of what is left, if there is that much.
fn take(left: &Cell<usize>, some: usize) -> bool {
    let rest = left.get().checked_sub(some);
    left.set(rest.unwrap_or_default());
    rest.is_some()
}

/// The place of a column among those of a derived table, of which the first may have other names there.
fn place(known: &[Shown], given: &[String], name: &str) -> Option<usize> {
    let mut names =
        known.iter().enumerate().map(|(at, shown)| given.get(at).map_or(&*shown.name, String::as_str));
    names.position(|known| known.eq_ignore_ascii_case(name))
}

pub(super) fn lower(name: &str) -> Box<str> {
    name.to_ascii_lowercase().into()
}

/// Whether sources are joined by columns in common, and none by a right join.
fn joins_left(tree: &Joined) -> bool {
    fn right(tree: &Joined) -> bool {
        match tree {
            Joined::Source(_) => false,
            Joined::Join(join) => join.kind == JoinKind::Right || right(&join.left) || right(&join.right),
        }
    }
    joins_by_name(tree) && !right(tree)
}

fn joins_by_name(tree: &Joined) -> bool {
    match tree {
        Joined::Source(_) => false,
        Joined::Join(join) => {
            join.common != Common::Named(Vec::new())
                || joins_by_name(&join.left)
                || joins_by_name(&join.right)
        }
    }
}
