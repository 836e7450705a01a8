//! A call that a tool passes on to another tool.

use std::sync::{Arc, Weak};
use std::time::Duration;

use anyhow::anyhow;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use zubi_tools::footprint::DelegatedCall;
use zubi_tools::registry::{CallError, Registry};
use zubi_tools::spec::Example;
use zubi_tools::{Approval, Effect, Exposure, Footprint, Tool, ToolCx, ToolError, ToolOutput, ToolSpec, schema};

use super::{CALL_READ_TOOL, CALL_TOOL, FIND_TOOLS, TOOLSET};

/// Longer than any tool's own time-out, which is the one that counts.
pub(super) const TIMEOUT: Duration = Duration::from_hours(1);

/// What the specifications of the tools about tools differ in.
pub(super) struct MetaToolMeta {
    pub(super) id: &'static str,
    pub(super) title: &'static str,
    pub(super) description: &'static str,
    pub(super) effect: Effect,
    pub(super) tags: &'static [&'static str],
    /// What it is for, and arguments.
    pub(super) example: (&'static str, Value),
}

/// The specification of a tool about tools.
pub(super) fn spec<I: JsonSchema>(about: &MetaToolMeta) -> ToolSpec {
    let (title, args) = about.example.clone();
    ToolSpec {
        id: about.id.to_owned(),
        title: about.title.to_owned(),
        description: about.description.to_owned(),
        input: schema::schema_of::<I>(),
        examples: vec![Example { title: title.to_owned(), args }],
        notes: String::new(),
        effect: about.effect,
        toolset: TOOLSET.to_owned(),
        exposure: Exposure::Direct,
        approval: Approval::ByEffect,
        timeout: TIMEOUT,
        category: "Tools".to_owned(),
        tags: about.tags.iter().map(|tag| (*tag).to_owned()).collect(),
        icon: None,
    }
}

/// What the tools that call others take.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Input {
    /// Id
    #[schemars(extend("x-plain" = true))]
    pub(super) tool: String,
    /// As its schema says
    #[schemars(extend("x-plain" = true))]
    pub(super) arguments: Option<Map<String, Value>>,
}

/// The registry; it is gone only when the host is.
pub(super) fn upgrade(registry: &Weak<Registry>) -> Result<Arc<Registry>, ToolError> {
    registry.upgrade().ok_or_else(|| ToolError::Fatal(anyhow!("the registry is gone")))
}

/// The tool that a caller means, if it exists for them and may be called by another tool. It may have come just now.
pub(super) async fn find(registry: &Registry, name: &str, cx: &ToolCx) -> Result<Arc<dyn Tool>, ToolError> {
    let found = registry.find_refreshing(name, &cx.caller.restrictions).await;
    callable(found.map_err(|error| failure(error, None))?)
}

fn callable(tool: Arc<dyn Tool>) -> Result<Arc<dyn Tool>, ToolError> {
    if [CALL_READ_TOOL, CALL_TOOL].contains(&tool.spec().id.as_str()) {
        let what = format!("`{}` calls other tools and is not called by one", tool.spec().id);
        return Err(ToolError::invalid("tool", what, "Name the tool itself that is to be called."));
    }
    Ok(tool)
}

/// Calls a tool as the caller of `cx` would.
pub(super) async fn call(
    registry: &Registry,
    tool: &dyn Tool,
    arguments: Option<Map<String, Value>>,
    cx: ToolCx,
) -> Result<ToolOutput, ToolError> {
    let id = tool.spec().id.clone();
    registry
        .call(&id, Value::Object(arguments.unwrap_or_default()), cx)
        .await
        .map_err(|error| failure(error, Some(&id)))
}

/// An effect in the word that the configuration uses.
pub(super) fn as_str(effect: Effect) -> String {
    json!(effect).as_str().unwrap_or_default().to_owned()
}

/// What the outer call touches: what the inner one would, with its secrets kept out of the record. It is the inner call that
/// the policy judges and a person is asked about, by its own name; asking twice for one thing would teach people to say yes.
/// So the effect of the outer one is at most Write, about which nobody is asked.
pub(super) fn footprint(registry: &Weak<Registry>, args: &Value, cx: &ToolCx) -> Footprint {
    let inner = || {
        let registry = registry.upgrade()?;
        let name = args.get("tool")?.as_str()?;
        let tool = callable(registry.find(name, &cx.caller.restrictions).ok()?).ok()?;
        let arguments = args.get("arguments").cloned().unwrap_or_default();
        let footprint = registry.footprint(name, arguments.clone(), cx).ok()?;
        let effect = footprint.effect.unwrap_or(tool.spec().effect).min(Effect::Write);
        let passes_on = Some(DelegatedCall { tool: tool.spec().id.clone(), arguments });
        Some(Footprint { effect: Some(effect), passes_on, ..footprint })
    };
    // A call that cannot be made touches nothing; running it says why.
    inner().unwrap_or_else(|| Footprint::of_effect(Effect::Read))
}

fn failure(error: CallError, called: Option<&str>) -> ToolError {
    match error {
        CallError::Unknown { name, why, .. } => {
            ToolError::invalid("tool", format!("`{name}`: {why}"), format!("`{FIND_TOOLS}` shows the tools there are."))
        }
        CallError::Tool { error: ToolError::Fatal(error), id } if called.is_some() => {
            ToolError::Fatal(error.context(format!("in {id}")))
        }
        CallError::Tool { error, .. } => error,
    }
}
