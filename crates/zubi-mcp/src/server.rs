//! The MCP handler: declares capabilities, lists tools and resources, and passes calls to the service.

use std::sync::Arc;
use std::time::Duration;

use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CallToolResult, CompleteRequestMethod, CompleteRequestParams,
    CompleteResult, ContentBlock, CustomRequest, CustomResult, DiscoverResult, ErrorCode, ErrorData, Implementation,
    InitializeRequestParams, InitializeResult, ListPromptsRequestMethod, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, MetaObject, PaginatedRequestParams,
    ProtocolVersion, ReadResourceRequestParams, ReadResourceResponse, ServerCapabilities, ServerConfig,
};
use rmcp::service::{NotificationContext, RequestContext};
use rmcp::{RoleServer, ServerHandler};
use serde_json::Value;
use tokio::sync::{mpsc, watch};
use tokio_util::sync::CancellationToken;
use zubi_host::{CallContext, CallRequest, HostError, ToolService};
use zubi_tool_api::cx::{Approver, Caller, NoApprover, NoProgress, Restrictions, Surface};

use crate::ServerIdentity;
use crate::convert::{self, ToolListing};
use crate::elicitation::{DeferredElicitation, ElicitationMode, InlineElicitation, shows_forms};
use crate::instructions::write_instructions;
use crate::limits::{CallLimiter, CallSlot, MAX_WAITING, YieldPermit};
use crate::progress::ProgressForwarder;
use crate::suspended::{APPROVAL, CallOutcome, NotResumed, ResumedCall, SuspendedCall, SuspendedCalls};

/// The time for which a client may cache the list and the discovery result, in milliseconds. The list is fixed for the
/// life of the process.
const TTL_MS: u64 = 3_600_000;

/// The key under which results of the stateless era name the server (MCP 2026-07-28, "General fields").
const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";

/// The time-out for the list of tools that the instructions mention. Without the list they name no tool.
const INSTRUCTIONS_TIMEOUT: Duration = Duration::from_secs(2);

/// The time-out of a call; the tools' own time-outs are shorter.
const CALL_TIMEOUT: Duration = Duration::from_mins(10);

pub(crate) struct McpServer {
    introduction: ServerIdentity,
    elicitation: ElicitationMode,
    service: Arc<dyn ToolService>,
    /// Cancelled when running calls must end.
    calls: CancellationToken,
    slots: CallLimiter,
    suspended: SuspendedCalls,
}

impl McpServer {
    pub(crate) fn new(
        introduction: ServerIdentity,
        elicitation: ElicitationMode,
        service: Arc<dyn ToolService>,
        calls: CancellationToken,
    ) -> Self {
        Self {
            introduction,
            elicitation,
            service,
            calls,
            slots: CallLimiter::default(),
            suspended: SuspendedCalls::default(),
        }
    }

    fn caller(cx: &RequestContext<RoleServer>) -> Arc<Caller> {
        let client = cx.client_info().map(|client| format!("{} {}", client.name, client.version));
        Arc::new(Caller { surface: Surface::Mcp, client, session: 0, restrictions: Restrictions::default() })
    }

    /// Returns the tools that the client's list contains.
    fn listing(cx: &RequestContext<RoleServer>) -> ToolListing {
        cx.client_info().map_or(ToolListing::Short, |client| ToolListing::for_client(&client.name))
    }

    /// Returns the text for a client: it mentions only tools that the client's list contains.
    async fn instructions(&self, listing: ToolListing) -> String {
        if let Some(fixed) = self.introduction.instructions {
            return fixed.to_owned();
        }
        // The list waits until it is known whether the workspace has models, and the client waits for the handshake. A
        // failure is reported in the answer to the first call.
        let no_restrictions = Restrictions::default();
        let specs = tokio::time::timeout(INSTRUCTIONS_TIMEOUT, self.service.list(&no_restrictions)).await;
        write_instructions(&specs.ok().and_then(Result::ok).unwrap_or_default(), listing)
    }

    fn call_context(cancel: CancellationToken, approver: Arc<dyn Approver>) -> CallContext {
        CallContext { cancel, progress: Arc::new(NoProgress), approver, timeout: CALL_TIMEOUT }
    }

