//! Why a statement is not carried out: each cause is told apart, with what a DBA needs to act on it.

use std::fmt;

/// Everything that planning can refuse.
#[derive(Clone, Debug, thiserror::Error, PartialEq)]
pub enum Error {
    /// A statement that an audit does not let pass.
    #[error("SQL check failed, error message is: Not allow DML operation without sharding conditions")]
    Audit,
    /// Something that cannot be done alike on every source.
    #[error("Unsupported SQL operation: {what} with broadcast table `{table}`")]
    Broadcast {
        /// What.
        what: Refused,
        /// Logical table.
        table: String,
    },
    /// `EXPLAIN FOR CONNECTION`.
    #[error(
        "Unsupported SQL operation: EXPLAIN FOR CONNECTION (the number is none of a server's connections)"
    )]
    ExplainConnection,
    /// Tables of `information_schema` that speak of databases, read in a way that cannot be answered.
    #[error("Unsupported SQL operation: tables of information_schema {0}")]
    Catalog(&'static str),
    /// A row of another width than the column list.
    #[error("Column count doesn't match value count at row {row}")]
    ColumnCount {
        /// From 1.
        row: usize,
    },
    /// Tables of several logical databases in one statement.
    #[error("Unsupported SQL operation: tables of several databases in one statement: {}", Ticked(.0))]
    Databases(Vec<String>),
    /// Tables on several storage units.
    #[error("All tables must be in the same datasource: {}", Ticked(.0))]
    DifferentUnits(Vec<String>),
    /// A range where an expression computes the target.
    #[error(
        "Unsupported SQL operation: Since the property of `allow-range-query-with-inline-sharding` is false, inline \
         sharding algorithm can not tackle with range query"
    )]
    InlineRange,
    /// A row that could be on several nodes.
    #[error(
        "Insert statement does not support sharding table routing to multiple data nodes. No strategy decides among \
         those of `{0}`."
    )]
    InsertNodes(String),
    /// `INSERT … SELECT` without the column whose values are generated.
    #[error("INSERT INTO ... SELECT can not support applying key generator with absent generate key column.")]
    InsertSelectKey,
    /// No key could be generated.
    #[error(transparent)]
    KeyGenerator(#[from] crate::Backwards),
    /// A key for which an expression has no value.
    #[error(
        "the algorithm of sharding column `{column}` of table `{table}` has no result for value {value}: {fault}"
    )]
    KeyFault {
        /// Logical table.
        table: String,
        /// Sharding column.
        column: String,
        /// As written.
        value: String,
        /// Why.
        fault: meta::Fault,
    },
    /// A key that is no date and time in the form that the algorithm reads.
    #[error(
        "value {value} for sharding column `{column}` of table `{table}` is not a date and time as its algorithm reads them"
    )]
    KeyTime {
        /// Logical table.
        table: String,
        /// Sharding column.
        column: String,
        /// As written.
        value: String,
    },
    /// A text key that is no integer.
    #[error("value {value} for sharding column `{column}` of table `{table}` is not an integer")]
    KeyText {
        /// Logical table.
        table: String,
        /// Sharding column.
        column: String,
        /// As written.
        value: String,
    },
    /// A key that is shorter than its offsets.
    #[error(
        "Sharding value subtract stop offset can not be less than start offset: value {value} for column `{column}` of \
         table `{table}`"
    )]
    KeyTooShort {
        /// Logical table.
        table: String,
        /// Sharding column.
        column: String,
        /// As written.
        value: String,
    },
    /// A key to be stored whose value is not known before the server computes it.
    #[error(
        "Unsupported SQL operation: the value for sharding column `{column}` of table `{table}` in row {row} must be a \
         constant that the column stores unchanged"
    )]
    KeyUnknown {
        /// Logical table.
        table: String,
        /// Sharding column.
        column: String,
        /// From 1.
        row: usize,
    },
    /// Sharded tables in one statement whose equal keys are not on the same nodes.
    #[error("Unsupported SQL operation: sharding tables {} in one statement are not laid out alike", Ticked(.0))]
    Layouts(Vec<String>),
    /// A definition that would make an encrypted column another one.
    #[error("Can not alter encrypt column `{column}` of table `{table}` to a column of another name.")]
    EncryptAlter {
        /// Logical table.
        table: String,
        /// Logical column.
        column: String,
    },
    /// A bare name of columns of several tables, one of them encrypted.
    #[error("Column '{0}' is ambiguous")]
    Ambiguous(String),
    /// What cannot be right on ciphertext.
    #[error("The SQL clause `{0}` is unsupported in encrypt rule.")]
    EncryptClause(String),
    /// A value to be stored in an encrypted column that only the server could compute.
    #[error("Insert value of index `{0}` can not support for encrypt.")]
    EncryptInsert(usize),
    /// Columns that are encrypted in different ways, or one that is not.
    #[error("Unsupported SQL operation: Can not use different encryptor in {0}")]
    EncryptMatch(String),
    /// What is not possible with encrypted and masked tables.
    #[error("Unsupported SQL operation: {what} with encrypted or masked table `{table}`")]
    Encrypted {
        /// What.
        what: String,
        /// Logical table.
        table: String,
    },
    /// A `LIMIT` that is no number of rows.
    #[error("Incorrect arguments to LIMIT")]
    Limit,
    /// Something that cannot be done right over several data nodes.
    #[error(
        "Unsupported SQL operation: {what} over several data nodes of table `{table}`: give its sharding column `{column}` one value"
    )]
    Many {
        /// What.
        what: Refused,
        /// Logical table.
        table: String,
        /// Its sharding column.
        column: String,
    },
    /// A list of integers and texts for a column where the kind of a value decides.
    #[error("Found different types for sharding value `{column}`.")]
    MixedTypes {
        /// Sharding column.
        column: String,
    },
    /// `UPDATE`/`DELETE … LIMIT` (or `ORDER BY`) over several data nodes.
    #[error("{verb} ... LIMIT can not support route to multiple data nodes.")]
    ModifyLimit {
        /// `UPDATE` or `DELETE`.
        verb: &'static str,
    },
    /// `UPDATE`/`DELETE` of several tables with a sharded one among them.
    #[error("Can not support DML operation with multiple tables `[{}]`.", .0.join(", "))]
    MultiTable(Vec<String>),
    /// A name that would be longer than a server's limit.
    #[error("Identifier name '{0}' is too long")]
    NameTooLong(String),
    /// The structure of these tables is wanted; whoever drafts loads it and drafts again. Told to a client it means
    /// that no server has them.
    #[error("Table '{database}.{}' doesn't exist", .tables.join(", "))]
    NeedTables {
        /// Logical database.
        database: String,
        /// Logical names.
        tables: Vec<String>,
    },
    /// No database is selected or named.
    #[error("No database selected")]
    NoDatabase,
    /// `INSERT` that says nothing about the sharding column.
    #[error(
        "Insert statement does not support sharding table routing to multiple data nodes. Give `{table}` a value for its \
         sharding column `{column}`."
    )]
    NoKey {
        /// Logical table.
        table: String,
        /// Sharding column.
        column: String,
    },
    /// A table that is not to be seen.
    #[error("Table '{database}.{table}' doesn't exist")]
    NoTable {
        /// Logical database.
        database: String,
        /// Its name.
        table: String,
    },
    /// A row for which there is no data node.
    #[error("Can not get route result, please check your sharding rule configuration.")]
    NoRoute,
    /// A database without storage unit.
    #[error("There is no resource in the database `{0}`.")]
    NoUnit(String),
    /// `NULL` for the sharding column.
    #[error("Sharding value can't be null in insert statement.")]
    NullKey,
    /// `RENAME TABLE` of a sharded table.
    #[error("Can not support operation `RENAME TABLE` with sharding table `{0}`.")]
    Rename(String),
    /// `DATA_SOURCE_NAME` of a comment names nothing.
    #[error("Storage unit `{0}` of the hint DATA_SOURCE_NAME does not exist.")]
    HintedSource(String),
    /// A rule that points to a storage unit that is not there.
    #[error("storage unit `{unit}` of sharding table `{table}` does not exist")]
    RuleUnit {
        /// Logical table.
        table: String,
        /// Storage unit.
        unit: String,
    },
    /// A name that an expression came to and nothing has.
    #[error("Routed target `{target}` does not exist, available targets are `[{}]`.", .available.join(", "))]
    RoutedTarget {
        /// The name.
        target: String,
        /// What there is.
        available: Vec<String>,
    },
    /// Something that sharded tables do not support at all.
    #[error("Unsupported SQL operation: {what} with sharding table `{table}`")]
    Sharded {
        /// What.
        what: Refused,
        /// Logical table.
        table: String,
    },
    /// What `sql` says of the text.
    #[error(transparent)]
    Sql(#[from] sql::Error),
    /// A value for an encrypted column that cannot be encrypted.
    #[error(
        "Unsupported SQL operation: the value for encrypted column `{column}` of table `{table}` must be a constant, and a \
         text in UTF-8"
    )]
    Unencryptable {
        /// Logical table.
        table: String,
        /// Logical column.
        column: String,
    },
    /// Something about a whole database of several storage units.
    #[error("Unsupported SQL operation: {0} over several storage units")]
    Units(Refused),
    /// A database that is not there.
    #[error("Unknown database '{0}'")]
    UnknownDatabase(String),
    /// Tables to be dropped that are not there; whoever drafts looks for them once and drafts again.
    #[error("Unknown table '{}'", qualified(.database, .tables))]
    UnknownTables {
        /// Logical database.
        database: String,
        /// Logical names.
        tables: Vec<String>,
    },
    /// A value of an `INSERT` for a column that shadow rules ask for, which only the server can compute.
    #[error("Insert value of index `{index}` can not support for shadow.")]
    ShadowInsert {
        /// Number of the column, from 0.
        index: usize,
    },
    /// A value of a type that shadow rules do not compare.
    #[error("Shadow column `{column}` of table `{table}` does not support `{kind}` type.")]
    ShadowType {
        /// Logical table.
        table: String,
        /// The column.
        column: String,
        /// The type.
        kind: &'static str,
    },
    /// `SET` of the sharding column to something else than what the condition says it is.
    #[error("Can not update sharding value for table `{table}`.")]
    UpdateKey {
        /// Logical table.
        table: String,
    },
}

