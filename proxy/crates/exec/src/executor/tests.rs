//! Statements on one node and transactions, against scripted servers.

use wire::caps::Status;

use crate::world::{Answer, World, block_on};
use crate::{Begin, Command, Error};

fn plain(text: &str) -> Answer {
    if text.starts_with("SELECT") { Answer::Rows(vec!["1", "5"]) } else { Answer::Ok(1) }
}

/// The names of a column definition as the client sees it.
fn names(payload: &[u8]) -> (String, String, String) {
    let names = wire::column::Names::decode(payload).unwrap();
    let text = |name: &[u8]| String::from_utf8_lossy(name).into_owned();
    (text(names.schema), text(names.table), text(names.org_table))
}

#[test]
fn hands_on_rows_under_logical_names_and_gives_the_connection_back() {
    block_on(async {
        let mut world = World::new(plain);
        for _ in 0..2 {
            let outcome = world.query("SELECT id FROM t WHERE id = 1").await.unwrap();
            assert_eq!((outcome.rows, outcome.error), (2, None));
            let frames = world.client.frames();
            assert_eq!(names(&frames[1]), ("shop".to_owned(), "t".to_owned(), "t".to_owned()));
            assert_eq!(frames.len(), 6);
        }
        assert_eq!(world.seen(0), Vec::<String>::new());
        assert_eq!(world.seen(1).len(), 2);
        assert!(world.executor.held.is_empty());
    });
}

#[test]
fn begins_a_transaction_where_it_goes_and_ends_it_there() {
    block_on(async {
        let mut world = World::new(plain);
        world.executor.begin(Begin { read_only: Some(true), snapshot: false }).await.unwrap();
        assert!(world.executor.in_transaction());
        world.query("UPDATE t SET c = 1 WHERE id = 1").await.unwrap();
        assert!(world.client.ok().1.contains(Status::IN_TRANSACTION));
        world.query("UPDATE t SET c = 2 WHERE id = 1").await.unwrap();
        world.executor.commit(false).await.unwrap();
        assert!(!world.executor.in_transaction() && world.executor.held.is_empty());
        assert_eq!(world.seen(0), Vec::<String>::new());
        let expected = ["START TRANSACTION READ ONLY", "UPDATE t_1 SET c = 1 WHERE id = 1"];
        let expected = [&expected[..], &["UPDATE t_1 SET c = 2 WHERE id = 1", "COMMIT"]].concat();
        assert_eq!(world.seen(1), expected);
        world.query("UPDATE t SET c = 3 WHERE id = 1").await.unwrap();
        assert!(!world.client.ok().1.contains(Status::IN_TRANSACTION));
    });
}

#[test]
fn replays_savepoints_on_a_server_that_joins_later() {
    block_on(async {
        let mut world = World::new(plain);
        world.executor.begin(Begin::default()).await.unwrap();
        world.query("UPDATE t SET c = 1 WHERE id = 1").await.unwrap();
        world.executor.savepoint("a");
        world.query("UPDATE t SET c = 1 WHERE id = 2").await.unwrap();
        world.executor.savepoint("b`");
        world.executor.rollback_to("A").await.unwrap();
        assert!(matches!(world.executor.rollback_to("b`").await, Err(Error::NoSavepoint { .. })));
        world.executor.release_savepoint("a").unwrap();
        assert!(world.executor.release_savepoint("a").is_err());
        world.executor.rollback(false).await.unwrap();
        let back = ["SAVEPOINT `b```", "ROLLBACK TO SAVEPOINT `A`", "ROLLBACK"];
        let first = ["BEGIN", "UPDATE t_1 SET c = 1 WHERE id = 1", "SAVEPOINT `a`"];
        assert_eq!(world.seen(1), [&first[..], &back].concat());
        let second = ["BEGIN", "SAVEPOINT `a`", "UPDATE t_2 SET c = 1 WHERE id = 2"];
        assert_eq!(world.seen(0), [&second[..], &back].concat());
    });
}

