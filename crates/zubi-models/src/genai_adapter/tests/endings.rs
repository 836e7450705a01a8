//! Endings of incomplete answers: cut, reset, silent, refused, malformed.

use super::*;

/// Returns the error as one line; checks that it does not contain the key.
async fn failure(dialect: Dialect, turn: Turn) -> String {
    match serve_and_query(dialect, turn).await {
        Ok(answer) => panic!("{dialect:?}: {answer:?}"),
        Err(error) => {
            assert!(!error.to_string().contains(KEY), "{error}");
            let wait = error.retry_after.map_or(String::new(), |wait| format!(" (after {wait:?})"));
            format!("{:?}: {}{wait}", error.kind, error.message)
        }
    }
}

/// Returns the errors of all APIs.
async fn check(turn: impl Fn(Dialect) -> Turn) -> String {
    let mut all = Vec::new();
    for dialect in NATIVE {
        all.push(failure(dialect, turn(dialect)).await);
    }
    all.join("\n")
}

#[tokio::test]
async fn truncated_answers_are_errors() {
    for dialect in NATIVE {
        let complete = without_ids(serve_and_query(dialect, Turn::reply(scripted_answer())).await.unwrap());
        let length = dialect.answer(&scripted_answer()).len();
        for at in (0..length).step_by(61).chain(length - 6..length) {
            for end in [End::Close, End::Done] {
                match serve_and_query(dialect, Turn::reply(scripted_answer()).cut_at(at).end(end)).await {
                    // Only the data after the end is missing.
                    Ok(answer) => {
                        assert!(
                            without_ids(answer) == complete && at + 120 > length,
                            "{dialect:?} at {at} of {length}"
                        );
                    }
                    Err(error) => {
                        let is_expected = matches!(error.kind, ErrorKind::BrokenOff | ErrorKind::Malformed);
                        assert!(is_expected, "{dialect:?} at {at}: {error:?}");
                    }
                }
            }
        }
    }
}

