//! Reads what sysbench prints.
//!
//! The format is for people, so reading is by label, not by position, and a missing label is an
//! error with its name: a report built on half an output would look like a slow proxy.

use serde::Serialize;

/// Latency of events (transactions of the script), in milliseconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Latency {
    /// Mean.
    pub avg: f64,
    /// Median, from the histogram; 0 without one.
    pub p50: f64,
    /// 95th percentile, from the histogram or sysbench's own figure; 0 when neither states it.
    pub p95: f64,
    /// 99th percentile, likewise.
    pub p99: f64,
    /// Slowest event.
    pub max: f64,
}

/// The figures of one finished run.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Summary {
    /// Transactions per second.
    pub tps: f64,
    /// Queries per second.
    pub qps: f64,
    /// Transactions done.
    pub transactions: u64,
    /// Queries done.
    pub queries: u64,
    /// Latency of a transaction.
    pub latency: Latency,
    /// Errors sysbench ignored; any makes the run invalid.
    pub errors: u64,
    /// Connections lost and made again; any makes the run invalid.
    pub reconnects: u64,
    /// What it measured as the length of the run, in seconds.
    pub seconds: f64,
}

impl Summary {
    /// Why this run must not be believed, if there is a reason.
    pub fn fault(&self) -> Option<String> {
        match (self.errors, self.reconnects, self.queries) {
            (0, 0, 0) => Some("no query was answered".to_owned()),
            (0, 0, _) => None,
            (errors, 0, _) => Some(format!("{errors} errors")),
            (0, reconnects, _) => Some(format!("{reconnects} reconnects")),
            (errors, reconnects, _) => Some(format!("{errors} errors, {reconnects} reconnects")),
        }
    }
}

/// One line of progress while a run goes on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// Seconds since the start.
    pub second: u32,
    /// Transactions per second in this interval.
    pub tps: f64,
    /// Queries per second in this interval.
    pub qps: f64,
    /// The percentile asked for, in milliseconds.
    pub latency: f64,
    /// Errors per second in this interval.
    pub errors: f64,
}

/// What one line of output says about the course of the run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Line {
    /// All connections are open and the clock runs.
    Started,
    /// An intermediate report.
    Interval(Interval),
    /// The clock has stopped and the report begins.
    Stopped,
    /// Anything else.
    Other,
}

/// Collects the output of one run.
#[derive(Debug, Default)]
pub struct Reader {
    stopped: bool,
    section: Section,
    found: Found,
    percentile: Option<(u8, f64)>,
    buckets: Vec<(f64, u64)>,
}

#[derive(Debug, Default, Clone, Copy, PartialEq)]
enum Section {
    #[default]
    None,
    Histogram,
    Latency,
}

#[derive(Debug, Default)]
struct Found {
    transactions: Option<(u64, f64)>,
    queries: Option<(u64, f64)>,
    errors: Option<u64>,
    reconnects: Option<u64>,
    seconds: Option<f64>,
    avg: Option<f64>,
    max: Option<f64>,
}

/// A figure the output should have and does not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Missing(pub(super) &'static str);

impl Reader {
    /// Takes the next line, without its line end.
    pub fn feed(&mut self, line: &str) -> Line {
        let text = line.trim();
        if text.starts_with("Threads started!") {
            return Line::Started;
        }
        if let Some(interval) = interval(text) {
            return Line::Interval(interval);
        }
        let before = self.stopped;
        if text.starts_with("Latency histogram") {
            self.section = Section::Histogram;
            self.stopped = true;
        } else if text.starts_with("SQL statistics:") {
            self.section = Section::None;
            self.stopped = true;
        } else if text.starts_with("Latency (ms)") {
            self.section = Section::Latency;
        } else if text.starts_with("Threads fairness") {
            self.section = Section::None;
        } else if self.section == Section::Histogram {
            self.buckets.extend(bucket(text));
        } else if let Some((label, value)) = text.split_once(':') {
            self.figure(label.trim(), value.trim());
        }
        if self.stopped && !before { Line::Stopped } else { Line::Other }
    }

    fn figure(&mut self, label: &str, value: &str) {
        let found = &mut self.found;
        match label {
            "transactions" => found.transactions = counted(value),
            "queries" => found.queries = counted(value),
            "ignored errors" => found.errors = counted(value).map(|(count, _)| count),
            "reconnects" => found.reconnects = counted(value).map(|(count, _)| count),
            "total time" => found.seconds = value.trim_end_matches('s').parse().ok(),
            "avg" if self.section == Section::Latency => found.avg = value.parse().ok(),
            "max" if self.section == Section::Latency => found.max = value.parse().ok(),
            _ if self.section == Section::Latency => {
                let rank = label
                    .strip_suffix("percentile")
                    .map(|rank| rank.trim().trim_end_matches(|c: char| c.is_ascii_alphabetic()));
                if let Some(rank) = rank.and_then(|rank| rank.parse().ok())
                    && let Ok(value) = value.parse()
                {
                    self.percentile = Some((rank, value));
                }
            }
            _ => {}
        }
    }

