//! `shell.terminal`: a command in a terminal that the person sees. That needs an editor; without one it says so.

use std::time::Duration;

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use zubi_tools::{Code, Effect, Exposure, Footprint, ToolCx, ToolError, ToolOutput};

use super::Shell;
use crate::os_tool::{LocalToolMeta, LocalTool};

pub(crate) struct Terminal;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Input {
    /// Command line that is typed into the terminal
    #[expect(dead_code, reason = "there is no terminal yet that would get it")]
    command: String,
    /// Name of the terminal
    #[expect(dead_code, reason = "there is no terminal yet that would have it")]
    name: Option<String>,
}

#[async_trait]
impl LocalTool for Terminal {
    const ABOUT: LocalToolMeta = LocalToolMeta {
        id: "shell.terminal",
        title: "Run in a visible terminal",
        description: "Runs a command in a terminal of the editor, where the person sees it and can type. Without an editor there is no such terminal and it says so; use shell.run, with background for what goes on running.",
        notes: "",
        effect: Effect::Execute,
        exposure: Exposure::Deferred,
        toolset: super::TOOLSET,
        category: "Shell",
        tags: &["terminal", "interactive", "visible"],
        timeout: Duration::from_secs(10),
        example: || ("Start a server", json!({ "command": "npm run dev", "name": "dev server" })),
    };
    type Context = Shell;
    type Input = Input;

    fn footprint(_shell: &Shell, _input: &Input, _cx: &ToolCx) -> Result<Footprint, ToolError> {
        // Nobody is asked about what cannot happen.
        Ok(Footprint::of_effect(Effect::Read))
    }

    async fn run(_shell: &Shell, _input: Input, _cx: &ToolCx) -> Result<ToolOutput, ToolError> {
        let why = "no editor is connected, and only an editor has terminals that somebody sees";
        let hint =
            "Run it with shell.run; with `background: true` it goes on running, and shell.job shows what it writes.";
        Err(ToolError::user(Code::Unavailable, format!("Failed to open a terminal: {why}"), hint))
    }
}
