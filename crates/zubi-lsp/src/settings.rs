//! The editor's settings, read and written by itself.

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

/// The settings of one editor.
pub(crate) struct Settings(pub(crate) Arc<Editor>);

impl Settings {
    async fn request(&self, params: &EditorConfigParams, cx: &RequestCx) -> Result<SettingValues, EndpointError> {
        let answer = self.0.send(EDITOR_CONFIG, EDITOR_CONFIG, json!(params), cx).await?;
        let unreadable = |error| EndpointError::Protocol {
            endpoint: "editor".into(),
            what: format!("its answer to `{EDITOR_CONFIG}` cannot be read: {error}"),
        };
        let EditorConfigResult { value, default, user, workspace, folder, .. } =
            serde_json::from_value(answer).map_err(unreadable)?;
        Ok(SettingValues { value, default, user, workspace, folder })
    }
}

#[async_trait]
impl EditorSettings for Settings {
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

/// A file of settings as it was before the editor wrote to it for a moment. What is the same when it is done but for the
/// editor's form of it is put back as it was, and what was not there goes.
pub(crate) struct SettingsBackup {
    file: Utf8PathBuf,
    before: Option<Vec<u8>>,
    had_folder: bool,
}

impl SettingsBackup {
    pub(crate) fn capture(file: &Utf8Path) -> Self {
        let had_folder = file.parent().is_some_and(Utf8Path::is_dir);
        Self { file: file.to_owned(), before: fs::read_bytes(file).ok(), had_folder }
    }

    /// What cannot be tidied up stays as the editor left it, which means the same.
    pub(crate) fn restore(self) {
        let Ok(now) = fs::read_bytes(&self.file) else { return };
        // White space and commas are all that an editor leaves behind of a setting that it takes out again.
        let meaning = |text: &[u8]| {
            text.iter().copied().filter(|byte| !byte.is_ascii_whitespace() && *byte != b',').collect::<Vec<_>>()
        };
        let done = match &self.before {
            Some(before) if *before != now && meaning(before) == meaning(&now) => fs::write_atomic(&self.file, before),
            Some(_) => return,
            None if meaning(&now) == b"{}" => std::fs::remove_file(&self.file),
            None => return,
        };
        if let Err(error) = done {
            tracing::warn!(%error, file = %self.file, "the settings could not be tidied up");
        }
        if let Some(folder) = self.file.parent().filter(|_| !self.had_folder) {
            // One that is not empty is somebody's.
            std::fs::remove_dir(folder).ok();
        }
    }
}
