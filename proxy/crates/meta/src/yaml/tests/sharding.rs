//! `!SHARDING`, `!BROADCAST`, `!SINGLE`.

use super::*;
use crate::rule;

const SHARDING: &str = "- !SHARDING
  tables:
    t_order:
      actualDataNodes: ds_${0..1}.t_order_${0..1}
      databaseStrategy:
        standard:
          shardingColumn: user_id
          shardingAlgorithmName: database_inline
      tableStrategy:
        standard:
          shardingColumn: order_id
          shardingAlgorithmName: t_order_inline
      keyGenerateStrategy:
        column: order_id
        keyGeneratorName: snowflake
      auditStrategy:
        auditorNames:
          - required
        allowHintDisable: true
    t_item:
      actualDataNodes: ds_0.t_item_0, ds_1.t_item_1
      databaseStrategy:
        none:
      tableStrategy:
        complex:
          shardingColumns: a, b
          shardingAlgorithmName: complex
    t_hint:
      actualDataNodes: ds_0.t_hint_${0..1}
      tableStrategy:
        hint:
          shardingAlgorithmName: hint
  autoTables:
    t_user:
      actualDataSources: ds_${0..1},ds_2
      shardingStrategy:
        standard:
          shardingColumn: id
          shardingAlgorithmName: mod_4
  defaultDatabaseStrategy:
    standard:
      shardingColumn: user_id
      shardingAlgorithmName: database_inline
  defaultTableStrategy:
    none:
  shardingAlgorithms:
    database_inline:
      type: INLINE
      props:
        algorithm-expression: ds_${user_id % 2}
    t_order_inline:
      type: INLINE
      props:
        algorithm-expression: t_order_${order_id % 2}
        allow-range-query-with-inline-sharding: true
    complex:
      type: COMPLEX_INLINE
      props:
        algorithm-expression: t_item_${(a + b) % 2}
    hint:
      type: HINT_INLINE
      props:
        algorithm-expression: t_hint_${value % 2}
    mod_4:
      type: MOD
      props:
        sharding-count: 4
    idle:
      type: HASH_MOD
      props:
        sharding-count: 4
  keyGenerators:
    snowflake:
      type: SNOWFLAKE
  auditors:
    required:
      type: DML_SHARDING_CONDITIONS
";

#[test]
fn reads_sharding() {
    let spec = read(SHARDING);
    let names: Vec<_> = spec.sharding.iter().map(|table| table.name.as_str()).collect();
    assert_eq!(names, ["t_order", "t_item", "t_hint", "t_user"]);
    let order = &spec.sharding[0];
    let rule::LayoutSpec::Nodes { nodes, database: Some(database), table: Some(table) } = &order.layout
    else {
        panic!("{order:?}")
    };
    assert_eq!(*nodes, ["ds_${0..1}.t_order_${0..1}"]);
    assert_eq!(database.columns, ["user_id"]);
    assert_eq!(
        table.algorithm.as_ref().unwrap().properties["allow-range-query-with-inline-sharding"],
        "true"
    );
    assert_eq!(order.key.as_ref().unwrap().algorithm.kind, "SNOWFLAKE");
    assert_eq!(order.audit.as_ref().unwrap().auditors.keys().collect::<Vec<_>>(), ["required"]);
    let rule::LayoutSpec::Nodes { nodes, table: Some(table), .. } = &spec.sharding[1].layout else {
        panic!("{spec:?}")
    };
    assert_eq!(*nodes, ["ds_0.t_item_0", "ds_1.t_item_1"]);
    assert_eq!(table.columns, ["a", "b"]);
    let rule::LayoutSpec::Auto { units, column, .. } = &spec.sharding[3].layout else { panic!("{spec:?}") };
    assert_eq!((units.as_slice(), column.as_str()), (&["ds_${0..1}".into(), "ds_2".into()][..], "id"));
    assert!(spec.strategies.database.is_some());
    assert_eq!(spec.strategies.table, Some(rule::StrategySpec::default()));
    // Those that DistSQL would have called otherwise, and the one that nothing uses.
    let kept: Vec<_> = spec.algorithms.sharding.keys().collect();
    assert_eq!(kept, ["database_inline", "t_order_inline", "complex", "hint", "mod_4", "idle"]);
    let text = assert_round_trip(&spec);
    assert!(text.contains("shardingAlgorithmName: t_order_inline\n"), "{text}");
}

#[test]
fn names_algorithms_of_sharding_as_distsql_does() {
    let generated = SHARDING.replace("mod_4", "t_user_mod");
    let spec = read(&generated);
    assert!(!spec.algorithms.sharding.contains_key("t_user_mod"));
    assert!(assert_round_trip(&spec).contains("    t_user_mod:\n      type: MOD\n"));
}

