//! Parsing and validation of IPC parameters.

use std::any::TypeId;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::error::EditorServiceError;

/// Parses typed parameters. `null` counts as an object without fields. Unknown fields are rejected: a client that
/// misspells a filter must not receive everything.
pub(super) fn parse<T: DeserializeOwned + JsonSchema + 'static>(params: Value) -> Result<T, EditorServiceError> {
    let params = match params {
        Value::Null => Value::Object(serde_json::Map::new()),
        Value::Object(_) => params,
        _ => return Err(EditorServiceError::invalid("params", "must be an object")),
    };
    let fields = fields::<T>();
    let unknown = params.as_object().and_then(|members| members.keys().find(|name| !fields.contains(name)));
    if let Some(unknown) = unknown {
        let valid_names = if fields.is_empty() { "none".to_owned() } else { fields.join(", ") };
        let unknown: String = unknown.chars().take(80).collect();
        return Err(EditorServiceError::invalid(&unknown, format!("unknown parameter; valid: {valid_names}")));
    }
    serde_path_to_error::deserialize(params).map_err(|error| {
        let path = error.path().to_string();
        let message = error.into_inner().to_string();
        // serde reports a missing field by name, without a path.
        let missing = || message.strip_prefix("missing field `").and_then(|rest| rest.split('`').next());
        let field = if path == "." { missing().unwrap_or("params").to_owned() } else { path };
        EditorServiceError::invalid(&field, message)
    })
}

/// Checks that a method without parameters received none.
pub(super) fn no_params(params: &Value) -> Result<(), EditorServiceError> {
    match params {
        Value::Null => Ok(()),
        Value::Object(given) => match given.keys().next() {
            None => Ok(()),
            Some(name) => Err(EditorServiceError::invalid(name, "this method has no parameters")),
        },
        _ => Err(EditorServiceError::invalid("params", "must be an object")),
    }
}

/// Returns the names of a type's fields, from its schema.
fn fields<T: JsonSchema + 'static>() -> Vec<String> {
    debug_assert_ne!(TypeId::of::<T>(), TypeId::of::<Value>(), "any value has no fields");
    let schema = schemars::schema_for!(T);
    let properties = schema.get("properties").and_then(Value::as_object);
    properties.map(|properties| properties.keys().cloned().collect()).unwrap_or_default()
}
