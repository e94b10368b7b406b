//! Whom spans are sent to, and which statements are sampled, as `agent.yaml` says for each tracing plugin.

use std::time::Duration;

use http::{HeaderMap, HeaderName, HeaderValue, Uri};
use observe::{Rule, Sampler};

use super::spans::Manner;
use crate::config::{Kind, Plugin};
use crate::props::{Fault, Props};

/// Of one tracing plugin.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    kind: Kind,
    /// Which statements.
    pub sampler: Sampler,
    /// Whom spans are sent to.
    pub target: Target,
    /// What the proxy is called.
    pub service: String,
    /// What else is told of it, where that can be.
    pub attributes: Vec<(String, String)>,
    /// Sent with each batch, over HTTP.
    pub headers: HeaderMap,
    /// How long an answer is waited for.
    pub timeout: Duration,
    /// How long a span waits at most for others to go with it.
    pub delay: Duration,
}

/// Whom spans are sent to.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Target {
    /// Jaeger's agent, by datagrams.
    Jaeger {
        /// Name or address.
        host: String,
        /// UDP port.
        port: u16,
    },
    /// OTLP over HTTP.
    Otlp(Uri),
    /// SkyWalking's segments over HTTP.
    SkyWalking(Uri),
    /// Zipkin's JSON over HTTP.
    Zipkin(Uri),
}

const SERVICE: &str = "shardingsphere";
const SECOND: Duration = Duration::from_secs(1);
const MILLISECOND: Duration = Duration::from_millis(1);
/// How long an answer is waited for, unless that is set.
const PATIENCE: Duration = Duration::from_secs(10);
/// Of what Jaeger samples before it is told by its server, which it is never here.
const INITIAL: f64 = 0.001;

impl Config {
    /// Reads the properties of a tracing plugin; nothing where it is told to export nowhere.
    ///
    /// # Errors
    /// What is wrong, and where.
    pub fn read(plugin: &Plugin) -> Result<Option<Self>, Fault> {
        let props = &plugin.props;
        let config = match plugin.kind {
            Kind::Jaeger => Some(jaeger(plugin)?),
            Kind::OpenTelemetry => open_telemetry(props)?,
            Kind::SkyWalking => Some(sky_walking(plugin)?),
            Kind::Zipkin => Some(zipkin(plugin)?),
            Kind::Audit | Kind::BaseLogging | Kind::Prometheus => None,
        };
        props.end()?;
        Ok(config)
    }

    fn new(kind: Kind, target: Target, sampler: Sampler, service: Option<&str>) -> Self {
        Self {
            kind,
            sampler,
            target,
            service: service.unwrap_or(SERVICE).to_owned(),
            attributes: Vec::new(),
            headers: HeaderMap::new(),
            timeout: PATIENCE,
            delay: SECOND,
        }
    }

    /// What the plugin is called in messages and counters.
    pub const fn name(&self) -> &'static str {
        match self.kind {
            Kind::Jaeger => "jaeger",
            Kind::OpenTelemetry => "opentelemetry",
            Kind::SkyWalking => "skywalking",
            _ => "zipkin",
        }
    }

    pub(super) const fn manner(&self) -> Manner {
        match self.kind {
            Kind::OpenTelemetry => Manner::OpenTelemetry,
            Kind::Jaeger | Kind::SkyWalking => Manner::OpenTracing,
            _ => Manner::Zipkin,
        }
    }
}

fn zipkin(plugin: &Plugin) -> Result<Config, Fault> {
    let (props, (host, port)) = (&plugin.props, plugin.address()?);
    let path = props.text("url-version").unwrap_or("/api/v2/spans");
    let target = Target::Zipkin(address(host, port, path).map_err(|reason| Fault { at: plugin.at, reason })?);
    let kinds = [("const", 0), ("counting", 1), ("ratelimiting", 2), ("boundary", 3)];
    let (name, most) = ("sampler-param", 1e9);
    let rule = match props.choice("sampler-type", &kinds, 0)? {
        1 => {
            let percent = share(props, name, 100.0)?;
            u8::try_from(percent).map_or(Rule::Always, Rule::Counted)
        }
        2 => {
            let rate = props.number(name, (0.0, most), 1.0)?;
            limited(rate, rate / 10.0)
        }
        3 => Rule::Boundary(share(props, name, 10_000.0)?),
        _ => constant(props.number(name, (0.0, most), 1.0)?),
    };
    let sampler = Sampler { rule, parental: true };
    Ok(Config::new(Kind::Zipkin, target, sampler, props.text("service-name")))
}

