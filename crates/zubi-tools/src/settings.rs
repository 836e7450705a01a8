//! Settings of the workspace: those in force in the open editor, otherwise those in `.vscode/settings.json`.
//!
//! Each file here is one tool or a shared part: [`editor`] reads and writes through the open editor, [`store`] reads
//! and edits the file and preserves its comments, [`keys`] is the table of writable settings, [`update_imports`] the
//! one setting with a tool of its own. Without an editor only the workspace's settings are readable, because the user's
//! settings belong to the editor. With an editor, the user's settings are readable but never changed. The tools report
//! the position of an error in a malformed file and never overwrite the file.

mod editor;
mod get_setting;
mod keys;
mod set_setting;
mod set_update_imports_setting;
mod settings_tool;
mod store;
pub(crate) mod update_imports;

use std::sync::Arc;

use serde_json::Value;
use zubi_base::endpoint::RequestCx;
use zubi_code::{CodeError, CodeIntel};
use zubi_tool_api::{ToolCx, ToolError, ToolProvider, static_provider};

use self::settings_tool::SettingsContext;
use crate::adapter::tool;

/// Creates the provider of all settings tools, in list order.
pub fn provider(intel: &Arc<CodeIntel>) -> Arc<dyn ToolProvider> {
    let settings = Arc::new(SettingsContext { intel: Arc::clone(intel) });
    let tools = vec![
        tool::<get_setting::GetSetting>(&settings),
        tool::<set_setting::SetSetting>(&settings),
        tool::<set_update_imports_setting::SetUpdateImportsSetting>(&settings),
    ];
    static_provider("settings", "Settings", tools)
}

/// Returns whether imports follow moved TypeScript files: the value in force in the open editor, otherwise that of the
/// workspace's file.
pub(crate) async fn update_imports_setting(
    intel: &CodeIntel,
    cx: &ToolCx,
) -> Result<update_imports::UpdateImports, ToolError> {
    const OPERATION: &str = "read the setting";
    let value: Option<Value> = match intel.settings() {
        Some(editor) => {
            let request = RequestCx::new(cx.cancel.clone(), cx.deadline);
            let effective = async {
                let keys =
                    update_imports::settings_in_force(&**editor, &[update_imports::TYPESCRIPT], &request).await?;
                let key = keys.first().copied().unwrap_or(update_imports::TYPESCRIPT);
                Ok::<_, CodeError>(editor.get(key, &request).await?.value)
            };
            let read_failed = |error: CodeError| ToolError::operation_failed(OPERATION, &error, error.hint());
            Some(effective.await.map_err(read_failed)?)
        }
        None => store::get_value(cx, OPERATION, update_imports::TYPESCRIPT).await?,
    };
    Ok(update_imports::UpdateImports::from_setting(value.as_ref()))
}
