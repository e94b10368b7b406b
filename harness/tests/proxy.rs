//! A proxy in the sandbox is ready when it says so, and is stopped, killed and started again as asked.
//!
//! A script stands in for the proxy: what is tested is how the sandbox deals with any program.
#![expect(clippy::unwrap_used, reason = "helpers of tests fail like tests")]

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use weir_harness::{Sandbox, WeirProcess};

fn stand_in(sandbox: &Sandbox, script: &str) -> PathBuf {
    let file = sandbox.subfolder("stand-in").unwrap().join("weir");
    // Written by another process: a file this one has open for writing may leak into a child and be "busy".
    let write = "printf '#!/bin/sh\\n%s\\n' \"$2\" >\"$1\" && chmod 755 \"$1\"";
    let written = Command::new("/bin/sh").args(["-c", write, "sh"]).arg(&file).arg(script).status().unwrap();
    assert!(written.success());
    file
}

const DRAINS: &str = "echo \"$@\" >>arguments.log; trap 'echo drained >>arguments.log; exit 0' TERM
    sleep 0.2; echo ready; while :; do sleep 0.05; done";

#[test]
fn waits_for_the_ready_line_and_drains_on_stop() {
    let sandbox = Sandbox::builder().start().unwrap();
    let binary = stand_in(&sandbox, DRAINS);
    let weir =
        WeirProcess::builder(&sandbox).binary(binary).conf("/some/conf").argument("--extra").start().unwrap();
    let said = || fs::read_to_string(weir.log().with_file_name("arguments.log")).unwrap();
    let (data, logs) = (weir.data().display(), weir.logs());
    let logs = logs.display();
    let expected =
        format!("serve --conf /some/conf --data {data} --logs {logs} --port {} --extra\n", weir.port());
    assert_eq!(said(), expected);
    assert!(weir.pid().is_some());
    assert!(weir.stop().unwrap().success());
    assert_eq!(said(), format!("{expected}drained\n"));
    assert_eq!(weir.pid(), None);
}

#[test]
fn comes_back_on_the_same_port_after_a_kill() {
    let sandbox = Sandbox::builder().start().unwrap();
    let weir = WeirProcess::builder(&sandbox).binary(stand_in(&sandbox, DRAINS)).start().unwrap();
    let (port, pid) = (weir.port(), weir.pid());
    weir.kill().unwrap();
    assert_eq!(weir.pid(), None);
    weir.restart().unwrap();
    assert_eq!(weir.port(), port);
    assert!(weir.pid().is_some() && weir.pid() != pid);
}

#[test]
fn one_that_does_not_start_says_why() {
    let sandbox = Sandbox::builder().start().unwrap();
    let binary = stand_in(&sandbox, "echo 'conf/server.yaml:3:1: unknown key' >&2; exit 2");
    let error = WeirProcess::builder(&sandbox).binary(binary).start().unwrap_err();
    assert!(format!("{error:#}").contains("server.yaml:3:1"), "{error:#}");
}

#[test]
fn a_taken_port_is_changed_for_another() {
    let sandbox = Sandbox::builder().start().unwrap();
    let script =
        "[ -e tried ] || { touch tried; echo 'Address already in use' >&2; exit 1; }; echo ready; sleep 60";
    let weir = WeirProcess::builder(&sandbox).binary(stand_in(&sandbox, script)).start().unwrap();
    assert!(weir.log().with_file_name("tried").exists() && weir.pid().is_some());
}
