//! `INSERT` and `REPLACE`. Rows of plain values, however many, are read token by token.

use super::cursor::Parser;
use super::expr::Expr;
use super::scope::Named;
use crate::lexer::{Lexer, TokenKind};
use crate::{
    BlockKind, Clause, Error, Insert, InsertSource, Mode, Role, Row, Scalar, SetBy, SetColumn, Slot,
    SourceKind, Span, Use,
};

/// The alias of the row that would have been inserted: `VALUES (…) AS new(a, b)`.
#[derive(Default)]
struct Alias {
    row: Option<String>,
    columns: Vec<String>,
}

impl Parser<'_> {
    /// What follows `INSERT` or `REPLACE`.
    pub(super) fn insert(&mut self, replace: bool) -> Result<Insert, Error> {
        let mut ignore = false;
        while self.is_any(&["LOW_PRIORITY", "DELAYED", "HIGH_PRIORITY", "IGNORE"]) {
            ignore |= self.is("IGNORE");
            self.at += 1;
        }
        self.take("INTO");
        let outer = self.scope.open(Role::Statement, BlockKind::Other);
        let name = self.table_name()?;
        let table = self.scope.table(name, None)?;
        if self.take("PARTITION") {
            self.expect_kind(TokenKind::LeftParen, "(")?;
            self.skip_parens()?;
        }
        let mut insert = Insert {
            table,
            columns: Vec::new(),
            columns_span: None,
            set_end: None,
            columns_place: self.last_end(),
            source: InsertSource::Rows(Vec::new()),
            replace,
            ignore,
            on_duplicate: Vec::new(),
        };
        if self.kind() == Some(TokenKind::LeftParen) && !self.is_query_in_parens() {
            self.column_list(&mut insert)?;
        }
        self.source(&mut insert)?;
        let alias = if self.take("AS") { self.row_alias()? } else { Alias::default() };
        if self.take_all(&["ON", "DUPLICATE", "KEY", "UPDATE"]) {
            if matches!(insert.source, InsertSource::Query(_)) {
                self.scope.see_closed();
            }
            if let Some(row) = &alias.row {
                let columns = alias.columns.clone();
                self.scope.derived(Some(row.clone().into()), SourceKind::Inserted(columns))?;
            }
            self.clause = Clause::Set;
            insert.on_duplicate = self.on_duplicate(&alias, &insert.columns)?;
        }
        self.scope.close(outer);
        Ok(insert)
    }

    fn is_query_in_parens(&self) -> bool {
        let mut ahead = 1;
        while self.kind_ahead(ahead) == Some(TokenKind::LeftParen) {
            ahead += 1;
        }
        ["SELECT", "WITH", "TABLE", "VALUES"].iter().any(|word| self.is_ahead(ahead, word))
    }

    /// `(a, t.b)`
    fn column_list(&mut self, insert: &mut Insert) -> Result<(), Error> {
        let first = self.at;
        self.at += 1;
        self.clause = Clause::Insert;
        while self.kind() != Some(TokenKind::RightParen) {
            let Named { column, index } = self.column()?;
            self.claim(index, Use::Insert(insert.columns.len() as u32));
            insert.columns.push(column.name);
            if !self.take_kind(TokenKind::Comma) {
                break;
            }
        }
        self.expect_kind(TokenKind::RightParen, ")")?;
        insert.columns_span = Some(self.span_from(first));
        Ok(())
    }

    fn source(&mut self, insert: &mut Insert) -> Result<(), Error> {
        if self.take_any(&["VALUES", "VALUE"]) {
            self.clause = Clause::Values;
            insert.source = InsertSource::Rows(self.rows()?);
        } else if self.take("SET") {
            self.clause = Clause::Set;
            let first = self.at;
            let set = self.set_columns(SetBy::Insert)?;
            insert.set_end = Some(self.span_from(first).end);
            let mut values = Vec::with_capacity(set.len());
            for column in set {
                insert.columns.push(column.column);
                values.push(column.value);
            }
            insert.source = InsertSource::Set(values);
        } else {
            insert.source = InsertSource::Query(Box::new(self.query(Role::Stored)?));
        }
        Ok(())
    }

    /// `(1, 'a'), (2, 'b')`, each with or without `ROW` before it.
    fn rows(&mut self) -> Result<Vec<Row>, Error> {
        let mut rows: Vec<Row> = Vec::new();
        loop {
            let first = self.at;
            self.take("ROW");
            self.expect_kind(TokenKind::LeftParen, "(")?;
            let width = rows.last().map_or(4, |row| row.values.len());
            let values = self.row_values(width)?;
            rows.push(Row { values, span: self.span_from(first) });
            if !self.take_kind(TokenKind::Comma) {
                return Ok(rows);
            }
        }
    }

    /// Values up to and with the `)`.
    fn row_values(&mut self, width: usize) -> Result<Vec<Scalar>, Error> {
        let mut values = Vec::with_capacity(width);
        if self.take_kind(TokenKind::RightParen) {
            return Ok(values);
        }
        loop {
            values.push(match self.lone_value() {
                Some(value) => value,
                None => self.expr()?.into_scalar(),
            });
            if self.take_kind(TokenKind::RightParen) {
                return Ok(values);
            }
            self.expect_kind(TokenKind::Comma, ", or )")?;
        }
    }

    fn row_alias(&mut self) -> Result<Alias, Error> {
        let mut alias = Alias { row: Some(self.name("an alias")?.into_owned()), columns: Vec::new() };
        if self.take_kind(TokenKind::LeftParen) {
            loop {
                alias.columns.push(self.name("an alias")?.into_owned());
                if !self.take_kind(TokenKind::Comma) {
                    break;
                }
            }
            self.expect_kind(TokenKind::RightParen, ")")?;
        }
        Ok(alias)
    }

    fn on_duplicate(&mut self, alias: &Alias, columns: &[String]) -> Result<Vec<SetColumn>, Error> {
        let mut set = Vec::new();
        loop {
            set.push(self.set_column(SetBy::Duplicate, |value| match value {
                Expr::Column(Named { column, .. }) => {
                    inserted(alias, columns, column.owner.as_deref(), &column.name)
                }
                value => value.scalar(),
            })?);
            if !self.take_kind(TokenKind::Comma) {
                return Ok(set);
            }
        }
    }
}

