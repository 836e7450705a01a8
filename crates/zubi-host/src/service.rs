//! The interface of every surface. It exchanges plain data, so that the host can be in another process.

use std::borrow::Cow;
use std::fmt::Display;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use serde_json::Value;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use zubi_base::workspace::Folder;
use zubi_policy::Decision;
use zubi_policy::rule::RuleText;
use zubi_tool_api::cx::{Approver, Caller, ProgressSink, Restrictions};
use zubi_tool_api::{ErrorCode, Footprint, ResourceSpec, ResourceText, ToolSpec};

use crate::contributed::ContributionRegistrar;

/// A host's description of itself.
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
    /// The id or wire name of the tool.
    pub tool: String,
    /// The arguments, an object; null counts as an empty one.
    pub arguments: Value,
    pub caller: Arc<Caller>,
    /// The maximum length of the answer's text, in tokens, if the surface has one.
    pub token_budget: Option<usize>,
}

/// The context of one call: its cancellation, progress sink, approver and time-out.
#[derive(Clone)]
pub struct CallContext {
    pub cancel: CancellationToken,
    pub progress: Arc<dyn ProgressSink>,
    pub approver: Arc<dyn Approver>,
    /// The maximum time that the caller waits; the tool's own time-out may be shorter.
    pub timeout: Duration,
}

/// The result of a call, identical on every surface.
#[derive(Debug, Clone, PartialEq)]
pub struct CallAnswer {
    /// The text for a model or a user, with the status line; after a failure, the error and the next step.
    pub text: String,
    /// The data for programs, if the tool returns any.
    pub data: Option<Value>,
    /// The time from the call to the answer.
    pub duration: Duration,
    /// Whether `text` ends in a status line, to which a surface may add notes about the connection.
    pub status: bool,
    /// The reason for the failure; `None` if the call succeeded.
    pub failure: Option<ErrorCode>,
    /// The next step after an error, which is also the end of `text`; empty after success.
    pub next: String,
}

/// The failure of a call that was not made because it is invalid, most likely in its arguments.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct CallFailure {
    pub code: ErrorCode,
    /// The text that a call would return. It ends in `next`, the next step.
    pub text: String,
    pub next: String,
}

impl CallFailure {
    pub(crate) fn new(tool: &str, code: ErrorCode, error: impl Display, next: &str) -> Self {
        Self { code, text: format!("Failed to run {tool}: {error}\n{next}"), next: next.to_owned() }
    }

    /// Converts the failure to the answer of the call.
    pub(crate) fn into_answer(self, duration: Duration) -> CallAnswer {
        let Self { code, text, next } = self;
        CallAnswer { text, data: None, duration, status: false, failure: Some(code), next }
    }
}

/// The policy's decision about a call that was not made.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Explanation {
    pub tool: String,
    #[serde(flatten)]
    pub decision: Decision,
    pub footprint: Footprint,
    /// Rules that would allow the call, as written in `zubi.toml`.
    pub would_allow: Vec<String>,
}

/// An effective rule.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct RuleInForce {
    /// File and line.
    pub source: String,
    #[serde(flatten)]
    pub rule: RuleText,
}

/// Tools that a setting allows (`allow = [...]`), and the location of the setting.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct AllowedTools {
    pub source: String,
    pub tools: Vec<String>,
}

/// The effective policy.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(default)]
pub struct PolicyInForce {
    /// Why the policy allows only reads, with file and line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub broken: Option<String>,
    pub rules: Vec<RuleInForce>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allow: Option<AllowedTools>,
}

/// The error for a tool that does not exist for this caller.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, serde::Serialize, serde::Deserialize)]
#[error("unknown tool `{name}`: {why}")]
pub struct UnknownTool {
    pub name: String,
    pub why: String,
    /// The code for programs, which shows whether the tool would exist under another condition, such as trust in its
    /// file.
    pub code: ErrorCode,
}