    fn call(request: CallToolRequestParams, cx: &RequestContext<RoleServer>) -> CallRequest {
        CallRequest {
            tool: request.name.into_owned(),
            arguments: request.arguments.map_or(Value::Null, Value::Object),
            caller: Self::caller(cx),
            token_budget: None,
        }
    }

    /// Waits for a slot until the call is cancelled or the process ends; `None` if too many calls wait.
    async fn wait_for_slot(&self, cx: &RequestContext<RoleServer>) -> Result<Option<CallSlot>, ErrorData> {
        tokio::select! {
            slot = self.slots.acquire() => Ok(slot),
            () = cx.ct.cancelled() => Err(ErrorData::internal_error("the call was cancelled", None)),
            () = self.calls.cancelled() => Err(ErrorData::internal_error("the server is ending", None)),
        }
    }

    /// Runs a call and returns its result while its request is open. `has_forms` is whether the client shows forms.
    async fn run(
        &self,
        request: CallToolRequestParams,
        cx: RequestContext<RoleServer>,
        has_forms: bool,
    ) -> Result<CallToolResult, ErrorData> {
        let Some(slot) = self.wait_for_slot(&cx).await? else { return Ok(too_many(&request.name)) };
        let approver = if has_forms {
            approver_for_slot(&slot, InlineElicitation { peer: cx.peer.clone(), timeout: self.elicitation.timeout })
        } else {
            self.elicitation.fallback_approver()
        };
        let cancel = cx.ct.clone();
        let call = Self::call(request, &cx);
        let mut call_context = Self::call_context(cancel.clone(), approver);
        // When the process is about to end, cancel the call as the client would.
        let calls = self.calls.clone();
        let shutdown = async move {
            calls.cancelled().await;
            cancel.cancel();
            std::future::pending::<()>().await;
        };
        let response = async {
            match cx.meta.get_progress_token() {
                Some(token) => {
                    let (sink, progress) = ProgressForwarder::new(cx.peer.clone(), token);
                    call_context.progress = sink;
                    progress.forward_while(self.service.call(&call, &call_context)).await
                }
                None => self.service.call(&call, &call_context).await,
            }
        };
        let result = tokio::select! {
            result = response => result,
            () = shutdown => return Err(ErrorData::internal_error("the server is ending", None)),
        };
        result.map(convert::answer).map_err(|error| error_data(&error))
    }

    /// Runs a call of the stateless era whose client shows forms. The response may be an approval prompt; the call then
    /// continues when the client calls again.
    async fn run_or_prompt(&self, request: CallToolRequestParams, cx: RequestContext<RoleServer>) -> CallOutcome {
        let Some(handle) = &request.request_state else {
            let Some(slot) = self.wait_for_slot(&cx).await? else { return Ok(too_many(&request.name).into()) };
            let (sender, prompts) = mpsc::channel(1);
            let approver =
                approver_for_slot(&slot, DeferredElicitation { prompts: sender, timeout: self.elicitation.timeout });
            // The call outlives its request, so it ends with the process, or when the client does not return.
            let cancel = self.calls.child_token();
            let mut call_context = Self::call_context(cancel.clone(), approver);
            let progress = cx.meta.get_progress_token().map(|token| ProgressForwarder::new(cx.peer.clone(), token));
            let progress = progress.map(|(sink, progress)| {
                call_context.progress = sink;
                progress
            });
            let (tool, arguments) = (request.name.to_string(), request.arguments.clone());
            let (service, call) = (Arc::clone(&self.service), Self::call(request, &cx));
            let task = tokio::spawn(async move {
                let _slot = slot;
                service.call(&call, &call_context).await.map(convert::answer).map_err(|error| error_data(&error))
            });
            let running = SuspendedCall { tool, arguments, task, prompts, _cancel: cancel.drop_guard() };
            let outcome = self.wait_for_outcome(running, &cx);
            return match progress {
                Some(progress) => progress.forward_while(outcome).await,
                None => outcome.await,
            };
        };
        let answer = request.input_responses.as_ref().and_then(|answers| answers.get(APPROVAL));
        let answer = answer.and_then(|answer| serde_json::from_value(answer.clone()).ok());
        match self.suspended.resume(handle, &request.name, request.arguments.as_ref(), answer) {
            Ok(ResumedCall::Continued(running, outcome)) => {
                let result = self.wait_for_outcome(running, &cx).await;
                // A cancelled call has no result to repeat.
                if !cx.ct.is_cancelled() {
                    outcome.send_replace(Some(result.clone()));
                }
                result
            }
            Ok(ResumedCall::Repeated(outcome)) => self.resume_finished(outcome, &request.name, &cx).await,
            Err(NotResumed::PromptAgain(prompt)) => Ok((*prompt).into()),
            Err(NotResumed::Unknown) => Ok(unknown_handle(&request.name)),
            Err(NotResumed::OtherCall) => Ok(error_response(
                "Invalid input: requestState: it belongs to a call with another tool or other arguments\nCall again exactly \
                 as the prompt was sent."
                    .to_owned(),
            )),
        }
    }

