//! `zubi/agent/*`: conversations with zubi's agent, for a chat view in the editor, and tasks of its extensions.
//!
//! Requests of the chat view to [`ChatService`], and the events for it, pass through here unchanged. Events are sent
//! from the first request on, in batches: while the editor processes one batch, later events collect. If it is too
//! slow, the oldest are dropped and the next batch reports that. Tools and models never wait for the editor.
//!
//! An extension's task is an ordinary conversation, except for its approval prompts: the chat may not be visible, so
//! they are dialogs of the editor.

mod methods;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use camino::Utf8PathBuf;
use dlang_server::{Answer, RequestError, RequestResponder};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::sync::Mutex;
use tokio::sync::broadcast::error::{RecvError, TryRecvError};
use tokio::task::{AbortHandle, JoinSet};
use tokio_util::sync::CancellationToken;
use zubi_agent::chat::{ChatError, ChatService};
use zubi_agent::event::{AgentEvent, EventKind, TurnEnded};
use zubi_agent::wire::{AnswerParams, ConversationEvent, ConversationRef, OpenResult, SendParams, SendResult};
use zubi_base::endpoint::{EndpointError, RequestCx};
use zubi_host::{EditorIntegration, ToolService};
use zubi_models::ModelSource;
use zubi_tool_api::approval_prompt;
use zubi_tool_api::cx::{ApprovalAnswer, ApprovalRequest};

pub(crate) use self::methods::methods;
use crate::approvals::Approvals;
use crate::editor::Editor;
use crate::models::{DEFAULT_MODEL, EditorModels};
use crate::wire::agent::{AgentEventsParams, AgentRunParams, AgentRunResult, WaitingQuestion};
use crate::wire::{AGENT_EVENTS, MODEL_LIST, MODEL_REQUEST};

/// Surface of the answers from this channel.
const SURFACE: &str = "editor";
/// Maximum number of events in one batch.
const BATCH: usize = 500;
/// Time-out for the editor to process a batch.
const BATCH_TIMEOUT: Duration = Duration::from_mins(1);

/// Settings of the agent that the user has made in the editor; the program decides what is absent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AgentSettings {
    /// Whether to use the rule-based mock instead of a real model.
    pub use_mock: bool,
    /// Model to use if a task names none: with its provider, by the editor's id, or by its family. If absent, the
    /// program's own settings decide, otherwise the first model that exists; of the editor's models,
    /// [`DEFAULT_MODEL`] is preferred.
    pub model: Option<String>,
    /// Maximum number of model requests in a turn.
    pub max_iterations: Option<u64>,
}

impl AgentSettings {
    pub(crate) fn read(options: &Value) -> Self {
        let model = options.get("model").and_then(Value::as_str).map(str::trim);
        let model = model.filter(|model| !model.is_empty() && *model != DEFAULT_MODEL);
        Self {
            use_mock: options.get("useMockLLM").and_then(Value::as_bool) == Some(true),
            model: model.map(str::to_owned),
            max_iterations: options.get("maxIterations").and_then(Value::as_u64).filter(|count| *count > 0),
        }
    }
}

/// Dependencies of a [`ChatService`] for an editor.
#[derive(Clone)]
pub struct ChatSpec {
    /// Folders that the editor has open.
    pub folders: Vec<Utf8PathBuf>,
    /// Tools for these folders.
    pub service: Arc<dyn ToolService>,
    /// The editor's models, if it provides access to them.
    pub models: Option<Arc<dyn ModelSource>>,
    pub settings: AgentSettings,
    /// Secrets that must not appear in a conversation.
    pub secrets: Vec<String>,
}

/// Creates the conversations of a host on demand, on a thread that may block. The error is returned to the requester.
pub type ChatFactory = dyn Fn(ChatSpec) -> Result<Arc<dyn ChatService>, String> + Send + Sync;

/// The agent of one connection.
pub(crate) struct Agent {
    editor: Arc<Editor>,
    approvals: Arc<Approvals>,
    factory: Arc<ChatFactory>,
    models: Option<EditorModels>,
    settings: AgentSettings,
    /// Turns that are tasks of extensions, by conversation. Locked while a task starts, so that its prompts can be
    /// recognized. A turn is removed once its end has been sent.
    runs: Mutex<BTreeMap<String, u64>>,
}

impl Agent {
    pub(crate) fn new(
        editor: Arc<Editor>,
        approvals: Arc<Approvals>,
        factory: Arc<ChatFactory>,
        settings: AgentSettings,
    ) -> Arc<Self> {
        let has_models = editor.answers(MODEL_LIST) && editor.answers(MODEL_REQUEST);
        let models = has_models.then(|| EditorModels::new(Arc::clone(&editor)));
        Arc::new(Self { editor, approvals, factory, models, settings, runs: Mutex::default() })
    }

    /// Creates the conversations of a host. Blocks.
    pub(crate) fn create_chat(
        &self,
        integration: &EditorIntegration,
        service: Arc<dyn ToolService>,
    ) -> Result<Arc<dyn ChatService>, String> {
        let models = self.models.clone().map(|models| Arc::new(models) as Arc<dyn ModelSource>);
        let (folders, secrets) = (integration.folders.clone(), integration.options.secrets());
        (self.factory)(ChatSpec { folders, service, models, settings: self.settings.clone(), secrets })
    }

