//! Definitions that some nodes have carried out and others not: the error names these, and the statement given again
//! completes them. And what `EXPLAIN` tells of several nodes.

use std::sync::LazyLock;

use weir_tests::{Bed, Client, Logical, Reply};

fn bed() -> &'static Bed {
    static BED: LazyLock<Bed> = LazyLock::new(|| Bed::new(2));
    &BED
}

/// A table `t` with four nodes on two units: those with even numbers on the first.
fn stage(name: &str) -> (Logical<'static>, Client, [Client; 2]) {
    let logical = bed().logical(name);
    let mut client = logical.client();
    client.run(
        "CREATE SHARDING TABLE RULE t (STORAGE_UNITS(ds_0, ds_1), SHARDING_COLUMN=id, \
         TYPE(NAME=\"MOD\", PROPERTIES(\"sharding-count\"=4)))",
    );
    let units = [logical.unit(0), logical.unit(1)];
    (logical, client, units)
}

/// The error of a statement, as `code text`.
fn fault(client: &mut Client, text: &str) -> String {
    match client.query(text) {
        Reply::Error(fault) => format!("{} {}", fault.code, fault.text),
        other => panic!("{text} was carried out: {other:?}"),
    }
}

/// What a statement that is carried out warns of.
fn warnings(client: &mut Client, text: &str) -> Vec<String> {
    let Reply::Done(done) = client.query(text) else { panic!("{text} failed") };
    let told = client.rows("SHOW WARNINGS");
    assert_eq!(usize::from(done.warnings), told.len(), "{text}");
    told.into_iter().map(|row| row.join(" ")).collect()
}

#[test]
fn a_table_that_is_there_in_part_is_completed() {
    let (_logical, mut client, mut units) = stage("definitions_create");
    units[1].run("CREATE TABLE t_3 (id INT PRIMARY KEY)");
    let create = "CREATE TABLE t (id INT PRIMARY KEY)";
    assert_eq!(
        warnings(&mut client, create),
        ["Warning 1050 Table 't' already exists (left as it was on ds_1.t_3)"]
    );
    client.run("INSERT INTO t VALUES (1), (2), (3), (4)");
    assert_eq!(client.value("SELECT COUNT(*) FROM t"), "4");
    assert_eq!(fault(&mut client, create), "1050 Table 't' already exists");
    assert_eq!(
        warnings(&mut client, "CREATE TABLE IF NOT EXISTS t (id INT)"),
        ["Note 1050 Table 't' already exists"]
    );
    units[0].run("DROP TABLE t_2");
    assert_eq!(
        warnings(&mut client, "DROP TABLE t"),
        ["Warning 1051 Unknown table 'definitions_create.t' (left as it was on ds_0.t_2)"]
    );
    assert_eq!(fault(&mut client, "DROP TABLE t"), "1051 Unknown table 'definitions_create.t'");
}

#[test]
fn a_node_that_fails_is_named_and_the_rest_is_done() {
    let (_logical, mut client, mut units) = stage("definitions_index");
    client.run("CREATE TABLE t (id INT PRIMARY KEY, a INT)");
    client.run("INSERT INTO t VALUES (1, 1), (2, 2), (3, 3), (7, 3)");
    let index = "CREATE UNIQUE INDEX u ON t (a)";
    assert_eq!(
        fault(&mut client, index),
        "1062 Duplicate entry '3' for key 't.u' (on ds_1.t_3; 3 of 4 data nodes have carried it out)"
    );
    client.run("UPDATE t SET a = 4 WHERE id = 7");
    assert_eq!(
        warnings(&mut client, index),
        ["Warning 1061 Duplicate key name 'u' (left as it was on ds_0.t_0, ds_1.t_1, ds_0.t_2)"]
    );
    assert_eq!(fault(&mut client, index), "1061 Duplicate key name 'u'");
    units[0].run("ALTER TABLE t_0 ADD COLUMN b INT");
    let two = "ALTER TABLE t ADD COLUMN b INT, ADD COLUMN c INT";
    assert_eq!(
        fault(&mut client, two),
        "1060 Duplicate column name 'b' (on ds_0.t_0; 3 of 4 data nodes have carried it out)"
    );
    assert_eq!(
        warnings(&mut client, "ALTER TABLE t ADD COLUMN c INT"),
        ["Warning 1060 Duplicate column name 'c' (left as it was on ds_1.t_1, ds_0.t_2, ds_1.t_3)"]
    );
    client.run("INSERT INTO t VALUES (4, 5, 6, 7)");
    assert_eq!(client.rows("SELECT * FROM t WHERE id = 4"), [["4", "5", "6", "7"]]);
}

