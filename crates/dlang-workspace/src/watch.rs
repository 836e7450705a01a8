//! Notifications that the disk may have changed, so that [`Workspace::refresh`] is worthwhile.
//!
//! A notification does not contain the change; the workspace detects it. So a lost or spurious event makes no answer
//! wrong.

use std::collections::BTreeSet;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

use camino::Utf8PathBuf;
use notify::{EventKind, RecommendedWatcher, RecursiveMode, Watcher as _};

#[cfg(doc)]
use crate::Workspace;

/// How long the disk must be quiet before a change counts as complete: programs write a file in several steps, and a
/// version control system many files at once.
const QUIET: Duration = Duration::from_millis(50);

/// A watcher of folders, through the operating system.
pub struct Watcher {
    system: RecommendedWatcher,
    events: Receiver<()>,
    waker: Waker,
    folders: BTreeSet<Utf8PathBuf>,
}

/// Wakes the thread that waits for a [`Watcher`], as if something had changed. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Waker(Sender<()>);

impl Waker {
    /// Ends the wait.
    pub fn wake(&self) {
        // The receiver is gone once the watcher is dropped.
        self.0.send(()).ok();
    }
}

/// The reason why a wait has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WakeReason {
    /// Something changed.
    Changed,
    /// The time-out expired without a change.
    TimedOut,
}

/// A folder cannot be watched, usually because the system allows no more watches.
#[derive(Debug, thiserror::Error)]
#[error("cannot watch {folder}: {why}")]
pub struct WatchError {
    pub folder: Utf8PathBuf,
    /// The system's message.
    pub why: String,
}

impl Watcher {
    /// Creates a watcher without folders.
    pub fn new() -> Result<Self, WatchError> {
        let (sender, events) = channel();
        let waker = Waker(sender.clone());
        let watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
            // Reading a file is not a change. An error counts as one, because events may be lost.
            if event.map_or(true, |event| !matches!(event.kind, EventKind::Access(_))) {
                // The receiver is gone while the watcher is being dropped.
                sender.send(()).ok();
            }
        });
        let watcher = watcher.map_err(|error| WatchError { folder: Utf8PathBuf::new(), why: error.to_string() })?;
        Ok(Self { system: watcher, events, waker, folders: BTreeSet::new() })
    }

    /// Returns a waker for the waiting thread: to follow other folders, or to end.
    pub fn waker(&self) -> Waker {
        self.waker.clone()
    }

    /// Watches exactly these folders ([`Workspace::folders`]), each without its subfolders. Skips missing folders.
    ///
    /// # Errors
    ///
    /// Returns the first folder that cannot be watched; the others are watched.
    pub fn follow(&mut self, folders: &BTreeSet<Utf8PathBuf>) -> Result<(), WatchError> {
        for folder in self.folders.difference(folders) {
            // The folder may be gone, and its watch with it.
            self.system.unwatch(folder.as_std_path()).ok();
        }
        let mut failed = None;
        for folder in folders.difference(&self.folders) {
            if let Err(error) = self.system.watch(folder.as_std_path(), RecursiveMode::NonRecursive)
                && folder.exists()
            {
                failed.get_or_insert_with(|| WatchError { folder: folder.clone(), why: error.to_string() });
            }
        }
        // Missing folders are tried again on each call.
        self.folders = folders.iter().filter(|folder| folder.exists()).cloned().collect();
        failed.map_or(Ok(()), Err)
    }

    /// Waits until something has changed and the disk is quiet again, or until the time-out `at_most`.
    pub fn wait(&self, at_most: Duration) -> WakeReason {
        match self.events.recv_timeout(at_most) {
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => WakeReason::TimedOut,
            Ok(()) => {
                while self.events.recv_timeout(QUIET).is_ok() {}
                WakeReason::Changed
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{WakeReason, Watcher};
    use crate::testing::{on_disk, write_file};

    #[test]
    fn a_file_change_wakes_the_watcher() {
        let (_guard, root) = on_disk("//- a.dlang\nTeam A\n//- other/b.dlang\n");
        let mut watcher = Watcher::new().unwrap();
        watcher.follow(&[root.clone(), root.join("gone")].into()).unwrap();
        write_file(&root.join("a.dlang"), "Team B");
        assert_eq!(watcher.wait(Duration::from_mins(1)), WakeReason::Changed);
        assert_eq!(watcher.wait(Duration::ZERO), WakeReason::TimedOut);
        watcher.follow(&[root.join("other")].into()).unwrap();
        write_file(&root.join("other/b.dlang"), "Team B");
        assert_eq!(watcher.wait(Duration::from_mins(1)), WakeReason::Changed);
        let waker = watcher.waker();
        std::thread::spawn(move || waker.wake());
        assert_eq!(watcher.wait(Duration::from_mins(1)), WakeReason::Changed);
    }
}