    /// Sends the events of these conversations to the editor, until the conversations are closed.
    pub(crate) async fn follow(self: Arc<Self>, mut events: tokio::sync::broadcast::Receiver<Arc<ConversationEvent>>) {
        if !self.editor.answers(AGENT_EVENTS) {
            return;
        }
        let mut next = AgentEventsParams { is_fresh: true, ..AgentEventsParams::default() };
        // The prompt that waits for an answer.
        let mut waiting = None;
        loop {
            while next.events.len() < BATCH {
                match events.try_recv() {
                    Ok(conversation_event) => self.add(&mut next, &mut waiting, &conversation_event).await,
                    Err(TryRecvError::Lagged(_)) => next.is_fresh = true,
                    Err(TryRecvError::Empty | TryRecvError::Closed) => break,
                }
            }
            if !next.events.is_empty() || next.is_fresh {
                let params = json!(std::mem::take(&mut next));
                let cx = RequestCx::new(CancellationToken::new(), Instant::now() + BATCH_TIMEOUT);
                match self.editor.send(AGENT_EVENTS, AGENT_EVENTS, params, &cx).await {
                    Ok(_) => {}
                    Err(EndpointError::Exited { .. }) => return,
                    Err(error) => {
                        tracing::warn!("the editor does not accept conversation events: {error}");
                        // The loss is reported with the next event.
                        next.is_fresh = true;
                    }
                }
                if !next.is_fresh {
                    continue;
                }
            }
            match events.recv().await {
                Ok(conversation_event) => self.add(&mut next, &mut waiting, &conversation_event).await,
                Err(RecvError::Lagged(_)) => next.is_fresh = true,
                Err(RecvError::Closed) => return,
            }
        }
    }

    async fn add(
        &self,
        next: &mut AgentEventsParams,
        waiting: &mut Option<String>,
        conversation_event: &ConversationEvent,
    ) {
        match &conversation_event.event.kind {
            EventKind::Question { turn, question, request, .. }
                if self.runs.lock().await.get(&conversation_event.conversation) != Some(turn) =>
            {
                let text = serde_json::from_value::<ApprovalRequest>(request.clone()).map_or_else(
                    |_| "zubi's agent requests your approval".to_owned(),
                    |request| approval_prompt::prompt_text(&request).lines().next().unwrap_or_default().to_owned(),
                );
                next.waits = Some(WaitingQuestion { conversation: conversation_event.conversation.clone(), text });
                *waiting = Some(question.clone());
            }
            EventKind::Decision { question, .. } if waiting.as_ref() == Some(question) => next.waits = None,
            EventKind::Ended(TurnEnded { turn, .. }) => {
                let mut runs = self.runs.lock().await;
                if runs.get(&conversation_event.conversation) == Some(turn) {
                    runs.remove(&conversation_event.conversation);
                }
            }
            _ => {}
        }
        next.events.push(json!(conversation_event));
    }

    /// Runs a task from start to end.
    async fn run(
        self: &Arc<Self>,
        chat: &Arc<dyn ChatService>,
        params: AgentRunParams,
        responder: &RequestResponder,
    ) -> Answer {
        let cancel = CancellationToken::new();
        let cancel_token = cancel.clone();
        responder.cancel().on_cancel(move || cancel_token.cancel());
        let AgentRunParams { task, model, instructions, max_iterations, tools } = params;
        let send_params =
            SendParams { conversation: None, text: task, model, max_iterations, tools, schema: None, instructions };
        let mut events = chat.listen();
        let mut runs = self.runs.lock().await;
        let SendResult { conversation, turn } = request(chat, "send", json!(send_params)).await?;
        if self.editor.answers(AGENT_EVENTS) {
            runs.insert(conversation.clone(), turn);
        }
        drop(runs);
        let mut run = RunningTask {
            agent: self,
            chat,
            conversation: &conversation,
            turn,
            cancel: &cancel,
            prompts: BTreeMap::new(),
            dialogs: JoinSet::new(),
        };
        let ended = loop {
            let ended_turn = tokio::select! {
                received = events.recv() => match received {
                    Ok(conversation_event) if conversation_event.conversation == conversation => run.handle_event(&conversation_event.event),
                    Ok(_) => None,
                    // The end may be among the lost events: if they cannot be read, waiting for it could take forever.
                    Err(RecvError::Lagged(_)) => match run.read_events().await {
                        Ok(ended_turn) => ended_turn,
                        Err(error) => {
                            let conversation_ref = json!(ConversationRef { conversation: conversation.clone() });
                            drop(chat.request("stop", conversation_ref, SURFACE).await);
                            break Err(error);
                        }
                    },
                    Err(RecvError::Closed) => break Err(RequestError::Failed("zubi is shutting down".to_owned())),
                },
                () = cancel.cancelled() => {
                    let conversation_ref = json!(ConversationRef { conversation: conversation.clone() });
                    break match chat.request("stop", conversation_ref, SURFACE).await {
                        Ok(_) => Err(RequestError::Cancelled),
                        Err(error) => Err(request_failed(&error)),
                    };
                }
            };
            if let Some(ended) = ended_turn {
                break Ok(ended);
            }
        };
        let TurnEnded { reason, text, problem, .. } = ended?;
        let reason = json!(reason).as_str().unwrap_or_default().to_owned();
        Ok(json!(AgentRunResult { conversation, reason, text, problem }))
    }
}

