//! Files that an interrupted or failed change has left as they should not be, and the way to restore them.

use std::collections::BTreeMap;
use std::fmt;

use camino::{Utf8Path, Utf8PathBuf};
use zubi_base::owner_only;
use zubi_base::text::FileOperation;

use super::journal::{EXTENSION, EditJournal};

/// The maximum number of files that a message names; the directory with the old texts has all.
const MAX_NAMED: usize = 100;
/// The extension of the directory that has the old texts and the journal of a change that cannot be reverted.
pub(in crate::edit) const CONFLICT_EXTENSION: &str = "conflict";

/// The reason why a file could not be restored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::edit) enum Obstacle {
    /// Another program has changed the file since. zubi never overwrites that.
    Changed,
    /// The file system refuses the write now; the reason as the system reports it.
    Io(String),
    /// The file system is not mounted now.
    Unreachable,
    /// The editor did not revert its part; the reason as a clause.
    Editor(String),
}

impl Obstacle {
    /// Whether a later attempt can succeed without a change of the file.
    fn is_temporary(&self) -> bool {
        matches!(self, Self::Io(_) | Self::Unreachable)
    }
}

impl fmt::Display for Obstacle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Changed => f.write_str("changed since"),
            Self::Io(reason) => f.write_str(reason),
            Self::Unreachable => f.write_str("its file system is not mounted"),
            Self::Editor(reason) => write!(f, "the editor did not restore it: {reason}"),
        }
    }
}

/// An inverse operation that could not be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::edit) struct UnrestoredFile {
    pub(in crate::edit) operation: FileOperation,
    pub(in crate::edit) obstacle: Obstacle,
}

/// The state of a change whose steps were reverted as far as possible.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::edit) enum RevertOutcome {
    /// Every file is as before.
    Restored,
    /// A later attempt can restore the rest; the journal stays. One clause for each file.
    Pending(String),
    /// Some files changed since and stay as they are; the old texts are in files of their own. One clause for each file.
    Conflict(String),
}

/// Ends the journal of a change that was reverted as far as possible. `display` renders a path.
pub(in crate::edit) fn end_journal(
    journal: EditJournal,
    unrestored: &[UnrestoredFile],
    display: &dyn Fn(&Utf8Path) -> String,
) -> RevertOutcome {
    if unrestored.is_empty() {
        // It would only be read once more.
        if let Err(error) = journal.remove() {
            tracing::warn!(%error, "a worked-off journal could not be removed");
        }
        return RevertOutcome::Restored;
    }
    let directory = journal.path().with_extension(CONFLICT_EXTENSION);
    let files = by_present_path(unrestored);
    if files.values().any(|file| file.obstacle.is_temporary()) {
        let clauses = files.iter().map(|(path, file)| format!("`{}` ({})", display(path), file.obstacle));
        return RevertOutcome::Pending(join(clauses, journal.path()));
    }
    let stored = store_old_texts(&directory, &files);
    if let Err(error) = &stored {
        tracing::warn!(%error, %directory, "the old texts could not be stored beside the journal");
    }
    let old_texts = stored.unwrap_or_default();
    let clauses = files.iter().map(|(path, file)| {
        let (name, obstacle) = (display(path), &file.obstacle);
        match (&file.operation, old_texts.get(path)) {
            (_, Some(copy)) => format!("`{name}` ({obstacle}; its text before the edit is in `{copy}`)"),
            (FileOperation::Delete { .. }, None) => format!("`{name}` ({obstacle}; the edit created it)"),
            (FileOperation::Rename { to, .. }, None) => {
                format!("`{name}` ({obstacle}; the edit moved it from `{}`)", display(to))
            }
            (_, None) => format!("`{name}` ({obstacle})"),
        }
    });
    let text = join(clauses, &directory);
    let target = directory.join(format!("change.{EXTENSION}"));
    if let Err(error) = std::fs::rename(journal.path(), &target) {
        tracing::warn!(%error, path = %journal.path(), "the journal of a conflict could not be set aside");
    }
    RevertOutcome::Conflict(text)
}

/// Returns the operations by the path at which the file is now. An operation on a text takes precedence over a move, and
/// a later one has the older text.
fn by_present_path(unrestored: &[UnrestoredFile]) -> BTreeMap<&Utf8Path, &UnrestoredFile> {
    let mut files = BTreeMap::new();
    for file in unrestored {
        match &file.operation {
            FileOperation::Write { path, .. } | FileOperation::Delete { path, .. } => {
                files.insert(path.as_path(), file);
            }
            FileOperation::Rename { from, .. } => {
                files.entry(from.as_path()).or_insert(file);
            }
            other => {
                files.entry(other.path()).or_insert(file);
            }
        }
    }
    files
}

/// Joins clauses about files, at most [`MAX_NAMED`]; `rest` has the others.
fn join(clauses: impl Iterator<Item = String>, rest: &Utf8Path) -> String {
    let clauses: Vec<_> = clauses.collect();
    let named = clauses.iter().take(MAX_NAMED).map(String::as_str).collect::<Vec<_>>().join(", ");
    match clauses.len().checked_sub(MAX_NAMED) {
        None | Some(0) => named,
        Some(more) => format!("{named} and {more} more, in `{rest}`"),
    }
}

/// Writes the old text of each file into a directory of its own, for the user. Returns the copies by the file's path.
fn store_old_texts<'a>(
    directory: &Utf8Path,
    files: &BTreeMap<&'a Utf8Path, &UnrestoredFile>,
) -> std::io::Result<BTreeMap<&'a Utf8Path, Utf8PathBuf>> {
    owner_only::create_directory(directory)?;
    let mut copies = BTreeMap::new();
    for (path, file) in files {
        if let FileOperation::Write { content, .. } = &file.operation {
            let copy = directory.join(format!("{}-{}", copies.len() + 1, path.file_name().unwrap_or("file")));
            owner_only::write_atomic(&copy, content)?;
            copies.insert(*path, copy);
        }
    }
    Ok(copies)
}
