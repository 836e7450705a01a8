//! The instructions of the server: what its tools are for, and how to name a position. Every conversation pays for them,
//! and they mention only tools that the client's list contains.

use std::fmt::Write as _;
use std::sync::Arc;

use zubi_tool_api::ToolSpec;
use zubi_tool_api::spec::{CALL_READ_TOOL, CALL_TOOL, Exposure, FIND_TOOLS};

use crate::convert::ToolListing;

/// The beginning for a list without tools about code.
const OTHER_BEGINNING: &str = "zubi offers tools for this workspace, under the rules of its user.\n";

const BEGINNING: &str = "zubi answers queries about code from real language servers: resolved symbols, inferred types, exact references. Text search finds strings; these tools find meaning.\n";

/// The tools for each task. A line has those of its tools that are listed.
const TASKS: [(&str, &[&str]); 10] = [
    (
        "Find a symbol by name, read it, outline a file",
        &["lsp_workspace_symbols", "read_symbol", "lsp_document_symbols"],
    ),
    ("Uses and definition of a symbol, by symbol or position", &["lsp_references", "lsp_definition"]),
    ("Types and documentation", &["lsp_hover", "lsp_signature_help"]),
    ("Callers, implementations, subtypes", &["lsp_call_hierarchy", "lsp_implementations", "lsp_type_hierarchy"]),
    ("Uses in all repositories of the team", &["team_uses"]),
    ("Errors and warnings without a build", &["lsp_diagnostics"]),
    (
        "Changes that are only planned, with a diff",
        &["edit_symbol", "lsp_rename_symbol", "lsp_code_actions", "lsp_format_document"],
    ),
    ("Write a plan; take it back byte for byte", &["apply_edit", "undo_edit"]),
    ("Changes at once, with an undo handle", &["rename_file", "organize_imports"]),
    (
        "Domain models in DomainLang (.dlang files), as JSON",
        &["domainlang_validate", "domainlang_list", "domainlang_get", "domainlang_explain"],
    ),
];

const DOMAINLANG: &str = " (resource domainlang://syntax-reference explains the language)";

const POSITIONS: &str = "\nGive a position as symbol (\"Type/method\", optionally with path to narrow it) or as at (\"src/lib.rs:12:5\", 1-based as answers print it, or \"src/lib.rs:12 text on the line\").\n";

const ANSWERS: &str = "\nMost answers end in a line like [rust-analyzer · ready]. If it says \"loading\" or \"may be incomplete\", call again instead of trusting an empty answer. An answer labelled [index · …] comes while servers load. A cut answer names the argument that shows the rest. The next query sees files changed on disk.\n";

/// Returns whether the workspace has models: only then are the tools about them exposed directly.
fn has_models(specs: &[Arc<ToolSpec>]) -> bool {
    specs.iter().any(|spec| spec.toolset == "domainlang" && spec.exposure == Exposure::Direct)
}

/// Writes the instructions for a list of tools.
pub(crate) fn write_instructions(specs: &[Arc<ToolSpec>], listing: ToolListing) -> String {
    let listed: Vec<&str> = specs.iter().filter(|spec| listing.contains(spec)).map(|spec| spec.id.as_str()).collect();
    // Without a list, the usual tools are assumed.
    let has_code_tools = specs.is_empty() || listed.iter().any(|tool| tool.starts_with("lsp_"));
    let mut text = if has_code_tools { BEGINNING } else { OTHER_BEGINNING }.to_owned();
    for (task, tools) in TASKS {
        let tools: Vec<&str> = tools.iter().copied().filter(|tool| listed.contains(tool)).collect();
        let is_domain = tools.iter().any(|tool| tool.starts_with("domainlang_"));
        if !tools.is_empty() && (!is_domain || has_models(specs)) {
            let resource = if is_domain { DOMAINLANG } else { "" };
            // Writing to a `String` cannot fail.
            let _ = write!(text, "\n- {task}: {}{resource}", tools.join(", "));
        }
    }
    let has_unlisted = specs.iter().any(|spec| spec.exposure == Exposure::Deferred);
    if has_unlisted && listed.contains(&FIND_TOOLS) {
        let callers: Vec<&str> = [CALL_READ_TOOL, CALL_TOOL].into_iter().filter(|tool| listed.contains(tool)).collect();
        let models = if has_models(specs) { ", domain models" } else { "" };
        let _ = write!(
            text,
            "\n- More tools, for types and documentation, callers, implementations, quick fixes, formatting, code patterns, moving files{models}: "
        );
        let _ = write!(text, "{FIND_TOOLS} finds them with their schemas");
        if !callers.is_empty() {
            let _ = write!(text, "; {} calls them", callers.join(" or "));
        }
    }
    text.push('\n');
    if has_code_tools {
        text.push_str(POSITIONS);
        text.push_str(ANSWERS);
    }
    text
}
