//! Converts tools, resources and answers to MCP's types. Every conversation pays for the tool list, so the conversion
//! removes parts of schemas that do not help a model.

use std::sync::Arc;

use rmcp::model::{
    CallToolResult, ContentBlock, Icon, JsonObject, MetaObject, ReadResourceResult, Resource, ResourceContents, Tool,
    ToolAnnotations,
};
use serde_json::{Value, json};
use zubi_host::CallAnswer;
use zubi_tool_api::spec::{EDIT_TOOLSET, Effect, Exposure, META_TOOLSET, ToolSpec};
use zubi_tool_api::{ResourceSpec, ResourceText};

use crate::icons;

/// Marks a parameter that the list omits: most calls do not need it, and no answer names it; see [`slim`].
const COMMON: &str = "x-common";

/// The key under which Claude Code finds that a tool belongs into every prompt, although it defers the others.
const ALWAYS_LOAD: &str = "anthropic/alwaysLoad";

/// The key under which Claude Code's search for tools finds further words.
const SEARCH_HINT: &str = "anthropic/searchHint";

/// The tools that most work needs: find, read, rename, check, apply, undo.
const ALWAYS_LOADED: [&str; 6] =
    ["lsp_references", "read_symbol", "lsp_rename_symbol", "lsp_diagnostics", "apply_edit", "undo_edit"];

/// The tools that a list contains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ToolListing {
    /// The directly exposed tools, without the parameters that most calls do not need. Every conversation pays for it.
    Short,
    /// All tools with all parameters, without those that only find and call others: for clients that defer the tools of
    /// their servers and search them.
    Whole,
}

impl ToolListing {
    /// The names, or their beginnings, of the clients that search tools themselves.
    const SEARCHING_CLIENTS: [&str; 2] = ["claude-code", "qwen-"];

    pub(crate) fn for_client(name: &str) -> Self {
        let name = name.to_ascii_lowercase();
        if Self::SEARCHING_CLIENTS.iter().any(|client| name.starts_with(client)) { Self::Whole } else { Self::Short }
    }

    /// Returns the maximum size of a search hint, in bytes. Every list pays for it, and descriptions are searched too.
    fn max_hint(self) -> usize {
        match self {
            Self::Short => 12,
            Self::Whole => 24,
        }
    }

    pub(crate) fn contains(self, spec: &ToolSpec) -> bool {
        match self {
            Self::Short => spec.exposure == Exposure::Direct,
            Self::Whole => spec.exposure != Exposure::Hidden && spec.toolset != META_TOOLSET,
        }
    }
}

/// Converts the tools of a list, in their order.
pub(crate) fn tools(specs: &[Arc<ToolSpec>], listing: ToolListing) -> Vec<Tool> {
    specs.iter().filter(|spec| listing.contains(spec)).map(|spec| tool(spec, listing)).collect()
}

/// Returns the tool list as JSON, as sent over the wire; for measurements and snapshots.
pub fn tool_list_json(specs: &[Arc<ToolSpec>]) -> String {
    serde_json::to_string(&tools(specs, ToolListing::Short)).unwrap_or_default()
}

fn tool(spec: &ToolSpec, listing: ToolListing) -> Tool {
    Tool::new(spec.wire_name(), spec.description.clone(), Arc::new(slim(&spec.input, listing)))
        .with_title(&spec.title)
        .with_annotations(annotations(spec))
        .with_icons(vec![Icon::new(icons::icon(spec))])
        .with_meta(meta(spec, listing))
}

/// Returns the hints of a tool. All four are set, because clients assume the worst for an omitted one.
fn annotations(spec: &ToolSpec) -> ToolAnnotations {
    if !spec.is_to_be_confirmed() {
        return ToolAnnotations::new().read_only(true).destructive(false).idempotent(true).open_world(false);
    }
    ToolAnnotations::new()
        .read_only(false)
        // An edit can be undone and never overwrites what has changed since. Clients without a user refuse other tools.
        .destructive(!spec.is_reversible())
        // A plan is applied or undone only once; the second call of the same kind changes nothing.
        .idempotent(spec.toolset == EDIT_TOOLSET)
        .open_world(spec.effect >= Effect::Execute)
}

/// Returns the metadata for a client that searches tools itself.
fn meta(spec: &ToolSpec, listing: ToolListing) -> MetaObject {
    let mut meta = MetaObject::default();
    if ALWAYS_LOADED.contains(&spec.id.as_str()) {
        meta.0.insert(ALWAYS_LOAD.to_owned(), true.into());
    } else {
        meta.0.insert(SEARCH_HINT.to_owned(), search_hint(spec, listing).into());
    }
    meta
}

