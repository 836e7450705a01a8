//! `model.yaml`: its content, its diagnostics, and their fixes.
//!
//! [`read`] returns data *and* all diagnostics. A mistake affects only its own part: a dependency without a ref cannot
//! be imported, and every other one can. An unusable part stores its [`Fault`], so that an import can report the
//! reason.
//!
//! Diagnostics are at the key that they concern. Wording and codes are those of DomainLang's original tools if these
//! have any; YAML errors have their prefix. In addition: duplicate keys, values of the wrong kind, unknown keys, paths
//! that leave the folder (the original tools ignore the whole file silently), and text that was not read.

mod fixes;
mod reader;
mod rules;

use dlang_model::{ModelCode, ModelDiagnostic};
use text_size::TextRange;

pub use fixes::{MAX_FIXED_BYTES, add_dependency, create, fixes};
pub(crate) use rules::is_owner_and_repo;

use crate::files::ReadError;

/// The maximum size of a manifest, in bytes.
pub const MAX_BYTES: usize = 1024 * 1024;

/// The entry of a folder whose manifest does not name one.
pub const DEFAULT_ENTRY: &str = "index.dlang";

/// The purpose of reading a manifest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Purpose {
    /// To work on the model.
    #[default]
    Use,
    /// To publish it, which requires a name and a version.
    Publish,
}

/// The content of `model.yaml`, in the order of the text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Manifest {
    pub name: Option<String>,
    pub version: Option<String>,
    /// The entry, as written, relative to the folder and inside it; `None` if the manifest does not name one.
    pub entry: Option<Result<String, Fault>>,
    /// The key that names the entry, if there is one.
    pub entry_range: Option<TextRange>,
    pub aliases: Vec<Alias>,
    pub dependencies: Vec<Dependency>,
    pub overrides: Vec<Override>,
    pub governance: Governance,
    /// Whether the text was read to its end. If not, missing parts may be after the error.
    pub complete: bool,
}

/// A row of `paths`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Alias {
    /// The key with its `@`. If the `@` is missing, no import can name the alias.
    pub key: String,
    pub key_range: TextRange,
    /// The target, as written, relative to the folder and inside it.
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

/// The source of a dependency.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// A repository.
    Git {
        /// `owner/repo`; the key, unless `source` names it.
        repository: String,
        /// Tag, branch or commit.
        reference: String,
        /// The key that names the ref.
        reference_range: TextRange,
    },
    /// A folder, relative to the manifest's and inside it, as written.
    Path(String),
}

/// A row of `overrides`: the ref of a repository for every dependency on it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Override {
    pub repository: String,
    pub reference: String,
}

/// The requirements of an organisation on dependencies. Read and not applied, as in DomainLang's original tools.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Governance {
    pub allowed_sources: Vec<String>,
    pub blocked_packages: Vec<String>,
    pub require_stable_versions: bool,
    pub require_team_ownership: bool,
    pub allowed_licenses: Vec<String>,
}

/// Reason why a part of the manifest cannot be used; [`ParsedManifest::diagnostics`] lists it too.
pub type Fault = Box<ModelDiagnostic>;

/// A manifest and its diagnostics.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ParsedManifest {
    pub manifest: Manifest,
    /// Diagnostics in text order.
    pub diagnostics: Vec<ModelDiagnostic>,
}

impl Manifest {
    /// Returns the entry, relative to the folder: `model.entry`, else [`DEFAULT_ENTRY`]. Fails if it leads out of the
    /// folder.
    pub fn entry(&self) -> Result<&str, &Fault> {
        self.entry.as_ref().map_or(Ok(DEFAULT_ENTRY), |entry| entry.as_ref().map(String::as_str))
    }

    /// Returns the effective ref of a repository: the override's, if there is one.
    pub fn reference<'m>(&'m self, repository: &str, declared: &'m str) -> &'m str {
        let overrides = self.overrides.iter().find(|row| row.repository == repository);
        overrides.map_or(declared, |row| &row.reference)
    }
}

/// Reads the text of a manifest.
pub fn read(text: &str, purpose: Purpose) -> ParsedManifest {
    if text.len() > MAX_BYTES {
        return unreadable(&ReadError::TooLarge { max: MAX_BYTES });
    }
    reader::read(text, purpose)
}

/// Returns the result for a manifest that exists and cannot be read.
pub fn unreadable(why: &ReadError) -> ParsedManifest {
    let text = format!("model.yaml cannot be read: {why}.");
    let diagnostic = ModelDiagnostic::new(TextRange::default(), ModelCode::ManifestUnreadable, text)
        .hint("It counts as empty until it can.");
    ParsedManifest { manifest: Manifest::default(), diagnostics: vec![diagnostic] }
}

#[cfg(test)]
mod tests;
