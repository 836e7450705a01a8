//! The folders that the user trusts. Language servers may run a trusted project's code, and its configuration files
//! apply in full.
//!
//! The store has one file per folder, named by the hash of its path, and one per trusted content, named by its hash, so
//! that two processes cannot overwrite each other's records. Files are 0600 and written atomically; links, and files
//! that another user could have written, count as absent.
//!
//! **Trusting a folder covers everything below it**, as in editors: trust in `~/work` includes the projects in it. It
//! does not cover configuration files below it: trusting their own folder trusts the present content of each, so that a
//! changed file can only narrow until it is trusted again. The root directory cannot be trusted.

use std::collections::BTreeMap;
use std::io;
use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};
use serde::{Deserialize, Serialize};

use crate::owner_only;
use crate::text::ContentHash;

/// The maximum size of a record, in bytes.
const MAX_BYTES: u64 = 64 * 1024;

/// The maximum size of a trusted configuration file, in bytes.
pub const MAX_CONFIG_BYTES: u64 = 1024 * 1024;

/// Version of the record's format; a record of another version counts as absent.
const VERSION: u32 = 1;

/// One trusted folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Grant {
    version: u32,
    /// The absolute path with links resolved.
    pub folder: Utf8PathBuf,
    /// The time at which it was trusted, in seconds since the Unix epoch.
    pub since: u64,
    /// The folder's configuration files by absolute path, with the hash of the trusted content.
    pub files: BTreeMap<Utf8PathBuf, ContentHash>,
}

/// The contents of files by absolute path.
pub type Contents = BTreeMap<Utf8PathBuf, Vec<u8>>;

/// Returns one hash for all files and their contents.
pub fn hash_of(contents: &Contents) -> ContentHash {
    let hashes: Vec<_> = contents.iter().map(|(path, bytes)| (path, ContentHash::from_bytes(bytes))).collect();
    // Neither a path nor a hash contains a zero byte.
    let parts = hashes.iter().flat_map(|(path, hash)| [path.as_str(), "\0", hash.0.as_str(), "\0"]);
    ContentHash::from_parts(&parts.map(str::as_bytes).collect::<Vec<_>>())
}

/// The reason why trust could not be changed.
#[derive(Debug, thiserror::Error)]
pub enum TrustError {
    #[error("`{folder}` cannot be trusted: {source}")]
    NoFolder { folder: Utf8PathBuf, source: io::Error },
    #[error("`{folder}` cannot be trusted: it holds every folder of this machine; name the project's")]
    TooWide { folder: Utf8PathBuf },
    #[error("`{folder}` is not trusted, so there is nothing to revoke")]
    NotTrusted { folder: Utf8PathBuf },
    #[error("`{folder}` is trusted because `{by}` is; revoke that one")]
    TrustedByParent { folder: Utf8PathBuf, by: Utf8PathBuf },
    #[error("`{folder}` is not trusted: its files have other contents now than the ones that were looked at")]
    Changed { folder: Utf8PathBuf },
    #[error("cannot write the trust record `{path}`: {source}")]
    Write { path: Utf8PathBuf, source: io::Error },
}

/// The records on disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrustStore {
    directory: Utf8PathBuf,
}

impl TrustStore {
    /// The store below zubi's state directory. Reads and creates nothing yet.
    pub fn new(state_directory: impl AsRef<Utf8Path>) -> Self {
        Self { directory: state_directory.as_ref().join("trust") }
    }

    /// Returns the record that makes a folder trusted: its own, or that of the nearest parent folder. `folder` must be
    /// absolute with links resolved; no other path is trusted.
    pub fn grant_for(&self, folder: &Utf8Path) -> Option<Grant> {
        folder.ancestors().find_map(|ancestor| self.record(ancestor))
    }

    /// Whether a folder, absolute with links resolved, is trusted.
    pub fn is_trusted(&self, folder: &Utf8Path) -> bool {
        self.grant_for(folder).is_some()
    }

