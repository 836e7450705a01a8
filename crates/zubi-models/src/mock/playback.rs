//! The model that plays a scenario: its answers in order, whatever the prompt.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use zubi_base::text::ellipsize;
use zubi_tool_api::spec::wire_name;

use super::{last_call_number, stream_words};
use crate::message::{AssistantMessage, PromptMessage, ToolCall};
use crate::scenario::{self, Expectation, Scenario};
use crate::{AnswerDelta, ErrorKind, FinishReason, LanguageModel, ModelAnswer, ModelError, ModelInfo, OnDelta, Prompt};

/// The maximum number of conversations whose position is stored; the one that was used longest ago is removed first.
const MAX_CONVERSATIONS: usize = 64;
/// The maximum length of a text in an error, in characters.
const MAX_QUOTED_CHARS: usize = 400;

/// The next step when a scenario expects something else.
pub const MISMATCH_HINT: &str = "Correct the expectation there, or the cause of the difference.";
/// The next step when a scenario has no more answers.
const EXHAUSTED_HINT: &str = "Begin a new conversation, or add answers to the scenario.";

/// A scenario with the position of each conversation that plays it.
pub(super) struct ScenarioPlayback {
    scenario: Scenario,
    positions: Mutex<Vec<PlaybackPosition>>,
}

/// The position of a conversation.
struct PlaybackPosition {
    /// The hash of the first message, which every prompt of the conversation contains.
    conversation: u64,
    next: usize,
    /// Whether the last answer was a real one, not an error.
    answered: bool,
    /// The largest number in the id of a call so far.
    calls: u64,
}

impl ScenarioPlayback {
    pub(super) fn new(scenario: Scenario) -> Self {
        Self { scenario, positions: Mutex::default() }
    }

    pub(super) fn matches(&self, scenario: &Scenario) -> bool {
        self.scenario == *scenario
    }

    /// Returns the next answer of the conversation that the prompt belongs to, the number of answers before it, and the
    /// number of its first call.
    ///
    /// After a restart, the prompt shows the position of its conversation. A prompt without tools that belongs to no
    /// conversation requests a summary, and counts as part of the conversation that was used last.
    fn next(&self, prompt: Prompt<'_>) -> Option<(usize, &scenario::ScenarioAnswer, u64)> {
        let first = prompt.messages.iter().find_map(|message| match message {
            PromptMessage::User { text } => Some(text.as_str()),
            _ => None,
        });
        let mut hasher = DefaultHasher::new();
        first.hash(&mut hasher);
        let conversation = hasher.finish();

        let mut positions = self.positions.lock().unwrap_or_else(PoisonError::into_inner);
        let existing = positions.iter().position(|position| position.conversation == conversation);
        let latest = if prompt.tools.is_empty() { positions.len().checked_sub(1) } else { None };
        let position = match existing.or(latest) {
            // Moved to the end: it is the conversation that was used last.
            Some(at) => positions.remove(at),
            None => {
                if positions.len() >= MAX_CONVERSATIONS {
                    positions.remove(0);
                }
                PlaybackPosition { conversation, next: self.position_after(prompt.messages), answered: false, calls: 0 }
            }
        };
        positions.push(position);
        let position = positions.last_mut()?;
        if existing.is_some() && position.answered && prompt.messages.len() == 1 {
            // The same first message begins another conversation.
            position.next = 0;
        }
        let at = position.next;
        let answer = self.answers().nth(at)?;
        position.next += 1;
        position.answered = answer.error.is_none();
        let calls = position.calls.max(last_call_number(prompt.messages));
        position.calls = calls.saturating_add(u64::try_from(answer.calls.len()).unwrap_or(u64::MAX));
        Some((at, answer, calls + 1))
    }

    /// Returns the position after as many answers as the prompt contains.
    fn position_after(&self, messages: &[PromptMessage]) -> usize {
        let answer_count = messages.iter().filter(|message| matches!(message, PromptMessage::Assistant(_))).count();
        let Some(last) = answer_count.checked_sub(1) else { return 0 };
        let answers = self.answers().enumerate().filter(|(_, answer)| answer.error.is_none());
        answers.map(|(at, _)| at + 1).nth(last).unwrap_or(usize::MAX)
    }

