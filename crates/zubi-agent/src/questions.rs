//! Approval prompts for the user. A prompt is an event of the conversation, and waits until a client answers it by its
//! id or the turn is stopped. Any client that shows the conversation may answer; the first answer counts.
//!
//! The `--auto-approve` rules of the run come first. They can approve a call, never deny it.

mod rules;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use serde_json::json;
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;
use zubi_base::sync::lock;
use zubi_host::ToolService;
use zubi_policy::rule::{Action, RuleText};
use zubi_tool_api::cx::{ApprovalAnswer, ApprovalRequest, Approver};

use self::rules::AutoApprove;
pub use self::rules::{auto_approve_rule, resolve_names};
use crate::event::EventKind;
use crate::journal::Journal;

/// The `surface` of a decision that a rule of this run made.
const RULE_SURFACE: &str = "--auto-approve";
/// The `surface` of a decision that zubi itself made because no answer can come any more.
pub(crate) const AUTO_DECIDER: &str = "zubi";

/// The maximum length of the preview of a change in an approval prompt, in bytes.
const PREVIEW_BYTES: usize = 256 * 1024;

/// Creates the approvers for the calls of a turn.
pub trait ApproverFactory: Send + Sync {
    /// Returns the approver for one call. Its prompts end as unanswered when `stop` is cancelled.
    fn approver_for(
        &self,
        turn: u64,
        call: &str,
        journal: Arc<dyn Journal>,
        stop: CancellationToken,
    ) -> Arc<dyn Approver>;
}

/// The error for an approval prompt that does not exist or does not wait any more.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no question `{0}` waits for an answer: it was answered, or its turn has ended. Open the conversation again.")]
pub struct UnknownQuestion(pub String);

/// The approval prompts of one conversation. The conversation's journal generates their ids.
#[derive(Clone)]
pub struct Questions {
    auto: Arc<AutoApprove>,
    open: Arc<Mutex<OpenPrompts>>,
}

/// The senders of the answer and its surface, by the id of the prompt.
type OpenPrompts = BTreeMap<String, oneshot::Sender<(ApprovalAnswer, String)>>;

impl Questions {
    /// Creates an empty set of prompts. `auto_approve` are the rules that answer for this run, as [`auto_approve_rule`]
    /// parses them. The error names the invalid rule.
    pub fn new(service: Arc<dyn ToolService>, auto_approve: &[RuleText]) -> Result<Self, String> {
        Ok(Self { auto: Arc::new(AutoApprove::new(service, auto_approve)?), open: Arc::default() })
    }

    /// Answers a waiting prompt. `surface` is the surface of the answer: `web`, `editor` or `terminal`.
    pub fn answer(&self, question: &str, answer: ApprovalAnswer, surface: &str) -> Result<(), UnknownQuestion> {
        let open = lock(&self.open).remove(question);
        let sent = open.map(|open| open.send((answer, surface.to_owned())).is_ok());
        if sent == Some(true) { Ok(()) } else { Err(UnknownQuestion(question.to_owned())) }
    }

    /// Returns the number of prompts that wait now.
    #[cfg(test)]
    pub(crate) fn open_count(&self) -> usize {
        lock(&self.open).len()
    }
}

impl ApproverFactory for Questions {
    fn approver_for(
        &self,
        turn: u64,
        call: &str,
        journal: Arc<dyn Journal>,
        stop: CancellationToken,
    ) -> Arc<dyn Approver> {
        Arc::new(CallApprover { questions: self.clone(), turn, call: call.to_owned(), journal, stop })
    }
}

/// The approver of one call.
struct CallApprover {
    questions: Questions,
    turn: u64,
    call: String,
    journal: Arc<dyn Journal>,
    stop: CancellationToken,
}

#[async_trait]
impl Approver for CallApprover {
    async fn request_approval(&self, mut request: ApprovalRequest) -> ApprovalAnswer {
        request.footprint.preview =
            request.footprint.preview.map(|preview| self.journal.shorten(preview, PREVIEW_BYTES));
        let remaining = self.questions.auto.decide_remaining(&request).await;
        let is_allowed_by_rule = remaining.as_ref().is_some_and(|remaining| remaining.action == Action::Allow);
        // The prompt names only what the rules do not allow.
        if let Some(remaining) = remaining.filter(|remaining| remaining.action == Action::Ask) {
            (request.reason, request.rule) = (remaining.reason, remaining.rule);
        }
        let question = self.journal.new_id();
        let event = EventKind::Question {
            turn: self.turn,
            call: self.call.clone(),
            question: question.clone(),
            request: json!(request),
        };
        let (answer, answered) = oneshot::channel();
        // The prompt can be answered as soon as its event is sent.
        if !is_allowed_by_rule {
            lock(&self.questions.open).insert(question.clone(), answer);
        }
        if let Err(error) = self.journal.add(event) {
            lock(&self.questions.open).remove(&question);
            return ApprovalAnswer::NotPrompted { reason: error.to_string() };
        }
        let mut prompt = PublishedPrompt { approver: self, question, is_decided: false };
        if is_allowed_by_rule {
            return prompt.decide(ApprovalAnswer::allow_once(), RULE_SURFACE);
        }
        tokio::select! {
            answer = answered => match answer {
                Ok((answer, surface)) => match prompt.decide(answer, &surface) {
                    // The denial then names what still requires approval, and how to allow it.
                    ApprovalAnswer::Unavailable => ApprovalAnswer::OnlyRules { rules: self.questions.auto.texts() },
                    answer => answer,
                },
                Err(_) => prompt.decide(ApprovalAnswer::Unanswered { reason: "the conversation was closed".to_owned() }, AUTO_DECIDER),
            },
            () = self.stop.cancelled() => {
                // The caller may cancel the call itself now, and gives a better reason than an unanswered prompt does.
                tokio::task::yield_now().await;
                prompt.decide(turn_stopped(), AUTO_DECIDER)
            }
        }
    }
}

fn turn_stopped() -> ApprovalAnswer {
    ApprovalAnswer::Unanswered { reason: "the turn was stopped before they answered".to_owned() }
}

/// A published approval prompt. However the wait for its answer ends, a decision is published, so that clients stop
/// offering the prompt.
struct PublishedPrompt<'a> {
    approver: &'a CallApprover,
    question: String,
    is_decided: bool,
}

impl PublishedPrompt<'_> {
    fn decide(&mut self, answer: ApprovalAnswer, surface: &str) -> ApprovalAnswer {
        self.is_decided = true;
        lock(&self.approver.questions.open).remove(&self.question);
        let event =
            EventKind::Decision { question: self.question.clone(), answer: json!(answer), surface: surface.to_owned() };
        match self.approver.journal.add(event) {
            Ok(()) => answer,
            // An approval that is not in the log does not count.
            Err(error) => ApprovalAnswer::NotPrompted { reason: error.to_string() },
        }
    }
}

impl Drop for PublishedPrompt<'_> {
    fn drop(&mut self) {
        if !self.is_decided {
            // The call was cancelled while it waited. If not even this can be saved, the turn's end reports it.
            drop(self.decide(turn_stopped(), AUTO_DECIDER));
        }
    }
}

#[cfg(test)]
mod tests;
