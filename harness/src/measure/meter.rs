//! What servers count themselves, read around a run: who answered is not a matter of belief.

use std::collections::BTreeMap;

use anyhow::{Context as _, Result};

use crate::load::{Session, Target};

/// A server and those of its status variables that are of interest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Meter {
    /// What the server is called.
    pub server: String,
    /// Where it is.
    pub target: Target,
    /// Names of status variables that count.
    pub counters: Vec<String>,
}

/// Counts by `server.variable`.
pub type Counts = BTreeMap<String, u64>;

/// Reads all of them.
pub async fn read(meters: &[Meter]) -> Result<Counts> {
    let mut counts = Counts::new();
    for meter in meters {
        let mut session = Session::open(&meter.target).await?;
        for counter in &meter.counters {
            let answer =
                session.say(&format!("SHOW GLOBAL STATUS WHERE Variable_name = '{counter}'")).await?;
            let value = answer.rows.first().and_then(|row| row.get(1)?.parse().ok());
            let value = value.with_context(|| format!("{} does not count {counter}", meter.server))?;
            counts.insert(format!("{}.{counter}", meter.server), value);
        }
        session.close().await;
    }
    Ok(counts)
}

/// What was counted since `before`.
pub fn since(before: &Counts, after: &Counts) -> Counts {
    let grown = |(name, value): (&String, &u64)| {
        let before = before.get(name).copied().unwrap_or_default();
        (name.clone(), value.saturating_sub(before))
    };
    after.iter().map(grown).collect()
}
