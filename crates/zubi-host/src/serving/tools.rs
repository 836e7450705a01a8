//! `tools/*` except contributed tools, and `resources/*`.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use zubi_base::framing::ResponseError;
use zubi_base::rpc::Connection;
use zubi_ipc::wire::{codes, tools as wire};
use zubi_tool_api::cx::{
    Approver, Caller, ClientApprover, NoApprover, NoProgress, ProgressSink, Restrictions, Surface,
};
use zubi_tool_api::progress::ThrottledProgress;
use zubi_tool_api::spec::Effect;

use super::approvals::ConnectionApprover;
use super::errors::{error, socket_only_error};
use super::server::Client;
use crate::remote::convert;
use crate::service::{CallAnswer, CallContext, CallRequest, HostError, PolicyInForce, ToolService as _};

/// The maximum time that a client can wait; the tools' own time-outs are shorter.
const MAX_TIMEOUT: Duration = Duration::from_mins(10);

pub(super) async fn list(client: &Client, params: wire::ListParams) -> Result<wire::ToolInfoList, ResponseError> {
    let listed = client.server.host.list(&combined_restrictions(client, params.restrictions.as_ref())).await;
    let specs = listed.map_err(response_error)?;
    // Stored plans contain the text of whole files, so the port has no tools that create plans either.
    let is_available = |effect: Effect| !client.is_on_port() || effect == Effect::Read;
    Ok(wire::ToolInfoList {
        tools: specs.iter().filter(|spec| is_available(spec.effect)).map(|spec| convert::tool(spec)).collect(),
    })
}

pub(super) async fn find(client: &Client, params: wire::FindParams) -> Result<wire::ToolInfo, ResponseError> {
    let restrictions = combined_restrictions(client, params.restrictions.as_ref());
    let spec = client.server.host.find(&params.name, &restrictions).await;
    spec.map(|spec| convert::tool(&spec)).map_err(response_error)
}

pub(super) async fn call(
    client: &Client,
    params: wire::CallParams,
    cancel: CancellationToken,
) -> Result<wire::CallResult, ResponseError> {
    if client.is_on_port() {
        let spec = client.server.host.find(&params.tool, &client.restrictions()).await.map_err(response_error)?;
        if spec.effect != Effect::Read {
            return Err(socket_only_error(&format!("`{}`, which does more than read,", spec.id)));
        }
    }
    let context = context(client, &params, cancel);
    let answer = client.server.host.call(&request(client, params), &context).await;
    answer.map(result).map_err(response_error)
}

pub(super) async fn explain(
    client: &Client,
    params: wire::CallParams,
    cancel: CancellationToken,
) -> Result<Value, ResponseError> {
    let context = context(client, &params, cancel);
    match client.server.host.explain(&request(client, params), &context).await {
        Ok(explanation) => Ok(json!({ "explanation": explanation })),
        Err(HostError::InvalidCall(failure)) => Ok(json!({ "failure": failure })),
        Err(error) => Err(response_error(error)),
    }
}

pub(super) async fn policy(client: &Client) -> Result<PolicyInForce, ResponseError> {
    client.server.host.policy().await.map_err(response_error)
}

pub(super) async fn resources(client: &Client) -> Result<wire::Resources, ResponseError> {
    let resources = client.server.host.resources().await.map_err(response_error)?;
    Ok(wire::Resources { resources: resources.into_iter().map(convert::resource).collect() })
}

pub(super) async fn read_resource(
    client: &Client,
    params: wire::ReadParams,
    cancel: CancellationToken,
) -> wire::ResourceContent {
    let restrictions = client.restrictions();
    let caller = Caller {
        surface: surface(client, params.surface.as_deref()),
        client: params.client.or(client.name()),
        session: client.sessions.own_session(),
        restrictions,
    };
    let context =
        CallContext { cancel, progress: Arc::new(NoProgress), approver: Arc::new(NoApprover), timeout: MAX_TIMEOUT };
    match client.server.host.read_resource(&params.uri, &Arc::new(caller), &context).await {
        Ok(text) => wire::ResourceContent { mime_type: Some(text.mime_type), text: Some(text.text), error: None },
        Err(HostError::UnknownResource { .. }) => wire::ResourceContent::default(),
        Err(error) => wire::ResourceContent { error: Some(error.to_string()), ..wire::ResourceContent::default() },
    }
}

