//! Estimates the memory of a JSON value, to limit how much zubi stores of a server's messages.

use serde_json::Value;

/// The bytes of a value besides its text: the value itself and its share of the container.
const PER_VALUE: usize = 80;

/// Returns the estimated memory of a value in bytes, within a factor of two.
pub(crate) fn estimated_size(value: &Value) -> usize {
    let own = match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
        Value::String(text) => text.len(),
        Value::Array(items) => items.iter().map(estimated_size).sum(),
        // The recursion is limited: the parser refuses more than 128 levels.
        Value::Object(fields) => fields.iter().map(|(name, value)| name.len() + estimated_size(value)).sum(),
    };
    PER_VALUE + own
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn estimate_counts_keys_and_values() {
        assert_eq!(estimated_size(&json!(null)), PER_VALUE);
        assert_eq!(estimated_size(&json!({ "name": ["text", 1] })), 4 * PER_VALUE + "name".len() + "text".len());
    }
}
