//! `zubi/tools/*`: the tools, the same as on every surface.
//!
//! The host is created for the folders that the editor has open. When the editor opens others, another host is created,
//! and the previous one ends once its running requests have finished.

mod changes;
mod prepare;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use camino::Utf8PathBuf;
use dlang_server::{Answer, MethodTable, RequestError, RequestResponder, from_value};
use serde_json::{Value, json};
use tokio::runtime::Handle;
use tokio::sync::OnceCell;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use zubi_agent::chat::ChatService;
use zubi_host::contributed::RegistrationError;
use zubi_host::{
    CallAnswer, CallContext, CallRequest, EditorIntegration, Explanation, FilteredService, HostError, SessionFilters,
    ToolService,
};
use zubi_policy::rule::Action;
use zubi_tool_api::cx::{Caller, NoApprover, NoProgress, ProgressSink, Restrictions, Surface};
use zubi_tool_api::progress::ThrottledProgress;
use zubi_tool_api::{Effect, ToolSpec};

use crate::agent::{Agent, AgentSettings, ChatFactory};
use crate::approvals::Approvals;
use crate::contributions::{EditorContributions, HostRegistrations};
use crate::editor::Editor;
use crate::progress::EditorProgressSink;
use crate::wire::tools::{ToolsCallParams, ToolsCallResult, ToolsListResult, ToolsPrepareResult, ToolsRegisterParams};
use crate::wire::{self, TOOLS_CALL, TOOLS_LIST, TOOLS_PREPARE, TOOLS_REGISTER, TOOLS_UNREGISTER};

/// Maximum duration of a call that is not cancelled; the tools' own time-outs are shorter.
const CALL_TIMEOUT: Duration = Duration::from_mins(10);

/// A [`HostFactory`](crate::HostFactory) that reports each host to the editor.
pub(crate) type ReportingFactory = dyn Fn(EditorIntegration) -> Result<Arc<dyn ToolService>, String> + Send + Sync;

/// The tools of one connection.
pub(crate) struct ConnectionTools {
    runtime: Handle,
    factory: Arc<ReportingFactory>,
    /// Host of the folders that are open now.
    host: Mutex<Arc<Host>>,
    /// Shutdowns of previous hosts.
    ends: TaskTracker,
    editor: Arc<Editor>,
    caller: Arc<Caller>,
    approvals: Arc<Approvals>,
    contributed: EditorContributions,
    /// Absent if zubi has no agent.
    pub(crate) agent: Option<Arc<Agent>>,
    /// The list of tools that the editor has.
    listed: changes::ListedTools,
}

/// A host, created on demand.
pub(crate) struct Host {
    spec: EditorIntegration,
    service: OnceCell<Result<Arc<dyn ToolService>, String>>,
    /// Conversations of the host, created on demand.
    chat: OnceCell<Result<Arc<dyn ChatService>, String>>,
    /// Running requests to the host.
    running_requests: TaskTracker,
    contributed: HostRegistrations,
}

impl Host {
    fn new(spec: EditorIntegration) -> Arc<Self> {
        let (running_requests, contributed) = (TaskTracker::new(), HostRegistrations::new());
        Arc::new(Self { spec, service: OnceCell::new(), chat: OnceCell::new(), running_requests, contributed })
    }

    /// Ends the running turns of the conversations.
    async fn end_chat(&self) {
        if let Some(Ok(chat)) = self.chat.get() {
            chat.shutdown().await;
        }
    }

    async fn shutdown(&self) {
        self.end_chat().await;
        // Waits for a service that is just being created, and prevents a later one.
        let created = self.service.get_or_init(|| async { Err("the editor has disconnected".to_owned()) });
        if let Ok(service) = created.await {
            service.shutdown().await;
        }
    }
}

