//! Output tools: read and search stored outputs that were too long to show.
//!
//! Each file here is one tool; [`provider`] is the table. A handle (`o-…`) names a stored output.

mod grep;
mod output_tool;
mod read;

use std::sync::Arc;

use zubi_exec::store::OutputStore;
use zubi_tool_api::{ToolProvider, static_provider};

use crate::adapter::tool;

/// Creates the provider of all output tools, in list order.
pub fn provider(store: &OutputStore) -> Arc<dyn ToolProvider> {
    let store = Arc::new(store.clone());
    static_provider("output", "Outputs", vec![tool::<read::ReadOutput>(&store), tool::<grep::GrepOutput>(&store)])
}
