//! Requests to test servers that send exactly the given bytes.

use std::collections::BTreeMap;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio::sync::mpsc;

use super::*;

/// A resolver with the names of the test.
struct Names(BTreeMap<&'static str, Vec<IpAddr>>);

impl AddressLookup for Names {
    fn lookup(&self, name: String) -> std::pin::Pin<Box<dyn Future<Output = std::io::Result<Vec<IpAddr>>> + Send>> {
        let found = self.0.get(name.as_str()).cloned().unwrap_or_default();
        Box::pin(async move { Ok(found) })
    }
}

/// The server's behaviour after it has read a request.
#[derive(Clone)]
enum ServerAction {
    Respond(Vec<u8>),
    /// Sends the first bytes once and the second ones repeatedly, until the client disconnects.
    Repeat(Vec<u8>, Vec<u8>),
    /// Sends these bytes and leaves the connection open.
    Stall(Vec<u8>),
    /// Sends these bytes before it has received any.
    Greet(Vec<u8>),
}

struct Server {
    port: u16,
    requests: mpsc::UnboundedReceiver<String>,
}

impl Server {
    async fn new(actions: Vec<ServerAction>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let (sender, requests) = mpsc::unbounded_channel();
        tokio::spawn(async move {
            for action in actions {
                let (mut stream, _) = listener.accept().await.unwrap();
                if let ServerAction::Greet(bytes) = &action {
                    drop(stream.write_all(bytes).await);
                    continue;
                }
                let mut request = Vec::new();
                let mut buffer = [0; 4096];
                while !complete(&request) {
                    let count = stream.read(&mut buffer).await.unwrap();
                    if count == 0 {
                        break;
                    }
                    request.extend_from_slice(&buffer[..count]);
                }
                sender.send(String::from_utf8_lossy(&request).into_owned()).unwrap();
                match action {
                    ServerAction::Greet(_) => {}
                    ServerAction::Respond(bytes) => drop(stream.write_all(&bytes).await),
                    ServerAction::Repeat(first, bytes) => {
                        drop(stream.write_all(&first).await);
                        while stream.write_all(&bytes).await.is_ok() {}
                    }
                    ServerAction::Stall(bytes) => {
                        drop(stream.write_all(&bytes).await);
                        while stream.read(&mut buffer).await.is_ok_and(|count| count > 0) {}
                    }
                }
            }
        });
        Self { port, requests }
    }

    async fn with_answers(answers: &[&str]) -> Self {
        Self::new(
            answers.iter().map(|answer| ServerAction::Respond(answer.replace('\n', "\r\n").into_bytes())).collect(),
        )
        .await
    }

    fn request(&self, method: &str, path: &str) -> HttpRequest {
        let mut request = HttpRequest::new(method, format!("http://127.0.0.1:{}{path}", self.port));
        request.hosts = vec!["127.0.0.1".to_owned()];
        request
    }

    /// Returns the next received request.
    fn next_request(&mut self) -> String {
        self.requests.try_recv().unwrap()
    }
}

fn complete(request: &[u8]) -> bool {
    let text = String::from_utf8_lossy(request).to_ascii_lowercase();
    let Some((head, body)) = text.split_once("\r\n\r\n") else { return false };
    let length =
        head.lines().find_map(|line| line.strip_prefix("content-length: ")).map_or(0, |length| length.parse().unwrap());
    body.len() >= length
}

async fn fetch(request: &HttpRequest) -> Result<HttpAnswer, HttpError> {
    fetch_with(request, &[]).await
}

async fn fetch_with(request: &HttpRequest, names: &[(&'static str, &[&str])]) -> Result<HttpAnswer, HttpError> {
    let names =
        names.iter().map(|(name, addresses)| (*name, addresses.iter().map(|text| text.parse().unwrap()).collect()));
    let lookup: Arc<dyn AddressLookup> = Arc::new(Names(names.collect()));
    send(request, &lookup, &CancellationToken::new()).await
}

const OK: &str = "HTTP/1.1 200 OK\nContent-Type: application/json\nContent-Length: 8\n\n{\"a\": 1}";

#[tokio::test]
async fn requests_are_sent_and_answers_read() {
    let mut server = Server::with_answers(&[OK, "HTTP/1.1 404 Not Found\nContent-Length: 4\n\nnope"]).await;
    let mut request = server.request("post", "/a?q=1");
    request.headers = vec![RequestHeader { name: "X-Key".to_owned(), value: "k".to_owned(), secret: true }];
    request.body = Some(b"{\"b\":2}".to_vec());
    let answer = fetch(&request).await.unwrap();
    assert_eq!(
        (answer.status, answer.is_success(), answer.body()),
        (200, true, RenderedBody::Json(serde_json::json!({"a": 1})))
    );
    let received = server.next_request();
    assert!(received.starts_with("POST /a?q=1 HTTP/1.1\r\n") && received.ends_with("\r\n\r\n{\"b\":2}"), "{received}");
    assert!(received.contains("x-key: k\r\n") && received.contains("content-type: application/json\r\n"), "{received}");
    let answer = fetch(&server.request("GET", "/")).await.unwrap();
    assert_eq!(
        (answer.status, answer.is_success(), answer.body()),
        (404, false, RenderedBody::Text("nope".to_owned()))
    );
}

/// Special addresses are refused in every form of a URL, and as the result of a look-up.
#[tokio::test]
async fn non_public_addresses_are_refused() {
    for url in [
        "http://127.0.0.1/",
        "http://localhost/",
        "http://2130706433/",
        "http://0x7f.1/",
        "http://0177.0.0.1/",
        "http://127.1/",
        "http://[::1]/",
        "http://[::ffff:127.0.0.1]/",
        "http://[::ffff:7f00:1]/",
        "http://169.254.169.254/latest",
        "http://0/",
        "https://10.0.0.1/",
        "http://[fd00:ec2::254]/",
        "http://127.0.0.1./",
        "http://１２７.0.0.1/",
        "http://metadata.test/",
        "http://mixed.test/",
        "http://LOCALHOST./",
    ] {
        let names: [(&str, &[&str]); 4] = [
            ("localhost", &["127.0.0.1"]),
            ("localhost.", &["::1"]),
            ("metadata.test", &["169.254.169.254"]),
            ("mixed.test", &["10.0.0.1", "::1"]),
        ];
        let error = fetch_with(&HttpRequest::new("GET", url), &names).await.unwrap_err();
        assert!(matches!(error, HttpError::Address { .. }), "{url}: {error}");
    }
    for url in ["file:///etc/passwd", "ftp://x/", "http://user@x/", "http://:p@x/", "x", "http://"] {
        let error = fetch(&HttpRequest::new("GET", url)).await.unwrap_err();
        assert!(matches!(error, HttpError::Url { .. }), "{url}: {error}");
    }
}

/// X23: hosts that the tool file names are reachable, by name and by address.
#[tokio::test]
async fn named_local_servers_are_allowed() {
    let server = Server::with_answers(&[OK, OK]).await;
    assert!(fetch(&server.request("GET", "/")).await.unwrap().is_success());
    let mut request = HttpRequest::new("GET", format!("http://rag.test:{}/", server.port));
    request.hosts = vec![format!("rag.test:{}", server.port)];
    assert!(fetch_with(&request, &[("rag.test", &["127.0.0.1"])]).await.unwrap().is_success());
    request.hosts = vec!["rag.test:1".to_owned()];
    assert!(matches!(fetch_with(&request, &[("rag.test", &["127.0.0.1"])]).await, Err(HttpError::Address { .. })));
}

#[tokio::test]
async fn redirects_are_checked_like_requests() {
    let redirect = |status: &str, to: &str| format!("HTTP/1.1 {status} X\nLocation: {to}\nContent-Length: 0\n\n");
    let error = |answer: String, method: &'static str| async move {
        let server = Server::with_answers(&[&answer]).await;
        let mut request = server.request(method, "/");
        request.hosts.push("other.test".to_owned());
        request.body = Some(b"secret".to_vec());
        fetch_with(&request, &[("other.test", &["10.0.0.1"])]).await.unwrap_err()
    };
    assert!(matches!(error(redirect("302", "http://169.254.169.254/"), "GET").await, HttpError::RedirectHost { .. }));
    assert!(matches!(error(redirect("307", "//evil.test/"), "GET").await, HttpError::RedirectHost { .. }));
    assert!(matches!(error(redirect("302", "file:///etc/passwd"), "GET").await, HttpError::Url { .. }));
    assert_eq!(error(redirect("307", "http://other.test/"), "POST").await, HttpError::RedirectBody);

    let self_redirect = redirect("302", "/again");
    let server = Server::with_answers(&[self_redirect.as_str(); MAX_REDIRECTS + 1]).await;
    assert_eq!(fetch(&server.request("GET", "/")).await, Err(HttpError::TooManyRedirects));

    let mut target = Server::with_answers(&[OK]).await;
    let mut server =
        Server::with_answers(&[&redirect("303", &format!("http://127.0.0.1:{}/there", target.port))]).await;
    let mut request = server.request("POST", "/");
    let header = |name: &str, secret| RequestHeader { name: name.to_owned(), value: "v".to_owned(), secret };
    request.headers = vec![header("Authorization", false), header("X-Key", true), header("X-Plain", false)];
    request.body = Some(b"secret".to_vec());
    let answer = fetch(&request).await.unwrap();
    assert_eq!((answer.redirects, answer.url), (1, format!("http://127.0.0.1:{}/there", target.port)));
    assert!(server.next_request().contains("authorization: v"));
    let received = target.next_request();
    assert!(
        received.starts_with("GET /there ") && received.contains("x-plain: v") && !received.contains("secret"),
        "{received}"
    );
    assert!(!received.contains("authorization") && !received.contains("x-key"), "{received}");
}

#[tokio::test]
async fn endless_answers_are_limited() {
    let head = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n".to_vec();
    let server = Server::new(vec![
        ServerAction::Repeat(head.clone(), vec![b'x'; 10_000]),
        ServerAction::Stall(head),
        ServerAction::Stall(Vec::new()),
    ])
    .await;
    let mut request = server.request("GET", "/");
    request.max_body = 25_000;
    let answer = fetch(&request).await.unwrap();
    assert_eq!((answer.bytes.len(), answer.truncated), (25_000, true));
    request.timeout = Duration::from_millis(200);
    assert_eq!(fetch(&request).await, Err(HttpError::TimedOut { after: request.timeout }));
    request.timeout = Duration::from_hours(1);
    let cancel = CancellationToken::new();
    let lookup: Arc<dyn AddressLookup> = Arc::new(SystemLookup);
    let (answer, ()) = tokio::join!(send(&request, &lookup, &cancel), async { cancel.cancel() });
    assert_eq!(answer, Err(HttpError::Cancelled));
}

#[tokio::test]
async fn invalid_answers_are_errors() {
    let huge = format!("HTTP/1.1 200 OK\nX: {}\n\n", "x".repeat(2_000_000));
    let many_headers = format!("HTTP/1.1 200 OK\n{}\n", "X: y\n".repeat(10_000));
    for answer in [
        "",
        "hello\n\n",
        "HTTP/1.1 200 OK\nContent-Length: 5\nContent-Length: 7\n\nhello",
        "HTTP/1.1 200 OK\nContent-Length: 50\n\nhello",
        &huge,
        &many_headers,
    ] {
        let server = Server::with_answers(&[answer]).await;
        let error = fetch(&server.request("GET", "/")).await.unwrap_err();
        assert!(matches!(error, HttpError::Protocol { .. }), "{error}");
    }
    // No listener uses the port any more.
    let port = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap().port();
    let mut request = HttpRequest::new("GET", format!("http://127.0.0.1:{port}/?token=secret"));
    request.hosts = vec!["127.0.0.1".to_owned()];
    let error = fetch(&request).await.unwrap_err();
    assert!(matches!(error, HttpError::Connect { .. }) && !error.to_string().contains("secret"), "{error}");
}

#[tokio::test]
async fn refused_headers() {
    for (name, value) in [
        ("X", "a\r\nB: c"),
        ("X\r\nY", "a"),
        ("", "a"),
        ("X", "\0"),
        ("Host", "evil"),
        ("Content-Length", "3"),
        ("Transfer-Encoding", "chunked"),
    ] {
        let mut request = HttpRequest::new("GET", "http://x/");
        request.headers = vec![RequestHeader { name: name.to_owned(), value: value.to_owned(), secret: false }];
        assert!(matches!(fetch(&request).await, Err(HttpError::Header { .. })), "{name} {value}");
    }
    assert!(matches!(fetch(&HttpRequest::new("TRACE", "http://x/")).await, Err(HttpError::Method { .. })));
}

/// An https client works, so the cryptography provider is installed.
#[tokio::test]
async fn https_reaches_the_handshake() {
    let server = Server::new(vec![ServerAction::Greet(b"HTTP/1.1 400 Bad Request\r\n\r\n".to_vec())]).await;
    let mut request = server.request("GET", "/");
    request.url = request.url.replace("http:", "https:");
    let error = fetch(&request).await.unwrap_err();
    assert!(matches!(error, HttpError::Connect { .. } | HttpError::Protocol { .. }), "{error}");
    assert!(error.to_string().to_lowercase().contains("message"), "{error}");
}
