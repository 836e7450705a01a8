//! Quick fixes as data: the edit itself. DomainLang's original tools name commands that are never registered.

use camino::Utf8PathBuf;
use text_size::TextRange;

/// A quick fix.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fix {
    /// The title, as a menu shows it.
    pub title: String,
    /// Whether clients should apply this fix if the user does not choose one.
    pub preferred: bool,
    pub action: FixAction,
}

/// The effect of a fix.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FixAction {
    /// Replaces bytes of the manifest at `path`; `range` refers to the diagnosed text.
    Edit { path: Utf8PathBuf, range: TextRange, text: String },
    /// Creates a manifest.
    Create { path: Utf8PathBuf, text: String },
    /// Needs a command that the user runs in `folder`.
    Run { folder: Utf8PathBuf, command: &'static str },
}
