//! One request: its context, the texts it has read, the locations in them, and the notes for its answer.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use camino::{Utf8Path, Utf8PathBuf};
use rustc_hash::FxHashMap;
use tokio_util::sync::CancellationToken;
use zubi_base::endpoint::RequestCx;
use zubi_base::fs::{self, ReadError};
use zubi_base::lsp;
use zubi_base::position::{Encoding, TextRange};
use zubi_base::uri;
use zubi_base::workspace::WorkspaceFolders;

pub use crate::document::SourceDocument;

use crate::intel::CodeIntel;
use crate::location::{self, SourceLocation};
use crate::markup::clean_line;
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

impl CodeIntel {
    /// Begins a request: notifies the servers of every file that changed on disk before anything else is sent.
    pub async fn query(&self, cx: CallCx) -> CodeQuery<'_> {
        let request = RequestCx::new(cx.cancel.clone(), cx.deadline);
        let freshness = self.router.refresh(&request).await;
        let virtual_documents = VirtualDocumentCache::default();
        CodeQuery { intel: self, cx, freshness, documents: Mutex::default(), virtual_documents }
    }
}

impl CodeQuery<'_> {
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

    /// Returns the name that answers show for a location's document, and whether it is outside the workspace; see
    /// [`SourceLocation`].
    pub(crate) fn display_location(&self, location: &lsp::Location) -> (String, bool) {
        match uri::to_path(&location.uri) {
            Some(path) => (clean_line(&self.workspace().display(&path)), !self.workspace().contains(&path)),
            None => (location::display_uri(&location.uri), true),
        }
    }

    /// The place a server means by a location. Never fails: what cannot be read is shown without its source line.
    pub(crate) async fn location(&self, location: &lsp::Location, encoding: Encoding, context: u32) -> SourceLocation {
        let (shown, external) = self.display_location(location);
        let path = uri::to_path(&location.uri);
        let document = match &path {
            // A server may point anywhere; only regular text files are opened, and at most a bounded part of them.
            Some(path) => self.document(path).await.map_err(|_| "cannot be read".to_owned()),
            None => self.virtual_documents.document(&location.uri, self.request_cx()).await,
        };
        match document {
            Ok(document) => {
                let range = document.index.range_from_lsp(&location.range, encoding);
                location::with_source(&document, path, shown, external, range, context)
            }
            Err(reason) => location::unreadable_location(location, path, shown, external, reason),
        }
    }

    /// The place of a byte range in a document of the workspace.
    pub fn location_in(&self, document: &SourceDocument, path: &Utf8Path, range: TextRange) -> SourceLocation {
        location::with_source(
            document,
            Some(path.to_owned()),
            clean_line(&self.workspace().display(path)),
            !self.workspace().contains(path),
            range,
            0,
        )
    }
}
