//! A host that lives for others alone: `zubi serve`.

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use camino::Utf8PathBuf;
use tokio_util::sync::CancellationToken;
use zubi_ipc::discovery::RunDirectory;
use zubi_ipc::listener::PortChoice;
use zubi_ipc::wire::host::{Environment, HostKind};

use crate::client::election;
use crate::local::LocalHost;
use crate::service::ToolService as _;
use crate::serving::{ClientPolicy, PublishedHost, PublishOptions};

/// What a daemon is made of.
pub struct DaemonConfig {
    /// Links resolved.
    pub folders: Vec<Utf8PathBuf>,
    /// Where hosts find each other.
    pub run: Utf8PathBuf,
    pub environment: Environment,
    pub port: PortChoice,
    /// What clients may not do.
    pub limits: ClientPolicy,
    /// It ends when nobody has been connected for so long; `None`: never.
    pub idle: Option<Duration>,
}

/// Why there is no daemon.
#[derive(Debug, thiserror::Error)]
pub enum DaemonError {
    /// One serves the workspace already.
    #[error("a daemon serves this workspace already (process {pid})")]
    Exists { pid: u32 },
    /// Another process has been about to become one for too long.
    #[error("another process has been about to serve this workspace for too long")]
    Busy,
    #[error("`{run}` cannot be used: {error}")]
    Run { run: Utf8PathBuf, error: io::Error },
}

/// Why a daemon ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DaemonEnd {
    /// A client asked for it.
    Asked,
    /// Nobody has been connected for long.
    Idle,
}

/// See the module.
pub struct Daemon {
    host: Arc<LocalHost>,
    shared: PublishedHost,
    asked: CancellationToken,
    idle: Option<Duration>,
}

impl Daemon {
    /// Opens the doors of a host. Of several that are started at once one does.
    ///
    /// # Errors
    ///
    /// There is a daemon of these folders already, or nobody could find this one.
    pub async fn open(host: Arc<LocalHost>, config: DaemonConfig) -> Result<Self, DaemonError> {
        let unusable = |error| DaemonError::Run { run: config.run.clone(), error };
        let run = RunDirectory::open(&config.run, true).map_err(unusable)?;
        let deadline = Instant::now() + election::ELECTION_TIMEOUT;
        let turn = loop {
            match election::acquire_election_lock(&config.run, &config.folders).map_err(unusable)? {
                Some(turn) => break turn,
                None if Instant::now() >= deadline => return Err(DaemonError::Busy),
                None => tokio::time::sleep(election::RETRY).await,
            }
        };
        let others = run.read().hosts;
        let same = |folders: &[String]| folders.iter().eq(config.folders.iter().map(|folder| folder.as_str()));
        let other = others.iter().find(|host| host.kind == HostKind::Daemon && same(&host.workspace_folders));
        if let Some(other) = other {
            return Err(DaemonError::Exists { pid: other.pid });
        }
        let asked = CancellationToken::new();
        let sharing = PublishOptions {
            kind: HostKind::Daemon,
            environment: config.environment,
            port: config.port,
            limits: config.limits,
            ends: Some(asked.clone()),
        };
        let shared = PublishedHost::open(Arc::clone(&host), &run, sharing)
            .map_err(|error| DaemonError::Run { run: config.run.clone(), error })?;
        drop(turn);
        Ok(Self { host, shared, asked, idle: config.idle })
    }

    pub fn instance(&self) -> &str {
        self.shared.instance()
    }

    /// The port on 127.0.0.1, where one was to be had.
    pub fn port(&self) -> Option<u16> {
        self.shared.port()
    }

    /// Returns when it is to end.
    pub async fn wait_for_shutdown(&self) -> DaemonEnd {
        tokio::select! {
            () = self.asked.cancelled() => DaemonEnd::Asked,
            () = self.idle() => DaemonEnd::Idle,
        }
    }

    async fn idle(&self) {
        let Some(idle) = self.idle else { return std::future::pending().await };
        let mut connected = self.shared.client_count();
        loop {
            // An error: there is no host any more, and so nobody to wait for.
            if connected.wait_for(|count| *count == 0).await.is_err() {
                return;
            }
            if tokio::time::timeout(idle, connected.wait_for(|count| *count > 0)).await.is_err() {
                return;
            }
        }
    }

    /// Closes the doors and ends the host. Returns when nothing is left.
    pub async fn end(self) {
        self.shared.close().await;
        self.host.shutdown().await;
    }
}
