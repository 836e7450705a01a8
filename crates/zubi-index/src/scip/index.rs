//! The exact data of one workspace folder in this process.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use camino::{Utf8Path, Utf8PathBuf};
use serde::{Deserialize, Serialize};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use zubi_base::clock::{Clock, milliseconds};
use zubi_base::owner_only;
use zubi_base::sync::lock;
use zubi_base::text::TextSource;
use zubi_code::exact_index::{
    ExactAnswer, ExactImportFailure, ExactImportStatus, ExactIndex, ExactIndexError, ExactQuery,
};

use super::answer::{self, QueryFolder};
use super::failure::{self, FailureRecord};
use super::import::{self, ImportJob, ImportMessage, ImportProgress, ImportReport, ImportRequest, ScipImportError};
use super::limits::ScipLimits;
use super::reader::ExactReader;
use super::store::{
    DocumentPage, DocumentRow, EXACT_DATA, ImportRow, ListedDocument, MonikerRow, OccurrenceStore, RelationDirection,
};
use super::writer::ExactWriter;
use crate::store::IndexStoreError;
use crate::store::database::StoreFile;

/// The name of a file that an indexer writes by default.
const DEFAULT_FILE: &str = "index.scip";

/// The maximum size of the list of imports, in bytes.
const MAX_LIST: u64 = 1 << 20;

/// The SCIP data of a workspace folder, in a store in zubi's cache directory.
#[derive(Clone)]
pub struct ScipIndex {
    shared: Arc<ScipFolder>,
}

struct ScipFolder {
    root: Utf8PathBuf,
    store: Option<StoreFile>,
    limits: ScipLimits,
    clock: Arc<dyn Clock>,
    reader: Mutex<Option<ExactReader>>,
}

/// An import whose data were lost with a damaged store, or one of another version of zubi. Its file may be gone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LostImport {
    /// The absolute path of the file.
    pub file: Utf8PathBuf,
    /// The absolute path of the folder that the data describe.
    pub folder: Utf8PathBuf,
    /// The program that made the data.
    pub tool: String,
    /// The id of the commit that the import was for.
    pub commit: Option<String>,
}

impl ScipIndex {
    /// Returns the data of a folder, given by its path without links. `cache` is zubi's cache directory. Reads and creates
    /// nothing yet.
    pub fn new(root: &Utf8Path, cache: Option<&Utf8Path>, limits: ScipLimits, clock: Arc<dyn Clock>) -> Self {
        let store = cache.map(|cache| StoreFile::new(cache, root, limits.store_bytes, &EXACT_DATA));
        Self { shared: Arc::new(ScipFolder { root: root.to_owned(), store, limits, clock, reader: Mutex::default() }) }
    }

    /// Imports a file. Its data replace those of an earlier import of the same folder and producer, in one step: an import
    /// that fails, is cancelled or whose future is dropped changes nothing. `progress` is called now and then.
    pub async fn import(
        &self,
        request: &ImportRequest,
        texts: &dyn TextSource,
        cancel: &CancellationToken,
        progress: &(dyn Fn(ImportProgress) + Send + Sync),
    ) -> Result<ImportReport, ScipImportError> {
        let shared = Arc::clone(&self.shared);
        let request = request.clone();
        let import = move |cancel, caller| shared.import(request, cancel, caller);
        import::run_on_thread(texts, cancel, progress, import).await?
    }

    /// Returns `index.scip` in the folder, if it is a file there.
    pub fn default_file(&self) -> Option<Utf8PathBuf> {
        let file = self.shared.root.join(DEFAULT_FILE);
        std::fs::symlink_metadata(&file).is_ok_and(|metadata| metadata.is_file()).then_some(file)
    }

    /// Returns [`Self::default_file`] if it has changed since its last import. A file that was never imported has not
    /// changed if a later import of the same folder exists: that one may have replaced its data. An error of the
    /// store is not one of the file, so nothing is imported then.
    pub async fn changed_default_file(&self) -> Option<Utf8PathBuf> {
        let file = self.default_file()?;
        let changed_at = changed_at(&std::fs::symlink_metadata(&file).ok()?);
        let imports = OccurrenceStore::imports(self).await.ok()?;
        let is_own = |row: &&ImportRow| row.file == file.as_str();
        let own = imports.iter().filter(is_own).map(|row| row.imported_ms).max();
        let of_folder = imports.iter().filter(|row| row.folder.is_empty()).map(|row| row.imported_ms).max();
        let is_imported = own.or(of_folder).is_some_and(|imported| Duration::from_millis(imported) >= changed_at);
        (!is_imported).then_some(file)
    }

