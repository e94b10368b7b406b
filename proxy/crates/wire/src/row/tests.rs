use super::*;
use crate::value::tests::any_value;
use proptest::prelude::*;

#[test]
fn refuses_a_text_row_with_too_few_or_too_many_cells() {
    let mut row = TextRow::default();
    assert_eq!(row.read(b"\x01a\xfb", 2), Ok(()));
    assert_eq!((row.cell(b"\x01a\xfb", 0), row.cell(b"\x01a\xfb", 1), row.len()), (Some(&b"a"[..]), None, 2));
    assert_eq!(row.read(b"\x01a", 2), Err(Error::Truncated { what: "cell of a text row" }));
    assert_eq!(row.read(b"\x01a\x01b", 1), Err(Error::Malformed { what: "text row with too many cells" }));
}

#[test]
fn refuses_a_binary_row_without_its_header() {
    assert_eq!(
        BinaryRow::default().read(b"\x01\0", &[]),
        Err(Error::Malformed { what: "header of a binary row" })
    );
}

proptest! {
    #[test]
    fn reads_back_text_rows(cells in prop::collection::vec(prop::option::of(prop::collection::vec(any::<u8>(), 0..300)), 0..30)) {
        let mut out = BytesMut::new();
        put_text(&mut out, cells.iter().map(Option::as_deref));
        let read: Vec<_> = text(&out).map(|cell| cell.unwrap().map(<[u8]>::to_vec)).collect();
        prop_assert_eq!(&read, &cells);
        let mut row = TextRow::default();
        row.read(&out, cells.len()).unwrap();
        for (at, cell) in cells.iter().enumerate() {
            prop_assert_eq!(row.cell(&out, at), cell.as_deref());
        }
    }

    #[test]
    fn reads_back_binary_rows(cells in prop::collection::vec(any_value(), 0..30)) {
        let kinds: Vec<_> = cells.iter().map(|(_, kind)| *kind).collect();
        let mut out = BytesMut::new();
        put_binary(&mut out, cells.len(), cells.iter().map(|(owned, kind)| (owned.value(), *kind))).unwrap();
        let mut row = BinaryRow::default();
        row.read(&out, &kinds).unwrap();
        for (at, (owned, kind)) in cells.iter().enumerate() {
            prop_assert_eq!(row.value(&out, at, *kind), Ok(owned.value()));
        }
        let mut again = BytesMut::new();
        put_binary_cells(&mut again, cells.len(), (0..cells.len()).map(|at| row.cell(&out, at)));
        prop_assert_eq!(&again, &out);

        let columns: Vec<_> = kinds.iter().map(|kind| {
            let mut column = Column::new("", kind.column);
            column.flags.set(crate::column::ColumnFlags::UNSIGNED, kind.unsigned);
            column
        }).collect();
        let values: Vec<_> = binary(&out, &columns).unwrap().map(Result::unwrap).collect();
        prop_assert_eq!(values, cells.iter().map(|(owned, _)| owned.value()).collect::<Vec<_>>());
    }

    #[test]
    fn never_panics_on_garbage(bytes in prop::collection::vec(any::<u8>(), 0..60), kinds in prop::collection::vec(any::<[u8; 2]>(), 0..20)) {
        for cell in text(&bytes) {
            let _ = cell;
        }
        let _ = TextRow::default().read(&bytes, kinds.len());
        let kinds: Vec<_> = kinds.into_iter().map(Kind::from_bytes).collect();
        let _ = BinaryRow::default().read(&bytes, &kinds);
    }
}
