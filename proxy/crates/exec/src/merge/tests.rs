//! The operators against hand-computed rows, and against a model that knows all rows at once.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use bytes::BytesMut;
use plan::{Collation, Combine, Group, Merged, Position, Rows, SortKey, Weight, Window};
use proptest::prelude::*;
use wire::column::{Column, ColumnFlags, ColumnType};

use super::*;

mod edges;

const LIMIT: usize = 1 << 20;

const WEIGHT: Weight =
    Weight { value: Position::Derived(0), collation: Collation::Known("utf8mb4_0900_ai_ci") };

/// `k INT, s VARCHAR, v BIGINT UNSIGNED, d DECIMAL(10,2)`, then the weight of `s`.
#[derive(Clone, Debug, Eq, PartialEq)]
struct Record {
    k: Option<i32>,
    s: Option<String>,
    v: Option<u64>,
    d: Option<i32>,
}

fn shape(format: Format) -> Shape {
    let text = |name: &'static str| Column { charset: 255, ..Column::new(name, ColumnType::VAR_STRING) };
    let columns = [
        Column::new("k", ColumnType::LONG),
        text("s"),
        Column { flags: ColumnFlags::UNSIGNED, ..Column::new("v", ColumnType::LONGLONG) },
        Column { decimals: 2, ..Column::new("d", ColumnType::NEWDECIMAL) },
        Column::new("w", ColumnType::VAR_STRING),
    ];
    let fields = columns.iter().map(|column| Field::of(column, format)).collect();
    Shape { format, fields, derived: 1 }
}

fn money(cents: i64) -> String {
    let sign = if cents < 0 { "-" } else { "" };
    format!("{sign}{}.{:02}", cents.abs() / 100, cents.abs() % 100)
}

impl Record {
    fn row(&self, shape: &Shape) -> Row {
        let number = |text: Option<String>, bytes: Option<Vec<u8>>| match shape.format {
            Format::Text => text.map(String::into_bytes),
            Format::Binary => bytes,
        };
        let values = [
            number(self.k.map(|k| k.to_string()), self.k.map(|k| k.to_le_bytes().to_vec())),
            self.s.clone().map(String::into_bytes),
            number(self.v.map(|v| v.to_string()), self.v.map(|v| v.to_le_bytes().to_vec())),
            self.d.map(|d| money(d.into()).into_bytes()),
            self.s.as_ref().map(|s| s.to_uppercase().into_bytes()),
        ];
        Row::of(shape, values.iter().map(Option::as_deref)).unwrap()
    }

    fn fold(&self) -> Option<String> {
        self.s.as_ref().map(|s| s.to_uppercase())
    }
}

fn key(column: u16, descending: bool) -> SortKey {
    let weight = (column == 1).then_some(WEIGHT);
    SortKey { value: Position::Visible(column), weight, descending }
}

/// Drives the operators as the executor does.
fn merge(rows: &Rows, shape: &Shape, streams: Vec<Vec<Row>>) -> Result<Vec<Row>, Error> {
    let mut merging = Merging::new(rows, shape.clone(), streams.len(), LIMIT)?;
    let mut shown = Vec::new();
    let mut streams: Vec<_> = streams.into_iter().map(Vec::into_iter).collect();
    if merging.interleaves() {
        for (index, stream) in streams.iter_mut().enumerate() {
            if let Some(row) = stream.next() {
                merging.push(index, row);
            }
        }
        while let Some((index, row)) = merging.pop() {
            shown.extend(merging.feed(row)?);
            if merging.done() {
                return Ok(shown);
            }
            if let Some(row) = streams[index].next() {
                merging.push(index, row);
            }
        }
    } else {
        for row in streams.into_iter().flatten() {
            shown.extend(merging.feed(row)?);
        }
    }
    merging.finish()?;
    while let Some(row) = merging.take()? {
        shown.push(row);
    }
    Ok(shown)
}

