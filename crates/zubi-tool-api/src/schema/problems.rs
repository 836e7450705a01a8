//! The problems of a tool's specification. A test checks the whole registry; declared and contributed tools with a
//! problem are refused.

use serde_json::Value;

use super::ArgumentChecker;
use crate::spec::{Approval, Effect, ToolSpec};

/// The maximum length of a wire name. Hosts add their own prefix and truncate at 64 (Gemini CLI at 63 with the server's
/// name).
const MAX_NAME: usize = 40;
/// The maximum length of a description, in bytes.
const MAX_DESCRIPTION: usize = 1024;
/// The number of characters of a description that some clients show.
const DESCRIPTION_PREVIEW_CHARS: usize = 300;

/// Returns all problems, or an empty list.
pub fn problems(spec: &ToolSpec) -> Vec<String> {
    let mut found = Vec::new();
    name(spec, &mut found);
    description(spec, &mut found);
    effect(spec, &mut found);
    root(spec, &mut found);
    check_nested(&Value::Object(spec.input.clone()), "", &mut found);
    examples(spec, &mut found);
    found
}

/// Returns whether a name is a valid wire name: `[A-Za-z][A-Za-z0-9_-]*`, at most [`MAX_NAME`]. All model APIs and MCP
/// clients accept capitals and dashes, and names such as `file.getCurrent` and `my-provider.hello` have them.
pub(crate) fn is_wire_name(name: &str) -> bool {
    name.len() <= MAX_NAME
        && name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
}

fn name(spec: &ToolSpec, found: &mut Vec<String>) {
    let wire = spec.wire_name();
    if !is_wire_name(&wire) {
        found.push(format!("wire name `{wire}` is not [A-Za-z][A-Za-z0-9_-]* of at most {MAX_NAME} characters"));
    }
    if spec.id.split('.').any(str::is_empty) {
        found.push(format!("id `{}` has an empty segment", spec.id));
    }
    if spec.title.trim().is_empty() {
        found.push("no title".to_owned());
    }
    if spec.toolset.trim().is_empty() {
        found.push("no toolset".to_owned());
    }
}

fn description(spec: &ToolSpec, found: &mut Vec<String>) {
    let text = &spec.description;
    if text.trim().is_empty() {
        found.push("no description".to_owned());
    }
    if text.len() > MAX_DESCRIPTION {
        found.push(format!("the description has {} bytes, more than {MAX_DESCRIPTION}", text.len()));
    }
    // A client may truncate the text after 300 characters; the rest must still be a whole sentence.
    let head: String = text.chars().take(DESCRIPTION_PREVIEW_CHARS).collect();
    if head.len() < text.len() && !head.contains(". ") && !head.contains(".\n") {
        found.push(format!(
            "no sentence of the description ends within its first {DESCRIPTION_PREVIEW_CHARS} characters"
        ));
    }
    if text.chars().any(|c| c.is_control() && c != '\n') {
        found.push("the description has control characters".to_owned());
    }
}

fn effect(spec: &ToolSpec, found: &mut Vec<String>) {
    if spec.approval == Approval::Always && spec.effect <= Effect::Plan {
        found.push("requires approval although it only reads".to_owned());
    }
    if spec.timeout.is_zero() {
        found.push("its time-out is zero".to_owned());
    }
}

fn root(spec: &ToolSpec, found: &mut Vec<String>) {
    if spec.input.get("type").and_then(Value::as_str) != Some("object") {
        found.push("the input's root is not `type: object`".to_owned());
    }
    for keyword in ["anyOf", "oneOf", "allOf", "not", "enum", "if"] {
        if spec.input.contains_key(keyword) {
            found.push(format!("the input has `{keyword}` at its root"));
        }
    }
    let properties = spec.input.get("properties").and_then(Value::as_object);
    let required = spec.input.get("required").and_then(Value::as_array).into_iter().flatten();
    for name in required.filter_map(Value::as_str) {
        if properties.is_none_or(|properties| !properties.contains_key(name)) {
            found.push(format!("`{name}` is required but not described"));
        }
    }
}

fn check_nested(schema: &Value, path: &str, found: &mut Vec<String>) {
    let Value::Object(object) = schema else { return };
    for keyword in ["$ref", "$defs", "definitions", "$schema", "$dynamicRef"] {
        if object.contains_key(keyword) {
            found.push(format!("`{keyword}` at `{path}`"));
        }
    }
    if object.get("format").and_then(Value::as_str).is_some_and(|format| format.contains("int")) {
        found.push(format!("a number format at `{path}`"));
    }
    if let Some(Value::Object(properties)) = object.get("properties") {
        for (name, property) in properties {
            let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
            if property.get("description").and_then(Value::as_str).is_none_or(|text| text.trim().is_empty()) {
                found.push(format!("`{path}` has no description"));
            }
            let typed =
                ["type", "enum", "anyOf", "oneOf", "const"].iter().any(|keyword| property.get(keyword).is_some());
            if !typed {
                found.push(format!("`{path}` has no type"));
            }
            check_nested(property, &path, found);
        }
    }
    for keyword in ["items", "additionalProperties"] {
        if let Some(inner) = object.get(keyword) {
            check_nested(inner, &format!("{path}.{keyword}"), found);
        }
    }
    for keyword in ["anyOf", "oneOf", "allOf"] {
        for inner in object.get(keyword).and_then(Value::as_array).into_iter().flatten() {
            check_nested(inner, path, found);
        }
    }
}

fn examples(spec: &ToolSpec, found: &mut Vec<String>) {
    let checker = match ArgumentChecker::new(spec) {
        Ok(checker) => checker,
        Err(reason) => return found.push(reason),
    };
    for example in &spec.examples {
        if let Err(error) = checker.check(spec, example.args.clone()) {
            found.push(format!("example `{}`: {}", example.title, error.render(&spec.id)));
        }
    }
}