    /// The figures, once all lines were fed.
    pub(super) fn summary(&self) -> Result<Summary, Missing> {
        let found = &self.found;
        let (transactions, tps) = found.transactions.ok_or(Missing("transactions"))?;
        let (queries, qps) = found.queries.ok_or(Missing("queries"))?;
        Ok(Summary {
            tps,
            qps,
            transactions,
            queries,
            latency: Latency {
                avg: found.avg.ok_or(Missing("avg latency"))?,
                p50: self.percentile(50),
                p95: self.percentile(95),
                p99: self.percentile(99),
                max: found.max.ok_or(Missing("max latency"))?,
            },
            errors: found.errors.ok_or(Missing("ignored errors"))?,
            reconnects: found.reconnects.ok_or(Missing("reconnects"))?,
            seconds: found.seconds.ok_or(Missing("total time"))?,
        })
    }

    /// sysbench's own figure where it states this rank, else the bucket of the histogram in which
    /// the rank falls, as sysbench itself does it.
    fn percentile(&self, rank: u8) -> f64 {
        if let Some((stated, value)) = self.percentile
            && stated == rank
        {
            return value;
        }
        let total: u64 = self.buckets.iter().map(|(_, count)| count).sum();
        let wanted = (total * u64::from(rank)).div_ceil(100);
        let mut seen = 0;
        for (value, count) in &self.buckets {
            seen += count;
            if seen >= wanted {
                return *value;
            }
        }
        0.0
    }
}

/// `5771   (1921.61 per sec.)`
fn counted(value: &str) -> Option<(u64, f64)> {
    let (count, rate) = value.split_once('(')?;
    let rate = rate.split_whitespace().next()?;
    Some((count.trim().parse().ok()?, rate.parse().ok()?))
}

/// `       0.018 |*****                     1211`
fn bucket(text: &str) -> Option<(f64, u64)> {
    let (value, rest) = text.split_once('|')?;
    let count = rest.trim_start_matches('*').trim();
    Some((value.trim().parse().ok()?, count.parse().ok()?))
}

/// `[ 1s ] thds: 4 tps: 2006.37 qps: 32130.92 (r/w/o: …) lat (ms,99%): 3.96 err/s: 0.00 reconn/s: 0.00`
fn interval(text: &str) -> Option<Interval> {
    let (second, rest) = text.strip_prefix('[')?.split_once("s ]")?;
    let after = |label: &str| -> Option<f64> {
        let (_, value) = rest.split_once(label)?;
        value.split_whitespace().next()?.parse().ok()
    };
    Some(Interval {
        second: second.trim().parse().ok()?,
        tps: after("tps:")?,
        qps: after("qps:")?,
        latency: after("%):")?,
        errors: after("err/s:")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const READ_WRITE: &str = include_str!("captured/read_write.txt");
    const HISTOGRAM: &str = include_str!("captured/point_select_histogram.txt");

    fn read(text: &str) -> (Reader, Vec<Line>) {
        let mut reader = Reader::default();
        let lines = text.lines().map(|line| reader.feed(line)).collect();
        (reader, lines)
    }

    #[test]
    fn reads_the_figures_of_a_read_write_run() {
        let (reader, _) = read(READ_WRITE);
        let summary = reader.summary().unwrap();
        assert_eq!(
            summary,
            Summary {
                tps: 1921.61,
                qps: 30745.79,
                transactions: 5771,
                queries: 92336,
                latency: Latency { avg: 2.08, p50: 0.0, p95: 0.0, p99: 4.65, max: 105.29 },
                errors: 0,
                reconnects: 0,
                seconds: 3.0026,
            }
        );
        assert_eq!(summary.fault(), None);
    }

    #[test]
    fn takes_percentiles_sysbench_does_not_state_from_the_histogram() {
        let (reader, _) = read(HISTOGRAM);
        let latency = reader.summary().unwrap().latency;
        // 82,728 events: half of them lie at or below 0.045 ms, 99 % at or below 0.1 ms.
        assert_eq!((latency.p50, latency.p95, latency.p99), (0.045, 0.08, 0.1));
    }

    #[test]
    fn tells_start_intervals_and_stop_apart() {
        for text in [READ_WRITE, HISTOGRAM] {
            let (_, lines) = read(text);
            let course: Vec<_> = lines.iter().filter(|line| **line != Line::Other).collect();
            assert_eq!(course.first(), Some(&&Line::Started));
            assert_eq!(course.last(), Some(&&Line::Stopped));
            assert!(course[1..course.len() - 1].iter().all(|l| matches!(l, Line::Interval(_))));
        }
        let (_, lines) = read(READ_WRITE);
        assert!(lines.contains(&Line::Interval(Interval {
            second: 2,
            tps: 1970.93,
            qps: 31533.87,
            latency: 4.57,
            errors: 0.0,
        })));
    }

    #[test]
    fn errors_and_reconnects_make_a_run_invalid() {
        let broken = READ_WRITE
            .replace("ignored errors:                      0 ", "ignored errors:        12 ")
            .replace("reconnects:                          0 ", "reconnects:        3 ");
        let summary = read(&broken).0.summary().unwrap();
        assert_eq!(summary.fault().as_deref(), Some("12 errors, 3 reconnects"));
    }

    #[test]
    fn names_the_figure_that_is_missing() {
        let cut: String = READ_WRITE.lines().take(25).map(|line| format!("{line}\n")).collect();
        assert_eq!(read(&cut).0.summary(), Err(Missing("avg latency")));
        assert_eq!(read("FATAL: nothing").0.summary(), Err(Missing("transactions")));
    }
}
