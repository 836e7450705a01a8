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

use std::borrow::Cow;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};
use notify::event::{AccessKind, AccessMode, CreateKind, Flag, ModifyKind, RenameMode};
use notify::{EventKind, RecursiveMode, Watcher};
use rustc_hash::{FxHashMap, FxHashSet};
use tokio::sync::watch;
use zubi_base::sync::lock;

use crate::capabilities::ChangeKind;

mod links;
mod packages;
mod record;
#[cfg(test)]
mod tests;

pub(crate) use packages::{PACKAGE_DIRECTORIES, is_package_directory};
use record::Record;

/// The time limit for the barrier. On an idle Linux machine the event takes about 0.1 ms.
const BARRIER_TIMEOUT: Duration = Duration::from_millis(200);

/// The maximum number of paths marked between two requests. Above it (a checkout of another branch), zubi compares
/// everything.
const MAX_MARKED: usize = 20_000;

/// A change to a file or a directory. Paths are absolute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct WatchedFileChange {
    pub(crate) path: Utf8PathBuf,
    pub(crate) kind: ChangeKind,
    pub(crate) entry: WatchedEntry,
}

impl WatchedFileChange {
    /// Whether the path is that of an existing directory, or of one that has been deleted.
    pub(crate) fn is_directory(&self) -> bool {
        match &self.entry {
            WatchedEntry::File => false,
            WatchedEntry::Directory => true,
            WatchedEntry::Package | WatchedEntry::OtherPath(_) => match self.kind {
                ChangeKind::Deleted => self.path.extension().is_none(),
                ChangeKind::Created | ChangeKind::Changed => self.path.is_dir(),
            },
        }
    }
}

/// The part of the workspace that has changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum WatchedEntry {
    File,
    Directory,
    /// A file or a directory of an installed package.
    Package,
    /// Another path, through a symbolic link, of a file or directory with this path.
    OtherPath(Utf8PathBuf),
}

/// The files and directories that the watcher reports although they are ignored.
#[derive(Debug, Clone, Default)]
pub(crate) struct WatchInterests {
    /// The names of files that belong to a project's configuration.
    pub(crate) project_files: FxHashSet<String>,
}

/// The number of directories that zubi watches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WatchCounts {
    /// All directories.
    pub directories: usize,
    /// Those of them with installed packages.
    pub packages: usize,
    /// The maximum number of directories with packages.
    pub package_limit: usize,
    /// Directories that zubi does not watch, because a limit is reached.
    pub unwatched: usize,
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
    /// The last known counts.
    counts: Mutex<WatchCounts>,
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

impl FileWatcher {
    /// Starts to watch. Walks the folders, which takes about 10 ms for a thousand directories. Never fails, but may
    /// have to compare files at each request.
    ///
    /// `state_directory` is the parent of the barrier's directory: outside the folders, private to the user.
    pub(crate) fn start(folders: &[Utf8PathBuf], interests: WatchInterests, state_directory: &Utf8Path) -> Self {
        let open = |handler: Handler| -> notify::Result<Box<dyn Watcher + Send>> {
            Ok(Box::new(notify::recommended_watcher(handler)?))
        };
        Self::start_with(folders, interests, state_directory, open)
    }

    /// Like [`Self::start`], with the watcher that `open` returns.
    fn start_with(
        folders: &[Utf8PathBuf],
        interests: WatchInterests,
        state_directory: &Utf8Path,
        open: impl FnOnce(Handler) -> notify::Result<Box<dyn Watcher + Send>>,
    ) -> Self {
        let marks = Arc::new(Marks { marked: Mutex::default(), barrier: watch::Sender::new(0) });
        let mut record = Record::new(folders, interests);
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
        record.begin();
        let counts = Mutex::new(record.counts());
        Self {
            marks,
            counts,
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

    /// Watches directories of packages that a server reads, unless they are watched.
    pub(crate) fn watch_packages(&self, directories: &[Utf8PathBuf]) {
        lock(&self.record).add_packages(directories);
    }

    /// Watches a linked git worktree in the folders, in which a server works.
    pub(crate) fn watch_worktree(&self, worktree: &Utf8Path) {
        lock(&self.record).add_worktree(worktree);
    }

    /// Returns the watched worktrees of [`Self::watch_worktree`].
    pub(crate) fn worktrees(&self) -> Vec<Utf8PathBuf> {
        lock(&self.record).worktrees.iter().cloned().collect()
    }

    /// Returns the numbers of watched directories; those before the examination that is running, if one is, because it may
    /// compare many files.
    pub(crate) fn counts(&self) -> WatchCounts {
        let mut counts = lock(&self.counts);
        if let Ok(record) = self.record.try_lock() {
            *counts = record.counts();
        }
        *counts
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

/// Returns the changes in the worktree in which a server works, or outside all of these worktrees.
pub(crate) fn changes_in_worktree<'a>(
    changes: &'a [WatchedFileChange],
    root: &Utf8Path,
    worktrees: &[Utf8PathBuf],
) -> Cow<'a, [WatchedFileChange]> {
    let worktree_of = |path: &Utf8Path| {
        worktrees.iter().filter(|worktree| path.starts_with(worktree)).max_by_key(|worktree| worktree.as_str().len())
    };
    let own = worktree_of(root);
    if changes.iter().all(|change| worktree_of(&change.path) == own) {
        return Cow::Borrowed(changes);
    }
    changes.iter().filter(|change| worktree_of(&change.path) == own).cloned().collect::<Vec<_>>().into()
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
