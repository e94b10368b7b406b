use super::*;
use crate::change::DatabaseSpec;
use crate::rule::AlgorithmSpec;
use crate::snapshot::Snapshot;
use crate::{Otherwise, UnitSpec};

fn algorithm(kind: &str, properties: &[(&str, &str)]) -> AlgorithmSpec {
    AlgorithmSpec {
        kind: kind.to_owned(),
        properties: properties.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect(),
    }
}

fn spec(units: &[&str], properties: &[(&str, &str)]) -> ShardingTableSpec {
    let units = units.iter().map(|unit| (*unit).to_owned()).collect();
    ShardingTableSpec::auto("t_user".into(), units, "id".into(), algorithm("MOD", properties))
}

/// The rule of a database with units `a`, `b`, `ds_0` and `ds_1`.
fn rule(tables: Vec<ShardingTableSpec>, bindings: Vec<BindingSpec>) -> Result<ShardingRule, Error> {
    with_defaults(tables, bindings, DefaultStrategies::default())
}

fn with_defaults(
    sharding: Vec<ShardingTableSpec>,
    bindings: Vec<BindingSpec>,
    strategies: DefaultStrategies,
) -> Result<ShardingRule, Error> {
    let unit = UnitSpec {
        host: "h".into(),
        port: 1,
        database: "d".into(),
        user: "u".into(),
        password: String::new(),
        tls: Default::default(),
        pool: Default::default(),
        other: Default::default(),
    };
    let units = ["a", "b", "ds_0", "ds_1"].iter().map(|name| ((*name).to_owned(), unit.clone())).collect();
    let spec =
        DatabaseSpec { name: "db".into(), units, sharding, bindings, strategies, ..DatabaseSpec::default() };
    Ok(Snapshot::load(vec![spec])?.database("db").unwrap().sharding.clone())
}

fn strategy(kind: StrategyKind, columns: &[&str], algorithm: AlgorithmSpec) -> StrategySpec {
    let columns = columns.iter().map(|column| (*column).to_owned()).collect();
    StrategySpec { kind, columns, algorithm: Some(algorithm) }
}

fn inline(kind: StrategyKind, columns: &[&str], expression: &str) -> StrategySpec {
    let name = match kind {
        StrategyKind::Complex => "COMPLEX_INLINE",
        StrategyKind::Hint => "HINT_INLINE",
        _ => "INLINE",
    };
    strategy(kind, columns, algorithm(name, &[("algorithm-expression", expression)]))
}

fn on_nodes(
    name: &str,
    nodes: &[&str],
    database: Option<StrategySpec>,
    table: Option<StrategySpec>,
) -> ShardingTableSpec {
    let nodes = nodes.iter().map(|node| (*node).to_owned()).collect();
    let layout = LayoutSpec::Nodes { nodes, database, table };
    ShardingTableSpec { name: name.into(), layout, key: None, audit: None }
}

/// Four nodes: by `user_id` on a source, by `order_id` in a table.
fn four(name: &str) -> ShardingTableSpec {
    let standard = StrategyKind::Standard;
    on_nodes(
        name,
        &[&format!("ds_${{0..1}}.{name}_${{0..1}}")],
        Some(inline(standard, &["user_id"], "ds_${user_id % 2}")),
        Some(inline(standard, &["order_id"], &format!("{name}_${{order_id % 2}}"))),
    )
}

fn targets(strategy: &Strategy) -> &NamedTargets {
    match &strategy.targets {
        Targets::Named(targets) => targets,
        Targets::Nodes => panic!("it has no named targets"),
    }
}

fn layout(units: &[&str], properties: &[(&str, &str)]) -> Vec<String> {
    let table = ShardedTable::build(spec(units, properties), &DefaultStrategies::default()).unwrap();
    table.nodes.iter().map(|node| format!("{}.{}", node.unit, node.table)).collect()
}

#[test]
fn deals_shards_round_robin_over_the_units_as_the_guide_shows() {
    let expected = "ds_0.t_user_0 ds_1.t_user_1 ds_2.t_user_2 ds_3.t_user_3 ds_0.t_user_4 ds_1.t_user_5 \
                    ds_2.t_user_6 ds_3.t_user_7 ds_0.t_user_8 ds_1.t_user_9";
    for units in [&["ds_0", "ds_1", "ds_2", "ds_3"][..], &["ds_${0..3}"]] {
        assert_eq!(layout(units, &[("sharding-count", "10")]).join(" "), expected);
    }
}

#[test]
fn keeps_the_position_of_repeated_units() {
    let nodes = layout(&["a", "b", "a"], &[("sharding-count", "4")]);
    assert_eq!(nodes, ["a.t_user_0", "b.t_user_1", "a.t_user_2", "a.t_user_3"]);
}

#[test]
fn pads_names_of_shards_when_told_to() {
    let nodes = layout(&["a"], &[("sharding-count", "11"), ("zero-padding", "true")]);
    assert_eq!((nodes[0].as_str(), nodes[10].as_str()), ("a.t_user_00", "a.t_user_10"));
}

