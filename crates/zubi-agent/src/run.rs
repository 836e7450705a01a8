//! The agent loop: runs one turn of a conversation. Each iteration requests an answer from the model, runs the calls of
//! the answer and returns their results to the model. The turn ends when the model answers without calls, a budget is
//! used up or a user stops it.
//!
//! Only the presence of calls decides whether the loop continues, never the provider's finish reason. [`model_request`]
//! requests the answers, [`calls`] runs the calls, and [`compact`] limits the length of the prompt. Nothing that the
//! turn starts outlives it: tool calls and model requests are part of the turn's own future and are dropped with it.

mod calls;
mod compact;
mod loop_guard;
mod model_request;
mod report;
mod schedule;
mod structured_output;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use tokio::sync::{mpsc, watch};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use zubi_base::clock::{Clock, milliseconds};
use zubi_host::{HostDescription, ToolService};
use zubi_tool_api::cx::Caller;

use self::loop_guard::LoopGuard;
use self::model_request::ToolCatalog;
use self::report::TurnReport;
use self::structured_output::StructuredOutput;
use crate::event::{EventKind, StopReason, TurnEnded};
use crate::journal::{Journal, PersistError};
use crate::prompt;
use crate::questions::ApproverFactory;
use zubi_models::message::TokenUsage;
use zubi_models::{FinishReason, LanguageModel, ModelAnswer};

/// The budgets of a turn. The first that is used up ends the turn, with a report of its work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Budgets {
    /// The maximum number of answers that the turn requests from the model.
    pub iterations: u64,
    /// The maximum number of calls.
    pub calls: u64,
    /// The maximum number of tokens, of all prompts and answers together.
    pub tokens: Option<u64>,
    /// The maximum wall-clock time, including the time in which approval prompts wait.
    pub time: Option<Duration>,
}

impl Default for Budgets {
    fn default() -> Self {
        Self { iterations: 20, calls: 200, tokens: None, time: None }
    }
}

/// The inputs of one turn.
pub struct Turn {
    pub service: Arc<dyn ToolService>,
    pub model: Arc<dyn LanguageModel>,
    pub budgets: Budgets,
    /// The caller whose permissions apply to the tool calls.
    pub caller: Arc<Caller>,
    /// Instructions that precede zubi's own in the system prompt.
    pub instructions: Option<String>,
    /// A JSON Schema for the final answer.
    pub schema: Option<Value>,
    pub approvers: Arc<dyn ApproverFactory>,
    /// The clock for the current date in the system prompt.
    pub clock: Arc<dyn Clock>,
    /// Stops the turn at any point.
    pub stop: CancellationToken,
    /// Messages that the user sends while the turn runs. Closed before the turn ends; a message that cannot be sent any
    /// more begins the next turn.
    pub inbox: mpsc::UnboundedReceiver<String>,
}

impl Turn {
    /// Runs the turn, from the user's message to its end. Both are added to the journal. Dropping the future cancels
    /// everything that it has started.
    pub async fn run(self, number: u64, text: String, journal: Arc<dyn Journal>) -> TurnEnded {
        let mut run = RunningTurn::new(self, number, journal);
        let end = run.run_loop(text).await.unwrap_or_else(|end| end);
        run.end(end)
    }
}

/// The conditions that end a turn at any point.
struct TurnLimits {
    stop: CancellationToken,
    deadline: Option<Instant>,
}

impl TurnLimits {
    /// Waits until the turn must end.
    async fn wait_for_end(&self) -> StopReason {
        let timeout = async {
            match self.deadline {
                Some(deadline) => tokio::time::sleep_until(deadline).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            () = self.stop.cancelled() => StopReason::Stopped,
            () = timeout => StopReason::Time,
        }
    }

    fn end_reason(&self) -> Option<StopReason> {
        if self.stop.is_cancelled() {
            return Some(StopReason::Stopped);
        }
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline).then_some(StopReason::Time)
    }
}

/// The end of a turn. Also the error of a step that ends the turn.
#[derive(Debug, Clone)]
struct TurnEnd {
    reason: StopReason,
    text: String,
    data: Option<Box<Value>>,
    problem: Option<String>,
}

impl TurnEnd {
    fn new(reason: StopReason) -> Self {
        Self { reason, text: String::new(), data: None, problem: None }
    }

    fn failure(problem: impl Into<String>) -> Self {
        Self::new(StopReason::Failed).with_problem(problem)
    }

    fn with_problem(self, problem: impl Into<String>) -> Self {
        Self { problem: Some(problem.into()), ..self }
    }
}

impl From<PersistError> for TurnEnd {
    fn from(error: PersistError) -> Self {
        Self::failure(format!("{error}; all earlier events are saved."))
    }
}

