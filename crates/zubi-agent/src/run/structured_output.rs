//! Final answers as data: the schema, the tool that takes the answer, and the number of retries.

use serde_json::{Map, Value, json};
use zubi_tool_api::schema::CompiledSchema;

use zubi_models::{FINAL_ANSWER, ToolDefinition};

/// The property that contains the answer if the schema's root is not an object, because providers require objects as
/// tool arguments.
const WRAPPER_KEY: &str = "answer";
/// The maximum number of retries.
const MAX_RETRIES: u64 = 2;

/// The required form of a final answer.
pub(super) struct StructuredOutput {
    validator: CompiledSchema,
    schema: Value,
    is_wrapped: bool,
    failures: u64,
}

impl StructuredOutput {
    /// Compiles the schema. The error says what is wrong with it.
    pub(super) fn new(schema: &Value) -> Result<Self, String> {
        let validator = CompiledSchema::new(schema)?;
        let is_object = schema.get("type").and_then(Value::as_str) == Some("object");
        let schema = if is_object { schema.clone() } else { wrap_in_object(schema)? };
        Ok(Self { validator, schema, is_wrapped: !is_object, failures: 0 })
    }

    /// Returns the tool that takes the answer, under a name that no other tool has.
    pub(super) fn tool_definition(&self, others: &[ToolDefinition]) -> ToolDefinition {
        let mut name = FINAL_ANSWER.to_owned();
        while others.iter().any(|other| other.name == name) {
            name.push('_');
        }
        let description =
            "Takes your final answer and ends the work. Call it once, alone, when everything is done.".to_owned();
        ToolDefinition { name, description, schema: self.schema.clone() }
    }

    /// Returns the answer from the arguments of that tool.
    pub(super) fn parse_call(&self, arguments: &Value) -> Result<Value, String> {
        let inner = if self.is_wrapped { arguments.get(WRAPPER_KEY) } else { Some(arguments) };
        let data = inner.ok_or_else(|| format!("{WRAPPER_KEY}: is required"))?;
        self.validator.check(data).map(|()| data.clone())
    }

    /// Returns the answer from a text that consists only of JSON, with or without a code fence.
    pub(super) fn parse_text(&self, text: &str) -> Result<Value, String> {
        let text = text.trim();
        let block = text.strip_prefix("```").and_then(|rest| rest.strip_suffix("```"));
        let inner = block.and_then(|block| block.split_once('\n')).map_or(text, |(_, inner)| inner);
        let data: Value = serde_json::from_str(inner).map_err(|_| "it is not JSON".to_owned())?;
        self.validator.check(&data).map(|()| data)
    }

    /// Counts a failed attempt. Returns whether the model may try again.
    pub(super) fn can_retry(&mut self) -> bool {
        self.failures += 1;
        self.failures <= MAX_RETRIES
    }
}

/// Wraps the schema as the one property of an object schema. The definitions stay at the paths that the references use.
fn wrap_in_object(schema: &Value) -> Result<Value, String> {
    const DEFINITIONS: [&str; 2] = ["$defs", "definitions"];
    let mut inner = schema.clone();
    let mut outer = Map::new();
    if let Value::Object(object) = &mut inner {
        for name in DEFINITIONS {
            outer.extend(object.remove(name).map(|definitions| (name.to_owned(), definitions)));
        }
    }
    if refers_to_itself(&inner) || outer.values().any(refers_to_itself) {
        return Err(
            "its root is not an object and it refers to parts of itself outside `$defs`: move them there".to_owned()
        );
    }
    outer.insert("type".to_owned(), "object".into());
    outer.insert("properties".to_owned(), json!({ WRAPPER_KEY: inner }));
    outer.insert("required".to_owned(), json!([WRAPPER_KEY]));
    Ok(Value::Object(outer))
}

fn refers_to_itself(schema: &Value) -> bool {
    match schema {
        Value::Object(object) => object.iter().any(|(key, value)| match value.as_str() {
            Some(target) if key == "$ref" => {
                target.starts_with('#') && !target.starts_with("#/$defs/") && !target.starts_with("#/definitions/")
            }
            _ => refers_to_itself(value),
        }),
        Value::Array(items) => items.iter().any(refers_to_itself),
        _ => false,
    }
}
