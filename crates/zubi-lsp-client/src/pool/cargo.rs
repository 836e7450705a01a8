//! How the server of a Cargo project starts: which workspaces it reads, and where its builds write.

use camino::{Utf8Path, Utf8PathBuf};
use serde_json::{Value, json};
use zubi_base::text::ContentHash;
use zubi_base::walk;

use super::{NeededServer, PoolState};
use crate::catalogue::RootRule;
use crate::detect::Manifests;
use crate::watch::WatchedFileChange;

/// The directory of a Cargo workspace's builds, if nothing configures another one (Cargo Book, "Build cache").
const TARGET: &str = "target";

/// The name of the directory below it in which rust-analyzer builds.
const OWN_TARGET: &str = "rust-analyzer";

/// The part of a server's start that depends on Cargo's manifests. The default adds nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct CargoLaunch {
    /// The manifests of all workspaces that the server reads; empty if it finds its only one.
    linked: Vec<Utf8PathBuf>,
    /// The directory for its builds, if they would otherwise leave untracked files in the repository.
    target: Option<Utf8PathBuf>,
}

impl CargoLaunch {
    fn read(root: &Utf8Path, folder: &Utf8Path, packages: &[Utf8PathBuf], state_directory: &Utf8Path) -> Self {
        let linked = Manifests::new(folder).linked_manifests(root, packages.iter().map(Utf8PathBuf::as_path));
        let writes_untracked = |directory: &Utf8Path| walk::is_unignored_by_git(&directory.join(TARGET));
        let is_any_untracked =
            linked.iter().filter_map(|manifest| manifest.parent()).chain([root]).any(writes_untracked);
        let target = if !is_any_untracked {
            None
        } else if writes_untracked(root) {
            let name = ContentHash::from_bytes(root.as_str().as_bytes()).0;
            Some(state_directory.join(OWN_TARGET).join(name))
        } else {
            Some(root.join(TARGET).join(OWN_TARGET))
        };
        Self { linked, target }
    }

    /// Adds these values to rust-analyzer's settings.
    pub(super) fn extend(&self, mut settings: Value) -> Value {
        if !self.linked.is_empty() {
            settings["linkedProjects"] = json!(self.linked);
        }
        if let Some(target) = &self.target {
            settings["cargo"]["targetDir"] = json!(target);
        }
        settings
    }
}

impl PoolState {
    /// Returns how a server starts in its root; reads manifests only after they changed.
    pub(super) async fn cargo_launch(&self, needed: &NeededServer) -> CargoLaunch {
        if needed.row.root != RootRule::CargoWorkspace {
            return CargoLaunch::default();
        }
        let root = needed.root();
        let mut known = self.cargo.lock().await;
        if let Some(launch) = known.get(root) {
            return launch.clone();
        }
        let detection = self.detect().await;
        let (own, folder) = (root.clone(), needed.folder.path.clone());
        let state_directory = self.watcher.state_directory.clone();
        let read = move || {
            let packages = detection.markers.iter().filter(|marker| marker.name == "Cargo.toml");
            let packages: Vec<_> = packages.map(|marker| marker.directory.clone()).collect();
            CargoLaunch::read(&own, &folder, &packages, &state_directory)
        };
        let launch = tokio::task::spawn_blocking(read).await.unwrap_or_default();
        known.insert(root.clone(), launch.clone());
        launch
    }

    /// Makes the next requests read the manifests again if one of them changed, or git's rules.
    pub(super) async fn forget_manifests(&self, changes: &[WatchedFileChange]) {
        let decides = |change: &WatchedFileChange| {
            change.is_directory()
                || change.path.file_name().is_some_and(|name| ["Cargo.toml", ".gitignore"].contains(&name))
        };
        if changes.iter().any(decides) {
            self.cargo.lock().await.clear();
        }
    }
}
