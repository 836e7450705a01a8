//! The declarations and words of a source text by its syntax alone: text in, values out.
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
mod name_path;
mod outline;
mod rules;
mod words;

pub use declaration::{Declaration, DeclarationKind};
pub use language::{LANGUAGES, SyntaxLanguage};
pub use name_path::{NamePathPattern, declared_segments};
pub use outline::{
    MAX_DECLARATIONS, MAX_DEPTH, MAX_TEXT_BYTES, OUTLINE_VERSION, OutlineError, QualifiedDeclaration, SyntaxOutline,
    declarations_named, outline, outline_of_file,
};
pub use words::{WordOccurrence, has_word, words};
