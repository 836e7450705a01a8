//! Requests to the model: the tools to offer, retries and waits, the streamed answer and the final one.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use serde_json::{Value, json};
use zubi_tool_api::ToolSpec;
use zubi_tool_api::cx::BYTES_PER_TOKEN;
use zubi_tool_api::spec::{Exposure, FIND_TOOLS};

use super::compact::{message_bytes, tokens};
use super::{RunningTurn, TurnEnd, milliseconds};
use crate::delegation;
use crate::event::{EventKind, StopReason};
use crate::prompt;
use crate::streaming_answer::StreamingAnswer;
use zubi_models::message::{AssistantMessage, PromptMessage};
use zubi_models::{ErrorKind, ModelAnswer, ModelError, Prompt, ToolDefinition};

/// The maximum number of requests for one answer.
const MAX_ATTEMPTS: u64 = 4;
/// The limit for malformed answers: most likely the address is wrong, and another request would get the same.
const MAX_MALFORMED_ATTEMPTS: u64 = 2;
/// The wait after the first attempt; each further wait is twice as long.
const FIRST_WAIT: Duration = Duration::from_secs(2);
const MAX_WAIT: Duration = Duration::from_secs(30);
/// The longest wait that a provider may require. If it requires more, the turn ends.
const MAX_RETRY_AFTER: Duration = Duration::from_mins(2);

/// The maximum length of an answer, in bytes of its saved form: half of the maximum line length of a conversation.
const MAX_ANSWER_BYTES: usize = 8 * 1024 * 1024;

/// The maximum number of tools in a request, and their maximum size in bytes. Providers refuse more, and every prompt
/// pays for them. They take at most a quarter of a small context window. [`FIND_TOOLS`] finds the other tools; it and
/// the delegating tools are offered only if not all tools fit.
const MAX_TOOLS: usize = 120;
const MAX_TOOL_BYTES: usize = 64 * 1024;

/// The tool definitions for the model.
#[derive(Debug, Clone, Default)]
pub(super) struct ToolCatalog {
    pub(super) tools: Vec<ToolDefinition>,
    pub(super) bytes: usize,
}

impl ToolCatalog {
    fn from_specs(specs: &[impl AsRef<ToolSpec>], max_bytes: usize) -> Self {
        let definition = |spec: &ToolSpec| {
            let schema = Value::Object(spec.input.clone());
            let bytes = spec.id.len() + spec.description.len() + schema.to_string().len();
            (ToolDefinition { name: spec.wire_name(), description: spec.description.clone(), schema }, bytes)
        };
        let all: Vec<_> = specs.iter().map(|spec| (spec.as_ref(), definition(spec.as_ref()))).collect();
        let is_search_tool = |spec: &ToolSpec| spec.id == FIND_TOOLS || delegation::is_delegating_tool(&spec.id);
        let others = all.iter().filter(|(spec, _)| !is_search_tool(spec));
        let (count, bytes) = others.fold((0, 0), |(count, sum), (_, (_, bytes))| (count + 1, sum + bytes));
        let all_fit = count <= MAX_TOOLS && bytes <= max_bytes;
        // Directly exposed tools come first if there is not room for all.
        let (direct, deferred): (Vec<_>, Vec<_>) =
            all.iter().enumerate().partition(|(_, (spec, _))| spec.exposure == Exposure::Direct);
        let mut selected: BTreeSet<usize> = BTreeSet::new();
        let mut sum = 0;
        for (at, (spec, (_, bytes))) in direct.into_iter().chain(deferred) {
            let is_selected =
                if all_fit { !is_search_tool(spec) } else { selected.len() < MAX_TOOLS && sum + bytes <= max_bytes };
            if is_selected {
                selected.insert(at);
                sum += bytes;
            }
        }
        let tools = all.into_iter().enumerate().filter(|(at, _)| selected.contains(at)).map(|(_, (_, (tool, _)))| tool);
        Self { tools: tools.collect(), bytes: sum }
    }
}

/// Why a request to the model has no answer.
pub(super) enum ModelRequestError {
    /// The model failed; another request may have an answer.
    Model(ModelError),
    End(TurnEnd),
}

impl From<ModelError> for ModelRequestError {
    fn from(error: ModelError) -> Self {
        Self::Model(error)
    }
}

impl From<TurnEnd> for ModelRequestError {
    fn from(end: TurnEnd) -> Self {
        Self::End(end)
    }
}

