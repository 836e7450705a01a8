//! A host in this process.

pub(crate) mod code;
mod config;
mod edit_recovery;
mod editor_options;
pub(crate) mod exact;
pub(crate) mod exec;
pub(crate) mod policy;
mod server_sandbox;
pub(crate) mod team;
mod tool_service;

use std::sync::{Arc, Mutex};

use camino::Utf8PathBuf;
use tokio::sync::watch;
use tokio::task::JoinSet;
use zubi_base::clock::Clock;
use zubi_base::config::{Effective, Secrets, Settings};
use zubi_base::endpoint::{Endpoint as _, EndpointSource};
use zubi_base::secret_shape::ShownSecrets;
use zubi_base::text::{DiskText, TextSource};
use zubi_base::trust::Trust;
use zubi_base::workspace::WorkspaceFolders;
use zubi_code::CodeIntel;
use zubi_code::symbol_index::SymbolIndex as _;
use zubi_code::syntax::SyntaxParser;
use zubi_declared::testing::TestContext;
use zubi_declared::{DeclaredProvider, DeclaredToolsConfig};
use zubi_exec::job::Jobs;
use zubi_index::{GitRepositories, WorkspaceIndex};
use zubi_ipc::wire::host::{HostKind, IndexStatus, ServerStatus, WatchStatus};
use zubi_lsp_client::pool::{FolderWatch, ServerPool, WatchCounts};
use zubi_policy::{Policy, ServerFiles};
use zubi_tool_api::audit::{AuditFile, AuditSink, NoAudit};
use zubi_tool_api::cx::Restrictions;
use zubi_tool_api::filter::ToolFilter;
use zubi_tool_api::redact::Redactor;
use zubi_tool_api::registry::{READ_ONLY, Registry, RegistryConfig};
use zubi_tool_api::{Resource, ToolProvider, spec};
use zubi_tools::domainlang::{self, DomainExposure};
use zubi_tools::editor_state::{EditorService, EditorServiceConfig};
use zubi_tools::tools::RegistryHandle;

pub use self::config::{EditorIntegration, HostConfig, LocalHostError};
pub use self::editor_options::EditorOptions;
use self::exact::ExactImporter;
use self::team::TeamData;
pub use zubi_tools::domainlang::{DomainModel, Root, texts as model_texts};

use crate::contributed::ContributionRegistrar;
use crate::filters;
use crate::service::AllowedTools;

/// A host in this process. It owns the workspace, the servers and the registry.
pub struct LocalHost {
    workspace: Arc<WorkspaceFolders>,
    /// `None` for a host that runs no foreign code and so needs no trust.
    trust: Option<Trust>,
    registry: Arc<Registry>,
    /// Tools that the settings allow in addition to the rules.
    allowed: Option<AllowedTools>,
    server_files: ServerFiles,
    /// Whether the user has turned the confinement of any server off.
    has_unconfined_servers: bool,
    resources: Vec<Arc<dyn Resource>>,
    texts: Arc<dyn TextSource>,
    /// Stopped by [`ToolService::shutdown`](crate::service::ToolService::shutdown).
    intel: Option<Arc<CodeIntel>>,
    /// The index of the folders, if this host makes one.
    index: Option<Arc<WorkspaceIndex>>,
    /// The exact data of the folders, if this host makes an index.
    exact: Option<Arc<ExactImporter>>,
    /// Background commands, also stopped by `shutdown`.
    jobs: Option<Arc<Jobs>>,
    /// The headless servers, if this host may start any.
    pool: Option<Arc<ServerPool>>,
    declared: Option<Arc<DeclaredProvider>>,
    /// The service for the editor methods of the protocol.
    editor_service: Option<Arc<EditorService>>,
    changes: watch::Sender<u64>,
    /// Tasks that watch the providers' lists, started on the first request for changes.
    followers: Mutex<Option<JoinSet<()>>>,
}

/// The parts of a host that others are built from.
struct HostBase {
    secrets: Secrets,
    jobs: Arc<Jobs>,
    parser: Arc<dyn SyntaxParser>,
    index: Option<Arc<WorkspaceIndex>>,
    exact: Option<Arc<ExactImporter>>,
    team: TeamData,
    version_control: Option<Arc<GitRepositories>>,
}

impl HostBase {
    fn new(config: &HostConfig, workspace: &WorkspaceFolders, options: &EditorOptions) -> Self {
        let secrets = exec::secrets(config).with_values(options.env());
        let jobs = Arc::new(exec::jobs(config, &secrets));
        let parser = code::parser(config, jobs.runner().sandbox());
        let index = code::index(config, workspace, &parser);
        let version_control = code::version_control(config, jobs.runner().sandbox());
        let exact = code::exact(config, workspace, index.as_ref(), version_control.as_ref());
        let team = TeamData::open(config, workspace, version_control.as_ref());
        Self { secrets, jobs, parser, index, exact, team, version_control }
    }
}

