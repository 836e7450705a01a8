//! The team's index without a running host, for `zubi index push` and `zubi index uses`.

use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use serde::Serialize;
use tokio_util::sync::CancellationToken;
use zubi_base::text::DiskText;
use zubi_base::workspace::WorkspaceFolders;
use zubi_code::version_control::{Revision, VersionControlError};
use zubi_index::git::repository_of;
use zubi_index::scip::ImportRequest;
use zubi_index::scip::team::{PushRequest, TeamSnapshot, repository_name};
use zubi_index::{GitRepositories, TeamDatabase};

pub use zubi_code::symbol_uses::{SymbolUses, UseQuery};
pub use zubi_index::scip::team::PushReport;

use crate::index::{FolderIndexError, ImportProgress, resolve};
use crate::local::{HostConfig, LocalHostError, code, exec, team};

/// A file to push.
#[derive(Debug, Clone)]
pub struct PushSource {
    /// The absolute path of the file.
    pub file: Utf8PathBuf,
    /// The folder in which the indexer ran. By default, it is the workspace folder with the file, or the only one.
    pub folder: Option<Utf8PathBuf>,
    /// The revision that the indexer has read.
    pub commit: String,
    /// The name of the repository. By default, it is that of the remote `origin`.
    pub repository: Option<String>,
    /// Whether to create the tables if the database has none.
    pub creates_schema: bool,
    /// The maximum number of snapshots of the folder and the indexer.
    pub snapshots: u32,
}

/// The team's data for a folder.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TeamStatus {
    /// The name of the repository, if it is known.
    pub repository: Option<String>,
    /// The snapshots that answer for the folder.
    pub snapshots: Vec<TeamSnapshotStatus>,
    /// The reason why the list is empty.
    pub error: Option<String>,
}

/// A snapshot that answers for a folder.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TeamSnapshotStatus {
    /// The id of the commit.
    pub commit: String,
    /// The number of commits from `HEAD` to it.
    pub distance: usize,
    /// The indexer and its version.
    pub tool: String,
    pub version: String,
    /// The time since the push, in seconds.
    pub age_seconds: u64,
}

impl From<TeamSnapshot> for TeamSnapshotStatus {
    fn from(snapshot: TeamSnapshot) -> Self {
        Self {
            commit: snapshot.import.commit.unwrap_or_default(),
            distance: snapshot.distance,
            tool: snapshot.import.tool,
            version: snapshot.import.version,
            age_seconds: snapshot.age.as_secs(),
        }
    }
}

/// Pushes a file as the snapshot of a commit. A push that fails or is cancelled changes nothing. Returns the name of the
/// repository.
pub async fn push(
    config: &HostConfig,
    source: &PushSource,
    cancel: &CancellationToken,
    progress: &(dyn Fn(ImportProgress) + Send + Sync),
) -> Result<(String, PushReport), FolderIndexError> {
    let database = database(config)?;
    let workspace = WorkspaceFolders::open(&config.folders).map_err(LocalHostError::Workspace)?;
    let (file, folder) = resolve(&workspace, &source.file, source.folder.as_deref())?;
    let root = repository_of(&folder).ok_or_else(|| VersionControlError::NoRepository(folder.clone()))?;
    let git = git(config).ok_or(VersionControlError::NotInstalled)?;
    let revision = Revision::parse(&source.commit).map_err(VersionControlError::Failure)?;
    let commit = git.commit_files(&folder, &revision).await?;
    // The id of the commit, since the revision can be a branch that moves.
    let revision = Revision::parse(commit.id()).map_err(VersionControlError::Failure)?;
    let committed_at = git.history(&folder, &revision, 1).await?.first().map_or(0, |commit| commit.committed_at);
    let repository = match &source.repository {
        Some(name) => name.clone(),
        None => {
            let remote = git.remote(&folder).await?;
            remote.as_deref().and_then(repository_name).ok_or(FolderIndexError::NoRepositoryName)?
        }
    };
    let request = PushRequest {
        import: ImportRequest { file, folder, commit: Some(commit) },
        root,
        repository: repository.clone(),
        committed_at,
        creates_schema: source.creates_schema,
        snapshots: source.snapshots,
    };
    let report = database.push(&request, config.clock.now(), &DiskText, cancel, progress).await?;
    Ok((repository, report))
}

/// Returns the uses of a symbol in all repositories.
pub async fn find_uses(config: &HostConfig, query: &UseQuery) -> Result<SymbolUses, FolderIndexError> {
    Ok(database(config)?.find_uses(query).await?)
}

/// Returns the team's data for a folder; `None` without a team index.
pub(crate) async fn status(config: &HostConfig, folder: &Utf8Path) -> Option<TeamStatus> {
    let failed = |error| TeamStatus { repository: None, snapshots: Vec::new(), error: Some(error) };
    let database = match team::database(config) {
        Ok(database) => database?,
        Err(error) => return Some(failed(error)),
    };
    let Some(git) = git(config) else { return Some(failed(VersionControlError::NotInstalled.to_string())) };
    Some(match team::index(config, &database, &git, folder).snapshots().await {
        Ok((repository, snapshots)) => TeamStatus {
            repository: Some(repository),
            snapshots: snapshots.into_iter().map(TeamSnapshotStatus::from).collect(),
            error: None,
        },
        Err(error) => failed(error.to_string()),
    })
}

fn database(config: &HostConfig) -> Result<Arc<TeamDatabase>, FolderIndexError> {
    team::database(config).map_err(FolderIndexError::TeamSetting)?.ok_or(FolderIndexError::NoTeam)
}

fn git(config: &HostConfig) -> Option<Arc<GitRepositories>> {
    let jobs = exec::jobs(config, &exec::secrets(config));
    code::version_control(config, jobs.runner().sandbox())
}
