//! The one interface of every surface: plain data in and out, so that a host in another process can stand behind it.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use serde_json::Value;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use zubi_base::workspace::Folder;
use zubi_tool_api::cx::{Approver, Caller, ProgressSink, Restrictions};
use zubi_policy::Decision;
use zubi_policy::rule::RuleText;
use zubi_tool_api::{Code, Footprint, ResourceSpec, ResourceText, ToolSpec};

use crate::contributed::ContributionRegistrar;

/// What a host says of itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostDescription {
    pub version: String,
    pub folders: Vec<Folder>,
    /// Whether every folder is trusted.
    pub trusted: bool,
}

/// One call.
#[derive(Debug, Clone, PartialEq)]
pub struct CallRequest {
    /// Id or wire name.
    pub tool: String,
    /// An object; null counts as an empty one.
    pub arguments: Value,
    pub caller: Arc<Caller>,
    /// Upper bound for the answer's text, in tokens, where the surface has one.
    pub token_budget: Option<usize>,
}

/// What lives as long as the call: how to give up, where progress goes, whom to ask.
#[derive(Clone)]
pub struct CallContext {
    pub cancel: CancellationToken,
    pub progress: Arc<dyn ProgressSink>,
    pub approver: Arc<dyn Approver>,
    /// How long the caller waits at most; the tool's own time-out may be shorter.
    pub patience: Duration,
}

/// How a call ended. The same on every surface, to the byte.
#[derive(Debug, Clone, PartialEq)]
pub struct CallAnswer {
    /// For a model or a person, with the status line; of a failure, what went wrong and the next step.
    pub text: String,
    /// For machines, where the tool has it.
    pub data: Option<Value>,
    /// How long it took, from the call to the answer.
    pub duration: Duration,
    /// Whether `text` ends in a status line, to which a surface may add what it knows of the way the answer came.
    pub status: bool,
    /// Why it failed; `None` when the call succeeded.
    pub failure: Option<Code>,
    /// Of a failure the next step, which is the end of `text`; else empty.
    pub next: String,
}

/// A call that was not made because it is none: wrong arguments, most likely.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct CallFailure {
    pub code: Code,
    /// As a call would tell it; it ends in `next`, the next step.
    pub text: String,
    pub next: String,
}

/// What the policy says about a call that was not made.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Explanation {
    pub tool: String,
    #[serde(flatten)]
    pub judgement: Decision,
    pub footprint: Footprint,
    /// Rules that would allow what is asked about, as they would stand in `zubi.toml`.
    pub would_allow: Vec<String>,
}

/// A rule in force.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct RuleInForce {
    /// File and line.
    pub source: String,
    #[serde(flatten)]
    pub rule: RuleText,
}

/// Tools that a setting allows (`allow = [...]`), and where it stands.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct AllowedTools {
    pub source: String,
    pub tools: Vec<String>,
}

/// The policy in force.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(default)]
pub struct PolicyInForce {
    /// Why nothing but looking is allowed, with file and line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub broken: Option<String>,
    pub rules: Vec<RuleInForce>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allow: Option<AllowedTools>,
}

/// There is no such tool for this caller.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, serde::Serialize, serde::Deserialize)]
#[error("unknown tool `{name}`: {why}")]
pub struct UnknownTool {
    pub name: String,
    pub why: String,
    /// What programs branch on: whether there would be one if something else were otherwise, as its file trusted.
    pub code: Code,
}

/// Nobody could be asked: the host has gone, and there is no other one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no host of this workspace: {why}")]
pub struct HostUnavailable {
    pub why: String,
}

/// The rules in force cannot be told: there is no host, or it does not say.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the policy cannot be told: {why}")]
pub struct PolicyUnknown {
    pub why: String,
}

impl HostUnavailable {
    /// What to do.
    pub const HINT: &'static str = "Mend what it says, then ask again; `zubi status` shows what runs.";
}

/// Everything a surface can ask of a host.
#[async_trait]
pub trait ToolService: Send + Sync {
    fn describe(&self) -> HostDescription;

    /// The tools this caller can see, hidden ones excepted, in a fixed order.
    ///
    /// # Errors
    ///
    /// There is no host any more that could be asked.
    async fn list(&self, restrictions: &Restrictions) -> Result<Vec<Arc<ToolSpec>>, HostUnavailable>;

    /// One tool by id or wire name.
    async fn find(&self, name: &str, restrictions: &Restrictions) -> Result<Arc<ToolSpec>, UnknownTool>;

    async fn call(&self, request: CallRequest, circumstances: CallContext) -> Result<CallAnswer, UnknownTool>;

    /// What the policy says about a call, without making it or asking anybody. An error of the tool, such as wrong
    /// arguments, is told as a call would tell it.
    async fn explain(
        &self,
        request: CallRequest,
        _circumstances: CallContext,
    ) -> Result<Result<Explanation, CallFailure>, UnknownTool> {
        let why = "this host does not explain its policy".to_owned();
        Err(UnknownTool { name: request.tool, why, code: Code::Unavailable })
    }

    /// The rules in force for every session, those that were made by answers which hold for longer among them.
    ///
    /// # Errors
    ///
    /// They cannot be told, which is not that there are none.
    async fn policy(&self) -> Result<PolicyInForce, PolicyUnknown> {
        Err(PolicyUnknown { why: "this host does not tell it".to_owned() })
    }

    /// Counts up whenever [`Self::list`] would answer differently.
    fn changes(&self) -> watch::Receiver<u64>;

    /// The documents a caller can read.
    ///
    /// # Errors
    ///
    /// As [`Self::list`].
    async fn resources(&self) -> Result<Vec<ResourceSpec>, HostUnavailable>;

    /// One document; `None` when there is none under this URI.
    async fn read_resource(
        &self,
        uri: &str,
        caller: Arc<Caller>,
        circumstances: CallContext,
    ) -> Option<Result<ResourceText, String>>;

    /// Where others can contribute tools; nothing where the host is another process's.
    fn contributions(&self) -> Option<ContributionRegistrar> {
        None
    }

    /// Ends what the host started: language servers above all. Returns when nothing is left.
    async fn shutdown(&self);
}
