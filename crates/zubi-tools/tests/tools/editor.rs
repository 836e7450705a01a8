//! Answers of the tool `editor` to a model.

use std::sync::Arc;

use serde_json::{Value, json};
use zubi_code::testing::Toy;
use zubi_policy::Policy;
use zubi_tool_api::audit::NoAudit;
use zubi_tool_api::cx::Restrictions;
use zubi_tool_api::filter::ToolFilter;
use zubi_tool_api::registry::{Registry, RegistryConfig};
use zubi_tools::editor;

use crate::editor_state::{BAD, fake_editor, service};
use crate::support::{call_in, cx};

/// Calls the tool with or without an editor.
async fn call(has_editor: bool, args: Value) -> String {
    let toy = Toy::new(BAD);
    let client = has_editor.then(|| Arc::new(fake_editor(&toy)) as Arc<dyn zubi_tools::editor_state::EditorClient>);
    let registry = Registry::new(RegistryConfig {
        providers: vec![editor::provider(&service(&toy, client))],
        policy: Policy::new(ToolFilter::default()),
        audit: Arc::new(NoAudit),
        clock: Arc::new(zubi_base::clock::SystemClock),
        restrictions: Restrictions::default(),
    });
    let answer = call_in(&registry, "editor", args, cx(&toy, Restrictions::default())).await;
    answer.replace(toy.root.as_str(), "[root]")
}

