//! The loop: one turn of a conversation. The model is asked, its calls are made, it is told what came of them, until it has
//! answered, a budget is spent or somebody stops it.
//!
//! Whether there is something to do is decided by the presence of calls, never by why the provider says that the model stopped.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use zubi_base::clock::Clock;
use zubi_host::{CallRequest, Circumstances, ToolService};
use zubi_tools::Code;
use zubi_tools::cx::{Caller, NoProgress};

use crate::event::{Ended, Reason, What};
use crate::journal::{Journal, NotKept};
use crate::message::{Call, Usage};
use crate::model::{Model, Offer, Piece, Prompt};
use crate::questions::Approvers;

/// The most text of a call's result, in tokens.
const RESULT_TOKENS: usize = 8_000;
/// How long a call may take with all questions: the tool's own time-out ends it earlier.
const PATIENCE: Duration = Duration::from_hours(24);

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
    pub approvers: Arc<dyn Approvers>,
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
    pub async fn run(self, number: u64, text: String, journal: Arc<dyn Journal>) -> Ended {
        let started = Instant::now();
        let mut run = Run { turn: self, number, journal, iterations: 0, calls: 0, usage: Usage::default() };
        let (reason, text, problem) = match run.go(text).await {
            Ok(end) => end,
            Err(error) => (Reason::Failed, String::new(), Some(error.to_string())),
        };
        let Run { journal, iterations, calls, usage, .. } = run;
        let duration = milliseconds(started.elapsed());
        let ended = Ended { turn: number, reason, text, data: None, problem, iterations, calls, usage, duration };
        // Who cannot keep it has told so already.
        drop(journal.add(What::Ended(ended.clone())));
        ended
    }
}

/// A turn that is going on.
struct Run {
    turn: Turn,
    number: u64,
    journal: Arc<dyn Journal>,
    iterations: u64,
    calls: u64,
    usage: Usage,
}

impl Run {
    async fn go(&mut self, text: String) -> Result<(Reason, String, Option<String>), NotKept> {
        self.journal.add(What::Asked { turn: self.number, text })?;
        loop {
            while let Ok(text) = self.turn.inbox.try_recv() {
                self.journal.add(What::Asked { turn: self.number, text })?;
            }
            if self.iterations >= self.turn.budgets.iterations {
                return Ok((Reason::Iterations, String::new(), None));
            }
            self.iterations += 1;
            let model = Arc::clone(&self.turn.model);
            let (turn, iteration) = (self.number, self.iterations);
            self.journal.add(What::Iteration { turn, iteration, model: model.info().id.clone() })?;
            let Ok(specs) = self.turn.service.list(&self.turn.caller.restrictions).await else {
                return Ok((Reason::Failed, String::new(), Some("there is no host any more".to_owned())));
            };
            let offer = |spec: &zubi_tools::ToolSpec| Offer {
                name: spec.wire_name(),
                description: spec.description.clone(),
                schema: Value::Object(spec.input.clone()),
            };
            let tools: Vec<Offer> = specs.iter().map(|spec| offer(spec)).collect();
            let messages = self.journal.messages();
            let system = self.turn.instructions.clone().unwrap_or_default();
            let prompt = Prompt { system: &system, messages: &messages, tools: &tools, max_output: None };
            let heard = std::sync::atomic::AtomicU64::new(0);
            let pieces = |piece: Piece| {
                if let Piece::Text(text) = piece {
                    let length = u64::try_from(text.encode_utf16().count()).unwrap_or(u64::MAX);
                    let offset = heard.fetch_add(length, std::sync::atomic::Ordering::Relaxed);
                    drop(self.journal.add(What::Text { turn, iteration, offset, text }));
                }
            };
            let answer = tokio::select! {
                answer = model.answer(prompt, &pieces) => answer,
                () = self.turn.stop.cancelled() => return Ok((Reason::Stopped, String::new(), None)),
            };
            let answer = match answer {
                Ok(answer) => answer,
                Err(error) => return Ok((Reason::Model, String::new(), Some(error.with_advice()))),
            };
            self.usage += answer.usage;
            self.journal.add(What::Answered {
                turn,
                iteration,
                said: answer.said.clone(),
                usage: answer.usage,
                stop: answer.stop,
                interrupted: false,
            })?;
            if answer.said.calls.is_empty() {
                return Ok((Reason::Completed, answer.said.text, None));
            }
            for call in answer.said.calls {
                self.call(call).await?;
                if self.turn.stop.is_cancelled() {
                    return Ok((Reason::Stopped, String::new(), None));
                }
            }
        }
    }

    async fn call(&mut self, call: Call) -> Result<(), NotKept> {
        self.calls += 1;
        let turn = self.number;
        self.journal.add(What::Calling {
            turn,
            call: call.id.clone(),
            tool: call.tool.clone(),
            summary: call.tool.clone(),
            arguments: call.arguments.clone(),
            effect: None,
            preview: None,
        })?;
        let approver = self.turn.approvers.of(turn, &call.id, Arc::clone(&self.journal), self.turn.stop.clone());
        let request = CallRequest {
            tool: call.tool.clone(),
            arguments: if call.arguments == json!("") { json!({}) } else { call.arguments },
            caller: Arc::clone(&self.turn.caller),
            token_budget: Some(RESULT_TOKENS),
        };
        let circumstances = Circumstances {
            cancel: self.turn.stop.child_token(),
            progress: Arc::new(NoProgress),
            approver,
            patience: PATIENCE,
        };
        let started = Instant::now();
        let (text, failure) = match self.turn.service.call(request, circumstances).await {
            Ok(answer) => (answer.text, answer.failure),
            Err(unknown) => (unknown.to_string(), Some(Code::UnknownTool)),
        };
        let duration = milliseconds(started.elapsed());
        self.journal.add(What::Result { turn, call: call.id, text, failure, duration })
    }
}

fn milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
