//! Every column that a statement names, and the query blocks in which the names are looked up.
//!
//! This is what encryption and masking plan with: a column that is not in [`Statement::uses`] is not in the statement,
//! and a place that the analysis does not understand is [`Use::Other`], never left out. Nothing of it holds for a
//! statement that is `unparsed` or [`crate::Body::Other`].
//!
//! [`Statement::uses`]: crate::Statement::uses

use crate::{Function, Joined, Predicate, Scalar, SetOperation, Shape, Span, TableIndex};
use serde::Serialize;
use std::borrow::Cow;

/// Number of a block in [`crate::Statement::blocks`].
pub type BlockIndex = u32;

/// Number of a mention in [`crate::Statement::uses`].
pub type UseIndex = u32;

/// One query block: a `SELECT`, or what a statement of another kind reads and writes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Block {
    /// Where a name that means nothing here is looked up next.
    pub parent: Option<BlockIndex>,
    /// What becomes of its rows.
    pub role: Role,
    /// What it is made of.
    pub kind: BlockKind,
    /// `DISTINCT`.
    pub distinct: bool,
    /// What stands in `FROM` (or is written to), in the order of the text.
    pub from: Vec<Source>,
    /// How that is joined; nothing without `FROM`.
    pub joined: Option<Joined>,
    /// `WHERE`.
    pub filter: Predicate,
    /// What is done with the rows.
    pub shape: Shape,
    /// There is a `NATURAL JOIN`.
    pub natural: bool,
    /// The select list.
    pub outputs: Vec<Output>,
    /// Select items that `ORDER BY` names by their number, from 1.
    pub order_ordinals: Vec<u32>,
    /// Select items that `GROUP BY` names by their number, from 1.
    pub group_ordinals: Vec<u32>,
    /// Queries whose rows make up its own: the other parts of a set operation, and the query in parentheses that the
    /// whole begins with ([`BlockKind::Wrapped`]). Its `ORDER BY` then speaks about the result of all.
    pub branches: Vec<BlockIndex>,
    /// The set operations between the parts: one less than there are parts.
    pub operations: Vec<SetOperation>,
    /// A subquery stands behind `FROM` and `WHERE` or in the select list.
    pub asks_late: bool,
}

/// What becomes of a block's rows.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize)]
pub enum Role {
    /// They are rows of that block: see [`Block::branches`].
    Branch(BlockIndex),
    /// The body of a common table expression.
    Common,
    /// Its only column is compared with that one: [`Use::Query`].
    Compared(UseIndex),
    /// A derived table.
    Derived,
    /// `EXISTS (…)`: their values do not matter.
    Exists,
    /// Its value is the n-th select item of the block around it, from 0.
    Item(u32),
    /// They are inserted, or fill a new table.
    Stored,
    /// The statement itself.
    Statement,
    /// Anything else that is done with a value.
    Value,
}

/// What a block is made of.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize)]
pub enum BlockKind {
    /// No query: `UPDATE`, `INSERT`, a definition …
    Other,
    /// `SELECT`.
    Select,
    /// `TABLE t`.
    Table,
    /// `VALUES ROW(…), …`.
    Values,
    /// A query in parentheses (its first branch), perhaps with something behind it.
    Wrapped,
}

/// Something in `FROM` that columns come from.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Source {
    /// Alias, or the table's own name.
    pub name: String,
    /// `db` of `db.t`; nothing for an alias.
    pub schema: Option<String>,
    /// It has an alias.
    pub aliased: bool,
    /// What it is.
    pub kind: SourceKind,
}

/// What columns come from.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub enum SourceKind {
    /// The row that `ON DUPLICATE KEY UPDATE` calls by an alias, with the aliases of its columns, if any.
    Inserted(Vec<String>),
    /// `JSON_TABLE(…)`.
    Json,
    /// A derived table or common table expression.
    Query {
        /// Which.
        block: BlockIndex,
        /// Names given to its columns, if any.
        columns: Vec<String>,
    },
    /// A recursive common table expression in its own body.
    Recursion,
    /// A table.
    Table(TableIndex),
}

/// One select item.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Output {
    /// What it is.
    pub kind: OutputKind,
    /// Unquoted alias.
    pub alias: Option<String>,
    /// The expression without its alias.
    pub span: Span,
}

/// What a select item is.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub enum OutputKind {
    /// `*`.
    All,
    /// `t.*` or `db.t.*`.
    AllOf {
        /// `db`.
        schema: Option<String>,
        /// `t`.
        owner: String,
    },
    /// A column and nothing else.
    Column(UseIndex),
    /// Anything else.
    Other,
    /// A subquery and nothing else.
    Query(BlockIndex),
    /// A constant, as far as it is known.
    Value(Scalar),
}

/// One mention of a column.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ColumnUse {
    /// Where its name is looked up.
    pub block: BlockIndex,
    /// In which part of the block it stands; in some, names mean select items as well.
    pub clause: Clause,
    /// `db` of `db.t.c`, unquoted.
    pub schema: Option<String>,
    /// `t` of `t.c`, unquoted: a table's name or alias.
    pub owner: Option<String>,
    /// `c`, unquoted.
    pub name: String,
    /// The whole of `db.t.c`, quotes included.
    pub span: Span,
    /// `c` of it.
    pub name_span: Span,
    /// What is done with it.
    pub place: Use,
}

