//! The answer of a model while it is streamed: published in deltas, each with its offset, and stored in case the turn
//! is stopped.

use std::sync::{Mutex, PoisonError};

use crate::event::EventKind;
use crate::journal::Journal;
use zubi_models::AnswerDelta;
use zubi_models::message::AssistantMessage;

/// An answer that the model is streaming.
pub(super) struct StreamingAnswer<'a> {
    journal: &'a dyn Journal,
    turn: u64,
    iteration: u64,
    received: Mutex<StreamedText>,
}

#[derive(Default)]
struct StreamedText {
    text: StreamChannel,
    reasoning: StreamChannel,
}

/// The text received so far in one channel, and its length in UTF-16 code units.
#[derive(Default)]
struct StreamChannel {
    text: String,
    length: u64,
}

impl StreamChannel {
    /// Appends a delta and returns its offset.
    fn push(&mut self, delta: &str) -> u64 {
        let offset = self.length;
        self.text.push_str(delta);
        self.length += u64::try_from(delta.encode_utf16().count()).unwrap_or(u64::MAX);
        offset
    }
}

impl<'a> StreamingAnswer<'a> {
    pub(super) fn new(journal: &'a dyn Journal, turn: u64, iteration: u64) -> Self {
        Self { journal, turn, iteration, received: Mutex::default() }
    }

    /// Publishes a delta.
    pub(super) fn push(&self, delta: AnswerDelta) {
        let (turn, iteration) = (self.turn, self.iteration);
        // Locked until the delta is published, so that deltas are published in their order.
        let mut received = self.received.lock().unwrap_or_else(PoisonError::into_inner);
        let what = match delta {
            AnswerDelta::Text(text) if text.is_empty() => return,
            AnswerDelta::Reasoning(text) if text.is_empty() => return,
            AnswerDelta::Text(text) => EventKind::Text { turn, iteration, offset: received.text.push(&text), text },
            AnswerDelta::Reasoning(text) => {
                EventKind::Thought { turn, iteration, offset: received.reasoning.push(&text), text }
            }
        };
        // A delta is not saved, so only publishing it could fail; the complete answer follows anyway.
        drop(self.journal.add(what));
    }

    /// Returns the answer received so far.
    pub(super) fn text(&self) -> AssistantMessage {
        let mut received = self.received.lock().unwrap_or_else(PoisonError::into_inner);
        let StreamedText { text, reasoning } = std::mem::take(&mut *received);
        AssistantMessage { text: text.text, reasoning: reasoning.text, ..AssistantMessage::default() }
    }
}
