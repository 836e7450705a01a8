//! Connection over byte streams, without a process.

use std::io::{self, Read};

use crossbeam_channel::unbounded;
use insta::assert_snapshot;
use lsp_server::{Message, RequestId};
use serde_json::json;
use zubi_base::framing::{self, MAX_BODY_BYTES};

use crate::client::{ClientHandle, OutgoingMessage};
use crate::stdio;

/// Messages decoded from a stream, immediate answers, and the reason for its end.
fn decode_stream(input: impl Read) -> String {
    let (out, outgoing) = unbounded();
    let (to, incoming) = unbounded();
    let client = ClientHandle::new(out);
    let end = stdio::read(input, &to, &client);
    client.close();
    let mut answered = Vec::new();
    stdio::write(&outgoing, &mut answered).unwrap();
    let mut lines: Vec<String> = incoming
        .try_iter()
        .map(|message| match message {
            Message::Request(request) => format!("request {} {} {}", request.id, request.method, request.params),
            Message::Notification(it) => format!("notification {} {}", it.method, it.params),
            Message::Response(response) => format!("answer {} {:?}", response.id, response.response_result),
        })
        .collect();
    let answered = String::from_utf8(answered).unwrap();
    lines.extend(
        answered.split("Content-Length: ").skip(1).map(|frame| frame.split_once("\r\n\r\n").unwrap().1.to_owned()),
    );
    lines.extend(end.err().map(|error| format!("error: {error}")));
    lines.join("\n")
}

fn check(bodies: &[&str]) -> String {
    let stream: Vec<u8> = bodies.iter().flat_map(|body| framing::frame(body.as_bytes())).collect();
    decode_stream(stream.as_slice())
}

#[test]
fn messages_are_decoded() {
    assert_snapshot!(check(&[
        r#"{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":1}}"#,
        r#"{"jsonrpc":"2.0","id":"1","method":"m"}"#,
        r#"{"jsonrpc":"2.0","method":"m","params":[1]}"#,
        r#"{"jsonrpc":"2.0","id":1,"result":{"a":1}}"#,
        r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"m"}}"#,
        // Half of a surrogate pair, as an editor may send while the user types the other half.
        r#"{"jsonrpc":"2.0","method":"m","params":"\ud83d"}"#,
    ]), @r#"
    request 1 m {"a":1}
    request "1" m null
    notification m [1]
    answer 1 Ok(Object {"a": Number(1)})
    answer 1 Err(ResponseError { code: -32601, message: "m", data: None })
    notification m "�"
    "#);
}

#[test]
fn reading_stops_after_exit() {
    assert_snapshot!(check(&[r#"{"method":"exit"}"#, r#"{"id":1,"method":"m"}"#]), @"notification exit null");
}

#[test]
fn invalid_messages_are_answered_with_errors() {
    assert_snapshot!(check(&[
        "",
        "{",
        "{\"id\":1,\"method\":\"m\"",
        "5",
        "[]",
        r#"[{"jsonrpc":"2.0","id":1,"method":"m"}]"#,
        r#"{"jsonrpc":"2.0"}"#,
        r#"{"jsonrpc":"2.0","id":7,"method":5}"#,
        r#"{"jsonrpc":"2.0","id":"seven","method":null,"error":null,"params":{},"result":5,"method":{}}"#,
        r#"{"jsonrpc":"2.0","id":4294967296,"method":"m"}"#,
        r#"{"jsonrpc":"2.0","id":1.5,"method":"m"}"#,
        r#"{"jsonrpc":"2.0","id":2,"method":"heard"}"#,
    ]), @r#"
    request 2 heard null
    {"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"not JSON: EOF while parsing a value at line 1 column 0"}}
    {"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"not JSON: EOF while parsing an object at line 1 column 1"}}
    {"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"not JSON: EOF while parsing an object at line 1 column 20"}}
    {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"not a message: invalid type: integer `5`, expected an object at line 1 column 1"}}
    {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"neither a request nor an answer"}}
    {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"neither a request nor an answer"}}
    {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"neither a request nor an answer"}}
    {"jsonrpc":"2.0","id":7,"error":{"code":-32600,"message":"not a message: invalid type: integer `5`, expected a string at line 1 column 34"}}
    {"jsonrpc":"2.0","id":"seven","error":{"code":-32600,"message":"not a message: duplicate field `method` at line 1 column 88"}}
    {"jsonrpc":"2.0","id":4294967296,"error":{"code":-32600,"message":"the id must be a string or a 32-bit integer"}}
    {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"neither a request nor an answer"}}
    "#);
}

#[test]
fn responses_without_a_request_are_ignored() {
    assert_snapshot!(check(&[
        r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"unreadable"}}"#,
        r#"{"jsonrpc":"2.0","id":4294967296,"result":null}"#,
        r#"{"jsonrpc":"2.0","id":2,"method":"heard"}"#,
    ]), @"request 2 heard null");
}