fn texts(rows: &[Row], columns: &[usize]) -> Vec<Vec<Option<String>>> {
    let text =
        |row: &Row, column: usize| row.value(column).map(|value| String::from_utf8_lossy(value).into_owned());
    rows.iter().map(|row| columns.iter().map(|&column| text(row, column)).collect()).collect()
}

fn plain(values: &[Option<&str>]) -> Vec<Option<String>> {
    values.iter().map(|value| value.map(str::to_owned)).collect()
}

fn record(k: i32, s: &str, v: u64, d: i32) -> Record {
    Record { k: Some(k), s: Some(s.to_owned()), v: Some(v), d: Some(d) }
}

#[test]
fn merges_null_first_ascending_and_last_descending() {
    let shape = shape(Format::Text);
    let null = Record { k: None, ..record(0, "n", 0, 0) };
    let streams = |first: &[Record], second: &[Record]| {
        vec![
            first.iter().map(|record| record.row(&shape)).collect::<Vec<_>>(),
            second.iter().map(|record| record.row(&shape)).collect(),
        ]
    };
    let up = Rows { order: vec![key(0, false)], derived: 1, ..Rows::default() };
    let rows =
        merge(&up, &shape, streams(&[record(2, "", 0, 0)], &[null.clone(), record(10, "", 0, 0)])).unwrap();
    assert_eq!(texts(&rows, &[0]), [plain(&[None]), plain(&[Some("2")]), plain(&[Some("10")])]);
    let down = Rows { order: vec![key(0, true)], derived: 1, ..Rows::default() };
    let rows = merge(&down, &shape, streams(&[record(2, "", 0, 0)], &[record(10, "", 0, 0), null])).unwrap();
    assert_eq!(texts(&rows, &[0]), [plain(&[Some("10")]), plain(&[Some("2")]), plain(&[None])]);
}

#[test]
fn groups_text_by_its_weight_and_keeps_the_first_spelling() {
    let shape = shape(Format::Text);
    let group = Group {
        keys: vec![key(1, false)],
        aggregates: vec![
            Merged { column: Position::Visible(2), how: Combine::Count },
            Merged { column: Position::Visible(3), how: Combine::Sum },
        ],
        witness: None,
    };
    let rows = Rows { group: Some(group), derived: 1, ..Rows::default() };
    let streams = vec![
        vec![record(1, "a", 3, 150).row(&shape), record(1, "b", 1, 1).row(&shape)],
        vec![record(2, "A", 4, -25).row(&shape)],
    ];
    let rows = merge(&rows, &shape, streams).unwrap();
    let expected =
        [plain(&[Some("a"), Some("7"), Some("1.25")]), plain(&[Some("b"), Some("1"), Some("0.01")])];
    assert_eq!(texts(&rows, &[1, 2, 3]), expected);
}

#[test]
fn totals_over_no_rows_are_zero_for_counts_and_null_for_the_rest() {
    for format in [Format::Text, Format::Binary] {
        let shape = shape(format);
        let group = Group {
            keys: vec![],
            aggregates: vec![
                Merged { column: Position::Visible(2), how: Combine::Count },
                Merged { column: Position::Visible(3), how: Combine::Sum },
            ],
            witness: None,
        };
        let rows = Rows { group: Some(group), derived: 1, ..Rows::default() };
        let shown = merge(&rows, &shape, vec![vec![], vec![]]).unwrap();
        let zero: &[u8] = if format == Format::Text { b"0" } else { &[0; 8] };
        assert_eq!(shown.len(), 1);
        assert_eq!((shown[0].value(2), shown[0].value(3)), (Some(zero), None));
    }
}

