//! The database behind the model, and the two ways to hold it: a host that changes files, and snapshots that answer.

use std::collections::BTreeMap;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use salsa::Setter as _;

use crate::inputs::{File, ImportOutcomes, Project};

/// What the functions of this crate ask questions of.
#[salsa::db]
pub trait Db: salsa::Database {}

/// The one implementation.
#[salsa::db]
#[derive(Clone, Default)]
pub struct Database {
    storage: salsa::Storage<Self>,
}

#[salsa::db]
impl salsa::Database for Database {}

#[salsa::db]
impl Db for Database {}

#[cfg(test)]
impl Database {
    /// A database that tells about each query it runs.
    pub(crate) fn with_events(tell: impl Fn(salsa::Event) + Send + Sync + 'static) -> Self {
        Self { storage: salsa::Storage::new(Some(Box::new(tell))) }
    }
}

/// One change of the files.
#[derive(Debug, Clone)]
pub enum Change {
    /// The file is there and has this text.
    Text {
        /// Its path. Files are told apart by it, character by character.
        path: String,
        /// Its whole text.
        text: Arc<str>,
    },
    /// The file lies in this installed package, or in none.
    Package {
        /// The file.
        path: String,
        /// The package's folder; only compared with that of other files.
        package: Option<Arc<str>>,
    },
    /// Its imports lead there.
    Imports {
        /// The file.
        path: String,
        /// All of its outcomes; those that were known before are forgotten.
        outcomes: ImportOutcomes,
    },
    /// The file is gone.
    Remove {
        /// The file.
        path: String,
    },
}

/// Holds the files of a model and changes them.
#[derive(Default)]
pub struct ModelHost {
    db: Database,
    /// Every file that ever was, because a handle is never given back; and whether it is there now.
    files: BTreeMap<String, (File, bool)>,
}

impl ModelHost {
    /// A model without files.
    pub fn new() -> Self {
        Self::default()
    }

    #[cfg(test)]
    pub(crate) fn with_database(db: Database) -> Self {
        Self { db, files: BTreeMap::new() }
    }

    /// Changes files. Work that runs on a snapshot is cancelled, and this call waits until the snapshots are dropped.
    ///
    /// Changes of a file that is not there are ignored, except that a text makes it be there.
    pub fn apply(&mut self, changes: impl IntoIterator<Item = Change>) {
        let mut is_project_changed = false;
        for change in changes {
            match change {
                Change::Text { path, text } => is_project_changed |= self.set_text(path, text),
                Change::Package { path, package } => {
                    if let Some(file) = self.file(&path)
                        && file.package(&self.db) != package.as_deref()
                    {
                        file.set_package(&mut self.db).to(package);
                    }
                }
                Change::Imports { path, outcomes } => {
                    if let Some(file) = self.file(&path)
                        && **file.import_outcomes(&self.db) != outcomes
                    {
                        file.set_import_outcomes(&mut self.db).to(Arc::new(outcomes));
                    }
                }
                Change::Remove { path } => {
                    if let Some((file, is_there)) = self.files.get_mut(&path)
                        && std::mem::replace(is_there, false)
                    {
                        // An importer may still know the file: it sees an empty one.
                        file.set_text(&mut self.db).to(Arc::from(""));
                        file.set_import_outcomes(&mut self.db).to(Arc::default());
                        file.set_package(&mut self.db).to(None);
                        is_project_changed = true;
                    }
                }
            }
        }
        if is_project_changed {
            self.set_project();
        }
    }

    /// Whether the set of files is another one now.
    fn set_text(&mut self, path: String, text: Arc<str>) -> bool {
        if let Some((file, is_there)) = self.files.get_mut(&path) {
            if file.text(&self.db) != &*text {
                file.set_text(&mut self.db).to(text);
            }
            return !std::mem::replace(is_there, true);
        }
        let file = File::new(&self.db, Arc::from(path.as_str()), text, Arc::default(), None);
        self.files.insert(path, (file, true));
        true
    }

    fn set_project(&mut self) {
        let files: Arc<[File]> = self.files().collect();
        match Project::try_get(&self.db) {
            Some(project) => {
                project.set_files(&mut self.db).to(files);
            }
            None => {
                let _: Project = Project::new(&self.db, files);
            }
        }
    }

    /// The file of a path.
    pub fn file(&self, path: &str) -> Option<File> {
        self.files.get(path).filter(|(_, is_there)| *is_there).map(|(file, _)| *file)
    }

    /// All files, in the order of their paths.
    pub fn files(&self) -> impl Iterator<Item = File> {
        self.files.values().filter(|(_, is_there)| *is_there).map(|(file, _)| *file)
    }

    /// The database, for questions between two changes.
    pub fn db(&self) -> &Database {
        &self.db
    }

    /// Asks a question in the middle of one to another host: salsa takes one at a time on each thread if it is not told.
    pub fn ask_within<'a, T>(&'a self, question: impl FnOnce(&'a dyn Db) -> T) -> T {
        salsa::attach_allow_change(&self.db, || question(&self.db))
    }

    /// The model as it is now, for questions on another thread. Drop it when the questions are answered: the next change
    /// waits for that.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot { db: self.db.clone(), is_withdrawn: Arc::default() }
    }
}

/// The model as it is between two changes.
pub struct Snapshot {
    db: Database,
    /// salsa forgets that a question was cancelled when its outermost query ends, however soon after.
    is_withdrawn: Arc<AtomicBool>,
}

impl Snapshot {
    /// Asks a question. It is cancelled when a change waits or a [`CancellationToken`] of this snapshot says so.
    pub fn query<T>(&self, question: impl FnOnce(&dyn Db) -> T) -> Result<T, QueryCancelled> {
        if self.is_withdrawn.load(Ordering::SeqCst) {
            return Err(QueryCancelled);
        }
        // Attached here, the question is the outermost: what cancels it between two of its queries is not forgotten. What a
        // cancelled question leaves behind is only what salsa remembers, which stays sound.
        let ask = AssertUnwindSafe(|| salsa::attach(&self.db, || question(&self.db)));
        salsa::Cancelled::catch(ask).map_err(|_| QueryCancelled)
    }

    /// Cancels the questions of this snapshot from elsewhere.
    pub fn cancellation_token(&self) -> CancellationToken {
        let token = salsa::Database::cancellation_token(&self.db);
        CancellationToken { token, is_withdrawn: Arc::clone(&self.is_withdrawn) }
    }
}

/// A clone is for another thread, and has tokens of its own.
impl Clone for Snapshot {
    fn clone(&self) -> Self {
        Self { db: self.db.clone(), is_withdrawn: Arc::default() }
    }
}

/// A question was given up before it was answered. Ask again on a new snapshot, if the answer is still wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QueryCancelled;

impl std::fmt::Display for QueryCancelled {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("cancelled: the model changed or the question was withdrawn")
    }
}

impl std::error::Error for QueryCancelled {}

/// Cancels the questions of one snapshot.
#[derive(Clone)]
pub struct CancellationToken {
    token: salsa::CancellationToken,
    is_withdrawn: Arc<AtomicBool>,
}

impl CancellationToken {
    /// Ends the question that runs now, at the next query it comes to; later ones are not begun.
    pub fn cancel(&self) {
        // First what stays: a question that salsa forgets it for is the last one.
        self.is_withdrawn.store(true, Ordering::SeqCst);
        self.token.cancel();
    }
}
