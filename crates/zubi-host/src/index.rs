//! The indexes of a workspace's folders without a running host, for `zubi index`.

use std::collections::BTreeMap;
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use serde::Serialize;
use tokio_util::sync::CancellationToken;
use zubi_base::text::DiskText;
use zubi_base::workspace::WorkspaceFolders;
use zubi_code::exact_index::{ExactImportFailure, ExactImportStatus, ExactIndex as _};
use zubi_code::symbol_index::SymbolIndex as _;
use zubi_code::version_control::VersionControlError;
use zubi_index::scip::ImportRequest;
use zubi_index::scip::team::TeamIndexError;
use zubi_index::{LocalIndex, ScipIndex};

pub use zubi_code::symbol_index::{IndexPhase, IndexState};
pub use zubi_index::build::BuildError;
pub use zubi_index::scip::{ImportProgress, ImportReport, ScipImportError};

use crate::local::{HostConfig, LocalHostError, code, exact, exec};
use crate::team_index::{self, TeamStatus};

/// The index of a folder on disk.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FolderIndexStatus {
    /// The folder.
    pub folder: Utf8PathBuf,
    /// The file of the index; `None` if the folder can have no index.
    pub store: Option<Utf8PathBuf>,
    /// The size of the store in bytes; 0 without a store.
    pub bytes: u64,
    /// Whether a running host updates it.
    pub is_updated: bool,
    /// `ready`, `stored`, `not built`, or the reason why it does not follow the files.
    pub state: String,
    /// The number of files whose words are stored.
    pub files: usize,
    /// The number of those whose declarations are not stored yet.
    pub undeclared: usize,
    /// The number of those whose language zubi does not know.
    pub without_language: usize,
    /// The number of files that are too large to be parsed, or that the parser rejected.
    pub unparsed: usize,
    /// The imported exact data.
    pub imports: Vec<ImportStatus>,
    /// The files whose data the folder lacks: the next host imports them if it can.
    pub pending_imports: Vec<Utf8PathBuf>,
    /// The imports of a host that have failed; the host tries again after the file has changed.
    pub failed_imports: Vec<FailedImport>,
    /// The reason why the imported data cannot be read.
    pub import_error: Option<String>,
    /// The team's data for the folder; `None` without a team index.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub team: Option<TeamStatus>,
}

/// An import that has failed.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FailedImport {
    /// The file that was not imported.
    pub file: Utf8PathBuf,
    /// The folder that its data describe.
    pub folder: Utf8PathBuf,
    /// The reason.
    pub reason: String,
    /// The time since the attempt, in seconds.
    pub age_seconds: u64,
}

/// Imported exact data of a folder.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ImportStatus {
    /// The program that made the data, and its version.
    pub tool: String,
    pub version: String,
    /// The id of the commit that the program has read, if it is known.
    pub commit: Option<String>,
    /// The file that was imported.
    pub file: Utf8PathBuf,
    /// The folder that the data describe.
    pub folder: Utf8PathBuf,
    /// The time since the import, in seconds.
    pub age_seconds: u64,
    /// The number of documents.
    pub documents: usize,
    /// The number of those that are exact now.
    pub exact: usize,
    /// The number of those that have changed since, or are gone.
    pub changed: usize,
    /// The number of those that were not compared, because there are too many.
    pub unchecked: usize,
    /// The number of documents in each language.
    pub languages: BTreeMap<String, usize>,
}

impl From<ExactImportStatus> for ImportStatus {
    fn from(status: ExactImportStatus) -> Self {
        Self {
            tool: status.import.tool,
            version: status.import.version,
            commit: status.import.commit,
            file: status.file,
            folder: status.folder,
            age_seconds: status.age.as_secs(),
            documents: status.documents,
            exact: status.exact,
            changed: status.changed,
            unchecked: status.unchecked,
            languages: status.languages.into_iter().collect(),
        }
    }
}

