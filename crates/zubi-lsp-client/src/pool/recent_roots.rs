//! The projects' roots that the present questions have computed.

use std::sync::Mutex;

use camino::{Utf8Path, Utf8PathBuf};
use rustc_hash::FxHashMap;
use zubi_base::sync::lock;

use crate::catalogue::{RootRule, ServerEntry};
use crate::detect::project_root;

/// The roots of documents since the last question began. A question needs the root of one document about ten times, and
/// its computation reads manifests. The next question computes them again, because a marker may be new.
#[derive(Debug, Default)]
pub(super) struct RecentRoots(Mutex<RootsByServer>);

/// By the id of the server, and by document or directory.
type RootsByServer = FxHashMap<String, FxHashMap<Utf8PathBuf, Utf8PathBuf>>;

impl RecentRoots {
    /// Like [`project_root`].
    pub(super) fn find(&self, row: &ServerEntry, document: &Utf8Path, folder: &Utf8Path) -> Utf8PathBuf {
        let key = match (row.root, document.parent()) {
            // Its configurations select single files.
            (RootRule::TypescriptSolution, _) | (_, None) => document,
            (_, Some(directory)) => directory,
        };
        if let Some(root) = lock(&self.0).get(&row.id).and_then(|roots| roots.get(key)) {
            return root.clone();
        }
        let root = project_root(row, document, folder);
        lock(&self.0).entry(row.id.clone()).or_default().insert(key.to_owned(), root.clone());
        root
    }

    /// Removes all roots at the beginning of a question.
    pub(super) fn clear(&self) {
        lock(&self.0).clear();
    }
}
