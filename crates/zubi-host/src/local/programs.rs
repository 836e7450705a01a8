//! What runs programs for the user: the sandbox, the store of outputs, the jobs.

use std::sync::Arc;

use camino::Utf8PathBuf;
use zubi_base::config::Secrets;
use zubi_base::process::Environment;
use zubi_run::job::{Jobs, Runner};
use zubi_run::sandbox::Sandbox;
use zubi_run::store::OutputStore;

use super::HostConfig;

pub(crate) fn jobs(config: &HostConfig, secrets: &Secrets) -> Jobs {
    let sandbox = Arc::new(sandbox(config).keeping(secrets.files().to_vec()));
    Jobs::new(Runner::new(config.spawner.clone(), sandbox, OutputStore::new(&config.state_dir)))
}

/// The sandbox that this machine offers; nothing is tried before it is asked.
pub(crate) fn sandbox(config: &HostConfig) -> Sandbox {
    Sandbox::new(config.spawner.clone(), config.search_path.clone(), home())
}

/// The user's secrets, read from where the settings say they are.
pub(crate) fn secrets(config: &HostConfig) -> Secrets {
    match &config.settings.env_source {
        Some(file) => Secrets::read(&config.settings.env, file, home().as_deref()),
        None => Secrets::default(),
    }
}

fn home() -> Option<Utf8PathBuf> {
    let home = Environment::inherited().get("HOME").and_then(|home| Utf8PathBuf::from_path_buf(home.into()).ok());
    home.filter(|home| home.is_absolute())
}