#[test]
fn rolls_back_everywhere_after_a_deadlock() {
    fn script(text: &str) -> Answer {
        if text.contains("t_2") { Answer::Err(1213) } else { plain(text) }
    }
    block_on(async {
        let mut world = World::new(script);
        world.executor.begin(Begin::default()).await.unwrap();
        world.query("UPDATE t SET c = 1 WHERE id = 1").await.unwrap();
        world.client.frames();
        let outcome = world.query("UPDATE t SET c = 1 WHERE id = 2").await.unwrap();
        assert_eq!((outcome.error, world.client.error()), (Some(1213), 1213));
        assert!(!world.executor.in_transaction() && world.executor.held.is_empty());
        assert_eq!(world.seen(1).last().unwrap(), "ROLLBACK");
    });
}

#[test]
fn commits_everywhere_before_data_definition() {
    block_on(async {
        let mut world = World::new(plain);
        world.executor.begin(Begin::default()).await.unwrap();
        world.query("UPDATE t SET c = 1 WHERE id = 1").await.unwrap();
        world.query("CREATE TABLE t (id INT)").await.unwrap();
        assert!(!world.executor.in_transaction());
        let seen = world.seen(1);
        let commit = seen.iter().position(|text| text == "COMMIT").unwrap();
        assert!(seen[commit + 1..].iter().all(|text| text.starts_with("CREATE")), "{seen:?}");
    });
}

#[test]
fn tells_settings_once_and_with_the_statement() {
    block_on(async {
        let mut world = World::new(plain);
        world.executor.settings_mut().set("sql_mode", "''");
        world.query("SELECT id FROM t WHERE id = 1").await.unwrap();
        world.query("SELECT id FROM t WHERE id = 5").await.unwrap();
        let expected = [
            "SET @@SESSION.sql_mode=''",
            "SELECT id FROM t_1 WHERE id = 1",
            "SELECT id FROM t_1 WHERE id = 5",
        ];
        assert_eq!(world.seen(1), expected);
    });
}

#[test]
fn retries_a_read_on_a_fresh_connection_and_never_a_write() {
    use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
    let count = AtomicU32::new(0);
    // Every second statement finds the connection dead.
    let script = move |text: &str| {
        if count.fetch_add(1, SeqCst) % 2 == 1 { Answer::Close } else { plain(text) }
    };
    block_on(async {
        let mut world = World::new(script);
        // The one that was lost must not be held while another is waited for.
        world.narrow(1);
        world.query("SELECT id FROM t WHERE id = 1").await.unwrap();
        let outcome = world.query("SELECT id FROM t WHERE id = 1").await.unwrap();
        assert_eq!(outcome.rows, 2);
        let error = world.query("UPDATE t SET c = 1 WHERE id = 1").await.unwrap_err();
        assert!(matches!(error, Error::Backend(backend::Error::Closed { before_reply: true, .. })));
        assert_eq!(world.seen(1).len(), 4);
    });
}

#[test]
fn a_server_lost_with_a_transaction_loses_it_everywhere() {
    fn script(text: &str) -> Answer {
        if text.contains("id = 6") { Answer::Close } else { plain(text) }
    }
    block_on(async {
        let mut world = World::new(script);
        world.executor.begin(Begin::default()).await.unwrap();
        world.query("UPDATE t SET c = 1 WHERE id = 1").await.unwrap();
        world.query("UPDATE t SET c = 1 WHERE id = 2").await.unwrap();
        let error = world.query("UPDATE t SET c = 1 WHERE id = 6").await.unwrap_err();
        assert!(matches!(error, Error::TransactionLost(_)) && error.fatal());
        assert!(!world.executor.in_transaction());
        assert_eq!(world.seen(1).last().unwrap(), "ROLLBACK");
    });
}

