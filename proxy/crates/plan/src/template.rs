//! All that is known of a statement before its values are.

use std::cell::OnceCell;
use std::sync::Arc;

use bytes::BufMut;
use meta::{Database, KeyGenerator, Snapshot};
use smallvec::SmallVec;
use sql::{Body, Fingerprint, Mode, Slot, SlotIndex, SlotKind, Span, Statement, Verb};

use crate::call::{Bound, Call, Generated};
use crate::decorate::Decoration;
use crate::digest::Digested;
use crate::encrypt;
use crate::error::Error;
use crate::finish::Finish;
use crate::given::Key;
use crate::keys;
use crate::place::Shadow;
use crate::plan::{Plan, RouteUnit, Rows, Variant, Window};
use crate::privileged::is_privileged;
use crate::renames::Renames;
use crate::route::{self, Route};
use crate::scope::{self, Home, Scope};
use crate::secret;
use crate::select;
use crate::text::{Context, Edits, Text};

/// Who carries a statement out.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Action {
    /// Servers, as [`Template::bind`] says.
    Route,
    /// The session itself: transaction control, `SET`, `USE`, `KILL`, some `SHOW`.
    Session,
}

/// A statement, ready to be bound to values.
#[derive(Clone, Debug)]
pub struct Template {
    /// Where the id of an `INSERT` comes from.
    pub(crate) key: Key,
    /// Given by the cache; 0 outside of one.
    pub(crate) id: u64,
    /// The cache hands it out for this very text only.
    pub(crate) exact: bool,
    pub(crate) text: Box<str>,
    pub(crate) slots: SmallVec<[Slot; 12]>,
    pub(crate) statement: Statement,
    pub(crate) database: Option<Arc<Database>>,
    pub(crate) route: Route,
    /// With only the names replaced; `None` when nothing is.
    pub(crate) one: Option<Text>,
    /// With what merging needs, for rows from several nodes.
    pub(crate) many: Option<Result<Many, Error>>,
    /// For each slot, how many parameters stand before it.
    pub(crate) ordinals: SmallVec<[u32; 12]>,
    /// Every slot is a parameter: no value of a call is in its texts.
    pub(crate) bare: bool,
    /// Sharded tables by their numbers in the rule, with the names that the client wrote.
    pub(crate) renamed: SmallVec<[(u16, Box<str>); 1]>,
    /// How strings in the text are quoted.
    pub(crate) mode: Mode,
    /// Its texts hold values that are not the client's.
    pub(crate) own_values: bool,
    /// Parameters of the servers are others than the client's, or in another order.
    pub(crate) own_params: bool,
    /// Slots whose values belong to encrypted columns.
    pub(crate) secrets: Box<[SlotIndex]>,
    /// By their columns.
    pub(crate) decorations: Box<[Decoration]>,
    /// Only administrators may give it.
    privileged: bool,
    /// How logs call it.
    verb: Verb,
    /// Made when somebody asks for it.
    digest: OnceCell<Box<Digested>>,
    /// What makes it test traffic; nothing when it is production for certain.
    pub(crate) shadow: Option<Box<Shadow>>,
}

/// How rows from several nodes become one result.
#[derive(Clone, Debug)]
pub(crate) struct Many {
    pub(crate) text: Text,
    pub(crate) rows: Rows,
    pub(crate) limit: Option<Limit>,
    /// Slots whose values must be these, because two places were found alike by them.
    pub(crate) fixed: Vec<SlotIndex>,
    /// The text gathers what one server works the answer out over.
    pub(crate) finish: Option<Box<Finish>>,
}

/// `LIMIT` by its slots.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limit {
    pub(crate) offset: Option<SlotIndex>,
    pub(crate) count: SlotIndex,
    /// One of them is a parameter, so that the nodes' number is one, too.
    pub(crate) param: bool,
    pub(crate) share: Share,
}

/// Which rows each of several nodes must give.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Share {
    /// All, unless the client wants none.
    All,
    /// All, for they are counted.
    Counted,
    /// As many as the client skips and wants.
    Window,
}

