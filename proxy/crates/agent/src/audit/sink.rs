//! The audit log on the writer's thread.

use std::fs::{self, File};
use std::io::Read as _;
use std::path::Path;
use std::time::{Duration, SystemTime};

use observe::{Event, Wants};

use super::class::Classes;
use super::filter::Filter;
use super::record::Writing;
use super::settings::{AuditConfig, Format, Policy, Strategy};
use crate::counters::Counters;
use crate::file::LogFile;
use crate::sink::Sink;

/// The audit log as a sink.
#[derive(Debug)]
pub struct AuditLog {
    config: AuditConfig,
    scribe: Scribe,
    file: LogFile,
}

impl AuditLog {
    /// What it is called in messages and counters.
    pub const NAME: &'static str = "audit-log";

    /// Writes to a file in this folder; `epoch` tells the numbers of this process's records from those of others.
    pub fn new(config: &AuditConfig, folder: &Path, epoch: SystemTime, counters: &Counters) -> Self {
        let counters = counters.of(Self::NAME);
        let path = config.path(folder);
        let fits = starts_with(&path, config.format);
        let mut file = LogFile::framed(path, config.rotation, config.format.frame(), counters);
        if config.strategy == Strategy::Synchronous {
            file = file.durable();
        }
        if !fits {
            // A file is of one form.
            file.rotate();
        }
        Self { config: config.clone(), scribe: Scribe::new(config, epoch), file }
    }
}

/// Whether a file may go on in a format; one that is empty, cannot be read or is no file may.
fn starts_with(path: &Path, format: Format) -> bool {
    let is_file = fs::metadata(path).is_ok_and(|metadata| metadata.is_file());
    let Some(mut file) = File::open(path).ok().filter(|_| is_file) else { return true };
    let mut start = Vec::new();
    let read = file.by_ref().take(4096).read_to_end(&mut start);
    read.is_err() || format.begins(&start)
}

impl Sink for AuditLog {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn wants(&self) -> Wants {
        self.config.wants()
    }

    fn slow(&self) -> Option<Duration> {
        Some(self.config.min_duration).filter(|least| !least.is_zero())
    }

    fn text_limit(&self) -> usize {
        self.config.max_text
    }

    fn take(&mut self, event: &Event<'_>) {
        if let Some(classes) = self.scribe.classes(event) {
            self.file.record(|out| self.scribe.write(event, classes, out));
        }
    }

    fn flush(&mut self) {
        // What cannot be written has been told and is counted: nobody waits for a disk that is full.
        if self.config.strategy == Strategy::Synchronous {
            self.file.sync()
        } else {
            self.file.flush()
        };
    }

    fn file(&mut self) -> Option<&mut LogFile> {
        Some(&mut self.file)
    }
}

/// What turns events into the bytes of a file.
#[derive(Debug)]
pub(super) struct Scribe {
    config: AuditConfig,
    filter: Filter,
    writing: Writing,
}

impl Scribe {
    /// `epoch` tells the numbers of this process from those of others.
    pub(super) fn new(config: &AuditConfig, epoch: SystemTime) -> Self {
        let writing = Writing::new(epoch, config.max_text, config.physical_sql);
        Self { config: config.clone(), filter: Filter::new(config), writing }
    }

    /// The classes of an event, if it is to be held.
    #[inline]
    pub(super) fn classes(&self, event: &Event<'_>) -> Option<Classes> {
        let classes = Classes::of(event);
        self.filter.holds(event, classes).then_some(classes)
    }

    /// Appends its record.
    #[inline]
    pub(super) fn write(&mut self, event: &Event<'_>, classes: Classes, out: &mut Vec<u8>) {
        self.config.format.write(&mut self.writing, event, classes, out);
    }
}

impl AuditConfig {
    /// What sessions are to tell.
    pub(super) fn wants(&self) -> Wants {
        let mut wants = match self.strategy {
            Strategy::Asynchronous => Wants::WAIT,
            Strategy::Performance => Wants::empty(),
            Strategy::Semisynchronous | Strategy::Synchronous => Wants::WAIT | Wants::CONFIRMED,
        };
        let classes = self.include_classes - self.exclude_classes;
        let sessions = classes.intersects(Classes::CONNECT | Classes::QUIT);
        wants.set(Wants::SESSIONS, sessions && self.policy != Policy::Queries);
        if self.policy != Policy::Logins && classes.intersects(!(Classes::CONNECT | Classes::QUIT)) {
            // What is too quick is not even told.
            wants |= if self.min_duration.is_zero() { Wants::STATEMENTS } else { Wants::SLOW };
            wants.set(Wants::PARAMETERS, self.parameters);
            wants.set(Wants::RUNS, self.units || self.physical_sql);
            wants.set(Wants::RUN_TEXTS, self.physical_sql);
        }
        wants
    }
}
