//! Language-independent resources: documents a client reads by URI. One file each; [`resources`] is the table.

mod update_imports;

use std::sync::Arc;

use zubi_code::CodeIntel;
use zubi_tool_api::Resource;

/// Returns all resources in list order.
pub fn resources(intel: &Arc<CodeIntel>) -> Vec<Arc<dyn Resource>> {
    vec![Arc::new(update_imports::UpdateImportsEnabled::new(intel))]
}
