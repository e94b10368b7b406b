//! The folders and the edges between crates are those of the architecture: one table, held against cargo's own view.
#![expect(clippy::unwrap_used, reason = "helpers of tests fail like tests")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

/// Each package and which of ours it may use; a line may name only packages above it.
const LAYERS: [(&str, &[&str]); 16] = [
    ("wire", &[]),
    ("observe", &[]),
    ("sql", &["wire", "observe"]),
    ("meta", &["wire"]),
    ("plan", &["sql", "meta", "wire"]),
    ("distsql", &["sql"]),
    ("backend", &["wire", "meta", "observe"]),
    ("exec", &["sql", "meta", "plan", "backend", "wire", "observe"]),
    ("store", &["meta"]),
    ("agent", &["wire", "observe", "sql", "meta"]),
    ("session", &["wire", "observe", "sql", "meta", "plan", "distsql", "backend", "exec", "store"]),
    (
        "weir",
        &[
            "wire", "observe", "sql", "meta", "plan", "distsql", "backend", "exec", "store", "agent",
            "session",
        ],
    ),
    // An independent client and real servers judge the proxy; sharing its code would blind them.
    ("weir-harness", &[]),
    (
        "weir-tests",
        &[
            "wire",
            "observe",
            "sql",
            "meta",
            "plan",
            "distsql",
            "backend",
            "exec",
            "store",
            "agent",
            "session",
            "weir",
            "weir-harness",
        ],
    ),
    ("weir-fuzz", &["wire", "sql", "meta", "plan", "distsql"]),
    ("weir-counts", &["wire", "sql", "meta", "plan", "backend", "exec", "observe", "agent", "weir-harness"]),
];

/// Crates that decide and never wait.
const PURE: [&str; 5] = ["wire", "sql", "meta", "plan", "distsql"];

/// What a pure crate may not reach, however far down.
const RUNTIMES: [&str; 5] = ["tokio", "tokio-util", "mio", "socket2", "hyper"];

const TOP: [&str; 8] =
    ["Cargo.lock", "Cargo.toml", "LICENSE", "README.md", "conf", "harness", "proxy", "tests"];

fn output(program: &str, arguments: &[&str]) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let output = Command::new(program).args(arguments).current_dir(root).output().unwrap();
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{program} {arguments:?}: {complaint}");
    String::from_utf8(output.stdout).unwrap()
}

/// Every package of the workspace with the names of all it depends on, tests apart.
fn dependencies() -> BTreeMap<String, BTreeSet<String>> {
    let metadata = output(env!("CARGO"), &["metadata", "--no-deps", "--offline", "--format-version", "1"]);
    let metadata: serde_json::Value = serde_json::from_str(&metadata).unwrap();
    let name = |value: &serde_json::Value| value["name"].as_str().unwrap().to_owned();
    let packages = metadata["packages"].as_array().unwrap().iter().map(|package| {
        let uses = package["dependencies"].as_array().unwrap().iter();
        // The tests' package has nothing but tests.
        let tests = package["name"] == "weir-tests";
        (name(package), uses.filter(|used| tests || used["kind"] != "dev").map(name).collect())
    });
    packages.collect()
}

#[test]
fn crates_use_only_the_layers_below_them() {
    let mut above: Vec<&str> = Vec::new();
    for (package, may) in LAYERS {
        assert!(
            may.iter().all(|used| above.contains(used)),
            "{package} names something that is not above it"
        );
        above.push(package);
    }
    let found = dependencies();
    let ours: BTreeSet<&str> = LAYERS.iter().map(|(package, _)| *package).collect();
    assert_eq!(found.keys().map(String::as_str).collect::<BTreeSet<_>>(), ours, "packages of the workspace");
    let wrong = LAYERS.iter().flat_map(|(package, may)| {
        let edges = found[*package].iter().filter(|used| ours.contains(used.as_str()));
        edges.filter(|used| !may.contains(&used.as_str())).map(move |used| format!("{package} → {used}"))
    });
    assert_eq!(wrong.collect::<Vec<_>>(), Vec::<String>::new(), "edges the architecture does not have");
}

#[test]
fn no_crate_but_sql_knows_a_parser() {
    let others =
        dependencies().into_iter().filter(|(package, uses)| package != "sql" && uses.contains("sqlparser"));
    assert_eq!(others.map(|(package, _)| package).collect::<Vec<_>>(), Vec::<String>::new());
}

#[test]
fn pure_crates_reach_no_runtime() {
    for package in PURE {
        let tree = output(
            env!("CARGO"),
            &["tree", "--offline", "--edges", "normal,build", "--prefix", "none", "-p", package],
        );
        let reached: BTreeSet<&str> = tree.lines().filter_map(|line| line.split(' ').next()).collect();
        assert!(reached.contains(package), "{tree}");
        let runtimes: Vec<_> = RUNTIMES.iter().filter(|runtime| reached.contains(*runtime)).collect();
        assert!(runtimes.is_empty(), "{package} reaches {runtimes:?}");
    }
}

#[test]
fn the_top_level_holds_nothing_else() {
    let files = output("git", &["ls-files"]);
    let top: BTreeSet<&str> = files.lines().filter_map(|file| file.split('/').next()).collect();
    let shown: Vec<_> = top.into_iter().filter(|name| !name.starts_with('.')).collect();
    assert_eq!(shown, TOP);
}
