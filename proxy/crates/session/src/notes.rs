//! What is noted of a session's commands for whoever wants to know, and told when they are over.
//!
//! Nothing is noted while nobody wants anything: a command then costs one load. Otherwise facts are kept as they come
//! by, and written down as a record behind the answer; what they become is not decided here ([`observe`]).

use std::future::poll_fn;
use std::mem;
use std::rc::Rc;
use std::time::{Duration, Instant, SystemTime};

use exec::Outcome;
use observe::record::{self, Runs, Values};
use observe::{Class, Command, Event, Head, Party, Phases, Statement, Ticket, Trace, Wants};
use plan::Template;
use sql::Verb;
use wire::execute::Params;

use crate::class::distsql_class;
use crate::counting::Tally;
use crate::digests::Ran;
use crate::error::Problem;
use crate::local::Local;
use crate::sample::Incoming;
use crate::session::Session;
use crate::shown::{Said, put_parameter};
use crate::text::readable;
use crate::visits::error;

/// Of one session.
#[derive(Debug, Default)]
pub(crate) struct Notes {
    /// Of the current command; empty when nothing is noted.
    wants: Wants,
    /// What is counted of it. Boxed, as the note is.
    tally: Option<Box<Tally>>,
    /// Boxed, since most proxies log nothing; kept, since a session that had one will need it again.
    note: Option<Box<Note>>,
}

/// What is known of the current command.
#[derive(Debug)]
struct Note {
    began: Instant,
    command: Command,
    text: Text,
    text_length: u64,
    /// Of a text that is no prepared statement's.
    buffer: Vec<u8>,
    template: Option<Rc<Template>>,
    distsql: Option<(&'static str, Class)>,
    prepared: Option<u32>,
    parameters: Vec<u8>,
    runs: Vec<u8>,
    trace: Option<Trace>,
    parsed: Duration,
    planned: Duration,
    units: u16,
    rows: u64,
    affected: u64,
    insert_id: u64,
    warnings: u16,
    error: Option<(Problem, Party)>,
    received: u64,
    /// What had been sent to the client before.
    sent: u64,
}

/// Where the text is.
#[derive(Debug, Default)]
enum Text {
    #[default]
    None,
    /// In the buffer.
    Buffered,
    Prepared(Rc<[u8]>),
}

impl Default for Note {
    fn default() -> Self {
        Self {
            began: Instant::now(),
            command: Command::Other,
            text: Text::None,
            text_length: 0,
            buffer: Vec::new(),
            template: None,
            distsql: None,
            prepared: None,
            parameters: Vec::new(),
            runs: Vec::new(),
            trace: None,
            parsed: Duration::ZERO,
            planned: Duration::ZERO,
            units: 0,
            rows: 0,
            affected: 0,
            insert_id: 0,
            warnings: 0,
            error: None,
            received: 0,
            sent: 0,
        }
    }
}

impl Notes {
    /// Whether the current command is noted or counted.
    #[inline]
    pub(crate) const fn is_on(&self) -> bool {
        !self.wants.is_empty()
    }

    /// Whether more is kept of it than counts.
    #[inline]
    pub(crate) const fn is_noted(&self) -> bool {
        self.wants.noted()
    }

    /// What is counted of it, if that is wanted.
    #[inline]
    pub(crate) fn tally(&mut self) -> Option<&mut Tally> {
        if self.wants.contains(Wants::COUNTS) { self.tally.as_deref_mut() } else { None }
    }

    /// A text's template was in the cache, or was not.
    #[inline]
    pub(crate) fn looked_up(&self, hit: impl FnOnce() -> bool) {
        if self.wants.contains(Wants::COUNTS)
            && let Some(tally) = &self.tally
        {
            tally.looked_up(hit());
        }
    }

    #[inline]
    fn note(&mut self) -> Option<&mut Note> {
        if self.is_noted() { self.note.as_deref_mut() } else { None }
    }

    fn begin(&mut self, trace: Option<Trace>, received: usize, sent: u64) {
        let note = self.note.get_or_insert_default();
        let (buffer, parameters, runs) =
            (mem::take(&mut note.buffer), mem::take(&mut note.parameters), mem::take(&mut note.runs));
        **note = Note { buffer, parameters, runs, trace, received: received as u64, sent, ..Note::default() };
        note.buffer.clear();
        note.parameters.clear();
        note.runs.clear();
    }

    /// What kind of command it is.
    #[inline]
    pub(crate) fn is(&mut self, command: Command) {
        if let Some(tally) = self.tally() {
            tally.command = command;
        }
        if let Some(note) = self.note() {
            note.command = command;
        }
    }

