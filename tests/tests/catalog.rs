//! What clients ask when they connect and look around, and a dump of a whole logical database.

use std::collections::BTreeSet;
use std::process::Stdio;

use weir_harness::WeirProcess;
use weir_tests::{Account, Bed, Logical, Reply, Rules, differ};

/// Tables of every kind, on the plain server too.
fn shop(name: &str) -> Logical<'static> {
    let logical = Bed::shared().logical(name);
    logical.shard("item", "id");
    let (mut proxied, mut plain) = (logical.client(), logical.plain());
    proxied.run("CREATE BROADCAST TABLE RULE country");
    for text in [
        "CREATE TABLE item (id BIGINT NOT NULL AUTO_INCREMENT, name VARCHAR(40) NOT NULL DEFAULT 'x' COMMENT 'it''s', \
         price DECIMAL(10,2), sold DATETIME(3), raw VARBINARY(20), j JSON, PRIMARY KEY (id), KEY by_name (name), \
         UNIQUE KEY priced (id, price), CHECK (price >= 0)) COMMENT 'größe'",
        "CREATE TABLE country (code CHAR(2) PRIMARY KEY, name VARCHAR(40))",
        "CREATE TABLE person (id INT AUTO_INCREMENT PRIMARY KEY, code CHAR(2), born DATE, kind ENUM('a','b') DEFAULT 'b', \
         note TEXT, UNIQUE KEY by_code (code, id))",
        "CREATE TABLE visit (id INT PRIMARY KEY, person INT, CONSTRAINT whose FOREIGN KEY (person) REFERENCES person (id) \
         ON DELETE CASCADE)",
        "CREATE VIEW adult AS SELECT id, code FROM person WHERE born < '2000-01-01'",
    ] {
        for client in [&mut plain, &mut proxied] {
            client.run(text);
        }
    }
    let items: Vec<_> = (1..=60)
        .map(|id| {
            let sold = if id % 7 == 0 {
                "NULL".to_owned()
            } else {
                format!("'2024-02-{:02} 01:02:03.004'", id % 28 + 1)
            };
            format!(
                "({id}, 'item \\'{}\\' ü\\n{id}', {id}.50, {sold}, 0x00ff{id:02}, '{{\"n\": {id}}}')",
                id % 9
            )
        })
        .collect();
    for text in [
        format!("INSERT INTO item VALUES {}", items.join(", ")),
        "INSERT INTO country VALUES ('de', 'Österreich nicht'), ('fr', NULL)".to_owned(),
        "INSERT INTO person VALUES (1, 'de', '1990-05-05', 'a', 'long\\ttext'), (2, NULL, NULL, NULL, '')"
            .to_owned(),
        "INSERT INTO visit VALUES (10, 1), (11, NULL)".to_owned(),
        // Else a server counts later, each when it pleases.
        "ANALYZE TABLE country".to_owned(),
    ] {
        for client in [&mut plain, &mut proxied] {
            client.run(&text);
        }
    }
    logical
}

/// Says what is answered otherwise than by one MySQL.
fn differences(logical: &Logical<'_>, texts: &str, rules: &Rules) -> Vec<String> {
    let (mut plain, mut proxied) = (logical.plain(), logical.client());
    let texts = texts.replace("{db}", &logical.name);
    let mut found = Vec::new();
    for text in texts.lines().map(str::trim).filter(|text| !text.is_empty() && !text.starts_with("--")) {
        let (expected, told) = (plain.query(text), proxied.query(text));
        let rules = Rules { ordered: text.contains("ORDER BY"), ..rules.clone() };
        if let (Reply::Done(_), Reply::Done(_)) = (&expected, &told) {
            continue;
        }
        found.extend(differ(&expected, &told, &rules).map(|difference| format!("{text}\n  {difference}")));
    }
    found
}

/// In the order in which each of them says it.
const HELLOS: &str = "
    -- Connector/J 8 and 9
    SELECT @@session.auto_increment_increment AS auto_increment_increment, @@character_set_client AS character_set_client, \
