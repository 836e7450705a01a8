//! A conversation's summary, without its texts: for lists, and to end a turn that was running when the process died.

use serde::{Deserialize, Serialize};
use zubi_base::escape::printable;

use crate::event::{AgentEvent, EventKind, StopReason, TurnEnded};
use zubi_models::message::TokenUsage;

/// The maximum length of a title, in characters.
const MAX_TITLE: usize = 80;

/// The summary of a conversation.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct ConversationSummary {
    /// The seq of the last event.
    pub(crate) seq: u64,
    pub(crate) created: u64,
    pub(crate) updated: u64,
    pub(crate) title: String,
    pub(crate) model: Option<String>,
    /// The number of the last turn.
    pub(crate) turns: u64,
    pub(crate) usage: TokenUsage,
    pub(crate) open: Option<OpenTurn>,
}

/// A turn that has not ended.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct OpenTurn {
    pub(crate) turn: u64,
    /// The start time, in milliseconds since the Unix epoch.
    pub(crate) since: u64,
    /// The number of messages that the user sent in the turn.
    #[serde(rename = "asked")]
    pub(crate) user_messages: usize,
    pub(crate) iterations: u64,
    pub(crate) calls: u64,
    pub(crate) usage: TokenUsage,
    /// Calls that have begun and have no result.
    #[serde(rename = "begun")]
    pub(crate) started_calls: Vec<String>,
    /// Approval prompts without an answer.
    pub(crate) questions: Vec<String>,
}

impl ConversationSummary {
    /// Applies the next event.
    pub(crate) fn apply(&mut self, event: &AgentEvent) {
        self.seq = event.seq;
        self.updated = self.updated.max(event.at);
        match &event.kind {
            EventKind::Began { .. } => self.created = event.at,
            EventKind::Titled { title } => self.title = one_line(title),
            EventKind::UserMessage { turn, text } => {
                self.turns = self.turns.max(*turn);
                if self.title.is_empty() {
                    self.title = one_line(text);
                }
                let open = self.open.get_or_insert_with(|| OpenTurn { since: event.at, ..OpenTurn::default() });
                open.turn = *turn;
                open.user_messages += 1;
            }
            EventKind::Iteration { model, .. } => {
                self.model = Some(model.clone());
                self.update(|open| open.iterations += 1);
            }
            EventKind::Answered { usage, .. } => {
                self.usage += *usage;
                self.update(|open| open.usage += *usage);
            }
            EventKind::Calling { call, .. } => self.update(|open| {
                open.calls += 1;
                open.started_calls.push(call.clone());
            }),
            EventKind::Result { call, .. } => self.update(|open| open.started_calls.retain(|started| started != call)),
            EventKind::Question { question, .. } => self.update(|open| open.questions.push(question.clone())),
            EventKind::Decision { question, .. } => self.update(|open| open.questions.retain(|open| open != question)),
            // The only event of a turn whose beginning could not be saved.
            EventKind::Ended(ended) => {
                self.turns = self.turns.max(ended.turn);
                self.open = None;
            }
            _ => {}
        }
    }

    fn update(&mut self, change: impl FnOnce(&mut OpenTurn)) {
        if let Some(open) = &mut self.open {
            change(open);
        }
    }

    pub(crate) fn title(&self) -> String {
        if self.title.is_empty() { "New conversation".to_owned() } else { self.title.clone() }
    }
}

impl OpenTurn {
    /// Returns the end of the turn that a crash interrupted.
    pub(crate) fn ended_by_crash(&self, now: u64) -> TurnEnded {
        let Self { iterations, calls, .. } = *self;
        TurnEnded {
            turn: self.turn,
            reason: StopReason::Killed,
            text: format!(
                "This turn was cut off: the program ended. Until then: iterations {iterations}, calls {calls}."
            ),
            data: None,
            problem: Some(
                "The program ended while this turn was running. Send a message to continue; the work up to that point is saved."
                    .to_owned(),
            ),
            iterations,
            calls,
            usage: self.usage,
            duration: now.saturating_sub(self.since),
        }
    }
}

/// Returns the beginning of a text as one line.
fn one_line(text: &str) -> String {
    let mut line = String::new();
    let mut words = text.split_whitespace().peekable();
    let mut remaining = MAX_TITLE;
    while let Some(word) = words.next() {
        let length = word.chars().count() + usize::from(!line.is_empty());
        if length > remaining {
            if line.is_empty() {
                line.extend(word.chars().take(MAX_TITLE - 1));
            }
            line.push('…');
            break;
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
        remaining -= length;
        if remaining == 0 && words.peek().is_some() {
            line.push('…');
            break;
        }
    }
    printable(&line).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_table() {
        let long = "word ".repeat(40);
        for (text, title) in [
            ("Rename it", "Rename it"),
            ("  two\n\nlines\there ", "two lines here"),
            (long.as_str(), "word word word word word word word word word word word word word word word word…"),
            (&"x".repeat(200), &format!("{}…", "x".repeat(79))),
            ("a\u{202e}b", "a\\u{202e}b"),
            ("", ""),
        ] {
            assert_eq!(one_line(text), title);
        }
    }
}
