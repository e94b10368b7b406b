//! Which logical column a name means, and what the columns of a query's result are.

use std::cell::{Cell, OnceCell};
use std::sync::Arc;

use meta::{EncryptColumn, Mask};
use sql::{
    Block, BlockIndex, BlockKind, Clause, ColumnUse, Output, OutputKind, Role, SetBy, Source, SourceKind,
    Statement, Use,
};

use crate::scope::{Home, Scope};

/// A logical column under a rule.
#[derive(Clone, Copy)]
pub(super) struct Meant<'a> {
    /// Logical table.
    pub(super) table: &'a str,
    /// Logical column.
    pub(super) column: &'a str,
    /// How it is encrypted, if it is.
    pub(super) encrypted: Option<&'a EncryptColumn>,
    /// It is encrypted, but read from the column in the clear.
    pub(super) clear: bool,
    /// How it is masked, if it is.
    pub(super) mask: Option<&'a Arc<Mask>>,
    /// The name is that of a table's column: to be replaced by one of the columns on the servers. Otherwise it is
    /// that of a select item or derived table, which stays.
    pub(super) direct: bool,
}

impl<'a> Meant<'a> {
    /// How it is encrypted, if what is read is ciphertext.
    pub(super) fn cipher(&self) -> Option<&'a EncryptColumn> {
        self.encrypted.filter(|_| !self.clear)
    }

    fn through(self) -> Self {
        Self { direct: false, ..self }
    }
}

/// The columns of a query's result.
#[derive(Default)]
pub(super) struct Outputs<'a> {
    pub(super) list: Vec<Shown<'a>>,
    /// The list is complete: nothing in it is a `*` over something unknown.
    pub(super) known: bool,
}

/// One column of a query's result.
#[derive(Clone)]
pub(super) struct Shown<'a> {
    /// Its name; empty for an expression without alias.
    pub(super) name: String,
    pub(super) meant: Option<Meant<'a>>,
}

/// Whether something has a column of a name.
enum Has<'a> {
    No,
    Unknown,
    Yes(Option<Meant<'a>>),
}

/// Looks up names in one statement.
pub(super) struct Names<'a> {
    scope: &'a Scope<'a>,
    /// Logical columns of each table mentioned; empty where they are not known.
    tables: Vec<Vec<String>>,
    outputs: Vec<Known<'a>>,
    nothing: Outputs<'a>,
    /// How many more columns may be listed.
    left: Cell<usize>,
    /// How many blocks within each other are being listed.
    depth: Cell<usize>,
    given_up: Cell<bool>,
}

/// How many columns of all results together are listed: each level of derived tables may show those below many times.
const LISTED: usize = 1 << 16;

/// How deep blocks that show each other's columns are looked into.
const DEPTH: usize = 64;

/// The columns of a block's result, once they have been looked for.
#[derive(Default)]
struct Known<'a> {
    outputs: OnceCell<Outputs<'a>>,
    /// They are being looked for: a name within the block may lead back to the block itself.
    busy: Cell<bool>,
}

impl<'a> Names<'a> {
    pub(super) fn new(scope: &'a Scope<'a>) -> Self {
        let columns = |(home, table): (&Home, &sql::TableRef)| match home {
            Home::Foreign => Vec::new(),
            _ => scope.database.logical_columns(&table.name).into_iter().map(|column| column.name).collect(),
        };
        let tables = scope.homes.iter().zip(&scope.statement.tables).map(columns).collect();
        let outputs = scope.statement.blocks.iter().map(|_| Known::default()).collect();
        Self {
            scope,
            tables,
            outputs,
            nothing: Outputs::default(),
            left: Cell::new(LISTED),
            depth: Cell::new(0),
            given_up: Cell::new(false),
        }
    }

    /// Whether some columns were too many, or too deep, to be listed: what they mean has been missed.
    pub(super) fn gave_up(&self) -> bool {
        self.given_up.get()
    }

