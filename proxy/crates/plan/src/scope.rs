//! Pass *locate*, first half: which database a statement is about and what each table in it is.

use std::borrow::Cow;
use std::sync::Arc;

use meta::{Database, SYSTEM_DATABASES, ShardedTable, Snapshot, SourceIndex, TableColumn};
use smallvec::SmallVec;
use sql::{Body, Column, DdlKind, Insert, InsertSource, Mode, Place, ShowWhat, Slot, Span, Statement};

use crate::error::{Error, Refused};
use crate::key::Domain;
use crate::text::{Edits, Op, put_name};

/// What a table is.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Home {
    /// On every visible source.
    Broadcast,
    /// In a schema that is no logical database (`information_schema` …).
    Foreign,
    /// Under a sharding rule: its number there.
    Sharded(u16),
    /// Without a rule, on this source.
    Single(SourceIndex),
    /// Nobody knows.
    Unknown,
}

/// The database and the tables of one statement; tables in the order of [`Statement::tables`].
pub(crate) struct Scope<'a> {
    pub(crate) database: &'a Arc<Database>,
    pub(crate) statement: &'a Statement,
    pub(crate) text: &'a str,
    pub(crate) slots: &'a [Slot],
    pub(crate) mode: Mode,
    pub(crate) homes: SmallVec<[Home; 4]>,
}

/// Where a sharded table's nodes are, and how its keys are read.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    /// Its number in the rule.
    pub(crate) rule: u16,
    /// Each node's source.
    pub(crate) sources: Box<[SourceIndex]>,
    /// Of the columns of its strategies, one after the other.
    pub(crate) domains: SmallVec<[Domain; 2]>,
}

/// The schema that the statement names for its tables, with `SHOW … FROM t FROM db` too.
fn named_schema<'a>(statement: &'a Statement, table: &'a sql::TableRef) -> Option<&'a str> {
    match (&table.schema, &statement.body) {
        (Some(schema), _) => Some(schema),
        (None, Body::Show(show)) => show.schema.as_deref(),
        _ => None,
    }
}

/// The database that a statement is about.
pub(crate) fn database<'a>(
    statement: &Statement,
    snapshot: &'a Snapshot,
    schema: Option<&str>,
) -> Result<&'a Arc<Database>, Error> {
    let mut found: Option<&Arc<Database>> = None;
    let mut foreign = false;
    for table in &statement.tables {
        let database = match named_schema(statement, table) {
            Some(named) => match snapshot.database(named) {
                Some(database) => database,
                None if is_secret(snapshot, named, is_guess(statement) || has_body(statement)) => {
                    return Err(Error::UnknownDatabase(named.to_owned()));
                }
                None => {
                    foreign = true;
                    continue;
                }
            },
            // Only a name that may be a table.
            None if is_guess(statement) => continue,
            None => current(snapshot, schema)?,
        };
        match found {
            Some(known) if !Arc::ptr_eq(known, database) => {
                return Err(Error::Databases(vec![known.name.clone(), database.name.clone()]));
            }
            _ => found = Some(database),
        }
    }
    if let (None, Body::Show(show)) = (found, &statement.body) {
        found = show.schema.as_ref().and_then(|schema| snapshot.database(schema));
    }
    match (found, schema) {
        (Some(database), _) => Ok(database),
        (None, Some(_)) => current(snapshot, schema),
        // Nothing ties the statement to a database: any server can answer it. Without one, to name a database that the
        // client did not would only mislead.
        (None, None) if foreign || is_free(statement) => {
            let any = snapshot.databases.values().find(|database| !database.units.is_empty());
            any.ok_or(Error::NoDatabase)
        }
        (None, None) if is_for_server(statement) => only(snapshot).ok_or(Error::NoDatabase),
        (None, None) => Err(Error::NoDatabase),
    }
}

