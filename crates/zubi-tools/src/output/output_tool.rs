//! Common part of the output tools: their defaults, their handles and their errors.

use std::time::Duration;

use zubi_exec::store::{OutputId, StoreError};
use zubi_tool_api::ToolError;

use crate::adapter::ToolMeta;

/// Defaults of the output tools.
pub(super) const OUTPUT_TOOL: ToolMeta =
    ToolMeta { toolset: "output", category: "Shell", timeout: Duration::from_secs(30), ..ToolMeta::DEFAULT };

pub(super) fn parse_handle(text: &str) -> Result<OutputId, ToolError> {
    OutputId::parse(text.trim()).ok_or_else(|| {
        let hint = "Pass the `o-…` handle exactly as an answer shows it.";
        ToolError::invalid("output", "not a valid output handle", hint)
    })
}

pub(super) fn output_error(error: &StoreError) -> ToolError {
    ToolError::operation_failed("read the output", error, "Run the command again to get a new one.")
}
