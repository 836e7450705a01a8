//! Glob patterns for file names.

use camino::Utf8Path;
use globset::{GlobBuilder, GlobMatcher};
use zubi_tools::ToolError;

/// Longest pattern in bytes.
const MAX_LENGTH: usize = 1_000;

/// A pattern for paths below a directory. Without a slash it matches names at any depth, as in `.gitignore` and
/// editors; `*` stops at a slash, `**` does not.
#[derive(Debug, Clone)]
pub(crate) struct Pattern(GlobMatcher);

impl Pattern {
    /// Parses the argument `pattern`.
    pub(crate) fn new(given: &str) -> Result<Self, ToolError> {
        let hint = "Patterns are like `*.rs`, `src/**/*.ts` or `*.{md,txt}`.";
        if given.is_empty() || given.len() > MAX_LENGTH || given.chars().any(char::is_control) {
            return Err(ToolError::invalid("pattern", "it is empty, too long or contains control characters", hint));
        }
        let below = given.strip_prefix("./").unwrap_or(given);
        let whole = if below.contains('/') { below.to_owned() } else { format!("**/{below}") };
        let glob = GlobBuilder::new(whole.trim_start_matches('/')).literal_separator(true).build();
        glob.map(|glob| Self(glob.compile_matcher())).map_err(|error| ToolError::invalid("pattern", error, hint))
    }

    /// Returns whether a path, relative to the directory, matches.
    pub(crate) fn matches(&self, relative: &Utf8Path) -> bool {
        self.0.is_match(relative)
    }
}
