//! Common part of the meta tools: their ids and their defaults.

use std::time::Duration;

use zubi_tool_api::Exposure;

use crate::adapter::ToolMeta;

/// The ids by which the meta tools refer to each other. Each tool states its own in its file.
pub(super) const FIND_TOOLS: &str = "find_tools";
pub(super) const CALL_READ_TOOL: &str = "call_read_tool";
pub(super) const CALL_TOOL: &str = "call_tool";

/// Toolset name for `--toolsets`.
pub(super) const TOOLSET: &str = "tools";

/// Defaults of the meta tools.
pub(super) const META_TOOL: ToolMeta = ToolMeta {
    exposure: Exposure::Direct,
    toolset: TOOLSET,
    category: "Tools",
    // Longer than any tool's own time-out, which applies.
    timeout: Duration::from_hours(1),
    ..ToolMeta::DEFAULT
};