    /// Returns the imports whose data were lost, so that the caller can import their files again.
    pub async fn lost_imports(&self) -> Vec<LostImport> {
        let shared = Arc::clone(&self.shared);
        tokio::task::spawn_blocking(move || shared.lost_imports()).await.unwrap_or_default()
    }

    /// Records that an import in the background has failed, until the file or its folder is imported. Ends that mean nothing
    /// about the file are not recorded: a cancelled import, and one beside that of another process.
    pub async fn record_failure(&self, file: &Utf8Path, folder: &Utf8Path, error: &ScipImportError) {
        if !matches!(error, ScipImportError::Cancelled | ScipImportError::Locked) {
            self.record_failure_reason(file, folder, &error.to_string()).await;
        }
    }

    /// Like [`Self::record_failure`], for a reason before the import.
    pub async fn record_failure_reason(&self, file: &Utf8Path, folder: &Utf8Path, reason: &str) {
        let shared = Arc::clone(&self.shared);
        let record = FailureRecord {
            file: file.to_owned(),
            folder: folder.to_owned(),
            reason: reason.split_whitespace().collect::<Vec<_>>().join(" "),
            failed_ms: milliseconds(shared.clock.now()),
            is_lost: false,
        };
        let add = move || {
            let Some(store) = &shared.store else { return };
            let is_lost = shared.lost_imports().iter().any(|lost| lost.file == record.file);
            failure::add(store, FailureRecord { is_lost, ..record });
        };
        drop(tokio::task::spawn_blocking(add).await);
    }

    /// Deletes all data. Fails if another process imports now.
    pub async fn clear(&self) -> Result<(), ScipImportError> {
        let shared = Arc::clone(&self.shared);
        let cleared = tokio::task::spawn_blocking(move || shared.clear()).await;
        cleared.map_err(|error| ScipImportError::Store(error.to_string()))?
    }

    /// Returns the path of the store's database, whether it exists or not. `None` without a cache directory.
    pub fn store_path(&self) -> Option<&Utf8Path> {
        self.shared.store.as_ref().map(|store| store.path.as_path())
    }

    /// Returns the size of the store in bytes; 0 if it does not exist.
    pub fn store_bytes(&self) -> u64 {
        self.shared.store.as_ref().map_or(0, StoreFile::bytes)
    }

    fn folder(&self) -> QueryFolder<'_> {
        let ScipFolder { root, limits, clock, .. } = &*self.shared;
        QueryFolder { root, now: clock.now(), checked_documents: limits.checked_documents }
    }
}

#[async_trait]
impl ExactIndex for ScipIndex {
    async fn find(&self, query: &ExactQuery, texts: &dyn TextSource) -> Result<ExactAnswer, ExactIndexError> {
        answer::find(self, &self.folder(), query, texts).await
    }

    async fn status(&self, texts: &dyn TextSource) -> Result<Vec<ExactImportStatus>, ExactIndexError> {
        answer::status(self, &self.folder(), texts).await
    }

    async fn find_uncovered(
        &self,
        paths: &[Utf8PathBuf],
        texts: &dyn TextSource,
    ) -> Result<Vec<Utf8PathBuf>, ExactIndexError> {
        answer::find_uncovered(self, &self.folder(), paths, texts).await
    }

    async fn failed_imports(&self) -> Vec<ExactImportFailure> {
        let shared = Arc::clone(&self.shared);
        let read = move || {
            let records = shared.store.as_ref().map(failure::read).unwrap_or_default();
            let now = shared.clock.now();
            let to_failure = |record: FailureRecord| ExactImportFailure {
                age: age(now, Duration::from_millis(record.failed_ms)),
                file: record.file,
                folder: record.folder,
                reason: record.reason,
            };
            records.into_iter().map(to_failure).collect()
        };
        tokio::task::spawn_blocking(read).await.unwrap_or_default()
    }
}