impl Template {
    /// Reads a text. [`Error::NeedTables`] asks for the structure of tables, after which it is to be tried again.
    pub fn draft(
        text: &str,
        fingerprint: &Fingerprint,
        mode: Mode,
        snapshot: &Snapshot,
        schema: Option<&str>,
    ) -> Result<Self, Error> {
        let statement = sql::analyse(text, fingerprint, mode)?;
        Self::of(statement, text, &fingerprint.slots, mode, snapshot, schema)
    }

    /// Plans a statement that has been read.
    fn of(
        mut statement: Statement,
        text: &str,
        slots: &[Slot],
        mode: Mode,
        snapshot: &Snapshot,
        schema: Option<&str>,
    ) -> Result<Self, Error> {
        let schema = crate::catalog::enter(&mut statement, schema);
        let mut parts = if route::is_session(&statement.body) && statement.unparsed.is_none() {
            encrypt::refuse_session(&statement, text, snapshot, schema)?;
            let database = schema.and_then(|schema| snapshot.database(schema)).cloned();
            let shadow = database.as_ref().and_then(|database| Shadow::hinted(database, &statement));
            Parts {
                shadow,
                database,
                route: Route::Session,
                one: None,
                many: None,
                renamed: SmallVec::new(),
                secrets: Box::default(),
                decorations: Box::default(),
            }
        } else {
            Parts::new(&statement, text, slots, mode, snapshot, schema)?
        };
        let key = Key::of(&statement, parts.database.as_deref());
        let privileged = is_privileged(&statement, text, mode, schema);
        forget_rows(&mut statement);
        if let Some(Ok(many)) = &mut parts.many {
            statement.fixed.append(&mut many.fixed);
        }
        let mut params = 0;
        let ordinals = slots.iter().map(|slot| {
            let before = params;
            params += u32::from(slot.kind == SlotKind::Param);
            before
        });
        Ok(Self {
            key,
            id: 0,
            exact: false,
            text: text.into(),
            ordinals: ordinals.collect(),
            bare: slots.iter().all(|slot| slot.kind == SlotKind::Param),
            slots: slots.into(),
            statement,
            database: parts.database.take(),
            route: parts.route,
            mode,
            own_values: parts.one.as_ref().is_some_and(|text| text.ciphered().next().is_some()),
            own_params: parts.one.as_ref().is_some_and(|text| text.has_own_params(slots)),
            one: parts.one,
            many: parts.many,
            renamed: parts.renamed,
            secrets: parts.secrets,
            decorations: parts.decorations,
            privileged,
            verb: Verb::of(text, mode),
            digest: OnceCell::new(),
            shadow: parts.shadow,
        })
    }

    /// Whether it concerns servers as such rather than a database, which only administrators may.
    #[inline]
    pub fn is_privileged(&self) -> bool {
        self.privileged
    }

    /// How logs and metrics call it.
    #[inline]
    pub const fn verb(&self) -> Verb {
        self.verb
    }

    /// Its number, which no other template of the process has; 0 outside of a cache.
    #[inline]
    pub const fn number(&self) -> u64 {
        self.id
    }

    /// The names that a unit's tables have on its server.
    pub fn physical_tables(&self, unit: &RouteUnit) -> Vec<&str> {
        let mut names: Vec<_> = self.renames(unit).tables().map(|(physical, _)| physical).collect();
        let is_sharded = |name: &str| {
            self.database.as_ref().is_some_and(|database| database.sharding.table(name).is_some())
        };
        names.extend(self.statement.tables.iter().map(|table| &*table.name).filter(|name| !is_sharded(name)));
        names.sort_unstable();
        names.dedup();
        names
    }

    /// What it has in common with statements that differ in their values.
    #[inline]
    pub fn digest(&self) -> &Digested {
        self.digest.get_or_init(|| Box::new(Digested::new(self)))
    }

    /// Who carries it out.
    pub fn action(&self) -> Action {
        if matches!(self.route, Route::Session) { Action::Session } else { Action::Route }
    }

    /// Whether it is a query over `information_schema`, which the session answers.
    pub fn reads_catalog(&self) -> bool {
        self.action() == Action::Session && matches!(self.statement.body, Body::Select(_))
    }

