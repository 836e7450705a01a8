//! What the model is to be told, made of the events of a conversation: the same while it runs and when it is opened again.

use std::collections::BTreeSet;

use crate::event::{Event, EventKind};
use zubi_models::message::{Message, ToolResult};

/// What a call is said to have come to when nothing is known of it.
pub const OUTCOME_UNKNOWN: &str = "The run was interrupted while this call was made: whether it took effect is not known. Look before you make it again.";
/// What stands for a result that was left out.
pub(crate) const LEFT_OUT: &str = "[This result was left out to save room. Make the call again if you need it.]";
/// What stands before a summary.
const SUMMARY: &str = "What was said and done before, in short:";
/// What stands between two answers that would follow each other, which some providers refuse.
const GO_ON: &str = "Go on.";

/// The conversation so far.
#[derive(Debug, Clone, Default)]
pub struct History {
    /// What is told, with the seq of the event that says so.
    told: Vec<(u64, Message)>,
    /// Calls whose outcome is still to come.
    open: Vec<ToolResult>,
    /// Where in `told` the summary stands that a person has not said.
    summary: Option<usize>,
}

impl History {
    /// What the events say, one after the other.
    pub fn from_events<'a>(events: impl IntoIterator<Item = &'a Event>) -> Self {
        let mut history = Self::default();
        for event in events {
            history.apply(event);
        }
        history
    }

    /// Takes the next event.
    pub fn apply(&mut self, event: &Event) {
        match &event.what {
            EventKind::Asked { text, .. } => {
                // While calls are open their outcomes come first: providers refuse anything in between.
                self.told.push((event.seq, Message::User { text: text.clone() }));
            }
            EventKind::Answered { said, interrupted, .. } => {
                self.close(event.seq);
                let mut said = said.clone();
                if *interrupted {
                    // Nobody makes the calls of half an answer.
                    said.calls.clear();
                }
                let open = said.calls.iter().map(|call| ToolResult {
                    call: call.id.clone(),
                    tool: call.tool.clone(),
                    text: OUTCOME_UNKNOWN.to_owned(),
                    is_error: true,
                });
                self.open = open.collect();
                if !said.text.trim().is_empty() || !said.calls.is_empty() || said.native.is_some() {
                    self.told.push((event.seq, Message::Assistant(said)));
                }
            }
            EventKind::Result { call, text, failure, .. } => {
                if let Some(at) = self.open.iter().position(|open| open.call == *call) {
                    let outcome = ToolResult { text: text.clone(), is_error: failure.is_some(), ..self.open.remove(at) };
                    self.insert(event.seq, outcome);
                }
            }
            EventKind::Ended(_) => self.close(event.seq),
            EventKind::Compacted { before, summary, pruned, .. } => self.compact(*before, summary, pruned),
            _ => {}
        }
    }

    /// What the model is told now. Calls without an outcome have one that says so.
    pub fn messages(&self) -> Vec<Message> {
        let mut history = self.clone();
        history.close(u64::MAX);
        let mut messages: Vec<Message> = Vec::with_capacity(history.told.len());
        for (_, message) in history.told {
            let is_answer = |message: &Message| matches!(message, Message::Assistant(_));
            if is_answer(&message) && messages.last().is_some_and(is_answer) {
                messages.push(Message::User { text: GO_ON.to_owned() });
            }
            messages.push(message);
        }
        messages
    }

    /// The same, each with the seq of the event that it comes from.
    pub fn messages_with_seq(&self) -> &[(u64, Message)] {
        &self.told
    }

    /// Calls of the last answer that have no outcome yet: their ids.
    pub fn pending_calls(&self) -> impl Iterator<Item = &str> {
        self.open.iter().map(|outcome| outcome.call.as_str())
    }

    fn close(&mut self, seq: u64) {
        for outcome in std::mem::take(&mut self.open) {
            self.insert(seq, outcome);
        }
    }

    /// Puts an outcome behind its call and the outcomes that are there already, before anything said meanwhile. Calls that are
    /// open are those of the last answer.
    fn insert(&mut self, seq: u64, outcome: ToolResult) {
        let answer = self.told.iter().rposition(|(_, message)| matches!(message, Message::Assistant(_)));
        let Some(answer) = answer else { return };
        let behind = self.told.iter().skip(answer + 1);
        let at = answer + 1 + behind.take_while(|(_, message)| matches!(message, Message::Tool(_))).count();
        self.told.insert(at, (seq, Message::Tool(outcome)));
    }

    fn compact(&mut self, before: u64, summary: &str, pruned: &[String]) {
        let pruned: BTreeSet<&str> = pruned.iter().map(String::as_str).collect();
        let new = || (before, Message::User { text: format!("{SUMMARY}\n{summary}") });
        let is_replaced = !summary.is_empty();
        let (mut kept, mut at, mut answer_is_kept) = (Vec::with_capacity(self.told.len()), None, false);
        for (place, (seq, mut message)) in std::mem::take(&mut self.told).into_iter().enumerate() {
            match &mut message {
                // An earlier summary is part of the new one.
                Message::User { .. } if self.summary == Some(place) => {
                    if is_replaced {
                        continue;
                    }
                    at = Some(kept.len());
                }
                // A person's words stay, also those of long ago.
                Message::User { .. } => {}
                Message::Assistant(_) => {
                    answer_is_kept = seq >= before;
                    if !answer_is_kept {
                        continue;
                    }
                }
                // Outcomes stand behind the answer that asked for them, and go with it.
                Message::Tool(_) if !answer_is_kept => continue,
                Message::Tool(outcome) => {
                    if pruned.contains(outcome.call.as_str()) {
                        LEFT_OUT.clone_into(&mut outcome.text);
                    }
                }
            }
            if is_replaced && at.is_none() && seq >= before && !matches!(message, Message::Tool(_)) {
                at = Some(kept.len());
                kept.push(new());
            }
            kept.push((seq, message));
        }
        if is_replaced && at.is_none() {
            at = Some(kept.len());
            kept.push(new());
        }
        if !answer_is_kept {
            self.open.clear();
        }
        self.told = kept;
        self.summary = at;
    }
}

#[cfg(test)]
mod tests;