    /// Waits for the result of a call that another request has resumed, and returns it if it is known.
    async fn resume_finished(
        &self,
        mut outcome: watch::Receiver<Option<CallOutcome>>,
        tool: &str,
        cx: &RequestContext<RoleServer>,
    ) -> CallOutcome {
        tokio::select! {
            finished = outcome.wait_for(Option::is_some) => match finished.ok().and_then(|outcome| outcome.clone()) {
                Some(outcome) => outcome,
                None => Ok(unknown_handle(tool)),
            },
            () = cx.ct.cancelled() => Err(ErrorData::internal_error("the call was cancelled", None)),
            () = self.calls.cancelled() => Err(ErrorData::internal_error("the server is ending", None)),
        }
    }

    /// Waits until the call has a result or needs an approval.
    async fn wait_for_outcome(&self, mut running: SuspendedCall, cx: &RequestContext<RoleServer>) -> CallOutcome {
        tokio::select! {
            result = &mut running.task => match result {
                Ok(result) => result.map(Into::into),
                Err(error) => Err(ErrorData::internal_error(error.to_string(), None)),
            },
            Some(prompt) = running.prompts.recv() => {
                self.suspended.suspend(running, prompt, self.elicitation.timeout).map(Into::into)
            }
            () = cx.ct.cancelled() => Err(ErrorData::internal_error("the call was cancelled", None)),
            () = self.calls.cancelled() => Err(ErrorData::internal_error("the server is ending", None)),
        }
    }
}

/// Refuses a cursor: every list has one page, so that none was issued.
fn reject_cursor(request: Option<PaginatedRequestParams>) -> Result<(), ErrorData> {
    match request.and_then(|request| request.cursor).filter(|cursor| !cursor.is_empty()) {
        None => Ok(()),
        Some(_) => Err(ErrorData::invalid_params("unknown cursor: the list has one page; omit `cursor`", None)),
    }
}

/// Wraps an approver for a call that holds this slot while it runs.
fn approver_for_slot(slot: &CallSlot, approver: impl Approver + 'static) -> Arc<dyn Approver> {
    Arc::new(YieldPermit { slot: slot.clone(), approver: Arc::new(approver) })
}

fn error_response(text: String) -> CallToolResponse {
    CallToolResult::error(vec![ContentBlock::text(text)]).into()
}

/// The response to an unknown or expired handle.
fn unknown_handle(tool: &str) -> CallToolResponse {
    error_response(format!(
        "Failed to run {tool}: its question is closed, and what came of it is not known; it may have been run already\n\
         Check whether it was done before you call it again, without `requestState`."
    ))
}

/// Converts the host's error. A failure to list must not look like an empty list.
fn error_data(error: &HostError) -> ErrorData {
    match error {
        HostError::UnknownTool(_) => ErrorData::invalid_params(error.to_string(), None),
        HostError::UnknownResource { uri } => {
            ErrorData::resource_not_found(error.to_string(), Some(serde_json::json!({ "uri": uri })))
        }
        // These texts already end in a hint.
        HostError::InvalidCall(_) | HostError::UnreadableResource(_) => {
            ErrorData::internal_error(error.to_string(), None)
        }
        _ => ErrorData::internal_error(format!("{error}\n{}", error.hint()), None),
    }
}

fn too_many(tool: &str) -> CallToolResult {
    let text =
        format!("Error in {tool}: {MAX_WAITING} calls wait already\nWait for some of them to answer, then call again.");
    CallToolResult::error(vec![ContentBlock::text(text)])
}

