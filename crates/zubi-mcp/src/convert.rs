//! Tools, resources and answers in MCP's shapes. Every conversation pays for the list, so schemas lose bytes here that
//! do not help a model.

use std::sync::Arc;

use rmcp::model::{
    CallToolResult, ContentBlock, JsonObject, ReadResourceResult, Resource, ResourceContents, Tool, ToolAnnotations,
};
use serde_json::Value;
use zubi_host::CallAnswer;
use zubi_tool_api::spec::{Effect, Exposure, ToolSpec};
use zubi_tool_api::{ResourceSpec, ResourceText};

/// Marks a parameter that every tool accepts and the instructions describe once; see [`slim`].
const COMMON: &str = "x-common";

/// Marks a parameter whose description says no more than its name and the instructions; see [`slim`].
const PLAIN_KEYWORD: &str = "x-plain";

/// The tools of a list, in its order.
pub(crate) fn tools(specs: &[Arc<ToolSpec>]) -> Vec<Tool> {
    specs.iter().filter(|spec| spec.exposure == Exposure::Direct).map(|spec| tool(spec)).collect()
}

/// The list as it goes over the wire, for measuring and snapshots.
pub fn tool_list_json(specs: &[Arc<ToolSpec>]) -> String {
    serde_json::to_string(&tools(specs)).unwrap_or_default()
}

fn tool(spec: &ToolSpec) -> Tool {
    Tool::new(spec.wire_name(), spec.description.clone(), Arc::new(slim(&spec.input)))
        .with_annotations(annotations(spec))
}

/// The hints. Clients assume the worst for omitted ones, so only redundant ones are omitted: for a read-only tool
/// neither `destructiveHint` nor `idempotentHint` means anything (MCP 2025-11-25, `ToolAnnotations`), and
/// `openWorldHint` changes no prompt. No title: the names describe the tools.
fn annotations(spec: &ToolSpec) -> ToolAnnotations {
    if !spec.is_to_be_confirmed() {
        return ToolAnnotations::new().read_only(true);
    }
    ToolAnnotations::new()
        .read_only(false)
        // Overwriting a file is destructive, although zubi can undo it: clients use this hint to decide about a prompt.
        .destructive(true)
        .open_world(spec.effect >= Effect::Execute)
}

/// Returns a schema without the parts that a model does not need: common parameters, our own keywords, and descriptions
/// and bounds that other texts contain. The registry validates against the full schema, so the same arguments are
/// valid.
fn slim(schema: &JsonObject) -> JsonObject {
    let mut schema = schema.clone();
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        properties.retain(|_, property| property.get(COMMON).is_none());
        properties.values_mut().for_each(|property| slim_nested(property, 0));
    }
    // Some clients reject a root schema without it.
    schema.entry("properties").or_insert_with(|| JsonObject::new().into());
    schema.remove("additionalProperties");
    schema.remove("description");
    schema
}

/// `depth` counts the objects around the schema, the root not among them.
fn slim_nested(schema: &mut Value, depth: usize) {
    let Value::Object(object) = schema else { return };
    // The description has the meaning of a bound, and a call beyond it gets an error.
    object.remove("minimum");
    object.remove("maximum");
    object.remove("maxLength");
    object.remove("additionalProperties");
    if object.contains_key(PLAIN_KEYWORD) {
        object.remove("description");
    }
    object.retain(|keyword, _| !keyword.starts_with("x-"));
    // Below two levels of objects are the protocol's own shapes, such as a range's positions, which models know.
    if depth > 0 {
        object.remove("properties");
        object.remove("required");
    }
    if let Some(Value::Object(properties)) = object.get_mut("properties") {
        properties.values_mut().for_each(|property| slim_nested(property, depth + 1));
    }
    if let Some(items) = object.get_mut("items") {
        slim_nested(items, depth + 1);
    }
}

/// One text block; failures are results that say so, for a protocol error would not reach the model.
pub(crate) fn answer(answer: CallAnswer) -> CallToolResult {
    let content = vec![ContentBlock::text(answer.text)];
    match answer.failure {
        // The default of `isError` is false; leaving it out saves its bytes.
        None => {
            let mut result = CallToolResult::success(content);
            result.is_error = None;
            result
        }
        Some(_) => CallToolResult::error(content),
    }
}

/// The resources of a list, in its order.
pub(crate) fn resources(specs: &[ResourceSpec]) -> Vec<Resource> {
    let resource = |spec: &ResourceSpec| {
        Resource::new(&spec.uri, &spec.name).with_description(&spec.description).with_mime_type(&spec.mime_type)
    };
    specs.iter().map(resource).collect()
}

/// Converts the content of a resource, under the requested URI.
pub(crate) fn resource(uri: String, text: ResourceText) -> ReadResourceResult {
    ReadResourceResult::new(vec![ResourceContents::text(text.text, uri).with_mime_type(text.mime_type)])
}
