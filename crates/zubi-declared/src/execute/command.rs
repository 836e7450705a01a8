//! Runs a command of the open editor.

use std::time::Instant;

use serde_json::{Map, Value};
use zubi_base::endpoint::RequestCx;
use zubi_tool_api::{ErrorCode, ToolCx, ToolError, ToolOutput};

use crate::declared_tool::DeclaredTool;
use crate::functions::result_text;
use crate::plan::NO_EDITOR;
use zubi_tools::editor_state::ViewError;
use zubi_tools::shell::answer::output_budget;

/// Hint for the user if no editor is connected.
pub(crate) const OPEN_EDITOR_HINT: &str = "Open the workspace in VS Code with zubi's extension, or use another tool.";

/// Returns the command's arguments: the list in the file, with a string `$name` replaced by the argument (null if
/// missing); without a list, all arguments as one object, if there are any.
pub(crate) fn arguments(listed: &[Value], values: &Map<String, Value>) -> Vec<Value> {
    if listed.is_empty() {
        return if values.is_empty() { Vec::new() } else { vec![Value::Object(values.clone())] };
    }
    let resolve = |value: &Value| match value.as_str().and_then(|text| text.strip_prefix('$')) {
        Some(name) => values.get(name).cloned().unwrap_or(Value::Null),
        None => value.clone(),
    };
    listed.iter().map(resolve).collect()
}

pub(crate) async fn run(
    tool: &DeclaredTool,
    command: &str,
    args: Vec<Value>,
    cx: &ToolCx,
) -> Result<ToolOutput, ToolError> {
    let editor = tool.context.editor.as_ref().ok_or_else(|| tool.run_error(NO_EDITOR, OPEN_EDITOR_HINT))?;
    let deadline = cx.deadline.min(Instant::now() + tool.definition.timeout);
    let result = editor.execute(command, args, &RequestCx::new(cx.cancel.clone(), deadline)).await;
    let value = result.map_err(|error| command_error(tool, command, &error))?;
    let text = tool.context.truncate_or_store(result_text(&value), output_budget(cx)).await;
    Ok(ToolOutput { text, data: Some(value), ..ToolOutput::default() })
}

fn command_error(tool: &DeclaredTool, command: &str, error: &ViewError) -> ToolError {
    let (code, hint) = match error {
        ViewError::Unsupported | ViewError::Loading | ViewError::Disconnected => {
            (ErrorCode::Unavailable, OPEN_EDITOR_HINT)
        }
        ViewError::Cancelled => (ErrorCode::Cancelled, "Call again if you still need the answer."),
        ViewError::TimedOut => (
            ErrorCode::TimedOut,
            "The command may still be waiting for the user in the editor; the tool's `timeout` is the limit.",
        ),
        ViewError::Failed(_) => (ErrorCode::Failed, "Check the command's id and its arguments in the tool's file."),
    };
    ToolError::user(code, format!("Error in {}: `{command}`: {error}", tool.id()), hint)
}
