//! The server's requests without a connection, for programs with their own workspace.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;
use zubi_base::position::Encoding;

use crate::capabilities::capabilities;
use crate::request::{Answer, Cancel, Method, RequestError};
use crate::requests;
use crate::settings::ClientSettings;
use crate::snapshot::Snapshot;

/// Requests that the server answers from a snapshot.
pub struct InProcessRequests(BTreeMap<String, Arc<Method>>);

impl Default for InProcessRequests {
    fn default() -> Self {
        Self::new()
    }
}

impl InProcessRequests {
    /// Encoding of columns in params and results.
    pub const ENCODING: Encoding = ClientSettings::PROGRAM_ENCODING;

    /// Creates the table of all requests.
    pub fn new() -> Self {
        Self(requests::table().into_requests())
    }

    /// Whether there is a request of this name.
    pub fn has(&self, method: &str) -> bool {
        self.0.contains_key(method)
    }

    /// Returns the server capabilities, as in the result of `initialize`.
    pub fn capabilities() -> Value {
        // Serialization fails only for maps whose keys are not strings.
        serde_json::to_value(capabilities(&ClientSettings::for_program())).unwrap_or_default()
    }

    /// Answers a request, as the server would for a client without open documents that supports Markdown, nested
    /// symbols, definition links, document and file edits, and pulls diagnostics; but no snippets, no related
    /// documents, no links in explanations, and no requests from the server.
    ///
    /// # Errors
    ///
    /// Same errors as the server's. An unknown method is [`RequestError::Failed`].
    pub fn answer(&self, snapshot: &Snapshot, method: &str, params: Value) -> Answer {
        match self.0.get(method).map(|method| &**method) {
            Some(Method::Query { run, .. }) => run(snapshot.clone(), params, &Cancel::default()),
            Some(Method::Start(_)) | None => Err(RequestError::Failed(format!("there is no request `{method}`"))),
        }
    }
}
