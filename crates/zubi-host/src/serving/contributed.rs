//! `tools/register` and `tools/unregister`: tools and functions of clients.

use std::sync::Arc;
use std::time::Instant;

use async_trait::async_trait;
use serde_json::{Value, json};
use zubi_base::framing::ResponseError;
use zubi_base::rpc::{Connection, ConnectionError};
use zubi_ipc::wire::tools as wire;
use zubi_tool_api::ToolCx;

use super::errors::invalid;
use super::server::Client;
use crate::contributed::{ContributedToolInvoker, FunctionError, Owner, RegistrationError};

pub(super) fn register(client: &Client, params: wire::RegisterParams) -> Result<wire::RegisteredTools, ResponseError> {
    let wire::RegisterParams { client: name, tools, functions } = params;
    let invoke = Arc::new(ConnectionInvoker(client.connection.clone())) as Arc<dyn ContributedToolInvoker>;
    let owner = Owner::program(&name);
    let registered = owner.and_then(|owner| client.contributions.register(&owner, &tools, &functions, &invoke));
    registered.map_err(|RegistrationError { field, message }| invalid(&field, message))
}

pub(super) fn unregister(client: &Client, params: &wire::UnregisterParams) -> wire::RegisteredTools {
    client.contributions.unregister(&params.tools, &params.functions)
}

/// Invokes contributed tools over a client's connection.
struct ConnectionInvoker(Connection);

#[async_trait]
impl ContributedToolInvoker for ConnectionInvoker {
    async fn invoke(&self, call: wire::InvokeParams, deadline: Instant, cx: &ToolCx) -> Result<Value, FunctionError> {
        let answer = self.0.request(wire::INVOKE, json!(call), &cx.cancel, deadline).await;
        answer.map_err(|error| match error {
            ConnectionError::TimedOut { .. } => FunctionError::TimedOut,
            ConnectionError::Cancelled => FunctionError::Cancelled,
            ConnectionError::Closed { reason } => FunctionError::Disconnected(reason),
            ConnectionError::Response { message, .. } => FunctionError::Failed(message),
            ConnectionError::Protocol { message } => FunctionError::Failed(message),
        })
    }
}
