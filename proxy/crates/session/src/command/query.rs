//! `COM_QUERY`: one text, whoever must answer it.

use std::rc::Rc;
use std::sync::Arc;

use exec::{Begin, Command, Downstream as _, Job};
use meta::{Database, Property};
use plan::{Action, Call, Generated, HintValues, Kept, Template};
use sql::{Body, Ddl, DdlKind, Fingerprint, Show, ShowWhat, Statement, Transaction};
use wire::errno;

use crate::answer::Answer;
use crate::client::Failure;
use crate::command::named;
use crate::error::Problem;
use crate::place::Purpose;
use crate::reply::Format;
use crate::select::{self, Facts};
use crate::session::Session;
use crate::text::readable;

/// Who a text is for.
pub(crate) enum Found {
    DistSql(distsql::Statement),
    Template(Rc<Template>),
}

/// How an execution ends: answered (maybe by a server's error), or with a problem of the proxy's own.
pub(crate) type Done = Result<Result<(), Problem>, Failure>;

impl Session {
    pub(crate) async fn query(&mut self, raw: &[u8]) -> Done {
        let text = readable(raw, self.state.encoding, self.state.mode);
        let fingerprint = match self.local.fingerprinter.fingerprint(&text, self.state.mode) {
            Ok(fingerprint) => fingerprint,
            Err(error) => return Ok(Err(Problem::syntax(&error, &text))),
        };
        let template = match self.find(&text, &fingerprint, Kept::Alike).await {
            Ok(Found::Template(template)) => template,
            Ok(Found::DistSql(statement)) => {
                self.notes.is_distsql(statement.title());
                return Ok(self.distsql(&statement).await);
            }
            // Clients ask for some things before any database, and so any server, is chosen.
            Err(problem) => {
                return Ok(match self.facts(&text).await {
                    Some(facing) => {
                        self.put_facts(&facing, Format::Text);
                        Ok(())
                    }
                    None => Err(problem),
                });
            }
        };
        self.notes.found(&template);
        let generated = match self.generate(&template) {
            Ok(generated) => generated,
            Err(problem) => return Ok(Err(problem)),
        };
        let hints = Rc::clone(&self.state.hints);
        let call = Call {
            text: &text,
            raw,
            slots: &fingerprint.slots,
            params: None,
            generated: &generated,
            hints: HintValues(&hints),
            own_zone: self.state.settings.variable("time_zone").is_some(),
        };
        if is_own(&template) {
            self.perform(&template, &call, Command::Query, Format::Text).await
        } else {
            self.route(&template, &call, Command::Query).await
        }
    }

    /// The template of a text, from the cache or drafted; DistSQL is told apart by its first words.
    pub(crate) async fn find(
        &self,
        text: &str,
        fingerprint: &Fingerprint,
        kept: Kept,
    ) -> Result<Found, Problem> {
        if let Some(statement) = distsql::parse(text).map_err(|error| Problem::distsql(&error))? {
            return Ok(Found::DistSql(statement));
        }
        let (mut learned, mut instead) = (false, None);
        loop {
            let snapshot = self.local.snapshot();
            let (mode, schema) = (self.state.mode, instead.as_deref().or(self.schema.as_deref()));
            let found = {
                let mut templates = self.local.templates.borrow_mut();
                let misses = templates.misses();
                let found = templates.template(text, fingerprint, mode, &snapshot, schema, kept);
                self.notes.looked_up(|| templates.misses() == misses);
                found
            };
            match found {
                Ok(template) if template.is_privileged() && !self.is_administrator() => {
                    return Err(Problem::needs_administrator());
                }
                Ok(template) => {
                    let closed =
                        template.database().filter(|database| !self.is_open(database, snapshot.epoch));
                    match closed {
                        None => return Ok(Found::Template(template)),
                        Some(database) => instead = Some(self.instead(&template, database)?),
                    }
                }
                Err(
                    plan::Error::NeedTables { database, tables }
                    | plan::Error::UnknownTables { database, tables },
                ) if !learned => {
                    learned = true;
                    if !self.may_use(&database) {
                        return Err(self.denied(&database));
                    }
                    self.shared.admin.learn(&database, &tables).await?;
                }
                Err(error) => return Err(Problem::plan(&error, text)),
            }
        }
    }

    /// Whether the account may use a database; the current one is asked about once for each change of metadata or of
    /// accounts.
    #[inline]
    fn is_open(&self, database: &Database, epoch: u64) -> bool {
        let current = self.schema.as_deref() == Some(database.name.as_str());
        let epoch = epoch + self.shared.accounts.epoch();
        if current && self.checked.get() == epoch {
            return true;
        }
        let open = self.may_use(&database.name);
        if current && open {
            self.checked.set(epoch);
        }
        open
    }

