use std::fmt::Write as _;

use insta::assert_snapshot;
use serde_json::{Value, json};

use super::*;

/// Renders events: `|` marks the answer, on stdout; other lines are not part of it. Events are written as in a
/// conversation's file, without the fields that every event has.
fn check(style: Style, events: &[Value]) -> String {
    let mut view = AgentView::new(style);
    let mut seen = String::new();
    for event in events {
        let mut event = event.clone();
        let object = event.as_object_mut().unwrap();
        for (name, value) in [("seq", json!(1)), ("at", json!(0)), ("turn", json!(1)), ("iteration", json!(1))] {
            object.entry(name).or_insert(value);
        }
        let event: AgentEvent = serde_json::from_value(event).unwrap();
        for segment in view.event(&event) {
            match segment {
                OutputSegment::Answer(text) => writeln!(seen, "|{}", text.escape_debug()).unwrap(),
                OutputSegment::Row(row) => writeln!(seen, "{row}").unwrap(),
                OutputSegment::Progress { message, .. } => writeln!(seen, "({message})").unwrap(),
            }
        }
    }
    seen
}

fn iteration() -> Value {
    json!({ "type": "iteration", "model": "mock" })
}

fn text(offset: u64, text: &str) -> Value {
    json!({ "type": "text", "offset": offset, "text": text })
}

fn answer_event(text: &str) -> Value {
    json!({ "type": "answered", "said": { "text": text }, "usage": {}, "stop": "finished" })
}

fn call_event(call: &str, summary: &str, effect: &str) -> Value {
    json!({ "type": "calling", "call": call, "tool": "t", "summary": summary, "arguments": {}, "effect": effect })
}

fn result(call: &str) -> Value {
    json!({ "type": "result", "call": call, "text": "fine", "duration": 1 })
}

fn result_event(call: &str, text: &str) -> Value {
    json!({ "type": "result", "call": call, "text": text, "failure": "failed", "duration": 1 })
}

fn end_event(reason: &str, text: &str) -> Value {
    json!({
        "type": "ended", "reason": reason, "text": text, "iterations": 2, "calls": 1,
        "usage": { "input": 900, "output": 100 }, "duration": 1250,
    })
}

fn one_call() -> Vec<Value> {
    vec![
        iteration(),
        text(0, "I lo"),
        text(4, "ok."),
        answer_event("I look."),
        call_event("1", "Read file: a.rs", "read"),
        result("1"),
        iteration(),
        text(0, "It is 😀"),
        text(8, " 5.\n"),
        answer_event("It is 😀 5.\n"),
        end_event("completed", "It is 😀 5."),
    ]
}

