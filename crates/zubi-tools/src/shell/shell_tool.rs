//! Common part of the shell tools: their defaults and state, and the environment, folder and errors of every command.

use std::ffi::OsString;
use std::sync::Arc;

use camino::Utf8PathBuf;
use zubi_exec::job::{Jobs, RunError};
use zubi_exec::sandbox::{Sandbox, SandboxError};
use zubi_tool_api::{ToolCx, ToolError};

use crate::adapter::ToolMeta;
use crate::file::paths;

/// Toolset name for `--toolsets`.
pub const TOOLSET: &str = "shell";

/// Defaults of the shell tools.
pub(super) const SHELL_TOOL: ToolMeta = ToolMeta { toolset: TOOLSET, category: "Shell", ..ToolMeta::DEFAULT };

/// State shared by the shell tools.
pub(crate) struct ShellToolContext {
    pub(crate) jobs: Arc<Jobs>,
    /// `PATH` of the commands.
    pub(crate) search_path: Option<OsString>,
}

/// Variables that turn off colors, pagers and prompts, even in programs that believe they have a terminal.
const ENVIRONMENT: &[(&str, &str)] =
    &[("TERM", "dumb"), ("NO_COLOR", "1"), ("PAGER", "cat"), ("GIT_PAGER", "cat"), ("GIT_TERMINAL_PROMPT", "0")];

/// Returns the variables of every command, in addition to the inherited ones.
pub fn environment() -> Vec<(String, String)> {
    ENVIRONMENT.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

/// Resolves the directory of the workspace in which a command runs.
pub fn directory(cx: &ToolCx, cwd: Option<&str>) -> Result<Utf8PathBuf, ToolError> {
    let path = paths::resolve_existing(cx, "cwd", cwd.unwrap_or("."))?;
    if path.is_dir() {
        return Ok(path);
    }
    let problem = format!("`{}` is not a folder", cx.workspace.display(&path));
    Err(ToolError::invalid("cwd", problem, "Name a folder of the workspace; without `cwd` it is the workspace itself."))
}

/// Finds out the level of the sandbox, so that a footprint can name it.
///
/// # Errors
/// If the level is unknown or too low, so that nothing would run.
pub async fn prepare_sandbox(sandbox: &Sandbox, operation: &str) -> Result<(), ToolError> {
    match sandbox.probe().await {
        Ok(_) => Ok(()),
        Err(error) => Err(run_error_in(operation, &RunError::Sandbox(error))),
    }
}

/// Returns the reason for approving each run if nothing holds it, whatever rules allow and however harmless it looks.
pub fn sandbox_problem(sandbox: &Sandbox) -> Option<String> {
    sandbox.is_absent().then(|| "there is no sandbox here, so nothing limits what it does".to_owned())
}

pub(super) fn run_error(error: &RunError) -> ToolError {
    run_error_in("run the command", error)
}

/// Converts a failed run into an error that begins with `Failed to <operation>: …`.
pub fn run_error_in(operation: &str, error: &RunError) -> ToolError {
    let hint = match error {
        RunError::Sandbox(SandboxError::Unknown(_)) => {
            "Call again: the sandbox is tested again. If it fails again, `zubi doctor` reports why."
        }
        RunError::Sandbox(_) | RunError::Confine(_) => {
            "`zubi doctor` reports the available sandbox; without the required level no command runs."
        }
        RunError::Start(_) => "Check that the folder and the shell exist and are accessible.",
        RunError::NoShell(_) => "The user can install it, or write the script for `sh`.",
        RunError::StoreOutput(_) => "Check that zubi's state directory is writable and the disk is not full.",
    };
    ToolError::operation_failed(operation, error, hint)
}
