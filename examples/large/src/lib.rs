//! A DomainLang model of any size, always the same for the same size.
//!
//! [`files`] makes the texts, [`write()`] puts them into a folder. The model is that of a harbour: a vocabulary that
//! everybody imports, one file for each area of its business, and an entry that imports them all and draws the maps. An
//! area has its domain and its bounded contexts with every block there is; its contexts are related to each other and to
//! those of the area before, whose file it imports under an alias.
//!
//! Everything is taken from tables in turn, by the number of the area and the context; nothing is left to chance. Areas
//! are written in two styles by turns: with the long words of the language, inside a namespace; and with the short words
//! at the top of the file, with maps of their own. So all of the language is there (from 4 areas with 6 contexts each
//! on), nothing is wrong with the model, no rule has anything to remark, and it is laid out as the formatter would do
//! it. The tests of this package hold that.

mod area;
mod disk;
mod entry;
mod style;
mod text;
mod words;

pub use disk::{Refusal, write};

/// How large a model is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    /// Files, each with a domain.
    pub areas: usize,
    /// Bounded contexts in each of them.
    pub contexts: usize,
}

impl Size {
    /// The size that is measured: 2,000 contexts in 202 files of about 48,000 lines.
    pub const MEASURED: Self = Self { areas: 200, contexts: 10 };

    /// The most areas and contexts that the program takes: more than any file system or patience has room for.
    pub const MOST: Self = Self { areas: 100_000, contexts: 1_000 };
}

/// A file of the model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GeneratedFile {
    /// Below the model's folder, with `/`.
    pub path: String,
    pub text: String,
}

/// What every file begins with after the sign of a comment; by it the program knows what it may replace.
const MARK: &str = "Written by `large-example`; whatever is changed here is lost when it is written again.";

/// The files of the model: `model.yaml`, the entry `index.dlang`, `shared/vocabulary.dlang`, then the areas.
pub fn files(size: Size) -> impl Iterator<Item = GeneratedFile> {
    let first = [entry::manifest(), entry::entry(size), entry::vocabulary()];
    first.into_iter().chain((0..size.areas).map(move |number| area::file(number, size.contexts)))
}

/// The path of an area's file below the model's folder.
pub fn area_path(number: usize) -> String {
    format!("areas/{}.dlang", words::area(number).to_lowercase())
}

/// The fully qualified name of an area's bounded context, both counted from 0.
pub fn context_fqn(area: usize, context: usize) -> String {
    area::fqn(area, &words::context(area, context))
}
