//! The symbols that a document declares.

use std::sync::Arc;

use camino::Utf8Path;
use serde_json::json;
use zubi_base::endpoint::{DocumentRef, Endpoints, Readiness};

use crate::error::CodeError;
use crate::features::index_search::SERVER_WAIT;
use crate::locate::describe_loading;
use crate::outline::{self, MAX_SYMBOLS, Outline, OutlineSymbol};
use crate::query::CodeQuery;
use crate::readiness::ReadinessLevel;
use crate::request::SearchEndpoints;
use crate::status::{AnswerSource, AnswerStatus, Completeness, QualifiedAnswer};

/// The request for the declarations of a file.
const METHOD: &str = "textDocument/documentSymbol";

impl CodeQuery<'_> {
    /// Returns the symbols of a document, from a cache until a file changes. Every request that names a symbol needs
    /// them, and for a file of 2,700 lines they are 140 KB of JSON.
    pub(crate) async fn declared_in(
        &self,
        path: &Utf8Path,
    ) -> Result<Arc<QualifiedAnswer<Vec<OutlineSymbol>>>, CodeError> {
        // Read before the first request, so that a later change makes the entry obsolete.
        let changes = self.intel.router.file_changes();
        let key = path.to_owned();
        // The number omits changes of unwatched files (ignored files, libraries), so zubi compares the text as well.
        let text = Arc::clone(&self.document(path).await?.text);
        if let Some(cached) = self.intel.outlines.get(changes, &key).filter(|cached| cached.text == text) {
            return Ok(Arc::clone(&cached.answer));
        }
        let found = self.find_endpoints(&DocumentRef::new(path), METHOD).await;
        let outline = Arc::new(self.request_outline(path, found).await?);
        // A loading server's outline may be incomplete; one by syntax is temporary, as a server may get installed.
        let ready = outline.status.endpoints.iter().all(|state| matches!(state.readiness, Readiness::Ready));
        let complete = ready
            && outline.status.completeness == Completeness::Complete
            && outline.status.source == AnswerSource::Servers;
        // A freshness note belongs to this answer only.
        if complete && self.freshness.is_none() {
            self.intel.outlines.insert(changes, key, &Arc::new(Outline { text, answer: Arc::clone(&outline) }));
        }
        Ok(outline)
    }

    /// Returns the symbols of a document from the first endpoint that has any, for display. While all servers of the file
    /// are starting, they come from the syntax if [`CallCx::may_use_index`] allows that.
    ///
    /// [`CallCx::may_use_index`]: crate::CallCx::may_use_index
    pub async fn outline(&self, path: &Utf8Path) -> Result<QualifiedAnswer<Vec<OutlineSymbol>>, CodeError> {
        let outline = match self.endpoints_of_outline(path).await {
            SearchEndpoints::Settled(found) => self.request_outline(path, found).await?,
            SearchEndpoints::Loading(starting) => match self.outline_before_start(path, &starting).await {
                Some(outline) => outline,
                None => self.request_outline(path, self.find_endpoints(&DocumentRef::new(path), METHOD).await).await?,
            },
        };
        if let Some(end) = outline.value.iter().map(|symbol| symbol.range.end()).max() {
            let document = self.document(path).await?;
            self.note_uncertain_position(&document, &self.workspace().display(path), end);
        }
        Ok(outline)
    }

    /// Returns the endpoints of a file, or that all of them are starting, so that the syntax can answer meanwhile.
    async fn endpoints_of_outline(&self, path: &Utf8Path) -> SearchEndpoints {
        let document = DocumentRef::new(path);
        let has_language = path.file_name().is_some_and(|name| self.intel.parser.has_language(name));
        if self.cx.may_use_index && has_language {
            return self.document_endpoints_within(&document, METHOD, SERVER_WAIT).await;
        }
        SearchEndpoints::Settled(self.find_endpoints(&document, METHOD).await)
    }

    /// Returns the declarations by syntax while the servers are starting, given as clauses. `None` without any: the servers
    /// may know some.
    async fn outline_before_start(
        &self,
        path: &Utf8Path,
        starting: &[String],
    ) -> Option<QualifiedAnswer<Vec<OutlineSymbol>>> {
        let outline = self.textual_outline(path, Vec::new()).await.ok();
        let mut outline = outline.filter(|outline| !outline.value.is_empty())?;
        outline.status.notes.push(describe_loading(starting));
        Some(outline)
    }

    async fn request_outline(
        &self,
        path: &Utf8Path,
        found: Endpoints,
    ) -> Result<QualifiedAnswer<Vec<OutlineSymbol>>, CodeError> {
        self.prefer_in_index(&[path]);
        let reference = DocumentRef::new(path);
        let ready = self.ready(found, Some(&reference), METHOD, "list the symbols of this file", ReadinessLevel::File);
        let ready = match ready.await {
            Err(error) => return self.textual_outline(path, error.absent_servers()?).await,
            Ok(ready) => ready,
        };
        let cx = self.request_cx().for_document(&reference);
        let replies =
            self.request_all(&ready, METHOD, &cx, |_| json!({ "textDocument": { "uri": reference.uri() } })).await;
        let replies = match replies {
            Err(error) => return self.textual_outline(path, error.absent_servers()?).await,
            Ok(replies) => replies,
        };
        let document = self.document(path).await?;
        let mut symbols = Vec::new();
        for reply in replies.replies {
            symbols = outline::parse(&reply.result, &document.index, reply.endpoint.encoding());
            if !symbols.is_empty() {
                break;
            }
        }
        outline::correct_kinds(&mut symbols, &document.text);
        let mut status = replies.status;
        // The endpoint may have reported them while it answered.
        let failures = ready.endpoints.iter().flat_map(|endpoint| endpoint.caveats(Some(&reference)).failures);
        status.merge(AnswerStatus { notes: failures.collect(), ..AnswerStatus::default() });
        let mut count = 0;
        outline::walk(&symbols, |_, _| count += 1);
        if count >= MAX_SYMBOLS {
            status.mark_incomplete(format!("zubi reads the first {MAX_SYMBOLS} symbols of a file only"));
        }
        Ok(QualifiedAnswer { value: symbols, status })
    }
}
