//! Interrupted builds, damaged stores, two processes, and stores that cannot be written.

use std::io::{Seek as _, SeekFrom, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::sync::Arc;

use async_trait::async_trait;
use camino::Utf8PathBuf;
use rusqlite::Connection;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use zubi_base::owner_only;
use zubi_code::symbol_index::{IndexPhase, SymbolIndex as _, WordFiles};
use zubi_code::syntax::{DirectParser, NodeSearch, PatternAnswer, PatternSearchError, SyntaxError, SyntaxParser};
use zubi_syntax::{SyntaxLanguage, SyntaxLayout, SyntaxOutline, TextExtent};

use super::{Fixture, open};
use crate::build::BuildError;
use crate::{IndexLimits, LocalIndex};

/// A parser that parses as many texts as it has permits, then waits or fails.
struct LimitedParser {
    permits: Semaphore,
    fails: bool,
}

#[async_trait]
impl SyntaxParser for LimitedParser {
    async fn outline(&self, file_name: &str, text: &Arc<str>) -> Result<SyntaxOutline, SyntaxError> {
        if self.fails && self.permits.available_permits() == 0 {
            return Err(SyntaxError("it does not start".to_owned()));
        }
        self.permits.acquire().await.unwrap().forget();
        DirectParser.outline(file_name, text).await
    }

    async fn layout(&self, file_name: &str, extent: TextExtent, text: &Arc<str>) -> Result<SyntaxLayout, SyntaxError> {
        DirectParser.layout(file_name, extent, text).await
    }

    async fn find_matches(
        &self,
        language: &'static SyntaxLanguage,
        search: &NodeSearch,
        text: &Arc<str>,
    ) -> Result<PatternAnswer, PatternSearchError> {
        DirectParser.find_matches(language, search, text).await
    }
}

fn many_files(number: usize) -> String {
    let file = |at| format!("//- m{}/f{at}.py\ndef name{at}(): return common\n", at % 7);
    (0..number).map(file).collect::<Vec<_>>().concat()
}

#[tokio::test]
async fn a_build_continues_after_its_process_has_ended() {
    let fixture = Fixture::new(&many_files(300));
    for permits in [0, 1, 70, 200] {
        let parser = Arc::new(LimitedParser { permits: Semaphore::new(permits), fails: false });
        let index = LocalIndex::new(&fixture.root, Some(&fixture.cache), parser.clone(), IndexLimits::default());
        let mut changes = index.changes();
        let cancel = CancellationToken::new();
        let build = index.build(&cancel);
        let parsed_all = changes.wait_for(|state| state.phase == IndexPhase::Declarations);
        tokio::select! {
            built = build => panic!("{built:?}"),
            () = async {
                drop(parsed_all.await);
                while parser.permits.available_permits() > 0 {
                    tokio::task::yield_now().await;
                }
            } => {}
        }
        assert!(!index.state().has_all_declarations() && index.state().has_all_words());
        let lock = index.store_path().unwrap().with_extension("lock");
        // The thread of the dropped build ends after its present step.
        drop(index);
        while owner_only::lock(&lock).unwrap().is_none() {
            tokio::task::yield_now().await;
        }
    }
    fixture.build().await;
    assert_eq!(fixture.dump().await, fixture.fresh_dump().await);
    assert!(fixture.state().has_all_declarations());
}

#[tokio::test]
async fn an_update_does_not_wait_for_the_build() {
    let fixture = Fixture::new(&many_files(100));
    let parser = Arc::new(LimitedParser { permits: Semaphore::new(0), fails: false });
    let index = LocalIndex::new(&fixture.root, Some(&fixture.cache), parser.clone(), IndexLimits::default());
    let cancel = CancellationToken::new();
    let mut changes = index.changes();
    let update = async {
        changes.wait_for(|state| state.phase == IndexPhase::Declarations).await.unwrap();
        fixture.write("notes.txt", "common");
        std::fs::remove_dir_all(fixture.root.join("m1")).unwrap();
        let paths = ["notes.txt", "m1"].map(|path| fixture.root.join(path)).to_vec();
        index.update(paths, &cancel).await.unwrap();
        let WordFiles::Files { texts: files, .. } = index.files_with("common").await.unwrap() else {
            panic!("unknown")
        };
        assert_eq!(files.len(), 86);
        assert_eq!(index.state().undeclared, 85);
        parser.permits.add_permits(100);
    };
    let (built, ()) = tokio::join!(index.build(&cancel), update);
    built.unwrap();
    assert!(index.state().has_all_declarations());
    assert_eq!(super::dump(&index, &fixture.root).await, fixture.fresh_dump().await);
}

#[tokio::test]
async fn the_build_parses_the_files_of_questions_first() {
    let fixture = Fixture::new(&many_files(300));
    let parser = Arc::new(LimitedParser { permits: Semaphore::new(3), fails: false });
    let index = LocalIndex::new(&fixture.root, Some(&fixture.cache), parser.clone(), IndexLimits::default());
    let cancel = CancellationToken::new();
    let mut changes = index.changes();
    let paths = ["m2/f163.py", "m3/f290.py", "m1/f8.py", "m9"].map(|path| fixture.root.join(path));
    index.prefer(&paths.each_ref().map(Utf8PathBuf::as_path));
    let question = async {
        changes.wait_for(|state| state.phase == IndexPhase::Declarations && state.undeclared <= 297).await.unwrap();
        for (path, is_parsed) in [("m2/f163.py", true), ("m3/f290.py", true), ("m1/f8.py", true), ("m0/f0.py", false)] {
            assert_eq!(index.outline(&fixture.root.join(path)).await.unwrap().is_some(), is_parsed, "{path}");
        }
        // A question in the middle of the build.
        index.prefer(&[&fixture.root.join("m6")]);
        parser.permits.add_permits(1_000);
    };
    let (built, ()) = tokio::join!(index.build(&cancel), question);
    built.unwrap();
    assert!(index.state().has_all_declarations());
    assert_eq!(super::dump(&index, &fixture.root).await, fixture.fresh_dump().await);
}

#[tokio::test]
async fn a_cancelled_build_is_incomplete() {
    let fixture = Fixture::new(&many_files(20));
    let cancel = CancellationToken::new();
    cancel.cancel();
    assert!(matches!(fixture.index.build(&cancel).await, Err(BuildError::Cancelled)));
    assert!(!fixture.state().has_all_words());
    assert_eq!(fixture.files_with("common").await, "unknown");
    fixture.build().await;
    assert_eq!(fixture.files_with("common").await.split(' ').count(), 20);
}

#[tokio::test]
async fn a_parser_that_fails_marks_no_files() {
    let fixture = Fixture::new(&many_files(200));
    let parser = Arc::new(LimitedParser { permits: Semaphore::new(10), fails: true });
    let index = LocalIndex::new(&fixture.root, Some(&fixture.cache), parser, IndexLimits::default());
    let error = index.build(&CancellationToken::new()).await.unwrap_err();
    insta::assert_snapshot!(error, @"the index has no declarations, because the parser fails: it does not start");
    let state = index.state();
    assert!(!state.has_all_words() && state.undeclared > 100, "{state:?}");
    drop(index);
    fixture.build().await;
    assert_eq!(fixture.state().omitted.failed, 0);
}

#[tokio::test]
async fn one_process_writes_and_the_others_read() {
    let fixture = Fixture::with_built_index("//- a.py\ndef first(): pass\n").await;
    let other = open(&fixture.root, &fixture.cache);
    assert!(matches!(other.build(&CancellationToken::new()).await, Err(BuildError::Locked)));
    let hits = other.declarations("first", 9).await.unwrap();
    insta::assert_snapshot!(fixture.render(&hits), @"a.py:1 function first (Exact)");
    fixture.write("b.py", "def second(): pass\n");
    fixture.update(&["b.py"]).await;
    let hits = other.declarations("second", 9).await.unwrap();
    insta::assert_snapshot!(fixture.render(&hits), @"b.py:1 function second (Exact)");
    assert!(other.update(Vec::new(), &CancellationToken::new()).await.is_err());
    // The other process deletes the store and builds it again.
    fixture.index.clear().await.unwrap();
    assert!(other.declarations("first", 9).await.is_err());
    fixture.build().await;
    assert_eq!(other.declarations("second", 9).await.unwrap().hits.len(), 1);
    // The writer ends: the store may be out of date, until the other one updates it.
    let Fixture { root, index, _directory, .. } = fixture;
    drop(index);
    assert!(!other.declarations("first", 9).await.unwrap().is_complete);
    std::fs::remove_file(root.join("a.py")).unwrap();
    other.build(&CancellationToken::new()).await.unwrap();
    let hits = other.declarations("first", 9).await.unwrap();
    assert!(hits.is_complete && hits.hits.is_empty());
}

#[tokio::test]
async fn a_damaged_store_is_built_again() {
    let fixture = Fixture::with_built_index(&many_files(60)).await;
    let expected = fixture.dump().await;
    let path = fixture.index.store_path().unwrap().to_owned();
    let Fixture { root, cache, index, _directory } = fixture;
    drop(index);
    let size = std::fs::metadata(&path).unwrap().len();
    let mut seed = 7_u64;
    let mut random = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        seed >> 33
    };
    for (number, length) in [(1, 1 << 20), (1, 100), (40, 512), (200, 16), (3, 4096)] {
        let mut file = std::fs::File::options().write(true).open(&path).unwrap();
        for _ in 0..number {
            let at = if number == 1 { 0 } else { random() % size };
            let bytes: Vec<u8> = (0..length).map(|_| random().to_le_bytes()[0]).collect();
            file.seek(SeekFrom::Start(at)).unwrap();
            file.write_all(&bytes).unwrap();
        }
        drop(file);
        let index = open(&root, &cache);
        // Queries before the build fail or answer, and end.
        drop(index.declarations("name7", 9).await);
        drop(index.files_with("common").await);
        index.build(&CancellationToken::new()).await.unwrap();
        assert!(index.state().has_all_declarations());
        assert_eq!(super::dump(&index, &root).await, expected, "{number} {length}");
    }
}

