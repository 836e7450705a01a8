//! A workspace with a host, a scripted model, and a journal in memory whose events can be rendered.

use std::collections::VecDeque;
use std::fmt::Write as _;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use camino::{Utf8Path, Utf8PathBuf};
use serde_json::{Value, json};
use tokio::sync::{mpsc, watch};
use tokio_util::sync::CancellationToken;
use zubi_base::clock::FixedClock;
use zubi_base::config::{Layers, UserLayer, file};
use zubi_base::trust::{Trust, TrustStore};
use zubi_host::{HostConfig, HostKind, LocalHost, ToolService};
use zubi_tool_api::ToolProvider;
use zubi_tool_api::cx::{Caller, Restrictions, Surface};

use crate::event::{AgentEvent, EventKind, TurnEnded};
use crate::history::History;
use crate::journal::{Journal, PersistError};
use crate::questions::{Questions, auto_approve_rule};
use crate::run::{Budgets, Turn};
use crate::testing::confining_spawner;
use zubi_models::message::{AssistantMessage, PromptMessage, TokenUsage, ToolCall};
use zubi_models::{
    AnswerDelta, ErrorKind, FinishReason, LanguageModel, ModelAnswer, ModelError, ModelInfo, OnDelta, Prompt,
};

/// A Monday.
const NOW: Duration = Duration::from_hours(498_720);

/// How long a test waits for an event.
const DEADLINE: Duration = Duration::from_secs(20);

pub(crate) async fn with_deadline<T>(description: &str, future: impl Future<Output = T>) -> T {
    tokio::time::timeout(DEADLINE, future).await.unwrap_or_else(|_| panic!("{description} did not happen"))
}

/// The model's reply to a request.
#[derive(Clone)]
pub(crate) enum Reply {
    Answer(ModelAnswer),
    Fail(ModelError),
    /// Sends this text, and then waits forever.
    Hang(&'static str),
}

impl Reply {
    pub(crate) fn stop(self, stop: FinishReason) -> Self {
        match self {
            Self::Answer(answer) => Self::Answer(ModelAnswer { stop, ..answer }),
            other => other,
        }
    }

    pub(crate) fn usage(self, input: u64, output: u64) -> Self {
        match self {
            Self::Answer(answer) => {
                Self::Answer(ModelAnswer { usage: TokenUsage { input, output, cached: 0 }, ..answer })
            }
            other => other,
        }
    }
}

pub(crate) fn text_reply(text: &str) -> Reply {
    calls(text, &[])
}

pub(crate) fn call(id: &str, tool: &str, arguments: Value) -> ToolCall {
    ToolCall { id: id.to_owned(), tool: tool.to_owned(), arguments }
}

pub(crate) fn calls(text: &str, calls: &[ToolCall]) -> Reply {
    let message = AssistantMessage { text: text.to_owned(), calls: calls.to_vec(), ..AssistantMessage::default() };
    Reply::Answer(ModelAnswer { message, ..ModelAnswer::default() })
}

pub(crate) fn fail(kind: ErrorKind, message: &str, retry_after: Option<Duration>) -> Reply {
    Reply::Fail(ModelError { retry_after, ..ModelError::new(kind, message) })
}

/// A request that a model received.
#[derive(Debug, Clone)]
pub(crate) struct ReceivedPrompt {
    pub(crate) system: String,
    pub(crate) messages: Vec<PromptMessage>,
    pub(crate) tools: Vec<String>,
}

type BeforeHook = Box<dyn Fn(usize) + Send>;

/// A model with scripted replies.
pub(crate) struct Script {
    info: ModelInfo,
    replies: Mutex<VecDeque<Reply>>,
    pub(crate) received: Mutex<Vec<ReceivedPrompt>>,
    /// Called with the number of the request, before the model answers it.
    before_answer: Mutex<Option<BeforeHook>>,
}

impl Script {
    fn new(replies: Vec<Reply>, context: Option<u64>) -> Arc<Self> {
        let info =
            ModelInfo { id: "play/list".to_owned(), name: "List".to_owned(), provider: "play".to_owned(), context };
        Arc::new(Self {
            info,
            replies: Mutex::new(replies.into()),
            received: Mutex::default(),
            before_answer: Mutex::default(),
        })
    }
}

#[async_trait]
impl LanguageModel for Script {
    fn info(&self) -> &ModelInfo {
        &self.info
    }

