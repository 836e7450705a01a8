//! The filter language of `--tools`, `--toolsets`, `tools = […]` and `allow = […]`.
//!
//! A filter is a list of patterns over dotted ids, compared segment by segment. `a` matches `a` and everything below
//! (`a.b`); `a.*` matches everything below `a` but not `a` itself; `*` inside a segment matches any characters of that
//! segment; a leading `!` excludes. An empty filter matches everything, and a filter of exclusions only matches
//! everything that it does not exclude. An exclusion takes precedence over every inclusion.

use std::fmt;

use crate::spec::{self, ToolSpec};

/// A search for tools by toolset, category and tag, case-insensitive. An absent facet matches every tool.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ToolQuery<'a> {
    pub toolset: Option<&'a str>,
    pub category: Option<&'a str>,
    pub tag: Option<&'a str>,
}

/// The error for a toolset, category or tag that no tool has. It lists the valid values, because the name is probably
/// misspelled and an empty result would hide that.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownFacet {
    /// `toolset`, `category` or `tag`.
    pub name: &'static str,
    pub value: String,
    /// The values that tools have, sorted.
    pub available: Vec<String>,
}

impl fmt::Display for UnknownFacet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no tool has the {} `{}`", self.name, self.value)
    }
}

impl UnknownFacet {
    /// Returns the next step: the valid values.
    pub fn hint(&self) -> String {
        format!("There are: {}.", self.available.join(", "))
    }
}

impl<'a> ToolQuery<'a> {
    /// Retains the tools that have all of these facets.
    pub fn retain<T>(&self, tools: &mut Vec<T>, spec: impl Fn(&T) -> &ToolSpec) -> Result<(), UnknownFacet> {
        type FacetValues = fn(&ToolSpec) -> Vec<&str>;
        let facets: [(&'static str, Option<&'a str>, FacetValues); 3] = [
            ("toolset", self.toolset, |spec| vec![&spec.toolset]),
            ("category", self.category, |spec| vec![&spec.category]),
            ("tag", self.tag, |spec| spec.tags.iter().map(String::as_str).collect()),
        ];
        // Check against all tools: after another facet has narrowed the list, a valid value would look unknown.
        for (name, requested, values_of) in facets {
            let Some(requested) = requested else { continue };
            let mut available: Vec<String> =
                tools.iter().flat_map(|tool| values_of(spec(tool))).map(str::to_owned).collect();
            if !available.iter().any(|value| value.eq_ignore_ascii_case(requested)) {
                available.sort();
                available.dedup();
                return Err(UnknownFacet { name, value: requested.to_owned(), available });
            }
        }
        tools.retain(|tool| {
            facets.iter().all(|(_, requested, values_of)| {
                requested.is_none_or(|requested| {
                    values_of(spec(tool)).iter().any(|value| value.eq_ignore_ascii_case(requested))
                })
            })
        });
        Ok(())
    }
}

/// Splits a pattern into whether it excludes, and the text to match, which is empty for a blank pattern.
pub fn read(pattern: &str) -> (bool, &str) {
    let pattern = pattern.trim();
    pattern.strip_prefix('!').map_or((false, pattern), |excluded| (true, excluded.trim()))
}

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
    /// Parses patterns. Ignores blank ones.
    pub fn new<'a>(patterns: impl IntoIterator<Item = &'a str>) -> Self {
        let mut filter = Self::default();
        for (excludes, text) in patterns.into_iter().map(read) {
            match excludes {
                _ if text.is_empty() => {}
                true => filter.exclude.push(Pattern::new(text)),
                false => filter.include.push(Pattern::new(text)),
            }
        }
        filter
    }

    /// Returns whether the filter has no pattern.
    pub fn is_empty(&self) -> bool {
        self.include.is_empty() && self.exclude.is_empty()
    }

    /// Returns whether an id passes the filter.
    pub fn permits(&self, id: &str) -> bool {
        (self.include.is_empty() || self.includes(id)) && !self.excludes(id)
    }

    /// Returns whether a pattern matches the id and none excludes it. An empty filter matches nothing here.
    pub fn includes(&self, id: &str) -> bool {
        self.include.iter().any(|pattern| pattern.matches(id)) && !self.excludes(id)
    }

    /// Returns whether a pattern excludes the id.
    pub fn excludes(&self, id: &str) -> bool {
        self.exclude.iter().any(|pattern| pattern.matches(id))
    }

    /// Returns whether the patterns contain the id itself, not only a pattern that matches it, and do not exclude it.
    pub fn names(&self, id: &str) -> bool {
        let is_name = |pattern: &Pattern| spec::present_id(&pattern.text) == id || pattern.is_wire_name(id);
        self.include.iter().any(is_name) && self.permits(id)
    }

    /// Returns the patterns that match none of these ids; they are probably misspelled.
    pub fn unmatched_patterns<'a>(&self, ids: impl IntoIterator<Item = &'a str>) -> Vec<&str> {
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
        self.matches_name(id)
            || self.is_wire_name(id)
            || spec::former_id(id).is_some_and(|former| self.matches_name(former))
    }

    /// Returns whether the pattern is the whole name of a tool as MCP clients see it: `file_read` for `file.read`.
    fn is_wire_name(&self, id: &str) -> bool {
        id.contains('.') && self.text == id.replace('.', "_")
    }

    fn matches_name(&self, id: &str) -> bool {
        let mut segments = id.split('.');
        self.segments.iter().all(|pattern| segments.next().is_some_and(|segment| segment_matches(pattern, segment)))
    }
}