/// A file to import.
#[derive(Debug, Clone)]
pub struct ImportSource {
    /// The absolute path of the file.
    pub file: Utf8PathBuf,
    /// The folder that the data describe. By default, it is the workspace folder with the file, or the only one.
    pub folder: Option<Utf8PathBuf>,
    /// The revision that the program has read. Without it, the data are compared with the present files.
    pub commit: Option<String>,
}

/// The reason why a command cannot change an index.
#[derive(Debug, thiserror::Error)]
pub enum FolderIndexError {
    #[error(transparent)]
    Host(#[from] LocalHostError),
    #[error("{folder}: {error}")]
    Build { folder: Utf8PathBuf, error: BuildError },
    #[error("{0}")]
    Import(#[from] ScipImportError),
    #[error("the commit of the data is unknown: {0}")]
    Commit(#[from] VersionControlError),
    #[error("the workspace has several folders, and `{0}` is in none of them")]
    NoFolder(Utf8PathBuf),
    #[error("`{0}` is not a folder")]
    NotFolder(Utf8PathBuf),
    #[error("no team index is configured; set `ZUBI_TEAM_INDEX`, or `team-index` in your own zubi.toml")]
    NoTeam,
    /// The text has no part of the connection string.
    #[error("{0}")]
    TeamSetting(String),
    #[error("{0}")]
    Team(#[from] TeamIndexError),
    #[error("the repository has no remote `origin` on a server; pass its name: `--repository NAME`")]
    NoRepositoryName,
}

/// Returns the state of each folder's index.
pub async fn status(config: &HostConfig) -> Result<Vec<FolderIndexStatus>, LocalHostError> {
    let mut all = Vec::new();
    for (folder, index) in open(config)? {
        let (state, is_updated) = index.read_state().await;
        let data = code::exact_data(config, &folder);
        let team = team_index::status(config, &folder).await;
        all.push(FolderIndexStatus { team, ..describe(folder, &index, &data, &state, is_updated).await });
    }
    Ok(all)
}

async fn describe(
    folder: Utf8PathBuf,
    index: &LocalIndex,
    data: &ScipIndex,
    state: &IndexState,
    is_updated: bool,
) -> FolderIndexStatus {
    let (imports, import_error) = match data.status(&DiskText).await {
        Ok(imports) => (imports.into_iter().map(ImportStatus::from).collect(), None),
        Err(error) => (Vec::new(), Some(error.to_string())),
    };
    let mut pending_imports: Vec<Utf8PathBuf> = data.changed_default_file().await.into_iter().collect();
    pending_imports.extend(data.lost_imports().await.into_iter().map(|lost| lost.file));
    pending_imports.dedup();
    let to_failed = |ExactImportFailure { file, folder, reason, age }| FailedImport {
        file,
        folder,
        reason,
        age_seconds: age.as_secs(),
    };
    let failed_imports = data.failed_imports().await.into_iter().map(to_failed).collect();
    let bytes = index.store_bytes();
    FolderIndexStatus {
        folder,
        store: index.store_path().map(ToOwned::to_owned),
        bytes,
        is_updated,
        state: if is_updated || bytes == 0 { state.to_string() } else { "stored".to_owned() },
        files: state.files,
        undeclared: state.undeclared,
        without_language: state.omitted.no_language,
        unparsed: state.omitted.words_only + state.omitted.failed,
        imports,
        pending_imports,
        failed_imports,
        import_error,
        team: None,
    }
}

/// Builds the index of each folder, or updates it to the present files. `progress` receives the state of the folder's index.
pub async fn build(
    config: &HostConfig,
    cancel: &CancellationToken,
    progress: &(dyn Fn(&IndexState) + Send + Sync),
) -> Result<Vec<FolderIndexStatus>, FolderIndexError> {
    let mut all = Vec::new();
    for (folder, index) in open(config)? {
        let mut changes = index.changes();
        let building = index.build(cancel);
        tokio::pin!(building);
        let built = loop {
            tokio::select! {
                built = &mut building => break built,
                // The sender lives as long as the index.
                Ok(()) = changes.changed() => progress(&changes.borrow_and_update()),
            }
        };
        built.map_err(|error| FolderIndexError::Build { folder: folder.clone(), error })?;
        let data = code::exact_data(config, &folder);
        all.push(describe(folder, &index, &data, &index.state(), true).await);
    }
    Ok(all)
}

/// Imports a file of exact data. A failed or cancelled import leaves the former data. Returns the folder that the data
/// describe.
pub async fn import(
    config: &HostConfig,
    source: &ImportSource,
    cancel: &CancellationToken,
    progress: &(dyn Fn(ImportProgress) + Send + Sync),
) -> Result<(Utf8PathBuf, ImportReport), FolderIndexError> {
    let workspace = WorkspaceFolders::open(&config.folders).map_err(LocalHostError::Workspace)?;
    let (file, folder) = resolve(&workspace, &source.file, source.folder.as_deref())?;
    let root = workspace.folder_of(&folder).map_or_else(|| workspace.root(), |folder| &folder.path);
    let commit = match &source.commit {
        Some(revision) => {
            let jobs = exec::jobs(config, &exec::secrets(config));
            let git = code::version_control(config, jobs.runner().sandbox());
            Some(exact::commit_files(git.as_deref(), &folder, revision).await?)
        }
        None => None,
    };
    let request = ImportRequest { file, folder: folder.clone(), commit };
    let report = code::exact_data(config, root).import(&request, &DiskText, cancel, progress).await?;
    Ok((folder, report))
}

/// Returns the file without links, and the folder that its data describe.
pub(crate) fn resolve(
    workspace: &WorkspaceFolders,
    file: &Utf8Path,
    folder: Option<&Utf8Path>,
) -> Result<(Utf8PathBuf, Utf8PathBuf), FolderIndexError> {
    let file = zubi_base::fs::canonical(file)
        .map_err(|error| ScipImportError::File { file: file.to_owned(), reason: error.to_string() })?;
    let folder = match folder {
        Some(folder) => zubi_base::fs::canonical(folder).map_err(|_| FolderIndexError::NotFolder(folder.to_owned()))?,
        None => default_folder(workspace, &file)?,
    };
    if folder.is_dir() { Ok((file, folder)) } else { Err(FolderIndexError::NotFolder(folder)) }
}

fn default_folder(workspace: &WorkspaceFolders, file: &Utf8Path) -> Result<Utf8PathBuf, FolderIndexError> {
    match (workspace.folder_of(file), workspace.folders()) {
        (Some(folder), _) | (None, [folder]) => Ok(folder.path.clone()),
        _ => Err(FolderIndexError::NoFolder(file.to_owned())),
    }
}

/// Deletes the index and the imported data of each folder, and returns the deleted bytes of each.
pub async fn clear(config: &HostConfig) -> Result<Vec<(Utf8PathBuf, u64)>, FolderIndexError> {
    let mut all = Vec::new();
    for (folder, index) in open(config)? {
        let data = code::exact_data(config, &folder);
        let bytes = index.store_bytes() + data.store_bytes();
        index.clear().await.map_err(|error| FolderIndexError::Build { folder: folder.clone(), error })?;
        data.clear().await?;
        all.push((folder, bytes));
    }
    Ok(all)
}

fn open(config: &HostConfig) -> Result<Vec<(Utf8PathBuf, LocalIndex)>, LocalHostError> {
    let workspace = Arc::new(WorkspaceFolders::open(&config.folders).map_err(LocalHostError::Workspace)?);
    let jobs = exec::jobs(config, &exec::secrets(config));
    let parser = code::parser(config, jobs.runner().sandbox());
    let cache = config.cache_dir.as_deref();
    let home = zubi_base::env::home().and_then(|home| zubi_base::fs::canonical(&home).ok());
    if let Some(root) =
        workspace.roots().into_iter().find(|root| zubi_index::workspace::is_too_broad(root, home.as_deref()))
    {
        return Err(LocalHostError::TooBroad(root));
    }
    let open = |root: Utf8PathBuf| {
        let index = LocalIndex::new(&root, cache, Arc::clone(&parser), zubi_index::IndexLimits::default());
        (root, index)
    };
    Ok(workspace.roots().into_iter().map(open).collect())
}
