//! What can be asked about the last statement, against scripted servers.

use crate::world::{Answer, World, block_on};
use crate::{Begin, Error, Figures};

fn script(text: &str) -> Answer {
    match text {
        "SHOW WARNINGS" => Answer::Rows(vec!["Warning,1265,cut", "Error,1048,null"]),
        "SELECT FOUND_ROWS()" | "SELECT LAST_INSERT_ID()" => Answer::Rows(vec!["77"]),
        _ if text.contains("c = 13") => Answer::Err(1213),
        _ if text.starts_with("UPDATE") => Answer::Warned(3, 2),
        _ if text.starts_with("SELECT") => Answer::Rows(vec!["1", "5"]),
        _ => Answer::Ok(1),
    }
}

async fn codes(world: &mut World) -> Result<Vec<u16>, Error> {
    Ok(world.executor.conditions().await?.iter().map(|condition| condition.code).collect())
}

#[test]
fn asks_the_connection_that_ran_the_statement() {
    block_on(async {
        let mut world = World::new(script);
        world.query("UPDATE t SET c = 1 WHERE id = 1").await.unwrap();
        assert!(world.executor.lingers());
        assert_eq!(world.executor.count_conditions().await, (2, 1));
        assert!(!world.executor.lingers() && world.executor.held.is_empty());
        // They can be asked for again, without the server.
        assert_eq!(codes(&mut world).await.unwrap(), [1265, 1048]);
        assert_eq!(world.seen(1), ["UPDATE t_1 SET c = 1 WHERE id = 1", "SHOW WARNINGS"]);
    });
}

#[test]
fn the_next_statement_forgets_without_asking() {
    block_on(async {
        let mut world = World::new(script);
        world.query("UPDATE t SET c = 1 WHERE id = 1").await.unwrap();
        world.query("SELECT id FROM t WHERE id = 1").await.unwrap();
        assert!(!world.executor.lingers() && world.executor.held.is_empty());
        assert_eq!(codes(&mut world).await.unwrap(), Vec::<u16>::new());
        assert_eq!(world.seen(1).len(), 2);
    });
}

#[test]
fn a_connection_in_a_transaction_is_asked_and_stays() {
    block_on(async {
        let mut world = World::new(script);
        world.executor.begin(Begin::default()).await.unwrap();
        world.query("UPDATE t SET c = 1 WHERE id = 1").await.unwrap();
        assert!(!world.executor.lingers());
        assert_eq!(codes(&mut world).await.unwrap(), [1265, 1048]);
        assert_eq!(world.executor.held.len(), 1);
        world.executor.rollback(false).await.unwrap();
        assert_eq!(world.seen(1).last().unwrap(), "ROLLBACK");
    });
}

#[test]
fn a_deadlock_is_told_of_after_its_rollback() {
    block_on(async {
        let mut world = World::new(script);
        world.executor.begin(Begin::default()).await.unwrap();
        world.query("UPDATE t SET c = 13 WHERE id = 1").await.unwrap();
        assert_eq!(codes(&mut world).await.unwrap(), [1265, 1048]);
        let seen = world.seen(1);
        assert_eq!(seen[seen.len() - 2..], ["SHOW WARNINGS", "ROLLBACK"]);
    });
}

#[test]
fn joins_the_conditions_of_several_servers_before_it_commits() {
    block_on(async {
        let mut world = World::new(script);
        let outcome = world.query("UPDATE t SET c = 1 WHERE id IN (1, 2)").await.unwrap();
        assert_eq!((outcome.warnings, outcome.affected), (4, 6));
        assert_eq!(codes(&mut world).await.unwrap(), [1265, 1048, 1265, 1048]);
        let seen = world.seen(0);
        assert_eq!(seen, ["BEGIN", "UPDATE t_2 SET c = 1 WHERE id IN (1, 2)", "SHOW WARNINGS", "COMMIT"]);
        assert_eq!(world.executor.figures().row_count, 6);
    });
}

#[test]
fn asks_between_the_nodes_of_one_connection() {
    block_on(async {
        let mut world = World::new(script);
        world.query("UPDATE t SET c = 1 WHERE id IN (1, 3)").await.unwrap();
        assert_eq!(codes(&mut world).await.unwrap(), [1265, 1048, 1265, 1048]);
        assert_eq!(world.executor.count_conditions().await, (4, 2));
        let update = |node: u8| format!("UPDATE t_{node} SET c = 1 WHERE id IN (1, 3)");
        let (one, other) = (update(1), update(3));
        assert_eq!(world.seen(1), ["BEGIN", &one, "SHOW WARNINGS", &other, "SHOW WARNINGS", "COMMIT"]);
        world.query("UPDATE t SET c = 13 WHERE id IN (1, 3)").await.unwrap();
        assert_eq!(codes(&mut world).await.unwrap(), [1213]);
    });
}

#[test]
fn keeps_the_figures_of_each_kind_of_statement() {
    block_on(async {
        let mut world = World::new(script);
        let figures = |world: &World| {
            let Figures { row_count, found_rows, .. } = world.executor.figures();
            (row_count, found_rows)
        };
        world.query("SELECT id FROM t WHERE id = 1").await.unwrap();
        assert_eq!(figures(&world), (-1, 2));
        world.query("SELECT id FROM t").await.unwrap();
        assert_eq!(figures(&world), (-1, 8));
        world.query("UPDATE t SET c = 1 WHERE id = 1").await.unwrap();
        assert_eq!(figures(&world), (3, 8));
        world.executor.did();
        assert_eq!(figures(&world), (0, 8));
        world.executor.raise(1046, "No database selected");
        assert_eq!(figures(&world), (-1, 8));
        assert_eq!(codes(&mut world).await.unwrap(), [1046]);
    });
}

#[test]
fn asks_for_found_rows_where_they_were_calculated() {
    block_on(async {
        let mut world = World::new(script);
        world.query("SELECT SQL_CALC_FOUND_ROWS id FROM t WHERE id = 1 LIMIT 1").await.unwrap();
        assert!(world.executor.lingers());
        world.executor.keep_conditions().await;
        assert_eq!(world.executor.figures().found_rows, 77);
        assert!(world.executor.held.is_empty());
        assert_eq!(world.seen(1).last().unwrap(), "SELECT FOUND_ROWS()");
    });
}

#[test]
fn remembers_an_insert_id_that_a_query_has_set() {
    block_on(async {
        let mut world = World::new(script);
        world.query("SELECT LAST_INSERT_ID(id + 1) FROM t WHERE id = 1").await.unwrap();
        assert_eq!(world.executor.figures().insert_id, 77);
        assert!(world.executor.held.is_empty());
        let expected = [
            "SET @@SESSION.last_insert_id=0",
            "SELECT LAST_INSERT_ID(id + 1) FROM t_1 WHERE id = 1",
            "SELECT LAST_INSERT_ID()",
        ];
        assert_eq!(world.seen(1), expected);
    });
}
