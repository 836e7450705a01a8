//! What every command starts from: environment, directories, trust and settings, read once.

use std::sync::Arc;

use camino::Utf8PathBuf;
use zubi_base::clock::SystemClock;
use zubi_base::config::{self, Directories, Layer, Settings};
use zubi_base::endpoint::EndpointSource;
use zubi_base::env::{Environment, split_list};
use zubi_base::fs::ReadError;
use zubi_base::process::Spawner;
use zubi_base::trust::{Trust, TrustStore};
use zubi_cli::failure::Failure;
use zubi_cli::terminal;
use zubi_host::{DomainModel, HostConfig, LocalHost};

use crate::cli::Global;
use crate::log;

/// The user's catalogue rows, below the configuration directory. It names programs to run, so a workspace has none.
const CATALOGUE_FILE: &str = "servers.toml";

pub(crate) struct Session {
    environment: Environment,
    directories: Directories,
    /// Absolute; the first is the root.
    pub(crate) folders: Vec<Utf8PathBuf>,
    /// Whether the command line names them.
    has_named_folders: bool,
    trust_all: bool,
    flags: Layer,
}

impl Session {
    /// Reads the environment and starts the log.
    pub(crate) fn open(global: &Global) -> Result<Self, Failure> {
        let environment = Environment::read().map_err(Failure::usage)?;
        log::start(global.verbose, &environment)?;
        let directories = Directories::discover().map_err(Failure::environment)?;
        let here = zubi_cli::current_directory()?;
        let folders = match global.workspace.as_slice() {
            [] => vec![here],
            folders => folders.iter().map(|folder| here.join(folder)).collect(),
        };
        let flags = Layer {
            read_only: global.read_only.then_some(true),
            toolsets: global.toolsets.as_deref().map(split_list),
            tools: global.tools.as_deref().map(split_list),
            ..Layer::default()
        };
        let has_named_folders = !global.workspace.is_empty();
        Ok(Self { environment, directories, folders, has_named_folders, trust_all: global.trust, flags })
    }

    pub(crate) fn trust_store(&self) -> TrustStore {
        TrustStore::new(&self.directories.state)
    }

    /// What is trusted in this session.
    pub(crate) fn trust(&self) -> Trust {
        Trust::new(self.trust_store(), self.trust_all)
    }

    /// The settings in force; says on stderr what an untrusted workspace asked for in vain.
    fn settings(&self, folders: &[Utf8PathBuf], trust: &Trust) -> Result<Settings, Failure> {
        let Some(root) = folders.first() else { return Err(Failure::usage("no workspace folder")) };
        let root = zubi_base::fs::canonical(root)
            .map_err(|error| Failure::usage(format!("workspace folder `{root}`: {error}")))?;
        let mut layers = config::file::load(&self.directories.config, &root, trust).map_err(Failure::usage)?;
        layers.flags = self.flags.clone();
        layers.environment = Layer {
            read_only: self.environment.read_only,
            toolsets: self.environment.toolsets.clone(),
            tools: self.environment.tools.clone(),
            ..Layer::default()
        };
        let settings = layers.resolve();
        for ignored in &settings.ignored {
            terminal::say(&format!("warning: {ignored}"));
        }
        Ok(settings)
    }

    /// What a host of this process is made of.
    pub(crate) fn config(&self) -> Result<HostConfig, Failure> {
        self.config_of(self.folders.clone())
    }

    /// The same for these folders.
    pub(crate) fn config_of(&self, folders: Vec<Utf8PathBuf>) -> Result<HostConfig, Failure> {
        let trust = self.trust();
        let settings = self.settings(&folders, &trust)?;
        Ok(HostConfig {
            folders,
            state_dir: self.directories.state.clone(),
            settings,
            user_catalogue: self.user_catalogue()?,
            trust,
            spawner: spawner()?,
            search_path: self.environment.path.clone(),
            clock: Arc::new(SystemClock),
        })
    }

    /// The host of this process. Quick: nothing is looked for or started yet.
    pub(crate) fn host(&self) -> Result<LocalHost, Failure> {
        self.host_with(|_| {})
    }

    /// The same with settings that a surface changes.
    pub(crate) fn host_with(&self, change: impl FnOnce(&mut Settings)) -> Result<LocalHost, Failure> {
        let mut config = self.config()?;
        change(&mut config.settings);
        let host = LocalHost::new(&config).map_err(Failure::usage)?;
        tell_misspellings(&host, &config);
        Ok(host)
    }

    /// The host of an editor that has these folders open, or those that the command line names if it has none.
    pub(crate) fn editor_host(
        &self,
        folders: Vec<Utf8PathBuf>,
        editor: Arc<dyn EndpointSource>,
        model: DomainModel,
        headless_fallback: bool,
    ) -> Result<LocalHost, Failure> {
        let folders = match folders.as_slice() {
            [] if self.has_named_folders => self.folders.clone(),
            // The directory in which an editor starts its servers is nobody's workspace.
            [] => return Err(Failure::usage("the editor has no folder open").hint("Open a folder, then ask again.")),
            _ => folders,
        };
        let config = self.config_of(folders)?;
        let host = LocalHost::behind_editor(&config, editor, model, headless_fallback).map_err(Failure::usage)?;
        tell_misspellings(&host, &config);
        Ok(host)
    }

    /// The user's own rows for the catalogue of language servers, where there are any.
    fn user_catalogue(&self) -> Result<Option<String>, Failure> {
        match zubi_base::fs::read_text(&self.directories.config.join(CATALOGUE_FILE)) {
            Ok(text) => Ok(Some(text)),
            Err(ReadError::NotFound { .. }) => Ok(None),
            Err(error) => Err(Failure::usage(error)),
        }
    }
}

fn tell_misspellings(host: &LocalHost, config: &HostConfig) {
    for misspelling in host.misspellings(config) {
        terminal::say(&format!("warning: {misspelling}"));
    }
}

/// Children are started through this very program, so that they end with it.
fn spawner() -> Result<Spawner, Failure> {
    let executable = std::env::current_exe()
        .map_err(|error| Failure::environment(format!("cannot tell where zubi's own program is: {error}")))?;
    let executable = Utf8PathBuf::from_path_buf(executable)
        .map_err(|path| Failure::environment(format!("`{}` is not UTF-8", path.display())))?;
    Ok(Spawner::supervised(executable))
}