#[tokio::test]
async fn damage_during_the_use_is_found_and_repaired() {
    let fixture = Fixture::with_built_index(&many_files(60)).await;
    let expected = fixture.dump().await;
    let path = fixture.index.store_path().unwrap();
    Connection::open(path)
        .unwrap()
        .execute_batch("UPDATE file SET hash = x'00'; UPDATE posting SET files = x'80'")
        .unwrap();
    assert!(fixture.index.declarations("name7", 9).await.is_err());
    assert_eq!(fixture.state().phase, IndexPhase::Unchecked);
    assert!(fixture.state().problem.is_some());
    assert_eq!(fixture.files_with("common").await, "unknown");
    fixture.build().await;
    assert_eq!(fixture.dump().await, expected);
    assert_eq!(fixture.state().problem, None);
    for change in ["UPDATE file SET content = 77", "ALTER TABLE segment RENAME COLUMN files TO other"] {
        Connection::open(path).unwrap().execute_batch(change).unwrap();
        fixture.build().await;
        assert_eq!(fixture.dump().await, expected, "{change}");
    }
}

#[tokio::test]
async fn a_store_of_another_format_is_built_again() {
    let fixture = Fixture::with_built_index("//- a.py\ndef first(): pass\n").await;
    let expected = fixture.dump().await;
    let path = fixture.index.store_path().unwrap().to_owned();
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    let Fixture { root, cache, index, _directory } = fixture;
    drop(index);
    for change in [
        "UPDATE meta SET value = 'tables 0' WHERE key = 'format'",
        "UPDATE meta SET value = '/elsewhere' WHERE key = 'root'",
        "DROP TABLE meta",
    ] {
        Connection::open(&path).unwrap().execute_batch(change).unwrap();
        let index = open(&root, &cache);
        assert!(index.declarations("first", 9).await.is_err(), "a reader does not use it");
        index.build(&CancellationToken::new()).await.unwrap();
        assert_eq!(super::dump(&index, &root).await, expected, "{change}");
    }
}

