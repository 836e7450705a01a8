//! Tools that write, in a real VS Code: through the editor, under whose unsaved texts nothing is changed.

use insta::assert_snapshot;
use zubi_tests::{tools, vscode};

use crate::project;

#[test]
fn edits_go_through_the_editor() {
    assert_snapshot!(vscode::run("edits", &project(), &tools::zubi()), @"
    ok      a file that is written while it is open, with nothing unsaved, is saved
    ok      a file that is edited while something in it is not saved is not saved
    ok      imports follow a file that moves, in open and in closed files, and go back
    ok      imports stay if the setting is `never`, and the user's own settings are never changed
    ok      a symbol in unsaved text is renamed, and saved only on request
    ok      a plan for a text that was typed into since is refused
    ok      imports are organized in the text that the user sees
    ");
}
