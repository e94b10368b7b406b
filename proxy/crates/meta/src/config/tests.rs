//! What `server.yaml` may say, and where it is wrong when it is.

use super::*;
use crate::properties::Property;
use crate::users::User;

fn parse(text: &str) -> Result<Config, Error> {
    Config::parse(text, Path::new("conf/server.yaml"))
}

/// Whether these are the accounts, with these passwords.
fn has_accounts(config: &Config, wanted: &[(&str, &str)]) -> bool {
    config.users.iter().count() == wanted.len()
        && config.users.iter().zip(wanted).all(|(user, (account, password))| {
            user.account() == *account && user.verifier.matches(password.as_bytes())
        })
}

#[test]
fn the_sample_loads_and_shows_every_property_with_its_default() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../conf");
    let config = Config::load(&folder).unwrap();
    assert!(has_accounts(&config, &[("root@%", "root"), ("sharding@%", "sharding")]));
    let text = fs::read_to_string(folder.join(FILE)).unwrap();
    for property in Property::ALL {
        let shown = text.lines().any(|line| line.trim().starts_with(&format!("{}:", property.name())));
        assert!(shown, "{} is not in the sample", property.name());
        assert_eq!(config.properties.text(*property), property.default_value(), "{}", property.name());
    }
}

#[test]
fn reads_accounts_in_every_documented_form() {
    let wanted = [("root@10.0.0.1", "a:b"), ("root@%", "root"), ("sharding@%", "123456")];
    for text in [
        "authority:\n  users:\n    - user: root@%\n      password: root\n    - user: sharding\n      password: 123456\n    \
         - user: root@10.0.0.1\n      password: 'a:b'\n  privilege:\n    type: ALL_PERMITTED\n",
        "rules:\n  - !SQL_PARSER\n    sqlCommentParseEnabled: true\n  - !AUTHORITY\n    users:\n      - root@%:root\n      \
         - sharding@:123456\n      - root@10.0.0.1:a:b\n    provider:\n      type: ALL_PRIVILEGES_PERMITTED\n",
        "rules:\n  - !AUTHORITY\n    users:\n      - user: root@%\n        password: root\n        admin: true\n      \
         - user: sharding@\n        password: \"123456\"\n      - {user: root@10.0.0.1, password: 'a:b'}\n",
    ] {
        assert!(has_accounts(&parse(text).unwrap(), &wanted), "{text}");
    }
}

#[test]
fn accepts_blocks_of_other_releases_that_do_no_harm() {
    let config = parse(
        "mode:\n  type: Standalone\n  repository:\n    type: JDBC\n    props:\n      path: demo\n\
         authority:\n  users:\n    - user: root\n  authenticators:\n    a: {type: SHA}\n  defaultAuthenticator: a\n\
         transaction:\n  defaultType: LOCAL\n  providerType: Atomikos\n\
         sqlParser:\n  sqlStatementCache:\n    initialCapacity: 2000\n    maximumSize: 65535\n\
         sqlFederation:\n  sqlFederationEnabled: false\n\
         logging:\n  loggers:\n    - loggerName: x\n      level: INFO\n\
         props:\n  sql-show: true\n  proxy-mysql-default-version: 8.0.36\n  proxy-frontend-max-connections: 5\n",
    )
    .unwrap();
    assert!(config.properties.flag(Property::SqlShow));
    assert_eq!(config.properties.text(Property::MysqlDefaultVersion), "8.0.36");
    assert_eq!(config.properties.integer(Property::FrontendMaxConnections), 5);
}

#[test]
fn permits_databases_by_account() {
    let config = parse(
        "authority:\n  users:\n    - user: root@%\n    - user: sharding@\n  privilege:\n    type: DATABASE_PERMITTED\n    \
         props:\n      user-database-mappings: root@%=db1, root@%=db2, sharding@=*\n",
    )
    .unwrap();
    let permits = |name: &str, database| config.users.permits(&User::parse(name, ""), database);
    assert!(permits("root", "db1") && permits("root", "db2") && permits("sharding", "db3"));
    assert!(!permits("root", "db3"));
}

