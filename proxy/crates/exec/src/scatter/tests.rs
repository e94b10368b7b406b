//! Statements over several nodes, against scripted servers.

use wire::caps::Status;

use super::total::add_numbers;
use crate::merge::Format;
use crate::world::{Answer, World, block_on};
use crate::{Begin, Dialect, Error, Limits};

/// Rows 1 to 8, each on its shard; changes touch one row on each.
fn shards(text: &str) -> Answer {
    if !text.starts_with("SELECT") {
        return Answer::Ok(1);
    }
    let shard = (0..4).find(|shard| text.contains(&format!("t_{shard}"))).unwrap();
    Answer::Rows([vec!["4", "8"], vec!["1", "5"], vec!["2", "6"], vec!["3", "7"]][shard].clone())
}

/// Like [`shards`], but shard 3 refuses.
fn refusing(text: &str) -> Answer {
    if text.contains("t_3") { Answer::Err(1062) } else { shards(text) }
}

#[test]
fn merges_rows_in_order_for_every_dialect_and_both_forms() {
    block_on(async {
        for deprecate_eof in [true, false] {
            for format in [Format::Text, Format::Binary] {
                let mut world = World::new(shards);
                world.client.dialect = Dialect { deprecate_eof, session_track: false, more: false };
                let text = "SELECT id FROM t ORDER BY id LIMIT 1, 5";
                let outcome = match format {
                    Format::Text => world.query(text).await.unwrap(),
                    Format::Binary => world.execute(text).await.unwrap(),
                };
                assert_eq!((outcome.rows, outcome.error), (5, None));
                let frames = world.client.frames();
                let first = if deprecate_eof { 2 } else { 3 };
                let values: Vec<u8> = match format {
                    Format::Text => frames[first..first + 5].iter().map(|row| row[1] - b'0').collect(),
                    Format::Binary => frames[first..first + 5].iter().map(|row| row[2]).collect(),
                };
                assert_eq!(values, [2, 3, 4, 5, 6]);
                assert_eq!(frames.len(), first + 6);
                let names = wire::column::Names::decode(&frames[1]).unwrap();
                assert_eq!((names.schema, names.table), (&b"shop"[..], &b"t"[..]));
                assert!(world.executor.held.is_empty());
            }
        }
    });
}

#[test]
fn merges_rows_that_waited_in_a_file_like_those_in_memory() {
    block_on(async {
        for deprecate_eof in [true, false] {
            // Nothing, one row, everything in memory.
            for early in [0, 150, 1000] {
                let mut world = World::limited(shards, Limits { early, ..Limits::default() });
                world.client.dialect = Dialect { deprecate_eof, session_track: false, more: false };
                let rows = |world: &mut World| {
                    let frames = world.client.frames();
                    let first = if deprecate_eof { 2 } else { 3 };
                    frames[first..frames.len() - 1].to_vec()
                };
                world.query("SELECT id FROM t ORDER BY id").await.unwrap();
                let text: Vec<u8> = rows(&mut world).iter().map(|row| row[1]).collect();
                assert_eq!(text, b"12345678", "{early}");
                world.execute("SELECT id FROM t ORDER BY id DESC LIMIT 1, 6").await.unwrap();
                let binary: Vec<u8> = rows(&mut world).iter().map(|row| row[2]).collect();
                // The scripted servers do not sort downwards: the merge takes the larger head first.
                assert_eq!(binary.len(), 6);
                // The connections are whole, in a transaction, too.
                world.executor.begin(Begin::default()).await.unwrap();
                world.query("SELECT id FROM t ORDER BY id").await.unwrap();
                assert_eq!(rows(&mut world).len(), 8);
                world.executor.commit(false).await.unwrap();
                assert!(world.executor.held.is_empty());
            }
        }
    });
}

