//! A host that exists only for clients: `zubi serve`.

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use camino::Utf8PathBuf;
use tokio_util::sync::CancellationToken;
use zubi_ipc::discovery::RunDirectory;
use zubi_ipc::listener::PortChoice;
use zubi_ipc::wire::host::{HostEnvironment, HostKind};

use crate::client::election;
use crate::local::LocalHost;
use crate::service::ToolService as _;
use crate::serving::{ClientPolicy, PublishOptions, PublishedHost};

/// The configuration of a daemon.
pub struct DaemonConfig {
    /// The workspace folders, with links resolved.
    pub folders: Vec<Utf8PathBuf>,
    /// The directory in which hosts find each other.
    pub run: Utf8PathBuf,
    pub environment: HostEnvironment,
    pub port: PortChoice,
    /// The restrictions for clients.
    pub client_policy: ClientPolicy,
    /// The time without any connected client after which the daemon ends; `None`: never.
    pub idle: Option<Duration>,
}

/// The reason why a daemon cannot start.
#[derive(Debug, thiserror::Error)]
pub enum DaemonError {
    /// Another daemon already serves the workspace.
    #[error("a daemon serves this workspace already (process {pid})")]
    Exists { pid: u32 },
    /// Another process has had the election lock for too long.
    #[error("another process has been starting to serve this workspace for too long")]
    Busy,
    #[error("`{run}` cannot be used: {error}")]
    Run { run: Utf8PathBuf, error: io::Error },
}

/// The reason for a daemon's end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DaemonEnd {
    /// A client requested it.
    Requested,
    /// No client was connected for the time [`DaemonConfig::idle`].
    Idle,
}

/// The daemon; see the module's documentation.
pub struct Daemon {
    host: Arc<LocalHost>,
    published: PublishedHost,
    shutdown_token: CancellationToken,
    idle: Option<Duration>,
}

impl Daemon {
    /// Starts to listen for clients of a host. If several daemons start at once, one succeeds.
    ///
    /// # Errors
    ///
    /// If a daemon of these folders already exists, or clients could not find this one.
    pub async fn open(host: Arc<LocalHost>, config: DaemonConfig) -> Result<Self, DaemonError> {
        let unusable = |error| DaemonError::Run { run: config.run.clone(), error };
        let run = RunDirectory::open(&config.run, true).map_err(unusable)?;
        let deadline = Instant::now() + election::ELECTION_TIMEOUT;
        let lock_file = loop {
            match election::acquire_election_lock(&config.run, &config.folders).map_err(unusable)? {
                Some(lock_file) => break lock_file,
                None if Instant::now() >= deadline => return Err(DaemonError::Busy),
                None => tokio::time::sleep(election::RETRY).await,
            }
        };
        let hosts = run.read().hosts;
        let is_same = |folders: &[String]| folders.iter().eq(config.folders.iter().map(|folder| folder.as_str()));
        let daemon = hosts.iter().find(|host| host.kind == HostKind::Daemon && is_same(&host.workspace_folders));
        if let Some(daemon) = daemon {
            return Err(DaemonError::Exists { pid: daemon.pid });
        }
        let shutdown_token = CancellationToken::new();
        let options = PublishOptions {
            kind: HostKind::Daemon,
            environment: config.environment,
            port: config.port,
            client_policy: config.client_policy,
            shutdown_token: Some(shutdown_token.clone()),
        };
        let published = PublishedHost::open(Arc::clone(&host), &run, options)
            .map_err(|error| DaemonError::Run { run: config.run.clone(), error })?;
        drop(lock_file);
        Ok(Self { host, published, shutdown_token, idle: config.idle })
    }

    pub fn instance(&self) -> &str {
        self.published.instance()
    }

    /// The port on 127.0.0.1, if one could be opened.
    pub fn port(&self) -> Option<u16> {
        self.published.port()
    }

    /// Completes when the daemon should end, with the reason.
    pub async fn wait_for_shutdown(&self) -> DaemonEnd {
        tokio::select! {
            () = self.shutdown_token.cancelled() => DaemonEnd::Requested,
            () = self.idle() => DaemonEnd::Idle,
        }
    }

    async fn idle(&self) {
        let Some(idle) = self.idle else { return std::future::pending().await };
        let mut connected = self.published.client_count();
        loop {
            // An error means that the host has ended, so no client is left to wait for.
            if connected.wait_for(|count| *count == 0).await.is_err() {
                return;
            }
            if tokio::time::timeout(idle, connected.wait_for(|count| *count > 0)).await.is_err() {
                return;
            }
        }
    }

    /// Stops listening, ends the host and waits for its end.
    pub async fn end(self) {
        self.published.close().await;
        self.host.shutdown().await;
    }
}
