//! Converts between the wire types and the host's own types. Both ends are zubi, but possibly of different versions, so
//! unknown values are errors.

use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use zubi_base::clock::milliseconds;
use zubi_ipc::wire::tools as wire;
use zubi_tool_api::cx::Restrictions;
use zubi_tool_api::spec::Example;
use zubi_tool_api::{ErrorCode, ResourceSpec, ToolSpec};

use crate::service::CallAnswer;

/// Converts one tool to its wire form.
pub(crate) fn tool(spec: &ToolSpec) -> wire::ToolInfo {
    wire::ToolInfo {
        id: spec.id.clone(),
        title: spec.title.clone(),
        description: spec.description.clone(),
        input: spec.input.clone(),
        examples: spec
            .examples
            .iter()
            .map(|example| json!({ "title": example.title, "arguments": example.args }))
            .collect(),
        notes: spec.notes.clone(),
        effect: name(&spec.effect),
        toolset: spec.toolset.clone(),
        exposure: name(&spec.exposure),
        approval: name(&spec.approval),
        timeout: milliseconds(spec.timeout),
        category: spec.category.clone(),
        tags: spec.tags.clone(),
        icon: spec.icon.clone(),
    }
}

/// Parses one tool from its wire form. The error names the unknown part.
pub(crate) fn spec(tool: wire::ToolInfo) -> Result<Arc<ToolSpec>, String> {
    let example = |example: Value| Example {
        title: example.get("title").and_then(Value::as_str).unwrap_or_default().to_owned(),
        args: example.get("arguments").cloned().unwrap_or_default(),
    };
    Ok(Arc::new(ToolSpec {
        effect: of_name(&tool.effect)?,
        exposure: of_name(&tool.exposure)?,
        approval: of_name(&tool.approval)?,
        id: tool.id,
        title: tool.title,
        description: tool.description,
        input: tool.input,
        examples: tool.examples.into_iter().map(example).collect(),
        notes: tool.notes,
        toolset: tool.toolset,
        timeout: Duration::from_millis(tool.timeout),
        category: tool.category,
        tags: tool.tags,
        icon: tool.icon,
    }))
}

pub(crate) fn restrictions(restrictions: &Restrictions) -> wire::Restrictions {
    wire::Restrictions {
        read_only: restrictions.read_only,
        toolsets: restrictions.toolsets.clone(),
        tools: restrictions.tools.clone(),
    }
}

pub(crate) fn restrictions_from(restrictions: &wire::Restrictions) -> Restrictions {
    Restrictions {
        read_only: restrictions.read_only,
        toolsets: restrictions.toolsets.clone(),
        tools: restrictions.tools.clone(),
    }
}

pub(crate) fn resource(spec: ResourceSpec) -> wire::ResourceInfo {
    wire::ResourceInfo { uri: spec.uri, name: spec.name, description: spec.description, mime_type: spec.mime_type }
}

pub(crate) fn resource_from(resource: wire::ResourceInfo) -> ResourceSpec {
    ResourceSpec {
        uri: resource.uri,
        name: resource.name,
        description: resource.description,
        mime_type: resource.mime_type,
    }
}

/// Parses the result of a call. An unknown code of another version counts as a general failure, which the text
/// describes.
pub(crate) fn answer(result: wire::CallResult) -> CallAnswer {
    let code = result.code.as_deref().and_then(ErrorCode::from_name).unwrap_or(ErrorCode::Failed);
    CallAnswer {
        text: result.text,
        data: result.data,
        duration: Duration::try_from_secs_f64(result.duration / 1000.0).unwrap_or_default(),
        status: result.status,
        failure: result.is_error.then_some(code),
        next: result.next,
    }
}

/// Returns the name under which a plain enum is sent.
pub(crate) fn name(value: &impl Serialize) -> String {
    serde_json::to_value(value).ok().and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default()
}

fn of_name<T: DeserializeOwned>(name: &str) -> Result<T, String> {
    serde_json::from_value(json!(name))
        .map_err(|_| format!("this version of zubi does not understand the host's `{name}`"))
}
