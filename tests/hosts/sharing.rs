//! The sessions that share a host, and the state that each session has for itself.

use std::fs::File;
use std::io::Read as _;
use std::process::Stdio;
use std::time::{Duration, Instant};

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use serde_json::{Value, json};
use zubi_tests::hosts::{self, HostsProject, STEP_TIMEOUT, eventually, is_below, pid};
use zubi_tests::{Agent, processes};

use crate::controlled::{ANSWER, ControlledProject};

/// Queries that a language server answers.
fn queries() -> [(&'static str, Value); 3] {
    [
        ("lsp_hover", json!({ "at": "shapes/shape.py:35 total_area" })),
        ("lsp_references", json!({ "symbol": "Circle", "path": "shapes/shape.py" })),
        ("lsp_document_symbols", json!({ "path": "shapes/report.py" })),
    ]
}

/// The unmodified answers of an agent to these queries.
fn answers(agent: &mut Agent) -> Vec<Value> {
    queries().iter().map(|(tool, arguments)| agent.call(tool, arguments)).collect()
}

fn hover(agent: &mut Agent) -> String {
    let [(tool, arguments), ..] = queries();
    agent.call_text(tool, &arguments)
}

/// The clients of a host, without the `zubi status` that lists them.
fn clients(host: &Value, own: &[Agent]) -> Vec<u32> {
    let own_pids: Vec<u32> = own.iter().map(Agent::pid).collect();
    let all = host["clients"].as_array().expect("clients").iter().map(pid);
    let mut found: Vec<u32> = all.filter(|pid| own_pids.contains(pid)).collect();
    found.sort_unstable();
    found
}

fn pids(agents: &[Agent]) -> Vec<u32> {
    let mut pids: Vec<u32> = agents.iter().map(Agent::pid).collect();
    pids.sort_unstable();
    pids
}

#[test]
fn ten_concurrent_agents_share_one_language_server() {
    let fixture = HostsProject::python();
    let mut agents = fixture.agents(10);
    let all: Vec<Vec<Value>> = agents.iter_mut().map(answers).collect();
    let [server] = &*hosts::running_programs("ty server") else { panic!("{:?}", processes::descendants()) };

    let status = fixture.status();
    let [host] = status["hosts"].as_array().expect("hosts").as_slice() else { panic!("{status}") };
    assert_eq!(
        (&host["kind"], &status["unreachable"], &status["disbelieved"]),
        (&json!("front"), &json!([]), &json!([]))
    );
    assert!(is_below(server, pid(host)), "{server:?} is not the host's: {status}");
    let others: Vec<u32> = pids(&agents).into_iter().filter(|other| *other != pid(host)).collect();
    assert_eq!((others.len(), clients(host, &agents)), (9, others), "{status}");

    // An agent's answers do not depend on which process owns the server.
    let mut own = fixture.agent(&["--host", "own"]);
    let expected = answers(&mut own);
    for (agent, answers) in agents.iter().zip(&all) {
        assert_eq!(*answers, expected, "{}", agent.stderr_text());
        assert_eq!(agent.stderr_text(), "");
    }
    assert_eq!(hosts::running_programs("ty server").len(), 2, "the private host has its own server");
    assert!(own.close().success());

    for agent in agents {
        assert!(agent.close().success());
    }
    processes::nothing_left_within(STEP_TIMEOUT).expect("nothing is left");
    assert_eq!(fixture.files().len(), 0);
}

#[test]
fn the_daemons_server_outlives_all_agents() {
    let fixture = HostsProject::python();
    let mut daemon = fixture.daemon(&[]);
    let mut agents = fixture.agents(10);
    let texts: Vec<String> = agents.iter_mut().map(hover).collect();
    assert!(texts[0].contains("total_area") && texts.iter().all(|text| *text == texts[0]), "{texts:?}");
    let servers = hosts::running_programs("ty server");
    let [server] = servers.as_slice() else { panic!("{servers:?}") };
    assert!(is_below(server, daemon.pid()), "{server:?}");
    let status = fixture.status();
    assert_eq!(pid(&status["hosts"][0]), daemon.pid());
    assert_eq!(clients(&status["hosts"][0], &agents), pids(&agents));

    for agent in agents {
        assert!(agent.close().success());
    }
    assert_eq!(hosts::running_programs("ty server"), servers, "the server has ended with the agents");
    assert_eq!(hover(&mut fixture.agent(&[])), texts[0]);
    assert_eq!(hosts::running_programs("ty server"), servers);

    // A command-line call uses the host too, and leaves no process behind.
    let printed = fixture.output(&["call", "lsp_hover", "--at", "shapes/shape.py:35 total_area"]);
    assert_eq!(printed.trim_end(), texts[0]);
    assert_eq!((hosts::running_programs("ty server"), fixture.live_records().len()), (servers, 1));

    let stopped = fixture.run(&["stop"]);
    assert!(stopped.status.success(), "{stopped:?}");
    assert_eq!(daemon.wait_for_exit(), Some(0), "{}", daemon.stderr_text());
    processes::nothing_left_within(STEP_TIMEOUT).expect("nothing is left");
    assert_eq!(fixture.files().len(), 0);
}

#[test]
fn a_call_without_a_host_leaves_nothing() {
    let fixture = HostsProject::python();
    fixture.output(&["call", "lsp_hover", "--at", "shapes/shape.py:35 total_area"]);
    processes::nothing_left_within(STEP_TIMEOUT).expect("nothing is left");
    assert_eq!(fixture.files().len(), 0);
}

#[test]
fn each_agent_has_its_own_filters() {
    let fixture = HostsProject::python();
    let _daemon = fixture.daemon(&[]);
    let mut unfiltered = fixture.agent(&[]);
    let all = unfiltered.tools();
    assert!(all.contains(&"apply_edit".to_owned()) && all.contains(&"lsp_definition".to_owned()), "{all:?}");
    for flag in ["--read-only", "--tools=lsp_definition,apply_edit", "--tools=!lsp_definition", "--toolsets=file"] {
        let mut filtered = fixture.agent(&[flag]);
        let mut own = fixture.agent(&[flag, "--host", "own"]);
        let tools = filtered.tools();
        assert_eq!(tools, own.tools(), "{flag}");
        assert_ne!(tools, all, "{flag}");
        // A tool that is not in the list cannot be called either.
        for name in ["apply_edit", "lsp_definition"].map(str::to_owned).iter().filter(|name| !tools.contains(name)) {
            let arguments = match name.as_str() {
                "lsp_definition" => json!({ "at": "shapes/shape.py:35 total_area" }),
                _ => json!({ "plan": "p-aaaaaaaaaa" }),
            };
            assert_eq!(filtered.call_error(name, &arguments), own.call_error(name, &arguments), "{flag} {name}");
            let delegated = json!({ "tool": name, "arguments": arguments });
            for caller in ["zubi_call_tool", "zubi_call_read_tool"] {
                assert_eq!(
                    filtered.call_error(caller, &delegated),
                    own.call_error(caller, &delegated),
                    "{flag} {name}"
                );
            }
        }
    }
    assert_eq!(unfiltered.tools(), all, "the filters of another agent affect this one");
    assert!(hover(&mut unfiltered).contains("total_area"));
}

#[test]
fn tools_excluded_from_a_daemon_are_unavailable() {
    let fixture = HostsProject::python();
    let _daemon = fixture.daemon(&["--read-only"]);
    let mut agent = fixture.agent(&[]);
    let tools = agent.tools();
    assert!(!tools.contains(&"apply_edit".to_owned()), "{tools:?}");
    agent.call_error("apply_edit", &json!({ "plan": "p-aaaaaaaaaa" }));
}

#[test]
fn private_hosts_neither_discover_nor_are_discovered() {
    let fixture = HostsProject::python();
    let own = |flags: &[&str], variable: Option<&str>| {
        let mut command = fixture.command();
        command.envs(variable.map(|value| ("ZUBI_HOST", value)));
        Agent::spawn(command, flags)
    };
    let private_options: [(&[&str], Option<&str>); 3] =
        [(&["--host", "own"], None), (&["--trust"], None), (&[], Some("own"))];
    for (flags, variable) in private_options {
        let mut agent = own(flags, variable);
        let mut other = own(flags, variable);
        assert_eq!(hover(&mut agent), hover(&mut other));
        assert_eq!(fixture.files().len(), 0, "{flags:?} {variable:?}");
        assert_eq!(hosts::running_programs("ty server").len(), 2, "{flags:?} {variable:?}");
        for agent in [agent, other] {
            assert!(agent.close().success());
        }
    }
    let _daemon = fixture.daemon(&[]);
    for (flags, variable) in private_options {
        let mut agent = own(flags, variable);
        hover(&mut agent);
        let status = fixture.status();
        assert_eq!(clients(&status["hosts"][0], &[agent]), [0; 0], "{status}");
    }
    // zubi reports an unknown value and does nothing.
    let refused = fixture.command().args(["call", "lsp_hover"]).env("ZUBI_HOST", "mine").output().expect("zubi starts");
    assert_eq!(refused.status.code(), Some(2), "{refused:?}");
}

#[test]
fn a_different_environment_is_reported_only_in_the_status_line() {
    let fixture = HostsProject::python();
    let _daemon = fixture.daemon(&[]);
    let answer = hover(&mut fixture.agent(&[]));
    for (variable, value, note) in [
        ("PATH", format!("{}:/nowhere", zubi_tests::tools::path(&["ty"])), "the host has another PATH"),
        ("VIRTUAL_ENV", "/some/venv".to_owned(), "the host has no Python environment"),
    ] {
        let mut command = fixture.command();
        command.env(variable, value);
        let mut agent = Agent::spawn(command, &[]);
        let line = answer.strip_suffix(']').expect("a status line");
        assert_eq!(hover(&mut agent), format!("{line} · {note}]"));
        // zubi adds no status line to an answer without one.
        let text = agent.call_error("lsp_hover", &json!({ "at": "nowhere.py:1:1" }));
        assert!(!text.contains(note), "{text}");
        assert_eq!(agent.stderr_text(), "");
    }
}

const TOOLS: &str = r#"{ "version": "1.0", "tools": [{
  "id": "greet", "name": "Greet", "description": "Says hello to somebody. Use it to greet.",
  "parameters": { "type": "object", "properties": { "name": { "type": "string", "description": "Whom" } }, "required": ["name"] },
  "execution": { "type": "shell", "script": "echo hello $name" }
}] }"#;

