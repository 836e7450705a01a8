//! The directory of a workspace's conversations, and the list of them.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;

use camino::{Utf8Path, Utf8PathBuf};
use zubi_base::owner_only;
use zubi_base::text::ContentHash;

use super::index;
pub(crate) use super::index::{ConversationRow, SearchPage};
use super::{OpenError, id, read};

/// The file name extension.
const EXTENSION: &str = "jsonl";
/// The number of hexadecimal digits of the hash that names a set of folders.
const DIGITS: usize = 16;

/// The directory of a workspace's conversations.
#[derive(Debug, Clone)]
pub(crate) struct ConversationDir {
    /// The directory with the conversations of all workspaces.
    pub(crate) sessions: Utf8PathBuf,
    /// The name of the workspace's directory in `sessions`.
    pub(crate) name: String,
}

/// A lock that a process holds while it takes or tests a conversation's lock. A test briefly takes the conversation's
/// lock, so without this lock another process could mistake it for a writer.
pub(crate) struct DirLockGuard(#[expect(dead_code, reason = "the lock is released when it is dropped")] File);

impl ConversationDir {
    /// Creates the directories if they do not exist.
    pub(crate) fn new(state: &Utf8Path, folders: &[Utf8PathBuf]) -> io::Result<Self> {
        let mut folders: Vec<&str> = folders.iter().map(|folder| folder.as_str()).collect();
        folders.sort_unstable();
        let ContentHash(mut name) = ContentHash::from_bytes(folders.join("\0").as_bytes());
        name.truncate(DIGITS);
        let dir = Self { sessions: state.join("sessions"), name };
        owner_only::create_directory(&dir.sessions)?;
        owner_only::create_directory(&dir.directory())?;
        Ok(dir)
    }

    pub(crate) fn directory(&self) -> Utf8PathBuf {
        self.sessions.join(&self.name)
    }

    /// Returns the path of a conversation's file, whether the file exists or not.
    pub(crate) fn path(&self, id: &str) -> Result<Utf8PathBuf, OpenError> {
        if !id::is_valid(id) {
            return Err(OpenError::Missing(id.to_owned()));
        }
        Ok(self.directory().join(id).with_extension(EXTENSION))
    }

    /// Returns the ids of the conversations, with the lengths of their files.
    pub(crate) fn files(&self) -> io::Result<BTreeMap<String, u64>> {
        let mut files = BTreeMap::new();
        for entry in self.directory().read_dir_utf8()? {
            let entry = entry?;
            let name = Utf8Path::new(entry.file_name());
            let Some(stem) = name.file_stem().filter(|stem| id::is_valid(stem) && name.extension() == Some(EXTENSION))
            else {
                continue;
            };
            // Another process may delete the file between the two calls.
            if let Ok(metadata) = entry.metadata()
                && metadata.is_file()
            {
                files.insert(stem.to_owned(), metadata.len());
            }
        }
        Ok(files)
    }

    pub(crate) fn lock_directory(&self) -> io::Result<DirLockGuard> {
        let file = owner_only::open_append(&self.directory().join("gate"))?;
        file.lock()?;
        Ok(DirLockGuard(file))
    }

    /// Returns the ids of the conversations that a process is writing to.
    pub(crate) fn locked_ids<'a>(&self, ids: impl Iterator<Item = &'a str>) -> io::Result<Vec<String>> {
        let mut ids = ids.peekable();
        if ids.peek().is_none() {
            return Ok(Vec::new());
        }
        let _guard = self.lock_directory()?;
        let is_locked = |id: &str| {
            let file = self.path(id).ok().and_then(|path| owner_only::open_existing(&path, false).ok());
            file.is_some_and(|file| matches!(file.try_lock_shared(), Err(std::fs::TryLockError::WouldBlock)))
        };
        Ok(ids.filter(|id| is_locked(id)).map(str::to_owned).collect())
    }

    /// Returns the conversations that contain all words of a query, or all conversations if there is no query; the
    /// latest first. The index is only an optimization: if it fails, zubi builds one in memory from the files.
    pub(crate) fn search(&self, query: Option<&str>, limit: usize) -> Result<SearchPage, OpenError> {
        let query = index::FtsQuery::parse(query);
        index::on_disk(self, &query, limit).or_else(|error| {
            let problem = format!(
                "The index of conversations cannot be used ({error}), so that all their files were read instead. If that stays so, \
                 remove `{}`; zubi builds it again.",
                index::path(self)
            );
            Ok(SearchPage { problem: Some(problem), ..index::in_memory(self, &query, limit)? })
        })
    }

    /// Deletes a conversation that no process is writing to, and removes all of its words from the index.
    pub(super) fn delete(&self, id: &str) -> Result<(), OpenError> {
        let path = self.path(id)?;
        {
            let _guard = self.lock_directory()?;
            let file = owner_only::open_existing(&path, false).map_err(|error| read::missing_error(error, id))?;
            match file.try_lock() {
                Ok(()) => {}
                Err(std::fs::TryLockError::WouldBlock) => return Err(OpenError::Elsewhere),
                Err(std::fs::TryLockError::Error(error)) => return Err(error.into()),
            }
            std::fs::remove_file(&path)?;
        }
        index::remove_index(self);
        Ok(())
    }
}
