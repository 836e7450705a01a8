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
    ok      a task has exactly the given tools and number of requests
    ok      a cancelled task ends, and so does the model's answer
    ok      two tasks run at once, and the reason for a missing answer is reported
    ok      a task's call that needs approval opens a dialog, whatever the task claims
    ok      a task reads, edits and runs: the diff is shown, the command needs approval, and arguments can be changed
    ok      a turn is stopped, and the conversation goes on
    ok      an approval request that comes while the chat is closed is announced, and opens it
    ok      the command stops the running task
    ok      a window that is loaded anew has the conversation, and a new one can be begun
    ");
}
