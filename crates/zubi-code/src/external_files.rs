//! The files outside the workspace that answers have shown: sources of dependencies and of the standard library.
//!
//! A caller can continue at such a file with requests that only read. Texts of the workspace may try to lead an agent to
//! any file, so zubi accepts a file only if a language server's answer named it, zubi printed its path, and a server of
//! the workspace supports its language. Locations of credentials are never accepted.
//!
//! Each `zubi call` is a process of its own, so the records are files: one for each shown file, for 24 hours, below
//! zubi's state directory, in a directory for each workspace. Directories are 0700, files 0600.

use std::io::{self, Write as _};
use std::sync::{Arc, Mutex};
use std::time::{Duration, UNIX_EPOCH};

use camino::{Utf8Path, Utf8PathBuf};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use zubi_base::clock::Clock;
use zubi_base::credentials::is_credential_path;
use zubi_base::sync::lock;
use zubi_base::text::ContentHash;
use zubi_base::workspace::{PathError, WorkspaceFolders};
use zubi_base::{fs, owner_only};

/// The storage time of a record.
const RETENTION: Duration = Duration::from_hours(24);
/// The age at which a record is written again if an answer shows its file again.
const RENEWAL: Duration = Duration::from_hours(1);
/// The maximum number of records of a workspace; the oldest are removed first.
const MAX_RECORDS: usize = 1_000;
/// The maximum size of a record in bytes: two paths, with JSON escapes.
const MAX_BYTES: u64 = 64 * 1024;
/// The version of the record format; zubi does not read records of another version.
const VERSION: u32 = 1;

/// One shown file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct ShownFile {
    version: u32,
    /// The path with links resolved.
    file: Utf8PathBuf,
    /// The file of the workspace from which requests led there. Its servers answer requests about the shown file.
    origin: Option<Utf8PathBuf>,
    /// The time since the Unix epoch in seconds.
    shown: u64,
}

/// The file of the workspace from which requests led to a shown file, if it is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ExternalOrigin(pub(crate) Option<Utf8PathBuf>);

/// See the module's documentation.
pub struct ExternalFiles {
    directory: Utf8PathBuf,
    workspace: Arc<WorkspaceFolders>,
    clock: Arc<dyn Clock>,
    /// The records that this process has written.
    written: Mutex<FxHashMap<Utf8PathBuf, ShownFile>>,
}

impl ExternalFiles {
    /// Creates and reads nothing yet.
    pub(crate) fn new(state_dir: &Utf8Path, workspace: Arc<WorkspaceFolders>, clock: Arc<dyn Clock>) -> Self {
        let roots: Vec<String> = workspace.roots().into_iter().map(|root| format!("{root}\0")).collect();
        let key = ContentHash::from_bytes(roots.concat().as_bytes()).0;
        Self { directory: state_dir.join("external").join(key), workspace, clock, written: Mutex::default() }
    }

    /// Resolves the path of a file for a request that only reads: a file of the workspace, or a shown one.
    pub fn resolve(&self, input: &str) -> Result<Utf8PathBuf, PathError> {
        let error = match self.workspace.resolve(input) {
            Err(error @ PathError::Outside { .. }) => error,
            resolved => return resolved,
        };
        match self.workspace.resolve_outside(input) {
            Some(file) if file.is_file() && self.is_shown(&file) => Ok(file),
            _ => Err(error),
        }
    }

    /// Whether an answer has shown a file, given with links resolved.
    fn is_shown(&self, file: &Utf8Path) -> bool {
        self.record_of(file).is_some()
    }

    /// Returns the origin of a shown file; `None` for a file that no answer has shown.
    pub(crate) fn origin_of(&self, file: &Utf8Path) -> Option<ExternalOrigin> {
        let document = self.record_of(file)?.origin;
        Some(ExternalOrigin(document.filter(|document| self.workspace.contains(document) && document.is_file())))
    }

    /// Records files that an answer shows, each with links resolved. Does I/O only for files without a recent record.
    pub(crate) async fn record(self: &Arc<Self>, files: Vec<Utf8PathBuf>, origin: Option<Utf8PathBuf>) {
        let files = self.filter_new(files);
        if files.is_empty() {
            return;
        }
        let store = Arc::clone(self);
        let write = move || store.write_all(files, origin.as_deref());
        // Awaited, because the process may end right after the answer.
        if let Ok(Err(error)) = tokio::task::spawn_blocking(write).await {
            tracing::warn!(%error, "the files that the answer shows cannot be recorded");
        }
    }

    /// Returns the files that can be recorded and have no recent record of this process.
    pub(crate) fn filter_new(&self, mut files: Vec<Utf8PathBuf>) -> Vec<Utf8PathBuf> {
        let now = self.clock.now().as_secs();
        let written = lock(&self.written);
        let is_recent = |known: &ShownFile| now.abs_diff(known.shown) < RENEWAL.as_secs();
        files.retain(|file| {
            !self.workspace.contains(file) && !is_credential_path(file) && !written.get(file).is_some_and(is_recent)
        });
        files.sort();
        files.dedup();
        files
    }

