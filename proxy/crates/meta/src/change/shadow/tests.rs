use super::*;
use crate::rule::SingleSpec;
use crate::snapshot::{DataNode, Table};
use crate::unit::UnitSpec;

fn units() -> Snapshot {
    let snapshot = Snapshot::default().create_database("db", Otherwise::Fail).unwrap();
    let unit = |name: &str| (name.to_owned(), UnitSpec::at("127.0.0.1", 3306, name).unwrap());
    let units = ["ds", "ds_shadow", "ds_1"].map(unit).to_vec();
    snapshot.register_units("db", units, Otherwise::Fail).unwrap()
}

fn algorithm(kind: &str, properties: &[(&str, &str)]) -> AlgorithmSpec {
    AlgorithmSpec {
        kind: kind.to_owned(),
        properties: properties.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect(),
    }
}

fn value(value: &str) -> AlgorithmSpec {
    algorithm("VALUE_MATCH", &[("operation", "insert"), ("column", "status"), ("value", value)])
}

fn hint() -> AlgorithmSpec {
    algorithm("SIMPLE_HINT", &[("shadow", "true")])
}

fn rule(name: &str, source: &str, tables: &[(&str, &[AlgorithmSpec])]) -> ShadowDraft {
    let tables = tables.iter().map(|(table, algorithms)| {
        ((*table).to_owned(), algorithms.iter().map(|algorithm| (None, algorithm.clone())).collect())
    });
    ShadowDraft {
        pair: ShadowPair { name: name.to_owned(), source: source.to_owned(), shadow: "ds_shadow".to_owned() },
        tables: tables.collect(),
    }
}

fn guide() -> Snapshot {
    let rules = vec![rule("shadowDataSource", "ds", &[("t_user", &[value("1"), hint()])])];
    units().create_shadow("db", rules, Otherwise::Fail).unwrap()
}

fn spec(snapshot: &Snapshot) -> &ShadowSpec {
    &snapshot.database("db").unwrap().shadow.spec
}

fn names(snapshot: &Snapshot) -> Vec<&str> {
    spec(snapshot).algorithms.keys().map(String::as_str).collect()
}

fn refusal(result: Result<Snapshot, Error>) -> String {
    result.unwrap_err().to_string()
}

#[test]
fn names_algorithms_by_rule_table_type_and_place() {
    let snapshot = guide();
    assert_eq!(
        names(&snapshot),
        ["shadowdatasource_t_user_value_match_0", "shadowdatasource_t_user_simple_hint_1"]
    );
    let database = snapshot.database("db").unwrap();
    let table = database.shadow.table("T_USER").unwrap();
    assert_eq!(table.algorithms.len(), 2);
    assert_eq!(database.shadow.hints().len(), 1);
    assert!(database.shadow.default_hint().is_none());
}

#[test]
fn refuses_names_that_are_there_or_come_twice() {
    let one = || rule("shadowDataSource", "ds", &[("t", &[hint()])]);
    assert_eq!(
        refusal(guide().create_shadow("db", vec![one()], Otherwise::Fail)),
        "Duplicate shadow rule names `[shadowDataSource]` in database `db`."
    );
    assert_eq!(
        refusal(units().create_shadow("db", vec![one(), one()], Otherwise::Skip)),
        "Duplicate shadow rule names `[shadowDataSource]` in database `db`."
    );
    let guide = guide();
    let skipped = guide.create_shadow("db", vec![one()], Otherwise::Skip).unwrap();
    assert_eq!(skipped.epoch, guide.epoch);
    let named = |name: &str| (Some(name.to_owned()), hint());
    let mut twice = one();
    twice.tables = vec![("a".to_owned(), vec![named("x")]), ("b".to_owned(), vec![named("x")])];
    assert_eq!(
        refusal(units().create_shadow("db", vec![twice], Otherwise::Fail)),
        "Duplicate shadow algorithms `[x]` in database `db`."
    );
    let twice = rule("r", "ds", &[("t", &[hint()]), ("T", &[hint()])]);
    assert_eq!(
        refusal(units().create_shadow("db", vec![twice], Otherwise::Fail)),
        "Invalid shadow rule `r`, error message is: table [T] is listed twice"
    );
}

