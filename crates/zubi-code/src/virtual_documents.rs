//! Virtual documents: classes of a Java library, sources in an archive. A server names them with its own URIs and
//! returns their texts on request.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rustc_hash::FxHashMap;
use zubi_base::endpoint::{Endpoint, RequestCx};
use zubi_base::lsp;
use zubi_base::uri;

use crate::document::SourceDocument;
use crate::markup::clean_line;

/// The maximum number of texts read for one request: each location on a page may be in another document.
const MAX_READ: usize = 10;

/// The time limit for reading them for one request. A class that must be decompiled first takes a second or two.
const READ_TIMEOUT: Duration = Duration::from_secs(10);

/// The virtual documents of one request.
#[derive(Default)]
pub(crate) struct VirtualDocumentCache(Mutex<VirtualState>);

#[derive(Default)]
struct VirtualState {
    /// The endpoint that named each document.
    named_by: FxHashMap<String, Arc<dyn Endpoint>>,
    /// The texts of documents, or the reasons why they could not be read.
    read: FxHashMap<String, Result<Arc<SourceDocument>, String>>,
    /// The time after which no more are read; set by the first one.
    deadline: Option<Instant>,
}

impl VirtualDocumentCache {
    fn lock_state(&self) -> MutexGuard<'_, VirtualState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Stores the endpoint that can return a document's text.
    pub(crate) fn register(&self, uri: &lsp::Uri, by: &Arc<dyn Endpoint>) {
        if uri::to_path(uri).is_none() {
            self.lock_state().named_by.entry(uri.0.clone()).or_insert_with(|| Arc::clone(by));
        }
    }

    /// Returns the text of a virtual document, or the reason why there is no text, as a clause.
    pub(crate) async fn document(&self, uri: &lsp::Uri, cx: RequestCx) -> Result<Arc<SourceDocument>, String> {
        let (endpoint, until) = {
            let mut state = self.lock_state();
            if let Some(read) = state.read.get(&uri.0) {
                return read.clone();
            }
            if state.read.len() >= MAX_READ {
                return Err(format!("not read: the first {MAX_READ} such documents were"));
            }
            let until = *state.deadline.get_or_insert_with(|| Instant::now() + READ_TIMEOUT);
            (state.named_by.get(&uri.0).cloned(), until)
        };
        let text = match endpoint {
            Some(endpoint) => {
                request_text(endpoint.as_ref(), uri, &RequestCx { deadline: cx.deadline.min(until), ..cx }).await
            }
            None => Err("no text".to_owned()),
        };
        let document = text.map(|text| Arc::new(SourceDocument::new(text.into(), false)));
        self.lock_state().read.insert(uri.0.clone(), document.clone());
        document
    }
}

async fn request_text(endpoint: &dyn Endpoint, uri: &lsp::Uri, cx: &RequestCx) -> Result<String, String> {
    match endpoint.virtual_text(uri, cx).await {
        Ok(Some(text)) if !text.is_empty() => Ok(text),
        Ok(Some(_)) => Err(format!("no text: {} has no source of it", endpoint.id())),
        Ok(None) => match uri::scheme(uri) {
            Some(scheme) => Err(format!("no text: {} gives none for `{scheme}:`", endpoint.id())),
            None => Err("no text".to_owned()),
        },
        Err(error) => Err(clean_line(&format!("no text: {error}"))),
    }
}
