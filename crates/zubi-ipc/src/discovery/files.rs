//! The run directory and the discovery files in it.

use std::io;
use std::os::unix::fs::MetadataExt as _;

use camino::{Utf8Path, Utf8PathBuf};
use serde::Deserialize;
use zubi_base::owner_only;

use super::{DiscoveryRecord, boot_id, is_instance, pid_namespace, process_start};
use crate::auth::Bytes32;
use crate::wire::PROTOCOL;

/// Maximum number of files to read. A directory with more was filled on purpose: no user has that many hosts.
const MAX_FILES: usize = 256;

/// Maximum size of a discovery file, in bytes.
const MAX_FILE_BYTES: u64 = 64 * 1024;

/// File name extension of discovery files.
const EXTENSION: &str = "json";

/// The maximum length of a Unix socket's path, in bytes (unix(7): 108 including the final zero, and 104 on other
/// systems).
const MAX_SOCKET_BYTES: usize = if cfg!(target_os = "linux") { 107 } else { 103 };

/// Result of [`RunDirectory::read`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DiscoveredHosts {
    /// Hosts sorted by file name. Each process is alive, but only a connection shows whether it answers.
    pub hosts: Vec<DiscoveryRecord>,
    pub rejected: Vec<RejectedRecord>,
}

/// A file, or the directory itself, that does not meet the conditions of a discovery file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RejectedRecord {
    pub file: Utf8PathBuf,
    /// Reason for the user, with a hint; refers to the file as "it".
    pub reason: String,
}

/// Directory with the discovery files.
#[derive(Debug, Clone)]
pub struct RunDirectory {
    path: Utf8PathBuf,
}

impl RunDirectory {
    /// Opens the directory. With `create`, creates it for this user alone; an error refers to it as "it". Otherwise it
    /// may not exist.
    pub fn open(path: impl Into<Utf8PathBuf>, create: bool) -> io::Result<Self> {
        let path = path.into();
        if create {
            make_directory(&path)
                .map_err(|error| io::Error::new(error.kind(), strip_file_name(&path, &error.to_string())))?;
        }
        Ok(Self { path })
    }

    pub fn path(&self) -> &Utf8Path {
        &self.path
    }

    /// Path for the socket of a host. Fails if the path is longer than the system allows.
    pub(crate) fn socket(&self, instance: &str) -> io::Result<Utf8PathBuf> {
        if !is_instance(instance) {
            return Err(io::Error::other(format!("`{instance}` is not a valid host name")));
        }
        let path = self.path.join(format!("{instance}.sock"));
        if path.as_str().len() > MAX_SOCKET_BYTES {
            return Err(io::Error::other(format!(
                "`{path}` is longer than the {MAX_SOCKET_BYTES} bytes allowed for a socket path; set \
                 `XDG_RUNTIME_DIR` to a directory of yours with a shorter path"
            )));
        }
        Ok(path)
    }

    /// Writes the discovery file of a host. It exists until the result is dropped.
    pub fn publish(&self, advertisement: &DiscoveryRecord) -> io::Result<PublishedFiles> {
        if !is_instance(&advertisement.instance) {
            return Err(io::Error::other(format!("`{}` is not a valid host name", advertisement.instance)));
        }
        check_directory(&self.path).map_err(io::Error::other)?;
        let content = serde_json::to_vec(advertisement).map_err(io::Error::other)?;
        if content.len() as u64 > MAX_FILE_BYTES {
            return Err(io::Error::other(format!(
                "the discovery file has {} bytes, limit {MAX_FILE_BYTES}",
                content.len()
            )));
        }
        let file = self.path.join(&advertisement.instance).with_extension(EXTENSION);
        owner_only::write_atomic(&file, &content)?;
        let file = RemoveOnDrop::for_path(file)?;
        let socket = advertisement.socket.clone().and_then(|socket| RemoveOnDrop::for_path(socket).ok());
        Ok(PublishedFiles { file, _socket: socket })
    }

