//! Readwrite-splitting groups, from DistSQL to the answer.

use super::*;

const RULE: &str = "CREATE READWRITE_SPLITTING RULE readwrite_ds (\nWRITE_STORAGE_UNIT=ds_0,\n\
    READ_STORAGE_UNITS(ds_1, ds_2),\nTYPE(NAME=\"FIXED_REPLICA_RANDOM\")\n);";

fn bench() -> Bench {
    Bench::guide(&[(13306, &["orders"]), (13307, &["orders"]), (13309, &["logs"])])
}

#[test]
fn the_guides_group_takes_its_members_tables_and_stays_over_a_restart() {
    let bench = bench();
    assert_eq!(bench.singles(), ["ds_0.orders", "ds_3.logs"]);
    bench.ok(RULE);
    assert_eq!(bench.singles(), ["ds_3.logs", "readwrite_ds.orders"]);
    assert_eq!(*bench.admin.servers.watched.borrow(), ["ds_1", "ds_2"]);
    let bench = bench.restart();
    assert_eq!(*bench.admin.servers.watched.borrow(), ["ds_1", "ds_2"]);
    assert_eq!(
        bench.rows("SHOW READWRITE_SPLITTING RULES"),
        [
            "name|auto_aware_data_source_name|write_data_source_query_enabled|write_storage_unit_name|\
             read_storage_unit_names|load_balancer_type|load_balancer_props",
            "readwrite_ds|||ds_0|ds_1,ds_2|FIXED_REPLICA_RANDOM|",
        ]
    );
    bench.ok("DROP READWRITE_SPLITTING RULE readwrite_ds");
    assert_eq!(bench.singles(), ["ds_0.orders", "ds_3.logs"]);
    assert!(bench.admin.servers.watched.borrow().is_empty());
}

#[test]
fn shows_and_counts_groups_and_what_they_use() {
    let bench = bench();
    assert_eq!(
        bench.rows("COUNT READWRITE_SPLITTING RULE FROM db"),
        ["rule_name|database|count", "readwrite_splitting|db|0"]
    );
    bench.ok("CREATE READWRITE_SPLITTING RULE a (WRITE_RESOURCE=ds_0, READ_RESOURCES(ds_1)), \
              b (WRITE_STORAGE_UNIT=ds_2, READ_STORAGE_UNITS(ds_3), TRANSACTIONAL_READ_QUERY_STRATEGY='fixed', \
              TYPE(NAME='WEIGHT', PROPERTIES('ds_3'=2)))");
    assert_eq!(bench.rows("SHOW READWRITE_SPLITTING RULE b")[1..], ["b|||ds_2|ds_3|WEIGHT|ds_3=2"]);
    assert_eq!(bench.rows("SHOW READWRITE_SPLITTING RULE c").len(), 1);
    assert_eq!(bench.rows("COUNT READWRITE_SPLITTING RULE")[1], "readwrite_splitting|db|2");
    assert_eq!(bench.rows("SHOW RULES USED STORAGE UNIT ds_3"), ["type|name", "readwrite_splitting|b"]);
    assert_eq!(
        bench.refusal("UNREGISTER STORAGE UNIT ds_3"),
        "19003 (44000): Resource `ds_3` is still used by `[ReadwriteSplittingRule]`."
    );
    // A group is what sharded tables can be on.
    bench.ok("CREATE SHARDING TABLE RULE t (STORAGE_UNITS(a, b), SHARDING_COLUMN=id, \
              TYPE(NAME='MOD', PROPERTIES('sharding-count'=2)))");
    assert_eq!(
        bench.refusal("DROP READWRITE_SPLITTING RULE a"),
        "19102 (44000): Readwrite splitting rules `[a]` in database `db` are still in used."
    );
}

#[test]
fn takes_replicas_out_and_in() {
    let bench = bench();
    bench.ok(RULE);
    bench.ok("ALTER READWRITE_SPLITTING RULE readwrite_ds DISABLE ds_1");
    let bench = bench.restart();
    assert_eq!(
        bench.rows("SHOW STATUS FROM READWRITE_SPLITTING RULES"),
        ["storage_unit|status|delay_time(ms)", "ds_1|disabled|", "ds_2|enabled|"]
    );
    assert_eq!(
        bench.refusal("ALTER READWRITE_SPLITTING RULE DISABLE ds_2 FROM db"),
        "30001 (0A000): Unsupported SQL operation: `ds_2` is the last read storage unit in `[readwrite_ds]`, \
         cannot be disabled"
    );
    bench.ok("ALTER READWRITE_SPLITTING RULE ENABLE ds_1");
    assert_eq!(bench.rows("SHOW STATUS FROM READWRITE_SPLITTING RULE readwrite_ds")[1], "ds_1|enabled|");
}

#[test]
fn refuses_what_cannot_be_a_group() {
    let bench = bench();
    for (group, refusal) in [
        (
            "ds_0 (WRITE_STORAGE_UNIT=ds_0, READ_STORAGE_UNITS(ds_1))",
            "19100 (44000): Invalid `Readwrite splitting` rules `[ds_0]`, error messages are: \
             [[ds_0] already exists in storage unit]",
        ),
        (
            "g (WRITE_STORAGE_UNIT=ds_0, READ_STORAGE_UNITS(ds_9))",
            "19001 (44000): Storage units `[ds_9]` do not exist in database `db`.",
        ),
        (
            "g (WRITE_STORAGE_UNIT=ds_0, READ_STORAGE_UNITS(ds_1), TYPE(NAME='NEAREST'))",
            "19150 (44000): Invalid Load balancers algorithms `[NEAREST]`.",
        ),
        (
            "g (WRITE_STORAGE_UNIT=ds_0, READ_STORAGE_UNITS(ds_1), TYPE(NAME='WEIGHT', PROPERTIES('ds_1'='x')))",
            "20280 (HY004): Invalid read database weight `x`.",
        ),
        (
            "g (WRITE_STORAGE_UNIT=ds_0, READ_STORAGE_UNITS(ds_1), TYPE(NAME='WEIGHT'))",
            "20280 (HY004): Read database `ds_1` access weight is not configured.",
        ),
        (
            "g (WRITE_STORAGE_UNIT=ds_0, READ_STORAGE_UNITS(ds_1), TRANSACTIONAL_READ_QUERY_STRATEGY='NONE')",
            "19100 (44000): Invalid Readwrite splitting rule `g`, error message is: there is no \
             TRANSACTIONAL_READ_QUERY_STRATEGY `NONE`",
        ),
        (
            "g (WRITE_STORAGE_UNIT=ds_0, READ_STORAGE_UNITS(ds_1)), h (WRITE_STORAGE_UNIT=ds_0, READ_STORAGE_UNITS(ds_2))",
            "19100 (44000): Invalid Readwrite splitting rule `h`, error message is: Can not config duplicate write \
             storage unit `ds_0` in database `db`",
        ),
    ] {
        assert_eq!(bench.refusal(&format!("CREATE READWRITE_SPLITTING RULE {group}")), refusal);
    }
    bench.ok(RULE);
    assert_eq!(
        bench.refusal(RULE),
        "19105 (44000): Duplicate Readwrite splitting rule names `[readwrite_ds]` in database `db`."
    );
    bench.ok(&RULE.replace("RULE readwrite_ds", "RULE IF NOT EXISTS readwrite_ds"));
    assert_eq!(
        bench.refusal("DROP READWRITE_SPLITTING RULE g"),
        "19101 (44000): Readwrite splitting rules `[g]` do not exist in database `db`."
    );
    bench.ok("DROP READWRITE_SPLITTING RULE IF EXISTS g");
}
