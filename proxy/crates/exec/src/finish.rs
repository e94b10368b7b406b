//! Gathered rows as SQL: how their values are written so that a server reads back exactly these, whatever the session
//! has set, and how the rows it answers with become what the client was told to expect. No I/O.

mod carry;
mod fit;

use bytes::BytesMut;
use wire::column::{Column, ColumnType};
use wire::row;

use crate::Error;
use crate::merge::Format;
pub(crate) use carry::Carry;
pub(crate) use fit::Fit;

/// How a server reads rows of constants.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Dialect {
    /// `VALUES (…), (…)`: MariaDB.
    Plain,
    /// `VALUES ROW(…), ROW(…)`: MySQL from 8.0.19 on.
    Rows,
    /// `SELECT … UNION ALL SELECT …`: before.
    Selects,
}

impl Dialect {
    /// Of a server that calls itself so.
    pub(crate) fn of(version: &str, mariadb: bool) -> Self {
        if mariadb {
            return Self::Plain;
        }
        let mut numbers =
            version.split(|letter: char| !letter.is_ascii_digit()).map(|it| it.parse().unwrap_or(0));
        let mut next = || numbers.next().unwrap_or(0_u32);
        if (next(), next(), next()) >= (8, 0, 19) { Self::Rows } else { Self::Selects }
    }
}

/// The rows gathered so far, written as SQL.
#[derive(Debug)]
pub(crate) struct Gathered {
    dialect: Dialect,
    format: Format,
    /// How each column travels; known from the first result on.
    carries: Vec<Carry>,
    sql: BytesMut,
    limit: usize,
}

impl Gathered {
    /// Nothing yet; `limit` bounds the text in bytes.
    pub(crate) fn new(dialect: Dialect, format: Format, limit: usize) -> Self {
        Self { dialect, format, carries: Vec::new(), sql: BytesMut::new(), limit }
    }

    /// The columns of a node's result, as the plan calls them: parts of aggregates `p0`, `p1` ….
    pub(crate) fn columns(&mut self, columns: &[Column], names: &[String]) -> Result<(), Error> {
        let compared =
            |(column, name): &(&Column, &String)| column.kind == ColumnType::JSON && name.starts_with('p');
        if let Some((column, _)) = columns.iter().zip(names).find(compared) {
            let column = String::from_utf8_lossy(&column.name).into_owned();
            return Err(Error::Carried { column, what: "JSON" });
        }
        let carries =
            columns.iter().map(|column| Carry::of(column, self.dialect)).collect::<Result<Vec<_>, _>>()?;
        if self.carries.is_empty() {
            self.carries = carries;
        } else if self.carries.len() != carries.len() {
            return Err(Error::Columns { first: self.carries.len(), other: carries.len() });
        } else if let Some(at) = self.carries.iter().zip(&carries).position(|(one, other)| one != other) {
            let column = String::from_utf8_lossy(&columns[at].name).into_owned();
            return Err(Error::Carried { column, what: "another type on another node" });
        }
        Ok(())
    }

    /// Appends a row of a result with these columns.
    pub(crate) fn row(&mut self, payload: &[u8], columns: &[Column]) -> Result<(), Error> {
        let first = self.sql.is_empty();
        self.sql.extend_from_slice(match (self.dialect, first) {
            (Dialect::Plain, true) => b"(",
            (Dialect::Plain, false) => b",(",
            (Dialect::Rows, true) => b"ROW(",
            (Dialect::Rows, false) => b",ROW(",
            (Dialect::Selects, true) => b"SELECT ",
            (Dialect::Selects, false) => b" UNION ALL SELECT ",
        });
        match self.format {
            Format::Text => {
                let mut cells = row::text(payload);
                for (number, (carry, column)) in self.carries.iter().zip(columns).enumerate() {
                    let cell = cells.next().transpose().map_err(Error::Malformed)?.flatten();
                    separate(&mut self.sql, number);
                    carry.text(cell, column, &mut self.sql)?;
                    name(&mut self.sql, self.dialect, number, first);
                }
            }
            Format::Binary => {
                let values = row::binary(payload, columns).map_err(Error::Malformed)?;
                for (number, ((carry, column), value)) in
                    self.carries.iter().zip(columns).zip(values).enumerate()
                {
                    separate(&mut self.sql, number);
                    carry.value(value.map_err(Error::Malformed)?, column, &mut self.sql)?;
                    name(&mut self.sql, self.dialect, number, first);
                }
            }
        }
        if self.dialect != Dialect::Selects {
            self.sql.extend_from_slice(b")");
        }
        if self.sql.len() > self.limit {
            return Err(Error::Gathered { limit: self.limit });
        }
        Ok(())
    }

