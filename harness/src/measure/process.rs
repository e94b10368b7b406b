//! CPU time and memory of a process and all its descendants.

use std::collections::HashMap;
use std::io;
use std::time::Duration;

/// What a tree of processes has used so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Usage {
    /// User and system time of all threads, of living descendants, and of children that ended and
    /// were waited for.
    pub cpu: Duration,
    /// Sum of the peaks of resident memory, in kB.
    pub peak: u64,
}

/// Usage of the process `pid` and its descendants; an error when it does not exist.
///
/// The kernel counts CPU time in ticks of 10 ms but scales them to the exact run time, so over a
/// run of seconds the error is one tick per process.
pub fn usage(pid: u32) -> io::Result<Usage> {
    let mut total = Usage::default();
    let parents = parents();
    let mut open = vec![pid];
    while let Some(next) = open.pop() {
        match one(next) {
            Ok(usage) => {
                total.cpu += usage.cpu;
                total.peak += usage.peak;
            }
            // A descendant may end while we look; its time is then in its parent's.
            Err(error) if next == pid => return Err(error),
            Err(_) => continue,
        }
        open.extend(parents.iter().filter(|(_, parent)| **parent == next).map(|(child, _)| *child));
    }
    Ok(total)
}

/// Resident memory of one process now, in bytes.
pub fn resident(pid: u32) -> io::Result<u64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status"))?;
    let kilobytes =
        figure(&status, "VmRSS:").ok_or_else(|| io::Error::other(format!("odd /proc/{pid}/status")))?;
    Ok(kilobytes * 1024)
}

fn one(pid: u32) -> io::Result<Usage> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat"))?;
    let ticks = ticks(&stat).ok_or_else(|| io::Error::other(format!("odd /proc/{pid}/stat")))?;
    let status = std::fs::read_to_string(format!("/proc/{pid}/status"))?;
    Ok(Usage { cpu: duration(ticks), peak: peak(&status).unwrap_or_default() })
}

fn duration(ticks: u64) -> Duration {
    let rate = rustix::param::clock_ticks_per_second().max(1);
    Duration::from_nanos(ticks.saturating_mul(1_000_000_000 / rate))
}

/// utime, stime, cutime and cstime. The name before them may hold spaces and brackets.
fn ticks(stat: &str) -> Option<u64> {
    let (_, fields) = stat.rsplit_once(')')?;
    // Field 3 (state) is the first after the name; 14 to 17 are the times.
    let mut times = fields.split_whitespace().skip(11).take(4).map(str::parse::<u64>);
    times.try_fold(0, |sum, time| Some(sum + time.ok()?))
}

fn peak(status: &str) -> Option<u64> {
    figure(status, "VmHWM:")
}

fn figure(status: &str, name: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_whitespace().next()?.parse().ok()
}

fn parents() -> HashMap<u32, u32> {
    let Ok(folder) = std::fs::read_dir("/proc") else { return HashMap::new() };
    folder
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<u32>().ok())
        .filter_map(|pid| Some((pid, parent(pid)?)))
        .collect()
}

fn parent(pid: u32) -> Option<u32> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let (_, fields) = stat.rsplit_once(')')?;
    fields.split_whitespace().nth(1)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use std::process::{Child, Command, Stdio};

    use super::*;

    struct Ended(Child);

    impl Drop for Ended {
        fn drop(&mut self) {
            let _ = self.0.kill();
            let _ = self.0.wait();
        }
    }

    fn start(script: &str) -> Ended {
        let child = Command::new("sh")
            .args(["-c", script])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        Ended(child)
    }

    #[test]
    fn counts_the_time_a_child_burned() {
        // `times` prints what the shell itself was charged, in the same units as the kernel's.
        let mut child = start("i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done; times; read x");
        let mut printed = String::new();
        let mut lines = io::BufReader::new(child.0.stdout.take().unwrap());
        io::BufRead::read_line(&mut lines, &mut printed).unwrap();
        let own: f64 = printed.split_whitespace().map(seconds).sum();
        let seen = usage(child.0.id()).unwrap();
        assert!(own > 0.05, "burned only {own} s");
        assert!((seen.cpu.as_secs_f64() - own).abs() < 0.05, "{seen:?} against {own} s");
    }

    /// `0m0.310000s`
    fn seconds(text: &str) -> f64 {
        let (minutes, rest) = text.split_once('m').unwrap();
        minutes.parse::<f64>().unwrap() * 60.0 + rest.trim_end_matches('s').parse::<f64>().unwrap()
    }

    #[test]
    fn counts_descendants_that_live() {
        let mut child =
            start("sh -c 'i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done; echo done; read x' & wait");
        let mut line = String::new();
        let mut lines = io::BufReader::new(child.0.stdout.take().unwrap());
        io::BufRead::read_line(&mut lines, &mut line).unwrap();
        let seen = usage(child.0.id()).unwrap();
        assert!(seen.cpu > Duration::from_millis(50), "{seen:?}");
    }

    #[test]
    fn reads_the_peak_of_memory() {
        assert_eq!(peak("VmPeak:\t9 kB\nVmHWM:\t    4812 kB\nVmRSS:\t 1 kB\n"), Some(4812));
        assert_eq!(peak("Name:\tkthreadd\n"), None);
    }

    #[test]
    fn a_process_that_is_gone_is_an_error() {
        let mut child = start("exit 0");
        child.0.wait().unwrap();
        assert!(usage(child.0.id()).is_err());
    }

    #[test]
    fn reads_times_after_a_name_with_brackets() {
        let stat = "7 (a) b (c)) S 1 7 7 0 -1 4194560 1 0 0 0 11 22 3 4 20 0 1 0 5 6 7";
        assert_eq!(ticks(stat), Some(40));
        assert_eq!(ticks("7 a S 1"), None);
    }
}
