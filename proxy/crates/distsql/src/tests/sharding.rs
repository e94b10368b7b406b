//! Sharding and broadcast tables.

use super::{read, refusal, same};
use crate::sharding::{Auditors, Layout, Statement as Sharding, Table};
use crate::{Choice, Statement};

fn table(text: &str) -> Table {
    let Statement::Sharding(Sharding::CreateTables { mut tables, .. }) = read(text) else { panic!("{text}") };
    tables.remove(0)
}

#[test]
fn reads_auto_tables_with_keys_and_auditors() {
    same(
        "CREATE SHARDING TABLE RULE t (STORAGE_UNITS(a), SHARDING_COLUMN=id, TYPE(NAME=\"MOD\"), \
         KEY_GENERATE_STRATEGY(COLUMN=id, TYPE(NAME=\"snowflake\")), \
         AUDIT_STRATEGY(TYPE(NAME=\"DML_SHARDING_CONDITIONS\"), ALLOW_HINT_DISABLE=true))",
        &["create sharding table rule t(resources(a),sharding_column=id,type(name=MOD),\
           key_generate_strategy(column=id,type(name='snowflake',properties())),\
           audit_strategy(type(name='DML_SHARDING_CONDITIONS'),allow_hint_disable=TRUE));"],
    );
    same(
        "ALTER SHARDING TABLE RULE t (STORAGE_UNITS(a), SHARDING_COLUMN=id, TYPE(NAME=\"MOD\"), \
         AUDIT_STRATEGY(AUDITORS=[x, y], ALLOW_HINT_DISABLE=false))",
        &["ALTER SHARDING TABLE RULE t (RESOURCES(a), SHARDING_COLUMN=id, TYPE(NAME=MOD), \
           AUDIT_STRATEGY(AUDITORS=[x,y],ALLOW_HINT_DISABLE=false))"],
    );
}

#[test]
fn reads_tables_of_data_nodes() {
    let all = "CREATE SHARDING TABLE RULE t_order (DATANODES(\"ds_${0..1}.t_order_${0..1}\", \"x.y\"), \
               DATABASE_STRATEGY(TYPE=\"standard\", SHARDING_COLUMN=user_id, SHARDING_ALGORITHM(TYPE(NAME=\"INLINE\", \
               PROPERTIES(\"algorithm-expression\"=\"ds_${user_id % 2}\")))), TABLE_STRATEGY(TYPE=\"complex\", \
               SHARDING_COLUMNS=a, b, SHARDING_ALGORITHM(TYPE(NAME=\"COMPLEX_INLINE\"))), \
               KEY_GENERATE_STRATEGY(COLUMN=id, TYPE(NAME=\"snowflake\")), AUDIT_STRATEGY(TYPE(NAME=\"A\"), \
               TYPE(NAME=\"B\"), ALLOW_HINT_DISABLE=false))";
    same(
        all,
        &["CREATE SHARDING TABLE RULE t_order (DATANODES('ds_${0..1}.t_order_${0..1}','x.y'),\
           DATABASE_STRATEGY(TYPE=standard,SHARDING_COLUMN=user_id,SHARDING_ALGORITHM(TYPE(NAME=INLINE,\
           PROPERTIES('algorithm-expression'='ds_${user_id % 2}')))),TABLE_STRATEGY(TYPE='complex',\
           SHARDING_COLUMNS=a,b,SHARDING_ALGORITHM(TYPE(NAME=COMPLEX_INLINE))),\
           KEY_GENERATE_STRATEGY(COLUMN=id,TYPE(NAME=snowflake)),AUDIT_STRATEGY(TYPE(NAME=A),TYPE(NAME=B),\
           ALLOW_HINT_DISABLE=FALSE));"],
    );
    let table = table(all);
    let Layout::Nodes { nodes, database: Some(database), table: Some(strategy) } = table.layout else {
        panic!("not of data nodes")
    };
    assert_eq!(nodes, ["ds_${0..1}.t_order_${0..1}", "x.y"]);
    assert_eq!(
        (database.kind.as_str(), database.columns.as_slice()),
        ("standard", &["user_id".to_owned()][..])
    );
    assert_eq!((strategy.kind.as_str(), strategy.columns.len()), ("complex", 2));
    assert_eq!(table.key.map(|key| key.column), Some("id".to_owned()));
    let audit = table.audit.expect("an audit");
    assert!(matches!(audit.auditors, Auditors::Types(auditors) if auditors.len() == 2));
    assert!(!audit.allow_hint_disable);
}

