//! Conversion of arguments to the types of their schema, if the model's value has only one meaning.
//!
//! Models send numbers as text, one item instead of a list, objects as JSON text. The conversion loses nothing and
//! saves a round trip. Ambiguous values stay as they are, and are refused.

use serde_json::{Map, Number, Value};

/// The maximum depth to which schemas are followed. Arguments from models are flat.
const MAX_DEPTH: usize = 8;

/// The keyword of a property for the other names under which it is accepted, a list.
const ALIASES: &str = "x-aliases";

/// The names, folded, that models give to the property `path` of any tool: other agents' tools have them.
const PATH_NAMES: [&str; 3] = ["file", "filepath", "relativepath"];

/// The keyword of an optional property whose empty text is a value. Otherwise, an empty text means that the argument is
/// not given. In the schema of a declared tool, `"minLength": 0` has the same meaning.
const EMPTY_TEXT: &str = "x-empty";

/// The keyword of a text that may be given as a whole number, such as a line. A whole number has one spelling.
const NUMBER: &str = "x-number";

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

/// Renames arguments to the names of the schema: from `snake_case` or `camelCase`, because models mix the two and many
/// clients convert one to the other, and from the other names in [`ALIASES`] and [`PATH_NAMES`]. An argument that is given
/// under two names stays, and is refused.
pub(super) fn rename_to_documented(schema: &Map<String, Value>, args: &mut Map<String, Value>) {
    let Some(Value::Object(properties)) = schema.get("properties") else { return };
    let others: Vec<String> = args.keys().filter(|name| !properties.contains_key(*name)).cloned().collect();
    for name in others {
        let Some(property) = documented_name(properties, &name) else { continue };
        // A required argument may be there as an empty text only.
        if args.get(property).is_none_or(|value| value == "")
            && let Some(value) = args.remove(&name)
        {
            args.insert(property.to_owned(), value);
        }
    }
}

/// Returns the property that an argument of another name means, if there is only one.
fn documented_name<'a>(properties: &'a Map<String, Value>, name: &str) -> Option<&'a str> {
    let fold = |name: &str| name.replace('_', "").to_ascii_lowercase();
    let folded = fold(name);
    let mut candidates = properties.keys().filter(|property| fold(property) == folded);
    match (candidates.next(), candidates.next()) {
        (Some(property), None) => return Some(property),
        (Some(_), Some(_)) => return None,
        (None, _) => {}
    }
    let has_alias = |property: &Value| {
        let aliases = property.get(ALIASES).and_then(Value::as_array).into_iter().flatten();
        aliases.filter_map(Value::as_str).any(|alias| fold(alias) == folded)
    };
    let by_alias = properties.iter().find(|(_, property)| has_alias(property)).map(|(property, _)| property.as_str());
    by_alias
        .or_else(|| Some("path").filter(|_| PATH_NAMES.contains(&folded.as_str()) && properties.contains_key("path")))
}

/// Removes the arguments that are given in form only. Clients that require every property, such as the strict
/// conversion of the OpenAI Agents SDK, send `null`, `""` or `0` for an argument that the model omits.
pub(super) fn remove_absent(schema: &Map<String, Value>, args: &mut Map<String, Value>) {
    args.retain(|_, value| !value.is_null());
    remove_absent_members(schema, args, 0);
}

fn remove_absent_members(schema: &Map<String, Value>, args: &mut Map<String, Value>, depth: usize) {
    let Some(Value::Object(properties)) = schema.get("properties") else { return };
    if depth > MAX_DEPTH {
        return;
    }
    let required = schema.get("required").and_then(Value::as_array);
    let is_required = |name: &str| required.is_some_and(|names| names.iter().any(|required| required == name));
    args.retain(|name, value| {
        let documented =
            if properties.contains_key(name) { Some(name.as_str()) } else { documented_name(properties, name) };
        let Some((documented, property)) = documented.and_then(|name| Some((name, properties.get(name)?))) else {
            return true;
        };
        // Under another name, an argument that is absent must not take the place of the one that is given.
        (is_required(documented) && documented == name) || !is_absent(property, value)
    });
    for (name, value) in args.iter_mut() {
        let Some(Value::Object(property)) = properties.get(name) else { continue };
        match value {
            Value::Object(object) => remove_absent_members(property, object, depth + 1),
            Value::Array(items) => {
                let Some(Value::Object(schema)) = property.get("items") else { continue };
                for item in items.iter_mut().filter_map(Value::as_object_mut) {
                    remove_absent_members(schema, item, depth + 1);
                }
            }
            _ => {}
        }
    }
}

