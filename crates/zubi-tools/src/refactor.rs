//! Refactorings that apply at once and can be undone, for agents that do not need to review a plan first.
//!
//! Each file here is one tool; [`provider`] is the table. Each computes the same plan as its counterpart in
//! [`crate::lsp`] and applies it like `apply_edit`, so the answer lists the files, the new and the resolved
//! diagnostics, and how to undo. Only `zubi_find_tools` finds them: a session that lists the planning tools does not need
//! both forms. `ast_rewrite` only plans: no server has checked what its pattern means.

mod ast_rewrite;
mod edit_symbol;
mod organize_imports;
mod refactor_tool;
mod rename_file;
mod rename_symbol;

use std::sync::Arc;

use zubi_code::CodeIntel;
use zubi_tool_api::{ToolProvider, static_provider};

use crate::lsp::code_tool::tool;

/// Creates the provider of all refactoring tools, in list order.
pub fn provider(intel: &Arc<CodeIntel>) -> Arc<dyn ToolProvider> {
    let tools = vec![
        tool::<edit_symbol::EditSymbol>(intel),
        tool::<rename_file::RenameFile>(intel),
        tool::<rename_symbol::RenameSymbol>(intel),
        tool::<organize_imports::OrganizeImports>(intel),
        tool::<ast_rewrite::AstRewrite>(intel),
    ];
    static_provider("refactor", "Refactoring", tools)
}
