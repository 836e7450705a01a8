//! One conversation over all five APIs: every provider gives the same events. Also models without a provider.

use std::process::{Output, Stdio};

use insta::assert_snapshot;
use serde_json::{Value, json};
use zubi_tests::hosts::HostsProject;
use zubi_tests::models::{self, Dialect, Expect, ScriptedReply, Server, Turn};
use zubi_tests::{Project, tools};

use crate::harness::{assert_no_processes_left, transcript};

/// The key that the server requires and the program must not print.
const KEY: &str = "sk-scripted-0123456789";

fn script() -> Vec<Turn> {
    let first = ScriptedReply::text("I look into it. ")
        .with_reasoning("Two files? ", Some("c2lnbmVk"))
        .call("file_read", json!({ "path": "notes.txt" }))
        .call("file_list", json!({}))
        .usage(900, 30, 0);
    let reply = ScriptedReply::text("One and two: “größer” 😀.").usage(1000, 12, 0);
    vec![
        Turn::reply(first).split(11).expect(Expect::Tools(vec!["file_read", "file_list"])).expect(Expect::Messages(1)),
        Turn::reply(reply).split(3).expect(Expect::Outcomes(vec!["two".to_owned(), "notes.txt".to_owned()])),
    ]
}

/// Returns the output of the program with a model of this API. It never contains the key.
fn run(dialect: Dialect, turns: Vec<Turn>, words: &[&str]) -> Output {
    let project = Project::empty();
    project.write("notes.txt", "one\ntwo\n");
    let server = Server::start(dialect, KEY, turns);
    let config = project.home().join("config/zubi");
    std::fs::create_dir_all(&config).expect("a new directory");
    let section = models::configuration(dialect, &server);
    let model = format!("model = \"scripted/{}\"\n{section}", models::MODEL);
    std::fs::write(config.join("zubi.toml"), model).expect("a new file");

    let fixture = HostsProject::new(project, &[]);
    let mut command = fixture.command();
    command.args(["agent", "run", "What is in notes.txt?", "--json"]).args(words).stdin(Stdio::null());
    let output = command.env("SCRIPTED_KEY", KEY).output().expect("zubi runs");
    server.finish();
    for bytes in [&output.stdout, &output.stderr] {
        let text = String::from_utf8_lossy(bytes);
        assert!(!text.contains(KEY), "{dialect:?}: the key is shown: {text}");
    }
    output
}

/// Renders the events without ids; tokens and reasoning are the same for every API.
fn check(dialect: Dialect) -> String {
    let output = run(dialect, script(), &[]);
    let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{dialect:?}: {stdout}{stderr}");
    let events: Vec<Value> = stdout.lines().map(|line| serde_json::from_str(line).expect("an event")).collect();
    let streamed: String =
        events.iter().filter(|it| it["type"] == "thought").filter_map(|it| it["text"].as_str()).collect();
    let answered: Vec<&Value> = events.iter().filter(|event| event["type"] == "answered").collect();
    let usage = |event: &&Value| event["usage"].to_string();
    let usage: Vec<String> = answered.iter().map(usage).collect();
    let reasoning = &answered[0]["said"]["reasoning"];
    format!("{}\nstreamed reasoning {streamed:?}, stored {reasoning}\n{}", transcript(&events), usage.join("\n"))
}

#[test]
fn a_conversation_is_the_same_over_every_api() {
    let transcripts: Vec<String> = Dialect::ALL.into_iter().map(check).collect();
    assert_snapshot!(transcripts[0], @r#"
    > What is in notes.txt?
    "I look into it. " + file_read {"path":"notes.txt"} + file_list {}
    → Read a file: notes.txt
    → List files
    = one
    = 1 file in .
    "One and two: “größer” 😀."
    ended completed: "One and two: “größer” 😀."
    streamed reasoning "Two files? ", stored "Two files? "
    {"input":900,"output":30,"cached":0}
    {"input":1000,"output":12,"cached":0}
    "#);
    for (dialect, other) in Dialect::ALL.into_iter().zip(&transcripts) {
        assert_eq!(*other, transcripts[0], "{dialect:?}");
    }
    assert_no_processes_left();
}

#[test]
fn a_key_in_a_server_error_is_redacted() {
    for dialect in Dialect::ALL {
        let words = format!("authentication_error: the key {KEY} is not one of ours");
        let mut turns = vec![Turn::refusal(401, &words)];
        // Gemini's errors in the middle of an answer have a status that causes a retry.
        if dialect != Dialect::Gemini {
            turns.push(Turn::reply(ScriptedReply::text("I look. ").error(&words)));
        }
        for turn in turns {
            let output = run(dialect, vec![turn], &["-vv"]);
            let stdout = String::from_utf8_lossy(&output.stdout);
            assert!(stdout.contains("is not one of ours"), "{dialect:?}: {stdout}");
        }
    }
    assert_no_processes_left();
}

/// Returns the output of the program in a copy of an example.
fn run_agent(fixture: &HostsProject, words: &[&str]) -> String {
    let output = fixture.run(&[&["agent"], words].concat());
    let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{stdout}{stderr}");
    format!("{}\n", stdout.trim_end())
}

#[test]
fn example_scenarios_replay_without_differences() {
    let fixture = HostsProject::new(Project::example("bank"), &[]);
    let scenario = tools::ROOT.join("examples/scenarios/bank.yaml");
    let model = format!("mock:{scenario}");
    let mut output = run_agent(&fixture, &["run", "--model", &model, "Which parts of payments have no team?"]);
    output.push_str(&run_agent(&fixture, &["resume", "Who depends on it?"]));
    output.push_str(&run_agent(&fixture, &["replay", scenario.as_str()]));
    assert_snapshot!(output, @"
    One of four: **Direct-Debit**. It says what it does, “Collects what is owed”, and a comment above it in
    `domains/payments.dlang` says that it is being built; no team is named.

    Clearing, Fraud-Detection and Instant-Transfer are MoneyMovement's.
    No context. Clearing knows of it, and they go separate ways.
    2 turns, 3 calls: as it was
    ");
    assert_no_processes_left();
}

#[test]
fn the_mock_model_needs_no_provider() {
    let fixture = HostsProject::new(Project::example("bank"), &[]);
    let mut output = String::new();
    for question in ["read the file `model.yaml`", "search for Direct-Debit", "what is in the domain model?"] {
        output.push_str(&run_agent(&fixture, &["run", "--model", "mock", question]));
    }
    assert_snapshot!(output, @r#"
    `file_read` answered:

    model:
      name: acme/bank
      version: 1.2.0
      entry: index.dlang

    paths:
      "@": "."
      "@common": "./common"
      "@domains": "./domains"

    dependencies:
      # Kept in .dlang/packages, as `model.lock` says.
    … and 8 more lines
    `file_search` answered:

    2 lines match `Direct-Debit` in 1 file
    domains/payments.dlang
      13:27  this [SW] Direct-Debit
      24:12  bc Direct-Debit for Payments { description: "Collects what is owed" }
    [disk · 12 files searched]
    `domainlang_get` answered:

    {"summary":{"fileCount":8,"domainCount":5,"boundedContextCount":9,"teamCount":3,"classificationCount":13,"contextMapCount":1,"domainMapCount":1,"namespaceCount"…
    "#);
    assert_no_processes_left();
}
