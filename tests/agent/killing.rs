//! SIGKILL after any event: no process is left, and the conversation can be read and continued to its end.

use rustix::process::Signal;
use serde_json::{Value, json};
use zubi_tests::models::{Says, Turn};

use crate::harness::{Scene, nothing_is_left, story};

/// Enough answers for a killed turn and a resumed one: the second receives the answers that the first did not.
fn answers() -> Vec<Turn> {
    let run = |command: &str| Turn::says(Says::text("I run it.").call("shell_run", json!({ "command": command })));
    vec![
        Turn::says(Says::text("I look.").call("file_read", json!({ "path": "notes.txt" }))),
        run("echo made > made.txt"),
        Turn::says(Says::text("Done.")),
        Turn::says(Says::text("Done once more.")),
    ]
}

#[test]
fn a_process_that_is_killed_leaves_a_conversation_that_goes_on() {
    let whole = Scene::new(answers()).run(&[]).events.len();
    assert!(whole > 10, "so many events have a whole turn: {whole}");
    for at in 1..whole {
        let scene = Scene::new(answers());
        let mut running = scene.start(&["run", "Do it.", "--json"]);
        for _ in 0..at {
            running.next().expect("an event");
        }
        running.signal(Signal::KILL);
        let killed = running.wait();
        nothing_is_left();
        let told = |what: &str| format!("{what} after event {at} of\n{}", story(&killed.events));
        let resumed = scene.start(&["resume", "--json"]).wait();
        assert_eq!(resumed.code, Some(0), "{}: {}", told("it does not go on"), resumed.story());
        let shown = scene.start(&["show", "--json"]).wait();
        let is_kept = |event: &&Value| !matches!(event["type"].as_str(), Some("text" | "thought" | "progress"));
        // Every printed event is stored unchanged.
        let kept: Vec<&Value> = killed.events.iter().filter(is_kept).collect();
        let there: Vec<&Value> = shown.events.iter().take(kept.len()).collect();
        assert_eq!(there, kept, "{}", told("not kept"));
        let ends: Vec<&str> = shown
            .events
            .iter()
            .filter(|event| event["type"] == "ended")
            .filter_map(|it| it["reason"].as_str())
            .collect();
        assert_eq!(ends.last(), Some(&"completed"), "{}", told("no end"));
        // A turn without stored events has no end either.
        let was_asked = killed.events.iter().any(|event| event["type"] == "asked");
        let is_first_told = matches!(ends.as_slice(), ["killed" | "completed", "completed"]);
        assert!(is_first_told || (ends.len() == 1 && !was_asked), "{ends:?}: {}", told("ends"));
        assert_eq!(calls(&shown.events), results(&shown.events), "{}", told("calls without an outcome"));
    }
}

fn calls(events: &[Value]) -> Vec<&Value> {
    events.iter().filter(|event| event["type"] == "calling").map(|event| &event["call"]).collect()
}

/// Returns the results of all calls. A call that was cut off has a result too: its effect is unknown.
fn results(events: &[Value]) -> Vec<&Value> {
    let has_result = |call: &Value| events.iter().any(|event| event["type"] == "result" && event["call"] == *call);
    calls(events).into_iter().filter(|call| has_result(call)).collect()
}
