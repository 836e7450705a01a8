//! DomainLang as a language server endpoint: the code tools work on models without installation.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use camino::Utf8PathBuf;
use dlang_server::{InProcessRequests, RequestError, Snapshot};
use dlang_workspace::WorkspaceSnapshot;
use dlang_workspace::files::{EXTENSION, LOCK, MANIFEST};
use dlang_workspace::queries::QueryError;
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use zubi_base::endpoint::{
    Caveats, DiagnosticsReport, DocumentRef, Endpoint, EndpointError, EndpointId, EndpointSource, Endpoints, Readiness,
    RequestCx,
};
use zubi_base::framing::ResponseError;
use zubi_base::lsp;
use zubi_base::position::Encoding;

use super::model::{DomainModel, DomainModelError, ModelCallContext};

/// Endpoint id in answers.
const ID: &str = "domainlang";

/// Method that returns the diagnostics of a document.
const DIAGNOSTICS: &str = "textDocument/diagnostic";

/// The workspace's model with the interface of a language server.
struct DomainLangEndpoint {
    id: EndpointId,
    model: Arc<DomainModel>,
    requests: Arc<InProcessRequests>,
    readiness: watch::Sender<Readiness>,
    /// Manifest and lock files of the models. Other programs use these file names too.
    manifests: Mutex<BTreeSet<Utf8PathBuf>>,
}

/// Endpoint source with one endpoint.
pub(super) struct DomainLangSource {
    endpoint: Arc<DomainLangEndpoint>,
    /// Task that waits until the model is loaded.
    loading: Mutex<Option<JoinHandle<()>>>,
}

impl DomainLangSource {
    pub(super) fn new(model: &Arc<DomainModel>) -> Self {
        let endpoint = Arc::new(DomainLangEndpoint {
            id: ID.into(),
            model: Arc::clone(model),
            requests: Arc::new(InProcessRequests::new()),
            readiness: watch::Sender::new(Readiness::Starting),
            manifests: Mutex::default(),
        });
        Self { endpoint, loading: Mutex::default() }
    }

    /// Returns the endpoint; the first query starts loading the model. Retries a failed load.
    fn endpoints(&self) -> Endpoints {
        let mut loading = self.loading.lock().unwrap_or_else(PoisonError::into_inner);
        let is_ready = *self.endpoint.readiness.borrow() == Readiness::Ready;
        if !is_ready && loading.as_ref().is_none_or(JoinHandle::is_finished) {
            let endpoint = Arc::clone(&self.endpoint);
            endpoint.readiness.send_replace(Readiness::Starting);
            *loading = Some(tokio::spawn(async move { endpoint.load().await }));
        }
        Endpoints { endpoints: vec![Arc::clone(&self.endpoint) as Arc<dyn Endpoint>], ..Endpoints::default() }
    }

    fn stop(&self) {
        if let Some(loading) = self.loading.lock().unwrap_or_else(PoisonError::into_inner).take() {
            loading.abort();
        }
    }
}

impl Drop for DomainLangSource {
    fn drop(&mut self) {
        self.stop();
    }
}

#[async_trait]
impl EndpointSource for DomainLangSource {
    async fn for_document(&self, document: &DocumentRef, method: &str, cx: &RequestCx) -> Endpoints {
        if matches!(document.path.file_name(), Some(MANIFEST | LOCK)) {
            // Only diagnostics are available for manifests and lock files.
            if method != DIAGNOSTICS {
                return Endpoints::default();
            }
            self.endpoint.refresh_manifests(cx).await;
        }
        if self.endpoint.serves(document) { self.endpoints() } else { Endpoints::default() }
    }

    async fn for_workspace(&self, method: &str, cx: &RequestCx) -> Endpoints {
        if method == DIAGNOSTICS {
            self.endpoint.refresh_manifests(cx).await;
        }
        // Answers about workspaces without models do not mention DomainLang.
        self.endpoint.model.wait_until_known(&cx.cancel).await;
        if self.endpoint.model.has_models().await { self.endpoints() } else { Endpoints::default() }
    }

