//! Tools, resources and answers in MCP's shapes. A list is paid for with every conversation, so schemas lose here what costs bytes
//! and tells a model nothing.

use std::sync::Arc;

use rmcp::model::{
    CallToolResult, ContentBlock, JsonObject, ReadResourceResult, Resource, ResourceContents, Tool, ToolAnnotations,
};
use serde_json::Value;
use zubi_host::CallAnswer;
use zubi_tools::spec::{Effect, Exposure, ToolSpec};
use zubi_tools::{ResourceSpec, ResourceText};

/// Marks a parameter that every tool accepts and the instructions describe once; see [`slim`].
const COMMON: &str = "x-common";

/// Marks a parameter whose description says no more than its name and the instructions; see [`slim`].
const PLAIN: &str = "x-plain";

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

/// The hints. What is left out is assumed at its worst, except where it says nothing: of a tool that only reads neither
/// `destructiveHint` nor `idempotentHint` means anything (MCP 2025-11-25, `ToolAnnotations`), and `openWorldHint` tells a
/// client no more about what to ask a person than that it reads. No title: the names say what the tools do.
fn annotations(spec: &ToolSpec) -> ToolAnnotations {
    if !spec.is_to_be_confirmed() {
        return ToolAnnotations::new().read_only(true);
    }
    ToolAnnotations::new()
        .read_only(false)
        // Overwriting a file is destructive, although zubi can take it back: clients decide by this whether to ask.
        .destructive(true)
        .open_world(spec.effect >= Effect::Execute)
}

/// A schema without what a model does not need: common parameters, our own keywords, descriptions and bounds that are
/// told elsewhere. The registry validates against the full schema, so nothing is accepted that was not.
fn slim(schema: &JsonObject) -> JsonObject {
    let mut schema = schema.clone();
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        properties.retain(|_, property| property.get(COMMON).is_none());
        properties.values_mut().for_each(|property| slim_inside(property, 0));
    }
    // A root that is no object's schema without it, for some clients.
    schema.entry("properties").or_insert_with(|| JsonObject::new().into());
    schema.remove("additionalProperties");
    schema.remove("description");
    schema
}

/// `depth` counts the objects around the schema, the root not among them.
fn slim_inside(schema: &mut Value, depth: usize) {
    let Value::Object(object) = schema else { return };
    // What a bound means stands in the description, and a call beyond it is told.
    object.remove("minimum");
    object.remove("maximum");
    object.remove("maxLength");
    object.remove("additionalProperties");
    if object.contains_key(PLAIN) {
        object.remove("description");
    }
    object.retain(|keyword, _| !keyword.starts_with("x-"));
    // Two objects deep stand the protocol's own shapes, such as a range's positions, which models know by heart.
    if depth > 0 {
        object.remove("properties");
        object.remove("required");
    }
    if let Some(Value::Object(properties)) = object.get_mut("properties") {
        properties.values_mut().for_each(|property| slim_inside(property, depth + 1));
    }
    if let Some(items) = object.get_mut("items") {
        slim_inside(items, depth + 1);
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

/// What is in a resource, under the URI that was asked for.
pub(crate) fn resource(uri: String, text: ResourceText) -> ReadResourceResult {
    ReadResourceResult::new(vec![ResourceContents::text(text.text, uri).with_mime_type(text.mime_type)])
}
