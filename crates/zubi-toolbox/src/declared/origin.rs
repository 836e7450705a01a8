//! Where a declared tool comes from, and whether that is still as it was trusted.
//!
//! Files are followed, but events take their time. So each call looks at the file once more: a tool runs as long as its file
//! has the content that the user has trusted, and not a moment longer.

use std::sync::Weak;

use camino::Utf8PathBuf;
use zubi_base::text::ContentHash;
use zubi_base::trust::Trust;

use super::load::{self, LoadedFile, TrustState};
use super::provider::DeclaredProvider;

/// How many characters of a file's name are repeated: whoever named it has not been trusted.
const MAX_SHOWN: usize = 80;

/// What the user can do about a file that is left out.
pub(super) const NEXT: &str = "`zubi trust --diff` shows the user what it would run, `zubi trust` lets it in.";

/// The file of a tool, with the content from which it was read.
pub(super) struct Origin {
    pub(super) folder: Utf8PathBuf,
    pub(super) path: Utf8PathBuf,
    pub(super) shown: String,
    pub(super) hash: ContentHash,
    pub(super) trust: Trust,
    pub(super) provider: Weak<DeclaredProvider>,
}

impl Origin {
    /// Why the tool may not run any more, and what to do. The provider has looked again when this says so.
    pub(super) fn check_still_trusted(&self) -> Option<(String, &'static str)> {
        let found = load::read_bytes(&self.path).map(|bytes| ContentHash::from_bytes(&bytes));
        let is_trusted = |hash: &ContentHash| self.trust.file(&self.folder, &self.path, hash);
        let (why, next) = match found {
            Ok(hash) if hash == self.hash && is_trusted(&hash) => return None,
            Ok(hash) if is_trusted(&hash) => ("has changed and was read again", "Call it again if it is still there."),
            Ok(_) if self.trust.known(&self.folder, &self.path).is_none() => ("is not trusted any more", NEXT),
            Ok(_) => ("has changed since it was trusted", NEXT),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => ("is gone", "Use another tool."),
            Err(_) => ("cannot be read any more", "The user can look with `zubi tools check`."),
        };
        if let Some(provider) = self.provider.upgrade() {
            provider.reload();
        }
        Some((format!("`{}`, which declares it, {why}", name(&self.shown)), next))
    }
}

/// A file's name, short enough to be repeated.
pub(super) fn name(shown: &str) -> String {
    shown.chars().take(MAX_SHOWN).collect()
}

/// Why there is no tool of this name although a file has it, as a clause. Of a file that nobody trusts not a word is repeated
/// but its name: the caller has said the other one.
pub(super) fn explain_untrusted(file: &LoadedFile) -> String {
    let name = name(&file.shown);
    match (file.standing.reason(), &file.standing) {
        (None, _) => format!("`{name}` declares it with errors; the user can look with `zubi tools check`"),
        (Some(why), TrustState::Changed { .. }) => format!(
            "`{name}` declares it and {why}; the user can see what has changed with `zubi trust --diff` and let it in with `zubi trust`"
        ),
        (Some(why), TrustState::Withheld) => {
            format!("`{name}` declares it and {why}; the user can trust the folder in the editor")
        }
        (Some(why), _) => format!(
            "`{name}` declares it and {why}; the user can look at it with `zubi trust --diff` and let it in with `zubi trust`"
        ),
    }
}
