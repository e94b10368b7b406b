//! Data definition over several nodes. Nothing takes it back, so a node that fails is named, and the statement can be
//! given again: what a node has done already is no error then.
//!
//! Each server carries it out for one of its nodes after the other, all servers at the same time.

use std::collections::BTreeMap;

use backend::Refusal;
use bytes::Bytes;
use futures_util::future::join_all;
use plan::RouteUnit;
use sql::lexer::{Lexer, TokenKind};
use sql::{Body, DdlKind, Mode};
use wire::{frame, reply};

use super::total::Sum;
use super::{Track, status};
use crate::Error;
use crate::diagnostics::{Condition, Conditions};
use crate::downstream::Downstream;
use crate::executor::refuse;
use crate::job::{Job, Outcome};
use crate::lane::{Done, Short, short};
use crate::logical::Names;

/// `Unknown column`.
const UNKNOWN_COLUMN: u16 = 1054;

/// What a node answered.
struct Told<'a> {
    route: &'a RouteUnit,
    answer: Result<Done, Refusal>,
    /// Its warnings in logical names; nothing when they are lost.
    conditions: Option<Vec<Condition>>,
}

/// Carries it out on every node and tells the client.
pub(super) async fn run<D: Downstream>(
    tracks: &mut [Track<'_>],
    job: &Job<'_, '_>,
    elsewhere: bool,
    down: &mut D,
    conditions: &mut Conditions,
) -> Result<Outcome, Error> {
    let all = join_all(tracks.iter_mut().map(|track| each(track, job))).await;
    let mut told = Vec::new();
    let mut lost = None;
    for (answers, error) in all {
        told.extend(answers);
        lost = lost.or(error);
    }
    told.sort_by_key(|it: &Told<'_>| it.route.node);
    if let Some((route, error)) = lost {
        let done = told.iter().filter(|it| it.answer.is_ok()).count();
        return Err(Error::Node {
            node: node(job, route),
            done,
            of: job.plan.units.len(),
            source: Box::new(error),
        });
    }
    let mut list = Vec::new();
    let mut unknown = 0;
    // A statement that drops several tables names all nodes of one on a server, which tells of each that is not there.
    let drops = matches!(&job.template.statement().body, Body::Ddl(ddl) if ddl.kind == DdlKind::DropTable);
    for it in &mut told {
        match (&it.answer, it.conditions.take()) {
            (Ok(done), None) => unknown = unknown.max(done.warnings),
            (Ok(_), Some(mut own)) => {
                own.dedup_by(|one, other| drops && one == other);
                add(&mut list, &own);
            }
            (Err(_), _) => {}
        }
    }
    match judge(&told, job) {
        Verdict::Failed(refusal) => {
            *conditions = Conditions::of(&refusal);
            return Ok(refuse(down, &refusal).into());
        }
        Verdict::Done(repeated) => list.extend(repeated),
    }
    let mut done = total(told);
    done.warn(if unknown > 0 { unknown } else { u16::try_from(list.len()).unwrap_or(u16::MAX) });
    if unknown > 0 {
        *conditions = Conditions::Lost(unknown);
    } else if !list.is_empty() {
        *conditions = Conditions::Known(list);
    }
    let status = down.dialect().told(status(tracks, elsewhere));
    let capabilities = down.dialect().capabilities();
    let (out, sequence) = down.output();
    let Done { affected, insert_id, warnings, info } = done;
    let ok = reply::Ok { affected, insert_id, status, warnings, info: &info, raw_changes: None };
    frame::put_with(out, sequence, |out| ok.encode(out, capabilities));
    Ok(Outcome { status, affected, insert_id, warnings, ..Outcome::default() })
}

/// Adds what one node tells: as often as a node tells it, not as often as there are nodes.
fn add(list: &mut Vec<Condition>, own: &[Condition]) {
    for (at, condition) in own.iter().enumerate() {
        let times = |of: &[Condition]| of.iter().filter(|other| *other == condition).count();
        if times(list) <= times(&own[..at]) {
            list.push(condition.clone());
        }
    }
}

/// One server's nodes; those that have answered, and where it was lost.
async fn each<'a>(
    track: &mut Track<'a>,
    job: &Job<'_, '_>,
) -> (Vec<Told<'a>>, Option<(&'a RouteUnit, Error)>) {
    let mut told = Vec::new();
    while let Some(route) = track.routes.get(track.read).copied() {
        match one(track, job, route).await {
            Ok(answer) => told.push(answer),
            Err(error) => return (told, Some((route, error))),
        }
    }
    track.lane.forget_passing();
    (told, None)
}

