//! The rows of one table of `information_schema` over all units: told in logical names, one for each logical object.

use std::collections::HashMap;

use backend::TextResult;
use bytes::Bytes;
use meta::Database;
use plan::CatalogTable;

use super::names::{Names, Physical, Place};

/// A cell; nothing is NULL.
type Cell = Option<Bytes>;

/// The rows of one table.
#[derive(Debug)]
pub(super) struct Rows {
    table: &'static CatalogTable,
    /// Names of the columns of each row, in upper case.
    columns: Vec<String>,
    rows: Vec<Row>,
}

#[derive(Debug)]
struct Row {
    /// What it is about: the number of the database, and the logical table or whatever else is unique there.
    about: (usize, String),
    /// Where it was found; of rows about the same thing those found first count.
    rank: Rank,
    cells: Vec<Cell>,
}

#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
struct Rank {
    shadow: bool,
    /// Of the node for sharded tables, of the place for others.
    number: usize,
    /// It is one of several nodes.
    node: bool,
}

/// Figures that are those of all nodes together.
const SUMS: [&str; 4] = ["TABLE_ROWS", "DATA_LENGTH", "INDEX_LENGTH", "DATA_FREE"];

/// What is made of some of these.
const AVERAGE: &str = "AVG_ROW_LENGTH";

/// What tells the parts of one table apart.
const PARTS: [&str; 2] = ["PARTITION_NAME", "SUBPARTITION_NAME"];

/// Figures of which the largest counts.
const LARGEST: [&str; 2] = ["AUTO_INCREMENT", "UPDATE_TIME"];

/// Whether a query that mentions these names needs a column: because it may be one of them, or for what its rows are put
/// together by.
pub(super) fn needs(table: &CatalogTable, mentioned: &[String], column: &str) -> bool {
    let mentions = |name: &str| mentioned.iter().any(|mentioned| mentioned == name);
    let figures = || SUMS.iter().chain([&AVERAGE]).any(|name| mentions(name));
    mentions(column)
        || table.schema == column
        || table.table == Some(column)
        || Rows::sums(table) && (PARTS.contains(&column) || SUMS.contains(&column) && figures())
}

impl Rows {
    /// None yet, of columns that are called so.
    pub(super) fn new(table: &'static CatalogTable, columns: Vec<String>) -> Self {
        Self { table, columns, rows: Vec::new() }
    }

    /// Whether the figures of all nodes are wanted.
    pub(super) fn sums(table: &CatalogTable) -> bool {
        matches!(table.name, "PARTITIONS" | "TABLES")
    }

    /// Takes what one place answered for a database.
    pub(super) fn take(
        &mut self,
        names: &Names<'_>,
        (database, number): (usize, usize),
        place: &Place,
        answer: TextResult,
    ) {
        let theirs: Vec<String> = answer
            .columns
            .iter()
            .map(|column| String::from_utf8_lossy(&column.name).to_ascii_uppercase())
            .collect();
        let find = |name: &str| theirs.iter().position(|column| column == name);
        let from: Vec<Option<usize>> = self.columns.iter().map(|name| find(name)).collect();
        let table_at = self.table.table.and_then(find);
        let keys: Vec<usize> = self.table.key.iter().filter_map(|key| find(key)).collect();
        for row in answer.rows {
            let text = |at: usize| {
                row.get(at).and_then(Option::as_deref).map(|cell| String::from_utf8_lossy(cell).into_owned())
            };
            let mut rank = Rank { shadow: place.shadow, number, node: false };
            let physical = table_at.and_then(text);
            let about = match &physical {
                Some(physical) => match names.physical(&place.source, physical) {
                    Physical::Hidden => continue,
                    Physical::Node(rule, node) => {
                        (rank.number, rank.node) = (node, true);
                        rule.spec.name.clone()
                    }
                    Physical::Whole => physical.clone(),
                },
                None => keys.iter().filter_map(|at| text(*at)).collect::<Vec<_>>().join("\0"),
            };
            let cells = from.iter().map(|at| at.and_then(|at| row.get(at).cloned().flatten())).collect();
            let told = Told { names, place, physical: physical.as_deref(), logical: &about };
            if let Some(cells) = told.row(self.table, &self.columns, cells) {
                self.rows.push(Row { about: (database, about), rank, cells });
            }
        }
    }

