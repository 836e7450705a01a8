//! The selection of endpoints from all sources.

use std::sync::Arc;

use camino::Utf8PathBuf;
use futures_util::future::join_all;
use zubi_base::endpoint::{DocumentRef, Endpoint, EndpointSource, Endpoints, OtherProject, RequestCx};
use zubi_base::workspace::WorkspaceFolders;

use crate::external_files::ExternalFiles;

/// The sources of endpoints, in order of preference. Only the first source with an endpoint for a document is used: an
/// editor's servers and headless ones would return everything twice.
pub(crate) struct Router {
    sources: Vec<Arc<dyn EndpointSource>>,
    workspace: Arc<WorkspaceFolders>,
    external: Arc<ExternalFiles>,
}

impl Router {
    pub(crate) fn new(
        sources: Vec<Arc<dyn EndpointSource>>,
        workspace: Arc<WorkspaceFolders>,
        external: Arc<ExternalFiles>,
    ) -> Self {
        Self { sources, workspace, external }
    }

    pub(crate) async fn for_document(&self, document: &DocumentRef, method: &str, cx: &RequestCx) -> Endpoints {
        let is_external = !self.workspace.contains(&document.path);
        let shown = if is_external { self.external.origin_of(&document.path) } else { None };
        let mut absent = Vec::new();
        for source in &self.sources {
            let found = match &shown {
                None => source.for_document(document, method, cx).await,
                // The servers that named the file, which may not run in this process.
                Some(origin) => {
                    let mut found = match &origin.0 {
                        Some(origin) => source.for_document(&DocumentRef::new(origin.clone()), method, cx).await,
                        None => source.for_workspace(method, cx).await,
                    };
                    found.endpoints.retain(|endpoint| endpoint.serves(document));
                    found
                }
            };
            absent.extend(found.absent);
            if !found.endpoints.is_empty() {
                return Endpoints { endpoints: found.endpoints, absent, ..Endpoints::default() };
            }
        }
        Endpoints { absent, ..Endpoints::default() }
    }

    pub(crate) async fn for_workspace(&self, method: &str, cx: &RequestCx) -> Endpoints {
        let mut all = Endpoints::default();
        for source in &self.sources {
            let found = source.for_workspace(method, cx).await;
            all.endpoints.extend(found.endpoints);
            all.absent.extend(found.absent);
            all.uncovered = all.uncovered.or(found.uncovered);
        }
        all
    }

    /// Whether a running endpoint serves a document outside the workspace.
    pub(crate) async fn serves_external(&self, document: &DocumentRef, cx: &RequestCx) -> bool {
        let method = "textDocument/definition";
        let found = self.sources.iter().map(|source| source.for_document(document, method, cx));
        join_all(found).await.iter().any(|found| !found.endpoints.is_empty())
    }

    /// See [`EndpointSource::editor`].
    pub(crate) fn editor(&self) -> Option<Arc<dyn Endpoint>> {
        self.sources.iter().find_map(|source| source.editor())
    }

    /// See [`EndpointSource::has_other_projects`].
    pub(crate) async fn has_other_projects(&self, document: &DocumentRef, method: &str) -> bool {
        let requests = self.sources.iter().map(|source| source.has_other_projects(document, method));
        join_all(requests).await.contains(&true)
    }

    /// See [`EndpointSource::other_projects`].
    pub(crate) async fn other_projects(
        &self,
        document: &DocumentRef,
        method: &str,
        files: Vec<Utf8PathBuf>,
    ) -> Vec<OtherProject> {
        let requests = self.sources.iter().map(|source| source.other_projects(document, method, files.clone()));
        join_all(requests).await.concat()
    }

    pub(crate) async fn refresh(&self, cx: &RequestCx) -> Option<String> {
        let notes: Vec<_> = join_all(self.sources.iter().map(|source| source.refresh(cx))).await;
        let notes: Vec<_> = notes.into_iter().flatten().collect();
        (!notes.is_empty()).then(|| notes.join(" · "))
    }

    /// Returns the total number of file changes that the sources saw; see [`EndpointSource::file_changes`].
    pub(crate) fn file_changes(&self) -> Option<u64> {
        self.sources.iter().map(|source| source.file_changes()).sum()
    }

    /// See [`EndpointSource::restart`].
    pub(crate) async fn restart(&self) -> usize {
        join_all(self.sources.iter().map(|source| source.restart())).await.into_iter().sum()
    }

    pub(crate) async fn shutdown(&self) {
        join_all(self.sources.iter().map(|source| source.shutdown())).await;
    }
}
