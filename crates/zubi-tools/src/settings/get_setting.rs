//! `get_setting`: the value of a setting.

use std::time::Duration;

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use zubi_tool_api::{Footprint, OutputStatus, ToolCx, ToolError, ToolOutput};

use super::settings_tool::{SETTINGS_TOOL, SettingsContext};
use super::{editor, keys, store};
use crate::adapter::{ToolMeta, TypedTool};

pub(crate) struct GetSetting;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Input {
    /// Name as in settings.json: editor.tabSize
    key: String,
    /// With an editor user, workspace or folder, default the value in force; without one workspace
    scope: Option<String>,
}

#[async_trait]
impl TypedTool for GetSetting {
    const META: ToolMeta = ToolMeta {
        id: "get_setting",
        title: "Read a setting",
        description: "The value of a setting as JSON and where it is set: in the open editor (editor.*, files.*, search.*, [language], *.updateImportsOnFileMove.*), otherwise in the workspace's .vscode/settings.json.",
        tags: &["settings", "configuration", "preferences", "read"],
        timeout: Duration::from_secs(30),
        example: || ("Tab width", json!({ "key": "editor.tabSize" })),
        ..SETTINGS_TOOL
    };
    type Context = SettingsContext;
    type Input = Input;

    fn footprint(_settings: &SettingsContext, _args: &Value, cx: &ToolCx) -> Result<Footprint, ToolError> {
        Ok(Footprint { reads: vec![store::settings_path(cx)?], ..Footprint::default() })
    }

    async fn run(settings: &SettingsContext, input: Input, cx: &ToolCx) -> Result<ToolOutput, ToolError> {
        if let Some(editor) = settings.intel.settings() {
            keys::check_readable(&input.key)?;
            return editor::get_value(&**editor, cx, &input.key, input.scope.as_deref()).await;
        }
        store::check_scope(input.scope.as_deref())?;
        let value = store::get_value(cx, "read the setting", &input.key).await?;
        let key: String = input.key.chars().filter(|c| !c.is_control()).take(200).collect();
        let text = match &value {
            Some(value) => format!("{key} = {value}"),
            None => format!("{key} is not set for the workspace; the user's setting or the default applies"),
        };
        let status = OutputStatus { endpoint: store::SETTINGS_FILE.to_owned(), ..OutputStatus::default() };
        let data = json!({ "key": input.key, "value": value, "scope": "workspace" });
        Ok(ToolOutput { text, data: Some(data), status: Some(status), truncated: None })
    }
}
