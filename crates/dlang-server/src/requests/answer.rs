//! Answers about a model, or about a position in one.

use dlang_model::{Db, File, QueryCancelled};
use dlang_syntax::TextSize;
use zubi_base::lsp;

use crate::convert::DocumentLines;
use crate::snapshot::Snapshot;

/// Answers a request about a model; `None` if the document is not a model.
pub(super) fn answer_for_model<T>(
    snapshot: &Snapshot,
    document: &lsp::TextDocumentIdentifier,
    answer: impl FnOnce(&dyn Db, File, &DocumentLines) -> T,
) -> Result<Option<T>, QueryCancelled> {
    let Some(file) = snapshot.file(&document.uri)? else { return Ok(None) };
    snapshot.query(|db| Some(answer(db, file, &DocumentLines::new(file.text(db), snapshot.settings.encoding))))
}

/// Answers a request about a position in a model.
pub(super) fn answer_at_position<T>(
    snapshot: &Snapshot,
    position: &lsp::TextDocumentPositionParams,
    answer: impl FnOnce(&dyn Db, File, &DocumentLines, TextSize) -> T,
) -> Result<Option<T>, QueryCancelled> {
    answer_for_model(snapshot, &position.text_document, |db, file, lines| {
        answer(db, file, lines, lines.offset(position.position))
    })
}
