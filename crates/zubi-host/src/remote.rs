//! A host in another process, used over its socket.

mod call_router;
pub(crate) mod convert;

use std::sync::Arc;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use zubi_base::rpc::{Connection, ConnectionError};
use zubi_base::workspace::Folder;
use zubi_ipc::client::{self, ConnectError};
use zubi_ipc::discovery::DiscoveryRecord;
use zubi_ipc::wire::host::{self, HostEnvironment, HostInfo, HostInfoParams};
use zubi_ipc::wire::{PROTOCOL, codes, editor, tools as wire};
use zubi_tool_api::cx::{Caller, Restrictions};
use zubi_tool_api::{ErrorCode, ResourceSpec, ResourceText, ToolSpec};

use self::call_router::CallRouter;
use crate::environment;
use crate::service::{
    CallAnswer, CallContext, CallFailure, CallRequest, Explanation, HostDescription, HostError, PolicyInForce,
    ToolService, UnknownTool,
};

/// The time for a host to accept a connection and to identify itself.
const CONNECT: Duration = Duration::from_secs(3);

/// The time-out of requests that a host answers from memory.
const QUICK: Duration = Duration::from_secs(30);

/// The time that a call may take in addition to the caller's time-out, for both transfers.
const GRACE: Duration = Duration::from_secs(5);

/// The time without messages about a call after which the client checks that the host is alive.
const SILENCE: Duration = Duration::from_secs(10);

/// The time-out of that check. A host's event loop is never busy for longer.
const PING: Duration = Duration::from_secs(5);

/// The reason why a discovered host is not used.
#[derive(Debug, thiserror::Error)]
pub enum AttachError {
    #[error(transparent)]
    Connect(#[from] ConnectError),
    /// The host has another version of the protocol, or refuses for a reason of its own.
    #[error("{0}")]
    Refused(String),
    #[error("it does not identify itself: {0}")]
    Silent(String),
}

/// A host in another process.
pub struct RemoteHost {
    info: HostInfo,
    connection: Connection,
    router: Arc<CallRouter>,
    /// The difference between its environment and that of this process, as a clause for status lines.
    difference: Option<String>,
}

impl RemoteHost {
    /// Connects to a host and checks that it has the same version of the protocol.
    pub async fn attach(record: &DiscoveryRecord, client: &str, own: &HostEnvironment) -> Result<Self, AttachError> {
        if record.version != PROTOCOL {
            let (version, program) = (record.version, &record.program);
            return Err(AttachError::Refused(format!(
                "it speaks version {version} of the protocol (zubi {program}), this is zubi {} with version {PROTOCOL}",
                env!("CARGO_PKG_VERSION")
            )));
        }
        let router = Arc::new(CallRouter::default());
        let connection = client::connect(record, Arc::clone(&router) as _, CONNECT).await?;
        let params =
            HostInfoParams { protocol: Some(PROTOCOL), client: Some(client.to_owned()), pid: Some(std::process::id()) };
        let no_cancel = CancellationToken::new();
        let info = connection.request(host::INFO, json!(params), &no_cancel, Instant::now() + CONNECT).await;
        let info: HostInfo = match info {
            Ok(info) => serde_json::from_value(info).map_err(|error| AttachError::Refused(error.to_string()))?,
            Err(ConnectionError::Response { message, .. }) => return Err(AttachError::Refused(message)),
            Err(error) => return Err(AttachError::Silent(error.to_string())),
        };
        let difference = environment::difference(own, &info.environment);
        Ok(Self { info, connection, router, difference })
    }

    pub fn info(&self) -> &HostInfo {
        &self.info
    }

    /// Becomes `Some(reason)` when the host has ended.
    pub fn closed_reason(&self) -> watch::Receiver<Option<String>> {
        self.connection.closed_reason()
    }

    /// Calls any method and returns the result unchanged.
    pub async fn request_raw(
        &self,
        method: &str,
        params: Value,
        cancel: &CancellationToken,
        timeout: Duration,
    ) -> Result<Value, ConnectionError> {
        let response = self.connection.request(method, params, cancel, deadline_after(timeout));
        tokio::select! {
            answer = response => answer,
            () = self.silence() => {
                let reason = format!("the host (process {}) does not answer any more", self.info.pid);
                self.connection.close(&reason);
                Err(ConnectionError::Closed { reason })
            }
        }
    }

