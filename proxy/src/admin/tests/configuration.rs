//! Databases as files.

use std::os::unix::fs::PermissionsExt as _;

use super::*;

/// A database with every kind of rule that a file may have, over the units of [`Bench::guide`] and two more.
const FILE: &str = "databaseName: db2

dataSources:
  w:
    url: jdbc:mysql://127.0.0.1:13310/sbtest?useSSL=true&serverTimezone=UTC
    username: test
    password: pass'word
    maxPoolSize: 7
  r:
    url: jdbc:mysql://127.0.0.1:13311/sbtest
    username: test
    password: test
    keepaliveTime: 30000
    maximumActive: 4
    readOnly: true
  s:
    url: jdbc:mysql://127.0.0.1:13312/sbtest
    username: test
    password:

rules:
- !READWRITE_SPLITTING
  dataSourceGroups:
    rw:
      writeDataSourceName: w
      readDataSourceNames: [r]
      transactionalReadQueryStrategy: FIXED
      loadBalancerName: random
  loadBalancers:
    random: {type: RANDOM}
- !SHADOW
  dataSources:
    sh:
      productionDataSourceName: rw
      shadowDataSourceName: s
  tables:
    t_user:
      dataSourceNames: [sh]
      shadowAlgorithmNames: [match, hint]
  shadowAlgorithms:
    match:
      type: VALUE_MATCH
      props: {operation: insert, column: status, value: 1}
    hint:
      type: SQL_HINT
  defaultShadowAlgorithmName: hint
- !ENCRYPT
  tables:
    t_user:
      columns:
        phone:
          cipher: {name: phone_cipher, encryptorName: aes}
          assistedQuery: {name: phone_assisted, encryptorName: md5}
          likeQuery: {name: phone_like, encryptorName: like}
  encryptors:
    aes: {type: AES, props: {aes-key-value: 123456abc}}
    md5: {type: MD5}
    like: {type: CHAR_DIGEST_LIKE}
- !MASK
  tables:
    t_user:
      columns:
        phone: {maskAlgorithm: first}
  maskAlgorithms:
    first: {type: KEEP_FIRST_N_LAST_M, props: {first-n: 3, last-m: 4, replace-char: '*'}}
