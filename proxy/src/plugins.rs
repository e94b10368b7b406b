//! Observability as `agent.yaml` says: makes the sinks of what sessions tell, and hands them to the one thread that writes.
//!
//! No plugin stops the proxy: one that cannot do its work says so in the proxy's log, counts what it loses, and tries
//! again. `agent-plugins-enabled` switches all of them.

use std::path::PathBuf;
use std::sync::Arc;

use agent::{Config, Counters, Sink, Writer};
use meta::{Properties, Property};
use parking_lot::Mutex;

/// All plugins.
#[derive(Debug)]
pub(crate) struct Plugins {
    /// Where log files are.
    logs: PathBuf,
    counters: Arc<Counters>,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    /// Nothing once the process ends.
    writer: Option<Writer>,
    config: Config,
    enabled: bool,
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
        let state = State { writer, config, enabled };
        let plugins = Self { logs, counters: Arc::default(), state: Mutex::new(state) };
        plugins.run(&plugins.state.lock());
        Ok(Arc::new(plugins))
    }

    /// What sinks have counted.
    #[expect(dead_code, reason = "asked for by metrics")]
    pub(crate) fn counters(&self) -> &Arc<Counters> {
        &self.counters
    }

    /// Takes another configuration; what does not change goes on.
    pub(crate) fn configure(&self, config: Config) {
        let mut state = self.state.lock();
        if state.config != config {
            state.config = config;
            self.run(&state);
        }
    }

    /// Follows `agent-plugins-enabled`; what is on is on when this returns.
    pub(crate) fn follow(&self, properties: &Properties) {
        let mut state = self.state.lock();
        let enabled = properties.flag(Property::AgentPluginsEnabled);
        if state.enabled != enabled {
            state.enabled = enabled;
            self.run(&state);
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
        let writer = self.state.lock().writer.take();
        drop(writer);
    }

    fn run(&self, state: &State) {
        let Some(writer) = &state.writer else { return };
        writer.replace(if state.enabled { self.sinks(&state.config) } else { Vec::new() });
        writer.settle();
    }

    fn sinks(&self, config: &Config) -> Vec<Box<dyn Sink>> {
        config.logging.sinks(&self.logs, &self.counters)
    }
}
