//! What one statement says, as plain data: the only form in which SQL leaves this crate.
//!
//! Values are referred to by *slot* (their number in the fingerprint), places in the text by [`Place`], so that one
//! analysis serves every text with the same fingerprint.

use crate::{Block, BlockIndex, ColumnUse, Error, Hints, Pin, Predicate, Scalar};
use serde::Serialize;

/// A place in the text, counted from the slot before it, so that it holds for every text with the same fingerprint.
///
/// The byte offset in one text is `slots[after - 1].end + offset`, or `offset` when `after` is 0.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd, Serialize)]
pub struct Place {
    /// How many slots stand before the place.
    pub after: u32,
    /// Bytes from the end of that slot (or from the start of the text).
    pub offset: u32,
}

/// A stretch of the text, end exclusive.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq, Serialize)]
pub struct Span {
    /// First byte.
    pub start: Place,
    /// One past the last byte.
    pub end: Place,
}

/// Number of a slot in [`crate::Fingerprint::slots`].
pub type SlotIndex = u32;

/// Number of a table in [`Statement::tables`].
pub type TableIndex = u16;

/// One statement.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Statement {
    /// What it does.
    pub body: Body,
    /// Every mention of a table as a source or target, in the order of the text.
    pub tables: Vec<TableRef>,
    /// Further places that name one of those tables (`t.c`, `t.*`, `DELETE t FROM …`) and must follow its rename.
    /// Only mentions by the table's own name, never by an alias.
    pub owners: Vec<Owner>,
    /// The query blocks, in which columns are looked up; the first is the statement's own.
    #[serde(skip)]
    pub blocks: Vec<Block>,
    /// Every mention of a column anywhere, in the order of the text as far as one can be told.
    #[serde(skip)]
    pub uses: Vec<ColumnUse>,
    /// Every call of an aggregate function that is no window function, an inner one before the one around it.
    #[serde(skip)]
    pub aggregates: Vec<AggregateCall>,
    /// What its comments say to the proxy.
    #[serde(skip_serializing_if = "Hints::is_empty")]
    pub hints: Hints,
    /// Literal slots whose value the analysis has read (ordinals, `LIMIT` inside a shape decision …): a text with
    /// the same fingerprint but another value there is another statement.
    pub fixed: Vec<SlotIndex>,
    /// The text ends in a `;` or not: where the statement's own text ends (before `;`, trailing blanks, comments).
    pub end: Place,
    /// Why the server connection belongs to the session after this statement (temporary table, `GET_LOCK`, user
    /// variable …), as far as the text tells.
    #[serde(skip)]
    pub pin: Pin,
    /// It asks for what only the connection of earlier statements knows (`LAST_INSERT_ID()`, a user variable …).
    pub session: bool,
    /// A query that changes nothing and answers the same on every server with the same data: it locks nothing, has
    /// no `INTO` and no user variable, and calls neither a function that answers for the connection (`GET_LOCK`,
    /// `LAST_INSERT_ID` …) nor one that MySQL does not bring along, which may write.
    pub reads_only: bool,
    /// The statement was recognised but could not be read to its end, and why. Then only the kind of [`Self::body`],
    /// [`Self::end`] and [`Self::pin`] mean anything, and `tables` holds *every name* in it that could be a table (as
    /// `nested`): whoever knows that none of them is under a rule may relay it as it is, all others must refuse it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unparsed: Option<Error>,
}

/// A table where it is read or written.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TableRef {
    /// `db` of `db.t`, unquoted.
    pub schema: Option<String>,
    /// Unquoted, letter case as written.
    pub name: String,
    /// Unquoted alias.
    pub alias: Option<String>,
    /// The whole of `db.t` including quotes: replaced by the actual name.
    pub span: Span,
    /// Not in the statement's own `FROM` (`UPDATE …`, `INTO …`), but in a subquery, derived table, CTE, or a branch
    /// of a set operation: neither `filter` nor the other columns of the body speak about it.
    pub nested: bool,
}

/// A qualified name that uses a table's own name.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Owner {
    /// Which table.
    pub table: TableIndex,
    /// `t` of `t.c`, or `db.t` of `db.t.c`, quotes included, without the last dot.
    pub span: Span,
}

