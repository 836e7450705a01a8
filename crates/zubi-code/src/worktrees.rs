//! Linked git worktrees in the workspace: each is a workspace of its own, so an answer is about the one of its file.

use std::collections::BTreeMap;

use camino::{Utf8Path, Utf8PathBuf};
use rustc_hash::FxHashMap;
use serde_json::Value;
use zubi_base::lsp;
use zubi_base::text::{list_first, pluralize};
use zubi_base::uri;
use zubi_base::workspace::WorkspaceFolders;
use zubi_base::worktree;

use crate::features::locations::RawLocation;
use crate::features::rename::text_edits_mut;
use crate::markup::clean_line;
use crate::query::CodeQuery;

/// The maximum number of worktrees that a note names.
const MAX_NAMED: usize = 2;

/// Selects what is in one worktree, and counts the rest.
pub(crate) struct WorktreeFilter<'a> {
    workspace: &'a WorkspaceFolders,
    /// The worktree; `None` is the tree that surrounds the nested ones.
    own: Option<Utf8PathBuf>,
    /// The worktrees of directories, so that each is examined once.
    known: FxHashMap<Utf8PathBuf, Option<Utf8PathBuf>>,
    omitted: BTreeMap<Option<Utf8PathBuf>, usize>,
}

impl<'a> WorktreeFilter<'a> {
    /// Creates the filter for the worktree of a file, which need not exist.
    pub(crate) fn new(workspace: &'a WorkspaceFolders, file: &Utf8Path) -> Self {
        let own = worktree_of(workspace, file);
        Self { workspace, own, known: FxHashMap::default(), omitted: BTreeMap::new() }
    }

    /// Whether a file is in the worktree or outside the workspace.
    pub(crate) fn contains(&mut self, file: &Utf8Path) -> bool {
        self.worktree(file) == self.own
    }

    /// Like [`Self::contains`] for a URI; counts it if it is elsewhere.
    pub(crate) fn admits(&mut self, uri: &lsp::Uri) -> bool {
        self.admits_all(uri, 1)
    }

    fn admits_all(&mut self, uri: &lsp::Uri, count: usize) -> bool {
        let Some(path) = uri::to_path(uri) else { return true };
        let worktree = self.worktree(&path);
        let is_own = worktree == self.own;
        if !is_own {
            *self.omitted.entry(worktree).or_default() += count;
        }
        is_own
    }

    /// Returns the worktree of a file. A file outside the workspace belongs to every worktree.
    fn worktree(&mut self, file: &Utf8Path) -> Option<Utf8PathBuf> {
        let Some(directory) = file.parent().filter(|_| self.workspace.contains(file)) else { return self.own.clone() };
        if let Some(known) = self.known.get(directory) {
            return known.clone();
        }
        let found = worktree_of(self.workspace, file);
        self.known.insert(directory.to_owned(), found.clone());
        found
    }

    /// Returns a note that counts what was left out: `2 references in another worktree (wt/fix) left out`.
    pub(crate) fn note(&self, thing: &str) -> Option<String> {
        let all: usize = self.omitted.values().sum();
        let names = self.omitted.keys().map(|worktree| match worktree {
            Some(path) => clean_line(&self.workspace.display(path)),
            None => "the main one".to_owned(),
        });
        let names = list_first(names, MAX_NAMED);
        let worktrees = if self.omitted.len() == 1 { "another worktree" } else { "other worktrees" };
        (all > 0).then(|| format!("{} in {worktrees} ({names}) left out", pluralize(all, thing)))
    }
}

/// Returns the nested worktree that contains a file; `None` in the rest of the workspace and outside it.
fn worktree_of(workspace: &WorkspaceFolders, file: &Utf8Path) -> Option<Utf8PathBuf> {
    worktree::nested_worktree_of(file.parent()?, &workspace.folder_of(file)?.path)
}

/// Returns the top of the tree of a file: its worktree, or else its workspace folder. `None` outside the workspace.
pub(crate) fn tree_of(workspace: &WorkspaceFolders, file: &Utf8Path) -> Option<Utf8PathBuf> {
    worktree_of(workspace, file).or_else(|| Some(workspace.folder_of(file)?.path.clone()))
}

impl CodeQuery<'_> {
    /// Returns the top of the tree of a file; see [`tree_of`].
    pub(crate) fn tree_of(&self, file: &Utf8Path) -> Option<Utf8PathBuf> {
        tree_of(self.workspace(), file)
    }

    /// Returns the directories to search for what is related to a file: its worktree, or else the workspace's folders.
    pub(crate) fn search_roots(&self, file: &Utf8Path) -> Vec<Utf8PathBuf> {
        worktree_of(self.workspace(), file).map_or_else(|| self.workspace().roots(), |worktree| vec![worktree])
    }

    /// Removes the locations in other worktrees than a file's own, and returns a note about them.
    pub(crate) fn leave_out_other_worktrees(&self, file: &Utf8Path, found: &mut Vec<RawLocation>) -> Option<String> {
        let mut filter = WorktreeFilter::new(self.workspace(), file);
        let mut previous: Option<(lsp::Uri, bool)> = None;
        found.retain(|one| {
            // Servers group locations by file. A file that is admitted is not counted.
            match &previous {
                Some((uri, true)) if *uri == one.location.uri => true,
                _ => {
                    let is_admitted = one.external || filter.admits(&one.location.uri);
                    previous = Some((one.location.uri.clone(), is_admitted));
                    is_admitted
                }
            }
        });
        filter.note("reference")
    }

    /// Removes the text edits in other worktrees than a file's own from workspace edits, and returns a note about them.
    pub(crate) fn leave_out_edits_in_other_worktrees<'e>(
        &self,
        file: &Utf8Path,
        edits: impl Iterator<Item = &'e mut Value>,
    ) -> Option<String> {
        let mut filter = WorktreeFilter::new(self.workspace(), file);
        for (uri, edits) in edits.flat_map(text_edits_mut) {
            if !filter.admits_all(&lsp::Uri(uri), edits.len()) {
                edits.clear();
            }
        }
        filter.note("edit")
    }
}
