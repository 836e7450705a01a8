//! What the model is made from: files, what their imports lead to, and which files belong together.
//!
//! Nothing here reads a disk. Whoever does (a workspace, a test) says what a file contains and where each of its import
//! specifiers leads.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::diagnostics::Code;

/// A file of the model: a small handle that stays the same while the file's text changes.
#[salsa::input(debug)]
pub struct File {
    /// The path as it was given; messages print it.
    #[returns(deref)]
    pub path: Arc<str>,
    /// The text.
    #[returns(deref)]
    pub text: Arc<str>,
    /// Where its imports lead.
    #[returns(ref)]
    pub import_outcomes: Arc<ImportOutcomes>,
    /// The folder of the installed package that the file lies in. Files of one package show what they import from it.
    #[returns(as_deref)]
    pub package: Option<Arc<str>>,
}

/// The files that are looked at together. There is one per database.
#[salsa::input(singleton)]
pub struct Project {
    /// The files in the order of their paths.
    #[returns(deref)]
    pub files: Arc<[File]>,
}

/// Where the imports of one file lead, by their specifiers.
///
/// The key is the specifier and not the place of the import statement: a specifier means the same wherever it stands in
/// a file, so after an edit what was known about the others still holds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ImportOutcomes {
    outcomes: BTreeMap<String, ImportOutcome>,
}

impl ImportOutcomes {
    /// Where a specifier leads. Nothing is known about one that was never looked at; that is no mistake of the file.
    pub fn get(&self, specifier: &str) -> Option<&ImportOutcome> {
        self.outcomes.get(specifier)
    }
}

impl FromIterator<(String, ImportOutcome)> for ImportOutcomes {
    fn from_iter<T: IntoIterator<Item = (String, ImportOutcome)>>(outcomes: T) -> Self {
        Self { outcomes: outcomes.into_iter().collect() }
    }
}

/// Where an import leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ImportOutcome {
    /// To this file.
    File(File),
    /// To nothing.
    Problem(ImportProblem),
}

/// Why an import leads to nothing, in the words of whoever looked: what a specifier means, and what to do when it means
/// nothing, is decided where manifests and packages are known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportProblem {
    pub code: Code,
    /// The word by which other programs know why an import is not resolved, such as `file-not-found`.
    pub reason: &'static str,
    /// What to say, a hint included.
    pub message: String,
}