    /// Reads all discovery files. Blocks briefly: at most 256 files of at most 64 KiB each.
    pub fn read(&self) -> DiscoveredHosts {
        let mut discovered = DiscoveredHosts::default();
        let reject =
            |file: &Utf8Path, why: String| RejectedRecord { file: file.to_owned(), reason: add_hint(file, &why) };
        match std::fs::symlink_metadata(&self.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return discovered,
            _ => {}
        }
        if let Err(why) = check_directory(&self.path) {
            discovered.rejected.push(reject(&self.path, why));
            return discovered;
        }
        let mut files = match self.files() {
            Ok(files) => files,
            Err(error) => {
                discovered.rejected.push(reject(&self.path, format!("it cannot be read: {error}")));
                return discovered;
            }
        };
        if files.len() > MAX_FILES {
            let why = format!("only {MAX_FILES} of its {} files are read; remove those of no host", files.len());
            discovered.rejected.push(reject(&self.path, why));
            files.truncate(MAX_FILES);
        }
        for file in files {
            match self.read_file(&file) {
                Ok(Some(host)) => discovered.hosts.push(host),
                Ok(None) => {}
                Err(why) => discovered.rejected.push(reject(&file, why)),
            }
        }
        discovered
    }

    /// Lists the paths that have the form of a discovery file, sorted by name.
    fn files(&self) -> io::Result<Vec<Utf8PathBuf>> {
        let mut files = Vec::new();
        for entry in self.path.read_dir_utf8()? {
            let path = entry?.into_path();
            if path.extension() == Some(EXTENSION) && !path.file_name().is_some_and(|name| name.starts_with('.')) {
                files.push(path);
            }
        }
        files.sort_unstable();
        Ok(files)
    }

    /// Reads one file: a host, `None` if its host has ended, or the reason why the file is rejected.
    fn read_file(&self, file: &Utf8Path) -> Result<Option<DiscoveryRecord>, String> {
        let content = match owner_only::read_own(file, MAX_FILE_BYTES) {
            Ok(content) => content,
            // The host has ended since the directory was listed.
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(_) if file.is_symlink() => return Err("it is a link; remove it".to_owned()),
            // The usual hint, to take ownership of the file, would be wrong for one that another user has planted.
            Err(_) if !is_owned_by_current_user(file) => return Err("it belongs to another user; remove it".to_owned()),
            Err(error) => return Err(error.to_string()),
        };
        let host = parse(&content)?;
        if file.file_stem() != Some(host.instance.as_str()) || !is_instance(&host.instance) {
            return Err("it is not named after the host in it; remove it".to_owned());
        }
        if !is_local(&host) {
            tracing::debug!(%file, pid = host.pid, "the host runs on another machine or in another container");
            return Ok(None);
        }
        if process_start(host.pid) != Some(host.started_at) {
            tracing::debug!(%file, pid = host.pid, "the host of this discovery file has ended");
            self.remove(file, &host);
            return Ok(None);
        }
        if Bytes32::from_hex(&host.token).is_none() {
            return Err("its token is not 64 hexadecimal digits; remove it".to_owned());
        }
        Ok(Some(host))
    }

    /// Removes the socket and the file of a host that has ended.
    fn remove(&self, file: &Utf8Path, host: &DiscoveryRecord) {
        let socket = host.socket.as_deref().filter(|socket| {
            socket.parent() == Some(self.path.as_path()) && socket.file_stem() == Some(host.instance.as_str())
        });
        if let Some(socket) = socket
            && is_own_socket(socket)
        {
            std::fs::remove_file(socket).ok();
        }
        std::fs::remove_file(file).ok();
    }
}

/// Whether the host's process id refers to a process that is visible here. A reboot cannot be distinguished from
/// another machine.
fn is_local(host: &DiscoveryRecord) -> bool {
    let is_same =
        |recorded: Option<&String>, own: Option<String>| recorded.zip(own).is_none_or(|(value, own)| *value == own);
    is_same(host.boot.as_ref(), boot_id()) && is_same(host.namespace.as_ref(), pid_namespace())
}

/// Rewrites an error message that names the file into one that does not.
fn strip_file_name(file: &Utf8Path, why: &str) -> String {
    why.replace(&format!("`{file}`: "), "").replace(&format!("`{file}`"), "it")
}

/// Appends the default hint to a message that has none.
fn add_hint(file: &Utf8Path, why: &str) -> String {
    let why = strip_file_name(file, why);
    if why.contains("; ") { why } else { format!("{why}; remove it") }
}

/// The version field of a discovery file, which is readable in every version.
#[derive(Deserialize)]
struct Version {
    version: u32,
}