#[test]
fn refuses_sources_that_are_missing_or_seen_already() {
    let create = |snapshot: Snapshot, rules| refusal(snapshot.create_shadow("db", rules, Otherwise::Fail));
    assert_eq!(
        create(units(), vec![rule("r", "x", &[("t", &[hint()])])]),
        "Storage units `[x]` do not exist in database `db`."
    );
    assert_eq!(
        create(units(), vec![rule("ds_1", "ds", &[])]),
        "Invalid shadow rule `ds_1`, error message is: [ds_1] already exists in storage unit"
    );
    assert_eq!(
        create(units(), vec![rule("r", "ds_shadow", &[])]),
        "Invalid shadow rule `r`, error message is: [ds_shadow] is both source and shadow"
    );
    assert_eq!(
        create(guide(), vec![rule("r", "ds", &[])]),
        "Invalid shadow rule `shadowDataSource`, error message is: [ds] is already used by shadow rule `r`"
    );
    let mut across = rule("r", "ds_shadow", &[]);
    across.pair.shadow = "ds_1".to_owned();
    assert_eq!(
        create(guide(), vec![across]),
        "Invalid shadow rule `shadowDataSource`, error message is: [ds_shadow] is already used by shadow rule `r`"
    );
    let shared = guide().create_shadow("db", vec![rule("r", "ds_1", &[])], Otherwise::Fail).unwrap();
    assert_eq!(spec(&shared).pairs.len(), 2);
}

#[test]
fn refuses_algorithms_in_the_order_of_the_checks() {
    let create = |algorithms: &[AlgorithmSpec]| {
        refusal(units().create_shadow("db", vec![rule("r", "ds", &[("t", algorithms)])], Otherwise::Fail))
    };
    let unknown = algorithm("MATCH", &[("a", "b")]);
    assert_eq!(create(&[unknown.clone(), algorithm("VALUE_MATCH", &[])]), "Invalid shadow algorithm.");
    assert_eq!(create(&[unknown, hint()]), "Invalid shadow algorithms `[MATCH]`.");
    assert_eq!(
        create(&[algorithm("VALUE_MATCH", &[("column", "c")])]),
        "Shadow algorithm `VALUE_MATCH` initialization failed, reason is: Column shadow algorithm operation cannot \
         be null."
    );
}

#[test]
fn altering_forgets_what_was_said_before() {
    let altered = guide()
        .alter_shadow("db", vec![rule("shadowDataSource", "ds_1", &[("t_order", &[value("2")])])])
        .unwrap();
    assert_eq!(names(&altered), ["shadowdatasource_t_order_value_match_0"]);
    assert_eq!(spec(&altered).pairs[0].source, "ds_1");
    assert!(altered.database("db").unwrap().shadow.table("t_user").is_none());
    assert_eq!(
        refusal(guide().alter_shadow("db", vec![rule("r", "ds", &[])])),
        "shadow rules `[r]` do not exist in database `db`."
    );
    let same = guide();
    let again =
        same.alter_shadow("db", vec![rule("shadowDataSource", "ds", &[("t_user", &[value("1"), hint()])])]);
    assert_eq!(again.unwrap().epoch, same.epoch);
}

#[test]
fn dropping_takes_tables_and_algorithms_that_nothing_needs() {
    let second = vec![rule("r", "ds_1", &[("T_user", &[value("2")]), ("t_order", &[hint()])])];
    let both = guide().create_shadow("db", second, Otherwise::Fail).unwrap();
    let table = both.database("db").unwrap().shadow.table("t_user").unwrap();
    assert_eq!(table.algorithms.len(), 3);
    let one = both.drop_shadow("db", &["r".to_owned()], Otherwise::Fail).unwrap();
    assert_eq!(names(&one), names(&guide()));
    assert_eq!(spec(&one), spec(&guide()));
    let other = both.drop_shadow("db", &["shadowDataSource".to_owned()], Otherwise::Fail).unwrap();
    assert_eq!(names(&other), ["r_t_user_value_match_0", "r_t_order_simple_hint_0"]);
    let none = one.drop_shadow("db", &["shadowDataSource".to_owned()], Otherwise::Fail).unwrap();
    assert!(spec(&none).is_empty());
    assert_eq!(
        refusal(none.drop_shadow("db", &["r".to_owned()], Otherwise::Fail)),
        "shadow rules `[r]` do not exist in database `db`."
    );
    assert_eq!(none.drop_shadow("db", &["r".to_owned()], Otherwise::Skip).unwrap().epoch, none.epoch);
}

#[test]
fn keeps_a_rule_that_another_one_stands_on() {
    let mut outer = rule("outer", "shadowDataSource", &[]);
    outer.pair.shadow = "ds_1".to_owned();
    let nested = guide().create_shadow("db", vec![outer], Otherwise::Fail).unwrap();
    assert_eq!(
        refusal(nested.drop_shadow("db", &["shadowDataSource".to_owned()], Otherwise::Fail)),
        "Shadow rules `[shadowDataSource]` in database `db` are still in used."
    );
}