/// What is refused, in the words that finish the error's sentence.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Refused {
    /// An aggregate function that cannot be put together from parts.
    Aggregate,
    /// `COUNT(DISTINCT …)` and the like.
    AggregateDistinct,
    /// An alias inside an expression of `ORDER BY` or `GROUP BY`.
    AliasInExpression(String),
    /// `CALL`.
    Call,
    /// A change of a sharding column.
    KeyColumn {
        /// Which.
        change: &'static str,
        /// The column.
        column: String,
    },
    /// More columns than can be counted.
    Columns,
    /// Anything but showing, counting and grouping by an `ENUM` or `SET`, anything but showing a `JSON`, where servers get it as a text.
    List(String),
    /// `CREATE TABLE … LIKE|SELECT`.
    CreateFrom,
    /// `WITH`.
    Cte,
    /// `SELECT DISTINCT *`, and `DISTINCT` ordered by what is not selected.
    Distinct(&'static str),
    /// `ALTER TABLE … DROP CONSTRAINT`.
    DropConstraint,
    /// A calculation with aggregates.
    ExpressionOverAggregate,
    /// A `FOREIGN KEY` whose rows may be on different nodes.
    ForeignKey,
    /// `GROUP BY` of a name that is both a column and an alias.
    GroupName(String),
    /// `HAVING`.
    Having,
    /// Something inside a derived table, subquery or part of a set operation.
    Inner(&'static str),
    /// `INSERT … SELECT`.
    InsertSelect,
    /// `INTO`.
    Into,
    /// A join.
    Join,
    /// Columns beside aggregates without `GROUP BY`.
    MixedAggregate,
    /// `ORDER BY` of an aggregate that is not selected.
    OrderByAggregate,
    /// A position that no select item has.
    Ordinal(u32),
    /// A statement that is not known otherwise, in its first words.
    Other(String),
    /// Tables that are not on every source.
    Others,
    /// `WITH ROLLUP`.
    Rollup,
    /// State of one server connection: `LAST_INSERT_ID()`, user variables.
    SessionState,
    /// `UNION`, `INTERSECT`, `EXCEPT`.
    SetOperation,
    /// A function that each server answers otherwise.
    Random,
    /// `SHOW …`.
    Show(&'static str),
    /// A subquery.
    Subquery,
    /// `CREATE TEMPORARY TABLE`.
    Temporary,
    /// A definition that needs another table on every node.
    Together,
    /// Sorting, grouping or comparing values of a type without a known order.
    Unordered(String),
    /// `*` before an aggregate function or a sorted column.
    Wildcard,
    /// A window function.
    Window,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Aggregate => "an aggregate function other than COUNT, SUM, MIN, MAX and AVG",
            Self::AggregateDistinct => "COUNT, SUM or AVG with DISTINCT",
            Self::AliasInExpression(name) => {
                return write!(f, "an expression with alias `{name}` in ORDER BY or GROUP BY");
            }
            Self::Call => "CALL",
            Self::Columns => "a list of that many columns",
            Self::CreateFrom => "CREATE TABLE ... SELECT, or LIKE a table that is laid out otherwise,",
            Self::List(column) => {
                return write!(f, "this use of `{column}`, whose type (ENUM, SET, JSON) means more than its text,");
            }
            Self::Cte => "WITH",
            Self::Distinct(what) => what,
            Self::DropConstraint => {
                "DROP CONSTRAINT (say DROP CHECK, DROP FOREIGN KEY or DROP INDEX)"
            }
            Self::ExpressionOverAggregate => "an expression over an aggregate function",
            Self::ForeignKey => {
                "a foreign key that a node cannot keep by itself (it pairs the sharding columns of tables laid out alike and sets \
                 none of them)"
            }
            Self::GroupName(name) => {
                return write!(f, "GROUP BY `{name}`, which is a column and the alias of another,");
            }
            Self::Having => "HAVING",
            Self::Inner(what) => what,
            Self::KeyColumn { change, column } => {
                return write!(f, "{change} for sharding column `{column}`");
            }
            Self::InsertSelect => "INSERT ... SELECT",
            Self::Into => "SELECT ... INTO",
            Self::Join => "a join",
            Self::MixedAggregate => "columns beside an aggregate function without GROUP BY",
            Self::OrderByAggregate => "ORDER BY an aggregate function that is not selected",
            Self::Ordinal(position) => return write!(f, "ORDER BY or GROUP BY position {position}"),
            Self::Other(words) => words,
            Self::Others => "a change together with tables that are not broadcast tables",
            Self::Random => "a function with another result on each server (RAND(), UUID() ...)",
            Self::Rollup => "WITH ROLLUP",
            Self::SessionState => "a statement that reads or sets the state of one server connection",
            Self::SetOperation => "UNION, INTERSECT or EXCEPT",
            Self::Show(what) => what,
            Self::Subquery => "a subquery",
            Self::Temporary => "a temporary table",
            Self::Together => "a definition together with a table that is not laid out alike",
            Self::Unordered(column) => {
                return write!(
                    f,
                    "sorting or grouping by `{column}`, whose type has no order that can be merged,"
                );
            }
            Self::Wildcard => "`*` before an aggregate function or the sorted column",
            Self::Window => "a window function",
        })
    }
}

