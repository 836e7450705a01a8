//! The conversation manager: stores the conversations of a workspace and serves them to its clients. It starts and
//! stops turns, passes answers to the approval prompts that wait for them, and lists and searches stored conversations.
//!
//! Any number of pages share one manager, and several processes may share one directory. Only one process at a time
//! writes to a conversation, for as long as a turn runs in it.

mod inspector;
mod parameters;
mod session;
#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use async_trait::async_trait;
use camino::Utf8PathBuf;
use serde_json::{Value, json};
use tokio::sync::broadcast;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use zubi_base::clock::Clock;
use zubi_host::ToolService;
use zubi_policy::rule::RuleText;
use zubi_tool_api::cx::{ApprovalAnswer, Restrictions};
use zubi_tool_api::redact::Redactor;

use self::inspector::ManualCalls;
use self::parameters::{check_length, expect_no_params, parameters};
use self::session::ConversationSession;
use crate::chat::{ChatError, ChatService};
use crate::conversation::store::ConversationDir;
use crate::conversation::{ConversationCache, ConversationContext, ConversationSummary, OpenError};
use crate::event::{AgentEvent, EventKind};
use crate::export;
use crate::questions::Questions;
use crate::run::Budgets;
use crate::wire::{
    AnswerParams, ConversationEvent, ConversationList, ConversationQuery, ConversationRef, ConversationState,
    ExportedScenario, INSPECTOR, ListedConversation, OpenParams, OpenResult, Rename, ServerInfo, ToolList,
};
use zubi_models::registry::ModelRegistry;

/// The maximum number of unread events of a listener; a slower one loses the oldest.
const MAX_LISTENER_LAG: usize = 4096;
/// The default number of conversations in a list; the maximum follows.
const DEFAULT_LIST: usize = 50;
const MAX_LIST: usize = 500;
/// The first session number. The other surfaces in this process count from 1.
const FIRST_SESSION: u64 = 1 << 40;

/// The configuration of a [`ConversationManager`].
#[derive(Clone)]
pub struct ConversationManagerConfig {
    pub service: Arc<dyn ToolService>,
    pub models: Arc<ModelRegistry>,
    /// zubi's state directory. Conversations are stored in its subdirectory `sessions`.
    pub state: Utf8PathBuf,
    /// The workspace's folders. The same set of folders, in any order, has the same conversations.
    pub folders: Vec<Utf8PathBuf>,
    pub budgets: Budgets,
    /// Rules that answer approval prompts, as [`crate::questions::auto_approve_rule`] parses them.
    pub auto_approve: Vec<RuleText>,
    /// The redactor for the secrets of this process, whose values are neither saved nor sent.
    pub redactor: Redactor,
    pub clock: Arc<dyn Clock>,
}

/// The reason why a [`ConversationManager`] could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenStoreError {
    #[error("cannot store conversations in `{0}`: {1}")]
    State(Utf8PathBuf, std::io::Error),
    /// One of the `--auto-approve` rules is invalid.
    #[error("{0}")]
    Rule(String),
}

/// The manager of a workspace's conversations.
pub struct ConversationManager {
    config: ConversationManagerConfig,
    context: ConversationContext,
    events: broadcast::Sender<Arc<ConversationEvent>>,
    /// The sessions of the conversations that this process has used.
    sessions: Mutex<BTreeMap<String, Arc<ConversationSession>>>,
    next_session: AtomicU64,
    inspector: ManualCalls,
    closing: CancellationToken,
    turns: TaskTracker,
    weak_self: Weak<Self>,
}

