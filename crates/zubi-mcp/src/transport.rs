//! Converts the byte streams to messages, one per line.
//!
//! Every request gets a response: an invalid message gets an error, with its id if that is readable. Half a surrogate
//! pair is accepted, because clients cut strings inside emoji. This module also reports the end of the input, so that
//! running calls get a deadline, and tolerates clients whose first message is not a request.

use std::io;
use std::pin::Pin;
use std::sync::Arc;

use rmcp::RoleServer;
use rmcp::model::{
    ClientNotification, ClientRequest, ErrorCode, GetMeta as _, JsonRpcMessage, ProtocolVersion,
    RequestId as McpRequestId,
};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use rustc_hash::FxHashSet;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt as _};
use tokio::sync::Mutex;
use tokio_util::sync::CancellationToken;
use zubi_base::framing::lines::{self, InputLine, LineReader};
use zubi_base::framing::{Message, Request, RequestId, Response, ResponseError};

/// The maximum length of a message, in bytes; the largest useful ones contain a file's text. Longer lines are dropped
/// while they arrive.
pub(crate) const MAX_LINE: usize = 4 * 1024 * 1024;

/// The methods that the server has in both eras of the protocol.
const METHODS: &str = "tools/list, tools/call, resources/list, resources/read and resources/templates/list";

/// The argument of the lists, which each have one page.
const CURSOR: &[u8] = b"\"cursor\"";

/// The error for a handshake with other parameters than the protocol's.
const INVALID_HANDSHAKE: &str =
    "invalid parameters of `initialize`; expected protocolVersion, capabilities and clientInfo";

pub(crate) struct LineTransport<R, W> {
    lines: LineReader<R>,
    /// `None` once the transport is closed.
    output: Arc<Mutex<Option<W>>>,
    /// An error response that is being written; stored because receiving may be interrupted and resumed.
    pending_write: Option<PendingWrite>,
    /// Cancelled when the input has ended.
    input_ended: CancellationToken,
    /// The ids of the requests that have no response yet.
    open_requests: FxHashSet<McpRequestId>,
    /// Whether a request has arrived that begins the conversation.
    has_begun: bool,
}

type PendingWrite = Pin<Box<dyn Future<Output = io::Result<()>> + Send>>;

/// The content of a line.
enum Read {
    Message(Box<RxJsonRpcMessage<RoleServer>>),
    /// Nothing that needs a response.
    Nothing,
    Refused(Response),
}

impl<R, W> LineTransport<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    pub(crate) fn new(input: R, output: W, input_ended: CancellationToken) -> Self {
        let output = Arc::new(Mutex::new(Some(output)));
        Self {
            lines: LineReader::new(input, MAX_LINE),
            output,
            pending_write: None,
            input_ended,
            open_requests: FxHashSet::default(),
            has_begun: false,
        }
    }

    fn write(&self, mut line: Vec<u8>) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let output = Arc::clone(&self.output);
        line.push(b'\n');
        async move {
            let mut output = output.lock().await;
            let output = output.as_mut().ok_or(io::ErrorKind::NotConnected)?;
            output.write_all(&line).await?;
            output.flush().await
        }
    }
}

impl<R, W> Transport<RoleServer> for LineTransport<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        mut item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        match &mut item {
            JsonRpcMessage::Response(response) => {
                self.open_requests.remove(&response.id);
            }
            JsonRpcMessage::Error(error) => {
                if let Some(id) = &error.id {
                    self.open_requests.remove(id);
                }
                // `rmcp` writes only the name of the method.
                if error.error.code == ErrorCode::METHOD_NOT_FOUND {
                    let message = format!("unknown method `{}`; this server has {METHODS}", error.error.message);
                    error.error.message = message.into();
                }
            }
            _ => {}
        }
        let written = serde_json::to_vec(&item).map(|line| self.write(line));
        async move { written?.await }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            if let Some(pending_write) = &mut self.pending_write {
                if let Err(error) = pending_write.await {
                    tracing::debug!(%error, "the client does not read");
                }
                self.pending_write = None;
            }
            let line = match self.lines.next().await {
                Ok(Some(line)) => line,
                Ok(None) => {
                    self.input_ended.cancel();
                    return None;
                }
                Err(error) => {
                    tracing::error!(%error, "the input cannot be read");
                    self.input_ended.cancel();
                    return None;
                }
            };
            let message = match read(&line) {
                Read::Message(message) => *message,
                Read::Nothing => continue,
                Read::Refused(response) => {
                    tracing::debug!(?response, "received an invalid message");
                    self.pending_write = Some(Box::pin(self.write(Message::Response(response).to_body())));
                    continue;
                }
            };
            if let Some(refusal) = self.refuse(&message) {
                self.pending_write = Some(Box::pin(self.write(Message::Response(refusal).to_body())));
                continue;
            }
            match &message {
                JsonRpcMessage::Request(request) => self.has_begun |= begins_conversation(&request.request),
                // Before the conversation begins, `rmcp` ends at any message other than a request. Such a message means
                // nothing yet, so skip it.
                _ if !self.has_begun => continue,
                _ => {}
            }
            return Some(message);
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.output.lock().await.take();
        Ok(())
    }
}

