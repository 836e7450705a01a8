//! Merges settings with restrictions, and a user's rows with built-in ones.

use serde_json::Value;

/// Returns `base` with `over` laid on top: objects key by key, anything else replaced. `Null` in `over` changes
/// nothing.
pub(super) fn merge_values(base: &Value, over: &Value) -> Value {
    match (base, over) {
        (_, Value::Null) => base.clone(),
        (Value::Object(base), Value::Object(over)) => {
            let mut result = base.clone();
            for (key, value) in over {
                let value = result.get(key).map_or_else(|| value.clone(), |own| merge_values(own, value));
                result.insert(key.clone(), value);
            }
            Value::Object(result)
        }
        _ => over.clone(),
    }
}

/// Merges a user's row into a built-in one, by the rules of [`merge_values`].
pub(super) fn merge_tables(base: &mut toml::Table, over: toml::Table) {
    for (key, value) in over {
        match (base.get_mut(&key), value) {
            (Some(toml::Value::Table(base)), toml::Value::Table(over)) => merge_tables(base, over),
            (_, value) => {
                base.insert(key, value);
            }
        }
    }
}
