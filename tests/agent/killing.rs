//! SIGKILL after any event: no process is left, and the conversation can be resumed to its end.

use rustix::process::Signal;
use serde_json::{Value, json};
use zubi_tests::models::{ScriptedReply, Turn};

use crate::harness::{Scene, assert_no_processes_left, transcript};

/// Enough answers for a killed turn and a resumed one, which receives those that the killed one did not.
fn answers() -> Vec<Turn> {
    let run =
        |command: &str| Turn::reply(ScriptedReply::text("I run it.").call("shell_run", json!({ "command": command })));
    vec![
        Turn::reply(ScriptedReply::text("I look.").call("file_read", json!({ "path": "notes.txt" }))),
        run("echo made > made.txt"),
        Turn::reply(ScriptedReply::text("Done.")),
        Turn::reply(ScriptedReply::text("Done once more.")),
    ]
}

#[test]
fn a_killed_process_leaves_a_resumable_conversation() {
    let event_count = Scene::new(answers()).run(&[]).events.len();
    assert!(event_count > 10, "a turn has {event_count} events");
    for at in 1..event_count {
        let scene = Scene::new(answers());
        let mut running = scene.start(&["run", "Do it.", "--json"]);
        for _ in 0..at {
            running.next().expect("an event");
        }
        running.signal(Signal::KILL);
        let killed = running.wait();
        assert_no_processes_left();
        let describe = |problem: &str| format!("{problem} after event {at} of\n{}", transcript(&killed.events));
        let resumed = scene.start(&["resume", "--json"]).wait();
        assert_eq!(resumed.code, Some(0), "{}: {}", describe("the turn cannot be resumed"), resumed.transcript());
        let stored = scene.start(&["show", "--json"]).wait();
        let is_stored = |event: &&Value| !matches!(event["type"].as_str(), Some("text" | "thought" | "progress"));
        // Every printed event is stored unchanged.
        let printed: Vec<&Value> = killed.events.iter().filter(is_stored).collect();
        let stored_events: Vec<&Value> = stored.events.iter().take(printed.len()).collect();
        assert_eq!(stored_events, printed, "{}", describe("events that are not stored"));
        let ends: Vec<&str> = stored
            .events
            .iter()
            .filter(|event| event["type"] == "ended")
            .filter_map(|it| it["reason"].as_str())
            .collect();
        assert_eq!(ends.last(), Some(&"completed"), "{}", describe("no end"));
        // A turn without stored events has no end either.
        let has_prompt = killed.events.iter().any(|event| event["type"] == "asked");
        let has_both_ends = matches!(ends.as_slice(), ["killed" | "completed", "completed"]);
        assert!(has_both_ends || (ends.len() == 1 && !has_prompt), "{ends:?}: {}", describe("ends"));
        assert_eq!(calls(&stored.events), results(&stored.events), "{}", describe("calls without an outcome"));
    }
}

fn calls(events: &[Value]) -> Vec<&Value> {
    events.iter().filter(|event| event["type"] == "calling").map(|event| &event["call"]).collect()
}

/// Returns the results of all calls. An interrupted call has a result too: its effect is unknown.
fn results(events: &[Value]) -> Vec<&Value> {
    let has_result = |call: &Value| events.iter().any(|event| event["type"] == "result" && event["call"] == *call);
    calls(events).into_iter().filter(|call| has_result(call)).collect()
}
