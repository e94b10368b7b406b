//! Files of every release, read and written.

mod sharding;

use super::*;

/// Storage units that rules below are about.
const HEAD: &str = "databaseName: db

dataSources:
  ds_0:
    url: jdbc:mysql://127.0.0.1:3306/demo?serverTimezone=UTC&useSSL=false
    username: root
    password:
    connectionTimeoutMilliseconds: 30000
    idleTimeoutMilliseconds: 60000
    maxLifetimeMilliseconds: 1800000
    maxPoolSize: 50
    minPoolSize: 1
  ds_1:
    url: jdbc:mysql://127.0.0.1:3307/demo
    username: root
    password: 0123
  ds_2:
    dataSourceClassName: com.zaxxer.hikari.HikariDataSource
    url: jdbc:mysql://127.0.0.1:3308/demo
    username: 'root'
    password: \"a\\\"b\"
";

fn parse(text: &str) -> Result<Option<DatabaseSpec>, Error> {
    DatabaseSpec::from_yaml(text, Path::new("conf/database-db.yaml"))
}

/// Reads rules below [`HEAD`].
fn read(rules: &str) -> DatabaseSpec {
    let text = format!("{HEAD}\nrules:\n{rules}");
    parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}")).unwrap()
}

/// Place and reason of a refusal; lines are counted from the first rule. A rule begins behind its tag.
fn refusal(rules: &str) -> String {
    let head = format!("{HEAD}\nrules:\n");
    let text = parse(&format!("{head}{rules}")).unwrap_err().to_string();
    let rest = text.strip_prefix("conf/database-db.yaml:").unwrap_or_else(|| panic!("{text}"));
    let (line, rest) = rest.split_once(':').unwrap();
    format!("{}:{rest}", line.parse::<usize>().unwrap() - head.lines().count())
}

/// What is read is written and read again to the same.
fn assert_round_trip(spec: &DatabaseSpec) -> String {
    let text = spec.to_yaml();
    let again = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}")).unwrap();
    assert_eq!(again, *spec, "{text}");
    text
}

#[test]
fn reads_data_sources() {
    let spec = parse(HEAD).unwrap().unwrap();
    assert_eq!(spec.name, "db");
    assert_eq!(spec.units.keys().collect::<Vec<_>>(), ["ds_0", "ds_1", "ds_2"]);
    let unit = &spec.units["ds_0"];
    assert_eq!((unit.address().as_str(), unit.database.as_str()), ("127.0.0.1:3306", "demo"));
    assert_eq!((unit.user.as_str(), unit.password.as_str()), ("root", ""));
    assert_eq!(unit.pool.max_lifetime.as_secs(), 1800);
    assert_eq!(unit.other.keys().collect::<Vec<_>>(), ["serverTimezone"]);
    // As it stands, not as a number.
    assert_eq!(spec.units["ds_1"].password, "0123");
    assert_eq!(spec.units["ds_2"].password, "a\"b");
    assert_round_trip(&spec);
}

#[test]
fn a_file_of_comments_is_no_database() {
    for text in ["", "# databaseName: db\n", "---\n# nothing\n", "\n\n"] {
        assert_eq!(parse(text), Ok(None), "{text:?}");
    }
}

#[test]
fn writes_data_sources_as_the_original_does() {
    let text = "databaseName: db
dataSources:
  ds_0:
    url: jdbc:mysql://h:3306/d?sslMode=REQUIRED&x=y
    username: root
    password: \"1\"
    connectionTimeoutMilliseconds: 30000
    idleTimeoutMilliseconds: 60000
    maxLifetimeMilliseconds: 2100000
    maxPoolSize: 50
    minPoolSize: 1
    readOnly: false
    maximumActive: 4
    keepaliveTime: 30000
rules:
- !SINGLE
  tables:
  - \"*.*\"
";
    let spec = parse(text).unwrap().unwrap();
    assert_eq!(spec.to_yaml(), text);
}

#[test]
fn refuses_files_without_a_name_or_units_and_units_that_lead_nowhere() {
    let unit = |lines: &str| format!("databaseName: db\ndataSources:\n  a:\n{lines}");
    for (text, reason) in [
        ("dataSources: {}\n".to_owned(), "1:1: `databaseName` is required"),
        ("databaseName: db\n".to_owned(), "1:1: `dataSources` with at least one of them is required"),
        ("databaseName: mysql\n".to_owned(), "1:15: Can't create database 'mysql'; database exists"),
        ("databaseName: db\nmode: {}\n".to_owned(), "2:1: unknown field `mode`, expected one of "),
        (unit("    username: u\n"), "4:5: `url` is required"),
        (unit("    url: jdbc:mysql://h/d\n"), "4:5: `username` is required"),
        (
            unit("    url: h/d\n    username: u\n"),
            "4:5: The URL `h/d` is not recognized, please refer to the pattern ",
        ),
        (
            unit("    url: jdbc:mysql://h/d\n    username: u\n    maxPoolSize: 0\n"),
            "4:5: maximumPoolSize must be 1 or more, not 0",
        ),
        ("databaseName: db\n  dataSources: [\n".to_owned(), "2:"),
    ] {
        let refused = parse(&text).unwrap_err().to_string();
        let wanted = format!("conf/database-db.yaml:{reason}");
        assert!(refused.starts_with(&wanted), "{refused}\n{wanted}");
    }
}

