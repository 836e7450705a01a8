//! The host that a client uses at a given time: its own, or one in another process.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use zubi_ipc::wire::host::HostKind;
use zubi_tool_api::cx::{Caller, Restrictions};
use zubi_tool_api::{ResourceSpec, ResourceText, ToolSpec};

use crate::local::LocalHost;
use crate::remote::{HostDisconnected, RemoteHost};
use crate::service::{
    CallAnswer, CallContext, CallFailure, CallRequest, Explanation, HostDescription, PolicyInForce, PolicyUnknown,
    ToolService as _, UnknownTool,
};
use crate::serving::PublishedHost;

pub(super) enum Backend {
    Local(LocalBackend),
    Remote(Arc<RemoteHost>),
}

/// The host of this process.
pub(super) struct LocalBackend {
    host: Arc<LocalHost>,
    /// `None`: other processes cannot find it.
    shared: Option<Arc<PublishedHost>>,
    /// The number of requests of this session in progress.
    asked: watch::Sender<usize>,
}

/// A request in progress.
struct QueryGuard<'host>(&'host watch::Sender<usize>);

impl Drop for QueryGuard<'_> {
    fn drop(&mut self) {
        self.0.send_modify(|count| *count -= 1);
    }
}

/// How long an unpublished host of this process waits for the clients that are still connected to it.
const LAST_CLIENTS: Duration = Duration::from_mins(5);

/// How long the host waits for calls in progress: no call takes longer.
const LAST_CALLS: Duration = Duration::from_mins(10);

impl LocalBackend {
    pub(super) fn new(host: Arc<LocalHost>, shared: Option<PublishedHost>) -> Self {
        Self { host, shared: shared.map(Arc::new), asked: watch::Sender::new(0) }
    }

    pub(super) fn host(&self) -> &Arc<LocalHost> {
        &self.host
    }

    fn track_query(&self) -> QueryGuard<'_> {
        self.asked.send_modify(|count| *count += 1);
        QueryGuard(&self.asked)
    }

    /// Withdraws the host, so that no client finds it any longer. The host ends when all requests are answered and all
    /// clients have disconnected, or after a while. At their next request, those clients find the host that this client
    /// has found.
    pub(super) fn unpublish(&self) {
        let (host, shared, mut asked) = (Arc::clone(&self.host), self.shared.clone(), self.asked.subscribe());
        tokio::spawn(async move {
            if let Some(shared) = &shared {
                shared.hide();
            }
            drop(tokio::time::timeout(LAST_CALLS, asked.wait_for(|count| *count == 0)).await);
            if let Some(shared) = shared {
                let mut connected = shared.client_count();
                // A client that is connected but sends nothing is not a reason to leave servers running.
                drop(tokio::time::timeout(LAST_CLIENTS, connected.wait_for(|count| *count == 0)).await);
                shared.close().await;
            }
            host.shutdown().await;
        });
    }

    async fn end(&self) {
        if let Some(shared) = &self.shared {
            shared.close().await;
        }
        self.host.shutdown().await;
    }
}

impl Backend {
    pub(super) fn kind(&self) -> HostKind {
        match self {
            Self::Local(_) => HostKind::InProcess,
            Self::Remote(remote) => remote.info().kind,
        }
    }

    /// The host's name, if others can find it.
    pub(super) fn instance(&self) -> Option<&str> {
        match self {
            Self::Local(own) => own.shared.as_ref().map(|shared| shared.instance()),
            Self::Remote(remote) => Some(&remote.info().instance),
        }
    }

    /// Whether this session would lose state with the host: jobs that it has left running in the background.
    pub(super) fn has_session_state(&self) -> bool {
        match self {
            Self::Local(own) => own.host.has_jobs(),
            Self::Remote(_) => false,
        }
    }

    pub(super) fn is_disconnected(&self) -> bool {
        match self {
            Self::Local(_) => false,
            Self::Remote(remote) => remote.closed_reason().borrow().is_some(),
        }
    }

    /// Returns when the host has gone.
    pub(super) fn disconnected(&self) -> impl Future<Output = ()> + use<> {
        let closed = match self {
            Self::Local(_) => None,
            Self::Remote(remote) => Some(remote.closed_reason()),
        };
        async move {
            match closed {
                // An error means that the connection has closed.
                Some(mut closed) => drop(closed.wait_for(Option::is_some).await),
                None => std::future::pending().await,
            }
        }
    }

    pub(super) fn describe(&self) -> HostDescription {
        match self {
            Self::Local(own) => own.host.describe(),
            Self::Remote(remote) => remote.description(),
        }
    }

    pub(super) async fn list(&self, restrictions: &Restrictions) -> Result<Vec<Arc<ToolSpec>>, HostDisconnected> {
        match self {
            Self::Local(own) => own.host.list(restrictions).await.map_err(|error| HostDisconnected(error.to_string())),
            Self::Remote(remote) => remote.try_list(restrictions).await,
        }
    }

    pub(super) async fn find(
        &self,
        name: &str,
        restrictions: &Restrictions,
    ) -> Result<Result<Arc<ToolSpec>, UnknownTool>, HostDisconnected> {
        match self {
            Self::Local(own) => Ok(own.host.find(name, restrictions).await),
            Self::Remote(remote) => remote.try_find(name, restrictions).await,
        }
    }

    pub(super) async fn call(
        &self,
        request: &CallRequest,
        circumstances: &CallContext,
    ) -> Result<Result<CallAnswer, UnknownTool>, HostDisconnected> {
        match self {
            Self::Local(own) => {
                let _asking = own.track_query();
                Ok(own.host.call(request.clone(), circumstances.clone()).await)
            }
            Self::Remote(remote) => remote.try_call(request, circumstances).await,
        }
    }

    pub(super) async fn explain(
        &self,
        request: &CallRequest,
        circumstances: &CallContext,
    ) -> Result<Result<Result<Explanation, CallFailure>, UnknownTool>, HostDisconnected> {
        match self {
            Self::Local(own) => Ok(own.host.explain(request.clone(), circumstances.clone()).await),
            Self::Remote(remote) => remote.try_explain(request, circumstances).await,
        }
    }

    pub(super) async fn policy(&self) -> Result<Result<PolicyInForce, PolicyUnknown>, HostDisconnected> {
        match self {
            Self::Local(own) => Ok(Ok(own.host.policy_in_force())),
            Self::Remote(remote) => remote.try_policy().await,
        }
    }

    pub(super) fn changes(&self) -> watch::Receiver<u64> {
        match self {
            Self::Local(own) => own.host.changes(),
            Self::Remote(remote) => remote.changes(),
        }
    }

    pub(super) async fn resources(&self) -> Result<Vec<ResourceSpec>, HostDisconnected> {
        match self {
            Self::Local(own) => own.host.resources().await.map_err(|error| HostDisconnected(error.to_string())),
            Self::Remote(remote) => remote.try_resources().await,
        }
    }

    pub(super) async fn read(
        &self,
        uri: &str,
        caller: &Arc<Caller>,
        circumstances: &CallContext,
    ) -> Result<Option<Result<ResourceText, String>>, HostDisconnected> {
        match self {
            Self::Local(own) => {
                let _asking = own.track_query();
                Ok(own.host.read_resource(uri, Arc::clone(caller), circumstances.clone()).await)
            }
            Self::Remote(remote) => remote.try_read(uri, caller, circumstances).await,
        }
    }

    /// Ends the client's use of the host, and the host itself if it is this process's.
    pub(super) async fn end(&self) {
        match self {
            Self::Local(own) => own.end().await,
            Self::Remote(remote) => remote.shutdown().await,
        }
    }
}
