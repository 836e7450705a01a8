//! Damaged, foreign and busy stores, cancelled imports, and the list of imports.

use std::os::unix::fs::PermissionsExt as _;
use std::sync::Mutex;

use async_trait::async_trait;
use camino::Utf8Path;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;
use zubi_base::fs::ReadError;
use zubi_base::text::{DiskText, SourceText, TextSource};
use zubi_base::{fs, owner_only};
use zubi_code::exact_index::ExactIndex as _;
use zubi_code::exact_index::ExactRole::Definitions;

use super::conformance::check_store;
use super::{Folder, commit, find, import, status};
use crate::scip::{ImportProgress, ScipImportError, ScipLimits};

const FILES: &str = "//- a.py\none = 1\n";
const DATA: &str = "doc a.py\ndef 1:0-3 a/one.";
const FOUND: &str = "a.py:1 one = a/one definition\n[test 1 no commit: 1 exact, 0 changed]";

#[tokio::test]
async fn the_store_conforms() {
    check_store(async |root, cache| {
        let clock = std::sync::Arc::new(zubi_base::clock::FixedClock(std::time::Duration::from_secs(1_000)));
        Box::new(crate::scip::ScipIndex::new(root, Some(cache), ScipLimits::default(), clock)) as Box<_>
    })
    .await;
}

#[tokio::test]
async fn files_are_for_this_user_only() {
    let folder = Folder::new(FILES);
    let index = folder.index();
    import(&folder, &index, &folder.request(DATA)).await;
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder.cache.join("index")).unwrap() {
        let entry = entry.unwrap();
        assert_eq!(entry.metadata().unwrap().permissions().mode() & 0o777, 0o600, "{entry:?}");
        names.push(entry.file_name().into_string().unwrap().split_once('.').unwrap().1.to_owned());
    }
    names.sort();
    names.retain(|name| !name.ends_with("-wal") && !name.ends_with("-shm"));
    assert_eq!(names, ["scip.db", "scip.json", "scip.lock"]);
    assert!(index.store_bytes() > 0);
    index.clear().await.unwrap();
    assert_eq!(index.store_bytes(), 0);
    assert!(find(&folder, &index, Definitions, "one").await.starts_with("no exact data"));
    assert!(index.lost_imports().await.is_empty());
}

#[tokio::test]
async fn a_damaged_store_is_deleted_and_its_imports_are_known() {
    let folder = Folder::new(FILES);
    let mut request = folder.request(DATA);
    request.commit = Some(commit(&[("a.py", "one = 1\n")]));
    for damage in ["text", "half", "pages", "format", "occurrences", "symbol"] {
        let index = folder.index();
        import(&folder, &index, &request).await;
        assert!(index.lost_imports().await.is_empty(), "{damage}");
        let path = index.store_path().unwrap().to_owned();
        drop(index);
        let bytes = std::fs::read(&path).unwrap();
        match damage {
            "text" => fs::write_atomic(&path, b"not a database, but a text").unwrap(),
            "half" => fs::write_atomic(&path, &bytes[..bytes.len() / 2]).unwrap(),
            "pages" => {
                let mut bytes = bytes;
                bytes[4096..].fill(0x55);
                fs::write_atomic(&path, &bytes).unwrap();
            }
            _ => {
                let statement = match damage {
                    "format" => "UPDATE meta SET value = 'scip tables 0' WHERE key = 'format'",
                    "occurrences" => "UPDATE blob SET occurrences = x'FF'",
                    _ => "UPDATE moniker SET kind = 99",
                };
                rusqlite::Connection::open(&path).unwrap().execute(statement, []).unwrap();
            }
        }
        // Another process opens the store.
        let index = folder.index();
        let answer = find(&folder, &index, Definitions, "one").await;
        assert!(answer.starts_with("no exact data") || answer.starts_with("store:"), "{damage}: {answer}");
        let lost = index.lost_imports().await;
        assert_eq!(lost.len(), 1, "{damage}");
        assert_eq!((&lost[0].file, &lost[0].folder), (&request.file, &request.folder), "{damage}");
        assert_eq!(lost[0].commit.as_deref(), Some(request.commit.as_ref().unwrap().id()));
        import(&folder, &index, &request).await;
        assert!(find(&folder, &index, Definitions, "one").await.starts_with("a.py:1 one"), "{damage}");
        assert!(index.lost_imports().await.is_empty(), "{damage}");
    }
}

