//! Common part of the settings tools: their defaults and their state.

use std::sync::Arc;
use std::time::Duration;

use zubi_code::CodeIntel;

use crate::adapter::ToolMeta;

/// Defaults of the settings tools.
pub(super) const SETTINGS_TOOL: ToolMeta =
    ToolMeta { toolset: "settings", category: "Settings", timeout: Duration::from_mins(1), ..ToolMeta::DEFAULT };

/// State shared by the settings tools.
pub(crate) struct SettingsContext {
    pub(crate) intel: Arc<CodeIntel>,
}
