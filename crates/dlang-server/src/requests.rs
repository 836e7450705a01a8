//! Requests that the server implements: the table, and one file for each kind.

mod answer;
mod code_action;
mod completion;
mod diagnostic;
mod domainlang;
mod format;
mod hover;
mod inlay_hint;
mod navigation;
mod rename;
pub(crate) mod semantic_tokens;
mod structure;
mod symbols;
mod will_rename;

use zubi_base::lsp;

use crate::methods::MethodTable;

/// Returns the table of all requests.
pub(crate) fn table() -> MethodTable {
    MethodTable::new()
        .with_request::<lsp::CodeActionRequest>(code_action::code_action)
        .with_request::<lsp::CodeLensRequest>(structure::code_lens)
        .with_request::<lsp::CompletionRequest>(completion::completion)
        .with_request::<lsp::CompletionResolveRequest>(completion::resolve)
        .with_request::<lsp::DefinitionRequest>(navigation::definition)
        .with_request::<lsp::DocumentDiagnosticRequest>(diagnostic::document)
        .with_request::<lsp::DocumentFormattingRequest>(format::document)
        .with_request::<lsp::DocumentHighlightRequest>(navigation::highlights)
        .with_request::<lsp::DocumentLinkRequest>(structure::document_link)
        .with_request::<lsp::DocumentRangeFormattingRequest>(format::range)
        .with_request::<lsp::DocumentSymbolRequest>(symbols::document)
        .with_request::<lsp::FoldingRangeRequest>(structure::folding)
        .with_request::<lsp::HoverRequest>(hover::hover)
        .with_request::<lsp::InlayHintRequest>(inlay_hint::inlay_hint)
        .with_request::<lsp::PrepareRenameRequest>(rename::prepare)
        .with_request::<lsp::ReferencesRequest>(navigation::references)
        .with_request::<lsp::RenameRequest>(rename::rename)
        .with_request::<lsp::SelectionRangeRequest>(structure::selection_range)
        .with_request::<lsp::SemanticTokensDeltaRequest>(semantic_tokens::delta)
        .with_request::<lsp::SemanticTokensRangeRequest>(semantic_tokens::range)
        .with_request::<lsp::SemanticTokensRequest>(semantic_tokens::full)
        .with_request::<lsp::WillRenameFilesRequest>(will_rename::will_rename)
        .with_request::<lsp::WorkspaceDiagnosticRequest>(diagnostic::workspace)
        .with_request::<lsp::WorkspaceSymbolRequest>(symbols::workspace)
        .with_query("domainlang/explain", domainlang::explain)
        .with_query("domainlang/get", domainlang::get)
        .with_query("domainlang/list", domainlang::list)
        .with_query("domainlang/validate", domainlang::validate)
}
