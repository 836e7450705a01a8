//! Detects the files that any program created, changed, deleted or renamed in the workspace since the last request.
//!
//! The watcher has one `notify` watcher for every directory that is not ignored, and a record of the files there. Other
//! modules decide which servers a change concerns. Nothing happens between requests: events only mark paths, and a
//! request examines these.
//!
//! **The barrier.** An operating system delivers file events late, so "no event" proves nothing. Before each
//! examination, zubi writes a small file into its own directory, watched by the *same* watcher. Events of one inotify
//! instance arrive in order, so after that file's event, every earlier one has arrived. If it does not come within
//! [`BARRIER_TIMEOUT`], or the system has no watches left, zubi compares all files instead, and the caller gets a note.
//! The limits apply to the user, and other programs use and release watches, so each comparison tries again to watch
//! the directories without a watch.
//!
//! [`zubi_base::walk`] decides which files are ignored.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};
use notify::event::{AccessKind, AccessMode, CreateKind, Flag, ModifyKind, RenameMode};
use notify::{EventKind, RecursiveMode, Watcher};
use rustc_hash::{FxHashMap, FxHashSet};
use tokio::sync::watch;
use zubi_base::sync::lock;
use zubi_base::walk::{self, WalkOptions, is_directory};

use crate::capabilities::ChangeKind;
use crate::stamp::Stamp;

#[cfg(test)]
mod tests;

/// The time limit for the barrier. On an idle Linux machine the event takes about 0.1 ms.
const BARRIER_TIMEOUT: Duration = Duration::from_millis(200);

/// The maximum number of paths marked between two requests. Above it (a checkout of another branch), zubi compares
/// everything.
const MAX_MARKED: usize = 20_000;

/// The maximum number of files recorded, about 150 bytes each.
const MAX_FILES: usize = 200_000;

/// A change to a file. Paths are absolute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct WatchedFileChange {
    pub(crate) path: Utf8PathBuf,
    pub(crate) kind: ChangeKind,
}

/// The changes since the last request.
#[derive(Debug, Default)]
pub(crate) struct FileChanges {
    /// The changes, sorted by path.
    pub(crate) changes: Vec<WatchedFileChange>,
    /// The reason why the changes may be incomplete, or took long to find.
    pub(crate) note: Option<String>,
}

/// Watches the folders of a workspace.
pub(crate) struct FileWatcher {
    marks: Arc<Marks>,
    record: Arc<Mutex<Record>>,
    /// The number of the last barrier. The lock lets one request at a time pass the barrier.
    barrier: tokio::sync::Mutex<u64>,
    barrier_directory: Option<tempfile::TempDir>,
    /// The number of examinations that have found changes.
    found: AtomicU64,
}

/// The marks that the event thread sets.
struct Marks {
    marked: Mutex<MarkedPaths>,
    /// The number of the last barrier seen.
    barrier: watch::Sender<u64>,
}

#[derive(Default)]
struct MarkedPaths {
    paths: FxHashMap<Utf8PathBuf, Mark>,
    /// Whether events were lost, so that everything must be compared.
    compare_all: bool,
}

/// The known events of a marked path.
#[derive(Debug, Clone, Copy, Default)]
struct Mark {
    /// Whether its content was written, so that it counts as changed even with the same stamp.
    written: bool,
    /// Whether it was created, so that a directory must be examined and watched again.
    appeared: bool,
}

/// The known files and directories, and their watcher.
struct Record {
    folders: Vec<Utf8PathBuf>,
    files: BTreeMap<Utf8PathBuf, Stamp>,
    watched: FxHashSet<Utf8PathBuf>,
    /// `None` if watching is impossible.
    watcher: Option<Box<dyn Watcher + Send>>,
    /// The reason why each request must compare files.
    failure: Option<String>,
}

impl FileWatcher {
    /// Starts to watch. Walks the folders, which takes about 10 ms for a thousand directories. Never fails, but may
    /// have to compare files at each request.
    ///
    /// `state_directory` is the parent of the barrier's directory: outside the folders, private to the user.
    pub(crate) fn start(folders: &[Utf8PathBuf], state_directory: &Utf8Path) -> Self {
        Self::start_with(folders, state_directory, |handler| Ok(Box::new(notify::recommended_watcher(handler)?)))
    }

