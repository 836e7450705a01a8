//! A host that exits during a call: clients repeat a call that only reads, and report for any other call that its
//! effect is unknown.

use serde_json::{Value, json};
use zubi_tests::hosts::{self, HostsProject, STEP_TIMEOUT, eventually, is_below, pid};
use zubi_tests::{Agent, processes};

use crate::controlled::{ANSWER, ControlledProject};

/// The result of a call in progress: its text, and whether it is an error.
fn answer_text(agent: &mut Agent, call: u64) -> (String, bool) {
    let answer = agent.answer(call);
    let text = zubi_tests::agent::text(&answer["result"]);
    (text, answer["result"]["isError"] == true)
}

/// Begins a call that a daemon's server delays, and kills the daemon meanwhile. Returns the agent and the call.
fn call_while_daemon_dies(controlled: &ControlledProject, method: &str, tool: &str, arguments: &Value) -> (Agent, u64) {
    controlled.withhold_answers(&[method]);
    let mut daemon = controlled.0.daemon(&[]);
    let mut agent = controlled.0.agent(&[]);
    let call = agent.begin_call(tool, arguments);
    controlled.wait_until_received(method, 1);
    let servers = ControlledProject::servers();
    assert!(servers.len() == 1 && is_below(&servers[0], daemon.pid()), "{servers:?}");
    // The next host answers.
    controlled.withhold_answers(&[]);
    daemon.kill();
    (agent, call)
}

#[test]
fn a_read_only_call_is_retried() {
    for (method, tool, arguments) in [
        ("textDocument/hover", "lsp_hover", json!({ "at": "a.hostile:1:1" })),
        ("textDocument/documentSymbol", "lsp_document_symbols", json!({ "path": "a.hostile" })),
        // A plan changes nothing.
        ("textDocument/rename", "lsp_rename_symbol", json!({ "at": "a.hostile:1:1", "newName": "omega" })),
        (
            "textDocument/hover",
            "zubi_call_read_tool",
            json!({ "tool": "lsp_hover", "arguments": { "at": "a.hostile:1:1" } }),
        ),
    ] {
        let controlled = ControlledProject::new();
        let (mut agent, call) = call_while_daemon_dies(&controlled, method, tool, &arguments);
        let (text, is_error) = answer_text(&mut agent, call);
        assert!(!is_error && (text.contains(ANSWER) || text.contains("alpha")), "{tool}: {text}");
        assert_eq!(controlled.notification_count(method), 2, "{tool} is requested once more");
        // The agent is the host now, and the only server belongs to it.
        assert_eq!(pid(&controlled.0.only_host()), agent.pid());
        let servers = ControlledProject::servers();
        assert!(servers.len() == 1 && is_below(&servers[0], agent.pid()), "{servers:?}");
        assert!(agent.close().success());
        processes::nothing_left_within(STEP_TIMEOUT).expect("nothing is left");
    }
}

/// Checks the message about a call whose effect is unknown. For a call that writes files, the message also describes
/// the files' state.
fn assert_outcome_unknown(fixture: &HostsProject, tool: &str, text: &str, is_error: bool) {
    let first_line = text.lines().next().unwrap_or_default();
    assert!(is_error, "{text}");
    assert!(first_line.starts_with(&format!("Failed to run {tool}: outcome unknown: ")), "{text}");
    let journal = fixture.project.home().join("state/zubi/journal");
    assert!(text.contains("Check first whether it was done"), "{text}");
    assert_eq!(text.contains(journal.as_str()), tool == "rename_symbol", "{text}");
}

#[test]
fn a_writing_call_is_not_retried() {
    for (tool, reported_tool, arguments) in [
        ("rename_symbol", "rename_symbol", json!({ "uri": "a.hostile", "originalName": "alpha", "newName": "omega" })),
        (
            "zubi_call_tool",
            "zubi_call_tool",
            json!({ "tool": "rename_symbol", "arguments": { "uri": "a.hostile", "originalName": "alpha", "newName": "omega" } }),
        ),
    ] {
        let controlled = ControlledProject::new();
        let (mut agent, call) = call_while_daemon_dies(&controlled, "textDocument/rename", tool, &arguments);
        let (text, is_error) = answer_text(&mut agent, call);
        assert_outcome_unknown(&controlled.0, reported_tool, &text, is_error);
        assert_eq!(controlled.notification_count("textDocument/rename"), 1, "it is requested once");
        assert_eq!(controlled.0.project.read("a.hostile"), "alpha beta\n");
        // The next call is a new one and is carried out.
        let text = agent.call_text(tool, &arguments);
        assert_eq!(controlled.0.project.read("a.hostile"), "omega beta\n", "{text}");
        assert!(agent.close().success());
        processes::nothing_left_within(STEP_TIMEOUT).expect("nothing is left");
    }
}

const TOOLS: &str = r#"{ "version": "1.0", "tools": [{
  "id": "wait", "name": "Wait", "description": "Waits until somebody writes into a pipe. Use it to wait.",
  "parameters": { "type": "object", "properties": {} },
  "execution": { "type": "shell", "script": "echo begun >> begun && cat pipe" },
  "requiresApproval": false, "timeout": 60000
}] }"#;

#[test]
fn an_interrupted_command_is_not_rerun_and_leaves_no_process() {
    let fixture = HostsProject::python();
    fixture.project.write(".vscode/agent-tools.json", TOOLS);
    fixture.trust();
    let pipe = fixture.project.root().join("pipe");
    rustix::fs::mkfifoat(rustix::fs::CWD, pipe.as_str(), rustix::fs::Mode::from_raw_mode(0o600)).expect("a new pipe");
    let mut daemon = fixture.daemon(&[]);
    let mut agent = fixture.agent(&[]).with_user(json!({ "answer": "yes: this call" }));
    let call = agent.begin_call("workspace_wait", &json!({}));
    agent.wait_for_form();
    eventually("the command waits", STEP_TIMEOUT, || hosts::running_programs("cat pipe").first().cloned());
    daemon.kill();
    let (text, is_error) = answer_text(&mut agent, call);
    assert_outcome_unknown(&fixture, "workspace_wait", &text, is_error);
    eventually("the command has ended", STEP_TIMEOUT, || hosts::running_programs("cat pipe").is_empty().then_some(()));
    assert_eq!(fixture.project.read("begun"), "begun\n");
    assert!(agent.close().success());
    processes::nothing_left_within(STEP_TIMEOUT).expect("nothing is left");
}