/// Whether clients see no such schema, though servers may have one: the tables behind those that have rules, or what
/// belongs to others. What is only guessed to be a schema is none but where a unit is called so.
fn is_secret(snapshot: &Snapshot, schema: &str, guessed: bool) -> bool {
    let mut units = snapshot.databases.values().flat_map(|database| database.units.values());
    let is_system = || SYSTEM_DATABASES.iter().any(|system| system.eq_ignore_ascii_case(schema));
    if guessed {
        units.any(|unit| unit.spec.database.eq_ignore_ascii_case(schema)) && !is_system()
    } else {
        !is_system()
    }
}

/// The database with the only unit there is.
fn only(snapshot: &Snapshot) -> Option<&Arc<Database>> {
    let mut databases = snapshot.databases.values().filter(|database| !database.units.is_empty());
    let first = databases.next().filter(|database| database.sources.only().is_some())?;
    databases.next().is_none().then_some(first)
}

/// Whether a statement is about a server, of which there may be but one.
fn is_for_server(statement: &Statement) -> bool {
    let flush = matches!(&statement.body, Body::Other(words) if words.starts_with("FLUSH "));
    flush && statement.tables.is_empty()
}

fn current<'a>(snapshot: &'a Snapshot, schema: Option<&str>) -> Result<&'a Arc<Database>, Error> {
    let name = schema.ok_or(Error::NoDatabase)?;
    snapshot.database(name).ok_or_else(|| Error::UnknownDatabase(name.to_owned()))
}

/// Whether a statement without a table means the same on every server.
fn is_free(statement: &Statement) -> bool {
    match &statement.body {
        Body::Do | Body::Explain | Body::Select(_) => statement.tables.is_empty(),
        // `mysqldump` flushes before it chooses its database; what locks is about one server.
        Body::Other(words) if words == "FLUSH TABLES" => {
            statement.tables.is_empty() && statement.pin.is_empty()
        }
        Body::Other(words) => words == "UNLOCK TABLES",
        Body::Show(show) => show.what == ShowWhat::Other,
        _ => false,
    }
}

/// Whether a statement may hold the body of a trigger or routine, in which `NEW.x` names no schema.
fn has_body(statement: &Statement) -> bool {
    matches!(&statement.body, Body::Ddl(ddl) if ddl.kind == DdlKind::Other)
}

/// Whether the names found in a statement only may be those of tables.
fn is_guess(statement: &Statement) -> bool {
    statement.unparsed.is_some()
        || matches!(&statement.body, Body::Show(show) if show.what == ShowWhat::Other)
}

impl<'a> Scope<'a> {
    pub(crate) fn new(
        database: &'a Arc<Database>,
        statement: &'a Statement,
        text: &'a str,
        slots: &'a [Slot],
        mode: Mode,
    ) -> Self {
        let homes = statement.tables.iter().map(|table| home(database, statement, table)).collect();
        Self { database, statement, text, slots, mode, homes }
    }

