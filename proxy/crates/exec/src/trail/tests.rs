use observe::Wants;

use crate::world::{Answer, World, block_on};

/// One row on each shard; shard 3 refuses changes.
fn shards(text: &str) -> Answer {
    match text {
        text if text.starts_with("SELECT") => Answer::Rows(vec!["1"]),
        text if text.contains("t_3") && text.contains("SET c") => Answer::Err(1062),
        _ => Answer::Ok(1),
    }
}

/// Unit, text and error of each run, when all of them ended after they began.
fn runs(world: &World) -> Vec<(String, String, Option<u16>)> {
    let trail = world.executor.trail().expect("a trail");
    let one = |run: &super::Run| {
        assert!(run.ended.is_some_and(|ended| ended >= run.started), "{run:?}");
        (run.unit.name.clone(), String::from_utf8_lossy(&run.text).into_owned(), run.error)
    };
    trail.runs.iter().map(one).collect()
}

fn run(unit: &str, text: &str, error: Option<u16>) -> (String, String, Option<u16>) {
    (unit.to_owned(), text.to_owned(), error)
}

#[test]
fn every_node_has_a_run_of_its_own() {
    block_on(async {
        let mut world = World::new(shards);
        for (text, count) in [
            ("SELECT id FROM t ORDER BY id", 4),
            ("SELECT COUNT(DISTINCT id) FROM t", 4),
            ("UPDATE t SET id = id", 4),
            ("TRUNCATE TABLE t", 4),
            ("ANALYZE TABLE t", 2),
        ] {
            for prepared in [false, true] {
                world.executor.keep_trail(Wants::TRACED);
                let _ = if prepared { world.execute(text).await } else { world.query(text).await };
                let runs = runs(&world);
                let on = |unit: &str, table: &str| {
                    runs.iter().any(|run| run.0 == unit && run.1.contains(table) && run.2.is_none())
                };
                assert!(on("ds_0", "t_0") && on("ds_0", "t_2"), "{text}: {runs:?}");
                assert!(on("ds_1", "t_1") && on("ds_1", "t_3"), "{text}: {runs:?}");
                assert_eq!(runs.len(), count, "{text}: {runs:?}");
            }
        }
    });
}

#[test]
fn nodes_of_one_connection_run_one_after_the_other() {
    block_on(async {
        let mut world = World::new(shards);
        world.executor.keep_trail(Wants::TRACED);
        world.query("SELECT id FROM t ORDER BY id").await.expect("rows");
        let trail = world.executor.trail().expect("a trail");
        assert_eq!(trail.connections, 2);
        for unit in ["ds_0", "ds_1"] {
            let runs: Vec<_> = trail.runs.iter().filter(|run| run.unit.name == unit).collect();
            assert_eq!(runs.len(), 2);
            assert_eq!(runs[0].ended, Some(runs[1].started), "{runs:?}");
        }
    });
}

#[test]
fn an_error_is_that_of_the_node_that_failed() {
    block_on(async {
        let mut world = World::new(shards);
        world.executor.keep_trail(Wants::TRACED);
        let outcome = world.query("UPDATE t SET c = 1").await.expect("an answer");
        assert_eq!(outcome.error, Some(1062));
        let mut all = runs(&world);
        all.sort();
        let told: Vec<_> = all.iter().map(|run| (run.0.as_str(), run.2)).collect();
        assert_eq!(told, [("ds_0", None), ("ds_0", None), ("ds_1", None), ("ds_1", Some(1062))]);
        assert!(all[3].1.contains("t_3"), "{all:?}");
    });
}

#[test]
fn one_node_has_one_run_and_nothing_is_kept_unless_it_is_wanted() {
    block_on(async {
        let mut world = World::new(shards);
        world.executor.keep_trail(Wants::RUNS);
        world.query("SELECT id FROM t WHERE id = 1").await.expect("a row");
        assert_eq!(runs(&world), [run("ds_1", "", None)]);
        assert_eq!(world.executor.trail().expect("a trail").connections, 1);
        world.executor.keep_trail(Wants::empty());
        world.query("SELECT id FROM t").await.expect("rows");
        assert!(world.executor.trail().is_none());
    });
}