    /// What it says; the rows of an `INSERT` are left out.
    pub fn statement(&self) -> &Statement {
        &self.statement
    }

    /// How its text is read.
    pub fn mode(&self) -> Mode {
        self.mode
    }

    /// The database that it is about, whose units a plan counts.
    pub fn database(&self) -> Option<&Arc<Database>> {
        self.database.as_ref()
    }

    /// A plan for one unit that can say what a statement's parameters and columns are, whatever its values.
    pub fn sample(&self) -> Result<Plan, Error> {
        crate::bind::sample(self)
    }

    /// Whether it asks how a table under a rule is made: the rows of the answer name physical things.
    pub fn describes(&self) -> bool {
        let Body::Show(show) = &self.statement.body else { return false };
        let encrypted = || {
            let table = self.statement.tables.first();
            table.is_some_and(|table| {
                self.database.as_ref().is_some_and(|database| database.encrypt.table(&table.name).is_some())
            })
        };
        match show.what {
            sql::ShowWhat::Columns => encrypted(),
            sql::ShowWhat::CreateTable | sql::ShowWhat::Index => !self.renamed.is_empty() || encrypted(),
            _ => false,
        }
    }

    /// How many parameters it has.
    pub fn params(&self) -> usize {
        self.slots.iter().filter(|slot| slot.kind == SlotKind::Param).count()
    }

    /// Whether the unit gets the client's own text, byte for byte.
    pub fn verbatim(&self, unit: &RouteUnit) -> bool {
        unit.variant == Variant::One && unit.rows.is_empty() && self.one.is_none()
    }

    /// The text for one unit of a plan.
    pub fn render(&self, call: &Call<'_>, unit: &RouteUnit, out: &mut impl BufMut) {
        match self.text_of(unit) {
            Some(text) => text.write(call, unit, self.context(call), out),
            None => out.put_slice(call.raw),
        }
    }

    /// Names the unit's text within the process, when no value of a call is in it: on one unit the same number is always
    /// the same text. Never above 2^63.
    pub fn text_id(&self, unit: &RouteUnit) -> Option<u64> {
        let node = unit.node.map_or(0, |node| u64::from(node) + 1);
        let fixed = self.id != 0 && (self.exact || self.bare) && unit.rows.is_empty();
        if !fixed || self.id >= 1 << 41 || node >= 1 << 20 {
            return None;
        }
        let variant = match unit.variant {
            Variant::One => 0,
            Variant::Many => 1,
            Variant::Define => 2,
            Variant::Begin => 3,
            // The rows between the two are others each time.
            Variant::Head | Variant::Tail => return None,
        };
        Some(self.id << 22 | node << 2 | variant)
    }

    /// What becomes of columns of the client's result, in the order of the columns.
    pub fn decorations(&self) -> &[Decoration] {
        &self.decorations
    }