#[test]
fn frames_over_the_limit_are_skipped() {
    let long = |head: &str| {
        let bytes = MAX_BODY_BYTES as u64 + 1;
        let start = format!("Content-Length: {bytes}\r\n\r\n{head}");
        io::Cursor::new(start).chain(io::repeat(b' ').take(bytes - head.len() as u64))
    };
    let after = framing::frame(br#"{"jsonrpc":"2.0","id":2,"method":"heard"}"#);
    let stream = long(r#"{"jsonrpc":"2.0","id":3,"method":"m","#)
        .chain(long(r#"{"jsonrpc":"2.0","method":"m","params":{"id":4}"#))
        .chain(long(r#"{"jsonrpc":"2.0","id":5,"result":"#))
        .chain(after.as_slice());
    assert_snapshot!(decode_stream(stream), @r#"
    request 2 heard null
    {"jsonrpc":"2.0","id":3,"error":{"code":-32600,"message":"the message has 67108865 bytes; the limit is 67108864"}}
    {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"the message has 67108865 bytes; the limit is 67108864"}}
    {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"the message has 67108865 bytes; the limit is 67108864"}}
    "#);
}

#[test]
fn truncated_streams() {
    let message = "Content-Length: 14\r\n\r\n{\"method\":\"m\"}";
    for cut in [0, 5, 18, 30] {
        let expected = if cut == 0 { "" } else { "notification m null" };
        let stream = if cut == 0 { String::new() } else { format!("{message}{}", message.get(..cut).unwrap()) };
        assert_eq!(decode_stream(stream.as_bytes()), expected, "{cut}");
    }
    assert_snapshot!(decode_stream(format!("{message}\r\n{message}").as_bytes()), @r#"
    notification m null
    error: expected a header with `Content-Length`, got: \r\nContent-Length: 14\r\n\r\n{\"method\":\"m\"}
    "#);
    assert_snapshot!(decode_stream(format!("{{\"method\":\"m\"}}\n{message}").as_bytes()), @r#"error: expected a header with `Content-Length`, got: {\"method\":\"m\"}\nContent-Length: 14\r\n\r\n{\"method\":\"m\"}"#);
    assert_snapshot!(decode_stream(format!("Content-Type: x\r\n\r\n{message}").as_bytes()), @r#"error: expected a header with `Content-Length`, got: Content-Type: x\r\n\r\nContent-Length: 14\r\n\r\n{\"method\":\"m\"}"#);
}

/// A stream whose reads fail.
struct Broken;

impl Read for Broken {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        Err(io::Error::other("torn"))
    }
}

#[test]
fn read_errors_are_reported() {
    let message = framing::frame(b"{\"method\":\"m\"}");
    assert_snapshot!(decode_stream(message.as_slice().chain(Broken)), @"
    notification m null
    error: torn
    ");
}

#[test]
fn written_messages_can_be_read_back() {
    let (out, outgoing) = unbounded();
    let client = ClientHandle::new(out);
    client.open();
    client.notify("m", json!({ "text": "ä\u{2028}" }));
    client.send(lsp_server::Response { id: RequestId::from("a".to_owned()), response_result: Ok(json!(null)) });
    client.close();
    let mut written = Vec::new();
    stdio::write(&outgoing, &mut written).unwrap();
    assert_snapshot!(decode_stream(written.as_slice()), @r#"
    notification m {"text":"ä "}
    answer "a" Ok(Null)
    "#);
    // Messages after the end are not written.
    client.notify("m", json!(1));
    assert!(matches!(outgoing.try_recv(), Ok(OutgoingMessage::Message(_))));
}
