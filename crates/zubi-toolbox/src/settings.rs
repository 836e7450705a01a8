//! Settings of the workspace's editor, as they stand in `.vscode/settings.json`.
//!
//! Each file here is one tool, or what they share: [`store`] reads and edits the file, comments kept, [`keys`] is the table of what
//! may be set, [`update_imports`] the one setting that has a tool of its own. Only the workspace's settings can be seen here:
//! the user's belong to the editor. A file that is broken is told with the place and never overwritten.

mod get_setting;
mod keys;
mod set_setting;
mod set_update_imports_setting;
mod store;
pub(crate) mod update_imports;

use std::sync::Arc;

use zubi_code::CodeIntel;
use zubi_tools::{ToolProvider, fixed};

pub(crate) use self::store::get as setting;
use crate::os_tool::tool;

/// What the tools for settings share.
pub(crate) struct Settings {
    pub(crate) intel: Arc<CodeIntel>,
}

/// All tools for settings, in the order in which they are listed.
pub fn provider(intel: &Arc<CodeIntel>) -> Arc<dyn ToolProvider> {
    let settings = Arc::new(Settings { intel: Arc::clone(intel) });
    let tools = vec![
        tool::<get_setting::GetSetting>(&settings),
        tool::<set_setting::SetSetting>(&settings),
        tool::<set_update_imports_setting::SetUpdateImportsSetting>(&settings),
    ];
    fixed("settings", "Settings", tools)
}