@@character_set_connection AS character_set_connection, @@character_set_results AS character_set_results, \
@@character_set_server AS character_set_server, @@collation_server AS collation_server, @@collation_connection AS \
collation_connection, @@init_connect AS init_connect, @@interactive_timeout AS interactive_timeout, @@license AS license, \
@@lower_case_table_names AS lower_case_table_names, @@max_allowed_packet AS max_allowed_packet, @@net_write_timeout AS \
net_write_timeout, @@performance_schema AS performance_schema, @@sql_mode AS sql_mode, @@system_time_zone AS \
system_time_zone, @@time_zone AS time_zone, @@transaction_isolation AS transaction_isolation, @@wait_timeout AS wait_timeout
    SELECT DATABASE()
    SET character_set_results = NULL
    SET autocommit=1
    SELECT @@session.transaction_read_only
    SELECT @@session.transaction_isolation
    SHOW FULL TABLES FROM `{db}` LIKE '%'
    SHOW FULL COLUMNS FROM `item` FROM `{db}`
    SELECT TABLE_SCHEMA AS TABLE_CAT, NULL AS TABLE_SCHEM, TABLE_NAME, CASE WHEN TABLE_TYPE='BASE TABLE' THEN CASE WHEN \
TABLE_SCHEMA = 'mysql' OR TABLE_SCHEMA = 'performance_schema' OR TABLE_SCHEMA = 'sys' THEN 'SYSTEM TABLE' ELSE 'TABLE' END \
WHEN TABLE_TYPE='TEMPORARY' THEN 'LOCAL_TEMPORARY' ELSE TABLE_TYPE END AS TABLE_TYPE, TABLE_COMMENT AS REMARKS, NULL AS \
TYPE_CAT, NULL AS TYPE_SCHEM, NULL AS TYPE_NAME, NULL AS SELF_REFERENCING_COL_NAME, NULL AS REF_GENERATION FROM \
INFORMATION_SCHEMA.TABLES WHERE TABLE_SCHEMA = '{db}' HAVING TABLE_TYPE IN ('TABLE','VIEW') ORDER BY TABLE_TYPE, \
TABLE_SCHEMA, TABLE_NAME
    SELECT TABLE_SCHEMA AS TABLE_CAT, NULL AS TABLE_SCHEM, TABLE_NAME, NON_UNIQUE, NULL AS INDEX_QUALIFIER, INDEX_NAME, 3 AS \
TYPE, SEQ_IN_INDEX AS ORDINAL_POSITION, COLUMN_NAME, COLLATION AS ASC_OR_DESC, 0 AS PAGES, NULL AS FILTER_CONDITION FROM \
INFORMATION_SCHEMA.STATISTICS WHERE TABLE_SCHEMA = '{db}' AND TABLE_NAME = 'item' ORDER BY NON_UNIQUE, INDEX_NAME, \
SEQ_IN_INDEX
    SELECT DISTINCT A.REFERENCED_TABLE_SCHEMA AS PKTABLE_CAT, NULL AS PKTABLE_SCHEM, A.REFERENCED_TABLE_NAME AS PKTABLE_NAME, \
A.REFERENCED_COLUMN_NAME AS PKCOLUMN_NAME, A.TABLE_SCHEMA AS FKTABLE_CAT, A.TABLE_NAME AS FKTABLE_NAME, A.COLUMN_NAME AS \
FKCOLUMN_NAME, A.ORDINAL_POSITION AS KEY_SEQ, CASE WHEN R.DELETE_RULE='CASCADE' THEN 0 ELSE 1 END AS DELETE_RULE, \
A.CONSTRAINT_NAME AS FK_NAME FROM INFORMATION_SCHEMA.KEY_COLUMN_USAGE A JOIN INFORMATION_SCHEMA.TABLE_CONSTRAINTS B USING \
(TABLE_SCHEMA, TABLE_NAME, CONSTRAINT_NAME) JOIN INFORMATION_SCHEMA.REFERENTIAL_CONSTRAINTS R ON (R.CONSTRAINT_NAME = \
B.CONSTRAINT_NAME AND R.TABLE_NAME = B.TABLE_NAME AND R.CONSTRAINT_SCHEMA = B.TABLE_SCHEMA) WHERE B.CONSTRAINT_TYPE = \
'FOREIGN KEY' AND A.TABLE_SCHEMA = '{db}' AND A.TABLE_NAME = 'visit' AND A.REFERENCED_TABLE_SCHEMA IS NOT NULL ORDER BY \
A.REFERENCED_TABLE_SCHEMA, A.REFERENCED_TABLE_NAME, A.ORDINAL_POSITION
    -- Connector/J 5.1
    SHOW VARIABLES WHERE Variable_name ='language' OR Variable_name = 'net_write_timeout' OR Variable_name = \
