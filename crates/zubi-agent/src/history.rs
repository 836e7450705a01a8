//! What the model is to be told, made of the events of a conversation: the same while it runs and when it is opened again.

use std::collections::HashSet;

use crate::event::{Event, What};
use crate::message::{Message, Outcome};

/// What a call is said to have come to when nothing is known of it.
pub const OUTCOME_UNKNOWN: &str = "The run was interrupted while this call was made: whether it took effect is not known. Look before you make it again.";
/// What stands for a result that was left out.
const LEFT_OUT: &str = "[This result was left out to save room. Make the call again if you need it.]";
/// What stands before a summary.
const SUMMARY: &str = "What was said and done before, in short:";

/// The conversation so far.
#[derive(Debug, Clone, Default)]
pub struct History {
    /// What is told, with the seq of the event that says so.
    told: Vec<(u64, Message)>,
    /// Calls whose outcome is still to come.
    open: Vec<Outcome>,
}

impl History {
    /// What the events say, one after the other.
    pub fn of<'a>(events: impl IntoIterator<Item = &'a Event>) -> Self {
        let mut history = Self::default();
        for event in events {
            history.apply(event);
        }
        history
    }

    /// Takes the next event.
    pub fn apply(&mut self, event: &Event) {
        match &event.what {
            What::Asked { text, .. } => {
                // While calls are open their outcomes come first: providers refuse anything in between.
                self.told.push((event.seq, Message::User { text: text.clone() }));
            }
            What::Answered { said, .. } => {
                self.close(event.seq);
                self.open = said
                    .calls
                    .iter()
                    .map(|call| Outcome {
                        call: call.id.clone(),
                        tool: call.tool.clone(),
                        text: OUTCOME_UNKNOWN.to_owned(),
                        is_error: true,
                    })
                    .collect();
                if !said.text.is_empty() || !said.calls.is_empty() || said.native.is_some() {
                    self.told.push((event.seq, Message::Assistant(said.clone())));
                }
            }
            What::Result { call, text, failure, .. } => {
                if let Some(at) = self.open.iter().position(|open| open.call == *call) {
                    let outcome = Outcome { text: text.clone(), is_error: failure.is_some(), ..self.open.remove(at) };
                    self.insert(event.seq, outcome);
                }
            }
            What::Ended(_) => self.close(event.seq),
            What::Compacted { before, summary, pruned, .. } => self.compact(*before, summary, pruned),
            _ => {}
        }
    }

    /// What the model is told now. Calls without an outcome have one that says so.
    pub fn messages(&self) -> Vec<Message> {
        let mut history = self.clone();
        history.close(u64::MAX);
        history.told.into_iter().map(|(_, message)| message).collect()
    }

    /// The same, each with the seq of the event that it comes from.
    pub fn told(&self) -> &[(u64, Message)] {
        &self.told
    }

    /// Calls of the last answer that have no outcome yet: their ids.
    pub fn open_calls(&self) -> impl Iterator<Item = &str> {
        self.open.iter().map(|outcome| outcome.call.as_str())
    }

    fn close(&mut self, seq: u64) {
        for outcome in std::mem::take(&mut self.open) {
            self.insert(seq, outcome);
        }
    }

    /// Puts an outcome behind its call and the outcomes that are there already, before anything said meanwhile.
    fn insert(&mut self, seq: u64, outcome: Outcome) {
        let calls = self.told.iter().rposition(
            |(_, message)| matches!(message, Message::Assistant(said) if said.calls.iter().any(|call| call.id == outcome.call)),
        );
        let Some(calls) = calls else { return };
        let behind = self.told.iter().skip(calls + 1);
        let at = calls + 1 + behind.take_while(|(_, message)| matches!(message, Message::Tool(_))).count();
        self.told.insert(at, (seq, Message::Tool(outcome)));
    }

    fn compact(&mut self, before: u64, summary: &str, pruned: &[String]) {
        let pruned: HashSet<&str> = pruned.iter().map(String::as_str).collect();
        let mut kept: Vec<(u64, Message)> = Vec::new();
        let mut has_summary = summary.is_empty();
        for (seq, mut message) in std::mem::take(&mut self.told) {
            let is_old = seq < before;
            match &mut message {
                // A person's words stay, also those of long ago; an earlier summary is part of the new one.
                Message::User { text } if is_old && text.starts_with(SUMMARY) => continue,
                Message::User { .. } => {}
                Message::Assistant(_) if is_old => continue,
                Message::Assistant(_) => {}
                // An outcome goes with its call.
                Message::Tool(outcome) if is_old || !kept.iter().any(|(_, it)| calls(it, &outcome.call)) => continue,
                Message::Tool(outcome) => {
                    if pruned.contains(outcome.call.as_str()) {
                        LEFT_OUT.clone_into(&mut outcome.text);
                    }
                }
            }
            if !is_old && !has_summary {
                has_summary = true;
                kept.push((before, Message::User { text: format!("{SUMMARY}\n{summary}") }));
            }
            kept.push((seq, message));
        }
        if !has_summary {
            kept.push((before, Message::User { text: format!("{SUMMARY}\n{summary}") }));
        }
        self.told = kept;
    }
}

fn calls(message: &Message, id: &str) -> bool {
    matches!(message, Message::Assistant(said) if said.calls.iter().any(|call| call.id == id))
}
