//! Conversion of the output of `schemars` to the portable subset.

use serde_json::{Map, Value};

/// Keywords whose value is one schema.
const SINGLE_SCHEMA_KEYWORDS: [&str; 3] = ["items", "additionalProperties", "not"];
/// Keywords whose value is a list of schemas.
const COMPOSITION_KEYWORDS: [&str; 4] = ["anyOf", "oneOf", "allOf", "prefixItems"];

/// Rewrites a schema and everything inside it.
pub(super) fn make(schema: &mut Value) {
    let Value::Object(object) = schema else { return };
    object.remove("$schema");
    // A title only repeats the Rust name of the type. (A property named `title` is one level deeper.)
    if object.get("title").is_some_and(Value::is_string) {
        object.remove("title");
    }
    if object.get("default").is_some_and(Value::is_null) {
        object.remove("default");
    }
    // Rust's number widths are not JSON Schema formats; some clients refuse formats that they do not know.
    if object.get("format").and_then(Value::as_str).is_some_and(is_number_format) {
        object.remove("format");
    }
    // The item is optional because it is not `required`; null is dropped before validation.
    if let Some(Value::Array(types)) = object.get_mut("type") {
        types.retain(|name| name != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            object.insert("type".to_owned(), only);
        }
    }
    if let Some(Value::Array(values)) = object.get_mut("enum") {
        values.retain(|value| !value.is_null());
    }
    unwrap_nullable(object);
    constants_to_enum(object);
    unwrap_single(object);

    if let Some(Value::Object(properties)) = object.get_mut("properties") {
        properties.values_mut().for_each(make);
    }
    for key in SINGLE_SCHEMA_KEYWORDS {
        if let Some(inner) = object.get_mut(key) {
            make(inner);
        }
    }
    for key in COMPOSITION_KEYWORDS {
        if let Some(Value::Array(inner)) = object.get_mut(key) {
            inner.iter_mut().for_each(make);
        }
    }
}

fn is_number_format(format: &str) -> bool {
    format.starts_with("uint") || format.starts_with("int") || matches!(format, "float" | "double")
}

/// Converts `anyOf: [T, null]` to `T`.
fn unwrap_nullable(object: &mut Map<String, Value>) {
    let Some(Value::Array(choices)) = object.get_mut("anyOf") else { return };
    choices.retain(|choice| choice.get("type").and_then(Value::as_str) != Some("null"));
    if choices.len() == 1 {
        let only = choices.remove(0);
        object.remove("anyOf");
        merge(object, only);
    }
}

/// Converts `allOf: [T]` to `T`.
fn unwrap_single(object: &mut Map<String, Value>) {
    if let Some(Value::Array(parts)) = object.get_mut("allOf")
        && parts.len() == 1
    {
        let only = parts.remove(0);
        object.remove("allOf");
        merge(object, only);
    }
}

/// Converts a choice of constants, which `schemars` writes for an enum with documented variants, to `enum`; the
/// variants' documentation moves into the description.
fn constants_to_enum(object: &mut Map<String, Value>) {
    let Some(Value::Array(choices)) = object.get("oneOf") else { return };
    let mut values = Vec::new();
    let mut notes = Vec::new();
    for choice in choices {
        let named = match (choice.get("const"), choice.get("enum").and_then(Value::as_array)) {
            (Some(constant), _) => vec![constant.clone()],
            (None, Some(several)) => several.clone(),
            (None, None) => return,
        };
        if let (Some(note), [Value::String(name)]) =
            (choice.get("description").and_then(Value::as_str), named.as_slice())
        {
            notes.push(format!("{name}: {}", note.trim_end_matches('.')));
        }
        values.extend(named);
    }
    if !values.iter().all(Value::is_string) {
        return;
    }
    object.remove("oneOf");
    object.insert("type".to_owned(), "string".into());
    object.insert("enum".to_owned(), values.into());
    if !notes.is_empty() {
        let before =
            object.get("description").and_then(Value::as_str).map(|text| format!("{text} ")).unwrap_or_default();
        object.insert("description".to_owned(), format!("{before}{}.", notes.join("; ")).into());
    }
}

/// Adds the keywords that the outer schema does not have: its own description belongs to the property, not to the type.
fn merge(object: &mut Map<String, Value>, inner: Value) {
    let Value::Object(inner) = inner else { return };
    for (key, value) in inner {
        object.entry(key).or_insert(value);
    }
    constants_to_enum(object);
}
