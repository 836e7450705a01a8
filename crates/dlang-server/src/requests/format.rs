//! `textDocument/formatting`, `textDocument/rangeFormatting`. There is only one layout, so the client's options are
//! ignored; a text with syntax errors stays as it is.

use dlang_ide::format::{FormattedText, Refusal, format, format_range};
use dlang_model::parse;
use zubi_base::lsp;

use super::answer::answer_for_model;
use crate::convert::DocumentLines;
use crate::request::RequestError;
use crate::snapshot::Snapshot;

pub(super) fn document(
    snapshot: &Snapshot,
    params: &lsp::DocumentFormattingParams,
) -> Result<Option<Vec<lsp::TextEdit>>, RequestError> {
    Ok(answer_for_model(snapshot, &params.text_document, |db, file, lines| edits(lines, format(parse(db, file))))?)
}

pub(super) fn range(
    snapshot: &Snapshot,
    params: &lsp::DocumentRangeFormattingParams,
) -> Result<Option<Vec<lsp::TextEdit>>, RequestError> {
    Ok(answer_for_model(snapshot, &params.text_document, |db, file, lines| {
        edits(lines, format_range(parse(db, file), lines.bytes(&params.range)))
    })?)
}

fn edits(lines: &DocumentLines, formatted: Result<FormattedText, Refusal>) -> Vec<lsp::TextEdit> {
    let formatted = formatted.map(|formatted| formatted.edits).unwrap_or_default();
    formatted.iter().map(|edit| lines.edit(edit)).collect()
}
