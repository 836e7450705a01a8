//! Agents whose host exits, hangs or is replaced by a preferred one find another; concurrent ones agree on one.

use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use zubi_tests::hosts::{self, HostsProject, STEP_TIMEOUT, eventually, is_below, pid};
use zubi_tests::processes::{self, Process};
use zubi_tests::{Agent, Project};

use crate::controlled::{ANSWER, ControlledProject};

/// The maximum time without a host after the previous one has exited.
const SUCCESSION_TIMEOUT: Duration = Duration::from_secs(10);

fn signal(pid: u32, signal: Signal) {
    let process = i32::try_from(pid).ok().and_then(Pid::from_raw).expect("a process");
    kill_process(process, signal).expect("a signal");
}

fn hover(agent: &mut Agent) -> String {
    agent.call_text("lsp_hover", &json!({ "at": "shapes/shape.py:35 total_area" }))
}

/// Returns the answer of the agents, which must be equal.
fn hover_all(agents: &mut [Agent]) -> String {
    let mut texts: Vec<String> = agents.iter_mut().map(hover).collect();
    texts.dedup();
    assert_eq!(texts.len(), 1, "{texts:?}");
    texts.remove(0)
}

/// Waits until exactly one server runs below this host, and returns it.
fn only_server(host: u32) -> Process {
    eventually(&format!("one server below {host}"), STEP_TIMEOUT, || {
        let servers = hosts::running_programs("ty server");
        let [server] = servers.as_slice() else { return None };
        is_below(server, host).then(|| server.clone())
    })
}

/// Removes the agent that is the host from the list.
fn take_host(fixture: &HostsProject, agents: &mut Vec<Agent>) -> Agent {
    let host = pid(&fixture.only_host());
    let index = agents.iter().position(|agent| agent.pid() == host).expect("one of them is the host");
    agents.remove(index)
}

/// Returns the process ID of the only host, once it differs from the previous one.
fn next_host(fixture: &HostsProject, before: u32) -> u32 {
    eventually("another host", SUCCESSION_TIMEOUT, || {
        let records = fixture.live_records();
        let [host] = records.as_slice() else { return None };
        (pid(host) != before).then(|| pid(host))
    })
}

/// Ends the host of ten agents with this signal: the other nine must get a new one without a request.
fn check_succession(by: Signal) {
    let fixture = HostsProject::python();
    let mut agents = fixture.agents(10);
    let expected = hover_all(&mut agents);
    for _ in 0..2 {
        let mut host = take_host(&fixture, &mut agents);
        signal(host.pid(), by);
        host.wait_for_exit();
        let next = next_host(&fixture, host.pid());
        assert!(agents.iter().any(|agent| agent.pid() == next), "{next}");
        assert_eq!(hover_all(&mut agents), expected);
        only_server(next);
        let status = fixture.status();
        assert_eq!(status["hosts"][0]["clients"].as_array().expect("clients").len(), agents.len(), "{status}");
    }
    let stderr: String = agents.iter().map(Agent::stderr_text).collect();
    assert_eq!(stderr, "");
    drop(agents);
    processes::nothing_left_within(STEP_TIMEOUT).expect("nothing is left");
}

#[test]
fn a_client_succeeds_a_killed_host() {
    check_succession(Signal::KILL);
}

#[test]
fn a_client_succeeds_a_terminated_host() {
    check_succession(Signal::TERM);
}

#[test]
fn a_client_succeeds_a_host_whose_input_ends() {
    let fixture = HostsProject::python();
    let mut agents = fixture.agents(3);
    let expected = hover_all(&mut agents);
    while agents.len() > 1 {
        let host = take_host(&fixture, &mut agents);
        let before = host.pid();
        assert!(host.close().success());
        let next = next_host(&fixture, before);
        assert_eq!(hover_all(&mut agents), expected);
        only_server(next);
    }
}

#[test]
fn agents_move_to_a_new_daemon_and_elect_a_host_when_it_ends() {
    let fixture = HostsProject::python();
    let mut agents = fixture.agents(4);
    let expected = hover_all(&mut agents);
    for _ in 0..2 {
        let mut daemon = fixture.daemon(&[]);
        assert_eq!(hover_all(&mut agents), expected);
        // The agent that was the host is now a client and receives no requests, so its server has ended.
        only_server(daemon.pid());
        assert_eq!(pid(&fixture.only_host()), daemon.pid());

        assert!(fixture.run(&["stop"]).status.success());
        assert_eq!(daemon.wait_for_exit(), Some(0));
        let host = next_host(&fixture, daemon.pid());
        assert!(agents.iter().any(|agent| agent.pid() == host), "{host}");
        assert_eq!(hover_all(&mut agents), expected);
        only_server(host);
    }
}

