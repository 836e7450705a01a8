//! One operation on disk, checked again at the last moment; and its undoing, which may find it half done.

use std::io;

use camino::Utf8Path;
use zubi_base::fs;
use zubi_base::text::{ContentHash, FileOperation, SinkError};

use super::prepare::holds;
use crate::edit::overlay::{Kind, kind_on_disk};
use crate::edit::plan::Expected;

/// Makes one operation. Between the check and the write lie microseconds, in which another program could still write:
/// no file system call replaces a file on the condition of its content.
pub(super) fn execute(operation: &FileOperation) -> Result<(), SinkError> {
    let path = operation.path();
    let changed = || SinkError::Changed { path: path.to_owned() };
    let expect = |path: &Utf8Path, expected: &Expected| {
        if holds(path, expected) { Ok(()) } else { Err(SinkError::Changed { path: path.to_owned() }) }
    };
    let free =
        || if kind_on_disk(path) == Kind::Missing { Ok(()) } else { Err(SinkError::Exists { path: path.to_owned() }) };
    in_place(path)?;
    let done = match operation {
        FileOperation::Write { before: None, content, .. } => {
            free()?;
            make_parent(path).and_then(|()| fs::write_atomic(path, content))
        }
        FileOperation::Write { before: Some(before), content, .. } => {
            // A link that took the file's place must not lead the write elsewhere.
            if kind_on_disk(path) != Kind::File {
                return Err(changed());
            }
            expect(path, &Expected::Content(before.clone()))?;
            fs::write_atomic(path, content)
        }
        FileOperation::Rename { from, .. } => {
            in_place(from)?;
            free()?;
            make_parent(path).and_then(|()| std::fs::rename(from, path)).and_then(|()| sync_parents(&[from, path]))
        }
        FileOperation::Delete { before, .. } => {
            expect(path, &Expected::Content(before.clone()))?;
            std::fs::remove_file(path).and_then(|()| sync_parents(&[path]))
        }
        FileOperation::CreateDirectory { .. } => {
            free()?;
            make_parent(path).and_then(|()| std::fs::create_dir(path)).and_then(|()| sync_parents(&[path]))
        }
        FileOperation::RemoveDirectory { .. } => match std::fs::remove_dir(path) {
            Err(error) if error.kind() == io::ErrorKind::DirectoryNotEmpty => return Err(changed()),
            removed => removed.and_then(|()| sync_parents(&[path])),
        },
        FileOperation::CreateLink { target, .. } => {
            free()?;
            make_parent(path).and_then(|()| link(target, path)).and_then(|()| sync_parents(&[path]))
        }
        FileOperation::SetMode { mode, .. } => {
            if !matches!(kind_on_disk(path), Kind::File | Kind::Directory) {
                return Err(changed());
            }
            set_mode(path, *mode)
        }
    };
    done.map_err(|source| SinkError::Io { path: path.to_owned(), source })
}

/// Makes one operation that takes a step back, unless it is done already or was never needed.
pub(super) fn revert(operation: &FileOperation) -> Result<(), SinkError> {
    let path = operation.path();
    let done = match operation {
        FileOperation::Write { content, .. } => holds(path, &Expected::Content(ContentHash::of(content))),
        FileOperation::Rename { from, to } => kind_on_disk(from) == Kind::Missing && kind_on_disk(to) != Kind::Missing,
        FileOperation::Delete { .. } | FileOperation::RemoveDirectory { .. } => kind_on_disk(path) == Kind::Missing,
        FileOperation::CreateDirectory { .. } => kind_on_disk(path) == Kind::Directory,
        FileOperation::CreateLink { .. } => kind_on_disk(path) == Kind::Link,
        FileOperation::SetMode { .. } => false,
    };
    if done { Ok(()) } else { execute(operation) }
}

/// Refuses a path whose directories were replaced by links since it was resolved: it would lead elsewhere now.
fn in_place(path: &Utf8Path) -> Result<(), SinkError> {
    let changed = || SinkError::Changed { path: path.to_owned() };
    let parent = path.parent().ok_or_else(changed)?;
    if fs::canonical_for_creation(parent).is_ok_and(|resolved| resolved == parent) { Ok(()) } else { Err(changed()) }
}

fn make_parent(path: &Utf8Path) -> io::Result<()> {
    path.parent().map_or(Ok(()), std::fs::create_dir_all)
}

/// Makes the entries durable, so that the journal never says "done" of what a power failure took away.
fn sync_parents(paths: &[&Utf8Path]) -> io::Result<()> {
    paths.iter().filter_map(|path| path.parent()).try_for_each(fs::sync_directory)
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
