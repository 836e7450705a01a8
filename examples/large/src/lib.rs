//! A DomainLang model of any size, always the same for the same size.
//!
//! [`files`] generates the texts, [`write()`] writes them into a folder. The model is that of a harbour: a vocabulary
//! that every file imports, one file for each area of its business, and an entry that imports them all and draws the
//! maps. An area has its domain and its bounded contexts with every kind of block; its contexts are related to each
//! other and to those of the previous area, whose file it imports under an alias.
//!
//! All content comes from tables in turn, by the number of the area and the context; nothing is random. Areas alternate
//! between two styles: the long words of the language inside a namespace, and the short words at the top of the file
//! with maps of their own. So the model uses the whole language (from 4 areas with 6 contexts each), has no
//! diagnostics, and is formatted. The tests of this package check that.

mod area;
mod disk;
mod entry;
mod style;
mod text;
mod words;

pub use disk::{Refusal, write};

/// The size of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    /// The number of files, each with a domain.
    pub areas: usize,
    /// The number of bounded contexts in each area.
    pub contexts: usize,
}

impl Size {
    /// The size that benchmarks use: 2,000 contexts in 202 files of about 48,000 lines.
    pub const MEASURED: Self = Self { areas: 200, contexts: 10 };

    /// The maximum number of areas and contexts: more than any file system can hold.
    pub const MOST: Self = Self { areas: 100_000, contexts: 1_000 };
}

/// A file of the model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GeneratedFile {
    /// The path below the model's folder, with `/`.
    pub path: String,
    pub text: String,
}

/// The comment at the beginning of every file; the program replaces only files that have it.
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
