//! Verifies what a scenario says must be true: a fast wrong proxy fails.

use std::collections::BTreeMap;

use super::claim::{CheckPart, CountPart, Query, RecordPart, When};
use super::fill::{Each, Fill};
use crate::load::{Session, Target};
use crate::report::{Check, Group, Series};

/// Where queries may be sent, by name; the proxy is one of them.
pub type Targets = BTreeMap<String, Target>;

/// Rows as text.
type Rows = Vec<Vec<String>>;

/// How far a count per transaction may be off: a share of it, and what set-up and probes of a proxy add.
const SHARE: f64 = 0.05;
const BESIDE: f64 = 0.1;

/// Makes one check in all its repetitions; the first that fails is what is reported.
pub async fn verify(part: &CheckPart, targets: &Targets, fill: &Fill, when: When) -> Check {
    let name = format!("{} ({})", part.name, when.words());
    for fill in fill.each(&part.each) {
        if let Err(fault) = one(part, targets, &fill).await {
            return Check { name, fault: Some(fault) };
        }
    }
    Check { name, fault: None }
}

async fn one(part: &CheckPart, targets: &Targets, fill: &Fill) -> Result<(), String> {
    let own = Query { each: Each::new(), on: part.on.clone(), sql: part.sql.clone() };
    let seen = rows(&own, targets, fill).await?;
    let (expected, of) = match (&part.expect, &part.same, &part.total) {
        (Some(row), ..) => (vec![row.clone()], "expected".to_owned()),
        (_, Some(query), _) => (rows(query, targets, fill).await?, query.on.clone()),
        (_, _, Some(query)) => {
            (vec![total(query, targets, fill).await?], format!("the sum over {}", query.on))
        }
        (None, None, None) => return Err("nothing to compare with".to_owned()),
    };
    if seen == expected && !seen.is_empty() {
        return Ok(());
    }
    let text = |text: &str| fill.text(text).unwrap_or_else(|_| text.to_owned());
    let (seen, expected) = apart(&seen, &expected);
    Err(format!("{} on {} gives {seen}, but {} is {expected}", text(&part.sql), text(&part.on), text(&of)))
}

/// The first rows that differ, in words; how many there are, where one side has no more.
fn apart(seen: &Rows, expected: &Rows) -> (String, String) {
    let at = seen.iter().zip(expected).take_while(|(seen, expected)| seen == expected).count();
    let say = |rows: &Rows| match rows.get(at) {
        Some(row) => format!("({})", row.join(", ")),
        None => format!("no more than {at} rows"),
    };
    (say(seen), say(expected))
}

async fn rows(query: &Query, targets: &Targets, fill: &Fill) -> Result<Rows, String> {
    let on = fill.text(&query.on).map_err(|error| error.to_string())?;
    let sql = fill.text(&query.sql).map_err(|error| error.to_string())?;
    let target = targets.get(&on).ok_or_else(|| format!("no server is called `{on}`"))?;
    let mut session = Session::open(target).await.map_err(|error| error.to_string())?;
    let answer = session.say(&sql).await.map_err(|error| error.to_string());
    session.close().await;
    Ok(answer?.rows)
}

async fn total(query: &Query, targets: &Targets, fill: &Fill) -> Result<Vec<String>, String> {
    let mut sum: Vec<i128> = Vec::new();
    for fill in fill.each(&query.each) {
        let rows = rows(query, targets, &fill).await?;
        let [row] = rows.as_slice() else {
            return Err(format!("{} on {} gives {} rows instead of one", query.sql, query.on, rows.len()));
        };
        sum.resize(row.len(), 0);
        for (sum, text) in sum.iter_mut().zip(row) {
            // SUM() over no rows is NULL, which adds nothing.
            let value = if text == "NULL" { Ok(0) } else { text.parse::<i128>() };
            *sum += value.map_err(|_| format!("`{text}` on {} cannot be added up", query.on))?;
        }
    }
    Ok(sum.iter().map(ToString::to_string).collect())
}

/// What a server counted while an arm ran, beside what each transaction of it must have done there.
pub(super) fn count(part: &CountPart, group: &Group) -> Check {
    let check = |fault| Check { name: part.name.clone(), fault };
    let Some(arm) = group.arm(&part.arm) else { return check(Some("the arm was not measured".to_owned())) };
    let transactions: u64 = arm.valid().map(|trial| trial.summary.transactions).sum();
    if transactions == 0 {
        return check(Some("the arm has no valid run".to_owned()));
    }
    let off = part.per_transaction.iter().find_map(|(counter, expected)| {
        let name = format!("{}.{counter}", part.on);
        let counted: u64 = arm.valid().filter_map(|trial| trial.counts.get(&name)).sum();
        let each = counted as f64 / transactions as f64;
        let far = (each - expected).abs() > (SHARE * expected).max(BESIDE);
        far.then(|| format!("{counter} of {} grew by {each:.2} for a transaction, not {expected}", part.on))
    });
    check(off)
}

