//! When calls count as repeated.

use serde_json::json;
use zubi_tool_api::Effect::{self, Execute, Read};

use crate::run::loop_guard::{CallKey, LoopGuard};

/// Returns how each of these calls is handled, in order: made, made with a note, or not made.
fn check(calls: &[(&str, Effect, &str)]) -> String {
    let mut guard = LoopGuard::default();
    let handling = calls.iter().map(|(tool, effect, outcome)| {
        let key = CallKey::new(tool, &json!({"a": 1, "b": [{"c": 2}]}));
        // The order of keys does not matter.
        let reordered: serde_json::Value = serde_json::from_str(r#"{"b": [{"c": 2}], "a": 1}"#).unwrap();
        assert_eq!(key, CallKey::new(tool, &reordered));
        if guard.is_blocked(&key) {
            return "refused";
        }
        if guard.record_and_check(key, "call", *effect, false, outcome) { "remark" } else { "made" }
    });
    handling.collect::<Vec<_>>().join(" ")
}

#[test]
fn only_equal_results_count_as_repetitions() {
    let read_call = ("look", Read, "x");
    assert_eq!(check(&[read_call; 6]), "made made remark remark refused refused");
    let other = ("look", Read, "y");
    assert_eq!(
        check(&[read_call, read_call, other, read_call, read_call, read_call]),
        "made made made made made remark"
    );
    let run = |n: &'static str| ("run", Execute, n);
    assert_eq!(
        check(&[read_call, read_call, run("1"), read_call, read_call, run("2"), read_call]),
        "made made made made made made made"
    );
    // A command that gives the same again has changed nothing, and times do not make it another outcome.
    let timed = [
        ("run", Execute, "ok\n[sandbox · exit 0 · 0.1 s]"),
        ("run", Execute, "ok\n[sandbox · exit 0 · 0.2 s]"),
        ("run", Execute, "ok\n[sandbox · exit 0 · 1.0 s]"),
    ];
    assert_eq!(check(&timed), "made made remark");
    let alternating = [run("1"), ("other", Execute, "1")];
    assert_eq!(check(&alternating.repeat(4)), "made made made made made remark remark remark");
    let exit_codes = [("run", Execute, "[sandbox · exit 0 · 0.1 s]"), ("run", Execute, "[sandbox · exit 1 · 0.1 s]")];
    assert_eq!(check(&exit_codes.repeat(2)), "made made made made");
}
