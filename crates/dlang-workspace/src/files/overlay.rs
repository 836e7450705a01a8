//! Unsaved text over files: an editor's text takes precedence over the disk.

use std::collections::BTreeMap;
use std::hash::{Hash as _, Hasher as _};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};

use camino::{Utf8Path, Utf8PathBuf};

use super::{Bounds, Files, Kind, ReadError, SharedFiles, Stamp, Walk, is_of_interest};
use crate::paths::normalize;

/// Files, with unsaved texts that replace their content, by absolute path. The file of a text need not exist.
pub struct Overlay {
    base: SharedFiles,
    /// Shared with snapshots; the next change copies it if there are any.
    texts: RwLock<Arc<Texts>>,
}

type Texts = BTreeMap<Utf8PathBuf, Arc<str>>;

impl Overlay {
    /// Creates an overlay without texts.
    pub fn new(below: SharedFiles) -> Self {
        Self { base: below, texts: RwLock::default() }
    }

    /// Returns an overlay with the present texts over the same files; later changes do not affect it. Copies no text or
    /// map.
    #[must_use]
    pub fn snapshot(&self) -> Self {
        Self { base: Arc::clone(&self.base), texts: RwLock::new(Arc::clone(&self.texts())) }
    }

    /// Sets the text of a file; `None` restores the content below.
    pub fn set(&self, path: &Utf8Path, text: Option<Arc<str>>) {
        let mut texts = self.texts.write().unwrap_or_else(PoisonError::into_inner);
        let texts = Arc::make_mut(&mut texts);
        match text {
            Some(text) => texts.insert(normalize(path), text),
            None => texts.remove(&normalize(path)),
        };
    }

    /// Returns the unsaved text of a file.
    pub fn text(&self, path: &Utf8Path) -> Option<Arc<str>> {
        self.texts().get(path).cloned()
    }

    /// Returns the files with unsaved text.
    pub fn paths(&self) -> Vec<Utf8PathBuf> {
        self.texts().keys().cloned().collect()
    }

    fn texts(&self) -> RwLockReadGuard<'_, Arc<Texts>> {
        // Every single step leaves the map consistent, so a thread that panicked did, too.
        self.texts.read().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Files for Overlay {
    fn kind(&self, path: &Utf8Path) -> Option<Kind> {
        if self.texts().contains_key(path) { Some(Kind::File) } else { self.base.kind(path) }
    }

    fn read(&self, path: &Utf8Path, max: usize) -> Result<Vec<u8>, ReadError> {
        match self.text(path) {
            Some(text) if text.len() > max => Err(ReadError::TooLarge { max }),
            Some(text) => Ok(text.as_bytes().to_vec()),
            None => self.base.read(path, max),
        }
    }

    fn canonical(&self, path: &Utf8Path) -> Option<Utf8PathBuf> {
        let is_new = || self.texts().contains_key(path).then(|| normalize(path));
        self.base.canonical(path).or_else(is_new)
    }

    fn stamp(&self, path: &Utf8Path) -> Option<Stamp> {
        let Some(text) = self.text(path) else { return self.base.stamp(path) };
        let mut hasher = rustc_hash::FxHasher::default();
        text.hash(&mut hasher);
        // No file on disk has these times.
        Some(Stamp([u64::MAX, hasher.finish(), 0, 0, 0, 0]))
    }

    fn walk(&self, folder: &Utf8Path, bounds: Bounds) -> Walk {
        let mut walk = self.base.walk(folder, bounds);
        let texts = self.texts();
        let new = texts.keys().filter(|path| path.starts_with(folder) && is_of_interest(path));
        walk.files.extend(new.cloned());
        walk.files.sort();
        walk.files.dedup();
        walk
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::Overlay;
    use crate::files::{Bounds, Files as _};
    use crate::testing::in_memory;

    #[test]
    fn an_overlay_hides_its_file_until_it_is_removed() {
        let files = Overlay::new(Arc::new(in_memory("//- a.dlang\nsaved")));
        let (saved, new) = ("/w/a.dlang".into(), "/w/new.dlang".into());
        let state = |path| files.read_text(path, 100);
        let before = files.stamp(saved);
        files.set(saved, Some("typed".into()));
        files.set(new, Some("new".into()));
        assert_eq!((state(saved).as_deref(), state(new).as_deref()), (Ok("typed"), Ok("new")));
        assert_ne!(files.stamp(saved), before);
        assert_eq!(files.walk("/w".into(), Bounds::default()).files, [saved, new]);
        files.set(saved, None);
        files.set(new, None);
        assert_eq!(state(saved).as_deref(), Ok("saved"));
        assert!(state(new).is_err());
        assert_eq!(files.stamp(saved), before);
    }
}
