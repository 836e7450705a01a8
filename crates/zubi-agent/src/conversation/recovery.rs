//! The events that complete a conversation whose process ended in the middle of a turn.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};
use zubi_tool_api::cx::ApprovalAnswer;

use super::summary::ConversationSummary;
use crate::delegation::{self, ApprovalState};
use crate::event::{AgentEvent, EventKind};
use crate::history::{History, OUTCOME_UNKNOWN};
use crate::questions::AUTO_DECIDER;

/// The result text of a call that had not started.
const NOT_STARTED: &str = "The run was interrupted before this call was made. Nothing has happened by it.";

/// Returns the missing results and the end of the turn.
pub(crate) fn recovery_events(
    history: &History,
    digest: &ConversationSummary,
    events: &[AgentEvent],
    now: u64,
) -> Vec<EventKind> {
    let Some(turn) = &digest.open else { return Vec::new() };
    let mut started_calls: BTreeSet<&str> = turn.started_calls.iter().map(String::as_str).collect();
    let mut recovery = Vec::new();
    for event in events {
        let EventKind::Question { question, .. } = &event.kind else { continue };
        if !turn.questions.contains(question) {
            continue;
        }
        let reason = "the program ended before they answered".to_owned();
        let answer = json!(ApprovalAnswer::Unanswered { reason });
        recovery.push(EventKind::Decision { question: question.clone(), answer, surface: AUTO_DECIDER.to_owned() });
    }
    for call in calls_pending_approval(events) {
        started_calls.remove(call);
    }
    let result_text = |call: &str| if started_calls.contains(call) { OUTCOME_UNKNOWN } else { NOT_STARTED };
    recovery.extend(history.pending_calls().map(|call| EventKind::Result {
        turn: turn.turn,
        call: call.to_owned(),
        text: result_text(call).to_owned(),
        failure: Some(zubi_tool_api::ErrorCode::Cancelled),
        duration: 0,
    }));
    let last = events.last().map_or(now, |event| event.at);
    recovery.push(EventKind::Ended(turn.ended_by_crash(last)));
    recovery
}

/// Returns the ids of the calls that still wait for their own approval, and so have done nothing.
fn calls_pending_approval(events: &[AgentEvent]) -> Vec<&str> {
    let mut calls: BTreeMap<&str, (&str, &Value, ApprovalState)> = BTreeMap::new();
    let mut questions: BTreeMap<&str, (&str, &Value)> = BTreeMap::new();
    for event in events {
        match &event.kind {
            EventKind::Calling { call, tool, arguments, .. } => {
                calls.insert(call, (tool, arguments, ApprovalState::default()));
            }
            EventKind::Question { question, call, request, .. } => {
                if let Some((tool, arguments, state)) = calls.get_mut(call.as_str()) {
                    let about = request["tool"].as_str().unwrap_or_default();
                    state.question(delegation::matches_call(about, tool, arguments));
                }
                questions.insert(question, (call, &request["arguments"]));
            }
            EventKind::Decision { question, answer, .. } => {
                if let Some((call, arguments)) = questions.get(question.as_str())
                    && let Some((.., state)) = calls.get_mut(call)
                    && let Ok(answer) = serde_json::from_value(answer.clone())
                {
                    state.answer(arguments, &answer);
                }
            }
            _ => {}
        }
    }
    calls.into_iter().filter(|(_, (.., state))| *state == ApprovalState::Waiting).map(|(call, _)| call).collect()
}
