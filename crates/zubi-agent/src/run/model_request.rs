//! Asking the model: what it is offered, tries and waits, what it says on its way, what it said in the end.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::{Value, json};
use zubi_host::HostUnavailable;
use zubi_tool_api::ToolSpec;
use zubi_tool_api::cx::BYTES_PER_TOKEN;
use zubi_tool_api::spec::Exposure;

use super::compact::{bytes_of, tokens};
use super::streaming::StreamingAnswer;
use super::{End, Run, milliseconds};
use crate::event::{StopReason, EventKind};
use zubi_models::message::{Message, AssistantMessage};
use zubi_models::{Answer, ErrorKind, ModelError, ToolDefinition, Prompt};
use crate::delegation;
use crate::prompt;

/// How often the model is asked for one answer.
const TRIES: u64 = 4;
/// The same where what came was no answer: the address leads elsewhere, most likely, and will do so again.
const TRIES_OF_NONE: u64 = 2;
/// The wait after the first try; each is twice as long as the one before.
const FIRST_WAIT: Duration = Duration::from_secs(2);
const LONGEST_WAIT: Duration = Duration::from_secs(30);
/// A provider that wants to be left alone for longer is not waited for.
const PATIENCE: Duration = Duration::from_mins(2);

/// The longest answer, in bytes as it is kept: half of what a line of a conversation may have.
const LONGEST: usize = 8 * 1024 * 1024;

/// How many tools a model is offered at most, and how many bytes they may take: providers refuse more, and each prompt pays
/// for them, of a small one at most a quarter. What does not fit is found through [`FINDING`].
const MOST_TOOLS: usize = 120;
const MOST_BYTES: usize = 64 * 1024;
/// The tool that finds others; with those that pass a call on it is for nothing where all are offered.
const FINDING: &str = "find_tools";

/// The tools as the model is told of them.
#[derive(Debug, Clone, Default)]
pub(super) struct ToolCatalog {
    pub(super) tools: Vec<ToolDefinition>,
    pub(super) bytes: usize,
}

impl ToolCatalog {
    fn from_specs(specs: &[impl AsRef<ToolSpec>], room: usize) -> Self {
        let offer = |spec: &ToolSpec| {
            let schema = Value::Object(spec.input.clone());
            let bytes = spec.id.len() + spec.description.len() + schema.to_string().len();
            (ToolDefinition { name: spec.wire_name(), description: spec.description.clone(), schema }, bytes)
        };
        let all: Vec<_> = specs.iter().map(|spec| (spec.as_ref(), offer(spec.as_ref()))).collect();
        let finding = |spec: &ToolSpec| spec.id == FINDING || passes_on::is_delegating_tool(&spec.id);
        let others = all.iter().filter(|(spec, _)| !finding(spec));
        let (count, bytes) = others.fold((0, 0), |(count, sum), (_, (_, bytes))| (count + 1, sum + bytes));
        let fits = count <= MOST_TOOLS && bytes <= room;
        // Those that stand in every list come first when there is not room for all.
        let (direct, deferred): (Vec<_>, Vec<_>) =
            all.iter().enumerate().partition(|(_, (spec, _))| spec.exposure == Exposure::Direct);
        let mut chosen: BTreeSet<usize> = BTreeSet::new();
        let mut sum = 0;
        for (at, (spec, (_, bytes))) in direct.into_iter().chain(deferred) {
            let is_taken = if fits { !finding(spec) } else { chosen.len() < MOST_TOOLS && sum + bytes <= room };
            if is_taken {
                chosen.insert(at);
                sum += bytes;
            }
        }
        let tools = all.into_iter().enumerate().filter(|(at, _)| chosen.contains(at)).map(|(_, (_, (offer, _)))| offer);
        Self { tools: tools.collect(), bytes: sum }
    }
}

impl Run {
    /// The tools now. Asked for again only when they have changed.
    async fn offers(&mut self) -> Result<(), End> {
        if self.offers.is_some() && !self.changes.has_changed().unwrap_or(false) {
            return Ok(());
        }
        self.changes.mark_unchanged();
        let specs = tokio::select! {
            specs = self.turn.service.list(&self.turn.caller.restrictions) => specs,
            reason = self.limits.wait_for_end() => return Err(End::new(reason)),
        };
        let specs = specs.map_err(|error| End::failed(format!("{error}. {}", HostUnavailable::HINT)))?;
        let quarter = usize::try_from(self.context()).unwrap_or(usize::MAX).saturating_mul(BYTES_PER_TOKEN) / 4;
        let mut offers = ToolCatalog::from_specs(&specs, MOST_BYTES.min(quarter));
        if let Some(finish) = &self.finish {
            let last = finish.offer(&offers.tools);
            self.last = Some(last.name.clone());
            offers.tools.push(last);
        }
        self.offers = Some(offers);
        Ok(())
    }

