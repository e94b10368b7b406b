use std::time::Duration;

use super::*;
use crate::logging::Log;
use crate::{Logging, file};

fn parse(text: &str) -> Result<Config, String> {
    Config::parse(text, Path::new("agent.yaml")).map_err(|error| error.to_string())
}

/// The sample, with what it shows in comments.
fn sample() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../conf/agent.yaml");
    let text = fs::read_to_string(path).unwrap();
    let lines = text.lines().skip_while(|line| *line != "# plugins:");
    lines.map(|line| format!("{}\n", line.strip_prefix("# ").unwrap_or(line))).collect()
}

#[test]
fn nothing_is_on_where_nothing_is_said() {
    for text in
        ["", "# plugins:\n", "plugins:\n", "plugins:\n  logging:\n", "plugins:\n  logging: {BaseLogging: }\n"]
    {
        assert_eq!(parse(text), Ok(Config::default()), "{text}");
    }
    let conf = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../conf");
    assert_eq!(Config::load(&conf), Ok(Config::default()));
    assert_eq!(Config::load(Path::new("/nowhere")), Ok(Config::default()));
}

#[test]
fn the_documented_form_is_read() {
    let log = |file: &str| Log {
        file: file.into(),
        limit: 65_536,
        parameters: true,
        rotation: file::Rotation::default(),
    };
    let both = Logging {
        general: Some(log("general_query.log")),
        slow: Some((Duration::from_secs(5), log("slow_query.log"))),
    };
    for text in [
        "plugins:\n  logging:\n    BaseLogging:\n      props:\n        slow-query-log: true\n        long-query-time: 5000\n        general-query-log: true\n",
        "plugins: {logging: {BaseLogging: {props: {slow-query-log: \"true\", long-query-time: \"5000\", general-query-log: \"TRUE\"}}}}",
        "plugins: {logging: {File: {props: {level: INFO, slow-query-log: true, general-query-log: true}}}}",
        &sample(),
    ] {
        assert_eq!(parse(text).unwrap().logging, both, "{text}");
    }
    let config = parse("plugins:\n  metrics: {Prometheus: {host: \"0.0.0.0\", port: 9090}}\n  tracing:\n    Zipkin: {host: h, port: \"9411\", props: {url-version: /api/v2/spans}}\n").unwrap();
    assert_eq!(config.prometheus, Some(Prometheus { host: "0.0.0.0".to_owned(), port: 9090, process: true }));
    let zipkin = trace::Target::Zipkin("http://h:9411/api/v2/spans".parse().unwrap());
    assert_eq!((config.tracing.len(), &config.tracing[0].target), (1, &zipkin));
    let tracing = parse(&sample()).unwrap().tracing;
    assert_eq!(
        tracing.iter().map(trace::Config::name).collect::<Vec<_>>(),
        ["zipkin", "jaeger", "skywalking", "opentelemetry"]
    );
}

#[test]
fn what_is_unknown_is_refused_where_it_stands() {
    for (text, said) in [
        ("plugin: {}\n", "agent.yaml:1:1: unknown field `plugin`, expected one of plugins"),
        (
            "plugins:\n  logging:\n    Base: {}\n",
            "agent.yaml:3:5: there is no plugin `Base` for logging, but SQLAudit, BaseLogging, File",
        ),
        (
            "plugins:\n  metrics:\n    Zipkin: {}\n",
            "agent.yaml:3:5: there is no plugin `Zipkin` for metrics, but Prometheus",
        ),
        (
            "plugins:\n  logging:\n    BaseLogging:\n      props:\n        slow-log: true\n",
            "agent.yaml:5:9: unknown property `slow-log`",
        ),
        (
            "plugins:\n  logging:\n    BaseLogging:\n      props:\n        slow-query-log: 1\n",
            "agent.yaml:5:25: `slow-query-log` must be one of true, false, not `1`",
        ),
        ("plugins:\n  metrics:\n    Prometheus: {port: 9}\n", "agent.yaml:3:5: `host` is missing"),
        ("plugins:\n  metrics:\n    Prometheus:\n", "agent.yaml:3:5: `host` is missing"),
        (
            "plugins:\n  metrics:\n    Prometheus: {host: h, port: 0}\n",
            "agent.yaml:3:33: `port` must be from 1 to 65535, not `0`",
        ),
        ("plugins:\n  metrics:\n    Prometheus: {host: \"\", port: 1}\n", "agent.yaml:3:24: `host` is empty"),
        (
            "plugins:\n  logging: {File: {}, BaseLogging: {}}\n",
            "agent.yaml:2:23: `BaseLogging` stands here under another name, too",
        ),
    ] {
        assert_eq!(parse(text).unwrap_err(), said, "{text}");
    }
}
