//! Where a plain comparison of the rows is not what the server does.

use super::*;

fn ids(rows: &[Row]) -> String {
    texts(rows, &[0]).concat().into_iter().flatten().collect::<Vec<_>>().concat()
}

/// Two texts that differ behind the first 1024 bytes of their weights, in the order of the rest.
const LONG: [(&str, &[u8]); 2] = [("aa…b", &[b'A'; 1025]), ("aa…a", &[b'A'; 1026])];

fn long(collation: &str) -> (Shape, Vec<Vec<Row>>, SortKey) {
    let [(b, second), (a, first)] = LONG;
    let (shape, streams) = texts_of(&[&[("1", b, second)], &[("2", a, first)]], collation);
    let weight = Weight { value: Position::Derived(0), collation: Collation::Told(Position::Derived(1)) };
    let key = SortKey { value: Position::Visible(1), weight: Some(weight), descending: true };
    (shape, streams, key)
}

/// As MySQL 9.7 sorts `CONCAT(REPEAT('a', 1500), …)`: by 1024 bytes under `PAD SPACE`, else by all.
#[test]
fn padded_texts_sort_by_their_first_bytes_only() {
    for (collation, expected) in [("latin1_swedish_ci", "12"), ("utf8mb4_0900_ai_ci", "21")] {
        let (shape, streams, key) = long(collation);
        let order = vec![key, super::key(0, false)];
        let rows = Rows { order, derived: 2, ..Rows::default() };
        assert_eq!(ids(&merge(&rows, &shape, streams).unwrap()), expected, "{collation}");
    }
}

#[test]
fn a_session_may_sort_by_more_bytes() {
    let (shape, streams, key) = long("latin1_swedish_ci");
    let rows = Rows { order: vec![key], derived: 2, ..Rows::default() };
    let mut merging = Merging::new(&rows, shape, 2, LIMIT).unwrap();
    merging.sorted_by(4096);
    for (stream, rows) in streams.into_iter().enumerate() {
        rows.into_iter().for_each(|row| merging.push(stream, row));
    }
    let shown: Vec<Row> = std::iter::from_fn(|| merging.pop().map(|(_, row)| row)).collect();
    assert_eq!(ids(&shown), "21");
}

/// Equal rows of such texts need not come together.
#[test]
fn refuses_groups_of_texts_that_servers_do_not_sort_to_the_end() {
    for (collation, refused) in [("latin1_swedish_ci", true), ("utf8mb4_0900_ai_ci", false)] {
        let (shape, streams, key) = long(collation);
        let group = Some(Group { keys: vec![key], aggregates: Vec::new(), witness: None });
        let rows = Rows { order: vec![key], group, derived: 2, ..Rows::default() };
        let merged = merge(&rows, &shape, streams);
        assert_eq!(matches!(merged, Err(Error::Long { bytes: 1024, .. })), refused, "{collation}");
    }
}

#[test]
fn refuses_to_sort_floats_by_their_six_digits() {
    for (format, refused) in [(Format::Text, true), (Format::Binary, false)] {
        let fields = vec![Field::of(&Column::new("f", ColumnType::FLOAT), format)];
        let shape = Shape { format, fields, derived: 0 };
        let rows = Rows { order: vec![key(0, false)], ..Rows::default() };
        let made = Merging::new(&rows, shape, 2, LIMIT);
        assert_eq!(matches!(made, Err(Error::Unsortable { .. })), refused);
    }
}

/// `SELECT s, COUNT(*) … WHERE k = 1`: a node without such rows answers NULL and 0.
#[test]
fn takes_the_other_columns_from_a_node_that_has_rows() {
    let shape = shape(Format::Text);
    let none = Record { k: None, s: None, v: Some(0), d: None };
    let count = Merged { column: Position::Visible(2), how: Combine::Count };
    let group = Group { keys: vec![], aggregates: vec![count], witness: Some(Position::Visible(2)) };
    let rows = Rows { group: Some(group), derived: 1, ..Rows::default() };
    let some = [record(1, "a", 2, 1), record(1, "b", 3, 1)];
    for records in [[&none, &some[0], &some[1]], [&some[0], &none, &some[1]]] {
        let streams = records.iter().map(|record| vec![record.row(&shape)]).collect();
        let shown = merge(&rows, &shape, streams).unwrap();
        assert_eq!(texts(&shown, &[0, 1, 2]), [plain(&[Some("1"), Some("a"), Some("5")])]);
    }
    let streams = vec![vec![none.row(&shape)], vec![none.row(&shape)]];
    assert_eq!(texts(&merge(&rows, &shape, streams).unwrap(), &[0, 1, 2]), [plain(&[None, None, Some("0")])]);
}

/// `FOUND_ROWS()` counts the rows skipped and shown, or all.
#[test]
fn counts_the_rows_that_are_not_shown() {
    for (counted, window, unsent) in
        [(false, (2, 1), 2), (true, (2, 1), 5), (true, (9, 1), 6), (true, (0, 0), 6)]
    {
        let shape = shape(Format::Text);
        let limit = Some(Window { offset: window.0, count: window.1 });
        let rows = Rows { limit, counted, derived: 1, ..Rows::default() };
        let mut merging = Merging::new(&rows, shape.clone(), 1, LIMIT).unwrap();
        for k in 0..6 {
            if !merging.done() {
                merging.feed(record(k, "x", 0, 0).row(&shape)).unwrap();
            }
        }
        assert_eq!(merging.unsent(), unsent, "{window:?}");
    }
}
