//! Observability as `agent.yaml` says: makes the sinks of what sessions tell, and hands them to the one thread that writes.
//!
//! No plugin stops the proxy: one that cannot do its work says so in the proxy's log, counts what it loses, and tries
//! again. `agent-plugins-enabled` switches all of them.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use agent::io::Io;
use agent::metrics::{Endpoint, Prometheus};
use agent::trace::Tracer;
use agent::{AuditConfig, AuditLog, Config, Counters, Sink, Writer, WrongSetting};
use meta::{Properties, Property};
use observe::Wants;
use parking_lot::Mutex;
use session::Shared;

use crate::figures::Figured;

/// All plugins.
#[derive(Debug)]
pub(crate) struct Plugins {
    hub: Arc<observe::Hub>,
    /// Where log files are.
    logs: PathBuf,
    counters: Arc<Counters>,
    /// Started by the first who needs it; nothing when it could not be.
    io: OnceLock<Option<Io>>,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    /// Nothing once the process ends.
    writer: Option<Writer>,
    config: Config,
    enabled: bool,
    /// Settings of the audit log that stand above the configuration.
    altered: BTreeMap<String, String>,
    /// Where figures come from, once they do.
    figures: Option<Arc<Figured>>,
    /// Where scrapers ask.
    endpoint: Option<(Prometheus, Endpoint)>,
}

impl Plugins {
    /// Starts what is on.
    pub(crate) fn start(
        hub: &Arc<observe::Hub>,
        logs: PathBuf,
        config: Config,
        properties: &Properties,
    ) -> std::io::Result<Arc<Self>> {
        let writer = Some(Writer::start(hub)?);
        let enabled = properties.flag(Property::AgentPluginsEnabled);
        let altered = altered_audit(properties);
        let state = State { writer, config, enabled, altered, figures: None, endpoint: None };
        let (counters, io) = (Arc::default(), OnceLock::new());
        let plugins = Self { hub: Arc::clone(hub), logs, counters, io, state: Mutex::new(state) };
        plugins.run(&mut plugins.state.lock());
        Ok(Arc::new(plugins))
    }

    /// Figures of all parts can be told from now on, if that is wanted.
    pub(crate) fn tell_of(&self, shared: &Arc<Shared>) {
        let mut state = self.state.lock();
        state.figures = Some(Arc::new(Figured::new(shared, &self.counters)));
        self.serve(&mut state);
    }

    /// Another process takes this one's place, and its ports.
    pub(crate) fn make_way(&self) {
        let mut state = self.state.lock();
        state.endpoint = None;
        state.figures = None;
    }

    /// Takes another configuration; what does not change goes on.
    pub(crate) fn configure(&self, config: Config) {
        let mut state = self.state.lock();
        if state.config != config {
            state.config = config;
            self.run(&mut state);
        }
    }

    /// Follows variables: `agent-plugins-enabled`, `sql-audit`; what is on is on when this returns.
    pub(crate) fn follow(&self, properties: &Properties) {
        let mut state = self.state.lock();
        let enabled = properties.flag(Property::AgentPluginsEnabled);
        let altered = altered_audit(properties);
        if state.enabled != enabled || state.altered != altered {
            (state.enabled, state.altered) = (enabled, altered);
            self.run(&mut state);
        }
    }

    /// Files may have been moved.
    pub(crate) fn reopen(&self) {
        if let Some(writer) = &self.state.lock().writer {
            writer.reopen();
        }
    }

    /// Writes what there is, and ends.
    pub(crate) fn stop(&self) {
        self.make_way();
        let writer = self.state.lock().writer.take();
        drop(writer);
    }

    fn run(&self, state: &mut State) {
        self.serve(state);
        let Some(writer) = &state.writer else { return };
        writer.replace(if state.enabled { self.sinks(state) } else { Vec::new() });
        writer.settle();
    }