    /// Another database for a statement that any server can answer, when the one chosen for it is not open.
    fn instead(&self, template: &Template, chosen: &Database) -> Result<String, Problem> {
        let named = template.statement().tables.iter().any(|table| {
            let schema = table.schema.as_deref();
            schema.is_none_or(|schema| schema == chosen.name)
        });
        let chose = self.schema.as_deref().is_some_and(|schema| plan::system_schema(schema).is_none());
        let snapshot = self.local.snapshot();
        match self.any_database(&snapshot) {
            Some(other) if !named && !chose => Ok(other.name.clone()),
            None if !named && !chose => Err(Problem::no_database()),
            _ => Err(self.denied(&chosen.name)),
        }
    }

    /// The keys that an execution wants.
    #[inline]
    pub(crate) fn generate(&self, template: &Template) -> Result<Vec<Generated>, Problem> {
        match template.generates() {
            Some((generator, count)) => self
                .shared
                .keys
                .generate(&generator, count)
                .map_err(|error| Problem::plan(&plan::Error::KeyGenerator(error), "")),
            None => Ok(Vec::new()),
        }
    }

    /// Sends a statement where its template says.
    pub(crate) async fn route(
        &mut self,
        template: &Rc<Template>,
        call: &Call<'_>,
        command: Command<'_, '_>,
    ) -> Done {
        if template.statement().session {
            let fleeting = select::fleeting(call.text, self.state.mode);
            let left = match fleeting {
                Some(name) => Some(Box::pin(self.left(name)).await),
                None => None,
            };
            if let Some(raw) = self.own_text(template.statement(), call.raw, left) {
                return Box::pin(self.route_own(&raw, call, command)).await;
            }
            if let Some(name) = fleeting {
                return Ok(Err(Problem::unsupported(format_args!(
                    "{name} in this statement (select it alone)"
                ))));
            }
        }
        let mut plan = match template.bind(call) {
            Ok(plan) => plan,
            Err(error) => return Ok(Err(Problem::plan(&error, call.text))),
        };
        if template.is_movable()
            && let Err(error) = self.place(template, &mut plan, call, Purpose::Run, &[])
        {
            return Ok(Err(Problem::plan(&error, call.text)));
        }
        let mut done = self.run(template, &plan, call, command).await?;
        if let Err(problem) = &done
            && problem.is_unreachable()
            && template.statement().tables.is_empty()
        {
            // What names no table any unit answers alike.
            let units = template.database().map_or(0, |database| database.units.len());
            for other in 1..units {
                let [route] = plan.units.as_mut_slice() else { break };
                route.unit = u16::try_from(other).unwrap_or_default();
                done = self.run(template, &plan, call, command).await?;
                if done.as_ref().is_ok_and(Option::is_some) {
                    break;
                }
            }
        }
        let asked = match &done {
            Ok(Some(outcome)) if outcome.error.is_none() => Some(outcome.asked),
            _ => {
                self.failed = true;
                // Some nodes may have carried it out.
                matches!(template.statement().body, Body::Ddl(_)).then_some(false)
            }
        };
        if let (Some(asked), Some(database)) = (asked, template.database()) {
            self.after(template.statement(), database, asked).await;
        }
        Ok(done.map(|_| ()))
    }

    /// Sends a text of the session's own in the place of the client's; its parameters are the same.
    async fn route_own(&mut self, raw: &[u8], call: &Call<'_>, command: Command<'_, '_>) -> Done {
        let text = readable(raw, self.state.encoding, self.state.mode);
        let fingerprint = match self.local.fingerprinter.fingerprint(&text, self.state.mode) {
            Ok(fingerprint) => fingerprint,
            Err(error) => return Ok(Err(Problem::syntax(&error, &text))),
        };
        match self.find(&text, &fingerprint, Kept::Alike).await {
            Ok(Found::Template(template)) => {
                let call = Call { text: &text, raw, slots: &fingerprint.slots, ..*call };
                self.route(&template, &call, command).await
            }
            Ok(Found::DistSql(_)) => Ok(Err(Problem::no_database())),
            Err(problem) => Ok(Err(problem)),
        }
    }

