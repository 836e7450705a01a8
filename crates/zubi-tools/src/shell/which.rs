//! `shell.which`: whether a command exists, and its path. It runs nothing.

use std::fmt::Write as _;
use std::time::Duration;

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use zubi_exec::program;
use zubi_tool_api::{ToolCx, ToolError, ToolOutput};

use super::shell_tool::{SHELL_TOOL, ShellToolContext};
use crate::adapter::{ToolMeta, TypedTool};

pub(crate) struct WhichTool;

/// Longest file name in bytes (`NAME_MAX`).
const MAX_NAME: usize = 255;

/// Built-in commands of shells (POSIX.1-2024, 2.15, and bash built-ins that are common in scripts).
const SHELL_BUILTINS: &[&str] = &[
    ".",
    ":",
    "[",
    "alias",
    "bg",
    "break",
    "builtin",
    "cd",
    "command",
    "continue",
    "declare",
    "dirs",
    "echo",
    "eval",
    "exec",
    "exit",
    "export",
    "false",
    "fg",
    "getopts",
    "hash",
    "jobs",
    "kill",
    "local",
    "mapfile",
    "popd",
    "printf",
    "pushd",
    "pwd",
    "read",
    "readarray",
    "readonly",
    "return",
    "set",
    "shift",
    "shopt",
    "source",
    "test",
    "times",
    "trap",
    "true",
    "type",
    "typeset",
    "ulimit",
    "umask",
    "unalias",
    "unset",
    "wait",
];

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Input {
    /// Name of a program, without a path
    command: String,
}

#[async_trait]
impl TypedTool for WhichTool {
    const META: ToolMeta = ToolMeta {
        id: "shell.which",
        title: "Find a command",
        description: "Reports whether a program is installed: every executable file of this name on the search path (PATH), the one that runs first at the top; also whether it is a shell built-in. Runs nothing.",
        notes: "The user's aliases and functions are unknown here, and in shell.run too.",
        tags: &["which", "where", "installed", "exists", "program", "PATH"],
        timeout: Duration::from_secs(10),
        example: || ("Is there a C compiler", json!({ "command": "cc" })),
        ..SHELL_TOOL
    };
    type Context = ShellToolContext;
    type Input = Input;

    async fn run(shell: &ShellToolContext, input: Input, _cx: &ToolCx) -> Result<ToolOutput, ToolError> {
        let name = input.command.trim().to_owned();
        let is_name = !name.is_empty() && name.len() <= MAX_NAME && !name.contains('/');
        if !is_name || name.chars().any(|c| c.is_control() || c.is_whitespace()) {
            let hint = "Pass the bare name of one program, such as `git`.";
            return Err(ToolError::invalid("command", "not a valid program name", hint));
        }
        let (path, program_name) = (shell.search_path.clone(), name.clone());
        let search = tokio::task::spawn_blocking(move || program::find(&program_name, path.as_deref()));
        let programs = search.await.map_err(|error| ToolError::Fatal(error.into()))?;
        let is_built_in = SHELL_BUILTINS.contains(&name.as_str());
        let mut text = String::new();
        if is_built_in {
            // Writing to a `String` cannot fail.
            let _ = writeln!(text, "`{name}` is built into the shell");
        }
        for program in &programs {
            let _ = writeln!(text, "{program}");
        }
        if text.is_empty() {
            let _ = writeln!(text, "no program `{name}` on the search path");
        }
        let data = json!({ "command": name, "found": programs, "builtIn": is_built_in });
        Ok(ToolOutput { text, data: Some(data), status: None, truncated: None })
    }
}
