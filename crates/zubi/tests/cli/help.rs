//! The help of the commands, and of the tools.

use insta::assert_snapshot;

use crate::check::{Sandbox, check};
use crate::help_pages::{self, HelpPage};

#[test]
fn every_command_has_help() {
    let sandbox = Sandbox::new();
    let pages = help_pages::pages(|words| sandbox.check(words));
    let problems: Vec<String> = pages.iter().flat_map(HelpPage::problems).collect();
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    assert!(pages.iter().any(|page| page.command == ["agent", "run"]), "commands of commands have help");
}

#[test]
fn tools() {
    assert_snapshot!(check(&["--tools", "undo_edit,file.read", "tools", "list"]), @"
    exit 0
    --- stdout
    undo_edit  edit  write    Undo an edit
    file.read  file  read     Read a file
    ");
    assert_snapshot!(check(&["tools", "show", "undo_edit"]), @r#"
    exit 0
    --- stdout
    undo_edit: Undo an edit

    Reverts an applied edit, byte for byte.

    toolset edit, effect write

    Arguments:
      plan (string, required)  Applied p-… or a-…
      maxTokens (integer)  Answer size
      waitMs (integer)  For servers, default 30000
      format (string)  Default text

    Undo a rename:
      zubi call undo_edit --input '{"plan":"p-k3m7q2x9ab"}'
    "#);
    assert_snapshot!(check(&["call", "undo_edit", "--help"]), @"
    exit 0
    --- stdout
    Undo an edit

    Reverts an applied edit, byte for byte.

    Usage: zubi call undo_edit [OPTIONS]

    Options:
          --plan <TEXT>
              Applied p-… or a-…

          --maxTokens <NUMBER>
              Answer size

          --waitMs <NUMBER>
              For servers, default 30000

          --format <TEXT>
              Default text [possible values: text, json]

          --input <JSON>
              All arguments as a JSON object; - reads it from stdin

          --json
              Print JSON

      -h, --help
              Print help (see a summary with '-h')

    Examples:
      Undo a rename
        zubi call undo_edit --plan p-k3m7q2x9ab
    ");
}

#[test]
fn no_arguments_print_help() {
    let output = check(&[]);
    assert!(output.starts_with("exit 2\n--- stderr\nGives AI agents"), "{output}");
}

#[test]
fn json_is_json() {
    let sandbox = Sandbox::new();
    let output = sandbox.zubi().args(["tools", "list", "--json"]).output().unwrap();
    let tools: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    for tool in tools.as_array().unwrap() {
        assert_eq!(tool["inputSchema"]["type"], "object", "{tool}");
        assert!(tool["description"].as_str().unwrap().len() <= 1024);
    }
}
