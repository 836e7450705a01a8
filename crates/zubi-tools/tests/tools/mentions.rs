//! Arguments that answers, errors and hints name. A client may remove every argument that its list does not have, so a
//! model can only follow such a text if the listed schema has the argument.

use serde_json::Value;
use zubi_tool_api::ToolSpec;
use zubi_tool_api::cx::Restrictions;
use zubi_tool_api::registry::Registry;
use zubi_tool_api::spec::{Exposure, META_TOOLSET};

/// The arguments that texts may name.
const ARGUMENTS: [&str; 29] = [
    "action",
    "allProjects",
    "at",
    "captures",
    "character",
    "context",
    "cursor",
    "depth",
    "direction",
    "edits",
    "format",
    "includeDeclaration",
    "includeText",
    "kind",
    "limit",
    "line",
    "locals",
    "maxTokens",
    "newName",
    "part",
    "path",
    "pattern",
    "plan",
    "severity",
    "since",
    "symbol",
    "symbols",
    "uri",
    "waitMs",
];

/// Returns the arguments that a text about a call names, without those that the call has or that a list shows.
pub(crate) fn find_unlisted(registry: &Registry, tool: &str, args: &Value, text: &str) -> Vec<String> {
    let Ok(called) = registry.find(tool, &Restrictions::default()) else { return Vec::new() };
    if called.spec().toolset == META_TOOLSET {
        // The text is that of another tool.
        return Vec::new();
    }
    let mut missing = Vec::new();
    for (argument, before) in named_arguments(text) {
        // "`lsp_references` with allProjects=true": an argument of another tool.
        let other = before.trim_end_matches('`').strip_suffix("` with ").and_then(|before| before.rsplit_once('`'));
        let other = other.and_then(|(_, name)| registry.find(name, &Restrictions::default()).ok());
        let spec = other.as_ref().map_or(called.spec(), |other| other.spec());
        if args.get(argument).is_none() && !is_listed(spec, argument) {
            missing.push(format!("{argument} of {}", spec.id));
        }
    }
    missing
}

/// Returns whether the list of a client shows an argument: `find_tools` shows all arguments of a deferred tool.
fn is_listed(spec: &ToolSpec, argument: &str) -> bool {
    let property = spec.input.get("properties").and_then(|properties| properties.get(argument));
    property.is_some_and(|property| spec.exposure != Exposure::Direct || property.get("x-common").is_none())
}

/// Returns the named arguments with the text before each: `limit=`, `` `limit` `` or `limit: "`.
fn named_arguments(text: &str) -> Vec<(&'static str, &str)> {
    let mut found = Vec::new();
    for argument in ARGUMENTS {
        for (start, _) in text.match_indices(argument) {
            let (before, after) = (&text[..start], &text[start + argument.len()..]);
            let is_word = |c: char| c.is_alphanumeric() || c == '_';
            let begins = !before.ends_with(is_word);
            let is_quoted = before.ends_with('`') && after.starts_with('`');
            let is_form = after.starts_with('=') || after.starts_with(": \"") || after.starts_with(": [");
            let is_told = before.ends_with("raise ") && !after.starts_with(is_word);
            if begins && (is_quoted || is_form || is_told) {
                found.push((argument, before));
            }
        }
    }
    found
}

#[test]
fn named_arguments_are_found() {
    let names = |text| named_arguments(text).into_iter().map(|(name, _)| name).collect::<Vec<_>>();
    assert_eq!(names("… 3 more: cursor=\"3\"; raise maxTokens"), ["cursor", "maxTokens"]);
    assert_eq!(names("narrow `path`, or symbol: \"Type/method\""), ["path", "symbol"]);
    assert_eq!(names("a path of the workspace, a limited context"), Vec::<&str>::new());
}
