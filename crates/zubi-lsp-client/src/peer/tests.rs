//! Tests of `peer`.

use insta::assert_json_snapshot;
use serde_json::json;
use zubi_base::endpoint::EditCapture;

use crate::testing::TestWorkspace;

/// Returns the answer that a server gets for a request, without the workspace's path.
async fn answer(method: &str, params: serde_json::Value) -> serde_json::Value {
    let workspace = TestWorkspace::new(&[]);
    let (_session, mut server) = workspace.start(json!({})).await;
    let answer = match server.request(method, params).await {
        Ok(answer) => answer,
        Err(error) => json!({ "error": error.code }),
    };
    serde_json::from_str(&answer.to_string().replace(workspace.root.as_str(), "/W")).unwrap()
}

#[tokio::test]
async fn every_request_of_a_server_is_answered() {
    let items = json!([
        { "section": "fake" }, { "section": "fake.deep.value" }, { "section": "fake.dotted" }, { "section": "none" },
        { "scopeUri": "file:///x" },
    ]);
    assert_json_snapshot!(answer("workspace/configuration", json!({ "items": items })).await, @r#"
    [
      {
        "deep": {
          "value": 1
        }
      },
      1,
      2,
      null,
      {
        "fake": {
          "deep": {
            "value": 1
          }
        },
        "fake.dotted": 2
      }
    ]
    "#);
    assert_json_snapshot!(answer("workspace/configuration", json!(null)).await, @"[]");
    assert_json_snapshot!(answer("workspace/workspaceFolders", json!(null)).await, @r#"
    [
      {
        "uri": "file:///W",
        "name": "w"
      }
    ]
    "#);
    assert_json_snapshot!(answer("window/showDocument", json!({ "uri": "file:///x" })).await, @r#"
    {
      "success": false
    }
    "#);
    assert_json_snapshot!(answer("workspace/applyEdit", json!({ "edit": { "changes": {} } })).await, @r#"
    {
      "applied": false,
      "failureReason": "no edit was requested"
    }
    "#);
    assert_json_snapshot!(answer("tsserver/request", json!([1])).await, @r#"
    {
      "error": -32601
    }
    "#);
    for method in [
        "client/registerCapability",
        "client/unregisterCapability",
        "window/showMessageRequest",
        "window/workDoneProgress/create",
        "workspace/codeLens/refresh",
        "workspace/diagnostic/refresh",
        "workspace/foldingRange/refresh",
        "workspace/inlayHint/refresh",
        "workspace/inlineValue/refresh",
        "workspace/semanticTokens/refresh",
        "workspace/textDocumentContent/refresh",
    ] {
        assert_eq!(answer(method, json!(null)).await, json!(null), "{method}");
    }
}

#[tokio::test]
async fn edits_are_captured_only_during_a_capture() {
    let workspace = TestWorkspace::new(&[]);
    let (session, mut server) = workspace.start(json!({})).await;
    let edit = json!({ "edit": { "changes": { "file:///w/a.rs": [] } } });
    let capture = EditCapture::default();
    session.peer().capture(Some(capture.clone()));
    assert_json_snapshot!(server.request("workspace/applyEdit", edit.clone()).await.unwrap(), @r#"
    {
      "applied": true
    }
    "#);
    assert_json_snapshot!(server.request("workspace/applyEdit", json!({ "edit": { "changes": 3 } })).await.unwrap(), @r#"
    {
      "applied": false,
      "failureReason": "the edit cannot be read"
    }
    "#);
    session.peer().capture(None);
    assert_eq!(server.request("workspace/applyEdit", edit).await.unwrap()["applied"], json!(false));
    assert_eq!(capture.take().len(), 1);
}

#[tokio::test]
async fn log_messages_are_stored_and_cleaned() {
    let workspace = TestWorkspace::new(&[]);
    let (session, mut server) = workspace.start(json!({})).await;
    server.notify("window/logMessage", json!({ "type": 3, "message": "\u{1b}[1mone\u{1b}[0m" })).await;
    server.notify("window/showMessage", json!({ "type": 1, "message": "two" })).await;
    server.notify("window/logMessage", json!({ "type": 3 })).await;
    server.notify("telemetry/event", json!([1, 2])).await;
    // Answered after everything before it was handled.
    server.request("workspace/workspaceFolders", json!(null)).await.unwrap();
    assert_eq!(session.peer().log.last(10), ["one", "two"]);
}

#[tokio::test]
async fn stored_data_of_a_server_is_bounded() {
    let many = json!({ "items": vec![json!({}); 10_000] });
    assert_eq!(answer("workspace/configuration", many).await.as_array().unwrap().len(), 200);

    let workspace = TestWorkspace::new(&[]);
    let (session, mut server) = workspace.start(json!({})).await;
    let capture = EditCapture::default();
    session.peer().capture(Some(capture.clone()));
    let mut applied = 0;
    for _ in 0..110 {
        let edit = json!({ "edit": { "changes": {} } });
        applied += i32::from(server.request("workspace/applyEdit", edit).await.unwrap()["applied"] == json!(true));
    }
    assert_eq!((applied, capture.take().len()), (100, 100));

    session.peer().expect_partial(&json!("t"));
    for _ in 0..80 {
        let part = json!({ "token": "t", "value": ["x".repeat(1024 * 1024)] });
        server.notify("$/progress", part).await;
    }
    server.request("workspace/workspaceFolders", json!(null)).await.unwrap();
    assert_eq!(session.peer().take_partial(&json!("t")).len(), 63);
}
