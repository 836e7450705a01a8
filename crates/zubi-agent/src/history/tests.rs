use proptest::prelude::*;
use serde_json::json;
use zubi_tool_api::ErrorCode;

use super::*;
use crate::event::{StopReason, TurnEnded};
use zubi_models::FinishReason;
use zubi_models::message::{AssistantMessage, TokenUsage, ToolCall};

/// Returns the messages for the model after these events, one per line.
fn render_messages(events: &[EventKind]) -> String {
    let events: Vec<AgentEvent> = number_events(events);
    let lines = History::from_events(&events).messages().into_iter().map(|message| match message {
        PromptMessage::User { text } => format!("user: {}", text.replace('\n', " / ")),
        PromptMessage::Assistant(answer) => {
            let calls: Vec<&str> = answer.calls.iter().map(|call| call.id.as_str()).collect();
            format!("model: {} [{}]", answer.text, calls.join(" "))
        }
        PromptMessage::Tool(outcome) => {
            let text: String = outcome.text.chars().take(50).collect();
            format!("tool {}: {text}{}", outcome.call, if outcome.is_error { " (error)" } else { "" })
        }
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn number_events(events: &[EventKind]) -> Vec<AgentEvent> {
    (1..).zip(events).map(|(seq, kind)| AgentEvent { seq, at: 0, kind: kind.clone() }).collect()
}

fn user_event(text: &str) -> EventKind {
    EventKind::UserMessage { turn: 1, text: text.to_owned() }
}

fn answer_event(text: &str, calls: &[&str]) -> EventKind {
    let call = |id: &&str| ToolCall { id: (*id).to_owned(), tool: "look".to_owned(), arguments: json!({}) };
    let message = AssistantMessage {
        text: text.to_owned(),
        calls: calls.iter().map(call).collect(),
        ..AssistantMessage::default()
    };
    EventKind::Answered {
        turn: 1,
        iteration: 1,
        message,
        usage: TokenUsage::default(),
        stop: FinishReason::Finished,
        interrupted: false,
    }
}

fn result(call: &str, text: &str) -> EventKind {
    EventKind::Result { turn: 1, call: call.to_owned(), text: text.to_owned(), failure: None, duration: 0 }
}

fn end_event() -> EventKind {
    let usage = TokenUsage::default();
    let (text, data, problem) = (String::new(), None, None);
    let reason = StopReason::Stopped;
    EventKind::Ended(TurnEnded { turn: 1, reason, text, data, problem, iterations: 1, calls: 0, usage, duration: 0 })
}

fn compaction_event(before: u64, summary: &str, pruned: &[&str]) -> EventKind {
    let pruned = pruned.iter().map(|call| (*call).to_owned()).collect();
    EventKind::Compacted { turn: 1, before, summary: summary.to_owned(), pruned, tokens_before: 0, tokens_after: 0 }
}

#[test]
fn results_follow_their_calls_and_precede_later_user_messages() {
    let events = [
        user_event("look"),
        answer_event("I look", &["a", "b"]),
        result("b", "two"),
        user_event("hurry"),
        result("a", "one"),
    ];
    insta::assert_snapshot!(render_messages(&events), @"
    user: look
    model: I look [a b]
    tool b: two
    tool a: one
    user: hurry
    ");
}

#[test]
fn a_call_without_a_result_gets_a_placeholder_result() {
    let events = [
        user_event("look"),
        answer_event("", &["a", "b"]),
        result("a", "one"),
        end_event(),
        result("b", "late"),
        user_event("and?"),
    ];
    insta::assert_snapshot!(render_messages(&events), @"
    user: look
    model:  [a b]
    tool a: one
    tool b: The run was interrupted while this call was made:  (error)
    user: and?
    ");
}

#[test]
fn consecutive_answers_are_separate_messages() {
    let partial = match answer_event("and", &["x"]) {
        EventKind::Answered { message, usage, stop, .. } => {
            EventKind::Answered { turn: 1, iteration: 2, message, usage, stop, interrupted: true }
        }
        other => other,
    };
    insta::assert_snapshot!(render_messages(&[user_event("say"), answer_event("so", &[]), partial, answer_event("", &[])]), @"
    user: say
    model: so []
    user: Continue.
    model: and []
    ");
}

#[test]
fn a_summary_replaces_answers_but_not_user_messages() {
    let events = [
        user_event("first"),
        answer_event("one", &["a"]),
        result("a", "of a"),
        user_event("Summary of the conversation so far:\nmy own words"),
        answer_event("two", &["b"]),
        result("b", "of b"),
        answer_event("three", &["c"]),
        result("c", "of c"),
        compaction_event(5, "one was said", &["b"]),
        user_event("next"),
        answer_event("four", &["d"]),
        result("d", "of d"),
        compaction_event(11, "one to three", &[]),
    ];
    let (first, both) = (render_messages(&events[..9]), render_messages(&events));
    insta::assert_snapshot!(format!("{first}\n----\n{both}"), @"
    user: first
    user: Summary of the conversation so far: / my own words
    user: Summary of the conversation so far: / one was said
    model: two [b]
    tool b: [This result was left out to save room. Make the c
    model: three [c]
    tool c: of c
    ----
    user: first
    user: Summary of the conversation so far: / my own words
    user: next
    user: Summary of the conversation so far: / one to three
    model: four [d]
    tool d: of d
    ");
}

fn any_event() -> impl Strategy<Value = EventKind> {
    let id = || prop::sample::select(vec!["a", "b", "c"]);
    prop_oneof![
        "[a-c]{1,3}".prop_map(|text| user_event(&text)),
        ("[a-c]{0,2}", prop::collection::vec(id(), 0..4)).prop_map(|(text, calls)| answer_event(&text, &calls)),
        id().prop_map(|call| result(call, "done")),
        Just(end_event()),
        (0..40_u64, prop::sample::select(vec!["", "notes"]), prop::collection::vec(id(), 0..2))
            .prop_map(|(before, summary, pruned)| compaction_event(before, summary, &pruned)),
        Just(EventKind::Result {
            turn: 1,
            call: "b".to_owned(),
            text: "no".to_owned(),
            failure: Some(ErrorCode::Failed),
            duration: 0
        }),
    ]
}

proptest! {
    /// For any events, after each of them.
    #[test]
    fn every_call_has_one_outcome_and_every_outcome_its_call(events in prop::collection::vec(any_event(), 0..40)) {
        let mut history = History::default();
        let mut expected: Vec<String> = Vec::new();
        for event in number_events(&events) {
            if let EventKind::UserMessage { text, .. } = &event.kind {
                expected.push(text.clone());
            }
            history.apply(&event);
            let messages = history.messages();
            let mut waiting: Vec<String> = Vec::new();
            let mut user_texts: Vec<String> = Vec::new();
            let mut last_is_answer = false;
            for message in &messages {
                match message {
                    PromptMessage::Tool(outcome) => {
                        let at = waiting.iter().position(|call| *call == outcome.call);
                        prop_assert!(at.is_some(), "an outcome without a call: {messages:?}");
                        waiting.remove(at.unwrap());
                    }
                    other => {
                        prop_assert!(waiting.is_empty(), "calls without outcomes: {messages:?}");
                        match other {
                            PromptMessage::Assistant(answer) => {
                                prop_assert!(!last_is_answer, "two answers in a row: {messages:?}");
                                waiting = answer.calls.iter().map(|call| call.id.clone()).collect();
                            }
                            PromptMessage::User { text } => user_texts.push(text.clone()),
                            PromptMessage::Tool(_) => {}
                        }
                    }
                }
                last_is_answer = matches!(message, PromptMessage::Assistant(_));
            }
            prop_assert!(waiting.is_empty(), "calls without outcomes: {messages:?}");
            user_texts.retain(|text| text != CONTINUE && !text.starts_with(SUMMARY));
            prop_assert_eq!(&user_texts, &expected);
        }
    }
}
