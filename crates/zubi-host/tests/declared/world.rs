//! A workspace with trusted tool files, a host over it, and helpers for calls.

use std::sync::Arc;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use camino::{Utf8Path, Utf8PathBuf};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use zubi_base::clock::SystemClock;
use zubi_base::config::{Layer, Layers, UserLayer, file};
use zubi_base::process::Spawner;
use zubi_base::trust::{Trust, TrustStore};
use zubi_host::{CallAnswer, CallContext, CallRequest, HostConfig, LocalHost, ToolService as _};
use zubi_tool_api::cx::{ApprovalAnswer, ApprovalRequest, Approver, Caller, NoProgress, Restrictions, Surface};

/// The time limit for an event that must happen.
pub(crate) const TEST_TIMEOUT: Duration = Duration::from_mins(1);

pub(crate) struct World {
    _directory: tempfile::TempDir,
    /// The directory with the folders `work` (the workspace), `home`, `state` and `config`.
    pub(crate) root: Utf8PathBuf,
    runtime: tokio::runtime::Runtime,
}

/// A user who approves everything.
struct AllowAll;

#[async_trait]
impl Approver for AllowAll {
    async fn request_approval(&self, _request: ApprovalRequest) -> ApprovalAnswer {
        ApprovalAnswer::allow_once()
    }
}

/// A user who approves after another event.
struct Slow(std::sync::mpsc::Sender<()>, tokio::sync::Mutex<tokio::sync::mpsc::UnboundedReceiver<()>>);

#[async_trait]
impl Approver for Slow {
    async fn request_approval(&self, _request: ApprovalRequest) -> ApprovalAnswer {
        self.0.send(()).unwrap();
        self.1.lock().await.recv().await.unwrap();
        ApprovalAnswer::allow_once()
    }
}

impl World {
    pub(crate) fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let root = zubi_base::fs::canonical(Utf8Path::from_path(directory.path()).unwrap()).unwrap();
        for name in ["work/.vscode", "home", "state", "config"] {
            std::fs::create_dir_all(root.join(name)).unwrap();
        }
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        Self { _directory: directory, root, runtime }
    }

    pub(crate) fn work(&self, name: &str) -> Utf8PathBuf {
        self.root.join("work").join(name)
    }

    pub(crate) fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.work(name)).unwrap_or_default()
    }

    /// The names of all entries in the workspace.
    pub(crate) fn names(&self) -> Vec<String> {
        let mut names: Vec<_> = self
            .root
            .join("work")
            .read_dir_utf8()
            .unwrap()
            .flatten()
            .map(|entry| entry.file_name().to_owned())
            .collect();
        names.sort_unstable();
        names
    }

    /// A host with these tools, whose file is trusted.
    pub(crate) fn host(&self, tools: &[Value]) -> Host<'_> {
        self.host_with(tools, "")
    }

    /// A host with a `zubi.toml` of the user.
    pub(crate) fn host_with(&self, tools: &[Value], settings: &str) -> Host<'_> {
        let tool_file = self.work(".vscode/agent-tools.json");
        let text = json!({ "version": "1.0", "tools": tools }).to_string();
        zubi_base::fs::write_atomic(&tool_file, text.as_bytes()).unwrap();
        let (work, state) = (self.root.join("work"), self.root.join("state"));
        let store = TrustStore::new(&state);
        store.trust(&work, &[tool_file], Duration::ZERO).unwrap();
        let path = self.root.join("config/zubi.toml");
        zubi_base::owner_only::write_atomic(&path, settings.as_bytes()).unwrap();
        let layer: Layer = file::parse(settings, &path).unwrap();
        let layers = Layers { user: Some(UserLayer { path, layer }), ..Layers::default() };
        let executable = Utf8PathBuf::from_path_buf(std::env::current_exe().unwrap()).unwrap();
        let _guard = self.runtime.enter();
        let host = LocalHost::new(&HostConfig {
            folders: vec![work],
            state_dir: state,
            cache_dir: None,
            settings: layers.resolve(),
            trust: Trust::new(store, false),
            spawner: Spawner::with_supervisor(executable),
            user_catalogue: None,
            search_path: Some("/usr/bin:/bin".into()),
            kind: zubi_host::HostKind::InProcess,
            clock: Arc::new(SystemClock),
        });
        Host { world: self, host: host.unwrap() }
    }
}

