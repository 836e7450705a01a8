//! A server that only returns an error, because zubi could not start: most likely its configuration is unreadable.
//! Every request gets the reason. A process that just exited would leave its reason on a stderr that few clients show.

use rmcp::ErrorData;
use rmcp::model::{JsonRpcError, JsonRpcMessage};
use rmcp::transport::Transport as _;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_util::sync::CancellationToken;

use crate::transport::LineTransport;

/// Responds to every request of a client with `reason`, until the input ends or `stop` is cancelled.
pub async fn serve_startup_error<R, W>(reason: String, input: R, output: W, stop: CancellationToken)
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let mut transport = LineTransport::new(input, output, CancellationToken::new());
    loop {
        let message = tokio::select! {
            message = transport.receive() => message,
            () = stop.cancelled() => return,
        };
        let Some(message) = message else { return };
        let JsonRpcMessage::Request(request) = message else { continue };
        let error = ErrorData::internal_error(reason.clone(), None);
        if let Err(error) = transport.send(JsonRpcMessage::Error(JsonRpcError::new(Some(request.id), error))).await {
            tracing::debug!(%error, "the client does not read");
            return;
        }
    }
}
