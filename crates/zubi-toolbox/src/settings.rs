//! Settings of the workspace's editor: those of the open one, else as they stand in `.vscode/settings.json`.
//!
//! Each file here is one tool, or what they share: [`editor`] asks the open editor, [`store`] reads and edits the file, comments
//! kept, [`keys`] is the table of what may be set, [`update_imports`] the one setting that has a tool of its own. Without an
//! editor only the workspace's settings can be seen: the user's belong to the editor. With one they can be seen, and nothing
//! changes them. A file that is broken is told with the place and never overwritten.

mod editor;
mod get_setting;
mod keys;
mod set_setting;
mod set_update_imports_setting;
mod store;
pub(crate) mod update_imports;

use std::sync::Arc;

use serde_json::Value;
use zubi_base::endpoint::RequestCx;
use zubi_code::{CodeError, CodeIntel};
use zubi_tools::{ToolCx, ToolError, ToolProvider, static_provider};

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
    static_provider("settings", "Settings", tools)
}

/// Whether imports follow TypeScript files that move: what holds in the open editor, else what the workspace's file says.
pub(crate) async fn follows(intel: &CodeIntel, cx: &ToolCx) -> Result<update_imports::UpdateImports, ToolError> {
    const OPERATION: &str = "read the setting";
    let value: Option<Value> = match intel.settings() {
        Some(open) => {
            let request = RequestCx::new(cx.cancel.clone(), cx.deadline);
            let found = async {
                let keys = update_imports::in_force(&**open, &[update_imports::TYPESCRIPT], &request).await?;
                let key = keys.first().copied().unwrap_or(update_imports::TYPESCRIPT);
                Ok::<_, CodeError>(open.get(key, &request).await?.value)
            };
            let refused = |error: CodeError| ToolError::operation_failed(OPERATION, &error, error.hint());
            Some(found.await.map_err(refused)?)
        }
        None => store::get(cx, OPERATION, update_imports::TYPESCRIPT).await?,
    };
    Ok(update_imports::UpdateImports::from_setting(value.as_ref()))
}
