//! A cache of the conversation that was read last. Files are append-only, so a later read parses only the events after
//! the cached part.

use std::fs::File;
use std::sync::{Arc, Mutex, PoisonError};

use zubi_base::owner_only;

use super::read::{self, Reading};
use super::store::{ConversationRow, SearchPage};
use super::summary::ConversationSummary;
use super::{ConversationContext, OpenError, index};
use crate::event::AgentEvent;
use crate::history::History;

/// The maximum file size of a cached conversation, in bytes. zubi reads longer conversations on every request, because
/// they would fill an idle process's memory.
const MAX_CACHED_BYTES: u64 = 64 * 1024 * 1024;

/// A cache for one conversation, the one that was used last.
#[derive(Clone, Default)]
pub(crate) struct ConversationCache(Arc<Mutex<Option<CachedConversation>>>);

/// A conversation up to an offset in its file.
#[derive(Default)]
pub(super) struct CachedConversation {
    pub(super) id: String,
    /// The length of the cached part of the file, in bytes; an event ends there.
    pub(super) valid_length: u64,
    pub(super) digest: ConversationSummary,
    pub(super) history: History,
}

/// The state of a conversation's file.
#[derive(Debug)]
pub(crate) struct FileState {
    pub(crate) digest: ConversationSummary,
    /// Whether the last event is followed by a partly written line.
    pub(crate) is_cut: bool,
    /// Why the bytes after the last event are not just a partly written line.
    pub(crate) damage: Option<String>,
}

impl ConversationCache {
    /// Takes the entry out of the cache, so that no other thread adds to it meanwhile.
    fn take(&self, id: &str) -> Option<CachedConversation> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take_if(|entry| entry.id == id)
    }

    pub(super) fn store(&self, entry: CachedConversation) {
        if entry.valid_length > MAX_CACHED_BYTES {
            return;
        }
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(entry);
    }
}

impl CachedConversation {
    fn apply(&mut self, reading: &Reading) {
        self.valid_length = reading.valid_length;
        for event in &reading.events {
            self.history.apply(event);
            self.digest.apply(event);
        }
    }
}

impl ConversationContext {
    /// Returns the state of a conversation's file, and its events after `after`.
    pub(crate) fn load_since(&self, id: &str, after: u64) -> Result<(FileState, Vec<AgentEvent>), OpenError> {
        let path = self.dir.path(id)?;
        let mut file = owner_only::open_existing(&path, false).map_err(|error| read::missing_error(error, id))?;
        let (entry, reading) = self.load_from(&mut file, id, after)?;
        let state = FileState {
            digest: entry.digest.clone(),
            is_cut: reading.valid_length < reading.length,
            damage: reading.damage,
        };
        if state.damage.is_none() {
            self.cache.store(entry);
            // Another thread that deleted the file meanwhile may have cleared the cache before this entry was stored.
            if !path.exists() {
                drop(self.cache.take(id));
            }
        }
        let mut events = reading.events;
        events.retain(|event| event.seq > after);
        Ok((state, events))
    }

    /// Returns the conversation with at least its events after `after`.
    pub(super) fn load_from(
        &self,
        file: &mut File,
        id: &str,
        after: u64,
    ) -> Result<(CachedConversation, Reading), OpenError> {
        let length = file.metadata()?.len();
        let cached = self.cache.take(id).filter(|entry| entry.valid_length <= length && entry.digest.seq <= after);
        if let Some(mut entry) = cached
            && let Ok(reading) = read::read(file, entry.valid_length, entry.digest.seq)
            && reading.damage.is_none()
        {
            entry.apply(&reading);
            return Ok((entry, reading));
        }
        let reading = read::read(file, 0, 0)?;
        let mut entry = CachedConversation { id: id.to_owned(), ..CachedConversation::default() };
        entry.apply(&reading);
        Ok((entry, reading))
    }

    /// Returns the conversations whose id has this prefix.
    pub(crate) fn find_by_prefix(&self, prefix: &str, limit: usize) -> Result<SearchPage, OpenError> {
        let mut ids: Vec<String> = self.dir.files()?.into_keys().filter(|id| id.starts_with(prefix)).collect();
        let more = ids.len().saturating_sub(limit);
        ids.truncate(limit);
        let row = |id: String| {
            let digest = match self.load_since(&id, u64::MAX) {
                Ok((file_state, _)) => file_state.digest,
                // The conversation was deleted meanwhile.
                Err(OpenError::Missing(_)) => return None,
                // List it anyway, or the prefix would seem to match only one conversation.
                Err(error) => index::unreadable(&id, &error),
            };
            Some(ConversationRow { id, digest, excerpt: None })
        };
        Ok(SearchPage { conversations: ids.into_iter().filter_map(row).collect(), more, problem: None })
    }

    /// Deletes a conversation and removes it from the cache.
    pub(crate) fn delete(&self, id: &str) -> Result<(), OpenError> {
        self.dir.delete(id)?;
        drop(self.cache.take(id));
        Ok(())
    }
}

#[cfg(test)]
mod tests;
