//! The declarations, matches and words of a source text by its syntax alone: text in, values out.
//!
//! Grammars of [tree-sitter](https://tree-sitter.github.io) parse the text, and one table of node kinds for each language
//! selects the declarations. Names are not resolved. The crate reads no files and no clock, starts no threads and has no
//! state. All positions are byte offsets in the UTF-8 text.
//!
//! Limits of an outline: [`MAX_TEXT_BYTES`], [`MAX_DECLARATIONS`] and [`MAX_DEPTH`]. The caller can stop a parse that takes
//! too long, because grammars are ambiguous and a short text can take seconds.

mod declaration;
mod embedded;
mod extract;
mod grammars;
mod language;
mod languages;
mod layout;
mod notebook;
mod outline;
mod pattern;
mod rewrite;
mod rules;
mod visibility_macros;
mod words;

pub use declaration::{Declaration, DeclarationKind};
pub use language::{LANGUAGES, SyntaxLanguage};
pub use layout::{SyntaxLayout, TextExtent, layout_of_file};
pub use notebook::{CellPosition, Notebook};
pub use outline::{
    MAX_DECLARATIONS, MAX_DEPTH, MAX_TEXT_BYTES, OUTLINE_VERSION, OutlineError, SyntaxOutline, outline,
    outline_of_cells, outline_of_file,
};
pub use pattern::{
    MAX_MATCHES, MAX_PATTERN_BYTES, MatchError, PatternCapture, PatternError, PatternMatch, PatternMatches,
    PatternVariable, SyntaxPattern, remove_nested,
};
pub use rewrite::{RewriteTemplate, TemplateError};
pub use words::{WordOccurrence, words};