/// Combines the restrictions of the client's connection with those of its request, or else of the settings.
fn combined_restrictions(client: &Client, requested: Option<&wire::Restrictions>) -> Restrictions {
    let requested = requested.map(convert::restrictions_from);
    client.restrictions().combine(requested.as_ref().unwrap_or(&client.server.client_policy.default_restrictions))
}

/// Returns the surface of a call: IPC for scripts, which have no surface of their own, and for all clients on the port.
fn surface(client: &Client, requested: Option<&str>) -> Surface {
    let requested = requested.filter(|_| !client.is_on_port());
    requested.and_then(|name| serde_json::from_value(json!(name)).ok()).unwrap_or(Surface::Ipc)
}

fn request(client: &Client, params: wire::CallParams) -> CallRequest {
    let end = |session| client.server.host.registry().end_session(session);
    let caller = Caller {
        surface: surface(client, params.surface.as_deref()),
        client: params.client.or_else(|| client.name()),
        session: params
            .session
            .map_or_else(|| client.sessions.own_session(), |name| client.sessions.session_for(name, end)),
        restrictions: combined_restrictions(client, params.restrictions.as_ref()),
    };
    CallRequest {
        tool: params.tool,
        arguments: params.arguments,
        caller: Arc::new(caller),
        token_budget: params.budget,
    }
}

fn context(client: &Client, params: &wire::CallParams, cancel: CancellationToken) -> CallContext {
    let approver: Arc<dyn Approver> = match &params.token {
        _ if client.is_on_port() => Arc::new(NoApprover),
        Some(token) if params.handles_approvals => Arc::new(ConnectionApprover {
            connection: client.connection.clone(),
            token: token.clone(),
            client_prompts: params.client_prompts,
            cancel: cancel.clone(),
        }),
        _ if params.client_prompts => Arc::new(ClientApprover),
        _ => Arc::new(NoApprover),
    };
    let progress: Arc<dyn ProgressSink> = match &params.token {
        Some(token) => {
            let sink = HostProgressSink { connection: client.connection.clone(), token: token.clone() };
            Arc::new(ThrottledProgress::new(Arc::new(sink) as Arc<dyn ProgressSink>))
        }
        None => Arc::new(NoProgress),
    };
    let timeout = params.timeout_ms.map_or(MAX_TIMEOUT, Duration::from_millis).min(MAX_TIMEOUT);
    CallContext { cancel, progress, approver, timeout }
}

fn result(answer: CallAnswer) -> wire::CallResult {
    wire::CallResult {
        text: answer.text,
        data: answer.data,
        is_error: answer.failure.is_some(),
        code: answer.failure.map(|code| code.as_str().to_owned()),
        next: answer.next,
        duration: answer.duration.as_secs_f64() * 1000.0,
        status: answer.status,
    }
}

/// Converts an error to a response; for an unknown tool, with data for programs.
fn response_error(failure: HostError) -> ResponseError {
    match failure {
        HostError::UnknownTool(unknown) => {
            let data = json!({ "field": "tool", "unknownTool": unknown });
            ResponseError { data: Some(data), ..error(codes::INVALID_PARAMS, unknown.to_string()) }
        }
        failure => error(codes::INTERNAL_ERROR, failure.to_string()),
    }
}

/// Sends progress with the client's token.
struct HostProgressSink {
    connection: Connection,
    token: Value,
}

impl ProgressSink for HostProgressSink {
    fn report(&self, fraction: Option<f64>, message: &str) {
        let value = wire::ProgressValue { fraction, message: message.to_owned() };
        let params = json!(wire::ProgressParams { token: self.token.clone(), value });
        if let Err(error) = self.connection.notify(wire::PROGRESS, params) {
            tracing::debug!(%error, "failed to send progress");
        }
    }
}
