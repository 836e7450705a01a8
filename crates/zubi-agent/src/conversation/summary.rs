//! What is known of a conversation without its words: for lists, and to end a turn that was going on when the process died.

use serde::{Deserialize, Serialize};
use zubi_base::visible::printable;

use crate::event::{TurnEnded, Event, StopReason, EventKind};
use zubi_models::message::Usage;

/// How many characters of the first request are a title.
const TITLE: usize = 80;

/// A conversation in short.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct ConversationSummary {
    /// Of the last event.
    pub(crate) seq: u64,
    pub(crate) created: u64,
    pub(crate) updated: u64,
    pub(crate) title: String,
    pub(crate) model: Option<String>,
    /// The number of the last turn.
    pub(crate) turns: u64,
    pub(crate) usage: Usage,
    pub(crate) open: Option<OpenTurn>,
}

/// A turn that has not ended.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct OpenTurn {
    pub(crate) turn: u64,
    /// When it began, in milliseconds since the Unix epoch.
    pub(crate) since: u64,
    /// How often something was said in it.
    pub(crate) asked: usize,
    pub(crate) iterations: u64,
    pub(crate) calls: u64,
    pub(crate) usage: Usage,
    /// Calls that were begun and have no outcome.
    pub(crate) begun: Vec<String>,
    /// Questions without an answer.
    pub(crate) questions: Vec<String>,
}

impl ConversationSummary {
    /// Takes the next event.
    pub(crate) fn apply(&mut self, event: &Event) {
        self.seq = event.seq;
        self.updated = self.updated.max(event.at);
        match &event.what {
            EventKind::Began { .. } => self.created = event.at,
            EventKind::Titled { title } => self.title = one_line(title),
            EventKind::Asked { turn, text } => {
                self.turns = self.turns.max(*turn);
                if self.title.is_empty() {
                    self.title = one_line(text);
                }
                let open = self.open.get_or_insert_with(|| OpenTurn { since: event.at, ..OpenTurn::default() });
                open.turn = *turn;
                open.asked += 1;
            }
            EventKind::Iteration { model, .. } => {
                self.model = Some(model.clone());
                self.in_turn(|open| open.iterations += 1);
            }
            EventKind::Answered { usage, .. } => {
                self.usage += *usage;
                self.in_turn(|open| open.usage += *usage);
            }
            EventKind::Calling { call, .. } => self.in_turn(|open| {
                open.calls += 1;
                open.begun.push(call.clone());
            }),
            EventKind::Result { call, .. } => self.in_turn(|open| open.begun.retain(|begun| begun != call)),
            EventKind::Question { question, .. } => self.in_turn(|open| open.questions.push(question.clone())),
            EventKind::Decision { question, .. } => self.in_turn(|open| open.questions.retain(|open| open != question)),
            // Of a turn whose beginning could not be kept there is only this.
            EventKind::Ended(ended) => {
                self.turns = self.turns.max(ended.turn);
                self.open = None;
            }
            _ => {}
        }
    }

    fn in_turn(&mut self, change: impl FnOnce(&mut OpenTurn)) {
        if let Some(open) = &mut self.open {
            change(open);
        }
    }

    pub(crate) fn title(&self) -> String {
        if self.title.is_empty() { "New conversation".to_owned() } else { self.title.clone() }
    }
}

impl OpenTurn {
    /// How it ended, if the process did.
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
                "The program ended while this turn was going on. Say how to go on; what was done until then is kept."
                    .to_owned(),
            ),
            iterations,
            calls,
            usage: self.usage,
            duration: now.saturating_sub(self.since),
        }
    }
}

/// The first words of a text, on one line.
fn one_line(text: &str) -> String {
    let mut line = String::new();
    let mut words = text.split_whitespace().peekable();
    let mut room = TITLE;
    while let Some(word) = words.next() {
        let length = word.chars().count() + usize::from(!line.is_empty());
        if length > room {
            if line.is_empty() {
                line.extend(word.chars().take(TITLE - 1));
            }
            line.push('…');
            break;
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
        room -= length;
        if room == 0 && words.peek().is_some() {
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
