//! A team's data for one workspace folder.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use camino::{Utf8Path, Utf8PathBuf};
use zubi_base::clock::Clock;
use zubi_base::sync::lock;
use zubi_base::text::TextSource;
use zubi_code::exact_index::{
    ExactAnswer, ExactImport, ExactImportStatus, ExactIndex, ExactIndexError, ExactQuery, ExactTarget,
};
use zubi_code::version_control::{Revision, VersionControlError};

use super::connection::TeamDatabase;
use super::repository::RepositoryState;
use super::session::{TeamSession, TeamWorkspace};
use crate::git::{GitRepositories, repository_of};
use crate::scip::answer::{self, QueryFolder};
use crate::scip::import::exact_import;
use crate::scip::limits::ScipLimits;

/// The maximum number of commits from `HEAD` in which a snapshot is searched.
const MAX_HISTORY: usize = 500;

/// The exact data of a workspace folder in a team's database. The folder is in a git repository whose remote `origin` names
/// the repository for the team.
pub struct TeamIndex {
    database: Arc<TeamDatabase>,
    git: Arc<GitRepositories>,
    root: Utf8PathBuf,
    limits: ScipLimits,
    clock: Arc<dyn Clock>,
    /// The place of the folder, as git has returned it for a state of the repository.
    known: Mutex<Option<(RepositoryState, TeamWorkspace)>>,
}

/// A snapshot that answers for a workspace folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TeamSnapshot {
    /// The origin. The time is that of the push.
    pub import: ExactImport,
    /// The number of commits from `HEAD` to the snapshot's commit, in git's order.
    pub distance: usize,
    /// The time since the push.
    pub age: Duration,
}

impl TeamIndex {
    /// Returns the data of a folder, given by its path without links. Connects to nothing yet.
    pub fn new(root: &Utf8Path, database: Arc<TeamDatabase>, git: Arc<GitRepositories>, clock: Arc<dyn Clock>) -> Self {
        let known = Mutex::default();
        Self { database, git, root: root.to_owned(), limits: ScipLimits::default(), clock, known }
    }

    /// Returns the name of the folder's repository, and the snapshots that answer for the folder.
    pub async fn snapshots(&self) -> Result<(String, Vec<TeamSnapshot>), ExactIndexError> {
        use crate::scip::store::OccurrenceStore as _;
        let workspace = self.workspace().await?;
        let session = self.database.begin_question(&workspace).await?;
        let now = self.clock.now();
        let rows = session.imports().await?;
        let describe = |(row, distance)| {
            let import = exact_import(&row);
            TeamSnapshot { age: crate::scip::index::age(now, import.imported_at), import, distance }
        };
        Ok((workspace.repository, rows.into_iter().zip(session.distances).map(describe).collect()))
    }

    async fn session(&self) -> Result<TeamSession, ExactIndexError> {
        let workspace = self.workspace().await?;
        Ok(self.database.begin_question(&workspace).await?)
    }

    /// Returns the place of the folder in the team's data, by its repository.
    async fn workspace(&self) -> Result<TeamWorkspace, ExactIndexError> {
        let no_repository = || unknown(&VersionControlError::NoRepository(self.root.clone()));
        let top = repository_of(&self.root).ok_or_else(no_repository)?;
        let state = RepositoryState::read(&top);
        if let (Some(state), Some((known, workspace))) = (&state, &*lock(&self.known))
            && state == known
        {
            return Ok(workspace.clone());
        }
        let workspace = self.find_workspace(&top).await?;
        // The commit may have changed meanwhile.
        *lock(&self.known) = state
            .filter(|state| RepositoryState::read(&top).as_ref() == Some(state))
            .map(|state| (state, workspace.clone()));
        Ok(workspace)
    }

