//! Prepared statements: prepare, execute, reset.

use std::rc::Rc;

use exec::{Command, Fetch};
use meta::Property;
use plan::{Call, HintValues, Kept};
use sql::{Body, ShowWhat, SlotKind, Statement, Transaction};
use wire::column::{Column, ColumnType};
use wire::errno;
use wire::execute::{Execute, Params};

use crate::client::Failure;
use crate::command::catalog::Nulls;
use crate::command::query::{Done, Found, is_own};
use crate::command::show::process_columns;
use crate::counting::Held;
use crate::error::Problem;
use crate::prepared::Prepared;
use crate::reply::Format;
use crate::session::Session;
use crate::text::readable;

impl Session {
    pub(crate) async fn prepare(&mut self, raw: &[u8]) -> Done {
        Ok(self.prepare_as(raw).await?.map(|_| ()))
    }

    /// Prepares a statement; gives its number and how many warnings there were, unless the client was told of a server's
    /// error.
    pub(crate) async fn prepare_as(
        &mut self,
        raw: &[u8],
    ) -> Result<Result<Option<(u32, u16)>, Problem>, Failure> {
        let text = readable(raw, self.state.encoding, self.state.mode);
        let most = self.local.snapshot().properties.integer(Property::FrontendMaxPreparedStatements);
        if usize::try_from(most).is_ok_and(|most| self.statements.len() >= most) {
            let message =
                format!("Can't create more than max_prepared_stmt_count statements (current value: {most})");
            return Ok(Err(Problem::new(errno::ErrorCode::new(1461, "42000"), message)));
        }
        let fingerprint = match self.local.fingerprinter.fingerprint(&text, self.state.mode) {
            Ok(fingerprint) => fingerprint,
            Err(error) => return Ok(Err(Problem::syntax(&error, &text))),
        };
        let template = match self.find(&text, &fingerprint, Kept::Exact).await {
            Ok(Found::Template(template)) => template,
            Ok(Found::DistSql(_)) => return Ok(Err(unpreparable())),
            Err(problem) => return Ok(Err(problem)),
        };
        self.notes.found(&template);
        let params = fingerprint.slots.iter().filter(|slot| slot.kind == SlotKind::Param).count();
        if params > usize::from(u16::MAX) {
            return Ok(Err(Problem::new(
                errno::TOO_MANY_PARAMETERS,
                "Prepared statement contains too many placeholders",
            )));
        }
        let own = match is_own(&template) {
            false => None,
            true if template.describes() => {
                let call =
                    Call { text: &text, raw, slots: &fingerprint.slots, params: None, ..Call::default() };
                match self.described(&template, &call).await {
                    Ok(described) => Some(described.columns),
                    Err(problem) => return Ok(Err(problem)),
                }
            }
            true if template.reads_catalog() => match Box::pin(self.catalog_columns(raw)).await {
                Ok(columns) => Some(columns),
                Err(problem) => return Ok(Err(problem)),
            },
            true => match self.own_columns(template.statement(), &text).await {
                Ok(columns) => columns,
                Err(problem) => return Ok(Err(problem)),
            },
        };
        let prepared = Prepared {
            raw: Rc::from(raw),
            text: Rc::from(&*text),
            fingerprint: Rc::new(fingerprint),
            template,
            epoch: self.local.snapshot().epoch + self.shared.accounts.epoch(),
            database: self.schema.clone(),
            params,
            types: Vec::new(),
            long: self.statements.pieces(),
            cursor: None,
            spoilt: None,
            _held: Held::new(&self.local.counter),
        };
        let id = self.statements.insert(prepared);
        match own {
            Some(columns) => {
                self.put_prepared(id, params, &columns);
                Ok(Ok(Some((id, 0))))
            }
            None => self.ask(id).await,
        }
    }

    /// Lets a server prepare the statement, which alone knows its columns, and the client have the answer.
    async fn ask(&mut self, id: u32) -> Result<Result<Option<(u32, u16)>, Problem>, Failure> {
        let Some(prepared) = self.statements.get_mut(id) else { return Ok(Ok(None)) };
        let (raw, text, fingerprint) =
            (Rc::clone(&prepared.raw), Rc::clone(&prepared.text), Rc::clone(&prepared.fingerprint));
        let template = Rc::clone(&prepared.template);
        let call =
            Call { text: &text, raw: &raw, slots: &fingerprint.slots, params: None, ..Call::default() };
        let done = match template.sample() {
            Ok(plan) => self.run(&template, &plan, &call, Command::Prepare { statement: id }).await,
            Err(error) => Ok(Err(Problem::plan(&error, &text))),
        };
        let prepared = match &done {
            Ok(Ok(Some(outcome))) => outcome.prepared.map(|prepared| (id, prepared.warnings)),
            _ => None,
        };
        if prepared.is_none() {
            self.statements.remove(id);
        }
        Ok(done?.map(|_| prepared))
    }

