//! What was read of a conversation last. Files are only ever added to, so whoever looks again reads what stands behind it: a long
//! conversation is read once, and not whenever something is done with it.

use std::fs::File;
use std::sync::{Arc, Mutex, PoisonError};

use zubi_base::private;

use super::summary::ConversationSummary;
use super::read::{self, Reading};
use super::store::{SearchPage, Row};
use super::{ConversationContext, OpenError, index};
use crate::event::Event;
use crate::history::History;

/// A conversation whose file is longer is read whenever it is needed: what is known of it would fill the memory of a process
/// in which nothing goes on. In bytes.
const MAX_KEPT: u64 = 64 * 1024 * 1024;

/// One conversation: the one that something was done with last.
#[derive(Clone, Default)]
pub(crate) struct ConversationCache(Arc<Mutex<Option<Entry>>>);

/// A conversation up to a place in its file.
#[derive(Default)]
pub(super) struct Entry {
    pub(super) id: String,
    /// Up to where the file is known, in bytes: an event ends there.
    pub(super) good: u64,
    pub(super) digest: ConversationSummary,
    pub(super) history: History,
}

/// How a conversation's file stands.
#[derive(Debug)]
pub(crate) struct FileState {
    pub(crate) digest: ConversationSummary,
    /// Behind the last event stands the rest of a write that was cut off.
    pub(crate) is_cut: bool,
    /// Why what stands behind the last event is no such rest.
    pub(crate) damage: Option<String>,
}

impl ConversationCache {
    /// Taken out, so that nobody else adds to it meanwhile.
    fn take(&self, id: &str) -> Option<Entry> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take_if(|entry| entry.id == id)
    }

    pub(super) fn store(&self, entry: Entry) {
        if entry.good > MAX_KEPT {
            return;
        }
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(entry);
    }
}

impl Entry {
    fn apply(&mut self, reading: &Reading) {
        self.good = reading.good;
        for event in &reading.events {
            self.history.apply(event);
            self.digest.apply(event);
        }
    }
}

impl ConversationContext {
    /// How a conversation stands, and its events behind `after`.
    pub(crate) fn load_since(&self, id: &str, after: u64) -> Result<(FileState, Vec<Event>), OpenError> {
        let path = self.place.path(id)?;
        let mut file = private::open_existing(&path, false).map_err(|error| read::missing_error(error, id))?;
        let (entry, reading) = self.load_from(&mut file, id, after)?;
        let standing =
            FileState { digest: entry.digest.clone(), is_cut: reading.good < reading.length, damage: reading.damage };
        if standing.damage.is_none() {
            self.known.store(entry);
            // Whoever deleted it meanwhile may have looked for it here too early.
            if !path.exists() {
                drop(self.known.take(id));
            }
        }
        let mut events = reading.events;
        events.retain(|event| event.seq > after);
        Ok((standing, events))
    }

    /// All that a file says, and at least what it says behind `after`.
    pub(super) fn load_from(&self, file: &mut File, id: &str, after: u64) -> Result<(Entry, Reading), OpenError> {
        let length = file.metadata()?.len();
        let known = self.known.take(id).filter(|entry| entry.good <= length && entry.digest.seq <= after);
        if let Some(mut entry) = known
            && let Ok(reading) = read::read(file, entry.good, entry.digest.seq)
            && reading.damage.is_none()
        {
            entry.apply(&reading);
            return Ok((entry, reading));
        }
        let reading = read::read(file, 0, 0)?;
        let mut entry = Entry { id: id.to_owned(), ..Entry::default() };
        entry.apply(&reading);
        Ok((entry, reading))
    }

    /// The conversations whose id begins so.
    pub(crate) fn find_by_prefix(&self, beginning: &str, limit: usize) -> Result<SearchPage, OpenError> {
        let mut ids: Vec<String> = self.place.files()?.into_keys().filter(|id| id.starts_with(beginning)).collect();
        let more = ids.len().saturating_sub(limit);
        ids.truncate(limit);
        let row = |id: String| {
            let digest = match self.load_since(&id, u64::MAX) {
                Ok((standing, _)) => standing.digest,
                // It was deleted meanwhile.
                Err(OpenError::Missing(_)) => return None,
                // It is one all the same: another that begins so is not the only one.
                Err(error) => index::unreadable(&id, &error),
            };
            Some(Row { id, digest, found: None })
        };
        Ok(SearchPage { conversations: ids.into_iter().filter_map(row).collect(), more, problem: None })
    }

    /// Forgets a conversation that is deleted.
    pub(crate) fn delete(&self, id: &str) -> Result<(), OpenError> {
        self.place.delete(id)?;
        drop(self.known.take(id));
        Ok(())
    }
}

#[cfg(test)]
mod tests;