    fn statement(&self) -> &'a Statement {
        self.scope.statement
    }

    pub(super) fn block(&self, block: BlockIndex) -> Option<&'a Block> {
        self.statement().blocks.get(block as usize)
    }

    /// The logical column that a mention means, if it is under a rule.
    pub(super) fn meant(&self, column: &ColumnUse) -> Option<Meant<'a>> {
        if self.is_listed_first(column)
            && let Some(shown) = self.item(column)
        {
            return shown.meant.map(Meant::through);
        }
        let (mut next, mut inner) = (Some(column.block), None);
        while let Some((index, block)) = next.and_then(|index| Some((index, self.block(index)?))) {
            match self.in_sources(self.visible(block, inner), column) {
                Has::Yes(meant) => return meant,
                // A column of something unknown, in doubt.
                Has::Unknown if column.owner.is_some() => return None,
                Has::No | Has::Unknown => {}
            }
            (next, inner) = (block.parent, Some(index));
        }
        if column.owner.is_none() && matches!(column.clause, Clause::Group | Clause::Order) {
            return self.item(column).and_then(|shown| shown.meant).map(Meant::through);
        }
        None
    }

    /// Whether a bare name is that of a select item before it is that of a column: not in expressions to sort by and
    /// in arguments of aggregate functions.
    fn is_listed_first(&self, column: &ColumnUse) -> bool {
        let whole = || self.block(column.block).is_some_and(|block| !block.branches.is_empty());
        column.owner.is_none()
            && match column.clause {
                Clause::Having => !matches!(column.place, Use::Aggregate { .. }),
                Clause::Order => column.place == Use::Order || whole(),
                _ => false,
            }
    }

    /// Whether a bare name to group by or after it is that of several select items, or of one and of another column
    /// grouped by, one of them encrypted.
    fn is_doubtful(&self, column: &ColumnUse) -> bool {
        if column.owner.is_some() || !matches!(column.clause, Clause::Group | Clause::Having) {
            return false;
        }
        let Some(block) = self.block(column.block) else { return false };
        let uses = &self.statement().uses;
        let encrypted = |meant: Option<Meant<'a>>| meant.is_some_and(|meant| meant.encrypted.is_some());
        let mut found: Vec<(Option<&ColumnUse>, bool)> = Vec::new();
        for output in &block.outputs {
            let shown = self.shown(output);
            if shown.name.eq_ignore_ascii_case(&column.name) {
                let item = match output.kind {
                    OutputKind::Column(index) => uses.get(index as usize),
                    _ => None,
                };
                found.push((item, encrypted(shown.meant)));
            }
        }
        let groups = uses.iter().filter(|other| {
            column.clause == Clause::Having
                && !found.is_empty()
                && other.block == column.block
                && other.place == Use::Group
                && other.name.eq_ignore_ascii_case(&column.name)
                && matches!(self.in_sources(&block.from, other), Has::Yes(_))
        });
        let groups: Vec<_> = groups.map(|other| (Some(other), encrypted(self.meant(other)))).collect();
        found.extend(groups);
        let alike = |one: &ColumnUse, other: &ColumnUse| {
            let owners = one.owner.as_ref().zip(other.owner.as_ref());
            one.name.eq_ignore_ascii_case(&other.name)
                && owners.is_none_or(|(one, other)| one.eq_ignore_ascii_case(other))
        };
        let first = found.first().and_then(|(first, _)| *first);
        let differ = found
            .iter()
            .skip(1)
            .any(|(other, _)| !first.zip(*other).is_some_and(|(first, other)| alike(first, other)));
        differ && found.iter().any(|(_, encrypted)| *encrypted)
    }

    /// Whether a bare name is that of columns of several sources, one of them encrypted: on the servers these have
    /// different names.
    pub(super) fn is_ambiguous(&self, column: &ColumnUse) -> bool {
        let exempt = match &column.place {
            Use::Define(_) | Use::Insert(_) | Use::Key | Use::Using => true,
            Use::Set { by, .. } => *by != SetBy::Update,
            _ => false,
        };
        if self.is_doubtful(column) {
            return true;
        }
        if exempt || column.owner.is_some() || self.is_listed_first(column) && self.item(column).is_some() {
            return false;
        }
        let (mut next, mut inner) = (Some(column.block), None);
        while let Some((index, block)) = next.and_then(|index| Some((index, self.block(index)?))) {
            let sources = self.visible(block, inner).iter();
            let found: Vec<_> = sources
                .filter(|source| !matches!(source.kind, SourceKind::Inserted(_)))
                .filter_map(|source| match self.has(source, &column.name) {
                    Has::Yes(meant) => Some(meant.is_some_and(|meant| meant.encrypted.is_some())),
                    Has::No | Has::Unknown => None,
                })
                .collect();
            if !found.is_empty() {
                return found.len() > 1 && found.contains(&true);
            }
            (next, inner) = (block.parent, Some(index));
        }
        false
    }

    /// The select item that a bare name means in `ORDER BY` and the like.
    fn item(&self, column: &ColumnUse) -> Option<Shown<'a>> {
        let block = self.block(column.block)?;
        if !block.branches.is_empty() {
            let outputs = self.outputs(column.block);
            return outputs.list.iter().find(|shown| shown.name.eq_ignore_ascii_case(&column.name)).cloned();
        }
        let named = |output: &&Output| match (&output.alias, &output.kind) {
            (Some(alias), _) => alias.eq_ignore_ascii_case(&column.name),
            (None, OutputKind::Column(index)) => {
                let item = self.statement().uses.get(*index as usize);
                item.is_some_and(|item| item.name.eq_ignore_ascii_case(&column.name))
            }
            _ => false,
        };
        block.outputs.iter().find(named).map(|output| self.shown(output))
    }

    /// What a name within the block `inner` can mean in the block around it: for a derived table, what stands before
    /// it in `FROM`.
    fn visible(&self, block: &'a Block, inner: Option<BlockIndex>) -> &'a [Source] {
        let Some(mut inner) = inner else { return &block.from };
        while let Some(Role::Branch(whole)) = self.block(inner).map(|inner| inner.role) {
            inner = whole;
        }
        let is_inner =
            |source: &Source| matches!(&source.kind, SourceKind::Query { block, .. } if *block == inner);
        let end = block.from.iter().position(is_inner).unwrap_or(block.from.len());
        block.from.get(..end).unwrap_or_default()
    }

    fn in_sources(&self, sources: &'a [Source], column: &ColumnUse) -> Has<'a> {
        let Some(owner) = &column.owner else {
            let mut found = Has::No;
            for source in sources {
                match (self.has(source, &column.name), &found) {
                    // The common column of a join by name is masked if either is.
                    (Has::Yes(Some(meant)), Has::Yes(None)) if meant.encrypted.is_none() => {
                        return Has::Yes(Some(meant));
                    }
                    (Has::Yes(meant), Has::No | Has::Unknown) => found = Has::Yes(meant),
                    (Has::Unknown, Has::No) => found = Has::Unknown,
                    _ => {}
                }
            }
            return found;
        };
        let fits = |source: &&Source| {
            let schema = match (&column.schema, &source.schema) {
                (Some(wanted), Some(schema)) => wanted == schema,
                (Some(_), None) => !source.aliased,
                (None, _) => true,
            };
            schema && source.name.eq_ignore_ascii_case(owner)
        };
        let exact = sources.iter().filter(fits).find(|source| source.name == *owner);
        match exact.or_else(|| sources.iter().find(fits)) {
            Some(source) => match self.has(source, &column.name) {
                // The server will say that there is no such column.
                Has::No => Has::Yes(None),
                has => has,
            },
            None => Has::No,
        }
    }

    /// Whether a source has a column of that name, and which it is.
    fn has(&self, source: &Source, name: &str) -> Has<'a> {
        match &source.kind {
            SourceKind::Table(table) => {
                let ruled = self.ruled(*table, name);
                let columns = self.tables.get(usize::from(*table)).map(Vec::as_slice).unwrap_or_default();
                if ruled.is_some() || columns.iter().any(|column| column.eq_ignore_ascii_case(name)) {
                    Has::Yes(ruled)
                } else if columns.is_empty() {
                    Has::Unknown
                } else {
                    Has::No
                }
            }
            // The row to be inserted has the columns of the table, which stands first.
            SourceKind::Inserted(columns) if columns.is_empty() => {
                self.ruled(0, name).map_or(Has::Unknown, |meant| Has::Yes(Some(meant)))
            }
            SourceKind::Query { block, columns } => {
                let outputs = self.outputs(*block);
                let names = outputs.list.iter().enumerate();
                let mut named =
                    names.map(|(number, shown)| (columns.get(number).unwrap_or(&shown.name), shown.meant));
                match named.find(|(known, _)| known.eq_ignore_ascii_case(name)) {
                    Some((_, meant)) => Has::Yes(meant),
                    None if outputs.known => Has::No,
                    None => Has::Unknown,
                }
            }
            SourceKind::Inserted(_) | SourceKind::Json | SourceKind::Recursion => Has::Unknown,
        }
    }

    /// The logical column of a table under a rule.
    pub(super) fn ruled(&self, table: u16, name: &str) -> Option<Meant<'a>> {
        let table = usize::from(table);
        if self.scope.homes.get(table).is_none_or(|home| *home == Home::Foreign) {
            return None;
        }
        let named = &self.statement().tables.get(table)?.name;
        let database = self.scope.database;
        let encrypt = database.encrypt.table(named);
        let encrypted = encrypt.and_then(|rule| Some((rule, rule.column(name)?)));
        let masks = database.mask.table(named);
        let masked = masks.and_then(|rule| Some((rule, rule.column(name)?)));
        let (table, column) = match (encrypted, masked) {
            (Some((rule, column)), _) => (rule.spec.name.as_str(), column.name.as_str()),
            (None, Some((rule, column))) => (rule.spec.name.as_str(), column.name.as_str()),
            (None, None) => return None,
        };
        Some(Meant {
            table,
            column,
            encrypted: encrypted.map(|(_, column)| column),
            clear: encrypted.is_some_and(|(rule, column)| rule.reads_plain(column)),
            mask: masked.map(|(_, column)| &column.mask),
            direct: true,
        })
    }

    /// The columns of a query as a derived table, and whether they are all.
    fn columns(&self, source: &Source, block: BlockIndex) -> (Vec<Shown<'a>>, bool) {
        let outputs = self.outputs(block);
        let mut list = outputs.list.clone();
        if let SourceKind::Query { columns, .. } = &source.kind {
            for (shown, name) in list.iter_mut().zip(columns) {
                shown.name.clone_from(name);
            }
        }
        (list, outputs.known)
    }

    /// The columns of a block's result.
    pub(super) fn outputs(&self, block: BlockIndex) -> &Outputs<'a> {
        let Some(known) = self.outputs.get(block as usize) else { return &self.nothing };
        if known.outputs.get().is_none() {
            if known.busy.replace(true) {
                return &self.nothing;
            }
            self.depth.set(self.depth.get() + 1);
            let deep = self.depth.get() > DEPTH;
            self.given_up.set(self.given_up.get() || deep);
            let _ = known.outputs.set(if deep { Outputs::default() } else { self.outputs_of(block) });
            self.depth.set(self.depth.get() - 1);
            known.busy.set(false);
        }
        known.outputs.get().unwrap_or(&self.nothing)
    }

    fn outputs_of(&self, index: BlockIndex) -> Outputs<'a> {
        let mut outputs = Outputs { list: Vec::new(), known: true };
        let Some(block) = self.block(index) else { return outputs };
        match block.kind {
            BlockKind::Wrapped | BlockKind::Select => {}
            BlockKind::Table => self.spread(block, None, &mut outputs),
            BlockKind::Other | BlockKind::Values => outputs.known = false,
        }
        for output in &block.outputs {
            match &output.kind {
                OutputKind::All => self.spread(block, None, &mut outputs),
                OutputKind::AllOf { owner, .. } => self.spread(block, Some(owner), &mut outputs),
                _ => outputs.list.push(self.shown(output)),
            }
        }
        for (number, branch) in block.branches.iter().enumerate() {
            let theirs = self.outputs(*branch);
            if number == 0 && block.kind == BlockKind::Wrapped {
                outputs.list.clone_from(&theirs.list);
                outputs.known = theirs.known;
                continue;
            }
            // What is masked in one part is masked.
            for (shown, other) in outputs.list.iter_mut().zip(&theirs.list) {
                shown.meant = match (shown.meant, other.meant) {
                    (Some(meant), Some(other)) => Some(Meant { mask: meant.mask.or(other.mask), ..meant }),
                    (None, Some(other)) => Some(Meant { encrypted: None, ..other }),
                    (meant, None) => meant,
                };
            }
        }
        outputs.list.iter_mut().for_each(|shown| shown.meant = shown.meant.map(Meant::through));
        outputs
    }

    /// One select item that is no `*`.
    fn shown(&self, output: &Output) -> Shown<'a> {
        let (name, meant) = match &output.kind {
            OutputKind::Column(index) => match self.statement().uses.get(*index as usize) {
                Some(column) => (column.name.clone(), self.meant(column)),
                None => (String::new(), None),
            },
            OutputKind::Query(block) => {
                let outputs = self.outputs(*block);
                (String::new(), outputs.list.first().and_then(|shown| shown.meant))
            }
            OutputKind::All | OutputKind::AllOf { .. } | OutputKind::Other | OutputKind::Value(_) => {
                (String::new(), None)
            }
        };
        Shown { name: output.alias.clone().unwrap_or(name), meant }
    }

    /// The columns of `*` or `t.*`.
    fn spread(&self, block: &Block, owner: Option<&String>, outputs: &mut Outputs<'a>) {
        // Columns of both sides stand first and once.
        outputs.known &= !self.joins_by_name(block);
        for source in sources(block, owner) {
            match &source.kind {
                SourceKind::Table(table) => {
                    let columns = self.tables.get(usize::from(*table)).map(Vec::as_slice).unwrap_or_default();
                    outputs.known &= !columns.is_empty();
                    outputs.list.extend(
                        columns
                            .iter()
                            .map(|name| Shown { name: name.clone(), meant: self.ruled(*table, name) }),
                    );
                }
                SourceKind::Query { block, .. } => {
                    let Some(left) = self.left.get().checked_sub(self.outputs(*block).list.len()) else {
                        self.given_up.set(true);
                        return;
                    };
                    self.left.set(left);
                    let (list, known) = self.columns(source, *block);
                    outputs.known &= known;
                    outputs.list.extend(list);
                }
                SourceKind::Inserted(_) | SourceKind::Json | SourceKind::Recursion => outputs.known = false,
            }
        }
    }

    /// Whether a block joins by equal names.
    pub(super) fn joins_by_name(&self, block: &Block) -> bool {
        let uses = &self.statement().uses;
        let here = |column: &ColumnUse| self.block(column.block).is_some_and(|it| std::ptr::eq(it, block));
        block.natural || uses.iter().any(|column| column.place == Use::Using && here(column))
    }

    /// Logical columns of a table mentioned.
    pub(super) fn table(&self, table: u16) -> &[String] {
        self.tables.get(usize::from(table)).map(Vec::as_slice).unwrap_or_default()
    }
}

/// What `*` or `t.*` is made of.
pub(super) fn sources<'b>(block: &'b Block, owner: Option<&String>) -> impl Iterator<Item = &'b Source> {
    let named = |source: &&Source, exact: bool| match owner {
        Some(owner) if exact => source.name == *owner,
        Some(owner) => source.name.eq_ignore_ascii_case(owner),
        None => true,
    };
    let exact = block.from.iter().any(|source| named(&source, true));
    let count = if owner.is_some() { 1 } else { usize::MAX };
    let found: Vec<_> = block.from.iter().filter(|source| named(source, exact)).take(count).collect();
    found.into_iter()
}
