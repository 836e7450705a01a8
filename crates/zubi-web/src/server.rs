//! The server's connections: how many, how long, and their end.

use std::io;
use std::net::Ipv4Addr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use zubi_agent::chat::ChatService;

use crate::answers;
use crate::guard::{AccessGuard, AccessToken};

/// The maximum number of connections; a browser opens six for all its tabs. Further ones are closed at once.
const MAX_CONNECTIONS: usize = 64;
/// How long the head of a request may take, and how long a connection may be silent between two requests.
const HEAD_TIMEOUT: Duration = Duration::from_secs(30);
/// The longest head of a request, in bytes.
const MAX_HEAD: usize = 32 * 1024;
/// The pause after a failed accept.
const PAUSE: Duration = Duration::from_millis(200);
/// The time for running requests to finish when the server ends.
const GRACE: Duration = Duration::from_secs(2);

/// How the page is served.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct WebOptions {
    /// On 127.0.0.1; any free one if it is not named.
    pub port: Option<u16>,
}

/// Why the page cannot be served.
#[derive(Debug, thiserror::Error)]
pub enum BindError {
    #[error("port {port} of 127.0.0.1 cannot be taken: {error}. Name another one, or none for any that is free")]
    Port { port: u16, error: io::Error },
    #[error("the operating system gave no random numbers: {0}")]
    Random(io::Error),
}

/// A server that has its port and does not answer yet.
#[derive(Debug)]
pub struct WebServer {
    listener: TcpListener,
    port: u16,
    token: AccessToken,
}

impl WebServer {
    /// Takes the port. The token is new each time.
    pub async fn bind(options: WebOptions) -> Result<Self, BindError> {
        let port = options.port.unwrap_or(0);
        let to_bind_error = |error| BindError::Port { port, error };
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await.map_err(to_bind_error)?;
        let port = listener.local_addr().map_err(to_bind_error)?.port();
        Ok(Self { listener, port, token: AccessToken::random().map_err(BindError::Random)? })
    }

    /// The address for the user. Everyone who knows it can do everything that the page can.
    pub fn address(&self) -> String {
        format!("http://127.0.0.1:{}/#token={}", self.port, self.token.as_str())
    }

    /// Serves requests until `stop`. Running turns continue: they belong to the service.
    pub async fn serve(self, chats: Arc<dyn ChatService>, stop: CancellationToken) {
        let router = answers::router(chats, AccessGuard::new(self.token, self.port), stop.clone());
        let (permits, connections) = (Arc::new(Semaphore::new(MAX_CONNECTIONS)), TaskTracker::new());
        // Drops what is still being answered when there was time enough.
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
            let Ok(permit) = Arc::clone(&permits).try_acquire_owned() else {
                tracing::warn!("{MAX_CONNECTIONS} connections to the chat page are open; one more is closed");
                continue;
            };
            let (router, stop, end) = (router.clone(), stop.clone(), end.clone());
            connections.spawn(async move {
                tokio::select! {
                    () = answer(stream, router, stop) => {}
                    () = end.cancelled() => {}
                }
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

/// Answers what comes over one connection; after `stop` only what has begun.
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
