//! Replays of exported conversations, with and without differences.

use insta::assert_snapshot;
use serde_json::json;
use zubi_base::clock::SystemClock;

use super::*;
use crate::manager::testing::{Fixture, ScriptedStep, fixture};
use crate::questions::auto_approve_rule;

/// Returns the differences from the recording.
async fn replay(fixture: &Fixture, scenario: &str, rules: &[&str]) -> ReplayReport {
    let rules: Vec<_> = rules.iter().map(|rule| auto_approve_rule(rule).unwrap()).collect();
    let replay = Replay {
        service: Arc::clone(&fixture.service),
        budgets: Budgets::default(),
        questions: Questions::new(Arc::clone(&fixture.service), &rules).unwrap(),
        folders: vec![fixture.work.clone()],
        clock: Arc::new(SystemClock),
        stop: CancellationToken::new(),
    };
    replay.run(&Scenario::read(scenario).unwrap()).await
}

fn render_report(report: &ReplayReport, fixture: &Fixture) -> String {
    serde_json::to_string_pretty(report).unwrap().replace(fixture.work.as_str(), "WORK")
}

#[tokio::test]
async fn a_conversation_is_recorded_and_replayed() {
    let fixture = fixture();
    let mut client = fixture.open_manager();
    let read = ("file_read", json!({ "path": fixture.work.join("catalogue.md") }));
    let write = ("file_write", json!({ "path": "new.md", "content": "coffee\n" }));
    fixture.script.push_steps([
        ScriptedStep::Calls(vec![read.clone(), ("file_list", json!({})), ("file_read", json!({ "path": "none.md" }))]),
        ScriptedStep::Text("Tea."),
        ScriptedStep::Calls(vec![write]),
        ScriptedStep::Text("Written."),
    ]);
    let id = client.begin("What is in the catalogue?").await;
    client.end().await;
    client.request("send", json!({ "conversation": id, "text": "Write coffee" })).await;
    let question = client.question().await;
    let allow = json!({ "allow": { "option": 0, "arguments": null } });
    client.request("answer", json!({ "conversation": id, "question": question, "answer": allow })).await;
    client.end().await;
    let exported = client.request("export", json!({ "conversation": id })).await;
    assert_eq!(exported["name"], "what-is-in-the-catalogue.scenario.yaml");
    let scenario = exported["scenario"].as_str().unwrap();
    assert_snapshot!(ids::normalize(&scenario.replace(fixture.work.as_str(), "WORK")), @r#"
    zubiScenario: 1
    title: What is in the catalogue?
    turns:
    - user: What is in the catalogue?
      answers:
      - calls:
        - tool: file_read
          arguments:
            path: WORK/catalogue.md
        - tool: file_list
          arguments: {}
        - tool: file_read
          arguments:
            path: none.md
        usage:
          input: 10
          output: 2
          cached: 0
      - text: Tea.
        usage:
          input: 10
          output: 2
          cached: 0
      results:
      - tool: file_read
        arguments:
          path: ${workspaceFolder}/catalogue.md
        text: |-
          tea
          [disk · sha b49c876df8b6 · lines 1–1 of 1]
      - tool: file_list
        arguments: {}
        text: |-
          1 file in .
          catalogue.md
          [disk · nothing ignored]
      - tool: file_read
        arguments:
          path: none.md
        text: |-
          Invalid input: path: `none.md` does not exist in the workspace; paths are relative to `${workspaceFolder}`
          `file.list` shows existing files; `file.search` finds text.
        failed: true
      ended: completed
    - user: Write coffee
      answers:
      - calls:
        - tool: file_write
          arguments:
            path: new.md
            content: |
              coffee
        usage:
          input: 10
          output: 2
          cached: 0
      - text: Written.
        usage:
          input: 10
          output: 2
          cached: 0
      results:
      - tool: file_write
        arguments:
          path: new.md
          content: |
            coffee
        text: |-
          write new.md: created
          diff --git a/new.md b/new.md
          new file
          --- /dev/null
          +++ b/new.md
          @@ -0,0 +1 @@
          +coffee
          undo_edit {"plan":"(id)"} undoes it
          [disk · sha 4b5c2fdf195a]
      ended: completed
    "#);

    std::fs::remove_file(fixture.work.join("new.md")).unwrap();
    let same = replay(&fixture, scenario, &["file.write"]).await;
    assert_eq!(
        (same.turns, same.calls, same.differences.as_slice()),
        (2, 4, &[][..]),
        "{}",
        render_report(&same, &fixture)
    );

    // There is no approval prompt, and the file has changed since.
    std::fs::remove_file(fixture.work.join("new.md")).unwrap();
    zubi_base::fs::write_atomic(&fixture.work.join("catalogue.md"), b"cocoa\n").unwrap();
    let other = replay(&fixture, scenario, &[]).await;
    assert_snapshot!(render_report(&other, &fixture), @r#"
    {
      "turns": 2,
      "calls": 4,
      "differences": [
        {
          "what": "outcome",
          "turn": 1,
          "call": 1,
          "made": {
            "tool": "file_read",
            "arguments": {
              "path": "${workspaceFolder}/catalogue.md"
            }
          },
          "recorded": {
            "text": "tea\n[disk · sha b49c876df8b6 · lines 1–1 of 1]",
            "failed": false
          },
          "now": {
            "text": "cocoa\n[disk · sha 2a1b2aef0e1b · lines 1–1 of 1]",
            "failed": false
          }
        },
        {
          "what": "outcome",
          "turn": 2,
          "call": 1,
          "made": {
            "tool": "file_write",
            "arguments": {
              "path": "new.md",
              "content": "coffee\n"
            }
          },
          "recorded": {
            "text": "write new.md: created\ndiff --git a/new.md b/new.md\nnew file\n--- /dev/null\n+++ b/new.md\n@@ -0,0 +1 @@\n+coffee\nundo_edit {\"plan\":\"(id)\"} undoes it\n[disk · sha 4b5c2fdf195a]",
            "failed": false
          },
          "now": {
            "text": "Failed to run file.write: a rule is about every such call, and no one can approve it here\nThe user can allow it for one run with\n--auto-approve 'file.write'\nThe rule at zubi.toml:1 requires approval whatever others allow; the user can change it, or run this themselves.",
            "failed": true
          }
        }
      ]
    }
    "#);
    assert!(!fixture.work.join("new.md").exists());
}

/// A replay must not make the call with the arguments that the user has changed.
#[tokio::test]
async fn an_edited_call_is_replayed_with_the_edit() {
    let fixture = fixture();
    let mut client = fixture.open_manager();
    let write = ("file_write", json!({ "path": "new.md", "content": "coffee\n" }));
    fixture.script.push_steps([ScriptedStep::Calls(vec![write]), ScriptedStep::Text("Written.")]);
    let id = client.begin("Write coffee").await;
    let changed = json!({ "path": "other.md", "content": "tea\n" });
    for answer in [json!({ "option": 0, "arguments": changed }), json!({ "option": 0, "arguments": null })] {
        let question = client.question().await;
        client
            .request("answer", json!({ "conversation": id, "question": question, "answer": { "allow": answer } }))
            .await;
    }
    client.end().await;
    let result = client.open(&id).await.events.iter().find_map(|event| match &event.kind {
        crate::event::EventKind::Result { text, .. } => text.lines().next().map(str::to_owned),
        _ => None,
    });
    let change_note = r#"The user changed the arguments to {"path":"other.md","content":"tea\n"}."#;
    assert_eq!(result.as_deref(), Some(change_note), "the model receives the change");
    let exported = client.request("export", json!({ "conversation": id })).await;
    let scenario = exported["scenario"].as_str().unwrap();
    assert!(scenario.contains("other.md") && !scenario.contains("new.md"), "{scenario}");
    assert!(!scenario.contains("The user changed"), "{scenario}");

    std::fs::remove_file(fixture.work.join("other.md")).unwrap();
    let same = replay(&fixture, scenario, &["file.write"]).await;
    assert_eq!(same.differences.as_slice(), &[][..], "{}", render_report(&same, &fixture));
    assert!(fixture.work.join("other.md").exists() && !fixture.work.join("new.md").exists());
}

#[test]
fn edits_of_nested_calls_do_not_change_the_outer_call() {
    let check = |tool: &str, arguments: serde_json::Value, prompted_tool: &str| {
        let events = [
            json!({ "type": "asked", "turn": 1, "text": "Go" }),
            json!({ "type": "answered", "turn": 1, "iteration": 1, "said": { "text": "", "calls": [{ "id": "a", "tool": tool, "arguments": arguments }] },
                "usage": { "input": 0, "output": 0, "cached": 0 }, "stop": "finished" }),
            json!({ "type": "calling", "turn": 1, "call": "a", "tool": tool, "summary": "", "arguments": arguments }),
            json!({ "type": "question", "turn": 1, "call": "a", "question": "q", "request": { "tool": prompted_tool } }),
            json!({ "type": "decision", "question": "q", "answer": { "allow": { "option": 0, "arguments": { "command": "x" } } }, "by": "web" }),
        ];
        let events: Vec<crate::event::AgentEvent> = (1_u64..)
            .zip(events)
            .map(|(seq, kind)| crate::event::AgentEvent { seq, at: 0, kind: serde_json::from_value(kind).unwrap() })
            .collect();
        export::scenario("", &events).turns[0].answers[0].calls[0].arguments.to_string()
    };
    assert_eq!(check("shell.run", json!({ "command": "a" }), "shell.run"), r#"{"command":"x"}"#);
    assert_eq!(check("flow.release", json!({ "version": 1 }), "shell.run"), r#"{"version":1}"#);
    let delegating = |tool: &str| json!({ "tool": tool, "arguments": {} });
    assert_eq!(
        check("zubi_call_tool", delegating("shell_run"), "shell.run"),
        r#"{"tool":"shell_run","arguments":{"command":"x"}}"#
    );
    assert_eq!(
        check("zubi_call_tool", delegating("flow.release"), "shell.run"),
        r#"{"tool":"flow.release","arguments":{}}"#
    );
}

#[tokio::test]
async fn hand_written_expectations_are_checked() {
    let fixture = fixture();
    let check = async |expected: &str| {
        let scenario = format!(
            "zubiScenario: 1\nturns:\n- user: Look\n  answers:\n  - calls: [{{tool: file.read, arguments: {{path: catalogue.md}}}}]\n  - expect: {{outcome: {{file_read: {expected}}}}}\n    text: Well.\n"
        );
        render_report(&replay(&fixture, &scenario, &[]).await, &fixture)
    };
    assert_snapshot!(check("tea").await, @r#"
    {
      "turns": 1,
      "calls": 1,
      "differences": []
    }
    "#);
    assert_snapshot!(check("wine").await, @r#"
    {
      "turns": 1,
      "calls": 1,
      "differences": [
        {
          "what": "end",
          "turn": 1,
          "recorded": null,
          "now": "model",
          "problem": "the scenario expects `wine` of `file_read`, which came to `tea\n[disk · sha b49c876df8b6 · lines 1–1 of 1]`. Correct the expectation there, or the cause of the difference."
        }
      ]
    }
    "#);
}

#[test]
fn ids_and_times_are_not_differences() {
    let mut ids = ids::IdMap::default();
    ids.learn("Plan p-abcdefghij, output o-0123456789abcdef.", "Plan p-zzzzzzzzzz, output o-ffffffffffffffff.");
    let call = json!({ "plan": "p-abcdefghij", "paths": ["a-abcdefghij", "o-0123456789abcdef", "p-aaaaaaaaaa"] });
    assert_eq!(
        ids.current(&call),
        json!({ "plan": "p-zzzzzzzzzz", "paths": ["a-zzzzzzzzzz", "o-ffffffffffffffff", "p-aaaaaaaaaa"] })
    );
    assert_eq!(ids::normalize("p-abcdefghij took 1.5 s, 20ms and 3 minutes"), "(id) took (time), (time) and 3 minutes");
    assert_eq!(ids::normalize("stop-abcdefghij, 3 sheep, version 1.2"), "stop-abcdefghij, 3 sheep, version 1.2");
}