/// A running turn.
struct RunningTurn {
    turn: Turn,
    number: u64,
    journal: Arc<dyn Journal>,
    host: HostDescription,
    started: Instant,
    limits: TurnLimits,
    /// Counts the changes of the tool list.
    changes: watch::Receiver<u64>,
    catalog: Option<ToolCatalog>,
    /// The workspace's instructions for agents.
    workspace_instructions: String,
    structured_output: Option<StructuredOutput>,
    /// The name of the tool that takes the final answer.
    final_answer_tool: Option<String>,
    /// A message from zubi itself for the next model request.
    correction: Option<String>,
    iterations: u64,
    calls: u64,
    usage: TokenUsage,
    /// The tokens that count for the budget.
    spent_tokens: u64,
    /// The provider's count of the conversation's tokens after the last answer.
    measured: Option<u64>,
    /// The bytes added since `measured` was set.
    unmeasured: usize,
    call_ids: BTreeSet<String>,
    repeats: LoopGuard,
    /// For each tool, the number of consecutive answers that called it with the same error, and that error.
    invalid: BTreeMap<String, (u64, String)>,
    report: TurnReport,
}

impl RunningTurn {
    fn new(turn: Turn, number: u64, journal: Arc<dyn Journal>) -> Self {
        let started = Instant::now();
        // A deadline too far away to be represented means no deadline.
        let deadline = turn.budgets.time.and_then(|time| started.checked_add(time));
        Self {
            number,
            journal,
            host: turn.service.describe(),
            started,
            limits: TurnLimits { stop: turn.stop.clone(), deadline },
            changes: turn.service.changes(),
            catalog: None,
            workspace_instructions: String::new(),
            structured_output: None,
            final_answer_tool: None,
            correction: None,
            iterations: 0,
            calls: 0,
            usage: TokenUsage::default(),
            spent_tokens: 0,
            measured: None,
            unmeasured: 0,
            call_ids: BTreeSet::new(),
            repeats: LoopGuard::default(),
            invalid: BTreeMap::new(),
            report: TurnReport::default(),
            turn,
        }
    }

    /// Runs the turn to its end.
    async fn run_loop(&mut self, text: String) -> Result<TurnEnd, TurnEnd> {
        self.add_user_message(text)?;
        if let Some(schema) = &self.turn.schema {
            let structured_output = StructuredOutput::new(schema).map_err(|why| {
                TurnEnd::failure(format!(
                    "Cannot use the schema of the final answer: {why}. Correct the schema and try again."
                ))
            })?;
            self.structured_output = Some(structured_output);
        }
        let host = self.host.clone();
        let workspace_instructions = tokio::task::spawn_blocking(move || prompt::workspace_instructions(&host));
        self.workspace_instructions = workspace_instructions.await.unwrap_or_default();
        loop {
            self.receive_user_messages()?;
            self.check_budgets()?;
            self.iterations += 1;
            let model = self.turn.model.info().id.clone();
            self.journal.add(EventKind::Iteration { turn: self.number, iteration: self.iterations, model })?;
            let answer = self.request_answer().await?;
            let end = if answer.message.calls.is_empty() {
                self.handle_text(&answer)
            } else {
                self.run_tool_calls(answer).await?
            };
            // Messages that arrived during the last answer get an answer too, even if that answer was empty.
            if let Some(end) = end
                && (!matches!(end.reason, StopReason::Completed | StopReason::Model)
                    || !self.receive_user_messages()?)
            {
                return Ok(end);
            }
        }
    }

    /// Adds a message of the user to the journal.
    fn add_user_message(&mut self, text: String) -> Result<(), PersistError> {
        self.unmeasured += text.len();
        self.journal.add(EventKind::UserMessage { turn: self.number, text })
    }

    /// Adds the waiting messages of the user to the journal. Returns whether there were any.
    fn receive_user_messages(&mut self) -> Result<bool, PersistError> {
        let mut has_received = false;
        while let Ok(text) = self.turn.inbox.try_recv() {
            self.add_user_message(text)?;
            has_received = true;
        }
        Ok(has_received)
    }

    /// Checks whether the budgets allow another model request.
    fn check_budgets(&self) -> Result<(), TurnEnd> {
        let Budgets { iterations, tokens, .. } = self.turn.budgets;
        if let Some(reason) = self.limits.end_reason() {
            return Err(TurnEnd::new(reason));
        }
        if self.iterations >= iterations {
            return Err(TurnEnd::new(StopReason::Iterations));
        }
        match tokens.filter(|tokens| self.spent_tokens >= *tokens) {
            Some(_) => Err(TurnEnd::new(StopReason::Tokens)),
            None => Ok(()),
        }
    }

