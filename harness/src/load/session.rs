//! A plain connection for everything that is not load: set-up statements and checks.

use std::time::Duration;

use mysql_async::prelude::Queryable as _;
use mysql_async::{Conn, OptsBuilder, Row, Value};

use super::Target;

/// A connection to a server or to the proxy.
#[derive(Debug)]
pub struct Session {
    connection: Conn,
    whom: String,
}

/// A statement that was refused, or not answered.
#[derive(Debug, thiserror::Error)]
#[error("{whom}: {statement}\n  {cause}")]
pub struct Refused {
    whom: String,
    statement: String,
    cause: Box<dyn std::error::Error + Send + Sync>,
}

/// What a statement answers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Answer {
    /// Names of the columns; empty when there is no result set.
    pub columns: Vec<String>,
    /// The rows as text, NULL as `NULL`.
    pub rows: Vec<Vec<String>>,
    /// Rows changed.
    pub affected: u64,
}

/// No statement of set-up or check takes longer on a machine that works; filling is sysbench's.
const PATIENCE: Duration = Duration::from_secs(120);

impl Session {
    /// Logs in; the database may be empty for none.
    pub async fn open(target: &Target) -> Result<Self, Refused> {
        let whom = format!("{}@{}:{}", target.user, target.host, target.port);
        let database = Some(&target.database).filter(|name| !name.is_empty());
        let options = OptsBuilder::default()
            .ip_or_hostname(&target.host)
            .tcp_port(target.port)
            .user(Some(&target.user))
            .pass(Some(&target.password))
            .db_name(database)
            // Told here, so that the client need not ask before the first statement.
            .max_allowed_packet(Some(16 << 20))
            .wait_timeout(Some(28_800))
            .prefer_socket(false);
        let opened = tokio::time::timeout(PATIENCE, Conn::new(options)).await;
        let refused = |cause| Refused { whom: whom.clone(), statement: "login".to_owned(), cause };
        match opened {
            Ok(Ok(connection)) => Ok(Self { connection, whom }),
            Ok(Err(error)) => Err(refused(error.into())),
            Err(late) => Err(refused(late.into())),
        }
    }

    /// Says one statement, in the text protocol.
    pub async fn say(&mut self, statement: &str) -> Result<Answer, Refused> {
        let answer = tokio::time::timeout(PATIENCE, Self::answer(&mut self.connection, statement)).await;
        let refused = |cause| Refused { whom: self.whom.clone(), statement: statement.to_owned(), cause };
        match answer {
            Ok(Ok(answer)) => Ok(answer),
            Ok(Err(error)) => Err(refused(error.into())),
            Err(late) => Err(refused(late.into())),
        }
    }

    async fn answer(connection: &mut Conn, statement: &str) -> mysql_async::Result<Answer> {
        let mut result = connection.query_iter(statement).await?;
        let names = result.columns_ref().iter().map(|column| column.name_str().into_owned()).collect();
        let rows: Vec<Row> = result.collect().await?;
        let affected = result.affected_rows();
        drop(result);
        let rows = rows.into_iter().map(|row| row.unwrap().iter().map(text).collect()).collect();
        Ok(Answer { columns: names, rows, affected })
    }

    /// Logs out; a peer that is gone already needs none.
    pub async fn close(self) {
        let _ = self.connection.disconnect().await;
    }
}

/// Values come as text in this protocol.
fn text(value: &Value) -> String {
    match value {
        Value::NULL => "NULL".to_owned(),
        Value::Bytes(bytes) => String::from_utf8_lossy(bytes).into_owned(),
        other => other.as_sql(true).trim_matches('\'').to_owned(),
    }
}

impl Answer {
    /// The answer as lines in columns, at most `width` wide: columns that hold nothing are left out, and what is
    /// still too wide is cut.
    pub fn brief(&self, width: usize) -> String {
        if self.columns.is_empty() {
            return "OK".to_owned();
        }
        let filled =
            |at: &usize| self.rows.iter().any(|row| row.get(*at).is_some_and(|text| !text.is_empty()));
        let kept: Vec<usize> =
            (0..self.columns.len()).filter(|at| self.rows.is_empty() || filled(at)).collect();
        let lines: Vec<&Vec<String>> = std::iter::once(&self.columns).chain(&self.rows).collect();
        let cell = |line: &&Vec<String>, at: usize| line.get(at).map_or(0, |text| text.chars().count());
        let widths: Vec<usize> =
            kept.iter().map(|at| lines.iter().map(|line| cell(line, *at)).max().unwrap_or(0)).collect();
        let show = |line: &Vec<String>| {
            let cells = kept.iter().zip(&widths).filter_map(|(at, width)| Some((line.get(*at)?, *width)));
            let text: Vec<String> = cells.map(|(text, width)| format!("{text:width$}")).collect();
            let text = text.join("  ");
            let text = text.trim_end();
            if text.chars().count() <= width {
                return text.to_owned();
            }
            text.chars().take(width.saturating_sub(1)).chain(['…']).collect()
        };
        lines.into_iter().map(show).collect::<Vec<_>>().join("\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_shown_in_columns_without_the_empty_ones() {
        let row = |texts: [&str; 3]| texts.map(str::to_owned).to_vec();
        let answer = Answer {
            columns: row(["name", "props", "host"]),
            rows: vec![row(["ds_0", "", "127.0.0.1"]), row(["ds_10", "", "h"])],
            affected: 0,
        };
        assert_eq!(answer.brief(80), "name   host\nds_0   127.0.0.1\nds_10  h");
        assert_eq!(answer.brief(10), "name   ho…\nds_0   12…\nds_10  h");
        assert_eq!(Answer::default().brief(80), "OK");
    }
}