#[test]
fn live_style_streams_answer_text() {
    assert_snapshot!(check(Style::Live, &one_call()), @r"
    |I lo
    |ok.
    |\n
    → Read file: a.rs
    |It is 😀
    | 5.\n
    · 2 answers · 1 call · 1000 tokens · 1.2 s
    ");
}

#[test]
fn other_programs_get_only_the_answer() {
    assert_snapshot!(check(Style::Whole, &one_call()), @r"
    I look.
    → Read file: a.rs
    |It is 😀 5.\n
    ");
}

#[test]
fn whole_style_reports_stop_reason_beside_answer() {
    let events = [iteration(), answer_event("Half of"), end_event("stopped", "Nothing was called.")];
    assert_snapshot!(check(Style::Whole, &events), @r"
    |Half of\n
    ! Stopped.
      Nothing was called.
    ");
    assert_snapshot!(check(Style::Data, &events), @"
    Half of
    ! Stopped.
      Nothing was called.
    ");
}

#[test]
fn long_failure_text_is_truncated_with_a_note() {
    let mut refused = result_event("b", &"line\n".repeat(22));
    refused["failure"] = json!("approval_unavailable");
    let events = [
        call_event("a", "Run it", "write"),
        result_event("a", &"long ".repeat(41)),
        call_event("b", "Run that", "write"),
        refused,
    ];
    assert_snapshot!(check(Style::Whole, &events), @"
    → Run it
      ✗ long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long …
    → Run that
      ✗ line
        line
        line
        line
        line
        line
        line
        line
        line
        line
        line
        line
        line
        line
        line
        line
        line
        line
        line
        line
        … and 2 more lines
    ");
}

#[test]
fn hint_for_the_next_run_is_not_truncated() {
    let argument = format!("--auto-approve '{}'", "word ".repeat(60).trim_end());
    let mut refused = result_event("a", &format!("No.\n{argument}\nNo."));
    refused["failure"] = json!("approval_unavailable");
    let rendered = check(Style::Whole, &[call_event("a", "Run it", "write"), refused]);
    assert!(rendered.lines().any(|line| line.trim() == argument), "{rendered}");
}

#[test]
fn data_answers_are_printed_as_json() {
    let mut end = end_event("completed", "{\"a\": 1}");
    end["data"] = json!({ "a": 1 });
    assert_snapshot!(check(Style::Data, &[iteration(), answer_event("Here: "), end.clone()]), @r#"|{\"a\":1}\n"#);
}

#[test]
fn duplicate_or_earlier_text_is_rendered_once() {
    let events = [iteration(), text(0, "one "), text(0, "one tw"), text(6, "o"), answer_event("one two three")];
    assert_snapshot!(check(Style::Live, &events), @r"
    |one 
    |tw
    |o
    | three
    |\n
    ");
}

#[test]
fn failed_tries_are_discarded() {
    let retrying = json!({
        "type": "retrying", "kind": "overloaded", "message": "529: busy.", "attempt": 1, "wait": 2000,
    });
    let events = [iteration(), text(0, "It is f"), retrying, text(0, "It is 5."), answer_event("It is 5.")];
    assert_snapshot!(check(Style::Live, &events), @r"
    |It is f
    |\n
    ! 529: busy; retrying in 2 s (try 1 failed)
    |It is 5.
    |\n
    ");
}

#[test]
fn read_only_calls_are_grouped_and_failures_name_their_call() {
    let mut events: Vec<Value> =
        (1..=7).map(|number| call_event(&number.to_string(), &format!("Read file: {number}"), "read")).collect();
    events.extend((1..=6).map(|number| result(&number.to_string())));
    events.push(result_event("7", "There is no file `7`.\nNext: list the directory."));
    events.push(call_event("8", "Run: cargo\ttest\u{1b}[2J", "execute"));
    events.push(result_event("8", "It exited with 1."));
    assert_snapshot!(check(Style::Live, &events), @r"
    → Read file: 1
    → Read file: 2
    → Read file: 3
    → Read file: 4
    → Read file: 5
      ✗ Read file: 7: There is no file `7`.
      … and 2 more
    → Run: cargo\ttest\u{1b}[2J
      ✗ It exited with 1.
    ");
}

#[test]
fn preview_is_rendered_unless_approval_request_contains_it() {
    let mut call = call_event("1", "Edit file: a.rs", "write");
    call["preview"] = json!("--- a.rs\n-one\n+two\n");
    let question = json!({ "type": "question", "call": "1", "question": "q", "request": { "why": "it writes" } });
    let by_rule = json!({
        "type": "decision", "question": "q", "answer": { "allow": { "option": 0, "arguments": null } }, "by": "--auto-approve",
    });
    assert_snapshot!(check(Style::Live, &[call.clone(), result("1")]), @r"
    → Edit file: a.rs
      | --- a.rs
      | -one
      | +two
    ");
    assert_snapshot!(check(Style::Live, &[call, question, by_rule, result("1")]), @r"
    → Edit file: a.rs
      ✓ allowed: --auto-approve
    ");
}

#[test]
fn page_contains_requests_and_decisions() {
    let request = json!({ "type": "asked", "text": "Do\nit" });
    let question = json!({ "type": "question", "call": "1", "question": "q", "request": { "why": "it runs `x`" } });
    let denial = json!({
        "type": "decision", "question": "q", "answer": { "deny": { "text": "use y" } }, "by": "terminal",
    });
    let events = [
        request,
        iteration(),
        answer_event(""),
        call_event("1", "Run: x", "execute"),
        question,
        denial,
        result_event("1", "Refused: use y"),
    ];
    assert_snapshot!(check(Style::Page, &[&events[..], &[answer_event("Well."), end_event("completed", "Well.")]].concat()), @r"
    |\n> Do\n> it\n\n
    → Run: x
      ? approval required: it runs `x`
      ✗ denied: terminal: use y
      ✗ Refused: use y
    |Well.\n
    · 2 answers · 1 call · 1000 tokens · 1.2 s
    ");
}

/// A truncated answer looks like a complete one, so every style marks it.
#[test]
fn answer_problem_is_rendered_in_every_style() {
    let mut end = end_event("completed", "It is 4");
    end["problem"] = json!("The answer is cut.");
    let events = [iteration(), answer_event("It is 4"), end];
    for style in [Style::Live, Style::Whole, Style::Page] {
        let rendered = check(style, &events);
        assert_eq!(rendered.lines().filter(|line| *line == "! The answer is cut.").count(), 1, "{style:?}: {rendered}");
    }
}