#[test]
fn names_the_rule_that_is_wrong() {
    let broken = "- !MASK
  tables:
    t: {columns: {a: {maskAlgorithm: md5}}}
  maskAlgorithms:
    md5: {type: MD5}
- !READWRITE_SPLITTING
  dataSources:
    rw: {writeDataSourceName: ds_0, readDataSourceNames: [none]}
";
    assert_eq!(refusal(broken), "7:3: Storage units `[none]` do not exist in database `db`.");
    for (rules, start) in [
        ("- !NOTHING\n  a: 1\n", "1:1: unknown rule `!NOTHING`, there are `!"),
        ("- !MASK\n  tablets:\n", "2:3: unknown field `tablets`, expected "),
    ] {
        let refused = refusal(rules);
        assert!(refused.starts_with(start), "{refused}");
    }
}

#[test]
fn reads_readwrite_splitting_in_every_spelling() {
    let spellings = [
        "- !READWRITE_SPLITTING
  dataSources:
    rw:
      staticStrategy:
        writeDataSourceName: ds_0
        readDataSourceNames:
          - ds_1
          - ds_2
      loadBalancerName: random
  loadBalancers:
    random:
      type: RANDOM
      props:
",
        "- !READWRITE_SPLITTING
  dataSources:
    rw:
      writeDataSourceName: ds_0
      readDataSourceNames: ds_1, ds_2
      loadBalancerName: random
  loadBalancers:
    random:
      type: RANDOM
",
        "- !READWRITE_SPLITTING
  dataSourceGroups:
    rw:
      writeDataSourceName: ds_0
      readDataSourceNames: [ds_1, ds_2]
      loadBalancerName: random
  loadBalancers: {random: {type: RANDOM}}
",
    ];
    let first = read(spellings[0]);
    assert_eq!(first.readwrite[0].reads, ["ds_1", "ds_2"]);
    assert_eq!(first.readwrite[0].balancer.as_ref().unwrap().kind, "RANDOM");
    for spelling in spellings {
        assert_eq!(read(spelling), first, "{spelling}");
    }
    let text = assert_round_trip(&first);
    assert!(text.ends_with(
        "rules:
- !READWRITE_SPLITTING
  dataSourceGroups:
    rw:
      writeDataSourceName: ds_0
      readDataSourceNames:
      - ds_1
      - ds_2
      loadBalancerName: rw_random
  loadBalancers:
    rw_random:
      type: RANDOM
- !SINGLE
  tables:
  - \"*.*\"
"
    ));
    let strategy = spellings[2]
        .replace("loadBalancerName: random", "transactionalReadQueryStrategy: fixed")
        .replace("  loadBalancers: {random: {type: RANDOM}}\n", "");
    assert!(assert_round_trip(&read(&strategy)).contains("      transactionalReadQueryStrategy: FIXED\n"));
    assert_eq!(
        refusal(&strategy.replace("fixed", "sometimes")),
        "2:3: `transactionalReadQueryStrategy` is PRIMARY, FIXED or DYNAMIC, not `sometimes`"
    );
    assert_eq!(
        refusal(&spellings[2].replace("Name: random", "Name: other")),
        "2:3: `other` is not among `loadBalancers`"
    );
}

const FLAT: &str = "- !ENCRYPT
  tables:
    t_user:
      columns:
        user_id:
          plainColumn: user_plain
          cipherColumn: user_cipher
          encryptorName: aes
          assistedQueryColumn: user_assisted
          assistedQueryEncryptorName: md5
          likeQueryColumn: user_like
          likeQueryEncryptorName: like
        phone:
          cipherColumn: phone_cipher
          encryptorName: aes
      queryWithCipherColumn: false
  encryptors:
    aes:
      type: AES
      props:
        aes-key-value: 123456
    md5:
      type: MD5
    like:
      type: CHAR_DIGEST_LIKE
";

const NESTED: &str = "- !ENCRYPT
  tables:
    t_user:
      columns:
        user_id:
          plain:
            name: user_plain
          cipher:
            name: user_cipher
            encryptorName: aes
          assistedQuery:
            name: user_assisted
            encryptorName: md5
          likeQuery:
            name: user_like
            encryptorName: like
        phone:
          cipher:
            name: phone_cipher
            encryptorName: aes
  encryptors:
    aes:
      type: AES
      props:
        aes-key-value: 123456
    md5:
      type: MD5
    like:
      type: CHAR_DIGEST_LIKE
  queryWithCipherColumn: false
";

