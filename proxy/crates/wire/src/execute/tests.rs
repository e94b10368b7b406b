use super::*;
use crate::{command::Command, value::tests::any_value};
use proptest::prelude::*;

fn execute(payload: &[u8], capabilities: Capabilities) -> Execute<'_> {
    match Command::decode(payload, capabilities) {
        Ok(Command::Execute(execute)) => execute,
        other => panic!("{other:?}"),
    }
}

/// The payload a client would send, with or without types.
fn client(values: &[(Value<'_>, Kind)], types: bool) -> Vec<u8> {
    let mut out = BytesMut::from(&b"\x17\x01\0\0\0\0\x01\0\0\0"[..]);
    if !values.is_empty() {
        let mut nulls = vec![0; values.len().div_ceil(8)];
        for (at, (value, _)) in values.iter().enumerate() {
            nulls[at / 8] |= u8::from(value.is_null()) << (at % 8);
        }
        out.extend_from_slice(&nulls);
        out.put_u8(u8::from(types));
        for (_, kind) in values.iter().filter(|_| types) {
            out.extend_from_slice(&kind.to_bytes());
        }
        for (value, kind) in values {
            value.put_binary(&mut out, *kind).unwrap();
        }
    }
    out.to_vec()
}

#[test]
fn uses_the_types_of_before_when_none_are_sent() {
    let kinds = [Kind { column: ColumnType::TINY, unsigned: true }];
    let payload = client(&[(Value::UInt(200), kinds[0])], false);
    let execute = execute(&payload, Capabilities::empty());
    let params = execute.params(1, Some(&kinds)).unwrap();
    assert_eq!((params.get(0), params.rebound, params.types()), (Value::UInt(200), false, &kinds[..]));
    assert!(!execute.carries_types(1) && execute.carries_types(0));
    assert_eq!(execute.params(1, None).err(), Some(Error::Truncated { what: "types of parameters" }));
    assert_eq!(execute.params(1, Some(&[])).err(), Some(Error::Truncated { what: "types of parameters" }));
}

#[test]
fn takes_long_data_for_the_parameters_that_have_it() {
    // The packet holds nothing for parameter 0, whose type says BLOB, and an int for parameter 1.
    let payload = b"\x17\x01\0\0\0\0\x01\0\0\0\0\x01\xfc\0\x03\0\x2a\0\0\0";
    let execute = execute(payload, Capabilities::empty());
    let params = execute.params_with(2, None, |at| (at == 0).then_some(&b"long"[..])).unwrap();
    assert_eq!((params.get(0), params.get(1)), (Value::Bytes(b"long"), Value::Int(42)));
    assert!(params.long(0) && params.any_long() && !params.null(0));

    let (mut out, mut sequence) = (BytesMut::new(), 0);
    put_execute(&mut out, &mut sequence, 5, 0, &params, [Arg::Client(0), Arg::Client(1)].into_iter())
        .unwrap();
    assert_eq!(&out[4..], b"\x17\x05\0\0\0\0\x01\0\0\0\0\x01\xfc\0\x03\0\x04long\x2a\0\0\0");
}

#[test]
fn passes_over_attributes_among_parameters() {
    // One parameter (unnamed int 7) and one attribute ("k" = "v"), counted by the packet.
    let payload = b"\x17\x01\0\0\0\x08\x01\0\0\0\x02\0\x01\x03\0\0\xfd\0\x01k\x07\0\0\0\x01v";
    let execute = execute(payload, Capabilities::QUERY_ATTRIBUTES);
    let params = execute.params(1, None).unwrap();
    assert_eq!((params.len(), params.types().len(), params.get(0)), (1, 1, Value::Int(7)));
    assert!(execute.params(3, None).is_err());
    assert!(!execute.wants_cursor());
}

#[test]
fn reads_a_count_that_no_flag_announces() {
    // As Connector/Python sends it: one parameter, unnamed, the string "x".
    let payload = b"\x17\x01\0\0\0\0\x01\0\0\0\x01\0\x01\xfe\0\0\x01x";
    let execute = execute(payload, Capabilities::QUERY_ATTRIBUTES);
    let params = execute.params(1, None).unwrap();
    assert_eq!((params.len(), params.get(0)), (1, Value::Bytes(b"x")));
    assert!(!execute.carries_types(1) && execute.carries_types(0));
}

#[test]
fn sends_some_parameters_and_values_of_its_own() {
    let kind = Kind::new(ColumnType::LONGLONG);
    let payload = client(&[(Value::Int(1), kind), (Value::Null, kind), (Value::Int(3), kind)], true);
    let params = execute(&payload, Capabilities::empty()).params(3, None).unwrap();
    let which = [Arg::Client(2), Arg::Client(1), Arg::Unsigned(10), Arg::Value(Value::Bytes(b"key"))];
    let (mut out, mut sequence) = (BytesMut::new(), 0);
    put_execute(&mut out, &mut sequence, 77, 0, &params, which.into_iter()).unwrap();
    let sent = execute(&out[4..], Capabilities::empty());
    let read = sent.params(4, None).unwrap();
    assert_eq!(sent.statement, 77);
    let values: Vec<_> = (0..4).map(|at| read.get(at)).collect();
    assert_eq!(values, [Value::Int(3), Value::Null, Value::UInt(10), Value::Bytes(b"key")]);
}

#[test]
fn sends_nothing_behind_the_header_without_parameters() {
    let (mut out, mut sequence) = (BytesMut::new(), 0);
    put_execute(&mut out, &mut sequence, 1, 0, &Params::none(), std::iter::empty()).unwrap();
    assert_eq!((&out[4..], sequence), (&b"\x17\x01\0\0\0\0\x01\0\0\0"[..], 1));
}

#[test]
fn patches_the_statement_id() {
    let mut payload = *b"\x17\x01\0\0\0\0\x01\0\0\0";
    assert!(patch_statement_id(&mut payload, 0x0102_0304));
    assert_eq!(&payload[..6], b"\x17\x04\x03\x02\x01\0");
    assert!(!patch_statement_id(&mut payload[..3], 1));
    payload[5] = 1;
    clear_flags(&mut payload);
    assert_eq!(payload[5], 0);
}

proptest! {
    #[test]
    fn reads_back_and_sends_on_what_a_client_sent(cells in prop::collection::vec(any_value(), 0..40)) {
        let values: Vec<_> = cells.iter().map(|(owned, kind)| (owned.value(), *kind)).collect();
        let payload = client(&values, true);
        let params = execute(&payload, Capabilities::empty()).params(values.len(), None).unwrap();
        prop_assert_eq!(params.len(), values.len());
        prop_assert!(execute(&payload, Capabilities::empty()).carries_types(values.len()));
        for (at, (value, _)) in values.iter().enumerate() {
            prop_assert_eq!(params.value(at), Ok(*value));
            prop_assert_eq!(params.null(at), value.is_null());
        }
        let (mut out, mut sequence) = (BytesMut::new(), 0);
        put_execute(&mut out, &mut sequence, 1, 0, &params, (0..values.len()).map(Arg::Client)).unwrap();
        prop_assert_eq!(&out[4..], &payload[..]);
    }

    #[test]
    fn never_panics_on_garbage(
        rest in prop::collection::vec(any::<u8>(), 0..80), flags in any::<u8>(), attributes in any::<bool>(), count in 0_usize..70_000,
        known in prop::collection::vec(any::<[u8; 2]>(), 0..10),
    ) {
        let execute = Execute { statement: 1, flags, iterations: 1, rest: &rest, attributes };
        let known: Vec<_> = known.into_iter().map(Kind::from_bytes).collect();
        for count in [count, count % 10, known.len()] {
            if let Ok(params) = execute.params(count, Some(&known)) {
                for at in 0..=count {
                    let _ = (params.get(at), params.raw(at), params.null(at));
                }
            }
        }
    }
}

#[test]
fn attributes_go_on_behind_the_parameters_to_servers_that_take_them() {
    use crate::attributes::Attribute;
    let null = Attribute { value: None, ..Attribute::text("none", "") };
    let all = [Attribute::text("a", "x"), null, Attribute::text("b", "y")];
    let attributes: Attributes = all.into_iter().collect();
    for count in [0, 1, 6, 7, 8, 20] {
        let values: Vec<_> =
            (0..count).map(|at| if at % 3 == 1 { Value::Null } else { Value::Int(at as i64) }).collect();
        let sent = |named, attributes| {
            let (mut out, mut sequence) = (BytesMut::new(), 0);
            let which = values.iter().map(|value| Arg::Value(*value));
            let run = Run { statement: 9, flags: 1, named, attributes };
            run.put(&mut out, &mut sequence, &Params::none(), which).unwrap();
            out.split_off(4)
        };
        for given in [None, Some(&attributes)] {
            let payload = sent(true, given);
            let execute = execute(&payload, Capabilities::QUERY_ATTRIBUTES);
            assert_eq!((execute.statement, execute.flags & 7), (9, 1));
            let params = execute.params(count, None).unwrap();
            let read: Vec<_> = (0..count).map(|at| params.get(at)).collect();
            assert_eq!(read, values, "{count}");
            assert_eq!(execute.attributes(count).unwrap().as_ref(), given, "{count}");
        }
        // To others none of it goes.
        let (mut plain, mut sequence) = (BytesMut::new(), 0);
        let which = values.iter().map(|value| Arg::Value(*value));
        put_execute(&mut plain, &mut sequence, 9, 1, &Params::none(), which).unwrap();
        assert_eq!(sent(false, Some(&attributes)), plain[4..]);
    }
}