/// Part of a block.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize)]
pub enum Clause {
    /// A definition of tables, columns and keys.
    Definition,
    /// `FROM`: `ON` and `USING`.
    From,
    /// `GROUP BY`.
    Group,
    /// `HAVING`.
    Having,
    /// The column list of an `INSERT`.
    Insert,
    /// The select list.
    Items,
    /// `ORDER BY`.
    Order,
    /// `SET` of an `UPDATE` or `INSERT`, `ON DUPLICATE KEY UPDATE`.
    Set,
    /// `SHOW … WHERE`, where names mean columns of what is shown; `DESC t c`.
    Show,
    /// Values: the rows of an `INSERT`, arguments of `DO` and `CALL` …
    Values,
    /// `WHERE`.
    Where,
    /// `WINDOW`.
    Window,
}

/// What is done with a column. Parentheses around it or its counterpart change nothing.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub enum Use {
    /// The only argument of an aggregate.
    Aggregate {
        /// Which.
        function: Function,
        /// `DISTINCT`.
        distinct: bool,
    },
    /// It alone is the value of that assignment's column ([`Use::Set`]): `a = b`, `a = new.b`, `a = VALUES(b)`.
    Assigned(UseIndex),
    /// `column [NOT] BETWEEN low AND high`.
    Between,
    /// Compared with something that is neither a column nor a subquery, column on the left (turned where it was not).
    Compare {
        /// Operator.
        op: Operator,
        /// The other side, as far as it is known.
        value: Scalar,
        /// Where that stands.
        span: Span,
    },
    /// A definition of the column itself.
    Define(Define),
    /// A column of `GROUP BY`.
    Group,
    /// `column [NOT] IN (…)`.
    In {
        /// The values, each with its place.
        values: Vec<(Scalar, Span)>,
        /// `NOT`.
        negated: bool,
    },
    /// The n-th of the column list of an `INSERT`, from 0.
    Insert(u32),
    /// `column IS [NOT] NULL`.
    IsNull,
    /// The n-th select item of its block, from 0.
    Item(u32),
    /// A column of a key: `KEY (c)`, `CREATE INDEX i ON t (c)`.
    Key,
    /// `column [NOT] LIKE pattern`.
    Like {
        /// The pattern.
        pattern: Scalar,
        /// Where that stands.
        span: Span,
        /// `ESCAPE …`, from that word on.
        escape: Option<Span>,
        /// `NOT`.
        negated: bool,
    },
    /// A column of `ORDER BY`.
    Order,
    /// Anything else, by the name of operator, function or clause.
    Other(Cow<'static, str>),
    /// Compared with the rows of a subquery (`=`, `IN`, `= ANY` …).
    Query {
        /// Operator, column on the left; `=` for `IN`, `<>` for `NOT IN`.
        op: Operator,
        /// The subquery.
        block: BlockIndex,
    },
    /// Compared with another column.
    Same {
        /// Operator, this column on the left.
        op: Operator,
        /// The other.
        other: UseIndex,
    },
    /// Assigned to: `column = value`.
    Set {
        /// By which clause.
        by: SetBy,
        /// The value, as far as it is known.
        value: Scalar,
        /// Where that stands.
        value_span: Span,
        /// The whole assignment.
        span: Span,
    },
    /// A name of `USING (…)`: a column of both sides.
    Using,
}

/// Which clause assigns.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize)]
pub enum SetBy {
    /// `ON DUPLICATE KEY UPDATE`.
    Duplicate,
    /// `INSERT … SET`.
    Insert,
    /// `UPDATE … SET`.
    Update,
}

/// A column in `CREATE TABLE` or `ALTER TABLE`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Define {
    /// What is done to the column.
    pub change: Change,
    /// Its type and attributes (what follows the name), without `FIRST` and `AFTER`.
    pub definition: Option<Span>,
    /// The whole element or clause: from the name (`CREATE TABLE`, `ADD (…)`) or the word `ADD`, `MODIFY` … up to the
    /// next comma.
    pub span: Span,
    /// It holds `PRIMARY KEY`, `UNIQUE`, `REFERENCES`, `CHECK`, `AUTO_INCREMENT` or is generated.
    pub constrained: bool,
}

/// What a definition does to a column.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize)]
pub enum Change {
    /// `CREATE TABLE t (c …)`, `ADD [COLUMN] c …`.
    Add,
    /// `AFTER c`: names a neighbour.
    After,
    /// `CHANGE [COLUMN] c …`: the old name.
    ChangeFrom,
    /// `CHANGE [COLUMN] … c …`: the new name.
    ChangeTo,
    /// `DROP [COLUMN] c`.
    Drop,
    /// `MODIFY [COLUMN] c …`.
    Modify,
    /// `RENAME COLUMN c TO …`.
    RenameFrom,
    /// `RENAME COLUMN … TO c`.
    RenameTo,
    /// `ALTER [COLUMN] c SET DEFAULT …` and the like.
    Set,
}

/// Comparison operators.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize)]
pub enum Operator {
    /// `=`.
    Equal,
    /// `>`.
    Greater,
    /// `>=`.
    GreaterOrEqual,
    /// `<`.
    Less,
    /// `<=`.
    LessOrEqual,
    /// `<>`, `!=`.
    NotEqual,
    /// `<=>`.
    NullSafeEqual,
}

impl Operator {
    /// As it is written.
    pub fn text(self) -> &'static str {
        match self {
            Self::Equal => "=",
            Self::Greater => ">",
            Self::GreaterOrEqual => ">=",
            Self::Less => "<",
            Self::LessOrEqual => "<=",
            Self::NotEqual => "<>",
            Self::NullSafeEqual => "<=>",
        }
    }

    /// The same with its sides exchanged.
    pub fn turned(self) -> Self {
        match self {
            Self::Greater => Self::Less,
            Self::GreaterOrEqual => Self::LessOrEqual,
            Self::Less => Self::Greater,
            Self::LessOrEqual => Self::GreaterOrEqual,
            same => same,
        }
    }
}