/// A running task.
struct RunningTask<'a> {
    agent: &'a Arc<Agent>,
    chat: &'a Arc<dyn ChatService>,
    conversation: &'a str,
    turn: u64,
    cancel: &'a CancellationToken,
    /// Prompts that were shown, by id.
    prompts: BTreeMap<String, AbortHandle>,
    /// Open dialogs, closed when the task ends.
    dialogs: JoinSet<()>,
}

impl RunningTask<'_> {
    /// Handles the next event; returns the end of the task once it arrives.
    fn handle_event(&mut self, event: &AgentEvent) -> Option<TurnEnded> {
        match &event.kind {
            EventKind::Question { question, request, .. } if !self.prompts.contains_key(question) => {
                let prompt = show_approval(
                    Arc::clone(self.agent),
                    Arc::clone(self.chat),
                    self.conversation.to_owned(),
                    question.clone(),
                    request.clone(),
                    self.cancel.clone(),
                );
                self.prompts.insert(question.clone(), self.dialogs.spawn(prompt));
            }
            // The user has answered the prompt in the chat.
            EventKind::Decision { question, .. } => {
                if let Some(dialog) = self.prompts.get(question) {
                    dialog.abort();
                }
            }
            EventKind::Ended(ended) if ended.turn == self.turn => return Some(ended.clone()),
            _ => {}
        }
        None
    }

    /// Handles all events of the conversation, after some were lost.
    async fn read_events(&mut self) -> Result<Option<TurnEnded>, RequestError> {
        let conversation_ref = json!(ConversationRef { conversation: self.conversation.to_owned() });
        let OpenResult { events, .. } = request(self.chat, "open", conversation_ref).await?;
        let decided: BTreeSet<&String> = events
            .iter()
            .filter_map(|event| match &event.kind {
                EventKind::Decision { question, .. } => Some(question),
                _ => None,
            })
            .collect();
        let is_over = |event: &&AgentEvent| matches!(&event.kind, EventKind::Question { question, .. } if decided.contains(question));
        Ok(events.iter().filter(|event| !is_over(event)).find_map(|event| self.handle_event(event)))
    }
}

/// Shows an approval prompt of a task as a dialog, and sends the answer to the conversation.
async fn show_approval(
    agent: Arc<Agent>,
    chat: Arc<dyn ChatService>,
    conversation: String,
    question: String,
    request: Value,
    cancel: CancellationToken,
) {
    let answer = match serde_json::from_value::<ApprovalRequest>(request) {
        Ok(request) => {
            let approver = agent.approvals.approver(&request.tool, &Value::Null, false, &cancel);
            approver.request_approval(request).await
        }
        Err(error) => ApprovalAnswer::Unanswered { reason: format!("invalid approval request: {error}") },
    };
    let answer = match answer {
        ApprovalAnswer::Allow { .. } | ApprovalAnswer::Deny { .. } => answer,
        ApprovalAnswer::Unanswered { reason } => ApprovalAnswer::Deny { text: Some(format!("no answer: {reason}")) },
        ApprovalAnswer::NotPrompted { reason } => {
            ApprovalAnswer::Deny { text: Some(format!("prompt not shown: {reason}")) }
        }
        ApprovalAnswer::Unavailable | ApprovalAnswer::OnlyRules { .. } => {
            ApprovalAnswer::Deny { text: Some("this editor cannot show approval prompts".to_owned()) }
        }
    };
    let params = json!(AnswerParams { conversation, question, answer: json!(answer) });
    // The user may have answered in the chat first.
    if let Err(error) = chat.request("answer", params, SURFACE).await {
        tracing::debug!("an answer came too late: {error}");
    }
}

/// Sends a request and parses its result.
async fn request<T: DeserializeOwned>(
    chat: &Arc<dyn ChatService>,
    method: &str,
    params: Value,
) -> Result<T, RequestError> {
    let result = chat.request(method, params, SURFACE).await.map_err(|error| request_failed(&error))?;
    serde_json::from_value(result)
        .map_err(|error| RequestError::Failed(format!("invalid result of `{method}`: {error}")))
}

fn request_failed(error: &ChatError) -> RequestError {
    let message = error.to_string();
    match error {
        ChatError::UnknownMethod(_) => RequestError::InvalidParams { field: "method".to_owned(), message },
        ChatError::Invalid(_) => RequestError::InvalidParams { field: "params".to_owned(), message },
        ChatError::NotFound(_) | ChatError::Failed(_) => RequestError::Failed(message),
    }
}
