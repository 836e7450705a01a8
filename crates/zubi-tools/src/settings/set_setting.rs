//! `set_setting`: changes one of the writable settings.

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use zubi_tool_api::{Effect, Footprint, ToolCx, ToolError, ToolOutput};

use super::settings_tool::{SETTINGS_TOOL, SettingsContext};
use super::{editor, keys, store};
use crate::adapter::{ToolMeta, TypedTool};

pub(crate) struct SetSetting;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Input {
    /// Name as in settings.json, one of the writable ones: editor.tabSize
    key: String,
    /// The value: text, a number, true or false; omit it to remove the setting, which needs an editor
    #[schemars(extend("type" = ["string", "number", "boolean"]))]
    value: Option<Value>,
    /// workspace (default), or folder with an editor
    scope: Option<String>,
}

#[async_trait]
impl TypedTool for SetSetting {
    const META: ToolMeta = ToolMeta {
        id: "set_setting",
        title: "Change a setting",
        description: "Sets a setting of the workspace: through the open editor, returning the old value and the undo call, otherwise in .vscode/settings.json, preserving comments, returning the diff and an undo handle. Only settings about text format and refactoring are writable; the error for others lists them.",
        notes: "The user's own settings are never changed.",
        effect: Effect::Write,
        tags: &["settings", "configuration", "preferences", "change"],
        example: || ("Indent by two", json!({ "key": "editor.tabSize", "value": 2 })),
        ..SETTINGS_TOOL
    };
    type Context = SettingsContext;
    type Input = Input;

    fn footprint(_settings: &SettingsContext, _args: &Value, cx: &ToolCx) -> Result<Footprint, ToolError> {
        Ok(Footprint { writes: vec![store::settings_path(cx)?], checked: true, ..Footprint::default() })
    }

    async fn run(settings: &SettingsContext, input: Input, cx: &ToolCx) -> Result<ToolOutput, ToolError> {
        if let Some(editor) = settings.intel.settings() {
            let scope = editor::writable_scope(input.scope.as_deref())?;
            let value = input.value.unwrap_or_default();
            keys::check_writable_or_null(&input.key, &value)?;
            return editor::set_values(&**editor, cx, &[&input.key], &value, scope).await;
        }
        store::check_scope(input.scope.as_deref())?;
        let value = input.value.unwrap_or_default();
        keys::check_writable(&input.key, &value)?;
        store::set_values(settings, cx, Self::META.id, &[(&input.key, value)]).await
    }
}