#[test]
fn servers_that_wait_for_a_slow_one_are_read_meanwhile() {
    /// The first node answers late, and so does the second one of the other server.
    fn script(text: &str) -> Answer {
        if text.contains("t_0") || text.contains("t_3") {
            std::thread::sleep(std::time::Duration::from_millis(200));
        }
        shards(text)
    }
    fn late_refusal(text: &str) -> Answer {
        if text.contains("t_0") {
            std::thread::sleep(std::time::Duration::from_millis(200));
        }
        refusing(text)
    }
    block_on(async {
        for early in [0, 1000] {
            let mut world = World::limited(script, Limits { early, ..Limits::default() });
            for binary in [false, true] {
                for text in ["SELECT id FROM t ORDER BY id", "SELECT id FROM t"] {
                    let outcome = if binary { world.execute(text).await } else { world.query(text).await };
                    assert_eq!(outcome.unwrap().rows, 8);
                    let frames = world.client.frames();
                    let rows = &frames[3..frames.len() - 1];
                    let mut values: Vec<_> =
                        rows.iter().map(|row| if binary { row[2] } else { row[1] - b'0' }).collect();
                    if !text.contains("ORDER") {
                        values.sort_unstable();
                    }
                    assert_eq!(values, [1, 2, 3, 4, 5, 6, 7, 8], "{text}");
                }
                // Several nodes' groups, without a row for the client in between.
                assert_eq!(world.query("SELECT COUNT(*) FROM t").await.unwrap().rows, 1);
            }
            assert!(world.executor.held.is_empty());
            let mut world = World::limited(late_refusal, Limits { early, ..Limits::default() });
            for text in ["SELECT id FROM t ORDER BY id", "SELECT id FROM t"] {
                assert_eq!(world.query(text).await.unwrap().error, Some(1062));
                assert_eq!(world.client.error(), 1062);
            }
        }
    });
}

#[test]
fn rows_that_come_in_pieces_wait_and_pass_like_others() {
    fn script(text: &str) -> Answer {
        match shards(text) {
            Answer::Rows(rows) => Answer::Pieces(rows),
            answer => answer,
        }
    }
    block_on(async {
        for early in [0, 1000] {
            let mut world = World::limited(script, Limits { early, ..Limits::default() });
            assert_eq!(world.query("SELECT id FROM t ORDER BY id").await.unwrap().rows, 8);
            assert_eq!(world.client.rows(), ["1", "2", "3", "4", "5", "6", "7", "8"]);
            assert_eq!(world.execute("SELECT id FROM t ORDER BY id").await.unwrap().rows, 8);
            assert_eq!(world.query("SELECT id FROM t").await.unwrap().rows, 8);
            assert_eq!(world.client.rows().len(), 8);
        }
    });
}

#[test]
fn rows_that_cannot_wait_in_a_file_are_an_error() {
    block_on(async {
        let folder = std::path::Path::new("/nowhere/at/all").into();
        let mut world = World::limited(shards, Limits { early: 0, folder, ..Limits::default() });
        let error = world.query("SELECT id FROM t ORDER BY id").await.unwrap_err();
        assert!(matches!(error, Error::Spill(_)) && !error.fatal(), "{error:?}");
        assert_eq!(world.query("SELECT id FROM t").await.unwrap().rows, 8);
    });
}

/// How many connections there are to each unit.
fn connections(world: &World) -> Vec<usize> {
    world.executor.pools.hub().stats().iter().map(|pool| pool.active + pool.idle).collect()
}

#[test]
fn takes_more_connections_of_a_unit_only_where_they_are_free() {
    block_on(async {
        let mut world = World::new(shards);
        world.executor.limit_connections(3);
        // A transaction is on one connection of each unit.
        world.executor.begin(Begin::default()).await.unwrap();
        world.query("SELECT id FROM t ORDER BY id").await.unwrap();
        world.executor.commit(false).await.unwrap();
        world.query("UPDATE t SET c = 1").await.unwrap();
        assert_eq!(connections(&world), [1, 1]);
        for text in ["SELECT id FROM t ORDER BY id", "SELECT id FROM t"] {
            assert_eq!(world.query(text).await.unwrap().rows, 8);
            assert_eq!(world.execute(text).await.unwrap().rows, 8);
            // Two nodes on each unit.
            assert_eq!(connections(&world), [2, 2]);
            assert!(world.executor.held.is_empty());
        }
        // Nobody waits for a further one.
        let mut world = World::new(shards);
        world.narrow(1);
        world.executor.limit_connections(3);
        assert_eq!(world.query("SELECT id FROM t ORDER BY id").await.unwrap().rows, 8);
        assert_eq!(connections(&world), [1, 1]);
    });
}

