//! The model of a replay: it gives the recorded answers, turn by turn.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use zubi_tool_api::spec::wire_name;

use super::ids::IdMap;
use zubi_models::message::{AssistantMessage, PromptMessage, ToolCall};
use zubi_models::mock::{MISMATCH_HINT, check_expectation};
use zubi_models::scenario::{self, Scenario, ScenarioTurn};
use zubi_models::{
    AnswerDelta, ErrorKind, FinishReason, LanguageModel, ModelAnswer, ModelError, ModelInfo, OnDelta, Prompt,
};

/// The model `replay`.
pub(super) struct ReplayModel {
    info: ModelInfo,
    state: Mutex<RecordedState>,
}

#[derive(Default)]
struct RecordedState {
    answers: VecDeque<scenario::ScenarioAnswer>,
    /// The recorded results of this turn's remaining calls, in their order.
    results: VecDeque<scenario::ScenarioOutcome>,
    /// The recorded results of calls, by their current ids.
    recorded_results: BTreeMap<String, String>,
    ids: IdMap,
    calls: u64,
}

impl ReplayModel {
    pub(super) fn new(scenario: &Scenario) -> Self {
        let name = if scenario.title.is_empty() { "Recorded".to_owned() } else { scenario.title.clone() };
        let info = ModelInfo { id: "replay".to_owned(), name, provider: "replay".to_owned(), context: None };
        Self { info, state: Mutex::default() }
    }

    /// Begins the next turn.
    pub(super) fn begin(&self, turn: &ScenarioTurn) {
        let mut state = self.lock();
        state.answers = turn.answers.iter().cloned().collect();
        state.results = turn.results.iter().cloned().collect();
    }

    fn lock(&self) -> MutexGuard<'_, RecordedState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl RecordedState {
    /// Learns the ids from the results of calls.
    fn learn(&mut self, messages: &[PromptMessage]) {
        for message in messages {
            if let PromptMessage::Tool(outcome) = message
                && let Some(recorded) = self.recorded_results.remove(&outcome.call)
            {
                self.ids.learn(&recorded, &outcome.text);
            }
        }
    }

    fn call(&mut self, call: &scenario::ScenarioCall) -> ToolCall {
        self.calls += 1;
        let id = format!("replay-{}", self.calls);
        let is_same_tool = |result: &scenario::ScenarioOutcome| wire_name(&result.tool) == wire_name(&call.tool);
        if self.results.front().is_some_and(is_same_tool)
            && let Some(recorded) = self.results.pop_front()
        {
            self.recorded_results.insert(id.clone(), recorded.text);
        }
        ToolCall { id, tool: wire_name(&call.tool), arguments: self.ids.current(&call.arguments) }
    }
}

#[async_trait]
impl LanguageModel for ReplayModel {
    fn info(&self) -> &ModelInfo {
        &self.info
    }

    async fn answer(&self, prompt: Prompt<'_>, on_delta: OnDelta<'_>) -> Result<ModelAnswer, ModelError> {
        let mut state = self.lock();
        state.learn(prompt.messages);
        let Some(answer) = state.answers.pop_front() else {
            let message = "the recording has no further answer in this turn".to_owned();
            let hint = "The replay needs more answers than were recorded; look at the other differences.";
            return Err(ModelError::new(ErrorKind::Refused, message).with_hint(hint));
        };
        check_expectation(&answer.expect, prompt)
            .map_err(|message| ModelError::new(ErrorKind::Refused, message).with_hint(MISMATCH_HINT))?;
        if let Some(scenario::ScenarioFailure { kind, message }) = answer.error {
            return Err(ModelError::new(kind, message));
        }
        let calls = answer.calls.iter().map(|call| state.call(call)).collect();
        drop(state);
        if !answer.text.is_empty() {
            on_delta(AnswerDelta::Text(answer.text.clone()));
        }
        let message = AssistantMessage { text: answer.text, reasoning: answer.reasoning, calls, native: None };
        Ok(ModelAnswer { message, usage: answer.usage.unwrap_or_default(), stop: FinishReason::Finished })
    }
}
