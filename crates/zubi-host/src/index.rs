//! The indexes of a workspace's folders without a running host, for `zubi index`.

use std::sync::Arc;

use camino::Utf8PathBuf;
use serde::Serialize;
use tokio_util::sync::CancellationToken;
use zubi_base::workspace::WorkspaceFolders;
use zubi_code::symbol_index::SymbolIndex as _;
use zubi_index::LocalIndex;

pub use zubi_code::symbol_index::IndexState;
pub use zubi_index::build::BuildError;

use crate::local::{HostConfig, LocalHostError, code, exec};

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
}

/// The reason why a command cannot change an index.
#[derive(Debug, thiserror::Error)]
pub enum FolderIndexError {
    #[error(transparent)]
    Host(#[from] LocalHostError),
    #[error("{folder}: {error}")]
    Build { folder: Utf8PathBuf, error: BuildError },
}

/// Returns the state of each folder's index.
pub async fn status(config: &HostConfig) -> Result<Vec<FolderIndexStatus>, LocalHostError> {
    let mut all = Vec::new();
    for (folder, index) in open(config)? {
        let (state, is_updated) = index.read_state().await;
        all.push(describe(folder, &index, &state, is_updated));
    }
    Ok(all)
}

fn describe(folder: Utf8PathBuf, index: &LocalIndex, state: &IndexState, is_updated: bool) -> FolderIndexStatus {
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
        all.push(describe(folder, &index, &index.state(), true));
    }
    Ok(all)
}

/// Deletes the index of each folder, and returns the deleted bytes of each.
pub async fn clear(config: &HostConfig) -> Result<Vec<(Utf8PathBuf, u64)>, FolderIndexError> {
    let mut all = Vec::new();
    for (folder, index) in open(config)? {
        let bytes = index.store_bytes();
        index.clear().await.map_err(|error| FolderIndexError::Build { folder: folder.clone(), error })?;
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