'lower_case_table_names' OR Variable_name = 'max_allowed_packet' OR Variable_name = 'sql_mode' OR Variable_name = 'time_zone'
    SHOW COLLATION
    -- DBeaver
    SHOW ENGINES
    SHOW CHARSET
    SHOW PLUGINS
    SHOW VARIABLES LIKE 'lower_case_table_names'
    SELECT * FROM information_schema.SCHEMATA WHERE SCHEMA_NAME IN ('{db}', 'sys') ORDER BY SCHEMA_NAME
    SELECT TABLE_NAME, TABLE_TYPE, ENGINE FROM information_schema.TABLES t WHERE t.TABLE_SCHEMA = '{db}' AND t.TABLE_TYPE = 'VIEW'
    SELECT * FROM information_schema.COLUMNS WHERE TABLE_SCHEMA='{db}' AND TABLE_NAME='item' ORDER BY ORDINAL_POSITION
    SHOW INDEX FROM `{db}`.`country`
    SELECT kc.CONSTRAINT_NAME,kc.TABLE_NAME,kc.COLUMN_NAME,kc.ORDINAL_POSITION FROM information_schema.KEY_COLUMN_USAGE kc \
WHERE kc.TABLE_SCHEMA='{db}' AND kc.REFERENCED_TABLE_NAME IS NULL AND kc.TABLE_NAME='item' ORDER BY kc.CONSTRAINT_NAME, \
kc.ORDINAL_POSITION
    SELECT cc.CONSTRAINT_NAME, cc.CHECK_CLAUSE, tc.TABLE_NAME FROM information_schema.CHECK_CONSTRAINTS cc, \
information_schema.TABLE_CONSTRAINTS tc WHERE cc.CONSTRAINT_SCHEMA = '{db}' AND tc.CONSTRAINT_SCHEMA = cc.CONSTRAINT_SCHEMA \
AND tc.CONSTRAINT_NAME = cc.CONSTRAINT_NAME ORDER BY cc.CONSTRAINT_NAME
    SELECT * FROM information_schema.ROUTINES WHERE ROUTINE_SCHEMA='{db}' AND ROUTINE_TYPE IN ('PROCEDURE','FUNCTION') ORDER BY ROUTINE_NAME
    SELECT * FROM information_schema.TRIGGERS WHERE TRIGGER_SCHEMA='{db}' ORDER BY TRIGGER_NAME
    SELECT * FROM information_schema.EVENTS WHERE EVENT_SCHEMA='{db}'
    SELECT * FROM information_schema.PARTITIONS WHERE TABLE_SCHEMA='{db}' AND PARTITION_NAME IS NOT NULL
    -- MySQL Workbench
    SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ
    SET CHARACTER SET utf8
    SET SQL_SAFE_UPDATES=1
    SHOW SESSION VARIABLES LIKE 'sql_mode'
    SHOW SESSION VARIABLES LIKE 'lower_case_table_names'
    SELECT current_user() LIKE '%@%' AS it
    SHOW DATABASES LIKE '{db}'
    SHOW FULL TABLES FROM `{db}`
    SHOW PROCEDURE STATUS WHERE Db='{db}'
    SHOW FUNCTION STATUS WHERE Db='{db}'
    SELECT name, type FROM mysql.proc LIMIT 0
    SELECT COUNT(*) FROM performance_schema.setup_consumers WHERE name = 'nosuch'
    SELECT st.* FROM performance_schema.events_statements_current st LIMIT 0
    SHOW SESSION STATUS LIKE 'Com_nosuch'
    SET SQL_SAFE_UPDATES=0
    SET NAMES utf8mb4
    -- DataGrip
    SELECT table_name, table_type, table_comment, engine, table_collation, create_options FROM information_schema.tables \
WHERE table_schema = '{db}' ORDER BY table_name
    SELECT ordinal_position, column_name, column_type, column_default, generation_expression, table_name, column_comment, \
is_nullable, extra, collation_name FROM information_schema.columns WHERE table_schema = '{db}' ORDER BY table_name, \
ordinal_position
    SELECT table_name, index_name, index_comment, index_type, non_unique, column_name, sub_part, collation, null AS expression \
FROM information_schema.statistics WHERE table_schema = '{db}' AND index_schema = '{db}' ORDER BY index_schema, table_name, \
index_name, index_type, seq_in_index
    SELECT c.constraint_name, c.constraint_schema, c.table_name, c.constraint_type FROM information_schema.table_constraints c \
