use super::*;

fn head() -> Head<'static> {
    Head {
        record: (3, 77),
        session: 42,
        user: "a\"b",
        client: "[::1]:4711",
        database: "sharding_db",
        at: UNIX_EPOCH + Duration::from_nanos(1_764_500_000_123_456_789),
        elapsed: Duration::from_micros(1500),
        error: Some(Error { code: 1064, state: *b"42000", party: Party::Client, message: b"near '\xff'" }),
    }
}

fn statement<'a>(parameters: &'a [u8], runs: &'a [u8]) -> Statement<'a> {
    Statement {
        head: head(),
        command: Command::Execute,
        class: Class::Update,
        target: "other",
        verb: "update",
        text: b"UPDATE t SET a = ?\0\xff",
        text_length: 1 << 33,
        masked: true,
        prepared: Some(9),
        parameters: Values::new(parameters),
        digest: 0xdead_beef,
        rows_sent: 1,
        rows_affected: 2,
        insert_id: u64::MAX,
        warnings: 5,
        bytes_received: 6,
        bytes_sent: 7,
        connections: 2,
        route_units: 8,
        in_transaction: true,
        phases: Phases {
            parsed: Duration::from_nanos(1),
            planned: Duration::from_nanos(2),
            leased: Duration::from_nanos(3),
            answered: Duration::from_nanos(4),
        },
        runs: Runs::new(runs),
        trace: Some(Trace { id: u128::MAX - 1, parent: 11, sampled: true }),
    }
}

#[test]
fn what_is_written_is_read() {
    let values = [
        Value::Null,
        Value::Signed(-1),
        Value::Unsigned(u64::MAX),
        Value::Float(-0.5),
        Value::Number(b"1.50"),
        Value::Text("Grüße".as_bytes()),
        Value::Bytes(b"\0\xff"),
        Value::Hidden,
        Value::Cut { start: b"abc", length: 1 << 40 },
    ];
    let mut parameters = Vec::new();
    values.into_iter().for_each(|value| put_value(&mut parameters, value));
    let run = |unit, text| Run {
        unit,
        host: "127.0.0.1",
        port: 3306,
        started: Duration::from_micros(10),
        ended: Duration::from_micros(20),
        text,
        error: 1213,
    };
    let (first, second) = (run("ds_0", b"SELECT 1".as_slice()), run("ds_1", b"".as_slice()));
    let mut runs = Vec::new();
    put_run(&mut runs, &first);
    put_run(&mut runs, &second);

    let session = Session { head: Head { error: None, ..head() }, encrypted: true, statements: 12 };
    let events = [
        Event::Connect(session),
        Event::Statement(statement(&parameters, &runs)),
        Event::Statement(Statement { prepared: None, trace: None, ..statement(&[], &[]) }),
        Event::ChangeUser(session),
        Event::Quit(session),
    ];
    let mut bytes = Vec::new();
    events.iter().for_each(|event| write(event, &mut bytes));
    let mut rest = bytes.as_slice();
    for event in &events {
        assert_eq!(read(&mut rest).as_ref(), Some(event));
    }
    assert!(rest.is_empty());

    let mut rest = bytes.as_slice();
    let Some(Event::Statement(read)) = std::iter::from_fn(|| read(&mut rest)).nth(1) else {
        panic!("the statement is gone")
    };
    assert_eq!(read.parameters.collect::<Vec<_>>(), values);
    assert_eq!(read.runs.collect::<Vec<_>>(), [first, second]);
}

#[test]
fn half_a_record_is_none() {
    let mut bytes = Vec::new();
    write(&Event::Statement(statement(&[1, 2], &[])), &mut bytes);
    for end in 0..bytes.len() {
        assert_eq!(read(&mut &bytes[..end]), None, "{end}");
    }
    // Nor is one whose own lengths say more than there is.
    for end in LENGTH..bytes.len() {
        let mut cut = bytes[..end].to_vec();
        let length = u32::try_from(end - LENGTH).unwrap_or_default();
        cut[..LENGTH].copy_from_slice(&length.to_le_bytes());
        assert_eq!(read(&mut cut.as_slice()), None, "{end}");
    }
}