    /// Completes when the host has sent nothing for too long, not even a response to a ping.
    async fn silence(&self) {
        let no_cancel = CancellationToken::new();
        loop {
            let received_before = self.connection.received_count();
            tokio::time::sleep(SILENCE).await;
            if self.connection.received_count() != received_before {
                continue;
            }
            let ping = self.connection.request(editor::PING, Value::Null, &no_cancel, Instant::now() + PING).await;
            if matches!(ping, Err(ConnectionError::TimedOut { .. })) {
                return;
            }
        }
    }

    async fn request<T: DeserializeOwned>(&self, method: &str, params: Value) -> Result<T, ConnectionError> {
        read(self.request_raw(method, params, &CancellationToken::new(), QUICK).await)
    }

    /// Adds a note to an answer's status line if the host's environment differs from this process's.
    fn with_difference(&self, mut answer: CallAnswer) -> CallAnswer {
        if let (Some(difference), true) = (&self.difference, answer.status)
            && let Some(line) = answer.text.strip_suffix(']')
        {
            answer.text = format!("{line} · {difference}]");
        }
        answer
    }
}

fn call_params(request: &CallRequest, context: &CallContext, token: Value) -> wire::CallParams {
    let caller = &request.caller;
    wire::CallParams {
        tool: request.tool.clone(),
        arguments: request.arguments.clone(),
        surface: Some(convert::name(&caller.surface)),
        client: caller.client.clone(),
        session: Some(caller.session).filter(|session| *session != 0),
        restrictions: Some(convert::restrictions(&caller.restrictions)),
        budget: request.token_budget,
        timeout_ms: u64::try_from(context.timeout.as_millis()).ok(),
        token: Some(token).filter(|token| !token.is_null()),
        handles_approvals: true,
        client_prompts: context.approver.client_prompts(),
    }
}

/// Returns the instant after the time-out, or after one day if that overflows.
fn deadline_after(timeout: Duration) -> Instant {
    let now = Instant::now();
    now.checked_add(timeout).unwrap_or(now + Duration::from_hours(24))
}

/// Parses the result.
fn read<T: DeserializeOwned>(answer: Result<Value, ConnectionError>) -> Result<T, ConnectionError> {
    serde_json::from_value(answer?)
        .map_err(|error| ConnectionError::Protocol { message: format!("the host's answer is not understood: {error}") })
}

/// Converts an error to a lost host if no response will arrive, to an unknown tool, or else with `other`.
fn host_error(error: ConnectionError, other: impl FnOnce(&ConnectionError) -> HostError) -> HostError {
    match error {
        ConnectionError::Closed { reason } => HostError::Disconnected { why: reason },
        error => unknown_tool(&error).map_or_else(|| other(&error), HostError::UnknownTool),
    }
}

/// Converts the error of a host that cannot list its tools and so is not usable.
fn unusable(error: ConnectionError) -> HostError {
    host_error(error, |error| HostError::Disconnected { why: error.to_string() })
}

/// Returns the value, or logs the error.
fn ok_or_log<T, E: std::fmt::Display>(result: Result<T, E>, what: &str) -> Option<T> {
    result.inspect_err(|error| tracing::warn!(%error, "{what}")).ok()
}

/// Returns the error for an unknown tool, if the host sent one.
fn unknown_tool(error: &ConnectionError) -> Option<UnknownTool> {
    match error {
        ConnectionError::Response { code: codes::INVALID_PARAMS, data: Some(data), .. } => {
            serde_json::from_value(data.get("unknownTool")?.clone()).ok()
        }
        _ => None,
    }
}

/// Converts an error to the failure of a call that the host did not make.
fn call_failure(tool: &str, error: &ConnectionError) -> CallFailure {
    let (code, next) = match error {
        ConnectionError::TimedOut { .. } => (ErrorCode::TimedOut, ErrorCode::TimedOut.next_step()),
        ConnectionError::Cancelled => (ErrorCode::Cancelled, ErrorCode::Cancelled.next_step()),
        _ => (ErrorCode::Failed, "Call again; `zubi status` shows the host."),
    };
    CallFailure::new(tool, code, error, next)
}

#[async_trait]
impl ToolService for RemoteHost {
    fn describe(&self) -> HostDescription {
        let folder = |folder: &host::FolderInfo| Folder { name: folder.name.clone(), path: folder.path.clone().into() };
        HostDescription {
            version: self.info.version.clone(),
            folders: self.info.workspace_folders.iter().map(folder).collect(),
            trusted: self.info.trusted,
        }
    }