    /// Which names of the servers' column definitions the client must not see, and what it sees instead.
    pub fn renames(&self, unit: &RouteUnit) -> Renames<'_> {
        Renames::new(self, unit)
    }

    pub(crate) fn bound<'a>(&'a self, call: &'a Call<'a>) -> Bound<'a> {
        Bound { call, ordinals: &self.ordinals }
    }

    /// The rows that the client wants of a result of several nodes.
    pub(crate) fn window(&self, call: &Call<'_>) -> Result<Option<Window>, Error> {
        let Some(Ok(Many { limit: Some(limit), .. })) = &self.many else { return Ok(None) };
        let bound = self.bound(call);
        let rows = |slot: SlotIndex| bound.rows(slot).ok_or_else(|| no_rows(call, slot));
        let count = rows(limit.count)?;
        let offset = limit.offset.map_or(Ok(0), rows)?;
        Ok(Some(Window { offset, count }))
    }

    /// The rows that each of several nodes must give.
    pub(crate) fn total(&self, call: &Call<'_>) -> Option<u64> {
        let Some(Ok(Many { limit: Some(Limit { share, .. }), .. })) = &self.many else { return None };
        let window = self.window(call).ok()??;
        Some(match share {
            Share::All | Share::Window if window.count == 0 => 0,
            Share::All | Share::Counted => u64::MAX,
            Share::Window => window.offset.saturating_add(window.count),
        })
    }

    /// Whether [`crate::Variant::Begin`] has a text of its own.
    pub fn begins(&self) -> bool {
        let many = self.many.as_ref().and_then(|many| many.as_ref().ok());
        many.and_then(|many| many.finish.as_ref()).is_some_and(|finish| finish.begin.is_some())
    }

    /// What the derived table of [`crate::Merge::Finish`] calls its columns.
    pub fn gathered(&self) -> &[String] {
        let many = self.many.as_ref().and_then(|many| many.as_ref().ok());
        many.and_then(|many| many.finish.as_ref()).map_or(&[], |finish| &finish.names)
    }

    pub(crate) fn text_of(&self, unit: &RouteUnit) -> Option<&Text> {
        let Some(Ok(many)) = &self.many else { return self.one.as_ref() };
        match (unit.variant, &many.finish) {
            (Variant::One, _) => self.one.as_ref(),
            (Variant::Begin, Some(finish)) => finish.begin.as_ref().or(Some(&finish.define)),
            (Variant::Define, Some(finish)) => Some(&finish.define),
            (Variant::Head, Some(finish)) => Some(&finish.head),
            (Variant::Tail, Some(finish)) => Some(&finish.tail),
            _ => Some(&many.text),
        }
    }

    pub(crate) fn context(&self, call: &Call<'_>) -> Context<'_> {
        let rows: &[Span] = match &self.route {
            Route::Rows(rows) => &rows.rows,
            _ => &[],
        };
        let limit = match &self.many {
            Some(Ok(Many { limit: Some(limit), .. })) if !limit.param => self.total(call),
            _ => None,
        };
        Context { database: self.database.as_deref(), rows, limit, ordinals: &self.ordinals, mode: self.mode }
    }
}

impl Template {
    /// How many keys an execution wants to be given as [`Call::generated`], and how they are made.
    pub fn generates(&self) -> Option<(KeyGenerator, u32)> {
        match &self.route {
            Route::Rows(rows) => rows.generated.map(|generator| (generator, rows.count)),
            _ => None,
        }
    }

    /// The id that the answer tells, and `LAST_INSERT_ID()` from then on, when keys are generated: that of the first row.
    pub fn generated_id(&self, call: &Call<'_>) -> Option<u64> {
        match (self.generates(), call.generated.first()) {
            (Some(_), Some(Generated::Number(number))) => u64::try_from(*number).ok(),
            _ => None,
        }
    }

    /// About how many bytes it takes.
    pub(crate) fn weight(&self) -> u64 {
        let keys = match &self.route {
            Route::Rows(rows) => rows.keys.len() * 48 + rows.rows.len() * 16,
            _ => 0,
        };
        let many = self.many.as_ref().and_then(|many| many.as_ref().ok());
        let finish = many.and_then(|many| many.finish.as_deref());
        let finish = finish
            .into_iter()
            .flat_map(|finish| [&finish.define, &finish.head, &finish.tail].into_iter().chain(&finish.begin));
        let texts = self.one.iter().chain(many.map(|many| &many.text)).chain(finish);
        let texts = texts.map(Text::weight).sum::<usize>();
        let shadow = self.shadow.as_ref().map_or(0, |shadow| shadow.weight());
        (2048 + self.text.len() * 2 + self.slots.len() * 64 + keys + texts + shadow) as u64
    }

    /// Whether the text can be bound to it, beside being alike.
    pub(crate) fn serves(&self, text: &str, slots: &[Slot]) -> bool {
        if self.exact {
            return *self.text == *text;
        }
        let is_param = |slot: &Slot| slot.kind == SlotKind::Param;
        slots.iter().zip(&self.slots).all(|(theirs, mine)| is_param(theirs) == is_param(mine))
            && self.statement.fixed.iter().all(|slot| {
                let slot = *slot as usize;
                match (slots.get(slot), self.slots.get(slot)) {
                    (Some(theirs), Some(mine)) => {
                        theirs.kind == mine.kind && theirs.text(text) == mine.text(&self.text)
                    }
                    _ => false,
                }
            })
    }
}