    async fn refresh(&self, _cx: &RequestCx) -> Option<String> {
        // The model compares its files with the disk at each query.
        None
    }

    fn file_changes(&self) -> Option<u64> {
        // Its files are workspace files, and the source for all other languages watches them.
        Some(0)
    }

    async fn shutdown(&self) {
        self.stop();
    }
}

impl DomainLangEndpoint {
    /// Updates the list of manifests and locks that belong to the workspace's models.
    async fn refresh_manifests(&self, cx: &RequestCx) {
        if !self.model.has_models().await {
            return;
        }
        let query = |snapshot: &WorkspaceSnapshot| {
            let texts = snapshot.modules().iter().flat_map(|module| module.own_texts());
            Ok::<_, DomainModelError>(texts.map(|text| snapshot.real_path(text.path).into_owned()).collect())
        };
        // If the query fails, no manifest counts as checked.
        let found = self.model.query(&ModelCallContext::without_deadline(&cx.cancel), query).await.unwrap_or_default();
        *self.manifests.lock().unwrap_or_else(PoisonError::into_inner) = found;
    }

    /// Waits until the model is loaded. Until then it cannot answer, so its readiness is "starting", not "loading".
    async fn load(&self) {
        let cancel = CancellationToken::new();
        // Clients have their own time-outs; this task only observes.
        let deadline = Instant::now() + Duration::from_hours(24);
        let context = ModelCallContext { cancel: &cancel, deadline, progress: &|_| {} };
        let loaded = self.model.query(&context, |_| Ok::<_, DomainModelError>(())).await;
        self.readiness.send_replace(match loaded {
            Ok(()) | Err(DomainModelError::Changing) => Readiness::Ready,
            Err(error) => {
                let (reason, hint) = failure(&error);
                Readiness::Failed { reason, hint }
            }
        });
    }

    fn endpoint_error_of(&self, error: DomainModelError, method: &str, started: Instant) -> EndpointError {
        let (endpoint, method) = (self.id.clone(), method.to_owned());
        let server =
            |code, message| EndpointError::Server { endpoint: self.id.clone(), method: method.clone(), code, message };
        match error {
            DomainModelError::Changing => server(RequestError::Cancelled.code().into(), error.to_string()),
            DomainModelError::Loading(_) => EndpointError::TimedOut { endpoint, method, after: started.elapsed() },
            DomainModelError::Cancelled => EndpointError::Cancelled,
            DomainModelError::Invalid(input) => {
                let error = RequestError::from(QueryError::from(input));
                server(error.code().into(), error.to_string())
            }
            DomainModelError::Internal(error) => server(ResponseError::INTERNAL_ERROR, format!("{error:#}")),
            DomainModelError::Load(_) => {
                let (reason, hint) = failure(&error);
                EndpointError::Exited { endpoint, reason, hint }
            }
        }
    }
}

fn endpoint_error(method: &str, error: &RequestError) -> EndpointError {
    let (code, message) = (error.code().into(), error.to_string());
    EndpointError::Server { endpoint: ID.into(), method: method.to_owned(), code, message }
}

/// Returns the reason why the model is unavailable, and a hint.
fn failure(error: &DomainModelError) -> (String, String) {
    let hint = match error {
        DomainModelError::Load(_) => "Check that it exists, then try again.",
        _ => "Try again; if that does not help, it is a bug in zubi.",
    };
    (error.to_string(), hint.to_owned())
}

/// Returns the reason why a document is not part of the model and cannot be queried; `None` if it is part of it.
fn exclusion_reason(
    snapshot: &WorkspaceSnapshot,
    documents: &[DocumentRef],
) -> Result<Option<String>, DomainModelError> {
    for document in documents {
        let file = snapshot.file(&document.path).map_err(|_| DomainModelError::Changing)?;
        if file.is_none() && document.path.extension() == Some(EXTENSION) {
            let path = snapshot.show(&snapshot.workspace_path(&document.path));
            let reason = "it is ignored or outside the workspace folders, and nothing imports it";
            return Ok(Some(format!("`{path}` is not part of the model: {reason}")));
        }
    }
    Ok(None)
}

