//! File tools: read, write, edit, list and search, for agents without file tools of their own.
//!
//! Each file here is one tool; [`provider`] is the table. MCP lists omit them, because MCP clients have file tools of
//! their own and every listed tool costs tokens in every conversation; `zubi_find_tools` finds them. Arguments can name only
//! files of the workspace, checked after symlinks are resolved ([`paths`]). For a file open in an editor, the tools use
//! the editor's text. All writes use [`zubi_code::edit`], so they are atomic and `undo_edit` can revert them. They
//! never overwrite a text that has changed since the caller read it ([`read_guard`]).

mod edit;
mod file_tool;
mod get_current;
mod glob;
mod list;
pub(crate) mod paths;
pub(crate) mod read;
mod read_guard;
pub(crate) mod search;
mod write;
pub(crate) mod write_path;

use std::sync::Arc;

use zubi_code::CodeIntel;
use zubi_tool_api::{ToolProvider, static_provider};

use self::file_tool::FileToolContext;
use crate::adapter::tool;

/// Creates the provider of all file tools, in list order.
pub fn provider(intel: &Arc<CodeIntel>) -> Arc<dyn ToolProvider> {
    let files = Arc::new(FileToolContext { intel: Arc::clone(intel), reads: read_guard::ReadTracker::default() });
    let tools = vec![
        tool::<read::ReadFile>(&files),
        tool::<write::WriteFile>(&files),
        tool::<edit::EditFile>(&files),
        tool::<list::ListFiles>(&files),
        tool::<search::SearchFiles>(&files),
        tool::<get_current::GetCurrent>(&files),
    ];
    static_provider("file", "Files", tools)
}