async fn one<'a>(track: &mut Track<'a>, job: &Job<'_, '_>, route: &'a RouteUnit) -> Result<Told<'a>, Error> {
    track.send_next(job).await?;
    let answer = short(&mut track.lane.lease).await?;
    track.read += 1;
    track.marks.end(match &answer {
        Short::Err(refusal) => Some(refusal.code),
        Short::Ok(_) => None,
    });
    track.lane.lease.settle();
    let names = Names::of(job, route);
    Ok(match answer {
        Short::Err(refusal) => Told { route, answer: Err(names.refusal(refusal)), conditions: None },
        Short::Ok(done) => {
            let conditions =
                if done.warnings == 0 { Some(Vec::new()) } else { track.lane.conditions(&names).await };
            Told { route, answer: Ok(done), conditions }
        }
    })
}

enum Verdict {
    /// With what the nodes are to be told of that had done it before.
    Done(Vec<Condition>),
    Failed(Refusal),
}

/// What the answers of all nodes come to.
fn judge(told: &[Told<'_>], job: &Job<'_, '_>) -> Verdict {
    // By number and text, with the nodes that said so.
    let mut refused: BTreeMap<(bool, u16, &str), Vec<&RouteUnit>> = BTreeMap::new();
    for it in told {
        if let Err(refusal) = &it.answer {
            let key = (is_repeated(refusal.code, job), refusal.code, refusal.message.as_str());
            refused.entry(key).or_default().push(it.route);
        }
    }
    let failures: usize = refused.values().map(Vec::len).sum();
    let names = |routes: &[&RouteUnit]| {
        let names: Vec<_> = routes.iter().map(|route| node(job, route)).collect();
        names.join(", ")
    };
    let Some(((repeated, code, message), routes)) = refused.first_key_value() else {
        return Verdict::Done(Vec::new());
    };
    let state = told.iter().find_map(|it| match &it.answer {
        Err(refusal) if refusal.code == *code => Some(refusal.state.clone()),
        _ => None,
    });
    let state = state.unwrap_or_default();
    if failures == told.len() && refused.len() == 1 {
        return Verdict::Failed(Refusal { code: *code, state, message: (*message).to_owned() });
    }
    if *repeated && failures < told.len() {
        let told = refused.iter().map(|((_, code, message), routes)| Condition {
            level: Bytes::from_static(b"Warning"),
            code: *code,
            message: Bytes::from(format!("{message} (left as it was on {})", names(routes))),
        });
        return Verdict::Done(told.collect());
    }
    let done = told.len() - failures;
    let message =
        format!("{message} (on {}; {done} of {} data nodes have carried it out)", names(routes), told.len());
    Verdict::Failed(Refusal { code: *code, state, message })
}

/// Whether a server says by this error that it has done before what the statement asks for.
fn is_repeated(code: u16, job: &Job<'_, '_>) -> bool {
    let Body::Ddl(ddl) = &job.template.statement().body else { return false };
    match ddl.kind {
        DdlKind::CreateTable | DdlKind::CreateTableFrom => code == 1050,
        DdlKind::DropTable => code == 1051 && job.template.statement().tables.len() == 1,
        DdlKind::CreateIndex => code == 1061,
        DdlKind::DropIndex => code == 1091,
        // Of several clauses one may have been done in another way.
        DdlKind::AlterTable => {
            let done = [1060, 1061, 1068, 1091, 1176, 1507, 1517, 1826, 3821, 3822, 3940];
            let mode = job.template.mode();
            let repeated = done.contains(&code)
                // A column that has its new name is not found by the old one.
                || code == UNKNOWN_COLUMN && says_any(job.call.text, mode, &["CHANGE", "RENAME"]);
            repeated && is_one_clause(job.call.text, mode)
        }
        _ => false,
    }
}

/// Whether one of these words is in a text.
fn says_any(text: &str, mode: Mode, words: &[&str]) -> bool {
    Lexer::new(text, mode).map_while(Result::ok).any(|token| token.is_any(text, words))
}

/// Whether an `ALTER TABLE` changes one thing.
fn is_one_clause(text: &str, mode: Mode) -> bool {
    let mut depth = 0;
    let mut before = false;
    for token in Lexer::new(text, mode) {
        let Ok(token) = token else { return false };
        match token.kind {
            // ADD [COLUMN] (a …, b …)
            TokenKind::LeftParen if before => return false,
            TokenKind::LeftParen => depth += 1,
            TokenKind::RightParen => depth -= 1,
            TokenKind::Comma if depth == 0 => return false,
            _ => {}
        }
        before = token.is_any(text, &["ADD", "COLUMN"]);
    }
    true
}

/// What the client is told: the numbers of all nodes of a table together, of broadcast tables those of one server.
fn total(told: Vec<Told<'_>>) -> Done {
    let mut total: Option<Done> = None;
    for it in told {
        let Ok(done) = it.answer else { continue };
        match &mut total {
            None => total = Some(done),
            Some(total) if it.route.node.is_some() => total.add(&done, Sum::All),
            Some(_) => {}
        }
    }
    total.unwrap_or_default()
}

impl Done {
    /// Tells so many warnings.
    fn warn(&mut self, warnings: u16) {
        self.warnings = warnings;
        let words = b"Warnings: ";
        if let Some(at) = self.info.windows(words.len()).position(|window| window == words) {
            self.info.truncate(at + words.len());
            self.info.extend_from_slice(itoa::Buffer::new().format(warnings).as_bytes());
        }
    }
}

/// A node as an error names it: `ds_0.t_3`, or its storage unit alone.
pub(super) fn node(job: &Job<'_, '_>, route: &RouteUnit) -> String {
    let unit = job.database.units.get_index(usize::from(route.unit)).map(|(name, _)| name.as_str());
    let unit = unit.unwrap_or_default();
    match job.template.renames(route).tables().next().filter(|_| route.node.is_some()) {
        Some((table, _)) => format!("{unit}.{table}"),
        None => unit.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_a_warning_as_often_as_one_node_tells_it() {
        let told = |codes: &[u16]| -> Vec<Condition> {
            let condition =
                |code: &u16| Condition { level: Bytes::new(), code: *code, message: Bytes::new() };
            codes.iter().map(condition).collect()
        };
        let mut list = Vec::new();
        for node in [&[1681, 1681, 1681][..], &[1681, 1681, 1681], &[1681, 1050]] {
            add(&mut list, &told(node));
        }
        assert_eq!(list, told(&[1681, 1681, 1681, 1050]));
    }

    #[test]
    fn tells_clauses_apart() {
        for (text, one) in [
            ("ALTER TABLE t ADD COLUMN a DECIMAL(5,2)", true),
            ("ALTER TABLE t ADD INDEX i (a, b)", true),
            ("ALTER TABLE t ADD a INT, ADD b INT", false),
            ("ALTER TABLE t ADD COLUMN (a INT, b INT)", false),
            ("ALTER TABLE t ADD (a INT)", false),
        ] {
            assert_eq!(is_one_clause(text, Mode::default()), one, "{text}");
        }
        let text = r"ALTER TABLE t ADD a CHAR(2) DEFAULT '\', ADD b CHAR(9) DEFAULT '' '";
        assert!(is_one_clause(text, Mode::default()));
        let plain = Mode { no_backslash_escapes: true, ..Mode::default() };
        assert!(!is_one_clause(text, plain));
        assert!(says_any("ALTER TABLE t change a b INT", plain, &["CHANGE", "RENAME"]));
        assert!(!says_any("ALTER TABLE t MODIFY a INT DEFAULT 'RENAME'", plain, &["CHANGE", "RENAME"]));
    }
}