#[test]
fn an_error_ends_what_still_runs_elsewhere() {
    fn script(text: &str) -> Answer {
        if text.contains("t_0") {
            return Answer::Err(1062);
        }
        if text.starts_with("SELECT") {
            std::thread::sleep(std::time::Duration::from_secs(2));
        }
        shards(text)
    }
    block_on(async {
        for inside in [false, true] {
            let mut world = World::new(script);
            if inside {
                world.executor.begin(Begin::default()).await.unwrap();
                world.query("UPDATE t SET c = 1 WHERE id = 1").await.unwrap();
            }
            world.seen(1);
            let start = std::time::Instant::now();
            let outcome = world.query("SELECT id FROM t ORDER BY id").await.unwrap();
            assert_eq!((outcome.error, world.client.error()), (Some(1062), 1062));
            let seen = world.seen(1);
            if inside {
                // The scripted server goes on in spite of it; the transaction is kept.
                assert!(seen.contains(&"KILL QUERY 1".to_owned()), "{seen:?}");
                assert_eq!(seen.last().unwrap(), "DO 0");
                assert!(world.executor.in_transaction());
                world.executor.commit(false).await.unwrap();
                assert_eq!(world.seen(1).last().unwrap(), "COMMIT");
            } else {
                assert!(seen.contains(&"KILL CONNECTION 1".to_owned()), "{seen:?}");
                assert!(start.elapsed().as_millis() < 1500, "{:?}", start.elapsed());
                assert!(world.executor.held.is_empty());
            }
        }
    });
}

#[test]
fn follows_one_stream_by_the_next_without_an_order() {
    block_on(async {
        let mut world = World::new(shards);
        let outcome = world.query("SELECT id FROM t").await.unwrap();
        assert_eq!(outcome.rows, 8);
        let mut rows = world.client.rows();
        rows.sort();
        assert_eq!(rows, ["1", "2", "3", "4", "5", "6", "7", "8"]);
        assert_eq!(world.seen(0).len() + world.seen(1).len(), 4);
        // The connections are whole: they serve the next statement.
        let outcome = world.query("SELECT id FROM t LIMIT 3").await.unwrap();
        assert_eq!(outcome.rows, 3);
        assert_eq!(world.query("SELECT id FROM t").await.unwrap().rows, 8);
    });
}

#[test]
fn adds_changes_up_in_a_transaction_of_their_own() {
    block_on(async {
        let mut world = World::new(shards);
        let outcome = world.query("UPDATE t SET c = 1").await.unwrap();
        assert_eq!(outcome.affected, 4);
        let (affected, status) = world.client.ok();
        assert_eq!((affected, status.contains(Status::IN_TRANSACTION)), (4, false));
        let expected = ["BEGIN", "UPDATE t_0 SET c = 1", "SHOW WARNINGS", "UPDATE t_2 SET c = 1", "COMMIT"];
        assert_eq!(world.seen(0), expected);
        assert!(world.executor.held.is_empty() && !world.executor.in_transaction());
    });
}

#[test]
fn takes_changes_back_everywhere_when_one_node_refuses() {
    block_on(async {
        let mut world = World::new(refusing);
        let outcome = world.query("UPDATE t SET c = 1").await.unwrap();
        assert_eq!((outcome.error, world.client.error()), (Some(1062), 1062));
        for peer in 0..2 {
            assert_eq!(world.seen(peer).last().unwrap(), "ROLLBACK");
        }
        assert!(world.executor.held.is_empty() && !world.executor.in_transaction());
    });
}

#[test]
fn takes_only_the_statement_back_within_a_transaction() {
    block_on(async {
        let mut world = World::new(refusing);
        world.executor.begin(Begin::default()).await.unwrap();
        world.query("UPDATE t SET c = 1 WHERE id = 1").await.unwrap();
        world.query("UPDATE t SET c = 2").await.unwrap();
        assert_eq!(world.client.error(), 1062);
        assert!(world.executor.in_transaction());
        world.executor.commit(false).await.unwrap();
        let statement =
            ["SAVEPOINT `weir statement`", "UPDATE t_0 SET c = 2", "SHOW WARNINGS", "UPDATE t_2 SET c = 2"];
        let end = ["ROLLBACK TO SAVEPOINT `weir statement`", "COMMIT"];
        assert_eq!(world.seen(0), [&["BEGIN"][..], &statement, &end].concat());
    });
}

