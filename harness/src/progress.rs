//! What long steps say while they run. The library prints nothing by itself: the caller decides where the words go.

use std::io::Write as _;

/// Receives the words of long steps.
pub trait Progress: Sync {
    /// A step begins; `what` is a short phrase such as "unpacking MySQL".
    fn step(&self, what: &str);

    /// Something the user should know, although the work goes on.
    fn notice(&self, text: &str);
}

/// Says nothing.
#[derive(Debug, Clone, Copy)]
pub struct Silent;

impl Progress for Silent {
    fn step(&self, _what: &str) {}

    fn notice(&self, _text: &str) {}
}

/// One line on standard error for each step.
#[derive(Debug, Clone, Copy)]
pub struct Lines;

impl Progress for Lines {
    fn step(&self, what: &str) {
        line(&format!("· {what}"));
    }

    fn notice(&self, text: &str) {
        line(&format!("! {text}"));
    }
}

/// A reader who went away is no reason to stop.
fn line(text: &str) {
    drop(writeln!(std::io::stderr(), "{text}"));
}
