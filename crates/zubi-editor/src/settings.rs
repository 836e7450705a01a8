//! The editor's settings, which only the editor reads and writes.

use std::sync::Arc;

use async_trait::async_trait;
use camino::{Utf8Path, Utf8PathBuf};
use serde_json::{Value, json};
use zubi_base::endpoint::{EndpointError, RequestCx};
use zubi_base::fs;
use zubi_host::settings::{EditorSettings, Scope, SettingValues};

use crate::editor::Editor;
use crate::wire::EDITOR_CONFIG;
use crate::wire::editor::{EditorConfigParams, EditorConfigResult, SettingScope};

/// Settings of one editor.
pub(crate) struct EditorConfiguration(pub(crate) Arc<Editor>);

impl EditorConfiguration {
    async fn request(&self, params: &EditorConfigParams, cx: &RequestCx) -> Result<SettingValues, EndpointError> {
        let answer = self.0.send(EDITOR_CONFIG, EDITOR_CONFIG, json!(params), cx).await?;
        let unreadable = |error| EndpointError::Protocol {
            endpoint: "editor".into(),
            message: format!("cannot parse its answer to `{EDITOR_CONFIG}`: {error}"),
        };
        let EditorConfigResult { value, default, user, workspace, folder, .. } =
            serde_json::from_value(answer).map_err(unreadable)?;
        Ok(SettingValues { value, default, user, workspace, folder })
    }
}

#[async_trait]
impl EditorSettings for EditorConfiguration {
    async fn get(&self, key: &str, cx: &RequestCx) -> Result<SettingValues, EndpointError> {
        self.request(&EditorConfigParams { key: key.to_owned(), scope: None, value: None }, cx).await
    }

    async fn set(
        &self,
        key: &str,
        value: &Value,
        scope: Scope,
        cx: &RequestCx,
    ) -> Result<SettingValues, EndpointError> {
        let scope = match scope {
            Scope::Workspace => SettingScope::Workspace,
            Scope::Folder => SettingScope::Folder,
        };
        let params = EditorConfigParams { key: key.to_owned(), scope: Some(scope), value: Some(value.clone()) };
        self.request(&params, cx).await
    }
}

/// Backup of a settings file to which the editor writes temporarily. Restores the original form if only white space and
/// commas differ afterwards, and deletes a file that did not exist before.
pub(crate) struct SettingsBackup {
    file: Utf8PathBuf,
    original: Option<Vec<u8>>,
    had_folder: bool,
}

impl SettingsBackup {
    pub(crate) fn capture(file: &Utf8Path) -> Self {
        let had_folder = file.parent().is_some_and(Utf8Path::is_dir);
        Self { file: file.to_owned(), original: fs::read_bytes(file).ok(), had_folder }
    }

    /// Restores the file. On failure it stays as the editor left it, with the same meaning.
    pub(crate) fn restore(self) {
        let Ok(now) = fs::read_bytes(&self.file) else { return };
        // Removing a setting leaves only white space and commas behind.
        let meaning = |text: &[u8]| {
            text.iter().copied().filter(|byte| !byte.is_ascii_whitespace() && *byte != b',').collect::<Vec<_>>()
        };
        let done = match &self.original {
            Some(before) if *before != now && meaning(before) == meaning(&now) => fs::write_atomic(&self.file, before),
            Some(_) => return,
            None if meaning(&now) == b"{}" => std::fs::remove_file(&self.file),
            None => return,
        };
        if let Err(error) = done {
            tracing::warn!(%error, file = %self.file, "cannot restore the settings file");
        }
        if let Some(folder) = self.file.parent().filter(|_| !self.had_folder) {
            // Fails for a folder that is not empty, which someone else uses.
            std::fs::remove_dir(folder).ok();
        }
    }
}