    /// How many bytes the rows take.
    pub(crate) fn len(&self) -> usize {
        self.sql.len()
    }

    /// Writes the rows as a `SELECT` with `UNION ALL` behind it; nothing where there are none. The columns are called
    /// as the plan's [`plan::Variant::Tail`] calls them: it is the last part of the union, and the first gives names.
    pub(crate) fn write(&self, names: &[String], out: &mut BytesMut) {
        if self.sql.is_empty() {
            return;
        }
        out.extend_from_slice(b"SELECT ");
        for (number, (carry, name)) in self.carries.iter().zip(names).enumerate() {
            if number > 0 {
                out.extend_from_slice(b", ");
            }
            carry.cast(&format!("column_{number}"), out);
            out.extend_from_slice(format!(" AS `{name}`").as_bytes());
        }
        out.extend_from_slice(b" FROM (");
        match self.dialect {
            Dialect::Plain => {
                for number in 0..self.carries.len() {
                    let lead = if number == 0 { "SELECT " } else { ", " };
                    out.extend_from_slice(format!("{lead}NULL AS column_{number}").as_bytes());
                }
                out.extend_from_slice(b" FROM DUAL WHERE FALSE UNION ALL VALUES ");
            }
            Dialect::Rows => out.extend_from_slice(b"VALUES "),
            Dialect::Selects => {}
        }
        out.extend_from_slice(&self.sql);
        out.extend_from_slice(b") AS `rows` UNION ALL ");
    }
}

fn separate(out: &mut BytesMut, number: usize) {
    if number > 0 {
        out.extend_from_slice(b",");
    }
}

fn name(out: &mut BytesMut, dialect: Dialect, number: usize, first: bool) {
    if dialect == Dialect::Selects && first {
        out.extend_from_slice(format!(" AS column_{number}").as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gathered(dialect: Dialect) -> String {
        let columns = [Column::integer("a"), Column::text("b", 10)];
        let mut gathered = Gathered::new(dialect, Format::Text, 1000);
        gathered.columns(&columns, &[]).unwrap();
        gathered.row(b"\x011\x01x", &columns).unwrap();
        gathered.row(b"\x012\xfb", &columns).unwrap();
        let mut out = BytesMut::new();
        gathered.write(&["k0".to_owned(), "p0".to_owned()], &mut out);
        String::from_utf8(out.to_vec()).unwrap()
    }

    #[test]
    fn writes_rows_as_each_server_reads_them() {
        let select = "SELECT CAST(column_0 AS SIGNED) AS `k0`, \
                      CONVERT(column_1 USING utf8mb4) COLLATE utf8mb4_0900_ai_ci AS `p0` FROM (";
        let end = ") AS `rows` UNION ALL ";
        for (dialect, rows) in [
            (Dialect::Rows, "VALUES ROW(1,_utf8mb4'x'),ROW(2,NULL)"),
            (
                Dialect::Plain,
                "SELECT NULL AS column_0, NULL AS column_1 FROM DUAL WHERE FALSE UNION ALL VALUES (1,_utf8mb4'x'),(2,NULL)",
            ),
            (Dialect::Selects, "SELECT 1 AS column_0,_utf8mb4'x' AS column_1 UNION ALL SELECT 2,NULL"),
        ] {
            assert_eq!(gathered(dialect), format!("{select}{rows}{end}"));
        }
    }

    #[test]
    fn refuses_more_than_fits_and_columns_that_differ() {
        let columns = [Column::integer("a")];
        let mut gathered = Gathered::new(Dialect::Rows, Format::Text, 20);
        gathered.columns(&columns, &[]).unwrap();
        gathered.row(b"\x011", &columns).unwrap();
        gathered.row(b"\x012", &columns).unwrap();
        assert!(matches!(gathered.row(b"\x0f123456789012345", &columns), Err(Error::Gathered { limit: 20 })));
        let other = [Column::new("a", ColumnType::DOUBLE)];
        assert!(matches!(gathered.columns(&other, &[]), Err(Error::Carried { .. })));
    }

    #[test]
    fn knows_servers_by_their_versions() {
        assert_eq!(Dialect::of("9.7.0", false), Dialect::Rows);
        assert_eq!(Dialect::of("8.0.19-log", false), Dialect::Rows);
        assert_eq!(Dialect::of("8.0.18", false), Dialect::Selects);
        assert_eq!(Dialect::of("5.7.44", false), Dialect::Selects);
        assert_eq!(Dialect::of("10.11.6-MariaDB", true), Dialect::Plain);
    }
}
