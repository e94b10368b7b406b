//! What servers and proxies count or write themselves, read around a run: who answered is not a matter of belief.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use anyhow::{Context as _, Result, bail};

use crate::load::{Session, Target};

/// Something that is counted.
#[derive(Debug, Clone)]
pub enum Meter {
    /// Status variables of a server.
    Status {
        /// What the server is called.
        server: String,
        /// Where it is.
        target: Target,
        /// Names of the variables.
        counters: Vec<String>,
    },
    /// Lines that a proxy writes.
    Lines {
        /// What they are called.
        name: String,
        /// The folder.
        folder: PathBuf,
        /// How the files' names begin.
        file: String,
        /// What a line holds that counts: any of these.
        holding: Vec<String>,
    },
    /// What has been taken elsewhere.
    Taken {
        /// What it is called.
        name: String,
        /// How much it is.
        count: Arc<AtomicU64>,
    },
}

/// Counts by name: `server.variable`, or what lines are called.
pub type Counts = BTreeMap<String, u64>;

/// Lines are complete when there are as many twice, so far apart.
const SETTLES: Duration = Duration::from_millis(400);
/// But no longer than this.
const AT_MOST: u32 = 100;

/// Reads all of them.
pub async fn read(meters: &[Meter]) -> Result<Counts> {
    let mut counts = Counts::new();
    for meter in meters {
        match meter {
            Meter::Status { server, target, counters } => {
                let mut session = Session::open(target).await?;
                for counter in counters {
                    let question = format!("SHOW GLOBAL STATUS WHERE Variable_name = '{counter}'");
                    let answer = session.say(&question).await?;
                    let value = answer.rows.first().and_then(|row| row.get(1)?.parse().ok());
                    let value = value.with_context(|| format!("{server} does not count {counter}"))?;
                    counts.insert(format!("{server}.{counter}"), value);
                }
                session.close().await;
            }
            Meter::Lines { name, folder, file, holding } => {
                counts.insert(name.clone(), settled(|| lines(folder, file, holding)).await?);
            }
            Meter::Taken { name, count } => {
                counts.insert(name.clone(), settled(|| Ok(count.load(Ordering::Relaxed))).await?);
            }
        }
    }
    Ok(counts)
}

/// A count that has come to rest.
async fn settled(count: impl Fn() -> Result<u64>) -> Result<u64> {
    let mut last = count()?;
    for _ in 0..AT_MOST {
        tokio::time::sleep(SETTLES).await;
        let now = count()?;
        if now == last {
            return Ok(now);
        }
        last = now;
    }
    bail!("what is counted still grows long after the load")
}

/// Lines that hold any of these words, over all files whose names begin so.
fn lines(folder: &Path, file: &str, holding: &[String]) -> Result<u64> {
    let mut count = 0;
    let Ok(entries) = fs::read_dir(folder) else { return Ok(0) };
    for entry in entries {
        let entry = entry?;
        if !entry.file_name().to_string_lossy().starts_with(file) {
            continue;
        }
        let mut reader = BufReader::with_capacity(1 << 20, File::open(entry.path())?);
        let mut line = Vec::new();
        while reader.read_until(b'\n', &mut line)? > 0 {
            let held = |word: &String| line.windows(word.len()).any(|part| part == word.as_bytes());
            count += u64::from(holding.iter().any(held));
            line.clear();
        }
    }
    Ok(count)
}

/// What was counted since `before`.
pub fn since(before: &Counts, after: &Counts) -> Counts {
    let grown = |(name, value): (&String, &u64)| {
        let before = before.get(name).copied().unwrap_or_default();
        (name.clone(), value.saturating_sub(before))
    };
    after.iter().map(grown).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_counted_over_all_files_of_a_name() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("general.log"), b"a Query x\nb Quit\nc Execute\xff\n").unwrap();
        fs::write(folder.path().join("general.log.1"), b"d Query").unwrap();
        fs::write(folder.path().join("other.log"), b"e Query\n").unwrap();
        let words = ["Query".to_owned(), "Execute".to_owned()];
        assert_eq!(lines(folder.path(), "general", &words).unwrap(), 3);
        assert_eq!(lines(&folder.path().join("none"), "general", &words).unwrap(), 0);
    }
}