#[test]
fn reads_binding_broadcast_and_single_tables() {
    let old = "- !SHARDING
  tables:
    a: &a
      actualDataNodes: ds_${0..1}.a_${0..1}
      tableStrategy: {standard: {shardingColumn: id, shardingAlgorithmName: m}}
      databaseStrategy: {standard: {shardingColumn: id, shardingAlgorithmName: m}}
    b:
      actualDataNodes: ds_${0..1}.b_${0..1}
      tableStrategy: {standard: {shardingColumn: id, shardingAlgorithmName: m}}
      databaseStrategy: {standard: {shardingColumn: id, shardingAlgorithmName: m}}
  bindingTables:
  - a,b
  broadcastTables:
  - t_config
  shardingAlgorithms:
    m: {type: MOD, props: {sharding-count: 2}}
- !SINGLE
  defaultDataSource: ds_1
";
    let spec = read(old);
    assert_eq!((spec.bindings[0].name.as_str(), spec.bindings[0].tables.len()), ("a_b", 2));
    assert_eq!(spec.broadcast, ["t_config"]);
    assert_eq!(spec.single.default.as_deref(), Some("ds_1"));
    let new = old.replace("  - a,b\n", "  - a_b:a,b\n").replace("  broadcastTables:\n  - t_config\n", "")
        + "  tables:\n  - ds_0.t_single\n  - \"*.*\"\n- !BROADCAST\n  tables:\n  - t_config\n";
    assert_eq!(read(&new), spec);
    let text = assert_round_trip(&spec);
    assert!(text.contains("  bindingTables:\n  - a_b:a,b\n"), "{text}");
    assert!(text.contains("- !BROADCAST\n  tables:\n  - t_config\n"), "{text}");
    assert!(text.contains("- !SINGLE\n  tables:\n  - \"*.*\"\n  defaultDataSource: ds_1\n"), "{text}");
}

#[test]
fn gives_every_table_what_all_have_by_default() {
    let spec = read(
        "- !SHARDING
  autoTables:
    a:
      actualDataSources: ds_0
      shardingStrategy: {standard: {shardingAlgorithmName: m}}
    b:
      actualDataSources: ds_0
      shardingStrategy: {standard: {shardingColumn: x, shardingAlgorithmName: m}}
      keyGenerateStrategy: {column: own, keyGeneratorName: u}
  defaultShardingColumn: id
  defaultKeyGenerateStrategy: {column: id, keyGeneratorName: u}
  defaultAuditStrategy: {auditorNames: [r]}
  shardingAlgorithms: {m: {type: MOD, props: {sharding-count: 2}}}
  keyGenerators: {u: {type: UUID}}
  auditors: {r: {type: DML_SHARDING_CONDITIONS}}
",
    );
    let column = |at: usize| match &spec.sharding[at].layout {
        rule::LayoutSpec::Auto { column, .. } => column.as_str(),
        rule::LayoutSpec::Nodes { .. } => panic!("{spec:?}"),
    };
    assert_eq!((column(0), column(1)), ("id", "x"));
    let keys: Vec<_> = spec.sharding.iter().map(|it| it.key.as_ref().unwrap().column.as_str()).collect();
    assert_eq!(keys, ["id", "own"]);
    assert!(spec.sharding.iter().all(|it| it.audit.is_some()));
    assert_round_trip(&spec);
}

#[test]
fn refuses_sharding_that_cannot_be() {
    for (from, to, reason) in [
        ("t_order_inline\n      keyG", "none\n      keyG", "2:3: `none` is not among `shardingAlgorithms`"),
        ("Name: snowflake", "Name: none", "2:3: `none` is not among `keyGenerators`"),
        ("- required", "- none", "2:3: `none` is not among `auditors`"),
        ("      actualDataNodes: ds_0.t_hint_${0..1}\n", "", "2:3: table `t_hint` has no `actualDataNodes`"),
        ("ds_0.t_item_0", "ds_7.t_item_0", "2:3: Storage units `[ds_7]` do not exist in database `db`."),
        ("type: SNOWFLAKE", "type: NANOID", "2:3: Invalid key generator algorithms `[NANOID]`."),
        ("type: HASH_MOD", "type: ROT13", "2:3: Invalid sharding algorithms `[ROT13]`."),
    ] {
        assert_eq!(refusal(&SHARDING.replacen(from, to, 1)), reason);
    }
}

#[test]
fn algorithms_of_sharding_that_would_have_one_name_keep_apart() {
    let mut spec = parse(HEAD).unwrap().unwrap();
    let algorithm = |count: &str| rule::AlgorithmSpec {
        kind: "MOD".into(),
        properties: IndexMap::from([("sharding-count".to_owned(), count.to_owned())]),
    };
    let strategy = rule::StrategySpec {
        kind: rule::StrategyKind::Standard,
        columns: vec!["id".into()],
        algorithm: Some(algorithm("2")),
    };
    let auto =
        rule::ShardingTableSpec::auto("t_table".into(), vec!["ds_0".into()], "id".into(), algorithm("4"));
    let nodes = rule::ShardingTableSpec {
        name: "t".into(),
        layout: rule::LayoutSpec::Nodes {
            nodes: vec!["ds_0.t_${0..1}".into()],
            database: None,
            table: Some(strategy),
        },
        key: None,
        audit: None,
    };
    // Both would be called t_table_mod.
    spec.sharding = vec![auto, nodes];
    let again = parse(&spec.to_yaml()).unwrap().unwrap();
    assert_eq!(again.sharding.iter().find(|it| it.name == "t_table"), Some(&spec.sharding[0]));
    assert_eq!(again.sharding.iter().find(|it| it.name == "t"), Some(&spec.sharding[1]));
}
