//! Source file of a declared tool, and the check that it still has the trusted content.
//!
//! File events may arrive late, so each call reads the file again: a tool runs only while its file has exactly the
//! content that the user trusted.

use std::sync::Weak;

use camino::Utf8PathBuf;
use zubi_base::text::ContentHash;
use zubi_base::trust::Trust;

use super::load;
use super::loaded::{LoadedFile, TrustState};
use super::provider::DeclaredProvider;

/// Maximum length of a file name in messages, in characters: its author is not trusted yet.
const MAX_NAME_CHARS: usize = 80;

/// Hint for files that are left out.
pub(super) const TRUST_HINT: &str = "`zubi trust --diff` shows the user what it would run; `zubi trust` accepts it.";

/// Source file of a tool, with the content hash at load time.
pub(super) struct ToolSource {
    pub(super) folder: Utf8PathBuf,
    pub(super) path: Utf8PathBuf,
    pub(super) display_path: String,
    pub(super) hash: ContentHash,
    pub(super) trust: Trust,
    pub(super) provider: Weak<DeclaredProvider>,
}

impl ToolSource {
    /// Checks that the file still has the trusted content; if not, reloads, and returns the reason and a hint.
    pub(super) fn check_still_trusted(&self) -> Option<(String, &'static str)> {
        let found = load::read_bytes(&self.path).map(|bytes| ContentHash::from_bytes(&bytes));
        let is_trusted = |hash: &ContentHash| self.trust.file(&self.folder, &self.path, hash);
        let (reason, hint) = match found {
            Ok(hash) if hash == self.hash && is_trusted(&hash) => return None,
            Ok(hash) if is_trusted(&hash) => ("has changed and was reloaded", "Call it again if it still exists."),
            Ok(_) if self.trust.trusted_hash(&self.folder, &self.path).is_none() => {
                ("is not trusted any more", TRUST_HINT)
            }
            Ok(_) => ("has changed since it was trusted", TRUST_HINT),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => ("was deleted", "Use another tool."),
            Err(_) => ("cannot be read any more", "The user can run `zubi tools check`."),
        };
        if let Some(provider) = self.provider.upgrade() {
            provider.reload();
        }
        Some((format!("`{}`, which declares it, {reason}", short_name(&self.display_path)), hint))
    }
}

/// Returns a file's display path, truncated for messages.
pub(super) fn short_name(display_path: &str) -> String {
    display_path.chars().take(MAX_NAME_CHARS).collect()
}

/// Explains, as a clause, why a tool of this name is not available although a file declares it. Repeats nothing of an
/// untrusted file except its name.
pub(super) fn explain_untrusted(file: &LoadedFile) -> String {
    let name = short_name(&file.display_path);
    match (file.trust.reason(), &file.trust) {
        (None, _) => format!("`{name}` declares it with errors; the user can run `zubi tools check`"),
        (Some(reason), TrustState::Changed { .. }) => format!(
            "`{name}` declares it and {reason}; the user can review the changes with `zubi trust --diff` and accept them with `zubi trust`"
        ),
        (Some(reason), TrustState::Withheld) => {
            format!("`{name}` declares it and {reason}; the user can trust the folder in the editor")
        }
        (Some(reason), _) => format!(
            "`{name}` declares it and {reason}; the user can review it with `zubi trust --diff` and accept it with `zubi trust`"
        ),
    }
}
