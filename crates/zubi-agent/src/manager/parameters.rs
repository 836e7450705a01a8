//! Parameters of requests: what is unknown is told, what is too long is refused.

use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::chat::ChatError;
use crate::run;
use crate::wire::SendParams;

/// The longest text that is said, in bytes.
pub(super) const MAX_TEXT: usize = 1024 * 1024;
/// The longest text of other kinds, in bytes: instructions, schemas, what the model is told with a no.
pub(super) const MAX_LINES: usize = 256 * 1024;
/// The longest query or name, in bytes.
pub(super) const MAX_WORDS: usize = 1000;
/// How many patterns of tools a turn may have.
const MAX_PATTERNS: usize = 200;

/// The parameters of a method; none at all count as an empty object.
pub(super) fn parameters<T: DeserializeOwned>(params: Value) -> Result<T, ChatError> {
    let params = if params.is_null() { Value::Object(serde_json::Map::new()) } else { params };
    serde_json::from_value(params).map_err(|error| ChatError::Invalid(error.to_string()))
}

/// A method has no parameters.
pub(super) fn expect_no_params(params: &Value) -> Result<(), ChatError> {
    match params {
        Value::Null => Ok(()),
        Value::Object(fields) if fields.is_empty() => Ok(()),
        _ => Err(ChatError::Invalid("this method has no parameters".to_owned())),
    }
}

/// A text is not too long.
pub(super) fn check_length(name: &str, text: Option<&str>, most: usize) -> Result<(), ChatError> {
    match text {
        Some(text) if text.len() > most => Err(ChatError::Invalid(format!(
            "`{name}` has {} bytes, and at most {most} are taken. Shorten it.",
            text.len()
        ))),
        _ => Ok(()),
    }
}

/// What is to be said can be said.
pub(super) fn validate_send(send: SendParams) -> Result<SendParams, ChatError> {
    check_length("text", Some(&send.text), MAX_TEXT)?;
    if send.text.trim().is_empty() {
        return Err(ChatError::Invalid("`text` is empty. Say what is to be done.".to_owned()));
    }
    check_length("model", send.model.as_deref(), MAX_WORDS)?;
    check_length("instructions", send.instructions.as_deref(), MAX_LINES)?;
    check_length("schema", send.schema.as_ref().map(Value::to_string).as_deref(), MAX_LINES)?;
    if let Some(Err(why)) = send.schema.as_ref().map(run::check_schema) {
        return Err(ChatError::Invalid(format!(
            "the schema of the final answer cannot be used: {why}. Correct it and ask again."
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

/// A title is one.
pub(super) fn title(title: &str) -> Result<String, ChatError> {
    check_length("title", Some(title), MAX_WORDS)?;
    let title = title.split_whitespace().collect::<Vec<_>>().join(" ");
    if title.is_empty() { Err(ChatError::Invalid("`title` is empty".to_owned())) } else { Ok(title) }
}