    /// Runs a plan; the client has the answer, unless it is a problem of the proxy's own.
    pub(crate) async fn run(
        &mut self,
        template: &Rc<Template>,
        plan: &plan::Plan,
        call: &Call<'_>,
        command: Command<'_, '_>,
    ) -> Result<Result<Option<exec::Outcome>, Problem>, Failure> {
        let Some(database) = template.database() else { return Ok(Err(Problem::no_database())) };
        let attributes = self.attributes.clone();
        let job = Job { database, template, plan, call, command, attributes: attributes.as_deref() };
        if plan.units.len() > 1 {
            let most = self.local.snapshot().properties.integer(Property::MaxConnectionsSizePerQuery);
            self.executor.limit_connections(usize::try_from(most).unwrap_or(1));
        }
        self.notes.routed(plan.units.len());
        if let Some(tally) = self.notes.tally()
            && !matches!(command, Command::Prepare { .. })
        {
            tally.routed(database, template, plan);
        }
        let mut done = self.executor.run(job, &mut self.client).await;
        if matches!(&done, Err(exec::Error::Backend(backend::Error::Retired { .. }))) {
            // A unit was altered while the statement waited for a connection to it: nothing has been sent.
            let snapshot = self.local.snapshot();
            if let Some(now) =
                snapshot.database(&database.name).filter(|now| now.units.keys().eq(database.units.keys()))
            {
                done = self.executor.run(Job { database: now, ..job }, &mut self.client).await;
            }
        }
        if template.is_movable()
            && let Err(error) = done
        {
            done = Box::pin(self.elsewhere(job, error)).await;
        }
        if self.executor.take_changed() {
            let autocommit = !self.executor.is_manual();
            self.state.follow(self.executor.settings(), autocommit);
        }
        self.settled(done)
    }

    /// What an execution has come to.
    pub(crate) fn settled(
        &mut self,
        done: Result<exec::Outcome, exec::Error>,
    ) -> Result<Result<Option<exec::Outcome>, Problem>, Failure> {
        match done {
            Ok(outcome) => {
                self.notes.came_to(&outcome);
                Ok(Ok(Some(outcome)))
            }
            Err(exec::Error::Client(error)) => Err(Failure::Io(error)),
            Err(exec::Error::Killed) => Err(Failure::Killed),
            Err(exec::Error::Torn(error)) => Err(Failure::Torn(error)),
            Err(exec::Error::Belied(error)) => {
                self.quitting = true;
                // Two answers to one command would set the client at odds with all that follow.
                match self.client.retract() {
                    true => Ok(Err(Problem::exec(&error))),
                    false => Err(Failure::Io(std::io::Error::other(error))),
                }
            }
            Err(error) => {
                // Half a transaction is gone with its server: the client must not go on as if it were there.
                self.quitting |= error.fatal();
                Ok(Err(Problem::exec(&error)))
            }
        }
    }

    /// What the proxy knows of tables follows what was done to them.
    async fn after(&self, statement: &Statement, database: &Arc<Database>, asked: bool) {
        match &statement.body {
            Body::Ddl(ddl) if !ddl.temporary => {}
            // A question that would not have been needed with the table's structure.
            Body::Insert(_) if asked => {}
            _ => return,
        }
        let tables: Vec<String> = statement.tables.iter().map(|table| table.name.clone()).collect();
        if let Err(error) = self.shared.admin.learn(&database.name, &tables).await {
            tracing::warn!(%error, database = database.name, "cannot read the tables anew");
        }
    }

