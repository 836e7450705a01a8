//! The tool filters in the settings: flags, variables and files that select tools and toolsets.
//!
//! A filter names toolsets by patterns, or by the words [`ALL`] and [`DEFAULT`]. The tools of a toolset that the user
//! names are in the list of the session; the tools of the others are there only if they are exposed directly.

use std::fmt;
use std::sync::Arc;

use zubi_base::config::{Effective, SettingSource, Settings};
use zubi_base::nearest::nearest;
use zubi_base::text::quote_all;
use zubi_tool_api::cx::Restrictions;
use zubi_tool_api::filter::{self, ToolFilter};
use zubi_tool_api::spec::{EDIT_TOOLSET, META_TOOLSET, ToolSpec};

/// The word for all toolsets, whose tools are all listed.
const ALL: &str = "all";

/// The word for the toolsets of a session without a filter.
const DEFAULT: &str = "default";

/// The words that a filter of toolsets may have instead of a name.
pub(crate) const TOOLSET_WORDS: [&str; 2] = [ALL, DEFAULT];

/// The toolsets of zubi's own tools.
const OWN_TOOLSETS: [&str; 11] = [
    "lsp",
    EDIT_TOOLSET,
    "refactor",
    "file",
    "domainlang",
    "editor",
    "settings",
    "shell",
    "output",
    "script",
    META_TOOLSET,
];

/// The toolsets of tools that are not zubi's own: those of a workspace, of clients and extensions, and of other MCP
/// servers. They may be empty now and get tools later, so a filter that names one is not a typing error.
pub(crate) const EXTRA_TOOLSETS: [&str; 3] = [zubi_declared::TOOLSET, "contributed", "external"];

/// Converts the settings to restrictions.
pub(crate) fn restrictions(settings: &Settings) -> Restrictions {
    Restrictions {
        read_only: settings.read_only.value,
        toolsets: settings.toolsets.iter().map(|filter| toolset_patterns(&filter.value)).collect(),
        tools: settings.tools.iter().map(|filter| filter.value.clone()).collect(),
    }
}

/// Converts the names in a filter for toolsets to patterns.
pub(crate) fn toolset_patterns(names: &[String]) -> Vec<String> {
    let pattern = |name: &String| if matches!(name.trim(), ALL | DEFAULT) { "*".to_owned() } else { name.clone() };
    names.iter().map(pattern).collect()
}

/// The tools and toolsets that the user selects by name, on the command line, in the environment or in the user's file.
/// A workspace's file does not count: it would add tools for everyone who opens the folder.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RequestedTools {
    toolsets: Vec<ToolFilter>,
    tools: Vec<ToolFilter>,
    /// The first parts of the ids of requested tools: `shell` for `shell.run`.
    prefixes: Vec<String>,
}

impl RequestedTools {
    pub fn from_settings(settings: &Settings) -> Self {
        let of_user = |filters: &[Effective<Vec<String>>]| -> Vec<Vec<String>> {
            let is_of_user = |filter: &&Effective<_>| !matches!(filter.source, SettingSource::Workspace(_));
            filters.iter().filter(is_of_user).map(|filter| filter.value.clone()).collect()
        };
        let toolsets = of_user(&settings.toolsets).into_iter().map(|names| {
            let names = names.iter().map(|name| name.trim()).filter(|name| *name != DEFAULT);
            ToolFilter::new(names.map(|name| if name == ALL { "*" } else { name }))
        });
        let tools = of_user(&settings.tools);
        let included = tools.iter().flatten().map(|name| filter::read(name)).filter(|(excludes, _)| !excludes);
        let prefixes = included.filter_map(|(_, name)| name.split('.').next().map(str::to_owned)).collect();
        let tools = tools.iter().map(|names| ToolFilter::new(names.iter().map(String::as_str))).collect();
        Self { toolsets: toolsets.collect(), tools, prefixes }
    }

    /// Whether the user selects a toolset, or a tool whose id begins with its name.
    pub fn has_toolset(&self, toolset: &str) -> bool {
        self.toolsets.iter().any(|filter| filter.includes(toolset))
            || self.prefixes.iter().any(|prefix| prefix == toolset)
    }

    /// Whether the user selects a tool, or its toolset.
    pub(crate) fn has_tool(&self, spec: &ToolSpec) -> bool {
        self.toolsets.iter().any(|filter| filter.includes(&spec.toolset))
            || self.tools.iter().any(|filter| filter.includes(&spec.id))
    }
}

/// A name in a filter of this process that no tool or toolset has: most likely a typing error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownName {
    message: String,
    hint: String,
}

impl fmt::Display for UnknownName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl UnknownName {
    /// Returns the next step: the valid names.
    pub fn hint(&self) -> &str {
        &self.hint
    }
}

/// Finds a toolset on the command line or in the environment that does not exist.
pub fn find_unknown_toolset(settings: &Settings) -> Option<UnknownName> {
    let known: Vec<&str> = TOOLSET_WORDS.into_iter().chain(OWN_TOOLSETS).chain(EXTRA_TOOLSETS).collect();
    find_unknown(&settings.toolsets, &known, |name, source| UnknownName {
        message: format!("there is no toolset `{name}` ({source})"),
        hint: format!("There are: {}.", known.join(", ")),
    })
}

