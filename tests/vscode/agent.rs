//! zubi's agent in VS Code: the chat view, the editor's own models, and tasks of other extensions. The model is an
//! extension that follows the cases.

use insta::assert_snapshot;
use zubi_tests::tools;
use zubi_tests::vscode::Editor;

use crate::project;
use crate::windows::hosts_project;

#[test]
fn the_chat_view_behaves_like_the_page() {
    let fixture = hosts_project(project());
    let editor = Editor::new(&fixture.project, &tools::zubi()).like_user().extension("models");
    assert_snapshot!(editor.window("", "chat").run(), @"
    ok      a task reads, edits and runs: the diff is shown, the command is asked about, and arguments can be changed
    ok      a turn is stopped, and the conversation goes on
    ok      a question that comes while the chat is closed is told, and opens it
    ok      the command stops whatever goes on
    ok      a window that is loaded anew has the conversation, and a new one can be begun
    ");
}

#[test]
fn editor_models_run_tasks_of_other_extensions() {
    let fixture = hosts_project(project());
    let editor = Editor::new(&fixture.project, &tools::zubi()).like_user().extension("models");
    assert_snapshot!(editor.window("", "models").run(), @"
    ok      a model of another extension works on a task, with zubi's tools
    ok      a task has the tools and the number of questions that it was given, and no more
    ok      a task that is cancelled ends, and so does the model's answer
    ok      two tasks go on at once, and why a model gives no answer is told
    ok      what a task may not do without asking is asked in a dialog, whatever it says of itself
    ");
}
