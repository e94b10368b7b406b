//! Sharding over data nodes, reference rules, broadcast tables, default strategies, and algorithms by name.

use super::*;

const ORDER: &str = "CREATE SHARDING TABLE RULE t_order (DATANODES(\"ds_${0..1}.t_order_${0..1}\"), \
                     DATABASE_STRATEGY(TYPE=\"standard\", SHARDING_COLUMN=user_id, SHARDING_ALGORITHM(\
                     TYPE(NAME=\"inline\", PROPERTIES(\"algorithm-expression\"=\"ds_${user_id % 2}\")))), \
                     TABLE_STRATEGY(TYPE=standard, SHARDING_COLUMN=order_id, SHARDING_ALGORITHM(\
                     TYPE(NAME=INLINE, PROPERTIES(\"algorithm-expression\"=\"t_order_${order_id % 2}\")))), \
                     KEY_GENERATE_STRATEGY(COLUMN=order_id, TYPE(NAME=\"snowflake\", PROPERTIES(\"worker-id\"=7))), \
                     AUDIT_STRATEGY(TYPE(NAME=\"DML_SHARDING_CONDITIONS\"), ALLOW_HINT_DISABLE=true))";

/// The rule of [`ORDER`] for another table, without keys and audit.
fn item(name: &str) -> String {
    let end = ORDER.find(", KEY_GENERATE").unwrap();
    format!("{})", &ORDER[..end]).replace("t_order", name)
}

const AUTO: &str = "CREATE SHARDING TABLE RULE t_user (STORAGE_UNITS(ds_0, ds_1), SHARDING_COLUMN=id, \
                    TYPE(NAME=MOD, PROPERTIES('sharding-count'=2)))";

const STANDARD: &str = "TYPE=standard, SHARDING_COLUMN=id, SHARDING_ALGORITHM";

#[test]
fn lays_tables_out_over_data_nodes() {
    let bench = Bench::guide(&[(13306, &["t_order_0", "orders"])]);
    bench.ok(ORDER);
    assert_eq!(bench.singles(), ["ds_0.orders"]);
    let bench = bench.restart();
    assert_eq!(
        bench.rows("SHOW SHARDING TABLE RULE t_order")[1],
        "t_order|ds_${0..1}.t_order_${0..1}||STANDARD|user_id|inline|algorithm-expression=ds_${user_id % 2}|STANDARD|\
         order_id|inline|algorithm-expression=t_order_${order_id % 2}|order_id|snowflake|worker-id=7|\
         dml_sharding_conditions|true"
    );
    assert_eq!(
        bench.rows("SHOW SHARDING TABLE NODES"),
        ["name|nodes", "t_order|ds_0.t_order_0, ds_0.t_order_1, ds_1.t_order_0, ds_1.t_order_1"]
    );
    let inline = |level: &str, expression: &str| {
        format!("t_order_{level}_inline|inline|algorithm-expression={expression}")
    };
    assert_eq!(
        bench.rows("SHOW SHARDING ALGORITHMS"),
        [
            "name|type|props",
            &inline("database", "ds_${user_id % 2}"),
            &inline("table", "t_order_${order_id % 2}")
        ]
    );
    assert_eq!(bench.rows("SHOW SHARDING KEY GENERATORS")[1..], ["t_order_snowflake|snowflake|worker-id=7"]);
    assert_eq!(
        bench.rows("SHOW SHARDING AUDITORS")[1..],
        ["t_order_dml_sharding_conditions|dml_sharding_conditions|"]
    );
    bench.ok(&AUTO.replace("t_user", "t_order").replace("CREATE", "ALTER"));
    assert_eq!(bench.rows("SHOW SHARDING ALGORITHMS")[1..], ["t_order_mod|mod|sharding-count=2"]);
}

