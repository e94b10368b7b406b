//! Shadow databases.

use super::{read, refusal, same};
use crate::Statement;
use crate::shadow::Statement as Shadow;

/// Section D of the scenarios, as the guide has it.
const GUIDE: &str = "CREATE SHADOW RULE shadowDataSource(\nSOURCE=ds,\nSHADOW=ds_shadow,\nt_user(\n\
    TYPE(NAME=\"VALUE_MATCH\", PROPERTIES(\"operation\"=\"insert\",\"column\"=\"status\", \"value\"=1)),\n\
    TYPE(NAME=\"SIMPLE_HINT\", PROPERTIES(\"shadow\"=true)))\n);";

#[test]
fn reads_the_guide() {
    let Statement::Shadow(Shadow::Create { if_not_exists: false, rules }) = read(GUIDE) else {
        panic!("not a rule")
    };
    let rule = &rules[0];
    assert_eq!(
        (rule.name.as_str(), rule.source.as_str(), rule.shadow.as_str()),
        ("shadowDataSource", "ds", "ds_shadow")
    );
    assert_eq!((rule.tables.len(), rule.tables[0].name.as_str()), (1, "t_user"));
    let [value, hint] = rule.tables[0].algorithms.as_slice() else { panic!("not two algorithms") };
    assert_eq!((value.algorithm.name.as_str(), &value.name), ("VALUE_MATCH", &None));
    let properties: Vec<_> =
        value.algorithm.properties.iter().map(|(key, it)| (key.as_str(), it.as_str())).collect();
    assert_eq!(properties, [("operation", "insert"), ("column", "status"), ("value", "1")]);
    assert_eq!(
        (hint.algorithm.name.as_str(), hint.algorithm.properties["shadow"].as_str()),
        ("SIMPLE_HINT", "true")
    );
}

#[test]
fn reads_rules_in_every_spelling() {
    same(
        "CREATE SHADOW RULE r (SOURCE=s, SHADOW=d, t (TYPE(NAME=\"SQL_HINT\")), u (TYPE(NAME=\"REGEX_MATCH\", \
         PROPERTIES(\"operation\"=\"update\", \"column\"=\"c\", \"regex\"=\"[1]\")), TYPE(NAME=\"SQL_HINT\")))",
        &[
            "create shadow rule r(source=s,shadow=d,t(type(name=SQL_HINT)),u(type(name='REGEX_MATCH',\
             properties('operation'='update','column'='c','regex'='[1]')),type(name=SQL_HINT)));",
            // up to 5.2
            "CREATE SHADOW RULE r (SOURCE=s, SHADOW=d, t ((TYPE(NAME=\"SQL_HINT\"))), u (((TYPE(NAME=\"REGEX_MATCH\", \
             PROPERTIES(\"operation\"=\"update\", \"column\"=\"c\", \"regex\"=\"[1]\")))), (TYPE(NAME=\"SQL_HINT\"))))",
        ],
    );
    same(
        "ALTER SHADOW RULE r (SOURCE=s, SHADOW=d, t ((a, TYPE(NAME=\"VALUE_MATCH\")), TYPE(NAME=\"SQL_HINT\"))), \
         q (SOURCE=s, SHADOW=d, t ((type, TYPE(NAME=\"X\"))))",
        &[
            "ALTER SHADOW RULE r (SOURCE=s, SHADOW=d, t ((a,TYPE(NAME=VALUE_MATCH)), (TYPE(NAME=SQL_HINT)))), \
           q (SOURCE=s, SHADOW=d, t ((type, TYPE(NAME=X))))",
        ],
    );
    same("CREATE SHADOW RULE IF NOT EXISTS r (SOURCE=s, SHADOW=d, t (TYPE(NAME=\"SQL_HINT\")))", &[]);
}

#[test]
fn names_may_have_dashes() {
    same(
        "CREATE SHADOW RULE `my-rule` (SOURCE=`ds-0`, SHADOW=`ds-1`, `t--x-` ((`a-b`, TYPE(NAME=\"X\"))))",
        &["CREATE SHADOW RULE my-rule(SOURCE=ds-0,SHADOW=ds-1,t--x-((a-b,TYPE(NAME=X))))"],
    );
    same("DROP SHADOW RULE IF EXISTS `a-1`, `b-2c`", &["DROP SHADOW RULE IF EXISTS a-1,b-2c;"]);
    same("DROP SHADOW ALGORITHM `a-b-0`", &["DROP SHADOW ALGORITHM a-b-0"]);
    same("SHOW SHADOW RULE `a-b` FROM db", &["SHOW SHADOW RULE a-b FROM db"]);
}

