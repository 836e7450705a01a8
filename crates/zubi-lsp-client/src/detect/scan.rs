//! Scans the workspace for languages, directories and root markers in one walk.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use camino::{Utf8Path, Utf8PathBuf};
use zubi_base::walk::{self, WalkOptions, is_directory};
use zubi_base::workspace::WorkspaceFolders;

use super::languages::Languages;
use crate::catalogue::Catalogue;

/// The depth to which every directory is listed for markers. Git usually ignores `compile_commands.json`, so the walk
/// does not show it. Deeper ones are found when a request needs the project of a document.
const MARKER_DEPTH: usize = 2;

/// The maximum number of root markers listed.
const MAX_MARKERS: usize = 10_000;

/// The limits of a scan.
#[derive(Debug, Clone, Copy)]
pub struct ScanLimits {
    /// The maximum number of files and directories read.
    pub entries: usize,
    pub time: Duration,
}

impl Default for ScanLimits {
    /// The Linux kernel has about 90,000 files and takes under a second.
    fn default() -> Self {
        Self { entries: 300_000, time: Duration::from_secs(3) }
    }
}

/// The result of a scan. Paths are absolute.
#[derive(Debug, Clone, Default)]
pub struct Detection {
    /// The files by LSP's language id.
    pub languages: BTreeMap<String, LanguageFiles>,
    /// Every directory that is not ignored, the folders included, parents before children.
    pub directories: Vec<Utf8PathBuf>,
    /// The markers in the order of their paths.
    pub markers: Vec<Marker>,
    /// The reason why the scan is not complete, for an answer's status line.
    pub incomplete_reason: Option<String>,
}

/// The files of one language.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LanguageFiles {
    pub count: usize,
    /// The file with the shortest path depth.
    pub example: Utf8PathBuf,
    /// An example like the previous field for each workspace folder with such files, by folder.
    pub examples: BTreeMap<Utf8PathBuf, Utf8PathBuf>,
}

/// A file that makes a directory a project for some server.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Marker {
    pub directory: Utf8PathBuf,
    /// The name as in the catalogue: `Cargo.toml`, `build/compile_commands.json`.
    pub name: String,
}

/// Walks the folders of a workspace. Respects `.gitignore` (in a repository or not) and `.ignore`, follows no symbolic
/// link, and reads only names. Blocks; a small project takes milliseconds.
pub fn scan(workspace: &WorkspaceFolders, catalogue: &Catalogue, limits: ScanLimits) -> Detection {
    let languages = Languages::from_catalogue(catalogue);
    let markers: BTreeSet<&str> =
        catalogue.rows().flat_map(|row| row.root_markers.iter().flatten()).map(String::as_str).collect();
    let mut detection = Detection::default();
    let mut found_markers = BTreeSet::new();
    let end = Instant::now() + limits.time;
    let mut seen = 0;
    'folders: for folder in workspace.folders() {
        for entry in walk::entries(&folder.path, WalkOptions::default()) {
            seen += 1;
            if seen > limits.entries {
                detection.incomplete_reason = Some(format!("only the first {} files were scanned", limits.entries));
                break 'folders;
            }
            if Instant::now() > end {
                detection.incomplete_reason =
                    Some(format!("the scan was stopped after {} ms", limits.time.as_millis()));
                break 'folders;
            }
            let Some(path) = Utf8Path::from_path(entry.path()) else { continue };
            // A folder inside another folder is walked with the outer one.
            if workspace.folder_of(path).is_some_and(|own| own.path != folder.path) {
                continue;
            }
            if is_directory(&entry) {
                if entry.depth() <= MARKER_DEPTH {
                    found_markers.extend(markers_in(path, &markers));
                }
                detection.directories.push(path.to_owned());
            } else if entry.file_type().is_some_and(|kind| kind.is_file()) {
                if let (Some(name), Some(directory)) = (path.file_name(), path.parent())
                    && markers.contains(name)
                    && found_markers.len() < MAX_MARKERS
                {
                    found_markers.insert(Marker::new(directory, name));
                }
                if let Some(language) = languages.for_path(path) {
                    detection.count(language, path, &folder.path);
                }
            }
        }
    }
    detection.markers = found_markers.into_iter().collect();
    detection
}

/// Returns the markers in a directory, including those that git ignores. One listing costs less than a look-up for each
/// of a hundred names.
fn markers_in(directory: &Utf8Path, markers: &BTreeSet<&str>) -> Vec<Marker> {
    let Ok(entries) = directory.read_dir_utf8() else { return Vec::new() };
    let names: BTreeSet<String> = entries.flatten().map(|entry| entry.file_name().to_owned()).collect();
    let has_marker = |marker: &str| match marker.split_once('/') {
        Some((first, _)) => names.contains(first) && directory.join(marker).exists(),
        None => names.contains(marker),
    };
    markers.iter().filter(|marker| has_marker(marker)).map(|marker| Marker::new(directory, marker)).collect()
}