#[tokio::test]
async fn an_import_of_another_folder_preserves_the_lost_ones() {
    let folder = Folder::new("//- a.py\none = 1\n//- sub/a.py\none = 1\n");
    let index = folder.index();
    import(&folder, &index, &folder.request(DATA)).await;
    fs::write_atomic(index.store_path().unwrap(), b"damage").unwrap();
    let mut request = folder.request(DATA);
    request.folder = folder.root.join("sub");
    let index = folder.index();
    import(&folder, &index, &request).await;
    let lost: Vec<_> = index.lost_imports().await.into_iter().map(|lost| lost.folder).collect();
    assert_eq!(lost, std::slice::from_ref(&folder.root));
    assert_eq!(status(&folder, &index).await, "test/sub: 1 documents, 1 exact, 0 changed, 0 unchecked; python 1; 0 s");
}

#[tokio::test]
async fn one_process_writes_and_others_read() {
    let folder = Folder::new(FILES);
    let (index, other) = (folder.index(), folder.index());
    let request = folder.request(DATA);
    assert!(find(&folder, &other, Definitions, "one").await.starts_with("no exact data"));
    import(&folder, &index, &request).await;
    assert_eq!(find(&folder, &other, Definitions, "one").await, FOUND);
    let lock = owner_only::lock(&index.store_path().unwrap().with_extension("lock")).unwrap().unwrap();
    for error in [import(&folder, &other, &request).await, other.clear().await.unwrap_err().to_string()] {
        assert!(error.starts_with("another zubi process"), "{error}");
    }
    assert_eq!(find(&folder, &other, Definitions, "one").await, FOUND);
    drop(lock);
    index.clear().await.unwrap();
    assert!(find(&folder, &other, Definitions, "one").await.starts_with("no exact data"));
}

/// The texts on disk. Each read cancels the import.
struct CancellingText(CancellationToken);

#[async_trait]
impl TextSource for CancellingText {
    async fn read(&self, path: &Utf8Path) -> Result<SourceText, ReadError> {
        self.0.cancel();
        DiskText.read(path).await
    }
}

/// Texts whose reads begin and never end.
#[derive(Default)]
struct EndlessText(Notify);

#[async_trait]
impl TextSource for EndlessText {
    async fn read(&self, _path: &Utf8Path) -> Result<SourceText, ReadError> {
        self.0.notify_one();
        std::future::pending().await
    }
}

const TWO_FILES: &str = "//- a.py\none = 1\n//- b.py\ntwo = 2\n";
const TWO_DOCUMENTS: &str = "doc a.py\nref 1:0-3 a/one.\ndoc b.py\ndef 1:0-3 b/two.";

#[tokio::test]
async fn a_cancelled_import_changes_nothing() {
    let folder = Folder::new(TWO_FILES);
    let index = folder.index();
    import(&folder, &index, &folder.request(DATA)).await;
    let cancel = CancellationToken::new();
    let texts = CancellingText(cancel.clone());
    let error = index.import(&folder.request(TWO_DOCUMENTS), &texts, &cancel, &|_| {}).await.unwrap_err();
    assert!(matches!(error, ScipImportError::Cancelled));
    assert_eq!(find(&folder, &index, Definitions, "one").await, FOUND);
}

#[tokio::test]
async fn an_import_whose_future_is_dropped_changes_nothing() {
    let folder = Folder::new(TWO_FILES);
    let index = folder.index();
    import(&folder, &index, &folder.request(DATA)).await;
    let (texts, cancel) = (EndlessText::default(), CancellationToken::new());
    let request = folder.request(TWO_DOCUMENTS);
    tokio::select! {
        () = texts.0.notified() => {}
        _ = index.import(&request, &texts, &cancel, &|_| {}) => panic!("it ended"),
    }
    // The lock is free when the thread has stopped.
    let lock_path = index.store_path().unwrap().with_extension("lock");
    let wait = move || std::fs::OpenOptions::new().write(true).open(lock_path).unwrap().lock().unwrap();
    tokio::task::spawn_blocking(wait).await.unwrap();
    assert_eq!(find(&folder, &index, Definitions, "one").await, FOUND);
}

