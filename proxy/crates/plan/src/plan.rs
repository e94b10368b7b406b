//! What is to be done for one execution, as data: below it nothing looks at SQL again.

use meta::{SourceIndex, UnitIndex};
use serde::Serialize;
use smallvec::SmallVec;

/// One execution: which servers get which text, and how their answers become one.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Plan {
    /// Where it goes; never empty.
    pub units: SmallVec<[RouteUnit; 1]>,
    /// How several answers become one; [`Merge::Relay`] whenever there is one unit.
    pub merge: Merge,
}

/// One statement on one server.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RouteUnit {
    /// Where the table is: a storage unit, or a rule that chooses among some.
    pub source: SourceIndex,
    /// Which storage unit: the source's primary one until [`crate::Template::place`] has chosen.
    pub unit: UnitIndex,
    /// Which physical tables stand for the logical ones: number of the data node, for tables under a rule.
    pub node: Option<u32>,
    /// Which text.
    pub variant: Variant,
    /// Rows of a multi-row `INSERT` that go there; all when empty.
    pub rows: Vec<u32>,
}

/// Which of a template's texts.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq, Serialize)]
pub enum Variant {
    /// With what merging needs: derived columns, paging rewritten; with [`Merge::Finish`], what is gathered.
    Many,
    /// Only the names replaced.
    One,
    /// Without rows, for [`Merge::Finish`]: tells the columns of the result.
    Define,
    /// Given up as soon as it runs, for [`Merge::Finish`]: tells the columns of the result as a run does, where servers
    /// know `MAX_EXECUTION_TIME`.
    Begin,
    /// For [`Merge::Finish`], up to where the gathered rows go.
    Head,
    /// For [`Merge::Finish`], from there on.
    Tail,
}

/// How answers are merged.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub enum Merge {
    /// `OK` packets: affected rows added, warnings added, the first insert id kept.
    Count,
    /// Rows that one of the servers works the answer out over: [`Variant::Begin`] or
    /// [`Variant::Define`] tells its columns,
    /// [`Variant::Head`], the rows of all as a `SELECT`, `UNION ALL` and [`Variant::Tail`] give it.
    Finish,
    /// The same `OK` from each (DDL): the first one is shown.
    First,
    /// One answer, handed through.
    Relay,
    /// Rows.
    Rows(Rows),
    /// The same change of the same rows on each (broadcast tables): the numbers of the first are shown.
    Same,
    /// What servers say of tables (`ANALYZE TABLE`): the same from several nodes of one table is shown once.
    Tables,
}

/// How result sets of equal shape are merged into one. Steps apply in the order of the fields.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Rows {
    /// Every stream comes sorted by these and is merged so; empty: one after the other. Before grouping it begins with
    /// all group keys, so that equal rows come together, or it is empty.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub order: Vec<SortKey>,
    /// Rows with equal keys become one (also for `DISTINCT`, which groups by all visible columns).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group: Option<Group>,
    /// The final order when it is not that of the streams (after grouping); sorts in memory.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub resort: Vec<SortKey>,
    /// Rows skipped, rows shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<Window>,
    /// Columns at the end of each row that the client does not see.
    pub derived: u16,
    /// How many columns the client sees, where positions hang on what a `*` stood for when this was planned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub visible: Option<u16>,
    /// Rows behind the window are read, too, and counted: `SQL_CALC_FOUND_ROWS`.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub counted: bool,
}

/// `LIMIT`.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize)]
pub struct Window {
    /// Rows skipped.
    pub offset: u64,
    /// Rows shown at most.
    pub count: u64,
}

/// A column of the servers' rows.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq, Serialize)]
pub enum Position {
    /// The n-th derived column (from the first of the [`Rows::derived`] last columns).
    Derived(u16),
    /// The n-th column from the left.
    Visible(u16),
}

/// One key of an order.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize)]
pub struct SortKey {
    /// The value; numbers and times are compared by it.
    pub value: Position,
    /// Compared instead where the value turns out to be text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weight: Option<Weight>,
    /// Largest first (`NULL` last).
    pub descending: bool,
}

/// What text is compared by.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize)]
pub struct Weight {
    /// `WEIGHT_STRING(value)`, compared bytewise.
    pub value: Position,
    /// Says what stands behind the end of the shorter one.
    pub collation: Collation,
}

/// How it is known what a text compares by.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize)]
pub enum Collation {
    /// None: the value is JSON as bytes, the weight the name of its type.
    Json,
    /// Its name is known.
    Known(&'static str),
    /// Its name comes in each row.
    Told(Position),
}

/// Rows that become one.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Group {
    /// Equal in all of these; empty: all rows become one, also when there are none.
    pub keys: Vec<SortKey>,
    /// What becomes of the other columns; those not named keep the value of the group's first row.
    pub aggregates: Vec<Merged>,
    /// How many rows stand behind a row: one with none is no group's first row if there is another.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub witness: Option<Position>,
}

/// How one aggregate column is put together from the parts of each node.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Merged {
    /// The column that holds it.
    pub column: Position,
    /// How.
    pub how: Combine,
}

/// How partial aggregates are combined.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize)]
pub enum Combine {
    /// `SUM` of this over `COUNT` of that, with the scale of the column's own definition.
    Average {
        /// `SUM(x)`.
        sum: Position,
        /// `COUNT(x)`.
        count: Position,
    },
    /// Added as integers; no value is 0 (`COUNT`).
    Count,
    /// The largest; text by its weight.
    Max {
        /// Of `MAX(x)`.
        weight: Option<Weight>,
    },
    /// The smallest; text by its weight.
    Min {
        /// Of `MIN(x)`.
        weight: Option<Weight>,
    },
    /// Added; `NULL` where all are (`SUM`).
    Sum,
}
