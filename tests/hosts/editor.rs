//! Agents see the state of an open editor while it is open; each editor serves its own folder.

use insta::assert_snapshot;
use serde_json::{Value, json};
use zubi_tests::hosts::{self, HostsProject, STEP_TIMEOUT, eventually, is_below, pid};
use zubi_tests::{Agent, processes};

use crate::window::Window;

fn hover(agent: &mut Agent) -> String {
    agent.call_text("lsp_hover", &json!({ "at": "shapes/shape.py:35 total_area" }))
}

/// The hover text in a window named `Window`.
const IN_WINDOW: &str = "\
at shapes/shape.py:35:5 total_area
typed in Window
[editor · ready]";

/// Calls the editor's tool.
fn editor(agent: &mut Agent, arguments: &Value, fixture: &HostsProject) -> String {
    agent.call_text("editor", arguments).replace(fixture.project.root().as_str(), "[project]")
}

#[test]
fn agents_use_an_open_editor_and_return_to_the_daemon() {
    let fixture = HostsProject::python();
    let daemon = fixture.daemon(&[]);
    let mut agents = fixture.agents(2);
    let from_server: Vec<String> = agents.iter_mut().map(hover).collect();
    assert!(!from_server[0].contains("typed in"), "{from_server:?}");

    for _ in 0..2 {
        let window = Window::open(&fixture, ".", "Window");
        window.report_active_file("shapes/shape.py");
        for agent in &mut agents {
            assert_eq!(hover(agent), IN_WINDOW);
        }
        assert_eq!(window.request_count("textDocument/hover"), 2);
        assert!(
            !hosts::running_programs("ty server").iter().any(|server| is_below(server, window.pid())),
            "a server runs although an editor is open"
        );
        let status = fixture.status();
        let clients = |kind: &str| {
            let all = status["hosts"].as_array().expect("hosts").iter();
            all.filter(|host| host["kind"] == kind)
                .map(|host| host["clients"].as_array().map_or(0, Vec::len))
                .sum::<usize>()
        };
        // One client is the command that sends the request.
        assert_eq!((clients("editor"), clients("daemon")), (3, 1), "{status}");

        window.close();
        let back: Vec<String> = agents.iter_mut().map(hover).collect();
        assert_eq!(back, from_server);
        assert_eq!(pid(&fixture.only_host()), daemon.pid());
        let servers = hosts::running_programs("ty server");
        assert!(servers.len() == 1 && is_below(&servers[0], daemon.pid()), "{servers:?}");
    }
    let stderr: String = agents.iter().map(Agent::stderr_text).collect();
    assert_eq!(stderr, "");
}

