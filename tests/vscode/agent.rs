//! zubi's agent in VS Code: the chat view, the editor's own models, and tasks of other extensions. The model is an
//! extension that follows the cases.

use insta::assert_snapshot;
use zubi_tests::tools;
use zubi_tests::vscode::Editor;

use crate::project;
use crate::windows::hosts_project;

#[test]
fn tasks_run_with_the_editors_models_and_in_the_chat_view() {
    let fixture = hosts_project(project());
    let editor = Editor::new(&fixture.project, &tools::zubi()).like_user().extension("models");
    assert_snapshot!(editor.window("", "agent").run(), @"
    ok      a model of another extension works on a task, with zubi's tools
    ok      a task has the given tools, the one that undoes their edits, and the given number of requests
    ok      a cancelled task ends, and so does the model's answer
    ok      two tasks run at once, and the reason for a missing answer is reported
    ok      a task's call that needs approval opens a dialog, whatever the task claims
    ok      a task reads, edits and runs: the chat shows the diff and requests approval with editable arguments
    ok      the conversation continues after a stopped turn
    ok      a notification announces an approval prompt while the chat is closed, and opens the chat
    ok      the command zubi.agent.abort stops the running task
    ok      a reloaded window shows the conversation and can start a new one
    ");
}