/// The kinds of statement that are told apart.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub enum Body {
    /// `CALL p(…)`.
    Call,
    /// Data definition.
    Ddl(Ddl),
    /// `DELETE`.
    Delete(Modify),
    /// `DO …`.
    Do,
    /// Nothing but blanks and comments.
    Empty,
    /// `EXPLAIN`/`DESCRIBE` of a statement or table.
    Explain,
    /// `INSERT` and `REPLACE`.
    Insert(Insert),
    /// `KILL [QUERY|CONNECTION] id`.
    Kill {
        /// Only the running statement.
        query: bool,
        /// The session's id, when it is a literal.
        id: Option<u64>,
    },
    /// Anything that is none of the others, in the words it begins with (`HANDLER`, `LOAD DATA`, `XA START` …). Its
    /// tables are, as in [`DdlKind::Other`] and [`ShowWhat::Other`], all names in it that could be one (`nested`).
    Other(String),
    /// `SELECT`, with or without set operations and `WITH`.
    Select(Select),
    /// `SET …`.
    Set(Vec<Assignment>),
    /// `SHOW …`.
    Show(Show),
    /// Transaction control.
    Transaction(Transaction),
    /// `UPDATE`.
    Update(Modify),
    /// `USE db`.
    Use(String),
}

/// Transaction control.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub enum Transaction {
    /// `BEGIN`, `START TRANSACTION`.
    Begin {
        /// `READ ONLY`, or `READ WRITE`; nothing: as the session has it.
        read_only: Option<bool>,
        /// `WITH CONSISTENT SNAPSHOT`.
        snapshot: bool,
    },
    /// `COMMIT`.
    Commit {
        /// `AND CHAIN`.
        chain: bool,
        /// `RELEASE`.
        release: bool,
    },
    /// `RELEASE SAVEPOINT x`.
    Release(String),
    /// `ROLLBACK`.
    Rollback {
        /// `AND CHAIN`.
        chain: bool,
        /// `RELEASE`.
        release: bool,
    },
    /// `ROLLBACK TO x`.
    RollbackTo(String),
    /// `SAVEPOINT x`.
    Savepoint(String),
}

/// One assignment of `SET`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Assignment {
    /// What is set.
    pub target: SetTarget,
    /// Its value, read as far as it is a constant.
    pub value: SetValue,
    /// The whole assignment in the text, scope included.
    pub span: Span,
}

/// What `SET` sets.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub enum SetTarget {
    /// `SET CHARACTER SET x`.
    CharacterSet,
    /// `@@GLOBAL.x`, `GLOBAL x`, `PERSIST x` …: name in lower case.
    Global(String),
    /// `SET NAMES x [COLLATE y]`: the collation.
    Names {
        /// `COLLATE y`.
        collation: Option<String>,
    },
    /// Anything else (`SET PASSWORD`, `SET ROLE` …).
    Other(String),
    /// A session variable, name in lower case.
    Session(String),
    /// `SET [SESSION] TRANSACTION …` (scope `session`: for all that follow) by its words in upper case.
    Transaction {
        /// For all transactions that follow, not just the next one.
        session: bool,
    },
    /// `@x`, name in lower case.
    User(String),
}

/// A value in `SET`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub enum SetValue {
    /// `DEFAULT`.
    Default,
    /// Anything that the server must compute.
    Expression,
    /// A bare word (`ON`, `utf8mb4`, isolation words joined by one blank), a string or a number: its unquoted text.
    Text(String),
}

/// `SHOW …`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Show {
    /// Which.
    pub what: ShowWhat,
    /// `FROM db` / `IN db`, or of `FROM t FROM db`.
    pub schema: Option<String>,
    /// `LIKE 'p'`, unquoted.
    pub like: Option<String>,
    /// There is a `WHERE`.
    pub filtered: bool,
    /// `FULL`.
    pub full: bool,
}

/// What `SHOW` shows.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize)]
pub enum ShowWhat {
    /// `SHOW [FULL] COLUMNS|FIELDS FROM t` (also `DESC t`).
    Columns,
    /// `SHOW CREATE DATABASE`.
    CreateDatabase,
    /// `SHOW CREATE TABLE t`.
    CreateTable,
    /// `SHOW DATABASES|SCHEMAS`.
    Databases,
    /// `SHOW EVENTS`.
    Events,
    /// `SHOW FUNCTION STATUS`.
    Functions,
    /// `SHOW VARIABLES LIKE 'gtid…'`.
    Gtid,
    /// `SHOW INDEX|INDEXES|KEYS FROM t`.
    Index,
    /// Any other (`VARIABLES`, `STATUS`, `ENGINES` …).
    Other,
    /// `SHOW PROCEDURE STATUS`.
    Procedures,
    /// `SHOW [FULL] PROCESSLIST`.
    ProcessList,
    /// `SHOW TABLE STATUS`.
    TableStatus,
    /// `SHOW [FULL] TABLES`.
    Tables,
    /// `SHOW [FULL] TRIGGERS`.
    Triggers,
    /// `SHOW WARNINGS`/`ERRORS`/`COUNT(*) WARNINGS`.
    Warnings,
}

