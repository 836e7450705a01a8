//! The interface between the agent loop and stored conversations: the loop adds events and reads messages.

use zubi_tool_api::approval_prompt;

use crate::event::EventKind;
use zubi_models::message::PromptMessage;

/// The reason why an event was not saved, usually a disk error, and the next step, without a full stop.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("cannot save the conversation: {0}")]
pub struct PersistError(pub String);

/// A running conversation.
pub trait Journal: Send + Sync {
    /// Saves an event, if it is of a kind that is saved, then sends it to all listeners.
    fn add(&self, kind: EventKind) -> Result<(), PersistError>;

    /// Returns the text as it would be saved, with known secrets redacted. Call this before shortening a text, because
    /// the redactor does not recognize half a secret. Also removes a partial secret from the end of an interrupted
    /// text.
    fn clean(&self, text: &str, is_interrupted: bool) -> String;

    /// Returns a redacted text of at most about `limit` bytes. A longer text loses its middle.
    fn shorten(&self, text: String, limit: usize) -> String {
        if text.len() <= limit { text } else { approval_prompt::ellipsize_middle(self.clean(&text, false), limit) }
    }

    /// Returns the messages to send to the model.
    fn messages(&self) -> Vec<PromptMessage>;

    /// The seq of the last saved event.
    fn last(&self) -> u64;

    /// Returns the messages to send to the model, each with the seq of its event. Compaction uses it.
    fn messages_with_seq(&self) -> Vec<(u64, PromptMessage)>;

    /// Returns an id that is unique in the conversation and its file, for calls without an id of their own.
    fn new_id(&self) -> String;
}
