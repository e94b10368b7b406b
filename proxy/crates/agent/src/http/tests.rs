use std::io::{ErrorKind, Read as _, Write as _};
use std::net::TcpStream;

use super::*;
use crate::io::{Io, Task};

/// Between two looks at what another thread does.
const PAUSE: Duration = Duration::from_millis(10);

struct House;

impl Handler for House {
    async fn answer(&self, path: &str) -> Option<Answer> {
        match path {
            "/" => Some(Answer::text(200, "welcome\n")),
            "/large" => Some(Answer::text(200, "x".repeat(64 << 20))),
            _ => None,
        }
    }
}

struct Served {
    address: SocketAddr,
    _task: Task,
    _io: Io,
}

fn served() -> Served {
    let io = Io::start().unwrap();
    let listener = {
        let _runtime = io.handle().enter();
        listen("127.0.0.1:0".parse().unwrap()).unwrap()
    };
    let address = listener.local_addr().unwrap();
    let task = io.spawn(serve(listener, Arc::new(House)));
    Served { address, _task: task, _io: io }
}

impl Served {
    fn connect(&self) -> TcpStream {
        let socket = TcpStream::connect(self.address).unwrap();
        socket.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        socket
    }

    /// All that is answered until the connection is closed.
    fn ask(&self, request: &[u8]) -> String {
        let mut socket = self.connect();
        // It may be refused before all of it was read.
        let _ = socket.write_all(request);
        end(&mut socket)
    }
}

/// What comes up to the end, which may be a reset.
fn end(socket: &mut TcpStream) -> String {
    let mut all = Vec::new();
    match socket.read_to_end(&mut all) {
        Ok(_) => {}
        Err(error) => assert!(
            matches!(error.kind(), ErrorKind::ConnectionReset | ErrorKind::BrokenPipe),
            "never closed: {error}"
        ),
    }
    String::from_utf8(all).unwrap()
}

#[test]
fn paths_and_methods_are_answered() {
    let served = served();
    let answer = served.ask(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n") && answer.ends_with("\r\n\r\nwelcome\n"), "{answer}");
    assert!(answer.contains("content-length: 8\r\n"), "{answer}");
    let answer = served.ask(b"GET /?a=b HTTP/1.0\r\n\r\n");
    assert!(answer.starts_with("HTTP/1.0 200") && answer.ends_with("welcome\n"), "{answer}");
    let answer = served.ask(b"HEAD / HTTP/1.1\r\nHost: a\r\n\r\n");
    assert!(answer.starts_with("HTTP/1.1 200") && answer.ends_with("\r\n\r\n"), "{answer}");
    assert!(served.ask(b"GET /none HTTP/1.1\r\nHost: a\r\n\r\n").starts_with("HTTP/1.1 404"));
    let answer = served.ask(b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nabcd");
    assert!(answer.starts_with("HTTP/1.1 405") && answer.contains("allow: GET, HEAD"), "{answer}");
}

#[test]
fn what_is_no_request_is_refused() {
    let served = served();
    assert!(served.ask(b"\x16\x03\x01 hello\r\n\r\n").starts_with("HTTP/1.1 400"));
    let huge = format!("GET / HTTP/1.1\r\nHost: a\r\nX: {}\r\n\r\n", "x".repeat(100_000));
    let answer = served.ask(huge.as_bytes());
    assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 431"), "{answer}");
    let many = format!("GET / HTTP/1.1\r\nHost: a\r\n{}\r\n", "X: y\r\n".repeat(100));
    let answer = served.ask(many.as_bytes());
    assert!(answer.starts_with("HTTP/1.1 431"), "{answer}");
}

#[test]
fn who_is_slow_or_many_holds_up_nobody_for_long() {
    let served = served();
    // As many as may be: begun, never ended.
    let mut slow: Vec<_> = (0..CONNECTIONS).map(|_| served.connect()).collect();
    for socket in &mut slow {
        socket.write_all(b"GET / HTTP/1.1\r\nX: ").unwrap();
    }
    // Closed, sooner or later in this order: who comes beyond the limit, and those who never end.
    while !served.ask(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n").is_empty() {
        std::thread::sleep(PAUSE);
    }
    for socket in &mut slow {
        let answer = end(socket);
        assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 408"), "{answer}");
    }
    // There is room again.
    while !served.ask(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n").starts_with("HTTP/1.1 200") {
        std::thread::sleep(PAUSE);
    }
}

#[test]
fn who_does_not_read_holds_up_nobody() {
    let served = served();
    let mut deaf = served.connect();
    deaf.write_all(b"GET /large HTTP/1.1\r\nHost: a\r\n\r\n").unwrap();
    assert!(served.ask(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n").starts_with("HTTP/1.1 200"));
}
