//! Meta tools: find tools that are not in every list, and call any tool.
//!
//! They go through the registry like every caller. An inner call is therefore validated, checked by the policy,
//! recorded and cancelled exactly like a direct one, with the restrictions of the calling session, and a filter that
//! hides a tool hides it here too.

mod call_read_tool;
mod call_tool;
mod delegation;
mod find_tools;

use std::sync::{Arc, Weak};
use std::time::Duration;

use zubi_tool_api::registry::Registry;
use zubi_tool_api::{Exposure, ToolProvider, static_provider};

use crate::adapter::{ToolMeta, tool};

pub(crate) use call_read_tool::ID as CALL_READ_TOOL;
pub(crate) use call_tool::ID as CALL_TOOL;
pub(crate) use find_tools::ID as FIND_TOOLS;

/// Toolset name for `--toolsets`.
const TOOLSET: &str = "tools";

/// Defaults of the meta tools.
const META_TOOL: ToolMeta = ToolMeta {
    exposure: Exposure::Direct,
    toolset: TOOLSET,
    category: "Tools",
    // Longer than any tool's own time-out, which applies.
    timeout: Duration::from_hours(1),
    ..ToolMeta::DEFAULT
};

/// Creates the provider of the meta tools over a registry. The registry owns these tools: hence the weak handle, and a
/// registry created with [`Arc::new_cyclic`].
pub fn provider(registry: &Weak<Registry>) -> Arc<dyn ToolProvider> {
    let registry = Arc::new(registry.clone());
    let tools = vec![
        tool::<find_tools::FindTools>(&registry),
        tool::<call_read_tool::ReadToolCaller>(&registry),
        tool::<call_tool::AnyToolCaller>(&registry),
    ];
    static_provider("tools", "Tools about tools", tools)
}
