//! Where the conversations of a workspace are kept, and which there are.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;

use camino::{Utf8Path, Utf8PathBuf};
use zubi_base::owner_only;
use zubi_base::text::ContentHash;

use super::index;
pub(crate) use super::index::{SearchPage, Row};
use super::{OpenError, id, read};

/// What the files' names end in.
const EXTENSION: &str = "jsonl";
/// How many hexadecimal digits of a hash name the folders.
const DIGITS: usize = 16;

/// The directory of a workspace's conversations.
#[derive(Debug, Clone)]
pub(crate) struct ConversationDir {
    /// Of all workspaces.
    pub(crate) sessions: Utf8PathBuf,
    /// Which one it is below that.
    pub(crate) name: String,
}

/// Held for the moment in which a conversation's lock is taken or looked at. A look takes it too, and would else be taken for
/// somebody who has it.
pub(crate) struct DirLockGuard(#[expect(dead_code, reason = "its lock goes when it does")] File);

impl ConversationDir {
    /// Makes the directories where they are not there.
    pub(crate) fn new(state: &Utf8Path, folders: &[Utf8PathBuf]) -> io::Result<Self> {
        let mut folders: Vec<&str> = folders.iter().map(|folder| folder.as_str()).collect();
        folders.sort_unstable();
        let ContentHash(mut name) = ContentHash::from_bytes(folders.join("\0").as_bytes());
        name.truncate(DIGITS);
        let place = Self { sessions: state.join("sessions"), name };
        private::create_directory(&place.sessions)?;
        private::create_directory(&place.directory())?;
        Ok(place)
    }

    pub(crate) fn directory(&self) -> Utf8PathBuf {
        self.sessions.join(&self.name)
    }

    /// The file of a conversation, whether it is there or not.
    pub(crate) fn path(&self, id: &str) -> Result<Utf8PathBuf, OpenError> {
        if !id::is_valid(id) {
            return Err(OpenError::Missing(id.to_owned()));
        }
        Ok(self.directory().join(id).with_extension(EXTENSION))
    }

    /// The files, and how long each is.
    pub(crate) fn files(&self) -> io::Result<BTreeMap<String, u64>> {
        let mut files = BTreeMap::new();
        for entry in self.directory().read_dir_utf8()? {
            let entry = entry?;
            let name = Utf8Path::new(entry.file_name());
            let Some(stem) = name.file_stem().filter(|stem| id::is_valid(stem) && name.extension() == Some(EXTENSION))
            else {
                continue;
            };
            // Between the two somebody may delete it.
            if let Ok(metadata) = entry.metadata()
                && metadata.is_file()
            {
                files.insert(stem.to_owned(), metadata.len());
            }
        }
        Ok(files)
    }

    pub(crate) fn gate(&self) -> io::Result<DirLockGuard> {
        let file = private::open_append(&self.directory().join("gate"))?;
        file.lock()?;
        Ok(DirLockGuard(file))
    }

    /// Which of them somebody writes.
    pub(crate) fn locked_ids<'a>(&self, ids: impl Iterator<Item = &'a str>) -> io::Result<Vec<String>> {
        let mut ids = ids.peekable();
        if ids.peek().is_none() {
            return Ok(Vec::new());
        }
        let _gate = self.gate()?;
        let is_held = |id: &str| {
            let file = self.path(id).ok().and_then(|path| private::open_existing(&path, false).ok());
            file.is_some_and(|file| matches!(file.try_lock_shared(), Err(std::fs::TryLockError::WouldBlock)))
        };
        Ok(ids.filter(|id| is_held(id)).map(str::to_owned).collect())
    }

    /// The conversations in which all words of a query occur, all if there is none; the latest first. The index is a
    /// convenience: if it fails, one in memory is made from the files.
    pub(crate) fn search(&self, query: Option<&str>, limit: usize) -> Result<SearchPage, OpenError> {
        let query = index::FtsQuery::parse(query);
        index::on_disk(self, &query, limit).or_else(|error| {
            let problem = format!(
                "The index of conversations cannot be used ({error}), so that all their files were read instead. If that stays so, \
                 remove `{}`: it is made anew.",
                index::path(self)
            );
            Ok(SearchPage { problem: Some(problem), ..index::in_memory(self, &query, limit)? })
        })
    }

    /// Removes a conversation that nobody writes, and every word of it from the index.
    pub(super) fn delete(&self, id: &str) -> Result<(), OpenError> {
        let path = self.path(id)?;
        {
            let _gate = self.gate()?;
            let file = private::open_existing(&path, false).map_err(|error| read::missing_error(error, id))?;
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
