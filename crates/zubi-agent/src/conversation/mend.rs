//! What is added to a conversation whose process ended in the middle of a turn.

use std::collections::BTreeSet;

use serde_json::json;
use zubi_tools::cx::ApprovalAnswer;

use super::digest::Digest;
use crate::event::{Event, What};
use crate::history::{History, OUTCOME_UNKNOWN};
use crate::questions::BY_ITSELF;

/// What a call came to that was still to be made.
const NOT_MADE: &str = "The run was interrupted before this call was made. Nothing has happened by it.";

/// The outcomes that are missing, and the end of the turn.
pub(crate) fn endings(history: &History, digest: &Digest, events: &[Event], now: u64) -> Vec<What> {
    let Some(turn) = &digest.open else { return Vec::new() };
    let mut begun: BTreeSet<&str> = turn.begun.iter().map(String::as_str).collect();
    let mut endings = Vec::new();
    for event in events {
        let What::Question { question, call, request, .. } = &event.what else { continue };
        if !turn.questions.contains(question) {
            continue;
        }
        let how = "the program ended before they answered".to_owned();
        let answer = json!(ApprovalAnswer::Unanswered { how });
        endings.push(What::Decision { question: question.clone(), answer, by: BY_ITSELF.to_owned() });
        // A tool that asks about what it calls itself has begun; it is then asked about another one.
        let is_of_it = |event: &Event| matches!(&event.what, What::Calling { call: it, tool, .. } if it == call && request["tool"] == **tool);
        if events.iter().any(is_of_it) {
            begun.remove(call.as_str());
        }
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
