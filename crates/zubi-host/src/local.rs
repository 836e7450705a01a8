//! A host in this process.

pub(crate) mod code;
mod editor_options;
pub(crate) mod exec;
pub(crate) mod policy;

use std::ffi::OsString;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use camino::Utf8PathBuf;
use tokio::sync::watch;
use tokio::task::JoinSet;
use zubi_base::clock::Clock;
use zubi_base::config::{Effective, Secrets, SettingSource, Settings};
use zubi_base::endpoint::{Endpoint as _, EndpointSource};
use zubi_base::process::Spawner;
use zubi_base::text::{DiskText, TextSource};
use zubi_base::trust::Trust;
use zubi_base::workspace::WorkspaceFolders;
use zubi_code::CodeIntel;
use zubi_declared::testing::TestContext;
use zubi_declared::{DeclaredProvider, DeclaredToolsConfig};
use zubi_exec::job::Jobs;
use zubi_ipc::wire::host::{HostKind, ServerStatus};
use zubi_lsp_client::catalogue::CatalogueError;
use zubi_lsp_client::pool::ServerPool;
use zubi_policy::Policy;
use zubi_tool_api::audit::{AuditFile, AuditSink, NoAudit};
use zubi_tool_api::cx::{Caller, Restrictions};
use zubi_tool_api::filter::ToolFilter;
use zubi_tool_api::redact::Redactor;
use zubi_tool_api::registry::{CallError, PolicyCheck, READ_ONLY, Registry, RegistryConfig};
use zubi_tool_api::{Resource, ResourceSpec, ResourceText, ToolCx, ToolOutput, ToolProvider, ToolSpec, spec};
use zubi_tools::domainlang::{self, DomainExposure};
use zubi_tools::editor_state::{EditorClient, EditorService, EditorServiceConfig};

pub use self::editor_options::EditorOptions;
pub use zubi_tools::domainlang::{DomainModel, Root};

pub use self::code::EditorAccess;

use crate::contributed::ContributionRegistrar;
use crate::scope;
use crate::service::{
    AllowedTools, CallAnswer, CallContext, CallFailure, CallRequest, Explanation, HostDescription, HostUnavailable,
    PolicyInForce, PolicyUnknown, RuleInForce, ToolService, UnknownTool,
};

/// The configuration of a host; the composition root supplies it.
#[derive(Clone)]
pub struct HostConfig {
    /// The workspace's folders; the first is where relative paths start.
    pub folders: Vec<Utf8PathBuf>,
    /// The directory of plans, journal, trust and the audit log.
    pub state_dir: Utf8PathBuf,
    pub settings: Settings,
    pub trust: Trust,
    pub spawner: Spawner,
    /// The user's rows for the catalogue of language servers (`servers.toml`), as text.
    pub user_catalogue: Option<String>,
    /// `PATH`, in which programs are looked up.
    pub search_path: Option<OsString>,
    /// The kind of process that the host runs in.
    pub kind: HostKind,
    pub clock: Arc<dyn Clock>,
}

/// The parts of an open editor that a host next to it needs.
pub struct EditorIntegration {
    /// The source of answers about code.
    pub source: Arc<dyn EndpointSource>,
    /// The documents that are open in the editor.
    pub view: Arc<dyn EditorClient>,
    /// Access to the editor's document texts, and the target of edits.
    pub live: Arc<dyn EditorAccess>,
    /// The models that the editor sees.
    pub model: DomainModel,
    /// Whether headless servers may answer requests that the editor cannot.
    pub headless_fallback: bool,
    /// The options that the user has chosen in the editor.
    pub editor_options: EditorOptions,
}

/// Why there is no host.
#[derive(Debug, thiserror::Error)]
pub enum HostError {
    #[error("{0}")]
    Workspace(std::io::Error),
    /// A row of the user's catalogue is not usable.
    #[error("catalogue of language servers: {0}")]
    Catalogue(CatalogueError),
}

