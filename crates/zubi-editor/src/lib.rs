//! The editor channel: extends the LSP connection of `zubi lsp`, the language server for DomainLang. An editor that
//! requests the channel in `initialize` can call zubi's tools, and answers their queries about the code that is open in
//! it.
//!
//! A client requests it with `initializationOptions`:
//!
//! ```json
//! { "zubi": { "editorProtocol": 1, "editorMethods": ["textDocument/definition"], "headlessFallback": false } }
//! ```
//!
//! Without `editorProtocol`, the server is a plain language server. If the client sends a version, the server returns
//! its own, and that of the program, as `capabilities.experimental.zubi` in the result: `{"editorProtocol": 1,
//! "version": "0.1.0"}`. If the versions differ, the server is a plain one, too, and the client reports which of the
//! two is outdated. `editorMethods` are the requests that the editor answers in LSP's own format (by default only
//! definitions); `headlessFallback` lets zubi start its own language servers for all other requests, which it otherwise
//! never does with an editor; `ipcPort` is the port of the IPC protocol.
//!
//! | message | direction | |
//! |---|---|---|
//!
//! | `zubi/tools/list` | to zubi | `{tools: […]}`, each as `zubi tools show --json` prints it |
//! | `zubi/tools/prepare` | to zubi | `{id, args}` → `{message, confirmation?: {title, message}}`: the message to show while the tool runs, and the confirmation to show before; runs nothing |
//! | `zubi/tools/call` | to zubi | `{id, args, token?, budget?, confirmed?}` → `{text, isError, code?, data?}`; `token` is for `$/progress`, `confirmed` means that the user has approved the confirmation of `prepare` |
//! | `zubi/tools/register`, `/unregister` | to zubi | `{tools, functions}` that extensions contribute → those that were accepted |
//! | `zubi/tools/didChange` | to the editor | `{added, removed}`: the list of tools has changed; a notification |
//! | `zubi/editor/invokeContributed` | to the editor | `{tool?, function?, arguments, token}` → `{success, data?, error?}` |
//! | `zubi/approval/request` | to the editor | `{title, detail, options}` → `{choice}`: the option that the user has chosen, or null |
//! | `zubi/editor/didChange` | to zubi | open documents of the editor, see below; a notification |
//! | `zubi/editor/request` | to the editor | `{method, params}` → the result of that LSP request |
//! | `zubi/status` | to the editor | `{instance?, file?, port?, problem?, clients, tools, revision, hasModels}` whenever any of it has changed; a notification |
//! | `zubi/editor/flush` | to the editor | sends pending changes of `zubi/editor/didChange`, then answers null |
//! | `zubi/editor/applyEdit` | to the editor | `{edit, texts, save, settings, isFollowed}` → `{applied, changed}`; without this method, zubi writes nothing |
//! | `zubi/editor/config` | to the editor | `{key, scope?, value?}` → the value of the setting at each scope |
//! | `zubi/agent/request` | to zubi | `{method, params}`: a request of a chat page, as defined in `zubi_agent::wire` |
//! | `zubi/agent/told` | to the editor | `{isFresh, told, waits?}`, from the first request on: conversation events; answered once they are processed |
//! | `zubi/agent/run` | to zubi | `{task, model?, instructions?, maxIterations?, tools?}` → `{conversation, reason, text, problem?}`: runs a task to its end |
//! | `zubi/model/list` | to the editor | `{models}` that extensions offer |
//! | `zubi/model/request` | to the editor | `{id, vendor, messages, tools, maxOutput?, token}` → `{text, thought, calls, error?}`, after its deltas |
//! | `zubi/model/piece` | to zubi | `{token, text?, thought?}`: a delta of the answer; a notification |
//! | `zubi/editor/command` | to the editor | `{command, args}` → the return value of the command; only commands of `executeCommand` |
//!
//! # Open documents
//!
//! The editor sends `zubi/editor/didChange {active, open, diagnosticsUris}` once at the start and whenever any of it
//! has changed. `open` is a list of `{uri, languageId, isDirty, lineCount, version?, text?}` (`text` is the unsaved
//! text, once per version), `active` is one of them with `selection: {line, column}` (both 1-based) or null,
//! `diagnosticsUris` are the documents whose diagnostics have changed since the last notification.
//!
//! # Differences from LSP
//!
//! An editor returns the concatenated results of its providers: a list of hovers; locations and location links in one
//! list, with duplicates; references include declarations whatever the context says; only one kind is respected in a
//! code action request. A code action whose edit only the editor can apply has `edit: {refused}` with the reason. A
//! truncated list ends with `{leftOut}`, the number of missing items; an object has that field itself. A declined
//! request fails with only the reason.
//!
//! # Diagnostics
//!
//! An editor that lists these among its `editorMethods` provides the diagnostics of its servers:
//!
//!
//! - `textDocument/diagnostic {textDocument: {uri}}` → `{kind: "full", items, isOpen?, isCurrent?, languageId?}`: those
//!   it shows, without opening the document; `isCurrent` is whether a server has reported on the current text;
//! - `workspace/diagnostic {previousResultIds: []}` → `{items: [{uri, kind: "full", items}]}`: all that it shows;
//! - `zubi/validate {textDocument: {uri}}` → as the first, after it has opened the document in the background and a
//!   server has reported on it, or the editor's time-out has expired.
//!
//! # The host
//!
//! The host is created right after `initialize`, and again when the editor opens other folders, because other clients
//! may connect to it before the editor sends a request.
//!
//! # Threads
//!
//! Tools run on a tokio runtime that the caller provides. The main loop of the language server only forwards messages:
//! neither it nor the tools wait for each other.