#[tokio::test]
async fn the_progress_ends_with_all_documents() {
    let folder = Folder::new(TWO_FILES);
    let steps = Mutex::new(Vec::new());
    let request = folder.request(TWO_DOCUMENTS);
    let progress = |step| steps.lock().unwrap().push(step);
    folder.index().import(&request, &DiskText, &CancellationToken::new(), &progress).await.unwrap();
    let bytes = std::fs::metadata(&request.file).unwrap().len();
    assert_eq!(steps.into_inner().unwrap(), [ImportProgress { documents: 2, bytes, total_bytes: bytes }]);
}

#[tokio::test]
async fn a_full_store_preserves_the_former_data() {
    let folder = Folder::new(FILES);
    import(&folder, &folder.index(), &folder.request(DATA)).await;
    let index = folder.index_with(ScipLimits { store_bytes: 64 * 4096, ..ScipLimits::default() });
    let many = (0..3_000).map(|number| format!("def 1:0-3 a/one{number}#one.\n")).collect::<Vec<_>>().concat();
    let report = import(&folder, &index, &folder.request(&format!("doc a.py\n{many}"))).await;
    assert!(report.contains("cannot be stored") && report.contains("full"), "{report}");
    assert_eq!(find(&folder, &index, Definitions, "one").await, FOUND);
}

#[tokio::test]
async fn a_folder_without_a_cache_has_no_data() {
    let folder = Folder::new(FILES);
    let clock = std::sync::Arc::new(zubi_base::clock::SystemClock);
    let index = crate::scip::ScipIndex::new(&folder.root, None, ScipLimits::default(), clock);
    assert!(find(&folder, &index, Definitions, "one").await.starts_with("no exact data"));
    assert!(import(&folder, &index, &folder.request(DATA)).await.contains("XDG_CACHE_HOME"));
    assert!(index.lost_imports().await.is_empty() && index.clear().await.is_ok());
}

#[tokio::test]
async fn the_default_file_is_not_a_link() {
    let folder = Folder::new(FILES);
    let index = folder.index();
    assert_eq!(index.default_file(), None);
    std::os::unix::fs::symlink(folder.request(DATA).file, folder.root.join("index.scip")).unwrap();
    assert_eq!(index.default_file(), None);
    std::fs::remove_file(folder.root.join("index.scip")).unwrap();
    folder.write("index.scip", "");
    assert_eq!(index.default_file(), Some(folder.root.join("index.scip")));
}

#[tokio::test]
async fn data_that_no_import_uses_are_removed() {
    let folder = Folder::new(FILES);
    let index = folder.index();
    for data in [DATA, "doc a.py\nref 1:0-3 b/one.\nb/one. implements c/one.", DATA] {
        import(&folder, &index, &folder.request(data)).await;
    }
    let connection = rusqlite::Connection::open(index.store_path().unwrap()).unwrap();
    let count = |table: &str| -> i64 {
        connection.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get(0)).unwrap()
    };
    let tables = ["import", "document", "blob", "moniker", "moniker_blob", "relation"];
    assert_eq!(tables.map(count), [1, 1, 1, 1, 1, 0]);
}

#[tokio::test]
async fn a_failed_import_is_recorded_until_its_file_or_folder_is_imported() {
    let folder = Folder::new(FILES);
    let request = folder.request(DATA);
    let index = folder.index();
    let broken = folder.write("index.scip", "no data");
    let error = ScipImportError::Malformed { file: broken.clone(), reason: "it is\nempty".to_owned() };
    index.record_failure(&broken, &folder.root, &error).await;
    let failures = async || {
        let failures = folder.index().failed_imports().await;
        failures.iter().map(|one| one.reason.replace(folder.root.as_str(), "…")).collect::<Vec<_>>()
    };
    let expected = ["`…/index.scip` is not a complete SCIP file (it is empty); make it again with its indexer"];
    assert_eq!(failures().await, expected);
    for error in [ScipImportError::Cancelled, ScipImportError::Locked] {
        index.record_failure(&broken, &folder.root, &error).await;
        assert_eq!(failures().await, expected, "{error}");
    }
    // A file that is gone misses no data.
    std::fs::rename(&broken, folder.root.join("moved")).unwrap();
    assert!(failures().await.is_empty());
    std::fs::rename(folder.root.join("moved"), &broken).unwrap();
    import(&folder, &index, &request).await;
    assert!(failures().await.is_empty());
    index.record_failure_reason(&broken, &folder.root, "another").await;
    assert_eq!(failures().await, ["another"]);
    index.clear().await.unwrap();
    assert!(failures().await.is_empty());
}
