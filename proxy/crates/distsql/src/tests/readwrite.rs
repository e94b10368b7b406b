//! Readwrite splitting.

use super::{read, refusal, same};
use crate::readwrite::{Rule, Statement as Readwrite, Switch};
use crate::{Algorithm, Statement};

/// Section B of the scenarios, as the guide has it.
const GUIDE: &str = "CREATE READWRITE_SPLITTING RULE readwrite_ds (\nWRITE_STORAGE_UNIT=write_ds,\n\
    READ_STORAGE_UNITS(read_ds),\nTYPE(NAME=\"FIXED_REPLICA_RANDOM\")\n);";

#[test]
fn reads_the_guide() {
    let rule = Rule {
        name: "readwrite_ds".into(),
        write: "write_ds".into(),
        read: vec!["read_ds".into()],
        transactional: None,
        balancer: Some(Algorithm { name: "FIXED_REPLICA_RANDOM".into(), properties: [].into() }),
    };
    let statement = Readwrite::Create { if_not_exists: false, rules: vec![rule] };
    assert_eq!(read(GUIDE), Statement::Readwrite(statement));
}

#[test]
fn reads_rules_in_every_spelling() {
    same(
        "CREATE READWRITE_SPLITTING RULE r (WRITE_STORAGE_UNIT=w, READ_STORAGE_UNITS(r0, r1), TYPE(NAME=\"random\"))",
        &[
            "create readwrite_splitting rule r(write_storage_unit=w,read_storage_units(r0,r1),type(name=random));",
            "CREATE READWRITE_SPLITTING RULE `r` (WRITE_RESOURCE=`w`, READ_RESOURCES(r0,r1), TYPE(NAME='random'))",
            "CREATE READWRITE_SPLITTING RULE r (WRITE_RESOURCE=w, READ_STORAGE_UNITS(r0,r1), TYPE(NAME=random, \
             PROPERTIES()))",
        ],
    );
    same(
        "CREATE READWRITE_SPLITTING RULE IF NOT EXISTS a (WRITE_STORAGE_UNIT=w, READ_STORAGE_UNITS(r0, r1), \
         TRANSACTIONAL_READ_QUERY_STRATEGY=\"DYNAMIC\", TYPE(NAME=\"WEIGHT\", PROPERTIES(\"r0\"=\"2\", \
         \"r1\"=\"1\"))), b (WRITE_STORAGE_UNIT=w, READ_STORAGE_UNITS(r0))",
        &[
            "CREATE READWRITE_SPLITTING RULE IF NOT EXISTS a (WRITE_STORAGE_UNIT=w, READ_STORAGE_UNITS(r0,r1), \
           TRANSACTIONAL_READ_QUERY_STRATEGY='DYNAMIC', TYPE(NAME=WEIGHT, PROPERTIES('r0'=2,'r1'=1))), \
           b (WRITE_STORAGE_UNIT=w, READ_STORAGE_UNITS(r0));",
        ],
    );
    same(
        "ALTER READWRITE_SPLITTING RULE r (WRITE_STORAGE_UNIT=w, READ_STORAGE_UNITS(a), \
         TRANSACTIONAL_READ_QUERY_STRATEGY=\"fixed\"), `enable` (WRITE_STORAGE_UNIT=w, READ_STORAGE_UNITS(a))",
        &["ALTER READWRITE_SPLITTING RULE r (WRITE_RESOURCE=w, READ_RESOURCES(a), \
           TRANSACTIONAL_READ_QUERY_STRATEGY=fixed), enable (WRITE_STORAGE_UNIT=w, READ_STORAGE_UNITS(a))"],
    );
    same("DROP READWRITE_SPLITTING RULE a, b", &["drop readwrite_splitting rule a,b;"]);
    same("DROP READWRITE_SPLITTING RULE IF EXISTS a", &[]);
}

