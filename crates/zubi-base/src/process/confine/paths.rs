//! Expands "all of this except that" for a mechanism that only accepts allowed paths.

use std::collections::BTreeSet;
use std::os::unix::fs::{DirEntryExt as _, MetadataExt as _};

use camino::{Utf8Path, Utf8PathBuf};

use super::confinement::ConfineError;
use crate::fs;

/// The maximum number of rules in an expansion. A home directory has some hundred entries.
const MAX_GRANTED: usize = 10_000;

/// The allowed paths, including everything below them, and the directories that may only be listed.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct ExpandedPaths {
    pub(super) granted: BTreeSet<Entry>,
    pub(super) listed: BTreeSet<Entry>,
}

impl ExpandedPaths {
    /// Whether the other paths allow everything that these do: whether each entry still names its file, and is still
    /// allowed.
    pub(super) fn is_part_of(&self, others: &Self) -> bool {
        let is_granted = |entry: &Entry| entry.is_identified() && others.granted.contains(entry);
        self.granted.iter().all(is_granted)
            && self
                .listed
                .iter()
                .all(|entry| is_granted(entry) || (entry.is_identified() && others.listed.contains(entry)))
    }
}

/// A path, with the file that it named when its directory was listed. The order begins with numbers, because comparing
/// thousands of paths takes milliseconds.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Entry {
    /// The numbers of its inode and its file system, as its directory has them.
    file: (u64, u64),
    pub(super) is_directory: bool,
    pub(super) path: Utf8PathBuf,
}

impl Entry {
    /// Describes a path without the listing of its directory.
    fn from_path(path: Utf8PathBuf) -> Option<Self> {
        let found = path.symlink_metadata().ok()?;
        Some(Self { file: (found.ino(), found.dev()), is_directory: found.is_dir(), path })
    }

    /// Whether the numbers identify a file. File systems in user space that have no numbers show one of these for every
    /// file (`FUSE_UNKNOWN_INO`).
    fn is_identified(&self) -> bool {
        ![0, u64::from(u32::MAX), u64::MAX].contains(&self.file.0)
    }
}

/// Returns `roots` without `excluded`: replaces a root that contains an excluded path by its entries. Skips paths that
/// do not exist, and directories that have rules of their own (`others`). Resolves links first and then follows none, so
/// that no link reaches an excluded path.
pub(super) fn expand(
    roots: &[Utf8PathBuf],
    excluded: &[Utf8PathBuf],
    others: &[Utf8PathBuf],
) -> Result<ExpandedPaths, ConfineError> {
    // Each path is compared with all of these: a set of texts has room for many.
    let resolve = |paths: &[Utf8PathBuf]| {
        paths.iter().filter_map(|path| fs::canonical(path).ok()).map(Utf8PathBuf::into_string).collect::<BTreeSet<_>>()
    };
    let (excluded, others) = (resolve(excluded), resolve(others));
    let directories = excluded.iter().flat_map(|path| Utf8Path::new(path).ancestors().skip(1));
    let on_the_way: BTreeSet<&str> = directories.map(Utf8Path::as_str).collect();
    let is_inside = |path: &Utf8PathBuf| path.ancestors().any(|ancestor| excluded.contains(ancestor.as_str()));
    let mut expanded = ExpandedPaths::default();
    let mut waiting: Vec<_> =
        roots.iter().filter_map(|path| fs::canonical(path).ok()).filter_map(Entry::from_path).collect();
    waiting.retain(|entry| !is_inside(&entry.path));
    while let Some(entry) = waiting.pop() {
        // The directories above it are not excluded.
        if excluded.contains(entry.path.as_str()) || others.contains(entry.path.as_str()) {
            continue;
        }
        if !on_the_way.contains(entry.path.as_str()) {
            expanded.granted.insert(entry);
            if expanded.granted.len() > MAX_GRANTED {
                return Err(ConfineError::TooMany(MAX_GRANTED));
            }
            continue;
        }
        waiting.extend(entries(&entry.path)?);
        expanded.listed.insert(entry);
    }
    Ok(expanded)
}

/// Returns the entries of a directory, except links, whose targets may be elsewhere, and names that are not UTF-8.
/// Returns none if access to the directory is denied, since nothing below it can then be allowed.
fn entries(directory: &Utf8Path) -> Result<Vec<Entry>, ConfineError> {
    let failed = |source| ConfineError::List { path: directory.to_owned(), source };
    let device = directory.symlink_metadata().map_err(failed)?.dev();
    let entries = match directory.as_std_path().read_dir() {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::PermissionDenied => return Ok(Vec::new()),
        Err(source) => return Err(failed(source)),
    };
    let found = entries.flatten().filter_map(|entry| {
        let kind = entry.file_type().ok().filter(|kind| !kind.is_symlink())?;
        let path = directory.join(entry.file_name().to_str()?);
        Some(Entry { file: (entry.ino(), device), is_directory: kind.is_dir(), path })
    });
    Ok(found.take(MAX_GRANTED + 1).collect())
}
