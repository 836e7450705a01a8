//! Files of all sorts, and their changes.

use std::fs::File;
use std::os::unix::ffi::OsStrExt as _;
use std::time::{Duration, SystemTime};

use tokio_util::sync::CancellationToken;
use zubi_code::symbol_index::{IndexPhase, OmittedFiles, SymbolIndex as _};

use super::{Fixture, open};

fn set_time(file: &camino::Utf8Path, time: SystemTime) {
    File::options().write(true).open(file).unwrap().set_modified(time).unwrap();
}

#[tokio::test]
async fn unusual_files_are_counted() {
    let fixture =
        Fixture::new("//- a.py\nprice = 1\n//- .gitignore\nmade/\n//- made/x.py\nprice = 2\n//- .env\nprice\n");
    fixture.write("latin.py", b"price = '\xe9'\n");
    fixture.write("zero.py", b"price\0");
    fixture.write("long.py", format!("price = '{}'\n", "x".repeat(5_001)));
    fixture.write("big.py", "price = 1\n".repeat(30_000));
    fixture.write("bigger.py", "price = 1\n".repeat(100_001));
    fixture.write("mark.py", "\u{feff}price = 1\n");
    fixture.write("notes.txt", "price");
    let sparse = File::create(fixture.root.join("sparse.py")).unwrap();
    sparse.set_len(1 << 30).unwrap();
    std::os::unix::fs::symlink("/etc", fixture.root.join("link")).unwrap();
    std::os::unix::fs::symlink("a.py", fixture.root.join("b.py")).unwrap();
    File::create(fixture.root.as_std_path().join(std::ffi::OsStr::from_bytes(b"odd\xff.py"))).unwrap();
    fixture.build().await;
    let state = fixture.state();
    assert_eq!((state.phase, state.files, state.undeclared, state.problem), (IndexPhase::Ready, 6, 0, None));
    let expected =
        OmittedFiles { no_language: 2, words_only: 2, failed: 0, too_large: 1, not_text: 3, beyond_limit: 0 };
    assert_eq!(state.omitted, expected);
    insta::assert_snapshot!(fixture.files_with("price").await, @"a.py big.py bigger.py long.py mark.py notes.txt");
    insta::assert_snapshot!(fixture.search("price").await, @"
    a.py:1 variable price (Exact)
    mark.py:1 variable price (Exact)
    ");
}

#[tokio::test]
async fn an_update_reads_changed_added_removed_and_renamed_files() {
    let fixture = Fixture::with_built_index("//- a.py\ndef first(): pass\n//- old/b.py\ndef second(): pass\n").await;
    fixture.write("a.py", "def changed(): pass\n");
    fixture.write("new/c.py", "def third(): pass\n");
    fixture.update(&["a.py", "new/c.py"]).await;
    insta::assert_snapshot!(fixture.search("d").await, @"
    a.py:1 function changed (Substring)
    new/c.py:1 function third (Substring)
    old/b.py:1 function second (Substring)
    ");
    std::fs::rename(fixture.root.join("old"), fixture.root.join("moved")).unwrap();
    std::fs::remove_file(fixture.root.join("a.py")).unwrap();
    fixture.update(&["old", "moved", "a.py"]).await;
    insta::assert_snapshot!(fixture.search("second").await, @"moved/b.py:1 function second (Exact)");
    insta::assert_snapshot!(fixture.files_with("def").await, @"moved/b.py new/c.py");
    assert_eq!(fixture.dump().await, fixture.fresh_dump().await);
}

#[tokio::test]
async fn an_update_follows_the_rules_of_the_walk() {
    let fixture = Fixture::with_built_index("//- .gitignore\nmade/\n//- a.py\nx = 1\n").await;
    fixture.write("made/b.py", "x = 1\n");
    fixture.write("node_modules/c.js", "let x;\n");
    fixture.write(".env", "x");
    fixture.write("tree/.git", "gitdir: /r/.git/worktrees/tree\n");
    fixture.write("tree/d.py", "x = 1\n");
    std::os::unix::fs::symlink("/", fixture.root.join("everything")).unwrap();
    fixture.update(&["made/b.py", "made", "node_modules/c.js", ".env", "tree/d.py", "everything/etc", "../a.py"]).await;
    insta::assert_snapshot!(fixture.files_with("x").await, @"a.py");
    fixture.write("later/e.py", "x = 1\n");
    fixture.update(&["later"]).await;
    fixture.write("later/.git", "gitdir: /r/.git/worktrees/later\n");
    fixture.update(&["later/.git"]).await;
    fixture.write(".gitignore", "a.py\n");
    fixture.update(&[".gitignore"]).await;
    insta::assert_snapshot!(fixture.files_with("x").await, @"made/b.py");
    assert_eq!(fixture.dump().await, fixture.fresh_dump().await);
}

#[tokio::test]
async fn a_folder_replaces_a_file_and_a_file_a_folder() {
    let fixture = Fixture::with_built_index("//- a\nx = 1\n//- b/c.py\nx = 1\n//- b.py\nx = 1\n").await;
    std::fs::remove_file(fixture.root.join("a")).unwrap();
    std::fs::remove_dir_all(fixture.root.join("b")).unwrap();
    fixture.write("a/d.py", "x = 1\n");
    fixture.write("b", "x");
    fixture.update(&["a", "b"]).await;
    insta::assert_snapshot!(fixture.files_with("x").await, @"a/d.py b b.py");
    assert_eq!(fixture.dump().await, fixture.fresh_dump().await);
}

#[tokio::test]
async fn times_are_compared_for_equality_and_texts_by_hash() {
    let fixture = Fixture::with_built_index("//- a.py\ndef first(): pass\n").await;
    let path = fixture.root.join("a.py");
    let now = std::fs::metadata(&path).unwrap().modified().unwrap();
    // An older time shows a change as well.
    fixture.write("a.py", "def other(): pass\n");
    set_time(&path, now - Duration::from_hours(1));
    fixture.build().await;
    insta::assert_snapshot!(fixture.search("other").await, @"a.py:1 function other (Exact)");
    // Equal size and time of modification: the time of the change, which programs cannot set, shows it.
    let hits = fixture.index.declarations("other", 1).await.unwrap();
    fixture.write("a.py", "def third(): pass\n");
    set_time(&path, now - Duration::from_hours(1));
    fixture.build().await;
    insta::assert_snapshot!(fixture.search("third").await, @"a.py:1 function third (Exact)");
    assert!(fixture.index.declarations("other", 1).await.unwrap().hits.is_empty());
    // The hash shows a change that the index has not read.
    assert!(hits.hits[0].matches_text("def other(): pass\n"));
    assert!(!hits.hits[0].matches_text("def third(): pass\n"));
    // Another time and the same text: nothing is read again.
    set_time(&path, now);
    fixture.update(&["a.py"]).await;
    set_time(&path, now + Duration::from_hours(1));
    fixture.update(&["a.py"]).await;
    insta::assert_snapshot!(fixture.search("third").await, @"a.py:1 function third (Exact)");
    assert_eq!(fixture.dump().await, fixture.fresh_dump().await);
}

#[tokio::test]
async fn a_warm_start_reads_only_what_changed() {
    let fixture = Fixture::with_built_index("//- a.py\ndef first(): pass\n//- b.py\ndef second(): pass\n").await;
    let before = fixture.dump().await;
    let Fixture { root, cache, .. } = &fixture;
    // The first index has the lock.
    let fixture = Fixture {
        index: open(root, cache),
        root: root.clone(),
        cache: cache.clone(),
        _directory: tempfile::tempdir().unwrap(),
    };
    assert_eq!(fixture.search("first").await.lines().last(), Some("incomplete"));
    assert_eq!(fixture.dump().await, before);
}

#[tokio::test]
async fn a_folder_that_cannot_be_read_is_not_empty() {
    let fixture = Fixture::with_built_index("//- a.py\ndef first(): pass\n").await;
    std::fs::rename(&fixture.root, fixture.cache.join("elsewhere")).unwrap();
    let error = fixture.index.build(&CancellationToken::new()).await.unwrap_err();
    insta::assert_snapshot!(error, @"the folder cannot be read: No such file or directory (os error 2)");
    assert!(!fixture.state().has_all_words());
    assert_eq!(fixture.index.declarations("first", 1).await.unwrap().hits.len(), 1);
}
