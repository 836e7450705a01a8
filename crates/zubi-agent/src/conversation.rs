//! A stored conversation: an append-only file with one event per line, locked by its writer. After a kill at any byte,
//! zubi can still open the file, and records the turn that was running as interrupted.

mod cache;
mod id;
mod index;
#[cfg(test)]
mod page;
pub(crate) mod read;
mod recovery;
pub(crate) mod secrets;
pub(crate) mod store;
mod summary;
#[cfg(test)]
mod tests;

use std::fs::File;
use std::io::Write as _;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use camino::Utf8PathBuf;
use zubi_base::clock::{Clock, milliseconds};
use zubi_base::owner_only;
use zubi_tool_api::redact::Redactor;

use self::cache::CachedConversation;
pub(crate) use self::cache::ConversationCache;
use self::read::{MAX_FILE, MAX_LINE};
use self::store::ConversationDir;
pub(crate) use self::summary::ConversationSummary;
use crate::event::{AgentEvent, EventKind, TurnEnded, VERSION};
use crate::history::History;
use crate::journal::{Journal, PersistError};
use crate::streaming_answer::StreamingAnswer;
use zubi_models::message::PromptMessage;

/// The part of the maximum file size that is reserved for the end of a turn, in bytes.
const RESERVED_FOR_END: u64 = 2 * MAX_LINE as u64;

/// Why a conversation cannot be opened.
#[derive(Debug, thiserror::Error)]
pub(crate) enum OpenError {
    #[error("there is no conversation `{0}`")]
    Missing(String),
    #[error("another process has this conversation")]
    Elsewhere,
    #[error("a newer zubi has written it (version {0} of the format)")]
    Newer(u64),
    #[error("{0}")]
    Unusable(String),
    #[error("cannot store a conversation in `{0}`: {1}")]
    Directory(Utf8PathBuf, String),
    #[error("{0}")]
    File(#[from] std::io::Error),
}

/// The context that all conversations of a manager share.
#[derive(Clone)]
pub(crate) struct ConversationContext {
    pub(crate) dir: ConversationDir,
    pub(crate) folders: Vec<Utf8PathBuf>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) redactor: Redactor,
    pub(crate) listener: EventListener,
    pub(crate) cache: ConversationCache,
}

impl ConversationContext {
    pub(crate) fn now(&self) -> u64 {
        milliseconds(self.clock.now())
    }
}

/// Callback for each event of a conversation, in order. The conversation is locked meanwhile, so it must not block.
pub(crate) type EventListener = Arc<dyn Fn(&str, AgentEvent) + Send + Sync>;

/// A conversation that this process writes to.
pub(crate) struct Conversation {
    id: String,
    context: ConversationContext,
    inner: Mutex<Inner>,
}

struct Inner {
    /// The open file of the conversation. Closing it releases the lock.
    file: File,
    length: u64,
    /// The reason why no more events can be added.
    broken: Option<String>,
    history: History,
    digest: ConversationSummary,
    answer: StreamingAnswer,
    /// The number of generated ids.
    ids: u64,
}

impl Conversation {
    /// Creates a new conversation.
    pub(crate) fn create(context: &ConversationContext) -> Result<Self, OpenError> {
        let id = id::new(context.clock.now()).map_err(|error| OpenError::Unusable(error.to_string()))?;
        let path = context.dir.path(&id)?;
        let storage_error = |why: String| OpenError::Directory(context.dir.directory(), why);
        let file = owner_only::open_append(&path).map_err(|error| storage_error(error.to_string()))?;
        let conversation = Self::with_file(context, id, file)?;
        conversation.begin().map_err(|PersistError(why)| {
            // A conversation without a first event must not be listed.
            drop(std::fs::remove_file(&path));
            storage_error(why)
        })?;
        Ok(conversation)
    }

    fn begin(&self) -> Result<(), PersistError> {
        self.add(EventKind::Began {
            version: VERSION,
            conversation: self.id.clone(),
            folders: self.context.folders.clone(),
            zubi: env!("CARGO_PKG_VERSION").to_owned(),
        })
    }

    /// Opens a stored conversation to continue it. Removes a line that was only partly written, and ends a turn that
    /// was interrupted.
    pub(crate) fn open(context: &ConversationContext, id: &str) -> Result<Self, OpenError> {
        let path = context.dir.path(id)?;
        let file = owner_only::open_existing(&path, true).map_err(|error| read::missing_error(error, id))?;
        let conversation = Self::with_file(context, id.to_owned(), file)?;
        // Another process may have deleted the file after it was opened and before it was locked.
        if !path.exists() {
            return Err(OpenError::Missing(id.to_owned()));
        }
        conversation.load_and_recover()?;
        Ok(conversation)
    }

    fn with_file(context: &ConversationContext, id: String, file: File) -> Result<Self, OpenError> {
        {
            let _guard = context.dir.lock_directory()?;
            match file.try_lock() {
                Ok(()) => {}
                Err(std::fs::TryLockError::WouldBlock) => return Err(OpenError::Elsewhere),
                Err(std::fs::TryLockError::Error(error)) => return Err(error.into()),
            }
        }
        let inner = Inner {
            file,
            length: 0,
            broken: None,
            history: History::default(),
            digest: ConversationSummary::default(),
            answer: StreamingAnswer::default(),
            ids: 0,
        };
        Ok(Self { id, context: context.clone(), inner: Mutex::new(inner) })
    }

