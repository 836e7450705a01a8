//! The document that a request reads, and a cache of recent documents.

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

/// The last [`MAX_RECENT`] documents. Each request reads their texts again. The cache saves the computation of the line
/// index of an unchanged text, which takes longer than reading for large files.
#[derive(Debug, Default)]
pub(crate) struct RecentDocuments(Mutex<VecDeque<(Utf8PathBuf, Arc<SourceDocument>)>>);

/// The number of cached documents. An agent's requests concern a few files at a time.
const MAX_RECENT: usize = 4;

impl RecentDocuments {
    /// Returns the document with this text, from the cache if the text is unchanged.
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
