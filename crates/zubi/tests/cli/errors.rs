//! Error messages and exit codes.

use insta::assert_snapshot;

use crate::check::{Sandbox, check};

#[test]
fn wrong_usage() {
    assert_snapshot!(check(&["cal"]), @"
    exit 2
    --- stderr
    error: unrecognized subcommand 'cal'

      tip: a similar subcommand exists: 'call'

    Usage: zubi [OPTIONS] <COMMAND>

    For more information, try '--help'.
    ");
    assert_snapshot!(check(&["call"]), @r#"
    exit 2
    --- stderr
    Call one tool and print its result

    Usage: zubi call [OPTIONS] TOOL [--ARGUMENT VALUE]… [--input JSON | --input -] [--json]

    Options:
          --workspace <DIR>  Workspace folder; repeat for several folders [default: the current directory]
          --read-only        Disable all tools that write
          --toolsets <LIST>  Enable toolsets: names, all, default (comma-separated; `!x` excludes)
          --tools <LIST>     Enable only these tools (comma-separated; `lsp_*` matches, `!name` excludes)
          --trust            Trust the workspace for this session only
          --host <auto|own>  Host to use: `auto` (an editor's, a daemon's or another agent's) or `own` (private) [default: auto]
      -v, --verbose...       Increase log verbosity (-vv for debug)
      -h, --help             Print help

    Examples:
      zubi call lsp_hover --help                                     the tool's arguments
      zubi call lsp_references --symbol Parser/next --maxTokens 500
      zubi call lsp_definition --input '{"at": "src/lib.rs:12:5"}'
      echo '{"query": "parse"}' | zubi call lsp_workspace_symbols --input -
      zubi call lsp_document_symbols --path src/lib.rs --json

    Errors go to stderr; with --json, also to stdout as {"error": {"code", "message"}}.
    `zubi tools codes` lists the codes. Put zubi's own options before the tool's name, and the tool's
    arguments after it.
    "#);
    assert_snapshot!(check(&["call", "lsp_hovr"]), @"
    exit 2
    --- stderr
    error: unknown tool `lsp_hovr`: there is no such tool; did you mean `lsp_hover`?
    hint: `zubi tools list` lists the tools.
    ");
    assert_snapshot!(check(&["call", "undo_edit", "--plann", "p-1"]), @"
    exit 2
    --- stderr
    error: unexpected argument '--plann' found

      tip: a similar argument exists: '--plan'

    Usage: zubi call undo_edit --plan <TEXT>

    For more information, try '--help'.
    hint: The arguments of `undo_edit`: --plan, --maxTokens, --waitMs, --format
    ");
    assert_snapshot!(check(&["call", "undo_edit", "--input", "{"]), @r#"
    exit 2
    --- stderr
    error: --input is not JSON: EOF while parsing an object at line 1 column 1
    hint: Write it as '{"name": "value"}'.
    "#);
    assert_snapshot!(check(&["call", "undo_edit", "--workspace", "/"]), @"
    exit 2
    --- stderr
    error: unexpected argument '--workspace' found

    Usage: zubi call undo_edit [OPTIONS]

    For more information, try '--help'.
    hint: zubi's own options go before the tool's name: `zubi --workspace … call undo_edit`
    ");
    assert_snapshot!(check(&["tools", "show", "hover"]), @"
    exit 2
    --- stderr
    error: unknown tool `hover`: there is no such tool; did you mean `lsp_hover`?
    hint: `zubi tools list` lists the tools.
    ");
    assert_snapshot!(check(&["--workspace", "absent", "tools", "list"]), @"
    exit 2
    --- stderr
    error: workspace folder `[PLACE]/work/absent`: No such file or directory (os error 2)
    ");
}

#[test]
fn wrong_input() {
    assert_snapshot!(check(&["call", "undo_edit", "--input", "{\"plann\": \"x\"}"]), @r#"
    exit 2
    --- stderr
    error: Invalid input: plann: no such parameter; did you mean `plan`?
    hint: undo_edit takes plan* (string), maxTokens (integer), waitMs (integer), format ("text"|"json") (* required).
    "#);
    assert_snapshot!(check(&["call", "lsp_hover"]), @r#"
    exit 2
    --- stderr
    error: Invalid input: position: no position was given
    hint: Give the position in exactly one of two ways:
    hint:   symbol: "Type/method" (optionally with path: "src/lib.rs")
    hint:   at: "src/lib.rs:12:5" (1-based, as answers print it) or at: "src/lib.rs:12 fn parse"
    "#);
    assert_snapshot!(check(&["call", "lsp_hover", "--at", "src/absent.rs:1:1"]), @"
    exit 2
    --- stderr
    error: Invalid input: path: `src/absent.rs` does not exist in the workspace; paths are relative to `[PLACE]/work`
    hint: Give a path relative to the workspace folder, as answers print it; `lsp_workspace_symbols` finds places by name.
    ");
    assert_snapshot!(check(&["call", "lsp_hover", "--json"]), @r#"
    exit 2
    --- stdout
    {"error":{"code":"invalid_input","message":"Invalid input: position: no position was given\nGive the position in exactly one of two ways:\n  symbol: \"Type/method\" (optionally with path: \"src/lib.rs\")\n  at: \"src/lib.rs:12:5\" (1-based, as answers print it) or at: \"src/lib.rs:12 fn parse\""}}
    --- stderr
    error: Invalid input: position: no position was given
    hint: Give the position in exactly one of two ways:
    hint:   symbol: "Type/method" (optionally with path: "src/lib.rs")
    hint:   at: "src/lib.rs:12:5" (1-based, as answers print it) or at: "src/lib.rs:12 fn parse"
    "#);
}

#[test]
fn input_from_stdin() {
    let sandbox = Sandbox::new();
    let mut command = sandbox.zubi();
    command.args(["call", "undo_edit", "--input", "-"]).write_stdin("{\"plan\": 5}");
    assert_snapshot!(sandbox.show(&mut command), @r#"
    exit 2
    --- stderr
    error: Invalid input: plan: expected string, got 5
    hint: `plan` (string): Applied p-… or a-… Example: {"plan":"p-k3m7q2x9ab"}
    "#);
}

#[test]
fn a_wrong_environment() {
    let sandbox = Sandbox::new();
    assert_snapshot!(sandbox.show(sandbox.zubi().args(["tools", "list"]).env("ZUBI_READ_ONLY", "maybe")), @"
    exit 2
    --- stderr
    error: environment variable `ZUBI_READ_ONLY` is `maybe`; it must be 1 or 0
    ");
    assert_snapshot!(sandbox.show(sandbox.zubi().args(["tools", "list"]).env("ZUBI_LOG", "=,=")), @"
    exit 2
    --- stderr
    error: environment variable `ZUBI_LOG`: invalid filter directive
    ");
}

/// A tool in an untrusted file is not a misspelling: the exit code is that of the environment.
#[test]
fn tool_of_an_untrusted_file() {
    let sandbox = Sandbox::new();
    sandbox.directory("work/.vscode");
    let tool = r#"{"version": "1.0", "tools": [{"id": "one", "name": "One", "description": "Answers one, for a test of what is said.",
        "parameters": {"type": "object"}, "requiresApproval": false, "execution": {"type": "inline", "code": "return 1"}}]}"#;
    sandbox.write("work/.vscode/agent-tools.json", tool);
    assert_snapshot!(sandbox.check(&["call", "workspace.one"]), @"
    exit 3
    --- stderr
    error: unknown tool `workspace.one`: `.vscode/agent-tools.json` declares it and is not trusted; the user can review it with `zubi trust --diff` and accept it with `zubi trust`
    ");
    assert_snapshot!(sandbox.check(&["call", "workspace.one", "--json"]), @r#"
    exit 3
    --- stdout
    {"error":{"code":"unavailable","message":"unknown tool `workspace.one`: `.vscode/agent-tools.json` declares it and is not trusted; the user can review it with `zubi trust --diff` and accept it with `zubi trust`"}}
    --- stderr
    error: unknown tool `workspace.one`: `.vscode/agent-tools.json` declares it and is not trusted; the user can review it with `zubi trust --diff` and accept it with `zubi trust`
    "#);
    assert_snapshot!(sandbox.check(&["tools", "show", "workspace.one"]), @"
    exit 3
    --- stderr
    error: unknown tool `workspace.one`: `.vscode/agent-tools.json` declares it and is not trusted; the user can review it with `zubi trust --diff` and accept it with `zubi trust`
    ");
    assert_snapshot!(sandbox.check(&["policy", "explain", "workspace.one"]), @"
    exit 3
    --- stderr
    error: unknown tool `workspace.one`: `.vscode/agent-tools.json` declares it and is not trusted; the user can review it with `zubi trust --diff` and accept it with `zubi trust`
    ");
}
