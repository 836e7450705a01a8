//! `set_update_imports_setting`: whether imports of moved TypeScript and JavaScript files are updated.

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use zubi_base::endpoint::RequestCx;
use zubi_code::settings::Scope;
use zubi_tool_api::{Effect, Footprint, ToolCx, ToolError, ToolOutput};

use super::settings_tool::{SETTINGS_TOOL, SettingsContext};
use super::update_imports::{JAVASCRIPT, TYPESCRIPT};
use super::{editor, store, update_imports};
use crate::adapter::{ToolMeta, TypedTool};

pub(crate) struct SetUpdateImportsSetting;

/// Values known to VS Code.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Choice {
    Always,
    Prompt,
    Never,
}

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Input {
    /// always: update imports; prompt: prompt the user; never: leave imports unchanged
    value: Choice,
}

#[async_trait]
impl TypedTool for SetUpdateImportsSetting {
    const META: ToolMeta = ToolMeta {
        id: "set_update_imports_setting",
        title: "Update imports on file moves",
        description: "Sets updateImportsOnFileMove for TypeScript and JavaScript in the workspace's settings: whether rename_file and the editor update the imports of a moved file. Returns the old and new values, and the undo call.",
        effect: Effect::Write,
        tags: &["settings", "imports", "move", "rename"],
        example: || ("Always update imports", json!({ "value": "always" })),
        ..SETTINGS_TOOL
    };
    type Context = SettingsContext;
    type Input = Input;

    fn footprint(_settings: &SettingsContext, _args: &Value, cx: &ToolCx) -> Result<Footprint, ToolError> {
        Ok(Footprint { writes: vec![store::settings_path(cx)?], checked: true, ..Footprint::default() })
    }

    async fn run(settings: &SettingsContext, input: Input, cx: &ToolCx) -> Result<ToolOutput, ToolError> {
        let value = match input.value {
            Choice::Always => "always",
            Choice::Prompt => "prompt",
            Choice::Never => "never",
        };
        if let Some(editor) = settings.intel.settings() {
            const OPERATION: &str = "change the setting";
            let request = RequestCx::new(cx.cancel.clone(), cx.deadline);
            // The unified setting takes precedence in editors that have it.
            let newer = editor.get(update_imports::UNIFIED_KEY, &request).await;
            let newer = newer.map_err(|error| editor::setting_error(OPERATION, &error))?;
            let keys: &[&str] =
                if newer.default.is_null() { &[TYPESCRIPT, JAVASCRIPT] } else { &[update_imports::UNIFIED_KEY] };
            return editor::set_values(&**editor, cx, keys, &json!(value), Scope::Workspace).await;
        }
        let values = [(TYPESCRIPT, json!(value)), (JAVASCRIPT, json!(value))];
        store::set_values(settings, cx, Self::META.id, &values).await
    }
}