#[test]
fn averages_divide_sums_by_counts() {
    let columns = [
        Column { decimals: 6, ..Column::new("avg", ColumnType::NEWDECIMAL) },
        Column { decimals: 2, ..Column::new("sum", ColumnType::NEWDECIMAL) },
        Column::new("count", ColumnType::LONGLONG),
    ];
    let fields = columns.iter().map(|column| Field::of(column, Format::Text)).collect();
    let shape = Shape { format: Format::Text, fields, derived: 2 };
    let how = Combine::Average { sum: Position::Derived(0), count: Position::Derived(1) };
    let aggregates = vec![Merged { column: Position::Visible(0), how }];
    let rows = Rows {
        group: Some(Group { keys: vec![], aggregates, witness: None }),
        derived: 2,
        ..Rows::default()
    };
    let row =
        |values: [Option<&str>; 3]| Row::of(&shape, values.map(|value| value.map(str::as_bytes))).unwrap();
    let parts = [
        [Some("1.000000"), Some("1.00"), Some("1")],
        [None, None, Some("0")],
        [Some("0.5"), Some("1.00"), Some("2")],
    ];
    let shown = merge(&rows, &shape, parts.into_iter().map(|part| vec![row(part)]).collect()).unwrap();
    assert_eq!(texts(&shown, &[0]), [plain(&[Some("0.666667")])]);
    let nothing = [[None, None, Some("0")], [None, None, Some("0")]];
    let shown = merge(&rows, &shape, nothing.into_iter().map(|part| vec![row(part)]).collect()).unwrap();
    assert_eq!(texts(&shown, &[0]), [plain(&[None])]);
}

#[test]
fn extremes_follow_the_weight_and_take_it_along() {
    let shape = shape(Format::Text);
    for (how, expected) in [
        (Combine::Max { weight: Some(WEIGHT) }, ("b", "B")),
        (Combine::Min { weight: Some(WEIGHT) }, ("A", "A")),
    ] {
        let aggregates = vec![Merged { column: Position::Visible(1), how }];
        let rows = Rows {
            group: Some(Group { keys: vec![], aggregates, witness: None }),
            derived: 1,
            ..Rows::default()
        };
        let streams = ["b", "A", "B"].map(|s| vec![record(1, s, 0, 0).row(&shape)]).to_vec();
        let shown = merge(&rows, &shape, streams).unwrap();
        assert_eq!(texts(&shown, &[1, 4]), [plain(&[Some(expected.0), Some(expected.1)])]);
    }
}

/// `id`, a text, its weight, the name of its collation.
fn texts_of(streams: &[&[(&str, &str, &[u8])]], collation: &str) -> (Shape, Vec<Vec<Row>>) {
    let text = |name: &'static str| Column { charset: 255, ..Column::new(name, ColumnType::VAR_STRING) };
    let columns =
        [Column::new("id", ColumnType::LONG), text("x"), Column::new("w", ColumnType::VAR_STRING), text("c")];
    let fields = columns.iter().map(|column| Field::of(column, Format::Text)).collect();
    let shape = Shape { format: Format::Text, fields, derived: 2 };
    let row = |&(id, x, w): &(&str, &str, &[u8])| {
        let values = [id.as_bytes(), x.as_bytes(), w, collation.as_bytes()];
        Row::of(&shape, values.into_iter().map(Some)).unwrap()
    };
    let streams = streams.iter().map(|rows| rows.iter().map(row).collect()).collect();
    (shape, streams)
}

