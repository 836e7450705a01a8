//! The edit lock: one edit at a time across all zubi processes of a user.

use std::fs::{File, OpenOptions, TryLockError};
use std::time::Duration;

use camino::Utf8Path;
use zubi_base::owner_only;

use crate::edit::error::EditError;
use crate::edit::plan::state;

/// The time-out for the lock: applying an edit takes milliseconds, or seconds for thousands of files.
const WAIT: Duration = Duration::from_secs(10);

/// The lock while zubi checks and writes files. The operating system releases it when the process ends for any reason.
pub(in crate::edit) struct EditLock {
    _file: File,
}

impl EditLock {
    /// Waits for the lock, at most [`WAIT`].
    pub(in crate::edit) async fn acquire(state_dir: &Utf8Path) -> Result<Self, EditError> {
        let file = open(state_dir)?;
        // The thread owns the lock. If the caller stops waiting, the thread releases it at once.
        let waiting = tokio::task::spawn_blocking(move || file.lock().map(|()| Self { _file: file }));
        match tokio::time::timeout(WAIT, waiting).await {
            Err(_) => Err(EditError::Busy { seconds: WAIT.as_secs() }),
            Ok(Err(error)) => Err(lock_error(&error)),
            Ok(Ok(locked)) => locked.map_err(|error| lock_error(&error)),
        }
    }

    /// Returns the lock if no process holds it.
    pub(in crate::edit) fn try_acquire(state_dir: &Utf8Path) -> Result<Option<Self>, EditError> {
        let file = open(state_dir)?;
        match file.try_lock() {
            Ok(()) => Ok(Some(Self { _file: file })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(lock_error(&error)),
        }
    }
}

fn open(state_dir: &Utf8Path) -> Result<File, EditError> {
    let directory = state_dir.join("journal");
    owner_only::create_directory(&directory).map_err(|error| lock_error(&error))?;
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.mode(0o600);
    }
    options.open(directory.join("lock")).map_err(|error| lock_error(&error))
}

fn lock_error(error: &dyn std::fmt::Display) -> EditError {
    state("the edit lock cannot be taken", error)
}
