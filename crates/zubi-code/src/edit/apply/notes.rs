//! Notes about recovered changes, which zubi stores until an answer has delivered them.
//!
//! A host that recovers a change may end before the first request, and another host of the folder then has the note. Each
//! note is a file beside the journals, and removing it is the right to deliver it.

use std::collections::BTreeSet;
use std::io;

use camino::{Utf8Path, Utf8PathBuf};
use serde::{Deserialize, Serialize};
use zubi_base::owner_only;

use super::journal::{EditJournal, directory};

/// The extension of the files with notes.
pub(in crate::edit) const EXTENSION: &str = "recovered";
/// The maximum size of a note that is read.
const MAX_NOTE_BYTES: u64 = 1 << 20;

#[derive(Serialize, Deserialize)]
struct RecoveryNote {
    /// The directories of the files that the change touched.
    directories: BTreeSet<Utf8PathBuf>,
    text: String,
}

/// The file of a note, and the directories of the change that it is about.
pub(super) struct NoteTarget {
    path: Utf8PathBuf,
    directories: BTreeSet<Utf8PathBuf>,
}

impl NoteTarget {
    /// Returns the target of a note about the change of a journal.
    pub(super) fn new(journal: &EditJournal) -> Self {
        let directories = journal.paths().into_iter().filter_map(Utf8Path::parent).map(Utf8Path::to_owned).collect();
        Self { path: journal.path().with_extension(EXTENSION), directories }
    }

    /// Stores the note.
    pub(super) fn store(self, text: &str) {
        let note = RecoveryNote { directories: self.directories, text: text.to_owned() };
        let stored = serde_json::to_vec(&note).map_err(io::Error::other);
        if let Err(error) = stored.and_then(|note| owner_only::write_atomic(&self.path, &note)) {
            tracing::warn!(%error, text, "a note about a recovered edit could not be stored");
        }
    }
}

/// Returns the files with notes, of any workspace, in their order.
pub(super) fn find_notes(state_dir: &Utf8Path) -> Vec<Utf8PathBuf> {
    let Ok(entries) = directory(state_dir).read_dir_utf8() else { return Vec::new() };
    let paths = entries.filter_map(Result::ok).map(camino::Utf8DirEntry::into_path);
    let mut paths: Vec<_> = paths.filter(|path| path.extension() == Some(EXTENSION)).collect();
    paths.sort();
    paths
}

/// Returns the notes about recovered changes in the folders of a workspace, and removes them. Each note is returned
/// once, by one process.
pub fn take_recovery_notes(state_dir: &Utf8Path, contains: impl Fn(&Utf8Path) -> bool) -> Vec<String> {
    let take = |path: Utf8PathBuf| {
        let note: RecoveryNote = serde_json::from_slice(&owner_only::read(&path, MAX_NOTE_BYTES).ok()?).ok()?;
        let is_ours = note.directories.iter().any(|directory| contains(directory));
        (is_ours && std::fs::remove_file(&path).is_ok()).then_some(note.text)
    };
    find_notes(state_dir).into_iter().filter_map(take).collect()
}