    /// Asks until there is an answer, or there will be none.
    pub(super) async fn request_answer(&mut self) -> Result<Answer, End> {
        self.offers().await?;
        let system = prompt::system(
            &self.host,
            self.turn.instructions.as_deref(),
            &self.of_workspace,
            self.turn.clock.as_ref(),
            self.last.as_deref(),
        );
        let base = system.len() + self.offers.as_ref().map_or(0, |offers| offers.bytes);
        self.compact_if_needed(base).await?;
        let (mut attempt, mut is_shorter) = (1, false);
        loop {
            let error = match self.ask_once(&system).await? {
                Ok(answer) => return Ok(answer),
                Err(error) => error,
            };
            if error.kind == ErrorKind::TooLong && !is_shorter {
                is_shorter = true;
                if self.compact_after_overflow(base).await? {
                    continue;
                }
            }
            let wait = next_try(&error, attempt).map_err(|problem| End::new(StopReason::Model).because(problem))?;
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
                reason = self.limits.wait_for_end() => return Err(End::new(reason)),
            }
            attempt += 1;
        }
    }

    async fn ask_once(&mut self, system: &str) -> Result<Result<Answer, ModelError>, End> {
        let (turn, iteration) = (self.number, self.iterations);
        let mut messages = self.journal.messages();
        // What zubi itself wants is no person's word, and not kept.
        messages.extend(self.request.clone().map(|text| Message::User { text }));
        let tools = self.offers.as_ref().map(|offers| offers.tools.as_slice()).unwrap_or_default();
        let prompt = Prompt { system, messages: &messages, tools, max_output: None };
        let speech = StreamingAnswer::new(self.journal.as_ref(), turn, iteration);
        let pieces = |piece| speech.push(piece);
        let asked = tokio::select! {
            answer = self.turn.model.answer(prompt, &pieces) => Ok(answer),
            reason = self.limits.wait_for_end() => Err(reason),
        };
        let (mut answer, over) = match asked {
            Ok(Ok(answer)) => (answer, None),
            Ok(Err(error)) => return Ok(Err(error)),
            // Dropping the question has closed its connection. What was said until then is kept.
            Err(reason) => (Answer { said: speech.text(), ..Answer::default() }, Some(End::new(reason))),
        };
        if let Some(end) = over.clone().filter(|_| answer.said == AssistantMessage::default()) {
            return Err(end);
        }
        self.correct(&mut answer.said, &messages);
        self.count(&answer, system.len(), &messages);
        if length(&answer.said) > LONGEST {
            if let Some(end) = over {
                return Err(end);
            }
            let why = format!("The model's answer is longer than {} MiB and is not kept.", LONGEST / 1024 / 1024);
            return Err(
                End::new(StopReason::Model).because(format!("{why} Ask for less in one answer, or choose another model."))
            );
        }
        self.request = None;
        self.done.set_text(&self.journal.clean(&answer.said.text, over.is_some()));
        self.journal.add(EventKind::Answered {
            turn,
            iteration,
            said: answer.said.clone(),
            usage: answer.usage,
            stop: answer.stop,
            interrupted: over.is_some(),
        })?;
        over.map_or(Ok(Ok(answer)), Err)
    }

    /// Gives every call an id of its own, and those without arguments empty ones.
    fn correct(&mut self, said: &mut AssistantMessage, messages: &[Message]) {
        let before = messages.iter().filter_map(|message| match message {
            Message::Assistant(said) => Some(said.calls.iter().map(|call| call.id.as_str())),
            _ => None,
        });
        let before: BTreeSet<&str> = before.flatten().collect();
        for call in &mut said.calls {
            if call.id.trim().is_empty() || before.contains(call.id.as_str()) || self.call_ids.contains(&call.id) {
                call.id = self.journal.new_id();
            }
            self.call_ids.insert(call.id.clone());
            let arguments = &call.arguments;
            if arguments.is_null() || arguments.as_str().is_some_and(|text| text.trim().is_empty()) {
                call.arguments = json!({});
            }
        }
    }

    /// How much was used, and how long the next prompt is at least.
    fn count(&mut self, answer: &Answer, system: usize, messages: &[Message]) {
        self.unmeasured = 0;
        self.measured = (answer.usage.input > 0).then(|| answer.usage.total());
        let offered = self.offers.as_ref().map_or(0, |offers| offers.bytes);
        self.charge_tokens(answer, system + offered + messages.iter().map(bytes_of).sum::<usize>());
    }

    /// Counts an answer to a prompt of so many bytes.
    pub(super) fn charge_tokens(&mut self, answer: &Answer, prompt: usize) {
        self.usage += answer.usage;
        self.spent = self.spent.saturating_add(match answer.usage.total() {
            // The provider does not count: then the budget is held to what can be seen.
            0 => tokens(prompt + bytes_of(&Message::Assistant(answer.said.clone()))),
            counted => counted,
        });
    }
}

/// How many bytes it has as it is kept.
fn length(said: &AssistantMessage) -> usize {
    let mut count = Count(0);
    // Counting cannot fail, and what cannot be written cannot be kept either.
    serde_json::to_writer(&mut count, said).map_or(usize::MAX, |()| count.0)
}

/// Counts what is written.
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

/// How long to wait for the next try; if there is none, why, with the next step.
fn next_try(error: &ModelError, attempt: u64) -> Result<Duration, String> {
    if !error.kind.is_worth_another_try() {
        return Err(error.with_default_hint());
    }
    if let Some(wait) = error.retry_after.filter(|wait| *wait > PATIENCE) {
        let minutes = wait.as_secs().div_ceil(60);
        let message = error.message.trim_end_matches('.');
        return Err(format!("{message}. It wants to be left alone for {minutes} minutes. {}", error.kind.advice()));
    }
    let tries = if error.kind == ErrorKind::Malformed { TRIES_OF_NONE } else { TRIES };
    if attempt >= tries {
        return Err(format!("{} (It was asked {attempt} times.)", error.with_default_hint()));
    }
    let doubled = FIRST_WAIT.saturating_mul(1 << (attempt - 1).min(10));
    Ok(error.retry_after.unwrap_or(doubled.min(LONGEST_WAIT)))
}