#[test]
fn reads_strategies_in_every_spelling() {
    let with = |strategy: &str| {
        format!("CREATE SHARDING TABLE RULE t (DATANODES(\"a.t\"), TABLE_STRATEGY({strategy}))")
    };
    for (canonical, other) in [
        ("TYPE=\"none\"", "type = none"),
        ("TYPE=\"NONE\"", "TYPE='NONE'"),
        (
            "TYPE=\"hint\", SHARDING_ALGORITHM(TYPE(NAME=\"HINT_INLINE\"))",
            "TYPE=hint,SHARDING_ALGORITHM(TYPE(NAME=HINT_INLINE))",
        ),
        (
            "TYPE=\"hint\", SHARDING_COLUMN=c, SHARDING_ALGORITHM=x",
            "TYPE=hint,SHARDING_COLUMNS=c,SHARDING_ALGORITHM = x",
        ),
        (
            "TYPE=\"complex\", SHARDING_COLUMNS=a, sharding_algorithm, SHARDING_ALGORITHM=x",
            "TYPE=complex, SHARDING_COLUMNS=a,sharding_algorithm,SHARDING_ALGORITHM=x",
        ),
        ("TYPE=\"standard\", SHARDING_COLUMN=c", "TYPE=standard,SHARDING_COLUMN=c"),
    ] {
        same(&with(canonical), &[&with(other)]);
    }
    let table = table(&with("TYPE=standard, SHARDING_COLUMN=c, SHARDING_ALGORITHM=t_inline"));
    let Layout::Nodes { table: Some(strategy), database: None, .. } = table.layout else {
        panic!("no strategy")
    };
    assert_eq!(strategy.algorithm, Some(Choice::Name("t_inline".into())));
    same(
        "CREATE SHARDING TABLE RULE t (DATANODES(\"a.t\"), KEY_GENERATE_STRATEGY(COLUMN=id, KEY_GENERATOR=g))",
        &[
            "CREATE SHARDING TABLE RULE t (DATANODES('a.t'), KEY_GENERATE_STRATEGY(COLUMN=id,KEY_GENERATOR=g))",
        ],
    );
    same("CREATE SHARDING TABLE RULE t (DATANODES(\"a.t\"))", &[]);
}

#[test]
fn reads_reference_rules_in_every_spelling() {
    same(
        "CREATE SHARDING TABLE REFERENCE RULE IF NOT EXISTS r (a, b), q (c, d, e)",
        &["create sharding table reference rule if not exists r(a,b),q(c,d,e);"],
    );
    same(
        "CREATE SHARDING TABLE REFERENCE RULE (a, b), (c, d)",
        &["CREATE SHARDING BINDING TABLE RULES (a,b),(c,d);"],
    );
    same("ALTER SHARDING TABLE REFERENCE RULE r (a, b)", &[]);
    same("ALTER SHARDING TABLE REFERENCE RULE (a, b)", &["ALTER SHARDING BINDING TABLE RULES (a,b)"]);
    same("DROP SHARDING TABLE REFERENCE RULE r, q", &[]);
    same("DROP SHARDING TABLE REFERENCE RULE IF EXISTS r", &[]);
    same(
        "DROP SHARDING TABLE REFERENCE RULE (a, b), (c, d)",
        &["DROP SHARDING BINDING TABLE RULES (a,b),(c,d)"],
    );
    same("DROP SHARDING BINDING TABLE RULES", &["drop sharding binding table rules;"]);
    same("DROP SHARDING BINDING TABLE RULES IF EXISTS", &[]);
    same("SHOW SHARDING TABLE REFERENCE RULES FROM db", &["SHOW SHARDING BINDING TABLE RULES FROM db;"]);
    same("SHOW SHARDING TABLE REFERENCE RULE r FROM db", &[]);
}

