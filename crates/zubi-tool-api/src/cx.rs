//! The circumstances of one call: who asks, how long, how much, and where progress goes.

use std::fmt;
use std::sync::Arc;
use std::time::Instant;

use async_trait::async_trait;
use serde_json::Value;
use tokio_util::sync::CancellationToken;
use zubi_base::text::TextSource;
use zubi_base::workspace::Workspace;

pub use zubi_policy::caller::{ApprovalScope, Caller, Restrictions, Surface};

use crate::footprint::Footprint;
use zubi_policy::ApprovalOption;
use zubi_policy::rule::RuleText;

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

/// A question for a person.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub struct ApprovalRequest {
    pub tool: String,
    /// Which part of the call made it a question.
    pub why: String,
    /// Where the rule stands that asks; `None`: no rule is about it, and then such calls ask.
    pub rule: Option<String>,
    pub footprint: Footprint,
    /// The arguments as the tool would get them.
    pub arguments: Value,
    /// The possible yeses; the first is for this call only.
    pub options: Vec<ApprovalOption>,
}

/// A person's answer.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum ApprovalAnswer {
    Allow {
        /// Which of [`ApprovalRequest::options`]; one that does not exist counts as the first.
        option: usize,
        /// Other arguments instead; they are checked and judged like a new call's.
        arguments: Option<Value>,
    },
    Deny {
        /// What the person wants the model to know.
        text: Option<String>,
    },
    /// Somebody was asked and has given no answer: the clause says how that came ("nobody answered within 5 minutes").
    Unanswered { how: String },
    /// There is somebody, who was not asked: the clause says why ("64 questions wait for an answer already").
    NotAsked { why: String },
    /// There is nobody to ask here.
    Unavailable,
    /// Nobody, but these rules answer for this run (`--auto-approve`), and not everything that is asked about the call.
    OnlyRules { rules: Vec<RuleText> },
}

impl ApprovalAnswer {
    /// Yes to this call, as it is.
    pub fn allow_once() -> Self {
        Self::Allow { option: 0, arguments: None }
    }
}

/// Asks a person.
#[async_trait]
pub trait Approver: Send + Sync {
    async fn request_approval(&self, request: ApprovalRequest) -> ApprovalAnswer;

    /// Whether the client itself asks its user before each call (`mcp.ask = "client"`). Counts only for calls that
    /// [`Footprint::vouched`] says a person has looked at the tool of.
    fn client_asks(&self) -> bool {
        false
    }
}

/// The approver of surfaces that have nobody to ask.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoApprover;

#[async_trait]
impl Approver for NoApprover {
    async fn request_approval(&self, _request: ApprovalRequest) -> ApprovalAnswer {
        ApprovalAnswer::Unavailable
    }
}

/// The approver of a client that shows each call to its user before it sends it, and cannot be asked anything.
#[derive(Debug, Clone, Copy, Default)]
pub struct ClientApprover;

#[async_trait]
impl Approver for ClientApprover {
    async fn request_approval(&self, _request: ApprovalRequest) -> ApprovalAnswer {
        ApprovalAnswer::Unavailable
    }

    fn client_asks(&self) -> bool {
        true
    }
}

/// The circumstances of one call.
#[derive(Clone)]
pub struct ToolCx {
    /// Cancelled when the caller gives up or the deadline passes.
    pub cancel: CancellationToken,
    pub deadline: Instant,
    pub progress: Arc<dyn ProgressSink>,
    /// Upper bound for the answer's text, in tokens ([`BYTES_PER_TOKEN`]), where the surface gives one.
    pub token_budget: Option<usize>,
    /// How many calls this one is inside of: tools may call tools.
    pub nesting: usize,
    pub caller: Arc<Caller>,
    pub approver: Arc<dyn Approver>,
    pub workspace: Arc<Workspace>,
    pub text_source: Arc<dyn TextSource>,
}

/// About so many bytes of source text are a token.
pub const BYTES_PER_TOKEN: usize = 4;

impl ToolCx {
    /// How many bytes the answer may have, where the tool itself wants at most `most`. Never so few that nothing can be
    /// said in them.
    pub fn byte_budget(&self, most: usize) -> usize {
        const LEAST: usize = 200;
        self.token_budget.map_or(most, |tokens| tokens.saturating_mul(BYTES_PER_TOKEN).min(most)).max(LEAST)
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
