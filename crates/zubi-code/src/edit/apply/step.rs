//! Executes and reverts one operation on disk, with a check immediately before. A revert may find it half done.

use std::io;

use camino::{Utf8Path, Utf8PathBuf};
use zubi_base::fs::{self, DirHandle};
use zubi_base::text::{ContentHash, FileOperation, SinkError};

use super::prepare::matches_expected;
use crate::edit::overlay::{EntryKind, kind_on_disk};
use crate::edit::plan::ExpectedContent;

/// Executes one operation. Another program could write in the microseconds between the check and the write, because no
/// file system call replaces a file on condition of its content. [`DirectoryEntry`] guarantees the target of the write.
pub(super) fn execute(operation: &FileOperation) -> Result<(), SinkError> {
    let path = operation.path();
    let changed = || SinkError::Changed { path: path.to_owned() };
    let entry = DirectoryEntry::open(path, makes_parent(operation))?;
    let expect =
        |expected: &ExpectedContent| if matches_expected(&entry.path, expected) { Ok(()) } else { Err(changed()) };
    let free = || {
        let is_free = kind_on_disk(&entry.path) == EntryKind::Missing;
        if is_free { Ok(()) } else { Err(SinkError::Exists { path: path.to_owned() }) }
    };
    let done = match operation {
        FileOperation::Write { before: None, content, .. } => {
            free()?;
            fs::write_entry(&entry.path, content)
        }
        FileOperation::Write { before: Some(before), content, .. } => {
            // If a link has replaced the file, the write must not follow it.
            if kind_on_disk(&entry.path) != EntryKind::File {
                return Err(changed());
            }
            expect(&ExpectedContent::Content(before.clone()))?;
            fs::write_entry(&entry.path, content)
        }
        FileOperation::Rename { from, .. } => {
            let from = DirectoryEntry::open(from, false)?;
            free()?;
            std::fs::rename(&from.path, &entry.path).and_then(|()| from.directory.sync())
        }
        FileOperation::Delete { before, .. } => {
            expect(&ExpectedContent::Content(before.clone()))?;
            std::fs::remove_file(&entry.path)
        }
        FileOperation::CreateDirectory { .. } => {
            free()?;
            std::fs::create_dir(&entry.path)
        }
        FileOperation::RemoveDirectory { .. } => match std::fs::remove_dir(&entry.path) {
            Err(error) if error.kind() == io::ErrorKind::DirectoryNotEmpty => return Err(changed()),
            removed => removed,
        },
        FileOperation::CreateLink { target, .. } => {
            free()?;
            link(target, &entry.path)
        }
        FileOperation::SetMode { mode, .. } => {
            if !matches!(kind_on_disk(&entry.path), EntryKind::File | EntryKind::Directory) {
                return Err(changed());
            }
            set_mode(&entry.path, *mode)
        }
    };
    // Makes the entry durable, so that the journal never records "done" for a step that a power failure undid. `Write`
    // does this itself, and `SetMode` changes no entry.
    let is_durable = matches!(operation, FileOperation::Write { .. } | FileOperation::SetMode { .. });
    let synced = done.and_then(|()| if is_durable { Ok(()) } else { entry.directory.sync() });
    synced.map_err(|source| SinkError::Io { path: path.to_owned(), source })
}

/// Executes one inverse operation, unless it is already done or was never needed. Returns whether it changed anything.
///
/// With `only_exact`, it also leaves a file as it is that has neither the text before the step nor the one after it: the
/// step belongs to an editor, which may not have saved its text.
pub(super) fn revert(operation: &FileOperation, only_exact: bool) -> Result<bool, SinkError> {
    let path = operation.path();
    let has = |content: &ContentHash| matches_expected(path, &ExpectedContent::Content(content.clone()));
    let done = match operation {
        FileOperation::Write { content, before, .. } => {
            has(&ContentHash::from_bytes(content)) || (only_exact && before.as_ref().is_some_and(|before| !has(before)))
        }
        FileOperation::Rename { from, to } => {
            kind_on_disk(from) == EntryKind::Missing && kind_on_disk(to) != EntryKind::Missing
        }
        FileOperation::Delete { .. } | FileOperation::RemoveDirectory { .. } => {
            kind_on_disk(path) == EntryKind::Missing
        }
        FileOperation::CreateDirectory { .. } => kind_on_disk(path) == EntryKind::Directory,
        FileOperation::CreateLink { .. } => kind_on_disk(path) == EntryKind::Link,
        FileOperation::SetMode { .. } => false,
    };
    if done { Ok(false) } else { execute(operation).map(|()| true) }
}

/// Whether an operation creates the parent directory of its target.
fn makes_parent(operation: &FileOperation) -> bool {
    match operation {
        FileOperation::Write { before, .. } => before.is_none(),
        FileOperation::Rename { .. } | FileOperation::CreateDirectory { .. } | FileOperation::CreateLink { .. } => true,
        FileOperation::Delete { .. } | FileOperation::RemoveDirectory { .. } | FileOperation::SetMode { .. } => false,
    }
}

/// An entry of an open directory. Opening fails if a directory on the path was replaced by a link since the path was
/// resolved, because the write would go elsewhere.
struct DirectoryEntry {
    directory: DirHandle,
    /// The path through the open directory.
    path: Utf8PathBuf,
}

impl DirectoryEntry {
    fn open(path: &Utf8Path, make: bool) -> Result<Self, SinkError> {
        let changed = || SinkError::Changed { path: path.to_owned() };
        let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else { return Err(changed()) };
        let directory = if make { DirHandle::make(parent) } else { DirHandle::open(parent) };
        let directory = directory.map_err(|source| match source.kind() {
            io::ErrorKind::PermissionDenied | io::ErrorKind::StorageFull | io::ErrorKind::ReadOnlyFilesystem => {
                SinkError::Io { path: path.to_owned(), source }
            }
            _ => changed(),
        })?;
        Ok(Self { path: directory.entry(name), directory })
    }
}

#[cfg(unix)]
fn link(target: &Utf8Path, path: &Utf8Path) -> io::Result<()> {
    std::os::unix::fs::symlink(target, path)
}

#[cfg(not(unix))]
fn link(_target: &Utf8Path, _path: &Utf8Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(unix)]
fn set_mode(path: &Utf8Path, mode: u32) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode))
}

#[cfg(not(unix))]
fn set_mode(_path: &Utf8Path, _mode: u32) -> io::Result<()> {
    Ok(())
}