impl Row {
    /// Where each of its values stands in the text that `slots` belong to, read anew: a statement of many rows need
    /// not keep it. Nothing when the row cannot be told apart.
    pub fn value_spans(&self, text: &str, slots: &[Slot], mode: Mode) -> Option<Vec<Span>> {
        let start = self.span.range(slots).start as u32;
        let inside = text.get(self.span.range(slots))?;
        let mut spans = Vec::with_capacity(self.values.len());
        let (mut open, mut value) = (0_u32, None::<(u32, u32)>);
        for token in Lexer::new(inside, mode) {
            let token = token.ok()?;
            let ends = match token.kind {
                TokenKind::Comment | TokenKind::VersionOpen | TokenKind::VersionClose => continue,
                TokenKind::LeftParen => {
                    open += 1;
                    if open == 1 {
                        continue;
                    }
                    false
                }
                TokenKind::RightParen => {
                    open = open.checked_sub(1)?;
                    open == 0
                }
                kind => kind == TokenKind::Comma && open == 1,
            };
            if ends {
                spans.extend(value.take().map(|(from, to)| Span::at(start + from..start + to, slots)));
            } else if open > 0 {
                value = Some((value.map_or(token.start, |(from, _)| from), token.end));
            }
        }
        Some(spans).filter(|spans| spans.len() == self.values.len())
    }
}

/// The value that `new.c` or a column alias means.
fn inserted(alias: &Alias, columns: &[String], owner: Option<&str>, name: &str) -> Scalar {
    let Some(row) = &alias.row else { return Scalar::Opaque };
    if owner.is_some_and(|owner| !owner.eq_ignore_ascii_case(row)) {
        return Scalar::Opaque;
    }
    if alias.columns.is_empty() {
        // Without an owner it is the column of the table.
        return if owner.is_some() { Scalar::Values(name.to_owned()) } else { Scalar::Opaque };
    }
    let position = alias.columns.iter().position(|column| column.eq_ignore_ascii_case(name));
    match position.and_then(|position| columns.get(position)) {
        Some(column) => Scalar::Values(column.clone()),
        None => Scalar::Opaque,
    }
}
