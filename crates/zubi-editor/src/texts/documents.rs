//! Documents that are open in the editor, as it has reported them.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use camino::{Utf8Path, Utf8PathBuf};
use zubi_base::lsp::Uri;
use zubi_base::{fs, uri};

/// Maximum size of an unsaved text, in bytes. zubi does not store a larger text, and does not read its file, which has
/// another text on disk.
pub(crate) const MAX_TEXT_BYTES: usize = 2 << 20;
/// Maximum size of all unsaved texts, in bytes.
pub(crate) const MAX_BYTES: usize = 64 << 20;

/// A document as the editor reports it.
pub(crate) struct DocumentUpdate {
    pub(crate) uri: String,
    /// Number that changes with each change of the text.
    pub(crate) version: i32,
    pub(crate) is_dirty: bool,
    /// Unsaved text, sent once per version.
    pub(crate) text: Option<String>,
}

/// A document that is open in the editor.
#[derive(Debug, Clone)]
pub(crate) struct EditorDocument {
    /// URI as the editor writes it.
    pub(crate) uri: String,
    pub(crate) version: i32,
    pub(crate) is_dirty: bool,
    /// Unsaved text; `None` also if this text, or all texts together, are too large.
    pub(crate) text: Option<Arc<str>>,
    /// Whether the text was dropped because all texts together are too large.
    pub(crate) is_crowded_out: bool,
}

/// All open documents, by path with links resolved.
#[derive(Default)]
pub(crate) struct EditorDocuments(Mutex<BTreeMap<Utf8PathBuf, EditorDocument>>);

impl EditorDocuments {
    /// Replaces all open documents.
    pub(crate) fn replace_all(&self, updates: impl Iterator<Item = DocumentUpdate>) {
        let mut documents = self.lock();
        let before = std::mem::take(&mut *documents);
        let mut documents_by_uri: BTreeMap<String, (Utf8PathBuf, EditorDocument)> =
            before.into_iter().map(|(path, document)| (document.uri.clone(), (path, document))).collect();
        let mut bytes = 0;
        for DocumentUpdate { uri, version, is_dirty, text } in updates {
            let (path, before) = match documents_by_uri.remove(&uri) {
                Some((path, document)) => (path, Some(document)),
                None => {
                    let Some(path) = uri::to_path(&Uri(uri.clone())) else { continue };
                    // A file that was deleted from disk may still be open.
                    (fs::canonical(&path).unwrap_or(path), None)
                }
            };
            let before = before.filter(|before| before.version == version).and_then(|before| before.text);
            let text =
                text.map(Arc::from).or(before).filter(|text: &Arc<str>| is_dirty && text.len() <= MAX_TEXT_BYTES);
            bytes += text.as_ref().map_or(0, |text| text.len());
            let is_crowded_out = text.is_some() && bytes > MAX_BYTES;
            let text = text.filter(|_| !is_crowded_out);
            documents.insert(path, EditorDocument { uri, version, is_dirty, text, is_crowded_out });
        }
    }

    /// Open document of a file.
    pub(crate) fn get(&self, path: &Utf8Path) -> Option<EditorDocument> {
        self.lock().get(path).cloned()
    }

    /// Whether the path, or a file below it, is open.
    pub(crate) fn has_below(&self, path: &Utf8Path) -> bool {
        self.lock().range(path.to_owned()..).take_while(|(open, _)| open.starts_with(path)).next().is_some()
    }

    /// All unsaved texts.
    pub(crate) fn unsaved_texts(&self) -> Vec<(Utf8PathBuf, Arc<str>)> {
        let documents = self.lock();
        documents.iter().filter_map(|(path, document)| Some((path.clone(), document.text.clone()?))).collect()
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<Utf8PathBuf, EditorDocument>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
