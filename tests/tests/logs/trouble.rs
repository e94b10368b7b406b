//! Rotation, reloads, kills and full disks.

use std::fs;
use std::io::Read as _;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use weir_tests::Own;

use crate::{Line, configure, eventually, general, lines, logging, own, reload, signal, told};

const ON: &str = "general-query-log: true";

/// What all files of the general log hold, the oldest first. They are left alone by then.
fn all_lines(own: &Own) -> Vec<Line> {
    let mut files: Vec<_> = fs::read_dir(own.weir.logs()).unwrap().map(|it| it.unwrap().path()).collect();
    files.sort_by_key(|path| (*path == general(own), path.clone()));
    let texts = files.iter().map(|path| unpacked(path));
    texts.collect::<String>().split_terminator('\n').map(Line::parse).collect()
}

fn unpacked(path: &Path) -> String {
    let bytes = fs::read(path).unwrap();
    if path.extension().is_some_and(|it| it == "zst") {
        let mut text = String::new();
        zstd::Decoder::new(&*bytes).unwrap().read_to_string(&mut text).unwrap();
        return text;
    }
    String::from_utf8(bytes).unwrap()
}

/// Says so many statements, each of which can be told from the others.
fn say(own: &Own, session: usize, statements: usize) {
    let mut client = own.client();
    for number in 0..statements {
        assert_eq!(client.value(format!("SELECT '{session} {number}'")), format!("{session} {number}"));
    }
}

#[test]
fn rotation_under_load_loses_nothing() {
    const SESSIONS: usize = 4;
    const STATEMENTS: usize = 1500;
    let own = own("logs_rotation", &[ON, "rotate-size: 20KB", "rotate-keep: 0"]);
    std::thread::scope(|scope| {
        let own = &own;
        for session in 0..SESSIONS {
            scope.spawn(move || say(own, session, STATEMENTS));
        }
    });
    own.weir.stop().unwrap();
    // What the process has left uncompressed is read as it is.
    fs::read_dir(own.weir.logs())
        .unwrap()
        .map(|it| it.unwrap().path())
        .filter(|path| path.extension().is_some_and(|it| it == "tmp"))
        .for_each(|half_done| fs::remove_file(half_done).unwrap());
    let files = fs::read_dir(own.weir.logs()).unwrap().count();
    assert!(files > 20, "{files} files");
    let lines = all_lines(&own);
    for session in 0..SESSIONS {
        let beginning = format!("SELECT '{session} ");
        let told = lines.iter().map(|line| String::from_utf8_lossy(&line.sql));
        let told: Vec<_> = told.filter(|sql| sql.starts_with(&beginning)).collect();
        assert!(
            told.iter()
                .eq((0..STATEMENTS).map(|number| format!("{beginning}{number}'")).collect::<Vec<_>>().iter())
        );
    }
}

#[test]
fn a_kill_takes_no_more_than_the_last_moment() {
    let own = own("logs_kill", &[ON]);
    say(&own, 0, 500);
    eventually("all are written", || told(&own, "SELECT '0 ").len() == 500);
    say(&own, 1, 500);
    own.weir.kill().unwrap();
    let told = told(&own, "SELECT '");
    // Those that had been written stay, and of the rest the first.
    assert!(told.len() >= 500);
    let said = (0..2).flat_map(|session| (0..500).map(move |number| format!("SELECT '{session} {number}'")));
    assert!(told.iter().eq(said.take(told.len()).collect::<Vec<_>>().iter()));
    own.weir.restart().unwrap();
    say(&own, 2, 1);
    eventually("it goes on", || crate::told(&own, "SELECT '2 ").len() == 1);
}

#[test]
fn an_orderly_end_loses_nothing() {
    let own = own("logs_end", &[ON]);
    say(&own, 0, 300);
    own.weir.stop().unwrap();
    assert_eq!(told(&own, "SELECT '0 ").len(), 300);
    assert_eq!(lines(&own).last().unwrap().command, "Quit");
}

#[test]
fn a_moved_file_is_opened_anew_on_sighup() {
    let own = own("logs_moved", &[ON]);
    say(&own, 0, 100);
    let moved = own.weir.logs().join("general_query.log.1");
    fs::rename(general(&own), &moved).unwrap();
    signal(&own, "HUP");
    eventually("there is a new file", || general(&own).exists());
    say(&own, 1, 100);
    eventually("the rest is written", || told(&own, "SELECT '1 ").len() == 100);
    let before = fs::read_to_string(&moved).unwrap();
    assert_eq!(before.matches("\tSELECT '0 ").count() + told(&own, "SELECT '0 ").len(), 100);
}

