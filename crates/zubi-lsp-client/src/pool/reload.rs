//! Replaces servers when a file changes that they read only at their start: it decides how they read the project.
//!
//! These files are few, and build tools write them into ignored directories, so zubi examines them before each request
//! instead of watching their directories.

use std::collections::BTreeMap;
use std::hash::Hasher as _;
use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};
use rustc_hash::{FxHashSet, FxHasher};

use super::{PoolState, ServerKey};
use crate::catalogue::{Catalogue, ServerEntry};
use crate::stamp::Stamp;
use crate::watch::WatchInterests;

/// The maximum size of a file whose content is compared. A larger one counts as changed whenever it is written.
const MAX_COMPARED_BYTES: u64 = 64 * 1024 * 1024;

/// The maximum time for which a replaced server continues with the requests that it has received.
const LONGEST_RETIREMENT: Duration = Duration::from_mins(1);

/// Files that belong to a project's configuration although no server has them as a marker.
const LOCK_FILES: &[&str] = &["Cargo.lock", "go.sum", "go.work.sum", "pyvenv.cfg"];

/// The files that a server has read at its start, with their states at that time.
pub(super) type LaunchFiles = BTreeMap<Utf8PathBuf, Option<LaunchFileState>>;

/// The state of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct LaunchFileState {
    stamp: Stamp,
    /// A hash of the content: build tools often write the same content again.
    content: Option<u64>,
}

impl LaunchFileState {
    /// Returns the state of a file; `None` if it does not exist.
    fn read(path: &Utf8Path) -> Option<Self> {
        let stamp = Stamp::from_file(path)?;
        let is_small = std::fs::metadata(path).is_ok_and(|metadata| metadata.len() <= MAX_COMPARED_BYTES);
        let bytes = is_small.then(|| std::fs::read(path).ok()).flatten();
        let hash = |bytes: Vec<u8>| {
            let mut hasher = FxHasher::default();
            hasher.write(&bytes);
            hasher.finish()
        };
        Some(Self { stamp, content: bytes.map(hash) })
    }
}

/// Returns the states of the files that a server reads at its start.
fn read_launch_files(names: &[String], root: &Utf8Path, folder: &Utf8Path) -> LaunchFiles {
    let directories = root.ancestors().take_while(|directory| directory.starts_with(folder));
    let paths = directories.flat_map(|directory| names.iter().map(|name| directory.join(name)));
    paths.map(|path| (path.clone(), LaunchFileState::read(&path))).collect()
}

/// Whether a file was written, created or deleted.
fn has_new_stamp(path: &Utf8Path, known: Option<LaunchFileState>) -> bool {
    known.map(|known| known.stamp) != Stamp::from_file(path)
}

/// Whether any of the files has changed. Updates the stamps of those that were written without a change.
fn is_outdated(files: &mut LaunchFiles) -> bool {
    files.iter_mut().any(|(path, known)| {
        if !has_new_stamp(path, *known) {
            return false;
        }
        let now = LaunchFileState::read(path);
        match (*known, now) {
            (Some(known), Some(now)) if known.content.is_some() && known.content == now.content => {}
            _ => return true,
        }
        *known = now;
        false
    })
}

/// Returns the files that the watcher reports although the project ignores them.
pub(super) fn interests(catalogue: &Catalogue) -> WatchInterests {
    let rows = catalogue.rows();
    let names = rows.flat_map(|row| row.root_markers.iter().flatten().chain(&row.restart_on));
    let names = names.filter_map(|name| Utf8Path::new(name).file_name()).chain(LOCK_FILES.iter().copied());
    WatchInterests { project_files: names.map(str::to_owned).collect::<FxHashSet<_>>() }
}

impl PoolState {
    /// Records the files that a server will read at its start.
    pub(super) async fn record_launch_files(&self, key: &ServerKey, row: &ServerEntry, folder: &Utf8Path) {
        if row.restart_on.is_empty() {
            return;
        }
        let (names, root, folder) = (row.restart_on.clone(), key.1.clone(), folder.to_owned());
        let read = tokio::task::spawn_blocking(move || read_launch_files(&names, &root, &folder)).await;
        self.launch_files.lock().await.insert(key.clone(), read.unwrap_or_default());
    }

    /// Ends the servers whose launch files have changed. The next request starts others. A replaced server still answers
    /// the requests that it has received.
    pub(super) async fn replace_outdated_servers(&self) {
        // Other requests wait here, because they must not use an outdated server either.
        let mut recorded = self.launch_files.lock().await;
        if recorded.is_empty() {
            return;
        }
        // Examining some files takes less time than a switch to another thread, which reading a changed one needs.
        if !recorded.values().flatten().any(|(path, known)| has_new_stamp(path, *known)) {
            return;
        }
        let mut files = recorded.clone();
        let compare = move || {
            let outdated = files.iter_mut().filter_map(|(key, files)| is_outdated(files).then(|| key.clone()));
            let outdated: Vec<ServerKey> = outdated.collect();
            (files, outdated)
        };
        let Ok((current, outdated)) = tokio::task::spawn_blocking(compare).await else { return };
        *recorded = current;
        for key in outdated {
            // A server that is just being started is replaced by a later request.
            let Some(replaced) = self.servers().remove(&key) else { continue };
            recorded.remove(&key);
            tracing::info!(server = %key.0, root = %key.1, "the project's configuration has changed: another server starts");
            let closed = self.closed.clone();
            self.retiring.spawn(async move {
                if let Some(session) = replaced.endpoint.running_now() {
                    tokio::select! {
                        _ = tokio::time::timeout(LONGEST_RETIREMENT, session.await_unused()) => {}
                        () = closed.cancelled() => {}
                    }
                }
                replaced.endpoint.shutdown().await;
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_written_with_the_same_content_has_not_changed() {
        let directory = tempfile::tempdir().unwrap();
        let root = zubi_base::fs::canonical(Utf8Path::from_path(directory.path()).unwrap()).unwrap();
        let (project, file) = (root.join("project"), root.join("project/build/flags.json"));
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        let names = ["flags.json".to_owned(), "build/flags.json".to_owned()];
        let mut files = read_launch_files(&names, &project, &root);
        assert_eq!(files.len(), 4, "in the root and in the folder above it");
        assert!(!is_outdated(&mut files));
        zubi_base::fs::write_atomic(&file, b"[]").unwrap();
        assert!(is_outdated(&mut files), "it has appeared");
        let mut files = read_launch_files(&names, &project, &root);
        zubi_base::fs::write_atomic(&file, b"[]").unwrap();
        assert!(!is_outdated(&mut files));
        zubi_base::fs::write_atomic(&file, b"{}").unwrap();
        assert!(is_outdated(&mut files), "it has changed");
        let mut files = read_launch_files(&names, &project, &root);
        std::fs::remove_file(&file).unwrap();
        assert!(is_outdated(&mut files), "it has vanished");
    }
}
