//! What is added to a conversation whose process ended in the middle of a turn.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};
use zubi_tools::cx::ApprovalAnswer;

use super::digest::Digest;
use crate::event::{Event, What};
use crate::history::{History, OUTCOME_UNKNOWN};
use crate::passes_on::{self, Asked};
use crate::questions::BY_ITSELF;

/// What a call came to that was still to be made.
const NOT_MADE: &str = "The run was interrupted before this call was made. Nothing has happened by it.";

/// The outcomes that are missing, and the end of the turn.
pub(crate) fn endings(history: &History, digest: &Digest, events: &[Event], now: u64) -> Vec<What> {
    let Some(turn) = &digest.open else { return Vec::new() };
    let mut begun: BTreeSet<&str> = turn.begun.iter().map(String::as_str).collect();
    let mut endings = Vec::new();
    for event in events {
        let What::Question { question, .. } = &event.what else { continue };
        if !turn.questions.contains(question) {
            continue;
        }
        let how = "the program ended before they answered".to_owned();
        let answer = json!(ApprovalAnswer::Unanswered { how });
        endings.push(What::Decision { question: question.clone(), answer, by: BY_ITSELF.to_owned() });
    }
    for call in waiting(events) {
        begun.remove(call);
    }
    let told = |call: &str| if begun.contains(call) { OUTCOME_UNKNOWN } else { NOT_MADE };
    endings.extend(history.open_calls().map(|call| What::Result {
        turn: turn.turn,
        call: call.to_owned(),
        text: told(call).to_owned(),
        failure: Some(zubi_tools::Code::Cancelled),
        duration: 0,
    }));
    let last = events.last().map_or(now, |event| event.at);
    endings.push(What::Ended(turn.killed(last)));
    endings
}

/// Calls that wait for the yes before which they do nothing.
fn waiting(events: &[Event]) -> Vec<&str> {
    let mut calls: BTreeMap<&str, (&str, &Value, Asked)> = BTreeMap::new();
    let mut questions: BTreeMap<&str, (&str, &Value)> = BTreeMap::new();
    for event in events {
        match &event.what {
            What::Calling { call, tool, arguments, .. } => {
                calls.insert(call, (tool, arguments, Asked::default()));
            }
            What::Question { question, call, request, .. } => {
                if let Some((tool, arguments, asked)) = calls.get_mut(call.as_str()) {
                    let about = request["tool"].as_str().unwrap_or_default();
                    asked.question(passes_on::is_about(about, tool, arguments));
                }
                questions.insert(question, (call, &request["arguments"]));
            }
            What::Decision { question, answer, .. } => {
                if let Some((call, arguments)) = questions.get(question.as_str())
                    && let Some((.., asked)) = calls.get_mut(call)
                    && let Ok(answer) = serde_json::from_value(answer.clone())
                {
                    asked.answer(arguments, &answer);
                }
            }
            _ => {}
        }
    }
    calls.into_iter().filter(|(_, (.., asked))| *asked == Asked::Waiting).map(|(call, _)| call).collect()
}