    /// Handles an answer without calls. Returns the end of the turn, unless the model must give the answer in another
    /// form.
    fn handle_text(&mut self, answer: &ModelAnswer) -> Option<TurnEnd> {
        let text = answer.message.text.trim().to_owned();
        if let Some(structured_output) = &mut self.structured_output {
            return match structured_output.parse_text(&text) {
                Ok(data) => Some(Self::completed_with(data)),
                Err(why) => {
                    let final_answer_tool = self.final_answer_tool.as_deref().unwrap_or_default();
                    let problem = format!(
                        "Your message is not the final answer: {why}. Call {final_answer_tool} with the final answer."
                    );
                    if !structured_output.can_retry() {
                        return Some(Self::invalid_answer(&why));
                    }
                    self.correction = Some(problem);
                    None
                }
            };
        }
        let end = match answer.stop {
            FinishReason::Filtered => TurnEnd::new(StopReason::Model).with_problem(
                "The provider's filter stopped the answer. Rephrase the request, or choose another model.",
            ),
            FinishReason::Length => TurnEnd::new(StopReason::Completed).with_problem(
                "The answer reached the model's output limit and is incomplete. Send “continue” for the rest.",
            ),
            FinishReason::Finished if text.is_empty() => TurnEnd::new(StopReason::Model)
                .with_problem("The model returned an empty answer. Try again, or choose another model."),
            FinishReason::Finished => TurnEnd::new(StopReason::Completed),
        };
        Some(TurnEnd { text, ..end })
    }

    /// Creates the end of a turn with a final answer as data. The text is the data as JSON.
    fn completed_with(data: Value) -> TurnEnd {
        TurnEnd { text: data.to_string(), data: Some(Box::new(data)), ..TurnEnd::new(StopReason::Completed) }
    }

    fn invalid_answer(why: &str) -> TurnEnd {
        TurnEnd::new(StopReason::Invalid).with_problem(format!(
            "The model gave no final answer that fits the schema ({why}). Try again, or choose another model."
        ))
    }

    /// Adds the end of the turn to the journal and returns it.
    fn end(mut self, end: TurnEnd) -> TurnEnded {
        self.turn.inbox.close();
        // Messages that this turn does not answer any more are saved: the next turn begins with them. If they cannot be
        // saved, the end of the turn cannot be saved either.
        drop(self.receive_user_messages());
        let TurnEnd { reason, text, data, problem } = end;
        let data = data.map(|data| *data);
        let (why, hint) = self.describe_stop(reason);
        let text = if text.is_empty() && reason != StopReason::Completed {
            self.report.report(&why, &self.host.folders)
        } else {
            text
        };
        let problem = problem.or_else(|| hint.map(|hint| format!("{why} {hint}")));
        let Self { number: turn, journal, iterations, calls, usage, started, .. } = self;
        let duration = milliseconds(started.elapsed());
        let ended = TurnEnded { turn, reason, text, data, problem, iterations, calls, usage, duration };
        if let Err(error) = journal.add(EventKind::Ended(ended.clone())) {
            return TurnEnded { reason: StopReason::Failed, problem: TurnEnd::from(error).problem, ..ended };
        }
        ended
    }

    /// Returns the reason for the end of the turn as a sentence, and the next step.
    fn describe_stop(&self, reason: StopReason) -> (String, Option<&'static str>) {
        let Budgets { iterations, calls, tokens, time } = &self.turn.budgets;
        let continue_hint = "Send “continue” in this conversation, or raise the limit.";
        match reason {
            StopReason::Completed => (String::new(), None),
            StopReason::Stopped => ("The turn was stopped.".to_owned(), None),
            StopReason::Iterations => {
                let times = if *iterations == 1 { "once".to_owned() } else { format!("{iterations} times") };
                (format!("The model was called {times}, which is the limit."), Some(continue_hint))
            }
            StopReason::Calls => {
                let count = if *calls == 1 { "1 call was".to_owned() } else { format!("{calls} calls were") };
                (format!("{count} made, which is the limit."), Some(continue_hint))
            }
            StopReason::Tokens => {
                let limit = tokens.unwrap_or_default();
                (format!("{} tokens were used; the limit is {limit}.", self.spent_tokens), Some(continue_hint))
            }
            StopReason::Time => {
                let seconds = time.unwrap_or_default().as_secs_f64();
                (format!("The time limit of {seconds} s has passed."), Some(continue_hint))
            }
            StopReason::Repeating => (
                "The model made the same call over and over.".to_owned(),
                Some("Add the missing information, or choose another model."),
            ),
            StopReason::Invalid => (
                "The model repeatedly returned invalid data.".to_owned(),
                Some("Rephrase the request, or choose another model."),
            ),
            StopReason::Model => ("The model gave no answer.".to_owned(), None),
            StopReason::Failed | StopReason::Killed => ("The turn could not continue.".to_owned(), None),
        }
    }
}

/// Checks whether this schema can be used for a final answer. The error is the reason why it cannot.
pub(crate) fn check_schema(schema: &serde_json::Value) -> Result<(), String> {
    StructuredOutput::new(schema).map(|_| ())
}

#[cfg(test)]
mod tests;
