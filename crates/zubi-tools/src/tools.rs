//! Meta tools: find tools that are not in every list, and call any tool.
//!
//! They go through the registry like every caller. An inner call is therefore validated, checked by the policy,
//! recorded and cancelled exactly like a direct one, with the restrictions of the calling session, and a filter that
//! hides a tool hides it here too.

mod call_read_tool;
mod call_tool;
mod delegation;
mod find_tools;
mod meta_tool;

use std::sync::{Arc, Weak};

use zubi_tool_api::registry::Registry;
use zubi_tool_api::{ToolProvider, static_provider};

use crate::adapter::tool;

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
