//! Calls a function that a client of the host has registered.

use std::sync::Arc;

use serde_json::{Map, Value};
use zubi_tool_api::{ErrorCode, ToolCx, ToolError, ToolOutput};

use crate::declared_tool::DeclaredTool;
use crate::functions::{Function, FunctionError, NOT_REGISTERED, REGISTER_HINT, result_text};
use zubi_tools::shell::answer::output_budget;

pub(crate) async fn run(
    tool: &DeclaredTool,
    handler: &str,
    args: Map<String, Value>,
    cx: &ToolCx,
) -> Result<ToolOutput, ToolError> {
    let function: Arc<dyn Function> =
        tool.context.functions.get(handler).ok_or_else(|| tool.run_error(NOT_REGISTERED, REGISTER_HINT))?;
    let call = tokio::time::timeout(tool.definition.timeout, function.call(Value::Object(args), cx));
    let value =
        call.await.unwrap_or(Err(FunctionError::TimedOut)).map_err(|error| function_error(tool, handler, &error))?;
    let text = tool.context.truncate_or_store(result_text(&value), output_budget(cx)).await;
    Ok(ToolOutput { text, data: Some(value), ..ToolOutput::default() })
}

fn function_error(tool: &DeclaredTool, handler: &str, error: &FunctionError) -> ToolError {
    let (code, hint) = match error {
        FunctionError::Failed(_) => {
            (ErrorCode::Failed, "Check the arguments; the function belongs to another program.")
        }
        FunctionError::Disconnected(_) => (ErrorCode::Unavailable, REGISTER_HINT),
        FunctionError::TimedOut => (ErrorCode::TimedOut, "Request less work; the tool's `timeout` is the limit."),
        FunctionError::Cancelled => (ErrorCode::Cancelled, "Call again if you still need the answer."),
    };
    ToolError::user(code, format!("Error in {}: `{handler}`: {error}", tool.id()), hint)
}
