//! The part of the current answer that has been received so far, for clients that subscribe in the middle of it.

use crate::event::{AgentEvent, EventKind};

/// The maximum length of each part in bytes. A longer answer is complete only once it has ended.
const MAX: usize = 4 * 1024 * 1024;

/// The text and the thoughts of one iteration.
#[derive(Debug, Default)]
pub(crate) struct PartialAnswer {
    turn: u64,
    iteration: u64,
    text: String,
    thought: String,
}

impl PartialAnswer {
    pub(crate) fn apply(&mut self, what: &EventKind) {
        let (turn, iteration, offset, piece, is_text) = match what {
            EventKind::Text { turn, iteration, offset, text } => (*turn, *iteration, *offset, text, true),
            EventKind::Thought { turn, iteration, offset, text } => (*turn, *iteration, *offset, text, false),
            EventKind::Iteration { .. }
            | EventKind::Answered { .. }
            | EventKind::Retrying { .. }
            | EventKind::Ended(_) => {
                *self = Self::default();
                return;
            }
            _ => return,
        };
        if (turn, iteration) != (self.turn, self.iteration) {
            *self = Self { turn, iteration, ..Self::default() };
        }
        let so_far = if is_text { &mut self.text } else { &mut self.thought };
        // Only a text that starts from the beginning replaces the stored part.
        if offset == 0 {
            so_far.clear();
        }
        if so_far.len() + piece.len() <= MAX {
            so_far.push_str(piece);
        }
    }

    pub(crate) fn events(&self, seq: u64, at: u64) -> Vec<AgentEvent> {
        let (turn, iteration) = (self.turn, self.iteration);
        let mut events = Vec::new();
        if !self.thought.is_empty() {
            let what = EventKind::Thought { turn, iteration, offset: 0, text: self.thought.clone() };
            events.push(AgentEvent { seq, at, kind: what });
        }
        if !self.text.is_empty() {
            let what = EventKind::Text { turn, iteration, offset: 0, text: self.text.clone() };
            events.push(AgentEvent { seq, at, kind: what });
        }
        events
    }
}
