//! A conversation manager with a real host over a temporary folder, and a model with scripted answers.

use std::collections::VecDeque;
use std::fmt::Write as _;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use camino::Utf8PathBuf;
use serde_json::{Value, json};
use tokio::sync::broadcast;
use zubi_base::clock::SystemClock;
use zubi_base::config::{Layer, Layers, PolicyRule, UserLayer};
use zubi_base::trust::{Trust, TrustStore};
use zubi_host::{HostConfig, HostKind, LocalHost, ToolService};
use zubi_tool_api::redact::Redactor;

use super::{ConversationManager, ConversationManagerConfig};
use crate::chat::{ChatError, ChatService as _};
use crate::event::{AgentEvent, EventKind, TurnEnded};
use crate::run::Budgets;
use crate::testing::confining_spawner;
use crate::wire::{ConversationEvent, OpenResult};
use zubi_models::message::{AssistantMessage, PromptMessage, TokenUsage, ToolCall};
use zubi_models::registry::ModelRegistry;
use zubi_models::{
    AnswerDelta, ErrorKind, FinishReason, LanguageModel, ModelAnswer, ModelError, ModelInfo, ModelSource, OnDelta,
    Prompt,
};

/// How long a test waits for an event.
const EVENT_TIMEOUT: Duration = Duration::from_secs(30);