mod agent;
mod approvals;
mod contributions;
mod editor;
mod models;
mod progress;
mod pushed_state;
mod settings;
mod sink;
mod status;
mod texts;
mod tools;
mod view;
pub mod wire;

use std::sync::{Arc, OnceLock};

use dlang_server::{Initialize, MethodTable};
use serde_json::{Value, json};
use tokio::runtime::Handle;
use zubi_agent::chat::ChatService;
use zubi_base::text::TextSource;
use zubi_host::{DomainModel, EditorIntegration, EditorOptions, ToolService, model_texts};
use zubi_ipc::listener::DEFAULT_PORT;

pub use crate::agent::{AgentSettings, ChatFactory, ChatSpec};
use crate::editor::{Editor, EditorSource};
use crate::pushed_state::PushedState;
use crate::settings::EditorConfiguration;
use crate::sink::ChannelSink;
pub use crate::status::PublicationReporter;
use crate::status::Reporter;
use crate::texts::EditorText;
use crate::tools::{ConnectionTools, ReportingFactory};
use crate::view::EditorView;
use crate::wire::{EDITOR_APPLY, EDITOR_CONFIG, EDITOR_PROTOCOL, ServerOptions};

/// Version of the program.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Methods of an editor that does not list any.
const DEFAULT_METHODS: [&str; 1] = ["textDocument/definition"];

/// Creates the host right after `initialize`, and another one when the editor has changed its folders, on a thread that
/// may block. It reports how other clients can find the host. The error is returned to the requester.
pub type HostFactory =
    dyn Fn(EditorIntegration, PublicationReporter) -> Result<Arc<dyn ToolService>, String> + Send + Sync;

/// The editor channel of one connection.
pub struct EditorChannel {
    runtime: Handle,
    factory: Arc<HostFactory>,
    chat_factory: Option<Arc<ChatFactory>>,
    tools: Arc<OnceLock<Arc<ConnectionTools>>>,
}

impl EditorChannel {
    /// Creates a channel whose tools run on this runtime.
    pub fn new(
        runtime: Handle,
        factory: impl Fn(EditorIntegration, PublicationReporter) -> Result<Arc<dyn ToolService>, String>
        + Send
        + Sync
        + 'static,
    ) -> Self {
        Self { runtime, factory: Arc::new(factory), chat_factory: None, tools: Arc::default() }
    }

    /// Adds zubi's agent, whose conversations are created with `factory`.
    #[must_use]
    pub fn with_agent(
        self,
        factory: impl Fn(ChatSpec) -> Result<Arc<dyn ChatService>, String> + Send + Sync + 'static,
    ) -> Self {
        Self { chat_factory: Some(Arc::new(factory)), ..self }
    }

    /// Returns the methods that extend the language server for a client that requests the channel.
    pub fn methods(&self) -> MethodTable {
        let (runtime, factory, tools) = (self.runtime.clone(), Arc::clone(&self.factory), Arc::clone(&self.tools));
        let chat_factory = self.chat_factory.clone();
        MethodTable::new().extend(move |client| {
            let methods = match read_client(client) {
                Some((integration, editor)) => {
                    let reporter =
                        Reporter::new(runtime.clone(), client.client.clone(), Arc::clone(&editor.pushed_state));
                    let factory = with_reporter(factory, reporter);
                    let settings = client.params.pointer("/initializationOptions/zubi").map(AgentSettings::read);
                    let agent = chat_factory.zip(settings);
                    let name = client_name(client.params);
                    let created = ConnectionTools::new(runtime, factory, integration, editor, name, agent);
                    // There is one `initialize` per connection.
                    let tools = tools.get_or_init(|| Arc::new(created));
                    tools.create_host();
                    agent::methods(tools, tools::methods(tools))
                }
                None => MethodTable::new(),
            };
            // Send this version to a client with another version, too.
            match client.params.pointer("/initializationOptions/zubi/editorProtocol") {
                Some(_) => {
                    let options = ServerOptions { editor_protocol: EDITOR_PROTOCOL, version: VERSION.to_owned() };
                    methods.experimental("zubi", json!(options))
                }
                None => methods,
            }
        })
    }

