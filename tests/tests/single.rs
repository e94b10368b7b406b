//! Single tables on real servers: where new ones go, and which are to be seen.

use weir_tests::Bed;

#[test]
fn new_tables_go_to_the_default_unit() {
    let logical = Bed::shared().logical("single_default");
    let mut client = logical.client();
    assert_eq!(client.rows("SHOW DEFAULT SINGLE TABLE STORAGE UNIT"), [["RANDOM"]]);
    client.run("CREATE TABLE a (id INT)");
    client.run("SET DEFAULT SINGLE TABLE STORAGE UNIT = ds_2");
    client.run("CREATE TABLE b (id INT)");
    client.run("CREATE TABLE single_default.c (id INT)");
    assert_eq!(client.rows("SHOW SINGLE TABLES"), [["a", "ds_0"], ["b", "ds_2"], ["c", "ds_2"]]);
    assert_eq!(logical.unit(2).rows("SHOW TABLES"), [["b"], ["c"]]);
    client.run("INSERT INTO b VALUES (1)");
    client.run("INSERT INTO a VALUES (2)");
    assert_eq!(client.rows("SELECT id FROM b"), [["1"]]);
    assert_eq!(client.rows("SELECT b.id FROM b JOIN c ON b.id = c.id").len(), 0);
    // A temporary table is where it was made, and so is what is done with it.
    client.run("CREATE TEMPORARY TABLE d (id INT)");
    client.run("INSERT INTO d VALUES (3)");
    assert_eq!(client.rows("SELECT id FROM d"), [["3"]]);
    client.run("SET DEFAULT SINGLE TABLE STORAGE UNIT = RANDOM");
    assert_eq!(client.rows("SHOW DEFAULT SINGLE TABLE STORAGE UNIT"), [["RANDOM"]]);
    assert_eq!(client.rows("COUNT SINGLE_TABLE RULE"), [["single_table", "single_default", "3"]]);
}

#[test]
fn unloaded_tables_are_not_seen() {
    let logical = Bed::shared().logical("single_unload");
    let mut client = logical.client();
    logical.unit(1).run("CREATE TABLE t (id INT)");
    logical.unit(1).run("INSERT INTO t VALUES (1)");
    logical.unit(3).run("CREATE TABLE t (id INT)");
    logical.unit(3).run("INSERT INTO t VALUES (3)");
    // Made beside the proxy: found when somebody asks.
    assert_eq!(client.rows("SHOW SINGLE TABLES"), [["t", "ds_1"]]);
    assert_eq!(client.rows("SELECT id FROM t"), [["1"]]);
    client.run("UNLOAD SINGLE TABLE t");
    assert!(client.rows("SHOW TABLES").is_empty());
    assert!(client.rows("SHOW SINGLE TABLES").is_empty());
    assert_eq!(client.rows("SHOW UNLOADED SINGLE TABLES"), [["t", "ds_1"], ["t", "ds_3"]]);
    for text in ["SELECT id FROM t", "DROP TABLE t", "INSERT INTO single_unload.t VALUES (1)"] {
        let fault = client.fault(text);
        assert_eq!(fault.to_string(), "1146 (42S02): Table 'single_unload.t' doesn't exist", "{text}");
    }
    client.run("LOAD SINGLE TABLE ds_3.t");
    assert_eq!(client.rows("SELECT id FROM t"), [["3"]]);
    assert_eq!(client.rows("SHOW TABLES"), [["t"]]);
    client.run("DROP TABLE t");
    client.run("LOAD SINGLE TABLE *.*");
    assert_eq!(client.rows("SELECT id FROM t"), [["1"]]);
    assert_eq!(client.fault("LOAD SINGLE TABLE ds_0.t").code, 19100);
    assert_eq!(
        client.fault("UNLOAD SINGLE TABLE x").to_string(),
        "10501 (42S02): Single table 'x' does not exist."
    );
}
