//! The server's requests without a connection: for a program that has a workspace of its own.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;
use zubi_base::position::Encoding;

use crate::capabilities::capabilities;
use crate::methods::{Answer, Cancel, Method, RequestError};
use crate::requests;
use crate::settings::Settings;
use crate::snapshot::Snapshot;

/// The requests that a server answers of a snapshot.
pub struct InProcessRequests(BTreeMap<String, Arc<Method>>);

impl Default for InProcessRequests {
    fn default() -> Self {
        Self::new()
    }
}

impl InProcessRequests {
    /// What columns count in parameters and answers: that of the texts themselves, so that nothing is converted.
    pub const ENCODING: Encoding = Encoding::Utf8;

    /// All of them.
    pub fn new() -> Self {
        Self(requests::table().into_requests())
    }

    /// Whether a request is one of them.
    pub fn has(&self, method: &str) -> bool {
        self.0.contains_key(method)
    }

    /// What `initialize` would say.
    pub fn capabilities() -> Value {
        // Plain data without maps that have other keys than strings.
        serde_json::to_value(capabilities(&Settings::of_program(Self::ENCODING))).unwrap_or_default()
    }

    /// The answer to a request, as the server would give it to a client that has nothing open, reads Markdown, nested symbols,
    /// links to definitions and edits of documents and files, and asks for diagnostics; but that takes no snippets, no related
    /// documents and no links in explanations, and is never called back.
    ///
    /// # Errors
    ///
    /// As the server's. A method that it does not have is [`RequestError::Failed`].
    pub fn answer(&self, snapshot: &Snapshot, method: &str, params: Value) -> Answer {
        match self.0.get(method).map(|method| &**method) {
            Some(Method::Ask { run, .. }) => run(snapshot.clone(), params, &Cancel::default()),
            Some(Method::Start(_)) | None => Err(RequestError::Failed(format!("there is no request `{method}`"))),
        }
    }
}
