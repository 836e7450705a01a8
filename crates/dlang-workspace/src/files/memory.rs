//! A tree of files in memory, for tests and for models that are not on disk.

use std::collections::BTreeMap;
use std::hash::{Hash as _, Hasher as _};

use camino::{Utf8Path, Utf8PathBuf};

use super::{Bounds, Files, GENERATED, Kind, ReadError, Stamp, Walk, WalkGap, is_of_interest};
use crate::paths::normalize;

/// Files by absolute path. A folder exists if it contains a file; there are no links.
#[derive(Debug, Clone, Default)]
pub struct MemoryFiles {
    files: BTreeMap<Utf8PathBuf, Vec<u8>>,
}

impl MemoryFiles {
    /// Creates a file, or replaces its content.
    pub fn insert(&mut self, path: impl Into<Utf8PathBuf>, content: impl Into<Vec<u8>>) {
        self.files.insert(normalize(&path.into()), content.into());
    }

    /// Removes a file.
    pub fn remove(&mut self, path: &Utf8Path) {
        self.files.remove(&normalize(path));
    }

    fn paths_below<'a>(&'a self, folder: &'a Utf8Path) -> impl Iterator<Item = &'a Utf8PathBuf> {
        self.files.keys().filter(move |path| path.starts_with(folder) && *path != folder)
    }
}

impl Files for MemoryFiles {
    fn kind(&self, path: &Utf8Path) -> Option<Kind> {
        let path = normalize(path);
        if self.files.contains_key(&path) {
            Some(Kind::File)
        } else {
            self.paths_below(&path).next().map(|_| Kind::Directory)
        }
    }

    fn read(&self, path: &Utf8Path, max: usize) -> Result<Vec<u8>, ReadError> {
        let path = normalize(path);
        match self.files.get(&path) {
            Some(content) if content.len() > max => Err(ReadError::TooLarge { max }),
            Some(content) => Ok(content.clone()),
            None if self.kind(&path).is_some() => Err(ReadError::NotAFile),
            None => Err(ReadError::NotFound),
        }
    }

    fn canonical(&self, path: &Utf8Path) -> Option<Utf8PathBuf> {
        let path = normalize(path);
        self.kind(&path).map(|_| path)
    }

    fn stamp(&self, path: &Utf8Path) -> Option<Stamp> {
        let path = normalize(path);
        let mut hasher = rustc_hash::FxHasher::default();
        match self.files.get(&path) {
            Some(content) => content.hash(&mut hasher),
            None if self.kind(&path).is_some() => self.paths_below(&path).for_each(|file| file.hash(&mut hasher)),
            None => return None,
        }
        Some(Stamp([hasher.finish(), 0, 0, 0, 0, 0]))
    }

    /// Counts only files as entries, and ignores `.gitignore`.
    fn walk(&self, folder: &Utf8Path, bounds: Bounds) -> Walk {
        let mut walk = Walk { folders: vec![folder.to_owned()], ..Walk::default() };
        for (count, path) in self.paths_below(folder).enumerate() {
            if count >= bounds.entries {
                walk.skipped.push(WalkGap::Entries(bounds.entries));
                break;
            }
            let Ok(inside) = path.strip_prefix(folder) else { continue };
            let folders: Vec<&str> = inside.parent().into_iter().flat_map(Utf8Path::iter).collect();
            if folders.iter().any(|name| GENERATED.contains(name)) {
                continue;
            }
            if folders.len() >= bounds.depth {
                let deepest = folder.join(folders.iter().take(bounds.depth).collect::<Utf8PathBuf>());
                if !walk.skipped.contains(&WalkGap::Depth(deepest.clone())) {
                    walk.skipped.push(WalkGap::Depth(deepest));
                }
            } else if is_of_interest(path) {
                walk.files.push(path.clone());
            }
        }
        walk
    }
}
