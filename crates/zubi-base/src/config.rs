//! Configuration: its layers, their order, and which settings of a workspace apply before the workspace is trusted.
//!
//! The order is flag > environment > workspace `.zubi.toml` > user `zubi.toml` > default. Every effective value records
//! its source. Layers are plain values ([`Layer`]); [`mod@file`] reads the files, and [`directories`] finds the
//! directories.
//!
//! **A workspace layer that is not trusted may only narrow.** Narrowing settings are: `read-only = true`, a `toolsets`
//! or `tools` filter (applied *in addition* to the filter of the lower layers, so that it can remove tools but not
//! restore them), `disabled = true` for a server, `ask = "deny"` for MCP, and policy rules with the action `ask` or
//! `deny`. All other settings of such a layer are listed in [`Settings::ignored`] and have no effect. Secrets (`env`),
//! the addresses of models (`models`), the team's database (`team-index`), the demand on the sandbox (`sandbox`) and the
//! confinement of servers belong to the machine: a workspace file cannot set them, trusted or not.

pub mod directories;
pub mod file;
pub mod key;
pub mod models;
pub mod policy;
pub mod secrets;
pub mod servers;

use std::collections::BTreeMap;
use std::fmt;

use camino::Utf8PathBuf;
use serde::{Deserialize, Serialize};

pub use self::directories::Directories;
pub use self::file::ConfigError;
pub use self::models::{Api, ProviderLayer};
pub use self::policy::{PolicyRule, SourcedRule};
pub use self::secrets::{SecretEntry, Secrets};
pub use self::servers::{ServerConfinement, ServerLayer, ServerSandboxMode, ServersLayer};
use crate::process::confine::Level;

/// Name of the configuration file in a workspace's first folder.
pub const WORKSPACE_FILE: &str = ".zubi.toml";

/// Name of the user's configuration file, below [`Directories::config`].
pub const USER_FILE: &str = "zubi.toml";

/// The settings of one layer; a setting that the layer leaves open is `None`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Layer {
    pub read_only: Option<bool>,
    pub toolsets: Option<Vec<String>>,
    pub tools: Option<Vec<String>>,
    pub allow: Option<Vec<String>>,
    /// Kinds of secrets, and texts that only look like one, which zubi shows in answers.
    pub show_secrets: Option<Vec<String>>,
    /// Policy rules. The policy interprets them, so that an invalid rule does not invalidate the rest of the file.
    pub policy: Vec<PolicyRule>,
    /// Secrets for tools. Only those in the user's own file have an effect.
    pub env: BTreeMap<String, SecretEntry>,
    pub servers: ServersLayer,
    pub mcp: McpLayer,
    /// The demand on the sandbox. Only that in the user's own file has an effect.
    pub sandbox: SandboxLayer,
    /// Whether zubi makes an index of the workspace's declarations and words.
    pub index: Option<bool>,
    /// The connection string of the team's database. Only that in the user's own file has an effect.
    pub team_index: Option<SecretEntry>,
    /// The model that zubi uses if a request does not name one.
    pub model: Option<String>,
    /// The providers of models. Only those in the user's own file have an effect.
    pub models: BTreeMap<String, ProviderLayer>,
}

/// The MCP settings of one layer.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct McpLayer {
    #[serde(rename = "ask")]
    pub approval_fallback: Option<McpApprovalFallback>,
}

/// The settings of one layer for the sandbox of commands.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct SandboxLayer {
    /// The lowest level at which anything runs.
    pub at_least: Option<Level>,
}

/// The form of approval that zubi accepts if an MCP client cannot show an approval prompt (it has no elicitation).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum McpApprovalFallback {
    /// The client's own prompt before a call, for tools of a file that the user has trusted.
    Client,
    /// None: zubi refuses calls that need approval.
    Deny,
}

/// The source of a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SettingSource {
    Default,
    User(Utf8PathBuf),
    Workspace(Utf8PathBuf),
    Environment,
    Flag,
}

impl fmt::Display for SettingSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::User(path) | Self::Workspace(path) => write!(f, "`{path}`"),
            Self::Environment => f.write_str("environment"),
            Self::Flag => f.write_str("command line"),
        }
    }
}

/// An effective value and its source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Effective<T> {
    pub value: T,
    pub source: SettingSource,
}

/// The workspace's file, and whether it may do more than narrow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkspaceLayer {
    pub path: Utf8PathBuf,
    pub layer: Layer,
    /// Whether the folder is trusted and the user has trusted this content of the file.
    pub trusted: bool,
}

