//! The reasons that end a turn before the model has answered, and the output for each.

use std::process::{Command, Stdio};

use insta::assert_snapshot;
use serde_json::json;
use zubi_tests::Project;
use zubi_tests::hosts::HostsProject;
use zubi_tests::models::{Expect, ScriptedReply, Turn};

use crate::harness::{Scene, check};

fn read_turn(path: &str) -> Turn {
    Turn::reply(ScriptedReply::text("").call("file_read", json!({ "path": path })).usage(1_000, 10, 0))
}

#[test]
fn exceeded_budgets_end_a_turn_with_a_report() {
    assert_snapshot!(check(vec![read_turn("notes.txt"), read_turn("nothing.txt")], &["--max-iterations", "2"]), @r#"
    > Do it.
    "" + file_read {"path":"notes.txt"}
    → Read a file: notes.txt
    = one
    "" + file_read {"path":"nothing.txt"}
    → Read a file: nothing.txt
    ✗ invalid_input: Invalid input: path: `nothing.txt` does not exist in the workspace; paths are relative to `[project]`
    ended iterations: "The model was called 2 times, which is the limit.\nCalls made: file.read 2 (1 failed).\nThe remaining work is not known."
      The model was called 2 times, which is the limit. Send “continue” in this conversation, or raise the limit.
    exit 1
    "#);
    assert_snapshot!(check(vec![read_turn("notes.txt"), read_turn("nothing.txt")], &["--max-calls", "1"]), @r#"
    > Do it.
    "" + file_read {"path":"notes.txt"}
    → Read a file: notes.txt
    = one
    "" + file_read {"path":"nothing.txt"}
    → file_read
    ✗ cancelled: Not made. 1 call was made, which is the limit.
    ended calls: "1 call was made, which is the limit.\nCalls made: file.read 1.\nCalls requested but not made: 1.\nThe remaining work is not known."
      1 call was made, which is the limit. Send “continue” in this conversation, or raise the limit.
    exit 1
    "#);
    assert_snapshot!(check(vec![read_turn("notes.txt"), read_turn("nothing.txt")], &["--max-tokens", "1500"]), @r#"
    > Do it.
    "" + file_read {"path":"notes.txt"}
    → Read a file: notes.txt
    = one
    "" + file_read {"path":"nothing.txt"}
    → file_read
    ✗ cancelled: Not made. 2020 tokens were used; the limit is 1500.
    ended tokens: "2020 tokens were used; the limit is 1500.\nCalls made: file.read 1.\nCalls requested but not made: 1.\nThe remaining work is not known."
      2020 tokens were used; the limit is 1500. Send “continue” in this conversation, or raise the limit.
    exit 1
    "#);
}

/// If the process cannot write to disk, neither a call's result nor the turn's end can be stored.
#[test]
fn a_turn_end_that_cannot_be_stored_is_reported() {
    let fixture = HostsProject::new(Project::empty(), &[]);
    fixture.project.write("notes.txt", "one\n");
    let zubi = fixture.command();
    let script = "trap '' XFSZ; ulimit -f 1; exec \"$0\" agent run --model mock 'list the files'";
    let mut command = Command::new("bash");
    command.args(["-c", script]).arg(zubi.get_program()).stdin(Stdio::null());
    let envs = zubi.get_envs().filter_map(|(name, value)| Some((name, value?)));
    command.env_clear().envs(envs).current_dir(fixture.project.root());
    let output = command.output().expect("bash starts");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success(), "{stderr}");
    assert!(stderr.contains("→ List files") && stderr.contains("cannot save the conversation"), "{stderr}");
}

/// If the beginning of a turn cannot be stored, only its end is printed.
#[test]
fn a_turn_end_is_reported_when_not_even_the_start_can_be_stored() {
    let long = "a word ".repeat(400);
    let scene = Scene::new(vec![Turn::reply(ScriptedReply::text(long.as_str()))]);
    let outcome = scene.run(&[]);
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    let zubi = scene.command(&["resume", "Go on."]);
    let mut command = Command::new("timeout");
    let script = "trap '' XFSZ; ulimit -f 1; exec \"$0\" \"$@\"";
    command.args(["30", "bash", "-c", script]).arg(zubi.get_program()).args(zubi.get_args()).stdin(Stdio::null());
    let envs = zubi.get_envs().filter_map(|(name, value)| Some((name, value?)));
    command.env_clear().envs(envs).current_dir(scene.fixture.project.root());
    let output = command.output().expect("bash starts");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{stderr}");
    assert!(stderr.contains("cannot save the conversation"), "{stderr}");
}

#[test]
fn the_time_limit_ends_a_call() {
    let turns = vec![Turn::reply(ScriptedReply::text("").call("shell_run", json!({ "command": "sleep 1000" })))];
    assert_snapshot!(check(turns, &["--max-time", "2s"]), @r#"
    > Do it.
    "" + shell_run {"command":"sleep 1000"}
    → Run a command: sleep 1000
    ✗ cancelled: (no output)
    ended time: "The time limit of 2 s has passed.\nCalls made: shell.run 1 (1 failed).\nThe remaining work is not known."
      The time limit of 2 s has passed. Send “continue” in this conversation, or raise the limit.
    exit 1
    "#);
}

#[test]
fn repeated_calls_end_the_turn() {
    assert_snapshot!(check((0..5).map(|_| read_turn("notes.txt")).collect(), &[]), @r#"
    > Do it.
    "" + file_read {"path":"notes.txt"}
    → Read a file: notes.txt
    = one
    "" + file_read {"path":"notes.txt"}
    → Read a file: notes.txt
    = one
    "" + file_read {"path":"notes.txt"}
    → Read a file: notes.txt
    = one
    "" + file_read {"path":"notes.txt"}
    → Read a file: notes.txt
    = one
    "" + file_read {"path":"notes.txt"}
    → Read a file: notes.txt
    ✗ cancelled: Not made. The same call has already given the same result four times.
    ended repeating: "The model made the same call over and over.\nCalls made: file.read 4.\nCalls requested but not made: 1.\nThe remaining work is not known."
      The model made the same call over and over. Add the missing information, or choose another model.
    exit 1
    "#);
}

#[test]
fn repeated_invalid_arguments_end_the_turn() {
    let invalid = || Turn::reply(ScriptedReply::text("").call("file_read", json!({ "file": 5 })));
    assert_snapshot!(check(vec![invalid(), invalid(), invalid()], &[]), @r#"
    > Do it.
    "" + file_read {"file":5}
    → Read a file: 5
    ✗ invalid_input: Invalid input: path: expected string, got 5
    "" + file_read {"file":5}
    → Read a file: 5
    ✗ invalid_input: Invalid input: path: expected string, got 5
    "" + file_read {"file":5}
    → Read a file: 5
    ✗ invalid_input: Invalid input: path: expected string, got 5
    ended invalid: "The model repeatedly returned invalid data.\nCalls made: file.read 3 (3 failed).\nThe remaining work is not known."
      The model called file.read with invalid arguments several times (Invalid input: path: expected string, got 5). Rephrase the request, or choose another model.
    exit 1
    "#);
}

/// A turn that reads `big.txt` and so fills the context, with `before` and `answers` around it.
fn long_conversation(before: Vec<Turn>, lines: usize, answers: Vec<Turn>) -> String {
    let read_turn = Turn::reply(
        ScriptedReply::text("I look.").call("file_read", json!({ "path": "big.txt" })).usage(19_000, 500, 0),
    );
    let scene = Scene::with_keys([before, vec![read_turn], answers].concat(), "context = 20000");
    scene.fixture.project.write("big.txt", &"All work and no play makes a long file.\n".repeat(lines));
    let transcript = scene.run(&[]).transcript();
    scene.finish();
    transcript
}

#[test]
fn results_of_a_long_conversation_are_omitted_first() {
    let answers = vec![Turn::reply(ScriptedReply::text("Work.")).expect(Expect::Outcome("left out"))];
    assert_snapshot!(long_conversation(Vec::new(), 400, answers), @r#"
    > Do it.
    "I look." + file_read {"path":"big.txt"}
    → Read a file: big.txt
    = All work and no play makes a long file.
    compacted: 1 pruned, summary ""
    "Work."
    ended completed: "Work."
    exit 0
    "#);
}

#[test]
fn a_summary_replaces_answers_but_not_the_task() {
    let answers = vec![
        Turn::reply(ScriptedReply::text("It was about work.")).expect(Expect::Lacks("/tools")),
        Turn::reply(ScriptedReply::text("Work."))
            .expect(Expect::Contains("/messages", "Do it.".to_owned()))
            .expect(Expect::Contains("/messages", "It was about work.".to_owned())),
    ];
    let word = "word-".repeat(10_000);
    let before = vec![Turn::reply(ScriptedReply::text(&word).call("file_list", json!({})))];
    assert_snapshot!(long_conversation(before, 4, answers).replace(&word, "[word]"), @r#"
    > Do it.
    "[word]" + file_list {}
    → List files
    = 2 files in .
    "I look." + file_read {"path":"big.txt"}
    → Read a file: big.txt
    = All work and no play makes a long file.
    compacted: 0 pruned, summary "It was about work."
    "Work."
    ended completed: "Work."
    exit 0
    "#);
}