impl Error {
    /// An algorithm named a target that is not there.
    pub(crate) fn target(strategy: &meta::Strategy, target: String) -> Self {
        let available = match &strategy.targets {
            meta::Targets::Named(targets) => targets.names.clone(),
            meta::Targets::Nodes => Vec::new(),
        };
        Self::RoutedTarget { target, available }
    }

    /// MySQL's or the specification's number (`distsql.md` §11).
    pub fn code(&self) -> u16 {
        match self {
            Self::Ambiguous(_) => 1052,
            Self::ColumnCount { .. } => 1136,
            Self::Audit => 16_000,
            Self::Broadcast { .. }
            | Self::Catalog(_)
            | Self::ExplainConnection
            | Self::Databases(_)
            | Self::EncryptMatch(_)
            | Self::Encrypted { .. }
            | Self::InlineRange
            | Self::KeyUnknown { .. }
            | Self::Layouts(_)
            | Self::Many { .. }
            | Self::Sharded { .. }
            | Self::Unencryptable { .. }
            | Self::Units(_) => 30_001,
            Self::DifferentUnits(_)
            | Self::InsertNodes(_)
            | Self::KeyFault { .. }
            | Self::KeyText { .. }
            | Self::KeyTime { .. }
            | Self::KeyTooShort { .. }
            | Self::NoKey { .. } => 30_000,
            Self::EncryptAlter { .. } => 20_702,
            Self::EncryptClause(_) => 20_741,
            Self::EncryptInsert(_) => 20_740,
            Self::InsertSelectKey => 20_048,
            Self::KeyGenerator(_) => 30_000,
            Self::Limit => 1210,
            Self::MixedTypes { .. } => 20_021,
            Self::ModifyLimit { .. } => 20_046,
            Self::MultiTable(_) => 20_045,
            Self::NameTooLong(_) => 1059,
            Self::NeedTables { .. } | Self::NoTable { .. } => 1146,
            Self::NoDatabase => 1046,
            Self::NoUnit(_) => 19_002,
            Self::NoRoute => 20_061,
            Self::NullKey => 20_020,
            Self::RoutedTarget { .. } => 20_081,
            Self::Rename(_) => 20_040,
            Self::HintedSource(_) | Self::RuleUnit { .. } => 19_001,
            Self::ShadowInsert { .. } => 20_840,
            Self::ShadowType { .. } => 20_820,
            Self::Sql(_) => 1064,
            Self::UnknownDatabase(_) => 1049,
            Self::UnknownTables { .. } => 1051,
            Self::UpdateKey { .. } => 20_041,
        }
    }

