//! Commands: run in the sandbox, in the background, looked for, for agents that have no shell of their own.
//!
//! Each file here is one tool; [`provider`] is the table. What a command would do is read from its text before it runs
//! (`zubi_tools::shell`), and the policy decides on that; the sandbox holds it whatever the text said. Commands run in a
//! directory of the workspace and nowhere else. Over MCP the whole toolset is absent unless it is asked for.

pub(crate) mod answer;
mod job;
mod run;
mod terminal;
mod which;

use std::ffi::OsString;
use std::sync::Arc;

use camino::Utf8PathBuf;
use zubi_run::job::{Jobs, RunError};
use zubi_tools::{ToolCx, ToolError, ToolProvider, static_provider};

use crate::file::paths;
use crate::os_tool::tool;

/// The group that `--toolsets` selects.
pub const TOOLSET: &str = "shell";

/// What the tools for commands share.
pub(crate) struct Shell {
    pub(crate) jobs: Arc<Jobs>,
    /// `PATH`, as commands see it.
    pub(crate) search_path: Option<OsString>,
}

/// All tools for commands, in the order in which they are listed. `search_path` is `PATH`.
pub fn provider(jobs: &Arc<Jobs>, search_path: Option<OsString>) -> Arc<dyn ToolProvider> {
    let shell = Arc::new(Shell { jobs: Arc::clone(jobs), search_path });
    let tools = vec![
        tool::<run::Run>(&shell),
        tool::<job::Job>(&shell),
        tool::<which::WhichTool>(&shell),
        tool::<terminal::Terminal>(&shell),
    ];
    static_provider("shell", "Shell", tools)
}

/// What makes programs write for a reader that is no terminal, whatever they think.
const ENVIRONMENT: &[(&str, &str)] =
    &[("TERM", "dumb"), ("NO_COLOR", "1"), ("PAGER", "cat"), ("GIT_PAGER", "cat"), ("GIT_TERMINAL_PROMPT", "0")];

/// The variables of every command, besides what is let through.
pub(crate) fn environment() -> Vec<(String, String)> {
    ENVIRONMENT.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

/// The directory of the workspace in which a command is to run.
pub(crate) fn directory(cx: &ToolCx, given: Option<&str>) -> Result<Utf8PathBuf, ToolError> {
    let path = paths::resolve_existing(cx, "cwd", given.unwrap_or("."))?;
    if path.is_dir() {
        return Ok(path);
    }
    let what = format!("`{}` is no folder", cx.workspace.display(&path));
    Err(ToolError::invalid("cwd", what, "Name a folder of the workspace; without `cwd` it is the workspace itself."))
}

fn did_not_run(error: &RunError) -> ToolError {
    did_not_run_as("run the command", error)
}

/// `Failed to <operation>: …`.
pub(crate) fn did_not_run_as(operation: &str, error: &RunError) -> ToolError {
    let hint = match error {
        RunError::Sandbox(_) | RunError::Confine(_) => {
            "`zubi doctor` says which sandbox there is; without the one that is asked for nothing runs."
        }
        RunError::Start(_) => "See that the folder and the shell exist and can be used.",
        RunError::NoShell(_) => "The user can install it, or write the script for `sh`.",
        RunError::Keep(_) => "See that zubi's state directory can be written and the disk is not full.",
    };
    ToolError::operation_failed(operation, error, hint)
}