impl RunningTurn {
    /// Updates the tool catalog, if the tools have changed.
    async fn update_catalog(&mut self) -> Result<(), TurnEnd> {
        if self.catalog.is_some() && !self.changes.has_changed().unwrap_or(false) {
            return Ok(());
        }
        self.changes.mark_unchanged();
        let specs = tokio::select! {
            specs = self.turn.service.list(&self.turn.caller.restrictions) => specs,
            reason = self.limits.wait_for_end() => return Err(TurnEnd::new(reason)),
        };
        let specs = specs.map_err(|error| TurnEnd::failure(format!("{error}. {}", error.hint())))?;
        let quarter = usize::try_from(self.context()).unwrap_or(usize::MAX).saturating_mul(BYTES_PER_TOKEN) / 4;
        let mut catalog = ToolCatalog::from_specs(&specs, MAX_TOOL_BYTES.min(quarter));
        if let Some(structured_output) = &self.structured_output {
            let final_answer_tool = structured_output.tool_definition(&catalog.tools);
            self.final_answer_tool = Some(final_answer_tool.name.clone());
            catalog.tools.push(final_answer_tool);
        }
        self.catalog = Some(catalog);
        Ok(())
    }

    /// Requests an answer, and retries until there is one or the error is final.
    pub(super) async fn request_answer(&mut self) -> Result<ModelAnswer, TurnEnd> {
        self.update_catalog().await?;
        let system = prompt::system(
            &self.host,
            self.turn.instructions.as_deref(),
            &self.workspace_instructions,
            self.turn.clock.as_ref(),
            self.final_answer_tool.as_deref(),
        );
        let base = system.len() + self.catalog.as_ref().map_or(0, |catalog| catalog.bytes);
        self.compact_if_needed(base).await?;
        let (mut attempt, mut is_compacted) = (1, false);
        loop {
            let error = match self.request_once(&system).await {
                Ok(answer) => return Ok(answer),
                Err(ModelRequestError::End(end)) => return Err(end),
                Err(ModelRequestError::Model(error)) => error,
            };
            if error.kind == ErrorKind::TooLong && !is_compacted {
                is_compacted = true;
                if self.compact_after_overflow(base).await? {
                    continue;
                }
            }
            let wait = retry_delay(&error, attempt)
                .map_err(|problem| TurnEnd::new(StopReason::Model).with_problem(problem))?;
            self.journal.add(EventKind::Retrying {
                turn: self.number,
                iteration: self.iterations,
                kind: error.kind,
                message: error.message,
                attempt,
                wait: milliseconds(wait),
            })?;
            tokio::select! {
                () = tokio::time::sleep(wait) => {}
                reason = self.limits.wait_for_end() => return Err(TurnEnd::new(reason)),
            }
            attempt += 1;
        }
    }

    async fn request_once(&mut self, system: &str) -> Result<ModelAnswer, ModelRequestError> {
        let (turn, iteration) = (self.number, self.iterations);
        let mut messages = self.journal.messages();
        // A message from zubi itself is not the user's, and is not saved.
        messages.extend(self.correction.clone().map(|text| PromptMessage::User { text }));
        let tools = self.catalog.as_ref().map(|catalog| catalog.tools.as_slice()).unwrap_or_default();
        let prompt = Prompt { system, messages: &messages, tools, max_output: None };
        let received = Mutex::new(StreamingAnswer::new(turn, iteration));
        let on_delta = |delta| {
            // Locked until the delta is published, so that deltas are published in their order.
            let mut received = received.lock().unwrap_or_else(PoisonError::into_inner);
            // A delta is not saved, so only publishing it could fail; the complete answer follows anyway.
            drop(received.push(delta).map(|event| self.journal.add(event)));
        };
        let outcome = tokio::select! {
            answer = self.turn.model.answer(prompt, &on_delta) => Ok(answer),
            reason = self.limits.wait_for_end() => Err(reason),
        };
        let (mut answer, turn_end) = match outcome {
            Ok(Ok(answer)) => (answer, None),
            Ok(Err(error)) => return Err(error.into()),
            // Dropping the request has closed its connection. The text received until then is saved.
            Err(reason) => {
                let received = received.into_inner().unwrap_or_else(PoisonError::into_inner);
                (ModelAnswer { message: received.into_message(), ..ModelAnswer::default() }, Some(TurnEnd::new(reason)))
            }
        };
        if let Some(end) = turn_end.clone().filter(|_| answer.message == AssistantMessage::default()) {
            return Err(end.into());
        }
        self.normalize_calls(&mut answer.message, &messages);
        self.count(&answer, system.len(), &messages);
        if length(&answer.message) > MAX_ANSWER_BYTES {
            if let Some(end) = turn_end {
                return Err(end.into());
            }
            let why =
                format!("The model's answer is longer than {} MiB and was discarded.", MAX_ANSWER_BYTES / 1024 / 1024);
            return Err(TurnEnd::new(StopReason::Model)
                .with_problem(format!("{why} Request less in one answer, or choose another model."))
                .into());
        }
        self.correction = None;
        self.report.set_text(&self.journal.clean(&answer.message.text, turn_end.is_some()));
        let answered = self.journal.add(EventKind::Answered {
            turn,
            iteration,
            message: answer.message.clone(),
            usage: answer.usage,
            stop: answer.stop,
            interrupted: turn_end.is_some(),
        });
        answered.map_err(TurnEnd::from)?;
        turn_end.map_or(Ok(answer), |end| Err(end.into()))
    }

