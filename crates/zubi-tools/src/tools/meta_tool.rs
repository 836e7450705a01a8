//! Common part of the meta tools: their defaults. Their ids are in the specification, and each tool states its own in
//! its file.

use std::time::Duration;

use zubi_tool_api::Exposure;
use zubi_tool_api::spec::META_TOOLSET;

use crate::adapter::ToolMeta;

/// Defaults of the meta tools.
pub(super) const META_TOOL: ToolMeta = ToolMeta {
    exposure: Exposure::Direct,
    toolset: META_TOOLSET,
    category: "Tools",
    // Longer than any tool's own time-out, which applies.
    timeout: Duration::from_hours(1),
    ..ToolMeta::DEFAULT
};
