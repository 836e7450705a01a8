//! The focus of a map: the files and names that its words mean.

use camino::Utf8PathBuf;
use zubi_base::nearest::nearest;
use zubi_base::text::quote_all;

use super::{describe_gaps, no_answer};
use crate::error::CodeError;
use crate::features::folder_outline::{FileSelection, is_pattern};
use crate::file_graph::GraphFocus;
use crate::locate::declared_segments;
use crate::query::CodeQuery;
use crate::symbol_index::{DeclaredNames, IndexState, SymbolIndex};

/// The maximum number of declarations of one name in the focus.
const MAX_HITS: usize = 200;

/// The maximum number of names that an error suggests.
const MAX_SUGGESTIONS: usize = 3;

impl CodeQuery<'_> {
    /// Returns the files and names of a focus. Each word is a path, a pattern for paths, or the name of a symbol.
    pub(super) async fn focus(
        &self,
        index: &dyn SymbolIndex,
        names: &DeclaredNames,
        words: &[String],
        state: &IndexState,
    ) -> Result<GraphFocus, CodeError> {
        let mut focus = GraphFocus::default();
        for word in words.iter().map(|word| word.trim()) {
            let before = focus.files.len();
            let selection = self.selected_by(word)?;
            let is_path = selection.is_some();
            if let Some(selection) = selection {
                focus.files.extend(self.files_of(names, &selection));
            } else {
                let found = index.declarations(word, MAX_HITS).await;
                for hit in found.map_err(|error| no_answer(&error.to_string()))?.hits {
                    focus.files.extend(index_of(names, &hit.path));
                    let name = declared_segments(&hit.name).pop().unwrap_or_default();
                    let position = names.names.binary_search_by(|uses| uses.name.as_str().cmp(&name));
                    focus.names.extend(position.ok().and_then(|position| u32::try_from(position).ok()));
                }
            }
            if focus.files.len() == before {
                return Err(unknown_focus(names, word, is_path, state));
            }
        }
        focus.files.sort_unstable();
        focus.files.dedup();
        focus.names.sort_unstable();
        focus.names.dedup();
        Ok(focus)
    }

    /// Returns the files that a path or a pattern selects; `None` if the word is neither.
    fn selected_by(&self, word: &str) -> Result<Option<FileSelection>, CodeError> {
        match self.workspace().resolve(word) {
            Ok(path) => Ok(Some(FileSelection::Folder(path))),
            Err(_) if is_pattern(word) => match self.select_files(word) {
                Err(CodeError::Input { message, hint, .. }) => Err(CodeError::Input { field: "focus", message, hint }),
                selection => selection.map(Some),
            },
            Err(_) => Ok(None),
        }
    }

    fn files_of(&self, names: &DeclaredNames, selection: &FileSelection) -> Vec<u32> {
        let roots = self.workspace().roots();
        let is_selected = |path: &Utf8PathBuf| {
            roots.iter().any(|root| path.starts_with(root) && selection.contains(path, root, self.workspace()))
        };
        let files = names.files.iter().zip(0_u32..);
        files.filter(|(path, _)| is_selected(path)).map(|(_, index)| index).collect()
    }
}

fn index_of(names: &DeclaredNames, path: &Utf8PathBuf) -> Option<u32> {
    let position = names.files.binary_search_by(|known| known.as_str().cmp(path.as_str()));
    position.ok().and_then(|position| u32::try_from(position).ok())
}

fn unknown_focus(names: &DeclaredNames, word: &str, is_path: bool, state: &IndexState) -> CodeError {
    let mut message = if is_path {
        format!("the index has no declarations of files that `{word}` selects")
    } else {
        format!("`{word}` is neither a path nor the name of a declaration in the index")
    };
    if let Some(reason) = describe_gaps(state) {
        message = format!("{message} ({reason})");
    }
    let known = names.names.iter().map(|uses| uses.name.as_str());
    let suggestions = if is_path { Vec::new() } else { nearest(word, known, MAX_SUGGESTIONS) };
    let similar =
        if suggestions.is_empty() { String::new() } else { format!("Similar names: {}. ", quote_all(suggestions)) };
    let hint = format!(
        "{similar}Give a file or folder with code, a pattern such as `src/**/*.rs`, or a name that `lsp_workspace_symbols` finds."
    );
    CodeError::input("focus", message, hint)
}
