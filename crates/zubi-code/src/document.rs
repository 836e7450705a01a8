//! A document as a request reads it, and the documents of the last requests.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use camino::{Utf8Path, Utf8PathBuf};
use zubi_base::position::TextIndex;

/// A document's text with its line index.
#[derive(Debug)]
pub struct SourceDocument {
    pub text: Arc<str>,
    pub index: TextIndex,
}

/// The documents of the last requests. Each request reads their texts again; the cache saves computing the line index
/// of an unchanged text, which takes longer than reading for large files.
#[derive(Debug, Default)]
pub(crate) struct RecentDocuments(Mutex<VecDeque<(Utf8PathBuf, Arc<SourceDocument>)>>);

/// The number of cached documents: an agent's requests circle around a few files.
const MAX_RECENT: usize = 4;

impl RecentDocuments {
    /// The document with this text.
    pub(crate) fn document(&self, path: &Utf8Path, text: Arc<str>) -> Arc<SourceDocument> {
        let mut recent = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let cached = recent.iter().position(|(known, _)| known == path).and_then(|at| recent.remove(at));
        let document = match cached {
            Some((_, document)) if document.text == text => document,
            _ => Arc::new(SourceDocument { index: TextIndex::new(&text), text }),
        };
        recent.push_front((path.to_owned(), Arc::clone(&document)));
        recent.truncate(MAX_RECENT);
        document
    }
}
