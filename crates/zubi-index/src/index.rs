//! The index of one workspace folder in this process.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use camino::{Utf8Path, Utf8PathBuf};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use zubi_base::sync::lock;
use zubi_code::symbol_index::{
    DeclaredNames, IndexPhase, IndexState, IndexedOutline, NameSelection, SymbolHits, SymbolIndex, SymbolIndexError,
    SymbolQuery, WordFiles,
};
use zubi_code::syntax::SyntaxParser;

use crate::build::preferred::PreferredFiles;
use crate::build::{self, BuildError, PendingFiles};
use crate::limits::IndexLimits;
use crate::store::IndexStoreError;
use crate::store::database::{DECLARATIONS, StoreFile};
use crate::store::reader::{FileIdentity, PossibleFiles, StoreReader, identity_of};
use crate::store::record::{FileCounts, StoredContent};
use crate::store::writer::StoreWriter;

/// The maximum size of a store whose pages are checked, in bytes. Queries find damage of larger ones.
const MAX_CHECKED: u64 = 256 * 1024 * 1024;

/// The index of a workspace folder in zubi's cache directory.
///
/// It watches nothing: the caller builds it once and reports changed paths to [`Self::update`] before it queries. Among all
/// processes, the first that builds updates the store, until it ends; the others only read.
#[derive(Clone)]
pub struct LocalIndex {
    shared: Arc<FolderIndex>,
}

pub(crate) struct FolderIndex {
    /// The folder without links.
    pub(crate) root: Utf8PathBuf,
    store: Option<StoreFile>,
    limits: IndexLimits,
    pub(crate) parser: Arc<dyn SyntaxParser>,
    /// The writer, as soon as this process has the lock.
    writer: Mutex<Option<StoreWriter>>,
    /// The identity of the writer's file.
    identity: Mutex<Option<FileIdentity>>,
    reader: Mutex<Option<StoreReader>>,
    /// Whether another process had the lock when this one needed it.
    is_reader: AtomicBool,
    state: watch::Sender<IndexState>,
    /// The numbers of files after the last change.
    counts: Mutex<Option<FileCounts>>,
    /// The number of updates that have failed. The build that runs meanwhile may have read their files before the change.
    failed_updates: AtomicU64,
    /// The files that the build parses first.
    pub(crate) preferred: PreferredFiles,
    /// One build and one update at a time.
    building: tokio::sync::Mutex<()>,
    updating: tokio::sync::Mutex<()>,
}

impl LocalIndex {
    /// Returns the index of a folder, given by its path without links. `cache` is zubi's cache directory. Reads and creates
    /// nothing yet.
    pub fn new(root: &Utf8Path, cache: Option<&Utf8Path>, parser: Arc<dyn SyntaxParser>, limits: IndexLimits) -> Self {
        let store = cache.map(|cache| StoreFile::new(cache, root, limits.bytes, &DECLARATIONS));
        let shared = FolderIndex {
            root: root.to_owned(),
            store,
            limits,
            parser,
            writer: Mutex::default(),
            identity: Mutex::default(),
            reader: Mutex::default(),
            is_reader: AtomicBool::new(false),
            state: watch::Sender::new(IndexState::default()),
            counts: Mutex::default(),
            failed_updates: AtomicU64::new(0),
            preferred: PreferredFiles::default(),
            building: tokio::sync::Mutex::default(),
            updating: tokio::sync::Mutex::default(),
        };
        Self { shared: Arc::new(shared) }
    }

    /// Compares all files with the store and reads the changed ones: first their words, then their declarations. Creates
    /// the store if it does not exist, is damaged, or has another format. An error is also in the state.
    pub async fn build(&self, cancel: &CancellationToken) -> Result<(), BuildError> {
        let _one = self.shared.building.lock().await;
        // If the caller drops this future, the thread must stop as well.
        let cancel = cancel.child_token();
        let _stop = cancel.clone().drop_guard();
        let mut built = self.build_and_report(&cancel).await;
        if built.is_ok() && !self.has_sound_pages().await {
            built = self.build_and_report(&cancel).await;
        }
        built
    }

