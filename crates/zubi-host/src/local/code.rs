//! Assembles code intelligence: the servers, the sources of answers and texts, and the target of edits.

use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use zubi_base::config::Settings;
use zubi_base::endpoint::EndpointSource;
use zubi_base::file_observer::FileObserver;
use zubi_base::nearest::nearest;
use zubi_base::text::{EditSink, TextSource};
use zubi_base::workspace::WorkspaceFolders;
use zubi_code::edit::DiskSink;
use zubi_code::exact_index::ExactIndex;
use zubi_code::symbol_index::SymbolIndex;
use zubi_code::syntax::{DirectParser, SyntaxParser};
use zubi_code::version_control::VersionControl;
use zubi_code::{CodeConfig, CodeIntel, edit};
use zubi_exec::sandbox::Sandbox;
use zubi_index::parser::{ParserConfig, ParserProcess};
use zubi_index::{GitRepositories, IndexLimits, ScipIndex, ScipLimits, WorkspaceIndex};
use zubi_lsp_client::catalogue::{Catalogue, CatalogueError};
use zubi_lsp_client::detect::PythonSearch;
use zubi_lsp_client::pool::{PoolConfig, ServerPool};

use super::HostBase;
use super::config::{EditorIntegration, HostConfig, LocalHostError};
use super::exact::ExactImporter;
use super::server_sandbox::{self, HostServerSandbox};

pub(super) fn intelligence(
    config: &HostConfig,
    workspace: &Arc<WorkspaceFolders>,
    texts: &Arc<dyn TextSource>,
    sources: Vec<Arc<dyn EndpointSource>>,
    editor: Option<&EditorIntegration>,
    base: &HostBase,
) -> Arc<CodeIntel> {
    let disk = DiskSink::new(&config.state_dir);
    let sink: Arc<dyn EditSink> = match editor.and_then(|editor| editor.sink.clone()) {
        Some(sink) => Arc::new(edit::EditorOrDiskSink::new(disk, sink, Arc::clone(texts))),
        None => Arc::new(disk),
    };
    CodeIntel::new(CodeConfig {
        workspace: Arc::clone(workspace),
        sources,
        texts: Arc::clone(texts),
        sink,
        settings: editor.and_then(|editor| editor.settings.clone()),
        state_dir: config.state_dir.clone(),
        parser: Arc::clone(&base.parser),
        index: base.index.clone().map(|index| index as Arc<dyn SymbolIndex>),
        exact: base
            .exact
            .iter()
            .flat_map(|exact| exact.folders())
            .map(|one| Arc::new(one.clone()) as Arc<dyn ExactIndex>)
            // After those of this machine, which cost no connection.
            .chain(base.team.folders.iter().map(|one| Arc::clone(one) as Arc<dyn ExactIndex>))
            .collect(),
        version_control: base.version_control.clone().map(|git| git as Arc<dyn VersionControl>),
        clock: Arc::clone(&config.clock),
    })
}

/// Creates the parser of files, which starts with the first one.
pub(crate) fn parser(config: &HostConfig, sandbox: &Arc<Sandbox>) -> Arc<dyn SyntaxParser> {
    match ParserProcess::new(config.spawner.clone(), Arc::clone(sandbox), ParserConfig::default()) {
        Some(process) => Arc::new(process),
        None => Arc::new(DirectParser),
    }
}

/// Creates the index of the workspace, which begins with the first request. `None` if the settings turn it off.
pub(super) fn index(
    config: &HostConfig,
    workspace: &WorkspaceFolders,
    parser: &Arc<dyn SyntaxParser>,
) -> Option<Arc<WorkspaceIndex>> {
    let cache = config.cache_dir.as_deref().filter(|_| config.settings.index.value)?;
    let home = zubi_base::env::home();
    let (directory, now) = (cache.to_owned(), std::time::UNIX_EPOCH + config.clock.now());
    // Nothing depends on it, and a slow disk must not delay the start.
    std::thread::spawn(move || zubi_index::remove_vanished(&directory, now));
    Some(WorkspaceIndex::new(&workspace.roots(), Some(cache), home.as_deref(), parser, IndexLimits::default()))
}