impl ScipIndex {
    /// Runs a query on a blocking thread. A store that does not exist has no rows.
    async fn query<T: Default + Send + 'static>(
        &self,
        run: impl Fn(&ExactReader) -> Result<T, IndexStoreError> + Send + 'static,
    ) -> Result<T, ExactIndexError> {
        let shared = Arc::clone(&self.shared);
        let answer = tokio::task::spawn_blocking(move || shared.read(run)).await;
        match answer.map_err(|error| ExactIndexError::Store(error.to_string()))? {
            Err(IndexStoreError::Absent) => Ok(T::default()),
            other => other.map_err(|error| ExactIndexError::Store(error.to_string())),
        }
    }
}

#[async_trait]
impl OccurrenceStore for ScipIndex {
    async fn imports(&self) -> Result<Vec<ImportRow>, ExactIndexError> {
        self.query(ExactReader::imports).await
    }

    async fn documents_at(&self, path: &str) -> Result<Vec<DocumentRow>, ExactIndexError> {
        let path = path.to_owned();
        self.query(move |reader| reader.documents_at(&path)).await
    }

    async fn documents_after(
        &self,
        import: i64,
        after: &str,
        limit: usize,
    ) -> Result<Vec<ListedDocument>, ExactIndexError> {
        let after = after.to_owned();
        self.query(move |reader| reader.documents_after(import, &after, limit)).await
    }

    async fn monikers_named(&self, name: &str, limit: usize) -> Result<Vec<MonikerRow>, ExactIndexError> {
        let name = name.to_owned();
        self.query(move |reader| reader.monikers_named(&name, limit)).await
    }

    async fn monikers(&self, ids: &[i64]) -> Result<Vec<MonikerRow>, ExactIndexError> {
        let ids = ids.to_vec();
        self.query(move |reader| reader.monikers(&ids)).await
    }

    async fn find_related(
        &self,
        ids: &[i64],
        bits: u8,
        direction: RelationDirection,
        limit: usize,
    ) -> Result<Vec<i64>, ExactIndexError> {
        let ids = ids.to_vec();
        self.query(move |reader| reader.find_related(&ids, bits, direction, limit)).await
    }

    async fn documents_with(&self, query: &DocumentPage) -> Result<Vec<DocumentRow>, ExactIndexError> {
        let query = query.clone();
        self.query(move |reader| reader.documents_with(&query)).await
    }

    async fn discard(&self) {
        let shared = Arc::clone(&self.shared);
        let discard = move || {
            *lock(&shared.reader) = None;
            shared.store.iter().for_each(remove_damaged);
        };
        drop(tokio::task::spawn_blocking(discard).await);
    }
}

impl ScipFolder {
    fn store(&self) -> Result<&StoreFile, ScipImportError> {
        self.store.as_ref().ok_or_else(|| {
            ScipImportError::Store("the cache directory is unknown; set `HOME` or `XDG_CACHE_HOME`".to_owned())
        })
    }

    fn import(
        &self,
        request: ImportRequest,
        cancel: CancellationToken,
        caller: mpsc::Sender<ImportMessage>,
    ) -> Result<ImportReport, ScipImportError> {
        let store = self.store()?;
        let failed = |error: std::io::Error| ScipImportError::Store(error.to_string());
        let Some(lock_file) = store.lock().map_err(failed)? else { return Err(ScipImportError::Locked) };
        let lost = self.lost_imports();
        let mut writer = ExactWriter::open(store, lock_file)?;
        let now = self.clock.now();
        let (file, folder) = (request.file.clone(), request.folder.clone());
        let job = ImportJob { request, root: self.root.clone(), limits: self.limits, now, cancel, caller };
        let report = writer.transaction(|writer| job.run(writer))?;
        self.write_list(&writer.imports()?, lost);
        failure::remove(store, &file, &folder);
        Ok(report)
    }

    fn read<T>(&self, run: impl Fn(&ExactReader) -> Result<T, IndexStoreError>) -> Result<T, IndexStoreError> {
        let store = self.store.as_ref().ok_or(IndexStoreError::Absent)?;
        let mut slot = lock(&self.reader);
        if !slot.as_ref().is_some_and(|reader| reader.is_current(store)) {
            *slot = None;
            let opened = ExactReader::open(store);
            if opened.as_ref().is_err_and(IndexStoreError::is_broken) {
                remove_damaged(store);
            }
            *slot = Some(opened?);
        }
        let Some(reader) = slot.as_ref() else { return Err(IndexStoreError::Absent) };
        let answer = run(reader);
        if answer.as_ref().is_err_and(IndexStoreError::is_broken) {
            *slot = None;
            drop(slot);
            remove_damaged(store);
        }
        answer
    }