    async fn build_and_report(&self, cancel: &CancellationToken) -> Result<(), BuildError> {
        let failed_updates = self.shared.failed_updates.load(Ordering::SeqCst);
        let mut built = self.build_once(cancel).await;
        if matches!(built, Err(BuildError::Damaged)) {
            built = self.build_once(cancel).await;
        }
        let has_all_updates = failed_updates == self.shared.failed_updates.load(Ordering::SeqCst);
        if built.is_ok() && has_all_updates {
            let has_all_files = self.shared.state.borrow().omitted.beyond_limit == 0;
            built = self.shared.set_complete(has_all_files).await;
        }
        if built.is_err() || has_all_updates {
            self.shared.report(&built);
        } else {
            // Another build is necessary; the problem is that of the update.
            self.shared.publish(|state| state.phase = IndexPhase::Unchecked);
        }
        built
    }

    /// Checks a store of an earlier process after the first build, because the check takes longer than a build without
    /// changes. Deletes the store and returns `false` if it is damaged.
    async fn has_sound_pages(&self) -> bool {
        let must_check = |shared: &Arc<FolderIndex>| shared.with_writer(|writer| Ok(writer.take_unchecked()));
        if !self.shared.run_blocking(must_check).await.unwrap_or(false) || self.store_bytes() > MAX_CHECKED {
            return true;
        }
        // `read` deletes a damaged store.
        self.query(|reader, _| reader.check_pages()).await.is_ok()
    }

    async fn build_once(&self, cancel: &CancellationToken) -> Result<(), BuildError> {
        let shared = &self.shared;
        let token = cancel.clone();
        let check = move |shared: &Arc<FolderIndex>| {
            // Without this check, a folder that cannot be read would be an empty one.
            std::fs::read_dir(&shared.root).map_err(BuildError::Folder)?;
            shared.with_writer(|writer| writer.set_complete(false))?;
            shared.publish(|state| {
                state.phase = IndexPhase::Words { done: 0 };
                state.omitted.beyond_limit = 0;
            });
            build::check_folder(shared, &shared.root, &token)?;
            shared.publish(|state| state.phase = IndexPhase::Declarations);
            shared.tidy()
        };
        shared.run_blocking(check).await?;
        let changed = build::declare(shared, PendingFiles::After(0), cancel).await?;
        if !changed.is_empty() {
            self.update_paths(changed, cancel).await?;
        }
        Ok(())
    }

    /// Reads files and folders that were added, changed, removed or replaced, by their absolute paths. After it, queries see
    /// their present content. An error is also in the state.
    pub async fn update(&self, paths: Vec<Utf8PathBuf>, cancel: &CancellationToken) -> Result<(), BuildError> {
        let _one = self.shared.updating.lock().await;
        let cancel = cancel.child_token();
        let _stop = cancel.clone().drop_guard();
        let updated = self.update_paths(paths, &cancel).await;
        if updated.is_err() {
            self.shared.failed_updates.fetch_add(1, Ordering::SeqCst);
            // The store may be the reason of the failure, so this may fail as well.
            drop(self.shared.set_complete(false).await);
            self.shared.report(&updated);
        }
        updated
    }

    async fn update_paths(&self, paths: Vec<Utf8PathBuf>, cancel: &CancellationToken) -> Result<(), BuildError> {
        let token = cancel.clone();
        let check = move |shared: &Arc<FolderIndex>| {
            let mut checked = build::check_paths(shared, &paths, &token)?;
            checked.reverse();
            Ok(checked)
        };
        let checked = self.shared.run_blocking(check).await?;
        // A file that changes again meanwhile is reported again.
        build::declare(&self.shared, PendingFiles::Among(checked), cancel).await?;
        self.shared.run_blocking(|shared| shared.tidy()).await
    }

    /// Deletes the store. Fails if another process updates it.
    pub async fn clear(&self) -> Result<(), BuildError> {
        let _one = self.shared.building.lock().await;
        self.shared.run_blocking(|shared| shared.clear()).await
    }

    /// Closes the store and ends its lock.
    #[cfg(test)]
    pub(crate) fn close(&self) {
        *lock(&self.shared.writer) = None;
        *lock(&self.shared.reader) = None;
    }