#[test]
fn uses_algorithms_that_were_created_before() {
    let bench = Bench::guide(&[]);
    bench.ok("CREATE SHARDING ALGORITHM mine (TYPE(NAME=INLINE, PROPERTIES('algorithm-expression'='t_${id % 2}'))), \
              idle (TYPE(NAME=MOD, PROPERTIES('sharding-count'=9)))");
    bench.ok("CREATE SHARDING KEY GENERATOR ids (TYPE(NAME=SNOWFLAKE))");
    bench.ok("CREATE SHARDING AUDITOR strict (TYPE(NAME=DML_SHARDING_CONDITIONS))");
    bench.ok("CREATE SHARDING TABLE RULE t (DATANODES('ds_0.t_${0..1}'), TABLE_STRATEGY(TYPE=standard, \
              SHARDING_COLUMN=id, SHARDING_ALGORITHM=mine), KEY_GENERATE_STRATEGY(COLUMN=id, KEY_GENERATOR=ids), \
              AUDIT_STRATEGY(AUDITORS=[strict], ALLOW_HINT_DISABLE=false))");
    let bench = bench.restart();
    let head = "name|type|props";
    let mine = "mine|inline|algorithm-expression=t_${id % 2}";
    assert_eq!(bench.rows("SHOW SHARDING ALGORITHMS"), [head, mine, "idle|mod|sharding-count=9"]);
    assert_eq!(bench.rows("SHOW UNUSED SHARDING ALGORITHMS"), [head, "idle|mod|sharding-count=9"]);
    assert_eq!(bench.rows("SHOW UNUSED SHARDING KEY GENERATORS"), [head]);
    assert_eq!(bench.rows("SHOW UNUSED SHARDING AUDITORS"), [head]);
    for (kind, name) in [("ALGORITHM", "mine"), ("KEY GENERATOR", "ids"), ("AUDITOR", "strict")] {
        let rows = bench.rows(&format!("SHOW SHARDING TABLE RULES USED {kind} {name}"));
        assert_eq!(rows, ["type|name", "table|t"]);
        assert_eq!(bench.rows(&format!("SHOW SHARDING TABLE RULES USED {kind} x")), ["type|name"]);
    }
    bench.ok(
        "ALTER SHARDING ALGORITHM mine (TYPE(NAME=INLINE, PROPERTIES('algorithm-expression'='t_${id % 1}')))",
    );
    let rule = bench.rows("SHOW SHARDING TABLE RULE t").remove(1);
    assert!(rule.contains("algorithm-expression=t_${id % 1}"), "{rule}");
    assert_eq!(bench.rows("SHOW SHARDING TABLE RULES USED ALGORITHM mine").len(), 2);
    for (text, message) in [
        (
            "DROP SHARDING ALGORITHM idle, mine",
            "19152 (44000): Sharding algorithms `[mine]` in database `db` are still in used.",
        ),
        (
            "DROP SHARDING KEY GENERATOR x",
            "19151 (44000): key generator algorithms `[x]` do not exist in database `db`.",
        ),
        (
            "ALTER SHARDING AUDITOR x (TYPE(NAME=DML_SHARDING_CONDITIONS))",
            "19151 (44000): auditor algorithms `[x]` do not exist in database `db`.",
        ),
        (
            "CREATE SHARDING ALGORITHM mine (TYPE(NAME=MOD, PROPERTIES('sharding-count'=1)))",
            "19153 (44000): Duplicate sharding algorithms `[mine]` in database `db`.",
        ),
        (
            "CREATE SHARDING ALGORITHM x (TYPE(NAME=MODULO))",
            "19150 (44000): Invalid sharding algorithms `[MODULO]`.",
        ),
        (
            "CREATE SHARDING TABLE RULE u (DATANODES('ds_0.u_0'), TABLE_STRATEGY(TYPE=standard, SHARDING_COLUMN=id, \
             SHARDING_ALGORITHM=x))",
            "19151 (44000): sharding algorithms `[x]` do not exist in database `db`.",
        ),
    ] {
        assert_eq!(bench.refusal(text), message, "{text}");
    }
    bench.ok("DROP SHARDING ALGORITHM IF EXISTS idle, x");
    bench.ok("DROP SHARDING TABLE RULE t");
    assert_eq!(bench.rows("SHOW UNUSED SHARDING ALGORITHMS").len(), 2);
}

#[test]
fn refuses_rules_in_the_order_of_the_specification() {
    let bench = Bench::guide(&[]);
    bench.ok(ORDER);
    let everything = ORDER
        .replace("ds_${0..1}.", "none.")
        .replace("snowflake", "NANOID")
        .replace("DML_SHARDING_CONDITIONS", "NONE")
        .replace("\"inline\"", "\"ROT13\"");
    let other = |text: &str| text.replace("RULE t_order", "RULE t");
    let units = other(&everything);
    let keys = units.replace("none.", "ds_${0..1}.");
    let audits = keys.replace("NANOID", "UUID").replace(", PROPERTIES(\"worker-id\"=7)", "");
    let algorithms = audits.replace("NONE", "DML_SHARDING_CONDITIONS");
    for (text, message) in [
        (&everything, "19105 (44000): Duplicate sharding rule names `[t_order]` in database `db`."),
        (&units, "19001 (44000): Storage units `[none]` do not exist in database `db`."),
        (&keys, "19150 (44000): Invalid key generator algorithms `[NANOID]`."),
        (&audits, "19150 (44000): Invalid auditor algorithms `[NONE]`."),
        (&algorithms, "19150 (44000): Invalid sharding algorithms `[ROT13]`."),
    ] {
        assert_eq!(bench.refusal(text), message, "{text}");
    }
    for (text, message) in [
        (
            ORDER.replace("CREATE", "ALTER").replace("t_order (", "x ("),
            "19101 (44000): sharding rules `[x]` do not exist in database `db`.",
        ),
        (
            other(ORDER).replace("TYPE=standard", "TYPE=random"),
            "30001 (0A000): Unsupported SQL operation: unsupported strategy type random",
        ),
        (
            other(ORDER).replace("ds_${0..1}.t_order_${0..1}", "ds_0"),
            "10003 (HY004): Invalid format for actual data node `ds_0`.",
        ),
        (AUTO.replace("MOD", "INLINE"), "19150 (44000): Invalid sharding algorithms `[INLINE]`."),
    ] {
        assert_eq!(bench.refusal(&text), message, "{text}");
    }
}

