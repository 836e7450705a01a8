//! Agents and windows: an agent that moves between a daemon and a window, several windows, and reloaded windows.

use std::os::unix::fs::DirBuilderExt as _;
use std::time::Duration;

use insta::assert_snapshot;
use serde_json::json;
use zubi_tests::hosts::{HostsProject, eventually};
use zubi_tests::vscode::Editor;
use zubi_tests::{Agent, Project, tools};

use crate::project;

/// The time limit for opening or closing a window.
pub(crate) const WINDOW_TIMEOUT: Duration = Duration::from_mins(2);

/// A project for windows. A window's server creates the user's runtime directory if it does not exist, and zubi then
/// finds hosts there.
pub(crate) fn hosts_project(project: Project) -> HostsProject {
    let fixture = HostsProject::new(project, &["node"]);
    std::fs::DirBuilder::new().mode(0o700).create(fixture.project.home().join("run")).expect("a new directory");
    fixture
}

/// Returns the open files as the agent sees them. A new window may not have sent them yet; that is a valid answer too.
fn open_files(agent: &mut Agent) -> String {
    agent.call("editor", &json!({ "command": "open_files" })).to_string()
}

/// Waits until a window has written this file.
pub(crate) fn wait_until_ready(fixture: &HostsProject, file: &str) {
    eventually("the window is ready", WINDOW_TIMEOUT, || fixture.project.root().join(file).exists().then_some(()));
}

/// Whether the host of this kind has this process among its clients.
fn is_client(fixture: &HostsProject, kind: &str, agent: u32) -> bool {
    let status = fixture.status();
    let host = status["hosts"].as_array().and_then(|hosts| hosts.iter().find(|host| host["kind"] == kind));
    let clients = host.and_then(|host| host["clients"].as_array()).map(Vec::as_slice).unwrap_or_default();
    clients.iter().any(|client| client["pid"] == agent)
}

#[test]
fn an_agent_moves_from_a_daemon_to_the_window_and_back() {
    let fixture = hosts_project(project());
    let daemon = fixture.daemon(&[]);
    let mut agent = fixture.agent(&[]);
    assert!(open_files(&mut agent).contains("no editor"));
    assert!(is_client(&fixture, "daemon", agent.pid()));
    fixture.project.write("agent.pid", &agent.pid().to_string());
    let processes = [daemon.pid(), agent.pid()];
    let output = std::thread::scope(|scope| {
        let window = scope.spawn(|| {
            Editor::new(&fixture.project, &tools::zubi()).window("", "beside").with_processes(&processes).run()
        });
        eventually("the agent sees unsaved text of the window", WINDOW_TIMEOUT, || {
            let text = open_files(&mut agent);
            (text.contains("web/src/shape.ts") && text.contains("not saved")).then_some(())
        });
        fixture.project.write("agent.seen", "seen");
        window.join().expect("the window")
    });
    assert_snapshot!(output, @"ok      an agent of a daemon uses this window while it is open");
    eventually("the agent uses the daemon again", WINDOW_TIMEOUT, || {
        (open_files(&mut agent).contains("no editor") && is_client(&fixture, "daemon", agent.pid())).then_some(())
    });
    assert!(agent.close().success());
}

#[test]
fn each_of_two_windows_has_its_own_agents() {
    let folders = ["one", "two"];
    let project = Project::empty();
    for folder in folders {
        project.add("tests/fixtures/typescript", folder);
    }
    let fixture = hosts_project(project);
    let output = std::thread::scope(|scope| {
        let windows = scope.spawn(|| {
            let editor = Editor::new(&fixture.project, &tools::zubi()).like_user();
            editor.window("one", "window").window("two", "window").run()
        });
        for folder in folders {
            wait_until_ready(&fixture, &format!("{folder}/window.ready"));
        }
        for folder in folders {
            let mut agent = Agent::spawn(fixture.command_in(folder), &[]);
            fixture.project.write(&format!("{folder}/agent.pid"), &agent.pid().to_string());
            let arguments = json!({ "tool": "file.read", "arguments": { "path": "src/shape.ts", "endLine": 1 } });
            let text = agent.call_text("call_read_tool", &arguments);
            assert!(text.contains(&format!("// not saved in {folder}")), "{text}");
            let text = open_files(&mut agent);
            assert!(text.contains("src/shape.ts") && text.contains("not saved"), "{text}");
            wait_until_ready(&fixture, &format!("{folder}/window.connected"));
            // The agent must end before the windows; otherwise it counts as left behind.
            assert!(agent.close().success());
            fixture.project.write(&format!("{folder}/agent.seen"), "");
        }
        windows.join().expect("the windows")
    });
    assert_snapshot!(output, @"
    ok      this window's agent reads unsaved text and uses this window
    ok      this window's agent reads unsaved text and uses this window
    ");
}

#[test]
fn a_reload_leaves_no_process_and_the_agent_reconnects() {
    let fixture = hosts_project(project());
    let output = std::thread::scope(|scope| {
        let window = scope.spawn(|| {
            let editor = Editor::new(&fixture.project, &tools::zubi()).like_user();
            editor.window("", "reloaded").run()
        });
        wait_until_ready(&fixture, "window.ready");
        let mut agent = fixture.agent(&[]);
        fixture.project.write("agent.pid", &agent.pid().to_string());
        eventually("the agent uses the reloaded window", WINDOW_TIMEOUT, || {
            open_files(&mut agent);
            fixture.project.root().join("agent.seen").exists().then_some(())
        });
        assert!(agent.close().success());
        window.join().expect("the window")
    });
    assert_snapshot!(output, @"
    ok      an agent uses this window
    ok      a reload replaces the server, and the agent reconnects
    ");
}
