//! `zubi ipc` without a running host: the process itself is the host.

use insta::assert_snapshot;
use serde_json::Value;

use crate::check::Sandbox;

/// The ids in the result of `tools/list`.
fn list_tools(sandbox: &Sandbox, words: &[&str], params: &str) -> String {
    let output = sandbox.zubi().args(words).args(["ipc", "tools/list", "--params", params]).output().unwrap();
    let list: Value = serde_json::from_slice(&output.stdout).unwrap();
    let tools = list["tools"].as_array().unwrap();
    tools.iter().map(|tool| tool["id"].as_str().unwrap()).collect::<Vec<_>>().join(" ")
}

#[test]
fn flags_and_settings_narrow_what_is_listed() {
    let sandbox = Sandbox::new();
    assert!(list_tools(&sandbox, &[], "{}").contains("apply_edit"));
    assert!(!list_tools(&sandbox, &["--read-only"], "{}").contains("apply_edit"));
    let restrictions = r#"{"restrictions": {"tools": [["lsp_hover", "lsp_references"]]}}"#;
    assert_eq!(list_tools(&sandbox, &["--tools", "lsp_hover,lsp_definition"], restrictions), "lsp_hover");
    let open = r#"{"restrictions": {"readOnly": false}}"#;
    assert!(
        !list_tools(&sandbox, &["--read-only"], open).contains("apply_edit"),
        "parameters cannot lift a flag's restriction"
    );
    sandbox.write("config/zubi/zubi.toml", "tools = ['lsp_hover']\n");
    assert_eq!(list_tools(&sandbox, &[], "{}"), "lsp_hover");
    assert_eq!(list_tools(&sandbox, &[], open), "lsp_hover");
}

#[test]
fn invalid_ipc_requests_are_refused_with_a_hint() {
    let sandbox = Sandbox::new();
    for method in ["executeCommand", "tools/register", "host/shutdown"] {
        let output = sandbox.check(&["--read-only", "ipc", method]);
        assert!(output.starts_with("exit 2") && output.contains("this session is read-only"), "{output}");
    }
    assert_snapshot!(sandbox.check(&["ipc", "tools/register", "--params", "{\"client\": \"a\"}"]), @"
    exit 2
    --- stderr
    error: no host is running, and tools registered by this command would end with it
    hint: Start one with `zubi serve --detach`, and register from a program that stays connected.
    ");
    assert_snapshot!(sandbox.check(&["--read-only", "ipc", "tools/call", "--params", "[{}]"]), @"
    exit 2
    --- stderr
    error: the parameters of `tools/call` must be an object
    ");
    assert_snapshot!(sandbox.check(&["--read-only", "ipc", "tools/find", "--params", r#"{"name": "apply_edit"}"#]), @r"
    exit 2
    --- stderr
    error: unknown tool `apply_edit`: it writes, and this session is read-only
    ");
    assert_snapshot!(sandbox.check(&["ipc", "resources/read", "--params", r#"{"uri": "zubi://nothing"}"#]), @"
    exit 1
    --- stderr
    error: unknown resource
    hint: `zubi ipc resources/list` lists the resources.
    ");
    assert_snapshot!(sandbox.check(&["ipc", "ping", "--timeout", "18446744073709551615"]), @r"
    exit 2
    --- stderr
    error: invalid value '18446744073709551615' for '--timeout <SECONDS>': 18446744073709551615 is not in 1..=86400

    For more information, try '--help'.
    ");
}

#[test]
fn a_tool_that_fails_is_a_negative_answer() {
    let sandbox = Sandbox::new();
    let params = r#"{"tool": "apply_edit", "arguments": {"plan": "p-none"}}"#;
    let output = sandbox.zubi().args(["ipc", "tools/call", "--params", params]).output().unwrap();
    let result: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((output.status.code(), &result["isError"]), (Some(1), &Value::Bool(true)), "{result}");
}