#[test]
fn a_changed_configuration_is_taken_without_a_restart() {
    let own = own("logs_reload", &["slow-query-log: true"]);
    let mut client = own.client();
    client.run("SELECT 'before'");
    configure(&own, &logging(&[ON]));
    client.run("SELECT 'on'");
    eventually("it is on", || told(&own, "SELECT '").len() == 1);
    // With an error in it nothing changes.
    configure(&own, &logging(&["general-query-logs: false"]));
    let log = fs::read_to_string(own.weir.log()).unwrap();
    assert!(log.contains("agent.yaml:4:16: unknown property `general-query-logs`"), "{log}");
    client.run("SELECT 'still on'");
    eventually("it is still on", || told(&own, "SELECT '").len() == 2);
    configure(&own, "");
    client.run("SELECT 'off'");
    configure(&own, &logging(&[ON, "general-query-log-file: other.log"]));
    client.run("SELECT 'elsewhere'");
    let other = own.weir.logs().join("other.log");
    let said = |sql: &str| fs::read_to_string(&other).unwrap_or_default().contains(sql);
    eventually("it is on again", || said("SELECT 'elsewhere'"));
    assert_eq!(told(&own, "SELECT '"), ["SELECT 'on'", "SELECT 'still on'"]);
    assert!(!said("SELECT 'off'"));
}

#[test]
fn agent_plugins_enabled_switches_at_once() {
    let own = own("logs_switch", &[ON]);
    let mut client = own.client();
    for round in 0..5 {
        client.run(format!("SELECT 'on {round}'"));
        client.run("SET DIST VARIABLE agent_plugins_enabled = false");
        client.run(format!("SELECT 'off {round}'"));
        client.run("SET DIST VARIABLE agent_plugins_enabled = true");
    }
    client.run("SELECT 'on 5'");
    eventually("the last is written", || told(&own, "SELECT 'on 5'").len() == 1);
    let said: Vec<_> = (0..6).map(|round| format!("SELECT 'on {round}'")).collect();
    assert_eq!(told(&own, "SELECT 'o"), said);
    client.run("SET DIST VARIABLE agent_plugins_enabled = false");
    // It outlives a restart.
    own.weir.restart().unwrap();
    say(&own, 7, 1);
    reload(&own);
    say(&own, 7, 1);
    own.weir.stop().unwrap();
    assert!(told(&own, "SELECT '7 ").is_empty());
}

#[test]
fn a_full_disk_stops_nobody() {
    let own = own("logs_full", &[ON]);
    symlink("/dev/full", own.weir.logs().join("full.log")).unwrap();
    configure(&own, &logging(&[ON, "general-query-log-file: full.log"]));
    say(&own, 0, 200);
    let warned = |own: &Own| fs::read_to_string(own.weir.log()).unwrap().matches("No space left").count();
    eventually("it says so", || warned(&own) > 0);
    say(&own, 1, 200);
    assert!(warned(&own) <= 3, "it says so all the time");
    fs::remove_file(own.weir.logs().join("full.log")).unwrap();
    // What was held is written once there is room, and all that comes after it.
    let text = || fs::read_to_string(own.weir.logs().join("full.log")).unwrap_or_default();
    say(&own, 2, 200);
    eventually("it is written", || text().matches("\tSELECT '2 ").count() == 200);
    assert_eq!(text().matches("\tSELECT '0 ").count(), 200);
}

#[test]
fn a_file_that_may_not_grow_stops_nobody() {
    let own = own("logs_limit", &[ON]);
    say(&own, 0, 10);
    eventually("they are written", || told(&own, "SELECT '0 ").len() == 10);
    let limit = |size: &str| {
        let pid = own.weir.pid().unwrap().to_string();
        let status = Command::new("prlimit").args(["--pid", &pid, &format!("--fsize={size}")]).status();
        assert!(status.unwrap().success());
    };
    let size = fs::metadata(general(&own)).unwrap().len();
    limit(&format!("{}:", size + 100));
    say(&own, 1, 100);
    let log = || fs::read_to_string(own.weir.log()).unwrap();
    eventually("it says so", || log().contains("File too large"));
    // Nothing is left of records that were not written as a whole.
    assert_eq!(lines(&own).len(), lines(&own).iter().filter(|line| !line.command.is_empty()).count());
    limit("unlimited:");
    eventually("what was held is written", || told(&own, "SELECT '1 ").len() == 100);
    assert_eq!(told(&own, "SELECT '").len(), 110);
}

#[test]
fn a_folder_that_cannot_be_made_stops_nobody() {
    let own =
        own("logs_folder", &["general-query-log: true", "general-query-log-file: /proc/none/general.log"]);
    say(&own, 0, 10);
    let log = fs::read_to_string(own.weir.log()).unwrap();
    assert!(log.contains("cannot open /proc/none/general.log"), "{log}");
}
