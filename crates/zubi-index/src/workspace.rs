//! The index of all folders of a workspace, updated in the background by what the file watcher reports.

mod folder;
#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use camino::{Utf8Path, Utf8PathBuf};
use futures_util::future::{join_all, select_all};
use rustc_hash::FxHashSet;
use tokio::sync::watch;
use tokio_util::sync::{CancellationToken, DropGuard};
use zubi_base::file_observer::FileObserver;
use zubi_code::symbol_index::{
    DeclaredNames, IndexPhase, IndexState, IndexedOutline, NameSelection, SymbolHits, SymbolIndex, SymbolIndexError,
    SymbolQuery, WordFiles,
};
use zubi_code::syntax::SyntaxParser;

use crate::index::LocalIndex;
use crate::limits::IndexLimits;
use folder::IndexedFolder;

/// The maximum time that queries wait until the index has read the same changed files. After it, answers are marked: one
/// answer has several queries.
const UPDATE_WAIT: Duration = Duration::from_millis(300);

/// The index of a workspace: one [`LocalIndex`] for each folder.
///
/// It begins when the watcher starts ([`FileObserver::start`]), and then reads what the watcher reports. It ends when it is
/// dropped; the content so far is stored.
pub struct WorkspaceIndex {
    folders: Vec<Arc<IndexedFolder>>,
    state: watch::Sender<IndexState>,
    cancel: CancellationToken,
    _stop: DropGuard,
}

impl WorkspaceIndex {
    /// Returns the index of folders, given by their paths without links. `cache` is zubi's cache directory, and `home` the
    /// user's home directory, which has no index. Reads and creates nothing yet.
    pub fn new(
        folders: &[Utf8PathBuf],
        cache: Option<&Utf8Path>,
        home: Option<&Utf8Path>,
        parser: &Arc<dyn SyntaxParser>,
        limits: IndexLimits,
    ) -> Arc<Self> {
        let cancel = CancellationToken::new();
        // The home directory may be a link.
        let home = home.map(|home| zubi_base::fs::canonical(home).unwrap_or_else(|_| home.to_owned()));
        let open = |root: &Utf8PathBuf| {
            let index = LocalIndex::new(root, cache, Arc::clone(parser), limits);
            Arc::new(IndexedFolder::new(root.clone(), index, is_too_broad(root, home.as_deref())))
        };
        let folders: Vec<_> = folders.iter().map(open).collect();
        let index = Self {
            folders,
            state: watch::Sender::new(IndexState::default()),
            _stop: cancel.clone().drop_guard(),
            cancel,
        };
        publish(&index.folders, &index.state);
        Arc::new(index)
    }

    /// Returns the size of all stores in bytes.
    pub fn store_bytes(&self) -> u64 {
        self.folders.iter().map(|folder| folder.index.store_bytes()).sum()
    }

    /// Waits until the index has read all reported changes, for a limited time.
    async fn wait_for_updates(&self) {
        let waits = join_all(self.folders.iter().map(|folder| folder.wait_for_updates()));
        // After the limit, the state has unread files.
        if tokio::time::timeout(UPDATE_WAIT, waits).await.is_err() {
            self.folders.iter().for_each(|folder| folder.end_waits());
        }
    }

    /// Combines the answers of the folders, which have their order.
    fn merge(
        &self,
        limit: usize,
        found: Vec<Result<SymbolHits, SymbolIndexError>>,
    ) -> Result<SymbolHits, SymbolIndexError> {
        let mut all = SymbolHits { is_complete: true, ..SymbolHits::default() };
        for (folder, found) in self.folders.iter().zip(found) {
            // A folder without a store is incomplete, and the others still answer.
            let found = match found {
                Err(error) if self.folders.len() == 1 => return Err(error),
                found => found.unwrap_or_default(),
            };
            all.has_more |= found.has_more;
            all.is_complete &= found.is_complete && folder.state().has_all_declarations();
            all.hits.extend(found.hits);
        }
        if self.folders.len() > 1 {
            // A folder may be inside another one.
            let mut seen = FxHashSet::default();
            all.hits.retain(|hit| seen.insert((hit.path.clone(), hit.name_range.start)));
            all.hits.sort_by_key(|hit| hit.name_match);
            all.has_more |= all.hits.len() > limit;
            all.hits.truncate(limit);
        }
        Ok(all)
    }
}

#[async_trait]
impl SymbolIndex for WorkspaceIndex {
    async fn search(&self, query: &SymbolQuery, limit: usize) -> Result<SymbolHits, SymbolIndexError> {
        self.wait_for_updates().await;
        let found = join_all(self.folders.iter().map(|folder| folder.index.search(query, limit))).await;
        self.merge(limit, found)
    }

    async fn declarations(&self, name: &str, limit: usize) -> Result<SymbolHits, SymbolIndexError> {
        self.wait_for_updates().await;
        let found = join_all(self.folders.iter().map(|folder| folder.index.declarations(name, limit))).await;
        self.merge(limit, found)
    }

    async fn outline(&self, path: &Utf8Path) -> Result<Option<IndexedOutline>, SymbolIndexError> {
        let containing = self.folders.iter().filter(|folder| path.starts_with(&folder.root));
        match containing.max_by_key(|folder| folder.root.as_str().len()) {
            Some(folder) => folder.index.outline(path).await,
            None => Ok(None),
        }
    }

