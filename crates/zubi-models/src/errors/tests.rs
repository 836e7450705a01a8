//! Bodies as providers send them.

use insta::assert_snapshot;
use reqwest::header::{HeaderName, HeaderValue};
use serde_json::json;

use super::*;

const KEY: &str = "sk-test-0123456789abcdef0123";

fn redactor() -> Redactor {
    Redactor::new([KEY.to_owned()])
}

fn headers(fields: &[(&'static str, &str)]) -> HeaderMap {
    let field = |(name, value): &(&'static str, &str)| {
        (HeaderName::from_static(name), HeaderValue::from_bytes(value.as_bytes()).unwrap())
    };
    fields.iter().map(field).collect()
}

fn render_error(error: &ModelError) -> String {
    let wait = error.retry_after.map(|wait| format!(" after {wait:?}")).unwrap_or_default();
    format!("{:?}{wait}: {error}", error.kind)
}

/// Returns the error for each status and body.
fn check(refusals: &[(u16, &str)]) -> String {
    let render = |(status, body): &(u16, &str)| {
        render_error(&from_response("it", *status, &HeaderMap::new(), body, &redactor()))
    };
    refusals.iter().map(render).collect::<Vec<_>>().join("\n")
}

#[test]
fn authentication_errors() {
    assert_snapshot!(check(&[
        (401, r#"{"error":{"message":"Incorrect API key provided: sk-test-0123456789abcdef0123.","type":"invalid_request_error","code":"invalid_api_key"}}"#),
        (401, r#"{"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"}}"#),
        (400, r#"{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT","details":[{"reason":"API_KEY_INVALID"}]}}"#),
        (403, r#"{"error":{"message":"no access","type":"permission_error"}}"#),
        (401, "Unauthorized"),
        (402, r#"{"error":{"message":"Insufficient credits","code":402}}"#),
    ]), @"
    Unauthorized: it answers 401 Unauthorized: Incorrect API key provided: (redacted).
    Unauthorized: it answers 401 Unauthorized: invalid x-api-key
    Unauthorized: it answers 400 Bad Request: API key not valid. Please pass a valid API key.
    Unauthorized: it answers 403 Forbidden: no access
    Unauthorized: it answers 401 Unauthorized: Unauthorized
    Refused: it answers 402 Payment Required: Insufficient credits
    ");
}

#[test]
fn rate_limits_and_overload() {
    assert_snapshot!(check(&[
        (429, r#"{"error":{"message":"Rate limit reached for requests","type":"requests","code":"rate_limit_exceeded"}}"#),
        (429, r#"{"error":{"message":"Request too large on tokens per min (TPM): please reduce the length of the messages","code":"rate_limit_exceeded"}}"#),
        (429, r#"{"error":{"message":"You exceeded your current quota","type":"insufficient_quota","code":"insufficient_quota"}}"#),
        (429, r#"[{"error":{"code":429,"message":"Quota exceeded","status":"RESOURCE_EXHAUSTED","details":[{"retryDelay":"7.5s"}]}}]"#),
        (529, r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#),
        (503, r#"{"error":{"code":503,"message":"The model is overloaded.","status":"UNAVAILABLE"}}"#),
        (500, "<html><head><title>502 Bad Gateway</title></head></html>"),
        (502, ""),
        (408, "{}"),
    ]), @"
    RateLimited: it answers 429 Too Many Requests: Rate limit reached for requests
    RateLimited: it answers 429 Too Many Requests: Request too large on tokens per min (TPM): please reduce the length of the messages
    Refused: it answers 429 Too Many Requests: You exceeded your current quota
    RateLimited after 7.5s: it answers 429 Too Many Requests: Quota exceeded
    Overloaded: it answers 529: Overloaded
    Overloaded: it answers 503 Service Unavailable: The model is overloaded.
    Overloaded: it answers 500 Internal Server Error: a page of HTML (`502 Bad Gateway`)
    Overloaded: it answers 502 Bad Gateway
    TimedOut: it answers 408 Request Timeout: {}
    ");
}

#[test]
fn too_long_prompts_are_recognized() {
    assert_snapshot!(check(&[
        (400, r#"{"error":{"message":"This model's maximum context length is 128000 tokens.","code":"context_length_exceeded"}}"#),
        (400, r#"{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 208310 tokens > 200000 maximum"}}"#),
        (400, r#"{"error":{"code":400,"message":"The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).","status":"INVALID_ARGUMENT"}}"#),
        (400, r#"{"error":{"code":400,"message":"the request exceeds the available context size. try increasing it","type":"exceed_context_size_error"}}"#),
        (500, r#"{"error":"the input length exceeds the context length"}"#),
        (413, r#"{"error":{"code":"tokens_limit_reached","message":"Request body too large for gpt-4o model. Max size: 8000 tokens."}}"#),
        (400, r#"{"object":"error","message":"This model's maximum context length is 4096 tokens","type":"BadRequestError","code":400}"#),
        (429, r#"{"error":{"message":"too long","code":"context_length_exceeded"}}"#),
    ]), @"
    TooLong: it answers 400 Bad Request: This model's maximum context length is 128000 tokens.
    TooLong: it answers 400 Bad Request: prompt is too long: 208310 tokens > 200000 maximum
    TooLong: it answers 400 Bad Request: The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).
    TooLong: it answers 400 Bad Request: the request exceeds the available context size. try increasing it
    TooLong: it answers 500 Internal Server Error: the input length exceeds the context length
    TooLong: it answers 413 Payload Too Large: Request body too large for gpt-4o model. Max size: 8000 tokens.
    TooLong: it answers 400 Bad Request: This model's maximum context length is 4096 tokens
    TooLong: it answers 429 Too Many Requests: too long
    ");
}

#[test]
fn invalid_requests_and_addresses() {
    assert_snapshot!(check(&[
        (404, r#"{"error":{"message":"The model `gpt-9` does not exist or you do not have access to it.","code":"model_not_found"}}"#),
        (404, r#"{"error":"model 'x' not found"}"#),
        (400, r#"{"error":{"message":"x is not a valid model ID","code":400}}"#),
        (400, r#"{"error":{"message":"Invalid 'tools[0].function.name'","type":"invalid_request_error"}}"#),
        (422, r#"{"detail":[{"loc":["body"],"msg":"field required"}]}"#),
        (400, r#"{"error":{"message":"Provider returned error","code":400,"metadata":{"raw":"bad tool schema"}}}"#),
        (302, ""),
        (501, "not here\n\nat\u{1b}[31m all"),
    ]), @r"
    NotConfigured: it answers 404 Not Found: The model `gpt-9` does not exist or you do not have access to it.
    NotConfigured: it answers 404 Not Found: model 'x' not found
    NotConfigured: it answers 400 Bad Request: x is not a valid model ID
    Refused: it answers 400 Bad Request: Invalid 'tools[0].function.name'
    Refused: it answers 422 Unprocessable Entity: field required
    Refused: it answers 400 Bad Request: Provider returned error (bad tool schema)
    NotConfigured: it answers 302 Found: it is a redirect, and zubi does not send a key elsewhere; configure the address of the API itself
    Refused: it answers 501 Not Implemented: not here at\u{1b}[31m all
    ");
}

#[test]
fn foreign_text_is_truncated_and_redacted() {
    let long = format!("{} {KEY} end", "word ".repeat(70));
    let error = from_response("it", 500, &HeaderMap::new(), &long, &redactor()).message;
    assert!(!error.contains("0123456789"), "{error}");
    let endless = "x".repeat(100_000);
    let error = from_response("it", 500, &HeaderMap::new(), &endless, &redactor()).message;
    assert!(error.chars().count() < 500, "{error}");
    let escaped = json!({ "error": { "message": KEY } }).to_string();
    assert!(!from_response("it", 500, &HeaderMap::new(), &escaped, &redactor()).message.contains(KEY));
}

#[test]
fn errors_in_a_stream() {
    let check = |error: Value| render_error(&in_stream("it", &error, &redactor()));
    assert_snapshot!(check(json!({"error": {"message": "gone", "type": "server_error"}})), @"Overloaded: it broke its answer off: gone");
    assert_snapshot!(check(json!({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}})), @"Overloaded: it broke its answer off: Overloaded");
    assert_snapshot!(check(json!({"error": {"code": 429, "message": "slow down"}})), @"RateLimited: it broke its answer off: slow down");
    assert_snapshot!(check(json!({"error": {"type": "rate_limit_error", "message": "slow down"}})), @"RateLimited: it broke its answer off: slow down");
    assert_snapshot!(check(json!({"message": "maximum context length is 3"})), @"TooLong: it broke its answer off: maximum context length is 3");
    assert_snapshot!(check(json!({"error": KEY})), @"Overloaded: it broke its answer off: (redacted)");
    assert_snapshot!(check(json!({"error": {"type": "invalid_request_error", "message": null}})), @r#"Refused: it broke its answer off: {"error":{"type":"invalid_request_error","message":null}}"#);
}

#[test]
fn retry_after_headers() {
    let date = "Wed, 21 Oct 2015 07:28:00 GMT";
    for (fields, expected) in [
        (vec![("retry-after", "7")], Some(Duration::from_secs(7))),
        (vec![("retry-after", "1.5")], Some(Duration::from_millis(1500))),
        (vec![("retry-after", "7"), ("retry-after-ms", "250")], Some(Duration::from_millis(250))),
        (vec![("retry-after", "Wed, 21 Oct 2015 07:28:09 GMT"), ("date", date)], Some(Duration::from_secs(9))),
        (vec![("retry-after", "Wed, 21 Oct 2015 07:27:00 GMT"), ("date", date)], Some(Duration::ZERO)),
        (vec![("retry-after", "Wed, 21 Oct 2015 07:28:00 GMT")], Some(Duration::ZERO)),
        (vec![("retry-after", "1e300")], None),
        (vec![("retry-after", "9999999999")], Some(MAX_WAIT)),
        (vec![("retry-after", "-1")], None),
        (vec![("retry-after", "soon")], None),
        (vec![], None),
    ] {
        assert_eq!(retry_after(&headers(&fields)), expected, "{fields:?}");
    }
}
