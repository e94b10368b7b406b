//! What stores values in encrypted columns: each value goes to every part of its column.

use meta::{EncryptColumn, EncryptPart};
use sql::{Body, ColumnUse, Insert, InsertSource, Output, OutputKind, Row, Scalar, SetBy, Span, Use};

use super::names::Meant;
use super::read::is_unknown;
use super::{Pass, ciphered, clause, filler, name, refuse};
use crate::error::Error;
use crate::text::{Op, Role};

/// `column = value`.
#[derive(Clone, Copy)]
struct Assignment<'a> {
    value: &'a Scalar,
    value_span: Span,
    span: Span,
    by: SetBy,
}

impl<'a> Pass<'a, '_> {
    pub(super) fn write(&mut self) -> Result<(), Error> {
        let statement = self.scope.statement;
        let insert = match &statement.body {
            Body::Insert(insert) => Some(insert),
            _ => None,
        };
        if let Some(insert) = insert {
            self.stored_rows(insert)?;
        }
        for (column, index) in statement.uses.iter().zip(0..) {
            let meant = self.names.meant(column);
            match (&column.place, meant.and_then(|meant| Some((meant, meant.encrypted?)))) {
                (Use::Set { by, value, value_span, span }, Some((meant, encrypted))) => {
                    let assignment = Assignment { value, value_span: *value_span, span: *span, by: *by };
                    self.assign(index, column, assignment, &meant, encrypted)?;
                }
                (Use::Assigned(to), Some((meant, _))) if meant.cipher().is_some() => {
                    let target = statement.uses.get(*to as usize).and_then(|to| self.names.meant(to));
                    if target.is_none_or(|target| target.encrypted.is_none()) {
                        return Err(Error::EncryptMatch("assignment".to_owned()));
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn stored_rows(&mut self, insert: &'a Insert) -> Result<(), Error> {
        let listed = insert.columns_span.is_some() || matches!(insert.source, InsertSource::Set(_));
        let columns = if listed { insert.columns.as_slice() } else { self.names.table(insert.table) };
        let columns: Vec<(String, Option<Meant<'a>>)> = columns
            .iter()
            .map(|name| {
                let meant = self.names.ruled(insert.table, name).filter(|meant| meant.encrypted.is_some());
                (name.clone(), meant)
            })
            .collect();
        let before = matches!(insert.source, InsertSource::Query(_));
        if before {
            self.stored_query(&columns)?;
        }
        if columns.iter().all(|(_, meant)| meant.is_none()) {
            return Ok(());
        }
        let grows = |meant: &Meant<'a>| meant.encrypted.is_some_and(|it| it.parts().count() > 1);
        if self.has_column_aliases() && columns.iter().any(|(_, meant)| meant.as_ref().is_some_and(grows)) {
            return clause("ON DUPLICATE KEY UPDATE with column aliases");
        }
        if let InsertSource::Rows(rows) = &insert.source {
            if !listed && rows.iter().all(|row| row.values.is_empty()) {
                return Ok(());
            }
            for (number, row) in rows.iter().enumerate() {
                self.row(row, number, &columns)?;
            }
        }
        if listed {
            self.listed(before);
        } else {
            let list = self.list(&columns, before);
            self.edits.insert(insert.columns_place, list);
        }
        Ok(())
    }

    /// Adds the other parts to the columns of a list that is there: behind each one, or before it.
    fn listed(&mut self, before: bool) {
        for column in &self.scope.statement.uses {
            if !matches!(column.place, Use::Insert(_)) {
                continue;
            }
            let Some(encrypted) = self.names.meant(column).and_then(|meant| meant.encrypted) else {
                continue;
            };
            self.rename(column.name_span, &encrypted.cipher);
            let mut ops = Vec::new();
            for (part, _) in encrypted.parts().skip(1) {
                let comma = Op::Literal(", ".into());
                ops.extend(if before { [name(part), comma] } else { [comma, name(part)] });
            }
            if !ops.is_empty() {
                self.edits.insert(if before { column.span.start } else { column.span.end }, ops);
            }
        }
    }

    /// A column list where there is none.
    fn list(&self, columns: &[(String, Option<Meant<'a>>)], before: bool) -> Vec<Op> {
        let mut names: Vec<&str> = Vec::new();
        for (column, meant) in columns {
            match meant.and_then(|meant| meant.encrypted) {
                Some(encrypted) => {
                    let at = names.len();
                    names.extend(encrypted.parts().map(|(part, _)| part));
                    if before {
                        names[at..].rotate_left(1);
                    }
                }
                None => names.push(column),
            }
        }
        let mut ops = vec![Op::Literal(" (".into())];
        for (number, column) in names.into_iter().enumerate() {
            if number > 0 {
                ops.push(Op::Literal(", ".into()));
            }
            ops.push(name(column));
        }
        ops.push(Op::Literal(")".into()));
        ops
    }

    fn row(
        &mut self,
        row: &Row,
        number: usize,
        columns: &[(String, Option<Meant<'a>>)],
    ) -> Result<(), Error> {
        if row.values.len() != columns.len() {
            return Err(Error::ColumnCount { row: number + 1 });
        }
        let Some(spans) = row.value_spans(self.scope.text, self.scope.slots, self.scope.mode) else {
            return refuse(self.scope, "VALUES inside a version comment");
        };
        for (index, ((value, span), (_, meant))) in row.values.iter().zip(spans).zip(columns).enumerate() {
            let Some((meant, encrypted)) = meant.and_then(|meant| Some((meant, meant.encrypted?))) else {
                continue;
            };
            if is_unknown(value) && *value != Scalar::Default {
                return Err(Error::EncryptInsert(index));
            }
            let mut ops = Vec::new();
            for (_, part) in encrypted.parts() {
                if !ops.is_empty() {
                    ops.push(Op::Literal(", ".into()));
                }
                ops.push(fill(value, span, &meant, encrypted, part));
            }
            self.edits.replace(span, ops);
        }
        Ok(())
    }

    /// `INSERT … SELECT`: what is encrypted on one side is encrypted alike on the other, or a constant.
    fn stored_query(&mut self, columns: &[(String, Option<Meant<'a>>)]) -> Result<(), Error> {
        let statement = self.scope.statement;
        let is_source = |block: &sql::Block| block.role == sql::Role::Stored;
        let Some(index) = statement.blocks.iter().position(is_source) else { return Ok(()) };
        let (block, outputs) = (&statement.blocks[index], self.names.outputs(index as u32));
        let theirs: Vec<_> =
            outputs.list.iter().map(|shown| shown.meant.and_then(|it| it.cipher())).collect();
        if theirs.iter().all(Option::is_none) && columns.iter().all(|(_, mine)| mine.is_none()) {
            return Ok(());
        }
        let parts = |(_, mine): &(String, Option<Meant<'a>>)| {
            mine.and_then(|meant| meant.encrypted).map_or(1, |encrypted| encrypted.parts().count())
        };
        // Positions count what is selected, which becomes more.
        let counted = !block.order_ordinals.is_empty() || !block.group_ordinals.is_empty();
        if !outputs.known
            || theirs.len() != columns.len()
            || counted && columns.iter().any(|column| parts(column) > 1)
        {
            return Err(differs());
        }
        // Items are columns, one for one, unless there is a `*` among them.
        let listed = block.outputs.len() == columns.len();
        for (number, (theirs, (_, mine))) in theirs.into_iter().zip(columns).enumerate() {
            let item = block.outputs.get(number).filter(|_| listed && block.branches.is_empty());
            let mine = mine.and_then(|meant| Some((meant, meant.encrypted?)));
            match (theirs, mine) {
                (None, None) => {}
                (None, Some((meant, encrypted))) => self.stored_constant(item, &meant, encrypted)?,
                // Every part of a set operation would have to give as many.
                (Some(_), Some((_, mine))) if !block.branches.is_empty() && mine.parts().count() > 1 => {
                    return Err(differs());
                }
                (Some(theirs), Some((_, mine))) => {
                    let item = block.outputs.get(number).filter(|_| listed);
                    self.stored_column(item, theirs, mine)?;
                }
                (Some(_), None) => return Err(differs()),
            }
        }
        Ok(())
    }

    /// A constant that a query gives to an encrypted column.
    fn stored_constant(
        &mut self,
        item: Option<&Output>,
        meant: &Meant<'a>,
        encrypted: &'a EncryptColumn,
    ) -> Result<(), Error> {
        let Some(Output { kind: OutputKind::Value(value), span, .. }) = item else { return Err(differs()) };
        if is_unknown(value) {
            return Err(differs());
        }
        let mut parts: Vec<_> = encrypted.parts().map(|(_, part)| part).collect();
        parts.rotate_left(1);
        let mut ops = Vec::new();
        for part in parts {
            if !ops.is_empty() {
                ops.push(Op::Literal(", ".into()));
            }
            ops.push(fill(value, *span, meant, encrypted, part));
        }
        self.edits.replace(*span, ops);
        Ok(())
    }

    /// A column that a query gives to an encrypted one: all of its parts, the cipher column last.
    fn stored_column(
        &mut self,
        item: Option<&Output>,
        theirs: &'a EncryptColumn,
        mine: &'a EncryptColumn,
    ) -> Result<(), Error> {
        let column = match item.map(|item| &item.kind) {
            Some(OutputKind::Column(index)) => self.scope.statement.uses.get(*index as usize),
            _ => None,
        };
        let column = column.filter(|column| self.names.meant(column).is_some_and(|meant| meant.direct));
        let alone = mine.parts().count() == 1;
        let alike = if alone { theirs.encryptor == mine.encryptor } else { is_alike(theirs, mine) };
        if !alike || !alone && column.is_none() {
            return Err(differs());
        }
        let Some(column) = column else { return Ok(()) };
        self.rename(column.name_span, &theirs.cipher);
        if !alone {
            let owner = Span { start: column.span.start, end: column.name_span.start };
            let mut ops = Vec::new();
            for (part, _) in theirs.parts().skip(1) {
                ops.extend(self.edits.copy(owner));
                ops.extend([name(part), Op::Literal(", ".into())]);
            }
            self.edits.insert(column.span.start, ops);
        }
        Ok(())
    }

    fn assign(
        &mut self,
        index: u32,
        column: &ColumnUse,
        assignment: Assignment<'a>,
        meant: &Meant<'a>,
        encrypted: &'a EncryptColumn,
    ) -> Result<(), Error> {
        let from = self.assigned(index, assignment, meant, encrypted)?;
        self.rename(column.name_span, &encrypted.cipher);
        let owner = self.edits.copy(Span { start: column.span.start, end: column.name_span.start });
        let mut others = Vec::new();
        for (number, (part, role)) in encrypted.parts().enumerate() {
            let value = match from {
                Some((source, theirs)) => {
                    let (from, _) = theirs.parts().nth(number).unwrap_or((part, role));
                    let (start, end) = (assignment.value_span.start, assignment.value_span.end);
                    let mut value = self.edits.copy(Span { start, end: source.name_span.start });
                    value.push(name(from));
                    value.extend(self.edits.copy(Span { start: source.name_span.end, end }));
                    value
                }
                None => vec![fill(assignment.value, assignment.value_span, meant, encrypted, role)],
            };
            if number == 0 {
                self.edits.replace(assignment.value_span, value);
                continue;
            }
            others.push(Op::Literal(", ".into()));
            others.extend(owner.iter().cloned());
            others.extend([name(part), Op::Literal(" = ".into())]);
            others.extend(value);
        }
        if !others.is_empty() {
            self.edits.insert(assignment.span.end, others);
        }
        Ok(())
    }

    /// The column whose parts are assigned to those of another one; nothing when it is a value.
    fn assigned(
        &self,
        index: u32,
        assignment: Assignment<'a>,
        meant: &Meant<'a>,
        encrypted: &'a EncryptColumn,
    ) -> Result<Option<(&'a ColumnUse, &'a EncryptColumn)>, Error> {
        if !is_unknown(assignment.value) || *assignment.value == Scalar::Default {
            return Ok(None);
        }
        let source = self.scope.statement.uses.iter().find(|other| other.place == Use::Assigned(index));
        let Some(source) = source else { return self.unencryptable(meant) };
        if let Scalar::Values(other) = assignment.value
            && !other.eq_ignore_ascii_case(meant.column)
        {
            return clause(format!("{}=VALUES({other})", meant.column));
        }
        if assignment.by == SetBy::Duplicate && self.has_column_aliases() {
            return clause("ON DUPLICATE KEY UPDATE with column aliases");
        }
        let theirs =
            self.names.meant(source).filter(|theirs| theirs.direct).and_then(|theirs| theirs.encrypted);
        match theirs.filter(|theirs| is_alike(theirs, encrypted)) {
            Some(theirs) => Ok(Some((source, theirs))),
            None => Err(Error::EncryptMatch("assignment".to_owned())),
        }
    }

    /// `AS new (a, b)`: the aliases are as many as the columns were.
    fn has_column_aliases(&self) -> bool {
        let sources = self.scope.statement.blocks.iter().flat_map(|block| &block.from);
        let mut kinds = sources.map(|source| &source.kind);
        kinds.any(|kind| matches!(kind, sql::SourceKind::Inserted(columns) if !columns.is_empty()))
    }
}

fn differs() -> Error {
    Error::EncryptMatch("insert select columns".to_owned())
}

/// What a part of a column gets for a value.
pub(super) fn fill(
    value: &Scalar,
    span: Span,
    meant: &Meant<'_>,
    encrypted: &EncryptColumn,
    part: EncryptPart,
) -> Op {
    match (value, filler(encrypted, part)) {
        (Scalar::Default, _) => Op::Literal("DEFAULT".into()),
        (Scalar::Null, _) => Op::Literal("NULL".into()),
        (_, Some(cipher)) => ciphered(value, cipher, Role::Stored, meant),
        (_, None) => Op::Copy(span),
    }
}

/// Whether two columns have the same parts, filled alike.
fn is_alike(one: &EncryptColumn, other: &EncryptColumn) -> bool {
    one.encryptor == other.encryptor
        && one.assisted_algorithm == other.assisted_algorithm
        && one.like_algorithm == other.like_algorithm
        && one.plain.is_some() == other.plain.is_some()
}
