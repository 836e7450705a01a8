//! One request: its context, the texts it has read, their locations, and the notes for its answer.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use camino::{Utf8Path, Utf8PathBuf};
use rustc_hash::FxHashMap;
use tokio_util::sync::CancellationToken;
use zubi_base::endpoint::{DocumentRef, OtherProject, RequestCx};
use zubi_base::fs::{self, ReadError};
use zubi_base::lsp;
use zubi_base::position::{Encoding, TextRange, TextSize};
use zubi_base::sync::lock;
use zubi_base::text::display_size;
use zubi_base::uri;
use zubi_base::workspace::{PathError, WorkspaceFolders};

pub use crate::document::SourceDocument;

use crate::external_files::{self, NamedFile};
use crate::intel::CodeIntel;
use crate::location::{self, SourceLocation};
use crate::markup::clean_line;
use crate::virtual_documents::VirtualDocumentCache;

/// Receives progress while servers load: a fraction from 0 to 1 if known, and a short clause.
pub type ProgressCallback = Arc<dyn Fn(Option<f64>, &str) + Send + Sync>;

/// The maximum time between the end of requests to servers and the deadline of the answer. A text search takes one
/// second of it.
const MAX_REMAINDER: Duration = Duration::from_secs(3);

/// The maximum number of files outside the workspace that one request stores, and that one answer adds to the shown ones.
const MAX_NAMED: usize = 500;
const MAX_SHOWN: usize = 100;

/// The context of one request.
#[derive(Clone)]
pub struct CallCx {
    /// Cancelled when the caller cancels.
    pub cancel: CancellationToken,
    /// The deadline of the answer.
    pub deadline: Instant,
    /// The maximum wait for loading servers; after it, they receive the request in their current state.
    pub wait: Duration,
    /// The time limit for checking diagnostics before and after an edit. The answer says what is unknown by then.
    pub check_wait: Duration,
    /// Whether the index may answer while all servers are loading, if the tool supports that.
    pub may_use_index: bool,
    /// Whether the request may start a server for every project of the workspace, however many there are; `None` if its
    /// tool has no such argument.
    pub all_projects: Option<bool>,
    /// Whether the request may be about files outside the workspace that an answer has shown, because it only reads.
    pub reads_external: bool,
    pub progress: ProgressCallback,
}

impl CallCx {
    /// Returns the time at which requests to servers end. It leaves time to answer with what is known by then.
    fn request_deadline(&self) -> Instant {
        let remaining = self.deadline.saturating_duration_since(Instant::now());
        self.deadline.checked_sub(MAX_REMAINDER.min(remaining / 10)).unwrap_or(self.deadline)
    }
}

/// One running request.
pub struct CodeQuery<'a> {
    pub intel: &'a CodeIntel,
    pub cx: CallCx,
    pub(crate) started: Instant,
    /// The end of the wait for loading servers. A request with several steps waits once.
    pub(crate) wait_until: Instant,
    /// The reason why servers may not know every change on disk, if there is one.
    pub freshness: Option<String>,
    /// Each text is read once for a request, so that all its locations refer to one state.
    documents: Mutex<FxHashMap<Utf8PathBuf, Arc<SourceDocument>>>,
    pub(crate) virtual_documents: VirtualDocumentCache,
    /// The files outside the workspace that the answers of servers name.
    named: Mutex<Vec<NamedFile>>,
    /// The reason why some positions of the answer may be wrong.
    uncertain: Mutex<Option<String>>,
    /// The other projects with the name of the target that no server has answered about.
    pub(crate) unqueried: Mutex<Vec<OtherProject>>,
    /// The file of the request's target.
    pub(crate) target: Mutex<Option<Utf8PathBuf>>,
}

impl CodeIntel {
    /// Begins a request: first notifies the servers of every file that changed on disk.
    pub async fn query(&self, cx: CallCx) -> CodeQuery<'_> {
        let request = RequestCx::new(cx.cancel.clone(), cx.deadline);
        let freshness = self.router.refresh(&request).await;
        let virtual_documents = VirtualDocumentCache::default();
        let started = Instant::now();
        let wait_until = started.checked_add(cx.wait).unwrap_or(cx.deadline).min(cx.deadline);
        CodeQuery {
            intel: self,
            cx,
            started,
            wait_until,
            freshness,
            documents: Mutex::default(),
            virtual_documents,
            named: Mutex::default(),
            uncertain: Mutex::default(),
            unqueried: Mutex::default(),
            target: Mutex::default(),
        }
    }
}

