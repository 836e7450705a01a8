//! Calls a function that a client of the host has registered.

use std::sync::Arc;

use serde_json::{Map, Value};
use zubi_tools::{Code, ToolCx, ToolError, ToolOutput};

use crate::declared::functions::{Function, FunctionError, NOBODY, REGISTER, text_of};
use crate::declared::tool::DeclaredTool;
use crate::shell::answer::room;

pub(in crate::declared) async fn run(
    tool: &DeclaredTool,
    handler: &str,
    args: Map<String, Value>,
    cx: &ToolCx,
) -> Result<ToolOutput, ToolError> {
    let function: Arc<dyn Function> =
        tool.machinery.functions.get(handler).ok_or_else(|| tool.run_error(NOBODY, REGISTER))?;
    let called = tokio::time::timeout(tool.definition.timeout, function.call(Value::Object(args), cx));
    let value = called.await.unwrap_or(Err(FunctionError::TimedOut)).map_err(|error| function_error(tool, handler, &error))?;
    let text = tool.machinery.truncate_or_store(text_of(&value), room(cx)).await;
    Ok(ToolOutput { text, data: Some(value), ..ToolOutput::default() })
}

fn function_error(tool: &DeclaredTool, handler: &str, error: &FunctionError) -> ToolError {
    let (code, hint) = match error {
        FunctionError::Failed(_) => (Code::Failed, "Check the arguments; the function belongs to another program."),
        FunctionError::Gone(_) => (Code::Unavailable, REGISTER),
        FunctionError::TimedOut => {
            (Code::TimedOut, "Request less work; the tool's `timeout` is the limit.")
        }
        FunctionError::Cancelled => (Code::Cancelled, "Call again if you still need the answer."),
    };
    ToolError::user(code, format!("Error in {}: `{handler}`: {error}", tool.id()), hint)
}