impl<R, W> LineTransport<R, W> {
    /// Records a request as open, and returns the response to one that must not run.
    fn refuse(&mut self, message: &RxJsonRpcMessage<RoleServer>) -> Option<Response> {
        let error = |id: &McpRequestId, code, message: &str| {
            let id = serde_json::to_value(id).ok().and_then(|id| serde_json::from_value(id).ok());
            Some(Response { id, result: Err(ResponseError { code, message: message.to_owned(), data: None }) })
        };
        match message {
            JsonRpcMessage::Request(request) => {
                // `rmcp` passes on a request with invalid parameters as a custom one, and then misses metadata in it.
                let is_handshake = |request: &ClientRequest| matches!(request, ClientRequest::CustomRequest(custom) if custom.method == "initialize");
                if !self.has_begun && is_handshake(&request.request) {
                    return error(&request.id, ErrorCode::INVALID_PARAMS.0.into(), INVALID_HANDSHAKE);
                }
                if self.open_requests.insert(request.id.clone()) {
                    return None;
                }
                error(&request.id, ResponseError::INVALID_REQUEST, "a request with this id has no response yet")
            }
            JsonRpcMessage::Notification(notification) => {
                // A cancelled request gets no response.
                if let ClientNotification::CancelledNotification(cancelled) = &notification.notification
                    && let Some(id) = &cancelled.params.request_id
                {
                    self.open_requests.remove(id);
                }
                None
            }
            _ => None,
        }
    }
}

/// Returns whether `rmcp` leaves the state in which it accepts only requests.
fn begins_conversation(request: &ClientRequest) -> bool {
    match request {
        ClientRequest::InitializeRequest(_) => true,
        ClientRequest::PingRequest(_) | ClientRequest::DiscoverRequest(_) => false,
        request => {
            let meta = request.get_meta();
            meta.missing_required_keys(&ProtocolVersion::V_2026_07_28).is_empty()
                && meta.protocol_version().is_some_and(|version| ProtocolVersion::KNOWN_VERSIONS.contains(&version))
        }
    }
}

fn read(line: &InputLine) -> Read {
    let body = match line {
        InputLine::Complete(body) => lines::text(body),
        InputLine::TooLong { id, length, .. } => {
            let message = format!("the message has {length} bytes; at most {MAX_LINE} are read");
            return invalid_request(id.clone(), message);
        }
    };
    if body.is_empty() {
        return Read::Nothing;
    }
    if let Some(refused) = refused_cursor(body) {
        return refused;
    }
    if let Ok(message) = serde_json::from_slice(body) {
        return Read::Message(Box::new(message));
    }
    // Not a message of the protocol, or not strictly JSON.
    match Message::parse(body) {
        Ok(message) => match (serde_json::from_slice(&message.to_body()), message) {
            (Ok(message), _) => Read::Message(Box::new(message)),
            (Err(reason), Message::Request(Request { id, .. })) => {
                invalid_request(Some(id), format!("not a request: {reason}"))
            }
            (Err(reason), Message::Notification(_) | Message::Response(_)) => {
                tracing::debug!(why = %reason, "what came has no meaning here");
                Read::Nothing
            }
        },
        Err(error) => Read::Refused(Response::for_invalid_body(body, &error)),
    }
}

/// Returns the error for a list whose cursor is not a text: `rmcp` ignores optional parameters of another type.
fn refused_cursor(body: &[u8]) -> Option<Read> {
    // Few messages have the word, so that few are parsed twice.
    body.windows(CURSOR.len()).find(|part| *part == CURSOR)?;
    let Ok(Message::Request(Request { id, method, params })) = Message::parse(body) else { return None };
    let cursor = params.get("cursor")?;
    if !method.ends_with("/list") || cursor.is_string() || cursor.is_null() {
        return None;
    }
    let message =
        format!("invalid parameters of `{method}`: `cursor` must be a string; omit it, because the list has one page");
    let error = ResponseError { code: ErrorCode::INVALID_PARAMS.0.into(), message, data: None };
    Some(Read::Refused(Response { id: Some(id), result: Err(error) }))
}

fn invalid_request(id: Option<RequestId>, message: String) -> Read {
    let error = ResponseError { code: ResponseError::INVALID_REQUEST, message, data: None };
    Read::Refused(Response { id, result: Err(error) })
}