/// One answer of the model.
#[derive(Debug, Clone)]
pub(crate) enum ScriptedStep {
    Text(&'static str),
    /// Calls, each a tool and its arguments.
    Calls(Vec<(&'static str, Value)>),
    /// Sends this text, and then waits forever.
    Hang(&'static str),
    Panic,
}

/// A model with scripted answers, and the requests that it received.
pub(crate) struct ScriptedModel {
    info: ModelInfo,
    steps: Mutex<VecDeque<ScriptedStep>>,
    pub(crate) received: Mutex<Vec<Vec<PromptMessage>>>,
}

impl ScriptedModel {
    fn new() -> Arc<Self> {
        let info = ModelInfo {
            id: "script/one".to_owned(),
            name: "Script".to_owned(),
            provider: "script".to_owned(),
            context: None,
        };
        Arc::new(Self { info, steps: Mutex::default(), received: Mutex::default() })
    }

    pub(crate) fn push_steps(&self, steps: impl IntoIterator<Item = ScriptedStep>) {
        self.steps.lock().unwrap().extend(steps);
    }
}

#[async_trait]
impl LanguageModel for ScriptedModel {
    fn info(&self) -> &ModelInfo {
        &self.info
    }

    async fn answer(&self, prompt: Prompt<'_>, on_delta: OnDelta<'_>) -> Result<ModelAnswer, ModelError> {
        let number = {
            let mut received = self.received.lock().unwrap();
            received.push(prompt.messages.to_vec());
            received.len()
        };
        let step = self.steps.lock().unwrap().pop_front();
        let message = match step {
            None => return Err(ModelError::new(ErrorKind::Refused, "the script has no more steps")),
            Some(ScriptedStep::Panic) => panic!("requested by the test"),
            Some(ScriptedStep::Hang(text)) => {
                on_delta(AnswerDelta::Text(text.to_owned()));
                return std::future::pending().await;
            }
            Some(ScriptedStep::Text(text)) => {
                on_delta(AnswerDelta::Text(text.to_owned()));
                AssistantMessage { text: text.to_owned(), ..AssistantMessage::default() }
            }
            Some(ScriptedStep::Calls(calls)) => {
                let call = |(at, (tool, arguments)): (usize, (&str, Value))| ToolCall {
                    id: format!("{number}.{at}"),
                    tool: tool.to_owned(),
                    arguments,
                };
                AssistantMessage {
                    calls: calls.into_iter().enumerate().map(call).collect(),
                    ..AssistantMessage::default()
                }
            }
        };
        Ok(ModelAnswer { message, usage: TokenUsage { input: 10, output: 2, cached: 0 }, stop: FinishReason::Finished })
    }
}

struct ScriptedModelSource(Arc<ScriptedModel>);

#[async_trait]
impl ModelSource for ScriptedModelSource {
    fn provider(&self) -> &'static str {
        "script"
    }

    async fn models(&self) -> Result<Vec<ModelInfo>, ModelError> {
        Ok(vec![self.0.info.clone()])
    }

    async fn open(&self, name: &str) -> Result<Arc<dyn LanguageModel>, ModelError> {
        if name == "silent" {
            return std::future::pending().await;
        }
        if name == "one" {
            Ok(Arc::clone(&self.0) as Arc<dyn LanguageModel>)
        } else {
            Err(ModelError::new(ErrorKind::NotConfigured, "no such model"))
        }
    }
}

/// A folder with a file, a host for it, and the parts of a conversation manager.
pub(crate) struct Fixture {
    _guard: tempfile::TempDir,
    pub(crate) work: Utf8PathBuf,
    pub(crate) state: Utf8PathBuf,
    pub(crate) service: Arc<dyn ToolService>,
    pub(crate) script: Arc<ScriptedModel>,
}

pub(crate) fn fixture() -> Fixture {
    let guard = tempfile::tempdir().unwrap();
    let root = zubi_base::fs::canonical(&Utf8PathBuf::from_path_buf(guard.path().to_owned()).unwrap()).unwrap();
    let (work, state) = (root.join("work"), root.join("state"));
    std::fs::create_dir(&work).unwrap();
    zubi_base::fs::write_atomic(&work.join("catalogue.md"), b"tea\n").unwrap();
    let service = host(&work, &state);
    Fixture { _guard: guard, work, state, service, script: ScriptedModel::new() }
}

/// Returns a host that requires approval before it writes a file.
fn host(work: &Utf8PathBuf, state: &Utf8PathBuf) -> Arc<dyn ToolService> {
    let ask_rule = PolicyRule { line: 1, rule: json!({ "action": "ask", "tools": ["file.write"] }) };
    let layer = Layer { policy: vec![ask_rule], ..Layer::default() };
    let layers = Layers { user: Some(UserLayer { path: "zubi.toml".into(), layer }), ..Layers::default() };
    let config = HostConfig {
        folders: vec![work.clone()],
        state_dir: state.clone(),
        cache_dir: None,
        settings: layers.resolve(),
        trust: Trust::new(TrustStore::new(state), false),
        spawner: confining_spawner(),
        user_catalogue: None,
        search_path: None,
        kind: HostKind::InProcess,
        clock: Arc::new(SystemClock),
    };
    Arc::new(LocalHost::new(&config).unwrap())
}

impl Fixture {
    pub(crate) fn open_manager(&self) -> TestClient {
        self.open_manager_with(|_| {})
    }

    pub(crate) fn open_manager_with(&self, change: impl FnOnce(&mut ConversationManagerConfig)) -> TestClient {
        let source: Arc<dyn ModelSource> = Arc::new(ScriptedModelSource(Arc::clone(&self.script)));
        let mut config = ConversationManagerConfig {
            service: Arc::clone(&self.service),
            models: Arc::new(ModelRegistry::new(vec![source], Some("script/one".to_owned()))),
            state: self.state.clone(),
            folders: vec![self.work.clone()],
            budgets: Budgets::default(),
            auto_approve: Vec::new(),
            redactor: Redactor::default(),
            clock: Arc::new(SystemClock),
        };
        change(&mut config);
        let manager = ConversationManager::open(config).unwrap();
        TestClient { events: manager.listen(), manager }
    }
}

/// A conversation manager, and a subscription to its events.
pub(crate) struct TestClient {
    pub(crate) manager: Arc<ConversationManager>,
    events: broadcast::Receiver<Arc<ConversationEvent>>,
}

impl TestClient {
    /// Sends a request that must succeed.
    pub(crate) async fn request(&self, method: &str, params: Value) -> Value {
        self.manager.request(method, params, "test").await.unwrap_or_else(|error| panic!("{method}: {error}"))
    }

    /// Sends a request that must be refused.
    pub(crate) async fn refusal(&self, method: &str, params: Value) -> ChatError {
        let answer = self.manager.request(method, params, "test").await;
        answer.expect_err("this should have been refused")
    }

    /// Sends a message in a new conversation, and returns its id.
    pub(crate) async fn begin(&self, text: &str) -> String {
        self.request("send", json!({ "text": text })).await["conversation"].as_str().unwrap().to_owned()
    }

    /// Waits for the next event that matches.
    pub(crate) async fn wait(&mut self, matches: impl Fn(&EventKind) -> bool) -> ConversationEvent {
        let search = async {
            loop {
                let received = self.events.recv().await.expect("the manager is open, and the test is not too slow");
                if matches(&received.event.kind) {
                    return ConversationEvent::clone(&received);
                }
            }
        };
        tokio::time::timeout(EVENT_TIMEOUT, search).await.expect("the expected event did not arrive")
    }

    /// Waits for the end of the next turn that ends.
    pub(crate) async fn end(&mut self) -> TurnEnded {
        match self.wait(|kind| matches!(kind, EventKind::Ended(_))).await.event.kind {
            EventKind::Ended(ended) => ended,
            other => panic!("{other:?}"),
        }
    }

    /// Waits for the next approval prompt, and returns its id.
    pub(crate) async fn question(&mut self) -> String {
        match self.wait(|kind| matches!(kind, EventKind::Question { .. })).await.event.kind {
            EventKind::Question { question, .. } => question,
            other => panic!("{other:?}"),
        }
    }

    pub(crate) async fn open(&self, conversation: &str) -> OpenResult {
        serde_json::from_value(self.request("open", json!({ "conversation": conversation })).await).unwrap()
    }
}

/// Renders the events, one per line, without values that differ between runs.
pub(crate) fn render_events(events: &[AgentEvent]) -> String {
    let mut text = String::new();
    for event in events {
        let line = match &event.kind {
            EventKind::Began { .. } => "began".to_owned(),
            EventKind::Titled { title } => format!("titled {title}"),
            EventKind::UserMessage { turn, text } => format!("asked {turn}: {text}"),
            EventKind::Iteration { model, .. } => format!("iteration of {model}"),
            EventKind::Answered { message, .. } => {
                format!("answered: {} ({} calls)", message.text, message.calls.len())
            }
            EventKind::Calling { summary, .. } => format!("calling {summary}"),
            EventKind::Question { .. } => "question".to_owned(),
            EventKind::Decision { answer, surface: by, .. } => format!("decision by {by}: {answer}"),
            EventKind::Result { failure, .. } => format!("result {failure:?}"),
            EventKind::Ended(ended) => format!("ended {:?}: {} {:?}", ended.reason, ended.text, ended.problem),
            other => format!("{other:?}"),
        };
        writeln!(text, "{} {line}", event.seq).unwrap();
    }
    text
}
