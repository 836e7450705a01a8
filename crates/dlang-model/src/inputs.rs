//! Inputs of the model: files, the targets of their imports, and the set of files.
//!
//! This crate does not read the file system. Its user (a workspace, a test) provides the contents of each file and
//! the target of each import specifier.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::diagnostics::ModelCode;

/// File of the model: a small handle that stays the same when the file's text changes.
#[salsa::input(debug)]
pub struct File {
    /// Path as it was given; messages print it.
    #[returns(deref)]
    pub path: Arc<str>,
    /// Text of the file.
    #[returns(deref)]
    pub text: Arc<str>,
    /// Targets of its imports.
    #[returns(ref)]
    pub import_outcomes: Arc<ImportOutcomes>,
    /// Folder of the installed package that contains the file. Files of one package re-export their imports from it.
    #[returns(as_deref)]
    pub package: Option<Arc<str>>,
}

/// Files of one model. There is one per database.
#[salsa::input(singleton)]
pub struct Project {
    /// Files ordered by path.
    #[returns(deref)]
    pub files: Arc<[File]>,
}

/// Outcomes of the imports of one file, by specifier.
///
/// The key is the specifier and not the position of the import statement: a specifier means the same everywhere in a
/// file, so an edit does not invalidate the outcomes of the others.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ImportOutcomes {
    outcomes: BTreeMap<String, ImportOutcome>,
}

impl ImportOutcomes {
    /// Returns the outcome of a specifier. `None` if it was never resolved; that is not an error of the file.
    pub fn get(&self, specifier: &str) -> Option<&ImportOutcome> {
        self.outcomes.get(specifier)
    }
}

impl FromIterator<(String, ImportOutcome)> for ImportOutcomes {
    fn from_iter<T: IntoIterator<Item = (String, ImportOutcome)>>(outcomes: T) -> Self {
        Self { outcomes: outcomes.into_iter().collect() }
    }
}

/// Outcome of resolving an import.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ImportOutcome {
    /// Resolved to this file.
    File(File),
    /// Not resolved.
    Problem(ImportProblem),
}

/// Reason for an unresolved import, written by the resolver, which knows manifests and packages and can say how to
/// fix it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportProblem {
    pub code: ModelCode,
    /// Stable reason for programs, such as `file-not-found`.
    pub reason: &'static str,
    /// Message, including the hint.
    pub message: String,
}
