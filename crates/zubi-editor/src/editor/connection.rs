//! The connection to an open editor: its requests, notifications and errors.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use dlang_server::{ClientError, ClientHandle, RequestId};
use serde_json::{Value, json};
use tokio::sync::{oneshot, watch};
use zubi_base::endpoint::{EndpointError, EndpointId, Readiness, RequestCx};
use zubi_base::position::Encoding;

use super::path_mapping::map_uris;
use crate::pushed_state::PushedState;
use crate::wire::EDITOR_REQUEST;
use crate::wire::editor::EditorRequestParams;

/// JSON-RPC's error code for an unknown method.
const METHOD_NOT_FOUND: i32 = -32601;

/// LSP's error codes for a request that the client or the server has cancelled.
const CANCELLED: [i32; 2] = [-32800, -32802];

/// An open editor.
pub(crate) struct Editor {
    pub(super) id: EndpointId,
    client: ClientHandle,
    /// Methods of the LSP requests that the editor answers.
    methods: BTreeSet<String>,
    pub(crate) encoding: Encoding,
    pub(crate) pushed_state: Arc<PushedState>,
    pub(super) connected: Instant,
    pub(super) readiness: watch::Sender<Readiness>,
}

impl Editor {
    pub(crate) fn new(
        client: ClientHandle,
        methods: BTreeSet<String>,
        encoding: Encoding,
        pushed_state: Arc<PushedState>,
    ) -> Self {
        let readiness = watch::Sender::new(Readiness::Unknown { elapsed: Duration::ZERO });
        Self { id: "editor".into(), client, methods, encoding, pushed_state, connected: Instant::now(), readiness }
    }

    /// Whether the editor answers an LSP request.
    pub(crate) fn answers(&self, method: &str) -> bool {
        self.methods.contains(method)
    }

    /// Sends a notification to the editor.
    pub(crate) fn notify(&self, method: &str, params: Value) {
        self.client.notify(method, params);
    }

    /// Sends an LSP request to the editor.
    pub(crate) async fn request(&self, method: &str, params: Value, cx: &RequestCx) -> Result<Value, EndpointError> {
        let request = EditorRequestParams { method: method.to_owned(), params };
        self.send(EDITOR_REQUEST, method, json!(request), cx).await
    }

    /// Sends an LSP request. Paths have resolved links in the params and in the result.
    pub(super) async fn request_with_links(
        &self,
        method: &str,
        params: Value,
        cx: &RequestCx,
    ) -> Result<Value, EndpointError> {
        let links = self.pushed_state.links();
        let resolved: Vec<_> = links.iter().map(|(linked, target)| (target.clone(), linked.clone())).collect();
        let result = self.request(method, map_uris(params, &resolved), cx).await?;
        Ok(map_uris(result, &links))
    }

    /// Sends a request of the channel; `what` is its name in errors.
    pub(crate) async fn send(
        &self,
        request: &str,
        what: &str,
        params: Value,
        cx: &RequestCx,
    ) -> Result<Value, EndpointError> {
        let (sender, answer) = oneshot::channel();
        let started = Instant::now();
        let id = self.client.request(request, params, move |result| {
            // The receiver is gone if the caller no longer waits.
            sender.send(result).ok();
        });
        // Cancels the request, also if this future is dropped.
        let _guard = RequestGuard { client: &self.client, id };
        tokio::select! {
            answer = answer => match answer {
                Ok(Ok(result)) => Ok(result),
                Ok(Err(error)) => Err(self.error(error, what)),
                Err(_) => Err(self.error(ClientError::Closed, what)),
            },
            () = cx.cancel.cancelled() => Err(EndpointError::Cancelled),
            () = tokio::time::sleep_until(cx.deadline.into()) => {
                Err(EndpointError::TimedOut { endpoint: self.id.clone(), method: what.to_owned(), after: started.elapsed() })
            }
        }
    }

    pub(super) fn error(&self, error: ClientError, method: &str) -> EndpointError {
        let (endpoint, method) = (self.id.clone(), method.to_owned());
        match error {
            ClientError::Refused { code: METHOD_NOT_FOUND, .. } => EndpointError::Unsupported { endpoint, method },
            ClientError::Refused { code, .. } if CANCELLED.contains(&code) => EndpointError::Cancelled,
            ClientError::Refused { code, message } => {
                EndpointError::Server { endpoint, method, code: code.into(), message }
            }
            ClientError::Closed => EndpointError::Exited {
                endpoint,
                reason: "it has closed the connection".to_owned(),
                hint: "Open the folder in the editor again.".to_owned(),
            },
        }
    }
}

/// Cancels a request on drop; without effect if it has been answered.
struct RequestGuard<'a> {
    client: &'a ClientHandle,
    id: RequestId,
}

impl Drop for RequestGuard<'_> {
    fn drop(&mut self) {
        self.client.cancel(&self.id);
    }
}
