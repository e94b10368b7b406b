//! Files on their way, between a scripted server and a client that keeps what it is told.

use bytes::{BufMut, BytesMut};
use plan::Renames;
use wire::caps::{Capabilities, Status};
use wire::frame::put_with;
use wire::reply;
use wire::scan::Expect;

use crate::Error;
use crate::relay::tests::{Client, MODERN, Script};
use crate::relay::{Ending, View, relay};

/// A request, and the answer to the file, numbered as by a server that got `packets` of it.
fn server(packets: u8) -> BytesMut {
    let mut out = request();
    let ok = reply::Ok { affected: 3, status: Status::AUTOCOMMIT, info: b"Records: 3", ..Default::default() };
    put_with(&mut out, &mut packets.wrapping_add(3), |out| ok.encode(out, Capabilities::SESSION_TRACK));
    out
}

fn request() -> BytesMut {
    let mut out = BytesMut::new();
    put_with(&mut out, &mut 1, |out| out.put_slice(b"\xfb/data"));
    out
}

/// Packets of these sizes, the first with this number.
fn file(packets: &[usize], mut sequence: u8) -> BytesMut {
    let mut out = BytesMut::new();
    for len in packets.iter().chain(&[0]) {
        put_with(&mut out, &mut sequence, |out| out.put_bytes(b'x', *len));
    }
    out
}

fn run(script: &mut Script, client: &mut Client, local_file: bool) -> Result<Ending, Error> {
    let renames = Renames::default();
    let view = View { local_file, ..View::of(Expect::Results, &renames) };
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(relay(script, client, &view))
}

/// A client whose next frame from the server has this number, with a file of these packets.
fn client(first: u8, packets: &[usize]) -> Client {
    let mut client = Client::new(MODERN);
    (client.sequence, client.file) = (first, Some(file(packets, first.wrapping_add(1))));
    client
}

#[test]
fn a_file_goes_to_the_server_that_asks_for_it() {
    // The client's statement came in two frames, the server's in one.
    for first in [1, 2] {
        for piece in [1, 5, 10] {
            let packets = [40_000, 1, 70_000];
            let mut client = client(first, &packets);
            let mut script = Script::new(server(3), piece, true);
            let ending = run(&mut script, &mut client, true).unwrap();
            assert_eq!((ending.affected, ending.error, script.poisoned), (3, None, false), "{piece}");
            assert!(script.taken == file(&packets, 2));
            let frames = client.frames();
            assert_eq!(frames[0], (first, b"\xfb/data".to_vec()));
            assert_eq!((frames.len(), frames[1].0), (2, first + 5));
            assert_eq!(client.sequence, first + 6);
        }
    }
}

#[test]
fn a_server_that_asks_unasked_gets_nothing() {
    for (local_file, willing) in [(false, true), (true, false), (false, false)] {
        let mut script = Script::new(server(0), 64, true);
        let mut client = client(1, &[10]);
        if !willing {
            client.file = None;
        }
        let error = run(&mut script, &mut client, local_file).unwrap_err();
        assert!(matches!(error, Error::Backend(backend::Error::Protocol { .. })));
        assert!(script.poisoned && script.taken.is_empty() && client.frames().is_empty());
    }
}

#[test]
fn a_server_gets_one_file_for_one_statement() {
    let mut bytes = request();
    put_with(&mut bytes, &mut 3, |out| out.put_slice(b"\xfb/etc/passwd"));
    let mut script = Script::new(bytes, 10, true);
    let mut client = client(1, &[]);
    let error = run(&mut script, &mut client, true).unwrap_err();
    assert!(matches!(error, Error::Backend(backend::Error::Protocol { .. })) && script.poisoned);
    assert_eq!(client.frames().len(), 1);
}

#[test]
fn an_early_error_is_told_when_the_client_has_sent_all() {
    let mut bytes = request();
    let refusal = reply::Err { code: 1153, state: *b"08S01", message: b"too large" };
    put_with(&mut bytes, &mut 2, |out| refusal.encode(out));
    // Said while the file is on its way, or with the request.
    for piece in [10, 64] {
        let mut script = Script::new(bytes.clone(), piece, true);
        script.patience = 12_000;
        let mut client = client(1, &[20_000, 20_000]);
        let error = run(&mut script, &mut client, true).unwrap_err();
        assert_eq!(error.refusal().map(|refusal| refusal.code), Some(1153));
        assert!(script.poisoned && client.input.is_empty());
        // Request 1, packets 2 to 4: the error is 5.
        assert_eq!(client.sequence, 5);
    }
}

#[test]
fn a_server_that_is_lost_is_told_when_the_client_has_sent_all() {
    let bytes = request();
    let mut script = Script::new(bytes, 64, true);
    script.patience = 100;
    let mut client = client(1, &[20_000]);
    let error = run(&mut script, &mut client, true).unwrap_err();
    assert!(matches!(error, Error::Backend(backend::Error::Closed { .. })));
    assert_eq!((client.sequence, client.input.len()), (4, 0));
}

#[test]
fn half_a_file_is_not_ended_for_a_client_that_is_gone() {
    let mut client = client(1, &[20_000, 20_000]);
    if let Some(file) = &mut client.file {
        file.truncate(30_000);
    }
    let mut script = Script::new(server(2), 10, true);
    let error = run(&mut script, &mut client, true).unwrap_err();
    assert!(matches!(error, Error::Client(_)) && error.fatal());
    assert!(script.poisoned && script.taken.len() == 30_000);
}
