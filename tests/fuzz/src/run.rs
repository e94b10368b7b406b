//! Runs a target on inputs by chance.

use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use fastrand::Rng;

use crate::mutate::mutate;

/// No input may take longer, three times in a row: a machine may be busy with something else.
const SLOW: Duration = Duration::from_secs(2);

/// Inputs that are kept to be changed further.
const KEPT: usize = 4000;

/// Something that reads bytes.
#[derive(Clone, Copy)]
pub struct Target {
    /// What it is called.
    pub name: &'static str,
    /// Panics when a property does not hold; tells what it has seen.
    pub check: fn(&[u8]) -> u64,
    /// Inputs to begin with.
    pub seeds: fn() -> Vec<Vec<u8>>,
    /// Words to put into texts.
    pub words: &'static [&'static str],
}

/// An input that fails.
#[derive(Debug)]
pub struct Failing {
    /// The target.
    pub target: &'static str,
    /// The input, made small.
    pub input: Vec<u8>,
    /// What the target said.
    pub told: String,
    /// Inputs that went before.
    pub runs: u64,
}

/// What one run did.
enum Ended {
    Saw(u64),
    Panicked(String),
    Slow(Duration),
}

/// Runs a target for so long. Returns how many inputs were tried, and how many were kept since they showed something.
///
/// # Errors
/// The first input that fails.
pub fn run(target: &Target, seed: u64, length: Duration) -> Result<(u64, usize), Failing> {
    let mut rng = Rng::with_seed(seed);
    let mut kept = (target.seeds)();
    let mut sights = HashSet::new();
    for input in &kept {
        match once(target, input) {
            Ended::Saw(sight) => drop(sights.insert(sight)),
            other => return Err(failing(target, input.clone(), &other, 0)),
        }
    }
    let deadline = Instant::now() + length;
    let mut runs = 0;
    while Instant::now() < deadline {
        let input = mutate(&mut rng, &kept, target.words);
        runs += 1;
        match once(target, &input) {
            Ended::Saw(sight) => {
                if sights.insert(sight) {
                    if kept.len() < KEPT {
                        kept.push(input);
                    } else {
                        let at = rng.usize(..KEPT);
                        kept[at] = input;
                    }
                }
            }
            other => return Err(failing(target, input, &other, runs)),
        }
    }
    Ok((runs, sights.len()))
}

fn once(target: &Target, input: &[u8]) -> Ended {
    let mut ended = attempt(target, input);
    for _ in 0..2 {
        if !matches!(ended, Ended::Slow(_)) {
            break;
        }
        ended = attempt(target, input);
    }
    ended
}

fn attempt(target: &Target, input: &[u8]) -> Ended {
    let started = Instant::now();
    match catch_unwind(AssertUnwindSafe(|| (target.check)(input))) {
        Ok(_) if started.elapsed() > SLOW => Ended::Slow(started.elapsed()),
        Ok(sight) => Ended::Saw(sight),
        Err(panic) => {
            let text = panic.downcast_ref::<String>().map(String::as_str);
            let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
            Ended::Panicked(text.unwrap_or("a panic without words").to_owned())
        }
    }
}

/// Cuts away what is not needed for the failure.
fn failing(target: &Target, input: Vec<u8>, ended: &Ended, runs: u64) -> Failing {
    let told = match ended {
        Ended::Panicked(told) => told.clone(),
        Ended::Slow(took) => {
            return Failing { target: target.name, input, told: format!("took {took:?}"), runs };
        }
        Ended::Saw(_) => String::new(),
    };
    let mut smallest = input;
    let mut piece = smallest.len() / 2;
    while piece > 0 {
        let mut at = 0;
        while at + piece <= smallest.len() {
            let mut shorter = smallest.clone();
            drop(shorter.drain(at..at + piece));
            match once(target, &shorter) {
                Ended::Panicked(_) => smallest = shorter,
                _ => at += piece,
            }
        }
        piece /= 2;
    }
    let told = match once(target, &smallest) {
        Ended::Panicked(told) => told,
        _ => told,
    };
    Failing { target: target.name, input: smallest, told, runs }
}

impl std::fmt::Display for Failing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{} fails after {} inputs: {}\n  bytes {:?}\n  text  {:?}",
            self.target,
            self.runs,
            self.told,
            self.input,
            String::from_utf8_lossy(&self.input)
        )
    }
}