#[test]
fn commits_nowhere_when_a_participant_is_known_to_be_gone() {
    fn script(text: &str) -> Answer {
        if text.contains("id = 2") { Answer::Last } else { plain(text) }
    }
    block_on(async {
        let mut world = World::new(script);
        world.executor.begin(Begin::default()).await.unwrap();
        world.query("UPDATE t SET c = 1 WHERE id = 1").await.unwrap();
        world.query("UPDATE t SET c = 1 WHERE id = 2").await.unwrap();
        while world.executor.held.iter_mut().all(|lane| lane.lease.is_open()) {
            tokio::task::yield_now().await;
        }
        let error = world.executor.commit(false).await.unwrap_err();
        assert!(matches!(error, Error::TransactionLost(_)), "{error:?}");
        assert!(!world.executor.in_transaction());
        assert_eq!(world.seen(1).last().unwrap(), "ROLLBACK");
    });
}

#[test]
fn commits_what_was_written_though_a_server_is_gone_that_was_only_read() {
    fn script(text: &str) -> Answer {
        if text.contains("id = 2") { Answer::Last } else { plain(text) }
    }
    block_on(async {
        let mut world = World::new(script);
        world.executor.begin(Begin::default()).await.unwrap();
        world.query("UPDATE t SET c = 1 WHERE id = 1").await.unwrap();
        world.query("SELECT id FROM t WHERE id = 2").await.unwrap();
        while world.executor.held.iter_mut().all(|lane| lane.lease.is_open()) {
            tokio::task::yield_now().await;
        }
        world.executor.commit(false).await.unwrap();
        assert!(!world.executor.in_transaction());
        assert_eq!(world.seen(1).last().unwrap(), "COMMIT");
    });
}

#[test]
fn a_row_cut_short_is_torn() {
    fn script(_: &str) -> Answer {
        Answer::Break(vec!["1", "5"])
    }
    block_on(async {
        let mut world = World::new(script);
        let error = world.query("SELECT id FROM t WHERE id = 1").await.unwrap_err();
        // The peer breaks off within the packet that ends the rows, which the client has nothing of.
        assert!(matches!(error, Error::Backend(backend::Error::Closed { .. })), "{error:?}");
        assert!(world.executor.held.is_empty());
    });
}

#[test]
fn prepares_for_the_client_and_for_executions() {
    block_on(async {
        let mut world = World::new(plain);
        let outcome =
            world.run("SELECT id FROM t WHERE id = 1", Command::Prepare { statement: 77 }).await.unwrap();
        let told = outcome.prepared.unwrap();
        assert_eq!((told.params, told.columns), (0, 1));
        let frames = world.client.frames();
        assert_eq!(wire::scan::Prepared::decode(&frames[0]).unwrap().statement, 77);
        let outcome = world.execute("SELECT id FROM t WHERE id = 1").await.unwrap();
        assert_eq!(outcome.rows, 2);
        let seen = world.seen(1);
        assert_eq!(seen.last().unwrap(), "execute SELECT id FROM t_1 WHERE id = 1");
    });
}

#[test]
fn keeps_the_connection_of_a_pinned_session() {
    block_on(async {
        let mut world = World::new(plain);
        world.query("SELECT GET_LOCK('a', 1), id FROM t WHERE id = 1").await.unwrap();
        assert_eq!(world.executor.held.len(), 1);
        world.executor.begin(Begin::default()).await.unwrap();
        world.query("UPDATE t SET c = 1 WHERE id = 1").await.unwrap();
        world.executor.commit(false).await.unwrap();
        assert_eq!(world.executor.held.len(), 1);
        world.executor.reset().await;
        assert!(world.executor.held.is_empty());
    });
}

