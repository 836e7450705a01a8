//! Calls that are made over and over and give the same: a model that goes round in circles is told so, then stopped.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{BuildHasher as _, RandomState};

use serde_json::Value;
use zubi_tool_api::Effect;

/// The same outcome for the so-manyth time is told with a remark.
const REMARKED: u64 = 3;
/// A call that would be the so-manyth is not made.
const REFUSED: u64 = 5;

/// What stands below the outcome of a call that was made in vain again.
pub(super) const LOOP_NOTE: &str = "[You have made this very call several times, and nothing has changed in between: another one will not help. Do something else, or say what is missing.]";
/// What a call that is not made comes to.
pub(super) const BLOCKED_TEXT: &str = "Not made. The same call has given the same four times already.";

/// Which call it is: the tool and its arguments.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Key(String);

impl Key {
    pub(super) fn new(tool: &str, arguments: &Value) -> Self {
        let mut key = format!("{tool} ");
        write(arguments, &mut key);
        Self(key)
    }
}

/// JSON in which the order of keys does not matter.
fn write(value: &Value, into: &mut String) {
    match value {
        Value::Object(object) => {
            let mut keys: Vec<_> = object.iter().collect();
            keys.sort_by_key(|(key, _)| *key);
            into.push('{');
            for (key, value) in keys {
                into.push_str(&Value::from(key.as_str()).to_string());
                into.push(':');
                write(value, into);
                into.push(',');
            }
            into.push('}');
        }
        Value::Array(items) => {
            into.push('[');
            for item in items {
                write(item, into);
                into.push(',');
            }
            into.push(']');
        }
        other => into.push_str(&other.to_string()),
    }
}

/// What came of a call.
#[derive(Debug)]
struct PreviousCall {
    /// How often the last outcome was the same, in a row.
    count: u64,
    /// A hash of it.
    outcome: u64,
    /// The last call that came to it: its id.
    call: String,
}

/// The calls of a turn.
#[derive(Debug, Default)]
pub(super) struct LoopGuard {
    seen: BTreeMap<Key, PreviousCall>,
    hasher: RandomState,
}

impl LoopGuard {
    /// Whether the call has been made in vain so often that it is not made again.
    pub(super) fn is_blocked(&self, key: &Key) -> bool {
        self.seen.get(key).is_some_and(|seen| seen.count + 1 >= REFUSED)
    }

    /// Takes the outcome of a call. Whether it is to have a remark.
    ///
    /// What may have changed something makes it worth looking again, so the counts of all begin anew; but not if it is itself a
    /// call that has given the same before.
    pub(super) fn record_and_check(
        &mut self,
        key: Key,
        call: &str,
        effect: Effect,
        has_failed: bool,
        outcome: &str,
    ) -> bool {
        let outcome = self.hasher.hash_one(without_times(outcome));
        let same = self.seen.get(&key).filter(|seen| seen.outcome == outcome).map(|seen| seen.count);
        if same.is_none() && !has_failed && effect > Effect::Plan {
            for seen in self.seen.values_mut() {
                seen.count = 0;
            }
        }
        let count = same.unwrap_or_default() + 1;
        self.seen.insert(key, PreviousCall { count, outcome, call: call.to_owned() });
        count >= REMARKED
    }

    /// Takes that these are the calls whose outcomes the model is still told: it may make others again.
    pub(super) fn remember(&mut self, calls: &BTreeSet<&str>) {
        self.seen.retain(|_, seen| calls.contains(seen.call.as_str()));
    }
}

/// An outcome without the times in its status line: they differ whenever a command is run again.
fn without_times(outcome: &str) -> Vec<&str> {
    let (text, status) = outcome.trim_end().rsplit_once('\n').unwrap_or(("", outcome));
    let status = if status.starts_with('[') { status } else { return vec![outcome] };
    let is_time = |clause: &str| {
        let number = clause.trim_matches(|c: char| c.is_whitespace() || c == ']' || c == '[').strip_suffix(" s");
        number.is_some_and(|number| number.parse::<f64>().is_ok())
    };
    [text].into_iter().chain(status.split('·').filter(|clause| !is_time(clause))).collect()
}