impl ShowWhat {
    /// Whether it shows what databases there are and what is in one, as `information_schema` tells it.
    pub fn is_of_catalog(self) -> bool {
        matches!(
            self,
            Self::CreateDatabase
                | Self::Databases
                | Self::Events
                | Self::Functions
                | Self::Procedures
                | Self::TableStatus
                | Self::Tables
                | Self::Triggers
        )
    }
}

/// Data definition.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Ddl {
    /// Which.
    pub kind: DdlKind,
    /// `IF [NOT] EXISTS`.
    pub guarded: bool,
    /// `TEMPORARY`.
    pub temporary: bool,
    /// The name of the database for `CREATE|DROP DATABASE`, unquoted.
    pub database: Option<String>,
}

/// Kinds of data definition.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize)]
pub enum DdlKind {
    /// `ALTER TABLE` without `RENAME TO`.
    AlterTable,
    /// Of anything but tables, indexes and databases: accounts, routines, views …
    Other,
    /// `CREATE DATABASE|SCHEMA`.
    CreateDatabase,
    /// `CREATE INDEX … ON t`.
    CreateIndex,
    /// `CREATE TABLE t (…)`.
    CreateTable,
    /// `CREATE TABLE t LIKE u` or `… SELECT`.
    CreateTableFrom,
    /// `DROP DATABASE|SCHEMA`.
    DropDatabase,
    /// `DROP INDEX … ON t`.
    DropIndex,
    /// `DROP TABLE t, …`.
    DropTable,
    /// `RENAME TABLE` or `ALTER TABLE … RENAME [TO]`.
    RenameTable,
    /// `TRUNCATE [TABLE] t`.
    TruncateTable,
    /// `CHECKSUM TABLE`: no definition, it commits nothing.
    Checksum,
    /// `ANALYZE|CHECK|OPTIMIZE|REPAIR TABLE`.
    Maintain,
}

/// `INSERT` and `REPLACE`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Insert {
    /// The target.
    pub table: TableIndex,
    /// Column names as written, unquoted; empty when there is no list.
    pub columns: Vec<String>,
    /// Where the column list stands, parentheses included.
    pub columns_span: Option<Span>,
    /// Where a column list would go, with a leading blank, when there is none.
    pub columns_place: Place,
    /// One past the last assignment of `SET`.
    #[serde(skip)]
    pub set_end: Option<Place>,
    /// What is inserted.
    pub source: InsertSource,
    /// `REPLACE`.
    pub replace: bool,
    /// `IGNORE`.
    pub ignore: bool,
    /// Columns set in `ON DUPLICATE KEY UPDATE`, unquoted, with their values.
    pub on_duplicate: Vec<SetColumn>,
}

/// What an `INSERT` inserts.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub enum InsertSource {
    /// `VALUES (…), (…)`.
    Rows(Vec<Row>),
    /// `SELECT …`, `TABLE t`.
    Query(Box<Select>),
    /// `SET a = 1, …` (the columns are in [`Insert::columns`]): one row, which cannot be split.
    Set(Vec<Scalar>),
}

/// One row of `VALUES`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// Its values.
    pub values: Vec<Scalar>,
    /// `(…)`, parentheses included.
    pub span: Span,
}

/// `column = value`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SetColumn {
    /// Owner as written (a table's name or alias).
    pub owner: Option<String>,
    /// Unquoted.
    pub column: String,
    /// The value.
    pub value: Scalar,
    /// The column that it is and nothing else; none that stands for a row to be inserted.
    #[serde(skip)]
    pub from: Option<Column>,
}

/// `UPDATE` and `DELETE`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Modify {
    /// Columns set (`UPDATE` only).
    pub set: Vec<SetColumn>,
    /// The tables that rows are deleted from, by their names or aliases, where the statement lists them.
    #[serde(skip)]
    pub targets: Vec<String>,
    /// `WHERE`.
    pub filter: Predicate,
    /// There is an `ORDER BY`.
    pub ordered: bool,
    /// There is a `LIMIT`.
    pub limited: bool,
    /// More than one table is named as target or joined.
    pub multi: bool,
    /// There is a subquery anywhere in it.
    pub subquery: bool,
}

