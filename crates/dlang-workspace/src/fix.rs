//! Quick fixes as data. The existing program names commands that nobody registered; here a fix says itself what changes.

use camino::Utf8PathBuf;
use text_size::TextRange;

/// One way to put something right.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fix {
    /// What it does, as a menu shows it.
    pub title: String,
    /// Whether it is the one to choose when nobody is asked.
    pub preferred: bool,
    pub action: Action,
}

/// What a fix does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    /// Replaces bytes of the manifest at `path`, in the text the fix was made from.
    Edit { path: Utf8PathBuf, range: TextRange, text: String },
    /// Makes a manifest where there is none.
    Create { path: Utf8PathBuf, text: String },
    /// Needs a command that the user runs in `folder`.
    Run { folder: Utf8PathBuf, command: &'static str },
}
