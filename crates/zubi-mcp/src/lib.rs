//! The MCP surface over a [`ToolService`]: newline-delimited JSON-RPC on two byte streams, for both eras of the
//! protocol (`initialize` up to 2025-11-25, `server/discover` and per-request metadata from 2026-07-28).
//!
//! Only this crate names `rmcp`; it contains no tools. The output stream is usually stdout, to which nothing else may
//! write.

mod convert;
mod elicitation;
mod icons;
mod instructions;
mod limits;
mod progress;
mod server;
mod startup_error;
mod suspended;
mod transport;

use std::sync::Arc;
use std::time::Duration;

use rmcp::service::serve_server_with_ct;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_util::sync::CancellationToken;
use zubi_host::ToolService;

use crate::server::McpServer;
use crate::transport::LineTransport;

pub use crate::convert::tool_list_json;
pub use crate::elicitation::ElicitationMode;
pub use crate::startup_error::serve_startup_error;
pub use rmcp::transport::io::stdio_pipes as stdio;

/// The server's name, which also determines its instructions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ServerIdentity {
    pub name: &'static str,
    /// The text for every client; `None` if it depends on the tools that the session lists.
    instructions: Option<&'static str>,
}

impl ServerIdentity {
    /// The server with all tools of zubi.
    pub const ZUBI: Self = Self { name: "zubi", instructions: None };
    /// The server with only the tools for DomainLang.
    pub const DOMAINLANG: Self = Self { name: "domainlang", instructions: Some(include_str!("server/domainlang.md")) };
}

/// How long running calls may take to finish after the input has ended. Clients kill the process after one or two
/// seconds, and zubi must end the language servers within that time too.
const DRAIN_TIMEOUT: Duration = Duration::from_millis(400);

/// How long the conversation may take to close after its calls were cancelled; each call needs a little time.
const CLOSE_TIMEOUT: Duration = Duration::from_millis(300);

/// Serves one client until the input ends or `stop` is cancelled. Running calls then get [`DRAIN_TIMEOUT`] to finish
/// before they are cancelled. The service continues to run; the caller ends it.
///
/// # Errors
/// Fails only if no conversation can begin with the client's first message.
pub async fn serve<R, W>(
    introduction: ServerIdentity,
    elicitation: ElicitationMode,
    service: Arc<dyn ToolService>,
    input: R,
    output: W,
    stop: CancellationToken,
) -> anyhow::Result<()>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let calls = CancellationToken::new();
    let input_ended = CancellationToken::new();
    let transport = LineTransport::new(input, output, input_ended.clone());
    let server = McpServer::new(introduction, elicitation, service, calls.clone());
    // Calls end with the conversation, however it ends: after the drain, or at once when this future is dropped.
    let _calls = calls.clone().drop_guard();
    let drain = async {
        tokio::select! {
            () = input_ended.cancelled() => {}
            () = stop.cancelled() => {}
        }
        tokio::time::sleep(DRAIN_TIMEOUT).await;
        calls.cancel();
    };
    let conversation = async {
        // A separate token: `rmcp` cancels it at every end, which would look like a request to stop.
        match serve_server_with_ct(server, transport, stop.child_token()).await {
            Ok(running) => running
                .waiting()
                .await
                .map(|reason| tracing::debug!(?reason, "the conversation ended"))
                .map_err(Into::into),
            // The client disconnected, or a stop was requested, before the first request: a normal end.
            Err(error) if input_ended.is_cancelled() || stop.is_cancelled() => {
                tracing::debug!(%error, "the conversation ended before it began");
                Ok(())
            }
            Err(error) => Err(anyhow::Error::new(error)),
        }
    };
    tokio::pin!(conversation, drain);
    tokio::select! {
        result = &mut conversation => return result,
        () = &mut drain => {}
    }
    // Cancelled calls return within their grace period. A client that does not read must not delay the end either.
    match tokio::time::timeout(CLOSE_TIMEOUT, conversation).await {
        Ok(result) => result,
        Err(_) => Ok(()),
    }
}
