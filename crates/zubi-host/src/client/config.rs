//! The configuration of a host client.

use camino::Utf8PathBuf;
use zubi_ipc::listener::PortChoice;
use zubi_ipc::wire::host::HostEnvironment;

use crate::local::LocalHost;
use crate::serving::ClientPolicy;

/// Makes the host of this process.
type MakeHost = dyn Fn() -> Result<LocalHost, String> + Send + Sync;

/// The configuration of a [`HostClient`](super::HostClient).
pub struct HostClientConfig {
    /// The workspace, with links resolved. A host suits this client if it has all of these folders.
    pub folders: Vec<Utf8PathBuf>,
    /// The name of the host to prefer over all others that have these folders. After that host has ended, the others
    /// are considered.
    pub instance: Option<String>,
    /// Makes the host of this process, when one is needed. May block.
    pub factory: Box<MakeHost>,
    /// Whether others may find the host that this process becomes. A process that lives only for a single call should
    /// not share its host, because others cannot rely on it.
    pub is_shared: bool,
    /// The directory in which hosts find each other.
    pub run: Utf8PathBuf,
    /// The journal of changes to files: each change is recorded before it is made, so that a later host can check
    /// whether it happened.
    pub journal: Utf8PathBuf,
    /// Name and version of this process, for others.
    pub client: String,
    pub environment: HostEnvironment,
    pub port: PortChoice,
    /// The restrictions for clients of this process's host.
    pub client_policy: ClientPolicy,
    /// Shows a message to the user, once.
    pub notify_user: Box<dyn Fn(&str) + Send + Sync>,
}
