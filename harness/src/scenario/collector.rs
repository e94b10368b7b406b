//! Takes what proxies post as a collector of traces would, and counts the spans: by their ids in Zipkin's JSON
//! (`"traceId"`), in anything else by nothing. It reads no further into them, so that it takes little of the machine.

use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use anyhow::{Context as _, Result};

/// A listener on the loopback address; ends when dropped.
pub(super) struct Collector {
    port: u16,
    spans: Arc<AtomicU64>,
    ended: Arc<AtomicBool>,
}

/// What a span holds once.
const SPAN: &[u8] = b"\"traceId\"";

impl Collector {
    pub(super) fn start() -> Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).context("no port for a collector")?;
        let port = listener.local_addr()?.port();
        let (spans, ended) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicBool::new(false)));
        std::thread::spawn({
            let (spans, ended) = (Arc::clone(&spans), Arc::clone(&ended));
            move || {
                for stream in listener.incoming().map_while(Result::ok) {
                    if ended.load(Ordering::Relaxed) {
                        return;
                    }
                    let spans = Arc::clone(&spans);
                    // Who posts decides how long a connection lasts.
                    std::thread::spawn(move || serve(stream, &spans));
                }
            }
        });
        Ok(Self { port, spans, ended })
    }

    pub(super) fn port(&self) -> u16 {
        self.port
    }

    /// Counts on.
    pub(super) fn spans(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.spans)
    }
}

impl Drop for Collector {
    fn drop(&mut self) {
        self.ended.store(true, Ordering::Relaxed);
        // Wakes the thread that accepts.
        let _ = TcpStream::connect((Ipv4Addr::LOCALHOST, self.port));
    }
}

/// Answers every request with 202 (Accepted).
fn serve(mut stream: TcpStream, spans: &AtomicU64) {
    let mut waiting = Vec::new();
    let mut buffer = vec![0; 1 << 16];
    loop {
        let Some(head) = end_of_head(&waiting) else {
            match stream.read(&mut buffer) {
                Ok(0) | Err(_) => return,
                Ok(read) => waiting.extend_from_slice(&buffer[..read]),
            }
            continue;
        };
        let length = content_length(&waiting[..head]);
        while waiting.len() < head + length {
            match stream.read(&mut buffer) {
                Ok(0) | Err(_) => return,
                Ok(read) => waiting.extend_from_slice(&buffer[..read]),
            }
        }
        let body = &waiting[head..head + length];
        let found = body.windows(SPAN.len()).filter(|part| part == &SPAN).count();
        spans.fetch_add(found as u64, Ordering::Relaxed);
        waiting.drain(..head + length);
        if stream.write_all(b"HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n").is_err() {
            return;
        }
    }
}

/// One past the empty line behind the headers.
fn end_of_head(bytes: &[u8]) -> Option<usize> {
    bytes.windows(4).position(|part| part == b"\r\n\r\n").map(|at| at + 4)
}

fn content_length(head: &[u8]) -> usize {
    let head = String::from_utf8_lossy(head);
    let value = head.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse().ok())?
    });
    value.unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_are_counted_over_requests_on_one_connection() {
        let collector = Collector::start().unwrap();
        let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, collector.port())).unwrap();
        let body = r#"[{"traceId":"1"},{"traceId":"2"}]"#;
        for _ in 0..2 {
            write!(stream, "POST /api/v2/spans HTTP/1.1\r\ncontent-length: {}\r\n\r\n{body}", body.len())
                .unwrap();
            let mut answer = [0; 12];
            stream.read_exact(&mut answer).unwrap();
            assert_eq!(&answer, b"HTTP/1.1 202");
            let mut rest = [0; 100];
            let read = stream.read(&mut rest).unwrap();
            assert!(rest[..read].ends_with(b"\r\n\r\n"));
        }
        assert_eq!(collector.spans().load(Ordering::Relaxed), 4);
    }
}
