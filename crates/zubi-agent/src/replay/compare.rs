//! Compares the recording with the replay.

use zubi_tool_api::spec::wire_name;

use super::{Difference, ReplayOutcome, ReplayedCall, ids};
use crate::event::StopReason;
use zubi_models::scenario::{self, ScenarioTurn};

/// Returns the differences, turn by turn. `problems` are the errors of the replay, by turn.
pub(super) fn turns(recorded: &[ScenarioTurn], now: &[ScenarioTurn], problems: &[Option<String>]) -> Vec<Difference> {
    let mut differences = Vec::new();
    for (number, (recorded, now)) in recorded.iter().zip(now).enumerate() {
        // A scenario that was written by hand may leave out the results of its calls.
        let has_results = !recorded.results.is_empty() || recorded.answers.iter().all(|answer| answer.calls.is_empty());
        if has_results {
            calls(number + 1, recorded, now, &mut differences);
        }
        let is_new = |ended| match recorded.ended {
            Some(recorded_reason) => is_reproducible(recorded_reason) && recorded_reason != ended,
            // The recording does not contain the turn's end, so only an error of the replay counts.
            None => matches!(ended, StopReason::Model | StopReason::Failed),
        };
        if let Some(ended) = now.ended.filter(|ended| is_new(*ended)) {
            let problem = problems.get(number).cloned().flatten();
            differences.push(Difference::End { turn: number + 1, recorded: recorded.ended, now: ended, problem });
        }
    }
    differences
}

/// Whether a replay can end a turn for this reason again. It cannot if the turn was stopped from outside.
fn is_reproducible(reason: StopReason) -> bool {
    !matches!(
        reason,
        StopReason::Stopped
            | StopReason::Killed
            | StopReason::Model
            | StopReason::Failed
            | StopReason::Time
            | StopReason::Tokens
    )
}

fn calls(turn: usize, recorded: &ScenarioTurn, now: &ScenarioTurn, differences: &mut Vec<Difference>) {
    for at in 0..recorded.results.len().max(now.results.len()) {
        let (recorded, now) = (recorded.results.get(at), now.results.get(at));
        let replayed_call = |outcome: Option<&scenario::ScenarioOutcome>| {
            outcome.map(|outcome| ReplayedCall {
                tool: wire_name(&outcome.tool),
                arguments: ids::normalize_value(&outcome.arguments),
            })
        };
        let (recorded_call, current_call, call) = (replayed_call(recorded), replayed_call(now), at + 1);
        if recorded_call != current_call {
            differences.push(Difference::Call { turn, call, recorded: recorded_call, now: current_call });
            continue;
        }
        let outcome = |outcome: &scenario::ScenarioOutcome| ReplayOutcome {
            text: ids::normalize(&outcome.text),
            failed: outcome.failed,
        };
        if let (Some(made), Some(recorded), Some(now)) = (recorded_call, recorded.map(outcome), now.map(outcome))
            && recorded != now
        {
            differences.push(Difference::Outcome { turn, call, made, recorded, now });
        }
    }
}
