//! The calls that a script makes, and what an answer must say about them.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use serde_json::{Map, Value, json};
use zubi_base::sync::lock;
use zubi_base::text::list_first;
use zubi_exec::script::NestedCaller;
use zubi_tool_api::registry::Registry;
use zubi_tool_api::{Effect, ToolCx, ToolOutput, ToolSpec};

use super::TOOLSET;
use crate::tools::delegation;

/// The size of the answer of a call in tokens, unless the script gives one: a script reads more than a model.
const ANSWER_TOKENS: u32 = 20_000;

/// The maximum number of tools that the answer names.
const MAX_NAMED: usize = 3;

/// Calls tools for a script, with the rights of the script's caller.
pub(super) struct ScriptCalls {
    registry: Arc<Registry>,
    cx: ToolCx,
    made: Mutex<MadeCalls>,
}

/// The calls that a script has made.
#[derive(Debug, Default)]
pub(super) struct MadeCalls {
    pub(super) count: usize,
    /// The successful calls that may have changed something: their tools, with the calls that undo them.
    changing: Vec<String>,
    /// The tool of the call that may change something and that has not answered.
    unfinished: Option<String>,
    /// The tools whose answers have left out something, with reasons.
    incomplete: Vec<String>,
}

impl MadeCalls {
    /// Returns a clause about the changes that remain although the script has failed.
    pub(super) fn changes(&self) -> Option<String> {
        let changing = list_first(self.changing.iter().cloned(), MAX_NAMED);
        let changing = (!changing.is_empty()).then(|| format!("already done: {changing}"));
        let unfinished = self.unfinished.as_ref().map(|tool| format!("begun, and may still run to its end: {tool}"));
        let clauses: Vec<String> = changing.into_iter().chain(unfinished).collect();
        (!clauses.is_empty()).then(|| clauses.join("; "))
    }

    /// Returns the reason why the result may be incomplete.
    pub(super) fn gap(&self) -> Option<String> {
        let incomplete = list_first(self.incomplete.iter().cloned(), MAX_NAMED);
        (!incomplete.is_empty()).then(|| format!("may be incomplete: {incomplete}"))
    }

    fn add(&mut self, spec: &ToolSpec, output: &ToolOutput) {
        if spec.effect > Effect::Plan {
            self.changing.extend(describe_change(spec, output));
        }
        // Data in JSON contain the status.
        let status = output.data.as_ref().map_or(&Value::Null, |data| &data["status"]);
        let is_incomplete = status["complete"] == json!(false)
            || output.status.as_ref().is_some_and(|status| status.complete == Some(false));
        let reason = match &output.truncated {
            Some(truncated) => format!("{} ({} of {})", spec.id, truncated.shown, truncated.total),
            None if is_incomplete => spec.id.clone(),
            None => return,
        };
        if !self.incomplete.contains(&reason) {
            self.incomplete.push(reason);
        }
    }
}

impl ScriptCalls {
    pub(super) fn new(registry: Arc<Registry>, cx: &ToolCx) -> Self {
        let cx = ToolCx { nesting: cx.nesting + 1, token_budget: None, ..cx.clone() };
        Self { registry, cx, made: Mutex::default() }
    }

    pub(super) fn into_made(self) -> MadeCalls {
        self.made.into_inner().unwrap_or_default()
    }

    async fn make(&self, tool: &str, args: Value) -> Result<Value, String> {
        let mut args = match args {
            Value::Null => Map::new(),
            Value::Object(args) => args,
            _ => return Err(format!("tools.{tool} takes one object: tools.{tool}({{name: value}})")),
        };
        let found = delegation::find_tool(&self.registry, tool, &self.cx).await.map_err(|error| error.render(tool))?;
        let spec = found.spec();
        if spec.toolset == TOOLSET {
            return Err("a script cannot run another".to_owned());
        }
        if has_json_format(spec) {
            args.entry("format").or_insert_with(|| json!("json"));
            let has_size = ["maxTokens", "max_tokens"].iter().any(|name| args.contains_key(*name));
            if !has_size {
                args.insert("maxTokens".to_owned(), json!(ANSWER_TOKENS));
            }
        }
        lock(&self.made).unfinished = (spec.effect > Effect::Plan).then(|| spec.id.clone());
        let output = delegation::call_inner(&self.registry, found.as_ref(), args, self.cx.clone()).await;
        lock(&self.made).unfinished = None;
        let output = output.map_err(|error| error.render(&spec.id))?;
        lock(&self.made).add(spec, &output);
        let text = || Value::String(output.render());
        Ok(output.data.clone().unwrap_or_else(text))
    }
}

/// Describes what a successful call may have changed; `None` for a call that only planned an edit.
fn describe_change(spec: &ToolSpec, output: &ToolOutput) -> Option<String> {
    let data = output.data.as_ref();
    let Some(plan) = data.and_then(|data| data["plan"].as_str()) else { return Some(spec.id.clone()) };
    // Only the answer of an applied plan lists the files that an editor has not saved.
    let is_applied = data.is_some_and(|data| data.get("unsaved").is_some());
    is_applied.then(|| match spec.id.as_str() {
        "undo_edit" => spec.id.clone(),
        id => format!("{id} (undo_edit {{\"plan\":\"{plan}\"}} undoes it)"),
    })
}

/// Whether a tool gives data with `format: "json"`, up to a number of tokens.
fn has_json_format(spec: &ToolSpec) -> bool {
    let property = |name: &str| spec.input.get("properties").and_then(|properties| properties.get(name));
    let formats = property("format").and_then(|format| format.get("enum")).and_then(Value::as_array);
    formats.is_some_and(|formats| formats.contains(&json!("json"))) && property("maxTokens").is_some()
}

#[async_trait]
impl NestedCaller for ScriptCalls {
    async fn call(&self, tool: &str, args: Value) -> Result<Value, String> {
        lock(&self.made).count += 1;
        self.make(tool, args).await
    }
}
