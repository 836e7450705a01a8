//! The imports in the background that have failed, in a file beside the store, so that every process can report them.

use camino::{Utf8Path, Utf8PathBuf};
use serde::{Deserialize, Serialize};
use zubi_base::owner_only;

use crate::store::database::StoreFile;

/// The maximum size of the file, in bytes.
const MAX_FILE: u64 = 256 * 1024;

/// The maximum number of failures. A later one replaces the first.
const MAX_FAILURES: usize = 32;

/// The maximum length of a reason, in characters.
const MAX_REASON: usize = 500;

/// An import that has failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct FailureRecord {
    /// The absolute path of the file that was not imported.
    pub(super) file: Utf8PathBuf,
    /// The absolute path of the folder that its data describe.
    pub(super) folder: Utf8PathBuf,
    pub(super) reason: String,
    /// The time of the attempt since the Unix epoch, in milliseconds.
    pub(super) failed_ms: u64,
    /// Whether the folder had the data once. If not, the file is the only one that misses them.
    pub(super) is_lost: bool,
}

/// Returns the failures whose data are still missing. A damaged file has none.
pub(super) fn read(store: &StoreFile) -> Vec<FailureRecord> {
    let mut records = read_all(store);
    records.retain(|record| record.is_lost || record.file.is_file());
    records
}

/// Records a failure; it replaces an earlier one of the same file and folder.
pub(super) fn add(store: &StoreFile, mut record: FailureRecord) {
    record.reason = zubi_base::text::ellipsize(&record.reason, MAX_REASON).into_owned();
    let mut records = read(store);
    records.retain(|known| known.file != record.file || known.folder != record.folder);
    records.push(record);
    let first = records.len().saturating_sub(MAX_FAILURES);
    write(store, records.get(first..).unwrap_or_default());
}

/// Removes the failures about a file, or about a folder whose data were imported since.
pub(super) fn remove(store: &StoreFile, file: &Utf8Path, folder: &Utf8Path) {
    let mut records = read_all(store);
    let before = records.len();
    records.retain(|known| known.file != file && known.folder != folder);
    if records.len() < before {
        write(store, &records);
    }
}

/// Removes all failures.
pub(super) fn clear(store: &StoreFile) {
    if !read_all(store).is_empty() {
        write(store, &[]);
    }
}

fn path(store: &StoreFile) -> Utf8PathBuf {
    store.path.with_extension("failures.json")
}

fn read_all(store: &StoreFile) -> Vec<FailureRecord> {
    let bytes = owner_only::read(&path(store), MAX_FILE).ok();
    bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default()
}

fn write(store: &StoreFile, records: &[FailureRecord]) {
    let path = path(store);
    let written = if records.is_empty() {
        match std::fs::remove_file(&path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    } else {
        let create = path.parent().map_or(Ok(()), owner_only::create_directory);
        let json = create.and_then(|()| serde_json::to_vec(records).map_err(std::io::Error::from));
        json.and_then(|json| owner_only::write_atomic(&path, &json))
    };
    if let Err(error) = written {
        tracing::warn!(%path, %error, "the failed imports cannot be recorded");
    }
}
