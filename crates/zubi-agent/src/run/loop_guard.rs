//! Detects calls that are repeated with the same result. A model that repeats itself gets a note first; then the turn
//! is stopped.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{BuildHasher as _, RandomState};

use serde_json::Value;
use zubi_tool_api::Effect;

/// The number of equal results from which a note is added.
const NOTE_AFTER: u64 = 3;
/// The number of equal results at which zubi blocks the call; the call that would reach it is not made.
const BLOCK_AFTER: u64 = 5;

/// The note below the result of a call that was repeated without effect.
pub(super) const LOOP_NOTE: &str = "[You have made this same call several times, and nothing has changed in between: repeating it will not help. Do something else, or say what is missing.]";
/// The result of a call that is not made.
pub(super) const BLOCKED_TEXT: &str = "Not made. The same call has already given the same result four times.";

/// The identity of a call: the tool and its arguments.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct CallKey(String);

impl CallKey {
    pub(super) fn new(tool: &str, arguments: &Value) -> Self {
        let mut key = format!("{tool} ");
        write(arguments, &mut key);
        Self(key)
    }
}

/// Writes JSON in which the order of keys does not matter.
fn write(value: &Value, output: &mut String) {
    match value {
        Value::Object(object) => {
            let mut keys: Vec<_> = object.iter().collect();
            keys.sort_by_key(|(key, _)| *key);
            output.push('{');
            for (key, value) in keys {
                output.push_str(&Value::from(key.as_str()).to_string());
                output.push(':');
                write(value, output);
                output.push(',');
            }
            output.push('}');
        }
        Value::Array(items) => {
            output.push('[');
            for item in items {
                write(item, output);
                output.push(',');
            }
            output.push(']');
        }
        other => output.push_str(&other.to_string()),
    }
}

/// The last result of a call.
#[derive(Debug)]
struct PreviousCall {
    /// The number of consecutive equal results.
    count: u64,
    /// The hash of the result.
    outcome: u64,
    /// The id of the last call with this result.
    call: String,
}

/// The calls of a turn, by tool and arguments.
#[derive(Debug, Default)]
pub(super) struct LoopGuard {
    previous_calls: BTreeMap<CallKey, PreviousCall>,
    hasher: RandomState,
}

impl LoopGuard {
    /// Whether the call has been repeated so often that it must not be made again.
    pub(super) fn is_blocked(&self, key: &CallKey) -> bool {
        self.previous_calls.get(key).is_some_and(|seen| seen.count + 1 >= BLOCK_AFTER)
    }

    /// Records the result of a call. Returns whether it needs a note.
    ///
    /// A call that may have changed something resets the counts of all calls, because reading again is then reasonable.
    /// A call that has itself given the same result before does not.
    pub(super) fn record_and_check(
        &mut self,
        key: CallKey,
        call: &str,
        effect: Effect,
        has_failed: bool,
        outcome: &str,
    ) -> bool {
        let outcome = self.hasher.hash_one(without_times(outcome));
        let repetitions = self.previous_calls.get(&key).filter(|seen| seen.outcome == outcome).map(|seen| seen.count);
        if repetitions.is_none() && !has_failed && effect > Effect::Plan {
            for seen in self.previous_calls.values_mut() {
                seen.count = 0;
            }
        }
        let count = repetitions.unwrap_or_default() + 1;
        self.previous_calls.insert(key, PreviousCall { count, outcome, call: call.to_owned() });
        count >= NOTE_AFTER
    }

    /// Forgets all calls except these, whose results the model still has. It may repeat the others.
    pub(super) fn remember(&mut self, calls: &BTreeSet<&str>) {
        self.previous_calls.retain(|_, seen| calls.contains(seen.call.as_str()));
    }
}

/// Returns a result without the times in its status line, which differ on every run of a command.
fn without_times(outcome: &str) -> Vec<&str> {
    let (text, status) = outcome.trim_end().rsplit_once('\n').unwrap_or(("", outcome));
    let status = if status.starts_with('[') { status } else { return vec![outcome] };
    let is_time = |clause: &str| {
        let number = clause.trim_matches(|c: char| c.is_whitespace() || c == ']' || c == '[').strip_suffix(" s");
        number.is_some_and(|number| number.parse::<f64>().is_ok())
    };
    [text].into_iter().chain(status.split('·').filter(|clause| !is_time(clause))).collect()
}
