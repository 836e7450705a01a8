//! Whole turns: calls that read, write and run commands, refused calls, and retries.

use insta::assert_snapshot;
use serde_json::json;
use zubi_tests::models::{Expect, ScriptedReply, Turn};

use crate::harness::{Scene, check};

/// A turn that reads, edits and runs a command.
fn edit_and_run_turns(outcome: &'static str) -> Vec<Turn> {
    vec![
        Turn::reply(ScriptedReply::text("I look.").call("file_read", json!({ "path": "notes.txt" })))
            .expect(Expect::Tools(vec!["file_read", "file_edit", "shell_run"])),
        Turn::reply(
            ScriptedReply::text("").call("file_edit", json!({ "path": "notes.txt", "old": "two", "new": "three" })),
        )
        .expect(Expect::Outcome("two")),
        Turn::reply(ScriptedReply::text("").call("shell_run", json!({ "command": "python3 -c 'print(6 * 7)'" }))),
        Turn::reply(ScriptedReply::text("Done: 42.")).expect(Expect::Outcome(outcome)),
    ]
}

#[test]
fn an_auto_approve_rule_allows_a_command() {
    assert_snapshot!(check(edit_and_run_turns("42"), &["--auto-approve", "shell.run:python3 -c *"]), @r#"
    > Do it.
    "I look." + file_read {"path":"notes.txt"}
    → Read a file: notes.txt
    = one
    "" + file_edit {"path":"notes.txt","old":"two","new":"three"}
    → Edit a file: notes.txt
    = edit notes.txt, 1 replacement: written
    "" + shell_run {"command":"python3 -c 'print(6 * 7)'"}
    → Run a command: python3 -c 'print(6 * 7)'
    ? it runs `python3 -c print(6 * 7)`
    ! {"allow":{"option":0,"arguments":null}} by --auto-approve
    = 42
    "Done: 42."
    ended completed: "Done: 42."
    exit 0
    "#);
}

#[test]
fn a_command_is_refused_when_no_user_can_be_prompted() {
    assert_snapshot!(check(edit_and_run_turns("zubi.toml"), &[]), @r#"
    > Do it.
    "I look." + file_read {"path":"notes.txt"}
    → Read a file: notes.txt
    = one
    "" + file_edit {"path":"notes.txt","old":"two","new":"three"}
    → Edit a file: notes.txt
    = edit notes.txt, 1 replacement: written
    "" + shell_run {"command":"python3 -c 'print(6 * 7)'"}
    → Run a command: python3 -c 'print(6 * 7)'
    ? it runs `python3 -c print(6 * 7)`
    ! "unavailable" by terminal
    ✗ approval_unavailable: Failed to run shell.run: it runs `python3 -c print(6 * 7)`, and no one can approve it here
    "Done: 42."
    ended completed: "Done: 42."
    exit 0
    "#);
}

#[test]
fn a_rule_covers_only_the_commands_it_names() {
    let turns = vec![
        Turn::reply(
            ScriptedReply::text("").call("shell_run", json!({ "command": "python3 -c 'print(1)' && git push" })),
        ),
        Turn::reply(ScriptedReply::text("No.")),
    ];
    assert_snapshot!(check(turns, &["--auto-approve", "shell.run:python3 -c *"]), @r#"
    > Do it.
    "" + shell_run {"command":"python3 -c 'print(1)' && git push"}
    → Run a command: python3 -c 'print(1)' && git push
    ? it runs `git push`
    ! "unavailable" by terminal
    ✗ approval_unavailable: Failed to run shell.run: it runs `git push`, and no one can approve it here
    "No."
    ended completed: "No."
    exit 0
    "#);
}

#[test]
fn read_only_calls_run_in_parallel_with_invalid_ones() {
    let calls = ScriptedReply::text("")
        .call("file_read", json!({ "path": "notes.txt" }))
        .call("file_read", json!({ "file": 5 }))
        .call("no_such_tool", json!({}))
        .call("file_list", json!({}));
    let turns =
        vec![Turn::reply(calls).split(7), Turn::reply(ScriptedReply::text("Enough.")).expect(Expect::Messages(6))];
    assert_snapshot!(check(turns, &[]), @r#"
    > Do it.
    "" + file_read {"path":"notes.txt"} + file_read {"file":5} + no_such_tool {} + file_list {}
    → Read a file: notes.txt
    → Read a file: 5
    → no_such_tool
    → List files
    = one
    ✗ invalid_input: Invalid input: path: expected string, got 5
    ✗ unknown_tool: unknown tool `no_such_tool`: there is no such tool. Call one of the tools that you were given, by its exact name.
    = 1 file in .
    "Enough."
    ended completed: "Enough."
    exit 0
    "#);
}

#[test]
fn transient_provider_errors_are_retried() {
    let turns = vec![
        Turn::refusal(429, "slow down").header("Retry-After", "0"),
        Turn::refusal(529, "overloaded").header("Retry-After", "0"),
        Turn::reply(ScriptedReply::text("Here it is, all of it."))
            .cut_after("Here")
            .end(zubi_tests::models::End::Reset),
        Turn::reply(ScriptedReply::text("Here it is, all of it.")),
    ];
    assert_snapshot!(check(turns, &[]), @r#"
    > Do it.
    retrying after rate_limited: scripted answers 429 Too Many Requests: slow down
    retrying after overloaded: scripted answers 529: overloaded
    retrying after broken_off: the answer of scripted broke off before its end: Connection reset by peer (os error 104)
    "Here it is, all of it."
    ended completed: "Here it is, all of it."
    exit 0
    "#);
}

#[test]
fn permanent_provider_errors_are_not_retried() {
    assert_snapshot!(check(vec![Turn::refusal(401, "no such key: sk-scripted-0123456789")], &[]), @r#"
    > Do it.
    ended model: "The model gave no answer.\nCalls made: none.\nThe remaining work is not known."
      scripted answers 401 Unauthorized: no such key: (redacted). Check the key of this provider: `zubi agent models` says where it was found.
    exit 3
    "#);
    assert_snapshot!(check(vec![Turn::refusal(400, "no")], &[]), @r#"
    > Do it.
    ended model: "The model gave no answer.\nCalls made: none.\nThe remaining work is not known."
      scripted answers 400 Bad Request: no. Choose another model with --model if this one does not support such a request.
    exit 3
    "#);
}

#[test]
fn the_final_answer_matches_the_schema() {
    let schema = json!({
        "type": "object", "properties": { "lines": { "type": "integer" } }, "required": ["lines"], "additionalProperties": false,
    });
    let turns = vec![
        Turn::reply(ScriptedReply::text("").call("final_answer", json!({ "lines": "many" }))),
        Turn::reply(ScriptedReply::text("").call("final_answer", json!({ "lines": 2 }))),
    ];
    let scene = Scene::new(turns);
    scene.fixture.project.write("lines.json", &schema.to_string());
    let outcome = scene.run(&["--output-schema", "lines.json"]);
    assert_snapshot!(outcome.transcript(), @r#"
    > Do it.
    "" + final_answer {"lines":"many"}
    → final_answer
    ✗ invalid_input: Invalid input: lines: "many" is not of type "integer". Correct it and call final_answer again.
    "" + final_answer {"lines":2}
    → final_answer
    = Taken.
    ended completed: "{\"lines\":2}" data {"lines":2}
    exit 0
    "#);
    scene.finish();
}
