//! A server's own request for the text of a document that is not a file.

use serde::Deserialize;
use serde_json::{Value, json};

/// The documents that the request is for, and its method. LSP has had `workspace/textDocumentContent` for it since
/// 3.18; servers had requests of their own before, all of one form: the document's URI in, its text out.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VirtualDocuments {
    /// Schemes of the URIs.
    pub schemes: Vec<String>,
    /// The method of the request.
    pub request: String,
}

/// Returns the params of such a request, LSP's own among them: some servers read the URI itself, others a text
/// document.
pub(crate) fn params(uri: &str) -> Value {
    json!({ "uri": uri, "textDocument": { "uri": uri } })
}

/// Returns the text in an answer: a bare string, or in an object (LSP 3.18, `TextDocumentContentResult`). An empty text
/// counts as missing.
pub(crate) fn text(answer: Value) -> Result<Option<String>, ()> {
    let text = match answer {
        Value::Null => return Ok(None),
        Value::String(text) => text,
        Value::Object(mut object) => match object.remove("text") {
            Some(Value::String(text)) => text,
            _ => return Err(()),
        },
        _ => return Err(()),
    };
    Ok((!text.trim().is_empty()).then_some(text))
}