    /// It is this text, as the client sent it.
    #[inline]
    pub(crate) fn says(&mut self, command: Command, raw: &[u8], limit: usize) {
        if !self.is_on() {
            return;
        }
        self.is(command);
        if let Some(note) = self.note() {
            note.buffer.clear();
            note.buffer.extend_from_slice(&raw[..raw.len().min(limit)]);
            (note.text, note.text_length) = (Text::Buffered, raw.len() as u64);
        }
    }

    /// It concerns this prepared statement.
    #[inline]
    pub(crate) fn concerns(&mut self, command: Command, statement: u32, raw: &Rc<[u8]>) {
        if !self.is_on() {
            return;
        }
        self.is(command);
        if let Some(note) = self.note() {
            note.prepared = Some(statement);
            (note.text, note.text_length) = (Text::Prepared(Rc::clone(raw)), raw.len() as u64);
        }
    }

    /// It is executed with these.
    #[inline]
    pub(crate) fn with(&mut self, params: &Params<'_>, limit: usize) {
        if self.wants.contains(Wants::PARAMETERS)
            && let Some(note) = self.note()
        {
            let hides = |at| note.template.as_ref().is_some_and(|template| template.hides(at));
            note.parameters.clear();
            let mut room = limit;
            (0..params.len())
                .for_each(|at| put_parameter(&mut note.parameters, params, at, hides(at), &mut room));
        }
    }

    /// Its template has been found.
    #[inline]
    pub(crate) fn found(&mut self, template: &Rc<Template>) {
        if !self.is_on() {
            return;
        }
        if let Some(tally) = self.tally() {
            tally.class = template.verb().class;
        }
        let phases = self.wants.contains(Wants::PHASES);
        if let Some(note) = self.note() {
            note.template = Some(Rc::clone(template));
            if phases {
                note.parsed = note.began.elapsed();
            }
        }
    }

    /// It is DistSQL that begins with these words.
    pub(crate) fn is_distsql(&mut self, title: &'static str) {
        if let Some(tally) = self.tally() {
            tally.class = distsql_class(title);
        }
        if let Some(note) = self.note() {
            note.distsql = Some((title, distsql_class(title)));
            note.parsed = note.began.elapsed();
        }
    }

    /// It goes to so many route units.
    #[inline]
    pub(crate) fn routed(&mut self, units: usize) {
        let phases = self.wants.contains(Wants::PHASES);
        if let Some(note) = self.note() {
            note.units = u16::try_from(units).unwrap_or(u16::MAX);
            if phases {
                note.planned = note.began.elapsed();
            }
        }
    }

    /// Servers have answered.
    #[inline]
    pub(crate) fn came_to(&mut self, outcome: &Outcome) {
        if !self.is_on() {
            return;
        }
        if let Some(tally) = self.tally() {
            (tally.rows, tally.affected) = (outcome.rows, outcome.affected);
            tally.error = outcome.error.map(|code| (Party::Server, code));
        }
        if let Some(note) = self.note() {
            (note.rows, note.affected) = (outcome.rows, outcome.affected);
            (note.insert_id, note.warnings) = (outcome.insert_id, outcome.warnings);
            if let Some(code) = outcome.error {
                let problem = Problem { code, state: "HY000".into(), message: String::new() };
                note.error = Some((problem, Party::Server));
            }
        }
    }

    /// The session has answered with so many rows of its own.
    #[inline]
    pub(crate) fn showed(&mut self, rows: usize) {
        if let Some(tally) = self.tally() {
            tally.rows = rows as u64;
        }
        if let Some(note) = self.note() {
            note.rows = rows as u64;
        }
    }

    /// It has failed.
    #[inline]
    pub(crate) fn failed(&mut self, problem: &Problem) {
        if let Some(tally) = self.tally() {
            tally.error = Some((problem.party(), problem.code));
        }
        if let Some(note) = self.note() {
            note.error = Some((problem.clone(), problem.party()));
        }
    }

    /// It is not to be told, or not so.
    pub(crate) fn forget(&mut self) {
        if let Some(tally) = self.tally() {
            tally.forgotten();
        }
        self.wants = Wants::empty();
    }

    /// Gives back what the buffers of a client that is idle hold room for.
    pub(crate) fn rest(&mut self) {
        self.note = None;
    }
}

impl Session {
    /// A command has come.
    #[inline]
    pub(crate) fn note_command(&mut self, payload: &[u8]) {
        let (mut wants, mut trace) = (self.local.outlet.hub().wants(), None);
        if wants.contains(Wants::TRACES) {
            (wants, trace) = self.sample(wants, Incoming::Command(payload));
        }
        self.note(wants, trace, payload.len(), true);
    }

    #[inline]
    fn note(&mut self, wants: Wants, trace: Option<Trace>, received: usize, fresh: bool) {
        if wants.timed() {
            self.begin_notes(wants, trace, received);
            if fresh && let Some(tally) = self.notes.tally() {
                tally.received(received);
            }
        } else if self.notes.is_on() {
            self.notes.wants = Wants::empty();
            self.executor.keep_trail(Wants::empty());
        }
    }

