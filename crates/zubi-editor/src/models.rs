//! `zubi/model/*`: the models that extensions offer in the editor, as a model source for zubi's agent. The editor
//! manages the keys and the user's consent; neither passes through here.
//!
//! The editor's messages have two roles and three kinds of parts. Instructions become the first user message; tool
//! results become user messages, too, all results of one answer in one message, as models expect.

use std::collections::BTreeMap;
use std::pin::pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use zubi_base::endpoint::{EndpointError, RequestCx};
use zubi_models::message::{AssistantMessage, PromptMessage, TokenUsage, ToolCall, ToolResult};
use zubi_models::{
    AnswerDelta, ErrorKind, FinishReason, LanguageModel, ModelAnswer, ModelError, ModelInfo, ModelSource, OnDelta,
    Prompt, ToolDefinition,
};

use crate::editor::Editor;
use crate::wire::agent::{
    EditorModel, ModelCall, ModelDeltaParams, ModelFailure, ModelListResult, ModelMessage, ModelOutcome, ModelPart,
    ModelRequestParams, ModelRequestResult, ModelRole, ModelTool,
};
use crate::wire::{MODEL_LIST, MODEL_REQUEST};

/// Provider of these models, the prefix of their ids.
const PROVIDER: &str = "editor";

/// Default of the editor's setting, which only means that the user has not chosen a model; it may not exist.
pub(crate) const DEFAULT_MODEL: &str = "gpt-4o";

/// Time-out for the list of models: the editor starts extensions for it.
const LIST_TIMEOUT: Duration = Duration::from_secs(30);
/// Maximum silence of a model. The editor may be showing a consent dialog to its user meanwhile.
const SILENCE_TIMEOUT: Duration = Duration::from_mins(5);
/// Time-out of a whole answer.
const ANSWER_TIMEOUT: Duration = Duration::from_hours(1);

/// Maximum number of models in the list.
const MAX_MODELS: usize = 500;
/// Maximum size of an answer and of its deltas, in bytes.
const MAX_ANSWER: usize = 8 * 1024 * 1024;
/// Maximum number of calls in an answer.
const MAX_CALLS: usize = 256;

/// The models of one editor.
#[derive(Clone)]
pub(crate) struct EditorModels(Arc<ModelRequests>);

/// Running requests to the editor's models.
struct ModelRequests {
    editor: Arc<Editor>,
    /// Receiver of deltas and number of bytes that may still arrive, by token.
    running: Mutex<BTreeMap<u64, (mpsc::UnboundedSender<AnswerDelta>, usize)>>,
    /// Last token that was assigned.
    last: AtomicU64,
}

impl EditorModels {
    pub(crate) fn new(editor: Arc<Editor>) -> Self {
        Self(Arc::new(ModelRequests { editor, running: Mutex::default(), last: AtomicU64::new(0) }))
    }

    /// Handles `zubi/model/piece`. Called by the main loop; returns at once.
    pub(crate) fn handle_delta(&self, params: Value) {
        let Ok(ModelDeltaParams { token, text, thought }) = serde_json::from_value(params) else { return };
        let mut running = self.0.lock_running();
        let Some((sender, remaining_bytes)) = running.get_mut(&token) else { return };
        for delta in [thought.map(AnswerDelta::Reasoning), text.map(AnswerDelta::Text)].into_iter().flatten() {
            let (AnswerDelta::Text(text) | AnswerDelta::Reasoning(text)) = &delta;
            // The complete answer repeats the deltas, and is then too long as well.
            let Some(remaining) = remaining_bytes.checked_sub(text.len()) else { return };
            *remaining_bytes = remaining;
            sender.send(delta).ok();
        }
    }

    /// All models, the default first.
    async fn list(&self) -> Result<Vec<EditorModel>, ModelError> {
        let listed: ModelListResult = self.0.request(MODEL_LIST, Value::Null, LIST_TIMEOUT).await?;
        let mut models: Vec<_> = listed.models.into_iter().take(MAX_MODELS).collect();
        models.sort_by_key(|model| model.id != DEFAULT_MODEL && model.family != DEFAULT_MODEL);
        Ok(models)
    }
}

impl ModelRequests {
    fn lock_running(&self) -> MutexGuard<'_, BTreeMap<u64, (mpsc::UnboundedSender<AnswerDelta>, usize)>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn request<T: DeserializeOwned>(
        &self,
        method: &str,
        params: Value,
        timeout: Duration,
    ) -> Result<T, ModelError> {
        let cx = RequestCx::new(CancellationToken::new(), Instant::now() + timeout);
        let answer = self.editor.send(method, method, params, &cx).await.map_err(|error| unanswered_error(&error))?;
        serde_json::from_value(answer).map_err(|error| {
            ModelError::new(ErrorKind::Malformed, format!("cannot parse the editor's answer to `{method}`: {error}"))
        })
    }
}

