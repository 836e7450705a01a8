//! The visible parts of the extension, and its removal. The cases save screenshots in `target/screenshots`.

use insta::assert_snapshot;
use zubi_tests::tools;
use zubi_tests::vscode::Editor;

use crate::project;

#[test]
fn the_visible_parts_appear_and_uninstalling_removes_them() {
    assert_snapshot!(Editor::new(&project(), &tools::zubi()).like_user().window("", "look").run(), @"
    ok      the status item says that the server runs, and opens a menu
    ok      the tools are shown by where they come from
    ok      the walkthrough opens
    ok      the chat offers the tools by their names for people
    ok      the extension runs, and is taken away
    ok      its tools and commands are gone then, and its server has ended
    ");
}
