//! How hosts are found: one file per host in a directory that is this user's alone.
//!
//! A file is believed when it is a plain file of ours that nobody else may read, in a directory of ours that nobody else may
//! enter, and when the process that it names lives since the moment that it names. What is found of a process that has gone
//! is removed; what is disbelieved for another reason is told, with what to do. The file of a host on another machine, or in
//! another container, that shares the directory is passed over: of its process nothing can be known here.

use std::cmp::{Ordering, Reverse};
use std::io;

use camino::{Utf8Path, Utf8PathBuf};
use serde::{Deserialize, Serialize};
use zubi_base::env;

use crate::wire::host::HostKind;

mod files;
mod process;

pub use self::files::{RejectedRecord, DiscoveredHosts, PublishedFiles, RunDirectory};
pub(crate) use self::files::{RemoveOnDrop, is_own_socket, current_uid};
pub use self::process::{boot_id, pid_namespace, process_start};

/// How many characters an instance has.
const INSTANCE_LENGTH: usize = 16;

/// The alphabet of base 32 (RFC 4648, section 6), in lower case.
const BASE32: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";

/// What a host tells of itself in its file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DiscoveryRecord {
    /// [`crate::wire::PROTOCOL`] of the host.
    pub version: u32,
    /// See [`new_instance`]; also the name of the file.
    pub instance: String,
    pub pid: u32,
    /// When the process started, in clock ticks since the system did: a process that was given the same id later has another.
    pub started_at: u64,
    /// See [`boot`]: where the process is looked for. Absent in the files of older programs.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub boot: Option<String>,
    /// See [`pid_namespace`].
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub namespace: Option<String>,
    pub kind: HostKind,
    /// Absolute, links resolved.
    pub workspace_folders: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub socket: Option<Utf8PathBuf>,
    /// On 127.0.0.1.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub port: Option<u16>,
    /// 32 bytes in hexadecimal; see [`crate::proof`].
    pub token: String,
    #[serde(default)]
    pub capabilities: Vec<String>,
    /// The version of the program.
    #[serde(default)]
    pub program: String,
}

/// The directory in which hosts of this user are found: `$XDG_RUNTIME_DIR/zubi` where that is set, absolute, ours and not
/// writable for others, else `run` in the state directory. Need not exist.
pub fn run_directory(state_dir: &Utf8Path) -> Utf8PathBuf {
    run_directory_of(env::runtime_directory().as_deref(), state_dir)
}

fn run_directory_of(runtime: Option<&Utf8Path>, state_dir: &Utf8Path) -> Utf8PathBuf {
    match runtime.filter(|runtime| files::is_owned_by_us(runtime)) {
        Some(runtime) => runtime.join("zubi"),
        None => state_dir.join("run"),
    }
}

/// A new name of a host: 16 characters of base 32, which nobody can guess. An error when the system has no random numbers.
pub fn new_instance() -> io::Result<String> {
    let mut bytes = [0; INSTANCE_LENGTH];
    getrandom::fill(&mut bytes).map_err(|error| io::Error::other(error.to_string()))?;
    Ok(bytes.iter().filter_map(|byte| BASE32.get(usize::from(byte % 32)).copied().map(char::from)).collect())
}

/// Whether this can be the name of a host, and so of a file.
fn is_instance(text: &str) -> bool {
    text.len() == INSTANCE_LENGTH && text.bytes().all(|byte| BASE32.contains(&byte))
}

impl DiscoveryRecord {
    /// Whether one of its folders is `folder` or contains it, and how many components deep that one is: of nested folders the
    /// deepest is meant. Compared component by component; both are absolute, with links resolved, or there is no answer.
    pub fn serves(&self, folder: &Utf8Path) -> Option<usize> {
        let plain = |path: &&Utf8Path| path.is_absolute() && path.components().all(|part| part.as_str() != "..");
        let folder = Some(folder).filter(plain)?;
        let own = self.workspace_folders.iter().map(|path| Utf8Path::new(path.as_str())).filter(plain);
        own.filter(|own| folder.starts_with(own)).map(|own| own.components().count()).max()
    }
}

/// Which of two hosts of a folder is the better one, which then is the lesser: the deeper folder, then an editor before a daemon
/// before a front, then the one that started earlier. A host that does not serve the folder comes last.
pub fn compare_preference(a: &DiscoveryRecord, b: &DiscoveryRecord, folder: &Utf8Path) -> Ordering {
    // Of two of one moment all clients choose the same.
    let key = |host: &DiscoveryRecord| (Reverse(host.serves(folder)), host.kind, host.started_at);
    key(a).cmp(&key(b)).then_with(|| a.instance.cmp(&b.instance))
}

#[cfg(test)]
mod tests;
