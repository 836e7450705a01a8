//! Where the loop puts what happens, and reads what was said: the seam between it and the conversations.

use zubi_tool_api::approval_prompt;

use crate::event::EventKind;
use zubi_models::message::Message;

/// Why an event was not kept, the disk most likely, and the next step, without a full stop.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the conversation cannot be kept: {0}")]
pub struct PersistError(pub String);

/// One conversation that is going on.
pub trait Journal: Send + Sync {
    /// Keeps an event if it is one that is kept, then tells it to everybody who listens.
    fn add(&self, what: EventKind) -> Result<(), PersistError>;

    /// A text as it would be kept: without known secrets. What is to be shortened is cleaned before, or a secret would be cut in
    /// two that nobody knows any more; one that was broken off also loses an end that may be the beginning of one.
    fn clean(&self, text: &str, is_broken_off: bool) -> String;

    /// A text of at most about `most` bytes, cleaned: of a longer one both ends.
    fn shorten(&self, text: String, most: usize) -> String {
        if text.len() <= most { text } else { question::ellipsize_middle(self.clean(&text, false), most) }
    }

    /// What the model is told now.
    fn messages(&self) -> Vec<Message>;

    /// The seq of the last event that is kept.
    fn last(&self) -> u64;

    /// What the model is told, each with the seq of its event, for whoever makes it shorter.
    fn messages_with_seq(&self) -> Vec<(u64, Message)>;

    /// Unique in the conversation and in its file: for calls that have no id of their own.
    fn new_id(&self) -> String;
}