    fn clear(&self) -> Result<(), ScipImportError> {
        let Some(store) = &self.store else { return Ok(()) };
        let failed = |error: std::io::Error| ScipImportError::Store(error.to_string());
        let Some(lock_file) = store.lock().map_err(failed)? else { return Err(ScipImportError::Locked) };
        *lock(&self.reader) = None;
        store.remove().map_err(failed)?;
        match std::fs::remove_file(list_path(store)) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(failed(error)),
            _ => {}
        }
        failure::clear(store);
        drop(lock_file);
        Ok(())
    }

    fn lost_imports(&self) -> Vec<LostImport> {
        let Some(store) = &self.store else { return Vec::new() };
        let listed = owner_only::read(&list_path(store), MAX_LIST).ok();
        let Some(mut listed) = listed.and_then(|bytes| serde_json::from_slice::<Vec<LostImport>>(&bytes).ok()) else {
            return Vec::new();
        };
        let known = match self.read(ExactReader::imports) {
            Ok(known) => known,
            Err(error) if error.is_broken() || matches!(error, IndexStoreError::Absent) => Vec::new(),
            // The store may have them all.
            Err(_) => return Vec::new(),
        };
        listed.retain(|lost| !known.iter().any(|row| self.is_import(row, lost)));
        listed
    }

    /// Whether an import replaces the data of a lost one.
    fn is_import(&self, row: &ImportRow, lost: &LostImport) -> bool {
        row.tool == lost.tool && self.join(&row.folder) == lost.folder
    }

    /// Returns the absolute path of a folder in the store.
    fn join(&self, folder: &str) -> Utf8PathBuf {
        if folder.is_empty() { self.root.clone() } else { self.root.join(folder) }
    }

    /// Writes the list of the imports beside the store, from which lost ones are known.
    fn write_list(&self, imports: &[ImportRow], lost: Vec<LostImport>) {
        let Some(store) = &self.store else { return };
        let mut list: Vec<LostImport> = imports
            .iter()
            .map(|row| LostImport {
                file: row.file.clone().into(),
                folder: self.join(&row.folder),
                tool: row.tool.clone(),
                commit: row.commit.clone(),
            })
            .collect();
        list.extend(lost.into_iter().filter(|lost| !imports.iter().any(|row| self.is_import(row, lost))));
        let written = serde_json::to_vec(&list)
            .map_err(std::io::Error::from)
            .and_then(|json| owner_only::write_atomic(&list_path(store), &json));
        if let Err(error) = written {
            tracing::warn!(store = %store.path, %error, "the list of imports cannot be written");
        }
    }
}

/// Returns the time since the Unix epoch of the last change of a file or of its name: a file that is moved or copied to
/// its place can have an older time of its content.
#[cfg(unix)]
fn changed_at(metadata: &std::fs::Metadata) -> Duration {
    use std::os::unix::fs::MetadataExt as _;
    let (seconds, nanoseconds) =
        (metadata.mtime(), metadata.mtime_nsec()).max((metadata.ctime(), metadata.ctime_nsec()));
    let milliseconds = seconds.saturating_mul(1_000).saturating_add(nanoseconds / 1_000_000);
    Duration::from_millis(u64::try_from(milliseconds).unwrap_or_default())
}

#[cfg(not(unix))]
fn changed_at(metadata: &std::fs::Metadata) -> Duration {
    let modified = metadata.modified().ok().and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
    modified.unwrap_or_default()
}

fn list_path(store: &StoreFile) -> Utf8PathBuf {
    store.path.with_extension("json")
}

/// Deletes a damaged store, unless another process imports now; then that process finds the damage.
fn remove_damaged(store: &StoreFile) {
    let Ok(Some(_lock)) = store.lock() else { return };
    tracing::warn!(store = %store.path, "deleting damaged exact data");
    if let Err(error) = store.remove() {
        tracing::warn!(store = %store.path, %error, "damaged exact data cannot be deleted");
    }
}

/// The time since an import, for a clock that may have gone back.
pub(super) fn age(now: Duration, imported_at: Duration) -> Duration {
    now.saturating_sub(imported_at)
}
