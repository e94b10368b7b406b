//! The command line of the binary, as a user meets it.

#![expect(clippy::unwrap_used, reason = "tests may panic")]

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn weir(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_weir")).args(arguments).output().unwrap()
}

fn samples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../conf")
}

fn path(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[test]
fn check_accepts_the_samples() {
    let output = weir(&["check", "--conf", path(&samples())]);
    assert!(output.status.success(), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stdout).contains("is fine"), "{output:?}");
}

#[test]
fn check_says_where_a_file_is_wrong() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("server.yaml");
    std::fs::write(
        &file,
        "authority:\n  users:\n    - user: root@%\n      password: root\nprops:\n  sql-shout: true\n",
    )
    .unwrap();
    let output = weir(&["check", "--conf", path(folder.path())]);
    assert!(!output.status.success());
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains(&format!("{}:6:3", file.display())), "{said}");
    assert!(said.contains("sql-shout"), "{said}");
}

#[test]
fn check_names_a_missing_file() {
    let folder = tempfile::tempdir().unwrap();
    let output = weir(&["check", "--conf", path(folder.path())]);
    assert!(!output.status.success());
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("server.yaml"), "{said}");
}

#[test]
fn serve_says_which_address_is_taken() {
    let data = tempfile::tempdir().unwrap();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let (conf, data) = (samples(), data.path());
    let arguments = [
        "serve",
        "--conf",
        path(&conf),
        "--data",
        path(data),
        "--address",
        "127.0.0.1",
        "--port",
        port.as_str(),
    ];
    let output = weir(&arguments);
    assert!(!output.status.success());
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains(&format!("cannot listen on 127.0.0.1:{port}")), "{said}");
}

/// A configuration folder with these files beside `server.yaml`.
fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::copy(samples().join("server.yaml"), folder.path().join("server.yaml")).unwrap();
    for (name, text) in files {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    folder
}

const DATABASE: &str = "databaseName: db\ndataSources:\n  ds:\n    url: jdbc:mysql://h/d\n    username: u\n";

#[test]
fn check_reads_the_files_of_databases() {
    let other = DATABASE.replace(": db", ": other");
    let commented = DATABASE.replace('\n', "\n#").replacen("database", "#database", 1);
    let folder = folder(&[
        ("database-db.yaml", DATABASE),
        ("config-other.yaml", &other),
        ("database-sample.yaml", &commented),
        ("notes.yaml", "anything"),
    ]);
    let output = weir(&["check", "--conf", path(folder.path())]);
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(said.contains("2 accounts, 2 databases"), "{output:?}");
}

#[test]
fn check_says_where_the_file_of_a_database_is_wrong() {
    let rules = "rules:\n- !MASK\n  tables: {t: {columns: {a: {maskAlgorithm: none}}}}\n";
    let broken = folder(&[("database-db.yaml", &format!("{DATABASE}{rules}"))]);
    let twice = folder(&[("config-db.yaml", DATABASE), ("database-db.yaml", DATABASE)]);
    for (folder, place) in [
        (&broken, ":8:3: `none` is not among `maskAlgorithms`"),
        (&twice, ":1:1: another file has a database `db`, too"),
    ] {
        let output = weir(&["check", "--conf", path(folder.path())]);
        assert!(!output.status.success());
        let said = String::from_utf8_lossy(&output.stderr);
        let wanted = format!("{}{place}", folder.path().join("database-db.yaml").display());
        assert!(said.contains(&wanted), "{said}\n{wanted}");
    }
}