    async fn list(&self, restrictions: &Restrictions) -> Result<Vec<Arc<ToolSpec>>, HostError> {
        let params = wire::ListParams { restrictions: Some(convert::restrictions(restrictions)) };
        let listed: wire::ToolInfoList = self.request(wire::LIST, json!(params)).await.map_err(unusable)?;
        Ok(listed.tools.into_iter().filter_map(|tool| ok_or_log(convert::spec(tool), "a tool is left out")).collect())
    }

    async fn find(&self, name: &str, restrictions: &Restrictions) -> Result<Arc<ToolSpec>, HostError> {
        let params =
            wire::FindParams { name: name.to_owned(), restrictions: Some(convert::restrictions(restrictions)) };
        let unknown = |why: String| UnknownTool { name: name.to_owned(), why, code: ErrorCode::Failed }.into();
        let info = self.request(wire::FIND, json!(params)).await;
        convert::spec(info.map_err(|error| host_error(error, |error| unknown(error.to_string())))?).map_err(unknown)
    }

    async fn call(&self, request: &CallRequest, context: &CallContext) -> Result<CallAnswer, HostError> {
        let started = Instant::now();
        let subscription = self.router.listen(Arc::clone(&context.progress), Arc::clone(&context.approver));
        let params = call_params(request, context, subscription.token());
        let timeout = context.timeout.saturating_add(GRACE);
        let answer = self.request_raw(wire::CALL, json!(params), &context.cancel, timeout).await;
        let invalid = |error: &ConnectionError| HostError::InvalidCall(call_failure(&request.tool, error));
        match read(answer).map_err(|error| host_error(error, invalid)) {
            Ok(result) => Ok(self.with_difference(convert::answer(result))),
            Err(HostError::InvalidCall(failure)) => Ok(failure.into_answer(started.elapsed())),
            Err(error) => Err(error),
        }
    }

    async fn explain(&self, request: &CallRequest, context: &CallContext) -> Result<Explanation, HostError> {
        #[derive(serde::Deserialize)]
        #[serde(rename_all = "lowercase")]
        enum ExplainReply {
            Explanation(Box<Explanation>),
            Failure(CallFailure),
        }
        let params = call_params(request, context, Value::Null);
        let answer = self.request_raw(wire::EXPLAIN, json!(params), &context.cancel, context.timeout).await;
        let invalid = |error: &ConnectionError| {
            HostError::InvalidCall(CallFailure { code: ErrorCode::Failed, ..call_failure(&request.tool, error) })
        };
        match read(answer).map_err(|error| host_error(error, invalid))? {
            ExplainReply::Explanation(explanation) => Ok(*explanation),
            ExplainReply::Failure(failure) => Err(HostError::InvalidCall(failure)),
        }
    }

    /// Queried during a call, so an error does not mean that the host is unusable.
    async fn policy(&self) -> Result<PolicyInForce, HostError> {
        let policy = self.request(wire::POLICY, Value::Null).await;
        policy.map_err(|error| host_error(error, |error| HostError::PolicyUnknown { why: error.to_string() }))
    }

    fn changes(&self) -> watch::Receiver<u64> {
        self.router.changes()
    }

    async fn resources(&self) -> Result<Vec<ResourceSpec>, HostError> {
        let listed: wire::Resources = self.request(wire::RESOURCES, Value::Null).await.map_err(unusable)?;
        Ok(listed.resources.into_iter().map(convert::resource_from).collect())
    }

    async fn read_resource(
        &self,
        uri: &str,
        caller: &Arc<Caller>,
        context: &CallContext,
    ) -> Result<ResourceText, HostError> {
        let params = wire::ReadParams {
            uri: uri.to_owned(),
            client: caller.client.clone(),
            surface: Some(convert::name(&caller.surface)),
        };
        let timeout = context.timeout.saturating_add(GRACE);
        let answer = self.request_raw(wire::READ_RESOURCE, json!(params), &context.cancel, timeout).await;
        let unreadable =
            |error: &ConnectionError| HostError::UnreadableResource(format!("Failed to read {uri}: {error}"));
        match read(answer).map_err(|error| host_error(error, unreadable))? {
            wire::ResourceContent { error: Some(error), .. } => Err(HostError::UnreadableResource(error)),
            wire::ResourceContent { text: Some(text), mime_type, .. } => {
                Ok(ResourceText { mime_type: mime_type.unwrap_or_default(), text })
            }
            _ => Err(HostError::UnknownResource { uri: uri.to_owned() }),
        }
    }

    async fn shutdown(&self) {
        // The host belongs to another process, so only the connection is closed.
        self.connection.close("this process has no more requests");
        self.connection.wait_flushed().await;
    }
}