#[test]
fn a_default_algorithm_must_ask_for_a_comment() {
    let create =
        |snapshot: &Snapshot, default| snapshot.create_default_shadow("db", default, Otherwise::Fail);
    assert_eq!(
        refusal(create(&guide(), ShadowDefault::Type(value("1")))),
        "Default shadow algorithm class should be implement HintShadowAlgorithm."
    );
    assert_eq!(
        refusal(create(&guide(), ShadowDefault::Name("shadowdatasource_t_user_value_match_0".to_owned()))),
        "Default shadow algorithm class should be implement HintShadowAlgorithm."
    );
    assert_eq!(
        refusal(create(&guide(), ShadowDefault::Name("x".to_owned()))),
        "shadow algorithms `[x]` do not exist in database `db`."
    );
    let created = create(&guide(), ShadowDefault::Type(hint())).unwrap();
    assert_eq!(names(&created).last(), Some(&"default_shadow_algorithm"));
    assert!(created.database("db").unwrap().shadow.default_hint().is_some());
    assert_eq!(
        refusal(create(&created, ShadowDefault::Type(hint()))),
        "Duplicate shadow algorithms `[default_shadow_algorithm]` in database `db`."
    );
}

#[test]
fn a_default_algorithm_is_altered_and_dropped_whole() {
    let drop = |snapshot: &Snapshot, otherwise| snapshot.drop_default_shadow("db", otherwise);
    let missing = "shadow algorithms `[default_shadow_algorithm]` do not exist in database `db`.";
    assert_eq!(refusal(drop(&guide(), Otherwise::Fail)), missing);
    assert_eq!(refusal(guide().alter_default_shadow("db", ShadowDefault::Type(hint()))), missing);
    assert!(drop(&guide(), Otherwise::Skip).is_ok());
    let created = guide().create_default_shadow("db", ShadowDefault::Type(hint()), Otherwise::Fail).unwrap();
    let name = "shadowdatasource_t_user_simple_hint_1";
    let altered = created.alter_default_shadow("db", ShadowDefault::Name(name.to_owned())).unwrap();
    assert_eq!(spec(&altered).default.as_deref(), Some(name));
    assert_eq!(names(&altered), names(&guide()));
    assert_eq!(spec(&drop(&altered, Otherwise::Fail).unwrap()), spec(&guide()));
    assert_eq!(spec(&drop(&created, Otherwise::Fail).unwrap()), spec(&guide()));
}

#[test]
fn algorithms_in_use_are_not_dropped() {
    let drop = |names: &[&str], otherwise| {
        let names: Vec<_> = names.iter().map(|name| (*name).to_owned()).collect();
        guide().drop_shadow_algorithms("db", &names, otherwise)
    };
    assert_eq!(
        refusal(drop(&["shadowdatasource_t_user_simple_hint_1"], Otherwise::Fail)),
        "Shadow algorithms `[shadowdatasource_t_user_simple_hint_1]` in database `db` are still in used."
    );
    assert_eq!(
        refusal(drop(&["x", "y", "x"], Otherwise::Fail)),
        "shadow algorithms `[x, y]` do not exist in database `db`."
    );
    assert!(drop(&["x"], Otherwise::Skip).is_ok());
}

#[test]
fn tables_and_the_default_of_a_source_follow_it_behind_a_rule_and_back() {
    let table = |name: &str, source: &str| Table {
        name: name.to_owned(),
        source: Some(source.to_owned()),
        ..Table::default()
    };
    let tables = vec![table("t_user", "ds"), table("t_test", "ds_shadow"), table("t_else", "ds_1")];
    let node = DataNode { unit: "ds".to_owned(), table: "t_gone".to_owned() };
    let snapshot = units().learn_tables("db", tables).unwrap();
    let snapshot = snapshot.set_single_default("db", Some("ds".to_owned())).unwrap();
    let snapshot = snapshot.unload_singles("db", std::slice::from_ref(&node)).unwrap();
    let seen = |snapshot: &Snapshot| -> Vec<String> {
        let database = snapshot.database("db").unwrap();
        database.tables.values().filter_map(|table| table.source.clone()).collect()
    };
    let ruled = snapshot.create_shadow("db", vec![rule("r", "ds", &[])], Otherwise::Fail).unwrap();
    assert_eq!(seen(&ruled), ["r", "r", "ds_1"]);
    let now = DataNode { unit: "r".to_owned(), ..node.clone() };
    let single = |snapshot: &Snapshot| snapshot.database("db").unwrap().single.clone();
    assert_eq!(single(&ruled), SingleSpec { default: Some("r".to_owned()), unloaded: vec![now] });
    let back = ruled.drop_shadow("db", &["r".to_owned()], Otherwise::Fail).unwrap();
    assert_eq!(seen(&back), ["ds", "ds", "ds_1"]);
    assert_eq!(single(&back), SingleSpec { default: Some("ds".to_owned()), unloaded: vec![node] });
}
