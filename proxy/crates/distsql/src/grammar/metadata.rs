//! What is known of tables (`distsql.md` §9, §10).

use super::Read;
use crate::ast::Statement as Any;
use crate::ast::metadata::Statement;
use crate::cursor::Cursor;
use crate::error::Error;

pub(crate) fn refresh(cursor: &mut Cursor<'_>) -> Read {
    let table = if cursor.sees("FROM") || cursor.finished() { None } else { Some(cursor.name("a table")?) };
    let unit = if cursor.accept("FROM") {
        if !cursor.accept_all(&["STORAGE", "UNIT"]) && !cursor.accept("RESOURCE") {
            return Err(cursor.expected("STORAGE UNIT"));
        }
        Some(cursor.name("a storage unit")?)
    } else {
        None
    };
    if cursor.sees("SCHEMA") {
        // MySQL's servers have none below a database.
        return Err(Error::Unsupported { what: "SCHEMA of REFRESH TABLE METADATA".to_owned() });
    }
    Ok(Any::Metadata(Statement::Refresh { table, unit }))
}

pub(crate) fn show_full_logical(cursor: &mut Cursor<'_>) -> Read {
    let (database, like) = cursor.listing()?;
    Ok(Any::Metadata(Statement::ShowLogical { full: true, database, like }))
}

pub(crate) fn show_logical(cursor: &mut Cursor<'_>) -> Read {
    let (database, like) = cursor.listing()?;
    Ok(Any::Metadata(Statement::ShowLogical { full: false, database, like }))
}

pub(crate) fn show_tables(cursor: &mut Cursor<'_>) -> Read {
    Ok(Any::Metadata(Statement::ShowTables { tables: cursor.names("a table")?, database: cursor.from()? }))
}
