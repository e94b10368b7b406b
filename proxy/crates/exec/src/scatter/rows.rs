//! Result sets of several nodes, merged and written to the client as one.

use backend::Refusal;
use bytes::BytesMut;
use plan::Rows;
use wire::cursor::put_lenenc;
use wire::{frame, reply};

use super::answers::Answers;
use super::status;
use super::stream::{Head, Next, columns};
use super::total::union;
use crate::Error;
use crate::decorate::Decorator;
use crate::diagnostics::Conditions;
use crate::downstream::{Downstream, FULL};
use crate::executor::{refuse, unreadable};
use crate::job::{Command, Job, Outcome};
use crate::merge::{Field, Format, Merging, Row, Shape};
use crate::relay::rename_column;

/// Merges all answers; a refusal of one server takes the place of the rest.
pub(crate) async fn merge<D: Downstream>(
    mut answers: Answers<'_, '_, '_>,
    rows: &Rows,
    job: &Job<'_, '_>,
    elsewhere: bool,
    down: &mut D,
    conditions: &mut Conditions,
) -> Result<Outcome, Error> {
    let mut outcome = Outcome { rowset: true, ..Outcome::default() };
    let refusal = match merged(&mut answers, rows, job, elsewhere, down, &mut outcome).await {
        Err(Error::Undecryptable(error)) => Some(unreadable(&error)),
        refusal => refusal?,
    };
    answers.give_up().await?;
    let Some(refusal) = refusal else {
        let mut warnings = answers.warnings();
        if warnings > 0 {
            *conditions = union(answers.tracks, job, &mut warnings).await;
        }
        outcome.warnings = warnings;
        end(&answers, elsewhere, down, &mut outcome);
        return Ok(outcome);
    };
    *conditions = Conditions::of(&refusal);
    let refused = refuse(down, &refusal);
    Ok(Outcome { error: refused.error, ..outcome })
}

async fn merged<D: Downstream>(
    answers: &mut Answers<'_, '_, '_>,
    rows: &Rows,
    job: &Job<'_, '_>,
    elsewhere: bool,
    down: &mut D,
    outcome: &mut Outcome,
) -> Result<Option<Refusal>, Error> {
    // Every server's first word before the client's first byte, so that most errors come alone; an error as soon as it
    // comes, whoever else is still at work.
    let mut head = None;
    let refused = answers.first_refused().await?;
    for stream in refused.into_iter().chain(answers.firsts()) {
        match answers.head(stream).await? {
            Head::Columns(columns) => agree(&mut head, columns)?,
            Head::Refused(refusal) => return Ok(Some(refusal)),
        }
    }
    let Some(head) = head else { return Ok(None) };
    let shape = shape(&head, rows, job)?;
    let mut merging = Merging::new(rows, shape.clone(), answers.len(), answers.limit())?;
    if let Some(bytes) = answers.sorted() {
        merging.sorted_by(bytes);
    }
    let mut decorator = match job.template.decorations() {
        [] => None,
        decorations => Some(Decorator::new(decorations, shape.format == Format::Binary)),
    };
    begin(&head[..shape.visible()], answers, job, elsewhere, down, &mut decorator)?;
    let mut sink = Sink { down, outcome, decorator, plain: BytesMut::new() };
    let refusal = if merging.interleaves() {
        interleave(answers, &mut merging, &shape, &mut sink).await?
    } else {
        follow(answers, &mut merging, &shape, &mut head_check(head.len()), &mut sink).await?
    };
    if refusal.is_some() {
        return Ok(refusal);
    }
    if !merging.done() {
        merging.finish()?;
        while let Some(row) = merging.take()? {
            sink.put(&merging, &row).await?;
        }
    }
    outcome.unsent = merging.unsent();
    Ok(None)
}

/// Checks that a later result has as many columns as the first.
fn head_check(first: usize) -> impl FnMut(usize) -> Result<(), Error> {
    move |other| if first == other { Ok(()) } else { Err(Error::Columns { first, other }) }
}

fn agree(head: &mut Option<Vec<BytesMut>>, columns: Vec<BytesMut>) -> Result<(), Error> {
    match head {
        None => *head = Some(columns),
        Some(first) if first.len() != columns.len() => {
            return Err(Error::Columns { first: first.len(), other: columns.len() });
        }
        Some(_) => {}
    }
    Ok(())
}

