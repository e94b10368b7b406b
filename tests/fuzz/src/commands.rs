//! Commands of clients, and the parameters of what they execute.

use bytes::BytesMut;
use wire::caps::Capabilities;
use wire::command::{Command, code, put_long_data, put_statement, put_text};
use wire::execute::{Arg, Execute, Params, put_execute};
use wire::frame;
use wire::value::{Kind, Value};

use crate::{Choices, seen};

/// One command.
pub(crate) fn commands(input: &[u8]) -> u64 {
    let (mut choices, payload) = Choices::split(input, 12);
    let count = usize::from(choices.next() % 40);
    let capabilities = Capabilities::from_bits_retain(choices.long());
    let kinds = [choices.next(), choices.next(), choices.next()];
    let command = match Command::decode(payload, capabilities) {
        Ok(command) => command,
        Err(error) => return seen(error.to_string()),
    };
    assert!(!command.name().is_empty());
    match &command {
        Command::ChangeUser(user) => {
            let mut written = BytesMut::new();
            user.encode(&mut written, capabilities);
            match Command::decode(&written, capabilities) {
                Ok(Command::ChangeUser(again)) => {
                    assert_eq!((again.user, again.database), (user.user, user.database));
                    assert_eq!(again.charset, user.charset);
                }
                other => panic!("a change of user is written as {other:?}"),
            }
        }
        Command::Execute(execute) => return executed(execute, count, kinds, capabilities),
        _ => {}
    }
    seen((command.name(), capabilities.contains(Capabilities::QUERY_ATTRIBUTES)))
}

/// The parameters of an execute are the same after they were written for a server.
fn executed(execute: &Execute<'_>, count: usize, kinds: [u8; 3], capabilities: Capabilities) -> u64 {
    let known: Vec<Kind> = (0..count).map(|at| Kind::from_bytes([kinds[at % 3], kinds[1]])).collect();
    let long = |at: usize| (kinds[2] & 1 != 0 && at % 5 == 3).then_some(&b"long data"[..]);
    let params = match execute.params_with(count, Some(&known), long) {
        Ok(params) => params,
        Err(error) => return seen((count.min(3), error.to_string())),
    };
    assert_eq!(params.len(), count);
    let values = read(&params);
    let (mut written, mut sequence) = (BytesMut::new(), 0);
    put_execute(&mut written, &mut sequence, 9, 0, &params, (0..count).map(Arg::Client))
        .expect("the client's own parameters can be written");
    let plain = capabilities.difference(Capabilities::QUERY_ATTRIBUTES);
    let Ok(Command::Execute(again)) = Command::decode(&written[frame::HEADER..], plain) else {
        panic!("an execute is not written as one")
    };
    assert_eq!((again.statement, again.flags), (9, 0));
    assert!(again.carries_types(count));
    let again = again.params(count, None).expect("what was written can be read");
    assert_eq!(values, read(&again), "written for a server");
    seen((
        count.min(9),
        params.rebound,
        params.any_long(),
        values.iter().map(|value| value.is_some()).collect::<Vec<_>>(),
    ))
}

/// All values, as bytes where they are such that two readings can be compared.
fn read(params: &Params<'_>) -> Vec<Option<String>> {
    (0..params.len())
        .map(|at| match params.value(at) {
            Ok(Value::Float(float)) => Some(format!("{:x}", float.to_bits())),
            Ok(Value::Double(double)) => Some(format!("{:x}", double.to_bits())),
            Ok(value) => Some(format!("{value:?}")),
            Err(_) => None,
        })
        .collect()
}

pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let mut payloads: Vec<BytesMut> = Vec::new();
    let mut add = |write: &dyn Fn(&mut BytesMut)| {
        let mut payload = BytesMut::new();
        write(&mut payload);
        payloads.push(payload);
    };
    for number in 0..=0x21_u8 {
        add(&|out| out.extend_from_slice(&[number, 1, 0, 0, 0, 2, 0, 0, 0]));
    }
    add(&|out| put_text(out, code::QUERY, b"SELECT 1"));
    add(&|out| out.extend_from_slice(b"\x03\x01\x01\0\x01\xfd\0\x04name\x05valueSELECT 1"));
    add(&|out| put_long_data(out, 1, 0, b"piece"));
    add(&|out| put_statement(out, code::STMT_CLOSE, 1));
    let user = wire::handshake::ChangeUser {
        user: b"root",
        auth: &[7; 20],
        database: Some(b"db"),
        charset: Some(255),
        plugin: Some(b"mysql_native_password"),
        attributes: wire::handshake::Attributes::default(),
    };
    let all = Capabilities::from_bits_retain(u64::from(u32::MAX));
    add(&|out| user.encode(out, all));
    let values =
        [Value::Int(-5), Value::Null, Value::Bytes(b"text"), Value::Double(1.5), Value::UInt(u64::MAX)];
    add(&|out| {
        let mut sequence = 0;
        let args = values.iter().map(|value| Arg::Value(*value));
        put_execute(out, &mut sequence, 1, 0, &Params::none(), args).expect("values of their own kinds");
        let payload = out.split_off(frame::HEADER);
        *out = payload;
    });
    let mut seeds = Vec::new();
    for payload in &payloads {
        for bits in [0, u64::from(u32::MAX), u64::from(u32::MAX) & !(1 << 27)] {
            let front = [&[5][..], &bits.to_le_bytes(), &[8, 0x80, 1]].concat();
            seeds.push([&front, &payload[..]].concat());
        }
    }
    seeds
}
