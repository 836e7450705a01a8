//! The answer of a model while it is streamed, with the offset of each delta. [`StreamingAnswer::push`] accumulates the
//! deltas of a model; [`StreamingAnswer::publish`] redacts known secrets in them and accumulates what is published, for
//! clients that subscribe in the middle of an answer.

use zubi_models::AnswerDelta;
use zubi_models::message::AssistantMessage;
use zubi_tool_api::redact::Redactor;

use crate::event::{AgentEvent, EventKind};

/// The maximum stored length of the published text, and of the published reasoning, in bytes. Clients that join in the
/// middle of a longer answer receive the rest once it has ended.
const MAX_PUBLISHED: usize = 4 * 1024 * 1024;

/// The text and the thoughts of one iteration.
#[derive(Debug, Default)]
pub(crate) struct StreamingAnswer {
    turn: u64,
    iteration: u64,
    text: Channel,
    reasoning: Channel,
}

#[derive(Debug, Default)]
struct Channel {
    text: String,
    /// The number of UTF-16 code units received, or published.
    length: u64,
    /// Text that may be the beginning of a secret and waits for the next delta; at most as long as the longest secret.
    waiting: String,
}

impl Channel {
    /// Appends a delta and returns its offset. The text grows to at most `max` bytes.
    fn push(&mut self, delta: &str, max: usize) -> u64 {
        let offset = self.length;
        if self.text.len() + delta.len() <= max {
            self.text.push_str(delta);
        }
        self.length += u64::try_from(delta.encode_utf16().count()).unwrap_or(u64::MAX);
        offset
    }

    /// Publishes the first `end` bytes of the waiting text and returns them, redacted, with their offset.
    fn publish(&mut self, redactor: &Redactor, end: usize) -> Option<(u64, String)> {
        let ready: String = self.waiting.drain(..end).collect();
        if ready.is_empty() {
            return None;
        }
        let clean = redactor.redact_known(&ready);
        Some((self.push(&clean, MAX_PUBLISHED), clean))
    }
}

impl StreamingAnswer {
    pub(crate) fn new(turn: u64, iteration: u64) -> Self {
        Self { turn, iteration, ..Self::default() }
    }

    /// Appends a delta of the model and returns its event.
    pub(crate) fn push(&mut self, delta: AnswerDelta) -> Option<EventKind> {
        let (channel, text, is_text) = match delta {
            AnswerDelta::Text(text) => (&mut self.text, text, true),
            AnswerDelta::Reasoning(text) => (&mut self.reasoning, text, false),
        };
        let offset = (!text.is_empty()).then(|| channel.push(&text, usize::MAX))?;
        Some(self.event(offset, text, is_text))
    }

    /// Returns the answer received so far.
    pub(crate) fn into_message(self) -> AssistantMessage {
        AssistantMessage { text: self.text.text, reasoning: self.reasoning.text, ..AssistantMessage::default() }
    }

    /// Returns the event to publish in place of a delta, and accumulates it.
    pub(crate) fn publish(&mut self, redactor: &Redactor, kind: EventKind) -> Option<EventKind> {
        let (turn, iteration, offset, delta, is_text) = match kind {
            EventKind::Text { turn, iteration, offset, text } => (turn, iteration, offset, text, true),
            EventKind::Thought { turn, iteration, offset, text } => (turn, iteration, offset, text, false),
            other => return Some(other),
        };
        if (turn, iteration) != (self.turn, self.iteration) {
            *self = Self::new(turn, iteration);
        }
        let channel = if is_text { &mut self.text } else { &mut self.reasoning };
        // The model starts the text from the beginning.
        if offset == 0 {
            *channel = Channel::default();
        }
        channel.waiting.push_str(&delta);
        let (offset, text) = channel.publish(redactor, redactor.safe_prefix(&channel.waiting))?;
        Some(self.event(offset, text, is_text))
    }

    /// Ends the answer at the given event and returns the text that still waits, to be published before that event.
    pub(crate) fn finish(&mut self, redactor: &Redactor, before: &EventKind) -> Vec<EventKind> {
        let is_complete = match before {
            // An interrupted answer may end in a part of a secret, which is neither published nor saved
            // (`secrets::text`).
            EventKind::Answered { interrupted, .. } => !interrupted,
            EventKind::Iteration { .. } | EventKind::Retrying { .. } | EventKind::Ended(_) => false,
            _ => return Vec::new(),
        };
        let mut ended = std::mem::take(self);
        let mut rest = |is_text| {
            let channel = if is_text { &mut ended.text } else { &mut ended.reasoning };
            let (offset, text) = channel.publish(redactor, channel.waiting.len())?;
            Some(ended.event(offset, text, is_text))
        };
        if is_complete { [rest(false), rest(true)].into_iter().flatten().collect() } else { Vec::new() }
    }

    /// Returns the published part as events.
    pub(crate) fn events(&self, seq: u64, at: u64) -> Vec<AgentEvent> {
        let parts = [(&self.reasoning, false), (&self.text, true)].into_iter();
        parts
            .filter(|(channel, _)| !channel.text.is_empty())
            .map(|(channel, is_text)| AgentEvent { seq, at, kind: self.event(0, channel.text.clone(), is_text) })
            .collect()
    }

    fn event(&self, offset: u64, text: String, is_text: bool) -> EventKind {
        let (turn, iteration) = (self.turn, self.iteration);
        if is_text {
            EventKind::Text { turn, iteration, offset, text }
        } else {
            EventKind::Thought { turn, iteration, offset, text }
        }
    }
}
