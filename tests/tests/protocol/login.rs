//! Who gets in, by which method, over which transport.

use mysql_async::prelude::Queryable as _;
use mysql_async::{Conn, OptsBuilder, SslOpts};
use weir_tests::{Account, Failure, OLD};

use crate::bed;

/// What a client of the servers' own is told in the same case.
fn plain_fault(account: &Account, user: &str) -> String {
    account.connect().unwrap_err().fault().to_string().replace(&format!("'{user}'"), "'root'")
}

#[test]
fn right_password_by_every_method() {
    for plugin in [None, Some("caching_sha2_password"), Some("mysql_native_password")] {
        for capabilities in [weir_tests::MODERN, OLD] {
            let mut account = bed().proxy().capabilities(capabilities);
            account.plugin = plugin;
            // Twice: a server that knows the digest already takes the short way.
            for _ in 0..2 {
                assert_eq!(account.client().value("SELECT 40 + 2"), "42", "{plugin:?}");
            }
        }
    }
}

#[test]
fn wrong_password_is_refused_in_the_servers_words() {
    let expected = plain_fault(&bed().plain().password("wrong"), "test");
    assert!(expected.starts_with("1045 (28000)"), "{expected}");
    for plugin in [None, Some("caching_sha2_password"), Some("mysql_native_password")] {
        let mut account = bed().proxy().password("wrong");
        account.plugin = plugin;
        assert_eq!(account.connect().unwrap_err().fault().to_string(), expected, "{plugin:?}");
    }
}

#[test]
fn no_password_and_no_such_user_are_refused_likewise() {
    let expected = plain_fault(&bed().plain().password(""), "test");
    assert_eq!(bed().proxy().password("").connect().unwrap_err().fault().to_string(), expected);

    // A server asks whom it does not know by a method of chance; what it says in the end is the same.
    let expected = plain_fault(&bed().plain().password("wrong"), "test");
    let nobody = Account { user: "nobody".into(), ..bed().proxy() };
    let told = nobody.connect().unwrap_err().fault().to_string();
    assert_eq!(told.replace("'nobody'", "'root'"), expected);
}

#[test]
fn unknown_database_ends_the_login() {
    let expected = bed().plain().database("nowhere").connect().unwrap_err().fault();
    let told = bed().proxy().database("nowhere").connect().unwrap_err().fault();
    assert_eq!(told, expected);
    assert_eq!((told.code, told.state.as_str()), (1049, "42000"));
}

#[test]
fn database_of_the_login_is_current() {
    let _logical = bed().logical("login_database");
    let mut client = bed().proxy().database("login_database").client();
    assert_eq!(client.value("SELECT DATABASE()"), "login_database");
}

#[test]
fn greeting_is_protocol_ten_with_a_fresh_nonce() {
    let first = weir_tests::Client::open(bed().weir.address()).unwrap().greeting;
    let second = weir_tests::Client::open(bed().weir.address()).unwrap().greeting;
    assert_ne!(first.nonce, second.nonce);
    assert_ne!(first.thread, second.thread);
    assert_eq!(first.nonce.len(), 20);
    assert!(first.nonce.iter().all(|byte| (1..0x80).contains(byte)), "{:?}", first.nonce);
    assert!(first.plugin == "caching_sha2_password", "{}", first.plugin);
}

#[test]
fn change_of_user_takes_the_state_away() {
    let _logical = bed().logical("login_change");
    let mut client = bed().proxy().database("login_change").client();
    client.run("CREATE TABLE c (id INT PRIMARY KEY)");
    client.run("SET @x = 5, SESSION sql_mode = 'ANSI_QUOTES'");
    client.run("CREATE TEMPORARY TABLE temporary_one (id INT)");
    let prepared = client.prepare("SELECT 1").unwrap();
    client.run("BEGIN");
    client.run("INSERT INTO c VALUES (1)");

    let other = Account::new(bed().weir.address(), "sharding", "sharding").database("login_change");
    client.change_user(&other).unwrap();
    assert_eq!(client.value("SELECT DATABASE()"), "login_change");
    assert_eq!(client.value("SELECT @x"), "NULL");
    assert!(!client.value("SELECT @@sql_mode").contains("ANSI_QUOTES"));
    assert_eq!(client.value("SELECT COUNT(*) FROM c"), "0");
    assert_eq!(client.fault("SELECT * FROM temporary_one").code, 1146);
    assert_eq!(client.execute(prepared.id, &[]).unwrap().fault().code, 1243);

    client.change_user(&Account { database: None, ..other }).unwrap();
    assert_eq!(client.value("SELECT DATABASE()"), "NULL");
}

