//! Approval prompts in a VS Code that does not confirm dialogs itself, and untrusted folders.

use insta::assert_snapshot;
use serde_json::json;
use zubi_tests::hosts::HostsProject;
use zubi_tests::tools;
use zubi_tests::vscode::Editor;

use crate::project_with_tools;

#[test]
fn the_user_is_prompted_and_the_answer_is_applied() {
    let fixture = HostsProject::new(project_with_tools(), &["node"]);
    assert_snapshot!(Editor::new(&fixture.project, &tools::zubi()).like_user().window("", "approvals").run(), @"
    ok      a read-only tool runs without confirmation
    ok      VS Code's confirmation shows the file to write; cancelling it denies the call
    ok      zubi requests approval for every command that runs through call_tool
    ok      zubi requests approval for a call of the API, and closing the dialog denies it
    ok      an approval for one call does not cover the next call
    ok      a call that is allowed for the session needs no second approval
    ");
}

#[test]
fn deny_rules_apply_even_when_everything_is_approved() {
    let fixture = HostsProject::new(project_with_tools(), &["node"]);
    let config = fixture.project.home().join("config/zubi");
    std::fs::create_dir_all(&config).expect("a new directory");
    let rule = "[[policy]]\naction = \"deny\"\ntools = [\"workspace.part\"]\nreason = \"parting is not allowed\"\n";
    std::fs::write(config.join("zubi.toml"), rule).expect("a new file");
    let editor = Editor::new(&fixture.project, &tools::zubi()).like_user().setting("zubi.autoApprove", json!(true));
    assert_snapshot!(editor.window("", "approved").run(), @"
    ok      with autoApprove, a call that needs approval runs without a prompt
    ok      with autoApprove, a rule still denies a call
    ");
}

#[test]
fn an_untrusted_folder_runs_nothing() {
    let fixture = HostsProject::new(project_with_tools(), &["node"]);
    assert_snapshot!(Editor::new(&fixture.project, &tools::zubi()).without_trust().window("", "untrusted").run(), @"ok      in an untrusted folder only the bundled program runs, and no tool of the folder");
}
