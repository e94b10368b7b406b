use super::*;
use proptest::prelude::*;

fn assemble(bytes: &[u8], limit: usize) -> Result<Vec<Message>, Error> {
    let (mut input, mut assembler, mut all) = (BytesMut::from(bytes), Assembler::new(limit), vec![]);
    while let Some(message) = assembler.next(&mut input)? {
        all.push(message);
    }
    Ok(all)
}

#[test]
fn splits_at_the_maximum_and_ends_an_exact_multiple_with_an_empty_frame() {
    for (len, frames) in
        [(0, 1), (1, 1), (MAX_PAYLOAD - 1, 1), (MAX_PAYLOAD, 2), (MAX_PAYLOAD + 1, 2), (2 * MAX_PAYLOAD, 3)]
    {
        let payload = vec![7; len];
        let (mut out, mut sequence) = (BytesMut::new(), 0);
        put(&mut out, &mut sequence, &payload);
        assert_eq!((usize::from(sequence), out.len()), (frames, len + frames * HEADER), "payload of {len}");

        let (mut patched, mut again) = (BytesMut::from(&b"kept"[..]), 0);
        put_with(&mut patched, &mut again, |out| out.extend_from_slice(&payload));
        assert_eq!((again, &patched[..4]), (sequence, &b"kept"[..]));
        assert!(patched[4..] == out[..]);

        let messages = assemble(&out, usize::MAX).unwrap();
        assert_eq!(messages.len(), 1);
        assert!(messages[0].payload == payload);
        assert_eq!(messages[0].sequence, sequence - 1);
    }
}

#[test]
fn wraps_the_sequence() {
    let (mut out, mut sequence) = (BytesMut::new(), 255);
    put(&mut out, &mut sequence, b"a");
    put(&mut out, &mut sequence, b"b");
    let mut assembler = Assembler::new(10);
    assembler.expect(255);
    assert_eq!(assembler.next(&mut out).unwrap().unwrap().sequence, 255);
    assert_eq!(assembler.next(&mut out).unwrap().unwrap().sequence, 0);
    assert_eq!(assembler.expected(), 1);
}

#[test]
fn refuses_a_frame_out_of_order() {
    assert_eq!(assemble(b"\x01\0\0\x03x", 10), Err(Error::OutOfOrder { expected: 0, got: 3 }));
}

#[test]
fn refuses_a_large_message_by_its_header_alone() {
    assert_eq!(assemble(b"\x0b\0\0\0", 10), Err(Error::TooLarge { limit: 10 }));
    assert_eq!(assemble(b"\x0a\0\0\0", 10), Ok(vec![]));
}

#[test]
fn shows_a_message_of_one_frame_where_it_lies() {
    let mut assembler = Assembler::new(10);
    assert_eq!(assembler.front(b"\x02\0\0\0a"), Ok(None));
    assert_eq!(assembler.front(b"\x02\0\0\0abc"), Ok(Some(Header { len: 2, sequence: 0 })));
    assert_eq!(assembler.front(b"\x02\0\0\0ab"), Err(Error::OutOfOrder { expected: 1, got: 0 }));
    assert_eq!(assembler.front(b"\x0b\0\0\x01"), Err(Error::TooLarge { limit: 10 }));
    let mut assembler = Assembler::new(usize::MAX);
    assert_eq!(assembler.front(&[&b"\xff\xff\xff\0"[..], &vec![0; MAX_PAYLOAD]].concat()), Ok(None));
    assert_eq!(assembler.expected(), 0);
}

#[test]
fn writes_nothing_when_the_payload_fails() {
    let (mut out, mut sequence) = (BytesMut::from(&b"kept"[..]), 5);
    let failed = try_put_with(&mut out, &mut sequence, |out| {
        out.extend_from_slice(b"half");
        Err(Error::Unfit { kind: 1 })
    });
    assert_eq!((failed, &out[..], sequence), (Err(Error::Unfit { kind: 1 }), &b"kept"[..], 5));
}

proptest! {
    #[test]
    fn reads_back_messages_however_the_bytes_arrive(
        payloads in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..300), 0..20),
        chunk in 1_usize..50,
    ) {
        let (mut out, mut sequence) = (BytesMut::new(), 0);
        for payload in &payloads {
            put(&mut out, &mut sequence, payload);
        }
        let (mut input, mut assembler, mut read) = (BytesMut::new(), Assembler::new(1000), vec![]);
        for part in out.chunks(chunk) {
            input.extend_from_slice(part);
            while let Some(message) = assembler.next(&mut input).unwrap() {
                read.push(message.payload.to_vec());
            }
        }
        prop_assert_eq!(read, payloads);
        prop_assert!(input.is_empty());
    }

    #[test]
    fn never_panics_on_garbage(bytes in prop::collection::vec(any::<u8>(), 0..100), limit in 0_usize..100) {
        let _ = assemble(&bytes, limit);
    }
}
