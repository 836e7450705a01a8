//! Tests of `rpc` with the IPC protocol.

use std::fmt::Write as _;

use proptest::prelude::*;
use tokio::io::{AsyncBufReadExt as _, BufReader, ReadHalf, WriteHalf};
use tokio::sync::mpsc;

use super::*;

/// A handler that answers `echo` at once and passes the responders of `hold` to the test.
struct TestHandler {
    pending_requests: mpsc::UnboundedSender<(Value, Responder)>,
    notes: mpsc::UnboundedSender<String>,
}

impl PeerHandler for TestHandler {
    fn notification(&self, method: &str, params: Value) {
        assert_ne!(method, "panic", "the test requests a panic");
        self.notes.send(format!("{method} {params}")).ok();
    }

    fn request(&self, method: &str, params: Value, responder: Responder) {
        match method {
            "echo" => responder.answer(Ok(params)),
            "hold" => drop(self.pending_requests.send((params, responder))),
            "large" => responder.answer(Ok(json!("x".repeat(2_000)))),
            "drop" => drop(responder),
            _ => responder.answer(Err(ResponseError::method_not_found(method))),
        }
    }
}

/// A connection with small limits, and its other end.
struct World {
    connection: Connection,
    pending_requests: mpsc::UnboundedReceiver<(Value, Responder)>,
    notes: mpsc::UnboundedReceiver<String>,
    reader: BufReader<ReadHalf<DuplexStream>>,
    writer: WriteHalf<DuplexStream>,
}

const SMALL: ConnectionOptions =
    ConnectionOptions { max_body: 1_000, max_queued: 10_000, max_queued_responses: 10_000, ..ConnectionOptions::ipc() };

fn world(options: ConnectionOptions) -> World {
    let (near, far) = duplex(1024);
    let (reader, writer) = tokio::io::split(near);
    let (request_sender, pending_requests) = mpsc::unbounded_channel();
    let (note_sender, notes) = mpsc::unbounded_channel();
    let handler = Arc::new(TestHandler { pending_requests: request_sender, notes: note_sender });
    let connection = Connection::start(reader, writer, handler, options);
    let (reader, writer) = tokio::io::split(far);
    World { connection, pending_requests, notes, reader: BufReader::new(reader), writer }
}

async fn within_timeout<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(TEST_TIMEOUT, future).await.unwrap()
}

impl World {
    /// Returns zubi's next line.
    async fn receive(&mut self) -> String {
        let mut line = String::new();
        within_timeout(self.reader.read_line(&mut line)).await.unwrap();
        if line.is_empty() { "(end)".to_owned() } else { line.trim_end().to_owned() }
    }

    async fn send(&mut self, line: &str) {
        within_timeout(self.writer.write_all(format!("{line}\n").as_bytes())).await.unwrap();
    }

    /// Sends lines and an `echo`, and returns the responses before that of the `echo`.
    async fn answers(&mut self, lines: &[&str]) -> String {
        for line in lines {
            self.send(line).await;
        }
        self.send(r#"{"jsonrpc":"2.0","id":"last","method":"echo"}"#).await;
        let mut answers = String::new();
        loop {
            match self.receive().await {
                last if last.contains("\"last\"") => return answers,
                answer => writeln!(answers, "{answer}").unwrap(),
            }
        }
    }

    async fn next_pending_request(&mut self) -> (Value, Responder) {
        within_timeout(self.pending_requests.recv()).await.unwrap()
    }

    /// Waits for the end of the connection and returns its reason.
    async fn end_reason(&self) -> String {
        let mut closed = self.connection.closed_reason();
        within_timeout(closed.wait_for(Option::is_some)).await.unwrap().clone().unwrap()
    }
}

#[tokio::test]
async fn invalid_messages_get_errors_and_the_connection_stays_open() {
    let mut world = world(SMALL);
    let answers = world
        .answers(&[
            "",
            "\r",
            "GET / HTTP/1.1",
            r#"{"jsonrpc":"2.0","id":1,"method":"echo","params":[1,}"#,
            r#"[{"jsonrpc":"2.0","id":1,"method":"echo"}]"#,
            r#"{"id":2,"method":"echo"}"#,
            r#"{"jsonrpc":"1.0","id":"x","method":"echo"}"#,
            r#"{"jsonrpc":"2.0","id":1.5,"method":"echo"}"#,
            r#"{"jsonrpc":"2.0","id":null,"method":"echo"}"#,
            r#"{"jsonrpc":"2.0","id":3,"method":7}"#,
            r#"{"jsonrpc":"2.0"}"#,
            "7",
            "\u{feff}{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"echo\",\"params\":\"\\ud83d\"}\r",
        ])
        .await;
    assert_snapshot!(answers, @r#"
    {"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"not JSON: expected value at line 1 column 1"}}
    {"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"not JSON: expected value at line 1 column 53"}}
    {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"neither a request nor an answer"}}
    {"jsonrpc":"2.0","id":2,"error":{"code":-32600,"message":"`jsonrpc` must be \"2.0\""}}
    {"jsonrpc":"2.0","id":"x","error":{"code":-32600,"message":"`jsonrpc` must be \"2.0\""}}
    {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"neither a request nor an answer"}}
    {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"`id` must be a number or a text"}}
    {"jsonrpc":"2.0","id":3,"error":{"code":-32600,"message":"not a message: invalid type: integer `7`, expected a string at line 1 column 34"}}
    {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"neither a request nor an answer"}}
    {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"not a message: invalid type: integer `7`, expected an object at line 1 column 1"}}
    {"jsonrpc":"2.0","id":4,"result":"�"}
    "#);
}

