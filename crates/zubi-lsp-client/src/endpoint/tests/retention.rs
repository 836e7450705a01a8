//! Tests of the time for which a server stays alive.

use insta::assert_snapshot;

use super::*;

#[tokio::test]
async fn a_silent_server_is_ended_after_the_second_request() {
    let mut fixture =
        Fixture::with_timeouts(TestWorkspace::new(&[]), Duration::from_mins(30), Duration::from_millis(200));
    let capabilities = json!({ "hoverProvider": true });
    let request = fixture.request("textDocument/hover", cx());
    let mut server = fixture.server(capabilities.clone()).await;
    server.expect_request("textDocument/hover").await;
    assert_snapshot!(request.await.unwrap().unwrap_err(), @"fake did not answer `textDocument/hover` within 0 s");
    server.expect_notification("$/cancelRequest").await;
    // The server sends a message at last: it is slow, not dead.
    server.request("workspace/workspaceFolders", Value::Null).await.unwrap();
    for expected in ["did not answer", "was ended"] {
        let error = fixture.request("textDocument/hover", cx()).await.unwrap().unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
    // The next request starts a new one.
    let request = fixture.request("textDocument/hover", cx());
    let mut server = fixture.server(capabilities).await;
    let (id, _) = server.expect_request("textDocument/hover").await;
    server.reply(id, json!("alive")).await;
    assert_eq!(request.await.unwrap().unwrap(), json!("alive"));
}

#[tokio::test]
async fn reported_waiting_time_includes_the_start() {
    let limit = Duration::from_millis(400);
    let mut fixture = Fixture::with_timeouts(TestWorkspace::new(&[]), Duration::from_mins(30), limit);
    let request = fixture.request("textDocument/hover", cx());
    // Half of the time is used up before a request can be sent.
    tokio::time::sleep(limit / 2).await;
    let mut server = fixture.server(json!({ "hoverProvider": true })).await;
    server.expect_request("textDocument/hover").await;
    match request.await.unwrap() {
        Err(EndpointError::TimedOut { after, .. }) => assert!(after >= limit, "{after:?} of {limit:?}"),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn an_idle_server_is_shut_down_and_restarted_with_its_documents() {
    let mut fixture = Fixture::with_timeouts(
        TestWorkspace::new(&[("a.rs", "fn a() {}")]),
        Duration::from_millis(200),
        Duration::from_mins(1),
    );
    let capabilities = json!({ "textDocumentSync": 1, "hoverProvider": true });
    let document_cx = cx().for_document(&DocumentRef::new(fixture.workspace.path("a.rs")));
    let request = fixture.request("textDocument/hover", document_cx.clone());
    let mut server = fixture.server(capabilities.clone()).await;
    server.expect_notification("textDocument/didOpen").await;
    let (id, _) = server.expect_request("textDocument/hover").await;
    server.reply(id, json!(1)).await;
    request.await.unwrap().unwrap();
    let (id, _) = server.expect_request("shutdown").await;
    server.reply(id, Value::Null).await;
    server.expect_notification("exit").await;
    drop(server);
    assert_eq!(fixture.endpoint.readiness(), Readiness::Starting);
    let request = fixture.request("textDocument/hover", document_cx);
    let mut server = fixture.server(capabilities).await;
    server.expect_notification("textDocument/didOpen").await;
    let (id, _) = server.expect_request("textDocument/hover").await;
    server.reply(id, json!(2)).await;
    assert_eq!(request.await.unwrap().unwrap(), json!(2));
}