#[test]
fn a_second_daemon_is_refused_and_one_of_five_serves() {
    let fixture = HostsProject::python();
    let mut children: Vec<_> =
        (0..5).map(|_| fixture.command().args(["serve", "--no-port"]).spawn().expect("zubi starts")).collect();
    // All but one end by themselves.
    let mut codes = Vec::new();
    eventually("one serves", STEP_TIMEOUT, || {
        children.retain_mut(|child| match child.try_wait().expect("a child") {
            Some(status) => {
                codes.push(status.code());
                false
            }
            None => true,
        });
        (children.len() == 1).then_some(())
    });
    assert_eq!(codes, [Some(1); 4]);
    assert_eq!(pid(&fixture.only_host()), children[0].id());
    let refused = fixture.run(&["serve"]);
    let stderr = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert_eq!(refused.status.code(), Some(1), "{stderr}");
    assert!(
        stderr.contains(&format!("a daemon serves this workspace already (process {})", children[0].id())),
        "{stderr}"
    );
    assert!(fixture.run(&["stop"]).status.success());
    assert_eq!(children[0].wait().expect("a child").code(), Some(0));
}

#[test]
fn a_detached_daemon_serves_until_it_is_stopped() {
    let fixture = HostsProject::python();
    fixture.output(&["serve", "--detach"]);
    let daemon = pid(&fixture.only_host());
    let mut agent = fixture.agent(&[]);
    hover(&mut agent);
    only_server(daemon);
    assert!(agent.close().success());
    assert!(fixture.run(&["stop"]).status.success());
    processes::nothing_left_within(STEP_TIMEOUT).expect("nothing is left");
    let second_stop = fixture.run(&["stop"]);
    assert_eq!(second_stop.status.code(), Some(1), "{second_stop:?}");
}

#[test]
fn a_hung_host_is_replaced_and_may_resume() {
    let controlled = ControlledProject::new();
    let fixture = &controlled.0;
    let mut agents = fixture.agents(3);
    let arguments = json!({ "at": "a.hostile:1:1" });
    let mut answers: Vec<String> = agents.iter_mut().map(|agent| agent.call_text("lsp_hover", &arguments)).collect();
    answers.dedup();
    let [expected] = answers.as_slice() else { panic!("{answers:?}") };
    assert!(expected.contains(ANSWER), "{expected}");

    let mut host = take_host(fixture, &mut agents);
    signal(host.pid(), Signal::STOP);
    let start = Instant::now();
    // All calls begin at once, and each waits for its own answer.
    let calls: Vec<u64> = agents.iter_mut().map(|agent| agent.begin_call("lsp_hover", &arguments)).collect();
    for (agent, call) in agents.iter_mut().zip(calls) {
        let answer = agent.answer(call);
        assert_eq!(answer["result"]["content"][0]["text"].as_str(), Some(expected.as_str()), "{answer}");
    }
    assert!(start.elapsed() < Duration::from_secs(40), "{:?}", start.elapsed());

    signal(host.pid(), Signal::CONT);
    // There are two hosts now. Every agent uses one, even the suspended one.
    assert_eq!(host.call_text("lsp_hover", &arguments), *expected);
    for agent in &mut agents {
        assert_eq!(agent.call_text("lsp_hover", &arguments), *expected);
    }
    for agent in agents.into_iter().chain([host]) {
        assert!(agent.close().success());
    }
    processes::nothing_left_within(STEP_TIMEOUT).expect("nothing is left");
}

#[test]
fn ten_concurrent_agents_elect_one_host() {
    let fixture = HostsProject::python();
    for round in 0..5 {
        let mut agents = fixture.agents(10);
        for agent in &mut agents {
            agent.initialize();
        }
        let records = fixture.live_records();
        assert_eq!(records.len(), 1, "round {round}: {records:?}");
        assert!(agents.iter().any(|agent| agent.pid() == pid(&records[0])), "round {round}: {records:?}");
        let stderr: String = agents.iter().map(Agent::stderr_text).collect();
        assert_eq!(stderr, "", "round {round}");
        // Agents that are killed at the same time leave the file of a dead host behind.
        drop(agents);
        processes::nothing_left_within(STEP_TIMEOUT).expect("nothing is left");
    }
}

