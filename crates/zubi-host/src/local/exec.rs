//! Creates the parts that run programs for the user: the sandbox, the store of outputs, and the jobs.

use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use zubi_base::config::Directories;
use zubi_base::config::Secrets;
use zubi_exec::job::{Jobs, Runner};
use zubi_exec::sandbox::Sandbox;
use zubi_exec::store::OutputStore;

use super::config::HostConfig;

pub(crate) fn jobs(config: &HostConfig, secrets: &Secrets) -> Jobs {
    let store = OutputStore::new(&config.state_dir).with_clock(Arc::clone(&config.clock));
    let runner = Runner::new(config.spawner.clone(), Arc::new(sandbox_of_programs(config, secrets)), store);
    Jobs::new(runner.with_standby())
}

/// Returns the sandbox of commands and language servers, which protects zubi's own files and the user's secrets.
pub(crate) fn sandbox_of_programs(config: &HostConfig, secrets: &Secrets) -> Sandbox {
    sandbox(config).deny_files(secrets.files().to_vec()).deny_dirs(zubi_paths(config)).with_account_home(account_home())
}

/// Returns the sandbox for this machine, which is probed on first use.
pub(crate) fn sandbox(config: &HostConfig) -> Sandbox {
    Sandbox::new(config.spawner.clone(), config.search_path.clone(), zubi_base::env::home())
        .at_least(config.settings.sandbox_level)
}

/// Reads the user's secrets from the sources in the settings.
pub(crate) fn secrets(config: &HostConfig) -> Secrets {
    match &config.settings.env_source {
        Some(file) => Secrets::read(&config.settings.env, file, zubi_base::env::home().as_deref()),
        None => Secrets::default(),
    }
}

/// Returns the paths of zubi's own settings and records, with links resolved.
pub(super) fn zubi_paths(config: &HostConfig) -> Vec<Utf8PathBuf> {
    let resolved = |path: &Utf8Path| zubi_base::fs::canonical_for_creation(path).unwrap_or_else(|_| path.to_owned());
    let directories = Directories::discover().ok();
    directories.iter().map(|directories| resolved(&directories.config)).chain([resolved(&config.state_dir)]).collect()
}

/// Returns this account's home directory according to the system, independent of the environment.
#[cfg(unix)]
fn account_home() -> Option<Utf8PathBuf> {
    let accounts = zubi_base::fs::read_text(Utf8Path::new("/etc/passwd")).ok()?;
    home_in(&accounts, rustix::process::getuid().as_raw())
}

#[cfg(not(unix))]
fn account_home() -> Option<Utf8PathBuf> {
    None
}

/// Returns the sixth field of the account's line (passwd(5)).
#[cfg(unix)]
fn home_in(accounts: &str, uid: u32) -> Option<Utf8PathBuf> {
    let account = accounts
        .lines()
        .map(|line| line.split(':').collect::<Vec<_>>())
        .find(|fields| fields.get(2).and_then(|field| field.parse::<u32>().ok()) == Some(uid));
    Some(Utf8PathBuf::from(*account?.get(5)?)).filter(|home| home.is_absolute() && home.as_str() != "/")
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn the_home_of_an_account_is_the_sixth_field_of_its_line() {
        let accounts =
            "root:x:0:0:root:/root:/bin/sh\nbroken\nnobody:x:65534:65534::/nonexistent:/bin/false\nd:x:7:7::/:/x\n";
        assert_eq!(home_in(accounts, 0).unwrap(), "/root");
        assert_eq!(home_in(accounts, 65534).unwrap(), "/nonexistent");
        assert_eq!(home_in(accounts, 7), None, "the root of the file system is not a home directory");
        assert_eq!(home_in(accounts, 8), None);
    }
}
