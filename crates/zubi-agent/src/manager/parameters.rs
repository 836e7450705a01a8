//! Parameters of requests: unknown parameters are reported, and texts that are too long are refused.

use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::chat::ChatError;
use crate::run;
use crate::wire::SendParams;

/// The maximum length of a user's message, in bytes.
pub(super) const MAX_TEXT: usize = 1024 * 1024;
/// The maximum length of other texts, in bytes: instructions, schemas, and the text that a denial sends to the model.
pub(super) const MAX_LINES: usize = 256 * 1024;
/// The maximum length of a query or a name, in bytes.
pub(super) const MAX_WORDS: usize = 1000;
/// The maximum number of tool patterns of a turn.
const MAX_PATTERNS: usize = 200;

/// Parses the parameters of a method; missing parameters count as an empty object.
pub(super) fn parameters<T: DeserializeOwned>(params: Value) -> Result<T, ChatError> {
    let params = if params.is_null() { Value::Object(serde_json::Map::new()) } else { params };
    serde_json::from_value(params).map_err(|error| ChatError::Invalid(error.to_string()))
}

/// Checks that a method without parameters got none.
pub(super) fn expect_no_params(params: &Value) -> Result<(), ChatError> {
    match params {
        Value::Null => Ok(()),
        Value::Object(fields) if fields.is_empty() => Ok(()),
        _ => Err(ChatError::Invalid("this method has no parameters".to_owned())),
    }
}

/// Checks that a text is at most `max_bytes` bytes long.
pub(super) fn check_length(name: &str, text: Option<&str>, max_bytes: usize) -> Result<(), ChatError> {
    match text {
        Some(text) if text.len() > max_bytes => Err(ChatError::Invalid(format!(
            "`{name}` has {} bytes, but the limit is {max_bytes}. Shorten it.",
            text.len()
        ))),
        _ => Ok(()),
    }
}

/// Checks that the message can be sent.
pub(super) fn validate_send(send: SendParams) -> Result<SendParams, ChatError> {
    check_length("text", Some(&send.text), MAX_TEXT)?;
    if send.text.trim().is_empty() {
        return Err(ChatError::Invalid("`text` is empty. Describe the task.".to_owned()));
    }
    check_length("model", send.model.as_deref(), MAX_WORDS)?;
    check_length("instructions", send.instructions.as_deref(), MAX_LINES)?;
    check_length("schema", send.schema.as_ref().map(Value::to_string).as_deref(), MAX_LINES)?;
    if let Some(Err(why)) = send.schema.as_ref().map(run::check_schema) {
        return Err(ChatError::Invalid(format!(
            "cannot use the schema of the final answer: {why}. Correct the schema and try again."
        )));
    }
    if send.tools.len() > MAX_PATTERNS {
        return Err(ChatError::Invalid(format!("`tools` has more than {MAX_PATTERNS} patterns")));
    }
    for pattern in &send.tools {
        check_length("tools", Some(pattern), MAX_WORDS)?;
    }
    if send.max_iterations == Some(0) {
        return Err(ChatError::Invalid("`maxIterations` is at least 1".to_owned()));
    }
    Ok(send)
}

/// Checks a title and trims it.
pub(super) fn title(title: &str) -> Result<String, ChatError> {
    check_length("title", Some(title), MAX_WORDS)?;
    let title = title.split_whitespace().collect::<Vec<_>>().join(" ");
    if title.is_empty() { Err(ChatError::Invalid("`title` is empty".to_owned())) } else { Ok(title) }
}
