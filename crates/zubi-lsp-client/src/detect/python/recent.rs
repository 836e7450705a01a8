//! The environments of projects, found again for each request.
//!
//! A request must see an environment that appeared since the last one, so the search runs each time. Only the search for
//! unusual names, which looks into up to a hundred entries, has a result for a moment.

use std::sync::Mutex;
use std::time::{Duration, Instant, SystemTime};

use camino::{Utf8Path, Utf8PathBuf};
use rustc_hash::FxHashMap;
use zubi_base::sync::lock;

use super::{PythonEnvironment, PythonSearch};

/// The age at which a directory is read again although its own time of change is the same: an entry can become an
/// environment without a change of the directory.
const MAX_AGE: Duration = Duration::from_secs(1);

/// Finds the environments of projects.
#[derive(Debug, Default)]
pub struct PythonEnvironments {
    pub(crate) search: PythonSearch,
    unusual: Mutex<FxHashMap<Utf8PathBuf, UnusualName>>,
}

/// The result of a search for an environment of any name in a directory.
#[derive(Debug, Clone)]
struct UnusualName {
    read_at: Instant,
    /// The directory's time of change before it was read.
    modified: Option<SystemTime>,
    environment: Option<PythonEnvironment>,
}

impl PythonEnvironments {
    /// Creates a finder that has found nothing yet.
    pub fn new(search: PythonSearch) -> Self {
        Self { search, unusual: Mutex::default() }
    }

    /// Finds the environment of a project at `root`: the nearest one from there up to `folder`, else the active one. One
    /// with an unusual name may be a second old.
    pub fn find(&self, root: &Utf8Path, folder: &Utf8Path) -> Option<PythonEnvironment> {
        PythonEnvironment::find(root, folder, &self.search, |directory| self.with_any_name(directory))
    }

    fn with_any_name(&self, directory: &Utf8Path) -> Option<PythonEnvironment> {
        let modified = std::fs::metadata(directory).and_then(|metadata| metadata.modified()).ok();
        if let Some(known) = lock(&self.unusual).get(directory)
            && known.modified == modified
            && known.read_at.elapsed() < MAX_AGE
        {
            return known.environment.clone();
        }
        let read_at = Instant::now();
        let environment = PythonEnvironment::with_any_name(directory);
        let found = UnusualName { read_at, modified, environment: environment.clone() };
        lock(&self.unusual).insert(directory.to_owned(), found);
        environment
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_environment_with_an_unusual_name_is_found_at_once() {
        let directory = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(directory.path()).unwrap();
        let environments = PythonEnvironments::default();
        let find = || environments.find(root, root).map(|environment| environment.label(root));
        assert_eq!(find(), None);
        // Without a later time, the file system's clock may not show the change.
        std::fs::File::open(root).unwrap().set_modified(SystemTime::UNIX_EPOCH).unwrap();
        assert_eq!(find(), None);
        std::fs::create_dir(root.join("tools")).unwrap();
        zubi_base::fs::write_atomic(&root.join("tools/pyvenv.cfg"), b"").unwrap();
        assert_eq!(find().as_deref(), Some("tools"));
        std::fs::remove_dir_all(root.join("tools")).unwrap();
        assert_eq!(find(), None);
    }
}