/// Returns the first tags of a tool that its name does not contain and that fit; or else the first word of its title.
fn search_hint(spec: &ToolSpec, listing: ToolListing) -> String {
    let mut hint = String::new();
    // No client that searches tools lists the tools that find and call others.
    let tags = if spec.toolset == META_TOOLSET { &[][..] } else { &spec.tags };
    for tag in tags.iter().filter(|tag| !spec.id.contains(tag.replace(' ', "_").as_str())) {
        let separator = if hint.is_empty() { "" } else { ", " };
        if hint.len() + separator.len() + tag.len() <= listing.max_hint() {
            hint.push_str(separator);
            hint.push_str(tag);
        }
    }
    if hint.is_empty() { spec.title.split(' ').next().unwrap_or_default().to_owned() } else { hint }
}

/// Returns a schema without zubi's own keywords and the bounds that descriptions contain, and, in a short list, without
/// the parameters that most calls do not need. The registry validates against the full schema, so the same arguments
/// are valid.
fn slim(schema: &JsonObject, listing: ToolListing) -> JsonObject {
    let mut schema = schema.clone();
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        properties.retain(|_, property| listing == ToolListing::Whole || property.get(COMMON).is_none());
        properties.values_mut().for_each(slim_nested);
    }
    // Some clients reject a root schema without `properties`.
    schema.entry("properties").or_insert_with(|| JsonObject::new().into());
    schema.remove("additionalProperties");
    schema.remove("description");
    schema
}

/// Removes such parts from a nested schema. The properties of an object remain, because some model APIs refuse one without.
fn slim_nested(schema: &mut Value) {
    let Value::Object(object) = schema else { return };
    // The description explains the bounds, and a call that exceeds them gets an error.
    object.remove("minimum");
    object.remove("maximum");
    object.remove("maxLength");
    object.retain(|keyword, _| !keyword.starts_with("x-"));
    match object.get("additionalProperties") {
        Some(Value::Bool(false)) => drop(object.remove("additionalProperties")),
        // The same as a schema: Google's SDK accepts no `true` here.
        Some(Value::Bool(true)) => drop(object.insert("additionalProperties".to_owned(), JsonObject::new().into())),
        _ => {}
    }
    split_types(object);
    if object.get("type").is_some_and(|kind| kind == "object") {
        object.entry("properties").or_insert_with(|| JsonObject::new().into());
    }
    if let Some(Value::Object(properties)) = object.get_mut("properties") {
        properties.values_mut().for_each(slim_nested);
    }
    if let Some(items) = object.get_mut("items") {
        slim_nested(items);
    }
    if let Some(Value::Array(choices)) = object.get_mut("anyOf") {
        choices.iter_mut().for_each(slim_nested);
    }
}

/// Converts a list of types to a choice of schemas with one type each: Anthropic's SDK accepts no list, and Google's
/// loses the description. Null is the same as an absent argument, so it is not a choice.
fn split_types(object: &mut JsonObject) {
    let Some(Value::Array(types)) = object.get_mut("type") else { return };
    let mut types = std::mem::take(types);
    types.retain(|kind| kind != "null");
    if let [only] = types.as_slice() {
        object.insert("type".to_owned(), only.clone());
        return;
    }
    object.remove("type");
    let choices: Vec<Value> = types.into_iter().map(|kind| json!({ "type": kind })).collect();
    object.insert("anyOf".to_owned(), choices.into());
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::slim_nested;

    #[test]
    fn nested_schemas_have_one_type_and_no_boolean_schema() {
        let mut schema = json!({
            "type": "object", "additionalProperties": false,
            "properties": {
                "value": { "type": ["string", "number", "null"] },
                "name": { "type": ["string", "null"] },
                "rest": { "anyOf": [{ "type": "object", "additionalProperties": true }, { "type": "string" }] },
            },
        });
        slim_nested(&mut schema);
        let expected = json!({
            "type": "object",
            "properties": {
                "value": { "anyOf": [{ "type": "string" }, { "type": "number" }] },
                "name": { "type": "string" },
                "rest": { "anyOf": [{ "type": "object", "additionalProperties": {}, "properties": {} }, { "type": "string" }] },
            },
        });
        assert_eq!(schema, expected);
    }
}
