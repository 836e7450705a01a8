//! The messages to send to the model, built from the events of a conversation. The result is the same for a running
//! conversation and for one that is opened again.

use std::collections::BTreeSet;

use crate::event::{AgentEvent, EventKind};
use zubi_models::message::{PromptMessage, ToolResult};

/// The result text for a call whose outcome is unknown.
pub const OUTCOME_UNKNOWN: &str = "The run was interrupted while this call was made: whether it took effect is not known. Look before you make it again.";
/// The text that replaces a pruned result.
pub(crate) const PRUNED_RESULT: &str = "[This result was left out to save room. Make the call again if you need it.]";
/// The heading of a summary.
const SUMMARY: &str = "Summary of the conversation so far:";
/// The user message between two answers that would otherwise follow each other, which some providers refuse.
const CONTINUE: &str = "Continue.";

/// The messages of a conversation so far.
#[derive(Debug, Clone, Default)]
pub struct History {
    /// The messages, each with the `seq` of its event.
    messages: Vec<(u64, PromptMessage)>,
    /// Calls without a result.
    open: Vec<ToolResult>,
    /// The index in `messages` of a summary that no user wrote.
    summary: Option<usize>,
}

impl History {
    /// Builds the history from events, in their order.
    #[cfg(test)]
    pub(crate) fn from_events<'a>(events: impl IntoIterator<Item = &'a AgentEvent>) -> Self {
        let mut history = Self::default();
        for event in events {
            history.apply(event);
        }
        history
    }

    /// Applies the next event.
    pub fn apply(&mut self, event: &AgentEvent) {
        match &event.kind {
            EventKind::UserMessage { text, .. } => {
                // If calls are open, their results come first: providers refuse any message in between.
                self.messages.push((event.seq, PromptMessage::User { text: text.clone() }));
            }
            EventKind::Answered { message, interrupted, .. } => {
                self.close(event.seq);
                let mut message = message.clone();
                if *interrupted {
                    // Calls of an incomplete answer are never made.
                    message.calls.clear();
                }
                let open = message.calls.iter().map(|call| ToolResult {
                    call: call.id.clone(),
                    tool: call.tool.clone(),
                    text: OUTCOME_UNKNOWN.to_owned(),
                    is_error: true,
                });
                self.open = open.collect();
                if !message.text.trim().is_empty() || !message.calls.is_empty() || message.native.is_some() {
                    self.messages.push((event.seq, PromptMessage::Assistant(message)));
                }
            }
            EventKind::Result { call, text, failure, .. } => {
                if let Some(at) = self.open.iter().position(|open| open.call == *call) {
                    let outcome =
                        ToolResult { text: text.clone(), is_error: failure.is_some(), ..self.open.remove(at) };
                    self.insert(event.seq, outcome);
                }
            }
            EventKind::Ended(_) => self.close(event.seq),
            EventKind::Compacted { before, summary, pruned, .. } => self.compact(*before, summary, pruned),
            _ => {}
        }
    }

    /// Returns the messages for the model. A call without a result gets one that says so.
    pub fn messages(&self) -> Vec<PromptMessage> {
        let mut history = self.clone();
        history.close(u64::MAX);
        let mut messages: Vec<PromptMessage> = Vec::with_capacity(history.messages.len());
        for (_, message) in history.messages {
            let is_answer = |message: &PromptMessage| matches!(message, PromptMessage::Assistant(_));
            if is_answer(&message) && messages.last().is_some_and(is_answer) {
                messages.push(PromptMessage::User { text: CONTINUE.to_owned() });
            }
            messages.push(message);
        }
        messages
    }

    /// Returns the messages, each with the seq of its event.
    pub fn messages_with_seq(&self) -> &[(u64, PromptMessage)] {
        &self.messages
    }

    /// Returns the ids of the last answer's calls that have no result yet.
    pub fn pending_calls(&self) -> impl Iterator<Item = &str> {
        self.open.iter().map(|outcome| outcome.call.as_str())
    }

    fn close(&mut self, seq: u64) {
        for outcome in std::mem::take(&mut self.open) {
            self.insert(seq, outcome);
        }
    }

    /// Inserts a result after the answer that made the call and after that answer's other results, before any later
    /// message. Open calls always belong to the last answer.
    fn insert(&mut self, seq: u64, outcome: ToolResult) {
        let answer = self.messages.iter().rposition(|(_, message)| matches!(message, PromptMessage::Assistant(_)));
        let Some(answer) = answer else { return };
        let following = self.messages.iter().skip(answer + 1);
        let at = answer + 1 + following.take_while(|(_, message)| matches!(message, PromptMessage::Tool(_))).count();
        self.messages.insert(at, (seq, PromptMessage::Tool(outcome)));
    }

    fn compact(&mut self, before: u64, summary: &str, pruned: &[String]) {
        let pruned: BTreeSet<&str> = pruned.iter().map(String::as_str).collect();
        let new = || (before, PromptMessage::User { text: format!("{SUMMARY}\n{summary}") });
        let is_replaced = !summary.is_empty();
        let (mut retained, mut at, mut is_answer_retained) = (Vec::with_capacity(self.messages.len()), None, false);
        for (position, (seq, mut message)) in std::mem::take(&mut self.messages).into_iter().enumerate() {
            match &mut message {
                // The new summary includes the previous one.
                PromptMessage::User { .. } if self.summary == Some(position) => {
                    if is_replaced {
                        continue;
                    }
                    at = Some(retained.len());
                }
                // The user's messages stay, however old they are.
                PromptMessage::User { .. } => {}
                PromptMessage::Assistant(_) => {
                    is_answer_retained = seq >= before;
                    if !is_answer_retained {
                        continue;
                    }
                }
                // Tool results follow the answer that made the calls, and are removed with it.
                PromptMessage::Tool(_) if !is_answer_retained => continue,
                PromptMessage::Tool(outcome) => {
                    if pruned.contains(outcome.call.as_str()) {
                        PRUNED_RESULT.clone_into(&mut outcome.text);
                    }
                }
            }
            if is_replaced && at.is_none() && seq >= before && !matches!(message, PromptMessage::Tool(_)) {
                at = Some(retained.len());
                retained.push(new());
            }
            retained.push((seq, message));
        }
        if is_replaced && at.is_none() {
            at = Some(retained.len());
            retained.push(new());
        }
        if !is_answer_retained {
            self.open.clear();
        }
        self.messages = retained;
        self.summary = at;
    }
}

#[cfg(test)]
mod tests;