/// Finds a tool on the command line or in the environment that neither zubi nor the host has. `specs` are the host's
/// tools.
pub fn find_unknown_tool(settings: &Settings, specs: &[Arc<ToolSpec>]) -> Option<UnknownName> {
    let mut known: Vec<&str> = specs.iter().map(|spec| spec.id.as_str()).collect();
    known.extend(zubi_declared::BUILT_IN);
    known.sort_unstable();
    known.dedup();
    find_unknown(&settings.tools, &known, |name, source| {
        let suggestions = nearest(name, known.iter().copied(), 3);
        let hint = match suggestions.as_slice() {
            [] => format!("There are: {}.", known.join(", ")),
            names => format!("Did you mean {}? `zubi tools list` lists the tools.", quote_all(names)),
        };
        UnknownName { message: format!("there is no tool `{name}` ({source})"), hint }
    })
}

fn find_unknown(
    filters: &[Effective<Vec<String>>],
    known: &[&str],
    describe: impl Fn(&str, &SettingSource) -> UnknownName,
) -> Option<UnknownName> {
    let of_process = |filter: &&Effective<_>| matches!(filter.source, SettingSource::Flag | SettingSource::Environment);
    filters.iter().filter(of_process).find_map(|filter| {
        let parsed = ToolFilter::new(filter.value.iter().map(String::as_str));
        let unmatched = parsed.unmatched_patterns(known.iter().copied()).first().map(|name| (*name).to_owned());
        unmatched.map(|name| describe(&name, &filter.source))
    })
}

/// Returns the patterns in files that match nothing, one sentence each. [`find_unknown_tool`] and
/// [`find_unknown_toolset`] find those of the process.
pub(crate) fn unmatched_patterns(filters: &[Effective<Vec<String>>], names: &[&str]) -> Vec<String> {
    let of_file = |filter: &&Effective<_>| !matches!(filter.source, SettingSource::Flag | SettingSource::Environment);
    let describe_unmatched = |filter: &Effective<Vec<String>>| {
        let parsed = ToolFilter::new(filter.value.iter().map(String::as_str));
        let patterns = parsed.unmatched_patterns(names.iter().copied());
        patterns
            .iter()
            .map(|pattern| format!("filter `{pattern}` ({}) matches nothing", filter.source))
            .collect::<Vec<_>>()
    };
    filters.iter().filter(of_file).flat_map(describe_unmatched).collect()
}

#[cfg(test)]
mod tests {
    use zubi_base::config::Layers;

    use super::*;

    fn settings(toolsets: &str, tools: &str) -> Settings {
        let filter = |text: &str| match text {
            "" => Vec::new(),
            text => {
                vec![Effective { value: text.split(',').map(str::to_owned).collect(), source: SettingSource::Flag }]
            }
        };
        Settings { toolsets: filter(toolsets), tools: filter(tools), ..Layers::default().resolve() }
    }

    #[test]
    fn a_named_toolset_is_requested_and_the_words_for_all_are_patterns() {
        for (toolsets, tools, shell_requested, permitted) in [
            ("", "", false, vec![]),
            ("default", "", false, vec![vec!["*"]]),
            ("default,shell", "", true, vec![vec!["*", "shell"]]),
            ("all", "", true, vec![vec!["*"]]),
            ("all,!shell", "", false, vec![vec!["*", "!shell"]]),
            ("*", "", true, vec![vec!["*"]]),
            ("lsp", "", false, vec![vec!["lsp"]]),
            ("", "shell.run", true, vec![]),
            ("", "!shell.run", false, vec![]),
            ("", "*", false, vec![]),
        ] {
            let settings = settings(toolsets, tools);
            let requested = RequestedTools::from_settings(&settings);
            assert_eq!(requested.has_toolset("shell"), shell_requested, "{toolsets} {tools}");
            assert_eq!(restrictions(&settings).toolsets, permitted, "{toolsets}");
        }
    }

    #[test]
    fn an_unknown_name_is_reported_with_the_valid_ones() {
        let toolset = |names: &str| find_unknown_toolset(&settings(names, ""));
        for known in ["all", "default", "lsp,declared", "!settings", "*", ""] {
            assert_eq!(toolset(known), None, "{known}");
        }
        let unknown = toolset("lsp,bogus").unwrap();
        assert_eq!(unknown.to_string(), "there is no toolset `bogus` (command line)");
        assert!(unknown.hint().starts_with("There are: all, default, lsp, edit, "), "{}", unknown.hint());
        let tool = |names: &str| find_unknown_tool(&settings("", names), &[]);
        for known in ["lsp_*", "shell.run", "find_tools", "zubi_find_tools", "!lsp_hover"] {
            assert_eq!(tool(known), None, "{known}");
        }
        let unknown = tool("lsp_hovr").unwrap();
        assert_eq!(unknown.hint(), "Did you mean `lsp_hover`? `zubi tools list` lists the tools.");
        let unknown = tool("xyz").unwrap();
        assert!(unknown.hint().starts_with("There are: "), "{}", unknown.hint());
    }
}
