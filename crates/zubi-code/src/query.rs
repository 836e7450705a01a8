//! One request: its context, the texts it has read, and the notes for its answer.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use camino::{Utf8Path, Utf8PathBuf};
use rustc_hash::FxHashMap;
use tokio_util::sync::CancellationToken;
use zubi_base::endpoint::RequestCx;
use zubi_base::fs::{self, ReadError};
use zubi_base::position::TextIndex;
use zubi_base::workspace::WorkspaceFolders;

use crate::CodeIntel;
use crate::virtual_documents::VirtualDocumentCache;

/// Receives progress while servers load: a fraction 0–1 when known, and a short clause.
pub type ProgressCallback = Arc<dyn Fn(Option<f64>, &str) + Send + Sync>;

/// The circumstances of one question.
#[derive(Clone)]
pub struct CallCx {
    /// Cancelled when the caller cancels.
    pub cancel: CancellationToken,
    /// When the answer must be there, whatever it is.
    pub deadline: Instant,
    /// How long to wait for servers that are still loading; after that they get the request as they are.
    pub wait: Duration,
    /// How long the check for diagnostics before and after an edit may take. The answer reports whatever is unknown by
    /// then.
    pub check_wait: Duration,
    pub progress: ProgressCallback,
}

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
    fn document(&self, path: &Utf8Path, text: Arc<str>) -> Arc<SourceDocument> {
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

/// One question under way.
pub struct CodeQuery<'a> {
    pub intel: &'a CodeIntel,
    pub cx: CallCx,
    /// Set when it could not be assured that servers know every change on disk.
    pub freshness: Option<String>,
    /// Texts are read once for each question, so that all its places speak of one state.
    documents: Mutex<FxHashMap<Utf8PathBuf, Arc<SourceDocument>>>,
    pub(crate) virtual_documents: VirtualDocumentCache,
}

impl<'a> CodeQuery<'a> {
    pub(crate) async fn begin(intel: &'a CodeIntel, cx: CallCx) -> Self {
        let request = RequestCx::new(cx.cancel.clone(), cx.deadline);
        let freshness = intel.router.refresh(&request).await;
        Self { intel, cx, freshness, documents: Mutex::default(), virtual_documents: VirtualDocumentCache::default() }
    }

    pub fn workspace(&self) -> &WorkspaceFolders {
        &self.intel.workspace
    }

    /// Returns the context for the requests that this request sends to endpoints.
    pub fn request_cx(&self) -> RequestCx {
        RequestCx::new(self.cx.cancel.clone(), self.cx.deadline)
    }

    /// A document's text as it is now, from the editor or from disk.
    pub async fn document(&self, path: &Utf8Path) -> Result<Arc<SourceDocument>, ReadError> {
        let cached = self.documents.lock().unwrap_or_else(PoisonError::into_inner).get(path).cloned();
        if let Some(document) = cached {
            return Ok(document);
        }
        let text = match self.intel.texts.read(path).await {
            // A server names files as it found them, also through links. They lead where they lead when they are resolved here.
            Err(ReadError::Linked { .. }) => {
                let linked = || ReadError::Linked { path: path.to_owned() };
                let real = fs::canonical(path).map_err(|_| linked())?;
                // A path that is in the workspace by its name but outside it through links is refused.
                if self.workspace().contains(path) && !self.workspace().contains(&real) {
                    return Err(linked());
                }
                self.intel.texts.read(&real).await?.text
            }
            read => read?.text,
        };
        let document = self.intel.recent.document(path, text);
        self.documents.lock().unwrap_or_else(PoisonError::into_inner).insert(path.to_owned(), Arc::clone(&document));
        Ok(document)
    }

    /// Forgets the texts read so far; called after files were written.
    pub(crate) fn forget_documents(&self) {
        self.documents.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}
