//! The samples of dashboards and alerts name metrics that there are.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use super::{METRICS, Type};

fn sample(name: &str) -> String {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../conf").join(name);
    fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

/// Names of metrics in an expression, and whether its labels are those of metrics.
fn names(expression: &str) -> BTreeSet<String> {
    let (mut names, mut rest) = (BTreeSet::new(), expression);
    let mut grouped = false;
    while let Some(c) = rest.chars().next() {
        match c {
            '"' => rest = rest[1..].split_once('"').expect("a text ends").1,
            '{' => rest = labels(rest).1,
            '[' => rest = rest.split_once(']').expect("a range ends").1,
            '(' if grouped => {
                let (inner, behind) = rest[1..].split_once(')').expect("a list ends");
                inner.split(',').for_each(|label| check_label(label.trim(), expression));
                (grouped, rest) = (false, behind);
            }
            c if c.is_ascii_alphabetic() || c == '_' || c == '$' => {
                let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '$');
                let (word, behind) = rest.split_at(end.unwrap_or(rest.len()));
                let next = behind.trim_start();
                let called = ["(", "by (", "without ("].iter().any(|begin| next.starts_with(begin));
                match word {
                    "by" | "without" | "on" | "ignoring" => grouped = true,
                    "and" | "or" | "unless" | "bool" => {}
                    _ if called => {}
                    _ => {
                        names.insert(word.to_owned());
                    }
                }
                rest = behind;
            }
            // Numbers may hold letters (5m).
            c if c.is_ascii_digit() => {
                rest = rest.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '.');
            }
            c => rest = &rest[c.len_utf8()..],
        }
    }
    names
}

/// Checks what stands in braces; gives what comes behind.
fn labels(text: &str) -> (usize, &str) {
    let (mut rest, mut count) = (&text[1..], 0);
    while let Some((label, behind)) = rest.split_once('=') {
        check_label(label.trim_matches([',', ' ']), text);
        let value = behind.trim_start_matches('~').strip_prefix('"').expect("a text");
        rest = value.split_once('"').expect("a text ends").1;
        count += 1;
        if let Some(behind) = rest.strip_prefix('}') {
            return (count, behind);
        }
    }
    panic!("braces do not end: {text}")
}

fn check_label(label: &str, place: &str) {
    let known = METRICS.iter().flat_map(|metric| metric.labels).any(|known| *known == label);
    assert!(known || ["job", "instance", "le"].contains(&label), "`{label}` is no label: {place}");
}

fn check_names(expressions: &[String]) {
    for expression in expressions {
        let names = names(expression);
        assert!(!names.is_empty(), "nothing is asked for: {expression}");
        for name in names {
            let known = METRICS.iter().any(|metric| match metric.kind {
                Type::Histogram => name
                    .strip_prefix(metric.name)
                    .is_some_and(|end| ["_bucket", "_sum", "_count"].contains(&end)),
                Type::Counter | Type::Gauge => name == metric.name,
            });
            assert!(known || name == "up", "`{name}` is no metric: {expression}");
        }
    }
}

#[test]
fn the_dashboard_names_metrics_that_there_are() {
    let dashboard: serde_json::Value = serde_json::from_str(&sample("grafana-dashboard.json")).unwrap();
    let panels = dashboard["panels"].as_array().unwrap();
    let targets = panels.iter().filter_map(|panel| panel["targets"].as_array()).flatten();
    let expressions: Vec<_> = targets.map(|target| target["expr"].as_str().unwrap().to_owned()).collect();
    assert!(expressions.len() >= 30, "{}", expressions.len());
    check_names(&expressions);
    let ids: BTreeSet<_> = panels.iter().map(|panel| panel["id"].as_u64().unwrap()).collect();
    assert_eq!(ids.len(), panels.len());
}

#[test]
fn alerts_name_metrics_that_there_are() {
    #[derive(serde::Deserialize)]
    #[serde(deny_unknown_fields)]
    struct File {
        groups: Vec<Group>,
    }
    #[derive(serde::Deserialize)]
    struct Group {
        rules: Vec<Rule>,
    }
    #[derive(serde::Deserialize)]
    struct Rule {
        alert: String,
        expr: String,
        annotations: std::collections::BTreeMap<String, String>,
    }
    let file: File = serde_saphyr::from_str(&sample("prometheus-alerts.yaml")).unwrap();
    let rules: Vec<_> = file.groups.into_iter().flat_map(|group| group.rules).collect();
    assert!(rules.len() >= 10, "{}", rules.len());
    assert!(
        rules.iter().all(|rule| rule.alert.starts_with("Weir") && rule.annotations.contains_key("summary"))
    );
    check_names(&rules.into_iter().map(|rule| rule.expr).collect::<Vec<_>>());
}

#[test]
fn names_are_found_in_expressions() {
    let found =
        names("sum by (le) (rate(a_total{party=~\"x|y\"}[5m])) / (b - c_count) > 1e3 and up{job=\"z\"} == 0");
    assert_eq!(found.into_iter().collect::<Vec<_>>(), ["a_total", "b", "c_count", "up"]);
}

#[test]
fn names_are_those_of_prometheus() {
    let names: BTreeSet<_> = METRICS.iter().map(|metric| metric.name).collect();
    assert_eq!(names.len(), METRICS.len());
    for metric in METRICS {
        let counts = metric.name.ends_with("_total");
        // One of upstream's gauges is called so, too.
        assert_eq!(
            counts,
            metric.kind == Type::Counter || metric.name == "proxy_connection_total",
            "{}",
            metric.name
        );
    }
}
