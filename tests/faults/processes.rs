//! Servers that crash, hang, flood and make noise.

use insta::assert_snapshot;

use crate::harness::{face, hover, query_repeatedly};

#[tokio::test]
async fn one_that_crashes_at_its_start() {
    assert_snapshot!(face("crash-at-start", "", &[hover(), hover(), hover()]).await, @"
    Failed to explain the symbol: hostile is not running: the process ended (exit status: 3); it wrote: cannot load its data
    it failed several times in a row and is started again only after [pause] s; try `[hostile]` by hand
    ────
    Failed to explain the symbol: hostile is not running: the process ended (exit status: 3); it wrote: cannot load its data
    it failed several times in a row and is started again only after [pause] s; try `[hostile]` by hand
    ────
    Failed to explain the symbol: hostile is not running: the process ended (exit status: 3); it wrote: cannot load its data
    it failed several times in a row and is started again only after [pause] s; try `[hostile]` by hand
    ");
}

#[tokio::test]
async fn one_that_never_answers_the_handshake() {
    assert_snapshot!(face("silent-at-start", "", &[hover()]).await, @"
    Failed to explain the symbol: hostile is not running: `initialize` failed: no answer within 2 s
    it failed several times in a row and is started again only after [pause] s; try `[hostile]` by hand
    ");
}

#[tokio::test]
async fn one_that_crashes_in_the_middle_of_an_answer() {
    assert_snapshot!(face("crash-in-answer", "", &[hover(), hover()]).await, @"
    Failed to explain the symbol: hostile is not running: the process ended (exit status: 7)
    it failed several times in a row and is started again only after [pause] s; retry the request then
    ────
    Failed to explain the symbol: hostile is not running: the process ended (exit status: 7)
    it failed several times in a row and is started again only after [pause] s; retry the request then
    ");
}

#[tokio::test]
async fn one_that_crashes_at_every_third_question() {
    let questions = [hover(), hover(), hover(), hover(), hover(), hover()];
    assert_snapshot!(face("crash-at-every-third", "", &questions).await, @"
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
async fn one_that_never_answers_is_ended_after_the_second_time() {
    assert_snapshot!(face("hang", "", &[hover(), hover()]).await, @"
    Failed to explain the symbol: hostile did not answer `textDocument/hover` within 2 s
    Retry: the server may be ready by then; zubi ends one that stays silent and starts it again.
    ────
    Failed to explain the symbol: hostile is not running: it sent no message while two requests ran out of time, and was ended
    retry the request: zubi starts the server again
    ");
}

#[tokio::test]
async fn one_that_closes_its_output_and_stays_is_ended_at_once() {
    assert_snapshot!(face("closes-output", "", &[hover(), hover()]).await, @"
    Failed to explain the symbol: hostile is not running: it closed its output but continued to run, so it was ended
    it failed several times in a row and is started again only after [pause] s; retry the request then
    ────
    Failed to explain the symbol: hostile is not running: it closed its output but continued to run, so it was ended
    it failed several times in a row and is started again only after [pause] s; retry the request then
    ");
}

#[tokio::test]
async fn one_that_prints_something_else_without_end() {
    assert_snapshot!(face("noise-only", "", &[hover()]).await, @"
    Failed to explain the symbol: hostile is not running: it writes something that is not the protocol: ! | ! | ! | ! | !; the process ended (exit status: 0)
    it failed several times in a row and is started again only after [pause] s; try `[hostile]` by hand
    ");
}

#[tokio::test]
async fn one_that_prints_between_its_messages() {
    assert_snapshot!(face("noise-between", "", &[hover(), hover()]).await, @"
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
async fn one_that_writes_to_its_standard_error_without_end() {
    assert_snapshot!(query_repeatedly("stderr-flood").await, @"
    at a.hostile:1:1 alpha
    a word
    [hostile · ready]
    ");
}

#[tokio::test]
async fn one_that_floods_with_notifications() {
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
    assert_snapshot!(face("ask-deaf", "", &[hover()]).await, @"
    Failed to explain the symbol: hostile did not answer `textDocument/hover` within 2 s
    Retry: the server may be ready by then; zubi ends one that stays silent and starts it again.
    ");
}