    async fn answer(&self, prompt: Prompt<'_>, on_delta: OnDelta<'_>) -> Result<ModelAnswer, ModelError> {
        let seen = ReceivedPrompt {
            system: prompt.system.to_owned(),
            messages: prompt.messages.to_vec(),
            tools: prompt.tools.iter().map(|tool| tool.name.clone()).collect(),
        };
        let count = {
            let mut all = self.received.lock().unwrap();
            all.push(seen);
            all.len()
        };
        if let Some(before) = self.before_answer.lock().unwrap().as_ref() {
            before(count);
        }
        let reply = self.replies.lock().unwrap().pop_front().expect("the script has a reply for each request");
        match reply {
            Reply::Answer(answer) => {
                for word in answer.message.text.split_inclusive(' ') {
                    on_delta(AnswerDelta::Text(word.to_owned()));
                }
                Ok(answer)
            }
            Reply::Fail(error) => Err(error),
            Reply::Hang(text) => {
                on_delta(AnswerDelta::Text(text.to_owned()));
                std::future::pending().await
            }
        }
    }
}

/// A secret that no conversation may contain.
pub(crate) const SECRET: &str = "hunter2hunter2";

/// A conversation in memory. It redacts only the texts that it is called with, so that a test finds code that redacts
/// too late.
#[derive(Default)]
pub(crate) struct Memory {
    state: Mutex<(Vec<AgentEvent>, History)>,
    partial: Mutex<Vec<EventKind>>,
    ids: Mutex<u64>,
    /// The number of events.
    pub(crate) count: watch::Sender<usize>,
    /// The seq from which saving fails.
    pub(crate) full_at: Mutex<Option<u64>>,
}

impl Journal for Memory {
    fn add(&self, kind: EventKind) -> Result<(), PersistError> {
        if kind.is_persisted() {
            let mut state = self.state.lock().unwrap();
            let seq = u64::try_from(state.0.len()).unwrap() + 1;
            if self.full_at.lock().unwrap().is_some_and(|full| seq >= full) {
                return Err(PersistError(
                    "no space is left on the device. Free some disk space, then try again".to_owned(),
                ));
            }
            let event = AgentEvent { seq, at: 0, kind };
            state.1.apply(&event);
            state.0.push(event);
        } else {
            self.partial.lock().unwrap().push(kind);
        }
        self.count.send_modify(|count| *count += 1);
        Ok(())
    }

    fn clean(&self, text: &str, _is_interrupted: bool) -> String {
        text.replace(SECRET, "[secret]")
    }

    fn messages(&self) -> Vec<PromptMessage> {
        self.state.lock().unwrap().1.messages()
    }

    fn last(&self) -> u64 {
        u64::try_from(self.state.lock().unwrap().0.len()).unwrap()
    }

    fn messages_with_seq(&self) -> Vec<(u64, PromptMessage)> {
        self.state.lock().unwrap().1.messages_with_seq().to_vec()
    }

    fn new_id(&self) -> String {
        let mut ids = self.ids.lock().unwrap();
        *ids += 1;
        format!("id-{ids}")
    }
}

impl Memory {
    pub(crate) fn events(&self) -> Vec<EventKind> {
        self.state.lock().unwrap().0.iter().map(|event| event.kind.clone()).collect()
    }

    pub(crate) fn partial_events(&self) -> Vec<EventKind> {
        self.partial.lock().unwrap().clone()
    }

    /// Waits until `find` returns a value for an event.
    pub(crate) async fn wait<T>(&self, description: &str, find: impl Fn(&EventKind) -> Option<T>) -> T {
        let mut count = self.count.subscribe();
        with_deadline(description, async {
            loop {
                let found = self.events().iter().chain(&self.partial_events()).find_map(&find);
                if let Some(found) = found {
                    return found;
                }
                count.changed().await.unwrap();
            }
        })
        .await
    }
}

pub(crate) struct World {
    _directory: tempfile::TempDir,
    pub(crate) root: Utf8PathBuf,
    pub(crate) service: Arc<dyn ToolService>,
    pub(crate) model: Arc<Script>,
    pub(crate) journal: Arc<Memory>,
    pub(crate) budgets: Budgets,
    pub(crate) schema: Option<Value>,
    pub(crate) questions: Questions,
    pub(crate) stop: CancellationToken,
    pub(crate) restrictions: Restrictions,
    turns: u64,
}

fn config(root: &Utf8Path, trusted: bool) -> HostConfig {
    HostConfig {
        folders: vec![root.join("work")],
        state_dir: root.join("state"),
        cache_dir: None,
        settings: Layers::default().resolve(),
        trust: Trust::new(TrustStore::new(root), trusted),
        spawner: confining_spawner(),
        user_catalogue: None,
        search_path: Some("/usr/bin:/bin".into()),
        kind: HostKind::InProcess,
        clock: Arc::new(FixedClock(NOW)),
    }
}

impl World {
    /// The real host over these files.
    pub(crate) fn new(files: &[(&str, &str)], replies: Vec<Reply>) -> Self {
        Self::with_files(files, replies, None, |config| LocalHost::new(config).unwrap())
    }

