//! Tests of `framing`.

use insta::assert_snapshot;
use proptest::prelude::*;
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt as _;

use super::*;

/// Feeds the parts one by one and returns the frames, the noise and the outcome.
fn decode(limit: usize, parts: &[&[u8]]) -> (Vec<Frame>, Option<String>, Result<(), NotJsonRpc>) {
    decode_with(FrameDecoder::new(limit), parts)
}

fn decode_with(mut decoder: FrameDecoder, parts: &[&[u8]]) -> (Vec<Frame>, Option<String>, Result<(), NotJsonRpc>) {
    let mut frames = Vec::new();
    for part in parts {
        decoder.feed(part);
        loop {
            match decoder.next_frame() {
                Ok(Some(frame)) => frames.push(frame),
                Ok(None) => break,
                Err(error) => return (frames, decoder.noise(), Err(error)),
            }
        }
    }
    (frames, decoder.noise(), Ok(()))
}

fn check(stream: &str) -> String {
    show(decode(64, &[stream.as_bytes()]))
}

fn check_strict(stream: &str) -> String {
    show(decode_with(FrameDecoder::strict(64), &[stream.as_bytes()]))
}

fn show((frames, noise, outcome): (Vec<Frame>, Option<String>, Result<(), NotJsonRpc>)) -> String {
    let mut lines: Vec<String> = frames
        .iter()
        .map(|frame| match frame {
            Frame::Body(body) => format!("body {}", String::from_utf8_lossy(body)),
            Frame::TooLarge { bytes, head } => format!("too large: {bytes}, {}", String::from_utf8_lossy(head)),
        })
        .collect();
    lines.extend(noise.map(|noise| format!("noise {noise}")));
    lines.extend(outcome.err().map(|error| error.to_string()));
    lines.join("\n")
}

