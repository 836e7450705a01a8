//! Conversion of arguments to the types of their schema, if the model's value has only one meaning.
//!
//! Models send numbers as text, one item instead of a list, objects as JSON text. The conversion loses nothing and
//! saves a round trip. Ambiguous values stay as they are, and are refused.

use serde_json::{Map, Number, Value};

/// The maximum depth to which schemas are followed. Arguments from models are flat.
const MAX_DEPTH: usize = 8;

/// Converts arguments to the types of a schema, and fills in defaults.
pub(super) fn arguments(schema: &Map<String, Value>, args: &mut Map<String, Value>) {
    coerce_members(schema, args, 0);
}

fn coerce_members(schema: &Map<String, Value>, args: &mut Map<String, Value>, depth: usize) {
    let Some(Value::Object(properties)) = schema.get("properties") else { return };
    rename_to_documented(schema, args);
    for (name, property) in properties {
        match args.get_mut(name) {
            Some(value) => coerce_value(property, value, depth),
            None => {
                if let Some(default) = property.get("default").filter(|default| !default.is_null()) {
                    args.insert(name.clone(), default.clone());
                }
            }
        }
    }
}

/// Renames arguments in `snake_case` or `camelCase` to the spelling of the schema, because models mix the two, and many
/// clients convert one to the other. An argument that is given in both spellings stays, and is refused.
pub(super) fn rename_to_documented(schema: &Map<String, Value>, args: &mut Map<String, Value>) {
    let Some(Value::Object(properties)) = schema.get("properties") else { return };
    let fold = |name: &str| name.replace('_', "").to_ascii_lowercase();
    let others: Vec<String> = args.keys().filter(|name| !properties.contains_key(*name)).cloned().collect();
    for name in others {
        let mut candidates = properties.keys().filter(|property| fold(property) == fold(&name));
        if let (Some(property), None) = (candidates.next(), candidates.next())
            && !args.contains_key(property)
            && let Some(value) = args.remove(&name)
        {
            args.insert(property.clone(), value);
        }
    }
}

fn coerce_value(schema: &Value, value: &mut Value, depth: usize) {
    if depth > MAX_DEPTH {
        return;
    }
    let Some(kind) = schema.get("type").and_then(Value::as_str) else { return };
    if let Some(converted) = convert_value(kind, schema, value) {
        *value = converted;
    }
    match (kind, &mut *value) {
        ("object", Value::Object(object)) => {
            if let Value::Object(schema) = schema {
                // Unknown fields stay: the schema's own check reports them.
                coerce_members(schema, object, depth + 1);
            }
        }
        ("array", Value::Array(items)) => {
            if let Some(schema) = schema.get("items") {
                for item in items.iter_mut() {
                    coerce_value(schema, item, depth + 1);
                }
            }
        }
        _ => {}
    }
}

/// Returns the value converted to this type of the schema; `None` if it already has the type, or is ambiguous.
fn convert_value(kind: &str, schema: &Value, value: &Value) -> Option<Value> {
    match (kind, value) {
        ("integer", Value::String(text)) => integer(text),
        // 5.0 is an integer in JSON Schema, but not for the types that parse it.
        ("integer", Value::Number(number)) if number.is_f64() => {
            let number = number.as_f64().filter(|number| number.fract() == 0.0 && number.abs() < MAX_EXACT)?;
            #[expect(clippy::cast_possible_truncation, reason = "whole and within what is exact")]
            let truncated = number as i64;
            Some(truncated.into())
        }
        ("number", Value::String(text)) => integer(text).or_else(|| {
            let number: f64 = text.parse().ok()?;
            text.contains(|c: char| c.is_ascii_digit()).then(|| Number::from_f64(number))?.map(Value::Number)
        }),
        ("boolean", Value::String(text)) if text.eq_ignore_ascii_case("true") => Some(true.into()),
        ("boolean", Value::String(text)) if text.eq_ignore_ascii_case("false") => Some(false.into()),
        // A number has several spellings, so it is not converted to a text: the original might have been `1e3`.
        ("string", Value::String(text)) => of_a_choice(schema, text),
        ("array", Value::String(text)) => {
            let json = text.trim_start().starts_with('[').then(|| serde_json::from_str(text).ok()).flatten();
            match json {
                Some(list @ Value::Array(_)) => Some(list),
                _ => is_item(schema, value).then(|| Value::Array(vec![value.clone()])),
            }
        }
        ("array", Value::Number(_) | Value::Bool(_)) => {
            is_item(schema, value).then(|| Value::Array(vec![value.clone()]))
        }
        ("object", Value::String(text)) if text.trim_start().starts_with('{') => {
            serde_json::from_str(text).ok().filter(Value::is_object)
        }
        _ => None,
    }
}

/// The largest value up to which all JSON parsers agree on whole numbers (IEEE 754, 2^53).
const MAX_EXACT: f64 = 9_007_199_254_740_992.0;

