//! Common part of the file tools: their defaults and their state.

use std::sync::Arc;
use std::time::Duration;

use zubi_code::CodeIntel;

use super::read_guard::ReadTracker;
use crate::adapter::ToolMeta;

/// Defaults of the file tools.
pub(super) const FILE_TOOL: ToolMeta =
    ToolMeta { toolset: "file", category: "Files", timeout: Duration::from_mins(1), ..ToolMeta::DEFAULT };

/// State shared by the file tools.
pub(crate) struct FileToolContext {
    pub(crate) intel: Arc<CodeIntel>,
    pub(crate) reads: ReadTracker,
}
