//! `model.yaml`: what it says, what is wrong with it, and how to put that right.
//!
//! [`read`] gives data *and* all diagnostics. A mistake costs what it touches: a dependency without a ref cannot be
//! imported, and every other one can. So that an import can say why, what is unusable keeps its [`Fault`].
//!
//! Diagnostics stand at the key they speak of. Wording and codes are those of the existing program where it has any; its
//! YAML errors keep their prefix. Beyond it: keys that are there twice, values of the wrong kind, keys that mean nothing,
//! paths that lead out of the folder (it rejected the whole file without a word), and what was not read.

mod fixes;
mod reader;
mod rules;

use text_size::TextRange;

pub use fixes::{MAX_FIXED_BYTES, add_dependency, create, fixes};
pub(crate) use rules::is_owner_and_repo;

use crate::diagnostic::{Code, Diagnostic};
use crate::files::ReadError;

/// The largest manifest that is read, in bytes.
pub const MAX_BYTES: usize = 1024 * 1024;

/// The entry of a folder whose manifest names none.
pub const DEFAULT_ENTRY: &str = "index.dlang";

/// What a manifest is read for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Purpose {
    /// To work on the model.
    #[default]
    Use,
    /// To hand it to others: then it needs a name and a version.
    Publish,
}

/// What `model.yaml` says. Everything keeps the order of the text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Manifest {
    pub name: Option<String>,
    pub version: Option<String>,
    /// Relative to the folder and inside it, as written; nothing when none is named.
    pub entry: Option<Result<String, Fault>>,
    /// The key that names the entry, if there is one.
    pub entry_range: Option<TextRange>,
    pub aliases: Vec<Alias>,
    pub dependencies: Vec<Dependency>,
    pub overrides: Vec<Override>,
    pub governance: Governance,
    /// Whether the text was read to its end. If not, what is missing here may stand behind the error.
    pub complete: bool,
}

/// A row of `paths`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Alias {
    /// With its `@`, unless that is missing; then no import can name it.
    pub key: String,
    pub key_range: TextRange,
    /// Relative to the folder and inside it, as written.
    pub target: Result<String, Fault>,
}

/// A row of `dependencies`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dependency {
    pub key: String,
    pub key_range: TextRange,
    pub source: Result<Source, Fault>,
    pub integrity: Option<String>,
    pub description: Option<String>,
}

/// Where a dependency comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// A repository.
    Git {
        /// `owner/repo`; the key unless it is named.
        repository: String,
        /// Tag, branch or commit.
        reference: String,
        /// The key that says the ref.
        reference_range: TextRange,
    },
    /// A folder, relative to the manifest's and inside it, as written.
    Path(String),
}

/// A row of `overrides`: the ref of a repository, whoever asks for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Override {
    pub repository: String,
    pub reference: String,
}

/// What an organisation demands of dependencies. Read, and not applied, as in the existing program.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Governance {
    pub allowed_sources: Vec<String>,
    pub blocked_packages: Vec<String>,
    pub require_stable_versions: bool,
    pub require_team_ownership: bool,
    pub allowed_licenses: Vec<String>,
}

/// Why something cannot be used; there is a [`Diagnostic`] with the same code and message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    pub code: Code,
    pub message: String,
}

/// A manifest and what is wrong with it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ParsedManifest {
    pub manifest: Manifest,
    /// In the order of the text.
    pub diagnostics: Vec<Diagnostic>,
}

impl Manifest {
    /// The folder's entry, relative to it: what `model.entry` says, else [`DEFAULT_ENTRY`]. An error when that leads out
    /// of the folder.
    pub fn entry(&self) -> Result<&str, &Fault> {
        self.entry.as_ref().map_or(Ok(DEFAULT_ENTRY), |entry| entry.as_ref().map(String::as_str))
    }

    /// The ref that counts for a repository: the override's, if there is one.
    pub fn reference<'m>(&'m self, repository: &str, asked: &'m str) -> &'m str {
        let overrides = self.overrides.iter().find(|row| row.repository == repository);
        overrides.map_or(asked, |row| &row.reference)
    }
}

/// Reads the text of a manifest.
pub fn read(text: &str, purpose: Purpose) -> ParsedManifest {
    if text.len() > MAX_BYTES {
        return unreadable(&ReadError::TooLarge { max: MAX_BYTES });
    }
    reader::read(text, purpose)
}

/// What stands for a manifest that is there and cannot be read.
pub fn unreadable(why: &ReadError) -> ParsedManifest {
    let text = format!("model.yaml cannot be read: {why}.");
    let diagnostic = Diagnostic::new(Code::Unreadable, TextRange::default(), &text, "It counts as empty until it can.");
    ParsedManifest { manifest: Manifest::default(), diagnostics: vec![diagnostic] }
}

#[cfg(test)]
mod tests;