fn jaeger(plugin: &Plugin) -> Result<Config, Fault> {
    let (props, (host, port)) = (&plugin.props, plugin.address()?);
    let otlp = props.number("otlp-port", (1, u16::MAX), 1)?;
    let target = match (endpoint(props, "otlp-endpoint", "")?, props.text("otlp-port")) {
        (Some(uri), _) => Target::Otlp(uri),
        (None, Some(_)) => {
            let uri = address(host, otlp, "/v1/traces").map_err(|reason| Fault { at: plugin.at, reason })?;
            Target::Otlp(uri)
        }
        (None, None) => Target::Jaeger { host: host.to_owned(), port },
    };
    let kinds = [("const", 0), ("probabilistic", 1), ("ratelimiting", 2), ("remote", 3)];
    let (name, most) = ("jaeger-sampler-param", 1e9);
    let rule = match props.choice("jaeger-sampler-type", &kinds, 0)? {
        1 => Rule::Share(props.number(name, (0.0, 1.0), INITIAL)?),
        2 => {
            let rate = props.number(name, (0.0, most), 1.0)?;
            limited(rate, rate)
        }
        // What holds until a server has told another share.
        3 => Rule::Share(props.number(name, (0.0, 1.0), INITIAL)?),
        _ => constant(props.number(name, (0.0, most), 1.0)?),
    };
    // A reporter that logs spans is one of Java's.
    props.flag("jaeger-reporter-log-spans", false)?;
    let sampler = Sampler { rule, parental: true };
    let delay = props.duration("jaeger-reporter-flush-interval", MILLISECOND, SECOND)?;
    let config = Config::new(Kind::Jaeger, target, sampler, props.text("service-name"));
    Ok(Config { delay, ..config })
}

fn sky_walking(plugin: &Plugin) -> Result<Config, Fault> {
    let props = &plugin.props;
    // Which class of Java traces.
    props.text("opentracing-tracer-class-name");
    let (host, port) = (plugin.host.as_deref().unwrap_or("127.0.0.1"), plugin.port.unwrap_or(12_800));
    let uri = address(host, port, "/v3/segments").map_err(|reason| Fault { at: plugin.at, reason })?;
    let count = props.number("sample-n-per-3-secs", (-1.0, 1e9), -1.0)?;
    let rule = if count <= 0.0 { Rule::Always } else { limited(count / 3.0, count) };
    let sampler = Sampler { rule, parental: true };
    Ok(Config::new(Kind::SkyWalking, Target::SkyWalking(uri), sampler, props.text("service-name")))
}

/// By the names of OpenTelemetry's autoconfiguration, their dots written as dashes or not.
fn open_telemetry(props: &Props) -> Result<Option<Config>, Fault> {
    let props = Dotted(props);
    let exporters = [("otlp", 0), ("jaeger", 1), ("zipkin", 2), ("none", 3)];
    let exporter = props.choice("otel-traces-exporter", &exporters, 0)?;
    let protocols = [("http/protobuf", ())];
    for name in ["otel-exporter-otlp-traces-protocol", "otel-exporter-otlp-protocol"] {
        props.choice(name, &protocols, ())?;
    }
    let own = props.endpoint("otel-exporter-otlp-traces-endpoint", "")?;
    let all = props.endpoint("otel-exporter-otlp-endpoint", "v1/traces")?;
    let jaeger = props.endpoint("otel-exporter-jaeger-endpoint", "")?;
    let zipkin = props.endpoint("otel-exporter-zipkin-endpoint", "")?;
    let here = Uri::from_static("http://localhost:4318/v1/traces");
    let target = match exporter {
        0 => Target::Otlp(own.or(all).unwrap_or(here)),
        1 => Target::Otlp(jaeger.or(own).or(all).unwrap_or(here)),
        _ => Target::Zipkin(zipkin.unwrap_or_else(|| Uri::from_static("http://localhost:9411/api/v2/spans"))),
    };
    let mut attributes = props.pairs("otel-resource-attributes")?;
    let named = attributes.iter().position(|(name, _)| name == "service.name");
    let named = named.map(|at| attributes.remove(at).1);
    let service = props.text("otel-service-name").map(str::to_owned).or(named);
    let config = Config::new(Kind::OpenTelemetry, target, props.sampler()?, service.as_deref());
    let mut headers = HeaderMap::new();
    for name in ["otel-exporter-otlp-headers", "otel-exporter-otlp-traces-headers"] {
        for (header, value) in props.pairs(name)? {
            let header = HeaderName::from_bytes(header.to_ascii_lowercase().as_bytes());
            let (Ok(header), Ok(value)) = (header, HeaderValue::from_str(&value)) else {
                return Err(props.fault(name, "must be headers like `name=value,name=value`"));
            };
            headers.insert(header, value);
        }
    }
    let timeout = props.duration("otel-exporter-otlp-timeout", PATIENCE)?;
    let timeout = props.duration("otel-exporter-otlp-traces-timeout", timeout)?;
    let delay = props.duration("otel-bsp-schedule-delay", SECOND)?;
    // What belongs to others, or is as it is.
    for name in [
        "otel-bsp-export-timeout",
        "otel-bsp-max-export-batch-size",
        "otel-bsp-max-queue-size",
        "otel-logs-exporter",
        "otel-metrics-exporter",
        "otel-propagators",
    ] {
        props.text(name);
    }
    Ok((exporter != 3).then_some(Config { attributes, headers, timeout, delay, ..config }))
}

