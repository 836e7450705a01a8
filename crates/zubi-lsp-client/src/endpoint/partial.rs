//! Responses that a server sends in parts.

use serde_json::Value;

/// Merges the parts of a response (LSP 3.18, "Partial Result Progress"); the final response is one more part.
pub(super) fn merge_partial(parts: Vec<Value>, last: Value) -> Value {
    if parts.is_empty() {
        return last;
    }
    let mut all_items = Vec::new();
    let mut object: Option<serde_json::Map<String, Value>> = None;
    for part in parts.into_iter().chain(std::iter::once(last)) {
        match part {
            Value::Array(items) => all_items.extend(items),
            // `{items: […]}` (workspace diagnostics): the lists are joined; other fields come from the first part.
            Value::Object(mut partial) => {
                if let Some(Value::Array(items)) = partial.remove("items") {
                    all_items.extend(items);
                }
                object.get_or_insert(partial);
            }
            _ => {}
        }
    }
    match object {
        Some(mut object) => {
            object.insert("items".to_owned(), Value::Array(all_items));
            Value::Object(object)
        }
        None => Value::Array(all_items),
    }
}
