//! What servers say of tables (`ANALYZE TABLE` and the like), in logical names: what all nodes of a table say is shown
//! once, what only some say with their names.

use bytes::Bytes;
use futures_util::future::join_all;
use plan::RouteUnit;
use wire::column::Column;
use wire::cursor::put_lenenc;
use wire::value::{Kind, Value};
use wire::{frame, reply, row};

use super::define::node;
use super::{Track, status};
use crate::Error;
use crate::diagnostics::Conditions;
use crate::downstream::Downstream;
use crate::executor::{refuse, unit};
use crate::job::{Command, Job, Outcome};
use crate::logical::Names;

/// One row: about a table, and where it comes from.
struct Said {
    /// Number of the table in the statement.
    table: usize,
    /// What the server calls it, with its database.
    name: String,
    /// Of the server's rows.
    place: (usize, usize),
    /// `Op`, `Msg_type`, `Msg_text`.
    cells: Vec<Option<String>>,
    /// `ds_0.t_3`.
    node: String,
}

/// Asks every server and tells the client.
pub(super) async fn merge<D: Downstream>(
    tracks: &mut [Track<'_>],
    job: &Job<'_, '_>,
    elsewhere: bool,
    down: &mut D,
    conditions: &mut Conditions,
) -> Result<Outcome, Error> {
    let all = join_all(tracks.iter_mut().map(|track| each(track, job))).await;
    let mut columns: Vec<Column> = Vec::new();
    let mut said = Vec::new();
    for answer in all {
        match answer {
            Ok((head, rows)) => {
                columns = head;
                said.extend(rows);
            }
            Err(error) => {
                let Some(refusal) = error.refusal() else { return Err(error) };
                *conditions = Conditions::of(refusal);
                return Ok(refuse(down, refusal).into());
            }
        }
    }
    let rows = put_together(said, job);
    let status = down.dialect().told(status(tracks, elsewhere));
    let capabilities = down.dialect().capabilities();
    let deprecate_eof = down.dialect().deprecate_eof;
    let binary = matches!(job.command, Command::Execute { .. });
    let (out, sequence) = down.output();
    frame::put_with(out, sequence, |out| put_lenenc(out, columns.len() as u64));
    for column in &columns {
        frame::put_with(out, sequence, |out| column.encode(out));
    }
    if !deprecate_eof {
        frame::put_with(out, sequence, |out| reply::Eof { warnings: 0, status }.encode(out));
    }
    for cells in &rows {
        let cells = cells.iter().map(|cell| cell.as_deref().map(str::as_bytes));
        let mut written = Ok(());
        frame::put_with(out, sequence, |out| {
            if binary {
                let kinds = columns.iter().map(Column::value_kind);
                let values = cells.zip(kinds).map(|(cell, kind)| (value(cell, kind), kind));
                written = row::put_binary(out, columns.len(), values);
            } else {
                row::put_text(out, cells);
            }
        });
        written.map_err(Error::Malformed)?;
    }
    let end = reply::Ok { status, ..reply::Ok::default() };
    frame::put_with(out, sequence, |out| reply::put_end(out, &end, capabilities));
    Ok(Outcome { status, rows: rows.len() as u64, rowset: true, ..Outcome::default() })
}

/// A text or, of `CHECKSUM TABLE`, a number.
fn value(cell: Option<&[u8]>, kind: Kind) -> Value<'_> {
    let number = |text: &[u8]| std::str::from_utf8(text).ok()?.parse().ok().map(Value::Int);
    match cell {
        Some(text) if kind.is_string() => Value::Bytes(text),
        Some(text) => number(text).unwrap_or(Value::Null),
        None => Value::Null,
    }
}

/// The rows of one server.
async fn each(track: &mut Track<'_>, job: &Job<'_, '_>) -> Result<(Vec<Column>, Vec<Said>), Error> {
    let (mut columns, mut said) = (Vec::new(), Vec::new());
    track.lane.flush().await?;
    track.lane.answers().await?;
    for route in track.routes.clone() {
        let mut text = Vec::new();
        job.template.render(job.call, route, &mut text);
        track.marks.start();
        let result = track.lane.lease.query(&text).await;
        track.marks.end(result.as_ref().err().and_then(|error| Some(error.refusal()?.code)));
        let result = result?;
        for (number, row) in result.rows.into_iter().enumerate() {
            said.extend(read(row, number, job, route)?);
        }
        columns = result.columns;
    }
    Ok((columns, said))
}

/// Which table of the statement a row is about.
fn read(
    row: Vec<Option<Bytes>>,
    number: usize,
    job: &Job<'_, '_>,
    route: &RouteUnit,
) -> Result<Option<Said>, Error> {
    let names = Names::of(job, route);
    let mut cells = row.into_iter().map(|cell| cell.map(|cell| String::from_utf8_lossy(&cell).into_owned()));
    let Some(table) = cells.next().flatten() else { return Ok(None) };
    let unit = unit(job, route)?;
    let physical = table.strip_prefix(&unit.spec.database).and_then(|rest| rest.strip_prefix('.'));
    let physical = physical.unwrap_or(&table);
    let logical = names.table(physical).unwrap_or(physical);
    let tables = &job.template.statement().tables;
    let at = tables.iter().position(|it| it.name == logical);
    let at = at.or_else(|| tables.iter().position(|it| it.name.eq_ignore_ascii_case(logical)));
    let label = if names.table(physical).is_some() {
        format!("{}.{physical}", unit.name)
    } else {
        node(job, &RouteUnit { node: None, ..route.clone() })
    };
    Ok(Some(Said {
        name: table.clone(),
        table: at.unwrap_or(tables.len()),
        place: (usize::from(route.unit), number),
        cells: cells.map(|cell| cell.map(|cell| names.logical(&cell))).collect(),
        node: label,
    }))
}

/// One row for each table and message.
fn put_together(mut said: Vec<Said>, job: &Job<'_, '_>) -> Vec<Vec<Option<String>>> {
    said.sort_by_key(|it| (it.table, it.place));
    let tables = &job.template.statement().tables;
    let mut rows = Vec::new();
    for of_table in said.chunk_by(|one, other| one.table == other.table) {
        let mut nodes: Vec<&str> = of_table.iter().map(|it| it.node.as_str()).collect();
        nodes.sort_unstable();
        nodes.dedup();
        let mut messages: Vec<(&[Option<String>], Vec<&str>)> = Vec::new();
        for it in of_table {
            match messages.iter_mut().find(|(cells, _)| *cells == it.cells.as_slice()) {
                Some((_, of)) if of.contains(&it.node.as_str()) => {}
                Some((_, of)) => of.push(&it.node),
                None => messages.push((&it.cells, vec![&it.node])),
            }
        }
        let Some(first) = of_table.first() else { continue };
        let name = match tables.get(first.table) {
            Some(table) => format!("{}.{}", job.database.name, table.name),
            None => first.name.clone(),
        };
        for (cells, of) in messages {
            let mut cells = cells.to_vec();
            if of.len() < nodes.len()
                && let Some(Some(text)) = cells.last_mut()
            {
                text.push_str(&format!(" (on {})", of.join(", ")));
            }
            rows.push([vec![Some(name.clone())], cells].concat());
        }
    }
    rows
}
