//! The settings of an open editor, which has them from its user, its workspace and its folders.

use async_trait::async_trait;
use serde_json::Value;
use zubi_base::endpoint::{EndpointError, RequestCx};

/// Where a setting is written. The user's own settings are nobody's to change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    Workspace,
    /// The first folder.
    Folder,
}

/// What a setting is; null where it is not set.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Deserialize)]
#[serde(default)]
pub struct SettingValues {
    /// What holds.
    pub value: Value,
    pub default: Value,
    pub user: Value,
    pub workspace: Value,
    pub folder: Value,
}

impl SettingValues {
    /// What is set at a scope.
    pub fn value_at(&self, scope: Scope) -> &Value {
        match scope {
            Scope::Workspace => &self.workspace,
            Scope::Folder => &self.folder,
        }
    }

    /// Whether somebody has set it.
    pub fn is_set(&self) -> bool {
        [&self.user, &self.workspace, &self.folder].into_iter().any(|value| !value.is_null())
    }
}

/// An open editor whose settings can be asked for.
#[async_trait]
pub trait EditorSettings: Send + Sync {
    async fn get(&self, key: &str, cx: &RequestCx) -> Result<SettingValues, EndpointError>;

    /// Writes a value, or takes the setting out of the scope with null; answers what it is afterwards.
    async fn set(&self, key: &str, value: &Value, scope: Scope, cx: &RequestCx)
    -> Result<SettingValues, EndpointError>;
}
