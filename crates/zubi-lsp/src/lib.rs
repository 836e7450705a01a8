//! The editor channel: what `zubi lsp` is besides a language server for DomainLang. An editor that asks for it in
//! `initialize` gets zubi's tools over its LSP connection, and answers in turn what those tools want to know about the code
//! that is open in it.
//!
//! A client asks with `initializationOptions`:
//!
//! ```json
//! { "zubi": { "editorProtocol": 1, "editorMethods": ["textDocument/definition"], "headlessFallback": false } }
//! ```
//!
//! Without `editorProtocol` nothing of this exists and the server is a plain one. A client that names one is told the server's
//! own, and its version, as `capabilities.experimental.zubi` in the answer: `{"editorProtocol": 1, "version": "0.1.0"}`. If the
//! numbers differ the server is a plain one too, and the client says which of the two is too old. `editorMethods` are the requests that the
//! editor answers in LSP's own shapes (only definitions if it does not say); `headlessFallback` lets zubi start language
//! servers of its own for all others, which it otherwise never does beside an editor; `ipcPort` names the port of the IPC
//! protocol.
//!
//! | message | direction | |
//! |---|---|---|
//! | `zubi/tools/list` | to zubi | `{tools: […]}`, each as `zubi tools show --json` prints it |
//! | `zubi/tools/prepare` | to zubi | `{id, args}` → `{message, confirmation?: {title, message}}`: what the user reads while it runs, and what is to be confirmed; nothing is run |
//! | `zubi/tools/call` | to zubi | `{id, args, token?, budget?, confirmed?}` → `{text, isError, code?, data?}`; `token` is one for `$/progress`, `confirmed` says that the user has said yes to what `prepare` gave |
//! | `zubi/tools/register`, `/unregister` | to zubi | `{tools, functions}` that extensions contribute → those that were taken |
//! | `zubi/tools/didChange` | to the editor | `{added, removed}`: there are other tools; a notification |
//! | `zubi/editor/invokeContributed` | to the editor | `{tool?, function?, arguments, token}` → `{success, data?, error?}` |
//! | `zubi/approval/request` | to the editor | `{title, detail, options}` → `{choice}`: which option the user has chosen, or null |
//! | `zubi/editor/didChange` | to zubi | what is open in the editor, below; a notification |
//! | `zubi/editor/request` | to the editor | `{method, params}` → the result of that LSP request |
//! | `zubi/status` | to the editor | `{instance?, file?, port?, problem?, clients, tools, revision, hasModels}` whenever any of it has changed; a notification |
//! | `zubi/editor/flush` | to the editor | it tells what it has not told yet, then answers null |
//! | `zubi/editor/applyEdit` | to the editor | `{edit, texts, save, settings, isFollowed}` → `{applied, changed}`; without it nothing is written |
//! | `zubi/editor/config` | to the editor | `{key, scope?, value?}` → what the setting is, at each scope |
//! | `zubi/agent/request` | to zubi | `{method, params}`: a chat page's request, as `zubi_agent::wire` has them |
//! | `zubi/agent/told` | to the editor | `{isFresh, told, waits?}`, from the first request on: what happens in conversations; answered when it was taken in |
//! | `zubi/agent/run` | to zubi | `{task, model?, instructions?, maxIterations?, tools?}` → `{conversation, reason, text, problem?}`: a task, to its end |
//! | `zubi/model/list` | to the editor | `{models}` that extensions offer |
//! | `zubi/model/request` | to the editor | `{id, vendor, messages, tools, maxOutput?, token}` → `{text, thought, calls, error?}`; before, its pieces |
//! | `zubi/model/piece` | to zubi | `{token, text?, thought?}`: a notification |
//! | `zubi/editor/command` | to the editor | `{command, args}` → what the command returned; only those of `executeCommand` |
//!
//! # What is open
//!
//! The editor tells with `zubi/editor/didChange {active, open, diagnosticsUris}` whenever any of it has changed, and once in
//! the beginning. `open` is a list of `{uri, languageId, isDirty, lineCount, version?, text?}`
//! (`text` is what is not saved, once for each version), `active` one of them with `selection: {line,
//! column}` (both from 1) or null, `diagnosticsUris` those documents whose problems have changed since it told before.
//!
//! # What may differ from LSP
//!
//! An editor gives what its providers give: several hovers come in a list, locations and links to them in one list, and more than
//! once; references come with declarations whatever the context says; one kind is looked at of those that code actions are asked for
//! by. A code action whose change only the editor can apply has `edit: {refused}`, with the reason. A list that was cut ends in
//! `{leftOut}`, how many items are missing; an object has the field itself. A request that is declined fails with the reason alone.
//!
//! # Problems
//!
//! An editor that names these among its `editorMethods` answers for its servers:
//!
//! - `textDocument/diagnostic {textDocument: {uri}}` → `{kind: "full", items, isOpen?, isCurrent?, languageId?}`: what it
//!   shows, without opening the document; `isCurrent` is whether somebody has spoken about the present text;
//! - `workspace/diagnostic {previousResultIds: []}` → `{items: [{uri, kind: "full", items}]}`: what it shows anywhere;
//! - `zubi/validate {textDocument: {uri}}` → as the first, after the document was opened (not shown) and somebody has spoken
//!   about it, or the editor's patience has ended.
//!
//! # The host
//!
//! It is made as soon as the editor has said `initialize`, and again when it has opened other folders: others may want to
//! connect to it before the editor itself asks anything.
//!
//! # Threads
//!
//! Tools run on a tokio runtime that the caller gives. The loop of the language server only passes on: it never waits for a
//! tool, and no tool for it.