#[test]
fn what_only_some_nodes_say_of_a_table_names_them() {
    let (_logical, mut client, mut units) = stage("definitions_check");
    client.run("CREATE TABLE t (id INT PRIMARY KEY)");
    let whole = [["definitions_check.t", "check", "status", "OK"]];
    assert_eq!(client.rows("CHECK TABLE t"), whole);
    units[1].run("DROP TABLE t_1");
    assert_eq!(
        client.rows("CHECK TABLE t"),
        [
            ["definitions_check.t", "check", "status", "OK (on ds_0.t_0, ds_0.t_2, ds_1.t_3)"],
            [
                "definitions_check.t",
                "check",
                "Error",
                "Table 'definitions_check.t' doesn't exist (on ds_1.t_1)"
            ],
            ["definitions_check.t", "check", "status", "Operation failed (on ds_1.t_1)"],
        ]
    );
}

#[test]
fn a_server_that_is_lost_is_named() {
    let bed = Bed::new(2);
    let logical = bed.logical("definitions_lost");
    let mut client = logical.client();
    client.run(
        "CREATE SHARDING TABLE RULE t (STORAGE_UNITS(ds_0, ds_1), SHARDING_COLUMN=id, \
         TYPE(NAME=\"MOD\", PROPERTIES(\"sharding-count\"=4)))",
    );
    client.run("CREATE TABLE t (id INT PRIMARY KEY)");
    // A lock on one node, and its server's connection ended while the definition waits for it.
    let mut holder = logical.unit(1);
    holder.run("BEGIN");
    holder.run("SELECT * FROM t_3");
    std::thread::scope(|scope| {
        let altered = scope.spawn(|| fault(&mut client, "ALTER TABLE t ADD COLUMN a INT"));
        let mut other = bed.unit(1).client();
        let waits =
            "SELECT ID FROM information_schema.PROCESSLIST WHERE STATE LIKE 'Waiting for table metadata%'";
        let mut id = String::new();
        for _ in 0..600 {
            id = other.rows(waits).into_iter().flatten().next().unwrap_or_default();
            if !id.is_empty() {
                break;
            }
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
        other.run(format!("KILL {id}"));
        let told = altered.join().unwrap_or_default();
        assert!(told.contains("(on ds_1.t_3; 3 of 4 data nodes have carried it out"), "{told}");
    });
    holder.run("COMMIT");
    let told = warnings(&mut client, "ALTER TABLE t ADD COLUMN a INT");
    assert_eq!(
        told,
        ["Warning 1060 Duplicate column name 'a' (left as it was on ds_0.t_0, ds_1.t_1, ds_0.t_2)"]
    );
}

#[test]
fn several_nodes_explain_with_their_own_tables() {
    let (_logical, mut client, _units) = stage("definitions_explain");
    client.run("CREATE TABLE t (id INT PRIMARY KEY, a INT)");
    let rows = client.rows("EXPLAIN FORMAT=TRADITIONAL SELECT * FROM t WHERE a = 1");
    let tables: Vec<_> = rows.iter().map(|row| row[2].as_str()).collect();
    assert_eq!(tables, ["t_0", "t_1", "t_2", "t_3"]);
    let trees = client.rows("EXPLAIN ANALYZE SELECT * FROM t WHERE id IN (1, 2)");
    assert_eq!(trees.len(), 2);
    assert!(trees[0][0].contains(" on t_1"), "{trees:?}");
    let rows = client.rows("EXPLAIN SELECT * FROM t WHERE id = 6");
    assert_eq!(rows.len(), 1);
    let tree = client.rows("EXPLAIN ANALYZE SELECT * FROM t WHERE a = 1 AND id = 6");
    assert!(!tree[0][0].contains("t_2"), "{tree:?}");
}
