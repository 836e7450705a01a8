//! The tool model: what a tool is, what it says of itself, what it may touch, and what it answers.
//!
//! Everything that any caller can run is a [`Tool`] in one [`registry::Registry`], which alone calls
//! [`Tool::call`]: it validates the arguments, asks for the footprint, asks the policy, runs, and audits. This crate
//! does no I/O besides the audit sink.

pub mod audit;
pub mod code;
pub mod cx;
mod static_provider;
pub mod output;
pub mod progress;
pub mod approval_prompt;
pub mod redact;
pub mod registry;
pub mod schema;
pub mod summary;
#[cfg(test)]
mod testing;

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use serde_json::Value;
use tokio::sync::watch;

pub use crate::code::Code;
pub use crate::cx::ToolCx;
pub use crate::static_provider::static_provider;
pub use crate::output::{Status, ToolError, ToolOutput, Truncation};
pub use zubi_policy::footprint::Footprint;
pub use zubi_policy::spec::{Approval, Effect, Exposure, ToolSpec};
pub use zubi_policy::{filter, footprint, spec};

/// Something a caller can run. The description and the code are one object, so that they cannot drift apart.
#[async_trait]
pub trait Tool: Send + Sync {
    fn spec(&self) -> &ToolSpec;

    /// What this very call would touch. The default claims nothing beyond what [`ToolSpec::effect`] says.
    fn footprint(&self, _args: &Value, _cx: &ToolCx) -> Result<Footprint, ToolError> {
        Ok(Footprint::of_effect(self.spec().effect))
    }

    /// Which of several tools of this id it is, where that may change while a session runs: what a person allowed for the
    /// session holds for that one alone.
    fn version(&self) -> Option<String> {
        None
    }

    /// Runs the tool. Called by the registry and nobody else; `args` satisfy [`ToolSpec::input`].
    async fn call(&self, args: Value, cx: &ToolCx) -> Result<ToolOutput, ToolError>;
}

/// What a resource says of itself (MCP `resources/list`).
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ResourceSpec {
    pub uri: String,
    pub name: String,
    pub description: String,
    pub mime_type: String,
}

/// A resource's content.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ResourceText {
    pub mime_type: String,
    pub text: String,
}

/// A document a caller can read by URI.
#[async_trait]
pub trait Resource: Send + Sync {
    fn spec(&self) -> &ResourceSpec;
    async fn read(&self, uri: &str, cx: &ToolCx) -> Result<ResourceText, ToolError>;
}

/// Names a provider: `lsp`, `declared`, `mcp:github`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ProviderId(pub Arc<str>);

impl fmt::Display for ProviderId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A source of tools whose list may change while zubi runs.
#[async_trait]
pub trait ToolProvider: Send + Sync {
    fn id(&self) -> &ProviderId;
    /// For people: "Language servers".
    fn name(&self) -> &str;
    /// All tools as of now, in the order in which they are listed.
    fn tools(&self) -> Vec<Arc<dyn Tool>>;
    /// Counts up whenever [`Self::tools`] would answer differently.
    fn changes(&self) -> watch::Receiver<u64>;

    /// Finds out what decides about the list and takes time, such as what kind of files there are. Awaited before a list
    /// is given, so that it says the same from the first time on. Most lists depend on nothing.
    async fn prepare(&self) {}

    /// What the list leaves out although it is there, and why, one sentence each: for whoever looks for it.
    fn notes(&self) -> Vec<String> {
        Vec::new()
    }

    /// Why the list leaves out a tool of this name, as a clause; `None` where it leaves out none: for whoever calls it.
    fn left_out(&self, _name: &str) -> Option<String> {
        None
    }
}
