//! Output tools: read and search stored outputs that were too long to show.
//!
//! Each file here is one tool; [`provider`] is the table. A handle (`o-…`) names a stored output.

mod grep;
mod read;

use std::sync::Arc;
use std::time::Duration;

use zubi_exec::store::{OutputId, OutputStore, StoreError};
use zubi_tool_api::{ToolError, ToolProvider, static_provider};

use crate::adapter::{ToolMeta, tool};

/// Defaults of the output tools.
const OUTPUT_TOOL: ToolMeta =
    ToolMeta { toolset: "output", category: "Shell", timeout: Duration::from_secs(30), ..ToolMeta::DEFAULT };

/// Creates the provider of all output tools, in list order.
pub fn provider(store: &OutputStore) -> Arc<dyn ToolProvider> {
    let store = Arc::new(store.clone());
    static_provider("output", "Outputs", vec![tool::<read::ReadOutput>(&store), tool::<grep::GrepOutput>(&store)])
}

fn parse_handle(text: &str) -> Result<OutputId, ToolError> {
    OutputId::parse(text.trim()).ok_or_else(|| {
        let hint = "Pass the `o-…` handle exactly as an answer shows it.";
        ToolError::invalid("output", "not a valid output handle", hint)
    })
}

fn output_error(error: &StoreError) -> ToolError {
    ToolError::operation_failed("read the output", error, "Run the command again to get a new one.")
}
