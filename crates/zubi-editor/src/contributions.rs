//! `zubi/tools/register` and `zubi/tools/unregister`, for the tools and functions that extensions of the editor
//! contribute, and `zubi/editor/invokeContributed` and `$/progress`, for calling them.
//!
//! The contributions belong to the connection, not to a host: when the editor opens other folders, zubi registers them
//! on the next host, too. If that host rejects one, because it has a tool of the same name, zubi logs and omits it.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Instant;

use async_trait::async_trait;
use serde_json::{Value, json};
use zubi_base::endpoint::{EndpointError, RequestCx};
use zubi_host::ToolService;
use zubi_host::contributed::{
    ContributedToolInvoker, Contributions, FunctionError, MAX_TOOLS, Owner, RegistrationError,
};
use zubi_ipc::wire::tools::{ContributedTool, InvokeParams, RegisteredTools, UnregisterParams};
use zubi_tool_api::ToolCx;
use zubi_tool_api::cx::ProgressSink;

use crate::editor::Editor;
use crate::wire::INVOKE_CONTRIBUTED;
use crate::wire::tools::{InvokeContributedParams, ToolsRegisterParams};

/// Contributions of one host; empty until the host exists.
pub(crate) type HostRegistrations = OnceLock<Option<Contributions>>;

/// Tools and functions that the extensions of one editor have contributed.
pub(crate) struct EditorContributions {
    /// Contributions in order of registration.
    registrations: Mutex<Vec<ToolsRegisterParams>>,
    calls: Arc<ContributedCalls>,
}

impl EditorContributions {
    pub(crate) fn new(editor: Arc<Editor>) -> Self {
        let calls = ContributedCalls { editor, running: Mutex::default(), last: AtomicU64::new(0) };
        Self { registrations: Mutex::default(), calls: Arc::new(calls) }
    }

    fn lock_registrations(&self) -> MutexGuard<'_, Vec<ToolsRegisterParams>> {
        self.registrations.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn invoke(&self) -> Arc<dyn ContributedToolInvoker> {
        Arc::clone(&self.calls) as Arc<dyn ContributedToolInvoker>
    }

    /// Registers all previous contributions on a new host.
    pub(crate) fn register_all_on(&self, host: &HostRegistrations, service: &dyn ToolService) {
        let registrations = self.lock_registrations();
        host.get_or_init(|| {
            let contributions = Contributions::new(service.contributions()?);
            for ToolsRegisterParams { tools, functions } in registrations.iter() {
                if let Err(refused) = contributions.register(&Owner::Editor, tools, functions, &self.invoke()) {
                    tracing::warn!("an extension's contribution is rejected for these folders: {refused}");
                }
            }
            Some(contributions)
        });
    }

    /// Registers a contribution on this host and on the one of the current folders, or on the next host if there is
    /// none yet.
    pub(crate) fn register(
        &self,
        registration: ToolsRegisterParams,
        requested: &HostRegistrations,
        current: &HostRegistrations,
    ) -> Result<RegisteredTools, RegistrationError> {
        let mut registrations = self.lock_registrations();
        let ToolsRegisterParams { tools, functions } = &registration;
        // Without a host, the limit is checked here only.
        let count = |registration: &ToolsRegisterParams| registration.tools.len() + registration.functions.len();
        if registrations.iter().map(count).sum::<usize>() + count(&registration) > MAX_TOOLS {
            return Err(RegistrationError::too_many());
        }
        let accepted = || RegisteredTools { tools: ids(tools), functions: functions.clone() };
        let registered = match requested.get() {
            Some(Some(host)) => host.register(&Owner::Editor, tools, functions, &self.invoke())?,
            Some(None) | None => accepted(),
        };
        // The editor has opened other folders in the meantime.
        if let (false, Some(Some(host))) = (std::ptr::eq(requested, current), current.get())
            && let Err(refused) = host.register(&Owner::Editor, tools, functions, &self.invoke())
        {
            tracing::warn!("an extension's contribution is rejected for these folders: {refused}");
        }
        registrations.push(registration);
        Ok(registered)
    }

