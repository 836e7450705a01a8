//! The context of one call: the caller, the deadline, the output budget and the progress sink.

use std::fmt;
use std::sync::Arc;
use std::time::Instant;

use async_trait::async_trait;
use serde_json::Value;
use tokio_util::sync::CancellationToken;
use zubi_base::text::TextSource;
use zubi_base::workspace::WorkspaceFolders;

pub use zubi_policy::caller::{ApprovalScope, Caller, Restrictions, Surface};

use crate::footprint::Footprint;
use zubi_policy::ApprovalOption;
use zubi_policy::rule::RuleText;

/// A receiver for the progress of a long call.
pub trait ProgressSink: Send + Sync {
    /// Reports progress. `fraction` is 0–1 if known; `message` is one short clause ("rust-analyzer: indexing 43 %").
    fn report(&self, fraction: Option<f64>, message: &str);
}

/// A sink that drops progress.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoProgress;

impl ProgressSink for NoProgress {
    fn report(&self, _fraction: Option<f64>, _message: &str) {}
}

/// A request for the user's approval.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub struct ApprovalRequest {
    pub tool: String,
    /// The reason: the part of the call that needs approval.
    #[serde(rename = "why")]
    pub reason: String,
    /// The location of the rule that requires approval. `None` if no rule applies and the default requires approval.
    pub rule: Option<String>,
    pub footprint: Footprint,
    /// The arguments that the tool would receive.
    pub arguments: Value,
    /// The approval options; the first is for this call only.
    pub options: Vec<ApprovalOption>,
}

/// The user's answer to an approval request.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum ApprovalAnswer {
    Allow {
        /// Index into [`ApprovalRequest::options`]; an invalid one counts as the first.
        option: usize,
        /// Edited arguments; they are validated and judged like those of a new call.
        arguments: Option<Value>,
    },
    Deny {
        /// The user's message to the model.
        text: Option<String>,
    },
    /// The user did not answer the prompt; the clause gives the reason ("nobody answered within 5 minutes").
    Unanswered {
        #[serde(rename = "how")]
        reason: String,
    },
    /// A user is present but was not prompted: the clause gives the reason ("64 questions wait for an answer already").
    #[serde(rename = "notAsked")]
    NotPrompted {
        #[serde(rename = "why")]
        reason: String,
    },
    /// No user can be prompted here.
    Unavailable,
    /// No user can be prompted, but these rules of this run (`--auto-approve`) count as approval. They do not cover
    /// everything in the call that needs approval.
    OnlyRules { rules: Vec<RuleText> },
}

impl ApprovalAnswer {
    /// Approves this call, unchanged.
    pub fn allow_once() -> Self {
        Self::Allow { option: 0, arguments: None }
    }
}

/// Requests a user's approval for a call.
#[async_trait]
pub trait Approver: Send + Sync {
    async fn request_approval(&self, request: ApprovalRequest) -> ApprovalAnswer;

    /// Returns whether the client itself prompts its user before each call (`mcp.ask = "client"`). This counts only for
    /// calls with [`Footprint::is_reviewed`], that is, for tools that the user has reviewed.
    fn client_prompts(&self) -> bool {
        false
    }
}

/// The approver of surfaces without a user to prompt.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoApprover;

#[async_trait]
impl Approver for NoApprover {
    async fn request_approval(&self, _request: ApprovalRequest) -> ApprovalAnswer {
        ApprovalAnswer::Unavailable
    }
}

/// The approver for a client that shows each call to its user before it sends the call, and that cannot show an
/// approval prompt.
#[derive(Debug, Clone, Copy, Default)]
pub struct ClientApprover;

#[async_trait]
impl Approver for ClientApprover {
    async fn request_approval(&self, _request: ApprovalRequest) -> ApprovalAnswer {
        ApprovalAnswer::Unavailable
    }

    fn client_prompts(&self) -> bool {
        true
    }
}

#[derive(Clone)]
pub struct ToolCx {
    /// Cancelled when the caller cancels the call or the deadline passes.
    pub cancel: CancellationToken,
    pub deadline: Instant,
    pub progress: Arc<dyn ProgressSink>,
    /// Upper limit for the output's text, in tokens ([`BYTES_PER_TOKEN`]), if the surface sets one.
    pub token_budget: Option<usize>,
    /// The nesting depth of the call: tools may call tools.
    pub nesting: usize,
    pub caller: Arc<Caller>,
    pub approver: Arc<dyn Approver>,
    pub workspace: Arc<WorkspaceFolders>,
    pub text_source: Arc<dyn TextSource>,
}

/// The approximate number of bytes of source text per token.
pub const BYTES_PER_TOKEN: usize = 4;

impl ToolCx {
    /// Returns the limit for the output, in bytes: the smaller one of `most`, the tool's own limit, and the surface's
    /// limit, but at least 200 bytes, so that useful output fits.
    pub fn byte_budget(&self, most: usize) -> usize {
        const MIN_BYTES: usize = 200;
        self.token_budget.map_or(most, |tokens| tokens.saturating_mul(BYTES_PER_TOKEN).min(most)).max(MIN_BYTES)
    }
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
