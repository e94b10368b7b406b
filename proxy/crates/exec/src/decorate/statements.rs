//! Whole statements over an encrypted column, against scripted servers.

use plan::Undecryptable;

use crate::world::{Answer, World, block_on};
use crate::{Begin, Command, Dialect};

/// Two rows on each shard, one of them `NULL`.
fn sound(text: &str) -> Answer {
    if !text.starts_with("SELECT") {
        return Answer::Ok(1);
    }
    let shard = (0..4).find(|shard| text.contains(&format!("t_{shard}"))).unwrap();
    let rows = [
        ["4,sFlUS8NkKpiSI2iT5H6MdQ==", "8,CrZkuFZyp9Dz8RCciozH6A=="],
        ["1,Lm04PRW+sp+mG/QuimAUew==", "5,sFlUS8NkKpiSI2iT5H6MdQ=="],
        ["2,Lm04PRW+sp+mG/QuimAUew==", "6,sFlUS8NkKpiSI2iT5H6MdQ=="],
        ["3,Lm04PRW+sp+mG/QuimAUew==", "7,CrZkuFZyp9Dz8RCciozH6A=="],
    ];
    Answer::Rows(rows[shard].to_vec())
}

/// The same, but for what shard 1 has stored in its second row.
fn spoilt(text: &str) -> Answer {
    if text.starts_with("SELECT") && text.contains("t_1") {
        return Answer::Rows(vec!["1,Lm04PRW+sp+mG/QuimAUew==", "5,13800001111", "9,x"]);
    }
    sound(text)
}

const ONE: &str = "SELECT id, name FROM t WHERE id = 1";
const ALL: &str = "SELECT id, name FROM t ORDER BY id";

fn rows(frames: &[Vec<u8>]) -> Vec<String> {
    let text = |row: &Vec<u8>| {
        let cells =
            wire::row::text(row).map(|cell| String::from_utf8_lossy(cell.unwrap().unwrap()).into_owned());
        cells.collect::<Vec<_>>().join(",")
    };
    frames.iter().map(text).collect()
}

#[test]
fn rows_of_one_and_of_several_nodes_are_decrypted() {
    block_on(async {
        for deprecate_eof in [true, false] {
            let mut world = World::new(sound);
            world.encrypt();
            world.client.dialect = Dialect { deprecate_eof, session_track: false, more: false };
            let head = if deprecate_eof { 3 } else { 4 };
            for (text, expected) in [
                (ONE, &["1,1", "5,13800001111"][..]),
                (ALL, &["1,1", "2,1", "3,1", "4,13800001111", "5,13800001111", "6,13800001111", "7,", "8,"]),
                ("SELECT id, name FROM t ORDER BY id LIMIT 3, 2", &["4,13800001111", "5,13800001111"]),
            ] {
                assert_eq!(world.query(text).await.unwrap().rows, expected.len() as u64);
                let frames = world.client.frames();
                assert_eq!(rows(&frames[head..frames.len() - 1]), expected, "{text}");
                let names = wire::column::Names::decode(&frames[2]).unwrap();
                assert_eq!(names.org_name, b"name");
                assert_eq!((names.table, names.schema), (&b"t"[..], &b"shop"[..]));
            }
            let outcome = world.query("SELECT id, name FROM t").await.unwrap();
            assert_eq!((outcome.rows, world.executor.held.len()), (8, 0));
        }
    });
}

#[test]
fn what_cannot_be_decrypted_ends_the_statement_and_nothing_else() {
    block_on(async {
        for text in [ONE, ALL, "SELECT id, name FROM t"] {
            let mut world = World::new(spoilt);
            world.encrypt();
            let outcome = world.query(text).await.unwrap();
            assert_eq!(outcome.error, Some(Undecryptable::CODE), "{text}");
            let frames = world.client.frames();
            let error = wire::reply::Err::decode(frames.last().unwrap()).unwrap();
            let message = "Failed to decrypt the ciphertext '13800001111' in the column 'name' of table 't'.";
            assert_eq!((&*error.text(), &error.state), (message, b"22000"));
            assert!(rows(&frames[4..frames.len() - 1]).iter().all(|row| !row.starts_with('5')));
            // It is the error of the statement, of which the server knows nothing.
            let conditions = world.executor.conditions().await.unwrap();
            assert_eq!((conditions.len(), conditions[0].code), (1, Undecryptable::CODE));
            assert!(world.executor.held.is_empty());
            // The connections are whole, or others take their place.
            assert_eq!(world.query("SELECT id FROM t WHERE id = 2").await.unwrap().error, None);
            assert_eq!(world.query("UPDATE t SET name = NULL").await.unwrap().affected, 4);
        }
    });
}

#[test]
fn a_transaction_goes_on_behind_what_cannot_be_decrypted() {
    block_on(async {
        for text in [ONE, ALL] {
            let mut world = World::new(spoilt);
            world.encrypt();
            world.executor.begin(Begin::default()).await.unwrap();
            world.query("UPDATE t SET name = 'a' WHERE id = 1").await.unwrap();
            assert_eq!(world.query(text).await.unwrap().error, Some(Undecryptable::CODE));
            assert!(world.executor.in_transaction());
            world.query("UPDATE t SET name = NULL WHERE id = 1").await.unwrap();
            world.executor.commit(false).await.unwrap();
            let seen = world.seen(1);
            let ends: Vec<_> = seen.iter().filter(|text| !text.starts_with("SELECT")).collect();
            let [begin, one, two, commit] = &ends[..] else { panic!("{seen:?}") };
            assert_eq!((begin.as_str(), commit.as_str()), ("BEGIN", "COMMIT"));
            assert!(one.starts_with("UPDATE t_1 SET `name_cipher` = '"), "{one}");
            assert_eq!(two.as_str(), "UPDATE t_1 SET `name_cipher` = NULL WHERE id = 1");
        }
    });
}

#[test]
fn a_prepared_statement_tells_the_columns_that_its_rows_will_have() {
    block_on(async {
        let mut world = World::new(|_| Answer::Rows(vec!["1"]));
        world.encrypt();
        // Numbers where text is expected: what is told must be text all the same.
        let outcome =
            world.run("SELECT name FROM t WHERE id = 1", Command::Prepare { statement: 3 }).await.unwrap();
        assert_eq!(outcome.error, None);
        let frames = world.client.frames();
        let column = wire::column::Column::decode(&frames[1]).unwrap();
        assert_eq!((column.kind, &column.org_name[..]), (wire::column::ColumnType::VAR_STRING, &b"name"[..]));
    });
}