    /// SQLSTATE.
    pub fn state(&self) -> &'static str {
        match self {
            Self::Ambiguous(_) => "23000",
            Self::ColumnCount { .. } => "21S01",
            Self::Broadcast { .. }
            | Self::Catalog(_)
            | Self::ExplainConnection
            | Self::Databases(_)
            | Self::EncryptClause(_)
            | Self::EncryptMatch(_)
            | Self::Encrypted { .. }
            | Self::InlineRange
            | Self::KeyUnknown { .. }
            | Self::Layouts(_)
            | Self::Many { .. }
            | Self::MultiTable(_)
            | Self::Rename(_)
            | Self::Sharded { .. }
            | Self::Unencryptable { .. }
            | Self::Units(_) => "0A000",
            Self::DifferentUnits(_)
            | Self::InsertNodes(_)
            | Self::KeyFault { .. }
            | Self::KeyGenerator(_)
            | Self::KeyText { .. }
            | Self::KeyTime { .. }
            | Self::KeyTooShort { .. }
            | Self::Limit
            | Self::NoKey { .. }
            | Self::RoutedTarget { .. } => "HY000",
            Self::MixedTypes { .. } | Self::ShadowType { .. } => "HY004",
            Self::EncryptInsert(_)
            | Self::InsertSelectKey
            | Self::ModifyLimit { .. }
            | Self::NameTooLong(_)
            | Self::ShadowInsert { .. }
            | Self::Sql(_)
            | Self::UnknownDatabase(_) => "42000",
            Self::NeedTables { .. } | Self::NoRoute | Self::NoTable { .. } | Self::UnknownTables { .. } => {
                "42S02"
            }
            Self::NoDatabase => "3D000",
            Self::Audit
            | Self::EncryptAlter { .. }
            | Self::HintedSource(_)
            | Self::NoUnit(_)
            | Self::NullKey
            | Self::RuleUnit { .. }
            | Self::UpdateKey { .. } => "44000",
        }
    }
}

/// `db.a,db.b`
fn qualified(database: &str, tables: &[String]) -> String {
    let names: Vec<_> = tables.iter().map(|table| format!("{database}.{table}")).collect();
    names.join(",")
}

struct Ticked<'a>(&'a [String]);

impl fmt::Display for Ticked<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, name) in self.0.iter().enumerate() {
            write!(f, "{}`{name}`", if number == 0 { "" } else { ", " })?;
        }
        Ok(())
    }
}