    /// Returns the state that another process has stored, and whether a process updates the store.
    pub async fn read_state(&self) -> (IndexState, bool) {
        let shared = Arc::clone(&self.shared);
        // An error is a state without files.
        drop(tokio::task::spawn_blocking(move || shared.refresh()).await);
        let is_updated = self.shared.store.as_ref().is_some_and(StoreFile::is_locked);
        (self.state(), is_updated)
    }

    /// Whether the store is not that of the last build: another program has deleted it.
    pub(crate) fn is_lost(&self) -> bool {
        let phase = self.shared.state.borrow().phase;
        let identity = self.store_path().and_then(identity_of);
        phase == IndexPhase::Unchecked || identity != *lock(&self.shared.identity)
    }

    /// Returns the path of the store's database, whether it exists or not. `None` without a cache directory.
    pub fn store_path(&self) -> Option<&Utf8Path> {
        self.shared.store.as_ref().map(|store| store.path.as_path())
    }

    /// Returns the size of the store in bytes; 0 if it does not exist.
    pub fn store_bytes(&self) -> u64 {
        self.shared.store.as_ref().map_or(0, StoreFile::bytes)
    }

    /// Runs a query on a blocking thread.
    async fn query<T: Send + 'static>(
        &self,
        run: impl Fn(&mut StoreReader, &Utf8Path) -> Result<T, IndexStoreError> + Send + 'static,
    ) -> Result<T, SymbolIndexError> {
        let shared = Arc::clone(&self.shared);
        let answer = tokio::task::spawn_blocking(move || shared.read(|reader| run(reader, &shared.root)));
        let answer = answer.await.map_err(|error| SymbolIndexError(error.to_string()))?;
        answer.map_err(|error| SymbolIndexError(error.to_string()))
    }
}

#[async_trait]
impl SymbolIndex for LocalIndex {
    async fn search(&self, query: &SymbolQuery, limit: usize) -> Result<SymbolHits, SymbolIndexError> {
        let is_complete = self.shared.refreshed_state().await.has_all_declarations();
        let query = query.clone();
        let hits = self.query(move |reader, root| reader.search(root, &query, limit)).await?;
        Ok(SymbolHits { is_complete, ..hits })
    }

    async fn declarations(&self, name: &str, limit: usize) -> Result<SymbolHits, SymbolIndexError> {
        let is_complete = self.shared.refreshed_state().await.has_all_declarations();
        let name = name.to_owned();
        let hits = self.query(move |reader, root| reader.declarations(root, &name, limit)).await?;
        Ok(SymbolHits { is_complete, ..hits })
    }

    async fn outline(&self, path: &Utf8Path) -> Result<Option<IndexedOutline>, SymbolIndexError> {
        let Ok(path) = path.strip_prefix(&self.shared.root) else { return Ok(None) };
        let path = path.to_owned();
        self.query(move |reader, _| reader.outline(path.as_str())).await
    }

    async fn files_with(&self, word: &str) -> Result<WordFiles, SymbolIndexError> {
        if !self.shared.refreshed_state().await.has_all_words() {
            return Ok(WordFiles::Unknown);
        }
        let word = word.to_owned();
        let files = self.query(move |reader, root| reader.files_with(root, &word)).await?;
        let to_files = |PossibleFiles { texts, unread, others }| WordFiles::Files { texts, unread, others };
        Ok(files.map_or(WordFiles::Unknown, to_files))
    }

    async fn declared_names(&self, selection: &NameSelection) -> Result<DeclaredNames, SymbolIndexError> {
        let is_complete = self.shared.refreshed_state().await.has_all_declarations();
        let selection = selection.clone();
        let names = self.query(move |reader, root| reader.declared_names(root, &selection)).await?;
        Ok(DeclaredNames { is_complete, ..names })
    }

    fn prefer(&self, paths: &[&Utf8Path]) {
        if self.shared.state.borrow().phase != IndexPhase::Ready {
            let below = paths.iter().filter_map(|path| path.strip_prefix(&self.shared.root).ok());
            // The whole folder has no order.
            self.shared.preferred.add(below.filter(|path| !path.as_str().is_empty()));
        }
    }

    fn state(&self) -> IndexState {
        self.shared.state.borrow().clone()
    }

    fn changes(&self) -> watch::Receiver<IndexState> {
        self.shared.state.subscribe()
    }
}