/// Creates the imports of exact data, which begin with the first request. `None` if the settings turn the index off.
pub(super) fn exact(
    config: &HostConfig,
    workspace: &WorkspaceFolders,
    index: Option<&Arc<WorkspaceIndex>>,
    git: Option<&Arc<GitRepositories>>,
) -> Option<Arc<ExactImporter>> {
    let index = index?;
    let open = |root: Utf8PathBuf| {
        let data = exact_data(config, &root);
        (root, data)
    };
    let folders = workspace.roots().into_iter().map(open).collect();
    Some(Arc::new(ExactImporter::new(Arc::clone(index), folders, git.cloned())))
}

/// Returns the exact data of a folder.
pub(crate) fn exact_data(config: &HostConfig, root: &Utf8Path) -> ScipIndex {
    ScipIndex::new(root, config.cache_dir.as_deref(), ScipLimits::default(), Arc::clone(&config.clock))
}

/// Creates the access to git repositories; `None` if git is not installed. Starts nothing.
pub(crate) fn version_control(config: &HostConfig, sandbox: &Arc<Sandbox>) -> Option<Arc<GitRepositories>> {
    let program = zubi_exec::program::find("git", config.search_path.as_deref()).into_iter().next()?;
    Some(Arc::new(GitRepositories::new(program, config.spawner.clone(), Arc::clone(sandbox))))
}

/// Creates the pool of the workspace's headless servers.
pub(crate) fn pool(
    config: &HostConfig,
    workspace: &Arc<WorkspaceFolders>,
    sandbox: &Arc<Sandbox>,
    observer: Option<&Arc<ExactImporter>>,
) -> Result<ServerPool, LocalHostError> {
    Ok(ServerPool::new(PoolConfig {
        workspace: Arc::clone(workspace),
        catalogue: catalogue(config)?,
        spawner: config.spawner.clone(),
        trust: config.trust.clone(),
        sandbox: Some(Arc::new(HostServerSandbox::new(config, Arc::clone(sandbox), workspace.roots()))),
        search_path: config.search_path.clone(),
        python: PythonSearch::new(
            zubi_base::env::python_environment(),
            zubi_base::env::cache_directory().as_deref(),
            zubi_base::env::data_directory().as_deref(),
        ),
        state_directory: config.state_dir.clone(),
        build_directory: server_sandbox::build_directory(config),
        observer: observer.map(|observer| Arc::clone(observer) as Arc<dyn FileObserver>),
    }))
}

/// Returns zubi's catalogue of servers with the user's rows, without the servers that the settings disable.
fn catalogue(config: &HostConfig) -> Result<Catalogue, LocalHostError> {
    let mut catalogue = Catalogue::builtin().clone();
    if let Some(text) = &config.user_catalogue {
        catalogue = catalogue.with_user(text).map_err(LocalHostError::Catalogue)?;
    }
    let disabled_rows = disabled_rows(&config.settings, &catalogue);
    if disabled_rows.is_empty() {
        Ok(catalogue)
    } else {
        catalogue.with_user(&disabled_rows).map_err(LocalHostError::Catalogue)
    }
}

/// Converts the settings' `servers.….disabled` to rows of a catalogue. [`unknown_servers`] reports names without a row.
fn disabled_rows(settings: &Settings, catalogue: &Catalogue) -> String {
    let known_ids = settings.disabled_servers.keys().filter(|id| catalogue.row(id).is_some());
    // An id that has a row is a plain word, so it needs no escaping.
    known_ids.flat_map(|id| ["[[server]]\nid = \"", id, "\"\nenabled = false\n"]).collect()
}

/// Returns the servers in the settings that the catalogue does not contain.
pub(super) fn unknown_servers(config: &HostConfig) -> Result<Vec<String>, CatalogueError> {
    let catalogue = match &config.user_catalogue {
        Some(text) => Catalogue::builtin().with_user(text)?,
        None => Catalogue::builtin().clone(),
    };
    let unknown = config.settings.disabled_servers.iter().filter(|(id, _)| catalogue.row(id).is_none());
    Ok(unknown
        .map(|(id, source)| {
            let suggestion = nearest(id, catalogue.rows().map(|row| row.id.as_str()), 1);
            let suggestion =
                suggestion.first().map(|suggestion| format!("; did you mean `{suggestion}`?")).unwrap_or_default();
            format!("there is no server `{id}` ({source}){suggestion}")
        })
        .collect())
}