#[test]
fn names_file_line_and_column_of_what_is_wrong() {
    let users = "authority:\n  users:\n    - user: root\n";
    for (text, wrong) in [
        ("authorities:\n", "1:1: unknown field `authorities`"),
        ("authority:\n  users:\n    - user: root\n      pasword: x\n", "4:7: unknown field `pasword`"),
        ("authority:\n  users:\n    - root\n", "3:7: `root` has no `:password`"),
        ("authority:\n  users: []\n", "1:1: nobody can log in: `authority.users` is missing or empty"),
        ("", "1:1: nobody can log in: `authority.users` is missing or empty"),
        ("authority: [\n", "1:12: "),
        ("authority:\n  users:\n\t- user: x\n", "3:"),
        ("mode:\n  type: Cluster\n", "2:9: mode `Cluster` is not supported yet; there is `Standalone`"),
        (
            "transaction:\n  defaultType: XA\n",
            "2:16: transaction type `XA` is not supported yet; there is `LOCAL`",
        ),
        ("sqlFederation:\n  sqlFederationEnabled: true\n", "2:25: federated queries are not supported"),
        ("props:\n  sql-shwo: true\n", "2:3: unknown property `sql-shwo`"),
        ("props:\n  sql_show: true\n", "2:3: unknown property `sql_show`; did you mean `sql-show`?"),
        ("props:\n  sql-show: 3\n", "2:13: `sql-show` must be true or false, not `3`"),
        ("props:\n  sql-show: [1]\n", "2:13: "),
        (
            "props:\n  proxy-default-port: 70000\n",
            "2:23: `proxy-default-port` must be an integer from 1 to 65535, not `70000`",
        ),
        ("props:\n  sql-show: true\n  sql-show: false\n", "3:3: duplicate mapping key: sql-show"),
        (&format!("{users}  privilege:\n    type: SOME\n"), "5:11: unknown variant `SOME`"),
        (
            &format!("{users}  privilege:\n    type: DATABASE_PERMITTED\n"),
            "5:5: `DATABASE_PERMITTED` needs props",
        ),
    ] {
        let error = parse(text).unwrap_err().to_string();
        assert!(error.starts_with(&format!("conf/server.yaml:{wrong}")), "{text:?} gives {error}");
    }
}

#[test]
fn says_which_file_is_not_there() {
    let error = Config::load(Path::new("no/such/folder")).unwrap_err().to_string();
    assert!(error.starts_with("cannot read no/such/folder/server.yaml: "), "{error}");
}

/// A sample with its lines in force, from the name of the database on.
fn in_force(text: &str) -> String {
    let lines = text.lines().skip_while(|line| !line.starts_with("#databaseName"));
    lines.map(|line| line.strip_prefix('#').unwrap_or(line)).collect::<Vec<_>>().join("\n")
}

#[test]
fn samples_of_databases_are_comments_that_load_once_they_are_in_force() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../conf");
    assert!(Config::load(&folder).unwrap().databases.is_empty());
    let mut said = String::new();
    for kind in ["encrypt", "mask", "readwrite-splitting", "shadow", "sharding"] {
        let file = folder.join(format!("database-{kind}.yaml"));
        let text = in_force(&fs::read_to_string(&file).unwrap());
        let spec = DatabaseSpec::from_yaml(&text, &file).unwrap_or_else(|error| panic!("{error}")).unwrap();
        let written = spec.to_yaml();
        assert_eq!(DatabaseSpec::from_yaml(&written, &file).unwrap().unwrap().units, spec.units);
        said.push_str(&written);
    }
    for tag in ["BROADCAST", "ENCRYPT", "MASK", "READWRITE_SPLITTING", "SHADOW", "SHARDING", "SINGLE"] {
        assert!(said.contains(&format!("- !{tag}\n")), "no sample of {tag}");
    }
}
