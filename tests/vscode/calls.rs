//! Every tool of the manifest, tools that a workspace declares, and tools that other extensions contribute.

use insta::assert_snapshot;
use serde_json::json;
use zubi_tests::hosts::{HostsProject, eventually};
use zubi_tests::tools;
use zubi_tests::vscode::Editor;

use crate::windows::{WINDOW_TIMEOUT, hosts_project, wait_until_ready};
use crate::{project, project_with_tools};

#[test]
fn every_tool_answers() {
    let fixture = HostsProject::new(project_with_tools(), &["node"]);
    // The driver of this window answers no dialogs; the tests of approvals cover prompts and answers.
    let editor =
        Editor::new(&fixture.project, &tools::zubi()).extension("sample").setting("zubi.autoApprove", json!(true));
    assert_snapshot!(editor.window("", "everything").run(), @"
    ok      VS Code offers every tool of the manifest with its schema and tags
    ok      the tables of this test call every tool of the manifest
    ok      the tools that read or plan answer
    ok      the tools that write and undo answer
    ok      the tools that move files, change settings and run commands answer
    ok      a tool reports an invalid call as text
    ok      the next answer about TypeScript contains unsaved text
    ");
}

#[test]
fn python_is_answered_by_the_editor() {
    let project = project();
    project.add("tests/fixtures/python", "");
    assert_snapshot!(Editor::new(&project, &tools::zubi()).python().window("", "python").run(), @"
    ok      the tools answer for Python from the extension's server
    ok      a rename in Python changes open and closed files
    ");
}

#[test]
fn contributed_tools_are_called_over_mcp() {
    let fixture = hosts_project(project_with_tools());
    let output = std::thread::scope(|scope| {
        let window = scope.spawn(|| {
            Editor::new(&fixture.project, &tools::zubi()).like_user().extension("sample").window("", "mcp").run()
        });
        wait_until_ready(&fixture, "window.ready");
        let mut agent = fixture.agent(&[]);
        let tools = agent.call_text("find_tools", &json!({ "query": "count the words of a text" }));
        assert!(tools.contains("words.count"), "{tools}");
        // The unsaved text of the user.
        let count_answer = agent.call_text("call_tool", &json!({ "tool": "words.count", "arguments": {} }));
        assert!(count_answer.contains(r#""words": 5"#), "{count_answer}");
        let unknown = json!({ "tool": "snippets.find", "arguments": { "name": "nothing" } });
        let refused = agent.call_error("call_tool", &unknown);
        assert!(refused.contains("There is no snippet nothing"), "{refused}");
        // The agent must end before the window; otherwise it counts as left behind.
        assert!(agent.close().success());
        fixture.project.write("agent.seen", "");
        window.join().expect("the window")
    });
    assert_snapshot!(output, @"
    ok      find_tools finds another extension's tool, which reads the visible editor
    ok      VS Code starts the MCP server of this window, and calls its tools
    ok      an agent in another process calls the tool of the extension
    ");
    eventually("the host has ended", WINDOW_TIMEOUT, || fixture.live_records().is_empty().then_some(()));
}