#[test]
fn change_to_a_wrong_password_ends_the_session() {
    let mut client = bed().proxy().client();
    let failure = client.change_user(&bed().proxy().password("wrong")).unwrap_err();
    assert_eq!(failure.fault().code, 1045);
    assert!(client.is_closed());
}

#[test]
fn change_to_an_unknown_database_is_1049() {
    let mut client = bed().proxy().client();
    let failure = client.change_user(&bed().proxy().database("nowhere")).unwrap_err();
    assert_eq!(failure.fault().code, 1049);
}

/// The proxy made its certificate itself.
fn any_certificate() -> SslOpts {
    SslOpts::default().with_danger_accept_invalid_certs(true).with_danger_skip_domain_validation(true)
}

/// Runs with another client's own ideas of the protocol.
fn with_driver(tls: bool, check: impl AsyncFnOnce(&mut Conn) -> Result<(), mysql_async::Error>) {
    let options = OptsBuilder::default()
        .ip_or_hostname("127.0.0.1")
        .tcp_port(bed().weir.port())
        .prefer_socket(false)
        .user(Some("root"))
        .pass(Some("root"))
        .ssl_opts(tls.then(any_certificate));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let mut connection = Conn::new(options).await.unwrap();
        check(&mut connection).await.unwrap();
        connection.disconnect().await.unwrap();
    });
}

#[test]
fn another_driver_gets_along_with_and_without_tls() {
    let _logical = bed().logical("login_driver");
    for tls in [false, true] {
        with_driver(tls, async |connection| {
            connection.query_drop("USE login_driver").await?;
            connection.query_drop("DROP TABLE IF EXISTS d").await?;
            connection
                .query_drop("CREATE TABLE d (id INT PRIMARY KEY, v VARCHAR(20), x DECIMAL(9,2))")
                .await?;
            connection
                .exec_drop("INSERT INTO d VALUES (?, ?, ?), (?, ?, ?)", (1, "é", "1.50", 2, "中", 2.25))
                .await?;
            let rows: Vec<(i32, String, String)> =
                connection.exec("SELECT id, v, x FROM d WHERE id < ? ORDER BY id", (10,)).await?;
            assert_eq!(rows, [(1, "é".into(), "1.50".into()), (2, "中".into(), "2.25".into())]);
            let text: Option<(i32, String)> =
                connection.query_first("SELECT id, v FROM d WHERE id = 2").await?;
            assert_eq!(text, Some((2, "中".into())));
            connection.ping().await?;
            connection.reset().await?;
            let long = "x".repeat(20_000_000);
            let length: Option<usize> = connection.exec_first("SELECT LENGTH(?)", (long,)).await?;
            assert_eq!(length, Some(20_000_000));
            Ok(())
        });
    }
}

#[test]
fn wrong_password_over_tls_is_1045() {
    let options = OptsBuilder::default()
        .ip_or_hostname("127.0.0.1")
        .tcp_port(bed().weir.port())
        .prefer_socket(false)
        .user(Some("root"))
        .pass(Some("wrong"))
        .ssl_opts(any_certificate());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let error = runtime.block_on(Conn::new(options)).unwrap_err();
    assert!(matches!(&error, mysql_async::Error::Server(server) if server.code == 1045), "{error}");
}

#[test]
fn a_login_that_says_nothing_keeps_nobody_waiting() {
    let silent = weir_tests::Client::open(bed().weir.address()).unwrap();
    assert_eq!(bed().proxy().client().value("SELECT 1"), "1");
    drop(silent);
    let failure = bed().proxy().password("wrong").connect().unwrap_err();
    assert!(matches!(failure, Failure::Server(_)));
}
