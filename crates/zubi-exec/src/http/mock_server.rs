//! A mock server on this machine that answers every request with the same response and records requests: tests of an
//! HTTP tool use it instead of the real server. Only the origin of the URL differs from production. This is product
//! code, because `zubi tools check --test` needs it.

use std::convert::Infallible;
use std::io;
use std::net::Ipv4Addr;
use std::sync::{Arc, Mutex, PoisonError};

use http_body_util::{BodyExt as _, Full, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use reqwest::Url;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use super::HttpError;

/// The maximum number of bytes recorded of a request's body.
const MAX_RECORDED_BODY: usize = 1024 * 1024;
/// The maximum number of recorded requests: a redirect to itself never ends.
const MAX_RECORDED: usize = 32;

/// The response of the server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MockResponse {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

/// A recorded request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordedRequest {
    pub method: String,
    /// Path and query.
    pub target: String,
    /// The headers in the order of arrival, with names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body, at most 1 MiB of it.
    pub body: Vec<u8>,
}

/// The server, which stops when this is dropped.
#[derive(Debug)]
pub struct MockServer {
    port: u16,
    requests: Arc<Mutex<Vec<RecordedRequest>>>,
    task: JoinHandle<()>,
}

impl MockServer {
    /// Starts to serve on a loopback port. Fails if no server could send the response's status or headers.
    pub async fn start(answer: MockResponse) -> io::Result<Self> {
        let answer = response(&answer)?;
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let port = listener.local_addr()?.port();
        let requests: Arc<Mutex<Vec<RecordedRequest>>> = Arc::default();
        let recorded = Arc::clone(&requests);
        let task = tokio::spawn(async move {
            // One after the other: a tool makes one request at a time.
            while let Ok((stream, _)) = listener.accept().await {
                let service = service_fn(|request| {
                    let (answer, recorded) = (answer.clone(), Arc::clone(&recorded));
                    async move {
                        record_request(&recorded, request).await;
                        Ok::<_, Infallible>(answer)
                    }
                });
                let connection =
                    http1::Builder::new().keep_alive(false).serve_connection(TokioIo::new(stream), service);
                if let Err(error) = connection.await {
                    tracing::debug!(%error, "the connection of a test broke off");
                }
            }
        });
        Ok(Self { port, requests, task })
    }

    /// `host:port`, in the form in which [`super::HttpRequest::hosts`] names it.
    pub fn host(&self) -> String {
        format!("{}:{}", Ipv4Addr::LOCALHOST, self.port)
    }

    /// Returns the path and query of a URL, at this server.
    pub fn replace_host(&self, url: &str) -> Result<String, HttpError> {
        let mut url = super::parse(url)?;
        let refused = || HttpError::Url { reason: "it cannot be sent to another server".to_owned() };
        url.set_scheme("http").map_err(|()| refused())?;
        url.set_ip_host(Ipv4Addr::LOCALHOST.into()).map_err(|()| refused())?;
        url.set_port(Some(self.port)).map_err(|()| refused())?;
        Ok(Url::into(url))
    }

    /// Returns the requests so far, in order.
    pub fn recorded_requests(&self) -> Vec<RecordedRequest> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Drop for MockServer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

fn response(answer: &MockResponse) -> io::Result<Response<Full<Bytes>>> {
    let mut response = Response::builder().status(answer.status);
    for (name, value) in &answer.headers {
        response = response.header(name, value);
    }
    response.body(Full::new(Bytes::from(answer.body.clone()))).map_err(io::Error::other)
}

async fn record_request(requests: &Mutex<Vec<RecordedRequest>>, request: Request<Incoming>) {
    let (head, body) = request.into_parts();
    // A body that is too long or breaks off is recorded as an empty one; the client gets a connection error.
    let body =
        Limited::new(body, MAX_RECORDED_BODY).collect().await.map(|body| body.to_bytes().to_vec()).unwrap_or_default();
    let text = |value: &hyper::header::HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
    let headers = head.headers.iter().map(|(name, value)| (name.as_str().to_owned(), text(value))).collect();
    let target = head.uri.path_and_query().map_or_else(String::new, ToString::to_string);
    let mut requests = requests.lock().unwrap_or_else(PoisonError::into_inner);
    if requests.len() < MAX_RECORDED {
        requests.push(RecordedRequest { method: head.method.to_string(), target, headers, body });
    }
}

#[cfg(test)]
mod tests {
    use tokio_util::sync::CancellationToken;

    use super::super::{AddressLookup, HttpRequest, RequestHeader, SystemLookup, send};
    use super::*;

    #[tokio::test]
    async fn records_requests_of_the_real_client() {
        let headers = vec![("content-type".to_owned(), "application/json".to_owned())];
        let answer = MockResponse { status: 201, headers, body: b"{\"a\": 1}".to_vec() };
        let server = MockServer::start(answer).await.unwrap();
        let url = server.replace_host("https://api.example.com:8443/a%2Fb?q=x%26y#z").unwrap();
        let mut request = HttpRequest::new("POST", url);
        request.headers.push(RequestHeader { name: "X-Key".to_owned(), value: "k".to_owned(), secret: true });
        request.body = Some(b"{}".to_vec());
        request.hosts = vec![server.host()];
        let lookup: Arc<dyn AddressLookup> = Arc::new(SystemLookup);
        let answer = send(&request, &lookup, &CancellationToken::new()).await.unwrap();
        assert_eq!((answer.status, answer.bytes.as_slice()), (201, b"{\"a\": 1}".as_slice()));
        let requests = server.recorded_requests();
        assert_eq!(requests.len(), 1);
        assert_eq!((requests[0].method.as_str(), requests[0].target.as_str()), ("POST", "/a%2Fb?q=x%26y"));
        assert!(requests[0].headers.contains(&("x-key".to_owned(), "k".to_owned())), "{:?}", requests[0].headers);
        assert_eq!(requests[0].body, b"{}");
    }

    #[tokio::test]
    async fn invalid_responses_are_refused() {
        for (status, name, value) in [(99, "a", "b"), (200, "a b", "c"), (200, "a", "b\nc")] {
            let headers = vec![(name.to_owned(), value.to_owned())];
            assert!(
                MockServer::start(MockResponse { status, headers, body: Vec::new() }).await.is_err(),
                "{status} {name}"
            );
        }
    }
}
