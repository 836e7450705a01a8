//! The visible parts of the extension, and its removal. The cases save screenshots in `target/screenshots`.

use insta::assert_snapshot;
use zubi_tests::tools;
use zubi_tests::vscode::Editor;

use crate::project;

#[test]
fn the_visible_parts_appear_and_uninstalling_removes_them() {
    assert_snapshot!(Editor::new(&project(), &tools::zubi()).like_user().window("", "look").run(), @"
    ok      the status item shows that the server runs, and opens a menu
    ok      the tool list opens the description of a tool
    ok      the walkthrough opens
    ok      the chat suggests the tools by their reference names
    ok      the extension runs and is uninstalled
    ok      uninstalling removes the tools and commands and ends the server
    ");
}