#[test]
fn reads_default_algorithms_drops_and_queries() {
    for text in [
        "DROP SHADOW RULE a, b",
        "DROP SHADOW ALGORITHM a, b",
        "DROP SHADOW ALGORITHM IF EXISTS a",
        "DROP DEFAULT SHADOW ALGORITHM",
        "DROP DEFAULT SHADOW ALGORITHM IF EXISTS",
        "SHOW SHADOW RULES",
        "SHOW SHADOW RULES FROM db",
        "SHOW SHADOW RULE r",
        "SHOW SHADOW RULE r FROM db",
        "SHOW SHADOW TABLE RULES",
        "SHOW SHADOW TABLE RULES FROM db",
        "SHOW SHADOW TABLE RULE t",
        "SHOW SHADOW TABLE RULE t FROM db",
        "SHOW SHADOW ALGORITHMS",
        "SHOW SHADOW ALGORITHMS FROM db",
        "SHOW DEFAULT SHADOW ALGORITHM",
        "SHOW DEFAULT SHADOW ALGORITHM FROM db",
        "COUNT SHADOW RULE",
        "COUNT SHADOW RULE FROM db",
    ] {
        same(text, &[&format!("{};", text.to_lowercase())]);
    }
    same(
        "CREATE DEFAULT SHADOW ALGORITHM TYPE(NAME=\"SIMPLE_HINT\", PROPERTIES(\"shadow\"=\"true\"))",
        &["CREATE DEFAULT SHADOW ALGORITHM TYPE(NAME=SIMPLE_HINT, PROPERTIES(\"shadow\"=true));"],
    );
    same("CREATE DEFAULT SHADOW ALGORITHM IF NOT EXISTS TYPE(NAME=\"SQL_HINT\")", &[]);
    same("CREATE DEFAULT SHADOW ALGORITHM NAME=`a-b`", &["CREATE DEFAULT SHADOW ALGORITHM NAME = a-b"]);
    same("ALTER DEFAULT SHADOW ALGORITHM TYPE(NAME=\"SQL_HINT\")", &[]);
    same("ALTER DEFAULT SHADOW ALGORITHM NAME=a", &[]);
}

#[test]
fn says_what_was_expected_where() {
    for (text, message) in [
        ("CREATE SHADOW RULE r (SHADOW=d)", "expected SOURCE but found 'SHADOW' at line 1, column 23"),
        ("CREATE SHADOW RULE r (SOURCE=s)", "expected ',' but found ')' at line 1, column 31"),
        ("CREATE SHADOW RULE r (SOURCE=s, SHADOW=d, t)", "expected '(' but found ')' at line 1, column 44"),
        (
            "CREATE SHADOW RULE r (SOURCE=s,\n SHADOW=d, t (x))",
            "expected TYPE but found 'x' at line 2, column 15",
        ),
        (
            "CREATE SHADOW RULE r (SOURCE=s, SHADOW=d, t ((x)))",
            "expected ',' but found ')' at line 1, column 48",
        ),
        (
            "CREATE SHADOW RULE r (SOURCE=s, SHADOW=d, t ((((TYPE(NAME=x))))))",
            "expected TYPE or an algorithm but found '(' at line 1, column 48",
        ),
        (
            "CREATE SHADOW RULE r (SOURCE=s, SHADOW=d, t ((TYPE(NAME=x)), y (TYPE(NAME=x)))",
            "expected TYPE but found 'y' at line 1, column 62",
        ),
        ("DROP SHADOW RULE a-1.5", "expected a shadow rule but found 'a' at line 1, column 18"),
        ("CREATE DEFAULT SHADOW ALGORITHM x", "expected TYPE or NAME but found 'x' at line 1, column 33"),
        ("SHOW SHADOW x", "expected ALGORITHMS, RULE, RULES or TABLE but found 'x' at line 1, column 13"),
    ] {
        assert_eq!(refusal(text), message, "{text}");
    }
}