    /// Creates a world whose user has these settings.
    pub(crate) fn with_settings(zubi_toml: &str) -> Self {
        let path = Utf8PathBuf::from("/zubi.toml");
        let layer = file::parse(zubi_toml, &path).unwrap();
        let settings = Layers { user: Some(UserLayer { path, layer }), ..Layers::default() }.resolve();
        Self::with_files(&[], Vec::new(), None, |config| {
            LocalHost::new(&HostConfig { settings, ..config.clone() }).unwrap()
        })
    }

    /// Creates a world with only these tools.
    pub(crate) fn with_tools(provider: Arc<dyn ToolProvider>, replies: Vec<Reply>) -> Self {
        let host = |config: &HostConfig| LocalHost::with_providers(config, vec![provider], Vec::new()).unwrap();
        Self::with_files(&[], replies, None, host)
    }

    pub(crate) fn with_context(files: &[(&str, &str)], replies: Vec<Reply>, context: u64) -> Self {
        Self::with_files(files, replies, Some(context), |config| LocalHost::new(config).unwrap())
    }

    fn with_files(
        files: &[(&str, &str)],
        replies: Vec<Reply>,
        context: Option<u64>,
        host: impl FnOnce(&HostConfig) -> LocalHost,
    ) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let root = zubi_base::fs::canonical(Utf8Path::from_path(directory.path()).unwrap()).unwrap();
        for folder in ["work", "state"] {
            std::fs::create_dir_all(root.join(folder)).unwrap();
        }
        for (name, text) in files {
            zubi_base::fs::write_atomic(&root.join("work").join(name), text.as_bytes()).unwrap();
        }
        let service: Arc<dyn ToolService> = Arc::new(host(&config(&root, true)));
        Self {
            _directory: directory,
            questions: Questions::new(Arc::clone(&service), &[]).unwrap(),
            root,
            service,
            model: Script::new(replies, context),
            journal: Arc::default(),
            budgets: Budgets::default(),
            schema: None,
            stop: CancellationToken::new(),
            restrictions: Restrictions::default(),
            turns: 0,
        }
    }

    pub(crate) fn auto_approve(&mut self, rules: &[&str]) {
        let rules: Vec<_> = rules.iter().map(|rule| auto_approve_rule(rule).unwrap()).collect();
        self.questions = Questions::new(Arc::clone(&self.service), &rules).unwrap();
    }

    /// Sets the model's replies from now on.
    pub(crate) fn play(&self, replies: Vec<Reply>) {
        self.model.replies.lock().unwrap().extend(replies);
    }

    pub(crate) fn set_before(&self, before: impl Fn(usize) + Send + 'static) {
        *self.model.before_answer.lock().unwrap() = Some(Box::new(before));
    }

    pub(crate) fn file(&self, name: &str) -> String {
        zubi_base::fs::read_text(&self.root.join("work").join(name)).unwrap()
    }

    /// Returns the turn, and the sender for messages to it.
    pub(crate) fn turn(
        &mut self,
        text: &str,
    ) -> (impl Future<Output = TurnEnded> + Send + 'static, mpsc::UnboundedSender<String>) {
        let (sender, inbox) = mpsc::unbounded_channel();
        self.turns += 1;
        let turn = Turn {
            service: Arc::clone(&self.service),
            model: Arc::clone(&self.model) as Arc<dyn LanguageModel>,
            budgets: self.budgets.clone(),
            caller: Arc::new(Caller {
                surface: Surface::Agent,
                client: None,
                session: 1,
                restrictions: self.restrictions.clone(),
            }),
            instructions: None,
            schema: self.schema.clone(),
            approvers: Arc::new(self.questions.clone()),
            clock: Arc::new(FixedClock(NOW)),
            stop: self.stop.clone(),
            inbox,
        };
        (turn.run(self.turns, text.to_owned(), Arc::clone(&self.journal) as Arc<dyn Journal>), sender)
    }

