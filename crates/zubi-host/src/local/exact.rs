//! Imports exact data in the background: the file that an indexer has left in a folder, and data that were lost.

use std::fmt;
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use tokio::sync::watch;
use tokio_util::sync::{CancellationToken, DropGuard};
use zubi_base::file_observer::FileObserver;
use zubi_base::text::DiskText;
use zubi_code::version_control::{Revision, VersionControlError};
use zubi_index::scip::{CommitFiles, ImportRequest, LostImport};
use zubi_index::{GitRepositories, ScipIndex, WorkspaceIndex};

/// The exact data of the workspace's folders. Forwards the watcher's reports to the index of declarations, and imports
/// changed files after each. A failed import goes to the log; the former data remain.
pub(crate) struct ExactImporter {
    index: Arc<WorkspaceIndex>,
    folders: Arc<[(Utf8PathBuf, ScipIndex)]>,
    git: Option<Arc<GitRepositories>>,
    /// The number of reports.
    reports: watch::Sender<u64>,
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
        Self { index, folders: folders.into(), git, reports: watch::Sender::new(0), cancel, _stop: stop }
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
        tokio::spawn(async move {
            for (_, data) in &*folders {
                import_lost(data, git.as_deref(), &cancel).await;
            }
            loop {
                for (root, data) in &*folders {
                    import_changed(root, data, &cancel).await;
                }
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
}

impl fmt::Debug for ExactImporter {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_list().entries(self.folders.iter().map(|(root, _)| root)).finish()
    }
}

/// Imports the default file of a folder if it has changed.
async fn import_changed(root: &Utf8Path, data: &ScipIndex, cancel: &CancellationToken) {
    let Some(file) = data.changed_default_file().await else { return };
    import(data, ImportRequest { file, folder: root.to_owned(), commit: None }, cancel).await;
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
                    continue;
                }
            },
        };
        import(data, ImportRequest { file, folder, commit }, cancel).await;
    }
}

async fn import(data: &ScipIndex, request: ImportRequest, cancel: &CancellationToken) {
    match data.import(&request, &DiskText, cancel, &|_| {}).await {
        Ok(report) => tracing::info!(file = %request.file, documents = report.documents, "imported exact data"),
        Err(error) => tracing::warn!(%error, "exact data cannot be imported"),
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
