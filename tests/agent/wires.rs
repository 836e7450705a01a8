//! One conversation over all five APIs: the events are the same for every provider. And the models without a provider.

use std::process::{Output, Stdio};

use insta::assert_snapshot;
use serde_json::{Value, json};
use zubi_tests::hosts::HostsProject;
use zubi_tests::models::{self, Dialect, Expect, Says, Server, Turn};
use zubi_tests::{Project, tools};

use crate::harness::{nothing_is_left, story};

/// The key that the server requires, and that must not be printed.
const KEY: &str = "sk-scripted-0123456789";

fn script() -> Vec<Turn> {
    let looks = Says::text("I look into it. ")
        .with_reasoning("Two files? ", Some("c2lnbmVk"))
        .call("file_read", json!({ "path": "notes.txt" }))
        .call("file_list", json!({}))
        .usage(900, 30, 0);
    let says = Says::text("One and two: “größer” 😀.").usage(1000, 12, 0);
    vec![
        Turn::says(looks).split(11).expect(Expect::Tools(vec!["file_read", "file_list"])).expect(Expect::Messages(1)),
        Turn::says(says).split(3).expect(Expect::Outcomes(vec!["two".to_owned(), "notes.txt".to_owned()])),
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

    let place = HostsProject::new(project, &[]);
    let mut command = place.command();
    command.args(["agent", "run", "What is in notes.txt?", "--json"]).args(words).stdin(Stdio::null());
    let output = command.env("SCRIPTED_KEY", KEY).output().expect("zubi runs");
    server.finish();
    for shown in [&output.stdout, &output.stderr] {
        let shown = String::from_utf8_lossy(shown);
        assert!(!shown.contains(KEY), "{dialect:?}: the key is shown: {shown}");
    }
    output
}

/// Renders the events without ids; tokens and reasoning are the same for every API.
fn check(dialect: Dialect) -> String {
    let output = run(dialect, script(), &[]);
    let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{dialect:?}: {stdout}{stderr}");
    let events: Vec<Value> = stdout.lines().map(|line| serde_json::from_str(line).expect("an event")).collect();
    let thought: String =
        events.iter().filter(|it| it["type"] == "thought").filter_map(|it| it["text"].as_str()).collect();
    let answered: Vec<&Value> = events.iter().filter(|event| event["type"] == "answered").collect();
    let usage = |event: &&Value| event["usage"].to_string();
    let usage: Vec<String> = answered.iter().map(usage).collect();
    let reasoning = &answered[0]["said"]["reasoning"];
    format!("{}\nthought {thought:?}, kept {reasoning}\n{}", story(&events), usage.join("\n"))
}

#[test]
fn a_conversation_is_the_same_over_every_api() {
    let told: Vec<String> = Dialect::ALL.into_iter().map(check).collect();
    assert_snapshot!(told[0], @r#"
    > What is in notes.txt?
    "I look into it. " + file_read {"path":"notes.txt"} + file_list {}
    → Read a file: notes.txt
    → List files
    = one
    = 1 file in .
    "One and two: “größer” 😀."
    ended completed: "One and two: “größer” 😀."
    thought "Two files? ", kept "Two files? "
    {"input":900,"output":30,"cached":0}
    {"input":1000,"output":12,"cached":0}
    "#);
    for (dialect, other) in Dialect::ALL.into_iter().zip(&told) {
        assert_eq!(*other, told[0], "{dialect:?}");
    }
    nothing_is_left();
}

#[test]
fn a_key_that_a_server_sends_back_is_shown_nowhere() {
    for dialect in Dialect::ALL {
        let words = format!("authentication_error: the key {KEY} is not one of ours");
        let mut turns = vec![Turn::refuses(401, &words)];
        // Gemini's errors in the middle of an answer have a status that causes a retry.
        if dialect != Dialect::Gemini {
            turns.push(Turn::says(Says::text("I look. ").error(&words)));
        }
        for turn in turns {
            let output = run(dialect, vec![turn], &["-vv"]);
            let told = String::from_utf8_lossy(&output.stdout);
            assert!(told.contains("is not one of ours"), "{dialect:?}: {told}");
        }
    }
    nothing_is_left();
}

/// Returns the output of the program in a copy of an example.
fn print(place: &HostsProject, words: &[&str]) -> String {
    let output = place.run(&[&["agent"], words].concat());
    let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{stdout}{stderr}");
    format!("{}\n", stdout.trim_end())
}

#[test]
fn the_scenario_of_the_examples_is_true_of_them() {
    let place = HostsProject::new(Project::example("bank"), &[]);
    let scenario = tools::ROOT.join("examples/scenarios/bank.yaml");
    let model = format!("mock:{scenario}");
    let mut told = print(&place, &["run", "--model", &model, "Which parts of payments have no team?"]);
    told.push_str(&print(&place, &["resume", "Who depends on it?"]));
    told.push_str(&print(&place, &["replay", scenario.as_str()]));
    assert_snapshot!(told, @"
    One of four: **Direct-Debit**. It says what it does, “Collects what is owed”, and a comment above it in
    `domains/payments.dlang` says that it is being built; but nobody is named as its team.

    Clearing, Fraud-Detection and Instant-Transfer are MoneyMovement's.
    Nobody. Clearing knows of it, and they go separate ways.
    2 turns, 3 calls: as it was
    ");
    nothing_is_left();
}

#[test]
fn the_mock_needs_nothing_installed() {
    let place = HostsProject::new(Project::example("bank"), &[]);
    let mut told = String::new();
    for question in ["read the file `model.yaml`", "search for Direct-Debit", "what is in the domain model?"] {
        told.push_str(&print(&place, &["run", "--model", "mock", question]));
    }
    assert_snapshot!(told, @r#"
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
    nothing_is_left();
}
