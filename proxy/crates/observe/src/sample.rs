//! Which statements are traced. It is decided when one begins, before anything is kept of it.

use std::cell::Cell;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::Instant;

use parking_lot::Mutex;

use crate::event::Trace;

/// Decides which statements are traced.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sampler {
    /// For statements whose client names no trace, or whose word does not count.
    pub rule: Rule,
    /// A client that names a trace decides whether it is exported.
    pub parental: bool,
}

/// How statements are chosen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rule {
    /// All.
    Always,
    /// Ten-thousandths of them, by the trace's id.
    Boundary(u16),
    /// Exactly so many of a hundred, whichever.
    Counted(u8),
    /// So many a second, and as many as `burst` at a time after a pause.
    Limited {
        /// A second.
        rate: f64,
        /// At a time; at least 1.
        burst: f64,
    },
    /// None.
    Never,
    /// This share of them, from 0 to 1, by the trace's id: whoever decides by the same share comes to the same.
    Share(f64),
}

/// So many statements [`Rule::Counted`] looks at together.
const HUNDRED: u8 = 100;
/// Ids that follow a pattern are spread by this.
const SALT: u64 = 0x9e37_79b9_7f4a_7c15;

/// What is decided by, for all workers.
#[derive(Debug)]
pub(crate) struct Samplers {
    sampler: Mutex<Sampler>,
    /// Changes with it.
    epoch: AtomicU32,
    began: Instant,
    /// Of [`Rule::Limited`]: when the next statement is due, in nanoseconds since then.
    due: AtomicU64,
}

impl Default for Samplers {
    fn default() -> Self {
        Self {
            sampler: Mutex::new(Sampler { rule: Rule::Never, parental: false }),
            epoch: AtomicU32::default(),
            began: Instant::now(),
            due: AtomicU64::default(),
        }
    }
}

impl Samplers {
    pub(crate) fn set(&self, sampler: Sampler) {
        let mut current = self.sampler.lock();
        if *current != sampler {
            *current = sampler;
            self.due.store(0, Ordering::Relaxed);
            self.epoch.fetch_add(1, Ordering::Release);
        }
    }

    /// Whether a statement that comes `now` is within the limit.
    fn is_due(&self, rate: f64, burst: f64, now: u64) -> bool {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "positive; what is too large is never due"
        )]
        let (interval, ahead) = ((1e9 / rate) as u64, ((burst.max(1.0) - 1.0) * 1e9 / rate) as u64);
        let next = |due: u64| {
            let due = due.max(now);
            (due - now <= ahead).then(|| due.saturating_add(interval))
        };
        self.due.fetch_update(Ordering::Relaxed, Ordering::Relaxed, next).is_ok()
    }
}

/// What one worker decides by.
#[derive(Debug, Default)]
pub(crate) struct Choice {
    kept: Cell<Option<(u32, Sampler)>>,
    /// Of [`Rule::Counted`]: statements that are left of the hundred, and how many of them are to be chosen.
    left: Cell<(u8, u8)>,
}

impl Choice {
    /// The trace of a statement, if it is to be exported or the client named one.
    pub(crate) fn trace(&self, samplers: &Samplers, parent: Option<Trace>) -> Option<Trace> {
        let sampler = self.sampler(samplers);
        if parent.is_some() && sampler.parental {
            return parent;
        }
        let id = parent.map_or_else(|| fastrand::u128(1..), |parent| parent.id);
        let sampled = self.chooses(samplers, sampler.rule, id);
        match parent {
            Some(parent) => Some(Trace { sampled, ..parent }),
            None => sampled.then_some(Trace { id, parent: 0, sampled }),
        }
    }

    fn sampler(&self, samplers: &Samplers) -> Sampler {
        let epoch = samplers.epoch.load(Ordering::Acquire);
        match self.kept.get() {
            Some((kept, sampler)) if kept == epoch => sampler,
            _ => {
                let sampler = *samplers.sampler.lock();
                self.kept.set(Some((epoch, sampler)));
                self.left.set((0, 0));
                sampler
            }
        }
    }