/// As MySQL 9.7 answers `SELECT UPPER(v) x, COUNT(*) … GROUP BY x ORDER BY x` over `'a\t'`, `'a'`, `'a '`, `'b'`.
#[test]
fn expressions_sort_with_blanks_as_the_collation_that_is_told() {
    let (shape, streams) = texts_of(
        &[
            &[("1", "A\t", b"\0\0A\0\0\t"), ("4", "B", b"\0\0B")],
            &[("2", "A", b"\0\0A")],
            &[("3", "A ", b"\0\0A\0\0 ")],
        ],
        "utf8mb4_bin",
    );
    let weight = Weight { value: Position::Derived(0), collation: Collation::Told(Position::Derived(1)) };
    let key = SortKey { value: Position::Visible(1), weight: Some(weight), descending: false };
    let rows = Rows { order: vec![key], derived: 2, ..Rows::default() };
    let shown = merge(&rows, &shape, streams.clone()).unwrap();
    let ids = |rows: &[Row]| texts(rows, &[0]).concat().into_iter().flatten().collect::<Vec<_>>().concat();
    assert_eq!(ids(&shown), "1234");
    let group = Some(Group { keys: vec![key], aggregates: Vec::new(), witness: None });
    for order in [vec![key], Vec::new()] {
        let rows = Rows { order, group: group.clone(), resort: vec![key], derived: 2, ..Rows::default() };
        assert_eq!(ids(&merge(&rows, &shape, streams.clone()).unwrap()), "124");
    }
}

/// As MySQL 9.7 answers `SELECT d, MIN(g) m … GROUP BY d ORDER BY m, d DESC` over `'a '`, `'ä'`, `'A'`.
#[test]
fn extremes_sort_with_blanks_as_their_collation_says() {
    let (shape, streams) = texts_of(
        &[&[("1", "a ", b"\0A\0 "), ("4", "A", b"\0A")], &[("2", "ä", b"\0A")]],
        "utf8mb4_general_ci",
    );
    for collation in [Collation::Known("utf8mb4_general_ci"), Collation::Told(Position::Derived(1))] {
        let weight = Some(Weight { value: Position::Derived(0), collation });
        let d = key(0, false);
        let aggregates = vec![Merged { column: Position::Visible(1), how: Combine::Min { weight } }];
        let m = SortKey { value: Position::Visible(1), weight, descending: false };
        let rows = Rows {
            group: Some(Group { keys: vec![d], aggregates, witness: None }),
            resort: vec![m, key(0, true)],
            derived: 2,
            ..Rows::default()
        };
        let shown = merge(&rows, &shape, streams.clone()).unwrap();
        assert_eq!(texts(&shown, &[0]).concat(), plain(&[Some("4"), Some("2"), Some("1")]));
    }
}

/// As MySQL 9.7 answers `SELECT MIN(l), MAX(l)` over `''`, `'\0'`, `'a\t'`, `'a'`.
#[test]
fn letters_below_the_blank_are_less_than_nothing() {
    let (shape, streams) =
        texts_of(&[&[("1", "", b""), ("2", "\0", b"\0")], &[("3", "a\t", b"A\t"), ("4", "a", b"A")]], "");
    let weight =
        Some(Weight { value: Position::Derived(0), collation: Collation::Known("latin1_swedish_ci") });
    for (how, expected) in [(Combine::Min { weight }, "\0"), (Combine::Max { weight }, "a")] {
        let aggregates = vec![Merged { column: Position::Visible(1), how }];
        let rows = Rows {
            group: Some(Group { keys: vec![], aggregates, witness: None }),
            derived: 2,
            ..Rows::default()
        };
        let shown = merge(&rows, &shape, streams.clone()).unwrap();
        assert_eq!(texts(&shown, &[1]).concat(), plain(&[Some(expected)]));
    }
}

#[test]
fn refuses_what_the_rows_do_not_tell() {
    let weightless = SortKey { value: Position::Visible(1), weight: None, descending: false };
    let rows = Rows { order: vec![weightless], derived: 1, ..Rows::default() };
    let refused = Merging::new(&rows, shape(Format::Text), 2, LIMIT).map(drop);
    assert!(matches!(refused, Err(Error::Weightless { column }) if column == "s"));
    let mut names = shape(Format::Text);
    names.fields[0].kind = Kind::Enumeration;
    let rows = Rows { order: vec![key(0, false)], derived: 1, ..Rows::default() };
    assert!(
        matches!(Merging::new(&rows, names, 2, LIMIT).map(drop), Err(Error::Unsortable { column }) if column == "k")
    );
}

