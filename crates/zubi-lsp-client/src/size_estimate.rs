//! How much memory a piece of JSON holds, roughly: what is kept of what a server says is bounded by this.

use serde_json::Value;

/// What a value costs besides its text, in bytes: the value itself and its share of the container.
const PER_VALUE: usize = 80;

/// The memory a value holds, in bytes. An estimate, within a factor of two.
pub(crate) fn estimated_size(value: &Value) -> usize {
    let own = match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
        Value::String(text) => text.len(),
        Value::Array(items) => items.iter().map(estimated_size).sum(),
        // Recursion is bounded: the parser refuses more than 128 levels.
        Value::Object(fields) => fields.iter().map(|(name, value)| name.len() + estimated_size(value)).sum(),
    };
    PER_VALUE + own
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn everything_counts() {
        assert_eq!(estimated_size(&json!(null)), PER_VALUE);
        assert_eq!(estimated_size(&json!({ "name": ["text", 1] })), 4 * PER_VALUE + "name".len() + "text".len());
    }
}
