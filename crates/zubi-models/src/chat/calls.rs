//! The calls of one answer, put together from the pieces in which servers send them. Which piece belongs to which call is told
//! by `index` as OpenAI has it, by the id, by the name, or by nothing at all.

use serde_json::Value;

use crate::message::ToolCall;
use crate::ids::Ids;
use crate::json;

/// The most calls of one answer.
const MOST: usize = 128;

/// Why the pieces make no calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(super) enum ToolCallError {
    #[error("more than {MOST} calls in one answer")]
    TooMany,
    #[error("a call without the name of a tool")]
    Nameless,
}

/// One call as far as it has come.
#[derive(Debug, Default)]
struct PartialCall {
    index: Option<String>,
    id: String,
    name: String,
    text: String,
    /// The same without the pieces of frames that came twice. Which of the two is meant shows when all is there.
    text_once: String,
    object: Option<Value>,
    /// What the provider wants back with the call.
    extra: Option<Value>,
    /// The frame that the last piece came in.
    frame: u64,
}

/// The calls so far.
#[derive(Debug, Default)]
pub(super) struct ToolCallAccumulator(Vec<PartialCall>);

impl ToolCallAccumulator {
    /// Takes a piece, which came in the frame of this number; `again` says that the frame is the same as the one before.
    pub(super) fn piece(&mut self, piece: &Value, frame: u64, again: bool) -> Result<(), ToolCallError> {
        // The older form of a call has its fields at the top.
        let function = piece.get("function").unwrap_or(piece);
        let text = |value: &Value, name: &str| value.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        let index = piece.get("index").filter(|index| index.is_u64() || index.is_i64() || index.is_string());
        let index = index.map(|index| index.as_str().map_or_else(|| index.to_string(), str::to_owned));
        let (id, name) = (text(piece, "id"), text(function, "name"));
        let arguments = function.get("arguments").filter(|arguments| !arguments.is_null());
        let has_arguments = arguments.is_some_and(|arguments| arguments.as_str() != Some(""));

        let building = self.place(index, &id, &name, CallDelta { frame, again, has_arguments })?;
        building.frame = frame;
        if building.id.is_empty() {
            building.id = id;
        }
        building.call(&name);
        match arguments {
            Some(Value::String(text)) => {
                building.text.push_str(text);
                if !again {
                    building.text_once.push_str(text);
                }
            }
            Some(other) => building.object = Some(other.clone()),
            None => {}
        }
        if let Some(extra) = piece.get("extra_content").filter(|extra| !extra.is_null()) {
            building.extra = Some(extra.clone());
        }
        Ok(())
    }

    /// How long they are, without what comes whole.
    pub(super) fn bytes(&self) -> usize {
        self.0.iter().map(|call| call.name.len() + call.text.len()).sum()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The calls with what the provider wants back with each, if anything.
    pub(super) fn finish(self, ids: &mut Ids) -> Result<Vec<(ToolCall, Option<Value>)>, ToolCallError> {
        let finish = |building: PartialCall| {
            if building.name.is_empty() {
                return Err(ToolCallError::Nameless);
            }
            let arguments = match building.object {
                Some(object @ Value::Object(_)) => object,
                Some(other) => Value::String(other.to_string()),
                None => match json::arguments(&building.text).or_else(|| json::arguments(&building.text_once)) {
                    Some(arguments) => Value::Object(arguments),
                    None => Value::String(building.text),
                },
            };
            Ok((ToolCall { id: ids.ensure_unique(&building.id), tool: building.name, arguments }, building.extra))
        };
        self.0.into_iter().map(finish).collect()
    }

    fn place(&mut self, index: Option<String>, id: &str, name: &str, piece: CallDelta) -> Result<&mut PartialCall, ToolCallError> {
        let known = match &index {
            // Some servers give every call the index 0, others every piece another id.
            Some(_) => {
                let last = self.0.iter().rposition(|call| call.index == index);
                last.filter(|at| !self.0.get(*at).is_some_and(|call| call.is_followed_by(id, name)))
            }
            None => self.without_index(id, name, piece),
        };
        let at = match known {
            Some(at) => at,
            None if self.0.len() >= MOST => return Err(ToolCallError::TooMany),
            None => {
                self.0.push(PartialCall { index, ..PartialCall::default() });
                self.0.len() - 1
            }
        };
        self.0.get_mut(at).ok_or(ToolCallError::TooMany)
    }

    fn without_index(&self, id: &str, name: &str, piece: CallDelta) -> Option<usize> {
        let last = self.0.len().checked_sub(1)?;
        let before = self.0.get(last)?;
        if name.is_empty() {
            // No call begins without a name.
            return Some(self.0.iter().rposition(|call| !id.is_empty() && call.id == id).unwrap_or(last));
        }
        if !id.is_empty() {
            // Two calls in one frame are two, whatever their ids.
            return self.0.iter().rposition(|call| call.id == id && call.frame != piece.frame);
        }
        let is_same = before.name == name && before.frame != piece.frame;
        let is_open =
            (before.text.trim().is_empty() && before.object.is_none() && piece.has_arguments) || !before.is_whole();
        (is_same && (piece.again || is_open)).then_some(last)
    }
}

/// What is known of a piece beside its names.
#[derive(Debug, Clone, Copy)]
struct CallDelta {
    frame: u64,
    again: bool,
    has_arguments: bool,
}

impl PartialCall {
    /// Servers send the name once, again and again, in pieces, or each time as far as it has come.
    fn call(&mut self, name: &str) {
        if name.starts_with(self.name.as_str()) {
            name.clone_into(&mut self.name);
        } else if self.text.is_empty() && !name.is_empty() && !self.name.starts_with(name) {
            self.name.push_str(name);
        }
    }

    /// Whether what comes with this id and name is another call although it has the same index.
    fn is_followed_by(&self, id: &str, name: &str) -> bool {
        let is_other = !id.is_empty() && !self.id.is_empty() && self.id != id && !name.is_empty();
        is_other && (self.name != name || !self.text.is_empty()) && self.is_whole()
    }

    /// Whether nothing is missing from its arguments.
    fn is_whole(&self) -> bool {
        let text = self.text.trim();
        self.object.is_some() || text.is_empty() || (text.ends_with('}') && json::arguments(text).is_some())
    }
}
