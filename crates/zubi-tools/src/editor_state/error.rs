//! Errors of editor requests.

use zubi_ipc::wire::codes;

/// JSON-RPC error of a request.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct EditorServiceError {
    /// One of [`zubi_ipc::wire::codes`].
    pub code: i64,
    /// Cause and remedy.
    pub message: String,
    /// The invalid parameter.
    pub field: Option<String>,
}

impl EditorServiceError {
    pub(super) fn new(code: i64, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), field: None }
    }

    pub(super) fn invalid(field: &str, problem: impl std::fmt::Display) -> Self {
        Self {
            code: codes::INVALID_PARAMS,
            message: format!("Invalid params: {field}: {problem}"),
            field: Some(field.to_owned()),
        }
    }
}
