//! `EXPLAIN` of statements over sharded tables: each node that the statement would go to is asked about the text that it
//! would get.
//!
//! Of one node the answer is told in logical names, as one server would. Of several their rows come one after the other
//! and name the nodes' own tables, since a DBA wants to know which node goes about it in which way.

use backend::TextResult;
use bytes::Bytes;
use exec::Condition;
use plan::{Call, HintValues, Kept, Renames, Template};
use sql::lexer::{Token, TokenKind, tokens};
use wire::column::Column;
use wire::reply::Ok as End;

use crate::command::query::Found;
use crate::error::Problem;
use crate::reply::{Format, done};
use crate::session::Session;

/// Begins of statements that can be explained.
const VERBS: [&str; 8] = ["DELETE", "INSERT", "REPLACE", "SELECT", "TABLE", "UPDATE", "VALUES", "WITH"];

/// What is asked of each node.
struct Asked {
    columns: Vec<Column>,
    rows: Vec<Vec<Option<Bytes>>>,
    conditions: Vec<Condition>,
}

impl Session {
    /// Answers an `EXPLAIN` that is the session's own.
    pub(crate) async fn explain(&mut self, call: &Call<'_>, format: Format) -> Result<(), Problem> {
        let Asked { columns, rows, conditions } = self.explained(call).await?;
        let warnings = u16::try_from(conditions.len()).unwrap_or(u16::MAX);
        let end = End { warnings, ..done(self.status()) };
        self.client.put_warned_rows(&columns, &rows, format, &end);
        self.executor.showed(rows.len() as u64);
        self.executor.warned(conditions);
        Ok(())
    }

    /// The columns of its answer, for a prepare: those of any statement.
    pub(crate) async fn explain_columns(&mut self, text: &str) -> Result<Vec<Column>, Problem> {
        let (prefix, _) = self.parted(text)?;
        let words = tokens(prefix, self.state.mode).unwrap_or_default();
        let prefix =
            if words.iter().any(|word| word.is(prefix, "ANALYZE")) { "EXPLAIN FORMAT=TREE " } else { prefix };
        let unit = self.any_unit().ok_or_else(Problem::no_database)?;
        let settings = self.executor.settings().clone();
        let mut connection = self.lend(&unit).await?;
        connection.apply(&settings).await.map_err(|error| Problem::backend(&error))?;
        let answer = connection.query(format!("{prefix}SELECT 1")).await;
        answer.map(|answer| answer.columns).map_err(|error| Problem::backend(&error))
    }

