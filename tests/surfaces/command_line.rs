//! `zubi call` returns the same as MCP.

use insta::assert_snapshot;
use serde_json::{Value, json};
use zubi_tests::zubi::Start;
use zubi_tests::{Project, Zubi};

/// Returns the output of a call and its exit code. An error is on stderr, with the labels "error" and "hint", which the
/// returned text lacks.
fn call(project: &Project, tool: &str, input: &Value) -> (String, Option<i32>) {
    let mut command = Start::new(project, &["ty", "ruff"]).command();
    // Not the host of the concurrent session, which numbers snapshots differently.
    let output =
        command.args(["--host", "own", "call", tool, "--input", &input.to_string()]).output().expect("zubi starts");
    let (out, err) = (output.stdout, output.stderr);
    let text = if output.status.success() { out } else { [out, err].concat() };
    let text = String::from_utf8(text).expect("UTF-8");
    let strip_label = |line: &str| line.trim_start_matches("error: ").trim_start_matches("hint: ").to_owned();
    (text.lines().map(strip_label).collect::<Vec<_>>().join("\n"), output.status.code())
}

#[tokio::test]
async fn calls_and_mcp_give_the_same_text() {
    let project = Project::fixture("python");
    let zubi = Zubi::start(&project, &["ty", "ruff"]).await;
    let calls = [
        ("lsp_document_symbols", json!({ "path": "shapes/shape.py", "wait": "ready" })),
        ("lsp_workspace_symbols", json!({ "query": "Circle" })),
        ("lsp_definition", json!({ "at": "shapes/report.py:10 total_area" })),
        ("lsp_references", json!({ "symbol": "total_area" })),
        ("lsp_hover", json!({ "symbol": "total_area" })),
        ("lsp_completion", json!({ "at": "shapes/report.py:16:25" })),
        ("lsp_signature_help", json!({ "at": "shapes/report.py:10:36" })),
        ("lsp_rename_symbol", json!({ "symbol": "total_area", "newName": "combined_area" })),
        ("lsp_format_document", json!({ "path": "shapes/messy.py" })),
        ("lsp_code_actions", json!({ "path": "shapes/broken.py" })),
        ("lsp_diagnostics", json!({ "path": "shapes/broken.py" })),
        ("lsp_references", json!({ "symbol": "total_area", "format": "json" })),
        ("lsp_hover", json!({ "symbol": "totl_area" })),
        ("lsp_hover", json!({ "symbol": 7 })),
    ];
    for (tool, input) in calls {
        let over_mcp = zubi.call(tool, input.clone()).await;
        let (printed, code) = call(&project, tool, &input);
        assert_eq!(zubi.stable(&printed), over_mcp.text, "{tool} {input}");
        assert_eq!(code == Some(0), !over_mcp.is_error, "{tool} {input}: exit code {code:?}");
    }
}

#[tokio::test]
async fn flags_and_json_input_are_equivalent() {
    let project = Project::fixture("python");
    let mut command = Start::new(&project, &["ty", "ruff"]).command();
    let flags = ["call", "lsp_references", "--symbol", "total_area", "--includeDeclaration", "false"];
    let output = command.args(flags).output().expect("zubi starts");
    let input = json!({ "symbol": "total_area", "includeDeclaration": false });
    let (expected, _) = call(&project, "lsp_references", &input);
    assert_eq!(String::from_utf8_lossy(&output.stdout).trim_end(), expected);
    assert_snapshot!(expected, @r#"
    at shapes/shape.py:35:5 total_area (function)
    1 reference to `total_area` in 1 file
    shapes/report.py
      10:17  return f"📐 {total_area(circle, square, 1.0)} and {circle.area()}"
    1 further word match in comments or strings: includeText=true
    [ty · ready]
    "#);
}

#[test]
fn exit_codes_distinguish_the_failures() {
    let project = Project::fixture("python");
    let code = |arguments: &[&str]| {
        let output = Start::new(&project, &[]).command().args(arguments).output().expect("zubi starts");
        output.status.code()
    };
    assert_eq!(code(&["tools", "list"]), Some(0));
    assert_eq!(code(&["call", "no_such_tool"]), Some(2));
    assert_eq!(code(&["call", "lsp_hover", "--input", "{not json"]), Some(2));
    assert_eq!(code(&["call", "lsp_hover", "--input", "{}"]), Some(2));
    assert_eq!(code(&["no-such-command"]), Some(2));
    // PATH has no server for Python.
    assert_eq!(code(&["call", "lsp_hover", "--symbol", "total_area"]), Some(3));
}