impl LocalHost {
    /// Builds a host with all compiled-in tools. Does no slow work, unless an edit was interrupted, which it undoes: the
    /// first request that needs something detects, reads or starts it.
    pub fn new(config: &HostConfig) -> Result<Self, LocalHostError> {
        let workspace = Arc::new(WorkspaceFolders::open(&config.folders).map_err(LocalHostError::Workspace)?);
        let base = HostBase::new(config, &workspace, &EditorOptions::default());
        let pool = Arc::new(code::pool(config, &workspace, base.jobs.runner().sandbox(), base.exact.as_ref())?);
        let model = Arc::new(DomainModel::on_disk(workspace.roots().into_iter().map(Root::Folder).collect()));
        let sources = vec![Arc::clone(&pool) as _];
        let host = Self::with_sources(config, workspace, base, sources, &model, None);
        Ok(Self { pool: Some(pool), ..host })
    }

    /// Builds a host next to an open editor, which is queried first. Starts and queries headless servers only with
    /// [`EditorIntegration::headless_fallback`], because the editor has its own.
    pub fn with_editor(config: &HostConfig, editor: &EditorIntegration) -> Result<Self, LocalHostError> {
        let mut config = config.clone();
        if !editor.options.is_trusted {
            config.trust = config.trust.without_trust();
        }
        let config = &config;
        let workspace = Arc::new(WorkspaceFolders::open(&config.folders).map_err(LocalHostError::Workspace)?);
        let mut sources = vec![Arc::clone(&editor.source)];
        let base = HostBase::new(config, &workspace, &editor.options);
        let pool = Arc::new(code::pool(config, &workspace, base.jobs.runner().sandbox(), base.exact.as_ref())?);
        sources.push(if editor.headless_fallback {
            Arc::clone(&pool) as _
        } else {
            Arc::new(FolderWatch(Arc::clone(&pool)))
        });
        let pool = editor.headless_fallback.then_some(pool);
        let host = Self::with_sources(config, workspace, base, sources, &editor.model, Some(editor));
        Ok(Self { pool, ..host })
    }

    fn with_sources(
        config: &HostConfig,
        workspace: Arc<WorkspaceFolders>,
        base: HostBase,
        mut sources: Vec<Arc<dyn EndpointSource>>,
        model: &Arc<DomainModel>,
        editor: Option<&EditorIntegration>,
    ) -> Self {
        // The built-in server takes precedence for its own files.
        sources.insert(0, domainlang::endpoint_source(model));
        let view = editor.map(|editor| Arc::clone(&editor.view));
        let texts = editor.map_or_else(|| domainlang::texts(model), |editor| Arc::clone(&editor.texts));
        let editor_options = editor.map(|editor| editor.options.clone()).unwrap_or_default();
        let intel = code::intelligence(config, &workspace, &texts, sources, editor, &base);
        edit_recovery::recover_at_start(&intel);
        let HostBase { secrets, jobs, index, exact, team, .. } = base;
        let redactor = redactor(&secrets);
        let declared = DeclaredProvider::new(DeclaredToolsConfig {
            workspace: Arc::clone(&workspace),
            trust: config.trust.clone(),
            secrets,
            spawner: config.spawner.clone(),
            jobs: Arc::clone(&jobs),
            editor: view.clone(),
        });
        let service_config = EditorServiceConfig {
            kind: config.kind,
            commands: editor_options.commands().to_vec(),
            clock: Arc::clone(&config.clock),
        };
        let editor_service = EditorService::new(Arc::clone(&intel), view, service_config);
        let calls = RegistryHandle::default();
        let mut providers: Vec<Arc<dyn ToolProvider>> = vec![
            zubi_tools::lsp::provider(&intel),
            domainlang::provider(model, DomainExposure::IfModelsExist),
            zubi_tools::file::provider(&intel),
            zubi_tools::lsp::overview_provider(&intel),
            zubi_tools::refactor::provider(&intel),
            zubi_tools::refactor::text_provider(&intel, &calls),
            zubi_tools::settings::provider(&intel),
            zubi_tools::editor::provider(&editor_service),
            zubi_tools::shell::provider(&jobs, config.search_path.clone()),
            zubi_tools::output::provider(jobs.runner().store()),
            zubi_tools::script::provider(&config.spawner, &jobs, &calls),
        ];
        providers.extend(team.database.map(|team| zubi_tools::lsp::team_provider(team, Arc::clone(&config.clock))));
        // Last, so that a workspace cannot take the names of other tools.
        providers.push(Arc::clone(&declared) as Arc<dyn ToolProvider>);
        let resources = [domainlang::resources(), zubi_tools::resources::resources(&intel)].concat();
        let host = Self {
            intel: Some(intel),
            index,
            exact,
            jobs: Some(jobs),
            declared: Some(Arc::clone(&declared)),
            editor_service: Some(editor_service),
            texts,
            ..Self::assemble(config, workspace, providers, resources, redactor, &editor_options)
        };
        declared.connect(Arc::downgrade(&host.registry));
        calls.connect(Arc::downgrade(&host.registry));
        host
    }