/// What a proxy wrote while an arm ran, beside what each query must have been written as. Nothing may be missing, and
/// nothing be written twice, but for the margin that the file gives.
pub(super) fn recorded(part: &RecordPart, groups: &[Group]) -> Check {
    let check = |fault| Check { name: part.name.clone(), fault };
    let trials = || groups.iter().filter_map(|group| group.arm(&part.arm)).flat_map(Series::valid);
    let queries: u64 = trials().map(|trial| trial.summary.queries).sum();
    let written: u64 = trials().filter_map(|trial| trial.counts.get(&part.name)).sum();
    if queries == 0 {
        return check(Some("the arm has no valid run".to_owned()));
    }
    let expected = queries as f64 * part.per_query;
    let margin = part.margin * expected;
    let far = (written as f64 - expected).abs() > margin;
    check(far.then(|| format!("{written} records of {queries} queries, expected {expected:.0}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::Load;
    use crate::measure::Counts;
    use crate::report::Outcome;
    use crate::report::tests::{series, trial};

    #[test]
    fn counts_are_held_to_what_each_transaction_does() {
        let ran = |selects: u64| match trial(100.0, 9.0) {
            Outcome::Ran(mut trial) => {
                trial.counts = Counts::from([("read_ds.Com_select".to_owned(), selects)]);
                Outcome::Ran(trial)
            }
            failed => failed,
        };
        let part = CountPart {
            name: "reads".to_owned(),
            arm: "weir".to_owned(),
            on: "read_ds".to_owned(),
            per_transaction: BTreeMap::from([("Com_select".to_owned(), 10.0)]),
        };
        // Each of these trials has 1000 transactions.
        let judge = |selects: Vec<u64>| {
            let arms = vec![series("weir", selects.into_iter().map(ran).collect())];
            count(&part, &Group { title: String::new(), load: Load::new("oltp_read_write"), arms }).fault
        };
        assert_eq!(judge(vec![10_000, 10_004]), None);
        assert_eq!(
            judge(vec![10_000, 5_000]).as_deref(),
            Some("Com_select of read_ds grew by 7.50 for a transaction, not 10")
        );
        assert_eq!(judge(Vec::new()).as_deref(), Some("the arm has no valid run"));
    }

    #[test]
    fn no_record_may_be_missing() {
        let part = |per_query, margin| RecordPart {
            name: "general log".to_owned(),
            arm: "weir".to_owned(),
            file: "general".to_owned(),
            holding: vec!["Query".to_owned()],
            per_query,
            margin,
        };
        let judge = |written: u64, per_query: f64, margin: f64| {
            let Outcome::Ran(mut trial) = trial(100.0, 9.0) else { panic!("it ran") };
            trial.counts = Counts::from([("general log".to_owned(), written)]);
            let queries = trial.summary.queries;
            let arms = vec![series("weir", vec![Outcome::Ran(trial)])];
            let group = Group { title: String::new(), load: Load::new("oltp_read_write"), arms };
            (queries, recorded(&part(per_query, margin), &[group]).fault)
        };
        let (queries, _) = judge(0, 1.0, 0.0);
        assert_eq!(judge(queries, 1.0, 0.0).1, None);
        assert_eq!(
            judge(queries - 1, 1.0, 0.0).1,
            Some(format!("{} records of {queries} queries, expected {queries}", queries - 1))
        );
        assert_eq!(judge(queries / 2 + queries / 50, 0.5, 0.1).1, None);
        assert!(judge(queries, 0.5, 0.1).1.is_some());
    }

    #[test]
    fn the_first_rows_that_differ_are_told() {
        let rows = |texts: &[&str]| texts.iter().map(|text| vec![(*text).to_owned()]).collect::<Rows>();
        let said = apart(&rows(&["1", "2"]), &rows(&["1", "3"]));
        assert_eq!(said, ("(2)".to_owned(), "(3)".to_owned()));
        let said = apart(&rows(&["1"]), &rows(&["1", "3"]));
        assert_eq!(said, ("no more than 1 rows".to_owned(), "(3)".to_owned()));
    }
}
