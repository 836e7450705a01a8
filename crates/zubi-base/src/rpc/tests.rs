//! Tests of `rpc` with language servers; `lines` has those of the IPC protocol.

use std::sync::Mutex;

use insta::assert_snapshot;
use serde_json::json;
use tokio::io::{AsyncWriteExt as _, DuplexStream, duplex};

use super::*;
use crate::framing::{self, Frame, FrameReader, MAX_BODY_BYTES};

mod lines;

/// The maximum time that a test waits for an expected event.
const TEST_TIMEOUT: Duration = Duration::from_secs(20);

/// Records the notifications, and answers `ping`.
#[derive(Default)]
struct Log(Mutex<Vec<String>>);

impl Log {
    fn lines(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }
}

impl PeerHandler for Log {
    fn notification(&self, method: &str, params: Value) {
        assert_ne!(method, "panic", "the test requests a panic");
        self.0.lock().unwrap().push(format!("{method} {params}"));
    }

    fn request(&self, method: &str, params: Value, responder: Responder) {
        self.notification(method, params);
        responder.answer(if method == "ping" {
            Ok(json!("pong"))
        } else {
            Err(ResponseError::method_not_found(method))
        });
    }
}

/// The other end of the connection: a server that the test controls.
struct Peer {
    reader: FrameReader<tokio::io::ReadHalf<DuplexStream>>,
    writer: tokio::io::WriteHalf<DuplexStream>,
}

impl Peer {
    /// Returns zubi's next message as text.
    async fn receive(&mut self) -> String {
        let frame = tokio::time::timeout(TEST_TIMEOUT, self.reader.next()).await.unwrap().unwrap();
        match frame {
            Some(Frame::Body(body)) => String::from_utf8(body).unwrap(),
            Some(other) => panic!("{other:?}"),
            None => "(end)".to_owned(),
        }
    }

    async fn send(&mut self, body: &str) {
        self.writer.write_all(&framing::frame(body.as_bytes())).await.unwrap();
    }
}

struct World {
    connection: Connection,
    peer: Peer,
    log: Arc<Log>,
    cancel: CancellationToken,
}

fn world() -> World {
    let (near, far) = duplex(1024);
    let (reader, writer) = tokio::io::split(near);
    let log = Arc::new(Log::default());
    let connection = Connection::start(
        reader,
        writer,
        Arc::clone(&log) as Arc<dyn PeerHandler>,
        ConnectionOptions::language_server(),
    );
    let (reader, writer) = tokio::io::split(far);
    World { connection, peer: Peer { reader: FrameReader::new(reader), writer }, log, cancel: CancellationToken::new() }
}

impl World {
    /// Starts a task that sends a request.
    fn spawn_request(&self, method: &'static str) -> tokio::task::JoinHandle<Result<Value, ConnectionError>> {
        let (connection, cancel) = (self.connection.clone(), self.cancel.clone());
        tokio::spawn(
            async move { connection.request(method, Value::Null, &cancel, Instant::now() + TEST_TIMEOUT).await },
        )
    }
}

