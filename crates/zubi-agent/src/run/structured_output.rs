//! A final answer that is data: a schema, the tool that takes it, and how often a model may try.

use serde_json::{Map, Value, json};
use zubi_tool_api::schema::CompiledSchema;

use zubi_models::{FINAL_ANSWER, ToolDefinition};


/// Where the answer stands when the schema's root is no object, which providers want of a tool's arguments.
const WRAPPED: &str = "answer";
/// How often a model is asked again.
const ASKED_AGAIN: u64 = 2;

/// What a final answer has to be.
pub(super) struct StructuredOutput {
    fit: CompiledSchema,
    schema: Value,
    is_wrapped: bool,
    failures: u64,
}

impl StructuredOutput {
    /// The error says what is wrong with the schema.
    pub(super) fn new(schema: &Value) -> Result<Self, String> {
        let fit = CompiledSchema::new(schema)?;
        let is_object = schema.get("type").and_then(Value::as_str) == Some("object");
        let schema = if is_object { schema.clone() } else { wrap_in_object(schema)? };
        Ok(Self { fit, schema, is_wrapped: !is_object, failures: 0 })
    }

    /// The tool for it, under a name that no other has.
    pub(super) fn offer(&self, others: &[ToolDefinition]) -> ToolDefinition {
        let mut name = FINAL_ANSWER.to_owned();
        while others.iter().any(|other| other.name == name) {
            name.push('_');
        }
        let description =
            "Takes your final answer and ends the work. Call it once, alone, when everything is done.".to_owned();
        ToolDefinition { name, description, schema: self.schema.clone() }
    }

    /// The answer in the arguments of that tool.
    pub(super) fn of_call(&self, arguments: &Value) -> Result<Value, String> {
        let inner = if self.is_wrapped { arguments.get(WRAPPED) } else { Some(arguments) };
        let data = inner.ok_or_else(|| format!("{WRAPPED}: is required"))?;
        self.fit.check(data).map(|()| data.clone())
    }

    /// The answer in a text that is nothing but JSON, perhaps between the marks of a block of code.
    pub(super) fn of_text(&self, text: &str) -> Result<Value, String> {
        let text = text.trim();
        let block = text.strip_prefix("```").and_then(|rest| rest.strip_suffix("```"));
        let inner = block.and_then(|block| block.split_once('\n')).map_or(text, |(_, inner)| inner);
        let data: Value = serde_json::from_str(inner).map_err(|_| "it is no JSON".to_owned())?;
        self.fit.check(&data).map(|()| data)
    }

    /// The model has tried in vain. Whether it may try again.
    pub(super) fn can_retry(&mut self) -> bool {
        self.failures += 1;
        self.failures <= ASKED_AGAIN
    }
}

/// The schema as that of an object with one property. What it refers to stays where its references look for it.
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
            "its root is no object and it refers to parts of itself outside `$defs`: move them there".to_owned()
        );
    }
    outer.insert("type".to_owned(), "object".into());
    outer.insert("properties".to_owned(), json!({ WRAPPED: inner }));
    outer.insert("required".to_owned(), json!([WRAPPED]));
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
