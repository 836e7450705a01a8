//! A buffer for the deltas of the current answer that redacts known secrets. A secret may be split over several deltas,
//! so text that may be the beginning of one waits for the next delta.

use zubi_tool_api::redact::Redactor;

use crate::event::EventKind;

/// The waiting text of one iteration.
#[derive(Debug, Default)]
pub(crate) struct RedactionBuffer {
    turn: u64,
    iteration: u64,
    text: RedactionChannel,
    thought: RedactionChannel,
}

/// The waiting part of the text or of the thoughts.
#[derive(Debug, Default)]
struct RedactionChannel {
    /// The text as the model wrote it; at most as long as the longest secret.
    waits: String,
    /// The number of UTF-16 code units that have been published.
    told: u64,
}

impl RedactionChannel {
    /// Returns the text that can be published now, and its offset.
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
    /// Returns the event to publish in place of a delta.
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
        // The model starts the text from the beginning.
        if offset == 0 {
            *channel = RedactionChannel::default();
        }
        channel.waits.push_str(&piece);
        let (offset, text) = channel.take(redactor, redactor.safe_prefix(&channel.waits))?;
        Some(event(turn, iteration, offset, text, is_text))
    }

    /// Returns the text that still waits, to be published before the given event.
    pub(crate) fn flush(&mut self, redactor: &Redactor, before: &EventKind) -> Vec<EventKind> {
        let is_whole = match before {
            // An interrupted answer may end in a part of a secret, which is neither published nor saved
            // (`secrets::without`).
            EventKind::Answered { interrupted, .. } => !interrupted,
            EventKind::Iteration { .. } | EventKind::Retrying { .. } | EventKind::Ended(_) => false,
            _ => return Vec::new(),
        };
        let Self { turn, iteration, text, thought } = std::mem::take(self);
        let rest = |mut channel: RedactionChannel, is_text| {
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
    if is_text {
        EventKind::Text { turn, iteration, offset, text }
    } else {
        EventKind::Thought { turn, iteration, offset, text }
    }
}
