//! Progress while things run: a bar on a terminal, plain lines elsewhere.

use std::io::{IsTerminal, Write as _};
use std::time::Duration;

use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use parking_lot::Mutex;

use crate::load::Interval;
use crate::measure::Trial;

/// Shows what goes on, on standard error.
#[derive(Debug)]
pub struct Live {
    bar: Option<ProgressBar>,
    last: Mutex<String>,
}

impl Live {
    /// A bar when standard error is a terminal, lines otherwise.
    pub fn new() -> Self {
        let bar = std::io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
            bar.set_style(waiting());
            bar.enable_steady_tick(Duration::from_millis(200));
            bar
        });
        Self { bar, last: Mutex::default() }
    }

    /// A step begins.
    pub fn step(&self, what: &str) {
        what.clone_into(&mut self.last.lock());
        self.line(&format!("· {what}"));
        if let Some(bar) = &self.bar {
            bar.set_message(what.to_owned());
        }
    }

    /// The step that began last.
    pub fn last(&self) -> String {
        self.last.lock().clone()
    }

    /// A line that stays.
    pub fn line(&self, text: &str) {
        match &self.bar {
            Some(bar) => bar.println(text),
            // A reader who went away is no reason to stop.
            None => drop(writeln!(std::io::stderr(), "{text}")),
        }
    }

    /// From here on `count` runs are to be done, which take at least `seconds`.
    pub fn expect(&self, count: u64, seconds: u64) {
        if let Some(bar) = &self.bar {
            bar.set_style(counting(seconds));
            bar.set_length(count);
            bar.set_position(0);
            bar.reset_eta();
        }
    }

    /// A run begins.
    pub fn begin(&self, what: &str) {
        if let Some(bar) = &self.bar {
            bar.set_message(what.to_owned());
        }
    }

    /// A run goes on.
    pub fn interval(&self, what: &str, interval: Interval) {
        if let Some(bar) = &self.bar {
            bar.set_message(format!("{:.0} QPS, {:.2} ms · {what}", interval.qps, interval.latency));
        }
    }

    /// A run has ended.
    pub fn end(&self, what: &str, outcome: Result<&Trial, &str>) {
        let fault = match &outcome {
            Ok(trial) => trial.fault.as_deref(),
            Err(fault) => Some(*fault),
        };
        match (outcome, fault) {
            (_, Some(fault)) => self.line(&format!("  ! {what}: invalid: {fault}")),
            (Ok(trial), None) => {
                let (summary, proxy) = (&trial.summary, trial.cost.proxy);
                let text = format!("  {what}: {:.0} QPS, p99 {:.2} ms", summary.qps, summary.latency.p99);
                let cost = format!(", proxy {proxy:.1} µs CPU per query");
                self.line(&(text + if proxy > 0.0 { &cost } else { "" }));
            }
            (Err(_), None) => {}
        }
        if let Some(bar) = &self.bar {
            bar.inc(1);
        }
    }

    /// All is done; the bar goes away.
    pub fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

impl Default for Live {
    fn default() -> Self {
        Self::new()
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        self.finish();
    }
}

fn waiting() -> ProgressStyle {
    style("{spinner} {elapsed} {wide_msg}")
}

fn counting(seconds: u64) -> ProgressStyle {
    // Before the first run has ended there is only the plan to go by.
    let left = move |state: &ProgressState, out: &mut dyn std::fmt::Write| {
        let left = if state.pos() == 0 { Duration::from_secs(seconds) } else { state.eta() };
        // The bar is redrawn several times a second; what cannot be drawn once is drawn next time.
        let _ = write!(out, "{:#}", HumanDuration(left));
    };
    style("{elapsed} {bar:12} {pos}/{len}, {left} left · {wide_msg}").with_key("left", left)
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}