    /// Numbers of the mentions of sharded tables, with their numbers in the rule.
    pub(crate) fn sharded(&self) -> impl Iterator<Item = (usize, u16)> + '_ {
        self.homes.iter().enumerate().filter_map(|(mention, home)| match home {
            Home::Sharded(rule) => Some((mention, *rule)),
            _ => None,
        })
    }

    /// The rule of a sharded table.
    pub(crate) fn rule(&self, rule: u16) -> Option<&'a ShardedTable> {
        self.database.sharding.tables.get_index(usize::from(rule)).map(|(_, table)| table)
    }

    /// A sharded table's name.
    pub(crate) fn name(&self, rule: u16) -> String {
        self.rule(rule).map(|table| table.spec.name.clone()).unwrap_or_default()
    }

    /// A sharded table's nodes.
    pub(crate) fn layout(&self, rule: u16) -> Result<Layout, Error> {
        let table = self.rule(rule).ok_or_else(|| Error::UnknownDatabase(self.database.name.clone()))?;
        let source = |name: &String| {
            self.database
                .sources
                .index(name)
                .ok_or_else(|| Error::RuleUnit { table: table.spec.name.clone(), unit: name.clone() })
        };
        let sources = table.nodes.iter().map(|node| source(&node.unit)).collect::<Result<_, _>>()?;
        let columns = columns(self.database, &table.spec.name);
        let domain =
            |name: &String| Domain::of(columns.iter().find(|column| column.name.eq_ignore_ascii_case(name)));
        let domains = table.strategies.iter().flat_map(|strategy| &strategy.columns).map(domain).collect();
        Ok(Layout { rule, sources, domains })
    }

    /// The refusal of something over several nodes.
    pub(crate) fn many(&self, rule: u16, what: Refused) -> Error {
        let column = self.rule(rule).map(|table| table.column().to_owned()).unwrap_or_default();
        Error::Many { what, table: self.name(rule), column }
    }

    /// The source of everything that is not sharded; `None` when no table says which.
    pub(crate) fn source(&self) -> Result<Option<SourceIndex>, Error> {
        let mut found = None;
        for home in &self.homes {
            let Home::Single(source) = home else { continue };
            if found.is_some_and(|known| known != *source) {
                let names = self.statement.tables.iter().map(|table| table.name.clone()).collect();
                return Err(Error::DifferentUnits(names));
            }
            found = Some(*source);
        }
        Ok(found)
    }

    /// Whether a column is this one of this mention's table.
    pub(crate) fn is_column(&self, mention: usize, name: &str, column: &Column) -> bool {
        if !column.name.eq_ignore_ascii_case(name) {
            return false;
        }
        let tables = &self.statement.tables;
        let named = |table: &sql::TableRef| table.alias.as_ref().unwrap_or(&table.name).clone();
        let Some(table) = tables.get(mention).filter(|_| self.in_reach(mention)) else { return false };
        let outer = || tables.iter().enumerate().filter(|(other, _)| self.in_reach(*other));
        match &column.owner {
            Some(owner) => {
                let exact = outer().any(|(_, table)| named(table) == *owner);
                let alike = |table: &sql::TableRef| {
                    if exact { named(table) == *owner } else { named(table).eq_ignore_ascii_case(owner) }
                };
                alike(table)
            }
            None => {
                !table.nested && outer().all(|(other, table)| other == mention || self.lacks(table, name))
            }
        }
    }

    /// Whether the statement reads or sets state that one server connection keeps.
    pub(crate) fn reads_state(&self) -> bool {
        let variable = |token: &sql::lexer::Token| token.kind == sql::lexer::TokenKind::UserVariable;
        let tokens = || sql::lexer::tokens(self.text, self.mode);
        !self.statement.pin.is_empty()
            || self.has_at_sign() && tokens().map_or(true, |tokens| tokens.iter().any(variable))
    }

    /// Whether an `@` stands outside of values.
    fn has_at_sign(&self) -> bool {
        let mut at = 0;
        let mut gaps = self
            .slots
            .iter()
            .map(|slot| (slot.start as usize, slot.end as usize))
            .chain([(self.text.len(), 0)]);
        gaps.any(|(start, end)| {
            let gap = self.text.get(at..start).unwrap_or_default();
            at = end;
            gap.contains('@')
        })
    }

    /// Whether the condition speaks about a mention: those in the statement's own `FROM`, or in that of the query of
    /// an `INSERT` when nothing is nested in it.
    pub(crate) fn in_reach(&self, mention: usize) -> bool {
        let nested = self.statement.tables.get(mention).is_none_or(|table| table.nested);
        match &self.statement.body {
            Body::Insert(Insert { table, source: InsertSource::Query(select), .. }) => {
                let traits = select.traits;
                mention != usize::from(*table)
                    && !(traits.cte || traits.derived || traits.set_operation || traits.subquery)
            }
            _ => !nested,
        }
    }

    /// Whether a table is known not to have a column.
    fn lacks(&self, table: &sql::TableRef, name: &str) -> bool {
        let known = columns(self.database, &table.name);
        !known.is_empty() && known.iter().all(|column| !column.name.eq_ignore_ascii_case(name))
    }

    /// Pass *edit*, first half: the names of tables.
    pub(crate) fn names(&self, edits: &mut Edits) {
        let statement = self.statement;
        let mut op_of = |home: Home, span: Span, table: &sql::TableRef| match home {
            Home::Sharded(rule) => {
                let quoted = span.text(self.text, self.slots).ends_with(['`', '"']);
                edits.name(span, Op::Table { rule, quoted });
            }
            Home::Broadcast | Home::Single(_) | Home::Unknown => {
                if self.is_called_otherwise()
                    && named_schema(statement, table) == Some(self.database.name.as_str())
                {
                    let mut behind = vec![b'.'];
                    put_name(&table.name, true, &mut behind);
                    edits.name(span, Op::Schema(String::from_utf8_lossy(&behind).into()));
                }
            }
            Home::Foreign => {
                // It was put into the schema that is current, which no unit's connections are in.
                let named = matches!(&statement.body, Body::Show(show) if show.schema.is_some());
                if let Some(schema) = &table.schema
                    && !named
                    && !span.text(self.text, self.slots).contains('.')
                {
                    let mut name = Vec::new();
                    put_name(schema, true, &mut name);
                    name.push(b'.');
                    put_name(&table.name, true, &mut name);
                    edits.name(span, Op::Literal(String::from_utf8_lossy(&name).into()));
                }
            }
        };
        for (home, table) in self.homes.iter().zip(&statement.tables) {
            op_of(*home, table.span, table);
        }
        for owner in &statement.owners {
            let mention = usize::from(owner.table);
            let (Some(home), Some(table)) = (self.homes.get(mention), statement.tables.get(mention)) else {
                continue;
            };
            let qualified = owner.span.text(self.text, self.slots).contains('.');
            if matches!(home, Home::Sharded(_)) || qualified {
                op_of(*home, owner.span, table);
            }
        }
        if let Body::Show(show) = &statement.body {
            self.show_schema(show.what, edits);
        }
    }

    /// Whether the database has another name on some unit.
    pub(crate) fn is_called_otherwise(&self) -> bool {
        self.database.units.values().any(|unit| unit.spec.database != self.database.name)
    }

    /// `FROM t FROM db` of a `SHOW`: where a table stands before it the table's new name says it already.
    fn show_schema(&self, what: ShowWhat, edits: &mut Edits) {
        let with_table = matches!(what, ShowWhat::Columns | ShowWhat::Index);
        if !with_table || self.homes.first() == Some(&Home::Foreign) {
            return;
        }
        let Ok(tokens) = sql::lexer::tokens(self.text, self.mode) else { return };
        let place = |offset: u32| Place::at(offset, self.slots);
        let logical = |token: &sql::lexer::Token| {
            token.name(self.text).is_some_and(|name| name == self.database.name.as_str())
        };
        let froms = tokens.iter().enumerate().filter(|(_, token)| token.is_any(self.text, &["FROM", "IN"]));
        for (number, from) in froms.skip(1) {
            let Some(schema) = tokens.get(number + 1).filter(|token| logical(token)) else { continue };
            edits.replace(Span { start: place(from.start), end: place(schema.end) }, Vec::new());
        }
    }
}

/// The columns of a table that clients know; none while nobody has asked the server.
pub(crate) fn columns<'a>(database: &'a Database, table: &str) -> Cow<'a, [TableColumn]> {
    match (database.table(table), database.encrypt.table(table)) {
        (Some(known), Some(rule)) => Cow::Owned(rule.logical_columns(&known.columns)),
        (Some(known), None) => Cow::Borrowed(&known.columns),
        (None, _) => Cow::Borrowed(&[]),
    }
}

fn home(database: &Database, statement: &Statement, table: &sql::TableRef) -> Home {
    if named_schema(statement, table).is_some_and(|schema| schema != database.name) {
        return Home::Foreign;
    }
    if let Some(rule) = database.sharding.tables.get_index_of(table.name.to_ascii_lowercase().as_str())
        && let Ok(rule) = u16::try_from(rule)
    {
        return Home::Sharded(rule);
    }
    if database.broadcast.covers(&table.name) {
        return Home::Broadcast;
    }
    let source = database.table(&table.name).and_then(|known| known.source.as_ref());
    source.and_then(|source| database.sources.index(source)).map_or(Home::Unknown, Home::Single)
}
