//! A host that other processes can find: it listens, and the run directory contains its discovery file.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use camino::{Utf8Path, Utf8PathBuf};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use zubi_ipc::discovery::{self, DiscoveryRecord, PublishedFiles, RunDirectory};
use zubi_ipc::listener::{Listener, ListenerConfig, PortChoice};
use zubi_ipc::wire::PROTOCOL;
use zubi_ipc::wire::host::{HostEnvironment, HostKind};

use super::server::{ClientPolicy, HostServer, Identity};
use crate::local::LocalHost;
use crate::service::ToolService as _;

/// Options for sharing a host.
#[derive(Debug, Clone)]
pub struct PublishOptions {
    pub kind: HostKind,
    pub environment: HostEnvironment,
    pub port: PortChoice,
    /// The restrictions for clients.
    pub client_policy: ClientPolicy,
    /// Cancelled when a client requests the end of the host; without it, no client can end the host.
    pub shutdown_token: Option<CancellationToken>,
}

/// A host that listens for clients.
pub struct PublishedHost {
    server: Arc<HostServer>,
    published: Mutex<Option<PublishedFiles>>,
    port: Option<u16>,
    file: Utf8PathBuf,
    stop: CancellationToken,
    task: Mutex<Option<JoinHandle<()>>>,
}

impl PublishedHost {
    /// Listens for clients and publishes the discovery file. Must be called within a tokio runtime, which then serves
    /// the host.
    ///
    /// # Errors
    ///
    /// If the run directory cannot be used; nothing remains open then.
    pub fn open(host: Arc<LocalHost>, run: &RunDirectory, options: PublishOptions) -> io::Result<Self> {
        let instance = discovery::new_instance()?;
        let pid = std::process::id();
        let started_at = discovery::process_start(pid)
            .ok_or_else(|| io::Error::other("the system does not say when this process started"))?;
        let listener = Listener::bind(run, ListenerConfig { instance: instance.clone(), port: options.port })?;
        let folders = host.describe().folders;
        let advertisement = DiscoveryRecord {
            version: PROTOCOL,
            instance: instance.clone(),
            pid,
            started_at,
            boot: discovery::boot_id(),
            namespace: discovery::pid_namespace(),
            kind: options.kind,
            workspace_folders: folders.iter().map(|folder| folder.path.to_string()).collect(),
            socket: Some(listener.socket().to_owned()),
            port: listener.port(),
            token: listener.token().to_owned(),
            capabilities: Vec::new(),
            program: env!("CARGO_PKG_VERSION").to_owned(),
        };
        let port = listener.port();
        let published = run.publish(&advertisement)?;
        let file = published.file().to_owned();
        let identity = Identity { instance, kind: options.kind, environment: options.environment };
        let server = HostServer::new(host, identity, options.client_policy, options.shutdown_token);
        let stop = CancellationToken::new();
        let task = tokio::spawn(listener.serve(Arc::clone(&server) as _, stop.clone()));
        Ok(Self { server, published: Mutex::new(Some(published)), port, file, stop, task: Mutex::new(Some(task)) })
    }

    pub fn instance(&self) -> &str {
        &self.server.identity().instance
    }

    /// The port on 127.0.0.1, if one could be opened.
    pub fn port(&self) -> Option<u16> {
        self.port
    }

    /// The path of the discovery file, which exists until the host is hidden.
    pub fn file(&self) -> &Utf8Path {
        &self.file
    }

    /// The server of the clients.
    pub fn server(&self) -> &Arc<HostServer> {
        &self.server
    }

    /// Returns the number of connected clients.
    pub fn client_count(&self) -> watch::Receiver<usize> {
        self.server.client_count()
    }

    /// Hides the host from new clients; connected ones remain.
    pub fn hide(&self) {
        drop(self.published.lock().unwrap_or_else(PoisonError::into_inner).take());
    }

    /// Stops listening, closes every connection after its queued responses, and waits until that is done.
    pub async fn close(&self) {
        self.hide();
        self.stop.cancel();
        let task = self.task.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(task) = task {
            drop(task.await);
        }
    }
}

impl Drop for PublishedHost {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}
