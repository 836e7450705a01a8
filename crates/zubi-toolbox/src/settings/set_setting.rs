//! `set_setting`: another value for one of the settings that may be set.

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
    /// Name as in settings.json, one of those that may be set: editor.tabSize
    key: String,
    /// The value: text, a number, true or false; left out it is not set any more, which takes an editor
    #[schemars(extend("type" = ["string", "number", "boolean"]))]
    value: Option<Value>,
    /// workspace, the default, or with an editor folder
    scope: Option<String>,
}

#[async_trait]
impl LocalTool for SetSetting {
    const ABOUT: LocalToolMeta = LocalToolMeta {
        id: "set_setting",
        title: "Change a setting",
        description: "Sets a setting of the workspace: through the open editor, answering the value before and the way back, else in .vscode/settings.json, comments kept, answering the diff and an undo handle. Only settings about the form of text and about refactoring may be set; others are refused with the list.",
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