/// The user's file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserLayer {
    pub path: Utf8PathBuf,
    pub layer: Layer,
}

/// All layers before they are merged.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Layers {
    pub flags: Layer,
    pub environment: Layer,
    pub workspace: Option<WorkspaceLayer>,
    pub user: Option<UserLayer>,
}

/// A setting of a workspace file that has no effect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IgnoredSetting {
    pub path: Utf8PathBuf,
    /// The name of the setting, such as `allow` or `servers.ruff.disabled`.
    pub key: String,
    /// Whether not even a trusted file may set it, because it belongs to the machine.
    pub always: bool,
}

impl fmt::Display for IgnoredSetting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.always {
            return write!(f, "`{}` in `{}` has no effect: it belongs in your own {USER_FILE}", self.key, self.path);
        }
        write!(f, "`{}` in `{}` has no effect until the file is trusted (`zubi trust`)", self.key, self.path)
    }
}

/// The effective settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    pub read_only: Effective<bool>,
    /// Toolset filters. A tool must pass all of them; there are two only if an untrusted workspace narrows.
    pub toolsets: Vec<Effective<Vec<String>>>,
    /// Filters of tool ids; several as in [`Settings::toolsets`].
    pub tools: Vec<Effective<Vec<String>>>,
    /// Tools that run without an approval prompt even if their effect would require one.
    pub allow: Effective<Vec<String>>,
    /// Kinds of secrets, and texts that only look like one, which answers show.
    pub show_secrets: Effective<Vec<String>>,
    /// The rules of all files, in no significant order. The `allow` rules of an untrusted workspace are omitted.
    pub policy: Vec<SourcedRule>,
    /// The entries of the user's `env` table as written in the file `env_source`; [`Secrets::read`] resolves them.
    pub env: BTreeMap<String, SecretEntry>,
    pub env_source: Option<Utf8PathBuf>,
    pub mcp_approval_fallback: Effective<McpApprovalFallback>,
    /// The lowest level of the sandbox at which commands run; `None`: all that the machine has.
    pub sandbox_level: Option<Level>,
    /// Whether zubi makes an index of the workspace's declarations and words.
    pub index: Effective<bool>,
    /// The connection string of the team's database as written in the file `env_source`.
    pub team_index: Option<SecretEntry>,
    /// The model that zubi uses if a request does not name one.
    pub model: Option<Effective<String>>,
    /// The user's providers of models, by name.
    pub models: BTreeMap<String, ProviderLayer>,
    /// Servers of the catalogue that zubi never starts.
    pub disabled_servers: BTreeMap<String, SettingSource>,
    pub server_confinement: ServerConfinement,
    pub ignored: Vec<IgnoredSetting>,
}