#[async_trait]
impl Endpoint for DomainLangEndpoint {
    fn id(&self) -> &EndpointId {
        &self.id
    }

    fn serves(&self, document: &DocumentRef) -> bool {
        let is_model = document.path.extension() == Some(EXTENSION);
        is_model || self.manifests.lock().unwrap_or_else(PoisonError::into_inner).contains(&document.path)
    }

    fn language_id(&self, document: &DocumentRef) -> Option<String> {
        // Files of models without the `.dlang` extension are YAML.
        let id = if document.path.extension() == Some(EXTENSION) { "domain-lang" } else { "yaml" };
        Some(id.to_owned())
    }

    fn readiness(&self) -> Readiness {
        self.readiness.borrow().clone()
    }

    fn readiness_changes(&self) -> watch::Receiver<Readiness> {
        self.readiness.subscribe()
    }

    fn encoding(&self) -> Encoding {
        InProcessRequests::ENCODING
    }

    async fn supports(&self, method: &str, _document: Option<&DocumentRef>, cx: &RequestCx) -> bool {
        let mut readiness = self.readiness.subscribe();
        let loaded = readiness.wait_for(|readiness| *readiness != Readiness::Starting);
        let loaded = tokio::select! {
            loaded = tokio::time::timeout_at(cx.deadline.into(), loaded) => matches!(loaded, Ok(Ok(_))),
            () = cx.cancel.cancelled() => false,
        };
        loaded && self.requests.has(method)
    }

    fn capabilities(&self) -> Value {
        InProcessRequests::capabilities()
    }

    fn allows_command(&self, _command: &str) -> bool {
        false
    }

    fn caveats(&self, _document: Option<&DocumentRef>) -> Caveats {
        Caveats::default()
    }

    async fn request(&self, method: &str, params: Value, cx: &RequestCx) -> Result<Value, EndpointError> {
        if !self.requests.has(method) {
            return Err(EndpointError::Unsupported { endpoint: self.id.clone(), method: method.to_owned() });
        }
        let started = Instant::now();
        let (requests, requested_method, documents) =
            (Arc::clone(&self.requests), method.to_owned(), cx.documents.clone());
        let query = move |snapshot: &WorkspaceSnapshot| {
            if let Some(reason) = exclusion_reason(snapshot, &documents)? {
                return Ok(Err(EndpointError::Document(reason)));
            }
            match requests.answer(&Snapshot::from_workspace(snapshot.clone()), &requested_method, params.clone()) {
                Ok(answer) => Ok(Ok(answer)),
                Err(RequestError::Cancelled) => Err(DomainModelError::Changing),
                Err(error) => Ok(Err(endpoint_error(&requested_method, &error))),
            }
        };
        let context = ModelCallContext { deadline: cx.deadline, ..ModelCallContext::without_deadline(&cx.cancel) };
        self.model.query(&context, query).await.map_err(|error| self.endpoint_error_of(error, method, started))?
    }

    async fn diagnostics(&self, document: &DocumentRef, cx: &RequestCx) -> Result<DiagnosticsReport, EndpointError> {
        let params = json!({ "textDocument": { "uri": document.uri() } });
        let answer = self.request(DIAGNOSTICS, params, &cx.for_document(document)).await?;
        let items = answer.get("items").cloned().unwrap_or_default();
        let items: Vec<lsp::Diagnostic> = serde_json::from_value(items).map_err(|error| EndpointError::Protocol {
            endpoint: self.id.clone(),
            message: format!("invalid diagnostics: {error}"),
        })?;
        Ok(DiagnosticsReport { items, current: true, is_partial: false, note: None })
    }
}
