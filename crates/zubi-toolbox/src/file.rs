//! Files: read, written, edited, listed, searched, for agents that have no tools of their own for that.
//!
//! Each file here is one tool; [`provider`] is the table. They are not in every MCP list: the clients that speak MCP have
//! tools for files, and a list costs every conversation; `find_tools` finds these. Only files of the workspace can be
//! named, decided after links are resolved ([`paths`]). What is read is what the editor shows where a file is open
//! there. Everything that writes goes through [`zubi_code::edit`], so that it is atomic and `undo_edit` takes it back,
//! and never over a text that has changed since it was read ([`seen`]).

mod edit;
mod get_current;
mod glob;
mod list;
pub(crate) mod paths;
mod read;
mod replace;
pub(crate) mod search;
mod seen;
mod write;
pub(crate) mod written;

use std::sync::Arc;

use zubi_code::CodeIntel;
use zubi_tools::{ToolProvider, static_provider};

use crate::os_tool::tool;

/// What the tools for files share.
pub(crate) struct Files {
    pub(crate) intel: Arc<CodeIntel>,
    pub(crate) seen: seen::ReadTracker,
}

/// All tools for files, in the order in which they are listed.
pub fn provider(intel: &Arc<CodeIntel>) -> Arc<dyn ToolProvider> {
    let files = Arc::new(Files { intel: Arc::clone(intel), seen: seen::ReadTracker::default() });
    let tools = vec![
        tool::<read::Read>(&files),
        tool::<write::Write>(&files),
        tool::<edit::Edit>(&files),
        tool::<list::List>(&files),
        tool::<search::Search>(&files),
        tool::<get_current::GetCurrent>(&files),
    ];
    static_provider("file", "Files", tools)
}
