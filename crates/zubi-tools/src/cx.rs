//! The circumstances of one call: who asks, how long, how much, and where progress goes.

use std::fmt;
use std::sync::Arc;
use std::time::Instant;

use async_trait::async_trait;
use tokio_util::sync::CancellationToken;
use zubi_base::text::TextSource;
use zubi_base::workspace::Workspace;

use crate::footprint::Footprint;

/// Which door a call came through.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Surface {
    Mcp,
    CommandLine,
    Editor,
    Ipc,
    Agent,
}

/// What the caller's session may not do, whatever the policy says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Restrictions {
    /// Tools with an effect above [`crate::Effect::Plan`] are absent from lists and refused.
    pub read_only: bool,
    /// Only tools of these toolsets exist for the caller; empty means all.
    pub toolsets: Vec<String>,
    /// Only these tools exist for the caller; empty means all.
    pub tools: Vec<String>,
}

/// Who asks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    pub surface: Surface,
    /// Name and version as the client gave them, for the audit log.
    pub client: Option<String>,
    pub restrictions: Restrictions,
}

/// Receives progress of a long call.
pub trait ProgressSink: Send + Sync {
    /// `fraction` is 0–1 when known; `message` is one short clause ("rust-analyzer: indexing 43 %").
    fn report(&self, fraction: Option<f64>, message: &str);
}

/// Drops progress.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoProgress;

impl ProgressSink for NoProgress {
    fn report(&self, _fraction: Option<f64>, _message: &str) {}
}

/// How long an answer to "may I?" holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ApprovalScope {
    Once,
    Session,
    Workspace,
    Always,
}

/// A question for a person.
#[derive(Debug, Clone)]
pub struct ApprovalRequest {
    pub tool: String,
    pub why: String,
    pub footprint: Footprint,
    pub scopes: Vec<ApprovalScope>,
}

/// A person's answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ApprovalAnswer {
    Allow(ApprovalScope),
    Deny,
    /// There is nobody to ask here.
    Unavailable,
}

/// Asks a person.
#[async_trait]
pub trait Approver: Send + Sync {
    async fn ask(&self, request: ApprovalRequest) -> ApprovalAnswer;
}

/// The approver of surfaces that have nobody to ask.
#[derive(Debug, Clone, Copy, Default)]
pub struct NobodyToAsk;

#[async_trait]
impl Approver for NobodyToAsk {
    async fn ask(&self, _request: ApprovalRequest) -> ApprovalAnswer {
        ApprovalAnswer::Unavailable
    }
}

/// The circumstances of one call.
#[derive(Clone)]
pub struct ToolCx {
    /// Cancelled when the caller gives up or the deadline passes.
    pub cancel: CancellationToken,
    pub deadline: Instant,
    pub progress: Arc<dyn ProgressSink>,
    /// Upper bound for the answer's text, in tokens (about four bytes each), where the surface gives one.
    pub token_budget: Option<usize>,
    pub caller: Arc<Caller>,
    pub approver: Arc<dyn Approver>,
    pub workspace: Arc<Workspace>,
    pub text_source: Arc<dyn TextSource>,
}

impl fmt::Debug for ToolCx {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolCx")
            .field("deadline", &self.deadline)
            .field("token_budget", &self.token_budget)
            .field("caller", &self.caller)
            .finish_non_exhaustive()
    }
}