    /// Builds a host with only the DomainLang tools, for the models of `root`; callers' paths are relative to `folder`.
    /// It runs no programs, stores nothing and writes no audit log.
    pub fn for_models(folder: Utf8PathBuf, root: Root, clock: Arc<dyn Clock>) -> Result<Self, LocalHostError> {
        let workspace = Arc::new(WorkspaceFolders::open(&[folder]).map_err(LocalHostError::Workspace)?);
        let model = Arc::new(DomainModel::on_disk(vec![root]));
        let registry = Arc::new(Registry::new(RegistryConfig {
            providers: vec![domainlang::provider(&model, DomainExposure::All)],
            policy: Policy::new(ToolFilter::default()),
            audit: Arc::new(NoAudit),
            clock,
            restrictions: Restrictions::default(),
        }));
        Ok(Self::new_minimal(workspace, registry, domainlang::resources()))
    }

    /// Builds a host that runs no foreign code: no servers, jobs or trust.
    fn new_minimal(
        workspace: Arc<WorkspaceFolders>,
        registry: Arc<Registry>,
        resources: Vec<Arc<dyn Resource>>,
    ) -> Self {
        Self {
            workspace,
            trust: None,
            registry,
            allowed: None,
            server_files: ServerFiles::default(),
            has_unconfined_servers: false,
            resources,
            texts: Arc::new(DiskText),
            intel: None,
            index: None,
            exact: None,
            jobs: None,
            pool: None,
            declared: None,
            editor_service: None,
            changes: watch::Sender::new(0),
            followers: Mutex::default(),
        }
    }

    /// Builds a host with other providers and without language servers. It always has the tools about tools.
    pub fn with_providers(
        config: &HostConfig,
        providers: Vec<Arc<dyn ToolProvider>>,
        resources: Vec<Arc<dyn Resource>>,
    ) -> Result<Self, LocalHostError> {
        let workspace = Arc::new(WorkspaceFolders::open(&config.folders).map_err(LocalHostError::Workspace)?);
        let redactor = redactor(&exec::secrets(config));
        Ok(Self::assemble(config, workspace, providers, resources, redactor, &EditorOptions::default()))
    }

    fn assemble(
        config: &HostConfig,
        workspace: Arc<WorkspaceFolders>,
        providers: Vec<Arc<dyn ToolProvider>>,
        resources: Vec<Arc<dyn Resource>>,
        redactor: Redactor,
        chosen: &EditorOptions,
    ) -> Self {
        let audit: Arc<dyn AuditSink> = Arc::new(AuditFile::new(&config.state_dir));
        let policy = policy::for_workspace(config, &workspace).with_auto_approve(chosen.auto_approve);
        let server_files = policy.paths().server_files.clone();
        let registry = Arc::new_cyclic(|registry| {
            let mut providers = providers;
            providers.push(zubi_tools::tools::provider(registry));
            Registry::new(RegistryConfig {
                providers,
                policy,
                audit,
                clock: Arc::clone(&config.clock),
                restrictions: filters::restrictions(&config.settings).combine(&chosen.restrictions()),
            })
            .with_redactor(redactor.with_shown(ShownSecrets(config.settings.show_secrets.value.clone())))
            .with_read_only_reason(match config.kind {
                HostKind::Editor => "it writes, and zubi does not change files below unsaved texts of the open editor",
                HostKind::Daemon | HostKind::InProcess => READ_ONLY,
            })
        });
        Self {
            trust: Some(config.trust.clone()),
            allowed: allowed_tools(&config.settings),
            server_files,
            has_unconfined_servers: config.settings.server_confinement.is_any_off(),
            ..Self::new_minimal(workspace, registry, resources)
        }
    }

    pub(crate) fn registry(&self) -> &Arc<Registry> {
        &self.registry
    }

    pub fn workspace(&self) -> &Arc<WorkspaceFolders> {
        &self.workspace
    }

    /// Returns the context for the tests in tool files. Fakes of other tools take the same arguments as this host's
    /// tools.
    pub async fn test_context(&self, config: &HostConfig) -> TestContext {
        self.registry.prepare().await;
        // Includes hidden and filtered tools, because a test may fake a tool that cannot be called.
        let specs = self.registry.all_tools().iter().map(|tool| Arc::new(tool.spec().clone())).collect();
        let own = || Arc::new(exec::jobs(config, &exec::secrets(config)));
        TestContext::new(config.spawner.clone(), self.jobs.clone().unwrap_or_else(own), specs)
    }

