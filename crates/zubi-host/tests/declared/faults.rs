//! Misbehaving scripts: the call ends in time and reports what happened, and no process is left.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use zubi_base::process::descendants;

use crate::Test;
use crate::world::{World, script, with_fields};

pub(crate) const TESTS: &[(&str, Test)] = &[
    ("faults::too_many_processes", too_many_processes),
    ("faults::endless_output", endless_output),
    ("faults::a_script_that_ignores_signals", a_script_that_ignores_signals),
    ("faults::a_grandchild_that_holds_the_pipe", a_grandchild_that_holds_the_pipe),
    ("faults::partial_output_is_reported", partial_output_is_reported),
    ("faults::a_cancelled_call_ends_its_processes", a_cancelled_call_ends_its_processes),
    ("faults::unread_script_text_is_discarded", unread_script_text_is_discarded),
];

/// Checks that no process of a script is left. One supervisor may wait for the next script with one process below it, or
/// start just now.
fn assert_no_processes() {
    let deadline = Instant::now() + Duration::from_secs(20);
    let is_waiting = |pid: &u32| {
        let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        line.is_empty() || line.split(|byte| *byte == 0).any(|word| word == b"--standby")
    };
    loop {
        let left = descendants(std::process::id());
        if left.len() <= 2 && left.iter().all(is_waiting) {
            return;
        }
        assert!(Instant::now() < deadline, "{left:?}");
        std::thread::yield_now();
    }
}

fn with_timeout(id: &str, text: &str, milliseconds: u64) -> Value {
    with_fields(script(id, text), json!({ "timeout": milliseconds }))
}

/// A bounded loop, without the effects of a fork bomb.
fn too_many_processes(world: &World) {
    let many = "i=0; while [ $i -lt 300 ]; do sleep 60 & i=$((i+1)); done; echo all; wait";
    let few = "i=0; while [ $i -lt 100 ]; do sleep 60 & i=$((i+1)); done; echo all";
    let host = world.host(&[with_timeout("many", many, 50_000), with_timeout("few", few, 50_000)]);
    let error = host.failure("workspace.many", json!({}), "failed");
    assert!(error.contains("ended the program: it had more than 200 processes at once"), "{error}");
    assert_no_processes();
    assert_eq!(host.text("workspace.few", json!({})).lines().next(), Some("all"));
    assert_no_processes();
}

fn endless_output(world: &World) {
    let host = world.host(&[with_timeout("endless", "yes 'a line of it'", 2_000)]);
    let error = host.failure("workspace.endless", json!({}), "timed_out");
    assert!(error.starts_with("Error in workspace.endless: time-out after 2.0 s"), "{error}");
    let handle = error.rsplit_once("output.read {\"output\":\"").unwrap().1.split('"').next().unwrap();
    let output = host.text("output.read", json!({ "output": handle, "from_line": 1_000, "lines": 1 }));
    assert!(output.contains("a line of it"), "{output}");
    assert_no_processes();
}

fn a_script_that_ignores_signals(world: &World) {
    let text = "trap '' TERM INT HUP; tail -f /dev/null & setsid tail -f /dev/null & echo started; wait";
    let host = world.host(&[with_timeout("stubborn", text, 500)]);
    let error = host.failure("workspace.stubborn", json!({}), "timed_out");
    assert!(error.contains("all its processes were ended\nstarted\n"), "{error}");
    assert_no_processes();
}

fn a_grandchild_that_holds_the_pipe(world: &World) {
    let host = world.host(&[script("holds", "(setsid tail -f /dev/null &); tail -f /dev/null & echo done")]);
    let started = Instant::now();
    assert_eq!(host.text("workspace.holds", json!({})), "done");
    assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
    assert_no_processes();
}

fn partial_output_is_reported(world: &World) {
    let host = world.host(&[with_timeout("slow", "echo one; echo two >&2; tail -f /dev/null", 500)]);
    let error = host.failure("workspace.slow", json!({}), "timed_out");
    assert!(error.contains("\none\nstderr:\ntwo\nRequest less work"), "{error}");
}

fn a_cancelled_call_ends_its_processes(world: &World) {
    let host = world.host(&[script("waits", "tail -f /dev/null")]);
    let cancel = CancellationToken::new();
    cancel.cancel();
    let answer = host.call_until("workspace.waits", json!({}), cancel);
    assert_eq!(answer.failure.map(zubi_tool_api::ErrorCode::as_str), Some("cancelled"), "{}", answer.text);
}

/// The shell exits before it has read the whole script; the rest is discarded.
fn unread_script_text_is_discarded(world: &World) {
    let text = format!("echo first; exit 0\n{}", ": nothing\n".repeat(20_000));
    let host = world.host(&[script("early", &text)]);
    assert_eq!(host.text("workspace.early", json!({})), "first");
}