    /// The words before the statement that is explained, and that statement.
    fn parted<'t>(&self, text: &'t str) -> Result<(&'t str, &'t str), Problem> {
        let tokens = tokens(text, self.state.mode).map_err(|error| Problem::syntax(&error, text))?;
        let begins = |token: &&Token| token.is_any(text, &VERBS) || token.text(text) == "(";
        let begin = tokens.iter().find(begins).map_or(text.len(), |token| token.start as usize);
        let (prefix, statement) = text.split_at(begin);
        let into = tokens.iter().take_while(|token| (token.start as usize) < begin);
        if into.into_iter().any(|token| token.is_any(text, &["INTO", "FOR"])) {
            return Err(Problem::unsupported("EXPLAIN INTO or FOR with a sharding table"));
        }
        Ok((prefix, statement))
    }

    /// What is asked before the statement, and that statement with the comments before it, which may be hints: as
    /// characters and byte for byte.
    fn inner(&self, call: &Call<'_>) -> Result<(String, String, Vec<u8>), Problem> {
        let (prefix, statement) = self.parted(call.text)?;
        let (mut words, mut comments) = (String::new(), String::new());
        for token in tokens(prefix, self.state.mode).unwrap_or_default() {
            let part = if token.kind == TokenKind::Comment { &mut comments } else { &mut words };
            part.push_str(token.text(prefix));
            part.push(if token.text(prefix).starts_with(['#', '-']) { '\n' } else { ' ' });
        }
        let raw = call.raw.get(prefix.len()..).unwrap_or_default();
        let raw = [comments.as_bytes(), raw].concat();
        Ok((words, format!("{comments}{statement}"), raw))
    }

    async fn explained(&mut self, call: &Call<'_>) -> Result<Asked, Problem> {
        let (prefix, text, raw) = self.inner(call)?;
        let text = text.as_str();
        let fingerprint = self.local.fingerprinter.fingerprint(text, self.state.mode);
        let fingerprint = fingerprint.map_err(|error| Problem::syntax(&error, text))?;
        let Found::Template(template) = self.find(text, &fingerprint, Kept::Alike).await? else {
            return Err(Problem::unsupported("EXPLAIN of DistSQL"));
        };
        if template.params() > 0 {
            return Err(Problem::unsupported("EXPLAIN with parameters of a statement with a sharding table"));
        }
        let generated = self.generate(&template)?;
        let hints = std::rc::Rc::clone(&self.state.hints);
        let own = Call {
            text,
            raw: &raw,
            slots: &fingerprint.slots,
            params: None,
            generated: &generated,
            hints: HintValues(&hints),
            own_zone: self.state.settings.variable("time_zone").is_some(),
        };
        let plan = self.planned(&template, &own)?;
        let several = plan.units.len() > 1;
        let mut asked = Asked { columns: Vec::new(), rows: Vec::new(), conditions: Vec::new() };
        for route in &plan.units {
            let mut question = prefix.as_bytes().to_vec();
            template.render(&own, route, &mut question);
            let (answer, mut conditions) = self.ask_node(&template, route, &question).await?;
            let renames = template.renames(route);
            let mut rows = answer.rows;
            if !several {
                rows.iter_mut().for_each(|row| tell(row, &renames));
                for condition in &mut conditions {
                    let text = String::from_utf8_lossy(&condition.message);
                    condition.message = exec::in_logical_names(&renames, &text).into();
                }
            }
            asked.columns = answer.columns;
            asked.rows.extend(rows);
            asked.conditions.extend(conditions);
        }
        Ok(asked)
    }

    /// One node's answer, and the statement as its server understood it.
    async fn ask_node(
        &mut self,
        template: &Template,
        route: &plan::RouteUnit,
        question: &[u8],
    ) -> Result<(TextResult, Vec<Condition>), Problem> {
        let failed = |error| Problem::backend(&error);
        let database = template.database().ok_or_else(Problem::no_database)?;
        let unit = database.units.get_index(usize::from(route.unit)).map(|(_, unit)| unit);
        let unit = unit.ok_or_else(Problem::no_database)?;
        let settings = self.executor.settings().clone();
        let mut connection = self.lend(unit).await?;
        connection.apply(&settings).await.map_err(failed)?;
        let answer = match connection.query(question).await {
            Err(backend::Error::Refused { refusal, .. }) => {
                let message = exec::in_logical_names(&template.renames(route), &refusal.message);
                return Err(Problem { code: refusal.code, state: refusal.state.into(), message });
            }
            answer => answer.map_err(failed)?,
        };
        let told = connection.query("SHOW WARNINGS").await.map_err(failed)?;
        let conditions = told.rows.into_iter().filter_map(|row| {
            let [level, code, message] = <[Option<Bytes>; 3]>::try_from(row).ok()?;
            let code = std::str::from_utf8(code.as_deref()?).ok()?.parse().ok()?;
            Some(Condition { level: level?, code, message: message? })
        });
        Ok((answer, conditions.collect()))
    }
}

/// Puts logical names into a row: the column `table` of a table of rows, or the whole text of a tree.
fn tell(row: &mut [Option<Bytes>], renames: &Renames<'_>) {
    match row {
        [Some(tree)] => *tree = exec::in_logical_names(renames, &String::from_utf8_lossy(tree)).into(),
        [_, _, Some(table), ..] => {
            if let Some(logical) = renames.table(table) {
                *table = Bytes::copy_from_slice(logical.as_bytes());
            }
        }
        _ => {}
    }
}
