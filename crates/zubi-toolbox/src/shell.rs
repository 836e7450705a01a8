//! Commands: run in the sandbox, in the background, looked for, for agents that have no shell of their own.
//!
//! Each file here is one tool; [`provider`] is the table. What a command would do is read from its text before it runs
//! (`zubi_tools::shell`), and the policy decides on that; the sandbox holds it whatever the text said. Commands run in a
//! directory of the workspace and nowhere else. Over MCP the whole toolset is absent unless it is asked for.

mod answer;
mod job;
mod run;
mod terminal;
mod which;

use std::ffi::OsString;
use std::sync::Arc;

use camino::Utf8PathBuf;
use zubi_run::job::{Jobs, RunError};
use zubi_tools::{ToolCx, ToolError, ToolProvider, fixed};

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
        tool::<which::Which>(&shell),
        tool::<terminal::Terminal>(&shell),
    ];
    fixed("shell", "Shell", tools)
}

/// The directory of the workspace in which a command is to run.
fn directory(cx: &ToolCx, given: Option<&str>) -> Result<Utf8PathBuf, ToolError> {
    let path = paths::existing(cx, "cwd", given.unwrap_or("."))?;
    if path.is_dir() {
        return Ok(path);
    }
    let what = format!("`{}` is no folder", cx.workspace.display(&path));
    Err(ToolError::invalid("cwd", what, "Name a folder of the workspace; without `cwd` it is the workspace itself."))
}

fn did_not_run(error: &RunError) -> ToolError {
    let hint = match error {
        RunError::Sandbox(_) | RunError::Confine(_) => {
            "`zubi doctor` says which sandbox there is; without the one that is asked for nothing runs."
        }
        RunError::Start(_) => "See that the folder and the shell exist and can be used.",
        RunError::Keep(_) => "See that zubi's state directory can be written and the disk is not full.",
    };
    ToolError::failed("run the command", error, hint)
}