#[test]
fn each_agent_uses_a_host_of_its_folder() {
    let fixture = HostsProject::python();
    fixture.project.write("shapes/inner/inside.py", "def inside() -> int:\n    return 1\n");
    let folders = [".", "shapes", "shapes/inner"];
    let spawn_in_folder = |folder: &str| Agent::spawn(fixture.command_in(folder), &[]);
    // Two agents of each kind.
    let mut agents: Vec<(&str, Agent)> =
        folders.iter().chain(&folders).map(|folder| (*folder, spawn_in_folder(folder))).collect();
    for (_, agent) in &mut agents {
        agent.initialize();
    }
    let records = fixture.live_records();
    let mut workspaces: Vec<&Value> = records.iter().map(|host| &host["workspaceFolders"]).collect();
    workspaces.sort_by_key(ToString::to_string);
    let absolute = |folder: &str| match folder {
        "." => json!([fixture.project.root()]),
        _ => json!([fixture.project.root().join(folder)]),
    };
    let expected = folders.map(absolute);
    assert_eq!(workspaces, expected.iter().collect::<Vec<_>>());
    // Paths are relative to each agent's own folder.
    for (folder, agent) in &mut agents {
        let path = match *folder {
            "." => "shapes/inner/inside.py",
            "shapes" => "inner/inside.py",
            _ => "inside.py",
        };
        let text = agent.call_text("lsp_document_symbols", &json!({ "path": path, "wait": "ready" }));
        assert!(text.contains("inside") && text.contains(path), "{folder}: {text}");
    }
    let status = fixture.status();
    for host in status["hosts"].as_array().expect("hosts") {
        let clients = host["clients"].as_array().expect("clients");
        // The clients are the folder's other agent, and the command that sends the request.
        assert_eq!((clients.len(), host["servers"].as_array().expect("servers").len()), (2, 1), "{status}");
    }
    // The daemon of the outer folder does not serve the inner ones.
    let daemon = fixture.daemon(&[]);
    for (folder, agent) in &mut agents {
        let symbols = agent.call_text("lsp_workspace_symbols", &json!({ "query": "inside" }));
        assert!(symbols.contains("inside.py"), "{folder}: {symbols}");
    }
    let status = fixture.status();
    let hosts = status["hosts"].as_array().expect("hosts");
    let daemon_host = hosts.iter().find(|host| pid(host) == daemon.pid()).expect("the daemon");
    // The clients are both agents of the folder, and the command that sends the request.
    assert_eq!(daemon_host["clients"].as_array().map(Vec::len), Some(3), "{status}");
    let mut workspaces: Vec<(Value, Value)> =
        fixture.live_records().iter().map(|host| (host["workspaceFolders"].clone(), host["kind"].clone())).collect();
    workspaces.sort_by_key(|(folders, _)| folders.to_string());
    let kinds: Vec<&str> = workspaces.iter().filter_map(|(_, kind)| kind.as_str()).collect();
    assert_eq!(kinds, ["daemon", "front", "front"], "{workspaces:?}");
}

#[test]
fn two_workspaces_have_separate_hosts() {
    let fixture = HostsProject::python();
    let other = Project::fixture("python");
    let spawn_in_other = || {
        let mut command = fixture.command();
        command.current_dir(other.root());
        Agent::spawn(command, &[])
    };
    let mut agents = [fixture.agent(&[]), spawn_in_other(), fixture.agent(&[]), spawn_in_other()];
    for agent in &mut agents {
        hover(agent);
    }
    assert_eq!((fixture.live_records().len(), hosts::running_programs("ty server").len()), (2, 2));
    let status = fixture.status();
    let hosts = status["hosts"].as_array().expect("hosts");
    let find_pid = |root: &camino::Utf8Path| {
        let has_folder = |host: &&Value| host["workspaceFolders"][0]["path"] == root.as_str();
        hosts.iter().find(has_folder).map(pid).expect("its host")
    };
    let (first, second) = (find_pid(fixture.project.root()), find_pid(other.root()));
    assert!([agents[0].pid(), agents[2].pid()].contains(&first), "{status}");
    assert!([agents[1].pid(), agents[3].pid()].contains(&second), "{status}");
}

#[test]
fn a_host_of_another_version_is_reported_and_not_used() {
    let fixture = HostsProject::python();
    let mut daemon = fixture.daemon(&[]);
    let [file] = &*fixture.files() else { panic!("{:?}", fixture.live_records()) };
    let mut record = fixture.only_host();
    record["version"] = json!(99);
    record["program"] = json!("7.8.9");
    std::fs::write(file, record.to_string()).expect("a file of ours");

    let mut agent = fixture.agent(&[]);
    hover(&mut agent);
    let stderr = agent.stderr_text();
    assert!(stderr.starts_with("warning: the host of this workspace in process "), "{stderr}");
    assert!(
        stderr.contains("it speaks version 99 of the protocol (zubi 7.8.9)") && stderr.lines().count() == 1,
        "{stderr}"
    );
    only_server(agent.pid());
    let status = fixture.status();
    assert_eq!(status["hosts"].as_array().map(Vec::len), Some(1), "{status}");
    assert_eq!(pid(&status["unreachable"][0]), daemon.pid(), "{status}");
    hover(&mut agent);
    assert_eq!(agent.stderr_text(), stderr, "the warning is printed once");
    daemon.kill();
}
