//! The VS Code extension in a real VS Code: the language model tools, called as a language model's client calls them
//! (here and in [`calls`]), approval prompts ([`approvals`]), agents and windows ([`windows`]), the visible parts
//! ([`appearance`]), zubi's own agent ([`agent`]), and the installed package ([`packaging`]).
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

/// A project with declared tools.
fn project_with_tools() -> Project {
    let project = project();
    project.write(".vscode/agent-tools.json", include_str!("agent-tools.json"));
    project
}

/// Queries and edits. Tools that write go through the editor and do not change files below unsaved texts.
#[test]
fn the_tools_answer_in_a_real_editor() {
    assert_snapshot!(vscode::run("code", &project(), &tools::zubi()), @"
    ok      the code tools answer from the editor
    ok      a visible file has diagnostics and quick fixes
    ok      positions refer to the unsaved text
    ok      the editor answers every other method in LSP's shapes
    ok      VS Code offers the five tools to language models
    ok      domainlang_validate validates the workspace or one file
    ok      domainlang_list lists and filters
    ok      domainlang_get finds an element, and counts without one
    ok      domainlang_explain explains, and reports unknown names
    ok      a tool reports invalid input as text
    ok      a cancelled call ends with a text
    ok      the next answer contains unsaved text
    ok      lsp_definition answers for a TypeScript file through the editor
    ok      domainlang_validate reports the editor's errors and warnings in every file
    ok      the tools start no process besides the language server and its parser
    ok      the tool editor returns unsaved text and its diagnostics
    ok      validate_file opens a closed file without showing it
    ok      another process queries the editor, and runs only allowed commands
    ok      file.write saves an open file that has no unsaved changes
    ok      file.edit does not save a file that has unsaved changes
    ok      rename_file updates imports in open and closed files, and undo_edit restores them
    ok      imports stay unchanged if the setting is `never`, and tools cannot change the user's own settings
    ok      rename_symbol changes unsaved text and saves it only on request
    ok      apply_edit refuses a plan if the text has changed since
    ok      organize_imports changes the unsaved text
    ok      tools report a stopped server as text, and they answer again after a restart
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
    assert_snapshot!(vscode::run("missing", &project(), &missing_program), @"ok      without the program every tool reports an error as text");
}