WHERE c.table_schema = '{db}' ORDER BY c.table_name, c.constraint_name
    -- SQLAlchemy
    SELECT CAST('test plain returns' AS CHAR(60)) AS anon_1
    SHOW VARIABLES LIKE 'sql_mode'
    SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = '{db}' AND table_name = 'person'
    DESCRIBE `{db}`.`person`
    SHOW CREATE TABLE `person`
    SHOW CREATE TABLE `item`
    -- Django
    SELECT @@sql_mode, @@default_storage_engine, @@sql_auto_is_null, @@lower_case_table_names, CONVERT_TZ('2001-01-01 \
01:00:00', 'UTC', 'UTC') IS NOT NULL
    SHOW FULL TABLES
    SELECT table_name, table_type, table_comment FROM information_schema.tables WHERE table_schema = DATABASE()
    SELECT column_name, data_type, character_maximum_length, numeric_precision, numeric_scale, extra, column_default, \
collation_name, CASE WHEN column_type LIKE '%% unsigned' THEN 1 ELSE 0 END AS is_unsigned, column_comment FROM \
information_schema.columns WHERE table_name = 'person' AND table_schema = DATABASE() ORDER BY ordinal_position
    SELECT kc.constraint_name, kc.column_name, kc.referenced_table_name, kc.referenced_column_name, c.constraint_type FROM \
information_schema.key_column_usage AS kc, information_schema.table_constraints AS c WHERE kc.table_schema = DATABASE() AND \
(kc.referenced_table_schema = DATABASE() OR kc.referenced_table_schema IS NULL) AND c.table_schema = kc.table_schema AND \
c.constraint_name = kc.constraint_name AND c.constraint_type != 'CHECK' AND kc.table_name = 'visit' AND c.table_name = \
'visit' ORDER BY kc.ordinal_position, kc.constraint_name
    -- Prisma
    SELECT table_info.table_name AS table_name, table_info.create_options AS create_options, table_info.table_comment AS \
table_comment FROM information_schema.tables AS table_info WHERE table_info.table_schema = '{db}' AND table_info.table_type = \
'BASE TABLE' ORDER BY BINARY table_info.table_name
    SELECT EXISTS(SELECT 1 FROM information_schema.tables WHERE table_schema = '{db}' AND table_name = '_prisma_migrations')
    -- Rails
    SELECT table_name FROM (SELECT table_name, table_type FROM information_schema.tables WHERE table_schema = database()) \
_subquery WHERE _subquery.table_type = 'BASE TABLE' ORDER BY table_name
    SELECT fk.referenced_table_name AS 'to_table', fk.referenced_column_name AS 'primary_key', fk.column_name AS 'column', \
fk.constraint_name AS 'name', rc.update_rule AS 'on_update', rc.delete_rule AS 'on_delete' FROM \
information_schema.referential_constraints rc JOIN information_schema.key_column_usage fk USING (constraint_schema, \
constraint_name) WHERE fk.referenced_column_name IS NOT NULL AND fk.table_schema = database() AND fk.table_name = 'visit' AND \
rc.constraint_schema = database() AND rc.table_name = 'visit' ORDER BY 4
    SHOW KEYS FROM `country`
    SHOW FULL FIELDS FROM `item`
    -- GORM
    SELECT DATABASE()
    SELECT SCHEMA_NAME from Information_schema.SCHEMATA where SCHEMA_NAME LIKE '{db}%' ORDER BY SCHEMA_NAME='{db}' DESC,SCHEMA_NAME limit 1
    SELECT count(*) FROM information_schema.tables WHERE table_schema = '{db}' AND table_name = 'item' AND table_type = 'BASE TABLE'
    SELECT column_name, column_default, is_nullable = 'YES', data_type, character_maximum_length, column_type, column_key, \
extra, column_comment, numeric_precision, numeric_scale, datetime_precision FROM information_schema.columns WHERE \
table_schema = '{db}' AND table_name = 'item' ORDER BY ORDINAL_POSITION
    -- Sequelize
    SELECT TABLE_NAME FROM INFORMATION_SCHEMA.TABLES WHERE TABLE_TYPE = 'BASE TABLE' AND TABLE_NAME = 'item' AND TABLE_SCHEMA = '{db}'
    SHOW INDEX FROM `country` FROM `{db}`
    -- Hibernate and Flyway
    SELECT SCHEMA()
    SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = SCHEMA() AND table_name = 'hibernate_sequence'
    SELECT 1 FROM information_schema.schemata WHERE schema_name='{db}' LIMIT 1
    SELECT IFNULL(DATABASE(), '') = '{db}' AS it FROM person WHERE id = 1
    -- mysql
    SELECT USER() LIKE '%@%' AS it
    SHOW TABLES
    SHOW DATABASES WHERE `Database` LIKE '{db}'";