    async fn files_with(&self, word: &str) -> Result<WordFiles, SymbolIndexError> {
        self.wait_for_updates().await;
        let (mut texts, mut unread, mut others) = (Vec::new(), Vec::new(), Vec::new());
        for folder in &self.folders {
            if !folder.state().has_all_words() {
                return Ok(WordFiles::Unknown);
            }
            match folder.index.files_with(word).await? {
                WordFiles::Files { texts: own_texts, unread: own_unread, others: own_others } => {
                    texts.extend(own_texts);
                    unread.extend(own_unread);
                    others.extend(own_others);
                }
                WordFiles::Unknown => return Ok(WordFiles::Unknown),
            }
        }
        if self.folders.len() > 1 {
            for files in [&mut texts, &mut unread, &mut others] {
                files.sort_unstable_by(|a, b| a.as_str().cmp(b.as_str()));
                files.dedup();
            }
        }
        Ok(WordFiles::Files { texts, unread, others })
    }

    async fn declared_names(&self, selection: &NameSelection) -> Result<DeclaredNames, SymbolIndexError> {
        self.wait_for_updates().await;
        let names = join_all(self.folders.iter().map(|folder| folder.index.declared_names(selection))).await;
        let names = names.into_iter().collect::<Result<Vec<_>, _>>()?;
        let is_complete = self.folders.iter().all(|folder| folder.state().has_all_declarations());
        let joined = DeclaredNames::join(names);
        Ok(DeclaredNames { is_complete: joined.is_complete && is_complete, ..joined })
    }

    fn prefer(&self, paths: &[&Utf8Path]) {
        for folder in &self.folders {
            folder.index.prefer(paths);
        }
    }

    fn state(&self) -> IndexState {
        combine_states(&self.folders)
    }

    fn changes(&self) -> watch::Receiver<IndexState> {
        self.state.subscribe()
    }
}

impl FileObserver for WorkspaceIndex {
    fn start(&self) {
        for folder in &self.folders {
            folder.start(&self.cancel);
        }
        let (folders, state, cancel) = (self.folders.clone(), self.state.clone(), self.cancel.clone());
        let mut contents: Vec<_> = folders.iter().map(|folder| folder.index.changes()).collect();
        let mut reads: Vec<_> = folders.iter().map(|folder| folder.reads()).collect();
        tokio::spawn(async move {
            loop {
                let content = select_all(contents.iter_mut().map(|one| Box::pin(one.changed())));
                // An index has read all reported changes only after it has published the last of them.
                let read = select_all(reads.iter_mut().map(|one| Box::pin(one.changed())));
                tokio::select! {
                    (changed, ..) = content => if changed.is_err() { return },
                    (changed, ..) = read => if changed.is_err() { return },
                    () = cancel.cancelled() => return,
                }
                publish(&folders, &state);
            }
        });
    }

    fn report(&self, paths: Vec<Utf8PathBuf>) {
        for folder in &self.folders {
            folder.add_changes(paths.iter().filter(|path| path.starts_with(&folder.root)));
        }
        publish(&self.folders, &self.state);
    }

    fn begin_comparison(&self) {
        self.folders.iter().for_each(|folder| folder.set_comparing(true));
        publish(&self.folders, &self.state);
    }

    fn end_comparison(&self) {
        self.folders.iter().for_each(|folder| folder.set_comparing(false));
        publish(&self.folders, &self.state);
    }
}

impl std::fmt::Debug for WorkspaceIndex {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_list().entries(self.folders.iter().map(|folder| &folder.root)).finish()
    }
}

/// Whether a folder contains the files of many projects and programs: the root of the file system, or the user's home. Both
/// paths are without links.
pub fn is_too_broad(root: &Utf8Path, home: Option<&Utf8Path>) -> bool {
    root.parent().is_none() || home.is_some_and(|home| home.starts_with(root))
}

/// Publishes the state of folders, if it has changed.
fn publish(folders: &[Arc<IndexedFolder>], state: &watch::Sender<IndexState>) {
    let next = combine_states(folders);
    state.send_if_modified(|old| std::mem::replace(old, next.clone()) != next);
}

/// Combines the states of folders: the least progress, all numbers, the first problem.
fn combine_states(folders: &[Arc<IndexedFolder>]) -> IndexState {
    let rank = |phase: &IndexPhase| match phase {
        IndexPhase::Unchecked => 0,
        IndexPhase::Words { .. } => 1,
        IndexPhase::Declarations => 2,
        IndexPhase::Ready => 3,
    };
    let combined = folders.iter().map(|folder| folder.state()).reduce(|mut all, one| {
        all.phase = match (all.phase, one.phase) {
            (IndexPhase::Words { done }, IndexPhase::Words { done: more }) => IndexPhase::Words { done: done + more },
            (a, b) if rank(&b) < rank(&a) => b,
            (a, _) => a,
        };
        all.files += one.files;
        all.undeclared += one.undeclared;
        all.unread += one.unread;
        all.omitted.no_language += one.omitted.no_language;
        all.omitted.words_only += one.omitted.words_only;
        all.omitted.failed += one.omitted.failed;
        all.omitted.too_large += one.omitted.too_large;
        all.omitted.not_text += one.omitted.not_text;
        all.omitted.beyond_limit += one.omitted.beyond_limit;
        all.revision += one.revision;
        all.problem = all.problem.or(one.problem);
        all
    });
    combined.unwrap_or_default()
}