#[test]
fn bounds_the_memory_of_groups_and_sorts() {
    let shape = shape(Format::Text);
    let group = Group { keys: vec![key(0, false)], aggregates: vec![], witness: None };
    let rows = Rows { group: Some(group), derived: 1, ..Rows::default() };
    let many = || vec![(0..20_000).map(|k| record(k, "x", 0, 0).row(&shape)).collect::<Vec<_>>()];
    assert!(matches!(merge(&rows, &shape, many()), Err(Error::Memory { what: "GROUP BY", .. })));
    let rows = Rows { resort: vec![key(0, false)], derived: 1, ..Rows::default() };
    assert!(matches!(merge(&rows, &shape, many()), Err(Error::Memory { what: "ORDER BY", .. })));
    // A LIMIT bounds what a sort keeps; of equal rows the first stay.
    let mixed = (0..20_000).map(|k| record((k * 7919) % 20_000 / 2, "x", k as u64, 0).row(&shape)).collect();
    let limit = Some(Window { offset: 3, count: 4 });
    let rows = merge(&Rows { limit, ..rows }, &shape, vec![mixed]).unwrap();
    let firsts: Vec<_> = texts(&rows, &[0]).concat().into_iter().flatten().collect();
    assert_eq!(firsts, ["1", "2", "2", "3"]);
}

#[test]
fn hides_derived_columns_when_writing() {
    let shape = shape(Format::Text);
    let merging = Merging::new(&Rows { derived: 1, ..Rows::default() }, shape.clone(), 1, LIMIT).unwrap();
    let (mut out, mut sequence) = (BytesMut::new(), 3);
    merging.put(&record(1, "a", 2, 300).row(&shape), &mut out, &mut sequence);
    assert_eq!(&out[..], b"\x0b\0\0\x03\x011\x01a\x012\x043.00");
    assert_eq!(sequence, 4);
}

fn records() -> impl Strategy<Value = Vec<(usize, Record)>> {
    let record = (
        proptest::option::weighted(0.8, -3_i32..4),
        proptest::option::weighted(0.8, "[abAB]{0,2}"),
        proptest::option::weighted(0.8, prop_oneof![0_u64..5, Just(u64::MAX >> 8)]),
        proptest::option::weighted(0.8, -200_i32..200),
    );
    let record = record.prop_map(|(k, s, v, d)| Record { k, s, v, d });
    proptest::collection::vec((0_usize..4, record), 0..60)
}

/// Compares as the server does.
fn model(keys: &[SortKey], a: &Record, b: &Record) -> Ordering {
    keys.iter().fold(Ordering::Equal, |so_far, key| {
        so_far.then_with(|| {
            let ordering = match key.value {
                Position::Visible(0) => a.k.cmp(&b.k),
                Position::Visible(1) => a.fold().cmp(&b.fold()),
                Position::Visible(2) => a.v.cmp(&b.v),
                _ => a.d.cmp(&b.d),
            };
            if key.descending { ordering.reverse() } else { ordering }
        })
    })
}

fn split(records: &[(usize, Record)], keys: &[SortKey], shape: &Shape) -> Vec<Vec<Row>> {
    (0..4)
        .map(|stream| {
            let mut part: Vec<&Record> =
                records.iter().filter(|(of, _)| *of == stream).map(|(_, record)| record).collect();
            part.sort_by(|a, b| model(keys, a, b));
            part.into_iter().map(|record| record.row(shape)).collect()
        })
        .collect()
}

fn formats() -> impl Strategy<Value = Format> {
    prop_oneof![Just(Format::Text), Just(Format::Binary)]
}

fn keys() -> impl Strategy<Value = Vec<SortKey>> {
    let one = (0_u16..4, any::<bool>()).prop_map(|(column, descending)| key(column, descending));
    proptest::collection::vec(one, 1..4)
}