#[async_trait]
impl ModelSource for EditorModels {
    fn provider(&self) -> &str {
        PROVIDER
    }

    async fn models(&self) -> Result<Vec<ModelInfo>, ModelError> {
        let models = self.list().await?;
        if models.is_empty() {
            return Err(no_models_error());
        }
        Ok(models.iter().map(|model| info(model, &models)).collect())
    }

    async fn open(&self, name: &str) -> Result<Arc<dyn LanguageModel>, ModelError> {
        let models = self.list().await?;
        let Some(model) = find(name, &models) else {
            if models.is_empty() {
                return Err(no_models_error());
            }
            let names: Vec<_> = models.iter().map(|model| info(model, &models).id).collect();
            let message = format!("the editor has no model `{name}`; it has {}", names.join(", "));
            return Err(ModelError::new(ErrorKind::NotConfigured, message));
        };
        let info = info(model, &models);
        Ok(Arc::new(EditorLanguageModel { info, model: model.clone(), requests: Arc::clone(&self.0) }))
    }
}

/// Finds a model: by its id, by vendor and id, or the first of a family.
fn find<'a>(name: &str, models: &'a [EditorModel]) -> Option<&'a EditorModel> {
    let by_id = || models.iter().find(|model| model.id == name);
    let by_both = || models.iter().find(|model| name.split_once('/') == Some((&model.vendor, &model.id)));
    let by_family = || models.iter().find(|model| model.family == name);
    by_id().or_else(by_both).or_else(by_family)
}

/// Model as it appears in lists, with the vendor in the id if it is otherwise ambiguous.
fn info(model: &EditorModel, among: &[EditorModel]) -> ModelInfo {
    let EditorModel { id, vendor, name, max_input_tokens, .. } = model;
    let is_alone = among.iter().filter(|other| other.id == *id).count() == 1;
    let full_id = if is_alone { format!("{PROVIDER}/{id}") } else { format!("{PROVIDER}/{vendor}/{id}") };
    let context = (*max_input_tokens > 0).then_some(*max_input_tokens);
    ModelInfo { id: full_id, name: name.clone(), provider: PROVIDER.to_owned(), context }
}

fn no_models_error() -> ModelError {
    let message = "the editor offers no models: install an extension that does, and sign in to it";
    ModelError::new(ErrorKind::NotConfigured, message)
}

/// One of the editor's models.
struct EditorLanguageModel {
    info: ModelInfo,
    model: EditorModel,
    requests: Arc<ModelRequests>,
}

/// A running request; removed on drop, also if the caller no longer waits.
struct RunningRequest<'a> {
    requests: &'a ModelRequests,
    token: u64,
}

impl Drop for RunningRequest<'_> {
    fn drop(&mut self) {
        self.requests.lock_running().remove(&self.token);
    }
}

#[async_trait]
impl LanguageModel for EditorLanguageModel {
    fn info(&self) -> &ModelInfo {
        &self.info
    }

    async fn answer(&self, prompt: Prompt<'_>, on_delta: OnDelta<'_>) -> Result<ModelAnswer, ModelError> {
        let requests = &*self.requests;
        let token = requests.last.fetch_add(1, Ordering::Relaxed) + 1;
        let (sender, mut deltas) = mpsc::unbounded_channel();
        requests.lock_running().insert(token, (sender, MAX_ANSWER));
        let _running = RunningRequest { requests, token };
        let params = ModelRequestParams {
            id: self.model.id.clone(),
            vendor: self.model.vendor.clone(),
            messages: messages(prompt.system, prompt.messages),
            tools: prompt.tools.iter().map(tool).collect(),
            max_output: prompt.max_output,
            token,
        };
        let mut answer = pin!(requests.request::<ModelRequestResult>(MODEL_REQUEST, json!(params), ANSWER_TIMEOUT));
        let result = loop {
            tokio::select! {
                biased;
                Some(delta) = deltas.recv() => on_delta(delta),
                result = &mut answer => break result?,
                () = tokio::time::sleep(SILENCE_TIMEOUT) => return Err(ModelError::new(
                    ErrorKind::TimedOut,
                    format!(
                        "`{}` has sent nothing for {} minutes. The editor may be waiting for your permission to use it",
                        self.info.id,
                        SILENCE_TIMEOUT.as_secs() / 60
                    ),
                )),
            }
        };
        while let Ok(delta) = deltas.try_recv() {
            on_delta(delta);
        }
        self.read(result)
    }
}

