//! What nodes say together, against scripted servers: shard *i* of `t` is on server *i % 2*.

use wire::reply;

use super::{LeftOut, add_numbers, with_numbers};
use crate::lane::Done;
use crate::world::{Answer, World, block_on};

const ROWS: &str = "INSERT INTO t (id, name) VALUES (4, 'a'), (1, 'b'), (2, 'c'), (3, 'd'), (5, 'e')";

/// The text of the error that was the last answer.
fn told(world: &mut World) -> String {
    let frames = world.client.frames();
    String::from_utf8_lossy(reply::Err::decode(&frames[0]).unwrap().message).into_owned()
}

async fn messages(world: &mut World) -> Vec<String> {
    let conditions = world.executor.conditions().await.unwrap();
    conditions.iter().map(|it| String::from_utf8_lossy(&it.message).into_owned()).collect()
}

#[test]
fn tells_the_error_of_the_clients_first_row() {
    fn script(text: &str) -> Answer {
        match text {
            _ if text.starts_with("INSERT INTO t_0") => {
                Answer::Said(1062, "Duplicate entry '4' for key 't_0.PRIMARY'")
            }
            // The second of its rows, which are the client's second and fifth.
            _ if text.starts_with("INSERT INTO t_1") => Answer::Said(1406, "Data too long at row 2"),
            _ if text.starts_with("INSERT INTO t_3") => Answer::Said(1406, "Data too long at row 1"),
            _ => Answer::Ok(1),
        }
    }
    block_on(async {
        let mut world = World::new(script);
        world.query(ROWS).await.unwrap();
        assert_eq!(told(&mut world), "Duplicate entry '4' for key 't.PRIMARY'");
        assert_eq!(messages(&mut world).await, ["Duplicate entry '4' for key 't.PRIMARY'"]);
        world.query(&ROWS.replace("(4, 'a'), ", "")).await.unwrap();
        assert_eq!(told(&mut world), "Data too long at row 3");
    });
}

#[test]
fn tells_an_error_that_has_ended_the_transaction_first() {
    fn script(text: &str) -> Answer {
        match text {
            _ if text.starts_with("UPDATE t_0") => Answer::Err(1062),
            _ if text.starts_with("UPDATE t_3") => Answer::Err(1213),
            _ => Answer::Ok(1),
        }
    }
    block_on(async {
        let mut world = World::new(script);
        let outcome = world.query("UPDATE t SET name = 'x'").await.unwrap();
        assert_eq!(outcome.error, Some(1213));
    });
}

#[test]
fn orders_warnings_by_the_clients_rows_and_tells_those_of_the_statement_once() {
    fn script(text: &str) -> Answer {
        match text {
            "SHOW WARNINGS" => Answer::Rows(vec![
                "Warning,1287,deprecated",
                "Warning,1062,Duplicate entry '1' for key 'k'",
                "Warning,1265,cut at row 1",
            ]),
            _ if text.starts_with("INSERT INTO t_2") => Answer::Ok(1),
            _ if text.starts_with("INSERT") => Answer::Warned(1, 3),
            _ => Answer::Ok(1),
        }
    }
    block_on(async {
        let mut world = World::new(script);
        let outcome = world.query(&ROWS.replace(", (5, 'e')", "")).await.unwrap();
        assert_eq!((outcome.affected, outcome.warnings), (4, 7));
        let duplicate = "Duplicate entry '1' for key 'k'";
        let expected =
            ["deprecated", duplicate, "cut at row 1", duplicate, "cut at row 2", duplicate, "cut at row 4"];
        assert_eq!(messages(&mut world).await, expected);
    });
}

#[test]
fn counts_without_what_one_server_would_not_count() {
    let info = b"Records: 7  Duplicates: 3  Warnings: 6".to_vec();
    let mut done = Done { warnings: 6, info, ..Done::default() };
    done.leave_out(LeftOut { again: 2, rows: 1 });
    assert_eq!((done.warnings, &done.info[..]), (4, &b"Records: 6  Duplicates: 2  Warnings: 4"[..]));
    done.leave_out(LeftOut::default());
    assert_eq!(done.info, b"Records: 6  Duplicates: 2  Warnings: 4");
}

#[test]
fn adds_the_numbers_of_texts() {
    assert_eq!(
        add_numbers(b"Rows matched: 9  Changed: 1", b"Rows matched: 91  Changed: 0"),
        b"Rows matched: 100  Changed: 1"
    );
    assert_eq!(add_numbers(b"", b"Rows matched: 3"), b"");
    assert_eq!(with_numbers(b"1 and 22", |place, number| number + place as u64), b"1 and 23");
}