impl Layers {
    /// Merges the layers into the effective settings.
    pub fn resolve(&self) -> Settings {
        let read_only = self.pick(|layer| layer.read_only, |value| *value);
        let allow = self.pick(|layer| layer.allow.clone(), |_| false);
        let show_secrets = self.pick(|layer| layer.show_secrets.clone(), |_| false);
        let mcp_approval_fallback =
            self.pick(|layer| layer.mcp.approval_fallback, |fallback| *fallback == McpApprovalFallback::Deny);
        let mut ignored = Vec::new();
        if let Some(workspace) = self.workspace.as_ref().filter(|workspace| !workspace.trusted) {
            let mut ignore =
                |key: String| ignored.push(IgnoredSetting { path: workspace.path.clone(), key, always: false });
            if workspace.layer.read_only == Some(false) {
                ignore("read-only".to_owned());
            }
            if workspace.layer.allow.is_some() {
                ignore("allow".to_owned());
            }
            if workspace.layer.show_secrets.is_some() {
                ignore("show-secrets".to_owned());
            }
            for rule in workspace.layer.policy.iter().filter(|rule| !rule.is_restrictive()) {
                ignore(format!("policy (line {})", rule.line));
            }
            if workspace.layer.mcp.approval_fallback == Some(McpApprovalFallback::Client) {
                ignore("mcp.ask".to_owned());
            }
            if workspace.layer.index == Some(true) {
                ignore("index".to_owned());
            }
            if workspace.layer.model.is_some() {
                ignore("model".to_owned());
            }
            for (name, server) in &workspace.layer.servers.by_id {
                if server.disabled == Some(false) {
                    ignore(format!("servers.{name}.disabled"));
                }
            }
        }
        if let Some(workspace) = &self.workspace {
            let user_only_tables = [
                ("env", workspace.layer.env.is_empty()),
                ("models", workspace.layer.models.is_empty()),
                ("team-index", workspace.layer.team_index.is_none()),
                ("sandbox", workspace.layer.sandbox == SandboxLayer::default()),
            ];
            for (key, _) in user_only_tables.into_iter().filter(|(_, is_empty)| !is_empty) {
                ignored.push(IgnoredSetting { path: workspace.path.clone(), key: key.to_owned(), always: true });
            }
            for key in workspace.layer.servers.user_only_keys() {
                ignored.push(IgnoredSetting { path: workspace.path.clone(), key, always: true });
            }
        }
        Settings {
            read_only: read_only.unwrap_or(Effective { value: false, source: SettingSource::Default }),
            toolsets: self.filters(|layer| layer.toolsets.as_ref()),
            tools: self.filters(|layer| layer.tools.as_ref()),
            allow: allow.unwrap_or(Effective { value: Vec::new(), source: SettingSource::Default }),
            show_secrets: show_secrets.unwrap_or(Effective { value: Vec::new(), source: SettingSource::Default }),
            policy: self.policy(),
            env: self.user.as_ref().map(|user| user.layer.env.clone()).unwrap_or_default(),
            env_source: self.user.as_ref().map(|user| user.path.clone()),
            mcp_approval_fallback: mcp_approval_fallback
                .unwrap_or(Effective { value: McpApprovalFallback::Client, source: SettingSource::Default }),
            index: self
                .pick(|layer| layer.index, |value| !value)
                .unwrap_or(Effective { value: true, source: SettingSource::Default }),
            sandbox_level: self.user.as_ref().and_then(|user| user.layer.sandbox.at_least),
            team_index: self.user.as_ref().and_then(|user| user.layer.team_index.clone()),
            model: self.pick(|layer| layer.model.clone(), |_| false),
            models: self.user.as_ref().map(|user| user.layer.models.clone()).unwrap_or_default(),
            disabled_servers: self.disabled_servers(),
            server_confinement: self
                .user
                .as_ref()
                .map(|user| ServerConfinement::from_user(&user.layer.servers))
                .unwrap_or_default(),
            ignored,
        }
    }

    /// Returns the layers from strongest to weakest, each with whether it may only narrow.
    fn by_strength(&self) -> impl Iterator<Item = (&Layer, SettingSource, bool)> {
        [(&self.flags, SettingSource::Flag, false), (&self.environment, SettingSource::Environment, false)]
            .into_iter()
            .chain(self.workspace.iter().map(|workspace| {
                (&workspace.layer, SettingSource::Workspace(workspace.path.clone()), !workspace.trusted)
            }))
            .chain(self.user.iter().map(|user| (&user.layer, SettingSource::User(user.path.clone()), false)))
    }

    /// Returns the strongest layer's value; one that may only narrow counts only if `narrows` accepts its value.
    fn pick<T>(&self, get: impl Fn(&Layer) -> Option<T>, narrows: impl Fn(&T) -> bool) -> Option<Effective<T>> {
        self.by_strength().find_map(|(layer, source, narrow_only)| {
            let value = get(layer)?;
            (!narrow_only || narrows(&value)).then_some(Effective { value, source })
        })
    }

    fn policy(&self) -> Vec<SourcedRule> {
        let mut rules = Vec::new();
        for (layer, source, narrow_only) in self.by_strength() {
            let layer_rules = layer.policy.iter().filter(|rule| !narrow_only || rule.is_restrictive());
            let sourced =
                |rule: &PolicyRule| SourcedRule { rule: rule.clone(), source: source.clone(), trusted: !narrow_only };
            rules.extend(layer_rules.map(sourced));
        }
        rules
    }

    fn filters(&self, get: impl Fn(&Layer) -> Option<&Vec<String>>) -> Vec<Effective<Vec<String>>> {
        let mut filters = Vec::new();
        for (layer, source, narrow_only) in self.by_strength() {
            let Some(value) = get(layer) else { continue };
            filters.push(Effective { value: value.clone(), source });
            if !narrow_only {
                break;
            }
        }
        filters
    }

    fn disabled_servers(&self) -> BTreeMap<String, SettingSource> {
        let names = self.by_strength().flat_map(|(layer, _, _)| layer.servers.by_id.keys());
        let names: std::collections::BTreeSet<&String> = names.collect();
        names
            .into_iter()
            .filter_map(|name| {
                let disabled = self
                    .pick(|layer| layer.servers.by_id.get(name).and_then(|server| server.disabled), |value| *value)?;
                disabled.value.then(|| (name.clone(), disabled.source))
            })
            .collect()
    }
}

#[cfg(test)]
mod tests;