/// The values of rows in the columns of `keys`, letter case folded.
fn keyed(rows: &[Row], keys: &[SortKey]) -> Vec<Vec<Option<Vec<u8>>>> {
    let column = |key: &SortKey| match key.value {
        Position::Visible(1) | Position::Derived(_) => 4,
        Position::Visible(column) => usize::from(column),
    };
    rows.iter()
        .map(|row| keys.iter().map(|key| row.value(column(key)).map(<[u8]>::to_vec)).collect())
        .collect()
}

proptest! {
    #[test]
    fn ordered_streams_merge_into_the_order_of_all(
        records in records(), keys in keys(), format in formats(), offset in 0_u64..10, count in 0_u64..70, limited in any::<bool>(),
    ) {
        let shape = shape(format);
        let limit = limited.then_some(Window { offset, count });
        let rows = Rows { order: keys.clone(), limit, derived: 1, ..Rows::default() };
        let merged = merge(&rows, &shape, split(&records, &keys, &shape)).unwrap();
        let mut all: Vec<&Record> = records.iter().map(|(_, record)| record).collect();
        all.sort_by(|a, b| model(&keys, a, b));
        let (skip, take) = limit.map_or((0, usize::MAX), |window| (window.offset as usize, window.count as usize));
        let expected: Vec<Row> = all.into_iter().skip(skip).take(take).map(|record| record.row(&shape)).collect();
        prop_assert_eq!(keyed(&merged, &keys), keyed(&expected, &keys));
    }

    #[test]
    fn groups_equal_the_groups_of_all(records in records(), format in formats(), adjacent in any::<bool>(), resort in any::<bool>()) {
        let shape = shape(format);
        let keys = vec![key(1, false), key(0, true)];
        let aggregates = vec![
            Merged { column: Position::Visible(2), how: Combine::Max { weight: None } },
            Merged { column: Position::Visible(3), how: Combine::Sum },
        ];
        let order = if adjacent { keys.clone() } else { vec![] };
        let group = Some(Group { keys: keys.clone(), aggregates, witness: None });
        let resort = if resort || !adjacent { keys } else { vec![] };
        let rows = Rows { order: order.clone(), group, resort, derived: 1, ..Rows::default() };
        let merged = merge(&rows, &shape, split(&records, &order, &shape)).unwrap();
        let mut groups: BTreeMap<_, (Record, Option<u64>, Option<i64>)> = BTreeMap::new();
        for (_, record) in &records {
            let at = (record.fold(), std::cmp::Reverse(record.k));
            let group = groups.entry(at).or_insert_with(|| (record.clone(), None, None));
            group.1 = group.1.max(record.v);
            group.2 = record.d.map_or(group.2, |d| Some(group.2.unwrap_or(0) + i64::from(d)));
        }
        prop_assert_eq!(merged.len(), groups.len());
        for (row, (record, most, sum)) in merged.iter().zip(groups.into_values()) {
            let wanted = Record { v: most, ..record }.row(&shape);
            prop_assert_eq!(row.value(0), wanted.value(0));
            prop_assert_eq!(row.value(2), wanted.value(2));
            prop_assert_eq!(row.value(4), wanted.value(4));
            let sum = sum.map(money);
            prop_assert_eq!(row.value(3), sum.as_deref().map(str::as_bytes));
        }
    }

    #[test]
    fn distinct_shows_each_row_once(records in records(), format in formats()) {
        let shape = shape(format);
        let keys: Vec<SortKey> = (0..4).map(|column| key(column, false)).collect();
        let group = Some(Group { keys: keys.clone(), aggregates: vec![], witness: None });
        let merged = merge(&Rows { group, derived: 1, ..Rows::default() }, &shape, split(&records, &[], &shape)).unwrap();
        let mut shown = keyed(&merged, &keys);
        shown.sort();
        let all: Vec<Row> = records.iter().map(|(_, record)| record.row(&shape)).collect();
        let mut expected = keyed(&all, &keys);
        expected.sort();
        expected.dedup();
        prop_assert_eq!(shown, expected);
    }
}