/// A host in this process: it owns the workspace, the servers and the registry.
pub struct LocalHost {
    workspace: Arc<WorkspaceFolders>,
    /// `None` for a host that runs no foreign code, and so needs no trust.
    trust: Option<Trust>,
    registry: Arc<Registry>,
    /// Tools that the settings allow in addition to the rules.
    allowed: Option<AllowedTools>,
    resources: Vec<Arc<dyn Resource>>,
    texts: Arc<dyn TextSource>,
    /// Ended on [`ToolService::shutdown`].
    intel: Option<Arc<CodeIntel>>,
    /// Commands in the background; ended likewise.
    jobs: Option<Arc<Jobs>>,
    /// The headless servers, if this host may start any.
    pool: Option<Arc<ServerPool>>,
    declared: Option<Arc<DeclaredProvider>>,
    /// The service for the protocol's eight methods.
    editor_service: Option<Arc<EditorService>>,
    changes: watch::Sender<u64>,
    /// Tasks that follow the providers' lists; started on the first request for changes.
    followers: Mutex<Option<JoinSet<()>>>,
}

impl LocalHost {
    /// A host with all compiled-in tools. Does no slow work: nothing is detected, read or started before the first
    /// request needs it.
    pub fn new(config: &HostConfig) -> Result<Self, HostError> {
        let workspace = Arc::new(WorkspaceFolders::open(&config.folders).map_err(HostError::Workspace)?);
        let pool = Arc::new(code::pool(config, &workspace)?);
        let model = Arc::new(DomainModel::on_disk(workspace.roots().into_iter().map(Root::Folder).collect()));
        let sources = vec![Arc::clone(&pool) as _];
        let host = Self::with_sources(config, workspace, sources, &model, None, &EditorOptions::default());
        Ok(Self { pool: Some(pool), ..host })
    }

    /// Builds a host next to an open editor, which is queried first. Headless servers are started and queried only with
    /// [`EditorIntegration::headless_fallback`], because the editor has its own.
    pub fn with_editor(config: &HostConfig, beside: EditorIntegration) -> Result<Self, HostError> {
        let EditorIntegration { source, view, live, model, headless_fallback, editor_options: chosen } = beside;
        let mut config = config.clone();
        if !chosen.is_trusted {
            config.trust = config.trust.without_trust();
        }
        let config = &config;
        let workspace = Arc::new(WorkspaceFolders::open(&config.folders).map_err(HostError::Workspace)?);
        let mut sources = vec![source];
        let pool = if headless_fallback { Some(Arc::new(code::pool(config, &workspace)?)) } else { None };
        sources.extend(pool.clone().map(|pool| pool as Arc<dyn EndpointSource>));
        let host = Self::with_sources(config, workspace, sources, &Arc::new(model), Some((view, live)), &chosen);
        Ok(Self { pool, ..host })
    }

    fn with_sources(
        config: &HostConfig,
        workspace: Arc<WorkspaceFolders>,
        mut sources: Vec<Arc<dyn EndpointSource>>,
        model: &Arc<DomainModel>,
        editor: Option<(Arc<dyn EditorClient>, Arc<dyn EditorAccess>)>,
        editor_options: &EditorOptions,
    ) -> Self {
        // The built-in server answers for its own files, even if others could.
        sources.insert(0, domainlang::endpoint_source(model));
        let (view, live) = editor.unzip();
        let on_disk = domainlang::texts(model);
        let texts = live.as_ref().map_or(Arc::clone(&on_disk), |live| live.texts(on_disk));
        let intel = code::intelligence(config, &workspace, &texts, sources, live.as_deref());
        let secrets = exec::secrets(config).with_values(editor_options.env());
        let redactor = redactor(&secrets);
        let jobs = Arc::new(exec::jobs(config, &secrets));
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
        let providers: Vec<Arc<dyn ToolProvider>> = vec![
            zubi_tools::lsp::provider(&intel),
            domainlang::provider(model, DomainExposure::IfModelsExist),
            zubi_tools::file::provider(&intel),
            zubi_tools::refactor::provider(&intel),
            zubi_tools::settings::provider(&intel),
            zubi_tools::editor::provider(&editor_service),
            zubi_tools::shell::provider(&jobs, config.search_path.clone()),
            zubi_tools::output::provider(jobs.runner().store()),
            // Last, so that the names of all other tools are taken, whatever a workspace calls its own.
            Arc::clone(&declared) as Arc<dyn ToolProvider>,
        ];
        let resources = [domainlang::resources(), zubi_tools::resources::resources(&intel)].concat();
        let host = Self {
            intel: Some(intel),
            jobs: Some(jobs),
            declared: Some(Arc::clone(&declared)),
            editor_service: Some(editor_service),
            texts,
            ..Self::assemble(config, workspace, providers, resources, redactor, editor_options)
        };
        declared.connect(Arc::downgrade(&host.registry));
        host
    }