/// What planning adds to a statement.
struct Parts {
    database: Option<Arc<Database>>,
    route: Route,
    one: Option<Text>,
    many: Option<Result<Many, Error>>,
    renamed: SmallVec<[(u16, Box<str>); 1]>,
    secrets: Box<[SlotIndex]>,
    decorations: Box<[Decoration]>,
    shadow: Option<Box<Shadow>>,
}

impl Parts {
    fn new(
        statement: &Statement,
        text: &str,
        slots: &[Slot],
        mode: Mode,
        snapshot: &Snapshot,
        schema: Option<&str>,
    ) -> Result<Self, Error> {
        let database = scope::database(statement, snapshot, schema)?;
        let scope = Scope::new(database, statement, text, slots, mode);
        encrypt::need_tables(&scope)?;
        let route = route::route(&scope)?;
        let mut edits = Edits::default();
        scope.names(&mut edits);
        crate::ddl::edit(&scope, &route, &mut edits)?;
        let decorations = encrypt::rewrite(&scope, &mut edits)?;
        if !edits.is_empty()
            && let Body::Select(_) = &statement.body
        {
            select::keep_names(&statement.blocks, &mut edits);
        }
        keys::edit(&scope, &route, &mut edits)?;
        let many = match (&route, &statement.body) {
            (Route::Where(conditions), Body::Select(select)) => {
                Some(conditions.alone.clone().and_then(|()| match select.traits.set_operation {
                    true => select::union::many(&scope, conditions, select, &edits),
                    false => select::many(&scope, conditions, select, &edits),
                }))
            }
            (Route::Rows(rows), _) => split(&rows.rows, &edits, statement).map(Ok),
            _ => None,
        };
        let one = (!edits.is_empty()).then(|| edits.text(statement.end));
        let mut renamed = SmallVec::<[(u16, Box<str>); 1]>::new();
        for (home, table) in scope.homes.iter().zip(&statement.tables) {
            if let Home::Sharded(rule) = home
                && !renamed.iter().any(|(known, _)| known == rule)
            {
                renamed.push((*rule, table.name.as_str().into()));
            }
        }
        let shadow = Shadow::of(&scope)?;
        let secrets =
            secret::secrets(&scope, one.as_ref(), many.as_ref().and_then(|many| many.as_ref().ok()));
        Ok(Self {
            database: Some(Arc::clone(database)),
            route,
            one,
            many,
            renamed,
            secrets,
            decorations,
            shadow,
        })
    }
}

/// A `LIMIT` that is no number of rows: as a literal the server does not read it.
fn no_rows(call: &Call<'_>, slot: SlotIndex) -> Error {
    match call.slots.get(slot as usize).filter(|slot| slot.kind != SlotKind::Param) {
        Some(slot) => {
            let found = slot.text(call.text).to_owned();
            sql::Error::Syntax { at: slot.start as usize, expected: "a number of rows", found }.into()
        }
        None => Error::Limit,
    }
}

/// The text of an `INSERT` whose rows are chosen anew for each node.
fn split(rows: &[Span], edits: &Edits, statement: &Statement) -> Option<Many> {
    Some(Many {
        text: edits.split(rows, statement.end)?,
        rows: Rows::default(),
        limit: None,
        fixed: Vec::new(),
        finish: None,
    })
}

/// Rows have been read into the route; kept twice they would fill the cache. Columns have been planned with.
fn forget_rows(statement: &mut Statement) {
    statement.blocks = Vec::new();
    statement.uses = Vec::new();
    statement.aggregates = Vec::new();
    if let Body::Insert(insert) = &mut statement.body
        && let sql::InsertSource::Rows(rows) = &mut insert.source
    {
        *rows = Vec::new();
    }
}

impl Template {
    /// What is to be done for these values, where is written: see [`Template::place`].
    pub fn bind(&self, call: &Call<'_>) -> Result<Plan, Error> {
        self.encryptable(call)?;
        crate::bind::bind(self, call)
    }
}
