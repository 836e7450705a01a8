//! Dispatches methods to functions.

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use zubi_base::framing::ResponseError;
use zubi_base::rpc::{PeerHandler, Responder};
use zubi_ipc::wire::{codes, host, methods, tools as wire};
use zubi_tools::editor_state::{EditorCallContext, EditorServiceError};

use super::errors::{error, invalid, socket_only_error};
use super::server::Client;
use super::{contributed, hosts, tools};

/// The time-out of methods that only read.
const READ_TIMEOUT: Duration = Duration::from_mins(2);

impl PeerHandler for Client {
    fn notification(&self, method: &str, _params: Value) {
        tracing::debug!(method, "an unknown notification");
    }

    fn request(&self, method: &str, params: Value, responder: Responder) {
        let Some(client) = self.me.upgrade() else { return };
        let method = method.to_owned();
        tokio::spawn(async move {
            let cancel = responder.cancel().clone();
            let answer = answer(&client, &method, params, cancel).await;
            responder.answer(answer);
        });
    }
}

/// Answers a request.
async fn answer(
    client: &Arc<Client>,
    method: &str,
    params: Value,
    cancel: CancellationToken,
) -> Result<Value, ResponseError> {
    let Some(descriptor) = methods::of_client(method) else {
        return Err(error(codes::METHOD_NOT_FOUND, format!("there is no method `{method}`")));
    };
    if client.is_on_port() && !descriptor.over_port {
        return Err(socket_only_error(&format!("`{method}`")));
    }
    match method {
        wire::LIST => to_value(tools::list(client, read_or_default(params)?).await?),
        wire::FIND => to_value(tools::find(client, read(params)?).await?),
        wire::CALL => to_value(tools::call(client, read(params)?, cancel).await?),
        wire::EXPLAIN => tools::explain(client, read(params)?, cancel).await,
        wire::POLICY => to_value(tools::policy(client).await?),
        wire::REGISTER => to_value(contributed::register(client, read(params)?)?),
        wire::UNREGISTER => to_value(contributed::unregister(client, &read_or_default(params)?)),
        wire::RESOURCES => to_value(tools::resources(client).await?),
        wire::READ_RESOURCE => to_value(tools::read_resource(client, read(params)?, cancel).await),
        host::INFO => to_value(hosts::info(client, read_or_default(params)?)?),
        host::STATUS => to_value(hosts::status(client).await),
        host::SHUTDOWN => hosts::shutdown(client),
        _ => handle_editor_method(client, method, params, cancel).await,
    }
}

/// Calls a method that reads the workspace as an editor shows it.
async fn handle_editor_method(
    client: &Client,
    method: &str,
    params: Value,
    cancel: CancellationToken,
) -> Result<Value, ResponseError> {
    let unknown = || error(codes::METHOD_NOT_FOUND, format!("this host does not answer `{method}`"));
    let editor_service = client.server.host.editor_service().ok_or_else(unknown)?;
    client.server.host.recover_edits().await;
    let cx = EditorCallContext { cancel, deadline: Instant::now() + READ_TIMEOUT, read_only: client.is_on_port() };
    match editor_service.handle(method, params, cx).await {
        Some(Ok(value)) => Ok(value),
        Some(Err(EditorServiceError { code, message, field })) => {
            let data = field.map(|field| json!({ "field": field }));
            Err(ResponseError { code, message, data })
        }
        None => Err(unknown()),
    }
}

fn to_value(value: impl Serialize) -> Result<Value, ResponseError> {
    serde_json::to_value(value).map_err(|failure| error(codes::INTERNAL_ERROR, failure.to_string()))
}

/// Parses parameters; the error names the field.
fn read<T: DeserializeOwned>(params: Value) -> Result<T, ResponseError> {
    // Missing parameters count as an empty object, so that the error names the missing field.
    let params = if params.is_null() { json!({}) } else { params };
    serde_path_to_error::deserialize(params).map_err(|failure| {
        let path = failure.path().to_string();
        let message = failure.into_inner().to_string();
        let missing = message.strip_prefix("missing field `").and_then(|rest| rest.split('`').next());
        let field = missing.map_or_else(|| path.clone(), str::to_owned);
        invalid(&field, message)
    })
}

/// Parses optional parameters.
fn read_or_default<T: DeserializeOwned + Default>(params: Value) -> Result<T, ResponseError> {
    if params.is_null() { Ok(T::default()) } else { read(params) }
}