/// Returns whether a segment matches. `*` matches any characters; every other character matches itself.
fn segment_matches(pattern: &str, segment: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|first| segment.strip_prefix(first)) else { return false };
    let mut parts: Vec<&str> = parts.collect();
    let Some(last) = parts.pop() else { return rest.is_empty() };
    for part in parts {
        // The leftmost match is sufficient: it leaves the most text for the following parts.
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
            (&["file_read"], "file.read", true),
            (&["!file_read"], "file.read", false),
            (&["file_*"], "file.read", false),
            (&["*_edit"], "file.edit", false),
            (&["a*b*c"], "aXbYc", true),
            (&["a*b*c"], "acb", false),
            (&["*"], "file.read", true),
            (&["!file.write"], "file.read", true),
            (&["!file.write"], "file.write", false),
            (&["file.*", "!file.write"], "file.write", false),
            (&["!file.*", "file.read"], "file.read", false),
            (&["  ", "!"], "x", true),
            (&["find_tools"], "zubi_find_tools", true),
            (&["!call_*"], "zubi_call_tool", false),
            (&["zubi_*"], "zubi_call_tool", true),
        ] {
            let filter = ToolFilter::new(patterns.iter().copied());
            assert_eq!(filter.permits(id), expected, "{patterns:?} {id}");
            let has_include = patterns.iter().any(|pattern| !pattern.trim().is_empty() && !pattern.starts_with('!'));
            assert_eq!(filter.includes(id), expected && has_include, "{patterns:?} {id}");
        }
    }

    #[test]
    fn facets_combine_and_unknown_ones_are_reported() {
        let tool = |id: &str, category: &str, tags: &[&str]| ToolSpec {
            category: category.to_owned(),
            tags: tags.iter().map(|tag| (*tag).to_owned()).collect(),
            ..crate::testing::spec(id, crate::spec::Effect::Read)
        };
        let tools = [tool("a.x", "Code", &["find", "jump"]), tool("b.y", "Files", &["find"])];
        let check = |toolset, category, tag| {
            let mut matching: Vec<&ToolSpec> = tools.iter().collect();
            match (ToolQuery { toolset, category, tag }).retain(&mut matching, |tool| tool) {
                Ok(()) => matching.iter().map(|spec| spec.id.as_str()).collect::<Vec<_>>().join(" "),
                Err(error) => format!("{error}. {}", error.hint()),
            }
        };
        assert_eq!(check(None, None, None), "a.x b.y");
        assert_eq!(check(None, Some("code"), None), "a.x");
        assert_eq!(check(Some("B"), None, Some("FIND")), "b.y");
        assert_eq!(check(None, Some("Files"), Some("jump")), "", "both exist, no tool has both");
        assert_eq!(check(None, Some("Coding"), None), "no tool has the category `Coding`. There are: Code, Files.");
        assert_eq!(check(None, None, Some("x")), "no tool has the tag `x`. There are: find, jump.");
    }

    #[test]
    fn misspelt_patterns_are_reported() {
        let filter = ToolFilter::new(["lsp_*", "lps_hover", "!undo"]);
        assert_eq!(filter.unmatched_patterns(["lsp_hover", "undo_edit"]), ["lps_hover", "undo"]);
    }
}