    fn answers(&self) -> impl Iterator<Item = &scenario::ScenarioAnswer> {
        self.scenario.turns.iter().flat_map(|turn| &turn.answers)
    }
}

/// The model `mock:FILE`.
pub(super) struct ScenarioModel {
    pub(super) info: ModelInfo,
    /// The file, as the caller named it.
    pub(super) file: String,
    /// The lines at which the answers begin.
    pub(super) lines: Vec<u64>,
    pub(super) playback: Arc<ScenarioPlayback>,
}

#[async_trait]
impl LanguageModel for ScenarioModel {
    fn info(&self) -> &ModelInfo {
        &self.info
    }

    async fn answer(&self, prompt: Prompt<'_>, on_delta: OnDelta<'_>) -> Result<ModelAnswer, ModelError> {
        let Some((at, answer, first_call)) = self.playback.next(prompt) else {
            let answers = self.playback.answers().count();
            let message = format!("{} has {answers} answers, and all of them are used", self.info.name);
            return Err(ModelError::new(ErrorKind::Refused, message).with_hint(EXHAUSTED_HINT));
        };
        check_expectation(&answer.expect, prompt).map_err(|why| {
            let line = self.lines.get(at).map(|line| format!(", line {line}")).unwrap_or_default();
            ModelError::new(ErrorKind::Refused, format!("`{}`{line}: {why}", self.file)).with_hint(MISMATCH_HINT)
        })?;
        if let Some(delay) = answer.delay_ms {
            tokio::time::sleep(Duration::from_millis(delay)).await;
        }
        stream_words(&answer.reasoning, AnswerDelta::Reasoning, on_delta).await;
        stream_words(&answer.text, AnswerDelta::Text, on_delta).await;
        if let Some(scenario::ScenarioFailure { kind, message }) = &answer.error {
            return Err(ModelError::new(*kind, message.clone()));
        }
        let calls = answer.calls.iter().zip(first_call..).map(|(call, number)| ToolCall {
            id: format!("mock-{number}"),
            tool: wire_name(&call.tool),
            arguments: call.arguments.clone(),
        });
        let (text, reasoning) = (answer.text.clone(), answer.reasoning.clone());
        let message = AssistantMessage { text, reasoning, calls: calls.collect(), native: None };
        Ok(ModelAnswer { message, usage: answer.usage.unwrap_or_default(), stop: FinishReason::Finished })
    }
}

/// Checks the conditions of the scenario on the prompt; the error has the expected and the actual text.
pub fn check_expectation(expect: &Expectation, prompt: Prompt<'_>) -> Result<(), String> {
    let texts = || {
        let messages = prompt.messages.iter().map(|message| match message {
            PromptMessage::User { text } => text.as_str(),
            PromptMessage::Assistant(answer) => &answer.text,
            PromptMessage::Tool(outcome) => &outcome.text,
        });
        std::iter::once(prompt.system).chain(messages)
    };
    for expected in &expect.contains {
        if !texts().any(|text| text.contains(expected)) {
            let last = texts().last().unwrap_or_default();
            return Err(format!(
                "the scenario expects `{expected}` in the prompt; the last part of the prompt is `{}`",
                ellipsize(last, MAX_QUOTED_CHARS)
            ));
        }
    }
    for (tool, expected) in &expect.outcome {
        let tool = wire_name(tool);
        let outcomes = prompt.messages.iter().rev().map_while(|message| match message {
            PromptMessage::Tool(outcome) => Some(Some(outcome)),
            // The user's messages that arrive meanwhile follow the results.
            PromptMessage::User { .. } => Some(None),
            PromptMessage::Assistant(_) => None,
        });
        let outcomes: Vec<&str> =
            outcomes.flatten().filter(|outcome| outcome.tool == tool).map(|outcome| outcome.text.as_str()).collect();
        if !outcomes.iter().any(|text| text.contains(expected)) {
            let actual = match outcomes.last() {
                Some(text) => format!("came to `{}`", ellipsize(text, MAX_QUOTED_CHARS)),
                None => "was not called".to_owned(),
            };
            return Err(format!("the scenario expects `{expected}` of `{tool}`, which {actual}"));
        }
    }
    Ok(())
}
