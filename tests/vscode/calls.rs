//! Every tool of the manifest, tools that a workspace declares, and tools that other extensions contribute.

use insta::assert_snapshot;
use serde_json::json;
use zubi_tests::hosts::{Place, eventually};
use zubi_tests::tools;
use zubi_tests::vscode::Editor;

use crate::windows::{WINDOW, place, ready};
use crate::{project, with_tool_file};

#[test]
fn every_tool_answers() {
    let place = Place::new(with_tool_file(), &["node"]);
    assert_snapshot!(Editor::new(&place.project, &tools::zubi()).extension("sample").window("", "everything").run(), @"");
}

#[test]
fn python_is_answered_by_the_editor() {
    let project = project();
    project.add("tests/fixtures/python", "");
    assert_snapshot!(Editor::new(&project, &tools::zubi()).python().window("", "python").run(), @"");
}

#[test]
fn what_another_extension_contributes_is_called_over_mcp() {
    let place = place(with_tool_file());
    let told = std::thread::scope(|scope| {
        let window =
            scope.spawn(|| Editor::new(&place.project, &tools::zubi()).like_user().extension("sample").window("", "mcp").run());
        ready(&place, "window.ready");
        let mut agent = place.agent(&[]);
        let found = agent.ask("find_tools", &json!({ "query": "count the words of a text" }));
        assert!(found.contains("words.count"), "{found}");
        // What the user sees and has not saved.
        let counted = agent.ask("call_tool", &json!({ "tool": "words.count", "arguments": {} }));
        assert!(counted.contains(r#""words": 5"#), "{counted}");
        let unknown = json!({ "tool": "snippets.find", "arguments": { "name": "nothing" } });
        let refused = agent.refused("call_tool", &unknown);
        assert!(refused.contains("There is no snippet nothing"), "{refused}");
        // It has to be gone before the window is, so that it is not taken for something that was left behind.
        assert!(agent.close().success());
        place.project.write("agent.seen", "");
        window.join().expect("the window")
    });
    assert_snapshot!(told, @"");
    eventually("nobody hosts it any more", WINDOW, || place.told().is_empty().then_some(()));
}
