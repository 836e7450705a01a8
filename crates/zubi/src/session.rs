//! The base of every command: environment, directories, trust and settings, read once.

use std::sync::Arc;

use camino::Utf8PathBuf;
use zubi_base::clock::SystemClock;
use zubi_base::config::{self, Directories, Layer, Settings};
use zubi_base::env::{Environment, split_list};
use zubi_base::fs::ReadError;
use zubi_base::process::Spawner;
use zubi_base::trust::{Trust, TrustStore};
use zubi_cli::failure::Failure;
use zubi_cli::terminal;
use zubi_host::{
    ClientPolicy, EditorIntegration, FilteredService, HostClient, HostClientConfig, HostConfig, LocalHost,
    SessionFilters, ToolService, UnknownName, environment, split_filters,
};
use zubi_ipc::discovery;
use zubi_ipc::listener::PortChoice;
use zubi_ipc::wire::host::HostKind;
use zubi_tool_api::ToolSpec;
use zubi_tool_api::cx::Restrictions;

use crate::cli::{Global, HostChoice};
use crate::log;

/// The user's server catalogue, in the configuration directory. A workspace has none, because it names programs to run.
const CATALOGUE_FILE: &str = "servers.toml";

#[derive(Clone)]
pub(crate) struct CliSession {
    environment: Environment,
    directories: Directories,
    /// Absolute; the first is the root.
    pub(crate) folders: Vec<Utf8PathBuf>,
    /// Whether the command line names them.
    has_named_folders: bool,
    trust_all: bool,
    /// The value of `--host`.
    host: Option<HostChoice>,
    flags: Layer,
}

/// The process that settings apply to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SettingsScope {
    /// This process, with its command line and environment.
    Process,
    /// A host that other processes use too.
    Host,
}

/// A session with a host.
pub(crate) struct HostSession {
    /// The service that a surface calls.
    pub(crate) service: Arc<FilteredService>,
    /// The client that finds the host; `None` if the session has a host of its own.
    pub(crate) host_client: Option<Arc<HostClient>>,
    /// The host of this process, if the session uses it.
    pub(crate) local_host: Option<Arc<LocalHost>>,
    /// The filters of this session, for callers that use its host without going through `service`.
    pub(crate) scope: SessionFilters,
    /// The session's filters as a policy for the clients of a host in this process.
    pub(crate) client_policy: ClientPolicy,
}

impl CliSession {
    /// Reads the environment and starts the log.
    pub(crate) fn open(global: &Global) -> Result<Self, Failure> {
        let environment = Environment::read().map_err(Failure::usage)?;
        log::start(global.verbose, &environment)?;
        let directories = Directories::discover().map_err(Failure::environment)?;
        let current = zubi_cli::current_directory()?;
        let folders = match global.workspace.as_slice() {
            [] => vec![current],
            folders => folders.iter().map(|folder| current.join(folder)).collect(),
        };
        let flags = Layer {
            read_only: global.read_only.then_some(true),
            toolsets: global.toolsets.as_deref().map(split_list),
            tools: global.tools.as_deref().map(split_list),
            ..Layer::default()
        };
        let has_named_folders = !global.workspace.is_empty();
        Ok(Self {
            environment,
            directories,
            folders,
            has_named_folders,
            trust_all: global.trust,
            host: global.host,
            flags,
        })
    }

    pub(crate) fn trust_store(&self) -> TrustStore {
        TrustStore::new(&self.directories.state)
    }

    /// Returns the trust of this session.
    pub(crate) fn trust(&self) -> Trust {
        Trust::new(self.trust_store(), self.trust_all)
    }

    /// Returns the settings in effect. The command line and the environment apply to this process only, so a host that
    /// other processes use too ignores them.
    fn settings(
        &self,
        folders: &[Utf8PathBuf],
        trust: &Trust,
        settings_scope: SettingsScope,
    ) -> Result<Settings, Failure> {
        let Some(root) = folders.first() else { return Err(Failure::usage("no workspace folder")) };
        let root = zubi_base::fs::canonical(root)
            .map_err(|error| Failure::usage(format!("workspace folder `{root}`: {error}")))?;
        let mut layers = config::file::load(&self.directories.config, &root, trust).map_err(Failure::usage)?;
        if settings_scope == SettingsScope::Process {
            layers.flags = self.flags.clone();
            layers.environment = Layer {
                read_only: self.environment.read_only,
                toolsets: self.environment.toolsets.clone(),
                tools: self.environment.tools.clone(),
                model: self.environment.model.clone(),
                ..Layer::default()
            };
        }
        Ok(layers.resolve())
    }

    /// Returns the configuration of a host in this process. Warns on stderr of settings that an untrusted workspace
    /// requests and zubi ignores.
    pub(crate) fn config(&self) -> Result<HostConfig, Failure> {
        let config = self.config_of(self.folders.clone(), SettingsScope::Process)?;
        for ignored in &config.settings.ignored {
            terminal::print_err(&format!("warning: {ignored}"));
        }
        Ok(config)
    }