    /// Like [`Self::start`], with the watcher that `open` returns.
    fn start_with(
        folders: &[Utf8PathBuf],
        state_directory: &Utf8Path,
        open: impl FnOnce(Handler) -> notify::Result<Box<dyn Watcher + Send>>,
    ) -> Self {
        let marks = Arc::new(Marks { marked: Mutex::default(), barrier: watch::Sender::new(0) });
        let mut record = Record {
            folders: folders.to_vec(),
            files: BTreeMap::new(),
            watched: FxHashSet::default(),
            watcher: None,
            failure: None,
        };
        let barrier_directory = match open_watcher(&marks, state_directory, open) {
            Ok((watcher, directory)) => {
                record.watcher = Some(watcher);
                Some(directory)
            }
            Err(reason) => {
                record.failure = Some(reason);
                None
            }
        };
        // The first examination finds files, not changes.
        for folder in folders {
            record.compare(folder, &mut BTreeMap::new());
        }
        Self {
            marks,
            record: Arc::new(Mutex::new(record)),
            barrier: tokio::sync::Mutex::new(0),
            barrier_directory,
            found: AtomicU64::new(0),
        }
    }

    /// Returns all changes before this call that were not returned earlier.
    pub(crate) async fn refresh(&self) -> FileChanges {
        let mut last = self.barrier.lock().await;
        *last += 1;
        let fenced = self.pass_barrier(*last).await;
        let marked = std::mem::take(&mut *lock(&self.marks.marked));
        let (compare_all, note) = {
            let record = lock(&self.record);
            match (&record.failure, fenced) {
                (Some(reason), _) => (true, Some(format!("{reason}: files were compared one by one"))),
                (None, false) => (true, Some("file events are late: files were compared one by one".to_owned())),
                (None, true) => (marked.compare_all, None),
            }
        };
        if marked.paths.is_empty() && !compare_all {
            return FileChanges { changes: Vec::new(), note };
        }
        let record = Arc::clone(&self.record);
        let changes = tokio::task::spawn_blocking(move || lock(&record).examine(&marked.paths, compare_all)).await;
        let changes = changes.unwrap_or_default();
        if !changes.is_empty() {
            // Before the next request may pass the barrier: it finds nothing new, but must see the new number.
            self.found.fetch_add(1, Ordering::AcqRel);
        }
        FileChanges { changes, note }
    }

    /// Returns how many calls of [`Self::refresh`] have found changes.
    pub(crate) fn refreshes_with_changes(&self) -> u64 {
        self.found.load(Ordering::Acquire)
    }

    /// Writes the barrier file and waits for its event.
    async fn pass_barrier(&self, number: u64) -> bool {
        let Some(directory) = &self.barrier_directory else { return false };
        let path = directory.path().join(number.to_string());
        let mut seen = self.marks.barrier.subscribe();
        if std::fs::File::create(&path).is_err() {
            return false;
        }
        let passed = tokio::time::timeout(BARRIER_TIMEOUT, seen.wait_for(|seen| *seen >= number)).await;
        // A barrier file that stays is only an empty file in a directory that is removed at the end.
        drop(std::fs::remove_file(&path));
        matches!(passed, Ok(Ok(_)))
    }
}

/// The function that receives each event.
type Handler = Box<dyn Fn(notify::Result<notify::Event>) + Send>;

fn open_watcher(
    marks: &Arc<Marks>,
    state_directory: &Utf8Path,
    open: impl FnOnce(Handler) -> notify::Result<Box<dyn Watcher + Send>>,
) -> Result<(Box<dyn Watcher + Send>, tempfile::TempDir), String> {
    let cannot = |error: &dyn std::fmt::Display| format!("files cannot be watched ({error})");
    std::fs::create_dir_all(state_directory).map_err(|error| cannot(&error))?;
    let directory =
        tempfile::Builder::new().prefix("fence-").tempdir_in(state_directory).map_err(|error| cannot(&error))?;
    // Resolved, because events have the watched path, which is compared below.
    let path = directory.path().to_owned();
    let handler = {
        let (marks, fence_directory) = (Arc::clone(marks), path.clone());
        move |event: notify::Result<notify::Event>| marks.on_event(event, &fence_directory)
    };
    let mut watcher = open(Box::new(handler)).map_err(|error| watch_failure_reason(&error))?;
    watcher.watch(&path, RecursiveMode::NonRecursive).map_err(|error| watch_failure_reason(&error))?;
    Ok((watcher, directory))
}

