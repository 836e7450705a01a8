//! Glob patterns as LSP 3.18 defines them (`Pattern`, `RelativePattern`, `DocumentFilter`).

use camino::{Utf8Path, Utf8PathBuf};
use globset::{Glob, GlobBuilder, GlobMatcher};
use serde_json::Value;
use zubi_base::lsp::Uri;

/// The maximum length of a pattern, in bytes. People do not write longer ones.
const MAX_PATTERN_BYTES: usize = 4096;

/// One compiled pattern.
#[derive(Debug, Clone)]
pub(crate) struct PathGlob {
    /// The directory in which a relative pattern starts; `None` for a pattern on the whole path.
    base: Option<Utf8PathBuf>,
    matcher: GlobMatcher,
    /// Whether the pattern ends in `/`, so that it matches directories only.
    directories_only: bool,
}

impl PathGlob {
    /// Compiles a `GlobPattern`: a string, or `{baseUri, pattern}`. As in VS Code, a string that is neither absolute
    /// nor begins with `**` starts in `root`. `None` if it cannot be compiled.
    pub(crate) fn from_lsp(pattern: &Value, root: &Utf8Path) -> Option<Self> {
        if let Some(text) = pattern.as_str() {
            let is_absolute = text.starts_with('/') || text.starts_with("**");
            let base = (!is_absolute).then(|| root.to_owned());
            return Self::compile(text, base);
        }
        let base = pattern.get("baseUri")?;
        let uri = base.as_str().or_else(|| base.get("uri")?.as_str())?;
        let base = zubi_base::uri::to_path(&Uri(uri.to_owned()))?;
        Self::compile(pattern.get("pattern")?.as_str()?, Some(base))
    }

    fn compile(pattern: &str, base: Option<Utf8PathBuf>) -> Option<Self> {
        let (pattern, directories_only) = match pattern.strip_suffix('/') {
            // `**/` is every directory.
            Some("**") => ("**", true),
            Some(directories) => (directories, true),
            None => (pattern, false),
        };
        Some(Self { base, matcher: compile(pattern)?, directories_only })
    }

    /// Returns the directory that all matching paths are in, as far as the pattern names it.
    pub(crate) fn directory(&self) -> Option<Utf8PathBuf> {
        let is_literal = |part: &&str| !part.contains(['*', '?', '[', '{']);
        let prefix = self.matcher.glob().glob().split('/').take_while(is_literal).collect::<Vec<_>>().join("/");
        match &self.base {
            Some(base) => Some(base.join(prefix)),
            None if prefix.is_empty() => None,
            None => Some(Utf8PathBuf::from(prefix)),
        }
    }

    /// Whether the pattern matches a file, or a directory.
    pub(crate) fn is_match_of(&self, path: &Utf8Path, is_directory: bool) -> bool {
        (is_directory || !self.directories_only) && self.is_match(path)
    }

    pub(crate) fn is_match(&self, path: &Utf8Path) -> bool {
        match &self.base {
            Some(base) => path.strip_prefix(base).is_ok_and(|relative| self.matcher.is_match(relative)),
            None => self.matcher.is_match(path),
        }
    }
}

fn compile(pattern: &str) -> Option<GlobMatcher> {
    if pattern.len() > MAX_PATTERN_BYTES {
        return None;
    }
    let compiled: Result<Glob, _> = GlobBuilder::new(pattern).literal_separator(true).empty_alternates(true).build();
    match compiled {
        Ok(glob) => Some(glob.compile_matcher()),
        Err(error) => {
            tracing::debug!(%pattern, %error, "a server registered an invalid pattern");
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn table() {
        let root = Utf8Path::new("/w");
        for (pattern, path, expected) in [
            (json!("**/*.rs"), "/w/src/a.rs", true),
            (json!("**/*.rs"), "/w/src/a.rsx", false),
            (json!("**/*.{ts,js}"), "/w/a.js", true),
            (json!("**/py{right,}config.json"), "/w/pyconfig.json", true),
            (json!("/w/*.toml"), "/w/Cargo.toml", true),
            (json!("/w/*.toml"), "/w/sub/Cargo.toml", false),
            (json!("*.toml"), "/w/Cargo.toml", true),
            (json!("*.toml"), "/w/sub/Cargo.toml", false),
            (json!({"baseUri": "file:///w/a%20b", "pattern": "**/*.py"}), "/w/a b/c/d.py", true),
            (json!({"baseUri": {"uri": "file:///w/x", "name": "x"}, "pattern": "*"}), "/w/x/d.py", true),
            (json!({"baseUri": "file:///w/x", "pattern": "*"}), "/w/y/d.py", false),
            (json!("**/[!a].c"), "/w/b.c", true),
            (json!("**"), "/w/sub", true),
            (json!("**/"), "/w/sub/deep", true),
            (json!("**/sub/"), "/w/sub", true),
            (json!("**/sub/"), "/w/sub/a.c", false),
        ] {
            let glob = PathGlob::from_lsp(&pattern, root).unwrap();
            assert_eq!(glob.is_match(Utf8Path::new(path)), expected, "{pattern} on {path}");
        }
    }

    #[test]
    fn a_pattern_of_directories_matches_no_file() {
        let root = Utf8Path::new("/w");
        for pattern in [json!("**/"), json!({"baseUri": "file:///w", "pattern": "**/"})] {
            let glob = PathGlob::from_lsp(&pattern, root).unwrap();
            assert!(glob.is_match_of(Utf8Path::new("/w/a"), true) && !glob.is_match_of(Utf8Path::new("/w/a"), false));
        }
    }

    #[test]
    fn the_directory_of_a_pattern() {
        let root = Utf8Path::new("/w");
        for (pattern, expected) in [
            (json!("**/*.ts"), None),
            (json!("/w/lib/**/*"), Some("/w/lib")),
            (json!("src/*.c"), Some("/w/src")),
            (json!({"baseUri": "file:///lib", "pattern": "**"}), Some("/lib/")),
        ] {
            let directory = PathGlob::from_lsp(&pattern, root).unwrap().directory();
            assert_eq!(directory.as_deref(), expected.map(Utf8Path::new), "{pattern}");
        }
    }

    #[test]
    fn invalid_patterns_are_refused() {
        for pattern in [
            json!("["),
            json!(null),
            json!({"pattern": "*"}),
            json!("x".repeat(5000)),
            json!({"baseUri": "x:y", "pattern": "*"}),
        ] {
            assert!(PathGlob::from_lsp(&pattern, Utf8Path::new("/w")).is_none());
        }
    }
}
