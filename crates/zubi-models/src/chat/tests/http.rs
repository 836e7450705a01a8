//! Tests over a real connection, to a server that sends scripted bytes, chunk by chunk.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use insta::assert_snapshot;
use reqwest::Url;
use reqwest::header::HeaderMap;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use zubi_base::config::Api;

use super::{KEY, frames, render_answer, stream};
use crate::chat::ChatCompletionsProvider;
use crate::keys::ApiKey;
use crate::message::PromptMessage;
use crate::provider::{self, ProviderConfig, ProviderTimeouts};
use crate::{ModelSource as _, Prompt};

/// The server's behaviour on one connection.
#[derive(Clone)]
enum Script {
    /// Sends these chunks separately, and closes the connection.
    Close(Vec<Vec<u8>>),
    /// Sends these bytes, and then stays silent.
    Stall(Vec<Vec<u8>>),
    /// Sends these bytes, and then resets the connection.
    Reset(Vec<Vec<u8>>),
    /// Sends these bytes, and then heartbeats forever.
    Alive(Vec<Vec<u8>>),
}

/// A response head and a body that ends with the connection.
fn response(status: &str, headers: &str, body: &str) -> Vec<Vec<u8>> {
    let mut bytes = format!("HTTP/1.1 {status}\r\n{headers}\r\n").into_bytes();
    bytes.extend_from_slice(body.as_bytes());
    bytes.chunks(7).map(<[u8]>::to_vec).collect()
}

fn ok(body: &str) -> Vec<Vec<u8>> {
    response("200 OK", "content-type: text/event-stream\r\n", body)
}

/// Serves the scripts, one per connection, and records the requests.
async fn serve(scripts: Vec<Script>) -> (Url, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = Url::parse(&format!("http://{}/v1", listener.local_addr().unwrap())).unwrap();
    let requests = Arc::new(Mutex::new(Vec::new()));
    let recorded = Arc::clone(&requests);
    tokio::spawn(async move {
        let mut silent = Vec::new();
        for script in scripts {
            let (mut socket, _) = listener.accept().await.unwrap();
            let request = request(&mut socket).await;
            recorded.lock().unwrap().push(request);
            let (Script::Close(chunks) | Script::Stall(chunks) | Script::Reset(chunks) | Script::Alive(chunks)) =
                &script;
            for chunk in chunks {
                socket.write_all(chunk).await.unwrap();
                socket.flush().await.unwrap();
            }
            match script {
                Script::Close(_) => drop(socket),
                Script::Stall(_) => silent.push(socket),
                Script::Reset(_) => socket.set_zero_linger().unwrap(),
                // Until the client disconnects.
                Script::Alive(_) => drop(tokio::spawn(async move {
                    while socket.write_all(b": keep\n\n").await.is_ok() {
                        tokio::time::sleep(Duration::from_millis(20)).await;
                    }
                })),
            }
        }
        // A silent server stays silent for the rest of the test.
        std::future::pending::<()>().await;
    });
    (url, requests)
}

/// Reads one request: its head, and the body of the length given there.
async fn request(socket: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    loop {
        let mut buffer = [0; 4096];
        let read = socket.read(&mut buffer).await.unwrap();
        bytes.extend_from_slice(&buffer[..read]);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
            if read == 0 || body.len() >= length.map_or(0, |length| length.parse().unwrap()) {
                return text;
            }
        }
        assert!(read != 0, "no request: {text}");
    }
}

fn config(url: Url) -> ProviderConfig {
    ProviderConfig {
        provider: "it".to_owned(),
        api: Api::OpenaiChat,
        url,
        key: Some(ApiKey::new(KEY, "a test")),
        key_header: None,
        headers: HeaderMap::new(),
        query: BTreeMap::new(),
        context: Some(1000),
        models: Vec::new(),
        timeouts: ProviderTimeouts {
            connect: Duration::from_secs(5),
            idle: Duration::from_secs(20),
            ..ProviderTimeouts::default()
        },
    }
}

/// Sends one request, and returns the result and the number of requests that the server received.
async fn query_chat(chat: &ChatCompletionsProvider) -> String {
    let model = chat.open("m").await.unwrap();
    let messages = [PromptMessage::User { text: "Hi".to_owned() }];
    let prompt = Prompt { system: "", messages: &messages, tools: &[], max_output: Some(9) };
    let answer = model.answer(prompt, &|_| {}).await;
    let wait = answer.as_ref().err().and_then(|error| error.retry_after);
    let text = render_answer(&answer, "") + &wait.map(|wait| format!(" (after {wait:?})")).unwrap_or_default();
    assert!(!text.contains(KEY) && !format!("{chat:?}{answer:?}").contains(KEY), "{text}");
    text
}

async fn check(scripts: Vec<Script>) -> String {
    check_with(scripts, |_| {}).await.0
}

