//! Pass *locate*, second half: what a template knows about where its statement goes before values are known.

use meta::SourceIndex;
use smallvec::SmallVec;
use sql::{BlockIndex, Body, DdlKind, Scalar, Select, ShowWhat};

use crate::condition::Keyed;
use crate::distribute::{self, Nodes};
use crate::error::{Error, Refused};
use crate::plan::Merge;
use crate::scope::{Home, Layout, Scope};
use crate::write::{RowRoute, inserted, modified};

/// Where a statement goes.
#[derive(Clone, Debug)]
pub(crate) enum Route {
    /// To each data node of one table, and what becomes of their answers.
    Every(Layout, Merge),
    /// To the first data node of one table.
    First(Layout),
    /// Rows of an `INSERT`, each where its key says.
    Rows(RowRoute),
    /// The session does it.
    Session,
    /// To one source.
    Source(SourceIndex),
    /// The same to several sources, and what becomes of their answers.
    Sources(Box<[SourceIndex]>, Merge),
    /// Where a condition says.
    Where(WhereRoute),
}

/// A condition.
#[derive(Clone, Debug)]
pub(crate) struct WhereRoute {
    /// Of every sharded table in it: they are laid out alike.
    pub(crate) layout: Layout,
    /// For each mention of one, and each derived table that shows its keys, what is known of the rows.
    pub(crate) relations: SmallVec<[Mentioned; 1]>,
    /// For each class of relations another one: only rows matter that are on its nodes.
    pub(crate) within: Vec<Option<usize>>,
    /// Where the rows of the result are when it goes to several nodes.
    pub(crate) nodes: Nodes,
    /// Where all other tables are.
    pub(crate) source: Option<SourceIndex>,
    /// What keeps it from going to several nodes.
    pub(crate) alone: Result<(), Error>,
    /// Equal rows of several nodes are one.
    pub(crate) united: bool,
    /// Each group of `GROUP BY` is on one node.
    pub(crate) grouped: bool,
    /// What is to be checked once the node is known.
    pub(crate) verb: Verb,
}

/// What is known of one mention of a sharded table.
#[derive(Clone, Debug)]
pub(crate) struct Mentioned {
    /// The table's number in the rule.
    pub(crate) rule: u16,
    /// For each strategy the conditions on its columns.
    pub(crate) strategies: SmallVec<[SmallVec<[Keyed; 1]>; 1]>,
    /// Those of one class have equal keys in every row of the result.
    pub(crate) class: usize,
    /// The query block that it is in.
    pub(crate) block: BlockIndex,
    /// Without a row of it the block has none.
    pub(crate) core: bool,
    /// It is a derived table.
    pub(crate) derived: bool,
}

/// Kinds of statement with a condition.
#[derive(Clone, Debug)]
pub(crate) enum Verb {
    /// `UPDATE`, `DELETE`; with the values to which sharding columns are set, by the numbers of their strategies and
    /// of the columns in those.
    Modify { keys: SmallVec<[(usize, usize, Scalar); 1]> },
    /// `SELECT`, and the sources of `INSERT … SELECT`.
    Select,
}

/// Whether the session does a statement by itself.
pub(crate) fn is_session(body: &Body) -> bool {
    match body {
        Body::Empty | Body::Kill { .. } | Body::Set(_) | Body::Transaction(_) | Body::Use(_) => true,
        Body::Ddl(ddl) => matches!(ddl.kind, DdlKind::CreateDatabase | DdlKind::DropDatabase),
        Body::Other(words) => {
            matches!(words.as_str(), "DEALLOCATE" | "DROP PREPARE" | "EXECUTE" | "PREPARE")
        }
        Body::Show(show) => {
            show.what.is_of_catalog()
                || matches!(show.what, ShowWhat::Gtid | ShowWhat::ProcessList | ShowWhat::Warnings)
        }
        _ => false,
    }
}

/// Where a statement goes.
pub(crate) fn route(scope: &Scope<'_>) -> Result<Route, Error> {
    if let Some(route) = crate::catalog::route(scope)? {
        return Ok(route);
    }
    if scope.database.units.is_empty() {
        return Err(Error::NoUnit(scope.database.name.clone()));
    }
    if let Some(table) = unloaded(scope) {
        return Err(Error::NoTable { database: scope.database.name.clone(), table });
    }
    let sharded = scope.sharded().next();
    if let Some(name) = scope.statement.hints.data_source_name() {
        if let Some((_, rule)) = sharded {
            let what = Refused::Other("the hint DATA_SOURCE_NAME".to_owned());
            return Err(Error::Sharded { what, table: scope.name(rule) });
        }
        let source = scope.database.sources.index(name);
        return source.map(Route::Source).ok_or_else(|| Error::HintedSource(name.to_owned()));
    }
    if let Body::Ddl(ddl) = &scope.statement.body
        && let Some(route) = crate::ddl::listed(scope, ddl)?
    {
        return Ok(route);
    }
    let Some((_, rule)) = sharded else { return whole(scope) };
    if let Some(error) = &scope.statement.unparsed {
        return Err(error.clone().into());
    }
    let refuse = |what| Err(Error::Sharded { what, table: scope.name(rule) });
    match &scope.statement.body {
        Body::Select(select) => conditional(scope, rule, select_alone(scope, rule, select), Verb::Select),
        Body::Update(modify) => modified(scope, rule, modify, "UPDATE"),
        Body::Delete(modify) => modified(scope, rule, modify, "DELETE"),
        Body::Insert(insert) => inserted(scope, rule, insert),
        Body::Ddl(ddl) => crate::ddl::route(scope, rule, ddl),
        Body::Show(show) => match show.what {
            ShowWhat::Columns | ShowWhat::CreateTable | ShowWhat::Index => {
                Ok(Route::First(scope.layout(rule)?))
            }
            _ => refuse(Refused::Show("SHOW")),
        },
        // The session asks the nodes that the statement in it would go to.
        Body::Explain => Ok(Route::Session),
        Body::Call => refuse(Refused::Call),
        Body::Other(words) => refuse(Refused::Other(words.clone())),
        Body::Do => refuse(Refused::Subquery),
        Body::Empty | Body::Kill { .. } | Body::Set(_) | Body::Transaction(_) | Body::Use(_) => {
            Ok(Route::Session)
        }
    }
}

