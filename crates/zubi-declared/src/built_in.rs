//! Names of zubi's built-in tools, which declared tools cannot use: the built-in tool is registered first and would run
//! instead. The list is complete, whichever tools a session has.

use zubi_tool_api::spec;

/// Ids of the built-in tools.
pub const BUILT_IN: &[&str] = &[
    "lsp_definition",
    "lsp_references",
    "lsp_hover",
    "lsp_completion",
    "lsp_workspace_symbols",
    "lsp_document_symbols",
    "read_symbol",
    "lsp_rename_symbol",
    "lsp_code_actions",
    "lsp_format_document",
    "lsp_signature_help",
    "lsp_diagnostics",
    "lsp_call_hierarchy",
    "lsp_implementations",
    "lsp_type_definition",
    "lsp_type_hierarchy",
    "lsp_explain",
    "ast_search",
    "apply_edit",
    "undo_edit",
    "domainlang_validate",
    "domainlang_list",
    "domainlang_get",
    "domainlang_explain",
    "domainlang_search",
    "domainlang_diagram",
    "file.read",
    "file.write",
    "file.edit",
    "file.list",
    "file.search",
    "file.getCurrent",
    "repo_map",
    "changed_symbols",
    "rename_file",
    "rename_symbol",
    "organize_imports",
    "ast_rewrite",
    "edit_symbol",
    "edit_files",
    "replace_in_files",
    "get_setting",
    "set_setting",
    "set_update_imports_setting",
    "editor",
    "shell.run",
    "shell.job",
    "shell.which",
    "shell.terminal",
    "output.read",
    "output.grep",
    "run_script",
    "team_uses",
    "zubi_find_tools",
    "zubi_call_read_tool",
    "zubi_call_tool",
];

/// Returns whether a wire name is that of a built-in tool.
pub(super) fn is_built_in(wire: &str) -> bool {
    BUILT_IN.iter().any(|id| spec::wire_name(id) == spec::present_id(wire))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The reference page is generated from all tools.
    #[test]
    fn table_equals_the_reference_page() {
        let reference = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/src/reference/tools.md");
        let reference = zubi_base::fs::read_text(camino::Utf8Path::new(reference)).unwrap();
        let headings = reference.lines().filter_map(|line| line.strip_prefix("## `")?.strip_suffix('`'));
        assert_eq!(headings.collect::<Vec<_>>(), BUILT_IN);
    }
}
