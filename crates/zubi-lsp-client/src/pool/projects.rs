//! The projects that a workspace has for one server.
//!
//! Each process works in one root, even if the server supports several. With three roots and a request about a position
//! in one of them, pyright 1.1, ty 0.0, gopls 0.16 and TypeScript 7 returned only that root's locations. A server of
//! another root returns its own locations for the same document, so the caller sends the request to one root after the
//! other.

use std::collections::{BTreeMap, BTreeSet};

use camino::{Utf8Path, Utf8PathBuf};
use zubi_base::endpoint::OtherProject;
use zubi_base::workspace::{Folder, WorkspaceFolders};

use crate::catalogue::ServerEntry;
use crate::detect::{Detection, inner_project, project_root};

/// The maximum number of roots in which a workspace request starts one server. Each costs a process.
const MAX_ROOTS: usize = 4;

/// Returns the roots of a server in a workspace folder, first that of an example: one for each directory with a marker.
/// Leaves out roots inside other roots if the outer server reads them too; the first request about one of their
/// documents starts a server there. Also returns the number of roots above the maximum.
pub(super) fn roots(
    row: &ServerEntry,
    detection: &Detection,
    example: &Utf8Path,
    folder: &Folder,
) -> (Vec<Utf8PathBuf>, usize) {
    let marked = marker_documents(row, detection).filter(|document| document.starts_with(&folder.path));
    let own = project_root(row, example, &folder.path);
    let others: BTreeSet<Utf8PathBuf> = marked.map(|document| project_root(row, &document, &folder.path)).collect();
    let others = others.into_iter().filter(|root| *root != own);
    let mut roots: Vec<_> = std::iter::once(own.clone()).chain(others).collect();
    if !row.nested_apart {
        let all = roots.clone();
        roots.retain(|root| !all.iter().any(|other| other != root && root.starts_with(other)));
    }
    let more = roots.len().saturating_sub(MAX_ROOTS);
    roots.truncate(MAX_ROOTS);
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

/// Returns the project of a document: the part that one process reads together while the document is open.
fn project(row: &ServerEntry, document: &Utf8Path, workspace: &WorkspaceFolders) -> Option<Utf8PathBuf> {
    let root = project_root(row, document, &workspace.folder_of(document)?.path);
    Some(inner_project(row, document, &root))
}

/// Whether a server has projects other than the document's in the workspace. Reads files.
pub(super) fn has_several(
    row: &ServerEntry,
    document: &Utf8Path,
    detection: &Detection,
    workspace: &WorkspaceFolders,
) -> bool {
    let own = project(row, document, workspace);
    let examples = detection.languages.iter().filter(|(language, _)| row.serves(language));
    let examples = examples.flat_map(|(_, files)| files.examples.values().cloned());
    marker_documents(row, detection).chain(examples).any(|other| project(row, &other, workspace) != own)
}

/// Returns the other projects with files in a server's languages, and the first file of each. Reads files.
pub(super) fn other_projects(
    row: &ServerEntry,
    document: &Utf8Path,
    files: impl Iterator<Item = Utf8PathBuf>,
    workspace: &WorkspaceFolders,
) -> Vec<OtherProject> {
    let own = project(row, document, workspace);
    let mut found: BTreeMap<Utf8PathBuf, Utf8PathBuf> = BTreeMap::new();
    let mut previous: Option<(Utf8PathBuf, Option<Utf8PathBuf>)> = None;
    for file in files {
        let Some(directory) = file.parent() else { continue };
        // Files are grouped by directory, and all files of a directory belong to one project.
        let root = match &previous {
            Some((last, root)) if last == directory => root.clone(),
            _ => project(row, &file, workspace),
        };
        previous = Some((directory.to_owned(), root.clone()));
        if let Some(root) = root
            && own.as_ref() != Some(&root)
        {
            let example = found.entry(root).or_insert_with(|| file.clone());
            // The smallest path, so that the result does not depend on the order of the files.
            if file < *example {
                *example = file;
            }
        }
    }
    found.into_iter().map(|(root, example)| OtherProject { root, example }).collect()
}