#[test]
fn holds_connections_while_autocommit_is_off() {
    block_on(async {
        let mut world = World::new(plain);
        world.executor.autocommit(false).await.unwrap();
        world.executor.savepoint("a");
        world.query("UPDATE t SET c = 1 WHERE id = 1").await.unwrap();
        assert!(world.executor.in_transaction());
        world.query("UPDATE t SET c = 1 WHERE id = 2").await.unwrap();
        world.executor.autocommit(true).await.unwrap();
        assert!(!world.executor.in_transaction());
        world.query("UPDATE t SET c = 2 WHERE id = 1").await.unwrap();
        assert!(world.executor.held.is_empty());
        let expected =
            ["SET @@SESSION.autocommit=0", "SAVEPOINT `a`", "UPDATE t_1 SET c = 1 WHERE id = 1", "COMMIT"];
        let again = ["SET @@SESSION.autocommit=@@GLOBAL.autocommit", "UPDATE t_1 SET c = 2 WHERE id = 1"];
        assert_eq!(world.seen(1), [&expected[..], &again].concat());
    });
}

#[test]
fn knows_its_own_insert_id_on_any_connection() {
    fn script(text: &str) -> Answer {
        if text.starts_with("INSERT") { Answer::Inserted(42) } else { plain(text) }
    }
    block_on(async {
        let mut world = World::new(script);
        world.query("INSERT INTO t (id, c) VALUES (1, 1)").await.unwrap();
        world.query("SELECT LAST_INSERT_ID() FROM t WHERE id = 2").await.unwrap();
        let seen = world.seen(0);
        assert_eq!(seen[0], "SET @@SESSION.last_insert_id=42");
        assert_eq!(seen.len(), 2);
    });
}

#[test]
fn chains_transactions() {
    block_on(async {
        let mut world = World::new(plain);
        world.executor.next_transaction("SET TRANSACTION ISOLATION LEVEL SERIALIZABLE");
        world.executor.begin(Begin::default()).await.unwrap();
        world.query("UPDATE t SET c = 1 WHERE id = 1").await.unwrap();
        world.executor.commit(true).await.unwrap();
        assert!(world.executor.in_transaction());
        world.query("UPDATE t SET c = 2 WHERE id = 1").await.unwrap();
        world.executor.rollback(false).await.unwrap();
        let first = [
            "SET TRANSACTION ISOLATION LEVEL SERIALIZABLE",
            "BEGIN",
            "UPDATE t_1 SET c = 1 WHERE id = 1",
            "COMMIT",
        ];
        // With the characteristics of the one that has ended.
        let second = [first[0], "BEGIN", "UPDATE t_1 SET c = 2 WHERE id = 1", "ROLLBACK"];
        assert_eq!(world.seen(1), [&first[..], &second].concat());
    });
}

#[test]
fn a_transaction_keeps_its_access_whatever_is_set_meanwhile() {
    block_on(async {
        let mut world = World::new(plain);
        world.executor.settings_mut().set("transaction_read_only", "1");
        world.executor.begin(Begin::default()).await.unwrap();
        assert!(world.executor.is_read_only());
        world.executor.settings_mut().set("transaction_read_only", "0");
        world.query("SELECT id FROM t WHERE id = 1").await.unwrap();
        world.executor.begin(Begin::default()).await.unwrap();
        assert!(world.executor.is_read_only());
        world.executor.commit(false).await.unwrap();
        world.executor.begin(Begin::default()).await.unwrap();
        assert!(!world.executor.is_read_only());
        let expected = [
            "SET @@SESSION.transaction_read_only=0",
            "START TRANSACTION READ ONLY",
            "SELECT id FROM t_1 WHERE id = 1",
            "COMMIT",
        ];
        assert_eq!(world.seen(1), expected);
    });
}

