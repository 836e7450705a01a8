//! Converts tools, resources and answers to MCP's types. Every conversation pays for the tool list, so the conversion
//! removes parts of schemas that do not help a model.

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

/// The toolset of the tools that apply and undo plans.
const PLAN_TOOLSET: &str = "edit";

/// Converts the directly exposed tools, in their order.
pub(crate) fn tools(specs: &[Arc<ToolSpec>]) -> Vec<Tool> {
    specs.iter().filter(|spec| spec.exposure == Exposure::Direct).map(|spec| tool(spec)).collect()
}

/// Returns the tool list as JSON, as sent over the wire; for measurements and snapshots.
pub fn tool_list_json(specs: &[Arc<ToolSpec>]) -> String {
    serde_json::to_string(&tools(specs)).unwrap_or_default()
}

fn tool(spec: &ToolSpec) -> Tool {
    Tool::new(spec.wire_name(), spec.description.clone(), Arc::new(slim(&spec.input)))
        .with_annotations(annotations(spec))
}

/// Returns the hints of a tool. Clients assume the worst for an omitted hint, so this omits only redundant ones:
/// `destructiveHint` and `idempotentHint` mean nothing for a read-only tool (MCP 2025-11-25, `ToolAnnotations`), for which
/// `openWorldHint` changes no prompt. There is no title, because the names describe the tools.
fn annotations(spec: &ToolSpec) -> ToolAnnotations {
    if !spec.is_to_be_confirmed() {
        return ToolAnnotations::new().read_only(true);
    }
    ToolAnnotations::new()
        .read_only(false)
        // An edit can be undone and never overwrites what has changed since. Clients without a user refuse other tools.
        .destructive(!spec.is_reversible())
        // A plan is applied or undone only once; the second call of the same kind changes nothing.
        .idempotent(spec.toolset == PLAN_TOOLSET)
        .open_world(spec.effect >= Effect::Execute)
}

/// Returns a schema without the parts that a model does not need: common parameters, zubi's own keywords, and
/// descriptions and bounds that other texts contain. The registry validates against the full schema, so the same
/// arguments are valid.
fn slim(schema: &JsonObject) -> JsonObject {
    let mut schema = schema.clone();
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        properties.retain(|_, property| property.get(COMMON).is_none());
        properties.values_mut().for_each(|property| slim_nested(property, 0));
    }
    // Some clients reject a root schema without `properties`.
    schema.entry("properties").or_insert_with(|| JsonObject::new().into());
    schema.remove("additionalProperties");
    schema.remove("description");
    schema
}

/// Removes such parts from a nested schema. `depth` is the number of enclosing objects, without the root.
fn slim_nested(schema: &mut Value, depth: usize) {
    let Value::Object(object) = schema else { return };
    // The description explains the bounds, and a call that exceeds them gets an error.
    object.remove("minimum");
    object.remove("maximum");
    object.remove("maxLength");
    object.remove("additionalProperties");
    if object.contains_key(PLAIN_KEYWORD) {
        object.remove("description");
    }
    object.retain(|keyword, _| !keyword.starts_with("x-"));
    // Below two levels of objects are only LSP's own types, such as the positions of a range, which models know.
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

/// Converts an answer. A failure is a result with `isError`, because a protocol error would not reach the model.
pub(crate) fn answer(answer: CallAnswer) -> CallToolResult {
    let content = vec![ContentBlock::text(answer.text)];
    match answer.failure {
        // `isError` is false by default; omitting it saves its bytes.
        None => {
            let mut result = CallToolResult::success(content);
            result.is_error = None;
            result
        }
        Some(_) => CallToolResult::error(content),
    }
}

/// Converts resources, in their order.
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
