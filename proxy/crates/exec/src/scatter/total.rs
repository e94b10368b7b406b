//! What several nodes say of one change, as one server would say it: their numbers added up, their warnings in one list,
//! or one of their errors.
//!
//! Rows of a split `INSERT` are told by their numbers in the client's statement.

use backend::Refusal;
use bytes::Bytes;
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
}

/// The warnings that one node tells of.
struct Told<'a> {
    track: usize,
    route: &'a RouteUnit,
    count: u16,
    /// Rows that an `UPDATE` has found there.
    matched: u64,
    /// What they say, if that is known already.
    list: Option<Vec<Condition>>,
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
    let mut heard = Vec::new();
    for (number, track) in tracks.iter_mut().enumerate() {
        while track.read < track.routes.len() {
            let route = track.routes[track.read];
            let mut told = Told { track: number, route, count: 0, matched: 0, list: None };
            let mut error = None;
            match short(&mut track.lane.lease).await? {
                Short::Err(refusal) => {
                    error = Some(refusal.code);
                    refused.push(in_clients_terms(refusal, job, route));
                }
                Short::Ok(done) => {
                    let done = if route.rows.is_empty() { done } else { done.of_rows(job) };
                    ids.see(&route.rows, done.insert_id);
                    if sum == Sum::All || total.is_none() {
                        told.count = done.warnings;
                        told.matched = first_number(&done.info);
                        if matches!(&job.template.statement().body, Body::Update(modify) if modify.multi) {
                            // It counts what each table had.
                            told.matched = told.matched.min(1);
                        }
                    }
                    match &mut total {
                        None => total = Some(done),
                        Some(total) => total.add(&done, sum),
                    }
                }
            }
            if track.is_asked(track.read) {
                track.asked = true;
                let names = || (told.count > 0).then(|| Names::of(job, route));
                told.list = Some(track.lane.asked_conditions(names).await?);
                track.asked = false;
            }
            heard.push(told);
            track.advance(job, error).await?;
        }
    }
    if !refused.is_empty() {
        return Ok(Err(first(refused)));
    }
    let mut done = total.unwrap_or_default();
    let generated = job.template.generated_id(job.call);
    done.insert_id = generated.or_else(|| ids.of(job)).unwrap_or(done.insert_id);
    let mut conditions = Conditions::None;
    if done.warnings > 0 {
        let left_out;
        (conditions, left_out) = gather(tracks, job, heard).await;
        done.leave_out(left_out);
    }
    Ok(Ok(Total { done, conditions }))
}

