//! `shell.terminal`: a command in a terminal visible to the user. It needs an editor and fails without one.

use std::time::Duration;

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use zubi_tool_api::{Effect, ErrorCode, Footprint, ToolCx, ToolError, ToolOutput};

use super::shell_tool::{SHELL_TOOL, ShellToolContext};
use crate::adapter::{ToolMeta, TypedTool};

pub(crate) struct VisibleTerminal;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Input {
    /// Command line to type into the terminal
    #[expect(dead_code, reason = "no terminal is implemented yet")]
    command: String,
    /// Name of the terminal
    #[expect(dead_code, reason = "no terminal is implemented yet")]
    name: Option<String>,
}

#[async_trait]
impl TypedTool for VisibleTerminal {
    const META: ToolMeta = ToolMeta {
        id: "shell.terminal",
        title: "Run in a visible terminal",
        description: "Runs a command in a terminal of the editor, where the user sees it and can type. Fails without an editor; then use shell.run, with background for long-running commands.",
        effect: Effect::Execute,
        tags: &["terminal", "interactive", "visible"],
        timeout: Duration::from_secs(10),
        example: || ("Start a server", json!({ "command": "npm run dev", "name": "dev server" })),
        ..SHELL_TOOL
    };
    type Context = ShellToolContext;
    type Input = Input;

    fn footprint(_shell: &ShellToolContext, _args: &Value, _cx: &ToolCx) -> Result<Footprint, ToolError> {
        // The call always fails, so it must not cause an approval prompt.
        Ok(Footprint::from_effect(Effect::Read))
    }

    async fn run(_shell: &ShellToolContext, _input: Input, _cx: &ToolCx) -> Result<ToolOutput, ToolError> {
        let reason = "no editor is connected, and only editors have visible terminals";
        let hint = "Use shell.run; with `background: true` it stays running, and shell.job shows its output.";
        Err(ToolError::user(ErrorCode::Unavailable, format!("Failed to open a terminal: {reason}"), hint))
    }
}
