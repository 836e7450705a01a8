//! The loop: one turn of a conversation. The model is asked, its calls are made, it is told what came of them, until it has
//! answered, a budget is spent or somebody stops it.
//!
//! Whether there is something to do is decided by the presence of calls, never by why the provider says that the model stopped.
//! [`ask`] asks the model, [`calls`] makes its calls, [`compact`] keeps the prompt short enough. Nothing is started that outlives
//! the turn: calls and questions to the model are its own futures, dropped with it.

mod model_request;
mod schedule;
mod calls;
mod compact;
mod structured_output;
mod loop_guard;
mod report;
mod streaming;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use tokio::sync::{mpsc, watch};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use zubi_base::clock::Clock;
use zubi_host::{HostDescription, ToolService};
use zubi_tool_api::cx::Caller;

use self::model_request::ToolCatalog;
use self::structured_output::StructuredOutput;
use self::loop_guard::LoopGuard;
use self::report::TurnReport;
use crate::event::{TurnEnded, StopReason, EventKind};
use crate::journal::{Journal, PersistError};
use zubi_models::message::Usage;
use zubi_models::{Answer, Model, FinishReason};
use crate::prompt;
use crate::questions::ApproverFactory;

/// What a turn may use up. Whatever is spent first ends it, with a report of what was done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Budgets {
    /// How often the model is asked.
    pub iterations: u64,
    /// How many calls are made.
    pub calls: u64,
    /// Of all prompts and answers together.
    pub tokens: Option<u64>,
    /// Of the clock on the wall, waiting for a person included.
    pub time: Option<Duration>,
}

impl Default for Budgets {
    fn default() -> Self {
        Self { iterations: 20, calls: 200, tokens: None, time: None }
    }
}

/// What one turn is made of.
pub struct Turn {
    pub service: Arc<dyn ToolService>,
    pub model: Arc<dyn Model>,
    pub budgets: Budgets,
    /// Whose rights the calls have.
    pub caller: Arc<Caller>,
    /// In front of zubi's own instructions to the model.
    pub instructions: Option<String>,
    /// The final answer is data that fits this JSON Schema.
    pub schema: Option<Value>,
    pub approvers: Arc<dyn ApproverFactory>,
    /// Which day it is, for the model.
    pub clock: Arc<dyn Clock>,
    /// Stops the turn at once, wherever it is.
    pub stop: CancellationToken,
    /// What is said while it runs. Closed before the turn ends: what cannot be sent any more begins the next turn.
    pub inbox: mpsc::UnboundedReceiver<String>,
}

impl Turn {
    /// Runs the turn, from what a person says to its end, both of which are told to the journal. Dropping the future gives up
    /// everything that it has begun.
    pub async fn run(self, number: u64, text: String, journal: Arc<dyn Journal>) -> TurnEnded {
        let mut run = Run::new(self, number, journal);
        let end = run.go(text).await.unwrap_or_else(|end| end);
        run.end(end)
    }
}

/// What ends a turn whatever it is doing.
struct Limits {
    stop: CancellationToken,
    deadline: Option<Instant>,
}

impl Limits {
    /// Waits until the turn is to end.
    async fn wait_for_end(&self) -> StopReason {
        let late = async {
            match self.deadline {
                Some(deadline) => tokio::time::sleep_until(deadline).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            () = self.stop.cancelled() => StopReason::Stopped,
            () = late => StopReason::Time,
        }
    }

    fn are_over(&self) -> Option<StopReason> {
        if self.stop.is_cancelled() {
            return Some(StopReason::Stopped);
        }
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline).then_some(StopReason::Time)
    }
}

/// How a turn ends. Also what a step that ends it fails with.
#[derive(Debug, Clone)]
struct End {
    reason: StopReason,
    text: String,
    data: Option<Box<Value>>,
    problem: Option<String>,
}

impl End {
    fn new(reason: StopReason) -> Self {
        Self { reason, text: String::new(), data: None, problem: None }
    }

    fn failed(problem: impl Into<String>) -> Self {
        Self::new(StopReason::Failed).because(problem)
    }

    fn because(self, problem: impl Into<String>) -> Self {
        Self { problem: Some(problem.into()), ..self }
    }
}

impl From<PersistError> for End {
    fn from(error: PersistError) -> Self {
        Self::failed(format!("{error}; what stands in the conversation is kept."))
    }
}