impl ConversationManager {
    /// Creates the directory if it does not exist. Reads nothing until the first request.
    pub fn open(config: ConversationManagerConfig) -> Result<Arc<Self>, OpenStoreError> {
        let dir = ConversationDir::new(&config.state, &config.folders)
            .map_err(|error| OpenStoreError::State(config.state.join("sessions"), error))?;
        let (events, _) = broadcast::channel(MAX_LISTENER_LAG);
        let listener = {
            let sender = events.clone();
            // The send fails if there are no listeners, which is not an error.
            move |conversation: &str, event: AgentEvent| {
                drop(sender.send(Arc::new(ConversationEvent { conversation: conversation.to_owned(), event })));
            }
        };
        let context = ConversationContext {
            dir,
            folders: config.folders.clone(),
            clock: Arc::clone(&config.clock),
            redactor: config.redactor.clone(),
            listener: Arc::new(listener),
            cache: ConversationCache::default(),
        };
        let questions =
            Questions::new(Arc::clone(&config.service), &config.auto_approve).map_err(OpenStoreError::Rule)?;
        let closing = CancellationToken::new();
        let inspector = ManualCalls::new(&context, questions, FIRST_SESSION, closing.child_token());
        Ok(Arc::new_cyclic(|own| Self {
            config,
            context,
            events,
            sessions: Mutex::default(),
            next_session: AtomicU64::new(FIRST_SESSION + 1),
            inspector,
            closing,
            turns: TaskTracker::new(),
            weak_self: Weak::clone(own),
        }))
    }

    fn sessions(&self) -> MutexGuard<'_, BTreeMap<String, Arc<ConversationSession>>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the session of an existing conversation.
    fn get_session(&self, id: &str) -> Result<Arc<ConversationSession>, ChatError> {
        if let Some(session) = self.sessions().get(id) {
            return Ok(Arc::clone(session));
        }
        let path = self.context.dir.path(id).map_err(|error| open_error(&error))?;
        if !path.exists() {
            return Err(open_error(&OpenError::Missing(id.to_owned())));
        }
        let session = self.new_session()?;
        Ok(Arc::clone(self.sessions().entry(id.to_owned()).or_insert(session)))
    }

    fn new_session(&self) -> Result<Arc<ConversationSession>, ChatError> {
        let questions = Questions::new(Arc::clone(&self.config.service), &self.config.auto_approve);
        let questions = questions.map_err(ChatError::Failed)?;
        Ok(Arc::new(ConversationSession::new(self.next_session.fetch_add(1, Ordering::Relaxed), questions)))
    }