    /// Trusts a folder and the present content of these files; skips files that do not exist. Replaces an earlier
    /// record. `now` is the time since the Unix epoch.
    pub fn trust(&self, folder: &Utf8Path, files: &[Utf8PathBuf], now: Duration) -> Result<Grant, TrustError> {
        let read = |path: &Utf8PathBuf| Some((path.clone(), owner_only::read(path, MAX_CONFIG_BYTES).ok()?));
        self.trust_contents(folder, &files.iter().filter_map(read).collect(), None, now)
    }

    /// Trusts a folder and these contents of its files: the exact bytes that the user has reviewed, even if the files
    /// have changed. Fails if `expected` is given and is not the hash of the contents ([`hash_of`]).
    pub fn trust_contents(
        &self,
        folder: &Utf8Path,
        contents: &Contents,
        expected: Option<&ContentHash>,
        now: Duration,
    ) -> Result<Grant, TrustError> {
        let folder = resolve(folder)?;
        if folder.parent().is_none() {
            return Err(TrustError::TooWide { folder });
        }
        if expected.is_some_and(|expected| hash_of(contents) != *expected) {
            return Err(TrustError::Changed { folder });
        }
        let files = contents.iter().map(|(path, bytes)| (path.clone(), ContentHash::from_bytes(bytes))).collect();
        let grant = Grant { version: VERSION, folder, since: now.as_secs(), files };
        let path = self.path_of(&grant.folder);
        let write = |path: &Utf8Path| {
            owner_only::create_directory(&self.directory)?;
            for bytes in contents.values() {
                let copy_path = self.content_path(&ContentHash::from_bytes(bytes));
                copy_path.parent().map_or(Ok(()), owner_only::create_directory)?;
                owner_only::write_atomic(&copy_path, bytes)?;
            }
            owner_only::write_atomic(path, &serde_json::to_vec_pretty(&grant)?)
        };
        write(&path).map_err(|source| TrustError::Write { path, source })?;
        Ok(grant)
    }

    /// Returns the hash of a file's trusted content, which may differ from the present content.
    pub fn trusted_hash(&self, folder: &Utf8Path, file: &Utf8Path) -> Option<ContentHash> {
        self.record(folder)?.files.remove(file)
    }

    /// Returns an earlier trusted content, if it is stored, to show the changes since.
    pub fn text_of(&self, content: &ContentHash) -> Option<String> {
        let bytes = owner_only::read(&self.content_path(content), MAX_CONFIG_BYTES).ok()?;
        // Bytes with another hash are not the trusted content.
        (ContentHash::from_bytes(&bytes) == *content).then(|| String::from_utf8(bytes).ok()).flatten()
    }

    /// The directory of the records.
    pub fn directory(&self) -> &Utf8Path {
        &self.directory
    }

    fn content_path(&self, content: &ContentHash) -> Utf8PathBuf {
        // A record's text is not verified; an invalid hash maps to a path that does not exist.
        let is_hash = content.0.len() == 64 && content.0.bytes().all(|byte| byte.is_ascii_hexdigit());
        self.directory.join("contents").join(if is_hash { content.0.as_str() } else { "none" })
    }

    /// Revokes trust in a folder. Resolves the path if it still exists.
    pub fn revoke(&self, folder: &Utf8Path) -> Result<Utf8PathBuf, TrustError> {
        let folder = resolve(folder).unwrap_or_else(|_| folder.to_owned());
        let path = self.path_of(&folder);
        match std::fs::remove_file(&path) {
            Ok(()) => Ok(folder),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Err(match self.grant_for(&folder) {
                Some(grant) => TrustError::TrustedByParent { folder, by: grant.folder },
                None => TrustError::NotTrusted { folder },
            }),
            Err(source) => Err(TrustError::Write { path, source }),
        }
    }

