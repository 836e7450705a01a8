//! Meta tools: find tools that are not in every list, and call any tool.
//!
//! These tools use the registry like every caller. It therefore validates, judges, records and cancels an inner call
//! exactly like a direct one, with the restrictions and filters of the calling session.

mod call_read_tool;
mod call_tool;
pub(crate) mod delegation;
mod find_tools;
mod meta_tool;
mod ranking;

use std::sync::{Arc, OnceLock, Weak};

use zubi_tool_api::registry::Registry;
use zubi_tool_api::{ToolProvider, static_provider};

use crate::adapter::tool;

/// The registry of tools that call others. A host builds the tools first, and then the registry.
#[derive(Debug, Clone, Default)]
pub struct RegistryHandle(Arc<OnceLock<Weak<Registry>>>);

impl RegistryHandle {
    /// Sets the registry, once.
    pub fn connect(&self, registry: Weak<Registry>) {
        // A second registry would be a defect; the tools stay with the first.
        drop(self.0.set(registry));
    }

    /// Returns the registry, if it exists.
    pub(crate) fn upgrade(&self) -> Option<Arc<Registry>> {
        self.0.get().and_then(Weak::upgrade)
    }
}

/// Creates the provider of the meta tools for a registry. The registry owns these tools, so the handle is weak and the
/// registry must be created with [`Arc::new_cyclic`].
pub fn provider(registry: &Weak<Registry>) -> Arc<dyn ToolProvider> {
    let registry = Arc::new(registry.clone());
    let tools = vec![
        tool::<find_tools::FindTools>(&registry),
        tool::<call_read_tool::ReadToolCaller>(&registry),
        tool::<call_tool::AnyToolCaller>(&registry),
    ];
    static_provider("tools", "Tools about tools", tools)
}
