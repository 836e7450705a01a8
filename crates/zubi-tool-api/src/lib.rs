//! The tool model: the specification of a tool, its footprint, its calls and its output.
//!
//! Everything that a caller can run is a [`Tool`] in one [`registry::Registry`], which alone calls [`Tool::call`]: it
//! validates the arguments, requests the footprint, queries the policy, runs the tool, and audits the call. This crate
//! does no I/O except in the audit sink.

pub mod approval_prompt;
pub mod audit;
pub mod code;
pub mod cx;
pub mod output;
pub mod progress;
pub mod redact;
pub mod registry;
pub mod schema;
mod static_provider;
pub mod summary;
#[cfg(test)]
mod testing;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use serde_json::Value;
use tokio::sync::watch;

pub use crate::code::ErrorCode;
pub use crate::cx::ToolCx;
pub use crate::output::{OutputStatus, ToolError, ToolOutput, Truncation};
pub use crate::static_provider::static_provider;
pub use zubi_policy::footprint::Footprint;
pub use zubi_policy::spec::{Approval, Effect, Exposure, ToolSpec};
pub use zubi_policy::{filter, footprint, spec};

/// A callable tool. The description and the code are one object, so that they cannot diverge.
#[async_trait]
pub trait Tool: Send + Sync {
    fn spec(&self) -> &ToolSpec;

    /// Finds out what [`Self::footprint`] depends on and cannot find out itself, because that takes time. The registry
    /// calls it before it computes a footprint.
    async fn prepare(&self) -> Result<(), ToolError> {
        Ok(())
    }

    /// Returns the effects of a call with these arguments. By default they are those of [`ToolSpec::effect`].
    fn footprint(&self, _args: &Value, _cx: &ToolCx) -> Result<Footprint, ToolError> {
        Ok(Footprint::from_effect(self.spec().effect))
    }

    /// Returns the time limit of a call with these arguments; by default it is [`ToolSpec::timeout`].
    fn timeout(&self, _args: &Value) -> Duration {
        self.spec().timeout
    }

    /// Returns the version of the tool, if another tool may take its id while a session runs. An approval for the
    /// session applies to one version only.
    fn version(&self) -> Option<String> {
        None
    }

    /// Runs the tool. Only the registry calls this; `args` satisfy [`ToolSpec::input`].
    async fn call(&self, args: Value, cx: &ToolCx) -> Result<ToolOutput, ToolError>;
}

/// The metadata of a resource (MCP `resources/list`).
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ResourceSpec {
    pub uri: String,
    pub name: String,
    pub description: String,
    pub mime_type: String,
}

#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ResourceText {
    pub mime_type: String,
    pub text: String,
}

/// A document that a caller can read by URI.
#[async_trait]
pub trait Resource: Send + Sync {
    fn spec(&self) -> &ResourceSpec;
    async fn read(&self, uri: &str, cx: &ToolCx) -> Result<ResourceText, ToolError>;
}

/// The id of a provider: `lsp`, `declared`, `mcp:github`.
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
    /// Returns the name for people: "Language servers".
    fn name(&self) -> &str;
    /// Returns the current tools, in the order in which they are listed.
    fn tools(&self) -> Vec<Arc<dyn Tool>>;
    /// Returns a counter that increases whenever the result of [`Self::tools`] changes.
    fn changes(&self) -> watch::Receiver<u64>;

    /// Loads slow information on which the list depends, such as which kinds of files exist. The registry awaits this
    /// before it lists tools, so that the first list is already correct. Most lists depend on nothing.
    async fn prepare(&self) {}

    /// Returns the existing tools that are not listed, with the reasons, one sentence each.
    fn notes(&self) -> Vec<String> {
        Vec::new()
    }

    /// Returns the reason, as a clause, why a tool of this name is not listed; `None` if the provider leaves out no
    /// such tool. The registry adds it to the error when a caller calls the tool.
    fn omission_reason(&self, _name: &str) -> Option<String> {
        None
    }
}
