//! The directory and its files.

use std::io;
use std::os::unix::fs::MetadataExt as _;

use camino::{Utf8Path, Utf8PathBuf};
use serde::Deserialize;
use zubi_base::private;

use super::{DiscoveryRecord, boot_id, is_instance, pid_namespace, process_start};
use crate::proof::Bytes32;
use crate::wire::PROTOCOL;

/// The most files that are read. More hosts than that nobody has; a directory with more is somebody's joke.
const MAX_FILES: usize = 256;

/// The largest file that is read, in bytes.
const MAX_FILE_BYTES: u64 = 64 * 1024;

/// What a file of a host ends with.
const EXTENSION: &str = "json";

/// The longest path of a Unix socket, in bytes (unix(7): 108 with the zero at its end, and 104 on other systems).
const MAX_SOCKET_BYTES: usize = if cfg!(target_os = "linux") { 107 } else { 103 };

/// What [`RunDirectory::read`] finds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DiscoveredHosts {
    /// By the names of their files; see [`super::order`]. Their process lives, but whether they answer is only known from asking.
    pub hosts: Vec<DiscoveryRecord>,
    pub disbelieved: Vec<RejectedRecord>,
}

/// A file, or the directory itself, that is not what a host leaves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RejectedRecord {
    pub file: Utf8PathBuf,
    /// For people, with a next step; speaks of the file as "it".
    pub why: String,
}

/// The directory of the files.
#[derive(Debug, Clone)]
pub struct RunDirectory {
    path: Utf8PathBuf,
}

impl RunDirectory {
    /// With `create` the directory is made, and made ours alone; an error, which speaks of it as "it", when that is not possible.
    /// Without, it need not exist.
    pub fn open(path: impl Into<Utf8PathBuf>, create: bool) -> io::Result<Self> {
        let path = path.into();
        if create {
            make_directory(&path).map_err(|error| io::Error::new(error.kind(), strip_file_name(&path, &error.to_string())))?;
        }
        Ok(Self { path })
    }

    pub fn path(&self) -> &Utf8Path {
        &self.path
    }

    /// Where the socket of a host belongs. An error when the path is longer than the system allows.
    pub(crate) fn socket(&self, instance: &str) -> io::Result<Utf8PathBuf> {
        if !is_instance(instance) {
            return Err(io::Error::other(format!("`{instance}` is no name of a host")));
        }
        let path = self.path.join(format!("{instance}.sock"));
        if path.as_str().len() > MAX_SOCKET_BYTES {
            return Err(io::Error::other(format!(
                "`{path}` is longer than the {MAX_SOCKET_BYTES} bytes that the path of a socket may have; set \
                 `XDG_RUNTIME_DIR` to a directory of yours with a shorter path"
            )));
        }
        Ok(path)
    }

    /// Writes the file of a host. It is there as long as the answer is kept.
    pub fn publish(&self, advertisement: &DiscoveryRecord) -> io::Result<PublishedFiles> {
        if !is_instance(&advertisement.instance) {
            return Err(io::Error::other(format!("`{}` is no name of a host", advertisement.instance)));
        }
        check_directory(&self.path).map_err(io::Error::other)?;
        let content = serde_json::to_vec(advertisement).map_err(io::Error::other)?;
        if content.len() as u64 > MAX_FILE_BYTES {
            return Err(io::Error::other(format!(
                "the file of a host has {} bytes, which nobody reads",
                content.len()
            )));
        }
        let file = self.path.join(&advertisement.instance).with_extension(EXTENSION);
        private::write_atomic(&file, &content)?;
        let file = RemoveOnDrop::for_path(file)?;
        let socket = advertisement.socket.clone().and_then(|socket| RemoveOnDrop::for_path(socket).ok());
        Ok(PublishedFiles { file, _socket: socket })
    }

    /// Reads all files. Blocks, but not for long: at most 256 files of at most 64 KiB.
    pub fn read(&self) -> DiscoveredHosts {
        let mut found = DiscoveredHosts::default();
        let disbelieve = |file: &Utf8Path, why: String| RejectedRecord { file: file.to_owned(), why: of_it(file, &why) };
        match std::fs::symlink_metadata(&self.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return found,
            _ => {}
        }
        if let Err(why) = check_directory(&self.path) {
            found.disbelieved.push(disbelieve(&self.path, why));
            return found;
        }
        let mut files = match self.files() {
            Ok(files) => files,
            Err(error) => {
                found.disbelieved.push(disbelieve(&self.path, format!("it cannot be read: {error}")));
                return found;
            }
        };
        if files.len() > MAX_FILES {
            let why =
                format!("only {MAX_FILES} of its {} files are read; remove those that no host has left", files.len());
            found.disbelieved.push(disbelieve(&self.path, why));
            files.truncate(MAX_FILES);
        }
        for file in files {
            match self.read_file(&file) {
                Ok(Some(host)) => found.hosts.push(host),
                Ok(None) => {}
                Err(why) => found.disbelieved.push(disbelieve(&file, why)),
            }
        }
        found
    }

    /// Everything that looks like a host's file, by name.
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

