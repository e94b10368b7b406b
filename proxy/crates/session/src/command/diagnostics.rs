//! `SHOW WARNINGS`, `SHOW ERRORS` and their counts, whoever raised the conditions.
//!
//! `GET DIAGNOSTICS` is refused: it would set variables of a connection that may be another session's by now.

use sql::lexer::{Token, TokenKind, tokens};
use wire::charset::{Charset, Collation};
use wire::column::{Column, ColumnFlags, ColumnType};

use crate::error::Problem;
use crate::reply::Format;
use crate::session::Session;

/// What is asked for.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
struct Asked {
    /// Only how many there are.
    count: bool,
    /// Errors alone.
    errors: bool,
    offset: usize,
    limit: usize,
}

impl Session {
    pub(crate) async fn show_conditions(&mut self, text: &str, format: Format) -> Result<(), Problem> {
        let Some(asked) = Asked::read(text, self.state.mode) else {
            return Err(Problem::unsupported("SHOW WARNINGS with anything but LIMIT and numbers"));
        };
        if asked.count {
            let (all, errors) = self.executor.count_conditions().await;
            let (name, count) = if asked.errors { ("error", errors) } else { ("warning", all) };
            let mut column =
                Column::new(format!("@@session.{name}_count").into_bytes(), ColumnType::LONGLONG);
            (column.length, column.flags) = (21, ColumnFlags::UNSIGNED | ColumnFlags::BINARY);
            self.put_rows(&[column], &[vec![Some(count.to_string())]], format);
            return Ok(());
        }
        let all = self.executor.conditions().await.map_err(|error| Problem::exec(&error))?;
        let rows: Vec<_> = all
            .iter()
            .filter(|condition| !asked.errors || *condition.level == *b"Error")
            .skip(asked.offset)
            .take(asked.limit)
            .map(|condition| {
                let text = |bytes: &[u8]| Some(String::from_utf8_lossy(bytes).into_owned());
                vec![text(&condition.level), Some(condition.code.to_string()), text(&condition.message)]
            })
            .collect();
        let mut code = Column::new("Code", ColumnType::LONG);
        (code.length, code.flags) = (5, ColumnFlags::NOT_NULL | ColumnFlags::UNSIGNED | ColumnFlags::BINARY);
        let mut columns = [Column::text("Level", 7), code, Column::text("Message", 512)];
        let collation = self.collation();
        for column in &mut columns {
            column.flags |= ColumnFlags::NOT_NULL;
            if let Some(collation) = collation.filter(|_| column.kind == ColumnType::VAR_STRING) {
                column.charset = collation.id;
                column.length = column.length / 4 * u32::from(collation.charset.max_len);
            }
        }
        self.put_rows(&columns, &rows, format);
        Ok(())
    }
}

impl Session {
    /// The collation that texts are shown in, where that is one of UTF-8.
    fn collation(&self) -> Option<Collation> {
        let names = self.state.settings.charset()?;
        let found = match &names.collation {
            Some(collation) => Collation::named(collation),
            None => Collation::find(Charset::named(&names.name)?.default),
        };
        found.filter(|found| found.charset.is_utf8())
    }
}

impl Asked {
    fn read(text: &str, mode: sql::Mode) -> Option<Self> {
        let all = tokens(text, mode).ok()?;
        let mut rest = all.iter().filter(|token| token.kind != TokenKind::Comment).peekable();
        let mut take = |word: &str| rest.next_if(|token: &&Token| token.is(text, word)).is_some();
        take("SHOW").then_some(())?;
        let count = take("COUNT");
        let symbols = if count { 3 } else { 0 };
        rest.by_ref().take(symbols).for_each(drop);
        let mut take = |word: &str| rest.next_if(|token: &&Token| token.is(text, word)).is_some();
        let errors = take("ERRORS");
        if !errors && !take("WARNINGS") {
            return None;
        }
        let limited = take("LIMIT");
        let mut asked = Self { count, errors, offset: 0, limit: usize::MAX };
        let mut number = || rest.next_if(|token| token.kind == TokenKind::Integer)?.text(text).parse().ok();
        if limited {
            asked.limit = number()?;
            let comma = rest.next_if(|token| token.kind == TokenKind::Comma).is_some();
            let word = rest.next_if(|token| token.is(text, "OFFSET")).is_some();
            let mut number =
                || rest.next_if(|token| token.kind == TokenKind::Integer)?.text(text).parse().ok();
            if comma {
                (asked.offset, asked.limit) = (asked.limit, number()?);
            } else if word {
                asked.offset = number()?;
            }
        }
        rest.next_if(|token| token.kind == TokenKind::Semicolon);
        rest.next().is_none().then_some(asked)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_is_asked_for() {
        let list = |errors, offset, limit| Some(Asked { count: false, errors, offset, limit });
        for (text, expected) in [
            ("SHOW WARNINGS", list(false, 0, usize::MAX)),
            ("show /* x */ errors;", list(true, 0, usize::MAX)),
            ("SHOW WARNINGS LIMIT 3", list(false, 0, 3)),
            ("SHOW WARNINGS LIMIT 2, 3", list(false, 2, 3)),
            ("SHOW WARNINGS LIMIT 3 OFFSET 2", list(false, 2, 3)),
            ("SHOW WARNINGS LIMIT ?", None),
            ("SHOW WARNINGS LIKE 'x'", None),
            ("SHOW TABLES", None),
            ("SHOW COUNT(*) ERRORS", Some(Asked { count: true, errors: true, offset: 0, limit: usize::MAX })),
        ] {
            assert_eq!(Asked::read(text, sql::Mode::default()), expected, "{text}");
        }
    }
}