#[test]
fn a_deadlock_on_one_node_rolls_back_on_all() {
    fn script(text: &str) -> Answer {
        if text.contains("t_3") { Answer::Err(1213) } else { shards(text) }
    }
    block_on(async {
        let mut world = World::new(script);
        world.executor.begin(Begin::default()).await.unwrap();
        world.query("UPDATE t SET c = 2").await.unwrap();
        assert_eq!(world.client.error(), 1213);
        assert!(!world.executor.in_transaction() && world.executor.held.is_empty());
        for peer in 0..2 {
            assert_eq!(world.seen(peer).last().unwrap(), "ROLLBACK");
        }
        world.query("UPDATE t SET c = 2 WHERE id = 1").await.unwrap();
        assert!(!world.client.ok().1.contains(Status::IN_TRANSACTION));
    });
}

#[test]
fn gives_the_first_refusal_and_keeps_the_connections() {
    block_on(async {
        let mut world = World::new(refusing);
        let outcome = world.query("SELECT id FROM t ORDER BY id").await.unwrap();
        assert_eq!((outcome.error, outcome.rows), (Some(1062), 0));
        assert_eq!(world.client.error(), 1062);
        assert_eq!(world.query("SELECT id FROM t WHERE id = 1").await.unwrap().rows, 2);
    });
}

#[test]
fn a_server_that_dies_fails_the_statement_and_no_other() {
    fn script(text: &str) -> Answer {
        if text.contains("t_1 ORDER") { Answer::Break(vec!["1"]) } else { shards(text) }
    }
    block_on(async {
        let mut world = World::new(script);
        let error = world.query("SELECT id FROM t ORDER BY id").await.unwrap_err();
        assert!(matches!(error, Error::Backend(backend::Error::Closed { .. })), "{error:?}");
        assert_eq!(world.query("SELECT id FROM t").await.unwrap().rows, 8);
    });
}

#[test]
fn keeps_the_transaction_when_a_merge_is_refused() {
    block_on(async {
        let folder = std::path::Path::new("/nowhere/at/all").into();
        let mut world = World::limited(shards, Limits { early: 0, folder, ..Limits::default() });
        world.executor.begin(Begin::default()).await.unwrap();
        world.query("UPDATE t SET c = 1 WHERE id = 1").await.unwrap();
        world.query("UPDATE t SET c = 1 WHERE id = 2").await.unwrap();
        let error = world.query("SELECT id FROM t ORDER BY id").await.unwrap_err();
        assert!(matches!(error, Error::Spill(_)) && !error.fatal(), "{error:?}");
        assert!(world.executor.in_transaction());
        world.executor.commit(false).await.unwrap();
        assert_eq!(world.seen(0).last().unwrap(), "COMMIT");
    });
}

#[test]
fn a_client_that_goes_loses_the_connections_that_still_send() {
    fn script(_: &str) -> Answer {
        Answer::Rows(vec!["1"; 10_000])
    }
    block_on(async {
        let mut world = World::new(script);
        world.client.gone = true;
        let error = world.query("SELECT id FROM t ORDER BY id").await.unwrap_err();
        assert!(matches!(error, Error::Client(_)));
        assert!(world.executor.held.is_empty());
    });
}

#[test]
fn adds_the_numbers_of_info_texts() {
    let (a, b) = (b"Rows matched: 3  Changed: 1  Warnings: 0", b"Rows matched: 9  Changed: 2  Warnings: 1");
    assert_eq!(add_numbers(a, b), b"Rows matched: 12  Changed: 3  Warnings: 1");
    assert_eq!(add_numbers(b"", b"Records: 1"), b"");
}

#[test]
fn a_connection_with_answers_to_come_serves_nobody_else() {
    /// The first server hangs up over the question, the second one answers it late.
    fn script(text: &str) -> Answer {
        match text {
            text if text.contains("t_0") => Answer::Close,
            text if text.contains("t_1") => {
                std::thread::sleep(std::time::Duration::from_millis(300));
                Answer::Rows(vec!["1"])
            }
            text => shards(text),
        }
    }
    block_on(async {
        for text in ["SELECT id FROM t WHERE id IN (0, 1)", "UPDATE t SET c = 1 WHERE id IN (0, 1)"] {
            let mut world = World::new(script);
            assert!(world.execute(text).await.is_err());
            assert!(world.executor.held.is_empty());
            let idle: usize = world.executor.pools.hub().stats().iter().map(|pool| pool.idle).sum();
            assert_eq!(idle, 0, "{text}");
        }
    });
}