    /// Does what is the session's own to do.
    pub(crate) async fn perform(
        &mut self,
        template: &Rc<Template>,
        call: &Call<'_>,
        command: Command<'_, '_>,
        format: Format,
    ) -> Done {
        let statement = template.statement();
        if !matches!(&statement.body, Body::Select(_) | Body::Show(Show { what: ShowWhat::Warnings, .. })) {
            self.executor.next_statement();
        }
        let done = match &statement.body {
            Body::Set(assignments) => {
                // What is locked is the session's own connection's.
                let bound = !statement.tables.is_empty() || statement.pin.contains(sql::Pin::USER_LOCK);
                let set = self.set(assignments, bound, call.text, call.slots);
                match Box::pin(set).await {
                    Ok(true) => self.ok(),
                    Ok(false) => return self.route(template, call, command).await,
                    Err(problem) => Err(problem),
                }
            }
            Body::Transaction(transaction) => self.transact(transaction).await,
            Body::Use(name) => self.use_database(name).await,
            Body::Show(show) if show.what == ShowWhat::Warnings => {
                return Ok(self.show_conditions(call.text, format).await);
            }
            Body::Show(show) if show.what == ShowWhat::ProcessList => {
                return Ok(Box::pin(self.show_processes(show.full, format)).await);
            }
            Body::Show(_) if template.describes() => return self.describe(template, call, format).await,
            Body::Show(show) if self.server_shows(show) => {
                return Ok(Box::pin(self.show_catalog(show, call.raw, call.params)).await.map(|answered| {
                    self.put_rows(&answered.columns, &answered.rows, format);
                }));
            }
            Body::Show(show) => match self.show(show) {
                Ok(Some(table)) => {
                    self.put_table(&table, format);
                    Ok(())
                }
                Ok(None) => return self.route(template, call, command).await,
                Err(problem) => Err(problem),
            },
            Body::Ddl(ddl) => self.database_ddl(ddl).await,
            Body::Explain => return Ok(Box::pin(self.explain(call, format)).await),
            Body::Kill { query, id } => Box::pin(self.kill_by(*query, id.as_ref(), call)).await,
            // A comment alone is a statement that does nothing.
            Body::Empty if call.text.bytes().any(|byte| !matches!(byte, b';' | b' ' | b'\t'..=b'\r')) => {
                self.ok()
            }
            Body::Empty => Err(Problem::new(errno::EMPTY_QUERY, "Query was empty")),
            Body::Other(words) if words == "UNLOCK TABLES" => match Box::pin(self.executor.unlock()).await {
                Ok(()) => self.ok(),
                Err(error) => Err(Problem::exec(&error)),
            },
            Body::Other(words) if named::concerns(words) => {
                return Box::pin(self.named(call.text, call.raw)).await;
            }
            Body::Other(words) if words.starts_with("GET ") => {
                Err(Problem::unsupported("GET DIAGNOSTICS (use SHOW WARNINGS)"))
            }
            Body::Other(words) if words.ends_with(" LOCAL") && !self.client.sends_files() => {
                Err(Problem::new(
                    errno::LOCAL_FILES_DISABLED,
                    "Loading local data is disabled; this must be enabled on both the client and server sides",
                ))
            }
            Body::Select(_) if !statement.tables.is_empty() => {
                return Box::pin(self.catalog(call, format)).await;
            }
            Body::Select(_) => match self.facts(call.text).await {
                Some(facing) if facing.own || self.any_unit().is_none() => {
                    self.put_facts(&facing, format);
                    Ok(())
                }
                _ => return self.route(template, call, command).await,
            },
            _ => return self.route(template, call, command).await,
        };
        Ok(done)
    }

    async fn transact(&mut self, transaction: &Transaction) -> Result<(), Problem> {
        let done = match transaction {
            Transaction::Begin { read_only, snapshot } => {
                self.executor.begin(Begin { read_only: *read_only, snapshot: *snapshot }).await
            }
            Transaction::Commit { chain, release } => {
                self.quitting = *release;
                self.executor.commit(*chain).await
            }
            Transaction::Rollback { chain, release } => {
                self.quitting = *release;
                self.executor.rollback(*chain).await
            }
            Transaction::Savepoint(name) => {
                self.executor.savepoint(name);
                Ok(())
            }
            Transaction::RollbackTo(name) => self.executor.rollback_to(name).await,
            Transaction::Release(name) => self.executor.release_savepoint(name),
        };
        done.map_err(|error| Problem::exec(&error))?;
        if let Some(tally) = self.notes.tally() {
            match transaction {
                Transaction::Commit { .. } => tally.ended(true),
                Transaction::Rollback { .. } => tally.ended(false),
                _ => {}
            }
        }
        self.ok()
    }

    /// `CREATE DATABASE`, `DROP DATABASE`: of logical databases only.
    async fn database_ddl(&mut self, ddl: &Ddl) -> Result<(), Problem> {
        let name = ddl.database.as_deref().unwrap_or_default();
        match ddl.kind {
            DdlKind::CreateDatabase => {
                if !self.may_use(name) {
                    return Err(self.denied(name));
                }
                self.shared.admin.create_database(name, ddl.guarded).await?;
            }
            _ => {
                if self.local.snapshot().database(name).is_some() && !self.may_use(name) {
                    return Err(self.denied(name));
                }
                self.shared.admin.drop_database(name, ddl.guarded).await?;
                if self.schema.as_deref() == Some(name) {
                    self.set_schema(None);
                }
            }
        }
        self.ok()
    }

