//! Validates a file against the published schema and reports every violation at its location.
//!
//! Supports exactly the parts of JSON Schema that [`super::format::schema()`] uses: `$ref` into `definitions`, `allOf`
//! with one item, `oneOf` distinguished by the constant of `type`, types, bounds, enumerations, and `pattern` for ids
//! only. A valid file can be deserialized into the types from which the schema is derived.

use std::borrow::Cow;

use serde_json::{Map, Value};
use zubi_base::nearest::nearest;
use zubi_base::text::ellipsize;

use super::format::ID_PATTERN;
use super::json_tree::{JsonKind, JsonMember, JsonNode};
use super::problem::ToolFileProblem;

/// Schema validator that reports problems with byte ranges.
pub(super) struct SchemaValidator<'a> {
    root: &'a Value,
    problems: &'a mut Vec<ToolFileProblem>,
}

impl<'a> SchemaValidator<'a> {
    pub(super) fn new(root: &'a Value, problems: &'a mut Vec<ToolFileProblem>) -> Self {
        Self { root, problems }
    }

    /// Validates a node against a definition of the schema, or against its root.
    pub(super) fn check(&mut self, node: &JsonNode, definition: Option<&str>) {
        let schema = match definition {
            Some(name) => self.root.get("definitions").and_then(|all| all.get(name)).unwrap_or(&Value::Null),
            None => self.root,
        };
        self.check_node(node, schema, "the file");
    }

    fn check_node(&mut self, node: &JsonNode, schema: &'a Value, name: &str) {
        let Some(object) = schema.as_object() else { return };
        if let Some(reference) = object.get("$ref").and_then(Value::as_str) {
            let target =
                reference.strip_prefix("#/definitions/").and_then(|name| self.root.get("definitions")?.get(name));
            return self.check_node(node, target.unwrap_or(&Value::Null), name);
        }
        for inner in object.get("allOf").and_then(Value::as_array).into_iter().flatten() {
            self.check_node(node, inner, name);
        }
        if let Some(Value::Array(choices)) = object.get("oneOf") {
            return self.check_choice(node, choices, name);
        }
        if let Some(expected) = object.get("type").and_then(Value::as_str) {
            let found = node.type_name();
            if found != expected && !(expected == "number" && found == "integer") {
                let message = format!("{name} is {}, and must be {}", with_article(found), with_article(expected));
                let hint = object.get("description").and_then(Value::as_str).unwrap_or("See the schema of this file.");
                self.problems.push(ToolFileProblem::error("wrong-type", node.range.clone(), message, hint));
                return;
            }
        }
        self.check_values(node, object, name);
        match &node.kind {
            JsonKind::Object(members) => self.check_members(node, members, object, name),
            JsonKind::Array(items) => {
                if let Some(schema) = object.get("items") {
                    for (index, item) in items.iter().enumerate() {
                        self.check_node(item, schema, &format!("item {} of {name}", index + 1));
                    }
                }
            }
            _ => {}
        }
    }

    /// Checks enumerations and bounds.
    fn check_values(&mut self, node: &JsonNode, schema: &Map<String, Value>, name: &str) {
        let mut report = |message: String, hint: String| {
            self.problems.push(ToolFileProblem::error("wrong-value", node.range.clone(), message, hint));
        };
        if let Some(Value::Array(allowed)) = schema.get("enum")
            && !allowed.contains(&node.to_value())
        {
            let words: Vec<&str> = allowed.iter().filter_map(Value::as_str).collect();
            let actual = node.as_str().unwrap_or_default();
            let suggestion = nearest(actual, words.iter().copied(), 1);
            let hint = match suggestion.first() {
                Some(suggestion) => format!("Did you mean `{suggestion}`? There are: {}.", words.join(", ")),
                None => format!("There are: {}.", words.join(", ")),
            };
            report(format!("{name} cannot be {}", quote_value(node)), hint);
        }
        let bound = |keyword: &str| schema.get(keyword).and_then(Value::as_f64);
        #[expect(clippy::cast_precision_loss, reason = "compared with small bounds")]
        let size = match &node.kind {
            JsonKind::String(text) => Some((text.chars().count() as f64, "minLength", "maxLength", "characters")),
            JsonKind::Array(items) => Some((items.len() as f64, "minItems", "maxItems", "items")),
            JsonKind::Number(number) => number.as_f64().map(|number| (number, "minimum", "maximum", "")),
            _ => None,
        };
        if let Some((size, minimum, maximum, unit)) = size {
            if let Some(bound) = bound(minimum).filter(|bound| size < *bound) {
                let message = match &node.kind {
                    JsonKind::Number(number) => format!("{name} cannot be {number}"),
                    _ if size == 0.0 => format!("{name} is empty"),
                    _ => format!("{name} has fewer than {bound} {unit}"),
                };
                report(message, format!("At least {bound} {unit}").trim_end().to_owned() + ".");
            }
            if let Some(bound) = bound(maximum).filter(|bound| size > *bound) {
                let message = match &node.kind {
                    JsonKind::Number(number) => format!("{name} cannot be {number}"),
                    _ => format!("{name} has more than {bound} {unit}"),
                };
                report(message, format!("At most {bound} {unit}").trim_end().to_owned() + ".");
            }
        }
        if schema.get("pattern").and_then(Value::as_str) == Some(ID_PATTERN)
            && let Some(id) = node.as_str()
            && !is_id(id)
        {
            let hint = "An id is one or more words of lower-case letters, digits and `_`, joined by dots, beginning with a letter: `kb.search`.";
            self.problems.push(ToolFileProblem::error(
                "invalid-id",
                node.range.clone(),
                format!("`{}` is not a valid id", truncate(id)),
                hint,
            ));
        }
    }

