//! What reads encrypted columns: select lists, conditions, groups.

use std::sync::Arc;

use meta::{Cipher, EncryptColumn};
use sql::{
    Block, BlockIndex, BlockKind, Body, Clause, ColumnUse, Function, Operator, OutputKind, Scalar, Source,
    SourceKind, Span, Use,
};

use super::names::{Meant, Shown, sources};
use super::{Pass, ciphered, clause, name, refuse};
use crate::error::Error;
use crate::scope::Home;
use crate::text::{Op, Role};

/// A column on the servers that can be compared, and what fills it. The name is nothing where it stays as it is.
type Comparable<'a> = (Option<&'a str>, &'a Arc<Cipher>);

impl<'a> Pass<'a, '_> {
    pub(super) fn read(&mut self) -> Result<(), Error> {
        let statement = self.scope.statement;
        let mut sources = statement.blocks.iter().flat_map(|block| &block.from);
        if sources.any(|source| source.kind == SourceKind::Recursion) {
            return refuse(self.scope, "WITH RECURSIVE");
        }
        for (block, index) in statement.blocks.iter().zip(0..) {
            self.block(block, index)?;
        }
        for (column, index) in statement.uses.iter().zip(0..) {
            if self.names.is_ambiguous(column) {
                return Err(Error::Ambiguous(column.name.clone()));
            }
            let Some(meant) = self.names.meant(column) else { continue };
            match (meant.encrypted, meant.cipher()) {
                (Some(encrypted), Some(_)) => self.mention(index, column, &meant, encrypted)?,
                (Some(encrypted), None) => self.clear_mention(column, &meant, encrypted)?,
                (None, _) => {}
            }
        }
        self.keep_texts();
        Ok(())
    }

    /// A column that is read from the one in the clear; what writes or defines it is not meant here.
    fn clear_mention(
        &mut self,
        column: &ColumnUse,
        meant: &Meant<'a>,
        encrypted: &'a EncryptColumn,
    ) -> Result<(), Error> {
        match column.place {
            Use::Define(_) | Use::Insert(_) | Use::Key | Use::Set { .. } => return Ok(()),
            Use::Assigned(to) if self.is_written(to) => return Ok(()),
            Use::Using => return clause("USING"),
            _ => {}
        }
        if let Some(plain) = encrypted.plain.as_ref().filter(|_| meant.direct) {
            self.rename(column.name_span, plain);
            if let Use::Item(number) = column.place {
                self.keep_name(column, number);
            }
        }
        Ok(())
    }

    /// Whether an assignment is to an encrypted column.
    fn is_written(&self, to: u32) -> bool {
        let target = self.scope.statement.uses.get(to as usize).and_then(|to| self.names.meant(to));
        target.is_some_and(|target| target.encrypted.is_some())
    }

    /// Gives expressions that name columns of derived tables by their text an alias, where the text changes.
    fn keep_texts(&mut self) {
        let names = |block: &&Block| matches!(block.role, sql::Role::Common | sql::Role::Derived);
        for output in self.scope.statement.blocks.iter().filter(names).flat_map(|block| &block.outputs) {
            let expression = matches!(output.kind, OutputKind::Other | OutputKind::Query(_));
            if expression && output.alias.is_none() && self.edits.touches(output.span) {
                self.edits.insert(output.span.end, vec![Op::Alias(output.span)]);
            }
        }
    }

    fn mention(
        &mut self,
        index: u32,
        column: &'a ColumnUse,
        meant: &Meant<'a>,
        encrypted: &'a EncryptColumn,
    ) -> Result<(), Error> {
        match &column.place {
            Use::Item(number) => self.item(column, *number, meant, encrypted),
            Use::Compare { op, value, span } => {
                only_equality(*op)?;
                let equality = self.equality(column, meant, encrypted);
                self.value(value, *span, meant, equality.1)?;
                self.refer(column, equality);
                Ok(())
            }
            Use::In { values, .. } => {
                let equality = self.equality(column, meant, encrypted);
                for (value, span) in values {
                    self.value(value, *span, meant, equality.1)?;
                }
                self.refer(column, equality);
                Ok(())
            }
            Use::Same { op, other } => self.same(index, column, *op, *other, meant, encrypted),
            Use::Query { op, block } => self.asked(column, *op, *block, meant, encrypted),
            // What finds too much leaves too much out.
            Use::Like { negated: true, .. } => clause("NOT LIKE"),
            Use::Like { pattern, span, escape, negated: false } => {
                let (Some(like), Some(cipher)) = (&encrypted.like, &encrypted.like_algorithm) else {
                    return clause("LIKE");
                };
                if !meant.direct || self.is_late(column) {
                    return clause("LIKE");
                }
                if escape.is_some() {
                    return clause("LIKE ... ESCAPE");
                }
                if is_unknown(pattern) {
                    return self.unencryptable(meant);
                }
                if *pattern != Scalar::Null {
                    self.edits.replace(*span, vec![ciphered(pattern, cipher, Role::Pattern, meant)]);
                }
                self.rename(column.name_span, like);
                Ok(())
            }
            Use::IsNull | Use::Group => {
                self.stored(column, meant, encrypted);
                Ok(())
            }
            Use::Aggregate { function: Function::Count, .. } => {
                self.stored(column, meant, encrypted);
                Ok(())
            }
            Use::Aggregate { function, .. } => clause(match function {
                Function::Other => "aggregate function".to_owned(),
                function => format!("{function:?}").to_ascii_uppercase(),
            }),
            Use::Between => clause("BETWEEN...AND..."),
            Use::Order => clause("ORDER BY"),
            Use::Using => clause("USING"),
            Use::Other(what) => clause(what.strip_prefix("operator ").unwrap_or(what)),
            // What is written and defined comes later.
            Use::Assigned(_) | Use::Define(_) | Use::Insert(_) | Use::Key | Use::Set { .. } => Ok(()),
        }
    }

    /// A select item: the cipher column under the logical name.
    fn item(
        &mut self,
        column: &'a ColumnUse,
        number: u32,
        meant: &Meant<'a>,
        encrypted: &'a EncryptColumn,
    ) -> Result<(), Error> {
        match self.names.block(column.block).map(|block| block.role) {
            // Which column it is depends on what it is compared with.
            Some(sql::Role::Compared(with)) => {
                let with = self.scope.statement.uses.get(with as usize);
                match with.and_then(|with| self.names.meant(with)).and_then(|with| with.cipher()) {
                    Some(_) => Ok(()),
                    None => Err(Error::EncryptMatch("subquery".to_owned())),
                }
            }
            Some(sql::Role::Value) => clause("subquery as a value"),
            // `INSERT … SELECT` says what becomes of it.
            Some(sql::Role::Stored) => Ok(()),
            _ => {
                self.stored(column, meant, encrypted);
                if meant.direct {
                    self.keep_name(column, number);
                }
                Ok(())
            }
        }
    }

    /// Gives an item that has no alias the name that the client wrote.
    fn keep_name(&mut self, column: &ColumnUse, number: u32) {
        let Some(output) = self.names.block(column.block).and_then(|it| it.outputs.get(number as usize))
        else {
            return;
        };
        if output.alias.is_none() {
            let written = column.name_span.text(self.scope.text, self.scope.slots);
            self.insert(output.span.end, &format!(" AS {written}"));
        }
    }

    /// Puts the cipher column in the place of a name.
    fn stored(&mut self, column: &ColumnUse, meant: &Meant<'a>, encrypted: &'a EncryptColumn) {
        if meant.direct {
            self.rename(column.name_span, &encrypted.cipher);
        }
    }

    /// Whether a name is looked up in what is selected or grouped, which is the cipher column.
    fn is_late(&self, column: &ColumnUse) -> bool {
        matches!(column.clause, Clause::Having | Clause::Group | Clause::Order)
    }

    /// The column to be compared for equality with values.
    fn equality(
        &self,
        column: &ColumnUse,
        meant: &Meant<'a>,
        encrypted: &'a EncryptColumn,
    ) -> Comparable<'a> {
        if !meant.direct {
            return (None, &encrypted.encryptor);
        }
        if self.is_late(column) {
            return (Some(&encrypted.cipher), &encrypted.encryptor);
        }
        let (name, cipher) = encrypted.equality();
        (Some(name), cipher)
    }

    /// All columns that can be compared for equality, the best first.
    fn comparables(
        &self,
        column: &ColumnUse,
        meant: &Meant<'a>,
        encrypted: &'a EncryptColumn,
    ) -> Vec<Comparable<'a>> {
        let mut all = vec![self.equality(column, meant, encrypted)];
        if meant.direct && encrypted.assisted.is_some() && !self.is_late(column) {
            all.push((Some(&encrypted.cipher), &encrypted.encryptor));
        }
        all
    }

    fn refer(&mut self, column: &ColumnUse, comparable: Comparable<'a>) {
        if let (Some(name), _) = comparable {
            self.rename(column.name_span, name);
        }
    }

    /// Encrypts a value that is compared.
    fn value(
        &mut self,
        value: &Scalar,
        span: Span,
        meant: &Meant<'a>,
        cipher: &Arc<Cipher>,
    ) -> Result<(), Error> {
        if is_unknown(value) {
            return self.unencryptable(meant);
        }
        if *value != Scalar::Null {
            self.edits.replace(span, vec![ciphered(value, cipher, Role::Stored, meant)]);
        }
        Ok(())
    }

    pub(super) fn unencryptable<T>(&self, meant: &Meant<'a>) -> Result<T, Error> {
        Err(Error::Unencryptable { table: meant.table.to_owned(), column: meant.column.to_owned() })
    }

    /// A column compared with another one.
    fn same(
        &mut self,
        index: u32,
        column: &'a ColumnUse,
        op: Operator,
        other: u32,
        meant: &Meant<'a>,
        encrypted: &'a EncryptColumn,
    ) -> Result<(), Error> {
        only_equality(op)?;
        let differs = || Error::EncryptMatch("join condition".to_owned());
        let theirs = self.scope.statement.uses.get(other as usize).ok_or_else(differs)?;
        let their_meant = self.names.meant(theirs).ok_or_else(differs)?;
        let their_column = their_meant.cipher().ok_or_else(differs)?;
        if other < index {
            return Ok(());
        }
        let mine = self.comparables(column, meant, encrypted);
        let others = self.comparables(theirs, &their_meant, their_column);
        let (mine, others) = pair(&mine, &others).ok_or_else(differs)?;
        self.refer(column, mine);
        self.refer(theirs, others);
        Ok(())
    }

    /// A column compared with the rows of a subquery.
    fn asked(
        &mut self,
        column: &'a ColumnUse,
        op: Operator,
        query: BlockIndex,
        meant: &Meant<'a>,
        encrypted: &'a EncryptColumn,
    ) -> Result<(), Error> {
        only_equality(op)?;
        let differs = || Error::EncryptMatch("subquery".to_owned());
        let (block, outputs) = (self.names.block(query).ok_or_else(differs)?, self.names.outputs(query));
        let [Shown { meant: Some(shown), .. }] = outputs.list.as_slice() else { return Err(differs()) };
        let their_column = shown.cipher().ok_or_else(differs)?;
        let item = match block.outputs.first().map(|output| &output.kind) {
            Some(OutputKind::Column(item)) if block.branches.is_empty() => {
                self.scope.statement.uses.get(*item as usize)
            }
            _ => None,
        };
        let mine = self.comparables(column, meant, encrypted);
        let others = match (item, item.and_then(|item| self.names.meant(item))) {
            (Some(item), Some(direct)) => {
                let mut others = self.comparables(item, &direct, their_column);
                // Groups are made of the cipher column, which alone can be selected then.
                let grouped = |other: &ColumnUse| other.block == query && other.clause == Clause::Group;
                if direct.direct && self.scope.statement.uses.iter().any(grouped) {
                    others = vec![(Some(&their_column.cipher), &their_column.encryptor)];
                }
                others
            }
            _ => vec![(None, &their_column.encryptor)],
        };
        let (mine, others) = pair(&mine, &others).ok_or_else(differs)?;
        self.first_part(block);
        self.refer(column, mine);
        if let Some(item) = item {
            self.refer(item, others);
        }
        Ok(())
    }

    /// The first part of a set operation that a column is compared with gives the cipher column, as the others do.
    fn first_part(&mut self, block: &Block) {
        if !block.branches.is_empty()
            && let Some(OutputKind::Column(item)) = block.outputs.first().map(|output| &output.kind)
            && let Some(item) = self.scope.statement.uses.get(*item as usize)
            && let Some(meant) = self.names.meant(item)
            && let Some(encrypted) = meant.cipher()
        {
            self.stored(item, &meant, encrypted);
        }
    }

    /// What is true of a whole block: `*`, joins by name, set operations, positions.
    fn block(&mut self, block: &'a Block, index: BlockIndex) -> Result<(), Error> {
        let encrypted = block.from.iter().any(|source| self.is_encrypted(source));
        if encrypted && block.natural {
            return clause("NATURAL JOIN");
        }
        if block.kind == BlockKind::Table && block.from.iter().any(|source| self.is_ruled(source)) {
            return clause("TABLE");
        }
        for output in &block.outputs {
            match &output.kind {
                OutputKind::All => self.expand(block, index, None, output.span)?,
                OutputKind::AllOf { owner, .. } => self.expand(block, index, Some(owner), output.span)?,
                _ => {}
            }
        }
        self.set_operation(block, index)?;
        let outputs = self.names.outputs(index);
        let ciphers = |shown: &Shown<'a>| shown.meant.is_some_and(|meant| meant.cipher().is_some());
        let sorted = |position: &u32| {
            let position = position.checked_sub(1).map(|position| position as usize);
            position.and_then(|position| outputs.list.get(position)).is_some_and(ciphers)
        };
        if block.order_ordinals.iter().any(sorted) {
            return clause("ORDER BY");
        }
        let own = block.role == sql::Role::Statement;
        if own && self.stores_result() && outputs.list.iter().any(|shown| shown.meant.is_some_and(hides)) {
            return clause("INTO");
        }
        if !outputs.list.iter().any(ciphers) {
            return Ok(());
        }
        match block.role {
            sql::Role::Value => clause("subquery as a value"),
            sql::Role::Stored if !matches!(self.scope.statement.body, Body::Insert(_)) => {
                refuse(self.scope, "CREATE TABLE ... SELECT")
            }
            _ => Ok(()),
        }
    }

    fn stores_result(&self) -> bool {
        matches!(&self.scope.statement.body, Body::Select(select) if select.traits.into)
    }

    /// Whether a source is a table with encrypted columns.
    fn is_encrypted(&self, source: &Source) -> bool {
        let SourceKind::Table(table) = source.kind else { return false };
        self.names
            .table(table)
            .iter()
            .any(|column| self.names.ruled(table, column).is_some_and(|meant| meant.encrypted.is_some()))
    }

    /// Whether a source is a table with encrypted or masked columns.
    fn is_ruled(&self, source: &Source) -> bool {
        let SourceKind::Table(table) = source.kind else { return false };
        self.names.table(table).iter().any(|column| self.names.ruled(table, column).is_some())
    }

    /// In all parts of a set operation a column must be encrypted alike.
    fn set_operation(&self, block: &Block, index: BlockIndex) -> Result<(), Error> {
        let whole = self.names.outputs(index);
        for branch in &block.branches {
            let part = self.names.outputs(*branch);
            let longest = whole.list.len().max(part.list.len());
            for position in 0..longest {
                let cipher = |list: &[Shown<'a>]| {
                    let shown = list.get(position)?;
                    Some(&shown.meant?.cipher()?.encryptor)
                };
                if cipher(&whole.list) != cipher(&part.list) {
                    return Err(Error::EncryptMatch("UNION".to_owned()));
                }
            }
        }
        Ok(())
    }

    /// Writes `*` or `t.*` out where an encrypted table is in it, or where columns are counted: a column that the
    /// server has got meanwhile must not shift what is decrypted and masked.
    fn expand(
        &mut self,
        block: &'a Block,
        index: BlockIndex,
        owner: Option<&String>,
        span: Span,
    ) -> Result<(), Error> {
        let spread: Vec<_> = sources(block, owner).collect();
        let encrypted = spread.iter().any(|source| self.is_encrypted(source));
        let outputs = self.names.outputs(index);
        // What a derived table has may stand before other columns.
        let derived = matches!(block.role, sql::Role::Common | sql::Role::Derived);
        let hidden = |shown: &Shown<'a>| shown.meant.is_some_and(hides);
        let counted = outputs.known && (derived || outputs.list.iter().any(hidden));
        if !encrypted && !counted {
            return Ok(());
        }
        if encrypted && self.names.joins_by_name(block) {
            return clause("USING");
        }
        let owned = block.from.len() > 1 || owner.is_some();
        let mut ops: Vec<Op> = Vec::new();
        for source in spread {
            let owner = if owned { self.owner(source) } else { Vec::new() };
            let mut push = |column: Option<Op>, alias: Option<&str>| {
                if !ops.is_empty() {
                    ops.push(Op::Literal(", ".into()));
                }
                ops.extend(owner.iter().cloned());
                ops.push(column.unwrap_or_else(|| Op::Literal("*".into())));
                if let Some(alias) = alias {
                    ops.push(Op::Literal(" AS ".into()));
                    ops.push(name(alias));
                }
            };
            match source.kind {
                SourceKind::Table(table) if !self.names.table(table).is_empty() => {
                    for column in self.names.table(table) {
                        match self.names.ruled(table, column) {
                            Some(Meant { encrypted: Some(it), clear: true, .. }) => {
                                push(it.plain.as_deref().map(name), Some(column));
                            }
                            Some(Meant { encrypted: Some(it), .. }) => {
                                push(Some(name(&it.cipher)), Some(column))
                            }
                            _ => push(Some(name(column)), None),
                        }
                    }
                }
                _ => push(None, None),
            }
        }
        self.edits.replace(span, ops);
        Ok(())
    }

    /// What stands before a column of a source, the dot included.
    fn owner(&self, source: &Source) -> Vec<Op> {
        let home = match source.kind {
            SourceKind::Table(table) if !source.aliased => self.scope.homes.get(usize::from(table)),
            _ => None,
        };
        let mut ops = match (home, &source.schema) {
            (Some(Home::Sharded(rule)), _) => vec![Op::Table { rule: *rule, quoted: true }],
            (Some(Home::Foreign), Some(schema)) => {
                vec![name(schema), Op::Literal(".".into()), name(&source.name)]
            }
            _ => vec![name(&source.name)],
        };
        ops.push(Op::Literal(".".into()));
        ops
    }
}

/// Whether clients see another value than is stored.
fn hides(meant: Meant<'_>) -> bool {
    meant.cipher().is_some() || meant.mask.is_some()
}

/// Ciphertexts are equal or not, and nothing else.
fn only_equality(op: Operator) -> Result<(), Error> {
    if matches!(op, Operator::Equal | Operator::NotEqual) { Ok(()) } else { clause(op.text()) }
}

/// The first two that are filled alike.
fn pair<'a>(mine: &[Comparable<'a>], others: &[Comparable<'a>]) -> Option<(Comparable<'a>, Comparable<'a>)> {
    mine.iter().find_map(|one| Some((*one, *others.iter().find(|other| other.1 == one.1)?)))
}

/// Whether a value is none that can be known when the statement is carried out.
pub(super) fn is_unknown(value: &Scalar) -> bool {
    match value {
        Scalar::Cast { .. } | Scalar::Default | Scalar::Opaque | Scalar::Values(_) => true,
        Scalar::Arithmetic(_, left, right) => is_unknown(left) || is_unknown(right),
        Scalar::Negative(inner) => is_unknown(inner),
        Scalar::Null | Scalar::Slot(_) | Scalar::Truth(_) => false,
    }
}
