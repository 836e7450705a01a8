//! Reads the models below `examples/`, for the tests of each crate that uses them.

use std::path::{Path, PathBuf};

/// Returns every model below `examples/`: its path from there, and its text.
pub(crate) fn examples() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let mut files = Vec::new();
    collect(&root, &mut files);
    files.sort();
    assert!(files.len() >= 9, "the examples are missing: {files:?}");
    let read = |file: PathBuf| {
        let text = std::fs::read(&file).unwrap();
        let name = file.strip_prefix(&root).unwrap().display().to_string();
        (name, String::from_utf8(text).unwrap())
    };
    files.into_iter().map(read).collect()
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
