//! Checks operations against the disk and computes the inverse of each. Writes nothing.

use std::collections::{BTreeMap, BTreeSet};

use camino::{Utf8Path, Utf8PathBuf};
use serde::{Deserialize, Serialize};
use zubi_base::fs::{self, ReadError};
use zubi_base::text::{ContentHash, FileOperation, SinkError};

use crate::edit::overlay::{EntryKind, disk_before, kind_on_disk, link_target};
use crate::edit::plan::ExpectedContent;

/// An operation and its inverse.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::edit) struct ReversibleStep {
    pub(in crate::edit) operation: FileOperation,
    /// In the order of execution.
    pub(in crate::edit) inverse: Vec<FileOperation>,
}

/// Checks each operation against the state in which it will run, and returns it with its inverse. `unsaved` holds the
/// texts of files that are open in an editor; an undo restores these instead of the content on disk.
pub(in crate::edit) fn prepare(
    operations: &[FileOperation],
    unsaved: &BTreeMap<Utf8PathBuf, Vec<u8>>,
) -> Result<Vec<ReversibleStep>, SinkError> {
    let mut view = DiskView { done: &[], entries: BTreeMap::new() };
    let mut steps = Vec::with_capacity(operations.len());
    for (index, operation) in operations.iter().enumerate() {
        view.done = operations.get(..index).unwrap_or_default();
        let inverse = view.inverse(operation, unsaved)?;
        view.record(operation);
        steps.push(ReversibleStep { operation: operation.clone(), inverse });
    }
    Ok(steps)
}

/// Returns the operations that undo a whole change, last step first.
pub(in crate::edit) fn undo_of(steps: &[ReversibleStep]) -> Vec<FileOperation> {
    steps.iter().rev().flat_map(|step| step.inverse.iter().cloned()).collect()
}

/// The disk as it would be after some of the operations.
struct DiskView<'a> {
    done: &'a [FileOperation],
    /// The entries that the operations so far created, including parent directories, by their current path. Everything
    /// else is as on disk.
    entries: BTreeMap<Utf8PathBuf, PreparedStep>,
}

#[derive(Debug, Clone)]
enum PreparedStep {
    File(Vec<u8>),
    Link(Utf8PathBuf),
    Directory,
}

/// The entry at a path, with its content.
enum PathState {
    Missing,
    File { bytes: Vec<u8>, mode: Option<u32> },
    Link(Utf8PathBuf),
    Directory { mode: Option<u32> },
}