#[test]
fn covers_shards_and_the_logical_name_but_no_neighbour() {
    let rule = rule(vec![spec(&["a"], &[("sharding-count", "2")])], vec![]).unwrap();
    for (name, covered) in
        [("t_user", true), ("T_USER_1", true), ("t_user_2", false), ("t_users", false), ("t", false)]
    {
        assert_eq!(rule.covers(name), covered, "{name}");
    }
}

#[test]
fn refuses_a_table_without_units_or_column() {
    let build = |spec| ShardedTable::build(spec, &DefaultStrategies::default());
    let error = build(spec(&[], &[("sharding-count", "2")])).unwrap_err();
    assert_eq!(
        error.to_string(),
        "Invalid sharding rule `t_user`, error message is: no storage unit is given"
    );
    let empty = ShardingTableSpec::auto(
        "t_user".into(),
        vec!["a".into()],
        String::new(),
        algorithm("MOD", &[("sharding-count", "2")]),
    );
    let error = build(empty).unwrap_err();
    assert_eq!(
        error.to_string(),
        "Invalid sharding rule `t_user`, error message is: the sharding column is empty"
    );
}

#[test]
fn a_strategy_decides_among_sources_or_tables_by_name() {
    let rule = rule(vec![four("t_order")], vec![]).unwrap();
    let table = rule.table("T_ORDER").unwrap();
    let nodes: Vec<_> = table.nodes.iter().map(|node| format!("{}.{}", node.unit, node.table)).collect();
    assert_eq!(nodes, ["ds_0.t_order_0", "ds_0.t_order_1", "ds_1.t_order_0", "ds_1.t_order_1"]);
    let [database, inner] = table.strategies.as_slice() else { panic!("{:?}", table.strategies) };
    assert_eq!((database.level, inner.level), (Level::Database, Level::Table));
    assert_eq!(targets(database).nodes, [vec![0, 1], vec![2, 3]]);
    assert_eq!(targets(inner).nodes, [vec![0, 2], vec![1, 3]]);
    assert_eq!(targets(inner).find("T_Order_1"), Some(1));
    assert_eq!(targets(inner).find("t_order_2"), None);
    assert_eq!(table.columns().collect::<Vec<_>>(), ["user_id", "order_id"]);
    assert_eq!(table.units(), ["ds_0", "ds_1"]);
}

#[test]
fn numbered_shards_are_targets_with_that_suffix_padded_as_their_names_are() {
    let by = |nodes: &[&str], count: &str| {
        let table = strategy(StrategyKind::Standard, &["id"], algorithm("MOD", &[("sharding-count", count)]));
        let spec = on_nodes("t_order", nodes, None, Some(table));
        let built = ShardedTable::build(spec, &DefaultStrategies::default()).unwrap();
        targets(&built.strategies[0]).numbered.clone()
    };
    assert_eq!(by(&["ds_0.t_order_${0..1}"], "3"), [Some(0), Some(1), None]);
    assert_eq!(by(&["ds_0.t_order_0${0..3}"], "4"), [Some(0), Some(1), Some(2), Some(3)]);
    assert_eq!(by(&["ds_0.t_order_${['b', 'a']}"], "2"), [None, None]);
    assert_eq!(by(&["ds_0.t_order_1, ds_0.t_order_0"], "2"), [Some(1), Some(0)]);
}

#[test]
fn default_strategies_are_those_of_tables_that_name_none() {
    let defaults = DefaultStrategies {
        database: Some(inline(StrategyKind::Standard, &["user_id"], "ds_${user_id % 2}")),
        table: None,
    };
    let none = Some(StrategySpec::default());
    let tables = vec![
        on_nodes("t", &["ds_${0..1}.t"], None, None),
        on_nodes("u", &["ds_${0..1}.u"], none, None),
        spec(&["a"], &[("sharding-count", "2")]),
    ];
    let rule = with_defaults(tables, vec![], defaults).unwrap();
    let count = |name: &str| rule.table(name).unwrap().strategies.len();
    assert_eq!((count("t"), count("u"), count("t_user")), (1, 0, 1));
}

