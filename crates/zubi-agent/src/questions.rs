//! Questions for a person: told in the conversation, waiting there until somebody answers one by its id or the turn is
//! stopped. Whoever shows the conversation answers; the first answer counts.
//!
//! Rules that were given for this run (`--auto-approve`) answer first. They turn a question into a yes, never a denial.

mod rules;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use serde_json::{Value, json};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;
use zubi_host::ToolService;
use zubi_tool_api::cx::{ApprovalAnswer, ApprovalRequest, Approver};
use zubi_policy::rule::{Action, RuleText};

use self::rules::AutoApprove;
pub use self::rules::{auto_approve_rule, resolve_names};
use crate::event::EventKind;
use crate::journal::Journal;

/// What decides where a rule of this run does.
const BY_RULE: &str = "--auto-approve";
/// What decides where nobody does any more.
pub(crate) const AUTO_DECIDER: &str = "zubi";

/// How much of what a call would change stands in its question, in bytes.
const PREVIEW_BYTES: usize = 256 * 1024;

/// Who is asked about the calls of a turn.
pub trait ApproverFactory: Send + Sync {
    /// Who is asked about this call. Gives up, as unanswered, when `stop` is cancelled.
    fn approver_for(&self, turn: u64, call: &str, journal: Arc<dyn Journal>, stop: CancellationToken) -> Arc<dyn Approver>;
}

/// There is no such question that waits.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no question `{0}` waits for an answer: it was answered, or its turn has ended. Open the conversation anew.")]
pub struct UnknownQuestion(pub String);

/// A question that waits.
#[derive(Debug, Clone, PartialEq)]
pub struct PendingApproval {
    pub question: String,
    pub turn: u64,
    pub call: String,
    /// As in [`What::Question`].
    pub request: Value,
}

/// The questions of one conversation: ids are its journal's.
#[derive(Clone)]
pub struct Questions {
    auto: Arc<AutoApprove>,
    open: Arc<Mutex<BTreeMap<String, Open>>>,
}

struct Open {
    told: PendingApproval,
    answer: oneshot::Sender<(ApprovalAnswer, String)>,
}

impl Questions {
    /// `auto_approve`: rules that answer for this run, as [`auto_approve_rule`] reads them. The error says which is none.
    pub fn new(service: Arc<dyn ToolService>, auto_approve: &[RuleText]) -> Result<Self, String> {
        Ok(Self { auto: Arc::new(AutoApprove::new(service, auto_approve)?), open: Arc::default() })
    }

    /// Answers a question that waits. `by` is the door: `web`, `editor`, `terminal`.
    pub fn answer(&self, question: &str, answer: ApprovalAnswer, by: &str) -> Result<(), UnknownQuestion> {
        let open = lock_pending(&self.open).remove(question);
        let sent = open.map(|open| open.answer.send((answer, by.to_owned())).is_ok());
        if sent == Some(true) { Ok(()) } else { Err(UnknownQuestion(question.to_owned())) }
    }

    /// The questions that wait now, for a page that comes later.
    pub fn pending(&self) -> Vec<PendingApproval> {
        lock_pending(&self.open).values().map(|open| open.told.clone()).collect()
    }
}

fn lock_pending(open: &Mutex<BTreeMap<String, Open>>) -> MutexGuard<'_, BTreeMap<String, Open>> {
    open.lock().unwrap_or_else(PoisonError::into_inner)
}

impl ApproverFactory for Questions {
    fn approver_for(&self, turn: u64, call: &str, journal: Arc<dyn Journal>, stop: CancellationToken) -> Arc<dyn Approver> {
        Arc::new(OfCall { questions: self.clone(), turn, call: call.to_owned(), journal, stop })
    }
}

/// The approver of one call.
struct OfCall {
    questions: Questions,
    turn: u64,
    call: String,
    journal: Arc<dyn Journal>,
    stop: CancellationToken,
}

#[async_trait]
impl Approver for OfCall {
    async fn request_approval(&self, mut request: ApprovalRequest) -> ApprovalAnswer {
        request.footprint.preview =
            request.footprint.preview.map(|preview| self.journal.shorten(preview, PREVIEW_BYTES));
        let left = self.questions.auto.remaining(&request).await;
        let by_rule = left.as_ref().is_some_and(|left| left.action == Action::Allow);
        // What the rules allow is no question any more.
        if let Some(left) = left.filter(|left| left.action == Action::Ask) {
            (request.why, request.rule) = (left.why, left.rule);
        }
        let question = self.journal.new_id();
        let told =
            PendingApproval { question: question.clone(), turn: self.turn, call: self.call.clone(), request: json!(request) };
        let event = EventKind::Question {
            turn: self.turn,
            call: self.call.clone(),
            question: question.clone(),
            request: told.request.clone(),
        };
        let (answer, answered) = oneshot::channel();
        // It can be answered from the moment on at which it is told.
        if !by_rule {
            lock_pending(&self.questions.open).insert(question.clone(), Open { told, answer });
        }
        if let Err(error) = self.journal.add(event) {
            lock_pending(&self.questions.open).remove(&question);
            return ApprovalAnswer::NotAsked { why: error.to_string() };
        }
        let mut asked = PublishedPrompt { of: self, question, is_decided: false };
        if by_rule {
            return asked.decide(ApprovalAnswer::allow_once(), BY_RULE);
        }
        tokio::select! {
            answer = answered => match answer {
                Ok((answer, by)) => match asked.decide(answer, &by) {
                    // Whoever refuses it then knows what is left to be allowed, and how.
                    ApprovalAnswer::Unavailable => ApprovalAnswer::OnlyRules { rules: self.questions.auto.texts() },
                    answer => answer,
                },
                Err(_) => asked.decide(ApprovalAnswer::Unanswered { how: "the conversation was closed".to_owned() }, AUTO_DECIDER),
            },
            () = self.stop.cancelled() => {
                // Whoever has made the call may give it up itself now, and says so better than an answer could.
                tokio::task::yield_now().await;
                asked.decide(turn_stopped(), AUTO_DECIDER)
            }
        }
    }
}

fn turn_stopped() -> ApprovalAnswer {
    ApprovalAnswer::Unanswered { how: "the turn was stopped before they answered".to_owned() }
}

/// A question that was told. However the wait for its answer ends, it is told that there is none to be given any more.
struct PublishedPrompt<'a> {
    of: &'a OfCall,
    question: String,
    is_decided: bool,
}

impl PublishedPrompt<'_> {
    fn decide(&mut self, answer: ApprovalAnswer, by: &str) -> ApprovalAnswer {
        self.is_decided = true;
        lock_pending(&self.of.questions.open).remove(&self.question);
        let event = EventKind::Decision { question: self.question.clone(), answer: json!(answer), by: by.to_owned() };
        match self.of.journal.add(event) {
            Ok(()) => answer,
            // What is not in the log is not done.
            Err(error) => ApprovalAnswer::NotAsked { why: error.to_string() },
        }
    }
}

impl Drop for PublishedPrompt<'_> {
    fn drop(&mut self) {
        if !self.is_decided {
            // The call was given up while it waited. If even this cannot be kept, the turn's end says so.
            drop(self.decide(turn_stopped(), AUTO_DECIDER));
        }
    }
}

#[cfg(test)]
mod tests;
