use std::path::Path;

use super::*;

const SHARDING: &str = include_str!("../../scenarios/sharding.yaml");
const READWRITE: &str = include_str!("../../scenarios/readwrite.yaml");
const SHADOW: &str = include_str!("../../scenarios/shadow.yaml");

fn parse(text: &str) -> anyhow::Result<Scenario> {
    Scenario::parse(text, Path::new("scenarios/sharding.yaml"))
}

/// The message for the file with one text replaced.
fn fault(from: &str, to: &str) -> String {
    fault_in(SHARDING, from, to)
}

fn fault_in(file: &str, from: &str, to: &str) -> String {
    assert!(file.contains(from), "nothing to replace: {from}");
    parse(&file.replacen(from, to, 1)).unwrap_err().to_string()
}

/// Whether a scenario says this to the proxy.
fn says(scenario: &Scenario, statement: &str) -> bool {
    scenario.proxy.distsql.iter().any(|said| said == statement)
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
    let load = scenario.load(scenario.scales["full"], &scenario.arms[0]);
    assert_eq!((load.rows, load.threads, load.seconds), (140_000_000, 200, 180));
    let weir = scenario.arms.iter().find(|arm| arm.target == WEIR).unwrap();
    assert_eq!(weir.documented.unwrap().tps, Some(10_710.0));
    let rule = "CREATE SHARDING TABLE RULE t_user (\n\
                STORAGE_UNITS(ds_0, ds_1, ds_2, ds_3),\n\
                SHARDING_COLUMN=id,TYPE(NAME=\"MOD\",PROPERTIES(\"sharding-count\"=10))\n);";
    assert!(says(&scenario, rule));
    assert_eq!(scenario.proxy.distsql[0], "CREATE DATABASE IF NOT EXISTS sharding_db;");
}

#[test]
fn readwrite_is_the_documents() {
    let scenario = parse(READWRITE).unwrap();
    assert_eq!(scenario.names(), ["read_ds", "write_ds"]);
    assert_eq!(scenario.replicas(), [(0, 1)]);
    let load = scenario.load(scenario.scales["full"], &scenario.arms[1]);
    assert_eq!((load.rows, load.threads, load.seconds, load.percentile), (1_000_000, 200, 120, 95));
    assert_eq!(scenario.filling(&load).script, "oltp_point_select");
    let rule = "CREATE READWRITE_SPLITTING RULE readwrite_ds (\n\
                WRITE_STORAGE_UNIT=write_ds,\n\
                READ_STORAGE_UNITS(read_ds),\n\
                TYPE(NAME=\"FIXED_REPLICA_RANDOM\")\n);";
    assert!(says(&scenario, rule));
}

#[test]
fn shadow_is_the_documents() {
    let scenario = parse(SHADOW).unwrap();
    let rule = "CREATE SHADOW RULE shadowDataSource(\nSOURCE=ds,\nSHADOW=ds_shadow,\nt_user(\n\
                TYPE(NAME=\"VALUE_MATCH\", PROPERTIES(\"operation\"=\"insert\",\"column\"=\"status\", \"value\"=1)),\n\
                TYPE(NAME=\"SIMPLE_HINT\", PROPERTIES(\"shadow\"=true)))\n);";
    assert!(says(&scenario, rule));
    let loads: Vec<_> = scenario.arms.iter().map(|arm| scenario.load(scenario.scales["full"], arm)).collect();
    assert_eq!(
        loads.iter().map(|load| load.options.join(" ")).collect::<Vec<_>>(),
        ["", "--hint=/*shadow:true*/", ""]
    );
    assert_eq!(loads[0].script, "scenarios/oltp_hint.lua");
    assert_eq!(
        (loads[0].tables, loads[0].rows, loads[0].threads, loads[0].seconds),
        (10, 1_000_000, 128, 600)
    );
    assert_eq!(scenario.filling(&loads[1]).options, Vec::<String>::new());
}

#[test]
fn replicas_follow_servers_of_the_file() {
    let group = READWRITE.replacen("read_ds: 1", "read_ds: 2", 1).replace("on: read_ds", "on: read_ds_1");
    let group = group.replace("${read_ds.", "${read_ds_0.");
    assert_eq!(parse(&group).unwrap().replicas(), [(0, 2), (1, 2)]);
    let message = fault_in(READWRITE, "  read_ds: write_ds", "  read_ds: read_ds");
    assert!(message.contains("no server is called `read_ds`"), "{message}");
    let message = fault_in(READWRITE, "  read_ds: write_ds", "  reads: write_ds");
    assert!(message.contains("no server is called `reads`"), "{message}");
}

#[test]
fn what_is_set_up_filled_and_counted_has_a_name() {
    let unknown = "no server is called `elsewhere`";
    for (from, to) in [
        ("{ on: write_ds, sql", "{ on: elsewhere, sql"),
        ("{ target: weir, database", "{ target: elsewhere, database"),
        ("    arm: weir\n    on: read_ds", "    arm: weir\n    on: elsewhere"),
    ] {
        let message = fault_in(READWRITE, from, to);
        assert!(message.contains(unknown), "{message}");
    }
    let message = fault_in(READWRITE, "    arm: weir\n", "    arm: elsewhere\n");
    assert!(message.contains("no arm is called `elsewhere`"), "{message}");
    let message =
        fault_in(READWRITE, "    about: the proxy over", "    beside: nobody\n    about: the proxy over");
    assert!(message.contains("no arm is called `nobody`"), "{message}");
    let message = fault_in(READWRITE, "- name: mysql", "- name: read_ds");
    assert!(message.contains("`read_ds` is both an arm and a server"), "{message}");
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

#[test]
fn encrypt_is_the_documents() {
    let scenario = parse(include_str!("../../scenarios/encrypt.yaml")).unwrap();
    let rule = "CREATE ENCRYPT RULE t_user (\nCOLUMNS(\n\
                (NAME=idCard,CIPHER=idcard_cipher,TYPE(NAME=\"AES\",PROPERTIES(\"aes-key-value\"=\"123456abc\"))),\n\
                (NAME=mobile, CIPHER =mobile_cipher,TYPE(NAME=\"AES\",PROPERTIES(\"aes-key-value\"=\"123456abc\")))));";
    assert!(says(&scenario, rule));
    let load = scenario.load(scenario.scales["full"], &scenario.arms[0]);
    assert_eq!((load.tables, load.rows, load.threads, load.seconds), (1, 1_000_000, 200, 180));
    let filling = scenario.filling(&load);
    assert_eq!((filling.tables, filling.script.as_str()), (10, "scenarios/oltp_wide.lua"));
}