impl DiskView<'_> {
    fn find(&self, path: &Utf8Path) -> Result<PathState, SinkError> {
        match self.entries.get(path) {
            Some(PreparedStep::File(bytes)) => return Ok(PathState::File { bytes: bytes.clone(), mode: None }),
            Some(PreparedStep::Link(target)) => return Ok(PathState::Link(target.clone())),
            Some(PreparedStep::Directory) => return Ok(PathState::Directory { mode: None }),
            None => {}
        }
        let Some(disk) = disk_before(self.done, path) else { return Ok(PathState::Missing) };
        let fail = |source| SinkError::Io { path: path.to_owned(), source };
        Ok(match kind_on_disk(&disk) {
            EntryKind::Missing => PathState::Missing,
            EntryKind::Directory => PathState::Directory { mode: mode(&disk) },
            EntryKind::Link => PathState::Link(link_target(&disk).map_err(fail)?),
            EntryKind::File => match fs::read_bytes(&disk) {
                Ok(bytes) => PathState::File { bytes, mode: mode(&disk) },
                Err(ReadError::Io { source, .. }) => return Err(fail(source)),
                Err(error) => return Err(fail(std::io::Error::other(error))),
            },
            EntryKind::Special => return Err(SinkError::Changed { path: path.to_owned() }),
        })
    }

    /// Whether a path exists; does not read it.
    fn exists(&self, path: &Utf8Path) -> bool {
        self.entries.contains_key(path)
            || disk_before(self.done, path).is_some_and(|disk| kind_on_disk(&disk) != EntryKind::Missing)
    }

    fn inverse(
        &self,
        operation: &FileOperation,
        unsaved: &BTreeMap<Utf8PathBuf, Vec<u8>>,
    ) -> Result<Vec<FileOperation>, SinkError> {
        let path = operation.path();
        let changed = || SinkError::Changed { path: path.to_owned() };
        let free = |view: &Self| {
            if view.exists(path) { Err(SinkError::Exists { path: path.to_owned() }) } else { Ok(()) }
        };
        let matches = |bytes: &[u8], before: &ContentHash| {
            if ContentHash::from_bytes(bytes) == *before { Ok(()) } else { Err(changed()) }
        };
        Ok(match operation {
            FileOperation::Write { before: None, content, .. } => {
                free(self)?;
                let removal = FileOperation::Delete { path: path.to_owned(), before: ContentHash::from_bytes(content) };
                std::iter::once(removal).chain(self.remove_created_directories(path)).collect()
            }
            FileOperation::Write { before: Some(before), content, .. } => {
                let bytes = match (unsaved.get(path), self.find(path)?) {
                    (Some(unsaved), _) => unsaved.clone(),
                    (None, PathState::File { bytes, .. }) => bytes,
                    (None, _) => return Err(changed()),
                };
                matches(&bytes, before)?;
                if disk_before(self.done, path).is_some_and(|disk| fs::is_read_only(&disk)) {
                    return Err(SinkError::ReadOnly { path: path.to_owned() });
                }
                let after = Some(ContentHash::from_bytes(content));
                vec![FileOperation::Write { path: path.to_owned(), before: after, content: bytes }]
            }
            FileOperation::Rename { from, to } => {
                free(self)?;
                if !self.exists(from) {
                    return Err(SinkError::Changed { path: from.clone() });
                }
                let back = FileOperation::Rename { from: to.clone(), to: from.clone() };
                std::iter::once(back).chain(self.remove_created_directories(path)).collect()
            }
            FileOperation::Delete { before, .. } => match self.find(path)? {
                PathState::File { bytes, mode } => {
                    matches(&bytes, before)?;
                    let again = FileOperation::Write { path: path.to_owned(), before: None, content: bytes };
                    std::iter::once(again).chain(set_mode(path, mode)).collect()
                }
                PathState::Link(target) => {
                    matches(target.as_str().as_bytes(), before)?;
                    vec![FileOperation::CreateLink { path: path.to_owned(), target }]
                }
                PathState::Missing | PathState::Directory { .. } => return Err(changed()),
            },
            FileOperation::CreateDirectory { .. } => {
                free(self)?;
                let removal = FileOperation::RemoveDirectory { path: path.to_owned() };
                std::iter::once(removal).chain(self.remove_created_directories(path)).collect()
            }
            FileOperation::RemoveDirectory { .. } => match self.find(path)? {
                PathState::Directory { mode } => {
                    let again = FileOperation::CreateDirectory { path: path.to_owned() };
                    std::iter::once(again).chain(set_mode(path, mode)).collect()
                }
                _ => return Err(changed()),
            },
            FileOperation::CreateLink { target, .. } => {
                free(self)?;
                let before = ContentHash::from_bytes(target.as_str().as_bytes());
                let removal = FileOperation::Delete { path: path.to_owned(), before };
                std::iter::once(removal).chain(self.remove_created_directories(path)).collect()
            }
            FileOperation::SetMode { .. } => match self.find(path)? {
                PathState::File { mode, .. } | PathState::Directory { mode } => {
                    set_mode(path, mode).into_iter().collect()
                }
                PathState::Missing | PathState::Link(_) => return Err(changed()),
            },
        })
    }

    /// Returns removals of the directories that creating `path` would create, innermost first.
    fn remove_created_directories(&self, path: &Utf8Path) -> Vec<FileOperation> {
        self.missing_above(path).into_iter().map(|path| FileOperation::RemoveDirectory { path }).collect()
    }

    fn missing_above(&self, path: &Utf8Path) -> Vec<Utf8PathBuf> {
        path.ancestors().skip(1).take_while(|above| !self.exists(above)).map(Utf8Path::to_owned).collect()
    }

    fn record(&mut self, operation: &FileOperation) {
        if matches!(
            operation,
            FileOperation::Write { before: None, .. }
                | FileOperation::Rename { .. }
                | FileOperation::CreateDirectory { .. }
                | FileOperation::CreateLink { .. }
        ) {
            let missing = self.missing_above(operation.path());
            self.entries.extend(missing.into_iter().map(|path| (path, PreparedStep::Directory)));
        }
        match operation {
            FileOperation::Write { path, content, .. } => {
                self.entries.insert(path.clone(), PreparedStep::File(content.clone()));
            }
            FileOperation::CreateLink { path, target } => {
                self.entries.insert(path.clone(), PreparedStep::Link(target.clone()));
            }
            FileOperation::CreateDirectory { path } => {
                self.entries.insert(path.clone(), PreparedStep::Directory);
            }
            FileOperation::Delete { path, .. } | FileOperation::RemoveDirectory { path } => {
                self.entries.remove(path);
            }
            FileOperation::Rename { from, to } => {
                let moving: Vec<_> = self.entries.keys().filter(|path| path.starts_with(from)).cloned().collect();
                for path in moving {
                    if let (Some(step), Some(new)) = (self.entries.remove(&path), fs::replace_prefix(&path, from, to)) {
                        self.entries.insert(new, step);
                    }
                }
            }
            FileOperation::SetMode { .. } => {}
        }
    }
}