    /// Returns the configuration for these folders, without warnings.
    pub(crate) fn config_of(
        &self,
        folders: Vec<Utf8PathBuf>,
        settings_scope: SettingsScope,
    ) -> Result<HostConfig, Failure> {
        self.config_trusting(folders, settings_scope, self.trust())
    }

    fn config_trusting(
        &self,
        folders: Vec<Utf8PathBuf>,
        settings_scope: SettingsScope,
        trust: Trust,
    ) -> Result<HostConfig, Failure> {
        let settings = self.settings(&folders, &trust, settings_scope)?;
        Ok(HostConfig {
            folders,
            state_dir: self.directories.state.clone(),
            cache_dir: Some(self.directories.cache.clone()),
            settings,
            user_catalogue: self.user_catalogue()?,
            trust,
            spawner: spawner()?,
            search_path: self.environment.path.clone(),
            kind: HostKind::InProcess,
            clock: Arc::new(SystemClock),
        })
    }

    /// Opens a session with the host of the workspace, which is another process's if there is one. `change` changes
    /// this session's settings. `shares` says whether other processes may use the host if it belongs to this process.
    pub(crate) async fn attach(
        &self,
        shares: bool,
        change: impl FnOnce(&mut Settings),
    ) -> Result<HostSession, Failure> {
        let mut config = self.config()?;
        reject_unknown_toolset(&config.settings)?;
        change(&mut config.settings);
        let scope = SessionFilters::from_settings(&config.settings);
        let client_policy = split_filters(&mut config.settings.clone(), true);
        let scoped = |host: Arc<dyn ToolService>| Arc::new(FilteredService::new(host, scope.clone()));
        let attached = |service, client, local_host| HostSession {
            service,
            host_client: client,
            local_host,
            scope: scope.clone(),
            client_policy,
        };
        if self.uses_private_host()? {
            let host = Arc::new(LocalHost::new(&config).map_err(Failure::usage)?);
            check_names(&host, &config)?;
            return Ok(attached(scoped(Arc::clone(&host) as _), None, Some(host)));
        }
        let folders = canonical(&self.folders)?;
        let mut files = self.settings(&self.folders, &self.trust(), SettingsScope::Host)?;
        let default_policy = split_filters(&mut files, false);
        let (session, settings) = (self.clone(), config.clone());
        let make = move || {
            let mut host_config =
                session.config_of(session.folders.clone(), SettingsScope::Host).map_err(|failure| failure.text())?;
            split_filters(&mut host_config.settings, false);
            let host = LocalHost::new(&host_config).map_err(|error| error.to_string())?;
            // Also checks names in the flags, although another layer applies the flags.
            check_names(&host, &settings).map_err(|failure| failure.text())?;
            Ok(host)
        };
        let host_client = HostClient::open(HostClientConfig {
            folders,
            instance: self.environment.instance.clone(),
            factory: Box::new(make),
            is_shared: shares,
            run: self.run_directory(),
            state_dir: self.directories.state.clone(),
            client: client(),
            environment: self.wire_environment(),
            port: PortChoice::Default,
            client_policy: default_policy,
            notify_user: Box::new(|message| terminal::print_err(&format!("warning: {message}"))),
        });
        let host_client = host_client.await.map_err(Failure::usage)?;
        let local_host = host_client.local_host();
        if local_host.is_none() && (self.flags.tools.is_some() || self.environment.tools.is_some()) {
            // If the host has ended, the first call reports it.
            let specs = host_client.list(&Restrictions::default()).await.unwrap_or_default();
            reject_unknown_tool(&config.settings, &specs)?;
        }
        Ok(attached(scoped(Arc::clone(&host_client) as _), Some(host_client), local_host))
    }

    /// Whether this session needs a host of its own. A host that trusts more than the user permanently trusts must not
    /// be shared with other processes, nor may this session raise the trust of another process's host.
    pub(crate) fn uses_private_host(&self) -> Result<bool, Failure> {
        let choice = match (self.host, self.environment.host.as_deref()) {
            (Some(choice), _) => choice,
            (None, None | Some("auto")) => HostChoice::Auto,
            (None, Some("own")) => HostChoice::Own,
            (None, Some(other)) => {
                let message = format!("environment variable `ZUBI_HOST` is `{other}`; it must be auto or own");
                return Err(Failure::usage(message));
            }
        };
        Ok(choice == HostChoice::Own || self.trust_all)
    }

    /// Whether `--trust` is given.
    pub(crate) fn has_session_trust(&self) -> bool {
        self.trust_all
    }

    /// Returns the directory in which hosts of this user find each other.
    pub(crate) fn run_directory(&self) -> Utf8PathBuf {
        discovery::run_directory(&self.directories.state)
    }