/// Adds the methods of these tools.
pub(crate) fn methods(tools: &Arc<ConnectionTools>) -> MethodTable {
    let clone = || Arc::clone(tools);
    let (list, prepare, call, register, unregister) = (clone(), clone(), clone(), clone(), clone());
    let (folders, progress, pushed_state) = (clone(), clone(), Arc::clone(&tools.editor.pushed_state));
    MethodTable::new()
        .start(TOOLS_LIST, move |_, responder| {
            list.begin(|tools, host| async move { responder.answer(tools.list(&host).await) });
        })
        .start(TOOLS_CALL, move |params, responder| {
            call.begin(|tools, host| async move {
                let answer = match from_value(&params) {
                    Ok(params) => tools.call(&host, params, &responder).await,
                    Err(error) => Err(error),
                };
                responder.answer(answer);
            });
        })
        .start(TOOLS_PREPARE, move |params, responder| {
            prepare.begin(|tools, host| async move {
                let answer = match from_value(&params) {
                    Ok(params) => tools.prepare(&host, &params, &responder).await,
                    Err(error) => Err(error),
                };
                responder.answer(answer);
            });
        })
        .start(TOOLS_REGISTER, move |params, responder| {
            register.begin(|tools, host| async move {
                let answer = match from_value(&params) {
                    Ok(registration) => tools.register(&host, registration).await,
                    Err(error) => Err(error),
                };
                responder.answer(answer);
            });
        })
        .start(TOOLS_UNREGISTER, move |params, responder| {
            unregister.begin(|tools, host| async move {
                let answer = from_value(&params).map(|params| {
                    let current = Arc::clone(&tools.current());
                    json!(tools.contributed.unregister(&params, [&host.contributed, &current.contributed]))
                });
                responder.answer(answer);
            });
        })
        .on_notification("$/progress", move |params| progress.contributed.progress(&params))
        .on_notification(wire::EDITOR_DID_CHANGE, move |params| {
            if let Err(error) = pushed_state.did_change(&params) {
                tracing::warn!("cannot parse zubi/editor/didChange: {error}");
            }
        })
        .on_folders_changed(move |open| folders.open(open))
}

impl ConnectionTools {
    pub(crate) fn new(
        runtime: Handle,
        factory: Arc<ReportingFactory>,
        spec: EditorIntegration,
        editor: Arc<Editor>,
        client: Option<String>,
        agent: Option<(Arc<ChatFactory>, AgentSettings)>,
    ) -> Self {
        let caller =
            Arc::new(Caller { surface: Surface::Editor, client, session: 0, restrictions: restrictions(&editor) });
        let approvals = Arc::new(Approvals::new(Arc::clone(&editor)));
        let agent =
            agent.map(|(factory, settings)| Agent::new(Arc::clone(&editor), Arc::clone(&approvals), factory, settings));
        Self {
            runtime,
            factory,
            host: Mutex::new(Host::new(spec)),
            ends: TaskTracker::new(),
            caller,
            approvals,
            contributed: EditorContributions::new(Arc::clone(&editor)),
            agent,
            listed: changes::ListedTools::default(),
            editor,
        }
    }

    /// Creates the host for the folders that are open now, unless it exists; returns at once.
    pub(crate) fn create_host(self: &Arc<Self>) {
        self.begin(|tools, host| async move {
            // After several changes of folders in a row, only the last one counts.
            if Arc::ptr_eq(&tools.current(), &host)
                && let Err(error) = tools.service(&host).await
            {
                tracing::warn!("{error}");
            }
        });
    }

