//! Tools about the tools: finding those that are not in every list, and calling any of them.
//!
//! They go through the registry as every caller does. So an inner call is checked, judged by the policy, recorded and
//! cancelled exactly like a direct one, with the restrictions of whoever asked, and a filter that hides a tool hides it
//! here as well.

mod call_read_tool;
mod call_tool;
mod find_tools;
mod inner;

use std::sync::{Arc, Weak};

use zubi_tools::registry::Registry;
use zubi_tools::{Tool, ToolProvider, static_provider};

pub(crate) use call_read_tool::ID as CALL_READ_TOOL;
pub(crate) use call_tool::ID as CALL_TOOL;
pub(crate) use find_tools::ID as FIND_TOOLS;

/// The group that `--toolsets` selects.
const TOOLSET: &str = "tools";

/// The tools about the tools of a registry, which holds them itself: hence the weak handle, and a registry made with
/// [`Arc::new_cyclic`].
pub fn provider(registry: &Weak<Registry>) -> Arc<dyn ToolProvider> {
    let tools: Vec<Arc<dyn Tool>> = vec![
        Arc::new(find_tools::FindTools::new(registry.clone())),
        Arc::new(call_read_tool::CallReadTool::new(registry.clone())),
        Arc::new(call_tool::CallTool::new(registry.clone())),
    ];
    static_provider("tools", "Tools about tools", tools)
}
