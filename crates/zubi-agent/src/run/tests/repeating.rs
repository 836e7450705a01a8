//! When a call counts as made in vain again.

use serde_json::json;
use zubi_tool_api::Effect::{self, Execute, Read};

use crate::run::loop_guard::{Key, LoopGuard};

/// Returns how each of these calls is handled, in order: made, made with a note, or not made.
fn check(calls: &[(&str, Effect, &str)]) -> String {
    let mut repeats = LoopGuard::default();
    let told = calls.iter().map(|(tool, effect, outcome)| {
        let key = Key::new(tool, &json!({"a": 1, "b": [{"c": 2}]}));
        // The order of keys does not make another call.
        let same: serde_json::Value = serde_json::from_str(r#"{"b": [{"c": 2}], "a": 1}"#).unwrap();
        assert_eq!(key, Key::new(tool, &same));
        if repeats.is_blocked(&key) {
            return "refused";
        }
        if repeats.record_and_check(key, "call", *effect, false, outcome) { "remark" } else { "made" }
    });
    told.collect::<Vec<_>>().join(" ")
}

#[test]
fn only_the_same_outcome_counts_and_what_may_change_something_begins_anew() {
    let look = ("look", Read, "x");
    assert_eq!(check(&[look; 6]), "made made remark remark refused refused");
    let other = ("look", Read, "y");
    assert_eq!(check(&[look, look, other, look, look, look]), "made made made made made remark");
    let run = |n: &'static str| ("run", Execute, n);
    assert_eq!(check(&[look, look, run("1"), look, look, run("2"), look]), "made made made made made made made");
    // A command that gives the same again has changed nothing, and times do not make it another outcome.
    let timed = [
        ("run", Execute, "ok\n[sandbox · exit 0 · 0.1 s]"),
        ("run", Execute, "ok\n[sandbox · exit 0 · 0.2 s]"),
        ("run", Execute, "ok\n[sandbox · exit 0 · 1.0 s]"),
    ];
    assert_eq!(check(&timed), "made made remark");
    let in_turn = [run("1"), ("other", Execute, "1")];
    assert_eq!(check(&in_turn.repeat(4)), "made made made made made remark remark remark");
    let exits = [("run", Execute, "[sandbox · exit 0 · 0.1 s]"), ("run", Execute, "[sandbox · exit 1 · 0.1 s]")];
    assert_eq!(check(&exits.repeat(2)), "made made made made");
}