/// Returns the reason why watching fails, as a clause. Names the setting if a limit is reached (inotify(7)).
fn watch_failure_reason(error: &notify::Error) -> String {
    match &error.kind {
        notify::ErrorKind::MaxFilesWatch => {
            "the limit of watched directories (fs.inotify.max_user_watches) is reached".to_owned()
        }
        notify::ErrorKind::Io(error) if error.raw_os_error() == Some(rustix::io::Errno::MFILE.raw_os_error()) => {
            "the limit of watchers (fs.inotify.max_user_instances) or of open files is reached".to_owned()
        }
        notify::ErrorKind::Io(error) => format!("files cannot be watched ({error})"),
        _ => "files cannot be watched".to_owned(),
    }
}

impl Marks {
    /// Handles an event on the watcher's thread, in the order of the events.
    fn on_event(&self, event: notify::Result<notify::Event>, barrier_directory: &std::path::Path) {
        let event = match event {
            Ok(event) => event,
            Err(error) => {
                tracing::debug!(%error, "a file event was lost");
                lock(&self.marked).compare_all = true;
                return;
            }
        };
        if event.flag() == Some(Flag::Rescan) {
            lock(&self.marked).compare_all = true;
        }
        let mark = match event.kind {
            EventKind::Access(AccessKind::Close(AccessMode::Write)) => Mark { written: true, appeared: false },
            EventKind::Access(_) => return,
            EventKind::Create(CreateKind::Folder) => Mark { written: false, appeared: true },
            EventKind::Create(_) => Mark { written: true, appeared: true },
            EventKind::Modify(ModifyKind::Name(RenameMode::To | RenameMode::Both)) => {
                Mark { written: true, appeared: true }
            }
            EventKind::Modify(ModifyKind::Data(_)) => Mark { written: true, appeared: false },
            _ => Mark::default(),
        };
        for path in event.paths {
            if let Ok(name) = path.strip_prefix(barrier_directory) {
                if let Some(number) = name.to_str().and_then(|name| name.parse::<u64>().ok()) {
                    self.barrier.send_if_modified(|seen| {
                        let newer = number > *seen;
                        *seen = number.max(*seen);
                        newer
                    });
                }
                continue;
            }
            // Servers know only documents with UTF-8 URIs.
            let Ok(path) = Utf8PathBuf::from_path_buf(path) else { continue };
            let mut marked = lock(&self.marked);
            if marked.paths.len() >= MAX_MARKED {
                marked.paths = FxHashMap::default();
                marked.compare_all = true;
            }
            let existing = marked.paths.entry(path).or_default();
            existing.written |= mark.written;
            existing.appeared |= mark.appeared;
        }
    }
}

impl Record {
    /// Returns the changes of the marked paths, or of all paths if `compare_all` is set.
    fn examine(&mut self, marked: &FxHashMap<Utf8PathBuf, Mark>, compare_all: bool) -> Vec<WatchedFileChange> {
        let mut changes = BTreeMap::new();
        let mut visible = FxHashMap::default();
        let mut rules_changed = false;
        let mut paths: Vec<_> = marked.iter().collect();
        paths.sort_by(|a, b| a.0.cmp(b.0));
        for (path, mark) in paths {
            rules_changed |= matches!(path.file_name(), Some(".gitignore" | ".ignore"));
            self.examine_one(path, *mark, &mut visible, &mut changes);
        }
        if compare_all || rules_changed {
            // The comparison below determines it again: other programs share the limits, and start and end.
            if self.watcher.is_some() {
                self.failure = None;
            }
            for folder in self.folders.clone() {
                self.compare(&folder, &mut changes);
            }
        }
        changes.into_iter().map(|(path, kind)| WatchedFileChange { path, kind }).collect()
    }

