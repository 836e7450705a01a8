//! What is added to a conversation whose process ended in the middle of a turn.

use std::collections::BTreeSet;

use super::digest::Digest;
use crate::event::{Event, What};
use crate::history::{History, OUTCOME_UNKNOWN};

/// What a call came to that was still to be made.
const NOT_MADE: &str = "The run was interrupted before this call was made. Nothing has happened by it.";

/// The outcomes that are missing, and the end of the turn.
pub(crate) fn endings(history: &History, digest: &Digest, events: &[Event], now: u64) -> Vec<What> {
    let Some(turn) = &digest.open else { return Vec::new() };
    let begun: BTreeSet<&str> = turn.begun.iter().map(String::as_str).collect();
    let told = |call: &str| if begun.contains(call) { OUTCOME_UNKNOWN } else { NOT_MADE };
    let mut endings: Vec<What> = history
        .open_calls()
        .map(|call| What::Result {
            turn: turn.turn,
            call: call.to_owned(),
            text: told(call).to_owned(),
            failure: Some(zubi_tools::Code::Cancelled),
            duration: 0,
        })
        .collect();
    let last = events.last().map_or(now, |event| event.at);
    endings.push(What::Ended(turn.killed(last)));
    endings
}