    fn chooses(&self, samplers: &Samplers, rule: Rule, id: u128) -> bool {
        // The lower half, as others decide by.
        #[expect(clippy::cast_possible_truncation, reason = "the lower half is meant")]
        let low = id as u64;
        match rule {
            Rule::Always => true,
            Rule::Never => false,
            Rule::Boundary(boundary) => (low ^ SALT) % 10_000 < u64::from(boundary),
            Rule::Counted(percent) => self.counts(percent),
            Rule::Limited { rate, burst } => {
                let now = samplers.began.elapsed().as_nanos();
                rate > 0.0 && samplers.is_due(rate, burst, u64::try_from(now).unwrap_or(u64::MAX))
            }
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                clippy::cast_precision_loss,
                reason = "a share of all numbers of 63 bits"
            )]
            Rule::Share(share) => {
                share >= 1.0 || low & (u64::MAX >> 1) < (share * (1_u64 << 63) as f64) as u64
            }
        }
    }

    /// Chooses so many of each hundred, by chance, so that no rhythm of the statements shows.
    fn counts(&self, percent: u8) -> bool {
        let (left, wanted) = match self.left.get() {
            (0, _) => (HUNDRED, percent.min(HUNDRED)),
            left => left,
        };
        let chosen = fastrand::u8(..left) < wanted;
        self.left.set((left - 1, wanted - u8::from(chosen)));
        chosen
    }
}

impl Trace {
    /// Reads what W3C's Trace Context calls `traceparent`: `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`.
    pub fn read(text: &[u8]) -> Option<Self> {
        let (version, rest) = text.split_at_checked(2)?;
        let (id, rest) = rest.strip_prefix(b"-")?.split_at_checked(32)?;
        let (parent, rest) = rest.strip_prefix(b"-")?.split_at_checked(16)?;
        let (flags, rest) = rest.strip_prefix(b"-")?.split_at_checked(2)?;
        let version = number(version)?;
        // Later versions may have more behind it; the last one is forbidden.
        if version == 0xff || !(rest.is_empty() || version > 0 && rest[0] == b'-') {
            return None;
        }
        let parent = u64::try_from(number(parent)?).ok()?;
        let trace = Self { id: number(id)?, parent, sampled: number(flags)? & 1 == 1 };
        (trace.id != 0 && parent != 0).then_some(trace)
    }

    /// The trace that a comment at the beginning or the end of a statement names: `/*traceparent='00-…-01'*/`, among
    /// others in the manner of sqlcommenter.
    #[inline]
    pub fn of_comment(text: &[u8]) -> Option<Self> {
        let mut text = text.trim_ascii();
        while let Some(rest) = text.strip_suffix(b";") {
            text = rest.trim_ascii_end();
        }
        if text.starts_with(b"/*") || text.ends_with(b"*/") { Self::of_comments(text) } else { None }
    }

    #[cold]
    fn of_comments(text: &[u8]) -> Option<Self> {
        let first = text.strip_prefix(b"/*").and_then(|rest| Some(&rest[..place(rest, b"*/")?]));
        let last = text.strip_suffix(b"*/").and_then(|rest| {
            let start = rest.windows(2).rposition(|pair| pair == b"/*")?;
            Some(&rest[start + 2..])
        });
        last.into_iter().chain(first).find_map(|comment| {
            let name = b"traceparent=";
            let value = &comment[place(comment, name)? + name.len()..];
            let value = value.strip_prefix(b"'").unwrap_or(value);
            let end =
                value.iter().position(|byte| matches!(byte, b'\'' | b',' | b' ')).unwrap_or(value.len());
            Self::read(&value[..end])
        })
    }
}

fn place(text: &[u8], what: &[u8]) -> Option<usize> {
    text.windows(what.len()).position(|window| window == what)
}

/// A number in small hexadecimal digits.
fn number(digits: &[u8]) -> Option<u128> {
    digits.iter().try_fold(0, |number, digit| {
        let digit = match digit {
            b'0'..=b'9' => digit - b'0',
            b'a'..=b'f' => digit - b'a' + 10,
            _ => return None,
        };
        Some(number << 4 | u128::from(digit))
    })
}

#[cfg(test)]
mod tests;
