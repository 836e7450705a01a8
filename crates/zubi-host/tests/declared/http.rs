//! Values in HTTP requests: the server receives exactly the value, at its own position, and no other request.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{self, Receiver};

use percent_encoding::percent_decode_str;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Value, json};

use crate::Test;
use crate::world::{Host, TEST_TIMEOUT, World, tool, with_fields};

pub(crate) const TESTS: &[(&str, Test)] = &[
    ("http::hostile_values_stay_at_their_position", hostile_values_stay_at_their_position),
    ("http::values_invalid_at_their_position_are_rejected", values_invalid_at_their_position_are_rejected),
    ("http::any_value_stays_at_its_position", any_value_stays_at_its_position),
    ("http::long_answers_are_stored", long_answers_are_stored),
    ("inline::values_are_data", inline_values_are_data),
    ("inline::long_results_are_stored", long_results_are_stored),
];

/// Values with which an attacker would send another request, in positions that take any text.
const HOSTILE: &[&str] = &[
    "a/../b",
    "?admin=1",
    "#fragment",
    "a&admin=1",
    "a=b;c=d",
    "%0d%0aX-Injected: 1",
    "%2e%2e%2fadmin",
    "\\..\\admin",
    "a b+c",
    "\"},\"admin\":true,\"x\":{\"y\":\"",
    "\\\",\"admin\":true",
    "$value ${env:X}",
    "@evil.example",
    "//evil.example/",
    "\u{2028}\u{2029}",
    "\u{202e}nimda",
    "\u{ff0f}..\u{ff0f}\u{2024}\u{2024}",
    "e\u{301}\u{5d0}",
    "-",
    "'; drop table x; --",
    "$(touch canary)",
];

/// A request as the server received it.
#[derive(Debug)]
struct ReceivedRequest {
    line: String,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

/// Starts a server that answers every request with this text; the channel receives the requests.
fn server(answer: &'static str) -> (u16, Receiver<ReceivedRequest>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let (sender, requests) = mpsc::channel();
    std::thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            if sender.send(receive_request(stream, answer)).is_err() {
                return;
            }
        }
    });
    (port, requests)
}

fn receive_request(mut stream: TcpStream, answer: &str) -> ReceivedRequest {
    stream.set_read_timeout(Some(TEST_TIMEOUT)).unwrap();
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") && stream.read(&mut byte).unwrap() == 1 {
        head.push(byte[0]);
    }
    // Bytes outside of ASCII are read as Latin-1, which is lossless.
    let head: String = head.into_iter().map(char::from).collect();
    let mut lines = head.trim_end_matches("\r\n").split("\r\n");
    let line = lines.next().unwrap().to_owned();
    let headers: Vec<(String, String)> = lines
        .map(|line| line.split_once(": ").unwrap_or((line, "")))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned()))
        .collect();
    let length =
        headers.iter().find(|(name, _)| name == "content-length").map_or(0, |(_, value)| value.parse().unwrap());
    let mut body = vec![0; length];
    stream.read_exact(&mut body).unwrap();
    let head = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        answer.len()
    );
    stream.write_all(head.as_bytes()).unwrap();
    stream.write_all(answer.as_bytes()).unwrap();
    ReceivedRequest { line, headers, body }
}

fn tools(port: u16) -> Vec<Value> {
    let url = format!("http://127.0.0.1:{port}/items/$value/end?q=$value&fixed=1");
    let request = |id: &str, content: &str, body: &str| {
        let execution = json!({
            "type": "http", "method": "POST", "url": url, "headers": { "Content-Type": content }, "body": body,
        });
        let mut tool = with_fields(tool(id, execution), json!({ "sandbox": { "net": [format!("127.0.0.1:{port}")] } }));
        tool["parameters"]["required"] = json!(["value"]);
        tool
    };
    let header =
        json!({ "type": "http", "url": format!("http://127.0.0.1:{port}/"), "headers": { "X-Value": "$value" } });
    let mut header =
        with_fields(tool("header", header), json!({ "sandbox": { "net": [format!("127.0.0.1:{port}")] } }));
    header["parameters"]["required"] = json!(["value"]);
    vec![
        request("json", "application/json", "{\"inside\": \"<$value>\", \"whole\": $value, \"last\": true}"),
        request("form", "application/x-www-form-urlencoded", "a=$value&b=<$value>&last=1"),
        request("text", "text/plain", "$value"),
        header,
    ]
}

fn percent_decode(text: &str) -> String {
    percent_decode_str(text).decode_utf8().unwrap().into_owned()
}

fn pairs(text: &str) -> Vec<(String, String)> {
    let pairs = text.split('&').map(|pair| pair.split_once('=').unwrap());
    pairs.map(|(key, value)| (percent_decode(key), percent_decode(value))).collect()
}