/// A table that is there and was unloaded; one that is to be created may be called so.
fn unloaded(scope: &Scope<'_>) -> Option<String> {
    let created = match &scope.statement.body {
        Body::Ddl(ddl) => matches!(ddl.kind, DdlKind::CreateTable | DdlKind::CreateTableFrom),
        _ => false,
    };
    let tables = scope.homes.iter().zip(&scope.statement.tables).skip(usize::from(created));
    let mut unknown = tables.filter(|(home, _)| **home == Home::Unknown).map(|(_, table)| &table.name);
    unknown.find(|name| scope.database.is_unloaded(name)).cloned()
}

fn shows_open_tables(scope: &Scope<'_>) -> bool {
    let other = matches!(&scope.statement.body, Body::Show(show) if show.what == ShowWhat::Other);
    let words = || sql::lexer::Lexer::new(scope.text, scope.mode).filter_map(Result::ok);
    let words = || words().filter(|token| token.kind == sql::lexer::TokenKind::Word);
    other && words().zip(["SHOW", "OPEN", "TABLES"]).all(|(word, known)| word.is(scope.text, known))
}

/// `EXPLAIN … FOR CONNECTION n`
fn explains_connection(scope: &Scope<'_>) -> bool {
    let Ok(tokens) = sql::lexer::tokens(scope.text, scope.mode) else { return false };
    let pair =
        |pair: &[sql::lexer::Token]| pair[0].is(scope.text, "FOR") && pair[1].is(scope.text, "CONNECTION");
    scope.statement.tables.is_empty() && tokens.windows(2).any(pair)
}

/// A statement without a sharded table.
fn whole(scope: &Scope<'_>) -> Result<Route, Error> {
    if scope.statement.body == Body::Explain && explains_connection(scope) {
        return Err(Error::ExplainConnection);
    }
    if let Some(only) = scope.database.sources.only() {
        return Ok(Route::Source(only));
    }
    if shows_open_tables(scope) {
        return Err(Error::Units(Refused::Show("SHOW OPEN TABLES")));
    }
    let any = scope.database.default_source().unwrap_or_default();
    if let Some(mention) = scope.homes.iter().position(|home| *home == Home::Broadcast)
        && scope.statement.unparsed.is_none()
    {
        return crate::broadcast::route(scope, mention);
    }
    match scope.source() {
        Ok(source) => Ok(Route::Source(source.unwrap_or(any))),
        // Only names that may be tables: the server says what it does not understand.
        Err(_) if scope.statement.unparsed.is_some() => Ok(Route::Source(any)),
        Err(error) => Err(error),
    }
}

/// A statement whose condition says where it goes. `alone` is what keeps it from going to several nodes beside what its
/// tables do.
pub(crate) fn conditional(
    scope: &Scope<'_>,
    rule: u16,
    alone: Result<(), Error>,
    verb: Verb,
) -> Result<Route, Error> {
    need_tables(scope)?;
    let layout = scope.layout(rule)?;
    let first = scope.rule(rule);
    for (_, other) in scope.sharded() {
        let alike = other == rule
            || first.zip(scope.rule(other)).is_some_and(|(first, table)| first.is_alike(table))
            || layout.sources.len().max(scope.layout(other)?.sources.len()) == 1;
        if !alike {
            return Err(Error::Layouts(vec![scope.name(rule), scope.name(other)]));
        }
    }
    let spread = distribute::spread(scope);
    let alone = match (alone, spread.apart) {
        (Ok(()) | Err(Error::Many { what: Refused::SessionState, .. }), Err(what)) => {
            Err(scope.many(rule, what))
        }
        (alone, _) => alone,
    };
    crate::audit::check(scope, &spread.relations)?;
    Ok(Route::Where(WhereRoute {
        layout,
        relations: spread.relations.into(),
        within: spread.within,
        nodes: spread.nodes,
        source: scope.source()?,
        alone,
        united: spread.united,
        grouped: spread.grouped,
        verb,
    }))
}

/// The structure of every sharded table is wanted before values are compared with its keys, that of broadcast tables
/// beside them before names without an owner are looked up.
pub(crate) fn need_tables(scope: &Scope<'_>) -> Result<(), Error> {
    let mut tables: Vec<String> = Vec::new();
    for (home, table) in scope.homes.iter().zip(&scope.statement.tables) {
        if !matches!(home, Home::Broadcast | Home::Sharded(_)) {
            continue;
        }
        let known = scope.database.table(&table.name).is_some_and(|known| !known.columns.is_empty());
        if !known && !tables.contains(&table.name) {
            tables.push(table.name.clone());
        }
    }
    if tables.is_empty() {
        Ok(())
    } else {
        Err(Error::NeedTables { database: scope.database.name.clone(), tables })
    }
}

/// What keeps a `SELECT` from going to several nodes, beside its own clauses.
fn select_alone(scope: &Scope<'_>, rule: u16, select: &Select) -> Result<(), Error> {
    if scope.reads_state() || select.traits.session {
        return Err(scope.many(rule, Refused::SessionState));
    }
    Ok(())
}
