//! The port, which is read-only.

use serde_json::json;
use zubi_ipc::wire::methods::{METHODS, Sender};

use crate::world::World;

#[tokio::test(flavor = "multi_thread")]
async fn the_port_is_read_only() {
    let world = World::new(&[], "");
    let client = world.on_port().await;
    let listed = client.request("tools/list", json!(null)).await.unwrap();
    let effects: Vec<_> = listed["tools"].as_array().unwrap().iter().map(|tool| tool["effect"].clone()).collect();
    assert!(!effects.is_empty() && effects.iter().all(|effect| effect == "read"), "{effects:?}");
    let read =
        client.request("tools/call", json!({ "tool": "file.read", "arguments": { "path": "a.py" } })).await.unwrap();
    assert!(read["text"].as_str().unwrap().contains("def parse"), "{read}");
    // A client's own claims do not change that.
    let call = json!({
        "tool": "file.write", "arguments": { "path": "x", "content": "" }, "surface": "command-line", "asks": true,
        "token": 1, "clientAsks": true, "restrictions": { "readOnly": false }
    });
    insta::assert_snapshot!(client.request_error("tools/call", call).await, @"-32602 [tool]: unknown tool `file.write`: it writes, and this session is read-only");
    let plan = json!({ "tool": "lsp_rename_symbol", "arguments": { "symbol": "parse", "newName": "read" } });
    insta::assert_snapshot!(client.request_error("tools/call", plan).await, @"-32000: `lsp_rename_symbol`, which does more than read, is not available over the port; connect to the host's socket");
    for method in METHODS.iter().filter(|method| method.sender == Sender::Client && !method.over_port) {
        let refused = client.request_error(method.name, json!({})).await;
        assert!(refused.starts_with("-32000: "), "{}: {refused}", method.name);
    }
    assert!(!world.root.join("work/x").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn invalid_requests_are_rejected_with_the_field() {
    let world = World::new(&[], "");
    let client = world.client(|_, _| json!(null)).await;
    let mut errors = String::new();
    for (method, params) in [
        ("getDiagnosis", json!(null)),
        ("getDiagnostics", json!({})),
        ("getDiagnostics", json!({ "path": 3 })),
        ("getDiagnostics", json!({ "path": "/etc/passwd" })),
        ("getDiagnostics", json!({ "path": "../state/x" })),
        ("getAllDiagnostics", json!({ "severity": "fatal" })),
        ("executeCommand", json!({ "command": "workbench.action.terminal.new" })),
        ("tools/call", json!({})),
        ("tools/call", json!({ "tool": "file.read", "arguments": [], "budget": -1 })),
        ("tools/call", json!({ "tool": "absent" })),
        ("tools/list", json!({ "restrictions": { "tools": "x" } })),
    ] {
        errors.push_str(&client.request_error(method, params).await);
        errors.push('\n');
    }
    insta::assert_snapshot!(errors.replace(world.root.as_str(), "ROOT"), @r#"
    -32601: there is no method `getDiagnosis`
    -32602 [path]: Invalid params: path: missing; name a file with `path` or `uri`
    -32602 [path]: Invalid params: path: invalid type: integer `3`, expected a string
    -32001 [path]: `/etc/passwd` is not in this workspace: ROOT/work
    -32001 [path]: `../state/x` is not in this workspace: ROOT/work
    -32602 [severity]: Invalid params: severity: unknown variant `fatal`, expected one of `error`, `warning`, `info`, `hint`
    -32002 [command]: `workbench.action.terminal.new` is not allowed here; allowed: zubi.validateFile, zubi.validateWorkspace, zubi.refreshViews, zubi.restart, workbench.action.problems.focus, editor.action.marker.next, editor.action.marker.prev
    -32602 [tool]: missing field `tool`
    -32602 [budget]: invalid value: integer `-1`, expected usize
    -32602 [tool]: unknown tool `absent`: there is no such tool
    -32602 [restrictions.tools]: invalid type: string "x", expected a sequence
    "#);
}
