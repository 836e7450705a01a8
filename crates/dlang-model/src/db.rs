//! Database of the model, and its two owners: a host that applies changes, and snapshots that run queries.

use std::collections::BTreeMap;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use salsa::Setter as _;

use crate::inputs::{File, ImportOutcomes, Project};

/// Database that the queries of this crate run on.
#[salsa::db]
pub trait Db: salsa::Database {}

/// The only implementation of [`Db`].
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
    /// Creates a database that reports each executed query to `on_event`.
    pub(crate) fn with_events(on_event: impl Fn(salsa::Event) + Send + Sync + 'static) -> Self {
        Self { storage: salsa::Storage::new(Some(Box::new(on_event))) }
    }
}

/// Change of a file.
#[derive(Debug, Clone)]
pub enum ModelChange {
    /// The file exists and has this text.
    Text {
        /// Path of the file. Paths identify files and are compared byte by byte.
        path: String,
        /// Whole text.
        text: Arc<str>,
    },
    /// Assigns the file to an installed package, or to none.
    Package {
        /// Path of the file.
        path: String,
        /// Folder of the package; only compared with that of other files.
        package: Option<Arc<str>>,
    },
    /// Resolves the file's imports.
    Imports {
        /// Path of the file.
        path: String,
        /// All outcomes of the file; they replace the previous ones.
        outcomes: ImportOutcomes,
    },
    /// The file no longer exists.
    Remove {
        /// Path of the file.
        path: String,
    },
}

/// Owner of a model's files; applies changes to them.
#[derive(Default)]
pub struct ModelHost {
    db: Database,
    /// Every file that ever existed, because salsa never reuses a handle, and whether it exists now.
    files: BTreeMap<String, (File, bool)>,
}

impl ModelHost {
    /// Creates a model without files.
    pub fn new() -> Self {
        Self::default()
    }

    #[cfg(test)]
    pub(crate) fn with_database(db: Database) -> Self {
        Self { db, files: BTreeMap::new() }
    }

    /// Applies changes to files. Cancels queries that run on a snapshot, and waits until all snapshots are dropped.
    ///
    /// Changes of a file that does not exist are ignored, except that a text creates it.
    pub fn apply(&mut self, changes: impl IntoIterator<Item = ModelChange>) {
        let mut is_project_changed = false;
        for change in changes {
            match change {
                ModelChange::Text { path, text } => is_project_changed |= self.set_text(path, text),
                ModelChange::Package { path, package } => {
                    if let Some(file) = self.file(&path)
                        && file.package(&self.db) != package.as_deref()
                    {
                        file.set_package(&mut self.db).to(package);
                    }
                }
                ModelChange::Imports { path, outcomes } => {
                    if let Some(file) = self.file(&path)
                        && **file.import_outcomes(&self.db) != outcomes
                    {
                        file.set_import_outcomes(&mut self.db).to(Arc::new(outcomes));
                    }
                }
                ModelChange::Remove { path } => {
                    if let Some((file, is_there)) = self.files.get_mut(&path)
                        && std::mem::replace(is_there, false)
                    {
                        // An importer may still refer to the file: it sees an empty one.
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

    /// Sets the text of a file. Returns whether the set of files changed.
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

    /// Returns the file with a path.
    pub fn file(&self, path: &str) -> Option<File> {
        self.files.get(path).filter(|(_, is_there)| *is_there).map(|(file, _)| *file)
    }

    /// Returns all files, ordered by path.
    pub fn files(&self) -> impl Iterator<Item = File> {
        self.files.values().filter(|(_, is_there)| *is_there).map(|(file, _)| *file)
    }

    /// Returns the database, for queries between two changes.
    pub fn db(&self) -> &Database {
        &self.db
    }

    /// Runs a query inside a query on another host. salsa otherwise allows only one database at a time per thread.
    pub fn query_within<'a, T>(&'a self, question: impl FnOnce(&'a dyn Db) -> T) -> T {
        salsa::attach_allow_change(&self.db, || question(&self.db))
    }

    /// Returns a snapshot of the model, for queries on another thread. Drop it after the queries: the next change
    /// waits for that.
    pub fn snapshot(&self) -> ModelSnapshot {
        ModelSnapshot { db: self.db.clone(), is_revoked: Arc::default() }
    }
}

/// Model between two changes.
pub struct ModelSnapshot {
    db: Database,
    /// Permanent, unlike salsa's cancellation, which salsa forgets when the outermost query ends.
    is_revoked: Arc<AtomicBool>,
}

impl ModelSnapshot {
    /// Runs a query. It is cancelled by a change, or by a [`CancellationToken`] of this snapshot.
    pub fn query<T>(&self, question: impl FnOnce(&dyn Db) -> T) -> Result<T, QueryCancelled> {
        if self.is_revoked.load(Ordering::SeqCst) {
            return Err(QueryCancelled);
        }
        // Attaching here makes this query the outermost one, so that salsa does not forget a cancellation between two
        // of its inner queries. A cancelled query affects only salsa's caches, which stay valid.
        let attached_query = AssertUnwindSafe(|| salsa::attach(&self.db, || question(&self.db)));
        salsa::Cancelled::catch(attached_query).map_err(|_| QueryCancelled)
    }

    /// Returns a token that cancels the queries of this snapshot from another thread.
    pub fn cancellation_token(&self) -> CancellationToken {
        let token = salsa::Database::cancellation_token(&self.db);
        CancellationToken { token, is_revoked: Arc::clone(&self.is_revoked) }
    }
}

/// A clone is for another thread and has its own tokens.
impl Clone for ModelSnapshot {
    fn clone(&self) -> Self {
        Self { db: self.db.clone(), is_revoked: Arc::default() }
    }
}

/// Error of a query that was cancelled before it returned. Run it again on a new snapshot if the result is still
/// needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QueryCancelled;

impl std::fmt::Display for QueryCancelled {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("cancelled: the model changed or the query was cancelled")
    }
}

impl std::error::Error for QueryCancelled {}

/// Cancels the queries of one snapshot.
#[derive(Clone)]
pub struct CancellationToken {
    token: salsa::CancellationToken,
    is_revoked: Arc<AtomicBool>,
}

impl CancellationToken {
    /// Cancels the running query at its next inner query; later queries are not started.
    pub fn cancel(&self) {
        // Set the permanent flag first: if salsa forgets the cancellation of a query, no further one starts.
        self.is_revoked.store(true, Ordering::SeqCst);
        self.token.cancel();
    }
}
