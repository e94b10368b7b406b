use super::*;
use proptest::prelude::*;

fn name() -> impl Strategy<Value = Bytes> {
    prop::collection::vec(any::<u8>(), 0..300).prop_map(Bytes::from)
}

prop_compose! {
    fn column()(
        (schema, table, org_table, name, org_name) in (name(), name(), name(), name(), name()),
        charset in any::<u16>(), length in any::<u32>(), kind in any::<u8>(), flags in any::<u16>(), decimals in any::<u8>(),
    ) -> Column {
        let (kind, flags) = (ColumnType(kind), ColumnFlags::from_bits_retain(flags));
        Column { schema, table, org_table, name, org_name, charset, length, kind, flags, decimals }
    }
}

#[test]
fn renames_tables_and_keeps_the_rest() {
    let mut column = Column::integer("id");
    (column.schema, column.table, column.org_table) = ("ds_0".into(), "t_order_1".into(), "t_order_1".into());
    let mut payload = BytesMut::new();
    column.encode(&mut payload);

    let (mut out, mut sequence) = (BytesMut::new(), 3);
    rename(&payload, &mut out, &mut sequence, |names| {
        assert_eq!(names.name, b"id");
        (names.schema, names.table, names.org_table) = (b"sharding_db", b"o", b"t_order");
    })
    .unwrap();

    (column.schema, column.table, column.org_table) = ("sharding_db".into(), "o".into(), "t_order".into());
    assert_eq!(frame::header(&out), Some(frame::Header { len: out.len() - 4, sequence: 3 }));
    assert_eq!((Column::decode(&out[4..]), sequence), (Ok(column), 4));
}

#[test]
fn lists_a_column_as_mysql_does() {
    let mut column = Column::new("a", ColumnType::LONG);
    (column.schema, column.table, column.org_table) = ("test".into(), "t".into(), "t".into());
    (column.org_name, column.length) = ("a".into(), 11);
    let mut out = BytesMut::new();
    column.encode_listed(&mut out);
    assert_eq!(&out[..], b"\x03def\x04test\x01t\x01t\x01a\x01a\x0c?\0\x0b\0\0\0\x03\0\0\0\0\0\xfb");
    assert_eq!(Column::decode(&out), Ok(column));
}

proptest! {
    #[test]
    fn reads_back_what_it_wrote(column in column()) {
        let mut out = BytesMut::new();
        column.encode(&mut out);
        prop_assert_eq!(Column::decode(&out), Ok(column));
    }

    #[test]
    fn never_panics_on_garbage(bytes in prop::collection::vec(any::<u8>(), 0..60), cut in 0_usize..60) {
        let _ = Column::decode(&bytes);
        let mut out = BytesMut::new();
        Column::text("name", 3).encode(&mut out);
        out.truncate(cut.min(out.len()));
        let _ = Column::decode(&out);
        let _ = rename(&bytes, &mut BytesMut::new(), &mut 0, |_| ());
    }
}