    /// Starts a request to the host of the folders that are open now, and returns at once.
    pub(crate) fn begin<F>(self: &Arc<Self>, handler: impl FnOnce(Arc<Self>, Arc<Host>) -> F)
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let current = self.current();
        // Tracked before the lock is released, so that the host cannot end before the request starts.
        let running = current.running_requests.track_future(handler(Arc::clone(self), Arc::clone(&current)));
        drop(current);
        self.runtime.spawn(running);
    }

    /// Handles a change of the editor's open folders. Returns at once.
    fn open(self: &Arc<Self>, folders: &[Utf8PathBuf]) {
        self.editor.pushed_state.open_folders(folders);
        let mut current = self.current();
        if current.spec.folders == folders {
            return;
        }
        let spec = EditorIntegration { folders: folders.to_vec(), ..current.spec.clone() };
        let before = std::mem::replace(&mut *current, Host::new(spec));
        drop(current);
        before.running_requests.close();
        let has_chat = before.chat.initialized();
        self.runtime.spawn(self.ends.track_future(async move {
            before.end_chat().await;
            before.running_requests.wait().await;
            before.shutdown().await;
        }));
        self.create_host();
        if has_chat {
            // Notify subscribers of conversations that these have changed.
            self.begin(|tools, host| async move {
                if let Err(error) = tools.chat(&host).await {
                    tracing::warn!("{error}");
                }
            });
        }
    }

    fn current(&self) -> MutexGuard<'_, Arc<Host>> {
        self.host.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the tools of a host, and creates them on the first call.
    async fn service<'host>(
        self: &Arc<Self>,
        host: &'host Arc<Host>,
    ) -> Result<&'host Arc<dyn ToolService>, RequestError> {
        let created = host.service.get_or_init(|| async {
            let (factory, integration) = (Arc::clone(&self.factory), host.spec.clone());
            // This reads configuration from disk.
            let created = match self.runtime.spawn_blocking(move || factory(integration)).await {
                Ok(created) => created,
                Err(error) => Err(format!("creating the host failed: {error}")),
            };
            if let Ok(service) = &created {
                self.contributed.register_all_on(&host.contributed, service.as_ref());
                self.follow(host, service);
            }
            created
        });
        created.await.as_ref().map_err(|why| RequestError::Failed(format!("Failed to start zubi's tools: {why}")))
    }

    /// Returns the conversations of a host. The first call creates them; from then on, the editor receives their
    /// events.
    pub(crate) async fn chat<'host>(
        self: &Arc<Self>,
        host: &'host Arc<Host>,
    ) -> Result<&'host Arc<dyn ChatService>, RequestError> {
        let agent = self.agent.as_ref().ok_or_else(|| RequestError::Failed("zubi has no agent here".to_owned()))?;
        let service = self.service(host).await?;
        let created = host.chat.get_or_init(|| async {
            // The agent has the same restrictions as other calls of the editor.
            let scope = SessionFilters { restrictions: self.caller.restrictions.clone(), ..SessionFilters::default() };
            let service = Arc::new(FilteredService::new(Arc::clone(service), scope));
            let (creator, integration) = (Arc::clone(agent), host.spec.clone());
            // This opens files.
            let created = match self.runtime.spawn_blocking(move || creator.create_chat(&integration, service)).await {
                Ok(created) => created,
                Err(error) => Err(format!("creating the conversations failed: {error}")),
            };
            if let Ok(chat) = &created {
                self.runtime.spawn(Arc::clone(agent).follow(chat.listen()));
            }
            created
        });
        created
            .await
            .as_ref()
            .map_err(|why| RequestError::Failed(format!("Failed to open zubi's conversations: {why}")))
    }

    async fn list(self: &Arc<Self>, host: &Arc<Host>) -> Answer {
        let service = self.service(host).await?;
        let specs = self.list_for_editor(service.as_ref()).await;
        let specs = specs.map_err(|error| request_error(&error))?;
        Ok(json!(ToolsListResult { tools: specs.iter().map(|spec| spec.to_json()).collect() }))
    }

    /// Registers contributions of extensions. Without a host, they are registered on the next one.
    async fn register(self: &Arc<Self>, host: &Arc<Host>, registration: ToolsRegisterParams) -> Answer {
        if let Err(why) = self.service(host).await {
            tracing::warn!("an extension's contributions wait for the next folders: {why:?}");
        }
        let current = Arc::clone(&self.current());
        let registered = self.contributed.register(registration, &host.contributed, &current.contributed);
        registered
            .map(|registered| json!(registered))
            .map_err(|RegistrationError { field, message }| RequestError::InvalidParams { field, message })
    }

    /// Returns the message and the confirmation of a call, without making it. An invalid call is reported when it is
    /// made.
    async fn prepare(
        self: &Arc<Self>,
        host: &Arc<Host>,
        params: &ToolsCallParams,
        responder: &RequestResponder,
    ) -> Answer {
        // Before anything can fail, because after a failure the editor continues without a confirmation.
        self.approvals.remove_confirmation(&params.id, &params.args);
        let cancel = CancellationToken::new();
        let cancel_token = cancel.clone();
        responder.cancel().on_cancel(move || cancel_token.cancel());
        let service = self.service(host).await?;
        let spec = service.find(&params.id, &self.caller.restrictions).await.map_err(|error| request_error(&error))?;
        let request = CallRequest {
            tool: params.id.clone(),
            arguments: params.args.clone(),
            caller: Arc::clone(&self.caller),
            token_budget: None,
        };
        let context = CallContext {
            cancel,
            progress: Arc::new(NoProgress),
            approver: Arc::new(NoApprover),
            timeout: prepare::EXPLAIN_TIMEOUT,
        };
        let host_description = service.describe();
        let message = prepare::message(&spec, &params.args, &host_description);
        let explained = match service.explain(&request, &context).await {
            Ok(explained) => explained,
            Err(HostError::InvalidCall(_)) => {
                return Ok(json!(ToolsPrepareResult { message, confirmation: None }));
            }
            Err(error) => return Err(request_error(&error)),
        };
        if explained.tool == spec.id {
            return Ok(self.confirmation(params, &spec, message, explained));
        }
        // The user must see the tool to which a delegating tool passes the call.
        let inner = service.find(&explained.tool, &self.caller.restrictions).await;
        let inner = inner.map_err(|error| request_error(&error))?;
        let arguments = params.args.get("arguments").unwrap_or(&Value::Null);
        let message = prepare::message(&inner, arguments, &host_description);
        // An editor remembers "always" under the name of the tool it calls, which here would cover every tool.
        let effect = explained.footprint.effect.unwrap_or(inner.effect);
        if matches!(effect, Effect::Execute | Effect::Network) && self.editor.answers(wire::APPROVAL_REQUEST) {
            return Ok(json!(ToolsPrepareResult { message, confirmation: None }));
        }
        Ok(self.confirmation(params, &inner, message, explained))
    }

    /// Returns the message, with a confirmation if the policy requires approval.
    fn confirmation(
        &self,
        params: &ToolsCallParams,
        spec: &ToolSpec,
        message: String,
        explained: Explanation,
    ) -> Value {
        if explained.decision.action != Action::Ask {
            return json!(ToolsPrepareResult { message, confirmation: None });
        }
        let confirmation = Some(prepare::confirmation(spec, &explained));
        self.approvals.record_confirmation(&params.id, &params.args, &explained.tool, explained.footprint);
        json!(ToolsPrepareResult { message, confirmation })
    }

    async fn call(self: &Arc<Self>, host: &Arc<Host>, params: ToolsCallParams, responder: &RequestResponder) -> Answer {
        let cancel = CancellationToken::new();
        let cancel_token = cancel.clone();
        responder.cancel().on_cancel(move || cancel_token.cancel());
        let service = self.service(host).await?;
        let client_progress = params
            .token
            .map(|token| Arc::new(EditorProgressSink::new(responder.client().clone(), token, params.id.clone())));
        let progress: Arc<dyn ProgressSink> = match &client_progress {
            Some(client_progress) => {
                Arc::new(ThrottledProgress::new(Arc::clone(client_progress) as Arc<dyn ProgressSink>))
            }
            None => Arc::new(NoProgress),
        };
        let request = CallRequest {
            tool: params.id,
            arguments: params.args,
            caller: Arc::clone(&self.caller),
            token_budget: params.budget,
        };
        let approver = self.approvals.approver(&request.tool, &request.arguments, params.confirmed, &cancel);
        let context = CallContext { cancel, progress, approver, timeout: CALL_TIMEOUT };
        let answer = service.call(&request, &context).await;
        if let Some(client_progress) = client_progress {
            client_progress.end();
        }
        let CallAnswer { text, data, failure, .. } = answer.map_err(|error| request_error(&error))?;
        Ok(json!(ToolsCallResult { text, is_error: failure.is_some(), code: failure, data }))
    }

    /// Ends all hosts and waits until they have ended.
    pub(crate) async fn shutdown(&self) {
        self.ends.close();
        let host = Arc::clone(&self.current());
        tokio::join!(self.ends.wait(), host.shutdown());
    }
}

/// Restrictions of an editor's calls.
fn restrictions(editor: &Editor) -> Restrictions {
    // Without edits through the editor, tools would write to files on disk whose texts may have unsaved changes in the
    // editor.
    Restrictions { read_only: !editor.answers(wire::EDITOR_APPLY), ..Restrictions::default() }
}

fn request_error(error: &HostError) -> RequestError {
    match error {
        HostError::UnknownTool(_) => RequestError::InvalidParams { field: "id".to_owned(), message: error.to_string() },
        _ => RequestError::Failed(format!("{error}\n{}", error.hint())),
    }
}
