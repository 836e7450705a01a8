//! The team's database that the user's environment or configuration names. A workspace cannot name one.

use std::collections::BTreeMap;
use std::sync::Arc;

use camino::Utf8Path;
use zubi_base::config::Secrets;
use zubi_base::env;
use zubi_base::workspace::WorkspaceFolders;
use zubi_index::{GitRepositories, TeamDatabase, TeamIndex};

use super::config::HostConfig;

/// The name of the setting.
const SETTING: &str = "team-index";

/// Returns the team's database; `None` if the user has none. The error has no part of the connection string. Connects to
/// nothing.
pub(crate) fn database(config: &HostConfig) -> Result<Option<Arc<TeamDatabase>>, String> {
    let (connection, origin) = match env::team_index() {
        Some(connection) => (connection, format!("the environment variable `{}`", env::ZUBI_TEAM_INDEX.name)),
        None => match setting(config)? {
            Some(connection) => (connection, format!("the setting `{SETTING}`")),
            None => return Ok(None),
        },
    };
    let database = TeamDatabase::new(&connection, &origin).map_err(|error| error.to_string())?;
    Ok(Some(Arc::new(database)))
}

fn setting(config: &HostConfig) -> Result<Option<String>, String> {
    let (Some(entry), Some(file)) = (&config.settings.team_index, &config.settings.env_source) else { return Ok(None) };
    // Secrets have the same forms, and the same rules for their files.
    let name = "connection";
    let entries = BTreeMap::from([(name.to_owned(), entry.clone())]);
    let secrets = Secrets::read(&entries, file, env::home().as_deref());
    match secrets.broken(name) {
        Some(reason) => Err(format!("the setting `{SETTING}` cannot be used: {reason}")),
        None => Ok(secrets.values().get(name).cloned()),
    }
}

/// The team's data of a host.
#[derive(Default)]
pub(super) struct TeamData {
    /// The database; `None` without a team's index.
    pub(super) database: Option<Arc<TeamDatabase>>,
    /// The data for each folder of the workspace. Empty without git.
    pub(super) folders: Vec<Arc<TeamIndex>>,
}

impl TeamData {
    /// Returns the data that the user's configuration names. A configuration that cannot be used is in the log.
    pub(super) fn open(config: &HostConfig, workspace: &WorkspaceFolders, git: Option<&Arc<GitRepositories>>) -> Self {
        let database = database(config).unwrap_or_else(|error| {
            tracing::warn!("no team index: {error}");
            None
        });
        let folders = match (&database, git) {
            (Some(database), Some(git)) => {
                let open = |root| Arc::new(index(config, database, git, root));
                workspace.roots().iter().map(|root| open(root)).collect()
            }
            _ => Vec::new(),
        };
        Self { database, folders }
    }
}

/// Returns the team's data for a folder.
pub(crate) fn index(
    config: &HostConfig,
    database: &Arc<TeamDatabase>,
    git: &Arc<GitRepositories>,
    root: &Utf8Path,
) -> TeamIndex {
    TeamIndex::new(root, Arc::clone(database), Arc::clone(git), Arc::clone(&config.clock))
}