#[tokio::test]
async fn notifications_and_answers_get_no_response() {
    let mut world = world(SMALL);
    let answers = world
        .answers(&[
            r#"{"jsonrpc":"2.0","method":"unknown","params":{}}"#,
            r#"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":99}}"#,
            r#"{"jsonrpc":"2.0","method":"$/cancelRequest"}"#,
            r#"{"jsonrpc":"2.0","id":99,"result":"nobody asked"}"#,
            r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"no room"}}"#,
        ])
        .await;
    assert_snapshot!(answers, @"");
    assert_eq!(world.notes.recv().await.unwrap(), "unknown {}");
    assert_snapshot!(world.connection.refusal().unwrap(), @"no room (-32000)");
}

#[tokio::test]
async fn oversized_messages_are_refused_from_either_side() {
    let mut world = world(SMALL);
    let long = "x".repeat(2_000);
    let answers = world
        .answers(&[
            &format!(r#"{{"jsonrpc":"2.0","id":7,"method":"echo","params":"{long}"}}"#),
            &format!(r#"{{"params":"{long}","jsonrpc":"2.0","id":"a","method":"echo"}}"#),
            &long,
        ])
        .await;
    assert_snapshot!(answers, @r#"
    {"jsonrpc":"2.0","id":7,"error":{"code":-32600,"message":"a message has 2052 bytes, more than the 1000 that are read"}}
    {"jsonrpc":"2.0","id":"a","error":{"code":-32600,"message":"a message has 2054 bytes, more than the 1000 that are read"}}
    {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"a message has 2000 bytes, more than the 1000 that are read"}}
    "#);

    let cancel = CancellationToken::new();
    let connection = world.connection.clone();
    let request = async { connection.request("q", Value::Null, &cancel, Instant::now() + TEST_TIMEOUT).await };
    let answering = async {
        world.receive().await;
        world.send(&format!(r#"{{"jsonrpc":"2.0","id":1,"result":"{long}"}}"#)).await;
    };
    let (answer, ()) = tokio::join!(request, answering);
    assert_snapshot!(answer.unwrap_err(), @"the answer has 2036 bytes, more than the 1000 that are read");
    assert_snapshot!(world.answers(&[]).await, @"");
}

#[tokio::test]
async fn an_oversized_answer_is_reported() {
    let mut world = world(SMALL);
    assert_snapshot!(world.answers(&[r#"{"jsonrpc":"2.0","id":1,"method":"large"}"#]).await, @r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"the answer has 2036 bytes, more than the 1000 that are sent"}}"#);
    let error = world.connection.notify("event", json!("x".repeat(2_000))).unwrap_err();
    assert_snapshot!(error, @"a message of 2046 bytes is too large to send");
}

#[tokio::test]
async fn requests_are_answered_in_any_order_while_others_are_pending() {
    let mut world = world(ConnectionOptions { max_incoming: 100, ..ConnectionOptions::ipc() });
    let mut pending = Vec::new();
    for n in 0..100 {
        world.send(&format!(r#"{{"jsonrpc":"2.0","id":"r{n}","method":"hold","params":[{n}]}}"#)).await;
        pending.push(world.next_pending_request().await);
    }
    assert!(world.connection.is_busy());
    for (params, responder) in pending.into_iter().rev() {
        responder.answer(Ok(params));
    }
    for n in (0..100).rev() {
        assert_eq!(world.receive().await, format!(r#"{{"jsonrpc":"2.0","id":"r{n}","result":[{n}]}}"#));
    }
    assert!(!world.connection.is_busy());
}

#[tokio::test]
async fn excess_requests_and_duplicate_ids_are_refused() {
    let mut world = world(ConnectionOptions { max_incoming: 2, ..SMALL });
    world.send(r#"{"jsonrpc":"2.0","id":1,"method":"hold"}"#).await;
    world.send(r#"{"jsonrpc":"2.0","id":1,"method":"hold"}"#).await;
    assert_snapshot!(world.receive().await, @r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"a request with this id is in work already"}}"#);
    world.send(r#"{"jsonrpc":"2.0","id":"1","method":"hold"}"#).await;
    world.send(r#"{"jsonrpc":"2.0","id":3,"method":"hold"}"#).await;
    assert_snapshot!(world.receive().await, @r#"{"jsonrpc":"2.0","id":3,"error":{"code":-32603,"message":"2 requests of this connection are in work already: wait for one of them"}}"#);
    world.next_pending_request().await.1.answer(Ok(json!("one")));
    assert_snapshot!(world.receive().await, @r#"{"jsonrpc":"2.0","id":1,"result":"one"}"#);
    world.send(r#"{"jsonrpc":"2.0","id":1,"method":"echo","params":"again"}"#).await;
    assert_snapshot!(world.receive().await, @r#"{"jsonrpc":"2.0","id":1,"result":"again"}"#);
}

#[tokio::test]
async fn either_side_can_cancel_its_requests() {
    let mut world = world(SMALL);
    for id in ["7", "\"seven\""] {
        world.send(&format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"hold"}}"#)).await;
        let (_, responder) = world.next_pending_request().await;
        assert!(!responder.cancel().is_cancelled());
        world.send(&format!(r#"{{"jsonrpc":"2.0","method":"$/cancelRequest","params":{{"id":{id}}}}}"#)).await;
        within_timeout(responder.cancel().cancelled()).await;
        drop(responder);
        let expected = format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":-32800,"message":"cancelled"}}}}"#);
        assert_eq!(world.receive().await, expected);
    }
    let cancel = CancellationToken::new();
    let connection = world.connection.clone();
    let request = connection.request("slow", Value::Null, &cancel, Instant::now() + TEST_TIMEOUT);
    let cancelling = async {
        assert_snapshot!(world.receive().await, @r#"{"jsonrpc":"2.0","id":1,"method":"slow"}"#);
        cancel.cancel();
        assert_snapshot!(world.receive().await, @r#"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":1}}"#);
    };
    assert_eq!(tokio::join!(request, cancelling).0, Err(ConnectionError::Cancelled));
}

#[tokio::test]
async fn dropped_responder_answers_with_an_error() {
    let mut world = world(SMALL);
    assert_snapshot!(world.answers(&[r#"{"jsonrpc":"2.0","id":1,"method":"drop"}"#]).await, @r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"the request was dropped without an answer"}}"#);
}

#[tokio::test]
async fn a_disconnected_peer_cancels_its_requests() {
    let mut world = world(SMALL);
    world.send(r#"{"jsonrpc":"2.0","id":1,"method":"hold"}"#).await;
    let (_, responder) = world.next_pending_request().await;
    let World { connection, reader, writer, .. } = world;
    drop((reader, writer));
    within_timeout(responder.cancel().cancelled()).await;
    responder.answer(Ok(Value::Null));
    within_timeout(connection.wait_flushed()).await;
    assert_snapshot!(connection.notify("late", Value::Null).unwrap_err(), @"the connection is closed: it closed its output");
}

#[tokio::test]
async fn closing_notifies_waiters_and_flushes_the_queue() {
    let mut world = world(SMALL);
    world.send(r#"{"jsonrpc":"2.0","id":1,"method":"hold"}"#).await;
    let (_, responder) = world.next_pending_request().await;
    let (connection, cancel) = (world.connection.clone(), CancellationToken::new());
    let request =
        tokio::spawn(async move { connection.request("q", Value::Null, &cancel, Instant::now() + TEST_TIMEOUT).await });
    assert_snapshot!(world.receive().await, @r#"{"jsonrpc":"2.0","id":1,"method":"q"}"#);
    world.connection.notify("last words", Value::Null).unwrap();
    world.connection.close("the host ends");
    assert_eq!(world.end_reason().await, "the host ends");
    assert_snapshot!(request.await.unwrap().unwrap_err(), @"the connection is closed: the host ends");
    within_timeout(responder.cancel().cancelled()).await;
    assert_snapshot!(world.receive().await, @r#"{"jsonrpc":"2.0","method":"last words"}"#);
    assert_eq!(world.receive().await, "(end)");
}

#[tokio::test]
async fn a_peer_that_never_reads_loses_the_connection() {
    // Too many notifications.
    let notified = world(SMALL);
    let event = json!("x".repeat(900));
    let refused = (0..1_000).find_map(|_| notified.connection.notify("event", event.clone()).err());
    assert_snapshot!(refused.unwrap(), @"the peer does not read its input: more than 10000 bytes wait to be written");
    assert_snapshot!(notified.end_reason().await, @"the peer does not read its input: more than 10000 bytes wait to be written");
    within_timeout(notified.connection.wait_flushed()).await;

    // Too many requests.
    let mut requests = world(SMALL);
    let request = format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"echo\",\"params\":\"{}\"}}\n", "x".repeat(900));
    within_timeout(async { while requests.writer.write_all(request.as_bytes()).await.is_ok() {} }).await;
    assert_snapshot!(requests.end_reason().await, @"the peer does not read its input: more than 10000 bytes wait to be written");
    within_timeout(requests.connection.wait_flushed()).await;

    // Invalid messages, each of which needs an error response.
    let mut garbage = world(SMALL);
    within_timeout(async { while garbage.writer.write_all(b"garbage\n").await.is_ok() {} }).await;
    assert_snapshot!(garbage.end_reason().await, @"the peer does not read its input: more than 10000 bytes wait to be written");
}

#[tokio::test]
async fn invalid_messages_are_answered_while_the_peer_reads() {
    let World { connection, mut reader, mut writer, .. } = world(ConnectionOptions::ipc());
    let flood = tokio::spawn(async move {
        for _ in 0..10_000 {
            writer.write_all(b"\x00\xff garbage\n").await.unwrap();
        }
        writer.write_all(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"echo\"}\n").await.unwrap();
        writer
    });
    let mut complaints = 0;
    loop {
        let mut line = String::new();
        within_timeout(reader.read_line(&mut line)).await.unwrap();
        if line.contains(r#""id":1"#) {
            break;
        }
        assert!(line.contains(r#""id":null,"error":{"code":-32700"#), "{line}");
        complaints += 1;
    }
    assert_eq!(complaints, 10_000);
    drop((flood.await.unwrap(), connection));
}

#[tokio::test]
async fn a_panicking_handler_closes_the_connection() {
    let mut world = world(SMALL);
    world.send(r#"{"jsonrpc":"2.0","method":"panic"}"#).await;
    assert_snapshot!(world.end_reason().await, @"reading its output failed");
    assert_eq!(world.receive().await, "(end)");
}

#[tokio::test]
async fn a_handler_may_own_its_connection() {
    struct ConnectionOwner(Connection);
    impl PeerHandler for ConnectionOwner {
        fn notification(&self, _: &str, _: Value) {
            self.0.notify("heard", Value::Null).ok();
        }
        fn request(&self, _: &str, _: Value, responder: Responder) {
            responder.answer(Ok(Value::Null));
        }
    }
    let (near, far) = duplex(1024);
    let (reader, writer) = tokio::io::split(near);
    let make = |connection: &Connection| Arc::new(ConnectionOwner(connection.clone())) as Arc<dyn PeerHandler>;
    let connection = Connection::start_with(reader, writer, SMALL, make);
    let mut closed = connection.closed_reason();
    drop(connection);
    let (reader, mut writer) = tokio::io::split(far);
    writer.write_all(b"{\"jsonrpc\":\"2.0\",\"method\":\"x\"}\n").await.unwrap();
    let mut line = String::new();
    let mut reader = BufReader::new(reader);
    within_timeout(reader.read_line(&mut line)).await.unwrap();
    assert_eq!(line, "{\"jsonrpc\":\"2.0\",\"method\":\"heard\"}\n");
    drop((reader, writer));
    within_timeout(closed.wait_for(Option::is_some)).await.unwrap();
}

#[tokio::test]
async fn incomplete_last_line_is_not_a_request() {
    let mut world = world(SMALL);
    world.writer.write_all(br#"{"jsonrpc":"2.0","id":1,"method":"ho"#).await.unwrap();
    world.writer.shutdown().await.unwrap();
    assert_eq!(world.end_reason().await, CLOSED_OUTPUT);
    assert!(world.pending_requests.recv().await.is_none());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    /// For any input, every line that is a request gets one response and the connection survives.
    #[test]
    fn no_line_ends_the_connection(line in "[ -~]{0,80}") {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let answers = world(SMALL).answers(&[&line]).await;
            assert!(answers.lines().count() <= 1, "{answers}");
        });
    }
}
