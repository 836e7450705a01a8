//! `set_setting`: changes one of the writable settings.

use std::time::Duration;

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use zubi_tools::{Effect, Exposure, Footprint, ToolCx, ToolError, ToolOutput};

use super::{Settings, editor, keys, store};
use crate::os_tool::{LocalToolMeta, LocalTool};

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
impl LocalTool for SetSetting {
    const ABOUT: LocalToolMeta = LocalToolMeta {
        id: "set_setting",
        title: "Change a setting",
        description: "Sets a setting of the workspace: through the open editor, returning the old value and the undo call, otherwise in .vscode/settings.json, preserving comments, returning the diff and an undo handle. Only settings about text format and refactoring are writable; the error for others lists them.",
        notes: "The user's own settings are never changed.",
        effect: Effect::Write,
        exposure: Exposure::Deferred,
        toolset: "settings",
        category: "Settings",
        tags: &["settings", "configuration", "preferences", "change"],
        timeout: Duration::from_mins(1),
        example: || ("Indent by two", json!({ "key": "editor.tabSize", "value": 2 })),
    };
    type Context = Settings;
    type Input = Input;

    fn footprint(_settings: &Settings, _input: &Input, cx: &ToolCx) -> Result<Footprint, ToolError> {
        Ok(Footprint { writes: vec![store::path(cx)?], checked: true, ..Footprint::default() })
    }

    async fn run(settings: &Settings, input: Input, cx: &ToolCx) -> Result<ToolOutput, ToolError> {
        if let Some(open) = settings.intel.settings() {
            let scope = editor::writable(input.scope.as_deref())?;
            let value = input.value.unwrap_or_default();
            keys::check_change(&input.key, &value)?;
            return editor::set(&**open, cx, &[&input.key], &value, scope).await;
        }
        store::check_scope(input.scope.as_deref())?;
        let value = input.value.unwrap_or_default();
        keys::check(&input.key, &value)?;
        store::set(settings, cx, Self::ABOUT.id, &[(&input.key, value)]).await
    }
}