    /// Gives every call a unique id, and empty arguments to calls without arguments.
    fn normalize_calls(&mut self, message: &mut AssistantMessage, messages: &[PromptMessage]) {
        let earlier_ids = messages.iter().filter_map(|message| match message {
            PromptMessage::Assistant(answer) => Some(answer.calls.iter().map(|call| call.id.as_str())),
            _ => None,
        });
        let earlier_ids: BTreeSet<&str> = earlier_ids.flatten().collect();
        for call in &mut message.calls {
            if call.id.trim().is_empty() || earlier_ids.contains(call.id.as_str()) || self.call_ids.contains(&call.id) {
                call.id = self.journal.new_id();
            }
            self.call_ids.insert(call.id.clone());
            let arguments = &call.arguments;
            if arguments.is_null() || arguments.as_str().is_some_and(|text| text.trim().is_empty()) {
                call.arguments = json!({});
            }
        }
    }

    /// Counts the tokens of an answer, and updates the estimate for the next prompt.
    fn count(&mut self, answer: &ModelAnswer, system: usize, messages: &[PromptMessage]) {
        self.unmeasured = 0;
        self.measured = (answer.usage.input > 0).then(|| answer.usage.total());
        let tool_bytes = self.catalog.as_ref().map_or(0, |catalog| catalog.bytes);
        self.charge_tokens(answer, system + tool_bytes + messages.iter().map(message_bytes).sum::<usize>());
    }

    /// Counts the tokens of an answer to a prompt of this length in bytes.
    pub(super) fn charge_tokens(&mut self, answer: &ModelAnswer, prompt: usize) {
        self.usage += answer.usage;
        self.spent_tokens = self.spent_tokens.saturating_add(match answer.usage.total() {
            // The provider does not report tokens, so the budget uses an estimate.
            0 => tokens(prompt + message_bytes(&PromptMessage::Assistant(answer.message.clone()))),
            counted => counted,
        });
    }
}

/// Returns the length of an answer's saved form, in bytes.
fn length(message: &AssistantMessage) -> usize {
    let mut count = Count(0);
    // Counting cannot fail, and a message that cannot be serialized cannot be saved either.
    serde_json::to_writer(&mut count, message).map_or(usize::MAX, |()| count.0)
}

/// A writer that only counts the bytes.
struct Count(usize);

impl std::io::Write for Count {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Returns how long to wait before the next attempt. The error says why there is no further attempt, and gives the next
/// step.
fn retry_delay(error: &ModelError, attempt: u64) -> Result<Duration, String> {
    if !error.kind.is_retryable() {
        return Err(error.with_default_hint());
    }
    if let Some(wait) = error.retry_after.filter(|wait| *wait > MAX_RETRY_AFTER) {
        let minutes = wait.as_secs().div_ceil(60);
        let message = error.message.trim_end_matches('.');
        return Err(format!("{message}. The provider requires a wait of {minutes} minutes. {}", error.kind.advice()));
    }
    let max_attempts = if error.kind == ErrorKind::Malformed { MAX_MALFORMED_ATTEMPTS } else { MAX_ATTEMPTS };
    if attempt >= max_attempts {
        return Err(format!("{} (The model was called {attempt} times.)", error.with_default_hint()));
    }
    let doubled = FIRST_WAIT.saturating_mul(1 << (attempt - 1).min(10));
    Ok(error.retry_after.unwrap_or(doubled.min(MAX_WAIT)))
}
