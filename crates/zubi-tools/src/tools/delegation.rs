//! Calls that one tool delegates to another.

use std::sync::{Arc, Weak};

use anyhow::anyhow;
use schemars::{JsonSchema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use zubi_tool_api::footprint::DelegatedCall;
use zubi_tool_api::registry::{CallError, Registry};
use zubi_tool_api::spec::{CALL_READ_TOOL, CALL_TOOL, FIND_TOOLS};
use zubi_tool_api::{Effect, Footprint, Tool, ToolCx, ToolError, ToolOutput, schema};

/// Arguments of the tools that call others.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Input {
    /// Name
    pub(super) tool: String,
    /// By its schema
    #[serde(default)]
    #[schemars(schema_with = "object_of_any_arguments")]
    arguments: Option<Map<String, Value>>,
    /// The arguments of the tool, if they are given beside `tool`.
    #[serde(flatten)]
    others: Map<String, Value>,
}

/// The schema of an object with any members. Some model APIs refuse an object without `properties`.
fn object_of_any_arguments(_: &mut SchemaGenerator) -> schemars::Schema {
    json_schema!({ "type": "object", "properties": {}, "additionalProperties": true })
}

impl Input {
    /// Returns the arguments of the tool. Those in `arguments` take precedence.
    pub(super) fn into_arguments(self) -> Map<String, Value> {
        let mut arguments = self.others;
        arguments.extend(self.arguments.unwrap_or_default());
        arguments
    }
}

/// Returns the registry, which exists as long as the host.
pub(super) fn upgrade_registry(registry: &Weak<Registry>) -> Result<Arc<Registry>, ToolError> {
    registry.upgrade().ok_or_else(no_registry)
}

/// Returns the error of a tool without a registry.
pub(crate) fn no_registry() -> ToolError {
    ToolError::Fatal(anyhow!("the registry no longer exists"))
}

/// Finds the tool with a given name, if the session may use it and other tools may call it. Refreshes the list, because
/// the tool may be new.
pub(crate) async fn find_tool(registry: &Registry, name: &str, cx: &ToolCx) -> Result<Arc<dyn Tool>, ToolError> {
    let found = registry.find_refreshing(name, &cx.caller.restrictions).await;
    ensure_callable(found.map_err(|error| call_error(error, None))?)
}

fn ensure_callable(tool: Arc<dyn Tool>) -> Result<Arc<dyn Tool>, ToolError> {
    if [CALL_READ_TOOL, CALL_TOOL].contains(&tool.spec().id.as_str()) {
        let problem = format!("`{}` calls other tools and cannot be called by one", tool.spec().id);
        return Err(ToolError::invalid("tool", problem, "Pass the id of the tool to call."));
    }
    Ok(tool)
}

/// Calls a tool on behalf of the caller in `cx`.
pub(crate) async fn call_inner(
    registry: &Registry,
    tool: &dyn Tool,
    arguments: Map<String, Value>,
    cx: ToolCx,
) -> Result<ToolOutput, ToolError> {
    let id = tool.spec().id.clone();
    registry.call(&id, Value::Object(arguments), cx).await.map_err(|error| call_error(error, Some(&id)))
}

/// Returns an effect as the configuration spells it.
pub(super) fn as_str(effect: Effect) -> String {
    json!(effect).as_str().unwrap_or_default().to_owned()
}

/// Returns the footprint of the outer call: that of the inner call, without its secrets in the audit record. The policy
/// judges and prompts for the inner call under its own name; two prompts for one action would train users to approve
/// without reading. The effect of the outer call is therefore at most Write, which requires no approval.
pub(super) fn footprint(registry: &Weak<Registry>, args: &Value, cx: &ToolCx) -> Footprint {
    let inner = || {
        let registry = registry.upgrade()?;
        let input: Input = schema::parse(args.clone()).ok()?;
        let tool = ensure_callable(registry.find(&input.tool, &cx.caller.restrictions).ok()?).ok()?;
        let arguments = Value::Object(input.into_arguments());
        let footprint = registry.footprint(&tool.spec().id, arguments.clone(), cx).ok()?;
        let effect = footprint.effect.unwrap_or(tool.spec().effect).min(Effect::Write);
        let delegated_call = Some(DelegatedCall { tool: tool.spec().id.clone(), arguments });
        Some(Footprint { effect: Some(effect), delegated_call, ..footprint })
    };
    // A call that cannot run has no effects, and its error gives the reason.
    inner().unwrap_or_else(|| Footprint::from_effect(Effect::Read))
}

fn call_error(error: CallError, called_id: Option<&str>) -> ToolError {
    match error {
        CallError::Unknown { name, reason, .. } => ToolError::invalid(
            "tool",
            format!("`{name}`: {reason}"),
            format!("`{FIND_TOOLS}` lists the available tools."),
        ),
        CallError::Tool { error: ToolError::Fatal(error), id } if called_id.is_some() => {
            ToolError::Fatal(error.context(format!("in {id}")))
        }
        CallError::Tool { error, .. } => error,
    }
}