    async fn find_workspace(&self, top: &Utf8Path) -> Result<TeamWorkspace, ExactIndexError> {
        let head = Revision::parse("HEAD").map_err(|error| unknown(&VersionControlError::Failure(error)))?;
        let (history, remote) =
            tokio::try_join!(self.git.history(&self.root, &head, MAX_HISTORY), self.git.remote(&self.root))
                .map_err(|error| unknown(&error))?;
        let repository = remote.as_deref().and_then(repository_name);
        let repository = repository.ok_or_else(|| {
            ExactIndexError::Unversioned("the repository has no remote `origin` on a server".to_owned())
        })?;
        let below = self.root.strip_prefix(top).map(Utf8Path::as_str).unwrap_or_default();
        let prefix = if below.is_empty() { String::new() } else { format!("{below}/") };
        let history = history.into_iter().map(|commit| commit.id.as_str().to_owned()).collect();
        Ok(TeamWorkspace { repository, prefix, history })
    }

    fn folder(&self) -> QueryFolder<'_> {
        QueryFolder { root: &self.root, now: self.clock.now(), checked_documents: self.limits.checked_documents }
    }
}

#[async_trait]
impl ExactIndex for TeamIndex {
    async fn find(&self, query: &ExactQuery, texts: &dyn TextSource) -> Result<ExactAnswer, ExactIndexError> {
        if let ExactTarget::Position { path, .. } = &query.target
            && !path.starts_with(&self.root)
        {
            // It needs no server.
            return Err(ExactIndexError::UnknownDocument(path.clone()));
        }
        answer::find(&self.session().await?, &self.folder(), query, texts).await
    }

    async fn status(&self, texts: &dyn TextSource) -> Result<Vec<ExactImportStatus>, ExactIndexError> {
        answer::status(&self.session().await?, &self.folder(), texts).await
    }

    async fn find_uncovered(
        &self,
        paths: &[Utf8PathBuf],
        texts: &dyn TextSource,
    ) -> Result<Vec<Utf8PathBuf>, ExactIndexError> {
        if paths.is_empty() {
            return Ok(Vec::new());
        }
        answer::find_uncovered(&self.session().await?, &self.folder(), paths, texts).await
    }
}

fn unknown(error: &VersionControlError) -> ExactIndexError {
    ExactIndexError::Unversioned(error.to_string())
}

/// Returns the name of a repository for a team: the host and the path of its remote, without a scheme, a user, a password, a
/// port and `.git`. `None` for a remote on this machine.
pub fn repository_name(remote: &str) -> Option<String> {
    let remote = remote.trim();
    let (host, path) = match remote.split_once("://") {
        Some(("file", _)) => return None,
        Some((_, rest)) => {
            let (authority, path) = rest.split_once('/')?;
            let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
            // A colon in brackets is part of an IPv6 address.
            (host.rsplit_once(':').filter(|(_, port)| !port.contains(']')).map_or(host, |(host, _)| host), path)
        }
        // `user@host:path`. A slash before the colon is that of a path on this machine.
        None => {
            let (authority, path) = remote.split_once(':').filter(|(authority, _)| !authority.contains('/'))?;
            (authority.rsplit_once('@').map_or(authority, |(_, host)| host), path)
        }
    };
    let path = path.trim_matches('/');
    let path = path.strip_suffix(".git").unwrap_or(path);
    let is_valid = |text: &str| !text.is_empty() && !text.contains(|c: char| c.is_control() || "@*?#".contains(c));
    let name = format!("{}/{path}", host.to_lowercase());
    (is_valid(host) && is_valid(path) && name.chars().count() <= 300).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_is_the_host_and_the_path_of_the_remote() {
        for (remote, expected) in [
            ("https://git.example/team/lib.git", Some("git.example/team/lib")),
            ("https://user:hunter2@Git.Example:8443/team/lib/", Some("git.example/team/lib")),
            ("ssh://git@git.example:22/team/lib.git", Some("git.example/team/lib")),
            ("git@git.example:team/lib.git\n", Some("git.example/team/lib")),
            ("git.example:/srv/lib.git", Some("git.example/srv/lib")),
            ("https://[::1]:80/lib", Some("[::1]/lib")),
            ("/srv/git/lib.git", None),
            ("../lib", None),
            ("./a:b", None),
            ("file:///srv/lib", None),
            ("https://git.example", None),
            ("https://git.example/", None),
            ("https://git.example/lib?token=hunter2", None),
            ("git@git.example:*", None),
            ("git@git.example:a\u{7}b", None),
            ("", None),
        ] {
            assert_eq!(repository_name(remote).as_deref(), expected, "{remote}");
        }
    }
}
