//! The VS Code extension in a real VS Code: the language model tools, called as a language model's client calls them.
//!
//! The cases themselves run inside VS Code's extension host and are written in TypeScript (`editors/vscode/tests/real`). Here
//! they get a workspace, a `zubi` and a VS Code, and what they came to is looked at.

use std::process::Command;
use std::time::Duration;

use camino::Utf8Path;
use serde_json::{Value, json};
use zubi_tests::{Project, processes, tools, zubi};

/// More than a window with all cases takes on a small machine; within it, each case has a limit of its own.
const DEADLINE_SECONDS: u32 = 150;

/// Runs a group of cases with this program as the language server; returns one line for each case.
fn run(group: &str, server: &Utf8Path) -> String {
    processes::adopt_orphans();
    let project = Project::empty();
    for (from, to) in [
        ("examples/shop", "shop"),
        ("examples/bank", "bank"),
        ("tests/fixtures/domainlang", "broken"),
        ("tests/fixtures/typescript", "web"),
    ] {
        project.add(from, to);
    }
    let results = project.home().join("results.json");
    let config = project.home().join("config.json");
    let scratch = project.home().join("vscode");
    std::fs::create_dir(&scratch).expect("a new directory");
    let fields = json!({
        "vscode": tools::directory("vscode"),
        "chromium": tools::program("chromium", "chromium"),
        "server": server,
        "workspace": project.root(),
        "scratch": scratch,
        "group": group,
        "results": results,
        "deadline": DEADLINE_SECONDS,
    });
    std::fs::write(&config, fields.to_string()).expect("a new file");
    // It is an error when the extension's own modules are not there, which the harness needs too.
    let _ = tools::directory("vscode-extension");
    let outcome = Command::new(tools::program("node", "node"))
        .arg(tools::ROOT.join("editors/vscode/tests/real/host.ts"))
        .arg(&config)
        .current_dir(project.root())
        .env_clear()
        .envs(zubi::environment(&project, &["node"]))
        .output()
        .expect("node starts");
    let log = format!("{}{}", String::from_utf8_lossy(&outcome.stdout), String::from_utf8_lossy(&outcome.stderr));
    let left = processes::nothing_left_within(Duration::from_secs(10));
    let cases = std::fs::read_to_string(&results).unwrap_or_else(|_| panic!("no case ran\n{log}"));
    let cases: Vec<Value> = serde_json::from_str(&cases).expect("a list of cases");
    let lines: Vec<_> = cases.iter().map(line).collect();
    let lines = lines.join("\n");
    assert!(outcome.status.success(), "{}\n{lines}\n\n{log}", outcome.status);
    assert!(left.is_ok(), "still running: {left:?}");
    lines
}

fn line(case: &Value) -> String {
    let name = case["name"].as_str().unwrap_or_default();
    match case["failure"].as_str() {
        None => format!("ok      {name}"),
        Some(failure) => format!("FAILED  {name}\n{failure}"),
    }
}

#[test]
fn the_tools_answer_in_a_real_editor() {
    insta::assert_snapshot!(run("answers", &tools::zubi()), @"
    ok      the five tools are offered to language models
    ok      domainlang_validate answers for the workspace and for one file
    ok      domainlang_list lists and filters
    ok      domainlang_get finds an element, and counts without one
    ok      domainlang_explain explains, and says what it does not know
    ok      an input that cannot be answered is told in a text
    ok      a call that was given up ends with a text
    ok      text that is typed and not saved is in the very next answer
    ok      lsp_definition answers for a TypeScript file through the editor
    ok      errors and warnings of domainlang_validate are the editor's, in every file
    ok      the tools start no process besides the language server
    ok      a server that stopped is told in a text, and starting it again helps
    ");
}

#[test]
fn without_the_program_the_tools_say_so() {
    let nowhere = tools::ROOT.join("no/such/program");
    insta::assert_snapshot!(run("missing", &nowhere), @"ok      without the program every tool says so in a text");
}
