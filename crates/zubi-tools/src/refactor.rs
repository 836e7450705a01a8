//! Refactorings that apply at once and can be undone, for agents that do not need to review a plan first.
//!
//! Each file here is one tool; [`provider`] is the table. Each computes the same plan as its counterpart in
//! [`crate::lsp`] and applies it like `apply_edit`, so the answer lists the files, the new and the resolved
//! diagnostics, and how to undo. Only `zubi_find_tools` finds them: a session that lists the planning tools does not need
//! both forms. `ast_rewrite` only plans: no server has checked what its pattern means. The tools of [`text_provider`]
//! replace texts or symbols; they plan, or apply the plan through `apply_edit` if the caller says so.

mod ast_rewrite;
mod edit_files;
pub(crate) mod edit_symbol;
mod organize_imports;
mod refactor_tool;
mod rename_file;
mod rename_symbol;
mod replace_in_files;
mod text_edit_tool;

use std::sync::Arc;

use zubi_code::CodeIntel;
use zubi_tool_api::{ToolProvider, static_provider};

use self::text_edit_tool::TextEditContext;
use crate::adapter;
use crate::lsp::code_tool::tool;
use crate::tools::RegistryHandle;

/// Creates the provider of all refactoring tools, in list order.
pub fn provider(intel: &Arc<CodeIntel>) -> Arc<dyn ToolProvider> {
    let tools = vec![
        tool::<rename_file::RenameFile>(intel),
        tool::<rename_symbol::RenameSymbol>(intel),
        tool::<organize_imports::OrganizeImports>(intel),
        tool::<ast_rewrite::AstRewrite>(intel),
    ];
    static_provider("refactor", "Refactoring", tools)
}

/// Creates the provider of the tools that replace texts and symbols, in list order. `calls` is the registry that has `apply_edit`.
pub fn text_provider(intel: &Arc<CodeIntel>, calls: &RegistryHandle) -> Arc<dyn ToolProvider> {
    let context = Arc::new(TextEditContext { intel: Arc::clone(intel), calls: calls.clone() });
    let tools = vec![
        adapter::tool::<edit_symbol::EditSymbol>(&context),
        adapter::tool::<edit_files::EditFiles>(&context),
        adapter::tool::<replace_in_files::ReplaceInFiles>(&context),
    ];
    static_provider("texts", "Replacement of texts", tools)
}
