//! The settings of an open editor, by user, workspace and folder.

use async_trait::async_trait;
use serde_json::Value;
use zubi_base::endpoint::{EndpointError, RequestCx};

/// The target scope of a setting. The user scope is absent because zubi never changes the user's own settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    Workspace,
    /// The first folder.
    Folder,
}

/// The values of a setting by scope; null if it is not set there.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Deserialize)]
#[serde(default)]
pub struct SettingValues {
    /// The effective value.
    pub value: Value,
    pub default: Value,
    pub user: Value,
    pub workspace: Value,
    pub folder: Value,
}

impl SettingValues {
    /// Returns the value that is set at a scope.
    pub fn value_at(&self, scope: Scope) -> &Value {
        match scope {
            Scope::Workspace => &self.workspace,
            Scope::Folder => &self.folder,
        }
    }

    /// Whether the user, the workspace or the folder sets a value.
    pub fn is_set(&self) -> bool {
        [&self.user, &self.workspace, &self.folder].into_iter().any(|value| !value.is_null())
    }
}

/// An open editor whose settings can be queried.
#[async_trait]
pub trait EditorSettings: Send + Sync {
    async fn get(&self, key: &str, cx: &RequestCx) -> Result<SettingValues, EndpointError>;

    /// Writes a value at a scope, or removes it for null; returns the values afterwards.
    async fn set(&self, key: &str, value: &Value, scope: Scope, cx: &RequestCx)
    -> Result<SettingValues, EndpointError>;
}