    fn begin_notes(&mut self, wants: Wants, trace: Option<Trace>, received: usize) {
        self.notes.wants = wants;
        let sent = self.client.sent();
        if wants.contains(Wants::COUNTS) {
            let tally = &mut self.notes.tally;
            tally.get_or_insert_with(|| Box::new(Tally::new(&self.local.counter))).begin(sent);
        }
        if wants.noted() {
            self.notes.begin(trace, received, sent);
        }
        self.executor.keep_trail(wants);
    }

    /// The current command is this text.
    #[inline]
    pub(crate) fn note_text(&mut self, command: Command, raw: &[u8]) {
        if self.notes.is_on() {
            let limit = self.local.outlet.hub().text_limit();
            self.notes.says(command, raw, limit);
        }
    }

    /// The current command concerns this prepared statement.
    #[inline]
    pub(crate) fn note_statement(&mut self, command: Command, id: u32) {
        if self.notes.is_on()
            && let Some(prepared) = self.statements.get_mut(id)
        {
            let (raw, template) = (Rc::clone(&prepared.raw), Rc::clone(&prepared.template));
            self.notes.concerns(command, id, &raw);
            self.notes.found(&template);
        }
    }

    /// The answer has been written and not been sent: what is in it is noted. Gives whether it is to be held back until
    /// its record has been written ([`Self::confirm`]).
    #[inline]
    pub(crate) fn ends_told(&mut self) -> bool {
        self.note_server_error();
        self.notes.wants.contains(Wants::CONFIRMED)
    }

    /// Tells the command, and waits until its record has been written.
    pub(crate) async fn confirm(&mut self) {
        if let Some(ticket) = self.tell() {
            poll_fn(|cx| self.local.outlet.poll_confirmed(ticket, cx)).await;
        }
    }

    /// The answer has been sent. Gives whether as much is under way as may be.
    pub(crate) fn tell_rest(&mut self) -> bool {
        let noted = self.notes.is_noted();
        if self.notes.is_on() {
            self.tell();
        }
        noted && self.local.outlet.is_full()
    }

    /// Waits until what is told can be taken again.
    pub(crate) async fn wait_for_room(&self) {
        poll_fn(|cx| self.local.outlet.poll_room(cx)).await;
    }

    /// One of several statements of a text is over, and the next begins.
    #[cold]
    pub(crate) fn tell_one(&mut self, rest: &[u8]) {
        self.note_server_error();
        self.tell();
        let (mut wants, mut trace) = (self.local.outlet.hub().wants(), None);
        if wants.contains(Wants::TRACES) {
            (wants, trace) = self.sample(wants, Incoming::Text(rest));
        }
        self.note(wants, trace, rest.len(), false);
    }

    /// What a server has said is in the answer.
    fn note_server_error(&mut self) {
        if let Some((problem, Party::Server)) =
            self.notes.note.as_deref_mut().and_then(|note| note.error.as_mut())
            && let Some(told) = self.client.last_error()
        {
            *problem = told;
        }
    }

    /// The session breaks off in the midst of a command.
    #[cold]
    pub(crate) fn tell_broken(&mut self, problem: &Problem) {
        if self.notes.is_on() {
            self.notes.failed(problem);
            self.tell();
        }
    }

    /// The command is over: what is known of it is told, if anybody wants it.
    fn tell(&mut self) -> Option<Ticket> {
        let sent = self.client.sent();
        if let Some(tally) = self.notes.tally() {
            tally.end(sent);
        }
        let wants = mem::take(&mut self.notes.wants);
        if !wants.noted() {
            return None;
        }
        let mut note = self.notes.note.take()?;
        let elapsed = note.began.elapsed();
        if wants.contains(Wants::DIGESTS)
            && let Some(template) = &note.template
        {
            self.local.digests.count(template, &note.ran(self.local.clock.at(note.began), elapsed));
        }
        let told = if self.is_wanted(wants, elapsed) { self.record(&mut note, elapsed) } else { None };
        note.template = None;
        note.text = Text::None;
        self.notes.note = Some(note);
        told
    }

    fn is_wanted(&self, wants: Wants, elapsed: Duration) -> bool {
        // The last one is left to those that are sampled.
        wants.intersects(Wants::STATEMENTS.union(Wants::TRACES))
            || wants.contains(Wants::SLOW) && elapsed >= self.local.outlet.hub().slow()
    }