#[test]
fn binds_tables_to_each_other() {
    let bench = Bench::guide(&[]);
    bench.ok(ORDER);
    bench.ok(&item("t_item"));
    bench.ok(AUTO);
    let create = "CREATE SHARDING TABLE REFERENCE RULE r (t_order, T_item)";
    bench.ok(create);
    bench.ok("CREATE SHARDING TABLE REFERENCE RULE IF NOT EXISTS R (t_order, t_item)");
    let bench = bench.restart();
    let head = "name|sharding_table_reference";
    assert_eq!(bench.rows("SHOW SHARDING TABLE REFERENCE RULES"), [head, "r|t_order,T_item"]);
    assert_eq!(bench.rows("SHOW SHARDING TABLE REFERENCE RULE x FROM db"), [head]);
    assert_eq!(bench.rows("COUNT SHARDING RULE")[2], "sharding_table_reference|db|1");
    for (text, message) in [
        (create, "19105 (44000): Duplicate sharding table reference rule names `[r]` in database `db`."),
        (
            "CREATE SHARDING TABLE REFERENCE RULE s (t_order, x)",
            "19101 (44000): sharding rules `[x]` do not exist in database `db`.",
        ),
        (
            "ALTER SHARDING TABLE REFERENCE RULE s (t_order, t_item)",
            "19101 (44000): sharding table reference rules `[s]` do not exist in database `db`.",
        ),
        (
            "ALTER SHARDING TABLE REFERENCE RULE r (t_order, t_user)",
            "19100 (44000): Invalid sharding rule `r`, error message is: invalid binding table configuration: t_order and \
             t_user are not laid out alike.",
        ),
        (
            "DROP SHARDING TABLE RULE t_item",
            "19102 (44000): Sharding rules `[t_item]` in database `db` are still in used.",
        ),
        (
            "DROP SHARDING TABLE REFERENCE RULE s",
            "19101 (44000): sharding table reference rules `[s]` do not exist in database `db`.",
        ),
    ] {
        assert_eq!(bench.refusal(text), message, "{text}");
    }
    let apart = AUTO.replace("CREATE", "ALTER").replace("t_user", "t_item");
    assert!(bench.refusal(&apart).contains("invalid binding table configuration"));
    bench.ok("DROP SHARDING TABLE REFERENCE RULE IF EXISTS s, r");
    bench.ok(&apart);
}

#[test]
fn reads_binding_rules_of_old() {
    let bench = Bench::guide(&[]);
    bench.ok(ORDER);
    bench.ok(&item("t_item"));
    bench.ok("CREATE SHARDING BINDING TABLE RULES (t_order, t_item)");
    assert_eq!(bench.rows("SHOW SHARDING BINDING TABLE RULES")[1..], ["t_order_t_item|t_order,t_item"]);
    bench.ok("DROP SHARDING BINDING TABLE RULES (T_item, t_order)");
    assert!(bench.database().sharding.bindings.is_empty());
    bench.ok("CREATE SHARDING BINDING TABLE RULES (t_order, t_item)");
    bench.ok("DROP SHARDING BINDING TABLE RULES");
    assert!(bench.database().sharding.bindings.is_empty());
}