    /// All trusted folders, by path.
    pub fn list(&self) -> Vec<Grant> {
        let Ok(entries) = self.directory.read_dir_utf8() else { return Vec::new() };
        let mut grants: Vec<Grant> = entries
            .filter_map(Result::ok)
            .filter_map(|entry| {
                let grant = read_record(entry.path())?;
                // A record with another name than its folder's would be listed but never found.
                (self.path_of(&grant.folder) == entry.path()).then_some(grant)
            })
            .collect();
        grants.sort_by(|left, right| left.folder.cmp(&right.folder));
        grants
    }

    fn record(&self, folder: &Utf8Path) -> Option<Grant> {
        read_record(&self.path_of(folder)).filter(|grant| grant.folder == folder)
    }

    fn path_of(&self, folder: &Utf8Path) -> Utf8PathBuf {
        self.directory.join(format!("{}.json", ContentHash::from_bytes(folder.as_str().as_bytes()).0))
    }
}

fn read_record(path: &Utf8Path) -> Option<Grant> {
    if !owner_only::owner_only(path).ok()? {
        return None;
    }
    let grant: Grant = serde_json::from_slice(&owner_only::read(path, MAX_BYTES).ok()?).ok()?;
    (grant.version == VERSION).then_some(grant)
}

fn resolve(folder: &Utf8Path) -> Result<Utf8PathBuf, TrustError> {
    let fail = |source| TrustError::NoFolder { folder: folder.to_owned(), source };
    let resolved = crate::fs::canonical(folder).map_err(fail)?;
    if !resolved.is_dir() {
        return Err(fail(io::Error::from(io::ErrorKind::NotADirectory)));
    }
    Ok(resolved)
}

/// The extent of trust in this process: the store's records, everything for one session (`--trust`), or nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trust {
    store: TrustStore,
    extent: Extent,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Extent {
    Records,
    Everything,
    Nothing,
}

impl Trust {
    /// Creates the trust of a session; `trusts_all` trusts its folders without writing a record.
    pub fn new(store: TrustStore, trusts_all: bool) -> Self {
        Self { store, extent: if trusts_all { Extent::Everything } else { Extent::Records } }
    }

    /// Trusts nothing, whatever the records contain: the user of the editor does not trust the workspace.
    #[must_use]
    pub fn without_trust(self) -> Self {
        Self { extent: Extent::Nothing, ..self }
    }

    /// Whether this trusts nothing, as after [`Self::without_trust`].
    pub fn is_of_nothing(&self) -> bool {
        self.extent == Extent::Nothing
    }

    /// Whether a folder (absolute, links resolved) is trusted. Reads the store at each call, so that `zubi trust` in
    /// another terminal has an immediate effect.
    pub fn folder(&self, folder: &Utf8Path) -> bool {
        match self.extent {
            Extent::Everything => true,
            Extent::Records => self.store.is_trusted(folder),
            Extent::Nothing => false,
        }
    }

    /// Whether a configuration file of a folder is trusted with this content.
    pub fn file(&self, folder: &Utf8Path, file: &Utf8Path, content: &ContentHash) -> bool {
        match self.extent {
            Extent::Everything => true,
            Extent::Records => self.store.trusted_hash(folder, file).is_some_and(|trusted| trusted == *content),
            Extent::Nothing => false,
        }
    }

    /// See [`TrustStore::trusted_hash`].
    pub fn trusted_hash(&self, folder: &Utf8Path, file: &Utf8Path) -> Option<ContentHash> {
        self.store.trusted_hash(folder, file)
    }

    /// See [`TrustStore::text_of`].
    pub fn text_of(&self, content: &ContentHash) -> Option<String> {
        self.store.text_of(content)
    }

    /// The directory of the records, to watch it for changes.
    pub fn directory(&self) -> &Utf8Path {
        self.store.directory()
    }
}

#[cfg(test)]
mod tests;
