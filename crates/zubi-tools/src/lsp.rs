//! Code tools: answers of the language servers, for any language.
//!
//! Each file here is one tool: its arguments, its description and its answer. [`provider`] is the table.

pub(crate) mod arguments;
pub(crate) mod code_tool;
mod line_tail;
mod locations;
mod outline_text;
pub(crate) mod plan_answer;
mod tree;
pub(crate) mod view;

pub(crate) mod apply_edit;
pub(crate) mod ast_search;
mod call_hierarchy;
mod changed_symbols;
mod code_actions;
mod completion;
mod definition;
mod diagnostics;
mod document_symbols;
mod explain;
mod format_document;
mod hover;
mod implementations;
mod read_symbol;
mod references;
mod rename_symbol;
mod repo_map;
mod signature_help;
mod team_uses;
mod type_definition;
mod type_hierarchy;
mod undo_edit;
mod workspace_symbols;

use std::sync::Arc;

use zubi_base::clock::Clock;
use zubi_code::CodeIntel;
use zubi_code::symbol_uses::SymbolUseIndex;
use zubi_tool_api::{ToolProvider, static_provider};

use crate::adapter;
use crate::lsp::code_tool::tool;

/// Creates the provider of all code tools, in list order.
pub fn provider(intel: &Arc<CodeIntel>) -> Arc<dyn ToolProvider> {
    let tools = vec![
        tool::<definition::DefinitionTool>(intel),
        tool::<references::References>(intel),
        tool::<hover::HoverTool>(intel),
        tool::<completion::CompletionTool>(intel),
        tool::<workspace_symbols::WorkspaceSymbols>(intel),
        tool::<document_symbols::DocumentSymbols>(intel),
        tool::<read_symbol::ReadSymbol>(intel),
        tool::<rename_symbol::RenameSymbol>(intel),
        tool::<code_actions::CodeActions>(intel),
        tool::<format_document::FormatDocument>(intel),
        tool::<signature_help::SignatureHelp>(intel),
        tool::<diagnostics::DiagnosticsTool>(intel),
        tool::<call_hierarchy::CallHierarchy>(intel),
        tool::<implementations::Implementations>(intel),
        tool::<type_definition::TypeDefinition>(intel),
        tool::<type_hierarchy::TypeHierarchy>(intel),
        tool::<explain::ExplainSymbol>(intel),
        tool::<ast_search::AstSearch>(intel),
        tool::<apply_edit::ApplyEdit>(intel),
        tool::<undo_edit::UndoEdit>(intel),
    ];
    static_provider("lsp", "Language servers", tools)
}

/// Creates the provider of the tools about the whole workspace, in list order. A host lists it after the file tools: if
/// not all tools fit into an agent's prompt, those come first.
pub fn overview_provider(intel: &Arc<CodeIntel>) -> Arc<dyn ToolProvider> {
    let tools = vec![tool::<repo_map::RepoMapTool>(intel), tool::<changed_symbols::ChangedSymbolsTool>(intel)];
    static_provider("overview", "Overview of the workspace", tools)
}

/// Creates the provider of the tool about a team's repositories. Only a host with a team's index has it, because every
/// listed tool costs tokens in every conversation.
pub fn team_provider(index: Arc<dyn SymbolUseIndex>, clock: Arc<dyn Clock>) -> Arc<dyn ToolProvider> {
    let context = Arc::new(team_uses::TeamContext { index, clock });
    static_provider("team", "The team's repositories", vec![adapter::tool::<team_uses::TeamUses>(&context)])
}
