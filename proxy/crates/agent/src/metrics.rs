//! Metrics for Prometheus: what workers have counted, merged when somebody asks, under the names of both generations of
//! dashboards (`proxy_request_total` and `proxy_requests_total`, …) and, beyond them, Weir's own (`weir_…`).

mod endpoint;
mod families;
mod figures;
mod names;
mod process;

pub use endpoint::{Endpoint, Prometheus};
pub use families::Exposition;
pub use figures::{Figures, Source, Unit};
pub use names::{METRICS, Metric, Type};

#[cfg(test)]
mod tests;