    fn examine_one(
        &mut self,
        path: &Utf8Path,
        mark: Mark,
        visible: &mut FxHashMap<Utf8PathBuf, FxHashSet<Utf8PathBuf>>,
        changes: &mut BTreeMap<Utf8PathBuf, ChangeKind>,
    ) {
        match std::fs::metadata(path) {
            Err(_) => self.remove_path(path, changes),
            Ok(metadata) if metadata.is_dir() => {
                let is_link = std::fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_symlink());
                if !is_link && (mark.appeared || !self.watched.contains(path)) && is_visible(path, visible) {
                    self.compare(path, changes);
                }
            }
            Ok(metadata) if metadata.is_file() => {
                let stamp = Stamp::from_metadata(&metadata);
                match self.files.get_mut(path) {
                    Some(recorded) => {
                        if mark.written || *recorded != stamp {
                            *recorded = stamp;
                            changes.insert(path.to_owned(), ChangeKind::Changed);
                        }
                    }
                    None => {
                        if is_visible(path, visible) {
                            self.remember(path, stamp);
                            changes.insert(path.to_owned(), ChangeKind::Created);
                        }
                    }
                }
            }
            // A socket or a pipe has replaced a file.
            Ok(_) => self.remove_path(path, changes),
        }
    }

    /// Records that a file or a whole directory was deleted.
    fn remove_path(&mut self, path: &Utf8Path, changes: &mut BTreeMap<Utf8PathBuf, ChangeKind>) {
        if self.files.remove(path).is_some() {
            changes.insert(path.to_owned(), ChangeKind::Deleted);
        }
        for file in self.files_under(path) {
            self.files.remove(&file);
            changes.insert(file, ChangeKind::Deleted);
        }
        if self.watched.contains(path) {
            self.watched.retain(|directory| !directory.starts_with(path));
        }
    }

    fn files_under(&self, directory: &Utf8Path) -> Vec<Utf8PathBuf> {
        // All paths below a directory sort directly after `directory/`.
        let first = Utf8PathBuf::from(format!("{directory}/"));
        self.files
            .range::<Utf8Path, _>((Bound::Included(first.as_path()), Bound::Unbounded))
            .map(|(file, _)| file)
            .skip_while(|file| !file.starts_with(directory))
            .take_while(|file| file.starts_with(directory))
            .cloned()
            .collect()
    }

    /// Examines everything below a directory and watches it.
    fn compare(&mut self, directory: &Utf8Path, changes: &mut BTreeMap<Utf8PathBuf, ChangeKind>) {
        let mut missing: FxHashSet<Utf8PathBuf> = self.files_under(directory).into_iter().collect();
        for entry in walk::entries(directory, WalkOptions::default()) {
            let Some(path) = Utf8Path::from_path(entry.path()) else { continue };
            if is_directory(&entry) {
                self.watch(path);
                continue;
            }
            let Some(stamp) = Stamp::from_file(path) else { continue };
            missing.remove(path);
            match self.files.get_mut(path) {
                Some(recorded) if *recorded == stamp => {}
                Some(recorded) => {
                    *recorded = stamp;
                    changes.insert(path.to_owned(), ChangeKind::Changed);
                }
                None => {
                    self.remember(path, stamp);
                    changes.insert(path.to_owned(), ChangeKind::Created);
                }
            }
        }
        let mut missing: Vec<_> = missing.into_iter().collect();
        missing.sort();
        for path in missing {
            self.files.remove(&path);
            // The file exists but is ignored now, which is not a deletion for a server.
            if Stamp::from_file(&path).is_none() {
                changes.insert(path, ChangeKind::Deleted);
            }
        }
    }

    fn remember(&mut self, path: &Utf8Path, stamp: Stamp) {
        if self.files.len() < MAX_FILES {
            self.files.insert(path.to_owned(), stamp);
        } else if self.failure.is_none() {
            // The other files are still watched; only a lost event would be missed.
            tracing::warn!("more than {MAX_FILES} files in the workspace: not all are recorded");
        }
    }

    fn watch(&mut self, directory: &Utf8Path) {
        let Some(watcher) = &mut self.watcher else { return };
        match watcher.watch(directory.as_std_path(), RecursiveMode::NonRecursive) {
            Ok(()) => {
                self.watched.insert(directory.to_owned());
            }
            // The directory was deleted since it was listed, or is not readable, so nothing in it was seen either.
            Err(error) if is_missing_or_inaccessible(&error) => {
                tracing::debug!(%directory, %error, "a directory cannot be watched");
            }
            Err(error) => self.failure = Some(watch_failure_reason(&error)),
        }
    }
}

fn is_missing_or_inaccessible(error: &notify::Error) -> bool {
    match &error.kind {
        notify::ErrorKind::PathNotFound => true,
        notify::ErrorKind::Io(error) => {
            matches!(error.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::PermissionDenied)
        }
        _ => false,
    }
}

/// Whether a path is not ignored. Reads the rules once for each directory and request.
fn is_visible(path: &Utf8Path, visible: &mut FxHashMap<Utf8PathBuf, FxHashSet<Utf8PathBuf>>) -> bool {
    let Some(parent) = path.parent() else { return false };
    if !visible.contains_key(parent) {
        let children = walk::entries(parent, WalkOptions { depth: Some(1), sorted: false })
            .filter_map(|entry| Utf8PathBuf::from_path_buf(entry.into_path()).ok())
            .collect::<FxHashSet<_>>();
        visible.insert(parent.to_owned(), children);
    }
    visible.get(parent).is_some_and(|children| children.contains(path))
}