    /// Builds a host with only the DomainLang tools. The models are those of `root`; paths of callers are relative to
    /// `folder`. The host runs no programs, stores nothing and writes no audit log.
    pub fn for_models(folder: Utf8PathBuf, root: Root, clock: Arc<dyn Clock>) -> Result<Self, HostError> {
        let workspace = Arc::new(WorkspaceFolders::open(&[folder]).map_err(HostError::Workspace)?);
        let model = Arc::new(DomainModel::on_disk(vec![root]));
        let registry = Arc::new(Registry::new(RegistryConfig {
            providers: vec![domainlang::provider(&model, DomainExposure::All)],
            policy: Policy::new(ToolFilter::default()),
            audit: Arc::new(NoAudit),
            clock,
            restrictions: Restrictions::default(),
        }));
        Ok(Self {
            workspace,
            trust: None,
            registry,
            allowed: None,
            resources: domainlang::resources(),
            texts: Arc::new(DiskText),
            intel: None,
            jobs: None,
            pool: None,
            declared: None,
            editor_service: None,
            changes: watch::Sender::new(0),
            followers: Mutex::default(),
        })
    }

    /// A host over other providers, without language servers of its own. The tools about tools are always there.
    pub fn with_providers(
        config: &HostConfig,
        providers: Vec<Arc<dyn ToolProvider>>,
        resources: Vec<Arc<dyn Resource>>,
    ) -> Result<Self, HostError> {
        let workspace = Arc::new(WorkspaceFolders::open(&config.folders).map_err(HostError::Workspace)?);
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
        let registry = Arc::new_cyclic(|registry| {
            let mut providers = providers;
            providers.push(zubi_tools::tools::provider(registry));
            Registry::new(RegistryConfig {
                providers,
                policy: policy::for_workspace(config, &workspace).with_auto_approve(chosen.auto_approve),
                audit,
                clock: Arc::clone(&config.clock),
                restrictions: scope::restrictions(&config.settings).combine(&chosen.restrictions()),
            })
            .with_redactor(redactor)
            .read_only_because(match config.kind {
                HostKind::Editor => "it writes, and zubi does not change files below unsaved texts of the open editor",
                HostKind::Daemon | HostKind::InProcess => READ_ONLY,
            })
        });
        Self {
            workspace,
            trust: Some(config.trust.clone()),
            registry,
            allowed: allowed_tools(&config.settings),
            resources,
            texts: Arc::new(DiskText),
            intel: None,
            jobs: None,
            pool: None,
            declared: None,
            editor_service: None,
            changes: watch::Sender::new(0),
            followers: Mutex::default(),
        }
    }

    pub(crate) fn registry(&self) -> &Arc<Registry> {
        &self.registry
    }

    pub fn workspace(&self) -> &Arc<WorkspaceFolders> {
        &self.workspace
    }

    /// The context in which the tests in tool files run. Fakes of other tools take the same arguments as this host's
    /// tools.
    pub async fn test_context(&self, config: &HostConfig) -> TestContext {
        self.registry.prepare().await;
        // Includes hidden tools and those that a filter removes: a tool that cannot be called can still be faked.
        let specs = self.registry.all_tools().iter().map(|tool| Arc::new(tool.spec().clone())).collect();
        let own = || Arc::new(exec::jobs(config, &exec::secrets(config)));
        TestContext::new(config.spawner.clone(), self.jobs.clone().unwrap_or_else(own), specs)
    }

    /// The service for the protocol's eight methods; `None` in a host for models alone.
    pub fn editor_service(&self) -> Option<&Arc<EditorService>> {
        self.editor_service.as_ref()
    }

    /// The place where others register their contributed tools.
    pub(crate) fn registrar(&self) -> ContributionRegistrar {
        ContributionRegistrar::new(Arc::clone(&self.registry), self.declared.clone())
    }

    /// Whether commands run in the background.
    pub(crate) fn has_jobs(&self) -> bool {
        self.jobs.as_ref().is_some_and(|jobs| jobs.list().iter().any(|job| job.outcome().is_none()))
    }

    /// The language servers that run for this host.
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

    /// Whether there is a tool of this id or wire name, whatever the restrictions.
    pub fn has_tool(&self, name: &str) -> bool {
        self.registry.all_tools().iter().any(|tool| spec::is_called(&tool.spec().id, name))
    }

    /// The tools that providers leave out of their lists although they exist, and why, one sentence each.
    pub fn hidden_tool_notes(&self) -> Vec<String> {
        self.registry.notes()
    }