#[test]
fn header_spellings() {
    assert_snapshot!(check("Content-Length: 2\r\n\r\n{}"), @"body {}");
    assert_snapshot!(check("content-LENGTH:2\n\n{}"), @"body {}");
    assert_snapshot!(check("Content-Length : 2 \r\nContent-Type: x; charset=utf8\r\n\r\n{}"), @"body {}");
    assert_snapshot!(check("Content-Type: application/vscode-jsonrpc\r\nContent-Length: 2\r\n\r\n{}"), @"body {}");
    assert_snapshot!(check("Content-Length: 0\r\n\r\nContent-Length: 1\r\n\r\n1"), @r"
    body 
    body 1
    ");
}

#[test]
fn noise_is_skipped_and_remembered() {
    assert_snapshot!(check("Starting v1\nloading…Content-Length: 2\r\n\r\n{}oops\u{1b}[0m\nContent-Length: 1\r\n\r\n1"), @r"
    body {}
    body 1
    noise Starting v1 | loading…oops[0m
    ");
    // "Content-Length" in a log line, a length that is not a number, and a real header directly after them.
    assert_snapshot!(check("sent Content-Length: 5 bytes\nContent-Length: -3\r\n\r\nContent-Length: 7\nContent-Length: 1\n\n1"), @r"
    body 1
    noise sent Content-Length: 5 bytes | Content-Length: -3
    ");
}

#[test]
fn strict_reader_ends_at_the_first_invalid_byte() {
    assert_snapshot!(check_strict("Content-Type: x\r\ncontent-LENGTH: 2\r\n\r\n{}Content-Length: 1\n\n1"), @"
    body {}
    body 1
    ");
    assert_snapshot!(check_strict("Content-Length: 2\r\n\r\n{}\nContent-Length: 1\r\n\r\n1"), @r"
    body {}
    noise Content-Length: 1 | 1
    it writes something that is not the protocol: \nContent-Length: 1\r\n\r\n1
    ");
    assert_snapshot!(check_strict("Content-Type: x\r\n\r\n{}"), @r"
    noise {}
    it writes something that is not the protocol: Content-Type: x\r\n\r\n{}
    ");
    assert_snapshot!(check_strict("Content-Length: -2\r\n\r\n{}"), @r"
    noise Content-Length: -2 | {}
    it writes something that is not the protocol: Content-Length: -2\r\n\r\n{}
    ");
    assert_snapshot!(check_strict("{\"jsonrpc\":\"2.0\"}\n"), @r#"
    noise {"jsonrpc":"2.0"}
    it writes something that is not the protocol: {\"jsonrpc\":\"2.0\"}\n
    "#);
    // The bytes may yet become a header.
    assert_snapshot!(check_strict("Content-Type: x\r\nConte"), @"noise Conte");
}

#[test]
fn oversized_bodies_are_skipped() {
    let long = format!(r#"{{"jsonrpc":"2.0","id":7,"result":"{}"}}"#, "x".repeat(90));
    let stream = format!("Content-Length: {}\r\n\r\n{long}Content-Length: 2\r\n\r\n{{}}", long.len());
    let (frames, _, outcome) = decode(64, &[stream.as_bytes()]);
    assert_eq!(outcome, Ok(()));
    let [Frame::TooLarge { bytes, head }, Frame::Body(body)] = &frames[..] else { panic!("{frames:?}") };
    assert_eq!((*bytes, id_in_head(head), &body[..]), (long.len() as u64, Some(7), &b"{}"[..]));
}

#[test]
fn a_huge_announced_length_allocates_nothing() {
    for length in ["99999999999", "18446744073709551615"] {
        let mut decoder = FrameDecoder::new(MAX_BODY_BYTES);
        decoder.feed(format!("Content-Length: {length}\r\n\r\nabc").as_bytes());
        assert_eq!(decoder.next_frame(), Ok(None));
        assert!(decoder.capacity() <= 1024 * 1024, "{}", decoder.capacity());
    }
    // A length that does not fit into a machine word is invalid.
    assert_snapshot!(check("Content-Length: 99999999999999999999\r\n\r\nContent-Length: 2\r\n\r\n{}"), @r"
    body {}
    noise Content-Length: 99999999999999999999
    ");
}

#[test]
fn noise_without_end_is_an_error() {
    let (frames, _, outcome) = decode(64, &[&b"y\n".repeat(600_000)]);
    assert!(frames.is_empty());
    assert!(outcome.unwrap_err().to_string().starts_with("it writes something that is not the protocol: y | y"));
}

fn parse(body: &str) -> String {
    match Message::parse(body.as_bytes()) {
        Ok(message) => format!("{message:?}"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn envelopes() {
    assert_snapshot!(parse(r#"{"jsonrpc":"2.0","id":1,"method":"m","params":[1],"extra":{}}"#), @r#"Request(Request { id: Number(1), method: "m", params: Array [Number(1)] })"#);
    assert_snapshot!(parse(r#"{"id":"a","method":"m"}"#), @r#"Request(Request { id: Text("a"), method: "m", params: Null })"#);
    assert_snapshot!(parse(r#"{"method":"m","params":null}"#), @r#"Notification(Notification { method: "m", params: Null })"#);
    assert_snapshot!(parse(r#"{"id":1,"result":null}"#), @"Response(Response { id: Some(Number(1)), result: Ok(Null) })");
    assert_snapshot!(parse(r#"{"id":1,"result":2,"error":null}"#), @"Response(Response { id: Some(Number(1)), result: Ok(Number(2)) })");
    assert_snapshot!(parse(r#"{"id":1,"error":{"code":-32801,"message":"later"},"result":null}"#), @r#"Response(Response { id: Some(Number(1)), result: Err(ResponseError { code: -32801, message: "later", data: None }) })"#);
    assert_snapshot!(parse(r#"{"id":1,"error":"broken"}"#), @r#"Response(Response { id: Some(Number(1)), result: Err(ResponseError { code: -32603, message: "\"broken\"", data: None }) })"#);
    assert_snapshot!(parse(r#"{"id":null,"error":{"code":-32700,"message":"?"}}"#), @r#"Response(Response { id: None, result: Err(ResponseError { code: -32700, message: "?", data: None }) })"#);
    assert_snapshot!(parse(r#"{"id":1.5,"result":1}"#), @"neither a request nor an answer");
    assert_snapshot!(parse("{}"), @"neither a request nor an answer");
    assert_snapshot!(parse(r#" [null, "m", null, null, null]"#), @"neither a request nor an answer");
    assert_snapshot!(parse(r#"{"id":1,"#), @"not JSON: EOF while parsing a value at line 1 column 8");
}

#[test]
fn responses_to_invalid_messages() {
    let answer = |body: &str| {
        let error = Message::parse(body.as_bytes()).unwrap_err();
        let response = Message::Response(Response::for_invalid_body(body.as_bytes(), &error));
        String::from_utf8(response.to_body()).unwrap()
    };
    assert_snapshot!(answer(""), @r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"not JSON: EOF while parsing a value at line 1 column 0"}}"#);
    assert_snapshot!(answer("{"), @r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"not JSON: EOF while parsing an object at line 1 column 1"}}"#);
    assert_snapshot!(answer("{\"id\":1,\"method\":5"), @r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"not JSON: EOF while parsing an object at line 1 column 18"}}"#);
    assert_snapshot!(answer("{\"id\":1,\"method\":5}"), @r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"not a message: invalid type: integer `5`, expected a string at line 1 column 18"}}"#);
    assert_snapshot!(answer("{\"id\":\"a\",\"method\":5}"), @r#"{"jsonrpc":"2.0","id":"a","error":{"code":-32600,"message":"not a message: invalid type: integer `5`, expected a string at line 1 column 20"}}"#);
    assert_snapshot!(answer("{\"id\":1.5,\"method\":\"m\"}"), @r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"neither a request nor an answer"}}"#);
    assert_snapshot!(answer(" [{\"id\":1,\"method\":\"m\"}]"), @r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"neither a request nor an answer"}}"#);
    assert_snapshot!(answer("[1]"), @r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"neither a request nor an answer"}}"#);
    assert_snapshot!(answer("null"), @r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"not a message: invalid type: null, expected an object at line 1 column 4"}}"#);
    // Nested too deeply to be parsed, but the decoder can skip it.
    let deep = format!("{{\"params\":{}{},\"id\":1,\"method\":\"m\"}}", "[".repeat(200), "]".repeat(200));
    assert_snapshot!(answer(&deep), @r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"not a message: recursion limit exceeded at line 1 column 137"}}"#);
}

#[test]
fn huge_and_deep_messages_are_refused() {
    let list = |count: usize| format!(r#"{{"id":1,"result":[{}0]}}"#, "0,".repeat(count));
    assert_eq!(parse(&list(3_000_000)), "it has more than 2000000 values");
    assert!(parse(&list(10)).starts_with("Response"), "{}", parse(&list(10)));
    let deep = format!(r#"{{"id":1,"result":{}{}}}"#, "[".repeat(100_000), "]".repeat(100_000));
    assert_eq!(parse(&deep), "not JSON: recursion limit exceeded at line 1 column 144");
}

#[test]
fn broken_text_is_repaired() {
    let mut body = br#"{"id":1,"result":"a\ud83d \ud83d\ude00 \\ud83d "#.to_vec();
    body.extend_from_slice(b"\xff\"}");
    let message = Message::parse(&body).unwrap();
    let expected = Response { id: Some(RequestId::Number(1)), result: Ok(json!("a\u{fffd} 😀 \\ud83d \u{fffd}")) };
    assert_eq!(message, Message::Response(expected));
}

#[test]
fn bodies_as_written() {
    let body = |message: Message| String::from_utf8(message.to_body()).unwrap();
    let request =
        |params| Message::Request(Request { id: RequestId::Number(3), method: "shutdown".to_owned(), params });
    assert_snapshot!(body(request(Value::Null)), @r#"{"jsonrpc":"2.0","id":3,"method":"shutdown"}"#);
    assert_snapshot!(body(request(json!({}))), @r#"{"jsonrpc":"2.0","id":3,"method":"shutdown","params":{}}"#);
    let answer = |id, result| Message::Response(Response { id, result });
    assert_snapshot!(body(answer(Some(RequestId::Text("x".to_owned())), Ok(Value::Null))), @r#"{"jsonrpc":"2.0","id":"x","result":null}"#);
    assert_snapshot!(body(answer(None, Err(ResponseError::method_not_found("m")))), @r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32601,"message":"`m` is not supported"}}"#);
}

#[test]
fn ids_in_heads() {
    for (head, expected) in [
        (r#"{"jsonrpc":"2.0","id": 12,"result":["#, Some(12)),
        (r#"{"jsonrpc":"2.0","id":12"#, None),
        (r#"{"jsonrpc":"2.0","result":[{"id":5}],"id":12}"#, None),
        (r#"{"id":"12","result":["#, None),
        ("", None),
    ] {
        assert_eq!(id_in_head(head.as_bytes()), expected, "{head}");
    }
}

#[tokio::test]
async fn reader_and_writer_agree() {
    let (mut near, far) = tokio::io::duplex(16);
    let body = vec![b'x'; 1000];
    let sent = body.clone();
    let writing = tokio::spawn(async move {
        near.write_all(&[frame(&sent), frame(b"{}")].concat()).await.unwrap();
    });
    let mut reader = FrameReader::new(far);
    assert_eq!(reader.next().await.unwrap(), Some(Frame::Body(body)));
    assert_eq!(reader.next().await.unwrap(), Some(Frame::Body(b"{}".to_vec())));
    writing.await.unwrap();
    assert_eq!(reader.next().await.unwrap(), None);
}

/// The fragments of streams: whole messages, noise, and bytes that resemble headers.
fn fragment() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        4 => proptest::collection::vec(any::<u8>(), 0..90).prop_map(|body| frame(&body)),
        1 => proptest::collection::vec(any::<u8>(), 0..30),
        1 => Just(b"log line\n".to_vec()),
        1 => Just(b"Content-Length: ".to_vec()),
        1 => Just(b"content-length: 12\nContent-Type: x\n".to_vec()),
        1 => Just(b"\r\n\r\n".to_vec()),
    ]
}

proptest! {
    #[test]
    fn any_split_gives_the_same_frames(
        fragments in proptest::collection::vec(fragment(), 0..12),
        cuts in proptest::collection::vec(any::<proptest::sample::Index>(), 0..12),
    ) {
        let stream = fragments.concat();
        let mut ends: Vec<usize> = cuts.iter().map(|cut| cut.index(stream.len() + 1)).collect();
        ends.push(stream.len());
        ends.sort_unstable();
        let mut start = 0;
        let parts: Vec<&[u8]> = ends.iter().map(|&end| { let part = &stream[start..end]; start = end; part }).collect();
        let unsplit = decode(64, &[&stream]);
        prop_assert_eq!(&decode(64, &parts), &unsplit);
        let bytes: Vec<&[u8]> = stream.chunks(1).collect();
        prop_assert_eq!(&decode(64, &bytes), &unsplit);
    }

    #[test]
    fn arbitrary_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        drop(decode(64, &[&bytes]));
        drop(Message::parse(&bytes));
        id_in_head(&bytes);
    }

    #[test]
    fn messages_survive_the_round_trip(
        method in proptest::option::of("[a-z/$]{0,8}"),
        id in proptest::option::of(prop_oneof![
            any::<i64>().prop_map(RequestId::Number),
            ".{0,5}".prop_map(RequestId::Text),
        ]),
        payload in prop_oneof![Just(Value::Null), any::<i64>().prop_map(|n| json!([n])), ".{0,9}".prop_map(|s| json!({s: 1}))],
        failed in any::<bool>(),
    ) {
        let message = match (method, id) {
            (Some(method), Some(id)) => Message::Request(Request { id, method, params: payload }),
            (Some(method), None) => Message::Notification(Notification { method, params: payload }),
            (None, Some(id)) if !failed => Message::Response(Response { id: Some(id), result: Ok(payload) }),
            (None, id) => {
                let data = Some(payload).filter(|data| !data.is_null());
                Message::Response(Response { id, result: Err(ResponseError { code: -1, message: "m".to_owned(), data }) })
            }
        };
        let (frames, noise, outcome) = decode(MAX_BODY_BYTES, &[&frame(&message.to_body())]);
        prop_assert_eq!((noise, outcome), (None, Ok(())));
        let [Frame::Body(body)] = &frames[..] else { panic!("{frames:?}") };
        prop_assert_eq!(Message::parse(body).unwrap(), message);
    }
}