    /// Stops everything that the tools have started, and waits for its end.
    pub async fn shutdown(&self) {
        if let Some(tools) = self.tools.get() {
            tools.shutdown().await;
        }
    }
}

/// Wraps `factory`, so that the editor is notified of each host.
fn with_reporter(factory: Arc<HostFactory>, reporter: Reporter) -> Arc<ReportingFactory> {
    Arc::new(move |integration: EditorIntegration| {
        let (folders, findable) = (integration.folders.clone(), PublicationReporter::default());
        let created = factory(integration, findable.clone());
        reporter.host_ready(&folders, &created, &findable);
        created
    })
}

/// Reads the client's options; `None` if it does not use this version of the channel.
fn read_client(client: Initialize<'_>) -> Option<(EditorIntegration, Arc<Editor>)> {
    let options = client.params.pointer("/initializationOptions/zubi")?;
    let version = options.get("editorProtocol")?;
    if version.as_u64() != Some(EDITOR_PROTOCOL) {
        tracing::warn!("tools are disabled: the editor speaks version {version} of the channel, not {EDITOR_PROTOCOL}");
        return None;
    }
    let methods = match options.get("editorMethods").and_then(Value::as_array) {
        Some(methods) => methods.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        None => DEFAULT_METHODS.map(str::to_owned).into(),
    };
    let headless_fallback = options.get("headlessFallback").and_then(Value::as_bool) == Some(true);
    let pushed_state = Arc::new(PushedState::new(client.folders));
    let editor = Arc::new(Editor::new(client.client.clone(), methods, client.encoding, Arc::clone(&pushed_state)));
    let model = Arc::new(DomainModel::from_server(client.model.clone()));
    let texts: Arc<dyn TextSource> = Arc::new(EditorText::new(model_texts(&model), Arc::clone(&editor)));
    let sink = ChannelSink::new(client.client.clone(), Arc::clone(&editor), Arc::clone(&texts));
    let settings = EditorConfiguration(Arc::clone(&editor));
    let port = options.get("ipcPort").and_then(Value::as_u64).and_then(|port| u16::try_from(port).ok());
    let integration = EditorIntegration {
        folders: client.folders.to_vec(),
        source: Arc::new(EditorSource::new(Arc::clone(&editor), headless_fallback)),
        view: Arc::new(EditorView::new(client_name(client.params), Arc::clone(&editor))),
        texts,
        sink: editor.answers(EDITOR_APPLY).then(|| Arc::new(sink) as _),
        settings: editor.answers(EDITOR_CONFIG).then(|| Arc::new(settings) as _),
        model,
        headless_fallback,
        options: parse_options(options),
        // The default port of the editor's setting also permits the next free port.
        ipc_port: port.filter(|port| *port != DEFAULT_PORT),
    };
    Some((integration, editor))
}

/// Reads the options that the user has set; absent ones have their defaults.
fn parse_options(options: &Value) -> EditorOptions {
    let flag = |name: &str| options.get(name).and_then(Value::as_bool);
    let texts = |name: &str| -> Vec<String> {
        let items = options.get(name).and_then(Value::as_array).into_iter().flatten();
        items.filter_map(Value::as_str).map(str::to_owned).collect()
    };
    let env = options.get("env").and_then(Value::as_object).into_iter().flatten();
    let env = env.filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned())));
    let mut parsed = EditorOptions::default().with_lists(texts("toolFilter"), env, texts("allowedCommands"));
    parsed.is_trusted = flag("isTrusted") != Some(false);
    parsed.auto_approve = flag("autoApprove") == Some(true);
    parsed
}

/// Name and version of the client, for the audit log.
fn client_name(params: &Value) -> Option<String> {
    let text = |field: &str| params.pointer(&format!("/clientInfo/{field}")).and_then(Value::as_str);
    let name = text("name")?;
    Some(text("version").map_or_else(|| name.to_owned(), |version| format!("{name} {version}")))
}

#[cfg(test)]
mod tests;
