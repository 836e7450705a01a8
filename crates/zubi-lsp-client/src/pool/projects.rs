//! The projects that a workspace has for one server.
//!
//! Each process works in one root, even if the server supports several. With three roots and a request about a position
//! in one of them, pyright 1.1, ty 0.0, gopls 0.16 and TypeScript 7 returned only that root's locations. A server of
//! another root returns its own locations for the same document, so the caller sends the request to one root after the
//! other.

use std::collections::{BTreeMap, BTreeSet};

use camino::{Utf8Path, Utf8PathBuf};
use zubi_base::endpoint::{OtherProject, ProjectServerState};
use zubi_base::workspace::{Folder, WorkspaceFolders};

use super::recent_roots::RecentRoots;
use crate::catalogue::{RootRule, ServerEntry};
use crate::detect::{Detection, Manifests, inner_project};

/// The maximum number of roots in which a workspace request starts one server. Each costs a process.
const MAX_ROOTS: usize = 4;

/// Returns the roots of a server in a workspace folder, first that of an example: one for each directory with a marker.
/// Leaves out roots inside other roots if the outer server reads them too; the first request about one of their
/// documents starts a server there. Also returns the number of roots above the maximum, which counts only roots without
/// a running server; `all` lifts it.
pub(super) fn roots(
    row: &ServerEntry,
    detection: &Detection,
    example: &Utf8Path,
    folder: &Folder,
    all: bool,
    known: &RecentRoots,
    is_running: impl Fn(&Utf8Path) -> bool,
) -> (Vec<Utf8PathBuf>, usize) {
    let marked = marker_documents(row, detection).filter(|document| document.starts_with(&folder.path));
    let own = known.find(row, example, &folder.path);
    let others: BTreeSet<Utf8PathBuf> = marked.map(|document| known.find(row, &document, &folder.path)).collect();
    let others = others.into_iter().filter(|root| *root != own);
    let mut roots: Vec<_> = std::iter::once(own.clone()).chain(others).collect();
    if !row.nested_apart {
        let outer = roots.clone();
        roots.retain(|root| !outer.iter().any(|other| other != root && root.starts_with(other)));
    }
    if all {
        return (roots, 0);
    }
    let count = roots.len();
    let mut started = 0;
    roots.retain(|root| {
        started += usize::from(!is_running(root));
        started <= MAX_ROOTS || is_running(root)
    });
    let more = count - roots.len();
    (roots, more)
}

/// Returns the note that zubi did not query all projects.
pub(super) fn unqueried_projects_note(row: &ServerEntry, more: usize) -> String {
    format!("{more} further projects of {} were not queried", row.title)
}

/// Returns a document, which need not exist, for each directory with a marker of a server's projects.
fn marker_documents<'a>(row: &'a ServerEntry, detection: &'a Detection) -> impl Iterator<Item = Utf8PathBuf> + 'a {
    let marks = |name: &str| row.root_markers.iter().flatten().any(|marker| marker == name);
    detection.markers.iter().filter(move |marker| marks(&marker.name)).map(|marker| marker.directory.join("_"))
}

/// The project of a document.
#[derive(Clone, PartialEq, Eq)]
struct Project {
    /// The part that one process reads together while the document is open.
    directory: Utf8PathBuf,
    server_root: Utf8PathBuf,
}

impl Project {
    fn from_document(
        row: &ServerEntry,
        document: &Utf8Path,
        workspace: &WorkspaceFolders,
        roots: &RecentRoots,
    ) -> Option<Self> {
        let server_root = roots.find(row, document, &workspace.folder_of(document)?.path);
        Some(Self { directory: inner_project(row, document, &server_root), server_root })
    }
}

/// Whether a server has projects other than the document's in the workspace. Reads files.
pub(super) fn has_several(
    row: &ServerEntry,
    document: &Utf8Path,
    detection: &Detection,
    workspace: &WorkspaceFolders,
    roots: &RecentRoots,
) -> bool {
    let project = |document: &Utf8Path| Project::from_document(row, document, workspace, roots);
    let own = project(document);
    let examples = detection.languages.iter().filter(|(language, _)| row.serves(language));
    let examples = examples.flat_map(|(_, files)| files.examples.values().cloned());
    marker_documents(row, detection).chain(examples).any(|other| project(&other) != own)
}

/// Returns the other projects with files in a server's languages, and the first file of each. Leaves out projects that
/// cannot mention a symbol of the document, because their packages do not depend on its project. Reads files.
pub(super) fn other_projects(
    row: &ServerEntry,
    document: &Utf8Path,
    files: impl Iterator<Item = Utf8PathBuf>,
    workspace: &WorkspaceFolders,
    roots: &RecentRoots,
    is_running: impl Fn(&Utf8Path) -> bool,
) -> Vec<OtherProject> {
    let own = Project::from_document(row, document, workspace, roots);
    let mut found: BTreeMap<Utf8PathBuf, (Utf8PathBuf, Utf8PathBuf)> = BTreeMap::new();
    let mut previous: Option<(Utf8PathBuf, Option<Project>)> = None;
    for file in files {
        let Some(directory) = file.parent() else { continue };
        // Files are grouped by directory, and all files of a directory belong to one project.
        let project = match &previous {
            Some((last, project)) if last == directory => project.clone(),
            _ => Project::from_document(row, &file, workspace, roots),
        };
        previous = Some((directory.to_owned(), project.clone()));
        if let Some(project) = project
            && own.as_ref() != Some(&project)
        {
            let (example, _) =
                found.entry(project.directory).or_insert_with(|| (file.clone(), project.server_root.clone()));
            // The smallest path, so that the result does not depend on the order of the files.
            if file < *example {
                *example = file;
            }
        }
    }
    if row.root == RootRule::CargoWorkspace
        && let (Some(own), Some(folder)) = (&own, workspace.folder_of(document))
    {
        let mut manifests = Manifests::new(&folder.path);
        let own = manifests.reachable(&own.server_root);
        // A package can mention a symbol if both depend on a common package, or one on the other.
        found.retain(|_, (_, root)| !manifests.reachable(root).is_disjoint(&own));
    }
    let with_server = |(root, (example, server_root)): (Utf8PathBuf, (Utf8PathBuf, Utf8PathBuf))| {
        let server_state = match &own {
            Some(own) if own.server_root == server_root => ProjectServerState::Shared,
            _ if is_running(&server_root) => ProjectServerState::Running,
            _ => ProjectServerState::Stopped,
        };
        OtherProject { root, example, server_root, server_state }
    };
    found.into_iter().map(with_server).collect()
}
