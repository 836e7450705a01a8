//! Layers of settings, as a user sees them.

use insta::assert_snapshot;

use crate::check::Sandbox;

/// The ids of the available tools.
fn tools(sandbox: &Sandbox, words: &[&str]) -> String {
    let output = sandbox.zubi().args(words).args(["tools", "list"]).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().filter_map(|line| line.split_whitespace().next()).collect::<Vec<_>>().join(" ")
}

#[test]
fn every_layer_narrows_the_list() {
    let sandbox = Sandbox::new();
    assert!(tools(&sandbox, &[]).contains("apply_edit"));
    assert!(!tools(&sandbox, &["--read-only"]).contains("apply_edit"));
    assert_eq!(tools(&sandbox, &["--tools", "lsp_hover,apply_*"]), "lsp_hover apply_edit");
    sandbox.write("config/zubi/zubi.toml", "tools = ['lsp_hover', 'lsp_definition']\n");
    assert_eq!(tools(&sandbox, &[]), "lsp_definition lsp_hover");
    assert_eq!(tools(&sandbox, &["--tools", "lsp_references"]), "lsp_references", "a flag beats the file");
    // An untrusted workspace can remove tools but not add any.
    sandbox.write("work/.zubi.toml", "tools = ['lsp_hover', 'lsp_references']\n");
    assert_eq!(tools(&sandbox, &[]), "lsp_hover");
    assert_eq!(tools(&sandbox, &["--trust"]), "lsp_references lsp_hover");
}

#[test]
fn disabled_tool_is_refused() {
    let sandbox = Sandbox::new();
    assert_snapshot!(sandbox.check(&["--read-only", "call", "apply_edit", "--plan", "p-1"]), @"
    exit 2
    --- stderr
    error: unknown tool `apply_edit`: it writes, and this session is read-only
    hint: `zubi tools list` lists the tools.
    ");
    assert_snapshot!(sandbox.check(&["--tools", "lsp_hoover", "call", "lsp_hover", "--at", "x"]), @"
    exit 2
    --- stderr
    error: there is no tool `lsp_hoover` (command line)
    Did you mean `lsp_hover`? `zubi tools list` lists the tools.
    ");
}

#[test]
fn config_errors_are_reported_with_location() {
    let sandbox = Sandbox::new();
    sandbox.write("config/zubi/zubi.toml", "read-only = true\ntoolz = []\n");
    assert_snapshot!(sandbox.check(&["tools", "list"]), @"
    exit 2
    --- stderr
    error: [PLACE]/config/zubi/zubi.toml:2:1: unknown setting `toolz`; did you mean `tools`?
    ");
    let sandbox = Sandbox::new();
    sandbox.write("work/.zubi.toml", "allow = ['*']\nread-only = false\n");
    assert_snapshot!(sandbox.check(&["tools", "show", "undo_edit", "--json"]).split_once("--- stderr").unwrap().1, @"
    warning: `read-only` in `[PLACE]/work/.zubi.toml` has no effect until the file is trusted (`zubi trust`)
    warning: `allow` in `[PLACE]/work/.zubi.toml` has no effect until the file is trusted (`zubi trust`)
    ");
}
