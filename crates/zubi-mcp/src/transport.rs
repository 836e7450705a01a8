//! The byte streams as messages, with what `rmcp`'s own transport lacks: telling that the input has ended, so that
//! running calls can be given a bound, and patience with a client whose first message is no request.

use std::io;

use rmcp::RoleServer;
use rmcp::model::JsonRpcMessage;
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::transport::async_rw::AsyncRwTransport;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_util::sync::CancellationToken;

/// The longest message that is read, in bytes. The largest honest one carries a file's text; longer lines are dropped
/// while they arrive.
pub(crate) const MAX_LINE: usize = 4 * 1024 * 1024;

pub(crate) struct Gate<R: AsyncRead, W: AsyncWrite> {
    inner: AsyncRwTransport<RoleServer, R, W>,
    /// Cancelled when the input has ended.
    ended: CancellationToken,
    /// Whether a request was seen.
    begun: bool,
}

impl<R, W> Gate<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    pub(crate) fn new(input: R, output: W, ended: CancellationToken) -> Self {
        let inner = AsyncRwTransport::new_server(input, output).with_max_line_length(MAX_LINE);
        Self { inner, ended, begun: false }
    }
}

impl<R, W> Transport<RoleServer> for Gate<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        self.inner.send(item)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            let Some(message) = self.inner.receive().await else {
                self.ended.cancel();
                return None;
            };
            // `rmcp` ends the conversation when the first message is a notification or a response; neither says
            // anything yet, so they are passed over.
            self.begun |= matches!(message, JsonRpcMessage::Request(_));
            if self.begun {
                return Some(message);
            }
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.inner.close().await
    }
}
