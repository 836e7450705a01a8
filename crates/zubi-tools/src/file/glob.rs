//! Glob patterns for file names.

use camino::Utf8Path;
use globset::{GlobBuilder, GlobMatcher};
use zubi_tool_api::ToolError;

/// Longest pattern in bytes.
const MAX_LENGTH: usize = 1_000;

/// A pattern for paths below a directory. Without a slash it matches names at any depth, as in `.gitignore` and
/// editors; `*` stops at a slash, `**` does not.
#[derive(Debug, Clone)]
pub(crate) struct GlobPattern(GlobMatcher);

impl GlobPattern {
    /// Parses the argument `pattern`.
    pub(crate) fn new(text: &str) -> Result<Self, ToolError> {
        let hint = "Patterns are like `*.rs`, `src/**/*.ts` or `*.{md,txt}`.";
        if text.is_empty() || text.len() > MAX_LENGTH || text.chars().any(char::is_control) {
            return Err(ToolError::invalid("pattern", "it is empty, too long or contains control characters", hint));
        }
        let relative = text.strip_prefix("./").unwrap_or(text);
        let pattern = if relative.contains('/') { relative.to_owned() } else { format!("**/{relative}") };
        let glob = GlobBuilder::new(pattern.trim_start_matches('/')).literal_separator(true).build();
        glob.map(|glob| Self(glob.compile_matcher())).map_err(|error| ToolError::invalid("pattern", error, hint))
    }

    /// Returns whether a path, relative to the directory, matches.
    pub(crate) fn matches(&self, relative: &Utf8Path) -> bool {
        self.0.is_match(relative)
    }
}