mod agent;
mod approvals;
mod contributed;
mod editor;
mod live;
mod models;
mod progress;
mod settings;
mod sink;
mod status;
mod texts;
mod tools;
mod view;
pub mod wire;

use std::sync::{Arc, OnceLock};

use camino::Utf8PathBuf;
use dlang_server::{Initialize, MethodTable, ModelHandle};
use serde_json::{Value, json};
use tokio::runtime::Handle;
use zubi_agent::chat::ChatService;
use zubi_base::endpoint::EndpointSource;
use zubi_host::sight::EditorClient;
use zubi_host::{EditorOptions, EditorAccess, ToolService};
use zubi_link::listener::DEFAULT_PORT;

pub use crate::agent::{AgentSettings, ChatFactory, ChatSpec};
use crate::editor::{Editor, EditorSource};
use crate::live::LiveEditor;
pub use crate::status::PublicationReporter;
use crate::status::Reporter;
use crate::tools::Tools;
use crate::view::{PushedState, View};
use crate::wire::{EDITOR_PROTOCOL, ServerOptions};

/// Of the program.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// What the editor answers if it does not say.
const DEFAULT_METHODS: [&str; 1] = ["textDocument/definition"];

/// What a host for an editor is made of.
#[derive(Clone)]
pub struct EditorHostSpec {
    /// The folders that the editor has open, if any.
    pub folders: Vec<Utf8PathBuf>,
    /// The editor.
    pub editor: Arc<dyn EndpointSource>,
    /// What is open in it, and the problems that it shows.
    pub view: Arc<dyn EditorClient>,
    /// Its texts, and where edits of them go.
    pub live: Arc<dyn EditorAccess>,
    /// Whether it takes edits. Under one that does not nothing is written.
    pub takes_edits: bool,
    /// The models that it sees.
    pub model: ModelHandle,
    /// Whether headless servers may answer what the editor does not.
    pub headless_fallback: bool,
    /// The port on 127.0.0.1 that others may use, if the editor names one.
    pub ipc_port: Option<u16>,
    /// What the editor's user has chosen in it.
    pub chosen: EditorOptions,
    /// Where to say how others find the host.
    pub findable: PublicationReporter,
}

/// Makes the host as soon as the editor is there, and another one when it has changed its folders, on a thread that may block.
/// The error is told to whoever asks.
pub type HostFactory = dyn Fn(EditorHostSpec) -> Result<Arc<dyn ToolService>, String> + Send + Sync;

/// The channel of one connection.
pub struct Channel {
    runtime: Handle,
    make: Arc<HostFactory>,
    make_chat: Option<Arc<ChatFactory>>,
    tools: Arc<OnceLock<Arc<Tools>>>,
}

impl Channel {
    /// A channel whose tools run on this runtime.
    pub fn new(
        runtime: Handle,
        make: impl Fn(EditorHostSpec) -> Result<Arc<dyn ToolService>, String> + Send + Sync + 'static,
    ) -> Self {
        Self { runtime, make: Arc::new(make), make_chat: None, tools: Arc::default() }
    }

    /// With zubi's agent, whose conversations are made like this.
    #[must_use]
    pub fn with_agent(
        self,
        make: impl Fn(ChatSpec) -> Result<Arc<dyn ChatService>, String> + Send + Sync + 'static,
    ) -> Self {
        Self { make_chat: Some(Arc::new(make)), ..self }
    }