    /// Withdraws contributions from every host that has them.
    pub(crate) fn unregister(&self, params: &UnregisterParams, hosts: [&HostRegistrations; 2]) -> RegisteredTools {
        let UnregisterParams { tools, functions } = params;
        let is_all = tools.is_empty() && functions.is_empty();
        let mut registrations = self.lock_registrations();
        for host in hosts.into_iter().filter_map(|host| host.get()?.as_ref()) {
            host.unregister(tools, functions);
        }
        let mut removed = RegisteredTools { tools: Vec::new(), functions: Vec::new() };
        for registration in registrations.iter_mut() {
            let (withdrawn, remaining) = std::mem::take(&mut registration.tools)
                .into_iter()
                .partition(|tool| is_all || tools.contains(&tool.id));
            registration.tools = remaining;
            removed.tools.extend(ids(&withdrawn));
            let (withdrawn, remaining) = std::mem::take(&mut registration.functions)
                .into_iter()
                .partition::<Vec<_>, _>(|name| is_all || functions.contains(name));
            registration.functions = remaining;
            removed.functions.extend(withdrawn);
        }
        registrations.retain(|registration| !registration.tools.is_empty() || !registration.functions.is_empty());
        removed
    }

    /// Forwards `$/progress` of a running call.
    pub(crate) fn progress(&self, params: &Value) {
        let text = |field: &str| params.pointer(field).and_then(Value::as_str);
        let Some(token) = params.get("token").and_then(Value::as_u64) else { return };
        let sink = self.calls.lock_running().get(&token).cloned();
        let Some(sink) = sink else { return };
        let fraction = params.pointer("/value/percentage").and_then(Value::as_f64).map(|percent| percent / 100.0);
        let message = text("/value/message").or_else(|| text("/value/title")).unwrap_or_default();
        sink.report(fraction.map(|fraction| fraction.clamp(0.0, 1.0)), &zubi_base::escape::printable(message));
    }
}

fn ids(tools: &[ContributedTool]) -> Vec<String> {
    tools.iter().map(|tool| tool.id.clone()).collect()
}

/// Calls contributed tools and functions over the connection.
struct ContributedCalls {
    editor: Arc<Editor>,
    /// Progress sinks of running calls, by token.
    running: Mutex<BTreeMap<u64, Arc<dyn ProgressSink>>>,
    /// Last token that was assigned.
    last: AtomicU64,
}

impl ContributedCalls {
    fn lock_running(&self) -> MutexGuard<'_, BTreeMap<u64, Arc<dyn ProgressSink>>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A running call; removed on drop, also if the caller no longer waits.
struct ContributedCall<'a> {
    calls: &'a ContributedCalls,
    token: u64,
}

impl Drop for ContributedCall<'_> {
    fn drop(&mut self) {
        self.calls.lock_running().remove(&self.token);
    }
}

#[async_trait]
impl ContributedToolInvoker for ContributedCalls {
    async fn invoke(&self, call: InvokeParams, deadline: Instant, cx: &ToolCx) -> Result<Value, FunctionError> {
        let token = self.last.fetch_add(1, Ordering::Relaxed) + 1;
        self.lock_running().insert(token, Arc::clone(&cx.progress));
        let _running = ContributedCall { calls: self, token };
        let params = json!(InvokeContributedParams { call, token });
        let request = RequestCx::new(cx.cancel.clone(), deadline);
        self.editor.send(INVOKE_CONTRIBUTED, INVOKE_CONTRIBUTED, params, &request).await.map_err(|error| match error {
            EndpointError::Cancelled => FunctionError::Cancelled,
            EndpointError::TimedOut { .. } => FunctionError::TimedOut,
            EndpointError::Exited { reason, .. } => FunctionError::Disconnected(reason),
            EndpointError::Server { message, .. } => FunctionError::Failed(message),
            other => FunctionError::Failed(other.to_string()),
        })
    }
}
