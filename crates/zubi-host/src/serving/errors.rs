//! The errors of responses.

use serde_json::json;
use zubi_base::framing::ResponseError;
use zubi_ipc::wire::codes;

pub(super) fn error(code: i64, message: impl Into<String>) -> ResponseError {
    ResponseError { code, message: message.into(), data: None }
}

/// The error for a request that is not allowed over the port, which is read-only.
pub(super) fn socket_only_error(name: &str) -> ResponseError {
    error(codes::UNAUTHENTICATED, format!("{name} is not available over the port; connect to the host's socket"))
}

pub(super) fn invalid(field: &str, message: impl Into<String>) -> ResponseError {
    ResponseError { code: codes::INVALID_PARAMS, message: message.into(), data: Some(json!({ "field": field })) }
}