#[test]
fn reads_broadcast_rules_in_every_spelling() {
    same("CREATE BROADCAST TABLE RULE a, b", &["CREATE SHARDING BROADCAST TABLE RULES (a,b);"]);
    same("CREATE BROADCAST TABLE RULE IF NOT EXISTS a", &["create broadcast table rule if not exists `a`"]);
    same(
        "DROP BROADCAST TABLE RULE a, b",
        &["DROP SHARDING BROADCAST TABLE RULES a, b", "DROP SHARDING BROADCAST TABLE RULES (a,b)"],
    );
    same("DROP BROADCAST TABLE RULE IF EXISTS a", &[]);
    same("DROP SHARDING BROADCAST TABLE RULES", &["DROP SHARDING BROADCAST TABLE RULES;"]);
    same("SHOW BROADCAST TABLE RULES FROM db", &["SHOW SHARDING BROADCAST TABLE RULES FROM db"]);
    same("COUNT BROADCAST RULE FROM db", &[]);
}

#[test]
fn reads_default_strategies_and_algorithms() {
    for level in ["DATABASE", "TABLE"] {
        let (mut create, mut alter) = (format!("CREATE DEFAULT SHARDING {level} STRATEGY"), String::new());
        alter.push_str(&create.replace("CREATE", "ALTER"));
        for text in [&mut create, &mut alter] {
            text.push_str(" (TYPE=\"standard\", SHARDING_COLUMN=c, SHARDING_ALGORITHM(TYPE(NAME=\"MOD\")))");
            same(text, &[&text.to_lowercase().replace("mod", "MOD")]);
        }
        same(&format!("CREATE DEFAULT SHARDING {level} STRATEGY IF NOT EXISTS (TYPE=\"none\")"), &[]);
        same(&format!("DROP DEFAULT SHARDING {level} STRATEGY"), &[]);
        same(&format!("DROP DEFAULT SHARDING {level} STRATEGY IF EXISTS"), &[]);
    }
    for kind in ["ALGORITHM", "KEY GENERATOR", "AUDITOR"] {
        same(
            &format!(
                "CREATE SHARDING {kind} a (TYPE(NAME=\"X\", PROPERTIES(\"k\"=\"1\"))), b (TYPE(NAME=\"Y\"))"
            ),
            &[&format!("CREATE SHARDING {kind} a(TYPE(NAME=X,PROPERTIES('k'=1))),b(TYPE(NAME=Y));")],
        );
        same(&format!("CREATE SHARDING {kind} IF NOT EXISTS a (TYPE(NAME=\"X\"))"), &[]);
        same(&format!("ALTER SHARDING {kind} a (TYPE(NAME=\"X\"))"), &[]);
        same(&format!("DROP SHARDING {kind} a, b"), &[]);
        same(&format!("DROP SHARDING {kind} IF EXISTS a"), &[]);
        for text in [
            format!("SHOW SHARDING {kind}S"),
            format!("SHOW SHARDING {kind}S FROM db"),
            format!("SHOW UNUSED SHARDING {kind}S FROM db"),
            format!("SHOW SHARDING TABLE RULES USED {kind} a"),
            format!("SHOW SHARDING TABLE RULES USED {kind} a FROM db"),
        ] {
            same(&text, &[&format!("{};", text.to_lowercase())]);
        }
    }
    same("SHOW DEFAULT SHARDING STRATEGY FROM db", &["show default sharding strategy from db"]);
}

