//! What a server tells of its tables, asked through `information_schema` in a way MySQL 5.7 to 9 and MariaDB all understand.
//!
//! Each question first takes back what sessions set on the connection: a foreign `sql_mode` or character set would
//! change how the question is read and how names come back.

use std::sync::Arc;

use meta::{StorageUnit, Table, TableColumn};
use wire::hex::hex;

use crate::connection::{Connection, ServerInfo};
use crate::error::Error;
use crate::hub::Hub;
use crate::lease::Pools;
use crate::query::TextResult;
use crate::settings::Settings;

/// Opens and closes a connection to a unit that has no pool yet: is everything in its description right?
pub async fn probe(hub: &Hub, unit: &StorageUnit) -> Result<ServerInfo, Error> {
    let connection = hub.open_aside(unit).await?;
    let server = connection.server().clone();
    connection.close();
    Ok(server)
}

/// The names of all tables and views of a unit, asked over a connection of its own: a unit that is being registered has
/// no pool yet.
pub async fn survey(hub: &Hub, unit: &StorageUnit) -> Result<Vec<String>, Error> {
    let mut connection = hub.open_aside(unit).await?;
    let found = tables(&mut connection).await?;
    connection.close();
    Ok(found)
}

/// A table of a unit, likewise over a connection of its own.
pub async fn inspect(hub: &Hub, unit: &StorageUnit, table: &str) -> Result<Option<Table>, Error> {
    let mut connection = hub.open_aside(unit).await?;
    let found = structure(&mut connection, table).await?;
    connection.close();
    Ok(found.map(|(name, columns)| Table { name, source: Some(unit.name.clone()), columns }))
}

/// The names of all tables and views of the connection's database, sorted.
pub async fn tables(connection: &mut Connection) -> Result<Vec<String>, Error> {
    let found = ask(
        connection,
        "SELECT TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA=DATABASE() \
         AND TABLE_TYPE<>'SEQUENCE' ORDER BY TABLE_NAME",
        1,
    )
    .await?;
    Ok((0..found.rows.len()).map(|row| found.text(row, 0).into_owned()).collect())
}

/// The columns of a table in its order; none when there is no such table.
pub async fn columns(connection: &mut Connection, table: &str) -> Result<Vec<TableColumn>, Error> {
    Ok(structure(connection, table).await?.map_or_else(Vec::new, |(_, columns)| columns))
}

/// A table of a unit, with its name as the server spells it.
pub async fn table_on(pools: &Pools, unit: &Arc<StorageUnit>, table: &str) -> Result<Option<Table>, Error> {
    let mut lease = pools.lease(unit, false).await?;
    let found = structure(&mut lease, table).await?;
    Ok(found.map(|(name, columns)| Table { name, source: Some(unit.name.clone()), columns }))
}

async fn structure(
    connection: &mut Connection,
    table: &str,
) -> Result<Option<(String, Vec<TableColumn>)>, Error> {
    let mut sql = String::from(
        "SELECT TABLE_NAME,COLUMN_NAME,DATA_TYPE,COLLATION_NAME,EXTRA,COLUMN_TYPE FROM information_schema.COLUMNS \
         WHERE TABLE_SCHEMA=DATABASE() AND TABLE_NAME=_utf8mb4 0x",
    );
    // In hexadecimal it needs no escapes and means the same in every sql_mode.
    sql.push_str(&hex(table.as_bytes()));
    // What `*` and an INSERT without column list do not mean.
    sql.push_str(" AND EXTRA NOT LIKE '%INVISIBLE%' ORDER BY ORDINAL_POSITION");
    if table.is_empty() {
        return Ok(None);
    }
    let found = ask(connection, &sql, 6).await?;
    if found.rows.is_empty() {
        return Ok(None);
    }
    let columns = (0..found.rows.len()).map(|row| column(&found, row)).collect();
    Ok(Some((found.text(0, 0).into_owned(), columns)))
}

fn column(found: &TextResult, row: usize) -> TableColumn {
    let is_there = |cell: usize, word: &str| {
        found.text(row, cell).split(' ').any(|each| each.eq_ignore_ascii_case(word))
    };
    TableColumn {
        name: found.text(row, 1).into_owned(),
        data_type: found.text(row, 2).to_ascii_lowercase(),
        collation: Some(found.text(row, 3).into_owned()).filter(|collation| !collation.is_empty()),
        auto_increment: is_there(4, "auto_increment"),
        unsigned: is_there(5, "unsigned"),
        limit: limit(&found.text(row, 5)),
    }
}

/// `varchar(20)`: 20; `decimal(10,2)`: the 8 digits before the point.
fn limit(kind: &str) -> Option<u32> {
    let (_, rest) = kind.split_once('(')?;
    let (inside, _) = rest.split_once(')')?;
    let mut numbers = inside.split(',').map(|number| number.trim().parse::<u32>().ok());
    let (all, after) = (numbers.next()??, numbers.next().unwrap_or(Some(0))?);
    all.checked_sub(after)
}

/// Asks with no settings of any session, and checks that the answer has the right width.
async fn ask(connection: &mut Connection, sql: &str, width: usize) -> Result<TextResult, Error> {
    connection.apply(&Settings::default()).await?;
    let found = connection.query(sql).await?;
    if found.columns.len() == width && found.rows.iter().all(|row| row.len() == width) {
        return Ok(found);
    }
    connection.doubt();
    let what = "information_schema has other columns than asked for";
    Err(Error::Unexpected { origin: Arc::clone(connection.origin()), what })
}