/// Properties whose names have dots or dashes.
struct Dotted<'a>(&'a Props);

impl<'a> Dotted<'a> {
    fn text(&self, name: &str) -> Option<&'a str> {
        let dotted = self.0.text(&name.replace('-', "."));
        self.0.text(name).or(dotted)
    }

    /// The name that is there.
    fn name(&self, name: &str) -> String {
        let dotted = name.replace('-', ".");
        if self.0.text(&dotted).is_some() { dotted } else { name.to_owned() }
    }

    fn choice<T: Copy>(&self, name: &str, choices: &[(&str, T)], default: T) -> Result<T, Fault> {
        self.0.text(name);
        self.0.choice(&self.name(name), choices, default)
    }

    fn duration(&self, name: &str, default: Duration) -> Result<Duration, Fault> {
        self.0.text(name);
        self.0.duration(&self.name(name), MILLISECOND, default)
    }

    fn endpoint(&self, name: &str, below: &str) -> Result<Option<Uri>, Fault> {
        self.0.text(name);
        endpoint(self.0, &self.name(name), below)
    }

    fn fault(&self, name: &str, wanted: &str) -> Fault {
        self.0.fault(&self.name(name), wanted)
    }

    /// `name=value,name=value`.
    fn pairs(&self, name: &str) -> Result<Vec<(String, String)>, Fault> {
        let Some(text) = self.text(name) else { return Ok(Vec::new()) };
        let pair = |pair: &str| {
            let (name, value) = pair.split_once('=')?;
            Some((name.trim().to_owned(), value.trim().to_owned()))
        };
        let pairs = text.split(',').filter(|text| !text.trim().is_empty()).map(pair).collect::<Option<_>>();
        pairs.ok_or_else(|| self.fault(name, "must be like `name=value,name=value`"))
    }

    fn sampler(&self) -> Result<Sampler, Fault> {
        let kinds = [
            ("parentbased_always_on", (true, 1)),
            ("parentbased_always_off", (true, 0)),
            ("parentbased_traceidratio", (true, 2)),
            ("always_on", (false, 1)),
            ("always_off", (false, 0)),
            ("traceidratio", (false, 2)),
        ];
        let (parental, kind) = self.choice("otel-traces-sampler", &kinds, (true, 1))?;
        let name = "otel-traces-sampler-arg";
        self.0.text(name);
        let share = self.0.number(&self.name(name), (0.0, 1.0), 1.0)?;
        let rule = [Rule::Never, Rule::Always, Rule::Share(share)][kind];
        Ok(Sampler { rule, parental })
    }
}

fn constant(param: f64) -> Rule {
    if param == 0.0 { Rule::Never } else { Rule::Always }
}

fn limited(rate: f64, burst: f64) -> Rule {
    if rate == 0.0 { Rule::Never } else { Rule::Limited { rate, burst: burst.max(1.0) } }
}

/// A share in so many parts, none of which may be divided.
fn share(props: &Props, name: &str, parts: f64) -> Result<u16, Fault> {
    let share = props.number(name, (0.0, 1.0), 1.0)?;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to 10,000")]
    let count = (share * parts).round() as u16;
    if share > 0.0 && count == 0 {
        return Err(props.fault(name, &format!("must be 0, or from {} to 1", 1.0 / parts)));
    }
    Ok(count)
}

fn address(host: &str, port: u16, path: &str) -> Result<Uri, String> {
    let host = if host.contains(':') { format!("[{host}]") } else { host.to_owned() };
    let slash = if path.starts_with('/') { "" } else { "/" };
    let text = format!("http://{host}:{port}{slash}{path}");
    text.parse().map_err(|_| format!("`{text}` is no address"))
}

/// An address, with what comes below it.
fn endpoint(props: &Props, name: &str, below: &str) -> Result<Option<Uri>, Fault> {
    let Some(text) = props.text(name) else { return Ok(None) };
    let text =
        if below.is_empty() { text.to_owned() } else { format!("{}/{below}", text.trim_end_matches('/')) };
    match text.parse::<Uri>() {
        Ok(uri) if uri.scheme_str() == Some("http") && uri.authority().is_some() => Ok(Some(uri)),
        _ => Err(props.fault(name, "must be an address like http://host:4318 (https is not supported)")),
    }
}

#[cfg(test)]
mod tests;