#[test]
fn says_what_was_expected_where() {
    for (text, message) in [
        (
            "CREATE SHARDING TABLE RULE t (DATANODES(a.t))",
            "expected a string but found 'a' at line 1, column 41",
        ),
        (
            "CREATE SHARDING TABLE RULE t (DATANODES('a.t'), x)",
            "expected DATABASE_STRATEGY, TABLE_STRATEGY, KEY_GENERATE_STRATEGY or AUDIT_STRATEGY but found 'x' at \
             line 1, column 49",
        ),
        (
            "CREATE SHARDING TABLE RULE t (DATANODES('a.t'), TABLE_STRATEGY(TYPE=none), DATABASE_STRATEGY(TYPE=none))",
            "expected KEY_GENERATE_STRATEGY or AUDIT_STRATEGY but found 'DATABASE_STRATEGY' at line 1, column 76",
        ),
        (
            "CREATE SHARDING TABLE RULE t (STORAGE_UNITS(a), SHARDING_COLUMN=c, TYPE(NAME=MOD), TABLE_STRATEGY(x))",
            "expected KEY_GENERATE_STRATEGY or AUDIT_STRATEGY but found 'TABLE_STRATEGY' at line 1, column 84",
        ),
        (
            "CREATE SHARDING TABLE RULE t (DATANODES('a.t'), TABLE_STRATEGY(TYPE=standard, COLUMN=c))",
            "expected SHARDING_COLUMN, SHARDING_COLUMNS or SHARDING_ALGORITHM but found 'COLUMN' at line 1, column 79",
        ),
        (
            "CREATE SHARDING TABLE RULE t (DATANODES('a.t'), TABLE_STRATEGY(TYPE=standard, SHARDING_COLUMN=c, x))",
            "expected SHARDING_ALGORITHM but found 'x' at line 1, column 98",
        ),
        (
            "CREATE SHARDING TABLE RULE t (DATANODES('a.t'), KEY_GENERATE_STRATEGY(COLUMN=c, x))",
            "expected TYPE or KEY_GENERATOR but found 'x' at line 1, column 81",
        ),
        (
            "CREATE SHARDING TABLE RULE t (DATANODES('a.t'), AUDIT_STRATEGY(x))",
            "expected TYPE or AUDITORS but found 'x' at line 1, column 64",
        ),
        (
            "CREATE SHARDING TABLE RULE t (DATANODES('a.t'), AUDIT_STRATEGY(TYPE(NAME=x), y))",
            "expected TYPE or ALLOW_HINT_DISABLE but found 'y' at line 1, column 78",
        ),
        (
            "CREATE SHARDING TABLE RULE t (DATANODES('a.t'), AUDIT_STRATEGY(AUDITORS=x))",
            "expected '[' but found 'x' at line 1, column 73",
        ),
        (
            "CREATE SHARDING TABLE RULE t (DATANODES('a.t'), AUDIT_STRATEGY(AUDITORS=[x, y, ALLOW_HINT_DISABLE=true))",
            "expected ']' but found '=' at line 1, column 98",
        ),
        (
            "CREATE SHARDING TABLE RULE t (DATANODES('a.t'), AUDIT_STRATEGY(TYPE(NAME=x), ALLOW_HINT_DISABLE=true), y)",
            "expected ')' but found ',' at line 1, column 102",
        ),
        (
            "CREATE DEFAULT SHARDING STRATEGY (TYPE=none)",
            "expected DATABASE or TABLE but found 'STRATEGY' at line 1, column 25",
        ),
        (
            "SHOW SHARDING TABLE RULES USED x",
            "expected ALGORITHM, KEY GENERATOR or AUDITOR but found 'x' at line 1, column 32",
        ),
        ("CREATE SHARDING ALGORITHM a TYPE(NAME=x)", "expected '(' but found 'TYPE' at line 1, column 29"),
        (
            "DROP SHARDING TABLE REFERENCE RULE",
            "expected a table reference rule but found the end of the statement at line 1, column 35",
        ),
    ] {
        assert_eq!(refusal(text), message, "{text}");
    }
}