impl Marker {
    fn new(directory: &Utf8Path, name: &str) -> Self {
        Self { directory: directory.to_owned(), name: name.to_owned() }
    }
}

impl Detection {
    fn count(&mut self, language: &str, path: &Utf8Path, folder: &Utf8Path) {
        let is_shallower = |example: &Utf8PathBuf| path.components().count() < example.components().count();
        let Some(files) = self.languages.get_mut(language) else {
            let (folder, path) = (folder.to_owned(), path.to_owned());
            let examples = BTreeMap::from([(folder, path.clone())]);
            self.languages.insert(language.to_owned(), LanguageFiles { count: 1, example: path, examples });
            return;
        };
        files.count += 1;
        if is_shallower(&files.example) {
            path.clone_into(&mut files.example);
        }
        match files.examples.get_mut(folder) {
            Some(example) => {
                if is_shallower(example) {
                    path.clone_into(example);
                }
            }
            None => drop(files.examples.insert(folder.to_owned(), path.to_owned())),
        }
    }
}

#[cfg(test)]
mod tests {
    use insta::assert_snapshot;

    use super::*;

    /// Creates a directory with these files, as a workspace.
    fn tree(files: &[(&str, &str)]) -> (tempfile::TempDir, WorkspaceFolders) {
        let directory = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(directory.path()).unwrap();
        for (path, content) in files {
            std::fs::create_dir_all(root.join(path).parent().unwrap()).unwrap();
            zubi_base::fs::write_atomic(&root.join(path), content.as_bytes()).unwrap();
        }
        let workspace = WorkspaceFolders::open(&[root.to_owned()]).unwrap();
        (directory, workspace)
    }

    fn show(workspace: &WorkspaceFolders) -> String {
        let detection = scan(workspace, Catalogue::builtin(), ScanLimits::default());
        let relative_path = |path: &Utf8Path| format!("/{}", path.strip_prefix(workspace.root()).unwrap());
        let mut lines = Vec::new();
        for (language, files) in &detection.languages {
            lines.push(format!("{language}: {}, for instance {}", files.count, relative_path(&files.example)));
        }
        let mut directories: Vec<_> = detection.directories.iter().map(|path| relative_path(path)).collect();
        // Siblings come in the disk's order.
        directories.sort_unstable();
        lines.push(directories.join(" "));
        lines.extend(
            detection.markers.iter().map(|marker| format!("{} in {}", marker.name, relative_path(&marker.directory))),
        );
        lines.extend(detection.incomplete_reason);
        lines.join("\n")
    }

    #[test]
    fn a_mixed_project() {
        let (_directory, workspace) = tree(&[
            (".gitignore", "generated/\n/build/\n"),
            ("Cargo.toml", ""),
            ("src/main.rs", ""),
            ("src/deep/lib.rs", ""),
            ("src/deep/Cargo.toml", ""),
            ("tools/a.py", ""),
            ("build/compile_commands.json", ""),
            ("generated/x.py", ""),
            ("node_modules/p/index.js", ""),
            (".venv/lib/x.py", ""),
            (".github/run.py", ""),
            ("target", "a file of that name is a file"),
        ]);
        std::os::unix::fs::symlink("/", workspace.root().join("everything")).unwrap();
        assert_snapshot!(show(&workspace), @"
        python: 2, for instance /.github/run.py
        rust: 2, for instance /src/main.rs
        toml: 2, for instance /Cargo.toml
        / /.github /src /src/deep /tools
        Cargo.toml in /
        build/compile_commands.json in /
        Cargo.toml in /src/deep
        ");
    }

    #[test]
    fn reached_limits_are_reported() {
        let (_directory, workspace) = tree(&[("a.rs", ""), ("b.rs", ""), ("c.rs", "")]);
        let limited = |entries, time| scan(&workspace, Catalogue::builtin(), ScanLimits { entries, time });
        let cut = limited(2, Duration::from_mins(1));
        assert_eq!(cut.incomplete_reason.as_deref(), Some("only the first 2 files were scanned"));
        assert_eq!(cut.languages["rust"].count, 1);
        assert_eq!(limited(9, Duration::ZERO).incomplete_reason.as_deref(), Some("the scan was stopped after 0 ms"));
        assert_eq!(limited(4, Duration::from_mins(1)).incomplete_reason, None);
    }

    #[test]
    fn nested_folders_are_walked_once() {
        let (directory, _) = tree(&[("a.rs", ""), ("inner/b.rs", "")]);
        let root = Utf8Path::from_path(directory.path()).unwrap();
        let workspace = WorkspaceFolders::open(&[root.to_owned(), root.join("inner")]).unwrap();
        let detection = scan(&workspace, Catalogue::builtin(), ScanLimits::default());
        assert_eq!((detection.languages["rust"].count, detection.directories.len()), (2, 2));
    }
}
