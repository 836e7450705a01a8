//! Replays a scenario with the current program. The turns run in the real loop and make their calls; only the model's
//! answers are recorded. The replay reports calls whose results differ from the recording.
//!
//! The policy applies as always, without approval prompts: a call that a user approved in the recording is denied,
//! unless a rule of this run allows it.

mod compare;
mod ids;
mod recorded;
#[cfg(test)]
mod tests;

use std::sync::{Arc, Mutex, PoisonError};

use camino::Utf8PathBuf;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use zubi_base::clock::Clock;
use zubi_host::ToolService;
use zubi_tool_api::cx::{ApprovalAnswer, Caller, Restrictions, Surface};

use self::recorded::ReplayModel;
use crate::event::{AgentEvent, EventKind, StopReason, VERSION};
use crate::export;
use crate::history::History;
use crate::journal::{Journal, PersistError};
use crate::questions::Questions;
use crate::run::{Budgets, Turn};
use zubi_models::LanguageModel;
use zubi_models::message::PromptMessage;
use zubi_models::scenario::Scenario;

/// The inputs of a replay.
pub struct Replay {
    pub service: Arc<dyn ToolService>,
    pub budgets: Budgets,
    /// The `--auto-approve` rules answer approval prompts; a call that no rule allows is denied.
    pub questions: Questions,
    /// The workspace's folders. Their location does not count as a difference.
    pub folders: Vec<Utf8PathBuf>,
    pub clock: Arc<dyn Clock>,
    pub stop: CancellationToken,
}

/// The result of a replay.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "Report")]
pub struct ReplayReport {
    /// The number of replayed turns.
    pub turns: usize,
    /// The number of calls.
    pub calls: usize,
    pub differences: Vec<Difference>,
}

/// A difference from the recording. Times, ids that are generated for each run, and the path of the workspace do not
/// count.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "what", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum Difference {
    /// A call is different, additional or missing.
    Call {
        /// The number of the turn, from 1.
        turn: usize,
        /// The number of the call in the turn, from 1.
        call: usize,
        recorded: Option<ReplayedCall>,
        now: Option<ReplayedCall>,
    },
    /// The call has another result.
    Outcome { turn: usize, call: usize, made: ReplayedCall, recorded: ReplayOutcome, now: ReplayOutcome },
    /// The turn ended for another reason.
    End {
        turn: usize,
        recorded: Option<StopReason>,
        now: StopReason,
        /// The error of this run, with the next step.
        problem: Option<String>,
    },
}

/// A call.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ReplayedCall {
    pub tool: String,
    pub arguments: Value,
}

/// The result of a call, without the parts that do not count as differences.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "Outcome")]
pub struct ReplayOutcome {
    pub text: String,
    pub failed: bool,
}

impl Replay {
    /// Replays all turns. [`Self::stop`] ends the replay early.
    pub async fn run(self, scenario: &Scenario) -> ReplayReport {
        let model = Arc::new(ReplayModel::new(scenario));
        let journal = Arc::new(ReplayConversation::new(self.questions.clone(), self.folders.clone()));
        let caller = Arc::new(Caller {
            surface: Surface::Agent,
            client: Some("zubi-agent (replay)".to_owned()),
            session: 0,
            restrictions: Restrictions::default(),
        });
        let mut turns = 0;
        for (turn, number) in scenario.turns.iter().zip(1..) {
            if self.stop.is_cancelled() {
                break;
            }
            model.begin(turn);
            // No messages arrive while the turn runs.
            let (_sender, inbox) = mpsc::unbounded_channel();
            let running = Turn {
                service: Arc::clone(&self.service),
                model: Arc::clone(&model) as Arc<dyn LanguageModel>,
                budgets: self.budgets.clone(),
                caller: Arc::clone(&caller),
                instructions: None,
                schema: None,
                approvers: Arc::new(self.questions.clone()),
                clock: Arc::clone(&self.clock),
                stop: self.stop.clone(),
                inbox,
            };
            running.run(number, turn.user.clone(), Arc::clone(&journal) as Arc<dyn Journal>).await;
            turns += 1;
        }
        let events = journal.events();
        let now = export::scenario("", &events);
        let problems: Vec<Option<String>> = events
            .into_iter()
            .filter_map(|event| match event.kind {
                EventKind::Ended(ended) => Some(ended.problem),
                _ => None,
            })
            .collect();
        let differences = compare::turns(&scenario.turns, &now.turns, &problems);
        ReplayReport { turns, calls: now.turns.iter().map(|turn| turn.results.len()).sum(), differences }
    }
}

/// The conversation of a replay. It is not saved.
struct ReplayConversation {
    questions: Questions,
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    events: Vec<AgentEvent>,
    history: History,
    ids: u64,
}

impl ReplayConversation {
    fn new(questions: Questions, folders: Vec<Utf8PathBuf>) -> Self {
        let beginning = EventKind::Began {
            version: VERSION,
            conversation: "replay".to_owned(),
            folders,
            zubi: env!("CARGO_PKG_VERSION").to_owned(),
        };
        let inner = Inner { events: vec![AgentEvent { seq: 1, at: 0, kind: beginning }], ..Inner::default() };
        Self { questions, inner: Mutex::new(inner) }
    }

    fn with_inner<T>(&self, work: impl FnOnce(&mut Inner) -> T) -> T {
        work(&mut self.inner.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn events(&self) -> Vec<AgentEvent> {
        self.with_inner(|inner| std::mem::take(&mut inner.events))
    }
}

impl Journal for ReplayConversation {
    fn add(&self, kind: EventKind) -> Result<(), PersistError> {
        if !kind.is_persisted() {
            return Ok(());
        }
        let question = match &kind {
            EventKind::Question { question, .. } => Some(question.clone()),
            _ => None,
        };
        self.with_inner(|inner| {
            let event = AgentEvent { seq: inner.events.len() as u64 + 1, at: 0, kind };
            inner.history.apply(&event);
            inner.events.push(event);
        });
        if let Some(question) = question {
            // An approval prompt that a rule answers does not wait.
            drop(self.questions.answer(&question, ApprovalAnswer::Unavailable, "replay"));
        }
        Ok(())
    }

    fn clean(&self, text: &str, _is_interrupted: bool) -> String {
        text.to_owned()
    }

    fn messages(&self) -> Vec<PromptMessage> {
        self.with_inner(|inner| inner.history.messages())
    }

    fn last(&self) -> u64 {
        self.with_inner(|inner| inner.events.len() as u64)
    }

    fn messages_with_seq(&self) -> Vec<(u64, PromptMessage)> {
        self.with_inner(|inner| inner.history.messages_with_seq().to_vec())
    }

    fn new_id(&self) -> String {
        self.with_inner(|inner| {
            inner.ids += 1;
            format!("replay_{}", inner.ids)
        })
    }
}
