//! Completion proposals at an offset.
//!
//! The context of an offset comes from a trial parse with a name inserted there ([`context`]): the tree shows whether
//! the name is a reference, of which kind and in which namespace, and which token precedes it. A table ([`expected`])
//! maps that token to what the grammar allows next. So every proposal fits the text as it is, however broken; a
//! reference is proposed only if it resolves after insertion.
//!
//! There are no proposals in comments and strings, except in the string of an import ([`import`]).

mod context;
mod expected;
mod import;
mod names;
mod snippets;
mod words;

use dlang_model::{Db, Definition, ElementKind, File, parse};
use dlang_syntax::TextSize;

use self::context::CompletionContext;
pub use self::import::{ImportAlias, ImportCandidates, ImportDependency, import_prefix};
use dlang_model::edit::TextEdit;

/// The maximum number of references, and of import specifiers, in one result.
const MAX_PROPOSALS: usize = 500;

/// The completion proposals at an offset.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Completions {
    /// The proposals; [`Completion::sort`] is their sort key.
    pub items: Vec<Completion>,
    /// Whether there are more proposals than are listed; the editor requests them again when the user types more.
    pub is_incomplete: bool,
}

/// A completion proposal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Completion {
    /// The text to show.
    pub label: String,
    /// The kind of the proposal.
    pub kind: CompletionKind,
    /// Further details, on one line.
    pub detail: Option<String>,
    /// Markdown documentation. For an element, call [`element_markdown`](crate::element_markdown) when the user selects
    /// it.
    pub documentation: Option<String>,
    /// The proposed element, if the proposal is one.
    pub definition: Option<Definition>,
    /// The text to compare with the typed text in the range of the edit.
    pub filter: String,
    /// The edit that inserts the proposal. Its range touches the offset and is on the same line.
    pub edit: TextEdit,
    /// Whether the inserted text is a snippet with LSP placeholders (`${1:Name}`). Its further lines are indented as if
    /// the first line had no indentation.
    pub is_snippet: bool,
    /// The sort key.
    pub sort: String,
}

/// The kind of a proposal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CompletionKind {
    /// A reference to an element.
    Element(ElementKind),
    /// The next part of a dotted reference that has further parts.
    Qualifier,
    /// A reserved word.
    Keyword,
    /// An integration pattern in brackets.
    Pattern,
    /// An arrow between two bounded contexts.
    Arrow,
    /// A text with placeholders.
    Snippet,
    /// A file to import.
    ImportFile,
    /// A folder on the path to such a file.
    ImportFolder,
    /// A path alias of the manifest.
    ImportAlias,
    /// A dependency of the manifest.
    ImportDependency,
}

/// Returns the completion proposals at an offset of a file. `imports` holds the possible targets of import strings; it
/// matters only if [`import_prefix`] returns a text.
pub fn completions(db: &dyn Db, file: File, offset: TextSize, imports: &ImportCandidates) -> Completions {
    let parse = parse(db, file);
    if let Some(string) = import::string_at(parse, offset) {
        return import::specifiers(&string, offset, imports);
    }
    let Some(context) = CompletionContext::find(parse, file.text(db), offset) else { return Completions::default() };
    let expected = expected::expected_at(&context);
    let mut completions = Completions::default();
    if expected.names {
        names::names(db, file, &context, &mut completions);
    }
    completions.items.extend(words::words(&context, &expected));
    completions.items.extend(snippets::snippets(&context, &expected));
    completions
}

#[cfg(test)]
mod tests;
