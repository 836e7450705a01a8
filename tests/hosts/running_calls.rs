//! Running calls and jobs when a session moves to another host, and hosts to which a session never moves.

use rustix::fs::{CWD, Mode, mkfifoat};
use serde_json::json;
use zubi_tests::hosts::{self, HostsProject, STEP_TIMEOUT, eventually, pid};
use zubi_tests::{Agent, Project, processes};

/// A tool that waits until another process writes into a pipe.
const WAIT_TOOL: &str = r#"{ "version": "1.0", "tools": [{
  "id": "wait", "name": "Wait", "description": "Waits until somebody writes into a pipe. Use it to wait.",
  "parameters": { "type": "object", "properties": {} },
  "execution": { "type": "shell", "script": "cat pipe" }, "requiresApproval": false, "timeout": 60000
}] }"#;

fn hosts_project() -> HostsProject {
    let project = Project::empty();
    project.write("a.txt", "alpha\n");
    project.write(".vscode/agent-tools.json", WAIT_TOOL);
    let fixture = HostsProject::new(project, &[]);
    mkfifoat(CWD, fixture.project.root().join("pipe").as_str(), Mode::from_raw_mode(0o600)).expect("a new pipe");
    fixture
}

/// Whether this agent is a client of that daemon.
fn is_client(fixture: &HostsProject, daemon: u32, agent: u32) -> bool {
    let status = fixture.status();
    let hosts = status["hosts"].as_array().expect("hosts");
    let host = hosts.iter().find(|host| pid(host) == daemon).expect("the daemon");
    host["clients"].as_array().expect("clients").iter().any(|client| pid(client) == agent)
}

#[test]
fn a_call_on_the_own_host_is_answered_after_a_move() {
    let fixture = hosts_project();
    let mut agent = fixture.agent(&[]);
    let call = agent.begin_call("workspace_wait", &json!({}));
    eventually("the command waits", STEP_TIMEOUT, || hosts::running_programs("cat pipe").first().cloned());
    let daemon = fixture.daemon(&[]);
    assert!(agent.call_text("file.read", &json!({ "path": "a.txt" })).contains("alpha"));
    assert!(is_client(&fixture, daemon.pid(), agent.pid()), "the agent has not moved");
    fixture.project.write("pipe", "a word from outside\n");
    let answer = agent.answer(call);
    let text = zubi_tests::agent::text(&answer["result"]);
    assert!(text.contains("a word from outside") && answer["result"]["isError"] != true, "{text}");
    assert!(agent.close().success());
    drop(daemon);
    processes::nothing_left_within(STEP_TIMEOUT).expect("nothing is left");
}

#[test]
fn an_agent_with_a_background_command_does_not_move() {
    let fixture = hosts_project();
    let mut agent: Agent = fixture.agent(&["--toolsets=shell,file,tools"]);
    let call = agent.begin_call("shell_run", &json!({ "command": "cat pipe", "background": true }));
    let text = zubi_tests::agent::text(&agent.answer(call)["result"]);
    assert!(text.contains("j-1"), "{text}");
    let daemon = fixture.daemon(&[]);
    agent.call_text("file.read", &json!({ "path": "a.txt" }));
    assert!(!is_client(&fixture, daemon.pid(), agent.pid()), "the agent has moved away from its job");
    assert!(agent.call_text("shell_job", &json!({})).contains("cat pipe"));
    fixture.project.write("pipe", "a word\n");
    eventually("the job has ended", STEP_TIMEOUT, || hosts::running_programs("cat pipe").is_empty().then_some(()));
    eventually("the agent moves", STEP_TIMEOUT, || {
        agent.call_text("file.read", &json!({ "path": "a.txt" }));
        is_client(&fixture, daemon.pid(), agent.pid()).then_some(())
    });
    assert!(agent.close().success());
}

/// A relative path starts in the first folder of the host.
#[test]
fn a_host_with_other_folders_or_another_order_is_not_used() {
    let fixture = HostsProject::new(Project::empty(), &[]);
    for folder in ["a", "b"] {
        fixture.project.write(&format!("{folder}/x.txt"), &format!("of {folder}\n"));
    }
    let _daemon = fixture.daemon(&["--workspace=a", "--workspace=b"]);
    let read_file = |folders: &[&str]| {
        let mut command = fixture.command();
        command.args(folders.iter().map(|folder| format!("--workspace={folder}")));
        command.args(["-v", "call", "file.read", "--path", "x.txt"]).stdin(std::process::Stdio::null());
        String::from_utf8(command.output().expect("zubi starts").stdout).expect("UTF-8")
    };
    assert!(read_file(&["b"]).contains("of b"), "{}", read_file(&["b"]));
    assert!(read_file(&["b", "a"]).contains("of b"));
    assert!(read_file(&["a", "b"]).contains("of a"));
    // Only that workspace has the daemon.
    assert!(fixture.run(&["--workspace=b", "stop"]).status.code() == Some(1));
    fixture.output(&["--workspace=a", "--workspace=b", "stop"]);
}