#[test]
fn refuses_strategies_that_do_not_fit() {
    let table = |strategy| on_nodes("t", &["ds_0.t_${0..1}"], None, Some(strategy));
    let modulo = || algorithm("MOD", &[("sharding-count", "2")]);
    let (standard, complex, hint) = (StrategyKind::Standard, StrategyKind::Complex, StrategyKind::Hint);
    let rule_text = "Invalid sharding rule `t`, error message is: ";
    for (spec, text) in [
        (
            table(strategy(standard, &[], modulo())),
            format!("{rule_text}a standard strategy has one sharding column"),
        ),
        (
            table(strategy(standard, &["a", "b"], modulo())),
            format!("{rule_text}a standard strategy has one sharding column"),
        ),
        (
            table(inline(complex, &["a"], "t_${a}")),
            format!("{rule_text}a complex strategy has two sharding columns or more"),
        ),
        (
            table(StrategySpec { kind: standard, columns: vec!["a".into()], algorithm: None }),
            format!("{rule_text}a strategy has a sharding algorithm"),
        ),
        (table(strategy(hint, &[], modulo())), "Invalid sharding algorithms `[MOD]`.".to_owned()),
        (table(strategy(complex, &["a", "b"], modulo())), "Invalid sharding algorithms `[MOD]`.".to_owned()),
        (
            table(inline(standard, &["id"], "t_${user_id % 2}")),
            "Inline sharding algorithms expression `t_${user_id % 2}` and sharding column `id` do not match."
                .to_owned(),
        ),
        (
            table(strategy(
                complex,
                &["a", "b"],
                algorithm(
                    "COMPLEX_INLINE",
                    &[("sharding-columns", "a,c"), ("algorithm-expression", "t_${a}")],
                ),
            )),
            "Complex inline need `[a, c]` sharing columns, but only found `[a, b]`.".to_owned(),
        ),
        (
            on_nodes("t", &["ds_0.x.t"], None, None),
            "Invalid format for actual data node `ds_0.x.t`.".to_owned(),
        ),
        (on_nodes("t", &["t_0"], None, None), "Invalid format for actual data node `t_0`.".to_owned()),
        (
            on_nodes("t", &["ds_0.t, ds_0.T"], None, None),
            format!("{rule_text}data node ds_0.T is named twice"),
        ),
        (
            on_nodes("t", &["ds_7.t"], None, None),
            "Storage units `[ds_7]` do not exist in database `db`.".to_owned(),
        ),
    ] {
        assert_eq!(rule(vec![spec], vec![]).unwrap_err().to_string(), text);
    }
}

#[test]
fn binds_tables_that_are_laid_out_alike() {
    let bound = |tables: &[&str]| BindingSpec {
        name: "ref".into(),
        tables: tables.iter().map(|table| (*table).to_owned()).collect(),
    };
    let both = || vec![four("t_order"), four("t_order_item")];
    let rule = |tables, bindings| rule(tables, bindings).map_err(|error| error.to_string());
    let good = rule(both(), vec![bound(&["t_order", "T_ORDER_ITEM"])]).unwrap();
    assert_eq!(good.table("t_order_item").unwrap().binding, Some(0));
    let start = "Invalid sharding rule `ref`, error message is: invalid binding table configuration: ";
    let mut other = both();
    other.push(on_nodes(
        "t_x",
        &["ds_${0..1}.t_x_${0..1}"],
        Some(inline(StrategyKind::Standard, &["user_id"], "ds_${user_id % 2}")),
        Some(inline(StrategyKind::Standard, &["order_id"], "t_x_${(order_id + 1) % 2}")),
    ));
    for (bindings, reason) in [
        (vec![bound(&["t_order", "t_none"])], "t_none has no sharding rule."),
        (vec![bound(&["t_order"])], "a group has two tables or more."),
        (vec![bound(&["t_order", "t_x"])], "t_order and t_x are not laid out alike."),
        (
            vec![bound(&["t_order", "t_order_item"]), bound(&["t_order", "t_order_item"])],
            "t_order is bound twice.",
        ),
    ] {
        assert_eq!(rule(other.clone(), bindings).unwrap_err(), format!("{start}{reason}"));
    }
}

#[test]
fn a_rule_comes_back_from_its_stored_form() {
    let mut table = four("t_order");
    table.key = Some(KeyGenerateSpec { column: "order_id".into(), algorithm: algorithm("SNOWFLAKE", &[]) });
    let auditors = [("check".to_owned(), algorithm("DML_SHARDING_CONDITIONS", &[]))].into_iter().collect();
    table.audit = Some(AuditSpec { auditors, allow_hint_disable: true });
    for table in [table, spec(&["a", "b"], &[("sharding-count", "2")])] {
        let text = serde_json::to_string(&table).unwrap();
        assert_eq!(serde_json::from_str::<ShardingTableSpec>(&text).unwrap(), table, "{text}");
    }
}

#[test]
fn broadcast_tables_are_no_sharding_tables() {
    let spec =
        DatabaseSpec { name: "db".into(), broadcast: vec!["t_config".into()], ..DatabaseSpec::default() };
    let snapshot = Snapshot::load(vec![spec.clone()]).unwrap();
    assert!(snapshot.database("db").unwrap().broadcast.covers("T_CONFIG"));
    let twice = DatabaseSpec { broadcast: vec!["a".into(), "A".into()], ..spec };
    assert_eq!(
        Snapshot::load(vec![twice]).unwrap_err().to_string(),
        "Invalid broadcast rule `A`, error message is: it is named twice"
    );
    let one = Snapshot::default().create_database("db", Otherwise::Fail).unwrap();
    assert!(!one.database("db").unwrap().broadcast.covers("t_config"));
}