fn parse(content: &[u8]) -> Result<DiscoveryRecord, String> {
    // serde would read an array as the fields in their order.
    if !content.trim_ascii_start().starts_with(b"{") {
        return Err("it is not a JSON object; remove it".to_owned());
    }
    serde_json::from_slice(content).map_err(|error| match serde_json::from_slice::<Version>(content) {
        Ok(Version { version }) if version != PROTOCOL => {
            format!("its host speaks version {version} of the protocol, and this zubi {PROTOCOL}; update the older one")
        }
        _ => format!("it is not a valid discovery file ({error}); remove it"),
    })
}

/// A file that is removed on drop if the path still refers to the same file.
#[derive(Debug)]
pub(crate) struct RemoveOnDrop {
    path: Utf8PathBuf,
    identity: (u64, u64),
}

impl RemoveOnDrop {
    pub(crate) fn for_path(path: Utf8PathBuf) -> io::Result<Self> {
        let metadata = std::fs::symlink_metadata(&path)?;
        Ok(Self { path, identity: (metadata.dev(), metadata.ino()) })
    }

    pub(crate) fn path(&self) -> &Utf8Path {
        &self.path
    }
}

impl Drop for RemoveOnDrop {
    fn drop(&mut self) {
        let same = |metadata: std::fs::Metadata| (metadata.dev(), metadata.ino()) == self.identity;
        if std::fs::symlink_metadata(&self.path).is_ok_and(same)
            && let Err(error) = std::fs::remove_file(&self.path)
        {
            tracing::warn!(path = %self.path, %error, "cannot remove a file of this host");
        }
    }
}

/// The discovery file of a host and its socket, both removed on drop.
#[derive(Debug)]
pub struct PublishedFiles {
    file: RemoveOnDrop,
    _socket: Option<RemoveOnDrop>,
}

impl PublishedFiles {
    /// Path of the discovery file.
    pub fn file(&self) -> &Utf8Path {
        self.file.path()
    }
}

/// Effective user id of this process.
pub(crate) fn current_uid() -> u32 {
    rustix::process::geteuid().as_raw()
}

/// Whether the path itself (links are not followed) belongs to this user; `false` if that cannot be read.
fn is_owned_by_current_user(path: &Utf8Path) -> bool {
    std::fs::symlink_metadata(path).is_ok_and(|metadata| metadata.uid() == current_uid())
}

/// Whether the path is a directory, or a link to one, that belongs to this user and that only this user can write.
pub(super) fn is_owner_only_writable(path: &Utf8Path) -> bool {
    std::fs::metadata(path)
        .is_ok_and(|metadata| metadata.is_dir() && metadata.uid() == current_uid() && metadata.mode() & 0o022 == 0)
}

/// Whether the path itself (links are not followed) is a socket of this user.
pub(crate) fn is_own_socket(path: &Utf8Path) -> bool {
    use std::os::unix::fs::FileTypeExt as _;
    std::fs::symlink_metadata(path)
        .is_ok_and(|metadata| metadata.file_type().is_socket() && metadata.uid() == current_uid())
}

/// Returns the metadata of a directory that belongs to this user; links are rejected.
fn check_owner(path: &Utf8Path) -> Result<std::fs::Metadata, String> {
    let metadata = std::fs::symlink_metadata(path).map_err(|error| format!("`{path}`: {error}"))?;
    if !metadata.is_dir() {
        return Err(format!("`{path}` is not a directory of its own; remove it"));
    }
    if metadata.uid() != current_uid() {
        return Err(format!(
            "`{path}` belongs to another user; remove it, or set `XDG_RUNTIME_DIR` to a directory of yours"
        ));
    }
    Ok(metadata)
}

/// Creates a directory for this user alone, or restricts an existing one of this user.
fn make_directory(path: &Utf8Path) -> io::Result<()> {
    // Root could take over a directory of another user and other users cannot, so neither may.
    if std::fs::symlink_metadata(path).is_ok() {
        check_owner(path).map_err(io::Error::other)?;
    }
    owner_only::create_directory(path)?;
    check_directory(path).map_err(io::Error::other)
}

/// Checks that only this user can create or remove files in the directory.
fn check_directory(path: &Utf8Path) -> Result<(), String> {
    let mode = check_owner(path)?.mode() & 0o777;
    if mode & 0o077 != 0 {
        return Err(format!("`{path}` is open to others (mode {mode:03o}); make it yours alone: `chmod 700 {path}`"));
    }
    Ok(())
}
