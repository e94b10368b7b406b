//! What several nodes say of one change, as one server would say it: their numbers added up, their warnings in one list,
//! or one of their errors.
//!
//! Rows of a split `INSERT` are told by their numbers in the client's statement.

use backend::Refusal;
use plan::{Given, RouteUnit};
use sql::{Body, InsertSource};

use super::Track;
use crate::Error;
use crate::diagnostics::{Condition, Conditions};
use crate::executor::rolls_back;
use crate::job::Job;
use crate::lane::{Done, Short, short};
use crate::logical::Names;

/// What all nodes together have done.
#[derive(Default)]
pub(super) struct Total {
    pub(super) done: Done,
    pub(super) conditions: Conditions,
}

/// What of the answers of several nodes is added up.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Sum {
    /// All numbers.
    All,
    /// Nothing: each says the same.
    None,
    /// All but warnings, which are the same on each.
    Numbers,
}

/// The warnings that one node tells of.
struct Told<'a> {
    track: usize,
    route: &'a RouteUnit,
    count: u16,
}

/// So many conditions a server keeps, unless it is set otherwise.
const KEPT: usize = 1024;

/// Reads the OK or ERR of each node and adds them up.
pub(super) async fn total(
    tracks: &mut [Track<'_>],
    job: &Job<'_, '_>,
    sum: Sum,
) -> Result<Result<Total, Refusal>, Error> {
    let mut total: Option<Done> = None;
    let mut refused = Vec::new();
    let mut ids = Ids::default();
    let mut warned = Vec::new();
    for (number, track) in tracks.iter_mut().enumerate() {
        while track.read < track.routes.len() {
            let route = track.routes[track.read];
            match short(&mut track.lane.lease).await? {
                Short::Err(refusal) => refused.push(in_clients_terms(refusal, job, route)),
                Short::Ok(done) => {
                    let done = done.of_rows(job);
                    ids.see(&route.rows, done.insert_id);
                    if done.warnings > 0 && (sum == Sum::All || total.is_none()) {
                        warned.push(Told { track: number, route, count: done.warnings });
                    }
                    match &mut total {
                        None => total = Some(done),
                        Some(total) => total.add(&done, sum),
                    }
                }
            }
            track.advance(job).await?;
        }
    }
    if !refused.is_empty() {
        return Ok(Err(first(refused)));
    }
    let mut done = total.unwrap_or_default();
    let generated = job.template.generated_id(job.call);
    done.insert_id = generated.or_else(|| ids.of(job)).unwrap_or(done.insert_id);
    let mut conditions = Conditions::None;
    if !warned.is_empty() {
        let again;
        (conditions, again) = gather(tracks, job, &warned).await;
        done.warn(done.warnings.saturating_sub(again));
    }
    Ok(Ok(Total { done, conditions }))
}

/// The conditions of all nodes, while their connections know them. One that has run the statement for several nodes
/// knows those of the last only. Lowers the number of warnings by those that several nodes tell alike.
pub(super) async fn union(tracks: &mut [Track<'_>], job: &Job<'_, '_>, warnings: &mut u16) -> Conditions {
    let mut warned = Vec::new();
    for (number, track) in tracks.iter().enumerate() {
        warned.extend(track.routes.iter().map(|route| Told { track: number, route, count: 0 }));
    }
    if let Some(told) = warned.first_mut() {
        told.count = *warnings;
    }
    let (conditions, again) = gather(tracks, job, &warned).await;
    *warnings = warnings.saturating_sub(again);
    conditions
}

/// The conditions that some nodes tell of, and how many were left out because another has told them already.
async fn gather(tracks: &mut [Track<'_>], job: &Job<'_, '_>, warned: &[Told<'_>]) -> (Conditions, u16) {
    let count = warned.iter().fold(0_u16, |count, told| count.saturating_add(told.count));
    let (mut all, mut again) = (Vec::new(), 0);
    for (number, told) in warned.iter().enumerate() {
        let track = &mut tracks[told.track];
        if track.routes.len() > 1 {
            return (Conditions::Lost(count), 0);
        }
        let Some(list) = track.lane.conditions(&Names::of(job, told.route)).await else {
            return (Conditions::Lost(count), 0);
        };
        let mut row = 0;
        for mut condition in list {
            if number > 0 && is_of_statement(condition.code) {
                again += 1;
                continue;
            }
            row = place(&mut condition, job, told.route).unwrap_or(row);
            all.push((row, condition));
        }
    }
    all.sort_by_key(|(row, _)| *row);
    all.truncate(KEPT);
    (Conditions::Known(all.into_iter().map(|(_, condition)| condition).collect()), again)
}

/// Whether a warning is about the words of a statement, not about its rows: of what is deprecated, converted or
/// unknown in a hint.
fn is_of_statement(code: u16) -> bool {
    matches!(code, 1287 | 1592 | 1681 | 3005 | 3126..=3129 | 3515 | 3719 | 3720 | 3778)
}

/// The row of the client's statement that a condition is about, which it names from then on.
fn place(condition: &mut Condition, job: &Job<'_, '_>, route: &RouteUnit) -> Option<u32> {
    let (row, message) = row_of(&condition.message, job, route)?;
    if let Some(message) = message {
        condition.message = message.into();
    }
    Some(row)
}

/// An error with the client's names and numbers of rows, and the row that it is about.
fn in_clients_terms(refusal: Refusal, job: &Job<'_, '_>, route: &RouteUnit) -> (Option<u32>, Refusal) {
    let mut refusal = Names::of(job, route).refusal(refusal);
    let found = row_of(refusal.message.as_bytes(), job, route);
    if let Some((_, Some(message))) = &found {
        refusal.message = String::from_utf8_lossy(message).into_owned();
    }
    (found.map(|(row, _)| row), refusal)
}

/// Which of the client's rows a message is about, and the message that says so.
fn row_of(message: &[u8], job: &Job<'_, '_>, route: &RouteUnit) -> Option<(u32, Option<Vec<u8>>)> {
    if route.rows.is_empty() {
        return None;
    }
    let words = b" at row ";
    let found = message.windows(words.len()).rposition(|window| window == words);
    if let Some(at) = found {
        let (text, number) = message.split_at(at + words.len());
        let number: usize = std::str::from_utf8(number).ok()?.parse().ok()?;
        let row = *route.rows.get(number.checked_sub(1)?)?;
        let mut text = text.to_vec();
        text.extend_from_slice(itoa::Buffer::new().format(row + 1).as_bytes());
        return Some((row, Some(text)));
    }
    let entry = message.strip_prefix(b"Duplicate entry '")?;
    let end = b"' for key ";
    let entry = &entry[..entry.windows(end.len()).rposition(|window| window == end)?];
    let row = job.template.row_with_key(job.call, &route.rows, std::str::from_utf8(entry).ok()?)?;
    Some((row, None))
}

/// The error to be told: one that has ended the transaction, else that of the first row.
fn first(mut refused: Vec<(Option<u32>, Refusal)>) -> Refusal {
    let ended = refused.iter().position(|(_, refusal)| rolls_back(refusal.code));
    let first = (0..refused.len()).min_by_key(|at| refused[*at].0.unwrap_or_default());
    refused.swap_remove(ended.or(first).unwrap_or_default()).1
}

/// The ids of a split `INSERT`, with the numbers of the rows that they are about.
#[derive(Default)]
struct Ids {
    first: Option<(u32, u64)>,
    last: Option<(u32, u64)>,
}

impl Ids {
    fn see(&mut self, rows: &[u32], id: u64) {
        if id == 0 {
            return;
        }
        if let Some(row) = rows.iter().min() {
            self.first = self.first.into_iter().chain([(*row, id)]).min();
        }
        if let Some(row) = rows.iter().max() {
            self.last = self.last.into_iter().chain([(*row, id)]).max();
        }
    }

    /// As one server would tell it: the last of those that the statement gives, the first of those generated.
    fn of(&self, job: &Job<'_, '_>) -> Option<u64> {
        let (_, last) = self.last?;
        match job.template.given(job.call, last) {
            Given::Yes => Some(last),
            Given::No | Given::Unknown => self.first.map(|(_, id)| id),
        }
    }
}

impl Done {
    /// A server says nothing of the one row it got, where the statement has several.
    fn of_rows(mut self, job: &Job<'_, '_>) -> Self {
        let Body::Insert(insert) = &job.template.statement().body else { return self };
        if self.info.is_empty() && matches!(insert.source, InsertSource::Rows(_)) {
            let duplicates = if insert.ignore {
                u64::from(self.affected == 0)
            } else if insert.replace {
                // Each row that gave way counts, too.
                self.affected.saturating_sub(1)
            } else {
                u64::from(self.affected > 1)
            };
            let warnings = self.warnings;
            self.info = format!("Records: 1  Duplicates: {duplicates}  Warnings: {warnings}").into_bytes();
        }
        self
    }

    fn add(&mut self, other: &Self, sum: Sum) {
        if sum == Sum::None {
            return;
        }
        self.affected += other.affected;
        self.warnings = if sum == Sum::All {
            self.warnings.saturating_add(other.warnings)
        } else {
            self.warnings.max(other.warnings)
        };
        self.insert_id = self.insert_id.max(other.insert_id);
        self.info = add_numbers(&self.info, &other.info);
    }

    /// Tells so many warnings.
    fn warn(&mut self, warnings: u16) {
        if std::mem::replace(&mut self.warnings, warnings) == warnings {
            return;
        }
        let words = b"Warnings: ";
        if let Some(at) = self.info.windows(words.len()).position(|window| window == words) {
            self.info.truncate(at + words.len());
            self.info.extend_from_slice(itoa::Buffer::new().format(warnings).as_bytes());
        }
    }
}

/// `Rows matched: 3  Changed: 1  Warnings: 0` twice is `Rows matched: 6  Changed: 2  Warnings: 0`.
pub(super) fn add_numbers(a: &[u8], b: &[u8]) -> Vec<u8> {
    let numbers = |text: &[u8]| -> Vec<u64> {
        let digits = |part: &[u8]| std::str::from_utf8(part).ok().and_then(|part| part.parse().ok());
        text.split(|byte| !byte.is_ascii_digit()).filter(|part| !part.is_empty()).filter_map(digits).collect()
    };
    let mut others = numbers(b).into_iter();
    let mut sum = Vec::with_capacity(a.len() + 2);
    let mut rest = a;
    while let Some(&byte) = rest.first() {
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        if digits == 0 {
            sum.push(byte);
            rest = &rest[1..];
            continue;
        }
        let own = numbers(&rest[..digits]).first().copied().unwrap_or(0);
        sum.extend_from_slice(itoa::Buffer::new().format(own + others.next().unwrap_or(0)).as_bytes());
        rest = &rest[digits..];
    }
    sum
}
