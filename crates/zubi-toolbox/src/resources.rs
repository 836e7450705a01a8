//! Resources that are about no language: documents a caller reads by URI. One file each; [`all`] is the table.

mod update_imports;

use std::sync::Arc;

use zubi_code::CodeIntel;
use zubi_tools::Resource;

/// All of them, in the order in which they are listed.
pub fn all(intel: &Arc<CodeIntel>) -> Vec<Arc<dyn Resource>> {
    vec![Arc::new(update_imports::UpdateImportsEnabled::new(intel))]
}