#[test]
fn open_files_and_diagnostics_reach_an_agent() {
    let fixture = HostsProject::python();
    let window = Window::open(&fixture, ".", "Window");
    window.report_active_file("shapes/shape.py");
    let mut agent = fixture.agent(&[]);
    assert_snapshot!(editor(&mut agent, &json!({ "command": "open_files" }), &fixture), @"
    1 file open
      shapes/shape.py  python, 40 lines, not saved
    [editor]
    ");
    assert_snapshot!(editor(&mut agent, &json!({ "command": "active_file" }), &fixture), @"
    shapes/shape.py:35:5  python, 40 lines, not saved
    1 error in `shapes/shape.py`
      35:5  error: not saved in Window  [window]
    [editor]
    ");
    assert_snapshot!(editor(&mut agent, &json!({ "command": "errors_summary" }), &fixture), @"
    1 error in 1 file, 0 warnings in 0 files, infos and hints: 0
    by source: window 1
    most errors:
      shapes/shape.py  1 error, 0 warnings
    [editor · from the editor: most of its servers check only open files; validating a file opens it]
    ");
    assert_snapshot!(editor(&mut agent, &json!({ "command": "status" }), &fixture), @"
    Window 1 is connected
    host: editor
    folders:
      [project]
    [editor]
    ");
    assert_snapshot!(agent.call_text("lsp_diagnostics", &json!({ "path": "shapes/shape.py" })), @"
    1 error in `shapes/shape.py`; snapshot d-1
    shapes/shape.py
      35:5  error: not saved in Window  [window]
    [editor · readiness unknown · completeness unknown: editor gives no readiness signal]
    ");
    assert_snapshot!(agent.call_text("lsp_definition", &json!({ "at": "shapes/report.py:3 total_area" })), @"
    at shapes/report.py:3:45 total_area
    1 definition of `total_area`
    shapes/shape.py
      35:5  def total_area(first: Shape, second: Shape, scale: float) -> float:
    [editor · readiness unknown · completeness unknown: editor gives no readiness signal]
    ");
    assert_eq!(hosts::running_programs("ty server"), []);
}

#[test]
fn no_server_runs_for_agents_while_an_editor_answers() {
    let fixture = HostsProject::python();
    let mut agents = fixture.agents(3);
    for agent in &mut agents {
        hover(agent);
    }
    let window = Window::open(&fixture, ".", "Window");
    for agent in &mut agents {
        assert!(hover(agent).contains("typed in Window"));
    }
    // The agent that was the host is now a client.
    eventually("the server ends", STEP_TIMEOUT, || hosts::running_programs("ty server").is_empty().then_some(()));
    assert_eq!(pid(&fixture.only_host()), window.pid());
    // An editor that is killed counts as closed.
    drop(window);
    for agent in &mut agents {
        assert!(!hover(agent).contains("typed in"));
    }
    let host = pid(&fixture.only_host());
    assert!(agents.iter().any(|agent| agent.pid() == host), "{host}");
    drop(agents);
    processes::nothing_left_within(STEP_TIMEOUT).expect("nothing is left");
}

#[test]
fn writing_tools_are_disabled_while_an_editor_is_open() {
    let fixture = HostsProject::python();
    let before = fixture.project.everything();
    let mut agent = fixture.agent(&[]);
    assert!(agent.tools().contains(&"apply_edit".to_owned()));
    let plan = agent.call_text(
        "lsp_rename_symbol",
        &json!({ "symbol": "total_area", "path": "shapes/shape.py", "newName": "sum_area" }),
    );
    let plan = zubi_tests::zubi::id(&plan, "p-").expect("a plan");
    let window = Window::open(&fixture, ".", "Window");
    assert_snapshot!(agent.call_error("apply_edit", &json!({ "plan": plan })), @"unknown tool `apply_edit`: it writes, and zubi does not change files below unsaved texts of the open editor");
    assert_snapshot!(agent.call_error("zubi_call_tool", &json!({ "tool": "apply_edit", "arguments": { "plan": plan } })), @"unknown tool `zubi_call_tool`: it writes, and zubi does not change files below unsaved texts of the open editor");
    assert!(!agent.tools().contains(&"apply_edit".to_owned()));
    assert_eq!(fixture.project.everything(), before);
    // The plan is on disk, and can be applied after the editor has gone.
    window.close();
    agent.call_text("apply_edit", &json!({ "plan": plan }));
    assert!(fixture.project.read("shapes/shape.py").contains("def sum_area"));
}

#[test]
fn two_windows_do_not_disturb_each_other() {
    let fixture = HostsProject::python();
    let _daemon = fixture.daemon(&[]);
    let outer = Window::open(&fixture, ".", "Outer");
    let inner = Window::open(&fixture, "shapes", "Inner");
    let mut outside = fixture.agent(&[]);
    let mut inside = Agent::spawn(fixture.command_in("shapes"), &[]);
    let hover_inside = |agent: &mut Agent| agent.call_text("lsp_hover", &json!({ "at": "shape.py:35 total_area" }));
    assert!(hover(&mut outside).contains("typed in Outer"));
    assert!(hover_inside(&mut inside).contains("typed in Inner"));
    inner.close();
    // The window of the outer folder is not a host for this agent.
    assert!(!hover_inside(&mut inside).contains("typed in"));
    assert!(hover(&mut outside).contains("typed in Outer"));
    outer.close();
    assert!(!hover(&mut outside).contains("typed in"));
}

#[test]
fn an_agent_uses_the_window_selected_by_its_environment() {
    let fixture = HostsProject::python();
    let windows = ["Left", "Right"].map(|name| Window::open(&fixture, ".", name));
    for (window, name) in windows.iter().zip(["Left", "Right"]) {
        let host = eventually("the window's host is found", STEP_TIMEOUT, || {
            fixture.live_records().into_iter().find(|host| pid(host) == window.pid())
        });
        let mut command = fixture.command();
        command.env("ZUBI_INSTANCE", host["instance"].as_str().expect("a name"));
        let mut agent = Agent::spawn(command, &["--toolsets", "lsp,declared,contributed,external"]);
        assert!(hover(&mut agent).contains(&format!("typed in {name}")));
    }
    // After the window has closed, any other window may serve.
    let mut agent = Agent::spawn(
        {
            let mut command = fixture.command();
            command.env("ZUBI_INSTANCE", "gone");
            command
        },
        &[],
    );
    assert!(hover(&mut agent).contains("typed in "));
}

#[test]
fn other_programs_query_the_open_files() {
    let fixture = HostsProject::python();
    let ipc = |arguments: &[&str]| {
        let words: Vec<&str> = ["ipc"].iter().chain(arguments).copied().collect();
        let text = fixture.output(&words).replace(fixture.project.root().as_str(), "[project]");
        let value: Value = serde_json::from_str(&text).expect("JSON");
        value.to_string()
    };
    // Without an editor nothing is open.
    assert_snapshot!(ipc(&["getActiveFile"]), @r#"{"active":false,"note":"no editor is connected"}"#);
    let window = Window::open(&fixture, ".", "Window");
    window.report_active_file("shapes/shape.py");
    assert_snapshot!(ipc(&["getActiveFile"]), @r#"{"active":true,"uri":"file://[project]/shapes/shape.py","path":"[project]/shapes/shape.py","languageId":"python","isDirty":true,"lineCount":40,"selection":{"line":35,"column":5},"diagnostics":[{"range":{"start":{"line":34,"character":4},"end":{"line":34,"character":14}},"message":"not saved in Window","severity":"error","source":"window"}]}"#);
    assert_snapshot!(ipc(&["getOpenFiles"]), @r#"{"count":1,"files":[{"uri":"file://[project]/shapes/shape.py","path":"[project]/shapes/shape.py","languageId":"python","isDirty":true,"lineCount":40}]}"#);
    assert_snapshot!(ipc(&["getWorkspaceErrors"]), @r#"{"summary":{"errors":1,"warnings":0,"info":0,"filesWithErrors":1,"filesWithWarnings":0},"bySource":{"window":1},"topErrorFiles":[{"path":"[project]/shapes/shape.py","errors":1,"warnings":0}],"sources":["window"],"note":"from the editor: most of its servers check only open files; validating a file opens it"}"#);
    assert_snapshot!(ipc(&["getDiagnostics", "--params", r#"{"path": "shapes/shape.py"}"#]), @r#"{"uri":"file://[project]/shapes/shape.py","path":"[project]/shapes/shape.py","diagnostics":[{"range":{"start":{"line":34,"character":4},"end":{"line":34,"character":14}},"message":"not saved in Window","severity":"error","source":"window"}]}"#);
    assert_snapshot!(ipc(&["getAllDiagnostics", "--params", r#"{"limit": 1}"#]), @r#"{"fileCount":1,"totalDiagnostics":1,"returned":1,"truncated":false,"files":[{"uri":"file://[project]/shapes/shape.py","path":"[project]/shapes/shape.py","diagnostics":[{"range":{"start":{"line":34,"character":4},"end":{"line":34,"character":14}},"message":"not saved in Window","severity":"error","source":"window"}]}],"note":"from the editor: most of its servers check only open files; validating a file opens it"}"#);
    assert_snapshot!(ipc(&["validateFile", "--params", r#"{"path": "shapes/shape.py"}"#]), @r#"{"uri":"file://[project]/shapes/shape.py","path":"[project]/shapes/shape.py","languageId":"python","diagnostics":[{"range":{"start":{"line":34,"character":4},"end":{"line":34,"character":14}},"message":"not saved in Window","severity":"error","source":"window"}]}"#);
    assert!(ipc(&["ping"]).contains("\"status\":\"ok\""), "{}", ipc(&["ping"]));
    let refused = fixture.run(&["ipc", "executeCommand", "--params", r#"{"command": "workbench.action.quit"}"#]);
    assert!(!refused.status.success(), "{refused:?}");
    assert_snapshot!(String::from_utf8_lossy(&refused.stderr), @"error: `workbench.action.quit` is not allowed here; allowed: zubi.validateFile, zubi.validateWorkspace, zubi.refreshViews, zubi.restart, workbench.action.problems.focus, editor.action.marker.next, editor.action.marker.prev");
}

#[test]
fn an_editor_with_its_own_host_is_not_discovered() {
    let fixture = HostsProject::python();
    let mut command = fixture.command();
    command.args(["--host", "own"]);
    let window = Window::start(command, fixture.project.root(), "Window");
    window.report_active_file("shapes/shape.py");
    let mut agent = fixture.agent(&[]);
    assert!(!hover(&mut agent).contains("typed in"));
    assert_eq!(pid(&fixture.only_host()), agent.pid());
    window.close();
}