#[test]
fn an_approval_by_the_user_reaches_the_daemon() {
    let fixture = HostsProject::python();
    fixture.project.write(".vscode/agent-tools.json", TOOLS);
    fixture.trust();
    let _daemon = fixture.daemon(&[]);
    let arguments = json!({ "name": "Ada" });
    let approval = json!({ "answer": "yes: this call" });
    let mut agent = fixture.agent(&["--toolsets", "declared,tools"]).with_user(approval);
    assert!(agent.tools().contains(&"workspace_greet".to_owned()), "{:?}", agent.tools());
    let text = agent.call_text("workspace_greet", &arguments);
    assert!(text.starts_with("hello Ada"), "{text}");
    let [form] = agent.forms() else { panic!("{:?}", agent.forms()) };
    let message = form["message"].as_str().expect("a message");
    assert!(message.contains("workspace.greet wants to run") && message.contains("hello"), "{message}");

    let mut other = fixture.agent(&[]).with_user(json!({ "answer": "no", "reason": "use bonjour" }));
    let text = other.call_error("workspace_greet", &arguments);
    assert!(text.contains("the user denied it") && text.contains("they say: use bonjour"), "{text}");
    assert!(!other.tools().contains(&"workspace_greet".to_owned()), "the toolsets of one agent affect another");
    assert_eq!((agent.forms().len(), other.forms().len()), (1, 1), "each agent prompts its own user");
}