    /// Runs a turn. Returns the events of the conversation as text.
    pub(crate) async fn run(&mut self, text: &str) -> String {
        let (turn, _sender) = self.turn(text);
        with_deadline("the end of the turn", turn).await;
        self.render_events()
    }

    /// Returns the events so far as text.
    pub(crate) fn render_events(&self) -> String {
        let text: String = self.journal.events().iter().map(render_event).collect();
        text.replace(self.root.as_str(), "ROOT")
    }
}

/// Renders an event without values that differ between runs.
fn render_event(event: &EventKind) -> String {
    let mut text = String::new();
    let one_line = |text: &str| text.trim_end().replace('\n', " / ");
    match event {
        EventKind::UserMessage { text: message, .. } => writeln!(text, "> {}", one_line(message)),
        EventKind::Iteration { iteration, .. } => writeln!(text, "#{iteration}"),
        EventKind::Answered { message, interrupted, .. } => {
            let calls: Vec<String> =
                message.calls.iter().map(|call| format!(" {}={}{}", call.id, call.tool, call.arguments)).collect();
            let cut = if *interrupted { " (interrupted)" } else { "" };
            writeln!(text, "< {}{}{cut}", one_line(&message.text), calls.concat())
        }
        EventKind::Retrying { kind, attempt, wait, .. } => {
            writeln!(text, "  {kind:?}: try {attempt} failed, next in {wait} ms")
        }
        EventKind::Calling { call, summary, effect, preview, .. } => {
            let effect = effect.map(|effect| format!(" [{effect:?}]")).unwrap_or_default();
            let preview = preview.as_deref().map(|preview| format!("\n    {}", one_line(preview))).unwrap_or_default();
            writeln!(text, "  {call} {summary}{effect}{preview}")
        }
        EventKind::Question { call, question, request, .. } => {
            writeln!(text, "  {call} ? {question}: {}", request["why"].as_str().unwrap_or_default())
        }
        EventKind::Decision { question, answer, surface: by } => writeln!(text, "  {question} = {answer} by {by}"),
        EventKind::Result { call, text: result, failure, .. } => {
            let failure = failure.map(|code| format!(" ({code})")).unwrap_or_default();
            writeln!(text, "  {call} = {}{failure}", one_line(&normalize_text(result)))
        }
        EventKind::Compacted { before, summary, pruned, tokens_before, tokens_after, .. } => {
            writeln!(
                text,
                "  compacted before {before}: {} {pruned:?}, {tokens_before} to {tokens_after}",
                one_line(summary)
            )
        }
        EventKind::Notice { text: notice, .. } => writeln!(text, "  ! {notice}"),
        EventKind::Ended(ended) => {
            let TurnEnded { reason, text: report, data, problem, iterations, calls, .. } = ended;
            let data = data.as_ref().map(|data| format!(" data {data}")).unwrap_or_default();
            let problem = problem.as_ref().map(|problem| format!("\n  problem: {problem}")).unwrap_or_default();
            writeln!(text, "= {reason:?} after {iterations}/{calls}: {}{data}{problem}", one_line(report))
        }
        other => writeln!(text, "{}", json!(other)),
    }
    .unwrap();
    text
}

/// Replaces hashes and plan ids, and shortens the text.
fn normalize_text(text: &str) -> String {
    let mut text = text.to_owned();
    let handle = "\"p-";
    if let Some((before, after)) = text.split_once(handle).map(|(before, after)| (before.to_owned(), after.to_owned()))
    {
        text = format!("{before}{handle}PLAN{}", after.chars().skip(10).collect::<String>());
    }
    let words = text.split(' ').map(|word| {
        let hex = word.trim_matches(|c: char| !c.is_ascii_alphanumeric());
        let is_hash =
            hex.len() >= 8 && hex.chars().all(|c| c.is_ascii_hexdigit()) && hex.contains(|c: char| c.is_ascii_digit());
        if is_hash { word.replace(hex, "HASH") } else { word.to_owned() }
    });
    let text = words.collect::<Vec<_>>().join(" ");
    let count = text.chars().count();
    if count <= 240 { text } else { format!("{}…", text.chars().take(240).collect::<String>()) }
}