/// Whether a path has the expected content now.
pub(in crate::edit) fn matches_expected(path: &Utf8Path, expected: &ExpectedContent) -> bool {
    match (expected, kind_on_disk(path)) {
        (ExpectedContent::Absent, kind) => kind == EntryKind::Missing,
        (ExpectedContent::Directory, kind) => kind == EntryKind::Directory,
        (ExpectedContent::Content(hash), EntryKind::File) => {
            fs::read_bytes(path).is_ok_and(|bytes| ContentHash::from_bytes(&bytes) == *hash)
        }
        (ExpectedContent::Content(hash), EntryKind::Link) => {
            link_target(path).is_ok_and(|target| ContentHash::from_bytes(target.as_str().as_bytes()) == *hash)
        }
        (ExpectedContent::Content(_), _) => false,
    }
}

/// Returns the content of every touched path after the change. Reads the content of files that only move.
pub(in crate::edit) fn expected_after(
    operations: &[FileOperation],
) -> Result<Vec<(Utf8PathBuf, ExpectedContent)>, SinkError> {
    let mut view = DiskView { done: &[], entries: BTreeMap::new() };
    let mut touched = BTreeSet::new();
    for (index, operation) in operations.iter().enumerate() {
        view.done = operations.get(..index).unwrap_or_default();
        view.record(operation);
        touched.insert(operation.path());
        if let FileOperation::Rename { from, .. } = operation {
            touched.insert(from);
        }
    }
    view.done = operations;
    touched
        .into_iter()
        .map(|path| {
            let expected = match view.find(path)? {
                PathState::File { bytes, .. } => ExpectedContent::Content(ContentHash::from_bytes(&bytes)),
                PathState::Link(target) => {
                    ExpectedContent::Content(ContentHash::from_bytes(target.as_str().as_bytes()))
                }
                PathState::Directory { .. } => ExpectedContent::Directory,
                PathState::Missing => ExpectedContent::Absent,
            };
            Ok((path.to_owned(), expected))
        })
        .collect()
}

fn set_mode(path: &Utf8Path, mode: Option<u32>) -> Option<FileOperation> {
    Some(FileOperation::SetMode { path: path.to_owned(), mode: mode? })
}

#[cfg(unix)]
fn mode(path: &Utf8Path) -> Option<u32> {
    use std::os::unix::fs::PermissionsExt as _;
    Some(std::fs::symlink_metadata(path).ok()?.permissions().mode() & 0o7777)
}

#[cfg(not(unix))]
fn mode(_path: &Utf8Path) -> Option<u32> {
    None
}