    /// Runs disk work on a thread where it may block.
    async fn run_blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&ConversationContext) -> Result<T, OpenError> + Send + 'static,
    ) -> Result<T, ChatError> {
        let context = self.context.clone();
        let done = tokio::task::spawn_blocking(move || work(&context)).await;
        done.map_err(|error| ChatError::Failed(error.to_string()))?.map_err(|error| open_error(&error))
    }

    fn server_info(&self) -> ServerInfo {
        let host = self.config.service.describe();
        ServerInfo {
            version: host.version,
            folders: self.config.folders.clone(),
            trusted: host.trusted,
            model: self.config.models.default_id(),
            max_iterations: self.config.budgets.iterations,
        }
    }

    async fn conversations(&self, search: ConversationQuery) -> Result<ConversationList, ChatError> {
        check_length("query", search.query.as_deref(), parameters::MAX_WORDS)?;
        check_length("id", search.id.as_deref(), parameters::MAX_WORDS)?;
        let limit = search.limit.unwrap_or(DEFAULT_LIST).clamp(1, MAX_LIST);
        let sessions: Vec<(String, Arc<ConversationSession>)> =
            self.sessions().iter().map(|(id, session)| (id.clone(), Arc::clone(session))).collect();
        let mut live = BTreeMap::new();
        for (id, session) in sessions {
            if let Some(digest) = session.digest() {
                live.insert(id, digest);
            }
        }
        self.run_blocking(move |context| {
            let found = match &search.id {
                Some(id) => context.find_by_prefix(id, limit)?,
                None => context.dir.search(search.query.as_deref(), limit)?,
            };
            let open = found.conversations.iter().filter(|row| row.digest.open.is_some());
            let locked = context.dir.locked_ids(open.map(|row| row.id.as_str()))?;
            let summary = |row: crate::conversation::store::ConversationRow| match live.get(&row.id) {
                Some(digest) => summary(&row.id, digest, active_state(digest), row.excerpt),
                None => {
                    let state =
                        if locked.contains(&row.id) { ConversationState::Elsewhere } else { ConversationState::Idle };
                    summary(&row.id, &row.digest, state, row.excerpt)
                }
            };
            Ok(ConversationList {
                conversations: found.conversations.into_iter().map(summary).collect(),
                more: found.more,
                problem: found.problem,
            })
        })
        .await
    }

    async fn open_conversation(&self, open: OpenParams) -> Result<OpenResult, ChatError> {
        let OpenParams { conversation: id, after } = open;
        let session = self.get_session(&id)?;
        let mut active = session.conversation();
        let mut free = None;
        if active.is_none() {
            let active_turn = session.lock_active_turn().await;
            active = session.conversation();
            // The session's lock prevents other requests from beginning a turn meanwhile. If a turn is running, release
            // it, so that the turn need not wait until its file has been read.
            free = active.is_none().then_some(active_turn);
        }
        if let Some(conversation) = active {
            let (digest, partial_answer) = conversation.snapshot();
            drop(conversation);
            let conversation_id = id.clone();
            let (_, mut events) = self.run_blocking(move |context| context.load_since(&conversation_id, after)).await?;
            // The client receives later events through its subscription.
            events.retain(|event| event.seq <= digest.seq);
            let summary = summary(&id, &digest, active_state(&digest), None);
            return Ok(OpenResult { summary, last: digest.seq, events, partial_answer });
        }
        let opened = self.run_blocking(move |context| {
            let (mut file_state, mut events) = context.load_since(&id, after)?;
            let mut state = ConversationState::Idle;
            if (file_state.digest.open.is_some() || file_state.is_cut) && file_state.damage.is_none() {
                match crate::conversation::Conversation::open(context, &id) {
                    Ok(repaired) => {
                        drop(repaired);
                        (file_state, events) = context.load_since(&id, after)?;
                    }
                    Err(OpenError::Elsewhere) => state = ConversationState::Elsewhere,
                    Err(error) => return Err(error),
                }
            }
            let digest = file_state.digest;
            let notice = |damage| EventKind::Notice {
                turn: digest.turns,
                text: format!("The file of this conversation is damaged: {damage}. zubi shows the events before the damage; the conversation cannot be continued."),
            };
            let damage = file_state.damage.map(notice);
            let partial_answer = damage.map(|kind| AgentEvent { seq: digest.seq, at: digest.updated, kind });
            let summary = summary(&id, &digest, state, None);
            Ok(OpenResult { summary, last: digest.seq, events, partial_answer: partial_answer.into_iter().collect() })
        });
        let opened = opened.await;
        drop(free);
        opened
    }

    fn answer(&self, answer: AnswerParams, surface: &str) -> Result<(), ChatError> {
        let decision: ApprovalAnswer = serde_json::from_value(answer.answer)
            .map_err(|error| ChatError::Invalid(format!("`answer` is invalid: {error}")))?;
        match &decision {
            // A client without a user answers `unavailable`; the host then refuses the call and names the rule that
            // would allow it.
            ApprovalAnswer::Allow { .. } | ApprovalAnswer::Unavailable => {}
            ApprovalAnswer::Deny { text } => check_length("text", text.as_deref(), parameters::MAX_LINES)?,
            _ => return Err(ChatError::Invalid("`answer` is `allow`, `deny` or `unavailable`".to_owned())),
        }
        let missing = |error: crate::questions::UnknownQuestion| ChatError::NotFound(error.to_string());
        if answer.conversation == INSPECTOR {
            return self.inspector.questions().answer(&answer.question, decision, surface).map_err(missing);
        }
        self.get_session(&answer.conversation)?.questions().answer(&answer.question, decision, surface).map_err(missing)
    }

    async fn tools(&self) -> Result<ToolList, ChatError> {
        let listed = self.config.service.list(&Restrictions::default()).await;
        let specs = listed.map_err(|error| ChatError::Failed(format!("{error}. {}", error.hint())))?;
        Ok(ToolList { tools: specs.iter().map(|spec| spec.to_json()).collect() })
    }

    async fn export(&self, id: String) -> Result<ExportedScenario, ChatError> {
        self.get_session(&id)?;
        let (file_state, events) = self.run_blocking(move |context| context.load_since(&id, 0)).await?;
        let title = file_state.digest.title();
        let scenario = export::scenario(&title, &events);
        let scenario = scenario.to_yaml().map_err(|error| ChatError::Failed(error.to_string()))?;
        Ok(ExportedScenario { name: export::file_name(&title), scenario })
    }
}

