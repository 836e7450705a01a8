//! A scenario against the program as it is now: its turns go through the real loop and its calls are really made, only the
//! model's answers are those that were recorded. What comes of the calls otherwise than before is told.
//!
//! The policy decides as always; nobody is asked. A call that was allowed by a person back then is denied, unless a rule of this
//! run allows it.

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
use crate::event::{Event, StopReason, VERSION, EventKind};
use crate::export;
use crate::history::History;
use crate::journal::{Journal, PersistError};
use zubi_models::message::Message;
use zubi_models::Model;
use crate::questions::Questions;
use crate::run::{Budgets, Turn};
use zubi_models::scenario::Scenario;

/// What a scenario is replayed with.
pub struct Replay {
    pub service: Arc<dyn ToolService>,
    pub budgets: Budgets,
    /// Their rules answer; what no rule answers is denied.
    pub questions: Questions,
    /// The workspace's folders: where they are makes no difference.
    pub folders: Vec<Utf8PathBuf>,
    pub clock: Arc<dyn Clock>,
    pub stop: CancellationToken,
}

/// What came of it.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Report {
    /// How many turns were played.
    pub turns: usize,
    /// How many calls were made.
    pub calls: usize,
    pub differences: Vec<Difference>,
}

/// What is otherwise than it was. Times, ids that are new each time and where the workspace lies are none.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "what", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum Difference {
    /// Another call was made, one more, or one less.
    Call {
        /// From 1.
        turn: usize,
        /// From 1, in each turn.
        call: usize,
        recorded: Option<ReplayedCall>,
        now: Option<ReplayedCall>,
    },
    /// It came to something else.
    Outcome { turn: usize, call: usize, made: ReplayedCall, recorded: Outcome, now: Outcome },
    /// The turn ended in another way.
    End {
        turn: usize,
        recorded: Option<StopReason>,
        now: StopReason,
        /// What went wrong now, with the next step.
        problem: Option<String>,
    },
}

/// A call.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ReplayedCall {
    pub tool: String,
    pub arguments: Value,
}

/// What came of a call, without what is no difference.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Outcome {
    pub text: String,
    pub failed: bool,
}

impl Replay {
    /// Plays all turns. One that was stopped is ended early by [`Self::stop`].
    pub async fn run(self, scenario: &Scenario) -> Report {
        let model = Arc::new(ReplayModel::new(scenario));
        let journal = Arc::new(ReplayConversation::new(self.questions.clone(), self.folders.clone()));
        let caller = Arc::new(Caller {
            surface: Surface::Agent,
            client: Some("zubi-agent (replay)".to_owned()),
            session: 0,
            restrictions: Restrictions::default(),
        });
        let mut played = 0;
        for (turn, number) in scenario.turns.iter().zip(1..) {
            if self.stop.is_cancelled() {
                break;
            }
            model.begin(turn);
            // Nothing is said while it runs.
            let (_says, inbox) = mpsc::unbounded_channel();
            let going_on = Turn {
                service: Arc::clone(&self.service),
                model: Arc::clone(&model) as Arc<dyn Model>,
                budgets: self.budgets.clone(),
                caller: Arc::clone(&caller),
                instructions: None,
                schema: None,
                approvers: Arc::new(self.questions.clone()),
                clock: Arc::clone(&self.clock),
                stop: self.stop.clone(),
                inbox,
            };
            going_on.run(number, turn.user.clone(), Arc::clone(&journal) as Arc<dyn Journal>).await;
            played += 1;
        }
        let events = journal.events();
        let now = export::scenario("", &events);
        let problems: Vec<Option<String>> = events
            .into_iter()
            .filter_map(|event| match event.what {
                EventKind::Ended(ended) => Some(ended.problem),
                _ => None,
            })
            .collect();
        let differences = compare::turns(&scenario.turns, &now.turns, &problems);
        Report { turns: played, calls: now.turns.iter().map(|turn| turn.results.len()).sum(), differences }
    }
}

/// The conversation of a replay: it is kept nowhere.
struct ReplayConversation {
    questions: Questions,
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    events: Vec<Event>,
    history: History,
    ids: u64,
}

impl ReplayConversation {
    fn new(questions: Questions, folders: Vec<Utf8PathBuf>) -> Self {
        let began = EventKind::Began {
            version: VERSION,
            conversation: "replay".to_owned(),
            folders,
            zubi: env!("CARGO_PKG_VERSION").to_owned(),
        };
        let inner = Inner { events: vec![Event { seq: 1, at: 0, what: began }], ..Inner::default() };
        Self { questions, inner: Mutex::new(inner) }
    }

    fn with_inner<T>(&self, work: impl FnOnce(&mut Inner) -> T) -> T {
        work(&mut self.inner.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn events(&self) -> Vec<Event> {
        self.with_inner(|inner| std::mem::take(&mut inner.events))
    }
}

impl Journal for ReplayConversation {
    fn add(&self, what: EventKind) -> Result<(), PersistError> {
        if !what.is_persisted() {
            return Ok(());
        }
        let question = match &what {
            EventKind::Question { question, .. } => Some(question.clone()),
            _ => None,
        };
        self.with_inner(|inner| {
            let event = Event { seq: inner.events.len() as u64 + 1, at: 0, what };
            inner.history.apply(&event);
            inner.events.push(event);
        });
        if let Some(question) = question {
            // One that a rule answers does not wait.
            drop(self.questions.answer(&question, ApprovalAnswer::Unavailable, "replay"));
        }
        Ok(())
    }

    fn clean(&self, text: &str, _is_broken_off: bool) -> String {
        text.to_owned()
    }

    fn messages(&self) -> Vec<Message> {
        self.with_inner(|inner| inner.history.messages())
    }

    fn last(&self) -> u64 {
        self.with_inner(|inner| inner.events.len() as u64)
    }

    fn messages_with_seq(&self) -> Vec<(u64, Message)> {
        self.with_inner(|inner| inner.history.messages_with_seq().to_vec())
    }

    fn new_id(&self) -> String {
        self.with_inner(|inner| {
            inner.ids += 1;
            format!("replay_{}", inner.ids)
        })
    }
}
