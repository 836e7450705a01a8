//! How the server of a Cargo project starts: which workspaces it reads, and where its builds write.

use camino::{Utf8Path, Utf8PathBuf};
use serde_json::{Value, json};
use zubi_base::text::ContentHash;
use zubi_base::walk;

use super::{NeededServer, PoolState};
use crate::catalogue::{ProjectPath, RootRule, ServerAccess};
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
    /// The directory for its builds: below `target`, or outside the repository if they would leave untracked files in it.
    target: Option<Utf8PathBuf>,
}

impl CargoLaunch {
    fn read(root: &Utf8Path, folder: &Utf8Path, packages: &[Utf8PathBuf], build_directory: &Utf8Path) -> Self {
        let linked = Manifests::new(folder).linked_manifests(root, packages.iter().map(Utf8PathBuf::as_path));
        let writes_untracked = |directory: &Utf8Path| walk::is_unignored_by_git(&directory.join(TARGET));
        // A link may lead anywhere, and the server may write only in the project.
        let is_elsewhere = std::fs::symlink_metadata(root.join(TARGET)).is_ok_and(|target| !target.is_dir());
        // A directory that Cargo's configuration or a variable names may be anywhere, too.
        let target = if writes_untracked(root) || is_elsewhere {
            let name = ContentHash::from_bytes(root.as_str().as_bytes()).0;
            build_directory.join(OWN_TARGET).join(name)
        } else {
            root.join(TARGET).join(OWN_TARGET)
        };
        Self { linked, target: Some(target) }
    }

    /// Adds these values to rust-analyzer's settings.
    pub(super) fn extend(&self, mut settings: Value) -> Value {
        if !self.linked.is_empty() {
            settings["linkedProjects"] = json!(self.linked);
        }
        if let Some(target) = self.target.as_ref().filter(|_| !settings["cargo"]["targetDir"].is_string()) {
            settings["cargo"]["targetDir"] = json!(target);
        }
        settings
    }

    /// Adds the paths that these settings make rust-analyzer write.
    pub(super) fn extend_access(&self, mut access: ServerAccess) -> ServerAccess {
        access.add_projects(self.linked.iter().filter_map(|manifest| manifest.parent()));
        if let Some(target) = &self.target {
            access.builds.retain(|build| build.path != Utf8Path::new(TARGET).join(OWN_TARGET));
            access.builds.push(ProjectPath { path: target.clone(), with: vec![".".to_owned()] });
        }
        access
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
        let build_directory = self.build_directory.clone();
        let read = move || {
            let packages = detection.markers.iter().filter(|marker| marker.name == "Cargo.toml");
            let packages: Vec<_> = packages.map(|marker| marker.directory.clone()).collect();
            CargoLaunch::read(&own, &folder, &packages, &build_directory)
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
