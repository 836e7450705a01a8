//! The filter of a search for symbols: their kind, language and files.

use std::fmt;
use std::sync::Arc;

use camino::Utf8Path;
use zubi_base::workspace::WorkspaceFolders;
use zubi_syntax::{Notebook, SyntaxLanguage};

use super::ast_search::{language_of, languages_named};
use super::folder_outline::FileSelection;
use crate::error::CodeError;
use crate::query::CodeQuery;
use crate::symbol_index::SymbolQuery;

/// A condition for symbols. By default, all symbols satisfy it. The answers of servers and of the index satisfy it alike.
#[derive(Debug, Clone, Default)]
pub struct SymbolFilter {
    /// The kind, as in [`crate::outline::KINDS`].
    pub kind: Option<String>,
    files: FileCondition,
}

/// A condition for the absolute paths of files. By default, all files satisfy it.
#[derive(Clone, Default)]
pub struct FileCondition(Option<Arc<PathPredicate>>);

type PathPredicate = dyn Fn(&Utf8Path) -> bool + Send + Sync;

impl FileCondition {
    /// Returns the condition of a function.
    pub fn new(is_selected: impl Fn(&Utf8Path) -> bool + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(is_selected)))
    }

    /// Whether all files satisfy the condition.
    pub fn is_all(&self) -> bool {
        self.0.is_none()
    }

    /// Whether a file satisfies the condition.
    pub fn admits(&self, path: &Utf8Path) -> bool {
        self.0.as_ref().is_none_or(|is_selected| is_selected(path))
    }
}

impl fmt::Debug for FileCondition {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(if self.is_all() { "all files" } else { "some files" })
    }
}

impl SymbolFilter {
    /// Returns the condition for the files of the symbols.
    pub(crate) fn files(&self) -> &FileCondition {
        &self.files
    }

    /// Returns the filter with a further condition for the files.
    pub(crate) fn with_files(&self, is_selected: impl Fn(&Utf8Path) -> bool + Send + Sync + 'static) -> Self {
        let own = self.files.clone();
        let files = FileCondition::new(move |path| own.admits(path) && is_selected(path));
        Self { kind: self.kind.clone(), files }
    }

    /// Returns the filter for symbols of any kind in the same files.
    pub(crate) fn without_kind(&self) -> Self {
        Self { kind: None, files: self.files.clone() }
    }

    /// Returns the query of a name for the index.
    pub(crate) fn to_query(&self, text: &str) -> SymbolQuery {
        let kinds = self.kind.clone().into_iter().collect();
        SymbolQuery { text: text.to_owned(), kinds, files: self.files.clone(), ..SymbolQuery::default() }
    }

    /// Whether a symbol satisfies the condition.
    pub(crate) fn admits(&self, kind: &str, path: &Utf8Path) -> bool {
        self.kind.as_deref().is_none_or(|own| own == kind) && self.files.admits(path)
    }
}

impl CodeQuery<'_> {
    /// Creates a filter from the arguments of a tool: the name of a language, and a file, a folder or a pattern.
    pub fn symbol_filter(
        &self,
        kind: Option<String>,
        language: Option<&str>,
        path: Option<&str>,
    ) -> Result<SymbolFilter, CodeError> {
        let languages = language.map(languages_named).transpose()?;
        let selection = path.map(|path| self.select_files(path)).transpose()?;
        let files = match (languages, selection) {
            (None, None) => FileCondition::default(),
            (languages, selection) => {
                let workspace = Arc::clone(&self.intel.workspace);
                FileCondition::new(move |path| is_selected(path, languages.as_deref(), selection.as_ref(), &workspace))
            }
        };
        Ok(SymbolFilter { kind, files })
    }
}

fn is_selected(
    path: &Utf8Path,
    languages: Option<&[&'static SyntaxLanguage]>,
    selection: Option<&FileSelection>,
    workspace: &WorkspaceFolders,
) -> bool {
    let is_notebook = path.file_name().is_some_and(Notebook::is_notebook);
    let has_language = languages.is_none_or(|languages| {
        // Only its text says in which language a notebook is; an additional declaration does less harm than a missing one.
        is_notebook || language_of(path, Some(languages)).is_some()
    });
    let is_in = |selection: &FileSelection| {
        workspace.roots().iter().any(|root| path.starts_with(root) && selection.contains(path, root, workspace))
            || selection.contains(path, Utf8Path::new(""), workspace)
    };
    has_language && selection.is_none_or(is_in)
}
