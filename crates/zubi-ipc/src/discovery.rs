//! Discovery of hosts: one file per host in a directory that only this user can access.
//!
//! zubi trusts a regular file that belongs to this user and that only they can read, in a directory that belongs to
//! them and that only they can enter, if the process that the file names is alive and started at the recorded time. It
//! removes the files of dead processes, and reports other rejected files with a hint. It skips the file of a host on
//! another machine or in another container that shares the directory, because it cannot check that process.

use std::io;

use camino::{Utf8Path, Utf8PathBuf};
use serde::{Deserialize, Serialize};
use zubi_base::env;
use zubi_base::random;

use crate::wire::host::HostKind;

mod files;
mod process;

pub use self::files::{DiscoveredHosts, PublishedFiles, RejectedRecord, RunDirectory};
pub(crate) use self::files::{RemoveOnDrop, current_uid, is_own_socket};
pub use self::process::{boot_id, pid_namespace, process_start};

/// Length of an instance name, in characters.
const INSTANCE_LENGTH: usize = 16;

/// Content of a host's discovery file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DiscoveryRecord {
    /// [`crate::wire::PROTOCOL`] of the host.
    pub version: u32,
    /// Name of the host, see [`new_instance`]; also the stem of the file's name.
    pub instance: String,
    pub pid: u32,
    /// Start time of the process, in clock ticks since boot, which distinguishes it from a later process with the same
    /// id.
    pub started_at: u64,
    /// [`boot_id`] of the machine on which the process runs. Absent in the files of older programs.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub boot: Option<String>,
    /// [`pid_namespace`] of the process. Absent in the files of older programs.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub namespace: Option<String>,
    pub kind: HostKind,
    /// Absolute paths with links resolved.
    pub workspace_folders: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub socket: Option<Utf8PathBuf>,
    /// Port on 127.0.0.1.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub port: Option<u16>,
    /// 32 bytes in hexadecimal; see [`crate::auth`].
    pub token: String,
    #[serde(default)]
    pub capabilities: Vec<String>,
    /// Version of the program.
    #[serde(default)]
    pub program: String,
}

/// Returns the directory with the discovery files of this user: `$XDG_RUNTIME_DIR/zubi` if that variable is an absolute
/// path to a directory of this user that others cannot write, otherwise `run` in the state directory. It may not exist.
pub fn run_directory(state_dir: &Utf8Path) -> Utf8PathBuf {
    run_directory_of(env::runtime_directory().as_deref(), state_dir)
}

fn run_directory_of(runtime: Option<&Utf8Path>, state_dir: &Utf8Path) -> Utf8PathBuf {
    match runtime.filter(|runtime| files::is_owner_only_writable(runtime)) {
        Some(runtime) => runtime.join("zubi"),
        None => state_dir.join("run"),
    }
}

/// Generates an unguessable host name: 16 characters of base 32. Fails if the system has no random numbers.
pub fn new_instance() -> io::Result<String> {
    random::base32::<INSTANCE_LENGTH>()
}

/// Whether `text` has the form of a host name, which is also a file name.
fn is_instance(text: &str) -> bool {
    text.len() == INSTANCE_LENGTH && text.bytes().all(|byte| random::BASE32.contains(&byte))
}

#[cfg(test)]
mod tests;
