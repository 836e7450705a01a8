//! Finds a document to open, for servers that read a project only once a document is open.

use camino::{Utf8Path, Utf8PathBuf};
use zubi_base::walk::{self, WalkOptions};

use crate::readiness::{ReadinessSignal, project_of};

/// The maximum number of files and directories examined. Projects begin near their root.
const MAX_ENTRIES: usize = 20_000;

/// The maximum number of files with the right extension that are compared.
const MAX_CANDIDATES: usize = 200;

/// Returns the file of the project to open first: preferably one that a project file covers, then with the first
/// extension in the list (a source file before a header), then the least deep. `None` if the root has no such file.
pub(crate) fn find(root: &Utf8Path, extensions: &[String], signal: &ReadinessSignal) -> Option<Utf8PathBuf> {
    let project_files: &[String] = match signal {
        ReadinessSignal::Progress { project_files, .. } => project_files,
        _ => &[],
    };
    walk::entries(root, WalkOptions { sorted: true, ..WalkOptions::default() })
        .take(MAX_ENTRIES)
        .filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file()))
        .filter_map(|entry| {
            let path = Utf8Path::from_path(entry.path())?;
            let rank = extensions.iter().position(|extension| path.extension() == Some(extension.as_str()))?;
            Some((rank, entry.depth(), path.to_owned()))
        })
        .take(MAX_CANDIDATES)
        .min_by_key(|(rank, depth, path)| {
            let covered = project_files.is_empty() || project_of(path, root, project_files).is_some();
            (!covered, *rank, *depth, path.clone())
        })
        .map(|(_, _, path)| path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn project_source_files_are_preferred() {
        let directory = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(directory.path()).unwrap();
        let extensions = ["cc".to_owned(), "h".to_owned()];
        let signal = ReadinessSignal::Progress {
            titles: Vec::new(),
            project_files: vec!["compile_commands.json".to_owned()],
            confirmations: Vec::new(),
        };
        let write = |name: &str| {
            let path = root.join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::File::create(path).unwrap();
        };
        assert_eq!(find(root, &extensions, &signal), None);
        write("a.h");
        write("a.py");
        assert_eq!(find(root, &extensions, &signal), Some(root.join("a.h")));
        write("z/b.cc");
        write("a/deep/c.cc");
        assert_eq!(find(root, &extensions, &signal), Some(root.join("z/b.cc")));
        write("a/deep/compile_commands.json");
        assert_eq!(find(root, &extensions, &signal), Some(root.join("a/deep/c.cc")));
    }
}