    fn check_members(&mut self, node: &JsonNode, members: &[JsonMember], schema: &'a Map<String, Value>, name: &str) {
        let properties = schema.get("properties").and_then(Value::as_object);
        let others = schema.get("additionalProperties");
        for member in members {
            match properties.and_then(|properties| properties.get(&member.name)) {
                Some(schema) => self.check_node(&member.value, schema, &format!("`{}`", member.name)),
                None if others == Some(&Value::Bool(false)) => {
                    let property_names = || properties.into_iter().flat_map(Map::keys).map(String::as_str);
                    let hint = match nearest(&member.name, property_names(), 1).first() {
                        Some(suggestion) => format!("Did you mean `{suggestion}`?"),
                        None => format!(
                            "There are: {}.",
                            property_names().filter(|name| *name != "$schema").collect::<Vec<_>>().join(", ")
                        ),
                    };
                    let message = format!("{name} has no field `{}`", truncate(&member.name));
                    self.problems.push(ToolFileProblem::error(
                        "unknown-field",
                        member.name_range.clone(),
                        message,
                        hint,
                    ));
                }
                None => {
                    if let Some(schema) = others {
                        self.check_node(&member.value, schema, &format!("`{}`", truncate(&member.name)));
                    }
                }
            }
        }
        for required in schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
        {
            if members.iter().all(|member| member.name != required) {
                let schema = properties.and_then(|properties| properties.get(required));
                let hint =
                    schema.and_then(|schema| schema.get("description")).and_then(Value::as_str).unwrap_or_default();
                let start = node.range.start..node.range.start + 1;
                self.problems.push(ToolFileProblem::error(
                    "missing-field",
                    start,
                    format!("{name} has no `{required}`"),
                    hint,
                ));
            }
        }
    }

    /// Validates a node against one of several alternatives, distinguished by `type`.
    fn check_choice(&mut self, node: &JsonNode, choices: &'a [Value], name: &str) {
        let constant = |choice: &'a Value| choice.get("properties")?.get("type")?.get("const")?.as_str();
        let kinds = || choices.iter().filter_map(constant).collect::<Vec<_>>().join(", ");
        if !matches!(node.kind, JsonKind::Object(_)) {
            let message = format!("{name} is {}, and must be an object", with_article(node.type_name()));
            let hint = format!("`type` must be one of: {}.", kinds());
            self.problems.push(ToolFileProblem::error("wrong-type", node.range.clone(), message, hint));
            return;
        }
        let Some(kind) = node.get("type") else {
            let start = node.range.start..node.range.start + 1;
            let hint = format!("`type` must be one of: {}.", kinds());
            self.problems.push(ToolFileProblem::error("missing-field", start, format!("{name} has no `type`"), hint));
            return;
        };
        let type_name = kind.as_str().unwrap_or_default();
        match choices.iter().find(|choice| constant(choice) == Some(type_name)) {
            Some(choice) => self.check_node(node, choice, name),
            None => {
                let suggestion = nearest(type_name, choices.iter().filter_map(constant), 1)
                    .first()
                    .map(|suggestion| format!("Did you mean `{suggestion}`? "));
                let hint = format!("{}There are: {}.", suggestion.unwrap_or_default(), kinds());
                let message = format!("unknown execution {}", quote_value(kind));
                self.problems.push(ToolFileProblem::error("wrong-value", kind.range.clone(), message, hint));
            }
        }
    }
}

/// Returns whether a text matches [`ID_PATTERN`].
pub(super) fn is_id(id: &str) -> bool {
    let is_word = |word: &str| {
        !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
    };
    id.starts_with(|c: char| c.is_ascii_lowercase()) && id.split('.').all(is_word)
}

fn with_article(kind: &str) -> String {
    match kind {
        "null" => "null".to_owned(),
        "integer" => "a whole number".to_owned(),
        "array" | "object" => format!("an {kind}"),
        kind => format!("a {kind}"),
    }
}

fn quote_value(node: &JsonNode) -> String {
    format!("`{}`", truncate(&node.as_str().map_or_else(|| node.to_value().to_string(), str::to_owned)))
}

/// Truncates a text to 60 characters for a message.
pub(super) fn truncate(text: &str) -> Cow<'_, str> {
    ellipsize(text, 60)
}