    /// The names in the settings that do not exist, one sentence each: most likely misspellings. A filter that matches
    /// nothing hides more, or less, than the user meant.
    pub fn unknown_names(&self, config: &HostConfig) -> Vec<String> {
        let tools = self.registry.all_tools();
        let ids: Vec<_> = tools.iter().map(|tool| tool.spec().id.as_str()).collect();
        let toolsets: Vec<_> =
            tools.iter().map(|tool| tool.spec().toolset.as_str()).chain(scope::EXTRA_TOOLSETS).collect();
        let mut found = code::unknown_servers(config).unwrap_or_default();
        found.extend(unmatched_patterns(&config.settings.tools, &ids));
        found.extend(unmatched_patterns(&config.settings.toolsets, &toolsets));
        // A complete name may be declared in another workspace; a partial name may not.
        for name in &config.settings.allow.value {
            let whole = ids.iter().find(|id| id.rsplit_once('.').is_some_and(|(_, last)| last == name));
            if let Some(whole) = whole.filter(|_| !ids.contains(&name.as_str())) {
                found.push(format!(
                    "`allow` ({}) names `{name}`, and there is no such tool; `{whole}` is one",
                    config.settings.allow.source
                ));
            }
        }
        found
    }

    /// The rules in force for every session, including those from approvals that hold for longer than a session.
    pub fn policy_in_force(&self) -> PolicyInForce {
        let policy = self.registry.policy();
        let rules = policy.rules().iter();
        PolicyInForce {
            broken: policy.broken().map(str::to_owned),
            allow: self.allowed.clone(),
            rules: rules.map(|rule| RuleInForce { source: rule.source.clone(), rule: rule.text.clone() }).collect(),
        }
    }

    fn cx(&self, caller: Arc<Caller>, circumstances: CallContext, token_budget: Option<usize>) -> ToolCx {
        let now = Instant::now();
        ToolCx {
            cancel: circumstances.cancel,
            // If the sum overflows, the deadline is too far away to matter.
            deadline: now.checked_add(circumstances.timeout).unwrap_or(now),
            progress: circumstances.progress,
            token_budget,
            nesting: 0,
            caller,
            approver: circumstances.approver,
            workspace: Arc::clone(&self.workspace),
            text_source: Arc::clone(&self.texts),
        }
    }
}

/// Builds the redactor that removes the user's secrets from records.
fn redactor(secrets: &Secrets) -> Redactor {
    Redactor::new(secrets.values().values().cloned())
}

/// Counts up whenever the list of any provider changes, including providers added later.
async fn follow(registry: Arc<Registry>, changes: watch::Sender<u64>) {
    loop {
        let mut any = JoinSet::new();
        // Receivers are taken before the change is announced, so that no change is missed in between.
        let receivers = registry.changes();
        changes.send_modify(|count| *count += 1);
        for mut receiver in receivers {
            any.spawn(async move {
                if receiver.changed().await.is_err() {
                    std::future::pending::<()>().await;
                }
            });
        }
        any.join_next().await;
    }
}

/// Whether the user names a toolset, on the command line, in the environment or in the user's file. A workspace's file
/// does not count: it would add tools for everyone who opens the folder.
pub fn user_requests_toolset(settings: &Settings, toolset: &str) -> bool {
    let of_person = settings.toolsets.iter().filter(|filter| !matches!(filter.source, SettingSource::Workspace(_)));
    of_person
        .map(|filter| ToolFilter::new(filter.value.iter().map(String::as_str)))
        .any(|filter| filter.includes(toolset))
}

/// The setting `allow`, if it names anything.
fn allowed_tools(settings: &Settings) -> Option<AllowedTools> {
    let Effective { value, source } = &settings.allow;
    (!value.is_empty()).then(|| AllowedTools { source: source.to_string(), tools: value.clone() })
}

pub(crate) fn unmatched_patterns(filters: &[Effective<Vec<String>>], names: &[&str]) -> Vec<String> {
    let describe_unmatched = |filter: &Effective<Vec<String>>| {
        let parsed = ToolFilter::new(filter.value.iter().map(String::as_str));
        let patterns = parsed.unmatched_patterns(names.iter().copied());
        patterns
            .iter()
            .map(|pattern| format!("filter `{pattern}` ({}) matches nothing", filter.source))
            .collect::<Vec<_>>()
    };
    filters.iter().flat_map(describe_unmatched).collect()
}

