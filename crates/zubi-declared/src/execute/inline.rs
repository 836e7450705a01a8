//! Runs a tool's JavaScript. The code calls other tools through the registry, and therefore subject to the policy and
//! to the caller's restrictions.

use std::sync::{Arc, Weak};

use async_trait::async_trait;
use serde_json::{Map, Value};
use zubi_base::clock::milliseconds;
use zubi_exec::script::{NestedCaller, ScriptEnd, ScriptError, ScriptJob, ScriptLimits};
use zubi_tool_api::registry::{CallError, Registry};
use zubi_tool_api::{ErrorCode, ToolCx, ToolError, ToolOutput};

use super::MAX_FAILURE_BYTES;
use crate::declared_tool::DeclaredTool;
use zubi_tools::shell::answer::output_budget;

pub(crate) async fn run(
    tool: &DeclaredTool,
    code: &str,
    args: Map<String, Value>,
    cx: &ToolCx,
) -> Result<ToolOutput, ToolError> {
    let Some(runner) = &tool.context.scripts else {
        return Err(tool.run_error("JavaScript cannot run here", "Use another tool."));
    };
    let confined = tool.context.jobs.runner().sandbox().for_scripts(runner.executable()).await;
    let (confinement, _) =
        confined.map_err(|error| tool.run_error(error, "Call again; `zubi doctor` reports the available sandbox."))?;
    let runner = runner.clone().with_confinement(confinement);
    let time_ms = milliseconds(tool.definition.timeout);
    let job = ScriptJob { code: code.to_owned(), args, limits: ScriptLimits { time_ms, ..ScriptLimits::default() } };
    let nested = NestedCalls { registry: tool.context.registry.get().cloned(), cx: cx.clone() };
    // The time-out includes nested calls, because the caller waits for them.
    let finished = tokio::time::timeout(tool.definition.timeout, runner.run(&job, cx.nesting, &nested, &cx.cancel));
    let finished = finished.await.unwrap_or(Err(ScriptError::TimedOut { after_ms: time_ms }));
    let finished = finished.map_err(|error| script_error(tool, &error))?;
    answer(tool, finished, output_budget(cx)).await
}

async fn answer(tool: &DeclaredTool, finished: ScriptEnd, budget: usize) -> Result<ToolOutput, ToolError> {
    let ScriptEnd { outcome, log, log_truncated } = finished;
    let mut lines = log;
    if log_truncated {
        lines.push("… the rest of the log is not stored …".to_owned());
    }
    match outcome {
        Ok(value) => {
            lines.extend(match &value {
                Value::Null => None,
                Value::String(text) => Some(text.clone()),
                other => Some(format!("{other:#}")),
            });
            let text = if lines.is_empty() {
                "(no result)".to_owned()
            } else {
                tool.context.truncate_or_store(lines.join("\n"), budget).await
            };
            Ok(ToolOutput { text, data: Some(value), ..ToolOutput::default() })
        }
        Err(exception) => {
            lines.insert(0, exception.to_string());
            let details = tool.context.truncate_or_store(lines.join("\n"), budget.min(MAX_FAILURE_BYTES)).await;
            Err(tool.run_error(details, "Check the arguments; the code is in the tool's file."))
        }
    }
}

fn script_error(tool: &DeclaredTool, error: &ScriptError) -> ToolError {
    let (code, hint) = match error {
        ScriptError::TimedOut { .. } => (ErrorCode::TimedOut, "Request less work; the tool's `timeout` is the limit."),
        ScriptError::Cancelled => (ErrorCode::Cancelled, "Call again if you still need the answer."),
        ScriptError::TooDeep => (ErrorCode::Failed, "Call the inner tool directly."),
        _ => (ErrorCode::Failed, "Call again; if it fails again, report it to the user."),
    };
    ToolError::user(code, format!("Error in {}: {error}", tool.id()), hint)
}

/// Calls tools on behalf of code.
struct NestedCalls {
    registry: Option<Weak<Registry>>,
    cx: ToolCx,
}

#[async_trait]
impl NestedCaller for NestedCalls {
    async fn call(&self, tool: &str, args: Value) -> Result<Value, String> {
        let registry: Option<Arc<Registry>> = self.registry.as_ref().and_then(Weak::upgrade);
        let registry = registry.ok_or_else(|| format!("`{tool}` cannot be called here"))?;
        let cx = ToolCx { nesting: self.cx.nesting + 1, token_budget: None, ..self.cx.clone() };
        let args = if args.is_null() { Value::Object(Map::new()) } else { args };
        match registry.call(tool, args, cx).await {
            Ok(output) => Ok(output.data.clone().unwrap_or_else(|| Value::String(output.render()))),
            Err(CallError::Unknown { name, reason, .. }) => Err(format!("Invalid input: tool: `{name}`: {reason}")),
            Err(CallError::Tool { id, error }) => Err(error.render(&id)),
        }
    }
}
