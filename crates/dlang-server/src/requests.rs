//! Requests that the server implements: the table, and one file for each kind.

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

use dlang_model::{Db, File, QueryCancelled};
use dlang_syntax::TextSize;
use zubi_base::lsp;

use crate::convert::DocumentLines;
use crate::methods::MethodTable;
use crate::snapshot::Snapshot;

/// Table of all requests.
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

/// Answers a request about a model; `None` if the document is not a model.
fn answer_for_model<T>(
    snapshot: &Snapshot,
    document: &lsp::TextDocumentIdentifier,
    answer: impl FnOnce(&dyn Db, File, &DocumentLines) -> T,
) -> Result<Option<T>, QueryCancelled> {
    let Some(file) = snapshot.file(&document.uri)? else { return Ok(None) };
    snapshot.query(|db| Some(answer(db, file, &DocumentLines::new(file.text(db), snapshot.settings.encoding))))
}

/// Answers a request about a position in a model.
fn answer_at_position<T>(
    snapshot: &Snapshot,
    place: &lsp::TextDocumentPositionParams,
    answer: impl FnOnce(&dyn Db, File, &DocumentLines, TextSize) -> T,
) -> Result<Option<T>, QueryCancelled> {
    answer_for_model(snapshot, &place.text_document, |db, file, lines| {
        answer(db, file, lines, lines.offset(place.position))
    })
}