#[test]
fn an_answer_that_turned_out_untrue_is_told_apart() {
    use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
    let commits = AtomicU32::new(0);
    let script = move |text: &str| {
        if text == "COMMIT" && commits.fetch_add(1, SeqCst) == 0 { Answer::Err(1180) } else { plain(text) }
    };
    block_on(async {
        let mut world = World::new(script);
        world.executor.begin(Begin::default()).await.unwrap();
        world.query("UPDATE t SET c = 1 WHERE id = 1").await.unwrap();
        world.query("UPDATE t SET c = 1 WHERE id = 2").await.unwrap();
        world.client.frames();
        // Its server commits by itself, the other one does not when it is told to.
        let error = world.query("CREATE TEMPORARY TABLE made (a INT)").await.unwrap_err();
        assert!(matches!(error, Error::Belied(_)) && error.fatal(), "{error:?}");
        assert_eq!(world.client.frames().len(), 1);
        assert!(!world.executor.in_transaction());
    });
}

/// A server that does not know a variable.
fn ignorant(text: &str) -> Answer {
    if text.starts_with("SET") && text.contains("nope") { Answer::Err(1193) } else { plain(text) }
}

#[test]
fn sends_no_statement_behind_settings_that_may_be_refused() {
    block_on(async {
        let mut world = World::new(ignorant);
        world.executor.settings_mut().set("nope", "1");
        for text in ["UPDATE t SET c = 1 WHERE id = 1", "UPDATE t SET c = 1 WHERE id IN (1, 5)"] {
            let error = world.query(text).await.unwrap_err();
            assert_eq!(error.refusal().map(|refusal| refusal.code), Some(1193));
            assert!(!error.fatal());
            assert_eq!(world.seen(1), ["SET @@SESSION.nope=1"]);
        }
        world.executor.settings_mut().unset("nope");
        world.query("UPDATE t SET c = 1 WHERE id = 1").await.unwrap();
        assert_eq!(world.seen(1), ["UPDATE t_1 SET c = 1 WHERE id = 1"]);
    });
}

#[test]
fn keeps_the_transaction_when_settings_are_refused() {
    block_on(async {
        let mut world = World::new(ignorant);
        world.executor.begin(Begin::default()).await.unwrap();
        world.query("UPDATE t SET c = 1 WHERE id = 1").await.unwrap();
        world.executor.settings_mut().set("nope", "1");
        for text in ["UPDATE t SET c = 2 WHERE id = 1", "UPDATE t SET c = 2 WHERE id IN (1, 2)"] {
            assert!(!world.query(text).await.unwrap_err().fatal());
            assert!(world.executor.in_transaction());
        }
        world.executor.settings_mut().unset("nope");
        world.query("UPDATE t SET c = 3 WHERE id = 1").await.unwrap();
        world.executor.commit(false).await.unwrap();
        let seen = world.seen(1);
        let statements: Vec<_> = seen.iter().filter(|text| !text.starts_with("SET @@")).collect();
        let update = |c| format!("UPDATE t_1 SET c = {c} WHERE id = 1");
        assert_eq!(statements, [&"BEGIN".to_owned(), &update(1), &update(3), &"COMMIT".to_owned()]);
    });
}

#[test]
fn says_what_may_have_happened_when_a_proven_setting_is_refused() {
    use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
    let count = AtomicU32::new(0);
    let script = move |text: &str| {
        if text.starts_with("SET") && count.fetch_add(1, SeqCst) == 1 {
            Answer::Err(1193)
        } else {
            plain(text)
        }
    };
    block_on(async {
        let mut world = World::new(script);
        world.executor.settings_mut().set("sql_mode", "''");
        world.query("SELECT id FROM t WHERE id = 1").await.unwrap();
        world.executor.settings_mut().unset("sql_mode");
        let error = world.query("UPDATE t SET c = 1 WHERE id = 1").await.unwrap_err();
        assert!(error.to_string().ends_with("the statement behind it may have been carried out"), "{error}");
        world.query("UPDATE t SET c = 2 WHERE id = 1").await.unwrap();
        assert_eq!(world.seen(1).last().unwrap(), "UPDATE t_1 SET c = 2 WHERE id = 1");
    });
}