pub(crate) struct Host<'a> {
    world: &'a World,
    host: LocalHost,
}

impl Host<'_> {
    /// The answer to a call by a user who approves everything.
    pub(crate) fn call(&self, tool: &str, arguments: Value) -> CallAnswer {
        self.call_until(tool, arguments, CancellationToken::new())
    }

    pub(crate) fn call_until(&self, tool: &str, arguments: Value, cancel: CancellationToken) -> CallAnswer {
        self.call_with(tool, arguments, cancel, Arc::new(AllowAll))
    }

    fn call_with(
        &self,
        tool: &str,
        arguments: Value,
        cancel: CancellationToken,
        approver: Arc<dyn Approver>,
    ) -> CallAnswer {
        let caller = Caller { surface: Surface::Mcp, client: None, session: 0, restrictions: Restrictions::default() };
        let request = CallRequest { tool: tool.to_owned(), arguments, caller: Arc::new(caller), token_budget: None };
        let context = CallContext { cancel, progress: Arc::new(NoProgress), approver, timeout: TEST_TIMEOUT };
        let started = Instant::now();
        let answer = self.world.runtime.block_on(self.host.call(&request, &context)).unwrap();
        assert!(started.elapsed() < TEST_TIMEOUT, "{}", answer.text);
        answer
    }

    /// The answer to a call that needs approval, while `action` runs.
    pub(crate) fn call_while(&self, tool: &str, arguments: Value, action: &(dyn Fn() + Sync)) -> CallAnswer {
        let (prompt_sender, prompts) = std::sync::mpsc::channel();
        let (answer, answers) = tokio::sync::mpsc::unbounded_channel();
        std::thread::scope(|scope| {
            scope.spawn(move || {
                while prompts.recv().is_ok() {
                    action();
                    answer.send(()).unwrap();
                }
            });
            let approver = Arc::new(Slow(prompt_sender, tokio::sync::Mutex::new(answers)));
            self.call_with(tool, arguments, CancellationToken::new(), approver)
        })
    }

    /// The text of a call that must succeed, without its status line.
    pub(crate) fn text(&self, tool: &str, arguments: Value) -> String {
        let answer = self.call(tool, arguments);
        assert_eq!(answer.failure, None, "{}", answer.text);
        let output = answer.text.trim_end();
        output.rsplit_once("\n[").map_or(output, |(text, _)| text).to_owned()
    }

    /// The text of a call that must fail with this code.
    pub(crate) fn failure(&self, tool: &str, arguments: Value, code: &str) -> String {
        let answer = self.call(tool, arguments);
        assert_eq!(answer.failure.map(zubi_tool_api::ErrorCode::as_str), Some(code), "{}", answer.text);
        answer.text
    }

    /// The footprint of a call, as the policy receives it.
    pub(crate) fn footprint(&self, tool: &str, arguments: Value) -> zubi_tool_api::Footprint {
        let caller = Caller { surface: Surface::Mcp, client: None, session: 0, restrictions: Restrictions::default() };
        let request = CallRequest { tool: tool.to_owned(), arguments, caller: Arc::new(caller), token_budget: None };
        let context = CallContext {
            cancel: CancellationToken::new(),
            progress: Arc::new(NoProgress),
            approver: Arc::new(AllowAll),
            timeout: TEST_TIMEOUT,
        };
        self.world.runtime.block_on(self.host.explain(&request, &context)).unwrap().footprint
    }
}

/// A tool with one argument `value` of any length and one argument `values`, a list.
pub(crate) fn tool(id: &str, execution: Value) -> Value {
    json!({
        "id": id,
        "name": "T",
        "description": "A tool for tests of declared tools.",
        "requiresApproval": false,
        "timeout": 30_000,
        "parameters": {
            "type": "object",
            "properties": {
                "value": { "type": "string", "description": "any text", "maxLength": 10_000_000 },
                "values": {
                    "type": "array", "items": { "type": "string", "maxLength": 10_000_000 }, "description": "any texts",
                },
            },
        },
        "execution": execution,
    })
}

/// Adds fields to a tool.
pub(crate) fn with_fields(mut tool: Value, more: Value) -> Value {
    for (name, value) in more.as_object().unwrap() {
        tool[name] = value.clone();
    }
    tool
}

/// A shell tool.
pub(crate) fn script(id: &str, text: &str) -> Value {
    tool(id, json!({ "type": "shell", "script": text }))
}