#[test]
fn broadcasts_tables() {
    let bench = Bench::guide(&[(13306, &["t_config", "orders"]), (13307, &["t_config"])]);
    bench.ok(AUTO);
    bench.ok("CREATE BROADCAST TABLE RULE T_config, t_other");
    bench.ok("CREATE BROADCAST TABLE RULE IF NOT EXISTS t_config");
    assert_eq!(bench.singles(), ["ds_0.orders"]);
    let bench = bench.restart();
    let head = "broadcast_table";
    assert_eq!(bench.rows("SHOW BROADCAST TABLE RULES"), [head, "T_config", "t_other"]);
    assert_eq!(bench.rows("COUNT BROADCAST RULE")[1..], ["broadcast_table|db|2"]);
    assert_eq!(bench.rows("COUNT SHARDING RULE")[3], "broadcast_table|db|2");
    for (text, message) in [
        (
            "CREATE BROADCAST TABLE RULE t_config",
            "19105 (44000): Duplicate broadcast rule names `[t_config]` in database `db`.",
        ),
        (
            "CREATE BROADCAST TABLE RULE t_user",
            "19100 (44000): Invalid broadcast rule `t_user`, error message is: it is a sharding table",
        ),
        (
            "DROP BROADCAST TABLE RULE x",
            "19101 (44000): broadcast rules `[x]` do not exist in database `db`.",
        ),
    ] {
        assert_eq!(bench.refusal(text), message);
    }
    bench.ok("DROP BROADCAST TABLE RULE IF EXISTS t_config, x");
    assert_eq!(bench.rows("SHOW BROADCAST TABLE RULES"), [head, "t_other"]);
    bench.ok("CREATE SHARDING BROADCAST TABLE RULES (a, b)");
    bench.ok("DROP SHARDING BROADCAST TABLE RULES");
    assert_eq!(bench.rows("SHOW BROADCAST TABLE RULES"), [head]);
}

#[test]
fn keeps_strategies_of_tables_that_name_none() {
    let bench = Bench::guide(&[]);
    let head =
        "name|type|sharding_column|sharding_algorithm_name|sharding_algorithm_type|sharding_algorithm_props";
    assert_eq!(bench.rows("SHOW DEFAULT SHARDING STRATEGY"), [head]);
    bench.ok(AUTO);
    assert_eq!(bench.rows("SHOW DEFAULT SHARDING STRATEGY"), [head, "TABLE|NONE||||", "DATABASE|NONE||||"]);
    let inline = |expression: &str| {
        format!("({STANDARD}(TYPE(NAME=INLINE, PROPERTIES('algorithm-expression'='{expression}'))))")
    };
    let create = format!("CREATE DEFAULT SHARDING TABLE STRATEGY {}", inline("t_${id % 2}"));
    bench.ok(&create);
    bench.ok(&create.replace("STRATEGY", "STRATEGY IF NOT EXISTS"));
    bench.ok("CREATE DEFAULT SHARDING DATABASE STRATEGY (TYPE=none)");
    bench.ok("CREATE SHARDING TABLE RULE t (DATANODES('ds_0.t_${0..1}'))");
    let bench = bench.restart();
    assert_eq!(
        bench.rows("SHOW DEFAULT SHARDING STRATEGY"),
        [
            head,
            "TABLE|STANDARD|id|default_table_inline|inline|algorithm-expression=t_${id % 2}",
            "DATABASE|NONE||||"
        ]
    );
    assert_eq!(bench.database().sharding.table("t").unwrap().strategies.len(), 1);
    for (text, message) in [
        (
            create.as_str(),
            "19105 (44000): Duplicate default sharding strategy rule names `[TABLE]` in database `db`.",
        ),
        (
            "ALTER DEFAULT SHARDING TABLE STRATEGY (TYPE=standard, SHARDING_COLUMNS=a,b, SHARDING_ALGORITHM(TYPE(\
             NAME=MOD, PROPERTIES('sharding-count'=2))))",
            "19100 (44000): Invalid default sharding strategy rule `TABLE`, error message is: a standard strategy has one \
             sharding column",
        ),
        (
            "ALTER DEFAULT SHARDING TABLE STRATEGY (TYPE=standard, SHARDING_COLUMN=a, SHARDING_ALGORITHM(TYPE(\
             NAME=MODULO)))",
            "19150 (44000): Invalid sharding algorithms `[MODULO]`.",
        ),
    ] {
        assert_eq!(bench.refusal(text), message, "{text}");
    }
    bench.ok(&format!("ALTER DEFAULT SHARDING TABLE STRATEGY {}", inline("t_${id % 1}")));
    bench.ok("DROP DEFAULT SHARDING TABLE STRATEGY");
    bench.ok("DROP DEFAULT SHARDING TABLE STRATEGY IF EXISTS");
    for statement in
        ["DROP DEFAULT SHARDING TABLE STRATEGY", "ALTER DEFAULT SHARDING TABLE STRATEGY (TYPE=none)"]
    {
        assert_eq!(
            bench.refusal(statement),
            "19101 (44000): default sharding strategy rules `[TABLE]` do not exist in database `db`."
        );
    }
}
