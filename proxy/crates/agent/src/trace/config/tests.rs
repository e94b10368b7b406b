use std::path::Path;

use super::*;
use crate::config::Config as File;

fn read(text: &str) -> Result<Vec<Config>, String> {
    let text = format!("plugins:\n  tracing:\n    {text}\n");
    File::parse(&text, Path::new("agent.yaml")).map(|file| file.tracing).map_err(|error| error.to_string())
}

fn one(text: &str) -> Config {
    let mut all = read(text).expect(text);
    assert_eq!(all.len(), 1, "{text}");
    all.remove(0)
}

fn zipkin(props: &str) -> Result<Rule, String> {
    read(&format!("Zipkin: {{ host: h, port: 9411, props: {{ {props} }} }}")).map(|all| all[0].sampler.rule)
}

fn jaeger(props: &str) -> Result<Rule, String> {
    read(&format!("Jaeger: {{ host: h, port: 5775, props: {{ {props} }} }}")).map(|all| all[0].sampler.rule)
}

fn telemetry(props: &str) -> Result<Vec<Config>, String> {
    read(&format!("OpenTelemetry: {{ props: {{ {props} }} }}"))
}

#[test]
fn plugins_have_the_documented_forms() {
    let config = one("Zipkin: { host: \"localhost\", port: 9411, props: { service-name: shop, \
         url-version: \"/api/v2/spans\", sampler-type: const, sampler-param: 1 } }");
    assert_eq!(config.target, Target::Zipkin(Uri::from_static("http://localhost:9411/api/v2/spans")));
    assert_eq!((config.name(), config.service.as_str()), ("zipkin", "shop"));
    assert_eq!(config.sampler, Sampler { rule: Rule::Always, parental: true });
    let config = one("Jaeger: { host: \"localhost\", port: \"5775\" }");
    assert_eq!(config.target, Target::Jaeger { host: "localhost".to_owned(), port: 5775 });
    assert_eq!(config.service, "shardingsphere");
    let config = one(
        "Jaeger: { host: h, port: 5775, props: { otlp-port: 4318, jaeger-reporter-log-spans: \"false\" } }",
    );
    assert_eq!(config.target, Target::Otlp(Uri::from_static("http://h:4318/v1/traces")));
    let class = "org.apache.skywalking.apm.toolkit.opentracing.SkywalkingTracer";
    let config = one(&format!("SkyWalking: {{ props: {{ opentracing-tracer-class-name: \"{class}\" }} }}"));
    assert_eq!(config.target, Target::SkyWalking(Uri::from_static("http://127.0.0.1:12800/v3/segments")));
    let config = one("OpenTelemetry: { props: { otel-resource-attributes: \"service.name=shop,env=test\", \
         otel-traces-exporter: \"zipkin\" } }");
    assert_eq!(config.target, Target::Zipkin(Uri::from_static("http://localhost:9411/api/v2/spans")));
    assert_eq!(config.attributes, [("env".to_owned(), "test".to_owned())]);
    assert_eq!(config.service, "shop");
}

#[test]
fn samplers_are_read_as_each_plugin_calls_them() {
    assert_eq!(zipkin("sampler-param: 0"), Ok(Rule::Never));
    assert_eq!(zipkin("sampler-type: counting, sampler-param: 0.1"), Ok(Rule::Counted(10)));
    assert_eq!(zipkin("sampler-type: boundary, sampler-param: \"0.0001\""), Ok(Rule::Boundary(1)));
    assert_eq!(
        zipkin("sampler-type: ratelimiting, sampler-param: 50"),
        Ok(Rule::Limited { rate: 50.0, burst: 5.0 })
    );
    let fault = zipkin("sampler-type: counting, sampler-param: 0.001").expect_err("too little");
    assert!(fault.contains("must be 0, or from 0.01 to 1"), "{fault}");
    assert_eq!(jaeger("jaeger-sampler-type: const, jaeger-sampler-param: 1"), Ok(Rule::Always));
    assert_eq!(jaeger("jaeger-sampler-type: probabilistic, jaeger-sampler-param: 0.5"), Ok(Rule::Share(0.5)));
    assert_eq!(
        jaeger("jaeger-sampler-type: ratelimiting, jaeger-sampler-param: 2"),
        Ok(Rule::Limited { rate: 2.0, burst: 2.0 })
    );
    assert_eq!(jaeger("jaeger-sampler-type: remote"), Ok(Rule::Share(0.001)));
    for (props, rule, parental) in [
        ("", Rule::Always, true),
        ("otel-traces-sampler: always_on", Rule::Always, false),
        ("otel-traces-sampler: parentbased_always_off", Rule::Never, true),
        ("otel.traces.sampler: traceidratio, otel.traces.sampler.arg: 0.25", Rule::Share(0.25), false),
        (
            "otel-traces-sampler: parentbased_traceidratio, otel-traces-sampler-arg: \"0.1\"",
            Rule::Share(0.1),
            true,
        ),
    ] {
        let config = telemetry(props).expect(props).remove(0);
        assert_eq!(config.sampler, Sampler { rule, parental }, "{props}");
    }
}

#[test]
fn otlp_goes_where_it_is_told() {
    let uri = |props: &str| match telemetry(props).expect(props).remove(0).target {
        Target::Otlp(uri) | Target::Zipkin(uri) => uri.to_string(),
        other => panic!("{other:?}"),
    };
    assert_eq!(uri(""), "http://localhost:4318/v1/traces");
    assert_eq!(uri("otel.exporter.otlp.endpoint: \"http://c:1/\""), "http://c:1/v1/traces");
    assert_eq!(uri("otel-exporter-otlp-traces-endpoint: \"http://c:1/own\""), "http://c:1/own");
    assert_eq!(
        uri("otel-traces-exporter: jaeger, otel-exporter-jaeger-endpoint: \"http://j:2/x\""),
        "http://j:2/x"
    );
    let headers = telemetry("otel-exporter-otlp-headers: \"authorization=Basic x,a=b\"").expect("headers");
    assert_eq!(headers[0].headers["authorization"], "Basic x");
    assert_eq!(telemetry("otel-traces-exporter: none"), Ok(Vec::new()));
}

#[test]
fn what_cannot_be_is_refused_with_its_place() {
    for (text, reason) in [
        ("Zipkin: { host: h }", "agent.yaml:3:5: `port` is missing"),
        ("Jaeger: { port: 5775 }", "`host` is missing"),
        ("Zipkin: { host: h, port: 1, props: { sampler: const } }", "unknown property `sampler`"),
        ("Zipkin: { host: h, port: 1, props: { sampler-type: maybe } }", "must be one of const, counting"),
        ("OpenTelemetry: { props: { otel-exporter-otlp-protocol: grpc } }", "must be one of http/protobuf"),
        (
            "OpenTelemetry: { props: { otel-exporter-otlp-endpoint: \"https://c\" } }",
            "https is not supported",
        ),
        ("OpenTelemetry: { props: { otel-traces-sampler-arg: 2 } }", "must be a number from 0"),
    ] {
        let fault = read(text).expect_err(text);
        assert!(fault.contains(reason), "{fault}");
    }
}