#[tokio::test]
async fn answers_find_their_requests_in_any_order() {
    let mut world = world();
    let first = world.spawn_request("first");
    assert_snapshot!(world.peer.receive().await, @r#"{"jsonrpc":"2.0","id":1,"method":"first"}"#);
    let second = world.spawn_request("second");
    assert_snapshot!(world.peer.receive().await, @r#"{"jsonrpc":"2.0","id":2,"method":"second"}"#);
    world.peer.send(r#"{"id":99,"result":"nobody asked"}"#).await;
    world.peer.send(r#"{"id":"2","result":null}"#).await;
    assert_eq!(second.await.unwrap(), Ok(Value::Null));
    world.peer.send(r#"{"id":1,"result":null,"error":{"code":-32801,"message":"content modified"}}"#).await;
    assert_snapshot!(first.await.unwrap().unwrap_err(), @"content modified (-32801)");
}

#[tokio::test]
async fn message_order_is_preserved() {
    let mut world = world();
    world.connection.notify("one", json!({"n": 1})).unwrap();
    let deadline = Instant::now() + TEST_TIMEOUT;
    let mut request = Box::pin(world.connection.request("two", json!([]), &world.cancel, deadline));
    // Polled once to queue the request; there can be no response yet.
    tokio::select! { biased; answer = &mut request => panic!("{answer:?}"), () = std::future::ready(()) => {} }
    world.connection.notify("three", Value::Null).unwrap();
    assert_snapshot!(world.peer.receive().await, @r#"{"jsonrpc":"2.0","method":"one","params":{"n":1}}"#);
    assert_snapshot!(world.peer.receive().await, @r#"{"jsonrpc":"2.0","id":1,"method":"two","params":[]}"#);
    assert_snapshot!(world.peer.receive().await, @r#"{"jsonrpc":"2.0","method":"three"}"#);
    for n in 0..100 {
        world.peer.send(&format!(r#"{{"method":"$/progress","params":{n}}}"#)).await;
    }
    world.peer.send(r#"{"id":1,"result":"done"}"#).await;
    assert_eq!(request.await, Ok(json!("done")));
    let expected: Vec<String> = (0..100).map(|n| format!("$/progress {n}")).collect();
    assert_eq!(world.log.lines(), expected, "all of them were handled before the answer was delivered");
}

#[tokio::test]
async fn the_servers_requests_are_answered() {
    let mut world = world();
    world.peer.send(r#"{"id":"a","method":"ping"}"#).await;
    assert_snapshot!(world.peer.receive().await, @r#"{"jsonrpc":"2.0","id":"a","result":"pong"}"#);
    world.peer.send(r#"{"id":5,"method":"other","params":{}}"#).await;
    assert_snapshot!(world.peer.receive().await, @r#"{"jsonrpc":"2.0","id":5,"error":{"code":-32601,"message":"`other` is not supported"}}"#);
}

#[tokio::test]
async fn cancellation_reaches_the_server() {
    let mut world = world();
    let cancelled = world.spawn_request("slow");
    world.peer.receive().await;
    world.cancel.cancel();
    assert_eq!(cancelled.await.unwrap(), Err(ConnectionError::Cancelled));
    assert_snapshot!(world.peer.receive().await, @r#"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":1}}"#);

    world.cancel = CancellationToken::new();
    let dropped = world.spawn_request("slow");
    world.peer.receive().await;
    dropped.abort();
    assert_snapshot!(world.peer.receive().await, @r#"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":2}}"#);

    let now = Instant::now();
    let expired = world.connection.request("slow", Value::Null, &world.cancel, now).await;
    assert!(matches!(expired, Err(ConnectionError::TimedOut { .. })), "{expired:?}");
    world.peer.receive().await;
    assert_snapshot!(world.peer.receive().await, @r#"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":3}}"#);

    // A late response is ignored, and an answered request is not cancelled.
    world.peer.send(r#"{"id":1,"result":1}"#).await;
    let quick = world.spawn_request("quick");
    world.peer.receive().await;
    world.peer.send(r#"{"id":4,"result":4}"#).await;
    assert_eq!(quick.await.unwrap(), Ok(json!(4)));
    world.connection.notify("last", Value::Null).unwrap();
    assert_snapshot!(world.peer.receive().await, @r#"{"jsonrpc":"2.0","method":"last"}"#);
}

#[tokio::test]
async fn a_cancelled_caller_sends_nothing() {
    let mut world = world();
    world.cancel.cancel();
    assert_eq!(world.spawn_request("never").await.unwrap(), Err(ConnectionError::Cancelled));
    world.connection.notify("first", Value::Null).unwrap();
    assert_snapshot!(world.peer.receive().await, @r#"{"jsonrpc":"2.0","method":"first"}"#);
}

#[tokio::test]
async fn an_exited_server_fails_pending_and_later_requests() {
    let mut world = world();
    let waiting = world.spawn_request("slow");
    world.peer.receive().await;
    world.peer.writer.write_all(b"Segmentation fault\n").await.unwrap();
    let mut closed = world.connection.closed_reason();
    drop(world.peer);
    let reason = closed.wait_for(Option::is_some).await.unwrap().clone();
    assert_snapshot!(reason.unwrap(), @"it closed its output; it printed: Segmentation fault");
    let expected = "the connection is closed: it closed its output; it printed: Segmentation fault";
    assert_eq!(waiting.await.unwrap().unwrap_err().to_string(), expected);
    assert_eq!(world.connection.notify("more", Value::Null).unwrap_err().to_string(), expected);
}

#[tokio::test]
async fn closing_the_writer_sends_what_is_queued_first() {
    let mut world = world();
    for _ in 0..100 {
        world.connection.notify("event", json!("some text")).unwrap();
    }
    world.connection.close_writer();
    assert_snapshot!(world.connection.notify("late", Value::Null).unwrap_err(), @"the connection is closed: its input was closed");
    for _ in 0..100 {
        assert_eq!(world.peer.receive().await, r#"{"jsonrpc":"2.0","method":"event","params":"some text"}"#);
    }
    assert_eq!(world.peer.receive().await, "(end)");
}

#[tokio::test]
async fn dropping_the_last_handle_closes_the_writer() {
    let World { connection, mut peer, .. } = world();
    let clone = connection.clone();
    drop(connection);
    clone.notify("still here", Value::Null).unwrap();
    drop(clone);
    assert_snapshot!(peer.receive().await, @r#"{"jsonrpc":"2.0","method":"still here"}"#);
    assert_eq!(peer.receive().await, "(end)");
}

#[tokio::test]
async fn queue_of_a_server_that_does_not_read_is_bounded() {
    let mut world = world();
    let megabyte = json!("x".repeat(1024 * 1024));
    let accepted = (0..100).take_while(|_| world.connection.notify("event", megabyte.clone()).is_ok()).count();
    assert_eq!(accepted, 63);
    let deadline = Instant::now() + TEST_TIMEOUT;
    let error = world.connection.request("question", megabyte.clone(), &world.cancel, deadline).await.unwrap_err();
    assert_snapshot!(error, @"the server does not read its input: more than 67108864 bytes wait to be written");
    // After the peer reads, the queue has room again.
    for _ in 0..accepted {
        world.peer.receive().await;
    }
    world.connection.notify("event", megabyte).unwrap();
    assert!(world.peer.receive().await.len() > 1024 * 1024);
}

#[tokio::test]
async fn unusable_answers_fail_their_request() {
    let mut world = world();
    let malformed = world.spawn_request("first");
    world.peer.receive().await;
    world.peer.send(r#"{"jsonrpc":"2.0","id":1,"result":[1,}"#).await;
    assert_snapshot!(malformed.await.unwrap().unwrap_err(), @"a message is malformed: not JSON: expected value at line 1 column 37");

    let huge = world.spawn_request("second");
    world.peer.receive().await;
    let length = MAX_BODY_BYTES + 40;
    let head = format!("Content-Length: {length}\r\n\r\n{}", r#"{"jsonrpc":"2.0","id":2,"result":""#);
    world.peer.writer.write_all(head.as_bytes()).await.unwrap();
    let body = vec![b'x'; length - 34];
    world.peer.writer.write_all(&body).await.unwrap();
    assert_snapshot!(huge.await.unwrap().unwrap_err(), @"the answer has 67108904 bytes, more than the 67108864 that are read");
    let next = world.spawn_request("third");
    world.peer.receive().await;
    world.peer.send(r#"{"id":3,"result":true}"#).await;
    assert_eq!(next.await.unwrap(), Ok(json!(true)));
}

#[tokio::test]
async fn a_panicking_handler_closes_the_connection() {
    let mut world = world();
    let waiting = world.spawn_request("slow");
    world.peer.receive().await;
    world.peer.send(r#"{"method":"panic"}"#).await;
    assert_snapshot!(waiting.await.unwrap().unwrap_err(), @"the connection is closed: reading its output failed");
}

#[tokio::test]
async fn a_server_that_requests_without_reading_is_disconnected() {
    let mut world = world();
    let mut closed = world.connection.closed_reason();
    let flood = async {
        let request = format!(r#"{{"id":1,"method":"unknown {}"}}"#, "x".repeat(10_000));
        while world.peer.writer.write_all(&framing::frame(request.as_bytes())).await.is_ok() {}
    };
    let reason = tokio::select! {
        () = flood => panic!("the pipe broke"),
        end = tokio::time::timeout(TEST_TIMEOUT, closed.wait_for(Option::is_some)) => end.unwrap().unwrap().clone(),
    };
    assert_snapshot!(reason.unwrap(), @"the server does not read its input: more than 4194304 bytes wait to be written");
}

#[tokio::test]
async fn a_request_is_answered_while_a_large_document_waits() {
    let mut world = world();
    world.connection.notify("document", json!("x".repeat(6 * 1024 * 1024))).unwrap();
    // The document fills the pipe, so the response to the server's request waits behind it.
    world.peer.send(r#"{"id":7,"method":"ping"}"#).await;
    assert!(world.peer.receive().await.len() > 6 * 1024 * 1024);
    assert_snapshot!(world.peer.receive().await, @r#"{"jsonrpc":"2.0","id":7,"result":"pong"}"#);
}

#[tokio::test]
async fn flooding_server_does_not_starve_other_tasks() {
    let mut world = world();
    let messages = framing::frame(br#"{"method":"chatter"}"#).repeat(50_000);
    let (reader, mut writer) = tokio::io::duplex(messages.len());
    writer.write_all(&messages).await.unwrap();
    let log = Arc::new(Log::default());
    let chatty = Connection::start(
        reader,
        tokio::io::sink(),
        Arc::clone(&log) as Arc<dyn PeerHandler>,
        ConnectionOptions::language_server(),
    );
    let request = world.spawn_request("other");
    world.peer.receive().await;
    world.peer.send(r#"{"id":1,"result":true}"#).await;
    assert_eq!(request.await.unwrap(), Ok(json!(true)));
    assert!(log.lines().len() < 50_000, "the reader did not yield to other tasks");
    drop(chatty);
}

#[tokio::test]
async fn long_error_texts_are_truncated() {
    let mut world = world();
    let request = world.spawn_request("question");
    world.peer.receive().await;
    world.peer.send(&format!(r#"{{"id":1,"error":{{"code":1,"message":"{}"}}}}"#, "x".repeat(100_000))).await;
    let error = request.await.unwrap().unwrap_err().to_string();
    assert!(error.len() < 2_100 && error.contains("x…"), "{}", error.len());
}