/// `SELECT`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Select {
    /// `DISTINCT`.
    pub distinct: bool,
    /// One past the word `SELECT`.
    #[serde(skip)]
    pub verb_end: Place,
    /// The select list.
    pub items: Vec<Item>,
    /// One past the last select item: where derived columns go.
    pub items_end: Place,
    /// `WHERE`, with the `ON` conditions of inner joins added.
    pub filter: Predicate,
    /// `FROM` with all that is joined, without `WHERE`.
    #[serde(skip)]
    pub from_span: Option<Span>,
    /// `WHERE` with its condition.
    #[serde(skip)]
    pub where_span: Option<Span>,
    /// `GROUP BY`.
    pub group_by: Vec<Sort>,
    /// `WITH ROLLUP`.
    pub rollup: bool,
    /// There is a `HAVING`.
    pub having: bool,
    /// `ORDER BY`.
    pub order_by: Vec<Sort>,
    /// Where an `ORDER BY` of our own would go, with a leading blank.
    pub order_place: Place,
    /// Where what stands behind all parts of a set operation begins: `ORDER BY`, `LIMIT` …
    #[serde(skip)]
    pub tail: Place,
    /// `LIMIT`.
    pub limit: Option<Limit>,
    /// `FOR UPDATE`, `FOR SHARE`, `LOCK IN SHARE MODE`.
    pub locking: bool,
    /// From the first of these clauses to the end of the last.
    #[serde(skip)]
    pub lock_span: Option<Span>,
    /// Things that keep it from being taken apart: see each flag.
    pub traits: Traits,
}

/// Facts about a `SELECT` that matter over many nodes.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, Serialize)]
pub struct Traits {
    /// `UNION`, `INTERSECT`, `EXCEPT`.
    pub set_operation: bool,
    /// `WITH`.
    pub cte: bool,
    /// A subquery outside `FROM`.
    pub subquery: bool,
    /// A derived table in `FROM`.
    pub derived: bool,
    /// A window function.
    pub window: bool,
    /// `INTO OUTFILE|DUMPFILE|@x`.
    pub into: bool,
    /// `SQL_CALC_FOUND_ROWS`.
    pub found_rows: bool,
    /// A function that answers for the session or server connection (`LAST_INSERT_ID()`, `FOUND_ROWS()`, …),
    /// or a user variable is read or assigned.
    pub session: bool,
}

/// One select item.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Item {
    /// What it is.
    pub kind: ItemKind,
    /// Unquoted alias.
    pub alias: Option<String>,
    /// The expression without its alias.
    pub span: Span,
    /// It names no column and holds no aggregate or subquery, so that it says nothing of any row.
    pub constant: bool,
}

/// Kinds of select item.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub enum ItemKind {
    /// A bare aggregate call.
    Aggregate(Aggregate),
    /// A column.
    Column(Column),
    /// An expression without an aggregate.
    Expression,
    /// An expression with an aggregate inside it.
    OverAggregate,
    /// `*` or `t.*`.
    Wildcard,
}

/// A column as written.
#[derive(Clone, Debug, Eq, Hash, PartialEq, Serialize)]
pub struct Column {
    /// Owner: a table's name or alias, unquoted.
    pub owner: Option<String>,
    /// Name, unquoted.
    pub name: String,
}

/// `FUNCTION([DISTINCT] argument)`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Aggregate {
    /// Which.
    pub function: Function,
    /// `DISTINCT`.
    pub distinct: bool,
    /// The argument; nothing for `COUNT(*)`.
    pub argument: Option<Span>,
    /// The argument, if it is a column.
    pub column: Option<Column>,
}

/// A call of an aggregate function, wherever it stands.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AggregateCall {
    /// The block that it is about.
    pub block: BlockIndex,
    /// Its name in upper case.
    pub name: String,
    /// What is called with what.
    pub aggregate: Aggregate,
    /// From the name to the `)`.
    pub span: Span,
}

/// Aggregate functions.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize)]
pub enum Function {
    /// `AVG`.
    Avg,
    /// `COUNT`.
    Count,
    /// `MAX`.
    Max,
    /// `MIN`.
    Min,
    /// Any other (`GROUP_CONCAT`, `STDDEV` …).
    Other,
    /// `SUM`.
    Sum,
}

/// One item of `ORDER BY` or `GROUP BY`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Sort {
    /// What is sorted by.
    pub by: SortBy,
    /// `DESC`.
    pub descending: bool,
    /// The expression without `ASC`/`DESC`.
    pub span: Span,
}

/// What is sorted or grouped by.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub enum SortBy {
    /// A column, or an alias of the select list (the planner decides).
    Column(Column),
    /// An expression without an aggregate.
    Expression,
    /// An expression that holds an aggregate.
    OverAggregate,
    /// The n-th select item, from 1.
    Ordinal(u32),
}

/// `LIMIT`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Limit {
    /// From the word `LIMIT` to the last number.
    pub span: Span,
    /// Rows skipped.
    pub offset: Option<SlotIndex>,
    /// Rows wanted.
    pub count: SlotIndex,
}
