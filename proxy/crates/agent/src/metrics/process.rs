//! What the kernel knows of the process; what it does not tell is left out.

use std::fs;

/// Figures of this process.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Process {
    pub(super) cpu_seconds: f64,
    pub(super) open_fds: Option<u64>,
    pub(super) max_fds: Option<u64>,
    /// Bytes of virtual and of resident memory, and threads.
    pub(super) memory: Option<(u64, u64, u64)>,
    /// Since 1970, in seconds.
    pub(super) started: Option<f64>,
}

impl Process {
    /// Of this moment.
    pub(super) fn now() -> Self {
        let used = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
        #[expect(clippy::cast_precision_loss, reason = "seconds of a process's life")]
        let cpu_seconds = used.tv_sec as f64 + used.tv_nsec as f64 / 1e9;
        let stat = fs::read_to_string("/proc/self/stat").ok();
        let limits = fs::read_to_string("/proc/self/limits").ok();
        Self {
            cpu_seconds,
            // The folder that is read is one of them.
            open_fds: fs::read_dir("/proc/self/fd").ok().map(|fds| (fds.count() as u64).saturating_sub(1)),
            max_fds: limits.as_deref().and_then(max_fds),
            memory: stat.as_deref().and_then(memory),
            started: stat.as_deref().and_then(started),
        }
    }
}

/// A field of `/proc/self/stat` by its number in proc(5), beyond the program's name.
fn field(stat: &str, number: usize) -> Option<u64> {
    // The name may hold anything, but nothing behind it holds a parenthesis.
    let (_, rest) = stat.rsplit_once(')')?;
    rest.split_ascii_whitespace().nth(number.checked_sub(3)?)?.parse().ok()
}

fn memory(stat: &str) -> Option<(u64, u64, u64)> {
    Some((field(stat, 23)?, field(stat, 24)? * rustix::param::page_size() as u64, field(stat, 20)?))
}

#[expect(clippy::cast_precision_loss, reason = "seconds")]
fn started(stat: &str) -> Option<f64> {
    let ticks = field(stat, 22)?;
    let boot = fs::read_to_string("/proc/stat").ok()?;
    let boot: u64 = boot.lines().find_map(|line| line.strip_prefix("btime "))?.trim().parse().ok()?;
    Some(boot as f64 + ticks as f64 / rustix::param::clock_ticks_per_second() as f64)
}

fn max_fds(limits: &str) -> Option<u64> {
    let line = limits.lines().find_map(|line| line.strip_prefix("Max open files"))?;
    line.split_ascii_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernel_tells_of_this_process() {
        let process = Process::now();
        let (of_virtual, resident, threads) = process.memory.unwrap();
        assert!(of_virtual > resident && resident > 100_000 && threads >= 1);
        assert!(process.open_fds.unwrap() >= 3 && process.max_fds.unwrap() >= process.open_fds.unwrap());
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_secs_f64();
        let started = process.started.unwrap();
        assert!(started <= now + 1.0 && started > now - 86_400.0, "{started}");
        assert!(Process::now().cpu_seconds > process.cpu_seconds);
    }

    #[test]
    fn a_program_may_be_called_anything() {
        let stat = "7 (a ) b) S 1 7 7 0 -1 4194560 1 0 0 0 5 6 0 0 20 0 3 0 900 4096 2 18446744073709551615";
        assert_eq!((field(stat, 20), field(stat, 22), field(stat, 23)), (Some(3), Some(900), Some(4096)));
    }
}
