//! Meta tools: find tools that are not in every list, and call any tool.
//!
//! They go through the registry like every caller. An inner call is therefore validated, checked by the policy,
//! recorded and cancelled exactly like a direct one, with the restrictions of the calling session, and a filter that
//! hides a tool hides it here too.

mod call_read_tool;
mod call_tool;
mod find_tools;
mod meta_adapter;

use std::sync::{Arc, Weak};

use zubi_tool_api::registry::Registry;
use zubi_tool_api::{Tool, ToolProvider, static_provider};

pub(crate) use call_read_tool::ID as CALL_READ_TOOL;
pub(crate) use call_tool::ID as CALL_TOOL;
pub(crate) use find_tools::ID as FIND_TOOLS;

/// Toolset name for `--toolsets`.
const TOOLSET: &str = "tools";

/// Creates the provider of the meta tools over a registry. The registry owns these tools: hence the weak handle, and a
/// registry created with [`Arc::new_cyclic`].
pub fn provider(registry: &Weak<Registry>) -> Arc<dyn ToolProvider> {
    let tools: Vec<Arc<dyn Tool>> = vec![
        Arc::new(find_tools::FindTools::new(registry.clone())),
        Arc::new(call_read_tool::ReadToolCaller::new(registry.clone())),
        Arc::new(call_tool::AnyToolCaller::new(registry.clone())),
    ];
    static_provider("tools", "Tools about tools", tools)
}
