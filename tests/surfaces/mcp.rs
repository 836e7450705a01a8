//! MCP: zubi's own description, its lists, its errors.

use std::fmt::Write as _;

use insta::assert_snapshot;
use rmcp::model::CallToolRequestParams;
use serde_json::json;
use zubi_tests::zubi::Start;
use zubi_tests::{Project, Zubi};

#[tokio::test]
async fn both_protocol_versions_give_equal_answers() {
    let project = Project::fixture("python");
    let start = Start::new(&project, &["ty"]);
    let (old, new) = (start.mcp().await, start.clone().stateless().mcp().await);
    for zubi in [&old, &new] {
        let server = zubi.server();
        let info = server.server_info.as_ref().expect("the server's name and version");
        assert_eq!((info.name.as_str(), info.version.as_str()), ("zubi", env!("CARGO_PKG_VERSION")));
    }
    assert_snapshot!(old.server().protocol_version, @"2025-11-25");
    assert_snapshot!(new.server().protocol_version, @"2026-07-28");
    let question = json!({ "symbol": "total_area" });
    assert_eq!(
        old.call_stable("lsp_references", question.clone()).await,
        new.call_stable("lsp_references", question).await
    );
    assert_eq!(old.tools().await, new.tools().await);
}

#[tokio::test]
async fn the_tool_list_is_small_and_describes_each_tool() {
    let project = Project::fixture("python");
    let zubi = Zubi::start(&project, &["ty"]).await;
    let tools = zubi.tools().await;
    let bytes = serde_json::to_string(&tools).expect("JSON").len();
    assert!(bytes <= 9_500, "the list has {bytes} bytes");
    let mut table = String::new();
    for tool in &tools {
        assert!(tool.output_schema.is_none(), "{} has an output schema", tool.name);
        let annotations = tool.annotations.as_ref().expect("annotations");
        let hints = [
            ("read-only", annotations.read_only_hint),
            ("destructive", annotations.destructive_hint),
            ("idempotent", annotations.idempotent_hint),
            ("open-world", annotations.open_world_hint),
        ];
        table.push_str(&tool.name);
        for (name, hint) in hints {
            write!(table, " {name}={}", hint.expect("all hints are set")).expect("writing to a string");
        }
        table.push('\n');
        assert!(tool.title.is_some() && tool.icons.is_some() && tool.meta.is_some(), "{tool:?}");
    }
    assert_snapshot!(table, @"
    lsp_definition read-only=true destructive=false idempotent=true open-world=false
    lsp_references read-only=true destructive=false idempotent=true open-world=false
    lsp_workspace_symbols read-only=true destructive=false idempotent=true open-world=false
    lsp_document_symbols read-only=true destructive=false idempotent=true open-world=false
    read_symbol read-only=true destructive=false idempotent=true open-world=false
    lsp_rename_symbol read-only=true destructive=false idempotent=true open-world=false
    lsp_diagnostics read-only=true destructive=false idempotent=true open-world=false
    apply_edit read-only=false destructive=false idempotent=true open-world=false
    undo_edit read-only=false destructive=false idempotent=true open-world=false
    edit_symbol read-only=false destructive=false idempotent=false open-world=false
    zubi_find_tools read-only=true destructive=false idempotent=true open-world=false
    zubi_call_read_tool read-only=true destructive=false idempotent=true open-world=false
    zubi_call_tool read-only=false destructive=true idempotent=false open-world=true
    ");
}

#[tokio::test]
async fn a_read_only_session_has_no_writing_tools() {
    let project = Project::fixture("python");
    let zubi = Start::new(&project, &["ty"]).arguments(&["--read-only"]).mcp().await;
    let names: Vec<_> = zubi.tools().await.into_iter().map(|tool| tool.name.into_owned()).collect();
    assert!(names.contains(&"lsp_rename_symbol".to_owned()), "planning is not writing: {names:?}");
    assert!(!names.contains(&"apply_edit".to_owned()) && !names.contains(&"undo_edit".to_owned()), "{names:?}");
    let arguments = json!({ "plan": "p-aaaaaaaaaa" }).as_object().cloned().unwrap_or_default();
    let request = CallToolRequestParams::new("apply_edit").with_arguments(arguments);
    let refusal = zubi.peer().call_tool(request).await.expect_err("the tool does not exist");
    assert_snapshot!(refusal, @"Mcp error: -32602: unknown tool `apply_edit`: it writes, and this session is read-only");
}

#[tokio::test]
async fn unlisted_tools_are_found_and_called() {
    let project = Project::fixture("python");
    let zubi = Start::new(&project, &["ty"]).arguments(&["--read-only"]).mcp().await;
    let found = zubi.call_stable("zubi_find_tools", json!({ "query": "everything about a symbol", "limit": 1 })).await;
    let line = found.lines().find(|line| line.starts_with("lsp_")).unwrap_or_default();
    assert_snapshot!(line, @"lsp_explain (read, toolset lsp): One symbol in one answer: type and documentation, definition with source, number of references with the first few, implementations and callers.");
    let question = json!({ "symbol": "total_area" });
    let direct = zubi.call_stable("lsp_explain", question.clone()).await;
    let delegated = json!({ "tool": "lsp_explain", "arguments": question });
    assert_eq!(zubi.call_stable("zubi_call_read_tool", delegated).await, direct);
    // A read-only session has no tool that calls tools that write, and no way around that.
    let write_arguments = json!({ "tool": "undo_edit", "arguments": { "plan": "p-aaaaaaaaaa" } });
    assert_snapshot!(zubi.call_refused("zubi_call_read_tool", write_arguments.clone()).await, @"
    Invalid input: tool: `undo_edit`: it writes, and this session is read-only
    `zubi_find_tools` lists the available tools.
    ");
    let request = CallToolRequestParams::new("zubi_call_tool")
        .with_arguments(write_arguments.as_object().cloned().unwrap_or_default());
    let refusal = zubi.peer().call_tool(request).await.expect_err("the tool does not exist");
    assert_snapshot!(refusal, @"Mcp error: -32602: unknown tool `zubi_call_tool`: it writes, and this session is read-only");
}

#[tokio::test]
async fn errors_name_the_next_step() {
    let project = Project::fixture("python");
    let zubi = Zubi::start(&project, &["ty"]).await;
    assert_snapshot!(zubi.call_refused("lsp_hover", json!({})).await, @r#"
    Invalid input: position: no position was given
    Give the position in exactly one of two ways:
      symbol: "Type/method" (optionally with path: "src/lib.rs")
      at: "src/lib.rs:12:5" (1-based, as answers print it) or at: "src/lib.rs:12 fn parse"
    "#);
    assert_snapshot!(zubi.call_refused("lsp_hover", json!({ "symbol": "totl_area" })).await, @r#"
    Invalid input: symbol: no symbol `totl_area` in the workspace
    Nearest names:
      symbol: "total_area"   at shapes/shape.py:35
    "#);
    // The name is right, and the folder is wrong.
    project.write("other/empty.py", "");
    assert_snapshot!(zubi.call_refused("lsp_hover", json!({ "symbol": "total_area", "path": "other" })).await, @r#"
    Invalid input: symbol: no symbol `total_area` in `other`
    Nearest names:
      at: "shapes/shape.py:35 total_area"
    "#);
    assert_snapshot!(zubi.call_refused("lsp_references", json!({ "symbol": "area" })).await, @r#"
    Invalid input: symbol: `area` names 3 symbols
    Use one of:
      symbol: "Shape/area"   method at shapes/shape.py:10:9  def area(self) -> float:
      symbol: "Circle/area"   method at shapes/shape.py:20:9  def area(self) -> float:
      symbol: "Rectangle/area"   method at shapes/shape.py:31:9  def area(self) -> float:
    "#);
    assert_snapshot!(zubi.call_refused("lsp_document_symbols", json!({ "path": "../secret.py" })).await, @"
    Invalid input: path: `../secret.py` does not exist in the workspace; paths are relative to `[project]`
    Give a path relative to the workspace folder, as answers print it; `lsp_workspace_symbols` finds places by name.
    ");
    assert_snapshot!(zubi.call_refused("lsp_document_symbols", json!({ "path": 7 })).await, @r#"
    Invalid input: path: expected string, got 7
    `path` (string): File, folder or pattern: src/**/*.rs Example: {"path":"src/console.py","depth":2}
    "#);
    assert_snapshot!(zubi.call_refused("lsp_rename_symbol", json!({ "symbol": "total_area", "newName": "1" })).await, @"
    Invalid input: newName: `1` is not a valid identifier
    Give an identifier of the language.
    ");
    assert_snapshot!(zubi.call_refused("apply_edit", json!({ "plan": "p-aaaaaaaaaa" })).await, @"
    Failed to apply the edit: there is no `p-[plan]` here; it is older than 24 hours or was never made
    Make the plan again with the tool that made it, look at the new diff, then apply that.
    ");
}

#[tokio::test]
async fn equivalent_ways_to_give_a_location() {
    let project = Project::fixture("python");
    let zubi = Zubi::start(&project, &["ty"]).await;
    let by_symbol = zubi.call_stable("lsp_hover", json!({ "symbol": "total_area" })).await;
    let by_line_and_column = zubi.call_stable("lsp_hover", json!({ "at": "shapes/shape.py:35:5" })).await;
    // The position is two lines off; the text in `at` corrects it.
    let by_text = zubi.call_stable("lsp_hover", json!({ "at": "shapes/shape.py:33 def total_area" })).await;
    let by_position =
        json!({ "uri": format!("file://{}/shapes/shape.py", project.root()), "line": 34, "character": 4 });
    let by_position = zubi.call_stable("lsp_hover", by_position).await;
    assert_snapshot!(by_symbol, @"
    at shapes/shape.py:35:5 total_area (function)
    ```python
    def total_area(
        first: Shape,
        second: Shape,
        scale: float
    ) -> float
    ```
    ---
    The area of two shapes together, `scale` times.
    [ty · ready]
    ");
    let first = |text: &str| text.lines().next().unwrap_or_default().to_owned();
    assert_snapshot!(first(&by_line_and_column), @"at shapes/shape.py:35:5 total_area");
    assert_snapshot!(first(&by_position), @"at shapes/shape.py:35:5 total_area");
    assert_snapshot!(first(&by_text), @"at shapes/shape.py:35:5 total_area (function); line repaired from 33");
    let rest = |text: &str| text.split_once('\n').map(|(_, rest)| rest.to_owned());
    for other in [by_line_and_column, by_position, by_text] {
        assert_eq!(rest(&other), rest(&by_symbol));
    }
}

#[tokio::test]
async fn an_untrusted_folder_runs_no_project_code() {
    let project = Project::fixture("rust");
    let zubi = Start::new(&project, &["rust-analyzer"]).without_trust().mcp().await;
    assert_snapshot!(zubi.call("lsp_hover", json!({ "symbol": "total_area" })).await.text, @"
    Failed to explain the symbol: rust-analyzer may not run here: the folder is not trusted
    `zubi trust [project]` allows it; it would run cargo and the compiler that the project names, its build scripts and its procedural macros
    ");
    assert_eq!(zubi_tests::processes::find_by_command("rust-analyzer"), Vec::new());
}

#[tokio::test]
async fn waiting_is_reported_as_progress() {
    let project = Project::copy_published("clap_builder");
    let zubi = Zubi::start(&project, &["rust-analyzer"]).await;
    zubi.call_stable("lsp_references", json!({ "symbol": "ArgGroup", "path": "src/builder/arg_group.rs", "limit": 1 }))
        .await;
    let progress = zubi.progress();
    assert!(progress.iter().any(|message| message.contains("rust-analyzer")), "{progress:?}");
}
