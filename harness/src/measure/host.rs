//! What the machine is, for the head of a report.

use std::fs::read_to_string;

use serde::Serialize;

/// The machine a report was made on.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Host {
    /// Cores this process may use.
    pub cores: usize,
    /// The processor, as it names itself.
    pub cpu: String,
    /// Kernel release.
    pub kernel: String,
    /// Distribution.
    pub system: String,
    /// Memory in MB.
    pub memory: u64,
}

impl Host {
    /// Reads `/proc` and `/etc/os-release`; what cannot be read is called unknown.
    pub fn read() -> Self {
        let cpu = read_to_string("/proc/cpuinfo").unwrap_or_default();
        let system = read_to_string("/etc/os-release").unwrap_or_default();
        let memory = read_to_string("/proc/meminfo").unwrap_or_default();
        let kernel = read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
        Self {
            cores: std::thread::available_parallelism().map_or(1, Into::into),
            cpu: field(&cpu, "model name", ':'),
            kernel: kernel.trim().to_owned(),
            system: field(&system, "PRETTY_NAME", '='),
            memory: field(&memory, "MemTotal", ':')
                .split_whitespace()
                .next()
                .and_then(|kilobytes| kilobytes.parse::<u64>().ok())
                .map_or(0, |kilobytes| kilobytes / 1024),
        }
    }

    /// Load average of the last minute.
    pub fn load() -> f64 {
        let text = read_to_string("/proc/loadavg").unwrap_or_default();
        text.split_whitespace().next().and_then(|first| first.parse().ok()).unwrap_or_default()
    }
}

fn field(text: &str, name: &str, separator: char) -> String {
    text.lines()
        .filter_map(|line| line.split_once(separator))
        .find(|(key, _)| key.trim() == name)
        .map_or_else(|| "unknown".to_owned(), |(_, value)| value.trim().trim_matches('"').to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_this_machine() {
        let host = Host::read();
        assert!(host.cores >= 1);
        assert!(host.memory > 0, "{host:?}");
        assert!(!host.kernel.is_empty());
        assert!(Host::load() >= 0.0);
    }

    #[test]
    fn a_field_without_its_line_is_unknown() {
        assert_eq!(field("a: 1\nmodel name\t: X 1\n", "model name", ':'), "X 1");
        assert_eq!(field("a: 1", "b", ':'), "unknown");
    }
}
