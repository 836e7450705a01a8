//! Imports exact data in the background: the file that an indexer has left in a folder, and data that were lost.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::SystemTime;

use camino::{Utf8Path, Utf8PathBuf};
use tokio::sync::watch;
use tokio_util::sync::{CancellationToken, DropGuard};
use zubi_base::file_observer::FileObserver;
use zubi_base::text::DiskText;
use zubi_code::exact_index::{ExactImportFailure, ExactIndex as _};
use zubi_code::version_control::{Revision, VersionControlError};
use zubi_index::scip::{CommitFiles, ImportRequest, LostImport, ScipImportError};
use zubi_index::{GitRepositories, ScipIndex, WorkspaceIndex};

/// The exact data of the workspace's folders. Forwards the watcher's reports to the index of declarations, and imports
/// changed files after each. The former data remain after a failed import, whose reason is recorded; the file is not imported
/// again before it changes.
pub(crate) struct ExactImporter {
    index: Arc<WorkspaceIndex>,
    folders: Arc<[(Utf8PathBuf, ScipIndex)]>,
    git: Option<Arc<GitRepositories>>,
    /// The number of reports.
    reports: watch::Sender<u64>,
    /// The number of reports after which all files were compared; `None` before the first comparison has ended.
    compared: Arc<watch::Sender<Option<u64>>>,
    cancel: CancellationToken,
    _stop: DropGuard,
}

impl ExactImporter {
    /// `folders` has the path and the data of each folder. Reads and imports nothing yet.
    pub(crate) fn new(
        index: Arc<WorkspaceIndex>,
        folders: Vec<(Utf8PathBuf, ScipIndex)>,
        git: Option<Arc<GitRepositories>>,
    ) -> Self {
        let cancel = CancellationToken::new();
        let stop = cancel.clone().drop_guard();
        Self {
            index,
            folders: folders.into(),
            git,
            reports: watch::Sender::new(0),
            compared: Arc::default(),
            cancel,
            _stop: stop,
        }
    }

    /// Returns the imports that have failed.
    pub(crate) async fn failed_imports(&self) -> Vec<ExactImportFailure> {
        let mut all = Vec::new();
        for data in self.folders() {
            all.extend(data.failed_imports().await);
        }
        all
    }

    pub(crate) fn folders(&self) -> impl Iterator<Item = &ScipIndex> {
        self.folders.iter().map(|(_, data)| data)
    }
}

impl FileObserver for ExactImporter {
    fn start(&self) {
        self.index.start();
        let (folders, git, cancel) = (Arc::clone(&self.folders), self.git.clone(), self.cancel.clone());
        let mut reports = self.reports.subscribe();
        let compared = Arc::clone(&self.compared);
        tokio::spawn(async move {
            for (_, data) in &*folders {
                import_lost(data, git.as_deref(), &cancel).await;
            }
            let mut attempts = BTreeMap::new();
            loop {
                let number = *reports.borrow_and_update();
                for (root, data) in &*folders {
                    import_changed(root, data, &mut attempts, &cancel).await;
                }
                compared.send_replace(Some(number));
                tokio::select! {
                    // The sender ends with the host.
                    changed = reports.changed() => if changed.is_err() { return },
                    () = cancel.cancelled() => return,
                }
            }
        });
    }

    fn report(&self, paths: Vec<Utf8PathBuf>) {
        self.index.report(paths);
        // The watcher need not report a file that git ignores, so every report leads to a comparison.
        self.reports.send_modify(|number| *number = number.wrapping_add(1));
    }

    fn begin_comparison(&self) {
        self.index.begin_comparison();
    }

    fn end_comparison(&self) {
        self.index.end_comparison();
    }
}

impl fmt::Debug for ExactImporter {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_list().entries(self.folders.iter().map(|(root, _)| root)).finish()
    }
}

/// The last import of a file by this process.
struct ImportAttempt {
    identity: ImportedFile,
    is_rejected: bool,
}

/// The size, the time of the last change and the number of a file. The time alone does not show a change within one tick of
/// the file system's clock.
type ImportedFile = (u64, Option<SystemTime>, u64);

fn identity_of(file: &Utf8Path) -> Option<ImportedFile> {
    let metadata = std::fs::symlink_metadata(file).ok()?;
    #[cfg(unix)]
    let number = std::os::unix::fs::MetadataExt::ino(&metadata);
    #[cfg(not(unix))]
    let number = 0;
    Some((metadata.len(), metadata.modified().ok(), number))
}

/// Imports the default file of a folder if it has changed since its last import, and since it was rejected.
async fn import_changed(
    root: &Utf8Path,
    data: &ScipIndex,
    attempts: &mut BTreeMap<Utf8PathBuf, ImportAttempt>,
    cancel: &CancellationToken,
) {
    let Some(file) = data.default_file() else { return };
    let Some(identity) = identity_of(&file) else { return };
    let is_due = match attempts.get(&file) {
        Some(attempt) if attempt.identity != identity => true,
        Some(attempt) if attempt.is_rejected => false,
        _ => data.changed_default_file().await.is_some(),
    };
    if !is_due {
        return;
    }
    let request = ImportRequest { file: file.clone(), folder: root.to_owned(), commit: None };
    let imported = import(data, request, cancel).await;
    if matches!(imported, Err(ScipImportError::Locked | ScipImportError::Cancelled)) {
        attempts.remove(&file);
    } else {
        attempts.insert(file, ImportAttempt { identity, is_rejected: imported.is_err() });
    }
}

/// Imports the files again whose data were lost, if they still exist.
async fn import_lost(data: &ScipIndex, git: Option<&GitRepositories>, cancel: &CancellationToken) {
    for LostImport { file, folder, commit, .. } in data.lost_imports().await {
        let commit = match commit {
            None => None,
            Some(id) => match commit_files(git, &folder, &id).await {
                Ok(commit) => Some(commit),
                Err(error) => {
                    tracing::warn!(%file, %error, "lost exact data cannot be imported again");
                    data.record_failure_reason(&file, &folder, &format!("the commit of the data is unknown: {error}"))
                        .await;
                    continue;
                }
            },
        };
        // The failure is recorded.
        drop(import(data, ImportRequest { file, folder, commit }, cancel).await);
    }
}

/// Imports a file. Records a failure.
async fn import(data: &ScipIndex, request: ImportRequest, cancel: &CancellationToken) -> Result<(), ScipImportError> {
    match data.import(&request, &DiskText, cancel, &|_| {}).await {
        Ok(report) => {
            tracing::info!(file = %request.file, documents = report.documents, "imported exact data");
            Ok(())
        }
        Err(error) => {
            tracing::warn!(%error, "exact data cannot be imported");
            data.record_failure(&request.file, &request.folder, &error).await;
            Err(error)
        }
    }
}

/// Returns the files of a commit of the folder's repository.
pub(crate) async fn commit_files(
    git: Option<&GitRepositories>,
    folder: &Utf8Path,
    revision: &str,
) -> Result<CommitFiles, VersionControlError> {
    let git = git.ok_or(VersionControlError::NotInstalled)?;
    let revision = Revision::parse(revision).map_err(VersionControlError::Failure)?;
    git.commit_files(folder, &revision).await
}

#[cfg(test)]
mod tests;