/// Parses a canonical whole number; `007`, `+5` and `5 ` would lose information.
fn integer(text: &str) -> Option<Value> {
    let number: i64 = text.parse().ok()?;
    (number.to_string() == text).then(|| number.into())
}

/// Returns the value of an enumeration that differs only in case.
fn of_a_choice(schema: &Value, text: &str) -> Option<Value> {
    let choice = schema.get("enum")?.as_array()?;
    if choice.iter().any(|value| value == text) {
        return None;
    }
    let mut candidates =
        choice.iter().filter(|value| value.as_str().is_some_and(|value| value.eq_ignore_ascii_case(text)));
    let value = candidates.next()?;
    candidates.next().is_none().then(|| value.clone())
}

/// Returns whether a list's items have the type of a value; for a list of any type, the value is ambiguous.
fn is_item(schema: &Value, value: &Value) -> bool {
    let kind = schema.get("items").and_then(|items| items.get("type")).and_then(Value::as_str);
    match (kind, value) {
        (Some("string"), Value::String(_)) | (Some("number"), Value::Number(_)) | (Some("boolean"), Value::Bool(_)) => {
            true
        }
        (Some("integer"), Value::Number(number)) => !number.is_f64(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn both_spellings_of_a_name_are_accepted() {
        let schema = json!({
            "properties": { "maxTokens": { "type": "integer" }, "from_line": { "type": "integer" }, "a_b": {}, "aB": {} },
        });
        for (given, expected) in [
            (json!({ "max_tokens": 5 }), json!({ "maxTokens": 5 })),
            (json!({ "maxTokens": "5" }), json!({ "maxTokens": 5 })),
            (json!({ "fromLine": 2 }), json!({ "from_line": 2 })),
            (json!({ "max_tokens": 5, "maxTokens": 6 }), json!({ "max_tokens": 5, "maxTokens": 6 })),
            (json!({ "AB": 1 }), json!({ "AB": 1 })),
            (json!({ "other": 1 }), json!({ "other": 1 })),
        ] {
            let mut args = given.as_object().unwrap().clone();
            arguments(schema.as_object().unwrap(), &mut args);
            assert_eq!(Value::Object(args), expected, "{given}");
        }
    }

    /// X33: arguments are converted if they have one meaning, and left to be refused otherwise.
    #[test]
    fn unambiguous_values_are_converted() {
        let schema = json!({
            "properties": {
                "int": { "type": "integer" },
                "num": { "type": "number" },
                "flag": { "type": "boolean" },
                "text": { "type": "string" },
                "kind": { "type": "string", "enum": ["Read", "Write", "write"] },
                "list": { "type": "array", "items": { "type": "string" } },
                "ints": { "type": "array", "items": { "type": "integer" } },
                "any": { "type": "array" },
                "deep": { "type": "object", "properties": { "int": { "type": "integer" }, "set": { "type": "boolean", "default": true } } },
                "limit": { "type": "integer", "default": 5 },
            },
        });
        for (name, given, expected) in [
            ("int", json!("5"), json!(5)),
            ("int", json!("-7"), json!(-7)),
            ("int", json!(5.0), json!(5)),
            ("int", json!(5.5), json!(5.5)),
            ("int", json!("5 "), json!("5 ")),
            ("int", json!("007"), json!("007")),
            ("int", json!("many"), json!("many")),
            ("int", json!(true), json!(true)),
            ("num", json!("2.5"), json!(2.5)),
            ("num", json!("inf"), json!("inf")),
            ("flag", json!("TRUE"), json!(true)),
            ("flag", json!("false"), json!(false)),
            ("flag", json!("yes"), json!("yes")),
            ("flag", json!(1), json!(1)),
            ("text", json!(12), json!(12)),
            ("text", json!({ "a": 1 }), json!({ "a": 1 })),
            ("kind", json!("read"), json!("Read")),
            ("kind", json!("WRITE"), json!("WRITE")),
            ("list", json!("one"), json!(["one"])),
            ("list", json!("[\"a\",\"b\"]"), json!(["a", "b"])),
            ("list", json!("[broken"), json!(["[broken"])),
            ("list", json!([1, "b"]), json!([1, "b"])),
            ("ints", json!("[\"1\", 2]"), json!([1, 2])),
            ("ints", json!(3), json!([3])),
            ("any", json!("one"), json!("one")),
            ("deep", json!("{\"int\": \"4\"}"), json!({ "int": 4, "set": true })),
            ("deep", json!("words"), json!("words")),
        ] {
            let mut args = Map::from_iter([(name.to_owned(), given.clone())]);
            arguments(schema.as_object().unwrap(), &mut args);
            assert_eq!((&args[name], &args["limit"]), (&expected, &json!(5)), "{name}: {given}");
        }
    }
}