/// Returns whether a value means that an optional argument is not given: `null` if the schema does not allow it, an
/// empty text unless [`EMPTY_TEXT`] allows it, and a zero below the minimum.
fn is_absent(property: &Value, value: &Value) -> bool {
    match value {
        Value::Null => property.get("type").is_some_and(Value::is_string),
        Value::String(text) if text.is_empty() => {
            property.get(EMPTY_TEXT) != Some(&Value::Bool(true)) && property.get("minLength") != Some(&Value::from(0))
        }
        Value::Number(number) if number.as_f64() == Some(0.0) => {
            property.get("minimum").and_then(Value::as_f64).is_some_and(|minimum| minimum > 0.0)
        }
        _ => false,
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
        ("string", Value::Number(number)) if accepts_number(schema) && number.is_u64() => {
            Some(number.to_string().into())
        }
        // Any other number has several spellings, so it is not converted to a text: the original might have been `1e3`.
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

/// Returns whether a text may be given as a whole number.
fn accepts_number(schema: &Value) -> bool {
    schema.get(NUMBER) == Some(&Value::Bool(true))
}

/// Returns whether a list's items have the type of a value; for a list of any type, the value is ambiguous.
fn is_item(schema: &Value, value: &Value) -> bool {
    let items = schema.get("items");
    let kind = items.and_then(|items| items.get("type")).and_then(Value::as_str);
    match (kind, value) {
        (Some("string"), Value::Number(_)) => items.is_some_and(accepts_number),
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
            "properties": {
                "maxTokens": { "type": "integer" }, "from_line": { "type": "integer" }, "a_b": {}, "aB": {},
                "oldUri": { "type": "string", "x-aliases": ["oldPath", "from"] }, "path": { "type": "string" },
            },
        });
        for (given, expected) in [
            (json!({ "max_tokens": 5 }), json!({ "maxTokens": 5 })),
            (json!({ "maxTokens": "5" }), json!({ "maxTokens": 5 })),
            (json!({ "fromLine": 2 }), json!({ "from_line": 2 })),
            (json!({ "max_tokens": 5, "maxTokens": 6 }), json!({ "max_tokens": 5, "maxTokens": 6 })),
            (json!({ "AB": 1 }), json!({ "AB": 1 })),
            (json!({ "other": 1 }), json!({ "other": 1 })),
            (json!({ "from": "a" }), json!({ "oldUri": "a" })),
            (json!({ "old_path": "a" }), json!({ "oldUri": "a" })),
            (json!({ "from": "a", "oldUri": "b" }), json!({ "from": "a", "oldUri": "b" })),
            (json!({ "from": "a", "oldUri": "" }), json!({ "oldUri": "a" })),
            (json!({ "file": "a" }), json!({ "path": "a" })),
            (json!({ "file_path": "a" }), json!({ "path": "a" })),
            (json!({ "relative_path": "a", "path": "b" }), json!({ "relative_path": "a", "path": "b" })),
        ] {
            let mut args = given.as_object().unwrap().clone();
            arguments(schema.as_object().unwrap(), &mut args);
            assert_eq!(Value::Object(args), expected, "{given}");
        }
    }

    #[test]
    fn arguments_in_form_only_are_removed() {
        let point = json!({
            "type": "object", "required": ["line"],
            "properties": { "line": { "type": "integer" }, "note": { "type": "string" } },
        });
        let schema = json!({
            "required": ["name"],
            "properties": {
                "name": { "type": "string", "x-aliases": ["title"] },
                "path": { "type": "string" },
                "text": { "type": "string", "x-empty": true },
                "suffix": { "type": "string", "minLength": 0 },
                "kind": { "type": "string", "enum": ["a"] },
                "limit": { "type": "integer", "minimum": 1 },
                "line": { "type": "integer", "minimum": 0 },
                "at": point, "points": { "type": "array", "items": point },
                "either": { "type": ["string", "null"] },
            },
        });
        for (given, expected) in [
            (json!({ "name": null, "path": null, "other": null }), json!({})),
            (json!({ "path": "", "kind": "", "limit": 0, "limit_": "" }), json!({})),
            (
                json!({ "name": "", "text": "", "suffix": "", "line": 0 }),
                json!({ "name": "", "text": "", "suffix": "", "line": 0 }),
            ),
            (json!({ "name": "a", "title": "" }), json!({ "name": "a" })),
            (json!({ "line": "", "limit": "", "points": "" }), json!({})),
            (
                json!({ "at": { "line": 0, "note": "" }, "points": [{ "line": null, "note": null }] }),
                json!({ "at": { "line": 0 }, "points": [{ "line": null }] }),
            ),
            (json!({ "unknown": "", "limit": 5, "path": " " }), json!({ "unknown": "", "limit": 5, "path": " " })),
        ] {
            let mut args = given.as_object().unwrap().clone();
            remove_absent(schema.as_object().unwrap(), &mut args);
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
                "line": { "type": "string", "x-number": true },
                "lines": { "type": "array", "items": { "type": "string", "x-number": true } },
                "deep": { "type": "object", "properties": { "int": { "type": "integer" }, "set": { "type": "boolean", "default": true } } },
                "limit": { "type": "integer", "default": 5 },
            },
        });
        for (name, given, expected) in [
            ("int", json!("5"), json!(5)),
            ("int", json!("-7"), json!(-7)),
            ("line", json!(12), json!("12")),
            ("line", json!(-1), json!(-1)),
            ("line", json!(12.5), json!(12.5)),
            ("lines", json!([1, "2-3"]), json!(["1", "2-3"])),
            ("lines", json!(3), json!(["3"])),
            ("lines", json!("[1, 2]"), json!(["1", "2"])),
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
