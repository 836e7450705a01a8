//! Running calls and jobs when a session moves to another host, and hosts that it never moves to.

use rustix::fs::{CWD, Mode, mkfifoat};
use serde_json::json;
use zubi_tests::hosts::{self, HostsProject, PATIENCE, eventually, pid};
use zubi_tests::{Agent, Project, processes};

/// A tool that waits until another process writes into a pipe.
const WAITS: &str = r#"{ "version": "1.0", "tools": [{
  "id": "wait", "name": "Wait", "description": "Waits until somebody writes into a pipe. Use it to wait.",
  "parameters": { "type": "object", "properties": {} },
  "execution": { "type": "shell", "script": "cat pipe" }, "requiresApproval": false, "timeout": 60000
}] }"#;

fn place() -> HostsProject {
    let project = Project::empty();
    project.write("a.txt", "alpha\n");
    project.write(".vscode/agent-tools.json", WAITS);
    let place = HostsProject::new(project, &[]);
    mkfifoat(CWD, place.project.root().join("pipe").as_str(), Mode::from_raw_mode(0o600)).expect("a new pipe");
    place
}

/// Whether this agent is a client of that daemon.
fn asks(place: &HostsProject, daemon: u32, agent: u32) -> bool {
    let status = place.status();
    let hosts = status["hosts"].as_array().expect("hosts");
    let host = hosts.iter().find(|host| pid(host) == daemon).expect("the daemon");
    host["clients"].as_array().expect("clients").iter().any(|client| pid(client) == agent)
}

#[test]
fn what_the_own_host_was_asked_it_still_answers_after_a_move() {
    let place = place();
    let mut agent = place.agent(&[]).with_user(json!({ "answer": "yes: this call" }));
    let waiting = agent.begin_call("workspace_wait", &json!({}));
    agent.fill_in();
    eventually("the command waits", PATIENCE, || hosts::running_programs("cat pipe").first().cloned());
    let daemon = place.daemon(&[]);
    assert!(agent.call_text("file.read", &json!({ "path": "a.txt" })).contains("alpha"));
    assert!(asks(&place, daemon.pid(), agent.pid()), "it has moved");
    place.project.write("pipe", "a word from outside\n");
    let answer = agent.answer(waiting);
    let text = zubi_tests::agent::text(&answer["result"]);
    assert!(text.contains("a word from outside") && answer["result"]["isError"] != true, "{text}");
    assert!(agent.close().success());
    drop(daemon);
    processes::nothing_left_within(PATIENCE).expect("nothing is left");
}

#[test]
fn who_has_left_something_running_stays_with_it() {
    let place = place();
    let mut agent: Agent =
        place.agent(&["--toolsets=shell,file,tools"]).with_user(json!({ "answer": "yes: this call" }));
    let begun = agent.begin_call("shell_run", &json!({ "command": "cat pipe", "background": true }));
    agent.fill_in();
    let text = zubi_tests::agent::text(&agent.answer(begun)["result"]);
    assert!(text.contains("j-1"), "{text}");
    let daemon = place.daemon(&[]);
    agent.call_text("file.read", &json!({ "path": "a.txt" }));
    assert!(!asks(&place, daemon.pid(), agent.pid()), "it has left its job behind");
    assert!(agent.call_text("shell_job", &json!({})).contains("cat pipe"));
    place.project.write("pipe", "a word\n");
    eventually("the job has ended", PATIENCE, || hosts::running_programs("cat pipe").is_empty().then_some(()));
    eventually("the agent moves", PATIENCE, || {
        agent.call_text("file.read", &json!({ "path": "a.txt" }));
        asks(&place, daemon.pid(), agent.pid()).then_some(())
    });
    assert!(agent.close().success());
}

/// A relative path begins in the first folder of the host.
#[test]
fn a_host_of_more_folders_or_in_another_order_is_none() {
    let place = HostsProject::new(Project::empty(), &[]);
    for folder in ["a", "b"] {
        place.project.write(&format!("{folder}/x.txt"), &format!("of {folder}\n"));
    }
    let _daemon = place.daemon(&["--workspace=a", "--workspace=b"]);
    let asked = |folders: &[&str]| {
        let mut command = place.command();
        command.args(folders.iter().map(|folder| format!("--workspace={folder}")));
        command.args(["-v", "call", "file.read", "--path", "x.txt"]).stdin(std::process::Stdio::null());
        String::from_utf8(command.output().expect("zubi starts").stdout).expect("UTF-8")
    };
    assert!(asked(&["b"]).contains("of b"), "{}", asked(&["b"]));
    assert!(asked(&["b", "a"]).contains("of b"));
    assert!(asked(&["a", "b"]).contains("of a"));
    // Only that one workspace has the daemon.
    assert!(place.run(&["--workspace=b", "stop"]).status.code() == Some(1));
    place.output(&["--workspace=a", "--workspace=b", "stop"]);
}