fn answer(result: Result<ToolOutput, CallError>, duration: Duration) -> Result<CallAnswer, UnknownTool> {
    match result {
        Ok(output) => {
            let (text, status) = (output.render(), output.status.is_some());
            Ok(CallAnswer { text, data: output.data, duration, status, failure: None, next: String::new() })
        }
        Err(error) => {
            let CallFailure { code, text, next } = failure(error)?;
            Ok(CallAnswer { text, data: None, duration, status: false, failure: Some(code), next })
        }
    }
}

/// How a call failed, unless there was no such tool.
fn failure(error: CallError) -> Result<CallFailure, UnknownTool> {
    match error {
        CallError::Unknown { name, reason: why, code } => Err(UnknownTool { name, why, code }),
        CallError::Tool { id, error } => {
            Ok(CallFailure { code: error.code(), text: error.render(&id), next: error.hint().to_owned() })
        }
    }
}

#[async_trait]
impl ToolService for LocalHost {
    fn describe(&self) -> HostDescription {
        let folders = self.workspace.folders().to_vec();
        HostDescription {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            trusted: self.trust.as_ref().is_none_or(|trust| folders.iter().all(|folder| trust.folder(&folder.path))),
            folders,
        }
    }

    async fn list(&self, restrictions: &Restrictions) -> Result<Vec<Arc<ToolSpec>>, HostUnavailable> {
        self.registry.prepare().await;
        Ok(self.registry.list(restrictions).iter().map(|tool| Arc::new(tool.spec().clone())).collect())
    }

    async fn find(&self, name: &str, restrictions: &Restrictions) -> Result<Arc<ToolSpec>, UnknownTool> {
        match self.registry.find_refreshing(name, restrictions).await {
            Ok(tool) => Ok(Arc::new(tool.spec().clone())),
            Err(error) => {
                let CallFailure { code, text, .. } = failure(error)?;
                Err(UnknownTool { name: name.to_owned(), why: text, code })
            }
        }
    }

    async fn call(&self, request: CallRequest, circumstances: CallContext) -> Result<CallAnswer, UnknownTool> {
        let started = Instant::now();
        let cx = self.cx(request.caller, circumstances, request.token_budget);
        let result = self.registry.call(&request.tool, request.arguments, cx).await;
        answer(result, started.elapsed())
    }

    async fn explain(
        &self,
        request: CallRequest,
        circumstances: CallContext,
    ) -> Result<Result<Explanation, CallFailure>, UnknownTool> {
        self.registry.prepare().await;
        let cx = self.cx(request.caller, circumstances, request.token_budget);
        match self.registry.judge(&request.tool, request.arguments, &cx) {
            Ok(PolicyCheck { tool, footprint, judgement, would_allow }) => {
                Ok(Ok(Explanation { tool, judgement, footprint, would_allow }))
            }
            Err(error) => failure(error).map(Err),
        }
    }

    async fn policy(&self) -> Result<PolicyInForce, PolicyUnknown> {
        Ok(self.policy_in_force())
    }

    fn changes(&self) -> watch::Receiver<u64> {
        let mut followers = self.followers.lock().unwrap_or_else(PoisonError::into_inner);
        followers.get_or_insert_with(|| {
            let mut tasks = JoinSet::new();
            tasks.spawn(follow(Arc::clone(&self.registry), self.changes.clone()));
            tasks
        });
        self.changes.subscribe()
    }

    async fn resources(&self) -> Result<Vec<ResourceSpec>, HostUnavailable> {
        Ok(self.resources.iter().map(|resource| resource.spec().clone()).collect())
    }

    async fn read_resource(
        &self,
        uri: &str,
        caller: Arc<Caller>,
        circumstances: CallContext,
    ) -> Option<Result<ResourceText, String>> {
        let resource = self.resources.iter().find(|resource| resource.spec().uri == uri)?;
        let cx = self.cx(caller, circumstances, None);
        Some(resource.read(uri, &cx).await.map_err(|error| error.render(&resource.spec().name)))
    }

    fn contributions(&self) -> Option<ContributionRegistrar> {
        Some(self.registrar())
    }

    async fn shutdown(&self) {
        let jobs = async {
            if let Some(jobs) = &self.jobs {
                jobs.stop_all().await;
            }
        };
        let servers = async {
            if let Some(intel) = &self.intel {
                intel.shutdown().await;
            }
        };
        tokio::join!(jobs, servers);
    }
}

#[cfg(test)]
mod tests;
