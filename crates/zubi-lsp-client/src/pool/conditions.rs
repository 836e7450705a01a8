//! The facts about a project on which a server's start and the caveats of its answers depend.

use std::sync::Arc;

use zubi_base::endpoint::Caveats;

use super::cargo::CargoLaunch;
use super::caveats::CaveatSubject;
use super::{NeededServer, PoolState};
use crate::catalogue::UntrustedRule;
use crate::detect::PythonEnvironment;

/// The facts about a project with which a server is started. If one changes, zubi starts another server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LaunchConditions {
    /// Whether the server has the permissions of a trusted folder.
    pub(super) trusted: bool,
    pub(super) python: Option<PythonEnvironment>,
    pub(super) cargo: CargoLaunch,
}

impl PoolState {
    /// Returns the facts with which a server would be started now. Reads names, and Cargo's manifests after a change.
    pub(super) async fn conditions(&self, needed: &NeededServer) -> LaunchConditions {
        let NeededServer { row, folder, .. } = needed;
        let trusted = self.trust.folder(&folder.path);
        let python = row.python.is_some().then(|| self.python.find(needed.root(), &folder.path));
        let python = match python.flatten() {
            Some(python) if trusted => Some(python),
            Some(python) => {
                python.for_untrusted(&folder.path, &self.python.search, row.untrusted == UntrustedRule::Run)
            }
            None => None,
        };
        let cargo = self.cargo_launch(needed).await;
        LaunchConditions { trusted, python, cargo }
    }

    /// Returns the caveats of a server's answers about a document.
    pub(super) async fn caveats(&self, needed: &NeededServer, conditions: &LaunchConditions) -> Caveats {
        let subject = CaveatSubject {
            row: Arc::clone(&needed.row),
            root: needed.root().clone(),
            folder: needed.folder.path.clone(),
            directory: needed.directory().to_owned(),
            trusted: conditions.trusted,
            python: conditions.python.clone(),
        };
        subject.caveats(Arc::clone(&self.finder), Arc::clone(&self.clauses)).await
    }
}