    /// Reads the file and repairs it.
    fn load_and_recover(&self) -> Result<(), OpenError> {
        let events = {
            let mut inner = self.lock();
            let (mut entry, mut reading) = self.context.load_from(&mut inner.file, &self.id, u64::MAX)?;
            if entry.digest.open.is_some() {
                // Ending the open turn requires all of its events.
                (entry, reading) = self.context.load_from(&mut inner.file, &self.id, 0)?;
            }
            if let Some(damage) = reading.damage {
                return Err(OpenError::Unusable(format!("its file is damaged: {damage}")));
            }
            if reading.valid_length < reading.length {
                inner.file.set_len(reading.valid_length)?;
            }
            inner.length = entry.valid_length;
            inner.history = entry.history;
            inner.digest = entry.digest;
            recovery::recovery_events(&inner.history, &inner.digest, &reading.events, self.context.now())
        };
        if self.last() == 0 {
            self.begin().map_err(|PersistError(why)| OpenError::Unusable(why))?;
        }
        for event in events {
            self.add(event).map_err(|PersistError(why)| OpenError::Unusable(why))?;
        }
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn id(&self) -> &str {
        &self.id
    }

    pub(crate) fn digest(&self) -> ConversationSummary {
        self.lock().digest.clone()
    }

    /// Returns the summary of the conversation and its unsaved events, both as of the same moment.
    pub(crate) fn snapshot(&self) -> (ConversationSummary, Vec<AgentEvent>) {
        let inner = self.lock();
        (inner.digest.clone(), inner.answer.events(inner.digest.seq, inner.digest.updated))
    }

    /// Publishes the end of a turn that zubi could not save; otherwise listeners would wait for it forever.
    pub(crate) fn publish_unsaved_end(&self, ended: TurnEnded) {
        let kind = secrets::redact_event(&self.context.redactor, EventKind::Ended(ended));
        let mut inner = self.lock();
        inner.answer = StreamingAnswer::default();
        self.publish(&inner, kind);
    }

    /// Publishes an event that is not saved.
    fn publish(&self, inner: &Inner, kind: EventKind) {
        let at = self.context.now().max(inner.digest.updated);
        (self.context.listener)(&self.id, AgentEvent { seq: inner.digest.seq, at, kind });
    }

    fn append(inner: &mut Inner, event: &AgentEvent) -> Result<(), PersistError> {
        if let Some(why) = &inner.broken {
            return Err(PersistError(why.clone()));
        }
        let mut line = serde_json::to_vec(event).map_err(|error| PersistError(error.to_string()))?;
        line.push(b'\n');
        if line.len() > MAX_LINE {
            return Err(PersistError(format!(
                "the event to store has {} bytes; the limit is {MAX_LINE}. Split the text, or put it into a file and name the file",
                line.len()
            )));
        }
        let limit = if matches!(event.kind, EventKind::Ended(_)) { MAX_FILE } else { MAX_FILE - RESERVED_FOR_END };
        let length = inner.length + line.len() as u64;
        if length > limit {
            return Err(PersistError("it has become too long. Begin a new one".to_owned()));
        }
        if let Err(error) = inner.file.write_all(&line) {
            // Otherwise the partly written line would precede the next one.
            if let Err(error) = inner.file.set_len(inner.length) {
                inner.broken = Some(error.to_string());
            }
            return Err(PersistError(format!("{error}. Free some disk space, then try again")));
        }
        inner.length = length;
        Ok(())
    }
}

impl Drop for Conversation {
    fn drop(&mut self) {
        let Ok(inner) = self.inner.get_mut() else { return };
        if inner.broken.is_none() && inner.digest.seq > 0 {
            self.context.cache.store(CachedConversation {
                id: std::mem::take(&mut self.id),
                valid_length: inner.length,
                digest: std::mem::take(&mut inner.digest),
                history: std::mem::take(&mut inner.history),
            });
        }
    }
}

impl Journal for Conversation {
    fn add(&self, kind: EventKind) -> Result<(), PersistError> {
        let redactor = &self.context.redactor;
        let mut inner = self.lock();
        let kind = match kind {
            EventKind::Text { .. } | EventKind::Thought { .. } => inner.answer.publish(redactor, kind),
            kind => Some(secrets::redact_event(redactor, kind)),
        };
        // The text may be the beginning of a secret; the next delta publishes it.
        let Some(kind) = kind else { return Ok(()) };
        if !kind.is_persisted() {
            self.publish(&inner, kind);
            return Ok(());
        }
        for rest in inner.answer.finish(redactor, &kind) {
            self.publish(&inner, rest);
        }
        // If the clock goes backwards, the times of the events still ascend.
        let at = self.context.now().max(inner.digest.updated);
        let event = AgentEvent { seq: inner.digest.seq + 1, at, kind };
        Self::append(&mut inner, &event)?;
        inner.history.apply(&event);
        inner.digest.apply(&event);
        (self.context.listener)(&self.id, event);
        Ok(())
    }

    fn clean(&self, text: &str, is_interrupted: bool) -> String {
        secrets::text(&self.context.redactor, text, is_interrupted)
    }

    fn messages(&self) -> Vec<PromptMessage> {
        self.lock().history.messages()
    }

    fn last(&self) -> u64 {
        self.lock().digest.seq
    }

    fn messages_with_seq(&self) -> Vec<(u64, PromptMessage)> {
        self.lock().history.messages_with_seq().to_vec()
    }

    fn new_id(&self) -> String {
        let mut inner = self.lock();
        inner.ids += 1;
        // Also unique after a restart: the event that uses this id has been saved by then, and has increased `seq`.
        format!("zubi_{}_{}", inner.digest.seq, inner.ids)
    }
}
