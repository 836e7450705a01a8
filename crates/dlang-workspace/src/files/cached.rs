//! A cache of answers about paths.
//!
//! The resolution of imports in a large model queries the same folders thousands of times; on disk each answer takes
//! several system calls.

use std::sync::{Mutex, MutexGuard, PoisonError};

use camino::{Utf8Path, Utf8PathBuf};
use rustc_hash::FxHashMap;

use super::{Bounds, Files, Kind, ReadError, Stamp, Walk};

/// Caches kinds and real paths until [`CachedFiles::invalidate`]. It does not cache contents.
#[derive(Debug, Default)]
pub(crate) struct CachedFiles<F> {
    files: F,
    cache: Mutex<CachedEntries>,
}

#[derive(Debug, Default)]
struct CachedEntries {
    kinds: FxHashMap<Utf8PathBuf, Option<Kind>>,
    canonical: FxHashMap<Utf8PathBuf, Option<Utf8PathBuf>>,
}

impl<F> CachedFiles<F> {
    pub(crate) fn new(files: F) -> Self {
        Self { files, cache: Mutex::default() }
    }

    /// Clears the cache.
    pub(crate) fn invalidate(&self) {
        *self.lock_entries() = CachedEntries::default();
    }

    fn lock_entries(&self) -> MutexGuard<'_, CachedEntries> {
        // Every single step leaves the maps consistent, so a thread that panicked did, too.
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<F: Files> Files for CachedFiles<F> {
    fn kind(&self, path: &Utf8Path) -> Option<Kind> {
        if let Some(kind) = self.lock_entries().kinds.get(path) {
            return *kind;
        }
        let kind = self.files.kind(path);
        self.lock_entries().kinds.insert(path.to_owned(), kind);
        kind
    }

    fn read(&self, path: &Utf8Path, max: usize) -> Result<Vec<u8>, ReadError> {
        self.files.read(path, max)
    }

    fn canonical(&self, path: &Utf8Path) -> Option<Utf8PathBuf> {
        if let Some(canonical) = self.lock_entries().canonical.get(path) {
            return canonical.clone();
        }
        let canonical = self.files.canonical(path);
        self.lock_entries().canonical.insert(path.to_owned(), canonical.clone());
        canonical
    }

    fn stamp(&self, path: &Utf8Path) -> Option<Stamp> {
        self.files.stamp(path)
    }

    fn walk(&self, folder: &Utf8Path, bounds: Bounds) -> Walk {
        self.files.walk(folder, bounds)
    }
}
