//! What could be written at a place.
//!
//! The place is found by writing a name there ([`place`]): the tree of *that* text says whether it is a reference, of what
//! kind and in which namespace, and what stands before it. From what stands before it a table ([`follow`]) says what the
//! grammar allows next. So everything that is offered fits into the text as it is, however broken it is; a reference is
//! offered only if it means something once it is inserted.
//!
//! Nothing is offered in comments and strings, except in the string of an import ([`import`]).

mod expected;
mod import;
mod names;
mod place;
mod snippets;
mod words;

use dlang_model::{Db, Definition, ElementKind, File, parse};
use dlang_syntax::TextSize;

pub use self::import::{ImportAlias, ImportCandidates, ImportDependency, import_prefix};
use self::place::CompletionContext;
use crate::edit::TextEdit;

/// How many references, and how many import specifiers, are offered at once.
const MAX_OFFERS: usize = 500;

/// What could be written at a place.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Completions {
    /// The offers; [`Completion::sort`] is their order.
    pub items: Vec<Completion>,
    /// Whether there are more than are listed: ask again when more is written.
    pub is_incomplete: bool,
}

/// Something that could be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Completion {
    /// What is shown.
    pub label: String,
    /// What it is.
    pub kind: CompletionKind,
    /// More about it, on one line.
    pub detail: Option<String>,
    /// Markdown about it. For an element ask [`element_markdown`](crate::element_markdown) when it is looked at.
    pub documentation: Option<String>,
    /// The element, if it is one.
    pub definition: Option<Definition>,
    /// What is compared with what was typed in the range of the edit.
    pub filter: String,
    /// The change that writes it. Its range is on the line of the place and touches it.
    pub edit: TextEdit,
    /// Whether the inserted text is a snippet with placeholders (`${1:Name}`) as LSP defines them. Its further lines are
    /// indented as if the first was not indented at all.
    pub is_snippet: bool,
    /// Texts to order by.
    pub sort: String,
}

/// What an offer is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CompletionKind {
    /// A reference to an element.
    Element(ElementKind),
    /// The next part of a dotted reference, which goes on behind it.
    Qualifier,
    /// A reserved word.
    Keyword,
    /// An integration pattern in brackets.
    Pattern,
    /// An arrow between two bounded contexts.
    Arrow,
    /// A piece of text with placeholders.
    Snippet,
    /// A file to import.
    ImportFile,
    /// A folder on the way to such a file.
    ImportFolder,
    /// A path alias of the manifest.
    ImportAlias,
    /// A dependency of the manifest.
    ImportDependency,
}

/// What could be written at an offset of a file. `imports` is what import strings can lead to; [`import_prefix`] says
/// whether it is needed.
pub fn completions(db: &dyn Db, file: File, offset: TextSize, imports: &ImportCandidates) -> Completions {
    let parse = parse(db, file);
    if let Some(string) = import::string_at(parse, offset) {
        return import::specifiers(&string, offset, imports);
    }
    let Some(place) = CompletionContext::find(parse, file.text(db), offset) else { return Completions::default() };
    let expected = expected::expected_at(&place);
    let mut completions = Completions::default();
    if expected.names {
        names::names(db, file, &place, &mut completions);
    }
    completions.items.extend(words::words(&place, &expected));
    completions.items.extend(snippets::snippets(&place, &expected));
    completions
}

#[cfg(test)]
mod tests;