#[test]
fn reads_switches_with_and_without_a_group() {
    same(
        "ALTER READWRITE_SPLITTING RULE g DISABLE r0 FROM db",
        &["alter readwrite_splitting rule g disable r0 from db;"],
    );
    same("ALTER READWRITE_SPLITTING RULE ENABLE r0", &["ENABLE READWRITE_SPLITTING READ r0"]);
    same(
        "ALTER READWRITE_SPLITTING RULE DISABLE r0 FROM db",
        &["DISABLE READWRITE_SPLITTING READ r0 FROM db", "DISABLE READWRITE_SPLITTING r0 FROM db"],
    );
    let statement =
        Readwrite::Switch { name: Some("g".into()), unit: "r0".into(), switch: Switch::On, database: None };
    assert_eq!(read("ALTER READWRITE_SPLITTING RULE g ENABLE r0"), Statement::Readwrite(statement));
}

#[test]
fn reads_queries() {
    for text in [
        "SHOW READWRITE_SPLITTING RULES",
        "SHOW READWRITE_SPLITTING RULES FROM db",
        "SHOW READWRITE_SPLITTING RULE r",
        "SHOW READWRITE_SPLITTING RULE r FROM db",
        "SHOW STATUS FROM READWRITE_SPLITTING RULES",
        "SHOW STATUS FROM READWRITE_SPLITTING RULES FROM db",
        "SHOW STATUS FROM READWRITE_SPLITTING RULE r",
        "SHOW STATUS FROM READWRITE_SPLITTING RULE r FROM db",
        "COUNT READWRITE_SPLITTING RULE",
        "COUNT READWRITE_SPLITTING RULE FROM db",
    ] {
        same(text, &[&format!("{} ;", text.to_lowercase())]);
    }
    same("SHOW STATUS FROM READWRITE_SPLITTING RULES", &["SHOW READWRITE_SPLITTING READ RESOURCES"]);
}

#[test]
fn says_what_was_expected_where() {
    for (text, message) in [
        (
            "CREATE READWRITE_SPLITTING RULE r (READ_STORAGE_UNITS(a))",
            "expected WRITE_STORAGE_UNIT or WRITE_RESOURCE but found 'READ_STORAGE_UNITS' at line 1, column 36",
        ),
        (
            "CREATE READWRITE_SPLITTING RULE r (WRITE_STORAGE_UNIT=w, TYPE(NAME=x))",
            "expected READ_STORAGE_UNITS or READ_RESOURCES but found 'TYPE' at line 1, column 58",
        ),
        (
            "CREATE READWRITE_SPLITTING RULE r (WRITE_STORAGE_UNIT=w,\nREAD_STORAGE_UNITS())",
            "expected a storage unit but found ')' at line 2, column 20",
        ),
        (
            "CREATE READWRITE_SPLITTING RULE r (WRITE_STORAGE_UNIT=w, READ_STORAGE_UNITS(a), x)",
            "expected TRANSACTIONAL_READ_QUERY_STRATEGY or TYPE but found 'x' at line 1, column 81",
        ),
        (
            "CREATE READWRITE_SPLITTING RULE r (WRITE_STORAGE_UNIT=w, READ_STORAGE_UNITS(a), \
             TRANSACTIONAL_READ_QUERY_STRATEGY='FIXED', x)",
            "expected TYPE but found 'x' at line 1, column 124",
        ),
        (
            "CREATE READWRITE_SPLITTING RULE r (WRITE_STORAGE_UNIT=w, READ_STORAGE_UNITS(a), TYPE(NAME=x), y)",
            "expected ')' but found ',' at line 1, column 93",
        ),
        (
            "ALTER READWRITE_SPLITTING RULE r",
            "expected '(' but found the end of the statement at line 1, column 33",
        ),
        (
            "ALTER READWRITE_SPLITTING RULE r ENABLE",
            "expected a storage unit but found the end of the statement at line 1, column 40",
        ),
        (
            "SHOW STATUS FROM READWRITE_SPLITTING x",
            "expected RULE or RULES but found 'x' at line 1, column 38",
        ),
    ] {
        assert_eq!(refusal(text), message, "{text}");
    }
}
