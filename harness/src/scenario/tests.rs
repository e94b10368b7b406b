use std::path::Path;

use super::*;

const SHARDING: &str = include_str!("../../scenarios/sharding.yaml");

fn parse(text: &str) -> anyhow::Result<Scenario> {
    Scenario::parse(text, Path::new("scenarios/sharding.yaml"))
}

/// The message for the file with one text replaced.
fn fault(from: &str, to: &str) -> String {
    assert!(SHARDING.contains(from), "nothing to replace: {from}");
    parse(&SHARDING.replacen(from, to, 1)).unwrap_err().to_string()
}

fn line_of(text: &str) -> usize {
    SHARDING.lines().position(|line| line.contains(text)).unwrap() + 1
}

#[test]
fn every_scenario_file_is_sound() {
    let scenarios = all(&folder()).unwrap();
    assert!(scenarios.iter().any(|(_, scenario)| scenario.name == "sharding"));
    for (file, scenario) in scenarios {
        assert_eq!(file.file_stem().unwrap().to_str(), Some(scenario.name.as_str()));
    }
}

#[test]
fn sharding_is_the_documents() {
    let scenario = parse(SHARDING).unwrap();
    assert_eq!(scenario.names(), ["ds_0", "ds_1", "ds_2", "ds_3", "one"]);
    let load = scenario.load(scenario.scales["full"]);
    assert_eq!((load.rows, load.threads, load.seconds), (140_000_000, 200, 180));
    let weir = scenario.arms.iter().find(|arm| arm.target == WEIR).unwrap();
    assert_eq!(weir.documented.unwrap().tps, Some(10_710.0));
    let rule = "CREATE SHARDING TABLE RULE t_user (\n\
                STORAGE_UNITS(ds_0, ds_1, ds_2, ds_3),\n\
                SHARDING_COLUMN=id,TYPE(NAME=\"MOD\",PROPERTIES(\"sharding-count\"=10))\n);";
    assert!(scenario.proxy.distsql.iter().any(|statement| statement == rule));
    assert_eq!(scenario.proxy.distsql[0], "CREATE DATABASE IF NOT EXISTS sharding_db;");
}

#[test]
fn unknown_keys_are_named_with_their_line() {
    let message = fault("  tables: 1\n", "  tabels: 1\n");
    let place = format!("scenarios/sharding.yaml:{}:", line_of("  tables: 1"));
    assert!(message.starts_with(&place), "{message}");
    assert!(message.contains("tabels"), "{message}");
}

#[test]
fn names_that_nothing_defines_are_refused() {
    let message = fault("target: one", "target: two");
    let place = format!("scenarios/sharding.yaml:{}: ", line_of("target: one"));
    assert_eq!(
        message,
        format!("{place}no server is called `two`; there are weir, ds_0, ds_1, ds_2, ds_3, one")
    );
    let message = fault("${ds_3.port}", "${ds_4.port}");
    let place = format!("scenarios/sharding.yaml:{}: ", line_of("${ds_3.port}"));
    assert_eq!(message, format!("{place}`${{ds_4.port}}` stands for nothing here"));
    assert!(fault("on: ds_${shard % 4}", "on: ds_${shard}x").contains("no server is called `ds_0x`"));
    assert!(fault("scales: { full: ", "scales: { ful: ").contains("names no scale: `ful`"));
}

#[test]
fn a_scale_that_says_too_little_is_refused() {
    assert!(fault("rows: 20000, ", "").contains("scale `small` must state"));
    assert!(fault("  small: {", "  tiny: {").contains("scales lacks `small`"));
}

#[test]
fn a_check_compares_with_exactly_one_thing() {
    assert!(fault("    expect: [\"0\"]\n", "").contains("needs one of expect, same and total"));
}

#[test]
fn scale_is_a_name_and_what_the_user_sets() {
    let choice = |text: &str| text.parse::<Choice>();
    assert_eq!(choice("full").unwrap().name, "full");
    let own = choice("rows=5,threads=2,seconds=3").unwrap();
    assert_eq!(own.name, "small");
    assert_eq!(own.own, Scale { rows: Some(5), threads: Some(2), seconds: Some(3), rounds: None });
    assert_eq!(choice("full,rounds=2").unwrap().own.rounds, Some(2));
    assert!(choice("rows=x").unwrap_err().to_string().contains("`x` is no number for rows"));
    assert!(choice("row=1").unwrap_err().to_string().contains("not `row`"));
    assert!(choice("threads=0").unwrap_err().to_string().contains("measures nothing"));
    let below = Scale { rows: Some(1), threads: Some(1), seconds: Some(1), rounds: Some(1) };
    assert_eq!(own.own.over(below), Scale { rounds: Some(1), ..own.own });
}