    /// A host, or nothing where it has gone since; an error says why the file is not believed.
    fn read_file(&self, file: &Utf8Path) -> Result<Option<DiscoveryRecord>, String> {
        let content = match private::read_own(file, MAX_FILE_BYTES) {
            Ok(content) => content,
            // Its host has ended meanwhile.
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(_) if file.is_symlink() => return Err("it is a link; remove it".to_owned()),
            // That it be made ours, as is usual, is no advice for what somebody has planted.
            Err(_) if !is_of_us(file) => return Err("it belongs to another user; remove it".to_owned()),
            Err(error) => return Err(error.to_string()),
        };
        let host = parse(&content)?;
        if file.file_stem() != Some(host.instance.as_str()) || !is_instance(&host.instance) {
            return Err("it is not named after the host in it; remove it".to_owned());
        }
        if !is_of_here(&host) {
            tracing::debug!(%file, pid = host.pid, "the host of this file runs elsewhere");
            return Ok(None);
        }
        if process_start(host.pid) != Some(host.started_at) {
            tracing::debug!(%file, pid = host.pid, "the host of this file has gone");
            self.remove(file, &host);
            return Ok(None);
        }
        if Bytes32::from_hex(&host.token).is_none() {
            return Err("its token is not 64 hexadecimal digits; remove it".to_owned());
        }
        Ok(Some(host))
    }

    /// Removes what a host has left that has gone.
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

/// Whether the host's number means a process that can be seen from here. A machine that has been started anew cannot be told
/// from another one.
fn is_of_here(host: &DiscoveryRecord) -> bool {
    let agree = |said: Option<&String>, own: Option<String>| said.zip(own).is_none_or(|(said, own)| *said == own);
    agree(host.boot.as_ref(), boot_id()) && agree(host.namespace.as_ref(), pid_namespace())
}

/// A reason that names the file, as one that does not.
fn strip_file_name(file: &Utf8Path, why: &str) -> String {
    why.replace(&format!("`{file}`: "), "").replace(&format!("`{file}`"), "it")
}

/// The same with the usual next step where it has none.
fn of_it(file: &Utf8Path, why: &str) -> String {
    let why = strip_file_name(file, why);
    if why.contains("; ") { why } else { format!("{why}; remove it") }
}

/// The version alone, of whatever else has changed.
#[derive(Deserialize)]
struct Version {
    version: u32,
}

fn parse(content: &[u8]) -> Result<DiscoveryRecord, String> {
    // An array would be read as the fields in their order.
    if !content.trim_ascii_start().starts_with(b"{") {
        return Err("it is no JSON object; remove it".to_owned());
    }
    serde_json::from_slice(content).map_err(|error| match serde_json::from_slice::<Version>(content) {
        Ok(Version { version }) if version != PROTOCOL => {
            format!("its host speaks version {version} of the protocol, and this zubi {PROTOCOL}; update the older one")
        }
        _ => format!("it is not what a host writes ({error}); remove it"),
    })
}

/// A file that goes with this value, if it is still the same file.
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
            tracing::warn!(path = %self.path, %error, "cannot remove what this host has left");
        }
    }
}

/// The file of a host, and its socket: both are removed on drop.
#[derive(Debug)]
pub struct PublishedFiles {
    file: RemoveOnDrop,
    _socket: Option<RemoveOnDrop>,
}

impl PublishedFiles {
    /// Where the file is.
    pub fn file(&self) -> &Utf8Path {
        self.file.path()
    }
}

/// This user, as far as the rights of the process go.
pub(crate) fn current_uid() -> u32 {
    rustix::process::geteuid().as_raw()
}

/// Whether it is ours, where that can be told.
fn is_of_us(path: &Utf8Path) -> bool {
    std::fs::symlink_metadata(path).is_ok_and(|metadata| metadata.uid() == current_uid())
}

/// Whether it is a directory, or a link to one, that only this user can change.
pub(super) fn is_owned_by_us(path: &Utf8Path) -> bool {
    std::fs::metadata(path)
        .is_ok_and(|metadata| metadata.is_dir() && metadata.uid() == current_uid() && metadata.mode() & 0o022 == 0)
}

/// Whether it is a socket of ours, and no link to one.
pub(crate) fn is_own_socket(path: &Utf8Path) -> bool {
    use std::os::unix::fs::FileTypeExt as _;
    std::fs::symlink_metadata(path).is_ok_and(|metadata| metadata.file_type().is_socket() && metadata.uid() == current_uid())
}

/// Whether it is a directory of ours, and no link to one.
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

/// Makes a directory that is ours alone, or makes sure that it is.
fn make_directory(path: &Utf8Path) -> io::Result<()> {
    // Root could make a foreign directory its own, and others cannot: neither shall.
    if std::fs::symlink_metadata(path).is_ok() {
        check_owner(path).map_err(io::Error::other)?;
    }
    private::create_directory(path)?;
    check_directory(path).map_err(io::Error::other)
}

/// Whether nobody else can put a file in it, or take one out.
fn check_directory(path: &Utf8Path) -> Result<(), String> {
    let mode = check_owner(path)?.mode() & 0o777;
    if mode & 0o077 != 0 {
        return Err(format!("`{path}` is open to others (mode {mode:03o}); make it yours alone: `chmod 700 {path}`"));
    }
    Ok(())
}