    /// The columns of what the session answers itself, or nothing when a server must be asked. What MySQL does not
    /// prepare is refused as it does (its manual, "SQL Syntax Permitted in Prepared Statements").
    async fn own_columns(
        &mut self,
        statement: &Statement,
        text: &str,
    ) -> Result<Option<Vec<Column>>, Problem> {
        match &statement.body {
            Body::Select(_) => {
                let facing = self.facts(text).await;
                let own = facing.filter(|facing| facing.own || self.any_unit().is_none());
                Ok(own.map(|facing| facing.facts.into_iter().map(|fact| fact.column).collect()))
            }
            Body::Show(show) if show.what == ShowWhat::ProcessList => Ok(Some(process_columns(show.full))),
            Body::Show(show) if self.server_shows(show) => {
                Ok(Some(Box::pin(self.show_catalog(show, text.as_bytes(), Some(&Nulls))).await?.columns))
            }
            Body::Show(show) if show.what != ShowWhat::Warnings => {
                Ok(self.show(show)?.map(|table| table.definitions()))
            }
            Body::Ddl(_)
            | Body::Kill { .. }
            | Body::Set(_)
            | Body::Transaction(Transaction::Commit { .. } | Transaction::Rollback { .. }) => {
                Ok(Some(Vec::new()))
            }
            Body::Explain => Box::pin(self.explain_columns(text)).await.map(Some),
            Body::Empty => Err(Problem::new(errno::EMPTY_QUERY, "Query was empty")),
            _ => Err(unpreparable()),
        }
    }

    fn put_prepared(&mut self, id: u32, params: usize, columns: &[Column]) {
        let status = self.status();
        self.client.put(|out| {
            out.extend_from_slice(&[0]);
            out.extend_from_slice(&id.to_le_bytes());
            out.extend_from_slice(&(columns.len() as u16).to_le_bytes());
            out.extend_from_slice(&(params as u16).to_le_bytes());
            out.extend_from_slice(&[0, 0, 0]);
        });
        // Servers know as little of parameters: a column named `?` for each.
        let parameter = Column::new("?", ColumnType::VAR_STRING);
        for _ in 0..params {
            self.client.put(|out| parameter.encode(out));
        }
        if params > 0 {
            self.client.put_columns_end(status);
        }
        self.client.put_columns(columns, status);
    }

    pub(crate) async fn execute(&mut self, execute: Execute<'_>) -> Done {
        let Some(mut prepared) = self.statements.take(execute.statement) else {
            return Ok(Err(unknown(execute.statement, "mysql_stmt_precheck")));
        };
        if prepared.cursor.take().is_some() {
            self.executor.close_cursor(execute.statement);
        }
        let done = self.execute_with(&mut prepared, execute).await;
        if execute.wants_cursor() && self.executor.has_cursor(execute.statement) {
            prepared.cursor = Some(Rc::clone(&prepared.template));
        }
        prepared.executed();
        self.statements.put_back(execute.statement, prepared);
        done
    }