/// A turn that is going on.
struct Run {
    turn: Turn,
    number: u64,
    journal: Arc<dyn Journal>,
    host: HostDescription,
    started: Instant,
    limits: Limits,
    /// Counts up when the tools change.
    changes: watch::Receiver<u64>,
    offers: Option<ToolCatalog>,
    /// What the workspace says to agents.
    of_workspace: String,
    finish: Option<StructuredOutput>,
    /// The name of the tool that takes the final answer.
    last: Option<String>,
    /// What zubi itself wants of the model's next answer.
    request: Option<String>,
    iterations: u64,
    calls: u64,
    usage: Usage,
    /// Tokens that count for the budget.
    spent: u64,
    /// Tokens of the conversation after the last answer, as its provider says.
    measured: Option<u64>,
    /// Bytes that came to it since then.
    unmeasured: usize,
    call_ids: BTreeSet<String>,
    repeats: LoopGuard,
    /// Of each tool how many answers in a row called it wrongly in the same way, and what that came to.
    invalid: BTreeMap<String, (u64, String)>,
    done: TurnReport,
}

impl Run {
    fn new(turn: Turn, number: u64, journal: Arc<dyn Journal>) -> Self {
        let started = Instant::now();
        // A time that far away cannot be told apart from none.
        let deadline = turn.budgets.time.and_then(|time| started.checked_add(time));
        Self {
            number,
            journal,
            host: turn.service.describe(),
            started,
            limits: Limits { stop: turn.stop.clone(), deadline },
            changes: turn.service.changes(),
            offers: None,
            of_workspace: String::new(),
            finish: None,
            last: None,
            request: None,
            iterations: 0,
            calls: 0,
            usage: Usage::default(),
            spent: 0,
            measured: None,
            unmeasured: 0,
            call_ids: BTreeSet::new(),
            repeats: LoopGuard::default(),
            invalid: BTreeMap::new(),
            done: TurnReport::default(),
            turn,
        }
    }

    /// The turn, to its end.
    async fn go(&mut self, text: String) -> Result<End, End> {
        self.add_user_message(text)?;
        if let Some(schema) = &self.turn.schema {
            let finish = StructuredOutput::new(schema).map_err(|why| {
                End::failed(format!("The schema of the final answer cannot be used: {why}. Correct it and ask again."))
            })?;
            self.finish = Some(finish);
        }
        let host = self.host.clone();
        let of_workspace = tokio::task::spawn_blocking(move || prompt::of_workspace(&host));
        self.of_workspace = of_workspace.await.unwrap_or_default();
        loop {
            self.hear_all()?;
            self.check_budgets()?;
            self.iterations += 1;
            let model = self.turn.model.info().id.clone();
            self.journal.add(EventKind::Iteration { turn: self.number, iteration: self.iterations, model })?;
            let answer = self.request_answer().await?;
            let end = if answer.said.calls.is_empty() { self.last_words(&answer) } else { self.run_tool_calls(answer).await? };
            // What was said while the last answer was given is answered as well, be that answer none.
            if let Some(end) = end
                && (!matches!(end.reason, StopReason::Completed | StopReason::Model) || !self.hear_all()?)
            {
                return Ok(end);
            }
        }
    }

    /// Takes what a person has said.
    fn add_user_message(&mut self, text: String) -> Result<(), PersistError> {
        self.unmeasured += text.len();
        self.journal.add(EventKind::Asked { turn: self.number, text })
    }

    /// Whether a person has said something since.
    fn hear_all(&mut self) -> Result<bool, PersistError> {
        let mut has_heard = false;
        while let Ok(text) = self.turn.inbox.try_recv() {
            self.add_user_message(text)?;
            has_heard = true;
        }
        Ok(has_heard)
    }

    /// Whether the model may be asked once more.
    fn check_budgets(&self) -> Result<(), End> {
        let Budgets { iterations, tokens, .. } = self.turn.budgets;
        if let Some(reason) = self.limits.are_over() {
            return Err(End::new(reason));
        }
        if self.iterations >= iterations {
            return Err(End::new(StopReason::Iterations));
        }
        match tokens.filter(|tokens| self.spent >= *tokens) {
            Some(_) => Err(End::new(StopReason::Tokens)),
            None => Ok(()),
        }
    }

