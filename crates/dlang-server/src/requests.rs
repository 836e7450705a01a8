//! The requests that the server answers by itself: the table, and one file for each kind.

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

use dlang_model::{Cancelled, Db, File};
use dlang_syntax::TextSize;
use zubi_base::lsp;

use crate::convert::Lines;
use crate::methods::MethodTable;
use crate::snapshot::Snapshot;

/// All of them.
pub(crate) fn table() -> MethodTable {
    MethodTable::new()
        .typed::<lsp::CodeActionRequest>(code_action::code_action)
        .typed::<lsp::CodeLensRequest>(structure::code_lens)
        .typed::<lsp::CompletionRequest>(completion::completion)
        .typed::<lsp::CompletionResolveRequest>(completion::resolve)
        .typed::<lsp::DefinitionRequest>(navigation::definition)
        .typed::<lsp::DocumentDiagnosticRequest>(diagnostic::document)
        .typed::<lsp::DocumentFormattingRequest>(format::document)
        .typed::<lsp::DocumentHighlightRequest>(navigation::highlights)
        .typed::<lsp::DocumentLinkRequest>(structure::document_link)
        .typed::<lsp::DocumentRangeFormattingRequest>(format::range)
        .typed::<lsp::DocumentSymbolRequest>(symbols::document)
        .typed::<lsp::FoldingRangeRequest>(structure::folding)
        .typed::<lsp::HoverRequest>(hover::hover)
        .typed::<lsp::InlayHintRequest>(inlay_hint::inlay_hint)
        .typed::<lsp::PrepareRenameRequest>(rename::prepare)
        .typed::<lsp::ReferencesRequest>(navigation::references)
        .typed::<lsp::RenameRequest>(rename::rename)
        .typed::<lsp::SelectionRangeRequest>(structure::selection_range)
        .typed::<lsp::SemanticTokensDeltaRequest>(semantic_tokens::delta)
        .typed::<lsp::SemanticTokensRangeRequest>(semantic_tokens::range)
        .typed::<lsp::SemanticTokensRequest>(semantic_tokens::full)
        .typed::<lsp::WillRenameFilesRequest>(will_rename::will_rename)
        .typed::<lsp::WorkspaceDiagnosticRequest>(diagnostic::workspace)
        .typed::<lsp::WorkspaceSymbolRequest>(symbols::workspace)
        .ask_with("domainlang/explain", domainlang::explain)
        .ask_with("domainlang/get", domainlang::get)
        .ask_with("domainlang/list", domainlang::list)
        .ask_with("domainlang/validate", domainlang::validate)
}

/// Answers about one model; nothing about what is none.
fn about<T>(
    snapshot: &Snapshot,
    document: &lsp::TextDocumentIdentifier,
    answer: impl FnOnce(&dyn Db, File, &Lines) -> T,
) -> Result<Option<T>, Cancelled> {
    let Some(file) = snapshot.file(&document.uri)? else { return Ok(None) };
    snapshot.ask(|db| Some(answer(db, file, &Lines::new(file.text(db), snapshot.settings.encoding))))
}

/// Answers about a place in a model.
fn at<T>(
    snapshot: &Snapshot,
    place: &lsp::TextDocumentPositionParams,
    answer: impl FnOnce(&dyn Db, File, &Lines, TextSize) -> T,
) -> Result<Option<T>, Cancelled> {
    about(snapshot, &place.text_document, |db, file, lines| answer(db, file, lines, lines.offset(place.position)))
}
