//! Stand-ins for collectors.

use std::collections::VecDeque;
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;

use parking_lot::Mutex;

/// What the stand-in does with a request.
#[derive(Clone, Copy, Debug)]
pub(super) enum Answer {
    Close,
    Garbage,
    Never,
    Status(u16),
}

/// Takes bodies over HTTP.
pub(super) struct Collector {
    pub(super) port: u16,
    bodies: Arc<Mutex<Vec<Vec<u8>>>>,
    heads: Arc<Mutex<Vec<String>>>,
}

/// A port on which nobody listens until a socket is made to.
pub(super) fn reserved() -> (u16, socket2::Socket) {
    let socket = socket2::Socket::new(socket2::Domain::IPV4, socket2::Type::STREAM, None).expect("a socket");
    let any: std::net::SocketAddr = "127.0.0.1:0".parse().expect("an address");
    socket.bind(&any.into()).expect("a port");
    let port = socket.local_addr().expect("an address").as_socket().expect("an address").port();
    (port, socket)
}

impl Collector {
    /// Answers so, one request after the other, the last answer again and again.
    pub(super) fn start(answers: Vec<Answer>) -> Self {
        Self::on(reserved().1, answers)
    }

    pub(super) fn on(socket: socket2::Socket, answers: Vec<Answer>) -> Self {
        socket.listen(16).expect("listening");
        let listener = TcpListener::from(socket);
        let port = listener.local_addr().expect("an address").port();
        let (bodies, heads) = (Arc::new(Mutex::new(Vec::new())), Arc::new(Mutex::new(Vec::new())));
        let collector = Self { port, bodies: Arc::clone(&bodies), heads: Arc::clone(&heads) };
        std::thread::spawn(move || {
            let mut answers = VecDeque::from(answers);
            for stream in listener.incoming() {
                let mut stream = stream.expect("a connection");
                while let Some((head, body)) = request(&mut stream) {
                    heads.lock().push(head);
                    bodies.lock().push(body);
                    let answer =
                        if answers.len() > 1 { answers.pop_front() } else { answers.front().copied() };
                    let text = match answer.expect("an answer") {
                        Answer::Close => break,
                        Answer::Garbage => "\0\x01 what?\r\n\r\n".to_owned(),
                        Answer::Never => loop {
                            std::thread::park();
                        },
                        Answer::Status(code) => format!("HTTP/1.1 {code} X\r\ncontent-length: 0\r\n\r\n"),
                    };
                    if stream.write_all(text.as_bytes()).is_err() {
                        break;
                    }
                }
            }
        });
        collector
    }

    pub(super) fn bodies(&self) -> Vec<Vec<u8>> {
        self.bodies.lock().clone()
    }

    pub(super) fn heads(&self) -> Vec<String> {
        self.heads.lock().clone()
    }
}

/// Head and body of a request.
fn request(stream: &mut TcpStream) -> Option<(String, Vec<u8>)> {
    let mut input = Vec::new();
    let mut piece = [0; 65_536];
    loop {
        let end = input.windows(4).position(|window| window == b"\r\n\r\n");
        if let Some(end) = end {
            let head = String::from_utf8_lossy(&input[..end]).to_ascii_lowercase();
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
            let length: usize = length.expect("a length").parse().expect("a number");
            if input.len() >= end + 4 + length {
                return Some((head, input[end + 4..end + 4 + length].to_vec()));
            }
        }
        match stream.read(&mut piece) {
            Ok(0) | Err(_) => return None,
            Ok(read) => input.extend_from_slice(&piece[..read]),
        }
    }
}
