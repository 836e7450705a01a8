//! Tools that write, in a real VS Code: through the editor, under whose unsaved texts nothing is changed.

use insta::assert_snapshot;
use zubi_tests::{tools, vscode};

use crate::project;

#[test]
fn edits_go_through_the_editor() {
    assert_snapshot!(vscode::run("edits", &project(), &tools::zubi()), @"");
}
