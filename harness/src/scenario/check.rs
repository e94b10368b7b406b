//! Verifies what a scenario says must be true: a fast wrong proxy fails.

use std::collections::BTreeMap;

use super::file::{CheckPart, Query};
use super::fill::Fill;
use crate::load::{Session, Target};
use crate::report::Check;

/// Where queries may be sent, by name; the proxy is one of them.
pub type Targets = BTreeMap<String, Target>;

/// Makes one check in all its repetitions; the first that fails is what is reported. `when` is
/// added to its name.
pub async fn verify(part: &CheckPart, targets: &Targets, fill: &Fill, when: &str) -> Check {
    let name = format!("{} ({when})", part.name);
    for fill in fill.each(&part.each) {
        if let Err(fault) = one(part, targets, &fill).await {
            return Check { name, fault: Some(fault) };
        }
    }
    Check { name, fault: None }
}

async fn one(part: &CheckPart, targets: &Targets, fill: &Fill) -> Result<(), String> {
    let own = Query { each: BTreeMap::new(), on: part.on.clone(), sql: part.sql.clone() };
    let seen = row(&own, targets, fill).await?;
    let (expected, of) = match (&part.expect, &part.same, &part.total) {
        (Some(row), ..) => (row.clone(), "expected".to_owned()),
        (_, Some(query), _) => (row(query, targets, fill).await?, query.on.clone()),
        (_, _, Some(query)) => (total(query, targets, fill).await?, format!("the sum over {}", query.on)),
        (None, None, None) => return Err("nothing to compare with".to_owned()),
    };
    if seen == expected {
        return Ok(());
    }
    let text = |text: &str| fill.text(text).unwrap_or_else(|_| text.to_owned());
    Err(format!(
        "{} on {} gives ({}), but {} is ({})",
        text(&part.sql),
        text(&part.on),
        seen.join(", "),
        text(&of),
        expected.join(", ")
    ))
}

async fn row(query: &Query, targets: &Targets, fill: &Fill) -> Result<Vec<String>, String> {
    let on = fill.text(&query.on).map_err(|error| error.to_string())?;
    let sql = fill.text(&query.sql).map_err(|error| error.to_string())?;
    let target = targets.get(&on).ok_or_else(|| format!("no server is called `{on}`"))?;
    let mut session = Session::open(target).await.map_err(|error| error.to_string())?;
    let answer = session.say(&sql).await.map_err(|error| error.to_string());
    session.close().await;
    match <[Vec<String>; 1]>::try_from(answer?.rows) {
        Ok([row]) => Ok(row),
        Err(rows) => Err(format!("{sql} on {on} gives {} rows instead of one", rows.len())),
    }
}

async fn total(query: &Query, targets: &Targets, fill: &Fill) -> Result<Vec<String>, String> {
    let mut sum: Vec<i128> = Vec::new();
    for fill in fill.each(&query.each) {
        let row = row(query, targets, &fill).await?;
        sum.resize(row.len(), 0);
        for (sum, text) in sum.iter_mut().zip(&row) {
            // SUM() over no rows is NULL, which adds nothing.
            let value = if text == "NULL" { Ok(0) } else { text.parse::<i128>() };
            *sum += value.map_err(|_| format!("`{text}` on {} cannot be added up", query.on))?;
        }
    }
    Ok(sum.iter().map(ToString::to_string).collect())
}
