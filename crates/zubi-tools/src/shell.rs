//! Shell tools for agents without a shell: run commands in the sandbox, also in the background, and locate programs.
//!
//! Each file here is one tool; [`provider`] is the table. `zubi_policy::shell` derives the command's effects from its
//! text before it runs, and the policy decides about them; the sandbox confines the command in any case. Commands run
//! only in directories of the workspace. Over MCP the whole toolset is absent unless the user enables it.

pub mod answer;
mod git_attributes;
mod git_objects;
mod git_start;
mod job;
mod link_paths;
mod run;
mod shell_tool;
mod terminal;
mod which;

use std::ffi::OsString;
use std::sync::Arc;

use zubi_exec::job::Jobs;
use zubi_tool_api::{ToolProvider, static_provider};

use self::shell_tool::ShellToolContext;
use crate::adapter::tool;

pub use self::shell_tool::{TOOLSET, directory, environment, prepare_sandbox, run_error_in, sandbox_problem};

/// Creates the provider of all shell tools, in list order. `search_path` is `PATH`.
pub fn provider(jobs: &Arc<Jobs>, search_path: Option<OsString>) -> Arc<dyn ToolProvider> {
    let shell = Arc::new(ShellToolContext { jobs: Arc::clone(jobs), search_path });
    let tools = vec![
        tool::<run::RunCommand>(&shell),
        tool::<job::JobTool>(&shell),
        tool::<which::WhichTool>(&shell),
        tool::<terminal::VisibleTerminal>(&shell),
    ];
    static_provider("shell", "Shell", tools)
}
