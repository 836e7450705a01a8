//! The configuration of a host client.

use camino::Utf8PathBuf;
use zubi_ipc::listener::PortChoice;
use zubi_ipc::wire::host::HostEnvironment;

use crate::local::LocalHost;
use crate::serving::ClientPolicy;

/// Creates the host of this process.
type MakeHost = dyn Fn() -> Result<LocalHost, String> + Send + Sync;

/// The configuration of a [`HostClient`](super::HostClient).
pub struct HostClientConfig {
    /// The workspace folders, with links resolved. This client can use a host that has all of them.
    pub folders: Vec<Utf8PathBuf>,
    /// The name of the preferred host among those with these folders. After it has ended, the client considers the
    /// others.
    pub instance: Option<String>,
    /// Creates the host of this process when it is needed. May block.
    pub factory: Box<MakeHost>,
    /// Whether other processes may find the host that this process becomes. A process for a single call should not
    /// share its host, because others cannot rely on it.
    pub is_shared: bool,
    /// The directory in which hosts find each other.
    pub run: Utf8PathBuf,
    /// The directory of zubi's state, with the journal of changes to files. Each change is recorded before it is made, so
    /// that a later host can check whether it happened.
    pub state_dir: Utf8PathBuf,
    /// The name and version of this process, as sent to hosts.
    pub client: String,
    pub environment: HostEnvironment,
    pub port: PortChoice,
    /// The restrictions for clients of this process's host.
    pub client_policy: ClientPolicy,
    /// Shows a message to the user, once.
    pub notify_user: Box<dyn Fn(&str) + Send + Sync>,
}