    /// The service for the editor methods of the protocol; `None` in a host for models only.
    pub fn editor_service(&self) -> Option<&Arc<EditorService>> {
        self.editor_service.as_ref()
    }

    /// Returns the registrar for contributed tools.
    pub(crate) fn registrar(&self) -> ContributionRegistrar {
        ContributionRegistrar::new(Arc::clone(&self.registry), self.declared.clone())
    }

    /// Whether background commands are running.
    pub(crate) fn has_jobs(&self) -> bool {
        self.jobs.as_ref().is_some_and(|jobs| jobs.list().iter().any(|job| job.outcome().is_none()))
    }

    /// Returns the language servers of this host.
    pub async fn servers(&self) -> Vec<ServerStatus> {
        let started = self.pool.as_ref().map(|pool| pool.started_servers()).unwrap_or_default();
        let mut servers = Vec::with_capacity(started.len());
        for server in started {
            let process = server.process().await;
            servers.push(ServerStatus {
                id: server.id().to_string(),
                root: server.root().to_string(),
                state: server.readiness().to_string(),
                pid: process.map(|(pid, _)| pid),
                memory: process.map(|(_, bytes)| bytes),
            });
        }
        servers
    }

    /// Returns the number of directories that this host watches.
    pub fn watches(&self) -> Option<WatchStatus> {
        let counts = self.pool.as_ref()?.watch_counts()?;
        let WatchCounts { directories, packages, package_limit, unwatched } = counts;
        Some(WatchStatus { directories, packages, package_limit, unwatched })
    }

    /// Returns the state of the index, if this host makes one.
    pub async fn index_status(&self) -> Option<IndexStatus> {
        let index = self.index.as_ref()?;
        let state = index.state();
        let failures = match &self.exact {
            Some(exact) => exact.failed_imports().await,
            None => Vec::new(),
        };
        Some(IndexStatus {
            files: state.files,
            bytes: index.store_bytes(),
            state: state.to_string(),
            failed_imports: failures.iter().map(|failure| format!("{}: {}", failure.file, failure.reason)).collect(),
        })
    }

    /// Whether a tool has this id or wire name, including tools that restrictions remove.
    pub fn has_tool(&self, name: &str) -> bool {
        self.registry.all_tools().iter().any(|tool| spec::is_called(&tool.spec().id, name))
    }

    /// Returns all tools, including those that restrictions remove.
    pub fn all_specs(&self) -> Vec<Arc<spec::ToolSpec>> {
        self.registry.all_tools().iter().map(|tool| Arc::new(tool.spec().clone())).collect()
    }

    /// Returns the reasons why providers omit existing tools from their lists, one sentence each.
    pub fn hidden_tool_notes(&self) -> Vec<String> {
        self.registry.notes()
    }

    /// Returns the unknown names in the settings, one sentence each: most likely typing errors. A filter that matches
    /// nothing hides more, or fewer, tools than the user intended.
    pub fn unknown_names(&self, config: &HostConfig) -> Vec<String> {
        let tools = self.registry.all_tools();
        let ids: Vec<_> = tools.iter().map(|tool| tool.spec().id.as_str()).collect();
        let toolsets = tools.iter().map(|tool| tool.spec().toolset.as_str());
        let toolsets: Vec<_> = toolsets.chain(filters::EXTRA_TOOLSETS).chain(filters::TOOLSET_WORDS).collect();
        let mut messages = code::unknown_servers(config).unwrap_or_default();
        messages.extend(filters::unmatched_patterns(&config.settings.tools, &ids));
        messages.extend(filters::unmatched_patterns(&config.settings.toolsets, &toolsets));
        // Another workspace may declare a tool with this full name, but a partial name is always an error.
        for name in &config.settings.allow.value {
            let full_id = ids.iter().find(|id| id.rsplit_once('.').is_some_and(|(_, last)| last == name));
            if let Some(full_id) = full_id.filter(|_| !ids.contains(&name.as_str())) {
                messages.push(format!(
                    "`allow` ({}) names `{name}`, and there is no such tool; `{full_id}` is one",
                    config.settings.allow.source
                ));
            }
        }
        messages
    }
}

/// Builds the redactor that removes the user's secrets from records.
fn redactor(secrets: &Secrets) -> Redactor {
    Redactor::new(secrets.values().values().cloned())
}

/// Returns the setting `allow`, unless it is empty.
fn allowed_tools(settings: &Settings) -> Option<AllowedTools> {
    let Effective { value, source } = &settings.allow;
    (!value.is_empty()).then(|| AllowedTools { source: source.to_string(), tools: value.clone() })
}

#[cfg(test)]
mod tests;