    async fn distsql(&mut self, statement: &distsql::Statement) -> Result<(), Problem> {
        if let distsql::Statement::Preview(sql) = statement {
            return self.preview(sql).await;
        }
        if let distsql::Statement::Hint(statement) = statement {
            return self.hint(statement);
        }
        if let distsql::Statement::Digest(digest) = statement {
            self.check_distsql(statement)?;
            return Box::pin(self.digests(digest)).await;
        }
        if self.executor.in_transaction() && !statement.is_query() {
            return Err(Problem::unsupported("Non-query DistSQL is not supported within a transaction"));
        }
        self.check_distsql(statement)?;
        match self.shared.admin.execute(self.schema.as_deref(), statement).await? {
            Answer::Ok => self.ok(),
            Answer::Rows(table) => {
                self.put_table(&table, Format::Text);
                Ok(())
            }
        }
    }

    /// What concerns one database is for whom that is permitted, all else for administrators.
    fn check_distsql(&self, statement: &distsql::Statement) -> Result<(), Problem> {
        use distsql::Statement as S;
        let all = match statement {
            // These also read and write files of the proxy, and hold passwords of servers.
            S::Audit(_) | S::Configuration(_) | S::Global(_) | S::Compute(_) => true,
            S::Variable(_) | S::Digest(_) => !statement.is_query(),
            _ => false,
        };
        // What exists may not be asked about by whom it is kept from.
        if let Some(name) = statement.database().or(self.schema.as_deref()).filter(|name| !self.may_use(name))
        {
            return Err(self.denied(name));
        }
        if all && !self.is_administrator() {
            return Err(Problem::needs_administrator());
        }
        Ok(())
    }

    /// `PREVIEW`: where a statement would go, and as which text.
    async fn preview(&mut self, text: &str) -> Result<(), Problem> {
        let fingerprint = self
            .local
            .fingerprinter
            .fingerprint(text, self.state.mode)
            .map_err(|error| Problem::syntax(&error, text))?;
        let Found::Template(template) = self.find(text, &fingerprint, Kept::Alike).await? else {
            return Err(Problem::unsupported("PREVIEW of DistSQL"));
        };
        let (generated, hints) = (self.generate(&template)?, Rc::clone(&self.state.hints));
        let call = Call {
            text,
            raw: text.as_bytes(),
            slots: &fingerprint.slots,
            params: None,
            generated: &generated,
            hints: HintValues(&hints),
            own_zone: self.state.settings.variable("time_zone").is_some(),
        };
        let rows = match template.action() {
            Action::Session => Vec::new(),
            Action::Route => {
                let plan = self.planned(&template, &call)?;
                let units = plan::explain(&plan, &template, &call);
                units.into_iter().map(|(unit, text)| vec![Some(unit), Some(text)]).collect()
            }
        };
        let columns = vec!["data_source_name".to_owned(), "actual_sql".to_owned()];
        self.put_table(&crate::answer::Table { columns, rows }, Format::Text);
        Ok(())
    }

    /// The answer to a `SELECT` of the session's own facts.
    pub(crate) async fn facts(&mut self, text: &str) -> Option<select::Facing> {
        let (mut warnings, mut errors) = (0, 0);
        if select::names(text, "found_rows") {
            self.executor.keep_conditions().await;
        }
        if select::names(text, "_count") {
            (warnings, errors) = self.executor.count_conditions().await;
        }
        let version = self.shared.version();
        let facts = Facts {
            connection: self.id,
            database: self.schema.as_deref(),
            user: &self.who.client,
            account: &self.who.account,
            version: &version,
            autocommit: self.state.autocommit,
            timeouts: (self.state.timeouts.wait, self.state.timeouts.interactive),
            max_packet: self.shared.max_packet(),
            figures: self.executor.figures(),
            warnings,
            errors,
        };
        select::answer(text, self.state.mode, facts)
    }

    pub(crate) fn put_facts(&mut self, facing: &select::Facing, format: Format) {
        self.executor.next_statement();
        let columns: Vec<_> = facing.facts.iter().map(|fact| fact.column.clone()).collect();
        let row = facing.facts.iter().map(|fact| fact.value.clone()).collect();
        let rows = if facing.empty { Vec::new() } else { vec![row] };
        self.put_rows(&columns, &rows, format);
    }
}

/// Whether the session may have to answer a statement itself.
#[inline]
pub(crate) fn is_own(template: &Template) -> bool {
    let statement = template.statement();
    match &statement.body {
        // Queries over tables of a database, the most there are, pay a comparison for those over `information_schema`.
        Body::Select(_) => statement.tables.is_empty() || template.action() == Action::Session,
        Body::Other(words) => {
            words.starts_with("GET ")
                || words.starts_with("LOAD ")
                || words == "UNLOCK TABLES"
                || named::concerns(words)
        }
        Body::Show(_) if template.describes() => true,
        _ => template.action() == Action::Session,
    }
}
