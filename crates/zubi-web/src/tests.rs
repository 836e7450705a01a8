//! The server over raw HTTP: what a browser, another page, and another program may send.

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use insta::assert_snapshot;
use nix::sys::resource::{Resource, getrlimit, setrlimit};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpSocket, TcpStream};
use tokio::sync::broadcast;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use zubi_agent::chat::{ChatError, ChatService};
use zubi_agent::event::{AgentEvent, EventKind};
use zubi_agent::wire::ConversationEvent;

use crate::{ASSETS, WebOptions, WebServer};

/// A timeout that no test reaches.
const DEADLINE: Duration = Duration::from_secs(10);

/// A chat service that echoes `hello`, and fails or hangs for other methods.
struct Chats(broadcast::Sender<Arc<ConversationEvent>>);

#[async_trait]
impl ChatService for Chats {
    async fn request(&self, method: &str, params: Value, surface: &str) -> Result<Value, ChatError> {
        match method {
            "hello" => Ok(json!({ "method": method, "params": params, "surface": surface })),
            "open" => Err(ChatError::NotFound("There is no such conversation. List them.".to_owned())),
            "send" => Err(ChatError::Invalid("`text` is missing".to_owned())),
            "stop" => Err(ChatError::Failed("Nothing runs.".to_owned())),
            // A call that runs until its caller stops waiting.
            "call" => std::future::pending().await,
            _ => Err(ChatError::UnknownMethod(method.to_owned())),
        }
    }

    fn listen(&self) -> broadcast::Receiver<Arc<ConversationEvent>> {
        self.0.subscribe()
    }

    async fn shutdown(&self) {}
}

struct Page {
    port: u16,
    token: String,
    events: broadcast::Sender<Arc<ConversationEvent>>,
    stop: CancellationToken,
    served: JoinHandle<()>,
}

impl Page {
    async fn serve() -> Self {
        let (events, _) = broadcast::channel(4);
        let (chats, stop) = (Arc::new(Chats(events.clone())), CancellationToken::new());
        let server = WebServer::bind(WebOptions::default()).await.expect("a free port");
        let address = server.address();
        let (authority, token) =
            address.strip_prefix("http://127.0.0.1:").and_then(|rest| rest.split_once("/#token=")).expect("its form");
        let (port, token) = (authority.parse().expect("a number"), token.to_owned());
        let served = tokio::spawn(server.serve(chats, stop.clone()));
        Self { port, token, events, stop, served }
    }

    /// Sends a request on its own connection, with `$PORT` and `$TOKEN` replaced and CRLF line ends.
    async fn send(&self, request: &str) -> TcpStream {
        let request = request.replace("$PORT", &self.port.to_string()).replace("$TOKEN", &self.token);
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).await.expect("it listens");
        stream.write_all(request.replace('\n', "\r\n").as_bytes()).await.expect("it reads");
        stream
    }

    /// Returns the status and the body of the response.
    async fn request(&self, request: &str) -> String {
        let response = self.answer(request).await;
        let (head, body) = response.split_once("\r\n\r\n").unwrap_or((&response, ""));
        let status = head.lines().next().unwrap_or_default().strip_prefix("HTTP/1.1 ").unwrap_or(head);
        format!("{status}\n{body}")
    }

    async fn answer(&self, request: &str) -> String {
        let mut stream = self.send(request).await;
        let mut answer = Vec::new();
        let read = tokio::time::timeout(DEADLINE, stream.read_to_end(&mut answer)).await;
        read.expect("the connection is closed").expect("it can be read");
        String::from_utf8(answer).expect("text").replace(&self.port.to_string(), "PORT")
    }

    fn publish_title(&self, title: &str) {
        let event = AgentEvent { seq: 1, at: 0, kind: EventKind::Titled { title: title.to_owned() } };
        self.events
            .send(Arc::new(ConversationEvent { conversation: "c".to_owned(), event }))
            .expect("somebody listens");
    }
}

/// A POST of `{}` to `hello` with these lines in the head in place of the usual ones.
fn hello_request(head: &str) -> String {
    format!("POST /api/hello HTTP/1.1\n{head}\nContent-Length: 2\nConnection: close\n\n{{}}")
}

