//! Statements about shadow rules, as the guide and every release have them.

use super::*;

const GUIDE: &str = "CREATE SHADOW RULE shadowDataSource(
SOURCE=ds_0,
SHADOW=ds_1,
t_user(
TYPE(NAME=\"VALUE_MATCH\", PROPERTIES(\"operation\"=\"insert\",\"column\"=\"status\", \"value\"=1)),
TYPE(NAME=\"SIMPLE_HINT\", PROPERTIES(\"shadow\"=true)))
);";

fn guide() -> Bench {
    let bench =
        Bench::guide(&[(13306, &["t_user", "t_prod"]), (13307, &["t_user", "t_test"]), (13308, &["t"])]);
    bench.ok(GUIDE);
    bench
}

#[test]
fn shows_the_guides_rule() {
    let bench = guide();
    assert_eq!(
        bench.rows("SHOW SHADOW RULES"),
        ["rule_name|source_name|shadow_name|shadow_table", "shadowDataSource|ds_0|ds_1|t_user"]
    );
    assert_eq!(bench.rows("SHOW SHADOW RULE shadowDataSource FROM db").len(), 2);
    assert_eq!(bench.rows("SHOW SHADOW RULE shadowdatasource").len(), 1);
    assert_eq!(
        bench.rows("SHOW SHADOW TABLE RULES"),
        [
            "shadow_table|shadow_algorithm_name",
            "t_user|shadowdatasource_t_user_value_match_0,shadowdatasource_t_user_simple_hint_1"
        ]
    );
    assert_eq!(
        bench.rows("SHOW SHADOW ALGORITHMS"),
        [
            "shadow_algorithm_name|type|props|is_default",
            "shadowdatasource_t_user_value_match_0|VALUE_MATCH|operation=insert,column=status,value=1|false",
            "shadowdatasource_t_user_simple_hint_1|SIMPLE_HINT|shadow=true|false"
        ]
    );
    assert_eq!(bench.rows("COUNT SHADOW RULE"), ["rule_name|database|count", "shadow|db|1"]);
    assert_eq!(bench.rows("SHOW RULES USED STORAGE UNIT ds_1"), ["type|name", "shadow|shadowDataSource"]);
    assert_eq!(
        bench.refusal("UNREGISTER STORAGE UNIT ds_0"),
        "19003 (44000): Resource `ds_0` is still used by `[ShadowRule]`."
    );
}

#[test]
fn tables_of_both_units_are_seen_once_under_the_rule() {
    let bench = guide();
    let ruled = ["ds_2.t", "shadowDataSource.t_prod", "shadowDataSource.t_test", "shadowDataSource.t_user"];
    assert_eq!(bench.singles(), ruled);
    let bench = bench.restart();
    block(bench.admin.refresh_all());
    assert_eq!(bench.singles(), ruled);
    assert_eq!(bench.rows("SHOW SHADOW RULES").len(), 2);
    bench.ok("DROP SHADOW RULE shadowDataSource");
    assert_eq!(bench.singles(), ["ds_0.t_prod", "ds_0.t_user", "ds_1.t_test", "ds_2.t"]);
    assert_eq!(bench.rows("SHOW SHADOW ALGORITHMS").len(), 1);
}

#[test]
fn what_is_only_on_a_shared_shadow_hides_no_production_table() {
    let bench = Bench::guide(&[(13306, &["a"]), (13307, &["a", "b", "c"]), (13308, &["b"])]);
    bench.ok("CREATE SHADOW RULE r_0 (SOURCE=ds_0, SHADOW=ds_1, a(TYPE(NAME=SQL_HINT))), \
         r_1 (SOURCE=ds_2, SHADOW=ds_1, b(TYPE(NAME=SQL_HINT)))");
    assert_eq!(bench.singles(), ["r_0.a", "r_0.c", "r_1.b"]);
}

#[test]
fn takes_the_spelling_of_older_releases() {
    let bench = Bench::guide(&[]);
    bench.ok(
        "CREATE SHADOW RULE r (SOURCE=ds_0, SHADOW=ds_1, \
         t((my_hint, TYPE(NAME=\"SIMPLE_HINT\", PROPERTIES(\"shadow\"=\"true\"))), \
         (TYPE(NAME=\"REGEX_MATCH\", PROPERTIES(\"operation\"=\"select\",\"column\"=\"name\",\"regex\"=\"test.*\")))))",
    );
    assert_eq!(
        bench.rows("SHOW SHADOW TABLE RULES"),
        ["shadow_table|shadow_algorithm_name", "t|my_hint,r_t_regex_match_1"]
    );
    bench.ok("CREATE DEFAULT SHADOW ALGORITHM NAME=my_hint");
    assert_eq!(
        bench.rows("SHOW DEFAULT SHADOW ALGORITHM"),
        ["shadow_algorithm_name|type|props", "my_hint|SIMPLE_HINT|shadow=true"]
    );
    assert_eq!(bench.rows("SHOW SHADOW ALGORITHMS")[1], "my_hint|SIMPLE_HINT|shadow=true|true");
}

#[test]
fn changes_the_default_algorithm() {
    let bench = guide();
    assert_eq!(bench.rows("SHOW DEFAULT SHADOW ALGORITHM"), ["shadow_algorithm_name|type|props"]);
    bench.ok("CREATE DEFAULT SHADOW ALGORITHM TYPE(NAME=\"SIMPLE_HINT\", PROPERTIES(\"shadow\"=true))");
    bench.ok("CREATE DEFAULT SHADOW ALGORITHM IF NOT EXISTS TYPE(NAME=\"SQL_HINT\")");
    assert_eq!(
        bench.rows("SHOW DEFAULT SHADOW ALGORITHM")[1],
        "default_shadow_algorithm|SIMPLE_HINT|shadow=true"
    );
    bench.ok("ALTER DEFAULT SHADOW ALGORITHM TYPE(NAME=\"SQL_HINT\")");
    assert_eq!(bench.rows("SHOW DEFAULT SHADOW ALGORITHM")[1], "default_shadow_algorithm|SQL_HINT|");
    bench.ok("DROP DEFAULT SHADOW ALGORITHM");
    bench.ok("DROP DEFAULT SHADOW ALGORITHM IF EXISTS");
    assert_eq!(bench.rows("SHOW SHADOW ALGORITHMS").len(), 3);
}

#[test]
fn refuses_with_the_numbers_of_the_specification() {
    let bench = guide();
    for (text, refusal) in [
        (GUIDE, "19105 (44000): Duplicate shadow rule names `[shadowDataSource]` in database `db`."),
        (
            "ALTER SHADOW RULE r (SOURCE=ds_0, SHADOW=ds_1, t(TYPE(NAME=SQL_HINT)))",
            "19101 (44000): shadow rules `[r]` do not exist in database `db`.",
        ),
        (
            "CREATE SHADOW RULE r (SOURCE=x, SHADOW=ds_1, t(TYPE(NAME=SQL_HINT)))",
            "19001 (44000): Storage units `[x]` do not exist in database `db`.",
        ),
        (
            "CREATE SHADOW RULE r (SOURCE=ds_2, SHADOW=ds_1, t(TYPE(NAME=VALUE)))",
            "19150 (44000): Invalid shadow algorithms `[VALUE]`.",
        ),
        (
            "CREATE SHADOW RULE r (SOURCE=ds_2, SHADOW=ds_1, t(TYPE(NAME=VALUE_MATCH)))",
            "19150 (44000): Invalid shadow algorithm.",
        ),
        (
            "CREATE SHADOW RULE r (SOURCE=ds_2, SHADOW=ds_1, t(TYPE(NAME=VALUE_MATCH, PROPERTIES(\"column\"=\"c\"))))",
            "20880 (HY000): Shadow algorithm `VALUE_MATCH` initialization failed, reason is: Column shadow algorithm \
             operation cannot be null.",
        ),
        (
            "CREATE SHADOW RULE ds_3 (SOURCE=ds_2, SHADOW=ds_1, t(TYPE(NAME=SQL_HINT)))",
            "19100 (44000): Invalid shadow rule `ds_3`, error message is: [ds_3] already exists in storage unit",
        ),
        (
            "CREATE DEFAULT SHADOW ALGORITHM TYPE(NAME=VALUE_MATCH, PROPERTIES(\"operation\"=\"insert\",\"column\"=\"c\",\
             \"value\"=1))",
            "20881 (44000): Default shadow algorithm class should be implement HintShadowAlgorithm.",
        ),
        ("DROP SHADOW RULE r", "19101 (44000): shadow rules `[r]` do not exist in database `db`."),
        (
            "DROP SHADOW ALGORITHM shadowdatasource_t_user_simple_hint_1",
            "19152 (44000): Shadow algorithms `[shadowdatasource_t_user_simple_hint_1]` in database `db` are still in \
             used.",
        ),
        ("DROP SHADOW ALGORITHM x", "19151 (44000): shadow algorithms `[x]` do not exist in database `db`."),
    ] {
        assert_eq!(bench.refusal(text), refusal, "{text}");
    }
    bench.ok("DROP SHADOW RULE IF EXISTS r");
    bench.ok("DROP SHADOW ALGORITHM IF EXISTS x");
    bench.ok(&GUIDE.replace("SHADOW RULE", "SHADOW RULE IF NOT EXISTS"));
}
