//! The calls of one answer, assembled from the fragments that servers send. Servers identify the call of a fragment by
//! `index` (as OpenAI does), by the id, by the name, or only by the fragment's position.

use serde_json::Value;

use crate::ids::Ids;
use crate::json;
use crate::message::ToolCall;

/// The maximum number of calls in one answer.
const MAX_CALLS: usize = 128;

/// The reason why fragments do not form valid calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(super) enum ToolCallError {
    #[error("more than {MAX_CALLS} calls in one answer")]
    TooMany,
    #[error("a call without the name of a tool")]
    Nameless,
}

/// The part of a call that has arrived.
#[derive(Debug, Default)]
struct PartialCall {
    index: Option<String>,
    id: String,
    name: String,
    text: String,
    /// `text` without the fragments of repeated frames; used if `text` is not valid.
    text_once: String,
    object: Option<Value>,
    /// Data that the provider needs back with the call.
    extra: Option<Value>,
    /// The frame of the last fragment.
    frame: u64,
}

/// The calls so far.
#[derive(Debug, Default)]
pub(super) struct ToolCallAccumulator(Vec<PartialCall>);

impl ToolCallAccumulator {
    /// Adds a fragment from the frame of this number; `is_copy` says that the frame equals the previous one.
    pub(super) fn add_fragment(&mut self, fragment: &Value, frame: u64, is_copy: bool) -> Result<(), ToolCallError> {
        // In the older form, the fields of a call are at the top level.
        let function = fragment.get("function").unwrap_or(fragment);
        let text = |value: &Value, name: &str| value.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        let index = fragment.get("index").filter(|index| index.is_u64() || index.is_i64() || index.is_string());
        let index = index.map(|index| index.as_str().map_or_else(|| index.to_string(), str::to_owned));
        let (id, name) = (text(fragment, "id"), text(function, "name"));
        let arguments = function.get("arguments").filter(|arguments| !arguments.is_null());
        let has_arguments = arguments.is_some_and(|arguments| arguments.as_str() != Some(""));

        let partial = self.find_or_add(index, &id, &name, CallDelta { frame, is_copy, has_arguments })?;
        partial.frame = frame;
        if partial.id.is_empty() {
            partial.id = id;
        }
        partial.add_name(&name);
        match arguments {
            Some(Value::String(text)) => {
                partial.text.push_str(text);
                if !is_copy {
                    partial.text_once.push_str(text);
                }
            }
            Some(other) => partial.object = Some(other.clone()),
            None => {}
        }
        if let Some(extra) = fragment.get("extra_content").filter(|extra| !extra.is_null()) {
            partial.extra = Some(extra.clone());
        }
        Ok(())
    }

    /// Returns the size of the fragments in bytes, without the parts that arrive whole.
    pub(super) fn bytes(&self) -> usize {
        self.0.iter().map(|call| call.name.len() + call.text.len()).sum()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the calls, each with the data that the provider needs back, if any.
    pub(super) fn finish(self, ids: &mut Ids) -> Result<Vec<(ToolCall, Option<Value>)>, ToolCallError> {
        let finish = |partial: PartialCall| {
            if partial.name.is_empty() {
                return Err(ToolCallError::Nameless);
            }
            let arguments = match partial.object {
                Some(object @ Value::Object(_)) => object,
                Some(other) => Value::String(other.to_string()),
                None => match json::arguments(&partial.text).or_else(|| json::arguments(&partial.text_once)) {
                    Some(arguments) => Value::Object(arguments),
                    None => Value::String(partial.text),
                },
            };
            Ok((ToolCall { id: ids.ensure_unique(&partial.id), tool: partial.name, arguments }, partial.extra))
        };
        self.0.into_iter().map(finish).collect()
    }

    fn find_or_add(
        &mut self,
        index: Option<String>,
        id: &str,
        name: &str,
        delta: CallDelta,
    ) -> Result<&mut PartialCall, ToolCallError> {
        let existing = match &index {
            // Some servers give every call the index 0, others give every fragment another id.
            Some(_) => {
                let last = self.0.iter().rposition(|call| call.index == index);
                last.filter(|at| !self.0.get(*at).is_some_and(|call| call.is_followed_by(id, name)))
            }
            None => self.find_without_index(id, name, delta),
        };
        let at = match existing {
            Some(at) => at,
            None if self.0.len() >= MAX_CALLS => return Err(ToolCallError::TooMany),
            None => {
                self.0.push(PartialCall { index, ..PartialCall::default() });
                self.0.len() - 1
            }
        };
        self.0.get_mut(at).ok_or(ToolCallError::TooMany)
    }

    fn find_without_index(&self, id: &str, name: &str, delta: CallDelta) -> Option<usize> {
        let last = self.0.len().checked_sub(1)?;
        let prior = self.0.get(last)?;
        if name.is_empty() {
            // A new call always has a name.
            return Some(self.0.iter().rposition(|call| !id.is_empty() && call.id == id).unwrap_or(last));
        }
        if !id.is_empty() {
            // Two calls in one frame are separate, even with the same id.
            return self.0.iter().rposition(|call| call.id == id && call.frame != delta.frame);
        }
        let is_same = prior.name == name && prior.frame != delta.frame;
        let is_open =
            (prior.text.trim().is_empty() && prior.object.is_none() && delta.has_arguments) || !prior.is_complete();
        (is_same && (delta.is_copy || is_open)).then_some(last)
    }
}

/// The properties of a fragment other than its names.
#[derive(Debug, Clone, Copy)]
struct CallDelta {
    frame: u64,
    is_copy: bool,
    has_arguments: bool,
}

impl PartialCall {
    /// Adds the name. Servers send it once, repeatedly, in fragments, or each time with all fragments so far.
    fn add_name(&mut self, name: &str) {
        if name.starts_with(self.name.as_str()) {
            name.clone_into(&mut self.name);
        } else if self.text.is_empty() && !name.is_empty() && !self.name.starts_with(name) {
            self.name.push_str(name);
        }
    }

    /// Returns whether a fragment with this id and name belongs to another call although it has the same index.
    fn is_followed_by(&self, id: &str, name: &str) -> bool {
        let is_other = !id.is_empty() && !self.id.is_empty() && self.id != id && !name.is_empty();
        is_other && (self.name != name || !self.text.is_empty()) && self.is_complete()
    }

    /// Returns whether the arguments are complete.
    fn is_complete(&self) -> bool {
        let text = self.text.trim();
        self.object.is_some() || text.is_empty() || (text.ends_with('}') && json::arguments(text).is_some())
    }
}
