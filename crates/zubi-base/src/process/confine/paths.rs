//! Expands "all of this except that" for a mechanism that only accepts allowed paths.

use std::collections::BTreeSet;

use camino::{Utf8Path, Utf8PathBuf};

use super::confinement::ConfineError;
use crate::fs;

/// The maximum number of rules in an expansion. A home directory has some hundred entries.
const MAX_GRANTED: usize = 10_000;

/// The allowed paths, including everything below them, and the directories that may only be listed.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct ExpandedPaths {
    pub(super) granted: Vec<Utf8PathBuf>,
    pub(super) listed: Vec<Utf8PathBuf>,
}

/// Returns `roots` without `excluded`: replaces a root that contains an excluded path by its entries. Skips paths that
/// do not exist. Resolves links first and then follows none, so that no link reaches an excluded path.
pub(super) fn expand(roots: &[Utf8PathBuf], excluded: &[Utf8PathBuf]) -> Result<ExpandedPaths, ConfineError> {
    let excluded: BTreeSet<_> = excluded.iter().filter_map(|path| fs::canonical(path).ok()).collect();
    // Each path is compared with all of these: a set has room for many.
    let on_the_way: BTreeSet<&Utf8Path> = excluded.iter().flat_map(|path| path.ancestors().skip(1)).collect();
    let is_inside = |path: &Utf8PathBuf| path.ancestors().any(|ancestor| excluded.contains(ancestor));
    let mut expanded = ExpandedPaths::default();
    let mut waiting: Vec<_> = roots.iter().filter_map(|path| fs::canonical(path).ok()).collect();
    waiting.retain(|path| !is_inside(path));
    while let Some(path) = waiting.pop() {
        // The directories above it are not excluded.
        if excluded.contains(&path) {
            continue;
        }
        if !on_the_way.contains(path.as_path()) {
            expanded.granted.push(path);
            if expanded.granted.len() > MAX_GRANTED {
                return Err(ConfineError::TooMany(MAX_GRANTED));
            }
            continue;
        }
        waiting.extend(entries(&path)?);
        expanded.listed.push(path);
    }
    expanded.granted.sort_unstable();
    expanded.listed.sort_unstable();
    Ok(expanded)
}

/// Returns the entries of a directory, except links, whose targets may be elsewhere, and names that are not UTF-8.
/// Returns none if access to the directory is denied, since nothing below it can then be allowed.
fn entries(directory: &Utf8Path) -> Result<Vec<Utf8PathBuf>, ConfineError> {
    let entries = match directory.read_dir_utf8() {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::PermissionDenied => return Ok(Vec::new()),
        Err(source) => return Err(ConfineError::List { path: directory.to_owned(), source }),
    };
    let entries = entries.flatten().filter(|entry| entry.file_type().is_ok_and(|kind| !kind.is_symlink()));
    Ok(entries.map(|entry| entry.path().to_owned()).take(MAX_GRANTED + 1).collect())
}
