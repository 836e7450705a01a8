//! A temporary workspace, and its whole state as a value.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};
use zubi_base::clock::FixedClock;
use zubi_base::text::DiskText;
use zubi_base::workspace::WorkspaceFolders;
use zubi_base::{fs, uri};

use crate::edit::{DiskSink, EditService};

/// The time on the tests' clocks: a day in 2025.
pub(in crate::edit) const NOW: Duration = Duration::from_secs(1_750_000_000);

pub(in crate::edit) struct Tree {
    _guard: tempfile::TempDir,
    /// The workspace folder.
    pub(in crate::edit) root: Utf8PathBuf,
    pub(in crate::edit) state_dir: Utf8PathBuf,
}

/// The entry at one path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::edit) enum TreeEntry {
    File { bytes: Vec<u8>, mode: u32 },
    Link(Utf8PathBuf),
    Directory { mode: u32 },
}

impl Tree {
    pub(in crate::edit) fn new(files: &[(&str, &str)]) -> Self {
        let guard = tempfile::tempdir().unwrap();
        let base = fs::canonical(Utf8Path::from_path(guard.path()).unwrap()).unwrap();
        let tree = Self { _guard: guard, root: base.join("ws"), state_dir: base.join("state") };
        std::fs::create_dir(&tree.root).unwrap();
        for (path, content) in files {
            tree.write(path, content);
        }
        tree
    }

    pub(in crate::edit) fn write(&self, path: &str, content: &str) {
        let path = self.root.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write_atomic(&path, content.as_bytes()).unwrap();
    }

    #[cfg(unix)]
    pub(in crate::edit) fn link(&self, target: &str, path: &str) {
        std::os::unix::fs::symlink(target, self.root.join(path)).unwrap();
    }

    #[cfg(unix)]
    pub(in crate::edit) fn set_mode(&self, path: &str, mode: u32) {
        use std::os::unix::fs::PermissionsExt as _;
        std::fs::set_permissions(self.root.join(path), std::fs::Permissions::from_mode(mode)).unwrap();
    }

    pub(in crate::edit) fn uri(&self, path: &str) -> String {
        uri::from_path(&self.root.join(path)).0
    }

    pub(in crate::edit) fn relative(&self, path: &Utf8Path) -> String {
        path.strip_prefix(&self.root).unwrap().to_string()
    }

    pub(in crate::edit) fn workspace(&self) -> Arc<WorkspaceFolders> {
        Arc::new(WorkspaceFolders::open(std::slice::from_ref(&self.root)).unwrap())
    }

    pub(in crate::edit) fn edits(&self) -> EditService {
        let sink = Arc::new(DiskSink::new(&self.state_dir));
        EditService::new(self.workspace(), Arc::new(DiskText), sink, &self.state_dir, Arc::new(FixedClock(NOW)))
    }

    #[expect(clippy::unused_self, reason = "reads as what happens in this tree")]
    pub(in crate::edit) fn run<T>(&self, future: impl Future<Output = T>) -> T {
        tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(future)
    }

    /// Returns everything below the workspace folder.
    pub(in crate::edit) fn state(&self) -> BTreeMap<String, TreeEntry> {
        let mut state = BTreeMap::new();
        let mut open = vec![self.root.clone()];
        while let Some(directory) = open.pop() {
            for entry in directory.read_dir_utf8().unwrap() {
                let path = entry.unwrap().into_path();
                let metadata = std::fs::symlink_metadata(&path).unwrap();
                let tree_entry = if metadata.is_symlink() {
                    TreeEntry::Link(path.read_link_utf8().unwrap())
                } else if metadata.is_dir() {
                    open.push(path.clone());
                    TreeEntry::Directory { mode: mode(&metadata) }
                } else {
                    TreeEntry::File { bytes: fs::read_bytes(&path).unwrap(), mode: mode(&metadata) }
                };
                state.insert(self.relative(&path), tree_entry);
            }
        }
        state
    }

    /// Formats [`Self::state`], with modes only if they are not those of a new file or directory.
    pub(in crate::edit) fn show(&self) -> String {
        let default_file_mode = {
            let probe = self.root.parent().unwrap().join("probe");
            fs::write_atomic(&probe, b"").unwrap();
            mode(&std::fs::metadata(&probe).unwrap())
        };
        let default_directory_mode = mode(&std::fs::metadata(&self.root).unwrap());
        let special = |mode: u32, default: u32| if mode == default { String::new() } else { format!(" {mode:o}") };
        let mut rendered = String::new();
        for (path, entry) in self.state() {
            match entry {
                TreeEntry::Link(target) => writeln!(rendered, "{path} -> {target}").unwrap(),
                TreeEntry::Directory { mode } => {
                    writeln!(rendered, "{path}/{}", special(mode, default_directory_mode)).unwrap();
                }
                TreeEntry::File { bytes, mode } => {
                    let text = String::from_utf8(bytes).map_or("not text".to_owned(), |text| format!("{text:?}"));
                    writeln!(rendered, "{path}{}: {text}", special(mode, default_file_mode)).unwrap();
                }
            }
        }
        rendered
    }
}

#[cfg(unix)]
fn mode(metadata: &std::fs::Metadata) -> u32 {
    use std::os::unix::fs::PermissionsExt as _;
    metadata.permissions().mode() & 0o7777
}

#[cfg(not(unix))]
fn mode(_metadata: &std::fs::Metadata) -> u32 {
    0
}
