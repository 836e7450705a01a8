//! The server's connections: their number, their time-outs and their end.

use std::collections::VecDeque;
use std::io;
use std::net::Ipv4Addr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::{Extension, Router};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use zubi_agent::chat::ChatService;

use crate::answers;
use crate::guard::{AccessGuard, AccessToken};

/// The maximum number of connections; a browser opens six for all its tabs. A further one takes the place of the oldest
/// that has not shown the token, which every user of the machine can open; if all have shown it, the new one is closed at once.
const MAX_CONNECTIONS: usize = 64;
/// How long the head of a request may take, and how long a connection may be silent between two requests.
const HEAD_TIMEOUT: Duration = Duration::from_secs(30);
/// The maximum size of a request's head, in bytes.
const MAX_HEAD: usize = 32 * 1024;
/// The pause after a failed accept.
const PAUSE: Duration = Duration::from_millis(200);
/// The time for running requests to finish when the server ends.
const GRACE: Duration = Duration::from_secs(2);

/// The options of the server.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct WebOptions {
    /// The port on 127.0.0.1; any free port if `None`.
    pub port: Option<u16>,
}

/// The reason why the server cannot start.
#[derive(Debug, thiserror::Error)]
pub enum BindError {
    #[error("port {port} of 127.0.0.1 cannot be taken: {error}. Name another one, or none for any that is free")]
    Port { port: u16, error: io::Error },
    #[error("the operating system gave no random numbers: {0}")]
    Random(io::Error),
}

/// A server that has bound its port and does not accept connections yet.
#[derive(Debug)]
pub struct WebServer {
    listener: TcpListener,
    port: u16,
    token: AccessToken,
}

impl WebServer {
    /// Binds the port and generates a new token.
    pub async fn bind(options: WebOptions) -> Result<Self, BindError> {
        let port = options.port.unwrap_or(0);
        let to_bind_error = |error| BindError::Port { port, error };
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await.map_err(to_bind_error)?;
        let port = listener.local_addr().map_err(to_bind_error)?.port();
        Ok(Self { listener, port, token: AccessToken::random().map_err(BindError::Random)? })
    }

    /// Returns the address for the user. Everyone who knows it can do everything that the page can.
    pub fn address(&self) -> String {
        format!("http://127.0.0.1:{}/#token={}", self.port, self.token.as_str())
    }

    /// Serves requests until `stop` is cancelled. Running turns continue, because they belong to the service.
    pub async fn serve(self, chats: Arc<dyn ChatService>, stop: CancellationToken) {
        let router = answers::router(chats, AccessGuard::new(self.token, self.port), stop.clone());
        let (permits, connections) = (Arc::new(Semaphore::new(MAX_CONNECTIONS)), TaskTracker::new());
        let mut strangers = VecDeque::new();
        // Cancelled after the grace period, to drop the requests that still run.
        let end = CancellationToken::new();
        loop {
            let stream = tokio::select! {
                () = stop.cancelled() => break,
                accepted = self.listener.accept() => accepted,
            };
            let stream = match stream {
                Ok((stream, _)) => stream,
                Err(error) => {
                    // The process is probably out of file descriptors, and the waiting client is still there: an
                    // immediate retry would fail again.
                    tracing::warn!(%error, "a browser could not connect");
                    drop(tokio::time::timeout(PAUSE, stop.cancelled()).await);
                    continue;
                }
            };
            let Some(permit) = admit(&permits, &mut strangers).await else {
                tracing::warn!("{MAX_CONNECTIONS} connections to the chat page are open; one more is closed");
                continue;
            };
            let connection = PageConnection::default();
            strangers.push_back(connection.clone());
            let router = router.clone().layer(Extension(connection.clone()));
            let (stop, end) = (stop.clone(), end.clone());
            connections.spawn(async move {
                tokio::select! {
                    () = answer(stream, router, stop) => {}
                    () = connection.closed.cancelled() => {}
                    () = end.cancelled() => {}
                }
                connection.closed.cancel();
                drop(permit);
            });
        }
        connections.close();
        if tokio::time::timeout(GRACE, connections.wait()).await.is_err() {
            end.cancel();
            connections.wait().await;
        }
    }
}

/// A connection, for the requests that it carries.
#[derive(Debug, Clone, Default)]
pub(crate) struct PageConnection {
    /// Whether one of its requests had the token.
    is_trusted: Arc<AtomicBool>,
    /// Cancelled when it is closed, and to close it.
    closed: CancellationToken,
}

impl PageConnection {
    /// Records that a request had the token.
    pub(crate) fn trust(&self) {
        self.is_trusted.store(true, Ordering::Relaxed);
    }
}

/// Returns the permit for a new connection, for which the oldest one without the token may be closed.
async fn admit(permits: &Arc<Semaphore>, strangers: &mut VecDeque<PageConnection>) -> Option<OwnedSemaphorePermit> {
    strangers.retain(|connection| !connection.is_trusted.load(Ordering::Relaxed) && !connection.closed.is_cancelled());
    if let Ok(permit) = Arc::clone(permits).try_acquire_owned() {
        return Some(permit);
    }
    strangers.pop_front()?.closed.cancel();
    // The closed connection's task gives its permit back at once.
    tokio::time::timeout(PAUSE, Arc::clone(permits).acquire_owned()).await.ok()?.ok()
}

/// Serves one connection; after `stop`, finishes only the request that has begun.
async fn answer(stream: TcpStream, router: Router, stop: CancellationToken) {
    let mut protocol = http1::Builder::new();
    protocol.timer(TokioTimer::new()).header_read_timeout(HEAD_TIMEOUT).max_buf_size(MAX_HEAD);
    let mut connection =
        std::pin::pin!(protocol.serve_connection(TokioIo::new(stream), TowerToHyperService::new(router)));
    let outcome = tokio::select! {
        outcome = connection.as_mut() => outcome,
        () = stop.cancelled() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = outcome {
        tracing::debug!(%error, "a connection of the chat page broke off");
    }
}