    /// The methods that the language server has on top of its own, for a client that asks for them.
    pub fn methods(&self) -> MethodTable {
        let (runtime, make, tools) = (self.runtime.clone(), Arc::clone(&self.make), Arc::clone(&self.tools));
        let make_chat = self.make_chat.clone();
        MethodTable::new().extend(move |client| {
            let methods = match of_client(client) {
                Some((wanted, editor)) => {
                    let reporter = Reporter::new(runtime.clone(), client.client.clone(), Arc::clone(&editor.told));
                    let make = with_reporter(make, reporter);
                    let settings = client.params.pointer("/initializationOptions/zubi").map(AgentSettings::read);
                    let agent = make_chat.zip(settings);
                    let made = Arc::new(Tools::new(runtime, make, wanted, editor, name_of(client.params), agent));
                    // There is one `initialize` in a conversation.
                    let tools = tools.get_or_init(|| made);
                    tools.make();
                    tools::methods(tools)
                }
                None => MethodTable::new(),
            };
            // Also one that speaks another version is told which this is.
            match client.params.pointer("/initializationOptions/zubi/editorProtocol") {
                Some(_) => {
                    let this = ServerOptions { editor_protocol: EDITOR_PROTOCOL, version: VERSION.to_owned() };
                    methods.experimental("zubi", json!(this))
                }
                None => methods,
            }
        })
    }

    /// Ends what the tools started. Returns when nothing is left.
    pub async fn shutdown(&self) {
        if let Some(tools) = self.tools.get() {
            tools.shutdown().await;
        }
    }
}

/// Makes hosts as `make` does, and tells the editor of each.
fn with_reporter(make: Arc<HostFactory>, reporter: Reporter) -> Arc<HostFactory> {
    Arc::new(move |wanted: EditorHostSpec| {
        let wanted = EditorHostSpec { findable: PublicationReporter::default(), ..wanted };
        let (folders, findable) = (wanted.folders.clone(), wanted.findable.clone());
        let made = make(wanted);
        reporter.host_ready(&folders, &made, &findable);
        made
    })
}

/// What the client wants of the channel; nothing if it does not speak its protocol.
fn of_client(client: Initialize<'_>) -> Option<(EditorHostSpec, Arc<Editor>)> {
    let options = client.params.pointer("/initializationOptions/zubi")?;
    let version = options.get("editorProtocol")?;
    if version.as_u64() != Some(EDITOR_PROTOCOL) {
        tracing::warn!("the editor speaks version {version} of the editor protocol, not {EDITOR_PROTOCOL}: no tools");
        return None;
    }
    let methods = match options.get("editorMethods").and_then(Value::as_array) {
        Some(methods) => methods.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        None => DEFAULT_METHODS.map(str::to_owned).into(),
    };
    let headless_fallback = options.get("headlessFallback").and_then(Value::as_bool) == Some(true);
    let told = Arc::new(PushedState::new(client.folders));
    let editor = Arc::new(Editor::new(client.client.clone(), methods, client.encoding, Arc::clone(&told)));
    let view = Arc::new(View::new(name_of(client.params), Arc::clone(&editor)));
    let live = LiveEditor::new(client.client.clone(), Arc::clone(&editor));
    let port = options.get("ipcPort").and_then(Value::as_u64).and_then(|port| u16::try_from(port).ok());
    let wanted = EditorHostSpec {
        folders: client.folders.to_vec(),
        takes_edits: live.takes_edits(),
        live: Arc::new(live),
        editor: Arc::new(EditorSource::new(Arc::clone(&editor), headless_fallback)),
        view,
        model: client.model.clone(),
        headless_fallback,
        chosen: parse_options(options),
        // The default of the editor's setting: not just this port, but the next that is free if it is taken.
        ipc_port: port.filter(|port| *port != DEFAULT_PORT),
        findable: PublicationReporter::default(),
    };
    Some((wanted, editor))
}

/// What the user has chosen; what an editor does not say is as if nothing were.
fn parse_options(options: &Value) -> EditorOptions {
    let flag = |name: &str| options.get(name).and_then(Value::as_bool);
    let texts = |name: &str| -> Vec<String> {
        let items = options.get(name).and_then(Value::as_array).into_iter().flatten();
        items.filter_map(Value::as_str).map(str::to_owned).collect()
    };
    let env = options.get("env").and_then(Value::as_object).into_iter().flatten();
    let env = env.filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned())));
    let mut chosen = EditorOptions::default().with_lists(texts("toolFilter"), env, texts("allowedCommands"));
    chosen.is_trusted = flag("isTrusted") != Some(false);
    chosen.auto_approve = flag("autoApprove") == Some(true);
    chosen
}

/// The client's name and version, for the audit log.
fn name_of(params: &Value) -> Option<String> {
    let text = |field: &str| params.pointer(&format!("/clientInfo/{field}")).and_then(Value::as_str);
    let name = text("name")?;
    Some(text("version").map_or_else(|| name.to_owned(), |version| format!("{name} {version}")))
}

#[cfg(test)]
mod tests;
