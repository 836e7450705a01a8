//! Outputs that were kept: read by lines and searched, for what was too long to be shown.
//!
//! Each file here is one tool; [`provider`] is the table. A handle (`o-…`) names an output and nothing else.

mod grep;
mod read;

use std::sync::Arc;

use zubi_run::store::{OutputId, OutputStore, StoreError};
use zubi_tools::{ToolError, ToolProvider, static_provider};

use crate::os_tool::tool;

/// The group that `--toolsets` selects.
const TOOLSET: &str = "output";

/// All tools for outputs, in the order in which they are listed.
pub fn provider(store: &OutputStore) -> Arc<dyn ToolProvider> {
    let store = Arc::new(store.clone());
    static_provider("output", "Outputs", vec![tool::<read::Read>(&store), tool::<grep::Grep>(&store)])
}

fn handle(given: &str) -> Result<OutputId, ToolError> {
    OutputId::parse(given.trim()).ok_or_else(|| {
        let hint = "Pass the `o-…` of an answer as it stands there.";
        ToolError::invalid("output", "it is no handle of an output", hint)
    })
}

fn not_there(error: &StoreError) -> ToolError {
    ToolError::operation_failed("read the output", error, "Run the command again to get a new one.")
}