/// The reason why a host did not answer a request.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HostError {
    #[error(transparent)]
    UnknownTool(#[from] UnknownTool),
    /// The call was not made because it is invalid.
    #[error("{}", .0.text)]
    InvalidCall(CallFailure),
    /// The host has ended or does not answer any more; another one may answer.
    #[error("{why}")]
    Disconnected { why: String },
    /// The host has ended, and there is no other one.
    #[error("there is no host of this workspace: {why}")]
    Unavailable { why: String },
    /// The host has ended before it answered a call that does more than read. If the tool writes files, `journal`
    /// describes the changes that may have begun.
    #[error("outcome unknown: the host has ended before it answered ({why})")]
    OutcomeUnknown { why: String, journal: Option<String> },
    /// The host does not report its rules, or there is no host.
    #[error("the policy is unknown: {why}")]
    PolicyUnknown { why: String },
    #[error("there is no resource `{uri}`")]
    UnknownResource { uri: String },
    /// A resource that cannot be read, with the reason.
    #[error("{0}")]
    UnreadableResource(String),
}

impl HostError {
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::UnknownTool(unknown) => unknown.code,
            Self::InvalidCall(failure) => failure.code,
            Self::Disconnected { .. } | Self::Unavailable { .. } | Self::PolicyUnknown { .. } => ErrorCode::Unavailable,
            Self::OutcomeUnknown { .. } => ErrorCode::OutcomeUnknown,
            Self::UnknownResource { .. } | Self::UnreadableResource(_) => ErrorCode::Failed,
        }
    }

    /// The next step.
    pub fn hint(&self) -> Cow<'_, str> {
        match self {
            Self::InvalidCall(failure) => Cow::Borrowed(&failure.next),
            Self::OutcomeUnknown { journal: Some(journal), .. } => {
                format!("Check first whether it was done: {journal}. Then decide whether to call again.").into()
            }
            Self::OutcomeUnknown { journal: None, .. } => {
                "Check first whether it was done, then decide whether to call again.".into()
            }
            Self::Disconnected { .. } | Self::Unavailable { .. } | Self::PolicyUnknown { .. } => {
                "Fix the reported cause, then try again; `zubi status` shows the running hosts.".into()
            }
            Self::UnknownTool(_) | Self::UnknownResource { .. } | Self::UnreadableResource(_) => {
                self.code().next_step().into()
            }
        }
    }
}

/// All requests that a surface can send to a host.
#[async_trait]
pub trait ToolService: Send + Sync {
    fn describe(&self) -> HostDescription;

    /// Returns the tools that this caller can see, except hidden ones, in a fixed order.
    async fn list(&self, restrictions: &Restrictions) -> Result<Vec<Arc<ToolSpec>>, HostError>;

    /// Returns one tool by id or wire name.
    async fn find(&self, name: &str, restrictions: &Restrictions) -> Result<Arc<ToolSpec>, HostError>;

    /// Makes a call. A call that fails has an answer; an error means that the host has none.
    async fn call(&self, request: &CallRequest, context: &CallContext) -> Result<CallAnswer, HostError>;

    /// Returns the policy's decision about a call, without making the call and without an approval prompt. An error of
    /// the tool, such as wrong arguments, is [`HostError::InvalidCall`], with the text that a call would return.
    async fn explain(&self, request: &CallRequest, context: &CallContext) -> Result<Explanation, HostError>;

    /// Returns the effective rules of every session, including approvals that outlast a session. An error means that
    /// the rules are unknown, which differs from an empty list.
    async fn policy(&self) -> Result<PolicyInForce, HostError>;

    /// Counts changes of the result of [`Self::list`].
    fn changes(&self) -> watch::Receiver<u64>;

    /// Returns the documents that a caller can read.
    async fn resources(&self) -> Result<Vec<ResourceSpec>, HostError>;

    /// Reads one document.
    async fn read_resource(
        &self,
        uri: &str,
        caller: &Arc<Caller>,
        context: &CallContext,
    ) -> Result<ResourceText, HostError>;

    /// Returns the registrar for contributed tools; `None` if the host is in another process.
    fn contributions(&self) -> Option<ContributionRegistrar> {
        None
    }

    /// Ends everything that the host has started, such as language servers, and waits until nothing remains.
    async fn shutdown(&self);
}