    /// Returns the directory in which zubi stores its state.
    pub(crate) fn state_directory(&self) -> &Utf8PathBuf {
        &self.directories.state
    }

    /// Returns the part of the environment that hosts and clients exchange.
    pub(crate) fn wire_environment(&self) -> zubi_ipc::wire::host::HostEnvironment {
        environment::of_process(self.environment.path.as_deref(), self.environment.python.as_deref())
    }

    /// Creates a host in this process, even if other hosts exist. Fast: it does not detect or start servers yet.
    pub(crate) fn host(&self) -> Result<LocalHost, Failure> {
        self.host_with(|_| {})
    }

    /// Creates the host of this process, with settings that a surface changes.
    pub(crate) fn host_with(&self, change: impl FnOnce(&mut Settings)) -> Result<LocalHost, Failure> {
        let mut config = self.config()?;
        change(&mut config.settings);
        let host = LocalHost::new(&config).map_err(Failure::usage)?;
        check_names(&host, &config)?;
        Ok(host)
    }

    /// Creates the host of an editor that has these folders open, or of the command line's folders if it has none open,
    /// with the filters and the policy of its session.
    pub(crate) fn editor_host(
        &self,
        editor: &EditorIntegration,
    ) -> Result<(LocalHost, SessionFilters, ClientPolicy), Failure> {
        let folders = match editor.folders.as_slice() {
            [] if self.has_named_folders => self.folders.clone(),
            // The directory in which an editor starts its servers is not a workspace.
            [] => return Err(Failure::usage("the editor has no folder open").hint("Open a folder, then try again.")),
            folders => folders.to_vec(),
        };
        // A workspace that the editor's user does not trust is untrusted here too, whatever the command line says.
        let trust = if editor.options.is_trusted { self.trust() } else { self.trust().without_trust() };
        let mut config = self.config_trusting(folders, SettingsScope::Process, trust)?;
        config.kind = HostKind::Editor;
        for ignored in &config.settings.ignored {
            terminal::print_err(&format!("warning: {ignored}"));
        }
        let (scope, initial_config) = (SessionFilters::from_settings(&config.settings), config.clone());
        let client_policy = split_filters(&mut config.settings, true);
        let host = LocalHost::with_editor(&config, editor).map_err(Failure::usage)?;
        check_names(&host, &initial_config)?;
        Ok((host, scope, client_policy))
    }

    /// Reads the user's server catalogue, if there is one.
    fn user_catalogue(&self) -> Result<Option<String>, Failure> {
        match zubi_base::fs::read_text(&self.directories.config.join(CATALOGUE_FILE)) {
            Ok(text) => Ok(Some(text)),
            Err(ReadError::NotFound { .. }) => Ok(None),
            Err(error) => Err(Failure::usage(error)),
        }
    }
}

/// Returns the folders with links resolved, which is how hosts are distinguished.
pub(crate) fn canonical(folders: &[Utf8PathBuf]) -> Result<Vec<Utf8PathBuf>, Failure> {
    let resolved = folders.iter().map(|folder| {
        zubi_base::fs::canonical(folder)
            .map_err(|error| Failure::usage(format!("workspace folder `{folder}`: {error}")))
    });
    resolved.collect()
}

/// Returns the name by which this process identifies itself to other processes.
pub(crate) fn client() -> String {
    format!("zubi {}", env!("CARGO_PKG_VERSION"))
}

/// Refuses unknown names in the flags and the environment, and warns of those in files, which may be for another version.
pub(crate) fn check_names(host: &LocalHost, config: &HostConfig) -> Result<(), Failure> {
    reject_unknown_toolset(&config.settings)?;
    reject_unknown_tool(&config.settings, &host.all_specs())?;
    for misspelling in host.unknown_names(config) {
        terminal::print_err(&format!("warning: {misspelling}"));
    }
    Ok(())
}

fn reject_unknown_toolset(settings: &Settings) -> Result<(), Failure> {
    zubi_host::find_unknown_toolset(settings).map_or(Ok(()), |unknown| Err(unknown_name(&unknown)))
}

fn reject_unknown_tool(settings: &Settings, specs: &[Arc<ToolSpec>]) -> Result<(), Failure> {
    zubi_host::find_unknown_tool(settings, specs).map_or(Ok(()), |unknown| Err(unknown_name(&unknown)))
}

fn unknown_name(unknown: &UnknownName) -> Failure {
    Failure::usage(unknown).hint(unknown.hint())
}

/// Creates the spawner, which starts children through this program, so that they end with it.
fn spawner() -> Result<Spawner, Failure> {
    let executable = std::env::current_exe().map_err(|error| {
        Failure::environment(format!("cannot determine the path of zubi's own executable: {error}"))
    })?;
    let executable = Utf8PathBuf::from_path_buf(executable)
        .map_err(|path| Failure::environment(format!("`{}` is not UTF-8", path.display())))?;
    Ok(Spawner::with_supervisor(executable))
}
