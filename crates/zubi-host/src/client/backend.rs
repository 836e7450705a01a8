//! The host that a client uses at a given time: its own, or one in another process.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use zubi_ipc::wire::host::HostKind;

use crate::local::LocalHost;
use crate::remote::RemoteHost;
use crate::service::ToolService;
use crate::serving::PublishedHost;

pub(super) enum Backend {
    Local(LocalBackend),
    Remote(Arc<RemoteHost>),
}

/// The host of this process.
pub(super) struct LocalBackend {
    host: Arc<LocalHost>,
    /// `None` if other processes cannot find the host.
    published: Option<Arc<PublishedHost>>,
    /// The number of requests of this session in progress.
    running_queries: watch::Sender<usize>,
}

/// A request in progress.
pub(super) struct QueryGuard<'host>(&'host watch::Sender<usize>);

impl Drop for QueryGuard<'_> {
    fn drop(&mut self) {
        self.0.send_modify(|count| *count -= 1);
    }
}

/// The time that an unpublished host of this process waits for its connected clients.
const CLIENT_TIMEOUT: Duration = Duration::from_mins(5);

/// The time that the host waits for calls in progress; no call takes longer.
const CALL_TIMEOUT: Duration = Duration::from_mins(10);

impl LocalBackend {
    pub(super) fn new(host: Arc<LocalHost>, published: Option<PublishedHost>) -> Self {
        Self { host, published: published.map(Arc::new), running_queries: watch::Sender::new(0) }
    }

    pub(super) fn host(&self) -> &Arc<LocalHost> {
        &self.host
    }

    fn track_query(&self) -> QueryGuard<'_> {
        self.running_queries.send_modify(|count| *count += 1);
        QueryGuard(&self.running_queries)
    }

    /// Withdraws the host, so that clients no longer find it. The host ends when all requests are answered and all
    /// clients have disconnected, or after a time-out. At their next request, those clients find the host that this
    /// client uses now.
    pub(super) fn unpublish(&self) {
        let (host, published, mut running_queries) =
            (Arc::clone(&self.host), self.published.clone(), self.running_queries.subscribe());
        tokio::spawn(async move {
            if let Some(published) = &published {
                published.hide();
            }
            drop(tokio::time::timeout(CALL_TIMEOUT, running_queries.wait_for(|count| *count == 0)).await);
            if let Some(published) = published {
                let mut connected = published.client_count();
                // A connected client without requests is not a reason to leave servers running.
                drop(tokio::time::timeout(CLIENT_TIMEOUT, connected.wait_for(|count| *count == 0)).await);
                published.close().await;
            }
            host.shutdown().await;
        });
    }
}

impl Backend {
    /// Returns the service of the host.
    pub(super) fn service(&self) -> Arc<dyn ToolService> {
        match self {
            Self::Local(local) => Arc::clone(&local.host) as _,
            Self::Remote(remote) => Arc::clone(remote) as _,
        }
    }

    /// Counts a request as in progress until the guard is dropped. The host of another process counts its own.
    pub(super) fn track_query(&self) -> Option<QueryGuard<'_>> {
        match self {
            Self::Local(local) => Some(local.track_query()),
            Self::Remote(_) => None,
        }
    }

    pub(super) fn kind(&self) -> HostKind {
        match self {
            Self::Local(_) => HostKind::InProcess,
            Self::Remote(remote) => remote.info().kind,
        }
    }

    /// Returns the host's name, if other processes can find it.
    pub(super) fn instance(&self) -> Option<&str> {
        match self {
            Self::Local(local) => local.published.as_ref().map(|published| published.instance()),
            Self::Remote(remote) => Some(&remote.info().instance),
        }
    }

    /// Whether this session would lose state with the host: background jobs.
    pub(super) fn has_session_state(&self) -> bool {
        match self {
            Self::Local(local) => local.host.has_jobs(),
            Self::Remote(_) => false,
        }
    }

    pub(super) fn is_disconnected(&self) -> bool {
        match self {
            Self::Local(_) => false,
            Self::Remote(remote) => remote.closed_reason().borrow().is_some(),
        }
    }

    /// Completes when the host has ended.
    pub(super) fn wait_disconnected(&self) -> impl Future<Output = ()> + use<> {
        let closed = match self {
            Self::Local(_) => None,
            Self::Remote(remote) => Some(remote.closed_reason()),
        };
        async move {
            match closed {
                // An error also means that the connection has closed.
                Some(mut closed) => drop(closed.wait_for(Option::is_some).await),
                None => std::future::pending().await,
            }
        }
    }

    /// Ends the client's use of the host, and the host itself if it belongs to this process.
    pub(super) async fn end(&self) {
        if let Self::Local(LocalBackend { published: Some(published), .. }) = self {
            published.close().await;
        }
        self.service().shutdown().await;
    }
}