#[test]
fn clients_hear_what_one_mysql_would_say() {
    let logical = shop("catalog_hello");
    let rules = Rules { unwarned: true, named: true, ..Rules::default() };
    let found = differences(&logical, HELLOS, &rules);
    assert!(found.is_empty(), "{} differ\n{}", found.len(), found.join("\n"));
}

#[test]
fn the_figures_of_all_nodes_are_added() {
    let logical = shop("catalog_sums");
    let mut client = logical.client();
    client.run("ANALYZE TABLE item");
    client.run("SET information_schema_stats_expiry = 0");
    let nodes = |column: &str| -> u64 {
        let sum = format!(
            "SELECT SUM({column}) FROM information_schema.TABLES WHERE TABLE_SCHEMA = '{}' AND TABLE_NAME LIKE 'item\\_%'",
            logical.physical()
        );
        let one = |unit| {
            let mut unit = logical.unit(unit);
            unit.run("SET information_schema_stats_expiry = 0");
            unit.value(&sum).parse::<u64>().unwrap()
        };
        (0..logical.bed.units()).map(one).sum()
    };
    for column in ["TABLE_ROWS", "DATA_LENGTH", "INDEX_LENGTH"] {
        let told = client.value(format!(
            "SELECT {column} FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = 'item'"
        ));
        assert_eq!(told.parse::<u64>().unwrap(), nodes(column), "{column}");
    }
    let status = client.rows("SHOW TABLE STATUS LIKE 'item'");
    assert_eq!(status[0][4], nodes("TABLE_ROWS").to_string());
    assert_eq!(client.rows("SHOW TABLE STATUS WHERE Name IN ('item', 'person', 'adult', 'item_0')").len(), 3);
}

#[test]
fn encrypted_columns_are_shown_as_clients_know_them() {
    let logical = Bed::shared().logical("catalog_encrypt");
    let mut client = logical.client();
    client.run(
        "CREATE ENCRYPT RULE t (COLUMNS((NAME=phone, CIPHER=phone_c, ASSISTED_QUERY_COLUMN=phone_a, \
         ENCRYPT_ALGORITHM(TYPE(NAME=\"AES\", PROPERTIES(\"aes-key-value\"=\"1\"))), \
         ASSISTED_QUERY_ALGORITHM(TYPE(NAME=\"MD5\")))))",
    );
    client.run("CREATE TABLE t (id INT PRIMARY KEY, phone VARCHAR(64), n INT, KEY by_phone (phone))");
    let columns = "SELECT COLUMN_NAME, ORDINAL_POSITION, COLUMN_TYPE FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = \
                   DATABASE() AND TABLE_NAME = 't' ORDER BY ORDINAL_POSITION";
    assert_eq!(client.rows(columns), [["id", "1", "int"], ["phone", "2", "varchar(64)"], ["n", "3", "int"]]);
    let keys = "SELECT INDEX_NAME, COLUMN_NAME FROM information_schema.STATISTICS WHERE TABLE_SCHEMA = 'catalog_encrypt' \
                AND TABLE_NAME = 't' ORDER BY 1";
    assert_eq!(client.rows(keys), [["by_phone", "phone"], ["PRIMARY", "id"]]);
}