/// Returns the state of a conversation that runs in this process.
fn active_state(digest: &ConversationSummary) -> ConversationState {
    match &digest.open {
        None => ConversationState::Idle,
        Some(open) if open.questions.is_empty() => ConversationState::Running,
        Some(_) => ConversationState::Waiting,
    }
}

fn summary(
    id: &str,
    digest: &ConversationSummary,
    state: ConversationState,
    excerpt: Option<String>,
) -> ListedConversation {
    ListedConversation {
        id: id.to_owned(),
        title: digest.title(),
        created: digest.created,
        updated: digest.updated,
        model: digest.model.clone(),
        turns: digest.turns,
        usage: digest.usage,
        state,
        excerpt,
    }
}

/// Explains why a conversation cannot be opened, with the next step.
fn open_error(error: &OpenError) -> ChatError {
    match error {
        OpenError::Missing(_) => ChatError::NotFound(format!("{error}. `zubi agent list` shows which there are.")),
        OpenError::Elsewhere => ChatError::Failed(format!("{error}, and writes in it. Wait until its turn has ended.")),
        OpenError::Directory(..) => ChatError::Failed(error.to_string()),
        OpenError::Newer(_) => ChatError::Failed(format!("{error}; use that one. It is left as it is.")),
        OpenError::Unusable(_) | OpenError::File(_) => ChatError::Failed(format!(
            "the conversation cannot be used: {error}. Begin a new one; this one is left as it is."
        )),
    }
}

#[async_trait]
impl ChatService for ConversationManager {
    async fn request(&self, method: &str, params: Value, surface: &str) -> Result<Value, ChatError> {
        let empty = || json!({});
        let answer = match method {
            "hello" => {
                expect_no_params(&params)?;
                json!(self.server_info())
            }
            "models" => {
                expect_no_params(&params)?;
                json!(self.config.models.list().await)
            }
            "conversations" => json!(self.conversations(parameters(params)?).await?),
            "open" => json!(self.open_conversation(parameters(params)?).await?),
            "send" => json!(self.send(parameters::validate_send(parameters(params)?)?, surface).await?),
            "stop" => {
                self.stop(&parameters::<ConversationRef>(params)?.conversation).await?;
                empty()
            }
            "answer" => {
                self.answer(parameters(params)?, surface)?;
                empty()
            }
            "rename" => {
                let Rename { conversation, title } = parameters(params)?;
                self.rename(conversation, parameters::title(&title)?).await?;
                empty()
            }
            "delete" => {
                self.delete(parameters::<ConversationRef>(params)?.conversation).await?;
                empty()
            }
            "export" => json!(self.export(parameters::<ConversationRef>(params)?.conversation).await?),
            "tools" => {
                expect_no_params(&params)?;
                json!(self.tools().await?)
            }
            "call" => json!(self.inspector.call(&self.config.service, parameters(params)?, surface).await?),
            _ => return Err(ChatError::UnknownMethod(method.to_owned())),
        };
        Ok(answer)
    }

    fn listen(&self) -> broadcast::Receiver<Arc<ConversationEvent>> {
        self.events.subscribe()
    }

    async fn shutdown(&self) {
        self.closing.cancel();
        self.turns.close();
        self.turns.wait().await;
    }
}