    /// A database that no unit holds.
    pub(super) fn bare(&mut self, number: usize, database: &Database) {
        let cell = |name: &String| match name.as_str() {
            "CATALOG_NAME" => Some(Bytes::from_static(b"def")),
            "DEFAULT_CHARACTER_SET_NAME" => Some(Bytes::from_static(b"utf8mb4")),
            "DEFAULT_COLLATION_NAME" => Some(Bytes::from_static(b"utf8mb4_0900_ai_ci")),
            "DEFAULT_ENCRYPTION" => Some(Bytes::from_static(b"NO")),
            "OPTIONS" => Some(Bytes::new()),
            "SCHEMA_NAME" => Some(Bytes::from(database.name.clone())),
            _ => None,
        };
        let cells = self.columns.iter().map(cell).collect();
        let rank = Rank { shadow: false, number: 0, node: false };
        self.rows.push(Row { about: (number, String::new()), rank, cells });
    }

    /// The rows that stand for each object, by databases and names.
    pub(super) fn merged(mut self) -> Vec<Vec<Cell>> {
        // A stable sort: rows about one table stay in their server's order.
        self.rows.sort_by(|one, other| (&one.about, one.rank).cmp(&(&other.about, other.rank)));
        let mut merged: Vec<Row> = Vec::with_capacity(self.rows.len());
        let mut first = 0;
        for row in std::mem::take(&mut self.rows) {
            match merged.get(first) {
                Some(known) if known.about == row.about => {
                    if known.rank == row.rank {
                        merged.push(row);
                    } else if row.rank.node && row.rank.shadow == known.rank.shadow && Self::sums(self.table)
                    {
                        self.add(merged.get_mut(first..).unwrap_or_default(), &row);
                    }
                }
                _ => {
                    first = merged.len();
                    merged.push(row);
                }
            }
        }
        merged.into_iter().map(|row| row.cells).collect()
    }

    fn at(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column == name)
    }

    /// Adds the figures of a further node to those of the first.
    fn add(&self, known: &mut [Row], row: &Row) {
        let cell = |row: &Row, at: usize| row.cells.get(at).cloned().flatten();
        let parts: Vec<usize> = PARTS.iter().filter_map(|name| self.at(name)).collect();
        let same = |known: &&mut Row| parts.iter().all(|at| cell(known, *at) == cell(row, *at));
        let Some(known) = known.iter_mut().find(same) else { return };
        for name in SUMS {
            let Some(at) = self.at(name) else { continue };
            let sum = match (number(cell(known, at).as_deref()), number(cell(row, at).as_deref())) {
                (Some(one), Some(other)) => Some(one.saturating_add(other)),
                (one, other) => one.or(other),
            };
            set(known, at, sum.map(|sum| Bytes::from(sum.to_string())));
        }
        for name in LARGEST {
            let Some(at) = self.at(name) else { continue };
            let (one, other) = (cell(known, at), cell(row, at));
            // Moments are as long as each other, so that this is their order, too.
            let weight = |cell: &Cell| cell.as_ref().map(|cell| (cell.len(), cell.clone()));
            let largest = if weight(&one) < weight(&other) { other } else { one };
            set(known, at, largest);
        }
        if let (Some(average), Some(rows), Some(bytes)) =
            (self.at(AVERAGE), self.at("TABLE_ROWS"), self.at("DATA_LENGTH"))
            && let (Some(rows), Some(bytes)) =
                (number(cell(known, rows).as_deref()), number(cell(known, bytes).as_deref()))
        {
            set(known, average, Some(Bytes::from(bytes.checked_div(rows).unwrap_or(0).to_string())));
        }
    }

    /// Numbers the columns of tables some of whose columns are not shown.
    pub(super) fn renumber(&self, rows: &mut [Vec<Cell>], encrypted: impl Fn(&str, &str) -> bool) {
        let (Some(schema), Some(table), Some(at)) =
            (self.at("TABLE_SCHEMA"), self.at("TABLE_NAME"), self.at("ORDINAL_POSITION"))
        else {
            return;
        };
        let mut tables: HashMap<(Cell, Cell), Vec<(u128, usize)>> = HashMap::new();
        for (row, cells) in rows.iter().enumerate() {
            let cell = |at: usize| cells.get(at).cloned().flatten();
            let text = |at: usize| cell(at).map(|cell| String::from_utf8_lossy(&cell).into_owned());
            if encrypted(&text(schema).unwrap_or_default(), &text(table).unwrap_or_default()) {
                let position = number(cell(at).as_deref()).unwrap_or_default();
                tables.entry((cell(schema), cell(table))).or_default().push((position, row));
            }
        }
        for mut columns in tables.into_values() {
            columns.sort_unstable();
            for (position, (_, row)) in columns.into_iter().enumerate() {
                if let Some(cell) = rows.get_mut(row).and_then(|cells| cells.get_mut(at)) {
                    *cell = Some(Bytes::from((position + 1).to_string()));
                }
            }
        }
    }
}