fn check(host: &Host<'_>, requests: &Receiver<ReceivedRequest>, value: &str) {
    let call = |id: &str| {
        assert_eq!(host.text(&format!("workspace.{id}"), json!({ "value": value })), "done", "{id} {value:?}");
        requests.recv_timeout(TEST_TIMEOUT).unwrap()
    };
    let pair = |key: &str, value: &str| (key.to_owned(), value.to_owned());
    for id in ["json", "form", "text"] {
        let ReceivedRequest { line, headers, body } = call(id);
        let parts: Vec<&str> = line.split(' ').collect();
        let [method, target, version] = parts.as_slice() else { panic!("{line}") };
        assert_eq!((*method, *version), ("POST", "HTTP/1.1"));
        let (path, query) = target.split_once('?').unwrap();
        let segments: Vec<String> = path.split('/').map(percent_decode).collect();
        assert_eq!(segments, ["", "items", value, "end"], "{line}");
        assert_eq!(pairs(query), [pair("q", value), pair("fixed", "1")], "{line}");
        assert!(!headers.iter().any(|(name, _)| name.contains("inject")), "{headers:?}");
        let text = String::from_utf8(body).unwrap();
        match id {
            "json" => {
                let expected = json!({ "inside": format!("<{value}>"), "whole": value, "last": true });
                assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), expected);
            }
            "form" => {
                let expected = [pair("a", value), pair("b", &format!("<{value}>")), pair("last", "1")];
                assert_eq!(pairs(&text), expected);
            }
            _ => assert_eq!(text, value),
        }
    }
    let request = call("header");
    let sent: Vec<&str> =
        request.headers.iter().filter(|(name, _)| name == "x-value").map(|(_, value)| value.as_str()).collect();
    let [sent] = sent.as_slice() else { panic!("{request:?}") };
    let bytes: Vec<u8> = sent.chars().map(|c| u8::try_from(u32::from(c)).unwrap()).collect();
    // White space around a value is not part of it (RFC 9110, 5.5).
    assert_eq!(String::from_utf8(bytes).unwrap().trim_matches([' ', '\t']), value.trim_matches([' ', '\t']));
    assert_eq!(request.line, "GET / HTTP/1.1");
}

fn hostile_values_stay_at_their_position(world: &World) {
    let (port, requests) = server("done");
    let host = world.host(&tools(port));
    for value in HOSTILE {
        check(&host, &requests, value);
    }
    let long = "a&b=\"c\"/".repeat(100);
    check(&host, &requests, &long);
}

fn values_invalid_at_their_position_are_rejected(world: &World) {
    let (port, requests) = server("done");
    let host = world.host(&tools(port));
    for value in ["..", ".", ""] {
        let error = host.failure("workspace.text", json!({ "value": value }), "invalid_input");
        assert!(error.starts_with("Invalid input: arguments: "), "{value:?}: {error}");
    }
    for value in ["a\r\nX-Injected: 1", "a\nb", "a\0b", "\u{1b}[2J", "\r"] {
        let error = host.failure("workspace.header", json!({ "value": value }), "invalid_input");
        assert!(error.starts_with("Invalid input: arguments: "), "{value:?}: {error}");
    }
    assert!(requests.try_recv().is_err(), "a request was sent");
    // A megabyte is too long for a URL, but not for a body.
    let long = host.call("workspace.text", json!({ "value": "x".repeat(1 << 20) }));
    assert!(long.failure.is_some(), "{}", long.text.len());
}

fn any_value_stays_at_its_position(world: &World) {
    let (port, requests) = server("done");
    let host = world.host(&tools(port));
    let fragment = prop_oneof![prop::sample::select(HOSTILE).prop_map(str::to_owned), "[ -~]{1,12}", "[^\\p{C}]{1,8}"];
    let value = prop::collection::vec(fragment, 1..4).prop_map(|fragments| fragments.concat());
    let value = value.prop_filter("no segment of a path", |value| value != "." && value != "..");
    let mut runner = TestRunner::new(Config { cases: 40, failure_persistence: None, ..Config::default() });
    runner
        .run(&value, |value| {
            check(&host, &requests, &value);
            Ok(())
        })
        .unwrap();
}

fn long_answers_are_stored(world: &World) {
    let lines: Vec<String> = (1..=20_000).map(|number| format!("line {number}\n")).collect();
    let answer = lines.concat();
    let (port, _requests) = server(answer.leak());
    let host = world.host(&tools(port));
    let output = host.text("workspace.header", json!({ "value": "x" }));
    assert!(output.len() < 35_000 && output.starts_with("line 1\n"), "{}", output.len());
    let handle = output.rsplit_once("output.read {\"output\":\"").unwrap().1.split('"').next().unwrap();
    let output = host.text("output.read", json!({ "output": handle, "from_line": 12_345, "lines": 1 }));
    assert!(output.contains("line 12345\n"), "{output}");
}

fn inline_values_are_data(world: &World) {
    let code = "return { same: args.value === args.values[0], length: args.value.length, value: args.value }";
    let host = world.host(&[tool("inline", json!({ "type": "inline", "code": code }))]);
    let more = ["`${tools.call('x')}`", "'); globalThis.result = 'canary'; ('", "\0", "*/ canary /*", "__proto__"];
    for value in HOSTILE.iter().chain(&more) {
        let answer = host.call("workspace.inline", json!({ "value": value, "values": [value] }));
        let data = answer.data.unwrap();
        assert_eq!((&data["value"], &data["same"]), (&json!(value), &json!(true)), "{}", answer.text);
        assert_eq!(data["length"], value.encode_utf16().count());
    }
    let long = "'\"`${}\n".repeat(1 << 17);
    let error = host.failure("workspace.inline", json!({ "value": long, "values": [long] }), "failed");
    assert!(error.contains("more than 1048576 bytes of JSON"), "{error}");
}

fn long_results_are_stored(world: &World) {
    let code = "for (let n = 1; n <= 20000; n++) console.log('line ' + n); return 'x'.repeat(90000)";
    let thrown = "console.log('y'.repeat(50000)); throw new Error('no')";
    let inline = |id: &str, code: &str| tool(id, json!({ "type": "inline", "code": code }));
    let host = world.host(&[inline("long", code), inline("thrown", thrown)]);
    let output = host.text("workspace.long", json!({}));
    assert!(output.len() < 35_000 && output.contains("all of output, "), "{output}");
    let error = host.failure("workspace.thrown", json!({}), "failed");
    assert!(error.starts_with("Failed to run workspace.thrown: 1:") && error.contains("all of output, "), "{error}");
}