/// The conditions of all nodes, while their connections know them: one that has run the statement for several nodes
/// knows those of the last only. Lowers the number of warnings by those that several nodes tell alike.
pub(super) async fn union(tracks: &mut [Track<'_>], job: &Job<'_, '_>, warnings: &mut u16) -> Conditions {
    let mut told = Vec::new();
    for (number, track) in tracks.iter_mut().enumerate() {
        let of = |route, list| Told { track: number, route, count: 1, matched: 0, list };
        let Some((last, before)) = track.routes.split_last() else { continue };
        told.extend(before.iter().map(|route| of(*route, None)));
        told.push(of(*last, track.lane.conditions(&Names::of(job, last)).await));
    }
    if let Some(list) = told_by_all(&told, job, *warnings) {
        *warnings = u16::try_from(list.len()).unwrap_or(u16::MAX);
        return Conditions::Known(list);
    }
    match gather(tracks, job, told).await {
        (Conditions::Lost(_), _) => Conditions::Lost(*warnings),
        (conditions, left_out) => {
            *warnings = warnings.saturating_sub(left_out.again);
            conditions
        }
    }
}

/// What all nodes say of the statement itself, if that is all they say: the lists that are known are alike, and as many
/// warnings came as if the others were.
fn told_by_all(told: &[Told<'_>], job: &Job<'_, '_>, warnings: u16) -> Option<Vec<Condition>> {
    let mut lists = told.iter().filter_map(|told| told.list.as_ref());
    let first = lists.next()?;
    let all = lists.all(|list| list == first) && first.len() * told.len() == usize::from(warnings);
    let is_alike = |condition: &Condition| is_of_statement(condition.code) || is_of_condition(condition, job);
    (all && first.iter().all(is_alike)).then(|| first.clone())
}

/// What one server would not have counted.
#[derive(Clone, Copy, Default)]
struct LeftOut {
    /// Conditions that several nodes tell alike.
    again: u16,
    /// Rows that came to no record: an `INSERT IGNORE` says nothing of those that no `CHECK` lets pass.
    rows: u64,
}

/// The conditions that all nodes tell of, in the order of rows.
async fn gather(
    tracks: &mut [Track<'_>],
    job: &Job<'_, '_>,
    mut told: Vec<Told<'_>>,
) -> (Conditions, LeftOut) {
    let count = told.iter().fold(0_u16, |count, told| count.saturating_add(told.count));
    for told in told.iter_mut().filter(|told| told.count > 0 && told.list.is_none()) {
        let track = &mut tracks[told.track];
        if track.routes.last().is_some_and(|last| std::ptr::eq(*last, told.route)) {
            told.list = track.lane.conditions(&Names::of(job, told.route)).await;
        }
        if told.list.is_none() {
            return (Conditions::Lost(count), LeftOut::default());
        }
    }
    let mut left_out = LeftOut { again: once(&mut told, job), rows: 0 };
    let mut all = Vec::new();
    let mut before = 0;
    for Told { route, matched, list, .. } in told {
        let mut row = route.rows.first().map_or(before, |row| u64::from(*row));
        let mut end = before + matched;
        let unrecorded = |list: &[Condition]| list.iter().any(|condition| condition.code == 3819);
        if route.rows.len() == 1 && list.as_deref().is_some_and(unrecorded) {
            left_out.rows += 1;
        }
        for mut condition in list.into_iter().flatten() {
            if let Some((found, message)) = row_of(&condition.message, job, route, before) {
                row = found;
                end = end.max(row + 1);
                condition.message = message.map_or(condition.message, Bytes::from);
            }
            all.push((row, condition));
        }
        if matched > 0 && route.rows.is_empty() {
            // Rows that were looked at in vain have numbers, too.
            before = end;
        }
    }
    all.sort_by_key(|(row, _)| *row);
    all.truncate(KEPT);
    (Conditions::Known(all.into_iter().map(|(_, condition)| condition).collect()), left_out)
}

/// Keeps what is said of the statement itself once, though every node says it; gives how many were dropped.
fn once(told: &mut [Told<'_>], job: &Job<'_, '_>) -> u16 {
    let Some((first, others)) = told.split_first_mut() else { return 0 };
    let mut again = 0;
    let alike = |list: &Option<Vec<Condition>>, this: &Condition| {
        list.iter().flatten().filter(|condition| *condition == this).count()
    };
    for condition in first.list.iter().flatten() {
        let times = alike(&first.list, condition);
        let same = || others.iter().all(|told| alike(&told.list, condition) == times);
        if is_of_statement(condition.code) || is_of_condition(condition, job) && same() {
            for list in others.iter_mut().filter_map(|told| told.list.as_mut()) {
                let all = list.len();
                list.retain(|other| other != condition);
                again += all - list.len();
            }
        }
    }
    u16::try_from(again).unwrap_or(u16::MAX)
}

/// Whether a warning may be about a constant of the condition, which each server converts once: a text in it that is
/// no number.
fn is_of_condition(condition: &Condition, job: &Job<'_, '_>) -> bool {
    let text = String::from_utf8_lossy(&condition.message);
    let value = text.strip_prefix("Truncated incorrect ").and_then(|text| text.split_once(" value: "));
    let (Some((_, value)), 1292) = (value, condition.code) else { return false };
    let at = job.call.text.to_ascii_uppercase().rfind("WHERE");
    at.is_some_and(|at| job.call.text[at..].contains(value) || job.call.params.is_some())
}

/// Whether a warning is about the words of a statement, not about its rows: of what is ambiguous, deprecated, converted
/// or unknown in a hint.
fn is_of_statement(code: u16) -> bool {
    matches!(code, 1052 | 1235 | 1287 | 1592 | 1681 | 3005 | 3126..=3129 | 3515 | 3719 | 3720 | 3778)
}

/// An error with the client's names and numbers of rows, and the first row that it can be about.
fn in_clients_terms(refusal: Refusal, job: &Job<'_, '_>, route: &RouteUnit) -> (Option<u64>, Refusal) {
    let mut refusal = Names::of(job, route).refusal(refusal);
    let found = row_of(refusal.message.as_bytes(), job, route, 0);
    if let Some((_, Some(message))) = &found {
        refusal.message = String::from_utf8_lossy(message).into_owned();
    }
    let first = route.rows.first().map(|row| u64::from(*row));
    (found.map(|(row, _)| row).or(first), refusal)
}

/// Which row of the client's statement a message is about, from 0, and the message that says so. Of rows that are not
/// numbered there, so many come before those of this node.
fn row_of(
    message: &[u8],
    job: &Job<'_, '_>,
    route: &RouteUnit,
    before: u64,
) -> Option<(u64, Option<Vec<u8>>)> {
    let words = b" at row ";
    let found = message.windows(words.len()).rposition(|window| window == words);
    if let Some(at) = found {
        let (text, number) = message.split_at(at + words.len());
        let number: u64 = std::str::from_utf8(number).ok()?.parse().ok()?;
        let index = number.checked_sub(1)?;
        let row = match route.rows.as_slice() {
            [] => before + index,
            rows => u64::from(*rows.get(usize::try_from(index).ok()?)?),
        };
        if row == index {
            return Some((row, None));
        }
        let mut text = text.to_vec();
        text.extend_from_slice(itoa::Buffer::new().format(row + 1).as_bytes());
        return Some((row, Some(text)));
    }
    let entry = message.strip_prefix(b"Duplicate entry '")?;
    let end = b"' for key ";
    let entry = &entry[..entry.windows(end.len()).rposition(|window| window == end)?];
    let row = job.template.row_with_key(job.call, &route.rows, std::str::from_utf8(entry).ok()?)?;
    Some((u64::from(row), None))
}

/// The error to be told: one that has ended the transaction, else that of the first row; of rows without numbers the
/// one with the smallest key, as tables are mostly read in the order of their keys.
fn first(mut refused: Vec<(Option<u64>, Refusal)>) -> Refusal {
    let ended = refused.iter().position(|(_, refusal)| rolls_back(refusal.code));
    let place = |at: &usize| {
        let (row, refusal) = &refused[*at];
        let entry = refusal.message.strip_prefix("Duplicate entry '").unwrap_or_default();
        let end = entry.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(entry.len());
        (row.unwrap_or_default(), entry[..end].parse::<u64>().unwrap_or_default())
    };
    let first = (0..refused.len()).min_by_key(place);
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
    /// A server says nothing of the one row of a split `INSERT` that it got.
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

    pub(super) fn add(&mut self, other: &Self, sum: Sum) {
        if sum == Sum::None {
            return;
        }
        self.affected += other.affected;
        self.warnings = self.warnings.saturating_add(other.warnings);
        if self.insert_id == 0 {
            self.insert_id = other.insert_id;
        }
        self.info = add_numbers(&self.info, &other.info);
    }

    /// Counts without what one server would not have counted.
    fn leave_out(&mut self, left_out: LeftOut) {
        let LeftOut { again, rows } = left_out;
        if again > 0 || rows > 0 {
            self.warnings = self.warnings.saturating_sub(again);
            self.info = with_numbers(&self.info, |place, number| {
                number.saturating_sub(if place == 2 { u64::from(again) } else { rows })
            });
        }
    }
}

/// `Rows matched: 3  Changed: 1  Warnings: 0` twice is `Rows matched: 6  Changed: 2  Warnings: 0`.
pub(super) fn add_numbers(a: &[u8], b: &[u8]) -> Vec<u8> {
    let mut others = Vec::new();
    with_numbers(b, |_, number| {
        others.push(number);
        number
    });
    with_numbers(a, |place, number| number + others.get(place).copied().unwrap_or(0))
}

/// The first number of a text: the rows that an `UPDATE` matched.
fn first_number(text: &[u8]) -> u64 {
    let mut first = None;
    with_numbers(text, |_, number| *first.get_or_insert(number));
    first.unwrap_or_default()
}

/// A text with its numbers, counted from 0, changed.
fn with_numbers(text: &[u8], mut change: impl FnMut(usize, u64) -> u64) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len() + 2);
    let (mut rest, mut place) = (text, 0);
    while let Some(&byte) = rest.first() {
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        if digits == 0 {
            out.push(byte);
            rest = &rest[1..];
            continue;
        }
        let number = std::str::from_utf8(&rest[..digits]).ok().and_then(|digits| digits.parse().ok());
        let changed = change(place, number.unwrap_or_default());
        out.extend_from_slice(itoa::Buffer::new().format(changed).as_bytes());
        (rest, place) = (&rest[digits..], place + 1);
    }
    out
}

#[cfg(test)]
mod tests;