    /// An answer without calls. The end, unless the model is to say it otherwise.
    fn last_words(&mut self, answer: &Answer) -> Option<End> {
        let text = answer.said.text.trim().to_owned();
        if let Some(finish) = &mut self.finish {
            return match finish.of_text(&text) {
                Ok(data) => Some(Self::completed_with(data)),
                Err(why) => {
                    let last = self.last.as_deref().unwrap_or_default();
                    let problem = format!("What you said is not the final answer: {why}. Call {last} with it.");
                    if !finish.can_retry() {
                        return Some(Self::does_not_fit(&why));
                    }
                    self.request = Some(problem);
                    None
                }
            };
        }
        let end = match answer.stop {
            FinishReason::Filtered => End::new(StopReason::Model)
                .because("The provider's filter stopped the answer. Say it in other words, or choose another model."),
            FinishReason::Length => End::new(StopReason::Completed)
                .because("The answer ran into the limit of the model's output and is cut. Say “go on” for the rest."),
            FinishReason::Finished if text.is_empty() => {
                End::new(StopReason::Model).because("The model answered nothing. Ask again, or choose another model.")
            }
            FinishReason::Finished => End::new(StopReason::Completed),
        };
        Some(End { text, ..end })
    }

    /// A final answer as data. Its text is the data's.
    fn completed_with(data: Value) -> End {
        End { text: data.to_string(), data: Some(Box::new(data)), ..End::new(StopReason::Completed) }
    }

    fn does_not_fit(why: &str) -> End {
        End::new(StopReason::Invalid).because(format!(
            "The model gave no final answer that fits the schema ({why}). Ask again, or choose another model."
        ))
    }

    /// Tells the end.
    fn end(mut self, end: End) -> TurnEnded {
        self.turn.inbox.close();
        // Words that nobody answers any more in this turn are still a person's: the next one begins with them. Where they
        // cannot be kept, the end cannot either.
        drop(self.hear_all());
        let End { reason, text, data, problem } = end;
        let data = data.map(|data| *data);
        let (why, next) = self.words(reason);
        let text = if text.is_empty() && reason != StopReason::Completed {
            self.done.report(&why, &self.host.folders)
        } else {
            text
        };
        let problem = problem.or_else(|| next.map(|next| format!("{why} {next}")));
        let Self { number: turn, journal, iterations, calls, usage, started, .. } = self;
        let duration = milliseconds(started.elapsed());
        let ended = TurnEnded { turn, reason, text, data, problem, iterations, calls, usage, duration };
        if let Err(error) = journal.add(EventKind::Ended(ended.clone())) {
            return TurnEnded { reason: StopReason::Failed, problem: End::from(error).problem, ..ended };
        }
        ended
    }

    /// Why the turn has ended, as a sentence, and the next step.
    fn words(&self, reason: StopReason) -> (String, Option<&'static str>) {
        let Budgets { iterations, calls, tokens, time } = &self.turn.budgets;
        let on = "Say “go on” in this conversation, or allow it more.";
        match reason {
            StopReason::Completed => (String::new(), None),
            StopReason::Stopped => ("The turn was stopped.".to_owned(), None),
            StopReason::Iterations => {
                let times = if *iterations == 1 { "once".to_owned() } else { format!("{iterations} times") };
                (format!("The model was asked {times}, as often as it may be."), Some(on))
            }
            StopReason::Calls => {
                let made = if *calls == 1 { "1 call was".to_owned() } else { format!("{calls} calls were") };
                (format!("{made} made, as many as there may be."), Some(on))
            }
            StopReason::Tokens => {
                let most = tokens.unwrap_or_default();
                (format!("{} tokens were used, and {most} may be.", self.spent), Some(on))
            }
            StopReason::Time => {
                let seconds = time.unwrap_or_default().as_secs_f64();
                (format!("The {seconds} s that it may take are over."), Some(on))
            }
            StopReason::Repeating => (
                "The model made the same call over and over.".to_owned(),
                Some("Say what it misses, or choose another model."),
            ),
            StopReason::Invalid => (
                "What the model gave did not fit, over and over.".to_owned(),
                Some("Say it in other words, or choose another model."),
            ),
            StopReason::Model => ("The model gave no answer.".to_owned(), None),
            StopReason::Failed | StopReason::Killed => ("The turn could not go on.".to_owned(), None),
        }
    }
}

/// Whether a final answer can be asked for by this schema; if not, why.
pub(crate) fn check_schema(schema: &serde_json::Value) -> Result<(), String> {
    StructuredOutput::new(schema).map(|_| ())
}

fn milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests;