    fn write_all(&self, files: Vec<Utf8PathBuf>, origin: Option<&Utf8Path>) -> io::Result<()> {
        owner_only::create_directory(&self.directory)?;
        self.sweep(files.len())?;
        for file in files {
            let shown = self.clock.now();
            // A later request without an origin does not remove the recorded one.
            let origin = origin.map(Utf8Path::to_owned).or_else(|| self.record_of(&file)?.origin);
            let record = ShownFile { version: VERSION, file, origin, shown: shown.as_secs() };
            // Not durable: a lost record only costs a repeated request.
            let path = self.path_of(&record.file);
            remove_if_present(&path)?;
            let mut file = create_private(&path)?;
            file.write_all(&serde_json::to_vec(&record)?)?;
            file.set_modified(UNIX_EPOCH + shown)?;
            let mut written = lock(&self.written);
            if written.len() >= MAX_RECORDS {
                written.clear();
            }
            written.insert(record.file.clone(), record);
        }
        Ok(())
    }

    /// Returns the record of a file, given with links resolved, unless it has expired.
    fn record_of(&self, file: &Utf8Path) -> Option<ShownFile> {
        if is_credential_path(file) || self.workspace.contains(file) {
            return None;
        }
        let path = self.path_of(file);
        if !owner_only::owner_only(&path).ok()? {
            return None;
        }
        let record: ShownFile = serde_json::from_slice(&owner_only::read(&path, MAX_BYTES).ok()?).ok()?;
        let now = self.clock.now().as_secs();
        // A record from the future has expired, too: the clock was set back.
        let is_valid = record.version == VERSION && now.abs_diff(record.shown) < RETENTION.as_secs();
        (is_valid && record.file == file).then_some(record)
    }

    /// Removes expired records, then the oldest until `more` further ones fit. The age is the file's modification time,
    /// which zubi sets to its clock's time.
    fn sweep(&self, more: usize) -> io::Result<()> {
        let entries = self.directory.read_dir_utf8()?.filter_map(Result::ok);
        let mut records: Vec<_> = entries
            .filter_map(|entry| {
                let modified = entry.metadata().ok()?.modified().ok()?;
                Some((modified.duration_since(UNIX_EPOCH).unwrap_or_default(), entry.into_path()))
            })
            .collect();
        records.sort();
        let excess = (records.len() + more).saturating_sub(MAX_RECORDS);
        let now = self.clock.now();
        for (index, (shown, path)) in records.into_iter().enumerate() {
            if index < excess || shown.abs_diff(now) >= RETENTION {
                remove_if_present(&path)?;
            }
        }
        Ok(())
    }

    fn path_of(&self, file: &Utf8Path) -> Utf8PathBuf {
        self.directory.join(format!("{}.json", ContentHash::from_bytes(file.as_str().as_bytes()).0))
    }
}

/// Removes a record, unless another process has removed it already.
fn remove_if_present(path: &Utf8Path) -> io::Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Creates a file with mode 0600; fails if it exists.
fn create_private(path: &Utf8Path) -> io::Result<std::fs::File> {
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.mode(0o600);
    }
    options.open(path)
}

/// A file outside the workspace that a language server's answer names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NamedFile {
    /// See [`crate::location::SourceLocation::display_path`].
    pub(crate) display_path: String,
    pub(crate) path: Utf8PathBuf,
}

