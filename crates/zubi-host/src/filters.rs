//! The tool filters in the settings: flags, variables and files that select tools and toolsets.

use std::sync::Arc;

use zubi_base::config::{Effective, SettingSource, Settings};
use zubi_tool_api::ToolSpec;
use zubi_tool_api::cx::Restrictions;
use zubi_tool_api::filter::ToolFilter;

/// The toolsets of tools that are not zubi's own: those of a workspace, of clients and extensions, and of other MCP
/// servers. They may be empty now and get tools later, so a filter that names one is not a typing error.
pub(crate) const EXTRA_TOOLSETS: [&str; 3] = [zubi_declared::TOOLSET, "contributed", "external"];

/// Converts the settings to restrictions.
pub(crate) fn restrictions(settings: &Settings) -> Restrictions {
    let values = |filters: &[Effective<Vec<String>>]| filters.iter().map(|filter| filter.value.clone()).collect();
    Restrictions {
        read_only: settings.read_only.value,
        toolsets: values(&settings.toolsets),
        tools: values(&settings.tools),
    }
}

/// Whether the user selects a toolset, on the command line, in the environment or in the user's file. A workspace's
/// file does not count: it would add tools for everyone who opens the folder.
pub fn user_requests_toolset(settings: &Settings, toolset: &str) -> bool {
    let user_filters = settings.toolsets.iter().filter(|filter| !matches!(filter.source, SettingSource::Workspace(_)));
    user_filters
        .map(|filter| ToolFilter::new(filter.value.iter().map(String::as_str)))
        .any(|filter| filter.includes(toolset))
}

/// Returns the user's filters of this process that match nothing, one sentence each: most likely typing errors. The
/// host reports those in files.
pub fn misspelt_flags(settings: &Settings, specs: &[Arc<ToolSpec>]) -> Vec<String> {
    let process_filters = |filters: &[Effective<Vec<String>>]| -> Vec<Effective<Vec<String>>> {
        filters
            .iter()
            .filter(|filter| matches!(filter.source, SettingSource::Flag | SettingSource::Environment))
            .cloned()
            .collect()
    };
    let (ids, mut toolsets): (Vec<&str>, Vec<&str>) =
        specs.iter().map(|spec| (spec.id.as_str(), spec.toolset.as_str())).unzip();
    toolsets.extend(EXTRA_TOOLSETS);
    [
        unmatched_patterns(&process_filters(&settings.tools), &ids),
        unmatched_patterns(&process_filters(&settings.toolsets), &toolsets),
    ]
    .concat()
}

pub(crate) fn unmatched_patterns(filters: &[Effective<Vec<String>>], names: &[&str]) -> Vec<String> {
    let describe_unmatched = |filter: &Effective<Vec<String>>| {
        let parsed = ToolFilter::new(filter.value.iter().map(String::as_str));
        let patterns = parsed.unmatched_patterns(names.iter().copied());
        patterns
            .iter()
            .map(|pattern| format!("filter `{pattern}` ({}) matches nothing", filter.source))
            .collect::<Vec<_>>()
    };
    filters.iter().flat_map(describe_unmatched).collect()
}