impl EditorLanguageModel {
    fn read(&self, result: ModelRequestResult) -> Result<ModelAnswer, ModelError> {
        let ModelRequestResult { text, thought, calls, error } = result;
        if let Some(failure) = error {
            return Err(self.map_failure(&failure));
        }
        if text.len() + thought.len() > MAX_ANSWER || calls.len() > MAX_CALLS {
            let message = format!("the answer of `{}` exceeds zubi's limits", self.info.id);
            return Err(ModelError::new(ErrorKind::Malformed, message));
        }
        let calls = calls.into_iter().map(|ModelCall { id, name, input }| ToolCall {
            id,
            tool: name,
            arguments: match input {
                Value::Object(_) | Value::String(_) => input,
                other => Value::String(other.to_string()),
            },
        });
        let message = AssistantMessage { text, reasoning: thought, calls: calls.collect(), native: None };
        // The editor does not count tokens and does not report why a model stopped.
        Ok(ModelAnswer { message, usage: TokenUsage::default(), stop: FinishReason::Finished })
    }

    /// Maps an error of the editor. Extensions throw arbitrary errors, so some are recognized by their texts only.
    fn map_failure(&self, failure: &ModelFailure) -> ModelError {
        let ModelFailure { code, message } = failure;
        let id = &self.info.id;
        let text = message.to_lowercase();
        let has = |words: &[&str]| words.iter().any(|word| code.to_lowercase().contains(word) || text.contains(word));
        let (kind, summary) = match code.as_str() {
            "NoPermissions" => (
                ErrorKind::NotConfigured,
                format!(
                    "the editor does not allow zubi to use `{id}`. It prompts you when you start a task: \
                     send one in the chat view and choose “Allow”, or allow it with the command “Manage Language Model Access”"
                ),
            ),
            "NotFound" => (ErrorKind::NotConfigured, format!("the editor no longer has a model `{id}`")),
            "Blocked" => (ErrorKind::Refused, format!("the editor blocks zubi from using `{id}`")),
            // Retrying soon does not help once a monthly quota is used up.
            _ if has(&["quota"]) => (ErrorKind::Refused, format!("your quota of `{id}` is used up")),
            _ if has(&["ratelimit", "rate limit", "too many requests"]) => {
                (ErrorKind::RateLimited, format!("too many requests to `{id}`"))
            }
            _ if has(&["context length", "context_length", "prompt_tokens_exceeded", "token limit", "too long"]) => {
                (ErrorKind::TooLong, format!("the prompt is too long for `{id}`"))
            }
            _ => (ErrorKind::BrokenOff, format!("`{id}` did not answer")),
        };
        let message = if message.is_empty() { summary } else { format!("{summary} ({message})") };
        ModelError::new(kind, message)
    }
}

/// Maps an error of the editor channel.
fn unanswered_error(error: &EndpointError) -> ModelError {
    let kind = match error {
        EndpointError::TimedOut { .. } => ErrorKind::TimedOut,
        EndpointError::Exited { .. } => ErrorKind::Unreachable,
        EndpointError::Unsupported { .. } => ErrorKind::NotConfigured,
        _ => ErrorKind::BrokenOff,
    };
    ModelError::new(kind, error.to_string())
}

fn tool(definition: &ToolDefinition) -> ModelTool {
    let ToolDefinition { name, description, schema } = definition.clone();
    ModelTool { name, description, input_schema: schema }
}

/// Converts the prompt to the editor's roles. Empty parts, which models refuse, and messages without parts are left
/// out.
pub(crate) fn messages(system: &str, history: &[PromptMessage]) -> Vec<ModelMessage> {
    let mut messages: Vec<ModelMessage> = Vec::new();
    let mut add = |role, parts: Vec<ModelPart>| {
        if !parts.is_empty() {
            messages.push(ModelMessage { role, parts });
        }
    };
    add(ModelRole::User, text(system));
    let mut history = history.iter().peekable();
    while let Some(message) = history.next() {
        match message {
            PromptMessage::User { text: user_text } => add(ModelRole::User, text(user_text)),
            PromptMessage::Assistant(assistant) => {
                let calls = assistant.calls.iter().map(|call| {
                    // The editor accepts only objects; the tool result says what was wrong with the arguments.
                    let input = if call.arguments.is_object() { call.arguments.clone() } else { json!({}) };
                    let call = Some(ModelCall { id: call.id.clone(), name: call.tool.clone(), input });
                    ModelPart { text: None, call, outcome: None }
                });
                add(ModelRole::Assistant, text(&assistant.text).into_iter().chain(calls).collect());
            }
            PromptMessage::Tool(first) => {
                let mut parts = vec![outcome(first)];
                while let Some(PromptMessage::Tool(next)) =
                    history.next_if(|next| matches!(next, PromptMessage::Tool(_)))
                {
                    parts.push(outcome(next));
                }
                add(ModelRole::User, parts);
            }
        }
    }
    messages
}

fn text(text: &str) -> Vec<ModelPart> {
    let part = || ModelPart { text: Some(text.to_owned()), call: None, outcome: None };
    if text.is_empty() { Vec::new() } else { vec![part()] }
}

fn outcome(outcome: &ToolResult) -> ModelPart {
    let ToolResult { call, text, .. } = outcome;
    ModelPart { text: None, call: None, outcome: Some(ModelOutcome { id: call.clone(), text: text.clone() }) }
}