#[tokio::test]
async fn editor_state_is_rendered() {
    let run = |command: &str| call(true, json!({ "command": command }));
    insta::assert_snapshot!(run("status").await, @"
    Test Editor 1 is connected
    host: editor
    folders:
      [root]
    [editor]
    ");
    insta::assert_snapshot!(run("ping").await, @"
    the host answers
    [zubi]
    ");
    insta::assert_snapshot!(run("open_files").await, @"
    1 file open
      a.toy  toy, 3 lines, not saved
    [editor · open files outside the workspace, not listed: 1]
    ");
    insta::assert_snapshot!(run("active_file").await, @"
    a.toy:2:3  toy, 3 lines, not saved
    1 error, 1 warning in `a.toy`
      1:3  warning: it is bad  [toy 7]
      3:3  error: it is bad  [toy 7]
    [editor]
    ");
    insta::assert_snapshot!(run("errors_summary").await, @"
    2 errors in 2 files, 1 warning in 1 file, infos and hints: 0
    by source: lint 1, toy 2
    most errors:
      a.toy  1 error, 1 warning
      deep/b.toy  1 error, 0 warnings
    [editor · from the editor: most of its servers check only open files; validating a file opens it]
    ");
    insta::assert_snapshot!(run("all_diagnostics").await, @"
    3 problems in 2 files
    a.toy
      1:3  warning: it is bad  [toy 7]
      3:3  error: it is bad  [toy 7]
    deep/b.toy
      1:3  error: it is bad  [lint 7]
    [editor · from the editor: most of its servers check only open files; validating a file opens it]
    ");
    insta::assert_snapshot!(call(true, json!({ "command": "diagnostics", "path": "good.toy" })).await, @"
    no problem is known in `good.toy`
    [editor · the file is not open in the editor, so it may be unchecked; validating it opens it]
    ");
    insta::assert_snapshot!(call(true, json!({ "command": "validate_file", "path": "deep/b.toy" })).await, @"
    1 error in `deep/b.toy`
      1:3  error: it is bad  [lint 7]
    [editor]
    ");
    let one = json!({ "command": "all_diagnostics", "limit": 1, "severity": "error" });
    insta::assert_snapshot!(call(true, one).await, @"
    2 problems in 2 files
    a.toy
      3:3  error: it is bad  [toy 7]
    … 1 more file: raise `limit`, or narrow with `severity` or `source`, or raise `maxTokens`
    [editor · from the editor: most of its servers check only open files; validating a file opens it]
    ");
}

#[tokio::test]
async fn servers_answer_without_an_editor() {
    let run = |command: &str| call(false, json!({ "command": command }));
    insta::assert_snapshot!(run("status").await, @"
    no editor is connected; language servers provide the diagnostics
    host: daemon
    folders:
      [root]
    [no editor]
    ");
    insta::assert_snapshot!(run("open_files").await, @"
    0 files open
    [no editor · no editor is connected, so no file is open in one]
    ");
    insta::assert_snapshot!(run("active_file").await, @"
    no file is active
    [no editor · no editor is connected]
    ");
    insta::assert_snapshot!(run("errors_summary").await, @"
    3 errors in 2 files, 0 warnings in 0 files, infos and hints: 0
    by source: toy 3
    most errors:
      a.toy  2 errors, 0 warnings
      deep/b.toy  1 error, 0 warnings
    [language servers, no editor · 3 of 3 files checked · the toy library was not read]
    ");
    insta::assert_snapshot!(run("all_diagnostics").await, @"
    3 problems in 2 files
    a.toy
      2:1  error: this is bad  [toy]
      3:1  error: this is bad  [toy]
    deep/b.toy
      1:1  error: this is bad  [toy]
    [language servers, no editor · 3 of 3 files checked · the toy library was not read]
    ");
    insta::assert_snapshot!(call(false, json!({ "command": "diagnostics", "path": "notes.txt" })).await, @"
    no problem is known in `notes.txt`
    [no language server, no editor · no server for .txt: Add a catalogue row.]
    ");
    insta::assert_snapshot!(call(false, json!({ "command": "validate_file", "path": "good.toy" })).await, @"
    no problems in `good.toy`
    [language servers, no editor · 1 of 1 file checked]
    ");
}

#[tokio::test]
async fn json_is_the_object_of_the_protocol() {
    let run = |args: Value| call(false, args);
    insta::assert_snapshot!(run(json!({ "command": "status", "format": "json" })).await, @r#"{"available":false,"message":"no editor is connected; language servers provide the diagnostics","kind":"daemon","workspaceFolders":["[root]"]}"#);
    insta::assert_snapshot!(run(json!({ "command": "validate_file", "path": "deep/b.toy", "format": "json" })).await, @r#"{"uri":"file://[root]/deep/b.toy","path":"[root]/deep/b.toy","languageId":"toy","diagnostics":[{"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":3}},"message":"this is bad","severity":"error","source":"toy"}],"coverage":{"analysed":1,"total":1,"mode":"headless","note":"the toy library was not read"}}"#);
}

#[tokio::test]
async fn invalid_arguments_are_rejected() {
    let run = |args: Value| call(false, args);
    insta::assert_snapshot!(run(json!({ "command": "execute" })).await, @r#"
    Invalid input: command: expected one of "status", "ping", "diagnostics", "all_diagnostics", "errors_summary", "validate_file", "open_files", "active_file", got "execute"
    `command` ("status"|"ping"|"diagnostics"|"all_diagnostics"|"errors_summary"|"validate_file"|"open_files"|"active_file"): Which state to show Example: {"command":"all_diagnostics","severity":"error"}
    "#);
    insta::assert_snapshot!(run(json!({ "command": "diagnostics" })).await, @"
    Invalid input: path: missing
    Name the file, relative to the workspace folder.
    ");
    insta::assert_snapshot!(run(json!({ "command": "open_files", "path": "a.toy" })).await, @"
    Invalid input: path: only valid with diagnostics and validate_file
    Leave it out, or give another command.
    ");
    insta::assert_snapshot!(run(json!({ "command": "errors_summary", "severity": "error" })).await, @"
    Invalid input: severity: only valid with all_diagnostics
    Leave it out, or give another command.
    ");
    insta::assert_snapshot!(run(json!({ "command": "all_diagnostics", "severity": "fatal" })).await, @"
    Invalid input: severity: no severity `fatal`
    Use error, warning, info or hint.
    ");
    insta::assert_snapshot!(run(json!({ "command": "diagnostics", "path": "/etc/hosts" })).await, @"
    Invalid input: path: `/etc/hosts` is not in this workspace: [root]
    Give a path relative to the workspace folder, as answers print it.
    ");
    insta::assert_snapshot!(run(json!({ "command": "diagnostics", "path": "none.toy" })).await, @"
    Invalid input: path: `none.toy` does not exist in the workspace; paths are relative to `[root]`
    Give a path relative to the workspace folder, as answers print it.
    ");
}