impl ServerHandler for McpServer {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().enable_resources().build())
            .with_server_info(Implementation::new(self.introduction.name, env!("CARGO_PKG_VERSION")))
            .with_protocol_version(ProtocolVersion::LATEST_WITH_INITIALIZE)
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        cx: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        cx.peer.set_peer_info(request.clone());
        let mut result = self.negotiate_initialize(&request)?;
        result.instructions = Some(self.instructions(ToolListing::for_client(&request.client_info.name)).await);
        Ok(result)
    }

    async fn discover(&self, cx: RequestContext<RoleServer>) -> Result<DiscoverResult, ErrorData> {
        let mut info = self.get_info();
        info.instructions = Some(self.instructions(Self::listing(&cx)).await);
        let mut result =
            DiscoverResult::from_server_info(self.supported_protocol_versions().into_owned(), info).with_ttl_ms(TTL_MS);
        result.cache_scope = CacheScope::Private;
        Ok(result)
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        cx: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        reject_cursor(request)?;
        let specs = self.service.list(&Restrictions::default()).await.map_err(|error| error_data(&error))?;
        Ok(ListToolsResult::with_all_items(convert::tools(&specs, Self::listing(&cx))).with_ttl_ms(TTL_MS))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        cx: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        // Versions are dates, which compare as text.
        let stateless = cx
            .meta
            .protocol_version()
            .is_some_and(|version| version.as_str() >= ProtocolVersion::V_2026_07_28.as_str());
        let forms = shows_forms(cx.client_capabilities().as_ref());
        let mut response = if stateless && forms {
            self.run_or_prompt(request, cx).await?
        } else if request.request_state.is_some() {
            // Without forms, this would be a new call, in addition to the one that waits.
            error_response(
                "Invalid input: requestState: it continues a call, and this request does not say that its client shows forms; \
                 nothing was run\nSend it as the prompt was sent: with the capability `elicitation`."
                    .to_owned(),
            )
        } else {
            self.run(request, cx, forms).await?.into()
        };
        if stateless {
            // Without a handshake, each result must name the server.
            let identity = serde_json::json!({ "name": self.introduction.name, "version": env!("CARGO_PKG_VERSION") });
            let mut meta = MetaObject::default();
            meta.0.insert(SERVER_INFO.to_owned(), identity);
            match &mut response {
                CallToolResponse::Complete(result) => result.meta = Some(meta),
                CallToolResponse::InputRequired(result) => result.meta = Some(meta),
                _ => {}
            }
        }
        Ok(response)
    }

    async fn list_prompts(
        &self,
        _request: Option<PaginatedRequestParams>,
        _cx: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Err(ErrorData::method_not_found::<ListPromptsRequestMethod>())
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        _cx: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        reject_cursor(request)?;
        let specs = self.service.resources().await.map_err(|error| error_data(&error))?;
        Ok(ListResourcesResult::with_all_items(convert::resources(&specs)).with_ttl_ms(TTL_MS))
    }

    async fn list_resource_templates(
        &self,
        request: Option<PaginatedRequestParams>,
        _cx: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        reject_cursor(request)?;
        Ok(ListResourceTemplatesResult::with_all_items(Vec::new()).with_ttl_ms(TTL_MS))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        cx: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let call_context = Self::call_context(cx.ct.clone(), Arc::new(NoApprover));
        let uri = request.uri;
        let text = self.service.read_resource(&uri, &Self::caller(&cx), &call_context).await;
        let text = text.map_err(|error| error_data(&error))?;
        Ok(convert::resource(uri, text).with_ttl_ms(TTL_MS).into())
    }

    async fn complete(
        &self,
        _request: CompleteRequestParams,
        _cx: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        Err(ErrorData::method_not_found::<CompleteRequestMethod>())
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _cx: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        // `rmcp` passes a request here if its method is known but its parameters are invalid.
        if matches!(request.method.as_str(), "tools/call" | "tools/list" | "resources/read" | "initialize") {
            let text = format!("the parameters of `{}` are not what the protocol says", request.method);
            return Err(ErrorData::invalid_params(text, None));
        }
        Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, request.method, None))
    }

    async fn on_initialized(&self, _cx: NotificationContext<RoleServer>) {}
}
