//! Servers that crash, hang, flood and make noise.

use insta::assert_snapshot;

use crate::harness::{hover, query_repeatedly, run_calls};

#[tokio::test]
async fn server_crash_at_start() {
    assert_snapshot!(run_calls("crash-at-start", "", &[hover(), hover(), hover()]).await, @r#"
    Failed to explain the symbol: hostile is not running: the process ended (exit status: 3); it wrote: cannot load its data
    it failed several times in a row and is started again only after [pause] s; try `[hostile]` by hand; if it starts there, the sandbox may be the cause: `zubi doctor` lists what hostile may do, and `[servers.hostile] sandbox = "off"` in your zubi.toml starts it without the sandbox
    ────
    Failed to explain the symbol: hostile is not running: the process ended (exit status: 3); it wrote: cannot load its data
    it failed several times in a row and is started again only after [pause] s; try `[hostile]` by hand; if it starts there, the sandbox may be the cause: `zubi doctor` lists what hostile may do, and `[servers.hostile] sandbox = "off"` in your zubi.toml starts it without the sandbox
    ────
    Failed to explain the symbol: hostile is not running: the process ended (exit status: 3); it wrote: cannot load its data
    it failed several times in a row and is started again only after [pause] s; try `[hostile]` by hand; if it starts there, the sandbox may be the cause: `zubi doctor` lists what hostile may do, and `[servers.hostile] sandbox = "off"` in your zubi.toml starts it without the sandbox
    "#);
}

#[tokio::test]
async fn server_without_handshake_answer() {
    assert_snapshot!(run_calls("silent-at-start", "", &[hover()]).await, @r#"
    Failed to explain the symbol: hostile is not running: `initialize` failed: no answer within 2 s
    it failed several times in a row and is started again only after [pause] s; try `[hostile]` by hand; if it starts there, the sandbox may be the cause: `zubi doctor` lists what hostile may do, and `[servers.hostile] sandbox = "off"` in your zubi.toml starts it without the sandbox
    "#);
}

#[tokio::test]
async fn server_crash_during_an_answer() {
    assert_snapshot!(run_calls("crash-in-answer", "", &[hover(), hover()]).await, @"
    Failed to explain the symbol: hostile is not running: the process ended (exit status: 7)
    it failed several times in a row and is started again only after [pause] s; retry the request then
    ────
    Failed to explain the symbol: hostile is not running: the process ended (exit status: 7)
    it failed several times in a row and is started again only after [pause] s; retry the request then
    ");
}

#[tokio::test]
async fn server_crash_at_every_third_request() {
    let calls = [hover(), hover(), hover(), hover(), hover(), hover()];
    assert_snapshot!(run_calls("crash-at-every-third", "", &calls).await, @"
    at a.hostile:1:1 alpha
    a word
    [hostile · ready]
    ────
    at a.hostile:1:1 alpha
    a word
    [hostile · ready]
    ────
    at a.hostile:1:1 alpha
    a word
    [hostile · ready]
    ────
    at a.hostile:1:1 alpha
    a word
    [hostile · ready]
    ────
    at a.hostile:1:1 alpha
    a word
    [hostile · ready]
    ────
    at a.hostile:1:1 alpha
    a word
    [hostile · ready]
    ");
}

#[tokio::test]
async fn an_unresponsive_server_is_stopped_after_two_timeouts() {
    assert_snapshot!(run_calls("hang", "", &[hover(), hover()]).await, @"
    Failed to explain the symbol: hostile did not answer `textDocument/hover` within 2 s
    Retry: the server may be ready by then; zubi ends one that stays silent and starts it again.
    ────
    Failed to explain the symbol: hostile is not running: it sent no message while two requests ran out of time, and was ended
    retry the request: zubi starts the server again
    ");
}

#[tokio::test]
async fn a_server_that_closes_its_output_is_stopped() {
    assert_snapshot!(run_calls("closes-output", "", &[hover(), hover()]).await, @"
    Failed to explain the symbol: hostile is not running: it closed its output but continued to run, so it was ended
    it failed several times in a row and is started again only after [pause] s; retry the request then
    ────
    Failed to explain the symbol: hostile is not running: it closed its output but continued to run, so it was ended
    it failed several times in a row and is started again only after [pause] s; retry the request then
    ");
}

#[tokio::test]
async fn endless_output_outside_the_protocol() {
    assert_snapshot!(run_calls("noise-only", "", &[hover()]).await, @r#"
    Failed to explain the symbol: hostile is not running: it writes something that is not the protocol: ! | ! | ! | ! | !; the process ended (exit status: 0)
    it failed several times in a row and is started again only after [pause] s; try `[hostile]` by hand; if it starts there, the sandbox may be the cause: `zubi doctor` lists what hostile may do, and `[servers.hostile] sandbox = "off"` in your zubi.toml starts it without the sandbox
    "#);
}

#[tokio::test]
async fn output_between_messages() {
    assert_snapshot!(run_calls("noise-between", "", &[hover(), hover()]).await, @"
    at a.hostile:1:1 alpha
    a word
    [hostile · ready]
    ────
    at a.hostile:1:1 alpha
    a word
    [hostile · ready]
    ");
}

#[tokio::test]
async fn endless_stderr_output() {
    assert_snapshot!(query_repeatedly("stderr-flood").await, @"
    at a.hostile:1:1 alpha
    a word
    [hostile · ready]
    ");
}

#[tokio::test]
async fn endless_notifications() {
    assert_snapshot!(query_repeatedly("flood").await, @"
    at a.hostile:1:1 alpha
    a word
    [hostile · ready]
    ");
}

#[tokio::test]
async fn endless_server_requests() {
    assert_snapshot!(query_repeatedly("ask-flood").await, @"
    at a.hostile:1:1 alpha
    a word
    [hostile · ready]
    ");
}

#[tokio::test]
async fn server_requests_without_reading_the_responses() {
    assert_snapshot!(run_calls("ask-deaf", "", &[hover()]).await, @"
    Failed to explain the symbol: hostile did not answer `textDocument/hover` within 2 s
    Retry: the server may be ready by then; zubi ends one that stays silent and starts it again.
    ");
}