    /// Lets scrapers ask, or not any more; nothing is counted while nobody can.
    fn serve(&self, state: &mut State) {
        let wanted = state.config.prometheus.as_ref().filter(|_| state.enabled);
        self.hub.keep(Wants::COUNTS, wanted.is_some());
        if state.endpoint.as_ref().map(|(config, _)| config) == wanted {
            return;
        }
        state.endpoint = None;
        let (Some(config), Some(figures)) = (wanted.cloned(), &state.figures) else { return };
        if let Some(io) = self.io() {
            let endpoint = Endpoint::start(io, config.clone(), Arc::clone(figures));
            state.endpoint = Some((config, endpoint));
        }
    }

    fn sinks(&self, state: &State) -> Vec<Box<dyn Sink>> {
        let mut sinks = state.config.logging.sinks(&self.logs, &self.counters);
        let audit = audit(&state.config.audit, &state.altered).unwrap_or_else(|error| {
            tracing::error!("the audit log is as agent.yaml has it: {error}");
            state.config.audit.clone()
        });
        if audit.is_on() {
            sinks.push(Box::new(AuditLog::new(&audit, &self.logs, self.hub.began(), &self.counters)));
        }
        if !state.config.tracing.is_empty()
            && let Some(io) = self.io()
        {
            sinks.extend(state.config.tracing.iter().map(|tracing| {
                let counters = self.counters.of(tracing.name());
                Box::new(Tracer::start(tracing, io, counters)) as Box<dyn Sink>
            }));
        }
        sinks
    }

    /// Begins new files of the sink of this name.
    pub(crate) fn rotate(&self, sink: &str) {
        if let Some(writer) = &self.state.lock().writer {
            writer.rotate(Some(sink));
            writer.settle();
        }
    }

    /// The audit log as `agent.yaml` has it.
    pub(crate) fn configured_audit(&self) -> AuditConfig {
        self.state.lock().config.audit.clone()
    }

    /// What has become of records: of the audit log, and on the way to all logs.
    pub(crate) fn audit_status(&self) -> Vec<(&'static str, String)> {
        let state = self.state.lock();
        let config =
            audit(&state.config.audit, &state.altered).unwrap_or_else(|_| state.config.audit.clone());
        let on = state.enabled && config.is_on();
        let (counters, flow) = (self.counters.of(AuditLog::NAME), self.hub.flow());
        let numbers = [
            ("records", counters.records.get()),
            ("bytes", counters.bytes.get()),
            ("lost", counters.lost.get()),
            ("errors", counters.errors.get()),
            ("rotations", counters.rotations.get()),
            ("told", flow.records),
            ("dropped", flow.dropped),
            ("waits", flow.waits),
        ];
        let state = [("state", if on { "ON" } else { "OFF" }.to_owned())];
        let file = [("file", config.path(&self.logs).display().to_string())];
        let numbers = numbers.map(|(name, number)| (name, number.to_string()));
        state.into_iter().chain(file).chain(numbers).collect()
    }

    /// The thread on which plugins talk to others.
    fn io(&self) -> Option<&Io> {
        let start =
            || Io::start().inspect_err(|error| tracing::error!(%error, "cannot start the agent's thread"));
        self.io.get_or_init(|| start().ok()).as_ref()
    }
}

/// What `ALTER AUDIT LOG` has set.
pub(crate) fn altered_audit(properties: &Properties) -> BTreeMap<String, String> {
    let text = properties.text(Property::SqlAudit);
    if text.is_empty() {
        return BTreeMap::new();
    }
    serde_json::from_str(text).unwrap_or_else(|error| {
        tracing::error!("{} cannot be read: {error}", Property::SqlAudit.name());
        BTreeMap::new()
    })
}

/// The audit log with that above its configuration.
pub(crate) fn audit(
    configured: &AuditConfig,
    altered: &BTreeMap<String, String>,
) -> Result<AuditConfig, WrongSetting> {
    configured.with(altered.iter().map(|(name, value)| (name.as_str(), value.as_str())))
}
