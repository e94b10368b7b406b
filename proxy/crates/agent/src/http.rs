//! A small HTTP/1.1 server for those who ask how the proxy fares. One request for each connection; whoever is slow, sends
//! more than a request takes, or opens many connections holds up nobody.

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::header::{ALLOW, CONTENT_TYPE, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::timeout;

/// Connections at a time; what comes beyond is closed at once.
const CONNECTIONS: usize = 64;
/// A request's first line and headers must have come within this time.
const HEAD: Duration = Duration::from_secs(5);
/// A connection is over after this time, whether its answer has been read or not.
const WHOLE: Duration = Duration::from_secs(30);
/// A request's first line and headers.
const HEAD_BYTES: usize = 16 * 1024;
const HEADERS: usize = 64;

/// What is answered.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Answer {
    /// HTTP's.
    pub status: u16,
    /// Of the body.
    pub content_type: &'static str,
    /// The body.
    pub body: String,
}

impl Answer {
    /// Plain text.
    pub fn text(status: u16, body: impl Into<String>) -> Self {
        Self { status, content_type: "text/plain; charset=utf-8", body: body.into() }
    }
}

/// Answers a path, of GET and HEAD.
pub trait Handler: Send + Sync + 'static {
    /// The answer to a path without what stands behind `?`; nothing where there is nothing.
    fn answer(&self, path: &str) -> impl Future<Output = Option<Answer>> + Send;
}

/// Listens on an address. Must be called on the runtime that will serve it.
///
/// # Errors
/// When the address is taken, or not ours.
pub fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    use socket2::{Domain, Protocol, Socket, Type};
    let socket = Socket::new(Domain::for_address(address), Type::STREAM, Some(Protocol::TCP))?;
    // What has ended before may still be remembered by the kernel.
    socket.set_reuse_address(true)?;
    socket.set_nonblocking(true)?;
    socket.bind(&address.into())?;
    socket.listen(128)?;
    TcpListener::from_std(socket.into())
}

/// Serves until it is dropped; connections that are being answered then go on for their time.
pub async fn serve(listener: TcpListener, handler: Arc<impl Handler>) {
    let room = Arc::new(Semaphore::new(CONNECTIONS));
    loop {
        let socket = match listener.accept().await {
            Ok((socket, _)) => socket,
            Err(error) => {
                // Out of descriptors, most likely.
                tracing::debug!(%error, "cannot accept a connection of a scraper");
                tokio::time::sleep(Duration::from_millis(100)).await;
                continue;
            }
        };
        let Ok(place) = Arc::clone(&room).try_acquire_owned() else { continue };
        let handler = Arc::clone(&handler);
        #[expect(clippy::disallowed_methods, reason = "those who ask do not wait for each other")]
        tokio::spawn(async move {
            if let Ok(Err(error)) = timeout(WHOLE, converse(socket, handler)).await {
                tracing::debug!(%error, "a scraper's request failed");
            }
            drop(place);
        });
    }
}

async fn converse(socket: TcpStream, handler: Arc<impl Handler>) -> hyper::Result<()> {
    let service = service_fn(move |request| {
        let handler = Arc::clone(&handler);
        async move { Ok::<_, Infallible>(respond(&request, &*handler).await) }
    });
    http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD)
        .keep_alive(false)
        .max_buf_size(HEAD_BYTES)
        .max_headers(HEADERS)
        .serve_connection(TokioIo::new(socket), service)
        .await
}

async fn respond(request: &Request<Incoming>, handler: &impl Handler) -> Response<Full<Bytes>> {
    let allowed = matches!(*request.method(), Method::GET | Method::HEAD);
    let answer = if allowed {
        let answer = handler.answer(request.uri().path()).await;
        answer.unwrap_or_else(|| Answer::text(404, "not found\n"))
    } else {
        Answer::text(405, "only GET and HEAD\n")
    };
    let mut response = Response::new(Full::new(Bytes::from(answer.body)));
    *response.status_mut() = StatusCode::from_u16(answer.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(answer.content_type));
    if !allowed {
        headers.insert(ALLOW, HeaderValue::from_static("GET, HEAD"));
    }
    response
}

#[cfg(test)]
mod tests;
