//! The filters of `--tools`, `--toolsets`, `tools = […]` and `allow = […]`: one small language everywhere.
//!
//! A filter is a list of patterns over dotted ids, compared segment by segment. `a` matches `a` and everything below
//! (`a.b`); `a.*` matches everything below `a` but not `a` itself; `*` inside a segment stands for any characters of
//! that segment; a leading `!` excludes. An empty filter lets everything through, and so does one of exclusions only,
//! but for what it excludes. An exclusion beats every inclusion.

/// A parsed filter.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ToolFilter {
    include: Vec<Pattern>,
    exclude: Vec<Pattern>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Pattern {
    text: String,
    segments: Vec<String>,
}

impl ToolFilter {
    /// Parses patterns; blank ones are passed over.
    pub fn new<'a>(patterns: impl IntoIterator<Item = &'a str>) -> Self {
        let mut filter = Self::default();
        for text in patterns.into_iter().map(str::trim) {
            match text.strip_prefix('!').map(str::trim) {
                Some(excluded) if !excluded.is_empty() => filter.exclude.push(Pattern::new(excluded)),
                None if !text.is_empty() => filter.include.push(Pattern::new(text)),
                _ => {}
            }
        }
        filter
    }

    /// Whether the filter says nothing at all.
    pub fn is_empty(&self) -> bool {
        self.include.is_empty() && self.exclude.is_empty()
    }

    /// Whether an id passes.
    pub fn permits(&self, id: &str) -> bool {
        (self.include.is_empty() || self.includes(id)) && !self.exclude.iter().any(|pattern| pattern.matches(id))
    }

    /// Whether a pattern names the id; unlike [`Self::permits`], an empty filter names nothing.
    pub fn includes(&self, id: &str) -> bool {
        self.include.iter().any(|pattern| pattern.matches(id))
    }

    /// Patterns that match none of these ids: misspellings, most likely.
    pub fn unmatched<'a>(&self, ids: impl IntoIterator<Item = &'a str>) -> Vec<&str> {
        let ids: Vec<&str> = ids.into_iter().collect();
        self.include
            .iter()
            .chain(&self.exclude)
            .filter(|pattern| !ids.iter().any(|id| pattern.matches(id)))
            .map(|pattern| pattern.text.as_str())
            .collect()
    }
}

impl Pattern {
    fn new(text: &str) -> Self {
        Self { text: text.to_owned(), segments: text.split('.').map(str::to_owned).collect() }
    }

    fn matches(&self, id: &str) -> bool {
        let mut segments = id.split('.');
        self.segments.iter().all(|pattern| segments.next().is_some_and(|segment| segment_matches(pattern, segment)))
    }
}

/// `*` stands for any characters; everything else for itself.
fn segment_matches(pattern: &str, segment: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|first| segment.strip_prefix(first)) else { return false };
    let mut parts: Vec<&str> = parts.collect();
    let Some(last) = parts.pop() else { return rest.is_empty() };
    for part in parts {
        // The leftmost place is as good as any: what follows may only lie further right.
        let Some((_, after)) = rest.split_once(part) else { return false };
        rest = after;
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table() {
        for (patterns, id, expected) in [
            (&[][..], "anything", true),
            (&["file"], "file", true),
            (&["file"], "file.read", true),
            (&["file"], "filesystem.read", false),
            (&["file.*"], "file.read", true),
            (&["file.*"], "file.read.all", true),
            (&["file.*"], "file", false),
            (&["*.read"], "file.read", true),
            (&["*.read"], "file.write", false),
            (&["lsp_*"], "lsp_hover", true),
            (&["lsp_*"], "apply_edit", false),
            (&["*_edit"], "undo_edit", true),
            (&["a*b*c"], "aXbYc", true),
            (&["a*b*c"], "acb", false),
            (&["*"], "file.read", true),
            (&["!file.write"], "file.read", true),
            (&["!file.write"], "file.write", false),
            (&["file.*", "!file.write"], "file.write", false),
            (&["!file.*", "file.read"], "file.read", false),
            (&["  ", "!"], "x", true),
        ] {
            assert_eq!(ToolFilter::new(patterns.iter().copied()).permits(id), expected, "{patterns:?} {id}");
        }
    }

    #[test]
    fn misspelt_patterns_are_told() {
        let filter = ToolFilter::new(["lsp_*", "lps_hover", "!undo"]);
        assert_eq!(filter.unmatched(["lsp_hover", "undo_edit"]), ["lps_hover", "undo"]);
    }
}
