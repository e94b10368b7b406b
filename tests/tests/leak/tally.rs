//! What all clients together count and find.

use std::collections::BTreeMap;
use std::fmt;

use parking_lot::Mutex;

/// Shown of each kind of refusal: its words up to what is particular.
const KIND: usize = 70;

/// Counts and findings of a run.
pub(crate) struct Tally {
    pub(crate) seed: u64,
    counts: Mutex<BTreeMap<String, u64>>,
    findings: Mutex<Vec<String>>,
}

impl Tally {
    pub(crate) fn new(seed: u64) -> Self {
        Self { seed, counts: Mutex::default(), findings: Mutex::default() }
    }

    /// Counts one more of this.
    pub(crate) fn count(&self, what: &str) {
        let mut counts = self.counts.lock();
        match counts.get_mut(what) {
            Some(count) => *count += 1,
            None => drop(counts.insert(what.to_owned(), 1)),
        }
    }

    /// Counts what the proxy refused by name.
    pub(crate) fn refused(&self, text: &str) {
        let kind: String = text.chars().take(KIND).collect();
        self.count(&format!("refused: {kind}"));
    }

    /// Keeps a finding.
    pub(crate) fn found(&self, finding: String) {
        self.findings.lock().push(finding);
    }

    /// How many there are.
    pub(crate) fn findings(&self) -> usize {
        self.findings.lock().len()
    }

    /// All findings.
    pub(crate) fn told(&self) -> String {
        let findings = self.findings.lock();
        format!("{} findings with seed {}\n\n{}", findings.len(), self.seed, findings.join("\n\n"))
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "seed {}", self.seed)?;
        for (what, count) in self.counts.lock().iter() {
            writeln!(f, "{count:9}  {what}")?;
        }
        write!(f, "{:9}  findings", self.findings())
    }
}