#[tokio::test]
async fn interrupted_answers_are_errors() {
    insta::assert_snapshot!(check(|_| Turn::reply(scripted_answer()).cut_after("sehe").end(End::Close)).await, @"
    BrokenOff: the answer of openai-responses broke off before its end
    BrokenOff: the answer of anthropic broke off before its end
    BrokenOff: the answer of gemini broke off before its end
    BrokenOff: the answer of ollama broke off before its end
    ");
    insta::assert_snapshot!(check(|_| Turn::reply(scripted_answer()).cut_after("file_read").end(End::Reset)).await, @"
    BrokenOff: the answer of openai-responses broke off before its end: Connection reset by peer (os error 104)
    BrokenOff: the answer of anthropic broke off before its end: Connection reset by peer (os error 104)
    BrokenOff: the answer of gemini broke off before its end: Connection reset by peer (os error 104)
    BrokenOff: the answer of ollama broke off before its end: Connection reset by peer (os error 104)
    ");
}

#[tokio::test]
async fn silent_servers_time_out() {
    for dialect in NATIVE {
        let turn = Turn::reply(scripted_answer()).cut_after("sehe").end(End::Stall);
        let server = Server::start(dialect, KEY, vec![turn]);
        let mut config = config(dialect, &server);
        config.timeouts.idle = Duration::from_millis(300);
        let error = query_model(config, "scripted", &[user_message("Hello")]).await.unwrap_err();
        assert_eq!(error.kind, ErrorKind::TimedOut, "{error}");
        server.finish();
    }
}

#[tokio::test]
async fn an_unreachable_server_is_reported() {
    for dialect in NATIVE {
        let server = Server::start(dialect, KEY, Vec::new());
        let mut config = config(dialect, &server);
        config.url.set_port(Some(1)).unwrap();
        let error = query_model(config, "scripted", &[user_message("Hello")]).await.unwrap_err();
        assert_eq!(error.kind, ErrorKind::Unreachable, "{error}");
        server.finish();
    }
}

#[tokio::test]
async fn refusals() {
    insta::assert_snapshot!(check(|_| Turn::refusal(401, &format!("bad key {KEY}"))).await, @"
    Unauthorized: openai-responses answers 401 Unauthorized: bad key (redacted)
    Unauthorized: anthropic answers 401 Unauthorized: bad key (redacted)
    Unauthorized: gemini answers 401 Unauthorized: bad key (redacted)
    Unauthorized: ollama answers 401 Unauthorized: bad key (redacted)
    ");
    insta::assert_snapshot!(check(|_| Turn::refusal(429, "slow down").header("Retry-After", "7")).await, @"
    RateLimited: openai-responses answers 429 Too Many Requests: slow down (after 7s)
    RateLimited: anthropic answers 429 Too Many Requests: slow down (after 7s)
    RateLimited: gemini answers 429 Too Many Requests: slow down (after 7s)
    RateLimited: ollama answers 429 Too Many Requests: slow down (after 7s)
    ");
    insta::assert_snapshot!(check(|_| Turn::refusal(529, "overloaded")).await, @"
    Overloaded: openai-responses answers 529: overloaded
    Overloaded: anthropic answers 529: overloaded
    Overloaded: gemini answers 529: overloaded
    Overloaded: ollama answers 529: overloaded
    ");
    insta::assert_snapshot!(check(|_| Turn::refusal(400, "prompt is too long: 9 tokens > 8 maximum")).await, @"
    TooLong: openai-responses answers 400 Bad Request: prompt is too long: 9 tokens > 8 maximum
    TooLong: anthropic answers 400 Bad Request: prompt is too long: 9 tokens > 8 maximum
    TooLong: gemini answers 400 Bad Request: prompt is too long: 9 tokens > 8 maximum
    TooLong: ollama answers 400 Bad Request: prompt is too long: 9 tokens > 8 maximum
    ");
    insta::assert_snapshot!(check(|_| Turn::raw(302, "").header("Location", "http://127.0.0.1:1/")).await, @"
    NotConfigured: openai-responses answers 302 Found: it is a redirect, and zubi does not send a key elsewhere; configure the address of the API itself
    NotConfigured: anthropic answers 302 Found: it is a redirect, and zubi does not send a key elsewhere; configure the address of the API itself
    NotConfigured: gemini answers 302 Found: it is a redirect, and zubi does not send a key elsewhere; configure the address of the API itself
    NotConfigured: ollama answers 302 Found: it is a redirect, and zubi does not send a key elsewhere; configure the address of the API itself
    ");
}

#[tokio::test]
async fn errors_in_the_middle() {
    insta::assert_snapshot!(check(|_| Turn::reply(scripted_answer().error("Overloaded"))).await, @"
    Overloaded: openai-responses broke its answer off: Overloaded
    Overloaded: anthropic broke its answer off: Overloaded
    Overloaded: gemini broke its answer off: Overloaded
    Overloaded: ollama broke its answer off: Overloaded
    ");
    insta::assert_snapshot!(check(|_| Turn::reply(scripted_answer().error("Overloaded")).end(End::Close)).await, @"
    Overloaded: openai-responses broke its answer off: Overloaded
    Overloaded: anthropic broke its answer off: Overloaded
    Overloaded: gemini broke its answer off: Overloaded
    Overloaded: ollama broke its answer off: Overloaded
    ");
}

#[tokio::test]
async fn malformed_answers_are_reported() {
    let page = "<html><head><title>Sign in</title></head><body>x</body></html>";
    insta::assert_snapshot!(check(|_| Turn::raw(200, page)).await, @"
    Malformed: openai-responses sent no answer
    Malformed: anthropic sent no answer
    Malformed: gemini sent no answer
    Malformed: ollama sent no answer, but a page of HTML (`Sign in`)
    ");
    insta::assert_snapshot!(check(|_| Turn::raw(200, "")).await, @"
    Malformed: openai-responses sent no answer
    Malformed: anthropic sent no answer
    Malformed: gemini sent no answer
    Malformed: ollama sent no answer
    ");
    let frame =
        |dialect| if dialect == Dialect::Ollama { "{\"a\": \n" } else { "event: message_start\ndata: {\"a\": \n\n" };
    insta::assert_snapshot!(check(|dialect| Turn::raw(200, frame(dialect))).await, @"
    BrokenOff: the answer of openai-responses broke off before its end
    BrokenOff: the answer of anthropic broke off before its end
    BrokenOff: the answer of gemini broke off before its end
    Malformed: ollama sent no answer
    ");
    insta::assert_snapshot!(check(|_| Turn::raw(200, &b"data: \xff\xfe\n\n{}\n"[..])).await, @"
    Malformed: openai-responses sent no answer, but bytes that are not text
    Malformed: anthropic sent no answer, but bytes that are not text
    Malformed: gemini sent no answer, but bytes that are not text
    Malformed: ollama sent no answer, but bytes that are not text
    ");
    // In the middle of a complete answer.
    let broken = |dialect: Dialect| dialect.answer(&scripted_answer()).replacen("Ich ", "\"", 1);
    insta::assert_snapshot!(check(|dialect| Turn::raw(200, broken(dialect))).await, @r#"
    Malformed: openai-responses sent no answer, but an event that is not JSON
    Malformed: anthropic sent no answer, but {"index":1,"delta":{"type":"text_delta","text":"""},"type":"content_block_delta"}
    Malformed: gemini sent no answer, but {"candidates":[{"content":{"role":"model","parts":[{"text":"""}]},"index":0}],"modelVersion":"scripted"}
    Malformed: ollama sent no answer, but {"model":"scripted","created_at":"2026-01-01T00:00:00Z","message":{"role":"assistant","content":"""},"done":false}
    "#);
    let blocked = "data: {\"promptFeedback\": {\"blockReason\": \"SAFETY\"}}\r\n\r\n";
    insta::assert_snapshot!(failure(Dialect::Gemini, Turn::raw(200, blocked)).await, @"Refused: gemini refuses the request: SAFETY");
}

#[tokio::test]
async fn truncated_arguments_stay_text() {
    for dialect in [Dialect::Anthropic, Dialect::Responses] {
        let complete = dialect
            .answer(&ScriptedReply::default().call("file_read", json!({ "path": "abcdefgh" })).stop(Stop::Length));
        // Without the last fragment of its arguments, also where they are repeated.
        let cut =
            complete.replace(r#"{\"path\":\"abcdefgh\"}"#, r#"{\"path\":\"abcdef"#).replace(r#""gh\"}""#, r#""""#);
        let answer = serve_and_query(dialect, Turn::raw(200, cut)).await.unwrap();
        assert!(answer.message.calls[0].arguments.is_string(), "{dialect:?} {:?}", answer.message.calls);
        assert_eq!(answer.stop, crate::FinishReason::Length);
    }
}
