//! Hands bodies to a collector over HTTP: again after a while when it is down or busy, but not for ever.

use std::error::Error as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use bytes::Bytes;
use http::header::{CONTENT_TYPE, RETRY_AFTER};
use http::{HeaderMap, HeaderValue, Request, StatusCode, Uri};
use http_body_util::{BodyExt as _, Full, Limited};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use opentelemetry_sdk::error::OTelSdkError;
use tokio::time::{sleep, timeout};

use crate::counters::SinkCounters;
use crate::warn::Warner;

/// Between attempts, twice as long each time.
const PAUSE: Duration = Duration::from_millis(250);
const LONGEST: Duration = Duration::from_secs(8);
const ATTEMPTS: u32 = 8;
/// An answer of a collector says little.
const ANSWER: usize = 64 * 1024;

/// One address to which bodies are sent.
pub(super) struct Post {
    client: Client<HttpConnector, Full<Bytes>>,
    uri: Uri,
    headers: HeaderMap,
    patience: Duration,
    counters: Arc<SinkCounters>,
    warner: Arc<Warner>,
    /// The process, or the plugin, ends: nothing is tried again.
    closing: Arc<AtomicBool>,
}

impl std::fmt::Debug for Post {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Post").field("uri", &self.uri).finish_non_exhaustive()
    }
}

/// Why a body was not taken.
enum Refused {
    /// It may be another time, after that long if the collector says so.
    Now(String, Option<Duration>),
    Ever(String),
}

impl Post {
    pub(super) fn new(
        uri: Uri,
        kind: &'static str,
        mut headers: HeaderMap,
        patience: Duration,
        (counters, warner): (Arc<SinkCounters>, Arc<Warner>),
        closing: Arc<AtomicBool>,
    ) -> Self {
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
        let mut connector = HttpConnector::new();
        connector.set_nodelay(true);
        connector.set_connect_timeout(Some(patience));
        let client = Client::builder(TokioExecutor::new())
            .pool_timer(TokioTimer::new())
            .pool_idle_timeout(Duration::from_secs(30))
            .pool_max_idle_per_host(1)
            .build(connector);
        Self { client, uri, headers, patience, counters, warner, closing }
    }

    /// Sends one body.
    pub(super) async fn send(&self, body: impl Into<Bytes>) -> Result<(), OTelSdkError> {
        let body = body.into();
        let mut pause = PAUSE;
        for attempt in 1.. {
            let reason = match timeout(self.patience, self.attempt(body.clone())).await {
                Ok(Ok(())) => {
                    self.counters.bytes.add(body.len() as u64);
                    return Ok(());
                }
                Ok(Err(Refused::Ever(reason))) => return Err(OTelSdkError::InternalFailure(reason)),
                Ok(Err(Refused::Now(reason, after))) => {
                    pause = after.map_or(pause, |after| after.clamp(PAUSE, LONGEST));
                    reason
                }
                Err(_) => format!("no answer within {:?}", self.patience),
            };
            if attempt == ATTEMPTS || self.closing.load(Ordering::Relaxed) {
                let reason = format!("{reason} (tried {attempt} times)");
                return Err(OTelSdkError::InternalFailure(reason));
            }
            self.counters.errors.add(1);
            self.warner.warn(format_args!("spans wait: {reason}"));
            sleep(pause).await;
            pause = (2 * pause).min(LONGEST);
        }
        Ok(())
    }

    async fn attempt(&self, body: Bytes) -> Result<(), Refused> {
        let mut request = Request::post(self.uri.clone())
            .body(Full::new(body))
            .map_err(|error| Refused::Ever(error.to_string()))?;
        request.headers_mut().extend(self.headers.iter().map(|(name, value)| (name.clone(), value.clone())));
        let response = self.client.request(request).await.map_err(|error| {
            let cause = error.source().map(|cause| format!(": {cause}")).unwrap_or_default();
            Refused::Now(format!("{error}{cause}"), None)
        })?;
        let (head, body) = response.into_parts();
        // Read to its end, so that the connection is used again.
        let _ = Limited::new(body, ANSWER).collect().await;
        let after = head.headers.get(RETRY_AFTER).and_then(|after| after.to_str().ok()?.parse().ok());
        let reason = || format!("{} answers {}", self.uri, head.status);
        match head.status {
            status if status.is_success() => Ok(()),
            StatusCode::REQUEST_TIMEOUT
            | StatusCode::TOO_MANY_REQUESTS
            | StatusCode::BAD_GATEWAY
            | StatusCode::SERVICE_UNAVAILABLE
            | StatusCode::GATEWAY_TIMEOUT => Err(Refused::Now(reason(), after.map(Duration::from_secs))),
            _ => Err(Refused::Ever(reason())),
        }
    }
}