/// One stream after the other.
async fn follow<D: Downstream>(
    answers: &mut Answers<'_, '_, '_>,
    merging: &mut Merging,
    shape: &Shape,
    check: &mut impl FnMut(usize) -> Result<(), Error>,
    sink: &mut Sink<'_, D>,
) -> Result<Option<Refusal>, Error> {
    let firsts = answers.firsts();
    for stream in 0..answers.len() {
        if !firsts.contains(&stream) {
            match answers.head(stream).await? {
                Head::Columns(columns) => check(columns.len())?,
                Head::Refused(refusal) => return Ok(Some(refusal)),
            }
        }
        if merging.is_plain() && sink.decorator.is_none() && answers.can_pour(stream) {
            if let Some(refusal) = answers.pour(stream, sink.down, &mut sink.outcome.rows).await? {
                return Ok(Some(refusal));
            }
            continue;
        }
        loop {
            if merging.done() {
                return Ok(None);
            }
            match answers.next(stream, shape).await? {
                Next::End => break,
                Next::Refused(refusal) => return Ok(Some(refusal)),
                Next::Row(row) => {
                    if let Some(row) = merging.feed(row)?
                        && sink.put(merging, &row).await?
                    {
                        answers.keep_waiting().await?;
                    }
                }
            }
        }
    }
    Ok(None)
}

/// All streams side by side.
async fn interleave<D: Downstream>(
    answers: &mut Answers<'_, '_, '_>,
    merging: &mut Merging,
    shape: &Shape,
    sink: &mut Sink<'_, D>,
) -> Result<Option<Refusal>, Error> {
    if let Some(refusal) = answers.open_all(shape).await? {
        return Ok(Some(refusal));
    }
    for stream in 0..answers.len() {
        match answers.next(stream, shape).await? {
            Next::End => {}
            Next::Refused(refusal) => return Ok(Some(refusal)),
            Next::Row(row) => merging.push(stream, row),
        }
    }
    while !merging.done()
        && let Some((stream, row)) = merging.pop()
    {
        if let Some(row) = merging.feed(row)?
            && sink.put(merging, &row).await?
        {
            answers.keep_waiting().await?;
        }
        match answers.next(stream, shape).await? {
            Next::End => {}
            Next::Refused(refusal) => return Ok(Some(refusal)),
            Next::Row(row) => merging.push(stream, row),
        }
    }
    Ok(None)
}

/// Rows on their way to the client.
struct Sink<'d, D> {
    down: &'d mut D,
    outcome: &'d mut Outcome,
    decorator: Option<Decorator<'d>>,
    /// Room for a row that is to be decorated.
    plain: BytesMut,
}

impl<D: Downstream> Sink<'_, D> {
    /// Says whether the client has had to take something.
    async fn put(&mut self, merging: &Merging, row: &Row) -> Result<bool, Error> {
        let (out, sequence) = self.down.output();
        match &self.decorator {
            None => merging.put(row, out, sequence),
            Some(decorator) => {
                self.plain.clear();
                merging.write(row, &mut self.plain);
                decorator.row(&self.plain, out, sequence)?;
            }
        }
        self.outcome.rows += 1;
        let full = out.len() >= FULL;
        if full {
            self.down.flush().await.map_err(Error::Client)?;
        }
        Ok(full)
    }
}

fn shape(head: &[BytesMut], rows: &Rows, job: &Job<'_, '_>) -> Result<Shape, Error> {
    let format = if matches!(job.command, Command::Execute { .. }) { Format::Binary } else { Format::Text };
    let derived = usize::from(rows.derived);
    let columns = columns(head).map_err(Error::Malformed)?;
    if derived > columns.len() {
        return Err(Error::Shape { columns: columns.len(), index: derived });
    }
    let visible = columns.len() - derived;
    if let Some(planned) = rows.visible.map(usize::from).filter(|planned| *planned != visible) {
        return Err(Error::Structure { planned, sent: visible });
    }
    let fields = columns.iter().map(|column| Field::of(column, format)).collect();
    Ok(Shape { format, fields, derived })
}

/// Writes what comes before the rows.
fn begin<D: Downstream>(
    head: &[BytesMut],
    answers: &Answers<'_, '_, '_>,
    job: &Job<'_, '_>,
    elsewhere: bool,
    down: &mut D,
    decorator: &mut Option<Decorator<'_>>,
) -> Result<(), Error> {
    let dialect = down.dialect();
    let (out, sequence) = down.output();
    frame::put_with(out, sequence, |out| put_lenenc(out, head.len() as u64));
    let renames = answers.route().map(|route| job.template.renames(route)).unwrap_or_default();
    for column in head {
        match decorator {
            None => rename_column(column, &renames, out, sequence),
            Some(decorator) => decorator.column(column, &renames, out, sequence),
        }
        .map_err(Error::Malformed)?;
    }
    if !dialect.deprecate_eof {
        let status = dialect.told(status(answers.tracks, elsewhere));
        frame::put_with(out, sequence, |out| reply::Eof { warnings: 0, status }.encode(out));
    }
    Ok(())
}

/// Writes what comes behind them.
fn end<D: Downstream>(answers: &Answers<'_, '_, '_>, elsewhere: bool, down: &mut D, outcome: &mut Outcome) {
    let dialect = down.dialect();
    let capabilities = dialect.capabilities();
    outcome.status = dialect.told(status(answers.tracks, elsewhere));
    let (out, sequence) = down.output();
    let end = reply::Ok { status: outcome.status, warnings: outcome.warnings, ..reply::Ok::default() };
    frame::put_with(out, sequence, |out| reply::put_end(out, &end, capabilities));
}