async fn check_with(scripts: Vec<Script>, change: impl FnOnce(&mut ProviderConfig)) -> (String, Vec<String>) {
    let (url, requests) = serve(scripts).await;
    let port = url.port().unwrap().to_string();
    let mut config = config(url);
    change(&mut config);
    let text = query_chat(&ChatCompletionsProvider::new(config)).await.replace(&port, "PORT");
    let requests = requests.lock().unwrap().iter().map(|request| request.replace(&port, "PORT")).collect();
    (text, requests)
}

#[tokio::test]
async fn an_answer_and_its_request() {
    let (text, requests) = check_with(vec![Script::Close(ok(&stream(&[r#"{"content":"Hi"}"#], "stop")))], |_| {}).await;
    assert_snapshot!(text, @r#"
    text "Hi"
    Finished, 0+0 tokens, 0 cached
    "#);
    assert_snapshot!(requests.concat().replace('\r', ""), @r#"
    POST /v1/chat/completions HTTP/1.1
    authorization: Bearer sk-never-shown-0123456789
    content-type: application/json
    accept: */*
    user-agent: zubi/0.1.0
    host: 127.0.0.1:PORT
    content-length: 126

    {"model":"m","messages":[{"role":"user","content":"Hi"}],"stream":true,"stream_options":{"include_usage":true},"max_tokens":9}
    "#);
}

#[tokio::test]
async fn gateway_headers_and_query_are_sent() {
    let (text, requests) = check_with(vec![Script::Close(ok(&stream(&[r#"{"content":"Hi"}"#], "stop")))], |config| {
        config.key_header = Some("api-key".parse().unwrap());
        config.query = BTreeMap::from([("api-version".to_owned(), "2024 10".to_owned())]);
        config.headers.insert("x-team", "a".parse().unwrap());
    })
    .await;
    assert_snapshot!(text, @r#"
    text "Hi"
    Finished, 0+0 tokens, 0 cached
    "#);
    let head = requests.concat().replace('\r', "");
    assert_snapshot!(head.split("\n\n").next().unwrap(), @"
    POST /v1/chat/completions?api-version=2024+10 HTTP/1.1
    x-team: a
    api-key: sk-never-shown-0123456789
    content-type: application/json
    accept: */*
    user-agent: zubi/0.1.0
    host: 127.0.0.1:PORT
    content-length: 126
    ");
}

#[tokio::test]
async fn incomplete_connections_are_reported() {
    let text = frames(&[r#"{"content":"Hi"}"#]);
    let call = frames(&[r#"{"tool_calls":[{"index":0,"id":"a","function":{"name":"read","arguments":"{}"}}]}"#]);
    let complete = stream(&[r#"{"content":"Hi"}"#], "stop");
    let chunked = |body: &str, end: &str| {
        let body = format!("{:x}\r\n{body}\r\n{end}", body.len());
        response("200 OK", "content-type: text/event-stream\r\ntransfer-encoding: chunked\r\n", &body)
    };
    assert_snapshot!(check(vec![Script::Close(ok(&text))]).await, @"BrokenOff: the answer of it broke off before its end");
    assert_snapshot!(check(vec![Script::Close(chunked(&text, ""))]).await, @"BrokenOff: the answer of it broke off before its end: unexpected EOF during chunk size line");
    assert_snapshot!(check(vec![Script::Close(chunked(&text, "0\r\n\r\n"))]).await, @"BrokenOff: the answer of it broke off before its end");
    // How much arrives before the reset is random, but the answer is never complete.
    let reset = check(vec![Script::Reset(ok(&call))]).await;
    assert!(reset.starts_with("BrokenOff: "), "{reset}");
    assert_snapshot!(check(vec![Script::Close(Vec::new())]).await, @"BrokenOff: it at http://127.0.0.1:PORT/v1 gave no answer: connection closed before message completed");
    // The answer is complete: the client does not wait for the end of the connection.
    assert_snapshot!(check(vec![Script::Stall(ok(&complete))]).await, @r#"
    text "Hi"
    Finished, 0+0 tokens, 0 cached
    "#);
}

#[tokio::test]
async fn silent_servers_time_out() {
    let text = frames(&[r#"{"content":"Hi"}"#]);
    let without_end = stream(&[r#"{"content":"Hi"}"#], "stop").replace("data: [DONE]\n\n", "");
    let set_idle_timeout = |config: &mut ProviderConfig| config.timeouts.idle = Duration::from_millis(300);
    let mut outcomes = Vec::new();
    for sent in [Vec::new(), ok(&text), response("500 Oh", "", "bus"), ok(&without_end)] {
        outcomes.push(check_with(vec![Script::Stall(sent)], set_idle_timeout).await.0);
    }
    assert_snapshot!(outcomes.join("\n"), @r#"
    TimedOut: it sent nothing for 300 ms
    TimedOut: it sent nothing for 300 ms
    Overloaded: it answers 500 Internal Server Error
    text "Hi"
    Finished, 0+0 tokens, 0 cached
    "#);
    // A refusal that arrives byte by byte does not restart the time-out with each byte.
    let slow_refusal = check_with(vec![Script::Alive(response("500 Oh", "", "bus"))], set_idle_timeout).await.0;
    assert_snapshot!(slow_refusal, @"Overloaded: it answers 500 Internal Server Error");
}

/// The server still has data to send when the client closes the connection.
#[tokio::test]
async fn cancelling_closes_the_connection() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = Url::parse(&format!("http://{}/v1", listener.local_addr().unwrap())).unwrap();
    let chat = ChatCompletionsProvider::new(config(url));
    let (sender, mut receiver) = tokio::sync::mpsc::unbounded_channel();
    let request_task = tokio::spawn(async move {
        let model = chat.open("m").await.unwrap();
        let messages = [PromptMessage::User { text: "Hi".to_owned() }];
        let prompt = Prompt { system: "", messages: &messages, tools: &[], max_output: None };
        model.answer(prompt, &|delta| sender.send(delta).unwrap()).await
    });
    let (mut socket, _) = listener.accept().await.unwrap();
    request(&mut socket).await;
    socket.write_all(&ok(&frames(&[r#"{"content":"Hi"}"#])).concat()).await.unwrap();
    receiver.recv().await.unwrap();
    request_task.abort();
    let closed = tokio::time::timeout(Duration::from_secs(10), socket.read(&mut [0; 16])).await;
    assert!(matches!(closed, Ok(Ok(0) | Err(_))), "{closed:?}");
}

#[tokio::test]
async fn a_refused_connection_is_reported() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let chat = ChatCompletionsProvider::new(config(Url::parse(&format!("http://{address}/v1")).unwrap()));
    assert_snapshot!(query_chat(&chat).await.replace(&address.port().to_string(), "PORT"), @"Unreachable: it cannot be reached at http://127.0.0.1:PORT/v1: Connection refused (os error 111)");
}

/// A key in a header of the user's own is as secret as a configured one, also without its scheme.
#[tokio::test]
async fn keys_in_headers_are_redacted_in_errors() {
    let refusal = response("401 Unauthorized", "", "Incorrect API key: abcd-1234-efgh");
    let change = |config: &mut ProviderConfig| {
        let headers = BTreeMap::from([("Authorization".to_owned(), "Bearer abcd-1234-efgh".to_owned())]);
        (config.key, config.headers) = (None, provider::headers(&headers).unwrap());
    };
    let (error, requests) = check_with(vec![Script::Close(refusal)], change).await;
    assert_snapshot!(error, @"Unauthorized: it answers 401 Unauthorized: Incorrect API key: (redacted)");
    assert!(requests[0].contains("authorization: Bearer abcd-1234-efgh"), "{requests:?}");
}

#[tokio::test]
async fn refusals() {
    let json = "content-type: application/json\r\n";
    let body = format!("{{\"error\":{{\"message\":\"slow down, {KEY}\",\"code\":\"rate_limit_exceeded\"}}}}");
    assert_snapshot!(check(vec![Script::Close(response("429 Too Many Requests", &format!("{json}retry-after: 7\r\n"), &body))]).await, @"RateLimited: it answers 429 Too Many Requests: slow down, (redacted) (after 7s)");
    assert_snapshot!(check(vec![Script::Close(response("302 Found", "location: http://127.0.0.1:1/?key=hunter2\r\n", ""))]).await, @"NotConfigured: it answers 302 Found: it is a redirect, and zubi does not send a key elsewhere; configure the address of the API itself");
    assert_snapshot!(check(vec![Script::Close(response("200 OK", "content-type: text/html\r\n", "<html><title>Sign in</title>"))]).await, @"Malformed: it sent a page of HTML (`Sign in`) instead of an answer");
    assert_snapshot!(check(vec![Script::Close(response("529 ", json, r#"{"error":{"type":"overloaded_error","message":"Overloaded"}}"#))]).await, @"Overloaded: it answers 529: Overloaded");
}

/// If a server does not know an option, zubi retries once without it, and omits it from then on.
#[tokio::test]
async fn options_that_a_server_rejects_are_omitted() {
    let refused = |message: &str| {
        let body = format!("{{\"error\":{{\"message\":\"{message}\",\"type\":\"invalid_request_error\"}}}}");
        Script::Close(response("400 Bad Request", "", &body))
    };
    let answer = Script::Close(ok(&stream(&[r#"{"content":"Hi"}"#], "stop")));
    let (url, requests) = serve(vec![
        refused("Unknown field: stream_options"),
        refused("'max_tokens' is not supported, use 'max_completion_tokens'"),
        answer.clone(),
        answer,
        refused("stream_options again"),
    ])
    .await;
    let chat = ChatCompletionsProvider::new(config(url));
    let mut text = [query_chat(&chat).await, query_chat(&chat).await, query_chat(&chat).await].join("\n");
    for request in requests.lock().unwrap().iter() {
        let (_, body) = request.split_once("\r\n\r\n").unwrap();
        text.push('\n');
        text.push_str(body);
    }
    assert_snapshot!(text, @r#"
    text "Hi"
    Finished, 0+0 tokens, 0 cached
    text "Hi"
    Finished, 0+0 tokens, 0 cached
    Refused: it answers 400 Bad Request: stream_options again
    {"model":"m","messages":[{"role":"user","content":"Hi"}],"stream":true,"stream_options":{"include_usage":true},"max_tokens":9}
    {"model":"m","messages":[{"role":"user","content":"Hi"}],"stream":true,"max_tokens":9}
    {"model":"m","messages":[{"role":"user","content":"Hi"}],"stream":true,"max_completion_tokens":9}
    {"model":"m","messages":[{"role":"user","content":"Hi"}],"stream":true,"max_completion_tokens":9}
    {"model":"m","messages":[{"role":"user","content":"Hi"}],"stream":true,"max_completion_tokens":9}
    "#);
}

#[tokio::test]
async fn lists_of_models() {
    let list = |body: &'static str| async move {
        let (url, requests) = serve(vec![Script::Close(response("200 OK", "", body))]).await;
        let chat = ChatCompletionsProvider::new(config(url));
        let models = match chat.models().await {
            Ok(models) => models
                .iter()
                .map(|model| format!("{} {:?} {:?}", model.id, model.name, model.context))
                .collect::<Vec<_>>()
                .join("\n"),
            Err(error) => format!("{:?}: {error}", error.kind),
        };
        assert!(requests.lock().unwrap()[0].starts_with("GET /v1/models HTTP/1.1\r\n"));
        models
    };
    assert_snapshot!(list(r#"{"object":"list","data":[{"id":"b"},{"id":"a/x","name":"A\u001b[1m"},{"id":"b"},{"id":""},{"id":"n\nl"},{"x":1},3]}"#).await, @r#"
    it/a/x "A\\u{1b}[1m" Some(1000)
    it/b "b" Some(1000)
    "#);
    assert_snapshot!(list(r#"[{"name":"only"}]"#).await, @r#"it/only "only" Some(1000)"#);
    assert_snapshot!(list("<html>no</html>").await, @"Malformed: it sent no list of models, but a page of HTML");
    assert_snapshot!(list(r#"{"data": 3}"#).await, @r#"Malformed: it sent no list of models, but {"data": 3}"#);
    let named = ChatCompletionsProvider::new(ProviderConfig {
        models: vec!["one".to_owned()],
        ..config(Url::parse("http://127.0.0.1:1").unwrap())
    });
    assert_eq!(named.models().await.unwrap()[0].id, "it/one", "the server is not queried if the user lists the models");
    for name in ["", "a\nb", &"x".repeat(300)] {
        assert!(named.open(name).await.is_err());
    }
}

/// Heartbeats do not count as an answer, and do not prolong a complete one.
#[tokio::test]
async fn heartbeats_do_not_extend_the_timeouts() {
    let timeouts = ProviderTimeouts {
        idle: Duration::from_millis(300),
        heartbeats_only: Duration::from_millis(300),
        ..ProviderTimeouts::default()
    };
    let partial_response = ok(&frames(&[r#"{"content":"Hi"}"#]));
    let outcome =
        check_with(vec![Script::Alive(partial_response.clone())], |config| config.timeouts = timeouts).await.0;
    assert_snapshot!(outcome, @"TimedOut: it sent nothing but heartbeats for 300 ms");
    let timeouts = ProviderTimeouts {
        idle: Duration::from_millis(300),
        answer: Duration::from_millis(300),
        ..ProviderTimeouts::default()
    };
    let outcome = check_with(vec![Script::Alive(partial_response)], |config| config.timeouts = timeouts).await.0;
    assert_snapshot!(outcome, @"TimedOut: it did not finish its answer within 300 ms");
    let finished = stream(&[r#"{"content":"Hi"}"#], "stop").replace("data: [DONE]\n\n", "");
    let timeouts = ProviderTimeouts { idle: Duration::from_millis(300), ..ProviderTimeouts::default() };
    let outcome = check_with(vec![Script::Alive(ok(&finished))], |config| config.timeouts = timeouts).await.0;
    assert_snapshot!(outcome, @r#"
    text "Hi"
    Finished, 0+0 tokens, 0 cached
    "#);
}