#[test]
fn an_account_is_told_of_its_own_databases_only() {
    let bed = Bed::shared();
    let conf = tempfile::tempdir().unwrap();
    let users = "authority:\n  users:\n    - user: root@%\n      password: root\n    - user: ann@%\n      password: ann\n  \
                 privilege:\n    type: DATABASE_PERMITTED\n    props:\n      user-database-mappings: root@%=*, \
                 ann@%=mine\n";
    std::fs::write(conf.path().join("server.yaml"), users).unwrap();
    let weir = WeirProcess::builder(&bed.sandbox).conf(conf.path()).start().unwrap();
    let account = |user: &str| Account::new(weir.address(), user, user);
    let mut root = account("root").client();
    for name in ["mine", "other"] {
        bed.unit(0).client().run(format!("CREATE DATABASE catalog_{name}"));
        root.run(format!("CREATE DATABASE {name}"));
        root.run(format!("USE {name}"));
        let server = bed.server(0);
        root.run(format!(
            "REGISTER STORAGE UNIT ds_0 (HOST=\"127.0.0.1\", PORT={}, DB=\"catalog_{name}\", USER=\"{}\", PASSWORD=\"{}\")",
            server.port(),
            server.user(),
            server.password()
        ));
        root.run(format!("CREATE TABLE t_{name} (id INT PRIMARY KEY)"));
    }
    let mut ann = account("ann").client();
    // `mysql` and its like tell of everybody, so that it may not use them either.
    let expected: BTreeSet<_> = ["information_schema", "mine"].map(str::to_owned).into();
    for text in ["SHOW DATABASES", "SELECT SCHEMA_NAME FROM information_schema.SCHEMATA"] {
        let told: BTreeSet<_> = ann.rows(text).into_iter().flatten().collect();
        // The server's own databases are known to the proxy only.
        assert_eq!(told, expected, "{text}");
    }
    let tables =
        "SELECT TABLE_SCHEMA, TABLE_NAME FROM information_schema.TABLES WHERE TABLE_NAME LIKE 't\\_%'";
    assert_eq!(ann.rows(tables), [["mine", "t_mine"]]);
    assert_eq!(root.rows(tables).len(), 2);
    assert_eq!(ann.rows("SHOW TABLES FROM mine"), [["t_mine"]]);
    assert_eq!(ann.fault("SHOW TABLES FROM other").code, 1044);
    assert_eq!(ann.fault("SHOW CREATE DATABASE other").code, 1044);
    assert_eq!(
        ann.value("SELECT COUNT(*) FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = 'other'"),
        "0"
    );
    ann.run("USE information_schema");
    assert_eq!(ann.value("SELECT COUNT(*) FROM TABLES WHERE TABLE_SCHEMA = 'other'"), "0");
}

#[test]
fn a_dump_holds_what_the_database_holds() {
    let tools = Bed::shared().sandbox.tools().unwrap();
    let Some(mysqldump) = tools.client().beside("mysqldump") else {
        eprintln!("skipped: there is no mysqldump beside {}", tools.client().file().display());
        return;
    };
    let logical = shop("catalog_dump");
    let (weir, plain) = (&logical.bed.weir, logical.bed.sandbox.server(0));
    let dump = |options: &[&str]| {
        let output = mysqldump
            .command()
            .args(["--host=127.0.0.1", "--user=root", "--password=root"])
            .arg(format!("--port={}", weir.port()))
            .args(options)
            .stdin(Stdio::null())
            .output()
            .unwrap();
        assert!(output.status.success(), "{options:?}: {}", String::from_utf8_lossy(&output.stderr));
        output.stdout
    };
    for (number, options) in [
        &["--single-transaction", "--triggers", "--routines", "--events"][..],
        &[
            "--skip-lock-tables",
            "--hex-blob",
            "--complete-insert",
            "--skip-extended-insert",
            "--order-by-primary",
        ],
    ]
    .into_iter()
    .enumerate()
    {
        let text = dump(&[options, &["catalog_dump"]].concat());
        let target = format!("catalog_dump_{number}");
        let mut loaded = logical.bed.plain().client();
        loaded.run(format!("CREATE DATABASE {target}"));
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), text).unwrap();
        let output = tools
            .client()
            .command()
            .args(["--host=127.0.0.1", "--protocol=tcp"])
            .arg(format!("--user={}", plain.user()))
            .arg(format!("--password={}", plain.password()))
            .arg(format!("--port={}", plain.port()))
            .arg(&target)
            .stdin(std::fs::File::open(file.path()).unwrap())
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        loaded.run(format!("USE {target}"));
        let mut proxied = logical.client();
        assert_eq!(loaded.rows("SHOW FULL TABLES"), proxied.rows("SHOW FULL TABLES"));
        for table in ["item", "country", "person", "visit", "adult"] {
            let rows = format!("SELECT * FROM {table} ORDER BY 1");
            assert_eq!(loaded.rows(&rows), proxied.rows(&rows), "{table}");
            let made = format!("SHOW CREATE TABLE {table}");
            if table != "adult" {
                assert_eq!(loaded.rows(&made), logical.plain().rows(&made), "{table}");
            }
        }
    }
    // One table, some rows, without definitions; and of everything there is.
    let some = dump(&[
        "--single-transaction",
        "--no-create-info",
        "--compact",
        "--where=id<3",
        "catalog_dump",
        "item",
    ]);
    assert_eq!(String::from_utf8_lossy(&some).matches("'item ").count(), 2);
    let all =
        String::from_utf8_lossy(&dump(&["--single-transaction", "--databases", "catalog_dump"])).into_owned();
    assert!(all.contains("CREATE DATABASE /*!32312 IF NOT EXISTS*/ `catalog_dump`"), "{}", &all[..2000]);
}