#[test]
fn progress_reaches_through_a_daemon() {
    let controlled = ControlledProject::new();
    controlled.withhold_answers(&["initialize"]);
    let _daemon = controlled.0.daemon(&[]);
    let mut agent = controlled.0.agent(&[]);
    let call = agent.begin_call("lsp_hover", &json!({ "at": "a.hostile:1:1" }));
    let progress = agent.progress(call);
    assert!(progress.contains("steered"), "{progress}");
}

#[test]
fn a_call_in_a_terminal_shows_progress() {
    let controlled = ControlledProject::new();
    controlled.withhold_answers(&["initialize"]);
    let mut screen = File::from(openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a terminal"));
    grantpt(&screen).expect("granted");
    unlockpt(&screen).expect("unlocked");
    let name = ptsname(&screen, Vec::new()).expect("a name");
    let terminal =
        File::options().read(true).write(true).open(name.to_str().expect("in UTF-8")).expect("its other end");
    let mut call = controlled.0.command();
    call.args(["call", "lsp_hover", "--at", "a.hostile:1:1"]).stdout(Stdio::null()).stderr(terminal);
    let mut child = call.spawn().expect("zubi starts");
    drop(call);
    let (mut output, mut buffer) = (String::new(), [0; 4096]);
    let line = "\r\u{1b}[Ksteered";
    // The call ends when the server's time to start is over. Then Linux returns an error.
    while !output.contains(line)
        && let Ok(read @ 1..) = screen.read(&mut buffer)
    {
        output.push_str(&String::from_utf8_lossy(buffer.get(..read).unwrap_or_default()));
    }
    child.kill().expect("it runs or has ended");
    child.wait().expect("it ends");
    assert!(output.contains(line), "{output:?}");
}

#[test]
fn cancellation_reaches_through_a_daemon() {
    let controlled = ControlledProject::new();
    let fixture = &controlled.0;
    controlled.withhold_answers(&["textDocument/hover"]);
    let _daemon = fixture.daemon(&[]);
    let mut agent = fixture.agent(&[]);
    let arguments = json!({ "at": "a.hostile:1:1" });
    let call = agent.begin_call("lsp_hover", &arguments);
    controlled.wait_until_received("textDocument/hover", 1);
    let start = Instant::now();
    agent.cancel(call);
    controlled.wait_until_received("$/cancelRequest", 1);
    assert!(start.elapsed() < Duration::from_secs(1), "{:?}", start.elapsed());
    // The agent has cancelled the call, and the server answers the next query at once.
    controlled.withhold_answers(&[]);
    let text = agent.call_text("lsp_hover", &arguments);
    assert!(text.contains(ANSWER), "{text}");

    // When an agent disconnects, its calls are cancelled too.
    controlled.withhold_answers(&["textDocument/hover"]);
    agent.begin_call("lsp_hover", &arguments);
    controlled.wait_until_received("textDocument/hover", 3);
    assert!(agent.close().success());
    controlled.wait_until_received("$/cancelRequest", 2);
    eventually("the daemon has no clients", STEP_TIMEOUT, || {
        let status = fixture.status();
        (status["hosts"][0]["clients"].as_array()?.len() == 1).then_some(())
    });
}