- !SHARDING
  tables:
    t_order:
      actualDataNodes: sh.t_order_${0..1}
      databaseStrategy: {none: }
      tableStrategy: {standard: {shardingColumn: id, shardingAlgorithmName: order_inline}}
      keyGenerateStrategy: {column: id, keyGeneratorName: ids}
      auditStrategy: {auditorNames: [strict], allowHintDisable: true}
    t_item:
      actualDataNodes: sh.t_item_0,sh.t_item_1
      tableStrategy: {standard: {shardingColumn: id, shardingAlgorithmName: item_inline}}
      databaseStrategy: {none: }
    t_area:
      actualDataNodes: sh.t_area_${0..1}
      tableStrategy: {complex: {shardingColumns: \"x,y\", shardingAlgorithmName: area}}
    t_hint:
      actualDataNodes: sh.t_hint_${0..1}
      tableStrategy: {hint: {shardingAlgorithmName: hint}}
  autoTables:
    T_log:
      actualDataSources: sh
      shardingStrategy: {standard: {shardingColumn: id, shardingAlgorithmName: t_log_mod}}
  bindingTables: [\"pair:t_order,t_item\"]
  defaultTableStrategy: {none: }
  shardingAlgorithms:
    order_inline: {type: INLINE, props: {algorithm-expression: \"t_order_${id % 2}\"}}
    item_inline: {type: INLINE, props: {algorithm-expression: \"t_item_${id % 2}\"}}
    area: {type: COMPLEX_INLINE, props: {algorithm-expression: \"t_area_${(x + y) % 2}\"}}
    hint: {type: HINT_INLINE, props: {algorithm-expression: \"t_hint_${value % 2}\"}}
    t_log_mod: {type: MOD, props: {sharding-count: 3}}
    idle: {type: HASH_MOD, props: {sharding-count: 3}}
  keyGenerators:
    ids: {type: SNOWFLAKE}
  auditors:
    strict: {type: DML_SHARDING_CONDITIONS}
- !BROADCAST
  tables: [t_config]
- !SINGLE
  defaultDataSource: sh
";

impl Bench {
    /// A file in the bench's own folder.
    fn file(&self, name: &str, text: &str) -> String {
        let path = self.folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    }

    fn spec(&self, database: &str) -> Option<meta::DatabaseSpec> {
        self.admin.published.load().database(database).map(|it| it.spec())
    }

    /// The only cell of an answer.
    fn cell(&self, database: &str, text: &str) -> String {
        match self.run(Some(database), text) {
            Ok(Answer::Rows { rows, .. }) => rows[0][0].clone().unwrap(),
            other => panic!("{text}: {other:?}"),
        }
    }
}

#[test]
fn imports_a_database_with_all_its_rules() {
    let bench = Bench::new();
    let file = bench.file("db2.yaml", FILE);
    let tables = [(13310, vec!["orders"]), (13311, vec!["orders"]), (13312, vec!["orders", "left"])];
    *bench.admin.servers.tables.borrow_mut() = BTreeMap::from(tables);
    assert_eq!(bench.run(None, &format!("IMPORT DATABASE CONFIGURATION FROM FILE '{file}'")), Ok(Answer::Ok));
    let bench = bench.restart();
    let database = Arc::clone(bench.admin.published.load().database("db2").unwrap());
    assert_eq!(database.units["w"].spec.pool.max, 7);
    assert_eq!(database.encrypt.tables["t_user"].columns[0].name, "phone");
    assert_eq!(database.shadow.spec.default.as_deref(), Some("hint"));
    block(bench.admin.refresh_all());
    let rows = bench.cell("db2", "SHOW ENCRYPT RULES");
    assert_eq!(rows, "t_user");
}

#[test]
fn what_is_exported_can_be_imported() {
    let bench = Bench::new();
    let file = bench.file("db2.yaml", FILE);
    let import = |file: &str| bench.run(None, &format!("IMPORT DATABASE CONFIGURATION FROM FILE \"{file}\""));
    assert_eq!(import(&file), Ok(Answer::Ok));
    let spec = bench.spec("db2").unwrap();
    let text = bench.cell("db2", "EXPORT DATABASE CONFIGURATION");
    let target = bench.folder.path().join("out.yaml");
    let target = target.to_str().unwrap();
    assert_eq!(
        bench.cell("db", &format!("EXPORT DATABASE CONFIGURATION FROM db2 TO FILE '{target}'")),
        format!("Successfully exported to：'{target}'")
    );
    assert_eq!(std::fs::read_to_string(target).unwrap(), text);
    // Passwords are in it.
    assert_eq!(std::fs::metadata(target).unwrap().permissions().mode() & 0o777, 0o600);
    let again = bench.run(Some("db2"), &format!("EXPORT DATABASE CONFIGURATION TO FILE '{target}'"));
    let refusal = again.unwrap_err();
    assert_eq!((refusal.code, refusal.state), (30000, "HY000"));
    assert!(refusal.message.starts_with("Unknown exception: cannot write "), "{refusal}");
    assert_eq!(std::fs::read_to_string(target).unwrap(), text);
    block(bench.admin.drop_database("db2", Otherwise::Fail)).unwrap();
    assert_eq!(import(target), Ok(Answer::Ok));
    assert_eq!(bench.spec("db2").unwrap(), spec);
}

#[test]
fn converts_a_file_to_statements_that_make_the_same() {
    let bench = Bench::new();
    let file = bench.file("db2.yaml", FILE);
    let text = bench.cell("db", &format!("CONVERT YAML CONFIGURATION FROM FILE '{file}'"));
    assert!(bench.spec("db2").is_none());
    let mut lines = text.lines();
    assert_eq!((lines.next(), lines.next()), (Some("CREATE DATABASE db2;"), Some("USE db2;")));
    block(bench.admin.create_database("db2", Otherwise::Fail)).unwrap();
    for line in lines {
        assert_eq!(bench.run(Some("db2"), line), Ok(Answer::Ok), "{line}");
    }
    let wanted = meta::DatabaseSpec::from_yaml(FILE, Path::new(&file)).unwrap();
    assert_eq!(bench.spec("db2"), wanted);
}

#[test]
fn refuses_to_convert_what_distsql_cannot_write() {
    let bench = Bench::new();
    let file = bench.file("a.yaml", &FILE.replace("pass'word", "\"a'\\\"b\""));
    let error = bench.run(None, &format!("CONVERT YAML CONFIGURATION FROM FILE \"{file}\"")).unwrap_err();
    assert_eq!(
        (error.code, error.message.as_str()),
        (
            30001,
            "Unsupported SQL operation: REGISTER STORAGE UNIT cannot be written, since a value has both kinds of \
             quotes"
        )
    );
}

#[test]
fn an_import_that_fails_leaves_nothing() {
    let bench = Bench::guide(&[]);
    let import = |file: &str| bench.refusal(&format!("IMPORT DATABASE CONFIGURATION FROM FILE '{file}'"));
    let closed = bench.file("closed.yaml", &FILE.replace(":13311/", ":1/"));
    assert_eq!(
        import(&closed),
        "19000 (44000): Can not process invalid storage units, error message is: [Invalid data source `r`, error \
         message is: storage unit 'r' (127.0.0.1:1) cannot be reached]"
    );
    let broken = bench.file("broken.yaml", &FILE.replace("type: MD5", "type: ROT13"));
    assert_eq!(
        import(&broken),
        format!("30000 (HY000): {broken}:48:3: Invalid encryptor algorithms `[ROT13]`.")
    );
    let taken = bench.file("taken.yaml", &FILE.replace("databaseName: db2", "databaseName: db"));
    assert_eq!(
        import(&taken),
        "30001 (0A000): Unsupported SQL operation: Database `db` exists and is not empty"
    );
    let nothing = bench.file("nothing.yaml", "# databaseName: db2\n");
    assert_eq!(
        import(&nothing),
        format!("30000 (HY000): Unknown exception: there is no database in {nothing}")
    );
    let nameless = bench.file("nameless.yaml", &FILE.replace("databaseName: db2", ""));
    assert_eq!(import(&nameless), format!("30000 (HY000): {nameless}:1:1: `databaseName` is required"));
    let unitless = bench.file("unitless.yaml", "databaseName: db2\n");
    assert_eq!(
        import(&unitless),
        format!("30000 (HY000): {unitless}:1:1: `dataSources` with at least one of them is required")
    );
    assert!(import("/nowhere/at.yaml").starts_with("30000 (HY000): cannot read /nowhere/at.yaml: "));
    assert!(bench.restart().spec("db2").is_none());
}

#[test]
fn imports_into_a_database_that_is_empty() {
    let bench = Bench::new();
    block(bench.admin.create_database("db2", Otherwise::Fail)).unwrap();
    let file = bench.file("db2.yaml", FILE);
    bench.ok(&format!("IMPORT DATABASE CONFIGURATION FROM FILE '{file}'"));
    assert_eq!(bench.spec("db2").unwrap().units.len(), 3);
}

#[test]
fn begins_with_the_databases_of_the_folder_until_distsql_has_the_say() {
    let folder = tempfile::tempdir().unwrap();
    let spec = meta::DatabaseSpec::from_yaml(FILE, Path::new("f")).unwrap().unwrap();
    let config = Config { databases: vec![spec.clone()], ..Config::default() };
    let open = || Admin::open(folder.path(), &config, Book::default()).unwrap();
    let admin = open();
    assert_eq!(admin.published.load().database("db2").unwrap().spec(), spec);
    assert_eq!(admin.servers.asked.get(), 0, "servers may come later");
    let statement = distsql::parse("DROP MASK RULE t_user").unwrap().unwrap();
    block(admin.execute(Some("db2"), &statement)).unwrap();
    drop(admin);
    let admin = open();
    assert!(admin.published.load().database("db2").unwrap().mask.tables.is_empty());
}
