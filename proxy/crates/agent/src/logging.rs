//! The plugin `BaseLogging`: which logs of statements there are, and how.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::counters::Counters;
use crate::file::{LogFile, Rotation};
use crate::general::GeneralLog;
use crate::props::{Fault, Props};
use crate::sink::Sink;
use crate::slow::SlowLog;

/// Statements that are logged, and to where. What is off is missing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Config {
    /// Every command.
    pub general: Option<Log>,
    /// Slow ones: from which time on, and where.
    pub slow: Option<(Duration, Log)>,
}

/// One log.
#[derive(Clone, Debug, PartialEq)]
pub struct Log {
    /// Its file, in the folder of logs unless it is absolute.
    pub file: PathBuf,
    /// Bytes of each text and of all parameters of a statement; what is longer is cut.
    pub limit: usize,
    /// Parameters of prepared statements are told.
    pub parameters: bool,
    /// When a new file is begun.
    pub rotation: Rotation,
}

impl Config {
    /// Reads the properties.
    ///
    /// # Errors
    /// Unknown ones, and values that cannot be.
    pub fn read(props: &Props) -> Result<Self, Fault> {
        // Of releases whose plugin tells of nothing but its own start.
        let _ = props.text("level");
        let general = props.flag("general-query-log", false)?;
        let slow = props.flag("slow-query-log", false)?;
        let threshold =
            props.duration("long-query-time", Duration::from_millis(1), Duration::from_millis(5000))?;
        let file = |name, default| PathBuf::from(props.text(name).unwrap_or(default));
        let (limit, parameters) =
            (props.size("max-sql-length", 65_536)?, props.flag("log-parameters", true)?);
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        let rotation = Rotation::read(props)?;
        let log = |file| Log { file, limit, parameters, rotation };
        let general_log = log(file("general-query-log-file", "general_query.log"));
        let slow_log = log(file("slow-query-log-file", "slow_query.log"));
        props.end()?;
        Ok(Self { general: general.then_some(general_log), slow: slow.then_some((threshold, slow_log)) })
    }

    /// The sinks of what is on; files are in this folder.
    pub fn sinks(&self, folder: &Path, counters: &Counters) -> Vec<Box<dyn Sink>> {
        let file = |log: &Log, name| LogFile::new(folder.join(&log.file), log.rotation, counters.of(name));
        let mut sinks: Vec<Box<dyn Sink>> = Vec::new();
        if let Some(log) = &self.general {
            sinks.push(Box::new(GeneralLog::new(file(log, GeneralLog::NAME), log)));
        }
        if let Some((threshold, log)) = &self.slow {
            sinks.push(Box::new(SlowLog::new(file(log, SlowLog::NAME), log, *threshold)));
        }
        sinks
    }
}