const VALID_HEAD: &str = "Host: 127.0.0.1:$PORT\nOrigin: http://127.0.0.1:$PORT\nAuthorization: Bearer $TOKEN\nContent-Type: application/json";

/// Reads until the expected text.
async fn read_until(stream: &mut TcpStream, expected: &str) -> String {
    let mut read = String::new();
    tokio::time::timeout(DEADLINE, async {
        while !read.contains(expected) {
            let mut buffer = [0; 4096];
            let count = stream.read(&mut buffer).await.expect("it can be read");
            assert!(count > 0, "it ended before {expected:?}: {read}");
            read.push_str(&String::from_utf8_lossy(buffer.get(..count).unwrap_or_default()));
        }
    })
    .await
    .unwrap_or_else(|_| panic!("no {expected:?}"));
    read
}

#[tokio::test]
async fn requests_with_the_token_are_served() {
    let page = Page::serve().await;
    assert_snapshot!(page.request(&hello_request(VALID_HEAD)).await, @r#"
    200 OK
    {"method":"hello","params":{},"surface":"web"}
    "#);
    assert_snapshot!(page.request(&hello_request(&VALID_HEAD.replace("127.0.0.1", "localhost"))).await.lines().next().unwrap(), @"200 OK");
    // A program other than a browser sends no origin.
    assert_snapshot!(page.request(&hello_request(&VALID_HEAD.replace("Origin: http://127.0.0.1:$PORT\n", ""))).await.lines().next().unwrap(), @"200 OK");
}

#[tokio::test]
async fn content_type_parameters_are_accepted() {
    let page = Page::serve().await;
    for kind in [
        "application/json; charset=utf-8",
        "application/json;charset=UTF-8",
        "Application/JSON ; a=b",
        "application/json;",
    ] {
        let answer = page.request(&hello_request(&VALID_HEAD.replace("application/json", kind))).await;
        assert!(answer.starts_with("200 "), "{kind}: {answer}");
    }
}

#[tokio::test]
async fn malformed_requests_are_answered_with_a_correction() {
    let page = Page::serve().await;
    let mut answers = String::new();
    for (method, path) in
        [("GET", "/api/hello"), ("PUT", "/api/hello"), ("POST", "/api/events"), ("POST", "/"), ("DELETE", "/page.js")]
    {
        let response =
            page.answer(&hello_request(VALID_HEAD).replace("POST /api/hello", &format!("{method} {path}"))).await;
        let (head, body) = response.split_once("\r\n\r\n").unwrap_or((&response, ""));
        let headers = head.lines().filter(|line| line.starts_with("HTTP/") || line.starts_with("allow:"));
        writeln!(answers, "{method} {path}\n{}\n{body}", headers.collect::<Vec<_>>().join("\n")).expect("a text");
    }
    assert_snapshot!(answers, @r#"
    GET /api/hello
    HTTP/1.1 405 Method Not Allowed
    allow: POST
    {"error":"Wrong method for this address: call methods with POST; read the event stream and the page's files with GET."}
    PUT /api/hello
    HTTP/1.1 405 Method Not Allowed
    allow: POST
    {"error":"Wrong method for this address: call methods with POST; read the event stream and the page's files with GET."}
    POST /api/events
    HTTP/1.1 405 Method Not Allowed
    allow: GET,HEAD
    {"error":"Wrong method for this address: call methods with POST; read the event stream and the page's files with GET."}
    POST /
    HTTP/1.1 405 Method Not Allowed
    allow: GET,HEAD
    {"error":"Wrong method for this address: call methods with POST; read the event stream and the page's files with GET."}
    DELETE /page.js
    HTTP/1.1 405 Method Not Allowed
    allow: GET,HEAD
    {"error":"Wrong method for this address: call methods with POST; read the event stream and the page's files with GET."}
    "#);
    // Clients without the token do not learn which methods exist.
    let unauthorized = hello_request("Host: 127.0.0.1:$PORT").replace("POST", "PUT");
    assert!(page.request(&unauthorized).await.starts_with("401 "));
}

#[tokio::test]
async fn other_clients_are_refused_with_a_reason() {
    let page = Page::serve().await;
    let mut answers = String::new();
    for (name, head) in [
        ("no token", VALID_HEAD.replace("Authorization: Bearer $TOKEN\n", "")),
        ("another token", VALID_HEAD.replace("$TOKEN", &"0".repeat(64))),
        ("half of the token", VALID_HEAD.replace("$TOKEN", page.token.split_at(32).0)),
        ("the token as a password", VALID_HEAD.replace("Bearer", "Basic")),
        ("two tokens", format!("{VALID_HEAD}\nAuthorization: Bearer $TOKEN")),
        ("evil host", VALID_HEAD.replace("Host: 127.0.0.1:$PORT", "Host: evil.example:$PORT")),
        ("another port", VALID_HEAD.replace("Host: 127.0.0.1:$PORT", "Host: 127.0.0.1:1")),
        ("no host", VALID_HEAD.replace("Host: 127.0.0.1:$PORT\n", "")),
        ("foreign origin", VALID_HEAD.replace("Origin: http://127.0.0.1:$PORT", "Origin: http://evil.example")),
        ("opaque origin", VALID_HEAD.replace("Origin: http://127.0.0.1:$PORT", "Origin: null")),
        ("encrypted origin", VALID_HEAD.replace("Origin: http", "Origin: https")),
        ("another page", format!("{VALID_HEAD}\nSec-Fetch-Site: cross-site")),
        ("another port's page", format!("{VALID_HEAD}\nSec-Fetch-Site: same-site")),
        ("a form", VALID_HEAD.replace("application/json", "text/plain")),
        ("a form that says so as well", VALID_HEAD.replace("application/json", "text/plain; a=application/json")),
        ("two types", format!("{VALID_HEAD}\nContent-Type: text/plain")),
    ] {
        writeln!(answers, "{name}: {}", page.request(&hello_request(&head)).await.trim_end()).expect("a text");
    }
    assert_snapshot!(answers, @r#"
    no token: 401 Unauthorized
    {"error":"This request has no valid token. Open the whole address that `zubi web` printed, with what follows the `#`."}
    another token: 401 Unauthorized
    {"error":"This request has no valid token. Open the whole address that `zubi web` printed, with what follows the `#`."}
    half of the token: 401 Unauthorized
    {"error":"This request has no valid token. Open the whole address that `zubi web` printed, with what follows the `#`."}
    the token as a password: 401 Unauthorized
    {"error":"This request has no valid token. Open the whole address that `zubi web` printed, with what follows the `#`."}
    two tokens: 401 Unauthorized
    {"error":"This request has no valid token. Open the whole address that `zubi web` printed, with what follows the `#`."}
    evil host: 403 Forbidden
    {"error":"zubi answers under the address that `zubi web` printed, and under no other name. Open that address."}
    another port: 403 Forbidden
    {"error":"zubi answers under the address that `zubi web` printed, and under no other name. Open that address."}
    no host: 403 Forbidden
    {"error":"zubi answers under the address that `zubi web` printed, and under no other name. Open that address."}
    foreign origin: 403 Forbidden
    {"error":"Requests of other pages are refused. Open the address that `zubi web` printed."}
    opaque origin: 403 Forbidden
    {"error":"Requests of other pages are refused. Open the address that `zubi web` printed."}
    encrypted origin: 403 Forbidden
    {"error":"Requests of other pages are refused. Open the address that `zubi web` printed."}
    another page: 403 Forbidden
    {"error":"Requests of other pages are refused. Open the address that `zubi web` printed."}
    another port's page: 403 Forbidden
    {"error":"Requests of other pages are refused. Open the address that `zubi web` printed."}
    a form: 415 Unsupported Media Type
    {"error":"Parameters are sent as `application/json`."}
    a form that says so as well: 415 Unsupported Media Type
    {"error":"Parameters are sent as `application/json`."}
    two types: 415 Unsupported Media Type
    {"error":"Parameters are sent as `application/json`."}
    "#);
    let events = "GET /api/events HTTP/1.1\nHost: 127.0.0.1:$PORT\nConnection: close\n\n";
    assert!(page.request(events).await.starts_with("401 "));
    let preflight = hello_request(VALID_HEAD).replace("POST", "OPTIONS");
    assert!(!page.answer(&preflight).await.to_lowercase().contains("access-control-allow"));
}

#[tokio::test]
async fn the_page_has_security_headers() {
    let page = Page::serve().await;
    let response = page.answer("GET / HTTP/1.1\nHost: localhost:$PORT\nConnection: close\n\n").await;
    let (head, body) = response.split_once("\r\n\r\n").expect("a head");
    assert_eq!(body, ASSETS.first().expect("there are some").text);
    let mut head: Vec<&str> = head.lines().filter(|line| !line.starts_with("date:")).collect();
    head.sort_unstable();
    let head: Vec<&str> = head.into_iter().filter(|line| !line.starts_with("content-length:")).collect();
    assert_snapshot!(head.join("\n"), @"
    HTTP/1.1 200 OK
    cache-control: no-store
    connection: close
    content-security-policy: default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'
    content-type: text/html; charset=utf-8
    cross-origin-opener-policy: same-origin
    cross-origin-resource-policy: same-origin
    referrer-policy: no-referrer
    x-content-type-options: nosniff
    x-frame-options: DENY
    ");
    for asset in ASSETS {
        let answer =
            page.request(&format!("GET /{} HTTP/1.1\nHost: 127.0.0.1:$PORT\nConnection: close\n\n", asset.name)).await;
        assert!(answer.starts_with("200 ") && answer.ends_with(asset.text), "{}", asset.name);
    }
    for path in ["/nothing", "/..%2fsrc/lib.rs", "/page/index.html", "/api", "//"] {
        let answer = page.request(&format!("GET {path} HTTP/1.1\nHost: 127.0.0.1:$PORT\nConnection: close\n\n")).await;
        assert!(answer.starts_with("404 "), "{path}: {answer}");
    }
}

#[tokio::test]
async fn failures_return_their_reason() {
    let page = Page::serve().await;
    let mut answers = String::new();
    for method in ["open", "send", "stop", "fly"] {
        answers.push_str(page.request(&hello_request(VALID_HEAD).replace("hello", method)).await.trim_end());
        answers.push('\n');
    }
    answers.push_str(&page.request(&hello_request(VALID_HEAD).replace("{}", "{,")).await);
    assert_snapshot!(answers, @r#"
    404 Not Found
    {"error":"There is no such conversation. List them."}
    400 Bad Request
    {"error":"Invalid input: `text` is missing"}
    409 Conflict
    {"error":"Nothing runs."}
    404 Not Found
    {"error":"there is no method `fly`"}
    400 Bad Request
    {"error":"invalid JSON: key must be a string at line 1 column 2"}
    "#);
    let long = hello_request(VALID_HEAD).replace("Content-Length: 2", "Content-Length: 999999999");
    assert_snapshot!(page.request(&long).await, @r#"
    413 Payload Too Large
    {"error":"A request may have at most 4194304 bytes."}
    "#);
}

#[tokio::test]
async fn events_are_streamed_and_a_slow_client_reloads() {
    let page = Page::serve().await;
    let listen = "GET /api/events HTTP/1.1\nHost: 127.0.0.1:$PORT\nAuthorization: Bearer $TOKEN\n\n";
    let (mut one, mut other) = (page.send(listen).await, page.send(listen).await);
    assert!(read_until(&mut one, "\r\n\r\n").await.contains("text/event-stream"));
    read_until(&mut other, "\r\n\r\n").await;
    page.publish_title("First");
    let received = read_until(&mut one, "\n\n").await;
    assert_eq!(received, read_until(&mut other, "\n\n").await);
    let event: Vec<&str> = received.lines().filter(|line| line.contains(':')).collect();
    assert_snapshot!(event.join("\n"), @r#"
    event: told
    data: {"conversation":"c","event":{"seq":1,"at":0,"type":"titled","title":"First"}}
    "#);
    // More events than the channel holds, before a client can read them.
    for number in 0..20 {
        page.publish_title(&format!("Title {number}"));
    }
    let received = read_until(&mut one, "Title 19").await;
    assert!(received.contains("event: reload") && !received.contains("Title 0"), "{received}");
}

#[tokio::test]
async fn the_server_stops_despite_an_open_stream_and_a_running_call() {
    let page = Page::serve().await;
    let mut listener =
        page.send("GET /api/events HTTP/1.1\nHost: 127.0.0.1:$PORT\nAuthorization: Bearer $TOKEN\n\n").await;
    read_until(&mut listener, "\r\n\r\n").await;
    let _idle_connection = page.send("GET / HTTP/1.1\n").await;
    let _running_call = page.send(&hello_request(VALID_HEAD).replace("hello", "call")).await;
    page.stop.cancel();
    tokio::time::timeout(DEADLINE, page.served).await.expect("it ends").expect("without a panic");
    let mut rest = Vec::new();
    listener.read_to_end(&mut rest).await.expect("the stream ends in order");
    assert_eq!(String::from_utf8_lossy(&rest), "0\r\n\r\n");
}

/// Every user of the machine can open connections, and only the owner of the page knows the token.
#[tokio::test]
async fn connections_without_the_token_keep_nobody_out() {
    let page = Page::serve().await;
    let mut strangers = Vec::new();
    for _ in 0..70 {
        strangers.push(page.send("GET / HTTP/1.1\n").await);
    }
    assert!(page.request(&hello_request(VALID_HEAD)).await.starts_with("200 "));
    // The newest are still served.
    let last = strangers.last_mut().unwrap();
    last.write_all(b"Host: evil.example\r\nConnection: close\r\n\r\n").await.expect("it is open");
    read_until(last, "403").await;
}

#[tokio::test]
async fn connections_over_the_limit_are_closed() {
    let page = Page::serve().await;
    let mut connections = Vec::new();
    for _ in 0..64 {
        let mut stream = page.send(&hello_request(VALID_HEAD).replace("Connection: close\n", "")).await;
        read_until(&mut stream, "200").await;
        connections.push(stream);
    }
    // Accepted connections are served; the one over the limit is closed.
    let mut extra = TcpStream::connect(("127.0.0.1", page.port)).await.expect("the system takes it");
    let mut rest = Vec::new();
    let read = tokio::time::timeout(DEADLINE, extra.read_to_end(&mut rest)).await.expect("it is closed");
    assert!(read.is_err() || rest.is_empty());
    for stream in &mut connections {
        stream
            .write_all(b"GET / HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n")
            .await
            .expect("it is open");
        read_until(stream, "403").await;
    }
}

/// Opens all file descriptors that this process may have.
fn open_all_descriptors() -> Vec<std::fs::File> {
    let (_, hard) = getrlimit(Resource::RLIMIT_NOFILE).expect("a limit");
    setrlimit(Resource::RLIMIT_NOFILE, 256, hard).expect("a lower one");
    std::iter::from_fn(|| std::fs::File::open("/dev/null").ok()).collect()
}

#[tokio::test]
async fn without_file_descriptors_it_pauses_and_resumes() {
    let page = Page::serve().await;
    let socket = TcpSocket::new_v4().expect("a socket");
    let descriptors = open_all_descriptors();
    let mut stream = socket.connect(([127, 0, 0, 1], page.port).into()).await.expect("it listens");
    // This clock advances only while the runtime is idle.
    tokio::time::pause();
    let pause = tokio::time::timeout(DEADLINE, std::future::pending::<()>());
    pause.await.expect_err("only the clock ends the pause");
    tokio::time::resume();
    drop(descriptors);
    stream.write_all(b"GET / HTTP/1.1\r\nHost: nobody\r\nConnection: close\r\n\r\n").await.expect("it reads");
    let mut answer = String::new();
    let read = tokio::time::timeout(DEADLINE, stream.read_to_string(&mut answer)).await.expect("it answers");
    assert!(read.is_ok() && answer.starts_with("HTTP/1.1 4"), "{answer}");
    page.stop.cancel();
}