impl CodeQuery<'_> {
    pub fn workspace(&self) -> &WorkspaceFolders {
        &self.intel.workspace
    }

    /// Returns the context for requests to endpoints.
    pub fn request_cx(&self) -> RequestCx {
        let cx = RequestCx::new(self.cx.cancel.clone(), self.cx.request_deadline());
        RequestCx { all_projects: self.cx.all_projects == Some(true), ..cx }
    }

    /// Resolves the path of an existing file or directory that the request is about.
    pub fn resolve_path(&self, input: &str) -> Result<Utf8PathBuf, PathError> {
        if self.cx.reads_external { self.intel.external.resolve(input) } else { self.workspace().resolve(input) }
    }

    /// Records the files outside the workspace that servers have named and the answer shows, so that later requests may
    /// be about them.
    pub async fn record_shown_files(&self, answer: &str) {
        let named = std::mem::take(&mut *lock(&self.named));
        let mut files = external_files::shown_in(answer, &named);
        files.truncate(MAX_SHOWN);
        // Most files are recorded already, so that the answer needs no I/O.
        let files = self.intel.external.filter_new(files);
        let mut served = Vec::new();
        for file in files {
            if self.intel.router.serves_external(&DocumentRef::new(file.clone()), &self.request_cx()).await {
                served.push(file);
            }
        }
        let target = lock(&self.target).clone();
        let origin = target.and_then(|target| {
            if self.workspace().contains(&target) { Some(target) } else { self.intel.external.origin_of(&target)?.0 }
        });
        self.intel.external.record(served, origin).await;
    }

    /// Returns a document's current text, from the editor or from disk.
    pub async fn document(&self, path: &Utf8Path) -> Result<Arc<SourceDocument>, ReadError> {
        let cached = self.documents.lock().unwrap_or_else(PoisonError::into_inner).get(path).cloned();
        if let Some(document) = cached {
            return Ok(document);
        }
        let source = match self.intel.texts.read(path).await {
            // A server's path may contain links; zubi resolves them now.
            Err(ReadError::Linked { .. }) => {
                let linked = || ReadError::Linked { path: path.to_owned() };
                let real = fs::canonical(path).map_err(|_| linked())?;
                // A path inside the workspace must not lead outside through a link.
                if self.workspace().contains(path) && !self.workspace().contains(&real) {
                    return Err(linked());
                }
                self.intel.texts.read(&real).await?
            }
            read => read?,
        };
        let document = self.intel.recent.document(path, source.text, source.bom);
        self.documents.lock().unwrap_or_else(PoisonError::into_inner).insert(path.to_owned(), Arc::clone(&document));
        Ok(document)
    }

    /// Discards the texts read so far, after files were written.
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

    /// Notes that the answer has a position after which programs count lines differently.
    pub(crate) fn note_uncertain_position(&self, document: &SourceDocument, display_path: &str, offset: TextSize) {
        if let Some(last) = document.uncertain_after(offset) {
            lock(&self.uncertain).get_or_insert_with(|| location::describe_uncertain_lines(display_path, last));
        }
    }

    /// Returns the reason why some positions of the answer may be wrong.
    pub fn uncertain_positions(&self) -> Option<String> {
        lock(&self.uncertain).clone()
    }

    /// Converts a server's location. If the text cannot be read, the result has no source line.
    pub(crate) async fn location(&self, location: &lsp::Location, encoding: Encoding, context: u32) -> SourceLocation {
        let (shown, external) = self.display_location(location);
        let path = uri::to_path(&location.uri);
        let document = match &path {
            // A server may name any path; zubi opens only regular text files, and reads at most a limited part.
            Some(path) => self.document(path).await.map_err(|error| match error {
                ReadError::TooLarge { bytes, .. } => format!("not shown: the file has {}", display_size(bytes)),
                _ => "cannot be read".to_owned(),
            }),
            None => self.virtual_documents.document(&location.uri, self.request_cx()).await,
        };
        match document {
            Ok(document) => {
                if external && let Some(path) = &path {
                    self.add_named(&shown, path);
                }
                let range = document.range_from_server(&location.range, encoding);
                self.note_uncertain_position(&document, &shown, range.end());
                location::with_source(&document, path, shown, external, range, context)
            }
            Err(reason) => location::unreadable_location(location, path, shown, external, reason),
        }
    }

    fn add_named(&self, display_path: &str, path: &Utf8Path) {
        let mut named = lock(&self.named);
        if named.len() < MAX_NAMED && named.iter().all(|file| file.path != path) {
            named.push(NamedFile { display_path: display_path.to_owned(), path: path.to_owned() });
        }
    }

    /// Creates the location of a byte range in a document of the workspace.
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
