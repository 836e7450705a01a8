//! Pieces of an answer that is being given, told so that no known secret stands in them: one may come in several pieces, so what
//! could be the beginning of one waits for the next.

use zubi_tool_api::redact::Redactor;

use crate::event::EventKind;

/// What waits of one iteration.
#[derive(Debug, Default)]
pub(crate) struct RedactionBuffer {
    turn: u64,
    iteration: u64,
    text: Channel,
    thought: Channel,
}

/// Of the text, or of the thoughts.
#[derive(Debug, Default)]
struct Channel {
    /// As the model said it; at most as long as the longest secret.
    waits: String,
    /// UTF-16 code units that were told.
    told: u64,
}

impl Channel {
    /// What can be told now, and its place.
    fn take(&mut self, redactor: &Redactor, up_to: usize) -> Option<(u64, String)> {
        let ready: String = self.waits.drain(..up_to).collect();
        if ready.is_empty() {
            return None;
        }
        let (offset, clean) = (self.told, redactor.redact_known(&ready));
        self.told += u64::try_from(clean.encode_utf16().count()).unwrap_or(u64::MAX);
        Some((offset, clean))
    }
}

impl RedactionBuffer {
    /// What is told in place of an event that is not kept.
    pub(crate) fn push(&mut self, redactor: &Redactor, what: EventKind) -> Option<EventKind> {
        let (turn, iteration, offset, piece, is_text) = match what {
            EventKind::Text { turn, iteration, offset, text } => (turn, iteration, offset, text, true),
            EventKind::Thought { turn, iteration, offset, text } => (turn, iteration, offset, text, false),
            other => return Some(other),
        };
        if (turn, iteration) != (self.turn, self.iteration) {
            *self = Self { turn, iteration, ..Self::default() };
        }
        let channel = if is_text { &mut self.text } else { &mut self.thought };
        // It is said from its beginning.
        if offset == 0 {
            *channel = Channel::default();
        }
        channel.waits.push_str(&piece);
        let (offset, text) = channel.take(redactor, redactor.safe_prefix(&channel.waits))?;
        Some(event(turn, iteration, offset, text, is_text))
    }

    /// What still waits when this happens, to be told before it.
    pub(crate) fn flush(&mut self, redactor: &Redactor, before: &EventKind) -> Vec<EventKind> {
        let is_whole = match before {
            // What was broken off may end in a part of a secret: it is not told, nor kept (`secrets::without`).
            EventKind::Answered { interrupted, .. } => !interrupted,
            EventKind::Iteration { .. } | EventKind::Retrying { .. } | EventKind::Ended(_) => false,
            _ => return Vec::new(),
        };
        let Self { turn, iteration, text, thought } = std::mem::take(self);
        let rest = |mut channel: Channel, is_text| {
            let (offset, text) = channel.take(redactor, channel.waits.len())?;
            Some(event(turn, iteration, offset, text, is_text))
        };
        if !is_whole {
            return Vec::new();
        }
        rest(thought, false).into_iter().chain(rest(text, true)).collect()
    }
}

fn event(turn: u64, iteration: u64, offset: u64, text: String, is_text: bool) -> EventKind {
    if is_text { EventKind::Text { turn, iteration, offset, text } } else { EventKind::Thought { turn, iteration, offset, text } }
}
