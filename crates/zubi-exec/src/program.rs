//! Finds programs on a search path.

use std::ffi::OsStr;

use camino::{Utf8Path, Utf8PathBuf};

/// Returns all executable files of this name in the directories of a search path (`PATH`), in search order. Skips empty
/// and relative entries, whose meaning depends on the current directory.
pub fn find(name: &str, search_path: Option<&OsStr>) -> Vec<Utf8PathBuf> {
    if name.is_empty() || name.contains(['/', '\0']) {
        return Vec::new();
    }
    let directories = search_path.into_iter().flat_map(std::env::split_paths);
    let mut found: Vec<Utf8PathBuf> = Vec::new();
    for program in directories.filter_map(|directory| Utf8PathBuf::from_path_buf(directory.join(name)).ok()) {
        if program.is_absolute() && is_executable(&program) && !found.contains(&program) {
            found.push(program);
        }
    }
    found
}

fn is_executable(path: &Utf8Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::metadata(path).is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}