    async fn execute_with(&mut self, prepared: &mut Prepared, execute: Execute<'_>) -> Done {
        if let Some(message) = prepared.spoilt {
            return Ok(Err(Problem::new(errno::WRONG_ARGUMENTS, message)));
        }
        if let Err(problem) = self.refresh(prepared).await {
            return Ok(Err(problem));
        }
        match execute.attributes(prepared.params) {
            Ok(None) => {}
            Ok(attributes) => self.attribute(attributes),
            Err(error) => return Ok(Err(Problem::packet(&error))),
        }
        let rebound = {
            let known = (!prepared.types.is_empty()).then_some(prepared.types.as_slice());
            let params = match execute.params_with(prepared.params, known, |at| prepared.long(at)) {
                Ok(params) => params,
                Err(error) => return Ok(Err(Problem::packet(&error))),
            };
            if !prepared.long.is_empty() && has_strange_piece(&params) {
                let message = "Incorrect arguments to mysqld_stmt_execute";
                return Ok(Err(Problem::new(errno::WRONG_ARGUMENTS, message)));
            }
            let (text, fingerprint, raw) =
                (Rc::clone(&prepared.text), Rc::clone(&prepared.fingerprint), Rc::clone(&prepared.raw));
            if let Some(entry) = &self.client.entry {
                entry.executes(&text);
            }
            let template = Rc::clone(&prepared.template);
            self.notes.concerns(observe::Command::Execute, execute.statement, &raw);
            self.notes.found(&template);
            if self.notes.is_on() {
                self.notes.with(&params, self.local.outlet.hub().text_limit());
            }
            let generated = match self.generate(&template) {
                Ok(generated) => generated,
                Err(problem) => return Ok(Err(problem)),
            };
            let hints = Rc::clone(&self.state.hints);
            let call = Call {
                text: &text,
                raw: &raw,
                slots: &fingerprint.slots,
                params: Some(&params),
                generated: &generated,
                hints: HintValues(&hints),
                own_zone: self.state.settings.variable("time_zone").is_some(),
            };
            let cursor = execute.wants_cursor().then_some(execute.statement);
            let command = Command::Execute { params: &params, cursor };
            let done = if prepared.params > 0 && matches!(template.statement().body, Body::Set(_)) {
                let written = self.written(prepared, &params);
                Box::pin(self.query(&written)).await
            } else if is_own(&template) {
                self.perform(&template, &call, command, Format::Binary).await
            } else {
                self.route(&template, &call, command).await
            };
            (params.rebound.then(|| params.types().to_vec()), done)
        };
        let (types, done) = rebound;
        if let Some(types) = types {
            prepared.types = types;
        }
        done
    }

    /// Drafts a statement anew when the metadata has changed since.
    async fn refresh(&mut self, prepared: &mut Prepared) -> Result<(), Problem> {
        let epoch = self.local.snapshot().epoch + self.shared.accounts.epoch();
        if prepared.epoch == epoch {
            return Ok(());
        }
        // A statement belongs to the database it was prepared in, whatever is current now.
        let current = std::mem::replace(&mut self.schema, prepared.database.clone());
        self.checked.set(0);
        let found = self.find(&prepared.text, &prepared.fingerprint, Kept::Exact).await;
        self.schema = current;
        self.checked.set(0);
        match found? {
            Found::Template(template) => {
                prepared.template = template;
                prepared.epoch = epoch;
                Ok(())
            }
            Found::DistSql(_) => Err(unpreparable()),
        }
    }

    pub(crate) fn reset_statement(&mut self, id: u32) -> Result<(), Problem> {
        match self.statements.get_mut(id) {
            Some(prepared) => prepared.reset(),
            None => return Err(unknown(id, "mysql_stmt_precheck")),
        }
        self.executor.close_cursor(id);
        self.ok()
    }

    pub(crate) fn close_statement(&mut self, id: u32) {
        if self.statements.take(id).is_some_and(|prepared| prepared.cursor.is_some()) {
            self.executor.close_cursor(id);
        }
    }

    /// The next rows of a cursor.
    pub(crate) async fn fetch(&mut self, id: u32, rows: u32) -> Done {
        let Some(prepared) = self.statements.get_mut(id) else {
            return Ok(Err(unknown(id, "mysql_stmt_precheck")));
        };
        let template = prepared.cursor.clone();
        let of = template.as_ref().and_then(|template| Some((template.database()?, template.decorations())));
        let done = match of {
            Some((database, decorations)) => {
                let fetch = Fetch { statement: id, rows, database, decorations };
                self.executor.fetch(fetch, &mut self.client).await.transpose()
            }
            None => None,
        };
        let Some(done) = done else {
            let message = format!("The statement ({id}) has no open cursor.");
            return Ok(Err(Problem::new(errno::ErrorCode::new(1421, "HY000"), message)));
        };
        Ok(self.settled(done)?.map(|_| ()))
    }
}

/// Whether a piece came for a parameter of a type that can have none.
fn has_strange_piece(params: &Params<'_>) -> bool {
    (0..params.len()).any(|at| params.long(at) && params.types().get(at).is_none_or(|kind| !kind.is_string()))
}

fn unpreparable() -> Problem {
    Problem::new(
        errno::UNSUPPORTED_PREPARED,
        "This command is not supported in the prepared statement protocol yet",
    )
}

fn unknown(id: u32, command: &str) -> Problem {
    Problem::new(
        errno::UNKNOWN_STATEMENT,
        format!("Unknown prepared statement handler ({id}) given to {command}"),
    )
}