#[tokio::test]
async fn without_a_store_the_state_has_the_reason() {
    let fixture = Fixture::new(&many_files(300));
    fixture.write("cache", "a file");
    let no_directory = fixture.root.join("cache");
    let mut problems = Vec::new();
    for (cache, bytes) in [
        (None, 1 << 30),
        (Some(&no_directory), 1 << 30),
        // As on a full disk: during the creation, and during the build.
        (Some(&fixture.cache), 40 * 1024),
        (Some(&fixture.cache), 80 * 1024),
    ] {
        let limits = IndexLimits { bytes, ..IndexLimits::default() };
        let cache = cache.map(Utf8PathBuf::as_path);
        let index = LocalIndex::new(&fixture.root, cache, Arc::new(DirectParser), limits);
        let error = index.build(&CancellationToken::new()).await.unwrap_err();
        assert_eq!(index.state().problem, Some(error.to_string()));
        problems.push(error.to_string());
        assert!(!index.state().has_all_words());
        assert_ne!(index.declarations("name7", 9).await.map(|hits| hits.is_complete), Ok(true));
    }
    insta::assert_snapshot!(problems.join("\n"), @"
    the index cannot be stored: the cache directory is unknown; set `HOME` or `XDG_CACHE_HOME`
    the index cannot be stored: Not a directory (os error 20)
    the index cannot be stored: database or disk is full
    the index cannot be stored: database or disk is full
    ");
}

/// The tests have small segments.
#[tokio::test]
async fn segments_are_merged_and_written_again() {
    let fixture = Fixture::with_built_index(&many_files(200)).await;
    let count = |table| {
        let connection = Connection::open(fixture.index.store_path().unwrap()).unwrap();
        connection.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get::<_, i64>(0)).unwrap()
    };
    for at in 0..30 {
        let path = format!("m{}/f{at}.py", at % 7);
        fixture.write(&path, format!("def other{at}(): return common\n"));
        fixture.update(&[&path]).await;
        assert!(count("live") <= 2 && count("segment") <= 2);
    }
    assert_eq!(fixture.files_with("common").await.split(' ').count(), 200);
    assert_eq!(fixture.files_with("other7").await, "m0/f7.py");
    assert_eq!(fixture.dump().await, fixture.fresh_dump().await);
    for at in 0..7 {
        std::fs::remove_dir_all(fixture.root.join(format!("m{at}"))).unwrap();
    }
    fixture.update(&["m0", "m1", "m2", "m3", "m4", "m5", "m6"]).await;
    assert_eq!(["file", "tag", "live", "posting", "segment", "name"].map(count), [0; 6]);
    // The ids of the removed names are not used again.
    fixture.write("a.py", "def name8(): return other7\n");
    fixture.update(&["a.py"]).await;
    insta::assert_snapshot!(fixture.search("name8").await, @"a.py:1 function name8 (Exact)");
    insta::assert_snapshot!(fixture.search("other7").await, @"");
}

#[tokio::test]
async fn limits_of_a_store_are_counted() {
    let fixture = Fixture::new(&many_files(20));
    let limits = IndexLimits { files: 15, ..IndexLimits::default() };
    let index = LocalIndex::new(&fixture.root, Some(&fixture.cache), Arc::new(DirectParser), limits);
    index.build(&CancellationToken::new()).await.unwrap();
    let state = index.state();
    assert_eq!((state.files, state.omitted.beyond_limit), (15, 5));
    assert!(!state.has_all_declarations());
    let files = index.files_with("common").await.unwrap();
    assert_eq!(files, WordFiles::Unknown);
}