fn set(row: &mut Row, at: usize, value: Cell) {
    if let Some(cell) = row.cells.get_mut(at) {
        *cell = value;
    }
}

fn number(cell: Option<&[u8]>) -> Option<u128> {
    std::str::from_utf8(cell?).ok()?.parse().ok()
}

/// One row in logical names.
struct Told<'a> {
    names: &'a Names<'a>,
    place: &'a Place,
    physical: Option<&'a str>,
    logical: &'a str,
}

impl Told<'_> {
    /// The row; nothing when clients do not know what it is about.
    fn row(&self, table: &CatalogTable, columns: &[String], mut cells: Vec<Cell>) -> Option<Vec<Cell>> {
        let referenced = columns
            .iter()
            .position(|name| name == "REFERENCED_TABLE_NAME")
            .and_then(|at| cells.get(at).cloned().flatten())
            .map(|cell| String::from_utf8_lossy(&cell).into_owned());
        for (name, cell) in columns.iter().zip(&mut cells) {
            let Some(bytes) = cell else { continue };
            let text = String::from_utf8_lossy(bytes).into_owned();
            let told = match name.as_str() {
                "COLUMN_NAME" if matches!(table.name, "COLUMNS" | "COLUMNS_EXTENSIONS") => {
                    self.names.column(self.logical, &text)?
                }
                "COLUMN_NAME" => self.names.key_column(self.logical, &text),
                "REFERENCED_COLUMN_NAME" => {
                    let table =
                        self.names.table(&self.place.source, referenced.as_deref().unwrap_or_default());
                    self.names.key_column(&table, &text)
                }
                "EVENT_OBJECT_TABLE" | "REFERENCED_TABLE_NAME" | "TABLE_NAME" | "VIEW_NAME" => {
                    self.names.table(&self.place.source, &text)
                }
                "CONSTRAINT_NAME" | "INDEX_NAME" => {
                    let told = self
                        .physical
                        .and_then(|physical| meta::logical_constraint(&text, physical, self.logical));
                    let Some(told) = told else { continue };
                    told
                }
                "VIEW_DEFINITION" => {
                    let quoted = |name: &str| format!("{}.", super::text::name(name));
                    text.replace(&quoted(&self.place.unit.spec.database), &quoted(&self.names.database.name))
                }
                name if name.ends_with("_SCHEMA") || name == "SCHEMA_NAME" => {
                    if text != self.place.unit.spec.database {
                        continue;
                    }
                    self.names.database.name.clone()
                }
                _ => continue,
            };
            *cell = Some(Bytes::from(told));
        }
        Some(cells)
    }
}
