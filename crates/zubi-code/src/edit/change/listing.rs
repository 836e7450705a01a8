//! The files of a change for display, and its net renames and removals.

use std::sync::Arc;

use camino::Utf8PathBuf;
use rustc_hash::FxHashMap;
use zubi_base::text::FileOperation;

use crate::edit::overlay::{self, EditOverlay, EntryKind};

/// The effect of a change on one file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum FileAction {
    Edit,
    Create,
    Delete,
    Rename,
    /// A whole directory moves with its contents.
    RenameDirectory,
    DeleteDirectory,
}

/// One file of a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileChange {
    /// The file's absolute path after the change; for a removed file, the path before.
    pub path: Utf8PathBuf,
    /// The path before the change, if it differs.
    pub old_path: Option<Utf8PathBuf>,
    pub action: FileAction,
    /// The number of text edits.
    pub edits: usize,
    /// The text before; `None` if there was no file or it is not text.
    pub before: Option<Arc<str>>,
    /// The text after; `None` if there is no file or the text does not change.
    pub after: Option<Arc<str>>,
}

/// Returns the net effect of all steps: a file that moves twice is listed once.
pub(super) fn moved_and_removed(tree: &EditOverlay<'_>, removed: &FxHashMap<Utf8PathBuf, Arc<str>>) -> Vec<FileChange> {
    let mut files: Vec<FileChange> = Vec::new();
    for (index, step) in tree.steps.iter().enumerate() {
        let (done, rest) = tree.steps.split_at(index);
        let removal = |path: &Utf8PathBuf, action| {
            // The edit itself created the file that it removes, so nothing is lost.
            let path =
                overlay::disk_before(done, path).filter(|path| overlay::kind_on_disk(path) != EntryKind::Missing)?;
            let before = removed.get(&path).cloned();
            Some(FileChange { path, old_path: None, action, edits: 0, before, after: None })
        };
        let file = match step {
            FileOperation::Delete { path, .. } => removal(path, FileAction::Delete),
            FileOperation::RemoveDirectory { path } => removal(path, FileAction::DeleteDirectory),
            FileOperation::Rename { from, .. } => overlay::disk_before(done, from).and_then(|origin| {
                let path = overlay::forward_through(rest, from)?;
                // The edit itself created the directory, so no file moved.
                if overlay::kind_on_disk(&origin) == EntryKind::Missing {
                    return None;
                }
                let directory = overlay::kind_on_disk(&origin) == EntryKind::Directory;
                let action = if directory { FileAction::RenameDirectory } else { FileAction::Rename };
                (path != origin).then_some(FileChange {
                    path,
                    old_path: Some(origin),
                    action,
                    edits: 0,
                    before: None,
                    after: None,
                })
            }),
            _ => None,
        };
        files.extend(file.filter(|file| !files.contains(file)));
    }
    files
}
