//! The VS Code extension in a real VS Code: the language model tools, called as a language model's client calls them
//! (here and in [`calls`]), approval prompts ([`approvals`]), agents and windows ([`windows`]), the
//! visible parts ([`appearance`]), zubi's own agent ([`agent`]), and the installed package ([`packaging`]).
//!
//! The cases are in `editors/vscode/tests/real/suite`; the lists here name the cases that must have run.

#![expect(
    clippy::expect_used,
    clippy::disallowed_methods,
    reason = "a failed expectation is a failed test, also in a helper; files and programs are those of a user"
)]

mod agent;
mod appearance;
mod approvals;
mod calls;
mod packaging;
mod windows;

use insta::assert_snapshot;
use zubi_tests::{Project, tools, vscode};

/// Valid and invalid DomainLang models, next to a project in TypeScript.
fn project() -> Project {
    let project = Project::empty();
    for (from, to) in [
        ("examples/shop", "shop"),
        ("examples/bank", "bank"),
        ("tests/fixtures/domainlang", "broken"),
        ("tests/fixtures/typescript", "web"),
    ] {
        project.add(from, to);
    }
    project
}

/// A project with tools that the workspace declares.
fn project_with_tools() -> Project {
    let project = project();
    project.write(".vscode/agent-tools.json", include_str!("agent-tools.json"));
    project
}

/// Queries and edits. Tools that write go through the editor, under whose unsaved texts nothing is changed.
#[test]
fn the_tools_answer_in_a_real_editor() {
    assert_snapshot!(vscode::run("code", &project(), &tools::zubi()), @"
    ok      the code tools answer from the editor
    ok      problems and their fixes are those of a file that is shown
    ok      places in text that is not saved are those that the user sees
    ok      every other method answers in LSP's shapes
    ok      the five tools are offered to language models
    ok      domainlang_validate answers for the workspace and for one file
    ok      domainlang_list lists and filters
    ok      domainlang_get finds an element, and counts without one
    ok      domainlang_explain explains, and reports unknown names
    ok      an invalid input is reported as a text
    ok      a call that was given up ends with a text
    ok      text that is typed and not saved is in the very next answer
    ok      lsp_definition answers for a TypeScript file through the editor
    ok      errors and warnings of domainlang_validate are the editor's, in every file
    ok      the tools start no process besides the language server
    ok      the tool editor returns unsaved text and its diagnostics
    ok      a file that is not open is opened to be validated, and not shown
    ok      another process queries the editor, and runs only allowed commands
    ok      a file that is written while it is open, with nothing unsaved, is saved
    ok      a file that is edited while something in it is not saved is not saved
    ok      imports follow a file that moves, in open and in closed files, and go back
    ok      imports stay if the setting is `never`, and the user's own settings are never changed
    ok      a symbol in unsaved text is renamed, and saved only on request
    ok      a plan for a text that was typed into since is refused
    ok      imports are organized in the text that the user sees
    ok      a stopped server is reported as a text, and starting it again helps
    ");
}

#[test]
fn an_unresponsive_server_is_restarted() {
    let project = project();
    // The first run prints nothing and receives no `exit`.
    let script = format!(
        "#!/bin/sh\n\
         if [ -e \"$0.pid\" ]; then exec '{}' \"$@\"; fi\n\
         echo $$ > \"$0.new\"\n\
         mv \"$0.new\" \"$0.pid\"\n\
         exec tail -f /dev/null\n",
        tools::zubi()
    );
    project.install("zubi-later", &script);
    let program = project.home().join("bin/zubi-later");
    assert_snapshot!(vscode::run("silent", &project, &program), @"ok      a restart ends a silent server, and waiting callers get an answer");
}

#[test]
fn without_the_program_the_tools_report_it() {
    let missing_program = tools::ROOT.join("no/such/program");
    assert_snapshot!(vscode::run("missing", &project(), &missing_program), @"ok      without the program every tool says so in a text");
}
