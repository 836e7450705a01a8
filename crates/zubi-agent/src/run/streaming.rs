//! What a model says while it says it: told in pieces, each with its place, and kept in case it is stopped.

use std::sync::{Mutex, PoisonError};

use crate::event::EventKind;
use crate::journal::Journal;
use zubi_models::message::AssistantMessage;
use zubi_models::Delta;

/// One answer that is being given.
pub(super) struct StreamingAnswer<'a> {
    journal: &'a dyn Journal,
    turn: u64,
    iteration: u64,
    heard: Mutex<StreamedText>,
}

#[derive(Default)]
struct StreamedText {
    text: Channel,
    reasoning: Channel,
}

/// What was heard of one kind, and how many UTF-16 code units that is.
#[derive(Default)]
struct Channel {
    text: String,
    length: u64,
}

impl Channel {
    /// Takes a piece; its place.
    fn push(&mut self, piece: &str) -> u64 {
        let offset = self.length;
        self.text.push_str(piece);
        self.length += u64::try_from(piece.encode_utf16().count()).unwrap_or(u64::MAX);
        offset
    }
}

impl<'a> StreamingAnswer<'a> {
    pub(super) fn new(journal: &'a dyn Journal, turn: u64, iteration: u64) -> Self {
        Self { journal, turn, iteration, heard: Mutex::default() }
    }

    /// Tells a piece on.
    pub(super) fn push(&self, piece: Delta) {
        let (turn, iteration) = (self.turn, self.iteration);
        // Held until it is told, so that pieces are told in their order.
        let mut heard = self.heard.lock().unwrap_or_else(PoisonError::into_inner);
        let what = match piece {
            Delta::Text(text) if text.is_empty() => return,
            Delta::Reasoning(text) if text.is_empty() => return,
            Delta::Text(text) => EventKind::Text { turn, iteration, offset: heard.text.push(&text), text },
            Delta::Reasoning(text) => EventKind::Thought { turn, iteration, offset: heard.reasoning.push(&text), text },
        };
        // It is not kept, so there is nothing that could fail but the telling, and the whole answer follows.
        drop(self.journal.add(what));
    }

    /// What was heard so far.
    pub(super) fn text(&self) -> AssistantMessage {
        let mut heard = self.heard.lock().unwrap_or_else(PoisonError::into_inner);
        let StreamedText { text, reasoning } = std::mem::take(&mut *heard);
        AssistantMessage { text: text.text, reasoning: reasoning.text, ..AssistantMessage::default() }
    }
}