/// Returns the files, with links resolved, whose names an answer contains.
pub(crate) fn shown_in(text: &str, named: &[NamedFile]) -> Vec<Utf8PathBuf> {
    let is_shown = |name: &str| {
        let in_json = serde_json::to_string(name).unwrap_or_default();
        text.contains(name) || text.contains(&in_json)
    };
    let shown = named.iter().filter(|file| is_shown(&file.display_path));
    let shown = shown.filter(|file| !is_credential_path(&file.path));
    shown.filter_map(|file| fs::canonical(&file.path).ok()).collect()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use zubi_base::clock::SystemClock;

    use super::*;

    struct Fixture {
        root: Utf8PathBuf,
        store: Arc<ExternalFiles>,
        _directory: tempfile::TempDir,
    }

    fn fixture() -> Fixture {
        let directory = tempfile::tempdir().unwrap();
        let root = fs::canonical(Utf8Path::from_path(directory.path()).unwrap()).unwrap();
        for name in ["project/a.go", "other/b.go", "library/x.go", "library/y.go", "home/.ssh/id_rsa"] {
            std::fs::create_dir_all(root.join(name).parent().unwrap()).unwrap();
            fs::write_atomic(&root.join(name), b"").unwrap();
        }
        let store = open(&root, "project", Arc::new(SystemClock));
        Fixture { root, store, _directory: directory }
    }

    fn open(root: &Utf8Path, folder: &str, clock: Arc<dyn Clock>) -> Arc<ExternalFiles> {
        let workspace = Arc::new(WorkspaceFolders::open(&[root.join(folder)]).unwrap());
        Arc::new(ExternalFiles::new(&root.join("state"), workspace, clock))
    }

    #[derive(Debug)]
    struct LaterClock(Duration);

    impl Clock for LaterClock {
        fn now(&self) -> Duration {
            SystemClock.now() + self.0
        }
    }

    #[tokio::test]
    async fn another_process_accepts_a_shown_file_for_a_day() {
        let Fixture { root, store, _directory } = fixture();
        let (file, origin) = (root.join("library/x.go"), root.join("project/a.go"));
        assert!(matches!(store.resolve(file.as_str()), Err(PathError::Outside { .. })));
        store.record(vec![file.clone()], Some(origin.clone())).await;
        let same = open(&root, "project", Arc::new(SystemClock));
        assert_eq!(same.resolve(file.as_str()).unwrap(), file);
        assert_eq!(same.resolve(&format!("file://{file}")).unwrap(), file);
        assert_eq!(same.origin_of(&file), Some(ExternalOrigin(Some(origin))));
        let hours = |hours| open(&root, "project", Arc::new(LaterClock(Duration::from_hours(hours))));
        assert!(hours(23).resolve(file.as_str()).is_ok());
        assert!(hours(24).resolve(file.as_str()).is_err());
        // Neither another file nor another workspace.
        assert!(store.resolve(root.join("library/y.go").as_str()).is_err());
        assert!(store.resolve(root.join("library").as_str()).is_err());
        assert!(open(&root, "other", Arc::new(SystemClock)).resolve(file.as_str()).is_err());
    }

    #[tokio::test]
    async fn records_are_private_and_limited() {
        let Fixture { root, store, _directory } = fixture();
        store.record(vec![root.join("library/x.go")], None).await;
        let record = store.path_of(&root.join("library/x.go"));
        assert_eq!(record.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(record.parent().unwrap().metadata().unwrap().permissions().mode() & 0o777, 0o700);
        let many = (0..MAX_RECORDS).map(|number| root.join(format!("library/{number}.go"))).collect();
        store.record(many, None).await;
        assert_eq!(store.directory.read_dir_utf8().unwrap().count(), MAX_RECORDS);
        assert!(store.resolve(root.join("library/x.go").as_str()).is_err());
    }

    #[tokio::test]
    async fn credentials_and_replaced_files_are_refused() {
        let Fixture { root, store, _directory } = fixture();
        let key = root.join("home/.ssh/id_rsa");
        store.record(vec![key.clone()], None).await;
        assert!(store.resolve(key.as_str()).is_err());
        // A record that another program has written.
        let record =
            ShownFile { version: VERSION, file: key.clone(), origin: None, shown: store.clock.now().as_secs() };
        owner_only::create_directory(&store.directory).unwrap();
        owner_only::write_atomic(&store.path_of(&key), &serde_json::to_vec(&record).unwrap()).unwrap();
        assert!(store.resolve(key.as_str()).is_err());
        // A link that leads elsewhere after the answer.
        let link = root.join("library/link.go");
        symlink(root.join("library/x.go"), &link).unwrap();
        store.record(vec![root.join("library/x.go")], None).await;
        assert_eq!(store.resolve(link.as_str()).unwrap(), root.join("library/x.go"));
        std::fs::remove_file(&link).unwrap();
        symlink(root.join("library/y.go"), &link).unwrap();
        assert!(store.resolve(link.as_str()).is_err());
        // A record that others could have written.
        let record = store.path_of(&root.join("library/x.go"));
        std::fs::set_permissions(&record, std::fs::Permissions::from_mode(0o666)).unwrap();
        assert!(store.resolve(root.join("library/x.go").as_str()).is_err());
    }

    #[test]
    fn only_printed_files_count() {
        let directory = tempfile::tempdir().unwrap();
        let root = fs::canonical(Utf8Path::from_path(directory.path()).unwrap()).unwrap();
        let named = ["a.go", "b\"c.go", "d.go", ".env"].map(|name| {
            fs::write_atomic(&root.join(name), b"").unwrap();
            NamedFile { display_path: root.join(name).into_string(), path: root.join(name) }
        });
        let json = serde_json::to_string(root.join("b\"c.go").as_str()).unwrap();
        let text = format!("1 definition\n{root}/a.go (external)\n{json}\n{root}/.env");
        assert_eq!(shown_in(&text, &named), [root.join("a.go"), root.join("b\"c.go")]);
    }
}