    fn record(&self, note: &mut Note, elapsed: Duration) -> Option<Ticket> {
        let limit = self.local.outlet.hub().text_limit();
        let (verb, class) = self.verb(note);
        self.note_runs(note, class, elapsed);
        let raw = match &note.text {
            Text::None => &[][..],
            Text::Buffered => &note.buffer,
            Text::Prepared(raw) => &raw[..raw.len().min(limit)],
        };
        let refused = note.error.is_some() && note.template.is_none() && note.distsql.is_none();
        let said = Said { raw, class, template: note.template.as_deref(), refused };
        let shown = self.shown(&said);
        let mut head = self.head(note, elapsed);
        if let (Some(error), true) = (&mut head.error, shown.is_masked()) {
            error.message = shown.message(error);
        }
        let trail = self.executor.trail();
        let since = |moment: Option<Instant>| {
            moment.map_or(Duration::ZERO, |moment| moment.saturating_duration_since(note.began))
        };
        let statement = Statement {
            head,
            command: note.command,
            class,
            target: self.target(note),
            verb,
            text: &shown.text,
            // As much longer as the text itself was.
            text_length: shown.text.len() as u64 + note.text_length.saturating_sub(raw.len() as u64),
            masked: shown.is_masked(),
            prepared: note.prepared,
            parameters: Values::new(&note.parameters),
            digest: note.template.as_ref().map_or(0, |template| template.digest().id),
            rows_sent: note.rows,
            rows_affected: note.affected,
            insert_id: note.insert_id,
            warnings: note.warnings,
            connections: trail.map_or(0, |trail| u16::try_from(trail.connections).unwrap_or(u16::MAX)),
            bytes_received: note.received,
            bytes_sent: self.client.sent().saturating_sub(note.sent),
            route_units: note.units,
            in_transaction: self.executor.in_transaction(),
            phases: Phases {
                parsed: note.parsed,
                planned: note.planned,
                leased: since(trail.and_then(|trail| trail.leased)),
                answered: since(trail.and_then(|trail| trail.answered.get())),
            },
            runs: Runs::new(&note.runs),
            trace: note.trace,
        };
        self.local.outlet.put(Event::Statement(statement))
    }

    fn head<'a>(&'a self, note: &'a Note, elapsed: Duration) -> Head<'a> {
        let error = note.error.as_ref().map(|(problem, party)| error(problem, *party));
        Head {
            record: (0, 0),
            session: self.id,
            user: &self.who.user,
            client: &self.who.address,
            database: self.schema.as_deref().unwrap_or_default(),
            at: self.local.clock.at(note.began),
            elapsed,
            error,
        }
    }

    /// What kind of statement it is. One that was not planned is known by its first words.
    fn verb(&self, note: &Note) -> (&'static str, Class) {
        if let Some(distsql) = note.distsql {
            return distsql;
        }
        let verb = match (&note.template, &note.text) {
            (Some(template), _) => template.verb(),
            (None, Text::Buffered) if matches!(note.command, Command::Query | Command::Prepare) => {
                Verb::of(&readable(&note.buffer, self.state.encoding, self.state.mode), self.state.mode)
            }
            (None, _) => return ("", Class::Unknown),
        };
        (verb.name, verb.class)
    }

    /// The database that a statement is about, if it is not the current one.
    fn target<'a>(&self, note: &'a Note) -> &'a str {
        let database = note.template.as_ref().and_then(|template| template.database());
        let name = database.map_or("", |database| database.name.as_str());
        if self.schema.as_deref() == Some(name) { "" } else { name }
    }

    fn note_runs(&self, note: &mut Note, class: Class, elapsed: Duration) {
        let Some(trail) = self.executor.trail() else { return };
        let limit = self.local.outlet.hub().text_limit();
        let told = note.error.as_ref().map_or(0, |(problem, _)| problem.code);
        for run in &trail.runs {
            let started = run.started.saturating_duration_since(note.began);
            let ended = run.ended.map_or(elapsed, |ended| ended.saturating_duration_since(note.began));
            let run = observe::Run {
                unit: &run.unit.name,
                host: &run.unit.spec.host,
                port: run.unit.spec.port,
                started,
                ended,
                text: &self.shown_physical(&run.text[..run.text.len().min(limit)], class),
                error: run.error.unwrap_or(if run.lost { told } else { 0 }),
            };
            record::put_run(&mut note.runs, &run);
        }
    }
}

impl Note {
    fn ran(&self, at: SystemTime, elapsed: Duration) -> Ran {
        Ran {
            at,
            elapsed,
            failed: self.error.is_some(),
            warnings: self.warnings,
            rows_sent: self.rows,
            rows_affected: self.affected,
        }
    }
}

/// Hands over what a worker's sessions have told, a moment after the first of it; ends with the worker.
pub(crate) async fn hand_over(local: Rc<Local>) {
    loop {
        poll_fn(|cx| local.outlet.poll_stirred(cx)).await;
        tokio::time::sleep(MOMENT).await;
        local.outlet.hand_over();
    }
}

/// How long a record waits at most for others to go with it.
const MOMENT: Duration = Duration::from_millis(50);
