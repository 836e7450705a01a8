//! The examples, and the corpus of the fuzz targets, which is replayed here without a fuzzer.

use std::path::{Path, PathBuf};

use crate::invariants::{dlang_editor, dlang_formatter};

/// Every model below `examples/`.
pub(crate) fn examples() -> Vec<String> {
    let mut files = Vec::new();
    collect(&root().join("examples"), &mut files);
    files.sort();
    assert!(files.len() >= 9, "the examples are missing: {files:?}");
    files.into_iter().map(|file| String::from_utf8(std::fs::read(file).unwrap()).unwrap()).collect()
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn collect(directory: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "dlang") {
            files.push(path);
        }
    }
}

#[test]
fn examples_are_formatted() {
    for text in examples() {
        let formatted = dlang_ide::format::format(&dlang_syntax::parse(&text)).expect("no errors");
        assert_eq!(formatted.edits, [], "\n{}", formatted.text);
    }
}

#[track_caller]
fn replay(target: &str, body: fn(&[u8])) {
    let mut replayed = 0;
    for entry in std::fs::read_dir(root().join("fuzz/corpus").join(target)).unwrap() {
        let input = std::fs::read(entry.unwrap().path()).unwrap();
        body(&input);
        // Cut forms of each seed, so that the replay reaches what is unfinished as well.
        for cut in [input.len() / 3, input.len() / 2, input.len().saturating_sub(1)] {
            body(&input[..cut]);
            body(&input[cut..]);
        }
        replayed += 1;
    }
    assert!(replayed >= 5, "the corpus of {target} is missing");
}

#[test]
fn formatter() {
    replay("dlang_formatter", dlang_formatter);
    replay("dlang_parser", dlang_formatter);
}

#[test]
fn editor() {
    replay("dlang_editor", dlang_editor);
    replay("dlang_parser", dlang_editor);
}