#[test]
fn reads_encrypted_columns_flat_and_nested() {
    let flat = read(FLAT);
    let table = &flat.encrypt[0];
    assert_eq!((table.name.as_str(), table.query_with_cipher), ("t_user", Some(false)));
    let column = &table.columns[0];
    assert_eq!((column.name.as_str(), column.cipher.as_str()), ("user_id", "user_cipher"));
    assert_eq!(column.assisted.as_deref(), Some("user_assisted"));
    assert_eq!(column.like.as_deref(), Some("user_like"));
    assert_eq!(column.plain.as_deref(), Some("user_plain"));
    assert_eq!(column.encryptor.properties["aes-key-value"], "123456");
    assert_eq!(column.like_algorithm.as_ref().unwrap().kind, "CHAR_DIGEST_LIKE");
    assert_eq!(read(NESTED), flat);
    assert_eq!(read(&FLAT.replace("!ENCRYPT", "!COMPATIBLE_ENCRYPT")), flat);
    let text = assert_round_trip(&flat);
    for line in
        ["encryptorName: t_user_user_id\n", "assist_t_user_user_id:\n", "queryWithCipherColumn: false\n"]
    {
        assert!(text.contains(line), "{text}");
    }
}

#[test]
fn keeps_data_types_of_encrypted_columns() {
    let typed = "- !ENCRYPT
  tables:
    t:
      columns:
        a:
          dataType: varchar(20)
          cipher: {name: b, dataType: varchar(200), encryptorName: md5}
  encryptors:
    md5: {type: MD5}
";
    let spec = read(typed);
    assert_eq!(spec.encrypt[0].columns[0].types.cipher.as_deref(), Some("varchar(200)"));
    assert_round_trip(&spec);
}

#[test]
fn refuses_encrypted_columns_that_contradict_themselves() {
    for (from, to, reason) in [
        ("encryptorName: aes\n", "encryptorName: des\n", "2:3: `des` is not among `encryptors`"),
        ("          cipherColumn: phone_cipher\n", "", "2:3: column `phone` has no cipher column"),
        (
            "cipherColumn: phone_cipher\n          encryptorName: aes",
            "cipherColumn: phone_cipher",
            "2:3: column `phone` has no encryptor for its cipher column",
        ),
        (
            "cipherColumn: phone_cipher\n",
            "cipherColumn: phone_cipher\n          queryWithCipherColumn: true\n",
            "2:3: `queryWithCipherColumn` must be the same for all columns of `t_user`",
        ),
        (
            "phone_cipher",
            "user_plain",
            "2:3: Invalid encrypt rule `t_user`, error message is: column `user_plain` on the servers is given twice",
        ),
        (
            "aes-key-value",
            "aes-key",
            "2:3: Encrypt algorithm `AES` initialization failed, reason is: unknown property 'aes-key'; there are \
             'aes-key-value', 'digest-algorithm-name'.",
        ),
    ] {
        assert_eq!(refusal(&FLAT.replacen(from, to, 1)), reason);
    }
}

#[test]
fn reads_masks() {
    let spec = read(
        "- !MASK
  tables:
    t_user:
      columns:
        phone:
          maskAlgorithm: first
  maskAlgorithms:
    first:
      type: KEEP_FIRST_N_LAST_M
      props:
        first-n: 3
        last-m: 4
        replace-char: '*'
",
    );
    assert_eq!(spec.mask[0].columns[0].algorithm.properties["replace-char"], "*");
    assert!(assert_round_trip(&spec).contains("maskAlgorithm: t_user_phone_keep_first_n_last_m\n"));
}

#[test]
fn reads_shadow_rules_of_every_release() {
    let text = "- !SHADOW
  dataSources:
    shadowDataSource:
      productionDataSourceName: ds_0
      shadowDataSourceName: ds_1
  tables:
    t_user:
      dataSourceNames:
        - shadowDataSource
      shadowAlgorithmNames:
        - insert-match
  shadowAlgorithms:
    insert-match:
      type: REGEX_MATCH
      props:
        operation: insert
        column: user_id
        regex: '[1]'
    hint:
      type: SQL_HINT
  defaultShadowAlgorithmName: hint
";
    let spec = read(text);
    assert_eq!(spec.shadow.pairs[0].source, "ds_0");
    assert_eq!(spec.shadow.tables[0].algorithms, ["insert-match"]);
    assert_eq!(spec.shadow.default.as_deref(), Some("hint"));
    assert_eq!(read(&text.replace("productionData", "sourceData")), spec);
    assert_round_trip(&spec);
}

#[test]
fn algorithms_of_one_name_that_differ_get_names_of_their_own() {
    let algorithm = |salt: &str| crate::rule::AlgorithmSpec {
        kind: "MD5".into(),
        properties: IndexMap::from([("salt".to_owned(), salt.to_owned())]),
    };
    let column = |name: &str, salt: &str| crate::rule::EncryptColumnSpec {
        name: name.into(),
        cipher: format!("{name}_{salt}"),
        encryptor: algorithm(salt),
        ..crate::rule::EncryptColumnSpec::default()
    };
    let table = |name: &str, column| crate::rule::EncryptTableSpec {
        name: name.into(),
        columns: vec![column],
        query_with_cipher: None,
    };
    // Both would be called a_b_c.
    let mut spec = parse(HEAD).unwrap().unwrap();
    spec.encrypt = vec![table("a_b", column("c", "1")), table("a", column("b_c", "2"))];
    assert!(assert_round_trip(&spec).contains("encryptorName: a_b_c_2\n"));
}
