//! The editor as an endpoint: it answers LSP requests with the language servers of its user and with unsaved texts.
//! Most submodules correct differences between the editor's commands and LSP.

mod actions;
mod capabilities;
mod connection;
pub(crate) mod diagnostics;
mod hovers;
mod locations;
mod path_mapping;
mod references;
mod symbols;

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use dlang_server::ClientError;
use serde_json::{Value, json};
use tokio::sync::watch;
use zubi_base::endpoint::{
    Caveats, DiagnosticsReport, DocumentRef, Endpoint, EndpointError, EndpointId, EndpointSource, Endpoints,
    MissingServer, OMITTED_COUNT_FIELD, Readiness, RequestCx,
};
use zubi_base::position::Encoding;
use zubi_host::editor_state::ViewError;

pub(crate) use self::connection::Editor;
use self::diagnostics::{DIAGNOSTICS, VALIDATE};

/// File extension of DomainLang. This process serves such files; the editor would only send the requests back.
pub(crate) const DOMAINLANG: &str = "dlang";

#[async_trait]
impl Endpoint for Editor {
    fn id(&self) -> &EndpointId {
        &self.id
    }

    fn serves(&self, document: &DocumentRef) -> bool {
        document.path.extension() != Some(DOMAINLANG)
    }

    fn readiness(&self) -> Readiness {
        // An editor does not report the progress of its servers.
        Readiness::Unknown { elapsed: self.connected.elapsed() }
    }

    fn readiness_changes(&self) -> watch::Receiver<Readiness> {
        self.readiness.subscribe()
    }

    fn encoding(&self) -> Encoding {
        self.encoding
    }

    async fn supports(&self, method: &str, _document: Option<&DocumentRef>, _cx: &RequestCx) -> bool {
        self.answers(method)
    }

    fn capabilities(&self) -> Value {
        capabilities::lsp_capabilities(self)
    }

    fn allows_command(&self, _command: &str) -> bool {
        false
    }

    fn caveats(&self, _document: Option<&DocumentRef>) -> Caveats {
        Caveats::default()
    }

    async fn request(&self, method: &str, params: Value, cx: &RequestCx) -> Result<Value, EndpointError> {
        match method {
            "textDocument/references" => return references::request_references(self, method, params, cx).await,
            "textDocument/codeAction" => return actions::request_actions(self, method, params, cx).await,
            _ => {}
        }
        let result = self.request_with_links(method, params, cx).await?;
        Ok(match method {
            "textDocument/definition"
            | "textDocument/declaration"
            | "textDocument/typeDefinition"
            | "textDocument/implementation" => locations::dedup_locations(result),
            "textDocument/hover" => hovers::merge(result),
            "textDocument/completion" => incomplete(result),
            // The editor returns null for a document without symbols.
            "textDocument/documentSymbol" if result.is_null() => json!([]),
            "workspace/symbol" => symbols::normalize_symbols(self, result),
            _ => result,
        })
    }

    async fn diagnostics(&self, document: &DocumentRef, cx: &RequestCx) -> Result<DiagnosticsReport, EndpointError> {
        let mut report =
            self.diagnostics(DIAGNOSTICS, &document.path, cx).await.map_err(|error| self.diagnostics_error(&error))?;
        // A query of a folder would open every file in it.
        if !report.is_current && (report.is_open || !cx.is_batch) && self.answers(VALIDATE) {
            report =
                self.diagnostics(VALIDATE, &document.path, cx).await.map_err(|error| self.diagnostics_error(&error))?;
        }
        let note = (!report.is_open).then(|| NOT_OPEN.to_owned());
        Ok(DiagnosticsReport { items: report.items, current: report.is_current, is_partial: !report.is_current, note })
    }
}

/// Marks a truncated completion list as incomplete, so that typing more returns the omitted items.
fn incomplete(mut proposals: Value) -> Value {
    if proposals.get(OMITTED_COUNT_FIELD).is_some() {
        proposals["isIncomplete"] = Value::Bool(true);
    }
    proposals
}

/// Note for a file that is not open in the editor.
const NOT_OPEN: &str =
    "not open in the editor, whose servers may not have analysed it: `editor` with `validate_file` opens it";

impl Editor {
    fn diagnostics_error(&self, error: &ViewError) -> EndpointError {
        let (endpoint, method) = (self.id.clone(), DIAGNOSTICS.to_owned());
        match error {
            ViewError::Unsupported => EndpointError::Unsupported { endpoint, method },
            ViewError::Cancelled => EndpointError::Cancelled,
            ViewError::Disconnected => self.error(ClientError::Closed, DIAGNOSTICS),
            ViewError::TimedOut => EndpointError::TimedOut { endpoint, method, after: Duration::ZERO },
            ViewError::Loading | ViewError::Failed(_) => {
                EndpointError::Protocol { endpoint, message: error.to_string() }
            }
        }
    }
}

/// Endpoint source with the editor as its only endpoint.
pub(crate) struct EditorSource {
    editor: Arc<Editor>,
    /// Whether other servers answer what the editor does not support; then a missing method needs no message.
    has_others: bool,
}

impl EditorSource {
    pub(crate) fn new(editor: Arc<Editor>, has_others: bool) -> Self {
        Self { editor, has_others }
    }

    fn endpoints(&self, method: &str) -> Endpoints {
        if self.editor.answers(method) {
            return Endpoints {
                endpoints: vec![Arc::clone(&self.editor) as Arc<dyn Endpoint>],
                ..Endpoints::default()
            };
        }
        if self.has_others {
            return Endpoints::default();
        }
        absent(MissingServer {
            subject: method.to_owned(),
            reason: format!("the editor does not answer `{method}` here"),
            hint: "`zubi mcp` has language servers of its own".to_owned(),
        })
    }
}

fn absent(absent: MissingServer) -> Endpoints {
    Endpoints { absent: vec![absent], ..Endpoints::default() }
}

#[async_trait]
impl EndpointSource for EditorSource {
    async fn for_document(&self, document: &DocumentRef, method: &str, _cx: &RequestCx) -> Endpoints {
        if self.editor.serves(document) { self.endpoints(method) } else { Endpoints::default() }
    }

    async fn for_workspace(&self, method: &str, _cx: &RequestCx) -> Endpoints {
        self.endpoints(method)
    }

    fn editor(&self) -> Option<Arc<dyn Endpoint>> {
        Some(Arc::clone(&self.editor) as Arc<dyn Endpoint>)
    }

    async fn refresh(&self, _cx: &RequestCx) -> Option<String> {
        // The editor watches files itself.
        None
    }

    fn file_changes(&self) -> Option<u64> {
        None
    }

    async fn shutdown(&self) {
        // The editor is not started by this process.
    }
}
