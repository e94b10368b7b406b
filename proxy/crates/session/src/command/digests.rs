//! `SHOW STATEMENT DIGESTS`, `RESET STATEMENT DIGESTS`.

use std::time::{Duration, SystemTime};

use distsql::digest::Statement;

use crate::answer::Table;
use crate::digests::Figures;
use crate::error::Problem;
use crate::reply::Format;
use crate::session::Session;

const COLUMNS: [&str; 17] = [
    "digest",
    "database",
    "statement",
    "count",
    "errors",
    "warnings",
    "rows_sent",
    "rows_affected",
    "total_ms",
    "min_ms",
    "avg_ms",
    "p50_ms",
    "p95_ms",
    "p99_ms",
    "max_ms",
    "first_seen",
    "last_seen",
];

impl Session {
    pub(crate) async fn digests(&mut self, statement: &Statement) -> Result<(), Problem> {
        let Statement::Show { database, like, limit } = statement else {
            self.shared.registry.reset_digests().await;
            return self.ok();
        };
        let limit = limit.map_or(usize::MAX, |limit| usize::try_from(limit).unwrap_or(usize::MAX));
        let all = self.shared.registry.digests().await;
        let wanted = all.iter().filter(|figures| {
            database.as_ref().is_none_or(|name| *name == *figures.database)
                && like.as_ref().is_none_or(|pattern| meta::like(pattern, &figures.text))
                && self.may_see(figures)
        });
        let table = Table {
            columns: COLUMNS.map(str::to_owned).to_vec(),
            rows: wanted.take(limit).map(row).collect(),
        };
        self.put_table(&table, Format::Text);
        Ok(())
    }

    /// What ran on a database is for whom that is permitted, all else for administrators.
    fn may_see(&self, figures: &Figures) -> bool {
        self.is_administrator() || !figures.database.is_empty() && self.may_use(&figures.database)
    }
}

fn row(figures: &Figures) -> Vec<Option<String>> {
    let latency = &figures.latency;
    let known = figures.id != 0;
    let text = |text: &str| known.then(|| text.to_owned());
    vec![
        known.then(|| format!("{:016x}", figures.id)),
        text(&figures.database),
        text(&figures.text),
        Some(latency.count().to_string()),
        Some(figures.errors.to_string()),
        Some(figures.warnings.to_string()),
        Some(figures.rows_sent.to_string()),
        Some(figures.rows_affected.to_string()),
        milliseconds(latency.total()),
        milliseconds(latency.least()),
        milliseconds(latency.mean()),
        milliseconds(latency.quantile(0.5)),
        milliseconds(latency.quantile(0.95)),
        milliseconds(latency.quantile(0.99)),
        milliseconds(latency.most()),
        moment(figures.first),
        moment(figures.last),
    ]
}

fn milliseconds(time: Duration) -> Option<String> {
    Some(format!("{:.3}", time.as_secs_f64() * 1000.0))
}

/// In UTC, as MySQL writes a `DATETIME`.
fn moment(time: SystemTime) -> Option<String> {
    let micros = time.duration_since(SystemTime::UNIX_EPOCH).ok()?.as_micros();
    let at = meta::Moment(i64::try_from(micros).ok()?).fields();
    Some(format!(
        "{:04}-{:02}-{:02} {:02}:{:02}:{:02}",
        at.year, at.month, at.day, at.hour, at.minute, at.second
    ))
}
