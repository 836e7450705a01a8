//! Inputs of the model: files, the targets of their imports, and the set of files.
//!
//! This crate does not read the file system. Its user (a workspace, a test) provides the contents of each file and
//! the target of each import specifier.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use dlang_syntax::message_with_hint;

use crate::code::ModelCode;

/// File of the model: a small handle that stays the same when the file's text changes.
#[salsa::input(debug)]
pub struct File {
    /// Path as given; messages print it.
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

/// Element of the model: a declaration in a file.
///
/// It is stable through every change that does not affect the declarations of its file, in particular edits of
/// bodies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Definition {
    /// File that declares it.
    pub file: File,
    /// Number among the elements of the file, in text order.
    pub number: u32,
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

/// Reason for an unresolved import. The resolver writes it, because it knows manifests and packages and therefore the
/// fix.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportProblem {
    pub code: ModelCode,
    /// Stable reason for programs, such as `file-not-found`.
    pub reason: &'static str,
    /// Message without the hint.
    pub message: String,
    /// Advice on a fix.
    pub hint: Option<Cow<'static, str>>,
}

impl ImportProblem {
    /// Returns message and hint as one text.
    pub fn text(&self) -> String {
        message_with_hint(&self.message, self.hint.as_deref())
    }
}