impl FolderIndex {
    /// Runs a function on a blocking thread.
    pub(crate) async fn run_blocking<T: Send + 'static>(
        self: &Arc<Self>,
        run: impl FnOnce(&Arc<Self>) -> Result<T, BuildError> + Send + 'static,
    ) -> Result<T, BuildError> {
        let shared = Arc::clone(self);
        let answer = tokio::task::spawn_blocking(move || run(&shared)).await;
        answer.map_err(|error| BuildError::Store(error.to_string()))?
    }

    /// Records for other processes whether the store follows the files.
    async fn set_complete(self: &Arc<Self>, is_complete: bool) -> Result<(), BuildError> {
        self.run_blocking(move |shared| shared.with_writer(|writer| writer.set_complete(is_complete))).await
    }

    /// Runs changes of the store. Opens and locks it first if necessary, and deletes it if it is damaged.
    pub(crate) fn with_writer<T>(
        &self,
        run: impl FnOnce(&mut StoreWriter) -> Result<T, IndexStoreError>,
    ) -> Result<T, BuildError> {
        let mut slot = lock(&self.writer);
        let failed = |error: IndexStoreError| BuildError::Store(error.to_string());
        let Some(store) = &self.store else {
            return Err(BuildError::Store("the cache directory is unknown; set `HOME` or `XDG_CACHE_HOME`".to_owned()));
        };
        if slot.is_some() && identity_of(&store.path) != *lock(&self.identity) {
            // Another program has deleted it; what the writer writes would be lost. The new store has no files.
            *slot = None;
            self.publish(|state| state.phase = IndexPhase::Unchecked);
        }
        if slot.is_none() {
            let lock_file = store.lock().map_err(|error| failed(error.into()))?;
            self.is_reader.store(lock_file.is_none(), Ordering::Relaxed);
            let Some(lock_file) = lock_file else { return Err(BuildError::Locked) };
            let opened = StoreWriter::open(store, lock_file, self.limits);
            if let Err(error) = &opened
                && error.is_broken()
            {
                tracing::warn!(store = %store.path, %error, "deleting a damaged index");
                // The writer that was not opened had the lock.
                let again = store.lock().map_err(|error| failed(error.into()))?;
                let Some(_lock) = again else { return Err(BuildError::Locked) };
                store.remove().map_err(|error| failed(error.into()))?;
                return Err(BuildError::Damaged);
            }
            *slot = Some(opened.map_err(failed)?);
            *lock(&self.identity) = identity_of(&store.path);
        }
        let Some(writer) = slot.as_mut() else { return Err(BuildError::Locked) };
        let done = run(writer);
        *lock(&self.counts) = Some(writer.counts());
        match done {
            Ok(value) => Ok(value),
            Err(error) if error.is_broken() => {
                tracing::warn!(store = %store.path, %error, "deleting a damaged index");
                // Before the writer and its lock are dropped.
                store.remove().map_err(|error| failed(error.into()))?;
                *slot = None;
                *lock(&self.reader) = None;
                Err(BuildError::Damaged)
            }
            Err(error) => Err(failed(error)),
        }
    }

    fn read<T>(&self, run: impl Fn(&mut StoreReader) -> Result<T, IndexStoreError>) -> Result<T, IndexStoreError> {
        let store = self.store.as_ref().ok_or(IndexStoreError::Absent)?;
        let mut slot = lock(&self.reader);
        // Another process may delete a store and create it again; the second answer is that of the new one.
        for is_last in [false, true] {
            if !slot.as_ref().is_some_and(|reader| reader.is_current(store)) {
                *slot = Some(StoreReader::open(store)?);
            }
            let Some(reader) = slot.as_mut() else { return Err(IndexStoreError::Absent) };
            let answer = reader.query(&run);
            if reader.is_current(store) || is_last {
                if answer.as_ref().is_err_and(IndexStoreError::is_broken) {
                    *slot = None;
                    drop(slot);
                    self.remove_damaged();
                }
                return answer;
            }
        }
        Err(IndexStoreError::Absent)
    }

    /// Deletes the store after a query has found that it is damaged, if this process has the lock.
    fn remove_damaged(&self) {
        let mut writer = lock(&self.writer);
        if let (Some(_), Some(store)) = (writer.as_ref(), &self.store) {
            tracing::warn!(store = %store.path, "deleting a damaged index");
            if let Err(error) = store.remove() {
                tracing::warn!(store = %store.path, %error, "a damaged index cannot be deleted");
            }
            *writer = None;
        }
        drop(writer);
        self.publish(|state| {
            state.phase = IndexPhase::Unchecked;
            state.problem = Some(BuildError::Damaged.to_string());
        });
    }

    fn tidy(&self) -> Result<(), BuildError> {
        while self.with_writer(StoreWriter::tidy)? {}
        Ok(())
    }

    fn clear(&self) -> Result<(), BuildError> {
        let Some(store) = &self.store else { return Ok(()) };
        let mut writer = lock(&self.writer);
        let failed = |error: std::io::Error| BuildError::Store(error.to_string());
        // Its lock ends with it.
        *writer = None;
        let Some(lock_file) = store.lock().map_err(failed)? else { return Err(BuildError::Locked) };
        *lock(&self.reader) = None;
        store.remove().map_err(failed)?;
        drop(lock_file);
        drop(writer);
        self.state.send_modify(|state| *state = IndexState { revision: state.revision + 1, ..IndexState::default() });
        Ok(())
    }

    /// Publishes the numbers of the store and another change of the state.
    pub(crate) fn publish(&self, change: impl FnOnce(&mut IndexState)) {
        let counts = *lock(&self.counts);
        self.state.send_modify(|state| {
            if let Some(counts) = counts {
                set_counts(state, counts);
                state.revision += 1;
            }
            change(state);
        });
    }

    /// Publishes the end of a build or of a failed update.
    fn report(&self, outcome: &Result<(), BuildError>) {
        let problem = match outcome {
            Ok(()) => {
                self.publish(|state| {
                    state.phase = IndexPhase::Ready;
                    state.problem = None;
                });
                return;
            }
            // The next build continues, and the phase shows that this one did not end.
            Err(BuildError::Cancelled) => {
                self.publish(|state| state.phase = IndexPhase::Unchecked);
                return;
            }
            // Its state says so; two hosts of one folder are usual.
            Err(BuildError::Locked) => {
                self.publish(|state| state.problem = Some(BuildError::Locked.to_string()));
                return;
            }
            Err(error) => error.to_string(),
        };
        tracing::warn!(folder = %self.root, problem, "the index does not follow the files");
        self.publish(|state| state.problem = Some(problem));
    }

    /// Returns the state. If another process updates the store, reads it from there first.
    async fn refreshed_state(self: &Arc<Self>) -> IndexState {
        if self.is_reader.load(Ordering::Relaxed) {
            let shared = Arc::clone(self);
            // An error is an incomplete state.
            drop(tokio::task::spawn_blocking(move || shared.refresh()).await);
        }
        self.state.borrow().clone()
    }

    /// Compares the state with the store that another process updates.
    fn refresh(&self) {
        let is_locked = self.store.as_ref().is_some_and(StoreFile::is_locked);
        let stored = self.read(|reader| Ok((reader.is_complete()?, reader.counts()?)));
        let (is_complete, counts) = stored.unwrap_or_default();
        let problem = is_locked.then(|| BuildError::Locked.to_string()).filter(|_| !is_complete);
        let phase = if is_locked && is_complete { IndexPhase::Ready } else { IndexPhase::Unchecked };
        self.state.send_if_modified(|state| {
            let mut next = IndexState { phase, problem, ..state.clone() };
            set_counts(&mut next, counts);
            let is_other = *state != next;
            *state = IndexState { revision: state.revision + u64::from(is_other), ..next };
            is_other
        });
    }
}

fn set_counts(state: &mut IndexState, counts: FileCounts) {
    state.files = StoredContent::ALL.into_iter().filter(|it| it.has_words()).map(|it| counts.get(it)).sum();
    state.undeclared = counts.get(StoredContent::Pending);
    state.omitted.no_language = counts.get(StoredContent::NoLanguage);
    state.omitted.words_only = counts.get(StoredContent::WordsOnly);
    state.omitted.failed = counts.get(StoredContent::Failed);
    state.omitted.too_large = counts.get(StoredContent::TooLarge);
    state.omitted.not_text = counts.get(StoredContent::NotText);
}

#[cfg(test)]
pub(crate) mod tests;
